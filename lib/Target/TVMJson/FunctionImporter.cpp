//===- FunctionImporter.cpp - relax.expr.Function -> relax.func -----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters, blocks, bindings and the result. ExprImporter.cpp has the
// expressions that are bound.
//
//===----------------------------------------------------------------------===//

#include "FunctionImporter.h"

#include "FunctionExporter.h"

#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

/// Whether a variable may be used only in the dataflow block that binds it.
static bool isDataflowVar(const Node &var) {
  return var.type == "relax.expr.DataflowVar";
}

/// The function or the dataflow block that `block` is in.
static Operation *getScope(Block *block) {
  Operation *op = block->getParentOp();
  while (!isa<relax::DataflowOp, relax::FuncOp, relax::LocalFuncOp>(op))
    op = op->getParentOp();
  return op;
}

bool partita::tvmjson::isInDataflow(Block *block) {
  Operation *scope = getScope(block);
  return isa<relax::DataflowOp>(scope) && !relax::isInForcedCode(scope);
}

bool partita::tvmjson::isInPureCode(Block *block) {
  Operation *scope = getScope(block);
  if (relax::isInForcedCode(scope))
    return false;
  if (auto local = dyn_cast<relax::LocalFuncOp>(scope))
    return local.getType().getPure();
  auto function = dyn_cast<relax::FuncOp>(scope);
  return !function || function.getIsPure();
}

LogicalResult FunctionImporter::importBody(const Node &function,
                                           const FunctionNode &fields) {
  ArrayRef<Node> params = fields.params;
  if (params.size() != func.getNumArguments())
    return table.error(function, "expected as many parameters as the "
                                 "function's type has, " +
                                     Twine(func.getNumArguments()) +
                                     ", found " + Twine(params.size()));
  builder.setInsertionPointToStart(func.addEntryBlock());
  if (failed(importParams(params)))
    return failure();
  Node result;
  Type seqType;
  if (failed(importSeqExpr(fields.body, result, seqType)) ||
      failed(importReturn(fields.body, seqType, result)))
    return failure();
  for (auto [var, number] : numbers)
    if (types.isDim(var) && failed(nameNumber(var, number)))
      return failure();
  if (hasUnboundResult(func))
    func->setDiscardableAttr(relax::unboundAttrName, builder.getUnitAttr());
  forgetSeqTypes();
  return table.withPlace(function, [&] { return verify(func); });
}

void FunctionImporter::forgetSeqTypes() {
  StringRef attribute = relax::seqTypeAttrName;
  std::optional<llvm::DenseSet<StringAttr>> names;
  func.walk([&](Operation *op) {
    if (!isa<relax::ReturnOp, relax::YieldOp>(op))
      return;
    auto type = op->getAttrOfType<TypeAttr>(attribute);
    if (type && !names)
      names = getIntroducedNames(func);
    if (type && getSeqType(op, *names) == type.getValue())
      op->removeDiscardableAttr(attribute);
  });
}

LogicalResult FunctionImporter::nameNumber(const Node &var, Value number) {
  relax::Dim dim;
  if (failed(types.getName(var, dim)))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(number);
  Value cast = createValue(
      var, number.getLoc(), "relax.match_cast", number, number.getType(),
      builder.getNamedAttr(relax::FuncOp::getDimAttrName(), dim.getName()));
  if (!cast)
    return failure();
  number.replaceAllUsesExcept(cast, cast.getDefiningOp());
  return success();
}

LogicalResult FunctionImporter::importSeqExpr(const Node &node, Node &result,
                                              Type &type) {
  type = {};
  // A branch that is one expression.
  if (state.normalizes && node.type != "relax.expr.SeqExpr") {
    result = node;
    return success();
  }
  SeqExprNode seq;
  if (failed(seq.read(table, node)))
    return failure();
  result = seq.body;
  if (!table.isMissingType(seq.ty)) {
    type = types.getType(seq.ty);
    if (!type)
      return failure();
  }
  // The type follows from the value.
  if (state.normalizes)
    type = {};
  return importBlocks(seq.blocks);
}

Type FunctionImporter::getType(const Node &expr, const Node &type) {
  if (state.normalizes && table.isMissingType(type))
    return NoneType::get(builder.getContext());
  return expr.index == untyped.first && table.isMissingType(type)
             ? untyped.second
             : types.getType(type);
}

