//===- PrimFuncLowering.cpp - Lower one tir.prim_func ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces ops of tir in a copy of the body. Unsigned numbers become signless
// ones by casts, which vanish when all types lose their signs.
//
//===----------------------------------------------------------------------===//

#include "PrimFuncCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita;
using namespace partita::tir;

namespace {
/// Lowers the ops of tir in one function.
class PrimFuncLowering {
public:
  /// `func` has a copy of the body of `primFunc`.
  PrimFuncLowering(func::FuncOp func, PrimFuncOp primFunc,
                   LoweredModule &module)
      : func(func), primFunc(primFunc), module(module),
        builder(func.getLoc(), func.getContext()) {}

  LogicalResult run();

private:
  LogicalResult lower(Operation *op);
  LogicalResult lowerFor(tir::ForOp op);
  LogicalResult lowerAlloc(AllocBufferOp op);
  LogicalResult lowerVar(VarOp op);
  LogicalResult lowerStore(tir::StoreOp op);
  Value lowerConstant(tir::ConstantOp op);
  Value lowerPrim(PrimOp op);
  Value lowerInteger(StringRef kind, Value a, Value b, bool isUnsigned);
  Value lowerFloat(StringRef kind, Value a, Value b);
  Value lowerCast(Value value, Type from, Type to);
  Value lowerIntrinsic(CallIntrinOp op);

  /// Integers without and with their sign.
  Value toSignless(Value value);
  Value toType(Value value, Type type);
  SmallVector<Value> toIndices(ValueRange values);
  /// Puts the body of a region in place of its op.
  void inlineBody(Operation *op, Region &region, ValueRange arguments);

  func::FuncOp func;
  PrimFuncOp primFunc;
  LoweredModule &module;
  ImplicitLocOpBuilder builder;
};
} // namespace

static Type getSignless(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? IntegerType::get(type.getContext(), integer.getWidth())
                 : type;
}

Value PrimFuncLowering::toSignless(Value value) {
  return toType(value, getSignless(value.getType()));
}

Value PrimFuncLowering::toType(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(builder, type, value).getResult(0);
}

SmallVector<Value> PrimFuncLowering::toIndices(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) -> Value {
    if (value.getType().isIndex())
      return value;
    return arith::IndexCastOp::create(builder, builder.getIndexType(),
                                      toSignless(value));
  });
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Value PrimFuncLowering::lowerInteger(StringRef kind, Value a, Value b,
                                     bool isUnsigned) {
  using Predicate = arith::CmpIPredicate;
  auto predicate = llvm::StringSwitch<std::optional<Predicate>>(kind)
                       .Case("EQ", Predicate::eq)
                       .Case("NE", Predicate::ne)
                       .Case("LT", isUnsigned ? Predicate::ult : Predicate::slt)
                       .Case("LE", isUnsigned ? Predicate::ule : Predicate::sle)
                       .Case("GT", isUnsigned ? Predicate::ugt : Predicate::sgt)
                       .Case("GE", isUnsigned ? Predicate::uge : Predicate::sge)
                       .Default(std::nullopt);
  if (predicate)
    return arith::CmpIOp::create(builder, *predicate, a, b);
  if (kind == "FloorMod" && !isUnsigned) {
    // The remainder has the sign of the divisor.
    Value remainder = arith::RemSIOp::create(builder, a, b);
    Value zero =
        arith::ConstantOp::create(builder, builder.getZeroAttr(a.getType()));
    Value isZero =
        arith::CmpIOp::create(builder, Predicate::eq, remainder, zero);
    Value differs = arith::CmpIOp::create(
        builder, Predicate::slt, arith::XOrIOp::create(builder, remainder, b),
        zero);
    Value sum = arith::AddIOp::create(builder, remainder, b);
    Value same = arith::SelectOp::create(builder, differs, sum, remainder);
    return arith::SelectOp::create(builder, isZero, zero, same);
  }
  StringRef name =
      llvm::StringSwitch<StringRef>(kind)
          .Case("Add", "arith.addi")
          .Case("Sub", "arith.subi")
          .Case("Mul", "arith.muli")
          .Case("Div", isUnsigned ? "arith.divui" : "arith.divsi")
          .Case("FloorDiv", isUnsigned ? "arith.divui" : "arith.floordivsi")
          .Cases({"Mod", "FloorMod"},
                 isUnsigned ? "arith.remui" : "arith.remsi")
          .Case("Max", isUnsigned ? "arith.maxui" : "arith.maxsi")
          .Case("Min", isUnsigned ? "arith.minui" : "arith.minsi")
          .Cases({"And", "BitwiseAnd"}, "arith.andi")
          .Cases({"Or", "BitwiseOr"}, "arith.ori")
          .Case("BitwiseXor", "arith.xori")
          .Case("LShift", "arith.shli")
          .Case("RShift", isUnsigned ? "arith.shrui" : "arith.shrsi")
          .Default("");
  if (name.empty())
    return {};
  return builder
      .create(builder.getLoc(), builder.getStringAttr(name), ValueRange{a, b},
              a.getType())
      ->getResult(0);
}

