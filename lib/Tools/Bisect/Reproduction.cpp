//===- Reproduction.cpp - Reproducers of a step ---------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reproduction.h"
#include "partita/Support/Processes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using llvm::StringRef;
namespace fs = llvm::sys::fs;

namespace partita::bisect {

/// "--name=value" -> "name"; empty if `arg` is no option.
static StringRef getOptionName(StringRef arg) {
  return arg.starts_with("-") ? arg.ltrim('-').split('=').first : "";
}

void checkToolArgs(llvm::ArrayRef<std::string> args) {
  for (StringRef arg : args) {
    StringRef name = getOptionName(arg);
    if (name == "emit-bytecode")
      fail("expected a run that writes text, as a reproducer needs, but "
           "found '" +
           arg + "'");
    if (llvm::is_contained(
            {"explain", "print-plan-graph", "print-plan-json", "list-passes",
             "list-pass-configs", "list-instruments", "show-dialects", "help",
             "h", "help-hidden", "help-list", "help-list-hidden", "version"},
            name))
      fail("expected options with which passes run, but found '" + arg + "'");
    if (llvm::is_contained({"split-input-file", "verify-diagnostics",
                            "run-reproducer",
                            "mlir-pass-pipeline-crash-reproducer",
                            "mlir-pass-pipeline-local-reproducer",
                            "mlir-generate-reproducer", "rewrite-limit", "o"},
                           name))
      fail("expected options of one run, as a reproducer needs, but found '" +
           arg + "'; pass options for all runs with --opt-arg");
  }
}

Reproduction::Reproduction(Tool baseTool, llvm::ArrayRef<std::string> args,
                           StringRef directory, StringRef module)
    : tool(std::move(baseTool)), directory(directory) {
  for (size_t index = 0; index < args.size(); ++index) {
    StringRef arg = args[index], name = getOptionName(arg);
    if (name == "verify-each")
      verifiesEach = !llvm::is_contained({"0", "false", "FALSE", "False"},
                                         arg.split('=').second);
    if (!name.starts_with("mlir-") &&
        !llvm::is_contained({"allow-unregistered-dialect", "irdl-file",
                             "load-dialect-plugin", "load-pass-plugin",
                             "no-implicit-module", "verify-each"},
                            name))
      continue;
    tool.options.push_back(arg.str());
    // An option without '=' may have its value in the next argument.
    if (!arg.contains('=') && index + 1 < args.size() &&
        getOptionName(args[index + 1]).empty())
      tool.options.push_back(args[++index]);
  }
  for (StringRef name :
       {"reproducer.mlir", "run.sh", "after.mlir", "reduced.mlir"})
    if (fs::equivalent(module, getPath(name)))
      fail("expected a module that is not overwritten, but '" + module +
           "' is a file of the reproducer; name another --reproducer-dir");
  check(fs::create_directories(directory), "create '" + directory + "'");
  if (!fs::is_directory(directory))
    fail("expected a directory for the reproducer, but found '" + directory +
         "'");
}

/// Quotes `words` for a shell.
static std::string quote(llvm::ArrayRef<std::string> words) {
  std::string quoted;
  for (StringRef word : words) {
    quoted += quoted.empty() ? "'" : " '";
    for (char c : word)
      quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    quoted += "'";
  }
  return quoted;
}

void Reproduction::write(StringRef before, StringRef tail,
                         StringRef title) const {
  std::vector<std::string> command = {tool.path};
  llvm::append_range(command, tool.options);
  std::string script = "#!/bin/sh\n# " + title.str() +
                       "\ndirectory=$(cd \"$(dirname \"$0\")\" && pwd)\n"
                       "# Where the names of files are from.\ncd " +
                       quote(makeAbsolute(".")) + "\n" + quote(command) +
                       " \"$directory/reproducer.mlir\" --run-reproducer -o "
                       "\"$directory/after.mlir\"";
  if (!tool.test.empty())
    script += " &&\n  " + quote(tool.test) + " \"$directory/after.mlir\"";
  std::string what = "write the reproducer into '" + directory + "'";
  check(writeText(getPath("reproducer.mlir"), before + tail), what);
  check(writeText(getPath("run.sh"), script + "\n", /*isScript=*/true), what);
}

void Reproduction::reduce(StringRef selfPath, StringRef tail) const {
  std::string tailPath = getScratchPath("tail.txt");
  std::string checkPath = getScratchPath("check.sh");
  std::vector<std::string> command = {
      selfPath.str(),
      "--opt=" + tool.path,
      "--time-limit=" + std::to_string(tool.timeLimit),
      "--check-with=" + tailPath,
      "--check-error=" + tool.expectedError,
      !tool.test.empty()          ? "--test=" + tool.testText
      : tool.wanted == End::Error ? "--mode=verify"
      : tool.wanted == End::Crash ? "--mode=crash"
                                  : "--mode=hang"};
  for (const std::string &option : tool.options)
    command.push_back("--opt-arg=" + option);
  check(writeText(tailPath, tail), "write '" + tailPath + "'");
  // Each check has a directory of its own, as several can run at a time.
  check(writeText(checkPath,
                  "#!/bin/sh\nexec " + quote(command) + " --reproducer-dir=" +
                      quote({getScratchPath("check")}) + "-$$ \"$1\"\n",
                  /*isScript=*/true),
        "write '" + checkPath + "'");
  Tool reducer = tool;
  reducer.timeLimit = 0;
  Outcome outcome = reducer.run(
      {getPath("reproducer.mlir"), "-o", getPath("reduced.mlir"),
       "--pass-pipeline=builtin.module(partita-reduce{test=\"" + checkPath +
           "\" jobs=" + std::to_string(tool.jobs) + "})"});
  if (outcome.end != End::Success)
    fail("expected to reduce the reproducer", outcome.errors);
}

} // namespace partita::bisect
