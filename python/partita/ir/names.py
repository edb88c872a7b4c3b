# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of parameters that changed with TVM's versions, and unique names of variables."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, TypeVar, cast

_Function = TypeVar("_Function", bound=Callable[..., Any])


def also_named(**names: str) -> Callable[[_Function], _Function]:
    """Lets callers write other names of keywords: ``also_named(ty="struct_info")``."""

    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            # Most calls have none, and functions that make expressions are called often.
            for other in kwargs.keys() & names.keys() if kwargs else ():
                if names[other] in kwargs:
                    raise TypeError(f"expected one of '{other}' and '{names[other]}', found both")
                kwargs[names[other]] = kwargs.pop(other)
            return function(*args, **kwargs)

        return cast(_Function, call)

    return decorate


class UniqueNames:
    """Makes names as TVM does, each only once."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        # For each name that was given, the number after it that was tried last.
        self._counts: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._counts

    def reserve(self, name: str) -> None:
        """Do not give `name`."""
        self._counts.setdefault(name, 0)

    def make(self, name_prefix: str, separator: str = "") -> str:
        """`name_prefix`, with `separator` and a number after it if the name was given before.

        What can't be in a name of TVMScript becomes ``_``.
        """
        counts = self._counts
        # Most were given before.
        prefix = name = name_prefix if name_prefix in counts else _clean(name_prefix)
        count = counts.get(prefix, 0)
        while name in counts:
            count += 1
            name = f"{prefix}{separator}{count}"
        counts[prefix] = count
        counts.setdefault(name, 0)
        return name

    def give_back(self, name: str, name_prefix: str) -> None:
        """Forget `name`, the last one that was made from `name_prefix`."""
        del self._counts[name]
        prefix = _clean(name_prefix)
        if name != prefix:
            self._counts[prefix] -= 1


def _clean(name: str) -> str:
    if name.isascii() and name.isidentifier():
        return name
    return re.sub(r"[^A-Za-z0-9_]", "_", name)
