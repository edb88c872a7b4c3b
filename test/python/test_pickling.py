# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pickles and copies of functions, expressions, blocks and attributes."""

import copy
import pickle

import numpy
import pytest
from partita import IRModule, ir, relax, tir, transform

N = tir.Var("n", "int64")
X = relax.Var("x", relax.TensorType((4,)))
S = relax.Var("s", relax.TensorType((N, 4)))
LV = relax.Var("lv", relax.TensorType((4,)))
BLOCK = relax.DataflowBlock([relax.VarBinding(LV, relax.op.exp(X))])
BRANCH = relax.SeqExpr([], X)

WAYS = (copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing)))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "expr",
    [
        X,
        relax.op.add(relax.op.exp(X), X),
        relax.op.add(S, S),
        relax.op.zeros([N, 2], "float32"),
        relax.Tuple([X, relax.Tuple([])]),
        relax.TupleGetItem(relax.op.split(X, 2), 1),
        relax.const(numpy.arange(1000)),
        relax.const(1.5, "bfloat16"),
        relax.ShapeExpr([N + 1, 2]),
        relax.PrimValue(3),
        relax.PrimValue(N * 2),
        relax.StringImm("a"),
        relax.DataTypeImm("int32"),
        relax.ExternFunc("f"),
        relax.Call(relax.ExternFunc("f"), [X], sinfo_args=[X.ty]),
        relax.match_cast(X, relax.TensorType((N,))),
        relax.SeqExpr([BLOCK], LV),
        relax.SeqExpr([], relax.Tuple([X])),
        relax.If(relax.const(True), BRANCH, BRANCH),
    ],
    ids=repr,
)
def test_expressions(way, expr):
    again = way(expr)
    assert type(again) is type(expr) and again.ty == expr.ty and again is not expr
    assert ir.structural_equal(again, expr, map_free_vars=True)


@pytest.mark.parametrize("way", WAYS)
def test_functions(way):
    func = relax.Function([X], relax.SeqExpr([BLOCK], LV), attrs={"a": 1})
    mod = IRModule({"main": func})
    for one in (func, mod["main"]):
        again = way(one)
        assert type(again) is type(one) and again is not one and again.name == one.name
        assert ir.structural_equal(again, one) and again.attrs == one.attrs
    assert way(func).params[0].name == "x"


@pytest.mark.parametrize("way", WAYS)
def test_blocks_and_attributes(way):
    again = way(BLOCK)
    assert type(again) is relax.DataflowBlock and [b.name for b in again.bindings] == ["lv"]
    assert way(relax.BindingBlock([])).bindings == ()
    attrs = IRModule(attrs={"a": 1, "b": ["c", 1.5]}).attrs
    assert way(attrs) == attrs


def test_names_are_exact():
    params = [relax.Var("x", relax.TensorType((4,))) for _ in range(2)]
    builder = relax.BlockBuilder()
    with builder.function("main", params):
        builder.emit_func_output(builder.emit(relax.op.add(*params), name_hint="y"))
    mod = builder.get()
    again = pickle.loads(pickle.dumps(mod))
    assert [param.name_hint for param in again["main"].params] == ["x", "x"]
    assert again.to_tvm_json() == mod.to_tvm_json()


@pytest.mark.parametrize("way", WAYS)
def test_calls_of_functions_of_the_module(way):
    x = relax.Var("x", relax.TensorType((4,)))
    condition = relax.Var("c", relax.TensorType((), "bool"))
    builder = relax.BlockBuilder()
    with builder.function("callee", [x]):
        callee = builder.emit_func_output(builder.emit(relax.op.abs(x)))
    with builder.function("main", [x]):
        builder.emit_func_output(builder.emit(callee(x)))
    main = builder.get()["main"]
    for one in (main, callee(x), relax.If(condition, callee(x), x)):
        assert ir.structural_equal(way(one), one, map_free_vars=True)


@pytest.mark.parametrize("way", WAYS)
def test_contexts(way):
    config = {"relax.FuseOps.max_depth": 7, "tirx.UnrollLoop": {"auto_max_step": 4}}
    context = transform.PassContext(3, ["FoldConstant"], ["LegalizeOps"], config=config)
    assert repr(way(context)) == repr(context)
    with way(context):
        assert transform.PassContext.current().opt_level == 3
