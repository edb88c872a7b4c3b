//===- ExpandTupleArguments.cpp - Pass fields of tuples one by one --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"
#include "Values.h"

#include "partita/Dialect/Relax/Transforms/Passes.h"

namespace partita::relax {
#define GEN_PASS_DEF_EXPANDTUPLEARGUMENTSINNER
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
struct ExpandTupleArgumentsInner
    : relax::impl::ExpandTupleArgumentsInnerBase<ExpandTupleArgumentsInner> {
  void runOnOperation() override;
};
} // namespace

/// Makes the fields of parameter `index`, a tuple, parameters.
static void expandParameter(FuncOp func, unsigned index, TupleType type) {
  MLIRContext *context = func.getContext();
  BlockArgument parameter = func.getArgument(index);
  std::string name = getParameterName(parameter);
  SmallVector<unsigned> places(type.size(), index + 1);
  SmallVector<DictionaryAttr> attrs(type.size(), DictionaryAttr::get(context));
  SmallVector<Location> locs;
  for (unsigned field = 0; field < type.size(); ++field)
    locs.push_back(getNamedLoc(context, name + "_" + Twine(field)));
  (void)func.insertArguments(places, type.getTypes(), attrs, locs);
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  auto tuple = TupleOp::create(
      builder, getNamedLoc(context, name),
      ValueRange(func.getArguments().slice(index + 1, type.size())));
  parameter.replaceAllUsesWith(tuple);
  (void)func.eraseArgument(index);
}

/// Passes the fields of tuples in their place, for parameters of `types`.
static void expandOperands(CallOp call, TypeRange types) {
  OpBuilder builder(call);
  SmallVector<Value> operands;
  SmallVector<std::pair<Value, Type>> worklist;
  for (auto [operand, type] :
       llvm::reverse(llvm::zip_equal(call.getOperands(), types)))
    worklist.emplace_back(operand, type);
  while (!worklist.empty()) {
    auto [operand, type] = worklist.pop_back_val();
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple) {
      operands.push_back(operand);
      continue;
    }
    unsigned place = worklist.size();
    for (auto [index, field] : llvm::enumerate(tuple.getTypes()))
      worklist.emplace_back(TupleGetItemOp::create(builder,
                                                   builder.getUnknownLoc(),
                                                   operand, index),
                            field);
    std::reverse(worklist.begin() + place, worklist.end());
  }
  call.getOperandsMutable().assign(operands);
  call.removeArgAttrsAttr();
}

void ExpandTupleArgumentsInner::runOnOperation() {
  bool hasChanged = false;
  for (auto &[name, function] : findPrivateFunctions(getOperation())) {
    FuncOp func = function.func;
    SmallVector<Type> types(func.getArgumentTypes());
    if (llvm::none_of(types, llvm::IsaPred<TupleType>))
      continue;
    hasChanged = true;
    for (unsigned index = 0; index < func.getNumArguments();)
      if (auto type = dyn_cast<TupleType>(func.getArgumentTypes()[index])) {
        expandParameter(func, index, type);
        ++numTuples;
      } else {
        ++index;
      }
    for (CallOp call : function.calls)
      expandOperands(call, types);
  }
  if (!hasChanged)
    markAllAnalysesPreserved();
}
