//===- Support.h - Strings, errors and the process ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_EXTENSION_SUPPORT_H
#define PARTITA_PYTHON_EXTENSION_SUPPORT_H

#include "partita-c/Transform.h"

#include "mlir/Bindings/Python/IRCore.h"
#include "mlir/Bindings/Python/Nanobind.h"

#include <optional>
#include <string>
#include <vector>

namespace partita::python {

namespace nb = nanobind;

inline MlirStringRef wrap(const std::string &text) {
  return mlirStringRefCreate(text.data(), text.size());
}

inline std::string toString(MlirStringRef text) {
  return std::string(text.data, text.length);
}

/// A str of any bytes, as attributes may hold any.
nb::str toPython(MlirStringRef text);
inline nb::str toPython(const std::string &text) {
  return toPython(wrap(text));
}

/// A str that lives as long as the process, for the name of an attribute.
inline nb::handle intern(const char *name) {
  return PyUnicode_InternFromString(name);
}

/// The bytes of a str, which may have characters that UTF-8 can't encode.
std::string toString(nb::handle text);

/// The text of a type.
std::string toString(MlirType type);

/// An MlirStringCallback that appends to the std::string at `userData`.
void appendTo(MlirStringRef text, void *userData);

/// The Python classes that derive from the extension's classes, and functions
/// in Python, that C++ code needs. Each of them is known by a name that its
/// definition gives it: `@_partita.known_as("IRModule")`. Like their modules,
/// they live as long as the process.
struct PythonTypes {
  PyObject *irModule = nullptr;
  PyObject *pass = nullptr;
  PyObject *passContext = nullptr;
  PyObject *passInfo = nullptr;
  PyObject *passError = nullptr;
  PyObject *passWarning = nullptr;
  /// Needed by function passes.
  PyObject *functionOwner = nullptr;
  PyObject *endFunctions = nullptr;
  /// Functions that give a node of TVM's for its JSON, or None, and the
  /// attribute of a node in a context.
  PyObject *readNode = nullptr;
  PyObject *writeNode = nullptr;
  /// (callable, version or None) -> str, a text that tells a pass from others
  /// of its name.
  PyObject *describePass = nullptr;
};
extern PythonTypes types;

/// The op of an mlir.ir.Operation; an error if it was erased.
inline MlirOperation getOp(nb::handle object) {
  using namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;
  return nb::cast<PyOperationBase &>(object).getOperation().get();
}

/// Lets a definition in Python set `*slot`: the one that is known as `name`.
void declareKnown(const char *name, PyObject **slot);
void bindKnown(nb::module_ &m);

/// Frees `object` when a call from Python ends, not at once: C++ releases
/// objects on any thread and with locks held, where the user's code, which
/// freeing can run, must not run.
void dropLater(PyObject *object);
void collectGarbage();

/// Keeps Python's collector from running the user's code, which could change
/// the IR that is being read.
class NoCollection {
public:
  NoCollection() : wasEnabled(PyGC_Disable()) {}
  NoCollection(const NoCollection &) = delete;
  ~NoCollection() {
    if (wasEnabled)
      PyGC_Enable();
  }

private:
  int wasEnabled;
};

/// At the end of the process, Python kills the remaining threads where they
/// wait for the GIL, which C++ code on their stacks does not survive. So the
/// process waits for running calls, and no new ones start.
void beginShutdown();

/// Code that runs without the GIL. A fork waits until no other thread is in
/// such code, lest the child has locks and modules as they are in the middle of
/// something; code of the host in it, which has the GIL, is not part of it.
class NativeSection {
public:
  /// `context` is the MLIRContext that passes run in, if they do.
  explicit NativeSection(const void *context = nullptr);
  NativeSection(const NativeSection &) = delete;
  ~NativeSection();

  /// Whether this process is the child of a fork that could not wait any longer
  /// for code on another thread that uses `context`.
  static bool isBroken(const void *context);

private:
  PyThreadState *state;
};

/// A callback into the host, with the GIL.
class HostSection {
public:
  HostSection();
  HostSection(const HostSection &) = delete;
  ~HostSection();

private:
  std::optional<const void *> native;
  PyGILState_STATE state;
};

/// A call by the user. Errors that were raised around it are not its own: an
/// instrument that is exited because another failed can run passes.
class CallScope {
public:
  CallScope();
  CallScope(const CallScope &) = delete;
  ~CallScope();

  /// In the child of a fork, whose only thread this is.
  static void forgetOtherThreads();

private:
  PyObject *outer;

  static thread_local unsigned depth;
};

/// Keeps the exception that Python has set until the user's call that led to it
/// returns. A pending one becomes its cause.
void keepCurrentError();

/// Adds a note to the exception that is being raised, unless it has that note.
void noteCurrentError(const std::string &note);
void keepTypeError(const std::string &message);

/// Calls `function`, the work of a callback, and keeps what it throws, as no
/// exception may pass through MLIR.
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

/// Raises the exception of a callback again, if one has raised.
void raisePending();

[[noreturn]] void raise(nb::object error);
[[noreturn]] void raise(PyObject *type, const std::string &message);

inline std::string typeName(nb::handle object) {
  return Py_TYPE(object.ptr())->tp_name;
}

/// `object` as a T. Null if it is none, or if its class has not called the
/// __init__ of its base.
template <typename T>
T *getAs(nb::handle object) {
  if (!nb::isinstance<T>(object) || !nb::inst_ready(object))
    return nullptr;
  return nb::inst_ptr<T>(object);
}

} // namespace partita::python

#endif // PARTITA_PYTHON_EXTENSION_SUPPORT_H
