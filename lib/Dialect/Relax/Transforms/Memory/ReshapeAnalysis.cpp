//===- ReshapeAnalysis.cpp - Find prim_funcs that reshape -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prim_func from TVM has loops around one block, whose iterators take each
// value of their domain once. A prim_func from LegalizeOps has ops on tensors.
// In both, the place of an element in row-major order is a sum of digits of
// iterators, and the places that are read and written must be the same.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/Transforms/ReshapeAnalysis.h"

#include "DigitSum.h"

#include "partita/Dialect/TIR/IR/TIRLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

namespace {
/// Computes indices in a block.
class BlockIndices {
public:
  explicit BlockIndices(tir::BlockOp block);

  /// The place of an element of `buffer` in row-major order.
  std::optional<DigitSum> getPlace(Value buffer, ValueRange indices);

private:
  std::optional<DigitSum> getSum(Value value, unsigned depth = 0);
  std::optional<DigitSum> combine(Operation *op, unsigned depth);
  /// An iterator in place of a sum of several digits: it has digits that the
  /// sum of theirs does not have.
  DigitSum fuse(const DigitSum &sum);
  /// The sizes of `buffer`, if its elements have no gaps.
  std::optional<SmallVector<Factor>> getSizes(Value buffer);

  tir::BlockOp block;
  DenseMap<Value, DigitSum> iterators;
  DenseMap<Value, std::optional<DigitSum>> known;
  /// Sums that are iterators, too. They are numbered behind the block's.
  SmallVector<DigitSum> fused;
};
} // namespace

/// A positive number, or a product with values that nothing in the function
/// changes.
static std::optional<Factor> getFactor(Value value, unsigned depth = 0) {
  constexpr unsigned maxDepth = 16;
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return *number > 0 ? std::optional<Factor>(*number) : std::nullopt;
  Operation *op = value.getDefiningOp();
  if (depth == maxDepth)
    return std::nullopt;
  if (isa_and_nonnull<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp,
                      tir::BindOp>(op))
    return getFactor(op->getOperand(0), depth + 1);
  if (isa_and_nonnull<arith::MulIOp>(op)) {
    std::optional<Factor> a = getFactor(op->getOperand(0), depth + 1),
                          b = getFactor(op->getOperand(1), depth + 1);
    return a && b ? a->multiply(*b) : std::nullopt;
  }
  auto argument = dyn_cast<BlockArgument>(value);
  bool isParameter =
      argument && isa<tir::PrimFuncOp>(argument.getOwner()->getParentOp());
  return isParameter || isa_and_nonnull<tir::VarOp>(op)
             ? std::optional(Factor::getSymbol(value))
             : std::nullopt;
}

BlockIndices::BlockIndices(tir::BlockOp block) : block(block) {
  for (auto [index, iterator] : llvm::enumerate(block.getBody().getArguments()))
    if (std::optional<Factor> extent = getFactor(block.getExtents()[index]);
        extent && isConstantIntValue(block.getMins()[index], 0))
      iterators[iterator] = DigitSum::getIterator(index, *extent);
}

DigitSum BlockIndices::fuse(const DigitSum &sum) {
  std::optional<Factor> end = sum.getEnd();
  if (!end || sum.isDigit())
    return sum;
  auto *found = llvm::find_if(
      fused, [&](const DigitSum &each) { return each.equals(sum); });
  if (found == fused.end())
    found = &fused.emplace_back(sum);
  unsigned number = block.getBody().getNumArguments() + (found - fused.begin());
  return DigitSum::getIterator(number, *end);
}

std::optional<DigitSum> BlockIndices::combine(Operation *op, unsigned depth) {
  auto prim = dyn_cast<tir::PrimOp>(op);
  StringRef kind = prim ? prim.getKind() : "";
  bool isQuotient = isa<arith::FloorDivSIOp>(op) || kind == "FloorDiv";
  bool isModulo = kind == "FloorMod";
  if (op->getNumOperands() != 2)
    return std::nullopt;
  Value a = op->getOperand(0), b = op->getOperand(1);
  if (isa<arith::AddIOp>(op) || kind == "Add") {
    std::optional<DigitSum> x = getSum(a, depth), y = getSum(b, depth);
    if (!x || !y)
      return std::nullopt;
    x->add(*y);
    return x;
  }
  if (isa<arith::MulIOp>(op) || kind == "Mul") {
    std::optional<Factor> factor = getFactor(b);
    if (!factor) {
      factor = getFactor(a);
      std::swap(a, b);
    }
    std::optional<DigitSum> sum = factor ? getSum(a, depth) : std::nullopt;
    return sum && sum->multiply(*factor) ? sum : std::nullopt;
  }
  std::optional<Factor> divisor =
      isQuotient || isModulo ? getFactor(b) : std::nullopt;
  std::optional<DigitSum> sum = divisor ? getSum(a, depth) : std::nullopt;
  auto parts = sum ? fuse(*sum).divide(*divisor) : std::nullopt;
  if (!parts)
    return std::nullopt;
  return isQuotient ? parts->first : parts->second;
}

