//===- KernelBuilder.cpp - Build the prim_func of an op -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/Transforms/KernelBuilder.h"

#include "partita/Dialect/Relax/IR/RelaxVariables.h"
#include "partita/Dialect/Relax/Transforms/LegalizeOpInterface.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

/// The fields of TVM's Dim list as a memref's sizes.
static SmallVector<int64_t> getShape(ArrayRef<Dim> dims) {
  return llvm::map_to_vector(dims, [](Dim dim) { return dim.getSize(); });
}

static SmallVector<utils::IteratorType>
getIterators(int64_t numLoops, ArrayRef<int64_t> parallel) {
  SmallVector<utils::IteratorType> iterators(numLoops,
                                             utils::IteratorType::reduction);
  for (int64_t loop : parallel)
    iterators[loop] = utils::IteratorType::parallel;
  return iterators;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

KernelBuilder::KernelBuilder(Operation *op)
    // The op's name would be the name of each value of its prim_func.
    : ImplicitLocOpBuilder(withoutName(op->getLoc()), op->getContext()),
      op(op) {
  StringRef mnemonic = op->getName().stripDialect();
  name = mnemonic.substr(mnemonic.rfind('.') + 1).str();
  SmallVector<Type> types;
  SmallVector<SmallVector<Dim>> shapes;
  for (Type type : op->getResultTypes()) {
    TensorInfo info = *TensorInfo::get(type);
    shapes.push_back(info.dims);
    types.push_back(MemRefType::get(getShape(info.dims), info.elementType));
  }
  Location loc = getLoc();
  func = tir::PrimFuncOp::create(*this, name, getFunctionType(types, {}));
  func.setPrivate();
  func->setAttr("tirx.noalias", getBoolAttr(true));
  Block &block = func.getBody().emplaceBlock();
  for (auto [index, type] : llvm::enumerate(types)) {
    StringAttr out =
        getStringAttr(types.size() == 1 ? Twine("out") : "out" + Twine(index));
    block.addArgument(type, NameLoc::get(out, loc));
  }
  setInsertionPointToStart(&block);
  for (auto [buffer, dims] : llvm::zip_equal(block.getArguments(), shapes))
    addNames(dims, buffer);
}

KernelBuilder::~KernelBuilder() {
  if (!func)
    return;
  func->erase();
  for (Operation *part : llvm::reverse(added))
    if (part->use_empty())
      part->erase();
}

/// Lets the sizes that names stand for be read from `buffer`.
void KernelBuilder::addNames(ArrayRef<Dim> dims, Value buffer) {
  for (auto [index, dim] : llvm::enumerate(dims))
    if (dim.isName())
      buffers.try_emplace(dim.getName(), buffer, index);
}

Value KernelBuilder::addParameter(Value operand, Type type) {
  unsigned index = arguments.size();
  arguments.push_back(operand);
  std::string letters(index / 26 + 1, char('A' + index % 26));
  (void)func.insertArgument(index, type, /*argAttrs=*/{},
                            NameLoc::get(getStringAttr(letters), getLoc()));
  return func.getArgument(index);
}

FailureOr<tir::PrimFuncOp> KernelBuilder::finish() {
  size_t first = func.getNumArguments() - op->getNumResults();
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    auto it = views.find(result);
    if (it == views.end() || !isComplete)
      return failure();
    BlockArgument buffer = func.getArgument(first + index);
    auto type = cast<MemRefType>(buffer.getType());
    // Upstream's lowerings of some ops fail on a size of 0.
    bool isEmpty = llvm::is_contained(type.getShape(), 0);
    Value tensor = isEmpty ? tensor::EmptyOp::create(*this, getSizes(result),
                                                     type.getElementType())
                           : realize(it->second);
    auto expected =
        RankedTensorType::get(type.getShape(), type.getElementType());
    if (tensor.getType() != expected)
      tensor = tensor::CastOp::create(*this, expected, tensor);
    bufferization::MaterializeInDestinationOp::create(
        *this, /*result=*/Type(), tensor, buffer, /*restrict=*/true,
        /*writable=*/true);
  }
  tir::ReturnOp::create(*this);
  for (Operation &unused :
       llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
    if (isOpTriviallyDead(&unused))
      unused.erase();
  func.setSymName(name);
  return std::exchange(func, nullptr);
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

TensorView KernelBuilder::getWhole(Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  return {tensor, llvm::to_vector(llvm::seq(rank))};
}

void KernelBuilder::set(Value result, TensorView view) {
  views[result] = std::move(view);
}

void KernelBuilder::set(Value result, Value tensor) {
  set(result, getWhole(tensor));
}

/// The number that a value is known to be; null if it is not known.
static Attribute getConstant(Value value) {
  if (auto number = value.getDefiningOp<PrimValueOp>())
    return number.getValue();
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant || constant.getType().getRank() != 0)
    return nullptr;
  auto elements = dyn_cast<DenseElementsAttr>(
      static_cast<Attribute>(static_cast<ElementsAttr>(constant.getValue())));
  return elements ? elements.getSplatValue<Attribute>() : nullptr;
}

SmallVector<Value> KernelBuilder::getFields(ValueRange operands) {
  SmallVector<Value> fields;
  for (Value operand : operands) {
    auto type = dyn_cast<TupleType>(operand.getType());
    if (auto tuple = operand.getDefiningOp<TupleOp>()) {
      llvm::append_range(fields, tuple.getFields());
      continue;
    }
    if (!type) {
      fields.push_back(operand);
      continue;
    }
    OpBuilder caller(op);
    for (auto [index, fieldType] : llvm::enumerate(type.getTypes())) {
      fields.push_back(TupleGetItemOp::create(caller, caller.getUnknownLoc(),
                                              fieldType, operand, index));
      added.push_back(fields.back().getDefiningOp());
    }
  }
  return fields;
}

bool KernelBuilder::isNumber(Value operand) const {
  if (views.contains(operand))
    return false;
  return operand.getType().isIntOrIndexOrFloat() || getConstant(operand);
}

Value KernelBuilder::getNumber(Value operand) {
  if (Value number = numbers.lookup(operand))
    return number;
  std::optional<TensorInfo> tensor = TensorInfo::get(operand.getType());
  ScalarBuilder scalars =
      getScalars(tensor ? tensor->elementType : operand.getType());
  Value number;
  if (Attribute constant = getConstant(operand))
    number = scalars.constant(constant);
  else if (auto dim = operand.getDefiningOp<DimOp>();
           dim && !dim->getParentOp())
    // A size that an op is made of.
    number = scalars.fromIndex(toValue(getSize(dim.getDim())));
  else
    number = scalars.load(addParameter(operand, operand.getType()));
  return numbers[operand] = number;
}

TensorView KernelBuilder::getView(Value operand) {
  if (auto it = views.find(operand); it != views.end())
    return it->second;
  TensorInfo info = *TensorInfo::get(operand.getType());
  SmallVector<int64_t> shape = getShape(info.dims);
  auto type = RankedTensorType::get(shape, info.elementType);
  Value tensor;
  if (operand.getDefiningOp() && !operand.getDefiningOp()->getParentOp()) {
    // A constant that an op is made of.
    tensor = fill(getNumber(operand), {}, info.elementType);
  } else {
    Value buffer =
        addParameter(operand, MemRefType::get(shape, info.elementType));
    addNames(info.dims, buffer);
    tensor = bufferization::ToTensorOp::create(*this, type, buffer,
                                               /*restrict=*/true);
  }
  return views[operand] = getWhole(tensor);
}

Value KernelBuilder::getTensor(Value operand) {
  return realize(getView(operand));
}

OpFoldResult KernelBuilder::getSize(Dim dim) {
  if (dim.isNumber())
    return getIndexAttr(dim.getSize());
  if (dim.isUnknown()) {
    isComplete = false;
    return Value(arith::ConstantIndexOp::create(*this, 0));
  }
  Value &size = sizes[dim.getName()];
  if (size)
    return size;
  if (auto it = buffers.find(dim.getName()); it != buffers.end()) {
    auto [buffer, index] = it->second;
    return size = memref::DimOp::create(*this, buffer, index);
  }
  // A size that only the caller knows.
  OpBuilder caller(op);
  Value number =
      DimOp::create(caller, caller.getUnknownLoc(), caller.getI64Type(),
                    ShapeAttr::get(getContext(), ArrayRef<Dim>(dim)));
  Value parameter = addParameter(number, getI64Type());
  added.push_back(number.getDefiningOp());
  return size = arith::IndexCastOp::create(*this, getIndexType(), parameter);
}

OpFoldResult KernelBuilder::getIndex(Value number) {
  if (auto known = dyn_cast_or_null<IntegerAttr>(getConstant(number)))
    return getIndexAttr(known.getValue().getSExtValue());
  return getScalars(number.getType()).toIndex(getNumber(number));
}

Value KernelBuilder::toValue(OpFoldResult index) {
  return getValueOrCreateConstantIndexOp(*this, getLoc(), index);
}

OpFoldResult KernelBuilder::add(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return getIndexAttr(*x + *y);
  if (x == 0)
    return b;
  if (y == 0)
    return a;
  Value rhs = toValue(b);
  return Value(arith::AddIOp::create(*this, toValue(a), rhs));
}

OpFoldResult KernelBuilder::multiply(ArrayRef<OpFoldResult> sizes) {
  int64_t known = 1;
  SmallVector<Value> others;
  for (OpFoldResult size : sizes)
    if (std::optional<int64_t> number = getConstantIntValue(size))
      known *= *number;
    else
      others.push_back(cast<Value>(size));
  if (others.empty())
    return getIndexAttr(known);
  Value product = arith::ConstantIndexOp::create(*this, known);
  for (Value size : others)
    product = arith::MulIOp::create(*this, product, size);
  return product;
}

KernelBuilder::Sizes KernelBuilder::getSizes(ArrayRef<Dim> dims) {
  return llvm::map_to_vector(dims, [&](Dim dim) { return getSize(dim); });
}

KernelBuilder::Sizes KernelBuilder::getSizes(Value value) {
  std::optional<TensorInfo> info = TensorInfo::get(value.getType());
  if (info && info->isRanked)
    return getSizes(info->dims);
  isComplete &= !info;
  return {};
}

Block &KernelBuilder::addParts() {
  parts.push_back(std::make_unique<Block>());
  return *parts.back();
}

LogicalResult KernelBuilder::legalize(Operation *part) {
  auto interface = dyn_cast<LegalizeOpInterface>(part);
  auto isUnknown = [](Type type) {
    std::optional<TensorInfo> info = TensorInfo::get(type);
    return !info || !info->isRanked ||
           llvm::any_of(info->dims, [](Dim dim) { return dim.isUnknown(); });
  };
  if (!interface || llvm::any_of(part->getResultTypes(), isUnknown))
    return failure();
  std::string ownName = name;
  LogicalResult result = interface.legalize(*this);
  name = ownName;
  return result;
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

KernelBuilder::Input
KernelBuilder::broadcast(const TensorView &view,
                         ArrayRef<OpFoldResult> loopSizes) {
  RankedTensorType type = view.getTensorType();
  SmallVector<AffineExpr> exprs(type.getRank(), getAffineConstantExpr(0));
  int64_t offset = int64_t(loopSizes.size()) - view.getRank();
  for (auto [index, dim] : llvm::enumerate(view.dims)) {
    int64_t loop = offset + index;
    if (dim >= 0 &&
        (type.getDimSize(dim) != 1 || isConstantIntValue(loopSizes[loop], 1)))
      exprs[dim] = getAffineDimExpr(loop);
  }
  return {view.tensor,
          AffineMap::get(loopSizes.size(), 0, exprs, getContext())};
}

/// Builds a linalg.generic whose body computes with numbers of the types of
/// `inputs`, and of `elementType`.
static Value buildGeneric(KernelBuilder &kernel,
                          ArrayRef<KernelBuilder::Input> inputs, Value out,
                          AffineMap outMap,
                          ArrayRef<utils::IteratorType> iterators,
                          bool readsOut, bool isMove,
                          KernelBuilder::Body body) {
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  for (const KernelBuilder::Input &input : inputs) {
    tensors.push_back(input.tensor);
    maps.push_back(input.map);
  }
  maps.push_back(outMap);
  Type elementType = cast<RankedTensorType>(out.getType()).getElementType();
  auto build = [&](OpBuilder &builder, Location loc, ValueRange elements) {
    ScalarBuilder to(loc, builder, elementType);
    SmallVector<Value> numbers;
    for (Value element : readsOut ? elements : elements.drop_back())
      numbers.push_back(
          isMove
              ? element
              : ScalarBuilder(loc, builder, element.getType()).load(element));
    ScalarBuilder scalars(loc, builder, elements.front().getType());
    Value number = body(scalars, numbers);
    linalg::YieldOp::create(builder, loc, isMove ? number : to.store(number));
  };
  return linalg::GenericOp::create(kernel, out.getType(), tensors, out, maps,
                                   iterators, build)
      .getResult(0);
}

/// Builds a linalg.generic of parallel loops.
static Value buildMap(KernelBuilder &kernel,
                      ArrayRef<KernelBuilder::Input> inputs,
                      ArrayRef<OpFoldResult> sizes, Type elementType,
                      bool isMove, KernelBuilder::Body body) {
  int64_t rank = sizes.size();
  Value out = tensor::EmptyOp::create(kernel, sizes, elementType);
  return buildGeneric(kernel, inputs, out, kernel.getMultiDimIdentityMap(rank),
                      getIterators(rank, llvm::to_vector(llvm::seq(rank))),
                      /*readsOut=*/false, isMove, body);
}

Value KernelBuilder::map(ArrayRef<Input> inputs,
                         ArrayRef<OpFoldResult> loopSizes, Type elementType,
                         Body body) {
  return buildMap(*this, inputs, loopSizes, elementType, /*isMove=*/false,
                  body);
}

Value KernelBuilder::move(ArrayRef<Input> inputs,
                          ArrayRef<OpFoldResult> loopSizes, Type elementType,
                          Body body) {
  return buildMap(*this, inputs, loopSizes, elementType, /*isMove=*/true, body);
}

Value KernelBuilder::gather(
    Value tensor, ArrayRef<OpFoldResult> loopSizes, ArrayRef<Input> inputs,
    function_ref<void(ScalarBuilder &, ValueRange, SmallVectorImpl<Value> &)>
        setIndices) {
  Type elementType = cast<RankedTensorType>(tensor.getType()).getElementType();
  auto extract = [&](ScalarBuilder &scalars, ValueRange elements) -> Value {
    SmallVector<Value> indices;
    setIndices(scalars, elements, indices);
    return tensor::ExtractOp::create(scalars, tensor, indices);
  };
  return move(inputs, loopSizes, elementType, extract);
}

void KernelBuilder::mapElements(Value result, ValueRange operands, Body body) {
  Sizes loopSizes = getSizes(result);
  SmallVector<Input> inputs;
  SmallVector<Value> given;
  for (Value operand : operands) {
    given.push_back(isNumber(operand) ? getNumber(operand) : Value());
    if (!given.back())
      inputs.push_back(broadcast(getView(operand), loopSizes));
  }
  std::optional<TensorInfo> first = TensorInfo::get(operands.front().getType());
  Type operandType = first ? first->elementType : operands.front().getType();
  auto apply = [&](ScalarBuilder &scalars, ValueRange numbers) {
    SmallVector<Value> all(given);
    for (Value &number : all)
      if (!number) {
        number = numbers.front();
        numbers = numbers.drop_front();
      }
    ScalarBuilder of(scalars.getLoc(), scalars, operandType);
    return body(of, all);
  };
  set(result, map(inputs, loopSizes,
                  TensorInfo::get(result.getType())->elementType, apply));
}

Type KernelBuilder::getSumType(Type elementType) {
  Type type = ScalarBuilder::getComputeType(elementType);
  return isa<FloatType>(type) ? type : elementType;
}

Value KernelBuilder::reduce(ArrayRef<Input> inputs, int64_t numLoops,
                            ArrayRef<int64_t> kept,
                            ArrayRef<OpFoldResult> keptSizes, Type elementType,
                            Value start, Body body) {
  // Without a loop to reduce, reading the output would make linalg's fusion
  // into a broadcast add the number once for each loop of the consumer.
  bool reduces = int64_t(kept.size()) != numLoops;
  Type sumType = getSumType(elementType);
  Value out = reduces ? fill(start, keptSizes, sumType)
                      : tensor::EmptyOp::create(*this, keptSizes, sumType);
  SmallVector<AffineExpr> exprs = llvm::map_to_vector(
      kept, [&](int64_t loop) { return getAffineDimExpr(loop); });
  auto addToStart = [&](ScalarBuilder &scalars, ValueRange numbers) {
    SmallVector<Value> withStart(numbers);
    withStart.push_back(start);
    return body(scalars, withStart);
  };
  return buildGeneric(*this, inputs, out,
                      AffineMap::get(numLoops, 0, exprs, getContext()),
                      getIterators(numLoops, kept), /*readsOut=*/reduces,
                      /*isMove=*/false, reduces ? body : Body(addToStart));
}

Value KernelBuilder::narrow(Value tensor, Type elementType) {
  Type from = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (from == elementType)
    return tensor;
  Sizes loopSizes = tensor::getMixedSizes(*this, getLoc(), tensor);
  return map(broadcast(getWhole(tensor), loopSizes), loopSizes, elementType,
             [](ScalarBuilder &, ValueRange numbers) { return numbers[0]; });
}

Value KernelBuilder::fill(Value number, ArrayRef<OpFoldResult> fillSizes,
                          Type elementType) {
  Value element = getScalars(elementType).store(number);
  Value out = tensor::EmptyOp::create(*this, fillSizes, elementType);
  return linalg::FillOp::create(*this, element, out).getResult(0);
}

/// The sizes as a type has them.
static SmallVector<int64_t> getStaticSizes(ArrayRef<OpFoldResult> sizes) {
  return llvm::map_to_vector(sizes, [](OpFoldResult size) {
    return getConstantIntValue(size).value_or(ShapedType::kDynamic);
  });
}

/// Groups of one dimension each, but of `size` dimensions from `first` on.
static SmallVector<ReassociationIndices> getGroups(int64_t rank, int64_t first,
                                                   int64_t size) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim > first && dim < first + size)
      groups.back().push_back(dim);
    else
      groups.push_back({dim});
  return groups;
}

