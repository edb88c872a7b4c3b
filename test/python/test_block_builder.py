# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of a BlockBuilder, as in TVM, and the functions of its modules."""

import json

import partita
import pytest
from partita import ir, relax, tir

FLOATS = relax.TensorType((4, 4), "float32")


def make(**options):
    x = relax.Var("x", FLOATS)
    bb = relax.BlockBuilder()
    with bb.function("main", x, **options):
        # Facts about sizes there are known without it.
        with bb.testing_scope(def_vars=[tir.Var("n", "int64")]):
            y = bb.emit(relax.op.call_packed("write", x, sinfo_args=FLOATS))
        bb.emit_func_output(y)
    return bb.get()


def test_one_parameter_needs_no_list():
    x = relax.Var("x", FLOATS)
    assert make(pure=False)["main"].params[0].ty == FLOATS
    bb = relax.BlockBuilder()
    with bb.function("main"):
        bb.emit_func_output(x, params=x)
    with bb.function("size", tir.Var("n", "int64")):
        bb.emit_func_output(relax.ShapeExpr(["n"]))
    assert bb.get()["main"].ret_ty == FLOATS
    assert bb.get()["size"].params[0].ty == relax.PrimType("int64")


def test_functions_with_side_effects():
    mod = make(pure=False)
    assert not mod["main"].is_pure and make()["main"].is_pure
    assert not mod.get_global_var("main").ty.purity and make().get_global_var("main").ty.purity


def test_a_global_var_knows_the_type_of_its_function():
    assert make(pure=False).get_global_var("main").ty == relax.FuncType([FLOATS], FLOATS, False)
    assert relax.GlobalVar("main").ty.is_missing()


def test_a_binding_is_equal_to_what_it_is_in_a_block():
    x, v, w = relax.Var("x", FLOATS), relax.Var("v", relax.TensorType(("n", 4))), relax.Var("w")
    cast, binding = relax.MatchCast(v, x, v.ty), relax.VarBinding(w, relax.op.exp(v))
    block = relax.BindingBlock([cast, binding])
    assert block.bindings[0] == cast and cast == block.bindings[0] and cast.same_as(v)
    assert block.bindings[1] == binding and binding != cast and binding != x
    assert {cast: 1}[v] == 1 and cast.value is x and cast.ty == v.ty


def test_script_and_show_take_the_options_of_tvm(capsys):
    mod = make()
    for printed in (mod, mod["main"]):
        assert printed.script(show_meta=True, show_all_ty=False, ir_prefix="I") == str(printed)
        printed.show("light", False, syntax_sugar=False)
        assert "relax.call_value" in capsys.readouterr().out
        for call in (printed.script, printed.show):
            with pytest.raises(TypeError, match="expected options that TVM's script.* 'meta'"):
                call(meta=True)
    large = relax.Function([], relax.const(list(range(100))))
    large.show()
    assert "99" not in capsys.readouterr().out
    large.show(show_meta=True)
    assert "resource" in capsys.readouterr().out or "99" in large.script()


def test_what_is_imported_is_what_was_built():
    x = relax.Var("x", relax.TensorType((1, 2, 2, 1), "float32"))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        with bb.dataflow():
            # TVM has a list of float32 there, and calls that are pure in any place.
            lv = bb.emit(relax.op.image.resize2d(x, (4, 4), layout="NHWC"))
            gv = bb.emit_output(relax.op.call_dps_packed("f", lv, out_ty=FLOATS))
        bb.emit_func_output(gv)
    mod = bb.get()
    again = partita.IRModule.from_tvm_json(mod.to_tvm_json())
    ir.assert_structural_equal(mod, again)
    assert ir.structural_hash(mod) == ir.structural_hash(again)
    ir.assert_structural_equal(again, partita.IRModule.from_text(again.script()))


