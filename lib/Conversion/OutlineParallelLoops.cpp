//===- OutlineParallelLoops.cpp - Loops that several threads run ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's async-parallel-for needs a runtime whose tasks take 5 to 20 us each,
// and coroutines. The runtime of compiled code has threads of its own.
//
//===----------------------------------------------------------------------===//

#include "partita/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace partita::conversion {
#define GEN_PASS_DEF_OUTLINEPARALLELLOOPS
#include "partita/Conversion/Passes.h.inc"
} // namespace partita::conversion

using namespace mlir;
using namespace partita;

namespace {
struct OutlineParallelLoops
    : conversion::impl::OutlineParallelLoopsBase<OutlineParallelLoops> {
  using OutlineParallelLoopsBase::OutlineParallelLoopsBase;

  void runOnOperation() override;
};

/// A dimension of a nest of loops, for threads to share.
struct SharedLoop {
  scf::ParallelOp nest;
  unsigned dim;
  /// The fewest iterations that are worth a thread.
  int64_t grain;
};

/// Finds what threads can share in a function.
class SharedLoopFinder {
public:
  SharedLoopFinder(double minWork, SmallVectorImpl<SharedLoop> &found)
      : minWork(minWork), found(found) {}

  void find(Operation *op);

private:
  double minWork;
  SmallVectorImpl<SharedLoop> &found;
};

/// Makes functions of loops.
class LoopOutliner {
public:
  explicit LoopOutliner(ModuleOp module) : table(module) {}

  void outline(const SharedLoop &loop);

private:
  std::string makeName();
  void buildBody(ImplicitLocOpBuilder &builder, const SharedLoop &loop,
                 func::FuncOp body, IRMapping &map);

