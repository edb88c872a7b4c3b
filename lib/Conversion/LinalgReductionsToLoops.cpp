//===- LinalgReductionsToLoops.cpp - Sums in registers --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of the result is kept in vectors while the loops of the reductions
// run: several rows ("jammed" loop) of one vector each ("vector" loop). The
// upstream vectorizer takes no convolutions.
//
//===----------------------------------------------------------------------===//

#include "partita/Conversion/Passes.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace partita::conversion {
#define GEN_PASS_DEF_CONVERTLINALGREDUCTIONSTOLOOPS
#include "partita/Conversion/Passes.h.inc"
} // namespace partita::conversion

using namespace mlir;
using namespace partita;

namespace {
struct ConvertLinalgReductionsToLoops
    : conversion::impl::ConvertLinalgReductionsToLoopsBase<
          ConvertLinalgReductionsToLoops> {
  void runOnOperation() override;
};

/// The loops of one op.
class ReductionLowering {
public:
  ReductionLowering(linalg::LinalgOp op, unsigned vectorLoop);

  void run();

private:
  using Body = llvm::function_ref<void()>;

  /// Loops over `loop` in steps of the numbers in `steps`, each as far as it
  /// goes. Sets the step and the iteration, and calls `body`.
  void tile(unsigned loop, ArrayRef<int64_t> steps, unsigned &width, Body body);
  void lowerOuter(ArrayRef<unsigned> loops);
  /// Adds up one tile of the result.
  void lowerTile();
  SmallVector<Value> lowerReductions(ArrayRef<unsigned> loops,
                                     SmallVector<Value> sums);
  Value computeRow(unsigned row, Value sum);

  Value load(OpOperand &operand, unsigned row);
  SmallVector<Value> getIndices(OpOperand &operand, unsigned row,
                                unsigned column);
  Value broadcast(Value value);
  Type getType(Type element) {
    return width == 1 ? element
                      : VectorType::get(static_cast<int64_t>(width), element);
  }
  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(builder, value);
  }

