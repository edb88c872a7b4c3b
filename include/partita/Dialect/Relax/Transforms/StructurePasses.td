//===- StructurePasses.td - Passes for functions, parameters and devices -*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_STRUCTUREPASSES
#define PARTITA_DIALECT_RELAX_TRANSFORMS_STRUCTUREPASSES

include "partita/Dialect/Relax/Transforms/RelaxPassBase.td"

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

def NormalizeGlobalVar
    : RelaxModulePass<"normalize-global-var", "NormalizeGlobalVar"> {
  let summary = "Give public functions the names that others know them by";
  let description = [{
    A function with a `global_symbol` gets that name. Private functions whose
    names are taken then get others.

    ```mlir
    relax.func private @f() -> !relax.shape<[1]>
    relax.func @f1() -> !relax.shape<[2]> attributes {global_symbol = "f"}
    ```

    becomes

    ```mlir
    relax.func private @f1() -> !relax.shape<[1]>
    relax.func @f() -> !relax.shape<[2]> attributes {global_symbol = "f"}
    ```

    It is an error when two functions have the same `global_symbol`.
  }];
  let statistics = [
    Statistic<"numRenamed", "renamed", "Number of renamed functions">,
  ];
}

def AttachGlobalSymbol
    : RelaxModulePass<"attach-global-symbol", "AttachGlobalSymbol"> {
  let summary = "Make all functions public";
  let description = [{
    Each function gets its name as its `global_symbol`. If the module has a
    `system_lib_prefix`, names of prim_funcs begin with that.

    ```mlir
    relax.func private @f() -> !relax.shape<[1]>
    ```

    becomes

    ```mlir
    relax.func @f() -> !relax.shape<[1]> attributes {global_symbol = "f"}
    ```

    It is an error when a new name is another function's.
  }];
  let statistics = [
    Statistic<"numFunctions", "functions", "Number of changed functions">,
  ];
}

def RemovePurityChecking
    : RelaxFunctionPass<"remove-purity-checking", "RemovePurityChecking"> {
  let summary = "Let pure functions have side effects inside";
  let description = [{
    A pure function gets `relax.force_pure`: it is taken for pure whatever is in
    it. Calls that only say of an impure function that it is pure are plain calls.
    Run `relax-to-non-dataflow` before.

    ```mlir
    %f = relax.extern_func "f"
    %0 = relax.call_pure_packed(%f, %x) ty_args = [tensor<8xf32>]
      : (!relax.object, tensor<8xf32>) -> tensor<8xf32>
    ```

    becomes

    ```mlir
    %f = relax.extern_func "f"
    %0 = relax.call_value(%f, %x) ty_args = [tensor<8xf32>]
      : (!relax.object, tensor<8xf32>) -> tensor<8xf32>
    ```

    #### Differs from TVM

    In a dataflow block of an impure function, calls stay, as the block cannot
    have plain ones.
  }];
  let statistics = [
    Statistic<"numCalls", "calls", "Number of calls that became plain">,
  ];
}

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_STRUCTUREPASSES
