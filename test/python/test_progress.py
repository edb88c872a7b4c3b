# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The progress bar: by tqdm, by rich, and without them."""

import importlib.util
import io
import os
import pathlib
import struct
import subprocess
import sys
import types

import pytest
from pass_support import make_module, make_pass, raiser, run_threads

from partita import instrument
from partita.transform import PassContext, Sequential

fcntl = pytest.importorskip("fcntl")
pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")

SCRIPT = """
import sys
from pass_support import make_module, make_pass
from partita import instrument
from partita.transform import PassContext, Sequential

for module in "tqdm", "rich.progress":
    if module != sys.argv[1]:
        sys.modules[module] = None
progress = instrument.Progress(interval=0)
inner = Sequential([make_pass("b"), make_pass("[/c][bold]")], name="inner")

def run_inner(mod, ctx):
    return Sequential([make_pass("nested")])(mod)

with PassContext(instruments=[progress]):
    for _ in range(2):
        Sequential([make_pass("a"), inner, make_pass("d", body=run_inner)])(make_module())
sys.stderr.write("\\nend\\n")
"""

#: The part of tqdm that the adapter uses, which prints a line for each call.
STAND_IN = """
import sys

class tqdm:
    def __init__(self, *, total, unit, mininterval, leave, file):
        assert (unit, mininterval, leave, file) == ("pass", 0, False, sys.stderr)
        self.total, self.n = total, 0

    def set_description_str(self, text, refresh):
        assert refresh is False
        self.text = text

    def update(self, n):
        self.n += n
        print(self.n, self.total, self.text, file=sys.stderr)

    def close(self):
        print("closed", file=sys.stderr)
"""


def run_in_terminal(arguments, path=()):
    """The text that a process writes to its stderr, which is a terminal."""
    here = pathlib.Path(__file__).parent
    environment = {**os.environ, "TERM": "xterm"}
    environment["PYTHONPATH"] = os.pathsep.join(
        [*map(str, path), str(here), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    child = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *arguments],
        stderr=slave,
        stdout=subprocess.DEVNULL,
        env=environment,
    )
    os.close(slave)
    output = b""
    while True:
        try:
            data = os.read(master, 1 << 16)
        except OSError:
            # Linux's end of a terminal.
            break
        if not data:
            break
        output += data
    os.close(master)
    assert child.wait() == 0, output.decode()
    return output.decode().replace("\r\n", "\n")


def test_stand_in(tmp_path):
    (tmp_path / "tqdm.py").write_text(STAND_IN)
    one_run = "0 4 a\n1 4 b\n2 4 [/c][bold]\n3 4 d\nclosed\n"
    assert run_in_terminal(["tqdm"], [tmp_path]) == 2 * one_run + "\nend\n"


@pytest.mark.parametrize("module", ["tqdm", "rich.progress"])
def test_installed(module):
    if importlib.util.find_spec(module.split(".")[0]) is None:
        pytest.skip(f"{module} is not installed")
    text = run_in_terminal([module])
    assert "nested" not in text
    assert "d" in text and "3/4" in text
    assert text.endswith("\nend\n")


def test_without_them():
    text = run_in_terminal(["none"])
    shown = [part.split() for part in text.split("\r") if part.strip() not in ("", "end")]
    one_run = [("1/4", "a"), ("2/4", "b"), ("3/4", "[/c][bold]"), ("4/4", "d")]
    assert [(line[0], line[-1]) for line in shown] == 2 * one_run


class FakeTerminal(io.StringIO):
    def isatty(self):
        return True


def set_stderr(monkeypatch, stream):
    # pytest replaces sys.stderr itself between fixtures and the test.
    fake = types.SimpleNamespace(stderr=stream, modules=sys.modules)
    monkeypatch.setattr("partita.instrument.progress.sys", fake)


@pytest.fixture
def bars(monkeypatch):
    """The contents of bars: for each a list of (done, total, name), with "closed" at its end."""
    made = []

    class Bar:
        def __init__(self, *, total, **options):
            self.total, self.n, self.shown = total, 0, []
            made.append(self.shown)

        def set_description_str(self, text, refresh):
            self.text = text

        def update(self, n):
            self.n += n
            self.shown.append((self.n, self.total, self.text))

        def close(self):
            self.shown.append("closed")

    module = types.ModuleType("tqdm")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", module)
    set_stderr(monkeypatch, FakeTerminal())
    return made


def run(*passes):
    return Sequential([p if callable(p) else make_pass(p) for p in passes])(make_module())


def test_a_bar_for_each_run(bars):
    fail = make_pass("fail", body=raiser(KeyError("no")))
    skip = instrument.Bisect(limit=1, print=False)
    progress = instrument.Progress()
    with PassContext(instruments=[progress]):
        with pytest.raises(KeyError):
            run("a", fail)
        run("b", "c")
    with PassContext(instruments=[skip, progress]):
        run("d", "e")
        run("f")
    assert bars == [
        [(0, 2, "a"), (1, 2, "fail"), "closed"],
        [(0, 2, "b"), (1, 2, "c"), "closed"],
        [(0, 2, "d"), "closed"],
        [(0, 1, "f"), "closed"],
    ]


