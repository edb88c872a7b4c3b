//===- OperatorFusor.cpp - Move groups of ops into functions --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in TVM, a group's call stands where its last binding stood, after the
// groups whose results it needs.
//
//===----------------------------------------------------------------------===//

#include "OperatorFusor.h"
#include "../Structure/Values.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// An argument of a group's function: a value of the caller or, with `field`, a
/// field of such a value, which is a tuple.
struct Argument {
  Value value;
  std::optional<int64_t> field;
};

/// Makes the function of a group, and the call.
class GroupFunction {
public:
  GroupFunction(const BlockBindings &bindings, const BindingGroup &group,
                bool liftsConstants)
      : bindings(bindings), group(group), liftsConstants(liftsConstants) {
    // The field of an op of another group is an argument.
    for (unsigned index : group.bindings)
      if (!bindings.get()[index].field)
        ops.insert(bindings.get()[index].op);
  }

  void addOutput(unsigned binding) { outputs.insert(binding); }
  bool hasOutputs() const { return !outputs.empty(); }
  const SetVector<Operation *> &getOps() const { return ops; }

  /// Finds the arguments, which must stand before the call.
  ArrayRef<Argument> findArguments();
  /// Adds the function, and the call before the terminator of the block. Uses
  /// of the outputs become uses of the call's results.
  void create(UniqueFunctions &functions);

private:
  bool isInGroup(Value value) const {
    return value.getDefiningOp() && ops.contains(value.getDefiningOp());
  }
  void addArguments(Value value);
  FuncOp createFunction(OpBuilder &builder);
  void addParameters(FuncOp func);
  void addFreeNames(FuncOp func);
  void clone(Operation *op, OpBuilder &builder);
  SmallVector<Type> getResultTypes() const;
  SmallVector<Value> getResults(OpBuilder &builder);
  std::string getName() const;

  const BlockBindings &bindings;
  const BindingGroup &group;
  bool liftsConstants;
  SetVector<Operation *> ops;
  SetVector<unsigned> outputs;

  SmallVector<Argument> arguments;
  /// The results of ops with several ones that variables of the group are.
  DenseSet<Value> resultFields;
  llvm::DenseSet<Value> seen;
  /// Tuples from which the group only takes fields, with the fields' numbers.
  llvm::MapVector<Value, llvm::SetVector<int64_t>> fieldsOf;
  llvm::DenseSet<Value> wholeTuples;
  /// Sizes that the function uses and no parameter gives.
  SmallVector<Attribute> freeNames;
  IRMapping mapping;
};
} // namespace

/// Whether each use has a copy of `op`, as it needs nothing of the caller.
static bool isCopied(Operation *op, bool liftsConstants) {
  auto areNumbers = [](ShapeAttr dims) {
    return llvm::all_of(dims.getDims(), [](Dim dim) { return dim.isNumber(); });
  };
  if (isa<ConstantOp>(op))
    return !liftsConstants;
  if (auto shape = dyn_cast<ShapeOp>(op))
    return areNumbers(shape.getDims());
  if (auto dim = dyn_cast<DimOp>(op))
    return areNumbers(dim.getDims());
  return isLiteral(op);
}

void GroupFunction::addArguments(Value value) {
  if (isInGroup(value) || !seen.insert(value).second)
    return;
  if (Operation *op = value.getDefiningOp()) {
    if (isCopied(op, liftsConstants))
      return;
    if (isa<TupleOp>(op) && isLiteralOrTuple(op)) {
      for (Value field : op->getOperands())
        addArguments(field);
      return;
    }
  }
  arguments.push_back({value, std::nullopt});
}

ArrayRef<Argument> GroupFunction::findArguments() {
  for (unsigned index : group.bindings)
    if (auto [op, field] = bindings.get()[index]; field && !ops.contains(op))
      resultFields.insert(op->getResult(*field));
  for (Operation *op : ops)
    for (Value operand : op->getOperands()) {
      if (auto item = dyn_cast<TupleGetItemOp>(op); item && !isInGroup(operand))
        fieldsOf[operand].insert(item.getIndex());
      else if (isa<TupleType>(operand.getType()))
        wholeTuples.insert(operand);
      if (Operation *def = operand.getDefiningOp();
          isa<AliasOp>(op) && def && def->getNumResults() > 1)
        resultFields.insert(operand);
      addArguments(operand);
    }
  SmallVector<Argument> expanded;
  for (const Argument &argument : arguments) {
    auto *fields = fieldsOf.find(argument.value);
    if (fields == fieldsOf.end() || wholeTuples.contains(argument.value)) {
      expanded.push_back(argument);
      continue;
    }
    for (int64_t field : fields->second)
      expanded.push_back({argument.value, field});
  }
  arguments = std::move(expanded);
  return arguments;
}

