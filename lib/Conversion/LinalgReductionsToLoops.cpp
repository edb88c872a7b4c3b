//===- LinalgReductionsToLoops.cpp - Sums in registers --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of the result is kept in vectors while the loops of the reductions
// run: several rows ("jammed" loop) of one vector each ("vector" loop). The
// upstream vectorizer takes no convolutions. Where the terms of a sum are what
// lies side by side, there is no vector loop: a row is one element, and the
// processor adds up several sums at the same time.
//
//===----------------------------------------------------------------------===//

#include "partita/Conversion/Passes.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
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

/// How many rows are added up at the same time: six of 16 floats fill the
/// registers of a processor with 16 vectors of 8 floats.
static constexpr unsigned maxHeight = 6;
/// The same for rows of one element: two additions begin in each cycle, and an
/// addition takes three or four of them.
static constexpr unsigned maxScalarHeight = 8;
/// The bits of a row.
static constexpr unsigned maxBits = 512;
/// The bits of a vector of terms.
static constexpr unsigned termBits = 256;

/// The loops of one op.
class ReductionLowering {
public:
  ReductionLowering(linalg::LinalgOp op, std::optional<unsigned> vectorLoop);

  /// Whether a tile has more than one element.
  bool hasTiles() const { return vectorLoop || jammedLoop || folding; }

  void run();

private:
  using Body = llvm::function_ref<void()>;

  /// Loops over `loop` in steps of the numbers in `steps`, each as far as it
  /// goes. Sets the step and the iteration, and calls `body`.
  void tile(unsigned loop, ArrayRef<int64_t> steps, unsigned &width, Body body);
  /// Copies an operand to memory where what a tile reads lies together.
  void pack();
  bool isWorthPacking(OpOperand &operand);
  void lowerOuter(ArrayRef<unsigned> loops);
  void lowerRows();
  /// Adds up one tile of the result.
  void lowerTile();
  SmallVector<Value> lowerReductions(ArrayRef<unsigned> loops,
                                     SmallVector<Value> sums);
  /// Runs `body` for iterations of a reduction. It takes sums and returns them.
  SmallVector<Value>
  addUp(unsigned loop, Value begin, Value end, int64_t step, ValueRange sums,
        llvm::function_ref<SmallVector<Value>(SmallVector<Value>)> body);
  /// Computes vectors of terms.
  SmallVector<Value> fold(unsigned loop, SmallVector<Value> sums);
  SmallVector<Value> computeRows(SmallVector<Value> sums);
  /// Adds the next terms to the sums of a row, which are one for each result.
  void computeRow(unsigned row, MutableArrayRef<Value> sums);

  /// Where the loop is for an element of the tile.
  Value getIteration(unsigned loop, unsigned row, unsigned column);
  Value load(OpOperand &operand, unsigned row);
  SmallVector<Value> getIndices(OpOperand &operand, unsigned row,
                                unsigned column);
  Value broadcast(Value value);
  unsigned getMaxWidth() {
    return std::min(maxBits / getElementTypeOrSelf(op.getDpsInits().front())
                                  .getIntOrFloatBitWidth(),
                    16u);
  }
  Type getType(Type element) {
    return width == 1 ? element
                      : VectorType::get(static_cast<int64_t>(width), element);
  }
  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(builder, value);
  }

  linalg::LinalgOp op;
  ImplicitLocOpBuilder builder;
  std::optional<unsigned> vectorLoop, jammedLoop;
  /// The op that adds a term to a sum, if terms are computed as vectors.
  Operation *folding = nullptr;
  /// An operand that is read from a copy, and the copy.
  OpOperand *packed = nullptr;
  Value packedMemory;
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

