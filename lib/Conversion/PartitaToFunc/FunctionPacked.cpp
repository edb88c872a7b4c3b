//===- FunctionPacked.cpp - Calls of packed functions ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packed function belongs to the caller of the compiled code. The code calls
// a declaration; the metadata have its name, and describe the arguments and the
// result. The runtime checks what the function returns, and the code checks the
// sizes that have names.
//
//===----------------------------------------------------------------------===//

#include "FunctionLowering.h"
#include "Metadata.h"

#include "partita/Dialect/Relax/IR/RelaxVariables.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

FailureOr<FunctionLowering::PackedCall>
FunctionLowering::beginPacked(Operation *op, Value callee) {
  if (auto packed = getDefinition<ExternFuncOp>(callee))
    return PackedCall{llvm::json::fixUTF8(packed.getValue())};
  if (auto name = getDefinition<StringOp>(callee);
      name && isa<CallPyFuncOp>(op))
    return PackedCall{llvm::json::fixUTF8(name.getValue())};
  Known function = getKnown(callee);
  if (!isObject(function.type))
    return op->emitOpError("can't be compiled: expected a call of a "
                           "relax.extern_func or of a function that the caller "
                           "gives, found another function");
  PackedCall call = {""};
  call.params.push_back(*describeType(ObjectType::get(op->getContext())));
  call.operands = function.lowered;
  return call;
}

FailureOr<llvm::json::Object>
FunctionLowering::describeArgument(Operation *op, const Known &argument,
                                   Values &operands) {
  Type type = argument.type;
  if (isa<NoneType>(type)) {
    Operation *definition = getDefinition(argument.source);
    if (auto string = dyn_cast_or_null<StringOp>(definition))
      return describeString(string.getValue());
    if (auto dtype = dyn_cast_or_null<DTypeOp>(definition))
      return describeDType(dtype.getValue());
    FailureOr<Value> object = makeObject(op, argument.source);
    if (failed(object))
      return failure();
    operands.push_back(*object);
    return *describeType(ObjectType::get(op->getContext()));
  }
  if (isa<TupleType>(type)) {
    llvm::json::Array fields;
    for (const Known &field : getFields(argument)) {
      FailureOr<llvm::json::Object> inner =
          describeArgument(op, field, operands);
      if (failed(inner))
        return failure();
      fields.push_back(std::move(*inner));
    }
    return llvm::json::Object{{"kind", "tuple"}, {"fields", std::move(fields)}};
  }
  std::optional<llvm::json::Object> described = describeType(type);
  if (!described)
    return op->emitOpError(
               "can't be compiled: expected a packed function of "
               "tensors with a dtype of the CPU, shapes, numbers, "
               "strings, dtypes, objects and tuples of them, found ")
           << type;
  llvm::append_range(operands, argument.lowered);
  return std::move(*described);
}

LogicalResult FunctionLowering::addArgument(Operation *op, PackedCall &call,
                                            const Known &argument,
                                            bool isWritten) {
  FailureOr<llvm::json::Object> param =
      describeArgument(op, argument, call.operands);
  if (failed(param))
    return failure();
  if (isWritten)
    (*param)["is_written"] = true;
  call.params.push_back(std::move(*param));
  return success();
}

FailureOr<FunctionLowering::Values>
FunctionLowering::callPacked(Operation *op, PackedCall call, Type result) {
  std::optional<llvm::json::Object> returned = describeType(result);
  FailureOr<SmallVector<Type>> types = lowerTypes(op, result);
  if (failed(types))
    return failure();
  if (!returned)
    return op->emitOpError("can't be compiled: expected a result of a dtype of "
                           "the CPU, found ")
           << result;
  llvm::json::Object description{{"params", std::move(call.params)},
                                 {"result", std::move(*returned)}};
  if (!call.name.empty())
    description["name"] = call.name;
  if (!call.what.empty())
    description["what"] = call.what;
  func::FuncOp declaration = module.getPackedFunc(
      op->getLoc(),
      builder.getFunctionType(ValueRange(call.operands).getTypes(), *types),
      std::move(description));
  return Values(
      func::CallOp::create(builder, declaration, call.operands).getResults());
}

