//===- Boxes.cpp - Lower ops on boxes that a model has found --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"
#include "Models.h"
#include "Sorting.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace partita::relax;

using Sizes = KernelBuilder::Sizes;

//===----------------------------------------------------------------------===//
// Boxes that are chosen
//===----------------------------------------------------------------------===//

Value partita::relax::isNegative(ScalarBuilder &s, Value index) {
  return arith::CmpIOp::create(s, arith::CmpIPredicate::slt, index, s.index(0));
}

ChosenBoxes::ChosenBoxes(KernelBuilder &kernel, Sizes sizes, Chooses chooses)
    : size(kernel.toValue(sizes[1])) {
  Sizes rows = {sizes[0], kernel.add(sizes[1], kernel.getIndexAttr(1))};
  Type type = kernel.getI32Type();
  Value start = kernel.map({}, rows, type, [&](ScalarBuilder &n, ValueRange) {
    Value isCount = arith::CmpIOp::create(n, arith::CmpIPredicate::eq,
                                          linalg::IndexOp::create(n, 1), size);
    Value zero = n.integer(0);
    return n.select(isCount, zero, n.integer(-1));
  });
  auto add = [&](ScalarBuilder &n, ValueRange at, Value places) -> Value {
    Value isChosen = chooses(n, at);
    Value count = tensor::ExtractOp::create(n, places, ValueRange{at[0], size});
    SmallVector<Value> end = {at[0], n.toIndex(count)};
    Value old = tensor::ExtractOp::create(n, places, end);
    Value place = n.select(isChosen, n.fromIndex(at[1]), old);
    places = tensor::InsertOp::create(n, place, places, end);
    count = n.select(isChosen, n.add(count, n.integer(1)), count);
    return tensor::InsertOp::create(n, count, places, ValueRange{at[0], size});
  };
  places = buildLoops(kernel, sizes, start, add);
}

Value ChosenBoxes::getPlace(ScalarBuilder &s, Value batch, Value at) const {
  ScalarBuilder n(s.getLoc(), s, s.getI32Type());
  return n.toIndex(tensor::ExtractOp::create(n, places, ValueRange{batch, at}));
}

Value ChosenBoxes::getCount(ScalarBuilder &s, Value batch) const {
  return tensor::ExtractOp::create(s, places, ValueRange{batch, size});
}

Value ChosenBoxes::gather(
    KernelBuilder &kernel, Value boxes, const Sizes &sizes,
    function_ref<Value(ScalarBuilder &, Value, Value)> getRow) const {
  Type type = cast<RankedTensorType>(boxes.getType()).getElementType();
  return kernel.map({}, sizes, type, [&](ScalarBuilder &s, ValueRange) {
    SmallVector<Value> at = getLoops(s, sizes.size());
    Value place = getPlace(s, at[0], at[1]), isNone = isNegative(s, place);
    place = arith::MaxSIOp::create(s, place, s.index(0));
    at[1] = getRow(s, at[0], place);
    ScalarBuilder of(s.getLoc(), s, type);
    Value number = of.load(tensor::ExtractOp::create(s, boxes, at));
    return of.select(isNone, of.integer(-1), number);
  });
}

Value partita::relax::loadField(ScalarBuilder &s, Value boxes, ValueRange box,
                                int64_t field) {
  return s.load(tensor::ExtractOp::create(
      s, boxes, ValueRange{box[0], box[1], s.index(field)}));
}

Value partita::relax::buildOverlap(
    ScalarBuilder &s, function_ref<Value(bool isSecond, int64_t field)> load) {
  Value zero = s.number(0), common, areas[2];
  for (int64_t dim : llvm::seq(2)) {
    Value lows[2], highs[2];
    for (bool isSecond : {false, true}) {
      Value from = load(isSecond, dim), to = load(isSecond, dim + 2);
      lows[isSecond] = s.minimum(from, to);
      highs[isSecond] = s.maximum(from, to);
      Value length = s.subtract(highs[isSecond], lows[isSecond]);
      Value &area = areas[isSecond];
      area = dim == 0 ? length : s.multiply(area, length);
    }
    Value end = s.minimum(highs[0], highs[1]);
    Value length =
        s.maximum(zero, s.subtract(end, s.maximum(lows[0], lows[1])));
    common = dim == 0 ? length : s.multiply(length, common);
  }
  Value all = s.subtract(s.add(areas[0], areas[1]), common);
  Value areEmpty = s.lessEqual(all, zero);
  return s.select(areEmpty, zero, s.divide(common, all));
}

