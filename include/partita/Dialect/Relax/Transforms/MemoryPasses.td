//===- MemoryPasses.td - Passes for buffers and their plan -------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_MEMORYPASSES
#define PARTITA_DIALECT_RELAX_TRANSFORMS_MEMORYPASSES

include "partita/Dialect/Relax/Transforms/RelaxPassBase.td"

def CallTIRRewrite : RelaxModulePass<"call-tir-rewrite", "CallTIRRewrite"> {
  let summary = "Allocate the results of call_tir before the call";
  let description = [{
    Turns each `relax.call_tir`, `relax.call_tir_inplace` and
    `relax.call_dps_packed` into a `relax.builtin.alloc_tensor` for each result
    and a call that gets these tensors as its last arguments. A result that is
    written in place is the argument. It is an error if a result has no shape, or
    if such a call is in a `relax.dataflow` of a function without
    `relax.force_pure`: the new call has side effects.

    ```mlir
    %y = relax.call_tir @exp(%x) : (tensor<8xf32>) -> tensor<8xf32>
    ```

    becomes

    ```mlir
    %0 = relax.shape [8]
    %1 = relax.dtype f32
    %2 = relax.prim_value 0 : i64
    %3 = relax.string "global"
    %alloc = relax.builtin.alloc_tensor %0, %1, %2, %3
      {relax.ty_args = [tensor<8xf32>]}
      : (!relax.shape<[8]>, !relax.object, i64, !relax.object) -> tensor<8xf32>
    %4 = relax.global @exp
    %_ = relax.call_value(%4, %x, %alloc)
      : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> tuple<>
    %y = relax.alias %alloc : tensor<8xf32>
    ```
  }];
  let statistics = [
    Statistic<"numCalls", "calls", "Number of rewritten calls">,
  ];
}

def DataflowUseInplaceCalls
    : RelaxModulePass<"dataflow-use-inplace-calls",
                      "DataflowUseInplaceCalls"> {
  let summary = "Let elementwise ops overwrite operands that end with them";
  let description = [{
    In a `relax.dataflow`, turns `relax.add`, `relax.subtract`,
    `relax.multiply`, `relax.divide`, `relax.nn.relu` and `relax.nn.silu` into
    a `relax.call_tir_inplace` of a new prim_func, if an operand has the shape and
    element type of the result, nothing uses the operand's memory after the op,
    and the memory was allocated in the block. Constants, parameters and values
    from before the block are never overwritten.

    ```mlir
    %0 = relax.exp %x : tensor<8xf32>
    %1 = relax.add %0, %y : tensor<8xf32>
    ```

    becomes

    ```mlir
    %0 = relax.exp %x : tensor<8xf32>
    %2 = relax.global @add_inplace
    %3 = relax.tuple(%0, %y) : tensor<8xf32>, tensor<8xf32>
    %1 = relax.call_tir_inplace(%2, %3)
      "relax.attrs.CallTIRInplaceAttrs" {inplace_indices = array<i64: 0>}
      ty_args = [tensor<8xf32>]
      : (!relax.object, tuple<tensor<8xf32>, tensor<8xf32>>) -> tensor<8xf32>
    ```

    #### Differs from TVM

    - The pass has the name of its function. TVM calls it
      DataflowInsertInPlaceCalls.
    - A tensor that is in a tuple which is used later is not overwritten, nor one
      that can share the memory of a parameter, such as its `relax.reshape`.
    - Of several operands that can be overwritten, the first one is.
    - The prim_func is made as by `relax-legalize-ops`.
  }];
  let statistics = [
    Statistic<"numOps", "ops", "Number of ops that overwrite an operand">,
  ];
}

