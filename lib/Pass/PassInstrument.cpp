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

RunRecord::RunRecord(PassRecord root)
    : failed(root.hasFailed), root(std::move(root)) {}

const PassRecord &RunRecord::getRoot() const {
  std::call_once(once, [&] {
    if (makeRoot)
      root = std::exchange(makeRoot, nullptr)();
  });
  return root;
}

PassInstrument::~PassInstrument() = default;

std::string PassInstrument::render() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  render(os);
  return text;
}
