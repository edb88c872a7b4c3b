//===- AnnotateIrregularLoop.cpp - Mark loops that statements leave -------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace partita::tir {
#define GEN_PASS_DEF_ANNOTATEIRREGULARLOOP
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

namespace {
struct AnnotateIrregularLoop
    : tir::impl::AnnotateIrregularLoopBase<AnnotateIrregularLoop> {
  void runOnOperation() override;
};
} // namespace

/// Whether `op` leaves its loop or the loop's iteration.
static bool isJump(Operation *op) {
  if (auto call = dyn_cast<CallIntrinOp>(op))
    return call.getIntrinsic() == "tirx.break_loop" ||
           call.getIntrinsic() == "tirx.continue_loop";
  return isa<BreakOp, ContinueOp>(op);
}

/// Marks `loop`; fails if it can't be left.
static LogicalResult annotateIrregular(Operation *loop) {
  if (StringRef kind = getLoopKind(loop); kind != "serial")
    return loop->emitError("expected a loop of kind \"serial\" around a "
                           "statement that leaves it, but found \"")
           << kind << "\"";
  NamedAttrList annotations(getLoopAnnotations(loop));
  for (StringRef name :
       {"pragma_auto_unroll_max_step", "pragma_unroll_explicit",
        "pragma_loop_partition_hint", "software_pipeline_stage"})
    if (annotations.get(name))
      return loop->emitError("expected a loop without the annotation \"")
             << name << "\" around a statement that leaves it";
  Builder builder(loop->getContext());
  annotations.set("irregular_loop_mark", builder.getI64IntegerAttr(1));
  setLoopAnnotations(loop, annotations.getDictionary(loop->getContext()));
  return success();
}

void AnnotateIrregularLoop::runOnOperation() {
  // The loops around the op that is visited. Conditions between them may be
  // many.
  SmallVector<Operation *> around;
  llvm::SetVector<Operation *> loops;
  getOperation().walk([&](Operation *op, const WalkStage &stage) {
    bool isLoop = isa<scf::ForOp, tir::ForOp, scf::WhileOp>(op);
    if (isLoop && stage.isBeforeAllRegions())
      around.push_back(op);
    else if (isLoop && stage.isAfterAllRegions())
      around.pop_back();
    else if (isJump(op) && !around.empty() && !isa<scf::WhileOp>(around.back()))
      loops.insert(around.back());
  });
  if (loops.empty())
    return markAllAnalysesPreserved();
  for (Operation *loop : loops)
    if (failed(annotateIrregular(loop)))
      return signalPassFailure();
  numAnnotated += loops.size();
}
