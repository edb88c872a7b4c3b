// Options that are not as they should be.
// RUN: not partita-opt %s --relax-alter-op-impl='op-impl-map={a = @new' 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not partita-opt %s '--relax-alter-op-impl=op-impl-map=1' 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not partita-opt %s '--relax-alter-op-impl=op-impl-map={a = "new"}' 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not partita-opt %s '--relax-alter-op-impl=op-impl-map={a = @new::@x}' 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not partita-opt %s '--relax-alter-op-impl=op-buffer-transforms={a = 1}' 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not partita-opt %s '--relax-alter-op-impl=op-buffer-transforms={a = [1]}' 2>&1 | FileCheck %s --check-prefix=NUMBERS
// RUN: not partita-opt %s '--relax-alter-op-impl=op-buffer-transforms={a = [affine_map<(i)[s] -> (i + s)>]}' 2>&1 | FileCheck %s --check-prefix=SYMBOL
// RUN: not partita-opt %s '--relax-alter-op-impl=op-buffer-transforms={a = [affine_map<(i) -> (i ceildiv 4)>]}' 2>&1 | FileCheck %s --check-prefix=CEIL
// RUN: not partita-opt %s '--relax-alter-op-impl=op-buffer-transforms={a = [#relax.opaque<"tirx.IndexMap", "{}">]}' 2>&1 | FileCheck %s --check-prefix=OPAQUE
// RUN: partita-opt %s '--relax-alter-op-impl=op-impl-map={} op-buffer-transforms={a = []}' | FileCheck %s
// RUN: partita-opt %s --relax-alter-op-impl | FileCheck %s

// OPEN: error:
// WORD: error: expected op-impl-map to be a dictionary by the names of ops, but found '1': expected attribute name
// TEXT: error: expected op-impl-map to have the symbol of a prim_func for 'a', but found "new"
// NESTED: error: expected op-impl-map to have the symbol of a prim_func for 'a', but found @new::@x
// NUMBER: error: expected op-buffer-transforms to have a list of index maps for 'a', but found 1 : i64
// NUMBERS: error: expected an affine_map of indices without symbols, a #relax.index_map or none for 'a', but found 1 : i64
// SYMBOL: error: expected an affine_map of indices without symbols, a #relax.index_map or none for 'a', but found affine_map
// CEIL: error: expected an affine_map of indices without symbols, a #relax.index_map or none for 'a', but found affine_map
// OPAQUE: error: expected an affine_map of indices without symbols, a #relax.index_map or none for 'a', but found #relax.opaque

// CHECK: partita.module
partita.module {
  tir.prim_func private @new(%x: memref<16xf32>, %y: memref<16xf32>) {
    tir.return
  }
}
