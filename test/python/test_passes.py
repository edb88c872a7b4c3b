# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of "Passes" that concern module passes."""

import copy
import functools
import inspect
import pathlib
import pickle
import re
import subprocess
import sys
import sysconfig
from contextlib import suppress

import pytest
from pass_support import TEXT, Recorder, make_module, make_pass, raiser, rename

from partita import GlobalVar, IRModule, PassError, instrument, relax, transform
from partita.instrument import PassInstrument
from partita.ir import structural_equal
from partita.mlir import ir
from partita.transform import ModulePass, PassContext, PassInfo, Sequential, module_pass

# Making them


def test_decorator_on_a_function():
    @module_pass(opt_level=2, name="named", required=["FoldConstant"])
    def run(mod, ctx):
        assert isinstance(mod, IRModule) and isinstance(ctx, PassContext)
        return mod

    assert isinstance(run, ModulePass) and isinstance(run, transform.Pass)
    assert run.info == PassInfo(2, "named", ["FoldConstant"])
    assert run.info.opt_level == 2 and run.info.name == "named"
    assert run.pass_info == run.info
    assert not run.is_sequential
    assert "named" in repr(run)


def test_the_name_is_that_of_the_function():
    @module_pass(opt_level=1)
    def my_pass(mod, ctx):
        return mod

    assert my_pass.info == PassInfo(1, "my_pass", [])
    assert module_pass(lambda mod, ctx: mod).info.name == "<lambda>"
    assert module_pass(functools.partial(rename, name="x"), opt_level=0).info.name == "partial"


def test_decorator_on_a_class():
    @module_pass(opt_level=1)
    class Rename:
        """Gives the module a name."""

        def __init__(self, to, *, suffix=""):
            self.to = to + suffix

        def transform_module(self, mod, ctx):
            return rename(mod, name=self.to)

        def helper(self):
            return "helped " + self.to

    p = Rename("a", suffix="b")
    assert inspect.isclass(Rename) and Rename.__name__ == "Rename"
    assert Rename.__doc__ == "Gives the module a name."
    assert isinstance(p, ModulePass) and isinstance(p, Rename)
    assert p.info == PassInfo(1, "Rename", [])
    assert p.to == "ab" and p.helper() == "helped ab"
    assert "@ab" in str(p(make_module()))
    with pytest.raises(AttributeError):
        p.nothing
    with pytest.raises(TypeError):
        Rename()


def test_decorator_on_what_is_no_pass():
    with pytest.raises(TypeError, match="expected class 'Empty' to have a method transform_module"):

        @module_pass(opt_level=1)
        class Empty:
            pass

    with pytest.raises(TypeError, match="expected a function or a class"):
        module_pass(3, opt_level=1)
    with pytest.raises(ValueError, match="expected an opt_level"):
        module_pass()
    with pytest.raises(TypeError, match="opt_level"):
        module_pass(opt_level="1")(rename)
    with pytest.raises(TypeError, match="name of a pass"):
        module_pass(opt_level=1, name=3)(rename)
    with pytest.raises(TypeError, match="required"):
        module_pass(opt_level=1, required="abc")(rename)


def test_sequentials():
    p = make_pass("p")
    seq = Sequential([p, Sequential([p])], opt_level=1, name="s", required=["q"])
    assert seq.info == PassInfo(1, "s", ["q"])
    assert seq.passes[0] is p and seq.is_sequential
    assert Sequential([p], traceable=True).info == PassInfo(0, "sequential", [])
    assert Sequential().passes == []
    assert Sequential()(make_module())
    with pytest.raises(TypeError, match="made from a list of passes"):
        Sequential(p)
    with pytest.raises(TypeError, match="members of a Sequential to be passes, but found int"):
        Sequential([3])


def test_passes_are_equal_when_they_are_the_same():
    p = make_pass("p")
    assert p == p and p != make_pass("p") and p != 3 and p != None  # noqa: E711
    assert len({p, make_pass("p")}) == 2
    assert p in Sequential([p]).passes


# The module


