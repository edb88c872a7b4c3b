# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers as constants, as in TVM, but never silently another number."""

import sys

import numpy
import pytest

import partita
from partita import relax


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"])
def test_ints(dtype):
    limits = numpy.iinfo(dtype)
    for value in (limits.min, limits.max, [limits.min, limits.max], [[0], [1]]):
        constant = relax.const(value, dtype)
        assert constant.data.dtype == dtype and constant.data.tolist() == value
    for value in (limits.min - 1, limits.max + 1, 2**64, -(2**70), [0, limits.max + 1]):
        with pytest.raises(OverflowError, match=f"a constant of {dtype} to be in {limits.min} to"):
            relax.const(value, dtype)


def test_default_types():
    for value, dtype in [(3, "int32"), (1.5, "float32"), (True, "bool"), ([1, 2], "int32")]:
        assert relax.const(value).data.dtype == dtype
    assert relax.const(2**63).data.dtype == "uint64"
    for value in (2**31, -(2**31) - 1, [0, 2**31], 2**64, 10**30):
        with pytest.raises(OverflowError):
            relax.const(value)


def test_default_types_of_arrays():
    narrowed = {"int64": "int32", "float64": "float32"}
    for dtype in ("bool", "int8", "uint16", "int32", "int64", "uint64", "float16", "float64"):
        array, default = numpy.arange(2).astype(dtype), narrowed.get(dtype, dtype)
        for value in (array, array[1], array.reshape(1, 2), array[:0]):
            made = relax.const(value).data
            assert made.dtype == default and made.tolist() == value.tolist()
            # Constant(array) has the array's dtype; with a dtype, it has that one.
            for kept in (relax.const(value, dtype), relax.Constant(value)):
                assert kept.data.dtype == dtype and kept.data.tolist() == value.tolist()
    for value in (numpy.array([2**31]), numpy.int64(-(2**31) - 1)):
        with pytest.raises(OverflowError, match="a constant of int32 to be in -2147483648 to"):
            relax.const(value)


class Tensor:
    """Another library's array, with or without NumPy's protocol to read it."""

    def __init__(self, array):
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


class ArrayTensor(Tensor):
    def __init__(self, array):
        super().__init__(array)
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


@pytest.mark.parametrize("kind", [Tensor, ArrayTensor])
def test_a_tensor_has_a_type_of_its_own(kind):
    for dtype in ("int64", "float64", "uint16"):
        tensor = kind(numpy.arange(3, dtype=dtype))
        for constant in (relax.const(tensor), relax.const(tensor, dtype)):
            assert constant.data.dtype == dtype and constant.data.tolist() == [0, 1, 2]
        assert relax.const(tensor, "int8").data.dtype == "int8"


def test_arrays_as_operands_have_a_type_of_their_own():
    x = relax.Var("x", relax.TensorType((3,), "float64"))
    for value in (numpy.arange(3.0), numpy.arange(3.0)[1:2]):
        assert (x + value).ty == x.ty and relax.op.add(x, value).ty == x.ty
    assert relax.Tuple([numpy.arange(3)]).fields[0].ty.dtype == "int64"


def test_floats():
    assert relax.const(1.9, "int8").data == 1
    assert relax.const([1.5, -1.5], "int32").data.tolist() == [1, -1]
    for value in (300.5, float("inf"), -1e300, [0.0, 128.0]):
        with pytest.raises(OverflowError):
            relax.const(value, "int8")
    with pytest.raises(ValueError, match="nan"):
        relax.const(float("nan"), "int8")
    assert relax.const(2**24 + 1, "float32").data == 2**24
    with numpy.errstate(over="ignore"):
        assert relax.const(1e40, "float32").data == numpy.inf
    assert numpy.isnan(relax.const(float("nan")).data)


def test_bools():
    for value, expected in [(2, True), (0, False), (0.5, True), ([True, 0], [True, False])]:
        assert relax.const(value, "bool").data.tolist() == expected
    assert relax.const(True, "int8").data == 1
    assert relax.const([], "int8").data.shape == (0,)


def test_arrays_are_converted_by_numpy():
    assert relax.const(numpy.array([300, -1]), "uint8").data.tolist() == [44, 255]
    assert relax.const(numpy.int64(300), "int8").data == 44


@pytest.mark.parametrize("elements", ["1.5", "[1.5, 2.0]"])
def test_bfloat16_from_text(elements):
    mod = partita.IRModule.from_text(f"""
        relax.func @main() -> tensor<2xbf16> {{
          %0 = relax.constant dense<{elements}> : tensor<2xbf16>
          relax.return %0 : tensor<2xbf16>
        }}""")
    data = mod["main"].body.body.data.numpy()
    assert data.shape == (2,) and data.tolist() in ([1.5, 1.5], [1.5, 2.0])


