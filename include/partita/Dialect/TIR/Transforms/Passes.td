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

// A pass on a whole module, with TVM's name and level.
class TIRModulePass<string argument, string name, int level = 0,
                    list<string> requires = []>
    : PartitaPass<"tir-" # argument, "::partita::IRModuleOp", "tir.transform",
                  "tir." # name, level, requires>;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

def InlinePrivateFunctions
    : TIRModulePass<"inline-private-functions", "InlinePrivateFunctions"> {
  let summary = "Put private prim_funcs into their callers";
  let description = [{
    The body of a private prim_func replaces each `tir.call` that is a statement.
    A function that nothing uses then goes. These functions stay:

    - a function with the attribute `global_symbol`, or with a buffer as a
      parameter;
    - a function that calls itself, also by way of others;
    - a function with a `tir.block`, a `tir.ret` or a `tir.var`.

    A call stays if its value is used, if both functions have targets that
    differ, or when all functions together have grown by 1,048,576 ops.

    ```mlir
    tir.prim_func @main(%n: i32) {
      tir.call @part(%n) : (i32) -> ()
      tir.return
    }
    tir.prim_func private @part(%i: i32) {
      "test.use"(%i) : (i32) -> ()
      tir.return
    }
    ```

    becomes

    ```mlir
    tir.prim_func @main(%n: i32) {
      "test.use"(%n) : (i32) -> ()
      tir.return
    }
    ```

    #### Differs from TVM

    - An argument is computed once. TVM computes it where the parameter is used.
    - A function that Relax functions use stays.
    - A function that returns a value stays. In TVM, its return leaves the
      caller.
  }];
  let statistics = [
    Statistic<"numInlined", "inlined", "Number of calls that were replaced">,
  ];
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

def LowerInitBlock : TIRPrimFuncPass<"lower-init-block", "LowerInitBlock"> {
  let summary = "Turn the init regions of blocks into conditions";
  let description = [{
    The statements of a `tir.init` run if each iterator of a reduction is at its
    minimum.

    ```mlir
    tir.block "sum" ["reduce"] (%j : i32) from(%c0 : i32) extent(%c4 : i32)
        where %true {
    ^bb0(%vj: i32):
      tir.init {
        memref.store %zero, %b[] : memref<f32>
      }
    }
    ```

    becomes

    ```mlir
    tir.block "sum" ["reduce"] (%j : i32) from(%c0 : i32) extent(%c4 : i32)
        where %true {
    ^bb0(%vj: i32):
      %first = arith.cmpi eq, %vj, %c0 : i32
      scf.if %first {
        memref.store %zero, %b[] : memref<f32>
      }
    }
    ```
  }];
  let statistics = [
    Statistic<"numLowered", "lowered", "Number of init regions">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

def ConvertBlocksToOpaque
    : TIRPrimFuncPass<"convert-blocks-to-opaque", "ConvertBlocksToOpaque"> {
  let summary = "Replace the iterators of blocks by their bindings";
  let description = [{
    It is an error when a block with iterators has a `tir.init`: run
    LowerInitBlock first.

    ```mlir
    tir.block "copy" ["spatial"] (%i : i32) from(%c0 : i32) extent(%c8 : i32)
        where %true {
    ^bb0(%vi: i32):
      "test.use"(%vi) : (i32) -> ()
    }
    ```

    becomes

    ```mlir
    tir.block "copy" [] where %true {
      "test.use"(%i) : (i32) -> ()
    }
    ```
  }];
  let statistics = [
    Statistic<"numConverted", "converted", "Number of blocks">,
  ];
}

def LowerMatchBuffer
    : TIRPrimFuncPass<"lower-match-buffer", "LowerMatchBuffer"> {
  let summary = "Access the sources of matched buffers";
  let description = [{
    An access of a buffer that `tir.match_buffer` makes becomes an access of its
    source. A user that is no access gets a `memref.subview`. The variables of
    the matched buffer get their values: its sizes, strides and offset.

    It is an error when a matched buffer is no part of its source, when it declares
    sizes, strides or an offset that the part is not known to have, and when it has
    a use that is no access and that no `memref.subview` can serve.

    ```mlir
    %m = tir.match_buffer %a[%i : i32][%c4 : i32] : memref<8xf32> to memref<4xf32>
    %0 = memref.load %m[%j] : memref<4xf32>
    ```

    becomes, with `%k` for `%i + %j`,

    ```mlir
    %0 = memref.load %a[%k] : memref<8xf32>
    ```

    #### Differs from TVM

    - Indices are not simplified: StmtSimplify does that.
    - A matched buffer that declares no offset can begin anywhere in its source. In
      TVM, its offset must be 0.
  }];
  let statistics = [
    Statistic<"numLowered", "lowered", "Number of matched buffers">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def LowerOpaqueBlock
    : TIRPrimFuncPass<"lower-opaque-block", "LowerOpaqueBlock"> {
  let summary = "Turn blocks without iterators into plain statements";
  let description = [{
    - the predicate becomes an `scf.if`;
    - buffers of the block are allocated in its place;
    - a loop that threads run becomes the `tir.attr` "thread_extent";
    - each pragma of a loop or a block becomes a `tir.attr`;
    - a loop with one iteration and no annotations is replaced by its body.

    Of a block's other annotations only `buffer_dim_align` is kept, at the
    buffer.

    It is an error when a block has iterators, a `tir.init` or a
    `tir.match_buffer`.

    ```mlir
    tir.block "copy" [] where %inside {
      "test.use"(%i) : (i32) -> ()
    }
    ```

    becomes

    ```mlir
    scf.if %inside {
      "test.use"(%i) : (i32) -> ()
    }
    ```

    #### Differs from TVM

    A matched buffer is an error; TVM drops it.
  }];
  let statistics = [
    Statistic<"numLowered", "lowered", "Number of blocks that were lowered">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

def LowerBlocks
    : PartitaSequential<"tir-lower-blocks", "tir.transform", "tir.LowerBlocks",
                        0, [
        "tir.LowerInitBlock", "tir.ConvertBlocksToOpaque",
        "tir.LowerMatchBuffer", "tir.LowerOpaqueBlock"
      ]> {
  let summary = "Turn blocks into plain loops and conditions";
  let description = [{
    ```sh
    partita-opt --tir-lower-blocks model.mlir
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def FlattenBuffer : TIRPrimFuncPass<"flatten-buffer", "FlattenBuffer"> {
  let summary = "Give buffers one dimension";
  let description = [{
    Accesses compute the place of their element from the strides and the offset
    of the buffer; in a slice, what no loop changes comes last. A parameter keeps
    its type: the accesses use a
    `tir.decl_buffer` at its data. A buffer stays as it is if its sizes or
    strides are not known, or if it has a use that is no access.

    It is an error when a `tir.match_buffer` is left.

    ```mlir
    %b = tir.alloc_buffer : memref<4x8xf32>
    memref.store %v, %b[%i, %j] : memref<4x8xf32>
    ```

    becomes, with `%k` for `%i * 8 + %j`,

    ```mlir
    %b = tir.alloc_buffer : memref<32xf32>
    memref.store %v, %b[%k] : memref<32xf32>
    ```

    #### Differs from TVM

    - TVM also simplifies places that begin below a variable.
    - The regions that a block reads and writes have one dimension, too. TVM
      leaves them with the old dimensions.
  }];
  let statistics = [
    Statistic<"numFlattened", "flattened", "Number of buffers">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def MergeStaticSmem
    : PassConfig<"tir.merge_static_smem", "bool", "false",
                 "StorageRewrite does not share memory: another pass merges "
                 "shared memory">;

def StorageRewrite : TIRPrimFuncPass<"storage-rewrite", "StorageRewrite"> {
  let summary = "Let allocations share memory";
  let description = [{
    Finds the first and the last statement that uses each `tir.alloc_buffer` of
    one dimension. A loop, a condition or a launch of threads is one statement
    for the allocations around it.

    - An allocation gets the memory of one whose last use is over, in the same
      scope. It takes the smallest one that is large enough, but at most 16
      times as large. Without one it takes a smaller one with the same type of
      elements, which becomes larger. If a size is not constant, all that share
      it have the same type.
    - The result of a statement gets the memory of an operand of the same type
      and size, if the statement is the operand's last use and computes each
      element from the operand's element at the same place.
    - Memory of special scopes, such as "local.L0A", becomes one allocation with
      parts.
    - Allocations move to the beginning of the parallel loop or the launch of
      threads around them or, without one, of the function.
    - An allocation without uses goes.
    - The elements of an allocation become vectors if all accesses load or store
      vectors of one size.

    Memory of the scope "local" and of others that are registers is not shared
    unless its scope has a tag. No memory of 32 bits or less is shared, no
    buffer with strides or an address, and no buffer whose address goes
    to where the pass does not see it. With `tir.merge_static_smem`, memory is
    only shared by a result and an operand. For the targets vulkan and webgpu,
    what shares memory has one type.

    It is an error when a loop is marked `vectorized`.

    ```mlir
    %b = tir.alloc_buffer : memref<16xf32>
    %c = tir.alloc_buffer : memref<16xf32>
    memref.store %x, %b[%i] : memref<16xf32>
    "test.use"(%b) : (memref<16xf32>) -> ()
    "test.use"(%c) : (memref<16xf32>) -> ()
    ```

    becomes

    ```mlir
    %b = tir.alloc_buffer : memref<16xf32>
    %0 = tir.call_intrin pure "tirx.buffer_data"(%b)
      : (memref<16xf32>) -> !tir.ptr<"global", f32>
    %c = tir.decl_buffer %0 : !tir.ptr<"global", f32> to memref<16xf32>
    memref.store %x, %b[%i] : memref<16xf32>
    "test.use"(%b) : (memref<16xf32>) -> ()
    "test.use"(%c) : (memref<16xf32>) -> ()
    ```

    Of the annotations of an allocation only `tirx.volatile` is kept.

    #### Differs from TVM

    - A result replaces an operand only if it is known that no element is
      computed twice. TVM leaves this to the caller.
    - A pointer with another name keeps memory in use.
    - An allocation whose size can't be computed where it would go stays.
    - Memory in a parallel loop that is in another one goes into the inner loop.
    - A buffer of several dimensions is moved; in TVM it is an error. So is
      special memory whose size is not constant or whose elements have more than
      32 bits.
    - Memory of bools does not become memory of vectors. A pointer with a name
      keeps its type.
  }];
  let statistics = [
    Statistic<"numShared", "shared", "Allocations that use the memory of others">,
    Statistic<"numErased", "erased", "Allocations without uses">,
    Statistic<"numVectorized", "vectorized",
              "Allocations whose elements became vectors">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
  let readsPassContext = 1;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

def StmtSimplifyConfig
    : PassConfig<"tir.StmtSimplify", "StmtSimplifyConfig", "{}",
                 "What the pass tir.StmtSimplify does beside its usual work", [
  ConfigField<"transitively_prove_inequalities", "bool", "false",
              "Accepted because TVM has it: inequalities are always combined">,
  ConfigField<"convert_boolean_to_and_of_ors", "bool", "false",
              "Turn `a or (b and c)` into `(a or b) and (a or c)`">,
  ConfigField<"apply_constraints_to_boolean_branches", "bool", "false",
              "Accepted because TVM has it: operands of `and` and `or` are always "
              "simplified by the others">,
]>;

def StmtSimplify : TIRPrimFuncPass<"stmt-simplify", "StmtSimplify"> {
  let summary = "Simplify indices, conditions and statements";
  let description = [{
    Runs the canonicalization of `arith`, and uses what is known where an op runs.
    Enclosing loops and threads bound their variables; conditions hold in their
    branches; sizes of parameters are not negative. As in TVM, the iterators of
    blocks have no bounds.

    - Sums, products with numbers, and quotients and remainders by numbers are
      computed with fewer ops. `x * z + y * z` is `(x + y) * z`, and
      `(x * z + y) // z` is `x + y // z`, unless `z` is a number.
    - A product of a sum and a number is a sum, and a sum of sums is one without
      parentheses. The term with the largest factor comes first, what is
      subtracted last. `a > b` is `b < a`. Operands of other commutative ops
      keep their order.
    - Comparisons, minima and maxima that are always decided the same way go. A
      comparison becomes as tight as it can be: `a <= b` is `a == b` where
      `a >= b` is known. Where `a || b` holds, a condition is decided if `a`
      and `b` decide it the same way.
    - Inequalities have small numbers and no quotient alone: `x * 4 < 13` is
      `x < 4`, and `x // 10 < 3` is `x < 30`. `min(x, 11) < 10` is `x < 10`, and
      `x * 4 == 0` is `x == 0`.
    - `(x * 16 + y) % 48` is `x % 3 * 16 + y` where `y` is below 16.
    - What cancels moves into a minimum or a maximum, and what both operands have
      moves out: `min(x, y - z) + z` is `min(z + x, y)`, and `max(x + y, x + z)`
      is `max(y, z) + x`.
    - `!(a && b)` is `!a || !b`, and `a && (b && c)` is `a && b && c`.
    - An `scf.if` whose condition is known is replaced by its branch.
    - An expression takes the place of its name if it does not read memory; the
      `tir.bind` stays, and so do buffers without uses.
    - The variable of a loop with one iteration is replaced; the loop stays.
    - Loads of one place in one statement have one value.
    - A store of the number that its place holds already is erased.
    - A loop or a branch that is left without a statement evaluates 0.

    The ranges are systems of linear constraints over the integers. Only i32,
    i64 and index are looked at. Their arithmetic does not overflow, if it says
    so.

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 : i32 {
      %0 = arith.cmpi slt, %i, %c10 : i32
      scf.if %0 {
        memref.store %v, %a[%c0_index] : memref<1xf32>
      }
    }
    ```

    becomes

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 : i32 {
      memref.store %v, %a[%c0_index] : memref<1xf32>
    }
    ```

    #### Differs from TVM

    - Conditions are always combined, as if `transitively_prove_inequalities`
      and `apply_constraints_to_boolean_branches` were set.
    - The sizes of parameters are simplified, too.
    - Truncated quotients of numbers that can be negative stay, and so do
      choices in sums, and conditions on a quotient beside its remainder.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
  let readsPassContext = 1;
}

def RemoveNoOp : TIRPrimFuncPass<"remove-no-op", "RemoveNoOp"> {
  let summary = "Remove statements without effect";
  let description = [{
    Erases these statements:

    - a loop without iterations or statements;
    - a condition or an attribute without statements;
    - the evaluation of an expression without effect;
    - a store of the number that its place holds already;
    - the attribute "pragma_debug_skip_region", with its statements.

    ```mlir
    scf.for %i = %c0 to %c0 step %c1 : i32 {
      memref.store %v, %a[%c0_index] : memref<1xf32>
    }
    tir.evaluate %v : f32
    ```

    becomes nothing.

    #### Differs from TVM

    There is no config option: TVM's limits the steps of its simplifier, and
    names calls of a GPU's profiler.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

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

#endif // PARTITA_DIALECT_TIR_TRANSFORMS_PASSES
