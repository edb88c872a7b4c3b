//===- Instruments.h - Partita's instruments --------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generated from Instruments.td: for each instrument the struct NAMEOptions and
// the function createNAME, and registerAllInstruments.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_INSTRUMENTS_H
#define PARTITA_INSTRUMENT_INSTRUMENTS_H

#include "partita/Pass/PassInstrument.h"

#include <string>
#include <vector>

namespace partita::instrument {
#include "partita/Instrument/Instruments.h.inc"
} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_INSTRUMENTS_H
