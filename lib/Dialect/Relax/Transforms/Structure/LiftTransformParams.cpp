//===- LiftTransformParams.cpp - Lift computations on weights -------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleModelParams.h"
#include "Inline.h"
#include "LambdaNames.h"
#include "SharedLift.h"
#include "Symbols.h"
#include "Values.h"

#include "../BindingCanonicalizer.h"
#include "../DimReplacer.h"
#include "../Utils.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Pass/PassContext.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/BitVector.h"

namespace partita::relax {
#define GEN_PASS_DEF_LIFTTRANSFORMPARAMS
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// What a function takes in the place of its weights.
struct Outputs {
  /// Sizes, which come first, as a shape.
  SmallVector<StringAttr> names;
  /// For each output the values that it stands for; the first one gives it type
  /// and name.
  std::vector<SmallVector<Value>> values;
};

struct LiftTransformParams
    : BindingPass<relax::impl::LiftTransformParamsBase<LiftTransformParams>> {
  using BindingPass::BindingPass;
  void runOnOperation() override;

private:
  FailureOr<SmallVector<LiftTarget>> getTargets();
  LogicalResult liftEach(MutableArrayRef<LiftTarget> targets);
  LogicalResult liftShared(MutableArrayRef<LiftTarget> targets);
  /// Makes the function that computes `ops` from the weights of `target`.
  LogicalResult makeTransform(StringRef name, LiftTarget target,
                              ArrayRef<Operation *> ops,
                              const Outputs &outputs);
  /// Lets the function `name` of the module come before `made`.
  LogicalResult compose(StringRef name, FuncOp made);
  LogicalResult cleanUp(FuncOp func);
  /// Lets the function of `target` take `outputs` in the place of its weights.
  LogicalResult makeRuntime(LiftTarget target, ArrayRef<Operation *> ops,
                            const Outputs &outputs);
};
} // namespace

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<LiftTarget>> LiftTransformParams::getTargets() {
  IRModuleOp module = getOperation();
  SmallVector<LiftTarget> targets;
  auto add = [&](FuncOp func) -> LogicalResult {
    FailureOr<unsigned> numInput = getNumInput(func, 0);
    if (failed(numInput))
      return failure();
    targets.push_back({func, *numInput});
    return success();
  };
  if (sharedFunctions.empty()) {
    for (auto func : module.getOps<FuncOp>())
      if (func->hasAttr("num_input") && isChangeable(func) &&
          !func.getSymName().ends_with("transform_params") && failed(add(func)))
        return failure();
    llvm::stable_sort(targets, [](const LiftTarget &a, const LiftTarget &b) {
      return SymbolTable::getSymbolName(a.func).getValue() <
             SymbolTable::getSymbolName(b.func).getValue();
    });
    return targets;
  }
  SymbolTable symbols(module);
  for (StringRef name : sharedFunctions) {
    auto func = symbols.lookup<FuncOp>(name);
    if (!func || !func->hasAttr("num_input") || !isChangeable(func))
      return module.emitError("expected a relax.func '")
             << name << "' with a body and the attribute num_input, as "
             << "shared-functions says, but found "
             << (func ? "another relax.func" : "none");
    if (failed(add(func)))
      return failure();
  }
  return targets;
}

//===----------------------------------------------------------------------===//
// The function that transforms weights
//===----------------------------------------------------------------------===//

/// Maps `value` and the parts of expressions behind it to copies.
static void mapParts(OpBuilder &builder, Value value, IRMapping &mapping) {
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value next = worklist.back(), inside = getInside(next);
    Operation *part = inside.getDefiningOp();
    if (mapping.contains(next)) {
      worklist.pop_back();
    } else if (mapping.contains(inside)) {
      mapping.map(next, mapping.lookup(inside));
      worklist.pop_back();
    } else if (SmallVector<Value> missing = llvm::filter_to_vector(
                   part->getOperands(),
                   [&](Value operand) { return !mapping.contains(operand); });
               !missing.empty()) {
      llvm::append_range(worklist, missing);
    } else {
      builder.clone(*part, mapping);
    }
  }
}

