//===- LowerAllocTensor.cpp - Give each tensor its own storage ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Utils.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_LOWERALLOCTENSOR
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

/// The bytes of the tensor that `alloc` gives, or an unknown dimension.
static Dim getBytes(AllocTensorOp alloc) {
  auto dtype = alloc.getDtype().getDefiningOp<DTypeOp>();
  auto shape = dyn_cast<relax::ShapeType>(alloc.getShape().getType());
  auto literal = alloc.getShape().getDefiningOp<ShapeOp>();
  std::optional<int64_t> bytes =
      dtype ? getElementBytes(dtype.getValue()) : std::nullopt;
  if (!bytes || !shape || !shape.getRanked() || shape.getLacksValues())
    return Dim();
  // A literal can have what its type can't say.
  ArrayRef<Dim> dims = literal ? literal.getDims().getDims() : shape.getDims();
  return writeOutProduct(*bytes, dims, alloc.getContext());
}

namespace {
struct LowerAllocTensor : relax::impl::LowerAllocTensorBase<LowerAllocTensor> {
  void runOnOperation() override {
    SmallVector<AllocTensorOp> allocs;
    getOperation().walk([&](AllocTensorOp alloc) { allocs.push_back(alloc); });
    bool changed = false;
    for (AllocTensorOp alloc : allocs) {
      Dim bytes = getBytes(alloc);
      if (bytes.isUnknown())
        continue;
      OpBuilder builder(alloc);
      // TVM counts bytes, whatever the elements are.
      Type byte = builder.getIntegerType(8, /*isSigned=*/false);
      allocateIn(builder, alloc, createStorage(builder, alloc, bytes, byte));
      ++numLowered;
      changed = true;
    }
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
