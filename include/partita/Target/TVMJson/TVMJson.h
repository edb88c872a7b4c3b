//===- TVMJson.h - Modules from TVM's JSON ----------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what Apache TVM 0.27 writes with tvm.ir.save_json, without TVM.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TARGET_TVMJSON_TVMJSON_H
#define PARTITA_TARGET_TVMJSON_TVMJSON_H

#include "partita/Dialect/Partita/IR/PartitaOps.h"

#include "mlir/IR/OwningOpRef.h"

#include <functional>

namespace partita {

/// Imports an IRModule from `json`. Names of functions,
/// parameters, bindings and dimensions, attributes, constants, dataflow blocks,
/// source places and global infos are kept; the module is named after
/// `filename`.
///
/// What the dialects lack is kept as it is (relax.call_op, relax.opaque_expr,
/// !relax.opaque, tir.opaque_body), and a warning lists it; if `isStrict`, it
/// is an error. Returns null after an error, with its node and its place in the
/// module; also if the JSON is malformed, cyclic, out of range or not TVM's.
/// Nothing is dropped silently.
mlir::OwningOpRef<IRModuleOp> importTVMJson(llvm::StringRef json,
                                            llvm::StringRef filename,
                                            mlir::MLIRContext *context,
                                            bool isStrict = false);

/// The same for a module that TVM may have saved before its normal form: calls
/// in calls get variables of their own, and expressions the types that they
/// lack. It is an error when a call does not take its operands.
mlir::OwningOpRef<IRModuleOp> normalizeTVMJson(llvm::StringRef json,
                                               mlir::Location loc);

/// Makes a module with one tir.prim_func `name`, which computes the dimension
/// that `dim` says and runs on the host. Its parameters are the names in `dim`,
/// in the order in which these first stand there; `getType` gives their types.
/// Returns null if `dim` is no expression.
mlir::OwningOpRef<IRModuleOp>
importDimFunction(llvm::StringRef dim, llvm::StringRef name,
                  mlir::MLIRContext *context,
                  llvm::function_ref<mlir::Type(llvm::StringRef)> getType);

/// Makes a module for the export, such as conversion::convertLinalgToTIR does.
/// Null stands for the module itself.
using PrepareTVMJson =
    std::function<mlir::FailureOr<mlir::OwningOpRef<IRModuleOp>>(IRModuleOp)>;

/// Writes `module`, or what `prepare` makes of it, as JSON that TVM 0.27 loads
/// by `tvm.ir.load_json`. Names of functions, parameters, bindings and
/// dimensions are kept. Fails, after an error at the op, if the module holds
/// something for which TVM has no node.
llvm::LogicalResult exportTVMJson(IRModuleOp module, llvm::raw_ostream &os,
                                  const PrepareTVMJson &prepare = nullptr);

/// Registers the translations `--import-tvm-json` and `--export-tvm-json`.
void registerTVMJsonTranslation();
void registerTVMJsonExport(PrepareTVMJson prepare = nullptr);

} // namespace partita

#endif // PARTITA_TARGET_TVMJSON_TVMJSON_H
