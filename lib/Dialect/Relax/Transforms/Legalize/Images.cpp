//===- Images.cpp - Lower ops that sample images --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace partita::relax;

using Sizes = KernelBuilder::Sizes;

//===----------------------------------------------------------------------===//
// Points between elements
//===----------------------------------------------------------------------===//

namespace {
/// An element that a point reads, in one dimension.
struct Tap {
  /// Its index, which is one of the dimension.
  Value at;
  /// Null for 1.
  Value weight;
  /// Null if it always is; other elements are 0.
  Value isInside;
};

/// The elements that a point reads, in one dimension.
struct TappedDim {
  int64_t dim;
  SmallVector<Tap, 4> taps;
};
} // namespace

/// A float as an index. What 32 bits do not hold, and a NaN, become an index
/// that is outside of each tensor.
static Value toIndex(ScalarBuilder &s, Value number) {
  Value least = s.number(-1e9), most = s.number(1e9);
  number = s.select(s.greater(number, least), number, least);
  return s.toIndex(s.select(s.less(number, most), number, most));
}

static Value isIndexOf(ScalarBuilder &s, Value at, Value size) {
  return arith::CmpIOp::create(s, arith::CmpIPredicate::ult, at, size);
}

/// `place`, moved between the first and the last one of `extent` elements.
static Value limitPlace(ScalarBuilder &s, Value place, Value extent) {
  Value last = s.subtract(extent, s.number(1));
  return s.minimum(s.maximum(place, s.number(0)), last);
}

static Value clampToZero(ScalarBuilder &s, Value index) {
  return arith::MaxSIOp::create(s, index, s.index(0));
}

/// The element at `at`; 0 if it is outside.
static Tap getTap(ScalarBuilder &s, Value at, Value size, Value weight) {
  return {clampIndex(s, at, size), weight, isIndexOf(s, at, size)};
}

/// The weighted sum of elements of `image`. `indices` says where, in the
/// other dimensions.
static Value interpolate(ScalarBuilder &s, Value image,
                         MutableArrayRef<Value> indices,
                         ArrayRef<TappedDim> dims, Value isInside = nullptr) {
  if (dims.empty()) {
    Value element = tensor::ExtractOp::create(s, image, indices);
    ScalarBuilder of(s.getLoc(), s, element.getType());
    Value number = of.convert(of.load(element), s.getElementType());
    return isInside ? s.select(isInside, number, s.number(0)) : number;
  }
  Value sum;
  for (const Tap &tap : dims.front().taps) {
    indices[dims.front().dim] = tap.at;
    Value areInside = isInside ? isInside : tap.isInside;
    if (isInside && tap.isInside)
      areInside = s.bitAnd(isInside, tap.isInside);
    Value part = interpolate(s, image, indices, dims.drop_front(), areInside);
    if (tap.weight)
      part = s.multiply(part, tap.weight);
    sum = sum ? s.add(sum, part) : part;
  }
  return sum;
}

/// The weights of two elements, or of four on a cubic spline, around a point
/// which is `t` behind the one before it.
static SmallVector<Value> getWeights(ScalarBuilder &s, size_t count, Value t,
                                     double alpha) {
  Value one = s.number(1);
  if (count == 2)
    return {s.subtract(one, t), t};
  // a * x^3 + b * x^2 + c * x + d
  auto compute = [&](double a, double b, double c, double d) {
    Value sum = s.number(a);
    for (double next : {b, c, d}) {
      Value product = s.multiply(sum, t);
      sum = s.add(product, s.number(next));
    }
    return sum;
  };
  return {compute(alpha, -2 * alpha, alpha, 0),
          compute(alpha + 2, -(alpha + 3), 0, 1),
          compute(-(alpha + 2), 2 * alpha + 3, -alpha, 0),
          compute(-alpha, alpha, 0, 0)};
}

//===----------------------------------------------------------------------===//
// Resizing
//===----------------------------------------------------------------------===//

namespace {
/// How an image is resized; positions are computed in f32.
struct Resizing {
  StringRef method, mode, rounding;
  double alpha, extrapolation;
  bool excludesOutside;

