//===- PipelineText.cpp - Textual pipelines -------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineText.h"
#include "../PassAccess.h"
#include "../PassImpl.h"
#include "../PassRegistryImpl.h"
#include "partita/Pass/SequentialPass.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace partita::transform {

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

StringRef getPassName(StringRef elementName) {
  if (elementName.consume_front(unnamedPassPrefix))
    return elementName.drop_back();
  return elementName;
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
  MLIRRegistryLock lock;
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
  std::string text = printManager(pm);
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
