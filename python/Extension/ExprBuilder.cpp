//===- ExprBuilder.cpp - The op of a function from its expressions --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExprBuilder.h"
#include "Module.h"

#include "partita-c/Dialects.h"

#include "mlir-c/BuiltinTypes.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <nanobind/stl/string.h>

using namespace nanobind::literals;
using namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

namespace partita::python {

static MlirStringRef ref(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

/// The types of the results of a function whose value has that type. A tuple is
/// several results, unless it has one field: that would read back as the field.
static std::vector<MlirType> splitResults(MlirType type) {
  std::vector<MlirType> types;
  if (mlirTypeIsATuple(type) && mlirTupleTypeGetNumTypes(type) != 1)
    for (intptr_t i = 0, e = mlirTupleTypeGetNumTypes(type); i < e; ++i)
      types.push_back(mlirTupleTypeGetType(type, i));
  else
    types.push_back(type);
  return types;
}

MlirLocation Builder::getParamLocation(const Expr &param) {
  MlirLocation loc = param.getLocation(context);
  std::string name = toString(nb::handle(param.object));
  bool isNamed = mlirLocationIsAName(loc);
  if (isNamed &&
      toString(mlirIdentifierStr(mlirLocationNameGetName(loc))) == name)
    return loc;
  if (name.empty() ||
      (param.location.ptr && !isNamed && name.compare(0, 3, "arg") == 0))
    return loc;
  return mlirLocationNameGet(context, wrap(name), loc);
}

void Builder::addParams(nb::tuple params, Scope &scope) {
  std::vector<MlirType> types;
  std::vector<MlirLocation> locations;
  for (nb::handle object : params) {
    Expr *param = asExpr(object);
    if (!param || param->kind != Expr::Var)
      raise(PyExc_TypeError,
            "expected a parameter to be a Var, but found " + typeName(object));
    if (param->getNumArgs())
      raise(PyExc_TypeError, "expected a parameter to be a Var without value, "
                             "but found '" +
                                 toString(nb::handle(param->object)) +
                                 "', which a binding has given one");
    if (!addState(param, scope))
      raise(PyExc_ValueError,
            "expected each parameter once, but found one twice");
    if (!nb::handle(param->context).is(contextObject))
      raise(PyExc_ValueError, "expected the parameters to be of one MLIR "
                              "context, but found two");
    types.push_back(param->getType());
    locations.push_back(getParamLocation(*param));
  }
  main.reset(mlirBlockCreate(types.size(), types.data(), locations.data()));
  size_t index = 0;
  for (nb::handle object : params)
    states.at(asExpr(object))->values = {
        mlirBlockGetArgument(main.get(), index++)};
}

MlirOperation Builder::create(const char *name, MlirLocation loc,
                              const MlirType *types, size_t numTypes,
                              llvm::ArrayRef<MlirValue> operands,
                              MlirAttribute attributes,
                              const MlirNamedAttribute *extra,
                              llvm::MutableArrayRef<MlirRegion> regions) {
  return unverified.emplace_back(createVerified(
      name, loc, types, numTypes, operands, attributes, extra, regions));
}

MlirOperation Builder::createVerified(
    llvm::StringRef name, MlirLocation loc, const MlirType *types,
    size_t numTypes, llvm::ArrayRef<MlirValue> operands,
    MlirAttribute attributes, const MlirNamedAttribute *extra,
    llvm::MutableArrayRef<MlirRegion> regions) {
  MlirOperationState state =
      mlirOperationStateGet(mlirStringRefCreate(name.data(), name.size()), loc);
  mlirOperationStateAddResults(&state, numTypes, types);
  mlirOperationStateAddOperands(&state, operands.size(), operands.data());
  if (extra)
    mlirOperationStateAddAttributes(&state, 1, extra);
  for (intptr_t i = 0, e = attributes.ptr
                               ? mlirDictionaryAttrGetNumElements(attributes)
                               : 0;
       i < e; ++i) {
    MlirNamedAttribute entry = mlirDictionaryAttrGetElement(attributes, i);
    mlirOperationStateAddAttributes(&state, 1, &entry);
  }
  mlirOperationStateAddOwnedRegions(&state, regions.size(), regions.data());
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockAppendOwnedOperation(current, op);
  return op;
}

/// `expr` as one value: a split tuple is made a relax.tuple.
MlirValue Builder::getValue(Expr *expr) {
  State &state = *states.at(expr);
  // A function in a function that uses the variable that it is bound to.
  if (!state.isSplit && state.values.empty())
    raise(PyExc_ValueError,
          "expected a value that is computed before its use, but found one "
          "that uses itself");
  if (!state.isSplit)
    return state.values[0];
  auto [found, isNew] = tuples.try_emplace(expr);
  if (isNew) {
    std::vector<MlirType> types;
    for (MlirValue value : state.values)
      types.push_back(mlirValueGetType(value));
    MlirType type = mlirTupleTypeGet(context, types.size(), types.data());
    MlirLocation loc = expr->getLocation(context);
    // The results have the name; a location that has it twice is a variable's.
    if (expr->kind != Expr::Tuple && mlirLocationIsAName(loc))
      loc = mlirLocationNameGetChildLoc(loc);
    found->second = mlirOperationGetResult(
        create("relax.tuple", loc, &type, 1, state.values), 0);
  }
  return found->second;
}

MlirValue Builder::getField(MlirValue tuple, int64_t index, MlirType type,
                            MlirLocation loc) {
  MlirNamedAttribute attribute = named(
      "index", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), index));
  return mlirOperationGetResult(create("relax.tuple_get_item", loc, &type, 1,
                                       {tuple}, {nullptr}, &attribute),
                                0);
}

