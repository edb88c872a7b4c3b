//===- ElidedElements.h - Constants whose elements are left out -*- C++ -*-===//
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

/// Gives constants whose elements are not printed a mark, so that constants
/// that differ print differently: the elided text
/// `dense_resource<__elided__>` becomes `dense_resource<__elided__.1f3a9c07>`,
/// where the digits are a hash of the elements. Resources get the mark, too,
/// unless the text has their elements at its end.
class ElidedElements {
public:
  /// Marks the constants in `text`, which `op` was printed to with `flags`.
  void mark(std::string &text, mlir::Operation *op,
            const mlir::OpPrintingFlags &flags);

private:
  void collect(mlir::Operation *op, const mlir::OpPrintingFlags &flags);
  void collect(mlir::Attribute attr, const mlir::OpPrintingFlags &flags);
  uint64_t hash(mlir::Attribute elements);

  /// Hashes of attributes that keep their elements as long as their context
  /// lives, or are never used for others.
  llvm::DenseMap<mlir::Attribute, uint64_t> known;
  /// The hashes of the constants that `op` holds, in the order of printing.
  llvm::SmallVector<uint64_t> hashes;
  /// Attributes that hold no such constants.
  llvm::DenseSet<mlir::Attribute> without;
};

} // namespace partita

#endif // PARTITA_SUPPORT_ELIDEDELEMENTS_H
