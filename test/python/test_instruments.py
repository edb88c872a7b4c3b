# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of "Instruments"."""

import traceback

import pytest
from pass_support import Recorder, make_module, make_pass, raiser, rename

from partita import instrument, transform
from partita.instrument import PassInstrument, pass_instrument
from partita.transform import PassContext, Sequential


class UserBaseError(BaseException):
    """An error that `except Exception` does not catch."""


ERRORS = [ValueError, KeyboardInterrupt, SystemExit, UserBaseError, StopIteration, GeneratorExit]


def run_with(*recorders, body=None):
    with PassContext(instruments=list(recorders)) as ctx:
        make_pass("p", recorders[0].log, body=body)(make_module())
    return ctx


def test_order():
    log = []
    run_with(Recorder("A", log), Recorder("B", log))
    assert log == (
        ["A.enter", "B.enter", "A.should p", "B.should p", "A.before p", "B.before p", "p"]
        + ["A.after p", "B.after p", "A.exit", "B.exit"]
    )


@pytest.mark.parametrize("answers", [(False, True), (True, False), (False, False)])
def test_all_should_run_are_asked(answers):
    log = []
    recorders = [
        Recorder(label, log, should=lambda mod, info, answer=answer: answer)
        for label, answer in zip("AB", answers)
    ]
    run_with(*recorders)
    assert log == ["A.enter", "B.enter", "A.should p", "B.should p", "A.exit", "B.exit"]


def test_a_pass_in_required_pass_is_not_asked_for():
    log = []
    recorder = Recorder("A", log, should=lambda mod, info: False)
    with PassContext(required_pass=["p"], instruments=[recorder]):
        make_pass("p", log)(make_module())
    assert log == ["A.enter", "A.before p", "p", "A.after p", "A.exit"]


def test_a_sequential_is_a_pass():
    log = []
    with PassContext(instruments=[Recorder("A", log)]):
        Sequential([make_pass("p", log), make_pass("q", log)], name="s")(make_module())
    assert log == (
        ["A.enter", "A.should s", "A.before s"]
        + ["A.should p", "A.before p", "p", "A.after p"]
        + ["A.should q", "A.before q", "q", "A.after q"]
        + ["A.after s", "A.exit"]
    )


def test_a_sequential_that_should_not_run():
    log = []
    recorder = Recorder("A", log, should=lambda mod, info: info.name != "s")
    with PassContext(instruments=[recorder]):
        Sequential([make_pass("p", log)], name="s")(make_module())
    assert log == ["A.enter", "A.should s", "A.exit"]


def test_a_pass_that_is_not_enabled_gets_no_callback():
    log = []
    with PassContext(instruments=[Recorder("A", log)]):
        Sequential([make_pass("p", log, opt_level=3)], name="s")(make_module())
    assert log == ["A.enter", "A.should s", "A.before s", "A.after s", "A.exit"]


def test_callbacks_fire_once_for_a_function_level_pass():
    log = []
    with PassContext(instruments=[Recorder("A", log)]):
        transform.get_pass("canonicalize")(make_module())
    assert log == ["A.enter"] + [f"A.{c} canonicalize" for c in ["should", "before", "after"]] + [
        "A.exit"
    ]


def expected_log(callback, index):
    """The callbacks of three instruments when one callback of one of them fails."""
    log = []
    for name in ["enter", "should p", "before p", "p", "after p"]:
        if name == "p":
            log.append("p")
            continue
        for i, label in enumerate("ABC"):
            log.append(f"{label}.{name}")
            if callback == name.split()[0] and i == index:
                if callback == "enter":
                    return log + [f"{other}.exit" for other in reversed("ABC"[:index])]
                return log + ["A.exit", "B.exit", "C.exit"]
    return log + [f"{label}.exit" for label in "ABC"[: index + 1]]