Value PrimFuncLowering::lowerFloat(StringRef kind, Value a, Value b) {
  using Predicate = arith::CmpFPredicate;
  auto predicate = llvm::StringSwitch<std::optional<Predicate>>(kind)
                       .Case("EQ", Predicate::OEQ)
                       .Case("NE", Predicate::UNE)
                       .Case("LT", Predicate::OLT)
                       .Case("LE", Predicate::OLE)
                       .Cases({"GT", "Max"}, Predicate::OGT)
                       .Case("GE", Predicate::OGE)
                       .Case("Min", Predicate::OLT)
                       .Default(std::nullopt);
  if (predicate) {
    Value compared = arith::CmpFOp::create(builder, *predicate, a, b);
    // As TVM's code has it, also for NaN.
    if (kind == "Max" || kind == "Min")
      return arith::SelectOp::create(builder, compared, a, b);
    return compared;
  }
  if (kind == "Add")
    return arith::AddFOp::create(builder, a, b);
  if (kind == "Sub")
    return arith::SubFOp::create(builder, a, b);
  if (kind == "Mul")
    return arith::MulFOp::create(builder, a, b);
  if (kind == "Div")
    return arith::DivFOp::create(builder, a, b);
  return {};
}

Value PrimFuncLowering::lowerCast(Value value, Type from, Type to) {
  Value number = toSignless(value);
  Type type = getSignless(to);
  bool isFromUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  if (isa<FloatType>(from) && isa<FloatType>(type)) {
    unsigned width = from.getIntOrFloatBitWidth();
    if (width < type.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(builder, type, number);
    if (width > type.getIntOrFloatBitWidth())
      return arith::TruncFOp::create(builder, type, number);
    return from == type ? number : Value();
  }
  if (isa<FloatType>(from)) {
    if (type.isInteger(1)) {
      Value zero =
          arith::ConstantOp::create(builder, builder.getZeroAttr(from));
      return arith::CmpFOp::create(builder, arith::CmpFPredicate::UNE, number,
                                   zero);
    }
    if (to.isUnsignedInteger())
      return arith::FPToUIOp::create(builder, type, number);
    return arith::FPToSIOp::create(builder, type, number);
  }
  if (isa<FloatType>(type)) {
    if (isFromUnsigned)
      return arith::UIToFPOp::create(builder, type, number);
    return arith::SIToFPOp::create(builder, type, number);
  }
  auto source = dyn_cast<IntegerType>(number.getType());
  auto target = dyn_cast<IntegerType>(type);
  if (!source || !target)
    return {};
  if (target.getWidth() == 1 && source.getWidth() != 1) {
    Value zero =
        arith::ConstantOp::create(builder, builder.getZeroAttr(source));
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, number,
                                 zero);
  }
  if (source.getWidth() > target.getWidth())
    return arith::TruncIOp::create(builder, type, number);
  if (source.getWidth() == target.getWidth())
    return number;
  if (isFromUnsigned)
    return arith::ExtUIOp::create(builder, type, number);
  return arith::ExtSIOp::create(builder, type, number);
}

