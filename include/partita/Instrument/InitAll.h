//===- InitAll.h - Partita's instruments ----------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_INITALL_H
#define PARTITA_INSTRUMENT_INITALL_H

#include "partita/Instrument/Bisect.h"
#include "partita/Instrument/Checkpoint.h"
#include "partita/Instrument/DumpIR.h"
#include "partita/Instrument/OpStatistics.h"
#include "partita/Instrument/PassMemory.h"
#include "partita/Instrument/PassTiming.h"
#include "partita/Instrument/PrintChanged.h"
#include "partita/Instrument/PrintIR.h"
#include "partita/Instrument/Progress.h"
#include "partita/Instrument/Report.h"
#include "partita/Instrument/Trace.h"
#include "partita/Instrument/VerifyPasses.h"

namespace partita::instrument {

/// Registers every instrument of Partita by name.
inline void registerAllInstruments() {
  registerInstrument<Bisect>("Run some of the steps, to find the one at fault");
  registerInstrument<Checkpoint>(
      "Save the module after each pass, for partita-opt --resume-from");
  registerInstrument<DumpIR>("Write the module after each pass to a file");
  registerInstrument<OpStatistics>(
      "Report how each pass changed the number of ops");
  registerInstrument<PassMemory>("Report how much memory each pass took");
  registerInstrument<PassTimingInstrument>("Report how long each pass took");
  registerInstrument<PrintChanged>("Print what each pass changed as a diff");
  registerInstrument<PrintIRBefore>("Print the module before passes");
  registerInstrument<PrintIRAfter>("Print the module after passes");
  registerInstrument<Report>("Write an HTML page about what ran");
  registerInstrument<Progress>("Show on a terminal which pass runs");
  registerInstrument<Trace>("Write a timeline for ui.perfetto.dev");
  registerInstrument<VerifyPasses>(
      "Verify after each pass, and save the module before the one that failed");
}

} // namespace partita::instrument

#endif // PARTITA_INSTRUMENT_INITALL_H
