//===- StorageRewrite.cpp - Let allocations share memory ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoragePlan.h"
#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace partita::tir {
#define GEN_PASS_DEF_STORAGEREWRITE
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

namespace {
struct StorageRewrite : tir::impl::StorageRewriteBase<StorageRewrite> {
  void runOnOperation() override;
};

/// Changes the allocations of a function as planned.
class StorageRewriter {
public:
  explicit StorageRewriter(PrimFuncOp func) : func(func) {}

  void allocate(Storage &storage);
  void replace(Allocation &allocation);

private:
  OpBuilder getBuilder(Operation *attach);
  void hoist(Operation *op, Operation *attach);
  void hoistOperands(Operation *op, Operation *attach);
  AllocBufferOp createJoined(Storage &storage);
  void replaceAddresses(Allocation &allocation, AllocBufferOp result);

  PrimFuncOp func;
  /// The last op that is at the beginning of the body of an op.
  llvm::DenseMap<Operation *, Operation *> lastOf;
  llvm::DenseSet<Operation *> isAtBegin;
};
} // namespace

Value tir::getAddressedBuffer(Value value) {
  if (isa<MemRefType>(value.getType()))
    return value;
  Operation *def = value.getDefiningOp();
  return def && isDataCall(def) && def->getNumOperands() == 1
             ? def->getOperand(0)
             : Value();
}

static int64_t getLanes(const Allocation &allocation) {
  auto vector = dyn_cast<VectorType>(allocation.type.getElementType());
  return vector ? vector.getNumElements() : 1;
}

bool tir::isElementAddress(Value value) {
  while (auto bind = value.getDefiningOp<BindOp>())
    value = bind.getValue();
  return value.getDefiningOp<CallIntrinOp>() && !getAddressedBuffer(value);
}

/// A builder behind the ops at the beginning of the body of `attach`.
OpBuilder StorageRewriter::getBuilder(Operation *attach) {
  Block &block = attach ? attach->getRegion(0).front() : func.getBody().front();
  auto [it, isNew] = lastOf.try_emplace(attach);
  if (isNew)
    for (Operation &op : block) {
      if (!isa<VarOp, BufferDeclOp, AttrNodeOp>(op) &&
          !op.hasTrait<OpTrait::ConstantLike>())
        break;
      it->second = &op;
      isAtBegin.insert(&op);
    }
  OpBuilder builder(func.getContext());
  if (it->second)
    builder.setInsertionPointAfter(it->second);
  else
    builder.setInsertionPointToStart(&block);
  return builder;
}

/// Moves `op` to the beginning of the body of `attach`.
void StorageRewriter::hoist(Operation *op, Operation *attach) {
  hoistOperands(op, attach);
  OpBuilder builder = getBuilder(attach);
  op->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
  lastOf[attach] = op;
  isAtBegin.insert(op);
}

void StorageRewriter::hoistOperands(Operation *op, Operation *attach) {
  // The first time, this finds the ops at the beginning.
  getBuilder(attach);
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (def && !isAtBegin.contains(def) &&
        (!attach || attach->isAncestor(def->getParentOp())))
      hoist(def, attach);
  }
}

/// Creates the size of an allocation as a number of elements of `bits`.
static Value createPartSize(OpBuilder &builder, Allocation &part,
                            int64_t bits) {
  Location loc = part.op.getLoc();
  IndexBuilder indices(builder, loc);
  Value size;
  if (part.op.getShape().empty()) {
    int64_t number = part.type.getDimSize(0);
    Type type = builder.getIntegerType(llvm::isInt<32>(number) ? 32 : 64);
    size = arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, number));
  } else {
    size = part.op.getShape()[0];
  }
  int64_t common = std::gcd(bits, part.elementBits);
  if (part.elementBits != common)
    size =
        indices.multiply(size, indices.createNumber(part.elementBits / common));
  if (bits == common)
    return size;
  // Rounded up.
  Value divisor =
      indices.cast(indices.createNumber(bits / common), size.getType());
  size = indices.add(size, indices.createNumber(bits / common - 1));
  return builder.createOrFold<arith::FloorDivSIOp>(loc, size, divisor);
}

/// Creates the number of elements of `bits` that the allocations need.
static Value createSize(OpBuilder &builder, Storage &storage, int64_t bits) {
  Value most;
  llvm::SmallDenseSet<Value> seen;
  for (Allocation *part : storage.allocations) {
    Location loc = part->op.getLoc();
    Value size = createPartSize(builder, *part, bits);
    if (!seen.insert(size).second)
      continue;
    if (!most || isSameExpr(most, size)) {
      most = size;
      continue;
    }
    IndexBuilder indices(builder, loc);
    Type type = getWider(most.getType(), size.getType());
    most = builder.createOrFold<arith::MaxSIOp>(loc, indices.cast(most, type),
                                                indices.cast(size, type));
  }
  return most;
}

