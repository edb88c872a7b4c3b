//===- RelaxDialect.cpp - The relax dialect -------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/IR/RelaxDialect.h"
#include "RelaxDetail.h"

#include "partita/Dialect/Relax/IR/RelaxDialect.cpp.inc"

using namespace mlir;
using namespace partita::relax;

namespace {
/// An op as it is registered: the names that its results have in text become
/// its location.
template <typename OpT>
struct Named : OpT {
  using OpT::OpT;

  static ParseResult parse(OpAsmParser &parser, OperationState &result) {
    nameFromText(parser, result);
    return OpT::parse(parser, result);
  }
};
} // namespace

template <typename OpT>
struct mlir::detail::TypeIDResolver<Named<OpT>> {
  static TypeID resolveTypeID() { return TypeID::get<OpT>(); }
};

template <typename... Ops>
static void addNamedOperations(RelaxDialect &dialect) {
  (RegisteredOperationName::insert<Named<Ops>>(dialect), ...);
}

void RelaxDialect::initialize() {
  registerAttributes();
  registerBytecode();
  registerTypes();
  registerInliner();
  registerTensors();
  addNamedOperations<
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
