//===- Inline.h - Bodies of functions in the place of calls -----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_INLINE_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_INLINE_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "llvm/ADT/StringMap.h"

namespace partita::relax {

/// The names of sizes in a function, to which new ones are added.
class SizeNames {
public:
  explicit SizeNames(FuncOp func);

  /// A name that is not in the function, like `name`, which is in it then.
  mlir::StringAttr makeName(mlir::StringAttr name);

private:
  /// Each name, with the number of the last one that was made of it.
  llvm::StringMap<unsigned> names;
};

/// Copies the body of `callee` to where `builder` is, in a function whose sizes
/// have `names`. Returns what the body gives for `operands`. Fails if the
/// operands do not say all sizes that the body has.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
inlineBody(mlir::OpBuilder &builder, FuncOp callee, mlir::ValueRange operands,
           SizeNames &names);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_INLINE_H