  linalg::LinalgOp op;
  ImplicitLocOpBuilder builder;
  unsigned vectorLoop;
  std::optional<unsigned> jammedLoop;
  /// The extents of the loops, and where they are.
  SmallVector<Value> extents, iterations;
  SmallVector<int64_t> staticExtents;
  /// The size of a tile: elements of a row, and rows.
  unsigned width = 1, height = 1;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is lowered
//===----------------------------------------------------------------------===//

/// Whether only the last index of an operand depends on `loop`.
static bool isAlongRow(AffineMap map, unsigned loop) {
  for (AffineExpr expr : map.getResults().drop_back(map.getNumResults() != 0))
    if (expr.isFunctionOfDim(loop))
      return false;
  return true;
}

/// The memory that a memref is a view of.
static Value getMemory(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// The loop over the rows of the result, if rows of the operands are read along
/// it, too, and if the op is one that adds up in its result.
static std::optional<unsigned> findVectorLoop(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1 ||
      !op.hasPureBufferSemantics() || op.hasIndexSemantics())
    return std::nullopt;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (result.getNumResults() == 0 || !result.isProjectedPermutation() ||
      result.getNumResults() != op.getNumParallelLoops())
    return std::nullopt;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (AffineExpr expr : result.getResults())
    if (!linalg::isParallelIterator(
            iterators[cast<AffineDimExpr>(expr).getPosition()]))
      return std::nullopt;
  // Registers hold what the memory of an input would have meanwhile.
  Value memory = getMemory(op.getDpsInits().front());
  for (Value input : op.getDpsInputs())
    if (getMemory(input) == memory)
      return std::nullopt;
  unsigned loop = cast<AffineDimExpr>(result.getResults().back()).getPosition();
  bool isLowered =
      llvm::all_of(op.getIndexingMapsArray(),
                   [&](AffineMap map) { return isAlongRow(map, loop); }) &&
      llvm::all_of(op.getBlock()->without_terminator(), [](Operation &inner) {
        return inner.getNumResults() == 1 && inner.getNumRegions() == 0 &&
               VectorType::isValidElementType(inner.getResult(0).getType()) &&
               (inner.hasTrait<OpTrait::ConstantLike>() ||
                OpTrait::hasElementwiseMappableTraits(&inner));
      });
  for (Type type : op->getOperandTypes())
    isLowered &= VectorType::isValidElementType(getElementTypeOrSelf(type)) &&
                 !getElementTypeOrSelf(type).isInteger(1);
  return isLowered ? std::optional(loop) : std::nullopt;
}

/// How many rows are added up at the same time: six of 16 floats fill the
/// registers of a processor with 16 vectors of 8 floats.
static constexpr unsigned maxHeight = 6;
/// The bits of a row.
static constexpr unsigned maxBits = 512;

ReductionLowering::ReductionLowering(linalg::LinalgOp op, unsigned vectorLoop)
    : op(op), builder(op.getLoc(), op), vectorLoop(vectorLoop),
      staticExtents(op.getStaticLoopRanges()) {
  for (Range range : op.createLoopRanges(builder, op.getLoc()))
    extents.push_back(
        getValueOrCreateConstantIndexOp(builder, op.getLoc(), range.size));
  iterations.resize(extents.size());
  // The last other loop over the result that has several iterations.
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  for (unsigned loop : parallel)
    if (loop != vectorLoop && staticExtents[loop] != 1 &&
        (!jammedLoop || loop > *jammedLoop))
      jammedLoop = loop;
  // In a convolution, that is the loop in which the weights differ.
  OpOperand *last = op.getDpsInputOperands().back();
  for (unsigned loop : parallel)
    if (loop != vectorLoop && staticExtents[loop] != 1 &&
        op.getMatchingIndexingMap(last).isFunctionOfDim(loop) &&
        !op.getMatchingIndexingMap(last).isFunctionOfDim(vectorLoop))
      jammedLoop = loop;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void ReductionLowering::tile(unsigned loop, ArrayRef<int64_t> steps,
                             unsigned &width, Body body) {
  Value begin = number(0);
  int64_t left = staticExtents[loop];
  bool isStatic = !ShapedType::isDynamic(left);
  for (int64_t step : steps) {
    if (isStatic && left < step)
      continue;
    Value end = extents[loop];
    if (step != 1 && (!isStatic || left % step != 0)) {
      Value size = arith::SubIOp::create(builder, extents[loop], begin);
      Value rest = arith::RemUIOp::create(builder, size, number(step));
      end = arith::SubIOp::create(builder, extents[loop], rest);
    }
    auto block = scf::ParallelOp::create(builder, begin, end, number(step));
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(block.getBody());
      iterations[loop] = block.getInductionVars().front();
      width = step;
      body();
    }
    begin = end;
    if (!isStatic)
      continue;
    left %= step;
    if (left == 0)
      return;
  }
}

void ReductionLowering::run() {
  SmallVector<unsigned> outer;
  op.getParallelDims(outer);
  llvm::erase(outer, vectorLoop);
  if (jammedLoop)
    llvm::erase(outer, *jammedLoop);
  lowerOuter(outer);
  op.erase();
}

void ReductionLowering::lowerOuter(ArrayRef<unsigned> loops) {
  if (!loops.empty()) {
    unsigned ignored;
    return tile(loops.front(), {1}, ignored,
                [&] { lowerOuter(loops.drop_front()); });
  }
  unsigned bits = getElementTypeOrSelf(op.getDpsInits().front().getType())
                      .getIntOrFloatBitWidth();
  SmallVector<int64_t> widths, heights;
  for (unsigned step = std::min(maxBits / bits, 16u); step > 2; step /= 2)
    widths.push_back(step);
  widths.push_back(1);
  tile(vectorLoop, widths, width, [&] {
    if (!jammedLoop) {
      height = 1;
      return lowerTile();
    }
    // A number of rows that divides them leaves none for a slower loop.
    int64_t rows = staticExtents[*jammedLoop], best = maxHeight;
    for (int64_t step : {6, 5, 4})
      if (!ShapedType::isDynamic(rows) && rows % step == 0) {
        best = step;
        break;
      }
    tile(*jammedLoop, {best, 2, 1}, height, [&] { lowerTile(); });
  });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

SmallVector<Value> ReductionLowering::getIndices(OpOperand &operand,
                                                 unsigned row,
                                                 unsigned column) {
  SmallVector<Value> where = iterations;
  auto move = [&](unsigned loop, unsigned by) {
    if (by != 0)
      where[loop] = arith::AddIOp::create(builder, where[loop], number(by));
  };
  if (jammedLoop)
    move(*jammedLoop, row);
  move(vectorLoop, column);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return affine::expandAffineExpr(builder, builder.getLoc(), expr, where, {});
  });
}

Value ReductionLowering::broadcast(Value value) {
  if (width == 1)
    return value;
  return vector::BroadcastOp::create(builder, getType(value.getType()), value);
}

