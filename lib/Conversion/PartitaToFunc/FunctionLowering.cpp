//===- FunctionLowering.cpp - Lower one relax.func ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionLowering.h"
#include "Metadata.h"
#include "partita/Conversion/DimLowering.h"

#include "partita/Dialect/Relax/IR/RelaxAttrs.h"
#include "partita/Dialect/Relax/IR/RelaxShape.h"
#include "partita/Support/StructuralEquality.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Appends the types that values of `type` have after lowering. Fails without
/// an error.
static LogicalResult lowerType(Type type, SmallVectorImpl<Type> &lowered) {
  if (std::optional<TensorInfo> info = TensorInfo::get(type)) {
    if (!info->isRanked || !info->elementType)
      return failure();
    auto sizes =
        llvm::map_to_vector(info->dims, [](Dim dim) { return dim.getSize(); });
    lowered.push_back(MemRefType::get(sizes, info->elementType));
    return success();
  }
  if (auto shape = dyn_cast<ShapeType>(type)) {
    lowered.append(shape.getDims().size(),
                   IntegerType::get(type.getContext(), 64));
    return success(shape.getRanked());
  }
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (Type field : tuple)
      if (failed(lowerType(field, lowered)))
        return failure();
    return success();
  }
  lowered.push_back(type);
  return success(type.isIntOrIndexOrFloat());
}

/// The values that each of `types` has in `lowered`, one after the other.
static SmallVector<ValueRange> splitByType(TypeRange types,
                                           ValueRange lowered) {
  SmallVector<ValueRange> parts;
  for (Type type : types) {
    SmallVector<Type> own;
    (void)lowerType(type, own);
    parts.push_back(lowered.take_front(own.size()));
    lowered = lowered.drop_front(own.size());
  }
  return parts;
}

/// The types of a function or of several values.
static FailureOr<SmallVector<Type>> lowerTypes(Operation *op, TypeRange types) {
  SmallVector<Type> lowered;
  for (Type type : types)
    if (failed(lowerType(type, lowered)))
      return op->emitOpError("can't be compiled: expected tensors with a known "
                             "rank and dtype, shapes of a known rank, numbers "
                             "and tuples of them, found ")
             << type;
  return lowered;
}

//===----------------------------------------------------------------------===//
// FunctionLowering
//===----------------------------------------------------------------------===//

namespace {
class FunctionLowering {
public:
  FunctionLowering(FuncOp func, LoweredModule &module)
      : func(func), module(module),
        builder(func.getLoc(), module.getBuilder()) {}

  LogicalResult run();

private:
  using Values = SmallVector<Value>;

  LogicalResult lower(Operation *op);
  LogicalResult lowerBlock(Block &block);
  LogicalResult lowerConstant(ConstantOp op);
  LogicalResult lowerCallTIR(CallTIROp op);
  LogicalResult lowerCall(CallOp op);
  LogicalResult lowerIf(IfOp op);
  LogicalResult lowerMatchCast(MatchCastOp op);
  LogicalResult lowerReturn(ReturnOp op);
  LogicalResult lowerDataflow(DataflowOp op);
  LogicalResult lowerDimOp(DimOp op);
  LogicalResult lowerShape(ShapeOp op);
  LogicalResult lowerShapeOf(ShapeOfOp op);
  LogicalResult lowerShapeToTensor(ShapeToTensorOp op);

  ArrayRef<Value> get(Value value) { return values.find(value)->second; }
  Values get(ValueRange group) {
    Values all;
    for (Value value : group)
      llvm::append_range(all, get(value));
    return all;
  }
  LogicalResult set(Value value, ValueRange lowered) {
    values[value] = llvm::to_vector(lowered);
    return success();
  }
  /// Gives each of `results` its part of `lowered`.
  LogicalResult setAll(ValueRange results, ValueRange lowered);

  Value getSize(Value memref, int64_t index);
  /// Values whose types differ in what is known of their sizes only.
  Value castTo(Value value, Type type);
  Values castAll(ValueRange from, TypeRange types);
  FailureOr<Value> lowerDim(Operation *op, Dim dim);
  FailureOr<Value> allocate(Operation *op, Type type);
  void checkAllocation(ArrayRef<Value> dynamic, double staticBytes, Type type);

