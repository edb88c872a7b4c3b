//===- ExprTypes.cpp - The parts of Relax's types -------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Access to types and shapes of Relax that MLIR's Python package lacks. The
// classes that users see are in partita/ir/types.py.
//
//===----------------------------------------------------------------------===//

#include "Expr.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"
#include "llvm/ADT/StringExtras.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace nanobind::literals;
using namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

namespace partita::python {

/// The classes of names, of names in a function of a module, of expressions and
/// of numbers that are sizes: partita/ir/prim.py.
static PyObject *nameClass = nullptr, *functionNameClass = nullptr,
                *exprClass = nullptr, *numberClass = nullptr;

/// An object of `type`, a subclass of `base`, made of `value`. No Python code
/// runs: the class may have a constructor of its own.
static nb::object makeOf(PyTypeObject &base, PyObject *type,
                         const nb::object &value) {
  nb::object made =
      nb::steal(value.is_valid() && type
                    ? base.tp_new(reinterpret_cast<PyTypeObject *>(type),
                                  nb::make_tuple(value).ptr(), nullptr)
                    : nullptr);
  if (!made.is_valid())
    throw nb::python_error();
  return made;
}

/// An object of these classes, or None. `function` is the name of the function
/// that has the dimension, if a module has it.
static nb::object toPython(const PartitaDim &dim,
                           nb::handle function = nb::handle()) {
  if (mlirAttributeIsNull(dim.name))
    return dim.size == mlirShapedTypeGetDynamicSize()
               ? nb::none()
               : makeOf(PyLong_Type, numberClass, nb::int_(dim.size));
  MlirStringRef name = mlirStringAttrGetValue(dim.name);
  bool isName =
      llvm::all_of(llvm::StringRef(name.data, name.length),
                   [](char c) { return llvm::isAlnum(c) || c == '_'; });
  bool isInFunction = isName && function.is_valid() && !function.is_none();
  PyObject *type = isInFunction ? functionNameClass
                   : isName     ? nameClass
                                : exprClass;
  nb::object made = makeOf(PyUnicode_Type, type,
                           nb::steal(PyUnicode_FromStringAndSize(
                               name.data, Py_ssize_t(name.length))));
  if (isInFunction)
    nb::setattr(made, "_function", function);
  return made;
}

/// A tuple of them; None if their number is unknown.
static nb::object toPython(const PartitaDims &dims,
                           nb::handle function = nb::handle()) {
  if (dims.count < 0)
    return nb::none();
  nb::object tuple = nb::steal(PyTuple_New(dims.count));
  for (intptr_t i = 0; i < dims.count; ++i)
    PyTuple_SET_ITEM(tuple.ptr(), i,
                     toPython(dims.dims[i], function).release().ptr());
  return tuple;
}

static nb::object orNone(MlirAttribute attribute, nb::handle context) {
  return mlirAttributeIsNull(attribute) ? nb::none()
                                        : toPython(attribute, context);
}
static nb::object orNone(MlirType type, nb::handle context) {
  return mlirTypeIsNull(type) ? nb::none() : toPython(type, context);
}
/// The text of a string attribute.
static nb::object toText(MlirAttribute string) {
  return mlirAttributeIsNull(string) ? nb::none()
                                     : toPython(mlirStringAttrGetValue(string));
}

namespace {
/// Dimensions that live as long as this.
struct Dims {
  Dims(nb::handle list, bool isLacking, MlirContext context) {
    view.count = -1;
    view.isLacking = isLacking;
    if (list.is_none())
      return;
    for (nb::handle dim : nb::cast<nb::tuple>(list)) {
      PartitaDim made = {mlirShapedTypeGetDynamicSize(), {nullptr}};
      if (PyUnicode_Check(dim.ptr()))
        made.name = toString(dim, context);
      else if (!dim.is_none())
        made.size = nb::cast<int64_t>(dim);
      dims.push_back(made);
    }
    view.count = dims.size();
    view.dims = dims.data();
  }
  Dims(const Dims &) = delete;

  static MlirAttribute toString(nb::handle text, MlirContext context) {
    if (text.is_none())
      return {nullptr};
    Py_ssize_t length = 0;
    const char *data = PyUnicode_AsUTF8AndSize(text.ptr(), &length);
    if (!data)
      throw nb::python_error();
    return mlirStringAttrGet(context, mlirStringRefCreate(data, length));
  }

