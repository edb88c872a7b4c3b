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

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

/// Describes an argument; nothing if a packed function can't take it.
static std::optional<llvm::json::Object> describeArgument(Value argument) {
  if (auto string = argument.getDefiningOp<StringOp>())
    return describeString(string.getValue());
  if (auto dtype = argument.getDefiningOp<DTypeOp>())
    return describeDType(dtype.getValue());
  return describeType(argument.getType());
}

FailureOr<FunctionLowering::Values>
FunctionLowering::callPacked(Operation *op, Value callee,
                             ArrayRef<Value> arguments, TypeRange outputTypes,
                             ValueRange outputs, Type result) {
  auto packed = getDefinition<ExternFuncOp>(callee);
  ArrayRef<Value> object = get(callee);
  if (!packed && !(object.size() == 1 &&
                   isa<LLVM::LLVMPointerType>(object.front().getType())))
    return op->emitOpError("can't be compiled: expected a call of a "
                           "relax.extern_func or of a function that the caller "
                           "gives, found another function");
  auto attrs = op->getAttrOfType<DictionaryAttr>("attrs");
  if (attrs && !attrs.empty())
    return op->emitOpError("can't be compiled: expected a packed function "
                           "without attributes, found ")
           << attrs;
  auto makeError = [&](Type found) {
    return op->emitOpError(
               "can't be compiled: expected a packed function of "
               "tensors with a known rank and dtype, shapes, numbers, "
               "strings, dtypes, objects and tuples of them, found ")
           << found;
  };
  bool writesArguments = outputs.empty() && !isMemoryEffectFree(op);
  llvm::json::Array params;
  Values operands;
  if (!packed) {
    params.push_back(*describeType(callee.getType()));
    operands.push_back(object.front());
  }
  for (Value argument : arguments) {
    std::optional<llvm::json::Object> param = describeArgument(argument);
    if (!param)
      return makeError(argument.getType());
    ArrayRef<Value> lowered = get(argument);
    SmallVector<Type> types;
    bool isKnown = param->get("value");
    if (!isKnown && (failed(lowerType(argument.getType(), types)) ||
                     TypeRange(types) != ValueRange(lowered).getTypes()))
      return makeError(argument.getType());
    if (writesArguments && lowered.size() == 1 && isAllocated(lowered.front()))
      (*param)["is_written"] = true;
    params.push_back(std::move(*param));
    llvm::append_range(operands, lowered);
  }
  for (auto [type, output] : llvm::zip_equal(outputTypes, outputs)) {
    std::optional<llvm::json::Object> param = describeType(type);
    if (!param)
      return makeError(type);
    (*param)["is_written"] = true;
    params.push_back(std::move(*param));
    operands.push_back(output);
  }
  std::optional<llvm::json::Object> returned = describeType(result);
  if (!returned)
    return makeError(result);
  FailureOr<SmallVector<Type>> types = lowerTypes(op, result);
  if (failed(types))
    return failure();
  llvm::json::Object description{{"params", std::move(params)},
                                 {"result", std::move(*returned)}};
  std::string name = "a function that the caller gives";
  if (packed) {
    name = llvm::json::fixUTF8(packed.getValue());
    description["name"] = name;
  }
  func::FuncOp declaration = module.getPackedFunc(
      op->getLoc(),
      builder.getFunctionType(ValueRange(operands).getTypes(), *types),
      std::move(description));
  Values results =
      func::CallOp::create(builder, declaration, operands).getResults();
  bindNames(result, results);
  if (failed(
          check(op, result, results,
                "the result of '" + name + "' in '" + func.getSymName() + "'")))
    return failure();
  return results;
}

LogicalResult FunctionLowering::lowerCallPacked(Operation *op) {
  Value returned = op->getResult(0);
  // TVM's type of a call says nothing where no one uses the result. A cast says
  // what the function returns.
  Type type = returned.getType();
  if (isa<ObjectType>(type)) {
    if (returned.use_empty())
      type = TupleType::get(op->getContext());
    else if (auto cast = dyn_cast<MatchCastOp>(*returned.user_begin());
             cast && returned.hasOneUse())
      type = cast.getType();
  }
  FailureOr<Values> results =
      callPacked(op, op->getOperand(0),
                 llvm::to_vector(op->getOperands().drop_front()), {}, {}, type);
  return failed(results) ? failure() : set(returned, *results);
}

LogicalResult FunctionLowering::lowerCallDPSPacked(CallDPSPackedOp op) {
  if (op->getNumOperands() != 2)
    return op.emitOpError(
        "can't be compiled: expected a function and a tuple of arguments");
  Value argument = op->getOperand(1);
  SmallVector<Value> arguments = {argument};
  // TVM hands a tuple with a name on as it is, as CallTIRRewrite does.
  if (auto tuple = argument.getDefiningOp<TupleOp>();
      tuple && !isa<NameLoc>(tuple.getLoc()))
    arguments = llvm::to_vector(tuple.getFields());
  Type type = op.getResult().getType();
  SmallVector<Type> types = {type};
  if (auto tuple = dyn_cast<TupleType>(type))
    types = llvm::to_vector(tuple.getTypes());
  Values outputs;
  for (Type type : types) {
    FailureOr<Value> output = allocate(op, type);
    if (failed(output))
      return failure();
    outputs.push_back(*output);
  }
  if (failed(callPacked(op, op->getOperand(0), arguments, types, outputs,
                        TupleType::get(op->getContext()))))
    return failure();
  return set(op.getResult(), outputs);
}
