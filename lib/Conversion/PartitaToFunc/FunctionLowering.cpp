//===- FunctionLowering.cpp - Lower one relax.func ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionLowering.h"
#include "Metadata.h"

#include "partita/Dialect/Relax/IR/RelaxAttrs.h"
#include "partita/Dialect/Relax/IR/RelaxShape.h"
#include "partita/Support/StructuralEquality.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

LogicalResult FunctionLowering::setAll(ValueRange results, ValueRange lowered) {
  for (auto [result, part] :
       llvm::zip_equal(results, splitByType(results.getTypes(), lowered)))
    (void)set(result, part);
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The elements of a constant in a form that LLVM's dialect takes. Many
/// elements are referred to: MLIR keeps each attribute with elements of its own
/// as long as the context. `holder` is the number of their TensorHolder.
static ElementsAttr lowerElements(ElementsAttr elements, uint64_t holder) {
  ShapedType type = elements.getShapedType();
  Type elementType = type.getElementType();
  if (elementType.isUnsignedInteger())
    elementType = IntegerType::get(type.getContext(),
                                   elementType.getIntOrFloatBitWidth());
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.bitcast(elementType);
  StringRef bytes = getResourceBytes(elements);
  if (!bytes.data())
    return {};
  ShapedType signless = type.clone(elementType);
  if (elementType.isInteger(1)) {
    auto bools = llvm::map_to_vector(bytes, [](char c) { return c != 0; });
    return DenseElementsAttr::get(signless, bools);
  }
  bool isSplat;
  if (!DenseElementsAttr::isValidRawBuffer(
          signless, ArrayRef<char>(bytes.data(), bytes.size()), isSplat))
    return {};
  // MLIR takes the element of a scalar from dense elements alone.
  if (type.getNumElements() <= 1)
    return DenseElementsAttr::getFromRawBuffer(
        signless, ArrayRef<char>(bytes.data(), bytes.size()));
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  if (!resource)
    resource = cast<TensorAttr>(elements).getResource(holder);
  return DenseResourceElementsAttr::get(signless, resource.getRawHandle());
}

LogicalResult FunctionLowering::lowerConstant(ConstantOp op) {
  ElementsAttr elements =
      lowerElements(op.getValue(), module.getTensorHolder());
  if (!elements)
    return op.emitOpError("expected elements of its type");
  auto tensorType = cast<RankedTensorType>(op.getType());
  auto type =
      MemRefType::get(tensorType.getShape(), tensorType.getElementType());
  memref::GlobalOp global = module.addConstant(op.getLoc(), type, elements);
  return set(op, memref::GetGlobalOp::create(builder, type, global.getSymName())
                     .getResult());
}

LogicalResult FunctionLowering::lowerCallTIR(CallTIROp op) {
  auto callee = module.lookup<tir::PrimFuncOp>(op, op.getCalleeAttr());
  if (!callee)
    return op.emitOpError("expected a prim_func '") << op.getCallee() << "'";
  FailureOr<Values> arguments =
      getArguments(op, op.getOperands(), callee.getArgumentTypes());
  if (failed(arguments))
    return failure();
  Values results;
  for (Type type : op.getResultTypes()) {
    FailureOr<Value> result = allocate(op, type);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  llvm::append_range(*arguments, results);
  FailureOr<Values> operands =
      callee.isExternal() ? castAll(op, *arguments, callee.getArgumentTypes())
                          : castForPrimFunc(op, *arguments, callee);
  if (failed(operands))
    return failure();
  func::CallOp::create(builder, getLoweredName(op.getCallee()),
                       getReturnTypes(callee), *operands);
  return setAll(op.getResults(), results);
}

LogicalResult FunctionLowering::callFunction(Operation *op,
                                             FlatSymbolRefAttr name,
                                             ArrayRef<Known> arguments) {
  auto callee = module.lookup<FuncOp>(op, name);
  if (!callee)
    return op->emitOpError("expected a function '") << name.getValue() << "'";
  FailureOr<SmallVector<Type>> types =
      lowerTypes(callee, callee.getResultTypes());
  FailureOr<Values> operands =
      convertAll(op, arguments, callee.getArgumentTypes());
  if (failed(types) || failed(operands))
    return failure();
  auto call = func::CallOp::create(builder, getLoweredName(name.getValue()),
                                   *types, *operands);
  SmallVector<Known> results;
  for (auto [type, part] :
       llvm::zip_equal(callee.getResultTypes(),
                       splitByType(callee.getResultTypes(), call.getResults())))
    results.push_back({type, Values(part), {}});
  // Several results are a tuple where a closure is called.
  if (results.size() != op->getNumResults())
    results = {{TupleType::get(op->getContext(), callee.getResultTypes()),
                Values(call.getResults()),
                {}}};
  FailureOr<Values> converted = convertAll(op, results, op->getResultTypes());
  return failed(converted) ? failure() : setAll(op->getResults(), *converted);
}

LogicalResult FunctionLowering::lowerCall(CallOp op) {
  return callFunction(op, op.getCalleeAttr(),
                      llvm::map_to_vector(op.getOperands(), [&](Value value) {
                        return getKnown(value);
                      }));
}

LogicalResult FunctionLowering::callClosure(Operation *op, Value callee,
                                            SmallVector<Known> arguments) {
  if (auto closure = getDefinition<MakeClosureOp>(callee)) {
    if (failed(checkClosure(op, closure)))
      return failure();
    llvm::append_range(arguments, getFields(getKnown(closure->getOperand(1))));
    callee = closure->getOperand(0);
  }
  if (auto global = getDefinition<GlobalOp>(callee))
    return callFunction(op, global.getValueAttr(), arguments);
  return callPacked(op, callee, arguments, isMemoryEffectFree(op));
}

LogicalResult FunctionLowering::lowerInvokeClosure(Operation *op) {
  if (op->getNumOperands() != 2 ||
      !isa<TupleType>(getKnown(op->getOperand(1)).type))
    return op->emitOpError("can't be compiled: expected a closure and a tuple "
                           "of arguments");
  return callClosure(op, op->getOperand(0),
                     getFields(getKnown(op->getOperand(1))));
}

LogicalResult FunctionLowering::lowerIf(IfOp op) {
  FailureOr<SmallVector<Type>> types = lowerTypes(op, op.getResult().getType());
  if (failed(types))
    return failure();
  Type scalar = RankedTensorType::get({}, builder.getI1Type());
  Known known = getKnown(op.getCond());
  FailureOr<Values> conditions = isObject(known.type)
                                     ? convert(op, known, scalar)
                                     : FailureOr<Values>(known.lowered);
  if (failed(conditions))
    return failure();
  Value condition = conditions->front();
  if (isa<MemRefType>(condition.getType()))
    condition = memref::LoadOp::create(builder, condition);
  auto branch = scf::IfOp::create(builder, *types, condition,
                                  /*withElseRegion=*/true);
  // Names that a branch introduces are unknown outside.
  llvm::StringMap<Value> outside = sizes;
  llvm::DenseMap<Value, Values> outsideObjects = objectSizes;
  for (auto [from, to] : {std::pair(&op.getThenRegion(), branch.thenBlock()),
                          std::pair(&op.getElseRegion(), branch.elseBlock())}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(to);
    if (failed(lowerBlock(from->front())))
      return failure();
    auto yield = cast<YieldOp>(from->front().getTerminator());
    FailureOr<Values> values =
        convert(yield, getKnown(yield.getValue()), op.getResult().getType());
    if (failed(values))
      return failure();
    scf::YieldOp::create(builder, *values);
    sizes = outside;
    objectSizes = outsideObjects;
  }
  return set(op.getResult(), branch.getResults());
}

/// Whether sizes say whether `value` has this type.
static bool hasSameKind(Value value, Type type) {
  auto found = dyn_cast<MemRefType>(value.getType());
  auto wanted = dyn_cast<MemRefType>(type);
  if (found && wanted)
    return found.getRank() == wanted.getRank() &&
           found.getElementType() == wanted.getElementType();
  return value.getType() == type;
}

/// `memory` in a type that can be cast to `type`. If sizes can only differ, the
/// code ends before it.
static Value makeCastable(ImplicitLocOpBuilder &builder, Value memory,
                          Type type) {
  auto found = dyn_cast<MemRefType>(memory.getType());
  if (!found || memref::CastOp::areCastCompatible(found, type))
    return memory;
  SmallVector<int64_t> sizes(cast<MemRefType>(type).getShape());
  for (auto [size, other] : llvm::zip_equal(sizes, found.getShape()))
    if (ShapedType::isDynamic(size))
      size = ShapedType::isDynamic(other) ? 1 : other;
  return memref::ReinterpretCastOp::create(
      builder, MemRefType::get(sizes, found.getElementType()), memory,
      /*offset=*/0, sizes, computeStrides(sizes));
}

/// Whether a field of `type`, or all, is an object or known where it is used.
static bool containsObject(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::any_of(tuple, containsObject);
  return isObject(type) || isa<NoneType>(type);
}

LogicalResult FunctionLowering::lowerMatchCast(MatchCastOp op) {
  Known known = getKnown(op->getOperand(0));
  // What an object is, is known here or where it is cast again.
  if (isa<ObjectType, CallableType>(op.getType()))
    return set(op.getResult(), known.lowered, known.type);
  FailureOr<SmallVector<Type>> types = lowerTypes(op, op.getType());
  if (failed(types))
    return failure();
  FailureOr<Values> converted = known.lowered;
  if (containsObject(known.type) || containsObject(op.getType()))
    converted = convert(op, known, op.getType());
  if (failed(converted))
    return failure();
  Values value = *converted;
  if (!llvm::equal(value, *types, hasSameKind))
    return op.emitOpError("can't be compiled: expected a value of type ")
           << op.getType() << ", found one of type " << known.type;
  if (auto name = op->getAttrOfType<StringAttr>(FuncOp::getDimAttrName()))
    if (value.front().getType().isInteger(64))
      sizes.try_emplace(name, value.front());
  if (failed(bindNames(op, op.getType(), value)) ||
      failed(check(op, op.getType(), value,
                   "a match_cast in '" + func.getSymName() + "'")))
    return failure();
  for (auto [memory, type] : llvm::zip_equal(value, *types))
    memory = makeCastable(builder, memory, type);
  FailureOr<Values> cast = castAll(op, value, *types);
  return failed(cast) ? failure() : set(op.getResult(), *cast);
}

LogicalResult FunctionLowering::lowerReturn(ReturnOp op) {
  FailureOr<Values> values = convertAll(
      op,
      llvm::map_to_vector(op.getOperands(),
                          [&](Value value) { return getKnown(value); }),
      func.getResultTypes());
  if (failed(values))
    return failure();
  Values results = *values;
  // Each result has memory of its own.
  llvm::SmallPtrSet<void *, 4> seen;
  for (Value &result : results) {
    auto type = dyn_cast<MemRefType>(result.getType());
    if (!type || seen.insert(getOrigin(result).getAsOpaquePointer()).second)
      continue;
    SmallVector<Value> dynamic;
    for (int64_t index = 0; index < type.getRank(); ++index)
      if (type.isDynamicDim(index))
        dynamic.push_back(memref::DimOp::create(builder, result, index));
    Value copy = memref::AllocOp::create(builder, type, dynamic);
    memref::CopyOp::create(builder, result, copy);
    result = copy;
  }
  func::ReturnOp::create(builder, results);
  return success();
}

LogicalResult FunctionLowering::lowerDataflow(DataflowOp op) {
  Block &body = op.getBodyRegion().front();
  if (failed(lowerBlock(body)))
    return failure();
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), body.getTerminator()->getOperands())) {
    Known known = getKnown(value);
    // What an object is, is known where it is used.
    if (containsObject(result.getType()) || containsObject(known.type)) {
      (void)set(result, known.lowered, known.type);
      continue;
    }
    FailureOr<Values> values = convert(op, known, result.getType());
    if (failed(values))
      return failure();
    (void)set(result, *values);
  }
  return success();
}

