//===- TIRNames.h - What TIR's ops are called here and there ----*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_TIRNAMES_H
#define PARTITA_LIB_TARGET_TVMJSON_TIRNAMES_H

#include "mlir/IR/Value.h"

namespace partita::tvmjson {

/// The kinds of loops, by TVM's numbers.
inline constexpr llvm::StringRef loopKinds[] = {
    "serial", "parallel", "vectorized", "unrolled", "thread_binding"};

/// Attributes of scf.for: its kind, unless it is serial, and TVM's annotations.
inline constexpr llvm::StringRef loopKindName = "tir.kind",
                                 loopAnnotationsName = "tir.annotations";

/// An attribute of tir.prim_func: the type that it returns in TVM.
inline constexpr llvm::StringRef returnTypeName = "tir.ret_type";

/// An attribute of ops that introduce a variable: a number that is the same for
/// all ops whose variables are one variable in TVM. And a unit attribute of
/// `tir.prim "NE"`: TVM has only the number, which is compared with 0 here.
inline constexpr llvm::StringRef sharedVarName = "tir.shared_var",
                                 impliedName = "tir.implied";

/// An attribute of a tir.var, or a parameter, whose variable in TVM other
/// functions have, too: a number that it has in all. Functions of Relax have
/// FunctionExporter::getModuleVarsAttrName() instead.
inline constexpr llvm::StringRef moduleVarName = "tir.module_var";

/// The op whose attributes tell of the variable `value`; null if that has more
/// than one, or its variable is none that TVM lets others share.
mlir::Operation *getVarOwner(mlir::Value value);

/// The name that a location holds.
llvm::StringRef getVarName(mlir::Location loc, llvm::StringRef fallback);

/// The op of the math dialect for an intrinsic on floats of one type; empty if
/// there is none.
llvm::StringRef getMathOp(llvm::StringRef intrinsic);
llvm::StringRef getMathIntrin(llvm::StringRef op);
size_t getNumMathOperands(llvm::StringRef op);

/// Whether an intrinsic only computes a value of its arguments.
bool isPureIntrin(llvm::StringRef name);

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_TIRNAMES_H
