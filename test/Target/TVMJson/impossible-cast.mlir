// RUN: partita-translate --export-tvm-json %s -o %t.json
// RUN: grep -o '"relax.expr.MatchCast"' %t.json | wc -l | FileCheck %s --check-prefix=ONE
// RUN: partita-translate --import-tvm-json %t.json | FileCheck %s

// A cast that can but fail is one binding in TVM.
// ONE: {{^ *}}1{{$}}
partita.module @impossible {
  // CHECK: relax.func @main
  // CHECK-NEXT: %0 = relax.match_cast %x : tensor<16xf32> -> !relax.object
  // CHECK-NEXT: %y = relax.match_cast %0 : !relax.object -> tensor<8xf32>
  // CHECK-NEXT: relax.return %y
  relax.func @main(%x: tensor<16xf32>) -> tensor<8xf32> {
    %0 = relax.match_cast %x : tensor<16xf32> -> !relax.object
    %y = relax.match_cast %0 : !relax.object -> tensor<8xf32>
    relax.return %y : tensor<8xf32>
  }
}
