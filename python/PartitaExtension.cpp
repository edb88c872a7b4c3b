//===- PartitaExtension.cpp - What Python needs of the C API --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules, passes, contexts and instruments as Python objects; the classes that
// users see derive from these, in partita/*.py. The GIL is released while
// passes run, and held by the callbacks.
//
// MLIR runs passes on an op that Python never owns. What a callback looks at is
// moved to an op of its own, and back when the callback is over; if somebody
// still holds it then, it stays theirs and a copy goes back. So nothing that
// Python holds is ever changed or erased by a pass.
//
//===----------------------------------------------------------------------===//

#include "partita-c/Dialects.h"
#include "partita-c/Transform.h"

#include "mlir/Bindings/Python/IRCore.h"
#include "mlir/Bindings/Python/Nanobind.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;
using namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

namespace {

//===----------------------------------------------------------------------===//
// Strings, errors, types
//===----------------------------------------------------------------------===//

MlirStringRef wrap(const std::string &text) {
  return mlirStringRefCreate(text.data(), text.size());
}

std::string toString(MlirStringRef text) {
  return std::string(text.data, text.length);
}

/// A str, whatever the bytes are: attributes hold any.
nb::str toPython(MlirStringRef text) {
  nb::object object = nb::steal(
      PyUnicode_DecodeUTF8(text.data, intptr_t(text.length), "replace"));
  if (!object.is_valid())
    throw nb::python_error();
  return nb::borrow<nb::str>(object);
}
nb::str toPython(const std::string &text) { return toPython(wrap(text)); }

/// A str that Python has given, which can have what UTF-8 has not.
std::string toString(nb::handle text) {
  Py_ssize_t size = 0;
  const char *data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!data)
    throw nb::python_error();
  return std::string(data, size);
}

void appendTo(MlirStringRef text, void *userData) {
  static_cast<std::string *>(userData)->append(text.data, text.length);
}

/// The Python classes that derive from those of this file. They live as long as
/// the process, as their modules do.
struct PythonTypes {
  PyObject *irModule = nullptr;
  PyObject *passContext = nullptr;
  PyObject *passInfo = nullptr;
  PyObject *passError = nullptr;
  PyObject *passWarning = nullptr;
} types;

/// Python objects that C++ has let go of. It does so on any thread and with its
/// locks held, where code of the user, which freeing an object can run, must
/// not be. They are freed at the end of a call from Python.
struct Garbage {
  std::mutex mutex;
  std::vector<PyObject *> objects;
};

Garbage &getGarbage() {
  static auto &garbage = *new Garbage;
  return garbage;
}

void dropLater(PyObject *object) {
  if (!object)
    return;
  Garbage &garbage = getGarbage();
  std::lock_guard<std::mutex> lock(garbage.mutex);
  garbage.objects.push_back(object);
}

void collectGarbage() {
  std::vector<PyObject *> objects;
  {
    Garbage &garbage = getGarbage();
    std::lock_guard<std::mutex> lock(garbage.mutex);
    objects.swap(garbage.objects);
  }
  for (PyObject *object : objects)
    Py_DECREF(object);
}

/// The exception that a callback on this thread has raised, until the call of
/// the user that led to it returns.
thread_local PyObject *pendingError = nullptr;

/// At the end of the process, Python ends the threads that are left where they
/// wait for the GIL, which C++ cannot bear: calls are waited for, and none
/// start.
struct Shutdown {
  std::atomic<bool> hasBegun{false};
  std::atomic<unsigned> numCalls{0};
  /// The one that ends the process.
  std::thread::id thread;
};

Shutdown &getShutdown() {
  static auto &shutdown = *new Shutdown;
  return shutdown;
}

void beginShutdown() {
  Shutdown &shutdown = getShutdown();
  shutdown.thread = std::this_thread::get_id();
  shutdown.hasBegun = true;
  nb::gil_scoped_release release;
  // A callback can take forever.
  for (unsigned i = 0; i < 5000 && shutdown.numCalls > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// A call of the user. What was raised around it is not its error: an
/// instrument that is exited because another failed can run passes.
class CallScope {
public:
  CallScope() : outer(std::exchange(pendingError, nullptr)) {
    if (depth++ > 0)
      return;
    Shutdown &shutdown = getShutdown();
    if (shutdown.hasBegun && std::this_thread::get_id() != shutdown.thread) {
      nb::gil_scoped_release release;
      while (true)
        std::this_thread::sleep_for(std::chrono::hours(1));
    }
    ++shutdown.numCalls;
  }
  CallScope(const CallScope &) = delete;
  ~CallScope() {
    Py_XDECREF(std::exchange(pendingError, outer));
    collectGarbage();
    if (--depth == 0)
      --getShutdown().numCalls;
  }

private:
  PyObject *outer;

  static thread_local unsigned depth;
};
thread_local unsigned CallScope::depth = 0;

/// The last of the causes of `error`; null if `other` is one of them.
PyObject *getFirstCause(PyObject *error, PyObject *other) {
  for (unsigned i = 0; i < 1000; ++i) {
    if (error == other)
      return nullptr;
    PyObject *cause = PyException_GetCause(error);
    if (!cause)
      return error;
    // The error holds it.
    Py_DECREF(cause);
    error = cause;
  }
  return nullptr;
}

/// Keeps `error`, which follows from the one that is pending, if there is one.
void keepError(nb::object error) {
  PyObject *first = std::exchange(pendingError, error.release().ptr());
  if (!first)
    return;
  PyObject *last = getFirstCause(pendingError, first);
  if (last && getFirstCause(first, last))
    PyException_SetCause(last, first);
  else
    Py_DECREF(first);
}

/// Keeps the exception that Python has set.
void keepCurrentError() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback)
    PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  keepError(nb::steal(value));
}

void keepTypeError(const std::string &message) {
  keepError(nb::handle(PyExc_TypeError)(toPython(message)));
}

/// Calls `function`, a callback's work, and keeps what it throws: nothing may
/// pass through MLIR.
template <typename Function>
MlirLogicalResult keepErrors(Function function) {
  try {
    return function();
  } catch (nb::python_error &error) {
    error.restore();
    keepCurrentError();
  } catch (std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    keepCurrentError();
  }
  return mlirLogicalResultFailure();
}

[[noreturn]] void raise(nb::object error) {
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())),
                  error.ptr());
  throw nb::python_error();
}

