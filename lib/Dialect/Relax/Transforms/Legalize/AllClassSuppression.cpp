//===- AllClassSuppression.cpp - Lower suppression in each class ----------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"
#include "Models.h"
#include "Sorting.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace partita::relax;

using Sizes = KernelBuilder::Sizes;

namespace {
/// Each class of each batch looks at its boxes by score.
class AllClassSuppressor {
public:
  AllClassSuppressor(AllClassNonMaxSuppressionOp op, KernelBuilder &kernel);

  /// Rows of batch, class and box, and the number of them.
  void setIndices();
  /// For each batch rows of class and box, their scores, and their number.
  void setScores();

private:
  /// A box that is chosen: where it comes in the order of its class.
  struct Place {
    Value batch, number, at;
  };

  /// The number in a tensor of one element.
  Value getNumber(Value operand);
  /// The box that comes to place `at` by score.
  Value getBox(ScalarBuilder &s, const Place &place);
  Value getScore(ScalarBuilder &s, const Place &place);
  /// Which boxes stay, by score: 1 or 0, then their number.
  Value buildMarks();
  Value suppress(ScalarBuilder &n, ValueRange at, Value marks);
  /// Box number `index` of a batch, or of all batches if `batch` is null.
  Place getPlace(ScalarBuilder &s, Value batch, Value index);
  ChosenBoxes choose(Sizes rows, bool hasBatches);
  /// Sets a result to `body` of each chosen box, and 0 where there is none.
  void
  set(unsigned result, const ChosenBoxes &chosen, bool hasBatches,
      function_ref<Value(ScalarBuilder &, ArrayRef<Value> loops, const Place &)>
          body);
  void setCount(unsigned result, const ChosenBoxes &chosen);

  AllClassNonMaxSuppressionOp op;
  KernelBuilder &kernel;
  Type type;
  Value boxes, scores, most, leastOverlap, leastScore;
  Sizes sizes;
  Value numClasses, size;
  std::optional<Sorter> sorter;
  Value marks;
};
} // namespace

Value AllClassSuppressor::getNumber(Value operand) {
  if (kernel.isNumber(operand))
    return kernel.getNumber(operand);
  ScalarBuilder s = kernel.getScalars(getNumberType(operand));
  Value tensor = kernel.getTensor(operand);
  SmallVector<Value> first(cast<RankedTensorType>(tensor.getType()).getRank(),
                           s.index(0));
  return s.load(tensor::ExtractOp::create(s, tensor, first));
}

AllClassSuppressor::AllClassSuppressor(AllClassNonMaxSuppressionOp op,
                                       KernelBuilder &kernel)
    : op(op), kernel(kernel), type(getNumberType(op.getScores())),
      boxes(kernel.getTensor(op.getBoxes())),
      scores(kernel.getTensor(op.getScores())),
      most(getNumber(op.getMaxOutputBoxesPerClass())),
      leastOverlap(getNumber(op.getIouThreshold())),
      leastScore(getNumber(op.getScoreThreshold())),
      sizes(kernel.getSizes(op.getScores())),
      numClasses(kernel.toValue(sizes[1])), size(kernel.toValue(sizes[2])) {
  sorter.emplace(kernel, scores, sizes, /*axis=*/2, /*isDescending=*/true);
  marks = buildMarks();
}

Value AllClassSuppressor::getBox(ScalarBuilder &s, const Place &place) {
  ScalarBuilder n(s.getLoc(), s, s.getI64Type());
  return n.toIndex(
      sorter->getPosition(n, {place.batch, place.number, place.at}));
}

Value AllClassSuppressor::getScore(ScalarBuilder &s, const Place &place) {
  Value box = getBox(s, place);
  return s.load(tensor::ExtractOp::create(
      s, scores, ValueRange{place.batch, place.number, box}));
}

