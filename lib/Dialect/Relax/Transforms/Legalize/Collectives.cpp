//===- Collectives.cpp - What several workers compute together ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../NarrowTypes.h"
#include "Models.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

static Value getDiscoFunction(OpBuilder &builder, StringRef name) {
  return ExternFuncOp::create(
      builder, builder.getUnknownLoc(), ObjectType::get(builder.getContext()),
      builder.getStringAttr(("runtime.disco." + name).str()));
}

/// Calls TVM's function `name`, which writes the result of `op`.
static Value callDisco(Operation *op, StringRef name, ValueRange arguments) {
  OpBuilder builder(op);
  Value tuple = TupleOp::create(
            builder, builder.getUnknownLoc(),
            TupleType::get(op->getContext(), arguments.getTypes()), arguments),
        function = getDiscoFunction(builder, name);
  Type type = op->getResult(0).getType();
  auto call = CallDPSPackedOp::create(builder, op->getLoc(), type,
                                      ValueRange{function, tuple});
  call.setTyArgsAttr(builder.getTypeArrayAttr(type));
  return call.getResult();
}

static Value createBool(OpBuilder &builder, bool value) {
  return PrimValueOp::create(builder, builder.getUnknownLoc(),
                             builder.getBoolAttr(value));
}

static Value reduce(AllReduceOp op) {
  auto kind = llvm::StringSwitch<std::optional<int64_t>>(op.getOpType())
                  .Case("sum", 0)
                  .Case("prod", 1)
                  .Case("min", 2)
                  .Case("max", 3)
                  .Case("avg", 4)
                  .Default(std::nullopt);
  if (!kind)
    return {};
  OpBuilder builder(op);
  Value shape = createShape(builder, Dim(*kind));
  return callDisco(op, "allreduce",
                   {op.getX(), shape, createBool(builder, op.getInGroup())});
}

/// The workers' parts come first, because each is sent in one piece.
static Value scatter(ScatterFromWorker0Op op) {
  OpBuilder builder(op);
  Location loc = withoutName(op.getLoc());
  SmallVector<Dim> dims = getDims(op.getX());
  int64_t axis = fromFront(op.getAxis(), dims.size());
  dims[axis] = floorDiv(dims[axis], Dim(op.getNumWorkers()));
  dims.insert(dims.begin() + axis, Dim(op.getNumWorkers()));
  Value parts =
      ReshapeOp::create(builder, loc, op.getX(), createShape(builder, dims));
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(dims.size()));
  std::rotate(order.begin(), order.begin() + axis, order.begin() + axis + 1);
  if (axis != 0)
    parts = PermuteDimsOp::create(builder, loc, parts,
                                  builder.getDenseI64ArrayAttr(order));
  return callDisco(op, "scatter_from_worker0",
                   {parts, createBool(builder, false)});
}

/// Each worker knows its number, and takes its part.
static Value takePart(RedistributeReplicaToShardOp op,
                      DenseSet<StringAttr> &names) {
  SmallVector<Dim> dims = getDims(op.getInput());
  int64_t rank = dims.size(), axis = op.getAxis(), workers = op.getNumWorkers();
  if (workers < 1 || axis < -rank || axis >= rank)
    return {};
  axis = fromFront(axis, rank);
  OpBuilder builder(op);
  MLIRContext *context = op.getContext();
  Location loc = withoutName(op.getLoc());
  Type type = ShapeType::getUnranked(context);
  auto number = CallPurePackedOp::create(
      builder, loc, type, ValueRange{getDiscoFunction(builder, "worker_id")});
  number.setTyArgsAttr(builder.getTypeArrayAttr(type));
  SmallVector<Dim> worker = makeNames(context, 1, names);
  MatchCastOp::create(builder, loc, ShapeType::get(context, worker),
                      number.getResult());
  auto toTuple = [&](Value value) -> Value {
    return TupleOp::create(builder, builder.getUnknownLoc(),
                           TupleType::get(context, value.getType()), value);
  };
  auto getBound = [&](Dim before) -> Value {
    Dim bound = floorDiv(before * dims[axis], Dim(workers));
    return toTuple(DimOp::create(builder, builder.getUnknownLoc(),
                                 builder.getI64Type(),
                                 ShapeAttr::get(context, bound)));
  };
  Value part = StridedSliceOp::create(
      builder, op.getLoc(), op.getInput(), toTuple(createInt(builder, axis)),
      getBound(worker.front()), getBound(worker.front() + Dim(1)),
      /*strides=*/Value(), /*assume_inbound=*/true);
  if (part.getType() != op.getResult().getType())
    part = MatchCastOp::create(builder, op.getLoc(), op.getResult().getType(),
                               part);
  return part;
}

bool partita::relax::legalizeCollective(Operation *op,
                                        DenseSet<StringAttr> &names) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  // Memory can be allocated for tensors whose types say all.
  for (Value value : {op->getOperand(0), Value(op->getResult(0))}) {
    std::optional<TensorInfo> info = TensorInfo::get(value.getType());
    if (!info || !info->elementType || !isShapeKnown(*info))
      return false;
  }
  OpBuilder builder(op);
  Value result;
  if (auto gather = dyn_cast<AllGatherOp>(op))
    result =
        callDisco(op, "allgather",
                  {gather.getX(), createBool(builder, gather.getInGroup())});
  else if (auto broadcast = dyn_cast<BroadcastFromWorker0Op>(op))
    result = callDisco(op, "broadcast_from_worker0",
                       {broadcast.getX(), createBool(builder, false)});
  else if (auto allReduce = dyn_cast<AllReduceOp>(op))
    result = reduce(allReduce);
  else if (auto fromWorker0 = dyn_cast<ScatterFromWorker0Op>(op))
    result = scatter(fromWorker0);
  else if (auto toShard = dyn_cast<RedistributeReplicaToShardOp>(op))
    result = takePart(toShard, names);
  if (!result)
    return false;
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return true;
}
