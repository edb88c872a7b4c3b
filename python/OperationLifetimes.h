//===- OperationLifetimes.h - Which Python objects an op has ----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's PyOperation of an op that is in another does not keep that one
// alive, and does not learn that it was erased: using it then crashes. Here are
// the objects of each op, so that those of an erased one are made invalid, and
// that an object can hold on to the owner of the tree that it is in. The
// patches in third_party/mlir-python make upstream's sources call this. The GIL
// guards all of it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_OPERATIONLIFETIMES_H
#define PARTITA_PYTHON_OPERATIONLIFETIMES_H

#include "mlir/Bindings/Python/IRCore.h"

#include <functional>

namespace partita {

namespace bindings = mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN;

MLIR_PYTHON_API_EXPORTED void trackOperation(MlirOperation op,
                                             bindings::PyOperation *object);
MLIR_PYTHON_API_EXPORTED void untrackOperation(MlirOperation op,
                                               bindings::PyOperation *object);

MLIR_PYTHON_API_EXPORTED MlirOperation getRoot(MlirOperation op);

/// The object that owns the tree that `op` is in; none if `op` is its root.
MLIR_PYTHON_API_EXPORTED nanobind::object findOwner(MlirOperation op);

/// Makes the objects of `op` and of what is in it invalid.
MLIR_PYTHON_API_EXPORTED void invalidateOperations(MlirOperation op);

/// Counts the erased and detached ops, for who knows ops by their addresses.
MLIR_PYTHON_API_EXPORTED size_t &getEraseEpoch();

MLIR_PYTHON_API_EXPORTED bool isValid(bindings::PyOperationRef &object);
MLIR_PYTHON_API_EXPORTED bool hasUses(MlirOperation op);

/// Calls `callback` on `op` and what is in it. It can erase any of them.
MLIR_PYTHON_API_EXPORTED void
walk(bindings::PyOperationRef op,
     const std::function<bindings::PyWalkResult(MlirOperation)> &callback,
     bool isPreOrder);

/// A call of what rewrites the ops inside `root` without telling Python, and
/// may call back: no object of them is valid after it, and after each callback.
class MLIR_PYTHON_API_EXPORTED DriverScope {
public:
  explicit DriverScope(MlirOperation root);
  DriverScope(const DriverScope &) = delete;
  ~DriverScope();

  /// Raises what a callback has raised.
  void raise();

  /// Calls `callback` in the innermost scope, and keeps what it raises. Returns
  /// whether all went well; if it has not before, nothing is called.
  static bool call(const std::function<void()> &callback);

private:
  MlirOperation root;
  DriverScope *outer;
  nanobind::object error;
};

} // namespace partita

#endif // PARTITA_PYTHON_OPERATIONLIFETIMES_H
