# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IRModule: its functions, its attributes and their owners."""

import copy
import gc
import pathlib
import pickle
import warnings

import numpy as np
import pytest

import partita
from partita import GlobalVar, IRModule, relax, tir
from partita.mlir import ir

TEXT = """
partita.module @m attributes {global_infos = {vdevice = ["llvm"]}, level = 2 : i64} {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.exp %x : tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
  tir.prim_func private @kernel(memref<4xf32>, memref<4xf32>) attributes {num = 3 : i64}
  func.func private @other()
}
"""


LARGE = np.arange(1000, dtype="float32")


def make_large(op, data=LARGE):
    return IRModule.from_expr(op(relax.const(data)))


def make(op, name="x"):
    x = relax.var(name, (4,))
    return relax.Function([x], op(x))


@pytest.fixture
def mod():
    return IRModule.from_text(TEXT)


def test_make():
    mod = IRModule({GlobalVar("f"): make(relax.exp), "g": make(relax.abs)}, attrs={"a": [1]})
    assert [gv.name_hint for gv in mod.get_global_vars()] == ["f", "g"]
    assert mod.attrs["a"] == [1]
    assert len(mod) == 2 and bool(IRModule())
    assert GlobalVar("f") in mod and "g" in mod and "h" not in mod
    assert mod["f"].body.body.op.name == "relax.exp"


def test_from_expr():
    x = relax.var("x", (4,))
    y = relax.var("y", (4,))
    mod = IRModule.from_expr(relax.add(relax.exp(y), x))
    assert [p.name_hint for p in mod["main"].params] == ["y", "x"]
    func = make(relax.abs)
    assert "main" in IRModule.from_expr(func)
    assert "f" in IRModule.from_expr(func.with_attr("global_symbol", "f"))
    assert len(IRModule.from_expr(func, {"g": func})) == 2
    with pytest.raises(TypeError, match="a function or an expression, but found str"):
        IRModule.from_expr("main")


def test_functions(mod):
    functions = mod.functions
    assert [gv.name_hint for gv in functions] == ["main", "kernel", "other"]
    assert isinstance(functions[GlobalVar("main")], relax.Function)
    kernel = functions[GlobalVar("kernel")]
    assert isinstance(kernel, tir.PrimFunc)
    assert kernel.name == "kernel" and kernel.is_private
    assert dict(kernel.attrs) == {"num": 3}
    assert kernel.operation.name == "tir.prim_func"
    assert kernel.with_attr("num", 4).attrs["num"] == 4
    assert mod["other"].operation.name == "func.func"
    assert mod["main"] is mod[mod.get_global_var("main")] is functions[GlobalVar("main")]


def test_attrs(mod):
    assert dict(mod.attrs) == {"level": 2}
    assert mod.global_infos["vdevice"] == ["llvm"]
    other = mod.with_attr("name", "mlp").with_attrs({"flag": True, "rate": 0.5})
    assert dict(other.attrs) == {"level": 2, "name": "mlp", "flag": True, "rate": 0.5}
    assert dict(mod.attrs) == {"level": 2}
    assert other.get_attr("flag") is True and other.get_attr("nothing") is None
    assert "name" not in other.without_attr("name").attrs


def test_set_and_replace(mod):
    old = mod["main"]
    mod["main"] = make(relax.abs)
    # The new one takes its place, and the old one has not changed.
    assert [gv.name_hint for gv in mod.get_global_vars()] == ["main", "kernel", "other"]
    assert mod["main"].body.body.op.name == "relax.abs"
    assert old.body.body.op.name == "relax.exp" and "relax.exp" in str(old)
    mod.update_func(GlobalVar("new"), old)
    assert mod["new"].body.body.op.name == "relax.exp"
    assert old.name == "main" and mod["new"].name == "new"
    mod.operation.verify()


def test_private_stays_private(mod):
    mod["helper"] = make(relax.abs)
    mod["helper"].operation.attributes["sym_visibility"] = ir.StringAttr.get(
        "private", mod.operation.context
    )
    mod["helper"] = make(relax.exp)
    assert mod["helper"].is_private