LogicalResult FunctionImporter::createTerminator(const Node &seqExpr,
                                                 Type seqType, StringRef name,
                                                 ValueRange values) {
  Operation *op = create(seqExpr, builder.getUnknownLoc(), name, values, {});
  if (op && seqType)
    op->setDiscardableAttr(relax::seqTypeAttrName, TypeAttr::get(seqType));
  else if (op && !state.normalizes)
    op->setDiscardableAttr(relax::FuncOp::getUntypedAttrName(),
                           builder.getUnitAttr());
  return success(op);
}

LogicalResult FunctionImporter::importRegion(const Node &node, Region &region,
                                             Type type) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&region.front());
  // No other code can use its variables.
  size_t numBound = boundVars.size();
  llvm::scope_exit forget([&] {
    for (int64_t var : ArrayRef(boundVars).drop_front(numBound))
      boundOfVar.erase(var);
    boundVars.truncate(numBound);
  });
  Node body;
  Type seqType;
  Value value;
  if (failed(importSeqExpr(node, body, seqType)) ||
      failed(getValue(body, value)) ||
      (type && failed(assumeType(body, type, builder.getUnknownLoc(), value))))
    return failure();
  return createTerminator(node, seqType, "relax.yield", value);
}

LogicalResult FunctionImporter::importIf(const Node &node, Location loc,
                                         Bound &result) {
  IfNode branch;
  Location span = builder.getUnknownLoc();
  if (failed(branch.read(table, node, &span)))
    return failure();
  Type type = getType(node, branch.ty);
  Value cond;
  if (!type || failed(getValue(branch.cond, cond)))
    return failure();
  // Verified when it has its branches.
  bool isInferred = isMissing(type);
  if (isInferred)
    type = relax::ObjectType::get(builder.getContext());
  OperationState state(withSpan(loc, span), "relax.if", cond, type);
  state.addRegion()->emplaceBlock();
  state.addRegion()->emplaceBlock();
  Operation *op = builder.create(state);
  for (auto [body, region] : {std::pair(branch.trueBranch, &op->getRegion(0)),
                              std::pair(branch.falseBranch, &op->getRegion(1))})
    if (failed(importRegion(body, *region, /*type=*/nullptr)))
      return failure();
  auto getYielded = [&](unsigned region) {
    return op->getRegion(region).front().getTerminator()->getOperand(0);
  };
  if (isInferred)
    op->getResult(0).setType(
        relax::getCommonType(getYielded(0).getType(), getYielded(1).getType()));
  result = {{op->getResult(0)}};
  return table.withPlace(node, [&] { return verify(op); });
}

LogicalResult FunctionImporter::importParams(ArrayRef<Node> params) {
  for (auto [param, argument] : llvm::zip_equal(params, func.getArguments())) {
    Var var{{}, {}, {}, builder.getUnknownLoc()};
    if (failed(readVar(param, var)))
      return failure();
    if (var.type != argument.getType())
      return table.error(
          param, llvm::formatv("expected a parameter of type {0}, as in the "
                               "function's type, found {1}",
                               argument.getType(), var.type));
    if (isDataflowVar(param))
      return table.error(param, "expected a parameter of type ir.Var");
    argument.setLoc(var.loc);
    // Types can refer to a number by its name.
    relax::Dim dim;
    if (argument.getType().isIntOrIndexOrFloat()) {
      if (failed(types.getName(param, dim)))
        return failure();
      func.setArgAttr(argument.getArgNumber(), relax::FuncOp::getDimAttrName(),
                      dim.getName());
    }
    if (failed(bind(var, {{argument}}, var.loc)))
      return failure();
  }
  return success();
}

LogicalResult FunctionImporter::assumeType(const Node &node, Type type,
                                           Location loc, Value &value) {
  auto isChecked =
      llvm::IsaPred<RankedTensorType, UnrankedTensorType,
                    relax::PartialTensorType, relax::ShapeType, TupleType>;
  if (table.isStrict || !isChecked(type) || !isChecked(value.getType()) ||
      relax::isMoreGeneral(type, value.getType()))
    return castTo(node, type, loc, value);
  value = createValue(
      node, loc, "relax.match_cast", value, type,
      builder.getNamedAttr(relax::assumedAttrName, builder.getUnitAttr()));
  return success(bool(value));
}

