//===- LinalgToTIR.cpp - Turn linalg in prim_funcs into blocks ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's bufferization turns tensors into memrefs. Then BlockBuilder makes
// the loops and blocks. Upstream's patterns replace an access of a view by an
// access of the buffer below it. BlockCompletion adds the reads and writes of
// each block.
//
//===----------------------------------------------------------------------===//

#include "BlockBuilder.h"
#include "BlockCompletion.h"
#include "ScalarLowering.h"

#include "partita/Conversion/LinalgToTIR.h"
#include "partita/Conversion/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

namespace partita::conversion {
#define GEN_PASS_DEF_CONVERTLINALGTOTIR
#include "partita/Conversion/Passes.h.inc"
} // namespace partita::conversion

using namespace mlir;
using namespace partita;

namespace {
struct ConvertLinalgToTIR
    : conversion::impl::ConvertLinalgToTIRBase<ConvertLinalgToTIR> {
  void getDependentDialects(DialectRegistry &registry) const override {
    ConvertLinalgToTIRBase::getDependentDialects(registry);
    // What bufferization needs.
    arith::registerBufferizableOpInterfaceExternalModels(registry);
    linalg::registerBufferizableOpInterfaceExternalModels(registry);
    linalg::registerSubsetOpInterfaceExternalModels(registry);
    memref::registerAllocationOpInterfaceExternalModels(registry);
    scf::registerBufferizableOpInterfaceExternalModels(registry);
    tensor::registerBufferizableOpInterfaceExternalModels(registry);
    // Sizes of padded tensors.
    tensor::registerInferTypeOpInterfaceExternalModels(registry);
    tensor::registerSubsetOpInterfaceExternalModels(registry);
  }

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet simplify(context);
    RewritePatternSet loops(context);
    scf::ForOp::getCanonicalizationPatterns(loops, context);
    loopPatterns = std::move(loops);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (isa<arith::ArithDialect, memref::MemRefDialect>(op.getDialect()))
        op.getCanonicalizationPatterns(simplify, context);
    context->getLoadedDialect<memref::MemRefDialect>()
        ->getCanonicalizationPatterns(simplify);
    memref::populateFoldMemRefAliasOpPatterns(simplify);
    memref::populateResolveShapedTypeResultDimsPatterns(simplify);
    patterns = std::move(simplify);
    return success();
  }

  void runOnOperation() override;

private:
  LogicalResult bufferize(tir::PrimFuncOp func);

  /// Loops stop carrying the buffers that they write to.
  FrozenRewritePatternSet loopPatterns;
  /// Accesses of views become accesses of buffers.
  FrozenRewritePatternSet patterns;
};
} // namespace