def test_the_module_of_the_caller_never_changes():
    mod = make_module()
    text = str(mod)
    function = mod["main"]
    p = make_pass("p", body=rename)
    dce = transform.get_pass("symbol-dce")
    for run in [p, dce, Sequential([p, dce, p])]:
        new = run(mod)
        assert not new.same_as(mod) and str(new) != text
        assert str(mod) == text
    assert "relax.func @main" in str(function)


def test_same_as_when_the_argument_is_returned():
    mod = make_module()
    p = make_pass("p")
    assert p(mod).same_as(mod)
    assert Sequential([p, Sequential([p])])(mod).same_as(mod)
    looker = make_pass("looker", body=lambda mod, ctx: mod if str(mod) else None)
    assert looker(mod).same_as(mod)
    log = []
    with PassContext(instruments=[Recorder("A", log, before=lambda mod, info: str(mod))]):
        assert p(mod).same_as(mod)
    assert not make_pass("r", body=rename)(mod).same_as(mod)


def test_a_change_that_raises_changes_nothing():
    mod = make_module()
    text = str(mod)

    def body(mod, ctx):
        rename(mod)
        raise KeyError("late")

    with pytest.raises(KeyError):
        make_pass("p", body=body)(mod)
    assert str(mod) == text


def test_in_place():
    mod = make_module()
    function = mod["main"]
    assert make_pass("p", body=rename).run_in_place(mod) is None
    assert "@renamed" in str(mod)
    assert "relax.func @main" in str(function)


def test_a_computation_elsewhere_is_a_change():
    text = """func.func @f(%a: i32) -> i32 {
      %0 = arith.addi %a, %a : i32
      %1 = arith.muli %a, %a : i32
      %2 = arith.subi %0, %1 : i32
      return %2 : i32
    }"""

    def move(mod, ctx):
        (func,) = mod.operation.regions[0].blocks[0].operations
        first, second, *_ = func.regions[0].blocks[0].operations
        second.operation.move_before(first)
        return mod

    mod = IRModule.from_text(text)
    moved = make_pass("move", body=move)(mod)
    # TVM has expressions there, which stand nowhere.
    assert structural_equal(mod, moved) and not moved.same_as(mod)
    assert str(moved).index("muli") < str(moved).index("addi")


def test_in_place_inside_a_pass():
    inner = make_pass("inner", body=rename)

    def body(mod, ctx):
        inner.run_in_place(mod)
        return mod

    mod = make_module()
    assert "@renamed" in str(make_pass("p", body=body)(mod))
    assert "@m " in str(mod)


def test_functions_can_be_added_and_deleted():
    def body(mod, ctx):
        del mod["unused"]
        copy = mod["main"].operation.clone()
        copy.attributes["sym_name"] = ir.StringAttr.get("copy", copy.context)
        mod.operation.regions[0].blocks[0].append(copy)
        return mod

    new = make_pass("p", body=body)(make_module())
    assert [v.name_hint for v in new.get_global_vars()] == ["main", "copy"]


def add_main_again(mod, ctx):
    mod.operation.regions[0].blocks[0].append(mod["main"].operation.clone())
    return mod


def test_the_verifier_can_be_switched_off():
    bad = Sequential([make_pass("bad", body=add_main_again), make_pass("good")])
    for instruments in [[], [Recorder("A", [])]]:
        with PassContext(instruments=instruments):
            with pytest.raises(PassError, match="redefinition"):
                bad(make_module())
            assert len(bad(make_module(), verify=False)) == 3
            mod = make_module()
            bad.run_in_place(mod, verify=False)
            assert len(mod) == 3


def test_a_function_whose_name_is_taken():
    with pytest.raises(PassError, match="redefinition of symbol named 'main'") as info:
        make_pass("p", body=add_main_again)(make_module())
    assert any("see existing symbol" in note for note in info.value.__notes__)
    assert "in pass 'p'" in info.value.__notes__


@pytest.mark.parametrize(
    "returned", [None, 3, "text", [], object(), PassContext, rename], ids=lambda x: type(x).__name__
)
def test_a_wrong_result(returned):
    with pytest.raises(TypeError, match="expected module pass 'p' to return an IRModule, but"):
        make_pass("p", body=lambda mod, ctx: returned)(make_module())