/// Raises what a callback has raised, if one has.
void raisePending() {
  if (!pendingError)
    return;
  PyObject *error = pendingError;
  pendingError = nullptr;
  PyObject *type = reinterpret_cast<PyObject *>(Py_TYPE(error));
  Py_INCREF(type);
  PyErr_Restore(type, error, PyException_GetTraceback(error));
  throw nb::python_error();
}

[[noreturn]] void raise(PyObject *type, const std::string &message) {
  PyErr_SetObject(type, toPython(message).ptr());
  throw nb::python_error();
}

std::string typeName(nb::handle object) {
  return Py_TYPE(object.ptr())->tp_name;
}

/// The T that `object` is. Null if it is none, or one whose class has not
/// called the __init__ of its base.
template <typename T>
T *getAs(nb::handle object) {
  if (!nb::isinstance<T>(object) || !nb::inst_ready(object))
    return nullptr;
  return nb::inst_ptr<T>(object);
}

//===----------------------------------------------------------------------===//
// PassInfo
//===----------------------------------------------------------------------===//

/// A PassInfo with what it points to.
class InfoHolder {
public:
  InfoHolder(std::string name, int optLevel, std::vector<std::string> required)
      : name(std::move(name)), optLevel(optLevel),
        required(std::move(required)) {
    for (const std::string &text : this->required)
      refs.push_back(wrap(text));
  }
  InfoHolder(const InfoHolder &) = delete;

  PartitaPassInfo get() const {
    return {wrap(name), optLevel, intptr_t(refs.size()), refs.data()};
  }

private:
  std::string name;
  int optLevel;
  std::vector<std::string> required;
  std::vector<MlirStringRef> refs;
};

/// The Python PassInfo of `info`. They are kept by name: callbacks ask for the
/// same few over and over.
nb::object toPython(const PartitaPassInfo &info) {
  struct Kept {
    int optLevel = 0;
    std::vector<std::string> required;
    PyObject *object = nullptr;
  };
  static auto &cache = *new std::unordered_map<std::string, Kept>;
  std::vector<std::string> required;
  for (intptr_t i = 0; i < info.numRequired; ++i)
    required.push_back(toString(info.required[i]));
  std::string name = toString(info.name);
  auto it = cache.find(name);
  if (it != cache.end() && it->second.optLevel == info.optLevel &&
      it->second.required == required)
    return nb::borrow(it->second.object);
  nb::list names;
  for (const std::string &text : required)
    names.append(toPython(text));
  // This runs Python, which can fail or let another thread in here.
  nb::object object =
      nb::handle(types.passInfo)(info.optLevel, toPython(name), names);
  Kept &kept = cache[name];
  nb::object old = nb::steal(kept.object);
  kept = {info.optLevel, std::move(required),
          nb::object(object).release().ptr()};
  return object;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

nb::object createOwner(MlirOperation op) {
  return PyOperation::createDetached(
             PyMlirContext::forContext(mlirOperationGetContext(op)), op)
      .getObject();
}

/// A module: an op that Python owns, or a view of the op that passes run on,
/// which is valid during a callback.
struct Module {
  /// The mlir.ir.Operation; unset in a view that nobody has looked into.
  nb::object operation;
  /// What passes run on, for a view.
  MlirOperation root = {nullptr};

  nb::object getOperation() {
    if (!operation.is_valid()) {
      if (!root.ptr)
        raise(PyExc_RuntimeError, "expected a module that is used after the "
                                  "callback that got it to be kept by it");
      // Another thread can come in between.
      nb::object owner = createOwner(partitaModuleCloneEmpty(root));
      if (!operation.is_valid() && root.ptr) {
        (void)partitaModuleGive(
            nb::cast<PyOperationBase &>(owner).getOperation().get(), root,
            /*clone=*/false);
        operation = std::move(owner);
      }
      return getOperation();
    }
    return operation;
  }
  MlirOperation get() {
    return nb::cast<PyOperationBase &>(getOperation()).getOperation().get();
  }
};

nb::object createModule(nb::object operation) {
  nb::object module = nb::inst_alloc(types.irModule);
  new (nb::inst_ptr<Module>(module)) Module{std::move(operation), {nullptr}};
  nb::inst_mark_ready(module);
  return module;
}

/// The Python objects of the contexts that this thread has entered and not
/// left, with a null for each run: they stay while C++ can return them as
/// current.
struct EnteredContexts {
  std::vector<PyObject *> objects;

  void leaveTo(size_t depth) {
    while (objects.size() > depth) {
      dropLater(objects.back());
      objects.pop_back();
    }
  }
  ~EnteredContexts() { leaveTo(0); }
};
thread_local EnteredContexts entered;

/// A run of passes that Python has started on this thread.
struct Run {
  explicit Run(MlirOperation root, nb::object context)
      : root(root), context(std::move(context)), outer(innermost),
        depth(outer ? outer->depth + 1 : 0),
        enteredDepth(entered.objects.size()) {
    innermost = this;
    entered.objects.push_back(nullptr);
  }
  Run(const Run &) = delete;
  ~Run() {
    innermost = outer;
    entered.leaveTo(enteredDepth);
    if (view.is_valid())
      nb::inst_ptr<Module>(view)->root = {nullptr};
  }

  nb::object getView() {
    if (!view.is_valid())
      view = createModule(nb::object());
    nb::inst_ptr<Module>(view)->root = root;
    return view;
  }

  /// Ends a callback: what the view has taken goes back, unless `isReplaced`
  /// says that the module has got something else.
  void endCallback(bool isReplaced = false) {
    Module &module = *nb::inst_ptr<Module>(view);
    bool isKept = Py_REFCNT(view.ptr()) > 1;
    if (module.operation.is_valid()) {
      hasLooked = isUnverified = true;
      isKept |= isReplaced || Py_REFCNT(module.operation.ptr()) > 1;
      if (!isReplaced)
        (void)partitaModuleGive(root, module.get(), /*clone=*/isKept);
      if (!isKept)
        module.operation.reset();
    } else if (isKept) {
      nb::object copy = createOwner(mlirOperationClone(root));
      // Another thread can have come in between.
      if (module.operation.is_valid())
        return endCallback(isReplaced);
      module.operation = std::move(copy);
    }
    module.root = {nullptr};
    if (isKept)
      view.reset();
  }

  MlirOperation root;
  nb::object context;
  nb::object view;
  /// Whether a callback has looked into the module, and could have changed it.
  bool hasLooked = false;
  /// The same, since the verifier has run.
  bool isUnverified = false;
  /// Whether a module pass has returned another module than it got.
  bool hasReplaced = false;
  Run *outer;
  unsigned depth;
  size_t enteredDepth;

  /// How deep runs may nest: a level takes some kilobytes of the C stack.
  static constexpr unsigned maxDepth = 100;

  /// Raises an error if another run would be nested too deeply.
  static void checkDepth();

  static thread_local Run *innermost;
};
thread_local Run *Run::innermost = nullptr;

/// How much of this thread's C stack is left, and how much there is at all.
std::pair<size_t, size_t> getStack() {
#ifdef __GLIBC__
  // The main thread's are read from a file.
  static thread_local std::pair<char *, size_t> stack = [] {
    void *start = nullptr;
    size_t size = 0;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      pthread_attr_getstack(&attributes, &start, &size);
      pthread_attr_destroy(&attributes);
    }
    return std::pair(static_cast<char *>(start), size);
  }();
  char here = 0;
  if (stack.first)
    return {&here - stack.first, stack.second};
#endif
  return {size_t(1) << 20, size_t(1) << 20};
}