bool partita::conversion::hasTensors(tir::PrimFuncOp func) {
  return func
      .walk([](Operation *op) {
        return isa_and_nonnull<linalg::LinalgDialect, tensor::TensorDialect,
                               bufferization::BufferizationDialect>(
                   op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// A loop over each element of `out`, which `body` computes of linalg.index.
static Value createGather(ImplicitLocOpBuilder &builder, Value out,
                          function_ref<Value(ImplicitLocOpBuilder &)> body) {
  int64_t rank = cast<RankedTensorType>(out.getType()).getRank();
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, out.getType(), ValueRange(), out,
             ArrayRef<AffineMap>(builder.getMultiDimIdentityMap(rank)),
             iterators,
             [&](OpBuilder &b, Location loc, ValueRange) {
               ImplicitLocOpBuilder inner(loc, b);
               linalg::YieldOp::create(inner, body(inner));
             })
      .getResult(0);
}

/// Replaces a reshape by a gather: views whose indices are known only from the
/// values of a shape have no upstream lowering to indices.
static LogicalResult lowerReshape(tensor::ReshapeOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  auto type = dyn_cast<RankedTensorType>(op.getType());
  auto sourceType = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto shape = op.getShape().getDefiningOp<tensor::FromElementsOp>();
  if (!type || !sourceType || (!shape && type.getRank() != 0))
    return op.emitOpError("expected a shape of known elements");
  SmallVector<Value> dynamic;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      dynamic.push_back(shape.getElements()[dim]);
  Value out = tensor::EmptyOp::create(builder, type, dynamic);
  SmallVector<OpFoldResult> sourceSizes =
      tensor::getMixedSizes(builder, op.getLoc(), op.getSource());
  Value gather = createGather(builder, out, [&](ImplicitLocOpBuilder &inner) {
    SmallVector<Value> indices;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      indices.push_back(linalg::IndexOp::create(inner, dim));
    // lowerScalars computes the place in memory, and the indices of the source.
    Value linear = arith::ConstantIndexOp::create(inner, 0);
    if (!indices.empty())
      linear = affine::AffineLinearizeIndexOp::create(
          inner, indices, shape.getElements(), /*disjoint=*/true);
    if (sourceSizes.empty())
      indices.clear();
    else
      indices = llvm::to_vector_of<Value>(
          affine::AffineDelinearizeIndexOp::create(inner, linear, sourceSizes)
              .getResults());
    return Value(tensor::ExtractOp::create(inner, op.getSource(), indices));
  });
  op.replaceAllUsesWith(gather);
  op.erase();
  return success();
}

/// Replaces padding by one loop, as TVM has it: its fusion takes a kernel with
/// a fill and a copy for one that it does not know.
static void lowerPad(tensor::PadOp op) {
  Value padding = op.getConstantPaddingValue();
  if (!padding)
    return;
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  RankedTensorType type = op.getType();
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(builder, op, shapes)))
    return;
  Value out =
      tensor::EmptyOp::create(builder, shapes.front(), type.getElementType());
  SmallVector<OpFoldResult> low = op.getMixedLowPad(),
                            high = op.getMixedHighPad(),
                            sizes = tensor::getMixedSizes(builder, op.getLoc(),
                                                          op.getSource());
  auto toValue = [&](OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(builder, op.getLoc(), number);
  };
  SmallVector<Value> first, end;
  for (auto [begin, size] : llvm::zip_equal(low, sizes)) {
    first.push_back(toValue(begin));
    end.push_back(
        builder.createOrFold<arith::AddIOp>(first.back(), toValue(size)));
  }
  Value padded = createGather(builder, out, [&](ImplicitLocOpBuilder &inner) {
    Value isInside;
    SmallVector<Value> indices;
    auto check = [&](arith::CmpIPredicate predicate, Value a, Value b) {
      Value holds = arith::CmpIOp::create(inner, predicate, a, b);
      isInside =
          isInside ? arith::AndIOp::create(inner, isInside, holds) : holds;
    };
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      Value index = linalg::IndexOp::create(inner, dim);
      bool hasLow = !isConstantIntValue(low[dim], 0);
      if (hasLow)
        check(arith::CmpIPredicate::sge, index, first[dim]);
      if (!isConstantIntValue(high[dim], 0))
        check(arith::CmpIPredicate::slt, index, end[dim]);
      indices.push_back(
          hasLow ? arith::SubIOp::create(inner, index, first[dim]).getResult()
                 : index);
    }
    auto extract = [&](OpBuilder &b, Location loc) -> Value {
      return tensor::ExtractOp::create(b, loc, op.getSource(), indices);
    };
    if (!isInside)
      return extract(inner, inner.getLoc());
    return scf::IfOp::create(
               inner, isInside,
               [&](OpBuilder &b, Location loc) {
                 scf::YieldOp::create(b, loc, extract(b, loc));
               },
               [&](OpBuilder &b, Location loc) {
                 scf::YieldOp::create(b, loc, padding);
               })
        .getResult(0);
  });
  if (padded.getType() != type)
    padded = tensor::CastOp::create(builder, type, padded);
  op.replaceAllUsesWith(padded);
  op.erase();
}

LogicalResult ConvertLinalgToTIR::bufferize(tir::PrimFuncOp func) {
  SmallVector<tensor::ReshapeOp> reshapes;
  func.walk([&](tensor::ReshapeOp op) { reshapes.push_back(op); });
  for (tensor::ReshapeOp op : reshapes)
    if (failed(lowerReshape(op)))
      return failure();
  SmallVector<tensor::PadOp> pads;
  func.walk([&](tensor::PadOp op) { pads.push_back(op); });
  llvm::for_each(pads, lowerPad);
  IRRewriter rewriter(func.getContext());
  if (failed(bufferization::eliminateEmptyTensors(rewriter, func)))
    return failure();
  bufferization::OneShotBufferizationOptions options;
  options.allowReturnAllocsFromLoops = true;
  bufferization::BufferizationState state;
  return bufferization::runOneShotBufferize(func, options, state);
}

