# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""function_pass and prim_func_pass, on functions and on classes."""

import pytest
from pass_support import run_threads

import partita as tvm
from partita import relax, tir, transform
from partita.mlir import ir
from partita.mlir._mlir_libs import _partita

TWO = """
partita.module @m {
  relax.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = relax.exp %x : tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  relax.func @skipped(%x: tensor<8xf32>) -> tensor<8xf32> attributes {SkipOptimization} {
    %0 = relax.exp %x : tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  tir.prim_func private @p(%a: memref<8xf32>) {
    tir.return
  }
  tir.prim_func private @skipped_too() attributes {SkipOptimization = 1 : i32} {
    tir.return
  }
}
"""


def names_of(make_pass):
    seen = []

    def visit(func, mod, ctx):
        assert ctx is transform.PassContext.current()
        assert func.name in [v.name_hint for v in mod.get_global_vars()]
        seen.append(func.name)
        return func

    mod = tvm.IRModule.from_text(TWO)
    new = make_pass(visit, opt_level=1, name="Visit")(mod)
    assert new.same_as(mod)
    return seen


def test_each_kind_gets_its_functions_but_those_to_be_skipped():
    assert names_of(relax.transform.function_pass) == ["f"]
    assert names_of(tir.transform.prim_func_pass) == ["p"]


def test_the_decorated_function_is_a_pass():
    @relax.transform.function_pass(opt_level=1)
    def keep(func, mod, ctx):
        return func

    assert isinstance(keep, relax.transform.FunctionPass)
    assert keep.info == transform.PassInfo(1, "keep", [])


@pytest.mark.parametrize("junk", [None, 1, "f", []])
def test_what_is_no_function_names_pass_and_function(junk):
    @relax.transform.function_pass(opt_level=0)
    def bad(func, mod, ctx):
        return junk

    mod = tvm.IRModule.from_text(TWO)
    with pytest.raises(TypeError, match="'bad' to return a Function for @f, but it returned"):
        bad(mod)
    assert mod.script() == tvm.IRModule.from_text(TWO).script()


def test_functions_are_neither_added_nor_deleted():
    @relax.transform.function_pass(opt_level=0)
    def adds(func, mod, ctx):
        mod["g"] = func
        return func

    @relax.transform.function_pass(opt_level=0)
    def deletes(func, mod, ctx):
        del mod["p"]
        return func

    mod = tvm.IRModule.from_text(TWO)
    with pytest.raises(ValueError, match="'adds' to leave .* it added @g"):
        adds(mod)
    with pytest.raises(ValueError, match="'deletes' to leave .* it deleted @p"):
        deletes(mod)


@pytest.mark.parametrize(
    "make_pass, name", [(relax.transform.function_pass, "f"), (tir.transform.prim_func_pass, "p")]
)
def test_the_input_module_never_changes(make_pass, name):
    def change(func, mod, ctx):
        mod[name].operation.attributes["changed"] = ir.UnitAttr.get(mod.operation.context)
        return mod[name]

    mod = tvm.IRModule.from_text(TWO)
    before = mod.script()
    new = make_pass(change, opt_level=0, name="change")(mod)
    assert mod.script() == before
    assert "changed" in str(new[name]) and not new.same_as(mod)


def test_an_exception_is_the_same_object():
    error = KeyboardInterrupt("stop")

    @relax.transform.function_pass(opt_level=0)
    def stops(func, mod, ctx):
        raise error

    with pytest.raises(KeyboardInterrupt) as caught:
        transform.Sequential([stops])(tvm.IRModule.from_text(TWO))
    assert caught.value is error


def test_a_pass_makes_functions_in_the_context_of_its_module():
    @transform.module_pass(opt_level=0)
    def add_abs(mod, ctx):
        x = relax.var("x", relax.TensorType((10,), "float32"))
        new_mod = tvm.IRModule({relax.GlobalVar("abs"): relax.Function([x], relax.abs(x))})
        new_mod.update(mod)
        return new_mod

    mod = tvm.IRModule.from_text("partita.module {}", context=ir.Context())
    assert "relax.abs" in str(add_abs(mod))


def test_a_function_that_takes_the_address_of_an_erased_one_is_another():
    for _ in range(100):
        mod = tvm.IRModule.from_text(TWO)
        f = mod["f"]
        f.operation.erase()
        mod.update_func(relax.GlobalVar("g"), mod["skipped"])
        assert mod["g"].name == "g"


MANY = "partita.module {%s}" % "\n".join(
    f"""relax.func @f{i}(%x: tensor<8xf32>) -> tensor<8xf32> {{
      %0 = relax.exp %x : tensor<8xf32>
      relax.return %0 : tensor<8xf32>
    }}"""
    for i in range(5)
)


def run_on_each(visit, text=MANY):
    """The module, and the result of the pass `visit` on it."""
    mod = tvm.IRModule.from_text(text)
    new = relax.transform.function_pass(visit, opt_level=0, name="Visit")(mod)
    assert mod.script() == tvm.IRModule.from_text(text).script()
    return mod, new


