//===- LowerBlocks.cpp - Turn blocks into plain loops ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace partita::tir {
#define GEN_PASS_DEF_LOWERBLOCKS
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

namespace {
struct LowerBlocks : tir::impl::LowerBlocksBase<LowerBlocks> {
  void runOnOperation() override;

private:
  LogicalResult lower(BlockOp op);
};
} // namespace

/// Moves the ops of `block`, except for its terminator, in front of `op`.
static void inlineBefore(Block &block, Operation *op) {
  block.getTerminator()->erase();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         block.getOperations());
}

/// Replaces an init region by its statements. They run if each iterator of a
/// reduction is at its minimum.
static void lowerInit(BlockOp op, InitOp init) {
  OpBuilder builder(init);
  Location loc = init.getLoc();
  Value isFirst;
  for (auto [kind, binding, min] :
       llvm::zip_equal(op.getKinds().getAsValueRange<StringAttr>(),
                       op.getBindings(), op.getMins())) {
    if (kind != "reduce")
      continue;
    Value isMin;
    if (binding.getType().isSignlessIntOrIndex())
      isMin = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                    binding, min);
    else
      isMin = PrimOp::create(builder, loc, builder.getI1Type(), "EQ",
                             ValueRange{binding, min});
    isFirst =
        isFirst
            ? arith::AndIOp::create(builder, loc, isFirst, isMin).getResult()
            : isMin;
  }
  if (isFirst) {
    auto condition = scf::IfOp::create(builder, loc, isFirst);
    inlineBefore(init.getBody().front(), condition.thenYield());
  } else {
    inlineBefore(init.getBody().front(), init);
  }
  init.erase();
}

namespace {
/// Replaces a matched buffer by its source. As in TVM, accesses use the source
/// directly; other users get a view of it.
class MatchLowering {
public:
  explicit MatchLowering(MatchBufferOp op)
      : op(op), builder(op), loc(op.getLoc()) {}

  LogicalResult run();

private:
  Value cast(Value value, Type type);
  Value add(Value a, Value b);
  Value multiply(Value a, Value b);
  Value createNumber(int64_t number);
  Value offsetIndex(Value index, Value min);
  bool redirect(Operation *user, unsigned number);
  Value createView();
  bool readSource();
  void determine(ValueRange vars, ArrayRef<Value> values);

  MatchBufferOp op;
  OpBuilder builder;
  Location loc;
  /// The strides and the offset of the source.
  SmallVector<Value> strides;
  Value sourceOffset;
};
} // namespace

Value MatchLowering::cast(Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (from.isIndex() || type.isIndex())
    return builder.createOrFold<arith::IndexCastOp>(loc, type, value);
  return from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth()
             ? builder.createOrFold<arith::ExtSIOp>(loc, type, value)
             : builder.createOrFold<arith::TruncIOp>(loc, type, value);
}

/// Numbers of two types are computed in the wider one, as in TVM.
static Type getWider(Type a, Type b) {
  auto getWidth = [](Type type) {
    return type.isIndex() ? 65 : type.getIntOrFloatBitWidth();
  };
  return getWidth(a) < getWidth(b) ? b : a;
}

Value MatchLowering::add(Value a, Value b) {
  Type type = getWider(a.getType(), b.getType());
  return builder.createOrFold<arith::AddIOp>(loc, cast(a, type), cast(b, type),
                                             arith::IntegerOverflowFlags::nsw);
}

Value MatchLowering::multiply(Value a, Value b) {
  Type type = getWider(a.getType(), b.getType());
  return builder.createOrFold<arith::MulIOp>(loc, cast(a, type), cast(b, type),
                                             arith::IntegerOverflowFlags::nsw);
}

Value MatchLowering::createNumber(int64_t number) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(number));
}

