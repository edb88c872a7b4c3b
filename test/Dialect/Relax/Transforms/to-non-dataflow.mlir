// RUN: partita-opt %s --relax-to-non-dataflow --mlir-pass-statistics 2>%t | FileCheck %s
// RUN: %if asserts %{ FileCheck %s --check-prefix=STATS --input-file=%t %}
// RUN: partita-opt %s --relax-to-non-dataflow --relax-convert-to-dataflow --relax-to-non-dataflow | FileCheck %s

// STATS: ToNonDataflow
// STATS: (S) 4 blocks

partita.module @m {
  // CHECK-LABEL: relax.func @block
  // CHECK-SAME: (%[[X:.*]]: tensor<8xf32>)
  relax.func @block(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK-NEXT: %[[C:.*]] = relax.constant
    // CHECK-NEXT: %[[A:.*]] = relax.add %[[X]], %[[C]]
    // CHECK-NEXT: %[[B:.*]] = relax.exp %[[A]]
    // CHECK-NEXT: relax.return %[[B]], %[[X]]
    %y:3 = relax.dataflow -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32> {
      %c = relax.constant dense<1.0> : tensor<8xf32>
      %0 = relax.add %x, %c : tensor<8xf32>
      relax.output %0, %x, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
    }
    %1 = relax.exp %y#0 : tensor<8xf32>
    relax.return %1, %y#2 : tensor<8xf32>, tensor<8xf32>
  }

  // CHECK-LABEL: relax.func @nested
  relax.func @nested(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: %[[A:.*]] = relax.exp
    // CHECK-NEXT: %[[B:.*]] = relax.log %[[A]]
    // CHECK-NEXT: relax.return %[[B]]
    %y = relax.dataflow -> tensor<8xf32> {
      %z = relax.dataflow -> tensor<8xf32> {
        %0 = relax.exp %x : tensor<8xf32>
        relax.output %0 : tensor<8xf32>
      }
      %1 = relax.log %z : tensor<8xf32>
      relax.output %1 : tensor<8xf32>
    }
    relax.return %y : tensor<8xf32>
  }

  // CHECK-LABEL: relax.func @empty
  relax.func @empty() {
    // CHECK-NEXT: relax.return
    relax.dataflow {
      relax.output
    }
    relax.return
  }
  // CHECK: relax.func private @declared(tensor<8xf32>)
  relax.func private @declared(tensor<8xf32>)
}