void Run::checkDepth() {
  if (!innermost)
    return;
  // What a pass takes.
  constexpr size_t needed = size_t(256) << 10;
  auto [left, size] = getStack();
  if (innermost->depth + 1 >= maxDepth || left < std::min(needed, size / 2))
    raise(PyExc_RecursionError,
          "expected passes to run at most " + std::to_string(maxDepth) +
              " deep inside each other, and less on a small stack, but found "
              "a deeper one");
}

nb::object getCurrentContext();

/// The run that `root` is of. There is none if Python has not started it.
class RunOf {
public:
  explicit RunOf(MlirOperation root) {
    if (Run::innermost && mlirOperationEqual(Run::innermost->root, root))
      run = Run::innermost;
    else
      run = &own.emplace(root, getCurrentContext());
  }
  Run *operator->() { return run; }
  Run &operator*() { return *run; }

private:
  std::optional<Run> own;
  Run *run;
};

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// What a Python module pass is to C. The pass's object owns the function, and
/// what runs the pass holds that: the collector sees all cycles.
struct ModulePassData {
  std::string name;
  nb::object function;
};
/// What C calls a module pass's user data.
using ModulePassDataRef = std::shared_ptr<ModulePassData>;

/// A pass; Python's classes of passes derive from it.
struct Pass {
  PartitaPass pass = {nullptr};
  /// Whether it is a Python module pass, or runs nothing else.
  bool isPython = false;
  /// How deep Sequentials are nested in it. C++ goes through them, and frees
  /// them, recursively.
  unsigned depth = 0;
  /// The members of a Sequential.
  std::vector<nb::object> members;
  /// Set for a Python module pass.
  ModulePassDataRef data;

  explicit Pass(PartitaPass pass, bool isPython = false)
      : pass(pass), isPython(isPython) {}
  Pass(const Pass &) = delete;
  ~Pass() {
    clear();
    partitaPassDestroy(pass);
    collectGarbage();
  }

  void clear() {
    std::vector<nb::object> oldMembers = std::exchange(members, {});
    nb::object function;
    if (data)
      std::swap(function, data->function);
  }

  static constexpr unsigned maxDepth = 200;
};

int traversePass(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (PyObject **dict = _PyObject_GetDictPtr(self))
    Py_VISIT(*dict);
  if (!nb::inst_ready(self))
    return 0;
  Pass &pass = *nb::inst_ptr<Pass>(self);
  for (nb::object &member : pass.members)
    Py_VISIT(member.ptr());
  if (pass.data)
    Py_VISIT(pass.data->function.ptr());
  return 0;
}

int clearPass(PyObject *self) {
  if (PyObject **dict = _PyObject_GetDictPtr(self))
    Py_CLEAR(*dict);
  if (nb::inst_ready(self))
    nb::inst_ptr<Pass>(self)->clear();
  return 0;
}

PyType_Slot passSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(traversePass)},
    {Py_tp_clear, reinterpret_cast<void *>(clearPass)},
    {0, nullptr}};

/// The passes that Python has registered, by their names.
std::unordered_map<std::string, nb::object> &getRegistered() {
  static auto &passes = *new std::unordered_map<std::string, nb::object>;
  return passes;
}

/// Makes `result`, which a module pass has returned, the module of `run`.
MlirLogicalResult replaceModule(Run &run, const std::string &name,
                                nb::object result) {
  auto fail = [&](const std::string &expected, const std::string &found) {
    keepTypeError("expected module pass '" + name + "' to return " + expected +
                  ", but it returned " + found);
    run.endCallback();
    return mlirLogicalResultFailure();
  };
  Module *module = getAs<Module>(result);
  if (!module)
    return fail("an IRModule", typeName(result));
  MlirOperation from = module->get();
  if (!mlirContextEqual(mlirOperationGetContext(from),
                        mlirOperationGetContext(run.root)))
    return fail("a module of its argument's MLIR context",
                "one of another context");
  MlirIdentifier expected = mlirOperationGetName(run.root);
  MlirIdentifier found = mlirOperationGetName(from);
  if (!mlirIdentifierEqual(found, expected))
    return fail("a " + toString(mlirIdentifierStr(expected)),
                "a " + toString(mlirIdentifierStr(found)));
  run.hasReplaced = true;
  bool isView = module->root.ptr;
  run.endCallback(/*isReplaced=*/true);
  bool isKept = Py_REFCNT(result.ptr()) > 1 ||
                Py_REFCNT(module->operation.ptr()) > 1 || isView ||
                !mlirOperationIsNull(mlirOperationGetParentOperation(from));
  return partitaModuleGive(run.root, from, /*clone=*/isKept);
}

MlirLogicalResult runModulePass(MlirOperation root, bool *isPreserved,
                                void *userData) {
  nb::gil_scoped_acquire gil;
  return keepErrors([&] {
    ModulePassData &data = **static_cast<ModulePassDataRef *>(userData);
    nb::object function = data.function;
    if (!function.is_valid())
      raise(PyExc_RuntimeError, "expected module pass '" + data.name +
                                    "' to be alive when it runs");
    RunOf run(root);
    nb::object view = run->getView();
    PyObject *args[] = {view.ptr(), run->context.ptr()};
    nb::object result =
        nb::steal(PyObject_Vectorcall(function.ptr(), args, 2, nullptr));
    bool isSame = result.ptr() == view.ptr();
    view.reset();
    if (!result.is_valid()) {
      keepCurrentError();
      run->endCallback();
      return mlirLogicalResultFailure();
    }
    if (!isSame) {
      run->isUnverified = false;
      return replaceModule(*run, data.name, std::move(result));
    }
    result.reset();
    run->endCallback();
    *isPreserved = !std::exchange(run->isUnverified, false);
    return mlirLogicalResultSuccess();
  });
}

