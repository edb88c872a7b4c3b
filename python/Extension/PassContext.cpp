//===- PassContext.cpp - PassContexts, configs and diagnostics ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassContext.h"
#include "Module.h"
#include "Pass.h"
#include "partita-c/Dialects.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

using namespace nanobind::literals;

namespace partita::python {

Diagnostic::Diagnostic(const PartitaPassDiagnostic &diagnostic)
    : severity(diagnostic.severity), location(toString(diagnostic.location)),
      message(toString(diagnostic.message)) {
  for (intptr_t i = 0; i < diagnostic.numNotes; ++i)
    notes.push_back(toString(diagnostic.notes[i]));
}

nb::tuple Diagnostic::toTuple() const {
  static constexpr const char *severities[] = {"error", "warning", "note",
                                               "remark"};
  nb::list noteList;
  for (const std::string &note : notes)
    noteList.append(toPython(note));
  return nb::make_tuple(severities[severity], toPython(location),
                        toPython(message), noteList);
}

void appendDiagnostic(PartitaPassDiagnostic diagnostic, void *userData) {
  static_cast<std::vector<Diagnostic> *>(userData)->emplace_back(diagnostic);
}

nb::list toPython(const std::vector<Diagnostic> &diagnostics) {
  nb::list list;
  for (const Diagnostic &diagnostic : diagnostics)
    list.append(diagnostic.toTuple());
  return list;
}

namespace {

/// The Python objects of contexts, by the contexts' ids.
std::unordered_map<const void *, PyObject *> &getLiveContexts() {
  static auto &contexts = *new std::unordered_map<const void *, PyObject *>;
  return contexts;
}

/// `value` as an attribute of the config options' context.
MlirAttribute toAttribute(const std::string &key, nb::handle value) {
  // A list can contain itself.
  if (Py_EnterRecursiveCall(" in a config value"))
    throw nb::python_error();
  struct Leave {
    ~Leave() { Py_LeaveRecursiveCall(); }
  } leave;
  MlirContext context = partitaGetPassConfigContext();
  PyObject *object = value.ptr();
  if (PyBool_Check(object))
    return mlirBoolAttrGet(context, object == Py_True);
  // A number of NumPy, too.
  nb::object integer;
  if (PyIndex_Check(object) &&
      !(integer = nb::steal(PyNumber_Index(object))).is_valid())
    PyErr_Clear();
  if (integer.is_valid()) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
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
      std::string text = toString(name);
      if (text.empty())
        raise(PyExc_TypeError, "expected the fields of config '" + key +
                                   "' to have names, but found ''");
      fields.push_back(
          {mlirIdentifierGet(context, wrap(text)), toAttribute(key, item[1])});
    }
    return mlirDictionaryAttrGet(context, fields.size(), fields.data());
  }
  raise(PyExc_AttributeError,
        "expected the value of config '" + key +
            "' to be a bool, int, float, str, list or dict, "
            "but found " +
            typeName(value));
}

nb::object toValue(MlirAttribute attribute) {
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
      elements.append(toValue(mlirArrayAttrGetElement(attribute, i)));
    return elements;
  }
  if (mlirAttributeIsADictionary(attribute)) {
    nb::dict fields;
    for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(attribute); ++i) {
      MlirNamedAttribute field = mlirDictionaryAttrGetElement(attribute, i);
      fields[toPython(mlirIdentifierStr(field.name))] =
          toValue(field.attribute);
    }
    return fields;
  }
  std::string text;
  mlirAttributePrint(attribute, appendTo, &text);
  return toPython(text);
}

/// Contexts hold instruments, and instruments can hold contexts.
int traverseContext(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self))
    return 0;
  for (ContextInstrument &instrument :
       nb::inst_ptr<Context>(self)->instruments) {
    Py_VISIT(instrument.object.ptr());
    // While C++ can call them, a thread is in the context, and keeps it alive.
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

} // namespace

Context::~Context() {
  getLiveContexts().erase(partitaPassContextGetId(context));
  partitaPassContextDestroy(context);
  collectGarbage();
}

static std::vector<const void *>
getInstrumentIds(PartitaPassContext passContext) {
  std::vector<const void *> ids;
  partitaPassContextGetInstruments(
      passContext,
      [](const void *id, void *userData) {
        static_cast<std::vector<const void *> *>(userData)->push_back(id);
      },
      &ids);
  return ids;
}

/// Calls `visit` with the entry in `known` for each of the present instruments,
/// or null, until it returns false.
template <typename Visit>
static void forEachPresent(PartitaPassContext context,
                           const std::vector<ContextInstrument> &known,
                           Visit visit) {
  // Both are in one order, except for instruments that an override has left
  // over.
  size_t next = 0;
  for (const void *id : getInstrumentIds(context)) {
    const ContextInstrument *found = nullptr;
    for (size_t i = 0; i < known.size() && !found; ++i)
      if (known[(next + i) % known.size()].id == id) {
        found = &known[(next + i) % known.size()];
        next += i + 1;
      }
    if (!visit(found))
      return;
  }
}

