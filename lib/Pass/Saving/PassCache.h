//===- PassCache.h - Results of passes, kept across runs --------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With `partita.pass_cache`, results of passes are kept in a directory: the
// module after a plan, and each function after consecutive passes that look at
// one function at a time. The key is a hash of the op in bytecode, the globals
// that it names, the attributes of the ops around it, the passes with their
// options, the parts of the PassContext that passes can read, and the program's
// files.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_SAVING_PASSCACHE_H
#define PARTITA_LIB_PASS_SAVING_PASSCACHE_H

#include "Globals.h"
#include "RoundTrips.h"
#include "SavingPass.h"
#include "partita/Pass/Plan.h"
#include "partita/Support/FileCache.h"

namespace partita::transform {

/// The cache of a PassContext. Threads share it.
class PassCache {
public:
  explicit PassCache(const SavingOptions &options);

  /// Results of runs without the verifier, or with the verifier at the end, are
  /// kept apart from others.
  void setVerifies(bool verifies) {
    verification = verifies && verifiesAtEnd ? 'e' : '0' + verifies;
  }

  /// An op before passes run on it.
  struct Before {
    mlir::Operation *op;
    /// A hash of the op in bytecode, and the number of its bytes.
    ContentHash contents;
    uint64_t size;
    /// The op's hash in this process.
    OpHash hash;
    /// A hash of the globals that a function names.
    ContentHash globals;
    /// The attributes in the op that bytecode does not give back as they are.
    /// Results refer to them by their position.
    llvm::SmallVector<mlir::Attribute, 0> shared;
  };
  /// Nothing if bytecode does not say all of `op` and of its globals.
  std::optional<Before> describe(mlir::Operation *op,
                                 const Globals *globals = nullptr);

  /// The ops around `op`, with their attributes. Nothing if bytecode does not
  /// say all of these.
  std::optional<ContentHash> hashAround(mlir::Operation *op);

  /// The key of the results of some ops after the passes that `passes`
  /// describes. `around` is hashAround of these ops.
  ContentHash getKey(llvm::StringRef passes, const ContentHash &around,
                     llvm::ArrayRef<Before> ops) const;

  /// The kept result of one op.
  struct Result {
    /// What passes do with the op.
    enum Kind : unsigned { Unknown, Unchanged, Changed } kind = Unknown;
    mlir::OwningOpRef<mlir::Operation *> op;
  };
  /// The results of `ops`, or nothing.
  std::optional<std::vector<Result>> find(const ContentHash &key,
                                          llvm::ArrayRef<Before> ops) const;

  /// Keeps `ops` as they are now. `kinds` are the kinds of their results.
  void put(const ContentHash &key, llvm::ArrayRef<Before> ops,
           llvm::ArrayRef<Result::Kind> kinds);

  RoundTrips &getRoundTrips() { return roundTrips; }

  /// Ends a run. Returns the first error in writing a result, if there was one.
  llvm::Error finish();

private:
  FileCache files;
  RoundTrips roundTrips;
  /// The files of the program: another build may have other passes.
  std::string program;
  bool verifiesAtEnd;
  /// Says in keys when the verifier runs.
  char verification = '0';
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

#endif // PARTITA_LIB_PASS_SAVING_PASSCACHE_H
