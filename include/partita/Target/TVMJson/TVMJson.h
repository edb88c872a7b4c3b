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

namespace partita {

/// Imports an IRModule of Relax functions from `json`. Names of functions,
/// parameters, bindings and dimensions, attributes, constants, dataflow blocks,
/// source places and global infos are kept; the module is named after
/// `filename`.
///
/// Returns null after an error, with its node and its place in the module, if
/// something cannot be imported (an op or a type that the dialects lack, a
/// PrimFunc, an unknown field) or if the JSON is malformed, cyclic, out of
/// range or not TVM's. Nothing is dropped silently.
mlir::OwningOpRef<IRModuleOp> importTVMJson(llvm::StringRef json,
                                            llvm::StringRef filename,
                                            mlir::MLIRContext *context);

/// Registers the translation `--import-tvm-json`.
void registerTVMJsonTranslation();

} // namespace partita

#endif // PARTITA_TARGET_TVMJSON_TVMJSON_H
