//===- FusionPasses.td - Passes for operator fusion --------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_FUSIONPASSES
#define PARTITA_DIALECT_RELAX_TRANSFORMS_FUSIONPASSES

include "partita/Dialect/Relax/Transforms/RelaxPassBase.td"

def AnnotateTIROpPattern
    : RelaxModulePass<"annotate-tir-op-pattern", "AnnotateTIROpPattern"> {
  let summary = "Say how each prim_func accesses its buffers";
  let description = [{
    Gives each `tir.prim_func` the attribute `op_pattern`, which FuseOps reads. A
    kernel of several blocks has the pattern of the most complex one.

    | `op_pattern` | TVM's name | what the kernel does |
    | --- | --- | --- |
    | 0 | kElemWise | reads the elements at its own indices |
    | 1 | kBroadcast | reads elements by some of its indices, in order |
    | 2 | kInjective | computes what it reads from its indices |
    | 3 | kCommReduce | reduces whole dimensions |
    | 4 | kOutEWiseFusable | is a product, a convolution, a pooling, a softmax |
    | 8 | kOpaque | does something else |

    A body of linalg is looked at as the blocks that `convert-linalg-to-tir`
    makes of it. A function whose pattern is known, and not 0, keeps it.

    ```mlir
    tir.prim_func private @relu(%a: memref<8xf32>, %b: memref<8xf32>) {
      %0 = bufferization.to_tensor %a restrict : memref<8xf32> to tensor<8xf32>
      %1 = tensor.empty() : tensor<8xf32>
      %2 = linalg.exp ins(%0 : tensor<8xf32>) outs(%1 : tensor<8xf32>)
        -> tensor<8xf32>
      bufferization.materialize_in_destination %2 in restrict writable %b
        : (tensor<8xf32>, memref<8xf32>) -> ()
      tir.return
    }
    ```

    gets `attributes {op_pattern = 0 : i64}`. It is an error when a body of
    linalg can't become blocks.

    #### Differs from TVM

    A function whose body was imported as it is, or that has none, gets no
    pattern, and is not fused.
  }];
  let statistics = [
    Statistic<"numAnnotated", "annotated", "Number of functions that got a pattern">,
  ];
}

def FuseOpsMaxDepth
    : PassConfig<"relax.FuseOps.max_depth", "int", "256",
                 "The greatest number of bindings that FuseOps makes one">;

def FuseOps : RelaxModulePass<"fuse-ops", "FuseOps"> {
  let summary = "Move kernels that can run as one into functions";
  let description = [{
    In each `relax.dataflow`, groups calls of prim_funcs by their patterns, which
    `relax-annotate-tir-op-pattern` finds: a product and the elementwise kernels
    after it, elementwise kernels up to a reduction, injective kernels. Each
    group becomes a private function with the attribute `Primitive`, from which
    FuseTIR makes one prim_func. Groups whose functions are the same share one.
    Constants are passed to the functions; sizes that no parameter gives are
    passed as the shape `tir_vars`.

    ```mlir
    %y = relax.dataflow -> tensor<4x8xf32> {
      %0 = relax.call_tir @matmul(%x, %w)
        : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      %1 = relax.call_tir @relu(%0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      relax.output %1 : tensor<4x8xf32>
    }
    ```

    becomes

    ```mlir
    %y = relax.dataflow -> tensor<4x8xf32> {
      %0 = relax.call @fused_matmul_relu(%x, %w)
        : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
      relax.output %0 : tensor<4x8xf32>
    }
    ```

    A function that has the attribute `Primitive` or `Codegen` stays. With level
    0 nothing is fused.
  }];
  let options = [
    Option<"fuseOptLevel", "fuse-opt-level", "int", /*default=*/"-1",
           "The level of fusion; -1 is the level of the PassContext">,
  ];
  let statistics = [
    Statistic<"numGroups", "groups", "Number of groups that became calls">,
    Statistic<"numFunctions", "functions", "Number of functions made">,
  ];
  let readsPassContext = 1;
}

