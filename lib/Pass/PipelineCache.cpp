//===- PipelineCache.cpp - Pipelines that a context has used
//---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineCache.h"

#include "mlir/IR/MLIRContext.h"

using namespace mlir;
MLIR_DEFINE_EXPLICIT_TYPE_ID(partita::transform::PipelineCache)

namespace partita::transform {

PipelineCache *PipelineCache::get(MLIRContext *context, bool mayLoad) {
  // Two threads can start a context's first runs at once.
  std::lock_guard<std::mutex> lock(getLoadMutex());
  if (auto *cache = context->getLoadedDialect<PipelineCache>())
    return cache;
  return mayLoad ? context->getOrLoadDialect<PipelineCache>() : nullptr;
}

std::mutex &PipelineCache::getLoadMutex() {
  static std::mutex mutex;
  return mutex;
}

CachedPipeline PipelineCache::take(const Key &key) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto it = pipelines.begin(); it != pipelines.end(); ++it) {
    if (!(it->first == key))
      continue;
    CachedPipeline pipeline = std::move(it->second);
    pipelines.erase(it);
    return pipeline;
  }
  return {};
}

void PipelineCache::put(Key key, CachedPipeline pipeline) {
  std::lock_guard<std::mutex> lock(mutex);
  pipelines.emplace_front(std::move(key), std::move(pipeline));
  if (pipelines.size() > capacity)
    pipelines.pop_back();
}

} // namespace partita::transform
