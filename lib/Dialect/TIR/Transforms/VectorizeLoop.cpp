//===- VectorizeLoop.cpp - Run the iterations of a loop as vectors --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in TVM, each statement runs for all iterations before the next one does.
// Upstream's vectorizers make ops of the vector dialect, which TVM lacks.
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace partita::tir {
#define GEN_PASS_DEF_VECTORIZELOOP
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

static constexpr StringLiteral vectorizedKind = "vectorized";

namespace {
struct VectorizeLoop : tir::impl::VectorizeLoopBase<VectorizeLoop> {
  using VectorizeLoopBase::VectorizeLoopBase;

  void runOnOperation() override;
};

/// A loop that runs as vectors.
struct VectorLoop {
  Operation *op;
  Block *body;
  Value var, min;
  /// The number of iterations: `lanes`, or `lanes * vscale` if it is scalable.
  Value extent;
  int64_t lanes;
  bool isScalable;
};

/// Makes the ops in front of a loop that do what the loop does.
///
/// A value in the loop is the same in all iterations, or a vector with an
/// element for each, or neither: a value that no vector op computes. Statements
/// that use one of these run in a loop of their own.
class Vectorizer {
public:
  explicit Vectorizer(const VectorLoop &loop)
      : loop(loop), builder(loop.op), before(loop.op->getPrevNode()) {}

  /// Fails, and leaves nothing, if the statements have to stay in one loop.
  LogicalResult run();

private:
  /// Integers with the same distance between neighbors.
  struct Ramp {
    Value base, stride;
  };

  LogicalResult visitBlock(Block &block);
  LogicalResult visit(Operation *op);
  LogicalResult visitUniform(Operation *op);
  LogicalResult visitVarying(Operation *op);
  LogicalResult visitStatement(Operation *op);
  bool visitExpr(Operation *op);
  bool visitSum(Operation *op);
  bool visitElementwise(Operation *op);
  bool visitCall(CallIntrinOp call);
  bool visitLoad(Operation *op, ValueRange indices);
  FailureOr<bool> visitIfExpr(scf::IfOp op);
  LogicalResult visitStore(Operation *op, ValueRange indices);
  LogicalResult visitIf(scf::IfOp op);
  LogicalResult visitFor(scf::ForOp op);
  LogicalResult scalarize(Operation *op);

  bool isVarying(Value value) const {
    return ramps.contains(value) || vectors.contains(value) ||
           scalars.contains(value);
  }
  /// Whether `op`, or an op in it, uses a value for which `test` holds.
  static bool usesAny(Operation *op, llvm::function_ref<bool(Value)> test);
  VectorType getVectorType(Type element) const {
    return VectorType::get({loop.lanes}, element, {loop.isScalable});
  }
  Value getUniform(Value value) { return uniform.lookupOrDefault(value); }
  Value getVector(Value value, Location loc);
  Value getIndex(Value value);
  Value createLanes(Location loc);

  VectorLoop loop;
  OpBuilder builder;
  /// The op before the first new one.
  Operation *before;
  IRMapping uniform;
  DenseMap<Value, Ramp> ramps;
  DenseMap<Value, Value> vectors;
  DenseSet<Value> scalars;
  /// How often memory was written when an op read it.
  DenseMap<Operation *, unsigned> reads;
  unsigned numWrites = 0;
};
} // namespace

bool Vectorizer::usesAny(Operation *op, llvm::function_ref<bool(Value)> test) {
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperands(), test)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

Value Vectorizer::createLanes(Location loc) {
  if (loop.isScalable)
    return loop.extent;
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(loop.lanes));
}