def test_numbers_of_a_type_as_attributes():
    func = make()["main"].with_attrs(
        {"i": tir.IntImm("int32", 3), "f": tir.FloatImm("float32", 0.5)}
    )
    assert "f = 5.000000e-01 : f32, " in str(func) and "i = 3 : i32" in str(func)
    assert func.attrs["i"] == 3 and func.attrs["f"] == 0.5


def test_what_does_not_exist_is_told_with_the_nearest():
    for get, message in (
        (
            lambda: relax.transform.FoldConstnt,
            "a pass of .*'FoldConstnt'; the nearest are FoldCons",
        ),
        (
            lambda: relax.transform.VMShapeLower,
            "'VMShapeLower'; partita.transform.list_passes.. has all",
        ),
        (lambda: tir.transform.UnrolLoop, "the nearest are UnrollLoop"),
        (
            lambda: relax.op.nn.conv2dd,
            "an op of partita.relax.op.nn, but found 'conv2dd'; the nearest",
        ),
        (lambda: relax.op.no_such_thing, "partita.relax.op.__all__ has all that there are"),
    ):
        with pytest.raises(AttributeError, match=message):
            get()
    assert not hasattr(relax.op, "__wrapped__")


def test_what_is_of_another_type_is_told():
    x, bound = relax.Var("x", FLOATS), relax.Var("b", FLOATS)
    relax.VarBinding(bound, relax.op.exp(x))
    bb = relax.BlockBuilder()
    for call, message in (
        (lambda: relax.op.sum(x, axis="1"), "an int or a list of ints, but found '1'"),
        (lambda: relax.op.nn.max_pool2d(x, strides="2"), "a list of ints, but found .'2', '2'."),
        (lambda: relax.ShapeExpr(3), "the dimensions of a ShapeExpr in a list, but found 3"),
        (lambda: relax.Function([relax.op.exp(x)], x), "a parameter to be a Var, but found Call"),
        (lambda: bb.function("f", [1]), "a parameter to be a Var, but found int"),
        (
            lambda: relax.Function([bound], bound),
            "Var without value, but found 'b', which a binding",
        ),
        (
            lambda: relax.call_tir(tir.PrimFunc.__new__(tir.PrimFunc), [x], FLOATS),
            "add_func and IRM",
        ),
        (lambda: relax.transform.FoldConstant()(make()["main"]), "from_expr makes of a function"),
        (
            lambda: partita.transform.Sequential([relax.transform.FoldConstant]),
            "a call of it may make one: FoldConst",
        ),
    ):
        with pytest.raises(TypeError, match=message):
            scope = call()
            with scope:
                bb.emit_func_output(x)


def test_mutators_that_return_something_else():
    class Text(relax.PyExprMutator):
        def visit_call_(self, call):
            return "text"

    class NoBlock(relax.PyExprMutator):
        def visit_binding_block_(self, block):
            pass

    for mutator, message in (
        (Text, "for a Call, but it returned a str"),
        (NoBlock, "BindingBlock"),
    ):
        with pytest.raises(TypeError, match=f"expected {mutator.__name__} to return .*{message}"):
            mutator().visit_expr(make()["main"])


def test_indices_that_are_out_of_range():
    x = relax.Var("x", FLOATS)
    for value, message in (
        (relax.Tuple([x, x]), "Tuple index out of range: expected one of 2 fields, but found 2"),
        (relax.ShapeExpr([1, "n"]), "ShapeExpr index out of range: expected one of 2 dimensions"),
    ):
        with pytest.raises(IndexError, match=message):
            value[2]
        assert value[-1] is not None and len(list(value)) == 2


def test_a_function_can_be_called():
    x, y = relax.Var("x", FLOATS), relax.Var("y", FLOATS)
    inner = relax.Function([y], relax.op.exp(y))
    text = str(relax.Function([x], relax.Call(inner, [x])))
    assert "relax.local_func" in text and "relax.call_value" in text


