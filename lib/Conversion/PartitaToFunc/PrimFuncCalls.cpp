//===- PrimFuncCalls.cpp - Calls in a tir.prim_func -----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TVM's code puts the address and the sizes of a buffer into an array for a
// packed function. Here the function gets the buffer itself, and may write it.
//
//===----------------------------------------------------------------------===//

#include "PrimFuncCalls.h"
#include "Metadata.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace partita;
using namespace partita::tir;

bool partita::isPackedCall(Operation *op) {
  auto call = dyn_cast<CallIntrinOp>(op);
  return call &&
         llvm::is_contained({"tirx.tvm_call_packed", "tirx.tvm_call_cpacked",
                             "tirx.call_packed", "tirx.call_cpacked"},
                            call.getIntrinsic());
}

bool partita::isExternCall(Operation *op) {
  auto call = dyn_cast<CallIntrinOp>(op);
  return call &&
         llvm::is_contained({"tirx.call_extern", "tirx.call_pure_extern"},
                            call.getIntrinsic());
}

/// The intrinsic `name` that makes `value`, or null.
static CallIntrinOp getIntrinsic(Value value, StringRef name) {
  auto op = value.getDefiningOp<CallIntrinOp>();
  return op && op.getIntrinsic() == name && !op.getArgs().empty()
             ? op
             : CallIntrinOp();
}

Value partita::getBufferAt(Value address) {
  CallIntrinOp data = getIntrinsic(address, "tirx.buffer_data");
  return data && isa<MemRefType>(data.getArgs().front().getType())
             ? data.getArgs().front()
             : Value();
}

/// The buffer that TVM's `array` describes, or null. Its memory is compact.
static Value getBuffer(Value array) {
  CallIntrinOp made = getIntrinsic(array, "tirx.tvm_stack_make_array");
  Value buffer = made ? getBufferAt(made.getArgs().front()) : Value();
  return buffer && cast<MemRefType>(buffer.getType()).getLayout().isIdentity()
             ? buffer
             : Value();
}

/// Erases `op` and what only it has used.
static void eraseCall(Operation *op) {
  SmallVector<Value> operands = llvm::to_vector(op->getOperands());
  op->erase();
  for (Value operand : operands) {
    Operation *made = operand.getDefiningOp();
    if (isa_and_nonnull<CallIntrinOp, tir::StringOp>(made) && made->use_empty())
      eraseCall(made);
  }
}

LogicalResult partita::lowerPackedCall(Operation *op, LoweredModule &module) {
  auto call = cast<CallIntrinOp>(op);
  OperandRange args = call.getArgs();
  auto name = args.empty() ? tir::StringOp()
                           : args.front().getDefiningOp<tir::StringOp>();
  if (!name)
    return op->emitOpError("can't be compiled: expected the name of a packed "
                           "function");
  llvm::json::Array params;
  SmallVector<Value> operands;
  for (Value arg : args.drop_front()) {
    if (auto string = arg.getDefiningOp<tir::StringOp>()) {
      params.push_back(describeString(string.getValue()));
      continue;
    }
    Value buffer = getBuffer(arg);
    Value operand = buffer ? buffer : arg;
    auto memref = dyn_cast<MemRefType>(operand.getType());
    Type type = memref ? RankedTensorType::get(memref.getShape(),
                                               memref.getElementType())
                       : operand.getType();
    std::optional<llvm::json::Object> param = describeType(type);
    if (!param)
      return op->emitOpError("can't be compiled: expected a packed function of "
                             "strings, numbers and compact buffers, found ")
             << arg.getType();
    if (memref) {
      (*param)["is_written"] = true;
      auto plain = MemRefType::get(memref.getShape(), memref.getElementType());
      if (memref != plain)
        return op->emitOpError("can't be compiled: expected a buffer of the "
                               "CPU's memory, found ")
               << memref;
    }
    params.push_back(std::move(*param));
    operands.push_back(operand);
  }
  OpBuilder builder(op);
  Value returned = call.getResult();
  bool isUsed = returned && !returned.use_empty();
  Type result =
      isUsed ? returned.getType() : Type(TupleType::get(op->getContext()));
  std::optional<llvm::json::Object> described = describeType(result);
  if (!described)
    return op->emitOpError("can't be compiled: expected a packed function that "
                           "returns a number, found ")
           << result;
  func::FuncOp declaration = module.getPackedFunc(
      op->getLoc(),
      builder.getFunctionType(ValueRange(operands).getTypes(),
                              isUsed ? TypeRange(result) : TypeRange()),
      llvm::json::Object{{"name", llvm::json::fixUTF8(name.getValue())},
                         {"params", std::move(params)},
                         {"result", std::move(*described)}});
  auto lowered =
      func::CallOp::create(builder, op->getLoc(), declaration, operands);
  if (isUsed)
    returned.replaceAllUsesWith(lowered.getResult(0));
  eraseCall(op);
  return success();
}