FailureOr<FunctionLowering::Values>
FunctionLowering::callRuntime(Operation *op, StringRef name,
                              ArrayRef<Known> arguments, Type result) {
  PackedCall call = {name.str()};
  call.what = (isa<MatchCastOp>(op) ? "a match_cast in '" : "a value in '") +
              func.getSymName().str() + "'";
  for (const Known &argument : arguments)
    if (failed(addArgument(op, call, argument, /*isWritten=*/false)))
      return failure();
  return callPacked(op, std::move(call), result);
}

/// The type that a call returns. TVM's type of a call says nothing where no one
/// uses the result. A cast says what the function returns.
static Type getReturnedType(Value returned) {
  Type type = returned.getType();
  if (!isa<ObjectType>(type))
    return type;
  if (returned.use_empty())
    return TupleType::get(type.getContext());
  auto cast = dyn_cast<MatchCastOp>(*returned.user_begin());
  return cast && returned.hasOneUse() ? cast.getType() : type;
}

LogicalResult FunctionLowering::callPacked(Operation *op, Value callee,
                                           ArrayRef<Known> arguments,
                                           bool isPure) {
  auto attrs = op->getAttrOfType<DictionaryAttr>("attrs");
  if (attrs && !attrs.empty() && !isa<CallInplacePackedOp>(op))
    return op->emitOpError("can't be compiled: expected a packed function "
                           "without attributes, found ")
           << attrs;
  FailureOr<PackedCall> call = beginPacked(op, callee);
  if (failed(call))
    return failure();
  for (const Known &argument : arguments) {
    bool isWritten = !isPure && argument.lowered.size() == 1 &&
                     isa<MemRefType>(argument.lowered.front().getType()) &&
                     isAllocated(argument.lowered.front());
    if (failed(addArgument(op, *call, argument, isWritten)))
      return failure();
  }
  Type type = getReturnedType(op->getResult(0));
  std::string name =
      call->name.empty() ? "a function that the caller gives" : call->name;
  FailureOr<Values> results = callPacked(op, std::move(*call), type);
  if (failed(results) || failed(bindNames(op, type, *results)) ||
      failed(
          check(op, type, *results,
                "the result of '" + name + "' in '" + func.getSymName() + "'")))
    return failure();
  return set(op->getResult(0), *results, type);
}

LogicalResult FunctionLowering::lowerTensorToShape(TensorToShapeOp op) {
  if (Value tensor = getSizes(op.getInput()))
    return readShape(op, tensor);
  return op.emitOpError("can't be compiled: expected a tensor of integers with "
                        "a known size");
}

Value FunctionLowering::getSizes(Value tensor) {
  ArrayRef<Value> lowered = get(tensor);
  auto type = lowered.size() == 1
                  ? dyn_cast<MemRefType>(lowered.front().getType())
                  : MemRefType();
  if (type && type.getRank() == 1 && type.hasStaticShape() &&
      type.getElementType().isSignlessInteger())
    return lowered.front();
  return {};
}

/// Reads the sizes of a shape from a tensor.
LogicalResult FunctionLowering::readShape(Operation *op, Value tensor) {
  auto type = cast<MemRefType>(tensor.getType());
  Values sizes;
  for (int64_t dim : llvm::seq(type.getDimSize(0))) {
    Value at = arith::ConstantIndexOp::create(builder, dim),
          size = castTo(memref::LoadOp::create(builder, tensor, at),
                        builder.getI64Type()),
          zero = arith::ConstantIntOp::create(builder, 0, 64);
    failUnless(builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge,
                                                   size, zero),
               "expected the sizes of a shape in '" + func.getSymName() +
                   "' to be at least 0");
    sizes.push_back(size);
  }
  Type shape =
      ShapeType::get(op->getContext(), SmallVector<Dim>(sizes.size(), Dim()),
                     /*ranked=*/true);
  return set(op->getResult(0), sizes, shape);
}

