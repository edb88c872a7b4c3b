# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions and functors in C++ with Python code of all kinds."""

import copy
import gc
import threading
import weakref

import pytest

import partita
from partita import relax
from partita.mlir import ir
from partita.relax import expr_functor

FUNCTION = """
partita.module {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.exp %x : tensor<4xf32>
    %1 = relax.add %0, %x : tensor<4xf32>
    relax.return %1 : tensor<4xf32>
  }
}
"""


def make():
    return partita.IRModule.from_text(FUNCTION)


def make_chain(count):
    x = value = relax.var("x", (4,))
    for _ in range(count):
        value = relax.exp(value)
    return x, value


class Log(relax.ExprVisitor):
    def __init__(self):
        super().__init__()
        self.seen = []

    def visit_call_(self, call):
        self.seen.append(call.op.name)
        super().visit_call_(call)


#
# Functors.
#


def test_names_of_tvm():
    assert expr_functor.PyExprVisitor is relax.PyExprVisitor is relax.ExprVisitor
    assert expr_functor.PyExprMutator is relax.PyExprMutator is relax.ExprMutator


@pytest.mark.parametrize("name", ["visit", "visit_expr"])
def test_override_of_visit_sees_all(name):
    seen = []

    def visit(self, expr):
        seen.append(type(expr).__name__)
        return getattr(relax.ExprVisitor, name)(self, expr)

    functor = type("All", (relax.ExprVisitor,), {name: visit})()
    getattr(functor, name)(make()["main"])
    assert seen[0] == "Function"
    assert seen[1:4] == ["Var", "Call", "Op"]
    assert seen.count("Call") >= 2


def test_a_decorated_class_has_a_visit_of_its_own():
    @expr_functor.visitor
    class Names(expr_functor.PyExprVisitor):
        def visit(self, mod):
            self.names = []
            for _, func in mod.functions_items():
                self.visit_expr(func)
            return self.names

        def visit_call_(self, call):
            super().visit_call_(call)
            self.names.append(call.op.name)

    @expr_functor.mutator
    class Negative(expr_functor.PyExprMutator):
        def visit(self, mod):
            return {name: self.visit_expr(func) for name, func in mod.functions_items()}

        def visit_call_(self, call):
            call = super().visit_call_(call)
            return relax.negative(call) if call.op.name == "relax.add" else call

    mod = make()
    assert Names().visit(mod) == ["relax.exp", "relax.add"]
    (after,) = Negative().visit(mod).values()
    assert "relax.negative" in str(after)


def test_methods_of_an_object():
    """A method that is set on the object, while it visits, too."""
    log = relax.ExprVisitor()
    seen = []
    log.visit_call_ = lambda call: seen.append(call.op.name)
    log.visit(make()["main"])
    assert seen == ["relax.exp", "relax.add"]


def test_class_without_init_of_its_base():
    class Bare(relax.ExprMutator):
        def __init__(self):
            pass

    func = make()["main"]
    assert Bare().visit(func) is func
    assert len(Bare().builder_.get()) == 0


def test_memo_map_is_the_users():
    x, value = make_chain(3)
    mutator = relax.ExprMutator()
    y = relax.var("y", (4,))
    mutator.memo_map = {x: y}
    assert mutator.visit(value).args[0].args[0].args[0] is y

    class Forgetful(Log):
        def visit_call_(self, call):
            self.memo_map = {}
            super().visit_call_(call)

    log = Forgetful()
    log.visit(relax.add(value, value))
    assert log.seen.count("relax.exp") == 3

    mutator.memo_map = []
    with pytest.raises(TypeError, match="memo_map of a ExprMutator to be a dict"):
        mutator.visit(value)


def test_functor_in_a_functor():
    class Outer(relax.ExprVisitor):
        def __init__(self):
            super().__init__()
            self.counts = []

        def visit_call_(self, call):
            inner = Log()
            inner.visit(call)
            self.counts.append(len(inner.seen))
            super().visit_call_(call)

    outer = Outer()
    outer.visit(make_chain(5)[1])
    assert outer.counts == [5, 4, 3, 2, 1]


