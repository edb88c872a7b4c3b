//===- Passes.td - Config options of every type, for tests -*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "partita/Pass/PassBase.td"

def TestFlag : PassConfig<"test.flag", "bool", "false", "A flag">;
def TestCount : PassConfig<"test.count", "int", "1", "A number">;
def TestScale : PassConfig<"test.scale", "float", "0.5", "A scale">;
def TestLabel : PassConfig<"test.label", "string", "\"none\"", "A text">;
def TestSizes : PassConfig<"test.sizes", "list<int>", "[]", "A list of numbers">;
def TestUnroll : PassConfig<"test.Unroll", "UnrollConfig", "{}", "A struct", [
  ConfigField<"max_step", "int", "8", "steps">,
  ConfigField<"explicit_unroll", "bool", "true", "unroll, not annotate">,
]>;
