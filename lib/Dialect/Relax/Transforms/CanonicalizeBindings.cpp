//===- CanonicalizeBindings.cpp - Drop what only passes a value on --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Drops aliases, names of dimensions that are known by another name or size,
// tuples that are made only to be taken apart, casts that say nothing new, and
// outputs of dataflow blocks that need not leave the block.
//
//===----------------------------------------------------------------------===//

#include "BindingCanonicalizer.h"
#include "DimReplacer.h"
#include "NarrowTypes.h"
#include "WholeTuple.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace partita::relax {
#define GEN_PASS_DEF_CANONICALIZEBINDINGS
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// The dimensions for which the names stand that match_casts introduce.
class KnownDims {
public:
  explicit KnownDims(FuncOp func) {
    names.insert_range(func.getParameterNames());
  }

  /// Learns from a value of type `from` that is also one of type `to`. Fails if
  /// a name would stand for two sizes.
  LogicalResult learn(MatchCastOp cast, Type from, Type to);
  /// Learns that the number `cast` has another name already, and drops it.
  void learnNumber(FuncOp func, MatchCastOp cast);

  bool hasAny() const { return !replacer.dims.empty(); }
  void replaceIn(FuncOp func) const { replacer.replaceIn(func); }

private:
  void introduce(Type type) { names.insert_range(getNames(type)); }

  DimReplacer replacer;
  DenseSet<StringAttr> names;
};

struct CanonicalizeBindings
    : relax::impl::CanonicalizeBindingsBase<CanonicalizeBindings> {
  LogicalResult initialize(MLIRContext *context) override {
    patterns = getBindingPatterns(context);
    return success();
  }
  void runOnOperation() override;

private:
  FrozenRewritePatternSet patterns;
};
} // namespace

//===----------------------------------------------------------------------===//
// Names of dimensions
//===----------------------------------------------------------------------===//

LogicalResult KnownDims::learn(MatchCastOp cast, Type from, Type to) {
  if (auto tuple = dyn_cast<TupleType>(to)) {
    if (auto source = dyn_cast<TupleType>(from))
      for (auto [field, sourceField] :
           llvm::zip(tuple.getTypes(), source.getTypes()))
        if (failed(learn(cast, sourceField, field)))
          return failure();
    return success();
  }
  SmallVector<StringAttr> candidates = getNames(to);
  for (auto [dim, sourceDim] :
       llvm::zip(getKnownDims(to), getKnownDims(from))) {
    if (!llvm::is_contained(candidates, dim.getName()))
      continue;
    Dim source = replacer.apply(sourceDim);
    if (names.insert(dim.getName()).second) {
      if (!source.isUnknown() && source != dim)
        replacer.dims[dim.getName()] = source;
      continue;
    }
    Dim known = replacer.apply(dim);
    if (known.isNumber() && source.isNumber() && known != source)
      return cast.emitOpError("expected dimension ")
             << dim << " to be " << known << ", as it was before, found "
             << source;
  }
  introduce(to);
  return success();
}

/// The name as a size that `number` or what it is an alias of has; or null.
static StringAttr getDimName(FuncOp func, Value number) {
  while (auto alias = number.getDefiningOp<AliasOp>())
    number = alias.getValue();
  if (auto cast = number.getDefiningOp<MatchCastOp>())
    return cast->getAttrOfType<StringAttr>(FuncOp::getDimAttrName());
  auto argument = dyn_cast<BlockArgument>(number);
  bool isParameter = argument && argument.getOwner()->getParentOp() == func;
  return isParameter ? func.getArgAttrOfType<StringAttr>(
                           argument.getArgNumber(), FuncOp::getDimAttrName())
                     : StringAttr();
}

void KnownDims::learnNumber(FuncOp func, MatchCastOp cast) {
  auto name = cast->getAttrOfType<StringAttr>(FuncOp::getDimAttrName());
  StringAttr known = getDimName(func, cast.getValue());
  if (!name || !known)
    return;
  replacer.dims[name] = replacer.apply(known);
  cast.replaceAllUsesWith(cast.getValue());
  cast.erase();
}

