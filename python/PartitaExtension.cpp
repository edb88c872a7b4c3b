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

#include <optional>
#include <string>
#include <unordered_map>
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

nb::str toPython(MlirStringRef text) { return nb::str(text.data, text.length); }

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
} types;

/// The exception that a callback on this thread has raised, until the call of
/// the user that led to it returns.
thread_local PyObject *pendingError = nullptr;

/// Keeps `error`, which follows from the one that is pending, if there is one.
void keepError(nb::object error) {
  if (pendingError) {
    PyException_SetCause(error.ptr(), pendingError);
    pendingError = nullptr;
  }
  pendingError = error.release().ptr();
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
  keepError(nb::handle(PyExc_TypeError)(message));
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
  PyErr_SetString(type, message.c_str());
  throw nb::python_error();
}

std::string typeName(nb::handle object) {
  return Py_TYPE(object.ptr())->tp_name;
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
    int optLevel;
    std::vector<std::string> required;
    PyObject *object;
  };
  static auto &cache = *new std::unordered_map<std::string, Kept>;
  std::vector<std::string> required;
  for (intptr_t i = 0; i < info.numRequired; ++i)
    required.push_back(toString(info.required[i]));
  auto [it, inserted] = cache.try_emplace(toString(info.name));
  Kept &kept = it->second;
  if (inserted || kept.optLevel != info.optLevel || kept.required != required) {
    nb::list names;
    for (const std::string &name : required)
      names.append(nb::str(name.data(), name.size()));
    nb::object object =
        nb::handle(types.passInfo)(info.optLevel, toPython(info.name), names);
    if (!inserted)
      Py_DECREF(kept.object);
    kept = {info.optLevel, std::move(required), object.release().ptr()};
  }
  return nb::borrow(kept.object);
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
    if (!operation.is_valid())
      operation = createOwner(partitaModuleTake(root));
    return operation;
  }
  MlirOperation get() {
    return nb::cast<PyOperationBase &>(getOperation()).getOperation().get();
  }
};

nb::object createModule(nb::object operation, MlirOperation root = {nullptr}) {
  nb::object module = nb::inst_alloc(types.irModule);
  new (nb::inst_ptr<Module>(module)) Module{std::move(operation), root};
  nb::inst_mark_ready(module);
  return module;
}

/// A run of passes that Python has started on this thread.
struct Run {
  explicit Run(MlirOperation root, nb::object context)
      : root(root), context(std::move(context)), outer(innermost) {
    innermost = this;
  }
  ~Run() { innermost = outer; }

  nb::object getView() {
    if (!view.is_valid())
      view = createModule(nb::object(), root);
    return view;
  }

  /// Ends a callback: what the view has taken goes back, unless `isReplaced`
  /// says that the module has got something else.
  void endCallback(bool isReplaced = false) {
    Module &module = *nb::inst_ptr<Module>(view);
    bool isKept = Py_REFCNT(view.ptr()) > 1;
    if (module.operation.is_valid()) {
      hasLooked = true;
      isKept |= isReplaced || Py_REFCNT(module.operation.ptr()) > 1;
      if (!isReplaced)
        (void)partitaModuleGive(root, module.get(), /*clone=*/isKept);
      if (!isKept)
        module.operation.reset();
    } else if (isKept) {
      module.operation = createOwner(mlirOperationClone(root));
    }
    if (isKept) {
      module.root = {nullptr};
      view.reset();
    }
  }

  MlirOperation root;
  nb::object context;
  nb::object view;
  /// Whether a callback has looked into the module, and could have changed it.
  bool hasLooked = false;
  /// Whether a module pass has returned another module than it got.
  bool hasReplaced = false;
  Run *outer;

  static thread_local Run *innermost;
};
thread_local Run *Run::innermost = nullptr;

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

private:
  std::optional<Run> own;
  Run *run;
};

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// A pass; Python's classes of passes derive from it.
struct Pass {
  PartitaPass pass = {nullptr};
  /// Whether it is a Python module pass, or runs nothing else.
  bool isPython = false;

  explicit Pass(PartitaPass pass, bool isPython = false)
      : pass(pass), isPython(isPython) {}
  Pass(const Pass &) = delete;
  ~Pass() { partitaPassDestroy(pass); }
};