def test_what_a_notebook_shows():
    x, y = relax.Var("x", FLOATS), relax.Var("y", FLOATS)
    mod = make()
    assert (
        repr(mod) == "<IRModule of @main>"
        and repr(partita.IRModule()) == "<IRModule of no functions>"
    )
    assert repr(partita.IRModule({f"f{i}": mod["main"] for i in range(7)})).endswith(
        "@f4, 2 others>"
    )
    assert "relax.func" in mod["main"]._repr_html_()
    assert "Function([Var(" in relax.Function([y], relax.op.add(x, y))._repr_html_().replace(
        "&quot;", '"'
    )
    for value, text in (
        (relax.ShapeExpr([1, "n"]), "ShapeExpr((1, 'n'))"),
        (relax.PrimValue(3), "PrimValue(3)"),
        (relax.StringImm("a"), "StringImm('a')"),
        (relax.DataTypeImm("float32"), "DataTypeImm('float32')"),
        (relax.ExternFunc("f"), "ExternFunc('f')"),
    ):
        assert repr(value) == text


def test_packed_functions_give_any_object():
    x = relax.Var("x", FLOATS)
    for call in (
        relax.op.call_packed("f", x),
        relax.op.call_packed("f", x, sinfo_args=[]),
        relax.Call(relax.ExternFunc("f"), [x], sinfo_args=[]),
        relax.op.call_pure_packed("f", x, sinfo_args=[]),
    ):
        assert call.ty == relax.ObjectType() and not call.attrs.get("ty_args")
    assert relax.op.call_dps_packed("f", x, out_ty=[]).ty == relax.TupleType([])


def test_what_has_a_variable_gets_another_when_it_is_emitted_again():
    x = relax.Var("x", FLOATS)
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        with bb.dataflow():
            lv = bb.emit(x)
            lv1 = bb.emit(relax.op.add(lv, x))
            lv2 = bb.emit(lv1)
            gv = bb.emit_output(lv1)
            # Nothing uses it after the block, and it is an output.
            gv1 = bb.emit_output(gv, "out")
        gv2 = bb.emit(gv)
        bb.emit_func_output(gv2)
    for alias, value in ((lv, x), (lv2, lv1), (gv, lv1), (gv1, gv), (gv2, gv)):
        assert isinstance(alias, relax.Var) and alias.value is value and alias.ty == FLOATS
    blocks = bb.get()["main"].body.blocks
    assert [[b.name for b in block.bindings] for block in blocks] == [
        ["lv", "lv1", "lv2", "gv", "out"],
        ["gv1"],
    ]
    assert [output.name for output in blocks[0].outputs] == ["gv", "out"]
    assert str(bb.get()).count("relax.alias") == 5


def test_what_is_emitted_once_has_one_variable():
    x, v = relax.Var("x", FLOATS), relax.Var("v", FLOATS)
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        y = bb.emit_normalized(relax.VarBinding(v, relax.op.exp(x)))
        z = bb.emit(relax.op.add(y, y))
        bb.emit_func_output(x)
    assert [b.name for b in bb.get()["main"].body.blocks[0].bindings] == ["v", "gv"]
    # A value of another function is emitted anew in this one.
    with bb.function("other", [x]):
        assert bb.emit(z) is z
        bb.emit_func_output(z)
    assert "relax.alias" not in str(bb.get())


def test_blocks_in_which_something_is_emitted_again():
    x = relax.Var("x", FLOATS)
    bb = relax.BlockBuilder()
    bb._begin_dataflow_block()
    lv = bb.emit(relax.op.exp(x))
    again = bb.emit_output(lv, "out")
    bb.emit_normalized(relax.VarBinding(relax.Var("w", FLOATS), again))
    block = bb._end_block()
    assert [b.name for b in block.bindings] == ["", "out", "w"] and again.value is lv


def test_a_mutator_keeps_the_one_variable_of_what_it_emits():
    class Emitter(relax.PyExprMutator):
        def visit_call_(self, call):
            return self.builder_.emit(self.visit_expr_post_order(call))

    func = make()["main"]
    changed = Emitter().visit_expr(func)
    assert "relax.alias" not in str(changed)
    count = sum(len(block.bindings) for block in func.body.blocks)
    assert sum(len(block.bindings) for block in changed.body.blocks) == count