@pytest.mark.parametrize("error_type", ERRORS)
@pytest.mark.parametrize("index", range(3))
@pytest.mark.parametrize("callback", ["enter", "exit", "should", "before", "after"])
def test_a_callback_that_raises(callback, index, error_type):
    log = []
    error = error_type("from a callback")
    recorders = [Recorder(label, log) for label in "ABC"]
    recorders[index].actions[callback] = raiser(error)
    ctx = PassContext(instruments=recorders)
    before = PassContext.current().opt_level
    with pytest.raises(error_type) as info:
        with ctx:
            make_pass("p", log)(make_module())
    assert info.value is error
    assert error.__cause__ is None
    functions = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert functions[-1] == "action" and functions[0].startswith("test_")
    assert log == expected_log(callback, index)
    assert ctx.instruments == ([] if callback in ("enter", "exit") else recorders)
    assert PassContext.current() is not ctx
    assert PassContext.current().opt_level == before


@pytest.mark.parametrize("error_type", ERRORS)
def test_a_pass_that_raises(error_type):
    log = []
    error = error_type("from a pass")
    recorders = [Recorder(label, log) for label in "AB"]
    ctx = PassContext(instruments=recorders)
    with pytest.raises(error_type) as info:
        with ctx:
            make_pass("p", log, body=raiser(error))(make_module())
    assert info.value is error
    assert traceback.extract_tb(error.__traceback__)[-1].name == "action"
    assert log == (
        ["A.enter", "B.enter", "A.should p", "B.should p", "A.before p", "B.before p", "p"]
        + ["A.exit", "B.exit"]
    )
    assert ctx.instruments == recorders


@pytest.mark.parametrize("second_type", ERRORS)
@pytest.mark.parametrize("first_type", ERRORS)
def test_an_exit_that_raises_while_unwinding_from_an_enter(first_type, second_type):
    log = []
    first, second = first_type("enter"), second_type("exit")
    recorders = [
        Recorder("A", log),
        Recorder("B", log, exit=raiser(second)),
        Recorder("C", log, enter=raiser(first)),
    ]
    ctx = PassContext(instruments=recorders)
    with pytest.raises(second_type) as info:
        with ctx:
            log.append("never")
    assert info.value is second
    assert second.__cause__ is first
    assert log == ["A.enter", "B.enter", "C.enter", "B.exit", "A.exit"]
    assert ctx.instruments == []


def test_two_exits_that_raise_while_unwinding():
    errors = [ValueError(i) for i in range(3)]
    recorders = [
        Recorder("A", [], exit=raiser(errors[2])),
        Recorder("B", [], exit=raiser(errors[1])),
        Recorder("C", [], enter=raiser(errors[0])),
    ]
    with pytest.raises(ValueError) as info:
        PassContext(instruments=recorders).__enter__()
    assert info.value is errors[2]
    assert errors[2].__cause__ is errors[1]
    assert errors[1].__cause__ is errors[0]


def test_the_same_error_raised_while_unwinding_is_not_its_own_cause():
    error = ValueError("again")
    recorders = [Recorder("A", [], exit=raiser(error)), Recorder("B", [], enter=raiser(error))]
    with pytest.raises(ValueError) as info:
        PassContext(instruments=recorders).__enter__()
    assert info.value is error
    assert error.__cause__ is None


def test_an_exit_that_has_a_cause_keeps_it():
    first, cause, second = ValueError(1), KeyError(2), OSError(3)

    def leave():
        raise second from cause

    recorders = [Recorder("A", [], exit=leave), Recorder("B", [], enter=raiser(first))]
    with pytest.raises(OSError):
        PassContext(instruments=recorders).__enter__()
    assert second.__cause__ is cause
    assert cause.__cause__ is first


def test_an_exit_that_raises_after_an_error_of_the_body():
    error, last = ValueError("body"), KeyError("exit")
    with pytest.raises(KeyError) as info:
        with PassContext(instruments=[Recorder("A", [], exit=raiser(last))]):
            raise error
    assert info.value is last
    assert last.__context__ is error


