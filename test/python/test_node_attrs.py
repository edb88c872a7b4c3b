# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes that are nodes of TVM's, and modules whose parameters are such attributes."""

import pickle
import warnings

import numpy as np
import pytest

from partita import IRModule, ir, relax, tirx
from partita.mlir.ir import Attribute


@pytest.fixture
def mod():
    x = relax.Var("x", relax.TensorType((2, 3), "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        builder.emit_func_output(relax.op.exp(x))
    return builder.get()


VALUES = [
    relax.TensorType(("n", 3), "float32"),
    relax.TupleType([relax.TensorType((2,), "int8"), relax.ShapeType([1, 2])]),
    ir.GlobalVar("main"),
    b"bytes\0",
    relax.TensorType((2,), "float16").dtype,
    [relax.TensorType((2,), "int8"), {"more": ir.GlobalVar("main")}],
    [],
    [1, 2**40],
    [1.5, 2.0],
    [1, 2.0],
    [True, False],
    [[1, 2], ["a"], {"b": [3]}],
    ir.Op.get("relax.add"),
    ir.Range(1, 4),
    ir.Range(tirx.Var("n", "int64"), tirx.Var("n", "int64") * 2),
    [tirx.Var("n", "int64") + 1, {"more": ir.Range(3)}],
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_value(mod, value):
    func = mod["main"].with_attr("key", value)
    assert func.attrs["key"] == value
    assert "key" not in func.without_attr("key").attrs
    changed = mod.with_attr("key", value)
    assert changed.attrs["key"] == value
    # It is the same in TVM's JSON, in MLIR's text and in a pickle.
    for other in (
        IRModule.from_tvm_json(changed.to_tvm_json()),
        IRModule.from_text(str(changed)),
        pickle.loads(pickle.dumps(changed)),
    ):
        assert other.attrs["key"] == value
        assert ir.structural_equal(changed, other)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float64"])
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_array(mod, dtype, shape):
    array = np.ones(shape, dtype)
    read = IRModule.from_tvm_json(mod.with_attr("key", [array]).to_tvm_json()).attrs["key"][0]
    if shape:
        assert read.dtype == array.dtype and read.shape == shape and (read == array).all()
    else:
        assert read == array


def test_arrays_that_numpy_has_in_another_order(mod):
    for array in (np.array([[1, 2], [3, 4]], ">i4"), np.arange(6, dtype="int32").reshape(2, 3).T):
        read = mod.with_attr("key", array).attrs["key"]
        assert read.dtype == "int32" and read.tolist() == array.tolist()
    assert mod.with_attr("key", np.array(2.5)).attrs["key"] == 2.5


@pytest.mark.parametrize("array", [["a"], [1j], [object()], np.zeros(2, "datetime64[s]")])
def test_arrays_of_no_numbers(mod, array):
    with pytest.raises(TypeError, match="to be an array of numbers, but found elements of type"):
        mod.with_attr("key", np.array(array))


@pytest.mark.parametrize(
    "kind, json",
    [
        ("ffi.Tensor", "text"),
        ("ffi.Tensor", "[1]"),
        ("ffi.Tensor", '{"root_index":0,"nodes":[{"type":"ffi.Tensor","data":"AAAA"}]}'),
        ("ffi.Tensor", '{"root_index":3,"nodes":[]}'),
        ("ffi.Bytes", '{"root_index":0,"nodes":[{"type":"ffi.Bytes","data":"A"}]}'),
        ("relax.TensorType", '{"root_index":0,"nodes":[{"type":"relax.TensorType","data":{}}]}'),
        ("other", '{"root_index":0,"nodes":[{"type":"other"}]}'),
    ],
)
def test_texts_that_are_no_node(mod, kind, json):
    escaped = json.replace('"', "\\22")
    attribute = Attribute.parse(f'#relax.opaque<"{kind}", "{escaped}">', mod.operation.context)
    assert mod.with_attr("key", attribute).attrs["key"] == attribute


def test_expressions(mod):
    func = mod["main"]
    x = relax.Var("x", relax.TensorType((2,), "float32"))
    values = {
        "weight": relax.const([1.0, 2.0]),
        "shape": relax.ShapeExpr([1, 2]),
        "other": func,
        "call": relax.op.add(x, x),
        "text": relax.StringImm("text"),
        "module": mod,
    }
    # Nothing is kept unchanged, so that nothing warns.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        attrs = func.with_attrs(values).attrs
        for name, value in values.items():
            assert ir.structural_equal(attrs[name], value, map_free_vars=True)


def test_sizes(mod):
    n = tirx.Var("n", "int64")
    changed = mod.with_attr("key", n + 1)
    assert isinstance(changed.attrs["key"], ir.PrimExpr)
    # TVM reads an expression, and no str.
    assert '"type": "prim.Add"' in changed.to_tvm_json()
    # TVM has one class for variables.
    var = mod.with_attr("key", n).attrs["key"]
    assert isinstance(var, relax.Var) and var.name == "n"


def test_no_attribute(mod):
    for value in (object(), {1}, lambda: None):
        with pytest.raises(TypeError, match="expected an attribute to be .* but found"):
            mod["main"].with_attr("key", value)


def test_type_that_is_missing(mod):
    with pytest.raises(ValueError, match="expected the type of an expression to be known"):
        mod.with_attr("key", ir.Type.missing())


def test_detach_params(mod):
    arrays = [np.arange(6, dtype="float32").reshape(2, 3), np.ones(2, "int64")]
    mod["main"] = mod["main"].with_attr("params", arrays)
    detached, params = relax.frontend.detach_params(mod)
    assert list(params) == ["main"]
    assert all((a == b).all() for a, b in zip(params["main"], arrays))
    assert "params" not in detached["main"].attrs and "params" in mod["main"].attrs
    mod["main"] = mod["main"].with_attr("params", [1])
    with pytest.raises(ValueError, match="'params' of 'main' to be a list of arrays"):
        relax.frontend.detach_params(mod)
