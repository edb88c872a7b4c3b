//===- Values.cpp - Values and types of functions -------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "partita/Dialect/Relax/IR/RelaxAttrs.h"
#include "partita/Dialect/Relax/IR/RelaxMarks.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace partita::relax;

std::string partita::relax::getParameterName(BlockArgument parameter) {
  if (StringAttr name = getVarName(parameter))
    return name.str();
  return "arg" + std::to_string(parameter.getArgNumber());
}

bool partita::relax::isPartOfUser(Operation *op) {
  if (isa<ConstantOp>(op))
    return true;
  return !isVar(op) &&
         (op->hasTrait<partita::IsValue>() || isa<PrimValueOp, TupleOp>(op));
}

/// Whether all names in `dims` are known.
static bool areNamesKnown(ArrayRef<Dim> dims,
                          function_ref<bool(StringAttr)> isKnown) {
  return llvm::all_of(dims, [&](Dim dim) {
    bool isDimKnown = true;
    if (dim.isName())
      forEachName(dim.getName().getValue(), [&](StringRef name) {
        isDimKnown &=
            isKnown(StringAttr::get(dim.getName().getContext(), name));
      });
    return isDimKnown;
  });
}

Type partita::relax::forgetNames(Type type,
                                 function_ref<bool(StringAttr)> isKnown) {
  MLIRContext *context = type.getContext();
  if (auto tuple = dyn_cast<TupleType>(type))
    return TupleType::get(
        context, llvm::map_to_vector(tuple.getTypes(), [&](Type field) {
          return forgetNames(field, isKnown);
        }));
  if (auto shape = dyn_cast<relax::ShapeType>(type))
    return areNamesKnown(shape.getDims(), isKnown)
               ? type
               : relax::ShapeType::get(
                     context, SmallVector<Dim>(shape.getDims().size()));
  std::optional<TensorInfo> tensor = TensorInfo::get(type);
  if (!tensor || (!tensor->shape && areNamesKnown(tensor->dims, isKnown)))
    return type;
  tensor->shape = {};
  if (tensor->isRanked)
    tensor->setRank(tensor->getRank());
  return tensor->getType(context);
}

void partita::relax::forEachNameIn(Type type,
                                   function_ref<void(StringAttr)> visit) {
  type.walk([&](Type inner) {
    SmallVector<Dim> dims;
    if (std::optional<TensorInfo> tensor = TensorInfo::get(inner))
      dims = tensor->dims;
    else if (auto shape = dyn_cast<relax::ShapeType>(inner))
      llvm::append_range(dims, shape.getDims());
    for (Dim dim : dims)
      if (dim.isName())
        forEachName(dim.getName().getValue(), [&](StringRef name) {
          visit(StringAttr::get(type.getContext(), name));
        });
  });
}

void partita::relax::forEachNameIn(Operation *op,
                                   function_ref<void(StringAttr)> visit) {
  for (Type type : op->getResultTypes())
    forEachNameIn(type, visit);
  // The elements of a constant have no names, and can be large.
  if (isa<ConstantOp>(op))
    return;
  AttrTypeWalker walker;
  walker.addWalk([&](Type type) {
    forEachNameIn(type, visit);
    return WalkResult::skip();
  });
  walker.addWalk([&](ShapeAttr shape) {
    forEachNameIn(shape.getValueType(), visit);
    return WalkResult::skip();
  });
  if (DictionaryAttr attrs = op->getAttrDictionary(); !attrs.empty())
    walker.walk(attrs);
}

void partita::relax::setResultTypes(FuncOp func, TypeRange types) {
  Operation *end = func.getBody().front().getTerminator();
  OpBuilder builder(end);
  for (auto [operand, type] : llvm::zip_equal(end->getOpOperands(), types)) {
    Value before = operand.get(), value = getUncast(before);
    if (value.getType() == type)
      operand.set(value);
    else if (before.getType() != type)
      operand.set(
          MatchCastOp::create(builder, builder.getUnknownLoc(), type, value));
    eraseUnusedPart(before);
  }
  func.setType(
      FunctionType::get(func.getContext(), func.getArgumentTypes(), types));
}

void partita::relax::eraseUnusedPart(Value value) {
  llvm::SmallSetVector<Value, 4> worklist;
  worklist.insert(value);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    // What TVM only assumes of a value gives no size a name.
    bool isDead = op && op->use_empty() &&
                  (isOpTriviallyDead(op) || op->hasAttr(assumedAttrName));
    if (!isDead || isVar(op) ||
        !(isPartOfUser(op) || isa<MatchCastOp, TupleGetItemOp>(op)))
      continue;
    SmallVector<Value> operands(op->getOperands());
    op->erase();
    worklist.insert_range(operands);
  }
}

SmallVector<StringAttr> partita::relax::getNamesOfParameter(FuncOp func,
                                                            unsigned index) {
  SmallVector<StringAttr> names = getNames(func.getArgumentTypes()[index]);
  if (auto dim =
          func.getArgAttrOfType<StringAttr>(index, FuncOp::getDimAttrName()))
    names.push_back(dim);
  return names;
}

Dim partita::relax::getSizeOf(Value number) {
  if (auto dim = number.getDefiningOp<DimOp>())
    return dim.getDim();
  if (auto value = number.getDefiningOp<PrimValueOp>())
    if (auto integer = dyn_cast<IntegerAttr>(value.getValue());
        integer && integer.getValue().isSignedIntN(64) &&
        !integer.getValue().isNegative())
      return Dim(integer.getValue().getSExtValue());
  StringAttr name;
  if (auto cast = number.getDefiningOp<MatchCastOp>())
    name = cast->getAttrOfType<StringAttr>(FuncOp::getDimAttrName());
  if (auto argument = dyn_cast<BlockArgument>(number))
    if (auto func = dyn_cast<FuncOp>(argument.getOwner()->getParentOp()))
      name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                               FuncOp::getDimAttrName());
  return name ? Dim(name) : Dim();
}

SmallVector<Dim> partita::relax::getSizesOfNames(FuncOp callee,
                                                 ValueRange operands,
                                                 ArrayRef<StringAttr> names) {
  DimBinding binding;
  llvm::DenseMap<StringAttr, Dim> numbers;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    (void)binding.bind(callee.getArgumentTypes()[index], operand.getType());
    if (auto dim = callee.getArgAttrOfType<StringAttr>(
            index, FuncOp::getDimAttrName()))
      numbers.try_emplace(dim, getSizeOf(operand));
  }
  return llvm::map_to_vector(names, [&](StringAttr name) {
    auto shape = cast<relax::ShapeType>(
        binding.apply(relax::ShapeType::get(callee.getContext(), {Dim(name)})));
    Dim size = shape.getDims().front();
    return size.isUnknown() ? numbers.lookup(name) : size;
  });
}

FailureOr<unsigned> partita::relax::getNumInput(FuncOp func,
                                                unsigned otherwise) {
  auto attr = func->getAttrOfType<IntegerAttr>("num_input");
  if (!attr)
    return otherwise;
  if (attr.getValue().isNegative() ||
      attr.getValue().ugt(func.getNumArguments()))
    return func.emitError("expected num_input of @")
           << func.getSymName() << " to be a number of its "
           << func.getNumArguments() << " parameters, but found " << attr;
  return attr.getValue().getZExtValue();
}

void partita::relax::setNumInput(FuncOp func, unsigned numInput) {
  func->setAttr("num_input",
                IntegerAttr::get(IntegerType::get(func.getContext(), 64),
                                 int64_t(numInput)));
}
