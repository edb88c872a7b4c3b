//===- FuseOps.cpp - Fuse kernels by their patterns -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Utils.h"
#include "GraphPartitioner.h"
#include "OperatorFusor.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Pass/PassContext.h"

namespace partita::relax {
#define GEN_PASS_DEF_FUSEOPS
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct FuseOps : relax::impl::FuseOpsBase<FuseOps> {
  using FuseOpsBase::FuseOpsBase;

  void runOnOperation() override;

private:
  OpPattern getPattern(Operation *op) const;
  LogicalResult fuse(DataflowOp dataflow, UniqueFunctions &functions);

  SymbolTable *symbols = nullptr;
  size_t maxDepth = 0;
};
} // namespace

OpPattern FuseOps::getPattern(Operation *op) const {
  // TVM keeps fields of packed weights apart, so that packing changes nothing.
  if (isFieldOfTuple(op))
    return isa<BlockArgument>(op->getOperand(0)) &&
                   isWeight(cast<BlockArgument>(op->getOperand(0)))
               ? OpPattern::Opaque
               : OpPattern::Injective;
  StringAttr callee;
  if (auto call = dyn_cast<CallTIROp>(op))
    callee = call.getCalleeAttr().getAttr();
  else if (isa<CallTIRInplaceOp>(op) && op->getNumOperands())
    if (auto global = op->getOperand(0).getDefiningOp<GlobalOp>())
      callee = global.getValueAttr().getAttr();
  Operation *func = callee ? symbols->lookup(callee) : nullptr;
  auto pattern = func ? func->getAttrOfType<IntegerAttr>(opPatternAttrName)
                      : IntegerAttr();
  if (!pattern || pattern.getValue().ugt(int64_t(OpPattern::Opaque)))
    return OpPattern::Opaque;
  return static_cast<OpPattern>(pattern.getInt());
}

LogicalResult FuseOps::fuse(DataflowOp dataflow, UniqueFunctions &functions) {
  BlockBindings bindings(dataflow);
  FusionGraph graph;
  graph.nodes.resize(bindings.get().size());
  for (auto [index, binding] : llvm::enumerate(bindings.get())) {
    FusionGraph::Node &node = graph.nodes[index];
    node.pattern =
        binding.field ? OpPattern::Injective : getPattern(binding.op);
    node.isOutput = bindings.isOutput(index);
    bindings.forEachUsed(index, [&](unsigned used) {
      graph.nodes[used].users.push_back(
          {static_cast<unsigned>(index), node.pattern});
    });
  }
  GraphPartitioner partitioner(graph, maxDepth);
  partitioner.run();

  std::vector<BindingGroup> groups;
  std::vector<unsigned> groupOf;
  llvm::DenseMap<unsigned, unsigned> numbers;
  for (unsigned index = 0; index < graph.nodes.size(); ++index) {
    auto [number, isNew] =
        numbers.try_emplace(partitioner.getGroup(index), groups.size());
    if (isNew)
      groups.emplace_back();
    groups[number->second].bindings.push_back(index);
    groupOf.push_back(number->second);
  }
  FailureOr<int64_t> numFused = fuseGroups(dataflow, bindings, groups, groupOf,
                                           /*liftsConstants=*/true, functions);
  if (failed(numFused))
    return failure();
  numGroups += *numFused;
  return success();
}

void FuseOps::runOnOperation() {
  const partita::transform::PassContext &context =
      partita::transform::PassContext::current();
  int level = fuseOptLevel == -1 ? context.optLevel() : fuseOptLevel;
  if (level == 0)
    return markAllAnalysesPreserved();
  maxDepth =
      std::max<int64_t>(relax::transform::getFuseOpsMaxDepth(context), 0);
  UniqueFunctions functions(getOperation());
  symbols = &functions.getSymbols();
  SmallVector<DataflowOp> blocks;
  for (FuncOp func : getOperation().getOps<FuncOp>())
    if (!isPrimitive(func) && !func->hasAttr("Codegen") &&
        !partita::transform::skipsOptimization(func))
      func.walk([&](DataflowOp dataflow) { blocks.push_back(dataflow); });
  for (DataflowOp dataflow : blocks)
    if (failed(fuse(dataflow, functions)))
      return signalPassFailure();
  if (functions.getNumAdded() == 0)
    markAllAnalysesPreserved();
  numFunctions += functions.getNumAdded();
}