/// Whether each result has an element for each iteration of the parallel loops,
/// and no input is in the memory of a result: registers hold what that memory
/// would have meanwhile.
static bool hasSums(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || !op.hasPureBufferSemantics())
    return false;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallPtrSet<Value, 4> written;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isProjectedPermutation() ||
        map.getNumResults() != op.getNumParallelLoops() ||
        !written.insert(getMemory(init.get())).second)
      return false;
    for (AffineExpr expr : map.getResults())
      if (!linalg::isParallelIterator(
              iterators[cast<AffineDimExpr>(expr).getPosition()]))
        return false;
  }
  return llvm::none_of(
             op.getDpsInputs(),
             [&](Value input) { return written.contains(getMemory(input)); }) &&
         llvm::all_of(op.getBlock()->without_terminator(),
                      [](Operation &inner) {
                        return inner.getNumRegions() == 0 && isPure(&inner);
                      });
}

/// Whether a vector can hold the elements along `loop`, and compute with them.
static bool isVectorizable(linalg::LinalgOp op, unsigned loop) {
  return llvm::all_of(op.getIndexingMapsArray(),
                      [&](AffineMap map) { return isAlongRow(map, loop); }) &&
         llvm::all_of(op.getBlock()->without_terminator(),
                      [](Operation &inner) {
                        return inner.getNumResults() == 1 &&
                               VectorType::isValidElementType(
                                   inner.getResult(0).getType()) &&
                               (inner.hasTrait<OpTrait::ConstantLike>() ||
                                OpTrait::hasElementwiseMappableTraits(&inner));
                      }) &&
         llvm::all_of(op->getOperandTypes(), [](Type type) {
           Type element = getElementTypeOrSelf(type);
           return element.isIntOrFloat() && !element.isInteger(1);
         });
}

/// The loop over the rows of the result, if rows of the operands are read along
/// it, too, and if vectors can be computed.
static std::optional<unsigned> findVectorLoop(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.hasIndexSemantics())
    return std::nullopt;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (result.getNumResults() == 0)
    return std::nullopt;
  unsigned loop = cast<AffineDimExpr>(result.getResults().back()).getPosition();
  return isVectorizable(op, loop) ? std::optional(loop) : std::nullopt;
}

/// The op that adds a term to the sum, if terms of the innermost reduction lie
/// side by side, and vectors of them are worth it. A maximum is the same in any
/// order. Terms of a sum are added in their order; LLVM makes no fused
/// multiply-add of a vector's product.
static Operation *findFolding(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.hasIndexSemantics())
    return nullptr;
  BlockArgument sum = op.getRegionOutputArgs().front();
  Operation *folding =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  Type type = sum.getType();
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (!isa<Float32Type, Float64Type>(type) || !sum.hasOneUse() || !folding ||
      folding != *sum.user_begin() || !folding->getResult(0).hasOneUse() ||
      !isVectorizable(op, reductions.back()))
    return nullptr;
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(folding))
    return folding;
  bool isProduct = llvm::any_of(folding->getOperands(), [](Value term) {
    return isa_and_nonnull<arith::MulFOp, arith::NegFOp>(term.getDefiningOp());
  });
  bool takesLong =
      llvm::any_of(op.getBlock()->without_terminator(), [](Operation &inner) {
        return isa<math::MathDialect>(inner.getDialect());
      });
  return isa<arith::AddFOp>(folding) && !isProduct && takesLong ? folding
                                                                : nullptr;
}

