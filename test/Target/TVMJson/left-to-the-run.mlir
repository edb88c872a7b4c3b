// RUN: partita-translate --export-tvm-json %s -o %t.json
// RUN: grep -o '"relax.expr.MatchCast"' %t.json | wc -l | FileCheck %s --check-prefix=ONE
// RUN: partita-translate --import-tvm-json %t.json | FileCheck %s

// A cast that must fail is one binding in TVM.
// ONE: {{^ *}}1{{$}}
partita.module @m {
  // CHECK: relax.func @main
  // CHECK-NEXT: %0 = relax.match_cast %x : tensor<16xf32> -> !relax.object
  // CHECK-NEXT: %y = relax.match_cast %0 : !relax.object -> tensor<8xf32>
  // CHECK-NEXT: relax.return %y
  relax.func @main(%x: tensor<16xf32>) -> tensor<8xf32> {
    %0 = relax.match_cast %x : tensor<16xf32> -> !relax.object
    %y = relax.match_cast %0 : !relax.object -> tensor<8xf32>
    relax.return %y : tensor<8xf32>
  }

  // A call whose argument may not fit is as pure as its callee.
  // CHECK: relax.func @calls
  // CHECK: relax.call_value(%{{.*}}, %x) {is_pure = true}
  // CHECK: relax.call_value(%{{.*}}, %x) :
  relax.func @calls(%x: tensor<?xf32, #relax.shape<["n"]>>) attributes {is_pure = false} {
    %0 = relax.global @main
    %1 = relax.call_value(%0, %x) {is_pure = true} : (!relax.object, tensor<?xf32, #relax.shape<["n"]>>) -> tensor<8xf32>
    %2 = relax.global @impure
    %3 = relax.call_value(%2, %x) : (!relax.object, tensor<?xf32, #relax.shape<["n"]>>) -> tensor<8xf32>
    relax.return
  }
  relax.func @impure(%x: tensor<16xf32>) -> tensor<8xf32> attributes {is_pure = false} {
    relax.print %x : tensor<16xf32>
    %0 = relax.call @main(%x) : (tensor<16xf32>) -> tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
}
