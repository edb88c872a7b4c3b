//===- Support.h - Strings, errors and the process ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_EXTENSION_SUPPORT_H
#define PARTITA_PYTHON_EXTENSION_SUPPORT_H

#include "partita-c/Transform.h"

#include "mlir/Bindings/Python/Nanobind.h"

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

/// A str, whatever the bytes are: attributes hold any.
nb::str toPython(MlirStringRef text);
inline nb::str toPython(const std::string &text) {
  return toPython(wrap(text));
}

/// A str that Python has given, which can have what UTF-8 has not.
std::string toString(nb::handle text);

/// An MlirStringCallback that appends to the std::string at `userData`.
void appendTo(MlirStringRef text, void *userData);

/// The Python classes that derive from those of the extension. They live as
/// long as the process, as their modules do.
struct PythonTypes {
  PyObject *irModule = nullptr;
  PyObject *passContext = nullptr;
  PyObject *passInfo = nullptr;
  PyObject *passError = nullptr;
  PyObject *passWarning = nullptr;
  /// What function passes need of partita/ir.
  PyObject *functionOwner = nullptr;
  PyObject *endFunctions = nullptr;
};
extern PythonTypes types;

/// Frees an object that C++ lets go of at the end of a call from Python: C++
/// does so on any thread and with its locks held, where code of the user, which
/// freeing can run, must not be.
void dropLater(PyObject *object);
void collectGarbage();

/// At the end of the process, Python ends the threads that are left where they
/// wait for the GIL, which C++ cannot bear: calls are waited for, and none
/// start.
void beginShutdown();

/// A call of the user. What was raised around it is not its error: an
/// instrument that is exited because another failed can run passes.
class CallScope {
public:
  CallScope();
  CallScope(const CallScope &) = delete;
  ~CallScope();

private:
  PyObject *outer;

  static thread_local unsigned depth;
};

/// Keeps the exception that Python has set, until the call of the user that led
/// to it returns. It follows from the one that is pending, if there is one.
void keepCurrentError();
void keepTypeError(const std::string &message);

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

/// Raises what a callback has raised, if one has.
void raisePending();

[[noreturn]] void raise(nb::object error);
[[noreturn]] void raise(PyObject *type, const std::string &message);

inline std::string typeName(nb::handle object) {
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

} // namespace partita::python

#endif // PARTITA_PYTHON_EXTENSION_SUPPORT_H
