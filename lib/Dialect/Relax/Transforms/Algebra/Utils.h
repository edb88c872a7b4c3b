//===- Utils.h - What passes on algebra have in common ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_UTILS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_UTILS_H

#include "../BindingCanonicalizer.h"
#include "../Utils.h"

namespace partita::relax {

/// What can be computed before the inputs of a function are known.
class CompileTimeValues {
public:
  explicit CompileTimeValues(FuncOp func);

  /// Whether `value` is known where `user` is. As in TVM, whose patterns see
  /// through the variables of a block, what the same block computes is not.
  bool contains(mlir::Value value, mlir::Operation *user) const {
    mlir::Operation *op = value.getDefiningOp();
    if (!known.contains(value) || llvm::isa_and_nonnull<ConstantOp>(op))
      return false;
    return !op || llvm::isa<DataflowOp>(op) ||
           op->getBlock() != user->getBlock();
  }

private:
  bool isKnown(mlir::Operation *op) const;

  llvm::DenseSet<mlir::Value> known;
  llvm::DenseSet<mlir::StringAttr> names;
};

/// Builds a value that is equal to the result of an op, or returns null.
using Rule = llvm::function_ref<mlir::Value(mlir::OpBuilder &builder,
                                            mlir::Operation *op)>;

/// Applies `rule` to the ops of `func`, and to the ops that it makes and their
/// users, as long as it gives values. Returns how often it did.
int64_t applyRule(FuncOp func, Rule rule);

/// A pass that applies one rule to functions, over its generated class `Base`.
template <typename Base>
class RulePass : public BindingPass<Base> {
public:
  using BindingPass<Base>::BindingPass;

protected:
  /// Applies `rule`, adds how often to `count`, and cleans up.
  void apply(Rule rule, mlir::Pass::Statistic &count) {
    int64_t number = applyRule(this->getOperation(), rule);
    count += number;
    if (number == 0 && !hasPlainBindings(this->getOperation()))
      return this->markAllAnalysesPreserved();
    if (failed(cleanUpBindings(this->getOperation(), this->patterns)))
      this->signalPassFailure();
  }
};

/// 0, 1, .. with the last two of `rank` dimensions swapped.
inline llvm::SmallVector<int64_t> getSwappedAxes(int64_t rank) {
  llvm::SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(rank));
  std::swap(axes[rank - 1], axes[rank - 2]);
  return axes;
}

/// Whether the elements of `op` have the type of the operands' elements.
bool keepsElementType(MatmulOp op);

/// Multiplies matrices of one element type.
inline mlir::Value createMatmul(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value a, mlir::Value b) {
  return MatmulOp::create(builder, loc, a, b, mlir::TypeAttr());
}

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_ALGEBRA_UTILS_H
