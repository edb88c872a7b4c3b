//===- ToMixedPrecision.cpp - Compute in 16 bits --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk backward finds the values that only convolutions and the like use.
// One walk forward converts. Which ops compute in 16 bits, PrecisionModels.cpp
// says.
//
//===----------------------------------------------------------------------===//

#include "../ConstantTensor.h"
#include "../NarrowTypes.h"
#include "Utils.h"

#include "partita/Dialect/Relax/IR/RelaxMarks.h"
#include "partita/Dialect/Relax/IR/RelaxVariables.h"
#include "partita/Dialect/Relax/Transforms/LayoutInterfaces.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace partita::relax {
#define GEN_PASS_DEF_TOMIXEDPRECISION
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita::relax;

namespace {
/// What the users of a tensor need, from the least to the most.
enum class Need { Nothing, Half, Original };
/// For each tensor in a value.
using Needs = SmallVector<Need, 1>;

struct ToMixedPrecision
    : partita::relax::impl::ToMixedPrecisionBase<ToMixedPrecision> {
  using ToMixedPrecisionBase::ToMixedPrecisionBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerPrecisionModels(registry);
  }

  void runOnOperation() override;

private:
  Needs getNeeds(Value value) const;
  void need(Value value, ArrayRef<Need> needed);
  void needAll(Operation *op, Need needed);
  void findNeeds(Operation *op);

  /// The type that the program has.
  Type getOriginal(Value value) const {
    Type type = originals.lookup(value);
    return type ? type : value.getType();
  }
  Value castTo(OpBuilder &builder, Value value, Type type);
  Type withNeeds(Value value) const;
  void replaceIn(Block &block, Value value, Value cast);

  void convertParameters(FuncOp func);
  void dropTuple(Value value);
  void restoreOperands(Operation *op);
  void finish(Operation *op, bool prefersHalf);
  bool compute(Operation *op, bool prefersHalf, Type elementType);
  void convert(Operation *op);
  void convert(DataflowOp block);

  DenseMap<Value, Needs> needs;
  /// The types that the program has of values that have others now.
  DenseMap<Value, Type> originals;
  /// Where the ops of each block use the function's parameters.
  DenseMap<Operation *, llvm::MapVector<Value, SmallVector<OpOperand *>>>
      parameterUses;
  SmallVector<WholeOutput> wholeOutputs;
  Type outType;
  bool hasChanged = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// `type` with other types of the elements of its tensors: `map` gets the type
/// of the elements, which may be null, and the number of the tensor.
static Type mapElements(Type type, llvm::function_ref<Type(Type, size_t)> map,
                        size_t &count) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    SmallVector<Type> fields;
    for (Type field : tuple.getTypes())
      fields.push_back(mapElements(field, map, count));
    return TupleType::get(type.getContext(), fields);
  }
  std::optional<TensorInfo> info = TensorInfo::get(type);
  size_t index = count++;
  if (!info)
    return type;
  Type element = map(info->elementType, index);
  if (element == info->elementType)
    return type;
  info->elementType = element;
  return info->getType(type.getContext());
}

static Type mapElements(Type type, llvm::function_ref<Type(Type, size_t)> map) {
  size_t count = 0;
  return mapElements(type, map, count);
}

static bool canCast(Type element) {
  return element && (element.isF16() || element.isF32());
}

/// `type` with elements of `element` in place of f16 and f32.
static Type withElements(Type type, Type element) {
  return mapElements(
      type, [&](Type old, size_t) { return canCast(old) ? element : old; });
}

/// `type` with the elements of `other`, which has as many tensors.
static Type withElementsOf(Type type, Type other) {
  SmallVector<Type> leaves;
  appendLeaves(other, leaves);
  return mapElements(type, [&](Type old, size_t index) {
    std::optional<TensorInfo> info = TensorInfo::get(leaves[index]);
    return info ? info->elementType : old;
  });
}

static bool hasCastable(Type type) {
  SmallVector<Type> leaves;
  appendLeaves(type, leaves);
  return llvm::any_of(leaves, [](Type leaf) {
    std::optional<TensorInfo> info = TensorInfo::get(leaf);
    return info && canCast(info->elementType);
  });
}