def test_a_generator_is_a_wrong_result():
    def body(mod, ctx):
        yield mod

    with pytest.raises(TypeError, match="returned generator"):
        make_pass("p", body=body)(make_module())


def test_a_new_module():
    new = make_pass("p", body=lambda mod, ctx: IRModule())(make_module())
    assert str(new).strip() == "partita.module {\n}"


def test_a_clone_of_the_argument():
    mod = make_module()
    new = make_pass("p", body=lambda mod, ctx: rename(mod.clone()))(mod)
    assert "@renamed" in str(new) and "@m " in str(mod)


def test_a_module_that_is_kept():
    kept = make_module()
    rename(kept, name="kept")
    p = make_pass("p", body=lambda mod, ctx: kept)
    change = make_pass("change", body=rename)
    new = Sequential([p, change])(make_module())
    assert "@renamed" in str(new) and "@kept" in str(kept)
    assert p(make_module()).same_as(kept)


def test_the_module_of_the_caller_is_returned():
    mod = make_module()
    text = str(mod)
    new = Sequential([make_pass("p", body=lambda arg, ctx: mod), make_pass("q", body=rename)])(mod)
    assert "@renamed" in str(new) and str(mod) == text


def test_the_argument_is_kept():
    kept = []
    p = make_pass("p", body=lambda mod, ctx: kept.append(mod) or rename(mod))
    new = Sequential([p, make_pass("q", body=functools.partial(rename, name="last"))])(
        make_module()
    )
    assert "@renamed" in str(kept[0]) and "@last" in str(new)
    rename(kept[0], name="mine")
    assert "@last" in str(new)


def test_an_op_of_the_argument_is_kept():
    kept = []
    p = make_pass("p", body=lambda mod, ctx: kept.append(mod["unused"]) or mod)
    Sequential([p, transform.get_pass("symbol-dce")])(make_module())
    assert "relax.exp" in str(kept[0])


def test_a_module_of_another_root_or_context():
    with pytest.raises(
        TypeError, match="return a partita.module, but it returned a builtin.module"
    ):
        make_pass(
            "p",
            body=lambda mod, ctx: IRModule(
                ir.Operation.parse("module {}", context=mod.operation.context)
            ),
        )(make_module())
    other = IRModule.from_text(TEXT, ir.Context())
    with pytest.raises(TypeError, match="MLIR context"):
        make_pass("p", body=lambda mod, ctx: other)(make_module())


def test_a_module_inside_another():
    outer = IRModule(
        ir.Operation.parse(
            "module { partita.module @in {} }", context=make_module().operation.context
        )
    )
    inner = outer.operation.regions[0].blocks[0].operations[0]
    new = make_pass("p", body=lambda mod, ctx: IRModule(inner))(make_module())
    assert "@in" in str(new) and "@in" in str(outer)


def test_passes_inside_passes():
    dce = transform.get_pass("symbol-dce")
    p = make_pass("p", body=lambda mod, ctx: Sequential([dce])(mod))
    for _ in range(10):
        p = make_pass("p", body=lambda mod, ctx, inner=p: inner(mod))
    mod = make_module()
    assert structural_equal(p(mod), dce(mod))
    assert "unused" in mod


def test_recursion():
    def body(mod, ctx):
        return p(mod)

    p = make_pass("p", body=body)
    with pytest.raises(RecursionError):
        p(make_module())

    def limited(mod, ctx):
        depth.append(0)
        return q(mod) if len(depth) < 50 else rename(mod)

    depth = []
    q = make_pass("q", body=limited)
    assert "@renamed" in str(q(make_module()))


# Errors


