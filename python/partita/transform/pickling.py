# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies of passes in other processes: pickle.

A pass in C++ is its name and options, or its pipeline. A pass in Python is found by the name of its
function or class. If that has no name in its module, or is in a program's main module, pickle needs
``cloudpickle``, which copies code.
"""

from __future__ import annotations

import contextlib
import contextvars
import importlib
import pickle
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from .by_name import get_pass, parse_pipeline
from .info import PassInfo

if TYPE_CHECKING:
    from .base import Pass

# Whether code in the main module is copied: another process may have another one.
_copies_main: contextvars.ContextVar[bool] = contextvars.ContextVar("copies_main", default=False)
_PASS = re.compile(r"(?:[\w.$-]+\()*([^(){}]+?)(?:\{(.*)\})?\)*", re.DOTALL)


@contextlib.contextmanager
def copying_main() -> Iterator[None]:
    """Pickle functions in the main module as code, for cloudpickle."""
    token = _copies_main.set(True)
    try:
        yield
    finally:
        _copies_main.reset(token)


def _find(module: str, name: str) -> Any:
    """The object called `name` in a module, such as "Class.attribute"."""
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _can_find(module: str, name: str, expected: object) -> bool:
    if module == "__main__" and _copies_main.get():
        return False
    try:
        return _find(module, name) is expected
    except (AttributeError, ImportError):
        return False


def _make_pass(
    cls: type[Any], function: Any, info: PassInfo, version: str | None, always_runs: bool | None
) -> Pass:
    made: Pass = cls(function, info, version, always_runs)
    return made


def reduce_function(self: Any) -> tuple[Any, ...]:
    """What makes a pass that is a function in Python anew."""
    function, version, always_runs = self._function
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__qualname__", "")
    if _can_find(module, name, self):
        return _find, (module, name)
    info = PassInfo(*self.info)
    return _make_pass, (type(self), function, info, version, always_runs)


def reduce_pass(self: Any) -> tuple[Any, ...]:
    """What makes a pass in C++ anew."""
    text, info = self._pipeline(), self.info
    makers: list[tuple[Callable[..., Pass], tuple[Any, ...]]] = []
    if found := _PASS.fullmatch(text.removeprefix("builtin.module(").removesuffix(")")):
        makers.append((get_pass, (info.name, found[2] or "")))
    makers.append((get_pass, (info.name,)))
    makers.append((parse_pipeline, (text, info.opt_level, info.name, list(info.required))))
    for make, arguments in makers:
        with contextlib.suppress(ValueError):
            made = make(*arguments)
            if made._pipeline() == text and made.info == info:
                return make, arguments
    raise pickle.PicklingError(
        f"expected pass '{info.name}' to be what its pipeline '{text}' makes, but it is not; "
        "pickle the Sequential that it is a member of"
    )
