//===- FoldConstant.cpp - Compute what depends on constants alone ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands come before the ops that use them, so that one walk finds all that
// is constant. Afterwards only values that another op needs become constants,
// and, as in TVM, what nothing uses goes.
//
//===----------------------------------------------------------------------===//

#include "ConstantEvaluator.h"
#include "NarrowTypes.h"
#include "OpDecomposer.h"
#include "Utils.h"

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <atomic>

namespace partita::relax {
#define GEN_PASS_DEF_FOLDCONSTANT
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita::relax;

namespace {
using PrimFuncs = llvm::DenseMap<StringAttr, partita::tir::PrimFuncOp>;

/// Folds what is constant in one function.
class ConstantFolder {
public:
  ConstantFolder(FuncOp func, int64_t maxGrowth, const PrimFuncs &primFuncs)
      : func(func), evaluator(maxGrowth), primFuncs(primFuncs) {}

  /// Evaluates all ops on constants, and returns how many there are.
  size_t evaluate();
  /// Replaces the evaluated ops, and names of constants, by constants, whose
  /// names count on from `number`; returns whether there were any.
  bool replace(unsigned &number);

  int64_t getNumTooLarge() const { return evaluator.getNumTooLarge(); }

private:
  const ConstantTensor *lookUp(Value value) const;
  /// Computes an op, constants and numbers included.
  bool evaluate(Operation *op);
  bool evaluateSimple(Operation *op);
  bool evaluateParts(Operation *op);
  void materialize(OpResult result, unsigned number);
  bool forwardConstants();

  FuncOp func;
  ConstantEvaluator evaluator;
  const PrimFuncs &primFuncs;
  llvm::DenseMap<Value, ConstantTensor> constants;
  llvm::SetVector<Operation *> folded;
};

} // namespace

/// Makes shapes of constants that are read as shapes, and returns whether there
/// were any.
static bool foldShapes(FuncOp func) {
  bool changed = false;
  func.walk([&](TensorToShapeOp op) {
    auto constant = op.getInput().getDefiningOp<ConstantOp>();
    auto type = dyn_cast<partita::relax::ShapeType>(op.getType());
    // The type of a function in the function says what it gives.
    if (!constant || !type || !type.getRanked() ||
        op->getParentOfType<LocalFuncOp>())
      return;
    std::optional<ConstantTensor> sizes =
        ConstantTensor::get(constant.getValue());
    int64_t rank = type.getDims().size();
    if (!sizes || sizes->getType().getNumElements() != rank ||
        !sizes->getType().getElementType().isSignlessInteger(64))
      return;
    SmallVector<Dim> dims;
    for (int64_t i = 0; i != rank; ++i) {
      int64_t size = sizes->getValues<int64_t>()[sizes->isSplat() ? 0 : i];
      if (size < 0)
        return;
      dims.push_back(size);
    }
    OpBuilder builder(op);
    auto shape = ShapeOp::create(builder, op.getLoc(),
                                 ShapeAttr::get(op.getContext(), dims));
    replaceShape(op.getResult(), shape);
    changed |= !shape->use_empty();
    if (op->use_empty())
      op.erase();
    if (shape->use_empty())
      shape.erase();
  });
  return changed;
}

/// Whether `op` calls an op of TVM's on values, which is not call_tir.
static bool callsOp(Operation *op) {
  return isa<CallOpOp, partita::relax::TVMCallOpInterface>(op) ||
         (op->hasTrait<CallsValue>() && !isa<CallValueOp>(op));
}

/// Lets ops take shapes themselves in place of variables, and returns whether
/// there were any.
static bool forwardShapes(FuncOp func) {
  bool changed = false;
  func.walk([&](ShapeOp shape) {
    auto name = dyn_cast<NameLoc>(shape.getLoc());
    if (!name || llvm::none_of(shape->getUsers(), callsOp))
      return;
    OpBuilder builder(shape);
    auto unnamed =
        ShapeOp::create(builder, name.getChildLoc(), shape.getDims());
    shape->replaceUsesWithIf(
        unnamed, [](OpOperand &use) { return callsOp(use.getOwner()); });
    if (shape->use_empty())
      shape.erase();
    changed = true;
  });
  return changed;
}

/// Lets `func` give what it gave before its results got the types of `type`.
static void castResults(FuncOp func, FunctionType type) {
  Operation *end = func.getBody().front().getTerminator();
  OpBuilder builder(end);
  for (auto [operand, before] :
       llvm::zip_equal(end->getOpOperands(), type.getResults()))
    if (operand.get().getType() != before)
      operand.set(MatchCastOp::create(builder, operand.get().getLoc(), before,
                                      operand.get()));
  func.setType(type);
}

namespace {
struct FoldConstant : partita::relax::impl::FoldConstantBase<FoldConstant> {
  using FoldConstantBase::FoldConstantBase;