/// As TVM: fused_conv2d_relu, and fused_relax_add for ops.
std::string GroupFunction::getName() const {
  std::string name = "fused";
  for (Operation *op : ops) {
    if (isFieldOfTuple(op))
      continue;
    StringRef part = op->getName().getStringRef();
    if (auto call = dyn_cast<CallTIROp>(op))
      part = call.getCallee();
    else if (auto call = dyn_cast<CallTIRInplaceOp>(op)) {
      auto global = call->getOperand(0).getDefiningOp<GlobalOp>();
      part = global ? global.getValue() : part;
    } else if (auto call = dyn_cast<CallOp>(op)) {
      part = call.getCallee();
      part.consume_front("fused_");
    } else if (auto call = dyn_cast<CallOpOp>(op)) {
      part = call.getOpName();
    } else if (isa<AliasOp, CallValueOp, MatchCastOp, TupleOp>(op)) {
      continue;
    }
    name += "_" + part.str();
  }
  llvm::replace(name, '.', '_');
  return name;
}

void GroupFunction::addParameters(FuncOp func) {
  MLIRContext *context = func.getContext();
  unsigned numUnnamed = 0;
  for (const Argument &argument : arguments) {
    Type type = argument.value.getType();
    std::string name;
    if (StringAttr variable = getVarName(argument.value))
      name = variable.str();
    auto dim = argument.value.getDefiningOp<DimOp>();
    if (dim && dim.getDim().isIdentifier())
      name = dim.getDim().getName().str();
    if (name.empty())
      name = "param_" + std::to_string(numUnnamed++);
    if (argument.field) {
      type = cast<TupleType>(type).getType(*argument.field);
      name += "_" + std::to_string(*argument.field);
    }
    DictionaryAttr attributes;
    if (dim && dim.getDim().isIdentifier())
      attributes = DictionaryAttr::get(
          context,
          NamedAttribute(StringAttr::get(context, FuncOp::getDimAttrName()),
                         dim.getDim().getName()));
    (void)func.insertArgument(func.getNumArguments(), type, attributes,
                              getNamedLoc(context, name));
  }
  for (auto [argument, parameter] :
       llvm::zip_equal(arguments, func.getArguments()))
    if (!argument.field)
      mapping.map(argument.value, parameter);
  // Ops that take the fields of an argument give way to the parameters.
  llvm::DenseMap<std::pair<Value, int64_t>, Value> fields;
  for (auto [argument, parameter] :
       llvm::zip_equal(arguments, func.getArguments()))
    if (argument.field)
      fields[{argument.value, *argument.field}] = parameter;
  for (Operation *op : ops) {
    if (!isFieldOfTuple(op))
      continue;
    Value field =
        isa<AliasOp>(op) ? mapping.lookupOrNull(op->getOperand(0)) : Value();
    if (auto item = dyn_cast<TupleGetItemOp>(op))
      field = fields.lookup({item.getTupleValue(), int64_t(item.getIndex())});
    if (field)
      mapping.map(op->getResult(0), field);
  }
}

void GroupFunction::addFreeNames(FuncOp func) {
  SmallVector<StringAttr> known = func.getParameterNames();
  llvm::DenseSet<StringAttr> seenNames(known.begin(), known.end());
  auto add = [&](StringAttr name) {
    if (seenNames.insert(name).second)
      freeNames.push_back(name);
  };
  for (Type type : func.getArgumentTypes())
    forEachNameIn(type, add);
  func.getBody().walk<WalkOrder::PreOrder>(
      [&](Operation *op) { forEachNameIn(op, add); });
  if (freeNames.empty())
    return;
  SmallVector<Dim> dims;
  for (Attribute name : freeNames)
    dims.push_back(cast<StringAttr>(name));
  MLIRContext *context = func.getContext();
  (void)func.insertArgument(func.getNumArguments(),
                            relax::ShapeType::get(context, dims),
                            DictionaryAttr(), getNamedLoc(context, "tir_vars"));
}

