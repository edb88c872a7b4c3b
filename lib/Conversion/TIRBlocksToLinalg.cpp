//===- TIRBlocksToLinalg.cpp - Blocks of TVM as linalg --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Conversion/Passes.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace partita::conversion {
#define GEN_PASS_DEF_CONVERTTIRBLOCKSTOLINALG
#include "partita/Conversion/Passes.h.inc"
} // namespace partita::conversion

using namespace mlir;
using namespace partita;

namespace {
struct ConvertTIRBlocksToLinalg
    : conversion::impl::ConvertTIRBlocksToLinalgBase<ConvertTIRBlocksToLinalg> {
  void runOnOperation() override;
};

/// An access to a buffer, by the loops of the nest.
struct Access {
  Value memref;
  AffineMap map;

  bool operator==(const Access &other) const {
    return memref == other.memref && map == other.map;
  }
};

/// A block that becomes an op of linalg, with the loops around it.
class BlockConversion {
public:
  explicit BlockConversion(tir::BlockOp block) : block(block) {}

  /// Reads the block. A block that linalg can't express fails.
  LogicalResult match();
  void rewrite();

private:
  LogicalResult matchLoops();
  LogicalResult matchBody();
  LogicalResult matchInit();
  FailureOr<AffineExpr> getExpr(Value value);
  FailureOr<Access> getAccess(Value memref, ValueRange indices);
  bool hasExtents(const Access &access);
  void buildBody(OpBuilder &builder, Location loc, ValueRange args);

  tir::BlockOp block;
  /// From the outermost one on. Each is a dimension of the op.
  SmallVector<scf::ForOp> loops;
  /// The loop of each iterator, and the extent and kind of each loop.
  SmallVector<unsigned> dims;
  SmallVector<int64_t> extents;
  SmallVector<utils::IteratorType> kinds;
  SmallVector<Access> inputs;
  Access output;
  /// The argument of the body that a load becomes.
  DenseMap<Operation *, unsigned> loads;
  /// The ops that the result is computed by, in their order.
  SmallVector<Operation *> computations;
  memref::StoreOp store;
  /// What the result is before the first term.
  Value first;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is expressed
//===----------------------------------------------------------------------===//

LogicalResult BlockConversion::matchLoops() {
  unsigned count = block.getBindings().size();
  if (count == 0 || !matchPattern(block.getPredicate(), m_One()) ||
      block.getAnnotations())
    return failure();
  Operation *inner = block;
  while (loops.size() < count) {
    auto loop = dyn_cast<scf::ForOp>(inner->getParentOp());
    if (!loop || loop.getNumResults() != 0 ||
        !loop->getDiscardableAttrs().empty() ||
        getConstantIntValue(loop.getLowerBound()) != 0 ||
        getConstantIntValue(loop.getStep()) != 1 ||
        loop.getBody()->getOperations().size() != 2)
      return failure();
    loops.push_back(loop);
    inner = loop;
  }
  std::reverse(loops.begin(), loops.end());
  extents.resize(count);
  kinds.resize(count);
  for (auto [binding, min, extent, kind] :
       llvm::zip_equal(block.getBindings(), block.getMins(), block.getExtents(),
                       block.getKinds().getAsValueRange<StringAttr>())) {
    auto *loop = llvm::find_if(loops, [&, value = binding](scf::ForOp loop) {
      return loop.getInductionVar() == value;
    });
    std::optional<int64_t> size = getConstantIntValue(extent);
    unsigned dim = loop - loops.begin();
    if (loop == loops.end() || llvm::is_contained(dims, dim) || !size ||
        *size < 1 || getConstantIntValue(min) != 0 ||
        getConstantIntValue(loop->getUpperBound()) != size ||
        (kind != "spatial" && kind != "reduce"))
      return failure();
    dims.push_back(dim);
    extents[dim] = *size;
    kinds[dim] = kind == "reduce" ? utils::IteratorType::reduction
                                  : utils::IteratorType::parallel;
  }
  return success();
}

/// An index as an expression of the loops.
FailureOr<AffineExpr> BlockConversion::getExpr(Value value) {
  MLIRContext *context = block.getContext();
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, context);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &block.getBody().front())
      return failure();
    return getAffineDimExpr(dims[argument.getArgNumber()], context);
  }
  Operation *op = value.getDefiningOp();
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    return getExpr(cast.getIn());
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return failure();
  FailureOr<AffineExpr> a = getExpr(op->getOperand(0)),
                        b = getExpr(op->getOperand(1));
  if (failed(a) || failed(b))
    return failure();
  if (isa<arith::AddIOp>(op))
    return *a + *b;
  if (isa<arith::SubIOp>(op))
    return *a - *b;
  if (!a->isSymbolicOrConstant() && !b->isSymbolicOrConstant())
    return failure();
  return *a * *b;
}

