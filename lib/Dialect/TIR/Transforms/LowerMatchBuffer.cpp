//===- LowerMatchBuffer.cpp - Access the sources of matched buffers -------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"
#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

namespace partita::tir {
#define GEN_PASS_DEF_LOWERMATCHBUFFER
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

namespace {
struct LowerMatchBuffer : tir::impl::LowerMatchBufferBase<LowerMatchBuffer> {
  void runOnOperation() override;
};
} // namespace

namespace {
/// Replaces a matched buffer by its source. As in TVM, accesses use the source
/// directly; other users get a view of it.
class MatchLowering {
public:
  explicit MatchLowering(MatchBufferOp op)
      : op(op), builder(op), loc(op.getLoc()), indices(builder, loc) {}

  LogicalResult run();

private:
  template <typename AccessTy>
  bool redirectRegion(AccessTy access);
  bool redirect(Operation *user, unsigned number);
  Value createView();
  /// Replaces variables of the matched buffer by their values. Another operand,
  /// or a variable that has a value already, must be known to be equal.
  LogicalResult determine(StringRef what, ValueRange vars,
                          ArrayRef<Value> values);

  MatchBufferOp op;
  OpBuilder builder;
  Location loc;
  IndexBuilder indices;
  llvm::DenseMap<Value, Value> determined;
};
} // namespace

/// Lets a block declare a part of the source in place of a part of the part.
template <typename AccessTy>
bool MatchLowering::redirectRegion(AccessTy access) {
  builder.setInsertionPoint(access);
  size_t numDropped = op.getMins().size() - access.getMins().size();
  SmallVector<Value> mins(op.getMins().take_front(numDropped)),
      extents(op.getExtents().take_front(numDropped));
  llvm::append_range(extents, access.getExtents());
  for (auto [min, inner] :
       llvm::zip_equal(op.getMins().drop_front(numDropped), access.getMins()))
    mins.push_back(matchPattern(min, m_Zero()) ? inner
                                               : indices.add(min, inner));
  AccessTy::create(builder, access.getLoc(), op.getSource(), mins, extents,
                   access.getAnnotationsAttr());
  access.erase();
  return true;
}

/// Lets `user` access the source by its operand `number`, if it is an access.
bool MatchLowering::redirect(Operation *user, unsigned number) {
  auto redirectAccess = [&](auto access, MutableOperandRange operands) {
    builder.setInsertionPoint(user);
    size_t numDropped = op.getMins().size() - operands.size();
    SmallVector<Value> values(op.getMins().take_front(numDropped));
    for (auto [min, index] : llvm::zip_equal(
             op.getMins().drop_front(numDropped), access.getIndices()))
      values.push_back(indices.offset(index, min));
    // memref's accesses take indices of type index.
    if (isa<memref::LoadOp, memref::StoreOp>(user))
      for (Value &value : values)
        value = indices.cast(value, builder.getIndexType());
    user->setOperand(number, op.getSource());
    operands.assign(values);
    return true;
  };
  if (auto load = dyn_cast<memref::LoadOp>(user))
    return redirectAccess(load, load.getIndicesMutable());
  if (auto store = dyn_cast<memref::StoreOp>(user))
    return redirectAccess(store, store.getIndicesMutable());
  if (auto load = dyn_cast<tir::LoadOp>(user))
    return redirectAccess(load, load.getIndicesMutable());
  if (auto store = dyn_cast<tir::StoreOp>(user))
    return redirectAccess(store, store.getIndicesMutable());
  if (auto reads = dyn_cast<ReadsOp>(user))
    return redirectRegion(reads);
  if (auto writes = dyn_cast<WritesOp>(user))
    return redirectRegion(writes);
  // The offset says where the part begins in the data.
  if (!isDataCall(user))
    return false;
  user->setOperand(number, op.getSource());
  return true;
}

/// A view of the part as a memref; null if no view has its type.
Value MatchLowering::createView() {
  MemRefType source = op.getSource().getType(), type = op.getResult().getType();
  // Upstream asserts that the strides have 64 bits.
  int64_t stride = 1;
  for (int64_t size : source.getShape())
    if (!ShapedType::isDynamic(size) && llvm::MulOverflow(stride, size, stride))
      return nullptr;
  auto getSize = [&](Value value) -> OpFoldResult {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)) &&
        constant.isSignedIntN(64))
      return builder.getIndexAttr(constant.getSExtValue());
    return indices.cast(value, builder.getIndexType());
  };
  auto offsets = llvm::map_to_vector(op.getMins(), getSize);
  auto sizes = llvm::map_to_vector(op.getExtents(), getSize);
  SmallVector<OpFoldResult> steps(sizes.size(), builder.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (OpFoldResult size : ArrayRef(sizes).take_back(type.getRank()))
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  MemRefType viewType = memref::SubViewOp::inferRankReducedResultType(
      shape, source, offsets, sizes, steps);
  if (!memref::CastOp::areCastCompatible(viewType, type))
    return nullptr;
  Value view = memref::SubViewOp::create(builder, loc, viewType, op.getSource(),
                                         offsets, sizes, steps);
  return viewType == type ? view
                          : memref::CastOp::create(builder, loc, type, view);
}