/// `op` and the ops whose results it needs, each after the ones that it needs.
/// `isPart` says of an operand's op whether it is one of these.
static SmallVector<Operation *>
getExpression(Operation *op, function_ref<bool(Value, Operation *)> isPart) {
  SmallVector<Operation *> sorted;
  llvm::DenseSet<Operation *> seen{op};
  // Ops with the number of operands that were looked at.
  SmallVector<std::pair<Operation *, unsigned>> path{{op, 0}};
  while (!path.empty()) {
    auto &[current, next] = path.back();
    if (next == current->getNumOperands()) {
      sorted.push_back(current);
      path.pop_back();
      continue;
    }
    Value operand = current->getOperand(next++);
    Operation *part = operand.getDefiningOp();
    if (part && isPart(operand, part) && seen.insert(part).second)
      path.push_back({part, 0});
  }
  return sorted;
}

/// Copies `op` with the parts of its expression that are no parameters.
void GroupFunction::clone(Operation *op, OpBuilder &builder) {
  for (Operation *part : getExpression(op, [&](Value operand, Operation *part) {
         return !mapping.contains(operand) && !ops.contains(part);
       })) {
    Operation *copy = builder.clone(*part, mapping);
    // A size that is a variable of the caller is no binding here.
    if (part != op && !isa<ConstantOp>(part))
      copy->setLoc(withoutName(copy->getLoc()));
  }
}

SmallVector<Type> GroupFunction::getResultTypes() const {
  SmallVector<Type> types;
  for (unsigned index : outputs) {
    const BlockBindings::Binding &output = bindings.get()[index];
    if (output.field)
      types.push_back(output.op->getResult(*output.field).getType());
    else if (outputs.size() == 1 || output.op->getNumResults() == 1)
      llvm::append_range(types, output.op->getResultTypes());
    else
      types.push_back(
          TupleType::get(output.op->getContext(), output.op->getResultTypes()));
  }
  return types;
}

SmallVector<Value> GroupFunction::getResults(OpBuilder &builder) {
  SmallVector<Value> results;
  for (unsigned index : outputs) {
    const BlockBindings::Binding &output = bindings.get()[index];
    if (output.field || output.op->getNumResults() == 1) {
      results.push_back(
          mapping.lookup(output.op->getResult(output.field.value_or(0))));
      continue;
    }
    SmallVector<Value> fields;
    for (Value result : output.op->getResults())
      fields.push_back(mapping.lookup(result));
    if (outputs.size() == 1)
      return fields;
    results.push_back(TupleOp::create(builder, output.op->getLoc(), fields));
  }
  return results;
}

FuncOp GroupFunction::createFunction(OpBuilder &builder) {
  MLIRContext *context = builder.getContext();
  SmallVector<Location> locations;
  for (Operation *op : ops)
    locations.push_back(op->getLoc());
  Location loc = FusedLoc::get(context, locations);
  OpBuilder outside(context);
  auto func = FuncOp::create(outside, loc, getName(),
                             FunctionType::get(context, {}, {}));
  func.setVisibility(SymbolTable::Visibility::Private);
  for (NamedAttribute attribute : group.attributes)
    func->setAttr(attribute.getName(), attribute.getValue());
  func->setAttr("Primitive", BoolAttr::get(context, true));
  Block *entry = &func.getBody().emplaceBlock();
  addParameters(func);

  auto inner = OpBuilder::atBlockEnd(entry);
  SmallVector<Type> types = getResultTypes();
  auto dataflow = DataflowOp::create(inner, builder.getUnknownLoc(), types);
  ReturnOp::create(inner, builder.getUnknownLoc(), dataflow.getResults());
  inner.setInsertionPointToEnd(dataflow.getBody());
  for (Operation *op : ops)
    if (op->getNumResults() != 1 || !mapping.contains(op->getResult(0)))
      clone(op, inner);
  OutputOp::create(inner, builder.getUnknownLoc(), getResults(inner));
  func.setType(FunctionType::get(context, func.getArgumentTypes(), types));
  addFreeNames(func);
  return func;
}