LogicalResult FunctionLowering::lowerCallPacked(Operation *op) {
  if (auto packed = getDefinition<ExternFuncOp>(op->getOperand(0));
      packed && packed.getValue() == "vm.builtin.tensor_to_shape" &&
      op->getNumOperands() == 2)
    if (Value tensor = getSizes(op->getOperand(1)))
      return readShape(op, tensor);
  SmallVector<Known> arguments;
  for (Value argument : op->getOperands().drop_front())
    arguments.push_back(getKnown(argument));
  return callPacked(op, op->getOperand(0), arguments, isMemoryEffectFree(op));
}

/// TVM's BasePyModule registers functions in Python by their names. Here, they
/// are packed functions of the caller.
LogicalResult FunctionLowering::lowerCallPyFunc(CallPyFuncOp op) {
  if (op->getNumOperands() != 2 ||
      !getDefinition<StringOp>(op->getOperand(0)) ||
      !isa<TupleType>(op->getOperand(1).getType()))
    return op.emitOpError("can't be compiled: expected the name of a function "
                          "and a tuple of arguments");
  return callPacked(op, op->getOperand(0),
                    getFields(getKnown(op->getOperand(1))),
                    /*isPure=*/true);
}

/// The context is TVM's virtual machine, which is not there.
LogicalResult FunctionLowering::lowerCallBuiltin(CallBuiltinWithCtxOp op) {
  if (op->getNumOperands() != 2 || !isa<TupleType>(op->getOperand(1).getType()))
    return op.emitOpError("can't be compiled: expected a function and a tuple "
                          "of arguments");
  return callPacked(op, op->getOperand(0),
                    getFields(getKnown(op->getOperand(1))), /*isPure=*/false);
}

LogicalResult FunctionLowering::lowerCallInplacePacked(CallInplacePackedOp op) {
  DictionaryAttr attrs = op.getAttrsAttr();
  auto indices =
      attrs ? attrs.getAs<DenseI64ArrayAttr>("inplace_indices") : nullptr;
  int64_t count = int64_t(op->getNumOperands()) - 1;
  if (count < 0 || !indices)
    return op.emitOpError("can't be compiled: expected a function and "
                          "'inplace_indices'");
  SmallVector<Known> arguments;
  for (Value argument : op->getOperands().drop_front())
    arguments.push_back(getKnown(argument));
  for (int64_t index : indices.asArrayRef()) {
    if (index >= count)
      return op.emitOpError("expected 'inplace_indices' to be below ")
             << count << ", the number of arguments, found " << index;
    if (index >= 0)
      for (Value &value : arguments[index].lowered)
        value = makeWritable(value);
  }
  return callPacked(op, op->getOperand(0), arguments, /*isPure=*/false);
}

LogicalResult FunctionLowering::lowerCallDPSPacked(CallDPSPackedOp op) {
  if (op->getNumOperands() != 2)
    return op.emitOpError(
        "can't be compiled: expected a function and a tuple of arguments");
  Value argument = op->getOperand(1);
  SmallVector<Value> arguments = {argument};
  // TVM hands a tuple with a name on as it is, as CallTIRRewrite does.
  if (TupleOp tuple = getUnnamedTuple(argument))
    arguments = llvm::to_vector(tuple.getFields());
  auto attrs = op.getAttrsAttr();
  if (attrs && !attrs.empty())
    return op->emitOpError("can't be compiled: expected a packed function "
                           "without attributes, found ")
           << attrs;
  FailureOr<PackedCall> call = beginPacked(op, op->getOperand(0));
  if (failed(call))
    return failure();
  for (Value value : arguments)
    if (failed(addArgument(op, *call, getKnown(value), /*isWritten=*/false)))
      return failure();
  Type type = op.getResult().getType();
  SmallVector<Type> types = {type};
  if (auto tuple = dyn_cast<TupleType>(type))
    types = llvm::to_vector(tuple.getTypes());
  Values outputs;
  for (Type type : types) {
    FailureOr<Value> output = allocate(op, type);
    if (failed(output) ||
        failed(addArgument(op, *call, Known{type, {*output}, {}},
                           /*isWritten=*/true)))
      return failure();
    outputs.push_back(*output);
  }
  if (failed(
          callPacked(op, std::move(*call), TupleType::get(op->getContext()))))
    return failure();
  return set(op.getResult(), outputs);
}