  void runOnOperation() override {
    SmallVector<FuncOp> functions;
    PrimFuncs primFuncs;
    for (Operation &op : *getOperation().getBody()) {
      if (auto primFunc = dyn_cast<partita::tir::PrimFuncOp>(op))
        primFuncs.try_emplace(primFunc.getSymNameAttr(), primFunc);
      else if (auto func = dyn_cast<FuncOp>(op);
               func && !partita::transform::skipsOptimization(func))
        functions.push_back(func);
    }
    std::atomic<bool> isChanged = false;
    SmallVector<FunctionType> types = llvm::map_to_vector(
        functions, [](FuncOp func) { return func.getFunctionType(); });
    parallelForEach(&getContext(), functions, [&](FuncOp func) {
      if (fold(func, primFuncs))
        isChanged = true;
    });
    // What calls it, or takes it as a value, has the types that it had.
    for (auto [func, type] : llvm::zip_equal(functions, types))
      if (func.getFunctionType() != type &&
          !SymbolTable::symbolKnownUseEmpty(func.getSymNameAttr(),
                                            getOperation()))
        castResults(func, type);
    if (!isChanged)
      markAllAnalysesPreserved();
  }

private:
  /// Whether it has changed `func`.
  bool fold(FuncOp func, const PrimFuncs &primFuncs) {
    bool isMoreKnown = forwardShapes(func);
    bool changed = isMoreKnown;
    unsigned number = 0;
    // What becomes known of a shape can make more ops constant.
    do {
      if (isMoreKnown) {
        narrowTypes(func);
        keepImpossibleCasts(func);
      }
      ConstantFolder folder(func, maxGrowth, primFuncs);
      numFolded += folder.evaluate();
      changed |= folder.replace(number);
      isMoreKnown = foldShapes(func);
      changed |= isMoreKnown;
      if (isMoreKnown)
        forwardShapes(func);
      else
        numTooLarge += folder.getNumTooLarge();
      for (Block &block : func.getBody()) {
        NumErased erased = eraseUnused(block);
        changed |= erased.ops != 0 || erased.outputs != 0;
      }
    } while (isMoreKnown);
    if (changed)
      narrowResultTypes(func);
    return changed;
  }
};
} // namespace

/// The value of a constant or of a folded op, also outside of its dataflow
/// block and by another name.
const ConstantTensor *ConstantFolder::lookUp(Value value) const {
  value = getInside(value);
  if (auto alias = value.getDefiningOp<AliasOp>())
    return lookUp(alias.getValue());
  auto constant = constants.find(value);
  return constant == constants.end() ? nullptr : &constant->second;
}

/// Whether only the shape of `operand` matters, which the type of the result
/// has: the one that relax.reshape gives, or the tensor of relax.ones_like.
static bool isShape(OpOperand &operand) {
  if (isa<partita::relax::ShapeType>(operand.get().getType()))
    return true;
  Operation *op = operand.getOwner();
  bool isLike = isa<EyeLikeOp, FullLikeOp, OnesLikeOp, ZerosLikeOp>(op);
  return operand.getOperandNumber() == 0 ? isLike : isa<CollapseSumLikeOp>(op);
}

/// Whether `op` is on constants and was computed.
bool ConstantFolder::evaluateSimple(Operation *op) {
  SmallVector<const ConstantTensor *> operands;
  auto add = [&](Value value) {
    operands.push_back(lookUp(value));
    return operands.back() != nullptr;
  };
  for (OpOperand &operand : op->getOpOperands()) {
    auto tuple = operand.get().getDefiningOp<TupleOp>();
    bool isConstant = tuple && isa<ConcatOp, StackOp, StridedSliceOp>(op)
                          ? llvm::all_of(tuple.getFields(), add)
                          : isShape(operand) || add(operand.get());
    if (!isConstant)
      return false;
  }
  std::optional<SmallVector<ConstantTensor>> values;
  if (auto call = dyn_cast<CallTIROp>(op)) {
    if (auto callee = primFuncs.lookup(call.getCalleeAttr().getAttr()))
      values = evaluator.evaluate(callee, operands, call->getResultTypes());
  } else {
    values = evaluator.evaluate(op, operands);
  }
  if (!values)
    return false;
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *values))
    constants.try_emplace(result, std::move(value));
  return true;
}

