# ===- tvm_scenarios.py - Uses of passes in TVM and in Partita ---------------===#
#
# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Uses of passes, contexts and instruments, written once for both libraries.

A scenario is called with a Library and with a function that notes lines. Without
further arguments it must note the same in both libraries. A scenario that is declared
with `tvm` and `partita` is an intended difference, and must note exactly these lines.
`compare_tvm.py` runs them.
"""

import threading
import warnings
from typing import Callable, List, NamedTuple, Optional


class Library:
    """The API that the scenarios use, under the same names for both."""

    def __init__(self, name):
        self.name = name
        if name == "tvm":
            import tvm
            from tvm import relax, tirx
            from tvm.ir import instrument

            self.tir, self.instrument = tirx, instrument
            self.unroll_config = "tirx.UnrollLoop"
        else:
            import partita as tvm
            from partita import relax

            self.tir, self.instrument = tvm.tir, tvm.instrument
            self.unroll_config = "tir.UnrollLoop"
        self.ir, self.IRModule, self.GlobalVar = tvm.ir, tvm.IRModule, tvm.ir.GlobalVar
        self.transform, self.relax = tvm.transform, relax

    def has(self, path):
        found = self
        for part in path.split("."):
            found = getattr(found, part, None)
        return found is not None

    def function(self, op="exp", name=None):
        """x -> op(op(x)) in a dataflow block."""
        x = self.relax.Var("x", self.relax.TensorType((4,), "float32"))
        builder = self.relax.BlockBuilder()
        with builder.function(name or "f", [x]):
            with builder.dataflow():
                y = builder.emit(getattr(self.relax.op, op)(x))
                z = builder.emit_output(getattr(self.relax.op, op)(y))
            builder.emit_func_output(z)
        return builder.get()[name or "f"]

    def module(self, *names):
        names = names or ("main",)
        return self.IRModule({self.GlobalVar(n): self.function(name=n) for n in names})

    def prim_func(self):
        """A module with one function of loops, @p."""
        if self.name == "partita":
            return self.IRModule.from_text("partita.module { tir.prim_func @p() { tir.return } }")
        body = self.tir.Evaluate(self.tir.IntImm("int32", 0))
        return self.IRModule({self.GlobalVar("p"): self.tir.PrimFunc([], body)})

    def break_module(self, mod):
        """Make the module invalid."""
        if self.name == "partita":
            ops = mod["main"].operation.regions[0].blocks[0].operations
            list(ops)[-1].operation.erase()
            return mod
        relax = self.relax
        free = relax.Var("free", relax.TensorType((4,), "float32"))
        broken = relax.Function([], free, relax.TensorType((4,), "float32"))
        mod.update_func(mod.get_global_vars()[0], broken)
        return mod

    def register(self, made):
        """Register a pass, so that `required` can name it."""
        if self.name == "partita":
            self.transform.register_pass(made)
        else:
            import tvm_ffi

            tvm_ffi.register_global_func(f"transform.{made.info.name}", lambda: made, override=True)

    # Passes and instruments that note the calls that they get.

    def module_pass(self, name, note=None, opt_level=0, required=(), body=None):
        def run(mod, ctx):
            if note:
                note(name)
            return body(mod, ctx) if body else mod

        return self.transform.module_pass(
            run, opt_level=opt_level, name=name, required=list(required)
        )

    def recorder(self, label, note, **actions):
        """An instrument with all callbacks; a callback in `actions` also calls its action."""

        def act(callback, *args):
            note(f"{label}.{callback}" + (f" {args[1].name}" if args else ""))
            return actions[callback](*args) if callback in actions else True

        class Recorder:
            def enter_pass_ctx(self):
                act("enter")

            def exit_pass_ctx(self):
                act("exit")

            def should_run(self, mod, info):
                return act("should", mod, info)

            def run_before_pass(self, mod, info):
                act("before", mod, info)

            def run_after_pass(self, mod, info):
                act("after", mod, info)

        return self.instrument.pass_instrument(Recorder)()

    def context(self, *instruments, **kwargs):
        return self.transform.PassContext(instruments=list(instruments), **kwargs)

    def sequential(self, passes, **kwargs):
        return self.transform.Sequential(passes, **kwargs)


class Scenario(NamedTuple):
    """A use, and its intended differences.

    Attributes
    ----------
    row : str
        Its row of the semantics.
    title : str
        Which of the row's uses it is.
    run : callable
        Called with a Library and the function that notes lines.
    tvm, partita : list of str, optional
        The lines of each library, if they differ on purpose.
    needs : str, optional
        An attribute that a Library must have.
    """

    row: str
    title: str
    run: Callable
    tvm: Optional[List[str]] = None
    partita: Optional[List[str]] = None
    needs: Optional[str] = None


SCENARIOS: List[Scenario] = []


def scenario(row, tvm=None, partita=None, needs=None):
    def decorate(function):
        title = function.__name__.replace("_", " ")
        SCENARIOS.append(Scenario(row, title, function, tvm, partita, needs))
        return function

    return decorate


def attempt(note, what, function, *args):
    """Note whether the call fails, and with which error."""
    try:
        function(*args)
    except BaseException as error:
        note(f"{what}: {type(error).__name__}")
        return error
    note(f"{what}: accepted")
    return None


def raiser(error):
    def action(*args):
        raise error

    return action


def note_error(note, function):
    """Run it, and note the error and its text."""
    try:
        function()
    except BaseException as error:
        text = [word for word in ("first", "second") if word in str(error)]
        note(f"{type(error).__name__} {' '.join(text)}".strip())
        return error
    note("no error")
    return None


# PassContext


@scenario("fields and defaults")
def fields_of_a_context(lib, note):
    ctx = lib.transform.PassContext()
    note(f"opt_level {ctx.opt_level}")
    note(f"required {list(ctx.required_pass)}, disabled {list(ctx.disabled_pass)}")
    note(f"config {dict(ctx.config.items())}, instruments {list(ctx.instruments)}")
    ctx = lib.transform.PassContext(3, ["a"], ("b", "c"))
    note(f"{ctx.opt_level} {list(ctx.required_pass)} {list(ctx.disabled_pass)}")


@scenario("fields and defaults", tvm=["diagnostics: False"], partita=["diagnostics: True"])
def diagnostics_of_a_context(lib, note):
    note(f"diagnostics: {hasattr(lib.transform.PassContext(), 'diagnostics')}")


@scenario("scope")
def an_inner_scope_replaces_the_outer_one_whole(lib, note):
    current = lib.transform.PassContext.current
    with lib.transform.PassContext(3, disabled_pass=["a"]):
        with lib.transform.PassContext(1):
            note(f"{current().opt_level} {list(current().disabled_pass)}")
        note(f"{current().opt_level} {list(current().disabled_pass)}")
    note(f"{current().opt_level}")


@scenario("scope")
def scopes_are_of_a_thread(lib, note):
    with lib.transform.PassContext(3):
        thread = threading.Thread(
            target=lambda: note(str(lib.transform.PassContext.current().opt_level))
        )
        thread.start()
        thread.join()


@scenario(
    "scope",
    tvm=["first: argument 3, current 1", "second: argument 3, current 1"],
    partita=["first: argument 3, current 1", "second: argument 3, current 3"],
)
def a_run_keeps_the_context_of_its_start(lib, note):
    def body(mod, ctx):
        if not entered:
            entered.append(lib.transform.PassContext(1))
            entered[0].__enter__()
            name = "first"
        else:
            name = "second"
        note(f"{name}: argument {ctx.opt_level}, current {current().opt_level}")
        return mod

    entered = []
    current = lib.transform.PassContext.current
    lib.transform.PassContext(3).__enter__()
    lib.sequential([lib.module_pass(n, body=body) for n in "pq"])(lib.module())


@scenario(
    "leaving in the wrong order or on the wrong thread",
    tvm=["outer: InternalError", "other thread: InternalError", "level 3"],
    partita=["outer: RuntimeError", "other thread: RuntimeError", "level 3"],
)
def leaving_a_scope_that_is_not_the_innermost(lib, note):
    outer, inner = lib.transform.PassContext(1), lib.transform.PassContext(3)
    outer.__enter__()
    inner.__enter__()
    attempt(note, "outer", outer.__exit__, None, None, None)
    thread = threading.Thread(
        target=lambda: attempt(note, "other thread", inner.__exit__, None, None, None)
    )
    thread.start()
    thread.join()
    note(f"level {lib.transform.PassContext.current().opt_level}")


@scenario("opt_level type")
def levels_that_are_no_int(lib, note):
    for level in ("2", 2.5):
        attempt(note, repr(level), lib.transform.PassContext, level)


@scenario("opt_level type", tvm=["-1: accepted"], partita=["-1: ValueError"])
def a_negative_level(lib, note):
    attempt(note, "-1", lib.transform.PassContext, -1)


@scenario(
    'required_pass="abc" (a string)',
    tvm=["required_pass: accepted", "disabled_pass: accepted"],
    partita=["required_pass: TypeError", "disabled_pass: TypeError"],
)
def a_string_for_a_list_of_names(lib, note):
    for field in ("required_pass", "disabled_pass"):
        attempt(note, field, lambda: lib.transform.PassContext(**{field: "abc"}))


@scenario(
    "a name in required/disabled that fits no pass",
    tvm=["ran", "0 warnings"],
    partita=["ran", "1 warnings", "with the nearest name: True"],
)
def a_name_that_fits_no_pass(lib, note):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with lib.context(disabled_pass=["FoldConstnt"]):
            lib.sequential([lib.module_pass("p"), lib.module_pass("q")])(lib.module())
    note("ran")
    note(f"{len(caught)} warnings")
    for warning in caught:
        note(f"with the nearest name: {'FoldConstant' in str(warning.message)}")


@scenario("unknown config key")
def a_key_that_is_misspelled(lib, note):
    key = lib.unroll_config.replace("Unroll", "Unrol")
    error = attempt(note, "key", lambda: lib.transform.PassContext(config={key: {}}))
    note(f"names the one that was meant: {lib.unroll_config in str(error)}")


@scenario(
    "unknown config key",
    tvm=["key: AttributeError", "says how to list all: False"],
    partita=["key: AttributeError", "says how to list all: True"],
)
def a_key_that_is_like_no_other(lib, note):
    error = attempt(note, "key", lambda: lib.transform.PassContext(config={"x": 1}))
    text = str(error)
    note(f"says how to list all: {'lists all' in text}")


@scenario("config value of a wrong type")
def a_value_of_a_wrong_type(lib, note):
    key = lib.unroll_config
    error = attempt(note, "value", lambda: lib.transform.PassContext(config={key: 3}))
    note(f"{key in str(error)} {'UnrollLoopConfig' in str(error)} {'int' in str(error)}")


@scenario("config value None")
def a_value_of_none(lib, note):
    config = {lib.unroll_config: None}
    error = attempt(note, "None", lambda: lib.transform.PassContext(config=config))
    note(f"names the key: {lib.unroll_config in str(error)}")


@scenario(
    "struct-typed config (UnrollLoopConfig) from a dict",
    tvm=["unknown field: TypeError", "wrong type: accepted", "read as 0"],
    partita=["unknown field: TypeError", "wrong type: AttributeError"],
)
def fields_of_a_struct(lib, note):
    def make(fields):
        return lib.transform.PassContext(config={lib.unroll_config: fields})

    attempt(note, "unknown field", make, {"auto_max_stp": 1})
    if not attempt(note, "wrong type", make, {"auto_max_step": "x"}):
        value = make({"auto_max_step": "x"}).config[lib.unroll_config]
        note(f"read as {value.auto_max_step}")


@scenario("struct-typed config (UnrollLoopConfig) from a dict")
def a_struct_that_is_right(lib, note):
    config = {lib.unroll_config: {"auto_max_step": 7}}
    value = lib.transform.PassContext(config=config).config[lib.unroll_config]
    step = value["auto_max_step"] if isinstance(value, dict) else value.auto_max_step
    note(f"auto_max_step {step}")


@scenario("list_configs()", tvm=["['type']"], partita=["['default', 'description', 'type']"])
def what_is_known_of_a_config(lib, note):
    configs = lib.transform.PassContext.list_configs()
    note(str(sorted(configs[lib.unroll_config].keys())))


# Which passes run


@scenario("enabled(info)")
def levels_and_names(lib, note):
    for level in (0, 2):
        for required in ([], ["p"]):
            for disabled in ([], ["p"]):
                for pass_level in range(4):
                    ran = []
                    made = lib.module_pass("p", ran.append, pass_level)
                    with lib.transform.PassContext(level, required, disabled):
                        lib.sequential([made])(lib.module())
                    note(f"{level} {required} {disabled} {pass_level}: {ran}")


@scenario("where it is asked")
def a_pass_that_is_called_directly(lib, note):
    with lib.context(opt_level=0, disabled_pass=["p"]):
        lib.module_pass("p", note, opt_level=3)(lib.module())
        lib.sequential([lib.module_pass("q", note)], opt_level=3, name="p")(lib.module())
    with lib.context(lib.recorder("A", note, should=lambda mod, info: False)):
        lib.module_pass("r", note)(lib.module())


@scenario("names")
def names_are_exact(lib, note):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with lib.context(disabled_pass=["Pass", "pas", " pass"]):
            lib.sequential([lib.module_pass("pass", note)])(lib.module())


NAMES = ["FoldConstant", "relax.transform.FoldConstant", "relay._transform.FoldConstant"]


@scenario(
    "names",
    tvm=["FoldConstant: skipped"] + [f"{name}: ran" for name in NAMES[1:]],
    partita=[f"{name}: skipped" for name in NAMES],
)
def other_names_of_a_pass(lib, note):
    for name in NAMES:
        ran = []
        watch = lib.recorder("A", ran.append)
        with lib.context(watch, disabled_pass=[name]):
            lib.sequential([lib.relax.transform.FoldConstant()])(lib.module())
        note(f"{name}: {'ran' if 'A.before FoldConstant' in ran else 'skipped'}")


@scenario("a disabled nested Sequential")
def a_nested_sequential_is_disabled(lib, note):
    inner = lib.sequential([lib.module_pass("p", note)], name="inner")
    with lib.context(lib.recorder("A", note), disabled_pass=["inner"]):
        lib.sequential([inner, lib.module_pass("q", note)], name="outer")(lib.module())


@scenario("PassInfo.required")
def passes_that_are_required(lib, note):
    lib.register(lib.module_pass("first", note, opt_level=3))
    owner = lib.module_pass("owner", note, required=["first"])
    with lib.context(opt_level=0, disabled_pass=["first"]):
        lib.sequential([owner, owner])(lib.module())
    note("called directly")
    owner(lib.module())
    note("vetoed")
    watch = lib.recorder("A", note, should=lambda mod, info: info.name != "first")
    with lib.context(watch):
        lib.sequential([owner], name="s")(lib.module())
    note("disabled")
    with lib.context(disabled_pass=["owner"]):
        lib.sequential([owner])(lib.module())


@scenario("PassInfo.required", tvm=["b", "c"], partita=["a", "b", "c"])
def passes_that_required_passes_require(lib, note):
    lib.register(lib.module_pass("a", note))
    lib.register(lib.module_pass("b", note, required=["a"]))
    lib.sequential([lib.module_pass("c", note, required=["b"])])(lib.module())


@scenario(
    "PassInfo.required",
    tvm=["first", "a", "b", "run: accepted"],
    partita=["run: PassError", "prints the cycle: True"],
)
def passes_that_require_each_other(lib, note):
    lib.register(lib.module_pass("a", note, required=["b"]))
    made = lib.module_pass("b", note, required=["a"])
    lib.register(made)
    seq = lib.sequential([lib.module_pass("first", note), made])
    error = attempt(note, "run", seq, lib.module())
    if error:
        note(f"prints the cycle: {'->' in str(error)}")


@scenario(
    "an unknown required pass",
    tvm=["first", "run: InternalError"],
    partita=["run: PassError", "the nearest name: True"],
)
def a_required_pass_that_nobody_knows(lib, note):
    made = lib.module_pass("p", note, required=["FoldConstnt"])
    seq = lib.sequential([lib.module_pass("first", note), made])
    error = attempt(note, "run", seq, lib.module())
    if "FoldConstant" in str(error):
        note("the nearest name: True")


@scenario(
    "functions annotated to be skipped",
    tvm=["['main', 'skipped']", "C++ changed: ['main', 'skipped']"],
    partita=["['main']", "C++ changed: ['main']"],
)
def functions_to_be_skipped(lib, note):
    mod = lib.module("main", "skipped")
    skipped = mod["skipped"].with_attr("SkipOptimization", 1)
    mod.update_func(mod.get_global_var("skipped"), skipped)
    seen = []

    def body(func, mod, ctx):
        seen.append(next(v.name_hint for v in mod.get_global_vars() if mod[v].same_as(func)))
        return func

    lib.relax.transform.function_pass(body, opt_level=0)(mod)
    note(str(sorted(seen)))
    new = lib.relax.transform.ToNonDataflow()(mod)
    changed = [name for name in ("main", "skipped") if "dataflow" not in str(new[name])]
    note(f"C++ changed: {changed}")


# Instruments


@scenario("instruments: order")
def the_order_of_callbacks(lib, note):
    with lib.context(lib.recorder("A", note), lib.recorder("B", note)):
        lib.module_pass("p", note)(lib.module())


@scenario("instruments: order")
def all_are_asked(lib, note):
    for answers in ((True, False), (False, True), (False, False)):
        made = [
            lib.recorder(label, note, should=lambda mod, info, answer=answer: answer)
            for label, answer in zip("AB", answers)
        ]
        with lib.context(*made):
            lib.module_pass("p", note)(lib.module())


@scenario("instruments: order")
def a_pass_of_required_pass_is_not_asked_for(lib, note):
    watch = lib.recorder("A", note, should=lambda mod, info: False)
    with lib.context(watch, required_pass=["p"]):
        lib.module_pass("p", note)(lib.module())


@scenario("instruments: order")
def a_sequential_is_a_pass(lib, note):
    passes = [lib.module_pass("p", note), lib.module_pass("q", note, opt_level=3)]
    inner = lib.sequential([lib.module_pass("r", note)], name="inner")
    with lib.context(lib.recorder("A", note)):
        lib.sequential(passes + [inner], name="outer")(lib.module())
    watch = lib.recorder("A", note, should=lambda mod, info: info.name != "inner")
    with lib.context(watch):
        lib.sequential(passes + [inner], name="outer")(lib.module())


@scenario("instruments: order")
def once_for_a_pass_on_functions(lib, note):
    mod = lib.module("f", "g", "h")
    with lib.context(lib.recorder("A", note)):
        lib.relax.transform.function_pass(lambda f, m, c: f, opt_level=0, name="p")(mod)
        lib.relax.transform.DeadCodeElimination()(mod)
        lib.relax.transform.EliminateCommonSubexpr()(mod)


def fail_in(lib, note, callback, index):
    """Let a callback of one of three instruments fail, and note what follows."""
    made = []
    for i, label in enumerate("ABC"):
        actions = {callback: raiser(RuntimeError("first"))} if i == index else {}
        made.append(lib.recorder(label, note, **actions))
    ctx = lib.context(*made)

    def use():
        with ctx:
            lib.module_pass("p", note)(lib.module())

    note(f"{callback} of {'ABC'[index]}")
    note_error(note, use)
    note(f"{len(ctx.instruments)} instruments")
    note(f"level {lib.transform.PassContext.current().opt_level}")


@scenario("an error in enter of the k-th")
def an_error_in_enter(lib, note):
    for index in range(3):
        fail_in(lib, note, "enter", index)


@scenario("an error in exit of the k-th")
def an_error_in_exit(lib, note):
    for index in range(3):
        fail_in(lib, note, "exit", index)


@scenario("an error in should_run, before, after")
def an_error_around_a_pass(lib, note):
    for callback in ("should", "before", "after"):
        for index in range(3):
            fail_in(lib, note, callback, index)


@scenario("an error in the pass itself")
def an_error_in_a_pass(lib, note):
    ctx = lib.context(lib.recorder("A", note), lib.recorder("B", note), opt_level=3)

    def use():
        with ctx:
            bad = lib.module_pass("bad", note, body=raiser(RuntimeError("first")))
            lib.sequential([bad, lib.module_pass("q", note)], name="s")(lib.module())

    note_error(note, use)
    note(f"{len(ctx.instruments)} instruments")
    note(f"level {lib.transform.PassContext.current().opt_level}")


@scenario(
    "an error in an exit while unwinding from an enter error",
    tvm=["A.enter", "B.enter", "A.exit", "killed by SIGABRT"],
    partita=["A.enter", "B.enter", "A.exit", "RuntimeError second", "caused by RuntimeError first"],
)
def an_error_in_exit_after_one_in_enter(lib, note):
    ctx = lib.context(
        lib.recorder("A", note, exit=raiser(RuntimeError("second"))),
        lib.recorder("B", note, enter=raiser(RuntimeError("first"))),
    )
    error = note_error(note, ctx.__enter__)
    note(f"caused by {type(error.__cause__).__name__} {error.__cause__}")


@scenario("should_run returns None")
def should_run_returns_nothing(lib, note):
    def use():
        with lib.context(lib.recorder("Nosy", note, should=lambda mod, info: None)):
            lib.module_pass("p", note)(lib.module())

    note_error(note, use)


class UserError(Exception):
    """A user's own exception."""