def test_a_sequence_is_emitted_as_its_bindings_and_its_value():
    x, lv = relax.Var("x", FLOATS), relax.Var("lv", FLOATS)
    block = relax.BindingBlock([relax.VarBinding(lv, relax.op.exp(x))])
    for body, names in ((lv, ["lv", "gv"]), (relax.op.exp(lv), ["lv", "gv", "gv1"])):
        bb = relax.BlockBuilder()
        inner = relax.SeqExpr([block], body)
        with bb.function("main", [x]):
            bb.emit_func_output(bb.emit(relax.SeqExpr([], inner)))
        assert [b.name for b in bb.get()["main"].body.blocks[0].bindings] == names


def test_names_are_given_once_as_in_tvm():
    x = relax.Var("x", FLOATS)
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        names = [bb.emit(relax.op.exp(x), hint).name for hint in ("v", "v", "v1", "a.b", "", "")]
        bb.emit_func_output(x)
    assert names == ["v", "v1", "v11", "a_b", "gv", "gv1"]
    assert [bb.get_unique_name(name) for name in ("gv1", "gv", "q")] == ["gv11", "gv2", "q"]


def test_a_function_of_the_module_as_a_value():
    x = relax.Var("x", FLOATS)
    bb = relax.BlockBuilder()
    gvar = bb.add_func(relax.Function([x], x), "f")
    with bb.function("main", [x]):
        bb.emit_func_output(bb.emit(gvar))
    assert "relax.global @f" in str(bb.get())


def test_functions_are_made_while_others_are():
    x = relax.Var("x", FLOATS)
    bb = relax.BlockBuilder()
    with bb.function("f", [x]):
        with bb.dataflow():
            a = bb.emit(relax.op.exp(x))
            with bb.function("g", [x]):
                assert not bb.current_block_is_dataflow()
                gvar = bb.emit_func_output(bb.emit(relax.op.abs(x)))
            b = bb.emit_output(relax.Call(gvar, [a]))
        bb.emit_func_output(b)
    mod = bb.get()
    assert [var.name_hint for var in mod.get_global_vars()] == ["g", "f"]
    assert [b.name for b in mod["f"].body.blocks[0].bindings] == ["lv", "gv1"]


def test_a_function_whose_name_is_taken_gets_another():
    x = relax.Var("x", FLOATS)
    bb = relax.BlockBuilder()
    for op in (relax.op.exp, relax.op.abs):
        with bb.function("f", [x]):
            gvar = bb.emit_func_output(bb.emit(op(x)))
    assert gvar.name_hint == "f1" and gvar.ty == relax.FuncType([FLOATS], FLOATS)
    with bb.function("f", [x]):
        assert bb.emit_func_output(bb.emit(relax.op.exp(x))).name_hint == "f"
    with pytest.raises(RuntimeError, match="expected the parameters in function.. or in emit_fu"):
        with bb.function("g"):
            bb.emit_func_output(x)
    with pytest.raises(KeyError):
        with bb.function("h", [x]):
            bb.emit_func_output(x)
            raise KeyError
    assert len(bb.get()) == 2


def test_a_finished_module_has_the_names_that_public_functions_were_given():
    builder = relax.BlockBuilder()
    with builder.function("f", [], private=True):
        inner = builder.emit_func_output(relax.const(0))
    with builder.function("f", []):
        builder.emit_func_output(builder.emit(relax.Call(inner, [])))
    mod = builder.get()
    assert not relax.analysis.check_well_formed(mod)
    made = builder.finalize()
    relax.analysis.well_formed(made)
    assert made["f"].body.blocks[0].bindings[0].value.op.name_hint == "f1"
    assert made["f1"].is_private and mod["f"].is_private
    # There is nothing to do.
    builder = relax.BlockBuilder(made)
    assert builder.finalize() is builder.get()


