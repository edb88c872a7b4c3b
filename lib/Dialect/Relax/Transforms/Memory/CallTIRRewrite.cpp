//===- CallTIRRewrite.cpp - Allocate the results of call_tir --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Structure/Values.h"
#include "Utils.h"

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/IR/RelaxMarks.h"
#include "partita/Dialect/Relax/IR/RelaxVariables.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_CALLTIRREWRITE
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct CallTIRRewrite : relax::impl::CallTIRRewriteBase<CallTIRRewrite> {
  void runOnOperation() override;
};

/// Rewrites one call.
class CallRewriter {
public:
  CallRewriter(Operation *op, ArrayAttr vdevices)
      : op(op), builder(op), vdevices(vdevices) {}

  LogicalResult rewrite();

private:
  /// A device by its place in the module's, and its memory scope.
  std::pair<int64_t, StringRef> getDevice(const TensorInfo &info) const;
  /// The tensor or tuple that the result of type `type` is.
  FailureOr<Value> allocate(Type type);
  /// The same for the result of a call that writes arguments in place.
  FailureOr<Value> takeInPlace(Type type, size_t index);
  void replaceResults(ArrayRef<Value> outputs);

  Operation *op;
  OpBuilder builder;
  ArrayAttr vdevices;
  SmallVector<Value> arguments, allocated;
  /// Which argument a result is, or -1.
  std::optional<ArrayRef<int64_t>> inPlace;
};
} // namespace

std::pair<int64_t, StringRef>
CallRewriter::getDevice(const TensorInfo &info) const {
  auto getScope = [](Attribute device) -> StringRef {
    auto fields = dyn_cast_or_null<DictionaryAttr>(device);
    auto scope = fields ? fields.getAs<StringAttr>("memory_scope") : nullptr;
    return scope ? scope.getValue() : "global";
  };
  ArrayRef<Attribute> devices =
      vdevices ? vdevices.getValue() : ArrayRef<Attribute>();
  int64_t index = 0;
  if (auto place = dyn_cast_or_null<IntegerAttr>(info.vdevice)) {
    index = place.getInt();
  } else if (info.vdevice) {
    index = llvm::find(devices, info.vdevice) - devices.begin();
  } else {
    // The first one with global memory.
    const Attribute *found = llvm::find_if(devices, [&](Attribute device) {
      return getScope(device) == "global";
    });
    return {found == devices.end() ? 0 : found - devices.begin(), "global"};
  }
  bool isKnown = index >= 0 && index < int64_t(devices.size());
  return {index, isKnown ? getScope(devices[index]) : getScope(info.vdevice)};
}

FailureOr<Value> CallRewriter::allocate(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    SmallVector<Value> fields;
    for (Type fieldType : tuple.getTypes()) {
      FailureOr<Value> field = allocate(fieldType);
      if (failed(field))
        return failure();
      fields.push_back(*field);
    }
    return TupleOp::create(builder, builder.getUnknownLoc(), fields)
        .getResult();
  }
  std::optional<TensorInfo> info = TensorInfo::get(type);
  if (!info || !isShapeKnown(*info) || !info->elementType)
    return op->emitOpError("expected results whose shapes and element types "
                           "are known, found ")
           << type;
  auto [device, scope] = getDevice(*info);
  Value shape = createShape(builder, info->dims);
  Value dtype = createDType(builder, info->elementType);
  Value index = createInt(builder, device);
  auto alloc =
      AllocTensorOp::create(builder, withName(op->getLoc(), "alloc"), type,
                            shape, dtype, index, createString(builder, scope));
  // TVM's type argument.
  alloc->setDiscardableAttr("relax.ty_args", builder.getTypeArrayAttr(type));
  allocated.push_back(alloc);
  return allocated.back();
}

FailureOr<Value> CallRewriter::takeInPlace(Type type, size_t index) {
  int64_t argument = index < inPlace->size() ? (*inPlace)[index] : -1;
  if (argument == -1)
    return allocate(type);
  if (argument < 0 || argument >= int64_t(arguments.size()))
    return op->emitOpError("expected 'inplace_indices' to be below ")
           << arguments.size() << ", the number of arguments, found "
           << argument;
  if (isa<TupleType>(arguments[argument].getType()))
    return op->emitOpError("expected a tuple of arguments that is made by "
                           "'relax.tuple', since results are written into "
                           "its fields");
  return arguments[argument];
}

