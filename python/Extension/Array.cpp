//===- Array.cpp - Sequences of operands in Python ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expr.h"

namespace partita::python {

static PyTypeObject *arrayType = nullptr;

static PyObject *getItem(PyObject *self, PyObject *index) {
  PyObject *item = PyTuple_Type.tp_as_mapping->mp_subscript(self, index);
  if (!item || !PySlice_Check(index))
    return item;
  nb::object slice = nb::steal(item);
  return PySequence_List(slice.ptr());
}

/// `left + right`; one or both are an Array.
static PyObject *concatenate(PyObject *left, PyObject *right) {
  for (PyObject *part : {left, right})
    if (!PyList_Check(part) && !PyTuple_Check(part))
      Py_RETURN_NOTIMPLEMENTED;
  Py_ssize_t numLeft = PySequence_Fast_GET_SIZE(left),
             numRight = PySequence_Fast_GET_SIZE(right);
  nb::object made = makeArray(numLeft + numRight);
  if (!made.is_valid())
    return nullptr;
  for (Py_ssize_t i = 0; i < numLeft + numRight; ++i) {
    PyObject *item = i < numLeft ? PySequence_Fast_GET_ITEM(left, i)
                                 : PySequence_Fast_GET_ITEM(right, i - numLeft);
    PyTuple_SET_ITEM(made.ptr(), i, Py_NewRef(item));
  }
  return made.release().ptr();
}

nb::object makeArray(size_t size) {
  return nb::steal(arrayType->tp_alloc(arrayType, Py_ssize_t(size)));
}

void bindArray(nb::module_ &m) {
  PyType_Slot slots[] = {
      {Py_mp_subscript, reinterpret_cast<void *>(getItem)},
      {Py_nb_add, reinterpret_cast<void *>(concatenate)},
      {Py_tp_doc, const_cast<char *>("The operands of an expression: a tuple, "
                                     "whose slices are lists, as TVM's "
                                     "Array.")},
      {0, nullptr}};
  PyType_Spec spec = {"partita.mlir._mlir_libs._partita.Array", 0, 0,
                      Py_TPFLAGS_DEFAULT, slots};
  nb::object bases = nb::steal(PyTuple_Pack(1, &PyTuple_Type));
  nb::object type = nb::steal(PyType_FromSpecWithBases(&spec, bases.ptr()));
  if (!type.is_valid())
    throw nb::python_error();
  m.attr("Array") = type;
  arrayType = reinterpret_cast<PyTypeObject *>(type.release().ptr());
}

} // namespace partita::python
