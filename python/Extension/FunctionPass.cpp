//===- FunctionPass.cpp - Passes on functions in Python -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module can have ten thousand functions, and a pass looks at a few. So as
// long as no Python code looks into the module, the pass gets empty objects of
// its class of functions, and nothing is read. BaseFunc.__getattr__ binds them
// on first use. From then on Python owns the functions, and the objects are
// bound to their ops.
//
//===----------------------------------------------------------------------===//

#include "FunctionPass.h"
#include "Functions.h"

#include "partita-c/Dialects.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir/Bindings/Python/IRCore.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <utility>

using namespace nanobind::literals;
using namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

namespace partita::python {

namespace {

/// The names of the ops in a module, in its order.
class Names {
public:
  explicit Names(MlirOperation module) {
    forEachSymbol(module, [&](MlirOperation, MlirAttribute name) {
      names.push_back(name);
    });
  }
  bool operator==(const Names &other) const {
    return std::equal(names.begin(), names.end(), other.names.begin(),
                      other.names.end(), mlirAttributeEqual);
  }
  nb::list toList() const {
    nb::list list;
    for (MlirAttribute name : names)
      list.append(toPython(mlirStringAttrGetValue(name)));
    return list;
  }

private:
  std::vector<MlirAttribute> names;
};

/// One run of a function pass. Other threads can look into the module, too; the
/// GIL guards it.
class FunctionWalk : public ViewListener {
public:
  FunctionWalk(ModulePassData &data, Run &run);
  ~FunctionWalk() override;

  /// Calls the pass on each function. Null is returned for an exception.
  bool run();

  void willGiveTo(nb::object owner, MlirOperation contents) override;
  void hasGiven() override { bindCurrent(); }

  /// Binds `function`, which Python code uses for the first time, to its op, if
  /// some function pass is being called with it.
  static bool bind(nb::handle function);

private:
  nb::object getFunction();
  nb::object getOwner();
  bool callOn(nb::object function);
  void bindCurrent();
  Module &getModule() { return *nb::inst_ptr<Module>(view); }

  template <typename Function>
  void forEachFunction(MlirOperation module, Function function);
  nb::object getOwned();

  std::string name, opName;
  nb::object callable, functionClass, view, context;
  /// The names of the functions.
  std::vector<std::string> functions;
  size_t index = 0;
  /// The object for `functions[index]`, borrowed; null once it is bound.
  PyObject *unbound = nullptr;
  /// The mlir.ir.Operations of the functions from `firstOwned` on.
  std::vector<nb::object> owned;
  size_t firstOwned = 0;
  /// The Python Owner of the functions.
  nb::object owner;
  std::optional<Names> names;
  nb::dict changed;
  /// The names of functions that nobody else holds.
  nb::set taken;