static Value cloneOutput(OpBuilder &builder, const Outputs &outputs,
                         IRMapping &mapping) {
  SmallVector<Value> fields;
  if (!outputs.names.empty())
    fields.push_back(
        ShapeOp::create(builder, builder.getUnknownLoc(),
                        ShapeAttr::get(builder.getContext(),
                                       SmallVector<Dim>(outputs.names.begin(),
                                                        outputs.names.end()))));
  for (ArrayRef<Value> values : outputs.values)
    fields.push_back(mapping.lookup(values.front()));
  return TupleOp::create(
      builder, getNamedLoc(builder.getContext(), "output_tuple"), fields);
}

LogicalResult LiftTransformParams::makeTransform(StringRef name,
                                                 LiftTarget target,
                                                 ArrayRef<Operation *> ops,
                                                 const Outputs &outputs) {
  MLIRContext *context = &getContext();
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(getOperation().getBody());
  auto func = FuncOp::create(builder, target.func.getLoc(), name,
                             builder.getFunctionType({}, {}));
  Block *body = func.addEntryBlock();
  llvm::DenseSet<StringAttr> names;
  for (BlockArgument weight : target.getWeights())
    names.insert_range(getNamesOfParameter(target.func, weight.getArgNumber()));
  auto isKnown = [&](StringAttr other) { return names.contains(other); };
  IRMapping mapping;
  for (BlockArgument weight : target.getWeights()) {
    (void)func.insertArgument(func.getNumArguments(),
                              forgetNames(weight.getType(), isKnown),
                              target.func.getArgAttrDict(weight.getArgNumber()),
                              getNamedLoc(context, getParameterName(weight)));
    mapping.map(weight, func.getArguments().back());
  }

  builder.setInsertionPointToEnd(body);
  OpBuilder inner(context);
  auto block = std::make_unique<Block>();
  inner.setInsertionPointToEnd(block.get());
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      mapParts(inner, operand, mapping);
    inner.clone(*op, mapping);
  }
  Value tuple = cloneOutput(inner, outputs, mapping);
  auto dataflow = DataflowOp::create(builder, tuple.getLoc(), tuple.getType());
  dataflow.getBody()->getOperations().splice(dataflow.getBody()->end(),
                                             block->getOperations());
  inner.setInsertionPointToEnd(dataflow.getBody());
  OutputOp::create(inner, tuple.getLoc(), tuple);
  SmallVector<Value> results = {dataflow.getResult(0)};
  if (auto type = cast<TupleType>(tuple.getType()); type.size() != 1) {
    results.clear();
    for (unsigned index = 0; index < type.size(); ++index)
      results.push_back(TupleGetItemOp::create(builder, builder.getUnknownLoc(),
                                               dataflow.getResult(0), index));
  }
  ReturnOp::create(builder, builder.getUnknownLoc(), results);
  func.setType(builder.getFunctionType(func.getArgumentTypes(),
                                       TypeRange(ValueRange(results))));
  setNumInput(func, 0);
  func->setAttr("global_symbol", builder.getStringAttr(name));
  bundleModelParams(func, 0, "model_params");
  return failed(cleanUp(func)) ? failure() : compose(name, func);
}

LogicalResult LiftTransformParams::cleanUp(FuncOp func) {
  if (failed(canonicalizeBindings(func, patterns)))
    return failure();
  eraseUnused(func.getBody().front());
  return success();
}

/// Names the sizes of `outputs`, which `made` takes, that they do not say.
static Value castToWeights(OpBuilder &builder, Value outputs, FuncOp made,
                           SizeNames &names) {
  Type type = made.getArgumentTypes().front();
  SmallVector<StringAttr> weightNames = getNames(type);
  DimReplacer replacer;
  bool isKnown = true;
  for (auto [name, size] :
       llvm::zip(weightNames, getSizesOfNames(made, outputs, weightNames))) {
    isKnown &= !size.isUnknown();
    replacer.dims.try_emplace(name, size);
  }
  if (isKnown)
    return outputs;
  for (StringAttr name : weightNames)
    if (Dim &size = replacer.dims[name]; size.isUnknown())
      size = names.makeName(name);
  return MatchCastOp::create(builder, builder.getUnknownLoc(),
                             replacer.apply(type), outputs);
}

