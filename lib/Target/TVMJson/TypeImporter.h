//===- TypeImporter.h - TVM's types and shapes as MLIR's --------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TVM's symbolic dimensions are variables, ours are names: two variables of one
// function that share a name get different ones.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_TYPEIMPORTER_H
#define PARTITA_LIB_TARGET_TVMJSON_TYPEIMPORTER_H

#include "Subgraph.h"

#include "partita/Dialect/Relax/IR/RelaxTypes.h"

namespace partita::tvmjson {

/// Imports the types of one function, to which names of dimensions belong.
class TypeImporter {
public:
  TypeImporter(NodeTable &table, mlir::MLIRContext *context)
      : table(table), context(context) {}

  /// The type of a node, or null after an error.
  ///
  ///   relax.TensorType   tensor<..>, or !relax.tensor<..>
  ///   relax.ShapeType    !relax.shape<..>
  ///   relax.FuncType     !relax.callable<..>
  ///   relax.AnyType      !relax.object
  ///   ir.TupleType       tuple<..>
  ///   ir.PrimType        a scalar of this dtype
  ///   others             !relax.opaque<..>, unless the table is strict
  mlir::Type getType(const Node &node);

  /// A dimension: a number, a variable or an expression of them. One that is a
  /// size is not negative.
  llvm::LogicalResult getDim(const Node &node, relax::Dim &dim,
                             bool isSize = true);

  /// The dimensions of a relax.expr.ShapeExpr, and its source place.
  llvm::LogicalResult getShape(const Node &node,
                               llvm::SmallVectorImpl<relax::Dim> &dims,
                               bool areSizes = true,
                               mlir::Location *span = nullptr);

  /// The parameters and results of a relax.FuncType. A tuple of results is
  /// several results, unless it has one field.
  mlir::FunctionType getFunctionType(const Node &node, bool &isPure);

  /// Sets `result` to the placeholder for a variable of a dimension in a kept
  /// node; no type for another node.
  bool isDim(const Node &var) const { return nameOfVar.contains(var.index); }
  llvm::LogicalResult substituteDim(const Node &node, Placeholder &result);

  /// The name of a variable that is a dimension.
  llvm::LogicalResult getName(const Node &node, relax::Dim &dim);
  /// All of them, by their nodes.
  const llvm::DenseMap<int64_t, mlir::StringAttr> &getNames() const {
    return nameOfVar;
  }
  /// TVM's names of variables whose names can't be parts of expressions.
  const mlir::NamedAttrList &getOtherNames() const { return otherNames; }

private:
  mlir::Type importType(const Node &node);
  relax::CallableType getCallableType(const Node &node);
  /// The text of a dimension that is an expression, such as `n * 2`.
  llvm::LogicalResult getExpression(const Node &node, unsigned precedence,
                                    llvm::raw_ostream &os);
  llvm::LogicalResult getArgs(llvm::ArrayRef<Node> args, llvm::raw_ostream &os);
  llvm::LogicalResult getCall(const Node &node, llvm::raw_ostream &os);
  llvm::LogicalResult getImm(const Node &node, llvm::raw_ostream &os);
  mlir::Type getTensorType(const Node &node);
  llvm::LogicalResult getShapeVar(const Node &node, relax::TensorInfo &tensor);
  mlir::Type getShapeType(const Node &node);
  mlir::Type getTupleType(const Node &node);
  llvm::LogicalResult getDims(llvm::ArrayRef<Node> nodes,
                              llvm::SmallVectorImpl<relax::Dim> &dims,
                              bool areSizes);

  NodeTable &table;
  mlir::MLIRContext *context;
  llvm::DenseMap<int64_t, mlir::StringAttr> nameOfVar;
  llvm::StringSet<> names;
  mlir::NamedAttrList otherNames;
  llvm::DenseMap<int64_t, mlir::StringAttr> nameOfShape;
  llvm::StringSet<> shapeNames;
};

/// The scalar type of an ir.PrimType, or null after an error.
mlir::Type getScalarType(NodeTable &table, const Node &node);

/// The types of the results of a function, which has one result in TVM.
llvm::SmallVector<mlir::Type> flattenResult(mlir::Type type);

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_TYPEIMPORTER_H
