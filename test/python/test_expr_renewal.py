# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What mutators make of variables of the function that they visit, as in TVM."""

import numpy as np
import pytest

import partita
from partita import relax
from partita.relax import expr_functor, op

X = relax.TensorType((4,), "float32")


def build(make, *types):
    """A function of parameters of these types that a block computes with `make(builder, ...)`."""
    params = [relax.Var(f"x{i}", type_) for i, type_ in enumerate(types or (X,))]
    builder = relax.BlockBuilder()
    with builder.function("main", params):
        with builder.dataflow():
            result = builder.emit_output(make(builder, *params))
        builder.emit_func_output(result)
    return builder.get()


def run(mod, *args):
    return partita.compile(mod)["main"](*args)


def ops(func):
    """The names of the ops that a function computes, in their order."""
    return [binding.value.op.name for block in func.body.blocks for binding in block.bindings]


# From TVM's tutorial on passes: the operand is not visited.
@expr_functor.mutator
class ReluToGelu(relax.PyExprMutator):
    def visit_call_(self, call):
        if call.op.name == "relax.nn.relu":
            return op.nn.gelu(call.args[0])
        return super().visit_call_(call)


def test_a_call_on_old_operands_is_computed_from_their_new_values():
    mod = build(lambda bb, x: op.nn.relu(bb.emit(op.exp(bb.emit(op.nn.relu(x))))))
    made = ReluToGelu(mod).visit_expr(mod["main"])
    assert ops(made) == ["relax.nn.gelu", "relax.exp", "relax.nn.gelu"]


def test_a_call_that_is_returned_as_it_is_uses_new_values():
    @expr_functor.mutator
    class AbsToExp(relax.PyExprMutator):
        def visit_call_(self, call):
            return op.exp(call.args[0]) if call.op.name == "relax.abs" else call

    mod = build(lambda bb, x: op.add(bb.emit(op.sqrt(bb.emit(op.abs(x), "a"))), x))
    made = AbsToExp(mod).visit_expr(mod["main"])
    assert ops(made) == ["relax.exp", "relax.sqrt", "relax.add"]
    assert made.body.blocks[0].bindings[0].name_hint == "a"


def test_an_operand_that_takes_the_place_of_its_user():
    @expr_functor.mutator
    class DropAbs(relax.PyExprMutator):
        def visit_call_(self, call):
            return call.args[0] if call.op.name == "relax.abs" else super().visit_call_(call)

    mod = build(lambda bb, x: op.sqrt(bb.emit(op.abs(bb.emit(op.abs(bb.emit(op.exp(x))))))))
    assert ops(DropAbs(mod).visit_expr(mod["main"])) == ["relax.exp", "relax.sqrt"]


def test_what_a_mutator_emits_uses_new_values():
    @expr_functor.mutator
    class Split(relax.PyExprMutator):
        def visit_call_(self, call):
            if call.op.name != "relax.nn.relu":
                return super().visit_call_(call)
            both = [call.args[0], relax.const(np.zeros(4, "float32"))]
            zero = self.builder_.emit(op.minimum(*both), "least")
            rest = self.builder_.emit_normalized(
                relax.VarBinding(relax.Var("rest", X), op.subtract(call.args[0], zero))
            )
            return op.add(op.multiply(rest, rest), zero)

    mod = build(lambda bb, x: op.nn.relu(bb.emit(op.nn.relu(bb.emit(op.negative(x))))))
    made = Split(mod).visit_expr(mod["main"])
    once = ["relax.minimum", "relax.subtract", "relax.add"]
    assert ops(made) == ["relax.negative", *once, *once]
    x = np.array([-2, -1, 0.5, 3], "float32")
    expected = -x
    for _ in range(2):
        least = np.minimum(expected, 0)
        expected = (expected - least) ** 2 + least
    np.testing.assert_allclose(run(partita.IRModule({"main": made}), x), expected)


def test_types_are_inferred_from_new_operands():
    @expr_functor.mutator
    class Flatten(relax.PyExprMutator):
        def visit_call_(self, call):
            if call.op.name == "relax.reshape":
                return op.reshape(call.args[0], (2, 2))
            return call if call.op.name != "relax.exp" else op.exp(call.args[0])

    mod = build(lambda bb, x: op.abs(bb.emit(op.exp(bb.emit(op.reshape(x, (4, 1)))))))
    made = Flatten(mod).visit_expr(mod["main"])
    assert [b.ty.shape for b in made.body.blocks[0].bindings] == [(2, 2)] * 3