static LogicalResult legalizeValidCounts(GetValidCountsOp op,
                                         KernelBuilder &kernel) {
  Type type = getNumberType(op.getData());
  if (type.isInteger(1))
    return failure();
  Value boxes = kernel.getTensor(op.getData());
  Sizes sizes = kernel.getSizes(op.getData()), rows = {sizes[0], sizes[1]};
  int64_t classField = op.getIdIndex(), scoreField = op.getScoreIndex();
  double threshold = op.getScoreThreshold().convertToDouble();
  auto isValid = [&](ScalarBuilder &n, ValueRange at) {
    ScalarBuilder s(n.getLoc(), n, type);
    Value score = loadField(s, boxes, at, scoreField);
    Value isGood = s.greater(score, s.load(s.store(s.number(threshold))));
    if (classField < 0)
      return isGood;
    Value boxClass = loadField(s, boxes, at, classField);
    return s.bitAnd(isGood, s.greaterEqual(boxClass, s.number(0)));
  };
  ChosenBoxes chosen(kernel, rows, isValid);
  Type i32 = kernel.getI32Type();
  kernel.set(
      op->getResult(0),
      kernel.map({}, sizes.front(), i32, [&](ScalarBuilder &n, ValueRange) {
        return chosen.getCount(n, linalg::IndexOp::create(n, 0));
      }));
  kernel.set(
      op->getResult(1),
      chosen.gather(kernel, boxes, sizes,
                    [](ScalarBuilder &, Value, Value place) { return place; }));
  kernel.set(op->getResult(2),
             kernel.map({}, rows, i32, [&](ScalarBuilder &n, ValueRange) {
               SmallVector<Value> at = getLoops(n, 2);
               return n.fromIndex(chosen.getPlace(n, at[0], at[1]));
             }));
  return success();
}

//===----------------------------------------------------------------------===//
// Suppression
//===----------------------------------------------------------------------===//

namespace {
/// Non-maximum suppression: a box goes if one of a higher score, which stays,
/// overlaps it.
class Suppressor : CandidateBoxes {
public:
  Suppressor(NonMaxSuppressionOp op, KernelBuilder &kernel);

  void setIndices();
  void setBoxes();

private:
  /// The place in the data of the box that comes to place `at` by score.
  Value getRow(ScalarBuilder &s, Value batch, Value at);
  Value loadField(ScalarBuilder &s, Value batch, Value at, int64_t field);
  /// Which boxes stay, by score: 1 or 0, then their number.
  Value buildMarks();
  Value suppress(ScalarBuilder &n, ValueRange at, Value marks);
  Value isMarked(ScalarBuilder &n, Value batch, Value at);

  std::optional<Sorter> sorter;
  Value marks;
};
} // namespace

CandidateBoxes::CandidateBoxes(NonMaxSuppressionOp op, KernelBuilder &kernel)
    : op(op), kernel(kernel), type(getNumberType(op.getData())),
      boxes(kernel.getTensor(op.getData())),
      counts(kernel.getTensor(op.getValidCount())),
      sizes(kernel.getSizes(op.getData())), size(kernel.toValue(sizes[1])) {}

Value CandidateBoxes::buildScores() {
  Sizes rows = {sizes[0], sizes[1]};
  return kernel.map({}, rows, type, [&](ScalarBuilder &s, ValueRange) {
    ScalarBuilder n(s.getLoc(), s, s.getI32Type()), of(s.getLoc(), s, type);
    SmallVector<Value> at = getLoops(s, 2);
    Value count = tensor::ExtractOp::create(s, counts, at[0]);
    Value score = loadField(of, boxes, at, op.getScoreIndex());
    Value isCounted = n.less(n.fromIndex(at[1]), count);
    return of.select(isCounted, score, of.least());
  });
}

Value CandidateBoxes::getLimit(ScalarBuilder &n, Value batch) {
  Value count = n.load(tensor::ExtractOp::create(n, counts, batch));
  if (int64_t most = op.getTopK(); most > 0)
    count = n.minimum(count, n.integer(most));
  return n.minimum(count, n.fromIndex(size));
}

