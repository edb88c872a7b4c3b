//===- LambdaLift.cpp - Lift functions out of functions -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inner functions come first. A function that uses values around it becomes a
// closure, which is any object: the values that may be closures get that type,
// and calls of them become calls of closures.
//
//===----------------------------------------------------------------------===//

#include "LambdaNames.h"
#include "Symbols.h"
#include "Values.h"

#include "partita/Dialect/Relax/IR/RelaxShape.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "mlir/Transforms/RegionUtils.h"

namespace partita::relax {
#define GEN_PASS_DEF_LAMBDALIFT
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// Lifts one function.
class Lifter {
public:
  Lifter(LocalFuncOp local, StringAttr name)
      : local(local), symbol(FlatSymbolRefAttr::get(name)) {}

  void run();

private:
  /// Moves the body to a new function of the module, which takes `captured`,
  /// too.
  void makeFunction();
  void collectCaptured();
  /// Adds a shape with the names that no parameter of the function introduces.
  void captureNames();
  /// Turns the end of the body into one of a function.
  void returnYielded(YieldOp yield);
  /// Calls the function in the place of `value`, which is the function without
  /// the captured values, and makes a value of it for other users.
  void replaceUses(Value value, ValueRange captured, Location loc);
  void makeCall(CallValueOp call, ValueRange captured);

