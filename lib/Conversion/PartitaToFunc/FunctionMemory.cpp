//===- FunctionMemory.cpp - Memory that a relax.func manages --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// The ops that CallTIRRewrite, StaticPlanBlockMemory and LowerAllocTensor make.
//===----------------------------------------------------------------------===//

#include "FunctionLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

LogicalResult FunctionLowering::lowerAllocTensor(AllocTensorOp op) {
  FailureOr<Value> memory = allocate(op, op.getType());
  return failed(memory) ? failure() : set(op, *memory);
}

LogicalResult FunctionLowering::lowerAllocStorage(Operation *op,
                                                  Value numBytes) {
  Values size(get(numBytes));
  if (size.size() != 1 || !size.front().getType().isInteger(64))
    return op->emitOpError("can't be compiled: expected a number of bytes, "
                           "found ")
           << numBytes.getType();
  checkAllocation(size, 1,
                  "expected storage in '" + func.getSymName() +
                      "' to fit into memory, but found too many or negative "
                      "bytes");
  auto type = MemRefType::get(ShapedType::kDynamic, builder.getI8Type());
  return set(op->getResult(0),
             memref::AllocOp::create(builder, type, toIndices(size),
                                     builder.getI64IntegerAttr(64))
                 .getResult());
}

LogicalResult FunctionLowering::lowerTensorInStorage(Operation *op,
                                                     Value storage,
                                                     Value offset) {
  Values memory(get(storage)), start(get(offset));
  FailureOr<Extent> extent = getExtent(op, op->getResult(0).getType());
  if (failed(extent))
    return failure();
  if (memory.size() != 1 || !isa<MemRefType>(memory.front().getType()) ||
      start.size() != 1 || !start.front().getType().isInteger(64))
    return op->emitOpError("can't be compiled: expected a storage and an "
                           "offset of 64 bits");
  // The part is in the storage, and aligned.
  MemRefType type = extent->type;
  int64_t elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  auto number = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, value, 64).getResult();
  };
  Value isAligned = builder.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::eq,
      builder.createOrFold<arith::RemUIOp>(start.front(), number(elementBytes)),
      number(0));
  failUnless(isAligned, "expected the offset of a tensor in '" +
                            func.getSymName() + "' to be a multiple of " +
                            Twine(elementBytes));
  Value left = builder.createOrFold<arith::SubIOp>(getSize(memory.front(), 0),
                                                   start.front());
  Value isInside = builder.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::sge, start.front(), number(0));
  failUnless(isInside, "expected the offset of a tensor in '" +
                           func.getSymName() + "' to be at least 0");
  // Nothing of an empty tensor is accessed.
  if (!llvm::is_contained(type.getShape(), 0)) {
    std::string text;
    llvm::raw_string_ostream(text) << op->getResult(0).getType();
    checkAllocation(
        extent->dynamic, extent->staticBytes,
        "expected a tensor in '" + func.getSymName() +
            "' to fit into its storage, but found too large or negative "
            "sizes: " +
            text,
        builder.createOrFold<arith::SIToFPOp>(builder.getF64Type(), left));
  }
  return set(op->getResult(0),
             memref::ViewOp::create(builder, type, memory.front(),
                                    toIndices(start).front(),
                                    toIndices(extent->dynamic))
                 .getResult());
}

Value partita::getOrigin(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// Whether `user` takes the address of a buffer for other buffers alone.
static bool isAddressOfViews(Operation *user) {
  auto call = dyn_cast<tir::CallIntrinOp>(user);
  return call && call.getIntrinsic() == "tirx.buffer_data" &&
         llvm::all_of(call->getUsers(), llvm::IsaPred<tir::DeclBufferOp>);
}

static bool isAnyResult(Operation *address, function_ref<bool(Value)> isTrue) {
  return llvm::any_of(address->getUsers(), [&](Operation *view) {
    return isTrue(view->getResult(0));
  });
}

/// Whether `argument` of a prim_func may be written.
static bool isWritten(Value argument) {
  return llvm::any_of(argument.getUsers(), [&](Operation *user) {
    if (isAddressOfViews(user))
      return isAnyResult(user, isWritten);
    if (isa<bufferization::ToTensorOp, tir::BufferDeclOp, tir::ReadsOp>(user))
      return false;
    if (auto view = dyn_cast<ViewLikeOpInterface>(user))
      return isWritten(view.getViewDest());
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    if (!effects)
      return !isMemoryEffectFree(user);
    SmallVector<MemoryEffects::EffectInstance> all;
    effects.getEffectsOnValue(argument, all);
    return llvm::any_of(all, [](const MemoryEffects::EffectInstance &effect) {
      return !isa<MemoryEffects::Read>(effect.getEffect());
    });
  });
}

bool FunctionLowering::isAllocated(Value memory) {
  return isa_and_nonnull<memref::AllocOp, func::CallOp>(
      getOrigin(memory).getDefiningOp());
}

Value FunctionLowering::makeWritable(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type || isAllocated(value))
    return value;
  Values dynamic;
  for (int64_t index = 0; index < type.getRank(); ++index)
    if (type.isDynamicDim(index))
      dynamic.push_back(memref::DimOp::create(builder, value, index));
  Value copy = memref::AllocOp::create(builder, type, dynamic);
  memref::CopyOp::create(builder, value, copy);
  return copy;
}