def test_passes_run_in_an_exit_while_unwinding():
    log = []
    error = ValueError("enter")
    p = make_pass("p", log)
    recorders = [
        Recorder("A", log, exit=lambda: p(make_module())),
        Recorder("B", log, enter=raiser(error)),
    ]
    with pytest.raises(ValueError) as info:
        PassContext(instruments=recorders).__enter__()
    assert info.value is error
    assert log == ["A.enter", "B.enter", "A.exit", "p"]


@pytest.mark.parametrize("answer", [None, 1, "yes", [], object()])
def test_should_run_returns_no_bool(answer):
    recorder = Recorder("Nosy", [], should=lambda mod, info: answer)
    with pytest.raises(TypeError, match="should_run of instrument 'Nosy' .* for pass 'p'"):
        run_with(recorder)


def test_no_exit_runs_without_a_scope():
    log = []
    PassContext.current().override_instruments([Recorder("A", log, after=raiser(KeyError(1)))])
    try:
        with pytest.raises(KeyError):
            make_pass("p", log)(make_module())
        assert log == ["A.enter", "A.should p", "A.before p", "p", "A.after p"]
    finally:
        PassContext.current().override_instruments([])


# override_instruments


def test_override():
    log = []
    new = [Recorder("C", log), Recorder("D", log)]
    with PassContext(instruments=[Recorder("A", log), Recorder("B", log)]) as ctx:
        ctx.override_instruments(new)
        assert log == ["A.enter", "B.enter", "A.exit", "B.exit", "C.enter", "D.enter"]
        assert ctx.instruments == new
    assert log[-2:] == ["C.exit", "D.exit"]


def test_override_by_nothing():
    log = []
    with PassContext(instruments=[Recorder("A", log)]) as ctx:
        ctx.override_instruments(None)
        assert ctx.instruments == []
    assert log == ["A.enter", "A.exit"]


@pytest.mark.parametrize("error_type", ERRORS)
@pytest.mark.parametrize("callback", ["exit", "enter"])
def test_override_that_fails(callback, error_type):
    log = []
    error = error_type("override")
    old, new = Recorder("A", log), Recorder("B", log)
    (old if callback == "exit" else new).actions[callback] = raiser(error)
    ctx = PassContext(instruments=[old])
    with ctx:
        with pytest.raises(error_type) as info:
            ctx.override_instruments([Recorder("C", log), new])
        assert info.value is error
        assert ctx.instruments == []
    assert log == ["A.enter", "A.exit"] + (
        [] if callback == "exit" else ["C.enter", "B.enter", "C.exit"]
    )


def test_instruments_are_present_while_they_exit_after_an_error():
    present = []
    other = Recorder("A", [], exit=lambda: present.extend(PassContext.current().instruments))
    failing = Recorder("B", [], enter=raiser(ValueError("enter")))
    with PassContext() as ctx:
        with pytest.raises(ValueError):
            ctx.override_instruments([other, failing])
        assert ctx.instruments == []
    assert present == [other, failing]


def test_override_inside_a_pass():
    log = []
    new = Recorder("B", log)

    def body(mod, ctx):
        ctx.override_instruments([new])
        return mod

    ctx = run_with(Recorder("A", log), body=body)
    assert log == (
        ["A.enter", "A.should p", "A.before p", "p", "A.exit", "B.enter", "B.after p", "B.exit"]
    )
    assert ctx.instruments == [new]


def test_override_inside_a_pass_without_instruments():
    log = []

    def body(mod, ctx):
        ctx.override_instruments([Recorder("B", log)])
        return mod

    with PassContext():
        Sequential([make_pass("p", log, body=body), make_pass("q", log)], name="s")(make_module())
    assert log == (
        ["p", "B.enter", "B.after p", "B.should q", "B.before q", "q", "B.after q"]
        + ["B.after s", "B.exit"]
    )


