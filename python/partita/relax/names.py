# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of parameters that changed with TVM's versions."""

from __future__ import annotations

import functools
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