LogicalResult FunctionLowering::lowerDimOp(DimOp op) {
  FailureOr<Value> value = lowerDim(op, op.getDim());
  if (failed(value))
    return failure();
  bool isCompare = value->getType().isInteger(1);
  if (!isa<IntegerType>(op.getType()) || isCompare != op.getType().isInteger(1))
    return op.emitOpError("can't be compiled: expected an integer, found ")
           << op.getType();
  return set(op, castTo(*value, op.getType()));
}

LogicalResult FunctionLowering::lowerShape(ShapeOp op) {
  Values numbers;
  for (Dim dim : op.getDims().getDims()) {
    FailureOr<Value> value = lowerDim(op, dim);
    if (failed(value))
      return failure();
    numbers.push_back(*value);
  }
  return set(op, numbers);
}

LogicalResult FunctionLowering::lowerShapeOf(ShapeOfOp op) {
  Known known = getKnown(op.getInput());
  if (isObject(known.type)) {
    FailureOr<Values> found =
        callRuntime(op, "partita.shape_of", known, op.getType());
    return failed(found) ? failure() : set(op, *found);
  }
  Value memref = known.lowered.front();
  Values numbers;
  for (int64_t index = 0; index < cast<MemRefType>(memref.getType()).getRank();
       ++index)
    numbers.push_back(getSize(memref, index));
  return set(op, numbers);
}