/// Returns whether there were any.
static FailureOr<bool> replaceNames(FuncOp func) {
  KnownDims known(func);
  WalkResult result = func->walk([&](MatchCastOp op) -> WalkResult {
    if (op->hasAttr(FuncOp::getDimAttrName())) {
      known.learnNumber(func, op);
      return success();
    }
    return known.learn(op, op.getValue().getType(), op.getType());
  });
  if (result.wasInterrupted())
    return failure();
  known.replaceIn(func);
  return known.hasAny();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// What `value` is inside of the dataflow blocks that it leaves, if one op
/// gives it among other results; null otherwise. In TVM that is a field of the
/// op's tuple, and an alias of it is the variable of that field.
static OpResult getField(Value value) {
  auto result = dyn_cast<OpResult>(getInside(value));
  return result && result.getOwner()->getNumResults() > 1 ? result : OpResult();
}

/// Whether `tuple` is all that an op gives, of which it is another name in TVM.
static bool isOtherName(TupleOp tuple) {
  Operation *op = nullptr;
  for (auto [index, value] : llvm::enumerate(tuple.getFields())) {
    OpResult field = getField(value);
    if (!field || field.getResultNumber() != index ||
        (op && op != field.getOwner()))
      return false;
    op = field.getOwner();
  }
  return op && op->getNumResults() == tuple.getFields().size();
}

/// Whether `op` takes a tuple whole that has no other name.
static bool takesWholeTuple(Operation *op) {
  Value tuple = getWholeTuple(op);
  if (!tuple)
    return false;
  auto made = tuple.getDefiningOp<TupleOp>();
  return !(made && isOtherName(made));
}

/// Replaces ops that only stand for another value by that value; returns how
/// many.
static int64_t forwardValues(FuncOp func) {
  SmallPtrSet<Operation *, 4> takers;
  func->walk([&](Operation *op) {
    if (takesWholeTuple(op))
      takers.insert(op);
  });
  auto isPartOfWhole = [&](Operation *op) {
    return !op->use_empty() &&
           llvm::all_of(op->getUsers(), [&](Operation *user) {
             if (isa<MatchCastOp>(user) && user->hasOneUse())
               user = *user->user_begin();
             return takers.contains(user);
           });
  };
  int64_t count = 0;
  func->walk([&](Operation *op) {
    if (auto alias = dyn_cast<AliasOp>(op); alias && getField(alias.getValue()))
      return;
    SmallVector<OpFoldResult> results;
    if (!isa<AliasOp, MatchCastOp, TupleOp, TupleGetItemOp>(op) ||
        (isa<TupleGetItemOp>(op) && isPartOfWhole(op)) ||
        failed(op->fold(results)) || results.empty())
      return;
    op->replaceAllUsesWith(ValueRange(cast<Value>(results.front())));
    op->erase();
    ++count;
  });
  func->walk([&](TupleOp op) {
    if (op->use_empty() && isOtherName(op)) {
      op->erase();
      ++count;
    }
  });
  return count;
}

static int64_t countOutputs(FuncOp func) {
  int64_t count = 0;
  func->walk([&](DataflowOp op) { count += op->getNumResults(); });
  return count;
}

/// Lets only values that a block computes leave it, once, and if they are used;
/// returns how many outputs there are less.
static int64_t simplifyBlocks(FuncOp func,
                              const FrozenRewritePatternSet &patterns) {
  int64_t before = countOutputs(func);
  func->walk([](DataflowOp op) {
    // A block does not compute the constants in it.
    for (Value output : op.getBody()->getTerminator()->getOperands())
      if (auto constant = output.getDefiningOp<ConstantOp>();
          constant && op->isAncestor(constant))
        constant->moveBefore(op);
  });
  // A change in one block can let a pattern match on another one.
  GreedyRewriteConfig config;
  config.enableFolding(false).setStrictness(
      GreedyRewriteStrictness::ExistingAndNewOps);
  for (bool changed = true; changed;) {
    SmallVector<Operation *> blocks;
    func->walk([&](DataflowOp op) { blocks.push_back(op); });
    changed = false;
    (void)applyOpPatternsGreedily(blocks, patterns, config, &changed);
  }
  return before - countOutputs(func);
}

FrozenRewritePatternSet
partita::relax::getBindingPatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  DataflowOp::getCanonicalizationPatterns(patterns, context);
  return patterns;
}

FailureOr<NumDropped>
partita::relax::canonicalizeBindings(FuncOp func,
                                     const FrozenRewritePatternSet &patterns) {
  FailureOr<bool> isReplaced = replaceNames(func);
  if (failed(isReplaced))
    return failure();
  int64_t bindings = forwardValues(func);
  int64_t outputs = simplifyBlocks(func, patterns);
  // As in TVM, what has other operands is inferred again, and a function says
  // of its result what the new body does.
  if (*isReplaced || bindings != 0 || outputs != 0)
    narrowTypes(func);
  return NumDropped{bindings, outputs};
}

void CanonicalizeBindings::runOnOperation() {
  FailureOr<NumDropped> dropped =
      canonicalizeBindings(getOperation(), patterns);
  if (failed(dropped))
    return signalPassFailure();
  numBindings += dropped->bindings;
  numOutputs += dropped->outputs;
}
