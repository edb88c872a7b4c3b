//===- RoundTrips.h - What bytecode gives back as it was --------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_SAVING_ROUNDTRIPS_H
#define PARTITA_LIB_PASS_SAVING_ROUNDTRIPS_H

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <mutex>
#include <optional>

namespace partita::transform {

/// Walks the attributes and types in `op` and in the ops in it, outer ones
/// first.
void walkAttributesAndTypes(mlir::Operation *op, mlir::AttrTypeWalker &walker);

/// Knows which attributes and types of a context bytecode gives back as they
/// were. It keeps many as text, which can be the text of others, too: both
/// `d0 + (d1 + d2)` and `(d0 + d1) + d2` are printed as `d0 + d1 + d2`. Threads
/// share it.
class RoundTrips {
public:
  /// The resources and distinct attributes in `op`, which bytecode gives back
  /// as others, in the order in which they are found. Nothing if `op` has
  /// attributes or types that bytecode can't tell from others.
  std::optional<llvm::SmallVector<mlir::Attribute, 0>>
  collectShared(mlir::Operation *op);

private:
  template <typename T>
  bool isTextExact(T attrOrType);

  std::mutex mutex;
  /// Whether attributes and types that are kept as text are read back as they
  /// were.
  llvm::DenseMap<const void *, bool> texts;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_SAVING_ROUNDTRIPS_H
