//===- PassInstrumentImpl.h - Helpers for callers of instruments *- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PASSINSTRUMENTIMPL_H
#define PARTITA_LIB_PASS_PASSINSTRUMENTIMPL_H

#include "partita/Pass/PassContext.h"

namespace partita::transform {

/// Whether an instrument of `context` wants at least one of `what`.
bool anyWants(const PassContext &context, instrument::Wants what);

/// "instrument 'a' failed WHAT: MESSAGE", for an error that it returned.
std::string describeFailure(const instrument::PassInstrument &instrument,
                            const llvm::Twine &what, llvm::Error error);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PASSINSTRUMENTIMPL_H
