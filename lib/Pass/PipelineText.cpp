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

using namespace mlir;

namespace partita::transform {

/// What MLIR prints for a pass without an argument, before its name and '>'.
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
    // The name of a type, with whatever brackets and commas.
    size_t prefix = unnamedPassPrefix.size() - 1;
    size_t rest = findClose(text.drop_front(prefix), '<', '>');
    length = rest == StringRef::npos ? rest : prefix + rest;
  }
  StringRef name = text.take_front(length);
  text = text.drop_front(name.size());
  return name.rtrim();
}

llvm::Expected<std::vector<PipelineElement>> parsePipelineText(StringRef text) {
  constexpr size_t maxDepth = 500;
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
        if (open.size() == maxDepth)
          return fail("one that is nested more than " + Twine(maxDepth) +
                      " deep");
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

SmallVector<std::string> nestAnchor(ArrayRef<std::string> anchors,
                                    StringRef anchor) {
  SmallVector<std::string> result(anchors);
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
  auto impl = std::make_shared<Pass::Impl>(pass.getImpl());
  for (Pass &member : impl->members)
    member = placeBelow(member, anchors);
  if (!pass.isSequential()) {
    SmallVector<std::string> place(anchors);
    if (!impl->opName.empty() && impl->opName != anchors.back())
      place = nestAnchor(anchors, impl->opName);
    impl->anchors = std::vector<std::string>(place.begin(), place.end());
  }
  return Pass(std::move(impl));
}

std::string nestPipeline(StringRef pipeline) {
  llvm::Expected<std::vector<PipelineElement>> parsed =
      parsePipelineText(pipeline);
  if (!parsed) {
    // MLIR says what is wrong with it.
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
            os << anchor << "(";
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
    llvm::Expected<Pass> pass =
        element.name == sequentialArgument
            ? parseSequentialOptions(element.options, anchors)
            : getPass(element.name, element.options);
    if (!pass)
      return pass.takeError();
    passes.push_back(element.name == sequentialArgument
                         ? *pass
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
      if (!element.isNested)
        return makePassError("expected each of the passes of 'sequential' as "
                             "anchor(passes), but found '" +
                             element.name + "'");
      bool isHere = element.name == anchors.back() ||
                    element.name == OpPassManager::getAnyOpAnchorName();
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
                         "': " + message);
  std::vector<Pass> members;
  if (llvm::Error error = getPasses(*elements, {}, members))
    return std::move(error);
  return Sequential(std::move(members), std::move(info));
}

//===----------------------------------------------------------------------===//
// Passes that exist
//===----------------------------------------------------------------------===//

/// Splits options at the spaces that are outside of brackets and quotes.
static SmallVector<StringRef> splitOptions(StringRef options) {
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

/// The only pass that `text` describes, in a manager for any op; null if there
/// is none, or not one.
static const mlir::Pass *parsePass(const Twine &text,
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

/// A pass that is as the one whose text is `element`, or null if text does not
/// make it. MLIR prints options that were not set: those that a fresh pass
/// prints, too, are left out, lest they count as set.
static Pass reparse(const PipelineElement &element) {
  std::optional<OpPassManager> freshOwner, owner;
  const mlir::Pass *fresh = parsePass(element.name, freshOwner);
  std::string options;
  if (fresh) {
    std::string freshText = printPass(*fresh);
    SmallVector<StringRef> known =
        splitOptions(StringRef(freshText).split('{').second.rsplit('}').first);
    for (StringRef option : splitOptions(element.options))
      if (!llvm::is_contained(known, option))
        options += (options.empty() ? "" : " ") + option.str();
  } else {
    options = element.options.str();
  }
  const mlir::Pass *made = parsePass(
      element.name + (options.empty() ? "" : "{" + options + "}"), owner);
  if (!made)
    return {};
  // The printer of some passes ends options with a space.
  std::string text = printPass(*made);
  llvm::Expected<std::vector<PipelineElement>> again = parsePipelineText(text);
  if (!again ||
      splitOptions(again->front().options) != splitOptions(element.options)) {
    if (!again)
      llvm::consumeError(again.takeError());
    return {};
  }
  return createPass(clonePass(*made));
}

/// Adds the passes of an adaptor, which MLIR shows by their text alone. Fails
/// where that does not make the same passes.
static LogicalResult addReparsed(ArrayRef<PipelineElement> elements,
                                 ArrayRef<std::string> anchors,
                                 std::vector<Pass> &passes) {
  for (const PipelineElement &element : elements) {
    if (element.isNested) {
      if (failed(addReparsed(element.elements,
                             nestAnchor(anchors, element.name), passes)))
        return failure();
      continue;
    }
    Pass pass = reparse(element);
    if (!pass)
      return failure();
    passes.push_back(placeBelow(pass, anchors));
  }
  return success();
}

/// The passes of `pm`, to be run on a root of that name. If `expand`, a pass
/// that runs a Sequential becomes that Sequential.
static llvm::Expected<std::vector<Pass>>
getPasses(const OpPassManager &pm, StringRef rootName, bool expand) {
  std::string root = rootName.str();
  std::vector<Pass> passes;
  for (const mlir::Pass &pass : const_cast<OpPassManager &>(pm).getPasses()) {
    if (isAdaptor(pass)) {
      std::string text = printPass(pass);
      llvm::Expected<std::vector<PipelineElement>> elements =
          parsePipelineText(text);
      std::vector<Pass> inner;
      if (elements && succeeded(addReparsed(*elements, root, inner))) {
        llvm::append_range(passes, inner);
        continue;
      }
      // An adaptor whose passes can't be made from text stays one step.
      if (!elements)
        llvm::consumeError(elements.takeError());
    } else if (expand) {
      if (auto sequential = getSequentialOf(pass, root)) {
        if (!*sequential)
          return sequential->takeError();
        passes.push_back(**sequential);
        continue;
      }
    }
    passes.push_back(placeBelow(createPass(clonePass(pass)), root));
  }
  return passes;
}

llvm::Expected<Pass> createSequential(const OpPassManager &pm, PassInfo info,
                                      StringRef rootName) {
  llvm::Expected<std::vector<Pass>> members =
      getPasses(pm, rootName.empty() ? pm.getOpAnchorName() : rootName,
                /*expand=*/true);
  if (!members)
    return members.takeError();
  return Sequential(std::move(*members), std::move(info));
}

LogicalResult nestPasses(const OpPassManager &from, OpPassManager &to) {
  PlanLowering lowering(to, to.getOpAnchorName());
  auto passes = getPasses(from, to.getOpAnchorName(), /*expand=*/false);
  llvm::Error error = passes ? llvm::Error::success() : passes.takeError();
  for (size_t index = 0; !error && index < passes->size(); ++index) {
    Plan::Entry entry;
    entry.pass = (*passes)[index];
    error = lowering.add(entry);
  }
  if (!error)
    return success();
  llvm::errs() << "error: " << llvm::toString(std::move(error)) << "\n";
  return failure();
}

} // namespace partita::transform
