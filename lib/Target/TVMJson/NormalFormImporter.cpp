//===- NormalFormImporter.cpp - What TVM has not normalized ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Infers the types that are missing, and binds expressions in others to
// variables, as TVM's Normalize does.
//
//===----------------------------------------------------------------------===//

#include "FunctionImporter.h"
#include "partita/Support/ThreadDiagnosticHandler.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace partita;
using namespace partita::tvmjson;

/// The first error of `check`; empty if it succeeds.
static std::string getError(MLIRContext *context,
                            function_ref<LogicalResult()> check) {
  std::string message;
  ThreadDiagnosticHandler handler(context, [&](Diagnostic &diag) {
    if (diag.getSeverity() == DiagnosticSeverity::Error && message.empty())
      message = diag.str();
    return success();
  });
  if (succeeded(check()))
    return "";
  return message.empty() ? "expected operands that the op takes" : message;
}

LogicalResult FunctionImporter::inferTypes(const Node &node,
                                           const OperationState &made,
                                           SmallVectorImpl<Type> &inferred) {
  MLIRContext *context = builder.getContext();
  // It has no types yet, and is not verified.
  Operation *op = builder.create(made);
  std::string error = "expected a call whose type can be inferred";
  if (auto infers = dyn_cast<InferTypeOpInterface>(op))
    error = getError(context, [&] {
      return infers.inferReturnTypes(context, op->getLoc(), op->getOperands(),
                                     op->getDiscardableAttrDictionary(),
                                     op->getPropertiesStorage(),
                                     op->getRegions(), inferred);
    });
  op->erase();
  return error.empty() ? success()
                       : LogicalResult(table.brokenError(node, error));
}

LogicalResult FunctionImporter::inferCall(const Node &node,
                                          relax::FuncOp callee,
                                          ValueRange operands, Type &type) {
  relax::DimBinding binding;
  ArrayRef<Type> parameters = callee.getArgumentTypes();
  bool fits =
      parameters.size() == operands.size() &&
      llvm::all_of(llvm::zip(parameters, operands.getTypes()), [&](auto pair) {
        auto [parameter, operand] = pair;
        return binding.bind(parameter, operand);
      });
  if (!fits)
    return table.brokenError(node, "expected arguments that @" +
                                       callee.getSymName() + " takes");
  SmallVector<Type> results = llvm::map_to_vector(
      callee.getResultTypes(), [&](Type type) { return binding.apply(type); });
  type = results.size() == 1 ? results.front()
                             : TupleType::get(builder.getContext(), results);
  return success();
}

LogicalResult FunctionImporter::importNested(const Node &node, Bound &result) {
  // TVM's names.
  bool isDataflow = isInDataflow(builder.getInsertionBlock());
  std::string name;
  do {
    name = isDataflow ? "lv" : "gv";
    if (numMade)
      name += std::to_string(numMade);
    ++numMade;
  } while (!usedNames.insert(name).second);
  llvm::SaveAndRestore own(ownVar, int64_t(-1));
  return importOrKeep(node, NameLoc::get(builder.getStringAttr(name)), result);
}
