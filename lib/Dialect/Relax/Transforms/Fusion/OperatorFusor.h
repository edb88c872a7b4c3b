//===- OperatorFusor.h - Move groups of ops into functions ------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_OPERATORFUSOR_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_OPERATORFUSOR_H

#include "../UniqueFunctions.h"
#include "../Utils.h"

#include "partita/Dialect/Relax/IR/RelaxOps.h"

namespace partita::relax {

/// The bindings that TVM has for a dataflow block. A binding is an op, or a
/// field of an op with several results that other ops use without a name.
/// Constants, sizes and other parts of expressions are no bindings.
class BlockBindings {
public:
  struct Binding {
    mlir::Operation *op;
    /// The number of the result; nothing for all of them.
    std::optional<unsigned> field;
  };

  explicit BlockBindings(DataflowOp dataflow);

  llvm::ArrayRef<Binding> get() const { return bindings; }
  /// The binding that gives `value` to `user`; nothing if the value is from
  /// elsewhere, or a part of the user's expression.
  std::optional<unsigned> getBinding(mlir::Value value,
                                     mlir::Operation *user) const;
  /// The binding that is all of `op`; nothing if there is none in the block.
  std::optional<unsigned> find(mlir::Operation *op) const;
  /// The binding that is a field of an op.
  std::optional<unsigned> findField(mlir::Value value) const;
  /// Calls `visit` with the bindings that `index` uses, in TVM's order.
  void forEachUsed(unsigned index,
                   llvm::function_ref<void(unsigned used)> visit) const;
  /// Whether code after the block uses the binding.
  bool isOutput(unsigned index) const;

private:
  std::vector<Binding> bindings;
  llvm::DenseMap<mlir::Operation *, unsigned> ofOp;
  llvm::DenseMap<mlir::Value, unsigned> ofField;
};

/// Whether `op` only takes a field of its operand.
bool isFieldOfTuple(mlir::Operation *op);

/// A group of bindings, by their numbers.
struct BindingGroup {
  llvm::SmallVector<unsigned> bindings;
  /// The attributes of the group's function. A group of one binding without
  /// attributes stays.
  llvm::SmallVector<mlir::NamedAttribute> attributes;

  bool isFused() const { return bindings.size() > 1 || !attributes.empty(); }
};

/// Moves each group of `dataflow` into a private function with the attribute
/// `Primitive`, and calls the function (TVM's OperatorFusor). Constants become
/// parameters if `liftsConstants`. `groupOf` has the number of each binding's
/// group. Fails with an error if two groups need each other. Returns the number
/// of groups.
mlir::FailureOr<int64_t> fuseGroups(DataflowOp dataflow,
                                    const BlockBindings &bindings,
                                    llvm::ArrayRef<BindingGroup> groups,
                                    llvm::ArrayRef<unsigned> groupOf,
                                    bool liftsConstants,
                                    UniqueFunctions &functions);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_OPERATORFUSOR_H
