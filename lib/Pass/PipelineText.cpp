//===- PipelineText.cpp - Textual pipelines -------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineText.h"
#include "PassImpl.h"
#include "PlanLowering.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Pass/SequentialPass.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <atomic>

using namespace mlir;

namespace partita::transform {

/// MLIR's text for a pass without an argument, before its name and '>'.
static constexpr llvm::StringLiteral unnamedPassPrefix = "unknown<";

//===----------------------------------------------------------------------===//
// Parsing and printing
//===----------------------------------------------------------------------===//

/// The length of the prefix of `text` from its `open` to the matching `close`;
/// npos if there is none.
static size_t findClose(StringRef text, char open, char close) {
  unsigned depth = 0;
  for (size_t index = 0; index < text.size(); ++index)
    if (text[index] == open)
      ++depth;
    else if (text[index] == close && --depth == 0)
      return index + 1;
  return StringRef::npos;
}

/// Takes the name of an element off `text`.
static StringRef takeName(StringRef &text) {
  size_t length = text.find_first_of(",{()");
  if (text.starts_with(unnamedPassPrefix)) {
    // The name of a type, with any brackets and commas.
    size_t prefix = unnamedPassPrefix.size() - 1;
    size_t rest = findClose(text.drop_front(prefix), '<', '>');
    length = rest == StringRef::npos ? rest : prefix + rest;
  }
  StringRef name = text.take_front(length);
  text = text.drop_front(name.size());
  return name.rtrim();
}

llvm::Error checkPipelineDepth(StringRef pipeline) {
  constexpr size_t maxDepth = 500;
  size_t depth = 0;
  for (char c : pipeline) {
    if (c == '(' && ++depth > maxDepth)
      return makePassError("expected a textual pipeline, but found one that is "
                           "nested more than " +
                           Twine(maxDepth) + " deep");
    if (c == ')' && depth != 0)
      --depth;
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<PipelineElement>> parsePipelineText(StringRef text) {
  if (llvm::Error error = checkPipelineDepth(text))
    return std::move(error);
  auto fail = [&](const Twine &what) {
    return makePassError("expected a textual pipeline, but found " + what);
  };
  PipelineElement root;
  SmallVector<PipelineElement *> open = {&root};
  while (true) {
    text = text.ltrim();
    StringRef name = takeName(text);
    if (!name.empty()) {
      PipelineElement &element = open.back()->elements.emplace_back();
      element.name = name;
      if (text.starts_with("{")) {
        size_t length = findClose(text, '{', '}');
        if (length == StringRef::npos)
          return fail("no '}' after the options of '" + name + "'");
        element.options = text.slice(1, length - 1);
        text = text.drop_front(length);
      } else if (text.consume_front("(")) {
        element.isNested = true;
        open.push_back(&element);
        continue;
      }
    }
    text = text.ltrim();
    while (text.consume_front(")")) {
      if (open.size() == 1)
        return fail("a ')' without its '('");
      open.pop_back();
      text = text.ltrim();
    }
    if (text.empty())
      break;
    if (!text.consume_front(","))
      return fail("'" + text.take_front(20) + "' where a ',' was expected");
  }
  if (open.size() != 1)
    return fail("no ')' for '" + open.back()->name + "('");
  return std::move(root.elements);
}

void printPipelineText(ArrayRef<PipelineElement> elements,
                       llvm::raw_ostream &os) {
  llvm::interleave(
      elements, os,
      [&](const PipelineElement &element) {
        os << element.name;
        if (!element.options.empty())
          os << "{" << element.options << "}";
        if (!element.isNested)
          return;
        os << "(";
        printPipelineText(element.elements, os);
        os << ")";
      },
      ",");
}

std::string printPass(const mlir::Pass &pass) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // MLIR's function changes nothing, but is not const.
  const_cast<mlir::Pass &>(pass).printAsTextualPipeline(os);
  return text;
}

StringRef getPassName(StringRef elementName) {
  if (elementName.consume_front(unnamedPassPrefix))
    return elementName.drop_back();
  return elementName;
}

//===----------------------------------------------------------------------===//
// Where passes run
//===----------------------------------------------------------------------===//

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
// Passes
//===----------------------------------------------------------------------===//

llvm::Error getPasses(ArrayRef<PipelineElement> elements,
                      ArrayRef<std::string> anchors,
                      std::vector<Pass> &passes) {
  for (const PipelineElement &element : elements) {
    if (element.isNested) {
      if (llvm::Error error = getPasses(
              element.elements, nestAnchor(anchors, element.name), passes))
        return error;
      continue;
    }
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
    passes.push_back(isSequential && isText ? *pass
                                            : placeBelow(*pass, anchors));
  }
  return llvm::Error::success();
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
      if (llvm::Error error = getPasses(
              isHere ? ArrayRef(element.elements) : element, anchors, members))
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
  if (failed(parsePassPipeline(pipeline, errors)))
    return makePassError("expected a textual pipeline, but found '" + pipeline +
                         "': " + addPassSuggestions(message));
  std::vector<Pass> members;
  if (llvm::Error error = getPasses(*elements, {}, members))
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

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

SmallVector<StringRef> splitOptions(StringRef options) {
  SmallVector<StringRef> result;
  size_t begin = 0, depth = 0;
  for (size_t index = 0; index < options.size(); ++index) {
    char c = options[index];
    if (StringRef("{[(").contains(c)) {
      ++depth;
    } else if (StringRef("}])").contains(c)) {
      depth -= depth != 0;
    } else if (c == '\'' || c == '"') {
      size_t close = options.find(c, index + 1);
      index = close == StringRef::npos ? index : close;
    } else if (c == ' ' && depth == 0) {
      result.push_back(options.slice(begin, index));
      begin = index + 1;
    }
  }
  result.push_back(options.drop_front(begin));
  llvm::erase_if(result, [](StringRef option) { return option.empty(); });
  return result;
}

const mlir::Pass *parsePass(const Twine &text,
                            std::optional<OpPassManager> &owner) {
  std::string ignored;
  llvm::raw_string_ostream errors(ignored);
  FailureOr<OpPassManager> parsed =
      parsePassPipeline(("any(" + text + ")").str(), errors);
  if (failed(parsed) || parsed->size() != 1)
    return nullptr;
  owner = std::move(*parsed);
  return &*owner->begin();
}

std::optional<std::string> printFreshOptions(StringRef name) {
  std::optional<OpPassManager> owner;
  const mlir::Pass *fresh = parsePass(name, owner);
  if (!fresh)
    return std::nullopt;
  std::string text = printPass(*fresh);
  return StringRef(text).split('{').second.rsplit('}').first.str();
}

std::string dropOptions(StringRef options, StringRef fresh) {
  SmallVector<StringRef> known = splitOptions(fresh);
  std::string kept;
  for (StringRef option : splitOptions(options))
    if (!llvm::is_contained(known, option))
      kept += (kept.empty() ? "" : " ") + option.str();
  return kept;
}

std::string printPipeline(OpPassManager &pm) {
  std::string text;
  llvm::raw_string_ostream textStream(text);
  pm.printAsTextualPipeline(textStream);
  llvm::Expected<std::vector<PipelineElement>> parsed = parsePipelineText(text);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return text;
  }
  // By MLIR's text of a pass; passes often share it.
  llvm::StringMap<std::optional<std::string>> freshOptions;
  llvm::StringMap<std::string> options;
  auto shorten = [&](auto &self, PipelineElement &element) -> void {
    for (PipelineElement &inner : element.elements)
      self(self, inner);
    if (element.options.empty())
      return;
    std::string key = (element.name + "{" + element.options).str();
    auto [it, isNew] = options.try_emplace(key);
    if (isNew) {
      auto [fresh, isFirst] = freshOptions.try_emplace(element.name);
      if (isFirst)
        fresh->second = printFreshOptions(element.name);
      it->second = fresh->second ? dropOptions(element.options, *fresh->second)
                                 : element.options.str();
    }
    element.options = it->second;
  };
  for (PipelineElement &element : *parsed)
    shorten(shorten, element);
  std::string result;
  llvm::raw_string_ostream os(result);
  printPipelineText(*parsed, os);
  return result;
}

} // namespace partita::transform