class UserBaseError(BaseException):
    """An exception that `except Exception` does not catch."""


ERRORS = [ValueError, KeyError, OSError, UserError, UserBaseError, KeyboardInterrupt]


@scenario(
    "Python exception types through the core",
    tvm=[
        "ValueError: another, a ValueError",
        "KeyError: another, a KeyError",
        "OSError: another, a RuntimeError",
        "UserError: another, a RuntimeError",
        "UserBaseError: another, a RuntimeError",
        "KeyboardInterrupt: another, a RuntimeError",
    ],
    partita=[f"{error.__name__}: the same" for error in ERRORS],
)
def types_of_errors(lib, note):
    for error_type in ERRORS:
        error = error_type("first")
        try:
            lib.module_pass("p", body=raiser(error))(lib.module())
        except BaseException as caught:
            same = "the same" if caught is error else f"another, a {type(caught).__name__}"
            note(f"{error_type.__name__}: {same}")


@scenario("override_instruments(new)")
def instruments_are_replaced(lib, note):
    with lib.context(lib.recorder("A", note), lib.recorder("B", note)) as ctx:
        ctx.override_instruments([lib.recorder("C", note), lib.recorder("D", note)])
        note(f"{len(ctx.instruments)} instruments")
        lib.module_pass("p", note)(lib.module())
        ctx.override_instruments([])
        note(f"{len(ctx.instruments)} instruments")


