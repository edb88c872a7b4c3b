//===- NumericsRunner.h - What runs modules for numerics --------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_NUMERICSRUNNER_H
#define PARTITA_INSTRUMENT_NUMERICSRUNNER_H

#include "partita/Instrument/Instruments.h"
#include "partita/NumPy/Array.h"

#include <deque>
#include <functional>

namespace partita::instrument {

/// What a module has computed.
struct NumericsOutputs {
  NumericsOutputs() = default;
  // The arrays of a copy would point to the memory of the original.
  NumericsOutputs(const NumericsOutputs &) = delete;
  NumericsOutputs(NumericsOutputs &&) = default;
  NumericsOutputs &operator=(NumericsOutputs &&) = default;

  std::vector<Array> arrays;
  /// What the arrays point to, if nobody else holds it.
  std::deque<std::string> memory;

  /// Adds a copy of an array in C's order. Fails for a dtype that cannot be
  /// compared.
  llvm::Error add(llvm::StringRef name, DType dtype,
                  llvm::ArrayRef<int64_t> shape, const void *data);
};

/// Runs a module, a copy that it may change, with the same inputs each time.
/// Fails if the module cannot be run; an error without a text ends the run of
/// the passes, too.
using NumericsRunner =
    std::function<llvm::Expected<NumericsOutputs>(mlir::Operation *module)>;

/// A `numerics` whose modules `runner` runs, in this process.
PassInstrumentRef createNumerics(NumericsOptions options,
                                 NumericsRunner runner);
/// The same from a text, `numerics{options}`.
llvm::Expected<PassInstrumentRef> createNumerics(llvm::StringRef text,
                                                 NumericsRunner runner);

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_NUMERICSRUNNER_H