FailureOr<Access> BlockConversion::getAccess(Value memref, ValueRange indices) {
  auto type = cast<MemRefType>(memref.getType());
  // Other buffers may be parts of each other.
  if (!isa<BlockArgument>(memref) &&
      !memref.getDefiningOp<tir::BlockBufferOp>())
    return failure();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return failure();
  SmallVector<AffineExpr> exprs;
  for (Value index : indices) {
    FailureOr<AffineExpr> expr = getExpr(index);
    if (failed(expr))
      return failure();
    exprs.push_back(*expr);
  }
  Access access{memref,
                AffineMap::get(loops.size(), 0, exprs, block.getContext())};
  if (!hasExtents(access))
    return failure();
  return access;
}

/// Whether an index that is a loop runs over all of the buffer, as in linalg,
/// and other indices stay in it.
bool BlockConversion::hasExtents(const Access &access) {
  ArrayRef<int64_t> shape =
      cast<MemRefType>(access.memref.getType()).getShape();
  SmallVector<std::optional<int64_t>> lows(loops.size(), 0), highs;
  for (int64_t extent : extents)
    highs.push_back(extent - 1);
  return llvm::all_of(
      llvm::zip_equal(access.map.getResults(), shape), [&](auto pair) {
        auto [expr, size] = pair;
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          return extents[dim.getPosition()] == size;
        std::optional<int64_t> low = getBoundForAffineExpr(
                                   expr, loops.size(), 0, lows, highs, false),
                               high = getBoundForAffineExpr(
                                   expr, loops.size(), 0, lows, highs, true);
        return low && high && *low >= 0 && *high < size;
      });
}

LogicalResult BlockConversion::matchBody() {
  Block &body = block.getBody().front();
  DenseSet<Value> needed;
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (isa<tir::ReadsOp, tir::WritesOp, tir::InitOp>(op))
      continue;
    if (auto found = dyn_cast<memref::StoreOp>(op)) {
      if (store)
        return failure();
      store = found;
      needed.insert(store.getValueToStore());
      FailureOr<Access> access =
          getAccess(store.getMemRef(), store.getIndices());
      if (failed(access))
        return failure();
      output = *access;
      continue;
    }
    if (!store ||
        (!isa<memref::LoadOp>(op) &&
         !isa<arith::ArithDialect, math::MathDialect>(*op.getDialect())))
      return failure();
    if (llvm::none_of(op.getResults(),
                      [&](Value value) { return needed.contains(value); }))
      continue;
    computations.push_back(&op);
    if (!isa<memref::LoadOp>(op))
      needed.insert(op.operand_begin(), op.operand_end());
  }
  // The loops go, and their variables with them.
  if (!store || llvm::any_of(loops, [&](scf::ForOp loop) {
        return needed.contains(loop.getInductionVar());
      }))
    return failure();
  std::reverse(computations.begin(), computations.end());
  for (Operation *op : computations) {
    auto load = dyn_cast<memref::LoadOp>(op);
    if (!load)
      continue;
    FailureOr<Access> access = getAccess(load.getMemRef(), load.getIndices());
    if (failed(access) ||
        (access->memref == output.memref && !(*access == output)))
      return failure();
    auto *known = llvm::find(inputs, *access);
    if (*access == output) {
      loads[op] = ~0u;
    } else {
      loads[op] = known - inputs.begin();
      if (known == inputs.end())
        inputs.push_back(*access);
    }
  }
  // Each element of the result has its terms, and each loop is seen in a shape.
  unsigned numParallel = llvm::count(kinds, utils::IteratorType::parallel);
  llvm::SmallBitVector seen(loops.size());
  auto note = [&](AffineMap map) {
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        seen.set(dim.getPosition());
  };
  note(output.map);
  bool isWhole = output.map.isProjectedPermutation() &&
                 output.map.getNumResults() == numParallel &&
                 llvm::all_of(output.map.getResults(), [&](AffineExpr expr) {
                   return kinds[cast<AffineDimExpr>(expr).getPosition()] ==
                          utils::IteratorType::parallel;
                 });
  for (const Access &input : inputs)
    note(input.map);
  return success(isWhole && seen.all());
}

