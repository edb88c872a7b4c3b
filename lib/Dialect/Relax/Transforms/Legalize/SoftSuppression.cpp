//===- SoftSuppression.cpp - Lower suppression that lowers scores ---------===//
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

namespace {
/// Round after round, the box of the highest score stays. It lowers the scores
/// of the others by how much it overlaps them.
class SoftSuppressor : CandidateBoxes {
public:
  SoftSuppressor(NonMaxSuppressionOp op, KernelBuilder &kernel);

  void setBoxes();
  void setIndices();

private:
  /// Tensors that change: which boxes are where, those that stay in front; 1
  /// for boxes that can stay, and a last column with how many do; the scores.
  struct State {
    Value places, marks, scores;
  };

  State getStart();
  State run(OpBuilder &builder, Location loc, Value batch, Value round,
            State state);
  /// The place from `round` on, before `end`, with the highest score; `round`
  /// if there is none, which the second value says.
  std::pair<Value, Value> findBest(ScalarBuilder &s, Value batch, Value round,
                                   Value end, const State &state);
  State suppress(ScalarBuilder &s, Value batch, Value round, Value end,
                 State state);
  Value getRow(ScalarBuilder &s, Value places, Value batch, Value at);
  Value getCount(ScalarBuilder &n, Value batch);

  double threshold;
  State state;
};
} // namespace

SoftSuppressor::SoftSuppressor(NonMaxSuppressionOp op, KernelBuilder &kernel)
    : CandidateBoxes(op, kernel),
      threshold(op.getScoreThreshold().convertToDouble()), state(getStart()) {
  Value zero = kernel.toValue(kernel.getIndexAttr(0)),
        one = kernel.toValue(kernel.getIndexAttr(1));
  auto build = [&](OpBuilder &builder, Location loc, ValueRange at,
                   ValueRange tensors) -> scf::ValueVector {
    State next =
        run(builder, loc, at[0], at[1], {tensors[0], tensors[1], tensors[2]});
    return {next.places, next.marks, next.scores};
  };
  scf::LoopNest nest = scf::buildLoopNest(
      kernel, kernel.getLoc(), {zero, zero}, {kernel.toValue(sizes[0]), size},
      {one, one}, {state.places, state.marks, state.scores}, build);
  state = {nest.results[0], nest.results[1], nest.results[2]};
}

/// All boxes that count, by score.
SoftSuppressor::State SoftSuppressor::getStart() {
  Sizes rows = {sizes[0], sizes[1]},
        marked = {sizes[0], kernel.add(sizes[1], kernel.getIndexAttr(1))};
  Value scores = buildScores();
  Sorter sorter(kernel, scores, rows, /*axis=*/1, /*isDescending=*/true);
  Type i32 = kernel.getI32Type();
  Value places = sorter.getPositions(rows, i32);
  Value marks = kernel.map({}, marked, i32, [&](ScalarBuilder &n, ValueRange) {
    SmallVector<Value> at = getLoops(n, 2);
    Value place = n.fromIndex(at[1]);
    Value isBox = n.less(place, getLimit(n, at[0]));
    Value one = n.integer(1);
    return n.select(isBox, one, n.integer(0));
  });
  return {places, marks, sorter.getElements(rows)};
}

Value SoftSuppressor::getRow(ScalarBuilder &s, Value places, Value batch,
                             Value at) {
  ScalarBuilder n(s.getLoc(), s, s.getI32Type());
  return n.toIndex(tensor::ExtractOp::create(n, places, ValueRange{batch, at}));
}

std::pair<Value, Value> SoftSuppressor::findBest(ScalarBuilder &s, Value batch,
                                                 Value round, Value end,
                                                 const State &state) {
  auto compare = [&](OpBuilder &builder, Location loc, Value at,
                     ValueRange best) {
    ScalarBuilder s(loc, builder, type), n(loc, builder, s.getI32Type());
    SmallVector<Value> place = {batch, at};
    Value mark = tensor::ExtractOp::create(n, state.marks, place);
    Value score = s.load(tensor::ExtractOp::create(s, state.scores, place));
    Value isLeft = n.equal(mark, n.integer(1));
    Value isBetter = n.bitAnd(isLeft, s.greater(score, best[1]));
    Value newBest = n.select(isBetter, n.fromIndex(at), best[0]);
    scf::YieldOp::create(
        builder, loc, ValueRange{newBest, s.select(isBetter, score, best[1])});
  };
  ScalarBuilder n(s.getLoc(), s, s.getI32Type());
  Value none = n.integer(-1), least = s.number(threshold), step = s.index(1);
  auto loop =
      scf::ForOp::create(s, round, end, step, ValueRange{none, least}, compare);
  Value best = loop.getResult(0), isFound = n.less(none, best);
  return {s.select(isFound, n.toIndex(best), round), isFound};
}

