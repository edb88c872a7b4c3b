# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The timing report."""

import re
import time

import pytest
from pass_support import make_module, make_pass, run_threads

from partita import transform
from partita.instrument import PassTimingInstrument
from partita.transform import PassContext, Sequential

LINE = re.compile(r"^(\t*)(\S+): (\d+)us \[(\d+)us\] \((\d+\.\d\d)%; (\d+\.\d\d)%\)$")


def parse(report):
    lines = [LINE.match(line) for line in report.splitlines()]
    assert all(lines), report
    return [(len(m[1]), m[2], int(m[3]), int(m[4]), float(m[5]), float(m[6])) for m in lines]


def sleeper(name, seconds):
    return make_pass(name, body=lambda mod, ctx: time.sleep(seconds) or mod)


def test_report():
    timing = PassTimingInstrument()
    inner = Sequential([sleeper("b", 0.02)], name="inner")
    with PassContext(instruments=[timing]):
        Sequential([sleeper("a", 0.01), inner], name="outer")(make_module())
        report = timing.render()
    lines = parse(report)
    assert [line[:2] for line in lines] == [(0, "outer"), (1, "a"), (1, "inner"), (2, "b")]
    outer, a, inner, b = [line[2] for line in lines]
    assert a >= 10000 and b >= 20000
    assert outer >= a + inner and inner >= b
    assert lines[0][3] == pytest.approx(outer - a - inner, abs=2)
    assert lines[0][4:] == (100, 100)
    assert lines[1][4] == pytest.approx(100 * a / outer, abs=0.1)
    assert lines[3][5] == pytest.approx(100 * b / inner, abs=0.1)


def test_runs_follow_each_other():
    timing = PassTimingInstrument()
    with PassContext(instruments=[timing]):
        sleeper("a", 0.001)(make_module())
        transform.get_pass("canonicalize")(make_module())
        assert [line[:2] for line in parse(timing.render())] == [(0, "a"), (0, "canonicalize")]


def test_a_run_inside_a_pass_is_nested():
    timing = PassTimingInstrument()
    inner = sleeper("inner", 0.001)
    with PassContext(instruments=[timing]):
        make_pass("outer", body=lambda mod, ctx: inner(mod))(make_module())
        assert [line[:2] for line in parse(timing.render())] == [(0, "outer"), (1, "inner")]


def test_empty_outside_of_the_scope():
    timing = PassTimingInstrument()
    assert timing.render() == ""
    with PassContext(instruments=[timing]):
        assert timing.render() == ""
        make_pass("p")(make_module())
        assert timing.render() != ""
    assert timing.render() == ""


def test_render_in_the_middle_of_a_pass():
    timing = PassTimingInstrument()
    reports = []
    p = make_pass("p", body=lambda mod, ctx: reports.append(timing.render()) or mod)
    with PassContext(instruments=[timing]):
        Sequential([make_pass("first"), p])(make_module())
    assert reports == [""]


def test_passes_that_do_not_run_have_no_line():
    timing = PassTimingInstrument()
    with PassContext(instruments=[timing], disabled_pass=["q"]):
        Sequential([make_pass("p"), make_pass("q")], name="s")(make_module())
        assert [line[1] for line in parse(timing.render())] == ["s", "p"]


def test_one_instrument_on_two_threads():
    timing = PassTimingInstrument()
    with PassContext(instruments=[timing]) as ctx:

        def work(index):
            with PassContext(instruments=list(ctx.instruments)):
                for _ in range(20):
                    make_pass("p")(make_module())
                    timing.render()

        run_threads(2, work)


def test_an_inner_context_has_its_own_records():
    outer, inner = PassTimingInstrument(), PassTimingInstrument()
    renders = []

    def run_inside(instruments):
        def body(mod, ctx):
            with PassContext(instruments=instruments):
                result = Sequential([make_pass("p")])(mod)
                renders.append(re.sub(": .*", "", inner.render()))
            return result

        return body

    with PassContext(instruments=[outer]):
        Sequential(
            [
                make_pass("one", body=run_inside([inner])),
                make_pass("both", body=run_inside([inner, outer])),
            ]
        )(make_module())
        # Once in the pass that ran it, and not by itself as well.
        assert re.sub(": .*", "", outer.render()) == (
            "sequential\n\tone\n\t\tsequential\n\t\t\tp\n\tboth\n\t\tsequential\n\t\t\tp\n"
        )
    assert renders == ["sequential\n\tp\n"] * 2