/// The vector of `value` in all iterations.
Value Vectorizer::getVector(Value value, Location loc) {
  if (Value vector = vectors.lookup(value))
    return vector;
  Type type = getVectorType(value.getType());
  if (auto ramp = ramps.find(value); ramp != ramps.end()) {
    Value base = ramp->second.base;
    return PrimOp::create(
        builder, loc, getVectorType(base.getType()), "Ramp",
        ValueRange{base, ramp->second.stride, createLanes(loc)});
  }
  return PrimOp::create(builder, loc, type, "Broadcast",
                        ValueRange{getUniform(value), createLanes(loc)});
}

/// An index that is the same in all iterations, as the integer that it was.
Value Vectorizer::getIndex(Value value) {
  auto cast = value.getDefiningOp<arith::IndexCastOp>();
  return getUniform(cast ? cast.getIn() : value);
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// Sums and products of a ramp and a number are ramps.
bool Vectorizer::visitSum(Operation *op) {
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return false;
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  auto a = ramps.find(lhs), b = ramps.find(rhs);
  bool isFirst = a != ramps.end();
  if (isFirst == (b != ramps.end()) || isVarying(isFirst ? rhs : lhs))
    return false;
  Ramp ramp = isFirst ? a->second : b->second;
  Value other = getUniform(isFirst ? rhs : lhs);
  Location loc = op->getLoc();
  if (other.getType().isIndex()) {
    // TVM has no vectors of indices.
    Type type = builder.getI64Type();
    if (ramp.base.getType().getIntOrFloatBitWidth() > 64)
      return false;
    other = builder.createOrFold<arith::IndexCastOp>(loc, type, other);
    for (Value *part : {&ramp.base, &ramp.stride})
      if (part->getType() != type)
        *part = builder.createOrFold<arith::ExtSIOp>(loc, type, *part);
  }
  constexpr auto nsw = arith::IntegerOverflowFlags::nsw;
  if (isa<arith::AddIOp>(op)) {
    ramp.base =
        isFirst
            ? builder.createOrFold<arith::AddIOp>(loc, ramp.base, other, nsw)
            : builder.createOrFold<arith::AddIOp>(loc, other, ramp.base, nsw);
  } else if (isa<arith::SubIOp>(op)) {
    ramp.base =
        isFirst
            ? builder.createOrFold<arith::SubIOp>(loc, ramp.base, other, nsw)
            : builder.createOrFold<arith::SubIOp>(loc, other, ramp.base, nsw);
    if (!isFirst) {
      Value zero = arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(ramp.stride.getType()));
      ramp.stride =
          builder.createOrFold<arith::SubIOp>(loc, zero, ramp.stride, nsw);
    }
  } else {
    if (getConstant(other).value_or(0) <= 0)
      return false;
    ramp.base = builder.createOrFold<arith::MulIOp>(loc, ramp.base, other, nsw);
    ramp.stride =
        builder.createOrFold<arith::MulIOp>(loc, ramp.stride, other, nsw);
  }
  ramps[op->getResult(0)] = ramp;
  return true;
}

/// Whether `op` computes each element of vectors from the elements in the same
/// place.
static bool isElementwise(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      llvm::any_of(op->getOperandTypes(),
                   llvm::IsaPred<VectorType, MemRefType, IndexType>) ||
      !VectorType::isValidElementType(op->getResult(0).getType()))
    return false;
  if (auto prim = dyn_cast<PrimOp>(op))
    return prim.getKind() != "Ramp" && prim.getKind() != "Broadcast";
  return isa<BindOp>(op) || (op->hasTrait<OpTrait::Elementwise>() &&
                             op->hasTrait<OpTrait::Vectorizable>());
}

bool Vectorizer::visitElementwise(Operation *op) {
  if (!isElementwise(op))
    return false;
  Value result = op->getResult(0);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(getVector(operand, op->getLoc()));
  OperationState state(op->getLoc(), op->getName().getStringRef(), operands,
                       getVectorType(result.getType()), op->getAttrs());
  vectors[result] = builder.create(state)->getResult(0);
  return true;
}

