//===- FusedKernel.h - One prim_func for several calls ----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_FUSEDKERNEL_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_FUSEDKERNEL_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/MapVector.h"

namespace partita::relax {

/// A call of a prim_func. The callee's parameters are the arguments, then the
/// results that overwrite no argument.
struct KernelCall {
  mlir::Operation *op;
  tir::PrimFuncOp callee;
  llvm::SmallVector<mlir::Value> arguments;
  /// For each result the number of the argument that it overwrites, or -1.
  llvm::SmallVector<int64_t> inPlace;

  /// The callee's parameter for a result.
  mlir::BlockArgument getResultParameter(unsigned result);
};

/// The calls of `func` in order, and the values that it returns.
struct KernelCalls {
  llvm::SmallVector<KernelCall> calls;
  llvm::SmallVector<mlir::Value> outputs;
};

/// Makes the prim_func that does what a function of calls does. Each function
/// returns false, or null, at what it can't express, and says in `problem` what
/// it expected and found.
class FusedKernel {
public:
  FusedKernel(FuncOp func, KernelCalls &calls);
  virtual ~FusedKernel() = default;

  /// The function, which is in no module. Null if there is none.
  mlir::OwningOpRef<tir::PrimFuncOp> create();
  /// For each output the parameter that it overwrites, or -1.
  llvm::ArrayRef<int64_t> getInPlace() const { return inPlace; }
  llvm::StringRef getProblem() const { return problem; }

protected:
  /// Adds the body; the parameters exist.
  virtual bool createBody() = 0;
  /// The value of a size that only buffers know, as an i64.
  virtual mlir::Value createName(mlir::StringAttr name) = 0;

  bool fail(const llvm::Twine &text) {
    problem = text.str();
    return false;
  }
  /// A size as an i64.
  mlir::Value getSize(Dim dim);
  /// An argument of a call that is a number, as a value of type `type`.
  mlir::Value getNumber(mlir::Value argument, mlir::Type type);
  /// The dimensions of a value; empty for numbers.
  llvm::SmallVector<Dim> getDims(mlir::Value value) const;
  /// The memref for a tensor, in the memory of the callees that access it.
  mlir::MemRefType getBufferType(mlir::Value value) const;

  FuncOp func;
  KernelCalls &calls;
  mlir::OwningOpRef<tir::PrimFuncOp> kernel;
  /// Builds at the end of the function.
  mlir::ImplicitLocOpBuilder builder;
  /// Buffers and numbers by the values of `func` that they hold.
  llvm::MapVector<mlir::Value, mlir::Value> buffers;

private:
  bool createParameters();
  bool addParameter(mlir::Type type, mlir::Location loc, mlir::Value value);
  void addName(mlir::StringAttr name, mlir::Value value);

  llvm::DenseMap<mlir::StringAttr, mlir::Value> names;
  llvm::DenseMap<mlir::Value, mlir::Attribute> memorySpaces;
  llvm::SmallVector<int64_t> inPlace;
  std::string problem;
};

/// Puts the blocks of the callees one after the other (TVM's FuseTIR).
std::unique_ptr<FusedKernel> createFusedBlocks(FuncOp func, KernelCalls &calls);
/// Hands the callees' tensors on, so that upstream's passes fuse them.
std::unique_ptr<FusedKernel> createFusedTensors(FuncOp func,
                                                KernelCalls &calls);
/// Whether `callee` computes tensors from its parameters, and writes the
/// results at its end.
bool isTensorKernel(tir::PrimFuncOp callee);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_FUSEDKERNEL_H