@pytest.mark.parametrize("callback", ["should", "before", "after"])
def test_override_inside_a_callback(callback):
    log = []
    contexts = []

    def override(mod, info):
        contexts[0].override_instruments([Recorder("B", log)])
        return True

    ctx = PassContext(instruments=[Recorder("A", log, **{callback: override})])
    contexts.append(ctx)
    with ctx:
        make_pass("p", log)(make_module())
    start = {"should": 1, "before": 2, "after": 4}[callback]
    every = ["A.should p", "A.before p", "p", "A.after p"]
    assert log[: start + 1] == ["A.enter"] + every[:start]
    rest = [entry.replace("A.", "B.") for entry in every[start:]]
    assert log[start + 1 :] == ["A.exit", "B.enter"] + rest + ["B.exit"]


# Modules in callbacks


def test_a_module_kept_from_a_callback_stays_as_it_was():
    kept = {}
    recorder = Recorder(
        "A",
        [],
        before=lambda mod, info: kept.__setitem__("before", mod),
        after=lambda mod, info: kept.__setitem__("after", mod),
    )
    functions = {}
    second = Recorder("B", [], before=lambda mod, info: functions.update(mod.functions))
    mod = make_module()
    with PassContext(instruments=[recorder, second]):
        new = transform.get_pass("symbol-dce")(mod)
    assert "unused" in kept["before"] and "unused" not in kept["after"]
    assert str(kept["before"]) == str(mod) and str(kept["after"]) == str(new)
    assert len(functions) == 2 and all("relax.return" in str(f) for f in functions.values())


def test_callbacks_see_the_module_that_the_pass_sees():
    scripts = []
    recorder = Recorder(
        "A",
        [],
        before=lambda mod, info: scripts.append(mod.script()),
        after=lambda mod, info: scripts.append(mod.script()),
    )
    mod = make_module()
    with PassContext(instruments=[recorder]):
        new = transform.get_pass("symbol-dce")(mod)
    assert scripts == [mod.script(), new.script()]


# Classes of instruments


def test_the_decorator_and_the_base():
    @pass_instrument
    class Plain:
        def __init__(self, value):
            self.value = value

    class Derived(PassInstrument):
        def run_before_pass(self, mod, info):
            self.seen = info.name

    assert pass_instrument(Derived) is Derived
    assert isinstance(Plain(3), PassInstrument) and Plain(3).value == 3
    assert Plain.__name__ == "Plain"
    derived = Derived()
    with PassContext(instruments=[Plain(1), derived]):
        make_pass("p")(make_module())
    assert derived.seen == "p"
    with pytest.raises(TypeError, match="expected a class"):
        pass_instrument(3)


def test_callbacks_that_are_not_callable():
    class Broken(PassInstrument):
        run_before_pass = 3

    with pytest.raises(TypeError, match="run_before_pass of instrument 'Broken' to be a method"):
        PassContext(instruments=[Broken()])


def test_a_callback_of_none_is_not_defined():
    class Quiet(PassInstrument):
        run_before_pass = None

    with PassContext(instruments=[Quiet()]):
        make_pass("p")(make_module())


def test_a_name_that_raises():
    class Nameless(PassInstrument):
        @property
        def name(self):
            raise KeyError("name")

    with pytest.raises(KeyError, match="name"):
        PassContext(instruments=[Nameless()])


def test_the_same_instrument_twice():
    log = []
    recorder = Recorder("A", log)
    timing = instrument.PassTimingInstrument()
    with PassContext(instruments=[recorder, recorder, timing, timing]) as ctx:
        assert ctx.instruments == [recorder, recorder, timing, timing]
    assert log == ["A.enter", "A.enter", "A.exit", "A.exit"]


def test_a_list_that_changes_does_not_change_the_context():
    log = []
    instruments = [Recorder("A", log)]
    with PassContext(instruments=instruments) as ctx:
        instruments.append(Recorder("B", log))
        ctx.instruments.append(Recorder("C", log))
    assert log == ["A.enter", "A.exit"]


def test_instruments_written_in_cpp(capfd):
    with PassContext(instruments=[instrument.PrintIRBefore(), instrument.PrintIRAfter(["p"])]):
        Sequential([make_pass("p"), make_pass("q")], name="s")(make_module())
    err = capfd.readouterr().err
    assert err.count("partita.module @m") == 4
    with pytest.raises(TypeError):
        instrument.PrintIRBefore("p")


