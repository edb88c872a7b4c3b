//===- FunctionExporter.h - relax.func -> relax.expr.Function ---*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inverse of FunctionImporter. An op becomes a binding of the variable that
// its location names, except that constants, and the shapes, numbers and tuples
// that no location names, stand where they are used. An op of several results
// gives a tuple; relax.alias is a field of it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_FUNCTIONEXPORTER_H
#define PARTITA_LIB_TARGET_TVMJSON_FUNCTIONEXPORTER_H

#include "DimParser.h"
#include "NodeWriter.h"

#include "partita/Dialect/Relax/IR/RelaxMarks.h"
#include "partita/Dialect/Relax/IR/RelaxVariables.h"

namespace partita::tvmjson {

/// Whether `op` is a value that is neither tensor, number, shape nor tuple.
inline bool isObject(mlir::Operation *op) {
  return mlir::isa<relax::DTypeOp, relax::ExternFuncOp, relax::GlobalOp,
                   relax::StringOp>(op);
}

/// Whether `values` are the fields of one tuple, all and in order, that are
/// taken from it only to stand for it.
bool areFields(mlir::ValueRange values);

/// The names of dimensions that types of parameters and casts of `func`
/// introduce.
llvm::DenseSet<mlir::StringAttr> getIntroducedNames(relax::FuncOp func);

/// The type of the SeqExpr that `terminator`, of a function or a branch, ends
/// in TVM's normal form, where `names` are known.
mlir::Type getSeqType(mlir::Operation *terminator,
                      const llvm::DenseSet<mlir::StringAttr> &names);

/// Whether the results of `func` have sizes that are no parameter's.
bool hasUnboundResult(relax::FuncOp func);

/// Exports one function.
class FunctionExporter {
public:
  FunctionExporter(NodeWriter &writer,
                   const llvm::DenseMap<mlir::StringAttr, int64_t> &globalVars,
                   const llvm::DenseMap<mlir::StringAttr, int64_t> &globalTypes,
                   relax::FuncOp func)
      : writer(writer), globalVars(globalVars), globalTypes(globalTypes),
        func(func) {}

  /// The relax.FuncType; to be called first.
  mlir::FailureOr<int64_t> addFunctionType();
  /// The relax.expr.Function.
  mlir::FailureOr<int64_t> addFunction();

  /// The attribute of a relax.prim_value whose number TVM has rounded, not as
  /// the shortest number that rounds to it.
  static constexpr llvm::StringLiteral getRoundedAttrName() {
    return "relax.rounded";
  }
  /// The attribute of an op whose call has type arguments.
  static constexpr llvm::StringLiteral getTypeArgsAttrName() {
    return "relax.ty_args";
  }
  /// The attribute of a relax.func for sizes whose variables are shared with
  /// other functions in TVM: it maps a size's name to the variable's number.
  /// BlockBuilder.emit_te makes such variables.
  static constexpr llvm::StringLiteral getModuleVarsAttrName() {
    return "relax.module_vars";
  }
  /// The attribute of a relax.func for variables of sizes whose names in TVM,
  /// such as `?`, can't be parts of expressions: it keeps these names.
  static constexpr llvm::StringLiteral getDimNamesAttrName() {
    return "relax.dim_names";
  }
  /// Whether `op` is a match_cast to any object whose only users are casts that
  /// always fail. TVM has these casts without `op`. `op` may be null.
  static bool isPartOfCast(mlir::Operation *op);

private:
  /// The bindings of the block that is being made.
  using Bindings = llvm::SmallVector<int64_t>;

  // Types.
  mlir::FailureOr<int64_t> addType(mlir::Operation *op, mlir::Type type);
  mlir::FailureOr<int64_t> addNewType(mlir::Operation *op, mlir::Type type);
  mlir::FailureOr<int64_t> addTypes(mlir::Operation *op, mlir::TypeRange types);
  /// The type of `value`. Functions in it keep their own types, in which names
  /// of dimensions are their own.
  mlir::FailureOr<int64_t> addTypeOf(mlir::Operation *op, mlir::Value value);
  mlir::FailureOr<int64_t> addTupleType(mlir::Operation *op,
                                        mlir::ValueRange fields);
  /// The type of a tuple of `types`, or the only one of them.
  mlir::FailureOr<int64_t> addResultType(mlir::Operation *op,
                                         mlir::TypeRange types);
  /// The type node of `op`'s expression, or TVM's node for "no type".
  mlir::FailureOr<int64_t> addExprType(mlir::Operation *op);
  mlir::FailureOr<int64_t> addTensorType(mlir::Operation *op,
                                         const relax::TensorInfo &tensor);
  mlir::FailureOr<int64_t> addShapeType(mlir::Operation *op, bool isRanked,
                                        llvm::ArrayRef<relax::Dim> dims,
                                        bool lacksValues = false);
  /// The variable of this name that is a shape.
  mlir::FailureOr<int64_t> getShapeVar(mlir::Operation *op,
                                       llvm::StringRef name, bool isRanked,
                                       llvm::ArrayRef<relax::Dim> dims,
                                       bool lacksValues = false);
  mlir::FailureOr<int64_t> addDims(mlir::Operation *op,
                                   llvm::ArrayRef<relax::Dim> dims);
  mlir::FailureOr<int64_t> addShapeExpr(mlir::Operation *op,
                                        llvm::ArrayRef<relax::Dim> dims);
  mlir::FailureOr<int64_t> addDim(mlir::Operation *op, relax::Dim dim);
  /// The variable that is the dimension `name`; `varName` if that differs.
  DimNode addDimVar(llvm::StringRef name, llvm::StringRef varName = {},
                    llvm::StringRef dtype = "int64");
  /// The node that a placeholder in a type stands for, or -1.
  int64_t resolveInType(llvm::StringRef kind, JsonValue data);