MlirValue Builder::emitField(Expr &expr) {
  Expr *source = asExpr(expr.getArg(0));
  auto check = [&](int64_t count) {
    if (expr.index < 0 || expr.index >= count)
      raise(PyExc_ValueError, "expected one of " + std::to_string(count) +
                                  " fields, but found " +
                                  std::to_string(expr.index));
  };
  State &state = *states.at(source);
  if (state.isSplit) {
    check(state.values.size());
    return state.values[expr.index];
  }
  MlirValue value = getValue(source);
  MlirType type = mlirValueGetType(value);
  if (!mlirTypeIsATuple(type))
    raise(PyExc_TypeError,
          "expected a tuple to take a field of, but found " + toString(type));
  check(mlirTupleTypeGetNumTypes(type));
  return getField(value, expr.index, mlirTupleTypeGetType(type, expr.index),
                  expr.getLocation(context));
}

void Builder::emitCall(Expr &expr, State &state) {
  llvm::SmallVector<MlirValue> operands;
  llvm::ArrayRef<PyObject *> children = getChildren(expr);
  for (PyObject *operand : children) {
    Expr *child = asExpr(operand);
    if (!child)
      raise(PyExc_TypeError,
            "expected an expression, but found " + typeName(operand));
    operands.push_back(getValue(child));
  }
  nb::handle target = expr.object, callee;
  bool isCall = PyObject_TypeCheck(
      target.ptr(), reinterpret_cast<PyTypeObject *>(relaxTypes.globalVar));
  if (isCall)
    callee = target;
  else if (children.size() != expr.getNumArgs())
    callee = expr.getArg(0);
  llvm::SmallVector<MlirType, 1> types(expr.typesBegin(), expr.typesEnd());
  MlirAttribute attributes = expr.attribute;
  OpInfo info = isCall ? OpInfo{"relax.call", false} : getOpInfo(target);
  if (!expr.isTyped) {
    std::vector<Operand> found;
    for (MlirValue operand : operands)
      found.push_back(mlirValueGetType(operand));
    if (isCall) {
      nb::list arguments;
      for (const Operand &operand : found)
        arguments.append(toPython(operand.type, contextObject));
      for (nb::handle type : getCallTypes(target, arguments))
        types.push_back(toType(type));
    } else {
      const Inferred &inferred =
          inferTypes(target, found, attributes, nullptr, contextObject);
      types.assign(inferred.types.begin(), inferred.types.end());
      attributes = inferred.attributes;
    }
  }
  MlirNamedAttribute symbol;
  if (callee.is_valid())
    symbol = named(
        "callee",
        mlirFlatSymbolRefAttrGet(
            context, wrap(toString(nb::object(callee.attr("name_hint"))))));
  MlirOperation op = createVerified(
      info.name, expr.getLocation(context), types.data(), types.size(),
      operands, attributes, callee.is_valid() ? &symbol : nullptr);
  if (!info.infersType)
    unverified.push_back(op);
  for (size_t i = 0; i < types.size(); ++i)
    state.values.push_back(mlirOperationGetResult(op, i));
  state.isSplit = types.size() != 1;
}

