//===- BlockBuilder.cpp - Loops and blocks of linalg ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockBuilder.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace partita;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

namespace {
/// Finds out which sizes of parameters are the same, as an op of linalg loops
/// over both.
class SizeVariables {
public:
  explicit SizeVariables(tir::PrimFuncOp func) : func(func) {}

  void run();

private:
  /// The number of a parameter, and a dimension.
  using Size = std::pair<unsigned, int64_t>;

  std::optional<Size> find(Value memref, int64_t dim);
  void join(linalg::LinalgOp op);

  tir::PrimFuncOp func;
  llvm::EquivalenceClasses<Size> classes;
};
} // namespace

/// The size of a parameter that a dimension of `memref` is.
std::optional<SizeVariables::Size> SizeVariables::find(Value memref,
                                                       int64_t dim) {
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(memref);
      argument && argument.getOwner() == &func.getBody().front())
    return Size(argument.getArgNumber(), dim);
  auto alloc = memref.getDefiningOp<memref::AllocOp>();
  if (!alloc)
    return std::nullopt;
  auto size = alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)]
                  .getDefiningOp<memref::DimOp>();
  if (!size || !size.getConstantIndex())
    return std::nullopt;
  return find(size.getSource(), *size.getConstantIndex());
}

void SizeVariables::join(linalg::LinalgOp op) {
  SmallVector<std::optional<Size>> sizes(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [index, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      std::optional<Size> size =
          loop ? find(operand.get(), index) : std::nullopt;
      if (!size)
        continue;
      std::optional<Size> &known = sizes[loop.getPosition()];
      if (known)
        classes.unionSets(*known, *size);
      known = size;
    }
  }
}

void SizeVariables::run() {
  for (BlockArgument argument : func.getArguments())
    if (auto type = dyn_cast<MemRefType>(argument.getType()))
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          classes.insert({argument.getArgNumber(), dim});
  func.walk([&](linalg::LinalgOp op) { join(op); });

  ImplicitLocOpBuilder builder(func.getLoc(), func.getContext());
  Block &block = func.getBody().front();
  builder.setInsertionPointToStart(&block);
  Type i64 = builder.getI64Type();
  llvm::DenseMap<Size, Value> variables;
  auto getVariable = [&](Size size) {
    Value &variable = variables[classes.getLeaderValue(size)];
    if (!variable) {
      std::string name =
          "n" +
          (variables.size() == 1 ? "" : std::to_string(variables.size() - 1));
      variable = tir::VarOp::create(
          builder, NameLoc::get(builder.getStringAttr(name), func.getLoc()),
          i64);
    }
    return variable;
  };
  for (BlockArgument argument : func.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    SmallVector<Value> shape;
    if (!type.hasStaticShape())
      shape = createShape(builder, type, [&](int64_t dim) {
        return getVariable({argument.getArgNumber(), dim});
      });
    tir::BufferDeclOp::create(builder, argument, shape, /*strides=*/{},
                              /*elem_offset=*/{}, /*allocated_addr=*/{},
                              TypeAttr::get(i64), /*data_alignment=*/64,
                              /*offset_factor=*/1, /*layout=*/{});
  }
}

SmallVector<Value>
partita::createShape(ImplicitLocOpBuilder &builder, MemRefType type,
                     function_ref<Value(int64_t dim)> getUnknown) {
  SmallVector<Value> shape;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    shape.push_back(ShapedType::isDynamic(size)
                        ? getUnknown(dim)
                        : arith::ConstantIntOp::create(builder, size, 64));
  return shape;
}

SmallVector<Value> partita::getShape(ImplicitLocOpBuilder &builder,
                                     Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.hasStaticShape())
    return createShape(builder, type, nullptr);
  if (auto own = buffer.getDefiningOp<tir::BlockBufferOp>())
    return llvm::to_vector(own.getShape());
  for (Operation *user : buffer.getUsers())
    if (auto declaration = dyn_cast<tir::BufferDeclOp>(user))
      return llvm::to_vector(declaration.getShape());
  return {};
}

