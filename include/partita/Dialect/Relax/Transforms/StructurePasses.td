//===- StructurePasses.td - Passes for functions and devices ----*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_STRUCTUREPASSES
#define PARTITA_DIALECT_RELAX_TRANSFORMS_STRUCTUREPASSES

include "partita/Dialect/Relax/Transforms/RelaxPassBase.td"

def LambdaLift : RelaxModulePass<"lambda-lift", "LambdaLift", 1> {
  let summary = "Make functions in functions functions of the module";
  let description = [{
    A function that uses values of the code around it gets these as its last
    parameters: a `relax.make_closure` makes a value of it, and a
    `relax.invoke_pure_closure` or `relax.invoke_closure` calls that. The new
    functions are private, unless the old one has a `global_symbol`.

    ```mlir
    relax.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
      %f = relax.local_func %self(%z)
          : !relax.callable<(tensor<8xf32>) -> tensor<8xf32>> {
        %0 = relax.add %z, %z : tensor<8xf32>
        relax.yield %0 : tensor<8xf32>
      }
      %1 = relax.call_value(%f, %y) {is_pure = true}
        : (!relax.callable<(tensor<8xf32>) -> tensor<8xf32>>, tensor<8xf32>)
        -> tensor<8xf32>
      relax.return %1 : tensor<8xf32>
    }
    ```

    becomes

    ```mlir
    relax.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
      %1 = relax.call @main_f(%y) : (tensor<8xf32>) -> tensor<8xf32>
      relax.return %1 : tensor<8xf32>
    }
    relax.func private @main_f(%z: tensor<8xf32>) -> tensor<8xf32> {
      %0 = relax.add %z, %z : tensor<8xf32>
      relax.return %0 : tensor<8xf32>
    }
    ```

    It is an error when the module has a function of the name that a
    `global_symbol` is, already.

    #### Differs from TVM

    - A closure that is not pure is called as such.
    - Another name for a closure is called as a closure, too.
    - Sizes that no parameter of the new function has are passed as a shape.
  }];
  let statistics = [
    Statistic<"numLifted", "lifted", "Number of lifted functions">,
  ];
  let dependentDialects = ["::partita::relax::RelaxDialect"];
}

def InlinePrivateFunctions
    : RelaxModulePass<"inline-private-functions", "InlinePrivateFunctions"> {
  let summary = "Put bodies of private functions in the place of calls";
  let description = [{
    A private function that does not call itself, also not through others, goes
    with its calls. Afterwards, bindings that only pass values on, and code that
    nothing uses, are dropped in functions that have changed.

    ```mlir
    relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = relax.call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
      relax.return %0 : tensor<4xf32>
    }
    relax.func private @twice(%a: tensor<?xf32, #relax.shape<["n"]>>)
        -> tensor<?xf32, #relax.shape<["n"]>> {
      %0 = relax.add %a, %a : tensor<?xf32, #relax.shape<["n"]>>
      relax.return %0 : tensor<?xf32, #relax.shape<["n"]>>
    }
    ```

    becomes

    ```mlir
    relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = relax.add %x, %x : tensor<4xf32>
      relax.return %0 : tensor<4xf32>
    }
    ```

    #### Differs from TVM

    - A function that is used as a value stays.
    - A call in a dataflow block stays if the function has control flow or side
      effects, and so does a call whose arguments do not say a size that the
      function has.
  }];
  let statistics = [
    Statistic<"numCalls", "calls", "Number of inlined calls">,
    Statistic<"numFunctions", "functions", "Number of erased functions">,
  ];
}

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
    have plain ones. The type of an `if` keeps its sizes, where TVM infers a type
    with the rank alone.
  }];
  let statistics = [
    Statistic<"numCalls", "calls", "Number of calls that became plain">,
  ];
}

//===----------------------------------------------------------------------===//
// Parameters and results
//===----------------------------------------------------------------------===//

def RemoveUnusedParameters
    : RelaxModulePass<"remove-unused-parameters", "RemoveUnusedParameters"> {
  let summary = "Drop parameters of private functions that nothing uses";
  let description = [{
    Sizes that only the dropped parameters have become parameters, as shapes.
    Code that only computed dropped arguments goes.

    ```mlir
    %0 = relax.call @f(%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    // with
    relax.func private @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
      relax.return %a : tensor<8xf32>
    }
    ```

    becomes

    ```mlir
    %0 = relax.call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
    // with
    relax.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      relax.return %a : tensor<8xf32>
    }
    ```

    #### Differs from TVM

    - A function that is used as a value stays as it is.
    - A parameter whose size is needed stays, if a call does not say the size.
  }];
  let statistics = [
    Statistic<"numParameters", "parameters", "Number of dropped parameters">,
  ];
  let dependentDialects = ["::partita::relax::RelaxDialect"];
}

