# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled code calls functions of TVM's virtual machine."""

import numpy as np
import pytest

import partita

pytest.importorskip("partita.runtime")


def test_shapes_on_a_heap():
    """TVM's VMShapeLower keeps the sizes of variables there."""
    text = """
    partita.module {
      tir.prim_func private @double(%h: memref<2xi64>) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %0 = memref.load %h[%c0] : memref<2xi64>
        %1 = arith.addi %0, %0 : i64
        memref.store %1, %h[%c1] : memref<2xi64>
        tir.return
      }
      relax.func @main(%x: !relax.object) -> !relax.shape<[?, ?]> attributes {is_pure = false} {
        %alloc = relax.extern_func "vm.builtin.alloc_shape_heap"
        %0 = relax.prim_value 0 : i64
        %1 = relax.prim_value 1 : i64
        %2 = relax.prim_value 2 : i64
        %4 = relax.prim_value 4 : i64
        %size = relax.tuple(%2) : i64
        %heap = relax.call_builtin_with_ctx(%alloc, %size) ty_args = [tensor<2xi64>]
          : (!relax.object, tuple<i64>) -> tensor<2xi64>
        %check = relax.extern_func "vm.builtin.check_tensor_info"
        %f32 = relax.dtype f32
        %at = relax.string "main"
        %3 = relax.call_value(%check, %x, %2, %f32, %at) ty_args = [tuple<>]
          : (!relax.object, !relax.object, i64, !relax.object, !relax.object) -> tuple<>
        %match = relax.extern_func "vm.builtin.match_shape"
        %5 = relax.call_value(%match, %x, %heap, %2, %1, %0, %0, %4, %at) ty_args = [tuple<>]
          : (!relax.object, !relax.object, tensor<2xi64>, i64, i64, i64, i64, i64, !relax.object)
            -> tuple<>
        %double = relax.global @double
        %6 = relax.call_value(%double, %heap) : (!relax.object, tensor<2xi64>) -> tuple<>
        %make = relax.extern_func "vm.builtin.make_shape"
        %shape = relax.call_value(%make, %heap, %2, %1, %1, %0, %4)
            ty_args = [!relax.shape<[?, ?]>]
          : (!relax.object, tensor<2xi64>, i64, i64, i64, i64, i64) -> !relax.shape<[?, ?]>
        relax.return %shape : !relax.shape<[?, ?]>
      }
    }"""
    main = partita.compile(partita.IRModule.from_text(text))["main"]
    assert main(np.ones((3, 4), "float32")) == (6, 4)
    for x, message in [
        (np.ones((3, 5), "float32"), "main: expected a size of 4, but found 5"),
        (np.ones(3, "float32"), r"main: expected 2 dimensions, but found \(3,\)"),
        (np.ones((3, 4)), "main: expected dtype float32, but found float64"),
        ((3, 4), "main: expected a tensor, but found tuple"),
    ]:
        with pytest.raises(ValueError, match=message):
            main(x)


def test_copy_of_tvm():
    text = """
    partita.module {
      relax.func @main(%x: tensor<3xf32>) -> tensor<3xf32> attributes {is_pure = false} {
        %f = relax.extern_func "vm.builtin.copy"
        %y = relax.call_value(%f, %x) ty_args = [tensor<3xf32>]
          : (!relax.object, tensor<3xf32>) -> tensor<3xf32>
        relax.return %y : tensor<3xf32>
      }
    }"""
    x = np.arange(3, dtype="float32")
    main = partita.compile(partita.IRModule.from_text(text))["main"]
    np.testing.assert_array_equal(main(x), x)
