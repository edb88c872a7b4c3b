//===- PrimFuncExpressions.cpp - Make code of expressions -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrimFuncTranslator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

static bool select(Machine &machine, const Instruction &it) {
  machine.slots[it.result] =
      machine.slots[machine.get<bool>(it.args[0]) ? it.args[1] : it.args[2]];
  return true;
}

/// Compares floats by the predicate `extra`.
static bool compareFloats(Machine &machine, const Instruction &it) {
  machine.slots[it.result].integer =
      arith::applyCmpPredicate(static_cast<arith::CmpFPredicate>(it.extra),
                               APFloat(machine.slots[it.args[0]].number),
                               APFloat(machine.slots[it.args[1]].number));
  return true;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

bool PrimFuncTranslator::getIndex(Value value, uint32_t &slot) {
  if (!isa<IntegerType, IndexType>(value.getType()) || !getSlot(value, slot))
    return false;
  if (getType(value) == index)
    return true;
  Action cast = getCast(value.getType(), index);
  if (!cast)
    return false;
  uint32_t from = slot;
  emit(cast, slot = addSlot(), {from});
  return true;
}

bool PrimFuncTranslator::getIndices(ValueRange values,
                                    SmallVectorImpl<uint32_t> &list) {
  return llvm::all_of(values, [&](Value value) {
    return getIndex(value, list.emplace_back());
  });
}

/// Sets values of a region to others, all at once.
bool PrimFuncTranslator::moveAll(ValueRange from, ValueRange to) {
  if (from.size() != to.size())
    return false;
  SmallVector<uint32_t> temporaries;
  for (Value value : from) {
    uint32_t slot = 0;
    if (!getSlot(value, slot))
      return false;
    temporaries.push_back(from.size() == 1 ? slot : addSlot());
    if (from.size() != 1)
      emit(copySlot, temporaries.back(), {slot});
  }
  for (auto [temporary, value] : llvm::zip_equal(temporaries, to)) {
    uint32_t slot = 0;
    emit(copySlot, getSlot(value, slot) ? slot : addSlot(value), {temporary});
  }
  return true;
}

bool PrimFuncTranslator::compute(StringRef kind, Type type,
                                 ArrayRef<uint32_t> args, uint32_t result) {
  Action action = getArithmetic(kind, type);
  if (!action || args.size() > 3)
    return false;
  std::array<uint32_t, 3> operands = {};
  llvm::copy(args, operands.begin());
  emit(action, result, operands);
  return true;
}

bool PrimFuncTranslator::compute(StringRef kind, Type type, Operation *op) {
  SmallVector<uint32_t> args;
  for (Value operand : op->getOperands())
    if (getType(operand) != getType(op->getOperand(0)) ||
        !getSlot(operand, args.emplace_back()))
      return false;
  return op->getNumResults() == 1 &&
         compute(kind, type, args, addSlot(op->getResult(0)));
}

bool PrimFuncTranslator::convert(Operation *op, Type from, Type to) {
  uint32_t slot = 0;
  Action cast = getCast(from, to);
  if (!cast || !getSlot(op->getOperand(0), slot))
    return false;
  emit(cast, addSlot(op->getResult(0)), {slot});
  return true;
}

bool PrimFuncTranslator::translateConstant(Operation *op, Attribute value) {
  Type type = getType(op->getResult(0));
  uint32_t slot = addSlot(op->getResult(0));
  // A constant of another type, such as a vector, may have no user.
  bool isKnown = dispatchElement(type, [&](auto *of) {
    using T = Pointee<decltype(of)>;
    if constexpr (std::is_integral_v<T>) {
      auto integer = dyn_cast<IntegerAttr>(value);
      if (!integer)
        return false;
      machine.set<T>(slot, static_cast<T>(integer.getValue().getZExtValue()));
    } else {
      auto number = dyn_cast<FloatAttr>(value);
      if (!number)
        return false;
      machine.set<T>(slot, T(number.getValueAsDouble()));
    }
    return true;
  });
  if (!isKnown)
    slots.erase(op->getResult(0));
  return true;
}

static Type getUnsigned(Type type) {
  return type.isInteger(1)
             ? type
             : IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth(),
                                IntegerType::Unsigned);
}