@scenario("override_instruments(new)")
def instruments_that_cannot_be_replaced(lib, note):
    for callback in ("exit", "enter"):
        actions = {callback: raiser(RuntimeError("first"))}
        old = lib.recorder("A", note, **(actions if callback == "exit" else {}))
        new = lib.recorder("C", note, **(actions if callback == "enter" else {}))
        with lib.context(old) as ctx:
            note_error(note, lambda: ctx.override_instruments([lib.recorder("B", note), new]))
            note(f"{len(ctx.instruments)} instruments")


@scenario("override_instruments(new)")
def instruments_are_replaced_in_a_pass(lib, note):
    def body(mod, ctx):
        ctx.override_instruments([lib.recorder("B", note)])
        return mod

    with lib.context(lib.recorder("A", note)):
        passes = [lib.module_pass("p", note, body=body), lib.module_pass("q", note)]
        lib.sequential(passes, name="s")(lib.module())


@scenario("passes run without `with` and an instrument raises")
def an_error_without_a_scope(lib, note):
    ctx = lib.transform.PassContext.current()
    bad = lib.recorder("A", note, after=raiser(RuntimeError("first")))
    ctx.override_instruments([bad, lib.recorder("B", note)])
    note_error(note, lambda: lib.module_pass("p", note)(lib.module()))
    note(f"{len(ctx.instruments)} instruments")