LogicalResult BlockConversion::matchInit() {
  bool isSum = llvm::is_contained(kinds, utils::IteratorType::reduction);
  bool readsOutput = llvm::is_contained(llvm::make_second_range(loads), ~0u);
  auto inits = block.getBody().getOps<tir::InitOp>();
  if (inits.empty())
    return success(!isSum || readsOutput);
  Block &body = (*inits.begin()).getBody().front();
  auto init = dyn_cast<memref::StoreOp>(body.front());
  if (!isSum || !readsOutput || !init || !llvm::hasSingleElement(inits) ||
      body.getOperations().size() != 2)
    return failure();
  FailureOr<Access> access = getAccess(init.getMemRef(), init.getIndices());
  first = init.getValueToStore();
  return success(succeeded(access) && *access == output &&
                 !block->isAncestor(first.getParentRegion()->getParentOp()));
}

LogicalResult BlockConversion::match() {
  return success(succeeded(matchLoops()) && succeeded(matchBody()) &&
                 succeeded(matchInit()));
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

void BlockConversion::buildBody(OpBuilder &builder, Location loc,
                                ValueRange args) {
  IRMapping map;
  for (auto [argument, dim] :
       llvm::zip_equal(block.getBody().getArguments(), dims)) {
    bool isUsed = store.getValueToStore() == argument ||
                  llvm::any_of(argument.getUsers(), [&](Operation *user) {
                    return llvm::is_contained(computations, user) &&
                           !isa<memref::LoadOp>(user);
                  });
    if (!isUsed)
      continue;
    Value index = linalg::IndexOp::create(builder, loc, dim);
    map.map(argument, argument.getType().isIndex()
                          ? index
                          : arith::IndexCastOp::create(
                                builder, loc, argument.getType(), index)
                                .getResult());
  }
  for (Operation *op : computations) {
    if (isa<memref::LoadOp>(op))
      map.map(op->getResult(0),
              loads[op] == ~0u ? args.back() : args[loads[op]]);
    else
      builder.clone(*op, map);
  }
  linalg::YieldOp::create(builder, loc,
                          map.lookupOrDefault(store.getValueToStore()));
}

void BlockConversion::rewrite() {
  ImplicitLocOpBuilder builder(block.getLoc(), loops.front());
  if (first)
    linalg::FillOp::create(builder, first, output.memref);
  SmallVector<Value> memrefs;
  SmallVector<AffineMap> maps;
  for (const Access &input : inputs) {
    memrefs.push_back(input.memref);
    maps.push_back(input.map);
  }
  maps.push_back(output.map);
  linalg::GenericOp::create(
      builder, memrefs, ValueRange{output.memref}, maps, kinds,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        buildBody(builder, loc, args);
      });
  loops.front().erase();
}

void ConvertTIRBlocksToLinalg::runOnOperation() {
  // Buffers are known to be apart.
  auto noAlias = getOperation()->getAttrOfType<BoolAttr>("tirx.noalias");
  std::vector<BlockConversion> conversions;
  if (noAlias && noAlias.getValue())
    getOperation()->walk([&](tir::BlockOp block) {
      BlockConversion conversion(block);
      if (succeeded(conversion.match()))
        conversions.push_back(std::move(conversion));
    });
  for (BlockConversion &conversion : conversions)
    conversion.rewrite();
  numConverted += conversions.size();
  if (conversions.empty())
    markAllAnalysesPreserved();
}