def test_an_error_of_a_run_inside_a_pass_can_be_handled():
    def breaks(mod, ctx):
        mod["main"].operation.regions[0].blocks[0].operations[1].operation.erase()
        return mod

    inner = make_pass("inner", body=breaks)
    caught = []

    def body(mod, ctx):
        try:
            inner(mod)
        except PassError as error:
            caught.append(error)
        return mod

    mod = make_module()
    assert make_pass("outer", body=body)(mod).same_as(mod)
    notes = caught[0].__notes__
    assert notes.index("in pass 'inner'") < notes.index("in pass 'outer'")

    def body_fails(mod, ctx):
        body(mod, ctx)
        return breaks(mod, ctx)

    with pytest.raises(PassError) as info:
        make_pass("outer", body=body_fails)(mod)
    assert "in pass 'inner'" not in info.value.__notes__
    assert len(info.value.diagnostics) == 1


def test_list_of_names_that_need_quotes():
    from partita import relax

    text = (
        "relax.func private @{}(%x: tensor<f32>) -> tensor<f32> {{ relax.return %x : tensor<f32> }}"
    )
    functions = "".join(text.format(name) for name in ('"a b"', "c", "d"))
    mod = IRModule.from_text("partita.module {" + functions + "}")
    kept = relax.transform.DeadCodeElimination(["a b", "c"])(mod)
    assert [var.name_hint for var in kept.get_global_vars()] == ["a b", "c"]


def test_an_error_inside_a_pass_of_cpp():
    from partita import relax

    dce = relax.transform.DeadCodeElimination(entry_functions=["missing"])
    with pytest.raises(PassError, match="expected entry function @missing") as info:
        dce(make_module())
    notes = info.value.__notes__
    assert notes[0].startswith("at loc(") and notes[-1] == "in pass 'DeadCodeElimination'"
    with pytest.raises(PassError) as info:
        with PassContext(instruments=[Recorder("A", [])]):
            Sequential([make_pass("good"), dce], name="outer")(make_module())
    assert info.value.__notes__[-2:] == ["in pass 'DeadCodeElimination'", "in pass 'outer'"]
    # Without instruments, MLIR runs the passes of the Sequential.
    canonicalize = transform.get_pass("canonicalize")
    for members in [[canonicalize, dce], [dce, canonicalize]]:
        with pytest.raises(PassError) as info:
            Sequential(members, name="outer")(make_module())
        assert info.value.__notes__[-2:] == ["in pass 'DeadCodeElimination'", "in pass 'outer'"]


def test_an_error_that_is_handled_and_another():
    error = ValueError("second")
    inner = make_pass("inner", body=raiser(KeyError("first")))

    def body(mod, ctx):
        with suppress(KeyError):
            inner(mod)
        raise error

    with pytest.raises(ValueError) as info:
        make_pass("p", body=body)(make_module())
    assert info.value is error and error.__cause__ is None and error.__context__ is None


@pytest.mark.parametrize("argument", [None, 3, "text", ir.Operation])
def test_a_wrong_argument(argument):
    with pytest.raises(TypeError, match="expected a pass to be called with an IRModule"):
        make_pass("p")(argument)


# Where they are


