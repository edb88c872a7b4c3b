//===- Models.cpp - Register how ops are lowered --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

#include "partita/Dialect/Relax/Transforms/LegalizeOpInterface.cpp.inc"

/// Attaches the models of all themes.
static void attachModels(MLIRContext *context, RelaxDialect *) {
  attachElementwise(context);
  attachComposites(context);
  attachReductions(context);
  attachProducts(context);
  attachWindows(context);
  attachMovement(context);
  attachIndexing(context);
  attachCreation(context);
}

void partita::relax::registerLegalizeModels(DialectRegistry &registry) {
  registry.insert<RelaxDialect, affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, linalg::LinalgDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  tensor::TensorDialect, tir::TIRDialect>();
  registry.addExtension(attachModels);
}
