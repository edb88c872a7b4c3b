// The module, or functions in it, before and after passes.

// DEFINE: %{func} = partita-test-opt %S/Inputs/func.mlir -o /dev/null
// DEFINE: %{nested} = %{func} -O2 --disabled-pass=TestMiddle --pass-pipeline='builtin.module(func.func(cse,canonicalize),sequential{passes=any(test-owner),func.func(cse) name=Inner},test-d,test-b)'

// RUN: %{nested} --instrument=print-ir-after 2>&1 | grep '^//' \
// RUN:   | FileCheck %s --check-prefix=ALL --match-full-lines --implicit-check-not={{.}}
// ALL: // IR after cse
// ALL-NEXT: // IR after canonicalize
// ALL-NEXT: // IR after TestD
// ALL-NEXT: // IR after TestMiddle
// ALL-NEXT: // IR after TestA
// ALL-NEXT: // IR after TestD
// ALL-NEXT: // IR after TestMiddle
// ALL-NEXT: // IR after TestOwner
// ALL-NEXT: // IR after cse
// ALL-NEXT: // IR after Inner
// ALL-NEXT: // IR after TestB
// ALL-NEXT: // IR after sequential

// Named passes, by any of their names.
// RUN: %{nested} --instrument='print-ir-before{passes=cse,test-b}' 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: // IR before cse
// NAMED-NEXT: module {
// NAMED-NEXT: func.func @f
// NAMED-COUNT-2: arith.addi
// NAMED: // IR before cse
// NAMED-NEXT: module attributes
// NAMED-NOT: // IR
// NAMED: // IR before TestB

// Functions, by patterns.
// RUN: %{func} --cse --test-b --instrument='print-ir-after{functions=g passes=cse}' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONE --implicit-check-not='// IR' --implicit-check-not=module --implicit-check-not=@f
// ONE: // IR after cse of @g
// ONE-NEXT: func.func @g(
// RUN: partita-opt %S/Inputs/relax.mlir -o /dev/null --relax-fold-constant --instrument='print-ir-before{functions=m::m*,{m::l[a-z]*p} passes=FoldConstant}' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RELAX --implicit-check-not=partita.module
// RELAX: // IR before FoldConstant of @m::main
// RELAX-NEXT: relax.func @main(
// RELAX: // IR before FoldConstant of @m::loop
// RELAX-NEXT: tir.prim_func private @loop(
// RUN: %{func} --cse --instrument='print-ir-after{functions=h}' 2>&1 | count 0
// RUN: not %{func} --cse --instrument='print-ir-after{functions=[a}' 2>&1 | FileCheck %s --check-prefix=GLOB
// GLOB: error: instrument 'print-ir-after' failed to enter the pass context: expected functions to be glob patterns, but found '[a': 
// A name that is near to a pass's is misspelt.
// RUN: %{func} --cse --instrument='print-ir-after{passes=csee}' 2>&1 >/dev/null | FileCheck %s --check-prefix=MISSPELT --implicit-check-not={{.}}
// RUN: %{func} --cse --instrument='print-changed{passes=csee}' 2>&1 >/dev/null | FileCheck %s --check-prefix=MISSPELT --implicit-check-not={{.}}
// MISSPELT: warning: expected the passes of an instrument to be passes, but found 'csee' (did you mean 'cse'?)

// Up to a pass that fails, and without a vetoed pass.
// RUN: not %{func} --pass-pipeline='builtin.module(test-b,func.func(cse,test-fail{on=g}))' \
// RUN:   --instrument=print-ir-before --instrument='test-trace{name=T skip=TestB}' 2>&1 | grep '^// IR' | FileCheck %s --check-prefix=FAIL --implicit-check-not={{.}}
// FAIL: // IR before sequential
// FAIL-NEXT: // IR before cse
// FAIL-NEXT: // IR before test-fail

// Constants.
// RUN: partita-opt %s -o /dev/null --cse --instrument=print-ir-after 2>&1 | FileCheck %s --check-prefix=ELIDED
// RUN: partita-opt %s -o /dev/null --cse --instrument='print-ir-after{elide=-1}' 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: partita-opt %s -o /dev/null --cse --instrument='print-ir-after{elide=-1}' --mlir-elide-elementsattrs-if-larger=2 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: partita-opt %S/Inputs/resource.mlir -o /dev/null --cse --instrument='print-ir-after{elide=2}' 2>&1 | FileCheck %s --check-prefix=BLOB --implicit-check-not=-#
// RUN: partita-opt %S/Inputs/resource.mlir -o /dev/null --cse --instrument='print-ir-after{elide=-1}' 2>&1 | FileCheck %s --check-prefix=RESOURCE
// BLOB: dense_resource<blob1.{{[0-9a-f]+}}>
// RESOURCE: blob1: "0x0400000001000000
// ELIDED: dense_resource<__elided__.{{[0-9a-f]+}}> : tensor<17xi8>
// WHOLE: dense<[0, 1, 2, 3,
func.func @constant() -> tensor<17xi8> {
  %0 = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<17xi8>
  return %0 : tensor<17xi8>
}
