//===- PrimFuncLowering.cpp - Lower one tir.prim_func ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces ops of tir in a copy of the body.
//
//===----------------------------------------------------------------------===//

#include "LoopJumps.h"
#include "Metadata.h"
#include "PrimFuncArithmetic.h"
#include "PrimFuncCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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
        builder(func.getLoc(), func.getContext()), arithmetic(builder, module) {
  }

  LogicalResult run();

private:
  LogicalResult lower(Operation *op);
  LogicalResult lowerFor(tir::ForOp op);
  /// Where the elements of a buffer are in its memory.
  struct Layout {
    OpFoldResult offset;
    SmallVector<OpFoldResult> sizes, strides;
  };
  template <typename BufferOpT>
  FailureOr<Layout> getLayout(BufferOpT op);
  Value toValue(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(builder, builder.getLoc(), number);
  }
  /// Replaces a buffer by a view of the memory of `source`.
  void replaceByView(Operation *op, Value source, const Layout &layout);
  LogicalResult lowerAlloc(AllocBufferOp op);
  LogicalResult lowerDecl(DeclBufferOp op);
  Value castElements(Value buffer, Type element);
  void checkSizes(BufferDeclOp op);
  LogicalResult lowerVar(VarOp op);
  LogicalResult lowerStore(tir::StoreOp op);
  Value lowerLoad(tir::LoadOp op);
  /// The indices of one element, if some are vectors.
  SmallVector<Value> toIndices(ValueRange values, int64_t lane = 0);

  /// Puts the body of a region in place of its op.
  void inlineBody(Operation *op, Region &region, ValueRange arguments);

  func::FuncOp func;
  PrimFuncOp primFunc;
  LoweredModule &module;
  ImplicitLocOpBuilder builder;
  PrimFuncArithmetic arithmetic;
};
} // namespace

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

SmallVector<Value> PrimFuncLowering::toIndices(ValueRange values,
                                               int64_t lane) {
  return llvm::map_to_vector(values, [&](Value value) {
    return arithmetic.toIndex(
        arithmetic.getLane(arithmetic.toSignless(value), lane));
  });
}

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
  if (op.getKind() == "thread_binding")
    return op.emitOpError("can't be compiled: expected a loop of no thread");
  Type type = op.getBody().getArgument(0).getType();
  Value min = arithmetic.toSignless(op.getMin());
  Value end = arith::AddIOp::create(builder, min,
                                    arithmetic.toSignless(op.getExtent()));
  Value step = op.getStep() ? arithmetic.toSignless(op.getStep()) : Value();
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
  body.getArgument(0).replaceAllUsesWith(arithmetic.toType(variable, type));
  body.getTerminator()->erase();
  target->getOperations().splice(target->getTerminator()->getIterator(),
                                 body.getOperations());
  op.erase();
  return success();
}

template <typename BufferOpT>
FailureOr<PrimFuncLowering::Layout> PrimFuncLowering::getLayout(BufferOpT op) {
  auto type = cast<MemRefType>(op.getType());
  SmallVector<int64_t> steps;
  int64_t start;
  size_t rank = type.getRank();
  if (failed(type.getStridesAndOffset(steps, start)) ||
      (!type.hasStaticShape() && op.getShape().size() != rank) ||
      (ShapedType::isDynamic(start) && !op.getElemOffset()))
    return op.emitOpError("can't be compiled: expected sizes and an offset");
  auto get = [&](int64_t number, ValueRange values, size_t index) {
    return ShapedType::isDynamic(number)
               ? OpFoldResult(arithmetic.toIndex(values[index]))
               : builder.getIndexAttr(number);
  };
  ValueRange offset = op.getElemOffset() ? op.getElemOffset() : ValueRange();
  Layout layout{get(start, offset, 0), {}, SmallVector<OpFoldResult>(rank)};
  for (auto [index, size] : llvm::enumerate(type.getShape()))
    layout.sizes.push_back(get(size, op.getShape(), index));
  // Without strides, an element of a dimension has all that the next ones have.
  OpFoldResult stride = builder.getIndexAttr(1);
  for (size_t index = rank; index-- > 0;) {
    bool isCompact =
        ShapedType::isDynamic(steps[index]) && op.getStrides().empty();
    layout.strides[index] =
        isCompact ? stride : get(steps[index], op.getStrides(), index);
    stride = getAsOpFoldResult(builder.createOrFold<arith::MulIOp>(
        toValue(stride), toValue(layout.sizes[index])));
  }
  return layout;
}