def test_errors_leave_a_functor_usable():
    class Fails(Log):
        fails = True

        def visit_var_(self, var):
            if self.fails:
                raise KeyError("no")

    functor = Fails()
    _, value = make_chain(200)
    with pytest.raises(KeyError, match="no"):
        functor.visit(value)
    functor.fails = False
    functor.visit(value)
    # What is visited at each use is not kept.
    assert len(functor.memo_map) == 201
    with pytest.raises(TypeError, match="an expression to visit, but found int"):
        functor.visit(3)
    with pytest.raises(TypeError, match="expected a Call, but found Var"):
        relax.ExprVisitor.visit_call_(functor, relax.var("x", (4,)))


def test_functors_on_threads():
    mod = make()
    counts = []

    def work():
        for _ in range(50):
            log = Log()
            for func in mod.functions.values():
                log.visit(func)
            counts.append(len(log.seen))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [2] * 200


def test_deep_graph_that_a_user_holds_is_freed():
    x, value = make_chain(100_000)
    reference = weakref.ref(x)
    del x, value
    assert reference() is None


#
# Expressions.
#


def test_what_was_never_initialized_is_no_expression():
    x = relax.var("x", (4,))
    for cls in (relax.Var, relax.Call, relax.Tuple, relax.TupleGetItem, relax.Constant):
        empty = cls.__new__(cls)
        assert weakref.ref(empty)() is empty
        for use in (
            lambda e: e.struct_info,
            lambda e: relax.exp(e),
            lambda e: relax.Function([x], e),
            lambda e: relax.Tuple([e]),
            lambda e: relax.ExprVisitor().visit(e),
            lambda e: relax.analysis.free_vars(e),
        ):
            with pytest.raises((TypeError, ValueError, RuntimeError, AttributeError)):
                use(empty)


def test_an_expression_is_made_once():
    x = relax.var("x", (4,))
    with pytest.raises(TypeError):
        x.__init__("y", relax.TensorType((4,)))
    assert x.name_hint == "x"
    with pytest.raises(AttributeError):
        relax.exp(x).args = ()
    with pytest.raises(TypeError, match="a span to be an mlir.ir.Location, but found int"):
        x.loc = 3


def test_users_classes_of_expressions():
    class Named(relax.Var):
        def __init__(self, name):
            super().__init__(name, relax.TensorType((4,)))
            self.notes = []

    x = Named("x")
    with pytest.raises(TypeError, match="expected an expression of Partita's own classes to"):
        copy.deepcopy(x)
    call = relax.exp(x)
    x.notes.append("a")
    assert relax.Function([x], call).params[0] is x and x.notes == ["a"]
    log = Log()
    log.visit(call)
    assert log.seen == ["relax.exp"]
    reference = weakref.ref(call)
    del call, log
    gc.collect()
    assert reference() is None


def test_location_of_another_context():
    x = relax.var("x", (4,))
    with ir.Context():
        x.loc = ir.Location.name("elsewhere")
    gc.collect()
    assert x.loc.name_str == "elsewhere"
    assert "exp" in str(relax.Function([x], relax.exp(x)))
    x.loc = None
    assert x.loc is None


def test_expressions_outlive_their_module():
    body = make()["main"].body.body
    gc.collect()
    assert [arg.struct_info.shape for arg in body.args] == [(4,), (4,)]
    assert str(body.args[0].op) == "Op(relax.exp)"


def test_op_that_was_never_verified():
    """It is read with an error, not with a crash."""
    with ir.Context() as context, ir.Location.unknown():
        tensor = ir.Type.parse("tensor<4xf32>")

        def func(fill):
            op = ir.Operation.create(
                "relax.func",
                attributes={
                    "sym_name": ir.StringAttr.get("f"),
                    "function_type": ir.TypeAttr.get(ir.FunctionType.get([tensor], [tensor])),
                },
                regions=1,
            )
            block = op.regions[0].blocks.append(tensor)
            with ir.InsertionPoint(block):
                fill(block.arguments[0])
            module = ir.Operation.parse("partita.module {}", context=context)
            module.regions[0].blocks[0].append(op)
            return partita.IRModule(module)["f"]

        def late(x):
            first = ir.Operation.create("relax.exp", [tensor], [x])
            second = ir.Operation.create("relax.exp", [tensor], [x])
            first.operation.operands[0] = second.results[0]
            ir.Operation.create("relax.return", [], [first.results[0]])

        def empty_block(x):
            ir.Operation.create("relax.dataflow", [tensor], regions=1)

        def no_value(x):
            ir.Operation.create("relax.constant", [tensor])

        for fill in (lambda x: None, late, empty_block, no_value):
            with pytest.raises(ValueError, match="expected"):
                func(fill).body.body