/// The elements of an operand for a row of the tile.
Value ReductionLowering::load(OpOperand &operand, unsigned row) {
  Value memref = operand.get();
  Type element = getElementTypeOrSelf(memref.getType());
  if (!isa<MemRefType>(memref.getType()))
    return broadcast(memref);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  bool isRow = map.isFunctionOfDim(vectorLoop);
  if (width == 1 || !isRow)
    return broadcast(
        memref::LoadOp::create(builder, memref, getIndices(operand, row, 0)));
  // The next iteration reads the next element, or one further away.
  AffineExpr last = map.getResults().back();
  AffineExpr next = last.replace(builder.getAffineDimExpr(vectorLoop),
                                 builder.getAffineDimExpr(vectorLoop) + 1);
  AffineExpr step = simplifyAffineExpr(next - last, map.getNumDims(), 0);
  int64_t offset;
  SmallVector<int64_t> strides;
  if (step == builder.getAffineConstantExpr(1) &&
      succeeded(cast<MemRefType>(memref.getType())
                    .getStridesAndOffset(strides, offset)) &&
      strides.back() == 1)
    return vector::LoadOp::create(builder, cast<VectorType>(getType(element)),
                                  memref, getIndices(operand, row, 0));
  SmallVector<Value> elements;
  for (unsigned column = 0; column < width; ++column)
    elements.push_back(memref::LoadOp::create(
        builder, memref, getIndices(operand, row, column)));
  return vector::FromElementsOp::create(
      builder, cast<VectorType>(getType(element)), elements);
}

Value ReductionLowering::computeRow(unsigned row, Value sum) {
  IRMapping map;
  Block *block = op.getBlock();
  for (OpOperand *input : op.getDpsInputOperands())
    if (BlockArgument argument = op.getMatchingBlockArgument(input);
        !argument.use_empty())
      map.map(argument, load(*input, row));
  map.map(block->getArguments().back(), sum);
  auto getOperand = [&](Value value) {
    if (map.contains(value))
      return map.lookup(value);
    // A value from outside.
    return broadcast(value);
  };
  for (Operation &inner : block->without_terminator()) {
    if (inner.hasTrait<OpTrait::ConstantLike>()) {
      Operation *constant = builder.clone(inner);
      map.map(inner.getResult(0), broadcast(constant->getResult(0)));
      continue;
    }
    auto operands = llvm::map_to_vector(inner.getOperands(), getOperand);
    Operation *made = builder.create(
        inner.getLoc(), inner.getName().getIdentifier(), operands,
        getType(inner.getResult(0).getType()), inner.getAttrs());
    map.map(inner.getResult(0), made->getResult(0));
  }
  return getOperand(block->getTerminator()->getOperand(0));
}

SmallVector<Value> ReductionLowering::lowerReductions(ArrayRef<unsigned> loops,
                                                      SmallVector<Value> sums) {
  if (loops.empty()) {
    for (auto [row, sum] : llvm::enumerate(sums))
      sum = computeRow(row, sum);
    return sums;
  }
  unsigned loop = loops.front();
  auto block =
      scf::ForOp::create(builder, number(0), extents[loop], number(1), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(block.getBody());
  iterations[loop] = block.getInductionVar();
  scf::YieldOp::create(
      builder,
      lowerReductions(loops.drop_front(),
                      llvm::to_vector_of<Value>(block.getRegionIterArgs())));
  return llvm::to_vector_of<Value>(block.getResults());
}

void ReductionLowering::lowerTile() {
  OpOperand &result = *op.getDpsInitOperand(0);
  SmallVector<Value> sums;
  for (unsigned row = 0; row < height; ++row)
    sums.push_back(load(result, row));
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  sums = lowerReductions(reductions, std::move(sums));
  for (auto [row, sum] : llvm::enumerate(sums)) {
    SmallVector<Value> indices = getIndices(result, row, 0);
    if (width == 1)
      memref::StoreOp::create(builder, sum, result.get(), indices);
    else
      vector::StoreOp::create(builder, sum, result.get(), indices);
  }
}

void ConvertLinalgReductionsToLoops::runOnOperation() {
  SmallVector<std::pair<linalg::LinalgOp, unsigned>> ops;
  getOperation()->walk([&](linalg::LinalgOp op) {
    if (std::optional<unsigned> loop = findVectorLoop(op))
      ops.emplace_back(op, *loop);
  });
  for (auto [op, loop] : ops)
    ReductionLowering(op, loop).run();
  if (ops.empty())
    markAllAnalysesPreserved();
}
