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

#include "partita/Conversion/LinalgToTIR.h"
#include "partita/Conversion/Passes.h"
#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Support/ThreadDiagnosticHandler.h"

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

/// Folds the constant values of one function.
class ConstantFolder {
public:
  ConstantFolder(FuncOp func, int64_t maxGrowth, const PrimFuncs &primFuncs)
      : func(func), evaluator(maxGrowth), primFuncs(primFuncs) {}

  /// Evaluates all ops on constants, and returns how many there are. Constants
  /// that are read as shapes become shapes; from the first one on, ops get more
  /// specific types before they are evaluated.
  size_t evaluate();
  /// Replaces the evaluated ops, and names of constants, by constants, whose
  /// names count on from `number`; returns whether there were any.
  bool replace(unsigned &number);

  int64_t getNumTooLarge() const { return evaluator.getNumTooLarge(); }
  /// Whether constants were read as shapes.
  bool hasNewShapes() const { return isMoreKnown; }

private:
  /// The value that `value` stands for, inside of its dataflow block and
  /// without other names.
  Value getSource(Value value) const {
    Value source = sources.lookup(value);
    return source ? source : value;
  }
  const ConstantTensor *lookUp(Value value) const;
  /// Evaluates the ops in a region. `isLocal` is for a function in the
  /// function: it keeps types as they are, because the type of such a function
  /// says what it returns.
  void evaluateIn(Region &region, bool isLocal);
  /// Computes an op, constants and numbers included.
  bool evaluate(Operation *op);
  bool evaluateSimple(Operation *op);
  bool evaluateParts(Operation *op);
  void makeShape(TensorToShapeOp op);
  void materialize(OpResult result, unsigned number);
  bool forwardConstants();

  FuncOp func;
  ConstantEvaluator evaluator;
  const PrimFuncs &primFuncs;
  llvm::DenseMap<Value, ConstantTensor> constants;
  /// The values that aliases and outputs of dataflow blocks stand for in the
  /// end.
  llvm::DenseMap<Value, Value> sources;
  llvm::SetVector<Operation *> written, folded;
  bool isMoreKnown = false;
};

} // namespace

/// Whether `op` calls an op of TVM's on values, which is not call_tir.
static bool callsOp(Operation *op) {
  return isa<CallOpOp, partita::relax::TVMCallOpInterface>(op) ||
         (op->hasTrait<CallsValue>() && !isa<CallValueOp>(op));
}

/// Lets ops take a shape itself in place of its variable, and returns whether
/// there were any.
static bool forwardShape(ShapeOp shape) {
  if (!isVar(shape) || llvm::none_of(shape->getUsers(), callsOp))
    return false;
  OpBuilder builder(shape);
  auto unnamed =
      ShapeOp::create(builder, withoutName(shape.getLoc()), shape.getDims());
  shape->replaceUsesWithIf(
      unnamed, [](OpOperand &use) { return callsOp(use.getOwner()); });
  if (shape->use_empty())
    shape.erase();
  return true;
}

static bool forwardShapes(FuncOp func) {
  bool changed = false;
  func.walk([&](ShapeOp shape) { changed |= forwardShape(shape); });
  return changed;
}

/// Gives the results of `func` the types in `type` again, which they had
/// before.
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

/// The kernels of linalg that `functions` call with operands which can be
/// constants.
static SmallVector<partita::tir::PrimFuncOp>
findLinalgKernels(ArrayRef<FuncOp> functions, const PrimFuncs &primFuncs) {
  llvm::SetVector<partita::tir::PrimFuncOp> kernels;
  if (primFuncs.empty())
    return {};
  llvm::DenseSet<Value> known;
  auto isKnown = [&](Value value) { return known.contains(value); };
  auto visit = [&](Operation *op) {
    if (auto dataflow = dyn_cast<DataflowOp>(op)) {
      for (auto [result, value] :
           llvm::zip_equal(op->getResults(),
                           dataflow.getBody()->getTerminator()->getOperands()))
        if (isKnown(value))
          known.insert(result);
    } else if (op->getNumRegions() == 0 &&
               llvm::all_of(op->getOperands(), isKnown)) {
      known.insert_range(op->getResults());
      auto call = dyn_cast<CallTIROp>(op);
      auto callee = primFuncs.lookup(call ? call.getCalleeAttr().getAttr()
                                          : StringAttr());
      if (callee && partita::conversion::hasTensors(callee))
        kernels.insert(callee);
    }
  };
  for (FuncOp func : functions)
    func.walk(visit);
  return kernels.takeVector();
}

namespace {
struct FoldConstant : partita::relax::impl::FoldConstantBase<FoldConstant> {
  using FoldConstantBase::FoldConstantBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    FoldConstantBase::getDependentDialects(registry);
    partita::conversion::createConvertLinalgToTIR()->getDependentDialects(
        registry);
  }

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
    auto blocks = lowerKernels(functions, primFuncs);
    std::atomic<bool> isChanged = false;
    SmallVector<FunctionType> types = llvm::map_to_vector(
        functions, [](FuncOp func) { return func.getFunctionType(); });
    parallelForEach(&getContext(), functions, [&](FuncOp func) {
      if (fold(func, primFuncs))
        isChanged = true;
    });
    keepTypesOfUsed(functions, types);
    if (!isChanged)
      markAllAnalysesPreserved();
  }

