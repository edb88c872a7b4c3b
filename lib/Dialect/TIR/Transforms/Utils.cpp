//===- Utils.cpp - What several passes on prim_funcs need -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partita;
using namespace partita::tir;

Value IndexBuilder::cast(Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (from.isIndex() || type.isIndex())
    return builder.createOrFold<arith::IndexCastOp>(loc, type, value);
  return from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth()
             ? builder.createOrFold<arith::ExtSIOp>(loc, type, value)
             : builder.createOrFold<arith::TruncIOp>(loc, type, value);
}

Type tir::getWider(Type a, Type b) {
  auto getWidth = [](Type type) {
    return type.isIndex() ? 65 : type.getIntOrFloatBitWidth();
  };
  return getWidth(a) < getWidth(b) ? b : a;
}

Value IndexBuilder::add(Value a, Value b) {
  Type type = getWider(a.getType(), b.getType());
  return builder.createOrFold<arith::AddIOp>(loc, cast(a, type), cast(b, type),
                                             arith::IntegerOverflowFlags::nsw);
}

Value IndexBuilder::multiply(Value a, Value b) {
  Type type = getWider(a.getType(), b.getType());
  return builder.createOrFold<arith::MulIOp>(loc, cast(a, type), cast(b, type),
                                             arith::IntegerOverflowFlags::nsw);
}

Value IndexBuilder::createNumber(int64_t number, Type type) {
  auto integer = dyn_cast_if_present<IntegerType>(type);
  if (!integer || !llvm::isIntN(integer.getWidth(), number))
    type =
        llvm::isInt<32>(number) ? builder.getI32Type() : builder.getI64Type();
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type, number));
}

Value IndexBuilder::offset(Value index, Value min) {
  if (matchPattern(min, m_Zero()))
    return index;
  auto vector = dyn_cast<VectorType>(index.getType());
  if (!vector) {
    // TVM's indices are integers, cast to index here.
    if (auto indexCast = index.getDefiningOp<arith::IndexCastOp>())
      return cast(add(min, indexCast.getIn()), index.getType());
    return add(min, index);
  }
  auto prim = index.getDefiningOp<PrimOp>();
  if (prim && (prim.getKind() == "Ramp" || prim.getKind() == "Broadcast") &&
      prim.getArgs()[0].getType() == vector.getElementType()) {
    SmallVector<Value> args(prim.getArgs());
    args[0] = cast(add(min, args[0]), vector.getElementType());
    return PrimOp::create(builder, loc, vector, prim.getKind(), args);
  }
  Value mins =
      PrimOp::create(builder, loc, vector, "Broadcast",
                     ValueRange{cast(min, vector.getElementType()),
                                createNumber(vector.getNumElements())});
  return arith::AddIOp::create(builder, loc, mins, index);
}

/// Whether upstream can compute the strides of `type`: the product of its sizes
/// has 64 bits.
static bool hasKnownStrides(MemRefType type) {
  int64_t product = 1;
  return !type.getLayout().isIdentity() ||
         llvm::none_of(type.getShape(), [&](int64_t size) {
           return ShapedType::isStatic(size) && size != 0 &&
                  llvm::MulOverflow(product, size, product);
         });
}

std::optional<BufferPlace> IndexBuilder::getPlace(Value buffer) {
  auto type = llvm::cast<MemRefType>(buffer.getType());
  if (!hasKnownStrides(type))
    return std::nullopt;
  BufferPlace place;
  Type indexType;
  auto readBuffer = [&](auto op) {
    indexType = op.getIndexType().value_or(Type());
    llvm::append_range(place.shape, op.getShape());
    llvm::append_range(place.strides, op.getStrides());
    place.offset = op.getElemOffset();
  };
  Operation *source = buffer.getDefiningOp();
  if (!source)
    for (Operation *user : buffer.getUsers())
      if (isa<BufferDeclOp>(user))
        source = user;
  if (source)
    llvm::TypeSwitch<Operation *>(source)
        .Case<AllocBufferOp, BlockBufferOp, BufferDeclOp, DeclBufferOp,
              MatchBufferOp>(readBuffer)
        .Default([](Operation *) {});
  SmallVector<int64_t> numbers;
  int64_t start = 0;
  bool isStrided = succeeded(type.getStridesAndOffset(numbers, start));
  if (!place.offset && isStrided && ShapedType::isStatic(start))
    place.offset = createNumber(start, indexType);
  if (!place.offset)
    return std::nullopt;
  if (!place.strides.empty())
    return place;
  if (isStrided && llvm::all_of(numbers, ShapedType::isStatic)) {
    for (int64_t number : numbers)
      place.strides.push_back(createNumber(number, indexType));
    return place;
  }
  // Compact, in row-major order.
  for (int64_t i = 0; i != type.getRank(); ++i) {
    Value stride;
    for (int64_t j = i + 1; j != type.getRank(); ++j) {
      if (type.isDynamicDim(j) && place.shape.empty())
        return std::nullopt;
      Value size = place.shape.empty()
                       ? createNumber(type.getDimSize(j), indexType)
                       : place.shape[j];
      stride = stride ? multiply(stride, size) : size;
    }
    place.strides.push_back(stride ? stride : createNumber(1, indexType));
  }
  return place;
}