bool Vectorizer::visitCall(CallIntrinOp call) {
  // TVM's ops with the attribute TVectorizable, and reinterpret.
  static const llvm::StringSet<> names = {"bitwise_and",
                                          "bitwise_not",
                                          "bitwise_or",
                                          "bitwise_xor",
                                          "ceil",
                                          "cos",
                                          "cosh",
                                          "exp",
                                          "exp10",
                                          "exp2",
                                          "fabs",
                                          "floor",
                                          "fma",
                                          "likely",
                                          "log",
                                          "log10",
                                          "log2",
                                          "popcount",
                                          "pow",
                                          "q_multiply_shift",
                                          "q_multiply_shift_per_axis",
                                          "reinterpret",
                                          "round",
                                          "shift_left",
                                          "shift_right",
                                          "sigmoid",
                                          "sin",
                                          "sinh",
                                          "sqrt",
                                          "tan",
                                          "tanh",
                                          "trunc",
                                          "call_llvm_pure_intrin"};
  StringRef name = call.getIntrinsic().rsplit('.').second;
  if ((loop.isScalable && name != "reinterpret") ||
      call->getNumResults() != 1 || !names.contains(name) ||
      !VectorType::isValidElementType(call.getResult().getType()))
    return false;
  SmallVector<Value> args;
  for (auto [i, arg] : llvm::enumerate(call.getArgs())) {
    // The first argument names the intrinsic.
    bool isName = name == "call_llvm_pure_intrin" && i == 0;
    if (!isName && !VectorType::isValidElementType(arg.getType()))
      return false;
    args.push_back(isName ? getUniform(arg) : getVector(arg, call.getLoc()));
  }
  Type type = getVectorType(call.getResult().getType());
  vectors[call.getResult()] =
      CallIntrinOp::create(builder, call.getLoc(), type, call.getIsPure(),
                           call.getIntrinsic(), args, call.getNodeAttrsAttr())
          .getResult();
  return true;
}

bool Vectorizer::visitLoad(Operation *op, ValueRange indices) {
  Value result = op->getResult(0), buffer = op->getOperand(0);
  auto varies = [&](Value value) { return isVarying(value); };
  if (indices.empty() || varies(buffer) || scalars.contains(indices.back()) ||
      llvm::any_of(indices.drop_back(), varies) ||
      isa<VectorType>(indices.back().getType()) ||
      !VectorType::isValidElementType(result.getType()))
    return false;
  SmallVector<Value> operands;
  for (Value index : indices.drop_back())
    operands.push_back(getIndex(index));
  operands.push_back(getVector(indices.back(), op->getLoc()));
  vectors[result] =
      LoadOp::create(builder, op->getLoc(), getVectorType(result.getType()),
                     getUniform(buffer), operands);
  return true;
}

