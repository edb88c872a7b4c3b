//===- ExprOperands.cpp - The operands of expressions in Python -----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expr.h"

#include "mlir-c/BuiltinTypes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <unordered_set>

using namespace nanobind::literals;

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

/// As a tuple does; with a list, too.
static PyObject *compare(PyObject *left, PyObject *right, int how) {
  nb::object other = nb::borrow(right);
  if (PyList_Check(right) &&
      !(other = nb::steal(PyList_AsTuple(right))).is_valid())
    return nullptr;
  return PyTuple_Type.tp_richcompare(left, other.ptr(), how);
}

nb::object makeArray(size_t size) {
  return nb::steal(arrayType->tp_alloc(arrayType, Py_ssize_t(size)));
}

/// `value`, or the GlobalVar that it is.
static nb::object orGlobal(nb::handle value) {
  // Most callees are ops.
  bool isOp = PyObject_TypeCheck(
      value.ptr(), reinterpret_cast<PyTypeObject *>(relaxTypes.op));
  Expr *expr = isOp ? nullptr : asExpr(value);
  nb::object global = expr ? getGlobal(*expr) : nb::object();
  return global.is_valid() ? global : nb::borrow(value);
}

/// Verifies that the value that a variable gets does not use it. One that has
/// not been an operand is in no value.
static void checkNoCycle(const Expr &var, nb::handle value) {
  Expr *root = asExpr(value);
  bool isPlain = reinterpret_cast<PyObject *>(Py_TYPE(var.self)) ==
                 relaxTypes.classes[Expr::Var];
  if (!root || (isPlain && !var.isUsed && root != &var))
    return;
  std::unordered_set<const Expr *> seen;
  postOrder(
      root, [&](Expr *expr) { return seen.insert(expr).second; },
      [](Expr *) {});
  if (seen.count(&var))
    raise(PyExc_ValueError, "expected a value that does not use the variable "
                            "'" +
                                toString(nb::handle(var.object)) +
                                "' that it is bound to");
}

Expr *findWhole(llvm::ArrayRef<PyObject *> fields) {
  Expr *whole = nullptr;
  for (auto [i, field] : llvm::enumerate(fields)) {
    Expr *item = asExpr(field);
    if (!item || item->kind != Expr::TupleGetItem ||
        item->scope != Expr::Free || item->index != int64_t(i) ||
        (whole && asExpr(item->getArg(0)) != whole))
      return nullptr;
    whole = asExpr(item->getArg(0));
  }
  return whole && whole->numTypes == fields.size() && fields.size() != 1
             ? whole
             : nullptr;
}

/// The tuple in TVM of the last operands of `call`, which it takes from `args`;
/// an invalid object if there is none.
static nb::object takeTuple(const Expr &call,
                            llvm::ArrayRef<PyObject *> &args) {
  // The ops of Relax live as long as the process.
  static const auto &indices = *[] {
    auto *made = new llvm::DenseMap<const void *, int>();
    for (auto [name, op] : nb::borrow<nb::dict>(getOps()))
      if (int index = nb::cast<int>(op.attr("tuple_index")); index >= 0)
        (*made)[op.ptr()] = index;
    return made;
  }();
  auto found = indices.find(call.object);
  int index = found == indices.end() ? -1 : found->second;
  if (index < 0 || size_t(index) > args.size())
    return {};
  llvm::ArrayRef<PyObject *> fields = args.drop_front(index);
  args = args.take_front(index);
  if (call.tuple)
    return nb::borrow(call.tuple);
  // A tuple can be the one operand, or all results of an op the operands. TVM
  // writes out what it passes to a kernel.
  static PyObject *callTIR = PyDict_GetItemString(getOps(), "relax.call_tir");
  Expr *first = fields.empty() ? nullptr : asExpr(fields[0]);
  if (first && call.object != callTIR) {
    if (fields.size() == 1 && first->isTyped &&
        (first->numTypes != 1 || mlirTypeIsATuple(first->getType())))
      return nb::borrow(fields[0]);
    if (Expr *whole = findWhole(fields))
      return nb::borrow(whole->self);
  }
  // Without a type, a tuple needs no context.
  nb::object context = nb::borrow(call.context ? call.context
                                  : first      ? first->context
                                               : nullptr);
  if (!first && !context.is_valid())
    context = nb::borrow(relaxTypes.getContext)();
  nb::object made = createTuple(fields, {nullptr}, context);
  if (asExpr(made)->isTyped)
    call.tuple = nb::object(made).release().ptr();
  return made;
}

