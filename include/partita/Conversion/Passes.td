//===- Passes.td - Passes that lower to other dialects ----*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_CONVERSION_PASSES
#define PARTITA_CONVERSION_PASSES

include "partita/Pass/PassBase.td"

def ConvertPartitaToFunc
    : PartitaPass<"convert-partita-to-func", "", "transform",
                  "ConvertPartitaToFunc"> {
  let summary = "Turn the functions of partita.modules into func.funcs";
  let description = [{
    Replaces each `partita.module` directly in the module by its functions:
    `@f` becomes `@partita.f`, because names such as `exp` belong to libraries.
    Tensors become memrefs. A shape becomes its values, and a tuple its fields.
    A function returns memory that nothing else refers to, once the
    buffer-deallocation-pipeline has run. A `relax.call_tir` allocates what its
    callee writes. A size with a name is computed where it is needed. Storages
    that StaticPlanBlockMemory has planned are allocated as they are, and their
    tensors are views. A prim_func may write what its caller has allocated, but
    no parameter and no constant: what is written in place is copied first.

    ```mlir
    relax.func @main(%x: tensor<?xf32, #relax.shape<["n"]>>)
        -> tensor<?xf32, #relax.shape<["n"]>> {
      %0 = relax.call_tir @relu(%x) : (tensor<?xf32, #relax.shape<["n"]>>)
        -> tensor<?xf32, #relax.shape<["n"]>>
      relax.return %0 : tensor<?xf32, #relax.shape<["n"]>>
    }
    ```

    becomes

    ```mlir
    func.func @partita.main(%x: memref<?xf32>) -> memref<?xf32>
        attributes {llvm.emit_c_interface} {
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?xf32>
      %0 = memref.alloc(%n) : memref<?xf32>
      call @partita.relu(%x, %0) : (memref<?xf32>, memref<?xf32>) -> ()
      return %0 : memref<?xf32>
    }
    ```

    `!relax.object` becomes a pointer, which the code hands on. So do tensors
    without a rank or dtype, and shapes without a rank. A parameter can be a
    function of the caller; a cast of the object that a packed function returns
    says what it is. Packed functions that each caller has make objects of other
    values and closures, and tensors of objects: `partita.box`, `partita.unbox`,
    `partita.make_closure`, `partita.shape_of`, `partita.reshape` and
    `partita.inspect`. A closure that is called in the function that makes it
    needs none. Functions that closures call stand in the metadata, too.

    A prim_func can call packed functions (`tirx.tvm_call_packed`) and other
    prim_funcs. A packed function may write the buffers that it gets.

    A `relax.match_cast` whose value has another shape calls
    `partita_runtime_fail`. So do a function whose argument does not have a size
    such as `n * 2`, and a tensor that does not fit into its storage. A function
    that can call itself, directly or through others, first calls
    `partita_runtime_check_stack`, which ends a call before the stack is full. The
    parameters and results of public functions stand in the constant
    `partita_metadata`, as JSON. A public prim_func can be called if its
    parameters are numbers and buffers that can be compact. It gets all buffers
    from its caller, and ends a call with an error if the size of one is not
    what the others make it.

    It is an error when the op is no `builtin.module`, or when a type or an op in
    it has no lowering: an op on a tensor without a rank or dtype, or an op of
    Relax that relax-legalize-ops has not replaced.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def WidenBools
    : PartitaPass<"memref-widen-bools", "", "transform", "WidenBools"> {
  let summary = "Store booleans as bytes";
  let description = [{
    Turns memrefs of i1 into memrefs of i8, whose elements are 0 or 1. The
    lowering of memref to LLVM takes no i1. It expects loops: ops such as
    `linalg.generic` must be lowered before.

    ```mlir
    %0 = memref.load %m[%i] : memref<?xi1>
    ```

    becomes

    ```mlir
    %1 = memref.load %m[%i] : memref<?xi8>
    %0 = arith.trunci %1 : i8 to i1
    ```

    It is an error when the op is no `builtin.module`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandFloat8
    : PartitaPass<"arith-expand-float8", "", "transform", "ExpandFloat8"> {
  let summary = "Compute with 8-bit floats as with float";
  let description = [{
    Processors have no arithmetic on 8-bit floats, and LLVM takes them for bytes.
    Ops of arith and math on them become ops on f32, whose results are rounded.
    The casts become code on the bits. A number between two floats is rounded to
    the nearest, and to the even one of two. One that is too large becomes
    infinity, or NaN where the type has no infinity, as in ml_dtypes. Numbers of
    f8E8M0FNU, which are powers of 2 without a sign, stay, and so do casts of
    whole tensors.

    ```mlir
    %0 = arith.addf %a, %b : f8E5M2
    ```

    becomes, before the casts are replaced,

    ```mlir
    %1 = arith.extf %a : f8E5M2 to f32
    %2 = arith.extf %b : f8E5M2 to f32
    %3 = arith.addf %1, %2 : f32
    %0 = arith.truncf %3 : f32 to f8E5M2
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ConvertLinalgReductionsToLoops
    : PartitaPass<"convert-linalg-reductions-to-loops", "::mlir::func::FuncOp",
                  "transform", "ConvertLinalgReductionsToLoops"> {
  let summary = "Lower sums to loops that keep a tile in registers";
  let description = [{
    Lowers ops of linalg that add up, such as products of matrices,
    convolutions and pooling, if the rows of their result run along rows of
    their operands. Up to six rows of a vector each are kept while the loops of
    the reduction run. The rest of a row is one shorter vector, or, if its size
    is unknown, several of 8, 4 and 1 elements. An operand of several tiles
    whose rows begin 512 bytes apart, or a multiple, is copied: a cache has few
    places for such rows.

    Where the terms of a sum lie side by side, as in softmax, eight sums are
    kept: an addition waits for the one before it in its sum alone. A maximum of
    floats is computed by vectors. So are terms that take long, such as exp; they
    are added one by one.

    Sums keep the order of their terms, so that results are the same to the last
    bit, but for the fused multiply-adds that LLVM makes of both forms, and for
    the sign of a maximum that is zero. Other ops stay.

    ```mlir
    linalg.matmul ins(%a, %b : memref<4x?xf32>, memref<?x16xf32>)
                  outs(%c : memref<4x16xf32>)
    ```

    becomes loops of `scf.parallel` over tiles such as

    ```mlir
    %0 = vector.load %c[%c0, %c0] : memref<4x16xf32>, vector<16xf32>
    %1 = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %0) -> (vector<16xf32>) {
      %row = vector.load %b[%k, %c0] : memref<?x16xf32>, vector<16xf32>
      %element = memref.load %a[%c0, %k] : memref<4x?xf32>
      %splat = vector.broadcast %element : f32 to vector<16xf32>
      %product = arith.mulf %splat, %row : vector<16xf32>
      %next = arith.addf %sum, %product : vector<16xf32>
      scf.yield %next : vector<16xf32>
    }
    vector.store %1, %c[%c0, %c0] : memref<4x16xf32>, vector<16xf32>
    ```

    for the first row, with the other three rows in the same loop.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let isLocal = 1;
}

def OutlineParallelLoops
    : PartitaPass<"outline-parallel-loops", "", "transform",
                  "OutlineParallelLoops", 2> {
  let summary = "Make functions of loops that several threads run";
  let description = [{
    Turns a loop nest of `scf.parallel` that has enough work into a call of a
    function that the runtime defines. The runtime calls the body on several
    threads, each time for some of the iterations. The first argument of the
    call is the number of iterations, the second how many of them are worth a
    thread; the others are used in the body. Loops that allocate memory or call
    functions stay.

    ```mlir
    scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c4096) step (%c1, %c1) {
      memref.store %x, %a[%i, %j] : memref<?x4096xf32>
    }
    ```

    becomes

    ```mlir
    func.call @partita_parallel_0(%n, %grain, %n, %x, %a) {body = @partita_parallel_0_body}
      : (index, index, index, f32, memref<?x4096xf32>) -> ()
    ```

    It is an error when the op is no `builtin.module`.
  }];
  let options = [
    Option<"minWork", "min-work", "double", "200000",
           "The work that is worth a thread, in instructions">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ConvertMemRefCopyToLinalg
    : PartitaPass<"convert-memref-copy-to-linalg", "::mlir::func::FuncOp",
                  "transform", "ConvertMemRefCopyToLinalg"> {
  let summary = "Copy strided memrefs by loops";
  let description = [{
    Turns a `memref.copy` from or to a memref with strides into a
    `linalg.generic`. The lowering to LLVM would call a function of the runtime
    that copies one element at a time. Other copies stay: they are one call of
    memcpy.

    ```mlir
    memref.copy %a, %b
      : memref<4x4xf32> to memref<4x4xf32, strided<[8, 1], offset: 2>>
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
  let isLocal = 1;
}

def ConvertTIRBlocksToLinalg
    : PartitaPass<"convert-tir-blocks-to-linalg", "::partita::tir::PrimFuncOp",
                  "transform", "ConvertTIRBlocksToLinalg", 2> {
  let summary = "Turn TVM's blocks in prim_funcs into linalg on memrefs";
  let description = [{
    A block that stores one element, with the loops around it, becomes a
    `linalg.generic`, if its iterators are the loops, its indices are affine, and
    each loop runs over all of a dimension. A prim_func that TVM has made is
    lowered as the kernels of `LegalizeOps` then: with vectors, tiles and threads.
    Its `tirx.noalias` must be true. Sums keep the order of their terms. Other
    blocks stay.

    ```mlir
    scf.for %i = %c0 to %c8 step %c1 : i64 {
      scf.for %k = %c0 to %c4 step %c1 : i64 {
        tir.block "sum" ["spatial", "reduce"] (%i, %k : i64, i64)
            from(%c0, %c0 : i64, i64) extent(%c8, %c4 : i64, i64) where %true {
        ^bb0(%vi: i64, %vk: i64):
          %0 = arith.index_cast %vi : i64 to index
          %1 = arith.index_cast %vk : i64 to index
          tir.init {
            memref.store %zero, %b[%0] : memref<8xf32>
          }
          %2 = memref.load %b[%0] : memref<8xf32>
          %3 = memref.load %a[%0, %1] : memref<8x4xf32>
          %4 = arith.addf %2, %3 : f32
          memref.store %4, %b[%0] : memref<8xf32>
        }
      }
    }
    ```

    becomes

    ```mlir
    linalg.fill ins(%zero : f32) outs(%b : memref<8xf32>)
    linalg.generic {
      indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]
    } ins(%a : memref<8x4xf32>) outs(%b : memref<8xf32>) {
    ^bb0(%x: f32, %sum: f32):
      %0 = arith.addf %sum, %x : f32
      linalg.yield %0 : f32
    }
    ```
  }];
  let statistics = [
    Statistic<"numConverted", "converted", "Blocks that became linalg">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect"
  ];
  let isLocal = 1;
}

def ConvertLinalgToTIR
    : PartitaPass<"convert-linalg-to-tir", "::partita::tir::PrimFuncOp",
                  "transform", "ConvertLinalgToTIR"> {
  let summary = "Turn linalg in prim_funcs into TVM's blocks";
  let description = [{
    A prim_func that `LegalizeOps` has made computes with linalg on tensors,
    which TVM lacks. Tensors become buffers of a root block, each op of linalg
    becomes loops around a block, and sizes become variables. Other code with
    effects, such as a loop that writes to a tensor, becomes a block without
    iterators. The export to TVM's JSON runs this pass.

    ```mlir
    %0 = bufferization.to_tensor %a restrict : memref<8xf32> to tensor<8xf32>
    %1 = tensor.empty() : tensor<8xf32>
    %2 = linalg.exp ins(%0 : tensor<8xf32>) outs(%1 : tensor<8xf32>) -> tensor<8xf32>
    bufferization.materialize_in_destination %2 in restrict writable %out
      : (tensor<8xf32>, memref<8xf32>) -> ()
    ```

    becomes

    ```mlir
    tir.block "root" [] where %true {
      scf.for %i = %c0 to %c8 step %c1 : i64 {
        tir.block "exp" ["spatial"] (%i : i64) from(%c0 : i64) extent(%c8 : i64)
            where %true {
        ^bb0(%v: i64):
          %3 = arith.index_cast %v : i64 to index
          tir.reads %a[%v : i64] [%c1 : i64] : memref<8xf32>
          tir.writes %out[%v : i64] [%c1 : i64] : memref<8xf32>
          %4 = memref.load %a[%3] : memref<8xf32>
          %5 = math.exp %4 : f32
          memref.store %5, %out[%3] : memref<8xf32>
        }
      }
    }
    ```

    The first value of a reduction becomes the block's `tir.init`, unless the
    reduction may have no terms. It is an error when a buffer is a view of
    another in a way that indices can't express.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let isLocal = 1;
}

//===----------------------------------------------------------------------===//
// The way down
//===----------------------------------------------------------------------===//

def LowerToFunc
    : PartitaSequential<"partita-lower-to-func", "transform", "LowerToFunc", 0, [
    "LambdaLift", "DispatchSampling", "DispatchSortScan",
    "relax-legalize-ops{skip-ops=relax.reshape}", "ConvertTIRBlocksToLinalg",
    "tir.LowerBlocks", "ConvertPartitaToFunc"
  ]> {
  let summary = "Lower partita.modules to functions on memrefs";
  let description = [{
    The functions of prim_funcs have linalg on tensors, or loops.

    ```sh
    partita-opt --partita-lower-to-func model.mlir
    ```
  }];
}

def LowerToLoops
    : PartitaSequential<"partita-lower-to-loops", "transform", "LowerToLoops", 0, [
    "func.func(linalg-fuse-elementwise-ops)", "canonicalize", "cse",
    "eliminate-empty-tensors", "one-shot-bufferize", "canonicalize", "cse",
    "buffer-deallocation-pipeline", "convert-bufferization-to-memref",
    "canonicalize", "cse",
    "func.func(convert-memref-copy-to-linalg)",
    "func.func(convert-linalg-reductions-to-loops)",
    "func.func(convert-linalg-to-parallel-loops,cse,canonicalize,cse)",
    "memref-widen-bools", "OutlineParallelLoops",
    "func.func(scf-parallel-for-to-nested-fors)"
  ]> {
  let summary = "Lower linalg on tensors to loops on memrefs";
  let description = [{
    Each buffer is freed after its last use. From opt_level 2 on, functions hold
    the loops that several threads run.

    ```sh
    partita-opt --partita-lower-to-func --partita-lower-to-loops model.mlir
    ```
  }];
}

def LowerToLLVM
    : PartitaSequential<"partita-lower-to-llvm", "transform", "LowerToLLVM", 0, [
    "LowerToFunc", "LowerToLoops", "func.func(lower-affine)",
    "convert-scf-to-cf", "expand-strided-metadata", "lower-affine",
    "arith-expand-float8", "arith-expand{include-bf16=true}",
    "convert-math-to-llvm", "convert-math-to-libm", "convert-vector-to-llvm",
    "convert-index-to-llvm",
    "finalize-memref-to-llvm{use-generic-functions=true}",
    "convert-func-to-llvm", "convert-arith-to-llvm", "convert-cf-to-llvm",
    "convert-ub-to-llvm", "reconcile-unrealized-casts"
  ]> {
  let summary = "Lower partita.modules to the LLVM dialect";
  let description = [{
    The result is what `partita-translate --mlir-to-llvmir` takes. It calls the
    functions of libPartitaRuntime that allocate, free, copy and report errors.

    ```sh
    partita-opt --partita-lower-to-llvm model.mlir
    ```
  }];
}

#endif // PARTITA_CONVERSION_PASSES
