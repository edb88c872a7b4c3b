//===- TIRPassBase.td - Bases of the tir passes --------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_TIR_TRANSFORMS_TIRPASSBASE
#define PARTITA_DIALECT_TIR_TRANSFORMS_TIRPASSBASE

include "partita/Pass/PassBase.td"

// A pass on tir.prim_func, with TVM's name and level.
class TIRPrimFuncPass<string argument, string name, int level = 0,
                      list<string> requires = []>
    : PartitaPass<"tir-" # argument, "::partita::tir::PrimFuncOp",
                  "tir.transform", "tir." # name, level, requires>;

// A pass on a whole module, with TVM's name and level.
class TIRModulePass<string argument, string name, int level = 0,
                    list<string> requires = []>
    : PartitaPass<"tir-" # argument, "::partita::IRModuleOp", "tir.transform",
                  "tir." # name, level, requires>;

#endif // PARTITA_DIALECT_TIR_TRANSFORMS_TIRPASSBASE