/// Whether a packed function gets `argument` of a prim_func: it may write it.
static bool isHandedOn(Value argument) {
  return llvm::any_of(argument.getUsers(), [](Operation *user) {
    return isAddressOfViews(user) ? isAnyResult(user, isHandedOn)
                                  : isa<tir::CallIntrinOp>(user);
  });
}

FailureOr<FunctionLowering::Values>
FunctionLowering::castForPrimFunc(Operation *op, ValueRange arguments,
                                  tir::PrimFuncOp callee) {
  Values operands(arguments);
  if (operands.size() != callee.getNumArguments())
    return op->emitOpError("can't be compiled: expected a prim_func with ")
           << operands.size() << " parameters";
  checkSizes(op, arguments, callee);
  for (auto [operand, parameter] :
       llvm::zip_equal(operands, callee.getArguments()))
    // Only a call of a value can be meant to write what its caller owns.
    if (isHandedOn(parameter) &&
        (!isa<CallValueOp>(op) || isa_and_nonnull<memref::GetGlobalOp>(
                                      getOrigin(operand).getDefiningOp())))
      operand = makeWritable(operand);
  return castAll(op, operands, callee.getArgumentTypes());
}

bool partita::mayWrite(Value argument) {
  return isWritten(argument) || isHandedOn(argument);
}

tir::PrimFuncOp FunctionLowering::getPrimFunc(Operation *op, Value callee) {
  auto global = getDefinition<GlobalOp>(callee);
  return global ? module.lookup<tir::PrimFuncOp>(op, global.getValueAttr())
                : tir::PrimFuncOp();
}

FailureOr<FunctionLowering::Values>
FunctionLowering::callPrimFunc(Operation *op, Value callee,
                               ValueRange arguments, TypeRange results) {
  tir::PrimFuncOp primFunc = getPrimFunc(op, callee);
  if (!primFunc || primFunc.getNumArguments() != arguments.size())
    return op->emitOpError("can't be compiled: expected a prim_func with ")
           << arguments.size() << " parameters";
  if (results != TypeRange(getReturnTypes(primFunc)))
    return op->emitOpError("can't be compiled: expected the result of '")
           << primFunc.getSymName() << "' to have types (" << results
           << "), found another type";
  FailureOr<Values> operands =
      primFunc.isExternal()
          ? castAll(op, arguments, primFunc.getArgumentTypes())
          : castForPrimFunc(op, arguments, primFunc);
  if (failed(operands))
    return failure();
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    if (!isa<MemRefType>(argument.getType()) || isAllocated(argument) ||
        primFunc.isExternal())
      continue;
    // Who calls a private function may give it a constant.
    Value parameter = primFunc.getArgument(index);
    bool mayBeConstant = isHandedOn(parameter) && !func.isPublic() &&
                         isa<BlockArgument>(getOrigin(argument));
    if (mayBeConstant || isWritten(parameter)) {
      Operation *origin = getOrigin(argument).getDefiningOp();
      return op->emitOpError("can't be compiled: expected '")
             << primFunc.getSymName()
             << "' to write memory that was allocated in '" << func.getSymName()
             << "', but argument " << index
             << (isa_and_nonnull<memref::GetGlobalOp>(origin) ? " is a constant"
                 : origin ? " may not be"
                          : " is a parameter")
             << "; relax.call_tir_inplace writes a copy in its place";
    }
  }
  return Values(func::CallOp::create(builder,
                                     getLoweredName(primFunc.getSymName()),
                                     results, *operands)
                    .getResults());
}

