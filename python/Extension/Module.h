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

  nb::object getOperation();
  MlirOperation get();
};

/// An IRModule of `operation`; a view, if that is unset.
nb::object createModule(nb::object operation);

/// The context that the current thread is in, as Python knows it.
nb::object getCurrentContext();

/// A run of passes that Python has started on this thread.
struct Run {
  /// `root` becomes a copy of `source` when somebody looks at it; `source` is
  /// null if `root` has its contents already.
  Run(MlirOperation root, nb::object context, MlirOperation source = {nullptr});
  Run(const Run &) = delete;
  ~Run();

  nb::object getView();

  /// Ends a callback: contents that the view has taken go back to `root`,
  /// unless `isReplaced` says that `root` has new ones.
  void endCallback(bool isReplaced = false);

  /// Raises an error if another run would be nested too deeply.
  static void checkDepth();

  /// The op that the contents are in.
  MlirOperation getContents() const { return source.ptr ? source : root; }

  /// Copies the source into `root`, so that C++ can look at it.
  void fill();

  MlirOperation root;
  MlirOperation source;
  nb::object context;
  nb::object view;
  /// Whether a callback has looked into the module, and could have changed it.
  bool hasLooked = false;
  /// The same, since the verifier last ran.
  bool isUnverified = false;
  /// Whether a module pass has returned another module than it got.
  bool hasReplaced = false;
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

void bindModule(nb::module_ &m);

} // namespace partita::python

#endif // PARTITA_PYTHON_EXTENSION_MODULE_H
