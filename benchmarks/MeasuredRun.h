//===- MeasuredRun.h - One run of a pipeline, to be measured ----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Under callgrind, `--toggle-collect=measuredRun` counts the instructions of
// the second run of a pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_BENCHMARKS_MEASUREDRUN_H
#define PARTITA_BENCHMARKS_MEASUREDRUN_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Format.h"

#include <chrono>

using RunFunction = llvm::function_ref<llvm::LogicalResult(mlir::ModuleOp)>;

extern "C" LLVM_ATTRIBUTE_NOINLINE bool measuredRun(RunFunction run,
                                                    mlir::ModuleOp module) {
  return succeeded(run(module));
}

/// Runs on a copy. Returns the text of the result, or nothing. With
/// `printsTime` it prints the milliseconds of the run.
static std::string runOnce(RunFunction run, mlir::ModuleOp module,
                           bool printsTime = false) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  auto begin = std::chrono::steady_clock::now();
  if (!measuredRun(run, *copy))
    return "";
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - begin;
  if (printsTime)
    llvm::outs() << llvm::format("%.2f\n", time.count());
  std::string text;
  llvm::raw_string_ostream os(text);
  copy->print(os);
  return text;
}

/// Runs once on a copy, so that everything is initialized, and then as runOnce
/// does.
static std::string runTwice(RunFunction run, mlir::ModuleOp module,
                            bool printsTime = false) {
  mlir::OwningOpRef<mlir::ModuleOp> first = module.clone();
  return failed(run(*first)) ? "" : runOnce(run, module, printsTime);
}

/// The exit code of a benchmark whose Sequential has made a module with that
/// text: 1 if the pass manager, which `runRaw` runs, makes another one.
static int compareWithPassManager(llvm::StringRef text, RunFunction runRaw,
                                  mlir::ModuleOp module) {
  mlir::OwningOpRef<mlir::ModuleOp> expected = module.clone();
  if (failed(runRaw(*expected)))
    return 1;
  std::string expectedText;
  llvm::raw_string_ostream os(expectedText);
  expected->print(os);
  if (text == expectedText)
    return 0;
  llvm::errs() << "expected the Sequential to make the module that the pass "
                  "manager makes, but found another module\n";
  return 1;
}

#endif // PARTITA_BENCHMARKS_MEASUREDRUN_H
