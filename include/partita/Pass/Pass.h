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
  /// Verify after each pass that changed something, whatever `configure` asks
  /// of the PassManager.
  bool verify = true;
  /// Times the run in this scope, a line a Sequential and pass.
  mlir::TimingScope *timing = nullptr;
  /// Called with the PassManager of the run before anything runs, to enable IR
  /// printing, crash reproducers, statistics or instrumentations.
  std::function<mlir::LogicalResult(mlir::PassManager &)> configure;
  /// Gets the diagnostics of the run, but not those of runs in it. Then nobody
  /// else gets them but the contexts of this run and of those around it. Errors
  /// have notes on the function that they are in, where their location tells,
  /// and on the pass that failed. It costs two calls for each pass and op.
  std::vector<PassDiagnostic> *diagnostics = nullptr;
  /// With `diagnostics`: asked some fifty times a second, on the thread that
  /// runs the pass, whether the run is to end. It then fails before the next
  /// pass on a function, and the module, of which functions have lost their
  /// bodies, is good for nothing: for runs on a copy.
  std::function<bool()> isInterrupted;
  /// Called before anything runs, to put the result of an earlier run in the
  /// place of the module; returns how many steps of the plan that run has done,
  /// which are left out. instrument::restoreCheckpoint is one. Not for runs
  /// inside others.
  std::function<llvm::Expected<unsigned>(mlir::Operation *module,
                                         const Plan &plan)>
      restore;
};

/// Makes forks safe while passes run on other threads. The first run does so; a
/// host whose own pthread_atfork handler waits for runs, and so must be called
/// before, registers that after this.
void registerForkHandlers();

/// Moves the contents of `source`, an op of the same name, into `module`, in
/// place of its own.
void replaceModule(mlir::Operation *module, mlir::Operation *source);

/// A pass, as `tvm::transform::Pass`: an immutable description that any number
/// of threads and MLIRContexts can share. It holds no mlir::Pass, only how to
/// make one.
class Pass {
public:
  /// The null pass; it cannot be run.
  Pass() = default;

  const PassInfo &info() const;
  /// What stands for the pass in a textual pipeline; empty for a callback.
  llvm::StringRef argument() const;
  /// The name of the op that the pass runs on; empty for any op.
  llvm::StringRef opName() const;
  bool isSequential() const;
  /// The members of a Sequential.
  llvm::ArrayRef<Pass> passes() const;
  /// What tells a callback from others of its name; see withVersion. Empty for
  /// other passes, which their argument and options tell.
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

/// A pass that runs passes in order, under the rules of its PassContext: as
/// TVM's `Sequential`. It is a pass itself: it has a PassInfo, instruments see
/// it, it can be disabled and nested.
Pass Sequential(std::vector<Pass> passes,
                PassInfo info = {"sequential", 0, {}});

/// What a callback on a module returns: a LogicalResult, with whether it is
/// known to have changed nothing, which then needs no verifier.
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

/// A pass from a callback on each function of the module in parallel: on the
/// ops called `funcOpName`, or on all with a FunctionOpInterface if it is
/// empty, except those that carry SkipOptimization. It gets the module only to
/// look at: adding, deleting and renaming functions is an error.
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

/// A pass that is made by `create`. Its PassInfo is the one registered for
/// `argument`, or {argument, 0, {}}.
Pass createPass(llvm::StringRef argument,
                std::function<std::unique_ptr<mlir::Pass>()> create);

/// A pass that is a copy of `prototype`, options and all, which is never run.
/// Its name is that by which it is registered or, without an argument, what it
/// calls itself.
Pass createPass(std::unique_ptr<mlir::Pass> prototype);

/// An mlir::Pass that runs `pass`, for anybody's pass manager, under the
/// PassContext that is current when the pass manager starts. In a textual
/// pipeline it reads `sequential{...}`.
std::unique_ptr<mlir::Pass> createPass(const Pass &pass);

/// The Sequential of the passes that somebody has put into `pm`, which stays as
/// it is. Passes are copied, with their options and with the ops that they are
/// nested under; whether they are registered, or have an argument, makes no
/// difference. `rootName` is what the Sequential is to be run on, if `pm` is
/// for any op. Fails if a `sequential{...}` in `pm` can't be made.
llvm::Expected<Pass> createSequential(const mlir::OpPassManager &pm,
                                      PassInfo info = {"sequential", 0, {}},
                                      llvm::StringRef rootName = "");

/// createSequential, where such a `sequential{...}` stays a pass, which fails
/// when it runs.
Pass Sequential(mlir::OpPassManager &pm, PassInfo info = {"sequential", 0, {}},
                llvm::StringRef rootName = "");

/// The Sequential of what `build`, such as a compiler's own
/// `void buildPipeline(mlir::OpPassManager &)`, adds to a pass manager.
template <typename BuildT, typename = std::enable_if_t<std::is_invocable_v<
                               BuildT, mlir::OpPassManager &>>>
Pass Sequential(BuildT &&build, PassInfo info = {"sequential", 0, {}},
                llvm::StringRef rootName = "builtin.module") {
  mlir::OpPassManager pm(rootName, mlir::OpPassManager::Nesting::Implicit);
  std::forward<BuildT>(build)(pm);
  return Sequential(pm, std::move(info));
}

/// The pass of that name: a registered Sequential or pass by any of its names,
/// any pass or pipeline registered with MLIR by its argument. `options` are
/// those of a textual pipeline. Unknown names are an error with the nearest
/// ones.
llvm::Expected<Pass> getPass(llvm::StringRef name,
                             llvm::StringRef options = "");

/// The Sequential that a textual pipeline describes. Its first anchor is the
/// root: "builtin.module(func.func(cse),inline)"; `sequential{passes=...}`
/// nests. Other passes keep the anchors that they are written under.
llvm::Expected<Pass> parseSequential(llvm::StringRef pipeline,
                                     PassInfo info = {"sequential", 0, {}});

/// `pass`, which is made from a callback, with what `getVersion` gives: a text
/// that differs where callbacks of one name do something else, or an error that
/// says why it can't be known. Runs of it can be resumed; see
/// instrument::restoreCheckpoint.
Pass withVersion(const Pass &pass,
                 std::function<llvm::Expected<std::string>()> getVersion);

/// Whether a function is left alone by function-level passes: TVM's
/// SkipOptimization attribute, not false.
bool skipsOptimization(mlir::Operation *func);

} // namespace partita::transform

#endif // PARTITA_PASS_PASS_H
