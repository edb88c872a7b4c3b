//===- TIRBodyImporter.h - tirx.PrimFunc -> tir.prim_func -------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements become ops in their order. An expression becomes the ops of its
// nodes in evaluation order, in front of its statement. Variables are values.
// A node becomes one of MLIR's own ops only if that means exactly the same,
// and one of Partita's otherwise, so that the exporter gives back the imported
// body. A body with any other node fails, and is kept as it is.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_TIRBODYIMPORTER_H
#define PARTITA_LIB_TARGET_TVMJSON_TIRBODYIMPORTER_H

#include "FunctionImporter.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "llvm/ADT/DenseSet.h"

namespace partita::tvmjson {

/// Imports the body of one tirx.PrimFunc.
class TIRBodyImporter {
public:
  TIRBodyImporter(NodeTable &table, ModuleState &state, tir::PrimFuncOp func)
      : table(table), state(state), func(func), builder(func.getContext()),
        loc(func.getLoc()) {}

  /// Gives `func`, which has no body, the body, attributes and type of a
  /// function in TVM.
  llvm::LogicalResult importFunction(const Node &function,
                                     const PrimFuncNode &fields);

private:
  struct Var {
    mlir::Type type;
    llvm::StringRef name;
    /// The type that a buffer has in TVM.
    Node buffer;
  };
  /// The parts of a tirx.BufferType that are not in the memref type.
  struct Buffer {
    mlir::MemRefType type;
    llvm::SmallVector<mlir::Value> shape, strides, offset, addresses;
    llvm::SmallVector<mlir::NamedAttribute> attributes;
    bool isDefault = false;
  };
  /// A tir.attr about a variable that its body has yet to introduce.
  struct OpenAttr {
    tir::AttrOp op;
    int64_t var;
    bool isFound = false;
  };

  // Types and constants.
  mlir::Type getDType(llvm::StringRef name);
  /// None for void; null after an error.
  mlir::Type getType(const Node &node);
  /// Fails unless `node` is the type of functions that return nothing.
  llvm::LogicalResult expectNothing(const Node &node);
  mlir::Value getConstant(mlir::Type type, mlir::TypedAttr value);
  /// An ir.IntImm and its value, or null after an error.
  mlir::IntegerAttr readInteger(const Node &node, int64_t &value);
  /// An attribute that is exported as the node that it was, or null.
  mlir::Attribute getExactAttribute(const Node &node);
  /// Null if the node mentions a variable, other than in one of `sizes`, which
  /// are mentioned by their places: {"type": "size", "data": 0}.
  tir::NodeAttr getNodeAttribute(const Node &node,
                                 llvm::ArrayRef<Node> sizes = {});
  llvm::LogicalResult
  getAnnotations(llvm::ArrayRef<std::pair<Node, Node>> entries,
                 llvm::SmallVectorImpl<mlir::NamedAttribute> &result);

  // Variables.
  llvm::LogicalResult readVar(const Node &node, Var &result,
                              bool mayBeVoid = false);
  llvm::LogicalResult bind(const Node &node, mlir::Value value);
  mlir::Value getVar(const Node &node);
  /// A variable that nothing sets, where the builder is.
  llvm::LogicalResult declareVar(const Node &node);
  mlir::Location getNamed(llvm::StringRef name, mlir::Location span);