def FuseTIRInner : RelaxModulePass<"fuse-tir-inner", "FuseTIRInner"> {
  let summary = "Make one prim_func of each function of calls";
  let description = [{
    A function with the attribute `Primitive` that consists of `relax.call_tir`
    becomes one `tir.prim_func` of the same name, and its calls become
    `relax.call_tir`. Bodies of blocks stand one after the other. The root
    block allocates buffers for results in between. Kernels of linalg stay tensors, which
    upstream's passes fuse; if the function has both, linalg becomes blocks.
    Sizes follow from the arguments: a kernel for `?` columns that gets 8 has 8.

    ```mlir
    relax.func private @fused_exp_exp(%x: tensor<8xf32>) -> tensor<8xf32>
        attributes {Primitive = true} {
      %0 = relax.call_tir @exp(%x) : (tensor<8xf32>) -> tensor<8xf32>
      %1 = relax.call_tir @exp(%0) : (tensor<8xf32>) -> tensor<8xf32>
      relax.return %1 : tensor<8xf32>
    }
    ```

    becomes

    ```mlir
    tir.prim_func private @fused_exp_exp(%x: memref<8xf32>, %out: memref<8xf32>)
        attributes {tirx.noalias = true} {
      %0 = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
      %1 = tensor.empty() : tensor<8xf32>
      %2 = linalg.exp ins(%0 : tensor<8xf32>) outs(%1 : tensor<8xf32>)
        -> tensor<8xf32>
      %3 = linalg.exp ins(%2 : tensor<8xf32>) outs(%1 : tensor<8xf32>)
        -> tensor<8xf32>
      bufferization.materialize_in_destination %3 in restrict writable %out
        : (tensor<8xf32>, memref<8xf32>) -> ()
      tir.return
    }
    ```

    Parameters that are tuples, and unused ones, must have gone: FuseTIR is this
    pass between the ones that do so, and DeadCodeElimination.

    #### Differs from TVM

    A function that can't become one prim_func stays, with a warning. TVM raises
    an error. The function stays if it has other calls, if the body of a kernel
    was imported as it is, or if a result is a parameter.
  }];
  let statistics = [
    Statistic<"numFused", "fused", "Number of functions that became prim_funcs">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FuseTIR
    : PartitaSequential<"relax-fuse-tir", "relax.transform", "FuseTIR", 0, [
        "ExpandTupleArguments", "RemoveUnusedParameters", "FuseTIRInner",
        "DeadCodeElimination"
      ]> {
  let summary = "Make one prim_func of each fused function, and clean up";
  let description = [{
    ```sh
    partita-opt --relax-fuse-tir model.mlir
    ```
  }];
}

def FuseTransposeMatmul
    : RelaxModulePass<"fuse-transpose-matmul", "FuseTransposeMatmul"> {
  let summary = "Multiply by transposed matrices without transposing them";
  let description = [{
    In each `relax.dataflow`, a `relax.matmul` whose right operand is a
    `relax.permute_dims` of the last two dimensions becomes a call of a prim_func
    that reads the operand where it is. A model has such products where its
    weights are stored as outputs times inputs. Runs before LegalizeOps, and
    after passes that give products to a library.

    ```mlir
    %y = relax.dataflow -> tensor<8x4xf32> {
      %0 = relax.permute_dims %w : tensor<4x16xf32> -> tensor<16x4xf32>
      %1 = relax.matmul %x, %0
        : tensor<8x16xf32>, tensor<16x4xf32> -> tensor<8x4xf32>
      relax.output %1 : tensor<8x4xf32>
    }
    ```

    becomes

    ```mlir
    %y = relax.dataflow -> tensor<8x4xf32> {
      %0 = relax.call_tir @NT_matmul(%x, %w)
        : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<8x4xf32>
      relax.output %0 : tensor<8x4xf32>
    }
    ```

    #### Differs from TVM

    - No composite functions are made on the way.
    - A transposed matrix that has other uses stays for them, and axes may count
      from the back. TVM fails, or leaves the product.
  }];
  let statistics = [
    Statistic<"numFused", "fused", "Number of products of transposed matrices">,
  ];
}

def FuseOpsByPattern
    : RelaxModulePass<"fuse-ops-by-pattern", "FuseOpsByPattern"> {
  let summary = "Move calls that match patterns into functions";
  let description = [{
    In each `relax.dataflow`, finds the calls that a pattern describes. Each
    match becomes a private function with the attributes `Primitive` and
    `Composite`, which is the name of the pattern. The first pattern comes first,
    and a call is in one function at most. A match that holds an earlier one of
    the same pattern takes its place.

    With `patterns="dnnl.conv2d_relu: relax.nn.relu(relax.nn.conv2d(*, *))"`,

    ```mlir
    %y = relax.dataflow -> tensor<1x8x6x6xf32> {
      %0 = relax.nn.conv2d %x, %w
        : tensor<1x3x8x8xf32>, tensor<8x3x3x3xf32> -> tensor<1x8x6x6xf32>
      %1 = relax.nn.relu %0 : tensor<1x8x6x6xf32>
      relax.output %1 : tensor<1x8x6x6xf32>
    }
    ```

    becomes

    ```mlir
    %y = relax.dataflow -> tensor<1x8x6x6xf32> {
      %0 = relax.call @fused_relax_nn_conv2d_relax_nn_relu(%x, %w)
        : (tensor<1x3x8x8xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x6x6xf32>
      relax.output %0 : tensor<1x8x6x6xf32>
    }
    ```

    `annotate-codegen` puts each function into another one, which has the
    attributes `Codegen`, the name of the pattern up to the first dot, and
    `global_symbol`.

    Patterns are `name: pattern`, with `;` between them. `relax.dpl` makes
    patterns in Python, and their `str` is this text. In a shell, the whole
    option needs single quotes around it.

    | pattern | matches |
    | --- | --- |
    | `*` | anything |
    | `relax.add` | the op, as the callee of a call |
    | `relax.add(*, const)` | a call; `relax.add(*, ...)` one with more arguments, too |
    | `const` | a constant |
    | `var`, `var<x>` | a variable; one of this name |
    | `dfv`, `dfv<x>` | a variable of a dataflow block |
    | `gv`, `gv<f>` | a function of the module; one with `f` in its name |
    | `extern`, `extern<f>` | an extern function; one of this name |
    | `tuple(*, const)` | a tuple; `unordered(*, const)` has its fields in any order |
    | `p[0]`, `p[?]` | a field of a tuple; any field |
    | `shape(1, n + 1)` | a shape as a value |
    | `number<3 : i64>` | a number |
    | `p & q`, `p \| q`, `~p` | both; one of them; not |
    | `p.dtype<f32>` | `p`, if it is a tensor of this type |
    | `p.shape(1, n)` | `p`, if it is a tensor of this shape |
    | `p.type<tensor<?x8xf32>>` | `p`, if its type is this one, or says more |
    | `p.attrs{strides = [1, 1]}` | `p`, if the call has these attributes |
    | `$x = p`, `$x` | `p`, and the same value again |

    An add or a multiply also matches with its operands in the other order. It
    is an error if the text is no such list, if the option `entry-functions`
    names no function, or, with `annotate-codegen`, if the name of a pattern has
    no dot.

    #### Differs from TVM

    Calls of several blocks are not put together, and a call that two matches
    of one pattern share stays with the first one.
  }];
  let options = [
    Option<"patterns", "patterns", "std::string", /*default=*/"\"\"",
           "The patterns in the order of their precedence: name: pattern; ..">,
    Option<"bindConstants", "bind-constants", "bool", /*default=*/"true",
           "Keep constants in the functions; otherwise they are arguments">,
    Option<"annotateCodegen", "annotate-codegen", "bool", /*default=*/"false",
           "Put the functions into others for an external compiler">,
    ListOption<"entryFunctions", "entry-functions", "std::string",
               "The only functions to look at, by name">,
    Option<"candidates", "candidates", "std::string", /*default=*/"\"\"",
           "`mark` to only give the matched calls of the first pattern an "
           "attribute, `marked` to fuse ones that have it">,
  ];
  let statistics = [
    Statistic<"numMatches", "matches", "Number of matches that became calls">,
    Statistic<"numFunctions", "functions", "Number of functions made">,
  ];
}

def MergeCompositeFunctions
    : RelaxModulePass<"merge-composite-functions", "MergeCompositeFunctions"> {
  let summary = "Give neighbours to an external compiler as one function";
  let description = [{
    Groups calls in `@main` of functions with the attribute `Composite`, which
    FuseOpsByPattern makes. A call goes with the calls that make its arguments
    if they are for the same compiler, and if no other group needs to run in
    between. Each group becomes a public function with the attributes `Codegen`
    and `global_symbol`, in which the composite functions are functions in the
    function. Functions that `@main` does not reach are erased.

    ```mlir
    %0 = relax.call @fused_relax_add(%x, %y)
      : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %1 = relax.call @fused_relax_exp(%0) : (tensor<8xf32>) -> tensor<8xf32>
    ```

    becomes, if the functions have `Composite` names that begin with `dnnl.`,

    ```mlir
    %0 = relax.call @fused_relax_add_relax_exp_dnnl(%x, %y)
      : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ```

    It is an error if there is no `relax.func @main`, or if a `Composite` name
    has no dot.

    #### Differs from TVM

    Calls of several blocks are not put together. A function that has had
    `Codegen` before keeps its name.
  }];
  let statistics = [
    Statistic<"numGroups", "groups", "Number of groups that became calls">,
    Statistic<"numFunctions", "functions", "Number of functions made">,
  ];
}

def ComputePrimValue
    : RelaxModulePass<"compute-prim-value", "ComputePrimValue"> {
  let summary = "Compute sizes that are numbers in prim_funcs";
  let description = [{
    A number that is an expression of sizes, and that a program uses as a value,
    becomes the result of a call of a `tir.prim_func` that runs on the host.

    ```mlir
    %0 = relax.dim ["n * 2"] : i64
    ```

    becomes

    ```mlir
    %0 = relax.dim ["n"] : i64
    %1 = relax.global @compute_symbolic_expr
    %2 = relax.call_value(%1, %0) : (!relax.object, i64) -> i64
    ```

    Sizes in shapes and in types stay.
  }];
  let statistics = [
    Statistic<"numComputed", "computed", "Number of sizes that became calls">,
    Statistic<"numFunctions", "functions", "Number of functions made">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::partita::tir::TIRDialect"
  ];
}

def ZeroPipeline
    : PartitaSequential<"relax-zero-pipeline", "relax.transform",
                        "ZeroPipeline", 0, [
        "FoldConstant", "LegalizeOps", "AnnotateTIROpPattern", "FuseOps",
        "FuseTIR"
      ]> {
  let summary = "Fold constants, legalize ops and fuse kernels";
  let description = [{
    TVM's pipeline `zero`, which `relax.get_pipeline("zero")` gives in Python.
    Kernels are fused in dataflow blocks; ConvertToDataflow makes these.

    ```sh
    partita-opt --relax-zero-pipeline model.mlir
    ```

    #### Differs from TVM

    FoldConstant comes first, because computing an op takes less time than
    running its kernel. TVM's comes after LegalizeOps, and runs kernels.
  }];
}

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_FUSIONPASSES
