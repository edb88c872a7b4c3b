//===- PassInstrument.h - Instruments in Python ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_EXTENSION_PASSINSTRUMENT_H
#define PARTITA_PYTHON_EXTENSION_PASSINSTRUMENT_H

#include "Support.h"

#include <memory>

namespace partita::python {

/// An instrument that is written in C++.
struct Instrument {
  PartitaPassInstrument instrument;

  explicit Instrument(PartitaPassInstrument instrument)
      : instrument(instrument) {}
  Instrument(const Instrument &) = delete;
  ~Instrument() { partitaPassInstrumentDestroy(instrument); }
};

enum Callback {
  Enter,
  Exit,
  ShouldRun,
  RunBefore,
  RunAfter,
  BeginRun,
  EndRun,
  NumCallbacks
};

/// The part of a Python instrument that C holds: its bound methods, null for
/// methods that it does not define.
struct InstrumentData {
  std::string name;
  PyObject *methods[NumCallbacks] = {};

  explicit InstrumentData(std::string name) : name(std::move(name)) {}
  InstrumentData(const InstrumentData &) = delete;
  ~InstrumentData() {
    for (PyObject *method : methods)
      dropLater(method);
  }

  /// Calls a method; null is returned for an exception.
  nb::object call(Callback callback, PyObject *const *args, size_t numArgs);
};
/// The user data of an instrument in C.
using InstrumentDataRef = std::shared_ptr<InstrumentData>;

/// An instrument that calls the bound methods in `methods`, which are in the
/// order of the callbacks; None for one that is not defined.
PartitaPassInstrument createInstrument(InstrumentDataRef data,
                                       nb::sequence methods);

void bindInstruments(nb::module_ &m);

} // namespace partita::python

#endif // PARTITA_PYTHON_EXTENSION_PASSINSTRUMENT_H