/// Returns whether the results are vectors now.
FailureOr<bool> Vectorizer::visitIfExpr(scf::IfOp op) {
  if (isVarying(op.getCondition()) ||
      !llvm::all_of(op.getResultTypes(), VectorType::isValidElementType))
    return false;
  auto types = llvm::map_to_vector(op.getResultTypes(), [&](Type type) -> Type {
    return getVectorType(type);
  });
  auto vector = scf::IfOp::create(builder, op.getLoc(), types,
                                  getUniform(op.getCondition()),
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  bool isVector = true;
  for (auto [from, to] : {std::pair(op.thenBlock(), vector.thenBlock()),
                          std::pair(op.elseBlock(), vector.elseBlock())}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(to);
    if (failed(visitBlock(*from)))
      return failure();
    SmallVector<Value> yielded;
    for (Value value : from->getTerminator()->getOperands()) {
      isVector &= !scalars.contains(value);
      if (isVector)
        yielded.push_back(getVector(value, op.getLoc()));
    }
    if (!isVector)
      break;
    scf::YieldOp::create(builder, op.getLoc(), yielded);
  }
  if (!isVector) {
    vector.erase();
    return false;
  }
  for (auto [from, to] : llvm::zip_equal(op.getResults(), vector.getResults()))
    vectors[from] = to;
  return true;
}

bool Vectorizer::visitExpr(Operation *op) {
  if (usesAny(op, [&](Value value) { return scalars.contains(value); }))
    return false;
  if (auto cast = dyn_cast<arith::IndexCastOp>(op);
      cast && cast.getType().isIndex()) {
    if (auto ramp = ramps.find(cast.getIn()); ramp != ramps.end())
      ramps[cast.getResult()] = Ramp(ramp->second);
    else
      vectors[cast.getResult()] = vectors.at(cast.getIn());
    return true;
  }
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return visitLoad(op, load.getIndices());
  if (auto load = dyn_cast<LoadOp>(op))
    return visitLoad(op, load.getIndices());
  if (auto call = dyn_cast<CallIntrinOp>(op))
    return visitCall(call);
  return visitSum(op) || visitElementwise(op);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Whether `op` only computes a value.
static bool isExpr(Operation *op) {
  if (op->getNumResults() == 0)
    return false;
  auto effects = getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [](const auto &effect) {
           return isa<MemoryEffects::Read>(effect.getEffect());
         });
}

/// Runs `op` in a loop of its own, with the ops that it needs.
LogicalResult Vectorizer::scalarize(Operation *op) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *def) {
    return def == op ||
           (loop.op->isProperAncestor(def) && !def->isProperAncestor(op) &&
            llvm::any_of(def->getResults(),
                         [&](Value value) { return isVarying(value); }));
  };
  if (failed(getBackwardSlice(op, &slice, options)))
    return failure();
  for (Operation *def : slice) {
    auto read = reads.find(def);
    if (!isExpr(def) || (read != reads.end() && read->second != numWrites))
      return failure();
  }
  Location loc = loop.op->getLoc();
  Type type = loop.var.getType();
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, 1));
  Value upper =
      matchPattern(loop.min, m_Zero())
          ? loop.extent
          : builder.createOrFold<arith::AddIOp>(
                loc, loop.min, loop.extent, arith::IntegerOverflowFlags::nsw);
  auto serial = scf::ForOp::create(builder, loc, loop.min, upper, one);
  IRMapping mapping = uniform;
  mapping.map(loop.var, serial.getInductionVar());
  OpBuilder inner = OpBuilder::atBlockTerminator(serial.getBody());
  slice = topologicalSort(slice);
  for (Operation *def : slice)
    inner.clone(*def, mapping);
  inner.clone(*op, mapping);
  return success();
}

LogicalResult Vectorizer::visitStore(Operation *op, ValueRange indices) {
  Value value = op->getOperand(0), buffer = op->getOperand(1);
  auto isScalar = [&](Value value) { return scalars.contains(value); };
  if (indices.empty() || isVarying(buffer) || !isVarying(indices.back()) ||
      llvm::any_of(indices.drop_back(),
                   [&](Value index) { return isVarying(index); }) ||
      llvm::any_of(op->getOperands(), isScalar) ||
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<VectorType>))
    return scalarize(op);
  Value vector = getVector(value, op->getLoc());
  SmallVector<Value> operands;
  for (Value index : indices.drop_back())
    operands.push_back(getIndex(index));
  operands.push_back(getVector(indices.back(), op->getLoc()));
  StoreOp::create(builder, op->getLoc(), vector, getUniform(buffer), operands);
  return success();
}

LogicalResult Vectorizer::visitIf(scf::IfOp op) {
  if (isVarying(op.getCondition()))
    return scalarize(op);
  auto vector =
      scf::IfOp::create(builder, op.getLoc(), getUniform(op.getCondition()),
                        /*withElseRegion=*/op.elseBlock() != nullptr);
  vector->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(vector.thenBlock()->getTerminator());
  if (failed(visitBlock(*op.thenBlock())))
    return failure();
  if (!op.elseBlock())
    return success();
  builder.setInsertionPoint(vector.elseBlock()->getTerminator());
  return visitBlock(*op.elseBlock());
}

