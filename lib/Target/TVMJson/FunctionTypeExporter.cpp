//===- FunctionTypeExporter.cpp - Types of relax.func -> relax.FuncType ---===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionExporter.h"
#include "TVMNodes.h"

#include "partita/Dialect/Relax/IR/RelaxMarks.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

/// `type` as TVM's type of a function has it: with the names of the function's
/// parameters alone, `names`. Functions have their own.
static Type getDeclaredType(Type type, ArrayRef<StringAttr> names) {
  if (isa<relax::CallableType>(type))
    return type;
  if (auto tuple = dyn_cast<TupleType>(type))
    return TupleType::get(
        type.getContext(),
        llvm::map_to_vector(tuple.getTypes(), [&](Type field) {
          return getDeclaredType(field, names);
        }));
  return relax::mapDims(type, [&](relax::Dim dim) {
    bool isKnown =
        !dim.isName() ||
        relax::findUnknownName(dim.getName().getValue(), names).empty();
    return isKnown ? dim : relax::Dim();
  });
}

/// The names of dimensions that types of parameters have, also in expressions,
/// and parameters that are numbers.
static SmallVector<StringAttr> getSignatureNames(relax::FuncOp func) {
  SmallVector<StringAttr> names;
  for (auto [index, param] : llvm::enumerate(func.getArgumentTypes())) {
    if (auto dim = func.getArgAttrOfType<StringAttr>(
            index, relax::FuncOp::getDimAttrName()))
      names.push_back(dim);
    relax::mapDims(param, [&](relax::Dim dim) {
      if (dim.isName())
        relax::forEachName(dim.getName().getValue(), [&](StringRef name) {
          names.push_back(StringAttr::get(func.getContext(), name));
        });
      return dim;
    });
  }
  return names;
}

bool partita::tvmjson::hasUnboundResult(relax::FuncOp func) {
  SmallVector<StringAttr> names = getSignatureNames(func);
  return llvm::any_of(func.getResultTypes(), [&](Type type) {
    return getDeclaredType(type, names) != type;
  });
}

FailureOr<int64_t> FunctionExporter::addFunctionType() {
  // Types refer to numbers that are parameters.
  for (auto [index, param] : llvm::enumerate(func.getArgumentTypes()))
    if (auto dim = func.getArgAttrOfType<StringAttr>(
            index, relax::FuncOp::getDimAttrName())) {
      StringRef dtype = getDTypeName(param);
      if (dtype.empty())
        return func.emitError("expected a number of a dtype that TVM has, "
                              "found one of ")
               << param;
      StringAttr name;
      if (!func.isExternal())
        name = relax::getVarName(func.getArgument(index).getLoc());
      addDimVar(dim, name ? name.getValue() : "", dtype);
    }
  for (Type param : func.getArgumentTypes()) {
    FailureOr<int64_t> node = addType(func, param);
    if (failed(node))
      return failure();
    paramTypes.push_back(*node);
  }
  SmallVector<Type> results(func.getResultTypes());
  if (!func->hasAttr(relax::unboundAttrName)) {
    SmallVector<StringAttr> names = getSignatureNames(func);
    for (Type &type : results)
      type = getDeclaredType(type, names);
  }
  bool isString =
      !func.isExternal() && yieldsString(&func.getBody().front().back());
  FailureOr<int64_t> result =
      isString ? StringTypeNode::add(writer, {}) : addResultType(func, results);
  if (failed(result))
    return failure();
  resultType = *result;
  type = *FuncTypeNode::add(writer, {writer.getArray(paramTypes), resultType,
                                     writer.getNone(), func.getIsPure()});
  return type;
}
