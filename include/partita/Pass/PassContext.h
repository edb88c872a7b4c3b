//===- PassContext.h - The policy that passes run under ---------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_PASSCONTEXT_H
#define PARTITA_PASS_PASSCONTEXT_H

#include "partita/Pass/PassConfig.h"
#include "partita/Pass/PassInstrument.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"

namespace partita::transform {

using PassInstruments = std::vector<instrument::PassInstrumentRef>;

/// How runs save work: the keys `partita.*` of a context's config.
struct SavingOptions {
  /// The ops that MLIR's verifier runs on, if the pass manager verifies: those
  /// that a pass ran on, those that it has changed, or the root at the end.
  enum class Verify { Each, Changed, End };

  bool skipUnchanged = false;
  bool nestInFunctions = false;
  Verify verify = Verify::Each;
  /// Whether `verify` follows from `skipUnchanged`. It then holds where a pass
  /// comes again or runs on the root: else hashes cost more than they save.
  bool isVerifyImplied = false;
  /// The directory in which results are kept across runs; empty for none. And
  /// the greatest number of bytes that they may take there.
  std::string passCache;
  uint64_t passCacheSize = uint64_t(1) << 30;

  /// Whether anything is saved.
  bool isOn() const { return *this != SavingOptions(); }
  bool operator==(const SavingOptions &other) const {
    return skipUnchanged == other.skipUnchanged &&
           nestInFunctions == other.nestInFunctions && verify == other.verify &&
           passCache == other.passCache && passCacheSize == other.passCacheSize;
  }
  bool operator!=(const SavingOptions &other) const {
    return !(*this == other);
  }
};

/// The parameters of a PassContext, with TVM's fields and defaults.
struct PassContextOptions {
  int optLevel = 2;
  std::vector<std::string> requiredPass;
  std::vector<std::string> disabledPass;
  std::vector<std::pair<std::string, mlir::Attribute>> config;
  PassInstruments instruments;
};

/// A diagnostic of a run, kept on its PassContext. Its location is a string, so
/// that it outlives the MLIRContext.
struct PassDiagnostic {
  mlir::DiagnosticSeverity severity;
  std::string location;
  std::string message;
  std::vector<std::string> notes;

  /// Copies `diagnostic`, with the notes that MLIR has.
  static PassDiagnostic get(mlir::Diagnostic &diagnostic);
};

/// Says which passes of a Sequential run and which instruments watch them, as
/// TVM's `PassContext`. It is a handle: copies are the same context. Everything
/// but the instruments and the diagnostics is immutable, and these two are
/// locked, so that one context can serve runs on many threads.
class PassContext {
public:
  /// A context with the defaults of PassContextOptions.
  PassContext();

  /// Checks the level, and every config key and value.
  static llvm::Expected<PassContext> create(PassContextOptions options);

  /// The current context of this thread: the innermost scope, or, in a run, the
  /// run's context; else the thread's default context. Worker threads see the
  /// run's context only in passes that are declared to read it.
  static PassContext current();
  /// The same, but nothing in place of the default context.
  static std::optional<PassContext> currentScope();

  int optLevel() const;
  llvm::ArrayRef<std::string> requiredPass() const;
  llvm::ArrayRef<std::string> disabledPass() const;

  /// Whether a Sequential runs a pass. The rules, in this order: no if it is in
  /// disabled_pass; yes if it is in required_pass; else yes if the context's
  /// opt_level is at least the pass's. A pass can be named by any of its names.
  bool passEnabled(const PassInfo &info) const;
  bool passDisabledByName(const PassInfo &info) const;
  bool passRequiredByName(const PassInfo &info) const;

  /// The value of a registered config key: the set value, or the default; null
  /// for a key that is not registered.
  mlir::Attribute config(llvm::StringRef key) const;
  /// How runs save work.
  const SavingOptions &saving() const;
  /// The parts that passes can read, as text: equal for contexts in which the
  /// same passes have the same results.
  std::string describeForPasses() const;
  /// The keys that were set, with their values.
  llvm::ArrayRef<std::pair<std::string, mlir::Attribute>> configs() const;

  /// The instruments at this moment. The list is replaced, never changed.
  std::shared_ptr<const PassInstruments> instruments() const;
  /// Changes whenever that list is replaced.
  uint64_t instrumentsVersion() const;

  /// Exits the present instruments and enters the new ones, with the same
  /// errors as leaving and entering a scope. Inside a pass, too, the change
  /// takes effect: the new instruments get the remaining callbacks.
  llvm::Error overrideInstruments(PassInstruments instruments);

  /// The diagnostics of the runs under this context so far. takeDiagnostics
  /// empties the list.
  std::vector<PassDiagnostic> diagnostics() const;
  std::vector<PassDiagnostic> takeDiagnostics();
  void addDiagnostic(PassDiagnostic diagnostic) const;

  /// Enters and leaves this context's scope on this thread. PassContextScope
  /// pairs them. If an instrument fails to enter, abandonPassContext is called
  /// in reverse for the instruments that had entered, and all instruments are
  /// dropped. Leaving stops at the first instrument that fails, and drops all.
  /// Leaving is an error, and changes nothing, if this context is not the
  /// innermost of this thread.
  llvm::Error enterScope();
  llvm::Error exitScope(bool hasFailed = false);

  /// Whether a run with instruments has begun in this scope.
  bool hasRun() const;
  void noteRun() const;

  bool operator==(const PassContext &other) const { return impl == other.impl; }
  bool operator!=(const PassContext &other) const { return !(*this == other); }
  const void *getAsOpaquePointer() const { return impl.get(); }

  /// Equal for contexts that enable the same passes; plans are cached by it.
  llvm::StringRef policyKey() const;

private:
  struct Impl;
  explicit PassContext(std::shared_ptr<Impl> impl) : impl(std::move(impl)) {}

  llvm::Error enterInstruments();
  llvm::Error exitInstruments(bool abandons = false);

  std::shared_ptr<Impl> impl;
};

/// The scope of a PassContext, in place of TVM's `With<PassContext>`: entering
/// can fail.
///
///   auto scope = PassContextScope::enter(context);
///   if (!scope)
///     return scope.takeError();
///   ...
///   return scope->exit();
class PassContextScope {
public:
  static llvm::Expected<PassContextScope> enter(PassContext context);

  PassContextScope(PassContextScope &&other) noexcept
      : context(std::move(other.context)), active(other.active) {
    other.active = false;
  }
  PassContextScope &operator=(PassContextScope &&) = delete;

  /// Leaves the scope, unless `exit` was called. An error goes to the context's
  /// diagnostics.
  ~PassContextScope();

  /// With `hasFailed`, instruments leave the files of earlier runs as they are
  /// if nothing has run under the context.
  llvm::Error exit(bool hasFailed = false);

private:
  explicit PassContextScope(PassContext context)
      : context(std::move(context)) {}

  PassContext context;
  bool active = true;
};

} // namespace partita::transform

#endif // PARTITA_PASS_PASSCONTEXT_H
