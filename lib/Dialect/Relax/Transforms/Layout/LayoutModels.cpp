//===- LayoutModels.cpp - On which layouts ops compute --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule for each kind of op, and at the end the ops of each kind. A rule that
// fails leaves the op in the layouts of the program.
//
//===----------------------------------------------------------------------===//

#include "../Utils.h"

#include "partita/Dialect/Relax/Transforms/LayoutInterfaces.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace partita::relax;

#include "partita/Dialect/Relax/Transforms/LayoutInterfaces.cpp.inc"

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

template <typename OpT>
static LogicalResult layOutUnary(OpT, LayoutInference &layouts) {
  layouts.take(0, layouts.get(0));
  layouts.giveAll(layouts.get(0));
  return success();
}

static LogicalResult layOutAllGather(AllGatherOp op, LayoutInference &layouts) {
  // The results of all workers are joined in the first dimension.
  const Layout &layout = layouts.get(0);
  bool isFirst = layout.getRank() && layout.getAxes().front() == LayoutAxis{0};
  return isFirst && !layout.isSplit(0) ? layOutUnary(op, layouts) : failure();
}

/// The layout of a tensor of rank `rank` to which one in `layout` broadcasts.
static Layout broadcastLayout(const Layout &layout, int64_t rank) {
  int64_t numNew = rank - layout.getRank();
  SmallVector<LayoutAxis> axes(Layout::getInitial(numNew).getAxes());
  for (const LayoutAxis &axis : layout.getAxes())
    axes.push_back({axis.dim + numNew});
  return Layout(axes);
}

template <typename OpT>
static LogicalResult layOutBinary(OpT, LayoutInference &layouts) {
  unsigned low = layouts.getRank(0) <= layouts.getRank(1) ? 0 : 1, high = !low;
  auto accept = [&](const Layout &lowLayout, const Layout &highLayout) {
    if (layouts.getRank(low) == 0)
      layouts.takeAsIs(low);
    else
      layouts.take(low, lowLayout);
    layouts.take(high, highLayout);
    layouts.give(0, highLayout);
    return success();
  };
  Layout a = layouts.get(low), b = layouts.get(high);
  if (layouts.getRank(low) == 0)
    return accept(a, b);
  if (layouts.getRank(low) == layouts.getRank(high) &&
      !(a.isPlain() && b.isPlain())) {
    Layout split = layouts.get(0).getRank() >= layouts.get(1).getRank()
                       ? layouts.get(0)
                       : layouts.get(1);
    if (layouts.canTake(0, split) && layouts.canTake(1, split))
      return accept(split, split);
  }
  if (!a.isPlain())
    return failure();
  return accept(a, broadcastLayout(a, layouts.getRank(high)));
}

static LogicalResult layOutFMA(EwiseFMAOp, LayoutInference &layouts) {
  const Layout &layout =
      layouts.get(1) == layouts.get(2) ? layouts.get(1) : layouts.get(0);
  for (unsigned operand : {0, 1, 2})
    if (layouts.canTake(operand, layout))
      layouts.take(operand, layout);
    else
      return failure();
  layouts.give(0, layout);
  return success();
}

//===----------------------------------------------------------------------===//
// Ops with layouts of their own
//===----------------------------------------------------------------------===//

template <typename OpT>
static LogicalResult layOutConv(OpT op, LayoutInference &layouts) {
  StringRef data = op.getDataLayout(), kernel = op.getKernelLayout(),
            out = op.getOutLayout();
  if (!arePlainLayouts({data, kernel, out}))
    return failure();
  Layout x = layouts.get(0), weight = layouts.get(1), result = x;
  if (layouts.isDesired()) {
    std::optional<Layout> desired[] = {layouts.getDesired(0, data),
                                       layouts.getDesired(1, kernel),
                                       layouts.getDesired(2, out)};
    if (layouts.isWrong)
      return failure();
    x = *desired[0];
    weight = *desired[1];
    result = *desired[2];
  } else if (!x.isPlain() || !weight.isPlain()) {
    return failure();
  }
  if (!layouts.canTake(0, x) || !layouts.canTake(1, weight))
    return failure();
  layouts.take(0, x);
  layouts.take(1, weight);
  layouts.give(0, result);
  Builder builder(op.getContext());
  auto set = [&](StringAttr name, const Layout &layout, StringRef letters) {
    layouts.setAttr(name, builder.getStringAttr(layout.toString(letters)));
  };
  set(op.getDataLayoutAttrName(), x, data);
  set(op.getKernelLayoutAttrName(), weight, kernel);
  set(op.getOutLayoutAttrName(), result, out);
  return success();
}

