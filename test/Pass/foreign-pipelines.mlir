// Pipelines that passes run. Their passes do not belong to the plan, on any
// thread. They can be copies of passes that are gone, as in the inliner.

// DEFINE: %{opt} = partita-opt %s -o %t.mlir
// DEFINE: %{names} = FileCheck %s --match-full-lines --strict-whitespace
// DEFINE: %{only} = sed 's/: .*//'
// DEFINE: %{inline} = --pass-pipeline='builtin.module(inline{op-pipelines=func.func(cse)},canonicalize)'

// RUN: partita-opt %s --pass-pipeline='builtin.module(inline{op-pipelines=func.func(cse)},canonicalize)' -o %t.plain.mlir
// RUN: %{opt} %{inline} --instrument=timing 2>&1 | %{only} | %{names} --check-prefix=INLINE
// RUN: diff %t.mlir %t.plain.mlir
// RUN: %{opt} %{inline} --instrument=timing --instrument='bisect{print=false}' --mlir-disable-threading 2>&1 \
// RUN:   | %{only} | %{names} --check-prefix=INLINE
// RUN: diff %t.mlir %t.plain.mlir
// RUN: %{opt} %{inline} --instrument='trace{output=%t.json}' --instrument='report{output=%t.html}'
// RUN: diff %t.mlir %t.plain.mlir
//      INLINE:sequential
// INLINE-NEXT:	inline
// INLINE-NEXT:	canonicalize
//  INLINE-NOT:{{.}}

// A pass that reads the PassContext is tracked, too.
// RUN: %{opt} --pass-pipeline='builtin.module(inline{op-pipelines=func.func(cse)},canonicalize,partita.module(tir.prim_func(tir-unroll-loop)))' -O3
// RUN: diff %t.mlir %t.plain.mlir

// Sequentials in such a pipeline are inside the pass, and nowhere else.
// DEFINE: %{fixed} = --pass-pipeline='builtin.module(composite-fixed-point-pass{name=FP pipeline=any(sequential{name=N passes=any(cse)})},canonicalize)'
// RUN: %{opt} %{fixed} --instrument=timing 2>&1 | %{only} | %{names} --check-prefix=FIXED
// RUN: %{opt} %{fixed} --instrument=timing --mlir-disable-threading 2>&1 | %{only} | %{names} --check-prefix=FIXED
// RUN: %{opt} %{fixed} --instrument=timing --instrument='bisect{print=false}' 2>&1 | %{only} | %{names} --check-prefix=FIXED
//      FIXED:sequential
// FIXED-NEXT:	composite-fixed-point-pass
// FIXED-NEXT:		N
// FIXED-NEXT:			cse
// FIXED-NEXT:		N
// FIXED-NEXT:			cse
// FIXED-NEXT:		N
// FIXED-NEXT:			cse
// FIXED-NEXT:		N
// FIXED-NEXT:			cse
// FIXED-NEXT:	canonicalize
//  FIXED-NOT:{{.}}

// A failed one is over, and later passes are not inside it.
// RUN: not partita-test-opt %s --pass-pipeline='builtin.module(composite-fixed-point-pass{name=FP pipeline=any(sequential{name=N passes=any(cse,test-fail)},cse)},canonicalize)' \
// RUN:   --instrument=timing -o /dev/null 2> %t.errors
// RUN: sed 's/: .*//' %t.errors | FileCheck %s --check-prefix=FAIL
//     FAIL: {{^}}sequential
// FAIL-NEXT: {{^}}	composite-fixed-point-pass
// FAIL-NEXT: {{^}}		N
//  FAIL-NOT: canonicalize

func.func private @g(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
func.func @f(%x: i32) -> i32 {
  %0 = func.call @g(%x) : (i32) -> i32
  %1 = func.call @g(%0) : (i32) -> i32
  return %1 : i32
}