def test_print_before_all_and_after_all(capsys):
    @pass_instrument
    class Mine(instrument.PrintBeforeAll):
        pass

    with PassContext(instruments=[instrument.PrintBeforeAll(), instrument.PrintAfterAll(), Mine()]):
        make_pass("p")(make_module())
    out = capsys.readouterr().out
    assert out.count("Before Running Pass: p\npartita.module @m") == 2
    assert out.count("After Running Pass: p\npartita.module @m") == 1


def test_pass_printing_instrument(capsys):
    printing = instrument.PassPrintingInstrument(["p"], ["q", "s"])
    with PassContext(instruments=[printing]):
        Sequential([make_pass("p"), make_pass("q"), make_pass("r")], name="s")(make_module())
    printed = capsys.readouterr().out.split("Print IR ")[1:]
    assert [text.splitlines()[0] for text in printed] == ["before: p", "after: q", "after: s"]
    assert all(text.splitlines()[1] == "partita.module @m {" for text in printed)
    with PassContext(instruments=[instrument.PassPrintingInstrument(print_after_pass_names=["p"])]):
        make_pass("p")(make_module())
    assert capsys.readouterr().out.startswith("Print IR after: p\n")
    with pytest.raises(TypeError, match="print_before_pass_names to be a list of names"):
        instrument.PassPrintingInstrument("p", [])


def test_print_ir_pass(capfd):
    transform.PrintIR("the header")(make_module())
    lines = capfd.readouterr().err.splitlines()
    assert lines[:2] == ["PrintIR(the header):", "partita.module @m {"]


class RunRecorder(instrument.PassInstrument):
    """Writes the runs into log; callbacks in `actions` also call the action."""

    def __init__(self, log, **actions):
        self.log = log
        self.actions = actions

    def begin_run(self, mod, plan):
        self.log.append(("begin", str(mod), [(entry.info.name, entry.runs) for entry in plan]))
        self.actions.get("begin", lambda *args: None)(mod, plan)

    def end_run(self, mod, plan, failed):
        assert isinstance(plan, transform.Plan) and str(plan).startswith("plan at opt_level 2:")
        self.log.append(("end", str(mod), failed))
        self.actions.get("end", lambda *args: None)(mod, plan, failed)


def test_runs():
    log = []
    text = str(make_module())
    passes = [make_pass("a", body=rename), make_pass("b", opt_level=3)]
    with PassContext(instruments=[RunRecorder(log)]):
        mod = Sequential(passes, name="Sequential")(make_module())
    entries = [("Sequential", True), ("a", True), ("b", False)]
    assert log == [("begin", text, entries), ("end", str(mod), False)]
    assert str(mod) != text


def test_runs_inside_runs_and_failed_ones():
    log = []

    def run_inner(mod, ctx):
        with pytest.raises(KeyError):
            Sequential([make_pass("x", body=raiser(KeyError()))], name="Sequential2")(mod)
        return mod

    outer = Sequential([make_pass("a", body=run_inner)], name="Sequential1")
    with PassContext(instruments=[RunRecorder(log)]):
        outer(make_module())
    assert [(what, names[0][0] if what == "begin" else names) for what, _, names in log] == [
        ("begin", "Sequential1"),
        ("begin", "Sequential2"),
        ("end", True),
        ("end", False),
    ]


@pytest.mark.parametrize("callback", ["begin", "end"])
@pytest.mark.parametrize("error_type", [KeyError, KeyboardInterrupt])
def test_a_callback_of_a_run_that_raises(callback, error_type):
    log, ran, error = [], [], error_type("no")
    others = []
    recorder = RunRecorder(log, **{callback: raiser(error)})
    with pytest.raises(error_type) as raised:
        with PassContext(instruments=[RunRecorder(others), recorder]):
            Sequential([make_pass("a", ran)])(make_module())
    assert raised.value is error
    assert ran == ([] if callback == "begin" else ["a"])
    assert [entry[0] for entry in log] == (["begin"] if callback == "begin" else ["begin", "end"])
    assert [entry[0] for entry in others] == ["begin", "end"]
    assert others[-1][2] == (callback == "begin")


