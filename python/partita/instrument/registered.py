# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base of instruments that are written in C++."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from ..errors import check_type
from ..mlir._mlir_libs import _partita
from . import runner, table

#: Characters that end a line, or move the cursor of a terminal.
CONTROL = re.compile("[\x00-\x1f\x7f]")


def _quote(key: str, value: Any) -> str:
    """`value` as an element of ``name{key=value}``.

    MLIR's options have no escapes, so a text is put in the kind of quotes that it does not contain.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    text = os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else str(value)
    quote = "'" if "'" not in text else '"'
    if quote in text or text != text.strip(" ") or CONTROL.search(text):
        raise ValueError(
            f"expected {key} to be without one of the two kinds of quotes, and without spaces at "
            f"its ends and control characters, but found {text!r}"
        )
    return quote + text + quote


def make_text(name: str, options: Mapping[str, Any]) -> str:
    """The registered instrument `name` as ``--instrument`` takes it.

    An option that is None is left out, and so has its default.
    """
    parts = []
    for key, value in options.items():
        if value is None:
            continue
        if not key.isidentifier():
            raise ValueError(f"expected the name of an option, but found {key!r}")
        if isinstance(value, (list, tuple)):
            text = "{" + ",".join(_quote(key, element) for element in value) + "}"
        else:
            text = _quote(key, value)
        parts.append(f"{key.replace('_', '-')}={text}")
    return name + "{" + " ".join(parts) + "}"


_Value = TypeVar("_Value")


class _Default(Generic[_Value]):
    """A property whose name a derived class may take for an attribute of its own."""

    def __init__(self, function: Callable[[Any], _Value]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> _Value:
        # As of a property, there is something to read in the class itself.
        return self if instance is None else self._function(instance)  # type: ignore[return-value]


def _get_name(instrument: RegisteredInstrument) -> str:
    return _partita.Instrument.name.fget(instrument)  # type: ignore[attr-defined]


def _read_records(instrument: RegisteredInstrument) -> list[dict[str, Any]]:
    return json.loads(_partita.Instrument.to_json(instrument)) or []


class RegisteredInstrument(_partita.Instrument):
    """An instrument that is written in C++, by the name under which it is registered.

    Parameters
    ----------
    name : str
        Its name in ``partita-opt --instrument``.
    options
        Its options; one that is None has its default.
    """

    #: A notebook shows a "table" of the records, or the result of `render`, as "text" or "page".
    _notebook = "table"

    def __init__(self, name: str, **options: Any) -> None:
        check_type(name, str, "name to be a str")
        function = options.get("runner")
        if callable(function):
            options = {**options, "runner": None}
        else:
            function = None
        # A str holds bytes of a path that are no UTF-8 as surrogates.
        text = make_text(name, options).encode("utf-8", "surrogateescape")
        super().__init__(text, function and runner.wrap(function))

    def render(self) -> str:
        """Its records so far as text for people; empty if it collects nothing."""
        return super().render()

    def to_json(self) -> str:
        """Its records so far as a JSON array, or "null" if it collects nothing."""
        return super().to_json()

    @_Default
    def name(self) -> str:
        """The name under which it is registered."""
        return _get_name(self)

    @_Default
    def records(self) -> list[dict[str, Any]]:
        """Its records so far, each a dictionary."""
        return _read_records(self)

    def _repr_html_(self) -> str | None:
        """The HTML that a notebook shows; None if there is nothing yet."""
        if self._notebook == "table":
            return table.to_html(_read_records(self), _get_name(self))
        if self._notebook == "text":
            return table.as_pre(super().render())
        return table.as_page(super().render()) if _read_records(self) else None


def list_instruments() -> dict[str, dict[str, str]]:
    """The registered instruments by name, each with the descriptions of its options by name."""
    instruments: dict[str, dict[str, str]] = {}
    for name, option, description in _partita.list_instruments():
        options = instruments.setdefault(name, {})
        if option:
            options[option] = description
    return instruments