Suppressor::Suppressor(NonMaxSuppressionOp op, KernelBuilder &kernel)
    : CandidateBoxes(op, kernel) {
  Value scores = buildScores();
  sorter.emplace(kernel, scores, Sizes{sizes[0], sizes[1]}, /*axis=*/1,
                 /*isDescending=*/true);
  marks = buildMarks();
}

Value Suppressor::getRow(ScalarBuilder &s, Value batch, Value at) {
  ScalarBuilder n(s.getLoc(), s, s.getI64Type());
  return n.toIndex(sorter->getPosition(s, {batch, at}));
}

Value Suppressor::loadField(ScalarBuilder &s, Value batch, Value at,
                            int64_t field) {
  return ::loadField(s, boxes, {batch, getRow(s, batch, at)}, field);
}

Value Suppressor::buildMarks() {
  Sizes rows = {sizes[0], kernel.add(sizes[1], kernel.getIndexAttr(1))};
  Value start = kernel.map(
      {}, rows, kernel.getI32Type(), [&](ScalarBuilder &n, ValueRange) {
        ScalarBuilder s(n.getLoc(), n, type);
        SmallVector<Value> loops = getLoops(n, 2);
        Value last = arith::SubIOp::create(n, size, n.index(1));
        Value at = arith::MinSIOp::create(n, loops[1], last);
        at = arith::MaxSIOp::create(n, at, n.index(0));
        Value score = loadField(s, loops[0], at, op.getScoreIndex());
        Value isGood = s.greater(score, s.number(0));
        Value limit = getLimit(n, loops[0]);
        Value counts = n.less(n.fromIndex(loops[1]), limit);
        Value isMarked = n.bitAnd(isGood, counts), one = n.integer(1);
        return n.select(isMarked, one, n.integer(0));
      });
  return buildLoops(kernel, {sizes[0], sizes[1]}, start,
                    [&](ScalarBuilder &n, ValueRange at, Value marks) {
                      return suppress(n, at, marks);
                    });
}

/// Decides whether a box stays, and takes the marks of those that it overlaps.
Value Suppressor::suppress(ScalarBuilder &n, ValueRange at, Value marks) {
  Value batch = at[0], box = at[1], one = n.integer(1);
  Value count = tensor::ExtractOp::create(n, marks, ValueRange{batch, size});
  Value stays = n.equal(tensor::ExtractOp::create(n, marks, at), one);
  if (int64_t most = op.getMaxOutputSize(); most > 0)
    stays = n.bitAnd(stays, n.less(count, n.integer(most)));
  Value mark = n.select(stays, one, n.integer(0));
  marks = tensor::InsertOp::create(n, mark, marks, at);
  marks = tensor::InsertOp::create(n, n.add(count, mark), marks,
                                   ValueRange{batch, size});
  Value next = arith::AddIOp::create(n, box, n.index(1));
  Value end = n.select(stays, n.toIndex(getLimit(n, batch)), next);
  auto visit = [&](OpBuilder &builder, Location loc, ValueRange other,
                   ValueRange tensors) -> scf::ValueVector {
    ScalarBuilder s(loc, builder, type), n(loc, builder, s.getI32Type());
    SmallVector<Value> place = {batch, other[0]};
    Value mark = tensor::ExtractOp::create(n, tensors[0], place);
    Value overlap = buildOverlap(s, [&](bool isSecond, int64_t field) {
      return loadField(s, batch, isSecond ? other[0] : box,
                       int64_t(op.getCoordStart()) + field);
    });
    Value goes = s.greaterEqual(
        overlap, s.number(op.getIouThreshold().convertToDouble()));
    int64_t field = op.getIdIndex();
    if (!op.getForceSuppress() && field >= 0) {
      Value boxClass = loadField(s, batch, box, field);
      Value otherClass = loadField(s, batch, other[0], field);
      goes = s.bitAnd(goes, s.equal(boxClass, otherClass));
    }
    mark = n.select(goes, n.integer(0), mark);
    return {tensor::InsertOp::create(n, mark, tensors[0], place)};
  };
  return scf::buildLoopNest(n, n.getLoc(), next, end, n.index(1), marks, visit)
      .results.front();
}

