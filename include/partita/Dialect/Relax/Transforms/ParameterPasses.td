//===- ParameterPasses.td - Passes for weights ------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_PARAMETERPASSES
#define PARTITA_DIALECT_RELAX_TRANSFORMS_PARAMETERPASSES

include "partita/Dialect/Relax/Transforms/RelaxPassBase.td"

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

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_PARAMETERPASSES
