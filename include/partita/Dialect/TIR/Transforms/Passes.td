//===- Passes.td - Passes of the tir dialect --------------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_TIR_TRANSFORMS_PASSES
#define PARTITA_DIALECT_TIR_TRANSFORMS_PASSES

include "partita/Dialect/TIR/Transforms/LoopPasses.td"
include "partita/Dialect/TIR/Transforms/TIRPassBase.td"

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

def CommonSubexprElim
    : TIRPrimFuncPass<"common-subexpr-elim", "CommonSubexprElim"> {
  let summary = "Bind expressions that statements have more than once";
  let description = [{
    An expression that is written more than once is computed before the first
    statement that has it, in the innermost body around all of them.

    ```mlir
    %0 = arith.addi %y, %z : i32
    memref.store %0, %b[%c0] : memref<2xi32>
    %1 = arith.addi %y, %z : i32
    memref.store %1, %b[%c1] : memref<2xi32>
    ```

    becomes

    ```mlir
    %0 = arith.addi %y, %z : i32
    %cse_v1 = tir.bind %0 : i32
    memref.store %cse_v1, %b[%c0] : memref<2xi32>
    memref.store %cse_v1, %b[%c1] : memref<2xi32>
    ```

    Conditions, constants and what reads a buffer or calls a function stay where
    they are. So do expressions in `tir.let`, and functions with several blocks.

    #### Differs from TVM

    - Nothing in a loop with a condition (`scf.while`) is bound.
    - The regions that blocks read and write keep their expressions: in TVM they
      can have variables that the block binds. So do the sizes of buffers.
    - Variables that are bound at one place can be in another order.
    - A division whose divisor may be 0 is not computed where it was not.
  }];
  let statistics = [
    Statistic<"numBound", "bound", "Number of expressions that were bound">,
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

#endif // PARTITA_DIALECT_TIR_TRANSFORMS_PASSES
