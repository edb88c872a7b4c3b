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

std::optional<std::string> partita::relax::getLetters(StringRef layout) {
  if (layout.find_first_of("dhw") != StringRef::npos)
    return std::nullopt;
  std::string letters = layout.str();
  llvm::erase_if(letters, llvm::isDigit);
  return letters;
}

SmallVector<Value> partita::relax::getLoops(ScalarBuilder &s, int64_t rank) {
  return llvm::map_to_vector(llvm::seq(rank), [&](int64_t loop) -> Value {
    return linalg::IndexOp::create(s, loop);
  });
}

Value partita::relax::clampIndex(ScalarBuilder &s, Value at, Value size) {
  Value last = arith::SubIOp::create(s, size, s.index(1));
  at = arith::MinSIOp::create(s, at, last);
  return arith::MaxSIOp::create(s, at, s.index(0));
}

Value partita::relax::buildLoops(
    KernelBuilder &kernel, ArrayRef<OpFoldResult> sizes, Value tensor,
    function_ref<Value(ScalarBuilder &, ValueRange at, Value tensor)> body) {
  SmallVector<Value> ends,
      starts(sizes.size(), kernel.toValue(kernel.getIndexAttr(0))),
      steps(sizes.size(), kernel.toValue(kernel.getIndexAttr(1)));
  for (OpFoldResult size : sizes)
    ends.push_back(kernel.toValue(size));
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  return scf::buildLoopNest(kernel, kernel.getLoc(), starts, ends, steps,
                            tensor,
                            [&](OpBuilder &builder, Location loc, ValueRange at,
                                ValueRange tensors) -> scf::ValueVector {
                              ScalarBuilder s(loc, builder, type);
                              return {body(s, at, tensors.front())};
                            })
      .results.front();
}

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
  attachImages(context);
  attachBoxes(context);
  attachPoolingGradients(context);
}

void partita::relax::registerLegalizeModels(DialectRegistry &registry) {
  registry.insert<RelaxDialect, affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, linalg::LinalgDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  tensor::TensorDialect, tir::TIRDialect>();
  registry.addExtension(attachModels);
}