LogicalResult FunctionLowering::lowerCallValue(CallValueOp op) {
  Value callee = op->getOperand(0);
  auto global = getDefinition<GlobalOp>(callee);
  if (getDefinition<MakeClosureOp>(callee) ||
      (global && module.lookup<FuncOp>(op, global.getValueAttr()))) {
    SmallVector<Known> arguments;
    for (Value argument : op->getOperands().drop_front())
      arguments.push_back(getKnown(argument));
    return callClosure(op, callee, std::move(arguments));
  }
  if (!global)
    return lowerCallPacked(op);
  FailureOr<SmallVector<Type>> types = lowerTypes(op, op->getResultTypes());
  if (failed(types))
    return failure();
  tir::PrimFuncOp primFunc = getPrimFunc(op, callee);
  FailureOr<Values> arguments = getArguments(
      op, op->getOperands().drop_front(),
      primFunc ? TypeRange(primFunc.getArgumentTypes()) : TypeRange());
  if (failed(arguments))
    return failure();
  FailureOr<Values> results = callPrimFunc(op, callee, *arguments, *types);
  return failed(results) ? failure() : set(op.getResult(), *results);
}

LogicalResult FunctionLowering::lowerCallTIRDyn(CallTIRDynOp op) {
  if (op->getNumOperands() != 2)
    return op.emitOpError("can't be compiled: expected a function and its "
                          "arguments");
  FailureOr<SmallVector<Type>> types = lowerTypes(op, op->getResultTypes());
  if (failed(types))
    return failure();
  // Each size of a shape is an argument.
  FailureOr<Values> results =
      callPrimFunc(op, op->getOperand(0), get(op->getOperand(1)), *types);
  return failed(results) ? failure() : set(op.getResult(), *results);
}

LogicalResult FunctionLowering::lowerCallTIRInplace(CallTIRInplaceOp op) {
  DictionaryAttr attrs = op.getAttrsAttr();
  auto indices =
      attrs ? attrs.getAs<DenseI64ArrayAttr>("inplace_indices") : nullptr;
  Type returned = op.getResult().getType();
  SmallVector<Type> types = {returned};
  if (auto tuple = dyn_cast<TupleType>(returned))
    types = llvm::to_vector(tuple.getTypes());
  if (op->getNumOperands() != 2 || !indices ||
      size_t(indices.size()) != types.size())
    return op.emitOpError("can't be compiled: expected a function, its "
                          "arguments and an index for each result");
  Values arguments(get(op->getOperand(1))), results;
  size_t numArguments = arguments.size();
  for (auto [index, type] : llvm::zip_equal(indices.asArrayRef(), types)) {
    if (index >= int64_t(numArguments))
      return op.emitOpError("expected 'inplace_indices' to be below ")
             << numArguments << ", the number of arguments, found " << index;
    FailureOr<SmallVector<Type>> lowered = lowerTypes(op, type);
    if (failed(lowered))
      return failure();
    if (index >= 0) {
      Value argument = arguments[index];
      if (lowered->size() != 1 || !memref::CastOp::areCastCompatible(
                                      argument.getType(), lowered->front()))
        return op.emitOpError("can't be compiled: expected argument ")
               << index << " to have the type of the result, " << type;
      // The caller keeps what it gives.
      arguments[index] = argument = makeWritable(argument);
      results.push_back(castTo(argument, lowered->front()));
      continue;
    }
    FailureOr<Value> result = allocate(op, type);
    if (failed(result))
      return failure();
    arguments.push_back(*result);
    results.push_back(*result);
  }
  if (failed(callPrimFunc(op, op->getOperand(0), arguments)))
    return failure();
  return set(op.getResult(), results);
}

/// Whether TVM has left an argument of a view out.
static bool isMissing(Value argument) {
  if (auto tuple = getDefinition<TupleOp>(argument))
    return tuple.getFields().empty();
  return getDefinition<NullValueOp>(argument) != nullptr;
}