  std::vector<PartitaDim> dims;
  PartitaDims view;
};
} // namespace

/// The result of `make` in `context`. Raises a ValueError with MLIR's message
/// if it is null.
template <typename Make>
static nb::object makeChecked(nb::handle context, Make make) {
  auto *object = getAs<PyMlirContext>(context);
  if (!object)
    raise(PyExc_TypeError, "expected an mlir.ir.Context");
  PyMlirContext::ErrorCapture errors(object->getRef());
  auto made = make(object->get());
  std::string said = joinMessages(errors.take());
  if (!made.ptr)
    raise(PyExc_ValueError, said);
  return toPython(made, context);
}

static nb::object makeShape(nb::handle dims, nb::handle context) {
  return makeChecked(context, [&](MlirContext c) {
    return partitaShapeAttrGet(c, Dims(dims, false, c).view);
  });
}

static nb::object makeShapeType(nb::handle dims, bool isLacking,
                                nb::handle context) {
  return makeChecked(context, [&](MlirContext c) {
    return partitaShapeTypeGet(c, Dims(dims, isLacking, c).view);
  });
}

static nb::object makeTensorType(nb::handle dims, bool isLacking,
                                 nb::handle element, nb::handle shape,
                                 nb::handle vdevice, nb::handle context) {
  return makeChecked(context, [&](MlirContext c) {
    Dims list(dims, isLacking, c);
    PartitaTensorInfo info = {list.view, {nullptr}, {nullptr}, {nullptr}};
    if (!element.is_none())
      info.elementType = toType(element);
    info.shape = Dims::toString(shape, c);
    if (!vdevice.is_none())
      info.vdevice = toAttribute(vdevice);
    return partitaTensorTypeGet(c, info);
  });
}

static std::vector<MlirType> toTypes(nb::handle list) {
  std::vector<MlirType> types;
  for (nb::handle type : list)
    types.push_back(toType(type));
  return types;
}

static nb::object makeCallable(nb::handle inputs, nb::handle result,
                               bool isPure, nb::handle derive,
                               nb::handle context) {
  return makeChecked(context, [&](MlirContext c) {
    std::vector<MlirType> types;
    if (!inputs.is_none())
      types = toTypes(inputs);
    return partitaCallableTypeGet(
        c, {inputs.is_none() ? -1 : intptr_t(types.size()), types.data(),
            toType(result), isPure, Dims::toString(derive, c)});
  });
}

static nb::object makeObject(nb::handle context) {
  return makeChecked(context, partitaObjectTypeGet);
}

/// The dimensions of a #relax.shape; None for others.
static nb::object getDims(nb::handle object) {
  nb::object found = nb::none();
  (void)partitaShapeAttrGetDims(
      toAttribute(object),
      [](PartitaDims dims, void *result) {
        *static_cast<nb::object *>(result) = toPython(dims);
      },
      &found);
  return found;
}

/// The fields of a type of Relax, after its kind: "tensor", dimensions, whether
/// TVM has no shape, element type, name of the shape, vdevice; "shape",
/// dimensions, whether TVM has no values; "callable", inputs, result, whether
/// it is pure, derive; "object". None for other types. Unknown fields are None.
/// `expr` is the expression of this type, or None.
static nb::object readType(nb::handle object, nb::handle expr) {
  MlirType type = toType(object);
  Expr *typed = expr.is_none() ? nullptr : asExpr(expr);
  nb::handle function =
      typed && typed->source
          ? nb::handle(nb::inst_ptr<Expressions>(typed->source)->functionName)
          : nb::handle();
  struct Result {
    nb::object context, found;
    nb::handle function;
  } result = {getContextObject(mlirTypeGetContext(type)), nb::none(), function};
  auto onTensor = [](PartitaTensorInfo info, void *userData) {
    auto &result = *static_cast<Result *>(userData);
    result.found = nb::make_tuple(
        "tensor", toPython(info.dims, result.function), info.dims.isLacking,
        orNone(info.elementType, result.context), toText(info.shape),
        orNone(info.vdevice, result.context));
  };
  auto onShape = [](PartitaDims dims, void *userData) {
    auto &result = *static_cast<Result *>(userData);
    result.found = nb::make_tuple("shape", toPython(dims, result.function),
                                  dims.isLacking);
  };
  auto onCallable = [](PartitaCallable callable, void *userData) {
    auto &result = *static_cast<Result *>(userData);
    nb::object inputs = nb::none();
    if (callable.numInputs >= 0) {
      inputs = nb::list();
      for (intptr_t i = 0; i < callable.numInputs; ++i)
        nb::cast<nb::list>(inputs).append(
            toPython(callable.inputs[i], result.context));
    }
    result.found = nb::make_tuple("callable", inputs,
                                  toPython(callable.result, result.context),
                                  callable.isPure, toText(callable.derive));
  };
  if (partitaTensorTypeGetInfo(type, onTensor, &result) ||
      partitaShapeTypeGetDims(type, onShape, &result) ||
      partitaCallableTypeGetInfo(type, onCallable, &result))
    return result.found;
  if (partitaTypeIsAObject(type))
    return nb::make_tuple("object");
  return nb::none();
}

/// The types of the results of a function of type `function` that is called
/// with values of the types `args`, as many as it has parameters.
static nb::list bindTypes(nb::handle function, nb::handle args) {
  auto &type = nb::cast<PyType &>(function);
  std::vector<MlirType> actual = toTypes(args), results;
  if (intptr_t(actual.size()) != mlirFunctionTypeGetNumInputs(type.get()))
    raise(PyExc_ValueError,
          "expected " +
              std::to_string(mlirFunctionTypeGetNumInputs(type.get())) +
              " arguments, but found " + std::to_string(actual.size()));
  results.resize(mlirFunctionTypeGetNumResults(type.get()));
  partitaFunctionTypeBind(type.get(), actual.data(), results.data());
  nb::list list;
  for (MlirType result : results)
    list.append(toPython(result, type.getContext().getObject()));
  return list;
}

/// Runs `bind` on the op of a function. Raises a ValueError with MLIR's message
/// if it fails.
template <typename Bind>
static void changeFunction(PyOperationBase &function, Bind bind) {
  PyOperation &op = function.getOperation();
  op.checkValid();
  PyMlirContext::ErrorCapture errors(op.getContext());
  MlirLogicalResult result = bind(op.get());
  std::string said = joinMessages(errors.take());
  if (mlirLogicalResultIsFailure(result))
    raise(PyExc_ValueError, said);
}

static void
bindParams(PyOperationBase &function,
           const std::vector<std::pair<unsigned, MlirAttribute>> &values) {
  std::vector<PartitaParamBinding> bindings;
  for (auto [index, value] : values)
    bindings.push_back({index, value});
  changeFunction(function, [&](MlirOperation op) {
    return partitaFuncBindParams(op, bindings.size(), bindings.data());
  });
}

static void bindSymbolicVars(PyOperationBase &function,
                             const std::vector<std::string> &names,
                             nb::handle dims) {
  std::vector<MlirStringRef> refs;
  for (const std::string &name : names)
    refs.push_back(wrap(name));
  changeFunction(function, [&](MlirOperation op) {
    Dims list(dims, false, mlirOperationGetContext(op));
    return partitaFuncBindSymbolicVars(op, refs.data(), list.view);
  });
}

void bindExprTypes(nb::module_ &m) {
  declareKnown("SizeVar", &nameClass);
  declareKnown("FunctionSizeVar", &functionNameClass);
  declareKnown("PrimExpr", &exprClass);
  declareKnown("IntImm", &numberClass);
  m.def("make_shape", makeShape, "dims"_a, "context"_a);
  m.def("make_shape_type", makeShapeType, "dims"_a.none(), "is_lacking"_a,
        "context"_a);
  m.def("make_tensor_type", makeTensorType, "dims"_a.none(), "is_lacking"_a,
        "element_type"_a.none(), "shape"_a.none(), "vdevice"_a.none(),
        "context"_a);
  m.def("make_callable", makeCallable, "inputs"_a.none(), "result"_a,
        "is_pure"_a, "derive"_a.none(), "context"_a);
  m.def("make_object", makeObject, "context"_a);
  m.def(
      "get_index_map",
      [](MlirAttribute attr) -> nb::object {
        MlirType type;
        MlirAffineMap map = partitaIndexMapAttrGetMap(attr, &type);
        if (mlirAffineMapIsNull(map))
          return nb::none();
        return nb::make_tuple(
            map, "int" + std::to_string(mlirIntegerTypeGetWidth(type)));
      },
      "attribute"_a);
  m.def(
      "read_node",
      [](MlirAttribute attr) -> nb::object {
        MlirStringRef json = partitaOpaqueAttrGetJson(attr);
        return json.data ? nb::handle(types.readNode)(toPython(json))
                         : nb::none();
      },
      "attribute"_a);
  m.def(
      "write_node",
      [](nb::handle node, nb::handle context) {
        return toAttribute(nb::handle(types.writeNode)(node, context));
      },
      "node"_a, "context"_a);
  m.def("get_dims", getDims, "shape"_a);
  m.def("read_type", readType, "type"_a, "expr"_a.none() = nb::none());
  m.def("is_more_general", [](nb::handle general, nb::handle specific) {
    return partitaTypeIsMoreGeneral(toType(general), toType(specific));
  });
  m.def("is_castable", [](nb::handle from, nb::handle to) {
    return partitaTypeIsCastable(toType(from), toType(to));
  });
  m.def(
      "simplify_dim",
      [](nb::handle text, nb::handle context) {
        MlirContext c = getContext(context);
        return toPython(partitaDimSimplify(
            c, mlirStringAttrGetValue(Dims::toString(text, c))));
      },
      "text"_a, "context"_a);
  m.def("bind_types", bindTypes, "function_type"_a, "args"_a);
  m.def("bind_params", bindParams, "function"_a, "values"_a);
  m.def("bind_symbolic_vars", bindSymbolicVars, "function"_a, "names"_a,
        "dims"_a);
}

} // namespace partita::python
