# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions and blocks as text: str(), script() and show()."""

import numpy as np
import pytest

from partita import relax


@pytest.fixture
def func():
    x = relax.Var("x", relax.TensorType((4, 6)))
    c = relax.Var("c", relax.TensorType((), "bool"))
    bb = relax.BlockBuilder()
    with bb.function("main", [x, c]):
        with bb.dataflow():
            a = bb.emit(relax.op.add(relax.op.exp(x), x), "a")
            s = bb.emit(relax.op.split(a, 2, axis=1), "s")
            t = bb.emit_output(relax.Tuple([s[1], x]), "t")
        bb.emit_func_output(t[0])
    return bb.get()["main"]


def texts_of(func):
    return {binding.name_hint: str(binding) for binding in func.body.blocks[0].bindings}


def test_a_call_shows_its_operands_and_attributes(func):
    texts = texts_of(func)
    # What is a variable in the function is one in the text.
    assert texts["a"] == "%a = relax.add %lv, %x : tensor<4x6xf32>"
    assert texts["s"] == (
        "%s:2 = relax.split %a {axis = 1 : i64, indices_or_sections = 2 : i64} : "
        "(tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>)"
    )
    # The results of an op are fields of a tuple, as in TVM.
    assert [line.split(" : ")[0] for line in texts["t"].splitlines()] == [
        "%s_0 = relax.tuple_get_item %s[1]",
        "%t = relax.tuple(%s_0, %x)",
    ]


def test_an_expression_shows_what_it_is_made_of():
    x = relax.Var("x", relax.TensorType(("n", 6)))
    text = str(relax.op.reshape(relax.op.exp(x), (x.ty.shape[0] * 6,)))
    assert text.splitlines() == [
        '%0 = relax.exp %x : tensor<?x6xf32, #relax.shape<["n", 6]>>',
        '%1 = relax.shape ["n * 6"]',
        '%2 = relax.reshape %0, %1 : tensor<?x6xf32, #relax.shape<["n", 6]>> -> '
        'tensor<?xf32, #relax.shape<["n * 6"]>>',
    ]
    assert str(relax.Tuple([])) == "%0 = relax.tuple()"
    assert str(relax.Tuple([x])).startswith("%0 = relax.tuple(%x) : ")
    assert str(x) == repr(x)


def test_sizes_that_others_introduce():
    x = relax.Var("x", relax.TensorType(("n", 4)))
    y = relax.Var("y", relax.TensorType((4,)))
    bb = relax.BlockBuilder()
    with bb.function("main", [x, y]):
        wide = bb.emit(relax.op.broadcast_to(y, x.ty.shape), "wide")
        cast = bb.match_cast(relax.op.call_pure_packed("f", y, ty_args=[x.ty]), x.ty)
        bb.emit_func_output(relax.op.add(wide, cast))
    (block,) = bb.get()["main"].body.blocks
    assert str(block.bindings[0]).splitlines()[0] == '%0 = relax.shape ["n", 4]'
    for node in (*block.bindings, block, bb.get()["main"].body):
        assert str(node) != repr(node) and str(node).splitlines()[-1].startswith(("%", "relax."))


def test_blocks_and_branches(func):
    (block,) = func.body.blocks
    lines = str(block).splitlines()
    assert lines[0].startswith("%0:2 = relax.dataflow -> ") and lines[-1] == "}"
    assert lines[1] == "  %lv = relax.exp %x : tensor<4x6xf32>"
    text = str(func.body)
    assert text.startswith(str(block)) and text.splitlines()[-1].startswith("relax.return ")
    c = func.params[1]
    branch = relax.If(c, relax.op.exp(func.params[0]), func.params[0])
    assert str(branch).splitlines() == [
        "%0 = relax.if %c : tensor<i1> -> tensor<4x6xf32> {",
        "  %1 = relax.exp %x : tensor<4x6xf32>",
        "  relax.yield %1 : tensor<4x6xf32>",
        "} else {",
        "  relax.yield %x : tensor<4x6xf32>",
        "}",
    ]


def test_looking_changes_nothing():
    x = relax.Var("x", relax.TensorType((4,)))
    for expr in (relax.op.exp(x), relax.Tuple([x]), relax.const(1.0), relax.op.split(x, 2)[0]):
        str(expr)
        assert not isinstance(expr, relax.Var)
    block = relax.BindingBlock([relax.op.exp(x)])
    (bound,) = block.bindings
    str(block), str(bound), str(bound.value)
    assert block.bindings == (bound,) and bound.args == (x,)


def test_large_constants_are_left_out():
    call = relax.op.add(relax.const(np.ones(1000, "float32")), relax.const(1.0))
    assert len(str(call)) < 400 and "relax.add" in str(call)


def test_show_and_script(func, capsys):
    (binding, *_) = func.body.blocks[0].bindings
    binding.show()
    assert capsys.readouterr().out == str(binding) + "\n" == binding.script() + "\n"
    func.body.blocks[0].show(black_format=False)
    assert capsys.readouterr().out == str(func.body.blocks[0]) + "\n"
    func.ret_ty.show()
    assert capsys.readouterr().out == str(func.ret_ty) + "\n"
    with pytest.raises(TypeError, match="expected options that TVM's script"):
        binding.script(no_such_option=True)


def test_an_expression_without_a_type_has_a_text():
    call = relax.op.call_pure_packed("f", relax.Var("x"), sinfo_args=[relax.ObjectType()])
    assert str(call) == repr(call) and "relax.call_pure_packed" in str(call)
