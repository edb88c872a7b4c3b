//===- Models.h - Ops with their lowering -----------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each file of this folder lowers the ops of one theme, and has a function here
// that attaches the lowering to the ops.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_LEGALIZE_MODELS_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_LEGALIZE_MODELS_H

#include "../UniqueFunctions.h"
#include "../Utils.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/Transforms/LegalizeOpInterface.h"

namespace partita::relax {

template <auto fn, typename OpT>
struct LegalizeModel
    : LegalizeOpInterface::ExternalModel<LegalizeModel<fn, OpT>, OpT> {
  llvm::LogicalResult legalize(mlir::Operation *op,
                               KernelBuilder &kernel) const {
    return fn(llvm::cast<OpT>(op), kernel);
  }
};

/// Lets `fn` lower these ops. It takes the op and a KernelBuilder.
template <auto fn, typename... OpTs>
void attach(mlir::MLIRContext *context) {
  (OpTs::template attachInterface<LegalizeModel<fn, OpTs>>(*context), ...);
}

/// The type of the elements of a tensor or a number.
inline mlir::Type getNumberType(mlir::Value value) {
  std::optional<TensorInfo> info = TensorInfo::get(value.getType());
  return info ? info->elementType : value.getType();
}

/// The dimensions of a tensor whose rank is known.
inline llvm::SmallVector<Dim> getDims(mlir::Value tensor) {
  return TensorInfo::get(tensor.getType())->dims;
}

/// The letters of a layout's dimensions, such as NCHWc; nothing if one of the
/// spatial dimensions has parts.
std::optional<std::string> getLetters(llvm::StringRef layout);

/// The place of a dimension in a layout.
inline int64_t findDim(llvm::StringRef layout, char letter) {
  return int64_t(layout.find(letter));
}

/// The letters of `rank` spatial dimensions.
inline llvm::StringRef getSpatial(int64_t rank) {
  return llvm::StringRef("DHW").take_back(rank);
}

/// The indices of the loops around the body of an op of linalg.
llvm::SmallVector<mlir::Value> getLoops(ScalarBuilder &s, int64_t rank);

/// `at`, or the nearest index of a dimension of size `size`.
mlir::Value clampIndex(ScalarBuilder &s, mlir::Value at, mlir::Value size);

/// Builds loops of these sizes, one in another. `body` changes `tensor` in each
/// iteration.
mlir::Value
buildLoops(KernelBuilder &kernel, llvm::ArrayRef<mlir::OpFoldResult> sizes,
           mlir::Value tensor,
           llvm::function_ref<mlir::Value(ScalarBuilder &, mlir::ValueRange at,
                                          mlir::Value tensor)>
               body);

/// Replaces `op` by a kernel that computes the sizes of its result, and by one
/// that computes the result. The sizes get names, which are added to `names`.
/// Returns false, and leaves `op`, if a type does not say all.
bool legalizeDynamicSlice(DynamicStridedSliceOp op, UniqueFunctions &functions,
                          llvm::DenseSet<mlir::StringAttr> &names);

/// Replaces an op on the tensors of several workers by a call of the function
/// that TVM's runtime has for it. The ops around the call can be legalized. Its
/// sizes get names, which are added to `names`. Returns false for other ops.
bool legalizeCollective(mlir::Operation *op,
                        llvm::DenseSet<mlir::StringAttr> &names);

/// Calls `replace`, which may replace `op`, and gives what it does. Before it
/// come casts of operands whose types don't show that they have the sizes which
/// `op` needs. TVM takes it for granted; here the casts check it when they run.
/// An op that stays has its own operands.
bool replaceWithCheckedSizes(mlir::Operation *op,
                             llvm::function_ref<bool()> replace);

void attachElementwise(mlir::MLIRContext *context);
void attachComposites(mlir::MLIRContext *context);
void attachReductions(mlir::MLIRContext *context);
void attachProducts(mlir::MLIRContext *context);
void attachWindows(mlir::MLIRContext *context);
void attachMovement(mlir::MLIRContext *context);
void attachIndexing(mlir::MLIRContext *context);
void attachCreation(mlir::MLIRContext *context);
void attachImages(mlir::MLIRContext *context);
void attachBoxes(mlir::MLIRContext *context);
void attachPoolingGradients(mlir::MLIRContext *context);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_LEGALIZE_MODELS_H