def KillAfterLastUse
    : RelaxFunctionPass<"kill-after-last-use", "KillAfterLastUse"> {
  let summary = "Free tensors, storage and objects after their last use";
  let description = [{
    Canonicalizes bindings as `relax-canonicalize-bindings` does, and drops
    aliases that nothing uses. Then each value that an op of the function
    computes is freed after the last op that uses it: a tensor by
    `relax.memory.kill_tensor`, storage by `relax.memory.kill_storage`, and a
    tuple or another object by `relax.vm.kill_object`. Values that leave their
    block, and ones that a function in the function uses, stay; so do constants,
    numbers, shapes, functions, and values that are freed already.

    ```mlir
    %1 = relax.memory.alloc_tensor %storage, %0, %s, %t, %d
      : (!relax.object, i64, !relax.shape<[8]>, !relax.object, i64) -> tensor<8xf32>
    %2 = relax.call_value(%f, %1, %x)
      : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> tuple<>
    ```

    becomes

    ```mlir
    %1 = relax.memory.alloc_tensor %storage, %0, %s, %t, %d
      : (!relax.object, i64, !relax.shape<[8]>, !relax.object, i64) -> tensor<8xf32>
    %2 = relax.call_value(%f, %1, %x)
      : (!relax.object, tensor<8xf32>, tensor<8xf32>) -> tuple<>
    relax.memory.kill_tensor %1 : tensor<8xf32>
    ```

    #### Differs from TVM

    - A value whose last use is in a branch is freed after the branches, and what
      is used after a `relax.if` is freed, too. TVM frees neither.
    - In a `relax.dataflow` values are freed only in a function with
      `relax.force_pure`.
    - The results of an op of several are not freed together; the variables of
      single results are.
  }];
  let statistics = [
    Statistic<"numKilled", "killed", "Number of values that are freed">,
  ];
}

def LowerAllocTensor
    : RelaxFunctionPass<"lower-alloc-tensor", "LowerAllocTensor"> {
  let summary = "Give each remaining alloc_tensor its own storage";
  let description = [{
    Turns each `relax.builtin.alloc_tensor` of known shape and element type into
    a `relax.memory.alloc_storage` of as many bytes, and a
    `relax.memory.alloc_tensor` in it. Run `relax-static-plan-block-memory`
    before to share storage.

    ```mlir
    %y = relax.builtin.alloc_tensor %s, %t, %d, %g
      : (!relax.shape<["n"]>, !relax.object, i64, !relax.object)
      -> tensor<?xf32, #relax.shape<["n"]>>
    ```

    becomes

    ```mlir
    %0 = relax.shape ["4 * n"]
    %1 = relax.dtype ui8
    %storage = relax.memory.alloc_storage %0, %d, %g, %1
      : (!relax.shape<["4 * n"]>, i64, !relax.object, !relax.object)
      -> !relax.object
    %2 = relax.prim_value 0 : i64
    %y = relax.memory.alloc_tensor %storage, %2, %s, %t, %d
      : (!relax.object, i64, !relax.shape<["n"]>, !relax.object, i64)
      -> tensor<?xf32, #relax.shape<["n"]>>
    ```

    #### Differs from TVM

    - An allocation whose shape or element type is not known, or that has more
      than 2^63 bytes, is left alone. TVM fails.
    - An image of OpenCL is as large as its elements.
  }];
  let statistics = [
    Statistic<"numLowered", "lowered", "Number of lowered allocations">,
  ];
}

def RewriteDataflowReshape
    : RelaxModulePass<"rewrite-dataflow-reshape", "RewriteDataflowReshape"> {
  let summary = "Turn calls of prim_funcs that only reshape into reshape";
  let description = [{
    In a `relax.dataflow`, replaces a `relax.call_tir` of a prim_func that copies
    the elements of one buffer to another in their row-major order by a
    `relax.reshape`, which a runtime does without a copy. The prim_func reads one
    of the tensor arguments alone. Results that leave the block stay calls. The
    bodies that are understood are nests of loops around one block that copies an
    element, with indices made of sums, products, `floordiv` and `floormod`, and
    bodies that `relax-legalize-ops` makes.

    ```mlir
    %0 = relax.call_tir @reshape(%x) : (tensor<8x3xf32>) -> tensor<2x4x3xf32>
    ```

    becomes

    ```mlir
    %1 = relax.shape [2, 4, 3]
    %0 = relax.reshape %x, %1 : tensor<8x3xf32> -> tensor<2x4x3xf32>
    ```

    #### Differs from TVM

    It is a pass on the module, since it reads prim_funcs. The prim_func of a call
    may be any that does not reshape, also one without a body.
  }];
  let statistics = [
    Statistic<"numReshapes", "reshapes", "Number of calls that are a reshape">,
  ];
}

