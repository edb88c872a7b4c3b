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
// Weights
//===----------------------------------------------------------------------===//

def LiftConsumesParams
    : PassConfig<"relax.lift_transform_params.consume_params", "bool", "false",
                 "Whether the function of LiftTransformParams that transforms "
                 "weights releases each of them after taking it">;

def LiftTransformParams
    : RelaxModulePass<"lift-transform-params", "LiftTransformParams"> {
  let summary = "Compute what depends on weights alone in a function of its own";
  let description = [{
    The parameters of a function after its first `num_input` ones are weights. The
    pass moves what dataflow blocks compute from weights alone to a function
    `@NAME_transform_params`, which takes the weights as a tuple and gives what
    `@NAME` then takes in their place: the weights that it still needs, and the
    moved values. A `relax.builtin.stop_lift_params` keeps an op where it is, and
    goes. Code that depends on no weight stays.

    With `shared-transform`, all functions share one `@transform_params`, which
    computes what all of them compute from their weights; `shared-functions` names
    the functions, and the others stay as they are. The functions must have as many
    weights, of the same types.

    Weights of a function that was lifted before go through the old function
    first. In the end, functions in functions are lifted as by `relax-lambda-lift`.

    ```mlir
    relax.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32>
        attributes {num_input = 1 : i64} {
      %y = relax.dataflow -> tensor<4x4xf32> {
        %wt = relax.permute_dims %w : tensor<4x4xf32>
        %0 = relax.matmul %x, %wt : tensor<4x4xf32>
        relax.output %0 : tensor<4x4xf32>
      }
      relax.return %y : tensor<4x4xf32>
    }
    ```

    becomes

    ```mlir
    relax.func @main(%x: tensor<4x4xf32>, %wt: tensor<4x4xf32>) -> tensor<4x4xf32>
        attributes {num_input = 1 : i64} {
      %y = relax.dataflow -> tensor<4x4xf32> {
        %0 = relax.matmul %x, %wt : tensor<4x4xf32>
        relax.output %0 : tensor<4x4xf32>
      }
      relax.return %y : tensor<4x4xf32>
    }
    relax.func @main_transform_params(%model_params: tuple<tensor<4x4xf32>>)
        -> tuple<tensor<4x4xf32>> attributes {num_input = 0 : i64} {
      %output_tuple = relax.dataflow -> tuple<tensor<4x4xf32>> {
        %w = relax.tuple_get_item %model_params[0] : tuple<tensor<4x4xf32>>
        %wt = relax.permute_dims %w : tensor<4x4xf32>
        %0 = relax.tuple(%wt) : tensor<4x4xf32>
        relax.output %0 : tuple<tensor<4x4xf32>>
      }
      relax.return %output_tuple : tuple<tensor<4x4xf32>>
    }
    ```

    It is an error when `num_input` is no number of parameters, when functions do not
    share their weights' types, or when `shared-functions` names something else.

    #### Differs from TVM

    - In Python, `shared_transform` is a bool, or a list of names, as in TVM.
    - A lifted value that the function returns is an output.
    - Only what each of the functions computes is shared. TVM counts how often it
      is computed in all.
    - A function without a body stays, and so does one that import has kept.
    - Names of sizes that weights do not introduce are left out of their types.
  }];
  let options = [
    Option<"sharedTransform", "shared-transform", "bool", /*default=*/"false",
           "Make one function for all">,
    ListOption<"sharedFunctions", "shared-functions", "std::string",
               "The functions that share one function">,
  ];
  let statistics = [
    Statistic<"numLifted", "lifted", "Number of lifted ops">,
  ];
  let readsPassContext = 1;
  let dependentDialects = ["::partita::relax::RelaxDialect"];
}

def BundleModelParams
    : RelaxModulePass<"bundle-model-params", "BundleModelParams", 1> {
  let summary = "Pass weights as one tuple";
  let description = [{
    The parameters of a function after its first `num_input` ones become the
    fields of one parameter. A field is taken where it is used; a number that is
    a size, at the start of the function.

    ```mlir
    relax.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32>
        attributes {num_input = 1 : i64} {
      %0 = relax.add %a, %b : tensor<8xf32>
      relax.return %0 : tensor<8xf32>
    }
    ```

    becomes

    ```mlir
    relax.func @main(%a: tensor<8xf32>, %model_params: tuple<tensor<8xf32>>)
        -> tensor<8xf32> attributes {num_input = 1 : i64} {
      %b = relax.tuple_get_item %model_params[0] : tuple<tensor<8xf32>>
      %0 = relax.add %a, %b : tensor<8xf32>
      relax.return %0 : tensor<8xf32>
    }
    ```

    It is an error when `num_input` is negative or more than there are
    parameters, and when another function calls this one.
  }];
  let options = [
    Option<"paramTupleName", "param-tuple-name", "std::string",
           /*default=*/"\"model_params\"", "The name of the tuple">,
  ];
  let statistics = [
    Statistic<"numBundled", "bundled", "Number of parameters that became fields">,
  ];
  let dependentDialects = ["::partita::relax::RelaxDialect"];
}