LogicalResult FunctionLowering::lowerShapeToTensor(ShapeToTensorOp op) {
  Known known = getKnown(op.getInput());
  if (isObject(known.type))
    return op.emitOpError("can't be compiled: expected a shape of known rank");
  Values numbers = known.lowered;
  Value memref = memref::AllocOp::create(
      builder, MemRefType::get(static_cast<int64_t>(numbers.size()),
                               builder.getI64Type()));
  for (auto [index, number] : llvm::enumerate(numbers))
    memref::StoreOp::create(
        builder, number, memref,
        ValueRange(arith::ConstantIndexOp::create(builder, index)));
  return set(op, memref);
}

LogicalResult FunctionLowering::lowerTupleGetItem(TupleGetItemOp op) {
  SmallVector<Known> fields = getFields(getKnown(op.getTupleValue()));
  if (op.getIndex() >= fields.size())
    return op.emitOpError("can't be compiled: expected a tuple of known "
                          "fields");
  return set(op, fields[op.getIndex()].lowered, fields[op.getIndex()].type);
}

/// Whether TVM compiles for `device`, a vdevice, by LLVM or C.
static bool isCPU(Attribute device) {
  auto fields = dyn_cast<DictionaryAttr>(device);
  auto target =
      fields ? fields.getAs<DictionaryAttr>("target") : DictionaryAttr();
  auto kind = target ? target.getAs<StringAttr>("kind") : StringAttr();
  return kind && (kind.getValue() == "llvm" || kind.getValue() == "c");
}