LogicalResult MatchLowering::determine(StringRef what, ValueRange vars,
                                       ArrayRef<Value> values) {
  for (auto [value, known] : llvm::zip(vars, values)) {
    if (!value.getType().isSignlessInteger())
      continue;
    bool isVar = isa_and_nonnull<VarOp>(value.getDefiningOp());
    auto [entry, isNew] = determined.try_emplace(value, known);
    if (isVar && isNew) {
      value.replaceUsesWithIf(
          indices.cast(known, value.getType()),
          [&](OpOperand &use) { return use.getOwner() != op; });
      continue;
    }
    IntegerFacts facts(op);
    AffineExpr said = facts.getExpr(isVar ? entry->second : value),
               found = facts.getExpr(known);
    // Where no execution comes, the facts contradict each other.
    if (said != found &&
        facts.compare(arith::CmpIPredicate::eq, said, found) != true)
      return op.emitError("expected ")
             << what << " of the matched buffer that its part is known to have";
  }
  return success();
}

LogicalResult MatchLowering::run() {
  MemRefType source = op.getSource().getType(), type = op.getResult().getType();
  auto isNumber = [](Value value) {
    return value.getType().isSignlessIntOrIndex();
  };
  // Leading dimensions of size 1 can be missing.
  int64_t numDropped = source.getRank() - type.getRank();
  if (numDropped < 0 || !llvm::all_of(op.getMins(), isNumber) ||
      !llvm::all_of(op.getExtents(), isNumber) ||
      !llvm::all_of(
          op.getExtents().take_front(numDropped),
          [](Value extent) { return matchPattern(extent, m_One()); }))
    return op.emitError("expected a buffer that is a part of ")
           << source << ", except for leading dimensions of size 1, "
           << "found " << type;
  // Collect the uses first: an access can get more operands, which moves them.
  SmallVector<std::pair<Operation *, unsigned>> uses, others;
  for (OpOperand &use : op.getResult().getUses())
    uses.emplace_back(use.getOwner(), use.getOperandNumber());
  for (auto [user, number] : uses)
    if (!redirect(user, number))
      others.emplace_back(user, number);
  builder.setInsertionPoint(op);
  if (!others.empty()) {
    Value view = createView();
    if (!view)
      return others.front().first->emitError(
                 "expected a load, a store or the data of the matched buffer ")
             << type << ", for which its source can be used, found another use";
    for (auto [user, number] : others)
      user->setOperand(number, view);
  }
  if (failed(determine(
          "sizes", op.getShape(),
          SmallVector<Value>(op.getExtents().drop_front(numDropped)))))
    return failure();
  auto place = !op.getStrides().empty() || op.getElemOffset()
                   ? indices.getPlace(op.getSource())
                   : std::nullopt;
  if (place) {
    Value offset = place->offset;
    for (auto [min, stride] : llvm::zip_equal(op.getMins(), place->strides))
      offset = indices.add(offset, indices.multiply(min, stride));
    if ((op.getElemOffset() &&
         failed(determine("an offset", op.getElemOffset(), offset))) ||
        failed(determine("strides", op.getStrides(),
                         ArrayRef(place->strides).drop_front(numDropped))))
      return failure();
  }
  SmallVector<Value> operands(op.getOperands());
  op.erase();
  for (Value value : operands)
    if (auto var = value.getDefiningOp<VarOp>(); var && var->use_empty())
      var.erase();
  return success();
}

void LowerMatchBuffer::runOnOperation() {
  SmallVector<MatchBufferOp> matches;
  getOperation().walk([&](MatchBufferOp match) { matches.push_back(match); });
  if (matches.empty())
    return markAllAnalysesPreserved();
  // Later ones can be parts of earlier ones.
  for (MatchBufferOp match : llvm::reverse(matches)) {
    if (failed(MatchLowering(match).run()))
      return signalPassFailure();
    ++numLowered;
  }
}
