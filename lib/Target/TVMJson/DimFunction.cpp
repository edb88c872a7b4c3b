//===- DimFunction.cpp - prim_funcs that compute dimensions ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of a dimension is read as TVM's expression, and that as a body.
//
//===----------------------------------------------------------------------===//

#include "DimParser.h"
#include "TVMNodes.h"

#include "partita/Target/TVMJson/TVMJson.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

OwningOpRef<IRModuleOp>
partita::importDimFunction(StringRef dim, StringRef name, MLIRContext *context,
                           function_ref<Type(StringRef)> getType) {
  NodeWriter writer;
  llvm::StringMap<DimNode> vars;
  SmallVector<int64_t> params, paramTypes;
  FailureOr<DimNode> value =
      parseDim(dim, writer, [&](StringRef variable) -> DimNode {
        auto [var, isNew] = vars.try_emplace(variable);
        if (!isNew)
          return var->second;
        StringRef dtype = getDTypeName(getType(variable));
        paramTypes.push_back(writer.getPrimType(dtype));
        params.push_back(*VarNode::add(writer, {paramTypes.back(), variable}));
        return var->second = {params.back(), dtype};
      });
  if (failed(value))
    return nullptr;
  Builder builder(context);
  Attribute yes = builder.getBoolAttr(true);
  FailureOr<int64_t> attrs =
      addDictAttrs(writer, {builder.getNamedAttr("s_tir", yes),
                            builder.getNamedAttr("tirx.is_host_func", yes)});
  int64_t result = writer.getPrimType(value->dtype);
  FailureOr<int64_t> type = FuncTypeNode::add(
      writer, {writer.getArray(paramTypes), result, writer.getNone(), true});
  FailureOr<int64_t> body =
      EvaluateNode::add(writer, "tirx.Return", {value->index});
  FailureOr<int64_t> function = PrimFuncNode::add(
      writer, {type, attrs, writer.getArray(params), result, body});
  FailureOr<int64_t> var = GlobalVarNode::add(writer, {type, name});
  if (failed(function) || failed(var))
    return nullptr;
  int64_t empty = writer.getMap({});
  FailureOr<int64_t> root =
      IRModuleNode::add(writer, {writer.getMap({*var, *function}),
                                 writer.getMap({writer.getString(name), *var}),
                                 SourceMapNode::add(writer, {empty}),
                                 DictAttrsNode::add(writer, {empty}), empty});
  if (failed(root))
    return nullptr;
  std::string json;
  llvm::raw_string_ostream os(json);
  writer.write(*root, os);
  return importTVMJson(json, name, context);
}