  // Bindings.
  /// A variable of the name that `loc` is, or `otherName`.
  int64_t addVar(mlir::Location loc, int64_t type, bool isDataflowVar,
                 llvm::StringRef otherName = {});
  /// Lets types refer to `value` by its name, if it is a shape.
  void nameShape(mlir::Value value, int64_t var);
  mlir::LogicalResult addBlock(mlir::Block &block, Bindings &bindings);
  mlir::LogicalResult addDataflow(relax::DataflowOp op);
  mlir::LogicalResult addBinding(mlir::Operation *op, Bindings &bindings);
  /// Binds results of an op with several results to variables, if they are used
  /// by themselves.
  mlir::LogicalResult bindFields(mlir::Operation *op, Bindings &bindings);
  void flush(Bindings &bindings);
  /// The SeqExpr of a function's or a branch's block, with the terminator's
  /// value.
  mlir::FailureOr<int64_t> addSeqExpr(mlir::Block &block);
  /// Whether the result is a string, which has a type of its own in TVM.
  static bool yieldsString(mlir::Operation *terminator);
  mlir::FailureOr<int64_t> addSeqType(mlir::Operation *terminator);
  bool isInline(mlir::Operation *op) const;
  /// Whether all results of `op` leave the dataflow block that is being made.
  bool isOutput(mlir::Operation *op) const;
  /// The variable of the tuple whose fields `values` are, all and in order, or
  /// 0.
  int64_t findTuple(mlir::ValueRange values) const;

  // Expressions.
  mlir::FailureOr<int64_t> addExpr(mlir::Operation *op);
  mlir::FailureOr<int64_t> addCall(mlir::Operation *op, int64_t callee,
                                   llvm::ArrayRef<int64_t> args, int64_t attrs,
                                   llvm::ArrayRef<int64_t> typeArgs = {});
  mlir::FailureOr<int64_t> addOpCall(mlir::Operation *op);
  mlir::LogicalResult addTypeArgs(mlir::Operation *op, llvm::StringRef name,
                                  llvm::SmallVectorImpl<int64_t> &typeArgs);
  mlir::FailureOr<int64_t> addObject(mlir::Operation *op);
  mlir::FailureOr<int64_t> addValueCall(mlir::Operation *op);
  mlir::FailureOr<int64_t> addCallTIR(relax::CallTIROp op);
  mlir::FailureOr<int64_t> addFuncCall(relax::CallOp op);
  mlir::FailureOr<int64_t> addIf(relax::IfOp op);
  mlir::FailureOr<int64_t> addLocalFunc(relax::LocalFuncOp op);
  mlir::FailureOr<int64_t> addOpaque(relax::OpaqueExprOp op);
  mlir::FailureOr<int64_t> addTuple(mlir::Operation *op,
                                    mlir::ValueRange values);
  mlir::FailureOr<int64_t> addGetItem(mlir::Operation *op, int64_t tuple,
                                      int64_t index, mlir::Type type);
  /// The expression that a value is where it is used.
  mlir::FailureOr<int64_t> addValue(mlir::Operation *user, mlir::Value value);
  mlir::LogicalResult addValues(mlir::Operation *user, mlir::ValueRange values,
                                llvm::SmallVectorImpl<int64_t> &nodes);
  mlir::FailureOr<int64_t> getGlobalVar(mlir::Operation *op,
                                        mlir::FlatSymbolRefAttr callee);

  NodeWriter &writer;
  const llvm::DenseMap<mlir::StringAttr, int64_t> &globalVars, &globalTypes;
  relax::FuncOp func;
  int64_t type = 0, resultType = 0;
  llvm::SmallVector<int64_t> paramTypes;
  /// The names of dimensions that types of parameters and casts introduce.
  llvm::DenseSet<mlir::StringAttr> names;
  llvm::StringMap<DimNode> dimVars;
  llvm::StringMap<int64_t> shapeVars;
  /// The variables in `shapeVars` that the function has bound.
  llvm::DenseSet<mlir::StringAttr> boundShapes;
  llvm::DenseMap<mlir::Type, int64_t> types;
  llvm::DenseMap<mlir::Value, int64_t> nodeOfValue;
  llvm::SmallVector<int64_t> blocks;
  /// A result of an op of several: the variable that is the tuple of all, and
  /// which of them it is.
  struct Field {
    int64_t tuple = 0, index = -1, count = 0;
  };
  llvm::DenseMap<mlir::Value, Field> fieldOfValue;
  /// The values that leave the dataflow block that is being made.
  llvm::DenseMap<mlir::Value, mlir::Location> outputs;
  bool isDataflow = false;
  /// The variable of the expression that is being made, or 0.
  int64_t selfVar = 0;
  unsigned numNames = 0;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver{allocator};
};

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_FUNCTIONEXPORTER_H