def test_update_other_wins(mod):
    other = IRModule({"main": make(relax.abs), "more": make(relax.sqrt)})
    before = other.script()
    mod.update(other)
    assert mod["main"].body.body.op.name == "relax.abs"
    assert [gv.name_hint for gv in mod.get_global_vars()] == ["main", "kernel", "other", "more"]
    assert other.script() == before
    mod.update({"main": make(relax.tanh)})
    assert mod["main"].body.body.op.name == "relax.tanh"
    with pytest.raises(TypeError, match="an IRModule or a dict of functions, but found list"):
        mod.update([make(relax.abs)])


def test_a_name_that_is_taken(mod):
    text = "found relax.func @main : .* where relax.func @main : .* would be added"
    before = mod.script()
    for add in [
        lambda: mod.update_func(GlobalVar("main"), make(relax.abs)),
        lambda: mod.__setitem__(GlobalVar("main"), make(relax.abs)),
        lambda: mod.update({GlobalVar("new"): make(relax.abs), GlobalVar("main"): make(relax.abs)}),
    ]:
        with pytest.raises(ValueError, match=text):
            add()
        assert mod.script() == before
    # A GlobalVar that the module knows replaces the function.
    var = GlobalVar("more")
    for var in [var, var, mod.get_global_var("main"), mod.get_global_vars()[0]]:
        mod.update_func(var, make(relax.abs))
        assert mod[var].body.body.op.name == "relax.abs"


def test_delete(mod):
    main = mod["main"]
    del mod["main"]
    assert "main" not in mod
    assert "relax.exp" in str(main)
    mod.remove(GlobalVar("kernel"))
    assert len(mod) == 1
    with pytest.raises(KeyError, match="found 'main'; the module has: other"):
        del mod["main"]


def test_errors(mod):
    with pytest.raises(KeyError, match="'none'; the module has: main, kernel, other"):
        mod["none"]
    with pytest.raises(ValueError, match="expected a function of the module, but found 'none'"):
        mod.get_global_var("none")
    with pytest.raises(TypeError, match="named by str or GlobalVar, but found int"):
        mod[3]
    with pytest.raises(TypeError, match="expected 'f' to be a function, but found Call"):
        mod["f"] = relax.abs(relax.var("x", (4,)))
    with pytest.raises(TypeError, match="a dict of functions or an mlir.ir.Operation, but found"):
        IRModule("text")
    with pytest.raises(ValueError, match="'f' twice"):
        IRModule({"f": make(relax.abs), GlobalVar("f"): make(relax.abs)})


def test_an_error_changes_nothing(mod):
    before = mod.script()
    x = relax.var("x", (4,))
    bad = relax.Function([x], GlobalVar("nobody")(x))
    with pytest.raises(ValueError, match="@nobody"):
        mod.update({"main": make(relax.abs), "bad": bad})
    assert mod.script() == before


def test_functions_outlive_modules():
    """Held objects stay valid, in whatever order others are dropped or replaced."""
    for _ in range(20):
        mod = IRModule.from_text(TEXT)
        main, kernel = mod["main"], mod["kernel"]
        again = IRModule(mod.operation)["main"]
        assert again is main
        del again
        mod["main"] = make(relax.abs)
        new = mod["main"]
        del mod["kernel"]
        body = mod["main"].body.body
        operation = mod.operation
        del mod
        gc.collect()
        assert "relax.abs" in str(operation)
        del operation
        gc.collect()
        assert "relax.exp" in str(main) and main.body.body.op.name == "relax.exp"
        assert kernel.attrs["num"] == 3
        assert "relax.abs" in str(new)
        assert new.body.body is body
        del new
        gc.collect()
        assert body.args[0].name_hint == "x"


def test_same_expressions_as_long_as_one_is_held(mod):
    body = mod["main"].body.body
    assert mod["main"].body.body is body
    gc.collect()
    assert mod["main"].params[0] is body.args[0]
    rewritten = relax.Function(mod["main"].params, relax.abs(body))
    assert rewritten.body.body.args[0] is body