Value PrimFuncLowering::lowerConstant(tir::ConstantOp op) {
  Type type = getSignless(op.getType());
  TypedAttr value;
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    value = builder.getFloatAttr(type, number.getValueAsDouble());
  else if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    value = builder.getIntegerAttr(type, integer.getValue());
  return value ? arith::ConstantOp::create(builder, value) : Value();
}

/// Null if the kind, or a type, has no lowering.
Value PrimFuncLowering::lowerPrim(PrimOp op) {
  OperandRange args = op.getArgs();
  StringRef kind = op.getKind();
  Type type = args.empty() ? Type() : args.front().getType();
  if (!type || !type.isIntOrIndexOrFloat())
    return {};
  if (kind == "Cast")
    return lowerCast(args.front(), type, op.getType());
  if (kind == "Not") {
    if (!type.isInteger(1))
      return {};
    Value one = arith::ConstantIntOp::create(builder, 1, 1);
    return arith::XOrIOp::create(builder, args.front(), one);
  }
  if (kind == "Select" && args.size() == 3 && type.isInteger(1))
    return arith::SelectOp::create(builder, args[0], toSignless(args[1]),
                                   toSignless(args[2]));
  if (args.size() != 2 || args[1].getType() != type)
    return {};
  if (isa<FloatType>(type))
    return lowerFloat(kind, args[0], args[1]);
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  return lowerInteger(kind, toSignless(args[0]), toSignless(args[1]),
                      isUnsigned);
}

/// Null if the intrinsic has no lowering.
Value PrimFuncLowering::lowerIntrinsic(CallIntrinOp op) {
  if (op.getArgs().empty() || !op.getResult())
    return {};
  Value x = op.getArgs().front();
  // What TVM's compiler may take for granted.
  if (llvm::is_contained({"prim.likely", "tirx.assume", "tirx.likely",
                          "tirx.ignore_loop_partition"},
                         op.getIntrinsic()))
    return x;
  StringRef name = op.getIntrinsic();
  Type type = op.getResult().getType();
  if (name == "tirx.reinterpret" && type.isSignlessIntOrFloat() &&
      x.getType().isSignlessIntOrFloat() &&
      type.getIntOrFloatBitWidth() == x.getType().getIntOrFloatBitWidth())
    return arith::BitcastOp::create(builder, type, x);
  if (!isa<FloatType>(x.getType()))
    return {};
  if (name == "tirx.sigmoid") {
    Value one = arith::ConstantOp::create(
        builder, builder.getFloatAttr(x.getType(), 1.0));
    Value exp = math::ExpOp::create(builder, arith::NegFOp::create(builder, x));
    return arith::DivFOp::create(builder, one,
                                 arith::AddFOp::create(builder, one, exp));
  }
  if (name == "tirx.isnan")
    return arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, x, x);
  if (name == "tirx.round")
    return math::RoundOp::create(builder, x);
  return {};
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void PrimFuncLowering::inlineBody(Operation *op, Region &region,
                                  ValueRange arguments) {
  Block &body = region.front();
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), arguments))
    argument.replaceAllUsesWith(value);
  body.getTerminator()->erase();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations());
  op->erase();
}

LogicalResult PrimFuncLowering::lowerFor(tir::ForOp op) {
  bool leaves = false;
  op.walk([&](Operation *inner) { leaves |= isa<BreakOp, ContinueOp>(inner); });
  if (op.getKind() == "thread_binding" || leaves)
    return op.emitOpError("can't be compiled: expected a loop of no thread, "
                          "without break and continue");
  Type type = op.getBody().getArgument(0).getType();
  Value min = toSignless(op.getMin());
  Value end = arith::AddIOp::create(builder, min, toSignless(op.getExtent()));
  Value step = op.getStep() ? toSignless(op.getStep()) : Value();
  if (!step)
    step = arith::ConstantOp::create(builder,
                                     builder.getIntegerAttr(min.getType(), 1));
  Block *target;
  Value variable;
  // The caller's functions, and code that may allocate, run on its thread.
  bool calls = op.walk([](func::CallOp) {
                   return WalkResult::interrupt();
                 }).wasInterrupted();
  if (op.getKind() == "parallel" && !calls) {
    SmallVector<Value> bounds = toIndices({min, end, step});
    auto loop =
        scf::ParallelOp::create(builder, bounds[0], bounds[1], bounds[2]);
    target = loop.getBody();
    builder.setInsertionPointToStart(target);
    variable = arith::IndexCastOp::create(builder, min.getType(),
                                          loop.getInductionVars().front());
  } else {
    auto loop = scf::ForOp::create(builder, min, end, step);
    target = loop.getBody();
    builder.setInsertionPointToStart(target);
    variable = loop.getInductionVar();
  }
  Block &body = op.getBody().front();
  body.getArgument(0).replaceAllUsesWith(toType(variable, type));
  body.getTerminator()->erase();
  target->getOperations().splice(target->getTerminator()->getIterator(),
                                 body.getOperations());
  op.erase();
  return success();
}

