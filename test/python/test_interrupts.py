# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals end runs soon, and leave nothing half done."""

import os
import random
import signal
import threading
import time

import pytest
from pass_support import make_module, make_pass
from test_fork import make_functions

from partita import relax
from partita.instrument import PassInstrument
from partita.mlir import ir as mlir_ir
from partita.transform import PassContext, Sequential

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")


class Alarm(Exception):
    """The error that a test's handler raises."""


@pytest.fixture
def alarm():
    """A function that makes SIGALRM call `action` after that many seconds."""
    action = None

    def handle(*args):
        action()

    before = signal.signal(signal.SIGALRM, handle)
    # Processes in the background of a shell ignore it.
    before_int = signal.signal(signal.SIGINT, signal.default_int_handler)

    def start(seconds, function):
        nonlocal action
        action = function
        signal.setitimer(signal.ITIMER_REAL, seconds)

    yield start
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    signal.signal(signal.SIGINT, before_int)


def make_long(context=None):
    """A module and passes that take some seconds on it, in C++ alone."""
    mod = make_functions(2000, context)
    passes = [getattr(relax.transform, name)() for name in PASSES]
    return mod, Sequential(passes * 400)


PASSES = ["EliminateCommonSubexpr", "CanonicalizeBindings", "DeadCodeElimination"]


def raise_alarm():
    raise Alarm


@pytest.mark.parametrize("threads", [False, True])
def test_ends_a_run_in_cpp(alarm, threads):
    context = mlir_ir.Context()
    context.enable_multithreading(threads)
    mod, passes = make_long(context)
    text = str(mod)
    begin = []

    def interrupt():
        begin.append(time.monotonic())
        raise Alarm

    alarm(0.3, interrupt)
    with pytest.raises(Alarm):
        passes(mod)
    assert time.monotonic() - begin[0] < 1
    assert str(mod) == text
    # The pipeline that was ended works as before.
    short = Sequential([getattr(relax.transform, name)() for name in PASSES])
    assert "relax.exp" not in str(short(mod))


def test_ctrl_c(alarm):
    mod, passes = make_long()
    alarm(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        with PassContext(opt_level=1):
            passes(mod)
    assert PassContext.current().opt_level == 2


def test_a_handler_that_does_not_raise(alarm):
    mod, passes = make_functions(200), make_long()[1]
    calls = []

    def again():
        calls.append(str(make_pass("inner", body=lambda m, c: m)(make_module())))
        alarm(0.02, again)

    alarm(0.02, again)
    result = passes(mod)
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert calls
    assert "relax.exp" not in str(result)


def test_in_place(alarm):
    mod, passes = make_long()
    text = str(mod)
    alarm(0.3, raise_alarm)
    with pytest.raises(Alarm):
        passes.run_in_place(mod)
    assert str(mod) == text


def test_a_run_inside_a_pass(alarm):
    mod, passes = make_long()
    alarm(0.3, raise_alarm)
    outer = make_pass("outer", body=lambda inner, ctx: passes(inner))
    with pytest.raises(Alarm):
        outer(mod)
    assert PassContext.current().opt_level == 2


def test_observed_runs(alarm):
    class Ends(PassInstrument):
        log = []

        def run_before_pass(self, mod, info):
            pass

        def end_run(self, mod, plan, failed):
            self.log.append(failed)

    mod, passes = make_long()
    alarm(0.3, raise_alarm)
    with pytest.raises(Alarm):
        with PassContext(instruments=[Ends()]):
            passes(mod)
    assert Ends.log == [True]


def storm(rng):
    """A thing to be interrupted."""
    mod = make_module()
    passes = Sequential([make_pass("p"), relax.transform.DeadCodeElimination()])

    class Instrument(PassInstrument):
        def enter_pass_ctx(self):
            pass

        def exit_pass_ctx(self):
            pass

        def run_before_pass(self, mod, info):
            str(info)

    while True:
        instruments = [Instrument() for _ in range(rng.randrange(3))]
        with PassContext(opt_level=1, instruments=instruments):
            with PassContext(opt_level=3):
                if rng.random() < 0.5:
                    passes(mod)


def test_storms_leave_no_context_entered():
    rng = random.Random(1)
    main = threading.main_thread().ident
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for _ in range(100):
            delay = rng.random() * 0.01
            thread = threading.Thread(
                target=lambda: (time.sleep(delay), signal.pthread_kill(main, signal.SIGINT))
            )
            with pytest.raises(KeyboardInterrupt):
                thread.start()
                storm(rng)
            thread.join()
            assert PassContext.current().opt_level == 2
            with pytest.raises(RuntimeError, match="this thread is in none"):
                PassContext.current().__exit__(None, None, None)
    finally:
        signal.signal(signal.SIGINT, before)


def test_contexts_are_left_by_native_code():
    # Between the two halves of a method in Python there would be a place for a signal.
    for name in ("__enter__", "__exit__"):
        assert not hasattr(getattr(PassContext, name), "__code__")
