//===- BlockExporter.cpp - Functions, blocks and bindings -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of FunctionExporter that gives values their variables.
//
//===----------------------------------------------------------------------===//

#include "FunctionExporter.h"
#include "Subgraph.h"
#include "TVMNodes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

int64_t FunctionExporter::addVar(Location loc, int64_t varType,
                                 bool isDataflowVar, StringRef otherName) {
  StringAttr name = relax::getVarName(loc);
  // Types of other values may have referred to it.
  if (auto it = name ? shapeVars.find(name) : shapeVars.end();
      it != shapeVars.end() && !isDataflowVar &&
      boundShapes.insert(name).second)
    return it->second;
  std::string text = name                 ? name.str()
                     : !otherName.empty() ? otherName.str()
                                          : "lv" + std::to_string(numNames++);
  return *RelaxVarNode::add(writer,
                            isDataflowVar ? "relax.expr.DataflowVar" : "ir.Var",
                            {varType, text});
}

void FunctionExporter::nameShape(Value value, int64_t var) {
  if (StringAttr name = relax::getVarName(value);
      name && isa<relax::ShapeType>(value.getType()) &&
      shapeVars.try_emplace(name, var).second)
    boundShapes.insert(name);
}

bool FunctionExporter::isPartOfCast(Operation *op) {
  auto cast = dyn_cast_if_present<relax::MatchCastOp>(op);
  return cast && isa<relax::ObjectType>(cast.getType()) &&
         !relax::isVar(cast) && !cast->use_empty() &&
         llvm::all_of(cast->getUsers(), [&](Operation *user) {
           auto next = dyn_cast<relax::MatchCastOp>(user);
           return next &&
                  !relax::isCastable(cast.getValue().getType(), next.getType());
         });
}

/// Whether `op` only makes a value fit the function's result, which is part of
/// the result in TVM.
static bool isCastOfResult(Operation *op) {
  auto cast = dyn_cast_if_present<relax::MatchCastOp>(op);
  if (!cast || op->use_empty() || !llvm::all_equal(op->getUsers()))
    return false;
  // A cast from text without locations has its place in the text as its
  // location.
  bool isMade =
      isa<UnknownLoc>(op->getLoc()) ||
      (!relax::isVar(op) &&
       (op->hasAttr(relax::assumedAttrName) ||
        relax::isMoreGeneral(cast.getType(), cast.getValue().getType())));
  if (!isMade)
    return false;
  Operation *user = *op->user_begin();
  return isa<relax::ReturnOp>(user) || isCastOfResult(user) ||
         (isa<relax::YieldOp>(user) &&
          isa<relax::LocalFuncOp>(user->getParentOp()));
}

