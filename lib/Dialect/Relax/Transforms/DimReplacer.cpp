//===- DimReplacer.cpp - Replace names of dimensions ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimReplacer.h"

#include "partita/Dialect/Relax/IR/RelaxAttrs.h"
#include "partita/Dialect/Relax/IR/RelaxTypes.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace partita::relax;

Dim DimReplacer::apply(Dim dim) const {
  if (!dim.isName())
    return dim;
  if (auto it = dims.find(dim.getName()); it != dims.end())
    return it->second;
  MLIRContext *context = dim.getName().getContext();
  std::string text;
  bool isSame = true;
  StringRef rest = dim.getName();
  forEachName(rest, [&](StringRef name) {
    auto it = dims.find(StringAttr::get(context, name));
    if (it == dims.end())
      return;
    isSame = false;
    text += rest.take_front(name.begin() - rest.begin());
    rest = rest.drop_front(name.end() - rest.begin());
    Dim made = it->second;
    if (made.isNumber())
      text += std::to_string(made.getSize());
    else if (made.isIdentifier())
      text += made.getName().getValue();
    else
      text += ("(" + made.getName().getValue() + ")").str();
  });
  text += rest;
  if (isSame)
    return dim;
  Dim replaced = StringAttr::get(context, text);
  // A text that is no expression, or no size, is kept as it is.
  Dim simplified = replaced + Dim(0);
  bool isKept =
      simplified.isUnknown() || !(simplifies || simplified.isNumber());
  return isKept ? replaced : simplified;
}

void DimReplacer::replaceIn(Operation *op) const {
  if (dims.empty())
    return;
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](Type type) -> AttrTypeReplacer::ReplaceFnResult<Type> {
        if (!isa<RankedTensorType, PartialTensorType, relax::ShapeType>(type))
          return std::nullopt;
        return std::make_pair(apply(type), WalkResult::skip());
      });
  replacer.addReplacement([&](ShapeAttr attr) {
    return ShapeAttr::get(attr.getContext(),
                          llvm::map_to_vector(attr.getDims(), [&](Dim dim) {
                            return apply(dim);
                          }));
  });
  replacer.recursivelyReplaceElementsIn(op, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

SmallVector<Dim> partita::relax::getKnownDims(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return getDims(tensor);
  if (auto partial = dyn_cast<PartialTensorType>(type))
    return llvm::to_vector(partial.getDims());
  if (auto shape = dyn_cast<relax::ShapeType>(type))
    return llvm::to_vector(shape.getDims());
  return {};
}
