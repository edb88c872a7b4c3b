//===- LazyTransformParams.cpp - Load weights one by one ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Utils.h"
#include "LazyItems.h"
#include "Symbols.h"
#include "Values.h"

#include "../WholeTuple.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "mlir/AsmParser/AsmParser.h"

namespace partita::relax {
#define GEN_PASS_DEF_LAZYTRANSFORMPARAMS
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// A parameter that functions get.
struct ExtraParameter {
  StringRef name;
  Type type;
};

struct LazyTransformParams
    : relax::impl::LazyTransformParamsBase<LazyTransformParams> {
  using LazyTransformParamsBase::LazyTransformParamsBase;
  void runOnOperation() override;

private:
  FailureOr<SmallVector<ExtraParameter>> readParameters(ArrayRef<std::string>);
  LogicalResult transform(FuncOp func, ArrayRef<ExtraParameter> getParams,
                          ArrayRef<ExtraParameter> setParams);
};

/// Calls of an extern function whose first arguments are extra parameters.
struct ExternCall {
  StringRef function, result;
  ValueRange extra;

  Value create(OpBuilder &builder, int64_t index, Value value = {}) const;
};

/// Gives the results of a function to a setter, and releases what is loaded.
class OutputSetter {
public:
  OutputSetter(TupleOp tuple, ExternCall setter,
               const llvm::SetVector<Value> &loaded)
      : tuple(tuple), setter(setter), loaded(loaded) {
    for (auto [index, field] : llvm::enumerate(tuple.getFields()))
      outputs[field].push_back(index);
  }
  void run();

private:
  void set(OpBuilder &builder, Value output);
  /// The last op in the block of `tuple` that uses `value`, or that makes it;
  /// null if it is a parameter that nothing uses.
  Operation *getLastUser(Value value);

  TupleOp tuple;
  ExternCall setter;
  const llvm::SetVector<Value> &loaded;
  llvm::MapVector<Value, SmallVector<int64_t>> outputs;
};
} // namespace

Value ExternCall::create(OpBuilder &builder, int64_t index, Value value) const {
  Location unknown = builder.getUnknownLoc();
  Type object = ObjectType::get(builder.getContext());
  SmallVector<Value> operands = {ExternFuncOp::create(
      builder, unknown, object, builder.getStringAttr(function))};
  llvm::append_range(operands, extra);
  operands.push_back(createInt(builder, index));
  if (value)
    operands.push_back(value);
  auto call = CallValueOp::create(
      builder, getNamedLoc(builder.getContext(), result), object, operands);
  call.setTyArgsAttr(builder.getTypeArrayAttr(object));
  return call.getResult();
}

Operation *OutputSetter::getLastUser(Value value) {
  Block *block = tuple->getBlock();
  Operation *last = value.getDefiningOp();
  llvm::SmallSetVector<Value, 4> worklist;
  worklist.insert(value);
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      Operation *op = block->findAncestorOpInBlock(*user);
      if (!op || op == tuple)
        continue;
      if (isPartOfUser(op))
        worklist.insert_range(op->getResults());
      else if (!last || last->isBeforeInBlock(op))
        last = op;
    }
  return last;
}

void OutputSetter::set(OpBuilder &builder, Value output) {
  auto *it = outputs.find(output);
  if (it == outputs.end())
    return;
  for (int64_t index : it->second)
    setter.create(builder, index, output);
}

void OutputSetter::run() {
  llvm::MapVector<Operation *, SmallVector<Value>> ended;
  SmallVector<Value> leaves;
  llvm::SetVector<Value> values;
  values.insert_range(llvm::make_first_range(outputs));
  for (Value value : loaded)
    if (value.getParentBlock() == tuple->getBlock())
      values.insert(value);
  for (Value value : values) {
    Operation *op = value.getDefiningOp(),
              *last = op && isPartOfUser(op) ? nullptr : getLastUser(value);
    if (last)
      ended[last].push_back(value);
    else
      leaves.push_back(value);
  }
  OpBuilder builder(tuple->getContext());
  for (auto &[op, endedValues] : ended) {
    // In the order of the operands; what an op makes comes last.
    DenseMap<Value, unsigned> order;
    for (Value operand : op->getOperands())
      order.try_emplace(operand, order.size());
    for (Value result : op->getResults())
      order.try_emplace(result, order.size());
    llvm::stable_sort(endedValues, [&](Value a, Value b) {
      return order.lookup(a) < order.lookup(b);
    });
    builder.setInsertionPointAfter(op);
    for (Value value : endedValues) {
      set(builder, value);
      if (loaded.contains(value))
        KillObjectOp::create(builder, getNamedLoc(builder.getContext(), "_"),
                             value);
    }
  }
  builder.setInsertionPoint(tuple->getBlock()->getTerminator());
  for (Value leaf : leaves)
    set(builder, leaf);
}

FailureOr<SmallVector<ExtraParameter>>
LazyTransformParams::readParameters(ArrayRef<std::string> texts) {
  SmallVector<ExtraParameter> parameters;
  for (StringRef text : texts) {
    auto [name, typeText] = text.split(':');
    Type type = ObjectType::get(&getContext());
    if (!typeText.empty())
      type = parseType(typeText, &getContext());
    if (name.empty() || !type)
      return getOperation().emitError(
                 "expected extra parameters as names, or as name:type, but "
                 "found '")
             << text << "'";
    parameters.push_back({name, type});
  }
  return parameters;
}

