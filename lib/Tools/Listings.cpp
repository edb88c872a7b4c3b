//===- Listings.cpp - Lists and plans as text -----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Listings.h"
#include "partita/Instrument/InstrumentRegistry.h"
#include "partita/Pass/PassRegistry.h"
#include "partita/Support/EscapeText.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace partita;

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

std::vector<StringRef> partita::getMLIRPassArguments() {
  // MLIR's registry can't be enumerated, but its command line parser makes an
  // option for each.
  std::vector<StringRef> arguments;
  for (auto &entry : llvm::cl::getRegisteredOptions())
    if (mlir::PassInfo::lookup(entry.first) ||
        PassPipelineInfo::lookup(entry.first))
      arguments.push_back(entry.first);
  llvm::sort(arguments);
  return arguments;
}

/// Prints the name, argument, level, anchor and required passes of each pass.
static void listPasses(ArrayRef<StringRef> arguments, llvm::raw_ostream &os) {
  struct Row {
    std::string name, argument, level, granularity, required;
  };
  std::vector<Row> rows = {
      {"name", "argument", "level", "runs on", "required"}};
  auto addRow = [&](const transform::Pass &pass) {
    StringRef granularity = pass.isSequential()     ? "Sequential"
                            : pass.opName().empty() ? "any op"
                                                    : pass.opName();
    rows.push_back({pass.info().name, pass.argument().str(),
                    std::to_string(pass.info().optLevel), granularity.str(),
                    llvm::join(pass.info().required, ",")});
  };
  for (const auto &declaration : transform::listPasses()) {
    llvm::Expected<transform::Pass> pass =
        transform::getPass(declaration->info.name);
    if (pass) {
      addRow(*pass);
      continue;
    }
    // For example, a Sequential whose passes are not linked in.
    llvm::WithColor::warning(llvm::errs())
        << llvm::toString(pass.takeError()) << "\n";
  }
  for (StringRef argument : arguments)
    if (!transform::lookupPass(argument)) {
      if (llvm::Expected<transform::Pass> pass = transform::getPass(argument))
        addRow(*pass);
      else
        llvm::consumeError(pass.takeError());
    }
  size_t name = 0, argument = 0, granularity = 0;
  for (const Row &row : rows) {
    name = std::max(name, row.name.size());
    argument = std::max(argument, row.argument.size());
    granularity = std::max(granularity, row.granularity.size());
  }
  for (const Row &row : rows) {
    std::string line;
    llvm::raw_string_ostream(line)
        << llvm::left_justify(row.name, name + 2)
        << llvm::left_justify(row.argument, argument + 2)
        << llvm::left_justify(row.level, 7)
        << llvm::left_justify(row.granularity, granularity + 2) << row.required;
    os << StringRef(line).rtrim() << "\n";
  }
}

static void listPassConfigs(llvm::raw_ostream &os) {
  for (const transform::PassConfigOption &option :
       transform::listPassConfigOptions()) {
    os << option.key << ": " << option.type.str() << " = "
       << option.defaultValue << "\n    " << option.description << "\n";
    for (const transform::ConfigField &field : option.type.getFields())
      os << "    " << field.name << ": " << field.type.str() << " = "
         << field.defaultValue << "\n        " << field.description << "\n";
  }
}

static void listInstruments(llvm::raw_ostream &os) {
  for (const instrument::InstrumentDeclaration &declaration :
       instrument::listInstruments()) {
    os << declaration.name << "\n    " << declaration.summary << "\n";
    declaration.printOptions(4);
  }
}

void partita::printLists(const PolicyOptions &options, bool listsPasses,
                         ArrayRef<StringRef> arguments, llvm::raw_ostream &os) {
  if (listsPasses)
    listPasses(arguments, os);
  if (options.listPassConfigs)
    listPassConfigs(os);
  if (options.listInstruments)
    listInstruments(os);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Prints the steps, each with its pipeline, and the pipeline of all steps.
static llvm::Error printJSON(const PolicyOptions &options, PolicyTexts texts,
                             const transform::Plan &plan, StringRef rootName,
                             llvm::raw_ostream &os) {
  texts.instruments.clear();
  auto isPrinted = [&](const transform::Plan::Entry &entry) {
    return entry.number <= options.planSteps;
  };
  llvm::Expected<std::string> whole = plan.getPipeline(rootName, isPrinted);
  if (!whole)
    return whole.takeError();
  llvm::json::Array steps;
  for (const transform::Plan::Entry &entry : plan.entries()) {
    if (entry.number == 0 || !isPrinted(entry))
      continue;
    llvm::Expected<std::string> pipeline = plan.getPipeline(rootName, entry);
    if (!pipeline)
      return pipeline.takeError();
    steps.push_back(llvm::json::Object{
        {"number", entry.number},
        {"name", entry.pass.info().name},
        {"pipeline", *pipeline},
        {"in_required_pass", entry.inRequiredPass},
    });
  }
  os << escapeJSON(
      llvm::formatv("{0:2}\n", llvm::json::Value(llvm::json::Object{
                                   {"pass_context", texts.print()},
                                   {"pipeline", *whole},
                                   {"steps", std::move(steps)},
                               }))
          .str());
  return llvm::Error::success();
}

llvm::Error partita::printPlan(const PolicyOptions &options,
                               const PolicyTexts &texts,
                               const transform::PassContext &passContext,
                               const transform::Plan &plan, StringRef rootName,
                               llvm::raw_ostream &os) {
  if (options.printPlanGraph) {
    plan.printGraph(os);
    return llvm::Error::success();
  }
  if (options.printPlanJSON)
    return printJSON(options, texts, plan, rootName, os);
  plan.print(os, passContext, rootName);
  llvm::Expected<std::string> pipeline = plan.getPipeline(rootName);
  if (!pipeline)
    return pipeline.takeError();
  os << "pipeline: " << escapeText(*pipeline) << "\n";
  return llvm::Error::success();
}