def test_the_modules_by_their_names_in_tvm():
    program = """
import partita.ir.transform as named
from partita.ir.instrument import PassInstrument
from partita.ir.transform import PassContext
from partita import instrument, ir, transform
assert named is ir.transform is transform and PassContext is transform.PassContext
assert ir.instrument is instrument and PassInstrument is instrument.PassInstrument
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_pickles_that_name_these_modules():
    assert pickle.loads(b"cpartita.ir.transform\nPassInfo\n.") is PassInfo
    assert pickle.loads(b"cpartita.ir.module\nGlobalVar\n.") is GlobalVar


def test_which_module_comes_back():
    """As TVM's same_as, except that a function pass that changes no function has no effect."""
    mod, other = make_module(), make_module()
    rename(other, name="other")
    noop = make_pass("noop")
    look = make_pass("look", body=lambda arg, ctx: (len(arg), arg)[1])
    give = make_pass("give", body=lambda arg, ctx: other)
    change = make_pass("change", body=functools.partial(rename, name="changed"))
    on_functions = relax.transform.function_pass(lambda f, m, c: f, opt_level=0, name="f")
    dce = relax.transform.DeadCodeElimination()
    text = str(other)

    for passes in (noop, look, on_functions, Sequential([]), Sequential([noop, look, noop])):
        assert passes(mod) is mod
    for passes in (
        [give],
        [give, noop],
        [change, give],
        [noop, give, look],
        [give, Sequential([])],
    ):
        assert Sequential(passes)(mod) is other
    assert Sequential([dce, give])(mod) is other
    assert Sequential([give, on_functions])(mod) is other
    for passes in ([give, change], [change], [dce], [noop, dce], [dce, noop]):
        new = Sequential(passes)(mod)
        assert new is not mod and new is not other
    assert str(other) == text

    # A pass that an instrument or a level skips leaves the module as it is.
    class Skips(PassInstrument):
        def should_run(self, mod, info):
            return info.name not in ("change", "DeadCodeElimination")

    with PassContext(instruments=[Skips()]):
        assert change(mod) is mod
        assert Sequential([give, change])(mod) is other
    high = transform.module_pass(rename, opt_level=9, name="high")
    assert Sequential([high])(mod) is mod

    # Instruments that measure or observe do not change that.
    class Looks(PassInstrument):
        def run_after_pass(self, mod, info):
            str(mod)

    for made in (instrument.PassTimingInstrument, Looks, instrument.OpStatistics):
        with PassContext(instruments=[made()]):
            assert noop(mod) is mod and give(mod) is other


def test_the_module_that_comes_back_is_no_copy():
    functions = {f"f{i}": relax.Function([], relax.const(i)) for i in range(100)}
    other = IRModule(functions)
    held = other["f7"]
    given = make_pass("give", body=lambda arg, ctx: other)(make_module())
    assert given is other and given["f7"] is held

    # If nobody else holds the module, its parts are moved.
    new = make_pass("give", body=lambda arg, ctx: IRModule({"a": held}))(make_module())
    assert list(map(str, new)) == ["@a"]

    # It is verified, though.
    broken = make_module()
    body = broken.operation.regions[0].blocks[0]
    body.append(broken["main"].operation.clone(ip=False))
    give = make_pass("give", body=lambda arg, ctx: broken)
    with pytest.raises(PassError, match="redefinition of symbol"):
        give(make_module())
    assert give(make_module(), verify=False) is broken


def test_in_place_with_the_module_of_the_user():
    mod, other = make_module(), make_module()
    rename(other, name="other")
    make_pass("give", body=lambda arg, ctx: other).run_in_place(mod)
    assert "@other" in str(mod)
    rename(mod, name="mine")
    assert "@other" in str(other)


def again_in_each_way(thing):
    return [pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy(thing)]


def test_errors_are_copied():
    class Derived(PassError):
        def __init__(self, extra):
            super().__init__("derived", [])
            self.extra = extra

    diagnostics = [("error", "loc", "is wrong", ["in function @f"]), ("warning", "l", "w", [])]
    error = PassError("p", diagnostics)
    for again in again_in_each_way(error):
        assert type(again) is PassError and str(again) == "is wrong"
        assert (again.pass_name, again.diagnostics) == ("p", error.diagnostics)
        assert again.__notes__ == error.__notes__ and again.args == error.args
    assert copy.deepcopy(Derived([3])).extra == [3]
    with pytest.raises(ir.MLIRError) as caught:
        IRModule.from_text('"none"() : () -> ()', ir.Context())
    for again in again_in_each_way(caught.value):
        assert type(again) is ir.MLIRError and str(again) == str(caught.value)
    for again in again_in_each_way(transform.PassInfo(1, "p", ["q"])):
        assert again == transform.PassInfo(1, "p", ["q"])