LogicalResult LiftTransformParams::compose(StringRef name, FuncOp made) {
  for (Operation &op : *getOperation().getBody()) {
    if (&op == made || SymbolTable::getSymbolName(&op).getValue() != name)
      continue;
    auto old = dyn_cast<FuncOp>(op);
    if (!old || !isChangeable(old))
      return op.emitError(
                 "expected a relax.func with a body to come before the "
                 "new @")
             << name << ", but found another function";
    Operation *end = old.getBody().front().getTerminator();
    OpBuilder builder(end);
    Value outputs = end->getNumOperands() == 1 &&
                            isa<TupleType>(end->getOperand(0).getType())
                        ? end->getOperand(0)
                        : TupleOp::create(builder, builder.getUnknownLoc(),
                                          end->getOperands())
                              .getResult();
    SizeNames names(old);
    if (!isCastable(outputs.getType(), made.getArgumentTypes().front()))
      return old.emitError("expected @")
             << name << " to give a " << made.getArgumentTypes().front()
             << ", which are weights, but found " << outputs.getType();
    FailureOr<SmallVector<Value>> results = inlineBody(
        builder, made, castToWeights(builder, outputs, made, names), names);
    if (failed(results))
      return old.emitError("expected a body without parts that import has kept "
                           "to come after @")
             << name;
    end->setOperands(*results);
    old.setType(FunctionType::get(&getContext(), old.getArgumentTypes(),
                                  end->getOperandTypes()));
    if (!made.getIsPure())
      old.setIsPure(false);
    made.erase();
    return cleanUp(old);
  }
  return success();
}

/// Lets `func` release the fields of its last parameter after taking them.
static void consumeParams(FuncOp func) {
  if (func.getNumArguments() == 0 ||
      !isa<TupleType>(func.getArgumentTypes().back()))
    return;
  BlockArgument params = func.getArguments().back();
  llvm::DenseMap<std::pair<Block *, int64_t>, Value> taken;
  func.walk([&](TupleGetItemOp item) {
    if (item.getTupleValue() != params)
      return;
    auto [it, isNew] = taken.try_emplace({item->getBlock(), item.getIndex()},
                                         item.getResult());
    if (!isNew) {
      item.replaceAllUsesWith(it->second);
      item.erase();
      return;
    }
    OpBuilder builder(item->getContext());
    builder.setInsertionPointAfter(item);
    Location unknown = builder.getUnknownLoc();
    Type nothing = builder.getTupleType({});
    SmallVector<Value> operands = {
        ExternFuncOp::create(
            builder, unknown, ObjectType::get(builder.getContext()),
            builder.getStringAttr("vm.builtin.tuple_reset_item")),
        params,
        PrimValueOp::create(builder, unknown,
                            builder.getI32IntegerAttr(item.getIndex()))};
    auto reset = CallPurePackedOp::create(builder, unknown, nothing, operands);
    reset.setTyArgsAttr(builder.getTypeArrayAttr(nothing));
  });
}

//===----------------------------------------------------------------------===//
// The function that takes transformed weights
//===----------------------------------------------------------------------===//

/// Erases `ops`, and parts of expressions that nothing uses.
static void eraseOps(Block &block, const llvm::SetVector<Operation *> &ops) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (auto dataflow = dyn_cast<DataflowOp>(op))
      eraseOps(*dataflow.getBody(), ops);
    else if (op.getNumResults() != 0 && op.use_empty() &&
             (ops.contains(&op) || isPartOfUser(&op)))
      op.erase();
  }
}