std::optional<DigitSum> BlockIndices::getSum(Value value, unsigned depth) {
  constexpr unsigned maxDepth = 64;
  if (auto found = iterators.find(value); found != iterators.end())
    return found->second;
  if (isConstantIntValue(value, 0))
    return DigitSum();
  Operation *op = value.getDefiningOp();
  if (!op || depth == maxDepth)
    return std::nullopt;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  std::optional<DigitSum> sum =
      isa<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp, tir::BindOp>(op)
          ? getSum(op->getOperand(0), depth + 1)
          : combine(op, depth + 1);
  return known[value] = sum;
}

std::optional<SmallVector<Factor>> BlockIndices::getSizes(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.getLayout().isIdentity())
    return std::nullopt;
  tir::BufferDeclOp declaration;
  for (Operation *user : buffer.getUsers())
    if (auto found = dyn_cast<tir::BufferDeclOp>(user))
      declaration = found;
  if (declaration && (!declaration.getStrides().empty() ||
                      !tir::isRowMajor(declaration.getLayoutAttr())))
    return std::nullopt;
  SmallVector<Factor> sizes;
  for (auto [index, size] : llvm::enumerate(type.getShape())) {
    std::optional<Factor> factor;
    if (!ShapedType::isDynamic(size))
      factor = size > 0 ? std::optional<Factor>(size) : std::nullopt;
    else if (declaration && index < declaration.getShape().size())
      factor = getFactor(declaration.getShape()[index]);
    if (!factor)
      return std::nullopt;
    sizes.push_back(*factor);
  }
  return sizes;
}

/// The place in row-major order in sizes of the element at `indices`.
static std::optional<DigitSum> flatten(ArrayRef<Factor> sizes,
                                       ArrayRef<DigitSum> indices) {
  DigitSum place;
  for (auto [size, index] : llvm::zip_equal(sizes, indices)) {
    if (!place.multiply(size))
      return std::nullopt;
    place.add(index);
  }
  return place;
}

std::optional<DigitSum> BlockIndices::getPlace(Value buffer,
                                               ValueRange indices) {
  std::optional<SmallVector<Factor>> sizes = getSizes(buffer);
  SmallVector<DigitSum> sums;
  for (Value index : indices) {
    std::optional<DigitSum> sum = getSum(index);
    if (!sum)
      return std::nullopt;
    sums.push_back(*sum);
  }
  std::optional<DigitSum> place = sizes ? flatten(*sizes, sums) : std::nullopt;
  // A sum can have the digits of those before it.
  unsigned number = block.getBody().getNumArguments() + fused.size();
  for (const DigitSum &sum : llvm::reverse(fused)) {
    --number;
    if (place)
      place = place->expand(number, sum);
  }
  return place;
}

/// The loop or block that is all that `region` does; null if there are more.
static Operation *getOnlyNest(Region &region) {
  Operation *nest = nullptr;
  for (Operation &op : region.front()) {
    if (op.hasTrait<OpTrait::IsTerminator>() || isPure(&op) ||
        isa<tir::BufferDeclOp, tir::ReadsOp, tir::VarOp, tir::WritesOp>(op))
      continue;
    if (nest || !isa<scf::ForOp, tir::BlockOp, tir::ForOp>(op))
      return nullptr;
    nest = &op;
  }
  return nest;
}

/// Whether `block` copies one element, from `source` to `target`.
static bool copiesInOrder(tir::BlockOp block, Value source, Value target) {
  memref::LoadOp load;
  memref::StoreOp store;
  for (Operation &op : block.getBody().front()) {
    if (auto found = dyn_cast<memref::LoadOp>(op); found && !load)
      load = found;
    else if (auto found = dyn_cast<memref::StoreOp>(op); found && !store)
      store = found;
    else if (!op.hasTrait<OpTrait::IsTerminator>() && !isPure(&op) &&
             !isa<tir::ReadsOp, tir::WritesOp>(op))
      return false;
  }
  if (!load || !store || store.getValueToStore() != load.getResult() ||
      load.getMemRef() != source || store.getMemRef() != target ||
      !llvm::all_of(block.getKinds().getAsValueRange<StringAttr>(),
                    [](StringRef kind) { return kind == "spatial"; }))
    return false;
  BlockIndices indices(block);
  std::optional<DigitSum> read = indices.getPlace(source, load.getIndices()),
                          written =
                              indices.getPlace(target, store.getIndices());
  return read && written && read->equals(*written);
}