def test_tuples_and_fields_of_old_variables():
    @expr_functor.mutator
    class Join(relax.PyExprMutator):
        def visit_call_(self, call):
            if call.op.name == "relax.concat":
                return op.concat(list(call.args[0])[::-1])
            return op.exp(call.args[0]) if call.op.name == "relax.abs" else call

    def make(bb, x, y):
        parts = bb.emit(op.split(bb.emit(op.abs(x)), 2))
        return op.concat([bb.emit(parts[1]), bb.emit(op.abs(y))])

    mod = build(make, X, relax.TensorType((2,), "float32"))
    made = Join(mod).visit_expr(mod["main"])
    x, y = np.arange(4, dtype="float32"), np.array([5, 6], "float32")
    found = run(partita.IRModule({"main": made}), x, y)
    np.testing.assert_allclose(found, np.concatenate([np.exp(y), np.exp(x)[2:]]), rtol=1e-6)


def test_parameters_and_constants_stay():
    one = relax.const(np.ones(4, "float32"))

    @expr_functor.mutator
    class Twice(relax.PyExprMutator):
        def visit_generic_const_(self, const):
            return relax.const(np.full(4, 2, "float32"))

        def visit_call_(self, call):
            return op.multiply(*call.args) if call.op.name == "relax.add" else call

    mod = build(lambda bb, x: op.add(bb.emit(op.add(x, one)), x))
    made = Twice(mod).visit_expr(mod["main"])
    assert ops(made) == ["relax.multiply", "relax.multiply"]
    assert made.params[0] is mod["main"].params[0]
    np.testing.assert_array_equal(
        run(partita.IRModule({"main": made}), np.full(4, 3, "float32")), np.full(4, 9)
    )


def test_a_parameter_in_the_place_of_another():
    @expr_functor.mutator
    class Wider(relax.PyExprMutator):
        def visit_var_def_(self, var):
            return relax.Var(var.name_hint, relax.TensorType((8,), "float32"))

        def visit_call_(self, call):
            return op.abs(call.args[0]) if call.op.name == "relax.exp" else call

    mod = build(lambda bb, x: op.exp(x))
    made = Wider(mod).visit_expr(mod["main"])
    assert made.ret_ty.shape == (8,) and ops(made) == ["relax.abs"]


def test_the_value_of_a_binding_is_visited_alone():
    mod = build(lambda bb, x: op.sqrt(bb.emit(op.exp(bb.emit(op.abs(x), "a")), "b")))
    seen = []

    @expr_functor.visitor
    class Calls(relax.PyExprVisitor):
        def visit_call_(self, call):
            seen.append(call.op.name)
            super().visit_call_(call)

    a, b, c = mod["main"].body.blocks[0].bindings
    for binding in (b, c):
        Calls().visit_expr(binding.value)
    assert seen == ["relax.exp", "relax.sqrt"]
    assert relax.analysis.free_vars(b.value) == [a.var]
    found = []
    relax.analysis.post_order_visit(b.value, found.append)
    assert found == [b.value]
    # A variable stands for all that it is computed from.
    Calls().visit_expr(b.var)
    assert seen[2:] == ["relax.exp", "relax.abs"]


