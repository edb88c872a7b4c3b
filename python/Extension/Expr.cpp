//===- Expr.cpp - Expressions of Relax ------------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expr.h"

#include "partita-c/Dialects.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include "llvm/ADT/STLExtras.h"

#include <nanobind/stl/string.h>

using namespace nanobind::literals;
using namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

namespace partita::python {

RelaxTypes relaxTypes;

PyObject *getOps() {
  static PyObject *ops =
      nb::object(nb::handle(relaxTypes.op).attr("_all")).release().ptr();
  return ops;
}

//===----------------------------------------------------------------------===//
// Types, attributes and contexts
//===----------------------------------------------------------------------===//

nb::object getContextObject(MlirContext context) {
  return PyMlirContext::forContext(context).getObject();
}

static PyMlirContextRef getContextRef(nb::handle context) {
  return nb::inst_ptr<PyMlirContext>(context)->getRef();
}

nb::object toPython(MlirType type, nb::handle context) {
  return PyType(getContextRef(context), type).maybeDownCast();
}

nb::object toPython(MlirAttribute attribute, nb::handle context) {
  return PyAttribute(getContextRef(context), attribute).maybeDownCast();
}

MlirType toType(nb::handle object) { return nb::cast<PyType &>(object).get(); }

MlirAttribute toAttribute(nb::handle object) {
  return nb::cast<PyAttribute &>(object).get();
}

MlirType joinTypes(const MlirType *begin, size_t count, MlirContext context) {
  return count == 1 ? *begin : mlirTupleTypeGet(context, count, begin);
}

MlirAttribute toDictionary(nb::handle dict, MlirContext context) {
  std::vector<MlirNamedAttribute> entries;
  for (auto [name, value] : nb::cast<nb::dict>(dict))
    entries.push_back(mlirNamedAttributeGet(
        mlirIdentifierGet(context, wrap(toString(name))), toAttribute(value)));
  if (entries.empty())
    return {nullptr};
  return mlirDictionaryAttrGet(context, entries.size(), entries.data());
}

std::string
joinMessages(const std::vector<PyDiagnostic::DiagnosticInfo> &errors) {
  std::string text;
  for (const PyDiagnostic::DiagnosticInfo &error : errors)
    text += (text.empty() ? "" : "; ") + error.message;
  return text;
}

//===----------------------------------------------------------------------===//
// Expr
//===----------------------------------------------------------------------===//

void Expr::setElements(MlirAttribute value) {
  attribute = value;
  elements = partitaElementsCreate(value);
}

void Expr::setTypes(const MlirType *begin, size_t count) {
  isTyped = true;
  numTypes = count;
  if (count == 1)
    type = *begin;
  else
    types.assign(begin, begin + count);
}

bool Expr::hasTypesOf(const Expr &other) const {
  return isTyped == other.isTyped && numTypes == other.numTypes &&
         std::equal(typesBegin(), typesEnd(), other.typesBegin(),
                    mlirTypeEqual);
}

MlirContext Expr::getContext() const {
  return partita::python::getContext(context);
}

void Expr::setContext(nb::handle object) {
  context = nb::borrow(object).release().ptr();
}

MlirType Expr::getType() const {
  if (!isTyped && kind == Var)
    raise(PyExc_ValueError,
          "expected the Var '" + toString(nb::handle(object)) +
              "' to have a type, or a value from a binding before it is used");
  if (!isTyped)
    raise(PyExc_ValueError,
          "expected the type of the expression to be known, but it depends on "
          "the call of a function outside of a module; give the call "
          "sinfo_args");
  return numTypes == 1 ? type : joinTypes(types.data(), numTypes, getContext());
}

MlirLocation Expr::getLocation(MlirContext context) const {
  if (location.ptr &&
      mlirContextEqual(mlirLocationGetContext(location), context))
    return location;
  return mlirLocationUnknownGet(context);
}

void Expr::addArgs(nb::handle tuple) {
  for (nb::handle arg : nb::cast<nb::tuple>(tuple))
    addArg(arg);
}

Expressions::~Expressions() {
  if (table.is_none())
    return;
  auto &expressions = nb::inst_ptr<ExpressionsTable>(table)->expressions;
  auto found = expressions.find(function);
  if (found != expressions.end() && found->second == this)
    expressions.erase(found);
}

llvm::ArrayRef<PyObject *> getChildren(const Expr &expr) {
  llvm::ArrayRef<PyObject *> args(expr.args);
  if (getFunction(expr))
    return {};
  if (expr.kind == Expr::Call && !args.empty() && !asExpr(args[0]))
    return args.drop_front();
  return args;
}

bool isValueCall(const Expr &expr) {
  static PyObject *op = PyDict_GetItemString(getOps(), "relax.call_value");
  return expr.kind == Expr::Call && expr.object == op && expr.getNumArgs();
}

/// The name of the function of the module that `expr` is; null for others.
static MlirAttribute getSymbol(const Expr &expr) {
  static PyObject *op = PyDict_GetItemString(getOps(), "relax.global");
  if (expr.kind != Expr::Call || expr.object != op || !expr.attribute.ptr)
    return {nullptr};
  MlirAttribute symbol = mlirDictionaryAttrGetElementByName(
      expr.attribute, mlirStringRefCreateFromCString("value"));
  bool isSymbol =
      !mlirAttributeIsNull(symbol) && mlirAttributeIsAFlatSymbolRef(symbol);
  return isSymbol ? symbol : MlirAttribute{nullptr};
}

bool isGlobal(const Expr &expr) { return getSymbol(expr).ptr; }

nb::object getGlobal(const Expr &expr) {
  MlirAttribute symbol = getSymbol(expr);
  if (!symbol.ptr)
    return {};
  return nb::borrow(relaxTypes.globalVar)(
      toPython(mlirFlatSymbolRefAttrGetValue(symbol)));
}

nb::object lift(nb::object value) {
  if (Expr *expr = asExpr(value))
    return nb::borrow(expr->self);
  return nb::borrow(relaxTypes.lift)(value);
}

static void setLocation(Expr &expr, nb::handle location) {
  MlirLocation found = {nullptr};
  nb::object context;
  if (!location.is_none()) {
    auto *object = getAs<PyLocation>(location);
    if (!object)
      raise(PyExc_TypeError,
            "expected a span to be an mlir.ir.Location, but found " +
                typeName(location));
    found = object->get();
    context = object->getContext().getObject();
  }
  expr.location = found;
  Py_XDECREF(std::exchange(expr.locationContext, context.release().ptr()));
}

/// The context of `expr`, as a Python object; the result of get_context() if
/// the type of `expr` is not known.
static nb::object findContext(const Expr &expr) {
  return expr.context ? nb::borrow(expr.context)
                      : nb::borrow(relaxTypes.getContext)();
}

nb::object createTuple(llvm::ArrayRef<PyObject *> fields, MlirLocation location,
                       nb::handle context) {
  Expr *tuple = createExpr(Expr::Tuple);
  nb::object result = steal(tuple);
  for (PyObject *field : fields)
    tuple->addArg(field);
  tuple->location = location;
  std::vector<MlirType> types;
  for (size_t i = 0, e = tuple->getNumArgs(); i < e; ++i) {
    Expr *field = asExpr(tuple->getArg(i));
    if (!field || !field->isTyped)
      return result;
    types.push_back(field->getType());
  }
  tuple->setContext(context);
  MlirType type =
      mlirTupleTypeGet(tuple->getContext(), types.size(), types.data());
  tuple->setTypes(&type, 1);
  return result;
}

/// Gives a TupleGetItem the type of its field.
static void setFieldType(Expr &item) {
  Expr *value = asExpr(item.getArg(0));
  if (!value->isTyped)
    return;
  const MlirType *types = value->typesBegin();
  bool isTuple = value->numTypes == 1;
  if (isTuple && !mlirTypeIsATuple(*types))
    raise(PyExc_TypeError,
          "expected a tuple to take a field of, but found " + toString(*types));
  int64_t count = isTuple ? mlirTupleTypeGetNumTypes(*types) : value->numTypes;
  if (item.index < 0 || item.index >= count)
    raise(relaxTypes.fieldError, "expected one of " + std::to_string(count) +
                                     " fields, but found " +
                                     std::to_string(item.index));
  MlirType type =
      isTuple ? mlirTupleTypeGetType(*types, item.index) : types[item.index];
  item.setTypes(&type, 1);
  item.setContext(value->context);
}

nb::object createTupleGetItem(nb::handle value, int64_t index,
                              MlirLocation location) {
  Expr *item = createExpr(Expr::TupleGetItem);
  nb::object result = steal(item);
  item->addArg(value);
  item->index = index;
  item->location = location;
  setFieldType(*item);
  return result;
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

static nb::object getTypes(const Expr &expr) {
  if (!expr.isTyped)
    return nb::none();
  nb::object types = nb::steal(PyTuple_New(expr.numTypes));
  for (size_t i = 0; i < expr.numTypes; ++i)
    PyTuple_SET_ITEM(
        types.ptr(), i,
        toPython(expr.typesBegin()[i], expr.context).release().ptr());
  return types;
}

/// An expression and its value are equal, so that each is found by the other.
static Py_hash_t hashExpr(PyObject *self) {
  Expr *expr = asExpr(self);
  return _Py_HashPointer(expr ? expr->self : self);
}

static PyObject *compareExprs(PyObject *a, PyObject *b, int op) {
  Expr *expr = asExpr(a), *other = asExpr(b);
  if ((op != Py_EQ && op != Py_NE) || !expr || !other)
    return Py_NewRef(Py_NotImplemented);
  bool isEqual = expr == other;
  return Py_NewRef(isEqual == (op == Py_EQ) ? Py_True : Py_False);
}

static PyType_Slot exprSlots[] = {
    {Py_tp_hash, reinterpret_cast<void *>(hashExpr)},
    {Py_tp_richcompare, reinterpret_cast<void *>(compareExprs)},
    {0, nullptr}};

static nb::object getLocationObject(const Expr &expr) {
  if (!expr.location.ptr)
    return nb::none();
  PyMlirContextRef context =
      PyMlirContext::forContext(mlirLocationGetContext(expr.location));
  return nb::cast(PyLocation(context, expr.location));
}

static nb::dict getCallAttributes(const Expr &expr) {
  nb::dict dict;
  for (intptr_t i = 0,
                e = expr.attribute.ptr
                        ? mlirDictionaryAttrGetNumElements(expr.attribute)
                        : 0;
       i < e; ++i) {
    MlirNamedAttribute entry = mlirDictionaryAttrGetElement(expr.attribute, i);
    dict[toPython(mlirIdentifierStr(entry.name))] =
        toPython(entry.attribute, expr.context);
  }
  return dict;
}

/// Expr(kind, span, types, object, args, attribute, index); the Python classes
/// have checked the arguments.
static void initialize(nb::handle self, int kind, nb::handle span,
                       nb::object types, nb::object object, nb::object args,
                       nb::object attribute, int64_t index) {
  Expr *expr = new (getExprIn(self)) Expr();
  expr->self = self.ptr();
  expr->kind = static_cast<Expr::Kind>(kind);
  if (llvm::is_contained(relaxTypes.classes, self.type().ptr()))
    hideFromCollector(self);
  // From here on, the destructor frees it if something raises.
  nb::inst_mark_ready(self);
  setLocation(*expr, span);
  expr->index = index;
  if (!object.is_none())
    expr->object = object.release().ptr();
  if (!args.is_none())
    expr->addArgs(args);
  std::vector<MlirType> given;
  nb::object context;
  if (!types.is_none())
    for (nb::handle type : types) {
      given.push_back(toType(type));
      context = nb::cast<PyType &>(type).getContext().getObject();
    }
  switch (expr->kind) {
  case Expr::Constant:
    expr->setElements(toAttribute(attribute));
    [[fallthrough]];
  case Expr::Var:
  case Expr::Tuple:
  case Expr::If:
  case Expr::SeqExpr:
    if (!types.is_none()) {
      expr->setContext(context);
      expr->setTypes(given.data(), given.size());
    }
    return;
  case Expr::TupleGetItem:
    return setFieldType(*expr);
  case Expr::Call: {
    // A pair of a context and a dict.
    context = attribute[0];
    expr->attribute = toDictionary(attribute[1], getContext(context));
    return setCallTypes(*expr, types.is_none() ? nullptr : &given, context);
  }
  }
}

nb::object getExpressions(nb::handle function, nb::object owner) {
  static const nb::handle field = intern("expressions");
  nb::object table = owner.attr(field);
  MlirOperation op = getOp(function);
  auto &expressions = nb::inst_ptr<ExpressionsTable>(table)->expressions;
  Expressions *&known = expressions[op.ptr];
  if (known)
    return nb::find(*known);
  auto *made = new Expressions();
  made->owner = std::move(owner);
  made->table = nb::borrow(table);
  made->function = op.ptr;
  MlirAttribute name = mlirOperationGetAttributeByName(
      op, mlirStringRefCreateFromCString("sym_name"));
  if (!mlirAttributeIsNull(name) && mlirAttributeIsAString(name))
    made->functionName = toPython(mlirStringAttrGetValue(name));
  known = made;
  return nb::cast(made, nb::rv_policy::take_ownership);
}

/// What an expression is made of, and where it is.
static void bindParts(nb::class_<Expr> &expr) {
  expr.def(
          "__init__",
          [](nb::pointer_and_handle<Expr> self, int kind, nb::object span,
             nb::object types, nb::object object, nb::object args,
             nb::object attribute, int64_t index) {
            initialize(self.h, kind, span, std::move(types), std::move(object),
                       std::move(args), std::move(attribute), index);
          },
          "kind"_a, "span"_a.none() = nb::none(), "types"_a.none() = nb::none(),
          "object"_a.none() = nb::none(), "args"_a.none() = nb::none(),
          "attribute"_a.none() = nb::none(), "index"_a = 0)
      .def_prop_ro("_types", getTypes)
      .def_prop_ro("_type",
                   [](const Expr &self) {
                     MlirType type = self.getType();
                     return toPython(type, self.context);
                   })
      .def_prop_ro("_context", findContext)
      .def_prop_ro(
          "_has_results",
          [](const Expr &self) { return self.isTyped && self.numTypes != 0; })
      .def("_set_name",
           [](Expr &self, nb::str name, bool isDataflow) {
             self.putInBlock(isDataflow);
             MlirContext context =
                 partita::python::getContext(findContext(self));
             self.location =
                 mlirLocationNameGet(context, wrap(toString(name)),
                                     mlirLocationUnknownGet(context));
             Py_CLEAR(self.locationContext);
           })
      .def("_put_in_block",
           [](Expr &self, bool isDataflow) { self.putInBlock(isDataflow); })
      .def_prop_rw("loc", getLocationObject, setLocation,
                   nb::for_setter(nb::arg("location").none()))
      .def_prop_ro("_index", [](const Expr &self) { return self.index; })
      .def_prop_ro("_own_value", &Expr::getValue)
      .def_prop_ro("_scope", [](const Expr &self) { return int(self.scope); })
      .def_prop_ro("_owner",
                   [](const Expr &self) -> nb::object {
                     return self.source
                                ? nb::inst_ptr<Expressions>(self.source)->owner
                                : nb::none();
                   })
      .def_prop_ro("_value",
                   [](const Expr &self) {
                     return toPython(self.attribute, self.context);
                   })
      .def_prop_ro("_attrs", getCallAttributes)
      .def_prop_ro("_is_pure", [](Expr &self) {
        if (self.kind != Expr::Call || !self.isTyped)
          raise(PyExc_TypeError, "expected a Call with a type");
        return isPure(self);
      });
}

static void declareRelaxTypes() {
  const char *kinds[Expr::numKinds] = {
      "Var", "Constant", "Tuple", "TupleGetItem", "Call", "If", "SeqExpr"};
  for (auto [index, name] : llvm::enumerate(kinds))
    declareKnown(name, &relaxTypes.classes[index]);
  for (auto [index, value] : llvm::enumerate(valueOps))
    declareKnown(value.second, &relaxTypes.classes[Expr::numKinds + index]);
  const std::pair<const char *, PyObject **> others[] = {
      {"Op", &relaxTypes.op},
      {"GlobalVar", &relaxTypes.globalVar},
      {"Function", &relaxTypes.function},
      {"OpForm", &relaxTypes.opForm},
      {"PartsForm", &relaxTypes.partsForm},
      {"BindingBlock", &relaxTypes.bindingBlock},
      {"DataflowBlock", &relaxTypes.dataflowBlock},
      {"Parts", &relaxTypes.parts},
      {"CallError", &relaxTypes.callError},
      {"FieldError", &relaxTypes.fieldError},
      {"lift", &relaxTypes.lift},
      {"get_context", &relaxTypes.getContext},
      {"in_context", &relaxTypes.inContext},
      {"call_types", &relaxTypes.calleeTypes},
      {"remake_call", &relaxTypes.remakeCall},
      {"rebind", &relaxTypes.rebind},
      {"describe_expr", &relaxTypes.describeExpr}};
  for (auto [name, slot] : others)
    declareKnown(name, slot);
}

void bindExpr(nb::module_ &m) {
  nb::class_<Expressions>(m, "Expressions");
  nb::class_<ExpressionsTable>(m, "ExpressionsTable")
      .def(nb::init<>())
      .def(
          "remove",
          [](ExpressionsTable &self, nb::handle function) {
            self.expressions.erase(getOp(function).ptr);
          },
          "function"_a);
  nb::class_<Expr> expr(m, "Expr", nb::type_slots(exprSlots));
  manageMemory(reinterpret_cast<PyTypeObject *>(expr.ptr()));
  bindParts(expr);
  bindOperands(expr);
  m.def(
      "describe",
      [](nb::handle node) {
        return nb::str(nb::borrow(relaxTypes.describeExpr)(node));
      },
      nb::is_method());
  m.def(
      "hide_function",
      [](nb::handle function) {
        if (function.type().is(relaxTypes.function))
          hideFromCollector(function);
      },
      "function"_a);
  m.def(
      "hide_form",
      [](nb::handle form, nb::handle parts) {
        hideFromCollector(form);
        if (!parts.is_none())
          hidePartsFromCollector(parts);
      },
      "form"_a, "parts"_a.none());
  m.def(
      "to_variable",
      [](nb::object value) { return nb::borrow(Expr::toVariable(value)); },
      "value"_a);
  m.def(
      "put_in_block",
      [](nb::handle exprs, bool isDataflow) {
        for (nb::handle object : exprs)
          if (Expr *expr = asExpr(object))
            expr->putInBlock(isDataflow);
      },
      "exprs"_a, "is_dataflow"_a);
  m.def("try_call", [](nb::handle op, nb::tuple args) {
    nb::object call = tryCall(op, args.ptr());
    return call.is_valid() ? call : nb::none();
  });
  m.def("make_call", [](nb::args args, nb::kwargs options) {
    return nb::borrow(relaxTypes.classes[Expr::Call])(*args, **options);
  });
  m.def(
      "make_field",
      [](nb::handle tuple, nb::handle index) {
        return nb::borrow(relaxTypes.classes[Expr::TupleGetItem])(tuple, index);
      },
      "tuple"_a, "index"_a);
  declareRelaxTypes();
}

} // namespace partita::python
