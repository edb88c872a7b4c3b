//===- RelaxDialect.cpp - The relax dialect -------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxDialect.h"
#include "../../ValueNames.h"
#include "RelaxDetail.h"

#include "partita/Dialect/Relax/IR/RelaxDialect.cpp.inc"

using namespace mlir;
using namespace partita::relax;

void *RelaxDialect::getRegisteredInterfaceForOp(TypeID interfaceID,
                                                OperationName) {
  static partita::NamesOfLocations<FuncOp> names;
  return interfaceID == OpAsmOpInterface::getInterfaceID() ? &names : nullptr;
}

void RelaxDialect::initialize() {
  registerAttributes();
  registerBytecode();
  registerTypes();
  registerInliner();
  registerTensors();
  partita::addNamedOperations<
#define GET_OP_LIST
#include "partita/Dialect/Relax/IR/RelaxOps.cpp.inc"
      >(*this);
}

Operation *RelaxDialect::materializeConstant(OpBuilder &builder,
                                             Attribute value, Type type,
                                             Location loc) {
  if (isa<IntegerAttr, FloatAttr>(value) &&
      cast<TypedAttr>(value).getType() == type)
    return PrimValueOp::create(builder, loc, cast<TypedAttr>(value));
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  if (auto tensor = dyn_cast<TensorAttr>(elements); tensor && tensor.isFreed())
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}
