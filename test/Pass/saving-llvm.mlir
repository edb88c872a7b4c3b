// The verifier of llvm.blockaddress looks into the body of another function,
// which is hidden while a pass on the module runs.

// RUN: partita-opt %s --check-nest --check-cache --pass-pipeline='builtin.module(llvm.func(canonicalize))' -o /dev/null
// RUN: partita-opt %s --check-nest --check-cache --pass-pipeline='builtin.module(canonicalize,llvm.func(cse),canonicalize,cse,canonicalize)' -o /dev/null

// MLIR can't print the default of this pass.
// DEFINE: %{hidden} = llvm-use-default-visibility{visibility=hidden}
// RUN: partita-opt %s --skip-unchanged --llvm-use-default-visibility=visibility=hidden | FileCheck %s
// RUN: partita-opt %s --skip-unchanged --llvm-use-default-visibility --cse --llvm-use-default-visibility -o /dev/null
// RUN: partita-opt %s --explain -O2 --pass-pipeline='builtin.module(any(cse,builtin.module(llvm-use-default-visibility)))' | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: pipeline: builtin.module(any(cse,builtin.module(llvm-use-default-visibility)))
// RUN: partita-opt %s --check-inert --check-nest --check-cache --mlir-generate-reproducer=%t.repro -O2 --llvm-use-default-visibility --instrument=report{output=%t.html} -o /dev/null
// RUN: partita-opt %s --skip-unchanged --pass-cache=%t.cache --instrument=waste --pass-pipeline='builtin.module(%{hidden},%{hidden})' | FileCheck %s
// CHECK: llvm.func hidden @takes_address

llvm.func @takes_address(%arg: i1) -> !llvm.ptr {
  %0 = llvm.blockaddress <function = @takes_address, tag = <id = 1>> : !llvm.ptr
  %1 = llvm.blockaddress <function = @takes_address, tag = <id = 1>> : !llvm.ptr
  %2 = arith.select %arg, %0, %1 : !llvm.ptr
  llvm.br ^bb1
^bb1:
  llvm.blocktag <id = 1>
  llvm.return %1 : !llvm.ptr
}
llvm.func @takes_other(%arg: i1) -> !llvm.ptr {
  %0 = llvm.blockaddress <function = @takes_address, tag = <id = 1>> : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
