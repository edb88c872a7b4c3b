//===- PassInstrument.cpp - Callbacks around passes -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Pass/PassInstrument.h"
#include "PassInstrumentImpl.h"
#include "partita/Pass/Plan.h"
#include "partita/Support/EscapeText.h"

#include <atomic>

using namespace partita::instrument;

const partita::transform::PassInfo &PassRecord::getInfo() const {
  return plan->entries()[entry].pass.info();
}

std::string PassRecord::getReason() const {
  return plan->describe(plan->entries()[entry]);
}

RunRecord::RunRecord(PassRecord root, PipelineSetUp setUp)
    : failed(root.hasFailed), setUp(setUp), root(std::move(root)) {}

const PassRecord &RunRecord::getRoot() const {
  std::call_once(once, [&] {
    if (makeRoot)
      root = std::exchange(makeRoot, nullptr)();
  });
  return root;
}

static std::atomic<InstrumentFactory> instrumentFactory{nullptr};

void partita::instrument::setInstrumentFactory(InstrumentFactory factory) {
  instrumentFactory = factory;
}

llvm::Expected<PassInstrumentRef>
partita::instrument::makeInstrument(llvm::StringRef text) {
  if (InstrumentFactory factory = instrumentFactory)
    return factory(text);
  return llvm::createStringError("expected registered instruments to make '" +
                                 text + "', but found none");
}

PassInstrument::~PassInstrument() = default;

std::string PassInstrument::render() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  render(os);
  return text;
}

bool partita::transform::anyWants(const PassContext &context, Wants what) {
  return llvm::any_of(*context.instruments(), [&](const auto &instrument) {
    return instrument->wants(what);
  });
}

std::string
partita::transform::describeFailure(const PassInstrument &instrument,
                                    const llvm::Twine &what,
                                    llvm::Error error) {
  std::string detail = llvm::toString(std::move(error));
  std::string message =
      ("instrument '" + instrument.getName() + "' failed " + what).str();
  return escapeText(detail.empty() ? message : message + ": " + detail);
}
