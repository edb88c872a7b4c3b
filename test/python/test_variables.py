# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which expressions are variables of TVM's, and their values."""

import copy
import functools
import inspect
import pickle
import weakref

import numpy as np
import partita
import pytest
from partita import relax

T = relax.TensorType((4,), "float32")


def build():
    """A module whose function has a dataflow block, and what emit returned: two, and an output."""
    x = relax.Var("x", T)
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        with builder.dataflow():
            exp = builder.emit(relax.op.exp(x))
            pair = builder.emit(relax.Tuple([exp, x]))
            out = builder.emit_output(relax.op.abs(pair[0]), "out")
        last = builder.emit(relax.op.exp(out))
        builder.emit_func_output(last)
    return builder.get(), [x, exp, pair, out, last]


def kinds(exprs):
    """For each whether it is a Var, and a DataflowVar."""
    return [(isinstance(e, relax.Var), isinstance(e, relax.DataflowVar)) for e in exprs]


VARS = [(True, False), (True, True), (True, True), (True, False), (True, False)]


def test_what_is_emitted_is_a_variable():
    mod, emitted = build()
    assert kinds(emitted) == VARS
    func = mod["main"]
    read = [*func.params, *(b.var for block in func.body.blocks for b in block.bindings)]
    assert kinds(read) == VARS
    assert kinds([relax.op.exp(emitted[0]), relax.const(1.0), relax.ShapeExpr([4])]) == [(0, 0)] * 3
    assert all(isinstance(var, relax.Var | relax.Call) for var in read)


def test_kinds_survive_text_and_json():
    for mod in (
        partita.IRModule.from_text(str(build()[0])),
        partita.IRModule.from_tvm_json(build()[0].to_tvm_json()),
    ):
        func = mod["main"]
        read = [b.var for block in func.body.blocks for b in block.bindings]
        assert kinds(func.params) + kinds(read) == VARS


def test_a_value_is_no_variable():
    mod, (_, exp, pair, *_) = build()
    for block in mod["main"].body.blocks:
        for binding in block.bindings:
            value = binding.value
            assert type(value) is type(binding.var) and not isinstance(value, relax.Var)
            assert value == binding.var and hash(value) == hash(binding.var)
            assert value is binding.value and value.same_as(binding.var)
            assert value.ty == binding.var.ty and {value: 1}[binding.var] == 1
    assert relax.BlockBuilder().lookup_binding(exp).op.name == "relax.exp"
    assert relax.BlockBuilder().lookup_binding(pair).fields[0] is exp
    # What takes a value takes its variable.
    assert relax.op.exp(exp.value).args[0] is exp


def test_an_evaluator_that_asks_for_variables_first():
    func, env = build()[0]["main"], {}

    def evaluate(expr):
        if isinstance(expr, relax.Var):
            return env[expr]
        if isinstance(expr, relax.Tuple):
            return tuple(map(evaluate, expr.fields))
        if isinstance(expr, relax.TupleGetItem):
            return evaluate(expr.tuple_value)[expr.index]
        return {"exp": np.exp, "abs": np.abs}[expr.op.name[6:]](*map(evaluate, expr.args))

    env[func.params[0]] = np.full(4, 0.5, "float32")
    for block in func.body.blocks:
        for binding in block.bindings:
            env[binding.var] = evaluate(binding.value)
    np.testing.assert_allclose(evaluate(func.body.body), np.exp(np.exp(env[func.params[0]])))


def test_looking_through_bindings_ends():
    _, (x, _, pair, *_) = build()
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        alias = builder.emit(builder.emit(relax.Tuple([x, x])))
        found = alias
        while isinstance(found, relax.Var):
            value = builder.lookup_binding(found)
            if not isinstance(value, relax.Tuple | relax.Var):
                break
            found = value
        builder.emit_func_output(alias)
    assert isinstance(found, relax.Tuple) and found.fields[0] is x


def test_a_mutator_that_visits_values():
    class Same(relax.PyExprMutator):
        def visit_var_binding_(self, binding):
            value = self.visit_expr(binding.value)
            assert value.same_as(binding.value)
            self.builder_.emit_normalized(relax.VarBinding(binding.var, value))

    class Negative(relax.PyExprMutator):
        def visit_var_binding_(self, binding):
            value = self.visit_expr(binding.value)
            self.builder_.emit_normalized(relax.VarBinding(binding.var, value))

        def visit_call_(self, call):
            assert not isinstance(call, relax.Var)
            call = self.visit_expr_post_order(call)
            is_exp = call.op.name == "relax.exp"
            return relax.op.negative(call.args[0]) if is_exp else call

    mod, _ = build()
    func = mod["main"]
    assert Same(mod).visit_expr(func) is func
    changed = Negative(mod).visit_expr(func)
    assert str(changed).strip() == str(func).strip().replace("relax.exp", "relax.negative")
    read = [b.var for block in changed.body.blocks for b in block.bindings]
    assert kinds(read) == VARS[1:]


def test_blocks_of_a_mutator():
    seen = []

    class Emits(relax.PyExprMutator):
        def visit_call_(self, call):
            made = self.builder_.emit(relax.op.negative(call.args[0]))
            seen.append(self.builder_.current_block_is_dataflow())
            assert kinds([made]) == [(True, seen[-1])]
            return super().visit_call_(call)

    mod, _ = build()
    Emits(mod).visit_expr(mod["main"])
    assert seen == [True, True, False]


def test_a_variable_made_for_a_dataflow_block():
    var, local = relax.Var("v", T), relax.DataflowVar("lv", ty=T)
    assert kinds([var, local]) == [(True, False), (True, True)]
    x = relax.Var("x", T)
    bindings = [
        relax.VarBinding(local, relax.op.exp(x)),
        relax.VarBinding(var, relax.op.abs(local)),
    ]
    block = relax.DataflowBlock(bindings)
    assert kinds(b.var for b in block.bindings) == [(True, True), (True, False)]


def test_the_classes():
    assert issubclass(relax.DataflowVar, relax.Var) and not issubclass(relax.Var, relax.DataflowVar)
    assert issubclass(type(relax.Var("x", T)), relax.Var) and not issubclass(relax.Call, relax.Var)
    assert list(inspect.signature(relax.Var).parameters)[:2] == ["name_hint", "struct_info"]

    class Named(relax.Var):
        def __init__(self, name):
            super().__init__(name, T)

    assert isinstance(Named("n"), relax.Var) and Named("n").name_hint == "n"

    @functools.singledispatch
    def describe(expr):
        return "expr"

    describe.register(relax.Var, lambda var: "var")
    assert describe(relax.Var("x", T)) == "var" and describe(relax.const(1.0)) == "expr"
    with pytest.raises(TypeError, match="the name of a Var to be a str"):
        relax.Var(3)


def test_the_memory_of_values():
    mod, _ = build()
    binding = mod["main"].body.blocks[0].bindings[0]
    value = weakref.ref(binding.value)
    assert value() is None
    value = binding.value
    reference = weakref.ref(binding)
    del binding, mod, _
    assert reference() is not None and value.args[0].name_hint == "x"
    assert pickle.loads(pickle.dumps(value)).op.name == "relax.exp"
    assert copy.copy(value).op.name == "relax.exp"
    del value
    assert reference() is None