template <typename OpT>
static LogicalResult layOutPool(OpT op, LayoutInference &layouts) {
  StringRef data = op.getLayout(), out = op.getOutLayout();
  if (!arePlainLayouts({data, out}))
    return failure();
  const Layout &layout = layouts.get(0);
  // A window is in one dimension, and the channels are at one place.
  if (!layout.isPlain() &&
      (data != out || layout.isReduced() ||
       llvm::any_of(layout.getAxes(), [&](const LayoutAxis &axis) {
         return axis.factor && !StringRef("NC").contains(data[axis.dim]);
       })))
    return failure();
  layouts.take(0, layout);
  layouts.give(0, layout);
  Builder builder(op.getContext());
  layouts.setAttr(op.getLayoutAttrName(),
                  builder.getStringAttr(layout.toString(data)));
  layouts.setAttr(op.getOutLayoutAttrName(),
                  builder.getStringAttr(layout.toString(out)));
  return success();
}

template <typename OpT>
static LogicalResult layOutResize(OpT op, LayoutInference &layouts) {
  StringRef data = op.getLayout();
  if (!arePlainLayouts(data))
    return failure();
  Layout layout = layouts.getPlain(0);
  if (layouts.isDesired()) {
    std::optional<Layout> desired = layouts.getDesired(0, data);
    if (!desired || !desired->isPlain())
      return failure();
    layout = *desired;
  }
  layouts.take(0, layout);
  layouts.give(0, layout);
  layouts.setAttr(op.getLayoutAttrName(),
                  StringAttr::get(op.getContext(), layout.toString(data)));
  return success();
}

//===----------------------------------------------------------------------===//
// Ops along axes
//===----------------------------------------------------------------------===//

/// An op that gives what it takes first, and has one axis.
template <typename OpT>
static LogicalResult layOutAlong(OpT op, LayoutInference &layouts) {
  Layout layout = layouts.getPlain(0);
  layouts.take(0, layout);
  layouts.give(0, layout);
  int64_t axis = fromFront(op.getAxis(), layout.getRank());
  layouts.setAxis(op.getAxisAttrName(), layout.find(axis));
  return success();
}

/// The places of `axes`, which are dimensions of a tensor in `layout`.
static SmallVector<int64_t> findAxes(const Layout &layout, int64_t rank,
                                     ArrayRef<int64_t> axes) {
  return llvm::map_to_vector(
      axes, [&](int64_t axis) { return layout.find(fromFront(axis, rank)); });
}

template <typename OpT>
static LogicalResult layOutNorm(OpT op, LayoutInference &layouts) {
  constexpr bool hasChannels =
      llvm::is_one_of<OpT, GroupNormOp, InstanceNormOp>::value;
  int64_t rank = layouts.getRank(0);
  SmallVector<int64_t> axes(op.getAxes());
  if constexpr (hasChannels)
    axes.push_back(op.getChannelAxis());
  Layout layout = layouts.get(0);
  // An op takes the gamma of a dimension as a whole.
  if (layout.isReduced() || llvm::any_of(axes, [&](int64_t axis) {
        return layout.isSplit(fromFront(axis, rank));
      }))
    layout = Layout::getInitial(rank);
  SmallVector<int64_t> places = findAxes(layout, rank, axes);
  layouts.take(0, layout);
  layouts.give(0, layout);
  if constexpr (hasChannels)
    layouts.setAxis(op.getChannelAxisAttrName(), places.pop_back_val());
  layouts.setAxes(op.getAxesAttrName(), places);
  return success();
}