/// A size of a buffer, or of a view of one; null if it is unknown.
static Value getSize(ImplicitLocOpBuilder &builder, Value memref, int64_t dim) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(builder, type.getDimSize(dim));
  if (auto cast = memref.getDefiningOp<memref::CastOp>())
    return getSize(builder, cast.getSource(), dim);
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
    return alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)];
  if (auto expand = memref.getDefiningOp<memref::ExpandShapeOp>())
    return getValueOrCreateConstantIndexOp(builder, builder.getLoc(),
                                           expand.getMixedOutputShape()[dim]);
  if (auto collapse = memref.getDefiningOp<memref::CollapseShapeOp>()) {
    Value product;
    ReassociationIndices parts = collapse.getReassociationIndices()[dim];
    for (int64_t part : parts) {
      Value size = getSize(builder, collapse.getSrc(), part);
      product = product && size
                    ? builder.createOrFold<arith::MulIOp>(product, size)
                    : size;
      if (!size)
        return {};
    }
    return product;
  }
  SmallVector<Value> shape = getShape(builder, memref);
  if (shape.empty())
    return {};
  return arith::IndexCastOp::create(builder, builder.getIndexType(),
                                    shape[dim]);
}

void partita::lowerSizes(tir::PrimFuncOp func) {
  // Upstream asks so for the sizes of a buffer that is accessed by a view.
  func.walk([](memref::ExtractStridedMetadataOp op) {
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    for (auto [dim, result] : llvm::enumerate(op.getSizes()))
      if (!result.use_empty())
        if (Value size = getSize(builder, op.getSource(), dim))
          result.replaceAllUsesWith(size);
    if (op.use_empty())
      op.erase();
  });
  func.walk([](memref::DimOp op) {
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    std::optional<int64_t> dim = op.getConstantIndex();
    Value size = dim ? getSize(builder, op.getSource(), *dim) : Value();
    if (!size)
      return;
    op.replaceAllUsesWith(size);
    op.erase();
  });
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

namespace {
/// Makes the loops and the block of one op.
class NestBuilder {
public:
  explicit NestBuilder(linalg::GenericOp op)
      : op(op), builder(op.getLoc(), op) {}

  void run(StringRef name);

private:
  Value toI64(OpFoldResult size);
  /// The fill in front of the op whose number its sum begins with.
  linalg::FillOp findFill();
  void buildBody(ValueRange iterators, linalg::FillOp fill);
  SmallVector<Value> getIndices(OpOperand &operand);

  linalg::GenericOp op;
  ImplicitLocOpBuilder builder;
  /// The values of the iterators, as index.
  SmallVector<Value> indices;
};
} // namespace

Block &partita::addBody(Location loc, Region &region) {
  OpBuilder builder(region.getContext());
  Block *block = builder.createBlock(&region);
  tir::YieldOp::create(builder, loc, ValueRange());
  return *block;
}

Value NestBuilder::toI64(OpFoldResult size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return arith::ConstantIntOp::create(builder, *number, 64);
  return builder.createOrFold<arith::IndexCastOp>(builder.getI64Type(),
                                                  cast<Value>(size));
}

linalg::FillOp NestBuilder::findFill() {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (reductions.empty() || op.getNumDpsInits() != 1)
    return {};
  // TVM's block does not set what has no terms.
  for (unsigned loop : reductions)
    if (ShapedType::isDynamic(extents[loop]) || extents[loop] == 0)
      return {};
  Value out = op.getDpsInits().front();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (llvm::is_contained(op.getDpsInputs(), out) ||
      !map.isProjectedPermutation() ||
      map.getNumResults() != op.getNumParallelLoops())
    return {};
  Operation *before = op->getPrevNode();
  while (before && isPure(before))
    before = before->getPrevNode();
  auto fill = dyn_cast_or_null<linalg::FillOp>(before);
  return fill && fill.output() == out ? fill : linalg::FillOp();
}

SmallVector<Value> NestBuilder::getIndices(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return affine::expandAffineExpr(builder, builder.getLoc(), expr, indices,
                                    {});
  });
}