/// What a Python module pass is to C.
struct ModulePassData {
  PyObject *function;
  std::string name;
};

MlirLogicalResult runModulePass(MlirOperation root, void *userData) {
  nb::gil_scoped_acquire gil;
  auto &data = *static_cast<ModulePassData *>(userData);
  try {
    RunOf run(root);
    nb::object view = run->getView();
    PyObject *args[] = {view.ptr(), run->context.ptr()};
    nb::object result =
        nb::steal(PyObject_Vectorcall(data.function, args, 2, nullptr));
    bool isSame = result.ptr() == view.ptr();
    view.reset();
    if (!result.is_valid()) {
      keepCurrentError();
      run->endCallback();
      return mlirLogicalResultFailure();
    }
    if (isSame) {
      result.reset();
      run->endCallback();
      return mlirLogicalResultSuccess();
    }
    if (!nb::isinstance<Module>(result)) {
      keepTypeError("expected module pass '" + data.name +
                    "' to return an IRModule, but it returned " +
                    typeName(result));
      run->endCallback();
      return mlirLogicalResultFailure();
    }
    Module &module = *nb::inst_ptr<Module>(result);
    MlirOperation from = module.get();
    if (!mlirIdentifierEqual(mlirOperationGetName(from),
                             mlirOperationGetName(root))) {
      keepTypeError("expected module pass '" + data.name + "' to return a " +
                    toString(mlirIdentifierStr(mlirOperationGetName(root))) +
                    ", but it returned a " +
                    toString(mlirIdentifierStr(mlirOperationGetName(from))));
      run->endCallback();
      return mlirLogicalResultFailure();
    }
    run->hasReplaced = true;
    run->endCallback(/*isReplaced=*/true);
    bool isKept = Py_REFCNT(result.ptr()) > 1 ||
                  Py_REFCNT(module.operation.ptr()) > 1 || module.root.ptr ||
                  !mlirOperationIsNull(mlirOperationGetParentOperation(from));
    return partitaModuleGive(root, from, /*clone=*/isKept);
  } catch (nb::python_error &error) {
    error.restore();
    keepCurrentError();
  }
  return mlirLogicalResultFailure();
}

void destroyModulePass(void *userData) {
  nb::gil_scoped_acquire gil;
  auto *data = static_cast<ModulePassData *>(userData);
  Py_DECREF(data->function);
  delete data;
}

PartitaPass createModulePass(nb::callable function, const InfoHolder &info) {
  auto *data =
      new ModulePassData{function.inc_ref().ptr(), toString(info.get().name)};
  return partitaPassCreateModulePass(runModulePass, destroyModulePass, data,
                                     info.get());
}

struct ModulePass : Pass {
  ModulePass(nb::callable function, const InfoHolder &info)
      : Pass(createModulePass(std::move(function), info),
             /*isPython=*/info.get().numRequired == 0) {}
};