template <typename OpT>
static LogicalResult layOutReduction(OpT op, LayoutInference &layouts) {
  int64_t rank = layouts.getRank(0);
  std::optional<ArrayRef<int64_t>> reduced = op.getAxis();
  llvm::SmallBitVector isReduced(rank, !reduced);
  for (int64_t axis : reduced.value_or(ArrayRef<int64_t>()))
    isReduced.set(fromFront(axis, rank));
  SmallVector<int64_t> places, newDims(rank);
  for (int64_t dim = 1; dim < rank; ++dim)
    newDims[dim] = newDims[dim - 1] + !isReduced[dim - 1];
  const Layout &layout = layouts.get(0);
  SmallVector<LayoutAxis> axes;
  for (auto [place, axis] : llvm::enumerate(layout.getAxes())) {
    LayoutAxis result = axis;
    if (isReduced[axis.dim]) {
      places.push_back(place);
      if (!op.getKeepdims())
        continue;
      result.isReduced = layout.isSplit(axis.dim);
    } else if (!op.getKeepdims()) {
      result.dim = newDims[axis.dim];
    }
    axes.push_back(result);
  }
  layouts.take(0, layout);
  layouts.give(0, Layout(axes));
  layouts.setAxes(op.getAxisAttrName(), places);
  return success();
}

//===----------------------------------------------------------------------===//
// Ops that move elements
//===----------------------------------------------------------------------===//

static LogicalResult layOutPermuteDims(PermuteDimsOp op,
                                       LayoutInference &layouts) {
  Layout layout = layouts.getPlain(0);
  SmallVector<int64_t> axes;
  if (op.getAxes()) {
    axes = findAxes(layout, layout.getRank(), *op.getAxes());
  } else {
    for (int64_t dim = layout.getRank(); dim-- > 0;)
      axes.push_back(layout.find(dim));
  }
  layouts.take(0, layout);
  layouts.setAxes(op.getAxesAttrName(), axes);
  return success();
}

static LogicalResult layOutExpandDims(ExpandDimsOp op,
                                      LayoutInference &layouts) {
  Layout layout = layouts.getPlain(0);
  int64_t rank = layout.getRank() + op.getAxis().size();
  llvm::SmallBitVector isNew(rank);
  for (int64_t axis : op.getAxis())
    isNew.set(fromFront(axis, rank));
  SmallVector<int64_t> kept;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!isNew[dim])
      kept.push_back(dim);
  // New dimensions stay where they are, others move among themselves.
  SmallVector<LayoutAxis> axes;
  const LayoutAxis *next = layout.getAxes().begin();
  for (int64_t dim = 0; dim < rank; ++dim)
    axes.push_back({isNew[dim] ? dim : kept[(next++)->dim]});
  layouts.take(0, layout);
  layouts.give(0, Layout(axes));
  return success();
}

static LogicalResult layOutSqueeze(SqueezeOp op, LayoutInference &layouts) {
  std::optional<TensorInfo> info = TensorInfo::get(layouts.getType(0)),
                            after = TensorInfo::get(op.getType());
  int64_t rank = info->getRank();
  std::optional<ArrayRef<int64_t>> gone = op.getAxis();
  llvm::SmallBitVector isGone(rank, !gone);
  for (int64_t axis : gone.value_or(ArrayRef<int64_t>()))
    isGone.set(fromFront(axis, rank));
  // As in TVM an axis stays whose size is another number.
  for (int64_t dim = 0; dim < rank; ++dim)
    if (gone ? info->dims[dim].isNumber() && info->dims[dim] != Dim(1)
             : info->dims[dim] != Dim(1))
      isGone.reset(dim);
  if (!after->isRanked || after->getRank() + int64_t(isGone.count()) != rank ||
      after->lacksShape)
    return failure();
  Layout layout = layouts.getPlain(0);
  SmallVector<int64_t> places, newDims(rank);
  for (int64_t dim = 1; dim < rank; ++dim)
    newDims[dim] = newDims[dim - 1] + !isGone[dim - 1];
  SmallVector<LayoutAxis> axes;
  for (auto [place, axis] : llvm::enumerate(layout.getAxes()))
    if (isGone[axis.dim])
      places.push_back(place);
    else
      axes.push_back({newDims[axis.dim]});
  layouts.take(0, layout);
  layouts.give(0, Layout(axes));
  layouts.setAxes(op.getAxisAttrName(), places);
  return success();
}