/// The value without such a cast.
static Value getUncast(Value value) {
  while (isCastOfResult(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Whether all variables in `dims` are in `names`.
static bool areKnown(ArrayRef<relax::Dim> dims,
                     const llvm::DenseSet<StringAttr> &names) {
  return llvm::all_of(dims, [&](relax::Dim dim) {
    bool isKnown = true;
    if (dim.isName())
      relax::forEachName(dim.getName().getValue(), [&](StringRef name) {
        isKnown &=
            names.contains(StringAttr::get(dim.getName().getContext(), name));
      });
    return isKnown;
  });
}

/// `type` outside of its SeqExpr, as TVM's normal form has it: without shapes
/// that are variables, and without sizes that are not in the type of a
/// parameter or a cast.
static Type getOuterType(Type type, const llvm::DenseSet<StringAttr> &names) {
  MLIRContext *context = type.getContext();
  if (auto tuple = dyn_cast<TupleType>(type))
    return TupleType::get(
        context, llvm::map_to_vector(tuple.getTypes(), [&](Type field) {
          return getOuterType(field, names);
        }));
  if (auto shape = dyn_cast<relax::ShapeType>(type);
      shape && shape.getRanked() && !areKnown(shape.getDims(), names))
    return relax::ShapeType::get(
        context, SmallVector<relax::Dim>(shape.getDims().size()));
  std::optional<relax::TensorInfo> tensor = relax::TensorInfo::get(type);
  if (!tensor)
    return type;
  if (!tensor->shape && areKnown(tensor->dims, names))
    return type;
  tensor->shape = {};
  if (tensor->isRanked)
    tensor->setRank(tensor->getRank());
  return tensor->getType(context);
}

Type partita::tvmjson::getSeqType(Operation *terminator,
                                  const llvm::DenseSet<StringAttr> &names) {
  if (isa<relax::IfOp>(terminator->getParentOp()))
    return terminator->getOperand(0).getType();
  SmallVector<Type> types =
      llvm::map_to_vector(terminator->getOperands(), [&](Value value) {
        return getOuterType(getUncast(value).getType(), names);
      });
  return types.size() == 1 ? types.front()
                           : TupleType::get(terminator->getContext(), types);
}

llvm::DenseSet<StringAttr>
partita::tvmjson::getIntroducedNames(relax::FuncOp func) {
  llvm::DenseSet<StringAttr> names;
  auto introduce = [&](Type type) {
    std::optional<relax::TensorInfo> tensor = relax::TensorInfo::get(type);
    if (!tensor || !tensor->shape)
      names.insert_range(relax::getNames(type));
  };
  llvm::for_each(func.getArgumentTypes(), introduce);
  func.walk([&](Operation *op) {
    if (auto local = dyn_cast<relax::LocalFuncOp>(op))
      llvm::for_each(local.getType().getInputs(), introduce);
    else if (auto cast = dyn_cast<relax::MatchCastOp>(op))
      introduce(cast.getType());
  });
  return names;
}

FailureOr<int64_t> FunctionExporter::addExprType(Operation *op) {
  if (op->hasAttr(relax::FuncOp::getUntypedAttrName()))
    return TypeNode::add(writer, {});
  return addResultType(op, op->getResultTypes());
}

FailureOr<int64_t> FunctionExporter::addFunction() {
  Block &body = func.getBody().front();
  SmallVector<int64_t> params;
  for (auto [argument, paramType] :
       llvm::zip_equal(body.getArguments(), paramTypes)) {
    auto dim = func.getArgAttrOfType<StringAttr>(
        argument.getArgNumber(), relax::FuncOp::getDimAttrName());
    // The name that the printer gives it.
    std::string name = "arg" + std::to_string(argument.getArgNumber());
    params.push_back(dim ? dimVars.lookup(dim).index
                         : addVar(argument.getLoc(), paramType,
                                  /*isDataflowVar=*/false, name));
    nodeOfValue[argument] = params.back();
    nameShape(argument, params.back());
  }
  SmallVector<NamedAttribute> attributes(func->getDiscardableAttrs());
  llvm::erase_if(attributes, [](NamedAttribute attribute) {
    return llvm::is_contained({getModuleVarsAttrName(), getDimNamesAttrName(),
                               relax::unboundAttrName},
                              attribute.getName());
  });
  // In TVM the functions that others can call have this attribute.
  if (func.isPublic() && !func->hasAttr("global_symbol"))
    attributes.emplace_back(StringAttr::get(func.getContext(), "global_symbol"),
                            func.getSymNameAttr());
  FailureOr<int64_t> attrs = addDictAttrs(writer, attributes);
  if (failed(attrs))
    return func.emitError("expected attributes that TVM has, found ")
           << DictionaryAttr::get(func.getContext(), attributes);

  names = getIntroducedNames(func);
  FailureOr<int64_t> seq = addSeqExpr(body);
  if (failed(seq))
    return failure();
  return FunctionNode::add(writer, {type, attrs, writer.getArray(params), seq,
                                    resultType, func.getIsPure()});
}

bool FunctionExporter::yieldsString(Operation *terminator) {
  return terminator->getNumOperands() == 1 &&
         terminator->getOperand(0).getDefiningOp<relax::StringOp>();
}

FailureOr<int64_t> FunctionExporter::addSeqType(Operation *terminator) {
  if (terminator->hasAttr(relax::FuncOp::getUntypedAttrName()))
    return TypeNode::add(writer, {});
  Type inferred = getSeqType(terminator, names);
  auto other = terminator->getAttrOfType<TypeAttr>(relax::seqTypeAttrName);
  // A type that contradicts the inferred one is out of date.
  bool isOther = other && !relax::contradict(other.getValue(), inferred);
  if (!isOther && yieldsString(terminator))
    return StringTypeNode::add(writer, {});
  return addType(terminator, isOther ? other.getValue() : inferred);
}

FailureOr<int64_t> FunctionExporter::addSeqExpr(Block &block) {
  llvm::SaveAndRestore own(blocks, SmallVector<int64_t>());
  Bindings bindings;
  if (failed(addBlock(block, bindings)))
    return failure();
  Operation *terminator = block.getTerminator();
  SmallVector<Value> values;
  for (Value value : terminator->getOperands()) {
    // Leave out a cast to the type of the function's result.
    auto cast = value.getDefiningOp<relax::MatchCastOp>();
    values.push_back(cast && !nodeOfValue.contains(value)
                         ? getUncast(cast.getValue())
                         : value);
  }
  FailureOr<int64_t> result = values.size() == 1
                                  ? addValue(terminator, values.front())
                                  : addTuple(terminator, values),
                     seqType = addSeqType(terminator);
  if (failed(result) || failed(seqType))
    return failure();
  flush(bindings);
  return SeqExprNode::add(writer, {seqType, writer.getArray(blocks), result});
}

FailureOr<int64_t> FunctionExporter::addIf(relax::IfOp op) {
  llvm::SaveAndRestore outside(isDataflow, false);
  FailureOr<int64_t> cond = addValue(op, op.getCond()),
                     trueBranch = addSeqExpr(op.getThenRegion().front()),
                     falseBranch = addSeqExpr(op.getElseRegion().front());
  return IfNode::add(writer, {addExprType(op), cond, trueBranch, falseBranch});
}

FailureOr<int64_t> FunctionExporter::addLocalFunc(relax::LocalFuncOp op) {
  llvm::SaveAndRestore outside(isDataflow, false);
  nodeOfValue[op.getSelf()] = selfVar;
  SmallVector<int64_t> params;
  for (BlockArgument parameter : op.getParameters()) {
    FailureOr<int64_t> paramType = addType(op, parameter.getType());
    if (failed(paramType))
      return failure();
    params.push_back(
        addVar(parameter.getLoc(), *paramType, /*isDataflowVar=*/false));
    nodeOfValue[parameter] = params.back();
  }
  SmallVector<NamedAttribute> attributes(op->getDiscardableAttrs());
  FailureOr<int64_t> attrs = addDictAttrs(writer, attributes);
  if (failed(attrs))
    return op.emitError("expected attributes that TVM has");
  FailureOr<int64_t> funcType = addType(op, op.getType()),
                     returned = addType(op, op.getType().getResult()),
                     seq = addSeqExpr(*op.getBody());
  return FunctionNode::add(writer, {funcType, attrs, writer.getArray(params),
                                    seq, returned, op.getType().getPure()});
}

void FunctionExporter::flush(Bindings &bindings) {
  if (bindings.empty())
    return;
  blocks.push_back(*BindingBlockNode::add(writer, "relax.expr.BindingBlock",
                                          {writer.getArray(bindings)}));
  bindings.clear();
}

LogicalResult FunctionExporter::addBlock(Block &block, Bindings &bindings) {
  for (Operation &op : block.without_terminator()) {
    if (auto dataflow = dyn_cast<relax::DataflowOp>(op)) {
      if (isDataflow)
        return op.emitError("expected no dataflow block in another, which TVM "
                            "lacks; run relax-to-non-dataflow first");
      flush(bindings);
      if (failed(addDataflow(dataflow)) ||
          failed(bindFields(dataflow, bindings)))
        return failure();
    } else if (!isInline(&op) && failed(addBinding(&op, bindings))) {
      return failure();
    }
  }
  return success();
}

LogicalResult FunctionExporter::addDataflow(relax::DataflowOp op) {
  llvm::SaveAndRestore inside(isDataflow, true);
  llvm::SaveAndRestore own(outputs, decltype(outputs)());
  Bindings bindings;
  Operation *output = op.getBody()->getTerminator();
  for (auto [value, result] :
       llvm::zip_equal(output->getOperands(), op->getResults())) {
    Location loc = relax::getResultLoc(result);
    Operation *def = value.getDefiningOp();
    if (!def || def->getBlock() != op.getBody() || isInline(def))
      continue;
    outputs.try_emplace(value,
                        relax::getVarName(loc)
                            ? loc
                            : relax::getResultLoc(cast<OpResult>(value)));
  }
  if (failed(addBlock(*op.getBody(), bindings)))
    return failure();
  llvm::DenseSet<Value> taken;
  for (auto [value, result] :
       llvm::zip_equal(output->getOperands(), op->getResults())) {
    if (outputs.contains(value) && taken.insert(value).second) {
      if (fieldOfValue.contains(value) && isOutput(value.getDefiningOp()))
        fieldOfValue[result] = fieldOfValue.lookup(value);
      else
        nodeOfValue[result] = nodeOfValue.lookup(value);
      continue;
    }
    // A value without a variable inside needs none after the block.
    if (Operation *def = value.getDefiningOp();
        def && def->getNumOperands() == 0 && isInline(def) &&
        !isa<relax::ConstantOp>(def) &&
        !relax::getVarName(relax::getResultLoc(result)))
      continue;
    // Make another variable for a value that has one.
    FailureOr<int64_t> varType = addType(op, value.getType()),
                       expr = addValue(op, value);
    if (failed(varType) || failed(expr))
      return failure();
    int64_t var =
        addVar(relax::getResultLoc(result), *varType, /*isDataflowVar=*/false);
    bindings.push_back(*VarBindingNode::add(writer, {var, expr}));
    nodeOfValue[result] = var;
  }
  blocks.push_back(*BindingBlockNode::add(writer, "relax.expr.DataflowBlock",
                                          {writer.getArray(bindings)}));
  return success();
}

/// Whether `op` is a field that has no variable in TVM.
static bool isInlineField(Operation *op) {
  return isa<relax::AliasOp, relax::TupleGetItemOp>(op) &&
         op->hasAttr(relax::inlineAttrName);
}

bool partita::tvmjson::areFields(ValueRange values) {
  Value tuple;
  // A field that has a variable, too, can have been merged with that.
  bool isImplied = false;
  for (auto [index, value] : llvm::enumerate(values)) {
    auto item = value.getDefiningOp<relax::TupleGetItemOp>();
    if (!item || item.getIndex() != index || isInlineField(item) ||
        (tuple && item.getTupleValue() != tuple))
      return false;
    isImplied |= !relax::isVar(item);
    tuple = item.getTupleValue();
  }
  return isImplied && cast<TupleType>(tuple.getType()).size() == values.size();
}

/// Whether the operands of `op` are a tuple that is passed on whole.
static bool takesWholeTuple(Operation *op) {
  return relax::takesTuple(op) &&
         areFields(llvm::map_to_vector(op->getOperands(), getUncast));
}

/// The name of dimensions that a number is.
static StringAttr getDimName(Operation *op) {
  return op->getAttrOfType<StringAttr>(relax::FuncOp::getDimAttrName());
}

/// Whether `op` is a cast that is a binding, and a check.
static bool isCheck(Operation *op) {
  return isa<relax::MatchCastOp>(op) && relax::isVar(op) && !getDimName(op) &&
         !op->hasAttr(relax::assumedAttrName);
}

/// Whether `op`, which has no variable, is a call that the binding after it
/// casts, and nobody else uses.
static bool isValueOfCast(Operation *op) {
  Operation *next = op->getNextNode();
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         op->hasOneUse() && *op->user_begin() == next && isCheck(next) &&
         !isa<relax::AliasOp, relax::MatchCastOp, relax::OpaqueExprOp>(op);
}

bool FunctionExporter::isInline(Operation *op) const {
  if (isa<relax::ConstantOp>(op) || isInlineField(op))
    return true;
  if (relax::isVar(op))
    return false;
  if (isValueOfCast(op))
    return true;
  if (isa<relax::TupleGetItemOp>(op))
    return !op->use_empty() &&
           llvm::all_of(op->getUsers(), [](Operation *user) {
             while (isCastOfResult(user))
               user = *user->user_begin();
             return takesWholeTuple(user) ||
                    (isa<relax::MatchCastOp>(user) && relax::isVar(user));
           });
  return isObject(op) ||
         isa<relax::DimOp, relax::ShapeOp, relax::PrimValueOp, relax::TupleOp>(
             op);
}

int64_t FunctionExporter::findTuple(ValueRange values) const {
  int64_t tuple = 0;
  for (auto [index, value] : llvm::enumerate(values)) {
    Field field = fieldOfValue.lookup(value);
    if (field.index != int64_t(index) ||
        field.count != int64_t(values.size()) ||
        (tuple && field.tuple != tuple))
      return 0;
    tuple = field.tuple;
  }
  return tuple;
}

/// Whether `op` is a function in a function that is kept as it is.
static bool isKeptFunction(Operation *op) {
  auto kept = dyn_cast_or_null<relax::OpaqueExprOp>(op);
  return kept && kept.getKind() == "relax.expr.Function";
}

/// Whether a function in the code that computes `value` uses it: in TVM, it may
/// not use a variable of a dataflow block.
static bool isUsedInFunction(Value value) {
  auto own = value.getParentRegion()->getParentOfType<relax::LocalFuncOp>();
  // A function that calls itself uses its own variable.
  auto local = value.getDefiningOp<relax::LocalFuncOp>();
  if (local && !local.getSelf().use_empty())
    return true;
  if (Operation *op = value.getDefiningOp(); isKeptFunction(op))
    if (getText(cast<relax::OpaqueExprOp>(op).getJson())
            .contains(R"({"type":"operand","data":-1})"))
      return true;
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return isKeptFunction(user) ||
           user->getParentOfType<relax::LocalFuncOp>() != own;
  });
}

LogicalResult FunctionExporter::bindFields(Operation *op, Bindings &bindings) {
  for (OpResult result : op->getResults()) {
    auto field = fieldOfValue.find(result);
    if (field == fieldOfValue.end())
      continue;
    bool isNeeded = llvm::any_of(result.getUsers(), [&](Operation *user) {
      if (isa<relax::OutputOp>(user))
        return !isOutput(op);
      while (isCastOfResult(user))
        user = *user->user_begin();
      return !isa<relax::AliasOp>(user) && !isCheck(user) &&
             !(relax::takesTuple(user) &&
               findTuple(llvm::map_to_vector(user->getOperands(), getUncast)));
    });
    if (!isNeeded)
      continue;
    // If all fields leave the block, the tuple leaves it in their place.
    auto output = outputs.find(result);
    bool isOwn = output == outputs.end() || isOutput(op);
    FailureOr<int64_t> itemType = addType(op, result.getType()),
                       item = addGetItem(op, field->second.tuple,
                                         field->second.index, result.getType());
    if (failed(item) || failed(itemType))
      return failure();
    int64_t var =
        addVar(isOwn ? relax::getResultLoc(result) : output->second, *itemType,
               isDataflow && isOwn && !isUsedInFunction(result));
    bindings.push_back(*VarBindingNode::add(writer, {var, item}));
    nodeOfValue[result] = var;
  }
  return success();
}

bool FunctionExporter::isOutput(Operation *op) const {
  return op->getNumResults() != 0 &&
         llvm::all_of(op->getResults(),
                      [&](Value result) { return outputs.contains(result); });
}

/// Whether `cast` has the name of `op`; in text without locations, but for the
/// numbers that the printer adds.
static bool hasNameOf(Operation *cast, Operation *op) {
  Location loc = op->getLoc(), castLoc = cast->getLoc();
  StringAttr name = relax::getVarName(loc);
  StringAttr castName = relax::getVarName(castLoc);
  if (!name || !castName || name.empty())
    return false;
  if (loc == castLoc)
    return true;
  auto getStem = [](StringRef text) {
    StringRef stem = text.rtrim("0123456789");
    return stem.size() < text.size() && stem.consume_back("_") ? stem : text;
  };
  return isa<FileLineColLoc>(relax::withoutName(loc)) &&
         isa<FileLineColLoc>(relax::withoutName(castLoc)) &&
         getStem(name) == getStem(castName);
}

/// The cast that only says less of the value of `op`, as the variable's type
/// does in TVM: it follows `op`, has its name, and nobody else uses the value,
/// unless it is a number that is a dimension.
static relax::MatchCastOp getOwnCast(Operation *op) {
  auto cast = dyn_cast_or_null<relax::MatchCastOp>(op->getNextNode());
  if (!cast || op->getNumResults() != 1 ||
      cast.getValue() != op->getResult(0) || !hasNameOf(cast, op) ||
      !(op->hasOneUse() || getDimName(cast)))
    return {};
  // Any other cast is a binding of the same name.
  Type from = cast.getValue().getType(), to = cast.getType();
  bool saysLess =
      cast->hasAttr(relax::assumedAttrName) ||
      (from != to &&
       (isa<relax::CallableType, relax::ObjectType, relax::OpaqueType>(to) ||
        relax::isMoreGeneral(to, from)));
  return saysLess || getDimName(cast) ? cast : relax::MatchCastOp();
}

LogicalResult FunctionExporter::addBinding(Operation *op, Bindings &bindings) {
  if (auto cast = dyn_cast<relax::MatchCastOp>(op)) {
    if (nodeOfValue.contains(cast.getResult()))
      return success();
    // The cast to the function's result is part of the result.
    if (isPartOfCast(op) || isCastOfResult(op))
      return success();
  }
  relax::MatchCastOp own = getOwnCast(op);
  Value value = own                        ? own.getResult()
                : op->getNumResults() == 1 ? op->getResult(0)
                                           : Value();
  auto otherType = op->getAttrOfType<TypeAttr>(relax::varTypeAttrName);
  FailureOr<int64_t> varType = otherType ? addType(op, otherType.getValue())
                               : value
                                   ? addTypeOf(op, value)
                                   : addResultType(op, op->getResultTypes());
  if (failed(varType))
    return failure();
  auto addOwnVar = [&] {
    if (StringAttr dim = getDimName(own ? own : op)) {
      StringAttr name = relax::getVarName(op->getLoc());
      StringRef dtype = getDTypeName(value.getType());
      return addDimVar(dim, name ? name.getValue() : "",
                       dtype.empty() ? "int64" : dtype)
          .index;
    }
    auto output = outputs.find(value);
    bool leaves = value ? output != outputs.end() : isOutput(op);
    bool isUsed = value ? isUsedInFunction(value)
                        : llvm::any_of(op->getResults(), isUsedInFunction);
    return addVar(value && leaves ? output->second : op->getLoc(), *varType,
                  isDataflow && !leaves && !isUsed);
  };
  // A function can call itself by its variable.
  int64_t var =
      isa<relax::LocalFuncOp, relax::OpaqueExprOp>(op) ? addOwnVar() : 0;
  llvm::SaveAndRestore self(selfVar, var);
  FailureOr<int64_t> expr = addExpr(op);
  if (failed(expr))
    return failure();
  if (!var)
    var = addOwnVar();
  // A cast that gives a number a name, or a variable its type, checks nothing.
  if (isa<relax::MatchCastOp>(op) && !getDimName(op) &&
      !op->hasAttr(relax::assumedAttrName)) {
    FailureOr<int64_t> castType = addType(op, op->getResult(0).getType());
    if (failed(castType))
      return failure();
    bindings.push_back(*MatchCastNode::add(writer, {var, expr, castType}));
  } else {
    bindings.push_back(*VarBindingNode::add(writer, {var, expr}));
  }
  if (own)
    nodeOfValue[op->getResult(0)] = var;
  if (value) {
    nodeOfValue[value] = var;
    nameShape(value, var);
    return success();
  }
  for (OpResult result : op->getResults())
    fieldOfValue[result] = {var, result.getResultNumber(), op->getNumResults()};
  return bindFields(op, bindings);
}
