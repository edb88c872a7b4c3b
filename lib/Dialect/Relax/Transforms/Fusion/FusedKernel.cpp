//===- FusedKernel.cpp - One prim_func for several calls ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedKernel.h"
#include "../Utils.h"

#include "partita/Conversion/DimLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

BlockArgument KernelCall::getResultParameter(unsigned result) {
  if (inPlace[result] >= 0)
    return callee.getArgument(inPlace[result]);
  size_t index = arguments.size();
  for (int64_t overwritten : ArrayRef(inPlace).take_front(result))
    index += overwritten < 0;
  return callee.getArgument(index);
}

FusedKernel::FusedKernel(FuncOp func, KernelCalls &calls)
    : func(func), calls(calls), builder(func.getLoc(), func.getContext()) {
  for (KernelCall &call : calls.calls) {
    auto add = [&](Value value, BlockArgument parameter) {
      if (auto type = dyn_cast<MemRefType>(parameter.getType()))
        memorySpaces[value] = type.getMemorySpace();
    };
    for (auto [index, argument] : llvm::enumerate(call.arguments))
      add(argument, call.callee.getArgument(index));
    for (OpResult result : call.op->getResults())
      add(result, call.getResultParameter(result.getResultNumber()));
  }
}

SmallVector<Dim> FusedKernel::getDims(Value value) const {
  std::optional<TensorInfo> info = TensorInfo::get(value.getType());
  return info ? info->dims : SmallVector<Dim>();
}

MemRefType FusedKernel::getBufferType(Value value) const {
  std::optional<TensorInfo> info = TensorInfo::get(value.getType());
  if (!info || !info->elementType || !isShapeKnown(*info) ||
      !MemRefType::isValidElementType(info->elementType))
    return {};
  SmallVector<int64_t> shape;
  for (Dim dim : info->dims)
    shape.push_back(dim.getSize());
  return MemRefType::get(shape, info->elementType, MemRefLayoutAttrInterface(),
                         memorySpaces.lookup(value));
}

bool FusedKernel::addParameter(Type type, Location loc, Value value) {
  if (!type)
    return fail("expected a tensor of known sizes and elements, found " +
                debugString(value.getType()));
  (void)kernel->insertArgument(kernel->getNumArguments(), type,
                               DictionaryAttr(), loc);
  buffers[value] = kernel->getArguments().back();
  return true;
}

void FusedKernel::addName(StringAttr name, Value value) {
  names.try_emplace(name, value);
}

bool FusedKernel::createParameters() {
  for (BlockArgument parameter : func.getArguments()) {
    Type type = parameter.getType();
    if (auto shape = dyn_cast<relax::ShapeType>(type)) {
      for (Dim dim : shape.getDims()) {
        if (!dim.isIdentifier())
          return fail("expected a shape of names as a parameter");
        (void)kernel->insertArgument(kernel->getNumArguments(),
                                     builder.getI64Type(), DictionaryAttr(),
                                     NameLoc::get(dim.getName()));
        addName(dim.getName(), kernel->getArguments().back());
      }
      continue;
    }
    if (!type.isIntOrIndexOrFloat())
      type = getBufferType(parameter);
    if (!addParameter(type, parameter.getLoc(), parameter))
      return false;
    if (auto dim = func.getArgAttrOfType<StringAttr>(parameter.getArgNumber(),
                                                     FuncOp::getDimAttrName());
        dim && type.isInteger(64))
      addName(dim, kernel->getArguments().back());
  }
  // A result that overwrites an argument has the buffer of the argument.
  llvm::DenseMap<Value, Value> sources;
  for (KernelCall &call : calls.calls)
    for (OpResult result : call.op->getResults())
      if (int64_t index = call.inPlace[result.getResultNumber()]; index >= 0) {
        Value source = call.arguments[index];
        sources[result] = sources.lookup_or(source, source);
      }
  for (Value output : calls.outputs) {
    Value source = sources.lookup_or(output, output);
    auto parameter = dyn_cast<BlockArgument>(source);
    if (source == output ? buffers.contains(output)
                         : !parameter && buffers.contains(source))
      return fail("expected each result to come from a call of its own");
    inPlace.push_back(parameter ? int64_t(parameter.getArgNumber()) : -1);
    if (!parameter &&
        !addParameter(getBufferType(source), source.getLoc(), source))
      return false;
  }
  return true;
}

Value FusedKernel::getSize(Dim dim) {
  auto find = [&](StringRef name) {
    return names.lookup(builder.getStringAttr(name));
  };
  // An expression of other names than the kernel's is a size of its own.
  bool isKnown = dim.isName() && !dim.isIdentifier();
  if (isKnown)
    forEachName(dim.getName(),
                [&](StringRef name) { isKnown &= bool(find(name)); });
  if (isKnown)
    if (Value size = lowerDim(builder, dim, find, /*inPrimFunc=*/true))
      return size;
  auto findOrCreate = [&](StringRef name) {
    auto attr = builder.getStringAttr(name);
    Value &value = names[attr];
    if (!value)
      value = createName(attr);
    return value;
  };
  return lowerDim(builder, dim, findOrCreate, /*inPrimFunc=*/true);
}

Value FusedKernel::getNumber(Value argument, Type type) {
  Value number = buffers.lookup(argument);
  if (auto constant = argument.getDefiningOp<PrimValueOp>())
    if (constant.getType() == type && type.isSignlessIntOrFloat())
      number = arith::ConstantOp::create(
          builder, cast<TypedAttr>(constant.getValueAttr()));
  if (auto dim = argument.getDefiningOp<DimOp>())
    number = getSize(dim.getDim());
  if (number && number.getType() != type) {
    if (!isa<IntegerType>(type) || !type.isSignlessInteger() ||
        !number.getType().isInteger(64))
      return {};
    number = arith::TruncIOp::create(builder, type, number);
  }
  return number;
}

OwningOpRef<tir::PrimFuncOp> FusedKernel::create() {
  kernel = tir::PrimFuncOp::create(builder, func.getSymName(),
                                   builder.getFunctionType({}, {}));
  kernel->setVisibility(SymbolTable::Visibility::Private);
  (*kernel)->setAttr("tirx.noalias", builder.getBoolAttr(true));
  builder.setInsertionPointToEnd(&kernel->getBody().emplaceBlock());
  if (!createParameters() || !createBody())
    return {};
  builder.setInsertionPointToEnd(&kernel->getBody().front());
  tir::ReturnOp::create(builder);
  return std::move(kernel);
}
