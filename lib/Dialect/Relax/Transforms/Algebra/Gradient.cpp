//===- Gradient.cpp - Add the gradient of a function ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reverse-mode differentiation. A copy of the function gets the gradients
// behind its ops, which are visited backwards: the gradient of a value is
// complete before the op that computes the value passes it on.
//
//===----------------------------------------------------------------------===//

#include "Adjoints.h"
#include "Checkpoints.h"
#include "GradientSimplifier.h"

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_GRADIENT
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// What is differentiated
//===----------------------------------------------------------------------===//

/// The block of dataflow that is all that `func` computes; null, and an error,
/// if there is none.
static DataflowOp getOnlyDataflow(FuncOp func) {
  DataflowOp dataflow;
  for (Operation &op : func.getBody().front()) {
    if (isLiteralOrTuple(&op) || op.hasTrait<OpTrait::IsTerminator>())
      continue;
    if (dataflow || !isa<DataflowOp>(op)) {
      op.emitOpError("expected one 'relax.dataflow' in a function that is "
                     "differentiated, found another op");
      return nullptr;
    }
    dataflow = cast<DataflowOp>(op);
  }
  if (!dataflow)
    func.emitOpError("expected one 'relax.dataflow' in a function that is "
                     "differentiated, found none");
  return dataflow;
}

/// The values that `func` returns: the fields of a tuple that has no variable.
static SmallVector<Value> getReturned(FuncOp func) {
  Operation *end = func.getBody().front().getTerminator();
  SmallVector<Value> values(end->getOperands());
  if (values.size() == 1)
    if (TupleOp tuple = getUnnamedTuple(values.front()))
      return SmallVector<Value>(tuple.getFields());
  return values;
}

/// The value in `dataflow` that is result `index` of `func`; null, and an
/// error, if that can't be differentiated.
static Value getTarget(FuncOp func, DataflowOp dataflow, int64_t index) {
  SmallVector<Value> returned = getReturned(func);
  if (index < 0 || index >= int64_t(returned.size())) {
    func.emitOpError("expected 'target-index' to be below ")
        << returned.size() << ", the number of results, found " << index;
    return nullptr;
  }
  Value target = returned[index];
  std::optional<TensorInfo> info = TensorInfo::get(target.getType());
  if (!info || !info->isRanked || info->getRank() != 0 || info->lacksShape ||
      !isa_and_present<FloatType>(info->elementType)) {
    func.emitOpError("expected the differentiated result to be a scalar "
                     "tensor of floats, found ")
        << target.getType();
    return nullptr;
  }
  auto result = dyn_cast<OpResult>(target);
  if (result && result.getOwner() == dataflow)
    return dataflow.getBody()->getTerminator()->getOperand(
        result.getResultNumber());
  if (isa<BlockArgument>(target))
    return target;
  func.emitOpError("expected the differentiated result to be a value of the "
                   "'relax.dataflow' or a parameter, found another one");
  return nullptr;
}

static bool isFloatOrTuple(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::all_of(tuple.getTypes(), isFloatOrTuple);
  std::optional<TensorInfo> info = TensorInfo::get(type);
  return info && isa_and_present<FloatType>(info->elementType);
}

/// The values of `dataflow` and parameters of `func` whose variable is `name`.
static SmallVector<Value> findVariables(FuncOp func, DataflowOp dataflow,
                                        StringRef name) {
  SmallVector<Value> found;
  auto add = [&](Value value, Location loc) {
    StringAttr variable = getVarName(loc);
    if (variable && variable == name && !llvm::is_contained(found, value))
      found.push_back(value);
  };
  for (BlockArgument argument : func.getArguments())
    add(argument, argument.getLoc());
  Block *body = dataflow.getBody();
  for (Operation &op : body->without_terminator())
    for (OpResult result : op.getResults())
      add(result, getResultLoc(result));
  for (auto [result, value] : llvm::zip_equal(
           dataflow->getResults(), body->getTerminator()->getOperands()))
    add(value, getResultLoc(result));
  return found;
}

namespace {
/// A value to differentiate by, and its variable; null if it has none.
struct Source {
  Value value;
  StringAttr name;
};
} // namespace

static Source getParameter(FuncOp func, unsigned position) {
  Value parameter = func.getArgument(position);
  return {parameter, getVarName(parameter)};
}