Value KernelBuilder::reshape(Value tensor, ArrayRef<OpFoldResult> from,
                             ArrayRef<OpFoldResult> to) {
  auto type = cast<RankedTensorType>(tensor.getType());
  auto getType = [&](ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, type.getElementType());
  };
  RankedTensorType newType = getType(getStaticSizes(to));
  if (llvm::equal(from, to, isEqualConstantIntOrValue))
    return tensor;
  std::optional<SmallVector<ReassociationIndices>> groups;
  if (type.hasStaticShape() && newType.hasStaticShape())
    groups = getReassociationIndicesForReshape(type, newType);
  if (groups && type.getRank() > newType.getRank())
    return tensor::CollapseShapeOp::create(*this, newType, tensor, *groups);
  if (groups && type.getRank() < newType.getRank())
    return tensor::ExpandShapeOp::create(*this, newType, tensor, *groups);
  // Dimensions at the front and at the back stay. At least one is between them.
  size_t front = 0, back = 0, most = std::min(from.size(), to.size());
  while (front + 1 < most && isEqualConstantIntOrValue(from[front], to[front]))
    ++front;
  while (front + back + 1 < most &&
         isEqualConstantIntOrValue(from[from.size() - back - 1],
                                   to[to.size() - back - 1]))
    ++back;
  size_t numFrom = from.size() - front - back, numTo = to.size() - front - back;
  ArrayRef<OpFoldResult> middle = to.slice(front, numTo);
  int64_t numDynamic =
      llvm::count(getStaticSizes(middle), ShapedType::kDynamic);
  if (numFrom == 0 || numTo == 0 || numDynamic > 1) {
    // Upstream does not expand a dimension into several dynamic ones.
    SmallVector<Value> values = llvm::map_to_vector(
        to, [&](OpFoldResult size) { return toValue(size); });
    auto shapeType = RankedTensorType::get(int64_t(to.size()), getIndexType());
    Value shape =
        values.empty()
            ? Value(tensor::EmptyOp::create(*this, Sizes{getIndexAttr(0)},
                                            getIndexType()))
            : Value(tensor::FromElementsOp::create(*this, shapeType, values));
    return tensor::ReshapeOp::create(*this, newType, tensor, shape);
  }
  Value flat = tensor;
  if (numFrom > 1)
    flat = tensor::CollapseShapeOp::create(
        *this, flat, getGroups(from.size(), front, numFrom));
  SmallVector<int64_t> flatShape(
      cast<RankedTensorType>(flat.getType()).getShape());
  int64_t count = numDynamic == 0
                      ? ShapedType::getNumElements(getStaticSizes(middle))
                      : ShapedType::kDynamic;
  if (flatShape[front] != count) {
    flatShape[front] = count;
    flat = tensor::CastOp::create(*this, getType(flatShape), flat);
  }
  if (numTo == 1)
    return flat;
  SmallVector<int64_t> shape(flatShape);
  shape.erase(shape.begin() + front);
  SmallVector<int64_t> inner = getStaticSizes(middle);
  shape.insert(shape.begin() + front, inner.begin(), inner.end());
  return tensor::ExpandShapeOp::create(*this, getType(shape), flat,
                                       getGroups(to.size(), front, numTo), to);
}