/// Lets a loop keep the numbers that it carries in buffers of one element, as
/// TVM's loops do.
static void storeCarried(scf::ForOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  SmallVector<Value> buffers;
  auto store = [&](ValueRange numbers) {
    Value zero = arith::ConstantIndexOp::create(builder, 0);
    for (auto [number, buffer] : llvm::zip_equal(numbers, buffers))
      memref::StoreOp::create(builder, number, buffer, zero);
  };
  auto load = [&](ValueRange numbers) {
    Value zero = arith::ConstantIndexOp::create(builder, 0);
    for (auto [number, buffer] : llvm::zip_equal(numbers, buffers))
      number.replaceAllUsesWith(memref::LoadOp::create(builder, buffer, zero));
  };
  for (Type type : op.getResultTypes())
    buffers.push_back(
        memref::AllocOp::create(builder, MemRefType::get({1}, type)));
  store(op.getInitArgs());
  auto loop = scf::ForOp::create(builder, op.getLowerBound(),
                                 op.getUpperBound(), op.getStep());
  load(op.getResults());
  builder.setInsertionPointToStart(loop.getBody());
  load(op.getRegionIterArgs());
  op.getInductionVar().replaceAllUsesWith(loop.getInductionVar());
  Block &body = *loop.getBody();
  body.getOperations().splice(std::prev(body.end()),
                              op.getBody()->getOperations());
  auto yield = cast<scf::YieldOp>(std::prev(body.end(), 2));
  builder.setInsertionPoint(yield);
  store(yield.getOperands());
  yield.erase();
  op.erase();
}

/// The loops of `func` that carry numbers, inner ones first.
static SmallVector<scf::ForOp> findCarrying(tir::PrimFuncOp func) {
  SmallVector<scf::ForOp> loops;
  func.walk([&](scf::ForOp op) {
    if (op.getNumResults() != 0 &&
        llvm::all_of(op.getResultTypes(),
                     [](Type type) { return type.isIntOrIndexOrFloat(); }))
      loops.push_back(op);
  });
  return loops;
}

void ConvertLinalgToTIR::runOnOperation() {
  tir::PrimFuncOp func = getOperation();
  if (func.isExternal() || !conversion::hasTensors(func))
    return markAllAnalysesPreserved();
  GreedyRewriteConfig config;
  config.enableFolding();
  auto simplify = [&] {
    (void)applyPatternsGreedily(func, patterns, config);
    IRRewriter rewriter(func.getContext());
    memref::eraseDeadAllocAndStores(rewriter, func);
  };
  for (BlockArgument argument : func.getArguments())
    if (auto type = dyn_cast<MemRefType>(argument.getType());
        type && !type.getLayout().isIdentity()) {
      func.emitOpError("can't become blocks: expected compact parameters, "
                       "found ")
          << type;
      return signalPassFailure();
    }
  if (failed(bufferize(func)))
    return signalPassFailure();
  (void)applyPatternsGreedily(func, loopPatterns, config);
  simplify();
  buildBlocks(func);
  simplify();
  llvm::for_each(findCarrying(func), storeCarried);
  lowerScalars(func);
  if (failed(completeBlocks(func)))
    return signalPassFailure();
  IRRewriter rewriter(func.getContext());
  DominanceInfo dominance(func);
  eliminateCommonSubExpressions(rewriter, dominance, func);
  (void)runRegionDCE(rewriter, func->getRegions());
}

/// Runs the pass on the functions of `module`.
static FailureOr<OwningOpRef<IRModuleOp>>
convert(OwningOpRef<IRModuleOp> module) {
  PassManager pm(module->getContext(), IRModuleOp::getOperationName());
  pm.addNestedPass<tir::PrimFuncOp>(conversion::createConvertLinalgToTIR());
  if (failed(pm.run(*module)))
    return failure();
  return module;
}

FailureOr<OwningOpRef<IRModuleOp>>
partita::conversion::convertLinalgToTIR(IRModuleOp module) {
  if (!llvm::any_of(module.getOps<tir::PrimFuncOp>(), hasTensors))
    return OwningOpRef<IRModuleOp>();
  return convert(module.clone());
}

FailureOr<OwningOpRef<IRModuleOp>>
partita::conversion::convertKernelsToTIR(ArrayRef<tir::PrimFuncOp> funcs) {
  if (funcs.empty())
    return OwningOpRef<IRModuleOp>();
  OpBuilder builder(funcs.front()->getContext());
  OwningOpRef<IRModuleOp> copies =
      IRModuleOp::create(builder, funcs.front()->getLoc());
  builder.setInsertionPointToEnd(copies->getBody());
  for (tir::PrimFuncOp func : funcs)
    builder.clone(*func.getOperation());
  return convert(std::move(copies));
}
