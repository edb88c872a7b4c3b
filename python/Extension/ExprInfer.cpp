//===- ExprInfer.cpp - The types of calls ---------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op is made of the operands' types, verified, read and erased. Results are
// kept, as a model calls an op with the same types again and again.
//
//===----------------------------------------------------------------------===//

#include "Expr.h"

#include "partita-c/Dialects.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <nanobind/stl/string.h>

#include <deque>
#include <unordered_map>

using namespace nanobind::literals;
using namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

namespace partita::python {

namespace {

using Key = std::vector<uintptr_t>;

constexpr size_t maxKnown = 1 << 14;

struct HashKey {
  size_t operator()(const Key &key) const {
    size_t hash = key.size();
    for (uintptr_t part : key)
      hash = (hash ^ (part >> 4)) * size_t(0x9E3779B97F4A7C15);
    return hash;
  }
};

/// The inferred types of one context; guarded by the GIL.
struct Known {
  nb::object context;
  std::unordered_map<Key, Inferred, HashKey> results;
  /// The attributes that an op has when none are given, by name. MLIR's C API
  /// infers types from properties without defaults, which ops don't expect.
  std::unordered_map<std::string, MlirAttribute> defaults;
  /// Types, by their text.
  std::unordered_map<std::string, nb::object> types;
};

/// An op that is erased at the end of the scope.
struct ScopedOp {
  explicit ScopedOp(MlirOperationState &state)
      : op(mlirOperationCreate(&state)) {}
  explicit ScopedOp(MlirOperation op) : op(op) {}
  ScopedOp(const ScopedOp &) = delete;
  ~ScopedOp() {
    if (op.ptr)
      mlirOperationDestroy(op);
  }
  MlirOperation op;
};

/// Ops for operands of an op that is not in a module.
struct Sources {
  Sources() = default;
  Sources(const Sources &) = delete;
  /// Ops that use others come first.
  ~Sources() {
    while (!ops.empty())
      ops.pop_back();
  }
  void add(const Operand &operand, MlirLocation location);

  std::deque<ScopedOp> ops;
  std::vector<MlirValue> values;
};

} // namespace

static Known &getKnown(nb::handle context) {
  // Never freed: the interpreter may be gone when static objects are.
  static Known *known = new Known();
  if (!known->context.is(context)) {
    *known = Known();
    known->context = nb::borrow(context);
  }
  return *known;
}

static MlirAttribute addDefaults(Known &known, const std::string &name,
                                 MlirAttribute attributes,
                                 MlirLocation location) {
  auto [found, isNew] = known.defaults.try_emplace(name);
  if (isNew) {
    MlirOperationState state = mlirOperationStateGet(wrap(name), location);
    ScopedOp scoped(state);
    found->second = partitaOperationGetAttributes(scoped.op);
  }
  MlirAttribute defaults = found->second;
  intptr_t count = mlirDictionaryAttrGetNumElements(defaults);
  if (!attributes.ptr || count == 0)
    return attributes.ptr ? attributes : defaults;
  std::vector<MlirNamedAttribute> entries;
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute entry = mlirDictionaryAttrGetElement(defaults, i);
    if (mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(
            attributes, mlirIdentifierStr(entry.name))))
      entries.push_back(entry);
  }
  for (intptr_t i = 0, e = mlirDictionaryAttrGetNumElements(attributes); i < e;
       ++i)
    entries.push_back(mlirDictionaryAttrGetElement(attributes, i));
  return mlirDictionaryAttrGet(mlirAttributeGetContext(attributes),
                               entries.size(), entries.data());
}

OpInfo getOpInfo(nb::handle op) {
  // The ops of Relax live as long as the process.
  static auto &known = *new llvm::DenseMap<PyObject *, OpInfo>();
  auto found = known.find(op.ptr());
  if (found != known.end())
    return found->second;
  nb::object name = op.attr("name");
  Py_ssize_t size = 0;
  const char *text = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
  if (!text)
    throw nb::python_error();
  OpInfo info{llvm::StringRef(text, size),
              nb::cast<bool>(op.attr("infers_type"))};
  if (PyDict_GetItemWithError(getOps(), name.ptr()) == op.ptr())
    known[op.ptr()] = info;
  return info;
}