  LocalFuncOp local;
  FlatSymbolRefAttr symbol;
  FuncOp func;
  llvm::SetVector<Value> captured;
};

struct LambdaLift : relax::impl::LambdaLiftBase<LambdaLift> {
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Closures
//===----------------------------------------------------------------------===//

static void invokeClosure(CallValueOp call) {
  OpBuilder builder(call);
  auto args = TupleOp::create(builder, builder.getUnknownLoc(),
                              call.getOperands().drop_front());
  auto replace = [&](auto invoke) {
    invoke.setTyArgsAttr(builder.getTypeArrayAttr(call.getType()));
    call.replaceAllUsesWith(invoke.getResult());
  };
  SmallVector<Value> operands = {call.getOperand(0), args};
  if (call.getIsPure())
    replace(InvokePureClosureOp::create(builder, call.getLoc(), call.getType(),
                                        operands));
  else
    replace(InvokeClosureOp::create(builder, call.getLoc(), call.getType(),
                                    operands));
  call.erase();
}

/// Whether `op` is a tuple for closures alone, whose types do not matter.
static bool isTupleOfClosure(Operation *op) {
  return isa<TupleOp>(op) && llvm::all_of(op->getUsers(), [](Operation *user) {
           return isa<MakeClosureOp, InvokeClosureOp, InvokePureClosureOp>(
               user);
         });
}

static SmallVector<Operation *> getUsersOnce(Value value) {
  llvm::SetVector<Operation *> users(value.user_begin(), value.user_end());
  return users.takeVector();
}

/// Lets an op that needs a function of `type` take a closure.
static void castClosure(OpOperand &operand, Type type) {
  OpBuilder builder(operand.getOwner());
  operand.set(MatchCastOp::create(builder, builder.getUnknownLoc(), type,
                                  operand.get()));
}

/// Says that `value`, which had type `type`, is a closure.
static void markClosure(Value value, Type type) {
  Type object = ObjectType::get(value.getContext());
  SmallVector<Value> worklist = {value};
  auto add = [&](Value other) {
    if (other.getType() != object)
      worklist.push_back(other);
  };
  while (!worklist.empty()) {
    Value closure = worklist.pop_back_val();
    closure.setType(object);
    for (Operation *user : getUsersOnce(closure)) {
      auto call = dyn_cast<CallValueOp>(user);
      if (call && call.getOperand(0) == closure)
        invokeClosure(call);
      else if (isa<AliasOp>(user))
        add(user->getResult(0));
      else if (isa<YieldOp>(user) && isa<IfOp>(user->getParentOp()))
        add(user->getParentOp()->getResult(0));
      else if (isTupleOfClosure(user))
        user->getResult(0).setType(
            TupleType::get(value.getContext(), user->getOperandTypes()));
      else if (!isa<MatchCastOp, YieldOp, MakeClosureOp, InvokeClosureOp,
                    InvokePureClosureOp>(user)) {
        for (OpOperand &operand : user->getOpOperands()) {
          if (operand.get() != closure)
            continue;
          if (isa<OutputOp>(user))
            add(user->getParentOp()->getResult(operand.getOperandNumber()));
          else
            castClosure(operand, type);
        }
      }
    }
  }
}

/// Whether a call with arguments of `types` fits the type of `callee`; binds
/// the sizes of the callee.
static bool bindArguments(FuncOp callee, TypeRange types, DimBinding &binding) {
  return callee.getNumArguments() == types.size() &&
         llvm::all_of_zip(callee.getArgumentTypes(), types,
                          [&](Type formal, Type actual) {
                            return binding.bind(formal, actual);
                          });
}

/// Replaces `tuple`, the value of `call`, by the results of `made`.
static void replaceTuple(CallValueOp call, CallOp made) {
  for (Operation *user : llvm::make_early_inc_range(call->getUsers())) {
    auto item = dyn_cast<TupleGetItemOp>(user);
    if (!item)
      continue;
    Value result = made->getResult(item.getIndex());
    OpBuilder builder(item);
    if (isVar(item))
      result = AliasOp::create(builder, item.getLoc(), result);
    item.replaceAllUsesWith(result);
    item.erase();
  }
  if (call->use_empty())
    return;
  OpBuilder builder(call);
  call.replaceAllUsesWith(
      TupleOp::create(builder, builder.getUnknownLoc(), made->getResults())
          .getResult());
}

/// The results of a function that gives a value of `type`.
static SmallVector<Type> flattenTuple(Type type) {
  auto tuple = dyn_cast<TupleType>(type);
  return tuple && tuple.size() != 1 ? SmallVector<Type>(tuple.getTypes())
                                    : SmallVector{type};
}

void Lifter::makeCall(CallValueOp call, ValueRange capturedHere) {
  OpBuilder builder(call);
  SmallVector<Value> operands(call.getOperands().drop_front());
  llvm::append_range(operands, capturedHere);
  SmallVector<Type> types = flattenTuple(call.getType());
  bool isFlat = ArrayRef(types) != ArrayRef<Type>(call.getType());
  DimBinding binding;
  if (!bindArguments(func, TypeRange(ValueRange(operands)), binding) ||
      types.size() != func.getNumResults()) {
    // It is left to the run whether they fit, as TVM does with all calls.
    operands.insert(operands.begin(),
                    GlobalOp::create(builder, builder.getUnknownLoc(),
                                     ObjectType::get(call.getContext()),
                                     symbol));
    call->setOperands(operands);
    return;
  }
  SmallVector<unsigned> closures;
  for (auto [index, formal] : llvm::enumerate(func.getResultTypes())) {
    Type inferred = binding.apply(formal);
    if (isa<CallableType>(types[index]) && isa<ObjectType>(formal))
      closures.push_back(index);
    else if (!areCompatible(inferred, types[index]))
      types[index] = inferred;
  }
  auto made = CallOp::create(builder, call.getLoc(), types, symbol, operands,
                             ArrayAttr(), ArrayAttr(), BoolAttr());
  if (!func.getIsPure())
    made.setIsPure(false);
  if (isFlat)
    replaceTuple(call, made);
  else
    call.replaceAllUsesWith(made.getResult(0));
  call.erase();
  for (unsigned index : closures)
    markClosure(made->getResult(index), types[index]);
}

void Lifter::replaceUses(Value value, ValueRange capturedHere, Location loc) {
  bool isSelf = isa<BlockArgument>(value), isClosure = !captured.empty();
  // A closure is called by its value, except in its own body.
  if (isSelf || !isClosure)
    for (Operation *user : getUsersOnce(value))
      if (auto call = dyn_cast<CallValueOp>(user);
          call && call.getOperand(0) == value)
        makeCall(call, capturedHere);
  if (value.use_empty() && (isSelf || !isClosure))
    return;
  OpBuilder builder(value.getContext());
  if (isSelf)
    builder.setInsertionPointToStart(value.getParentBlock());
  else
    builder.setInsertionPoint(local);
  if (!isClosure) {
    value.replaceAllUsesWith(GlobalOp::create(builder, builder.getUnknownLoc(),
                                              value.getType(), symbol));
    return;
  }
  Type object = ObjectType::get(value.getContext());
  auto global =
      GlobalOp::create(builder, builder.getUnknownLoc(), object, symbol);
  auto environment =
      TupleOp::create(builder, builder.getUnknownLoc(), capturedHere);
  auto closure = MakeClosureOp::create(builder, loc, object,
                                       SmallVector<Value>{global, environment});
  value.replaceAllUsesWith(closure.getResult());
  markClosure(closure.getResult(), value.getType());
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void Lifter::collectCaptured() {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(local.getBodyRegion(), used);
  OpBuilder builder = OpBuilder::atBlockBegin(local.getBody());
  for (Value value : used) {
    Operation *op = value.getDefiningOp();
    // A value that has no variable is the function's own.
    if (op && isPartOfUser(op) && op->getNumOperands() == 0)
      replaceAllUsesInRegionWith(value, builder.clone(*op)->getResult(0),
                                 local.getBodyRegion());
    else
      captured.insert(value);
  }
}

void Lifter::captureNames() {
  llvm::DenseSet<StringAttr> known;
  auto introduce = [&](Type type) { known.insert_range(getNames(type)); };
  for (BlockArgument parameter : local.getParameters())
    introduce(parameter.getType());
  for (Value value : captured)
    introduce(value.getType());
  llvm::SetVector<StringAttr> used;
  local.getBodyRegion().walk([&](Operation *op) {
    // What is kept as it is can need any name.
    if (isa<OpaqueExprOp>(op))
      used.insert_range(local->getParentOfType<FuncOp>().getParameterNames());
    if (isa<MatchCastOp, OpaqueExprOp>(op))
      llvm::for_each(op->getResultTypes(), introduce);
    if (auto inner = dyn_cast<LocalFuncOp>(op))
      llvm::for_each(inner.getType().getInputs(), introduce);
    if (auto dim = op->getAttrOfType<StringAttr>(FuncOp::getDimAttrName()))
      known.insert(dim);
    forEachNameIn(op, [&](StringAttr name) { used.insert(name); });
  });
  SmallVector<Dim> missing;
  for (StringAttr name : used)
    if (!known.contains(name))
      missing.push_back(name);
  if (missing.empty())
    return;
  OpBuilder builder(local);
  captured.insert(ShapeOp::create(builder, builder.getUnknownLoc(),
                                  ShapeAttr::get(local.getContext(), missing)));
}

void Lifter::returnYielded(YieldOp yield) {
  OpBuilder builder(yield);
  Value value = yield.getValue();
  SmallVector<Value> results = {value};
  if (auto tuple = dyn_cast<TupleType>(value.getType());
      tuple && tuple.size() != 1) {
    auto made = value.getDefiningOp<TupleOp>();
    results.clear();
    if (made && isPartOfUser(made))
      llvm::append_range(results, made.getFields());
    else
      for (unsigned index = 0; index < tuple.size(); ++index)
        results.push_back(TupleGetItemOp::create(
            builder, builder.getUnknownLoc(), value, index));
  }
  ReturnOp::create(builder, yield.getLoc(), results);
  yield.erase();
  eraseUnusedPart(value);
  func.setType(FunctionType::get(
      func.getContext(), func.getBody().getArgumentTypes(),
      func.getBody().front().getTerminator()->getOperandTypes()));
}

void Lifter::makeFunction() {
  auto parent = local->getParentOfType<FuncOp>();
  OpBuilder builder(parent->getContext());
  builder.setInsertionPointToEnd(parent->getBlock());
  func = FuncOp::create(builder, parent.getLoc(), symbol.getValue(),
                        builder.getFunctionType({}, {}));
  func->setDiscardableAttrs(local->getDiscardableAttrDictionary());
  if (!func->hasAttr("global_symbol"))
    func.setPrivate();
  if (!local.getType().getPure())
    func.setIsPure(false);
  func.getBody().takeBody(local.getBodyRegion());
}

void Lifter::run() {
  collectCaptured();
  captureNames();
  makeFunction();
  Block &body = func.getBody().front();
  for (Value value : captured) {
    Location loc = value.getLoc();
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && !getVarName(loc))
      loc = getNamedLoc(func.getContext(), getParameterName(argument));
    Value parameter = body.addArgument(value.getType(), loc);
    replaceAllUsesInRegionWith(value, parameter, func.getBody());
  }
  // The result can be the function itself, or a value that becomes a closure.
  BlockArgument self = body.getArgument(0);
  auto inputs = llvm::to_vector(llvm::drop_begin(body.getArgumentTypes()));
  auto yield = cast<YieldOp>(body.getTerminator());
  func.setType(FunctionType::get(func.getContext(), inputs,
                                 flattenTuple(yield.getValue().getType())));
  replaceUses(self, body.getArguments().take_back(captured.size()),
              local.getLoc());
  body.eraseArgument(0);
  returnYielded(cast<YieldOp>(body.getTerminator()));
  replaceUses(local.getResult(), captured.getArrayRef(), local.getLoc());
  local.erase();
}

FailureOr<int64_t> partita::relax::liftLambdas(IRModuleOp module) {
  FailureOr<LambdaNames> names = nameLambdas(module);
  if (failed(names))
    return failure();
  for (auto [local, name] : *names)
    Lifter(local, name).run();
  return int64_t(names->size());
}

void LambdaLift::runOnOperation() {
  FailureOr<int64_t> count = liftLambdas(getOperation());
  if (failed(count))
    return signalPassFailure();
  if (*count == 0)
    markAllAnalysesPreserved();
  numLifted += *count;
}
