//===- PassInstrument.cpp - Callbacks around passes -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/PassInstrument.h"
#include "partita/Pass/Plan.h"

using namespace partita::instrument;

const partita::transform::PassInfo &PassRecord::getInfo() const {
  return plan->entries()[entry].pass.info();
}

std::string PassRecord::getReason() const {
  return plan->describe(plan->entries()[entry]);
}

PassInstrument::~PassInstrument() = default;

std::string PassInstrument::render() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  render(os);
  return text;
}
