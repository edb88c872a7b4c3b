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


def test_lowered_by_passes():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((10, 70), dtype="float32")
    w = rng.standard_normal((4, 10, 3), dtype="float32")
    windows = np.lib.stride_tricks.sliding_window_view(x, 3, axis=1)
    expected = np.einsum("cjk,ick->ij", windows, w)
    mod = partita.IRModule.from_text(CONV)
    passes = """LowerInitBlock ConvertBlocksToOpaque LowerMatchBuffer LowerOpaqueBlock FlattenBuffer
        StmtSimplify LoopPartition VectorizeLoop StorageRewrite UnrollLoop RemoveNoOp"""
    for name in passes.split():
        mod = getattr(partita.tir.transform, name)()(mod)
        main = partita.compile(mod, relax_pipeline=None)["main"]
        np.testing.assert_allclose(main(x, w), expected, atol=1e-4, err_msg=name)


# Vectors as VectorizeLoop makes them: of consecutive elements, and of every 16th one.
VECTORS = """
partita.module {
  tir.prim_func private @transpose(%x: memref<64xf32>, %y: memref<64xf32>) attributes {tirx.noalias = true} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %c16 = arith.constant 16 : i32
    %two = arith.constant 2.0 : f32
    scf.for %i = %c0 to %c16 step %c1 : i32 {
      %0 = arith.muli %i, %c4 : i32
      %rows = tir.prim "Ramp"(%0, %c1, %c4) : (i32, i32, i32) -> vector<4xi32>
      %others = tir.prim "Ramp"(%i, %c16, %c4) : (i32, i32, i32) -> vector<4xi32>
      %1 = tir.load %x[%rows] : memref<64xf32>, vector<4xi32> -> vector<4xf32>
      %2 = tir.prim "Broadcast"(%two, %c4) : (f32, i32) -> vector<4xf32>
      %3 = tir.prim "Min"(%1, %2) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
      %4 = math.acosh %2 : vector<4xf32>
      %5 = tir.prim "LT"(%1, %2) : (vector<4xf32>, vector<4xf32>) -> vector<4xi1>
      %6 = tir.prim "Select"(%5, %3, %4) : (vector<4xi1>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
      tir.store %6, %y[%others] : vector<4xf32>, memref<64xf32>, vector<4xi32>
    }
    tir.return
  }
  relax.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
    %0 = relax.call_tir @transpose(%x) : (tensor<64xf32>) -> tensor<64xf32>
    relax.return %0 : tensor<64xf32>
  }
}"""


@pytest.mark.parametrize("level", [0, 3])
def test_vectors(level):
    x = np.random.default_rng(0).standard_normal(64, dtype="float32") * 2
    with partita.transform.PassContext(opt_level=level):
        main = partita.compile(partita.IRModule.from_text(VECTORS))["main"]
    expected = np.where(x < 2, x, np.arccosh(np.float32(2)))
    np.testing.assert_allclose(main(x), expected.reshape(16, 4).T.reshape(-1), rtol=1e-6)


def run_elementwise(body, x, result):
    """Runs `body`, which makes %y of type `result` from %x, on each element of `x`."""
    dtypes = {"float32": "f32", "float16": "f16", "int32": "i32", "int64": "i64", "uint8": "ui8"}
    dtype, n = dtypes[str(x.dtype)], len(x)
    text = f"""
partita.module {{
  tir.prim_func private @kernel(%a: memref<{n}x{dtype}>, %b: memref<{n}x{result}>) {{
    %begin = arith.constant 0 : i64
    %step = arith.constant 1 : i64
    %end = arith.constant {n} : i64
    scf.for %i = %begin to %end step %step : i64 {{
      %at = arith.index_cast %i : i64 to index
      %x = memref.load %a[%at] : memref<{n}x{dtype}>
      {body}
      memref.store %y, %b[%at] : memref<{n}x{result}>
    }}
    tir.return
  }}
  relax.func @main(%x: tensor<{n}x{dtype}>) -> tensor<{n}x{result}> {{
    %0 = relax.call_tir @kernel(%x) : (tensor<{n}x{dtype}>) -> tensor<{n}x{result}>
    relax.return %0 : tensor<{n}x{result}>
  }}
}}"""
    return partita.compile(partita.IRModule.from_text(text))["main"](x)