# Passes


@scenario("module pass, from Python")
def arguments_of_a_module_pass(lib, note):
    def body(mod, ctx):
        note(f"{type(mod).__name__} {type(ctx).__name__}")
        mod = lib.IRModule({v: mod[v] for v in mod.get_global_vars()})
        mod.update_func(lib.GlobalVar("added"), lib.function())
        return mod

    made = lib.module_pass("p", body=body, opt_level=1, required=["q"])
    note(f"{made.info.name} {made.info.opt_level} {list(made.info.required)}")
    note(f"{isinstance(made, lib.transform.ModulePass)}")
    new = made(lib.module("main"))
    note(f"{type(new).__name__} {sorted(v.name_hint for v in new.get_global_vars())}")


@scenario("module pass, from Python")
def a_class_that_is_a_module_pass(lib, note):
    @lib.transform.module_pass(opt_level=2)
    class Add:
        def __init__(self, name):
            self.to_add = name

        def transform_module(self, mod, ctx):
            mod = lib.IRModule({v: mod[v] for v in mod.get_global_vars()})
            mod.update_func(lib.GlobalVar(self.to_add), lib.function())
            return mod

    made = Add("added")
    note(f"{made.info.name} {made.info.opt_level} {made.to_add}")
    note(f"{isinstance(made, lib.transform.ModulePass)} {isinstance(made, Add)}")
    note(str(sorted(v.name_hint for v in made(lib.module()).get_global_vars())))


