//===- Passes.td - Passes of the partita dialect ----------------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_PARTITA_TRANSFORMS_PASSES
#define PARTITA_DIALECT_PARTITA_TRANSFORMS_PASSES

include "partita/Pass/PassBase.td"

def PrintIR : PartitaPass<"partita-print-ir", "", "transform", "PrintIR"> {
  let summary = "Print the op that the pass runs on";
  let description = [{
    Prints the pass's op, usually the module, to stderr, after the line
    `PrintIR(header):`, and changes nothing. As in TVM, the pass stands in the
    pipeline where the IR is printed; the instruments print-ir-before and
    print-ir-after need no change to the pipeline.

    ```sh
    partita-opt --pass-pipeline='builtin.module(cse,partita-print-ir{header="after cse"})'
    ```
  }];
  let alwaysRuns = 1;
  let options = [
    Option<"header", "header", "std::string", /*default=*/"\"\"",
           "Text in the line above the IR">,
    Option<"elide", "elide", "int64_t", /*default=*/"16",
           "Print constants with more elements than this as a hash; -1 for "
           "none">,
  ];
}

// The pipelines of partita-opt's -O0 to -O3. Their members have opt levels of
// their own; the pipelines differ in their members.

class DefaultPipeline<int level, list<string> members>
    : PartitaSequential<"default-O" # level, "transform", "DefaultO" # level, 0,
                        members>;

def DefaultO0 : DefaultPipeline<0, []> {
  let summary = "The default pipeline at -O0: nothing";
}

def DefaultO1 : DefaultPipeline<1, [
    "CanonicalizeBindings", "EliminateCommonSubexpr", "DeadCodeElimination"
  ]> {
  let summary = "The default pipeline at -O1: cleaning";
  let description = [{
    Removes ops that only pass a value on, computes equal values once, and
    erases unused ops and functions.

    ```sh
    partita-opt -O1 model.mlir
    ```
  }];
}

def DefaultO2 : DefaultPipeline<2, [
    "CanonicalizeBindings",
    "relax-fold-batchnorm-to-conv2d{skip-training=true}", "FoldConstant",
    "EliminateCommonSubexpr", "DeadCodeElimination"
  ]> {
  let summary = "The default pipeline at -O2: cleaning and folding";
  let description = [{
    Moves batch norms that are not for training into the weights of
    convolutions, computes constant values, and then does the same as -O1.

    ```sh
    partita-opt -O2 model.mlir
    ```
  }];
}

def DefaultO3 : DefaultPipeline<3, [
    "CanonicalizeBindings",
    "relax-fold-batchnorm-to-conv2d{skip-training=true}", "FoldConstant",
    "FoldScaleAxis", "FoldConstant", "EliminateCommonSubexpr",
    "DeadCodeElimination", "tir.UnrollLoop"
  ]> {
  let summary = "The default pipeline at -O3: cleaning, folding, unrolling";
  let description = [{
    Does the same as -O2, and moves multiplications by constants into weights.
    Then unrolls the loops in prim_funcs that are marked for it, or that the
    config `tir.UnrollLoop` allows.

    ```sh
    partita-opt -O3 --pass-config='tir.UnrollLoop={auto_max_step = 16}' model.mlir
    ```
  }];
}

#endif // PARTITA_DIALECT_PARTITA_TRANSFORMS_PASSES