  bool isKnown() const;
  /// The place in the image, in one dimension of `extent` elements, for
  /// position `at` of `count`.
  Value getPlace(ScalarBuilder &s, Value at, Value extent, Value count,
                 double start, double end) const;
  SmallVector<Tap, 4> getTaps(ScalarBuilder &s, Value place,
                              Value extent) const;

private:
  Value round(ScalarBuilder &s, Value place) const;
};
} // namespace

bool Resizing::isKnown() const {
  StringRef modes[] = {"half_pixel",           "align_corners",
                       "asymmetric",           "pytorch_half_pixel",
                       "tf_half_pixel_for_nn", "tf_crop_and_resize"};
  StringRef roundings[] = {
      "", "round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
  if (!llvm::is_contained(modes, mode))
    return false;
  return method == "nearest_neighbor" ? llvm::is_contained(roundings, rounding)
                                      : method == "linear" || method == "cubic";
}

Value Resizing::getPlace(ScalarBuilder &s, Value at, Value extent, Value count,
                         double start, double end) const {
  Value x = s.fromIndex(at), size = s.fromIndex(extent),
        newSize = s.fromIndex(count), one = s.number(1), half = s.number(0.5);
  Value scale = s.divide(size, newSize), last = s.subtract(size, one);
  Value isMany = s.greater(newSize, one);
  Value newLast = s.select(isMany, s.subtract(newSize, one), one);
  Value centered = s.multiply(s.add(x, half), scale);
  if (mode == "align_corners")
    return s.multiply(s.divide(last, newLast), x);
  if (mode == "asymmetric")
    return s.multiply(scale, x);
  if (mode == "tf_half_pixel_for_nn")
    return centered;
  if (mode == "tf_crop_and_resize") {
    Value step = s.multiply(s.multiply(x, s.number(end - start)), last);
    Value offset = s.multiply(s.number(start), last);
    Value place = s.add(offset, s.divide(step, newLast));
    Value middle = s.multiply(s.number(0.5 * (start + end)), last);
    return s.select(isMany, place, middle);
  }
  Value place = s.subtract(centered, half);
  return mode == "half_pixel" ? place : s.select(isMany, place, s.number(0));
}

Value Resizing::round(ScalarBuilder &s, Value place) const {
  Value half = s.number(0.5), epsilon = s.number(1e-5);
  if (rounding == "round" || (rounding.empty() && mode == "align_corners"))
    return math::RoundEvenOp::create(s, place);
  if (rounding == "round_prefer_floor")
    return math::CeilOp::create(s, s.subtract(place, half));
  if (rounding == "round_prefer_ceil")
    return math::FloorOp::create(s, s.add(place, half));
  if (rounding == "ceil")
    return math::CeilOp::create(s, s.subtract(place, epsilon));
  return math::FloorOp::create(s, s.add(place, epsilon));
}

SmallVector<Tap, 4> Resizing::getTaps(ScalarBuilder &s, Value place,
                                      Value extent) const {
  if (method == "nearest_neighbor")
    return {
        {clampIndex(s, toIndex(s, round(s, place)), extent), nullptr, nullptr}};
  size_t count = method == "linear" ? 2 : 4;
  Value floor = math::FloorOp::create(s, place);
  SmallVector<Value> weights =
      getWeights(s, count, s.subtract(place, floor), alpha);
  Value first = toIndex(s, floor);
  SmallVector<Tap, 4> taps;
  Value sum;
  for (auto [index, weight] : llvm::enumerate(weights)) {
    Value at = arith::AddIOp::create(
        s, first, s.index(int64_t(index) - (count == 2 ? 0 : 1)));
    if (count == 4 && excludesOutside) {
      Value isInside = isIndexOf(s, at, extent);
      weight = s.select(isInside, weight, s.number(0));
      sum = sum ? s.add(sum, weight) : weight;
    }
    taps.push_back({clampIndex(s, at, extent), weight, nullptr});
  }
  if (sum)
    for (Tap &tap : taps)
      tap.weight = s.divide(tap.weight, sum);
  return taps;
}

/// The region of an image that is resized, as numbers; empty if it has others.
static SmallVector<double> getRegion(Attribute roi) {
  SmallVector<double> region;
  auto fields = dyn_cast<ArrayAttr>(roi);
  for (Attribute field : fields ? fields.getValue() : ArrayRef<Attribute>()) {
    auto number = dyn_cast<FloatAttr>(field);
    if (!number)
      return {};
    region.push_back(number.getValueAsDouble());
  }
  return region;
}

template <typename OpT>
static LogicalResult legalizeResize(OpT op, KernelBuilder &kernel) {
  std::string method = op.getMethod().lower();
  Resizing resizing{method,
                    op.getCoordinateTransformationMode(),
                    op.getRoundingMethod(),
                    op.getCubicAlpha().convertToDouble(),
                    op.getExtrapolationValue().convertToDouble(),
                    op.getCubicExclude() != 0};
  std::optional<std::string> layout = getLetters(op.getLayout());
  StringRef spatial = getSpatial(std::is_same_v<OpT, Resize2DOp> ? 2 : 3);
  SmallVector<double> region = getRegion(op.getRoi());
  bool crops = resizing.mode == "tf_crop_and_resize";
  if (!resizing.isKnown() || !layout ||
      (crops && region.size() != 2 * spatial.size()))
    return failure();
  region.resize(2 * spatial.size(), 0);
  kernel.setName("resize");
  Value image = kernel.getTensor(op.getData());
  Sizes from = kernel.getSizes(op.getData()),
        sizes = kernel.getSizes(op.getResult());
  Type type = getNumberType(op.getResult());
  auto body = [&](ScalarBuilder &to, ValueRange) {
    ScalarBuilder s(to.getLoc(), to, to.getF32Type());
    SmallVector<Value> indices = getLoops(s, sizes.size());
    SmallVector<TappedDim> dims;
    Value isOutside;
    for (auto [number, letter] : llvm::enumerate(spatial)) {
      int64_t dim = findDim(*layout, letter);
      // TVM has the region's depth last.
      size_t field = spatial.size() == 2 ? number : 2 - number;
      Value extent = getValueOrCreateConstantIndexOp(s, s.getLoc(), from[dim]),
            count = getValueOrCreateConstantIndexOp(s, s.getLoc(), sizes[dim]);
      Value place =
          resizing.getPlace(s, indices[dim], extent, count, region[field],
                            region[spatial.size() + field]);
      dims.push_back({dim, resizing.getTaps(s, place, extent)});
      if (!crops)
        continue;
      Value size = s.fromIndex(extent);
      Value last = s.subtract(size, s.number(1));
      Value isBefore = s.less(place, s.number(0));
      Value isHere = s.bitOr(isBefore, s.greater(place, last));
      isOutside = isOutside ? s.bitOr(isOutside, isHere) : isHere;
    }
    Value number = interpolate(s, image, indices, dims);
    if (isOutside)
      number = s.select(isOutside, s.number(resizing.extrapolation), number);
    return s.convert(number, type);
  };
  kernel.set(op.getResult(), kernel.map({}, sizes, type, body));
  return success();
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

namespace {
/// How the points of a grid lie in one dimension of `size` elements.
struct GridPlacing {
  StringRef padding;
  bool alignsCorners;
  Value size;

  /// The place of a point, between -1 and 1 if it is in the image.
  Value getPlace(ScalarBuilder &s, Value point) const;
  /// `place`, moved into the image as the padding says.
  Value moveInside(ScalarBuilder &s, Value place) const;

private:
  Value reflect(ScalarBuilder &s, Value place, Value extent) const;
};
} // namespace

Value GridPlacing::getPlace(ScalarBuilder &s, Value point) const {
  Value extent = s.fromIndex(size), one = s.number(1), two = s.number(2);
  Value fromStart = s.add(point, one);
  if (alignsCorners)
    return s.divide(s.multiply(fromStart, s.subtract(extent, one)), two);
  Value middle = s.divide(s.multiply(fromStart, extent), two);
  return s.add(s.number(-0.5), middle);
}

/// Mirrors `place` at the borders of the image as often as it needs.
Value GridPlacing::reflect(ScalarBuilder &s, Value place, Value extent) const {
  Value start = s.number(alignsCorners ? 0 : -0.5);
  Value length = alignsCorners ? s.subtract(extent, s.number(1)) : extent;
  Value distance = s.absolute(s.subtract(start, place));
  Value divisor = s.maximum(length, s.number(1));
  Value times = s.floorDivide(math::TruncOp::create(s, distance), divisor);
  Value rest = s.subtract(distance, s.multiply(times, length));
  Value isOdd = s.floorModulo(times, s.number(2));
  Value isEven = s.equal(isOdd, s.number(0));
  Value mirrored =
      s.add(s.select(isEven, rest, s.subtract(length, rest)), start);
  Value isBehind = s.greaterEqual(place, start);
  Value isInside = s.bitAnd(isBehind, s.lessEqual(place, s.add(length, start)));
  return s.select(isInside, place, mirrored);
}

Value GridPlacing::moveInside(ScalarBuilder &s, Value place) const {
  if (padding == "zeros")
    return place;
  Value extent = s.fromIndex(size);
  if (padding == "reflection")
    place = reflect(s, place, extent);
  return limitPlace(s, place, extent);
}

/// The `count` elements that a point reads in one dimension.
static SmallVector<Tap, 4> getGridTaps(ScalarBuilder &s,
                                       const GridPlacing &placing, size_t count,
                                       Value point) {
  Value place = placing.getPlace(s, point);
  // A spline's elements move each by itself.
  if (count != 4)
    place = placing.moveInside(s, place);
  if (count == 1)
    return {getTap(s, toIndex(s, math::RoundEvenOp::create(s, place)),
                   placing.size, nullptr)};
  Value floor = math::FloorOp::create(s, place);
  SmallVector<Tap, 4> taps;
  for (auto [index, weight] : llvm::enumerate(
           getWeights(s, count, s.subtract(place, floor), /*alpha=*/-0.75))) {
    Value at = s.add(floor, s.number(double(index) - (count == 4)));
    if (count == 4)
      at = math::TruncOp::create(s, placing.moveInside(s, at));
    taps.push_back(getTap(s, toIndex(s, at), placing.size, weight));
  }
  return taps;
}

/// The type in which an image's elements are weighted: the positions' type, or
/// the image's if that is a wider float.
static Type getWeightedType(Type type, Type placeType) {
  bool isWider = isa<FloatType>(type) && type.getIntOrFloatBitWidth() >
                                             placeType.getIntOrFloatBitWidth();
  return isWider ? type : placeType;
}

static LogicalResult legalizeGridSample(GridSampleOp op,
                                        KernelBuilder &kernel) {
  Type type = getNumberType(op.getResult()),
       gridType = getNumberType(op.getGrid());
  size_t count = llvm::StringSwitch<size_t>(op.getMethod())
                     .Case("nearest", 1)
                     .Case("bilinear", 2)
                     .Case("bicubic", 4)
                     .Default(0);
  StringRef layout = op.getLayout(), padding = op.getPaddingMode(),
            paddings[] = {"zeros", "border", "reflection"};
  if (!isa<FloatType>(gridType) || count == 0 ||
      (count == 4 && layout != "NCHW") ||
      (layout != "NCHW" && layout != "NCDHW") ||
      !llvm::is_contained(paddings, padding))
    return failure();
  Value image = kernel.getTensor(op.getData()),
        grid = kernel.getTensor(op.getGrid());
  Sizes from = kernel.getSizes(op.getData()),
        sizes = kernel.getSizes(op.getResult());
  int64_t rank = sizes.size();
  auto body = [&](ScalarBuilder &to, ValueRange) {
    ScalarBuilder s(to.getLoc(), to, getWeightedType(type, gridType)),
        of(to.getLoc(), to, gridType);
    SmallVector<Value> indices = getLoops(s, rank), at = indices;
    SmallVector<TappedDim> dims;
    for (int64_t dim : llvm::seq<int64_t>(2, rank)) {
      // The grid has the last dimension first.
      at[1] = s.index(rank - 1 - dim);
      Value point = of.load(tensor::ExtractOp::create(s, grid, at));
      Value size = getValueOrCreateConstantIndexOp(s, s.getLoc(), from[dim]);
      GridPlacing placing{padding, op.getAlignCorners(), size};
      dims.push_back({dim, getGridTaps(s, placing, count,
                                       of.convert(point, s.getElementType()))});
    }
    return s.convert(interpolate(s, image, indices, dims), type);
  };
  kernel.set(op.getResult(), kernel.map({}, sizes, type, body));
  return success();
}

/// Applies each matrix to the points of a grid from -1 to 1, and adds its last
/// column.
static LogicalResult legalizeAffineGrid(AffineGridOp op,
                                        KernelBuilder &kernel) {
  Type type = getNumberType(op.getResult());
  Sizes sizes = kernel.getSizes(op.getResult());
  int64_t spatial = int64_t(sizes.size()) - 2;
  SmallVector<double> starts, steps;
  for (OpFoldResult size : ArrayRef(sizes).drop_front(2)) {
    std::optional<int64_t> known = getConstantIntValue(size);
    // As TVM, which does not divide by zero.
    if (!known || *known <= op.getAlignCorners())
      return failure();
    starts.push_back(op.getAlignCorners() ? -1 : -1 + 1.0 / *known);
    steps.push_back(op.getAlignCorners() ? (2.0 - 1e-7) / (*known - 1)
                                         : 2.0 / *known);
  }
  if (!isa<FloatType>(type))
    return failure();
  Value matrices = kernel.getTensor(op.getData());
  auto body = [&](ScalarBuilder &s, ValueRange) {
    SmallVector<Value> loops = getLoops(s, sizes.size());
    auto load = [&](int64_t column) {
      return s.load(tensor::ExtractOp::create(
          s, matrices, ValueRange{loops[0], loops[1], s.index(column)}));
    };
    ScalarBuilder of(s.getLoc(), s, type);
    Value sum = load(spatial);
    for (int64_t dim : llvm::seq(spatial)) {
      Value at = s.fromIndex(loops[2 + dim]);
      at = s.multiply(at, s.number(steps[dim]));
      at = s.add(s.number(starts[dim]), at);
      sum = s.add(sum, s.multiply(load(spatial - 1 - dim), at));
    }
    return sum;
  };
  kernel.set(op.getResult(), kernel.map({}, sizes, type, body));
  return success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

namespace {
/// Regions of images.
struct Regions {
  Value images, rois;
  /// The number of images, and the sizes of each one.
  Value count, sizes[2];
  Type type;
  double scale;

  template <typename OpT>
  Regions(OpT op, KernelBuilder &kernel)
      : images(kernel.getTensor(op.getData())),
        rois(kernel.getTensor(op.getRois())), type(getNumberType(op.getRois())),
        scale(op.getSpatialScale().convertToDouble()) {
    Sizes from = kernel.getSizes(op.getData());
    count = kernel.toValue(from[0]);
    for (int64_t dim : llvm::seq(2))
      sizes[dim] =
          kernel.toValue(from[findDim(op.getLayout(), getSpatial(2)[dim])]);
  }

  Value load(ScalarBuilder &s, Value region, int64_t field) const {
    ScalarBuilder of(s.getLoc(), s, type);
    Value element =
        tensor::ExtractOp::create(s, rois, ValueRange{region, s.index(field)});
    return of.convert(of.load(element), s.getElementType());
  }
  Value getImage(ScalarBuilder &s, Value region) const {
    return clampIndex(s, toIndex(s, load(s, region, 0)), count);
  }
  /// Where a region begins or ends in spatial dimension `dim`. It has W first.
  Value getBorder(ScalarBuilder &s, Value region, int64_t dim,
                  bool isEnd) const {
    Value border = load(s, region, (isEnd ? 4 : 2) - dim);
    return s.multiply(border, s.number(scale));
  }
};

/// The points that are read in one dimension of a part of a region.
struct SampledDim {
  Value start, part, count;
};
} // namespace

/// Combines what `body` makes of all points from `starts` to before `ends`.
static Value reducePoints(
    ScalarBuilder &s, ValueRange starts, ValueRange ends, Value start,
    function_ref<Value(ScalarBuilder &, ValueRange at, Value sofar)> body) {
  SmallVector<Value> steps(starts.size(), s.index(1));
  return scf::buildLoopNest(s, s.getLoc(), starts, ends, steps, start,
                            [&](OpBuilder &builder, Location loc, ValueRange at,
                                ValueRange sofar) -> scf::ValueVector {
                              ScalarBuilder inner(loc, builder,
                                                  s.getElementType());
                              return {body(inner, at, sofar.front())};
                            })
      .results.front();
}

static SampledDim getSamples(ScalarBuilder &s, ROIAlignOp op,
                             const Regions &regions, Value region, int64_t dim,
                             Value at) {
  Value start = regions.getBorder(s, region, dim, /*isEnd=*/false);
  Value length =
      s.subtract(regions.getBorder(s, region, dim, /*isEnd=*/true), start);
  if (!op.getAligned())
    length = s.maximum(length, s.number(1));
  Value part = s.divide(length, s.number(op.getPooledSize()[dim]));
  int64_t ratio = op.getSampleRatio();
  Value count = s.index(ratio);
  if (ratio <= 0)
    count = clampToZero(s, toIndex(s, math::CeilOp::create(s, part)));
  return {s.add(start, s.multiply(s.fromIndex(at), part)), part, count};
}

/// The elements that point `at` reads in a dimension of `size` elements, and
/// whether it is outside.
static std::pair<SmallVector<Tap, 4>, Value>
getSampleTaps(ScalarBuilder &s, const SampledDim &dim, Value at, Value size) {
  Value number = s.fromIndex(at);
  Value step = s.multiply(s.add(number, s.number(0.5)), dim.part);
  Value place = s.add(dim.start, s.divide(step, s.fromIndex(dim.count)));
  Value extent = s.fromIndex(size);
  Value isBefore = s.less(place, s.number(-1));
  Value isOutside = s.bitOr(isBefore, s.greater(place, extent));
  place = limitPlace(s, place, extent);
  Value floor = math::FloorOp::create(s, place);
  SmallVector<Value> weights =
      getWeights(s, 2, s.subtract(place, floor), /*alpha=*/0);
  Value first = toIndex(s, floor),
        last = toIndex(s, math::CeilOp::create(s, place));
  SmallVector<Tap, 4> taps = {{clampIndex(s, first, size), weights[0], nullptr},
                              {clampIndex(s, last, size), weights[1], nullptr}};
  return {taps, isOutside};
}

static LogicalResult legalizeROIAlign(ROIAlignOp op, KernelBuilder &kernel) {
  Type type = getNumberType(op.getResult());
  StringRef layout = op.getLayout(), spatial = getSpatial(2);
  Regions regions(op, kernel);
  if (!isa<FloatType>(type) || !isa<FloatType>(regions.type))
    return failure();
  bool isMax = op.getMode() == "max";
  Sizes sizes = kernel.getSizes(op.getResult());
  auto body = [&](ScalarBuilder &to, ValueRange) {
    ScalarBuilder s(to.getLoc(), to, getWeightedType(type, regions.type));
    SmallVector<Value> loops = getLoops(s, sizes.size()), ends;
    SmallVector<Value> starts(2, s.index(0));
    SmallVector<SampledDim> dims;
    for (auto [dim, letter] : llvm::enumerate(spatial)) {
      dims.push_back(getSamples(s, op, regions, loops[0], dim,
                                loops[findDim(layout, letter)]));
      ends.push_back(dims.back().count);
    }
    Value rows = s.fromIndex(ends[0]);
    Value count = s.multiply(rows, s.fromIndex(ends[1]));
    Value image = regions.getImage(s, loops[0]);
    auto addPoint = [&](ScalarBuilder &s, ValueRange at, Value sofar) {
      SmallVector<Value> indices(loops);
      indices[0] = image;
      SmallVector<TappedDim> tapped;
      Value isOutside;
      for (auto [dim, letter] : llvm::enumerate(spatial)) {
        auto [taps, isHere] =
            getSampleTaps(s, dims[dim], at[dim], regions.sizes[dim]);
        tapped.push_back({findDim(layout, letter), taps});
        isOutside = isOutside ? s.bitOr(isOutside, isHere) : isHere;
      }
      Value number = interpolate(s, regions.images, indices, tapped);
      number = s.select(isOutside, s.number(0), number);
      return isMax ? s.maximum(sofar, number)
                   : s.add(sofar, s.divide(number, count));
    };
    Value start = isMax ? s.least() : s.number(0);
    Value number = reducePoints(s, starts, ends, start, addPoint);
    // A part without points.
    if (isMax) {
      Value zero = s.number(0);
      number = s.select(s.greater(count, zero), number, zero);
    }
    return s.convert(number, type);
  };
  kernel.set(op.getResult(), kernel.map({}, sizes, type, body));
  return success();
}

/// The elements of one part of a region, from the first to before the last one,
/// in spatial dimension `dim`.
static std::pair<Value, Value> getPart(ScalarBuilder &s, ROIPoolOp op,
                                       const Regions &regions, Value region,
                                       int64_t dim, Value at) {
  Value one = s.number(1), half = s.number(0.5);
  auto getBorder = [&](bool isEnd) -> Value {
    Value border = regions.getBorder(s, region, dim, isEnd);
    return math::FloorOp::create(s, s.add(border, half));
  };
  Value start = getBorder(/*isEnd=*/false), last = getBorder(/*isEnd=*/true);
  Value length = s.maximum(s.add(s.subtract(last, start), one), one);
  Value part = s.divide(length, s.number(op.getPooledSize()[dim]));
  Value first = s.multiply(s.fromIndex(at), part),
        end = s.multiply(s.add(s.fromIndex(at), one), part);
  auto limit = [&](Value place) -> Value {
    Value index = toIndex(s, s.add(place, start));
    return arith::MinSIOp::create(s, clampToZero(s, index), regions.sizes[dim]);
  };
  Value begin = limit(math::FloorOp::create(s, first));
  return {begin, limit(math::CeilOp::create(s, end))};
}

static LogicalResult legalizeROIPool(ROIPoolOp op, KernelBuilder &kernel) {
  Type type = getNumberType(op.getResult());
  Regions regions(op, kernel);
  if (type.isInteger(1) || !isa<FloatType>(regions.type))
    return failure();
  Sizes sizes = kernel.getSizes(op.getResult());
  auto body = [&](ScalarBuilder &to, ValueRange) {
    ScalarBuilder s(to.getLoc(), to, type), of(to.getLoc(), to, regions.type);
    SmallVector<Value> loops = getLoops(s, sizes.size()), starts, ends;
    Value isEmpty;
    for (int64_t dim : llvm::seq(2)) {
      auto [start, end] =
          getPart(of, op, regions, loops[0], dim, loops[2 + dim]);
      starts.push_back(start);
      ends.push_back(end);
      Value isHere =
          arith::CmpIOp::create(s, arith::CmpIPredicate::sle, end, start);
      isEmpty = isEmpty ? s.bitOr(isEmpty, isHere) : isHere;
    }
    Value image = regions.getImage(of, loops[0]);
    Value most = reducePoints(
        s, starts, ends, s.least(),
        [&](ScalarBuilder &s, ValueRange at, Value sofar) {
          Value element = tensor::ExtractOp::create(
              s, regions.images, ValueRange{image, loops[1], at[0], at[1]});
          return s.maximum(sofar, s.load(element));
        });
    return s.select(isEmpty, s.integer(0), most);
  };
  kernel.set(op.getResult(), kernel.map({}, sizes, type, body));
  return success();
}

void partita::relax::attachImages(MLIRContext *context) {
  attach<&legalizeResize<Resize2DOp>, Resize2DOp>(context);
  attach<&legalizeResize<Resize3DOp>, Resize3DOp>(context);
  attach<&legalizeGridSample, GridSampleOp>(context);
  attach<&legalizeAffineGrid, AffineGridOp>(context);
  attach<&legalizeROIAlign, ROIAlignOp>(context);
  attach<&legalizeROIPool, ROIPoolOp>(context);
}
