//===- LazyItems.h - Load weights where they are needed ---------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_LAZYITEMS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_LAZYITEMS_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "llvm/ADT/MapVector.h"

namespace partita::relax {

/// Replaces the last parameters of a function, or the fields of one that is a
/// tuple, by values that are loaded where they are needed: before the first use
/// in the block or in the blocks around it, also of a size that only the type
/// of the parameter introduces.
class LazyItems {
public:
  /// Makes the code that loads the item `index`, which has type `type`. `field`
  /// is the op that takes it from the tuple, if one does.
  using Load =
      llvm::function_ref<mlir::Value(mlir::OpBuilder &builder, unsigned index,
                                     mlir::Type type, TupleGetItemOp field)>;

  /// The items are the parameters of `func` from `first` on, or the fields of
  /// the one that there is.
  LazyItems(FuncOp func, unsigned first, bool splitsTuple, Load load);

  /// Loads the items, and erases the parameters. Fails after a diagnostic if
  /// the tuple has other users.
  llvm::LogicalResult run();

private:
  void visit(mlir::Block &block);
  void visit(mlir::Operation *op);
  /// Loads what introduces the names that `op` needs.
  void loadNames(mlir::Operation *op);
  void load(mlir::Operation *before, unsigned index);
  /// Says that the item is known from now on.
  void setLoaded(unsigned index, mlir::Value value);

  FuncOp func;
  unsigned first;
  Load makeLoad;
  mlir::Value tuple;
  llvm::SmallVector<mlir::Type> types;
  /// The values of items that are loaded in the blocks being visited, and the
  /// order in which they were.
  llvm::DenseMap<unsigned, mlir::Value> loaded;
  llvm::SmallVector<unsigned> trail;
  /// For each name the first item that introduces it, and how many loaded items
  /// do.
  struct Name {
    unsigned item = 0, numLoaded = 0;
  };
  llvm::DenseMap<mlir::StringAttr, Name> names;
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_STRUCTURE_LAZYITEMS_H