def RemoveUnusedOutputsInner
    : RelaxModulePass<"remove-unused-outputs-inner",
                      "RemoveUnusedOutputsInner"> {
  let summary = "Drop results of private functions that no call uses";
  let description = [{
    The first part of `relax-remove-unused-outputs`, which then cleans up.

    ```mlir
    %0:2 = relax.call @f(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>)
    %1 = relax.exp %0#0 : tensor<8xf32>
    ```

    becomes

    ```mlir
    %0 = relax.call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = relax.exp %0 : tensor<8xf32>
    ```

    #### Differs from TVM

    A function that is used as a value stays as it is.
  }];
  let statistics = [
    Statistic<"numOutputs", "outputs", "Number of dropped results">,
  ];
}

def RemoveUnusedOutputs
    : PartitaSequential<"relax-remove-unused-outputs", "relax.transform",
                        "RemoveUnusedOutputs", 0,
                        ["RemoveUnusedOutputsInner",
                         "relax.transform.CanonicalizeBindings",
                         "relax.transform.DeadCodeElimination"]> {
  let summary = "Drop results of private functions, and what computes them";
  let description = [{
    Drops results that no call uses, bindings that only pass values on, and what
    nothing uses then.

    ```sh
    partita-opt --relax-remove-unused-outputs model.mlir
    ```
  }];
}

def ExpandTupleArgumentsInner
    : RelaxModulePass<"expand-tuple-arguments-inner",
                      "ExpandTupleArgumentsInner"> {
  let summary = "Pass fields of tuples to private functions one by one";
  let description = [{
    The first part of `relax-expand-tuple-arguments`, which then cleans up.

    ```mlir
    %t = relax.tuple(%x, %y) : tensor<8xf32>, tensor<8xf32>
    %0 = relax.call @f(%t) : (tuple<tensor<8xf32>, tensor<8xf32>>) -> tensor<8xf32>
    ```

    becomes

    ```mlir
    %t = relax.tuple(%x, %y) : tensor<8xf32>, tensor<8xf32>
    %a = relax.tuple_get_item %t[0] : tuple<tensor<8xf32>, tensor<8xf32>>
    %b = relax.tuple_get_item %t[1] : tuple<tensor<8xf32>, tensor<8xf32>>
    %0 = relax.call @f(%a, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ```

    #### Differs from TVM

    A function that is used as a value stays as it is.
  }];
  let statistics = [
    Statistic<"numTuples", "tuples", "Number of expanded parameters">,
  ];
  let dependentDialects = ["::partita::relax::RelaxDialect"];
}

