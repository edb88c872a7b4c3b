//===- Module.h - Modules, and runs of passes on them ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR runs passes on an op that Python never owns. When a callback looks into
// the module, its contents move to another op, and back after the callback; if
// Python code still holds that op then, it keeps it, and a copy goes back. So
// passes never change or erase anything that Python holds.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_EXTENSION_MODULE_H
#define PARTITA_PYTHON_EXTENSION_MODULE_H

#include "OperationLifetimes.h"
#include "Support.h"

#include <optional>

namespace partita::python {

/// An mlir.ir.Operation that owns `op`.
nb::object createOwner(MlirOperation op);

/// Is notified when Python code looks into a view for the first time.
class ViewListener {
public:
  virtual ~ViewListener() = default;
  /// Called before the contents of the view, which are in `contents` now, move
  /// to `owner`. It must run no Python code, as that lets other threads run.
  virtual void willGiveTo(nb::object owner, MlirOperation contents) = 0;
  /// Called when they have moved; Python code may run.
  virtual void hasGiven() = 0;
};

/// A module: an op that Python owns, or a view of the op that passes run on,
/// which is valid during a callback.
struct Module {
  /// The mlir.ir.Operation; unset in a view that nobody has looked into.
  nb::object operation;
  /// The run that it is a view of.
  struct Run *run = nullptr;
  ViewListener *listener = nullptr;
  /// The functions by their names, once somebody has asked.
  std::shared_ptr<SymbolNames> names;

  nb::object getOperation();
  void setOperation(nb::object newOperation);
  MlirOperation get();
  /// The mlir.ir.Operation of the function `name`; none if there is none.
  nb::object find(const std::string &name);
};

/// An IRModule of `operation`; a view, if that is unset.
nb::object createModule(nb::object operation);

/// The context that the current thread is in, as Python knows it.
nb::object getCurrentContext();

/// A run of passes that Python has started on this thread.
struct Run {
  Run(MlirOperation root, nb::object context);
  Run(const Run &) = delete;
  ~Run();

  nb::object getView();

  /// Ends a callback: contents that the view has taken go back to `root`,
  /// unless `isReplaced` says that `root` has new ones.
  void endCallback(bool isReplaced = false);

  /// Raises an error if another run would be nested too deeply.
  static void checkDepth();

  /// Makes `newModule`, an IRModule, the module of the run. If `defer` is set,
  /// `root` stays empty until somebody looks; otherwise it gets the contents.
  void setModule(nb::object newModule, bool defer);

  /// The op of that module; an error if somebody has erased it.
  MlirOperation getSource() const;
  bool isSourceErased() const;
  /// The op that the contents are in.
  MlirOperation getContents() const { return isDeferred ? getSource() : root; }

  /// Copies the source into `root`, so that C++ can look at it.
  void fill();

  MlirOperation root;
  nb::object context;
  nb::object view;
  /// The module that the run was started on, or that a pass has returned since;
  /// unset if nobody else has it. And the mlir.ir.Operation that it was then.
  nb::object module, source;
  /// Whether `root` is to become a copy of the source when somebody looks.
  bool isDeferred = false;
  /// Whether a module that a pass returns need not be copied at once: nothing
  /// in C++ looks at `root`.
  bool mayDefer = false;
  /// Whether to verify the module that a pass returns.
  bool verifies = true;
  /// Whether a callback has looked into the module, and could have changed it,
  /// or has returned another.
  bool hasLooked = false, hasReplaced = false;
  /// The same, since the verifier last ran.
  bool isUnverified = false;
  /// The step that an instrument's callback is about, while it runs.
  const PartitaPassStep *step = nullptr;
  Run *outer;
  unsigned depth;
  size_t enteredDepth;

  static thread_local Run *innermost;
};

/// The run on `root`: one that Python has started, or else one of its own.
class RunOf {
public:
  explicit RunOf(MlirOperation root);
  Run *operator->() { return run; }
  Run &operator*() { return *run; }

private:
  std::optional<Run> own;
  Run *run;
};

/// Notes that this thread has entered or left `context`, whose Python object
/// is kept alive while C++ can return it as the current one.
void noteEntered(nb::object context);
void noteLeft(nb::handle context);
/// Keeps the thread's default context alive, where it is `context`: nobody
/// else does, and C++ calls the instruments that it has been given.
void noteOverridden(nb::object context);

void bindModule(nb::module_ &m);
void bindElements(nb::module_ &m);

} // namespace partita::python

#endif // PARTITA_PYTHON_EXTENSION_MODULE_H
