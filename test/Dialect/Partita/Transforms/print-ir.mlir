// RUN: partita-opt %s --partita-print-ir 2>&1 >/dev/null | FileCheck %s --check-prefixes=MODULE
// RUN: partita-opt %s --pass-pipeline='builtin.module(partita-print-ir{header="before" elide=-1},cse,partita-print-ir{header="after cse" elide=2})' 2>&1 >/dev/null | FileCheck %s --check-prefix=HEADER
// RUN: partita-opt %s --pass-pipeline='builtin.module(partita.module(relax.func(partita-print-ir{elide=4})))' 2>&1 >/dev/null | FileCheck %s --check-prefix=FUNC
// RUN: partita-opt %s --partita-print-ir 2>/dev/null | FileCheck %s --check-prefix=OUTPUT
// RUN: partita-opt %s --partita-print-ir -O1 --disabled-pass=PrintIR 2>&1 >/dev/null | FileCheck %s --check-prefix=DISABLED --allow-empty
// RUN: not partita-opt %s --partita-print-ir=elide=many 2>&1 | FileCheck %s --check-prefix=OPTION

// DISABLED-NOT: partita.module
// OPTION: elide

// TVM's line is above the module. Long constants are elided.
// MODULE: {{^}}PrintIR():{{$}}
// MODULE-NEXT: {{^}}module {
// MODULE-NEXT: partita.module @m {
// MODULE: relax.constant dense_resource<__elided__.{{[0-9a-f]+}}> : tensor<17xf32>
// MODULE: relax.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>
// MODULE: relax.constant dense_resource<w.{{[0-9a-f]+}}> : tensor<2xf32>

// The first pass elides nothing.
// HEADER: {{^}}PrintIR(before):{{$}}
// HEADER-NEXT: module {
// HEADER: relax.constant dense<[0.{{.*}}, 1.{{.*}}1.600000e+01]> : tensor<17xf32>
// HEADER-COUNT-2: relax.exp
// HEADER: {{^}}PrintIR(after cse):{{$}}
// HEADER-NEXT: module {
// HEADER: relax.constant dense_resource<__elided__.{{[0-9a-f]+}}> : tensor<17xf32>
// HEADER-NEXT: relax.constant dense_resource<__elided__.{{[0-9a-f]+}}> : tensor<3xf32>
// HEADER: relax.exp
// HEADER-NOT: relax.exp

// On functions it prints each in one piece, in any order.
// FUNC-DAG: {{^}}relax.func @f
// FUNC-DAG: {{^}}relax.func private @g
// FUNC-NOT: partita.module

// It changes nothing.
// OUTPUT: relax.func @f
// OUTPUT-COUNT-2: relax.exp
// OUTPUT: relax.func private @g
partita.module @m {
  relax.func @f(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<17xf32>, tensor<3xf32>, tensor<2xf32>) {
    %c = relax.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]> : tensor<17xf32>
    %d = relax.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %w = relax.constant dense_resource<w> : tensor<2xf32>
    %0 = relax.exp %x : tensor<8xf32>
    %1 = relax.exp %x : tensor<8xf32>
    relax.return %0, %1, %c, %d, %w : tensor<8xf32>, tensor<8xf32>, tensor<17xf32>, tensor<3xf32>, tensor<2xf32>
  }
  relax.func private @g() {
    relax.return
  }
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F00000040"
    }
  }
#-}