  // Expressions: no value after an error.
  mlir::Value getExpr(const Node &node);
  mlir::Value getUpper(mlir::Value min, mlir::Value extent);
  llvm::LogicalResult getExprs(llvm::ArrayRef<Node> nodes,
                               llvm::SmallVectorImpl<mlir::Value> &values);
  llvm::LogicalResult getRange(const Node &node, mlir::Value &min,
                               mlir::Value &extent);
  llvm::LogicalResult getRegion(const Node &node, mlir::Value &buffer,
                                llvm::SmallVectorImpl<mlir::Value> &mins,
                                llvm::SmallVectorImpl<mlir::Value> &extents);
  /// A bool; a number is one that is not 0.
  mlir::Value getCondition(const Node &node);
  mlir::Value importPrim(const Node &node);
  mlir::Value importCast(mlir::Value value, mlir::Type type);
  mlir::Value importExpr(const Node &node, const FloatImmNode &number);
  mlir::Value importExpr(const Node &node, const StringImmNode &string);
  mlir::Value importExpr(const Node &node, const TensorLoadNode &load);
  mlir::Value importExpr(const Node &node, const LetNode &fields);
  mlir::Value importExpr(const Node &node, const ShuffleNode &shuffle);
  /// Succeeds without a value for a call that has no result, or, if it is to
  /// have a name, with a value of type none.
  llvm::LogicalResult importCall(const Node &node, mlir::Value &value,
                                 bool isNamed = false);
  mlir::Value importIfThenElse(llvm::ArrayRef<Node> args, mlir::Type type);
  /// Casts `indices` to type index; false if they are no indices for memref's
  /// ops.
  bool castIndices(llvm::SmallVectorImpl<mlir::Value> &indices);
  mlir::Value create(llvm::StringRef name, mlir::ValueRange operands,
                     mlir::Type type,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

  // Statements.
  llvm::LogicalResult importBlock(const Node &node);
  llvm::LogicalResult importStmt(const Node &node);
  llvm::LogicalResult importStmt(const Node &node, const ForNode &fields);
  llvm::LogicalResult importStmt(const Node &node,
                                 const SBlockRealizeNode &realize);
  llvm::LogicalResult importStmt(const Node &node, const AttrStmtNode &fields);
  llvm::LogicalResult importStmt(const Node &node,
                                 const IfThenElseNode &fields);
  llvm::LogicalResult importStmt(const Node &node, const WhileNode &fields);
  llvm::LogicalResult importStmt(const Node &node,
                                 const BufferStoreNode &store);
  llvm::LogicalResult importStmt(const Node &node, const DeclBufferNode &decl);
  llvm::LogicalResult importStmt(const Node &node,
                                 const AllocBufferNode &alloc);
  llvm::LogicalResult importStmt(const Node &node,
                                 const AssertStmtNode &fields);
  llvm::LogicalResult importStmt(const Node &node, const EvaluateNode &fields);
  llvm::LogicalResult importStmt(const Node &node, const BindNode &fields);
  llvm::LogicalResult importStmt(const Node &node, const JumpNode &fields);
  llvm::LogicalResult importStmt(const Node &node,
                                 const ScopeIdDefStmtNode &stmt);

  /// Reads the type of a buffer; its variables that nothing else sets are
  /// declared.
  llvm::LogicalResult readBuffer(const Node &type, Buffer &result);
  /// Adds the operands of an op such as tir.buffer behind `operands`.
  void setBuffer(const Buffer &buffer, mlir::OperationState &state,
                 llvm::SmallVector<int32_t> segments);
  /// Creates an op that has `buffer` as its result, the variable of `node`.
  llvm::LogicalResult
  createBuffer(llvm::StringRef name, const Node &node, mlir::Location span,
               mlir::ValueRange operands, llvm::ArrayRef<int32_t> segments,
               llvm::ArrayRef<mlir::NamedAttribute> attributes);
  /// The keys of annotations that are lists of buffers, by a buffer's node.
  using BufferLists =
      llvm::DenseMap<int64_t, llvm::SmallVector<mlir::Attribute>>;
  llvm::LogicalResult importAccesses(llvm::StringRef name,
                                     llvm::ArrayRef<Node> regions,
                                     const BufferLists &lists);
  /// Takes the entries out of `entries` whose values are lists of buffers that
  /// `regions` are parts of.
  BufferLists
  takeBufferLists(llvm::ArrayRef<Node> regions,
                  llvm::SmallVectorImpl<std::pair<Node, Node>> &entries);

  NodeTable &table;
  ModuleState &state;
  tir::PrimFuncOp func;
  mlir::OpBuilder builder;
  /// The source place of the node that is being imported.
  mlir::Location loc;
  llvm::DenseMap<int64_t, mlir::Value> valueOfVar;
  /// The variables of nodes that are kept as JSON.
  llvm::DenseSet<int64_t> keptVars;
  llvm::SmallVector<OpenAttr> openAttrs;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, mlir::Value> constants;
  llvm::DenseMap<mlir::Value, mlir::Value> indexOfValue;
  /// Constants stand in front of everything else.
  mlir::Operation *lastConstant = nullptr;
  unsigned depth = 0;
  int64_t numSharedVars = 0;
  /// Whether something leaves the body of the innermost loop before its end.
  bool hasJump = false;
};

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_TIRBODYIMPORTER_H