//===----------------------------------------------------------------------===//
// What users need
//===----------------------------------------------------------------------===//

Needs ToMixedPrecision::getNeeds(Value value) const {
  auto it = needs.find(value);
  if (it != needs.end())
    return it->second;
  SmallVector<Type> leaves;
  appendLeaves(value.getType(), leaves);
  return Needs(leaves.size(), Need::Nothing);
}

void ToMixedPrecision::need(Value value, ArrayRef<Need> needed) {
  Needs all = getNeeds(value);
  for (auto [known, more] : llvm::zip_equal(all, needed))
    known = std::max(known, more);
  needs[value] = all;
}

void ToMixedPrecision::needAll(Operation *op, Need needed) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      need(operand, Needs(getNeeds(operand).size(), needed));
  });
}

/// Whether `alias` is a field of an op with several results, which is no
/// variable in TVM.
static bool isField(Operation *op) {
  auto alias = dyn_cast<AliasOp>(op);
  Operation *def = alias ? alias.getValue().getDefiningOp() : nullptr;
  return def && def->getNumResults() > 1;
}

/// Whether variables are two fields of the tuple that `op` gives in TVM, where
/// such a tuple keeps its elements: each variable is cast by itself.
static bool hasFields(Operation *op) {
  return llvm::count_if(op->getResults(), [](Value result) {
           return llvm::any_of(result.getUsers(), isField);
         }) > 1;
}

void ToMixedPrecision::findNeeds(Operation *op) {
  if (isa<OutputOp>(op)) {
    for (auto [operand, result] :
         llvm::zip_equal(op->getOperands(), op->getParentOp()->getResults()))
      need(operand, getNeeds(result));
    return;
  }
  if (auto tuple = dyn_cast<TupleOp>(op)) {
    Needs all = getNeeds(tuple);
    ArrayRef<Need> rest = all;
    for (Value field : tuple.getFields()) {
      size_t count = getNeeds(field).size();
      need(field, rest.take_front(count));
      rest = rest.drop_front(count);
    }
    return;
  }
  if (auto field = dyn_cast<TupleGetItemOp>(op)) {
    Needs all(getNeeds(field.getTupleValue()).size(), Need::Nothing);
    SmallVector<Type> before;
    auto types = cast<TupleType>(field.getTupleValue().getType()).getTypes();
    for (Type type : types.take_front(field.getIndex()))
      appendLeaves(type, before);
    llvm::copy(getNeeds(field), all.begin() + before.size());
    return need(field.getTupleValue(), all);
  }
  if (isField(op))
    return need(op->getOperand(0), getNeeds(op->getResult(0)));
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  needAll(op,
          precision && precision.prefersHalf() ? Need::Half : Need::Original);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Casts the tensors in `value` to the elements of `type`.
Value ToMixedPrecision::castTo(OpBuilder &builder, Value value, Type type) {
  type = withElementsOf(value.getType(), type);
  if (type == value.getType())
    return value;
  Location loc = builder.getInsertionPoint() == builder.getBlock()->end()
                     ? builder.getUnknownLoc()
                     : withoutName(builder.getInsertionPoint()->getLoc());
  Value result;
  if (auto tuple = dyn_cast<TupleType>(type)) {
    SmallVector<Value> fields;
    for (auto [index, fieldType, original] :
         llvm::enumerate(tuple.getTypes(),
                         cast<TupleType>(getOriginal(value)).getTypes())) {
      Value field = createField(builder, loc, value, index);
      originals.try_emplace(field, original);
      fields.push_back(castTo(builder, field, fieldType));
    }
    result = TupleOp::create(builder, loc, fields);
  } else {
    Type element = TensorInfo::get(type)->elementType;
    result = AstypeOp::create(builder, loc, value, TypeAttr::get(element));
    ++numCasts;
    hasChanged = true;
  }
  originals[result] = getOriginal(value);
  return result;
}

/// The type of `value` with f16 where nothing else is needed.
Type ToMixedPrecision::withNeeds(Value value) const {
  Needs all = getNeeds(value);
  return mapElements(value.getType(), [&](Type old, size_t index) -> Type {
    return canCast(old) && all[index] == Need::Half
               ? Float16Type::get(value.getContext())
               : old;
  });
}

/// Lets the ops in `block` that come after `cast` use it in place of `value`.
void ToMixedPrecision::replaceIn(Block &block, Value value, Value cast) {
  Operation *def = cast.getDefiningOp();
  value.replaceUsesWithIf(cast, [&](OpOperand &use) {
    Operation *user = block.findAncestorOpInBlock(*use.getOwner());
    return user && !isa<OutputOp>(user) && def->isBeforeInBlock(user);
  });
}

/// Erases a tuple that was part of an expression, and whose fields are used in
/// its place.
void ToMixedPrecision::dropTuple(Value value) {
  if (!value.getDefiningOp<TupleOp>() || !value.use_empty())
    return;
  originals.erase(value);
  needs.erase(value);
  eraseUnusedTuple(value);
}

/// Lets `op`, and the ops in it, take values of the types of the program.
void ToMixedPrecision::restoreOperands(Operation *op) {
  OpBuilder builder(op);
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (Type type = originals.lookup(operand.get())) {
        Value before = operand.get();
        operand.set(castTo(builder, before, type));
        dropTuple(before);
      }
  });
}