/// The layouts of the tensors that `layouts.op` joins.
static SmallVector<Layout> getJoined(LayoutInference &layouts) {
  SmallVector<Layout> joined;
  for (const Layouts &operand : layouts.getAll())
    joined.append(operand.begin(), operand.end());
  return joined;
}

static void takeAll(LayoutInference &layouts, const Layout &layout) {
  for (unsigned operand = 0; operand < layouts.getAll().size(); ++operand)
    layouts.take(operand, layout);
}

static LogicalResult layOutConcat(ConcatOp op, LayoutInference &layouts) {
  SmallVector<Layout> joined = getJoined(layouts);
  if (joined.empty())
    return failure();
  // Split dimensions are joined if all are.
  const Layout *layout = joined.begin();
  auto isPlain = [](const Layout &layout) { return layout.isPlain(); };
  if (!llvm::all_of(joined, isPlain))
    layout = llvm::find_if(joined, isPlain);
  if (layout == joined.end()) {
    layout = joined.begin();
    if (!llvm::all_equal(joined) || layout->isReduced())
      return failure();
  }
  takeAll(layouts, *layout);
  layouts.give(0, *layout);
  int64_t rank = TensorInfo::get(op.getType())->getRank();
  layouts.setAxis(op.getAxisAttrName(),
                  layout->find(fromFront(op.getAxis().value_or(0), rank)));
  return success();
}

static LogicalResult layOutStack(StackOp op, LayoutInference &layouts) {
  SmallVector<Layout> joined = getJoined(layouts);
  if (joined.empty() || !joined.front().isPlain())
    return failure();
  const Layout &layout = joined.front();
  int64_t axis = fromFront(op.getAxis().value_or(0), layout.getRank() + 1);
  // The new dimension stays where it is.
  SmallVector<LayoutAxis> axes;
  for (const LayoutAxis &old : layout.getAxes())
    axes.push_back({old.dim + (old.dim >= axis)});
  axes.insert(axes.begin() + axis, LayoutAxis{axis});
  takeAll(layouts, layout);
  layouts.give(0, Layout(axes));
  layouts.setAxis(op.getAxisAttrName(), axis);
  return success();
}

static LogicalResult layOutSplit(SplitOp op, LayoutInference &layouts) {
  int64_t rank = layouts.getRank(0), axis = fromFront(op.getAxis(), rank);
  Layout layout = layouts.get(0);
  if (layout.isReduced() || !llvm::all_of(op.getResultTypes(), [&](Type type) {
        return fits(type, layout);
      }))
    layout = Layout::getInitial(rank);
  auto indices = dyn_cast<DenseI64ArrayAttr>(op.getIndicesOrSections());
  if (layout.isSplit(axis) && indices) {
    int64_t factor = 0;
    for (const LayoutAxis &part : layout.getAxes())
      if (part.dim == axis)
        factor = std::max(factor, part.factor);
    // Where all parts fit, these are multiples, unless they are out of bounds.
    SmallVector<int64_t> inner;
    for (int64_t index : indices.asArrayRef())
      if (index < 0 || index % factor != 0)
        return failure();
      else
        inner.push_back(index / factor);
    layouts.setAxes(op.getIndicesOrSectionsAttrName(), inner);
  }
  layouts.take(0, layout);
  layouts.giveAll(layout);
  layouts.setAxis(op.getAxisAttrName(), layout.find(axis));
  return success();
}

