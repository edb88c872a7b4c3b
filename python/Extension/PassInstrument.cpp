//===- PassInstrument.cpp - Instruments in Python -------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassInstrument.h"
#include "Module.h"
#include "Pass.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <utility>

namespace partita::python {

/// Returns null for an exception. The garbage collector may have cleared the
/// method.
nb::object InstrumentData::call(Callback callback, PyObject *const *args,
                                size_t numArgs) {
  if (!methods[callback])
    return nb::none();
  nb::object method = nb::borrow(methods[callback]);
  return nb::steal(PyObject_Vectorcall(method.ptr(), args, numArgs, nullptr));
}

namespace {

MlirLogicalResult succeed(InstrumentData &, nb::handle) {
  return mlirLogicalResultSuccess();
}

/// Calls a callback with the module and the arguments that `makeArgs` makes,
/// and hands over what it returns.
template <typename Handler, typename... MakeArgs>
MlirLogicalResult callWithModule(Callback callback, MlirOperation root,
                                 const PartitaPassStep *step, void *userData,
                                 Handler handler, MakeArgs... makeArgs) {
  HostSection host;
  return keepErrors([&] {
    InstrumentData &data = **static_cast<InstrumentDataRef *>(userData);
    RunOf run(root);
    std::array<nb::object, 1 + sizeof...(MakeArgs)> args = {run->getView(),
                                                            makeArgs()...};
    std::array<PyObject *, args.size()> pointers;
    std::transform(args.begin(), args.end(), pointers.begin(),
                   [](const nb::object &arg) { return arg.ptr(); });
    const PartitaPassStep *outerStep = std::exchange(run->step, step);
    nb::object result = data.call(callback, pointers.data(), pointers.size());
    run->step = outerStep;
    args.front().reset();
    bool isRaised = !result.is_valid();
    if (isRaised)
      keepCurrentError();
    run->endCallback();
    return isRaised ? mlirLogicalResultFailure() : handler(data, result);
  });
}

MlirLogicalResult callShouldRun(PartitaPassStep step, bool *answer,
                                void *userData) {
  return callWithModule(
      ShouldRun, step.run.module, &step, userData,
      [&](InstrumentData &data, nb::handle result) {
        if (!PyBool_Check(result.ptr())) {
          keepTypeError("expected should_run of instrument '" + data.name +
                        "' to return a bool for pass '" +
                        toString(step.info.name) + "', but it returned " +
                        typeName(result));
          return mlirLogicalResultFailure();
        }
        *answer = result.ptr() == Py_True;
        return mlirLogicalResultSuccess();
      },
      [&]() -> nb::object { return toPython(step.info); });
}

template <Callback callback>
MlirLogicalResult callObserver(PartitaPassStep step, void *userData) {
  return callWithModule(callback, step.run.module, &step, userData, succeed,
                        [&]() -> nb::object { return toPython(step.info); });
}

MlirLogicalResult callBeginRun(PartitaRun run, void *userData) {
  return callWithModule(BeginRun, run.module, nullptr, userData, succeed,
                        [&] { return describePlan(run.plan); });
}

MlirLogicalResult callEndRun(PartitaRun run, bool hasFailed, void *userData) {
  return callWithModule(
      EndRun, run.module, nullptr, userData, succeed,
      [&] { return describePlan(run.plan); },
      [&]() -> nb::object { return nb::bool_(hasFailed); });
}

template <Callback callback>
MlirLogicalResult callScope(void *userData) {
  HostSection host;
  return keepErrors([&] {
    InstrumentData &data = **static_cast<InstrumentDataRef *>(userData);
    if (data.call(callback, nullptr, 0).is_valid())
      return mlirLogicalResultSuccess();
    keepCurrentError();
    return mlirLogicalResultFailure();
  });
}

/// Calls a function of a module, and adds the arrays that it returns: tuples
/// of DLPack's code and bits, the shape, and the bytes. A str is why the module
/// cannot be run.
MlirLogicalResult callRunner(MlirOperation op, PartitaNumericsOutputs outputs,
                             void *userData) {
  HostSection host;
  return keepErrors([&] {
    nb::object result = nb::borrow(static_cast<PyObject *>(userData))(
        createModule(createOwner(partitaModuleClone(op))));
    if (nb::isinstance<nb::str>(result)) {
      partitaNumericsOutputsRefuse(outputs, wrap(toString(result)));
      return mlirLogicalResultFailure();
    }
    for (nb::handle output : result) {
      std::vector<int64_t> shape;
      for (nb::handle size : nb::object(output[2]))
        shape.push_back(nb::cast<int64_t>(size));
      nb::bytes data = nb::cast<nb::bytes>(output[3]);
      MlirLogicalResult added = partitaNumericsOutputsAdd(
          outputs, wrap(std::string()), nb::cast<uint8_t>(output[0]),
          nb::cast<uint8_t>(output[1]), shape.size(), shape.data(),
          data.c_str());
      if (mlirLogicalResultIsFailure(added))
        return added;
    }
    return mlirLogicalResultSuccess();
  });
}

PartitaPassInstrument parseInstrument(nb::bytes text, nb::object runner) {
  std::string message;
  MlirStringRef ref = mlirStringRefCreate(text.c_str(), text.size());
  PartitaPassInstrument instrument;
  if (runner.is_none()) {
    instrument = partitaPassInstrumentParse(ref, appendTo, &message);
  } else {
    auto destroy = [](void *data) { dropLater(static_cast<PyObject *>(data)); };
    instrument = partitaPassInstrumentParseNumerics(
        ref, {destroy, callRunner}, runner.release().ptr(), appendTo, &message);
  }
  if (!instrument.ptr)
    raise(PyExc_ValueError, message);
  return instrument;
}

void destroyInstrument(void *userData) {
  delete static_cast<InstrumentDataRef *>(userData);
}

} // namespace

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
  if (data->methods[BeginRun])
    callbacks.beginRun = callBeginRun;
  if (data->methods[EndRun])
    callbacks.endRun = callEndRun;
  return partitaPassInstrumentCreate(wrap(data->name), callbacks,
                                     new InstrumentDataRef(data));
}

void bindInstruments(nb::module_ &m) {
  nb::class_<Instrument>(m, "Instrument", nb::is_weak_referenceable())
      .def(
          "__init__",
          [](Instrument *self, nb::bytes text, nb::object runner) {
            new (self) Instrument(parseInstrument(text, std::move(runner)));
          },
          nb::arg("text"), nb::arg("runner") = nb::none())
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
  m.def("get_current_step", []() -> nb::object {
    const PartitaPassStep *step =
        Run::innermost ? Run::innermost->step : nullptr;
    if (!step)
      return nb::none();
    return nb::make_tuple(step->entry, step->number,
                          partitaPlanGetNumSteps(step->run.plan));
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
}

} // namespace partita::python