def test_a_function_is_added_once():
    x, y = relax.Var("x", FLOATS), relax.Var("y", FLOATS)
    f, g = relax.Function([x], x), relax.Function([x, y], y)
    bb = relax.BlockBuilder()
    added = [(f, "q"), (f, "r"), (g, "q"), (f.with_attr("a", 1), "q")]
    assert [bb.add_func(*one).name_hint for one in added] == ["q", "q", "q1", "q2"]
    bb.update_func(bb.get().get_global_var("q"), g.with_attr("b", 1))
    assert bb.add_func(f, "q").name_hint == "q3" and len(bb.get()) == 4


def test_functions_are_hashed_once(monkeypatch):
    from partita.relax import block_builder

    hashed = []
    original = block_builder.structural_hash
    monkeypatch.setattr(
        block_builder, "structural_hash", lambda func: hashed.append(0) or original(func)
    )
    x = relax.Var("x", FLOATS)
    bb = relax.BlockBuilder(make())
    for number in range(20):
        bb.add_func(relax.Function([x], x).with_attr("number", number), "f")
        with bb.function(f"g{number}", [x]):
            bb.emit_func_output(x)
    assert len(bb.get()) == 41 and len(hashed) == 40
    # A function that is removed by other means is not found again.
    bb.get().remove("f")
    assert bb.add_func(relax.Function([x], x).with_attr("number", 0), "f").name_hint == "f20"


def test_a_function_without_a_global_symbol_is_private():
    main = make()["main"]
    private = main.without_attr("global_symbol")
    assert private.is_private and not private.with_attr("global_symbol", "main").is_private
    mod = partita.IRModule({"main": private})
    assert mod["main"].is_private
    mod["main"] = mod["main"].with_attr({"global_symbol": "main"})
    assert not mod["main"].is_private
    # One whose op is not made yet.
    callee = relax.GlobalVar("unknown")
    func = relax.Function([relax.Var("x", FLOATS)], relax.Call(callee, [relax.const(1.0)]))
    assert "private" in str(func.without_attr("global_symbol")._form.get_header()["sym_visibility"])
    again = func.without_attr("global_symbol").with_attr("global_symbol", "f")
    assert "sym_visibility" not in again._form.get_header()


def test_a_variable_has_one_value():
    x, v = relax.Var("x", FLOATS), relax.Var("v", FLOATS)
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        bb.emit_normalized(relax.VarBinding(v, relax.op.exp(x)))
        with pytest.raises(ValueError, match="one value for each variable, but found two for 'v'"):
            bb.emit_normalized(relax.VarBinding(v, relax.op.abs(x)))
        bb.emit_func_output(v)
    assert "relax.abs" not in str(bb.get())


def test_a_sequence_is_an_operand():
    x, lv = relax.Var("x", FLOATS), relax.Var("lv", FLOATS)
    seq = relax.SeqExpr([relax.BindingBlock([relax.VarBinding(lv, relax.op.exp(x))])], lv)
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        bb.emit_func_output(bb.emit(relax.op.add(seq, x)))
    assert [b.name for b in bb.get()["main"].body.blocks[0].bindings] == ["lv", "gv"]


def test_calls_of_functions_that_the_module_lacks():
    x = relax.Var("x", FLOATS)
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        y = bb.emit(relax.Call(relax.GlobalVar("g"), [x], sinfo_args=[FLOATS]))
        bb.emit_func_output(y)
    with pytest.raises(ValueError, match="expected a 'relax.func' of name @g, found none"):
        relax.analysis.well_formed(bb.get())
    assert not relax.analysis.check_well_formed(bb.get())


