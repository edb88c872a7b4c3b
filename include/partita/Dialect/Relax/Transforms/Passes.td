//===- Passes.td - Passes of the relax dialect ------------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_PASSES
#define PARTITA_DIALECT_RELAX_TRANSFORMS_PASSES

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

def CanonicalizeBindings
    : RelaxFunctionPass<"canonicalize-bindings", "CanonicalizeBindings"> {
  let summary = "Drop bindings and outputs that only pass a value on";
  let description = [{
    - A name of a dimension that a `relax.match_cast` introduces for one that is
      known already is replaced by what is known, unless the function's results
      have it. It is an error when it would stand for two sizes.
    - A `relax.match_cast` to the operand's type, a `relax.tuple_get_item` of a
      `relax.tuple` and a `relax.tuple` of all fields of one give way to the
      value that they stand for.
    - A `relax.dataflow` gives only what is computed in it, once, and if it is
      used. Constants move out; a block in a block dissolves.

    Nothing else is folded or erased.

    ```mlir
    %y:3 = relax.dataflow -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32> {
      %t = relax.tuple(%x, %x) : tensor<8xf32>, tensor<8xf32>
      %0 = relax.tuple_get_item %t[1] : tuple<tensor<8xf32>, tensor<8xf32>>
      %1 = relax.exp %0 : tensor<8xf32>
      relax.output %1, %1, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
    }
    relax.return %y#1, %y#2 : tensor<8xf32>, tensor<8xf32>
    ```

    becomes

    ```mlir
    %y = relax.dataflow -> tensor<8xf32> {
      %t = relax.tuple(%x, %x) : tensor<8xf32>, tensor<8xf32>
      %1 = relax.exp %x : tensor<8xf32>
      relax.output %1 : tensor<8xf32>
    }
    relax.return %y, %x : tensor<8xf32>, tensor<8xf32>
    ```
  }];
  let statistics = [
    Statistic<"numBindings", "bindings", "Number of bindings that were aliases">,
    Statistic<"numOutputs", "outputs", "Number of dropped dataflow outputs">,
  ];
}

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_PASSES
