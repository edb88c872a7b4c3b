//===- EqualSizes.cpp - Sizes that the code takes for equal ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EqualSizes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita;

void EqualSizes::addDeclared(tir::PrimFuncOp func) {
  llvm::DenseMap<Value, std::string> nameOfVar;
  llvm::StringSet<> taken;
  for (auto buffer : func.getOps<tir::BufferDeclOp>())
    for (auto [index, size] : llvm::enumerate(buffer.getShape())) {
      auto loc = dyn_cast<NameLoc>(size.getLoc());
      if (!size.getDefiningOp<tir::VarOp>() || !loc)
        continue;
      std::string &name = nameOfVar[size];
      // Variables can share a name.
      for (unsigned count = 1; name.empty(); ++count) {
        std::string unique = loc.getName().str();
        if (count > 1)
          unique += "_" + std::to_string(count);
        if (taken.insert(unique).second)
          name = unique;
      }
      declared[{buffer.getBuffer().getAsOpaquePointer(), index}] = name;
    }
}

EqualSizes::EqualSizes(tir::PrimFuncOp func) {
  addDeclared(func);
  func->walk([&](Operation *op) { visit(op); });
  llvm::DenseMap<Size, int64_t> counts;
  auto forEach = [&](auto visitSize) {
    for (BlockArgument parameter : func.getArguments())
      if (auto buffer = dyn_cast<MemRefType>(parameter.getType()))
        for (int64_t dim : llvm::seq(buffer.getRank()))
          visitSize(classes.getOrInsertLeaderValue(add(parameter, dim)));
  };
  forEach([&](Size leader) { ++counts[leader]; });
  forEach([&](Size leader) {
    if (counts[leader] > 1)
      names.try_emplace(leader, "d" + std::to_string(names.size()));
  });
  for (const auto *entry : classes)
    if (!entry->getData().first)
      numbers.try_emplace(classes.getLeaderValue(entry->getData()),
                          entry->getData().second);
}

EqualSizes::Size EqualSizes::add(Value value, int64_t dim) {
  Size size(value.getAsOpaquePointer(), dim);
  auto type = dyn_cast<ShapedType>(value.getType());
  if (type && !type.isDynamicDim(dim))
    classes.unionSets(size, {nullptr, type.getDimSize(dim)});
  return size;
}

void EqualSizes::join(Value a, Value b) {
  auto from = dyn_cast<ShapedType>(a.getType()),
       to = dyn_cast<ShapedType>(b.getType());
  if (from && to && from.hasRank() && to.hasRank() &&
      from.getRank() == to.getRank())
    for (int64_t dim : llvm::seq(from.getRank()))
      classes.unionSets(add(a, dim), add(b, dim));
}

void EqualSizes::visit(Operation *op) {
  if (auto loops = dyn_cast<linalg::LinalgOp>(op))
    for (OpOperand &operand : op->getOpOperands())
      for (auto [dim, expr] :
           llvm::enumerate(loops.getMatchingIndexingMap(&operand).getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(expr))
          classes.unionSets(add(operand.get(), dim), {op, loop.getPosition()});
  if (auto dest = dyn_cast<DestinationStyleOpInterface>(op))
    for (OpResult result : op->getResults())
      join(result, dest.getTiedOpOperand(result)->get());
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](ShapedDimOpInterface of) {
        if (std::optional<int64_t> dim = getConstantIntValue(of.getDimension()))
          classes.unionSets({op->getResult(0).getAsOpaquePointer(), -1},
                            add(of.getShapedValue(), *dim));
      })
      .Case<tensor::EmptyOp, memref::AllocOp>([&](auto op) {
        unsigned next = 0;
        for (int64_t dim : llvm::seq(op.getType().getRank()))
          if (op.getType().isDynamicDim(dim))
            classes.unionSets(
                add(op.getResult(), dim),
                {op.getDynamicSizes()[next++].getAsOpaquePointer(), -1});
      })
      .Case<bufferization::ToTensorOp, bufferization::ToBufferOp,
            memref::CastOp, tensor::CastOp>(
          [&](auto op) { join(op->getOperand(0), op->getResult(0)); })
      .Case<bufferization::MaterializeInDestinationOp, memref::CopyOp>(
          [&](auto op) { join(op->getOperand(0), op->getOperand(1)); });
}

std::optional<std::variant<int64_t, std::string>>
EqualSizes::get(BlockArgument parameter, int64_t dim) const {
  if (!cast<MemRefType>(parameter.getType()).isDynamicDim(dim))
    return std::nullopt;
  Size size(parameter.getAsOpaquePointer(), dim);
  if (auto it = declared.find(size); it != declared.end())
    return it->second;
  Size leader = classes.getLeaderValue(size);
  if (auto it = numbers.find(leader); it != numbers.end())
    return it->second;
  if (auto it = names.find(leader); it != names.end())
    return it->second;
  return std::nullopt;
}