@scenario("module pass, from Python")
def decorators_that_lack_a_level(lib, note):
    attempt(note, "module_pass", lambda: lib.transform.module_pass(name="p"))
    attempt(note, "function_pass", lambda: lib.relax.transform.function_pass(name="p"))
    attempt(note, "prim_func_pass", lambda: lib.tir.transform.prim_func_pass(name="p"))


@scenario("module pass, from Python")
def decorators_that_are_traceable(lib, note):
    made = lib.transform.module_pass(lambda m, c: m, opt_level=0, name="p", traceable=True)
    note(made.info.name)
    note(lib.transform.Sequential([made], 1, "s", ["r"], traceable=False).info.name)


@scenario("function pass, prim_func pass")
def arguments_of_a_function_pass(lib, note):
    def body(func, mod, ctx):
        note(f"{type(func).__name__} {type(mod).__name__} {type(ctx).__name__}")
        return lib.function("abs", "main")

    made = lib.relax.transform.function_pass(body, opt_level=1, name="p")
    note(f"{made.info.name} {isinstance(made, lib.relax.transform.FunctionPass)}")
    mod = lib.module()
    new = made(mod)
    note(f"{'abs' in str(new)} {'abs' in str(mod)}")


@scenario("function pass, prim_func pass")
def arguments_of_a_prim_func_pass(lib, note):
    def body(func, mod, ctx):
        note(f"{type(func).__name__} {type(mod).__name__} {type(ctx).__name__}")
        return func

    made = lib.tir.transform.prim_func_pass(body, opt_level=1, name="p")
    note(f"{made.info.name}")
    made(lib.prim_func())
    note("relax functions")
    made(lib.module())