LogicalResult FunctionLowering::lowerOnDevice(Operation *op, bool isCPU) {
  if (!isCPU)
    return op->emitOpError("can't be compiled: expected a device that is a "
                           "CPU");
  Known known = getKnown(op->getOperand(0));
  return set(op->getResult(0), known.lowered, known.type);
}

LogicalResult FunctionLowering::lower(Operation *op) {
  builder.setLoc(op->getLoc());
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ConstantOp op) { return lowerConstant(op); })
      .Case([&](CallTIROp op) { return lowerCallTIR(op); })
      .Case([&](CallOp op) { return lowerCall(op); })
      .Case<InvokeClosureOp, InvokePureClosureOp>(
          [&](Operation *op) { return lowerInvokeClosure(op); })
      .Case([&](IfOp op) { return lowerIf(op); })
      .Case([&](MatchCastOp op) { return lowerMatchCast(op); })
      .Case([&](ReturnOp op) { return lowerReturn(op); })
      .Case([&](DataflowOp op) { return lowerDataflow(op); })
      .Case([&](DimOp op) { return lowerDimOp(op); })
      .Case([&](ShapeOp op) { return lowerShape(op); })
      .Case([&](ShapeOfOp op) { return lowerShapeOf(op); })
      .Case([&](ShapeToTensorOp op) { return lowerShapeToTensor(op); })
      .Case([&](TensorToShapeOp op) { return lowerTensorToShape(op); })
      .Case([&](AllocTensorOp op) { return lowerAllocTensor(op); })
      .Case([&](MemoryAllocStorageOp op) {
        return lowerAllocStorage(op, op.getTotalSpace());
      })
      .Case([&](VMAllocStorageOp op) {
        return lowerAllocStorage(op, op.getSize());
      })
      .Case<MemoryAllocTensorOp, VMAllocTensorOp>([&](auto op) {
        return lowerTensorInStorage(op, op.getStorage(), op.getOffset());
      })
      .Case([&](CallValueOp op) { return lowerCallValue(op); })
      .Case([&](CallTIRDynOp op) { return lowerCallTIRDyn(op); })
      .Case([&](CallTIRInplaceOp op) { return lowerCallTIRInplace(op); })
      .Case([&](CallDPSPackedOp op) { return lowerCallDPSPacked(op); })
      .Case([&](CallPurePackedOp op) { return lowerCallPacked(op); })
      .Case([&](CallBuiltinWithCtxOp op) { return lowerCallBuiltin(op); })
      .Case([&](CallPyFuncOp op) { return lowerCallPyFunc(op); })
      .Case([&](CallInplacePackedOp op) { return lowerCallInplacePacked(op); })
      .Case([&](ReshapeOp op) { return lowerReshape(op); })
      .Case([&](ViewOp op) { return lowerView(op); })
      .Case<TensorByteOffsetOp, TensorElemOffsetOp, TensorDTypeBitsOp,
            TensorDTypeCodeOp, TensorDTypeLanesOp, TensorNDimOp, TensorShapeIOp,
            TensorStrideIOp>([&](Operation *op) { return lowerInspect(op); })
      // Memory is freed after its last use, and these are for memory alone.
      .Case<DTypeOp, ExternFuncOp, GlobalOp, KillObjectOp, KillStorageOp,
            KillTensorOp, MakeClosureOp, StringOp>([&](Operation *op) {
        for (Value result : op->getResults())
          (void)set(result, {}, NoneType::get(op->getContext()));
        return success();
      })
      .Case([&](NullValueOp op) {
        return set(op, LLVM::ZeroOp::create(
                           builder, LLVM::LLVMPointerType::get(op.getContext()))
                           .getResult());
      })
      .Case([&](PrimValueOp op) {
        return set(
            op, arith::ConstantOp::create(builder, op.getValue()).getResult());
      })
      .Case([&](ToVDeviceOp op) {
        return lowerOnDevice(op, isCPU(op.getDstVdevice()));
      })
      // 1 is DLPack's number of CPUs.
      .Case([&](HintOnDeviceOp op) {
        return lowerOnDevice(op, int64_t(op.getDeviceType()) == 1);
      })
      // Memory begins where its tensor does.
      .Case<AliasOp, EnsureZeroOffsetOp>([&](Operation *op) {
        Known known = getKnown(op->getOperand(0));
        return set(op->getResult(0), known.lowered, known.type);
      })
      .Case([&](TupleOp op) {
        SmallVector<Type> types;
        for (Value field : op.getFields())
          types.push_back(getKnown(field).type);
        return set(op, get(op.getFields()),
                   TupleType::get(op.getContext(), types));
      })
      .Case([&](TupleGetItemOp op) { return lowerTupleGetItem(op); })
      .Case([](OpaqueExprOp op) {
        return op.emitOpError("can't be compiled: the dialects lack TVM's '")
               << op.getKind() << "', and keep it unchanged";
      })
      .Case([](CallOpOp op) {
        return op.emitOpError("can't be compiled: the dialects lack TVM's op '")
               << op.getOpName()
               << "', or this form of its calls, and keep the call unchanged";
      })
      .Default([](Operation *op) {
        return op->emitOpError("can't be compiled; expected relax-legalize-ops "
                               "to replace it. If that has run, it has no "
                               "kernel for these types and attributes");
      });
}