/// TVM's node for an op of arith, with "u" in front if it takes its operands,
/// and for a cast its result, for unsigned; a cast to unsigned has "U".
static StringRef getKind(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Cases({"arith.addf", "arith.addi"}, "Add")
      .Cases({"arith.subf", "arith.subi"}, "Sub")
      .Cases({"arith.mulf", "arith.muli"}, "Mul")
      .Cases({"arith.divf", "arith.divsi"}, "Div")
      .Case("arith.divui", "uDiv")
      .Cases({"arith.remf", "arith.remsi"}, "Mod")
      .Case("arith.remui", "uMod")
      .Case("arith.floordivsi", "FloorDiv")
      .Case("arith.maxsi", "Max")
      .Case("arith.maxui", "uMax")
      .Case("arith.minsi", "Min")
      .Case("arith.minui", "uMin")
      .Case("arith.andi", "BitwiseAnd")
      .Case("arith.ori", "BitwiseOr")
      .Case("arith.xori", "BitwiseXor")
      .Case("arith.shli", "LShift")
      .Case("arith.shrsi", "RShift")
      .Case("arith.shrui", "uRShift")
      .Case("arith.negf", "negf")
      .Case("arith.maximumf", "maximumf")
      .Case("arith.maxnumf", "maxnumf")
      .Case("arith.minimumf", "minimumf")
      .Case("arith.minnumf", "minnumf")
      .Default("");
}

bool PrimFuncTranslator::translateArith(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return false;
  Type from = getType(op->getOperand(0)), to = getType(op->getResult(0));
  if (!from.isIntOrFloat() || !to.isIntOrFloat())
    return false;
  if (isa<math::MathDialect>(op->getDialect()))
    return from == to &&
           compute(op->getName().getStringRef().split('.').second, from, op);
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    using Predicate = arith::CmpIPredicate;
    static constexpr StringRef kinds[] = {"EQ", "NE", "LT", "LE", "GT",
                                          "GE", "LT", "LE", "GT", "GE"};
    Predicate predicate = compare.getPredicate();
    // true is -1 as a signed number.
    bool isUnsigned = predicate >= Predicate::ult;
    if (from.isInteger(1) && !isUnsigned && predicate >= Predicate::slt)
      return false;
    return compute(kinds[static_cast<size_t>(predicate)],
                   isUnsigned ? getUnsigned(from) : from, op);
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    uint32_t lhs = 0, rhs = 0;
    if (!getSlot(compare.getLhs(), lhs) || !getSlot(compare.getRhs(), rhs))
      return false;
    StringRef kind = llvm::StringSwitch<StringRef>(
                         arith::stringifyCmpFPredicate(compare.getPredicate()))
                         .Case("oeq", "EQ")
                         .Case("une", "NE")
                         .Case("olt", "LT")
                         .Case("ole", "LE")
                         .Case("ogt", "GT")
                         .Case("oge", "GE")
                         .Default("");
    if (!kind.empty())
      return compute(kind, from, op);
    emit(compareFloats, addSlot(op->getResult(0)), {lhs, rhs},
         static_cast<int64_t>(compare.getPredicate()));
    return true;
  }
  if (isa<arith::SelectOp>(op)) {
    SmallVector<uint32_t> args(3);
    for (auto [operand, slot] : llvm::zip_equal(op->getOperands(), args))
      if (!getSlot(operand, slot))
        return false;
    emit(select, addSlot(op->getResult(0)), {args[0], args[1], args[2]});
    return true;
  }
  if (isa<arith::BitcastOp>(op)) {
    uint32_t slot = 0;
    Action action = getReinterpret(from, to);
    if (!action || !getSlot(op->getOperand(0), slot))
      return false;
    emit(action, addSlot(op->getResult(0)), {slot});
    return true;
  }
  // A boolean is 0 or 1 in TVM; a number that becomes one is compared with 0.
  if (isa<arith::ExtUIOp, arith::UIToFPOp, arith::IndexCastUIOp>(op))
    return !to.isInteger(1) && convert(op, getUnsigned(from), to);
  if (isa<arith::FPToUIOp>(op))
    return !to.isInteger(1) && convert(op, from, getUnsigned(to));
  if (isa<arith::ExtSIOp, arith::ExtFOp, arith::TruncIOp, arith::TruncFOp,
          arith::SIToFPOp, arith::FPToSIOp, arith::IndexCastOp>(op))
    return !from.isInteger(1) && !to.isInteger(1) && convert(op, from, to);
  StringRef kind = getKind(op);
  if (kind.empty())
    return false;
  return kind.consume_front("u") ? compute(kind, getUnsigned(from), op)
                                 : compute(kind, from, op);
}

