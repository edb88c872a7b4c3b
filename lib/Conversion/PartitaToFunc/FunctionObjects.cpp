//===- FunctionObjects.cpp - Values that are objects ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object is a pointer whose meaning the caller of the compiled code knows:
// TVM's R.Object, functions, and tensors and shapes whose rank or dtype is
// unknown. Packed functions that each caller has make objects of other values
// and give these back:
//
//   partita.box(x)                a copy of x as an object
//   partita.unbox(x)              x, as what the code expects
//   partita.make_closure(f, ...)  the function that calls the function f of the
//                                 module with its own arguments and then these
//   partita.shape_of(x)           the sizes of a tensor
//   partita.reshape(x, shape)
//   partita.inspect(what, x, ...) what R.inspect's function of this name gives
//
// What the code itself knows is made an object only where an object is needed.
//
//===----------------------------------------------------------------------===//

#include "FunctionLowering.h"
#include "Metadata.h"
#include "partita/Support/DTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

bool partita::isObject(Type type) {
  if (std::optional<TensorInfo> info = TensorInfo::get(type))
    return !info->isRanked || !info->elementType;
  if (auto shape = dyn_cast<ShapeType>(type))
    return !shape.getRanked();
  return isa<ObjectType, CallableType>(type);
}

Operation *partita::getDefinition(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<AliasOp, MatchCastOp>(op)) {
      value = op->getOperand(0);
    } else if (auto dataflow = dyn_cast<DataflowOp>(op)) {
      value = dataflow.getBodyRegion().front().getTerminator()->getOperand(
          cast<OpResult>(value).getResultNumber());
    } else if (auto item = dyn_cast<TupleGetItemOp>(op)) {
      auto tuple = getDefinition<TupleOp>(item.getTupleValue());
      if (!tuple || item.getIndex() >= tuple.getFields().size())
        return op;
      value = tuple.getFields()[item.getIndex()];
    } else {
      return op;
    }
  }
  return nullptr;
}

FunctionLowering::Known FunctionLowering::getKnown(Value value) {
  auto it = knownTypes.find(value);
  return {it == knownTypes.end() ? value.getType() : it->second,
          Values(get(value)), value};
}

SmallVector<FunctionLowering::Known>
FunctionLowering::getFields(const Known &tuple) {
  SmallVector<Known> fields;
  auto type = dyn_cast<TupleType>(tuple.type);
  if (!type)
    return fields;
  auto op = tuple.source ? getDefinition<TupleOp>(tuple.source) : TupleOp();
  for (auto [index, part] :
       llvm::enumerate(splitByType(type.getTypes(), tuple.lowered)))
    fields.push_back({type.getType(index), Values(part),
                      op && index < op.getFields().size()
                          ? op.getFields()[index]
                          : Value()});
  return fields;
}

FailureOr<Value> FunctionLowering::getMemory(Operation *op, Value tensor) {
  ArrayRef<Value> lowered = get(tensor);
  if (lowered.size() == 1 && isa<MemRefType>(lowered.front().getType()))
    return lowered.front();
  return op->emitOpError("can't be compiled: expected a tensor of known rank "
                         "and dtype, found ")
         << getKnown(tensor).type;
}

LogicalResult FunctionLowering::checkClosure(Operation *op,
                                             MakeClosureOp closure) {
  if (closure->getNumOperands() == 2 &&
      isa<TupleType>(getKnown(closure->getOperand(1)).type))
    return success();
  return op->emitOpError("can't be compiled: expected a closure that is made "
                         "of a function and a tuple");
}

