// RUN: partita-opt %s --relax-legalize-ops='skip-ops=relax.add,relax.nn.relu' | FileCheck %s
// RUN: partita-opt %s --relax-legalize-ops=enable-warning -verify-diagnostics -o /dev/null
// RUN: partita-opt %s --relax-legalize-ops -O0 --disabled-pass=LegalizeOps \
// RUN:   | FileCheck %s --check-prefix=OFF
// RUN: partita-opt %s --relax-legalize-ops \
// RUN:   | partita-translate --export-tvm-json | FileCheck %s --check-prefix=EXPORT

// EXPORT: "s_tir.SBlock"

// CHECK-LABEL: relax.func @main
// CHECK-NEXT: relax.add
// CHECK-NEXT: relax.nn.relu
// CHECK-NEXT: relax.call_tir @subtract
// CHECK-NEXT: relax.sort
// OFF: relax.subtract
// OFF-NOT: tir.prim_func
partita.module {
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = relax.add %x, %x : tensor<8xf32>
    %1 = relax.nn.relu %0 : tensor<8xf32>
    %2 = relax.subtract %1, %x : tensor<8xf32>
    // expected-warning @below {{expected an op that can be legalized, found one without a lowering}}
    %3 = relax.sort %2 : (tensor<8xf32>) -> tensor<8xf32>
    relax.return %3 : tensor<8xf32>
  }
}
