# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base of instruments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from ..errors import check_takes, check_type
from ..ir.module import IRModule
from ..mlir._mlir_libs import _partita
from .info import PassInfo
from .plan import Plan

_CALLBACKS = (
    "enter_pass_ctx",
    "exit_pass_ctx",
    "should_run",
    "run_before_pass",
    "run_after_pass",
    "begin_run",
    "end_run",
)


class _ClassName:
    """The name of the class, unless an object, or the class, has another one."""

    def __get__(self, instance: object, owner: type) -> str:
        return owner.__name__


class PassInstrument:
    """The base of instruments; a class overrides the callbacks that it needs.

    A callback that a class does not define is never called, and costs nothing.
    Callbacks may keep the modules that they get: passes do not change them.

    Attributes
    ----------
    name : str
        The name that errors call it by; the name of its class by default.
    """

    name: Any = _ClassName()

    def enter_pass_ctx(self) -> None:
        """Called when the scope of a PassContext is entered."""

    def exit_pass_ctx(self) -> None:
        """Called when that scope is left."""

    def should_run(self, mod: IRModule, info: PassInfo) -> bool:
        """Whether the pass is to run; it is skipped if any instrument returns False.

        Not called for passes in the context's required_pass.
        """
        return True

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Called before each pass that runs."""

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Called after each pass that has succeeded."""

    def begin_run(self, mod: IRModule, plan: Plan) -> None:
        """Called when a run of a pass on a module begins; the plan says what will run in it.

        It is called on the thread of the run, before anything else of it; also for a run that
        a pass starts inside its own. An instrument that defines it, or end_run, makes passes run
        one by one, not merged. If it raises, the run fails with that error and does not begin.
        """

    def end_run(self, mod: IRModule, plan: Plan, failed: bool) -> None:
        """Called at the end of each run that has begun, on the same thread.

        Of the runs on a thread, the last to begin is the first to end.
        """


_T = TypeVar("_T")


@overload
def pass_instrument(pi_cls: type[_T]) -> type[_T]: ...
@overload
def pass_instrument(pi_cls: None = None) -> Callable[[type[_T]], type[_T]]: ...
def pass_instrument(pi_cls: type[Any] | None = None) -> Any:
    """Make a class one of instruments, without deriving it from PassInstrument.

    Their callbacks are the methods that the class defines.
    """

    def decorate(cls: type[Any]) -> type[Any]:
        check_type(cls, type, "a class to make an instrument from")
        if issubclass(cls, PassInstrument):
            return cls
        if issubclass(cls, _partita.Instrument):
            raise TypeError(
                "expected a class to make an instrument from, but found "
                f"{cls.__name__}, whose objects are instruments that are written in C++"
            )
        derived = type(cls.__name__, (cls, PassInstrument), {"__doc__": cls.__doc__})
        derived.__module__ = cls.__module__
        derived.__qualname__ = cls.__qualname__
        return derived

    return decorate if pi_cls is None else decorate(pi_cls)


def _name_of(instrument: Any) -> str:
    """The name of an instrument in errors: its class, unless it has a name of its own."""
    name = getattr(instrument, "name", None)
    return name if isinstance(name, str) else type(instrument).__name__


def _get_callback(instrument: Any, name: str) -> Any:
    """The bound method, or None for one that only PassInstrument defines."""
    method = getattr(instrument, name)
    if method is None or getattr(method, "__func__", None) is getattr(PassInstrument, name):
        return None
    if not callable(method):
        # TVM has no such callbacks, so that its users may have such attributes.
        if name in ("begin_run", "end_run"):
            return None
        raise TypeError(
            f"expected {name} of instrument '{type(instrument).__name__}' to be a method, "
            f"but found {type(method).__name__}"
        )
    if name not in ("begin_run", "end_run"):
        is_of_pass = name not in ("enter_pass_ctx", "exit_pass_ctx")
        what = f"{name} of instrument '{type(instrument).__name__}'"
        check_takes(method, ("mod", "info") if is_of_pass else (), what)
        return method

    def call(mod: IRModule, plan: tuple[Sequence[Any], str], *failed: bool) -> None:
        method(mod, Plan(plan), *failed)

    return call


def to_handles(instruments: Sequence[Any]) -> list[tuple[Any, ...]]:
    """`instruments` as the extension takes them.

    One that is written in C++ can have `_callbacks`: a PassInstrument that is called in its place.
    """
    check_type(instruments, (list, tuple), "instruments to be a list")
    handles: list[tuple[Any, ...]] = []
    for instrument in instruments:
        callbacks = instrument
        if isinstance(instrument, _partita.Instrument):
            for name in _CALLBACKS:
                if hasattr(instrument, name):
                    raise TypeError(
                        f"expected instrument '{type(instrument).__name__}', which is written in "
                        f"C++, to have no {name}, as nothing calls it; define it in a "
                        "PassInstrument that is given beside it"
                    )
            callbacks = getattr(instrument, "_callbacks", None) or instrument
        if isinstance(callbacks, _partita.Instrument):
            handles.append((instrument, instrument))
        elif isinstance(callbacks, PassInstrument):
            methods = [_get_callback(callbacks, name) for name in _CALLBACKS]
            handles.append((instrument, _name_of(instrument), methods))
        else:
            raise TypeError(
                "expected instruments to be PassInstruments, but found "
                f"{type(instrument).__name__}; @pass_instrument makes a class one"
            )
    return handles
