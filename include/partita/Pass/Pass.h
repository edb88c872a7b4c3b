//===- Pass.h - Passes, Sequentials and how they are run --------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_PASS_H
#define PARTITA_PASS_PASS_H

#include "partita/Pass/PassContext.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace partita::transform {

class Plan;

/// How a run drives MLIR's pass manager.
struct RunOptions {
  /// Verify after each pass that changed something. Overrides what `configure`
  /// sets on the PassManager.
  bool verify = true;
  /// Times the run in this scope, one line per Sequential and pass.
  mlir::TimingScope *timing = nullptr;
  /// Called with the PassManager of the run before anything runs, to enable IR
  /// printing, crash reproducers, statistics or instrumentations.
  std::function<mlir::LogicalResult(mlir::PassManager &)> configure;
  /// Receives the diagnostics of the run, but not of runs inside it. Then only
  /// the contexts of this run and of the runs around it also get them. Errors
  /// have a note on their function, if their location tells it, and a note on
  /// the pass that failed. It costs two calls for each pass and op.
  std::vector<PassDiagnostic> *diagnostics = nullptr;
  /// With `diagnostics`: returns true to end the run. It is called about fifty
  /// times a second, on the thread that runs the pass. The run then fails
  /// before the next pass on a function. Use it for runs on a copy: functions
  /// of the module have lost their bodies.
  std::function<bool()> isInterrupted;
  /// Called before anything runs, to replace the module by the result of an
  /// earlier run. Returns the number of steps that the earlier run has done;
  /// these steps are left out. instrument::restoreCheckpoint is such a
  /// function. Not for runs inside others.
  std::function<llvm::Expected<unsigned>(mlir::Operation *module,
                                         const Plan &plan)>
      restore;
};

/// Makes forks safe while passes run on other threads. The first run calls it.
/// If a host has a pthread_atfork handler that waits for runs, it must call
/// this before it registers the handler.
void registerForkHandlers();

/// Replaces the contents of `module` by the contents of `source`, an op with
/// the same name.
void replaceModule(mlir::Operation *module, mlir::Operation *source);

/// A pass, as `tvm::transform::Pass`: an immutable description that any number
/// of threads and MLIRContexts can share. It holds no mlir::Pass, only how to
/// make one.
class Pass {
public:
  /// The null pass; it cannot be run.
  Pass() = default;

  const PassInfo &info() const;
  /// The pass in a textual pipeline; empty for a callback.
  llvm::StringRef argument() const;
  /// The name of the op that the pass runs on; empty for any op.
  llvm::StringRef opName() const;
  bool isSequential() const;
  /// The members of a Sequential.
  llvm::ArrayRef<Pass> passes() const;
  /// Distinguishes callbacks with one name; see withVersion. Empty for other
  /// passes, whose arguments and options distinguish them.
  llvm::Expected<std::string> version() const;

  /// Runs on `module` in place, under `context`. As in TVM, a pass that is run
  /// directly ignores its opt_level and disabled_pass, but obeys should_run.
  /// Fails after a diagnostic.
  mlir::LogicalResult run(mlir::Operation *module,
                          const PassContext &context = PassContext::current(),
                          const RunOptions &options = {}) const;

  /// Runs on a copy of `module`, which stays as it was.
  mlir::FailureOr<mlir::OwningOpRef<mlir::Operation *>>
  operator()(mlir::Operation *module,
             const PassContext &context = PassContext::current()) const;

  explicit operator bool() const { return impl != nullptr; }
  bool operator==(const Pass &other) const { return impl == other.impl; }

  struct Impl;
  explicit Pass(std::shared_ptr<const Impl> impl) : impl(std::move(impl)) {}
  const Impl &getImpl() const { return *impl; }

private:
  std::shared_ptr<const Impl> impl;
};

/// A pass that runs passes in order, under the rules of its PassContext, as
/// TVM's `Sequential`. It is a pass itself: it has a PassInfo, instruments see
/// it, it can be disabled and nested.
Pass Sequential(std::vector<Pass> passes,
                PassInfo info = {"sequential", 0, {}});

/// The result of a callback on a module: a LogicalResult, and whether the
/// callback is known to have changed nothing. Then the verifier need not run.
struct ModulePassResult {
  /// `result` is a LogicalResult or, as in MLIR, a diagnostic.
  template <typename T, typename = std::enable_if_t<
                            std::is_convertible_v<T, mlir::LogicalResult>>>
  ModulePassResult(T &&result, bool isPreserved = false)
      : result(std::forward<T>(result)), isPreserved(isPreserved) {}

  mlir::LogicalResult result;
  bool isPreserved;
};

using ModulePassFunc =
    std::function<ModulePassResult(mlir::Operation *, const PassContext &)>;
using FunctionPassFunc = std::function<mlir::LogicalResult(
    mlir::FunctionOpInterface, mlir::Operation *, const PassContext &)>;