/// Whether `allocation` needs or computes numbers of elements in 64 bits.
static bool needsWideSize(Allocation &allocation) {
  if (Type type = allocation.op.getIndexType().value_or(Type());
      type && !type.isInteger(32))
    return true;
  int64_t number = allocation.type.getDimSize(0);
  return !ShapedType::isDynamic(number) &&
         number > INT32_MAX / allocation.elementBits;
}

/// Creates an allocation that is large enough for all that share it.
AllocBufferOp StorageRewriter::createJoined(Storage &storage) {
  Allocation &first = *storage.allocations.front();
  Type element = storage.element;
  if (!storage.hasParts) {
    const Allocation *widest = &first;
    for (Allocation *part : storage.allocations)
      if (getLanes(*part) > getLanes(*widest))
        widest = part;
    element = widest->type.getElementType();
  }
  for (Allocation *part : storage.allocations)
    hoistOperands(part->op, storage.attach);
  OpBuilder builder = getBuilder(storage.attach);
  int64_t bits = getElementBits(element), number = ShapedType::kDynamic;
  Value size;
  Type indexType;
  if (storage.bits != 0) {
    number = llvm::divideCeil(
        storage.hasParts ? storage.totalBits : storage.bits, bits);
    if (llvm::any_of(storage.allocations,
                     [](Allocation *part) { return needsWideSize(*part); }))
      indexType = builder.getI64Type();
  } else {
    size = createSize(builder, storage, bits);
    if (!size.getType().isInteger(32))
      indexType = builder.getI64Type();
  }
  auto type = MemRefType::get({number}, element, MemRefLayoutAttrInterface(),
                              first.type.getMemorySpace());
  auto result = AllocBufferOp::create(
      builder, first.op.getLoc(), type, DictionaryAttr(),
      size ? ValueRange(size) : ValueRange(), ValueRange(), Value(),
      ValueRange(), indexType ? TypeAttr::get(indexType) : TypeAttr(), 64, 1,
      /*layout=*/Attribute());
  result->setDiscardableAttrs(first.op->getDiscardableAttrDictionary());
  lastOf[storage.attach] = result;
  isAtBegin.insert(result);
  return result;
}

/// Whether all allocations in `storage` could be the first one.
static bool isUniform(Storage &storage) {
  AllocBufferOp first = storage.allocations.front()->op;
  return !storage.hasParts &&
         llvm::all_of(storage.allocations, [&](Allocation *part) {
           return part->type == first.getType() &&
                  part->op.getShape().size() == first.getShape().size() &&
                  llvm::all_of(
                      llvm::zip_equal(part->op.getShape(), first.getShape()),
                      [](auto sizes) {
                        auto [size, other] = sizes;
                        return isSameExpr(size, other);
                      });
         });
}

/// Puts an allocation of `storage` to where its memory can be.
void StorageRewriter::allocate(Storage &storage) {
  if (isUniform(storage)) {
    storage.result = storage.allocations.front()->op;
    hoist(storage.result, storage.attach);
  } else {
    storage.result = createJoined(storage);
  }
  storage.result.removeAnnotationsAttr();
  for (Allocation *part : storage.allocations)
    storage.result.setDataAlignment(std::max(storage.result.getDataAlignment(),
                                             part->op.getDataAlignment()));
}

static void setVolatile(AllocBufferOp op) {
  Builder builder(op->getContext());
  op.setAnnotationsAttr(builder.getDictionaryAttr(
      builder.getNamedAttr(volatileName, builder.getBoolAttr(true))));
}

/// Lets `use` be of memory that begins `bits` earlier.
static void shiftUse(OpOperand &use, int64_t bits) {
  Operation *op = use.getOwner();
  auto call = dyn_cast<CallIntrinOp>(op);
  Type element = call ? call.getArgs()[0].getType()
                      : cast<MemRefType>(use.get().getType()).getElementType();
  OpOperand &operand = op->getOpOperand(call ? 2 : op->getNumOperands() - 1);
  OpBuilder builder(op);
  IndexBuilder indices(builder, op->getLoc());
  Value offset = indices.createNumber(bits / getElementBits(element)),
        index = operand.get();
  auto vector = dyn_cast<VectorType>(index.getType());
  auto indexCast = index.getDefiningOp<arith::IndexCastOp>();
  if (vector) {
    Value lanes = indices.createNumber(vector.getNumElements());
    offset = indices.cast(offset, vector.getElementType());
    Value offsets = PrimOp::create(builder, op->getLoc(), vector, "Broadcast",
                                   ValueRange{offset, lanes});
    operand.set(arith::AddIOp::create(builder, op->getLoc(), offsets, index,
                                      arith::IntegerOverflowFlags::nsw));
    return;
  }
  // TVM's indices are integers, cast to index here.
  Value number = indexCast ? indexCast.getIn() : index, sum;
  if (getConstant(number))
    sum = indices.add(offset, number);
  else
    // In TVM's order: folding would exchange the operands.
    sum = arith::AddIOp::create(builder, op->getLoc(),
                                indices.cast(offset, number.getType()), number,
                                arith::IntegerOverflowFlags::nsw);
  operand.set(indices.cast(sum, index.getType()));
}

