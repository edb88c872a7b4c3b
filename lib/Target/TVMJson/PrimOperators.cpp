//===- PrimOperators.cpp - TVM's operators on numbers ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrimOperators.h"

using namespace mlir;
using namespace partita::tvmjson;

using arith::CmpFPredicate, arith::CmpIPredicate;

static constexpr PrimOperator::Comparison
    equal = {CmpIPredicate::eq, CmpIPredicate::eq, CmpFPredicate::OEQ},
    notEqual = {CmpIPredicate::ne, CmpIPredicate::ne, CmpFPredicate::UNE},
    less = {CmpIPredicate::slt, CmpIPredicate::ult, CmpFPredicate::OLT},
    lessEqual = {CmpIPredicate::sle, CmpIPredicate::ule, CmpFPredicate::OLE},
    greater = {CmpIPredicate::sgt, CmpIPredicate::ugt, CmpFPredicate::OGT},
    greaterEqual = {CmpIPredicate::sge, CmpIPredicate::uge, CmpFPredicate::OGE};

static constexpr PrimOperator operators[] = {
    {"Or", "||", 1, "", "", "arith.ori"},
    {"And", "&&", 2, "", "", "arith.andi"},
    {"EQ", "==", 3, "", "", "", "", equal},
    {"NE", "!=", 3, "", "", "", "", notEqual},
    {"LE", "<=", 3, "", "", "", "", lessEqual},
    {"GE", ">=", 3, "", "", "", "", greaterEqual},
    {"LT", "<", 3, "", "", "", "", less},
    {"GT", ">", 3, "", "", "", "", greater},
    {"Add", "+", 4, "arith.addi", "arith.addf"},
    {"Sub", "-", 4, "arith.subi", "arith.subf"},
    {"FloorDiv", "//", 5, "arith.floordivsi"},
    {"FloorMod", "%", 5},
    {"Mul", "*", 5, "arith.muli", "arith.mulf"},
    {"Max", "max", 0, "arith.maxsi", "", "", "arith.maxui"},
    {"Min", "min", 0, "arith.minsi", "", "", "arith.minui"},
    {"Div", "div", 0, "arith.divsi", "arith.divf", "", "arith.divui"},
    {"Mod", "mod", 0, "arith.remsi", "arith.remf", "", "arith.remui"},
    {"Not", "!"},
    {"Cast", "cast"},
    {"Select", "select"},
    {"BitwiseAnd", "", 0, "arith.andi"},
    {"BitwiseOr", "", 0, "arith.ori"},
    {"BitwiseXor", "", 0, "arith.xori"},
    {"LShift", "", 0, "arith.shli"},
    {"RShift", "", 0, "arith.shrsi", "", "", "arith.shrui"},
};

ArrayRef<PrimOperator> partita::tvmjson::getPrimOperators() {
  return operators;
}

const PrimOperator *partita::tvmjson::findPrimOperator(StringRef kind) {
  const PrimOperator *found = llvm::find_if(
      operators, [&](const PrimOperator &each) { return each.kind == kind; });
  return found == std::end(operators) ? nullptr : found;
}

StringRef PrimOperator::getArithOp(Type element) const {
  return element.isSignlessInteger(1)  ? booleanOp
         : element.isSignlessInteger() ? integerOp
         : isa<FloatType>(element)     ? floatOp
                                       : StringLiteral("");
}

StringRef partita::tvmjson::getPrimKind(Operation *op) {
  StringRef name = op->getName().getStringRef();
  auto integers = dyn_cast<arith::CmpIOp>(op);
  auto floats = dyn_cast<arith::CmpFOp>(op);
  bool isBoolean = op->getNumResults() == 1 &&
                   getElementTypeOrSelf(op->getResult(0)).isSignlessInteger(1);
  // On booleans, the rows with a booleanOp come first.
  for (const PrimOperator &each : operators)
    if (integers || floats
            ? each.comparison &&
                  (integers
                       ? each.comparison->integers == integers.getPredicate()
                       : each.comparison->floats == floats.getPredicate())
            : (isBoolean && each.booleanOp == name) || each.integerOp == name ||
                  each.floatOp == name)
      return each.kind;
  return "";
}

StringRef partita::tvmjson::getUnsignedPrimKind(Operation *op) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  for (const PrimOperator &each : operators)
    if (compare ? each.comparison && each.comparison->unsignedIntegers ==
                                         compare.getPredicate()
                : each.unsignedOp == op->getName().getStringRef())
      return each.kind;
  return "";
}