@scenario(
    "function pass, prim_func pass",
    tvm=["add: accepted", "['added', 'main']"],
    partita=["add: ValueError", "names the pass and the function: True"],
)
def a_function_pass_that_adds_a_function(lib, note):
    def body(func, mod, ctx):
        mod.update_func(lib.GlobalVar("added"), lib.function())
        return func

    result = []
    made = lib.relax.transform.function_pass(body, opt_level=0, name="adds")
    error = attempt(note, "add", lambda: result.append(made(lib.module())))
    if error:
        note(f"names the pass and the function: {'adds' in str(error) and '@added' in str(error)}")
    else:
        note(str(sorted(v.name_hint for v in result[0].get_global_vars())))


@scenario("dataflow-block pass", needs="relax.transform.dataflowblock_pass")
def arguments_of_a_dataflow_block_pass(lib, note):
    def body(block, mod, ctx):
        note(f"{type(block).__name__} {type(mod).__name__} {type(ctx).__name__}")
        note(f"{len(block.bindings)} bindings")
        return block

    made = lib.relax.transform.dataflowblock_pass(body, opt_level=1, name="p")
    note(f"{made.info.name}")
    made(lib.module())


@scenario("the input module")
def a_pass_of_cpp_leaves_its_input(lib, note):
    mod = lib.module()
    before = str(mod)
    new = lib.relax.transform.ToNonDataflow()(mod)
    note(f"{str(mod) == before} {str(new) == before} {new.same_as(mod)}")