def test_functions_that_are_kept_can_be_looked_at_later():
    kept = []

    def keep(func, mod, ctx):
        kept.append(func)
        return func

    mod, new = run_on_each(keep)
    assert [func.name for func in kept] == ["f0", "f1", "f2", "f3", "f4"]
    assert all(func.body.body.op.name == "relax.exp" for func in kept)
    assert new.same_as(mod)


@pytest.mark.parametrize("looks_at", ["f0", "f2", "f4"])
def test_a_function_is_the_object_that_the_module_has(looks_at):
    def look(func, mod, ctx):
        if len(seen) == int(looks_at[1]):
            assert mod[looks_at] is func
            assert mod.functions[tvm.GlobalVar(looks_at)] is func
        seen.append(func.name if len(seen) >= int(looks_at[1]) else None)
        return func

    seen = []
    run_on_each(look)
    assert seen[int(looks_at[1]) :] == [f"f{i}" for i in range(int(looks_at[1]), 5)]


def test_an_exception_s_frames_keep_the_function():
    def fail(func, mod, ctx):
        raise KeyError("no")

    with pytest.raises(KeyError) as caught:
        run_on_each(fail)
    frame = caught.value.__traceback__
    while frame.tb_next:
        frame = frame.tb_next
    assert frame.tb_frame.f_locals["func"].name == "f0"
    assert len(frame.tb_frame.f_locals["mod"]) == 5


@pytest.mark.parametrize("erase", ["detach", "erase"])
def test_what_is_erased_is_not_visited(erase):
    def remove(func, mod, ctx):
        seen.append(func.name)
        if erase == "detach":
            del mod["f1"]
        else:
            mod["f1"].operation.erase()
        return func

    seen = []
    with pytest.raises(ValueError, match="'Visit' to leave .* it deleted @f1"):
        run_on_each(lambda *args: remove(*args) if not seen else args[0])
    assert seen == ["f0"]


def test_another_thread_can_look_at_the_function():
    def look(func, mod, ctx):
        run_threads(1, lambda index: names.append(func.name))
        return func

    names = []
    run_on_each(look)
    assert names == ["f0", "f1", "f2", "f3", "f4"]


def test_a_function_has_no_attributes_but_its_own():
    def look(func, mod, ctx):
        assert not hasattr(func, "colour")
        assert not hasattr(func, "_colour")
        return func

    run_on_each(look)


def test_passes_run_inside_a_function_pass():
    def inner(func, mod, ctx):
        if depth:
            return func
        depth.append(1)
        assert relax.transform.DeadCodeElimination()(mod)["f0"].name == "f0"
        assert relax.transform.function_pass(inner, opt_level=0)(mod).same_as(mod)
        return func

    depth = []
    run_on_each(inner)
    assert depth


def test_some_functions_change_and_the_others_stay():
    x = relax.var("x", shape=(8,))

    def change(func, mod, ctx):
        count.append(func)
        return relax.Function([x], relax.log(x)) if len(count) % 2 == 0 else func

    count = []
    _, new = run_on_each(change)
    ops = [func.body.body.op.name for func in new.functions.values()]
    assert ops == ["relax.exp", "relax.log", "relax.exp", "relax.log", "relax.exp"]
    assert [str(var) for var in new.get_global_vars()] == ["@f0", "@f1", "@f2", "@f3", "@f4"]


def test_the_caller_s_module_can_change_meanwhile():
    def erase(func, mod, ctx):
        if "f4" in original:
            original["f4"].operation.erase()
        seen.append(func)
        return func

    seen = []
    original = tvm.IRModule.from_text(MANY)
    with pytest.raises(RuntimeError, match="functions of a module to stay while .* 'erase' runs"):
        relax.transform.function_pass(erase, opt_level=0)(original)
    assert [func.name for func in seen[:4]] == ["f0", "f1", "f2", "f3"]


def test_an_instrument_in_cpp_that_comes_late_sees_the_module(capfd):
    from partita.instrument import PrintIRAfter

    def override(func, mod, ctx):
        ctx.override_instruments([PrintIRAfter()])
        return func

    with transform.PassContext():
        run_on_each(override)
    assert "relax.func @f4" in capfd.readouterr().err


@pytest.mark.parametrize("is_kept", [False, True])
def test_a_new_function_is_not_copied_if_nobody_keeps_it(is_kept):
    kept, addresses = [], []

    @relax.transform.function_pass(opt_level=0)
    def annotate(func, mod, ctx):
        new = func.with_attr("seen", True)
        addresses.append(_partita.get_address(new.operation))
        if is_kept:
            kept.append(new)
        return new

    after = annotate(tvm.IRModule.from_text(TWO))
    assert after["f"].attrs["seen"]
    assert ([_partita.get_address(after["f"].operation)] == addresses) != is_kept
    assert all(new.attrs["seen"] for new in kept)
