//===- Utils.h - What several passes on prim_funcs need ---------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_TIR_TRANSFORMS_UTILS_H
#define PARTITA_LIB_DIALECT_TIR_TRANSFORMS_UTILS_H

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <optional>

namespace partita::tir {

/// The value of a constant, if it fits in 64 bits. Upstream's
/// getConstantIntValue assumes that it does.
std::optional<int64_t> getConstant(mlir::Value value);

/// The type in which numbers of two types are computed.
mlir::Type getWider(mlir::Type a, mlir::Type b);

/// Where the elements of a buffer are, in elements.
struct BufferPlace {
  /// Empty if the type has the sizes.
  llvm::SmallVector<mlir::Value> shape;
  llvm::SmallVector<mlir::Value> strides;
  mlir::Value offset;
};

/// Computes indices. Numbers of two types are computed in the wider one, as in
/// TVM.
class IndexBuilder {
public:
  IndexBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::Value cast(mlir::Value value, mlir::Type type);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value multiply(mlir::Value a, mlir::Value b);
  /// Of the type i32 without `type`, or i64 if it has to be.
  mlir::Value createNumber(int64_t number, mlir::Type type = {});
  /// `index + min`; `index` may be a vector.
  mlir::Value offset(mlir::Value index, mlir::Value min);
  /// The place of a memref; nothing if it is not known.
  std::optional<BufferPlace> getPlace(mlir::Value buffer);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// Moves the ops of `block`, except for its terminator, in front of `op`.
void inlineBefore(mlir::Block &block, mlir::Operation *op);

/// The attribute of an scf.for that says how it runs; a tir.for has a kind.
inline constexpr llvm::StringLiteral loopKindName = "tir.kind";

/// How an scf.for or a tir.for runs, as in "serial"; empty for another op.
llvm::StringRef getLoopKind(mlir::Operation *op);

/// The annotations of an scf.for or a tir.for; null if it has none.
mlir::DictionaryAttr getLoopAnnotations(mlir::Operation *loop);
void setLoopAnnotations(mlir::Operation *loop,
                        mlir::DictionaryAttr annotations);

/// The name of the memory that a buffer of `type` is in, with its tag.
llvm::StringRef getStorageScope(mlir::MemRefType type);

/// Whether `op` gives the address of a buffer (TVM's `buffer_data`).
bool isDataCall(mlir::Operation *op);

/// Creates the address of `buffer`, of the type `pointer`.
mlir::Value createDataCall(mlir::OpBuilder &builder, mlir::Value buffer,
                           mlir::Type pointer);

/// Erases the tir.attr_nodes about `value`. A loop's variable has them; the
/// attributes lose their object with the loop.
void eraseAttrNodes(mlir::Value value);

/// Replaces `op`, which introduces no variable, by its body.
void dissolve(AttrOp op);

/// Whether `op` only computes a value. TVM writes it in the statements that use
/// the value.
bool isExpression(mlir::Operation *op);

/// Erases the ops that compute `values` and that nothing uses, and what
/// computes their operands, if `mayErase` is true of them.
void eraseUnused(
    mlir::ValueRange values,
    llvm::function_ref<bool(mlir::Operation *)> mayErase = isExpression);

/// Erases `op`, and the expressions that only compute its operands.
void eraseWithOperands(mlir::Operation *op);

} // namespace partita::tir

#endif // PARTITA_LIB_DIALECT_TIR_TRANSFORMS_UTILS_H