  /// Gives new names in `type` the sizes that `lowered` has.
  void bindNames(Type type, ValueRange lowered);
  /// Ends the program unless the sizes of `lowered` are what `type` says.
  LogicalResult check(Operation *op, Type type, ValueRange lowered,
                      const Twine &what);
  void failUnless(Value condition, const Twine &message);

  FuncOp func;
  LoweredModule &module;
  ImplicitLocOpBuilder builder;
  func::FuncOp lowered;
  llvm::DenseMap<Value, Values> values;
  /// The sizes that are known, by name, as i64.
  llvm::StringMap<Value> sizes;
  /// The dimensions of memrefs that are sizes with a name by definition.
  llvm::DenseSet<std::pair<Value, int64_t>> introducing;
};
} // namespace

LogicalResult FunctionLowering::setAll(ValueRange results, ValueRange lowered) {
  for (auto [result, part] :
       llvm::zip_equal(results, splitByType(results.getTypes(), lowered)))
    (void)set(result, part);
  return success();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Value FunctionLowering::getSize(Value memref, int64_t index) {
  Value size = builder.createOrFold<memref::DimOp>(memref, index);
  return builder.createOrFold<arith::IndexCastOp>(builder.getI64Type(), size);
}

Value FunctionLowering::castTo(Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<MemRefType>(type))
    return memref::CastOp::create(builder, type, value);
  if (isa<IntegerType>(type) && isa<IntegerType>(value.getType())) {
    if (type.getIntOrFloatBitWidth() < value.getType().getIntOrFloatBitWidth())
      return arith::TruncIOp::create(builder, type, value);
    return arith::ExtSIOp::create(builder, type, value);
  }
  return value;
}

FunctionLowering::Values FunctionLowering::castAll(ValueRange from,
                                                   TypeRange types) {
  Values results;
  for (auto [value, type] : llvm::zip_equal(from, types))
    results.push_back(castTo(value, type));
  return results;
}

FailureOr<Value> FunctionLowering::lowerDim(Operation *op, Dim dim) {
  Value value = partita::lowerDim(
      builder, dim, [&](StringRef name) { return sizes.lookup(name); });
  if (value)
    return value;
  return op->emitOpError("can't be compiled: expected a known size, found ")
         << dim;
}

/// Memory has no more bytes than processors can address. Numbers below do not
/// overflow in the code that computes the size of a buffer.
static constexpr double maxBytes = 1ULL << 47;

FailureOr<Value> FunctionLowering::allocate(Operation *op, Type type) {
  FailureOr<SmallVector<Type>> types = lowerTypes(op, type);
  if (failed(types))
    return failure();
  auto memrefType = cast<MemRefType>(types->front());
  unsigned elementBytes =
      llvm::divideCeil(memrefType.getElementType().getIntOrFloatBitWidth(), 8);
  double staticBytes = elementBytes;
  SmallVector<Value> dynamic, sizes64;
  TensorInfo info = *TensorInfo::get(type);
  for (Dim dim : info.dims) {
    if (dim.isNumber()) {
      staticBytes *= std::max<int64_t>(dim.getSize(), 1);
      continue;
    }
    FailureOr<Value> size = lowerDim(op, dim);
    if (failed(size))
      return failure();
    sizes64.push_back(*size);
    dynamic.push_back(builder.createOrFold<arith::IndexCastOp>(
        builder.getIndexType(), *size));
  }
  if (staticBytes > maxBytes)
    return op->emitOpError("can't be compiled: expected a tensor that fits "
                           "into memory, found ")
           << type;
  checkAllocation(sizes64, staticBytes, type);
  return Value(memref::AllocOp::create(builder, memrefType, dynamic));
}