void PrimFuncLowering::replaceByView(Operation *op, Value source,
                                     const Layout &layout) {
  // All memory is the same to a processor.
  auto type = cast<MemRefType>(op->getResult(0).getType());
  auto plain =
      MemRefType::get(type.getShape(), type.getElementType(), type.getLayout());
  Value view = memref::ReinterpretCastOp::create(
      builder, plain, source, layout.offset, layout.sizes, layout.strides);
  op->getResult(0).setType(plain);
  op->getResult(0).replaceAllUsesWith(view);
  op->erase();
}

LogicalResult PrimFuncLowering::lowerAlloc(AllocBufferOp op) {
  auto type = cast<MemRefType>(op.getType());
  FailureOr<Layout> layout = getLayout(op);
  if (failed(layout))
    return failure();
  SmallVector<Value> sizes;
  if (type.getLayout().isIdentity() && op.getStrides().empty()) {
    for (auto [index, size] : llvm::enumerate(layout->sizes))
      if (type.isDynamicDim(index))
        sizes.push_back(toValue(size));
    auto plain = MemRefType::get(type.getShape(), type.getElementType());
    Value memref = memref::AllocOp::create(builder, plain, sizes);
    op.getResult().setType(plain);
    op.getResult().replaceAllUsesWith(memref);
    op.erase();
    return success();
  }
  // Strides leave elements out, which have memory, too.
  Value count = toValue(layout->offset);
  for (auto [size, stride] : llvm::zip_equal(layout->sizes, layout->strides))
    count = builder.createOrFold<arith::AddIOp>(
        count,
        builder.createOrFold<arith::MulIOp>(toValue(size), toValue(stride)));
  auto flat = MemRefType::get({ShapedType::kDynamic}, type.getElementType());
  replaceByView(op, memref::AllocOp::create(builder, flat, count), *layout);
  return success();
}

/// The first element of the memory of `buffer` as another type, or null if one
/// of the types takes other bits in memory than in registers.
Value PrimFuncLowering::castElements(Value buffer, Type element) {
  auto type = cast<MemRefType>(buffer.getType());
  for (Type each : {type.getElementType(), element})
    if (!each.isIntOrFloat() || each.getIntOrFloatBitWidth() % 8)
      return {};
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value index = memref::ExtractAlignedPointerAsIndexOp::create(builder, buffer);
  Value number =
      arith::IndexCastOp::create(builder, builder.getI64Type(), index);
  Value address = LLVM::IntToPtrOp::create(builder, pointer, number);
  // MLIR's descriptor of a memref without dimensions.
  Value memref = LLVM::PoisonOp::create(
      builder,
      LLVM::LLVMStructType::getLiteral(
          builder.getContext(), {pointer, pointer, builder.getI64Type()}));
  Value zero = LLVM::ConstantOp::create(builder, builder.getI64IntegerAttr(0));
  for (auto [position, value] :
       llvm::enumerate(SmallVector<Value>{address, address, zero}))
    memref = LLVM::InsertValueOp::create(builder, memref, value, position);
  return UnrealizedConversionCastOp::create(
             builder, MemRefType::get({}, element), memref)
      .getResult(0);
}

/// Replaces a buffer at the address of another one by a view of its memory.
LogicalResult PrimFuncLowering::lowerDecl(DeclBufferOp op) {
  auto type = cast<MemRefType>(op.getType());
  Value source = getBufferAt(op.getData());
  if (source && cast<MemRefType>(source.getType()).getElementType() !=
                    type.getElementType())
    source = castElements(source, type.getElementType());
  if (!source)
    return op.emitOpError("can't be compiled: expected the address of a buffer "
                          "of bytes, as bool and vectors are not");
  FailureOr<Layout> layout = getLayout(op);
  if (failed(layout))
    return failure();
  replaceByView(op, source, *layout);
  return success();
}