/// A pass from a callback on the module, which may add and delete functions.
Pass createModulePass(ModulePassFunc func, PassInfo info);
Pass createModulePass(ModulePassFunc func, int optLevel, llvm::StringRef name,
                      std::vector<std::string> required = {});

/// A pass from a callback on each function of the module, in parallel. It runs
/// on the ops called `funcOpName` or, if that is empty, on all ops with a
/// FunctionOpInterface; functions with SkipOptimization are left out. The
/// callback may only look at the module: adding, deleting and renaming
/// functions is an error.
Pass createFunctionPass(FunctionPassFunc func, PassInfo info,
                        llvm::StringRef funcOpName = "");
Pass createFunctionPass(FunctionPassFunc func, int optLevel,
                        llvm::StringRef name,
                        std::vector<std::string> required = {},
                        llvm::StringRef funcOpName = "");

/// createFunctionPass on TIR's prim_funcs ("tir.prim_func").
Pass createPrimFuncPass(FunctionPassFunc func, int optLevel,
                        llvm::StringRef name,
                        std::vector<std::string> required = {});

/// A pass that `create` makes. Its PassInfo is the one registered for
/// `argument`, or {argument, 0, {}}.
Pass createPass(llvm::StringRef argument,
                std::function<std::unique_ptr<mlir::Pass>()> create);

/// A pass that runs copies of `prototype`, options included; `prototype` itself
/// is never run. Its name is its registered name or, without an argument, its
/// mlir::Pass::getName().
Pass createPass(std::unique_ptr<mlir::Pass> prototype);

/// An mlir::Pass that runs `pass` in any pass manager, under the PassContext
/// that is current when the pass manager starts. In a textual pipeline it reads
/// `sequential{...}`.
std::unique_ptr<mlir::Pass> createPass(const Pass &pass);

/// A Sequential of copies of the passes in `pm`, with their options and the ops
/// that they are nested under. They need neither be registered nor have an
/// argument. If `pm` is for any op, the Sequential runs on ops called
/// `rootName`. Fails if a `sequential{...}` in `pm` can't be made.
llvm::Expected<Pass> createSequential(const mlir::OpPassManager &pm,
                                      PassInfo info = {"sequential", 0, {}},
                                      llvm::StringRef rootName = "");

/// createSequential, but a `sequential{...}` that can't be made stays a pass,
/// which fails when it runs.
Pass Sequential(mlir::OpPassManager &pm, PassInfo info = {"sequential", 0, {}},
                llvm::StringRef rootName = "");

/// The Sequential of the passes that `build` adds to a pass manager. `build`
/// can be a compiler's own `void buildPipeline(mlir::OpPassManager &)`.
template <typename BuildT, typename = std::enable_if_t<std::is_invocable_v<
                               BuildT, mlir::OpPassManager &>>>
Pass Sequential(BuildT &&build, PassInfo info = {"sequential", 0, {}},
                llvm::StringRef rootName = "builtin.module") {
  mlir::OpPassManager pm(rootName, mlir::OpPassManager::Nesting::Implicit);
  std::forward<BuildT>(build)(pm);
  return Sequential(pm, std::move(info));
}

/// The pass called `name`: a registered Sequential or pass by any of its names,
/// or a pass or pipeline registered with MLIR by its argument. `options` are in
/// the syntax of textual pipelines. Fails for an unknown name, with the nearest
/// ones.
llvm::Expected<Pass> getPass(llvm::StringRef name,
                             llvm::StringRef options = "");

/// The Sequential that a textual pipeline describes. Its first anchor is the
/// root: "builtin.module(func.func(cse),inline)"; `sequential{passes=...}`
/// nests. Other passes keep the anchors that they are written under.
llvm::Expected<Pass> parseSequential(llvm::StringRef pipeline,
                                     PassInfo info = {"sequential", 0, {}});

/// Gives `pass`, which is made from a callback, a version. `getVersion` returns
/// a text that differs if callbacks with one name do something else, or an
/// error that says why that can't be known. Runs of the pass can be resumed;
/// see instrument::restoreCheckpoint.
Pass withVersion(const Pass &pass,
                 std::function<llvm::Expected<std::string>()> getVersion);

/// Says of `pass`, which is made from a callback, whether it has effects beside
/// its result: it prints, counts, or writes a file. If it has none,
/// `partita.skip_unchanged` may leave it out where it has left the module as it
/// was; of callbacks that say nothing, only the cache of results believes it.
Pass withAlwaysRuns(const Pass &pass, bool alwaysRuns);

/// Whether function passes leave `func` alone: it has TVM's attribute
/// SkipOptimization, and its value is not false.
bool skipsOptimization(mlir::Operation *func);

} // namespace partita::transform

#endif // PARTITA_PASS_PASS_H
