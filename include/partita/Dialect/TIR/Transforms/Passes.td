//===- Passes.td - Passes of the tir dialect --------------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_TIR_TRANSFORMS_PASSES
#define PARTITA_DIALECT_TIR_TRANSFORMS_PASSES

include "partita/Pass/PassBase.td"

// A pass on tir.prim_func, with TVM's name and level.
class TIRPrimFuncPass<string argument, string name, int level = 0,
                      list<string> requires = []>
    : PartitaPass<"tir-" # argument, "::partita::tir::PrimFuncOp",
                  "tir.transform", "tir." # name, level, requires>;

def LowerBlocks : TIRPrimFuncPass<"lower-blocks", "LowerBlocks"> {
  let summary = "Turn blocks into plain loops and conditions";
  let description = [{
    Does the work of TVM's ConvertBlocksToOpaque, LowerInitBlock,
    LowerMatchBuffer and LowerOpaqueBlock:

    - iterators become their bindings;
    - the init region runs if each iterator of a reduction is at its minimum;
    - the predicate becomes an `scf.if`;
    - buffers of the block are allocated in its place;
    - accesses of a matched buffer become accesses of its source;
    - a loop that threads run becomes the `tir.attr` "thread_extent";
    - each pragma of a loop or a block becomes a `tir.attr`;
    - a loop with one iteration and no annotations is replaced by its body.

    Of a block's other annotations only `buffer_dim_align` is kept, at the
    buffer.

    It is an error when a matched buffer is no part of its source, or has a use
    that is no access and that no `memref.subview` can serve.

    ```mlir
    tir.block "sum" ["reduce"] (%j : i32) from(%c0 : i32) extent(%c4 : i32)
        where %true {
    ^bb0(%vj: i32):
      tir.init {
        memref.store %zero, %b[] : memref<f32>
      }
      "test.step"(%vj) : (i32) -> ()
    }
    ```

    becomes

    ```mlir
    %first = arith.cmpi eq, %j, %c0 : i32
    scf.if %first {
      memref.store %zero, %b[] : memref<f32>
    }
    "test.step"(%j) : (i32) -> ()
    ```

    #### Differs from TVM

    - What TVM's lowering adds to an allocation (`buffer_data_alignment`,
      `buffer_allocated_addr`) is left out, as it says nothing.
    - Indices of matched buffers are not simplified.
    - A loop of one iteration that `break` or `continue` leaves stays.
  }];
  let statistics = [
    Statistic<"numLowered", "lowered", "Number of blocks that were lowered">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

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

#endif // PARTITA_DIALECT_TIR_TRANSFORMS_PASSES
