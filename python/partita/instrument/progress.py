# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A progress bar of passes."""

from __future__ import annotations

import functools
import importlib
import sys
import threading
from collections.abc import Callable
from typing import Any

from ..ir.module import IRModule
from ..mlir._mlir_libs import _partita
from ..transform.info import PassInfo
from ..transform.instrument import PassInstrument
from ..transform.plan import Plan
from ._instruments_gen import Progress as RegisteredProgress
from .registered import CONTROL


class _Tqdm:
    """A bar of tqdm."""

    def __init__(self, tqdm: Any, total: int, interval: float) -> None:
        self._bar = tqdm.tqdm(
            total=total, unit="pass", mininterval=interval, leave=False, file=sys.stderr
        )

    def show(self, done: int, name: str) -> None:
        self._bar.set_description_str(name, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        self._bar.close()


class _Rich:
    """A bar of rich."""

    def __init__(self, rich: Any, total: int, interval: float) -> None:
        console = importlib.import_module("rich.console").Console(stderr=True)
        # The first column is the name, in which brackets are no markup.
        self._progress = rich.Progress(
            rich.TextColumn("{task.description}", style="progress.description", markup=False),
            *rich.Progress.get_default_columns()[1:],
            rich.TimeElapsedColumn(),
            rich.MofNCompleteColumn(),
            console=console,
            transient=True,
            refresh_per_second=1 / interval if interval else 100,
        )
        self._task = self._progress.add_task("", total=total)
        self._progress.start()

    def show(self, done: int, name: str) -> None:
        self._progress.update(self._task, completed=done, description=name)

    def close(self) -> None:
        self._progress.stop()


def _is_notebook() -> bool:
    """Whether output goes to a notebook; tqdm.autonotebook tells it in the same way."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and "IPKernelApp" in shell.config


def _find_bar() -> Callable[[int, float], Any] | None:
    """A function that makes a bar for a number of passes and an interval in seconds.

    None if neither tqdm nor rich is installed.
    """
    bars: list[tuple[str, Callable[..., Any]]] = [
        ("tqdm.auto" if _is_notebook() else "tqdm", _Tqdm),
        ("rich.progress", _Rich),
    ]
    for module, bar in bars:
        try:
            return functools.partial(bar, importlib.import_module(module))
        except ImportError:
            continue
    return None


class _Bars(PassInstrument):
    """Shows a bar for a run: the first of concurrent, the outermost of nested ones."""

    def __init__(self, make_bar: Callable[[int, float], Any], interval: float) -> None:
        self._make_bar = make_bar
        self._interval = interval
        self._lock = threading.Lock()
        #: The thread whose run is shown, and how many runs it is in. No other thread uses the bar.
        self._thread: int | None = None
        self._depth = 0
        self._bar: Any = None

    def begin_run(self, mod: IRModule, plan: Plan) -> None:
        thread = threading.get_ident()
        with self._lock:
            if self._thread is None:
                self._thread = thread
            if self._thread == thread:
                self._depth += 1

    def end_run(self, mod: IRModule, plan: Plan, failed: bool) -> None:
        if self._thread != threading.get_ident():
            return
        self._depth -= 1
        if self._depth > 0:
            return
        bar, self._bar = self._bar, None
        try:
            if bar is not None:
                bar.close()
        finally:
            self._thread = None

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        if self._thread != threading.get_ident() or self._depth != 1:
            return
        step: Any = _partita.get_current_step()
        # A Sequential has no number.
        if step is None or step[1] == 0:
            return
        _, number, total = step
        if self._bar is None:
            self._bar = self._make_bar(total, self._interval)
        self._bar.show(number - 1, CONTROL.sub(" ", info.name))


class Progress(RegisteredProgress):
    #: Called in place of the instrument in C++.
    _callbacks: PassInstrument | None = None

    def __init__(self, *, interval: int | None = None) -> None:
        if interval is not None and (isinstance(interval, bool) or not isinstance(interval, int)):
            raise TypeError(f"expected interval to be an int, but found {type(interval).__name__}")
        super().__init__(interval=interval)
        make_bar = _find_bar()
        if make_bar is None:
            return
        if _is_notebook() or (sys.stderr is not None and sys.stderr.isatty()):
            self._callbacks = _Bars(make_bar, (100 if interval is None else interval) / 1000)
        else:
            # It has no callbacks, so it costs nothing.
            self._callbacks = PassInstrument()