def test_passes_leave_what_is_held():
    fold = partita.transform.get_pass("FoldConstant")
    mod = IRModule.from_expr(relax.exp(relax.add(relax.const([1.0]), relax.const([2.0]))))
    main = mod["main"]
    text = str(main)
    new = fold(mod)
    np.testing.assert_allclose(new["main"].body.body.data, np.exp([3.0]), rtol=1e-6)
    fold.run_in_place(mod)
    gc.collect()
    assert str(main) == text
    assert mod["main"] is not main
    assert "relax.add" not in str(mod["main"])


def test_held_in_a_callback():
    held = []

    @partita.transform.module_pass(opt_level=0)
    def hold(mod, ctx):
        held.append(mod["main"])
        held.append(mod["main"].body.body)
        return mod

    @partita.transform.module_pass(opt_level=0)
    def replace(mod, ctx):
        held.append(mod["main"])
        mod["main"] = make(relax.abs)
        del mod["kernel"]
        return mod

    mod = IRModule.from_text(TEXT)
    before = mod.script()
    sequential = partita.transform.Sequential([hold, replace, hold])
    for _ in range(5):
        held.clear()
        new = sequential(mod)
        gc.collect()
        assert mod.script() == before
        kinds = [relax.Function, relax.Call, relax.Function, relax.Function, relax.Call]
        assert [type(h) for h in held] == kinds
        assert held[0].body.body is held[1] and held[1].op.name == "relax.exp"
        assert "relax.exp" in str(held[2])
        assert held[3].body.body is held[4] and held[4].op.name == "relax.abs"
        assert "kernel" not in new and new["main"].body.body.op.name == "relax.abs"


def test_contexts():
    with ir.Context() as context:
        mod = IRModule.from_text(TEXT, context)
        weights = relax.const(np.arange(1000, dtype="float32"))
        mod["weights"] = relax.Function([], weights)
    other = IRModule()
    other.update(mod)
    assert other.operation.context is partita.ir.get_context() is not context
    np.testing.assert_array_equal(other["weights"].body.body.data, np.arange(1000))
    assert IRModule({"f": mod["main"]}).operation.context is context


def test_equal_and_hash(mod):
    f, g = make(relax.exp, "a"), make(relax.exp, "b")
    assert partita.ir.structural_equal(f, g)
    assert partita.ir.structural_hash(f) == partita.ir.structural_hash(g)
    assert not partita.ir.structural_equal(f, make(relax.abs))
    with pytest.raises(ValueError, match="relax.abs"):
        partita.ir.assert_structural_equal(f, make(relax.abs))
    with pytest.raises(ValueError, match="relax.abs") as caught:
        partita.ir.assert_structural_equal(make_large(relax.exp), make_large(relax.abs))
    assert len(str(caught.value)) < 2000
    with pytest.raises(ValueError, match=r"-.*dense<\[0\.0"):
        partita.ir.assert_structural_equal(
            make_large(relax.exp, LARGE[:32]), make_large(relax.exp, LARGE[1:33])
        )
    with pytest.raises(TypeError, match="an IRModule or a function, but found int"):
        partita.ir.structural_equal(3, f)
    assert partita.ir.structural_equal(pickle.loads(pickle.dumps(mod)), mod)
    assert pickle.loads(pickle.dumps(mod.get_global_var("main"))) == GlobalVar("main")


def test_an_invalid_module_is_copied_but_not_pickled():
    mod = make_large(relax.exp)
    (body,) = mod["main"].operation.regions[0].blocks
    body.operations[len(body.operations) - 1].erase()
    for made in copy.copy(mod), copy.deepcopy(mod):
        assert made is not mod and str(made) == str(mod)
    with pytest.raises(ir.MLIRError, match="(?s)a valid module to save.*no terminator"):
        pickle.dumps(mod)


def test_equal_large_constants():
    """They are in resources, and each has a name of its own."""
    mod = make_large(relax.exp)
    again = [make_large(relax.exp, LARGE.copy()), IRModule.from_text(mod.script())]
    again.append(pickle.loads(pickle.dumps(mod)))
    for other in again:
        assert other.script() != mod.script()
        partita.ir.assert_structural_equal(mod, other)
        assert partita.ir.structural_hash(mod) == partita.ir.structural_hash(other)
    for other in make_large(relax.exp, LARGE + 1), make_large(relax.exp, LARGE.reshape(10, 100)):
        assert not partita.ir.structural_equal(mod, other)
        assert partita.ir.structural_hash(mod) != partita.ir.structural_hash(other)
    x, y = relax.const(LARGE), relax.const(LARGE + 1)
    lhs = IRModule.from_expr(relax.subtract(x, y))
    assert not partita.ir.structural_equal(lhs, IRModule.from_expr(relax.subtract(y, x)))
    x, y = relax.const(LARGE.copy()), relax.const(LARGE + 1)
    assert partita.ir.structural_equal(lhs, IRModule.from_expr(relax.subtract(x, y)))