  SymbolTable table;
  unsigned numNames = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// SharedLoopFinder
//===----------------------------------------------------------------------===//

static std::optional<int64_t>
countIterations(OpFoldResult begin, OpFoldResult end, OpFoldResult step) {
  std::optional<APInt> count = constantTripCount(
      begin, end, step, /*isSigned=*/true, scf::computeUbMinusLb);
  return count ? std::optional(count->getSExtValue()) : std::nullopt;
}

static std::optional<int64_t> countIterations(scf::ParallelOp loop,
                                              unsigned dim) {
  return countIterations(loop.getLowerBound()[dim], loop.getUpperBound()[dim],
                         loop.getStep()[dim]);
}

/// What is assumed of sizes that have names.
static constexpr int64_t unknownCount = 16;

/// Roughly how many instructions an op takes.
static double estimateWork(Operation &op) {
  if (op.hasTrait<OpTrait::ConstantLike>() ||
      op.hasTrait<OpTrait::IsTerminator>())
    return 0;
  double work = 0;
  for (Region &region : op.getRegions())
    for (Operation &inner : region.getOps())
      work += estimateWork(inner);
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  if (!loop) // Functions of libraries take longer.
    return work + (op.getName().getDialectNamespace() == "math" ? 20 : 1);
  std::optional<SmallVector<OpFoldResult>> begins = loop.getLoopLowerBounds(),
                                           ends = loop.getLoopUpperBounds(),
                                           steps = loop.getLoopSteps();
  if (!begins || !ends || !steps)
    return work * unknownCount;
  for (auto [begin, end, step] : llvm::zip_equal(*begins, *ends, *steps))
    work *= countIterations(begin, end, step).value_or(unknownCount);
  return work;
}

/// Whether other threads can run the loop: it neither calls nor allocates what
/// the runtime has for the thread of the call alone.
static bool isShareable(scf::ParallelOp nest) {
  // A call has unknown effects.
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(nest);
  return nest.getInitVals().empty() && effects &&
         llvm::all_of(*effects, [](const MemoryEffects::EffectInstance &one) {
           return isa<MemoryEffects::Read, MemoryEffects::Write>(
               one.getEffect());
         });
}

void SharedLoopFinder::find(Operation *op) {
  op->walk<WalkOrder::PreOrder>([&](scf::ParallelOp nest) {
    if (!isShareable(nest))
      return WalkResult::skip();
    double work = estimateWork(*nest);
    // The first loop with several iterations; without one, a nest in the body.
    for (unsigned dim = 0; dim < nest.getNumLoops(); ++dim) {
      std::optional<int64_t> count = countIterations(nest, dim);
      if (count == 1)
        continue;
      // The runtime looks at numbers that are unknown here.
      if (work == 0 || (count && work < 2 * minWork))
        return WalkResult::skip();
      double grain = minWork * count.value_or(unknownCount) / work;
      found.push_back({nest, dim, static_cast<int64_t>(std::max(grain, 1.0))});
      return WalkResult::skip();
    }
    return WalkResult::advance();
  });
}

//===----------------------------------------------------------------------===//
// LoopOutliner
//===----------------------------------------------------------------------===//

std::string LoopOutliner::makeName() {
  for (;;) {
    std::string name = "partita_parallel_" + std::to_string(numNames++);
    if (!table.lookup(name) && !table.lookup(name + "_body"))
      return name;
  }
}

/// Runs the iterations from the first argument to the second.
void LoopOutliner::buildBody(ImplicitLocOpBuilder &builder,
                             const SharedLoop &loop, func::FuncOp body,
                             IRMapping &map) {
  scf::ParallelOp nest = loop.nest;
  unsigned dim = loop.dim;
  auto one = arith::ConstantIndexOp::create(builder, 1);
  auto chunk = scf::ForOp::create(builder, body.getArgument(0),
                                  body.getArgument(1), one);
  builder.setInsertionPointToStart(chunk.getBody());
  auto pick = [&](ValueRange values, SmallVectorImpl<Value> &others) {
    for (auto [index, value] : llvm::enumerate(values))
      if (index != dim)
        others.push_back(map.lookupOrDefault(value));
  };
  Value scaled = builder.createOrFold<arith::MulIOp>(
      chunk.getInductionVar(), map.lookupOrDefault(nest.getStep()[dim]));
  map.map(nest.getInductionVars()[dim],
          builder.createOrFold<arith::AddIOp>(
              scaled, map.lookupOrDefault(nest.getLowerBound()[dim])));
  SmallVector<Value> begins, ends, steps, variables;
  pick(nest.getLowerBound(), begins);
  pick(nest.getUpperBound(), ends);
  pick(nest.getStep(), steps);
  if (!begins.empty()) {
    auto inner = scf::ParallelOp::create(builder, begins, ends, steps);
    for (auto [index, variable] : llvm::enumerate(nest.getInductionVars()))
      if (index != dim)
        map.map(variable, inner.getInductionVars()[index - (index > dim)]);
    builder.setInsertionPointToStart(inner.getBody());
  }
  for (Operation &op : nest.getBody()->without_terminator())
    builder.clone(op, map);
}

void LoopOutliner::outline(const SharedLoop &loop) {
  auto [nest, dim, grain] = loop;
  ImplicitLocOpBuilder builder(nest.getLoc(), nest);
  llvm::SetVector<Value> used(nest->operand_begin(), nest->operand_end());
  getUsedValuesDefinedAbove(nest.getRegion(), used);
  SmallVector<Operation *> constants;
  SmallVector<Value> captured;
  for (Value value : used) {
    Operation *op = value.getDefiningOp();
    if (op && op->hasTrait<OpTrait::ConstantLike>())
      constants.push_back(op);
    else
      captured.push_back(value);
  }
  Value size = arith::SubIOp::create(builder, nest.getUpperBound()[dim],
                                     nest.getLowerBound()[dim]);
  SmallVector<Value> arguments = {
      arith::CeilDivSIOp::create(builder, size, nest.getStep()[dim]),
      arith::ConstantIndexOp::create(builder, grain)};
  llvm::append_range(arguments, captured);
  auto type = builder.getFunctionType(ValueRange(arguments).getTypes(), {});
  auto func = nest->getParentOfType<func::FuncOp>();
  std::string name = makeName();
  auto call = func::CallOp::create(builder, name, TypeRange(), arguments);
  builder.setInsertionPoint(func);
  auto declaration = func::FuncOp::create(builder, name, type);
  auto body = func::FuncOp::create(builder, name + "_body", type);
  for (func::FuncOp made : {declaration, body}) {
    made.setPrivate();
    made->setAttr("llvm.emit_c_interface", builder.getUnitAttr());
    table.insert(made);
  }
  // The runtime calls the body.
  call->setAttr("body", FlatSymbolRefAttr::get(body));
  builder.setInsertionPointToStart(body.addEntryBlock());
  IRMapping map;
  for (Operation *op : constants)
    builder.clone(*op, map);
  map.map(captured, body.getArguments().drop_front(2));
  buildBody(builder, loop, body, map);
  builder.setInsertionPointToEnd(&body.getBody().front());
  func::ReturnOp::create(builder);
  nest.erase();
}

void OutlineParallelLoops::runOnOperation() {
  auto module = dyn_cast<ModuleOp>(getOperation());
  if (!module) {
    getOperation()->emitOpError("can't be lowered: expected a builtin.module");
    return signalPassFailure();
  }
  // Counts of iterations are made of it.
  if (!(minWork >= 0 && minWork <= 1e15)) {
    module.emitError("expected min-work to be a number from 0 to 1e15, but "
                     "found ")
        << minWork;
    return signalPassFailure();
  }
  SmallVector<SharedLoop> loops;
  SharedLoopFinder finder(minWork, loops);
  for (auto func : module.getOps<func::FuncOp>())
    finder.find(func);
  if (loops.empty())
    return markAllAnalysesPreserved();
  LoopOutliner outliner(module);
  for (const SharedLoop &loop : loops)
    outliner.outline(loop);
}