Value Suppressor::isMarked(ScalarBuilder &n, Value batch, Value at) {
  ScalarBuilder of(n.getLoc(), n, n.getI32Type());
  Value mark = tensor::ExtractOp::create(of, marks, ValueRange{batch, at});
  return of.equal(mark, of.integer(1));
}

void Suppressor::setIndices() {
  Sizes rows = {sizes[0], sizes[1]};
  ChosenBoxes chosen(kernel, rows, [&](ScalarBuilder &n, ValueRange at) {
    return isMarked(n, at[0], at[1]);
  });
  Value indices = kernel.getTensor(op.getIndices());
  Type i32 = kernel.getI32Type();
  auto getIndex = [&](ScalarBuilder &n, ValueRange) {
    SmallVector<Value> at = getLoops(n, 2);
    Value place = chosen.getPlace(n, at[0], at[1]);
    Value isNone = isNegative(n, place);
    place = arith::MaxSIOp::create(n, place, n.index(0));
    Value index = tensor::ExtractOp::create(
        n, indices, ValueRange{at[0], getRow(n, at[0], place)});
    return n.select(isNone, n.integer(-1), index);
  };
  kernel.set(op->getResult(0), kernel.map({}, rows, i32, getIndex));
  kernel.set(op->getResult(1),
             kernel.map({}, kernel.getSizes(op->getResult(1)), i32,
                        [&](ScalarBuilder &n, ValueRange) {
                          return chosen.getCount(n,
                                                 linalg::IndexOp::create(n, 0));
                        }));
}

void Suppressor::setBoxes() {
  if (op.getInvalidToBottom()) {
    ChosenBoxes chosen(kernel, {sizes[0], sizes[1]},
                       [&](ScalarBuilder &n, ValueRange at) {
                         return isMarked(n, at[0], at[1]);
                       });
    kernel.set(op->getResult(0),
               chosen.gather(kernel, boxes, sizes,
                             [&](ScalarBuilder &s, Value batch, Value place) {
                               return getRow(s, batch, place);
                             }));
    return;
  }
  auto getNumber = [&](ScalarBuilder &n, ValueRange) {
    ScalarBuilder s(n.getLoc(), n, type);
    SmallVector<Value> at = getLoops(n, 3);
    Value stays = isMarked(n, at[0], at[1]);
    at[1] = getRow(n, at[0], at[1]);
    Value number = s.load(tensor::ExtractOp::create(s, boxes, at));
    return s.select(stays, number, s.number(-1));
  };
  kernel.set(op->getResult(0), kernel.map({}, sizes, type, getNumber));
}

static LogicalResult legalizeNMS(NonMaxSuppressionOp op,
                                 KernelBuilder &kernel) {
  if (!isa<FloatType>(getNumberType(op.getData())))
    return failure();
  if (op.getSoftNmsSigma().convertToDouble() > 0)
    return legalizeSoftNMS(op, kernel);
  Suppressor suppressor(op, kernel);
  if (op.getReturnIndices())
    suppressor.setIndices();
  else
    suppressor.setBoxes();
  return success();
}

//===----------------------------------------------------------------------===//
// Boxes from anchors
//===----------------------------------------------------------------------===//

/// The probabilities of the classes, in dimension 1 of `x`.
static Value buildSoftmax(KernelBuilder &kernel, Value x, const Sizes &sizes,
                          Type type) {
  Sizes kept = {sizes[0], sizes[2]};
  KernelBuilder::Input input =
      kernel.broadcast(KernelBuilder::getWhole(x), sizes);
  auto spread = [&](Value tensor) {
    return kernel.broadcast({tensor, {0, -1, 1}}, sizes);
  };
  Value most = kernel.reduce(input, 3, {0, 2}, kept, type,
                             kernel.getScalars(type).least(),
                             [](ScalarBuilder &s, ValueRange numbers) {
                               return s.maximum(numbers[1], numbers[0]);
                             });
  Value powers = kernel.map(
      {input, spread(most)}, sizes, KernelBuilder::getSumType(type),
      [](ScalarBuilder &s, ValueRange numbers) -> Value {
        return math::ExpOp::create(s, s.subtract(numbers[0], numbers[1]));
      });
  KernelBuilder::Input terms =
      kernel.broadcast(KernelBuilder::getWhole(powers), sizes);
  Value sums = kernel.reduce(terms, 3, {0, 2}, kept, type,
                             kernel.getScalars(type).number(0),
                             [](ScalarBuilder &s, ValueRange numbers) {
                               return s.add(numbers[1], numbers[0]);
                             });
  return kernel.map({terms, spread(sums)}, sizes,
                    KernelBuilder::getSumType(type),
                    [](ScalarBuilder &s, ValueRange numbers) {
                      return s.divide(numbers[0], numbers[1]);
                    });
}

