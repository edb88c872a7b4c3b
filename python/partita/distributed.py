# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes on many modules, by processes on one machine or on many.

Modules travel as bytecode, passes as in pickle: C++ passes as text, passes in Python as the name or,
with ``cloudpickle``, the code of their function. Set the config ``partita.pass_cache`` to a directory
that the workers share, and nothing that one of them knows is computed again.
"""

from __future__ import annotations

import concurrent.futures
import functools
import itertools
import multiprocessing
import os
import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any, NamedTuple

from .errors import Diagnostic, check_type
from .instrument import PassTimingInstrument
from .ir.module import IRModule
from .transform import Pass, PassContext
from .transform.pickling import copying_main

__all__ = ["Result", "WorkerLost", "map"]


class WorkerLost(RuntimeError):
    """The process that ran passes on a module ended, each time that it was tried."""


class Result(NamedTuple):
    """The result for one module.

    Attributes
    ----------
    module : IRModule, optional
        The module after the passes; None if they failed.
    diagnostics : list of Diagnostic
        The diagnostics of the run.
    records : list of dict
        The records of the run, as ``PassTimingInstrument.records`` has them; empty unless asked for.
    error : Exception, optional
        The exception that a pass, or the verifier, raised in the worker.
    traceback : str
        Where it was raised in the worker; empty if nothing was.
    """

    module: IRModule | None
    diagnostics: list[Diagnostic] = []
    records: list[dict[str, Any]] = []
    error: Exception | None = None
    traceback: str = ""

    def get(self) -> IRModule:
        """The module after the passes.

        Raises
        ------
        Exception
            The error of the run, if it has one.
        """
        if self.error is not None:
            raise self.error
        assert self.module is not None
        return self.module


@functools.lru_cache(maxsize=8)
def _load(work: bytes) -> tuple[Pass, dict[str, Any], bool]:
    loaded: tuple[Pass, dict[str, Any], bool] = pickle.loads(work)
    return loaded


def _run(work: bytes, module: IRModule) -> Result:
    """What a worker does: run the passes on one module."""
    pass_, arguments, keeps_records = _load(work)
    timing = PassTimingInstrument()
    context = PassContext(**arguments, instruments=[timing] if keeps_records else [])
    try:
        with context:
            module = pass_(module)
            records = timing.records if keeps_records else []
    except Exception as error:
        where = traceback.format_exc()
        try:
            # An exception that is copied, but can't be made from its arguments, breaks a pool.
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = RuntimeError(f"{type(error).__name__}: {error}")
        return Result(None, context.diagnostics, [], error, where)
    return Result(module, context.diagnostics, records)


def _dump(pass_: Pass, context: PassContext, keeps_records: bool, copies_code: bool) -> bytes:
    arguments = {
        "opt_level": context.opt_level,
        "required_pass": list(context.required_pass),
        "disabled_pass": list(context.disabled_pass),
        "config": dict(context.config),
    }
    work = (pass_, arguments, keeps_records)
    try:
        import cloudpickle
    except ImportError:
        return pickle.dumps(work)
    if not copies_code:
        try:
            return pickle.dumps(work)
        except Exception:
            pass
    with copying_main():
        dumped: bytes = cloudpickle.dumps(work)
    return dumped


def _start_processes() -> Executor:
    # A forked process has none of the threads that MLIR works on.
    return concurrent.futures.ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn"))


class _Runs:
    """The modules that are given to an executor, and their results."""

    def __init__(
        self,
        work: bytes,
        modules: Iterable[IRModule],
        executor: Executor | Callable[[], Executor],
        retries: int,
        in_flight: int,
        progress: Callable[[int, int], None] | None,
    ):
        self.work = work
        self.modules = enumerate(modules)
        # Makes executors; None if the executor is somebody else's.
        self.start = None if isinstance(executor, Executor) else executor
        self.executor = executor if isinstance(executor, Executor) else executor()
        self.retries = retries
        self.in_flight = in_flight
        self.progress = progress
        self.running: dict[Future[Result], tuple[int, IRModule]] = {}
        self.done: dict[int, Result] = {}
        self.number_done = self.number_begun = 0

    def fill(self) -> None:
        """Give modules to the executor, but not more than it needs."""
        while len(self.running) < self.in_flight:
            following = next(self.modules, None)
            if following is None:
                return
            number, module = following
            check_type(module, IRModule, "the modules to be IRModules")
            self.number_begun += 1
            self.running[self.executor.submit(_run, self.work, module)] = number, module

    def finish(self, number: int, result: Result) -> None:
        self.done[number] = result
        self.number_done += 1
        if self.progress:
            self.progress(self.number_done, self.number_begun)

    def wait(self) -> None:
        """Wait for a result."""
        ended, _ = concurrent.futures.wait(
            self.running, return_when=concurrent.futures.FIRST_COMPLETED
        )
        lost = []
        for future in ended:
            number, module = self.running.pop(future)
            try:
                self.finish(number, future.result())
            except BrokenExecutor:
                if self.start is None:
                    raise
                lost.append((number, module))
            except Exception as error:
                # Such as a result that can't be copied, or dask's KilledWorker.
                self.finish(number, Result(None, error=error))
        if lost:
            lost += self.running.values()
            self.running.clear()
            for number, module in sorted(lost, key=lambda each: each[0]):
                self.finish(number, self.retry(number, module))

    def retry(self, number: int, module: IRModule) -> Result:
        """Run a module alone after a worker was lost, for which it may be the reason."""
        assert self.start is not None
        reason = "its process ended"
        for _ in range(self.retries):
            self.stop()
            self.executor = self.start()
            try:
                return self.executor.submit(_run, self.work, module).result()
            except BrokenExecutor as error:
                reason = str(error)
            except Exception as error:
                return Result(None, error=error)
        self.stop()
        self.executor = self.start()
        text = f"expected the worker for module {number} to live, but: {reason}"
        return Result(None, error=WorkerLost(text))

    def stop(self) -> None:
        """End the executor and its processes, unless it is somebody else's."""
        if self.start is not None:
            # A pool that still ends while the interpreter does writes to closed pipes.
            self.executor.shutdown(wait=True, cancel_futures=True)

    def __iter__(self) -> Iterator[Result]:
        try:
            for number in itertools.count():
                self.fill()
                while number not in self.done and self.running:
                    self.wait()
                    self.fill()
                if number not in self.done:
                    return
                yield self.done.pop(number)
        finally:
            self.stop()