private:
  using Modules = SmallVector<OwningOpRef<partita::IRModuleOp>>;

  /// Replaces kernels of linalg in `primFuncs` by copies in blocks, which can
  /// be run. A kernel that can't become blocks stays.
  Modules lowerKernels(ArrayRef<FuncOp> functions, PrimFuncs &primFuncs) {
    Modules modules;
    auto lower = [&](ArrayRef<partita::tir::PrimFuncOp> kernels) {
      FailureOr<OwningOpRef<partita::IRModuleOp>> blocks =
          partita::conversion::convertKernelsToTIR(kernels);
      if (failed(blocks))
        return false;
      if (*blocks)
        for (auto kernel : (*blocks)->getOps<partita::tir::PrimFuncOp>())
          primFuncs[kernel.getSymNameAttr()] = kernel;
      modules.push_back(std::move(*blocks));
      return true;
    };
    partita::ThreadDiagnosticHandler quiet(
        &getContext(), [](Diagnostic &) { return success(); });
    SmallVector<partita::tir::PrimFuncOp> kernels =
        findLinalgKernels(functions, primFuncs);
    if (!lower(kernels))
      for (partita::tir::PrimFuncOp kernel : kernels)
        lower(kernel);
    return modules;
  }

  /// Ops that call a function, or take it as a value, have the types that it
  /// had.
  void keepTypesOfUsed(MutableArrayRef<FuncOp> functions,
                       ArrayRef<FunctionType> types) {
    SmallVector<std::pair<FuncOp, FunctionType>> changed;
    for (auto [func, type] : llvm::zip_equal(functions, types))
      if (func.getFunctionType() != type)
        changed.emplace_back(func, type);
    if (changed.empty())
      return;
    DenseSet<StringAttr> used;
    std::optional<SymbolTable::UseRange> uses =
        SymbolTable::getSymbolUses(&getOperation().getBodyRegion());
    if (uses)
      for (const SymbolTable::SymbolUse &use : *uses)
        used.insert(use.getSymbolRef().getRootReference());
    for (auto [func, type] : changed)
      if (!uses || used.contains(func.getSymNameAttr()))
        castResults(func, type);
  }

  /// Whether it has changed `func`.
  bool fold(FuncOp func, const PrimFuncs &primFuncs) {
    bool isMoreKnown = forwardShapes(func);
    bool changed = isMoreKnown;
    unsigned number = 0;
    // When a shape becomes known, ops before it can get more specific types,
    // too.
    do {
      if (isMoreKnown) {
        narrowTypes(func);
        keepImpossibleCasts(func);
      }
      ConstantFolder folder(func, maxGrowth, primFuncs);
      numFolded += folder.evaluate();
      changed |= folder.replace(number);
      isMoreKnown = folder.hasNewShapes();
      changed |= isMoreKnown;
      if (!isMoreKnown)
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

/// The value of a constant or of a folded op.
const ConstantTensor *ConstantFolder::lookUp(Value value) const {
  auto constant = constants.find(getSource(value));
  return constant == constants.end() ? nullptr : &constant->second;
}

/// Whether only the shape of `operand` matters, and the result's type has that
/// shape: the shape operand of relax.reshape, or the tensor of relax.ones_like.
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

/// Makes a shape of a constant that is read as one.
void ConstantFolder::makeShape(TensorToShapeOp op) {
  const ConstantTensor *sizes = lookUp(op.getInput());
  auto type = dyn_cast<partita::relax::ShapeType>(op.getType());
  if (!sizes || !type || !type.getRanked())
    return;
  int64_t rank = type.getDims().size();
  if (sizes->getType().getNumElements() != rank ||
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
  if (shape->use_empty()) {
    shape.erase();
    return;
  }
  isMoreKnown = true;
  forwardShape(shape);
}

void ConstantFolder::evaluateIn(Region &region, bool isLocal) {
  for (Operation &op : region.getOps()) {
    for (Region &inner : op.getRegions())
      evaluateIn(inner, isLocal || isa<LocalFuncOp>(op));
    if (isMoreKnown && !isLocal)
      narrowResults(&op);
    bool isGiven = isa<ConstantOp, PrimValueOp>(op);
    if (auto alias = dyn_cast<AliasOp>(op)) {
      sources[alias.getResult()] = getSource(alias.getValue());
    } else if (auto dataflow = dyn_cast<DataflowOp>(op)) {
      Operation *output = dataflow.getBody()->getTerminator();
      for (auto [result, value] :
           llvm::zip_equal(dataflow.getResults(), output->getOperands()))
        sources[result] = getSource(value);
    } else if (auto toShape = dyn_cast<TensorToShapeOp>(op)) {
      if (!isLocal)
        makeShape(toShape);
    } else if ((isGiven || !written.contains(&op)) && evaluate(&op) &&
               !isGiven) {
      folded.insert(&op);
    }
  }
}

size_t ConstantFolder::evaluate() {
  func.walk([&](Operation *op) { addWrittenInPlace(op, written); });
  evaluateIn(func.getBody(), /*isLocal=*/false);
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