void GroupFunction::create(UniqueFunctions &functions) {
  Operation *last = ops.back();
  OpBuilder builder(last->getBlock()->getTerminator());
  FuncOp func = createFunction(builder);
  Location variable = getNamedLoc(builder.getContext(), "lv");
  // A variable that is a field is read again where the call is.
  SmallVector<Value> operands;
  for (const Argument &argument : arguments) {
    Value value = argument.value;
    if (argument.field)
      value = TupleGetItemOp::create(builder, variable, value, *argument.field);
    else if (resultFields.contains(value))
      value = AliasOp::create(builder, variable, value);
    operands.push_back(value);
  }
  if (!freeNames.empty()) {
    SmallVector<Dim> dims;
    for (Attribute name : freeNames)
      dims.push_back(cast<StringAttr>(name));
    operands.push_back(
        ShapeOp::create(builder, builder.getUnknownLoc(),
                        ShapeAttr::get(builder.getContext(), dims)));
  }
  // A function that is shared has other names of sizes.
  SmallVector<Type> types = llvm::to_vector(func.getResultTypes());
  func = cast<FuncOp>(functions.insert(func).getOperation());
  Location loc = variable;
  if (outputs.size() == 1)
    loc = bindings.get()[outputs.front()].op->getLoc();
  auto call = CallOp::create(builder, loc, func, operands);
  for (auto [result, type] : llvm::zip_equal(call.getResults(), types))
    result.setType(type);

  auto result = call->result_begin();
  for (unsigned index : outputs) {
    const BlockBindings::Binding &output = bindings.get()[index];
    if (output.field || output.op->getNumResults() == 1) {
      output.op->getResult(output.field.value_or(0))
          .replaceAllUsesWith(*result++);
    } else if (outputs.size() == 1) {
      output.op->replaceAllUsesWith(call);
    } else {
      Value tuple = *result++;
      for (OpResult field : output.op->getResults())
        if (!field.use_empty())
          field.replaceAllUsesWith(TupleGetItemOp::create(
              builder, variable, tuple, field.getResultNumber()));
    }
  }
}

namespace {
/// The groups of a block, and what they need of each other.
class BlockFusor {
public:
  BlockFusor(DataflowOp dataflow, const BlockBindings &bindings,
             ArrayRef<BindingGroup> groups, ArrayRef<unsigned> groupOf)
      : dataflow(dataflow), bindings(bindings), groups(groups),
        groupOf(groupOf), needs(groups.size()) {}

  FailureOr<int64_t> run(bool liftsConstants, UniqueFunctions &functions);

private:
  void findOutputs(llvm::MapVector<unsigned, GroupFunction> &fused);
  FailureOr<SmallVector<unsigned>> sortGroups() const;
  void place(Operation *op);
  void eraseFused(ArrayRef<Operation *> before,
                  const llvm::MapVector<unsigned, GroupFunction> &fused);

  DataflowOp dataflow;
  const BlockBindings &bindings;
  ArrayRef<BindingGroup> groups;
  ArrayRef<unsigned> groupOf;
  /// For each group the groups that it needs.
  std::vector<SetVector<unsigned>> needs;
  llvm::DenseSet<Operation *> placed;
};
} // namespace

void BlockFusor::findOutputs(llvm::MapVector<unsigned, GroupFunction> &fused) {
  for (unsigned index = 0; index < groupOf.size(); ++index)
    if (auto *group = fused.find(groupOf[index]);
        group != fused.end() && bindings.isOutput(index))
      group->second.addOutput(index);
  for (unsigned index = 0; index < groupOf.size(); ++index)
    bindings.forEachUsed(index, [&](unsigned used) {
      if (groupOf[used] == groupOf[index])
        return;
      needs[groupOf[index]].insert(groupOf[used]);
      if (auto *group = fused.find(groupOf[used]); group != fused.end())
        group->second.addOutput(used);
    });
}

