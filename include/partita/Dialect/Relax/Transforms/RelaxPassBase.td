//===- RelaxPassBase.td - Records of relax passes ----------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_RELAXPASSBASE
#define PARTITA_DIALECT_RELAX_TRANSFORMS_RELAXPASSBASE

include "partita/Pass/PassBase.td"

// A pass on relax.func, with TVM's name and level.
class RelaxFunctionPass<string argument, string name, int level = 0,
                        list<string> requires = []>
    : PartitaPass<"relax-" # argument, "::partita::relax::FuncOp",
                  "relax.transform", name, level, requires>;

// A pass on partita.module.
class RelaxModulePass<string argument, string name, int level = 0,
                      list<string> requires = []>
    : PartitaPass<"relax-" # argument, "::partita::IRModuleOp", "relax.transform",
                  name, level, requires>;

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_RELAXPASSBASE
