//===- TIRBodyOps.cpp - Ops in the bodies of prim_funcs -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace partita::tir;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

ArrayRef<StringRef> partita::tir::getPrimFields(StringRef kind) {
  static constexpr StringRef unary[] = {"a"}, binary[] = {"a", "b"},
                             value[] = {"value"},
                             select[] = {"condition", "true_value",
                                         "false_value"},
                             ramp[] = {"base", "stride", "lanes"},
                             broadcast[] = {"value", "lanes"};
  return llvm::StringSwitch<ArrayRef<StringRef>>(kind)
      .Cases({"Add", "Sub", "Mul", "Div", "Mod", "FloorDiv", "FloorMod", "Min",
              "Max"},
             binary)
      .Cases({"EQ", "NE", "LT", "LE", "GT", "GE", "And", "Or"}, binary)
      .Cases({"BitwiseAnd", "BitwiseOr", "BitwiseXor", "LShift", "RShift"},
             binary)
      .Cases({"Not", "BitwiseNot"}, unary)
      .Case("Cast", value)
      .Case("Select", select)
      .Case("Ramp", ramp)
      .Case("Broadcast", broadcast)
      .Default({});
}

LogicalResult PrimOp::verify() {
  ArrayRef<StringRef> fields = getPrimFields(getKind());
  if (fields.empty())
    return emitOpError("expected the name of a TVM expression, such as "
                       "\"FloorMod\", found \"")
           << getKind() << "\"";
  if (fields.size() != getArgs().size())
    return emitOpError("expected ")
           << fields.size() << " operands of \"" << getKind() << "\", found "
           << getArgs().size();
  return success();
}

LogicalResult ScopeIdOp::verify() {
  for (auto [what, count] :
       {std::pair("names", getNames().size()),
        std::pair("extents", size_t(getExtents().size())),
        std::pair("preferred extents", size_t(getPreferred().size()))})
    if (count != getIds().size() && (count != 0 || what == StringRef("names")))
      return emitOpError("expected ")
             << getIds().size() << " " << what
             << ", one for each coordinate, found " << count;
  return success();
}

LogicalResult LetOp::verify() {
  Block &block = getBody().front();
  if (block.getNumArguments() != 1 ||
      block.getArgument(0).getType() != getValue().getType())
    return emitOpError("expected its region to take the value, of type ")
           << getValue().getType();
  // Traits look at the terminator later.
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getResults().getTypes() != (*this)->getResultTypes())
    return emitOpError("expected its region to yield a value of type ")
           << getResult().getType();
  return success();
}

LogicalResult ConstantOp::verify() {
  Type type = getResult().getType();
  if (isa<IntegerType>(type) && isa<IntegerAttr>(getValue()) &&
      getValue().getType() == type)
    return success();
  if (isa<FloatType>(type) && isa<FloatAttr>(getValue()) &&
      getValue().getType().isF64())
    return success();
  return emitOpError("expected an integer of type ")
         << type << ", or an f64 for a float, found " << getValue();
}

void CallIntrinOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (getIsPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbolTables) {
  if (symbolTables.lookupNearestSymbolFrom(*this, getCalleeAttr()))
    return success();
  return emitOpError("expected a function of name ")
         << getCalleeAttr() << ", found none";
}

/// Fails unless `count`, the number of `what`, is the rank of `type`.
static LogicalResult verifyRank(Operation *op, MemRefType type, size_t count,
                                StringRef what) {
  if (static_cast<int64_t>(count) == type.getRank())
    return success();
  return op->emitOpError("expected ")
         << type.getRank() << " " << what << ", one for each dimension of "
         << type << ", found " << count;
}

LogicalResult LoadOp::verify() {
  return verifyRank(*this, getBuffer().getType(), getIndices().size(),
                    "indices");
}

