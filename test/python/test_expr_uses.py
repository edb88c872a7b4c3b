# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Methods of visitors and mutators for variables where they are used, as in Relax."""

import pytest

import partita
from partita import relax
from partita.relax import expr_functor


def make_blocks():
    """add(x, y), its square, and the sum with a constant, which is the result; z is not used."""
    x, y, z = (relax.Var(name, relax.TensorType((4,))) for name in "xyz")
    builder = relax.BlockBuilder()
    with builder.function("main", [x, y, z]):
        with builder.dataflow():
            total = builder.emit(relax.op.add(x, y), "total")
            square = builder.emit(relax.op.multiply(total, total), "square")
            one = relax.const([1.0, 1.0, 1.0, 1.0], "float32")
            output = builder.emit_output(relax.op.add(square, one), "output")
        builder.emit_func_output(builder.emit(relax.op.add(output, one), "result"))
    return builder.get()["main"]


class Uses(relax.PyExprVisitor):
    def __init__(self):
        super().__init__()
        self.seen = []

    def visit_var_(self, var):
        self.seen.append(var.name_hint)

    def visit_dataflow_var_(self, var):
        self.seen.append("dataflow " + var.name_hint)

    def visit_constant_(self, constant):
        self.seen.append("constant")

    def visit_op_(self, op):
        self.seen.append(op.name)


USES = [
    *("relax.add", "x", "y", "relax.multiply", "dataflow total", "dataflow total"),
    *("relax.add", "dataflow square", "constant", "relax.add", "output", "constant", "result"),
]


def test_each_use_is_visited_as_in_relax():
    uses = Uses()
    uses.visit_expr(make_blocks())
    assert uses.seen == USES

    class Definitions(Uses):
        def visit_var_def_(self, var):
            self.seen.append("define " + var.name_hint)

        def visit_dataflow_var_def_(self, var):
            self.seen.append("define dataflow " + var.name_hint)

    definitions = Definitions()
    definitions.visit_expr(make_blocks())
    assert definitions.seen[:3] == ["define x", "define y", "define z"]
    assert [one for one in definitions.seen if one[:6] != "define"] == USES
    places = [definitions.seen.index("define " + what) for what in ("dataflow square", "output")]
    assert definitions.seen.index("dataflow square") > places[0] < places[1]

    class Values(Definitions):
        def visit_var_binding_(self, binding):
            self.visit_expr(binding.value)
            self.visit_var_def(binding.var)

    values = Values()
    values.visit_expr(make_blocks())
    assert values.seen == definitions.seen


def test_each_use_in_a_deep_graph_is_visited_once():
    x = value = relax.var("x", (4,))
    for _ in range(200):
        value = relax.exp(value)
    uses = Uses()
    uses.visit(relax.op.add(relax.op.add(value, x), value))
    assert uses.seen.count("x") == 2 and uses.seen.count("relax.exp") == 200


@pytest.mark.parametrize("name", ["visit_constant_", "visit_generic_const_"])
def test_constants_have_two_names(name):
    """TVM 0.27 has the second one."""
    seen = []
    two = relax.const([2.0, 2.0, 2.0, 2.0], "float32")

    def see(self, constant):
        seen.append(constant)
        return getattr(super(cls, self), name)(constant)

    cls = type("Constants", (relax.PyExprVisitor,), {name: see})
    cls().visit_expr(make_blocks())
    assert len(seen) == 2 and isinstance(seen[0], relax.Constant)
    doubled = type("Doubles", (relax.PyExprMutator,), {name: lambda self, constant: two})
    after = doubled().visit_expr(make_blocks())
    assert after.body.body.args[1] is two


def test_with_type():
    x = relax.Var("x", relax.TensorType((4,)))
    mutator = relax.PyExprMutator()
    assert mutator.with_type(x, relax.TensorType((4,))) is x
    y = mutator.with_type(x, relax.TensorType((8,)))
    assert y.name_hint == "x" and y.ty == relax.TensorType((8,))
    assert isinstance(mutator.with_type(relax.DataflowVar("d", x.ty), y.ty), relax.DataflowVar)


def test_what_has_the_names_of_relay_is_visited_once():
    class Variables(relax.ExprVisitor):
        seen = []

        def visit_var(self, var):
            self.seen.append(var.name_hint)

    Variables().visit(make_blocks())
    assert Variables.seen == ["x", "y", "z"]


def test_a_use_of_an_alias():
    x = relax.Var("x", relax.TensorType((4,)))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        with builder.dataflow():
            same = builder.emit(x, "same")
            output = builder.emit_output(relax.op.add(same, same), "output")
        builder.emit_func_output(output)
    uses = Uses()
    uses.visit_expr(builder.get()["main"])
    assert uses.seen == ["x", "relax.add", "dataflow same", "dataflow same", "output"]


def test_a_mutator_replaces_uses():
    class Constants(relax.PyExprMutator):
        def visit_var_(self, var):
            if var.name_hint == "y":
                return relax.const([0.0, 0.0, 0.0, 0.0], "float32")
            return super().visit_var_(var)

    before = make_blocks()
    after = Constants().visit_expr(before)
    assert [param.name_hint for param in after.params] == ["x", "y", "z"]
    first, second = list(after.blocks[0].bindings)[:2]
    assert isinstance(first.args[1], relax.Constant) and second.args[0] is second.args[1]
    assert second.args[0].name_hint == "total"

    class Negative(relax.PyExprMutator):
        def visit_dataflow_var_(self, var):
            return relax.op.negative(super().visit_dataflow_var_(var))

    after = Negative().visit_expr(before)
    (product,) = (b for b in after.blocks[0].bindings if b.op.name == "relax.multiply")
    assert [arg.op.name for arg in product.args] == ["relax.negative"] * 2
    assert [arg.args[0].name_hint for arg in product.args] == ["total"] * 2

    class Forgets(relax.PyExprMutator):
        def visit_var_(self, var):
            pass

    with pytest.raises(TypeError, match="expected Forgets to return an expression for a Var"):
        Forgets().visit_expr(before)