#
# Results of function passes.
#


def test_function_that_a_pass_returns_and_keeps():
    """The module gets a copy of this function, and the op itself of other functions."""
    kept = []

    def twice(func, mod, ctx):
        return func.with_body(relax.exp(func.body.body))

    def keeps(func, mod, ctx):
        kept.append(twice(func, mod, ctx))
        return kept[-1]

    for function in (twice, keeps):
        made = relax.transform.function_pass(function, opt_level=0, name=function.__name__)
        new = made(make())
        assert str(new["main"]).count("relax.exp") == 2
        new["main"] = relax.Function([], relax.const(1.0))
        del new
    assert str(kept[0]).count("relax.exp") == 2


def test_weak_reference_to_a_function_that_a_pass_returns():
    references = []

    def rewrite(func, mod, ctx):
        made = func.with_body(relax.exp(func.body.body))
        references.append(weakref.ref(made))
        return made

    mod = partita.IRModule.from_text(FUNCTION)
    mod["other"] = mod["main"]
    new = relax.transform.function_pass(rewrite, opt_level=0, name="p")(mod)
    assert [reference() for reference in references] == [None, None]
    assert str(new).count("relax.exp") == 4


def test_one_function_for_two_names():
    made = []

    def same(func, mod, ctx):
        if not made:
            made.append(func.with_body(relax.exp(func.body.body)))
        return made[0]

    mod = partita.IRModule.from_text(FUNCTION)
    mod["other"] = mod["main"]
    new = relax.transform.function_pass(same, opt_level=0, name="p")(mod)
    assert str(new["main"]).count("relax.exp") == str(new["other"]).count("relax.exp") == 2
    new.operation.verify()


def test_class_that_was_decorated_is_its_cls():
    @relax.expr_functor.visitor
    class Inner(relax.PyExprVisitor):
        seen = ()

        def visit_call_(self, call):
            self.seen += (call.op.name,)
            super().visit_call_(call)

    @relax.expr_functor.visitor
    class Leaf(Inner._cls):
        def visit_call_(self, call):
            super().visit_call_(call)
            self.seen += ("leaf",)

    x = relax.Var("x", relax.TensorType([4]))
    leaf = Leaf()
    leaf.visit_expr(relax.op.exp(x))
    assert leaf.seen == ("relax.exp", "leaf")


def test_what_replaces_a_binding_has_its_name():
    class Rewrite(relax.ExprMutator):
        def visit_call_(self, call):
            call = super().visit_call_(call)
            if call.op.name == "relax.multiply":
                return relax.op.nn.relu(relax.op.subtract(*call.args))
            return call.args[0] if call.op.name == "relax.exp" else call

    x = relax.Var("x", relax.TensorType([4]))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        product = builder.emit(relax.op.multiply(x, x), "product")
        kept = builder.emit(relax.op.exp(product), "exponential")
        builder.emit_func_output(builder.emit(relax.op.add(kept, product), "sum"))
    after = Rewrite().visit_expr(builder.get()["main"])
    names = {value.op.name: value.name_hint for block in after.blocks for value in block.bindings}
    assert names == {"relax.nn.relu": "product", "relax.add": "sum"}
    # The expressions that it was made of keep their own.
    assert kept.name_hint == "exponential" and product.name_hint == "product"


def test_types_that_depend_on_a_value_are_inferred_again():
    x = relax.Var("x", relax.TensorType((8,), "float32"))
    end = relax.PrimValue(4)
    call = relax.op.arange(relax.PrimValue(0), end, relax.PrimValue(1), dtype="int64")
    func = relax.Function([x], call)

    class Longer(relax.PyExprMutator):
        def visit_prim_value_(self, value):
            return relax.PrimValue(6) if value.value == 4 else value

    made = Longer().visit_expr(func)
    assert made.struct_info.ret == relax.TensorType((6,), "int64")
    assert func.struct_info.ret == relax.TensorType((4,), "int64")