/// Turns `index`, which may be a vector, from an index into the part into one
/// into the source.
Value MatchLowering::offsetIndex(Value index, Value min) {
  if (matchPattern(min, m_Zero()))
    return index;
  auto vector = dyn_cast<VectorType>(index.getType());
  if (!vector) {
    // TVM's indices are integers, cast to index here.
    if (auto indexCast = index.getDefiningOp<arith::IndexCastOp>())
      return cast(add(min, indexCast.getIn()), index.getType());
    return add(min, index);
  }
  auto prim = index.getDefiningOp<PrimOp>();
  if (prim && (prim.getKind() == "Ramp" || prim.getKind() == "Broadcast") &&
      prim.getArgs()[0].getType() == vector.getElementType()) {
    SmallVector<Value> args(prim.getArgs());
    args[0] = cast(add(min, args[0]), vector.getElementType());
    return PrimOp::create(builder, loc, vector, prim.getKind(), args);
  }
  Value mins =
      PrimOp::create(builder, loc, vector, "Broadcast",
                     ValueRange{cast(min, vector.getElementType()),
                                createNumber(vector.getNumElements())});
  return arith::AddIOp::create(builder, loc, mins, index);
}

/// Lets `user` access the source by its operand `number`, if it is an access.
bool MatchLowering::redirect(Operation *user, unsigned number) {
  auto redirectAccess = [&](auto access, MutableOperandRange indices) {
    builder.setInsertionPoint(user);
    size_t numDropped = op.getMins().size() - indices.size();
    SmallVector<Value> values(op.getMins().take_front(numDropped));
    for (auto [min, index] : llvm::zip_equal(
             op.getMins().drop_front(numDropped), access.getIndices()))
      values.push_back(offsetIndex(index, min));
    // memref's accesses take indices of type index.
    if (isa<memref::LoadOp, memref::StoreOp>(user))
      for (Value &value : values)
        value = cast(value, builder.getIndexType());
    user->setOperand(number, op.getSource());
    indices.assign(values);
    return true;
  };
  if (auto load = dyn_cast<memref::LoadOp>(user))
    return redirectAccess(load, load.getIndicesMutable());
  if (auto store = dyn_cast<memref::StoreOp>(user))
    return redirectAccess(store, store.getIndicesMutable());
  if (auto load = dyn_cast<tir::LoadOp>(user))
    return redirectAccess(load, load.getIndicesMutable());
  if (auto store = dyn_cast<tir::StoreOp>(user))
    return redirectAccess(store, store.getIndicesMutable());
  // The offset says where the part begins in the data.
  auto call = dyn_cast<CallIntrinOp>(user);
  if (!call || call.getIntrinsic() != "tirx.buffer_data")
    return false;
  user->setOperand(number, op.getSource());
  return true;
}

/// A view of the part as a memref; null if no view has its type.
Value MatchLowering::createView() {
  MemRefType source = op.getSource().getType(), type = op.getResult().getType();
  auto getSize = [&](Value value) -> OpFoldResult {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)) &&
        constant.isSignedIntN(64))
      return builder.getIndexAttr(constant.getSExtValue());
    return cast(value, builder.getIndexType());
  };
  auto offsets = llvm::map_to_vector(op.getMins(), getSize);
  auto sizes = llvm::map_to_vector(op.getExtents(), getSize);
  SmallVector<OpFoldResult> steps(sizes.size(), builder.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (OpFoldResult size : ArrayRef(sizes).take_back(type.getRank()))
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  MemRefType viewType = memref::SubViewOp::inferRankReducedResultType(
      shape, source, offsets, sizes, steps);
  if (!memref::CastOp::areCastCompatible(viewType, type))
    return nullptr;
  Value view = memref::SubViewOp::create(builder, loc, viewType, op.getSource(),
                                         offsets, sizes, steps);
  return viewType == type ? view
                          : memref::CastOp::create(builder, loc, type, view);
}