LogicalResult PrimFuncLowering::lowerAlloc(AllocBufferOp op) {
  auto type = cast<MemRefType>(op.getType());
  if (!type.getLayout().isIdentity() || !op.getStrides().empty())
    return op.emitOpError("can't be compiled: expected a compact buffer");
  // All memory is the same to a processor.
  auto plain = MemRefType::get(type.getShape(), type.getElementType());
  SmallVector<Value> sizes;
  if (!type.hasStaticShape()) {
    if (op.getShape().size() != static_cast<size_t>(type.getRank()))
      return op.emitOpError("can't be compiled: expected sizes");
    for (auto [index, size] : llvm::enumerate(op.getShape()))
      if (type.isDynamicDim(index))
        sizes.push_back(toIndices(size).front());
  }
  Value memref = memref::AllocOp::create(builder, plain, sizes);
  op.getResult().setType(plain);
  op.getResult().replaceAllUsesWith(memref);
  op.erase();
  return success();
}

/// Replaces a variable by the size of a parameter that it is.
LogicalResult PrimFuncLowering::lowerVar(VarOp op) {
  for (OpOperand &use : op.getResult().getUses()) {
    auto buffer = dyn_cast<BufferDeclOp>(use.getOwner());
    if (!buffer || !isa<BlockArgument>(buffer.getBuffer()))
      continue;
    auto position = llvm::find(buffer.getShape(), op.getResult());
    if (position == buffer.getShape().end())
      continue;
    builder.setInsertionPoint(op);
    Value size = memref::DimOp::create(builder, buffer.getBuffer(),
                                       position - buffer.getShape().begin());
    Type type = op.getResult().getType();
    op.getResult().replaceAllUsesWith(toType(
        arith::IndexCastOp::create(builder, getSignless(type), size), type));
    op.erase();
    return success();
  }
  return op.emitOpError("can't be compiled: expected a variable that is the "
                        "size of a parameter");
}

LogicalResult PrimFuncLowering::lowerStore(tir::StoreOp op) {
  if (isa<VectorType>(op.getValue().getType()))
    return op.emitOpError("can't be compiled: expected one element");
  memref::StoreOp::create(builder, op.getValue(), op.getBuffer(),
                          toIndices(op.getIndices()));
  op.erase();
  return success();
}