/// Gives `view`, whose dimensions are in order, the dimensions of size 1 that
/// it has, and drops those that it lacks.
static Value changeUnits(KernelBuilder &kernel, const TensorView &view) {
  Value tensor = view.tensor;
  RankedTensorType type = view.getTensorType();
  SmallVector<ReassociationIndices> kept, groups;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    bool isKept = llvm::is_contained(view.dims, dim);
    // What goes joins what stays before it, or the first that stays.
    bool isFirst =
        kept.size() == 1 && !llvm::any_of(kept.front(), [&](int64_t d) {
          return llvm::is_contained(view.dims, d);
        });
    if (kept.empty() || (isKept && !isFirst))
      kept.push_back({dim});
    else
      kept.back().push_back(dim);
  }
  bool isScalar = llvm::all_of(view.dims, [](int64_t dim) { return dim < 0; });
  if (isScalar && type.getRank() > 0)
    tensor = tensor::CollapseShapeOp::create(kernel, tensor,
                                             ArrayRef<ReassociationIndices>());
  else if (kept.size() < size_t(type.getRank()))
    tensor = tensor::CollapseShapeOp::create(kernel, tensor, kept);
  KernelBuilder::Sizes from =
      tensor::getMixedSizes(kernel, kernel.getLoc(), tensor);
  KernelBuilder::Sizes to;
  size_t next = 0;
  for (auto [index, dim] : llvm::enumerate(view.dims)) {
    to.push_back(dim < 0 ? OpFoldResult(kernel.getIndexAttr(1)) : from[next]);
    bool isFirst = next == 0;
    next += dim >= 0;
    if (!isScalar && (groups.empty() || (dim >= 0 && !isFirst)))
      groups.push_back({int64_t(index)});
    else if (!isScalar)
      groups.back().push_back(index);
  }
  if (to.size() == from.size())
    return tensor;
  auto newType =
      RankedTensorType::get(getStaticSizes(to), type.getElementType());
  return tensor::ExpandShapeOp::create(kernel, newType, tensor, groups, to);
}

Value KernelBuilder::realize(const TensorView &view) {
  SmallVector<int64_t> order;
  for (int64_t dim : view.dims)
    if (dim >= 0)
      order.push_back(dim);
  if (view.dims == getWhole(view.tensor).dims)
    return view.tensor;
  if (llvm::is_sorted(order))
    return changeUnits(*this, view);
  Sizes from = tensor::getMixedSizes(*this, getLoc(), view.tensor);
  Sizes to = llvm::map_to_vector(view.dims, [&](int64_t dim) {
    return dim < 0 ? OpFoldResult(getIndexAttr(1)) : from[dim];
  });
  return move(broadcast(view, to), to, view.getElementType(),
              [](ScalarBuilder &, ValueRange elements) { return elements[0]; });
}
