//===- ValueNames.cpp - Names of values in text ---------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueNames.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace partita;

static bool isNumber(StringRef text) {
  return !text.empty() && llvm::all_of(text, llvm::isDigit);
}

/// Whether the printer makes such names up for unnamed values.
static bool isMadeUp(StringRef name) {
  if (name.consume_front("arg") || name.consume_front("cst_"))
    return isNumber(name);
  return name.empty() || name == "cst" || isNumber(name);
}

Location partita::getNamedLoc(StringRef name, Location loc) {
  name.consume_front("%");
  if (isMadeUp(name))
    return loc;
  return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
}

void partita::nameFromText(OpAsmParser &parser,
                           MutableArrayRef<OpAsmParser::Argument> arguments) {
  for (OpAsmParser::Argument &argument : arguments)
    if (!argument.sourceLoc)
      argument.sourceLoc =
          getNamedLoc(argument.ssaName.name,
                      parser.getEncodedSourceLoc(argument.ssaName.location));
}

static StringRef takeName(StringRef text) {
  return text.take_while(
      [](char c) { return llvm::isAlnum(c) || StringRef("$._-").contains(c); });
}

/// Drops white space and comments.
static StringRef skipSpace(StringRef text) {
  while ((text = text.ltrim()).starts_with("//"))
    text = text.drop_until([](char c) { return c == '\n'; });
  return text;
}

/// The names in front of the op that is parsed: `a` and `b` in `%a, %b:2 =`.
/// They are read from the text, because the parser finds the name of a result
/// only by counting from the first result.
static SmallVector<StringRef> getResultNames(OpAsmParser &parser) {
  SmallVector<StringRef> names;
  if (parser.getNumResults() == 0)
    return names;
  StringRef first = parser.getResultName(0).first;
  const char *end = parser.getNameLoc().getPointer();
  StringRef rest(first.begin(), end - first.begin());
  do {
    names.push_back(takeName(rest));
    rest = skipSpace(rest.drop_front(names.back().size()));
    // The number of results, or the next name.
    if (rest.consume_front(":"))
      rest = skipSpace(skipSpace(rest).drop_while(llvm::isDigit));
    if (!rest.consume_front(","))
      break;
    rest = skipSpace(rest);
  } while (rest.consume_front("%"));
  return names;
}

void partita::nameFromText(OpAsmParser &parser, OperationState &result) {
  SmallVector<Location> locs;
  for (StringRef name : getResultNames(parser))
    locs.push_back(getNamedLoc(name, result.location));
  if (locs.size() == 1)
    result.location = locs.front();
  else if (!locs.empty() && llvm::all_of(locs, llvm::IsaPred<NameLoc>))
    result.location = FusedLoc::get(result.getContext(), locs);
}

namespace {
/// The parsed text, accessed by locations.
class ParsedText {
public:
  ParsedText(OpAsmParser &parser, SMLoc start)
      : first(dyn_cast<FileLineColLoc>(
            Location(parser.getEncodedSourceLoc(start)))),
        text(start.getPointer(),
             parser.getCurrentLocation().getPointer() - start.getPointer()) {
    for (auto [offset, c] : llvm::enumerate(text))
      if (c == '\n')
        lines.push_back(offset + 1);
  }

  /// Whether values have explicit locations, which point into another text.
  bool hasLocations() const { return text.contains(" loc("); }

  /// The name of the value at `loc`; "" if there is none.
  StringRef getName(Location loc) const {
    auto place = dyn_cast<FileLineColLoc>(loc);
    if (!first || !place || place.getFilename() != first.getFilename() ||
        place.getLine() < first.getLine())
      return "";
    // Columns count from 1; in the first line, from the start of the text.
    size_t line = place.getLine() - first.getLine();
    size_t before = line == 0 ? first.getColumn() : 1;
    if (line > lines.size() || place.getColumn() < before)
      return "";
    size_t start = line == 0 ? 0 : lines[line - 1];
    StringRef rest = text.substr(start + place.getColumn() - before);
    if (!rest.consume_front("%"))
      return "";
    return takeName(rest);
  }

private:
  FileLineColLoc first;
  StringRef text;
  /// Where the lines after the first one start.
  SmallVector<size_t> lines;
};
} // namespace

static void nameArguments(const ParsedText &text, Region &region) {
  for (Block &block : region) {
    for (BlockArgument argument : block.getArguments())
      if (StringRef name = text.getName(argument.getLoc()); !name.empty())
        argument.setLoc(getNamedLoc(name, argument.getLoc()));
    for (Operation &op : block) {
      for (Region &inner : op.getRegions())
        nameArguments(text, inner);
      // Its text has no place for the location of its variable.
      if (auto loop = dyn_cast<scf::ForOp>(op))
        if (auto name = dyn_cast<NameLoc>(loop.getInductionVar().getLoc()))
          op.setLoc(NameLoc::get(name.getName(), op.getLoc()));
    }
  }
}

void partita::nameFromText(OpAsmParser &parser, SMLoc start, Region &region) {
  ParsedText text(parser, start);
  if (!text.hasLocations())
    nameArguments(text, region);
}