static LogicalResult layOutRepeat(RepeatOp op, LayoutInference &layouts) {
  // Without an axis, the elements are in their order in the program.
  if (!op.getAxis())
    return failure();
  Layout layout = layouts.getPlain(0);
  layouts.take(0, layout);
  layouts.give(0, layout);
  int64_t axis = fromFront(*op.getAxis(), layout.getRank());
  layouts.setAxis(op.getAxisAttrName(), layout.find(axis));
  return success();
}

static LogicalResult layOutTile(TileOp op, LayoutInference &layouts) {
  Layout layout = layouts.getPlain(0);
  int64_t rank = layout.getRank(), count = op.getRepeats().size();
  SmallVector<int64_t> repeats(op.getRepeats());
  // The numbers are for the last dimensions.
  repeats.insert(repeats.begin(), std::max<int64_t>(rank - count, 0), 1);
  int64_t numNew = repeats.size() - rank;
  SmallVector<int64_t> moved(repeats.begin(), repeats.begin() + numNew);
  for (const LayoutAxis &axis : layout.getAxes())
    moved.push_back(repeats[axis.dim + numNew]);
  layouts.take(0, layout);
  layouts.give(0, broadcastLayout(layout, repeats.size()));
  layouts.setAxes(op.getRepeatsAttrName(), moved);
  return success();
}

static LogicalResult layOutStridedSlice(StridedSliceOp op,
                                        LayoutInference &layouts) {
  auto axes = op.getAxes().getDefiningOp<TupleOp>();
  if (!axes)
    return failure();
  Layout layout = layouts.getPlain(0);
  SmallVector<int64_t> places;
  bool isSame = true;
  for (Value field : axes.getFields()) {
    std::optional<int64_t> axis = getConstantIntValue(field);
    int64_t rank = layout.getRank();
    if (!axis || *axis < -rank || *axis >= rank)
      return failure();
    places.push_back(layout.find(fromFront(*axis, rank)));
    isSame &= places.back() == *axis;
  }
  layouts.take(0, layout);
  layouts.give(0, layout);
  if (!isSame)
    layouts.setNumbers(1, places);
  return success();
}

template <typename OpT>
static LogicalResult layOutElements(OpT op, LayoutInference &layouts) {
  Layout layout = layouts.get(0);
  if constexpr (std::is_same_v<OpT, ScatterElementsOp>) {
    if (layouts.get(1) == layouts.get(2))
      layout = layouts.get(1);
  } else if (layout.isInitial()) {
    layout = layouts.get(1);
  }
  if (!layout.isPlain())
    layout = Layout::getInitial(layouts.getRank(0));
  takeAll(layouts, layout);
  layouts.give(0, layout);
  int64_t axis = fromFront(op.getAxis(), layout.getRank());
  layouts.setAxis(op.getAxisAttrName(), layout.find(axis));
  return success();
}

//===----------------------------------------------------------------------===//
// The kinds of ops
//===----------------------------------------------------------------------===//

namespace {
template <auto fn, typename OpT>
struct LayoutModel
    : LayoutOpInterface::ExternalModel<LayoutModel<fn, OpT>, OpT> {
  LogicalResult inferLayouts(Operation *op, LayoutInference &layouts) const {
    return fn(cast<OpT>(op), layouts);
  }
};

/// Gives ops their rules.
struct LayoutAttacher {
  MLIRContext *context;

  template <auto fn, typename OpT>
  void attach() const {
    OpT::template attachInterface<LayoutModel<fn, OpT>>(*context);
  }
  template <typename... OpTs>
  void unary() const {
    (attach<&layOutUnary<OpTs>, OpTs>(), ...);
  }
  template <typename... OpTs>
  void binary() const {
    (attach<&layOutBinary<OpTs>, OpTs>(), ...);
  }
  template <typename... OpTs>
  void conv() const {
    (attach<&layOutConv<OpTs>, OpTs>(), ...);
  }
  template <typename... OpTs>
  void pool() const {
    (attach<&layOutPool<OpTs>, OpTs>(), ...);
  }
  template <typename... OpTs>
  void along() const {
    (attach<&layOutAlong<OpTs>, OpTs>(), ...);
  }
  template <typename... OpTs>
  void norm() const {
    (attach<&layOutNorm<OpTs>, OpTs>(), ...);
  }
  template <typename... OpTs>
  void reduction() const {
    (attach<&layOutReduction<OpTs>, OpTs>(), ...);
  }
};
} // namespace