def test_round_to_even():
    x = np.array([0.5, 1.5, 2.5, -0.5, -2.5, 3.2], "float32")
    y = run_elementwise('%y = tir.call_intrin pure "tirx.round"(%x) : (f32) -> f32', x, "f32")
    np.testing.assert_array_equal(y, np.round(x))


def test_bits():
    x = np.array([0, 1, -1, 255, -256, 2**31 - 1], "int32")
    bits = [int(number) & 0xFFFFFFFF for number in x]
    y = run_elementwise('%y = tir.call_intrin pure "tirx.popcount"(%x) : (i32) -> i32', x, "i32")
    np.testing.assert_array_equal(y, [number.bit_count() for number in bits])
    y = run_elementwise('%y = tir.call_intrin pure "prim.clz"(%x) : (i32) -> i32', x, "i32")
    np.testing.assert_array_equal(y, [32 - number.bit_length() for number in bits])
    y = run_elementwise('%y = tir.prim "BitwiseNot"(%x) : (i32) -> i32', x, "i32")
    np.testing.assert_array_equal(y, ~x)


@pytest.mark.parametrize("name", ["hypot", "nextafter"])
def test_library(name):
    x = np.array([0, 1, -2.5, 3e20, np.inf], "float32")
    y = run_elementwise(
        f'%y = tir.call_intrin pure "tirx.{name}"(%x, %x) : (f32, f32) -> f32', x, "f32"
    )
    np.testing.assert_allclose(y, getattr(np, name)(x, x), rtol=1e-6)