def ExpandTupleArguments
    : PartitaSequential<"relax-expand-tuple-arguments", "relax.transform",
                        "ExpandTupleArguments", 0,
                        ["ExpandTupleArgumentsInner",
                         "relax.transform.CanonicalizeBindings",
                         "relax.transform.DeadCodeElimination"]> {
  let summary = "Pass fields of tuples to private functions one by one";
  let description = [{
    Afterwards drops bindings that only pass values on, and what nothing uses.

    ```sh
    partita-opt --relax-expand-tuple-arguments model.mlir
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

def TopologicalSort
    : RelaxFunctionPass<"topological-sort", "TopologicalSort"> {
  let summary = "Sort the ops of dataflow blocks";
  let description = [{
    An op comes after its operands. Of the ops that can come next, depth first
    takes a user of the last one, and breadth first the one that could come for
    the longest time. From the outputs, the same is done backwards.

    ```mlir
    %a = relax.add %x, %y : tensor<8xf32>
    %b = relax.add %x, %z : tensor<8xf32>
    %c = relax.exp %a : tensor<8xf32>
    %d = relax.exp %b : tensor<8xf32>
    ```

    becomes, depth first,

    ```mlir
    %a = relax.add %x, %y : tensor<8xf32>
    %c = relax.exp %a : tensor<8xf32>
    %b = relax.add %x, %z : tensor<8xf32>
    %d = relax.exp %b : tensor<8xf32>
    ```

    It is an error if an option has another value.

    #### Differs from TVM

    - A name of a size comes before what uses it.
    - A block with side effects stays as it is.
  }];
  let options = [
    Option<"order", "order", "std::string", /*default=*/"\"depth-first\"",
           "depth-first or breadth-first">,
    Option<"direction", "direction", "std::string",
           /*default=*/"\"from-inputs\"", "from-inputs or from-outputs">,
  ];
  let statistics = [
    Statistic<"numBlocks", "blocks", "Number of sorted blocks">,
  ];
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

def RealizeVDevice : RelaxModulePass<"realize-vdevice", "RealizeVDevice"> {
  let summary = "Say of each tensor on which device it is";
  let description = [{
    The device of one tensor is the device of all that are computed with it. It is
    known from types, from the function's results, and from
    `relax.hint_on_device`, which names a device of the module's global infos by
    DLPack's type, its number and its memory. A hint becomes a copy to the device,
    a `relax.to_vdevice`, unless the tensor is there.

    ```mlir
    relax.func @f(%x: tensor<8xf32>, %y: !relax.tensor<[8], f32, vdevice = 0>)
        -> tensor<8xf32> {
      %0 = relax.add %x, %y
        : tensor<8xf32>, !relax.tensor<[8], f32, vdevice = 0> -> tensor<8xf32>
      relax.return %0 : tensor<8xf32>
    }
    ```

    becomes

    ```mlir
    relax.func @f(%x: !relax.tensor<[8], f32, vdevice = 0>,
                  %y: !relax.tensor<[8], f32, vdevice = 0>)
        -> !relax.tensor<[8], f32, vdevice = 0> {
      %0 = relax.add %x, %y : !relax.tensor<[8], f32, vdevice = 0>
      relax.return %0 : !relax.tensor<[8], f32, vdevice = 0>
    }
    ```

    It is an error when a hint names no device of the module.
  }];
  let statistics = [
    Statistic<"numTensors", "tensors", "Number of tensors with a new device">,
    Statistic<"numCopies", "copies", "Number of hints that became copies">,
  ];
  let dependentDialects = ["::partita::relax::RelaxDialect"];
}

def UpdateVDevice : RelaxModulePass<"update-vdevice", "UpdateVDevice"> {
  let summary = "Replace a device of a module by another one";
  let description = [{
    In the global infos, and in types that have the device itself.

    ```mlir
    partita.module attributes {global_infos = {vdevice = [
      {memory_scope = "global", target = {kind = "llvm"}, vdevice_id = 0 : i64} ]}} {}
    ```

    becomes with
    `new-vdevice={memory_scope="global",target={kind="cuda"},vdevice_id=0}`

    ```mlir
    partita.module attributes {global_infos = {vdevice = [
      {memory_scope = "global", target = {kind = "cuda"}, vdevice_id = 0 : i64} ]}} {}
    ```

    It is an error when the module has no device of this index, or when
    `new-vdevice` is no device.

    #### Differs from TVM

    In Python, `new_vdevice` is a VDevice, as in TVM.
  }];
  let options = [
    Option<"newVDevice", "new-vdevice", "std::string", /*default=*/"\"\"",
           "The new device, as an attribute">,
    Option<"index", "index", "int64_t", /*default=*/"0",
           "The place of the old device in the module's global infos">,
  ];
  let statistics = [
    Statistic<"numDevices", "devices", "Number of replaced devices">,
  ];
  let dependentDialects = ["::partita::relax::RelaxDialect"];
}

def ToANormalForm
    : PartitaSequential<"relax-to-a-normal-form", "relax.transform",
                        "ToANormalForm", 1, ["Normalize"]> {
  let summary = "Normalize under its name in TVM's documents";
  let description = [{
    ```sh
    partita-opt --relax-to-a-normal-form model.mlir
    ```

    #### Differs from TVM

    - Only TVM's document on its pass infrastructure has this name.
  }];
}

def SimplifyInference
    : PartitaSequential<"relax-simplify-inference", "relax.transform",
                        "SimplifyInference", 0, ["DecomposeOpsForInference"]> {
  let summary = "DecomposeOpsForInference under its name in TVM's documents";
  let description = [{
    ```sh
    partita-opt --relax-simplify-inference model.mlir
    ```

    #### Differs from TVM

    - Only TVM's document on its pass infrastructure has this name.
  }];
}

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_STRUCTUREPASSES