def test_a_call_is_a_part_of_the_cast_of_its_value():
    n, m = tir.Var("n", "int64"), tir.Var("m", "int64")
    x = relax.Var("x", relax.TensorType(ndim=2, dtype="float32"))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        y = bb.emit(relax.op.nn.relu(x))
        bb.match_cast(relax.op.shape_of(y), relax.ShapeType([n, m]))
        z = bb.match_cast(y, relax.TensorType([n, m]))
        total = relax.op.add(relax.op.exp(z), z)
        bb.emit_func_output(bb.match_cast(total, relax.TensorType([m, n])))

    class Visitor(relax.PyExprVisitor):
        def __init__(self):
            self.calls = []

        def visit_call_(self, call):
            self.calls.append(call.op.name)
            super().visit_call_(call)

    class Mutator(relax.PyExprMutator):
        def visit_call_(self, call):
            call = super().visit_call_(call)
            is_add = call.op == relax.op.add(x, x).op
            return relax.op.subtract(*call.args) if is_add else call

    func = bb.get()["main"]
    (block,) = func.body.blocks
    assert [b.name for b in block.bindings] == ["gv", "gv1", "gv2", "gv3", "gv4"]
    is_cast = [isinstance(b, relax.MatchCast) for b in block.bindings]
    assert is_cast == [False, True, True, False, True]
    assert [b.value.op.name for b in block.bindings if isinstance(b.value, relax.Call)] == [
        f"relax.{name}" for name in ("nn.relu", "shape_of", "nn.relu", "exp", "add")
    ]
    visitor = relax.expr_functor.visitor(Visitor)()
    visitor.visit_expr(func)
    assert {"relax.shape_of", "relax.add", "relax.exp"} <= set(visitor.calls)
    changed = relax.expr_functor.mutator(Mutator)().visit_expr(func)
    assert "relax.subtract" in str(changed) and "relax.add" not in str(changed)
    assert [b.name for b in changed.body.blocks[0].bindings] == ["gv", "gv1", "gv2", "gv3", "gv4"]


def test_callers_do_not_know_what_is_in_a_function():
    n, m = tir.Var("n", "int64"), tir.Var("m", "int64")
    s, t = (relax.Var(name, relax.ShapeType(ndim=1)) for name in "st")
    x, y = (relax.Var("x", relax.TensorType(shape, "float32")) for shape in (s, t))
    unknown, z = relax.TensorType(ndim=1), relax.Var("z", relax.TensorType(ndim=1))
    bb = relax.BlockBuilder()
    with bb.function("shape", [s, x]):
        value = bb.emit(relax.op.exp(x))
        shape = bb.emit_func_output([value, s])
    assert value.ty.shape_var == "s"
    assert bb.get()["shape"].ret_ty == relax.TupleType([unknown, relax.ShapeType(ndim=1)])
    with bb.function("calls", [t, y]):
        call = bb.emit(shape(t, y))
        bb.emit_func_output(call)
    assert call.ty == relax.TupleType([unknown, relax.ShapeType(ndim=1)])
    with bb.function("cast", [z]):
        bb.emit_func_output(bb.match_cast(z, relax.TensorType((m,))))
    func = bb.get()["cast"]
    assert func.ret_ty == unknown and func.ty.ret == unknown
    # A function with its result type as an annotation is the same function.
    again = relax.Function(func.params, func.body, func.ret_ty)
    ir.assert_structural_equal(again.with_attr("global_symbol", "cast"), func)

    # Names of parameters are known.
    w, size = relax.Var("w", relax.TensorType((n,))), relax.Var("m", relax.PrimType("int64"))
    body = relax.Tuple([relax.op.concat([w, w], 0), relax.op.zeros((m,), "float32")])
    known = relax.TupleType([relax.TensorType((n * 2,)), relax.TensorType((m,))])
    assert relax.Function([w, size], body).ret_ty == known


def test_a_str_is_a_value():
    x, n = relax.Var("x", FLOATS), tir.Var("n", "int64")
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        text = bb.emit("a")
        call = bb.emit(relax.op.call_pure_packed("f", x, "b", 3, sinfo_args=FLOATS))
        bb.emit_func_output((call, "c"))
    assert isinstance(text, relax.StringImm) and text.value == "a"
    assert isinstance(call.args[-2], relax.StringImm) and call.args[-2].value == "b"
    body = bb.get()["main"].body.body
    assert isinstance(body.fields[1], relax.StringImm) and body.fields[1].value == "c"
    # A size is one.
    assert isinstance(relax.Tuple([n, n + 1]).fields[1], relax.PrimValue)
    with pytest.raises(TypeError, match="expected"):
        relax.op.add(x, "a")


