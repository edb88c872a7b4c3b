//===- PolicyOptions.h - Flags that make a PassContext ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TOOLS_POLICYOPTIONS_H
#define PARTITA_LIB_TOOLS_POLICYOPTIONS_H

#include "Reproducer.h"
#include "partita/Pass/PassContext.h"
#include "partita/Tools/PartitaOptMain.h"

#include "llvm/Support/CommandLine.h"

#include <climits>

namespace partita {

/// The flags that make a PassContext, for any driver.
struct ContextOptions {
  llvm::cl::OptionCategory category{
      "Context options",
      "With any of the first seven, the pipeline is a Sequential under a "
      "PassContext"};
  llvm::cl::opt<int> optLevel{
      "opt-level",
      llvm::cl::desc(
          "The context's opt_level (2 if there is a context); without a "
          "pipeline, the default one of that level runs, if the tool has one"),
      llvm::cl::value_desc("N"), llvm::cl::init(2), llvm::cl::cat(category)};
  llvm::cl::opt<int> optLevelShort{
      "O", llvm::cl::Prefix, llvm::cl::desc("--opt-level"),
      llvm::cl::value_desc("N"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> requiredPass{
      "required-pass", llvm::cl::CommaSeparated,
      llvm::cl::desc("Passes that run whatever their opt_level"),
      llvm::cl::value_desc("a,b"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> disabledPass{
      "disabled-pass", llvm::cl::CommaSeparated,
      llvm::cl::desc("Passes that do not run, unless another requires them"),
      llvm::cl::value_desc("a,b"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> passConfig{
      "pass-config", llvm::cl::desc("A config option, as an MLIR attribute"),
      llvm::cl::value_desc("KEY=ATTR"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> instrument{
      "instrument", llvm::cl::desc("An instrument; repeat for more, in order"),
      llvm::cl::value_desc("NAME{options}"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> explain{
      "explain",
      llvm::cl::desc("Print the plan, with a reason for each "
                     "line, and run nothing"),
      llvm::cl::cat(category)};

  bool hasLevel() const {
    return optLevel.getNumOccurrences() || optLevelShort.getNumOccurrences();
  }
  int getLevel() const {
    return optLevelShort.getPosition() > optLevel.getPosition() ? optLevelShort
                                                                : optLevel;
  }
  bool hasContext() const {
    return hasLevel() || requiredPass.getNumOccurrences() ||
           disabledPass.getNumOccurrences() || passConfig.getNumOccurrences() ||
           instrument.getNumOccurrences();
  }

  /// The context, `base` with what the command line says.
  PolicyTexts getTexts(PolicyTexts base = {}) const;
};

/// The flags of partita-opt that mlir-opt lacks.
struct PolicyOptions : ContextOptions {
  llvm::cl::opt<std::string> resumeFrom{
      "resume-from",
      llvm::cl::desc(
          "Go on after the last checkpoint in the directory, which "
          "--instrument=checkpoint{dir=DIR} wrote for the same passes and "
          "input; from the beginning if there is none"),
      llvm::cl::value_desc("DIR"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> printPlanGraph{
      "print-plan-graph",
      llvm::cl::desc("Print the plan as a graph for Graphviz, and run nothing"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> printPlanJSON{
      "print-plan-json",
      llvm::cl::desc("Print the plan's steps as JSON, and run nothing"),
      llvm::cl::cat(category)};
  /// For partita-bisect, which runs them by themselves.
  llvm::cl::opt<unsigned> planSteps{
      "plan-steps",
      llvm::cl::desc("How many of the first steps --print-plan-json prints"),
      llvm::cl::value_desc("N"),
      llvm::cl::init(UINT_MAX),
      llvm::cl::Hidden,
      llvm::cl::cat(category)};
  llvm::cl::opt<uint64_t> rewriteLimit{
      "rewrite-limit",
      llvm::cl::desc("Let MLIR's drivers try patterns N times at most, on one "
                     "thread, and print the last of them"),
      llvm::cl::value_desc("N"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> checkInert{
      "check-inert",
      llvm::cl::desc("Before the run, run the passes without instruments, "
                     "measured, observed, and with those of the command line; "
                     "fail if the module, diagnostics, analyses or statistics "
                     "differ"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> listPassConfigs{
      "list-pass-configs",
      llvm::cl::desc("List the config options: type, default, description"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> listInstruments{"list-instruments",
                                      llvm::cl::desc("List the instruments"),
                                      llvm::cl::cat(category)};

  bool hasPolicy() const {
    return hasContext() || resumeFrom.getNumOccurrences();
  }

  /// What the tool runs where the command line names no passes.
  DefaultPipelineFn getDefaultPipeline;

  bool printsPlan() const { return explain || printPlanGraph || printPlanJSON; }
};

/// Makes the context that `texts` describe.
llvm::Expected<transform::PassContext> createContext(const PolicyTexts &texts);

} // namespace partita

#endif // PARTITA_LIB_TOOLS_POLICYOPTIONS_H
