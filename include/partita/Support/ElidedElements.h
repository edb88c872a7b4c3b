//===- ElidedElements.h - Marks for elided constants ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_ELIDEDELEMENTS_H
#define PARTITA_SUPPORT_ELIDEDELEMENTS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <string>

namespace partita {

/// Marks constants whose elements are not printed, so that different constants
/// print differently. The elided text `dense_resource<__elided__>` becomes
/// `dense_resource<__elided__.1f3a9c07>`, whose digits are a hash of the
/// elements. Resources are marked, too, unless the text has their elements at
/// its end.
class ElidedElements {
public:
  /// Marks the constants in `text`, the text of `op` printed with `flags`.
  void mark(std::string &text, mlir::Operation *op,
            const mlir::OpPrintingFlags &flags);

private:
  void collect(mlir::Operation *op, const mlir::OpPrintingFlags &flags);
  void collect(mlir::Attribute attr, const mlir::OpPrintingFlags &flags);
  uint64_t hash(mlir::Attribute elements);

  /// Hashes of attributes whose elements never change: they live as long as the
  /// context, or their attributes are never reused.
  llvm::DenseMap<mlir::Attribute, uint64_t> known;
  /// The hashes of the constants in `op`, in the order of printing.
  llvm::SmallVector<uint64_t> hashes;
  /// Attributes without such constants.
  llvm::DenseSet<mlir::Attribute> without;
};

} // namespace partita

#endif // PARTITA_SUPPORT_ELIDEDELEMENTS_H
