//===- Creation.cpp - Lower ops that make tensors -------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../NarrowTypes.h"
#include "Models.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partita::relax;

template <int number>
static LogicalResult legalizeFilled(Operation *op, KernelBuilder &kernel) {
  kernel.setName(number ? "ones" : "zeros");
  Type type = getNumberType(op->getResult(0));
  kernel.set(op->getResult(0),
             kernel.fill(kernel.getScalars(type).integer(number),
                         kernel.getSizes(op->getResult(0)), type));
  return success();
}

template <typename OpT>
static LogicalResult legalizeFull(OpT op, KernelBuilder &kernel) {
  kernel.setName("full");
  Type type = getNumberType(op.getResult());
  kernel.mapElements(op.getResult(), op.getFillValue(),
                     [&](ScalarBuilder &s, ValueRange numbers) {
                       return s.convert(numbers[0], type);
                     });
  return success();
}

/// A number of the op, of type `type`.
static Value getNumberAs(KernelBuilder &kernel, Value number, Type type) {
  return kernel.getScalars(number.getType())
      .convert(kernel.getNumber(number), type);
}

static LogicalResult legalizeArange(ArangeOp op, KernelBuilder &kernel) {
  Type type = getNumberType(op.getResult());
  // TVM infers a wrong size for steps down from a size with a name.
  SmallVector<Type> types;
  auto number = op.getStep().getDefiningOp<PrimValueOp>();
  auto integer = number ? dyn_cast<IntegerAttr>(number.getValue()) : nullptr;
  if (integer && integer.getValue().isNegative() &&
      (failed(inferResults(op, types)) || types.front() != op.getType()))
    return failure();
  Value start = getNumberAs(kernel, op.getStart(), type),
        step = getNumberAs(kernel, op.getStep(), type);
  Value result = kernel.map({}, kernel.getSizes(op.getResult()), type,
                            [&](ScalarBuilder &s, ValueRange) {
                              Value at =
                                  s.fromIndex(linalg::IndexOp::create(s, 0));
                              return s.add(start, s.multiply(at, step));
                            });
  kernel.set(op.getResult(), result);
  return success();
}

/// The column of the element, less its row.
static Value getDiagonal(ScalarBuilder &s, int64_t rank) {
  Value row = linalg::IndexOp::create(s, rank - 2),
        column = linalg::IndexOp::create(s, rank - 1);
  Value diagonal = arith::SubIOp::create(s, column, row);
  return arith::IndexCastOp::create(s, s.getI64Type(), diagonal);
}

static LogicalResult buildEye(KernelBuilder &kernel, Value result, Value k) {
  Type type = getNumberType(result);
  Value number = getNumberAs(kernel, k, kernel.getI64Type());
  kernel.set(result,
             kernel.map({}, kernel.getSizes(result), type,
                        [&](ScalarBuilder &s, ValueRange) {
                          Value isOn =
                              arith::CmpIOp::create(s, arith::CmpIPredicate::eq,
                                                    getDiagonal(s, 2), number);
                          return s.select(isOn, s.integer(1), s.integer(0));
                        }));
  return success();
}

static LogicalResult legalizeEye(EyeOp op, KernelBuilder &kernel) {
  return buildEye(kernel, op.getResult(), op.getK());
}

static LogicalResult legalizeEyeLike(EyeLikeOp op, KernelBuilder &kernel) {
  return buildEye(kernel, op.getResult(), op.getK());
}

template <typename OpT>
static LogicalResult legalizeTriangle(OpT op, KernelBuilder &kernel) {
  Value k = getNumberAs(kernel, op.getK(), kernel.getI64Type());
  int64_t rank = getDims(op.getX()).size();
  auto keeps = std::is_same_v<OpT, TriuOp> ? arith::CmpIPredicate::sge
                                           : arith::CmpIPredicate::sle;
  kernel.mapElements(
      op.getResult(), op.getX(), [&](ScalarBuilder &s, ValueRange numbers) {
        Value isKept = arith::CmpIOp::create(s, keeps, getDiagonal(s, rank), k);
        return s.select(isKept, numbers[0], s.integer(0));
      });
  return success();
}

static LogicalResult legalizeHammingWindow(HammingWindowOp op,
                                           KernelBuilder &kernel) {
  Type type = getNumberType(op.getResult());
  if (!isa<FloatType>(type))
    return failure();
  Value alpha = getNumberAs(kernel, op.getAlpha(), type),
        beta = getNumberAs(kernel, op.getBeta(), type);
  ScalarBuilder i64 = kernel.getScalars(kernel.getI64Type());
  Value size = getNumberAs(kernel, op.getWindowSize(), kernel.getI64Type()),
        isPeriodic = getNumberAs(kernel, op.getPeriodic(), kernel.getI1Type());
  // A period begins anew where a window would end.
  Value last = i64.convert(
      i64.select(isPeriodic, size, i64.subtract(size, i64.integer(1))), type);
  Value result = kernel.map(
      {}, kernel.getSizes(op.getResult()), type,
      [&](ScalarBuilder &s, ValueRange) -> Value {
        Value at = s.fromIndex(linalg::IndexOp::create(s, 0));
        Value angle =
            s.divide(s.multiply(s.number(2 * llvm::numbers::pi), at), last);
        Value cosine = math::CosOp::create(s, angle);
        Value number = s.subtract(alpha, s.multiply(beta, cosine));
        Value isOne = arith::CmpIOp::create(s, arith::CmpIPredicate::eq, size,
                                            i64.integer(1));
        return s.select(isOne, s.number(1), number);
      });
  kernel.set(op.getResult(), result);
  return success();
}

static LogicalResult legalizeSize(SizeOp op, KernelBuilder &kernel) {
  ScalarBuilder i64 = kernel.getScalars(kernel.getI64Type());
  Value count = i64.integer(1);
  for (OpFoldResult size : kernel.getSizes(op.getInput()))
    count = i64.multiply(count, i64.fromIndex(kernel.toValue(size)));
  kernel.set(op.getResult(), kernel.fill(count, {}, kernel.getI64Type()));
  return success();
}

void partita::relax::attachCreation(MLIRContext *context) {
  attach<&legalizeFilled<0>, ZerosOp, ZerosLikeOp>(context);
  attach<&legalizeFilled<1>, OnesOp, OnesLikeOp>(context);
  attach<&legalizeFull<FullOp>, FullOp>(context);
  attach<&legalizeFull<FullLikeOp>, FullLikeOp>(context);
  attach<&legalizeArange, ArangeOp>(context);
  attach<&legalizeEye, EyeOp>(context);
  attach<&legalizeEyeLike, EyeLikeOp>(context);
  attach<&legalizeTriangle<TrilOp>, TrilOp>(context);
  attach<&legalizeTriangle<TriuOp>, TriuOp>(context);
  attach<&legalizeHammingWindow, HammingWindowOp>(context);
  attach<&legalizeSize, SizeOp>(context);
}