def map(
    pass_: Pass,
    modules: Iterable[IRModule],
    executor: Executor | Callable[[], Executor] | Any = None,
    *,
    records: bool = False,
    retries: int = 2,
    in_flight: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Result]:
    """Run a pass on many modules, under the current PassContext.

    Parameters
    ----------
    pass_ : Pass
        The pass, which may be a Sequential.
    modules : iterable of IRModule
        The modules, which stay as they are. They are taken as they are needed.
    executor : Executor, callable or dask.distributed.Client, optional
        Runs the work: any ``concurrent.futures.Executor``, a function that makes one, or a client
        of dask. By default, a process for each core.
    records : bool, optional
        Whether results have the records of their runs.
    retries : int, optional
        How often a module is tried again whose worker was lost. An executor is broken when it loses
        a worker, so that this needs a function that makes another one; dask tries again by itself.
    in_flight : int, optional
        How many modules are with the workers at once; by default, four for each core.
    progress : callable, optional
        Called with the number of modules that are done, and of those begun so far.

    Returns
    -------
    results : iterator of Result
        One for each module, in their order, as soon as it is there.

    Raises
    ------
    ValueError
        If the context has instruments, which stay in this process.
    BrokenExecutor
        If `executor` is an Executor, and has lost a worker.
    PicklingError
        If the pass can't be copied to another process.
    """
    check_type(pass_, Pass, "a pass")
    context = PassContext.current()
    if context.instruments:
        raise ValueError(
            "expected a PassContext without instruments, which would stay in this process; "
            "records=True returns the records of the runs"
        )
    is_dask = type(executor).__module__.split(".")[0] == "distributed"
    if hasattr(executor, "get_executor"):
        executor = executor.get_executor()
    if not (executor is None or isinstance(executor, Executor) or callable(executor)):
        check_type(executor, Executor, "an Executor, a function that makes one, or dask's Client")
    check_type(retries, int, "retries to be an int")
    work = _dump(pass_, context, records, copies_code=is_dask)
    if in_flight is None:
        in_flight = 4 * (os.cpu_count() or 1)
    check_type(in_flight, int, "in_flight to be an int")
    if in_flight < 1:
        raise ValueError(f"expected in_flight to be 1 or more, but found {in_flight}")
    runs = _Runs(work, modules, executor or _start_processes, retries, in_flight, progress)
    return iter(runs)
