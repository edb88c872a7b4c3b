//===- Support.cpp - Strings, errors and the process ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "llvm/ADT/StringMap.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#ifndef _WIN32
#include <pthread.h>
#endif

using namespace nanobind::literals;

namespace partita::python {

PythonTypes types;

/// The slots for definitions in Python, by name.
static llvm::StringMap<PyObject **> &getSlots() {
  static auto &slots = *new llvm::StringMap<PyObject **>();
  return slots;
}

void declareKnown(const char *name, PyObject **slot) {
  getSlots()[name] = slot;
}

void bindKnown(nb::module_ &m) {
  declareKnown("IRModule", &types.irModule);
  declareKnown("Pass", &types.pass);
  declareKnown("PassContext", &types.passContext);
  declareKnown("PassInfo", &types.passInfo);
  declareKnown("PassError", &types.passError);
  declareKnown("PassWarning", &types.passWarning);
  declareKnown("Owner", &types.functionOwner);
  declareKnown("end_functions", &types.endFunctions);
  declareKnown("read_node", &types.readNode);
  declareKnown("write_node", &types.writeNode);
  declareKnown("describe_pass", &types.describePass);
  m.def(
      "known_as",
      [](const std::string &name) {
        auto found = getSlots().find(name);
        if (found == getSlots().end())
          raise(PyExc_ValueError, "expected a name under which the extension "
                                  "knows a definition, but found '" +
                                      name + "'");
        return nb::cpp_function([slot = found->second](nb::object definition) {
          Py_XDECREF(
              std::exchange(*slot, nb::object(definition).release().ptr()));
          return definition;
        });
      },
      "name"_a);
}

nb::str toPython(MlirStringRef text) {
  nb::object object = nb::steal(
      PyUnicode_DecodeUTF8(text.data, intptr_t(text.length), "replace"));
  if (!object.is_valid())
    throw nb::python_error();
  return nb::borrow<nb::str>(object);
}
std::string toString(nb::handle text) {
  Py_ssize_t size = 0;
  const char *data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!data)
    throw nb::python_error();
  return std::string(data, size);
}

std::string toString(MlirType type) {
  std::string text;
  mlirTypePrint(type, appendTo, &text);
  return text;
}

void appendTo(MlirStringRef text, void *userData) {
  static_cast<std::string *>(userData)->append(text.data, text.length);
}

namespace {

/// Python objects that C++ has released, and that are freed when a call from
/// Python ends; see dropLater.
struct Garbage {
  std::mutex mutex;
  std::vector<PyObject *> objects;
};

Garbage &getGarbage() {
  static auto &garbage = *new Garbage;
  return garbage;
}

} // namespace

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

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

namespace {

/// The threads that are in native code, by the contexts that they use.
struct NativeCode {
  std::mutex mutex;
  std::vector<const void *> contexts;
  /// The contexts of threads that a fork has interrupted.
  std::vector<const void *> broken;

  NativeCode();
};

NativeCode &getNativeCode() {
  static auto &code = *new NativeCode;
  return code;
}

/// The context of the native code that this thread is in, if any.
thread_local std::optional<const void *> nativeContext;

void enterNative(const void *context) {
  nativeContext = context;
  NativeCode &code = getNativeCode();
  std::lock_guard<std::mutex> lock(code.mutex);
  code.contexts.push_back(context);
}

void leaveNative() {
  NativeCode &code = getNativeCode();
  std::lock_guard<std::mutex> lock(code.mutex);
  code.contexts.erase(
      std::find(code.contexts.begin(), code.contexts.end(), *nativeContext));
  nativeContext.reset();
}

/// Whoever forks in Python has the GIL, so that no thread enters native code.
void beforeFork() {
  NativeCode &code = getNativeCode();
  code.mutex.lock();
  // A pass may take forever, or wait for this thread.
  for (unsigned i = 0;
       i < 5000 && code.contexts.size() > size_t(nativeContext.has_value());
       ++i) {
    code.mutex.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    code.mutex.lock();
  }
}

void afterForkInParent() { getNativeCode().mutex.unlock(); }

void afterForkInChild() {
  NativeCode &code = getNativeCode();
  if (nativeContext)
    code.contexts.erase(
        std::find(code.contexts.begin(), code.contexts.end(), *nativeContext));
  for (const void *context : code.contexts)
    if (context)
      code.broken.push_back(context);
  code.contexts.clear();
  if (nativeContext)
    code.contexts.push_back(*nativeContext);
  code.mutex.unlock();
  CallScope::forgetOtherThreads();
}

NativeCode::NativeCode() {
#ifndef _WIN32
  // The last is called first: what it waits for needs the locks of the others.
  partitaRegisterForkHandlers();
  pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
#endif
}

} // namespace