Value AllClassSuppressor::buildMarks() {
  Sizes rows = {sizes[0], sizes[1],
                kernel.add(sizes[2], kernel.getIndexAttr(1))};
  auto getMark = [&](ScalarBuilder &n, ValueRange) {
    ScalarBuilder s(n.getLoc(), n, type);
    SmallVector<Value> at = getLoops(n, 3);
    Value isBox =
        arith::CmpIOp::create(n, arith::CmpIPredicate::slt, at[2], size);
    Value last = arith::SubIOp::create(n, size, n.index(1));
    at[2] = arith::MinSIOp::create(n, at[2], last);
    Value isGood = s.greater(getScore(s, {at[0], at[1], at[2]}), leastScore);
    Value isOn = s.greater(leastOverlap, s.number(0));
    Value isMarked = n.bitAnd(isBox, n.bitAnd(isGood, isOn));
    Value one = n.integer(1);
    return n.select(isMarked, one, n.integer(0));
  };
  Value start = kernel.map({}, rows, kernel.getI32Type(), getMark);
  return buildLoops(kernel, sizes, start,
                    [&](ScalarBuilder &n, ValueRange at, Value marks) {
                      return suppress(n, at, marks);
                    });
}

/// Decides whether a box stays, and takes the marks of those that it overlaps.
Value AllClassSuppressor::suppress(ScalarBuilder &n, ValueRange at,
                                   Value marks) {
  SmallVector<Value> total = {at[0], at[1], size};
  Value one = n.integer(1);
  Value count = tensor::ExtractOp::create(n, marks, total);
  Value stays = n.equal(tensor::ExtractOp::create(n, marks, at), one);
  ScalarBuilder m(n.getLoc(), n, n.getI64Type());
  Value limit = ScalarBuilder(n.getLoc(), n,
                              getNumberType(op.getMaxOutputBoxesPerClass()))
                    .convert(most, m.getType());
  Value found = n.convert(count, m.getType());
  stays = n.bitAnd(stays, m.less(found, limit));
  Value mark = n.select(stays, one, n.integer(0));
  marks = tensor::InsertOp::create(n, mark, marks, at);
  marks = tensor::InsertOp::create(n, n.add(count, mark), marks, total);
  Value next = arith::AddIOp::create(n, at[2], n.index(1));
  Value end = n.select(stays, size, next);
  auto visit = [&](OpBuilder &builder, Location loc, ValueRange other,
                   ValueRange tensors) -> scf::ValueVector {
    ScalarBuilder s(loc, builder, type), n(loc, builder, s.getI32Type());
    Place place = {at[0], at[1], other[0]};
    SmallVector<Value> indices = {at[0], at[1], other[0]};
    Value rows[2] = {getBox(s, {at[0], at[1], at[2]}), getBox(s, place)};
    Value mark = tensor::ExtractOp::create(n, tensors[0], indices);
    Value overlap = buildOverlap(s, [&](bool isSecond, int64_t field) {
      return loadField(s, boxes, {at[0], rows[isSecond]}, field);
    });
    Value isLarge = s.greaterEqual(overlap, leastOverlap);
    // As in TVM, a box whose score is not above 0 stays.
    Value score = getScore(s, place);
    Value goes = s.bitAnd(isLarge, s.greater(score, s.number(0)));
    mark = n.select(goes, n.integer(0), mark);
    return {tensor::InsertOp::create(n, mark, tensors[0], indices)};
  };
  return scf::buildLoopNest(n, n.getLoc(), next, end, n.index(1), marks, visit)
      .results.front();
}

AllClassSuppressor::Place
AllClassSuppressor::getPlace(ScalarBuilder &s, Value batch, Value index) {
  Value row = arith::DivSIOp::create(s, index, size),
        at = arith::RemSIOp::create(s, index, size);
  if (batch)
    return {batch, row, at};
  Value number = arith::RemSIOp::create(s, row, numClasses);
  return {arith::DivSIOp::create(s, row, numClasses), number, at};
}

ChosenBoxes AllClassSuppressor::choose(Sizes rows, bool hasBatches) {
  return ChosenBoxes(kernel, rows, [&](ScalarBuilder &n, ValueRange at) {
    Place place = getPlace(n, hasBatches ? at[0] : Value(), at[1]);
    Value mark = tensor::ExtractOp::create(
        n, marks, ValueRange{place.batch, place.number, place.at});
    return n.equal(mark, n.integer(1));
  });
}

