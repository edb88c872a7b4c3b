//===- OperationLifetimes.h - Which Python objects an op has ----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's PyOperation of an inner op neither keeps the outer op alive nor
// learns that it was erased, and using it then crashes. This records the Python
// objects of each op, so that the objects of an erased op become invalid, and
// an object can keep the owner of its tree alive. The patches in
// third_party/mlir-python make upstream's sources call this. The GIL guards it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_OPERATIONLIFETIMES_H
#define PARTITA_PYTHON_OPERATIONLIFETIMES_H

#include "mlir/Bindings/Python/IRCore.h"

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace partita {

namespace bindings = mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

MLIR_PYTHON_API_EXPORTED void trackOperation(MlirOperation op,
                                             bindings::PyOperation *object);
MLIR_PYTHON_API_EXPORTED void untrackOperation(MlirOperation op,
                                               bindings::PyOperation *object);

MLIR_PYTHON_API_EXPORTED MlirOperation getRoot(MlirOperation op);

/// The object that owns the tree that `op` is in; none if `op` is its root.
MLIR_PYTHON_API_EXPORTED nanobind::object findOwner(MlirOperation op);

/// Makes the objects of `op` and of all ops inside it invalid.
MLIR_PYTHON_API_EXPORTED void invalidateOperations(MlirOperation op);

/// Counts the erased and detached ops, for code that keeps addresses of ops.
MLIR_PYTHON_API_EXPORTED size_t &getEraseEpoch();

MLIR_PYTHON_API_EXPORTED bool isValid(bindings::PyOperationRef &object);
MLIR_PYTHON_API_EXPORTED bool hasUses(MlirOperation op);

/// Calls `callback` on `op` and the ops inside it. `callback` may erase any of
/// them.
MLIR_PYTHON_API_EXPORTED void
walk(bindings::PyOperationRef op,
     const std::function<bindings::PyWalkResult(MlirOperation)> &callback,
     bool isPreOrder);

/// The ops directly in a module by their names. It is read when somebody asks,
/// and then kept right by the bindings, whose callers change modules, too.
class MLIR_PYTHON_API_EXPORTED SymbolNames {
public:
  /// The names in `module`, which must outlive them.
  static std::shared_ptr<SymbolNames> of(MlirOperation module);
  ~SymbolNames();

  /// The first op of that name; null if there is none.
  MlirOperation find(const std::string &name);

  void add(const std::string &name, MlirOperation op);
  void remove(const std::string &name, MlirOperation op);
  void forget() { isKnown = false; }

private:
  explicit SymbolNames(MlirOperation module) : module(module) {}
  void read();

  MlirOperation module;
  bool isKnown = false;
  /// Whether several ops have one name. `ops` has the first of them.
  bool hasDoubles = false;
  std::unordered_map<std::string, MlirOperation> ops;
};

/// Called after an op, which may have a name, was put into a module or renamed,
/// and before one is taken out or renamed.
MLIR_PYTHON_API_EXPORTED void symbolHasCome(MlirOperation op);
MLIR_PYTHON_API_EXPORTED void symbolWillLeave(MlirOperation op);
/// Called after code that has done more than that.
MLIR_PYTHON_API_EXPORTED void symbolsHaveChanged();

/// A call of code that rewrites the ops inside `root` without telling Python,
/// and may run callbacks: objects of those ops are invalid after each callback
/// and after the call.
class MLIR_PYTHON_API_EXPORTED DriverScope {
public:
  explicit DriverScope(MlirOperation root);
  DriverScope(const DriverScope &) = delete;
  ~DriverScope();

  /// Raises the exception of a callback again.
  void raise();

  /// Calls `callback` in the innermost scope, and keeps what it raises, unless
  /// an earlier one has raised. Returns whether none has.
  static bool call(const std::function<void()> &callback);

private:
  MlirOperation root;
  DriverScope *outer;
  nanobind::object error;
};

} // namespace partita

#endif // PARTITA_PYTHON_OPERATIONLIFETIMES_H
