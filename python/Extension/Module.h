//===- Module.h - Modules, and runs of passes on them ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR runs passes on an op that Python never owns. What a callback looks at is
// moved to an op of its own, and back when the callback is over; if somebody
// still holds it then, it stays theirs and a copy goes back. So nothing that
// Python holds is ever changed or erased by a pass.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_EXTENSION_MODULE_H
#define PARTITA_PYTHON_EXTENSION_MODULE_H

#include "Support.h"

#include <optional>

namespace partita::python {

/// An mlir.ir.Operation that owns `op`.
nb::object createOwner(MlirOperation op);

/// What is told when somebody looks into a view for the first time.
class ViewListener {
public:
  virtual ~ViewListener() = default;
  /// Called before `owner` gets what is in the view, which is in `contents`
  /// now. No Python code may run in it: another thread could come in between.
  virtual void willGiveTo(nb::object owner, MlirOperation contents) = 0;
  /// Called when it has got it; Python code may run.
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
  /// `source` is what `root` is to be a copy of as soon as somebody looks at
  /// it; null if `root` has its contents.
  Run(MlirOperation root, nb::object context, MlirOperation source = {nullptr});
  Run(const Run &) = delete;
  ~Run();

  nb::object getView();

  /// Ends a callback: what the view has taken goes back, unless `isReplaced`
  /// says that the module has got something else.
  void endCallback(bool isReplaced = false);

  /// Raises an error if another run would be nested too deeply.
  static void checkDepth();

  /// The op that the contents are in.
  MlirOperation getContents() const { return source.ptr ? source : root; }

  /// Copies the source, for C++ to look at.
  void fill();

  MlirOperation root;
  MlirOperation source;
  nb::object context;
  nb::object view;
  /// Whether a callback has looked into the module, and could have changed it.
  bool hasLooked = false;
  /// The same, since the verifier has run.
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

/// The run that `root` is of. There is none if Python has not started it.
class RunOf {
public:
  explicit RunOf(MlirOperation root);
  Run *operator->() { return run; }
  Run &operator*() { return *run; }

private:
  std::optional<Run> own;
  Run *run;
};

/// Says that this thread has entered `context`, or left it: its Python object
/// stays while C++ can return it as current.
void noteEntered(nb::object context);
void noteLeft(nb::handle context);

void bindModule(nb::module_ &m);

} // namespace partita::python

#endif // PARTITA_PYTHON_EXTENSION_MODULE_H
