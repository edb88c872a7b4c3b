//===- SequentialText.cpp - Sequentials as text ---------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SequentialText.h"
#include "../PassImpl.h"
#include "../PassRegistryImpl.h"
#include "../Pipeline/NamedPasses.h"
#include "SequentialPass.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/SequentialPass.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace partita::transform {

bool canExpand(const Pass &sequential, ArrayRef<std::string> anchors) {
  if (!isAnyAnchor(anchors.back()))
    return true;
  return llvm::all_of(sequential.passes(), [&](const Pass &member) {
    if (!member || member.isSequential())
      return member && canExpand(member, anchors);
    const Pass::Impl &impl = member.getImpl();
    return impl.opName.empty() &&
           (!impl.anchors || ArrayRef(*impl.anchors) == anchors);
  });
}

/// Adds the passes of `elements`, to run below `outer`, the root's first.
/// `isWritten` says that the text has the last of `outer`.
static llvm::Error addPasses(ArrayRef<PipelineElement> elements,
                             ArrayRef<std::string> outer, bool isWritten,
                             std::vector<Pass> &passes) {
  auto add = [&](const PipelineElement &element,
                 ArrayRef<std::string> anchors) -> llvm::Error {
    bool isText = element.name == sequentialArgument;
    llvm::Expected<Pass> pass =
        isText ? parseSequentialOptions(element.options, anchors)
               : getPass(element.name, element.options);
    if (!pass)
      return pass.takeError();
    bool isSequential = pass->isSequential();
    // This pass finds its members itself, on the op that it runs on.
    if (isSequential && !canExpand(*pass, anchors)) {
      pass = getPassOfMLIR(element.name, element.options);
      if (!pass)
        return pass.takeError();
      isSequential = false;
    }
    if (isWritten || anchors.size() != outer.size())
      if (llvm::Error error = checkWrittenAnchor(*pass, anchors))
        return error;
    passes.push_back(isSequential && isText ? *pass
                                            : placeBelow(*pass, anchors));
    return llvm::Error::success();
  };
  return walkPasses(elements, outer, add);
}

llvm::Expected<std::vector<Pass>>
getSequentialMembers(ArrayRef<std::string> texts,
                     ArrayRef<std::string> anchors) {
  std::vector<Pass> members;
  for (StringRef text : texts) {
    llvm::Expected<std::vector<PipelineElement>> parsed =
        parsePipelineText(text);
    if (!parsed)
      return parsed.takeError();
    for (const PipelineElement &element : *parsed) {
      bool isHere = element.isNested && (element.name == anchors.back() ||
                                         isAnyAnchor(element.name));
      if (llvm::Error error =
              addPasses(isHere ? ArrayRef(element.elements) : element, anchors,
                        /*isWritten=*/isHere, members))
        return std::move(error);
    }
  }
  return members;
}

llvm::Expected<Pass> parseSequential(StringRef pipeline, PassInfo info) {
  llvm::Expected<std::vector<PipelineElement>> elements =
      parsePipelineText(pipeline);
  if (!elements)
    return elements.takeError();
  std::string message;
  llvm::raw_string_ostream errors(message);
  bool isParsed = [&] {
    MLIRRegistryLock lock;
    return succeeded(parsePassPipeline(pipeline, errors));
  }();
  if (!isParsed)
    return makePassError("expected a textual pipeline, but found '" + pipeline +
                         "': " + addPassSuggestions(message));
  // MLIR takes all in front of the first '(' for the name of an op.
  if (elements->size() != 1)
    return makePassError("expected one op with passes in it, such as "
                         "builtin.module(cse), but found '" +
                         pipeline + "'");
  std::vector<Pass> members;
  if (llvm::Error error =
          addPasses(*elements, {}, /*isWritten=*/false, members))
    return std::move(error);
  return Sequential(std::move(members), std::move(info));
}

/// The texts of a Sequential's members, nested in their anchors.
static std::vector<std::string> printMembers(ArrayRef<Pass> members) {
  std::vector<std::string> texts;
  std::optional<OpPassManager> pm;
  std::optional<PipelineNester> nester;
  auto flush = [&] {
    if (pm)
      texts.push_back(printPipeline(*pm));
    nester.reset();
    pm.reset();
  };
  for (const Pass &pass : members) {
    if (!pass || pass.isSequential()) {
      flush();
      texts.push_back("any(" + printSequential(pass) + ")");
      continue;
    }
    const Pass::Impl &impl = pass.getImpl();
    std::vector<std::string> anchors = impl.anchors.value_or(
        std::vector<std::string>{impl.opName.empty() ? "any" : impl.opName});
    ArrayRef<std::string> path = ArrayRef(anchors).drop_front();
    if (!pm || pm->getOpAnchorName() != anchors.front() ||
        !nester->isInSameAny(path)) {
      flush();
      pm.emplace(anchors.front());
      nester.emplace(*pm);
    }
    // A pass that can't be made fails when it runs.
    if (failed(impl.build(nester->nest(path),
                          [](const Twine &) { return failure(); }))) {
      flush();
      texts.push_back("any(" + impl.argument + ")");
    }
  }
  flush();
  return texts;
}

std::string printSequential(const Pass &pass) {
  if (!pass)
    return sequentialArgument.str();
  // In a list, a pass that is no Sequential counts as one with a single member.
  ArrayRef<Pass> members = pass.isSequential() ? pass.passes() : pass;
  std::string text = "sequential{passes=";
  llvm::raw_string_ostream os(text);
  llvm::interleave(printMembers(members), os, ",");
  if (pass.isSequential()) {
    const PassInfo &info = pass.info();
    bool isWord =
        StringRef(info.name).find_first_of(" ,{}()'\"") == StringRef::npos;
    os << " name=" << (isWord ? info.name : "\"" + info.name + "\"")
       << " opt-level=" << info.optLevel;
    if (!info.required.empty())
      os << " required=" << llvm::join(info.required, ",");
    if (info.reuseRequired)
      os << " reuse-required=true";
  }
  os << "}";
  return text;
}

} // namespace partita::transform