struct ModulePass : Pass {
  ModulePass(nb::callable function, const InfoHolder &info)
      : Pass({nullptr}, /*isPython=*/info.get().numRequired == 0) {
    data = std::make_shared<ModulePassData>(
        ModulePassData{toString(info.get().name), std::move(function)});
    pass = partitaPassCreateModulePass(
        runModulePass,
        [](void *userData) {
          delete static_cast<ModulePassDataRef *>(userData);
        },
        new ModulePassDataRef(data), info.get());
  }
};

struct Sequential : Pass {
  Sequential(const std::vector<Pass *> &passes, const InfoHolder &info)
      : Pass({nullptr}, /*isPython=*/info.get().numRequired == 0) {
    std::vector<PartitaPass> handles;
    for (Pass *member : passes) {
      handles.push_back(member->pass);
      members.push_back(nb::find(*member));
      isPython &= member->isPython;
      depth = std::max(depth, member->depth + 1);
    }
    if (depth > maxDepth)
      raise(PyExc_RecursionError, "expected Sequentials to be nested at most " +
                                      std::to_string(maxDepth) +
                                      " deep, but found a deeper one");
    pass =
        partitaPassCreateSequential(handles.size(), handles.data(), info.get());
  }
};

nb::object createPass(PartitaPass pass) {
  return nb::cast(new Pass(pass), nb::rv_policy::take_ownership);
}

//===----------------------------------------------------------------------===//
// Config values
//===----------------------------------------------------------------------===//

/// `value` as an attribute of the config options' context.
MlirAttribute toAttribute(const std::string &key, nb::handle value) {
  // A list can be in itself.
  if (Py_EnterRecursiveCall(" in a config value"))
    throw nb::python_error();
  struct Leave {
    ~Leave() { Py_LeaveRecursiveCall(); }
  } leave;
  MlirContext context = partitaGetPassConfigContext();
  PyObject *object = value.ptr();
  if (PyBool_Check(object))
    return mlirBoolAttrGet(context, object == Py_True);
  if (PyLong_Check(object)) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow)
      raise(PyExc_OverflowError,
            "expected the value of config '" + key + "' to fit in 64 bits");
    return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), number);
  }
  if (PyFloat_Check(object))
    return mlirFloatAttrDoubleGet(context, mlirF64TypeGet(context),
                                  PyFloat_AsDouble(object));
  if (PyUnicode_Check(object)) {
    std::string text = toString(value);
    return mlirStringAttrGet(context, wrap(text));
  }
  if (PyList_Check(object) || PyTuple_Check(object)) {
    std::vector<MlirAttribute> elements;
    for (nb::handle element : value)
      elements.push_back(toAttribute(key, element));
    return mlirArrayAttrGet(context, elements.size(), elements.data());
  }
  if (PyDict_Check(object)) {
    std::vector<MlirNamedAttribute> fields;
    for (nb::handle item : nb::steal<nb::list>(PyDict_Items(object))) {
      nb::object name = item[0];
      if (!PyUnicode_Check(name.ptr()))
        raise(PyExc_TypeError, "expected the fields of config '" + key +
                                   "' to be named by str, but found " +
                                   typeName(name));
      fields.push_back({mlirIdentifierGet(context, wrap(toString(name))),
                        toAttribute(key, item[1])});
    }
    return mlirDictionaryAttrGet(context, fields.size(), fields.data());
  }
  raise(PyExc_TypeError, "expected the value of config '" + key +
                             "' to be a bool, int, float, str, list or dict, "
                             "but found " +
                             typeName(value));
}

nb::object toPython(MlirAttribute attribute) {
  if (mlirAttributeIsNull(attribute))
    return nb::none();
  if (mlirAttributeIsABool(attribute))
    return nb::bool_(mlirBoolAttrGetValue(attribute));
  if (mlirAttributeIsAInteger(attribute))
    return nb::int_(mlirIntegerAttrGetValueInt(attribute));
  if (mlirAttributeIsAFloat(attribute))
    return nb::float_(mlirFloatAttrGetValueDouble(attribute));
  if (mlirAttributeIsAString(attribute))
    return toPython(mlirStringAttrGetValue(attribute));
  if (mlirAttributeIsAArray(attribute)) {
    nb::list elements;
    for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(attribute); ++i)
      elements.append(toPython(mlirArrayAttrGetElement(attribute, i)));
    return elements;
  }
  if (mlirAttributeIsADictionary(attribute)) {
    nb::dict fields;
    for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(attribute); ++i) {
      MlirNamedAttribute field = mlirDictionaryAttrGetElement(attribute, i);
      fields[toPython(mlirIdentifierStr(field.name))] =
          toPython(field.attribute);
    }
    return fields;
  }
  std::string text;
  mlirAttributePrint(attribute, appendTo, &text);
  return toPython(text);
}

//===----------------------------------------------------------------------===//
// Instruments
//===----------------------------------------------------------------------===//

/// An instrument that is written in C++.
struct Instrument {
  PartitaPassInstrument instrument;

  explicit Instrument(PartitaPassInstrument instrument)
      : instrument(instrument) {}
  Instrument(const Instrument &) = delete;
  ~Instrument() { partitaPassInstrumentDestroy(instrument); }
};

enum Callback { Enter, Exit, ShouldRun, RunBefore, RunAfter, NumCallbacks };

/// What an instrument that is written in Python is to C: its bound methods,
/// null for those that it does not define.
struct InstrumentData {
  std::string name;
  PyObject *methods[NumCallbacks] = {};

  explicit InstrumentData(std::string name) : name(std::move(name)) {}
  InstrumentData(const InstrumentData &) = delete;
  ~InstrumentData() {
    for (PyObject *method : methods)
      dropLater(method);
  }

  /// Calls a method; null is returned for an exception. The garbage collector
  /// can have cleared it.
  nb::object call(Callback callback, PyObject *const *args, size_t numArgs) {
    if (!methods[callback])
      return nb::none();
    nb::object method = nb::borrow(methods[callback]);
    return nb::steal(PyObject_Vectorcall(method.ptr(), args, numArgs, nullptr));
  }
};
/// What C calls an instrument's user data.
using InstrumentDataRef = std::shared_ptr<InstrumentData>;