/// Ends a call whose argument does not have the sizes that `op` says. The
/// runtime checks numbers and variables.
void PrimFuncLowering::checkSizes(BufferDeclOp op) {
  auto parameter = dyn_cast<BlockArgument>(op.getBuffer());
  auto type = cast<MemRefType>(op.getBuffer().getType());
  if (!parameter)
    return;
  builder.setInsertionPointAfter(op);
  for (auto [index, size] : llvm::enumerate(op.getShape())) {
    if (!type.isDynamicDim(index) || size.getDefiningOp<VarOp>())
      continue;
    Value expected = arithmetic.toIndex(size);
    Value found = memref::DimOp::create(builder, parameter, index);
    module.failUnless(builder,
                      arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                            found, expected),
                      ("expected dimension " + Twine(index) + " of argument '" +
                       getParameterName(parameter) + "' of '" +
                       primFunc.getSymName() +
                       "' to be what other arguments make it")
                          .str());
  }
}

/// Replaces a variable by the size, the stride or the offset of a parameter.
LogicalResult PrimFuncLowering::lowerVar(VarOp op) {
  for (OpOperand &use : op.getResult().getUses()) {
    auto buffer = dyn_cast<BufferDeclOp>(use.getOwner());
    Type type = op.getResult().getType();
    if (!buffer || !isa<BlockArgument>(buffer.getBuffer()) ||
        !type.isIntOrIndex())
      continue;
    builder.setInsertionPoint(op);
    Value number, memref = buffer.getBuffer();
    auto size = llvm::find(buffer.getShape(), op.getResult());
    auto stride = llvm::find(buffer.getStrides(), op.getResult());
    if (size != buffer.getShape().end()) {
      number = memref::DimOp::create(builder, memref,
                                     size - buffer.getShape().begin());
    } else if (stride != buffer.getStrides().end() ||
               buffer.getElemOffset() == op.getResult()) {
      auto data = memref::ExtractStridedMetadataOp::create(builder, memref);
      number = data.getOffset();
      if (stride != buffer.getStrides().end())
        number = data.getStrides()[stride - buffer.getStrides().begin()];
    } else {
      continue;
    }
    if (!type.isIndex())
      number = arith::IndexCastOp::create(
          builder, builder.getIntegerType(type.getIntOrFloatBitWidth()),
          number);
    op.getResult().replaceAllUsesWith(arithmetic.toType(number, type));
    op.erase();
    return success();
  }
  return op.emitOpError("can't be compiled: expected a variable that is the "
                        "size, a stride or the offset of a parameter");
}

/// The indices of the first of consecutive elements, or none where `indices`
/// mean others. Booleans are stored one by one.
static SmallVector<Value> getFirst(ValueRange indices, Type element) {
  SmallVector<Value> first = llvm::to_vector(indices);
  auto ramp = first.empty() ? PrimOp() : first.back().getDefiningOp<PrimOp>();
  if (!ramp || ramp.getKind() != "Ramp" || ramp.getArgs().size() != 3 ||
      !isConstantIntValue(ramp.getArgs()[1], 1) || element.isInteger(1))
    return {};
  first.back() = ramp.getArgs()[0];
  auto isVector = [](Value index) { return isa<VectorType>(index.getType()); };
  return llvm::any_of(first, isVector) ? SmallVector<Value>() : first;
}

/// Null if the elements have no lowering.
Value PrimFuncLowering::lowerLoad(tir::LoadOp op) {
  auto type = dyn_cast<VectorType>(op.getType());
  if (!type)
    return memref::LoadOp::create(builder, op.getBuffer(),
                                  toIndices(op.getIndices()));
  if (type.isScalable() || type.getRank() != 1)
    return {};
  auto element = cast<MemRefType>(op.getBuffer().getType()).getElementType();
  if (element != type.getElementType())
    return {};
  SmallVector<Value> first = getFirst(op.getIndices(), element);
  if (!first.empty())
    return vector::LoadOp::create(builder, type, op.getBuffer(),
                                  toIndices(first));
  SmallVector<Value> elements;
  for (int64_t lane : llvm::seq(type.getNumElements()))
    elements.push_back(memref::LoadOp::create(
        builder, op.getBuffer(), toIndices(op.getIndices(), lane)));
  return vector::FromElementsOp::create(builder, type, elements);
}

