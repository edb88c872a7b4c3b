//===- RelaxNames.cpp - Names of values in text ---------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TVM's variables have names. Here they are the locations of values: shown as
// the names of SSA values, and taken from them.
//
//===----------------------------------------------------------------------===//

#include "RelaxDetail.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partita::relax;

/// Whether the printer makes such names up, for values that have none.
static bool isMadeUp(StringRef name) {
  if (name.consume_front("cst"))
    return name.empty() || (name.consume_front("_") && !name.empty() &&
                            llvm::all_of(name, llvm::isDigit));
  name.consume_front("arg");
  return llvm::all_of(name, llvm::isDigit);
}

Location partita::relax::getNamedLoc(StringRef name, Location loc) {
  name.consume_front("%");
  if (isMadeUp(name))
    return loc;
  return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
}

void partita::relax::nameFromText(
    OpAsmParser &parser, MutableArrayRef<OpAsmParser::Argument> arguments) {
  for (OpAsmParser::Argument &argument : arguments)
    if (!argument.sourceLoc)
      argument.sourceLoc =
          getNamedLoc(argument.ssaName.name,
                      parser.getEncodedSourceLoc(argument.ssaName.location));
}

void partita::relax::nameFromText(OpAsmParser &parser, OperationState &result) {
  SmallVector<Location> locs;
  for (size_t i = 0, e = parser.getNumResults(); i < e; ++i)
    if (auto [name, index] = parser.getResultName(i); index == 0)
      locs.push_back(getNamedLoc(name, result.location));
  if (locs.size() == 1)
    result.location = locs.front();
  else if (!locs.empty() && llvm::all_of(locs, llvm::IsaPred<NameLoc>))
    result.location = FusedLoc::get(result.getContext(), locs);
}

namespace {
// NOLINTBEGIN(bugprone-derived-method-shadowing-base-method): so they are
// found.
/// The names of an op's results and of its regions' arguments.
struct NamesOfLocations
    : OpAsmOpInterface::ExternalModel<NamesOfLocations, FuncOp> {
  void getAsmResultNames(Operation *op, OpAsmSetValueNameFn setName) const {
    if (op->getNumResults() == 0)
      return;
    auto fused = dyn_cast<FusedLoc>(op->getLoc());
    if (!fused || fused.getLocations().size() != op->getNumResults())
      return setNameOf(op->getResult(0), op->getLoc(), setName);
    for (auto [result, loc] :
         llvm::zip_equal(op->getResults(), fused.getLocations()))
      setNameOf(result, loc, setName);
  }

  void getAsmBlockArgumentNames(Operation *, Region &region,
                                OpAsmSetValueNameFn setName) const {
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        setNameOf(argument, argument.getLoc(), setName);
  }

private:
  static void setNameOf(Value value, Location loc,
                        OpAsmSetValueNameFn &setName) {
    if (auto name = dyn_cast<NameLoc>(loc))
      setName(value, name.getName());
  }
};
// NOLINTEND(bugprone-derived-method-shadowing-base-method)
} // namespace

void *RelaxDialect::getRegisteredInterfaceForOp(TypeID interfaceID,
                                                OperationName) {
  static NamesOfLocations names;
  return interfaceID == OpAsmOpInterface::getInterfaceID() ? &names : nullptr;
}