def test_a_constant_is_the_value_of_a_variable():
    bb = relax.BlockBuilder()
    with bb.function("main", []):
        a = bb.emit(relax.const(1.0), "a")
        with bb.dataflow():
            b = bb.emit(relax.const(2.0))
            c = bb.emit_output(relax.const([3.0]), "c")
        bb.emit_func_output(relax.op.add(relax.op.add(a, b), c))
    assert [one.name_hint for one in (a, b, c)] == ["a", "lv", "c"]
    blocks = bb.get()["main"].body.blocks
    bindings = [binding for block in blocks for binding in block.bindings][:3]
    assert [binding.var.name_hint for binding in bindings] == ["a", "lv", "c"]
    assert [binding.value.data.tolist() for binding in bindings] == [1.0, 2.0, [3.0]]
    assert all(isinstance(binding, relax.VarBinding) for binding in bindings)


def test_what_is_a_call_in_tvm():
    values = [relax.ShapeExpr([1]), relax.PrimValue(1), relax.StringImm("s")]
    for value in [*values, relax.DataTypeImm("int8"), relax.ExternFunc("f")]:
        assert not isinstance(value, relax.Call)
    assert isinstance(relax.op.exp(relax.Var("x", FLOATS)), relax.Call)


def test_results_and_values_are_emitted_under_a_name():
    x = relax.Var("x", relax.TensorType((4,)))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        s = bb.emit(relax.op.split(x, 2), "s")
        first = bb.emit(s[0], "first")
        assert isinstance(first.value, relax.TupleGetItem)
        y = bb.emit(relax.op.exp(first), "y")
        z = bb.emit(y.value, "z")
        t = bb.emit(bb.emit(relax.Tuple([y, z]), "t").value, "u")
        bb.emit_func_output(t)
    text = str(bb.get()["main"])
    for line in (
        "%first = relax.alias %s#0 : ",
        "%y = relax.exp %first : ",
        "%z = relax.exp %first : ",
        "%u = relax.tuple(%y, %z) : ",
    ):
        assert line in text
    # A variable gets another name.
    with bb.function("other", [x]):
        y = bb.emit(relax.op.exp(x), "y")
        bb.emit_func_output(bb.emit(y, "z"))
    assert "%z1 = relax.alias %y1 : " in str(bb.get()["other"])


def test_numbers_in_lists_of_arguments_are_int64():
    x = relax.Var("x", relax.TensorType((4,)))
    calls = [
        relax.call_dps_packed("f", [x, 0, [1, "s"]], out_ty=x.ty),
        relax.op.call_builtin_with_ctx("f", args=[x, 0, [1, "s"]], ty_args=x.ty),
        relax.op.invoke_pure_closure(relax.Var("c", relax.ObjectType()), [x, 0, [1, "s"]], [x.ty]),
    ]
    for call in calls:
        (args,) = call.args[1:]
        assert args[1].ty == args[2][0].ty == relax.PrimType("int64")
    (_, args) = relax.call_tir(relax.GlobalVar("f"), [x, 0], x.ty).args
    assert args[1].ty == relax.PrimType("int64")