struct Sequential : Pass {
  Sequential(const std::vector<Pass *> &passes, const InfoHolder &info)
      : Pass({nullptr}, /*isPython=*/info.get().numRequired == 0) {
    std::vector<PartitaPass> members;
    for (Pass *member : passes) {
      members.push_back(member->pass);
      isPython &= member->isPython;
    }
    pass =
        partitaPassCreateSequential(members.size(), members.data(), info.get());
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
    std::string text = nb::cast<std::string>(value);
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
    for (auto [name, field] : nb::borrow<nb::dict>(value)) {
      if (!PyUnicode_Check(name.ptr()))
        raise(PyExc_TypeError, "expected the fields of config '" + key +
                                   "' to be named by str, but found " +
                                   typeName(name));
      fields.push_back(
          {mlirIdentifierGet(context, wrap(nb::cast<std::string>(name))),
           toAttribute(key, field)});
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
  return nb::str(text.data(), text.size());
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

struct TimingInstrument : Instrument {
  TimingInstrument() : Instrument(partitaPassTimingInstrumentCreate()) {}
};

/// What an instrument that is written in Python is to C: its bound methods.
struct InstrumentData {
  std::string name;
  nb::object enter, exit, shouldRun, runBefore, runAfter;
};

/// Calls a callback that looks at the module, and hands over what it returns.
template <typename Callback>
MlirLogicalResult callWithModule(nb::object InstrumentData::*method,
                                 MlirOperation root, PartitaPassInfo info,
                                 void *userData, Callback callback) {
  nb::gil_scoped_acquire gil;
  auto &data = *static_cast<InstrumentData *>(userData);
  try {
    RunOf run(root);
    nb::object view = run->getView();
    nb::object pass = toPython(info);
    PyObject *args[] = {view.ptr(), pass.ptr()};
    nb::object result =
        nb::steal(PyObject_Vectorcall((data.*method).ptr(), args, 2, nullptr));
    view.reset();
    bool isRaised = !result.is_valid();
    if (isRaised)
      keepCurrentError();
    run->endCallback();
    if (isRaised)
      return mlirLogicalResultFailure();
    return callback(data, result);
  } catch (nb::python_error &error) {
    error.restore();
    keepCurrentError();
  }
  return mlirLogicalResultFailure();
}

MlirLogicalResult callWithoutModule(nb::object InstrumentData::*method,
                                    void *userData) {
  nb::gil_scoped_acquire gil;
  auto &data = *static_cast<InstrumentData *>(userData);
  PyObject *result = PyObject_CallNoArgs((data.*method).ptr());
  if (!result) {
    keepCurrentError();
    return mlirLogicalResultFailure();
  }
  Py_DECREF(result);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult callShouldRun(MlirOperation root, PartitaPassInfo info,
                                bool *answer, void *userData) {
  return callWithModule(
      &InstrumentData::shouldRun, root, info, userData,
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

template <nb::object InstrumentData::*method>
MlirLogicalResult callObserver(MlirOperation root, PartitaPassInfo info,
                               void *userData) {
  return callWithModule(
      method, root, info, userData,
      [](InstrumentData &, nb::handle) { return mlirLogicalResultSuccess(); });
}

template <nb::object InstrumentData::*method>
MlirLogicalResult callScope(void *userData) {
  return callWithoutModule(method, userData);
}

void destroyInstrument(void *userData) {
  nb::gil_scoped_acquire gil;
  delete static_cast<InstrumentData *>(userData);
}

/// The instrument that the bound methods in `methods` are, in the order of the
/// callbacks; None for one that is not defined.
PartitaPassInstrument createInstrument(const std::string &name,
                                       nb::sequence methods) {
  auto *data = new InstrumentData{name,       methods[0], methods[1],
                                  methods[2], methods[3], methods[4]};
  PartitaPassInstrumentCallbacks callbacks = {};
  callbacks.destroy = destroyInstrument;
  if (!data->enter.is_none())
    callbacks.enterPassContext = callScope<&InstrumentData::enter>;
  if (!data->exit.is_none())
    callbacks.exitPassContext = callScope<&InstrumentData::exit>;
  if (!data->shouldRun.is_none())
    callbacks.shouldRun = callShouldRun;
  if (!data->runBefore.is_none())
    callbacks.runBeforePass = callObserver<&InstrumentData::runBefore>;
  if (!data->runAfter.is_none())
    callbacks.runAfterPass = callObserver<&InstrumentData::runAfter>;
  return partitaPassInstrumentCreate(wrap(name), callbacks, data);
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

struct Context {
  PartitaPassContext context;
  /// Instruments as the user gave them, by their ids.
  std::vector<std::pair<const void *, nb::object>> instruments;

  explicit Context(PartitaPassContext context) : context(context) {}
  Context(const Context &) = delete;
  ~Context() {
    auto &live = getLiveContexts();
    live.erase(partitaPassContextGetId(context));
    nb::gil_scoped_release release;
    partitaPassContextDestroy(context);
  }
};

void addLive(nb::handle object) {
  Context &context = *nb::inst_ptr<Context>(object);
  getLiveContexts()[partitaPassContextGetId(context.context)] = object.ptr();
}

nb::object getCurrentContext() {
  PartitaPassContext current = partitaPassContextGetCurrent();
  auto &live = getLiveContexts();
  auto it = live.find(partitaPassContextGetId(current));
  if (it != live.end()) {
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
      nb::object object = item[0];
      PartitaPassInstrument instrument =
          nb::isinstance<Instrument>(item[1])
              ? partitaPassInstrumentCopy(
                    nb::inst_ptr<Instrument>(item[1])->instrument)
              : createInstrument(nb::cast<std::string>(item[1]), item[2]);
      instruments.push_back(instrument);
      objects.emplace_back(partitaPassInstrumentGetId(instrument),
                           std::move(object));
    }
  }
  ~InstrumentList() {
    for (PartitaPassInstrument instrument : instruments)
      partitaPassInstrumentDestroy(instrument);
  }

  std::vector<PartitaPassInstrument> instruments;
  std::vector<std::pair<const void *, nb::object>> objects;
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
  for (auto [key, value] : config) {
    std::string name = nb::cast<std::string>(key);
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
  std::string message;
  MlirLogicalResult result;
  {
    nb::gil_scoped_release release;
    result = function(appendTo, &message);
  }
  raisePending();
  if (mlirLogicalResultIsFailure(result))
    raise(PyExc_RuntimeError, message);
}

nb::list getDiagnostics(PartitaPassContext context, bool take) {
  nb::list list;
  partitaPassContextGetDiagnostics(
      context, take,
      [](PartitaPassDiagnostic diagnostic, void *userData) {
        nb::list notes;
        for (intptr_t i = 0; i < diagnostic.numNotes; ++i)
          notes.append(toPython(diagnostic.notes[i]));
        static constexpr const char *severities[] = {"error", "warning", "note",
                                                     "remark"};
        static_cast<nb::list *>(userData)->append(nb::make_tuple(
            severities[diagnostic.severity], toPython(diagnostic.location),
            toPython(diagnostic.message), notes));
      },
      &list);
  return list;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Raises, for a run that has failed, what a callback has raised, or else an
/// error with the diagnostics that came since there were `numBefore`.
[[noreturn]] void raiseFailure(Pass &pass, Context &context, size_t numBefore) {
  raisePending();
  nb::list all = getDiagnostics(context.context, /*take=*/false);
  nb::list diagnostics;
  for (size_t i = numBefore; i < all.size(); ++i)
    diagnostics.append(all[i]);
  std::string name;
  partitaPassGetInfo(
      pass.pass,
      [](PartitaPassInfo info, void *userData) {
        *static_cast<std::string *>(userData) = toString(info.name);
      },
      &name);
  raise(nb::handle(types.passError)(name, diagnostics));
}

nb::object runPass(Pass &self, nb::object object, bool inPlace, bool verify) {
  if (!nb::isinstance<Module>(object))
    raise(PyExc_TypeError, "expected a pass to be called with an IRModule, but "
                           "found " +
                               typeName(object));
  Module &module = *nb::inst_ptr<Module>(object);
  nb::object source = module.getOperation();
  nb::object owner = createOwner(mlirOperationClone(module.get()));
  MlirOperation root = nb::cast<PyOperationBase &>(owner).getOperation().get();
  nb::object contextObject = getCurrentContext();
  Context &context = *nb::inst_ptr<Context>(contextObject);
  size_t numDiagnostics = getDiagnostics(context.context, false).size();
  bool isOutermost = !Run::innermost;
  Run run(root, contextObject);
  MlirLogicalResult result;
  {
    nb::gil_scoped_release release;
    result = partitaPassRun(self.pass, root, context.context, verify,
                            /*quiet=*/isOutermost);
  }
  if (PyErr_CheckSignals() != 0)
    throw nb::python_error();
  if (mlirLogicalResultIsFailure(result))
    raiseFailure(self, context, numDiagnostics);
  raisePending();
  if (self.isPython && !run.hasReplaced &&
      (!run.hasLooked || partitaOperationIsEquivalent(root, module.get())))
    return object;
  if (!inPlace)
    return createModule(owner);
  module.operation = owner;
  return object;
}

} // namespace

//===----------------------------------------------------------------------===//
// The Python module
//===----------------------------------------------------------------------===//

NB_MODULE(_partita, m) {
  partitaRegisterAllPasses();

  m.def("register_dialects", [](MlirDialectRegistry registry) {
    partitaRegisterAllDialects(registry);
  });
  m.def("set_types", [](nb::object irModule, nb::object passContext,
                        nb::object passInfo, nb::object passError) {
    types = {irModule.release().ptr(), passContext.release().ptr(),
             passInfo.release().ptr(), passError.release().ptr()};
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

  nb::class_<Pass>(m, "Pass", nb::is_weak_referenceable(), nb::dynamic_attr())
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
      .def("_members",
           [](Pass &self) {
             nb::list members;
             for (intptr_t i = 0; i < partitaPassGetNumPasses(self.pass); ++i)
               members.append(createPass(partitaPassGetMember(self.pass, i)));
             return members;
           })
      .def("_register", [](Pass &self) { partitaRegisterPass(self.pass); })
      .def("__eq__",
           [](Pass &self, nb::object other) {
             return nb::isinstance<Pass>(other) &&
                    partitaPassEqual(self.pass,
                                     nb::inst_ptr<Pass>(other)->pass);
           })
      .def("_run", runPass, "module"_a, "in_place"_a, "verify"_a)
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
        return nb::make_tuple(entries, nb::str(text.data(), text.size()));
      });
  nb::class_<ModulePass, Pass>(m, "ModulePass")
      .def(nb::init<nb::callable, const InfoHolder &>());
  nb::class_<Sequential, Pass>(m, "Sequential")
      .def(nb::init<const std::vector<Pass *> &, const InfoHolder &>());
  m.def(
      "get_pass",
      [](const std::string &name, const std::string &options) {
        std::string message;
        PartitaPass pass =
            partitaPassGet(wrap(name), wrap(options), appendTo, &message);
        if (!pass.ptr)
          raise(PyExc_ValueError, message);
        return createPass(pass);
      },
      "name"_a, "options"_a);
  m.def(
      "parse_pipeline",
      [](const std::string &pipeline, const InfoHolder &info) {
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
      .def_prop_ro("name", [](Instrument &self) {
        return toPython(partitaPassInstrumentGetName(self.instrument));
      });
  nb::class_<TimingInstrument, Instrument>(m, "TimingInstrument")
      .def(nb::init<>())
      .def("render", [](TimingInstrument &self) {
        std::string text;
        partitaPassTimingInstrumentRender(self.instrument, appendTo, &text);
        return nb::str(text.data(), text.size());
      });

  nb::class_<Context>(m, "PassContext", nb::is_weak_referenceable())
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
                     std::pair<nb::list, Context *> data = {nb::list(), &self};
                     partitaPassContextGetInstruments(
                         self.context,
                         [](const void *id, void *userData) {
                           auto &[list, context] =
                               *static_cast<std::pair<nb::list, Context *> *>(
                                   userData);
                           for (auto &[known, object] : context->instruments)
                             if (known == id)
                               list.append(object);
                         },
                         &data);
                     return data.first;
                   })
      .def("pass_enabled",
           [](Context &self, const InfoHolder &info) {
             return partitaPassContextPassEnabled(self.context, info.get());
           })
      .def("enter",
           [](Context &self) {
             callWithErrors([&](MlirStringCallback onError, void *userData) {
               return partitaPassContextEnter(self.context, onError, userData);
             });
           })
      .def("exit",
           [](Context &self) {
             callWithErrors([&](MlirStringCallback onError, void *userData) {
               return partitaPassContextExit(self.context, onError, userData);
             });
           })
      .def("override_instruments",
           [](Context &self, nb::sequence instruments) {
             InstrumentList list(instruments);
             // The old ones are known until their exit is over.
             auto old = self.instruments;
             self.instruments.insert(self.instruments.end(),
                                     list.objects.begin(), list.objects.end());
             callWithErrors([&](MlirStringCallback onError, void *userData) {
               return partitaPassContextOverrideInstruments(
                   self.context, list.instruments.size(),
                   list.instruments.data(), onError, userData);
             });
             self.instruments = std::move(list.objects);
           })
      .def("diagnostics", [](Context &self, bool take) {
        return getDiagnostics(self.context, take);
      });
}
