//===- FuseTIR.cpp - Make one prim_func of a fused function ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Structure/Symbols.h"
#include "../Utils.h"
#include "FusedKernel.h"

#include "partita/Conversion/LinalgToTIR.h"
#include "partita/Conversion/Passes.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

namespace partita::relax {
#define GEN_PASS_DEF_FUSETIRINNER
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct FuseTIRInner : relax::impl::FuseTIRInnerBase<FuseTIRInner> {
  void getDependentDialects(DialectRegistry &registry) const override {
    FuseTIRInnerBase::getDependentDialects(registry);
    conversion::createConvertLinalgToTIR()->getDependentDialects(registry);
  }
  void runOnOperation() override;

private:
  /// A function that a prim_func replaces.
  struct Fused {
    OwningOpRef<tir::PrimFuncOp> kernel;
    SmallVector<int64_t> inPlace;
  };

  std::optional<KernelCall> getCall(Operation *op) const;
  std::optional<KernelCalls> getCalls(FuncOp func) const;
  LogicalResult
  lowerMixedKernels(llvm::MapVector<FuncOp, KernelCalls> &primitive,
                    OwningOpRef<IRModuleOp> &lowered) const;
  void replaceCall(CallOp call, const Fused &fused, FuncOp func) const;

  SymbolTable *symbols = nullptr;
};
} // namespace

/// Warns that `func` stays.
static void warn(FuncOp func, const Twine &text) {
  func.emitWarning("a Primitive function stays as it is: ") << text;
}

/// `op` as a call of a prim_func; nothing if it is none.
std::optional<KernelCall> FuseTIRInner::getCall(Operation *op) const {
  KernelCall call{op, {}, {}, {}};
  StringAttr callee;
  if (auto callTIR = dyn_cast<CallTIROp>(op)) {
    callee = callTIR.getCalleeAttr().getAttr();
    llvm::append_range(call.arguments, callTIR.getOperands());
    call.inPlace.assign(op->getNumResults(), -1);
  } else if (auto inPlace = dyn_cast<CallTIRInplaceOp>(op)) {
    if (op->getNumOperands() < 2)
      return std::nullopt;
    auto global = op->getOperand(0).getDefiningOp<GlobalOp>();
    auto tuple = op->getOperand(1).getDefiningOp<TupleOp>();
    auto indices =
        inPlace.getAttrs()
            ? inPlace.getAttrsAttr().getAs<DenseI64ArrayAttr>("inplace_indices")
            : DenseI64ArrayAttr();
    if (!global || !tuple || !indices || indices.size() != 1)
      return std::nullopt;
    callee = global.getValueAttr().getAttr();
    llvm::append_range(call.arguments, tuple.getFields());
    llvm::append_range(call.inPlace, indices.asArrayRef());
  } else {
    return std::nullopt;
  }
  call.callee = dyn_cast_or_null<tir::PrimFuncOp>(symbols->lookup(callee));
  size_t numParameters =
      call.arguments.size() +
      llvm::count_if(call.inPlace, [](int64_t index) { return index < 0; });
  bool isValid = call.callee && !call.callee.isExternal() &&
                 call.callee.getNumArguments() == numParameters &&
                 llvm::all_of(call.inPlace, [&](int64_t index) {
                   return index >= -1 && index < int64_t(call.arguments.size());
                 });
  return isValid ? std::optional(std::move(call)) : std::nullopt;
}

/// The calls that `func` consists of; nothing, after a warning, if it has
/// something else.
std::optional<KernelCalls> FuseTIRInner::getCalls(FuncOp func) const {
  KernelCalls result;
  if (!func.getBody().hasOneBlock()) {
    warn(func, "expected a body");
    return std::nullopt;
  }
  // Fields and blocks only hand values on.
  llvm::DenseMap<Value, Value> origins;
  auto getOrigin = [&](Value value) {
    auto origin = origins.find(value);
    return origin == origins.end() ? value : origin->second;
  };
  auto visit = [&](Operation *op) {
    if (isa<DataflowOp, PrimValueOp>(op) || isPlainValue(op))
      return true;
    if (isa<AliasOp>(op)) {
      origins[op->getResult(0)] = getOrigin(op->getOperand(0));
      return true;
    }
    if (isa<TupleOp>(op))
      return true;
    if (auto item = dyn_cast<TupleGetItemOp>(op)) {
      auto tuple = getOrigin(item.getTupleValue()).getDefiningOp<TupleOp>();
      if (!tuple || item.getIndex() >= tuple.getFields().size())
        return false;
      origins[item] = getOrigin(tuple.getFields()[item.getIndex()]);
      return true;
    }
    if (isa<OutputOp>(op)) {
      for (auto [output, operand] :
           llvm::zip_equal(op->getParentOp()->getResults(), op->getOperands()))
        origins[output] = getOrigin(operand);
      return true;
    }
    if (isa<ReturnOp>(op)) {
      for (Value operand : op->getOperands())
        result.outputs.push_back(getOrigin(operand));
      return true;
    }
    std::optional<KernelCall> call = getCall(op);
    if (!call)
      return false;
    for (Value &argument : call->arguments)
      argument = getOrigin(argument);
    result.calls.push_back(std::move(*call));
    return true;
  };
  WalkResult walked =
      func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (visit(op))
          return WalkResult::advance();
        warn(func, Twine("expected calls of prim_funcs with bodies, found '") +
                       op->getName().getStringRef() + "'");
        return WalkResult::interrupt();
      });
  if (walked.wasInterrupted())
    return std::nullopt;
  return result;
}

/// Whether the callee computes tensors, and overwrites nothing.
static bool isTensorCall(KernelCall &call) {
  return isTensorKernel(call.callee) &&
         llvm::all_of(call.inPlace, [](int64_t index) { return index < 0; });
}

