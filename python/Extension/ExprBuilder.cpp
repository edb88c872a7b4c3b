//===- ExprBuilder.cpp - The op of a function from its expressions --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expr.h"
#include "Module.h"

#include "partita-c/Dialects.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <nanobind/stl/string.h>

#include <deque>

using namespace nanobind::literals;
using namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

namespace partita::python {

static MlirStringRef ref(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

namespace {

/// A block that no op has yet, and that is freed if none gets it.
class ScopedBlock {
public:
  ScopedBlock() : block{nullptr} {}
  ScopedBlock(const ScopedBlock &) = delete;
  ~ScopedBlock() { reset({nullptr}); }
  void reset(MlirBlock other) {
    if (block.ptr)
      mlirBlockDestroy(block);
    block = other;
  }
  MlirRegion release() {
    MlirRegion region = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(region, std::exchange(block, {nullptr}));
    return region;
  }
  MlirBlock get() const { return block; }

private:
  MlirBlock block;
};

/// Makes the op of a function.
///
/// Each expression belongs to a section: the first block that needs it.
/// Sections are built one after the other, without recursion. The ops of a
/// dataflow block are in a block of their own until all of them exist, since
/// only then is it known which values leave it.
class Builder {
public:
  Builder(nb::handle context, nb::handle getCallTypes)
      : contextObject(context), context(getContext(context)),
        unknown(mlirLocationUnknownGet(this->context)),
        getCallTypes(getCallTypes) {}

  MlirOperation build(nb::list params, nb::handle body, nb::list blocks,
                      bool isSingle, nb::dict attributes, nb::handle returns,
                      nb::handle location);

private:
  struct State {
    /// The section; 0 for constants, none for parameters.
    size_t home = noHome;
    /// Whether the values are the fields of a tuple.
    bool isSplit = false;
    llvm::SmallVector<MlirValue, 1> values;
  };
  struct Use {
    Expr *expr;
    int64_t field;
  };
  struct Section {
    bool isDataflow = false;
    std::vector<Expr *> order;
    /// What others use of it.
    std::vector<Use> uses;
  };
  static constexpr size_t noHome = ~size_t(0);

  /// Null if it has one already.
  State *addState(const Expr *expr) {
    auto [found, isNew] = states.try_emplace(expr, nullptr);
    return isNew ? found->second = &stateStorage.emplace_back() : nullptr;
  }
  void addParams(nb::list params);
  void plan(nb::list blocks, Expr *body);
  void planSection(PyObject *const *bindings, size_t count);
  void emit(Expr *expr);
  MlirValue emitField(Expr &expr);
  void emitCall(Expr &expr, State &state);
  void closeDataflow(Section &section);
  MlirValue getValue(Expr *expr);
  llvm::SmallVector<MlirValue> getResults(Expr *body, bool isSingle);
  MlirValue getField(MlirValue tuple, int64_t index, MlirType type,
                     MlirLocation loc);
  MlirOperation create(const char *name, MlirLocation loc,
                       const MlirType *types, size_t numTypes,
                       llvm::ArrayRef<MlirValue> operands,
                       MlirAttribute attributes = {nullptr},
                       const MlirNamedAttribute *extra = nullptr);
  MlirNamedAttribute named(const char *name, MlirAttribute value) {
    return mlirNamedAttributeGet(mlirIdentifierGet(context, ref(name)), value);
  }
  MlirLocation getParamLocation(const Expr &param);

  nb::handle contextObject;
  MlirContext context;
  MlirLocation unknown;
  nb::handle getCallTypes;
  /// The function's body; destroyed after the block of a section, which uses
  /// its values.
  ScopedBlock main, inner;
  llvm::DenseMap<const Expr *, State *> states;
  std::deque<State> stateStorage;
  std::vector<Section> sections;
  /// The relax.tuples that the current section has so far.
  llvm::DenseMap<const Expr *, MlirValue> tuples;
  /// Keeps alive what is not in the graph.
  std::vector<nb::object> kept;
};

} // namespace

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

static std::string print(MlirType type) {
  std::string text;
  mlirTypePrint(type, appendTo, &text);
  return text;
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

void Builder::addParams(nb::list params) {
  std::vector<MlirType> types;
  std::vector<MlirLocation> locations;
  for (nb::handle object : params) {
    Expr *param = asExpr(object);
    if (!param || param->kind != Expr::Var)
      raise(PyExc_TypeError,
            "expected a parameter to be a Var, but found " + typeName(object));
    if (!addState(param))
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

void Builder::planSection(PyObject *const *bindings, size_t count) {
  size_t index = sections.size() - 1;
  for (size_t i = 0; i < count; ++i) {
    Expr *binding = asExpr(bindings[i]);
    if (!binding)
      raise(PyExc_TypeError,
            "expected an expression, but found " + typeName(bindings[i]));
    postOrder(
        binding,
        [&](Expr *expr) {
          State *added = addState(expr);
          if (added)
            added->home = expr->kind == Expr::Constant ? 0 : index;
          return added != nullptr;
        },
        [&](Expr *expr) {
          if (expr->kind == Expr::Var)
            raise(PyExc_ValueError,
                  "expected the body to use parameters only, but found the "
                  "variable '" +
                      toString(nb::handle(expr->object)) +
                      "', which is none of them");
          if (expr->kind == Expr::Constant) {
            sections[0].order.push_back(expr);
            return;
          }
          sections[index].order.push_back(expr);
          for (PyObject *operand : getChildren(*expr)) {
            Expr *child = asExpr(operand);
            size_t home = child ? states.at(child)->home : noHome;
            if (home != noHome && home != index)
              sections[home].uses.push_back(
                  {child, expr->kind == Expr::TupleGetItem ? expr->index : -1});
          }
        });
  }
}

void Builder::plan(nb::list blocks, Expr *body) {
  // Constants go to the start, where all blocks can use them.
  sections.emplace_back();
  for (nb::handle block : blocks) {
    sections.emplace_back();
    sections.back().isDataflow =
        PyObject_IsInstance(block.ptr(), relaxTypes.dataflowBlock) == 1;
    nb::object bindings =
        nb::steal(PySequence_Tuple(nb::object(block.attr("bindings")).ptr()));
    if (!bindings.is_valid())
      throw nb::python_error();
    if (size_t count = PyTuple_GET_SIZE(bindings.ptr()))
      planSection(&PyTuple_GET_ITEM(bindings.ptr(), 0), count);
    kept.push_back(std::move(bindings));
  }
  sections.emplace_back();
  planSection(&body->self, 1);
  size_t home = states.at(body)->home;
  if (home != noHome && home != sections.size() - 1)
    sections[home].uses.push_back({body, -1});
}

MlirOperation Builder::create(const char *name, MlirLocation loc,
                              const MlirType *types, size_t numTypes,
                              llvm::ArrayRef<MlirValue> operands,
                              MlirAttribute attributes,
                              const MlirNamedAttribute *extra) {
  MlirOperationState state = mlirOperationStateGet(ref(name), loc);
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
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockAppendOwnedOperation(inner.get().ptr ? inner.get() : main.get(), op);
  return op;
}

/// `expr` as one value: a split tuple is made a relax.tuple.
MlirValue Builder::getValue(Expr *expr) {
  State &state = *states.at(expr);
  if (!state.isSplit)
    return state.values[0];
  auto [found, isNew] = tuples.try_emplace(expr);
  if (isNew) {
    std::vector<MlirType> types;
    for (MlirValue value : state.values)
      types.push_back(mlirValueGetType(value));
    MlirType type = mlirTupleTypeGet(context, types.size(), types.data());
    found->second =
        mlirOperationGetResult(create("relax.tuple", expr->getLocation(context),
                                      &type, 1, state.values),
                               0);
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
          "expected a tuple to take a field of, but found " + print(type));
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
  std::string name =
      isCall ? "relax.call" : nb::cast<std::string>(target.attr("name"));
  if (!expr.isTyped) {
    std::vector<MlirType> operandTypes;
    for (MlirValue operand : operands)
      operandTypes.push_back(mlirValueGetType(operand));
    if (isCall) {
      nb::list arguments;
      for (MlirType type : operandTypes)
        arguments.append(toPython(type, contextObject));
      for (nb::handle type : getCallTypes(target, arguments))
        types.push_back(toType(type));
    } else {
      const Inferred &found =
          inferTypes(target, operandTypes, attributes, nullptr, contextObject);
      types.assign(found.types.begin(), found.types.end());
      attributes = found.attributes;
    }
  }
  MlirNamedAttribute symbol;
  if (callee.is_valid())
    symbol = named(
        "callee",
        mlirFlatSymbolRefAttrGet(
            context, wrap(toString(nb::object(callee.attr("name_hint"))))));
  MlirOperation op = create(name.c_str(), expr.getLocation(context),
                            types.data(), types.size(), operands, attributes,
                            callee.is_valid() ? &symbol : nullptr);
  for (size_t i = 0; i < types.size(); ++i)
    state.values.push_back(mlirOperationGetResult(op, i));
  state.isSplit = types.size() != 1;
}

void Builder::emit(Expr *original) {
  Expr *expr = original;
  if (expr->isTyped && expr->numTypes &&
      !nb::handle(expr->context).is(contextObject)) {
    kept.push_back(nb::borrow(relaxTypes.inContext)(nb::handle(expr->self),
                                                    contextObject));
    expr = asExpr(kept.back());
  }
  State &state = *states.at(original);
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
    return;
  case Expr::TupleGetItem:
    state.values = {emitField(*expr)};
    return;
  case Expr::Call:
    return emitCall(*expr, state);
  case Expr::Var:
    return;
  }
}

/// Makes a relax.dataflow of the ops of the section.
void Builder::closeDataflow(Section &section) {
  MlirOperation first = mlirBlockGetFirstOperation(inner.get());
  if (mlirOperationIsNull(first)) {
    inner.reset({nullptr});
    return;
  }
  llvm::DenseSet<const void *> used;
  for (auto [expr, field] : section.uses) {
    const State &state = *states.at(expr);
    if (field >= 0 && state.isSplit) {
      if (size_t(field) < state.values.size())
        used.insert(state.values[field].ptr);
    } else {
      for (MlirValue value : state.values)
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
  create("relax.output", unknown, nullptr, 0, outputs);
  MlirOperationState state =
      mlirOperationStateGet(ref("relax.dataflow"), unknown);
  mlirOperationStateAddResults(&state, types.size(), types.data());
  MlirRegion region = inner.release();
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockAppendOwnedOperation(main.get(), op);
  llvm::DenseMap<const void *, MlirValue> outer;
  for (size_t i = 0; i < outputs.size(); ++i)
    outer[outputs[i].ptr] = mlirOperationGetResult(op, i);
  for (Expr *expr : section.order)
    for (MlirValue &value : states.at(expr)->values)
      if (auto found = outer.find(value.ptr); found != outer.end())
        value = found->second;
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

MlirOperation Builder::build(nb::list params, nb::handle body, nb::list blocks,
                             bool isSingle, nb::dict attributes,
                             nb::handle returns, nb::handle location) {
  addParams(params);
  plan(blocks, asExpr(body));
  for (Section &section : sections) {
    if (section.isDataflow)
      inner.reset(mlirBlockCreate(0, nullptr, nullptr));
    for (Expr *expr : section.order)
      emit(expr);
    if (section.isDataflow)
      closeDataflow(section);
    tuples.clear();
  }
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
            "expected a body of type " + print(toType(returns)) +
                ", but found " +
                print(joinTypes(resultTypes.data(), resultTypes.size(),
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

void bindExprBuilder(nb::module_ &m) {
  m.def(
      "build_function",
      [](nb::list params, nb::object body, nb::list blocks, bool isSingle,
         nb::object context, nb::dict attributes, nb::object returns,
         nb::object location, nb::object getCallTypes) {
        if (!asExpr(body))
          raise(PyExc_TypeError,
                "expected the body to be an expression, but found " +
                    typeName(body));
        auto *contextObject = getAs<PyMlirContext>(context);
        if (!contextObject)
          raise(PyExc_TypeError, "expected an mlir.ir.Context");
        MlirOperation op = Builder(context, getCallTypes)
                               .build(params, body, blocks, isSingle,
                                      attributes, returns, location);
        nb::object owner = createOwner(op);
        PyMlirContext::ErrorCapture errors(contextObject->getRef());
        bool isValid = mlirOperationVerify(op);
        std::string said = joinMessages(errors.take());
        if (!isValid)
          raise(PyExc_ValueError, said);
        return owner;
      },
      "params"_a, "body"_a, "blocks"_a, "is_single"_a, "context"_a,
      "attributes"_a, "ret_type"_a.none(), "loc"_a.none(), "get_call_types"_a);
}

} // namespace partita::python