/// The parameter or value that `text`, an item of `require-grads`, names.
static FailureOr<Source> findSource(FuncOp func, DataflowOp dataflow,
                                    StringRef text) {
  int64_t position = 0;
  if (!text.getAsInteger(10, position)) {
    if (position < 0 || position >= func.getNumArguments())
      return func.emitOpError("expected 'require-grads' to be below ")
             << func.getNumArguments() << ", the number of parameters, found "
             << position;
    return getParameter(func, position);
  }
  SmallVector<Value> found = findVariables(func, dataflow, text);
  if (found.size() != 1)
    return func.emitOpError("expected one variable '")
           << text << "' for 'require-grads', found " << found.size();
  // The mark goes, and the value that it marks stays.
  Value value = found.front();
  while (isa_and_nonnull<StartCheckpointOp, EndCheckpointOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return Source{value, StringAttr::get(func.getContext(), text)};
}

/// How errors name `source`.
static std::string describe(const Source &source) {
  if (auto argument = dyn_cast<BlockArgument>(source.value))
    return "parameter " + std::to_string(argument.getArgNumber());
  return "variable '" + source.name.str() + "'";
}

/// The values that `items` of `require-grads` name, or all parameters.
static FailureOr<SmallVector<Source>>
getSources(FuncOp func, DataflowOp dataflow, ArrayRef<std::string> items) {
  SmallVector<Source> sources;
  for (StringRef item : items) {
    FailureOr<Source> source = findSource(func, dataflow, item);
    if (failed(source))
      return failure();
    if (llvm::any_of(sources, [&](const Source &other) {
          return other.value == source->value;
        }))
      return func.emitOpError("expected each value in 'require-grads' once, "
                              "found another ")
             << item;
    if (!isFloatOrTuple(source->value.getType()))
      return func.emitOpError("expected ")
             << describe(*source) << " to be a tensor of floats, found "
             << source->value.getType();
    sources.push_back(*source);
  }
  if (items.empty())
    for (unsigned position : llvm::seq(func.getNumArguments()))
      sources.push_back(getParameter(func, position));
  for (const Source &source : sources)
    if (!Adjoints::canBeZero(source.value.getType()))
      return func.emitOpError("expected ")
             << describe(source)
             << " to have a known shape and element type, found "
             << source.value.getType();
  return sources;
}

//===----------------------------------------------------------------------===//
// Differentiation
//===----------------------------------------------------------------------===//

namespace {
/// Builds the gradients at the end of a function's only block.
class Differentiator {
public:
  Differentiator(DataflowOp dataflow, Checkpoints &checkpoints)
      : builder(dataflow.getBody()->getTerminator()), adjoints(builder),
        checkpoints(checkpoints) {}

  LogicalResult visit(Operation *op);
  void start(Value target);
  /// The gradient of `source` under a variable that leaves the block.
  Value finish(const Source &source);

private:
  LogicalResult visitCall(Operation *op, const Adjoint &gradient);

  OpBuilder builder;
  Adjoints adjoints;
  Checkpoints &checkpoints;
};
} // namespace

void Differentiator::start(Value target) {
  Location loc = builder.getUnknownLoc();
  TensorInfo info = *TensorInfo::get(target.getType());
  adjoints.add(target, {OnesOp::create(builder, loc, createShape(builder, {}),
                                       info.elementType)});
}

Value Differentiator::finish(const Source &source) {
  if (!adjoints.lookup(source.value))
    adjoints.addZeros(source.value);
  Location loc = source.value.getLoc();
  if (source.name)
    loc = withName(loc, source.name.getValue() + "_adjoint_out");
  return adjoints.makeAlias(*adjoints.lookup(source.value), loc);
}

/// Whether all that rules look at is known.
static bool isDifferentiable(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::all_of(tuple.getTypes(), isDifferentiable);
  return !TensorInfo::get(type) || Adjoints::canBeZero(type);
}

LogicalResult Differentiator::visitCall(Operation *op,
                                        const Adjoint &gradient) {
  auto interface = dyn_cast<GradientOpInterface>(op);
  if (!interface)
    return op->emitOpError("expected an op that has a gradient, found one that "
                           "has none");
  if (!llvm::all_of(op->getOperandTypes(), isDifferentiable) ||
      !llvm::all_of(op->getResultTypes(), isDifferentiable))
    return op->emitOpError("expected operands and results whose shapes and "
                           "element types are known");
  GradientBuilder rule(builder.getUnknownLoc(), builder);
  checkpoints.recompute(builder, op, rule.operands, rule.results);
  rule.setInsertionPoint(builder.getInsertionBlock(),
                         builder.getInsertionPoint());
  rule.gradients = gradient;
  SmallVector<PartialGradient> partials;
  if (failed(interface.getGradients(rule, partials)))
    return op->emitOpError("expected an op whose gradient is known, found "
                           "other operands or attributes");
  // The operands can be the fields of one argument.
  bool isTuple = partials.size() == 1 && isa<ConcatOp>(op);
  if (isTuple && op->getNumOperands() > 1) {
    SmallVector<Value> parts = partials.front()();
    if (Value whole = checkpoints.getWhole(op))
      adjoints.add(whole, parts);
    else
      adjoints.addFields(op->getOperands(), parts);
    return success();
  }
  for (auto [operand, partial] : llvm::zip_equal(op->getOperands(), partials)) {
    if (!partial || operand.getDefiningOp<ConstantOp>())
      continue;
    if (TupleOp tuple = getUnnamedTuple(operand)) {
      adjoints.addFields(tuple.getFields(), partial());
      continue;
    }
    Adjoint parts = partial();
    if (isa<TupleType>(operand.getType()) && parts.size() == 1 &&
        !isa<TupleType>(parts.front().getType()))
      parts = {TupleOp::create(builder, builder.getUnknownLoc(), parts)};
    auto result = dyn_cast<OpResult>(operand);
    if (result && result.getOwner()->getNumResults() > 1)
      adjoints.addField(operand, result.getResultNumber(), parts);
    else
      adjoints.add(operand, parts);
  }
  return success();
}

LogicalResult Differentiator::visit(Operation *op) {
  if (op->getNumResults() == 0)
    return success();
  const Adjoint *known = adjoints.lookup(op->getResult(0));
  if (!known || isa<ConstantOp>(op))
    return success();
  Adjoint gradient = *known;
  if (auto alias = dyn_cast<AliasOp>(op)) {
    auto result = dyn_cast<OpResult>(alias.getValue());
    if (result && result.getOwner()->getNumResults() > 1)
      adjoints.addField(result, result.getResultNumber(), gradient);
    else if (!alias.getValue().getDefiningOp<ConstantOp>())
      adjoints.add(alias.getValue(), gradient);
    return success();
  }
  if (auto tuple = dyn_cast<TupleOp>(op)) {
    adjoints.addFields(tuple.getFields(), gradient);
    return success();
  }
  if (auto item = dyn_cast<TupleGetItemOp>(op)) {
    Value tuple = item.getTupleValue();
    if (!Adjoints::canBeZero(tuple.getType()))
      return op->emitOpError("expected a tuple of tensors whose shapes and "
                             "element types are known, found ")
             << tuple.getType();
    adjoints.addField(tuple, item.getIndex(), gradient);
    return success();
  }
  return visitCall(op, gradient);
}

namespace {
struct Gradient : relax::impl::GradientBase<Gradient> {
  using GradientBase::GradientBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerGradientModels(registry);
  }

  void runOnOperation() override;

private:
  LogicalResult differentiate(FuncOp func);
};
} // namespace