/// Lowers kernels of linalg that are fused with kernels of blocks.
LogicalResult
FuseTIRInner::lowerMixedKernels(llvm::MapVector<FuncOp, KernelCalls> &primitive,
                                OwningOpRef<IRModuleOp> &lowered) const {
  llvm::SetVector<tir::PrimFuncOp> kernels;
  SmallVector<KernelCall *> mixed;
  for (auto &[func, calls] : primitive) {
    if (llvm::all_of(calls.calls, isTensorCall))
      continue;
    for (KernelCall &call :
         llvm::make_filter_range(calls.calls, isTensorCall)) {
      mixed.push_back(&call);
      kernels.insert(call.callee);
    }
  }
  FailureOr<OwningOpRef<IRModuleOp>> converted =
      conversion::convertKernelsToTIR(kernels.getArrayRef());
  if (failed(converted))
    return failure();
  lowered = std::move(*converted);
  if (!lowered)
    return success();
  SymbolTable table(*lowered);
  for (KernelCall *call : mixed)
    call->callee = table.lookup<tir::PrimFuncOp>(call->callee.getSymName());
  return success();
}

void FuseTIRInner::replaceCall(CallOp call, const Fused &fused,
                               FuncOp func) const {
  OpBuilder builder(call);
  SmallVector<Value> arguments;
  for (auto [operand, parameter] :
       llvm::zip_equal(call.getArgOperands(), func.getArguments())) {
    auto shape = dyn_cast<relax::ShapeType>(operand.getType());
    if (!shape) {
      arguments.push_back(operand);
      continue;
    }
    for (Dim dim : shape.getDims())
      arguments.push_back(
          dim.isNumber()
              ? createInt(builder, dim.getSize())
              : DimOp::create(builder, builder.getUnknownLoc(),
                              builder.getI64Type(),
                              ShapeAttr::get(builder.getContext(), dim)));
  }
  bool overwrites =
      llvm::any_of(fused.inPlace, [](int64_t index) { return index >= 0; });
  auto callee = FlatSymbolRefAttr::get(func.getSymNameAttr());
  if (!overwrites) {
    auto callTIR = CallTIROp::create(builder, call.getLoc(),
                                     call.getResultTypes(), callee, arguments);
    callTIR->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    call.replaceAllUsesWith(callTIR);
  } else {
    auto callTIR = createCallTIRInplace(builder, call.getLoc(),
                                        call.getResult(0).getType(), callee,
                                        arguments, fused.inPlace);
    call.replaceAllUsesWith(callTIR);
  }
  call.erase();
}

/// Whether a shape of type `type` gives a prim_func its sizes.
static bool hasKnownSizes(Type type) {
  auto shape = dyn_cast<relax::ShapeType>(type);
  return !shape || (shape.getRanked() && !shape.getLacksValues() &&
                    llvm::none_of(shape.getDims(),
                                  [](Dim dim) { return dim.isUnknown(); }));
}

void FuseTIRInner::runOnOperation() {
  SymbolTable table(getOperation());
  symbols = &table;
  llvm::MapVector<FuncOp, KernelCalls> primitive;
  for (FuncOp func : getOperation().getOps<FuncOp>())
    if (isPrimitive(func) && !partita::transform::skipsOptimization(func))
      if (std::optional<KernelCalls> calls = getCalls(func))
        primitive.insert({func, std::move(*calls)});
  if (primitive.empty())
    return markAllAnalysesPreserved();
  OwningOpRef<IRModuleOp> lowered;
  if (failed(lowerMixedKernels(primitive, lowered)))
    return signalPassFailure();

  llvm::MapVector<StringAttr, std::pair<FuncOp, Fused>> fused;
  for (auto &[func, calls] : primitive) {
    bool areTensors = llvm::all_of(calls.calls, isTensorCall);
    std::unique_ptr<FusedKernel> kernel = areTensors
                                              ? createFusedTensors(func, calls)
                                              : createFusedBlocks(func, calls);
    Fused result;
    result.kernel = kernel->create();
    result.inPlace = llvm::to_vector(kernel->getInPlace());
    bool canBeCalled =
        result.inPlace.size() == 1 ||
        llvm::none_of(result.inPlace, [](auto i) { return i >= 0; });
    if (!result.kernel)
      warn(func, kernel->getProblem());
    else if (!canBeCalled)
      warn(func, "expected one result if a parameter is overwritten");
    else
      fused[func.getSymNameAttr()] = {func, std::move(result)};
  }

  // A function that is used other than by calls stays, and so does one that
  // gets sizes nobody knows.
  SmallVector<CallOp> callers;
  SmallVector<StringAttr> kept;
  collectSymbols(getOperation(), kept);
  getOperation().walk([&](Operation *op) {
    auto call = dyn_cast<CallOp>(op);
    if (!call)
      return collectSymbols(op, kept);
    callers.push_back(call);
    if (!llvm::all_of(call.getArgOperands().getTypes(), hasKnownSizes))
      kept.push_back(call.getCalleeAttr().getAttr());
  });
  for (StringAttr name : kept)
    fused.erase(name);
  for (CallOp call : callers)
    if (auto *found = fused.find(call.getCalleeAttr().getAttr());
        found != fused.end())
      replaceCall(call, found->second.second, found->second.first);
  for (auto &[name, replaced] : fused) {
    Block::iterator position(replaced.first);
    OwningOpRef<tir::PrimFuncOp> kernel = std::move(replaced.second.kernel);
    table.remove(replaced.first);
    table.insert(kernel.get(), position);
    (void)kernel.release();
    replaced.first.erase();
    ++numFused;
  }
}
