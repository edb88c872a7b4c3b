# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prim_funcs with TVM's blocks, which become linalg where that can express them."""

import numpy as np
import pytest

import partita

runtime = pytest.importorskip("partita.runtime")

CONV = """
partita.module {
  tir.prim_func private @conv(%x: memref<10x70xf32>, %w: memref<4x10x3xf32>, %y: memref<4x68xf32>)
      attributes {tirx.noalias = true} {
    %true = arith.constant true
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c3 = arith.constant 3 : i64
    %c4 = arith.constant 4 : i64
    %c10 = arith.constant 10 : i64
    %c68 = arith.constant 68 : i64
    %zero = arith.constant 0.0 : f32
    tir.block "root" [] where %true {
      scf.for %i = %c0 to %c4 step %c1 : i64 {
        scf.for %j = %c0 to %c68 step %c1 : i64 {
          scf.for %c = %c0 to %c10 step %c1 : i64 {
            scf.for %k = %c0 to %c3 step %c1 : i64 {
              tir.block "conv" ["spatial", "spatial", "reduce", "reduce"]
                  (%i, %j, %c, %k : i64, i64, i64, i64) from(%c0, %c0, %c0, %c0 : i64, i64, i64, i64)
                  extent(%c4, %c68, %c10, %c3 : i64, i64, i64, i64) where %true {
              ^bb0(%vi: i64, %vj: i64, %vc: i64, %vk: i64):
                %0 = arith.index_cast %vi : i64 to index
                %1 = arith.index_cast %vj : i64 to index
                %2 = arith.index_cast %vc : i64 to index
                %3 = arith.index_cast %vk : i64 to index
                tir.init {
                  memref.store %zero, %y[%0, %1] : memref<4x68xf32>
                }
                %4 = arith.addi %vj, %vk : i64
                %5 = arith.index_cast %4 : i64 to index
                %6 = memref.load %y[%0, %1] : memref<4x68xf32>
                %7 = memref.load %x[%2, %5] : memref<10x70xf32>
                %8 = memref.load %w[%0, %2, %3] : memref<4x10x3xf32>
                %9 = arith.mulf %7, %8 : f32
                %10 = arith.addf %6, %9 : f32
                memref.store %10, %y[%0, %1] : memref<4x68xf32>
              }
            }
          }
        }
      }
    }
    tir.return
  }
  relax.func @main(%x: tensor<10x70xf32>, %w: tensor<4x10x3xf32>) -> tensor<4x68xf32> {
    %0 = relax.call_tir @conv(%x, %w)
      : (tensor<10x70xf32>, tensor<4x10x3xf32>) -> tensor<4x68xf32>
    relax.return %0 : tensor<4x68xf32>
  }
}"""


def test_convolution():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((10, 70), dtype="float32")
    w = rng.standard_normal((4, 10, 3), dtype="float32")
    results = []
    for disabled in ([], ["ConvertTIRBlocksToLinalg"]):
        with partita.transform.PassContext(opt_level=3, disabled_pass=disabled):
            main = partita.compile(partita.IRModule.from_text(CONV))["main"]
        results.append(main(x, w))
    windows = np.lib.stride_tricks.sliding_window_view(x, 3, axis=1)
    np.testing.assert_allclose(results[0], np.einsum("cjk,ick->ij", windows, w), atol=1e-4)
    # Blocks that stay loops have the same numbers to the last bit.
    np.testing.assert_array_equal(*results)
