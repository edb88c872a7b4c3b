//===- ComputePrimValue.cpp - Compute sizes in prim_funcs -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Structure/Values.h"
#include "../UniqueFunctions.h"

#include "partita/Dialect/Relax/IR/RelaxAttrs.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Pass/PassContext.h"
#include "partita/Target/TVMJson/TVMJson.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace partita::relax {
#define GEN_PASS_DEF_COMPUTEPRIMVALUE
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct ComputePrimValue : relax::impl::ComputePrimValueBase<ComputePrimValue> {
  void runOnOperation() override;

private:
  using TypeOfName = llvm::DenseMap<StringAttr, Type>;

  void compute(DimOp op, const TypeOfName &types, UniqueFunctions &functions);
};
} // namespace

/// The types of the numbers of `func` that introduce names of sizes.
static llvm::DenseMap<StringAttr, Type> getTypesOfNames(FuncOp func) {
  llvm::DenseMap<StringAttr, Type> types;
  for (BlockArgument argument : func.getArguments())
    if (auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      FuncOp::getDimAttrName()))
      types[name] = argument.getType();
  func.walk([&](MatchCastOp cast) {
    if (auto name = cast->getAttrOfType<StringAttr>(FuncOp::getDimAttrName()))
      types[name] = cast.getType();
  });
  return types;
}

/// Calls a function that computes `op`, an expression.
void ComputePrimValue::compute(DimOp op, const TypeOfName &types,
                               UniqueFunctions &functions) {
  OpBuilder builder(op);
  Location unknown = builder.getUnknownLoc();
  SmallVector<Value> operands(1);
  OwningOpRef<IRModuleOp> module = importDimFunction(
      op.getDim().getName(), "compute_symbolic_expr", &getContext(),
      [&](StringRef text) {
        auto name = builder.getStringAttr(text);
        Type type = types.lookup(name);
        if (!type)
          type = builder.getI64Type();
        auto dims = ShapeAttr::get(&getContext(), ArrayRef<Dim>(name));
        operands.push_back(DimOp::create(builder, unknown, type, dims));
        return type;
      });
  tir::PrimFuncOp func;
  if (module && !module->getBody()->empty())
    func = dyn_cast<tir::PrimFuncOp>(module->getBody()->front());
  auto result = func ? func->getAttrOfType<TypeAttr>("tir.ret_type") : nullptr;
  if (!result || result.getValue() != op.getType()) {
    for (Value operand : llvm::drop_begin(operands))
      operand.getDefiningOp()->erase();
    return;
  }
  func->remove();
  auto symbol = FlatSymbolRefAttr::get(
      SymbolTable::getSymbolName(functions.insert(func)));
  operands[0] = GlobalOp::create(builder, unknown,
                                 ObjectType::get(&getContext()), symbol);
  auto call = CallValueOp::create(builder, getNamedLoc(&getContext(), "gv"),
                                  op.getType(), operands,
                                  /*ty_args=*/nullptr, /*attrs_type=*/nullptr,
                                  /*attrs=*/nullptr, builder.getBoolAttr(true));
  op.replaceAllUsesWith(call.getResult());
  op.erase();
  ++numComputed;
}

void ComputePrimValue::runOnOperation() {
  UniqueFunctions functions(getOperation());
  bool hasExprs = false;
  for (FuncOp func : llvm::to_vector(getOperation().getOps<FuncOp>())) {
    if (partita::transform::skipsOptimization(func))
      continue;
    SmallVector<DimOp> dims;
    func.walk([&](DimOp op) { dims.push_back(op); });
    if (dims.empty())
      continue;
    TypeOfName types = getTypesOfNames(func);
    for (DimOp op : dims) {
      Dim dim = op.getDim();
      if (!dim.isName() || dim.isIdentifier())
        continue;
      hasExprs = true;
      compute(op, types, functions);
    }
  }
  if (!hasExprs)
    markAllAnalysesPreserved();
  numFunctions += functions.getNumAdded();
}
