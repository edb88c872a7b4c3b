//===- Layout.cpp - The order of a tensor's dimensions --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/Transforms/Layout.h"

#include "partita/Dialect/Relax/IR/RelaxShape.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

Layout Layout::getInitial(int64_t rank) {
  Layout layout;
  for (int64_t dim = 0; dim < rank; ++dim)
    layout.axes.push_back({dim});
  return layout;
}

std::optional<Layout> Layout::parse(StringRef text, StringRef letters) {
  Layout layout;
  size_t numWhole = 0;
  while (!text.empty()) {
    int64_t factor = 0;
    bool isInner = llvm::isDigit(text.front());
    if (isInner && (text.consumeInteger(10, factor) || factor < 1))
      return std::nullopt;
    if (text.empty() || isInner != llvm::isLower(text.front()))
      return std::nullopt;
    size_t dim = letters.find(llvm::toUpper(text.front()));
    text = text.drop_front();
    bool isKnown = llvm::any_of(layout.axes, [&](const LayoutAxis &axis) {
      return axis.dim == int64_t(dim) && (axis.factor != 0) == isInner;
    });
    if (dim == StringRef::npos || isKnown)
      return std::nullopt;
    layout.axes.push_back({int64_t(dim), factor});
    numWhole += !isInner;
  }
  if (numWhole != letters.size())
    return std::nullopt;
  return layout;
}

std::string Layout::toString(StringRef letters) const {
  std::string text;
  for (const LayoutAxis &axis : axes)
    if (axis.factor)
      text += std::to_string(axis.factor) + llvm::toLower(letters[axis.dim]);
    else
      text += letters[axis.dim];
  return text;
}

int64_t Layout::getProgramRank() const {
  return llvm::count_if(axes,
                        [](const LayoutAxis &axis) { return !axis.factor; });
}

bool Layout::isInitial() const {
  return llvm::all_of(llvm::enumerate(axes), [](auto axis) {
    return axis.value().dim == int64_t(axis.index()) && !axis.value().factor;
  });
}

bool Layout::isPlain() const {
  return llvm::none_of(axes,
                       [](const LayoutAxis &axis) { return axis.factor; });
}

bool Layout::isSplit(int64_t dim) const {
  return llvm::any_of(axes, [&](const LayoutAxis &axis) {
    return axis.dim == dim && axis.factor;
  });
}

bool Layout::isReduced() const {
  return llvm::any_of(axes,
                      [](const LayoutAxis &axis) { return axis.isReduced; });
}

int64_t Layout::find(int64_t dim) const {
  const auto *axis = llvm::find_if(axes, [&](const LayoutAxis &axis) {
    return axis.dim == dim && !axis.factor;
  });
  assert(axis != axes.end() && "every dimension has a place");
  return axis - axes.begin();
}

SmallVector<int64_t> Layout::find(ArrayRef<int64_t> dims) const {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return find(dim); });
}

bool partita::relax::fits(Type type, const Layout &layout) {
  if (layout.isInitial())
    return true;
  std::optional<TensorInfo> info = TensorInfo::get(type);
  return info && info->isRanked && info->getRank() == layout.getProgramRank() &&
         llvm::all_of(layout.getAxes(), [&](const LayoutAxis &axis) {
           if (!axis.factor)
             return true;
           Dim size = info->dims[axis.dim];
           return axis.isReduced
                      ? size == Dim(1)
                      : size.isNumber() && size.getSize() % axis.factor == 0;
         });
}

//===----------------------------------------------------------------------===//
// LayoutInference
//===----------------------------------------------------------------------===//

LayoutInference::LayoutInference(Operation *op, ArrayRef<Layouts> operands,
                                 ArrayRef<Type> operandTypes,
                                 std::optional<ArrayRef<std::string>> desired)
    : op(op), taken(operands.size()), given(op->getNumResults()),
      operands(operands), operandTypes(operandTypes), desired(desired) {}

int64_t LayoutInference::getRank(unsigned operand) const {
  std::optional<TensorInfo> info = TensorInfo::get(getType(operand));
  return info ? info->getRank() : 0;
}

Layout LayoutInference::getPlain(unsigned operand) const {
  const Layout &layout = get(operand);
  return layout.isPlain() ? layout : Layout::getInitial(getRank(operand));
}

std::optional<Layout> LayoutInference::getDesired(size_t index,
                                                  StringRef letters) {
  hasAsked = true;
  StringRef text = index < desired->size() ? StringRef((*desired)[index])
                   : desired->empty()      ? StringRef()
                                           : StringRef(desired->front());
  std::optional<Layout> layout = Layout::parse(text, letters);
  if (!layout && !isWrong) {
    isWrong = true;
    op->emitOpError("expected a desired layout of the dimensions ")
        << letters << ", but found '" << text << "'";
  }
  return layout;
}

bool LayoutInference::canTake(unsigned operand, const Layout &layout) const {
  return get(operand) == layout ||
         (!layout.isReduced() && fits(getType(operand), layout));
}

void LayoutInference::take(unsigned operand, const Layout &layout) {
  taken[operand] = Layouts(operands[operand].size(), layout);
}

void LayoutInference::give(unsigned result, const Layout &layout) {
  given[result] = layout;
}

void LayoutInference::giveAll(const Layout &layout) {
  llvm::fill(given, layout);
}

void LayoutInference::setAxis(StringRef name, int64_t axis) {
  setAttr(name, Builder(op->getContext()).getI64IntegerAttr(axis));
}

void LayoutInference::setAxes(StringRef name, ArrayRef<int64_t> axes) {
  setAttr(name, DenseI64ArrayAttr::get(op->getContext(), axes));
}

void LayoutInference::setNumbers(unsigned operand, ArrayRef<int64_t> values) {
  numbers.emplace(operand, llvm::to_vector(values));
}