FailureOr<Value> FunctionLowering::makeObject(Operation *op, Value source) {
  Operation *definition = getDefinition(source);
  Type object = ObjectType::get(op->getContext());
  if (isa_and_nonnull<StringOp, DTypeOp>(definition)) {
    Known text = {NoneType::get(op->getContext()), {}, source};
    FailureOr<Values> boxed = callRuntime(op, "partita.box", text, object);
    return failed(boxed) ? FailureOr<Value>() : boxed->front();
  }
  SmallVector<Known> captured;
  if (auto closure = dyn_cast_or_null<MakeClosureOp>(definition)) {
    if (failed(checkClosure(op, closure)))
      return failure();
    captured = getFields(getKnown(closure->getOperand(1)));
    definition = getDefinition(closure->getOperand(0));
  }
  auto global = dyn_cast_or_null<GlobalOp>(definition);
  auto callee =
      global ? module.lookup<FuncOp>(op, global.getValueAttr()) : FuncOp();
  if (!callee)
    return op->emitOpError("can't be compiled: expected an object, a string, a "
                           "dtype or a relax.func of the module as a value");
  module.addClosure(callee);
  PackedCall call = {"partita.make_closure"};
  call.params.push_back(describeString(callee.getSymName()));
  for (const Known &value : captured)
    if (failed(addArgument(op, call, value, /*isWritten=*/false)))
      return failure();
  FailureOr<Values> made = callPacked(op, std::move(call), object);
  return failed(made) ? FailureOr<Value>() : made->front();
}

/// Whether the type `wanted` of an object says more than `type`, the type of
/// another.
static bool saysMore(Type wanted, Type type) {
  if (isa<ObjectType, CallableType>(wanted) || wanted == type)
    return false;
  std::optional<TensorInfo> more = TensorInfo::get(wanted),
                            less = TensorInfo::get(type);
  return !more || !less || (more->isRanked && !less->isRanked) ||
         (more->elementType && !less->elementType);
}

FailureOr<FunctionLowering::Values>
FunctionLowering::convert(Operation *op, const Known &value, Type wanted) {
  if (isa<NoneType>(value.type)) {
    if (!isObject(wanted))
      return op->emitOpError("can't be compiled: expected a value of type ")
             << wanted << ", found a function, a string or a dtype";
    FailureOr<Value> object = makeObject(op, value.source);
    return failed(object) ? FailureOr<Values>() : Values{*object};
  }
  if (isObject(value.type))
    return saysMore(wanted, value.type)
               ? callRuntime(op, "partita.unbox", value, wanted)
               : FailureOr<Values>(value.lowered);
  if (isObject(wanted))
    return callRuntime(op, "partita.box", value, wanted);
  auto tuple = dyn_cast<TupleType>(wanted);
  if (tuple && isa<TupleType>(value.type))
    return convertAll(op, getFields(value), tuple.getTypes());
  FailureOr<SmallVector<Type>> types = lowerTypes(op, wanted);
  return failed(types) ? FailureOr<Values>()
                       : castAll(op, value.lowered, *types);
}

FailureOr<FunctionLowering::Values>
FunctionLowering::convertAll(Operation *op, ArrayRef<Known> from,
                             TypeRange types) {
  if (from.size() != types.size())
    return op->emitOpError("can't be compiled: expected ")
           << types.size() << " values, found " << from.size();
  Values all;
  for (auto [value, type] : llvm::zip_equal(from, types)) {
    FailureOr<Values> converted = convert(op, value, type);
    if (failed(converted))
      return failure();
    llvm::append_range(all, *converted);
  }
  return all;
}

LogicalResult FunctionLowering::addArguments(Operation *op, const Known &value,
                                             TypeRange types, Values &all) {
  if (isa<TupleType>(value.type)) {
    for (const Known &field : getFields(value))
      if (failed(addArguments(op, field, types, all)))
        return failure();
    return success();
  }
  auto memory = all.size() < types.size()
                    ? dyn_cast<MemRefType>(types[all.size()])
                    : MemRefType();
  FailureOr<Values> arguments =
      memory && isObject(value.type)
          ? convert(op, value,
                    RankedTensorType::get(memory.getShape(),
                                          memory.getElementType()))
          : FailureOr<Values>(value.lowered);
  if (succeeded(arguments))
    llvm::append_range(all, *arguments);
  return success(succeeded(arguments));
}

