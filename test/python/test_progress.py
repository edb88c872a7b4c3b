# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The progress bar: by tqdm, by rich, and without them."""

import importlib.util
import os
import pathlib
import struct
import subprocess
import sys

import pytest
from pass_support import make_module, make_pass

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
assert isinstance(progress, instrument.Progress) == (sys.argv[1] != "none")
inner = Sequential([make_pass("b"), make_pass("c")], name="inner")

def run_inner(mod, ctx):
    return Sequential([make_pass("nested")])(mod)

with PassContext(instruments=[progress]):
    for _ in range(2):
        Sequential([make_pass("a"), inner, make_pass("d", body=run_inner)])(make_module())
sys.stderr.write("\\nend\\n")
"""

#: What the adapter uses of tqdm, in a line for each call.
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
    """What a process writes to a terminal that is its stderr."""
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
    one_run = "0 4 a\n1 4 b\n2 4 c\n3 4 d\nclosed\n"
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
    assert [(line[0], line[-1]) for line in shown] == 2 * [
        ("1/4", "a"),
        ("2/4", "b"),
        ("3/4", "c"),
        ("4/4", "d"),
    ]


def test_no_terminal(capfd, monkeypatch):
    class Bar:
        def __init__(self, **options):
            raise AssertionError("expected no bar")

    monkeypatch.setattr("partita.ir.instrument._find_bar", lambda: Bar)
    with PassContext(instruments=[instrument.Progress()]):
        Sequential([make_pass("a")])(make_module())
    assert capfd.readouterr().err == ""
