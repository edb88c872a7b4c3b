//===- LowerOpaqueBlock.cpp - Turn blocks into plain loops
//-----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace partita::tir {
#define GEN_PASS_DEF_LOWEROPAQUEBLOCK
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

namespace {
struct LowerOpaqueBlock : tir::impl::LowerOpaqueBlockBase<LowerOpaqueBlock> {
  void runOnOperation() override;
};
} // namespace

static constexpr StringLiteral dimAlignName = "buffer_dim_align";

/// Moves the alignment of dimensions to the buffers of blocks. The blocks that
/// write the buffers have it, by the number of the write.
static void moveDimAligns(ArrayRef<BlockOp> blocks) {
  for (BlockOp op : blocks) {
    DictionaryAttr annotations = op.getAnnotationsAttr();
    auto aligns =
        annotations ? annotations.getAs<ArrayAttr>(dimAlignName) : ArrayAttr();
    if (!aligns)
      continue;
    auto writes = llvm::to_vector(op.getBody().front().getOps<WritesOp>());
    Builder builder(op->getContext());
    for (auto align : aligns.getAsRange<DenseI64ArrayAttr>()) {
      SmallVector<int64_t> numbers(align.asArrayRef());
      if (numbers.empty() || uint64_t(numbers.front()) >= writes.size())
        continue;
      auto buffer = writes[std::exchange(numbers.front(), -1)]
                        .getBuffer()
                        .getDefiningOp<BlockBufferOp>();
      if (!buffer)
        continue;
      SmallVector<Attribute> known;
      if (auto said = buffer->getAttrOfType<DictionaryAttr>("annotations"))
        if (auto others = said.getAs<ArrayAttr>(dimAlignName))
          llvm::append_range(known, others);
      known.push_back(builder.getDenseI64ArrayAttr(numbers));
      buffer->setAttr("annotations",
                      builder.getDictionaryAttr(builder.getNamedAttr(
                          dimAlignName, builder.getArrayAttr(known))));
    }
  }
}

/// The value of a pragma as an operand; null if it has no operand form.
static Value createValue(OpBuilder &builder, Location loc, Attribute value) {
  if (auto text = dyn_cast<StringAttr>(value))
    return StringOp::create(builder, loc,
                            tir::StringType::get(builder.getContext()), text);
  TypedAttr number;
  if (auto boolean = dyn_cast<BoolAttr>(value))
    number = boolean;
  else if (auto integer = dyn_cast<IntegerAttr>(value);
           integer && integer.getValue().isSignedIntN(32))
    number = builder.getI32IntegerAttr(integer.getValue().getSExtValue());
  else if (auto real = dyn_cast<FloatAttr>(value))
    number = builder.getF32FloatAttr(real.getValueAsDouble());
  return number ? arith::ConstantOp::create(builder, loc, number).getResult()
                : Value();
}

using Pragma = std::pair<StringAttr, Value>;

/// Returns the pragmas in `annotations`; appends the other annotations to
/// `others`.
static SmallVector<Pragma> getPragmas(OpBuilder &builder, Location loc,
                                      DictionaryAttr annotations,
                                      SmallVectorImpl<NamedAttribute> &others) {
  SmallVector<Pragma> pragmas;
  for (NamedAttribute annotation : annotations) {
    Value value = annotation.getName().strref().starts_with("pragma_")
                      ? createValue(builder, loc, annotation.getValue())
                      : Value();
    if (value)
      pragmas.emplace_back(annotation.getName(), value);
    else
      others.push_back(annotation);
  }
  return pragmas;
}

/// Makes a tir.attr for each of `pragmas`, which must not be empty, the first
/// one outermost. Returns the innermost body.
static Block *createAttrs(OpBuilder &builder, Location loc,
                          ArrayRef<Pragma> pragmas, Attribute node) {
  for (auto [key, value] : pragmas) {
    auto attr = AttrOp::create(builder, loc, key, value, /*of=*/Value(), node,
                               /*domain=*/ValueRange(),
                               /*thread=*/StringAttr(),
                               /*iter_type=*/IntegerAttr());
    Block &body = attr.getBody().emplaceBlock();
    OpBuilder inner = OpBuilder::atBlockBegin(&body);
    builder.setInsertionPoint(YieldOp::create(inner, loc));
  }
  return builder.getInsertionBlock();
}