/// Finds the strides and the offset of the source; false if they are unknown.
bool MatchLowering::readSource() {
  MemRefType type = op.getSource().getType();
  SmallVector<Value> shape;
  auto readBuffer = [&](auto buffer) {
    llvm::append_range(shape, buffer.getShape());
    llvm::append_range(strides, buffer.getStrides());
    sourceOffset = buffer.getElemOffset();
  };
  Operation *source = op.getSource().getDefiningOp();
  if (!source)
    for (Operation *user : op.getSource().getUsers())
      if (isa<BufferDeclOp>(user))
        source = user;
  if (source)
    llvm::TypeSwitch<Operation *>(source)
        .Case<AllocBufferOp, BlockBufferOp, BufferDeclOp, DeclBufferOp,
              MatchBufferOp>(readBuffer)
        .Default([](Operation *) {});
  SmallVector<int64_t> numbers;
  int64_t offset = 0;
  bool isStrided = succeeded(type.getStridesAndOffset(numbers, offset));
  if (!sourceOffset && isStrided && ShapedType::isStatic(offset))
    sourceOffset = createNumber(offset);
  if (!strides.empty())
    return sourceOffset != nullptr;
  if (isStrided && llvm::all_of(numbers, [](int64_t number) {
        return ShapedType::isStatic(number);
      })) {
    for (int64_t number : numbers)
      strides.push_back(createNumber(number));
    return sourceOffset != nullptr;
  }
  // Compact, in row-major order.
  strides.resize(type.getRank());
  Value stride = createNumber(1);
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    strides[i] = stride;
    if (i == 0)
      break;
    if (type.isDynamicDim(i) && shape.empty())
      return false;
    stride = multiply(stride, shape.empty() ? createNumber(type.getDimSize(i))
                                            : shape[i]);
  }
  return sourceOffset != nullptr;
}

/// Replaces variables of the matched buffer by their values.
void MatchLowering::determine(ValueRange vars, ArrayRef<Value> values) {
  for (auto [value, known] : llvm::zip(vars, values))
    if (auto var = value.getDefiningOp<VarOp>();
        var && var.getType().isSignlessInteger())
      var.getResult().replaceUsesWithIf(
          cast(known, var.getType()),
          [&](OpOperand &use) { return use.getOwner() != op; });
}

LogicalResult MatchLowering::run() {
  MemRefType source = op.getSource().getType(), type = op.getResult().getType();
  auto isNumber = [](Value value) {
    return value.getType().isSignlessIntOrIndex();
  };
  // Leading dimensions of size 1 can be missing.
  int64_t numDropped = source.getRank() - type.getRank();
  if (numDropped < 0 || !llvm::all_of(op.getMins(), isNumber) ||
      !llvm::all_of(op.getExtents(), isNumber) ||
      !llvm::all_of(
          op.getExtents().take_front(numDropped),
          [](Value extent) { return matchPattern(extent, m_One()); }))
    return op.emitError("expected a buffer that is a part of ")
           << source << ", except for leading dimensions of size 1, "
           << "found " << type;
  // Collect the uses first: an access can get more operands, which moves them.
  SmallVector<std::pair<Operation *, unsigned>> uses, others;
  for (OpOperand &use : op.getResult().getUses())
    uses.emplace_back(use.getOwner(), use.getOperandNumber());
  for (auto [user, number] : uses)
    if (!redirect(user, number))
      others.emplace_back(user, number);
  builder.setInsertionPoint(op);
  if (!others.empty()) {
    Value view = createView();
    if (!view)
      return others.front().first->emitError(
                 "expected a load, a store or the data of the matched buffer ")
             << type << ", for which its source can be used, found another use";
    for (auto [user, number] : others)
      user->setOperand(number, view);
  }
  determine(op.getShape(),
            SmallVector<Value>(op.getExtents().drop_front(numDropped)));
  if ((!op.getStrides().empty() || op.getElemOffset()) && readSource()) {
    Value offset = sourceOffset;
    for (auto [min, stride] : llvm::zip_equal(op.getMins(), strides))
      offset = add(offset, multiply(min, stride));
    if (op.getElemOffset())
      determine(op.getElemOffset(), offset);
    determine(op.getStrides(), ArrayRef(strides).drop_front(numDropped));
  }
  SmallVector<Value> operands(op.getOperands());
  op.erase();
  for (Value value : operands)
    if (auto var = value.getDefiningOp<VarOp>(); var && var->use_empty())
      var.erase();
  return success();
}

