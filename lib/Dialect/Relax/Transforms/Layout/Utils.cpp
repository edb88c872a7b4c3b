//===- Utils.cpp - What passes on layouts have in common ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/Relax/IR/RelaxIndexMap.h"
#include "partita/Dialect/Relax/IR/RelaxVariables.h"

using namespace mlir;
using namespace partita::relax;

void partita::relax::appendLeaves(Type type, SmallVectorImpl<Type> &leaves) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return leaves.push_back(type);
  for (Type field : tuple.getTypes())
    appendLeaves(field, leaves);
}

Value partita::relax::createField(OpBuilder &builder, Location loc,
                                  Value value) {
  Operation *def = value.getDefiningOp();
  bool isField = def && def->getNumResults() > 1 && !isa<DataflowOp>(def);
  return isField ? AliasOp::create(builder, loc, value).getResult() : value;
}

Value partita::relax::createField(OpBuilder &builder, Location loc, Value tuple,
                                  int64_t index) {
  if (auto made = tuple.getDefiningOp<TupleOp>())
    return createField(builder, loc, made.getFields()[index]);
  return TupleGetItemOp::create(builder, loc, tuple, index);
}

void partita::relax::eraseUnusedTuple(Value value) {
  TupleOp tuple = getUnnamedTuple(value);
  if (!tuple || !tuple->use_empty())
    return;
  SmallVector<Value> fields(tuple.getFields());
  tuple.erase();
  for (Value field : fields)
    if (auto number = field.getDefiningOp<PrimValueOp>();
        number && number->use_empty())
      number.erase();
}

void partita::relax::dropLikeRewriter(FuncOp func) {
  func.walk([](AliasOp alias) {
    // A field of several results is no name in TVM.
    Operation *def = alias.getValue().getDefiningOp();
    if (def && def->getNumResults() > 1)
      return;
    alias.getResult().replaceAllUsesWith(alias.getValue());
    alias.erase();
  });
  func.walk([](DataflowOp block) {
    Operation *end = block.getBody()->getTerminator();
    for (auto [result, value] :
         llvm::zip_equal(block->getResults(), end->getOperands()))
      if (value.getType() == result.getType() &&
          !block->isProperAncestor(value.getParentRegion()->getParentOp()) &&
          value.getParentBlock() != block.getBody())
        result.replaceAllUsesWith(value);
  });
  eraseUnused(func.getBody().front());
}

bool partita::relax::leavesBlock(Value value) {
  Operation *end = value.getParentBlock()->getTerminator();
  return llvm::is_contained(value.getUsers(), end);
}

std::optional<unsigned> partita::relax::findWholeOutput(Operation *op) {
  if (op->getNumResults() < 2)
    return std::nullopt;
  Operation *end = op->getBlock()->getTerminator();
  auto uses = op->getResult(0).getUses();
  auto use = llvm::find_if(
      uses, [&](OpOperand &use) { return use.getOwner() == end; });
  if (use == uses.end())
    return std::nullopt;
  unsigned first = use->getOperandNumber();
  if (first + op->getNumResults() > end->getNumOperands() ||
      !llvm::equal(end->getOperands().slice(first, op->getNumResults()),
                   op->getResults()))
    return std::nullopt;
  return first;
}

/// Lets the users of `field` take field `index` of `tuple`.
static void replaceByField(OpBuilder &builder, Value field, Value tuple,
                           int64_t index) {
  auto create = [&](Location loc) {
    return TupleGetItemOp::create(builder, loc, tuple, index).getResult();
  };
  // What has a name is the field itself.
  for (Operation *user : llvm::make_early_inc_range(field.getUsers()))
    if (auto alias = dyn_cast<AliasOp>(user);
        alias && alias->getBlock() == builder.getBlock()) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(alias);
      alias.getResult().replaceAllUsesWith(create(alias.getLoc()));
      alias.erase();
    }
  if (!field.use_empty())
    field.replaceAllUsesWith(create(builder.getUnknownLoc()));
}

void partita::relax::outputTuples(DataflowOp block,
                                  ArrayRef<WholeOutput> outputs) {
  if (outputs.empty())
    return;
  auto end = cast<OutputOp>(block.getBody()->getTerminator());
  OpBuilder builder(end);
  SmallVector<Value> tuples(end->getNumOperands()), values;
  SmallVector<unsigned> places(end->getNumOperands());
  for (const WholeOutput &output : outputs) {
    Value tuple =
        TupleOp::create(builder, builder.getUnknownLoc(), output.fields);
    std::fill_n(tuples.begin() + output.first, output.fields.size(), tuple);
  }
  for (auto [index, operand] : llvm::enumerate(end->getOperands())) {
    if (!tuples[index])
      values.push_back(operand);
    else if (index == 0 || tuples[index] != tuples[index - 1])
      values.push_back(tuples[index]);
    places[index] = values.size() - 1;
  }
  DataflowOp made = createWithOutputs(block, values);
  builder.setInsertionPointAfter(made);
  int64_t field = 0;
  for (auto [index, result] : llvm::enumerate(block->getResults())) {
    Value value = made->getResult(places[index]);
    if (!tuples[index]) {
      result.replaceAllUsesWith(value);
      continue;
    }
    bool isFirst = index == 0 || tuples[index] != tuples[index - 1];
    field = isFirst ? 0 : field + 1;
    replaceByField(builder, result, value, field);
  }
  block.erase();
}

IndexMapAttr partita::relax::getIndexMap(MLIRContext *context,
                                         const Layout &from, const Layout &to) {
  // The index in a whole dimension, for each of these.
  SmallVector<AffineExpr> indices(from.getRank());
  for (auto [index, axis] : llvm::enumerate(from.getAxes()))
    if (!axis.factor)
      indices[axis.dim] = getAffineDimExpr(index, context);
  for (auto [index, axis] : llvm::enumerate(from.getAxes()))
    if (axis.factor > 1)
      indices[axis.dim] =
          indices[axis.dim] * axis.factor + getAffineDimExpr(index, context);
  SmallVector<int64_t> factors(to.getRank());
  for (const LayoutAxis &axis : to.getAxes())
    factors[axis.dim] = std::max(factors[axis.dim], axis.factor);
  SmallVector<AffineExpr> results;
  for (const LayoutAxis &axis : to.getAxes()) {
    AffineExpr index = indices[axis.dim];
    int64_t factor = factors[axis.dim];
    if (factor == 1 && axis.factor)
      index = getAffineConstantExpr(0, context);
    else if (factor > 1)
      index = axis.factor ? index % factor : index.floorDiv(factor);
    results.push_back(index);
  }
  return IndexMapAttr::get(
      context, AffineMap::get(from.getAxes().size(), 0, results, context),
      IntegerType::get(context, 32));
}
