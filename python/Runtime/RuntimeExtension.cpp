//===- RuntimeExtension.cpp - Compiled modules in Python ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libPartitaRuntime's C API for partita/runtime.py. There is no MLIR here. The
// GIL is released while LLVM and the compiled code run.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include "partita-c/Runtime.h"

#include <cstring>
#include <memory>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace partita::python;

/// Raises the exception of a failure.
static void check(PartitaRuntimeStatus status, char *error) {
  if (status == PartitaRuntimeSuccess)
    return;
  PyObject *type = status == PartitaRuntimeTypeError    ? PyExc_TypeError
                   : status == PartitaRuntimeValueError ? PyExc_ValueError
                                                        : PyExc_RuntimeError;
  // It can quote code that is no text.
  nb::object text = nb::steal(
      PyUnicode_DecodeUTF8(error, std::strlen(error), "backslashreplace"));
  partitaRuntimeErrorFree(error);
  PyErr_SetObject(type, text.ptr());
  throw nb::python_error();
}

namespace {
/// A result, freed where it is not taken.
struct Result {
  PartitaRuntimeValue value = {};

  ~Result() { partitaRuntimeValueRelease(&value); }
};

class Executable {
public:
  explicit Executable(PartitaRuntimeExecutable *executable)
      : executable(executable, partitaRuntimeDestroy) {}

  static Executable compile(nb::bytes code, int optLevel) {
    PartitaRuntimeExecutable *result = nullptr;
    char *error = nullptr;
    PartitaRuntimeStatus status;
    {
      nb::gil_scoped_release release;
      status = partitaRuntimeCompile(code.c_str(), code.size(), optLevel,
                                     &result, &error);
    }
    check(status, error);
    return Executable(result);
  }

  static Executable load(nb::bytes object) {
    PartitaRuntimeExecutable *result = nullptr;
    char *error = nullptr;
    PartitaRuntimeStatus status;
    {
      nb::gil_scoped_release release;
      status =
          partitaRuntimeLoad(object.c_str(), object.size(), &result, &error);
    }
    check(status, error);
    return Executable(result);
  }

  nb::bytes getObject() const {
    size_t size = 0;
    const char *object = partitaRuntimeGetObject(executable.get(), &size);
    return nb::bytes(object, size);
  }

  nb::str getMetadata() const {
    return nb::str(partitaRuntimeGetMetadata(executable.get()));
  }

  nb::object call(nb::str name, nb::tuple args) const {
    Arguments arguments;
    arguments.read(args);
    const char *function = name.c_str();
    Result result;
    char *error = nullptr;
    PartitaRuntimeStatus status;
    {
      nb::gil_scoped_release release;
      status = partitaRuntimeCall(
          executable.get(), function, arguments.getValues().size(),
          arguments.getValues().data(), &result.value, &error);
    }
    check(status, error);
    return toPython(result.value);
  }

private:
  std::unique_ptr<PartitaRuntimeExecutable,
                  void (*)(PartitaRuntimeExecutable *)>
      executable;
};
} // namespace

NB_MODULE(_runtime, m) {
  nb::class_<Executable>(m, "Executable", nb::is_final(),
                         "Native code with its metadata.")
      .def_static("compile", &Executable::compile, nb::arg("code"),
                  nb::arg("opt_level"), "Compiles LLVM IR for this machine.")
      .def_static("load", &Executable::load, nb::arg("object"),
                  "Loads the bytes of an object that was saved.")
      .def("get_object", &Executable::getObject,
           "The object file, which load takes.")
      .def_prop_ro("metadata", &Executable::getMetadata,
                   "The description of the functions, in JSON.")
      .def("call", &Executable::call, nb::arg("name"), nb::arg("args"),
           nb::sig("def call(self, name: str, args: tuple[object, ...]) -> "
                   "object"),
           "Calls a function.");
}
