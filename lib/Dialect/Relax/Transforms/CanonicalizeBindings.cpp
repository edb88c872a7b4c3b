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
#include "Utils.h"
#include "WholeTuple.h"

#include "partita/Dialect/Relax/IR/RelaxMarks.h"
#include "partita/Dialect/Relax/IR/RelaxVariables.h"
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
/// The dimensions that names from match_casts stand for.
class KnownDims {
public:
  explicit KnownDims(FuncOp func) {
    names.insert_range(func.getParameterNames());
  }

  /// Learns from a value of type `from` that is also one of type `to`. Fails if
  /// a name would stand for different sizes in two casts.
  LogicalResult learn(MatchCastOp cast, Type from, Type to);
  /// Learns that the number `cast` has another name already, and drops it.
  void learnNumber(FuncOp func, MatchCastOp cast);

  bool hasAny() const { return !replacer.dims.empty(); }
  void replaceIn(FuncOp func) const { replacer.replaceIn(func); }

private:
  void introduce(Type type) { names.insert_range(getNames(type)); }

  DimReplacer replacer;
  /// The casts that have introduced names.
  DenseMap<StringAttr, MatchCastOp> castOfName;
  DenseSet<StringAttr> names;
};

struct CanonicalizeBindings
    : BindingPass<relax::impl::CanonicalizeBindingsBase<CanonicalizeBindings>> {
  void runOnOperation() override;
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
    bool isNew = names.insert(dim.getName()).second;
    if (isNew)
      castOfName[dim.getName()] = cast;
    // As in TVM, the last size wins if one cast gives a name several. The run
    // refuses such a cast.
    if (isNew || castOfName.lookup(dim.getName()) == cast) {
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

/// The name of the size that `number` is, also if it is an alias; or null.
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
    if (op->hasAttr(assumedAttrName))
      return success();
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

/// The result that `value` stands for inside of the dataflow blocks that it
/// leaves, if its op has other results; null otherwise. In TVM that result is a
/// field of the op's tuple, and an alias of it is the variable of that field.
static OpResult getField(Value value) {
  auto result = dyn_cast<OpResult>(getInside(value));
  return result && result.getOwner()->getNumResults() > 1 ? result : OpResult();
}

/// Whether the fields of `tuple` are all the results of one op: in TVM the
/// tuple is another name for that op's value.
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
/// many. `haveTypesChanged` if the other value has another type.
static int64_t forwardValues(FuncOp func, bool &haveTypesChanged) {
  SmallPtrSet<Operation *, 4> takers;
  func->walk([&](Operation *op) {
    if (takesWholeTuple(op))
      takers.insert(op);
  });
  auto isPartOfWhole = [&](Operation *op) {
    return !op->use_empty() &&
           llvm::all_of(op->getUsers(), [&](Operation *user) {
             while (isa<MatchCastOp>(user) && user->hasOneUse())
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
    auto value = cast<Value>(results.front());
    haveTypesChanged |= value.getType() != op->getResult(0).getType();
    op->replaceAllUsesWith(ValueRange(value));
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
                              const FrozenRewritePatternSet &patterns,
                              bool &hasChanged) {
  int64_t before = countOutputs(func);
  func->walk([&](DataflowOp op) {
    // A block does not compute the constants in it.
    for (Value output : op.getBody()->getTerminator()->getOperands())
      if (auto constant = output.getDefiningOp<ConstantOp>();
          constant && op->isAncestor(constant)) {
        constant->moveBefore(op);
        hasChanged = true;
      }
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
    hasChanged |= changed;
  }
  return before - countOutputs(func);
}

FrozenRewritePatternSet
partita::relax::getBindingPatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  DataflowOp::getCanonicalizationPatterns(patterns, context);
  return patterns;
}

/// `value` without casts to types that TVM has only assumed.
static Value getUnassumed(Value value) {
  for (auto cast = value.getDefiningOp<MatchCastOp>();
       cast && cast->hasAttr(assumedAttrName);
       cast = value.getDefiningOp<MatchCastOp>())
    value = cast.getValue();
  return value;
}

/// Lets variables have the types of their values again, where TVM has assumed
/// other ones, and the function, unless it says more of its result; returns
/// whether there were any.
static bool dropAssumedTypes(FuncOp func) {
  SmallVector<MatchCastOp> casts;
  func->walk([&](MatchCastOp cast) {
    if (cast->hasAttr(assumedAttrName))
      casts.push_back(cast);
  });
  for (MatchCastOp cast : casts) {
    Value value = getUnassumed(cast);
    if (isVar(cast) || contradict(cast.getType(), value.getType()))
      cast.replaceAllUsesWith(value);
  }
  bool changed = false;
  for (MatchCastOp cast : llvm::reverse(casts))
    if (cast->use_empty()) {
      cast.erase();
      changed = true;
    }
  return changed;
}

/// As in TVM, types that do not follow from the operands give way.
static void inferTypesAgain(FuncOp func) {
  func->walk([](Operation *op) {
    SmallVector<Type> types;
    auto getYielded = [](Region &region) {
      return region.front().getTerminator()->getOperand(0).getType();
    };
    if (auto dataflow = dyn_cast<DataflowOp>(op)) {
      llvm::append_range(
          types, dataflow.getBody()->getTerminator()->getOperandTypes());
    } else if (auto branches = dyn_cast<IfOp>(op)) {
      types = {getCommonType(getYielded(branches.getThenRegion()),
                             getYielded(branches.getElseRegion()))};
    } else if (isa<LocalFuncOp>(op) || failed(inferResults(op, types))) {
      // Operands that an op does not take are for the verifier to report.
      return;
    }
    if (types.size() != op->getNumResults())
      return;
    for (auto [result, type] : llvm::zip(op->getResults(), types))
      if (isa<DataflowOp>(op) ||
          (isa<IfOp>(op) ? !isMoreGeneral(result.getType(), type)
                         : contradict(result.getType(), type)))
        result.setType(type);
  });
}

/// Gives up types that do not follow from the operands, which can let others
/// follow.
static void dropAndInferTypes(FuncOp func) {
  dropAssumedTypes(func);
  do
    inferTypesAgain(func);
  while (dropAssumedTypes(func));
  keepImpossibleCasts(func);
}

FailureOr<NumDropped>
partita::relax::canonicalizeBindings(FuncOp func,
                                     const FrozenRewritePatternSet &patterns) {
  FailureOr<bool> isReplaced = replaceNames(func);
  if (failed(isReplaced))
    return failure();
  // A cast that is a check once types are inferred is no cast to the operand's
  // type.
  if (*isReplaced)
    dropAndInferTypes(func);
  bool haveTypesChanged = false;
  int64_t bindings = forwardValues(func, haveTypesChanged);
  bool hasChanged = *isReplaced || bindings != 0;
  int64_t outputs = simplifyBlocks(func, patterns, hasChanged);
  // As in TVM, types of ops with other operands are inferred again, and a
  // function's result gets the type that the new body gives.
  if (*isReplaced || bindings != 0 || outputs != 0) {
    if (haveTypesChanged || dropAssumedTypes(func))
      dropAndInferTypes(func);
    narrowTypes(func);
  }
  return NumDropped{bindings, outputs, hasChanged};
}

LogicalResult
partita::relax::cleanUpBindings(FuncOp func,
                                const FrozenRewritePatternSet &patterns) {
  int64_t numErased = 0;
  if (failed(canonicalizeBindings(func, patterns)))
    return failure();
  eliminateCommonSubexpr(func, /*callOnly=*/false, numErased);
  for (Block &block : func.getBody())
    eraseUnused(block);
  return success(succeeded(canonicalizeBindings(func, patterns)));
}

bool partita::relax::hasPlainBindings(FuncOp func) {
  if (func.isExternal())
    return false;
  // What has no variable is written where it is used.
  return llvm::any_of(
      func.getBody().front().without_terminator(), [](Operation &op) {
        bool isPart = isa<ConstantOp, ShapeOp, PrimValueOp, TupleOp,
                          TupleGetItemOp, MatchCastOp, ExternFuncOp>(op);
        return !isa<DataflowOp>(op) && (!isPart || isVar(&op));
      });
}

void CanonicalizeBindings::runOnOperation() {
  FailureOr<NumDropped> dropped =
      canonicalizeBindings(getOperation(), patterns);
  if (failed(dropped))
    return signalPassFailure();
  if (!dropped->hasChanged)
    markAllAnalysesPreserved();
  numBindings += dropped->bindings;
  numOutputs += dropped->outputs;
}