FailureOr<FunctionLowering::Values>
FunctionLowering::getArguments(Operation *op, ValueRange from,
                               TypeRange types) {
  Values all;
  for (Value value : from)
    if (failed(addArguments(op, getKnown(value), types, all)))
      return failure();
  return all;
}

FailureOr<FunctionLowering::Values>
FunctionLowering::getObjectSizes(Operation *op, Type type, Value object) {
  auto it = objectSizes.find(object);
  if (it != objectSizes.end())
    return it->second;
  Type shape =
      ShapeType::get(op->getContext(),
                     SmallVector<Dim>(TensorInfo::get(type)->getRank(), Dim()),
                     /*ranked=*/true);
  FailureOr<Values> sizes =
      callRuntime(op, "partita.shape_of", Known{type, {object}, {}}, shape);
  if (succeeded(sizes))
    objectSizes[object] = *sizes;
  return sizes;
}

//===----------------------------------------------------------------------===//
// What a tensor is
//===----------------------------------------------------------------------===//

/// The number that `op` gives for compact memory of `type`, where sizes don't
/// matter.
static std::optional<int64_t> inspect(Operation *op, MemRefType type) {
  Type element = type.getElementType();
  if (isa<TensorNDimOp>(op))
    return type.getRank();
  if (isa<TensorDTypeBitsOp>(op))
    return element.isInteger(1) ? 8 : element.getIntOrFloatBitWidth();
  if (isa<TensorDTypeCodeOp>(op))
    return getDType(element).code;
  if (isa<TensorDTypeLanesOp>(op))
    return 1;
  if (isa<TensorByteOffsetOp, TensorElemOffsetOp>(op))
    return 0;
  return std::nullopt;
}

LogicalResult FunctionLowering::lowerInspect(Operation *op) {
  Known tensor = getKnown(op->getOperand(0));
  Value result = op->getResult(0);
  if (isObject(tensor.type)) {
    PackedCall call = {"partita.inspect"};
    call.params.push_back(describeString(
        op->getName().stripDialect().drop_front(strlen("inspect."))));
    for (Value operand : op->getOperands())
      if (failed(addArgument(op, call, getKnown(operand), /*isWritten=*/false)))
        return failure();
    FailureOr<Values> given = callPacked(op, std::move(call), result.getType());
    return failed(given) ? failure() : set(result, *given);
  }
  Value memory = tensor.lowered.front();
  auto type = cast<MemRefType>(memory.getType());
  if (std::optional<int64_t> number = inspect(op, type))
    return set(result,
               arith::ConstantOp::create(
                   builder, builder.getIntegerAttr(result.getType(), *number))
                   .getResult());
  Values axis(get(op->getOperand(1)));
  if (axis.size() != 1 || !axis.front().getType().isInteger(64))
    return op->emitOpError("can't be compiled: expected an axis of 64 bits");
  auto number = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, value, 64).getResult();
  };
  auto isEqual = [&](arith::CmpIPredicate predicate, Value other) {
    return builder.createOrFold<arith::CmpIOp>(predicate, axis.front(), other);
  };
  failUnless(isEqual(arith::CmpIPredicate::ult, number(type.getRank())),
             "expected an axis in '" + func.getSymName() +
                 "' to be at least 0 and less than " + Twine(type.getRank()));
  Value found = number(1), stride = number(1);
  for (int64_t index = type.getRank(); index-- > 0;) {
    Value size = getSize(memory, index);
    found = builder.createOrFold<arith::SelectOp>(
        isEqual(arith::CmpIPredicate::eq, number(index)),
        isa<TensorShapeIOp>(op) ? size : stride, found);
    stride = builder.createOrFold<arith::MulIOp>(stride, size);
  }
  return set(result, found);
}
