//===- FunctionImporter.h - relax.expr.Function -> relax.func ---*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TVM binds every value to a variable; in SSA a value is its own variable. So a
// binding becomes an op, which is relax.alias where the binding gives another
// name to a value, or a name to one of the results of an op. Constants and
// shapes are ops of their own, also where TVM has them as arguments. A constant
// that several bindings use is one op, and a number that an op takes for a
// tensor is a constant of rank 0.
//
// The names of variables are the locations of their values.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_FUNCTIONIMPORTER_H
#define PARTITA_LIB_TARGET_TVMJSON_FUNCTIONIMPORTER_H

#include "TVMNodes.h"
#include "TypeImporter.h"

#include "partita/Dialect/Relax/IR/RelaxMarks.h"
#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/IR/RelaxVariables.h"

#include "mlir/IR/Builders.h"

namespace partita::tvmjson {

/// The state that all functions of a module share.
struct ModuleState {
  /// The declared functions of Relax by the node of their ir.GlobalVar, and the
  /// names of all functions.
  llvm::DenseMap<int64_t, relax::FuncOp> functions;
  llvm::DenseMap<int64_t, mlir::StringAttr> names;
  /// Finds functions for the verifiers of calls, which would each make a table.
  mlir::SymbolTableCollection symbolTables;
  /// The nodes of variables by the parameters and results of TIR that stand for
  /// them. Some of these values are gone.
  llvm::DenseMap<mlir::Value, int64_t> nodeOfVar;
  /// Numbers the resources of constants.
  unsigned numConstants = 0;
  /// Whether the module is brought into TVM's normal form: types that are
  /// missing are inferred, and calls in calls get variables.
  bool normalizes = false;
};

/// The functions that something that is kept as text refers to.
class SymbolList {
public:
  explicit SymbolList(const ModuleState &state) : state(state) {}

  /// Sets `result` to the placeholder for the variable of a function; no type
  /// for another node.
  llvm::LogicalResult substitute(const Node &node, Placeholder &result);
  /// Keeps a whole function as text.
  llvm::LogicalResult writeFunction(NodeTable &table, const Node &function,
                                    std::string &json);
  llvm::ArrayRef<mlir::Attribute> get() const { return symbols; }

private:
  const ModuleState &state;
  llvm::SmallVector<mlir::Attribute> symbols;
  llvm::DenseMap<int64_t, int64_t> indices;
};

/// `loc` with the source place `span`, which is more exact, if that is known.
inline mlir::Location withSpan(mlir::Location loc, mlir::Location span) {
  if (mlir::isa<mlir::UnknownLoc>(span))
    return loc;
  mlir::StringAttr name = relax::getVarName(loc);
  return name ? relax::withName(span, name.getValue()) : span;
}

/// Whether `block` is a dataflow block's, and all its calls are free of side
/// effects: it is not in a function with `relax.force_pure`.
bool isInDataflow(mlir::Block *block);

/// Whether an op in `block` has no side effects, even if only TVM knows the op:
/// in a dataflow block and in a pure function, without `relax.force_pure`.
bool isInPureCode(mlir::Block *block);

/// Imports the body of one function.
class FunctionImporter {
public:
  FunctionImporter(NodeTable &table, ModuleState &state, relax::FuncOp func,
                   TypeImporter &types)
      : table(table), state(state), func(func), types(types),
        builder(func.getContext()) {}

  /// Gives the declaration of `function` its body.
  llvm::LogicalResult importBody(const Node &function,
                                 const FunctionNode &fields);
  /// Gives it one that is `function` as it is.
  llvm::LogicalResult keepBody(const Node &function);

private:
  /// The meaning of a variable: one value, or the fields of a tuple that is not
  /// one value.
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
  /// Says which name of dimensions the number is that `var` is bound to.
  llvm::LogicalResult nameNumber(const Node &var, mlir::Value number);
  llvm::LogicalResult importParams(llvm::ArrayRef<Node> params);
  llvm::LogicalResult importReturn(const Node &seqExpr, mlir::Type seqType,
                                   const Node &body);

  /// Imports the blocks of a SeqExpr. `result` is its body, and `type` its
  /// type, or null if TVM has given it none.
  llvm::LogicalResult importSeqExpr(const Node &node, Node &result,
                                    mlir::Type &type);
  /// Creates the terminator of the block that is being imported.
  llvm::LogicalResult createTerminator(const Node &seqExpr, mlir::Type seqType,
                                       llvm::StringRef name,
                                       mlir::ValueRange values);
  /// Removes the types of SeqExprs from terminators if TVM's normal form has
  /// the same types.
  void forgetSeqTypes();
  /// Imports a branch or a function, which yields a value of type `type`, if
  /// that is given.
  llvm::LogicalResult importRegion(const Node &node, mlir::Region &region,
                                   mlir::Type type);