def test_fields_that_are_strings_or_functions_have_their_types_in_tvm():
    x = relax.Var("x", relax.TensorType((4,)))
    bb = relax.BlockBuilder()
    with bb.function("other", [x]):
        bb.emit_func_output(x)
    other = bb.get().get_global_var("other")
    with bb.function("main", [x]):
        call = relax.op.call_builtin_with_ctx("f", args=[other, "s", x], ty_args=x.ty)
        bb.emit_func_output(bb.emit(call))
    nodes = json.loads(bb.get().to_tvm_json())["nodes"]
    (fields,) = [
        [
            nodes[nodes[index]["data"]["ty"]]["type"]
            for index in nodes[node["data"]["fields"]]["data"]
        ]
        for node in nodes
        if node["type"] == "ir.Tuple"
    ]
    assert fields == ["relax.FuncType", "ir.StringType", "relax.TensorType"]
    with bb.function("name", []):
        bb.emit_func_output(relax.StringImm("x"))
    assert '"ret":' in bb.get().to_tvm_json() and bb.get()["name"].ret_ty == relax.ObjectType()


def test_a_merged_function_uses_up_no_name():
    x = relax.Var("x", FLOATS)
    numbers = (0, 0, 1, 1, 0, 2)
    functions = [relax.Function([x], x).with_attr("number", number) for number in numbers]
    bb = relax.BlockBuilder()
    names = [bb.add_func(function, "m.m").name_hint for function in functions]
    assert names == ["m_m", "m_m", "m_m1", "m_m1", "m_m", "m_m2"]
    bb = relax.BlockBuilder()
    names = []
    for number in numbers:
        with bb.function("f", [x], {"number": number}, private=True):
            names.append(bb.emit_func_output(x).name_hint)
    assert names == ["f", "f", "f1", "f1", "f", "f2"]
    with bb.function("g", [x], {"number": 2}, private=True):
        assert bb.emit_func_output(x).name_hint == "f2"
    assert len(bb.get()) == 3


def test_dataflow_blocks_with_nothing_between_them_are_one():
    x = relax.Var("x", FLOATS)
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        with bb.dataflow():
            a = bb.emit_output(relax.op.exp(x))
        with bb.dataflow():
            b = bb.emit_output(relax.op.abs(bb.emit(relax.op.exp(a))))
        c = bb.emit(relax.op.exp(b))
        with bb.dataflow():
            d = bb.emit_output(relax.op.exp(c))
        bb.emit_func_output(d)
    blocks = bb.get()["main"].body.blocks
    assert [len(block.bindings) for block in blocks] == [3, 1, 1]
    assert [isinstance(block, relax.DataflowBlock) for block in blocks] == [True, False, True]


def test_nothing_is_emitted_outside_of_a_function():
    x = relax.Var("x", FLOATS)
    builder = relax.BlockBuilder()
    uses = [
        lambda: builder.emit(relax.op.exp(x)),
        lambda: builder.emit_output(relax.op.exp(x)),
        lambda: builder.match_cast(x, FLOATS),
    ]
    for _ in range(2):
        for use in uses:
            with pytest.raises(RuntimeError, match="expected what is emitted to be in a function"):
                use()
        with builder.function("main", [x]):
            builder.emit_func_output(builder.emit(relax.op.exp(x)))
        builder.get()


def test_what_another_function_computes_gets_the_name_that_is_asked_for():
    x = relax.Var("x", FLOATS)
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        y = bb.emit(relax.op.exp(x))
        pair = bb.emit(relax.Tuple([y, x]))
        bb.emit_func_output(bb.emit(relax.TupleGetItem(pair, 0)))
    func = bb.get()["main"]
    values = [binding.value for binding in func.body.blocks[0].bindings]
    other = relax.BlockBuilder()
    with other.function("other", func.params):
        other.emit_func_output(other.emit(relax.op.exp(other.emit(values[0], "v")), "v"))
    bindings = other.get()["other"].body.blocks[0].bindings
    assert [binding.name for binding in bindings] == ["v", "v1"]
    assert [value.name for value in values] == ["gv", "gv1", "gv2"]

    class Renamer(relax.PyExprMutator):
        def visit_var_binding_(self, binding):
            new = self.builder_.emit(self.visit_expr(binding.value), "new")
            self.set_var_remap(binding.var, new)

    renamed = Renamer().visit_expr(func).body
    assert [binding.name for binding in renamed.blocks[0].bindings] == ["new", "new1", "new2"]
    assert renamed.body.name == "new2"
