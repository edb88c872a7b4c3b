//===- LegalizeOps.cpp - Turn ops into calls of prim_funcs ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How an op is lowered, its LegalizeOpInterface says: see Models.h.
//
//===----------------------------------------------------------------------===//

#include "../NarrowTypes.h"
#include "../UniqueFunctions.h"
#include "../Utils.h"
#include "Models.h"

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/Transforms/LegalizeOpInterface.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Pass/Pass.h"

#include "llvm/ADT/StringSet.h"

namespace partita::relax {
#define GEN_PASS_DEF_LEGALIZEOPS
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct LegalizeOps : relax::impl::LegalizeOpsBase<LegalizeOps> {
  using LegalizeOpsBase::LegalizeOpsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerLegalizeModels(registry);
  }

  void runOnOperation() override;

private:
  bool isSkipped(Operation *op) const {
    return skipped.contains(op->getName().getStringRef());
  }
  void legalize(Operation *op, UniqueFunctions &functions);
  void prepare(FuncOp func, UniqueFunctions &functions);

  StringSet<> skipped;
};
} // namespace

/// Calls TVM's function for what no kernel computes: effects, and results whose
/// sizes depend on values. It takes the operands as they are.
static void callPackedFunc(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value callee = ExternFuncOp::create(
      builder, builder.getUnknownLoc(), ObjectType::get(op->getContext()),
      ("relax.run." + op->getName().stripDialect()).str());
  SmallVector<Value> operands = {callee};
  llvm::append_range(operands, op->getOperands());
  Type type = op->getNumResults() == 1
                  ? op->getResult(0).getType()
                  : TupleType::get(op->getContext(), op->getResultTypes());
  bool isPure = isMemoryEffectFree(op);
  OperationState state(loc, isPure ? CallPurePackedOp::getOperationName()
                                   : CallValueOp::getOperationName());
  state.addOperands(operands);
  state.addTypes(type);
  state.addAttribute("ty_args", builder.getTypeArrayAttr(type));
  Value result = builder.create(state)->getResult(0);
  if (op->getNumResults() == 1)
    op->getResult(0).replaceAllUsesWith(result);
  else
    for (OpResult field : op->getResults())
      field.replaceAllUsesWith(TupleGetItemOp::create(
          builder, loc, field.getType(), result, field.getResultNumber()));
  op->erase();
}

void LegalizeOps::legalize(Operation *op, UniqueFunctions &functions) {
  if (isa<AssertOp, NonzeroOp, PrintOp, UniqueOp>(op)) {
    callPackedFunc(op);
    ++numOps;
    return;
  }
  // They matter to Gradient alone.
  if (isa<EndCheckpointOp, NoGradOp, StartCheckpointOp>(op)) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
    ++numOps;
    return;
  }
  // A grid of one vector is this vector, in a tuple.
  if (auto grid = dyn_cast<MeshgridOp>(op);
      grid && isa<TupleType>(op->getResult(0).getType()) &&
      grid.getTensors().getTypes() ==
          cast<TupleType>(op->getResult(0).getType()).getTypes()) {
    OpBuilder builder(op);
    op->getResult(0).replaceAllUsesWith(TupleOp::create(
        builder, op->getLoc(), op->getResultTypes(), grid.getTensors()));
    op->erase();
    ++numOps;
    return;
  }
  auto interface = dyn_cast<LegalizeOpInterface>(op);
  if (!interface) {
    if (enableWarning && isa<TVMCallOpInterface>(op))
      op->emitWarning("expected an op that can be legalized, found one without "
                      "a lowering");
    return;
  }
  numOps += replaceWithCheckedSizes(op, [&] {
    return replaceByKernel(op, functions, [&](KernelBuilder &kernel) {
      return interface.legalize(kernel);
    });
  });
}

/// Casts the shape of `op`'s result to one whose sizes have names.
static void nameShape(Operation *op, DenseSet<StringAttr> &names) {
  for (OpOperand &operand : op->getOpOperands())
    if (auto type = dyn_cast<ShapeType>(operand.get().getType())) {
      OpBuilder builder(op);
      MLIRContext *context = op->getContext();
      operand.set(MatchCastOp::create(
          builder, withoutName(op->getLoc()),
          ShapeType::get(context,
                         makeNames(context, type.getDims().size(), names)),
          operand.get()));
    }
}

/// Whether `op` makes a tensor of a shape that is only known by its rank.
static bool needsNames(Operation *op) {
  return isa<BroadcastToOp, FullOp, OnesOp, ZerosOp>(op) &&
         llvm::any_of(op->getOperandTypes(), [](Type operand) {
           auto type = dyn_cast<ShapeType>(operand);
           return type && type.getRanked() &&
                  llvm::any_of(type.getDims(),
                               [](Dim dim) { return dim.isUnknown(); });
         });
}

/// Whether `op` becomes other ops before ops become calls.
static bool isPrepared(Operation *op) {
  return isa<AllGatherOp, AllReduceOp, BroadcastFromWorker0Op,
             DynamicStridedSliceOp, RedistributeReplicaToShardOp,
             ScatterFromWorker0Op>(op) ||
         needsNames(op);
}

/// Ops around calls of packed functions become legal later. The sizes of
/// results get names, so that ops after them can be lowered.
void LegalizeOps::prepare(FuncOp func, UniqueFunctions &functions) {
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (isPrepared(op) && !isSkipped(op))
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  DenseSet<StringAttr> names = collectNames(func);
  for (Operation *op : ops)
    if (auto slice = dyn_cast<DynamicStridedSliceOp>(op))
      numOps += legalizeDynamicSlice(slice, functions, names);
    else if (!needsNames(op))
      numOps += legalizeCollective(op, names);
    else
      nameShape(op, names);
  narrowTypes(func);
}

void LegalizeOps::runOnOperation() {
  for (const std::string &name : skipOps)
    skipped.insert(name);
  UniqueFunctions functions(getOperation());
  for (FuncOp func : getOperation().getOps<FuncOp>())
    if (!partita::transform::skipsOptimization(func))
      prepare(func, functions);
  SmallVector<Operation *> ops;
  for (FuncOp func : getOperation().getOps<FuncOp>())
    if (!partita::transform::skipsOptimization(func))
      func.walk([&](Operation *op) {
        if (isa_and_present<RelaxDialect>(op->getDialect()) && !isSkipped(op))
          ops.push_back(op);
      });
  for (Operation *op : ops)
    legalize(op, functions);
  numFunctions += functions.getNumAdded();
}
