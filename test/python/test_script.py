# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of TVM's tvm.script that are no TVMScript."""

import pytest

from partita import relax, script, tir
from partita.script import relax as R


def test_types_are_types_of_relax():
    n = tir.Var("n", "int64")
    assert R.Tensor((n, 4), "float32") == relax.TensorType((n, 4), "float32")
    # Unlike a TensorType, it has no dtype unless it is given one.
    assert R.Tensor((2,)) == relax.TensorType((2,), None)
    assert R.Tensor("float16") == relax.TensorType(None, "float16")
    assert R.Tensor(dtype="int8", ndim=3) == relax.TensorType(dtype="int8", ndim=3)
    assert R.Shape([n, 2]) == relax.ShapeType([n, 2])
    assert R.Prim("int64") == relax.PrimType("int64")
    pair = relax.TupleType([R.Object(), R.Shape(ndim=2)])
    assert R.Tuple(R.Any(), R.Shape(ndim=2)) == R.Tuple([R.Any(), R.Shape(ndim=2)]) == pair


def test_names_of_types_are_types():
    """As in TVM, R.Object is R.Object()."""
    assert R.Tuple(R.Object, R.Tensor) == R.Tuple([R.Object(), R.Tensor()])
    assert R.Callable(R.Tensor, R.Shape) == R.Callable([R.Tensor()], R.Shape())
    assert R.Callable(ret=R.Object) == R.Callable()


def test_types_of_functions():
    opaque = R.Callable()
    assert opaque.params is None and not opaque.purity
    x = R.Tensor((2,), "float32")
    known = R.Callable(x, x)
    assert known == relax.FuncType([x], x) and known.purity
    assert not R.Callable([x], x, purity=False).purity


def test_a_builder_takes_types_and_ops():
    x = relax.Var("x", R.Tensor((2, 3), "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        builder.emit_func_output(builder.emit(R.nn.relu(R.add(x, R.const(1.0, "float32")))))
    bindings = builder.get()["main"].body.blocks[0].bindings
    assert [binding.value.op.name for binding in bindings] == ["relax.add", "relax.nn.relu"]


@pytest.mark.parametrize("name", ["function", "dataflow", "emit"])
def test_parsers_are_not_there(name):
    with pytest.raises(AttributeError, match=f"found '{name}'; Partita does not read TVMScript"):
        getattr(R, name)


def test_other_dialects_are_not_there():
    with pytest.raises(AttributeError, match="found 'tirx'"):
        script.tirx