LogicalResult PrimFuncLowering::lowerStore(tir::StoreOp op) {
  Value value = op.getValue();
  auto type = dyn_cast<VectorType>(value.getType());
  auto element = cast<MemRefType>(op.getBuffer().getType()).getElementType();
  if (type && (type.isScalable() || type.getRank() != 1 ||
               element != type.getElementType()))
    return op.emitOpError("can't be compiled: expected elements of the buffer");
  SmallVector<Value> first;
  if (type)
    first = getFirst(op.getIndices(), element);
  if (!first.empty()) {
    vector::StoreOp::create(builder, value, op.getBuffer(), toIndices(first));
    op.erase();
    return success();
  }
  for (int64_t lane : llvm::seq(type ? type.getNumElements() : 1))
    memref::StoreOp::create(builder, arithmetic.getLane(value, lane),
                            op.getBuffer(), toIndices(op.getIndices(), lane));
  op.erase();
  return success();
}

LogicalResult PrimFuncLowering::lower(Operation *op) {
  builder.setInsertionPoint(op);
  builder.setLoc(op->getLoc());
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (auto vector = dyn_cast<VectorType>(type);
          vector && vector.isScalable())
        return op->emitOpError("can't be compiled: expected vectors of a known "
                               "length, found ")
               << vector;
  auto replace = [&](Value value) -> LogicalResult {
    if (!value)
      return op->emitOpError("can't be compiled: expected arithmetic that has "
                             "a lowering");
    op->getResult(0).replaceAllUsesWith(
        arithmetic.toType(value, op->getResult(0).getType()));
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
      // The memref has its strides and its offset.
      .Case([&](BufferDeclOp op) {
        op.erase();
        return success();
      })
      .Case<tir::ConstantOp, PrimOp, ShuffleOp>(
          [&](auto op) { return replace(arithmetic.lower(op)); })
      .Case([&](CallIntrinOp op) -> LogicalResult {
        // TVM's compiler measures nothing on a processor.
        bool isNothing = op.getIsPure() ||
                         llvm::is_contained({"tirx.start_profile_intrinsic",
                                             "tirx.end_profile_intrinsic"},
                                            op.getIntrinsic());
        if (isNothing && op->use_empty()) {
          op.erase();
          return success();
        }
        if (Value value = arithmetic.lower(op))
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
      .Case([&](tir::LoadOp op) { return replace(lowerLoad(op)); })
      .Case([&](tir::StoreOp op) { return lowerStore(op); })
      .Case([&](tir::ForOp op) { return lowerFor(op); })
      .Case([&](AttrOp op) -> LogicalResult {
        if (op.getThread() || op.getBody().getNumArguments() != 0)
          return op.emitOpError("can't be compiled: expected no thread");
        inlineBody(op, op.getBody(), {});
        return success();
      })
      .Case([&](tir::AssertOp op) {
        std::string message;
        for (Attribute part : op.getMessage())
          message += cast<StringAttr>(part).getValue();
        module.failUnless(builder, op.getCondition(), message);
        op.erase();
        return success();
      })
      .Case([&](AttrNodeOp op) {
        op.erase();
        return success();
      })
      .Case([&](AllocBufferOp op) { return lowerAlloc(op); })
      .Case([&](DeclBufferOp op) { return lowerDecl(op); })
      .Case([](OpaqueBodyOp op) {
        return op.emitOpError("can't be compiled: the dialects lack a part of "
                              "this function, and keep it as TVM's JSON. "
                              "'partita-translate --import-tvm-json --strict' "
                              "names the part");
      })
      .Default([](Operation *op) {
        return op->emitOpError("can't be compiled; expected plain loops and "
                               "arithmetic");
      });
}

LogicalResult PrimFuncLowering::run() {
  if (!func.isPrivate())
    for (auto buffer : llvm::make_early_inc_range(func.getOps<BufferDeclOp>()))
      checkSizes(buffer);
  if (failed(lowerLoopJumps(func)))
    return failure();
  lowerEarlyReturns(func);
  // Calls first, because of the strings and arrays that are only theirs.
  SmallVector<Operation *> calls;
  func.walk([&](Operation *op) {
    if (isPackedCall(op) || isExternCall(op) || isa<tir::CallOp>(op))
      calls.push_back(op);
  });
  for (Operation *op : calls) {
    auto call = dyn_cast<tir::CallOp>(op);
    if (failed(call               ? lowerPrimFuncCall(call, primFunc, module)
               : isExternCall(op) ? lowerExternCall(op, module)
                                  : lowerPackedCall(op, module)))
      return failure();
  }
  // Then variables, because declarations of buffers say what they are.
  SmallVector<Operation *> ops, vars, strings;
  func.walk([&](Operation *op) {
    if (isa<VarOp>(op))
      vars.push_back(op);
    else if (isa<tir::StringOp>(op))
      strings.push_back(op);
    else if (isa_and_nonnull<TIRDialect>(op->getDialect()) &&
             !isa<tir::YieldOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : vars)
    if (failed(lowerVar(cast<VarOp>(op))))
      return failure();
  // Then loads and stores, because ramps say which elements are consecutive,
  // and buffers at addresses, because the addresses name other buffers.
  std::stable_partition(ops.begin(), ops.end(),
                        llvm::IsaPred<tir::LoadOp, tir::StoreOp, DeclBufferOp>);
  for (Operation *op : ops)
    if (failed(lower(op)))
      return failure();
  // The values of attributes, such as pragmas.
  for (Operation *op : strings) {
    if (!op->use_empty())
      return lower(op);
    op->erase();
  }
  return success();
}

/// Fails for a buffer whose size overflows: MLIR can't compute its strides.
static LogicalResult checkBuffer(Operation *op, Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  double elements = 1;
  for (int64_t size : buffer ? buffer.getShape() : ArrayRef<int64_t>())
    if (!ShapedType::isDynamic(size))
      elements *= std::max<int64_t>(size, 1);
  if (elements <= maxBytes)
    return success();
  return op->emitOpError("can't be compiled: expected a buffer that fits into "
                         "memory, found ")
         << type;
}

static LogicalResult checkBuffers(PrimFuncOp primFunc) {
  for (Type type : primFunc.getArgumentTypes())
    if (failed(checkBuffer(primFunc, type)))
      return failure();
  WalkResult result = primFunc.walk([](Operation *op) {
    for (Type type : op->getResultTypes())
      if (failed(checkBuffer(op, type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult partita::lowerPrimFunc(PrimFuncOp primFunc,
                                     LoweredModule &module) {
  if (primFunc.isExternal())
    return primFunc.emitError("expected a prim_func with a body");
  if (failed(checkBuffers(primFunc)))
    return failure();
  auto func = func::FuncOp::create(
      module.getBuilder(), primFunc.getLoc(),
      getLoweredName(primFunc.getSymName()),
      module.getBuilder().getFunctionType(primFunc.getArgumentTypes(),
                                          getReturnTypes(primFunc)));
  if (isEntry(primFunc))
    func->setAttr("llvm.emit_c_interface", module.getBuilder().getUnitAttr());
  else
    func.setPrivate();
  IRMapping map;
  primFunc.getBody().cloneInto(&func.getBody(), map);
  if (failed(PrimFuncLowering(func, primFunc, module).run()))
    return failure();
  // Nothing uses them: ops that do can't be compiled.
  for (BlockArgument argument : func.getArguments())
    if (isa<HandleType, PtrType>(argument.getType()))
      argument.setType(LLVM::LLVMPointerType::get(func.getContext()));
  func.setFunctionType(FunctionType::get(func.getContext(),
                                         func.getBody().getArgumentTypes(),
                                         func.getFunctionType().getResults()));
  return success();
}
