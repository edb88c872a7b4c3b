//===- TIROps.cpp - tir.prim_func -----------------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../OpaqueNodes.h"
#include "../../ValueNames.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace partita::tir;

#define GET_OP_CLASSES
#include "partita/Dialect/TIR/IR/TIROps.cpp.inc"

void PrimFuncOp::build(OpBuilder &builder, OperationState &state,
                       StringRef name, FunctionType type) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.function_type = TypeAttr::get(type);
  state.addRegion();
}

ParseResult PrimFuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  SMLoc start = parser.getCurrentLocation();
  if (function_interface_impl::parseFunctionOp(
          parser, result, /*allowVariadic=*/false,
          getFunctionTypeAttrName(result.name), buildType,
          getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name)))
    return failure();
  nameFromText(parser, start, *result.regions.front());
  return success();
}

void PrimFuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult PrimFuncOp::verifyType() {
  FunctionType type = getFunctionType();
  if (type.getNumResults())
    return emitOpError("expected no results, found ")
           << type.getNumResults()
           << "; write to a memref parameter behind the inputs instead";
  for (auto [index, input] : llvm::enumerate(type.getInputs()))
    if (!isa<MemRefType, HandleType, PtrType>(input) &&
        !input.isIntOrIndexOrFloat())
      return emitOpError("expected parameters that are memrefs, integers, "
                         "indices, floats or handles, found ")
             << input << " at position " << index;
  return success();
}

LogicalResult
OpaqueBodyOp::verifySymbolUses(SymbolTableCollection &symbolTables) {
  return partita::verifySymbols(*this, getSymbolsAttr(), symbolTables);
}

LogicalResult OpaqueBodyOp::verify() {
  return partita::verifyJSON(*this, getJson());
}
