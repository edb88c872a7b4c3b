//===- PassContext.h - PassContexts, configs and diagnostics ---*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_EXTENSION_PASSCONTEXT_H
#define PARTITA_PYTHON_EXTENSION_PASSCONTEXT_H

#include "PassInstrument.h"

namespace partita::python {

/// An instrument of a context: the user's object, and the one in C.
struct ContextInstrument {
  const void *id;
  nb::object object;
  /// Unset for one that is written in C++.
  InstrumentDataRef data;
  /// Whether it is, and looks at modules.
  bool looksFromCpp = false;
};

struct Context {
  PartitaPassContext context;
  std::vector<ContextInstrument> instruments;

  explicit Context(PartitaPassContext context) : context(context) {}
  Context(const Context &) = delete;
  ~Context();

  /// The context's instruments with the objects that the user gave.
  std::vector<ContextInstrument> getInstruments();
  /// Whether C++ looks at modules between passes: an instrument, or to save
  /// work.
  bool looksFromCpp();
};

/// A diagnostic as text.
struct Diagnostic {
  explicit Diagnostic(const PartitaPassDiagnostic &diagnostic);

  nb::tuple toTuple() const;

  MlirDiagnosticSeverity severity;
  std::string location, message;
  std::vector<std::string> notes;
};

/// Appends to the std::vector<Diagnostic> at `userData`.
void appendDiagnostic(PartitaPassDiagnostic diagnostic, void *userData);
nb::list toPython(const std::vector<Diagnostic> &diagnostics);

void bindPassContext(nb::module_ &m);

} // namespace partita::python

#endif // PARTITA_PYTHON_EXTENSION_PASSCONTEXT_H
