//===- StorageVectors.cpp - Memory with vectors as elements ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"
#include "StoragePlan.h"
#include "Utils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace partita;
using namespace partita::tir;

namespace {
/// The buffers in one allocation, and the accesses of it.
class ElementVectors {
public:
  bool match(AllocBufferOp buffer);
  void apply();

private:
  bool addUse(OpOperand &use);
  bool addAccess(Operation *op, Type vector);
  template <typename BufferTy>
  bool addBuffer(BufferTy buffer);
  template <typename BufferTy>
  void widen(BufferTy buffer);

  Type element;
  /// 0 before the first access.
  int64_t lanes = 0;
  SmallVector<Value> buffers;
  SmallVector<Operation *> accesses;
  SmallVector<CallIntrinOp> addresses;
};
} // namespace

/// The ramp in steps of one that is the last index of an access.
static PrimOp getRamp(Operation *access) {
  auto prim = access->getOperands().back().getDefiningOp<PrimOp>();
  return prim && prim.getKind() == "Ramp" && getConstant(prim.getArgs()[1]) == 1
             ? prim
             : PrimOp();
}

/// Adds a load or a store of `type`; fails unless the type is a vector, and the
/// index a ramp.
bool ElementVectors::addAccess(Operation *op, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  PrimOp ramp = getRamp(op);
  if (!vector || vector.isScalable() || vector.getRank() != 1 ||
      vector.getElementType() != element || !ramp ||
      getConstant(ramp.getArgs()[2]) != vector.getNumElements())
    return false;
  // All accesses have as many lanes.
  int64_t earlier = std::exchange(lanes, vector.getNumElements());
  if (earlier != 0 && earlier != lanes)
    return false;
  accesses.push_back(op);
  return true;
}

/// Adds a buffer whose elements are in order, and all that uses it.
template <typename BufferTy>
bool ElementVectors::addBuffer(BufferTy buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || type.getElementType() != element || type.getRank() == 0 ||
      !type.getLayout().isIdentity() || !buffer.getStrides().empty() ||
      (buffer.getElemOffset() && getConstant(buffer.getElemOffset()) != 0))
    return false;
  buffers.push_back(buffer.getResult());
  for (OpOperand &use : buffer->getUses())
    if (!addUse(use))
      return false;
  return true;
}

bool ElementVectors::addUse(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto load = dyn_cast<LoadOp>(user))
    return addAccess(user, load.getResult().getType());
  if (auto store = dyn_cast<StoreOp>(user))
    return use.getOperandNumber() == 1 &&
           addAccess(user, store.getValue().getType());
  if (isa<AttrOp, AttrNodeOp>(user))
    return true;
  if (!isDataCall(user))
    return false;
  addresses.push_back(cast<CallIntrinOp>(user));
  return llvm::all_of(user->getUses(), [&](OpOperand &other) {
    if (auto view = dyn_cast<DeclBufferOp>(other.getOwner()))
      return addBuffer(view);
    auto caller = dyn_cast<CallIntrinOp>(other.getOwner());
    return caller && caller.getIntrinsic() != "tirx.tvm_access_ptr";
  });
}

bool ElementVectors::match(AllocBufferOp buffer) {
  element = cast<MemRefType>(buffer.getType()).getElementType();
  // A bool in a vector is not a byte.
  if (!element.isIntOrFloat() || element.isInteger(1) || !addBuffer(buffer) ||
      lanes < 2)
    return false;
  for (Value each : buffers) {
    auto type = cast<MemRefType>(each.getType());
    int64_t size = type.getShape().back();
    if (!ShapedType::isDynamic(size)) {
      if (size % lanes != 0)
        return false;
      continue;
    }
    IntegerFacts facts(each.getDefiningOp());
    ValueRange shape = isa<AllocBufferOp>(each.getDefiningOp())
                           ? each.getDefiningOp<AllocBufferOp>().getShape()
                           : each.getDefiningOp<DeclBufferOp>().getShape();
    if (shape.empty() || !facts.getExpr(shape.back()).isMultipleOf(lanes))
      return false;
  }
  return llvm::all_of(accesses, [&](Operation *access) {
    IntegerFacts facts(access);
    return facts.getExpr(getRamp(access).getArgs()[0]).isMultipleOf(lanes);
  });
}

/// `number / lanes`, where nothing remains.
static Value divide(OpBuilder &builder, Location loc, Value number,
                    int64_t lanes) {
  IndexBuilder indices(builder, loc);
  return builder.createOrFold<arith::DivSIOp>(
      loc, number, indices.cast(indices.createNumber(lanes), number.getType()));
}

template <typename BufferTy>
void ElementVectors::widen(BufferTy buffer) {
  OpBuilder builder(buffer);
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> sizes(type.getShape());
  if (!ShapedType::isDynamic(sizes.back()))
    sizes.back() /= lanes;
  if (!buffer.getShape().empty()) {
    SmallVector<Value> shape(buffer.getShape());
    shape.back() = divide(builder, buffer.getLoc(), shape.back(), lanes);
    buffer.getShapeMutable().assign(shape);
  }
  buffer.removeLayoutAttr();
  buffer.getResult().setType(
      MemRefType::get(sizes, VectorType::get(lanes, element),
                      MemRefLayoutAttrInterface(), type.getMemorySpace()));
}

void ElementVectors::apply() {
  for (Value buffer : buffers)
    if (auto alloc = buffer.getDefiningOp<AllocBufferOp>())
      widen(alloc);
    else
      widen(buffer.getDefiningOp<DeclBufferOp>());
  for (CallIntrinOp call : addresses)
    if (auto type = dyn_cast<PtrType>(call.getResult().getType()))
      call.getResult().setType(PtrType::get(type.getContext(), type.getScope(),
                                            VectorType::get(lanes, element)));
  for (Operation *access : accesses) {
    OpBuilder builder(access);
    IndexBuilder indices(builder, access->getLoc());
    Value base = getRamp(access).getArgs()[0],
          index = divide(builder, access->getLoc(), base, lanes);
    access->setOperand(access->getNumOperands() - 1, index);
    SmallVector<Value> places;
    unsigned number = isa<StoreOp>(access) ? 2 : 1;
    for (Value place : access->getOperands().drop_front(number))
      places.push_back(indices.cast(place, builder.getIndexType()));
    Value buffer = access->getOperand(number - 1);
    if (isa<StoreOp>(access))
      memref::StoreOp::create(builder, access->getLoc(), access->getOperand(0),
                              buffer, places);
    else
      access->getResult(0).replaceAllUsesWith(
          memref::LoadOp::create(builder, access->getLoc(), buffer, places));
    access->erase();
  }
}

bool tir::vectorizeElements(AllocBufferOp buffer) {
  ElementVectors vectors;
  if (!vectors.match(buffer))
    return false;
  vectors.apply();
  return true;
}
