//===- Pass.cpp - Passes in Python ----------------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pass.h"
#include "FunctionPass.h"
#include "PassContext.h"
#include "partita-c/Dialects.h"

#include "mlir/Bindings/Python/IRCore.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

using namespace nanobind::literals;
using namespace mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

namespace partita::python {

/// Kept by name, since callbacks ask for the same few over and over.
nb::object toPython(const PartitaPassInfo &info) {
  struct Kept {
    int optLevel = 0;
    std::vector<std::string> required;
    bool reuseRequired = false;
    PyObject *object = nullptr;
  };
  static auto &cache = *new std::unordered_map<std::string, Kept>;
  std::vector<std::string> required;
  for (intptr_t i = 0; i < info.numRequired; ++i)
    required.push_back(toString(info.required[i]));
  std::string name = toString(info.name);
  auto it = cache.find(name);
  if (it != cache.end() && it->second.optLevel == info.optLevel &&
      it->second.required == required &&
      it->second.reuseRequired == info.reuseRequired)
    return nb::borrow(it->second.object);
  nb::list names;
  for (const std::string &text : required)
    names.append(toPython(text));
  // This runs Python code, which can fail or let another thread run this, too.
  nb::object object = nb::handle(types.passInfo)(info.optLevel, toPython(name),
                                                 names, info.reuseRequired);
  Kept &kept = cache[name];
  nb::object old = nb::steal(kept.object);
  kept = {info.optLevel, std::move(required), info.reuseRequired,
          nb::object(object).release().ptr()};
  return object;
}

nb::object ModulePassData::getFunction() const {
  if (!function.is_valid())
    raise(PyExc_RuntimeError,
          "expected pass '" + name + "' to be alive when it runs");
  return function;
}

MlirLogicalResult failCallback(Run &run) {
  keepCurrentError();
  run.endCallback();
  return mlirLogicalResultFailure();
}

namespace {

int traversePass(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (PyObject **dict = _PyObject_GetDictPtr(self))
    Py_VISIT(*dict);
  if (!nb::inst_ready(self))
    return 0;
  Pass &pass = *nb::inst_ptr<Pass>(self);
  for (nb::object &member : pass.members)
    Py_VISIT(member.ptr());
  if (pass.data) {
    Py_VISIT(pass.data->function.ptr());
    Py_VISIT(pass.data->functionClass.ptr());
  }
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

/// Makes `result`, which a module pass has returned, the module of `run`. One
/// that the user still has is not copied until somebody looks at it, and comes
/// out of the run as itself.
MlirLogicalResult replaceModule(Run &run, const std::string &name,
                                nb::object result, bool *isPreserved) {
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
  bool isView = module->run != nullptr;
  run.endCallback(/*isReplaced=*/true);
  run.hasLooked = run.hasReplaced = true;
  // The last module may be freed, which can run the user's code.
  run.setModule(nb::object(), /*defer=*/false);
  bool isKept = Py_REFCNT(result.ptr()) > 1 ||
                Py_REFCNT(module->operation.ptr()) > 1 ||
                !mlirOperationIsNull(mlirOperationGetParentOperation(from));
  if (isView || !isKept)
    return partitaModuleGive(run.root, from, /*clone=*/isView || isKept);
  run.setModule(std::move(result), /*defer=*/run.mayDefer);
  if (!run.mayDefer)
    return partitaModuleGive(run.root, from, /*clone=*/true);
  MlirOperation empty = partitaModuleCloneEmpty(from);
  (void)partitaModuleGive(run.root, empty, /*clone=*/false);
  mlirOperationDestroy(empty);
  *isPreserved = true;
  if (!run.verifies)
    return mlirLogicalResultSuccess();
  // It is somebody's, and not the op that MLIR verifies.
  return mlirOperationVerify(from) ? mlirLogicalResultSuccess()
                                   : mlirLogicalResultFailure();
}

MlirLogicalResult runModulePass(MlirOperation root, bool *isPreserved,
                                void *userData) {
  HostSection host;
  return keepErrors([&] {
    ModulePassData &data = **static_cast<ModulePassDataRef *>(userData);
    nb::object function = data.getFunction();
    RunOf run(root);
    nb::object view = run->getView();
    PyObject *args[] = {view.ptr(), run->context.ptr()};
    nb::object result =
        nb::steal(PyObject_Vectorcall(function.ptr(), args, 2, nullptr));
    bool isSame = result.ptr() == view.ptr();
    view.reset();
    if (!result.is_valid()) {
      noteCurrentError("in pass '" + data.name + "'");
      return failCallback(*run);
    }
    if (!isSame) {
      run->isUnverified = false;
      return replaceModule(*run, data.name, std::move(result), isPreserved);
    }
    result.reset();
    run->endCallback();
    *isPreserved = !std::exchange(run->isUnverified, false);
    return mlirLogicalResultSuccess();
  });
}

/// A PartitaPassVersionFunc.
MlirLogicalResult getVersion(MlirStringCallback callback, void *callbackData,
                             void *userData) {
  HostSection host;
  ModulePassData &data = **static_cast<ModulePassDataRef *>(userData);
  auto give = [&](const std::string &text) {
    callback(wrap(text), callbackData);
  };
  try {
    if (data.version)
      give("version " + *data.version);
    else
      give(toString(nb::handle(types.describePass)(data.getFunction())));
    return mlirLogicalResultSuccess();
  } catch (nb::python_error &error) {
    give(toString(nb::str(error.value())));
    return mlirLogicalResultFailure();
  } catch (std::exception &error) {
    give(error.what());
    return mlirLogicalResultFailure();
  }
}

nb::object createPass(PartitaPass pass) {
  nb::object object = nb::inst_alloc(types.pass);
  new (nb::inst_ptr<Pass>(object)) Pass(pass);
  nb::inst_mark_ready(object);
  return object;
}

/// Raises the error of a run that has failed: a callback's error, or else an
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

/// Issues the run's warnings at the line that has called the pass.
void warn(const std::vector<Diagnostic> &diagnostics, bool isFailed) {
  for (const Diagnostic &diagnostic : diagnostics) {
    if (diagnostic.severity != MlirDiagnosticWarning)
      continue;
    nb::str message = toPython(diagnostic.message);
    // No name of a pass has surrogates or null characters.
    if (PyErr_WarnEx(types.passWarning, PyUnicode_AsUTF8(message.ptr()),
                     /*stack_level=*/2) == 0)
      continue;
    if (!isFailed)
      throw nb::python_error();
    // The run's error takes precedence.
    PyErr_Clear();
  }
}

/// The op that passes run on. A Python object is made of it only if it is the
/// result.
struct Root {
  MlirOperation op;

  explicit Root(MlirOperation op) : op(op) {}
  Root(const Root &) = delete;
  ~Root() {
    if (op.ptr)
      mlirOperationDestroy(op);
  }
  nb::object release() { return createOwner(std::exchange(op, {nullptr})); }
};

/// The events of a run in C.
struct Call {
  std::vector<Diagnostic> diagnostics;
  bool hasStopped = false;

  static void addDiagnostic(PartitaPassDiagnostic diagnostic, void *userData) {
    appendDiagnostic(diagnostic, &static_cast<Call *>(userData)->diagnostics);
  }

  /// Whether the handler of a signal has raised something.
  static bool isInterrupted(void *userData) {
    HostSection host;
    if (PyErr_CheckSignals() == 0)
      return false;
    keepCurrentError();
    return static_cast<Call *>(userData)->hasStopped = true;
  }
};

/// The module that `run` began with, or that a pass has returned, if nothing
/// has changed it since; unset otherwise. What only C++ ran on is new.
nb::object getSame(Run &run, bool isPython) {
  if (!run.module.is_valid() || (!isPython && !run.hasReplaced))
    return nb::object();
  Module &module = *nb::inst_ptr<Module>(run.module);
  if (!module.operation.is(run.source))
    return nb::object();
  if (run.isDeferred || (isPython && !run.hasLooked))
    return run.module;
  // What is only equivalent can be what a pass was run for, such as a new place
  // of a computation.
  return partitaOperationIsSame(run.root, run.getSource()) ? run.module
                                                           : nb::object();
}

nb::object runPass(Pass &self, nb::object object, bool inPlace, bool verify,
                   const std::string &resumeFrom) {
  Module *found = getAs<Module>(object);
  if (!found)
    raise(PyExc_TypeError, "expected a pass to be called with an IRModule, but "
                           "found " +
                               typeName(object));
  Run::checkDepth();
  Module &module = *found;
  CallScope scope;
  MlirOperation source = module.get();
  const void *mlirContext = mlirOperationGetContext(source).ptr;
  if (NativeSection::isBroken(mlirContext))
    raise(PyExc_RuntimeError,
          "expected an MLIR context in which no pass ran on another thread "
          "when this process was forked; make the module anew, in another "
          "context");
  nb::object contextObject = getCurrentContext();
  Context &context = *nb::inst_ptr<Context>(contextObject);
  // If only Python code runs, and none of it looks into the module, no copy is
  // needed.
  bool resumes = !resumeFrom.empty();
  bool isLazy = self.isPython && !context.looksFromCpp() && !resumes;
  Root root{isLazy ? partitaModuleCloneEmpty(source)
                   : partitaModuleClone(source)};
  Call call;
  Run run(root.op, contextObject);
  run.mayDefer = isLazy;
  // A result from the cache comes without a callback.
  run.hasLooked = partitaPassContextSavesWork(context.context);
  run.verifies = verify;
  run.setModule(object, /*defer=*/isLazy);
  MlirLogicalResult result;
  {
    NativeSection native(mlirContext);
    result = partitaPassRun(self.pass, root.op, context.context,
                            {verify, wrap(resumeFrom), Call::addDiagnostic,
                             Call::isInterrupted, &call});
  }
  if (PyErr_CheckSignals() != 0) {
    keepCurrentError();
    call.hasStopped = true;
  }
  if (call.hasStopped)
    raisePending();
  bool isFailed = mlirLogicalResultIsFailure(result);
  warn(call.diagnostics, isFailed);
  if (isFailed)
    raiseFailure(self, call.diagnostics);
  if (nb::object same = getSame(run, self.isPython && !resumes)) {
    if (!inPlace || same.is(object))
      return same;
    run.fill();
  }
  if (!inPlace)
    return createModule(root.release());
  module.setOperation(root.release());
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

Pass::Pass(nb::callable function, const InfoHolder &info,
           std::optional<std::string> version, std::optional<bool> alwaysRuns)
    : Pass({nullptr}, /*isPython=*/true,
           /*hasRequired=*/info.get().numRequired != 0) {
  setFunction({toString(info.get().name),
               function,
               {},
               {},
               std::move(version),
               alwaysRuns},
              runModulePass, info);
}

Pass::Pass(nb::callable function, const InfoHolder &info,
           nb::type_object functionClass, const std::string &opName,
           std::optional<std::string> version, std::optional<bool> alwaysRuns)
    : Pass({nullptr}, /*isPython=*/true,
           /*hasRequired=*/info.get().numRequired != 0) {
  setFunction({toString(info.get().name), function, functionClass, opName,
               std::move(version), alwaysRuns},
              runFunctionPass, info);
}

void Pass::setFunction(ModulePassData passData, PartitaModulePassFunc run,
                       const InfoHolder &info) {
  data = std::make_shared<ModulePassData>(std::move(passData));
  pass = partitaPassCreateModulePass(
      run, getVersion,
      [](void *userData) { delete static_cast<ModulePassDataRef *>(userData); },
      new ModulePassDataRef(data), info.get());
  if (data->alwaysRuns) {
    PartitaPass made =
        std::exchange(pass, partitaPassWithAlwaysRuns(pass, *data->alwaysRuns));
    partitaPassDestroy(made);
  }
}

Pass::Pass(const std::vector<Pass *> &passes, const InfoHolder &info)
    : Pass({nullptr}, /*isPython=*/true,
           /*hasRequired=*/info.get().numRequired != 0) {
  std::vector<PartitaPass> handles;
  for (Pass *member : passes) {
    handles.push_back(member->pass);
    members.push_back(nb::find(*member));
    // What a member requires runs before it, and can be in C++.
    isPython &= member->isPython && !member->hasRequired;
    depth = std::max(depth, member->depth + 1);
  }
  if (depth > maxDepth)
    raise(PyExc_RecursionError, "expected Sequentials to be nested at most " +
                                    std::to_string(maxDepth) +
                                    " deep, but found a deeper one");
  pass =
      partitaPassCreateSequential(handles.size(), handles.data(), info.get());
}

nb::object describePlan(PartitaPlan plan, PartitaPassContext context) {
  nb::list entries;
  for (intptr_t i = 0; i < partitaPlanGetNumEntries(plan); ++i)
    entries.append(nb::make_tuple(createPass(partitaPlanGetPass(plan, i)),
                                  partitaPlanGetDepth(plan, i),
                                  int(partitaPlanGetReason(plan, i))));
  std::string text;
  if (context.ptr)
    partitaPlanPrintSavings(plan, context, wrap("partita.module"), appendTo,
                            &text);
  else
    partitaPlanPrint(plan, appendTo, &text);
  return nb::make_tuple(entries, toPython(text));
}

static void bindPassClasses(nb::module_ &m) {
  nb::class_<Pass>(m, "Pass", nb::is_weak_referenceable(), nb::dynamic_attr(),
                   nb::type_slots(passSlots))
      .def(nb::init<const std::vector<Pass *> &, const InfoHolder &>(),
           "passes"_a, "info"_a)
      .def(nb::init<nb::callable, const InfoHolder &,
                    std::optional<std::string>, std::optional<bool>>(),
           "function"_a, "info"_a, "version"_a = nb::none(),
           "always_runs"_a = nb::none())
      .def(nb::init<nb::callable, const InfoHolder &, nb::type_object,
                    const std::string &, std::optional<std::string>,
                    std::optional<bool>>(),
           "function"_a, "info"_a, "function_class"_a, "op_name"_a,
           "version"_a = nb::none(), "always_runs"_a = nb::none())
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
      .def_prop_ro("_function",
                   [](Pass &self) -> nb::object {
                     if (!self.data || !self.data->function.is_valid())
                       return nb::make_tuple(nb::none(), nb::none(),
                                             nb::none());
                     return nb::make_tuple(self.data->function,
                                           nb::cast(self.data->version),
                                           nb::cast(self.data->alwaysRuns));
                   })
      .def("_pipeline",
           [](Pass &self) {
             std::string text;
             if (mlirLogicalResultIsFailure(
                     partitaPassPrintPipeline(self.pass, appendTo, &text)))
               raise(PyExc_ValueError, text);
             return toPython(text);
           })
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
             // Freeing the old one can run the user's code.
             std::swap(getRegistered()[name], object);
           })
      .def(
          "__eq__",
          [](Pass &self, nb::object other) {
            Pass *pass = getAs<Pass>(other);
            return pass && partitaPassEqual(self.pass, pass->pass);
          },
          "other"_a.none())
      .def("_run", runPass, "module"_a.none(), "in_place"_a, "verify"_a,
           "resume_from"_a)
      .def("_plan", [](Pass &self, Context &context) {
        std::string message;
        PartitaPlan plan =
            partitaPlanGet(self.pass, context.context, appendTo, &message);
        if (!plan.ptr)
          raise(PyExc_ValueError, message);
        nb::object description = describePlan(plan, context.context);
        partitaPlanDestroy(plan);
        return description;
      });
}

void bindPasses(nb::module_ &m) {
  nb::class_<InfoHolder>(m, "PassInfo")
      .def(nb::init<std::string, int, std::vector<std::string>, bool>());
  bindPassClasses(m);
  m.def(
      "get_pass",
      [](const std::string &name, const std::string &options) {
        std::string message;
        PartitaPass pass =
            partitaPassGet(wrap(name), wrap(options), appendTo, &message);
        if (!pass.ptr) {
          partitaExplainMissingPass(wrap(name), appendTo, &message);
          raise(PyExc_ValueError, message);
        }
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
  m.def(
      "always_runs",
      [](const std::string &argument) {
        return partitaPassAlwaysRuns(wrap(argument));
      },
      "argument"_a);
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
}

} // namespace partita::python