static void attachLayouts(MLIRContext *context, RelaxDialect *) {
  LayoutAttacher ops{context};
  ops.unary<AbsOp, AcosOp, AcoshOp, AllReduceOp, AsinOp, AsinhOp, AstypeOp,
            AtanOp, AtanhOp, BitwiseNotOp, BroadcastFromWorker0Op, CeilOp,
            CosOp, CoshOp, DropoutOp, ErfOp, ExpOp, FloorOp, GeluOp, GeluTanhOp,
            IsFiniteOp, IsInfOp, IsNanOp, LogOp, LogicalNotOp, NegativeOp,
            ReluOp, RoundOp, RsqrtOp, SeluOp, SigmoidOp, SignOp, SiluOp, SinOp,
            SinhOp, SqrtOp, SquareOp, TanOp, TanhOp, TruncOp>();
  ops.binary<AddOp, Atan2Op, BitwiseAndOp, BitwiseOrOp, BitwiseXorOp, DivideOp,
             EqualOp, FloorDivideOp, FloorModOp, GreaterEqualOp, GreaterOp,
             LeftShiftOp, LessEqualOp, LessOp, LogAddExpOp, LogicalAndOp,
             LogicalOrOp, LogicalXorOp, MaximumOp, MinimumOp, ModOp, MultiplyOp,
             NotEqualOp, PowerOp, RightShiftOp, SubtractOp>();
  ops.conv<Conv1DOp, Conv2DOp, Conv3DOp, Conv1DTransposeOp, Conv2DTransposeOp,
           Conv3DTransposeOp>();
  ops.pool<AvgPool1DOp, AvgPool2DOp, AvgPool3DOp, MaxPool1DOp, MaxPool2DOp,
           MaxPool3DOp, AdaptiveAvgPool1DOp, AdaptiveAvgPool2DOp,
           AdaptiveAvgPool3DOp>();
  // The parameters of these stay as they are in the program.
  ops.along<BatchNormOp, FlipOp, PReluOp, SoftmaxOp>();
  ops.norm<LayerNormOp, GroupNormOp, InstanceNormOp, RMSNormOp>();
  ops.reduction<MaxOp, MeanOp, MinOp, ProdOp, StdOp, SumOp, VarianceOp>();
  ops.attach<&layOutResize<Resize2DOp>, Resize2DOp>();
  ops.attach<&layOutResize<Resize3DOp>, Resize3DOp>();
  ops.attach<&layOutElements<GatherElementsOp>, GatherElementsOp>();
  ops.attach<&layOutElements<ScatterElementsOp>, ScatterElementsOp>();
  ops.attach<&layOutAllGather, AllGatherOp>();
  ops.attach<&layOutConcat, ConcatOp>();
  ops.attach<&layOutExpandDims, ExpandDimsOp>();
  ops.attach<&layOutFMA, EwiseFMAOp>();
  ops.attach<&layOutPermuteDims, PermuteDimsOp>();
  ops.attach<&layOutRepeat, RepeatOp>();
  ops.attach<&layOutSplit, SplitOp>();
  ops.attach<&layOutSqueeze, SqueezeOp>();
  ops.attach<&layOutStack, StackOp>();
  ops.attach<&layOutStridedSlice, StridedSliceOp>();
  ops.attach<&layOutTile, TileOp>();
}

void partita::relax::registerLayoutModels(DialectRegistry &registry) {
  registry.insert<RelaxDialect>();
  registry.addExtension(attachLayouts);
}
