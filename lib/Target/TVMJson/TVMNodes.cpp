//===- TVMNodes.cpp - The nodes of TVM's JSON -----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TVMNodes.h"

#include "Fields.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

using namespace mlir;

namespace partita::tvmjson {

#include "TVMNodes.cpp.inc"

LogicalResult PrimNode::read(NodeTable &table, const Node &node) {
  kind = node.type;
  kind.consume_front("prim.");
  ArrayRef<StringRef> names = tir::getPrimFields(kind);
  if (names.empty())
    return table.error(node, "expected an expression of TIR");
  operands.resize(names.size());
  Fields fields(table, node, node.type);
  if (!(fields && fields.span() && fields.ref("ty", ty)))
    return failure();
  for (auto [name, operand] : llvm::zip_equal(names, operands))
    if (!fields.ref(name, operand))
      return failure();
  return success(fields.done());
}

FailureOr<int64_t> PrimNode::add(NodeWriter &writer, StringRef kind,
                                 FailureOr<int64_t> ty,
                                 ArrayRef<int64_t> operands) {
  if (failed(ty))
    return failure();
  JsonFields fields = {{"ty", *ty}};
  for (auto [name, operand] :
       llvm::zip_equal(tir::getPrimFields(kind), operands))
    fields.emplace_back(name, operand);
  return writer.addSpanned(("prim." + kind).str(), fields);
}

} // namespace partita::tvmjson