NativeSection::NativeSection(const void *context) {
  enterNative(context);
  state = PyEval_SaveThread();
}

NativeSection::~NativeSection() {
  leaveNative();
  PyEval_RestoreThread(state);
}

bool NativeSection::isBroken(const void *context) {
  NativeCode &code = getNativeCode();
  std::lock_guard<std::mutex> lock(code.mutex);
  return std::find(code.broken.begin(), code.broken.end(), context) !=
         code.broken.end();
}

HostSection::HostSection() : native(nativeContext) {
  if (native)
    leaveNative();
  state = PyGILState_Ensure();
}

HostSection::~HostSection() {
  if (native)
    enterNative(*native);
  PyGILState_Release(state);
}

namespace {

/// The exception that a callback on this thread has raised, until the user's
/// call that led to it returns.
thread_local PyObject *pendingError = nullptr;

/// The calls that the end of the process waits for.
struct Shutdown {
  std::atomic<bool> hasBegun{false};
  std::atomic<unsigned> numCalls{0};
  /// The thread that ends the process.
  std::thread::id thread;
};

Shutdown &getShutdown() {
  static auto &shutdown = *new Shutdown;
  return shutdown;
}

} // namespace

void beginShutdown() {
  Shutdown &shutdown = getShutdown();
  shutdown.thread = std::this_thread::get_id();
  shutdown.hasBegun = true;
  nb::gil_scoped_release release;
  // A callback may never end.
  for (unsigned i = 0; i < 5000 && shutdown.numCalls > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

thread_local unsigned CallScope::depth = 0;

void CallScope::forgetOtherThreads() {
  getShutdown().numCalls = depth > 0 ? 1 : 0;
}

CallScope::CallScope() : outer(std::exchange(pendingError, nullptr)) {
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

CallScope::~CallScope() {
  Py_XDECREF(std::exchange(pendingError, outer));
  collectGarbage();
  if (--depth == 0)
    --getShutdown().numCalls;
}

namespace {

/// The last of the causes of `error`; null if `other` is one of them.
PyObject *getFirstCause(PyObject *error, PyObject *other) {
  for (unsigned i = 0; i < 1000; ++i) {
    if (error == other)
      return nullptr;
    PyObject *cause = PyException_GetCause(error);
    if (!cause)
      return error;
    // The error still holds a reference.
    Py_DECREF(cause);
    error = cause;
  }
  return nullptr;
}

/// Keeps `error`; a pending one becomes its cause.
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

} // namespace

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

void noteCurrentError(const std::string &note) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  try {
    // Before Python 3.11, nothing prints the notes, but they can be read.
    nb::handle error(value);
    nb::object notes = nb::getattr(error, "__notes__", nb::none());
    if (!nb::isinstance<nb::list>(notes)) {
      notes = nb::list();
      error.attr("__notes__") = notes;
    }
    nb::str text = toPython(note);
    if (PySequence_Contains(notes.ptr(), text.ptr()) == 0)
      notes.attr("append")(text);
  } catch (nb::python_error &) {
    // The user's exception matters more than its notes.
  }
  PyErr_Restore(type, value, traceback);
}

void keepTypeError(const std::string &message) {
  keepError(nb::handle(PyExc_TypeError)(toPython(message)));
}

void raise(nb::object error) {
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())),
                  error.ptr());
  throw nb::python_error();
}

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

void raise(PyObject *type, const std::string &message) {
  PyErr_SetObject(type, toPython(message).ptr());
  throw nb::python_error();
}

} // namespace partita::python
