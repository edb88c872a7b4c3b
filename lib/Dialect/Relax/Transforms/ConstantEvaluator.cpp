//===- ConstantEvaluator.cpp - Evaluate ops on constants ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ConstantLoops.h has the loops, ElementwiseEvaluator.cpp elementwise ops,
// MovementEvaluator.cpp ops that move elements, IndexingEvaluator.cpp ops that
// look for them, WindowEvaluator.cpp convolutions and pooling, and
// OpDecomposer.cpp ops that are made of other ops.
//
//===----------------------------------------------------------------------===//

#include "ConstantEvaluator.h"
#include "ConstantArithmetic.h"
#include "ConstantKernels.h"
#include "ConstantLoops.h"
#include "PrimFuncEvaluator.h"
#include "Utils.h"

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace partita;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

namespace {
class Evaluation : public OpEvaluation {
public:
  using OpEvaluation::OpEvaluation;

  bool evaluate(Operation *op);

private:
  bool reshape() {
    result = x().reshape(type);
    return true;
  }

  bool permute(ArrayRef<int64_t> permutation);
  bool concat(int64_t axis);

  template <typename T, typename Fn>
  bool reduce(OptionalAxes axes, ComputeType<T> init, Fn fn);
  template <typename Fn>
  bool reduceNotEmpty(OptionalAxes axes, Fn fn);
  bool mean(OptionalAxes axes);
  template <typename T>
  bool matmul();
};
} // namespace

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

bool Evaluation::permute(ArrayRef<int64_t> permutation) {
  if (x().isSplat())
    return reshape();
  if (!allocate(/*isSplat=*/false))
    return false;
  Strides from = getStrides(x().getShape());
  Strides strides = llvm::map_to_vector(
      permutation, [&](int64_t axis) { return from[axis]; });
  return dispatchSize(getElementType(), [&](auto *type) {
    using T = Pointee<decltype(type)>;
    const T *in = x().getValues<T>().data();
    T *out = result->getMutableValues<T>().data();
    LoopNest<1>(result->getShape(), {strides})
        .run([&](int64_t index, auto at, auto step, int64_t count) {
          for (int64_t i = 0; i < count; ++i)
            out[index + i] = in[at[0] + i * step[0]];
        });
    return true;
  });
}

