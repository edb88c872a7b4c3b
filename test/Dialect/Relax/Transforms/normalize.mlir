// RUN: partita-opt %s --relax-normalize | FileCheck %s

// A copy that names a size stays: without it, the second cast would name it.
partita.module {
  // CHECK-LABEL: relax.func private @main
  // CHECK: %[[S:.*]] = relax.alias %source : i64
  // CHECK-NEXT: relax.match_cast %[[S]] {relax.dim = "[[NAME:.*]]"} : i64 -> i64
  // CHECK-NEXT: relax.match_cast %data : tensor<?xf32> -> tensor<?xf32, #relax.shape<["[[NAME]]"]>>
  relax.func private @main(%source: i64 {relax.dim = "source"}, %data: tensor<?xf32>) -> i64 {
    %extent = relax.dataflow -> i64 {
      %extent_0 = relax.alias %source : i64
      %extent_1 = relax.match_cast %extent_0 {relax.dim = "extent"} : i64 -> i64
      %matched = relax.match_cast %data : tensor<?xf32> -> tensor<?xf32, #relax.shape<["extent"]>>
      relax.output %extent_1 : i64
    }
    relax.return {relax.untyped} %extent : i64
  }
}
