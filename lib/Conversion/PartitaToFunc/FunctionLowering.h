//===- FunctionLowering.h - Lower one relax.func ----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_CONVERSION_PARTITATOFUNC_FUNCTIONLOWERING_H
#define PARTITA_LIB_CONVERSION_PARTITATOFUNC_FUNCTIONLOWERING_H

#include "LoweredModule.h"

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace partita {

/// Appends the types that values of `type` have after lowering. Fails without
/// an error.
llvm::LogicalResult lowerType(mlir::Type type,
                              llvm::SmallVectorImpl<mlir::Type> &lowered);

/// The types of a function or of several values after lowering. Fails with an
/// error at `op`.
mlir::FailureOr<llvm::SmallVector<mlir::Type>>
lowerTypes(mlir::Operation *op, mlir::TypeRange types);

/// The values that each of `types` has in `lowered`, one after the other.
llvm::SmallVector<mlir::ValueRange> splitByType(mlir::TypeRange types,
                                                mlir::ValueRange lowered);

/// Whether values of `type` are objects while the code runs: what they are is
/// known to the caller of the compiled code.
bool isObject(mlir::Type type);

/// The memory that `value` is a view of.
mlir::Value getOrigin(mlir::Value value);

/// Whether a prim_func, or a packed function that it calls, may write its
/// buffer `argument`.
bool mayWrite(mlir::Value argument);

/// The type of the value that a prim_func leaves with, if there is one. TVM's
/// functions need not say it.
inline llvm::SmallVector<mlir::Type, 1> getReturnTypes(tir::PrimFuncOp func) {
  if (auto type = func->getAttrOfType<mlir::TypeAttr>("tir.ret_type"))
    return {type.getValue()};
  llvm::SmallVector<mlir::Type, 1> types;
  func->walk([&](tir::RetOp op) {
    types.push_back(op.getValue().getType());
    return mlir::WalkResult::interrupt();
  });
  return types;
}

/// The op that makes `value`, looking through other names of it and through
/// tuples. Null for a parameter.
mlir::Operation *getDefinition(mlir::Value value);

/// The same, or null if it is no `OpT`.
template <typename OpT>
OpT getDefinition(mlir::Value value) {
  return mlir::dyn_cast_or_null<OpT>(getDefinition(value));
}

/// Lowers one function. Its memory has identity layouts.
class FunctionLowering {
public:
  FunctionLowering(relax::FuncOp func, LoweredModule &module)
      : func(func), module(module),
        builder(func.getLoc(), module.getBuilder()) {}

  llvm::LogicalResult run();

private:
  using Values = llvm::SmallVector<mlir::Value>;

  /// What a value is after lowering. Its type can say more than the type that
  /// the value has in Relax. A function and a string have no lowered values
  /// and the type none: `source` says which they are.
  struct Known {
    mlir::Type type;
    Values lowered;
    mlir::Value source;
  };

  llvm::LogicalResult lower(mlir::Operation *op);
  llvm::LogicalResult lowerBlock(mlir::Block &block);
  llvm::LogicalResult lowerConstant(relax::ConstantOp op);
  llvm::LogicalResult lowerCallTIR(relax::CallTIROp op);
  llvm::LogicalResult lowerCall(relax::CallOp op);
  llvm::LogicalResult lowerInvokeClosure(mlir::Operation *op);
  /// Calls `callee`: a closure, or a function of the module.
  llvm::LogicalResult callClosure(mlir::Operation *op, mlir::Value callee,
                                  llvm::SmallVector<Known> arguments);
  /// Fails with an error at `op` unless `closure` has a function and a tuple.
  llvm::LogicalResult checkClosure(mlir::Operation *op,
                                   relax::MakeClosureOp closure);
  llvm::LogicalResult callFunction(mlir::Operation *op,
                                   mlir::FlatSymbolRefAttr name,
                                   llvm::ArrayRef<Known> arguments);
  llvm::LogicalResult lowerIf(relax::IfOp op);
  llvm::LogicalResult lowerMatchCast(relax::MatchCastOp op);
  llvm::LogicalResult lowerReturn(relax::ReturnOp op);
  llvm::LogicalResult lowerDataflow(relax::DataflowOp op);
  llvm::LogicalResult lowerTupleGetItem(relax::TupleGetItemOp op);
  llvm::LogicalResult lowerDimOp(relax::DimOp op);
  llvm::LogicalResult lowerShape(relax::ShapeOp op);
  llvm::LogicalResult lowerShapeOf(relax::ShapeOfOp op);
  llvm::LogicalResult lowerShapeToTensor(relax::ShapeToTensorOp op);
  /// `op` gives its operand on a device. On a CPU the tensor stays where it is.
  llvm::LogicalResult lowerOnDevice(mlir::Operation *op, bool isCPU);
  llvm::LogicalResult lowerAllocTensor(relax::AllocTensorOp op);
  /// An alloc_storage, which takes `numBytes`.
  llvm::LogicalResult lowerAllocStorage(mlir::Operation *op,
                                        mlir::Value numBytes);
  /// An alloc_tensor that is a part of `storage` from the byte `offset` on.
  llvm::LogicalResult lowerTensorInStorage(mlir::Operation *op,
                                           mlir::Value storage,
                                           mlir::Value offset);
  llvm::LogicalResult lowerCallValue(relax::CallValueOp op);
  llvm::LogicalResult lowerCallTIRDyn(relax::CallTIRDynOp op);
  llvm::LogicalResult lowerCallTIRInplace(relax::CallTIRInplaceOp op);
  llvm::LogicalResult lowerCallDPSPacked(relax::CallDPSPackedOp op);
  llvm::LogicalResult lowerCallPyFunc(relax::CallPyFuncOp op);
  llvm::LogicalResult lowerCallBuiltin(relax::CallBuiltinWithCtxOp op);
  /// A call of its first operand, a packed function.
  llvm::LogicalResult lowerCallPacked(mlir::Operation *op);
  /// A tensor of a known number of sizes, or null.
  mlir::Value getSizes(mlir::Value tensor);
  llvm::LogicalResult readShape(mlir::Operation *op, mlir::Value tensor);
  llvm::LogicalResult lowerTensorToShape(relax::TensorToShapeOp op);
  llvm::LogicalResult lowerCallInplacePacked(relax::CallInplacePackedOp op);
  llvm::LogicalResult lowerReshape(relax::ReshapeOp op);
  llvm::LogicalResult lowerView(relax::ViewOp op);
  llvm::LogicalResult lowerInspect(mlir::Operation *op);

  /// A call of a packed function that is being built.
  struct PackedCall {
    /// Empty if the first argument is the function.
    std::string name;
    llvm::json::Array params = {};
    Values operands = {};
    /// What errors call the result.
    std::string what = {};
  };
  /// Begins a call of the packed function that `callee` is, or that it is while
  /// the code runs.
  mlir::FailureOr<PackedCall> beginPacked(mlir::Operation *op,
                                          mlir::Value callee);
  llvm::LogicalResult addArgument(mlir::Operation *op, PackedCall &call,
                                  const Known &argument, bool isWritten);
  /// Describes an argument and appends what the code hands over.
  mlir::FailureOr<llvm::json::Object> describeArgument(mlir::Operation *op,
                                                       const Known &argument,
                                                       Values &operands);
  /// `result` is the type that the function returns.
  mlir::FailureOr<Values> callPacked(mlir::Operation *op, PackedCall call,
                                     mlir::Type result);
  /// A call of the packed function `arguments.front()`. It may write memory
  /// that this function has allocated, unless `isPure`.
  llvm::LogicalResult callPacked(mlir::Operation *op, mlir::Value callee,
                                 llvm::ArrayRef<Known> arguments, bool isPure);
  /// Calls a packed function that each caller has.
  mlir::FailureOr<Values> callRuntime(mlir::Operation *op, llvm::StringRef name,
                                      llvm::ArrayRef<Known> arguments,
                                      mlir::Type result);

  Known getKnown(mlir::Value value);
  /// The fields of a tuple. Empty if it is an object.
  llvm::SmallVector<Known> getFields(const Known &tuple);
  /// What `value` is in the type `wanted`. Fails with an error at `op` if it
  /// has no such form. Names of sizes are not checked.
  mlir::FailureOr<Values> convert(mlir::Operation *op, const Known &value,
                                  mlir::Type wanted);
  mlir::FailureOr<Values> convertAll(mlir::Operation *op,
                                     llvm::ArrayRef<Known> from,
                                     mlir::TypeRange types);
  /// The arguments of a prim_func with parameters of `types`, which has
  /// tensors in place of objects.
  mlir::FailureOr<Values> getArguments(mlir::Operation *op,
                                       mlir::ValueRange from,
                                       mlir::TypeRange types);
  llvm::LogicalResult addArguments(mlir::Operation *op, const Known &value,
                                   mlir::TypeRange types, Values &all);
  /// A function, a closure, a string or a dtype as an object.
  mlir::FailureOr<mlir::Value> makeObject(mlir::Operation *op,
                                          mlir::Value source);
  /// The sizes of an object that is a tensor.
  mlir::FailureOr<Values> getObjectSizes(mlir::Operation *op, mlir::Type type,
                                         mlir::Value object);
  /// The memory of a tensor. Fails with an error at `op` if it is an object.
  mlir::FailureOr<mlir::Value> getMemory(mlir::Operation *op,
                                         mlir::Value tensor);

  /// Whether `memory` was allocated here: the caller owns parameters, and
  /// nobody may write constants.
  static bool isAllocated(mlir::Value memory);
  /// `value`, or a copy of it if it is memory that this function may not write.
  mlir::Value makeWritable(mlir::Value value);

  llvm::ArrayRef<mlir::Value> get(mlir::Value value) {
    return values.find(value)->second;
  }
  Values get(mlir::ValueRange group) {
    Values all;
    for (mlir::Value value : group)
      llvm::append_range(all, get(value));
    return all;
  }
  /// `type` says what `lowered` is if it is not the type of `value`.
  llvm::LogicalResult set(mlir::Value value, mlir::ValueRange lowered,
                          mlir::Type type = {}) {
    values[value] = llvm::to_vector(lowered);
    if (type && type != value.getType())
      knownTypes[value] = type;
    return llvm::success();
  }
  /// Gives each of `results` its part of `lowered`.
  llvm::LogicalResult setAll(mlir::ValueRange results,
                             mlir::ValueRange lowered);

  mlir::Value getSize(mlir::Value memref, int64_t index);
  /// `value` in a type that says more or less about its sizes, or has another
  /// width. Null if it has no such type.
  mlir::Value castTo(mlir::Value value, mlir::Type type);
  /// Fails with an error at `op` if a value does not fit.
  mlir::FailureOr<Values> castAll(mlir::Operation *op, mlir::ValueRange from,
                                  mlir::TypeRange types);
  mlir::FailureOr<mlir::Value> lowerDim(mlir::Operation *op, relax::Dim dim);
  mlir::FailureOr<mlir::Value> allocate(mlir::Operation *op, mlir::Type type);
  /// The memory of a tensor: its sizes that are not numbers, as i64, and the
  /// bytes that the others make.
  struct Extent {
    mlir::MemRefType type;
    Values dynamic;
    double staticBytes;
  };
  mlir::FailureOr<Extent> getExtent(mlir::Operation *op, mlir::Type type);
  /// Numbers of i64 as indices.
  Values toIndices(mlir::ValueRange numbers);
  /// Ends the program with `message` unless the sizes are not negative, and
  /// their product with `staticBytes` is at most `limit`, or fits into memory.
  void checkAllocation(llvm::ArrayRef<mlir::Value> dynamic, double staticBytes,
                       const llvm::Twine &message, mlir::Value limit = {});
  /// Ends the program unless `arguments` have the sizes that `callee` takes for
  /// equal. It skips those that types show.
  void checkSizes(mlir::Operation *op, mlir::ValueRange arguments,
                  tir::PrimFuncOp callee);
  /// `arguments` in the types of `callee`. What a packed function in it may
  /// write, and this function must not, is a copy.
  mlir::FailureOr<Values> castForPrimFunc(mlir::Operation *op,
                                          mlir::ValueRange arguments,
                                          tir::PrimFuncOp callee);
  /// The prim_func that `callee` is, or null.
  tir::PrimFuncOp getPrimFunc(mlir::Operation *op, mlir::Value callee);
  /// Calls the prim_func that `callee` is with lowered arguments. Returns its
  /// result, which has the type in `results`.
  mlir::FailureOr<Values> callPrimFunc(mlir::Operation *op, mlir::Value callee,
                                       mlir::ValueRange arguments,
                                       mlir::TypeRange results = {});

  /// Gives new names in `type` the sizes that `lowered` has.
  llvm::LogicalResult bindNames(mlir::Operation *op, mlir::Type type,
                                mlir::ValueRange lowered);
  /// Ends the program unless the sizes of `lowered` are what `type` says.
  llvm::LogicalResult check(mlir::Operation *op, mlir::Type type,
                            mlir::ValueRange lowered, const llvm::Twine &what);
  void failUnless(mlir::Value condition, const llvm::Twine &message);

  relax::FuncOp func;
  LoweredModule &module;
  mlir::ImplicitLocOpBuilder builder;
  mlir::func::FuncOp lowered;
  llvm::DenseMap<mlir::Value, Values> values;
  /// The types of lowered values that differ from the types of the values.
  llvm::DenseMap<mlir::Value, mlir::Type> knownTypes;
  /// The sizes that are known, by name, as i64.
  llvm::StringMap<mlir::Value> sizes;
  /// The dimensions of memrefs that are sizes with a name by definition.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::StringAttr> introducing;
  /// The sizes of objects that are known in the block that is being built.
  llvm::DenseMap<mlir::Value, Values> objectSizes;
};

/// Builds a func.func that does what `func` does, on memrefs and numbers. Fails
/// with an error on what it can't lower.
llvm::LogicalResult lowerFunction(relax::FuncOp func, LoweredModule &module);

/// Copies a prim_func, with a func.func around its body, and replaces ops of
/// tir. Fails with an error on what it can't lower.
llvm::LogicalResult lowerPrimFunc(tir::PrimFuncOp primFunc,
                                  LoweredModule &module);

} // namespace partita

#endif // PARTITA_LIB_CONVERSION_PARTITATOFUNC_FUNCTIONLOWERING_H