def test_a_cast_is_no_call():
    func = relax.Var("x", relax.TensorType(ndim=1, dtype="float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [func]):
        cast = builder.match_cast(builder.emit(op.exp(func)), relax.TensorType(["n"], "float32"))
        builder.emit_func_output(builder.emit(op.abs(cast)))
    seen = []

    @expr_functor.mutator
    class Calls(relax.PyExprMutator):
        def visit_call_(self, call):
            seen.append(call.op.name)
            return super().visit_call_(call)

    made = Calls(builder.get()).visit_expr(builder.get()["main"])
    assert seen == ["relax.exp", "relax.abs"] and made is not None


@pytest.mark.parametrize("name", ["concat", "call_tir"])
def test_tuples_of_operands_are_visited(name):
    @expr_functor.mutator
    class Turn(relax.PyExprMutator):
        def visit_tuple_(self, tup):
            fields = [self.visit_expr(field) for field in tup.fields]
            return relax.Tuple(fields[::-1])

    def make(bb, x, y):
        if name == "concat":
            return op.concat([x, y])
        return op.call_tir(relax.GlobalVar("f"), [x, y], X)

    mod = relax.Function([x := relax.Var("x", X), y := relax.Var("y", X)], make(None, x, y))
    made = Turn().visit_expr(mod)
    call = made.body.body
    call = call.value if isinstance(call, relax.Var) else call
    assert list(call.args[-1].fields) == [y, x]


def test_a_call_of_a_function_of_the_module_keeps_its_type():
    builder = relax.BlockBuilder()
    x, y = relax.Var("x", X), relax.Var("y", X)
    with builder.function("callee", [x]):
        builder.emit_func_output(builder.emit(op.exp(x)))
    with builder.function("main", [y]):
        callee = builder.get().get_global_var("callee")
        builder.emit_func_output(builder.emit(op.abs(builder.emit(callee(y)))))
    mod = builder.get()

    @expr_functor.mutator
    class Rebuild(relax.PyExprMutator):
        def visit_call_(self, call):
            return relax.Call(call.op, [self.visit_expr(arg) for arg in call.args], call.attrs)

    made = Rebuild(mod).visit_expr(mod["main"])
    assert made.ret_ty == X and "@callee" in str(made)
    kept = relax.analysis.remove_all_unused(made)
    assert [str(gv.name_hint) for gv in relax.analysis.all_global_vars(kept)] == ["callee"]
    rule = relax.dpl.is_op("relax.abs")(relax.dpl.wildcard())
    changed = relax.dpl.rewrite_call(rule, lambda call, _: op.sqrt(call.args[0]), made)
    assert "relax.sqrt" in str(changed)
    mod["main"] = made
    assert "relax.abs" in str(mod["main"])


def test_a_call_is_made_again_on_operands_of_other_types():
    call = op.nn.max_pool2d(relax.Var("x", relax.TensorType((1, 8, 4, 4), "float32")), (2, 2))
    assert call.ty_args == [] and isinstance(call.attrs, partita.ir.Attrs)
    wider = relax.Var("y", relax.TensorType((1, 8, 9, 9), "int8"))
    again = relax.Call(call.op, [wider], call.attrs, call.ty_args)
    assert again.ty == relax.TensorType((1, 8, 8, 8), "int8")


def test_uses_of_variables_of_other_blocks():
    x = relax.Var("x", relax.TensorType(ndim=1, dtype="float32"))
    builder = relax.BlockBuilder()
    attrs = {"global_symbol": "other"}
    with builder.function("main", [x], attrs=attrs):
        with builder.dataflow():
            a = builder.emit_output(op.exp(x), "a")
        cast = builder.match_cast(a, relax.TensorType(["n"], "float32"), "cast")
        with builder.dataflow():
            b = builder.emit_output(op.add(cast, a), "b")
        builder.emit_func_output(b)
    func = builder.get()["main"]
    chain = relax.analysis.udchain(func.body.blocks[-1])
    assert {var.name_hint: len(users) for var, users in chain.items()} == {
        "b": 0,
        "cast": 1,
        "a": 1,
    }
    assert [str(n) for n in relax.analysis.defined_symbolic_vars(func)] == ["n"]
    assert func.attrs["global_symbol"] == "main"


def test_a_builder_leaves_its_module_alone():
    mod = build(lambda bb, x: op.exp(x))
    builder = relax.BlockBuilder(mod)
    y = relax.Var("y", X)
    with builder.function("other", [y]):
        builder.emit_func_output(builder.emit(op.abs(y)))
    assert builder.add_func(builder.get()["main"].without_attr("global_symbol"), "main") is not None
    assert [var.name_hint for var in mod.get_global_vars()] == ["main"]
    names = {var.name_hint for var in builder.get().get_global_vars()}
    assert {"main", "other"} <= names
    assert relax.BlockBuilder(mod).get() is not mod
    builder = relax.BlockBuilder(mod)
    builder.update_func(mod.get_global_var("main"), builder.get()["main"].with_attr("a", 1))
    assert "a" not in mod["main"].attrs and builder.get()["main"].attrs["a"] == 1