LogicalResult FunctionLowering::lowerBlock(Block &block) {
  for (Operation &op : block) {
    if (isa<YieldOp, OutputOp>(op))
      break;
    if (failed(lower(&op)))
      return failure();
  }
  return success();
}

LogicalResult FunctionLowering::run() {
  if (func.isExternal())
    return func.emitError("expected a function with a body");
  FailureOr<SmallVector<Type>> inputs =
      lowerTypes(func, func.getArgumentTypes());
  FailureOr<SmallVector<Type>> results =
      lowerTypes(func, func.getResultTypes());
  if (failed(inputs) || failed(results))
    return failure();
  lowered = func::FuncOp::create(builder, getLoweredName(func.getSymName()),
                                 builder.getFunctionType(*inputs, *results));
  if (func.isPublic())
    lowered->setAttr("llvm.emit_c_interface", builder.getUnitAttr());
  else
    lowered.setPrivate();
  Block *entry = lowered.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  (void)setAll(func.getArguments(), entry->getArguments());
  for (BlockArgument argument : func.getArguments()) {
    if (auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      FuncOp::getDimAttrName()))
      if (argument.getType().isInteger(64))
        sizes.try_emplace(name, get(argument).front());
    if (failed(bindNames(func, argument.getType(), get(argument))))
      return failure();
  }
  if (func.isPublic() || module.isValue(func))
    for (BlockArgument argument : func.getArguments())
      if (failed(check(func, argument.getType(), get(argument),
                       "argument '" + getParameterName(argument) + "' of '" +
                           func.getSymName() + "'")))
        return failure();
  return lowerBlock(func.getBody().front());
}

LogicalResult partita::lowerFunction(FuncOp func, LoweredModule &module) {
  return FunctionLowering(func, module).run();
}