void tir::inlineBefore(Block &block, Operation *op) {
  block.getTerminator()->erase();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         block.getOperations());
}

std::optional<int64_t> tir::getConstant(Value value) {
  APInt constant;
  if (auto op = value.getDefiningOp<tir::ConstantOp>()) {
    auto number = dyn_cast<IntegerAttr>(op.getValue());
    if (!number || !number.getValue().isIntN(63))
      return std::nullopt;
    return number.getValue().getZExtValue();
  }
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      !constant.isSignedIntN(64))
    return std::nullopt;
  return constant.getSExtValue();
}

void tir::eraseAttrNodes(Value value) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers()))
    if (isa<AttrNodeOp>(user))
      user->erase();
}

StringRef tir::getLoopKind(Operation *op) {
  if (auto loop = dyn_cast<tir::ForOp>(op))
    return loop.getKind();
  if (!isa<scf::ForOp>(op))
    return "";
  auto kind = op->getAttrOfType<StringAttr>(loopKindName);
  return kind ? kind.getValue() : "serial";
}

StringRef tir::getStorageScope(MemRefType type) {
  auto scope = dyn_cast_or_null<StringAttr>(type.getMemorySpace());
  return scope ? scope.getValue() : "global";
}

bool tir::isDataCall(Operation *op) {
  auto call = dyn_cast<CallIntrinOp>(op);
  return call && call.getIntrinsic() == "tirx.buffer_data";
}

Value tir::createDataCall(OpBuilder &builder, Value buffer, Type pointer) {
  return CallIntrinOp::create(builder, buffer.getLoc(), pointer,
                              /*is_pure=*/true, "tirx.buffer_data", buffer,
                              NodeAttr())
      .getResult();
}

static constexpr StringLiteral annotationsName = "tir.annotations";

DictionaryAttr tir::getLoopAnnotations(Operation *loop) {
  if (auto op = dyn_cast<tir::ForOp>(loop))
    return op.getAnnotationsAttr();
  return loop->getAttrOfType<DictionaryAttr>(annotationsName);
}

void tir::setLoopAnnotations(Operation *loop, DictionaryAttr annotations) {
  if (auto op = dyn_cast<tir::ForOp>(loop))
    op.setAnnotationsAttr(annotations);
  else if (annotations)
    loop->setAttr(annotationsName, annotations);
  else
    loop->removeAttr(annotationsName);
}

void tir::dissolve(AttrOp op) {
  if (!op.getOf() && !op.getNode())
    // A tir.attr_node counts the tir.attr ops out to its own; `op` goes.
    op.walk([&](AttrNodeOp node) {
      AttrOp attr = node.getAttr();
      if (attr == op)
        node.erase();
      else if (attr->isProperAncestor(op))
        node.setOuter(node.getOuter() - 1);
    });
  inlineBefore(op.getBody().front(), op);
  op.erase();
}

bool tir::isExpression(Operation *op) {
  return op->getNumResults() != 0 &&
         !isa<AllocBufferOp, BindOp, BlockBufferOp, DeclBufferOp,
              MatchBufferOp>(op) &&
         wouldOpBeTriviallyDead(op);
}

void tir::eraseUnused(ValueRange values,
                      function_ref<bool(Operation *)> mayErase) {
  SetVector<Operation *> worklist;
  auto insert = [&](ValueRange operands) {
    for (Value operand : operands)
      if (Operation *def = operand.getDefiningOp())
        worklist.insert(def);
  };
  insert(values);
  while (!worklist.empty()) {
    Operation *def = worklist.pop_back_val();
    if (!def->use_empty() || !mayErase(def))
      continue;
    insert(def->getOperands());
    def->erase();
  }
}

void tir::eraseWithOperands(Operation *op) {
  SmallVector<Value> operands = llvm::to_vector(op->getOperands());
  op->erase();
  eraseUnused(operands);
}
