//===- Module.cpp - Modules, and runs of passes on them -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Module.h"

#include "OperationLifetimes.h"
#include "partita-c/Dialects.h"
#ifdef PARTITA_ENABLE_RUNTIME
#include "partita-c/LLVMIR.h"
#endif

#include "mlir-c/Diagnostics.h"
#include "mlir/Bindings/Python/IRCore.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <pthread.h>
#include <utility>
#include <vector>

using namespace nanobind::literals;
using namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

namespace partita::python {

nb::object createOwner(MlirOperation op) {
  return PyOperation::createDetached(
             PyMlirContext::forContext(mlirOperationGetContext(op)), op)
      .getObject();
}

nb::object createModule(nb::object operation) {
  nb::object module = nb::inst_alloc(types.irModule);
  new (nb::inst_ptr<Module>(module)) Module{std::move(operation)};
  nb::inst_mark_ready(module);
  return module;
}

namespace {

/// The Python objects of the contexts that this thread has entered and not
/// left, with a null for each run. They are kept alive here while C++ can
/// return them as the current context.
struct EnteredContexts {
  std::vector<PyObject *> objects;
  /// The thread's default context once it has been given instruments.
  PyObject *unentered = nullptr;

  void leaveTo(size_t depth) {
    while (objects.size() > depth) {
      dropLater(objects.back());
      objects.pop_back();
    }
  }
  ~EnteredContexts() {
    leaveTo(0);
    dropLater(unentered);
  }
};
thread_local EnteredContexts entered;

/// How deep runs may nest: each level takes some kilobytes of the C stack.
constexpr unsigned maxDepth = 100;

/// How much of this thread's C stack is left, and how much there is at all.
std::pair<size_t, size_t> getStack() {
#ifdef __GLIBC__
  // Cached, as the C library reads the main thread's from a file.
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

} // namespace

nb::object Module::getOperation() {
  if (operation.is_valid())
    return operation;
  if (!run)
    raise(PyExc_RuntimeError, "expected a module that is used after the "
                              "callback that got it to be kept by it");
  bool isDeferred = run->isDeferred;
  nb::object owner =
      createOwner(isDeferred ? partitaModuleClone(run->getSource())
                             : partitaModuleCloneEmpty(run->root));
  // Another thread may have run meanwhile.
  if (!operation.is_valid() && run && run->isDeferred == isDeferred) {
    MlirOperation op = getOp(owner);
    if (listener)
      listener->willGiveTo(owner, isDeferred ? op : run->root);
    if (!isDeferred)
      (void)partitaModuleGive(op, run->root, /*clone=*/false);
    run->isDeferred = false;
    operation = std::move(owner);
    if (listener)
      listener->hasGiven();
  }
  return getOperation();
}

void Module::setOperation(nb::object newOperation) {
  // Before the op, which the old one may own, is gone.
  names.reset();
  operation = std::move(newOperation);
}

MlirOperation Module::get() { return getOp(getOperation()); }

nb::object Module::find(const std::string &name) {
  MlirOperation module = get();
  if (!names)
    names = SymbolNames::of(module);
  MlirOperation op = names->find(name);
  if (mlirOperationIsNull(op))
    return nb::none();
  return PyOperation::forOperation(
             PyMlirContext::forContext(mlirOperationGetContext(op)), op,
             operation)
      .getObject();
}

thread_local Run *Run::innermost = nullptr;

void Run::checkDepth() {
  if (!innermost)
    return;
  // The stack that a pass needs.
  constexpr size_t needed = size_t(256) << 10;
  auto [left, size] = getStack();
  if (innermost->depth + 1 >= maxDepth || left < std::min(needed, size / 2))
    raise(PyExc_RecursionError,
          "expected passes to run at most " + std::to_string(maxDepth) +
              " deep inside each other, and less on a small stack, but found "
              "a deeper one");
}

Run::Run(MlirOperation root, nb::object context)
    : root(root), context(std::move(context)), outer(innermost),
      depth(outer ? outer->depth + 1 : 0),
      enteredDepth(entered.objects.size()) {
  innermost = this;
  entered.objects.push_back(nullptr);
}

Run::~Run() {
  innermost = outer;
  entered.leaveTo(enteredDepth);
  if (view.is_valid())
    nb::inst_ptr<Module>(view)->run = nullptr;
}

nb::object Run::getView() {
  if (!view.is_valid())
    view = createModule(nb::object());
  nb::inst_ptr<Module>(view)->run = this;
  return view;
}

void Run::setModule(nb::object newModule, bool defer) {
  source = newModule.is_valid() ? getAs<Module>(newModule)->getOperation()
                                : nb::object();
  module = std::move(newModule);
  isDeferred = defer;
}

MlirOperation Run::getSource() const { return getOp(source); }

bool Run::isSourceErased() const {
  if (!isDeferred)
    return false;
  PyOperationRef ref =
      nb::cast<PyOperationBase &>(source).getOperation().getRef();
  return !isValid(ref);
}

void Run::fill() {
  if (!isDeferred)
    return;
  MlirOperation copy = partitaModuleClone(getSource());
  isDeferred = false;
  (void)partitaModuleGive(root, copy, /*clone=*/false);
  mlirOperationDestroy(copy);
}

void Run::endCallback(bool isReplaced) {
  Module &module = *nb::inst_ptr<Module>(view);
  bool isKept = Py_REFCNT(view.ptr()) > 1;
  if (module.operation.is_valid()) {
    hasLooked = isUnverified = true;
    isKept |= isReplaced || Py_REFCNT(module.operation.ptr()) > 1;
    if (!isReplaced)
      (void)partitaModuleGive(root, module.get(), /*clone=*/isKept);
    if (!isKept)
      module.setOperation(nb::object());
  } else if (isKept && !isSourceErased()) {
    nb::object copy = createOwner(partitaModuleClone(getContents()));
    // Another thread may have run meanwhile.
    if (module.operation.is_valid())
      return endCallback(isReplaced);
    module.operation = std::move(copy);
  }
  module.run = nullptr;
  if (isKept)
    view.reset();
}

RunOf::RunOf(MlirOperation root) {
  if (Run::innermost && mlirOperationEqual(Run::innermost->root, root))
    run = Run::innermost;
  else
    run = &own.emplace(root, getCurrentContext());
}

void noteEntered(nb::object context) {
  entered.objects.push_back(context.release().ptr());
}

void noteLeft(nb::handle context) {
  if (!entered.objects.empty() && entered.objects.back() == context.ptr()) {
    entered.objects.pop_back();
    context.dec_ref();
  }
}

void noteOverridden(nb::object context) {
  const std::vector<PyObject *> &objects = entered.objects;
  if (!getCurrentContext().is(context) ||
      std::find(objects.begin(), objects.end(), context.ptr()) != objects.end())
    return;
  nb::object old =
      nb::steal(std::exchange(entered.unentered, context.release().ptr()));
}

/// Keeps the messages of warnings, and leaves others to other handlers.
static MlirLogicalResult collectWarning(MlirDiagnostic diagnostic,
                                        void *userData) {
  if (mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticWarning)
    return mlirLogicalResultFailure();
  auto append = [](MlirStringRef text, void *message) {
    static_cast<std::string *>(message)->append(text.data, text.length);
  };
  std::string &message =
      static_cast<std::vector<std::string> *>(userData)->emplace_back();
  mlirDiagnosticPrint(diagnostic, append, &message);
  return mlirLogicalResultSuccess();
}

static void bindTVMJson(nb::module_ &m) {
  m.def(
      "import_tvm_json",
      [](PyMlirContext &context, nb::str json, bool isStrict, bool warns) {
        // The text can be large, and the string has it as UTF-8.
        Py_ssize_t size = 0;
        const char *text = PyUnicode_AsUTF8AndSize(json.ptr(), &size);
        if (!text)
          throw nb::python_error();
        std::vector<std::string> warnings;
        MlirOperation op;
        {
          PyMlirContext::ErrorCapture errors(context.getRef());
          MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(
              context.get(), collectWarning, &warnings, nullptr);
          op = partitaImportTVMJson(context.get(),
                                    mlirStringRefCreate(text, size), isStrict);
          mlirContextDetachDiagnosticHandler(context.get(), handler);
          if (!op.ptr)
            throw MLIRError("expected a module that TVM has saved",
                            errors.take());
        }
        nb::object module = createOwner(op);
        // At the line that has called IRModule.from_tvm_json.
        for (const std::string &warning : warnings)
          if (warns && PyErr_WarnEx(PyExc_UserWarning, warning.c_str(),
                                    /*stack_level=*/2) != 0)
            throw nb::python_error();
        return module;
      },
      "context"_a, "json"_a, "strict"_a = false, "warns"_a = true);

  m.def(
      "export_tvm_json",
      [](PyOperationBase &module) {
        PyOperation &op = module.getOperation();
        op.checkValid();
        PyMlirContext::ErrorCapture errors(op.getContext());
        std::string json;
        MlirLogicalResult result = partitaExportTVMJson(
            op.get(),
            [](MlirStringRef part, void *text) {
              static_cast<std::string *>(text)->append(part.data, part.length);
            },
            &json);
        if (mlirLogicalResultIsFailure(result))
          throw MLIRError("expected a module that TVM can load", errors.take());
        return json;
      },
      "module"_a);
}

#ifdef PARTITA_ENABLE_RUNTIME
/// As PyMlirContext::ErrorCapture, for code that runs without the GIL.
static MlirLogicalResult collectError(MlirDiagnostic diagnostic,
                                      void *userData) {
  if (mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticError)
    return mlirLogicalResultFailure();
  HostSection host;
  static_cast<std::vector<PyDiagnostic::DiagnosticInfo> *>(userData)->push_back(
      PyDiagnostic(diagnostic).getInfo());
  return mlirLogicalResultSuccess();
}

static void bindLowering(nb::module_ &m) {
  partitaRegisterLoweringPasses();
  m.def(
      "translate_to_llvmir",
      [](PyOperationBase &module) {
        PyOperation &op = module.getOperation();
        op.checkValid();
        MlirContext context = mlirOperationGetContext(op.get());
        std::vector<PyDiagnostic::DiagnosticInfo> errors;
        std::string bitcode;
        MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(
            context, collectError, &errors, nullptr);
        MlirLogicalResult result;
        {
          NativeSection native(context.ptr);
          result = partitaTranslateToLLVMIR(
              op.get(),
              [](MlirStringRef part, void *bytes) {
                static_cast<std::string *>(bytes)->assign(part.data,
                                                          part.length);
              },
              &bitcode);
        }
        mlirContextDetachDiagnosticHandler(context, handler);
        if (mlirLogicalResultIsFailure(result))
          throw MLIRError("expected a module of the LLVM dialect",
                          std::move(errors));
        return nb::bytes(bitcode.data(), bitcode.size());
      },
      "module"_a);
}
#endif

void bindModule(nb::module_ &m) {
#ifdef PARTITA_ENABLE_RUNTIME
  bindLowering(m);
#endif
  m.def("get_run_context", []() -> nb::object {
    if (!Run::innermost)
      return nb::none();
    return PyMlirContext::forContext(
               mlirOperationGetContext(Run::innermost->root))
        .releaseObject();
  });
  m.def("is_broken", [](PyMlirContext &context) {
    return NativeSection::isBroken(context.get().ptr);
  });
  m.def("use_forkable_threads", [](PyMlirContext &context) {
    mlirContextSetThreadPool(context.get(), partitaGetForkableThreadPool());
  });
  m.def("get_address",
        [](MlirOperation op) { return reinterpret_cast<uintptr_t>(op.ptr); });
  nb::class_<Module>(m, "Module", nb::is_weak_referenceable())
      .def("__init__",
           [](Module *self, nb::object operation) {
             new (self) Module{nb::cast<PyOperationBase &>(operation)
                                   .getOperation()
                                   .getRef()
                                   .getObject()};
           })
      .def_prop_ro("operation",
                   [](Module &self) { return self.getOperation(); })
      .def("_find", &Module::find, "name"_a)
      .def("_set_operation",
           [](Module &self, nb::object operation) {
             self.setOperation(nb::cast<PyOperationBase &>(operation)
                                   .getOperation()
                                   .getRef()
                                   .getObject());
           })
      .def("_equivalent",
           [](Module &self, Module &other) {
             return partitaOperationIsEquivalent(self.get(), other.get());
           })
      .def("_hash",
           [](Module &self) { return partitaOperationHash(self.get()); });
  bindTVMJson(m);
}

} // namespace partita::python