/// The tuple whose fields `end` returns, if it is a variable in TVM.
static TupleOp getReturnedTuple(ReturnOp end) {
  Value value = getWholeTuple(end);
  if (!value && end->getNumOperands() == 1)
    value = getUncast(end->getOperand(0));
  auto tuple = value ? value.getDefiningOp<TupleOp>() : TupleOp();
  if (!tuple || isPartOfUser(tuple) || tuple->getBlock() != end->getBlock())
    return {};
  // It goes with the end of the function.
  bool isOnlyReturned = llvm::all_of(tuple->getUsers(), [&](Operation *user) {
    return user == end ||
           (isa<MatchCastOp, TupleGetItemOp>(user) && !isVar(user));
  });
  return isOnlyReturned ? tuple : TupleOp();
}

/// Numbers and shapes among the parameters from `first` on, which hold sizes.
static SmallVector<std::pair<Type, DictionaryAttr>>
getSizeHolders(FuncOp func, unsigned first) {
  SmallVector<std::pair<Type, DictionaryAttr>> holders;
  if (func.getParameterNames().empty())
    return holders;
  for (unsigned index = first; index < func.getNumArguments(); ++index) {
    Type parameter = func.getArgumentTypes()[index];
    parameter.walk<WalkOrder::PreOrder>([&](Type type) {
      if (isa<relax::ShapeType>(type) || type.isIntOrIndexOrFloat())
        holders.push_back({type, type == parameter ? func.getArgAttrDict(index)
                                                   : DictionaryAttr()});
      return isa<TupleType>(type) ? WalkResult::advance() : WalkResult::skip();
    });
  }
  return holders;
}

LogicalResult
LazyTransformParams::transform(FuncOp func, ArrayRef<ExtraParameter> getParams,
                               ArrayRef<ExtraParameter> setParams) {
  FailureOr<unsigned> numInput = getNumInput(func, 0);
  if (failed(numInput))
    return failure();
  unsigned place = *numInput;
  bool splitsTuple = func.getNumArguments() == place + 1 &&
                     isa<TupleType>(func.getArgumentTypes().back());
  SmallVector<std::pair<Type, DictionaryAttr>> holders =
      getSizeHolders(func, place);
  SmallVector<std::string> names;
  SmallVector<StringAttr> dims;
  for (BlockArgument item : func.getArguments().drop_front(place)) {
    names.push_back(getParameterName(item));
    dims.push_back(func.getArgAttrOfType<StringAttr>(item.getArgNumber(),
                                                     FuncOp::getDimAttrName()));
  }
  auto addParameter = [&](const Twine &name, Type type, DictionaryAttr attrs) {
    (void)func.insertArgument(place++, type, attrs,
                              getNamedLoc(&getContext(), name));
  };
  for (const ExtraParameter &param : getParams)
    addParameter(param.name, param.type, {});
  for (const ExtraParameter &param : setParams)
    addParameter(param.name, param.type, {});
  for (auto [type, attrs] : holders)
    addParameter("symbolic_var_holder", type, attrs);

  dissolveBlocks(func);
  func.setIsPure(false);
  func->removeAttr("relax.force_pure");
  SmallVector<Value> arguments(func.getArguments());
  ValueRange extra = ValueRange(arguments).drop_front(*numInput);
  ExternCall getter{fgetItem, "gv", extra.take_front(getParams.size())};
  ExternCall setter{fsetItem, "_",
                    extra.slice(getParams.size(), setParams.size())};
  llvm::SetVector<Value> loaded;
  auto load = [&](OpBuilder &builder, unsigned index, Type type,
                  TupleGetItemOp field) -> Value {
    Value object = getter.create(builder, index);
    bool isParameter = !field && !splitsTuple;
    Location loc = getNamedLoc(
        &getContext(), isParameter ? StringRef(names[index]) : StringRef("gv"));
    Value value = MatchCastOp::create(builder, loc, type, object);
    if (field && isVar(field)) {
      value = AliasOp::create(builder, field.getLoc(), value);
      loaded.insert(value);
    }
    if (!isParameter || !dims[index])
      return value;
    auto size = MatchCastOp::create(builder, loc, type, value);
    size->setAttr(FuncOp::getDimAttrName(), dims[index]);
    return size;
  };
  LazyItems lazy(func, place, splitsTuple, load);
  if (failed(lazy.run()))
    return failure();

  auto end = cast<ReturnOp>(func.getBody().front().getTerminator());
  TupleOp tuple = getReturnedTuple(end);
  if (!tuple || fsetItem.empty()) {
    llvm::DenseSet<StringAttr> known;
    known.insert_range(func.getParameterNames());
    auto isKnown = [&](StringAttr name) { return known.contains(name); };
    setResultTypes(func,
                   llvm::map_to_vector(func.getResultTypes(), [&](Type type) {
                     return forgetNames(type, isKnown);
                   }));
    return success();
  }
  OutputSetter(tuple, setter, loaded).run();
  SmallVector<Value> returned(end->getOperands());
  end->setOperands({});
  for (Value value : llvm::SetVector<Value>(returned.begin(), returned.end()))
    eraseUnusedPart(value);
  // As in TVM, a tuple of nothing takes its place.
  if (tuple->use_empty()) {
    OpBuilder builder(tuple);
    TupleOp::create(builder, tuple.getLoc(), ValueRange());
    tuple.erase();
  }
  func.setType(FunctionType::get(&getContext(), func.getArgumentTypes(), {}));
  return success();
}

void LazyTransformParams::runOnOperation() {
  auto getParams = readParameters(extraGetItemParams),
       setParams = readParameters(extraSetItemParams);
  if (failed(getParams) || failed(setParams))
    return signalPassFailure();
  bool hasChanged = false;
  for (auto func : getOperation().getOps<FuncOp>()) {
    if (!func.getSymName().ends_with("transform_params") || !isChangeable(func))
      continue;
    if (failed(transform(func, *getParams, *setParams)))
      return signalPassFailure();
    hasChanged = true;
    ++numFunctions;
  }
  if (!hasChanged)
    markAllAnalysesPreserved();
}