/// The same by simpler ops, which are gone afterwards.
bool ConstantFolder::evaluateParts(Operation *op) {
  if (!llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
        return isShape(operand) || lookUp(operand.get());
      }))
    return false;
  Block parts;
  OpBuilder builder(func.getContext());
  builder.setInsertionPointToStart(&parts);
  SmallVector<Value> values = decompose(builder, op);
  bool isEvaluated =
      !values.empty() && llvm::all_of(parts, [&](Operation &part) {
        return isa<ShapeOp>(part) || evaluate(&part);
      });
  SmallVector<ConstantTensor> results;
  for (auto [value, type] : llvm::zip(values, op->getResultTypes()))
    if (isEvaluated && value.getType() == type)
      results.push_back(std::move(constants.find(value)->second));
  for (Operation &part : parts)
    for (Value value : part.getResults())
      constants.erase(value);
  if (values.empty() || results.size() != values.size())
    return false;
  for (auto [result, value] : llvm::zip_equal(op->getResults(), results))
    constants.try_emplace(result, std::move(value));
  return true;
}

/// Makes a constant of `result`, before its op or the dataflow block around it.
void ConstantFolder::materialize(OpResult result, unsigned number) {
  OpBuilder builder(func.getBody().findAncestorOpInRegion(*result.getOwner()));
  OwnedElements value = constants.find(result)->second.takeAttr(
      (func.getSymName() + "_folded_" + Twine(number)).str());
  result.replaceAllUsesWith(
      ConstantOp::create(builder, result.getLoc(), value));
}

/// Lets constants have no other name, and leave no dataflow block.
bool ConstantFolder::forwardConstants() {
  bool changed = false;
  func.walk([&](Operation *op) {
    if (auto alias = dyn_cast<AliasOp>(op)) {
      if (alias.getValue().getDefiningOp<ConstantOp>() &&
          alias.getType() == alias.getValue().getType()) {
        alias.replaceAllUsesWith(alias.getValue());
        changed = true;
      }
    } else if (auto dataflow = dyn_cast<DataflowOp>(op)) {
      for (auto [value, result] :
           llvm::zip_equal(dataflow.getBody()->getTerminator()->getOperands(),
                           dataflow.getResults()))
        if (auto constant = value.getDefiningOp<ConstantOp>()) {
          if (dataflow->isAncestor(constant))
            constant->moveBefore(dataflow);
          result.replaceAllUsesWith(value);
          changed = true;
        }
    }
  });
  return changed;
}

/// A number, which a binary op takes for a tensor of one element.
static std::optional<ConstantTensor> getTensor(PrimValueOp number) {
  if (!number.getType().isIntOrFloat())
    return std::nullopt;
  return ConstantTensor::get(
      DenseElementsAttr::get(RankedTensorType::get(1, number.getType()),
                             Attribute(number.getValue())));
}

bool ConstantFolder::evaluate(Operation *op) {
  std::optional<ConstantTensor> value;
  if (auto constant = dyn_cast<ConstantOp>(op))
    value = ConstantTensor::get(constant.getValue());
  else if (auto number = dyn_cast<PrimValueOp>(op))
    value = getTensor(number);
  else
    return evaluateSimple(op) || evaluateParts(op);
  if (value)
    constants.try_emplace(op->getResult(0), std::move(*value));
  return value.has_value();
}

size_t ConstantFolder::evaluate() {
  llvm::SetVector<Operation *> written;
  func.walk([&](Operation *op) { addWrittenInPlace(op, written); });
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isGiven = isa<ConstantOp, PrimValueOp>(op);
    if ((isGiven || !written.contains(op)) && evaluate(op) && !isGiven)
      folded.insert(op);
  });
  return folded.size();
}

bool ConstantFolder::replace(unsigned &number) {
  for (Operation *op : folded)
    for (OpResult result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !folded.contains(user); }))
        materialize(result, number++);
  return forwardConstants() || !folded.empty();
}
