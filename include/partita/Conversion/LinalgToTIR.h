//===- LinalgToTIR.h - Turn linalg in prim_funcs into blocks ----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_CONVERSION_LINALGTOTIR_H
#define PARTITA_CONVERSION_LINALGTOTIR_H

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/IR/OwningOpRef.h"

namespace partita::conversion {

/// Whether ConvertLinalgToTIR has something to do in `func`.
bool hasTensors(tir::PrimFuncOp func);

/// A copy of `module` in which ConvertLinalgToTIR has run, for the export to
/// TVM; null if `module` has nothing to convert. Fails with an error on what
/// the pass can't convert. Must not be called while passes run in the context,
/// unless all dialects that the pass needs are loaded.
mlir::FailureOr<mlir::OwningOpRef<IRModuleOp>>
convertLinalgToTIR(IRModuleOp module);

/// The same for `funcs` alone: a module with a copy of each, in this order, or
/// null if there are none.
mlir::FailureOr<mlir::OwningOpRef<IRModuleOp>>
convertKernelsToTIR(llvm::ArrayRef<tir::PrimFuncOp> funcs);

} // namespace partita::conversion

#endif // PARTITA_CONVERSION_LINALGTOTIR_H