static std::string getOpName(nb::handle op) { return getOpInfo(op).name.str(); }

static void addAttributes(MlirOperationState &state, MlirAttribute attributes) {
  intptr_t count =
      attributes.ptr ? mlirDictionaryAttrGetNumElements(attributes) : 0;
  for (intptr_t i = 0; i < count; ++i) {
    MlirNamedAttribute entry = mlirDictionaryAttrGetElement(attributes, i);
    mlirOperationStateAddAttributes(&state, 1, &entry);
  }
}

void Sources::add(const Operand &operand, MlirLocation location) {
  Sources inner;
  for (const Operand &field : operand.fields)
    inner.add(field, location);
  bool isTuple =
      !operand.fields.empty() || (mlirTypeIsATuple(operand.type) &&
                                  mlirTupleTypeGetNumTypes(operand.type) == 0);
  std::string name = operand.op ? getOpName(operand.op)
                     : isTuple  ? "relax.tuple"
                                : "builtin.unrealized_conversion_cast";
  MlirOperationState state = mlirOperationStateGet(
      wrap(name), operand.location.ptr ? operand.location : location);
  mlirOperationStateAddOperands(&state, inner.values.size(),
                                inner.values.data());
  mlirOperationStateAddResults(&state, 1, &operand.type);
  addAttributes(state, operand.attributes);
  // The operands of an op are erased after it.
  for (ScopedOp &op : inner.ops)
    ops.emplace_back(std::exchange(op.op, {nullptr}));
  values.push_back(mlirOperationGetResult(ops.emplace_back(state).op, 0));
}

static Inferred compute(Known &known, const std::string &name,
                        const std::vector<Operand> &operands,
                        MlirAttribute attributes,
                        const std::vector<MlirType> *results) {
  MlirContext context = getContext(known.context);
  MlirLocation location = mlirLocationUnknownGet(context);
  attributes = addDefaults(known, name, attributes, location);
  Sources sources;
  for (const Operand &operand : operands)
    sources.add(operand, location);
  MlirOperationState state = mlirOperationStateGet(wrap(name), location);
  mlirOperationStateAddOperands(&state, sources.values.size(),
                                sources.values.data());
  addAttributes(state, attributes);
  if (results)
    mlirOperationStateAddResults(&state, results->size(), results->data());
  else
    mlirOperationStateEnableResultTypeInference(&state);
  PyMlirContext::ErrorCapture errors(
      nb::inst_ptr<PyMlirContext>(known.context)->getRef());
  ScopedOp scoped(state);
  if (!scoped.op.ptr || !mlirOperationVerify(scoped.op)) {
    std::string said = joinMessages(errors.take());
    std::string prefix = "'" + name + "' op ";
    if (said.compare(0, prefix.size(), prefix) == 0)
      said.erase(0, prefix.size());
    if (said.empty())
      said = "expected other operands";
    raise(relaxTypes.callError, name + ": " + said);
  }
  (void)errors.take();
  Inferred found;
  for (intptr_t i = 0, e = mlirOperationGetNumResults(scoped.op); i < e; ++i)
    found.types.push_back(
        mlirValueGetType(mlirOperationGetResult(scoped.op, i)));
  found.attributes = partitaOperationGetAttributes(scoped.op);
  if (mlirDictionaryAttrGetNumElements(found.attributes) == 0)
    found.attributes = {nullptr};
  return found;
}