def test_a_parameter_is_replaced_where_it_is_used():
    class ToOne(relax.ExprMutator):
        def visit_var_def_(self, var):
            if var.name != "A":
                return var
            return relax.Var("A1", relax.TensorType([1, 32], var.ty.dtype))

    a, b = (relax.Var(n, relax.TensorType(s)) for n, s in (("A", [16, 32]), ("B", [32, 64])))
    before = relax.Function([a, b], relax.matmul(a, b))
    after = ToOne().visit_expr(before)
    assert [param.name for param in after.params] == ["A1", "B"]
    assert after.params[1] is b and after.ret_type == relax.TensorType([1, 64])
    assert before.ret_type == relax.TensorType([16, 64])


RETURNS_TUPLE = """
partita.module {
  relax.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %out = relax.dataflow -> tuple<tensor<4xf32>, tensor<4xf32>> {
      %lv0 = relax.exp %x : tensor<4xf32>
      %lv1 = relax.abs %x : tensor<4xf32>
      %pair = relax.tuple(%lv0, %lv1) : tensor<4xf32>, tensor<4xf32>
      relax.output %pair : tuple<tensor<4xf32>, tensor<4xf32>>
    }
    %0 = relax.tuple_get_item %out[0] : tuple<tensor<4xf32>, tensor<4xf32>>
    %1 = relax.tuple_get_item %out[1]INLINE : tuple<tensor<4xf32>, tensor<4xf32>>
    relax.return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}
"""


def test_a_variable_that_is_a_tuple_is_returned():
    """It is one output of its block, as in TVM, also after a pass."""

    class Negative(relax.PyExprMutator):
        def visit_call_(self, call):
            return relax.op.negative(call.args[0]) if call.op.name == "relax.exp" else call

    before = partita.IRModule.from_text(RETURNS_TUPLE.replace("INLINE", ""))
    body = before["main"].body
    assert body.body is body.blocks[-1].bindings[-1] and body.body.name_hint == "pair"
    expected = RETURNS_TUPLE.replace("INLINE", "").replace("relax.exp", "relax.negative")
    partita.ir.assert_structural_equal(
        Negative().visit_expr(before["main"]), partita.IRModule.from_text(expected)["main"]
    )
    # Here TVM has the fields.
    fields = partita.IRModule.from_text(RETURNS_TUPLE.replace("INLINE", " {relax.inline}"))
    assert [field.index for field in fields["main"].body.body.fields] == [0, 1]


def test_a_use_that_a_mutator_leaves():
    x = relax.Var("x", relax.TensorType((4,)))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        with bb.dataflow():
            a = bb.emit(relax.op.exp(x), "a")
            b = bb.emit(relax.op.abs(a), "b")
            c = bb.emit_output(relax.op.add(a, b), "c")
        bb.emit_func_output(c)

    @expr_functor.mutator
    class Negate(relax.PyExprMutator):
        def visit_call_(self, call):
            if call.op.name == "relax.exp":
                return relax.op.negative(call.args[0])
            return super().visit_call_(call)

        def visit_dataflow_var_(self, var):
            return var

    # As in TVM, the variable is the one whose value has changed.
    made = Negate(bb.get()).visit_expr(bb.get()["main"])
    names = [binding.op.name for binding in made.body.blocks[0].bindings]
    assert names == ["relax.negative", "relax.abs", "relax.add"]


def test_the_value_of_a_variable_is_emitted_again():
    # As a pass of mlc-llm that computes fields of tuples where they are used.
    @expr_functor.mutator
    class Scatter(relax.PyExprMutator):
        def __init__(self, mod):
            super().__init__(mod)
            self.items = {}

        def visit_var_binding_(self, binding):
            super().visit_var_binding_(binding)
            if isinstance(binding.value, relax.TupleGetItem):
                self.items[binding.var] = binding.value

        def visit_dataflow_var_(self, var):
            if var in self.items:
                return self.builder_.emit(self.items.pop(var), name_hint=var.name_hint)
            return var

    x = relax.Var("x", relax.TensorType((4,)))
    pair = relax.Var("pair", relax.TupleType([x.ty, x.ty]))
    bb = relax.BlockBuilder()
    with bb.function("main", [x, pair]):
        with bb.dataflow():
            s = bb.emit(relax.op.split(relax.op.concat([x, x]), 2), "s")
            one, p = bb.emit(s[1], "one"), bb.emit(pair[0], "p")
            y = bb.emit(relax.op.exp(x), "y")
            z = bb.emit_output(relax.op.add(relax.op.add(one, p), y), "z")
        bb.emit_func_output(z)
    made = Scatter(bb.get()).visit_expr(bb.get()["main"])
    made = relax.analysis.remove_all_unused(made)
    lines = [
        line.split(" = ")[1].split(" :")[0] for line in str(made).splitlines() if " = " in line
    ]
    order = [line.split()[0] for line in lines]
    assert order.index("relax.exp") < order.index("relax.alias")
    assert order.index("relax.exp") < order.index("relax.tuple_get_item")
    assert order.count("relax.alias") == order.count("relax.tuple_get_item") == 1
