// Bytecode keeps some attributes and types as text, which can be the text of
// others, too. The pass cache keeps no results of ops that have such ones.

// DEFINE: %{passes} = builtin.module(canonicalize,func.func(cse),spirv.module(canonicalize,any(cse)))
// DEFINE: %{plain} = partita-opt --allow-unregistered-dialect --pass-pipeline='%{passes}' --emit-bytecode
// RUN: rm -rf %t.cache
// RUN: %{plain} %s -o %t.plain
// RUN: %{plain} %s -o %t.cold --pass-cache=%t.cache && cmp %t.plain %t.cold
// RUN: ls %t.cache/llvmcache-* | count 2
// RUN: %{plain} %s -o %t.warm --pass-cache=%t.cache && cmp %t.plain %t.warm

// Nor does the text tell what is around a function, or what a function names.
// DEFINE: %{copy} = partita-test-opt --pass-pipeline='builtin.module(func.func(canonicalize,test-copy-attribute))' --emit-bytecode
// RUN: sed -n 's/^\/\/ AROUND: //p' %s > %t.around.mlir
// RUN: sed 's/test.value = #right/test.value = #left/' %t.around.mlir > %t.other.mlir
// RUN: %{copy} -o %t.plain < %t.around.mlir
// RUN: %{copy} -o /dev/null --pass-cache=%t.cache < %t.other.mlir
// RUN: %{copy} -o %t.warm --pass-cache=%t.cache < %t.around.mlir && cmp %t.plain %t.warm

// AROUND: #left = affine_map<(d0, d1, d2) -> ((d0 + d1) + d2)>
// AROUND: #right = affine_map<(d0, d1, d2) -> (d0 + (d1 + d2))>
// AROUND: module attributes {test.value = #right} {
// AROUND:   func.func @f(%x: i32) attributes {test.left = #left} {
// AROUND:     return
// AROUND:   }
// AROUND: }

#left = affine_map<(d0, d1, d2) -> ((d0 + d1) + d2)>
#right = affine_map<(d0, d1, d2) -> (d0 + (d1 + d2))>

// Both have the text `d0 + d1 + d2`.
func.func @maps(%x: i32) -> i32 attributes {test.left = #left, test.right = #right} {
  %zero = arith.constant 0 : i32
  %0 = arith.addi %x, %zero : i32
  return %0 : i32
}

// Types of values.
func.func @layouts(%x: i1) {
  cf.cond_br %x, ^left, ^right
^left:
  %left = "test.left"() : () -> memref<1x2x3xf32, #left>
  "test.use"(%left) : (memref<1x2x3xf32, #left>) -> ()
  cf.br ^right
^right:
  %right = "test.right"() : () -> memref<1x2x3xf32, #right>
  "test.use"(%right) : (memref<1x2x3xf32, #right>) -> ()
  return
}

// Other text is kept.
func.func @kept(%x: i32) -> i32
    attributes {test.llvm = !llvm.struct<"list", (ptr, i32)>, test.map = #left} {
  %zero = arith.constant 0 : i32
  %0 = arith.addi %x, %zero : i32
  return %0 : i32
}

// The type of a graph has the text of a function's type.
spirv.module Logical Vulkan requires #spirv.vce<v1.0, [VulkanMemoryModel, Shader, Int8, TensorsARM, GraphARM], [SPV_ARM_tensors, SPV_ARM_graph]> {
  spirv.ARM.Graph @graph(%x : !spirv.arm.tensor<14x19xi8>) -> !spirv.arm.tensor<14x19xi8> {
    spirv.ARM.GraphOutputs %x : !spirv.arm.tensor<14x19xi8>
  }
  spirv.func @f(%x: i32) -> i32 "None" {
    %zero = spirv.Constant 0 : i32
    %0 = spirv.IAdd %zero, %x : i32
    spirv.ReturnValue %0 : i32
  }
}
