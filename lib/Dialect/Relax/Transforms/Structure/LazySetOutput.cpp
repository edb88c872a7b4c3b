//===- LazySetOutput.cpp - Give results by calls --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"
#include "Values.h"

#include "../NarrowTypes.h"
#include "../WholeTuple.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_LAZYSETOUTPUT
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct LazySetOutput : relax::impl::LazySetOutputBase<LazySetOutput> {
  void runOnOperation() override;
};
} // namespace

/// The op whose results are the values that `end` returns, if it has more than
/// one and `end` returns all of them in order.
static Operation *getOpOfAll(ReturnOp end) {
  Operation *op = nullptr;
  for (auto [index, operand] : llvm::enumerate(end->getOperands())) {
    auto result = dyn_cast<OpResult>(getUncast(operand));
    if (!result || result.getResultNumber() != index ||
        (op && op != result.getOwner()) || isa<DataflowOp>(result.getOwner()))
      return nullptr;
    op = result.getOwner();
  }
  return op && op->getNumResults() > 1 &&
                 op->getNumResults() == end->getNumOperands()
             ? op
             : nullptr;
}

/// The values that `end` returns in TVM.
static SmallVector<Value> getOutputs(ReturnOp end) {
  if (Value tuple = getWholeTuple(end))
    return {tuple};
  if (Operation *op = getOpOfAll(end)) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    return {
        TupleOp::create(builder, builder.getUnknownLoc(), op->getResults())};
  }
  SmallVector<Value> outputs =
      llvm::map_to_vector(end->getOperands(), getUncast);
  if (outputs.size() == 1)
    if (auto tuple = outputs.front().getDefiningOp<TupleOp>();
        tuple && isPartOfUser(tuple))
      return llvm::to_vector(tuple.getFields());
  return outputs;
}

void LazySetOutput::runOnOperation() {
  FuncOp func = getOperation();
  if (!getGlobalSymbol(func) || !isChangeable(func))
    return;
  FailureOr<unsigned> place = getNumInput(func, func.getNumArguments());
  if (failed(place))
    return signalPassFailure();
  MLIRContext *context = &getContext();
  Type number = IntegerType::get(context, 64),
       object = ObjectType::get(context), nothing = TupleType::get(context);
  auto type = CallableType::get(context, {number, object}, nothing,
                                /*pure=*/false, /*takesAny=*/false, {});
  if (failed(func.insertArgument(*place, type, {},
                                 getNamedLoc(context, "fset_output"))))
    return signalPassFailure();

  auto end = cast<ReturnOp>(func.getBody().front().getTerminator());
  llvm::MapVector<Value, SmallVector<int64_t>> indices;
  for (auto [index, output] : llvm::enumerate(getOutputs(end)))
    indices[output].push_back(index);
  // Parameters are given in their order, at the start.
  SmallVector<Value> outputs;
  for (BlockArgument parameter : func.getArguments())
    if (indices.contains(parameter))
      outputs.push_back(parameter);
  for (Value output : llvm::make_first_range(indices))
    if (!isa<BlockArgument>(output))
      outputs.push_back(output);
  OpBuilder builder = OpBuilder::atBlockBegin(end->getBlock());
  for (Value output : outputs) {
    if (Operation *op = output.getDefiningOp(); op && isPartOfUser(op))
      builder.setInsertionPoint(end);
    else if (op)
      builder.setInsertionPointAfter(op);
    for (int64_t index : indices[output]) {
      SmallVector<Value> operands = {
          func.getArgument(*place),
          PrimValueOp::create(builder, builder.getUnknownLoc(),
                              builder.getI64IntegerAttr(index)),
          output};
      CallValueOp::create(builder, getNamedLoc(context, "_void"), nothing,
                          operands);
      ++numOutputs;
    }
  }

  SmallVector<Value> returned(end->getOperands());
  end->setOperands({});
  for (Value value : llvm::SetVector<Value>(returned.begin(), returned.end()))
    eraseUnusedPart(value);
  narrowResultTypes(func);
  func.setIsPure(false);
  if (func->hasAttr("num_input"))
    setNumInput(func, *place + 1);
}