LogicalResult StoreOp::verify() {
  return verifyRank(*this, getBuffer().getType(), getIndices().size(),
                    "indices");
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

LogicalResult ForOp::verify() {
  if (!llvm::is_contained(
          {"serial", "parallel", "vectorized", "unrolled", "thread_binding"},
          getKind()))
    return emitOpError("expected a kind of loop (serial, parallel, vectorized, "
                       "unrolled, thread_binding), found \"")
           << getKind() << "\"";
  if (getKind() == "thread_binding" && !getThread())
    return emitOpError("expected the axis of threads as 'thread', found none");
  Block &block = getBody().front();
  if (block.getNumArguments() != 1 ||
      !block.getArgument(0).getType().isIntOrIndex())
    return emitOpError("expected its region to take one integer");
  return success();
}

LogicalResult AttrOp::verify() {
  unsigned numArguments = getBody().front().getNumArguments();
  if ((getOf() ? 1 : 0) + (getNode() ? 1 : 0) + numArguments > 1)
    return emitOpError("expected one object, as 'of', 'node' or the region's "
                       "argument, found several");
  if (numArguments == 1 && (!getThread() || !getIterType()))
    return emitOpError("expected 'thread' and 'iter_type' of the region's "
                       "argument");
  if (!getDomain().empty() && (getDomain().size() != 2 || numArguments == 0))
    return emitOpError("expected 'domain' to be the minimum and the extent of "
                       "the region's argument");
  return success();
}

AttrOp AttrNodeOp::getAttr() {
  int64_t outer = getOuter();
  for (auto op = (*this)->getParentOfType<AttrOp>(); op;
       op = op->getParentOfType<AttrOp>())
    if (!op.getOf() && !op.getNode() &&
        op.getBody().front().getNumArguments() == 0 && outer-- == 0)
      return op;
  return {};
}

LogicalResult AttrNodeOp::verify() {
  if (getAttr())
    return success();
  return emitOpError("expected to be in ")
         << getOuter() + 1 << " 'tir.attr' without an object, found fewer";
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The value of a constant, or kDynamic.
static int64_t getSize(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      !constant.isSignedIntN(64))
    return ShapedType::kDynamic;
  int64_t size = constant.getSExtValue();
  return size < 0 ? ShapedType::kDynamic : size;
}

MemRefType partita::tir::getBufferType(Type element, ArrayRef<int64_t> sizes,
                                       ArrayRef<int64_t> strides,
                                       int64_t offset, StringRef scope) {
  MLIRContext *context = element.getContext();
  SmallVector<int64_t> steps(strides);
  if (steps.empty() && offset != 0) {
    // Contiguous.
    int64_t step = 1;
    for (int64_t size : llvm::reverse(sizes)) {
      steps.push_back(step);
      std::optional<int64_t> next =
          ShapedType::isDynamic(step) || ShapedType::isDynamic(size)
              ? std::nullopt
              : llvm::checkedMul(step, size);
      step = next.value_or(ShapedType::kDynamic);
    }
    std::reverse(steps.begin(), steps.end());
  }
  MemRefLayoutAttrInterface layout;
  if (!strides.empty() || offset != 0)
    layout = StridedLayoutAttr::get(context, offset, steps);
  Attribute space;
  if (scope != "global")
    space = StringAttr::get(context, scope);
  return MemRefType::get(sizes, element, layout, space);
}

/// Verifies an op such as tir.buffer, whose buffer has type `type`.
template <typename OpT>
static LogicalResult verifyBuffer(OpT op, MemRefType type) {
  if (!op.getShape().empty() &&
      failed(verifyRank(op, type, op.getShape().size(), "sizes")))
    return failure();
  if (!op.getStrides().empty() &&
      failed(verifyRank(op, type, op.getStrides().size(), "strides")))
    return failure();
  for (auto [size, known] : llvm::zip(op.getShape(), type.getShape()))
    if (int64_t given = getSize(size); ShapedType::isStatic(given) &&
                                       ShapedType::isStatic(known) &&
                                       given != known)
      return op.emitOpError("expected a buffer of size ")
             << given << ", as in 'shape', found " << type;
  return success();
}

LogicalResult BufferDeclOp::verify() {
  return verifyBuffer(*this, getBuffer().getType());
}

LogicalResult AllocBufferOp::verify() {
  return verifyBuffer(*this, getResult().getType());
}

LogicalResult DeclBufferOp::verify() {
  return verifyBuffer(*this, getResult().getType());
}

LogicalResult BlockBufferOp::verify() {
  return verifyBuffer(*this, getResult().getType());
}

LogicalResult MatchBufferOp::verify() {
  if (failed(verifyRank(*this, getSource().getType(), getMins().size(),
                        "minima")) ||
      failed(verifyRank(*this, getSource().getType(), getExtents().size(),
                        "extents")))
    return failure();
  return verifyBuffer(*this, getResult().getType());
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

ArrayRef<StringRef> BlockOp::getIteratorKinds() {
  static constexpr StringRef kinds[] = {"spatial",   "thread",   "reduce",
                                        "scan",      "opaque",   "unroll",
                                        "vectorize", "parallel", "tensorize"};
  return kinds;
}

LogicalResult BlockOp::verify() {
  Block &block = getBody().front();
  size_t count = block.getNumArguments();
  if (getKinds().size() != count || getBindings().size() != count ||
      getMins().size() != count || getExtents().size() != count)
    return emitOpError(
               "expected a kind, a binding, a minimum and an extent for "
               "each of the region's ")
           << count << " arguments";
  for (auto kind : getKinds().getAsRange<StringAttr>())
    if (!llvm::is_contained(getIteratorKinds(), kind.getValue()))
      return emitOpError("expected a kind of iterator (")
             << llvm::join(getIteratorKinds(), ", ") << "), found " << kind;
  for (Type type : block.getArgumentTypes())
    if (!type.isIntOrIndex())
      return emitOpError(
                 "expected iterators that are integers, found the type ")
             << type;
  if (llvm::range_size(block.getOps<InitOp>()) > 1)
    return emitOpError("expected at most one 'tir.init', found several");
  return success();
}

template <typename OpT>
static LogicalResult verifyAccess(OpT op) {
  MemRefType type = op.getBuffer().getType();
  return success(
      succeeded(verifyRank(op, type, op.getMins().size(), "minima")) &&
      succeeded(verifyRank(op, type, op.getExtents().size(), "extents")));
}

LogicalResult ReadsOp::verify() { return verifyAccess(*this); }

LogicalResult WritesOp::verify() { return verifyAccess(*this); }