void Builder::emitVar(Item &item, Expr &expr) {
  Expr *value = asExpr(expr.getArg(0));
  if (!item.isOp) {
    item.state->values = states.at(value)->values;
    item.state->isSplit = states.at(value)->isSplit;
    return;
  }
  MlirValue operand = getValue(value);
  MlirType type = mlirValueGetType(operand);
  item.state->values = {mlirOperationGetResult(
      create("relax.alias", getParamLocation(expr), &type, 1, {operand}), 0)};
}

void Builder::emitRegion(Scope &scope, MlirBlock block) {
  llvm::SmallVector<std::pair<const Expr *, State *>> outerStates;
  for (auto [expr, state] : scope.states)
    outerStates.push_back({expr, std::exchange(states[expr], state)});
  MlirBlock outer = std::exchange(current, block);
  auto outerTuples = tuples;
  emit(scope);
  create("relax.yield", unknown, nullptr, 0, {getValue(scope.body)});
  tuples = std::move(outerTuples);
  current = outer;
  for (auto [expr, state] : outerStates)
    state ? void(states[expr] = state) : void(states.erase(expr));
}

void Builder::emitIf(Item &item, Expr &expr) {
  MlirValue condition = getValue(asExpr(expr.getArg(0)));
  ScopedBlock blocks[2];
  for (auto [scope, block] : llvm::zip_equal(item.scopes, blocks)) {
    block.reset(mlirBlockCreate(0, nullptr, nullptr));
    emitRegion(scope, block.get());
  }
  MlirType type = expr.isTyped
                      ? expr.getType()
                      : mlirValueGetType(mlirOperationGetOperand(
                            mlirBlockGetTerminator(blocks[0].get()), 0));
  MlirRegion regions[] = {blocks[0].release(), blocks[1].release()};
  item.state->values = {mlirOperationGetResult(
      create("relax.if", expr.getLocation(context), &type, 1, {condition},
             {nullptr}, nullptr, regions),
      0)};
}

void Builder::emitLocalFunc(Item &item, Expr &expr) {
  nb::handle function = getFunction(expr);
  nb::object params = nb::object(function.attr("_read")())[0];
  MlirType type = expr.getType();
  std::vector<MlirType> types = {type};
  std::vector<MlirLocation> locations = {getParamLocation(expr)};
  for (nb::handle param : params) {
    types.push_back(asExpr(param)->getType());
    locations.push_back(getParamLocation(*asExpr(param)));
  }
  ScopedBlock block;
  block.reset(mlirBlockCreate(types.size(), types.data(), locations.data()));
  // The function itself, if it is known, and its parameters come first.
  Scope &scope = item.scopes[0];
  size_t first = types.size() - nb::len(params) - (expr.getNumArgs() > 1);
  for (size_t i = first; i < types.size(); ++i)
    scope.states[i - first].second->values = {
        mlirBlockGetArgument(block.get(), i)};
  emitRegion(scope, block.get());
  MlirAttribute attributes = toDictionary(
      nb::object(function.attr("attrs").attr("_attributes")), context);
  MlirRegion region = block.release();
  item.state->values = {
      mlirOperationGetResult(create("relax.local_func", getParamLocation(expr),
                                    &type, 1, {}, attributes, nullptr, region),
                             0)};
}