/// The callee and the operands of an expression.
void bindOperands(nb::class_<Expr> &expr) {
  expr.def_prop_ro("_object",
                   [](const Expr &self) {
                     return self.object ? nb::borrow(self.object) : nb::none();
                   })
      .def_prop_ro("_callee",
                   [](const Expr &self) {
                     PyObject *callee =
                         isValueCall(self) ? self.getArg(0) : self.object;
                     return orGlobal(callee ? callee : Py_None);
                   })
      .def_prop_ro(
          "_call_args",
          [](const Expr &self) {
            llvm::ArrayRef<PyObject *> args =
                llvm::ArrayRef(self.args).drop_front(isValueCall(self));
            nb::object tuple = takeTuple(self, args);
            nb::object array = makeArray(args.size() + tuple.is_valid());
            for (auto [i, arg] : llvm::enumerate(args))
              PyTuple_SET_ITEM(array.ptr(), i, orGlobal(arg).release().ptr());
            if (tuple.is_valid())
              PyTuple_SET_ITEM(array.ptr(), args.size(), tuple.release().ptr());
            return array;
          })
      .def_prop_ro("_fields",
                   [](const Expr &self) {
                     nb::object array = makeArray(self.getNumArgs());
                     for (size_t i = 0; i < self.getNumArgs(); ++i)
                       PyTuple_SET_ITEM(array.ptr(), i,
                                        Py_NewRef(self.getArg(i)));
                     return array;
                   })
      .def("_set_object",
           [](Expr &self, nb::object object) {
             Py_XDECREF(std::exchange(self.object, object.release().ptr()));
           })
      .def_prop_ro(
          "_args",
          [](const Expr &self) {
            nb::object tuple = nb::steal(PyTuple_New(self.getNumArgs()));
            for (size_t i = 0; i < self.getNumArgs(); ++i)
              PyTuple_SET_ITEM(tuple.ptr(), i, Py_NewRef(self.getArg(i)));
            return tuple;
          })
      .def_prop_ro("_arg",
                   [](const Expr &self) {
                     return nb::borrow(self.getNumArgs() ? self.getArg(0)
                                                         : Py_None);
                   })
      .def("_bind",
           [](Expr &self, nb::object value) {
             if (self.kind != Expr::Var || self.getNumArgs())
               raise(PyExc_ValueError,
                     "expected a Var without a value to bind");
             checkNoCycle(self, value);
             if (Expr *expr = asExpr(value); expr && !self.isTyped) {
               MlirType type = expr->getType();
               self.setContext(expr->context);
               self.setTypes(&type, 1);
             }
             self.addArg(value);
           })
      .def("_bind_self",
           [](Expr &self, nb::object var) {
             Expr *other = asExpr(var);
             if (!getFunction(self) || self.getNumArgs() != 1 || !other ||
                 other->kind != Expr::Var)
               raise(PyExc_ValueError, "expected a Var for a function itself");
             self.addArg(var);
           })
      .def(
          "_with_args",
          [](Expr &self, nb::object args, nb::object op) {
            if (self.kind != Expr::Call)
              raise(PyExc_TypeError, "expected a Call");
            nb::object tuple = nb::steal(PySequence_Tuple(args.ptr()));
            if (!tuple.is_valid())
              throw nb::python_error();
            return callWithArgs(self, tuple,
                                op.is_none() ? nb::borrow(self.object) : op);
          },
          "args"_a, "op"_a.none() = nb::none());
}

void bindArray(nb::module_ &m) {
  PyType_Slot slots[] = {
      {Py_mp_subscript, reinterpret_cast<void *>(getItem)},
      {Py_nb_add, reinterpret_cast<void *>(concatenate)},
      {Py_tp_richcompare, reinterpret_cast<void *>(compare)},
      {Py_tp_hash, reinterpret_cast<void *>(PyTuple_Type.tp_hash)},
      {Py_tp_doc, const_cast<char *>("A tuple that equals a list of the same, "
                                     "and whose slices are lists, as TVM's "
                                     "Array.")},
      {0, nullptr}};
  PyType_Spec spec = {"partita.mlir._mlir_libs._partita.Array", 0, 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  nb::object bases = nb::steal(PyTuple_Pack(1, &PyTuple_Type));
  nb::object type = nb::steal(PyType_FromSpecWithBases(&spec, bases.ptr()));
  if (!type.is_valid())
    throw nb::python_error();
  m.attr("Array") = type;
  arrayType = reinterpret_cast<PyTypeObject *>(type.release().ptr());
}

} // namespace partita::python