def test_show(capsys):
    mod = IRModule.from_expr(relax.const(np.arange(1000, dtype="float32")))
    mod.show()
    shown = capsys.readouterr().out
    assert "relax.func @main" in shown and len(shown) < 1000
    relax.transform.FoldConstant()(IRModule.from_expr(relax.abs(relax.const(LARGE)))).show()
    shown = capsys.readouterr().out
    assert shown.strip().splitlines()[-1] == "}" and len(shown) < 1000
    assert "relax.func</span>" in mod._repr_html_()


def test_html_without_pygments(mod, monkeypatch):
    monkeypatch.setattr(partita.ir.show, "_make_lexer", lambda: None)
    assert mod._repr_html_().startswith("<pre>partita.module @m")
    assert "&quot;llvm&quot;" in mod._repr_html_()


def test_view_of_builtin_module():
    with ir.Context() as context:
        module = ir.Module.parse("module { func.func private @f() }", context)
        mod = IRModule(module.operation)
        x = relax.var("x", (4,))
        mod["main"] = relax.Function([x], relax.abs(x))
        assert [gv.name_hint for gv in mod.functions] == ["f", "main"]
        assert "relax.func @main" in str(module)


def test_both_views_are_of_the_same(mod):
    op = mod.operation
    main = mod["main"].operation
    with op.context:
        main.attributes["weight"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 3)
        op.attributes["target"] = ir.StringAttr.get("cuda")
    assert mod["main"].attrs["weight"] == 3 and mod.attrs["target"] == "cuda"
    x = relax.var("x", (4,))
    mod["more"] = relax.Function([x], relax.abs(x))
    names = [ir.StringAttr(o.attributes["sym_name"]).value for o in op.regions[0].blocks[0]]
    assert "more" in names
    main.erase()
    assert "main" not in mod
    with pytest.raises(KeyError):
        mod["main"]
    del mod["more"]
    assert "@more" not in str(op)
    assert op.verify()


@pytest.mark.parametrize("model", ["mlp", "resnet18"])
def test_models_are_the_same_when_printed_and_parsed(model):
    path = pathlib.Path(__file__).parents[1] / "Inputs" / "models" / f"{model}.json"
    mod = IRModule.from_tvm_json(path.read_text())
    again = IRModule.from_text(mod.script())
    partita.ir.assert_structural_equal(mod, again)
    # In a context of its own, resources keep their names.
    assert IRModule.from_text(mod.script(), context=ir.Context()).script() == mod.script()
    constants = []

    class Collect(relax.ExprVisitor):
        def visit_constant_(self, const):
            constants.append(const.data)

    Collect().visit(mod["main"])
    assert constants and all(isinstance(data, np.ndarray) for data in constants)


@pytest.mark.parametrize("name", ["a\0b", "a\nb", "a b", "\x1b[31m", '"', "\\", "é", "x\x7f"])
def test_names_of_any_characters(mod, name):
    mod[name] = mod["main"]
    again = IRModule.from_text(str(mod))
    assert name in again and again[name].name == name
    assert GlobalVar(name) in again.get_global_vars()
    attributed = mod.with_attr(name, name)
    assert IRModule.from_text(str(attributed)).attrs[name] == name


@pytest.mark.parametrize("name", ["", "\ud800", "a\udcff"])
def test_names_that_are_none(mod, name):
    text, function = str(mod), mod["main"]
    for use in (
        lambda: mod.__setitem__(name, function),
        lambda: mod[name],
        lambda: name in mod,
        lambda: mod.__delitem__(name),
        lambda: mod.update({name: function}),
        lambda: mod.update_func(name, function),
        lambda: mod.get_global_var(name),
        lambda: GlobalVar(name),
        lambda: IRModule({name: function}),
        lambda: IRModule.from_expr(function, name=name),
        lambda: mod.with_attr(name, 1),
        lambda: mod.with_attrs({"a": {name: 1}}),
        lambda: function.with_attr(name, 1),
    ):
        with pytest.raises(ValueError):
            use()
    assert str(mod) == text