void Builder::emit(Item &item) {
  Expr *expr = item.expr;
  if (expr->isTyped && expr->numTypes &&
      !nb::handle(expr->context).is(contextObject)) {
    kept.push_back(nb::borrow(relaxTypes.inContext)(nb::handle(expr->self),
                                                    contextObject));
    expr = asExpr(kept.back());
  }
  State &state = *item.state;
  switch (expr->kind) {
  case Expr::Constant: {
    MlirNamedAttribute value = named("value", expr->attribute);
    state.values = {mlirOperationGetResult(
        create("relax.constant", expr->getLocation(context), expr->typesBegin(),
               1, {}, {nullptr}, &value),
        0)};
    return;
  }
  case Expr::Tuple:
    for (size_t i = 0, e = expr->getNumArgs(); i < e; ++i)
      state.values.push_back(getValue(asExpr(expr->getArg(i))));
    state.isSplit = true;
    if (item.isOp) {
      state.values = {getValue(item.expr)};
      state.isSplit = false;
    }
    return;
  case Expr::TupleGetItem:
    state.values = {emitField(*expr)};
    return;
  case Expr::Call:
    return emitCall(*expr, state);
  case Expr::Var:
    return getFunction(*expr) ? emitLocalFunc(item, *expr)
                              : emitVar(item, *expr);
  case Expr::If:
    return emitIf(item, *expr);
  case Expr::SeqExpr: {
    // As a value it is its body; its bindings are computed already.
    const State &body = *states.at(asExpr(expr->args.back()));
    state.values = body.values;
    state.isSplit = body.isSplit;
    return;
  }
  }
}

/// Makes a relax.dataflow of the ops of the section, which are in `block`.
void Builder::closeDataflow(Section &section, ScopedBlock &block) {
  MlirOperation first = mlirBlockGetFirstOperation(block.get());
  if (mlirOperationIsNull(first))
    return;
  llvm::DenseSet<const void *> used;
  for (auto [state, field] : section.uses) {
    if (field >= 0 && state->isSplit) {
      if (size_t(field) < state->values.size())
        used.insert(state->values[field].ptr);
    } else {
      for (MlirValue value : state->values)
        used.insert(value.ptr);
    }
  }
  std::vector<MlirValue> outputs;
  std::vector<MlirType> types;
  for (MlirOperation op = first; !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0, e = mlirOperationGetNumResults(op); i < e; ++i) {
      MlirValue result = mlirOperationGetResult(op, i);
      if (used.contains(result.ptr)) {
        outputs.push_back(result);
        types.push_back(mlirValueGetType(result));
      }
    }
  MlirBlock outer = std::exchange(current, block.get());
  create("relax.output", unknown, nullptr, 0, outputs);
  current = outer;
  MlirRegion region = block.release();
  MlirOperation op = create("relax.dataflow", unknown, types.data(),
                            types.size(), {}, {nullptr}, nullptr, region);
  llvm::DenseMap<const void *, MlirValue> results;
  for (size_t i = 0; i < outputs.size(); ++i)
    results[outputs[i].ptr] = mlirOperationGetResult(op, i);
  for (const Item &item : section.order)
    for (MlirValue &value : item.state->values)
      if (auto found = results.find(value.ptr); found != results.end())
        value = found->second;
}

void Builder::emit(Scope &scope) {
  for (size_t index : scope.sections) {
    Section &section = sections[index];
    ScopedBlock block;
    MlirBlock outer = current;
    if (section.isDataflow) {
      block.reset(mlirBlockCreate(0, nullptr, nullptr));
      current = block.get();
    }
    for (Item &item : section.order)
      emit(item);
    current = outer;
    if (section.isDataflow)
      closeDataflow(section, block);
    tuples.clear();
  }
}