@scenario("the input module")
def a_pass_that_returns_its_argument(lib, note):
    mod = lib.module()
    same = lib.module_pass("p")
    note(str(same(mod).same_as(mod)))
    note(str(lib.sequential([same, same])(mod).same_as(mod)))


@scenario("the input module", tvm=["changed: True"], partita=["changed: False"])
def a_pass_that_changes_its_argument(lib, note):
    def body(mod, ctx):
        mod.update_func(lib.GlobalVar("added"), lib.function())
        return mod

    mod = lib.module()
    lib.module_pass("p", body=body)(mod)
    note(f"changed: {'added' in str(mod)}")


@scenario("the input module", tvm=["in place: False"], partita=["in place: True"])
def a_pass_that_runs_in_place(lib, note):
    note(f"in place: {hasattr(lib.transform.Pass, 'run_in_place')}")


JUNK = [None, 3, "text", []]


@scenario(
    "a pass that returns None or a wrong type",
    tvm=["None: InternalError", "3: TypeError", "'text': TypeError", "[]: TypeError"],
    partita=["None: TypeError", "3: TypeError", "'text': TypeError", "[]: TypeError"],
)
def a_module_pass_that_returns_junk(lib, note):
    for junk in JUNK:
        made = lib.module_pass("p", body=lambda mod, ctx: junk)
        attempt(note, repr(junk), made, lib.module())


