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
#include <exception>
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

/// The packed functions of a call: a mapping of Python.
class PackedFuncs {
public:
  PackedFuncs(nb::handle executable, nb::dict functions)
      : executable(executable), functions(functions) {}

  PartitaRuntimePackedFuncs getCallbacks() { return {this, call}; }
  /// Raises what a function has raised, in place of the error.
  void check(char *error) const {
    if (!raised)
      return;
    partitaRuntimeErrorFree(error);
    std::rethrow_exception(raised);
  }

private:
  static PartitaRuntimeStatus call(void *context, const char *name,
                                   intptr_t numArgs,
                                   const PartitaRuntimeValue *args,
                                   PartitaRuntimeReturn *result, char **) {
    auto *self = static_cast<PackedFuncs *>(context);
    nb::gil_scoped_acquire acquire;
    try {
      self->run(name, numArgs, args, result);
      return PartitaRuntimeSuccess;
    } catch (...) {
      self->raised = std::current_exception();
      return PartitaRuntimeFailure;
    }
  }

  /// The function that has a name.
  nb::object find(const char *name) {
    nb::object key = nb::steal(
        PyUnicode_DecodeUTF8(name, std::strlen(name), "backslashreplace"));
    if (!functions.contains(key))
      throw nb::key_error(
          ("expected a function '" + std::string(name) +
           "' in packed_funcs, which the compiled code calls, but found none")
              .c_str());
    return functions[key];
  }

  void run(const char *name, intptr_t numArgs, const PartitaRuntimeValue *args,
           PartitaRuntimeReturn *result) {
    nb::object function = name ? find(name) : copyToPython(args[0]);
    if (!PyCallable_Check(function.ptr()))
      throw nb::type_error("expected an argument of the compiled code to be a "
                           "function, as the code calls it");
    if (!name) {
      ++args;
      --numArgs;
    }
    // A closure calls the executable again.
    if (name && std::strcmp(name, "partita.make_closure") == 0)
      function = function(executable, functions);
    nb::object objects = nb::steal(PyTuple_New(numArgs));
    for (intptr_t i = 0; i < numArgs; ++i)
      PyTuple_SET_ITEM(objects.ptr(), i, copyToPython(args[i]).release().ptr());
    nb::object returned =
        nb::steal(PyObject_CallObject(function.ptr(), objects.ptr()));
    if (!returned)
      throw nb::python_error();
    for (intptr_t i = 0; i < numArgs; ++i)
      copyBack(args[i], objects[i]);
    if (returned.is_none())
      return;
    if (partitaRuntimeReturnKeepsObjects(result))
      held.append(returned);
    Arguments values;
    values.read(nb::make_tuple(returned));
    char *error = nullptr;
    PartitaRuntimeStatus status =
        partitaRuntimeReturn(result, values.getValues().data(), &error);
    ::check(status, error);
  }

  nb::handle executable;
  nb::dict functions;
  nb::list held;
  std::exception_ptr raised;
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

  nb::object call(nb::str name, nb::tuple args, nb::dict packedFuncs) const {
    PackedFuncs packed(nb::find(*this), packedFuncs);
    PartitaRuntimePackedFuncs callbacks = packed.getCallbacks();
    Arguments arguments;
    arguments.read(args);
    const char *function = name.c_str();
    Result result;
    char *error = nullptr;
    PartitaRuntimeStatus status;
    {
      nb::gil_scoped_release release;
      status = partitaRuntimeCallWithPackedFuncs(
          executable.get(), &callbacks, function, arguments.getValues().size(),
          arguments.getValues().data(), &result.value, &error);
    }
    packed.check(error);
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
  m.def("describe_tensor", &describeTensor, nb::arg("object"),
        nb::sig("def describe_tensor(object: object) -> tuple[int, int, int, "
                "int, list[int], list[int]]"),
        "DLPack's code, bits, lanes, byte offset, shape and strides.");
  m.def("get_num_threads", &partitaRuntimeGetNumThreads,
        "How many threads run the loops of compiled code.");
  m.def("set_num_threads", &partitaRuntimeSetNumThreads, nb::arg("count"),
        "Sets how many threads run the loops of compiled code.");
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
           nb::arg("packed_funcs"),
           nb::sig("def call(self, name: str, args: tuple[object, ...], "
                   "packed_funcs: object) -> object"),
           "Calls a function, which can call packed_funcs.");
}
