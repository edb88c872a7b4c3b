//===- Utils.cpp - What passes on Relax have in common --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace partita::relax;

DataflowOp partita::relax::createWithOutputs(DataflowOp op,
                                             ValueRange outputs) {
  op.getBody()->getTerminator()->setOperands(outputs);
  OpBuilder builder(op);
  auto made = DataflowOp::create(builder, op.getLoc(), outputs.getTypes());
  made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  made.getBodyRegion().takeBody(op.getBodyRegion());
  return made;
}

int64_t partita::relax::dissolveBlocks(FuncOp func) {
  int64_t count = 0;
  // Inner blocks come before the blocks around them.
  func.walk([&](DataflowOp op) {
    Block *body = op.getBody();
    op.replaceAllUsesWith(body->getTerminator()->getOperands());
    body->getTerminator()->erase();
    op->getBlock()->getOperations().splice(op->getIterator(),
                                           body->getOperations());
    op.erase();
    ++count;
  });
  return count;
}

CallTIRInplaceOp partita::relax::createCallTIRInplace(
    OpBuilder &builder, Location loc, Type result, FlatSymbolRefAttr callee,
    ValueRange arguments, ArrayRef<int64_t> indices) {
  Location unknown = builder.getUnknownLoc();
  Value global = GlobalOp::create(
      builder, unknown, ObjectType::get(builder.getContext()), callee);
  Value tuple = TupleOp::create(builder, unknown, arguments);
  auto attributes = builder.getDictionaryAttr(builder.getNamedAttr(
      "inplace_indices", builder.getDenseI64ArrayAttr(indices)));
  return CallTIRInplaceOp::create(
      builder, loc, result, ValueRange{global, tuple},
      builder.getTypeArrayAttr(result),
      builder.getStringAttr("relax.attrs.CallTIRInplaceAttrs"), attributes,
      /*is_pure=*/nullptr);
}

DataflowOp partita::relax::dropUnusedOutputs(DataflowOp op) {
  if (llvm::none_of(op.getResults(),
                    [](Value result) { return result.use_empty(); }))
    return op;
  Operation *output = op.getBody()->getTerminator();
  SmallVector<Value> used, operands;
  for (auto [result, operand] :
       llvm::zip(op.getResults(), output->getOperands()))
    if (!result.use_empty()) {
      used.push_back(result);
      operands.push_back(operand);
    }
  DataflowOp smaller = createWithOutputs(op, operands);
  for (auto [result, replacement] : llvm::zip(used, smaller.getResults()))
    result.replaceAllUsesWith(replacement);
  op.erase();
  return smaller;
}

NumErased partita::relax::eraseUnused(Block &block) {
  NumErased erased;
  // Backwards, so that an op comes after its users.
  for (Operation &each : llvm::make_early_inc_range(llvm::reverse(block))) {
    Operation *op = &each;
    unsigned numResults = op->getNumResults();
    if (isOpTriviallyDead(op)) {
      op->erase();
      ++erased.ops;
      continue;
    }
    if (auto dataflow = dyn_cast<DataflowOp>(op)) {
      op = dropUnusedOutputs(dataflow);
      erased.outputs += numResults - op->getNumResults();
    }
    for (Region &region : op->getRegions())
      for (Block &inner : llvm::reverse(region)) {
        NumErased more = eraseUnused(inner);
        erased.ops += more.ops;
        erased.outputs += more.outputs;
      }
  }
  return erased;
}

/// The arguments that `op` writes.
static SmallVector<Value> getWritten(Operation *op) {
  // The first operand is the function; a PrimFunc's arguments are a tuple.
  SmallVector<Value> args(op->getOperands().drop_front());
  if (isa<CallTIRInplaceOp>(op) && args.size() == 1)
    if (auto tuple = args.front().getDefiningOp<TupleOp>())
      args.assign(tuple->operand_begin(), tuple->operand_end());
  auto attrs = op->getAttrOfType<DictionaryAttr>("attrs");
  auto indices =
      attrs ? attrs.getAs<DenseI64ArrayAttr>("inplace_indices") : nullptr;
  if (!indices)
    return args;
  SmallVector<Value> written;
  for (int64_t index : indices.asArrayRef())
    if (index >= 0 && index < int64_t(args.size()))
      written.push_back(args[index]);
  return written;
}

bool partita::relax::addWrittenInPlace(Operation *op,
                                       llvm::SetVector<Operation *> &sources) {
  if (!isa<CallInplacePackedOp, CallTIRInplaceOp>(op) ||
      op->getNumOperands() == 0)
    return false;
  for (Value value : getWritten(op))
    while (Operation *source = value.getDefiningOp()) {
      sources.insert(source);
      auto dataflow = dyn_cast<DataflowOp>(source);
      if (!dataflow)
        break;
      value = dataflow.getBody()->getTerminator()->getOperand(
          cast<OpResult>(value).getResultNumber());
    }
  return true;
}