def test_a_module_kept_from_the_beginning_of_a_run_stays_as_it_was():
    kept = []
    recorder = RunRecorder([], begin=lambda mod, plan: kept.append(mod))
    with PassContext(instruments=[recorder]):
        mod = Sequential([transform.get_pass("cse"), make_pass("a", body=rename)])(make_module())
    assert str(kept[0]) == str(make_module()) != str(mod)


def test_the_plan_of_a_run_that_is_resumed(tmp_path):
    passes = [make_pass("a"), make_pass("b", body=raiser(KeyError()))]
    log = []
    with PassContext(instruments=[instrument.Checkpoint(tmp_path), RunRecorder(log)]):
        for _ in range(2):
            with pytest.raises(KeyError):
                Sequential(passes)(make_module(), resume_from=tmp_path)
    assert [entry[2] for entry in log if entry[0] == "begin"] == [
        [("sequential", True), ("a", True), ("b", True)],
        [("sequential", True), ("a", False), ("b", True)],
    ]


def test_names_belong_to_the_user():
    @pass_instrument
    class Named:
        def __init__(self, log):
            self.name, self.records, self.log = "mine", [], log
            self.render = self.to_json = self.info = self.passes = 3
            self.begin_run = self.end_run = "mine"

        def run_before_pass(self, mod, info):
            self.log.append((self.name, info.name))
            raise ValueError("stop")

    log = []
    with pytest.raises(ValueError, match="stop"):
        with PassContext(instruments=[Named(log)]):
            make_pass("p")(make_module())
    assert log == [("mine", "p")]

    class Derived(PassInstrument):
        name = 7

        def should_run(self, mod, info):
            return None

    with pytest.raises(TypeError, match="should_run of instrument 'Derived' to return a bool"):
        with PassContext(instruments=[Derived()]):
            make_pass("p")(make_module())


def test_names_of_those_in_cpp_belong_to_the_user():
    class Timing(instrument.PassTimingInstrument):
        def __init__(self):
            super().__init__()
            self.name, self.records, self.render = "mine", ["mine"], "mine"

    timing = Timing()
    with PassContext(instruments=[timing]):
        make_pass("p")(make_module())
    assert (timing.name, timing.records, timing.render) == ("mine", ["mine"], "mine")
    assert "<table>" in timing._repr_html_()


def test_names_in_a_class_of_passes():
    @transform.module_pass(opt_level=0)
    class Named:
        def __init__(self):
            self.name = self.info = self.required = self.passes = self.version = "mine"

        def transform_module(self, mod, ctx):
            assert self.name == self.info == self.required == self.passes == self.version
            return mod

    named = Named()
    assert named(make_module()) is not None
    assert named.name == "mine" and named.info.name == "Named"


def test_an_instrument_has_the_name_of_its_class():
    @pass_instrument
    class Mine:
        pass

    class Named(PassInstrument):
        def __init__(self):
            self.name = "other"

    class Derived(Mine):
        name = "given"

    assert (Mine().name, Named().name, Derived().name) == ("Mine", "other", "given")
    assert type("Further", (Mine,), {})().name == "Further"


class Changer(PassInstrument):
    """Changes functions after each pass, which instruments should not do."""

    def __init__(self):
        super().__init__()
        self.num_calls = 0

    def run_after_pass(self, mod, info):
        self.num_calls += 1
        body = mod.operation.regions[0].blocks[0]
        copies = [op.operation.clone() for op in body.operations]
        for op in list(body.operations):
            op.operation.erase()
        for copy in copies:
            body.append(copy)


def test_analyses_of_functions_that_an_instrument_replaces_are_dropped():
    # cse preserves the dominance that it has asked for.
    passes = [transform.get_pass("cse") for _ in range(20)]
    changer = Changer()
    mod = make_module()
    with PassContext(instruments=[changer]):
        result = Sequential(passes)(mod)
    assert changer.num_calls == 21
    assert result.script() == mod.script()