LogicalResult Vectorizer::visitFor(scf::ForOp op) {
  if (op.getNumResults() != 0 ||
      llvm::any_of(op->getOperands(),
                   [&](Value value) { return isVarying(value); }))
    return scalarize(op);
  auto vector = scf::ForOp::create(
      builder, op.getLoc(), getUniform(op.getLowerBound()),
      getUniform(op.getUpperBound()), getUniform(op.getStep()));
  vector->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  vector.setUnsignedCmp(op.getUnsignedCmp());
  uniform.map(op.getInductionVar(), vector.getInductionVar());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(vector.getBody()->getTerminator());
  return visitBlock(*op.getBody());
}

LogicalResult Vectorizer::visitStatement(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](memref::StoreOp store) {
        return visitStore(op, store.getIndices());
      })
      .Case([&](StoreOp store) { return visitStore(op, store.getIndices()); })
      .Case<scf::IfOp>([&](scf::IfOp condition) { return visitIf(condition); })
      .Case<scf::ForOp>([&](scf::ForOp inner) { return visitFor(inner); })
      .Default([&](Operation *) { return scalarize(op); });
}

LogicalResult Vectorizer::visitVarying(Operation *op) {
  if (!isExpr(op)) {
    // Only a statement of its own can be repeated: its value has no vector.
    if (!op->use_empty())
      return failure();
    if (failed(visitStatement(op)))
      return failure();
    ++numWrites;
    return success();
  }
  auto condition = dyn_cast<scf::IfOp>(op);
  FailureOr<bool> isVector =
      condition ? visitIfExpr(condition) : FailureOr<bool>(visitExpr(op));
  if (failed(isVector))
    return failure();
  if (!*isVector)
    scalars.insert(op->result_begin(), op->result_end());
  return success();
}

/// An op that does the same in each iteration runs once.
LogicalResult Vectorizer::visitUniform(Operation *op) {
  if (!isExpr(op)) {
    // If it reads what it writes, or does something unknown, once is too few.
    if (!isa<memref::StoreOp, StoreOp>(op))
      return failure();
    Value buffer = op->getOperand(1);
    if (llvm::any_of(reads, [&](auto &read) {
          return llvm::is_contained(read.first->getOperands(), buffer);
        }))
      return failure();
    ++numWrites;
  }
  builder.clone(*op, uniform);
  return success();
}

LogicalResult Vectorizer::visit(Operation *op) {
  if (isa<AttrNodeOp>(op))
    return success();
  if (!isMemoryEffectFree(op))
    op->walk([&](Operation *inner) {
      if (isa<memref::LoadOp, LoadOp>(inner))
        reads.try_emplace(inner, numWrites);
    });
  bool varies = usesAny(op, [&](Value value) { return isVarying(value); });
  // Regions are looked at op by op.
  if (varies || (isa<scf::IfOp, scf::ForOp>(op) && op->getNumResults() == 0))
    return visitVarying(op);
  return visitUniform(op);
}

