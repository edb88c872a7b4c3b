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
#include <deque>

namespace partita {

/// The flags that make a PassContext, for any driver.
struct ContextOptions {
  /// `prefix` comes before the names of the flags.
  explicit ContextOptions(llvm::StringRef prefix = "") : prefix(prefix) {}

  const std::string prefix;
  /// Storage for the names of the flags.
  std::deque<std::string> names;
  llvm::StringRef makeName(llvm::StringRef name) {
    return names.emplace_back(prefix + name.str());
  }

  llvm::cl::OptionCategory category{
      "Context options",
      "With any of the first eleven, the pipeline is a Sequential under a "
      "PassContext. Without an opt level and a list, all named passes run"};
  llvm::cl::opt<int> optLevel{
      makeName("opt-level"),
      llvm::cl::desc(
          "The context's opt_level (2 if there is a context); without a "
          "pipeline, the tool's default one at that level runs, if any"),
      llvm::cl::value_desc("N"), llvm::cl::init(2), llvm::cl::cat(category)};
  llvm::cl::opt<int> optLevelShort{
      makeName("O"), llvm::cl::Prefix, llvm::cl::desc("--opt-level"),
      llvm::cl::value_desc("N"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> requiredPass{
      makeName("required-pass"), llvm::cl::CommaSeparated,
      llvm::cl::desc("Passes that run whatever their opt_level"),
      llvm::cl::value_desc("a,b"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> disabledPass{
      makeName("disabled-pass"), llvm::cl::CommaSeparated,
      llvm::cl::desc("Passes that do not run, unless another requires them"),
      llvm::cl::value_desc("a,b"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> passConfig{
      makeName("pass-config"),
      llvm::cl::desc("A config option, as an MLIR attribute"),
      llvm::cl::value_desc("KEY=ATTR"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> instrument{
      makeName("instrument"),
      llvm::cl::desc("An instrument; repeat for more, in order"),
      llvm::cl::value_desc("NAME{options}"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> skipUnchanged{
      makeName("skip-unchanged"),
      llvm::cl::desc("Do not run a pass again on an op that it has left as it "
                     "is: --pass-config=partita.skip_unchanged=true"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> nestInFunctions{
      makeName("nest-in-functions"),
      llvm::cl::desc("Run local passes on the module function by function, on "
                     "all threads: "
                     "--pass-config=partita.nest_in_functions=true"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> verify{
      makeName("verify"),
      llvm::cl::desc("Verify what each pass runs on (each), what it has "
                     "changed (changed), or the module at the end (end): "
                     "--pass-config=partita.verify=\"changed\""),
      llvm::cl::value_desc("each|changed|end"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> passCache{
      makeName("pass-cache"),
      llvm::cl::desc("Keep results of passes in a directory, for later runs: "
                     "--pass-config=partita.pass_cache=\"DIR\""),
      llvm::cl::value_desc("DIR"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> explain{
      makeName("explain"),
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
  /// Whether the context decides which passes run. Users who only observe
  /// passes, or set a config option, get all named passes, as they stand.
  bool choosesPasses() const {
    return hasLevel() || requiredPass.getNumOccurrences() ||
           disabledPass.getNumOccurrences();
  }
  bool hasContext() const {
    return hasLevel() || requiredPass.getNumOccurrences() ||
           disabledPass.getNumOccurrences() || passConfig.getNumOccurrences() ||
           instrument.getNumOccurrences() || skipUnchanged || nestInFunctions ||
           verify.getNumOccurrences() || passCache.getNumOccurrences();
  }

  /// The texts in `base`, changed by the flags of the command line.
  PolicyTexts getTexts(PolicyTexts base = {}) const;
};

/// The flags of partita-opt that mlir-opt lacks.
struct PolicyOptions : ContextOptions {
  llvm::cl::list<std::string> inputs{
      llvm::cl::Positional,
      llvm::cl::desc("<input file> [<input file>..., with --jobs]")};
  llvm::cl::opt<std::string> outputName{"o", llvm::cl::desc("Output filename"),
                                        llvm::cl::value_desc("filename"),
                                        llvm::cl::init("-")};
  llvm::cl::opt<unsigned> jobs{
      "jobs",
      llvm::cl::desc("Work on input files, and on the parts of "
                     "--split-input-file, in up to N processes at a time; the "
                     "output is the same"),
      llvm::cl::value_desc("N"), llvm::cl::init(1)};
  /// For the processes of --jobs.
  llvm::cl::opt<std::string> job{
      "job", llvm::cl::desc("The file with the sections to work on"),
      llvm::cl::value_desc("filename"), llvm::cl::Hidden};
  llvm::cl::opt<std::string> resumeFrom{
      "resume-from",
      llvm::cl::desc(
          "Resume after the last checkpoint in the directory, which "
          "--instrument=checkpoint{dir=DIR} wrote for the same passes and "
          "input; without one, start at the beginning"),
      llvm::cl::value_desc("DIR"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> printPlanGraph{
      "print-plan-graph",
      llvm::cl::desc("Print the plan as a graph for Graphviz, and run nothing"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> printPlanJSON{
      "print-plan-json",
      llvm::cl::desc("Print the plan's steps as JSON, and run nothing"),
      llvm::cl::cat(category)};
  /// For partita-bisect, which runs these steps alone.
  llvm::cl::opt<unsigned> planSteps{
      "plan-steps",
      llvm::cl::desc("Print only the first N steps with --print-plan-json"),
      llvm::cl::value_desc("N"),
      llvm::cl::init(UINT_MAX),
      llvm::cl::Hidden,
      llvm::cl::cat(category)};
  llvm::cl::opt<uint64_t> rewriteLimit{
      "rewrite-limit",
      llvm::cl::desc("Let MLIR's drivers try patterns at most N times, on one "
                     "thread, and print the last attempt"),
      llvm::cl::value_desc("N"), llvm::cl::cat(category)};
  llvm::cl::opt<bool> checkInert{
      "check-inert",
      llvm::cl::desc("Before the run, run the passes without instruments, "
                     "measured, observed, and with the command line's; "
                     "fail if the module, diagnostics, analyses or statistics "
                     "differ"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> checkNest{
      "check-nest",
      llvm::cl::desc("Before the run, run the passes as they stand, with "
                     "--nest-in-functions, with --skip-unchanged, and with "
                     "both and --verify=changed; fail if the module or the "
                     "diagnostics differ"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> checkCache{
      "check-cache",
      llvm::cl::desc("Before the run, run the passes with --pass-cache on an "
                     "empty directory and on the filled one, also with other "
                     "functions around; fail if a result differs from the "
                     "result without"),
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

  /// The pipeline of the tool if the command line names no passes.
  DefaultPipelineFn getDefaultPipeline;

  bool checksWays() const { return checkInert || checkNest || checkCache; }
  bool printsPlan() const { return explain || printPlanGraph || printPlanJSON; }
};

/// The context that `texts` describe, without its instruments.
llvm::Expected<transform::PassContextOptions>
createContextOptions(const PolicyTexts &texts);
/// Makes the context that `texts` describe.
llvm::Expected<transform::PassContext> createContext(const PolicyTexts &texts);
/// Finds errors in the options of passes that the flags in `arguments` name:
/// MLIR's errors do not name the pass.
llvm::Error checkPassFlags(llvm::ArrayRef<const char *> arguments);
/// Lets an interrupt end the processes that an instrument of `context` starts,
/// which would outlive this process. Only for a tool.
void endInstrumentsAtInterrupt(const transform::PassContext &context);

} // namespace partita

#endif // PARTITA_LIB_TOOLS_POLICYOPTIONS_H
