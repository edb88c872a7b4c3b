//===- PassImpl.h - What a Pass holds ------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PASSIMPL_H
#define PARTITA_LIB_PASS_PASSIMPL_H

#include "partita/Pass/Pass.h"

#include <optional>

namespace partita::transform {

struct PassDeclaration;

using PassErrorHandler =
    llvm::function_ref<mlir::LogicalResult(const llvm::Twine &)>;

struct Pass::Impl {
  PassInfo info;
  std::string argument;
  std::string opName;
  /// Adds the pass to a manager that is anchored where it runs; unset for a
  /// Sequential.
  std::function<mlir::LogicalResult(mlir::OpPassManager &, PassErrorHandler)>
      build;
  std::vector<Pass> members;
  /// The anchors that a textual pipeline gives, the root's first.
  std::optional<std::vector<std::string>> anchors;
  /// Whether PassContext::current() is read on worker threads.
  bool readsPassContext = false;
  /// Whether the pass is code of the host on the whole module, which can run
  /// passes and change the instruments.
  bool isHostCallback = false;
};

/// Whether this thread is inside a pass that works in `context`, run under
/// `passContext` if that is given.
bool isRunningIn(mlir::MLIRContext *context,
                 const PassContext *passContext = nullptr);

/// A pass that this thread is inside of, for the notes of errors.
class PassFrame {
public:
  explicit PassFrame(llvm::StringRef passName);
  ~PassFrame();
  PassFrame(const PassFrame &) = delete;
  PassFrame &operator=(const PassFrame &) = delete;

private:
  friend std::vector<std::string> describeRunningPasses();

  llvm::StringRef passName;
  PassFrame *outer;
};

/// Makes a registered Sequential a pass of MLIR, so that textual pipelines and
/// flags know it.
void registerSequentialWithMLIR(
    std::shared_ptr<const PassDeclaration> declaration);

/// An error with a message only.
llvm::Error makePassError(const llvm::Twine &message);

/// What a textual pipeline has for a pass without argument, before the pass's
/// name and '>'.
inline constexpr llvm::StringLiteral unnamedPassPrefix = "unknown<";

/// What stands for a Sequential in a textual pipeline.
inline constexpr llvm::StringLiteral sequentialArgument = "sequential";

/// The elements of a textual pipeline: splits at the commas that are not inside
/// brackets or quotes.
llvm::SmallVector<llvm::StringRef> splitPipeline(llvm::StringRef text);

/// "'a' -> 'b' -> 'a'": the cycle that `name` closes in `chain`.
std::string describeChain(llvm::ArrayRef<std::string> chain,
                          llvm::StringRef name);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PASSIMPL_H
