//===- LoopPasses.td - Passes for loops ----------------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_TIR_TRANSFORMS_LOOPPASSES
#define PARTITA_DIALECT_TIR_TRANSFORMS_LOOPPASSES

include "partita/Dialect/TIR/Transforms/TIRPassBase.td"

def UnrollLoopConfig
    : PassConfig<"tir.UnrollLoop", "UnrollLoopConfig", "{}",
                 "Which loops the pass tir.UnrollLoop unrolls", [
  ConfigField<"auto_max_step", "int", "0",
              "Unroll loops of at most this many stores and calls">,
  ConfigField<"auto_max_depth", "int", "8",
              "Unroll loops with at most this many unrolled loops in them">,
  ConfigField<"auto_max_extent", "int", "0",
              "Unroll loops of at most this many iterations">,
  ConfigField<"explicit_unroll", "bool", "true",
              "Unroll in the IR; otherwise mark loops for later">,
  ConfigField<"unroll_local_access", "bool", "false",
              "Unroll loops whose variable indexes memory of scope local or warp">,
]>;

def UnrollLoop : TIRPrimFuncPass<"unroll-loop", "UnrollLoop"> {
  let summary = "Unroll loops that are marked or short";
  let description = [{
    Unrolls each `scf.for` that is marked `tir.kind = "unrolled"` and each
    `tir.for` of this kind. It also unrolls each serial loop for which all of
    this holds:

    - its bounds are constant;
    - no loop in it stays;
    - at most `auto_max_depth` unrolled loops are nested in it;
    - it has at most `auto_max_step` steps (stores and calls that are
      statements, over all iterations), or at most `auto_max_extent` iterations.

    Bounds that differ by a constant, as `n` and `n + 2` or 0 and `n + 3 - n` do,
    count as constant. The limits are in the config option `tir.UnrollLoop`. By
    default, only loops that never run or that store nothing meet them.
    `auto_max_extent = 1` also unrolls loops of one iteration of any kind,
    whatever they contain. A loop that `tir.break` or `tir.continue` leaves
    stays.

    With `explicit_unroll = false` the pass marks the loops instead. With
    `unroll_local_access = true` it also unrolls loops of any kind whose
    variable indexes memory in the scope "local" or "warp", with any tag. An
    attribute `pragma_auto_unroll_max_step` or `pragma_unroll_explicit` of an op
    replaces `auto_max_step` or `explicit_unroll` inside the op.

    It is an error when a marked loop has no constant bounds, or would grow to
    more than 1,048,576 ops.

    ```mlir
    scf.for %i = %c0 to %c2 step %c1 {
      memref.store %v, %a[%i] : memref<2xf32>
    } {tir.kind = "unrolled"}
    ```

    becomes, after canonicalization,

    ```mlir
    memref.store %v, %a[%c0] : memref<2xf32>
    memref.store %v, %a[%c1] : memref<2xf32>
    ```

    #### Differs from TVM

    - A loop from `n` to `n + 2` counts as a loop with a constant extent.
    - A loop that would grow to more than 1,048,576 ops stays. For a marked loop,
      this is an error.
    - A loop that `break` or `continue` leaves stays. TVM repeats the statement
      without the loop that it leaves.
    - The contents of one branch of a condition do not count for the other branch.
    - Each copy of a body has its own variables of blocks, buffers and threads. TVM
      defines the same ones again.
    - An attribute about the variable of a loop that is gone is about nothing. TVM
      leaves the variable.
  }];
  let statistics = [
    Statistic<"numUnrolled", "unrolled", "Number of unrolled loops">,
    Statistic<"numMarked", "marked", "Number of loops marked to be unrolled">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
  let readsPassContext = 1;
}

def LoopPartitionConfig
    : PassConfig<"tir.LoopPartition", "LoopPartitionConfig", "{}",
                 "Which loops the pass tir.LoopPartition splits", [
  ConfigField<"partition_const_loop", "bool", "false",
              "Split loops for likely conditions">,
  ConfigField<"no_unroll_loop_with_extent_one", "bool", "false",
              "Leave parts of one iteration as loops">,
  ConfigField<"unroll_loop_with_partition_hint_no_interval", "bool", "false",
              "Mark loops to be unrolled that have the hint, if no condition "
              "splits them">,
]>;

def LoopPartition : TIRPrimFuncPass<"loop-partition", "LoopPartition"> {
  let summary = "Split loops where their conditions change";
  let description = [{
    Splits an `scf.for` around the values of its variable for which comparisons
    are known, whatever the values of the variables of inner loops. In this part
    the comparisons become constants. The parts are split further.

    Two kinds of loops are split:

    - a loop whose variable has the attribute `pragma_loop_partition_hint`, for
      all comparisons in it;
    - a loop for the comparisons in calls of `likely`, if its bounds are not
      constant or with `partition_const_loop`.

    A condition in a call of `ignore_loop_partition` splits nothing. The pass
    removes the hints and these calls.

    ```mlir
    scf.for %i = %c0 to %c16 step %c1 : i32 {
      %0 = arith.cmpi slt, %i, %c15 : i32
      %1 = tir.call_intrin pure "prim.likely"(%0) : (i1) -> i1
      scf.if %1 {
        "test.use"(%i) : (i32) -> ()
      }
    }
    ```

    becomes, where the last part is the iteration with 15,

    ```mlir
    scf.for %i = %c0 to %c15 step %c1 : i32 {
      scf.if %true {
        "test.use"(%i) : (i32) -> ()
      }
    }
    %0 = arith.addi %c0, %c15 overflow<nsw> : i32
    %1 = arith.cmpi slt, %0, %c15 : i32
    scf.if %1 {
      "test.use"(%0) : (i32) -> ()
    }
    ```

    #### Differs from TVM

    - A loop is not split where its parts could run iterations that the loop does
      not run. TVM splits a loop to `(n + 3) div 4` at `n // 4`, and for `n = -3`
      runs an iteration.
    - A loop is not split at the lesser of two bounds if it is not known which
      one this is, nor for a `blockIdx`.
    - A loop stays whole if the parts in the function would have more than 65,536
      ops. At most 64 conditions of a loop count.
  }];
  let statistics = [
    Statistic<"numPartitioned", "partitioned", "Number of loops that were split">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
  let readsPassContext = 1;
}

def AnnotateIrregularLoop
    : TIRPrimFuncPass<"annotate-irregular-loop", "AnnotateIrregularLoop"> {
  let summary = "Mark loops that a statement leaves";
  let description = [{
    Each `tir.for` and `scf.for` that a `tir.break` or a `tir.continue` leaves
    gets the annotation `irregular_loop_mark = 1`. Calls of `tirx.break_loop` and
    `tirx.continue_loop` are such statements, too. A loop with a condition has no
    annotations.

    It is an error when the loop is not serial, or is annotated to be unrolled,
    split or pipelined.

    ```mlir
    tir.for "serial" %c0, %n : i32, i32 {
    ^bb0(%i: i32):
      scf.if %p {
        tir.break
      }
      "test.use"(%i) : (i32) -> ()
    }
    ```

    becomes

    ```mlir
    tir.for "serial" %c0, %n : i32, i32 {
    ^bb0(%i: i32):
      scf.if %p {
        tir.break
      }
      "test.use"(%i) : (i32) -> ()
    } {annotations = {irregular_loop_mark = 1 : i64}}
    ```

    #### Differs from TVM

    TVM only finds calls of the intrinsics.
  }];
  let statistics = [
    Statistic<"numAnnotated", "annotated", "Number of loops that got the mark">,
  ];
}

def VectorizeLoop : TIRPrimFuncPass<"vectorize-loop", "VectorizeLoop"> {
  let summary = "Run the iterations of marked loops as vectors";
  let description = [{
    Replaces each `scf.for` that is marked `tir.kind = "vectorized"`, and each
    `tir.for` of this kind, by statements on vectors. Each statement runs for
    all iterations before the next one does. A statement that needs a condition,
    a call or an access that no vector op does runs in a loop of its own.

    The number of iterations is a constant, or a multiple of `vscale`: vectors
    are scalable then. It is an error when it is neither. With
    `enable-vectorize=false` marked loops become serial.

    ```mlir
    scf.for %i = %c0 to %c4 step %c1 : i32 {
      %0 = arith.index_cast %i : i32 to index
      %1 = memref.load %a[%0] : memref<4xf32>
      %2 = arith.addf %1, %x : f32
      memref.store %2, %a[%0] : memref<4xf32>
    } {tir.kind = "vectorized"}
    ```

    becomes

    ```mlir
    %0 = tir.prim "Ramp"(%c0, %c1, %c4) : (i32, i32, i32) -> vector<4xi32>
    %1 = tir.load %a[%0] : memref<4xf32>, vector<4xi32> -> vector<4xf32>
    %2 = tir.prim "Broadcast"(%x, %c4) : (f32, i32) -> vector<4xf32>
    %3 = arith.addf %1, %2 : vector<4xf32>
    tir.store %3, %a[%0] : vector<4xf32>, memref<4xf32>, vector<4xi32>
    ```

    #### Differs from TVM

    - A loop becomes serial if a statement can't be separated from the others:
      it uses a value that another statement overwrites, or allocates a buffer.
    - A statement that does the same in each iteration is only run once if it is
      a store of a value that does not depend on the buffer.
    - Any target may have scalable vectors. Loops with a fixed number of
      iterations never become scalable.
    - Accesses never get predicates (`tirx.enable_buffer_level_predication`).
  }];
  let options = [
    Option<"enableVectorize", "enable-vectorize", "bool", /*default=*/"true",
           "Vectorize; otherwise marked loops become serial">,
  ];
  let statistics = [
    Statistic<"numVectorized", "vectorized", "Number of vectorized loops">,
    Statistic<"numSerial", "serial", "Number of loops that became serial">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

#endif // PARTITA_DIALECT_TIR_TRANSFORMS_LOOPPASSES
