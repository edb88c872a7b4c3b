# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors and warnings of runs of passes, made of MLIR's diagnostics."""

from __future__ import annotations

import copyreg
import inspect
import numbers
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .mlir import ir
from .mlir._mlir_libs import _partita


def check_type(value: Any, types: Any, what: str) -> None:
    """Raise a TypeError that says that `what` was expected, unless `value` has one of `types`."""
    if not isinstance(value, types):
        raise TypeError(f"expected {what}, but found {describe_type(value)}")


def as_number(value: Any) -> Any:
    """`value`; a number of NumPy, which TVM takes for one of Python, as that."""
    # Most are numbers of Python, and asking for a Number takes longer.
    if type(value) is int:
        return value
    is_of_numpy = isinstance(value, numbers.Number) and hasattr(value, "item")
    return value.item() if is_of_numpy else value


def check_int(value: Any, what: str) -> int:
    """`value` as an int, or a TypeError that says that `what` was expected."""
    number: int = as_number(value)
    check_type(number, int, what)
    return number


def check_list(value: Any, what: str) -> None:
    """Raise a TypeError that says that `what` was expected, unless `value` can be iterated over."""
    # Most are lists, and asking for an Iterable takes longer.
    if not isinstance(value, (list, tuple)):
        check_type(value, Iterable, what)


def check_takes(function: Any, arguments: Sequence[str], what: str) -> None:
    """Raise a TypeError unless `function`, which is `what`, can be called with these arguments.

    Only functions that are written in Python say which arguments they take.
    """
    plain = getattr(function, "__func__", function)
    if not hasattr(plain, "__code__"):
        return
    if plain is not function:
        arguments = ("self", *arguments)
    signature = inspect.signature(plain, follow_wrapped=False)
    try:
        signature.bind(*arguments)
    except TypeError:
        raise TypeError(
            f"expected {what} to take ({', '.join(arguments)}), but found "
            f"{plain.__qualname__}({', '.join(signature.parameters)})"
        ) from None


class NumberError(OverflowError, ValueError, TypeError):
    """A number has more bits than there are for it; TVM raises one of these three."""


def check_int64(value: int, what: str) -> int:
    """`value`, or an error that says that `what` was expected, unless it has 64 bits."""
    return check_bits(value, 64, what)


def check_bits(value: int, bits: int, what: str) -> int:
    """`value`, or an error that says that `what` was expected, unless it has so many bits."""
    limit = 1 << bits - 1
    if not -limit <= value < limit:
        raise NumberError(f"expected {what}, but found {value}")
    return value


def pick(values: Sequence[Any], index: Any, kind: str, what: str) -> Any:
    """`values[index]`, or an IndexError that says how many `what` the `kind` has."""
    try:
        return values[index]
    except IndexError:
        raise IndexError(
            f"{kind} index out of range: expected one of {len(values)} {what}, but found {index}"
        ) from None


def describe_type(value: Any) -> str:
    """The name of a value's type; of another package's MLIR, with the way from there."""
    cls = type(value)
    # Upstream's bindings are compiled into each package that has them.
    package = __name__.split(".")[0]
    if not hasattr(cls, "_CAPIPtr") or cls.__module__.split(".")[0] == package:
        return cls.__name__
    what = "it" if cls.__name__ == "Module" else "the module around it"
    return (
        f"{cls.__module__}.{cls.__name__}, of another package's MLIR; partita.bridge brings {what} "
        "over: Bridge(module.context).import_module(module)"
    )


def check_name(name: Any, what: str) -> str:
    """`name`, if it is a str that can be a name in MLIR; `what` says what it names."""
    # Many names are checked, and hardly one is wrong.
    if not isinstance(name, str):
        check_type(name, str, f"{what} to be a str")
    if not name:
        raise ValueError(f"expected {what} to have a character at least, but found ''")
    return check_unicode(name, what)


def check_unicode(name: str, what: str) -> str:
    """`name`, if it can be written as UTF-8; `what` says what it names."""
    try:
        if not name.isascii():
            name.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"expected {what} to be Unicode, but found {name!r}: {error}") from error
    return name


