//===- TIRBodyExporter.h - tir.prim_func -> tirx.PrimFunc -------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inverse of TIRBodyImporter. An op that computes a value becomes part of
// the expressions that use it. One that also reads or writes something becomes
// part of the one statement that uses it if it is evaluated there in the same
// order, and a statement of its own (tirx.Bind) otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_TIRBODYEXPORTER_H
#define PARTITA_LIB_TARGET_TVMJSON_TIRBODYEXPORTER_H

#include "TVMNodes.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace partita::tvmjson {

/// Exports a prim_func whose body is MLIR.
class TIRBodyExporter {
public:
  TIRBodyExporter(NodeWriter &writer,
                  const llvm::DenseMap<mlir::StringAttr, int64_t> &globalVars,
                  tir::PrimFuncOp func)
      : writer(writer), globalVars(globalVars), func(func) {}

  mlir::FailureOr<int64_t> addFunction();
  /// The type that the prim_func has for Relax, by which TVM knows what it may
  /// call. All calls return the same node.
  mlir::FailureOr<int64_t> addFunctionType();

private:
  using Indices = llvm::SmallVector<int64_t>;

  // Types, constants and attributes.
  mlir::FailureOr<int64_t> addType(mlir::Operation *op, mlir::Type type);
  mlir::FailureOr<int64_t> addInteger(mlir::Operation *op, mlir::Type type,
                                      int64_t value);
  /// An ir.StringImm.
  int64_t addString(llvm::StringRef text);
  mlir::FailureOr<int64_t> addConstant(mlir::Operation *op,
                                       mlir::TypedAttr value, mlir::Type type);
  mlir::FailureOr<int64_t> addNode(mlir::Operation *op, mlir::Attribute value);
  mlir::FailureOr<int64_t>
  addNode(mlir::Operation *op, mlir::Attribute value,
          llvm::function_ref<int64_t(llvm::StringRef type, JsonValue data)>
              resolve);
  mlir::FailureOr<int64_t>
  addAnnotations(mlir::Operation *op,
                 llvm::ArrayRef<mlir::NamedAttribute> attributes);
  /// The same for a dictionary that can be null.
  mlir::FailureOr<int64_t> addAnnotations(mlir::Operation *op,
                                          mlir::DictionaryAttr attributes) {
    return addAnnotations(op, attributes
                                  ? attributes.getValue()
                                  : llvm::ArrayRef<mlir::NamedAttribute>());
  }
  /// The type of functions that return nothing.
  mlir::FailureOr<int64_t> addEmptyTuple() {
    return TupleTypeNode::add(writer, {writer.getArray({})});
  }

  // Variables and buffers.
  mlir::FailureOr<int64_t> addVar(mlir::Value value);
  mlir::FailureOr<int64_t> addVar(mlir::Operation *op, llvm::StringRef name,
                                  mlir::Type type);
  mlir::FailureOr<int64_t> addParamType(mlir::BlockArgument argument);
  mlir::FailureOr<int64_t> addBufferType(mlir::Value buffer);
  mlir::FailureOr<int64_t> addPlainBufferType(mlir::Value buffer,
                                              mlir::Operation *op);
  template <typename OpT>
  mlir::FailureOr<int64_t> addBufferType(OpT op, mlir::MemRefType type);
  /// Adds a buffer's type, which has the dtype and the scope of `type`.
  mlir::FailureOr<int64_t> addBufferNode(mlir::Operation *op,
                                         mlir::MemRefType type,
                                         BufferTypeNode::New parts);