/// Erases `op`, and the ops that only compute its operands.
static void eraseWithOperands(Operation *op) {
  SmallPtrSet<Operation *, 8> operands;
  auto eraseOne = [&](Operation *dead) {
    for (Value operand : dead->getOperands())
      if (Operation *def = operand.getDefiningOp())
        operands.insert(def);
    operands.erase(dead);
    dead->erase();
  };
  eraseOne(op);
  while (!operands.empty()) {
    Operation *def = *operands.begin();
    if (isOpTriviallyDead(def))
      eraseOne(def);
    else
      operands.erase(def);
  }
}

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

LogicalResult LowerBlocks::lower(BlockOp op) {
  Block &block = op.getBody().front();
  for (auto [argument, binding] :
       llvm::zip_equal(block.getArguments(), op.getBindings()))
    argument.replaceAllUsesWith(binding);
  SmallVector<Operation *> accesses;
  for (Operation &inner : llvm::make_early_inc_range(block)) {
    if (isa<ReadsOp, WritesOp>(inner)) {
      accesses.push_back(&inner);
    } else if (auto evaluate = dyn_cast<EvaluateOp>(inner);
               evaluate && matchPattern(evaluate.getValue(), m_Constant())) {
      evaluate.erase();
    } else if (auto init = dyn_cast<InitOp>(inner)) {
      lowerInit(op, init);
    } else if (auto match = dyn_cast<MatchBufferOp>(inner)) {
      if (failed(MatchLowering(match).run()))
        return failure();
    } else if (auto buffer = dyn_cast<BlockBufferOp>(inner)) {
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
  inlineBefore(block, place);
  op.erase();
  ++numLowered;
  return success();
}

static DictionaryAttr getAnnotations(Operation *loop) {
  if (auto op = dyn_cast<tir::ForOp>(loop))
    return op.getAnnotationsAttr();
  return loop->getAttrOfType<DictionaryAttr>("tir.annotations");
}

static void setAnnotations(Operation *loop, DictionaryAttr annotations) {
  if (auto op = dyn_cast<tir::ForOp>(loop))
    op.setAnnotationsAttr(annotations);
  else if (annotations)
    loop->setAttr("tir.annotations", annotations);
  else
    loop->removeAttr("tir.annotations");
}

static bool isAnnotated(Operation *loop) {
  DictionaryAttr annotations = getAnnotations(loop);
  return annotations && !annotations.empty();
}

/// Puts a tir.attr around a loop for each of its pragmas.
static void lowerPragmas(Operation *loop) {
  if (!isAnnotated(loop))
    return;
  OpBuilder builder(loop);
  SmallVector<NamedAttribute> others;
  SmallVector<Pragma> pragmas =
      getPragmas(builder, loop->getLoc(), getAnnotations(loop), others);
  if (pragmas.empty())
    return;
  setAnnotations(loop, others.empty() ? DictionaryAttr()
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
  for (Operation *user :
       llvm::make_early_inc_range(loop.getInductionVar().getUsers()))
    if (isa<AttrNodeOp>(user))
      user->erase();
  loop.getInductionVar().replaceAllUsesWith(loop.getLowerBound());
  inlineBefore(*loop.getBody(), loop);
  loop.erase();
}

void LowerBlocks::runOnOperation() {
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
  moveDimAligns(blocks);
  for (BlockOp block : blocks)
    if (failed(lower(block)))
      return signalPassFailure();
  for (tir::ForOp loop : threads)
    lowerThreads(loop);
  llvm::for_each(loops, lowerLoop);
}