LogicalResult PrimFuncLowering::lower(Operation *op) {
  builder.setInsertionPoint(op);
  builder.setLoc(op->getLoc());
  auto replace = [&](Value value) -> LogicalResult {
    if (!value)
      return op->emitOpError("can't be compiled: expected arithmetic that has "
                             "a lowering");
    op->getResult(0).replaceAllUsesWith(
        toType(value, op->getResult(0).getType()));
    op->erase();
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](RetOp op) -> LogicalResult {
        // The terminator takes its value.
        if (isa_and_present<tir::ReturnOp>(op->getNextNode()) &&
            TypeRange(func.getResultTypes()) == op->getOperandTypes())
          return success();
        return op.emitOpError("can't be compiled: expected it at the end of "
                              "the function, with the function's result type");
      })
      .Case([&](tir::ReturnOp op) -> LogicalResult {
        auto ret = dyn_cast_or_null<RetOp>(op->getPrevNode());
        if (!ret && func.getNumResults() != 0)
          return op.emitOpError("can't be compiled: expected a tir.ret");
        func::ReturnOp::create(builder,
                               ret ? ret->getOperands() : ValueRange());
        op.erase();
        if (ret)
          ret.erase();
        return success();
      })
      .Case([&](BufferDeclOp op) -> LogicalResult {
        if (!op.getStrides().empty() || op.getElemOffset())
          return op.emitOpError("can't be compiled: expected a compact buffer");
        op.erase();
        return success();
      })
      .Case([&](tir::ConstantOp op) { return replace(lowerConstant(op)); })
      .Case([&](PrimOp op) { return replace(lowerPrim(op)); })
      .Case([&](CallIntrinOp op) -> LogicalResult {
        if (Value value = lowerIntrinsic(op))
          return replace(value);
        return op.emitOpError("can't be compiled: expected an intrinsic that "
                              "has a lowering, found '")
               << op.getIntrinsic() << "'";
      })
      .Case([&](BindOp op) { return replace(op.getValue()); })
      .Case([&](LetOp op) {
        Value result = op.getBody().front().getTerminator()->getOperand(0);
        op.getResult().replaceAllUsesWith(result);
        inlineBody(op, op.getBody(), op.getValue());
        return success();
      })
      .Case([&](EvaluateOp op) {
        op.erase();
        return success();
      })
      .Case([&](tir::LoadOp op) -> LogicalResult {
        if (isa<VectorType>(op.getType()))
          return op.emitOpError("can't be compiled: expected one element");
        return replace(memref::LoadOp::create(builder, op.getBuffer(),
                                              toIndices(op.getIndices())));
      })
      .Case([&](tir::StoreOp op) { return lowerStore(op); })
      .Case([&](tir::ForOp op) { return lowerFor(op); })
      .Case([&](AttrOp op) -> LogicalResult {
        if (op.getThread() || op.getBody().getNumArguments() != 0)
          return op.emitOpError("can't be compiled: expected no thread");
        inlineBody(op, op.getBody(), {});
        return success();
      })
      .Case([&](AttrNodeOp op) {
        op.erase();
        return success();
      })
      .Case([&](AllocBufferOp op) { return lowerAlloc(op); })
      .Default([](Operation *op) {
        return op->emitOpError("can't be compiled; expected plain loops and "
                               "arithmetic");
      });
}

LogicalResult PrimFuncLowering::run() {
  // Calls first, because of the strings and arrays that are only theirs.
  SmallVector<Operation *> calls;
  func.walk([&](Operation *op) {
    if (isPackedCall(op) || isa<tir::CallOp>(op))
      calls.push_back(op);
  });
  for (Operation *op : calls) {
    auto call = dyn_cast<tir::CallOp>(op);
    if (failed(call ? lowerPrimFuncCall(call, primFunc, module)
                    : lowerPackedCall(op, module)))
      return failure();
  }
  // Then variables, because declarations of buffers say what they are.
  SmallVector<Operation *> ops, vars;
  func.walk([&](Operation *op) {
    if (isa<VarOp>(op))
      vars.push_back(op);
    else if (isa_and_nonnull<TIRDialect>(op->getDialect()) &&
             !isa<tir::YieldOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : vars)
    if (failed(lowerVar(cast<VarOp>(op))))
      return failure();
  for (Operation *op : ops)
    if (failed(lower(op)))
      return failure();
  return success();
}

LogicalResult partita::lowerPrimFunc(PrimFuncOp primFunc,
                                     LoweredModule &module) {
  if (primFunc.isExternal())
    return primFunc.emitError("expected a prim_func with a body");
  auto func = func::FuncOp::create(
      module.getBuilder(), primFunc.getLoc(),
      getLoweredName(primFunc.getSymName()),
      module.getBuilder().getFunctionType(primFunc.getArgumentTypes(),
                                          getReturnTypes(primFunc)));
  func.setPrivate();
  IRMapping map;
  primFunc.getBody().cloneInto(&func.getBody(), map);
  return PrimFuncLowering(func, primFunc, module).run();
}