ReductionLowering::ReductionLowering(linalg::LinalgOp op,
                                     std::optional<unsigned> vectorLoop)
    : op(op), builder(op.getLoc(), op), vectorLoop(vectorLoop),
      staticExtents(op.getStaticLoopRanges()) {
  // The last other loop over the result that has several iterations.
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  for (unsigned loop : parallel)
    if (loop != vectorLoop && staticExtents[loop] != 1 &&
        (!jammedLoop || loop > *jammedLoop))
      jammedLoop = loop;
  if (!vectorLoop) {
    folding = findFolding(op);
    return;
  }
  // In a convolution, that is the loop in which the weights differ.
  AffineMap last = op.getMatchingIndexingMap(op.getDpsInputOperands().back());
  for (unsigned loop : parallel)
    if (loop != vectorLoop && staticExtents[loop] != 1 &&
        last.isFunctionOfDim(loop) && !last.isFunctionOfDim(*vectorLoop))
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
    if (isStatic && (left == 0 || left < step))
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
  for (Range range : op.createLoopRanges(builder, op.getLoc()))
    extents.push_back(
        getValueOrCreateConstantIndexOp(builder, op.getLoc(), range.size));
  iterations.resize(extents.size());
  SmallVector<unsigned> outer;
  op.getParallelDims(outer);
  llvm::erase_if(outer, [&](unsigned loop) {
    return loop == vectorLoop || loop == jammedLoop;
  });
  pack();
  lowerOuter(outer);
  if (packed)
    memref::DeallocOp::create(builder, packedMemory);
  op.erase();
}

/// Whether several tiles read the same rows of an operand, and the rows begin
/// at addresses for which a cache has few places.
bool ReductionLowering::isWorthPacking(OpOperand &operand) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
      type.getRank() < 2 || !map.isProjectedPermutation() ||
      map.getResults().back() != builder.getAffineDimExpr(*vectorLoop) ||
      map.isFunctionOfDim(*jammedLoop))
    return false;
  constexpr int64_t manyTiles = 4, manyRows = 64, stepOfPlaces = 512;
  int64_t columns = type.getShape().back();
  int64_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8 * columns;
  return staticExtents[*jammedLoop] >= manyTiles * maxHeight &&
         type.getDimSize(type.getRank() - 2) >= manyRows && bytes > 0 &&
         bytes % stepOfPlaces == 0 && columns % getMaxWidth() == 0;
}

void ReductionLowering::pack() {
  if (!vectorLoop || !jammedLoop)
    return;
  SmallVector<OpOperand *> inputs = op.getDpsInputOperands();
  auto *found = llvm::find_if(
      inputs, [&](OpOperand *input) { return isWorthPacking(*input); });
  if (found == inputs.end())
    return;
  packed = *found;
  // Rows of columns become rows of blocks of columns.
  auto type = cast<MemRefType>(packed->get().getType());
  int64_t rank = type.getRank(), columns = getMaxWidth();
  SmallVector<int64_t> shape(type.getShape());
  int64_t numBlocks = shape.pop_back_val() / columns;
  llvm::append_values(shape, numBlocks, columns);
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank; ++dim)
    groups.push_back({dim});
  groups.back().push_back(rank);
  Value blocks =
      memref::ExpandShapeOp::create(builder, shape, packed->get(), groups);
  // Each block comes first.
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(rank - 1));
  order.insert(order.begin(), rank - 1);
  order.push_back(rank);
  packedMemory = memref::AllocOp::create(
      builder,
      MemRefType::get(applyPermutation(shape, order), type.getElementType()));
  linalg::TransposeOp::create(builder, blocks, packedMemory, order);
}

void ReductionLowering::lowerOuter(ArrayRef<unsigned> loops) {
  if (!loops.empty()) {
    unsigned ignored;
    return tile(loops.front(), {1}, ignored,
                [&] { lowerOuter(loops.drop_front()); });
  }
  if (!vectorLoop)
    return lowerRows();
  int64_t columns = staticExtents[*vectorLoop], widest = getMaxWidth();
  SmallVector<int64_t> widths;
  if (!ShapedType::isDynamic(columns)) {
    // The rest of a row is one vector, too: less code than steps of 8, 4 and 1,
    // which take longer.
    widths = {widest, columns % widest};
  } else {
    for (int64_t step = widest; step > 2; step /= 2)
      widths.push_back(step);
    widths.push_back(1);
  }
  tile(*vectorLoop, widths, width, [&] { lowerRows(); });
}