static bool isReshapeByBlock(tir::PrimFuncOp func, Value source, Value target) {
  tir::BlockOp block;
  for (Operation *nest = getOnlyNest(func.getBody()); nest;
       nest = getOnlyNest(nest->getRegion(0))) {
    if (!llvm::hasSingleElement(nest->getRegion(0)))
      return false;
    block = dyn_cast<tir::BlockOp>(nest);
  }
  return block && copiesInOrder(block, source, target);
}

//===----------------------------------------------------------------------===//
// Ops on tensors
//===----------------------------------------------------------------------===//

/// `expr` of iterators with these extents.
static std::optional<DigitSum> getSum(AffineExpr expr,
                                      ArrayRef<std::optional<Factor>> extents) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    const std::optional<Factor> &extent = extents[dim.getPosition()];
    return extent ? std::optional(
                        DigitSum::getIterator(dim.getPosition(), *extent))
                  : std::nullopt;
  }
  auto number = dyn_cast<AffineConstantExpr>(expr);
  return number && number.getValue() == 0 ? std::optional(DigitSum())
                                          : std::nullopt;
}

/// Whether `op` only gives its input other dimensions: at most one of the loops
/// has a size that is not known.
static bool isReshapeByLoops(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  if (yield.getValues().size() != 1 ||
      yield.getValues().front() != op.getBody()->getArgument(0))
    return false;
  AffineMap outMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0)),
            inMap = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  SmallVector<int64_t> loops = op.getStaticLoopRanges();
  if (!outMap.isIdentity() || llvm::is_contained(loops, 0))
    return false;
  SmallVector<std::optional<Factor>> extents;
  for (auto [index, size] : llvm::enumerate(loops))
    extents.push_back(ShapedType::isDynamic(size)
                          ? Factor::getSymbol(op.getBody()->getArgument(0))
                          : Factor(size));
  if (llvm::count(loops, ShapedType::kDynamic) > 1)
    return false;
  auto getPlace = [&](AffineMap map, Value tensor) -> std::optional<DigitSum> {
    SmallVector<Factor> sizes;
    SmallVector<DigitSum> indices;
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (!type)
      return std::nullopt;
    for (auto [size, expr] :
         llvm::zip_equal(type.getShape(), map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      std::optional<DigitSum> index = getSum(expr, extents);
      if (!index || (ShapedType::isDynamic(size) && !dim) || size == 0)
        return std::nullopt;
      indices.push_back(*index);
      sizes.push_back(ShapedType::isDynamic(size) ? *extents[dim.getPosition()]
                                                  : Factor(size));
    }
    return flatten(sizes, indices);
  };
  std::optional<DigitSum> read =
                              getPlace(inMap, op.getDpsInputOperand(0)->get()),
                          written =
                              getPlace(outMap, op.getDpsInitOperand(0)->get());
  return read && written && read->equals(*written);
}

static bool isReshapeOfTensors(Value source, Value target) {
  bufferization::MaterializeInDestinationOp end;
  for (Operation *user : target.getUsers()) {
    if (isa<memref::DimOp>(user))
      continue;
    if (end || !isa<bufferization::MaterializeInDestinationOp>(user))
      return false;
    end = cast<bufferization::MaterializeInDestinationOp>(user);
  }
  if (!end || end.getDest() != target)
    return false;
  Value value = end.getSource();
  while (Operation *op = value.getDefiningOp()) {
    if (auto tensor = dyn_cast<bufferization::ToTensorOp>(op))
      return tensor.getBuffer() == source;
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      if (!isReshapeByLoops(generic))
        return false;
      value = generic.getDpsInputOperand(0)->get();
      continue;
    }
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ReshapeOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

std::optional<unsigned> partita::relax::findReshaped(tir::PrimFuncOp func) {
  if (func.isExternal() || !llvm::hasSingleElement(func.getBody()) ||
      func.getNumArguments() < 2)
    return std::nullopt;
  Value target = func.getArguments().back();
  std::optional<unsigned> source;
  for (BlockArgument argument : func.getArguments().drop_back()) {
    bool isUsed = llvm::any_of(argument.getUsers(), [](Operation *user) {
      return !isa<memref::DimOp, tir::BufferDeclOp>(user);
    });
    if (!isa<MemRefType>(argument.getType()) || !isUsed)
      continue;
    if (source)
      return std::nullopt;
    source = argument.getArgNumber();
  }
  if (!source || !isa<MemRefType>(target.getType()))
    return std::nullopt;
  Value buffer = func.getArgument(*source);
  bool isReshape = isReshapeByBlock(func, buffer, target) ||
                   isReshapeOfTensors(buffer, target);
  return isReshape ? source : std::nullopt;
}