void AllClassSuppressor::set(
    unsigned result, const ChosenBoxes &chosen, bool hasBatches,
    function_ref<Value(ScalarBuilder &, ArrayRef<Value> loops, const Place &)>
        body) {
  Value value = op->getResult(result);
  Sizes rows = kernel.getSizes(value);
  Type elementType = getNumberType(value);
  auto compute = [&](ScalarBuilder &of, ValueRange) {
    ScalarBuilder s(of.getLoc(), of, elementType);
    SmallVector<Value> loops = getLoops(s, rows.size());
    Value batch = hasBatches ? loops[0] : s.index(0);
    Value index = chosen.getPlace(s, batch, loops[hasBatches]);
    Value isNone = isNegative(s, index);
    index = arith::MaxSIOp::create(s, index, s.index(0));
    Place place = getPlace(s, hasBatches ? batch : Value(), index);
    Value number = body(s, loops, place);
    return s.select(isNone, s.integer(0), number);
  };
  kernel.set(value, kernel.map({}, rows, elementType, compute));
}

void AllClassSuppressor::setCount(unsigned result, const ChosenBoxes &chosen) {
  Value value = op->getResult(result);
  kernel.set(value, kernel.map({}, kernel.getSizes(value), getNumberType(value),
                               [&](ScalarBuilder &s, ValueRange) {
                                 ScalarBuilder n(s.getLoc(), s, s.getI32Type());
                                 Value count = chosen.getCount(
                                     n, linalg::IndexOp::create(n, 0));
                                 return n.convert(count, s.getI64Type());
                               }));
}

/// The number at place `field` of several.
static Value selectField(ScalarBuilder &s, Value field,
                         ArrayRef<Value> indices) {
  Value chosen = indices.back();
  for (auto [number, index] : llvm::enumerate(indices.drop_back())) {
    Value isHere = arith::CmpIOp::create(s, arith::CmpIPredicate::eq, field,
                                         s.index(number));
    chosen = s.select(isHere, index, chosen);
  }
  return s.fromIndex(chosen);
}

void AllClassSuppressor::setIndices() {
  Sizes rows = {kernel.getIndexAttr(1), kernel.getSizes(op->getResult(0))[0]};
  ChosenBoxes chosen = choose(rows, /*hasBatches=*/false);
  set(0, chosen, /*hasBatches=*/false,
      [&](ScalarBuilder &s, ArrayRef<Value> loops, const Place &place) {
        Value box = getBox(s, place);
        return selectField(s, loops[1], {place.batch, place.number, box});
      });
  setCount(1, chosen);
}

void AllClassSuppressor::setScores() {
  ChosenBoxes chosen =
      choose(kernel.getSizes(op->getResult(1)), /*hasBatches=*/true);
  set(0, chosen, /*hasBatches=*/true,
      [&](ScalarBuilder &s, ArrayRef<Value> loops, const Place &place) {
        Value box = getBox(s, place);
        return selectField(s, loops[2], {place.number, box});
      });
  set(1, chosen, /*hasBatches=*/true,
      [&](ScalarBuilder &s, ArrayRef<Value>, const Place &place) {
        return getScore(s, place);
      });
  setCount(2, chosen);
}

LogicalResult
partita::relax::legalizeAllClassNMS(AllClassNonMaxSuppressionOp op,
                                    KernelBuilder &kernel) {
  auto isOne = [](Value tensor) {
    return llvm::all_of(getDims(tensor), [](Dim dim) { return dim == Dim(1); });
  };
  Type f32 = kernel.getF32Type();
  for (Value tensor : {op.getBoxes(), op.getScores(), op.getIouThreshold(),
                       op.getScoreThreshold()})
    if (getNumberType(tensor) != f32)
      return failure();
  Value most = op.getMaxOutputBoxesPerClass();
  if (!isa<IntegerType>(getNumberType(most)) || !isOne(most) ||
      !isOne(op.getIouThreshold()) || !isOne(op.getScoreThreshold()) ||
      (op.getOutputFormat() != "onnx" && op.getOutputFormat() != "tensorflow"))
    return failure();
  AllClassSuppressor suppressor(op, kernel);
  if (op.getOutputFormat() == "onnx")
    suppressor.setIndices();
  else
    suppressor.setScores();
  return success();
}