const Inferred &inferTypes(nb::handle op, const std::vector<Operand> &operands,
                           MlirAttribute attributes,
                           const std::vector<MlirType> *results,
                           nb::handle context) {
  Known &known = getKnown(context);
  static Key key;
  auto add = [](const void *part) {
    key.push_back(reinterpret_cast<uintptr_t>(part));
  };
  key.clear();
  key.push_back(results ? results->size() + 1 : 0);
  add(op.ptr());
  add(attributes.ptr);
  for (size_t i = 0; results && i < results->size(); ++i)
    add((*results)[i].ptr);
  auto addOperand = [&](const Operand &operand) {
    add(operand.type.ptr);
    if (operand.location.ptr)
      add(operand.location.ptr);
    if (operand.op) {
      add(operand.op);
      add(operand.attributes.ptr);
    }
  };
  for (const Operand &operand : operands) {
    addOperand(operand);
    for (const Operand &field : operand.fields)
      addOperand(field);
  }
  auto found = known.results.find(key);
  if (found != known.results.end())
    return found->second;
  if (known.results.size() >= maxKnown)
    known.results.clear();
  Key added = key;
  Inferred made = compute(known, getOpName(op), operands, attributes, results);
  // An op of Relax lives as long as the process, as its address must here.
  op.inc_ref();
  return known.results.insert_or_assign(std::move(added), std::move(made))
      .first->second;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static PyObject *findOp(const char *name) {
  return PyDict_GetItemString(getOps(), name);
}

Operand::Operand(const Expr &expr) : type(expr.getType()) {
  static PyObject *values[] = {findOp("relax.prim_value"), findOp("relax.dim"),
                               findOp("relax.dtype"),
                               findOp("relax.null_value")};
  static PyObject *shapes[] = {findOp("relax.shape"), findOp("relax.shape_of")};
  static MlirTypeID shapeType = partitaShapeTypeGetTypeID();
  if (expr.kind == Expr::Tuple) {
    for (size_t i = 0, e = expr.getNumArgs(); i < e; ++i) {
      Expr *field = asExpr(expr.getArg(i));
      bool isCall = field && field->kind == Expr::Call && field->isTyped;
      if (!isCall || !fields.emplace_back(*field).op) {
        fields.clear();
        break;
      }
    }
  } else if (expr.kind == Expr::Call &&
             llvm::is_contained(values, expr.object)) {
    op = expr.object;
    attributes = expr.attribute;
  } else if (mlirTypeIDEqual(mlirTypeGetTypeID(type), shapeType) &&
             !(expr.kind == Expr::Call &&
               llvm::is_contained(shapes, expr.object))) {
    MlirContext context = expr.getContext();
    location = expr.getLocation(context);
    if (expr.kind == Expr::Var)
      location = mlirLocationNameGet(
          context, wrap(toString(nb::handle(expr.object))), location);
  }
}

void setCallTypes(Expr &call, const std::vector<MlirType> *types,
                  nb::handle context) {
  if (types)
    call.setTypes(types->data(), types->size());
  call.setContext(context);
  std::vector<Operand> operands;
  for (size_t i = 0, e = call.getNumArgs(); i < e; ++i) {
    Expr *arg = asExpr(call.getArg(i));
    if (arg && !arg->isTyped)
      return;
    if (arg)
      operands.push_back(Operand(*arg));
  }
  nb::handle op = call.object;
  if (!PyObject_TypeCheck(op.ptr(), (PyTypeObject *)relaxTypes.op)) {
    nb::object type = op.attr("_type");
    if (types || type.is_none())
      return;
    nb::list arguments;
    for (const Operand &operand : operands)
      arguments.append(toPython(operand.type, context));
    std::vector<MlirType> results;
    for (nb::handle result :
         nb::borrow(relaxTypes.calleeTypes)(op, type, arguments))
      results.push_back(toType(result));
    call.setTypes(results.data(), results.size());
  } else if (getOpInfo(op).infersType) {
    const Inferred &found =
        inferTypes(op, operands, call.attribute, types, context);
    call.attribute = found.attributes;
    call.setTypes(found.types.data(), found.types.size());
  } else if (!types) {
    raise(PyExc_TypeError, "expected sinfo_args, the types of the results of " +
                               getOpName(op) + ", but found none");
  }
}

bool isPure(const Expr &call) {
  MlirLocation location = mlirLocationUnknownGet(call.getContext());
  Sources sources;
  for (size_t i = 0, e = call.getNumArgs(); i < e; ++i)
    if (Expr *arg = asExpr(call.getArg(i)))
      sources.add(Operand(*arg), location);
  std::string name = getOpName(call.object);
  MlirOperationState state = mlirOperationStateGet(wrap(name), location);
  mlirOperationStateAddOperands(&state, sources.values.size(),
                                sources.values.data());
  addAttributes(state, call.attribute);
  mlirOperationStateAddResults(&state, call.numTypes, call.typesBegin());
  ScopedOp scoped(state);
  return scoped.op.ptr && partitaOperationIsPure(scoped.op);
}

nb::object tryCall(nb::handle op, PyObject *args) {
  std::vector<Operand> operands;
  Expr *first = nullptr;
  size_t count = PyTuple_GET_SIZE(args);
  for (size_t i = 0; i < count; ++i) {
    Expr *arg = asExpr(PyTuple_GET_ITEM(args, i));
    if (!arg || !arg->isTyped || !arg->context ||
        (first && first->context != arg->context))
      return {};
    first = first ? first : arg;
    operands.push_back(Operand(*arg));
  }
  if (!first)
    return {};
  const Inferred &found =
      inferTypes(op, operands, {nullptr}, nullptr, first->context);
  Expr *call = createExpr(Expr::Call);
  nb::object result = steal(call);
  call->attribute = found.attributes;
  call->setTypes(found.types.data(), found.types.size());
  call->object = nb::borrow(op).release().ptr();
  call->addArgs(args);
  call->setContext(first->context);
  return result;
}

/// Whether the types of a call can depend on the value of `arg`.
static bool hasValue(const Expr &arg) {
  if (!arg.isTyped)
    return false;
  Operand operand(arg);
  return operand.op || operand.location.ptr || !operand.fields.empty();
}

nb::object callWithArgs(Expr &call, nb::object args, nb::handle op) {
  bool isSame = op.is(call.object) || nb::handle(call.object).equal(op);
  size_t count = PyTuple_GET_SIZE(args.ptr());
  bool hasSameTypes = isSame && count == call.getNumArgs();
  for (size_t i = 0; hasSameTypes && i < count; ++i) {
    PyObject *now = PyTuple_GET_ITEM(args.ptr(), i), *before = call.getArg(i);
    Expr *newArg = asExpr(now), *oldArg = asExpr(before);
    hasSameTypes =
        now == before || (newArg && oldArg && newArg->hasTypesOf(*oldArg) &&
                          newArg->context == oldArg->context &&
                          !hasValue(*newArg) && !hasValue(*oldArg));
  }
  if (!hasSameTypes)
    return nb::borrow(relaxTypes.remakeCall)(nb::handle(call.self), args, op);
  Expr *copy = createExpr(Expr::Call);
  nb::object result = steal(copy);
  copy->object = nb::borrow(op).release().ptr();
  copy->addArgs(args);
  copy->attribute = call.attribute;
  copy->location = call.location;
  copy->locationContext = nb::borrow(call.locationContext).release().ptr();
  if (call.isTyped)
    copy->setTypes(call.typesBegin(), call.numTypes);
  copy->context = nb::borrow(call.context).release().ptr();
  return result;
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

void bindExprInfer(nb::module_ &m) {
  m.def(
      "parse_type",
      [](const std::string &text, nb::object context) {
        auto *contextObject = getAs<PyMlirContext>(context);
        if (!contextObject)
          raise(PyExc_TypeError, "expected an mlir.ir.Context");
        Known &known = getKnown(context);
        auto found = known.types.find(text);
        if (found != known.types.end())
          return found->second;
        PyMlirContext::ErrorCapture errors(contextObject->getRef());
        MlirType type = mlirTypeParseGet(contextObject->get(), wrap(text));
        std::string said = joinMessages(errors.take());
        if (mlirTypeIsNull(type))
          raise(PyExc_ValueError, said);
        nb::object object = toPython(type, context);
        if (known.types.size() >= maxKnown)
          known.types.clear();
        known.types.emplace(text, object);
        return object;
      },
      "text"_a, "context"_a);
}

} // namespace partita::python