/// Lets views and addresses be of the memory that `allocation` has now.
void StorageRewriter::replaceAddresses(Allocation &allocation,
                                       AllocBufferOp result) {
  auto type = cast<MemRefType>(result.getType());
  Type pointer =
      PtrType::get(func.getContext(), allocation.scope, type.getElementType());
  for (auto [number, use] : allocation.accesses) {
    auto call = dyn_cast<CallIntrinOp>(use->getOwner());
    if (call && call.getIntrinsic() == "tirx.tvm_access_ptr" &&
        use->getOperandNumber() == 1 && getAddressedBuffer(use->get()))
      use->set(result.getResult());
  }
  for (DeclBufferOp view : allocation.views) {
    Value data = view.getData();
    if (!getAddressedBuffer(data) || data.getType() == pointer)
      continue;
    OpBuilder builder(view);
    view.getDataMutable().assign(createDataCall(builder, result, pointer));
  }
  for (CallIntrinOp call : allocation.addresses)
    if (call->use_empty())
      call.erase();
    else
      call->setOperand(0, result.getResult());
}

/// Lets the uses of `allocation` be of the memory of its storage.
void StorageRewriter::replace(Allocation &allocation) {
  Storage &storage = *allocation.storage;
  AllocBufferOp result = (storage.parent ? storage.parent : &storage)->result,
                op = allocation.op;
  if (allocation.isVolatile)
    setVolatile(result);
  if (storage.bitsOffset != 0)
    for (auto [number, use] : allocation.accesses)
      if (!isElementAddress(use->get()))
        shiftUse(*use, storage.bitsOffset);
  replaceAddresses(allocation, result);
  if (result == op)
    return;
  OpBuilder builder(op);
  Type pointer =
      PtrType::get(func.getContext(), allocation.scope,
                   cast<MemRefType>(result.getType()).getElementType());
  auto view = DeclBufferOp::create(
      builder, op.getLoc(), op.getType(),
      createDataCall(builder, result, pointer), op.getShape(), op.getStrides(),
      op.getElemOffset(), op.getAllocatedAddr(), op.getIndexTypeAttr(),
      op.getDataAlignment(), op.getOffsetFactor(), op.getLayoutAttr());
  view->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op->replaceAllUsesWith(view);
  op.erase();
}

/// Erases an allocation that nothing uses, with its views; fails if something
/// is said of it.
static bool eraseUnused(AllocBufferOp op) {
  // Users follow the only op of these whose result they use.
  SmallVector<Operation *> ops = {op};
  for (size_t i = 0; i != ops.size(); ++i)
    for (Operation *user : ops[i]->getUsers()) {
      if (!isa<DeclBufferOp, CallIntrinOp>(user))
        return false;
      ops.push_back(user);
    }
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  return true;
}

/// Whether `target` has shaders, in which memory has one type of elements.
static bool isShaderTarget(Attribute target) {
  StringRef text;
  if (auto name = dyn_cast_or_null<StringAttr>(target))
    text = name.getValue();
  else if (auto node = dyn_cast_or_null<NodeAttr>(target))
    text = node.getJson();
  return text.contains("vulkan") || text.contains("webgpu");
}

void StorageRewrite::runOnOperation() {
  PrimFuncOp func = getOperation();
  // Other control flow has no statements in order.
  if (!llvm::hasSingleElement(func.getBody()))
    return markAllAnalysesPreserved();
  StorageTimeline timeline;
  if (failed(buildTimeline(func, timeline)))
    return signalPassFailure();
  if (timeline.allocations.empty())
    return markAllAnalysesPreserved();
  StorageOptions options;
  options.reuses = !tir::transform::getMergeStaticSmem(
      partita::transform::PassContext::current());
  options.needsSameType = isShaderTarget(func->getAttr("target"));
  std::deque<Storage> storages = planStorage(timeline, options);
  StorageRewriter rewriter(func);
  for (Storage &storage : storages)
    if (!storage.parent)
      rewriter.allocate(storage);
  for (Allocation &allocation : timeline.allocations)
    if (allocation.storage)
      rewriter.replace(allocation);
    else if (eraseUnused(allocation.op))
      ++numErased;
  for (Storage &storage : storages) {
    numShared += storage.allocations.size() - (storage.parent ? 0 : 1);
    if (!storage.parent && vectorizeElements(storage.result))
      ++numVectorized;
  }
}
