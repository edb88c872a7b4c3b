// Bare, measured and observed, passes have their given options: no unset option
// counts as set, and none is lost.

// DEFINE: %{measured} = --instrument='timing{print=false}'
// DEFINE: %{observed} = --instrument='op-statistics{print=false}'

// RUN: partita-test-opt %s --test-options='name={a b} numbers=1,2' > %t.bare
// RUN: FileCheck %s --check-prefix=FLAG < %t.bare
// RUN: partita-test-opt %s --test-options='name={a b} numbers=1,2' -O2 | diff %t.bare -
// RUN: partita-test-opt %s --test-options='name={a b} numbers=1,2' %{measured} | diff %t.bare -
// RUN: partita-test-opt %s --test-options='name={a b} numbers=1,2' %{observed} | diff %t.bare -
// FLAG: module attributes {test.options = "number?{{.*}};flag?{{.*}};name=a b;with-default?7;1+2;;0"}

// The same pass without any option, and with an option set to its default.
// RUN: partita-test-opt %s --test-options > %t.bare
// RUN: partita-test-opt %s --test-options %{observed} | diff %t.bare -
// RUN: partita-test-opt %s --test-options='with-default=7 flag=false' > %t.bare
// RUN: partita-test-opt %s --test-options='with-default=7 flag=false' %{observed} | diff %t.bare -

// Pipelines as options, on nested ops, as flags and as text.
// DEFINE: %{text} = builtin.module(test-options{nested=any(cse),func.func(canonicalize{max-iterations=3},cse) names=a,b},func.func(test-options{number=0}))
// RUN: partita-test-opt %s --pass-pipeline='%{text}' > %t.bare
// RUN: FileCheck %s --check-prefix=TEXT < %t.bare
// RUN: partita-test-opt %s --pass-pipeline='%{text}' %{measured} | diff %t.bare -
// RUN: partita-test-opt %s --pass-pipeline='%{text}' %{observed} | diff %t.bare -
// TEXT: module attributes {test.options = "{{.*}};a+b;2:any(cse):func.func(canonicalize{{.*}}max-iterations=3{{.*}},cse)"}
// TEXT: func.func @f() attributes {test.options = "number=0;{{.*}}

// A pass of MLIR, whose optional device id became 0 when it was observed.
// RUN: partita-opt %S/Inputs/gpu-module.mlir \
// RUN:   --spirv-attach-target='module=.* ver=v1.0 caps=Kernel client_api=OpenCL vendor=Intel device_type=Other' > %t.bare
// RUN: FileCheck %s --check-prefix=SPIRV < %t.bare
// RUN: partita-opt %S/Inputs/gpu-module.mlir %{measured} \
// RUN:   --spirv-attach-target='module=.* ver=v1.0 caps=Kernel client_api=OpenCL vendor=Intel device_type=Other' | diff %t.bare -
// RUN: partita-opt %S/Inputs/gpu-module.mlir %{observed} \
// RUN:   --spirv-attach-target='module=.* ver=v1.0 caps=Kernel client_api=OpenCL vendor=Intel device_type=Other' | diff %t.bare -
// SPIRV: OpenCL, Intel:Other, #spirv

func.func @f() {
  return
}
