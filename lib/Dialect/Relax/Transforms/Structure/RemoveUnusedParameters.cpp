//===- RemoveUnusedParameters.cpp - Drop unused parameters ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"
#include "Values.h"

#include "../Utils.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "llvm/ADT/BitVector.h"

namespace partita::relax {
#define GEN_PASS_DEF_REMOVEUNUSEDPARAMETERS
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// What becomes of a function.
struct Change {
  PrivateFunction function;
  BitVector erased;
  /// The sizes that become parameters, and for each call what they are there.
  SmallVector<StringAttr> names;
  SmallVector<SmallVector<Dim>> sizes;
};

struct RemoveUnusedParameters
    : relax::impl::RemoveUnusedParametersBase<RemoveUnusedParameters> {
  void runOnOperation() override;
};
} // namespace

/// The names that the body of `func` needs and only erased parameters
/// introduce; the last one that turns up comes first, as in TVM.
static SmallVector<StringAttr> getLostNames(FuncOp func,
                                            const BitVector &erased) {
  llvm::DenseSet<StringAttr> lost;
  for (unsigned index : erased.set_bits())
    lost.insert_range(getNamesOfParameter(func, index));
  for (unsigned index = 0; index < erased.size(); ++index)
    if (!erased[index])
      for (StringAttr name : getNamesOfParameter(func, index))
        lost.erase(name);
  llvm::SetVector<StringAttr> needed;
  auto add = [&](StringAttr name) {
    if (lost.contains(name))
      needed.insert(name);
  };
  if (!lost.empty())
    func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      // What is kept as it is can have any name.
      if (isa<OpaqueExprOp>(op))
        for (StringAttr name : func.getParameterNames())
          add(name);
      forEachNameIn(op, add);
    });
  for (Type type : func.getResultTypes())
    forEachNameIn(type, add);
  return llvm::to_vector(llvm::reverse(needed));
}

static Change planChange(const PrivateFunction &function) {
  FuncOp func = function.func;
  Change change{function, BitVector(func.getNumArguments()), {}, {}};
  for (BlockArgument argument : func.getArguments())
    if (argument.use_empty())
      change.erased.set(argument.getArgNumber());
  if (change.erased.none())
    return change;
  // Keep what gives a size that a call does not say.
  llvm::DenseSet<StringAttr> unknown;
  change.names = getLostNames(func, change.erased);
  for (CallOp call : function.calls)
    for (auto [name, size] :
         llvm::zip(change.names,
                   getSizesOfNames(func, call.getOperands(), change.names)))
      if (size.isUnknown())
        unknown.insert(name);
  for (unsigned index = 0; index < change.erased.size(); ++index)
    if (llvm::any_of(getNamesOfParameter(func, index),
                     [&](StringAttr name) { return unknown.contains(name); }))
      change.erased.reset(index);
  change.names = getLostNames(func, change.erased);
  for (CallOp call : function.calls)
    change.sizes.push_back(
        getSizesOfNames(func, call.getOperands(), change.names));
  return change;
}

static void applyChange(Change &change) {
  FuncOp func = change.function.func;
  MLIRContext *context = func.getContext();
  for (auto [call, sizes] : llvm::zip(change.function.calls, change.sizes)) {
    OpBuilder builder(call);
    SmallVector<Value> operands;
    for (auto [index, operand] : llvm::enumerate(call.getOperands()))
      if (!change.erased[index])
        operands.push_back(operand);
    for (Dim size : sizes)
      operands.push_back(ShapeOp::create(builder, builder.getUnknownLoc(),
                                         ShapeAttr::get(context, size)));
    call.getOperandsMutable().assign(operands);
    call.removeArgAttrsAttr();
  }
  (void)func.eraseArguments(change.erased);
  for (StringAttr name : change.names)
    (void)func.insertArgument(
        func.getNumArguments(), relax::ShapeType::get(context, {Dim(name)}), {},
        getNamedLoc(context, "param_" + Twine(name.getValue())));
}

void RemoveUnusedParameters::runOnOperation() {
  std::vector<Change> changes;
  llvm::SetVector<Operation *> callers;
  for (auto &[name, function] : findPrivateFunctions(getOperation())) {
    Change change = planChange(function);
    if (change.erased.none())
      continue;
    for (CallOp call : function.calls)
      callers.insert(call->getParentOfType<FuncOp>());
    numParameters += change.erased.count();
    changes.push_back(std::move(change));
  }
  if (changes.empty())
    return markAllAnalysesPreserved();
  for (Change &change : changes)
    applyChange(change);
  for (Operation *caller : callers)
    eraseUnused(cast<FuncOp>(caller).getBody().front());
}
