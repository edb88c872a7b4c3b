//===- TIRLayout.cpp - Layouts of buffers ---------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/TIR/IR/TIRLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace partita::tir;

LogicalResult
TileLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, Type,
                       ArrayRef<int64_t> extents, ArrayRef<int64_t> strides,
                       ArrayRef<StringAttr> axes) {
  if (extents.size() == strides.size() && extents.size() == axes.size())
    return success();
  return emitError() << "expected a layout to have as many strides and axes as "
                        "extents ("
                     << extents.size() << "), found " << strides.size()
                     << " and " << axes.size();
}

bool TileLayoutAttr::isRowMajor() const {
  std::optional<int64_t> expected = 1;
  return llvm::all_of(
      llvm::reverse(llvm::zip_equal(getExtents(), getStrides(), getAxes())),
      [&](auto iterator) {
        auto [extent, stride, axis] = iterator;
        if (axis.getValue() != "m" || extent < 0 || !expected)
          return false;
        // The stride of a single element does not matter.
        bool isInOrder = extent <= 1 || stride == *expected;
        expected = llvm::checkedMul(*expected, extent);
        return isInOrder;
      });
}

bool partita::tir::isRowMajor(Attribute layout) {
  auto tiles = dyn_cast_if_present<TileLayoutAttr>(layout);
  return !layout || (tiles && tiles.isRowMajor());
}