/// As TVM does, says at the allocation which alignment and address it has.
static DictionaryAttr addAllocationNotes(BlockBufferOp buffer) {
  Builder builder(buffer->getContext());
  NamedAttrList notes;
  if (auto said = buffer->getAttrOfType<DictionaryAttr>("annotations"))
    notes.append(said.getValue());
  notes.set("buffer_data_alignment",
            builder.getI32IntegerAttr(buffer.getDataAlignment()));
  if (buffer.getAllocatedAddr().empty())
    notes.set("buffer_allocated_addr", builder.getDenseI64ArrayAttr({}));
  return notes.getDictionary(buffer->getContext());
}

/// Fails if `op` needs a pass that goes before this one.
static LogicalResult checkOpaque(BlockOp op) {
  if (!op.getBindings().empty())
    return op.emitError("expected a block without iterators, found ")
           << op.getBindings().size()
           << "; run tir.ConvertBlocksToOpaque first";
  for (Operation &inner : op.getBody().front())
    if (isa<InitOp, MatchBufferOp>(inner))
      return inner.emitError("expected a block without it; run ")
             << (isa<InitOp>(inner) ? "tir.LowerInitBlock"
                                    : "tir.LowerMatchBuffer")
             << " first";
  return success();
}

/// Drops what only declares something, and allocates the buffers of `op`.
static void lowerBody(BlockOp op) {
  SmallVector<Operation *> accesses;
  for (Operation &inner : llvm::make_early_inc_range(op.getBody().front())) {
    if (isa<ReadsOp, WritesOp>(inner)) {
      accesses.push_back(&inner);
    } else if (auto evaluate = dyn_cast<EvaluateOp>(inner);
               evaluate && matchPattern(evaluate.getValue(), m_Constant())) {
      evaluate.erase();
    } else if (auto buffer = dyn_cast<BlockBufferOp>(inner)) {
      buffer->setAttr("annotations", addAllocationNotes(buffer));
      OpBuilder builder(buffer);
      OperationState state(buffer.getLoc(), AllocBufferOp::getOperationName(),
                           buffer->getOperands(), buffer->getResultTypes(),
                           buffer->getAttrDictionary().getValue());
      buffer->replaceAllUsesWith(builder.create(state));
      buffer.erase();
    }
  }
  for (Operation *access : accesses)
    eraseWithOperands(access);
}

static void lowerBlock(BlockOp op) {
  lowerBody(op);
  Operation *place = op;
  OpBuilder builder(op);
  if (DictionaryAttr annotations = op.getAnnotationsAttr()) {
    SmallVector<NamedAttribute> dropped;
    SmallVector<Pragma> pragmas =
        getPragmas(builder, op.getLoc(), annotations, dropped);
    // As in TVM, their object is the number 0.
    if (!pragmas.empty())
      place = createAttrs(builder, op.getLoc(), pragmas,
                          builder.getI64IntegerAttr(0))
                  ->getTerminator();
  }
  if (!matchPattern(op.getPredicate(), m_One()))
    place =
        scf::IfOp::create(builder, op.getLoc(), op.getPredicate()).thenYield();
  inlineBefore(op.getBody().front(), place);
  op.erase();
}

static bool isAnnotated(Operation *loop) {
  DictionaryAttr annotations = getLoopAnnotations(loop);
  return annotations && !annotations.empty();
}

