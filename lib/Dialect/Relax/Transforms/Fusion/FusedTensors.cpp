//===- FusedTensors.cpp - Fuse kernels that compute tensors ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
class FusedTensors : public FusedKernel {
public:
  using FusedKernel::FusedKernel;

protected:
  bool createBody() override;
  Value createName(StringAttr name) override;

private:
  bool inlineCall(KernelCall &call);
  Value getTensor(Value value, RankedTensorType type, bool isRestrict);
  Value getDim(KernelCall &call, memref::DimOp dim);
  Value cast(Value tensor, Type type);

  /// Tensors by the values of `func` that they are.
  llvm::DenseMap<Value, Value> tensors;
};
} // namespace

bool relax::isTensorKernel(tir::PrimFuncOp callee) {
  if (callee.isExternal() || !callee.getBody().hasOneBlock())
    return false;
  Block &body = callee.getBody().front();
  return llvm::all_of(callee.getArguments(), [&](BlockArgument parameter) {
    return !isa<MemRefType>(parameter.getType()) ||
           llvm::all_of(parameter.getUses(), [&](OpOperand &use) {
             Operation *user = use.getOwner();
             auto dim = dyn_cast<memref::DimOp>(user);
             return user->getBlock() == &body &&
                    ((dim && dim.getConstantIndex()) ||
                     isa<bufferization::ToTensorOp,
                         bufferization::MaterializeInDestinationOp>(user));
           });
  });
}

/// A name that is the size of a parameter.
Value FusedTensors::createName(StringAttr name) {
  for (BlockArgument parameter : func.getArguments()) {
    SmallVector<Dim> dims = getDims(parameter);
    auto *dim = llvm::find(dims, Dim(name));
    if (dim == dims.end())
      continue;
    Value size = memref::DimOp::create(builder, buffers.lookup(parameter),
                                       dim - dims.begin());
    return arith::IndexCastOp::create(builder, builder.getI64Type(), size);
  }
  return {};
}

Value FusedTensors::cast(Value tensor, Type type) {
  return tensor.getType() == type
             ? tensor
             : tensor::CastOp::create(builder, type, tensor).getResult();
}

Value FusedTensors::getTensor(Value value, RankedTensorType type,
                              bool isRestrict) {
  Value &tensor = tensors[value];
  if (!tensor) {
    // The result of a callee that does not write it has none.
    Value buffer = buffers.lookup(value);
    if (!buffer)
      return {};
    tensor = bufferization::ToTensorOp::create(
        builder, memref::getTensorTypeFromMemRefType(buffer.getType()), buffer,
        isRestrict);
  }
  if (!tensor::CastOp::areCastCompatible(tensor.getType(), type))
    return {};
  return cast(tensor, type);
}

/// The size of an argument, or of a result that is not computed yet.
Value FusedTensors::getDim(KernelCall &call, memref::DimOp dim) {
  auto parameter = llvm::cast<BlockArgument>(dim.getSource());
  size_t index = parameter.getArgNumber();
  Value value = index < call.arguments.size()
                    ? call.arguments[index]
                    : call.op->getResult(index - call.arguments.size());
  SmallVector<Dim> dims = getDims(value);
  size_t number = *dim.getConstantIndex();
  Value size = number < dims.size() ? getSize(dims[number]) : Value();
  return size
             ? arith::IndexCastOp::create(builder, builder.getIndexType(), size)
                   .getResult()
             : Value();
}

bool FusedTensors::inlineCall(KernelCall &call) {
  if (llvm::any_of(call.inPlace, [](int64_t index) { return index >= 0; }))
    return fail("expected calls that overwrite nothing");
  IRMapping mapping;
  for (auto [index, argument] : llvm::enumerate(call.arguments)) {
    BlockArgument parameter = call.callee.getArgument(index);
    if (isa<MemRefType>(parameter.getType()))
      continue;
    Value number = getNumber(argument, parameter.getType());
    if (!number)
      return fail("expected arguments that are tensors or numbers");
    mapping.map(parameter, number);
  }
  for (Operation &op : call.callee.getBody().front().without_terminator()) {
    if (auto source = dyn_cast<bufferization::ToTensorOp>(op);
        source && isa<BlockArgument>(source.getBuffer())) {
      size_t index =
          llvm::cast<BlockArgument>(source.getBuffer()).getArgNumber();
      auto type = dyn_cast<RankedTensorType>(source.getType());
      Value tensor =
          type && index < call.arguments.size()
              ? getTensor(call.arguments[index], type, source.getRestrict())
              : Value();
      if (!tensor)
        return fail("expected tensors of arguments that callees write");
      mapping.map(source.getResult(), tensor);
    } else if (auto dim = dyn_cast<memref::DimOp>(op);
               dim && isa<BlockArgument>(dim.getSource())) {
      Value size = getDim(call, dim);
      if (!size)
        return fail("expected sizes that follow from the parameters");
      mapping.map(dim.getResult(), size);
    } else if (auto result =
                   dyn_cast<bufferization::MaterializeInDestinationOp>(op)) {
      auto parameter = dyn_cast<BlockArgument>(result.getDest());
      size_t index = parameter ? parameter.getArgNumber() : 0;
      if (index < call.arguments.size())
        return fail("expected callees that write their last parameters");
      Value value = call.op->getResult(index - call.arguments.size());
      MemRefType type = getBufferType(value);
      if (!type || tensors.contains(value))
        return fail("expected each result to be written once");
      tensors[value] = cast(mapping.lookup(result.getSource()),
                            memref::getTensorTypeFromMemRefType(type));
    } else {
      builder.clone(op, mapping);
    }
  }
  return true;
}

bool FusedTensors::createBody() {
  for (KernelCall &call : calls.calls)
    if (!inlineCall(call))
      return false;
  for (Value output : calls.outputs) {
    Value tensor = tensors.lookup(output);
    if (!tensor)
      return fail("expected callees that write all their results");
    auto result = bufferization::MaterializeInDestinationOp::create(
        builder, TypeRange(), tensor, buffers.lookup(output));
    result.setRestrict(true);
    result.setWritable(true);
  }
  return true;
}

std::unique_ptr<FusedKernel> relax::createFusedTensors(FuncOp func,
                                                       KernelCalls &calls) {
  return std::make_unique<FusedTensors>(func, calls);
}