LogicalResult Gradient::differentiate(FuncOp func) {
  DataflowOp dataflow = getOnlyDataflow(func);
  if (!dataflow)
    return failure();
  FailureOr<SmallVector<Source>> sources =
      getSources(func, dataflow, ArrayRef<std::string>(requireGrads));
  if (failed(sources))
    return failure();
  Checkpoints checkpoints(func, dataflow);
  Value target = getTarget(func, dataflow, targetIndex);
  if (!target)
    return failure();
  SmallVector<Operation *> forward;
  for (Operation &op : dataflow.getBody()->without_terminator())
    forward.push_back(&op);
  Differentiator differentiator(dataflow, checkpoints);
  differentiator.start(target);
  for (Operation *op : llvm::reverse(forward))
    if (failed(differentiator.visit(op)))
      return failure();

  // The block gives the gradients, too.
  Operation *output = dataflow.getBody()->getTerminator();
  SmallVector<Value> outputs(output->getOperands());
  for (const Source &source : *sources)
    outputs.push_back(differentiator.finish(source));
  DataflowOp larger = createWithOutputs(dataflow, outputs);
  unsigned numBefore = dataflow.getNumResults();
  // Exporters name the block's outputs by the block's locations.
  auto locs =
      llvm::map_to_vector(outputs, [](Value value) { return value.getLoc(); });
  if (numBefore == 1 && isVar(dataflow))
    locs.front() = dataflow.getLoc();
  larger->setLoc(FusedLoc::get(&getContext(), locs));
  dataflow->replaceAllUsesWith(larger.getResults().take_front(numBefore));
  dataflow.erase();

  Operation *end = func.getBody().front().getTerminator();
  OpBuilder builder(end);
  SmallVector<Value> returned(end->getOperands());
  if (returned.size() != 1)
    returned = {TupleOp::create(builder, builder.getUnknownLoc(), returned)};
  returned.push_back(
      TupleOp::create(builder, builder.getUnknownLoc(),
                      larger.getResults().drop_front(numBefore)));
  end->setOperands(returned);
  for (Block &block : func.getBody())
    eraseUnused(block);
  simplifyGradient(func);
  for (Block &block : func.getBody())
    eraseUnused(block);
  func.setType(FunctionType::get(&getContext(), func.getArgumentTypes(),
                                 end->getOperandTypes()));
  func.setResAttrsAttr(nullptr);
  return success();
}

void Gradient::runOnOperation() {
  IRModuleOp module = getOperation();
  SymbolTable symbols(module);
  auto func = symbols.lookup<FuncOp>(funcName);
  if (!func || func.isExternal()) {
    module.emitError("expected a 'relax.func' @")
        << funcName << " with a body in the module, found none";
    return signalPassFailure();
  }
  std::string name = funcName + "_adjoint";
  if (symbols.lookup(name)) {
    module.emitError("expected no function @")
        << name << " in the module, found one";
    return signalPassFailure();
  }
  auto adjoint = cast<FuncOp>(func->clone());
  adjoint.setSymName(name);
  adjoint.setPublic();
  adjoint->setAttr("global_symbol", StringAttr::get(&getContext(), name));
  symbols.insert(adjoint, std::next(func->getIterator()));
  if (succeeded(differentiate(adjoint)))
    return;
  symbols.erase(adjoint);
  signalPassFailure();
}
