//===- PassCache.h - Results of passes, kept across runs --------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With `partita.pass_cache`, results of passes are kept in a directory: the
// module after a plan, and each function after consecutive passes that look at
// one function at a time. The key is a hash of the op in bytecode, the
// attributes of the ops around it, the passes with their options, the parts of
// the PassContext that passes can read, and the program's files.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PASSCACHE_H
#define PARTITA_LIB_PASS_PASSCACHE_H

#include "SavingPass.h"
#include "partita/Pass/Plan.h"
#include "partita/Support/FileCache.h"

namespace partita::transform {

/// The cache of a PassContext. Threads share it.
class PassCache {
public:
  explicit PassCache(const SavingOptions &options);

  /// An op before passes run on it.
  struct Before {
    ContentHash contents, key;
  };
  /// The key of `op` before the passes that `passes` describes. `around` is
  /// hashAround(op). Nothing if `op` holds attributes that bytecode does not
  /// keep as they are.
  std::optional<Before> getKey(llvm::StringRef passes, mlir::Operation *op,
                               const ContentHash &around);
  /// The ops around `op`, with their attributes.
  static ContentHash hashAround(mlir::Operation *op);

  /// The kept result for an op.
  struct Result {
    /// Null if the passes leave the op as it is.
    mlir::OwningOpRef<mlir::Operation *> op;
  };
  std::optional<Result> find(const Before &before, mlir::Operation *op);

  /// Keeps `op` as the result for the op that `before` describes.
  void put(const Before &before, mlir::Operation *op);

  /// Ends a run. Returns the first error in writing a result, if there was one.
  llvm::Error finish();

private:
  FileCache files;
  /// The files of the program: another build may have other passes.
  std::string program;
  std::mutex mutex;
  std::string error;
  bool hasWritten = false;
};

/// Describes a plan's passes for keys. Nothing if the result of one of them
/// may not be kept.
std::optional<std::string> describeForCache(const Plan &plan,
                                            const PassContext &context,
                                            llvm::StringRef rootName);
std::optional<std::string> describeForCache(const Plan &plan, size_t entry,
                                            llvm::StringRef rootName);

/// A pass on the root that takes the isolated ops in it from the cache. Those
/// in `facts` that are found count as known until the second pass, which keeps
/// the results of the others.
std::pair<std::unique_ptr<mlir::Pass>, std::unique_ptr<mlir::Pass>>
makeCachePasses(std::shared_ptr<PassCache> cache,
                std::shared_ptr<RunFacts> facts, std::string passes);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PASSCACHE_H