/// Ends the program unless the sizes are not negative, and their product with
/// `staticBytes` is no more than there can be.
void FunctionLowering::checkAllocation(ArrayRef<Value> dynamic,
                                       double staticBytes, Type type) {
  Value product, isSound;
  auto both = [&](Value condition) {
    isSound = isSound ? arith::AndIOp::create(builder, isSound, condition)
                      : condition;
  };
  for (Value size : dynamic) {
    Value zero = arith::ConstantIntOp::create(builder, 0, 64);
    both(arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, size, zero));
    Value number = arith::SIToFPOp::create(builder, builder.getF64Type(), size);
    product =
        product ? arith::MulFOp::create(builder, product, number) : number;
  }
  if (!product)
    return;
  Value limit = arith::ConstantOp::create(
      builder, builder.getF64FloatAttr(maxBytes / staticBytes));
  both(arith::CmpFOp::create(builder, arith::CmpFPredicate::OLE, product,
                             limit));
  std::string text;
  llvm::raw_string_ostream(text)
      << "expected a tensor in '" << func.getSymName()
      << "' to fit into memory, but found too large or negative sizes: "
      << type;
  failUnless(isSound, text);
}

void FunctionLowering::bindNames(Type type, ValueRange lowered) {
  auto isNew = [&](Dim dim) {
    return dim.isIdentifier() && !sizes.count(dim.getName());
  };
  if (std::optional<TensorInfo> info = TensorInfo::get(type)) {
    for (auto [index, dim] : llvm::enumerate(info->dims))
      if (isNew(dim)) {
        sizes[dim.getName()] = getSize(lowered.front(), index);
        introducing.insert({lowered.front(), index});
      }
  } else if (auto shape = dyn_cast<ShapeType>(type)) {
    for (auto [dim, value] : llvm::zip_equal(shape.getDims(), lowered))
      if (isNew(dim))
        sizes[dim.getName()] = value;
  } else if (auto tuple = dyn_cast<TupleType>(type)) {
    for (auto [field, part] :
         llvm::zip_equal(tuple, splitByType(tuple.getTypes(), lowered)))
      bindNames(field, part);
  }
}

void FunctionLowering::failUnless(Value condition, const Twine &message) {
  Value isWrong = builder.createOrFold<arith::XOrIOp>(
      condition, arith::ConstantIntOp::create(builder, 1, 1));
  auto branch = scf::IfOp::create(builder, isWrong);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Location loc = builder.getLoc();
  Value address =
      LLVM::AddressOfOp::create(builder, module.getMessage(loc, message.str()));
  func::CallOp::create(builder, module.getFail(loc), address);
}