  // Bindings.
  llvm::LogicalResult importBlocks(llvm::ArrayRef<Node> blocks);
  /// One block; of several dataflow blocks that follow each other, one.
  llvm::LogicalResult importBlock(llvm::ArrayRef<Node> nodes);
  llvm::LogicalResult importDataflow(const Node &node,
                                     llvm::ArrayRef<Node> bindings);
  llvm::LogicalResult importBinding(const Node &node, Node &varNode);
  llvm::LogicalResult bind(const Var &var, Bound bound, mlir::Location loc);

  // Expressions that are bound. `loc` is the location of the op to create.
  /// The type of `expr`: `type`, or the type of its variable, if its module was
  /// saved before the expression had one.
  mlir::Type getType(const Node &expr, const Node &type);
  llvm::LogicalResult importExpr(const Node &node, mlir::Location loc,
                                 Bound &result);
  /// The same, or keeps the expression as it is.
  llvm::LogicalResult importOrKeep(const Node &node, mlir::Location loc,
                                   Bound &result);
  llvm::LogicalResult importCallOp(const Node &node, mlir::Location loc,
                                   Bound &result);
  llvm::LogicalResult keepExpr(const Node &node, mlir::Location loc,
                               Bound &result);
  mlir::Operation *createOpaque(const Node &node, mlir::Location loc,
                                llvm::StringRef json,
                                llvm::ArrayRef<mlir::Attribute> symbols,
                                mlir::ValueRange operands,
                                mlir::TypeRange resultTypes);
  llvm::LogicalResult importCall(const Node &node, mlir::Location loc,
                                 Bound &result);
  llvm::LogicalResult importOpCall(const Node &node, const CallNode &call,
                                   mlir::Type type, mlir::Location loc,
                                   Bound &result);
  llvm::LogicalResult importFuncCall(const Node &node, const CallNode &call,
                                     mlir::Type type, mlir::Location loc,
                                     Bound &result);
  llvm::LogicalResult importCallTIR(const Node &node, llvm::ArrayRef<Node> args,
                                    mlir::Type type, mlir::Location loc,
                                    Bound &result);
  /// Reads whether the type of a GlobalVar says that its function is pure.
  llvm::LogicalResult readPurity(const Node &callee, bool &isPure);
  /// A call of something else than an op or a function of the module, or of an
  /// op that takes functions.
  llvm::LogicalResult importValueCall(const Node &node, const CallNode &call,
                                      mlir::Type type, mlir::Location loc,
                                      Bound &result);
  llvm::LogicalResult
  getTypeArgs(llvm::ArrayRef<Node> typeArgs,
              llvm::SmallVectorImpl<mlir::Attribute> &result);
  /// Adds the attributes `attrs` and `attrs_type` of a call that has some.
  llvm::LogicalResult
  addCallAttrs(const CallNode &call,
               llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);
  /// Creates a call of a function of the module.
  llvm::LogicalResult
  createCall(const Node &node, mlir::Location loc, llvm::StringRef name,
             mlir::ValueRange operands, mlir::TypeRange resultTypes,
             llvm::ArrayRef<mlir::NamedAttribute> attributes, Bound &result);
  llvm::LogicalResult importConstant(const Node &node, Bound &result);
  /// The value of an ir.GenericConst, and the location of its op.
  llvm::LogicalResult readConstant(const Node &node,
                                   relax::OwnedElements &result,
                                   mlir::Location &loc);
  llvm::LogicalResult importNumber(const Node &node, mlir::Location loc,
                                   Bound &result);
  /// A number that is an expression of dimensions.
  bool isDimExpr(const Node &node);
  llvm::LogicalResult importDim(const Node &node, mlir::Location loc,
                                Bound &result);
  llvm::LogicalResult importShape(const Node &node, mlir::Location loc,
                                  Bound &result);
  /// A string, a dtype or a function.
  llvm::LogicalResult importObject(const Node &node, mlir::Location loc,
                                   Bound &result);
  llvm::LogicalResult importExternFunc(const Node &node, mlir::Location loc,
                                       Bound &result);
  llvm::LogicalResult importIf(const Node &node, mlir::Location loc,
                               Bound &result);
  /// A function in the function.
  llvm::LogicalResult importLocalFunc(const Node &node, mlir::Location loc,
                                      Bound &result);
  llvm::LogicalResult importTuple(const Node &node, mlir::Location loc,
                                  Bound &result);
  llvm::LogicalResult importTupleGetItem(const Node &node, mlir::Location loc,
                                         Bound &result);

