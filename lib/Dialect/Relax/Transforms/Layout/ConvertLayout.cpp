//===- ConvertLayout.cpp - Let convolutions compute in other layouts ------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk forward through each dataflow block. It knows the layout of each
// value that has another one than in the program. On which layouts an op
// computes, its LayoutOpInterface says: see LayoutModels.cpp.
//
//===----------------------------------------------------------------------===//

#include "../NarrowTypes.h"
#include "Utils.h"

#include "partita/Dialect/Relax/Transforms/LayoutInterfaces.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "llvm/ADT/StringMap.h"

namespace partita::relax {
#define GEN_PASS_DEF_CONVERTLAYOUT
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita::relax;

/// An op's own desired layouts.
static constexpr llvm::StringLiteral desiredAttrName = "relax.desired_layouts";

namespace {
struct ConvertLayout : partita::relax::impl::ConvertLayoutBase<ConvertLayout> {
  using ConvertLayoutBase::ConvertLayoutBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerLayoutModels(registry);
  }

  void runOnOperation() override;

private:
  /// What is known of a value in another layout than the program's.
  struct Known {
    Layouts layouts;
    /// The type that the program has.
    Type type;
  };

  LogicalResult readOptions();
  Layouts getLayouts(Value value) const;
  Type getType(Value value) const {
    auto it = known.find(value);
    return it == known.end() ? value.getType() : it->second.type;
  }
  void remember(Value value, ArrayRef<Layout> layouts, Type type);

  Value convert(OpBuilder &builder, Location loc, Value value,
                ArrayRef<Layout> to);
  Value convertTensor(OpBuilder &builder, Location loc, Value tensor,
                      const Layout &to);
  Value restore(OpBuilder &builder, Location loc, Value value);

  void restoreOperands(Operation *op);
  void restoreOutputs(Operation *op);
  LogicalResult inferLayouts(Operation *op, LayoutInference &layouts);
  LogicalResult layOutStructure(Operation *op);
  LogicalResult layOutCast(MatchCastOp cast);
  LogicalResult layOut(Operation *op);
  bool apply(Operation *op, const LayoutInference &layouts);