std::vector<ContextInstrument> Context::getInstruments() {
  std::vector<ContextInstrument> present;
  forEachPresent(context, instruments, [&](const ContextInstrument *found) {
    if (found)
      present.push_back(*found);
    return true;
  });
  return present;
}

bool Context::looksFromCpp() {
  // What saves work hashes the module, which must not be an empty one then.
  if (partitaPassContextSavesWork(context))
    return true;
  bool looks = false;
  forEachPresent(context, instruments, [&](const ContextInstrument *found) {
    looks = !found || found->looksFromCpp;
    return !looks;
  });
  return looks;
}

nb::object getCurrentContext() {
  PartitaPassContext current = partitaPassContextGetCurrent();
  auto &live = getLiveContexts();
  auto it = live.find(partitaPassContextGetId(current));
  // It may be about to be freed.
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

namespace {

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
      bool looks = !data && partitaPassInstrumentGetsModule(instruments.back());
      objects.push_back({partitaPassInstrumentGetId(instruments.back()),
                         std::move(object), std::move(data), looks});
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
                 nb::sequence instruments, bool warns) {
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
    std::string warning;
    partitaPassConfigDescribeUnread(wrap(name), appendTo, &warning);
    // At the line that makes the context, above __init__.
    if (warns && !warning.empty() &&
        PyErr_WarnEx(types.passWarning, warning.c_str(),
                     /*stack_level=*/2) != 0)
      throw nb::python_error();
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

/// Calls `function`, which can run callbacks, and raises the first error.
template <typename Function>
void callWithErrors(Function function) {
  CallScope scope;
  std::string message;
  MlirLogicalResult result;
  {
    NativeSection native;
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
  noteEntered(nb::find(self));
}

void exitContext(Context &self, bool hasFailed) {
  noteLeft(nb::find(self));
  callWithErrors([&](MlirStringCallback onError, void *userData) {
    auto *leave =
        hasFailed ? partitaPassContextAbandon : partitaPassContextExit;
    return leave(self.context, onError, userData);
  });
}

void overrideInstruments(Context &self, nb::sequence instruments) {
  InstrumentList list(instruments);
  noteOverridden(nb::find(self));
  // The new ones can be in C++, and look at the op that passes run on.
  for (Run *run = Run::innermost; run; run = run->outer)
    run->fill();
  // The old ones stay known until they have exited.
  self.instruments.insert(self.instruments.end(), list.objects.begin(),
                          list.objects.end());
  struct Forget {
    Context &context;
    ~Forget() {
      std::vector<ContextInstrument> present = context.getInstruments();
      // Frees the others only when the context is consistent.
      context.instruments.swap(present);
    }
  } forget{self};
  callWithErrors([&](MlirStringCallback onError, void *userData) {
    return partitaPassContextOverrideInstruments(
        self.context, list.instruments.size(), list.instruments.data(), onError,
        userData);
  });
}

nb::list getDiagnostics(PartitaPassContext context, bool take) {
  std::vector<Diagnostic> diagnostics;
  partitaPassContextGetDiagnostics(context, take, appendDiagnostic,
                                   &diagnostics);
  return toPython(diagnostics);
}

} // namespace

void bindPassContext(nb::module_ &m) {
  m.def("list_pass_configs", [] {
    nb::list configs;
    partitaListPassConfigOptions(
        [](PartitaPassConfigOption option, void *userData) {
          static_cast<nb::list *>(userData)->append(nb::make_tuple(
              toPython(option.key), toPython(option.type),
              toValue(option.defaultValue), toPython(option.description)));
        },
        &configs);
    return configs;
  });

  nb::class_<Context>(m, "PassContext", nb::is_weak_referenceable(),
                      nb::type_slots(contextSlots))
      .def("__init__", initContext, "opt_level"_a, "required_pass"_a,
           "disabled_pass"_a, "config"_a, "instruments"_a, "warns"_a = true)
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
                  toValue(partitaPassContextGetConfigValue(self.context, i));
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
      // In Python they could be interrupted between the two halves of a call.
      .def("__enter__",
           [](Context &self) {
             enterContext(self);
             return nb::find(self);
           })
      .def("__exit__",
           [](Context &self, const nb::args &exception) {
             exitContext(self,
                         exception.size() != 0 && !exception[0].is_none());
           })
      .def("override_instruments", overrideInstruments)
      .def("diagnostics", [](Context &self, bool take) {
        return getDiagnostics(self.context, take);
      });
}

} // namespace partita::python