void CallRewriter::replaceResults(ArrayRef<Value> outputs) {
  if (op->getNumResults() == 1) {
    Location loc = op->getLoc();
    Value value;
    if (auto tuple = dyn_cast<TupleType>(op->getResult(0).getType()))
      value = TupleOp::create(builder, loc, outputs);
    else
      value = AliasOp::create(builder, loc, outputs.front());
    op->replaceAllUsesWith(ValueRange(value));
    return;
  }
  // In TVM, the results are the fields of a tuple, and their aliases are its
  // fields' variables.
  Value tuple = TupleOp::create(builder, op->getLoc(), outputs);
  for (OpResult result : op->getResults()) {
    Value field;
    for (OpOperand &use : llvm::make_early_inc_range(result.getUses())) {
      if (auto alias = dyn_cast<AliasOp>(use.getOwner())) {
        OpBuilder atAlias(alias);
        Value item =
            TupleGetItemOp::create(atAlias, alias.getLoc(), alias.getType(),
                                   tuple, result.getResultNumber());
        alias.replaceAllUsesWith(item);
        alias.erase();
        continue;
      }
      if (!field)
        field = TupleGetItemOp::create(builder, builder.getUnknownLoc(),
                                       result.getType(), tuple,
                                       result.getResultNumber());
      use.set(field);
    }
  }
}

/// The arguments of a call that has them as one tuple.
static SmallVector<Value> getTupleArguments(Operation *call) {
  Value arguments = call->getOperand(1);
  auto tuple = arguments.getDefiningOp<TupleOp>();
  // One with a variable is an argument itself, except where results are fields.
  if (tuple && (isa<CallTIRInplaceOp>(call) || !isVar(tuple)))
    return llvm::to_vector(tuple.getFields());
  return {arguments};
}

LogicalResult CallRewriter::rewrite() {
  if (isa<DataflowOp>(op->getParentOp()) && !isInForcedCode(op))
    return op->emitOpError("expected to be outside of 'relax.dataflow', or in "
                           "a function with 'relax.force_pure', since its "
                           "arguments are written");
  Value callee;
  Type returned = TupleType::get(op->getContext());
  if (auto call = dyn_cast<CallTIROp>(op)) {
    llvm::append_range(arguments, call.getOperands());
    callee =
        GlobalOp::create(builder, builder.getUnknownLoc(),
                         ObjectType::get(op->getContext()), call.getCallee());
  } else {
    if (op->getNumOperands() != 2)
      return op->emitOpError("expected a function and a tuple of arguments, "
                             "found ")
             << op->getNumOperands() << " operands";
    callee = op->getOperand(0);
    arguments = getTupleArguments(op);
    if (callee.getDefiningOp<ExternFuncOp>())
      returned = ObjectType::get(op->getContext());
    auto attrs = op->getAttrOfType<DictionaryAttr>("attrs");
    auto indices =
        attrs ? attrs.getAs<DenseI64ArrayAttr>("inplace_indices") : nullptr;
    if (isa<CallTIRInplaceOp>(op))
      inPlace = indices ? indices.asArrayRef() : ArrayRef<int64_t>();
  }
  SmallVector<Type> types(op->getResultTypes());
  if (types.size() == 1)
    types = getFieldTypes(types.front());
  SmallVector<Value> outputs;
  for (auto [index, type] : llvm::enumerate(types)) {
    FailureOr<Value> output =
        inPlace ? takeInPlace(type, index) : allocate(type);
    if (failed(output))
      return failure();
    outputs.push_back(*output);
  }
  SmallVector<Value> operands = {callee};
  llvm::append_range(operands, arguments);
  llvm::append_range(operands, allocated);
  auto call = CallValueOp::create(builder, withName(op->getLoc(), "_"),
                                  returned, operands);
  call->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  replaceResults(outputs);
  SmallVector<Value> old(op->getOperands());
  op->erase();
  // The call takes the arguments without their tuple.
  llvm::for_each(old, eraseUnusedPart);
  return success();
}

void CallTIRRewrite::runOnOperation() {
  IRModuleOp module = getOperation();
  DictionaryAttr infos = module.getGlobalInfosAttr();
  ArrayAttr vdevices = infos ? infos.getAs<ArrayAttr>("vdevice") : nullptr;
  SmallVector<Operation *> calls;
  for (FuncOp func : module.getOps<FuncOp>())
    if (!partita::transform::skipsOptimization(func))
      func.walk([&](Operation *op) {
        if (isa<CallDPSPackedOp, CallTIRInplaceOp, CallTIROp>(op))
          calls.push_back(op);
      });
  if (calls.empty())
    return markAllAnalysesPreserved();
  for (Operation *op : calls)
    if (failed(CallRewriter(op, vdevices).rewrite()))
      return signalPassFailure();
  numCalls += calls.size();
}
