//===- WidenBools.cpp - Store booleans as bytes ---------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"

namespace partita::conversion {
#define GEN_PASS_DEF_WIDENBOOLS
#include "partita/Conversion/Passes.h.inc"
} // namespace partita::conversion

using namespace mlir;
using namespace partita;

namespace {
struct WidenBools : conversion::impl::WidenBoolsBase<WidenBools> {
  void runOnOperation() override;
};
} // namespace

/// An initial value with elements of i8; other attributes stay.
static Attribute widen(Attribute value) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(value);
  if (!dense || !dense.getElementType().isInteger(1))
    return value;
  return dense.mapValues(IntegerType::get(value.getContext(), 8),
                         [](const APInt &element) { return element.zext(8); });
}

void WidenBools::runOnOperation() {
  if (!isa<ModuleOp>(getOperation())) {
    getOperation()->emitOpError("can't be lowered: expected a builtin.module");
    return signalPassFailure();
  }
  getOperation()->walk([](Operation *op) {
    OpBuilder builder(op->getContext());
    Type i1 = builder.getI1Type(), i8 = builder.getI8Type();
    if (auto global = dyn_cast<memref::GlobalOp>(op)) {
      if (Attribute value = global.getInitialValueAttr())
        global.setInitialValueAttr(widen(value));
    } else if (auto load = dyn_cast<memref::LoadOp>(op);
               load && load.getType() == i1) {
      builder.setInsertionPointAfter(load);
      load.getResult().setType(i8);
      auto narrow =
          arith::TruncIOp::create(builder, load.getLoc(), i1, load.getResult());
      load.getResult().replaceAllUsesExcept(narrow, narrow);
    } else if (auto store = dyn_cast<memref::StoreOp>(op);
               store && store.getValue().getType() == i1) {
      builder.setInsertionPoint(store);
      store.getValueMutable().assign(
          arith::ExtUIOp::create(builder, store.getLoc(), i8, store.getValue())
              .getResult());
    }
  });
  AttrTypeReplacer replacer;
  replacer.addReplacement([](MemRefType type) -> Type {
    if (!type.getElementType().isInteger(1))
      return type;
    return MemRefType::Builder(type).setElementType(
        IntegerType::get(type.getContext(), 8));
  });
  replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