def test_the_outer_run_is_shown(bars):
    progress = instrument.Progress()

    def run_inner(mod, ctx):
        with PassContext(instruments=[progress]):
            run("x", "y")
        return mod

    with PassContext(instruments=[progress]):
        run("a", make_pass("b", body=run_inner), "c")
    assert bars == [[(0, 3, "a"), (1, 3, "b"), (2, 3, "c"), "closed"]]


def test_the_first_of_threads_is_shown(bars):
    progress = instrument.Progress()

    def run_thread(mod, ctx):
        def run_other(index):
            with PassContext(instruments=[progress]):
                run("x")

        run_threads(1, run_other)
        return mod

    with PassContext(instruments=[progress]):
        run(make_pass("a", body=run_thread), "b")
        run("c")
    assert bars == [[(0, 2, "a"), (1, 2, "b"), "closed"], [(0, 1, "c"), "closed"]]


def test_threads_share_a_bar(bars):
    progress = instrument.Progress()

    def work(index):
        for _ in range(50):
            with PassContext(instruments=[progress]):
                run("a", "b")

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        run_threads(3, work)
    finally:
        sys.setswitchinterval(interval)
    assert bars and all(bar == [(0, 2, "a"), (1, 2, "b"), "closed"] for bar in bars)


def test_control_characters_are_not_shown(bars):
    with PassContext(instruments=[instrument.Progress()]):
        run("a\nb\x1b[31m")
    assert bars == [[(0, 1, "a b [31m"), "closed"]]


def test_names_are_no_markup_of_rich(bars, monkeypatch):
    columns, shown = [], []

    class Progress:
        @classmethod
        def get_default_columns(cls):
            return ("the one that reads markup", "bar")

        def __init__(self, *made, **options):
            columns.extend(made)

        def add_task(self, description, total):
            return 1

        def update(self, task, completed, description):
            shown.append((task, completed, description))

        def start(self):
            pass

        stop = start

    progress = types.ModuleType("rich.progress")
    progress.Progress = Progress
    progress.TextColumn = lambda text, *, style, markup: (text, markup)
    progress.TimeElapsedColumn = progress.MofNCompleteColumn = lambda: "column"
    console = types.ModuleType("rich.console")
    console.Console = lambda stderr: None
    for name, module in ("tqdm", None), ("rich.progress", progress), ("rich.console", console):
        monkeypatch.setitem(sys.modules, name, module)
    with PassContext(instruments=[instrument.Progress()]):
        run("a[/x]", "[bold]")
    assert columns == [("{task.description}", False), "bar", "column", "column"]
    assert shown == [(1, 0, "a[/x]"), (1, 1, "[bold]")]


@pytest.mark.parametrize("stream", [FakeTerminal, io.StringIO, lambda: None])
def test_it_is_an_instrument_as_others(stream, bars, monkeypatch):
    set_stderr(monkeypatch, stream())
    for module in sys.modules["tqdm"], None:
        monkeypatch.setitem(sys.modules, "tqdm", module)
        if module is None:
            monkeypatch.setitem(sys.modules, "rich.progress", None)
        progress = instrument.Progress()
        assert isinstance(progress, (instrument.Progress, instrument.RegisteredInstrument))
        with PassContext(instruments=[progress]) as context:
            run("a")
            assert list(context.instruments) == [progress]
        assert (progress.name, progress.records, progress.to_json()) == ("progress", [], "null")
        assert (progress.render(), progress._repr_html_()) == ("", None)
    assert len(bars) == (stream is FakeTerminal)


def test_intervals(bars):
    for value in -1, 2**40:
        with pytest.raises(ValueError, match="'interval' .* to be an integer of 0 or more"):
            instrument.Progress(interval=value)
    for value in 1.5, True, "1", []:
        with pytest.raises(TypeError, match="expected interval to be an int"):
            instrument.Progress(interval=value)


def test_notebook(bars, monkeypatch):
    set_stderr(monkeypatch, io.StringIO())
    shell = types.SimpleNamespace(config={"IPKernelApp": {}})
    ipython = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "tqdm.auto", sys.modules["tqdm"])
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    with PassContext(instruments=[instrument.Progress()]):
        run("a")
    assert bars == [[(0, 1, "a"), "closed"]]


def test_no_terminal(capfd, monkeypatch):
    class Bar:
        def __init__(self, **options):
            raise AssertionError("expected no bar")

    module = types.ModuleType("tqdm")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", module)
    with PassContext(instruments=[instrument.Progress()]):
        Sequential([make_pass("a")])(make_module())
    assert capfd.readouterr().err == ""