/// Calls a callback that looks at the module, and hands over what it returns.
template <typename Handler>
MlirLogicalResult callWithModule(Callback callback, MlirOperation root,
                                 PartitaPassInfo info, void *userData,
                                 Handler handler) {
  nb::gil_scoped_acquire gil;
  return keepErrors([&] {
    InstrumentData &data = **static_cast<InstrumentDataRef *>(userData);
    RunOf run(root);
    nb::object view = run->getView();
    nb::object pass = toPython(info);
    PyObject *args[] = {view.ptr(), pass.ptr()};
    nb::object result = data.call(callback, args, 2);
    view.reset();
    bool isRaised = !result.is_valid();
    if (isRaised)
      keepCurrentError();
    run->endCallback();
    return isRaised ? mlirLogicalResultFailure() : handler(data, result);
  });
}

MlirLogicalResult callShouldRun(MlirOperation root, PartitaPassInfo info,
                                bool *answer, void *userData) {
  return callWithModule(
      ShouldRun, root, info, userData,
      [&](InstrumentData &data, nb::handle result) {
        if (!PyBool_Check(result.ptr())) {
          keepTypeError("expected should_run of instrument '" + data.name +
                        "' to return a bool for pass '" + toString(info.name) +
                        "', but it returned " + typeName(result));
          return mlirLogicalResultFailure();
        }
        *answer = result.ptr() == Py_True;
        return mlirLogicalResultSuccess();
      });
}

template <Callback callback>
MlirLogicalResult callObserver(MlirOperation root, PartitaPassInfo info,
                               void *userData) {
  return callWithModule(
      callback, root, info, userData,
      [](InstrumentData &, nb::handle) { return mlirLogicalResultSuccess(); });
}

template <Callback callback>
MlirLogicalResult callScope(void *userData) {
  nb::gil_scoped_acquire gil;
  return keepErrors([&] {
    InstrumentData &data = **static_cast<InstrumentDataRef *>(userData);
    if (data.call(callback, nullptr, 0).is_valid())
      return mlirLogicalResultSuccess();
    keepCurrentError();
    return mlirLogicalResultFailure();
  });
}

void destroyInstrument(void *userData) {
  delete static_cast<InstrumentDataRef *>(userData);
}

/// The instrument that the bound methods in `methods` are, in the order of the
/// callbacks; None for one that is not defined.
PartitaPassInstrument createInstrument(InstrumentDataRef data,
                                       nb::sequence methods) {
  for (int i = 0; i < NumCallbacks; ++i) {
    nb::object method = methods[i];
    if (!method.is_none())
      data->methods[i] = method.release().ptr();
  }
  PartitaPassInstrumentCallbacks callbacks = {};
  callbacks.destroy = destroyInstrument;
  if (data->methods[Enter])
    callbacks.enterPassContext = callScope<Enter>;
  if (data->methods[Exit])
    callbacks.exitPassContext = callScope<Exit>;
  if (data->methods[ShouldRun])
    callbacks.shouldRun = callShouldRun;
  if (data->methods[RunBefore])
    callbacks.runBeforePass = callObserver<RunBefore>;
  if (data->methods[RunAfter])
    callbacks.runAfterPass = callObserver<RunAfter>;
  return partitaPassInstrumentCreate(wrap(data->name), callbacks,
                                     new InstrumentDataRef(data));
}

//===----------------------------------------------------------------------===//
// PassContext
//===----------------------------------------------------------------------===//

struct Context;

/// The Python objects of contexts, by the contexts' ids.
std::unordered_map<const void *, PyObject *> &getLiveContexts() {
  static auto &contexts = *new std::unordered_map<const void *, PyObject *>;
  return contexts;
}

/// An instrument of a context: as the user gave it, and as C knows it.
struct ContextInstrument {
  const void *id;
  nb::object object;
  /// Unset for one that is written in C++.
  InstrumentDataRef data;
};

struct Context {
  PartitaPassContext context;
  std::vector<ContextInstrument> instruments;

  explicit Context(PartitaPassContext context) : context(context) {}
  Context(const Context &) = delete;
  ~Context() {
    getLiveContexts().erase(partitaPassContextGetId(context));
    partitaPassContextDestroy(context);
    collectGarbage();
  }

  /// The present instruments, as the user gave them.
  std::vector<ContextInstrument> getInstruments() {
    std::vector<const void *> ids;
    partitaPassContextGetInstruments(
        context,
        [](const void *id, void *userData) {
          static_cast<std::vector<const void *> *>(userData)->push_back(id);
        },
        &ids);
    std::vector<ContextInstrument> present;
    for (const void *id : ids)
      for (const ContextInstrument &instrument : instruments)
        if (instrument.id == id) {
          present.push_back(instrument);
          break;
        }
    return present;
  }
};

/// Contexts hold instruments, and instruments can hold contexts.
int traverseContext(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self))
    return 0;
  for (ContextInstrument &instrument :
       nb::inst_ptr<Context>(self)->instruments) {
    Py_VISIT(instrument.object.ptr());
    // While C++ can call them, the thread that is in the context holds it.
    if (instrument.data)
      for (PyObject *method : instrument.data->methods)
        Py_VISIT(method);
  }
  return 0;
}

int clearContext(PyObject *self) {
  if (!nb::inst_ready(self))
    return 0;
  std::vector<ContextInstrument> instruments =
      std::exchange(nb::inst_ptr<Context>(self)->instruments, {});
  for (ContextInstrument &instrument : instruments)
    if (instrument.data)
      for (PyObject *&method : instrument.data->methods)
        Py_CLEAR(method);
  return 0;
}

PyType_Slot contextSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(traverseContext)},
    {Py_tp_clear, reinterpret_cast<void *>(clearContext)},
    {0, nullptr}};

void addLive(nb::handle object) {
  Context &context = *nb::inst_ptr<Context>(object);
  getLiveContexts()[partitaPassContextGetId(context.context)] = object.ptr();
}

nb::object getCurrentContext() {
  PartitaPassContext current = partitaPassContextGetCurrent();
  auto &live = getLiveContexts();
  auto it = live.find(partitaPassContextGetId(current));
  // It can be on its way out.
  if (it != live.end() && Py_REFCNT(it->second) > 0) {
    partitaPassContextDestroy(current);
    return nb::borrow(it->second);
  }
  nb::object object = nb::inst_alloc(types.passContext);
  new (nb::inst_ptr<Context>(object)) Context(current);
  nb::inst_mark_ready(object);
  addLive(object);
  return object;
}