def test_what_is_no_number():
    for value in ("1", None, 1j, [1, "2"], [None], object()):
        with pytest.raises(TypeError, match="expected a constant of numbers"):
            relax.const(value, "int8")
    with pytest.raises(ValueError):
        relax.const([[1, 2], [3]], "int8")


def test_dtypes_that_other_packages_register():
    pytest.importorskip("ml_dtypes")
    with pytest.raises(TypeError, match="a dtype that NumPy has, but found 'int4'"):
        relax.const([1, 2], "int4")


def test_float8_without_ml_dtypes(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(TypeError, match="expected ml_dtypes with float8_e5m2, but found none"):
        relax.const([1, 2], "float8_e5m2")


def test_dtypes_that_numpy_lacks():
    for dtype in ("int4", "uint1", "float4_e2m1fn", "float8_e8m0fnu"):
        if not dtype.startswith("float8"):
            with pytest.raises(TypeError, match=f"a dtype that NumPy has, but found '{dtype}'"):
                relax.const([1, 2], dtype)
        x = relax.Var("x", relax.TensorType((2, 4), dtype))
        module = relax.BlockBuilder()
        with module.function("main", [x]):
            module.emit_func_output(module.emit(relax.op.reshape(x, (4, 2))))
        text = module.get().to_tvm_json()
        (function,) = partita.IRModule.from_tvm_json(text, strict=True).functions.values()
        assert function.ret_type == relax.TensorType((4, 2), dtype)


def test_type_params():
    x = relax.Var("x", relax.TensorType((2,), "float32"))
    function = relax.Function([x], relax.exp(x))
    again = relax.Function(
        function.params, function.body.body, function.ret_type, function.type_params, {"a": 1}
    )
    assert again.type_params == [] and again.attrs["a"] == 1


def test_scripts_read_elements():
    from partita.relax.expr import _read_elements

    assert _read_elements(relax.const([1.5, 2.5])._value).tolist() == [1.5, 2.5]


def test_one_element_for_all_takes_no_memory():
    for dtype, element in [("f32", "1.5"), ("i1", "true"), ("ui8", "3")]:
        type_ = f"tensor<1048576x1048576x{dtype}>"
        mod = partita.IRModule.from_text(
            f"partita.module {{ relax.func @main() -> {type_} {{\n"
            f"%c = relax.constant dense<{element}> : {type_}\nrelax.return %c : {type_}\n}} }}"
        )
        constant = mod["main"].body.body
        assert constant.data.shape == (2**20, 2**20)
        assert constant.data[-1, -1] == {"f32": 1.5, "i1": True, "ui8": 3}[dtype]
        assert not constant.data.flags.writeable
        again = constant._in(partita.mlir.ir.Context())
        assert again.attribute.is_splat and again.attribute.type.shape == [2**20, 2**20]
        with pytest.raises(partita.mlir.ir.MLIRError, match="to take at most 1073741824 bytes"):
            mod.to_tvm_json()


def test_value_is_read_as_a_tensor_of_tvm():
    array = numpy.arange(6, dtype="float32").reshape(2, 3)
    constant = relax.const(array)
    value = constant.value
    assert value.shape == (2, 3) and value.dtype == "float32" and value.ndim == 2
    assert type(value.numpy()) is numpy.ndarray and (value.numpy() == array).all()
    value.numpy()[0] = 7
    assert (constant.data == array).all()
    assert "tensor<2x3xf32>" in str(constant.attribute)


def test_by_the_name_of_tvm():
    made = partita.ir.GenericConst(numpy.ones(3), relax.TensorType((3,), "float16"))
    assert isinstance(made, relax.Constant) and made.struct_info.dtype == "float16"
    assert isinstance(relax.const(1), partita.ir.GenericConst)
    assert not isinstance(relax.ShapeExpr([1]), partita.ir.GenericConst)
    with pytest.raises(ValueError, match="elements of a constant to have type"):
        partita.ir.GenericConst(numpy.ones(3), relax.TensorType((4,), "float16"))
    with pytest.raises(TypeError, match="TensorType"):
        partita.ir.GenericConst(3, "int32")


@pytest.mark.parametrize("dtype", ["float64", "int64", "int8"])
def test_a_tensor_keeps_its_type(dtype):
    tensor = partita.runtime.tensor(numpy.ones(2, dtype))
    assert isinstance(tensor, partita.runtime.Tensor) and type(tensor.numpy()) is numpy.ndarray
    assert relax.const(tensor).ty.dtype == dtype
    value = relax.const(numpy.ones(2), dtype).value
    assert isinstance(value, partita.runtime.Tensor) and relax.const(value).ty.dtype == dtype