/// Whether C's library has a function `name` of this type.
static bool isInLibrary(StringRef name, FunctionType type) {
  ArrayRef<Type> inputs = type.getInputs();
  Type number = type.getNumResults() == 1 ? type.getResult(0) : Type();
  if (inputs.empty() || !number)
    return false;
  if (name == "abs" || name == "labs" || name == "llabs")
    return inputs.size() == 1 && inputs[0] == number &&
           number.isSignlessInteger(name == "abs" ? 32 : 64);
  if (!number.isF64() && !(number.isF32() && name.consume_back("f")))
    return false;
  if (name == "ldexp")
    return inputs.size() == 2 && inputs[0] == number &&
           inputs[1].isSignlessInteger(32);
  if (!llvm::all_equal(inputs) || inputs.front() != number)
    return false;
  static const llvm::StringSet<> names[] = {
      {"acos",  "acosh", "asin",      "asinh", "atan",   "atanh",     "cbrt",
       "ceil",  "cos",   "cosh",      "erf",   "erfc",   "exp",       "exp10",
       "exp2",  "expm1", "fabs",      "floor", "lgamma", "log",       "log10",
       "log1p", "log2",  "nearbyint", "rint",  "round",  "roundeven", "sin",
       "sinh",  "sqrt",  "tan",       "tanh",  "tgamma", "trunc"},
      {"atan2", "copysign", "fdim", "fmax", "fmin", "fmod", "hypot",
       "nextafter", "pow", "remainder"},
      {"fma"}};
  return inputs.size() <= std::size(names) &&
         names[inputs.size() - 1].contains(name);
}

LogicalResult partita::lowerExternCall(Operation *op, LoweredModule &module) {
  auto call = cast<CallIntrinOp>(op);
  OperandRange args = call.getArgs();
  auto name = args.empty() ? tir::StringOp()
                           : args.front().getDefiningOp<tir::StringOp>();
  if (!name)
    return op->emitOpError(
        "can't be compiled: expected the name of a function");
  OpBuilder builder(op);
  auto type = builder.getFunctionType(args.drop_front().getTypes(),
                                      op->getResultTypes());
  if (!isInLibrary(name.getValue(), type))
    return op->emitOpError("can't be compiled: expected a function of C's "
                           "library that computes with numbers, such as sinf, "
                           "found '")
           << name.getValue() << "' of type " << type
           << "; call another function by tirx.call_packed";
  auto lowered = func::CallOp::create(
      builder, op->getLoc(),
      module.getFunction(op->getLoc(), name.getValue(), type),
      args.drop_front());
  op->replaceAllUsesWith(lowered);
  eraseCall(op);
  return success();
}

LogicalResult partita::lowerPrimFuncCall(tir::CallOp op, PrimFuncOp caller,
                                         LoweredModule &module) {
  auto callee = module.lookup<PrimFuncOp>(caller, op.getCalleeAttr());
  if (!callee || callee.isExternal())
    return op.emitOpError("can't be compiled: expected a prim_func '")
           << op.getCallee() << "' with a body";
  SmallVector<Type, 1> results = getReturnTypes(callee);
  TypeRange found = op->getResultTypes();
  if (callee.getNumArguments() != op.getArgs().size() ||
      (!found.empty() && found != TypeRange(results)))
    return op.emitOpError("can't be compiled: expected a call of type ")
           << callee.getFunctionType();
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (auto [arg, type] :
       llvm::zip_equal(op.getArgs(), callee.getArgumentTypes())) {
    Value operand = arg;
    if (isa<MemRefType>(type) && operand.getType() != type &&
        memref::CastOp::areCastCompatible(operand.getType(), type))
      operand = memref::CastOp::create(builder, op.getLoc(), type, operand);
    if (operand.getType() != type)
      return op.emitOpError("can't be compiled: expected an argument of type ")
             << type << ", found " << arg.getType();
    operands.push_back(operand);
  }
  auto call = func::CallOp::create(
      builder, op.getLoc(), getLoweredName(op.getCallee()), results, operands);
  if (!found.empty())
    op->replaceAllUsesWith(call.getResults());
  op.erase();
  return success();
}