def test_what_is_around_inferred_calls_is_verified():
    x = relax.Var("x", relax.TensorType((8,), "float32"))
    printed = relax.op.print(x, format="{}")
    block = relax.DataflowBlock([printed])
    with pytest.raises(ValueError, match="expected an op without side effects"):
        relax.Function([x], relax.SeqExpr([block], x))


def test_a_body_is_visited_in_a_scope_of_its_own():
    class Mutator(relax.PyExprMutator):
        def visit_function_(self, func):
            params = [relax.Var(param.name + "_new", param.ty) for param in func.params]
            for param, new in zip(func.params, params):
                self.set_var_remap(param, new)
            body = self.visit_with_new_scope(func.body)
            return relax.Function(params, body, func.ret_ty, func.is_pure, func.attrs)

    x = relax.Var("x", relax.TensorType((4,)))
    func = relax.expr_functor.mutator(Mutator)().visit_expr(relax.Function([x], relax.op.exp(x)))
    assert [param.name for param in func.params] == ["x_new"]
    assert func.body.body.args[0] is func.params[0]


@pytest.mark.parametrize("base", [relax.ExprFunctor, relax.ExprVisitor])
def test_a_body_without_a_method_of_its_own(base):
    """Its bindings are visited, and the result is its value's result."""

    class Names(base):
        seen = []

        def visit_call_(self, call):
            self.seen.append(call.op.name)
            return len(self.seen)

    assert Names().visit(make()["main"].body) == 2 and Names.seen == ["relax.exp", "relax.add"]


class CallLog(relax.ExprVisitor):
    def __init__(self):
        super().__init__()
        self.log = []

    def visit_call_(self, call):
        self.log.append(call.op.name)


