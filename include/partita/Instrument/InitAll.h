//===- InitAll.h - Partita's instruments -------------------------*- C++
//-*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_INITALL_H
#define PARTITA_INSTRUMENT_INITALL_H

#include "partita/Instrument/Bisect.h"
#include "partita/Instrument/PassTiming.h"
#include "partita/Instrument/PrintIR.h"

namespace partita::instrument {

/// Registers every instrument of Partita by name.
inline void registerAllInstruments() {
  registerInstrument<Bisect>("Run some of the steps, to find the one at fault");
  registerInstrument<PassTimingInstrument>("Report how long each pass took");
  registerInstrument<PrintIRBefore>("Print the module before passes");
  registerInstrument<PrintIRAfter>("Print the module after passes");
}

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_INITALL_H