  llvm::StringMap<SmallVector<std::string>> desired;
  DenseMap<Value, Known> known;
  /// Ops that do not take operands of the types that these turn out to have.
  DenseSet<Operation *> invalid;
  /// Tuples that were taken apart.
  SetVector<Value> opened;
  SmallVector<WholeOutput> wholeOutputs;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The layout that the program has of a tensor of type `type`, and an empty one
/// of others.
static Layout getInitialLayout(Type type) {
  std::optional<TensorInfo> info = TensorInfo::get(type);
  return Layout::getInitial(info && info->isRanked ? info->getRank() : 0);
}

/// The type that `type` is in another layout.
static Type getTypeIn(Type type, const Layout &layout) {
  if (layout.isInitial() || !fits(type, layout))
    return type;
  TensorInfo info = *TensorInfo::get(type);
  SmallVector<Dim> sizes(info.dims);
  for (const LayoutAxis &axis : layout.getAxes())
    if (axis.factor && !axis.isReduced)
      sizes[axis.dim] = Dim(sizes[axis.dim].getSize() / axis.factor);
  info.shape = {};
  info.setDims(
      llvm::map_to_vector(layout.getAxes(), [&](const LayoutAxis &axis) {
        return axis.factor && !axis.isReduced ? Dim(axis.factor)
                                              : sizes[axis.dim];
      }));
  return info.getType(type.getContext());
}

/// Whether a value that has type `type` in the program, and that need not be a
/// tensor, can be in `layout`.
static bool canHave(Type type, const Layout &layout) {
  return fits(type, layout) &&
         getInitialLayout(type).getRank() == layout.getProgramRank();
}

/// The type of a value in `layout` that has type `type` in the program, which
/// can know more of the sizes than `inferred`, or write them in another way.
static Type refine(Type inferred, Type type, const Layout &layout) {
  Type known = getTypeIn(type, layout);
  bool knowsLess =
      isMoreGeneral(known, inferred) && !isMoreGeneral(inferred, known);
  return areCompatible(inferred, known) && !knowsLess ? known : inferred;
}

Layouts ConvertLayout::getLayouts(Value value) const {
  auto it = known.find(value);
  if (it != known.end())
    return it->second.layouts;
  SmallVector<Type> leaves;
  appendLeaves(value.getType(), leaves);
  return Layouts(llvm::map_range(leaves, getInitialLayout));
}

void ConvertLayout::remember(Value value, ArrayRef<Layout> layouts, Type type) {
  if (!llvm::all_of(layouts,
                    [](const Layout &layout) { return layout.isInitial(); }))
    known[value] = {Layouts(layouts), type};
}

Value ConvertLayout::convertTensor(OpBuilder &builder, Location loc,
                                   Value tensor, const Layout &to) {
  Layout from = getLayouts(tensor).front();
  if (from == to)
    return tensor;
  SmallVector<int64_t> places;
  for (const LayoutAxis &axis : to.getAxes())
    places.push_back(llvm::find(from.getAxes(), axis) - from.getAxes().begin());
  Type type = getType(tensor);
  Value result;
  if (from.getRank() == to.getRank() &&
      !llvm::is_contained(places, from.getRank()))
    result = PermuteDimsOp::create(builder, loc, tensor,
                                   builder.getDenseI64ArrayAttr(places));
  else
    result = LayoutTransformOp::create(
        builder, loc, tensor, getIndexMap(builder.getContext(), from, to),
        /*pad_value=*/Attribute());
  ++numTransforms;
  result.setType(refine(result.getType(), type, to));
  remember(result, to, type);
  return result;
}

Value ConvertLayout::convert(OpBuilder &builder, Location loc, Value value,
                             ArrayRef<Layout> to) {
  if (!isa<TupleType>(value.getType()))
    return convertTensor(builder, loc, value, to.front());
  ArrayRef<Layout> all = to;
  Layouts from = getLayouts(value);
  if (ArrayRef<Layout>(from) == to)
    return value;
  if (value.getDefiningOp<TupleOp>())
    opened.insert(value);
  ArrayRef<Layout> rest = from;
  SmallVector<Value> fields;
  for (auto [index, type] :
       llvm::enumerate(cast<TupleType>(getType(value)).getTypes())) {
    SmallVector<Type> leaves;
    appendLeaves(type, leaves);
    Value field = createField(builder, loc, value, index);
    if (!known.contains(field))
      remember(field, rest.take_front(leaves.size()), type);
    fields.push_back(
        convert(builder, loc, field, to.take_front(leaves.size())));
    rest = rest.drop_front(leaves.size());
    to = to.drop_front(leaves.size());
  }
  Value tuple = TupleOp::create(builder, loc, fields);
  remember(tuple, all, getType(value));
  return tuple;
}

Value ConvertLayout::restore(OpBuilder &builder, Location loc, Value value) {
  auto it = known.find(value);
  if (it == known.end())
    return value;
  return convert(
      builder, loc, value,
      Layouts(llvm::map_range(it->second.layouts, [](const Layout &layout) {
        return Layout::getInitial(layout.getProgramRank());
      })));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Lets `op`, and the ops in it, take values in the layouts of the program.
void ConvertLayout::restoreOperands(Operation *op) {
  OpBuilder builder(op);
  Location loc = withoutName(op->getLoc());
  auto isKnown = [&](Value value) { return known.contains(value); };
  if (auto alias = dyn_cast<AliasOp>(op); alias && isKnown(alias.getValue())) {
    // The new op has the name.
    Value value = restore(builder, alias.getLoc(), alias.getValue());
    alias.getResult().replaceAllUsesWith(value);
    return alias.erase();
  }
  if (isa<TupleOp>(op) && llvm::any_of(op->getOperands(), isKnown))
    for (OpOperand &operand : op->getOpOperands()) {
      Value before = operand.get();
      operand.set(createField(builder, loc, before));
      if (operand.get() != before)
        remember(operand.get(), getLayouts(before), getType(before));
      operand.set(restore(builder, loc, operand.get()));
    }
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      operand.set(restore(builder, loc, operand.get()));
  });
}

/// Converts results of `op` that leave the block to the layouts of the program.
void ConvertLayout::restoreOutputs(Operation *op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Location loc = withoutName(op->getLoc());
  auto isConverted = [&](Value result) {
    return known.contains(result) && leavesBlock(result);
  };
  if (llvm::none_of(op->getResults(), isConverted))
    return;
  std::optional<unsigned> whole = findWholeOutput(op);
  WholeOutput output;
  for (Value result : op->getResults()) {
    if (!whole && !isConverted(result))
      continue;
    SmallVector<OpOperand *> uses(llvm::make_pointer_range(result.getUses()));
    Type type = getType(result);
    Value field = result;
    // TVM has a variable for the field.
    if (whole) {
      field = AliasOp::create(builder, loc, result);
      remember(field, getLayouts(result), type);
    }
    Value restored = restore(builder, loc, field);
    // The block keeps its types.
    if (areCompatible(restored.getType(), type))
      restored.setType(type);
    for (OpOperand *use : uses)
      use->set(restored);
    output.fields.push_back(restored);
  }
  if (whole) {
    output.first = *whole;
    wholeOutputs.push_back(std::move(output));
  }
}

/// A tuple, a field of one, or a name: the result has the layouts of operands.
LogicalResult ConvertLayout::layOutStructure(Operation *op) {
  Value result = op->getResult(0);
  Layouts layouts;
  Type type = result.getType();
  if (auto field = dyn_cast<TupleGetItemOp>(op)) {
    Layouts all = getLayouts(field.getTupleValue());
    SmallVector<Type> before, leaves;
    auto types = cast<TupleType>(field.getTupleValue().getType()).getTypes();
    for (Type earlier : types.take_front(field.getIndex()))
      appendLeaves(earlier, before);
    appendLeaves(type, leaves);
    layouts.append(all.begin() + before.size(),
                   all.begin() + before.size() + leaves.size());
  } else {
    // TVM makes a tuple that leaves the block, and another name of a variable,
    // of values in the layouts of the program.
    if (isa<TupleOp>(op) && leavesBlock(result))
      return failure();
    Operation *def =
        op->getOperands().empty() ? nullptr : op->getOperand(0).getDefiningOp();
    if (isa<AliasOp>(op) && (!def || def->getNumResults() == 1))
      return failure();
    for (Value operand : op->getOperands())
      llvm::append_range(layouts, getLayouts(operand));
  }
  SmallVector<Type> types;
  if (failed(inferResults(op, types)))
    return failure();
  remember(result, layouts, type);
  if (known.contains(result))
    result.setType(types.front());
  return success();
}

/// A cast to a type of the same rank casts to the type in the new layout.
LogicalResult ConvertLayout::layOutCast(MatchCastOp cast) {
  Layouts layouts = getLayouts(cast.getValue());
  std::optional<TensorInfo> from = TensorInfo::get(getType(cast.getValue())),
                            info = TensorInfo::get(cast.getType());
  if (!from || !info || !from->isRanked || !info->isRanked ||
      from->getRank() != info->getRank() || info->shape ||
      !layouts.front().isPlain() || leavesBlock(cast.getResult()))
    return failure();
  Type type = cast.getType();
  remember(cast.getResult(), layouts, type);
  cast.getResult().setType(getTypeIn(type, layouts.front()));
  return success();
}

/// Asks the op's interface.
LogicalResult ConvertLayout::inferLayouts(Operation *op,
                                          LayoutInference &layouts) {
  for (Value operand : op->getOperands()) {
    SmallVector<Type> leaves;
    appendLeaves(getType(operand), leaves);
    for (Type leaf : leaves)
      if (std::optional<TensorInfo> info = TensorInfo::get(leaf);
          info && !info->isRanked)
        return failure();
  }
  if (failed(cast<LayoutOpInterface>(op).inferLayouts(layouts)))
    return failure();
  for (auto [operand, taken] : llvm::zip(op->getOperands(), layouts.taken)) {
    SmallVector<Type> leaves;
    appendLeaves(getType(operand), leaves);
    if (taken && !llvm::all_of_zip(leaves, *taken, canHave))
      return failure();
  }
  return success(llvm::all_of_zip(op->getResultTypes(), layouts.given, fits));
}

/// Lets `op` compute on the layouts that `layouts` says. Returns whether it
/// can.
bool ConvertLayout::apply(Operation *op, const LayoutInference &layouts) {
  OpBuilder builder(op);
  Operation *converted = op->clone();
  for (auto [name, attr] : layouts.attrs)
    converted->setAttr(name, attr);
  Operation *before = op->getPrevNode();
  for (OpOperand &operand : converted->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    if (const std::optional<Layouts> &to = layouts.taken[index])
      operand.set(
          convert(builder, withoutName(op->getLoc()), operand.get(), *to));
    else
      operand.set(restore(builder, withoutName(op->getLoc()), operand.get()));
  }
  if (layouts.numbers) {
    SmallVector<Value> fields;
    for (int64_t number : layouts.numbers->second)
      fields.push_back(createInt(builder, number));
    converted->setOperand(
        layouts.numbers->first,
        TupleOp::create(builder, builder.getUnknownLoc(), fields));
  }
  SmallVector<Type> types;
  if (failed(inferResults(converted, types)) ||
      types.size() != op->getNumResults()) {
    converted->destroy();
    while (op->getPrevNode() != before) {
      Operation *added = op->getPrevNode();
      known.erase(added->getResult(0));
      numTransforms -= isa<PermuteDimsOp, LayoutTransformOp>(added);
      added->erase();
    }
    return false;
  }
  builder.insert(converted);
  for (auto [result, old, layout, type] : llvm::zip_equal(
           converted->getResults(), op->getResults(), layouts.given, types)) {
    remember(result, layout, old.getType());
    bool keepsType = layout.isInitial() && leavesBlock(old);
    if (!keepsType || !areCompatible(type, old.getType()))
      result.setType(refine(type, old.getType(), layout));
  }
  op->replaceAllUsesWith(converted);
  Value replaced =
      layouts.numbers ? op->getOperand(layouts.numbers->first) : Value();
  op->erase();
  if (replaced)
    eraseUnusedTuple(replaced);
  numConverted += llvm::any_of(converted->getResults(), [&](Value result) {
    return known.contains(result);
  });
  restoreOutputs(converted);
  return true;
}

LogicalResult ConvertLayout::layOut(Operation *op) {
  auto own = op->getAttrOfType<ArrayAttr>(desiredAttrName);
  SmallVector<std::string> ownLayouts;
  if (own)
    for (Attribute text : own)
      ownLayouts.push_back(isa<StringAttr>(text)
                               ? cast<StringAttr>(text).getValue().str()
                               : std::string());
  if (own)
    op->removeDiscardableAttr(desiredAttrName);
  auto it = desired.find(op->getName().getStringRef());
  std::optional<ArrayRef<std::string>> wanted;
  if (own)
    wanted = ownLayouts;
  else if (it != desired.end())
    wanted = it->second;
  if (isa<LayoutOpInterface>(op) && !invalid.contains(op)) {
    SmallVector<Layouts> operands;
    SmallVector<Type> types;
    for (Value operand : op->getOperands()) {
      operands.push_back(getLayouts(operand));
      types.push_back(getType(operand));
    }
    LayoutInference layouts(op, operands, types, wanted);
    LogicalResult isLaidOut = inferLayouts(op, layouts);
    if (layouts.isWrong)
      return failure();
    if (succeeded(isLaidOut) && wanted && !layouts.hasAsked)
      return op->emitOpError(
          "expected no desired layouts, since it computes on "
          "the layouts that it gets, but found some");
    if (succeeded(isLaidOut) && apply(op, layouts))
      return success();
  } else if (isa<TupleOp, TupleGetItemOp, AliasOp>(op)) {
    if (succeeded(layOutStructure(op))) {
      restoreOutputs(op);
      return success();
    }
  } else if (auto cast = dyn_cast<MatchCastOp>(op)) {
    if (succeeded(layOutCast(cast)))
      return success();
  }
  restoreOperands(op);
  return success();
}

LogicalResult ConvertLayout::readOptions() {
  desired.clear();
  for (StringRef option : desiredLayouts) {
    auto [name, text] = option.split('=');
    SmallVector<StringRef> parts;
    text.split(parts, ':');
    if (name.empty() || text.empty())
      return getOperation().emitError("expected desired layouts such as "
                                      "relax.nn.conv2d=NHWC:OHWI, but found '")
             << option << "'";
    desired[name] = SmallVector<std::string>(parts.begin(), parts.end());
  }
  return success();
}

void ConvertLayout::runOnOperation() {
  if (failed(readOptions()))
    return signalPassFailure();
  WalkResult result = getOperation().walk([&](DataflowOp block) {
    auto ops = block.getBody()->without_terminator();
    // Rules need ranks, and the block keeps its types.
    for (Operation &op : ops) {
      if (llvm::none_of(op.getResults(), leavesBlock))
        narrowResults(&op);
      SmallVector<Type> types;
      if (isa<LayoutOpInterface>(op) && failed(inferResults(&op, types)))
        invalid.insert(&op);
    }
    for (Operation &op : llvm::make_early_inc_range(ops))
      if (failed(layOut(&op)))
        return WalkResult::interrupt();
    for (Value tuple : opened)
      eraseUnusedTuple(tuple);
    outputTuples(block, wholeOutputs);
    opened.clear();
    wholeOutputs.clear();
    known.clear();
    invalid.clear();
    return WalkResult::advance();
  });
  opened.clear();
  wholeOutputs.clear();
  known.clear();
  invalid.clear();
  if (result.wasInterrupted())
    return signalPassFailure();
  getOperation().walk(
      [](Operation *op) { op->removeDiscardableAttr(desiredAttrName); });
}