bool Evaluation::concat(int64_t axis) {
  if (!allocate(/*isSplat=*/false))
    return false;
  Strides outStrides = getStrides(type.getShape());
  return dispatchSize(getElementType(), [&](auto *elementType) {
    using T = Pointee<decltype(elementType)>;
    T *out = result->getMutableValues<T>().data();
    for (const ConstantTensor *operand : operands) {
      const T *in = operand->getValues<T>().data();
      LoopNest<2>(operand->getShape(),
                  {getBroadcastStrides(*operand, type.getRank()), outStrides})
          .run([&](int64_t, auto at, auto step, int64_t count) {
            for (int64_t i = 0; i < count; ++i)
              out[at[1] + i * step[1]] = in[at[0] + i * step[0]];
          });
      out += operand->getShape()[axis] * outStrides[axis];
    }
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Reductions and products
//===----------------------------------------------------------------------===//

/// Combines elements in row-major order.
template <typename T, typename Fn>
bool Evaluation::reduce(OptionalAxes axes, ComputeType<T> init, Fn fn) {
  ArrayRef<int64_t> shape = x().getShape();
  SmallVector<int64_t> kept(axes ? shape : ArrayRef<int64_t>());
  kept.resize(shape.size(), 1);
  for (int64_t axis : axes.value_or(ArrayRef<int64_t>()))
    kept[fromFront(axis, kept.size())] = 1;
  Strides outStrides = getStrides(kept);
  for (auto [size, stride] : llvm::zip(kept, outStrides))
    stride = size == 1 ? 0 : stride;
  if (!isWithin(shape) || !allocate(/*isSplat=*/false))
    return false;

  MutableArrayRef<T> out = result->getMutableValues<T>();
  SmallVector<ComputeType<T>> totals(out.size(), init);
  const T *in = x().getValues<T>().data();
  LoopNest<2>(shape, {getBroadcastStrides(x(), shape.size()), outStrides})
      .run([&](int64_t, auto at, auto step, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          auto value = static_cast<ComputeType<T>>(in[at[0] + i * step[0]]);
          ComputeType<T> &total = totals[at[1] + i * step[1]];
          total = static_cast<ComputeType<T>>(fn(total, value));
        }
      });
  llvm::transform(totals, out.begin(), [](auto total) { return T(total); });
  return true;
}

/// Computes a minimum or a maximum, which an empty tensor does not have.
template <typename Fn>
bool Evaluation::reduceNotEmpty(OptionalAxes axes, Fn fn) {
  return dispatchNumber(getElementType(), [&](auto *type) {
    using T = Pointee<decltype(type)>;
    using Limits = std::numeric_limits<ComputeType<T>>;
    ComputeType<T> least =
        Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    ComputeType<T> most =
        Limits::has_infinity ? Limits::infinity() : Limits::max();
    // The identity of a minimum or a maximum.
    ComputeType<T> init = fn(least, most) == least ? most : least;
    return !x().getBytes().empty() && reduce<T>(axes, init, fn);
  });
}

bool Evaluation::mean(OptionalAxes axes) {
  return dispatchNumber(getElementType(), [&](auto *type) {
    using T = Pointee<decltype(type)>;
    using C = ComputeType<T>;
    if (x().getBytes().empty() || !reduce<T>(axes, 0, wrapping(std::plus<>())))
      return false;
    int64_t count =
        x().getType().getNumElements() / result->getType().getNumElements();
    for (T &value : result->getMutableValues<T>())
      value = T(average(static_cast<C>(value), count));
    return true;
  });
}

namespace {
/// The strides and sizes of the matrices in an operand of a matrix product.
struct Matrices {
  Matrices(const ConstantTensor &tensor, bool isLhs, size_t batchRank) {
    SmallVector<int64_t> shape(tensor.getShape());
    Strides strides = getBroadcastStrides(tensor, shape.size());
    if (shape.size() == 1) {
      shape.insert(isLhs ? shape.begin() : shape.end(), 1);
      strides.insert(isLhs ? strides.begin() : strides.end(), 0);
    }
    columns = shape.pop_back_val();
    rows = shape.pop_back_val();
    columnStride = strides.pop_back_val();
    rowStride = strides.pop_back_val();
    batch.assign(batchRank - strides.size(), 0);
    llvm::append_range(batch, strides);
  }

  Strides batch;
  int64_t rows, columns, rowStride, columnStride;
};
} // namespace

template <typename T>
bool Evaluation::matmul() {
  bool isRow = x().getType().getRank() == 1;
  bool isColumn = y().getType().getRank() == 1;
  ArrayRef<int64_t> batch = type.getShape().drop_back(2 - isRow - isColumn);
  Matrices a(x(), /*isLhs=*/true, batch.size());
  Matrices b(y(), /*isLhs=*/false, batch.size());
  if (!isWithin(type.getShape(), a.columns) || !allocate(/*isSplat=*/false))
    return false;

  using Total = WrappingType<ComputeType<T>>;
  SmallVector<Total> row(b.columns);
  auto multiply = [&](const T *lhs, const T *rhs, T *out) {
    for (int64_t i = 0; i < a.rows; ++i, out += b.columns) {
      llvm::fill(row, Total(0));
      for (int64_t k = 0; k < a.columns; ++k) {
        Total factor = lhs[i * a.rowStride + k * a.columnStride];
        for (int64_t j = 0; j < b.columns; ++j)
          row[j] += factor * Total(rhs[k * b.rowStride + j * b.columnStride]);
      }
      llvm::transform(row, out, [](Total total) { return T(total); });
    }
  };
  const T *lhs = x().getValues<T>().data(), *rhs = y().getValues<T>().data();
  T *out = result->getMutableValues<T>().data();
  LoopNest<2>(batch, {a.batch, b.batch})
      .run([&](int64_t index, auto at, auto step, int64_t count) {
        for (int64_t i = 0; i < count; ++i)
          multiply(lhs + at[0] + i * step[0], rhs + at[1] + i * step[1],
                   out + (index + i) * a.rows * b.columns);
      });
  return true;
}

//===----------------------------------------------------------------------===//
// ConstantEvaluator
//===----------------------------------------------------------------------===//

bool Evaluation::evaluate(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<ExpandDimsOp, FlattenOp, ReshapeOp, SqueezeOp>(
          [&](auto) { return reshape(); })
      .Case([&](PermuteDimsOp op) { return permute(op.getPermutation()); })
      .Case([&](ConcatOp op) {
        return concat(fromFront(op.getAxis().value_or(0), type.getRank()));
      })
      .Case([&](SumOp op) {
        return dispatchNumber(getElementType(), [&](auto *type) {
          return reduce<Pointee<decltype(type)>>(op.getAxis(), 0,
                                                 wrapping(std::plus<>()));
        });
      })
      .Case([&](ProdOp op) {
        return dispatchNumber(getElementType(), [&](auto *type) {
          return reduce<Pointee<decltype(type)>>(op.getAxis(), 1,
                                                 wrapping(std::multiplies<>()));
        });
      })
      .Case([&](MeanOp op) { return mean(op.getAxis()); })
      .Case([&](MaxOp op) {
        return reduceNotEmpty(op.getAxis(),
                              [](auto a, auto b) { return larger(a, b); });
      })
      .Case([&](MinOp op) {
        return reduceNotEmpty(op.getAxis(),
                              [](auto a, auto b) { return smaller(a, b); });
      })
      .Case([&](MatmulOp) {
        if (x().getType().getElementType() != getElementType() ||
            y().getType().getElementType() != getElementType())
          return false;
        return dispatchNumber(getElementType(), [&](auto *type) {
          return matmul<Pointee<decltype(type)>>();
        });
      })
      .Default([&](Operation *op) {
        for (auto evaluate :
             {evaluateElementwise, evaluateIndexing, evaluateWindows}) {
          result = evaluate(op, operands, type, maxBytes, isTooLarge);
          if (result)
            return true;
        }
        return false;
      });
}

/// The most elements that are computed from a shape alone.
static constexpr int64_t maxCreatedElements = 1024;

int64_t ConstantEvaluator::getMaxBytes(
    ArrayRef<const ConstantTensor *> operands) const {
  std::optional<int64_t> maxBytes = maxGrowth;
  for (const ConstantTensor *operand : operands)
    if (maxBytes)
      maxBytes =
          llvm::checkedAdd<int64_t>(*maxBytes, operand->getBytes().size());
  return maxBytes.value_or(std::numeric_limits<int64_t>::max());
}

std::optional<ConstantTensor>
ConstantEvaluator::evaluateOne(Operation *op,
                               ArrayRef<const ConstantTensor *> operands) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  bool isCreation = isa<EyeOp, HammingWindowOp, OnesOp, ZerosOp>(op);
  if (operands.empty() && !isCreation &&
      !isa<OnesLikeOp, ShapeToTensorOp, ZerosLikeOp>(op))
    return std::nullopt;
  // TVM's limit: as an op they take no room.
  if (isCreation && type.getNumElements() > maxCreatedElements) {
    ++numTooLarge;
    return std::nullopt;
  }
  bool isTooLarge = false;
  std::optional<ConstantTensor> result = evaluateAs<Evaluation>(
      op, operands, type, getMaxBytes(operands), isTooLarge);
  numTooLarge += isTooLarge;
  return result;
}

std::optional<SmallVector<ConstantTensor>>
ConstantEvaluator::evaluate(Operation *op,
                            ArrayRef<const ConstantTensor *> operands) {
  SmallVector<ConstantTensor> results;
  if (op->getNumResults() == 1)
    if (std::optional<ConstantTensor> result = evaluateOne(op, operands)) {
      results.push_back(std::move(*result));
      return results;
    }
  bool isTooLarge = false;
  std::optional<SmallVector<ConstantTensor>> moved =
      evaluateMovement(op, operands, getMaxBytes(operands), isTooLarge);
  numTooLarge += isTooLarge;
  return moved;
}

std::optional<SmallVector<ConstantTensor>>
ConstantEvaluator::evaluate(tir::PrimFuncOp callee,
                            ArrayRef<const ConstantTensor *> operands,
                            TypeRange results) {
  bool isTooLarge = false;
  std::optional<SmallVector<ConstantTensor>> values = evaluatePrimFunc(
      callee, operands, results, getMaxBytes(operands), isTooLarge);
  numTooLarge += isTooLarge;
  return values;
}