def StaticPlanBlockMemory
    : RelaxModulePass<"static-plan-block-memory", "StaticPlanBlockMemory"> {
  let summary = "Let tensors share storage when one ends before the next begins";
  let description = [{
    Turns `relax.builtin.alloc_tensor` into `relax.memory.alloc_tensor` in a
    `relax.memory.alloc_storage`, which a tensor of the same element type and
    scope takes over after the last use of the tensor before it. Storage of the
    next larger size is preferred, up to 16 times as large; otherwise the largest
    that is at most 16 times smaller grows.

    A tensor stays as it is if it leaves the function or the branch, if it is used
    outside of the block that allocates it (a `relax.dataflow`, or the ops between
    two of them), or if an op other than a call of a prim_func or of an extern
    function uses it.

    A name of a dimension in the function's signature has at most the size that
    the function's attribute `tir_var_upper_bound` says, and at least the one that
    `tir_var_lower_bound` says; the names in `tir_non_negative_var` are not negative. A
    tensor whose size is not bounded shares storage with tensors of the same size
    alone. With `relax.memory_plan_dynamic_func_output`, the tensors of symbolic
    size that stay get storage of their own, as large as they can be. It is an
    error if one of these attributes has values of another kind.

    ```mlir
    %x = relax.builtin.alloc_tensor %0, %1, %2, %3
      : (!relax.shape<[2, 4]>, !relax.object, i64, !relax.object) -> tensor<2x4xf32>
    %5 = relax.call_value(%f, %arg, %x)
      : (!relax.object, tensor<2x4xf32>, tensor<2x4xf32>) -> tuple<>
    ```

    becomes

    ```mlir
    %6 = relax.shape [32]
    %storage = relax.memory.alloc_storage %6, %2, %3, %1
      : (!relax.shape<[32]>, i64, !relax.object, !relax.object) -> !relax.object
    %7 = relax.prim_value 0 : i64
    %x = relax.memory.alloc_tensor %storage, %7, %0, %1, %2
      : (!relax.object, i64, !relax.shape<[2, 4]>, !relax.object, i64)
      -> tensor<2x4xf32>
    %5 = relax.call_value(%f, %arg, %x)
      : (!relax.object, tensor<2x4xf32>, tensor<2x4xf32>) -> tuple<>
    ```

    #### Differs from TVM

    - Storage from a branch, a dataflow block or a function in the function is
      used there alone.
    - The value of a `relax.match_cast` is the same tensor as its operand.
    - An image of OpenCL is as large as its elements.
    - A bound that follows from the expression of a size is used even if TVM's
      analysis does not find it.
  }];
  let statistics = [
    Statistic<"numTensors", "tensors", "Number of planned tensors">,
    Statistic<"numStorages", "storages", "Number of pieces of storage for them">,
  ];
}

def DefaultBuildPipeline
    : PartitaSequential<"relax-default-build-pipeline", "relax.transform",
                        "DefaultBuildPipeline", 0, [
        "DispatchSampling", "DispatchSortScan", "LegalizeOps",
        "RewriteDataflowReshape",
        "ToNonDataflow", "RemovePurityChecking", "CallTIRRewrite",
        "StaticPlanBlockMemory", "LowerAllocTensor", "KillAfterLastUse",
        "ComputePrimValue", "AttachGlobalSymbol"
      ]> {
  let summary = "Legalize ops and plan memory, up to TVM's virtual machine";
  let description = [{
    TVM's pipeline `default_build`, which `relax.get_pipeline("default_build")`
    gives in Python, without the passes for TVM's virtual machine and for GPUs.
    TVM's LowerRuntimeBuiltin and VMShapeLower can run on the exported result.

    ```sh
    partita-opt --relax-default-build-pipeline model.mlir
    ```
  }];
}

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_MEMORYPASSES
