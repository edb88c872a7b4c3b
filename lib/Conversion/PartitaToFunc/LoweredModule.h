//===- LoweredModule.h - What lowered functions share -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_CONVERSION_PARTITATOFUNC_LOWEREDMODULE_H
#define PARTITA_LIB_CONVERSION_PARTITATOFUNC_LOWEREDMODULE_H

#include "EqualSizes.h"

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/IR/RelaxTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace partita {

/// Memory has no more bytes than processors can address. Numbers below do not
/// overflow in the code that computes the size of a buffer.
inline constexpr double maxBytes = 1ULL << 47;

/// The symbol of a function after lowering: names such as `exp` belong to
/// libraries.
inline std::string getLoweredName(llvm::StringRef name) {
  return ("partita." + name).str();
}

/// The builtin.module whose partita.modules are lowered. Symbols are found and
/// made in constant time.
class LoweredModule {
public:
  explicit LoweredModule(mlir::ModuleOp module)
      : table(module), functions(module.getContext()),
        globals(module.getContext()),
        tensorHolder(relax::TensorHolder::takeFrom(module)) {}

  /// Builds the lowered functions.
  mlir::OpBuilder &getBuilder() { return functions; }

  /// The function that `name` refers to at `op`, or null.
  template <typename FunctionT>
  FunctionT lookup(mlir::Operation *op, mlir::SymbolRefAttr name) {
    return symbols.lookupNearestSymbolFrom<FunctionT>(op, name);
  }

  /// The sizes of `func` that have to be equal.
  const EqualSizes &getEqualSizes(tir::PrimFuncOp func);

  /// The number of the TensorHolder for constants, or 0.
  uint64_t getTensorHolder() const { return tensorHolder; }

  /// Adds a constant in memory.
  mlir::memref::GlobalOp addConstant(mlir::Location loc, mlir::MemRefType type,
                                     mlir::ElementsAttr elements);

  /// A constant string for C. Equal texts are one constant.
  mlir::LLVM::GlobalOp getMessage(mlir::Location loc, llvm::StringRef text);

  /// The declaration of a function of a library.
  mlir::func::FuncOp getFunction(mlir::Location loc, llvm::StringRef name,
                                 mlir::FunctionType type);
  /// The function of the runtime library that ends a call with a message.
  mlir::func::FuncOp getFail(mlir::Location loc);
  /// The function of the runtime library that ends a call if the stack is
  /// nearly full.
  mlir::func::FuncOp getCheckStack(mlir::Location loc);
  /// Ends a call of the code with `message` unless `condition` holds.
  void failUnless(mlir::ImplicitLocOpBuilder &builder, mlir::Value condition,
                  llvm::StringRef message);

  /// The declaration of a packed function of the caller. Calls with equal
  /// descriptions share it.
  mlir::func::FuncOp getPackedFunc(mlir::Location loc, mlir::FunctionType type,
                                   llvm::json::Object description);
  /// Remembers the functions that are values in `scope`.
  void findValues(mlir::Operation *scope);
  /// Whether the caller of the code may call `func`, which need not be public.
  bool isValue(relax::FuncOp func) const { return values.contains(func); }
  /// Lets the caller of the code call `func`.
  void addClosure(relax::FuncOp func) {
    if (!func.isPublic())
      closures.insert(func);
  }
  /// Gives the lowered functions of closures an interface for C.
  void exportClosures();
  llvm::ArrayRef<relax::FuncOp> getClosures() const {
    return closures.getArrayRef();
  }

  /// The descriptions of packed functions, by symbol.
  llvm::json::Object takePackedFuncs() { return std::move(packedFuncs); }

private:
  /// Globals are in front of functions.
  void insert(mlir::Operation *global);

  mlir::SymbolTable table;
  mlir::SymbolTableCollection symbols;
  mlir::OpBuilder functions, globals;
  uint64_t tensorHolder;
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<EqualSizes>> equalSizes;
  llvm::StringMap<mlir::LLVM::GlobalOp> messages;
  llvm::StringMap<mlir::func::FuncOp> packedByDescription;
  llvm::json::Object packedFuncs;
  llvm::DenseSet<mlir::Operation *> values;
  llvm::SetVector<relax::FuncOp> closures;
  mlir::Operation *last = nullptr;
};

} // namespace partita

#endif // PARTITA_LIB_CONVERSION_PARTITATOFUNC_LOWEREDMODULE_H
