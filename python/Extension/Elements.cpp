//===- Elements.cpp - Elements of constants, and modules with them --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Module.h"

#include "partita-c/Dialects.h"
#include "partita-c/Transform.h"

#include "mlir-c/BuiltinTypes.h"
#include "mlir/Bindings/Python/IRCore.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

using namespace nanobind::literals;
using namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

namespace partita::python {

namespace {

/// Elements that a Python object holds, and their context.
struct Elements {
  nb::object context;
  PartitaElements elements;

  explicit Elements(MlirAttribute attr)
      : context(PyMlirContext::forContext(mlirAttributeGetContext(attr))
                    .releaseObject()),
        elements(partitaElementsCreate(attr)) {}
  Elements(const Elements &) = delete;
  ~Elements() { partitaElementsDestroy(elements); }
};

/// The elements of a module that is being lowered.
struct TensorHolder {
  PartitaTensorHolder holder;

  explicit TensorHolder(MlirOperation module)
      : holder(partitaTensorHolderCreate(module)) {}
  TensorHolder(const TensorHolder &) = delete;
  ~TensorHolder() { partitaTensorHolderDestroy(holder); }
};

/// An array from Python's buffer protocol.
struct Buffer {
  Py_buffer view;

  explicit Buffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_SIMPLE))
      throw nb::python_error();
  }
  Buffer(const Buffer &) = delete;
  ~Buffer() { PyBuffer_Release(&view); }

  MlirStringRef get() const {
    return {static_cast<const char *>(view.buf), static_cast<size_t>(view.len)};
  }
};

/// A tensor beside the text of a module: name, alignment, bytes.
using SavedTensor = std::tuple<std::string, size_t, nb::bytes>;

/// The state of `save`.
struct Saved {
  std::string text;
  std::vector<SavedTensor> tensors;
};

/// The bytes of dense floats, or of one of them if all are equal. Empty for
/// other elements.
MlirStringRef getFloats(MlirAttribute dense) {
  MlirType element = mlirShapedTypeGetElementType(mlirAttributeGetType(dense));
  if (!mlirTypeIsAFloat(element))
    return {nullptr, 0};
  size_t count = mlirDenseElementsAttrIsSplat(dense)
                     ? 1
                     : mlirElementsAttrGetNumElements(dense);
  return {static_cast<const char *>(mlirDenseElementsAttrGetRawData(dense)),
          count * mlirFloatTypeGetWidth(element) / 8};
}

} // namespace

void bindElements(nb::module_ &m) {
  nb::class_<Elements>(m, "Elements").def(nb::init<MlirAttribute>());

  nb::class_<TensorHolder>(m, "TensorHolder").def(nb::init<MlirOperation>());

  m.def("make_tensor", [](MlirType type, nb::handle data, size_t alignment) {
    return partitaTensorGet(type, mlirStringRefCreateFromCString("const"),
                            alignment, Buffer(data).get());
  });
  m.def("get_bytes", [](MlirAttribute elements) {
    MlirStringRef data = mlirAttributeIsADenseElements(elements)
                             ? getFloats(elements)
                             : partitaElementsGetResource(elements);
    return nb::bytes(data.data, data.length);
  });
  m.def("adopt_resources", [](MlirOperation op) { partitaAdoptResources(op); });

  m.def("save", [](PyOperationBase &module) {
    PyOperation &op = module.getOperation();
    op.checkValid();
    PyMlirContext::ErrorCapture errors(op.getContext());
    Saved saved;
    MlirLogicalResult result = partitaModuleSave(
        op,
        [](MlirStringRef text, void *data) {
          static_cast<Saved *>(data)->text.append(text.data, text.length);
        },
        [](PartitaTensor tensor, void *data) {
          static_cast<Saved *>(data)->tensors.emplace_back(
              std::string(tensor.name.data, tensor.name.length),
              tensor.alignment,
              nb::bytes(tensor.data.data, tensor.data.length));
        },
        &saved);
    if (mlirLogicalResultIsFailure(result))
      throw MLIRError("expected a valid module to save", errors.take());
    return std::tuple(std::move(saved.text), std::move(saved.tensors));
  });
  m.def(
      "load",
      [](PyMlirContext &context, const std::string &text,
         const std::vector<SavedTensor> &saved) {
        std::vector<PartitaTensor> tensors;
        for (const auto &[name, alignment, data] : saved)
          tensors.push_back({wrap(name), alignment,
                             mlirStringRefCreate(data.c_str(), data.size())});
        PyMlirContext::ErrorCapture errors(context.getRef());
        MlirOperation op = partitaModuleLoad(context.get(), wrap(text),
                                             tensors.size(), tensors.data());
        if (!op.ptr)
          throw MLIRError("expected a module that was saved", errors.take());
        return createOwner(op);
      },
      "context"_a, "text"_a, "tensors"_a);
}

} // namespace partita::python