bool PrimFuncTranslator::translatePrim(tir::PrimOp op) {
  StringRef kind = op.getKind();
  if (op.getArgs().empty())
    return false;
  Type from = getType(op.getArgs()[0]), to = getType(op.getResult());
  if (kind == "Cast")
    return convert(op, from, to);
  if (kind == "Select") {
    SmallVector<uint32_t> args(3);
    for (auto [operand, slot] : llvm::zip_equal(op.getArgs(), args))
      if (!getSlot(operand, slot))
        return false;
    if (!from.isInteger(1) || getType(op.getArgs()[1]) != to ||
        getType(op.getArgs()[2]) != to)
      return false;
    emit(select, addSlot(op.getResult()), {args[0], args[1], args[2]});
    return true;
  }
  bool isComparison = llvm::StringSwitch<bool>(kind)
                          .Cases({"EQ", "NE", "LT", "LE", "GT", "GE"}, true)
                          .Default(false);
  return (isComparison ? to.isInteger(1) : from == to) &&
         compute(kind, from, op);
}

bool PrimFuncTranslator::translateIntrin(tir::CallIntrinOp op) {
  StringRef name = op.getIntrinsic();
  // The value of such an op is an address. It is looked up where it is used.
  if (name == "tirx.buffer_data")
    return true;
  if (op.getNumResults() != 1 || op.getArgs().empty() || op.getNodeAttrs())
    return false;
  Type from = getType(op.getArgs()[0]), to = getType(op.getResult());
  uint32_t slot = 0;
  if (name == "prim.likely" || name == "tirx.likely") {
    if (op.getArgs().size() != 1 || from != to ||
        !getSlot(op.getArgs()[0], slot))
      return false;
    slots[op.getResult()] = slot;
    return true;
  }
  if (name == "tirx.reinterpret") {
    Action action = getReinterpret(from, to);
    if (!action || op.getArgs().size() != 1 || !getSlot(op.getArgs()[0], slot))
      return false;
    emit(action, addSlot(op.getResult()), {slot});
    return true;
  }
  struct Intrinsic {
    StringRef name, kind;
    unsigned numArgs;
  };
  static constexpr Intrinsic intrinsics[] = {
      {"prim.clz", "ctlz", 1},          {"tirx.exp10", "exp10", 1},
      {"tirx.fmod", "fmod", 2},         {"tirx.hypot", "hypot", 2},
      {"tirx.isfinite", "isfinite", 1}, {"tirx.isinf", "isinf", 1},
      {"tirx.isnan", "isnan", 1},       {"tirx.popcount", "ctpop", 1},
      {"tirx.round", "roundeven", 1},   {"tirx.sigmoid", "sigmoid", 1},
  };
  for (const Intrinsic &each : intrinsics) {
    if (each.name != name)
      continue;
    if (op.getArgs().size() != each.numArgs)
      return false;
    if (StringRef(each.kind).starts_with("is"))
      return to.isInteger(1) && isa<FloatType>(from) &&
             compute(each.kind, from, op);
    if (from == to)
      return compute(each.kind, from, op);
    // A number of bits is an int32 whatever the operand is.
    uint32_t count = addSlot();
    if (!isa<IntegerType>(from) || !isa<IntegerType>(to) ||
        !getSlot(op.getArgs()[0], slot) ||
        !compute(each.kind, from, {slot}, count))
      return false;
    Action cast = getCast(from, to);
    if (!cast)
      return false;
    emit(cast, addSlot(op.getResult()), {count});
    return true;
  }
  return false;
}
