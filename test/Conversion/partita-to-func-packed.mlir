// RUN: partita-opt --convert-partita-to-func %s | FileCheck %s
// RUN: partita-opt --partita-lower-to-llvm %s -o %t.mlir
// RUN: FileCheck %s --check-prefix=LLVM < %t.mlir

// CHECK-DAG: func.func private @[[TWICE:partita_packed[_0-9]*]](memref<?x4xf32>) -> memref<?x4xf32> attributes {llvm.emit_c_interface}
// CHECK-DAG: func.func private @[[ADD:partita_packed[_0-9]*]](memref<?x4xf32>, memref<?x4xf32>, memref<?x4xf32>) attributes {llvm.emit_c_interface}
// CHECK-DAG: func.func private @[[LOG:partita_packed[_0-9]*]](memref<?x4xf32>, i64, i64) attributes {llvm.emit_c_interface}

!rows = tensor<?x4xf32, #relax.shape<["n", 4]>>
partita.module {
  // CHECK: func.func @partita.main(%[[X:.*]]: memref<?x4xf32>)
  relax.func @main(%x: !rows) -> !rows attributes {is_pure = false} {
    // CHECK: %[[Y:.*]] = memref.alloc
    // CHECK: call @[[ADD]](%[[X]], %[[X]], %[[Y]])
    %add = relax.extern_func "test.add"
    %0 = relax.tuple(%x, %x) : !rows, !rows
    %y = relax.call_dps_packed(%add, %0) : (!relax.object, tuple<!rows, !rows>) -> !rows
    // Calls of the same function with the same types share a declaration.
    // CHECK: %[[Z:.*]] = call @[[TWICE]](%[[Y]])
    // CHECK: call @partita_runtime_fail
    // CHECK: call @[[TWICE]](%[[Z]])
    %twice = relax.extern_func "test.twice"
    %z = relax.call_pure_packed(%twice, %y) : (!relax.object, !rows) -> !rows
    %w = relax.call_pure_packed(%twice, %z) : (!relax.object, !rows) -> !rows
    // A string is in the metadata. No one uses the result.
    // CHECK: call @[[LOG]](%{{.*}}, %{{.*}}, %{{.*}}) : (memref<?x4xf32>, i64, i64) -> ()
    %log = relax.extern_func "test.log"
    %text = relax.string "now"
    %shape = relax.shape ["n", 4]
    %u = relax.call_value(%log, %w, %text, %shape) : (!relax.object, !rows, !relax.object, !relax.shape<["n", 4]>) -> !relax.object
    relax.return %w : !rows
  }
}

// CHECK: partita_metadata
// CHECK-SAME: \22packed_funcs\22
// The function that writes its arguments may write what was allocated here.
// CHECK-SAME: \22name\22:\22test.log\22,\22params\22:[{\22dtype\22:\22float32\22,\22is_written\22:true,\22kind\22:\22tensor\22
// CHECK-SAME: {\22kind\22:\22string\22,\22value\22:\22now\22}

// LLVM-DAG: llvm.func @_mlir_ciface_partita_packed{{.*}}(!llvm.ptr, !llvm.ptr)
