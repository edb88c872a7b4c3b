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
    equal = {CmpIPredicate::eq, CmpFPredicate::OEQ},
    notEqual = {CmpIPredicate::ne, CmpFPredicate::UNE},
    less = {CmpIPredicate::slt, CmpFPredicate::OLT},
    lessEqual = {CmpIPredicate::sle, CmpFPredicate::OLE},
    greater = {CmpIPredicate::sgt, CmpFPredicate::OGT},
    greaterEqual = {CmpIPredicate::sge, CmpFPredicate::OGE};

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

/// The first operator for which `matches` is true, or null.
template <typename Matches>
static const PrimOperator *find(Matches matches) {
  const PrimOperator *found = llvm::find_if(operators, matches);
  return found == std::end(operators) ? nullptr : found;
}

template <typename Matches>
static StringRef findKind(Matches matches) {
  const PrimOperator *found = find(matches);
  return found ? StringRef(found->kind) : StringRef();
}

const PrimOperator *partita::tvmjson::findPrimOperator(StringRef kind) {
  return find([&](const PrimOperator &each) { return each.kind == kind; });
}

StringRef partita::tvmjson::getArithOp(const PrimOperator &prim, Type element) {
  return element.isSignlessInteger(1)  ? prim.booleanOp
         : element.isSignlessInteger() ? prim.integerOp
         : isa<FloatType>(element)     ? prim.floatOp
                                       : StringLiteral("");
}

StringRef partita::tvmjson::getArithKind(StringRef op, bool isBoolean) {
  StringRef kind = isBoolean ? findKind([&](const PrimOperator &each) {
    return each.booleanOp == op;
  })
                             : "";
  return !kind.empty() ? kind : findKind([&](const PrimOperator &each) {
    return each.integerOp == op || each.floatOp == op;
  });
}

StringRef partita::tvmjson::getUnsignedKind(StringRef op) {
  return findKind(
      [&](const PrimOperator &each) { return each.unsignedOp == op; });
}

StringRef partita::tvmjson::getCmpKind(CmpIPredicate predicate) {
  return findKind([&](const PrimOperator &each) {
    return each.comparison && each.comparison->integers == predicate;
  });
}

StringRef partita::tvmjson::getCmpKind(CmpFPredicate predicate) {
  return findKind([&](const PrimOperator &each) {
    return each.comparison && each.comparison->floats == predicate;
  });
}
