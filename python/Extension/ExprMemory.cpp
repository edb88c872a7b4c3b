//===- ExprMemory.cpp - How expressions are made and freed ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expr.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <iterator>

namespace partita::python {

/// Drops an operand of an expression that is freed; later if this thread is
/// dropping one already: graphs can be deeper than the stack.
static void dropArg(PyObject *arg) {
  if (Py_REFCNT(arg) > 1)
    return Py_DECREF(arg);
  static thread_local std::vector<PyObject *> *dropped = nullptr;
  if (dropped)
    return dropped->push_back(arg);
  std::vector<PyObject *> waiting{arg};
  dropped = &waiting;
  while (!waiting.empty()) {
    PyObject *next = waiting.back();
    waiting.pop_back();
    Py_DECREF(next);
  }
  dropped = nullptr;
}

Expr::~Expr() {
  if (variable) {
    getExprIn(variable)->value = nullptr;
    dropArg(variable);
  }
  if (weakReferences)
    PyObject_ClearWeakRefs(self);
  if (source) {
    auto *expressions = nb::inst_ptr<Expressions>(source);
    if (position < expressions->exprs.size() &&
        expressions->exprs[position] == this)
      expressions->exprs[position] = nullptr;
  }
  for (PyObject *arg : args)
    dropArg(arg);
  if (tuple)
    dropArg(tuple);
  Py_XDECREF(object);
  Py_XDECREF(source);
  // Before the context that has them.
  if (elements.ptr)
    partitaElementsDestroy(elements);
  Py_XDECREF(locationContext);
  Py_XDECREF(context);
}

void hidePartsFromCollector(nb::handle parts) {
  static const nb::handle bindings = intern("bindings"),
                          outputs = intern("outputs");
  hideFromCollector(parts);
  nb::handle params = PyTuple_GET_ITEM(parts.ptr(), 0);
  nb::handle blocks = PyTuple_GET_ITEM(parts.ptr(), 2);
  hideFromCollector(params);
  hideFromCollector(blocks);
  for (nb::handle block : nb::borrow<nb::tuple>(blocks)) {
    bool isDataflow = block.type().is(relaxTypes.dataflowBlock);
    if (!isDataflow && !block.type().is(relaxTypes.bindingBlock))
      continue;
    hideFromCollector(block);
    hideFromCollector(nb::object(block.attr(bindings)));
    nb::object found = isDataflow ? block.attr(outputs) : nb::object();
    if (isDataflow && !found.is_none())
      hideFromCollector(found);
  }
}

/// The objects of dead expressions by their classes, for new ones. nanobind
/// keeps all its objects in a table; these stay in it, which takes less time
/// than to leave it and to come back. They are not Python's any more.
static std::vector<PyObject *> &getParked(size_t classIndex) {
  static auto &parked = *new std::array<std::vector<PyObject *>,
                                        std::size(RelaxTypes().classes)>();
  return parked[classIndex];
}

/// Destroys the expression in `object`, which nobody holds any more. Keeps the
/// object if there is room and it has one of the known classes.
static bool park(PyObject *object) {
  // In all some megabytes.
  constexpr size_t room = 1 << 15;
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
  const auto *known = llvm::find(relaxTypes.classes, type);
  if (known == std::end(relaxTypes.classes) || !nb::inst_ready(object))
    return false;
  std::vector<PyObject *> &parked = getParked(known - relaxTypes.classes);
  if (parked.size() >= room)
    return false;
  Expr *expr = getExprIn(object);
  expr->~Expr();
  new (expr) Expr();
  nb::inst_set_state(object, /*ready=*/false, /*destruct=*/false);
  parked.push_back(object);
  Py_DECREF(type);
  return true;
}

/// An object that was parked; null if there is none of its class.
static PyObject *unpark(size_t classIndex) {
  std::vector<PyObject *> &parked = getParked(classIndex);
  if (parked.empty())
    return nullptr;
  PyObject *object = parked.back();
  parked.pop_back();
  _Py_NewReference(object);
  Py_INCREF(relaxTypes.classes[classIndex]);
  return object;
}

/// The index of the class of the calls of an op.
static size_t getCallClass(llvm::StringRef name) {
  for (auto [index, value] : llvm::enumerate(valueOps))
    if (value.first == name)
      return Expr::numKinds + index;
  // An expression in place of the number.
  return name == "relax.dim" ? Expr::numKinds + 1 : size_t(Expr::Call);
}

nb::object createEmpty(PyObject *type) {
  auto *typeObject = reinterpret_cast<PyTypeObject *>(type);
  nb::object object =
      nb::steal(typeObject->tp_new(typeObject, nb::tuple().ptr(), nullptr));
  if (!object.is_valid())
    throw nb::python_error();
  return object;
}

/// A new expression of a kind, whose class is given by its index.
static Expr *create(Expr::Kind kind, size_t index) {
  PyObject *object = unpark(index);
  if (!object) {
    object = nb::inst_alloc(relaxTypes.classes[index]).release().ptr();
    hideFromCollector(object);
    new (getExprIn(object)) Expr();
  }
  Expr *expr = getExprIn(object);
  nb::inst_mark_ready(object);
  expr->kind = kind;
  expr->self = object;
  return expr;
}

Expr *createExpr(Expr::Kind kind, llvm::StringRef name) {
  return create(kind, kind == Expr::Call ? getCallClass(name) : size_t(kind));
}

nb::object Expr::getValue() {
  const auto *known = llvm::find(relaxTypes.classes,
                                 reinterpret_cast<PyObject *>(Py_TYPE(self)));
  if (scope == Free || known == std::end(relaxTypes.classes))
    return nb::borrow(self);
  // One that dies has no references any more.
  if (value && Py_REFCNT(value->self) > 0)
    return nb::borrow(value->self);
  Expr *made = create(kind, known - relaxTypes.classes);
  nb::object result = steal(made);
  auto hold = [](PyObject *object) {
    return nb::borrow(object).release().ptr();
  };
  made->context = hold(context);
  made->object = hold(object);
  for (PyObject *arg : args)
    made->args.push_back(Py_NewRef(arg));
  if (elements.ptr)
    made->setElements(attribute);
  made->attribute = attribute;
  made->location = location;
  made->locationContext = hold(locationContext);
  made->index = index;
  if (isTyped)
    made->setTypes(typesBegin(), numTypes);
  made->variable = hold(self);
  value = made;
  return result;
}

ExprLayout exprLayout;

void manageMemory(PyTypeObject *type) {
  static destructor dealloc = type->tp_dealloc;
  static newfunc makeNew = type->tp_new;
  PyObject *object = makeNew(type, nullptr, nullptr);
  auto getOffset = [object](const void *place) {
    return static_cast<const char *>(place) -
           reinterpret_cast<const char *>(object);
  };
  exprLayout.type = type;
  exprLayout.offset = getOffset(nb::inst_ptr<Expr>(object));
  type->tp_weaklistoffset = getOffset(&getExprIn(object)->weakReferences);
  getExprIn(object)->weakReferences = nullptr;
  Py_DECREF(object);
  type->tp_dealloc = [](PyObject *object) {
    if (!park(object))
      dealloc(object);
  };
  exprLayout.makeNew = [](PyTypeObject *type, PyObject *args,
                          PyObject *kwargs) {
    const auto *known =
        llvm::find(relaxTypes.classes, reinterpret_cast<PyObject *>(type));
    if (known != std::end(relaxTypes.classes))
      if (PyObject *object = unpark(known - relaxTypes.classes))
        return object;
    PyObject *object = makeNew(type, args, kwargs);
    // It may never be initialized.
    if (object) {
      getExprIn(object)->self = nullptr;
      getExprIn(object)->weakReferences = nullptr;
    }
    return object;
  };
  type->tp_new = exprLayout.makeNew;
}

} // namespace partita::python
