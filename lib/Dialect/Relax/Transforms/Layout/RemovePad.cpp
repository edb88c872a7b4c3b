//===- RemovePad.cpp - The prim_func that drops padding -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemovePad.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace partita;

/// The place of a variable of TVM's with a number in its name.
static Location getNumbered(Location loc, const Twine &prefix, size_t number) {
  return NameLoc::get(StringAttr::get(loc.getContext(), prefix + Twine(number)),
                      loc);
}

/// Declares that the caller says the sizes of `buffer`, and returns these.
static SmallVector<Value> declareSizes(ImplicitLocOpBuilder &builder,
                                       Value buffer, StringRef prefix) {
  SmallVector<Value> sizes;
  int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    sizes.push_back(
        tir::VarOp::create(builder, getNumbered(builder.getLoc(), prefix, dim),
                           builder.getI64Type()));
  tir::BufferDeclOp::create(builder, buffer, sizes, /*strides=*/ValueRange(),
                            /*elem_offset=*/Value(),
                            /*allocated_addr=*/ValueRange(),
                            TypeAttr::get(builder.getI64Type()),
                            /*data_alignment=*/64, /*offset_factor=*/1,
                            /*layout=*/nullptr);
  return sizes;
}

/// Makes a block, and goes into it.
static tir::BlockOp createBlock(ImplicitLocOpBuilder &builder, StringRef name,
                                ValueRange bindings, ValueRange mins,
                                ValueRange extents, Value always) {
  SmallVector<StringRef> kinds(bindings.size(), "spatial");
  auto block =
      tir::BlockOp::create(builder, name, builder.getStrArrayAttr(kinds),
                           bindings, mins, extents, always,
                           /*annotations=*/DictionaryAttr());
  Block &body = block.getBody().emplaceBlock();
  for (size_t index = 0; index < bindings.size(); ++index)
    body.addArgument(builder.getI64Type(),
                     getNumbered(builder.getLoc(), "v_ax", index));
  builder.setInsertionPointToStart(&body);
  tir::YieldOp::create(builder);
  builder.setInsertionPointToStart(&body);
  return block;
}

tir::PrimFuncOp partita::relax::createRemovePad(OpBuilder &opBuilder,
                                                Location loc, int64_t rank,
                                                Type elementType) {
  ImplicitLocOpBuilder builder(loc, opBuilder.getContext());
  Type buffer = MemRefType::get(
      SmallVector<int64_t>(rank, ShapedType::kDynamic), elementType);
  auto func = tir::PrimFuncOp::create(
      builder, "remove_pad", builder.getFunctionType({buffer, buffer}, {}));
  func.setPrivate();
  func->setAttr("operator_name", builder.getStringAttr("remove_pad"));
  func->setAttr("s_tir", builder.getBoolAttr(true));
  func->setAttr("tirx.noalias", builder.getBoolAttr(true));
  Block &body = func.getBody().emplaceBlock();
  auto getNamed = [&](StringRef name) {
    return NameLoc::get(builder.getStringAttr(name), loc);
  };
  Value input = body.addArgument(buffer, getNamed("input")),
        output = body.addArgument(buffer, getNamed("output"));
  builder.setInsertionPointToStart(&body);
  Value always = arith::ConstantIntOp::create(builder, 1, 1),
        zero = arith::ConstantIntOp::create(builder, 0, 64),
        one = arith::ConstantIntOp::create(builder, 1, 64);
  declareSizes(builder, input, "p");
  SmallVector<Value> sizes = declareSizes(builder, output, "i"), iterators;
  createBlock(builder, "root", {}, {}, {}, always);
  for (auto [index, size] : llvm::enumerate(sizes)) {
    auto loop = scf::ForOp::create(builder, getNumbered(loc, "ax", index), zero,
                                   size, one);
    iterators.push_back(loop.getInductionVar());
    builder.setInsertionPointToStart(loop.getBody());
  }
  SmallVector<Value> mins(rank, zero), ones(rank, one), indices;
  tir::BlockOp block =
      createBlock(builder, "output", iterators, mins, sizes, always);
  ValueRange places = block.getBody().getArguments();
  for (Value place : places)
    indices.push_back(
        arith::IndexCastOp::create(builder, builder.getIndexType(), place));
  tir::ReadsOp::create(builder, input, places, ones);
  tir::WritesOp::create(builder, output, places, ones);
  Value element = memref::LoadOp::create(builder, input, indices);
  memref::StoreOp::create(builder, element, output, indices);
  builder.setInsertionPointToEnd(&body);
  tir::ReturnOp::create(builder);
  return func;
}