LogicalResult LiftTransformParams::makeRuntime(LiftTarget target,
                                               ArrayRef<Operation *> ops,
                                               const Outputs &outputs) {
  FuncOp func = target.func;
  MLIRContext *context = &getContext();
  unsigned end = func.getNumArguments();
  auto addParameter = [&](Type type, DictionaryAttr attrs, Location loc) {
    (void)func.insertArgument(func.getNumArguments(), type, attrs, loc);
    return func.getArguments().back();
  };
  if (!outputs.names.empty())
    addParameter(
        relax::ShapeType::get(context, SmallVector<Dim>(outputs.names.begin(),
                                                        outputs.names.end())),
        {}, getNamedLoc(context, "vars_from_compile_time_params"));
  for (ArrayRef<Value> values : outputs.values) {
    Value first = values.front();
    Location loc = first.getLoc();
    DictionaryAttr attrs;
    if (auto weight = dyn_cast<BlockArgument>(first)) {
      loc = getNamedLoc(context, getParameterName(weight));
      attrs = func.getArgAttrDict(weight.getArgNumber());
    }
    Value parameter = addParameter(first.getType(), attrs, loc);
    for (Value value : values)
      value.replaceAllUsesWith(parameter);
  }
  llvm::SetVector<Operation *> erased(ops.begin(), ops.end());
  eraseOps(func.getBody().front(), erased);
  func.walk([](StopLiftParamsOp stop) {
    stop.getResult().replaceAllUsesWith(stop->getOperand(0));
    stop.erase();
  });
  BitVector weights(func.getNumArguments());
  weights.set(target.numInput, end);
  numLifted += ops.size();
  if (failed(func.eraseArguments(weights)))
    return failure();
  return success(succeeded(canonicalizeBindings(func, patterns)));
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// The names of sizes that `parameters` of `func` introduce, each once.
static llvm::SetVector<StringAttr>
getIntroducedNames(FuncOp func, Block::BlockArgListType parameters) {
  llvm::SetVector<StringAttr> names;
  for (BlockArgument parameter : parameters)
    names.insert_range(getNamesOfParameter(func, parameter.getArgNumber()));
  return names;
}

/// Removes the names that `outputs` introduce from `names`.
static void removeOutputNames(FuncOp func, const Outputs &outputs,
                              llvm::SetVector<StringAttr> &names) {
  for (ArrayRef<Value> values : outputs.values) {
    auto weight = dyn_cast<BlockArgument>(values.front());
    for (StringAttr name :
         weight ? getNamesOfParameter(func, weight.getArgNumber())
                : getNames(values.front().getType()))
      names.remove(name);
  }
}

/// The ops of `plan` that depend on weights.
static SmallVector<Operation *> getLiftedOps(const LiftPlan &plan) {
  return llvm::filter_to_vector(
      plan.liftable, [&](Operation *op) { return plan.dependsOnWeights(op); });
}

LogicalResult
LiftTransformParams::liftEach(MutableArrayRef<LiftTarget> targets) {
  for (LiftTarget &target : targets) {
    LiftPlan plan(target.func, target.numInput, /*liftsNames=*/true,
                  [](Operation *) { return true; });
    SmallVector<Operation *> lifted = getLiftedOps(plan);
    Outputs outputs;
    for (BlockArgument weight : target.getWeights())
      if (plan.isNeeded(weight))
        outputs.values.push_back({weight});
    for (Operation *op : lifted)
      for (Value result : op->getResults())
        if (plan.isNeeded(result))
          outputs.values.push_back({result});
    llvm::SetVector<StringAttr> names =
        getIntroducedNames(target.func, target.func.getArguments());
    for (StringAttr name : getIntroducedNames(
             target.func,
             target.func.getArguments().take_front(target.numInput)))
      names.remove(name);
    removeOutputNames(target.func, outputs, names);
    for (StringAttr name : names)
      if (plan.isNameNeeded(name))
        outputs.names.push_back(name);
    if (failed(makeTransform(
            (target.func.getSymName() + "_transform_params").str(), target,
            plan.liftable.getArrayRef(), outputs)) ||
        failed(makeRuntime(target, lifted, outputs)))
      return failure();
  }
  return success();
}

LogicalResult
LiftTransformParams::liftShared(MutableArrayRef<LiftTarget> targets) {
  if (targets.empty())
    return success();
  if (failed(checkWeights(targets)))
    return failure();
  SharedOps shared(targets);
  std::vector<LiftPlan> plans;
  for (LiftTarget &target : targets)
    plans.emplace_back(target.func, target.numInput, /*liftsNames=*/false,
                       [&](Operation *op) { return shared.isShared(op); });
  // What any of the functions needs.
  LiftTarget &first = targets.front();
  BitVector neededWeights(first.getWeights().size());
  llvm::DenseSet<std::pair<unsigned, unsigned>> neededResults;
  llvm::SetVector<StringAttr> names =
      getIntroducedNames(first.func, first.getWeights());
  BitVector neededNames(names.size());
  std::vector<llvm::SetVector<StringAttr>> namesOfTargets;
  for (auto [target, plan] : llvm::zip(targets, plans)) {
    for (auto [index, weight] : llvm::enumerate(target.getWeights()))
      if (plan.isNeeded(weight))
        neededWeights.set(index);
    for (Operation *op : plan.liftable)
      for (OpResult result : op->getResults())
        if (plan.isNeeded(result))
          neededResults.insert(
              {shared.getNumber(op), result.getResultNumber()});
    namesOfTargets.push_back(
        getIntroducedNames(target.func, target.getWeights()));
    for (auto [index, name] : llvm::enumerate(namesOfTargets.back()))
      if (plan.isNameNeeded(name))
        neededNames.set(index);
  }

  std::vector<Outputs> outputs(targets.size());
  SmallVector<std::pair<unsigned, unsigned>> results;
  for (Operation *op : getLiftedOps(plans.front()))
    for (OpResult result : op->getResults())
      if (std::pair key(shared.getNumber(op), result.getResultNumber());
          neededResults.erase(key))
        results.push_back(key);
  for (auto [target, plan, own] : llvm::zip(targets, plans, outputs)) {
    for (unsigned index : neededWeights.set_bits())
      own.values.push_back({target.getWeights()[index]});
    llvm::DenseMap<unsigned, SmallVector<Operation *>> opsOfNumber;
    for (Operation *op : plan.liftable)
      opsOfNumber[shared.getNumber(op)].push_back(op);
    for (auto [number, index] : results) {
      own.values.emplace_back();
      for (Operation *op : opsOfNumber[number])
        own.values.back().push_back(op->getResult(index));
    }
  }
  llvm::SetVector<StringAttr> lost = names;
  removeOutputNames(first.func, outputs.front(), lost);
  for (auto [index, name] : llvm::enumerate(names))
    if (lost.contains(name) && neededNames[index])
      for (auto [own, ownNames] : llvm::zip(outputs, namesOfTargets))
        own.names.push_back(ownNames[index]);

  if (failed(makeTransform("transform_params", first,
                           plans.front().liftable.getArrayRef(),
                           outputs.front())))
    return failure();
  for (auto [target, plan, own] : llvm::zip(targets, plans, outputs))
    if (failed(makeRuntime(target, getLiftedOps(plan), own)))
      return failure();
  return success();
}

void LiftTransformParams::runOnOperation() {
  IRModuleOp module = getOperation();
  FailureOr<SmallVector<LiftTarget>> targets = getTargets();
  if (failed(targets))
    return signalPassFailure();
  // What leaves a block is needed only if something uses it then.
  for (LiftTarget &target : *targets)
    target.func.walk([](DataflowOp op) { dropUnusedOutputs(op); });
  bool isShared = sharedTransform || !sharedFunctions.empty();
  if (failed(isShared ? liftShared(*targets) : liftEach(*targets)) ||
      failed(liftLambdas(module)))
    return signalPassFailure();
  bool consumes = relax::transform::getLiftConsumesParams(
      partita::transform::PassContext::current());
  for (auto func : module.getOps<FuncOp>()) {
    if (!func.getSymName().ends_with("transform_params"))
      continue;
    func->setAttr("global_symbol", func.getSymNameAttr());
    func.setPublic();
    if (consumes && isChangeable(func))
      consumeParams(func);
  }
}
