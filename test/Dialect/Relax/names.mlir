// Values are printed by the names in their locations, which are TVM's
// variables. Parsed values take their names from the text.
// RUN: partita-opt %s | FileCheck %s
// RUN: partita-opt %s | partita-opt | FileCheck %s
// RUN: partita-opt %s --mlir-print-op-generic | partita-opt | FileCheck %s --check-prefix=GENERIC
// RUN: partita-opt %s --emit-bytecode | partita-opt | FileCheck %s
// RUN: partita-opt %s --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

partita.module @m {
  // CHECK-LABEL: relax.func @main(%data: tensor<8xf32>, %arg0: tensor<8xf32>)
  // LOC-LABEL: relax.func @main(%data: tensor<8xf32> loc("data"(
  // LOC-SAME: %arg0: tensor<8xf32> loc("{{.*}}names.mlir":
  // GENERIC-LABEL: relax.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>)
  relax.func @main(%data: tensor<8xf32>, %arg1: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK-NEXT: %cst = relax.constant
    // CHECK-NEXT: %weight = relax.constant
    // CHECK-NEXT: %0 = relax.add %data, %weight
    // CHECK-NEXT: %sum = relax.add %0, %arg0
    // LOC: relax.constant dense<1.000000e+00> {{.*}} loc("{{.*}}names.mlir":
    // LOC-NEXT: relax.constant {{.*}} loc("weight"(
    // LOC-NEXT: relax.add {{.*}} loc("{{.*}}names.mlir":
    // LOC-NEXT: relax.add {{.*}} loc("sum"("{{.*}}names.mlir":
    %cst = relax.constant dense<1.0> : tensor<8xf32>
    %weight = relax.constant dense<2.0> : tensor<8xf32>
    %0 = relax.add %data, %weight : tensor<8xf32>
    %sum = relax.add %0, %arg1 : tensor<8xf32>
    // CHECK-NEXT: %left, %right = relax.dataflow
    // CHECK-NEXT:   %a = relax.exp %sum
    // CHECK-NEXT:   relax.output %a, %a
    // CHECK-NEXT: }
    // CHECK-NEXT: %both:2 = relax.call @callee(%left, %right)
    // LOC: } loc(fused["left"({{.*}}), "right"(
    %left, %right = relax.dataflow -> tensor<8xf32>, tensor<8xf32> {
      %a = relax.exp %sum : tensor<8xf32>
      relax.output %a, %a : tensor<8xf32>, tensor<8xf32>
    }
    %both:2 = relax.call @callee(%left, %right) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    relax.return %both#0, %both#1 : tensor<8xf32>, tensor<8xf32>
  }

  // An explicit location counts.
  // CHECK-LABEL: relax.func private @callee(%p: tensor<8xf32>, %q: tensor<8xf32>)
  relax.func private @callee(%x: tensor<8xf32> loc("p"), %q: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK-NEXT: %lv = relax.exp %p
    %y = relax.exp %x : tensor<8xf32> loc("lv")
    relax.return %y, %q : tensor<8xf32>, tensor<8xf32>
  }
}