  /// All that are running, on all threads.
  static std::vector<FunctionWalk *> walks;
};

} // namespace

std::vector<FunctionWalk *> FunctionWalk::walks;

FunctionWalk::FunctionWalk(ModulePassData &data, Run &run)
    : name(data.name), opName(data.opName), callable(data.getFunction()),
      functionClass(data.functionClass), view(run.getView()),
      context(run.context) {
  forEachFunction(run.getContents(), [&](MlirOperation, MlirAttribute name) {
    functions.push_back(toString(mlirStringAttrGetValue(name)));
  });
  walks.push_back(this);
  getModule().listener = this;
}

template <typename Function>
void FunctionWalk::forEachFunction(MlirOperation module, Function function) {
  forEachSymbol(module, [&](MlirOperation op, MlirAttribute name) {
    if (toString(mlirIdentifierStr(mlirOperationGetName(op))) == opName &&
        !partitaFunctionIsSkipped(op))
      function(op, name);
  });
}

FunctionWalk::~FunctionWalk() {
  getModule().listener = nullptr;
  walks.erase(std::find(walks.begin(), walks.end(), this));
}

void FunctionWalk::willGiveTo(nb::object owner, MlirOperation contents) {
  NoCollection noCollection;
  names.emplace(contents);
  PyMlirContextRef mlirContext =
      PyMlirContext::forContext(mlirOperationGetContext(contents));
  size_t number = 0;
  forEachFunction(contents, [&](MlirOperation op, MlirAttribute) {
    if (number++ >= index)
      owned.push_back(
          PyOperation::forOperation(mlirContext, op, owner).getObject());
  });
  firstOwned = index;
}

void FunctionWalk::bindCurrent() {
  if (!unbound || !names)
    return;
  nb::object function = nb::borrow(unbound);
  getOwner().attr("bind")(function, getOwned());
  unbound = nullptr;
}

bool FunctionWalk::bind(nb::handle function) {
  for (FunctionWalk *walk : walks) {
    if (walk->unbound != function.ptr())
      continue;
    (void)walk->getModule().getOperation();
    walk->bindCurrent();
    return true;
  }
  return false;
}

nb::object FunctionWalk::getOwned() {
  // The caller's module, which is copied on the first look, has changed.
  if (index - firstOwned >= owned.size())
    raise(PyExc_RuntimeError, "expected the functions of a module to stay "
                              "while function pass '" +
                                  name + "' runs on it");
  return owned[index - firstOwned];
}

nb::object FunctionWalk::getOwner() {
  if (!owner.is_valid())
    owner = nb::handle(types.functionOwner).attr("of")(getModule().operation);
  return owner;
}

nb::object FunctionWalk::getFunction() {
  if (!names) {
    auto *type = reinterpret_cast<PyTypeObject *>(functionClass.ptr());
    nb::object function =
        nb::steal(type->tp_new(type, nb::tuple().ptr(), nullptr));
    if (!function.is_valid())
      throw nb::python_error();
    unbound = function.ptr();
    return function;
  }
  return getOwner().attr("find")(getOwned());
}

bool FunctionWalk::callOn(nb::object function) {
  PyObject *args[] = {function.ptr(), view.ptr(), context.ptr()};
  nb::object result =
      nb::steal(PyObject_Vectorcall(callable.ptr(), args, 3, nullptr));
  bool isSame = result.ptr() == function.ptr();
  // If something keeps the function, such as a traceback, it can use it later.
  if (unbound && Py_REFCNT(function.ptr()) > (isSame ? 2 : 1)) {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    bind(function);
    PyErr_Restore(type, value, traceback);
  }
  unbound = nullptr;
  if (!result.is_valid()) {
    noteCurrentError("in pass '" + name + "' on @" + functions[index]);
    return false;
  }
  if (isSame)
    return true;
  if (!nb::handle(result).type().is(functionClass) &&
      PyObject_IsInstance(result.ptr(), functionClass.ptr()) != 1) {
    PyErr_Clear();
    std::string expected =
        reinterpret_cast<PyTypeObject *>(functionClass.ptr())->tp_name;
    raise(PyExc_TypeError, "expected function pass '" + name +
                               "' to return a " + expected + " for @" +
                               functions[index] + ", but it returned " +
                               typeName(result));
  }
  nb::str key = toPython(functions[index]);
  // Nor its op: one reference to that is the function's, one is here.
  if (Py_REFCNT(result.ptr()) == 1 &&
      Py_REFCNT(getFunctionOp(result).ptr()) == 2)
    taken.add(key);
  changed[key] = result;
  return true;
}

bool FunctionWalk::run() {
  for (; index < functions.size(); ++index) {
    nb::object function = getFunction();
    // A callback has erased it, which becomes an error at the end.
    if (function.is_none())
      continue;
    if (!callOn(std::move(function)))
      return false;
  }
  if (!names && changed.empty())
    return true;
  (void)getModule().getOperation();
  Names now(getModule().get());
  bool isSame = now == *names;
  nb::handle(types.endFunctions)(toPython(name), view, changed, taken,
                                 isSame ? nb::list() : names->toList(),
                                 isSame ? nb::list() : now.toList());
  return true;
}

MlirLogicalResult runFunctionPass(MlirOperation root, bool *isPreserved,
                                  void *userData) {
  HostSection host;
  return keepErrors([&] {
    ModulePassData &data = **static_cast<ModulePassDataRef *>(userData);
    RunOf run(root);
    bool succeeded = false;
    try {
      succeeded = FunctionWalk(data, *run).run();
    } catch (nb::python_error &error) {
      error.restore();
    }
    if (!succeeded)
      return failCallback(*run);
    run->endCallback();
    *isPreserved = !std::exchange(run->isUnverified, false);
    return mlirLogicalResultSuccess();
  });
}

void bindFunctionPass(nb::module_ &m) {
  m.def("bind_function", FunctionWalk::bind, "function"_a);
}

} // namespace partita::python
