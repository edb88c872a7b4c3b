//===- Functions.cpp - The functions of a module --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include "Expr.h"
#include "OperationLifetimes.h"
#include "partita-c/Dialects.h"

#include "mlir/Bindings/Python/IRCore.h"

#include <nanobind/stl/string.h>

#include <vector>

using namespace nanobind::literals;
using namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

namespace partita::python {

//===----------------------------------------------------------------------===//
// The functions that Python has
//===----------------------------------------------------------------------===//

/// The object of a weak reference; invalid if the object is gone.
static nb::object follow(PyObject *reference) {
  nb::object object = nb::steal(PyObject_CallNoArgs(reference));
  if (!object.is_valid())
    throw nb::python_error();
  return object.is_none() ? nb::object() : object;
}

FunctionsTable::~FunctionsTable() {
  for (auto [op, reference] : references)
    Py_DECREF(reference);
}

nb::object FunctionsTable::find(MlirOperation op) {
  auto known = references.find(op.ptr);
  nb::object function =
      known == references.end() ? nb::object() : follow(known->second);
  if (!function.is_valid())
    return {};
  PyOperationRef ref = nb::cast<PyOperationBase &>(getFunctionOp(function))
                           .getOperation()
                           .getRef();
  // One that was erased can have the address of another op now.
  return isValid(ref) && ref->get().ptr == op.ptr ? function : nb::object();
}

void FunctionsTable::set(MlirOperation op, nb::handle function) {
  nb::object made = nb::steal(PyWeakref_NewRef(function.ptr(), nullptr));
  if (!made.is_valid())
    throw nb::python_error();
  hideFromCollector(made);
  PyObject *&reference = references[op.ptr];
  Py_XDECREF(reference);
  reference = made.release().ptr();
  if (references.size() >= limit)
    dropDead();
}

nb::object FunctionsTable::pop(MlirOperation op) {
  nb::object function = find(op);
  auto known = references.find(op.ptr);
  if (known != references.end()) {
    Py_DECREF(known->second);
    references.erase(known);
  }
  return function;
}

void FunctionsTable::dropDead() {
  std::vector<void *> dead;
  for (auto [op, reference] : references)
    if (!follow(reference).is_valid())
      dead.push_back(op);
  for (void *op : dead) {
    auto known = references.find(op);
    Py_DECREF(known->second);
    references.erase(known);
  }
  limit = std::max<size_t>(64, 2 * references.size());
}

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

/// An object of a class that Python defines with slots, which are not set yet.
static nb::object allocate(PyObject *type) {
  nb::object made =
      nb::steal(PyType_GenericAlloc(reinterpret_cast<PyTypeObject *>(type), 0));
  if (!made.is_valid())
    throw nb::python_error();
  hideFromCollector(made);
  return made;
}

/// A Function of an OpForm or a PartsForm.
static nb::object createFunction(nb::handle form) {
  static const nb::handle formField = intern("_form"), seq = intern("_seq");
  nb::object made = allocate(relaxTypes.function);
  made.attr(formField) = form;
  made.attr(seq) = nb::none();
  return made;
}

static nb::object createFunctionOfOp(nb::handle op, nb::handle owner) {
  static const nb::handle opField = intern("op"), ownerField = intern("owner"),
                          parts = intern("parts");
  nb::object form = allocate(relaxTypes.opForm);
  form.attr(opField) = op;
  form.attr(ownerField) = owner;
  form.attr(parts) = nb::none();
  return createFunction(form);
}

nb::object createFunctionOfParts(const FunctionFields &fields) {
  static const nb::handle parts = intern("parts"), header = intern("header"),
                          type = intern("ret_type"), location = intern("loc"),
                          context = intern("context"), built = intern("built");
  nb::object form = allocate(relaxTypes.partsForm);
  form.attr(parts) = fields.parts;
  form.attr(header) = fields.header;
  form.attr(type) = fields.type;
  form.attr(location) = fields.location;
  form.attr(context) = fields.context;
  form.attr(built) = nb::none();
  return createFunction(form);
}

nb::object getFunctionForm(nb::handle function) {
  static const nb::handle field = intern("_form");
  return function.attr(field);
}

nb::object getFunctionOp(nb::handle function) {
  static const nb::handle field = intern("op");
  return getFunctionForm(function).attr(field);
}

static bool isRelaxFunc(MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  return llvm::StringRef(name.data, name.length) == "relax.func";
}

/// Whether a function can be an expression in TVM, such as an ExternFunc, which
/// has an opaque op and nothing before it.
static bool canBeValue(MlirOperation op) {
  MlirBlock block = mlirOperationGetNumRegions(op)
                        ? mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))
                        : MlirBlock{nullptr};
  MlirOperation first = mlirBlockIsNull(block)
                            ? MlirOperation{nullptr}
                            : mlirBlockGetFirstOperation(block);
  if (mlirOperationIsNull(first))
    return false;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(first));
  return llvm::StringRef(name.data, name.length) == "relax.opaque_expr";
}

