//===- FunctionImporter.h - relax.expr.Function -> relax.func ---*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TVM binds every value to a variable; in SSA a value is its own variable. So a
// binding becomes an op, and some become none:
//
//   - `lv1 = lv` and `lv1 = lv[0]`, where lv is an op of several results or a
//     tuple made of parts, are other names of values that exist already;
//   - constants and shapes are ops of their own, also where TVM has them as
//     arguments. A constant that several bindings use is one op, and a number
//     is a constant of rank 0.
//
// The names of variables are the locations of their values.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_FUNCTIONIMPORTER_H
#define PARTITA_LIB_TARGET_TVMJSON_FUNCTIONIMPORTER_H

#include "Types.h"

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "mlir/IR/Builders.h"

namespace partita::tvmjson {

/// What all functions of a module share.
struct ModuleState {
  /// The declared functions by the node of their ir.GlobalVar.
  llvm::DenseMap<int64_t, relax::FuncOp> functions;
  /// Numbers the resources of constants.
  unsigned numConstants = 0;
};

/// Imports the body of one function.
class FunctionImporter {
public:
  FunctionImporter(NodeTable &table, ModuleState &state, relax::FuncOp func,
                   TypeImporter &types)
      : table(table), state(state), func(func), types(types),
        builder(func.getContext()) {}

  /// Gives the declaration of `function` its body: a SeqExpr that uses
  /// `params`.
  llvm::LogicalResult importBody(const Node &function,
                                 llvm::ArrayRef<Node> params, const Node &body);

private:
  /// What a variable stands for: one value, or the fields of a tuple that never
  /// was one value.
  struct Bound {
    llvm::SmallVector<mlir::Value, 1> values;
    bool isParts = false;
  };

  /// A variable's fields.
  struct Var {
    Node node;
    llvm::StringRef name;
    mlir::Type type;
    mlir::Location loc;
  };

  llvm::LogicalResult readVar(const Node &node, Var &var);
  llvm::LogicalResult importParams(llvm::ArrayRef<Node> params);
  llvm::LogicalResult importReturn(const Node &body);

  // Bindings.
  llvm::LogicalResult importBlock(const Node &node);
  llvm::LogicalResult importDataflow(const Node &node,
                                     llvm::ArrayRef<Node> bindings);
  llvm::LogicalResult importBinding(const Node &node, Node &varNode);
  llvm::LogicalResult bind(const Var &var, Bound bound, mlir::Location loc);

  // What is bound. `loc` is that of the op that it becomes.
  llvm::LogicalResult importExpr(const Node &node, mlir::Location loc,
                                 Bound &result);
  llvm::LogicalResult importCall(const Node &node, mlir::Location loc,
                                 Bound &result);
  llvm::LogicalResult importOpCall(const Node &node, const Node &op,
                                   llvm::ArrayRef<Node> args, const Node &attrs,
                                   mlir::Type type, mlir::Location loc,
                                   Bound &result);
  llvm::LogicalResult importFuncCall(const Node &node, const Node &callee,
                                     llvm::ArrayRef<Node> args, mlir::Type type,
                                     mlir::Location loc, Bound &result);
  llvm::LogicalResult importConstant(const Node &node, Bound &result);
  /// The value of an ir.GenericConst, and where its op is.
  llvm::LogicalResult readConstant(const Node &node, mlir::ElementsAttr &result,
                                   mlir::Location &loc);
  /// The value of an ir.IntImm or ir.FloatImm, as a tensor of rank 0.
  llvm::LogicalResult readScalar(const Node &node, mlir::ElementsAttr &result);
  llvm::LogicalResult importShape(const Node &node, mlir::Location loc,
                                  Bound &result);
  llvm::LogicalResult importTuple(const Node &node, mlir::Location loc,
                                  Bound &result);
  llvm::LogicalResult importTupleGetItem(const Node &node, mlir::Location loc,
                                         Bound &result);

  // Expressions in other expressions: not calls, which have to be bound.
  llvm::LogicalResult importLeaf(const Node &node, Bound &result);
  /// The operands that an expression is: of a tuple, its fields.
  llvm::LogicalResult getOperands(const Node &node,
                                  llvm::SmallVectorImpl<mlir::Value> &operands);
  /// The one value that an expression is.
  llvm::LogicalResult getValue(const Node &node, mlir::Value &value);
  /// The one value that `bound` is: parts become a tuple.
  llvm::LogicalResult join(const Node &node, Bound bound, mlir::Value &value);
  /// Makes `value` one of type `type`, which may know less of it.
  llvm::LogicalResult castTo(const Node &node, mlir::Type type,
                             mlir::Location loc, mlir::Value &value);

  /// Creates an op and verifies it, so that an error has a place; then the
  /// result is null.
  mlir::Operation *create(const Node &node, mlir::Location loc,
                          llvm::StringRef name, mlir::ValueRange operands,
                          mlir::TypeRange types,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

  NodeTable &table;
  ModuleState &state;
  relax::FuncOp func;
  TypeImporter &types;
  mlir::OpBuilder builder;
  llvm::DenseMap<int64_t, Bound> boundOfVar;
  llvm::DenseMap<int64_t, mlir::Value> constantOfNode;
  /// Constants stand in front of everything else, in the order of their use.
  mlir::Operation *lastConstant = nullptr;
  unsigned numBindings = 0;
};

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_FUNCTIONIMPORTER_H
