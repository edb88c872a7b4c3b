# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IntImm and FloatImm, whose instances in TVM 0.27 are all numbers that are expressions."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from .prim import FloatImm as _FloatImm
from .prim import IntImm as _IntImm
from .values import PrimValue

__all__ = ["FloatImm", "IntImm"]

if TYPE_CHECKING:
    from .prim import FloatImm as FloatImm
    from .prim import IntImm as IntImm
else:

    class _ImmType(type):
        """Makes a PrimValue of an int or a float an instance of IntImm or FloatImm.

        Calling these and deriving from them gives the classes in prim.py.
        """

        def __new__(mcs, name, bases, namespace):
            if not bases:
                return super().__new__(mcs, name, bases, namespace)
            bases = tuple(base._made if isinstance(base, _ImmType) else base for base in bases)
            return type(bases[0])(name, bases, namespace)

        def __call__(cls, *args, **kwargs):
            return cls._made(*args, **kwargs)

        def __instancecheck__(cls, instance):
            if isinstance(instance, PrimValue):
                return isinstance(instance.value, cls._number)
            return isinstance(instance, cls._made)

        def __subclasscheck__(cls, subclass):
            return subclass is cls or issubclass(subclass, cls._made)

        def __getattr__(cls, name):
            return getattr(type.__getattribute__(cls, "_made"), name)

    class IntImm(metaclass=_ImmType):
        __doc__ = _IntImm.__doc__
        __signature__ = inspect.signature(_IntImm)
        _made, _number = _IntImm, int

    class FloatImm(metaclass=_ImmType):
        __doc__ = _FloatImm.__doc__
        __signature__ = inspect.signature(_FloatImm)
        _made, _number = _FloatImm, float