namespace {
/// Makes GlobalVars. No Python code runs.
class GlobalVars {
public:
  explicit GlobalVars(nb::object context) : context(std::move(context)) {}

  nb::object create(MlirOperation op, MlirAttribute symbol);
  /// The type of a function, if it tells the types of calls; else None.
  nb::object getType(MlirOperation op);

private:
  nb::object context;
  /// The Python objects of types: most functions of a module have the same.
  llvm::DenseMap<const void *, nb::object> types;
};
} // namespace

nb::object GlobalVars::getType(MlirOperation op) {
  static const MlirStringRef functionType =
      mlirStringRefCreateFromCString("function_type");
  if (!isRelaxFunc(op))
    return nb::none();
  MlirAttribute attribute = mlirOperationGetAttributeByName(op, functionType);
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAType(attribute))
    return nb::none();
  MlirType type = mlirTypeAttrGetValue(attribute);
  nb::object &known = types[type.ptr];
  if (!known.is_valid())
    known = toPython(type, context);
  return known;
}

nb::object GlobalVars::create(MlirOperation op, MlirAttribute symbol) {
  static const nb::handle name = intern("name_hint"),
                          inModule = intern("_in_module"),
                          type = intern("_type"), isPure = intern("_is_pure");
  static const MlirStringRef pureName =
      mlirStringRefCreateFromCString("is_pure");
  MlirAttribute pure = mlirOperationGetAttributeByName(op, pureName);
  bool isImpure = !mlirAttributeIsNull(pure) && mlirAttributeIsABool(pure) &&
                  !mlirBoolAttrGetValue(pure);
  nb::object made = createEmpty(relaxTypes.globalVar);
  hideFromCollector(made);
  made.attr(name) = toPython(mlirStringAttrGetValue(symbol));
  made.attr(inModule) = nb::bool_(true);
  made.attr(type) = getType(op);
  made.attr(isPure) = nb::bool_(!isImpure);
  return made;
}

/// The GlobalVars and functions of the module `operation`, as pairs in its
/// order. `owner` is its Owner.
static nb::list getFunctions(nb::handle operation, nb::handle owner) {
  PyOperation &module = nb::cast<PyOperationBase &>(operation).getOperation();
  PyMlirContextRef contextRef = module.getContext();
  nb::object context = contextRef.getObject();
  auto &table =
      *nb::inst_ptr<FunctionsTable>(nb::object(owner.attr("functions")));
  GlobalVars vars(context);
  nb::list pairs;
  // The functions that need Python code, which could change the module.
  std::vector<std::pair<size_t, nb::object>> others;
  {
    NoCollection noCollection;
    forEachSymbol(module.get(), [&](MlirOperation op, MlirAttribute symbol) {
      nb::object function = table.find(op);
      if (!function.is_valid()) {
        nb::object object =
            PyOperation::forOperation(contextRef, op, nb::borrow(operation))
                .getObject();
        if (isRelaxFunc(op) && !canBeValue(op)) {
          function = createFunctionOfOp(object, owner);
          table.set(op, function);
        } else {
          others.emplace_back(nb::len(pairs), object);
          function = nb::none();
        }
      }
      nb::tuple pair = nb::make_tuple(vars.create(op, symbol), function);
      hideFromCollector(pair);
      pairs.append(pair);
    });
  }
  for (auto &[index, object] : others)
    pairs[index] =
        nb::make_tuple(nb::object(pairs[index])[0], owner.attr("make")(object));
  return pairs;
}

//===----------------------------------------------------------------------===//
// Single ops
//===----------------------------------------------------------------------===//

/// The ops in a module that have a name.
static nb::list getSymbols(nb::handle operation) {
  PyOperation &module = nb::cast<PyOperationBase &>(operation).getOperation();
  PyMlirContextRef context = module.getContext();
  NoCollection noCollection;
  nb::list symbols;
  forEachSymbol(module.get(), [&](MlirOperation op, MlirAttribute) {
    symbols.append(PyOperation::forOperation(context, op, nb::borrow(operation))
                       .getObject());
  });
  return symbols;
}