def test_functions_that_are_registered_in_tvm():
    x = relax.Var("x", relax.TensorType((4,)))
    mod = IRModule({"main": relax.Function([x], x), "f": relax.ExternFunc("name")})
    mod["g"] = relax.ExternFunc("other")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = IRModule.from_tvm_json(mod.to_tvm_json())
    for one in (mod, again):
        assert isinstance(one["f"], relax.ExternFunc) and one["f"].global_symbol == "name"
        assert not isinstance(one["f"], relax.Function)
        assert [type(func).__name__ for func in one.functions.values()] == [
            "Function",
            "ExternFunc",
            "ExternFunc",
        ]
        relax.analysis.well_formed(one)
    # The context would keep a resource for good.
    assert "dense_resource" not in str(mod)
    main = {"main": mod["main"].with_attr("global_symbol", "main")}
    mod.update(main)
    assert partita.ir.structural_equal(mod, again)
    # The function that is read has all that is known about it.
    copied = IRModule({"main": again["main"], "f": again["f"], "g": again["g"]})
    assert partita.ir.structural_equal(copied, again)
    assert partita.ir.structural_equal(relax.transform.Normalize()(mod), mod)
    del mod["f"]
    assert "f" not in mod
    bb = relax.BlockBuilder()
    assert bb.add_func(relax.ExternFunc("name"), "f").name_hint == "f"
    assert bb.add_func(relax.ExternFunc("name"), "g").name_hint == "f"


def test_functions_that_are_registered_in_tvm_with_a_type():
    f32, n = relax.TensorType((4,)), tir.Var("n", "int64")
    named = relax.FuncType([relax.TensorType((n,))], relax.TensorType((n, 2)))
    opaque = relax.FuncType.opaque_func(ret=f32)
    typed = relax.FuncType([f32, relax.PrimType("int64")], f32, purity=False)
    x = relax.Var("x", f32)
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        y = bb.emit(relax.ExternFunc("f", named)(x))
        z = bb.emit(relax.ExternFunc("g", ty=opaque)(x))
        bb.emit_func_output(bb.emit(relax.Tuple([y, z])))
    assert y.ty == relax.TensorType((4, 2)) and y.is_pure and z.ty == f32 and not z.is_pure
    mod = bb.get()
    types = {"a": named, "b": opaque, "c": typed, "d": relax.ExternFunc("f").ty}
    for name, type_ in types.items():
        mod[name] = relax.ExternFunc("f", type_ if name != "d" else None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = IRModule.from_tvm_json(mod.to_tvm_json())
    for one in (mod, again):
        for name, type_ in types.items():
            func = one[name]
            assert isinstance(func, relax.ExternFunc) and func.global_symbol == "f"
            assert partita.ir.structural_equal(func.ty, type_) and func.ty.purity == type_.purity
        calls = [b for b in one["main"].body.blocks[0].bindings if isinstance(b, relax.Call)]
        assert [call.op.global_symbol for call in calls] == ["f", "g"]
        assert [call.is_pure for call in calls] == [True, False]
        assert partita.ir.structural_equal(calls[0].op.ty, named)
    copied = IRModule({name: again[name] for name in ("main", *types)})
    assert partita.ir.structural_equal(copied, again)

    assert not types["d"].purity and types["d"].params is None
    for bad in (f32, relax.ObjectType(), 3):
        for kind in (TypeError, RuntimeError):
            with pytest.raises(kind, match="the type of an ExternFunc to be a FuncType"):
                relax.ExternFunc("f", bad)
    other = relax.FuncType([relax.TensorType((3,))], f32)
    for callee in (relax.ExternFunc("f", other), relax.Var("f", other)):
        with pytest.raises(
            ValueError, match="expected argument 0 of .* to have type tensor<3xf32>"
        ):
            callee(x)