LogicalResult FunctionImporter::importReturn(const Node &seqExpr, Type seqType,
                                             const Node &body) {
  PlaceScope scope(table, "the result");
  ArrayRef<Type> resultTypes = func.getResultTypes();
  SmallVector<Value> results;
  if (resultTypes.size() != 1) {
    if (failed(getOperands(body, results)))
      return failure();
  } else if (failed(getValue(body, results.emplace_back()))) {
    return failure();
  }
  if (results.size() != resultTypes.size())
    return table.error(body, "expected " + Twine(resultTypes.size()) +
                                 " results, as the function's type says, "
                                 "found " +
                                 Twine(results.size()));
  for (auto [type, value] : llvm::zip_equal(resultTypes, results)) {
    Value found = value;
    if (failed(assumeType(body, type, builder.getUnknownLoc(), value)))
      return failure();
    // In text without locations, only the attribute shows that the cast is
    // assumed.
    if (auto cast = value.getDefiningOp<relax::MatchCastOp>();
        cast && value != found &&
        !relax::isMoreGeneral(type, cast.getValue().getType()))
      cast->setDiscardableAttr(relax::assumedAttrName, builder.getUnitAttr());
  }
  return createTerminator(seqExpr, seqType, "relax.return", results);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

LogicalResult FunctionImporter::readVar(const Node &node, Var &var) {
  RelaxVarNode fields;
  Location span = builder.getUnknownLoc();
  if (failed(fields.read(table, node, &span)))
    return failure();
  var.node = node;
  var.name = fields.name;
  var.type = getType(node, fields.ty);
  usedNames.insert(var.name);
  var.loc = relax::withName(span, var.name);
  return success(static_cast<bool>(var.type));
}

LogicalResult FunctionImporter::bind(const Var &var, Bound bound,
                                     Location loc) {
  if (isMissing(var.type)) {
    // The variable has the type of its value.
  } else if (!bound.isParts) {
    if (failed(assumeType(var.node, var.type, loc, bound.values.front())))
      return failure();
    if (Value value = bound.values.front(); value.getDefiningOp() &&
                                            var.node.type == "ir.Var" &&
                                            var.type.isIntOrIndexOrFloat())
      numbers.emplace_back(var.node, value);
  } else if (TupleType type = getTupleType(bound); type != var.type) {
    auto varType = dyn_cast<TupleType>(var.type);
    if (table.isStrict || !varType || varType.size() != type.size() ||
        bound.values.empty())
      return table.error(
          var.node, llvm::formatv("expected a variable of its value's type "
                                  "{0}, found {1}",
                                  type, var.type));
    bound.values.front().getDefiningOp()->setDiscardableAttr(
        relax::varTypeAttrName, TypeAttr::get(varType));
  }
  if (!boundOfVar.try_emplace(var.node.index, std::move(bound)).second)
    return table.error(var.node, "expected a variable that is bound once, "
                                 "found " +
                                     quote(var.name) + " bound again");
  boundVars.push_back(var.node.index);
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

LogicalResult FunctionImporter::importBlocks(ArrayRef<Node> blocks) {
  while (!blocks.empty()) {
    // TVM's normal form has one dataflow block in the place of several.
    size_t count = 1;
    auto isDataflow = [](const Node &block) {
      return block.type == "relax.expr.DataflowBlock";
    };
    if (state.normalizes)
      count = std::max<size_t>(
          llvm::find_if_not(blocks, isDataflow) - blocks.begin(), 1);
    if (failed(importBlock(blocks.take_front(count))))
      return failure();
    blocks = blocks.drop_front(count);
  }
  return success();
}

LogicalResult FunctionImporter::importBlock(ArrayRef<Node> nodes) {
  const Node &node = nodes.front();
  bool isDataflow = node.type == "relax.expr.DataflowBlock";
  SmallVector<Node> bindings;
  for (const Node &part : nodes) {
    BindingBlockNode block;
    if (failed(block.read(table, part)))
      return failure();
    llvm::append_range(bindings, block.bindings);
  }
  // A block of an inner SeqExpr becomes a part of the one that it is in.
  bool isInner = isa<relax::DataflowOp>(getScope(builder.getInsertionBlock()));
  if (isDataflow && !isInner)
    return importDataflow(node, bindings);
  for (const Node &binding : bindings) {
    Node var;
    if (failed(importBinding(binding, var)))
      return failure();
    if (isDataflowVar(var) && !isInner)
      return table.error(var, "expected a variable of type ir.Var outside of "
                              "dataflow blocks");
  }
  return success();
}

LogicalResult FunctionImporter::importDataflow(const Node &node,
                                               ArrayRef<Node> bindings) {
  // The results are known only after the body, which is therefore made in an op
  // of its own before.
  OperationState bodyState(builder.getUnknownLoc(), "relax.dataflow");
  Block &block = bodyState.addRegion()->emplaceBlock();
  Operation *body = builder.create(bodyState);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&block);

  SmallVector<Node> vars;
  for (const Node &binding : bindings)
    if (failed(importBinding(binding, vars.emplace_back())))
      return failure();

  // Variables that are not the block's own leave it.
  SmallVector<Value> outputs;
  SmallVector<Location> names;
  for (const Node &var : vars) {
    if (isDataflowVar(var)) {
      boundOfVar.erase(var.index);
      continue;
    }
    Var read{{}, {}, {}, builder.getUnknownLoc()};
    if (failed(readVar(var, read)))
      return failure();
    llvm::append_range(outputs, boundOfVar[var.index].values);
    names.resize(outputs.size(), read.loc);
  }

  builder.setInsertionPointAfter(body);
  OperationState state(names.size() == 1
                           ? names.front()
                           : FusedLoc::get(builder.getContext(), names),
                       "relax.dataflow");
  state.addTypes(TypeRange(ValueRange(outputs)));
  state.addRegion()->takeBody(body->getRegion(0));
  Operation *dataflow = builder.create(state);
  body->erase();
  builder.setInsertionPointToEnd(&dataflow->getRegion(0).front());
  if (!create(node, builder.getUnknownLoc(), "relax.output", outputs, {}))
    return failure();

  ResultRange results = dataflow->getResults();
  for (const Node &var : vars) {
    if (isDataflowVar(var))
      continue;
    Bound &bound = boundOfVar[var.index];
    size_t count = bound.values.size();
    bound.values.assign(results.begin(), results.begin() + count);
    results = results.drop_front(count);
  }
  return success();
}

LogicalResult FunctionImporter::importBinding(const Node &node, Node &varNode) {
  Location loc = builder.getUnknownLoc();
  bool isCast = node.type == "relax.expr.MatchCast";
  VarBindingNode binding;
  MatchCastNode matchCast;
  if (failed(isCast ? matchCast.read(table, node, &loc)
                    : binding.read(table, node, &loc)))
    return failure();
  varNode = isCast ? matchCast.var : binding.var;
  const Node &value = isCast ? matchCast.value : binding.value;
  Var var{{}, {}, {}, loc};
  if (failed(readVar(varNode, var)))
    return failure();
  PlaceScope scope(table,
                   "binding " + Twine(numBindings++) + " " + quote(var.name));

  // The value's own span is more exact than the binding's.
  if (isa<UnknownLoc>(loc))
    loc = relax::withoutName(var.loc);
  loc = relax::withName(loc, var.name);
  Bound bound;
  Location name = loc;
  // The variable of a cast names the cast alone.
  if (isCast)
    loc = relax::withoutName(loc);
  llvm::SaveAndRestore own(ownVar, isCast ? int64_t(-1) : varNode.index);
  bool isUntyped = !isCast && !state.normalizes &&
                   (value.type == "ir.Call" || value.type == "relax.expr.If") &&
                   table.lacksType(value);
  llvm::SaveAndRestore type(untyped);
  if (isUntyped)
    untyped = {value.index, var.type};
  if (failed(importOrKeep(value, loc, bound)))
    return failure();
  if (isUntyped && !bound.values.empty())
    if (Operation *op = bound.values.front().getDefiningOp();
        !isa<relax::OpaqueExprOp>(op))
      op->setDiscardableAttr(relax::FuncOp::getUntypedAttrName(),
                             builder.getUnitAttr());
  loc = name;
  bool isKnown = boundOfVar.contains(value.index) ||
                 constantOfNode.lookup(value.index) ||
                 value.type == "relax.expr.SeqExpr";
  if (!isCast && isKnown) {
    Value first = bound.isParts ? Value() : bound.values.front();
    Value alias =
        first ? createValue(node, loc, "relax.alias", first, first.getType())
              : createValue(node, loc, "relax.tuple", bound.values,
                            getTupleType(bound));
    if (failed(bindTo(alias, bound)))
      return failure();
  }
  if (isCast) {
    Value operand;
    Type type = types.getType(matchCast.ty);
    if (!type || failed(join(node, bound, operand)))
      return failure();
    if (failed(bindTo(createMatchCast(node, loc, operand, type), bound)))
      return failure();
  }
  return bind(var, std::move(bound), loc);
}