@pytest.mark.parametrize("count", [1, 127, 128, 129, 1000])
def test_copy_of_many_functions(count):
    """They are copied for themselves, on threads, with names, attributes and locations."""
    functions = "".join(
        f"relax.func @f{i}(%x: tensor<4xf32>) -> tensor<4xf32> attributes {{n = {i} : i64}} {{"
        f"  %0 = relax.dataflow -> tensor<4xf32> {{"
        f'    %1 = relax.exp %x : tensor<4xf32> loc("e{i}")'
        f"    relax.output %1 : tensor<4xf32>"
        f"  }}"
        f"  %2 = relax.call @f{(i + 1) % count}(%0) : (tensor<4xf32>) -> tensor<4xf32>"
        f"  relax.return %2 : tensor<4xf32>"
        f"}}\n"
        for i in range(count)
    )
    mod = IRModule.from_text(f"partita.module attributes {{a = 1 : i64}} {{ {functions} }}")
    before = mod.operation.get_asm(enable_debug_info=True)
    new = transform.get_pass("DeadCodeElimination")(mod)
    assert new.operation.get_asm(enable_debug_info=True) == before
    new.operation.verify()
    new["f0"] = relax.Function([], relax.const(1.0))
    assert mod.operation.get_asm(enable_debug_info=True) == before


def is_registered(argument):
    with suppress(ValueError):
        transform.get_pass(argument)
        return True
    return False


def test_passes_of_mlir_that_the_docs_name():
    root = pathlib.Path(__file__).parents[2]
    (sentence,) = re.findall(
        r"`transform.get_pass` finds the passes of\s+MLIR's (\w+) and of the dialects ([\w,\s]+);",
        (root / "docs/from-tvm.md").read_text(),
    )
    documented = {sentence[0], *re.findall(r"\w+", sentence[1].replace(" and ", ", "))}
    assert len(documented) == 7, "the sentence of docs/from-tvm.md was not understood"
    # The message of the error for another pass names them, too.
    with pytest.raises(ValueError, match="MLIR's passes for") as caught:
        transform.get_pass("sparsification")
    listed = re.search(r"MLIR's passes for (.*) are registered here", str(caught.value))[1]
    assert set(listed.split(", ")) == documented
    headers = pathlib.Path(sysconfig.get_path("purelib"), "mlir/include/mlir")
    if not headers.exists():
        pytest.skip(f"{headers} has no headers of MLIR")
    registered, others = {}, []
    for header in headers.rglob("Passes.h.inc"):
        path = header.relative_to(headers).parts
        arguments = set(
            re.findall(r'getArgument\(\) const override { return "([^"]+)', header.read_text())
        )
        # One of the wheels' own, which upstream has not.
        arguments = {name for name in arguments if not name.startswith("jir-")}
        names = {name for name in arguments if is_registered(name)}
        part = path[1].lower() if path[0] == "Dialect" else path[0]
        if part in ("bufferization", "Conversion"):
            # Of these, LowerToLLVM names some.
            continue
        if part in documented:
            registered[part] = (names, names ^ arguments)
        else:
            others += names
    assert registered.keys() == documented and not others
    for names, missing in registered.values():
        assert names and not missing


def test_a_pass_that_is_called_alone_does_not_run_what_it_requires():
    mod = make_module()
    looker = make_pass("looker", required=["FoldConstant"])
    assert looker(mod).same_as(mod)
    assert not Sequential([looker])(mod).same_as(mod)


def test_an_error_in_python_says_its_pass():
    from partita import relax

    def fails(*args):
        raise KeyError("key")

    module_pass = make_pass("inner", body=fails)
    function_pass = relax.transform.function_pass(fails, opt_level=0, name="on_functions")
    x = relax.Var("x", relax.TensorType((2,)))
    mod = IRModule({"main": relax.Function([x], x)})
    for one, note in (
        (module_pass, "in pass 'inner'"),
        (function_pass, "in pass 'on_functions' on @main"),
    ):
        for _ in range(2):
            with pytest.raises(KeyError) as info:
                make_pass("outer", body=lambda mod, ctx: Sequential([one])(mod))(mod)
            assert info.value.__notes__ == [note, "in pass 'outer'"]
            assert str(info.value) == "'key'"
    # An exception that is raised again has each note once.
    error = KeyError("key")

    def fails_again(*args):
        raise error

    for _ in range(2):
        with pytest.raises(KeyError) as info:
            make_pass("again", body=fails_again)(mod)
        assert info.value is error and error.__notes__ == ["in pass 'again'"]