  // Expressions.
  mlir::FailureOr<int64_t> addExpr(mlir::Value value);
  mlir::FailureOr<int64_t> addNewExpr(mlir::Value value);
  mlir::FailureOr<Indices> addExprs(mlir::ValueRange values);
  mlir::FailureOr<int64_t> addExprArray(mlir::ValueRange values);
  /// An index of a buffer, without casts to MLIR's type of them.
  mlir::FailureOr<int64_t> addIndex(mlir::Value value);
  mlir::Type getIndexType(mlir::Value buffer);
  mlir::FailureOr<int64_t> addIndices(mlir::Operation *op, mlir::Value buffer,
                                      mlir::ValueRange values);
  mlir::FailureOr<int64_t> addPrim(mlir::Operation *op, llvm::StringRef kind,
                                   mlir::Type type,
                                   llvm::ArrayRef<int64_t> operands);
  mlir::FailureOr<int64_t> addArith(mlir::Operation *op);
  /// The op on operands that are taken for unsigned.
  mlir::FailureOr<int64_t> addUnsigned(mlir::Operation *op,
                                       llvm::StringRef kind);
  mlir::FailureOr<int64_t> addCall(mlir::Operation *op);
  mlir::FailureOr<int64_t> addIntrin(mlir::Operation *op, llvm::StringRef name,
                                     mlir::Type type,
                                     mlir::FailureOr<int64_t> args,
                                     tir::NodeAttr attrs = {});
  mlir::FailureOr<int64_t> addLoad(mlir::Operation *op, mlir::Value buffer,
                                   mlir::FailureOr<int64_t> indices,
                                   mlir::Type type);
  /// The value that a region yields. The region has nothing but expressions.
  mlir::FailureOr<int64_t> addYielded(mlir::Block &block, mlir::Value value);
  mlir::FailureOr<int64_t> addRange(mlir::Value min, mlir::Value extent);
  mlir::FailureOr<int64_t> addRegion(mlir::Value buffer, mlir::ValueRange mins,
                                     mlir::ValueRange extents);

  // Statements.
  mlir::FailureOr<int64_t> addBlock(mlir::Block &block);
  llvm::LogicalResult addOp(mlir::Operation *op, Indices &stmts);
  llvm::LogicalResult addEffect(mlir::Operation *op, Indices &stmts);
  mlir::FailureOr<int64_t> addStmt(mlir::Operation *op);
  mlir::FailureOr<int64_t> addFor(mlir::scf::ForOp op);
  mlir::FailureOr<int64_t> addFor(tir::ForOp op);
  mlir::FailureOr<int64_t> addForNode(mlir::Operation *op, mlir::Value var,
                                      int64_t min, int64_t extent, int64_t step,
                                      llvm::StringRef kind, int64_t thread,
                                      mlir::DictionaryAttr annotations);
  mlir::FailureOr<int64_t> addIf(mlir::scf::IfOp op);
  mlir::FailureOr<int64_t> addWhile(mlir::scf::WhileOp op);
  mlir::FailureOr<int64_t> addStore(mlir::Operation *op, mlir::Value value,
                                    mlir::Value buffer,
                                    mlir::FailureOr<int64_t> indices);
  mlir::FailureOr<int64_t> addAssert(tir::AssertOp op);
  mlir::FailureOr<int64_t> addAttr(tir::AttrOp op);
  mlir::FailureOr<int64_t> addSBlock(tir::BlockOp op);
  /// The annotations of `op`, with lists of buffers by their keys.
  mlir::FailureOr<int64_t>
  addBlockAnnotations(tir::BlockOp op,
                      const llvm::MapVector<llvm::StringRef, Indices> &lists);
  mlir::FailureOr<int64_t> addScopeId(tir::ScopeIdOp op);

  NodeWriter &writer;
  const llvm::DenseMap<mlir::StringAttr, int64_t> &globalVars;
  tir::PrimFuncOp func;
  mlir::FailureOr<int64_t> funcType = mlir::failure();
  /// The declarations of buffers, and the values that tir.attr ops are about.
  llvm::DenseMap<mlir::Value, tir::BufferDeclOp> declarations;
  llvm::DenseMap<mlir::Operation *, mlir::Value> nodeOfAttr;
  llvm::DenseMap<mlir::Value, int64_t> nodes;
  llvm::DenseMap<mlir::Attribute, int64_t> sharedVars;
  llvm::StringMap<int64_t> strings;
  unsigned depth = 0;
};

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_TIRBODYEXPORTER_H