/// Instruments in C, made from (object, handle or name and methods).
class InstrumentList {
public:
  explicit InstrumentList(nb::sequence list) {
    for (nb::handle item : list) {
      nb::object object = item[0], source = item[1];
      InstrumentDataRef data;
      if (Instrument *instrument = getAs<Instrument>(source)) {
        instruments.push_back(
            partitaPassInstrumentCopy(instrument->instrument));
      } else if (PyUnicode_Check(source.ptr())) {
        data = std::make_shared<InstrumentData>(toString(source));
        instruments.push_back(createInstrument(data, item[2]));
      } else {
        destroy();
        raise(PyExc_TypeError, "expected the class " + typeName(source) +
                                   " to call the __init__ of its base");
      }
      objects.push_back({partitaPassInstrumentGetId(instruments.back()),
                         std::move(object), std::move(data)});
    }
  }
  InstrumentList(const InstrumentList &) = delete;
  ~InstrumentList() { destroy(); }

  std::vector<PartitaPassInstrument> instruments;
  std::vector<ContextInstrument> objects;

private:
  void destroy() {
    for (PartitaPassInstrument instrument : instruments)
      partitaPassInstrumentDestroy(instrument);
    instruments.clear();
  }
};

std::vector<MlirStringRef> wrapAll(const std::vector<std::string> &texts) {
  std::vector<MlirStringRef> refs;
  for (const std::string &text : texts)
    refs.push_back(wrap(text));
  return refs;
}

void initContext(nb::pointer_and_handle<Context> self, int optLevel,
                 const std::vector<std::string> &required,
                 const std::vector<std::string> &disabled, nb::dict config,
                 nb::sequence instruments) {
  std::vector<MlirStringRef> requiredRefs = wrapAll(required);
  std::vector<MlirStringRef> disabledRefs = wrapAll(disabled);
  std::vector<MlirNamedAttribute> configs;
  for (nb::handle item : nb::steal<nb::list>(PyDict_Items(config.ptr()))) {
    nb::object key = item[0], value = item[1];
    if (!PyUnicode_Check(key.ptr()))
      raise(PyExc_TypeError,
            "expected the keys of config to be str, but found " +
                typeName(key));
    std::string name = toString(key);
    configs.push_back(
        {mlirIdentifierGet(partitaGetPassConfigContext(), wrap(name)),
         toAttribute(name, value)});
  }
  InstrumentList list(instruments);
  std::string message;
  PartitaPassContext context = partitaPassContextCreate(
      {optLevel, intptr_t(required.size()), requiredRefs.data(),
       intptr_t(disabled.size()), disabledRefs.data(), intptr_t(configs.size()),
       configs.data(), intptr_t(list.instruments.size()),
       list.instruments.data()},
      appendTo, &message);
  if (!context.ptr)
    raise(optLevel < 0 ? PyExc_ValueError : PyExc_AttributeError, message);
  new (self.p) Context(context);
  self.p->instruments = std::move(list.objects);
  addLive(self.h);
}

/// Calls `function`, which can call back, and raises what goes wrong.
template <typename Function>
void callWithErrors(Function function) {
  CallScope scope;
  std::string message;
  MlirLogicalResult result;
  {
    nb::gil_scoped_release release;
    result = function(appendTo, &message);
  }
  if (mlirLogicalResultIsSuccess(result))
    return;
  raisePending();
  raise(PyExc_RuntimeError, message);
}

void enterContext(Context &self) {
  callWithErrors([&](MlirStringCallback onError, void *userData) {
    return partitaPassContextEnter(self.context, onError, userData);
  });
  entered.objects.push_back(nb::find(self).release().ptr());
}

void exitContext(Context &self) {
  nb::object object = nb::find(self);
  if (!entered.objects.empty() && entered.objects.back() == object.ptr()) {
    entered.objects.pop_back();
    object.dec_ref();
  }
  callWithErrors([&](MlirStringCallback onError, void *userData) {
    return partitaPassContextExit(self.context, onError, userData);
  });
}