/// Puts a tir.attr around a loop for each of its pragmas.
static void lowerPragmas(Operation *loop) {
  if (!isAnnotated(loop))
    return;
  OpBuilder builder(loop);
  SmallVector<NamedAttribute> others;
  SmallVector<Pragma> pragmas =
      getPragmas(builder, loop->getLoc(), getLoopAnnotations(loop), others);
  if (pragmas.empty())
    return;
  setLoopAnnotations(loop, others.empty() ? DictionaryAttr()
                                          : builder.getDictionaryAttr(others));
  loop->moveBefore(createAttrs(builder, loop->getLoc(), pragmas,
                               /*node=*/Attribute())
                       ->getTerminator());
  Block &body = loop->getRegion(0).front();
  Value var = body.getArgument(0);
  // Attributes of the variable are further out now.
  for (Operation *user : var.getUsers())
    if (auto node = dyn_cast<AttrNodeOp>(user))
      node.setOuter(node.getOuter() + pragmas.size());
  OpBuilder atBody = OpBuilder::atBlockBegin(&body);
  for (unsigned outer = 0; outer != pragmas.size(); ++outer)
    AttrNodeOp::create(atBody, loop->getLoc(), var, outer);
}

/// Replaces a loop that threads run by its form in TVM's lowered code.
static void lowerThreads(tir::ForOp op) {
  // A single thread has the minimum as its number.
  if (matchPattern(op.getExtent(), m_One()) && !isAnnotated(op))
    op.getBody().front().getArgument(0).replaceAllUsesWith(op.getMin());
  lowerPragmas(op);
  OpBuilder builder(op);
  StringRef thread = *op.getThread();
  bool isVirtual = thread == "vthread" || thread.starts_with("vthread.");
  auto attr = AttrOp::create(
      builder, op.getLoc(), isVirtual ? "virtual_thread" : "thread_extent",
      op.getExtent(), /*of=*/Value(), /*node=*/Attribute(),
      ValueRange{op.getMin(), op.getExtent()}, op.getThreadAttr(),
      builder.getI64IntegerAttr(1));
  attr.getBody().takeBody(op.getBody());
  op.erase();
}

/// Whether `loop` has one iteration and no annotations.
static bool isPlainUnit(scf::ForOp loop) {
  APInt lower, upper;
  if (isAnnotated(loop) || loop.getNumResults() != 0 ||
      !matchPattern(loop.getStep(), m_One()))
    return false;
  auto sum = loop.getUpperBound().getDefiningOp<arith::AddIOp>();
  return (matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
          matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) &&
          upper.sgt(lower) && (upper - lower).isOne()) ||
         (sum && sum.getLhs() == loop.getLowerBound() &&
          matchPattern(sum.getRhs(), m_One()));
}

static void lowerLoop(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || !isPlainUnit(loop))
    return lowerPragmas(op);
  // Attributes outside lose their object with the loop.
  eraseAttrNodes(loop.getInductionVar());
  loop.getInductionVar().replaceAllUsesWith(loop.getLowerBound());
  inlineBefore(*loop.getBody(), loop);
  loop.erase();
}

void LowerOpaqueBlock::runOnOperation() {
  SmallVector<BlockOp> blocks;
  SmallVector<tir::ForOp> threads;
  SmallVector<Operation *> loops;
  // Inner ops first.
  getOperation().walk([&](Operation *op) {
    if (auto block = dyn_cast<BlockOp>(op))
      blocks.push_back(block);
    else if (auto loop = dyn_cast<tir::ForOp>(op); loop && loop.getThread())
      threads.push_back(loop);
    else if (isa<scf::ForOp, tir::ForOp>(op))
      loops.push_back(op);
  });
  if (blocks.empty() && threads.empty() && loops.empty())
    return markAllAnalysesPreserved();
  for (BlockOp block : blocks)
    if (failed(checkOpaque(block)))
      return signalPassFailure();
  moveDimAligns(blocks);
  llvm::for_each(blocks, lowerBlock);
  numLowered += blocks.size();
  for (tir::ForOp loop : threads)
    lowerThreads(loop);
  llvm::for_each(loops, lowerLoop);
}