void NestBuilder::buildBody(ValueRange iterators, linalg::FillOp fill) {
  for (Value iterator : iterators)
    indices.push_back(
        arith::IndexCastOp::create(builder, builder.getIndexType(), iterator));
  Block &body = *op.getBlock();
  if (fill) {
    OpOperand &out = *op.getDpsInitOperand(0);
    SmallVector<Value> where = getIndices(out);
    auto init = tir::InitOp::create(builder);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&addBody(init.getLoc(), init.getBody()));
    memref::StoreOp::create(builder, fill.value(), out.get(), where);
  }
  IRMapping map;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    Value value = operand.get();
    if (isa<MemRefType>(value.getType()) && !argument.use_empty())
      value = memref::LoadOp::create(builder, value, getIndices(operand));
    map.map(argument, value);
  }
  for (Operation &inner : body.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      map.map(index.getResult(), indices[index.getDim()]);
    else
      builder.clone(inner, map);
  }
  // All values are computed before any is stored.
  for (auto [out, value] : llvm::zip_equal(op.getDpsInitsMutable(),
                                           body.getTerminator()->getOperands()))
    memref::StoreOp::create(builder, map.lookupOrDefault(value), out.get(),
                            getIndices(out));
}

void NestBuilder::run(StringRef name) {
  SmallVector<Value> extents, bindings;
  auto linalgOp = cast<linalg::LinalgOp>(op.getOperation());
  for (Range range : linalgOp.createLoopRanges(builder, op.getLoc()))
    extents.push_back(toI64(range.size));
  Value zero = arith::ConstantIntOp::create(builder, 0, 64),
        one = arith::ConstantIntOp::create(builder, 1, 64),
        isTrue = arith::ConstantIntOp::create(builder, 1, 1);
  linalg::FillOp fill = findFill();
  SmallVector<Attribute> kinds;
  for (utils::IteratorType iterator : op.getIteratorTypesArray())
    kinds.push_back(builder.getStringAttr(
        linalg::isParallelIterator(iterator) ? "spatial" : "reduce"));
  for (auto [index, extent] : llvm::enumerate(extents)) {
    builder.setLoc(NameLoc::get(
        builder.getStringAttr("i" + std::to_string(index)), op.getLoc()));
    auto loop = scf::ForOp::create(builder, zero, extent, one);
    bindings.push_back(loop.getInductionVar());
    builder.setInsertionPointToStart(loop.getBody());
  }
  builder.setLoc(op.getLoc());
  SmallVector<Value> mins(extents.size(), zero);
  auto block =
      tir::BlockOp::create(builder, name, builder.getArrayAttr(kinds), bindings,
                           mins, extents, isTrue, /*annotations=*/{});
  Block &body = addBody(op.getLoc(), block.getBody());
  for (size_t index = 0; index < extents.size(); ++index)
    body.addArgument(
        builder.getI64Type(),
        NameLoc::get(builder.getStringAttr("v_i" + std::to_string(index)),
                     op.getLoc()));
  builder.setInsertionPointToStart(&body);
  buildBody(body.getArguments(), fill);
  if (fill)
    fill.erase();
  op.erase();
}

void partita::buildBlocks(tir::PrimFuncOp func) {
  SmallVector<memref::CopyOp> copies;
  func.walk([&](memref::CopyOp op) { copies.push_back(op); });
  for (memref::CopyOp op : copies) {
    OpBuilder builder(op);
    if (op.getSource() != op.getTarget())
      linalg::makeMemRefCopyOp(builder, op.getLoc(), op.getSource(),
                               op.getTarget());
    op.erase();
  }
  SizeVariables(func).run();
  SmallVector<linalg::LinalgOp> ops;
  func.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::FillOp>(op))
      ops.push_back(op);
  });
  IRRewriter rewriter(func.getContext());
  auto build = [&](linalg::LinalgOp op) {
    // The block of a linalg.generic has the name of the function.
    StringRef name = func.getSymName();
    if (!isa<linalg::GenericOp>(op))
      name = op->getName().stripDialect();
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::GenericOp> made =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(made))
        return;
      generic = *made;
    }
    if (llvm::is_contained(generic.getStaticLoopRanges(), 0))
      generic.erase();
    else
      NestBuilder(generic).run(name);
  };
  for (linalg::LinalgOp op : ops)
    build(op);
  SmallVector<linalg::FillOp> fills;
  func.walk([&](linalg::FillOp op) { fills.push_back(op); });
  for (linalg::FillOp op : fills)
    build(op);
  lowerSizes(func);
}