  // Expressions in other expressions; calls must be bound instead.
  llvm::LogicalResult importLeaf(const Node &node, Bound &result);
  /// The operands that an expression stands for: a tuple, for its fields.
  llvm::LogicalResult getOperands(const Node &node,
                                  llvm::SmallVectorImpl<mlir::Value> &operands);
  /// The same, but a value that is a tuple is one operand.
  llvm::LogicalResult
  getTupleOperands(const Node &node,
                   llvm::SmallVectorImpl<mlir::Value> &operands);
  /// The one value that an expression is, and that each of several is.
  llvm::LogicalResult getValue(const Node &node, mlir::Value &value);
  llvm::LogicalResult getValues(llvm::ArrayRef<Node> nodes,
                                llvm::SmallVectorImpl<mlir::Value> &values);
  /// The one value that `bound` is: parts become a tuple.
  llvm::LogicalResult join(const Node &node, Bound bound, mlir::Value &value);
  /// The type of the tuple whose fields `bound` holds.
  mlir::TupleType getTupleType(const Bound &bound) {
    return mlir::TupleType::get(builder.getContext(),
                                mlir::ValueRange(bound.values).getTypes());
  }
  /// Casts `value` to `type`, which may know less about it.
  llvm::LogicalResult castTo(const Node &node, mlir::Type type,
                             mlir::Location loc, mlir::Value &value);
  /// The same, or gives it a type that says something else: TVM does not
  /// compare the types of variables and results with their values' types.
  llvm::LogicalResult assumeType(const Node &node, mlir::Type type,
                                 mlir::Location loc, mlir::Value &value);
  /// Creates a match_cast; null after an error. As in TVM it may be one that
  /// can only fail, as in code that never runs.
  mlir::Value createMatchCast(const Node &node, mlir::Location loc,
                              mlir::Value value, mlir::Type type);

  // Expressions that TVM has not brought into its normal form.
  /// Whether a type is to be inferred.
  static bool isMissing(mlir::Type type) {
    return mlir::isa<mlir::NoneType>(type);
  }
  /// Infers the types of the results of an op.
  llvm::LogicalResult inferTypes(const Node &node,
                                 const mlir::OperationState &made,
                                 llvm::SmallVectorImpl<mlir::Type> &inferred);
  /// The type of a call of a function of the module.
  llvm::LogicalResult inferCall(const Node &node, relax::FuncOp callee,
                                mlir::ValueRange operands, mlir::Type &type);
  bool isBoundInNormalForm(const Node &node);
  /// Binds an expression in another one to a variable of its own.
  llvm::LogicalResult importNested(const Node &node, Bound &result);

  /// Creates an op and verifies it, so that an error has a place; null after an
  /// error.
  mlir::Operation *create(const Node &node, mlir::Location loc,
                          llvm::StringRef name, mlir::ValueRange operands,
                          mlir::TypeRange types,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  /// The same for an op with one result, which it returns.
  mlir::Value createValue(const Node &node, mlir::Location loc,
                          llvm::StringRef name, mlir::ValueRange operands,
                          mlir::Type type,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::Value createGetItem(const Node &node, mlir::Location loc,
                            mlir::Value tuple, int64_t index, mlir::Type type);
  /// Binds `result` to `value`; fails if that is null.
  static llvm::LogicalResult bindTo(mlir::Value value, Bound &result) {
    result = {{value}};
    return llvm::success(bool(value));
  }

  NodeTable &table;
  ModuleState &state;
  relax::FuncOp func;
  TypeImporter &types;
  mlir::OpBuilder builder;
  llvm::DenseMap<int64_t, Bound> boundOfVar;
  /// Its keys, in the order in which they were bound.
  llvm::SmallVector<int64_t> boundVars;
  llvm::DenseMap<int64_t, mlir::Value> constantOfNode;
  /// Constants stand in front of everything else, in the order of their use.
  mlir::Operation *lastConstant = nullptr;
  unsigned numBindings = 0;
  /// The names of variables, and how many were made for expressions in others.
  llvm::StringSet<> usedNames;
  unsigned numMade = 0;
  /// The variable of the binding whose value is imported, or -1.
  int64_t ownVar = -1;
  /// That value, and the type of its variable, if the value itself has none.
  std::pair<int64_t, mlir::Type> untyped = {-1, nullptr};
  /// The variables that are numbers, to which types can refer.
  llvm::SmallVector<std::pair<Node, mlir::Value>> numbers;
};

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_FUNCTIONIMPORTER_H