LogicalResult FunctionLowering::check(Operation *op, Type type,
                                      ValueRange lowered, const Twine &what) {
  auto checkSize = [&](Dim dim, size_t index, Value value) -> LogicalResult {
    FailureOr<Value> expected = lowerDim(op, dim);
    // A shape may have introduced the name.
    if (failed(expected) || *expected == value)
      return success(succeeded(expected));
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "expected dimension " << index << " of " << what << " to be ";
    if (dim.isNumber())
      os << dim.getSize();
    else
      os << dim.getName().getValue();
    failUnless(builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                                   value, *expected),
               text);
    return success();
  };
  if (std::optional<TensorInfo> info = TensorInfo::get(type)) {
    Value memref = lowered.front();
    for (auto [index, dim] : llvm::enumerate(info->dims))
      if (!dim.isUnknown() &&
          cast<MemRefType>(memref.getType()).isDynamicDim(index) &&
          !introducing.contains({memref, index}) &&
          failed(checkSize(dim, index, getSize(memref, index))))
        return failure();
  } else if (auto shape = dyn_cast<ShapeType>(type)) {
    for (auto [index, dim] : llvm::enumerate(shape.getDims()))
      if (!dim.isUnknown() && failed(checkSize(dim, index, lowered[index])))
        return failure();
  } else if (auto tuple = dyn_cast<TupleType>(type)) {
    SmallVector<ValueRange> parts = splitByType(tuple.getTypes(), lowered);
    for (auto [index, field] : llvm::enumerate(tuple))
      if (failed(check(op, field, parts[index],
                       "field " + Twine(index) + " of " + what)))
        return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The elements of a constant in a form that LLVM's dialect takes.
static ElementsAttr lowerElements(ElementsAttr elements) {
  ShapedType type = elements.getShapedType();
  Type elementType = type.getElementType();
  bool isSignless = !elementType.isUnsignedInteger();
  if (isSignless && isa<DenseElementsAttr>(elements))
    return elements;
  if (isSignless && !elementType.isInteger(1) &&
      isa<DenseResourceElementsAttr>(elements))
    return elements;
  auto signless = RankedTensorType::get(
      type.getShape(),
      isSignless ? elementType
                 : IntegerType::get(type.getContext(),
                                    elementType.getIntOrFloatBitWidth()));
  if (auto dense = dyn_cast<DenseElementsAttr>(elements))
    return dense.bitcast(signless.getElementType());
  StringRef bytes = getResourceBytes(elements);
  if (!bytes.data())
    return {};
  if (elementType.isInteger(1)) {
    auto bools = llvm::map_to_vector(bytes, [](char c) { return c != 0; });
    return DenseElementsAttr::get(signless, bools);
  }
  bool isSplat;
  if (!DenseElementsAttr::isValidRawBuffer(
          signless, ArrayRef<char>(bytes.data(), bytes.size()), isSplat))
    return {};
  return DenseElementsAttr::getFromRawBuffer(
      signless, ArrayRef<char>(bytes.data(), bytes.size()));
}

LogicalResult FunctionLowering::lowerConstant(ConstantOp op) {
  ElementsAttr elements = lowerElements(op.getValue());
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
  Values arguments = get(op.getOperands()), results;
  for (Type type : op.getResultTypes()) {
    FailureOr<Value> result = allocate(op, type);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  llvm::append_range(arguments, results);
  func::CallOp::create(builder, getLoweredName(op.getCallee()), TypeRange(),
                       castAll(arguments, callee.getArgumentTypes()));
  return setAll(op.getResults(), results);
}

LogicalResult FunctionLowering::lowerCall(CallOp op) {
  auto callee = module.lookup<FunctionOpInterface>(op, op.getCalleeAttr());
  if (!callee)
    return op.emitOpError("expected a function '") << op.getCallee() << "'";
  FailureOr<SmallVector<Type>> inputs =
      lowerTypes(callee, callee.getArgumentTypes());
  FailureOr<SmallVector<Type>> results =
      lowerTypes(callee, callee.getResultTypes());
  FailureOr<SmallVector<Type>> types = lowerTypes(op, op.getResultTypes());
  if (failed(inputs) || failed(results) || failed(types))
    return failure();
  auto call =
      func::CallOp::create(builder, getLoweredName(op.getCallee()), *results,
                           castAll(get(op.getOperands()), *inputs));
  return setAll(op.getResults(), castAll(call.getResults(), *types));
}

LogicalResult FunctionLowering::lowerIf(IfOp op) {
  FailureOr<SmallVector<Type>> types = lowerTypes(op, op.getResult().getType());
  if (failed(types))
    return failure();
  Value condition = get(op.getCond()).front();
  if (isa<MemRefType>(condition.getType()))
    condition = memref::LoadOp::create(builder, condition);
  auto branch = scf::IfOp::create(builder, *types, condition,
                                  /*withElseRegion=*/true);
  // Names that a branch introduces are unknown outside.
  llvm::StringMap<Value> outside = sizes;
  for (auto [from, to] : {std::pair(&op.getThenRegion(), branch.thenBlock()),
                          std::pair(&op.getElseRegion(), branch.elseBlock())}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(to);
    if (failed(lowerBlock(from->front())))
      return failure();
    auto yield = cast<YieldOp>(from->front().getTerminator());
    scf::YieldOp::create(builder, castAll(get(yield.getValue()), *types));
    sizes = outside;
  }
  return set(op.getResult(), branch.getResults());
}

LogicalResult FunctionLowering::lowerMatchCast(MatchCastOp op) {
  FailureOr<SmallVector<Type>> types = lowerTypes(op, op.getType());
  if (failed(types))
    return failure();
  Values value = get(op->getOperands());
  if (types->size() != value.size())
    return op.emitOpError("can't be compiled: expected a value of known rank");
  if (auto name = op->getAttrOfType<StringAttr>(FuncOp::getDimAttrName()))
    if (value.front().getType().isInteger(64))
      sizes.try_emplace(name, value.front());
  bindNames(op.getType(), value);
  if (failed(check(op, op.getType(), value,
                   "a match_cast in '" + func.getSymName() + "'")))
    return failure();
  return set(op.getResult(), castAll(value, *types));
}

LogicalResult FunctionLowering::lowerReturn(ReturnOp op) {
  Values results = castAll(get(op.getOperands()), lowered.getResultTypes());
  // Each result has memory of its own.
  llvm::SmallPtrSet<void *, 4> seen;
  for (Value &result : results) {
    auto type = dyn_cast<MemRefType>(result.getType());
    Value source = result;
    while (auto castOp = source.getDefiningOp<memref::CastOp>())
      source = castOp.getSource();
    if (!type || seen.insert(source.getAsOpaquePointer()).second)
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
    FailureOr<SmallVector<Type>> types = lowerTypes(op, result.getType());
    if (failed(types))
      return failure();
    (void)set(result, castAll(get(value), *types));
  }
  return success();
}

LogicalResult FunctionLowering::lowerDimOp(DimOp op) {
  FailureOr<Value> value = lowerDim(op, op.getDim());
  if (failed(value))
    return failure();
  if (!isa<IntegerType>(op.getType()))
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
  Value memref = get(op.getInput()).front();
  Values numbers;
  for (int64_t index = 0; index < cast<MemRefType>(memref.getType()).getRank();
       ++index)
    numbers.push_back(getSize(memref, index));
  return set(op, numbers);
}

LogicalResult FunctionLowering::lowerShapeToTensor(ShapeToTensorOp op) {
  Values numbers = get(ValueRange(op.getInput()));
  Value memref = memref::AllocOp::create(
      builder, MemRefType::get(static_cast<int64_t>(numbers.size()),
                               builder.getI64Type()));
  for (auto [index, number] : llvm::enumerate(numbers))
    memref::StoreOp::create(
        builder, number, memref,
        ValueRange(arith::ConstantIndexOp::create(builder, index)));
  return set(op, memref);
}

LogicalResult FunctionLowering::lower(Operation *op) {
  builder.setLoc(op->getLoc());
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ConstantOp op) { return lowerConstant(op); })
      .Case([&](CallTIROp op) { return lowerCallTIR(op); })
      .Case([&](CallOp op) { return lowerCall(op); })
      .Case([&](IfOp op) { return lowerIf(op); })
      .Case([&](MatchCastOp op) { return lowerMatchCast(op); })
      .Case([&](ReturnOp op) { return lowerReturn(op); })
      .Case([&](DataflowOp op) { return lowerDataflow(op); })
      .Case([&](DimOp op) { return lowerDimOp(op); })
      .Case([&](ShapeOp op) { return lowerShape(op); })
      .Case([&](ShapeOfOp op) { return lowerShapeOf(op); })
      .Case([&](ShapeToTensorOp op) { return lowerShapeToTensor(op); })
      .Case([&](PrimValueOp op) {
        return set(
            op, arith::ConstantOp::create(builder, op.getValue()).getResult());
      })
      .Case([&](AliasOp op) { return set(op, get(op.getValue())); })
      .Case([&](TupleOp op) { return set(op, get(op.getFields())); })
      .Case([&](TupleGetItemOp op) {
        auto type = cast<TupleType>(op.getTupleValue().getType());
        return set(op, splitByType(type.getTypes(),
                                   get(op.getTupleValue()))[op.getIndex()]);
      })
      .Default([](Operation *op) {
        return op->emitOpError("can't be compiled; expected relax-legalize-ops "
                               "to replace it");
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
    bindNames(argument.getType(), get(argument));
  }
  if (func.isPublic())
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