LogicalResult Vectorizer::visitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult Vectorizer::run() {
  Type type = loop.var.getType();
  Value one = arith::ConstantOp::create(builder, loop.op->getLoc(),
                                        builder.getIntegerAttr(type, 1));
  ramps[loop.var] = {loop.min, one};
  LogicalResult result = visitBlock(*loop.body);
  // Ops that nothing needs go, and all ops after a failure.
  SmallVector<Operation *> created;
  for (Operation *op = loop.op->getPrevNode(); op != before;
       op = op->getPrevNode())
    created.push_back(op);
  for (Operation *op : created)
    if (failed(result) || isOpTriviallyDead(op))
      op->erase();
  return result;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool isMarked(Operation *op) {
  return getLoopKind(op) == vectorizedKind;
}

static void makeSerial(Operation *op) {
  if (auto loop = dyn_cast<ForOp>(op))
    loop.setKind("serial");
  else
    op->removeAttr(loopKindName);
}

/// The factor of `vscale` in `value`; 0 if it is no multiple of it.
static int64_t getVScaleFactor(Value value) {
  auto isVScale = [](Value value) {
    auto call = value.getDefiningOp<CallIntrinOp>();
    return call && call.getIntrinsic().ends_with(".vscale");
  };
  if (isVScale(value))
    return 1;
  auto product = value.getDefiningOp<arith::MulIOp>();
  if (!product)
    return 0;
  if (isVScale(product.getLhs()))
    return getConstant(product.getRhs()).value_or(0);
  return isVScale(product.getRhs()) ? getConstant(product.getLhs()).value_or(0)
                                    : 0;
}

/// Vectors have at most this many elements. No machine has longer ones.
static constexpr int64_t maxLanes = 1 << 16;

static FailureOr<VectorLoop> getVectorLoop(Operation *op) {
  VectorLoop vector = {};
  std::optional<int64_t> distance;
  bool isPlain = true;
  if (auto loop = dyn_cast<ForOp>(op)) {
    vector = {op,
              &loop.getBody().front(),
              loop.getBody().getArgument(0),
              loop.getMin(),
              loop.getExtent(),
              0,
              false};
    distance = getConstant(loop.getExtent());
    isPlain = !loop.getStep() || getConstant(loop.getStep()) == 1;
  } else {
    auto scf = cast<scf::ForOp>(op);
    vector = {op,
              scf.getBody(),
              scf.getInductionVar(),
              scf.getLowerBound(),
              scf.getUpperBound(),
              0,
              false};
    std::optional<int64_t> lower = getConstant(scf.getLowerBound()),
                           upper = getConstant(scf.getUpperBound());
    if (lower && upper && !llvm::SubOverflow(*upper, *lower, *upper))
      distance = upper;
    isPlain = scf.getNumResults() == 0 && getConstant(scf.getStep()) == 1 &&
              (distance || lower == 0);
  }
  isPlain &= vector.var.getType() == vector.min.getType() &&
             vector.var.getType().isSignlessInteger();
  vector.isScalable = !distance;
  vector.lanes = distance ? *distance : getVScaleFactor(vector.extent);
  if (isPlain && vector.lanes >= 1 && vector.lanes <= maxLanes) {
    OpBuilder builder(op);
    if (distance)
      vector.extent = arith::ConstantOp::create(
          builder, op->getLoc(),
          builder.getIntegerAttr(vector.var.getType(), vector.lanes));
    return vector;
  }
  return op->emitError("expected a vectorized loop to have step 1 and a "
                       "constant number of iterations from 1 to ")
         << maxLanes << ", or a multiple of vscale, found one that has not";
}

/// Replaces a loop of one iteration by its body.
static void inlineLoop(VectorLoop loop) {
  eraseAttrNodes(loop.var);
  loop.var.replaceAllUsesWith(loop.min);
  inlineBefore(*loop.body, loop.op);
  loop.op->erase();
}

void VectorizeLoop::runOnOperation() {
  SmallVector<Operation *> loops;
  // Inner loops first.
  getOperation().walk([&](Operation *op) {
    if (isMarked(op))
      loops.push_back(op);
  });
  if (loops.empty())
    return markAllAnalysesPreserved();
  for (Operation *op : loops) {
    if (!enableVectorize) {
      makeSerial(op);
      continue;
    }
    FailureOr<VectorLoop> loop = getVectorLoop(op);
    if (failed(loop))
      return signalPassFailure();
    if (loop->lanes == 1 && !loop->isScalable) {
      inlineLoop(*loop);
    } else if (succeeded(Vectorizer(*loop).run())) {
      op->erase();
      ++numVectorized;
    } else {
      makeSerial(op);
      ++numSerial;
    }
  }
}