void ReductionLowering::lowerRows() {
  if (!jammedLoop) {
    height = 1;
    return lowerTile();
  }
  int64_t rows = staticExtents[*jammedLoop],
          best = vectorLoop ? maxHeight : maxScalarHeight;
  if (ShapedType::isDynamic(rows))
    return tile(*jammedLoop, {best, 2, 1}, height, [&] { lowerTile(); });
  // As few tiles as can be, and as even. A low tile takes as long as a high
  // one.
  int64_t numTiles = llvm::divideCeil(rows, best);
  best = llvm::divideCeil(rows, std::max<int64_t>(numTiles, 1));
  tile(*jammedLoop, {best, rows % std::max<int64_t>(best, 1)}, height,
       [&] { lowerTile(); });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

Value ReductionLowering::getIteration(unsigned loop, unsigned row,
                                      unsigned column) {
  unsigned by = loop == jammedLoop ? row : loop == vectorLoop ? column : 0;
  return by == 0 ? iterations[loop]
                 : arith::AddIOp::create(builder, iterations[loop], number(by));
}

SmallVector<Value> ReductionLowering::getIndices(OpOperand &operand,
                                                 unsigned row,
                                                 unsigned column) {
  SmallVector<Value> where;
  for (unsigned loop = 0; loop < iterations.size(); ++loop)
    where.push_back(getIteration(loop, row, column));
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
  if (width == 1 || !map.isFunctionOfDim(*vectorLoop))
    return broadcast(
        memref::LoadOp::create(builder, memref, getIndices(operand, row, 0)));
  if (&operand == packed) {
    SmallVector<Value> indices = getIndices(operand, row, 0);
    Value block =
        arith::DivUIOp::create(builder, indices.pop_back_val(), number(width));
    indices.insert(indices.begin(), block);
    indices.push_back(number(0));
    return vector::LoadOp::create(builder, cast<VectorType>(getType(element)),
                                  packedMemory, indices);
  }
  // The next iteration reads the next element, or one further away.
  AffineExpr last = map.getResults().back();
  AffineExpr next = last.replace(builder.getAffineDimExpr(*vectorLoop),
                                 builder.getAffineDimExpr(*vectorLoop) + 1);
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

void ReductionLowering::computeRow(unsigned row, MutableArrayRef<Value> sums) {
  IRMapping map;
  Block *block = op.getBlock();
  for (OpOperand *input : op.getDpsInputOperands())
    if (BlockArgument argument = op.getMatchingBlockArgument(input);
        !argument.use_empty())
      map.map(argument, load(*input, row));
  map.map(op.getRegionOutputArgs(), sums);
  auto getOperand = [&](Value value) {
    if (map.contains(value))
      return map.lookup(value);
    // A value from outside.
    return broadcast(value);
  };
  for (Operation &inner : block->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      map.map(index.getResult(), getIteration(index.getDim(), row, 0));
      continue;
    }
    if (inner.hasTrait<OpTrait::ConstantLike>()) {
      Operation *constant = builder.clone(inner);
      map.map(inner.getResult(0), broadcast(constant->getResult(0)));
      continue;
    }
    if (width == 1) {
      builder.clone(inner, map);
      continue;
    }
    auto operands = llvm::map_to_vector(inner.getOperands(), getOperand);
    if (&inner == folding && isa<arith::AddFOp>(inner)) {
      if (!isa<VectorType>(operands[0].getType()))
        std::swap(operands[0], operands[1]);
      map.map(inner.getResult(0),
              vector::ReductionOp::create(builder, vector::CombiningKind::ADD,
                                          operands[0], operands[1]));
      continue;
    }
    Operation *made = builder.create(
        inner.getLoc(), inner.getName().getIdentifier(), operands,
        getType(inner.getResult(0).getType()), inner.getAttrs());
    map.map(inner.getResult(0), made->getResult(0));
  }
  llvm::transform(block->getTerminator()->getOperands(), sums.begin(),
                  getOperand);
}

SmallVector<Value> ReductionLowering::computeRows(SmallVector<Value> sums) {
  unsigned count = op.getNumDpsInits();
  for (unsigned row = 0; row < height; ++row)
    computeRow(row, MutableArrayRef(sums).slice(row * count, count));
  return sums;
}

SmallVector<Value> ReductionLowering::addUp(
    unsigned loop, Value begin, Value end, int64_t step, ValueRange sums,
    llvm::function_ref<SmallVector<Value>(SmallVector<Value>)> body) {
  auto block = scf::ForOp::create(builder, begin, end, number(step), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(block.getBody());
  iterations[loop] = block.getInductionVar();
  scf::YieldOp::create(
      builder, body(llvm::to_vector_of<Value>(block.getRegionIterArgs())));
  return llvm::to_vector_of<Value>(block.getResults());
}

SmallVector<Value> ReductionLowering::fold(unsigned loop,
                                           SmallVector<Value> sums) {
  auto compute = [&](SmallVector<Value> sums) {
    return computeRows(std::move(sums));
  };
  int64_t count = termBits / sums.front().getType().getIntOrFloatBitWidth();
  int64_t extent = staticExtents[loop];
  Value begin = number(0);
  if (ShapedType::isDynamic(extent) || extent >= count) {
    Value rest = arith::RemUIOp::create(builder, extents[loop], number(count));
    Value end = arith::SubIOp::create(builder, extents[loop], rest);
    vectorLoop = loop;
    width = count;
    bool isSum = isa<arith::AddFOp>(folding);
    if (!isSum)
      for (Value &sum : sums)
        sum = broadcast(sum);
    sums = addUp(loop, begin, end, count, sums, compute);
    if (!isSum)
      for (Value &sum : sums)
        sum = vector::ReductionOp::create(builder,
                                          isa<arith::MaximumFOp>(folding)
                                              ? vector::CombiningKind::MAXIMUMF
                                              : vector::CombiningKind::MINIMUMF,
                                          sum);
    vectorLoop.reset();
    width = 1;
    begin = end;
  }
  if (!ShapedType::isDynamic(extent) && extent >= count && extent % count == 0)
    return sums;
  return addUp(loop, begin, extents[loop], 1, sums, compute);
}

SmallVector<Value> ReductionLowering::lowerReductions(ArrayRef<unsigned> loops,
                                                      SmallVector<Value> sums) {
  if (loops.empty())
    return computeRows(std::move(sums));
  unsigned loop = loops.front();
  if (loops.size() == 1 && folding)
    return fold(loop, std::move(sums));
  return addUp(loop, number(0), extents[loop], 1, sums,
               [&](SmallVector<Value> sums) {
                 return lowerReductions(loops.drop_front(), std::move(sums));
               });
}

void ReductionLowering::lowerTile() {
  SmallVector<Value> sums;
  for (unsigned row = 0; row < height; ++row)
    for (OpOperand &result : op.getDpsInitsMutable())
      sums.push_back(load(result, row));
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  sums = lowerReductions(reductions, std::move(sums));
  auto *sum = sums.begin();
  for (unsigned row = 0; row < height; ++row)
    for (OpOperand &result : op.getDpsInitsMutable()) {
      SmallVector<Value> indices = getIndices(result, row, 0);
      if (width == 1)
        memref::StoreOp::create(builder, *sum++, result.get(), indices);
      else
        vector::StoreOp::create(builder, *sum++, result.get(), indices);
    }
}

void ConvertLinalgReductionsToLoops::runOnOperation() {
  std::vector<ReductionLowering> ops;
  getOperation()->walk([&](linalg::LinalgOp op) {
    if (!hasSums(op))
      return;
    ReductionLowering lowering(op, findVectorLoop(op));
    if (lowering.hasTiles())
      ops.push_back(std::move(lowering));
  });
  for (ReductionLowering &op : ops)
    op.run();
  if (ops.empty())
    markAllAnalysesPreserved();
}
