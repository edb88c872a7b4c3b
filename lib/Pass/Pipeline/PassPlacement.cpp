//===- PassPlacement.cpp - Where passes run -------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassPlacement.h"
#include "../PassImpl.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/SequentialPass.h"

#include "llvm/ADT/StringMap.h"

#include <atomic>
#include <shared_mutex>

using namespace mlir;

namespace partita::transform {

//===----------------------------------------------------------------------===//
// Anchors
//===----------------------------------------------------------------------===//

namespace {
struct Anchors {
  std::shared_mutex mutex;
  /// The parents of ops, by their names.
  llvm::StringMap<std::string> parents;
};
} // namespace

static Anchors &getAnchors() {
  static Anchors anchors;
  return anchors;
}

void registerPassAnchor(StringRef opName, StringRef parentName) {
  Anchors &anchors = getAnchors();
  std::unique_lock lock(anchors.mutex);
  anchors.parents[opName] = parentName.str();
}

FailureOr<SmallVector<std::string>> getAnchorPath(StringRef rootName,
                                                  StringRef opName) {
  Anchors &anchors = getAnchors();
  std::shared_lock lock(anchors.mutex);
  SmallVector<std::string> path;
  std::string name = opName.str();
  while (name != rootName) {
    path.push_back(name);
    auto parent = anchors.parents.find(name);
    if (parent == anchors.parents.end()) {
      // Like mlir-opt, put passes on ops without a registered place directly
      // below the root; an op with a place is never below another op.
      if (path.size() == 1)
        break;
      return failure();
    }
    name = parent->second;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

StringRef getAnchorName(StringRef anchor) { return anchor.split('#').first; }

SmallVector<std::string> nestAnchor(ArrayRef<std::string> anchors,
                                    StringRef anchor) {
  static std::atomic<uint64_t> nextNumber{0};
  SmallVector<std::string> result(anchors);
  if (!anchors.empty() && isAnyAnchor(anchor)) {
    result.push_back((anchor + "#" + Twine(nextNumber++)).str());
    return result;
  }
  FailureOr<SmallVector<std::string>> path = failure();
  if (!anchors.empty())
    path = getAnchorPath(anchors.back(), anchor);
  if (failed(path) || path->empty())
    result.push_back(anchor.str());
  else
    llvm::append_range(result, *path);
  return result;
}

llvm::Error checkWrittenAnchor(const Pass &pass,
                               ArrayRef<std::string> anchors) {
  StringRef opName = pass.opName();
  StringRef anchor = getAnchorName(anchors.back());
  if (opName.empty() || isAnyAnchor(anchor) || opName == anchor)
    return llvm::Error::success();
  return makePassError("expected pass '" + pass.info().name +
                       "' to be written in " + opName +
                       "(...), as it runs on '" + opName +
                       "', but found it in " + anchor + "(...)");
}

Pass placeBelow(const Pass &pass, ArrayRef<std::string> anchors) {
  if (!pass)
    return pass;
  auto impl = std::make_shared<Pass::Impl>(pass.getImpl());
  for (Pass &member : impl->members)
    member = placeBelow(member, anchors);
  if (!pass.isSequential()) {
    SmallVector<std::string> place(anchors);
    if (impl->anchors)
      llvm::append_range(place, llvm::drop_begin(*impl->anchors));
    else if (!impl->opName.empty() && impl->opName != anchors.back() &&
             !isAnyAnchor(anchors.back()))
      place = nestAnchor(anchors, impl->opName);
    impl->anchors = std::vector<std::string>(place.begin(), place.end());
  }
  return Pass(std::move(impl));
}

llvm::Error walkPasses(ArrayRef<PipelineElement> elements,
                       ArrayRef<std::string> anchors,
                       llvm::function_ref<llvm::Error(const PipelineElement &,
                                                      ArrayRef<std::string>)>
                           visit) {
  for (const PipelineElement &element : elements)
    if (llvm::Error error =
            element.isNested
                ? walkPasses(element.elements,
                             nestAnchor(anchors, element.name), visit)
                : visit(element, anchors))
      return error;
  return llvm::Error::success();
}

std::string nestPipeline(StringRef pipeline) {
  llvm::Expected<std::vector<PipelineElement>> parsed =
      parsePipelineText(pipeline);
  if (!parsed) {
    // MLIR reports the error later.
    llvm::consumeError(parsed.takeError());
    return pipeline.str();
  }
  std::string result;
  llvm::raw_string_ostream os(result);
  auto print = [&](auto &self, ArrayRef<PipelineElement> elements,
                   ArrayRef<std::string> anchors) -> void {
    llvm::interleave(
        elements, os,
        [&](const PipelineElement &element) {
          if (!element.isNested)
            return printPipelineText(element, os);
          SmallVector<std::string> path = nestAnchor(anchors, element.name);
          size_t numAdded = path.size() - anchors.size();
          for (const std::string &anchor : ArrayRef(path).take_back(numAdded))
            os << getAnchorName(anchor) << "(";
          self(self, element.elements, path);
          os << std::string(numAdded, ')');
        },
        ",");
  };
  print(print, *parsed, {});
  return result;
}

//===----------------------------------------------------------------------===//
// Places of passes
//===----------------------------------------------------------------------===//

/// The anchors of `pass` below `rootName`; nothing for a pass on any op without
/// a place.
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
  if (rootName == OpPassManager::getAnyOpAnchorName())
    return makePassError("expected a pass manager for ops of one name, in "
                         "which pass '" +
                         impl.info.name + "' finds '" + impl.opName +
                         "', but found one for any op; make it with the name "
                         "of the root");
  FailureOr<SmallVector<std::string>> found =
      getAnchorPath(rootName, impl.opName);
  if (failed(found))
    return makePassError("expected a root that holds '" + impl.opName +
                         "' for pass '" + impl.info.name + "', but it is '" +
                         rootName + "'");
  return *found;
}

/// The pass whose own place `pass` runs in.
static Pass getPlaced(const Pass &pass, const Pass &place) {
  const Pass::Impl &impl = pass.getImpl();
  // The host's code on the module runs on the root, whichever pass requires it.
  bool isKnown = impl.anchors || !impl.opName.empty() || impl.hostCallback;
  return isKnown || !place || place.isSequential() ? pass : place;
}

llvm::Expected<SmallVector<std::string>>
getPath(const Pass &pass, const Pass &place, StringRef rootName) {
  auto path = getOwnPath(getPlaced(pass, place), rootName);
  if (!path)
    return path.takeError();
  return path->value_or(SmallVector<std::string>());
}

bool isSamePlace(const Pass &lhs, const Pass &rhs) {
  const auto &anchors = lhs.getImpl().anchors;
  const auto &others = rhs.getImpl().anchors;
  if (bool(anchors) == bool(others))
    return anchors ? *anchors == *others : lhs.opName() == rhs.opName();
  if (!anchors)
    return isSamePlace(rhs, lhs);
  // A pass without an op runs on the root.
  ArrayRef<std::string> path = ArrayRef(*anchors).drop_front();
  if (rhs.opName().empty())
    return path.empty();
  FailureOr<SmallVector<std::string>> found =
      getAnchorPath(anchors->front(), rhs.opName());
  return succeeded(found) && path == ArrayRef(*found);
}

bool isSamePlace(const Pass &lhs, const Pass &lhsPlace, const Pass &rhs,
                 const Pass &rhsPlace) {
  return isSamePlace(getPlaced(lhs, lhsPlace), getPlaced(rhs, rhsPlace));
}

//===----------------------------------------------------------------------===//
// PipelineNester
//===----------------------------------------------------------------------===//

/// Whether the anchor is a separate `any(...)`: see getAnchorName.
static bool isNumbered(StringRef anchor) {
  return getAnchorName(anchor).size() != anchor.size();
}

size_t PipelineNester::countShared(ArrayRef<std::string> path) const {
  size_t count = 0;
  while (count < std::min(levels.size(), path.size()) &&
         levels[count].anchor == path[count])
    ++count;
  while (count != 0 && !isNumbered(path[count - 1]))
    --count;
  return count;
}

OpPassManager &PipelineNester::nest(ArrayRef<std::string> path) {
  bool isSame =
      llvm::equal(path, levels, [](StringRef anchor, const Level &level) {
        return anchor == level.anchor;
      });
  if (!isSame) {
    levels.resize(countShared(path));
    for (const std::string &anchor : path.drop_front(levels.size())) {
      OpPassManager &outer = levels.empty() ? root : *levels.back().manager;
      if (isAnyAnchor(anchor))
        levels.push_back({anchor, &outer.nestAny(),
                          std::make_shared<AnyMembers::element_type>()});
      else
        levels.push_back({anchor, &outer.nest(anchor), nullptr});
    }
  }
  return levels.empty() ? root : *levels.back().manager;
}

SmallVector<PipelineNester::AnyMembers> PipelineNester::getMembers() const {
  SmallVector<AnyMembers> members;
  for (const Level &level : levels)
    members.push_back(level.members);
  return members;
}

} // namespace partita::transform