/// The scores of at least the threshold; others are 0.
static Value buildScores(MultiboxTransformLocOp op, KernelBuilder &kernel,
                         Type type) {
  Sizes sizes = kernel.getSizes(op.getClsPred());
  Value scores = kernel.getTensor(op.getClsPred());
  if (op.getApplySoftmax())
    scores = buildSoftmax(kernel, scores, sizes, type);
  double threshold = op.getThreshold().convertToDouble();
  auto limit = [&](ScalarBuilder &s, ValueRange numbers) {
    Value score = numbers[0], zero = s.number(0);
    Value isKept = s.greaterEqual(score, s.number(threshold));
    if (!op.getKeepBackground()) {
      Value number = linalg::IndexOp::create(s, 1);
      Value isClass = arith::CmpIOp::create(s, arith::CmpIPredicate::ne, number,
                                            s.index(0));
      isKept = s.bitAnd(isKept, isClass);
    }
    return s.select(isKept, score, zero);
  };
  return kernel.map(kernel.broadcast(KernelBuilder::getWhole(scores), sizes),
                    sizes, type, limit);
}

static LogicalResult legalizeMultibox(MultiboxTransformLocOp op,
                                      KernelBuilder &kernel) {
  Type type = getNumberType(op.getClsPred());
  if (!isa<FloatType>(type))
    return failure();
  Value anchors = kernel.getTensor(op.getAnchor()),
        moves = kernel.getTensor(op.getLocPred());
  ArrayRef<double> variances = op.getVariances();
  Sizes sizes = kernel.getSizes(op->getResult(0));
  auto getBorder = [&](ScalarBuilder &s, ValueRange) {
    SmallVector<Value> loops = getLoops(s, 3);
    Value zero = s.index(0), half = s.number(0.5), borders[4];
    auto loadMove = [&](int64_t field) {
      Value at = arith::MulIOp::create(s, loops[1], s.index(4));
      at = arith::AddIOp::create(s, at, s.index(field));
      Value number =
          s.load(tensor::ExtractOp::create(s, moves, ValueRange{loops[0], at}));
      return s.multiply(number, s.number(variances[field]));
    };
    // An anchor has x first, a box y.
    for (int64_t dim : llvm::seq(2)) {
      Value from = loadField(s, anchors, {zero, loops[1]}, dim),
            to = loadField(s, anchors, {zero, loops[1]}, 2 + dim);
      Value size = s.subtract(to, from),
            middle = s.multiply(s.add(from, to), half);
      Value center = s.add(s.multiply(loadMove(dim), size), middle);
      Value reach = s.multiply(
          s.multiply(half, math::ExpOp::create(s, loadMove(2 + dim))), size);
      borders[1 - dim] = s.subtract(center, reach);
      borders[3 - dim] = s.add(center, reach);
    }
    Value border = borders[3];
    for (int64_t field : {2, 1, 0}) {
      Value isHere = arith::CmpIOp::create(s, arith::CmpIPredicate::eq,
                                           loops[2], s.index(field));
      border = s.select(isHere, borders[field], border);
    }
    if (op.getClip()) {
      border = s.minimum(s.number(1), border);
      border = s.maximum(s.number(0), border);
    }
    return border;
  };
  kernel.set(op->getResult(0), kernel.map({}, sizes, type, getBorder));
  kernel.set(op->getResult(1), buildScores(op, kernel, type));
  return success();
}

void partita::relax::attachBoxes(MLIRContext *context) {
  attach<&legalizeAllClassNMS, AllClassNonMaxSuppressionOp>(context);
  attach<&legalizeValidCounts, GetValidCountsOp>(context);
  attach<&legalizeMultibox, MultiboxTransformLocOp>(context);
  attach<&legalizeNMS, NonMaxSuppressionOp>(context);
}
