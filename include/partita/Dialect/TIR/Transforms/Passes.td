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
    Does what TVM's ConvertBlocksToOpaque, LowerInitBlock, LowerMatchBuffer and
    LowerOpaqueBlock do: iterators become their bindings, the init region runs
    under the condition that each iterator of a reduction is at its minimum, the
    predicate becomes an `scf.if`, buffers of the block are allocated where it
    was, accesses of a matched buffer are accesses of its source, a loop that
    threads run is the `tir.attr` "thread_extent", pragmas of loops and blocks
    are a `tir.attr` each, and a loop of one iteration that has no annotations
    gives way to its body.
    Of what else a block says only `buffer_dim_align` is kept, at the buffer.

    It is an error when a matched buffer is no part of its source, or has a use
    other than an access that no `memref.subview` can stand for.

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
              "Unroll loops that hold at most this many unrolled ones">,
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
    `tir.for` of this kind. It also unrolls each serial loop that has constant
    bounds, no loop in it that stays, at most `auto_max_depth` unrolled loops
    nested in it, and at most `auto_max_step` steps (stores and calls that are
    statements, over all iterations) or `auto_max_extent` iterations. These limits
    are the config option `tir.UnrollLoop`; the defaults allow loops that never run
    or store nothing. With `explicit_unroll = false` the pass marks the loops
    instead, and with `unroll_local_access = true` it also unrolls loops of any kind
    whose variable indexes memory of scope "local" or "warp", with any tag. An
    attribute `pragma_auto_unroll_max_step` or `pragma_unroll_explicit` of an op
    replaces `auto_max_step` or `explicit_unroll` in it. Bounds that differ by a
    constant, as `n` and `n + 2` or 0 and `n + 3 - n` do, count as constant.
    `auto_max_extent = 1` also unrolls loops of one iteration of any kind, whatever
    they hold. A loop that `tir.break` or `tir.continue` leaves stays.

    It is an error when a marked loop lacks constant bounds, as does a loop that
    would grow to more than 1,048,576 ops.

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