void overrideInstruments(Context &self, nb::sequence instruments) {
  InstrumentList list(instruments);
  // The old ones are known until their exit is over.
  self.instruments.insert(self.instruments.end(), list.objects.begin(),
                          list.objects.end());
  struct Forget {
    Context &context;
    ~Forget() {
      std::vector<ContextInstrument> present = context.getInstruments();
      // Frees the others when the context is as it should be.
      context.instruments.swap(present);
    }
  } forget{self};
  callWithErrors([&](MlirStringCallback onError, void *userData) {
    return partitaPassContextOverrideInstruments(
        self.context, list.instruments.size(), list.instruments.data(), onError,
        userData);
  });
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// A diagnostic as text.
struct Diagnostic {
  explicit Diagnostic(const PartitaPassDiagnostic &diagnostic)
      : severity(diagnostic.severity), location(toString(diagnostic.location)),
        message(toString(diagnostic.message)) {
    for (intptr_t i = 0; i < diagnostic.numNotes; ++i)
      notes.push_back(toString(diagnostic.notes[i]));
  }

  nb::tuple toTuple() const {
    static constexpr const char *severities[] = {"error", "warning", "note",
                                                 "remark"};
    nb::list noteList;
    for (const std::string &note : notes)
      noteList.append(toPython(note));
    return nb::make_tuple(severities[severity], toPython(location),
                          toPython(message), noteList);
  }

  MlirDiagnosticSeverity severity;
  std::string location, message;
  std::vector<std::string> notes;
};

void appendDiagnostic(PartitaPassDiagnostic diagnostic, void *userData) {
  static_cast<std::vector<Diagnostic> *>(userData)->emplace_back(diagnostic);
}

nb::list toPython(const std::vector<Diagnostic> &diagnostics) {
  nb::list list;
  for (const Diagnostic &diagnostic : diagnostics)
    list.append(diagnostic.toTuple());
  return list;
}

nb::list getDiagnostics(PartitaPassContext context, bool take) {
  std::vector<Diagnostic> diagnostics;
  partitaPassContextGetDiagnostics(context, take, appendDiagnostic,
                                   &diagnostics);
  return toPython(diagnostics);
}

/// Raises, for a run that has failed, what a callback has raised, or else an
/// error with the run's diagnostics.
[[noreturn]] void raiseFailure(Pass &pass,
                               const std::vector<Diagnostic> &diagnostics) {
  raisePending();
  nb::object name;
  partitaPassGetInfo(
      pass.pass,
      [](PartitaPassInfo info, void *userData) {
        *static_cast<nb::object *>(userData) = toPython(info.name);
      },
      &name);
  raise(nb::handle(types.passError)(name, toPython(diagnostics)));
}

/// Makes the run's warnings those of the line that has called the pass.
void warn(const std::vector<Diagnostic> &diagnostics, bool isFailed) {
  for (const Diagnostic &diagnostic : diagnostics) {
    if (diagnostic.severity != MlirDiagnosticWarning)
      continue;
    nb::str message = toPython(diagnostic.message);
    // A surrogate or a null character is in no name of a pass.
    if (PyErr_WarnEx(types.passWarning, PyUnicode_AsUTF8(message.ptr()),
                     /*stack_level=*/2) == 0)
      continue;
    if (!isFailed)
      throw nb::python_error();
    // The run's error counts for more.
    PyErr_Clear();
  }
}

nb::object runPass(Pass &self, nb::object object, bool inPlace, bool verify) {
  Module *found = getAs<Module>(object);
  if (!found)
    raise(PyExc_TypeError, "expected a pass to be called with an IRModule, but "
                           "found " +
                               typeName(object));
  Run::checkDepth();
  Module &module = *found;
  CallScope scope;
  nb::object source = module.getOperation();
  nb::object owner = createOwner(mlirOperationClone(module.get()));
  MlirOperation root = nb::cast<PyOperationBase &>(owner).getOperation().get();
  nb::object contextObject = getCurrentContext();
  Context &context = *nb::inst_ptr<Context>(contextObject);
  std::vector<Diagnostic> diagnostics;
  Run run(root, contextObject);
  MlirLogicalResult result;
  {
    nb::gil_scoped_release release;
    result = partitaPassRun(self.pass, root, context.context, verify,
                            appendDiagnostic, &diagnostics);
  }
  if (PyErr_CheckSignals() != 0) {
    keepCurrentError();
    raisePending();
  }
  bool isFailed = mlirLogicalResultIsFailure(result);
  warn(diagnostics, isFailed);
  if (isFailed)
    raiseFailure(self, diagnostics);
  if (self.isPython && !run.hasReplaced &&
      (!run.hasLooked || partitaOperationIsEquivalent(root, module.get())))
    return object;
  if (!inPlace)
    return createModule(owner);
  module.operation = owner;
  return object;
}

/// How deep the brackets of a pipeline are nested, which MLIR parses
/// recursively.
void checkPipelineDepth(const std::string &text) {
  unsigned depth = 0;
  for (char c : text) {
    if (c == '(' || c == '{')
      ++depth;
    else if ((c == ')' || c == '}') && depth > 0)
      --depth;
    if (depth > Pass::maxDepth)
      raise(PyExc_RecursionError,
            "expected the pipeline to be nested at most " +
                std::to_string(Pass::maxDepth) + " deep");
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// The Python module
//===----------------------------------------------------------------------===//

NB_MODULE(_partita, m) {
  partitaRegisterAllPasses();

  nb::module_::import_("atexit").attr("register")(
      nb::cpp_function(beginShutdown));
  m.def("register_dialects", [](MlirDialectRegistry registry) {
    partitaRegisterAllDialects(registry);
  });
  m.def("get_run_context", []() -> nb::object {
    if (!Run::innermost)
      return nb::none();
    return PyMlirContext::forContext(
               mlirOperationGetContext(Run::innermost->root))
        .releaseObject();
  });
  m.def("get_address",
        [](MlirOperation op) { return reinterpret_cast<uintptr_t>(op.ptr); });
  m.def("set_types",
        [](nb::object irModule, nb::object passContext, nb::object passInfo,
           nb::object passError, nb::object passWarning) {
          types = {irModule.release().ptr(), passContext.release().ptr(),
                   passInfo.release().ptr(), passError.release().ptr(),
                   passWarning.release().ptr()};
        });

  nb::class_<Module>(m, "Module", nb::is_weak_referenceable())
      .def("__init__",
           [](Module *self, nb::object operation) {
             new (self) Module{nb::cast<PyOperationBase &>(operation)
                                   .getOperation()
                                   .getRef()
                                   .getObject(),
                               {nullptr}};
           })
      .def_prop_ro("operation",
                   [](Module &self) { return self.getOperation(); })
      .def("_set_operation",
           [](Module &self, nb::object operation) {
             self.operation = nb::cast<PyOperationBase &>(operation)
                                  .getOperation()
                                  .getRef()
                                  .getObject();
           })
      .def("_equivalent",
           [](Module &self, Module &other) {
             return partitaOperationIsEquivalent(self.get(), other.get());
           })
      .def("_hash",
           [](Module &self) { return partitaOperationHash(self.get()); });

  m.def(
      "import_tvm_json",
      [](PyMlirContext &context, const std::string &json) {
        PyMlirContext::ErrorCapture errors(context.getRef());
        MlirOperation op = partitaImportTVMJson(context.get(), wrap(json));
        if (!op.ptr)
          throw MLIRError("expected a module that TVM has saved",
                          errors.take());
        return createOwner(op);
      },
      "context"_a, "json"_a);

  nb::class_<InfoHolder>(m, "PassInfo")
      .def(nb::init<std::string, int, std::vector<std::string>>());

  nb::class_<Pass>(m, "Pass", nb::is_weak_referenceable(), nb::dynamic_attr(),
                   nb::type_slots(passSlots))
      .def_prop_ro("info",
                   [](Pass &self) {
                     nb::object info;
                     partitaPassGetInfo(
                         self.pass,
                         [](PartitaPassInfo info, void *userData) {
                           *static_cast<nb::object *>(userData) =
                               toPython(info);
                         },
                         &info);
                     return info;
                   })
      .def_prop_ro(
          "is_sequential",
          [](Pass &self) { return partitaPassIsSequential(self.pass); })
      .def("_register",
           [](Pass &self) {
             std::string name;
             partitaPassGetInfo(
                 self.pass,
                 [](PartitaPassInfo info, void *userData) {
                   *static_cast<std::string *>(userData) = toString(info.name);
                 },
                 &name);
             nb::object object = nb::find(self);
             partitaRegisterPass(self.pass);
             // Freeing the old one can run code of the user.
             std::swap(getRegistered()[name], object);
           })
      .def(
          "__eq__",
          [](Pass &self, nb::object other) {
            Pass *pass = getAs<Pass>(other);
            return pass && partitaPassEqual(self.pass, pass->pass);
          },
          "other"_a.none())
      .def("_run", runPass, "module"_a.none(), "in_place"_a, "verify"_a)
      .def("_plan", [](Pass &self, Context &context) {
        std::string message;
        PartitaPlan plan =
            partitaPlanGet(self.pass, context.context, appendTo, &message);
        if (!plan.ptr)
          raise(PyExc_ValueError, message);
        nb::list entries;
        for (intptr_t i = 0; i < partitaPlanGetNumEntries(plan); ++i)
          entries.append(nb::make_tuple(createPass(partitaPlanGetPass(plan, i)),
                                        partitaPlanGetDepth(plan, i),
                                        int(partitaPlanGetReason(plan, i))));
        std::string text;
        partitaPlanPrint(plan, appendTo, &text);
        partitaPlanDestroy(plan);
        return nb::make_tuple(entries, toPython(text));
      });
  nb::class_<ModulePass, Pass>(m, "ModulePass", nb::type_slots(passSlots))
      .def(nb::init<nb::callable, const InfoHolder &>());
  nb::class_<Sequential, Pass>(m, "Sequential", nb::type_slots(passSlots))
      .def(nb::init<const std::vector<Pass *> &, const InfoHolder &>());
  m.def(
      "get_pass",
      [](const std::string &name, const std::string &options) {
        std::string message;
        PartitaPass pass =
            partitaPassGet(wrap(name), wrap(options), appendTo, &message);
        if (!pass.ptr)
          raise(PyExc_ValueError, message);
        nb::object object = createPass(pass);
        auto registered = getRegistered().find(name);
        if (registered != getRegistered().end() &&
            partitaPassEqual(pass,
                             nb::inst_ptr<Pass>(registered->second)->pass))
          return registered->second;
        return object;
      },
      "name"_a, "options"_a);
  m.def(
      "parse_pipeline",
      [](const std::string &pipeline, const InfoHolder &info) {
        checkPipelineDepth(pipeline);
        std::string message;
        PartitaPass pass = partitaPassParseSequential(
            wrap(pipeline), info.get(), appendTo, &message);
        if (!pass.ptr)
          raise(PyExc_ValueError, message);
        return createPass(pass);
      },
      "pipeline"_a, "info"_a);
  m.def("list_passes", [] {
    nb::list passes;
    partitaListPasses(
        [](PartitaPassDeclaration pass, void *userData) {
          static_cast<nb::list *>(userData)->append(nb::make_tuple(
              toPython(pass.info), toPython(pass.argument),
              toPython(pass.qualifiedName), toPython(pass.summary)));
        },
        &passes);
    return passes;
  });
  m.def("list_pass_configs", [] {
    nb::list configs;
    partitaListPassConfigOptions(
        [](PartitaPassConfigOption option, void *userData) {
          static_cast<nb::list *>(userData)->append(nb::make_tuple(
              toPython(option.key), toPython(option.type),
              toPython(option.defaultValue), toPython(option.description)));
        },
        &configs);
    return configs;
  });

  nb::class_<Instrument>(m, "Instrument", nb::is_weak_referenceable())
      .def("__init__",
           [](Instrument *self, const std::string &text) {
             std::string message;
             PartitaPassInstrument instrument =
                 partitaPassInstrumentParse(wrap(text), appendTo, &message);
             if (!instrument.ptr)
               raise(PyExc_ValueError, message);
             new (self) Instrument(instrument);
           })
      .def_prop_ro("name",
                   [](Instrument &self) {
                     return toPython(
                         partitaPassInstrumentGetName(self.instrument));
                   })
      .def("render",
           [](Instrument &self) {
             std::string text;
             partitaPassInstrumentRender(self.instrument, appendTo, &text);
             return toPython(text);
           })
      .def("to_json", [](Instrument &self) {
        std::string text;
        partitaPassInstrumentToJSON(self.instrument, appendTo, &text);
        return toPython(text);
      });
  m.def("list_instruments", [] {
    nb::list options;
    partitaListInstruments(
        [](MlirStringRef instrument, MlirStringRef option,
           MlirStringRef description, void *userData) {
          static_cast<nb::list *>(userData)->append(nb::make_tuple(
              toPython(instrument), toPython(option), toPython(description)));
        },
        &options);
    return options;
  });

  nb::class_<Context>(m, "PassContext", nb::is_weak_referenceable(),
                      nb::type_slots(contextSlots))
      .def("__init__", initContext, "opt_level"_a, "required_pass"_a,
           "disabled_pass"_a, "config"_a, "instruments"_a)
      .def_static("current", getCurrentContext)
      .def_prop_ro("opt_level",
                   [](Context &self) {
                     return partitaPassContextGetOptLevel(self.context);
                   })
      .def_prop_ro(
          "required_pass",
          [](Context &self) {
            nb::list names;
            for (intptr_t i = 0;
                 i < partitaPassContextGetNumRequiredPasses(self.context); ++i)
              names.append(
                  toPython(partitaPassContextGetRequiredPass(self.context, i)));
            return names;
          })
      .def_prop_ro(
          "disabled_pass",
          [](Context &self) {
            nb::list names;
            for (intptr_t i = 0;
                 i < partitaPassContextGetNumDisabledPasses(self.context); ++i)
              names.append(
                  toPython(partitaPassContextGetDisabledPass(self.context, i)));
            return names;
          })
      .def_prop_ro(
          "config",
          [](Context &self) {
            nb::dict config;
            for (intptr_t i = 0;
                 i < partitaPassContextGetNumConfigs(self.context); ++i)
              config[toPython(
                  partitaPassContextGetConfigKey(self.context, i))] =
                  toPython(partitaPassContextGetConfigValue(self.context, i));
            return config;
          })
      .def_prop_ro("instruments",
                   [](Context &self) {
                     nb::list list;
                     for (ContextInstrument &instrument : self.getInstruments())
                       list.append(instrument.object);
                     return list;
                   })
      .def("pass_enabled",
           [](Context &self, const InfoHolder &info) {
             return partitaPassContextPassEnabled(self.context, info.get());
           })
      .def("enter", enterContext)
      .def("exit", exitContext)
      .def("override_instruments", overrideInstruments)
      .def("diagnostics", [](Context &self, bool take) {
        return getDiagnostics(self.context, take);
      });
}