/// The operands of relax.return.
llvm::SmallVector<MlirValue> Builder::getResults(Expr *body, bool isSingle) {
  const State &state = *states.at(body);
  if (!isSingle && state.isSplit && state.values.size() != 1)
    return {state.values.begin(), state.values.end()};
  MlirValue value = getValue(body);
  if (isSingle)
    return {value};
  std::vector<MlirType> types = splitResults(mlirValueGetType(value));
  if (types.size() == 1)
    return {value};
  llvm::SmallVector<MlirValue> results;
  for (size_t i = 0; i < types.size(); ++i)
    results.push_back(getField(value, i, types[i], unknown));
  return results;
}

MlirOperation Builder::build(nb::tuple params, nb::handle body,
                             nb::tuple blocks, bool isSingle,
                             nb::dict attributes, nb::handle returns,
                             nb::handle location) {
  Scope scope;
  addParams(params, scope);
  plan(blocks, asExpr(body), scope, noHome);
  for (auto [expr, state] : scope.states)
    states[expr] = state;
  current = main.get();
  emit(scope);
  llvm::SmallVector<MlirValue> results = getResults(asExpr(body), isSingle);
  create("relax.return", unknown, nullptr, 0, results);
  std::vector<MlirType> paramTypes, resultTypes;
  for (nb::handle param : params)
    paramTypes.push_back(asExpr(param)->getType());
  for (MlirValue result : results)
    resultTypes.push_back(mlirValueGetType(result));
  if (!returns.is_none()) {
    std::vector<MlirType> expected = splitResults(toType(returns));
    if (!llvm::equal(expected, resultTypes, mlirTypeEqual))
      raise(PyExc_ValueError,
            "expected a body of type " + toString(toType(returns)) +
                ", but found " +
                toString(joinTypes(resultTypes.data(), resultTypes.size(),
                                   context)));
  }
  MlirLocation loc = unknown;
  if (auto *found = getAs<PyLocation>(location))
    if (mlirContextEqual(mlirLocationGetContext(found->get()), context))
      loc = found->get();
  MlirOperationState state = mlirOperationStateGet(ref("relax.func"), loc);
  for (auto [name, value] : attributes) {
    MlirNamedAttribute entry = mlirNamedAttributeGet(
        mlirIdentifierGet(context, wrap(toString(name))), toAttribute(value));
    mlirOperationStateAddAttributes(&state, 1, &entry);
  }
  MlirNamedAttribute own[] = {
      named("sym_name", mlirStringAttrGet(context, ref("main"))),
      named("function_type", mlirTypeAttrGet(mlirFunctionTypeGet(
                                 context, paramTypes.size(), paramTypes.data(),
                                 resultTypes.size(), resultTypes.data())))};
  mlirOperationStateAddAttributes(&state, 2, own);
  MlirRegion region = main.release();
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  return mlirOperationCreate(&state);
}

bool Builder::verify(MlirOperation func) const {
  return llvm::all_of(unverified, partitaOperationVerifyAlone) &&
         partitaOperationVerifyAlone(func);
}

void bindExprBuilder(nb::module_ &m) {
  m.def(
      "build_function",
      [](nb::tuple params, nb::object body, nb::tuple blocks, bool isSingle,
         nb::object context, nb::dict attributes, nb::object returns,
         nb::object location, nb::object getCallTypes) {
        if (!asExpr(body))
          raise(PyExc_TypeError,
                "expected the body to be an expression, but found " +
                    typeName(body));
        auto *contextObject = getAs<PyMlirContext>(context);
        if (!contextObject)
          raise(PyExc_TypeError, "expected an mlir.ir.Context");
        Builder builder(context, getCallTypes);
        MlirOperation op = builder.build(params, body, blocks, isSingle,
                                         attributes, returns, location);
        nb::object owner = createOwner(op);
        PyMlirContext::ErrorCapture errors(contextObject->getRef());
        bool isValid = builder.verify(op);
        std::string said = joinMessages(errors.take());
        if (!isValid)
          raise(PyExc_ValueError, said);
        return owner;
      },
      "params"_a, "body"_a, "blocks"_a, "is_single"_a, "context"_a,
      "attributes"_a, "ret_type"_a.none(), "loc"_a.none(), "get_call_types"_a);
}

} // namespace partita::python