SoftSuppressor::State SoftSuppressor::suppress(ScalarBuilder &s, Value batch,
                                               Value round, Value end,
                                               State state) {
  double factor = -0.5 / op.getSoftNmsSigma().convertToDouble();
  auto visit = [&](OpBuilder &builder, Location loc, ValueRange other,
                   ValueRange tensors) -> scf::ValueVector {
    ScalarBuilder s(loc, builder, type), n(loc, builder, s.getI32Type());
    SmallVector<Value> place = {batch, other[0]};
    Value rows[2] = {getRow(s, state.places, batch, round),
                     getRow(s, state.places, batch, other[0])};
    auto load = [&](bool isSecond, int64_t field) {
      return loadField(s, boxes, {batch, rows[isSecond]}, field);
    };
    Value mark = tensor::ExtractOp::create(n, tensors[0], place);
    Value score = s.load(tensor::ExtractOp::create(s, tensors[1], place));
    Value least = s.number(threshold);
    Value isLeft = n.equal(mark, n.integer(1));
    Value isSeen = n.bitAnd(isLeft, s.greater(score, least));
    if (int64_t field = op.getIdIndex(); !op.getForceSuppress() && field >= 0) {
      Value boxClass = load(false, field);
      isSeen = n.bitAnd(isSeen, s.equal(boxClass, load(true, field)));
    }
    Value overlap = buildOverlap(s, [&](bool isSecond, int64_t field) {
      return load(isSecond, int64_t(op.getCoordStart()) + field);
    });
    Value goes = s.greaterEqual(
        overlap, s.number(op.getIouThreshold().convertToDouble()));
    Value power = s.multiply(s.multiply(s.number(factor), overlap), overlap);
    Value lower = s.multiply(score, math::ExpOp::create(s, power));
    lower = s.load(s.store(s.select(goes, score, lower)));
    Value isLost = n.bitOr(goes, s.lessEqual(lower, least));
    Value isTakenOut = n.bitAnd(isSeen, isLost);
    mark = n.select(isTakenOut, n.integer(0), mark);
    score = s.select(isSeen, lower, score);
    Value marks = tensor::InsertOp::create(n, mark, tensors[0], place);
    return {marks,
            tensor::InsertOp::create(s, s.store(score), tensors[1], place)};
  };
  Value step = s.index(1), next = arith::AddIOp::create(s, round, step);
  scf::ValueVector results =
      scf::buildLoopNest(s, s.getLoc(), next, end, step,
                         {state.marks, state.scores}, visit)
          .results;
  return {state.places, results[0], results[1]};
}

/// Swaps the elements at `a` and `b`.
static Value swap(ScalarBuilder &s, Value tensor, Value batch, Value a,
                  Value b) {
  SmallVector<Value> first = {batch, a}, second = {batch, b};
  Value atFirst = tensor::ExtractOp::create(s, tensor, first),
        atSecond = tensor::ExtractOp::create(s, tensor, second);
  tensor = tensor::InsertOp::create(s, atSecond, tensor, first);
  return tensor::InsertOp::create(s, atFirst, tensor, second);
}

SoftSuppressor::State SoftSuppressor::run(OpBuilder &builder, Location loc,
                                          Value batch, Value round,
                                          State state) {
  ScalarBuilder s(loc, builder, type), n(loc, builder, s.getI32Type());
  SmallVector<Value> total = {batch, size};
  Value count = tensor::ExtractOp::create(n, state.marks, total);
  // A round without a box is the last one.
  Value isOpen = n.equal(count, n.fromIndex(round));
  if (int64_t most = op.getMaxOutputSize(); most > 0)
    isOpen = n.bitAnd(isOpen, n.less(count, n.integer(most)));
  Value limit = n.toIndex(getLimit(n, batch));
  auto [best, isFound] =
      findBest(s, batch, round, n.select(isOpen, limit, round), state);
  for (Value *tensor : {&state.places, &state.marks, &state.scores})
    *tensor = swap(s, *tensor, batch, round, best);
  Value one = n.integer(1);
  Value step = n.select(isFound, one, n.integer(0));
  state.marks =
      tensor::InsertOp::create(n, n.add(count, step), state.marks, total);
  return suppress(s, batch, round, n.select(isFound, limit, round), state);
}

Value SoftSuppressor::getCount(ScalarBuilder &n, Value batch) {
  return tensor::ExtractOp::create(n, state.marks, ValueRange{batch, size});
}

void SoftSuppressor::setBoxes() {
  auto getNumber = [&](ScalarBuilder &of, ValueRange) {
    ScalarBuilder n(of.getLoc(), of, of.getI32Type()), s(of.getLoc(), of, type);
    SmallVector<Value> at = getLoops(n, 3);
    Value row = getRow(s, state.places, at[0], at[1]);
    Value number = s.load(
        tensor::ExtractOp::create(s, boxes, ValueRange{at[0], row, at[2]}));
    Value score = s.load(
        tensor::ExtractOp::create(s, state.scores, ValueRange{at[0], at[1]}));
    Value isScore = arith::CmpIOp::create(s, arith::CmpIPredicate::eq, at[2],
                                          s.index(op.getScoreIndex()));
    Value stays = n.less(n.fromIndex(at[1]), getCount(n, at[0]));
    number = s.select(isScore, score, number);
    return s.select(stays, number, s.number(-1));
  };
  kernel.set(op->getResult(0), kernel.map({}, sizes, type, getNumber));
}

void SoftSuppressor::setIndices() {
  Value indices = kernel.getTensor(op.getIndices());
  Type i32 = kernel.getI32Type();
  auto getIndex = [&](ScalarBuilder &n, ValueRange) {
    SmallVector<Value> at = getLoops(n, 2);
    Value row = getRow(n, state.places, at[0], at[1]);
    Value index = tensor::ExtractOp::create(n, indices, ValueRange{at[0], row});
    Value stays = n.less(n.fromIndex(at[1]), getCount(n, at[0]));
    return n.select(stays, index, n.integer(-1));
  };
  kernel.set(op->getResult(1),
             kernel.map({}, {sizes[0], sizes[1]}, i32, getIndex));
  kernel.set(op->getResult(2),
             kernel.map({}, kernel.getSizes(op->getResult(2)), i32,
                        [&](ScalarBuilder &n, ValueRange) {
                          return getCount(n, linalg::IndexOp::create(n, 0));
                        }));
}

LogicalResult partita::relax::legalizeSoftNMS(NonMaxSuppressionOp op,
                                              KernelBuilder &kernel) {
  SoftSuppressor suppressor(op, kernel);
  suppressor.setBoxes();
  if (op.getReturnIndices())
    suppressor.setIndices();
  return success();
}
