# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operands of calls in Python, as TVM has them, and the names of ops."""

import copy
import pickle

import pytest

from partita import relax


def test_operands_are_sliced_and_joined_as_in_tvm():
    x, y = (relax.Var(name, relax.TensorType((4,))) for name in "xy")
    call, fields = relax.op.add(x, y), relax.Tuple([x, y]).fields
    for args in (call.args, fields):
        assert args == (x, y) and isinstance(args, tuple) and list(args) == [x, y]
        # TVM has an Array here, whose slices are lists.
        assert [y] + args[1:] == [y, y] and args[:1] + [x] == [x, x] and args[-1] is y
        assert args + [x] == (x, y, x) and [y] + args == (y, x, y) and args + (x,) == (x, y, x)
        with pytest.raises(IndexError):
            print(args[2])
        with pytest.raises(TypeError):
            print(args + 1)
    assert relax.Call(call.op, [y] + call.args[1:]).args == (y, y)


def test_names_of_modules_of_ops():
    from partita.relax.op.manipulate import reshape

    assert relax.op.qdq.quantize is relax.op.quantize and reshape is relax.op.reshape
    with pytest.raises(AttributeError, match="expected an op of partita.relax.op, but found 'no'"):
        print(relax.op.statistical.no)


def test_operands_that_are_a_tuple_in_tvm_are_one():
    x, y = (relax.Var(name, relax.TensorType((4,))) for name in "xy")
    call = relax.op.concat([x, y])
    assert isinstance(call.args[0], relax.Tuple) and call.args[0].fields == (x, y)
    assert relax.Call(call.op, call.args, call.attrs).args[0].fields == (x, y)
    gvar = relax.GlobalVar("f")
    call = relax.call_tir(gvar, [x, relax.Tuple([y])], x.ty)
    assert call.args[0] == gvar and call.args[1].fields[0] is x
    assert call.args[1].fields[1].fields == (y,)
    for args in (call.args, [gvar, *call.args[1]]):
        again = relax.Call(call.op, args, call.attrs, ty_args=[x.ty])
        assert again.args[1].fields == call.args[1].fields and again.ty == x.ty
    assert relax.call_tir(gvar, x, x.ty).args[1].fields == (x,)
    assert relax.call_tir(gvar, [], x.ty).args[1].fields == ()
    # The shape of a type is one argument, not a list of numbers.
    for call in (
        relax.call_tir(gvar, x.ty.shape, x.ty),
        relax.call_dps_packed("f", x.ty.shape, x.ty),
    ):
        assert [field.ty for field in call.args[1]] == [relax.ShapeType([4])]
    # A variable that is a tuple, and all results of an op.
    pair, split = relax.Var("pair", relax.TupleType([x.ty, x.ty])), relax.op.split(x, 2)
    for value in (pair, split):
        assert relax.op.concat(value).args == (value,)
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        parts = bb.emit(split)
        bb.emit_func_output(relax.op.concat(parts))
    parts, concat = bb.get()["main"].body.blocks[0].bindings
    assert concat.args == (parts,)
    # A kernel gets them one by one.
    call = relax.call_tir(gvar, list(split), x.ty)
    assert [field.index for field in call.args[1]] == [0, 1]
    unknown = relax.op.concat([relax.Var("u"), relax.Var("v")])
    assert [field.name_hint for field in unknown.args[0]] == ["u", "v"]
    args = pickle.loads(pickle.dumps(relax.op.add(x, y).args))
    assert [arg.name_hint for arg in args] == ["x", "y"]
    assert copy.copy(call.args) == call.args and isinstance(copy.deepcopy(args), tuple)
    assert call.args[1] is call.args[1]
    assert relax.op.print(x, y, format="").args[1:] == [x, y]
