//===- BundleModelParams.cpp - Pass weights as one tuple ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleModelParams.h"
#include "Symbols.h"
#include "Values.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

#include "llvm/ADT/BitVector.h"

namespace partita::relax {
#define GEN_PASS_DEF_BUNDLEMODELPARAMS
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct BundleModelParams
    : relax::impl::BundleModelParamsBase<BundleModelParams> {
  using BundleModelParamsBase::BundleModelParamsBase;
  void runOnOperation() override;
};
} // namespace

/// The name of the size that parameter `index` is, as a number; or null.
static StringAttr getDimOfParameter(FuncOp func, unsigned index) {
  return func.getArgAttrOfType<StringAttr>(index, FuncOp::getDimAttrName());
}

/// The names that only numbers among the parameters from `first` on introduce.
static llvm::DenseSet<StringAttr> getNamesOfNumbers(FuncOp func,
                                                    unsigned first) {
  llvm::DenseSet<StringAttr> names;
  for (unsigned index = first; index < func.getNumArguments(); ++index)
    if (StringAttr dim = getDimOfParameter(func, index))
      names.insert(dim);
  for (unsigned index = 0; index < first; ++index) {
    for (StringAttr name : getNames(func.getArgumentTypes()[index]))
      names.erase(name);
    if (StringAttr dim = getDimOfParameter(func, index))
      names.erase(dim);
  }
  return names;
}

/// Takes the field that `parameter` has become; `type` is the field's type.
static Value takeField(OpBuilder &builder, Value bundle, unsigned index,
                       BlockArgument parameter, Type type) {
  Location loc = parameter.getLoc();
  if (!getVarName(loc))
    loc = getNamedLoc(builder.getContext(), getParameterName(parameter));
  if (type == parameter.getType())
    return TupleGetItemOp::create(builder, loc, bundle, index);
  auto field =
      TupleGetItemOp::create(builder, builder.getUnknownLoc(), bundle, index);
  return MatchCastOp::create(builder, loc, parameter.getType(), field);
}

/// Takes the numbers at the start of the function.
static void takeNumbers(FuncOp func, ArrayRef<BlockArgument> parameters,
                        ArrayRef<StringAttr> dims, Value bundle) {
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  for (auto [index, each] : llvm::enumerate(parameters)) {
    BlockArgument parameter = each;
    Type type = parameter.getType();
    if (!type.isIntOrIndexOrFloat())
      continue;
    Value number = takeField(builder, bundle, index, parameter, type);
    if (dims[index]) {
      auto cast = MatchCastOp::create(builder, number.getLoc(), type, number);
      cast->setAttr(FuncOp::getDimAttrName(), dims[index]);
      number = cast;
    }
    parameter.replaceAllUsesWith(number);
  }
}

void partita::relax::bundleModelParams(FuncOp func, unsigned first,
                                       StringRef name) {
  llvm::DenseSet<StringAttr> forgotten = getNamesOfNumbers(func, first);
  auto forget = [&](Type type) {
    return forgetNames(
        type, [&](StringAttr other) { return !forgotten.contains(other); });
  };
  SmallVector<BlockArgument> parameters;
  SmallVector<StringAttr> dims;
  SmallVector<Type> fields;
  llvm::DenseMap<Value, unsigned> indices;
  for (BlockArgument parameter : func.getArguments().drop_front(first)) {
    indices[parameter] = parameters.size();
    parameters.push_back(parameter);
    dims.push_back(getDimOfParameter(func, parameter.getArgNumber()));
    fields.push_back(forget(parameter.getType()));
  }
  SmallVector<Type> results =
      llvm::map_to_vector(func.getResultTypes(), forget);
  (void)func.insertArgument(func.getNumArguments(),
                            TupleType::get(func.getContext(), fields), {},
                            getNamedLoc(func.getContext(), name));
  Value bundle = func.getArguments().back();
  takeNumbers(func, parameters, dims, bundle);
  func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands())
      if (auto it = indices.find(operand.get()); it != indices.end())
        operand.set(takeField(builder, bundle, it->second,
                              cast<BlockArgument>(operand.get()),
                              fields[it->second]));
  });
  // As in TVM, a branch does not know what comes from the tuple.
  if (!forgotten.empty())
    func.walk([&](IfOp op) {
      op.getResult().setType(forget(op.getResult().getType()));
    });
  BitVector erased(func.getNumArguments());
  erased.set(first, func.getNumArguments() - 1);
  (void)func.eraseArguments(erased);
  setResultTypes(func, results);
}

void BundleModelParams::runOnOperation() {
  bool hasChanged = false;
  for (auto func : getOperation().getOps<FuncOp>()) {
    if (!isChangeable(func) || !func->hasAttr("num_input"))
      continue;
    FailureOr<unsigned> numInput = getNumInput(func, 0);
    if (failed(numInput))
      return signalPassFailure();
    hasChanged = true;
    numBundled += func.getNumArguments() - *numInput;
    bundleModelParams(func, *numInput, paramTupleName);
  }
  if (!hasChanged)
    markAllAnalysesPreserved();
}
