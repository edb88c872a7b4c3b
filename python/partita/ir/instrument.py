# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that runs around passes: TVM's ``tvm.ir.instrument``."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence, Tuple, Type, TypeVar, overload

from ..mlir._mlir_libs import _partita

if TYPE_CHECKING:
    from .module import IRModule
    from .transform import PassInfo

__all__ = [
    "PassInstrument",
    "PassPrintingInstrument",
    "PassTimingInstrument",
    "PrintAfterAll",
    "PrintBeforeAll",
    "PrintIRAfter",
    "PrintIRBefore",
    "pass_instrument",
]

_CALLBACKS = (
    "enter_pass_ctx",
    "exit_pass_ctx",
    "should_run",
    "run_before_pass",
    "run_after_pass",
)


class PassInstrument:
    """The base of instruments; a class overrides the callbacks that it needs.

    A callback that a class does not define is never called, and costs nothing.
    Modules that callbacks get are theirs to keep: passes do not change them.
    """

    @property
    def name(self) -> str:
        """What errors call the instrument."""
        return type(self).__name__

    def enter_pass_ctx(self) -> None:
        """Called when the scope of a PassContext is entered."""

    def exit_pass_ctx(self) -> None:
        """Called when the scope is left."""

    def should_run(self, mod: IRModule, info: PassInfo) -> bool:
        """Whether the pass is to run; False of any instrument skips it.

        Not asked of passes in the context's required_pass.
        """
        return True

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Called before each pass that runs."""

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Called after each pass that has succeeded."""


_T = TypeVar("_T")


@overload
def pass_instrument(pi_cls: Type[_T]) -> Type[_T]: ...
@overload
def pass_instrument(pi_cls: None = None) -> Callable[[Type[_T]], Type[_T]]: ...
def pass_instrument(pi_cls: Optional[Type[Any]] = None) -> Any:
    """Make a class an instrument, without deriving it from PassInstrument.

    Its objects are instruments; the callbacks are the methods that it defines.
    """

    def decorate(cls: Type[Any]) -> Type[Any]:
        if not inspect.isclass(cls):
            raise TypeError(
                f"expected a class to make an instrument from, but found {type(cls).__name__}"
            )
        if issubclass(cls, PassInstrument):
            return cls
        derived = type(cls.__name__, (cls, PassInstrument), {"__doc__": cls.__doc__})
        derived.__module__ = cls.__module__
        derived.__qualname__ = cls.__qualname__
        return derived

    return decorate if pi_cls is None else decorate(pi_cls)


def _get_callback(instrument: Any, name: str) -> Any:
    """The bound method, or None for one that only PassInstrument defines."""
    method = getattr(instrument, name)
    if method is None or getattr(method, "__func__", None) is getattr(PassInstrument, name):
        return None
    if not callable(method):
        raise TypeError(
            f"expected {name} of instrument '{type(instrument).__name__}' to be a method, "
            f"but found {type(method).__name__}"
        )
    return method


def to_handles(instruments: Sequence[Any]) -> List[Tuple[Any, ...]]:
    """`instruments` as the extension takes them."""
    if not isinstance(instruments, (list, tuple)):
        raise TypeError(
            f"expected instruments to be a list, but found {type(instruments).__name__}"
        )
    handles: List[Tuple[Any, ...]] = []
    for instrument in instruments:
        if isinstance(instrument, _partita.Instrument):
            handles.append((instrument, instrument))
        elif isinstance(instrument, PassInstrument):
            methods = [_get_callback(instrument, name) for name in _CALLBACKS]
            handles.append((instrument, str(instrument.name), methods))
        else:
            raise TypeError(
                "expected instruments to be PassInstruments, but found "
                f"{type(instrument).__name__}; @pass_instrument makes a class one"
            )
    return handles


class PassTimingInstrument(_partita.TimingInstrument):
    """Times passes, nested; ask render() before the scope is left."""

    def render(self) -> str:
        """A line a pass, a tab a level: NAME: TOTALus [SELFus] (OF ALL; OF PARENT)."""
        return super().render()


def _printer(name: str, passes: Sequence[str]) -> _partita.Instrument:
    from .transform import _check_names

    names = _check_names("passes", passes)
    return _partita.Instrument(name + ("{passes=" + ",".join(names) + "}" if names else ""))


def PrintIRBefore(passes: Sequence[str] = ()) -> _partita.Instrument:
    """Prints the module to stderr before the named passes, or before all."""
    return _printer("print-ir-before", passes)


def PrintIRAfter(passes: Sequence[str] = ()) -> _partita.Instrument:
    """Prints the module to stderr after the named passes, or after all."""
    return _printer("print-ir-after", passes)


@pass_instrument
class PrintBeforeAll:
    """Prints the name of each pass and the module before it, to stdout."""

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        print(f"Before Running Pass: {info.name}")
        print(mod)


@pass_instrument
class PrintAfterAll:
    """Prints the name of each pass and the module after it, to stdout."""

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        print(f"After Running Pass: {info.name}")
        print(mod)


class PassPrintingInstrument(PassInstrument):
    """Prints the module before and after the named passes, to stdout.

    Parameters
    ----------
    print_before_pass_names : sequence of str
        The passes before which the module is printed, by their PassInfo's name.
    print_after_pass_names : sequence of str
        Those after which it is.
    """

    def __init__(
        self,
        print_before_pass_names: Sequence[str] = (),
        print_after_pass_names: Sequence[str] = (),
    ):
        from .transform import _check_names

        self.print_before_pass_names = _check_names(
            "print_before_pass_names", print_before_pass_names
        )
        self.print_after_pass_names = _check_names(
            "print_after_pass_names", print_after_pass_names
        )

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        if info.name in self.print_before_pass_names:
            print(f"Print IR before: {info.name}\n{mod}\n\n")

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        if info.name in self.print_after_pass_names:
            print(f"Print IR after: {info.name}\n{mod}\n\n")