def LazyGetInput : RelaxFunctionPass<"lazy-get-input", "LazyGetInput"> {
  let summary = "Get weights by calls when they are needed";
  let description = [{
    The parameters of a public function after its first `num_input` ones give
    way to one, a function that gives them by their number and name. It is called
    before the first use.

    ```mlir
    relax.func @transform_params(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = relax.exp %a : tensor<8xf32>
      relax.return %0 : tensor<8xf32>
    }
    ```

    becomes

    ```mlir
    relax.func @transform_params(
        %fget_param: !relax.callable<(i64, !relax.object) -> !relax.object>)
        -> tensor<8xf32> attributes {num_input = 1 : i64} {
      %i = relax.prim_value 0 : i64
      %name = relax.string "a"
      %a_untyped = relax.call_value(%fget_param, %i, %name) {is_pure = true}
        : (!relax.callable<(i64, !relax.object) -> !relax.object>, i64, !relax.object)
        -> !relax.object
      %a = relax.match_cast %a_untyped : !relax.object -> tensor<8xf32>
      %0 = relax.exp %a : tensor<8xf32>
      relax.return %0 : tensor<8xf32>
    }
    ```

    #### Differs from TVM

    - A weight is also got where only a size in its type is used.
    - Equal ops are not merged.
  }];
  let statistics = [
    Statistic<"numInputs", "inputs", "Number of parameters replaced">,
  ];
}

def LazySetOutput : RelaxFunctionPass<"lazy-set-output", "LazySetOutput"> {
  let summary = "Give results by calls when they are known";
  let description = [{
    A public function gets a parameter, after its first `num_input` ones or as
    the last one: a function that takes the results, each with its number. It is
    called when a result has been computed; the function returns nothing.

    ```mlir
    relax.func @transform_params(%a: tensor<8xf32>) -> tensor<8xf32> {
      %0 = relax.exp %a : tensor<8xf32>
      relax.return %0 : tensor<8xf32>
    }
    ```

    becomes

    ```mlir
    relax.func @transform_params(%a: tensor<8xf32>,
        %fset_output: !relax.callable<(i64, !relax.object) -> tuple<>, impure>)
        attributes {is_pure = false} {
      %0 = relax.exp %a : tensor<8xf32>
      %i = relax.prim_value 0 : i64
      %_void = relax.call_value(%fset_output, %i, %0)
        : (!relax.callable<(i64, !relax.object) -> tuple<>, impure>, i64, tensor<8xf32>)
        -> tuple<>
      relax.return
    }
    ```

    #### Differs from TVM

    A result of a dataflow block is given after the block, since the call has a
    side effect.
  }];
  let statistics = [
    Statistic<"numOutputs", "outputs", "Number of results replaced">,
  ];
}

def LazyTransformParams
    : RelaxModulePass<"lazy-transform-params", "LazyTransformParams"> {
  let summary = "Load weights one by one where a function transforms them";
  let description = [{
    In each function whose name ends with `transform_params`: a weight is got by
    a call of an extern function when it is needed and released after its last
    use, and a result is given to an extern function when it is no longer needed.
    The weights are the parameters after the first `num_input` ones, or the fields
    of the one that there is. Results are given if the function returns a variable
    that is a tuple. Run `relax-to-non-dataflow` and
    `relax-remove-purity-checking` before.

    ```mlir
    relax.func @transform_params(%params: tuple<tensor<8xf32>>)
        -> tuple<tensor<8xf32>> {
      %w = relax.tuple_get_item %params[0] : tuple<tensor<8xf32>>
      %wt = relax.exp %w : tensor<8xf32>
      %t = relax.tuple(%wt) : tensor<8xf32>
      relax.return %t : tuple<tensor<8xf32>>
    }
    ```

    becomes

    ```mlir
    relax.func @transform_params() attributes {is_pure = false} {
      %0 = relax.extern_func "get_item"
      %1 = relax.prim_value 0 : i64
      %gv = relax.call_value(%0, %1) ty_args = [!relax.object]
        : (!relax.object, i64) -> !relax.object
      %gv1 = relax.match_cast %gv : !relax.object -> tensor<8xf32>
      %w = relax.alias %gv1 : tensor<8xf32>
      %wt = relax.exp %w : tensor<8xf32>
      relax.vm.kill_object %w : tensor<8xf32>
      %2 = relax.extern_func "set_item"
      %3 = relax.prim_value 0 : i64
      %_ = relax.call_value(%2, %3, %wt) ty_args = [!relax.object]
        : (!relax.object, i64, tensor<8xf32>) -> !relax.object
      %t = relax.tuple()
      relax.return
    }
    ```

    It is an error when `num_input` is no number of parameters, or when a tuple of
    weights is used whole.

    #### Differs from TVM

    - In Python, the extra parameters are variables, as in TVM.
    - A parameter that two branches use is got in each of them.
    - A dataflow block is dissolved.
    - A constant that is a result is given at the end.
  }];
  let options = [
    Option<"fgetItem", "fget-item", "std::string", /*default=*/"\"get_item\"",
           "The function that gives a weight by its number">,
    Option<"fsetItem", "fset-item", "std::string", /*default=*/"\"set_item\"",
           "The function that takes the number of a result, and the result; none "
           "if empty">,
    ListOption<"extraGetItemParams", "extra-get-item-params", "std::string",
               "Parameters to pass to fget-item first: names, or name:type">,
    ListOption<"extraSetItemParams", "extra-set-item-params", "std::string",
               "Parameters to pass to fset-item first: names, or name:type">,
  ];
  let statistics = [
    Statistic<"numFunctions", "functions", "Number of functions changed">,
  ];
  let dependentDialects = ["::partita::relax::RelaxDialect"];
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

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
    have plain ones.
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

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_STRUCTUREPASSES