def test_exponents():
    x = np.array([0, 1, -2.5, 65504, 6e-8, np.inf, 1.003], "float16")
    y = run_elementwise(
        '%0 = tir.prim "Cast"(%x) : (f16) -> bf16\n %y = tir.prim "Cast"(%0) : (bf16) -> f32',
        x,
        "f32",
    )
    # 16 bits of the float are cut, to the nearest.
    bits = x.astype("float32").view("uint32").astype("uint64")
    expected = (((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) << 16).astype("uint32")
    np.testing.assert_array_equal(y, expected.view("float32"))
    y = run_elementwise('%y = tir.call_intrin pure "tirx.exp10"(%x) : (f16) -> f16', x[:3], "f16")
    np.testing.assert_allclose(y, 10 ** x[:3], rtol=5e-3)
    for name in ("isfinite", "isinf"):
        y = run_elementwise(f'%y = tir.call_intrin pure "tirx.{name}"(%x) : (f16) -> i1', x, "i1")
        np.testing.assert_array_equal(y, getattr(np, name)(x))


# The sum of positive numbers up to the first one that is greater than 10.
JUMPS = """
partita.module {
  tir.prim_func private @sum_some(%x: memref<?xf32>, %y: memref<1xf32>) {
    %c0 = arith.constant 0 : i64
    %zero = arith.constant 0.0 : f32
    %ten = arith.constant 10.0 : f32
    %at = arith.constant 0 : index
    %n = tir.var : i64
    tir.buffer %x shape(%n : i64) {index_type = i64} : memref<?xf32>
    %some = arith.cmpi slt, %c0, %n : i64
    tir.assert %some "ValueError" ["expected ", "numbers"]
    memref.store %zero, %y[%at] : memref<1xf32>
    tir.for "serial" %c0, %n : i64, i64 {
    ^bb0(%i: i64):
      %0 = arith.index_cast %i : i64 to index
      %1 = memref.load %x[%0] : memref<?xf32>
      %2 = arith.cmpf ogt, %1, %ten : f32
      scf.if %2 {
        tir.call_intrin "tirx.break_loop"() : () -> ()
      }
      %3 = arith.cmpf olt, %1, %zero : f32
      scf.if %3 {
        tir.call_intrin "tirx.continue_loop"() : () -> ()
      }
      %4 = memref.load %y[%at] : memref<1xf32>
      %5 = arith.addf %4, %1 : f32
      memref.store %5, %y[%at] : memref<1xf32>
    }
    tir.return
  }
  relax.func @main(%x: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<1xf32> {
    %0 = relax.call_tir @sum_some(%x)
      : (tensor<?xf32, #relax.shape<["n"]>>) -> tensor<1xf32>
    relax.return %0 : tensor<1xf32>
  }
}"""


@pytest.mark.parametrize("level", [0, 3])
def test_jumps(level):
    with partita.transform.PassContext(opt_level=level):
        main = partita.compile(partita.IRModule.from_text(JUMPS))["main"]
    assert main(np.array([1, -2, 3, 11, 4], "float32")) == [4]
    assert main(np.array([1, -2, 3], "float32")) == [4]
    assert main(np.array([12], "float32")) == [0]
    with pytest.raises(RuntimeError, match="expected numbers"):
        main(np.zeros(0, "float32"))


STRIDED = """
partita.module {
  tir.prim_func @main(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %four = arith.constant 4 : i64
    %six = arith.constant 6 : i64
    %n = tir.var : i64
    tir.buffer %a shape(%n, %four : i64, i64) {index_type = i64} : memref<?x4xf32>
    tir.buffer %b shape(%n, %four : i64, i64) {index_type = i64} : memref<?x4xf32>
    %wide = arith.addi %n, %six : i64
    // Each row ends with elements of no use.
    %rows = tir.alloc_buffer shape(%n, %four : i64, i64) strides(%six, %one : i64, i64)
      {index_type = i64} : memref<?x4xf32, strided<[6, 1]>>
    %others = tir.alloc_buffer shape(%n, %four : i64, i64) strides(%wide, %one : i64, i64)
      {index_type = i64} : memref<?x4xf32, strided<[?, 1]>>
    scf.for %i = %zero to %n step %one : i64 {
      scf.for %j = %zero to %four step %one : i64 {
        %x = arith.index_cast %i : i64 to index
        %y = arith.index_cast %j : i64 to index
        %0 = memref.load %a[%x, %y] : memref<?x4xf32>
        memref.store %0, %rows[%x, %y] : memref<?x4xf32, strided<[6, 1]>>
        %1 = arith.mulf %0, %0 : f32
        memref.store %1, %others[%x, %y] : memref<?x4xf32, strided<[?, 1]>>
      }
    }
    scf.for %i = %zero to %n step %one : i64 {
      scf.for %j = %zero to %four step %one : i64 {
        %x = arith.index_cast %i : i64 to index
        %y = arith.index_cast %j : i64 to index
        %0 = memref.load %rows[%x, %y] : memref<?x4xf32, strided<[6, 1]>>
        %1 = memref.load %others[%x, %y] : memref<?x4xf32, strided<[?, 1]>>
        %2 = arith.addf %0, %1 : f32
        memref.store %2, %b[%x, %y] : memref<?x4xf32>
      }
    }
    tir.return
  }
}
"""


@pytest.mark.parametrize("rows", [5, 1, 0])
def test_buffers_with_strides(rows):
    a = np.arange(rows * 4, dtype="float32").reshape(rows, 4)
    b = np.full_like(a, -1)
    mod = partita.IRModule.from_text(STRIDED)
    partita.compile(mod)["main"](a, b)
    assert (b == a + a * a).all()
    flat = partita.tir.transform.FlattenBuffer()(mod)
    b[:] = -1
    partita.compile(flat)["main"](a, b)
    assert (b == a + a * a).all()
