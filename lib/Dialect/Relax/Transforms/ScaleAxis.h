//===- ScaleAxis.h - Move multiplications into weights ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by BackwardFoldScaleAxis and ForwardFoldScaleAxis. Axes are
// counted from the last one, which is -1, since shapes broadcast from there.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_SCALEAXIS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_SCALEAXIS_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"

namespace partita::relax {

/// Any axis: the scale is the same number along all of them.
inline constexpr int64_t anyAxis = 0;

/// Follows `axis` through an op that has it at `from` in one tensor and at `to`
/// in the other; nothing if `axis` is another one.
std::optional<int64_t> mapAxis(int64_t axis, int64_t from, int64_t to);

/// The axis of `letter` in `layout`.
int64_t getAxis(llvm::StringRef layout, char letter);

/// A multiplication by constant floats that differ along one axis at most.
class AxisScale {
public:
  /// The scale that `multiply` applies, if it applies one.
  static std::optional<AxisScale> get(MultiplyOp multiply);

  mlir::Value getData() const { return data; }
  mlir::Value getResult() const { return result; }
  int64_t getAxis() const { return axis; }
  bool hasFactorsOf(const AxisScale &other) const {
    return factors == other.factors;
  }

  /// Whether the scale commutes with taking the larger of two numbers.
  bool isPositive() const { return positive; }

  /// Whether `value` is computed from constants, as FoldConstant will, and can
  /// be multiplied without overflow.
  bool canScale(mlir::Value value) const;
  /// The same for a weight, whose dimension `axis` must have the scale's size.
  bool canScaleWeight(mlir::Value weight, int64_t axis) const;

  /// Multiplies `operand` along `axis`.
  void scale(mlir::OpOperand &operand, int64_t axis) const;
  /// Replaces the result by the data.
  void erase();

private:
  mlir::Value data;
  mlir::Value result;
  ConstantOp constant;
  /// Of rank 1, or 0 for `anyAxis`.
  OwnedElements factors;
  int64_t axis;
  double magnitude;
  bool positive;
};

/// An operand to scale along an axis.
struct ScaledOperand {
  mlir::OpOperand *operand;
  int64_t axis;
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_SCALEAXIS_H