/// The attributes of an op, except for some.
static nb::dict getAttributes(nb::handle operation, nb::tuple without) {
  PyOperation &op = nb::cast<PyOperationBase &>(operation).getOperation();
  MlirAttribute attributes = partitaOperationGetAttributes(op.get());
  nb::dict dict;
  for (intptr_t i = 0, e = mlirDictionaryAttrGetNumElements(attributes); i < e;
       ++i) {
    MlirNamedAttribute entry = mlirDictionaryAttrGetElement(attributes, i);
    nb::str name = toPython(mlirIdentifierStr(entry.name));
    if (PySequence_Contains(without.ptr(), name.ptr()) == 0)
      dict[name] =
          PyAttribute(op.getContext(), entry.attribute).maybeDownCast();
  }
  return dict;
}

/// An attribute of an op. Raises a KeyError if it has none of that kind.
static MlirAttribute getAttribute(PyOperation &op, const char *name,
                                  bool (*isA)(MlirAttribute)) {
  MlirAttribute found = mlirOperationGetAttributeByName(
      op.get(), mlirStringRefCreateFromCString(name));
  if (mlirAttributeIsNull(found) || !isA(found))
    raise(PyExc_KeyError,
          std::string("expected an op with the attribute ") + name +
              ", but found " +
              toString(mlirIdentifierStr(mlirOperationGetName(op.get()))));
  return found;
}

static nb::str getSymbolName(nb::handle operation) {
  PyOperation &op = nb::cast<PyOperationBase &>(operation).getOperation();
  return toPython(mlirStringAttrGetValue(
      getAttribute(op, "sym_name", mlirAttributeIsAString)));
}

static nb::object getFunctionType(nb::handle operation) {
  PyOperation &op = nb::cast<PyOperationBase &>(operation).getOperation();
  return PyType(op.getContext(),
                mlirTypeAttrGetValue(
                    getAttribute(op, "function_type", mlirAttributeIsAType)))
      .maybeDownCast();
}

/// Adds the names of functions in an attribute.
static void addSymbols(MlirAttribute attribute, nb::set &names) {
  if (mlirAttributeIsAFlatSymbolRef(attribute))
    names.add(toPython(mlirFlatSymbolRefAttrGetValue(attribute)));
  if (mlirAttributeIsAArray(attribute))
    for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(attribute); ++i)
      addSymbols(mlirArrayAttrGetElement(attribute, i), names);
}

/// The names of the functions that a function calls or has as values.
static nb::set getUsedSymbols(nb::handle operation) {
  nb::set names;
  auto visit = [](MlirOperation op, void *names) {
    for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i)
      addSymbols(mlirOperationGetAttribute(op, i).attribute,
                 *static_cast<nb::set *>(names));
    return MlirWalkResultAdvance;
  };
  mlirOperationWalk(getOp(operation), visit, &names, MlirWalkPreOrder);
  return names;
}

static nb::object orNone(nb::object object) {
  return object.is_valid() ? object : nb::none();
}

void bindFunctions(nb::module_ &m) {
  nb::class_<FunctionsTable>(m, "FunctionsTable")
      .def(nb::init<>())
      .def(
          "find",
          [](FunctionsTable &self, nb::handle operation) {
            return orNone(self.find(getOp(operation)));
          },
          "operation"_a)
      .def(
          "set",
          [](FunctionsTable &self, nb::handle operation, nb::handle function) {
            self.set(getOp(operation), function);
          },
          "operation"_a, "function"_a)
      .def(
          "pop",
          [](FunctionsTable &self, nb::handle operation) {
            return orNone(self.pop(getOp(operation)));
          },
          "operation"_a);
  m.def("get_functions", getFunctions, "operation"_a, "owner"_a);
  m.def(
      "get_global_var",
      [](nb::handle operation) {
        PyOperation &op = nb::cast<PyOperationBase &>(operation).getOperation();
        return GlobalVars(op.getContext().getObject())
            .create(op.get(),
                    getAttribute(op, "sym_name", mlirAttributeIsAString));
      },
      "operation"_a);
  m.def(
      "get_type_of_calls",
      [](nb::handle operation) {
        PyOperation &op = nb::cast<PyOperationBase &>(operation).getOperation();
        return GlobalVars(op.getContext().getObject()).getType(op.get());
      },
      "operation"_a);
  m.def("get_symbol_name", getSymbolName, "operation"_a);
  m.def("get_function_type", getFunctionType, "operation"_a);
  m.def("get_symbols", getSymbols, "operation"_a);
  m.def("get_used_symbols", getUsedSymbols, "operation"_a);
  m.def(
      "is_reshape",
      [](nb::handle operation) {
        return partitaOperationIsReshape(getOp(operation));
      },
      "operation"_a);
  m.def("get_attributes", getAttributes, "operation"_a, "without"_a);
}

} // namespace partita::python
