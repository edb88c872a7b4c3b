//===- PlanLowering.cpp - From a plan to an OpPassManager -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanLowering.h"
#include "PassImpl.h"
#include "partita/Pass/PassRegistry.h"

using namespace mlir;

namespace partita::transform {

/// The anchors below `rootName` of `pass`; nothing for a pass on any op that
/// does not say where it runs.
static llvm::Expected<std::optional<SmallVector<std::string>>>
getOwnPath(const Pass &pass, StringRef rootName) {
  const Pass::Impl &impl = pass.getImpl();
  SmallVector<std::string> path;
  if (impl.anchors) {
    ArrayRef<std::string> anchors = *impl.anchors;
    if (anchors.front() != rootName &&
        anchors.front() != OpPassManager::getAnyOpAnchorName())
      return makePassError("expected pass '" + impl.info.name +
                           "' to be run on '" + anchors.front() +
                           "', but the root is '" + rootName + "'");
    path.append(anchors.begin() + 1, anchors.end());
    return path;
  }
  if (impl.opName.empty())
    return std::nullopt;
  FailureOr<SmallVector<std::string>> found =
      getAnchorPath(rootName, impl.opName);
  if (failed(found))
    return makePassError("expected a root that holds '" + impl.opName +
                         "' for pass '" + impl.info.name + "', but it is '" +
                         rootName + "'");
  return *found;
}

llvm::Expected<SmallVector<std::string>>
PlanLowering::getPath(const Plan::Entry &entry, StringRef rootName) {
  for (const Pass &pass : {entry.pass, entry.place}) {
    if (!pass || pass.isSequential())
      continue;
    auto path = getOwnPath(pass, rootName);
    if (!path)
      return path.takeError();
    if (*path)
      return **path;
    // The host's code on the module runs on the root, whoever requires it.
    if (pass.getImpl().isHostCallback)
      break;
  }
  return SmallVector<std::string>();
}

llvm::Error PlanLowering::add(const Plan::Entry &entry) {
  llvm::Expected<SmallVector<std::string>> path = getPath(entry, rootName);
  if (!path)
    return path.takeError();
  if (!lastNested || lastPath != *path) {
    lastNested = &root;
    for (const std::string &anchor : *path)
      lastNested = anchor == OpPassManager::getAnyOpAnchorName()
                       ? &lastNested->nestAny()
                       : &lastNested->nest(anchor);
    lastPath = *path;
  }
  size_t size = lastNested->size();
  std::string message;
  if (failed(entry.pass.getImpl().build(*lastNested, [&](const Twine &text) {
        message = text.str();
        return failure();
      })))
    return makePassError("expected pass '" + entry.pass.info().name +
                         "' to be made, but: " + message);
  added.clear();
  for (const mlir::Pass &pass : llvm::drop_begin(lastNested->getPasses(), size))
    added.push_back(&pass);
  return llvm::Error::success();
}

} // namespace partita::transform