LogicalResult FunctionLowering::lowerView(ViewOp op) {
  FailureOr<Value> memory = getMemory(op, op.getX());
  FailureOr<Extent> extent = getExtent(op, op.getType());
  if (failed(memory) || failed(extent))
    return failure();
  Value start = arith::ConstantIntOp::create(builder, 0, 64);
  if (Value offset = op.getRelativeByteOffset(); !isMissing(offset)) {
    if (get(offset).size() != 1 || !get(offset).front().getType().isInteger(64))
      return op.emitOpError("can't be compiled: expected an offset of 64 bits");
    start = get(offset).front();
  }
  // The result is a copy of the bytes: its memory is its own.
  auto getBytes = [&](MemRefType type, ValueRange dynamic) {
    Value bytes = arith::ConstantIntOp::create(
        builder, llvm::divideCeil(type.getElementTypeBitWidth(), 8), 64);
    for (int64_t size : type.getShape())
      if (!ShapedType::isDynamic(size))
        bytes = builder.createOrFold<arith::MulIOp>(
            bytes, arith::ConstantIntOp::create(builder, size, 64));
    for (Value size : dynamic)
      bytes = builder.createOrFold<arith::MulIOp>(bytes, size);
    return bytes;
  };
  auto from = cast<MemRefType>(memory->getType());
  Values dynamic;
  for (int64_t index = 0; index < from.getRank(); ++index)
    if (from.isDynamicDim(index))
      dynamic.push_back(getSize(*memory, index));
  Value left =
      builder.createOrFold<arith::SubIOp>(getBytes(from, dynamic), start);
  Value isInside = builder.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::sge, start,
      arith::ConstantIntOp::create(builder, 0, 64));
  std::string message = ("expected a memory.view in '" + func.getSymName() +
                         "' to be inside of its tensor")
                            .str();
  failUnless(isInside, message);
  checkAllocation(
      extent->dynamic, extent->staticBytes, message,
      builder.createOrFold<arith::SIToFPOp>(builder.getF64Type(), left));
  Value copy = memref::AllocOp::create(builder, extent->type,
                                       toIndices(extent->dynamic));
  auto getAddress = [&](Value memref, Value offset) -> Value {
    Value index =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, memref);
    Value number = builder.createOrFold<arith::AddIOp>(
        arith::IndexCastOp::create(builder, builder.getI64Type(), index),
        offset);
    return LLVM::IntToPtrOp::create(
        builder, LLVM::LLVMPointerType::get(op.getContext()), number);
  };
  Value zero = arith::ConstantIntOp::create(builder, 0, 64);
  LLVM::MemcpyOp::create(builder, getAddress(copy, zero),
                         getAddress(*memory, start),
                         getBytes(extent->type, extent->dynamic),
                         /*isVolatile=*/false);
  return set(op, copy);
}

/// The product of `sizes`.
static Value getNumElements(ImplicitLocOpBuilder &builder, ValueRange sizes) {
  Value product = arith::ConstantIntOp::create(builder, 1, 64);
  for (Value size : sizes)
    product = builder.createOrFold<arith::MulIOp>(product, size);
  return product;
}

LogicalResult FunctionLowering::lowerReshape(ReshapeOp op) {
  FailureOr<SmallVector<Type>> types = lowerTypes(op, op.getType());
  if (failed(types))
    return failure();
  Known known[] = {getKnown(op.getX()), getKnown(op.getShape())};
  if (isObject(op.getType()) || isObject(known[0].type) ||
      isObject(known[1].type)) {
    FailureOr<Values> results =
        callRuntime(op, "partita.reshape", known, op.getType());
    return failed(results) ? failure() : set(op, *results);
  }
  auto type = cast<MemRefType>(types->front());
  Value memory = known[0].lowered.front();
  Values wanted = known[1].lowered, found;
  int64_t rank = cast<MemRefType>(memory.getType()).getRank();
  for (int64_t index = 0; index < rank; ++index)
    found.push_back(getSize(memory, index));
  if (int64_t(wanted.size()) != type.getRank())
    return op.emitOpError("can't be compiled: expected a shape of rank ")
           << type.getRank();
  Value isSame = builder.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::eq, getNumElements(builder, wanted),
      getNumElements(builder, found));
  failUnless(isSame, "expected a reshape in '" + func.getSymName() +
                         "' to keep the number of elements");
  Value shape = memref::AllocaOp::create(
      builder, MemRefType::get(type.getRank(), builder.getI64Type()));
  for (auto [index, size] : llvm::enumerate(wanted))
    memref::StoreOp::create(
        builder, size, shape,
        ValueRange(arith::ConstantIndexOp::create(builder, index)));
  return set(
      op, memref::ReshapeOp::create(builder, type, memory, shape).getResult());
}
