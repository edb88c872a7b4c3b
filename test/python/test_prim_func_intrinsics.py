# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Intrinsics of prim_funcs, compiled. TVM 0.27 gives the same numbers."""

import numpy as np
import pytest

import partita

pytest.importorskip("partita.runtime")

X = np.array([0, 1, -1, 1000, -1000, 2**31 - 1, -(2**31), 123456789], "int32")


def run(body, x, y):
    """Runs `body`, which computes %r of each element %x."""
    source, target = (
        {"float32": "f32", "int32": "i32", "uint8": "ui8"}[str(array.dtype)] for array in (x, y)
    )
    mod = partita.IRModule.from_text(f"""
    partita.module {{
      tir.prim_func @f(%a: memref<{x.size}x{source}>, %b: memref<{y.size}x{target}>) {{
        %0 = arith.constant 0 : index
        %1 = arith.constant 1 : index
        %n = arith.constant {y.size} : index
        %p = tir.call_intrin pure "tirx.buffer_data"(%a)
          : (memref<{x.size}x{source}>) -> !tir.ptr<"global", {source}>
        %view = tir.decl_buffer %p : !tir.ptr<"global", {source}> to memref<{y.size}x{target}>
        scf.for %i = %0 to %n step %1 {{
          {body}
          memref.store %r, %b[%i] : memref<{y.size}x{target}>
        }}
        tir.return
      }}
    }}
    """)
    partita.compile(mod)["f"](x, y)
    return y


@pytest.mark.parametrize(
    "factor, shift, expected",
    [
        (1395864371, 2, [0, 3, -3, 2600, -2600, 1288490185, -1288490188, 320987651]),
        (1395864371, -3, [0, 0, 0, 81, -81, 174483046, -174483046, 10030864]),
        # Only shifts, of 32 bits.
        (1 << 30, -2, [0, 0, 0, 125, -125, -268435456, -268435456, 15432099]),
    ],
)
def test_q_multiply_shift(factor, shift, expected):
    body = f"""
      %x = memref.load %a[%i] : memref<8xi32>
      %y = arith.constant {factor} : i32
      %q = arith.constant 31 : i32
      %s = arith.constant {shift} : i32
      %r = tir.call_intrin pure "tirx.q_multiply_shift"(%x, %y, %q, %s)
        : (i32, i32, i32, i32) -> i32
    """
    assert run(body, X, np.zeros(8, "int32")).tolist() == expected


def test_q_multiply_shift_per_axis():
    body = """
      %x = memref.load %a[%i] : memref<8xi32>
      %y = arith.constant 1395864371 : i32
      %left = arith.constant 1 : i32
      %right = arith.constant 3 : i32
      %q = arith.constant 31 : i32
      %t = arith.constant true
      %r = tir.call_intrin pure "tirx.q_multiply_shift_per_axis"(%x, %y, %left, %right, %q, %t, %t)
        : (i32, i32, i32, i32, i32, i1, i1) -> i32
    """
    expected = [0, 0, 0, 162, -162, 348966093, -348966093, 20061728]
    assert run(body, X, np.zeros(8, "int32")).tolist() == expected


def test_functions_of_c():
    body = """
      %x = memref.load %a[%i] : memref<8xf32>
      %two = arith.constant 2.0 : f32
      %sin = tir.string "sinf"
      %s = tir.call_intrin "tirx.call_extern"(%sin, %x) : (!tir.string, f32) -> f32
      %pow = tir.string "powf"
      %square = tir.call_intrin pure "tirx.call_pure_extern"(%pow, %x, %two) : (!tir.string, f32, f32) -> f32
      %r = arith.addf %s, %square : f32
    """
    x = np.arange(-2, 6, dtype="float32")
    np.testing.assert_allclose(run(body, x, np.zeros(8, "float32")), np.sin(x) + x * x, 1e-6)


@pytest.mark.parametrize("dtype, ratio", [("int32", 1), ("uint8", 4)])
def test_views_of_other_elements(dtype, ratio):
    x = np.arange(-2, 6, dtype="float32")
    size = 8 * ratio
    type_ = {"int32": "i32", "uint8": "ui8"}[dtype]
    body = f"%r = memref.load %view[%i] : memref<{size}x{type_}>"
    assert run(body, x, np.zeros(size, dtype)).tolist() == x.view(dtype).tolist()


def test_profiling_is_left_out():
    body = """
      %id = arith.constant 3 : i32
      tir.call_intrin "tirx.start_profile_intrinsic"(%id) : (i32) -> ()
      %r = memref.load %a[%i] : memref<8xi32>
      tir.call_intrin "tirx.end_profile_intrinsic"(%id) : (i32) -> ()
    """
    assert (run(body, X, np.zeros(8, "int32")) == X).all()
