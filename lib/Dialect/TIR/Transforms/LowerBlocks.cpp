//===- LowerBlocks.cpp - Turn blocks into plain loops ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace partita::tir {
#define GEN_PASS_DEF_LOWERBLOCKS
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

namespace {
struct LowerBlocks : tir::impl::LowerBlocksBase<LowerBlocks> {
  void runOnOperation() override;

private:
  LogicalResult lower(BlockOp op);
};
} // namespace

/// Moves what is in `block`, less its terminator, in front of `op`.
static void inlineBefore(Block &block, Operation *op) {
  block.getTerminator()->erase();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         block.getOperations());
}

/// Replaces an init region by its statements, under the condition that each
/// iterator of a reduction is at its minimum.
static void lowerInit(BlockOp op, InitOp init) {
  OpBuilder builder(init);
  Location loc = init.getLoc();
  Value isFirst;
  for (auto [kind, binding, min] :
       llvm::zip_equal(op.getKinds().getAsValueRange<StringAttr>(),
                       op.getBindings(), op.getMins())) {
    if (kind != "reduce")
      continue;
    Value isMin;
    if (binding.getType().isSignlessIntOrIndex())
      isMin = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                    binding, min);
    else
      isMin = PrimOp::create(builder, loc, builder.getI1Type(), "EQ",
                             ValueRange{binding, min});
    isFirst =
        isFirst
            ? arith::AndIOp::create(builder, loc, isFirst, isMin).getResult()
            : isMin;
  }
  if (isFirst) {
    auto condition = scf::IfOp::create(builder, loc, isFirst);
    inlineBefore(init.getBody().front(), condition.thenYield());
  } else {
    inlineBefore(init.getBody().front(), init);
  }
  init.erase();
}

/// The part of the source that a matched buffer is, of the matched buffer's
/// type; null after an error.
static Value getPart(MatchBufferOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto getIndex = [&](Value value) -> OpFoldResult {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)) &&
        constant.isSignedIntN(64))
      return builder.getIndexAttr(constant.getSExtValue());
    if (!value.getType().isIndex())
      value = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         value);
    return value;
  };
  SmallVector<OpFoldResult> offsets, sizes;
  for (auto [min, extent] : llvm::zip_equal(op.getMins(), op.getExtents())) {
    if (!min.getType().isSignlessIntOrIndex() ||
        !extent.getType().isSignlessIntOrIndex())
      return nullptr;
    offsets.push_back(getIndex(min));
    sizes.push_back(getIndex(extent));
  }
  MemRefType source = op.getSource().getType(), type = op.getResult().getType();
  SmallVector<OpFoldResult> steps(sizes.size(), builder.getIndexAttr(1));
  // Leading dimensions of size 1 can be missing.
  if (type.getRank() > source.getRank())
    return nullptr;
  int64_t numDropped = source.getRank() - type.getRank();
  SmallVector<int64_t> shape;
  for (auto [index, size] : llvm::enumerate(sizes)) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (static_cast<int64_t>(index) >= numDropped)
      shape.push_back(constant.value_or(ShapedType::kDynamic));
    else if (constant != 1)
      return nullptr;
  }
  MemRefType partType = memref::SubViewOp::inferRankReducedResultType(
      shape, source, offsets, sizes, steps);
  if (!memref::CastOp::areCastCompatible(partType, type))
    return nullptr;
  Value part = memref::SubViewOp::create(builder, loc, partType, op.getSource(),
                                         offsets, sizes, steps);
  // What the buffer determines is known now.
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, part);
  auto determine = [&](ValueRange values, ValueRange found) {
    for (auto [value, index] : llvm::zip(values, found))
      if (auto var = value.getDefiningOp<VarOp>();
          var && var.getType().isSignlessInteger())
        var.replaceAllUsesWith(Value(
            arith::IndexCastOp::create(builder, loc, var.getType(), index)));
  };
  determine(op.getShape(), metadata.getSizes());
  determine(op.getStrides(), metadata.getStrides());
  if (op.getElemOffset())
    determine(op.getElemOffset(), metadata.getOffset());
  if (metadata->use_empty())
    metadata.erase();
  return partType == type ? part
                          : memref::CastOp::create(builder, loc, type, part);
}

LogicalResult LowerBlocks::lower(BlockOp op) {
  Block &block = op.getBody().front();
  for (auto [argument, binding] :
       llvm::zip_equal(block.getArguments(), op.getBindings()))
    argument.replaceAllUsesWith(binding);
  for (Operation &inner : llvm::make_early_inc_range(block)) {
    if (isa<ReadsOp, WritesOp>(inner)) {
      inner.erase();
    } else if (auto init = dyn_cast<InitOp>(inner)) {
      lowerInit(op, init);
    } else if (auto match = dyn_cast<MatchBufferOp>(inner)) {
      Value part = getPart(match);
      if (!part)
        return match.emitError("expected a part of ")
               << match.getSource().getType()
               << " that a memref can be, less leading dimensions of size 1, "
                  "found "
               << match.getResult().getType();
      match.replaceAllUsesWith(part);
      match.erase();
    } else if (auto buffer = dyn_cast<BlockBufferOp>(inner)) {
      OpBuilder builder(buffer);
      OperationState state(buffer.getLoc(), AllocBufferOp::getOperationName(),
                           buffer->getOperands(), buffer->getResultTypes(),
                           buffer->getAttrDictionary().getValue());
      buffer->replaceAllUsesWith(builder.create(state));
      buffer.erase();
    }
  }
  Operation *place = op;
  if (!matchPattern(op.getPredicate(), m_One())) {
    OpBuilder builder(op);
    place =
        scf::IfOp::create(builder, op.getLoc(), op.getPredicate()).thenYield();
  }
  inlineBefore(block, place);
  op.erase();
  ++numLowered;
  return success();
}

/// Replaces a loop that threads run by what lowered code of TVM's has.
static void lowerThreads(tir::ForOp op) {
  OpBuilder builder(op);
  StringRef thread = *op.getThread();
  bool isVirtual = thread == "vthread" || thread.starts_with("vthread.");
  auto attr = AttrOp::create(
      builder, op.getLoc(), isVirtual ? "virtual_thread" : "thread_extent",
      op.getExtent(), /*of=*/Value(), /*node=*/Attribute(),
      ValueRange{op.getMin(), op.getExtent()}, op.getThreadAttr(),
      builder.getI64IntegerAttr(1));
  attr.getBody().takeBody(op.getBody());
  op.erase();
}

void LowerBlocks::runOnOperation() {
  SmallVector<BlockOp> blocks;
  SmallVector<tir::ForOp> loops;
  // Outer ones last.
  getOperation().walk([&](Operation *op) {
    if (auto block = dyn_cast<BlockOp>(op))
      blocks.push_back(block);
    else if (auto loop = dyn_cast<tir::ForOp>(op); loop && loop.getThread())
      loops.push_back(loop);
  });
  for (BlockOp block : blocks)
    if (failed(lower(block)))
      return signalPassFailure();
  for (tir::ForOp loop : loops)
    lowerThreads(loop);
}