/// The groups in an order in which each comes after the ones that it needs.
FailureOr<SmallVector<unsigned>> BlockFusor::sortGroups() const {
  enum class State { New, Open, Done };
  std::vector<State> states(groups.size(), State::New);
  SmallVector<unsigned> sorted;
  // Groups with the number of needed groups that were looked at.
  SmallVector<std::pair<unsigned, size_t>> path;
  for (unsigned first : groupOf) {
    if (states[first] == State::New)
      path.push_back({first, 0});
    while (!path.empty()) {
      auto &[group, next] = path.back();
      states[group] = State::Open;
      if (next == needs[group].size()) {
        states[group] = State::Done;
        sorted.push_back(group);
        path.pop_back();
        continue;
      }
      unsigned needed = needs[group][next++];
      if (states[needed] == State::New) {
        path.push_back({needed, 0});
      } else if (states[needed] == State::Open) {
        Operation *op = bindings.get()[groups[needed].bindings.front()].op;
        return op->emitError("expected groups of ops that can run one after "
                             "the other, found two that need each other");
      }
    }
  }
  return sorted;
}

/// Moves `op` to the end of the block, after the parts of its expression.
void BlockFusor::place(Operation *op) {
  if (placed.contains(op))
    return;
  Block *block = op->getBlock();
  for (Operation *part : getExpression(op, [&](Value, Operation *part) {
         return part->getBlock() == block && !placed.contains(part);
       })) {
    placed.insert(part);
    part->moveBefore(block->getTerminator());
  }
}

/// Erases the ops of the groups and the parts that only they used, and places
/// parts that the terminator uses.
void BlockFusor::eraseFused(
    ArrayRef<Operation *> before,
    const llvm::MapVector<unsigned, GroupFunction> &fused) {
  llvm::DenseSet<Operation *> moved;
  for (auto &[number, group] : fused)
    moved.insert(group.getOps().begin(), group.getOps().end());
  SmallVector<Operation *> parts;
  for (Operation *op : llvm::reverse(before)) {
    if (moved.contains(op) || (isLiteralOrTuple(op) && op->use_empty()))
      op->erase();
    else if (!placed.contains(op))
      parts.push_back(op);
  }
  for (Operation *part : llvm::reverse(parts))
    place(part);
}

FailureOr<int64_t> BlockFusor::run(bool liftsConstants,
                                   UniqueFunctions &functions) {
  llvm::MapVector<unsigned, GroupFunction> fused;
  for (auto [number, group] : llvm::enumerate(groups))
    if (group.isFused())
      fused.insert(
          {unsigned(number), GroupFunction(bindings, group, liftsConstants)});
  if (fused.empty())
    return 0;
  findOutputs(fused);
  FailureOr<SmallVector<unsigned>> sorted = sortGroups();
  if (failed(sorted))
    return failure();
  SmallVector<Operation *> before;
  for (Operation &op : dataflow.getBody()->without_terminator())
    before.push_back(&op);
  int64_t numFused = 0;
  for (unsigned number : *sorted) {
    auto *group = fused.find(number);
    if (group == fused.end()) {
      for (unsigned index : groups[number].bindings)
        if (!bindings.get()[index].field)
          place(bindings.get()[index].op);
      continue;
    }
    // Nothing uses a group without outputs.
    if (!group->second.hasOutputs())
      continue;
    for (const Argument &argument : group->second.findArguments())
      if (Operation *op = argument.value.getDefiningOp();
          op && op->getBlock() == dataflow.getBody())
        place(op);
    Block::iterator end(dataflow.getBody()->getTerminator());
    Operation *last =
        end == dataflow.getBody()->begin() ? nullptr : &*std::prev(end);
    group->second.create(functions);
    ++numFused;
    for (Operation &op :
         llvm::make_range(last ? std::next(Block::iterator(last))
                               : dataflow.getBody()->begin(),
                          end))
      placed.insert(&op);
  }
  eraseFused(before, fused);
  return numFused;
}

FailureOr<int64_t>
relax::fuseGroups(DataflowOp dataflow, const BlockBindings &bindings,
                  ArrayRef<BindingGroup> groups, ArrayRef<unsigned> groupOf,
                  bool liftsConstants, UniqueFunctions &functions) {
  return BlockFusor(dataflow, bindings, groups, groupOf)
      .run(liftsConstants, functions);
}
