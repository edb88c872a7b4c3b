//===- ExprTypes.cpp - The parts of Relax's types -------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What MLIR's Python package cannot say of types and shapes of Relax. The
// classes that users see are in partita/relax/types.py.
//
//===----------------------------------------------------------------------===//

#include "Expr.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

using namespace nanobind::literals;
using namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

namespace partita::python {

/// The #relax.shape of an array of dimensions. Raises a ValueError with MLIR's
/// message.
static nb::object makeShape(nb::handle dims) {
  auto &array = nb::cast<PyAttribute &>(dims);
  PyMlirContext::ErrorCapture errors(array.getContext());
  MlirAttribute shape = partitaShapeAttrGet(array.get());
  std::string said = joinMessages(errors.take());
  if (mlirAttributeIsNull(shape))
    raise(PyExc_ValueError, said);
  return toPython(shape, array.getContext().getObject());
}

/// The !relax.shape of a #relax.shape.
static nb::object makeShapeType(nb::handle shape) {
  auto &attribute = nb::cast<PyAttribute &>(shape);
  return toPython(partitaShapeTypeGet(attribute.get()),
                  attribute.getContext().getObject());
}

/// The dimensions of a #relax.shape or !relax.shape; None for others.
static nb::object getDims(nb::handle object) {
  if (auto *attribute = getAs<PyAttribute>(object)) {
    MlirAttribute dims = partitaShapeAttrGetDims(attribute->get());
    return mlirAttributeIsNull(dims)
               ? nb::none()
               : toPython(dims, attribute->getContext().getObject());
  }
  auto &type = nb::cast<PyType &>(object);
  MlirAttribute shape = partitaShapeTypeGetShape(type.get());
  return mlirAttributeIsNull(shape) ? nb::none()
                                    : toPython(partitaShapeAttrGetDims(shape),
                                               type.getContext().getObject());
}

static nb::object makeCallable(nb::handle function, bool isPure) {
  auto &type = nb::cast<PyType &>(function);
  return toPython(partitaCallableTypeGet(type.get(), isPure),
                  type.getContext().getObject());
}

/// The type of the function, and whether it is pure; None if the parameters
/// are not known, or for other types.
static nb::object getCallable(nb::handle object) {
  auto &type = nb::cast<PyType &>(object);
  MlirType function = partitaCallableTypeGetFunctionType(type.get());
  if (mlirTypeIsNull(function))
    return nb::none();
  return nb::make_tuple(toPython(function, type.getContext().getObject()),
                        partitaCallableTypeIsPure(type.get()));
}

static std::vector<MlirType> toTypes(nb::handle list) {
  std::vector<MlirType> types;
  for (nb::handle type : list)
    types.push_back(toType(type));
  return types;
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

void bindExprTypes(nb::module_ &m) {
  m.def("make_shape", makeShape, "dims"_a);
  m.def("make_shape_type", makeShapeType, "shape"_a);
  m.def("get_dims", getDims, "type"_a);
  m.def("make_callable", makeCallable, "function_type"_a, "is_pure"_a);
  m.def("get_callable", getCallable, "type"_a);
  m.def("bind_types", bindTypes, "function_type"_a, "args"_a);
}

} // namespace partita::python
