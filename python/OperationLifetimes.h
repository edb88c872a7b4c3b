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
// that an object can hold on to the owner of the tree that it is in.
// PartitaIRCore.cmake compiles upstream's IRCore.cpp with calls of this.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PYTHON_OPERATIONLIFETIMES_H
#define PARTITA_PYTHON_OPERATIONLIFETIMES_H

#include "mlir/Bindings/Python/IRCore.h"

#include <unordered_map>

namespace partita {

using mlir::python::MLIR_BINDINGS_PYTHON_DOMAIN::PyOperation;

/// The objects by their ops. The GIL guards it.
using LiveOperations = std::unordered_multimap<const void *, PyOperation *>;
inline LiveOperations &getLiveOperations() {
  static auto &operations = *new LiveOperations;
  return operations;
}

inline void trackOperation(MlirOperation op, PyOperation *object) {
  getLiveOperations().emplace(op.ptr, object);
}

inline void untrackOperation(MlirOperation op, PyOperation *object) {
  auto [begin, end] = getLiveOperations().equal_range(op.ptr);
  for (auto it = begin; it != end; ++it)
    if (it->second == object) {
      getLiveOperations().erase(it);
      return;
    }
}

inline MlirOperation getRoot(MlirOperation op) {
  while (true) {
    MlirOperation parent = mlirOperationGetParentOperation(op);
    if (mlirOperationIsNull(parent))
      return op;
    op = parent;
  }
}

/// The object that owns the tree that `op` is in; none if `op` is its root.
inline nanobind::object findOwner(MlirOperation op) {
  MlirOperation root = getRoot(op);
  auto [begin, end] = getLiveOperations().equal_range(root.ptr);
  for (auto it = begin; it != end; ++it)
    if (!it->second->isAttached())
      return it->second->getRef().getObject();
  return nanobind::object();
}

/// Makes the objects of `op` and of what is in it invalid.
inline void invalidateOperations(MlirOperation op) {
  if (getLiveOperations().empty())
    return;
  mlirOperationWalk(
      op,
      [](MlirOperation inner, void *) {
        auto [begin, end] = getLiveOperations().equal_range(inner.ptr);
        for (auto it = begin; it != end; ++it)
          it->second->setInvalid();
        getLiveOperations().erase(begin, end);
        return MlirWalkResultAdvance;
      },
      nullptr, MlirWalkPreOrder);
}

inline bool hasUses(MlirOperation op) {
  for (intptr_t i = 0, e = mlirOperationGetNumResults(op); i < e; ++i)
    if (!mlirOpOperandIsNull(
            mlirValueGetFirstUse(mlirOperationGetResult(op, i))))
      return true;
  return false;
}

} // namespace partita

#endif // PARTITA_PYTHON_OPERATIONLIFETIMES_H
