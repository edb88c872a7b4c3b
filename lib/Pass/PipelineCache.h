//===- PipelineCache.h - Pipelines that a context has used ----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PIPELINECACHE_H
#define PARTITA_LIB_PASS_PIPELINECACHE_H

#include "PlanExecutor.h"

#include "mlir/IR/Dialect.h"

#include <list>
#include <mutex>
#include <shared_mutex>

namespace partita::transform {

/// A pass manager that runs a plan, ready to be run again.
struct CachedPipeline {
  std::unique_ptr<mlir::PassManager> pm;
  AddedPlan plan;
};

/// What an MLIRContext keeps for runs in it. Initializing passes is most of the
/// cost of a pipeline (canonicalize collects every pattern), so pass managers
/// are kept; each is used by one thread at a time. It is a dialect, with
/// nothing in it, because that is what an MLIRContext owns and destroys.
class PipelineCache : public mlir::Dialect {
public:
  explicit PipelineCache(mlir::MLIRContext *context)
      : Dialect(getDialectNamespace(), context,
                mlir::TypeID::get<PipelineCache>()) {}
  static constexpr llvm::StringLiteral getDialectNamespace() {
    return llvm::StringLiteral("partita_pipeline_cache");
  }

  /// The cache of `context`. Null, if it does not have one and
  /// `mayLoad` says that it can't be given one.
  static PipelineCache *get(mlir::MLIRContext *context, bool mayLoad);

  struct Key {
    uint64_t planId;
    std::string rootName;
    bool verify;
    bool stepByStep;
    bool records;
    bool operator==(const Key &other) const {
      return planId == other.planId && rootName == other.rootName &&
             verify == other.verify && stepByStep == other.stepByStep &&
             records == other.records;
    }
  };

  /// Takes a pipeline out, or returns an empty one.
  CachedPipeline take(const Key &key);
  void put(Key key, CachedPipeline pipeline);

  /// Held shared by runs, and alone to load dialects, which MLIR allows only
  /// while nothing runs.
  std::shared_mutex &getRunMutex() { return runMutex; }

  /// Held while a dialect of any context is loaded or looked up by a run.
  static std::mutex &getLoadMutex();

private:
  static constexpr size_t capacity = 64;

  std::mutex mutex;
  /// The pipelines used last come first.
  std::list<std::pair<Key, CachedPipeline>> pipelines;
  std::shared_mutex runMutex;
};

} // namespace partita::transform

MLIR_DECLARE_EXPLICIT_TYPE_ID(partita::transform::PipelineCache)

#endif // PARTITA_LIB_PASS_PIPELINECACHE_H