@pytest.mark.parametrize(
    "name,expected",
    (
        ("visit_call_", ["own", "own"]),
        ("visit_call", ["own", "own"]),
        ("visit_dataflow_block_", ["own", "relax.tanh"]),
        ("visit_binding_block", ["own", "own", "relax.tanh"]),
        ("visit_seq_expr_", ["relax.exp", "relax.tanh"]),
        ("visit_function_", ["own"]),
    ),
)
def test_methods_of_one_object(name, expected):
    x = relax.Var("x", relax.TensorType((4,), "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        with builder.dataflow():
            y = builder.emit_output(relax.op.exp(x))
        builder.emit_func_output(builder.emit(relax.op.tanh(y)))
    func = builder.get()["main"]
    visitor = CallLog()
    setattr(visitor, name, lambda expr: visitor.log.append("own"))
    visitor.visit_expr(func)
    assert visitor.log == expected
    # A method of another object of the class.
    if name == "visit_call_":
        other, visitor = visitor, CallLog()
        del other.visit_call_
        other.log.clear()
        visitor.visit_call_ = other.visit_call_
        visitor.visit_expr(func)
        assert (visitor.log, other.log) == ([], ["relax.exp", "relax.tanh"])


def test_what_a_mutator_emits_is_in_the_block():
    x = relax.Var("x", relax.TensorType((4,), "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        with builder.dataflow():
            value = builder.emit(relax.op.add(builder.emit(relax.op.exp(x)), x))
            value = builder.emit_output(relax.op.abs(builder.emit(relax.op.tanh(value))))
        builder.emit_func_output(builder.emit(relax.op.add(value, x)))

    class Subtract(relax.ExprMutator):
        hints = ("", "")

        def visit_call_(self, call):
            call = super().visit_call_(call)
            if call.op.name != "relax.add":
                return call
            value = call.args[1]
            for hint in self.hints:
                value = self.builder_.emit(relax.op.negative(value), hint)
            # Nothing uses it.
            self.builder_.emit(relax.op.exp(value), "unused")
            return relax.op.subtract(call.args[0], value)

    class Named(Subtract):
        hints = ("neg", "neg")

    func = builder.get()["main"]
    for mutator, expected in (
        # As TVM names them, which counts without the names that there are.
        (Subtract, ["lv lv lv1 unused lv1 lv2 gv", "gv gv1 unused1 gv1"]),
        (Named, ["lv neg neg1 unused lv1 lv2 gv", "neg2 neg3 unused1 gv1"]),
    ):
        for made in (mutator(), mutator(builder.get())):
            blocks = made.visit_expr(func).body.blocks
            names = [" ".join(one.var.name_hint for one in block.bindings) for block in blocks]
            assert names == expected
            blocks = partita.IRModule({"main": made.visit_expr(func)})["main"].body.blocks
            assert [len(block.bindings) for block in blocks] == [7, 4]


def test_a_binding_or_a_block_visited_alone_ends_at_the_variables_that_it_uses():
    x = relax.Var("x", relax.TensorType((4,)))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        with bb.dataflow():
            a = bb.emit_output(relax.op.exp(x))
        b = bb.emit(relax.op.abs(a))
        bb.emit_func_output(bb.emit(relax.op.add(b, a)))
    first, second = bb.get()["main"].body.blocks

    @expr_functor.visitor
    class Names(relax.PyExprVisitor):
        def __init__(self):
            self.names = []

        def visit_call_(self, call):
            self.names.append(call.op.name)
            super().visit_call_(call)

    @expr_functor.visitor
    class Bindings(Names):
        def visit_var_def_(self, var):
            self.names.append(var.name)

    for cls in (Names, Bindings):
        visitor = cls()
        visitor.visit_binding(second.bindings[1])
        visitor.visit_binding_block(second)
        assert [name for name in visitor.names if "relax" in name] == ["relax.add", "relax.abs"]

    @expr_functor.mutator
    class Uses(relax.PyExprMutator):
        def visit_var_(self, var):
            return super().visit_var_(var)

    (old,) = first.bindings
    block = Uses().visit_binding_block(second)
    assert block is second and block.bindings[0].value.args[0] is old
    assert Uses().visit_expr(second.bindings[0].value) == second.bindings[0]


def test_variables_of_dataflow_blocks_are_variables():
    x = relax.Var("x", relax.TensorType((4,)))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        with bb.dataflow():
            bb.emit(relax.op.exp(x), "a")
            b = bb.emit_output(relax.op.abs(x), "b")
        bb.emit_func_output(b)

    class Definitions:
        def __init__(self):
            super().__init__()
            self.names = []

        def visit_var_def_(self, var):
            self.names.append(var.name)
            return var

    for base in (relax.PyExprVisitor, relax.PyExprMutator):
        visitor = expr_functor.visitor(type("Class", (Definitions, base), {}))()
        visitor.visit_expr(bb.get()["main"])
        assert visitor.names == ["x", "a", "b"]


def test_a_mutator_defines_other_variables():
    x = relax.Var("x", relax.TensorType((4,)))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        with bb.dataflow():
            a = bb.emit(relax.op.exp(x), "a")
            c = bb.emit(a, "c")
            d = bb.emit_output(relax.op.add(c, a), "d")
        bb.emit_func_output(bb.emit(relax.op.abs(d), "e"))

    @expr_functor.mutator
    class Renames(relax.PyExprMutator):
        def visit_var_def_(self, var):
            return relax.Var(var.name + "_var", var.ty)

        def visit_dataflow_var_def_(self, var):
            new = relax.DataflowVar(var.name + "_new", var.ty)
            self.set_var_remap(var, new)
            return new

    new = Renames().visit_expr(bb.get()["main"])
    names = [binding.var.name for block in new.body.blocks for binding in block.bindings]
    assert names == ["a_new", "c_new", "d_var", "e_var"]
    assert [param.name for param in new.params] == ["x_var"]
    assert [arg.name for arg in new.body.blocks[0].bindings[2].value.args] == ["c_new", "a_new"]

    @expr_functor.mutator
    class Casts(relax.PyExprMutator):
        def visit_dataflow_var_def_(self, var):
            return relax.DataflowVar(var.name, relax.TensorType(ndim=1))

    (block, _) = Casts().visit_expr(bb.get()["main"]).body.blocks
    assert isinstance(block.bindings[0], relax.MatchCast)
    assert block.bindings[0].var.ty == relax.TensorType(ndim=1)
