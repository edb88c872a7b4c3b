//===- DataflowUseInplaceCalls.cpp - Overwrite operands that end ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that can have the same memory are one set: a view and its tensor, a
// tuple and its fields, the result of a call that is not known and its
// arguments. An operand is overwritten where its set is not used any more.
//
//===----------------------------------------------------------------------===//

#include "../UniqueFunctions.h"
#include "Utils.h"

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/Transforms/LegalizeOpInterface.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/TypeSwitch.h"

namespace partita::relax {
#define GEN_PASS_DEF_DATAFLOWUSEINPLACECALLS
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// The memory that the values of a block can have, and its last uses.
class MemorySets {
public:
  explicit MemorySets(DataflowOp dataflow);

  /// Whether `op` can overwrite operand `index`.
  bool canOverwrite(Operation *op, unsigned index) const;

private:
  const void *getSet(Value value) const {
    auto found = sets.findLeader(value.getAsOpaquePointer());
    return found == sets.member_end() ? nullptr : *found;
  }
  void add(Operation &op);
  /// Values from before the block, and constants, are in one set.
  void join(Value a, Value b) {
    sets.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }

  DataflowOp dataflow;
  llvm::EquivalenceClasses<const void *> sets;
  DenseMap<const void *, Operation *> lastUses;
};

struct DataflowUseInplaceCalls
    : relax::impl::DataflowUseInplaceCallsBase<DataflowUseInplaceCalls> {
  using DataflowUseInplaceCallsBase::DataflowUseInplaceCallsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerLegalizeModels(registry);
  }
  void runOnOperation() override;
};
} // namespace

/// Whether the results of `op` can have the memory of its operands.
static bool sharesMemory(Operation *op) {
  if (isa<AliasOp, BatchFlattenOp, EnsureZeroOffsetOp, ExpandDimsOp, FlattenOp,
          MatchCastOp, PermuteDimsOp, ReshapeOp, SqueezeOp, TupleGetItemOp,
          TupleOp, ViewOp>(op))
    return true;
  // Other ops of TVM, and functions, have memory of their own.
  return !isa<TVMCallOpInterface, CallTIROp>(op) ||
         isa<EndCheckpointOp, NoGradOp, StartCheckpointOp, StopLiftParamsOp,
             ToVDeviceOp, HintOnDeviceOp>(op);
}

void MemorySets::add(Operation &op) {
  for (Value result : op.getResults()) {
    sets.insert(result.getAsOpaquePointer());
    if (!sharesMemory(&op))
      continue;
    for (Value operand : op.getOperands())
      join(result, operand);
  }
}

MemorySets::MemorySets(DataflowOp dataflow) : dataflow(dataflow) {
  Value outside;
  for (Operation &op : *dataflow.getBody()) {
    auto addOutside = [&](Value value) {
      if (!outside)
        outside = value;
      join(outside, value);
    };
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        // A function or a block in the block can keep what it uses.
        if (inner != &op || operand.getParentBlock() != dataflow.getBody())
          addOutside(operand);
    });
    add(op);
    if (isLiteral(&op))
      for (Value result : op.getResults())
        addOutside(result);
  }
  for (Operation &op : *dataflow.getBody())
    for (Value operand : op.getOperands())
      if (const void *set = getSet(operand))
        lastUses[set] = &op;
  // What is outside can be used later.
  if (outside)
    lastUses[getSet(outside)] = dataflow.getBody()->getTerminator();
}

bool MemorySets::canOverwrite(Operation *op, unsigned index) const {
  Value value = op->getOperand(index);
  const void *set = getSet(value);
  if (!set || lastUses.lookup(set) != op)
    return false;
  // The same value twice is fine: each element is read before it is written.
  return llvm::all_of(op->getOperands(), [&](Value other) {
    return other == value || getSet(other) != set;
  });
}

/// Whether a tensor can be written where the other one is.
static bool haveSameSize(Value a, Value b) {
  std::optional<TensorInfo> x = TensorInfo::get(a.getType()),
                            y = TensorInfo::get(b.getType());
  return x && y && x->elementType && x->elementType == y->elementType &&
         x->vdevice == y->vdevice && isShapeKnown(*x) && isShapeKnown(*y) &&
         x->getRank() == y->getRank() &&
         llvm::all_of_zip(x->dims, y->dims, areEqual);
}

/// The parameter of `kernel` that is `operand`, if it is a buffer.
static std::optional<unsigned> findParameter(KernelBuilder &kernel,
                                             Value operand) {
  auto *found = llvm::find(kernel.getArguments(), operand);
  if (found == kernel.getArguments().end())
    return std::nullopt;
  return found - kernel.getArguments().begin();
}

/// Replaces `op` by a call that overwrites operand `index`; returns whether
/// that is possible.
static bool overwrite(Operation *op, unsigned index,
                      UniqueFunctions &functions) {
  KernelBuilder kernel(op);
  if (failed(cast<LegalizeOpInterface>(op).legalize(kernel)))
    return false;
  std::optional<unsigned> parameter =
      findParameter(kernel, op->getOperand(index));
  FailureOr<tir::PrimFuncOp> func = kernel.finish();
  if (failed(func))
    return false;
  unsigned last = func->getNumArguments() - 1;
  if (!parameter || func->getArgument(*parameter).getType() !=
                        func->getArgument(last).getType()) {
    func->erase();
    return false;
  }
  func->getArgument(last).replaceAllUsesWith(func->getArgument(*parameter));
  (void)func->eraseArgument(last);
  func->setSymName((func->getSymName() + "_inplace").str());
  OpBuilder builder(op);
  auto callee = FlatSymbolRefAttr::get(functions.insert(*func));
  CallTIRInplaceOp call =
      createCallTIRInplace(builder, op->getLoc(), op->getResult(0).getType(),
                           callee, kernel.getArguments(), *parameter);
  call->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op->replaceAllUsesWith(call);
  op->erase();
  return true;
}

void DataflowUseInplaceCalls::runOnOperation() {
  UniqueFunctions functions(getOperation());
  SmallVector<DataflowOp> blocks;
  for (FuncOp func : getOperation().getOps<FuncOp>())
    if (!partita::transform::skipsOptimization(func))
      func.walk([&](DataflowOp dataflow) { blocks.push_back(dataflow); });
  int64_t count = 0;
  for (DataflowOp dataflow : blocks) {
    MemorySets sets(dataflow);
    SmallVector<std::pair<Operation *, unsigned>> found;
    for (Operation &op : *dataflow.getBody()) {
      if (!isa<AddOp, DivideOp, MultiplyOp, ReluOp, SiluOp, SubtractOp>(op))
        continue;
      for (auto [index, operand] : llvm::enumerate(op.getOperands()))
        if (haveSameSize(operand, op.getResult(0)) &&
            sets.canOverwrite(&op, index)) {
          found.push_back({&op, index});
          break;
        }
    }
    // An overwritten operand and the result are not the same set: the operand
    // ends with the op.
    for (auto [op, index] : found)
      count += overwrite(op, index, functions);
  }
  if (count == 0)
    markAllAnalysesPreserved();
  numOps += count;
}
