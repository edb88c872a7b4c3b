# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Classes that stand for others, and have more instances than these."""

from __future__ import annotations

from typing import Any

__all__ = ["StandIn"]


class StandIn(type):
    """The metaclass of a class that stands for another one: nanobind's classes can have none.

    Calling the class and deriving from it give the other one, which is its `_made`. Its static
    method `_has` says which objects are its instances.
    """

    _made: Any

    def __new__(mcs, name: str, bases: tuple[Any, ...], namespace: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(mcs, name, bases, namespace)
        bases = tuple(base._made if isinstance(base, StandIn) else base for base in bases)
        return type(bases[0])(name, bases, namespace)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls._made(*args, **kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        has: bool = getattr(cls, "_has")(instance)
        return has

    def __subclasscheck__(cls, subclass: type) -> bool:
        return subclass is cls or issubclass(subclass, cls._made)

    def __getattr__(cls, name: str) -> Any:
        return getattr(type.__getattribute__(cls, "_made"), name)