def explain_missing(module: str, what: str, names: Sequence[str], advice: str) -> Any:
    """The __getattr__ of a module that has only `names`. Errors say that `what` was expected."""

    def __getattr__(name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        import difflib

        near = difflib.get_close_matches(name, names)
        hint = f"the nearest are {', '.join(near)}; " if near else ""
        raise AttributeError(f"expected {what} of {module}, but found '{name}'; {hint}{advice}")

    return __getattr__


#: The names of TVM for errors that are none of Python's own.
DiagnosticError = InternalError = TVMError = RuntimeError


@_partita.known_as("CallError")
class CallError(ValueError, TypeError, RuntimeError):
    """An op does not take the arguments of a call."""


@_partita.known_as("FieldError")
class FieldError(IndexError, ValueError):
    """A tuple has no field of a number."""


class NoOpError(ValueError, AttributeError):
    """There is no op of a name."""


class NotWellFormedError(ir.MLIRError, ValueError):
    """A module or a function is not valid; a ValueError as in TVM."""


class BindError(ValueError, TypeError, RuntimeError):
    """A function has no parameter, or no size, of a name that is to be bound, or not of its type."""


class NoFunctionError(KeyError, ValueError):
    """A module has no function of a name."""

    def __str__(self) -> str:
        return str(self.args[0])


class BuilderError(RuntimeError, ValueError):
    """A BlockBuilder is not told of functions and blocks in their order."""


class RewriteError(RuntimeError, ValueError):
    """A DataflowBlockRewrite is told of a variable that it can't add, remove or replace."""


class Diagnostic(NamedTuple):
    """A diagnostic of a run, as text that outlives the MLIR context.

    Attributes
    ----------
    severity : str
        "error", "warning", "note" or "remark".
    location : str
        The location of the op, in MLIR's syntax.
    message : str
        What was expected, and what was found.
    notes : list of str
        Its notes, such as "in pass 'FoldConstant'".
    """

    severity: str
    location: str
    message: str
    notes: list[str]

    def __str__(self) -> str:
        return f"{self.location}: {self.severity}: {self.message}"


@_partita.known_as("PassError")
class PassError(RuntimeError, ValueError):
    """A pass, or the verifier after it, has failed; TVM raises one of these two.

    Its message is the first error's message. The exception's notes hold its location, the passes in
    which it occurred, and the other errors of the run.

    Parameters
    ----------
    pass_name : str
        The pass that was called.
    diagnostics : sequence of tuple
        The fields of each Diagnostic of the run.
    """

    def __init__(self, pass_name: str, diagnostics: Sequence[tuple[str, str, str, list[str]]]):
        self.pass_name = pass_name
        self.diagnostics = [Diagnostic(*fields) for fields in diagnostics]
        errors = [d for d in self.diagnostics if d.severity == "error"]
        message = errors[0].message if errors else f"pass '{pass_name}' failed"
        super().__init__(message)
        notes = []
        for index, diagnostic in enumerate(errors):
            notes.append(f"at {diagnostic.location}" if index == 0 else str(diagnostic))
            notes += diagnostic.notes
        in_pass = f"in pass '{pass_name}'"
        if in_pass not in notes:
            notes.append(in_pass)
        # Python prints them since 3.11; before, they can only be read.
        self.__notes__ = notes

    def __reduce__(self) -> tuple[Any, ...]:
        # Python would call the class with the message.
        return _make_error, (type(self), self.args), self.__dict__


def _make_error(cls: type[BaseException], args: tuple[Any, ...]) -> BaseException:
    """An error to be filled in, of a class whose constructor takes something else."""
    return cls.__new__(cls, *args)


class _DiagnosticInfo(NamedTuple):
    """What mlir.ir.DiagnosticInfo says, which can't be made in Python."""

    severity: Any
    location: str
    message: str
    notes: list[Any]

    @staticmethod
    def of(diagnostic: Any) -> _DiagnosticInfo:
        notes = [_DiagnosticInfo.of(note) for note in diagnostic.notes]
        return _DiagnosticInfo(
            str(diagnostic.severity), str(diagnostic.location), diagnostic.message, notes
        )


def _make_mlir_error(message: str, diagnostics: list[Any]) -> ir.MLIRError:
    return ir.MLIRError(message, diagnostics)


def _reduce_mlir_error(error: ir.MLIRError) -> tuple[Any, ...]:
    diagnostics = [_DiagnosticInfo.of(diagnostic) for diagnostic in error.error_diagnostics]
    return _make_mlir_error, (error.message, diagnostics)


# Upstream's class can't be found by its name, nor its diagnostics be copied.
for _error in (ir.MLIRError, NotWellFormedError):
    copyreg.pickle(_error, _reduce_mlir_error)


@_partita.known_as("PassWarning")
class PassWarning(UserWarning):
    """A warning of a run of passes, such as a name that no pass has."""