@scenario(
    "a pass that returns None or a wrong type",
    tvm=["None: accepted", "the function is None"],
    partita=["None: TypeError", "names the pass: True"],
)
def a_function_pass_that_returns_none(lib, note):
    result = []
    made = lib.relax.transform.function_pass(lambda f, m, c: None, opt_level=0, name="bad")
    error = attempt(note, "None", lambda: result.append(made(lib.module())))
    if error:
        note(f"names the pass: {chr(39) + 'bad' + chr(39) in str(error)}")
    else:
        values = [value for _, value in result[0].functions.items()]
        note(f"the function is {values[0]}" if values else "the function is gone")


@scenario(
    "a pass that returns None or a wrong type",
    tvm=["killed by SIGSEGV"],
    partita=["None: TypeError", "names the pass: True"],
    needs="relax.transform.dataflowblock_pass",
)
def a_dataflow_block_pass_that_returns_none(lib, note):
    made = lib.relax.transform.dataflowblock_pass(lambda b, m, c: None, opt_level=0, name="bad")
    error = attempt(note, "None", made, lib.module())
    note(f"names the pass: {chr(39) + 'bad' + chr(39) in str(error)}")


@scenario(
    "adding a function whose name is taken",
    tvm=["update_func: InternalError", "by GlobalVar: InternalError"],
    partita=["update_func: ValueError", "by GlobalVar: ValueError", "names both: True"],
)
def a_function_whose_name_is_taken(lib, note):
    def add(mod, ctx):
        mod = lib.IRModule({v: mod[v] for v in mod.get_global_vars()})
        mod.update_func(lib.GlobalVar("added"), lib.function())
        return mod

    made = lib.module_pass("p", body=add)
    mod = made(lib.module())
    attempt(note, "update_func", made, mod)
    error = attempt(note, "by GlobalVar", mod.__setitem__, lib.GlobalVar("added"), lib.function())
    if lib.name == "partita":
        note(f"names both: {str(error).count('@added') == 2}")


@scenario("adding a function whose name is taken")
def a_function_that_is_replaced(lib, note):
    mod = lib.module("main")
    mod["main"] = lib.function("abs")
    note(f"by a str: {'abs' in str(mod)}")
    mod[mod.get_global_var("main")] = lib.function("sqrt")
    note(f"by its GlobalVar: {'sqrt' in str(mod)}")
    var = lib.GlobalVar("mine")
    mod.update_func(var, lib.function("abs"))
    mod.update_func(var, lib.function("tanh"))
    note(f"by the one that added it: {'tanh' in str(mod)}")
    mod.update(mod.clone())
    mod.update({var: lib.function("sqrt")})
    note(f"by a dict: {'sqrt' in str(mod)}")


@scenario("errors inside a pass")
def an_error_inside_a_pass(lib, note):
    bad = lib.module_pass("bad", body=raiser(RuntimeError("first")))
    note_error(note, lambda: lib.sequential([bad])(lib.module()))


@scenario(
    "the verifier",
    tvm=["run: accepted"],
    partita=["run: PassError", "names pass, function and place: True"],
)
def a_module_that_is_broken(lib, note):
    bad = lib.module_pass("bad", body=lambda mod, ctx: lib.break_module(mod))
    error = attempt(note, "run", lib.sequential([bad]), lib.module())
    if error:
        notes = error.__notes__
        named = "in pass 'bad'" in notes and "in function @main" in notes
        note(f"names pass, function and place: {named and notes[0].startswith('at loc(')}")


# Timing


@scenario("timing report")
def lines_of_the_report(lib, note):
    import re

    line = re.compile(r"^(\t*)(\S+): \d+us \[\d+us\] \(\d+\.\d\d%; \d+\.\d\d%\)$")
    timing = lib.instrument.PassTimingInstrument()
    inner = lib.sequential([lib.module_pass("b")], name="inner")
    with lib.context(timing, disabled_pass=["c"]):
        note(f"before: {timing.render()!r}")
        passes = [lib.module_pass("a"), inner, lib.module_pass("c")]
        lib.sequential(passes, name="outer")(lib.module())
        lib.module_pass("last")(lib.module())
        for text in timing.render().splitlines():
            found = line.match(text)
            note(f"{len(found[1])} {found[2]}" if found else text)
    note(f"after: {timing.render()!r}")


@scenario("timing report", tvm=["render: InternalError"], partita=["render: accepted"])
def a_report_in_the_middle_of_a_pass(lib, note):
    timing = lib.instrument.PassTimingInstrument()

    def body(mod, ctx):
        attempt(note, "render", timing.render)
        return mod

    with lib.context(timing):
        lib.module_pass("p", body=body)(lib.module())