/// Whether a constant has no element that f16 lacks.
static bool isInHalfRange(ConstantOp constant) {
  std::optional<ConstantTensor> tensor =
      ConstantTensor::get(constant.getValue());
  Type type = getRankedType(constant.getResult()).getElementType();
  if (type.isF16())
    return true;
  if (!tensor)
    return false;
  auto isInRange = [](auto value) {
    return !(std::abs(double(value)) > 65504);
  };
  if (type.isF32())
    return llvm::all_of(tensor->getValues<float>(), isInRange);
  if (type.isF64())
    return llvm::all_of(tensor->getValues<double>(), isInRange);
  if (type.isSignlessInteger(8) || type.isSignlessInteger(16))
    return true;
  if (type.isSignlessInteger(32))
    return llvm::all_of(tensor->getValues<int32_t>(), isInRange);
  return type.isSignlessInteger(64) &&
         llvm::all_of(tensor->getValues<int64_t>(), isInRange);
}

/// Whether an op that follows its operands can take `value` in f16.
static bool isHalf(Value value) {
  if (auto constant = value.getDefiningOp<ConstantOp>())
    return isInHalfRange(constant);
  if (TupleOp tuple = getUnnamedTuple(value))
    return llvm::all_of(tuple.getFields(), isHalf);
  SmallVector<Type> leaves;
  appendLeaves(value.getType(), leaves);
  if (llvm::none_of(leaves, isTensor))
    return true;
  std::optional<TensorInfo> info = TensorInfo::get(value.getType());
  return info && info->elementType && info->elementType.isF16();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Casts the results of `op`, whose operands have new types.
void ToMixedPrecision::finish(Operation *op, bool prefersHalf) {
  OpBuilder builder(op->getContext());
  Block &block = *op->getBlock();
  builder.setInsertionPointAfter(op);
  bool keepsFields = hasFields(op);
  std::optional<unsigned> whole = findWholeOutput(op);
  if (llvm::none_of(op->getResults(),
                    [&](Value result) { return originals.contains(result); }))
    whole = std::nullopt;
  WholeOutput output;
  for (Value result : op->getResults()) {
    Type type = result.getType();
    if (leavesBlock(result))
      type = getOriginal(result);
    else if (prefersHalf)
      type = withElements(type, builder.getF16Type());
    SmallVector<OpOperand *> uses(llvm::make_pointer_range(result.getUses()));
    Value value = result;
    // TVM has a variable for the field.
    if (whole) {
      value = AliasOp::create(builder, withoutName(op->getLoc()), result);
      originals[value] = getOriginal(result);
    }
    value = castTo(builder, value, type);
    if (value != result) {
      needs[value] = getNeeds(result);
      for (OpOperand *use : uses)
        use->set(value);
    }
    // Users in later blocks convert it themselves.
    bool isUsed = llvm::any_of(value.getUsers(), [&](Operation *user) {
      return !isa<OutputOp>(user) && block.findAncestorOpInBlock(*user);
    });
    Value half = isUsed && !keepsFields
                     ? castTo(builder, value, withNeeds(value))
                     : value;
    if (half != value)
      replaceIn(block, value, half);
    output.fields.push_back(value);
    // TVM makes one tuple.
    if (isa<TupleOp>(op) && result.use_empty() && value != result) {
      value.setLoc(op->getLoc());
      originals.erase(result);
      needs.erase(result);
      return op->erase();
    }
  }
  if (whole) {
    output.first = *whole;
    wholeOutputs.push_back(std::move(output));
  }
}

/// Lets `op` compute on `elementType`. Returns whether it can.
bool ToMixedPrecision::compute(Operation *op, bool prefersHalf,
                               Type elementType) {
  OpBuilder builder(op);
  Operation *before = op->getPrevNode();
  SmallVector<Value> operands(op->getOperands());
  DictionaryAttr attrs = op->getAttrDictionary();
  for (OpOperand &operand : op->getOpOperands())
    operand.set(castTo(builder, operand.get(),
                       withElements(operand.get().getType(), elementType)));
  if (prefersHalf &&
      llvm::is_contained(op->getName().getAttributeNames(), "out_dtype"))
    op->setAttr("out_dtype", TypeAttr::get(outType));
  SmallVector<Type> types;
  if (succeeded(inferResults(op, types)) &&
      types.size() == op->getNumResults()) {
    for (auto [result, type] : llvm::zip(op->getResults(), types)) {
      SmallVector<Type> leaves, known;
      appendLeaves(type, leaves);
      appendLeaves(result.getType(), known);
      Type original = result.getType();
      result.setType(leaves.size() == known.size()
                         ? withElementsOf(original, type)
                         : type);
      if (result.getType() != original)
        originals[result] = original;
    }
    for (Value operand :
         llvm::SetVector<Value>(operands.begin(), operands.end()))
      dropTuple(operand);
    numHalf += elementType.isF16();
    return true;
  }
  op->setOperands(operands);
  op->setAttrs(attrs);
  while (op->getPrevNode() != before) {
    Operation *added = op->getPrevNode();
    originals.erase(added->getResult(0));
    numCasts -= isa<AstypeOp>(added);
    added->erase();
  }
  return false;
}

void ToMixedPrecision::convert(Operation *op) {
  if (auto wrapped = dyn_cast<WrapParamOp>(op)) {
    // It only stands for the conversion of its operand.
    OpBuilder builder(op);
    auto alias = AliasOp::create(builder, op->getLoc(), op->getOperand(0));
    originals[alias] = wrapped.getType();
    needs[alias] = getNeeds(wrapped);
    wrapped.replaceAllUsesWith(alias.getResult());
    wrapped.erase();
    return finish(alias, /*prefersHalf=*/false);
  }
  if (isa<TupleOp, TupleGetItemOp>(op) || isField(op)) {
    Value result = op->getResult(0);
    Type original = result.getType();
    SmallVector<Type> types;
    if (succeeded(inferResults(op, types)) && types.front() != original) {
      result.setType(withElementsOf(original, types.front()));
      originals[result] = original;
    }
    return finish(op, /*prefersHalf=*/false);
  }
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  if (precision && llvm::any_of(op->getOperandTypes(), hasCastable)) {
    bool prefersHalf = precision.prefersHalf();
    bool isInHalf = prefersHalf || llvm::all_of(op->getOperands(), isHalf);
    Builder builder(op->getContext());
    if (compute(op, prefersHalf,
                isInHalf ? Type(builder.getF16Type())
                         : Type(builder.getF32Type())))
      return finish(op, prefersHalf);
  }
  if (auto alias = dyn_cast<AliasOp>(op)) {
    OpBuilder builder(op);
    Value value = alias.getValue();
    Value original = castTo(builder, value, getOriginal(value));
    if (original != value) {
      // The conversion has the name.
      original.setLoc(alias.getLoc());
      alias.getResult().replaceAllUsesWith(original);
      alias.erase();
      return finish(original.getDefiningOp(), /*prefersHalf=*/false);
    }
  }
  restoreOperands(op);
  finish(op, /*prefersHalf=*/false);
}

void ToMixedPrecision::convert(DataflowOp block) {
  Block &body = *block.getBody();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  SmallVector<Operation *> ops(
      llvm::make_pointer_range(body.without_terminator()));
  // Parameters are converted in each block again.
  auto uses = parameterUses.find(block);
  if (uses != parameterUses.end())
    for (const auto &[parameter, operands] : uses->second) {
      Value half = castTo(builder, parameter, withNeeds(parameter));
      for (OpOperand *operand : operands)
        operand->set(half);
    }
  for (Operation *op : ops)
    convert(op);
  restoreOperands(body.getTerminator());
  outputTuples(block, wholeOutputs);
  wholeOutputs.clear();
}

/// Gives the parameters of the option f16.
void ToMixedPrecision::convertParameters(FuncOp func) {
  llvm::StringSet<> names;
  for (StringRef name : fp16InputNames)
    names.insert(name);
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  for (BlockArgument parameter : func.getArguments()) {
    StringAttr name = getVarName(parameter);
    Type original = parameter.getType();
    if (!name || !names.contains(name) || !isTensor(original))
      continue;
    Type type = withElements(original, builder.getF16Type());
    if (type == original)
      continue;
    parameter.setType(type);
    originals[parameter] = original;
    // Code outside of dataflow blocks computes as it did.
    SmallVector<OpOperand *> outside;
    for (OpOperand &use : parameter.getUses())
      if (!use.getOwner()->getParentOfType<DataflowOp>())
        outside.push_back(&use);
    if (outside.empty())
      continue;
    Value restored = castTo(builder, parameter, original);
    for (OpOperand *use : outside)
      use->set(restored);
  }
  func.setType(FunctionType::get(
      &getContext(), func.getBody().getArgumentTypes(), func.getResultTypes()));
}

/// Gives a function that has changed the types of the values that it returns,
/// as TVM does: also in place of a type that its program has only claimed.
static void dropAssumedResults(FuncOp func) {
  for (OpOperand &operand :
       func.getBody().front().getTerminator()->getOpOperands())
    if (auto cast = operand.get().getDefiningOp<MatchCastOp>();
        cast && cast->hasAttr(assumedAttrName) && !isVar(cast)) {
      operand.set(cast.getValue());
      if (cast->use_empty())
        cast.erase();
    }
  narrowResultTypes(func);
}

void ToMixedPrecision::runOnOperation() {
  FuncOp func = getOperation();
  hasChanged = false;
  Builder builder(&getContext());
  outType = llvm::StringSwitch<Type>(outDtype)
                .Case("float16", builder.getF16Type())
                .Case("bfloat16", builder.getBF16Type())
                .Case("float32", builder.getF32Type())
                .Default(Type());
  if (!outType) {
    func.emitError("expected out-dtype to be float32, float16 or bfloat16, but "
                   "found '")
        << outDtype << "'";
    return signalPassFailure();
  }
  if (func.isExternal() || func.getKeptBody())
    return markAllAnalysesPreserved();
  SmallVector<DataflowOp> blocks;
  func.walk([&](Operation *op) {
    if (auto block = dyn_cast<DataflowOp>(op))
      blocks.push_back(block);
    else if (isa<ReturnOp>(op))
      needAll(op, Need::Original);
  });
  for (DataflowOp block : llvm::reverse(blocks))
    for (Operation &op : llvm::reverse(*block.getBody()))
      findNeeds(&op);
  if (!fp16InputNames.empty())
    convertParameters(func);
  for (BlockArgument parameter : func.getArguments())
    for (OpOperand &use : parameter.getUses())
      if (auto block = use.getOwner()->getParentOfType<DataflowOp>();
          block && !isa<OutputOp>(use.getOwner()))
        parameterUses[block][parameter].push_back(&use);
  for (DataflowOp block : blocks)
    convert(block);
  if (hasChanged)
    dropAssumedResults(func);
  parameterUses.clear();
  needs.clear();
  originals.clear();
}
