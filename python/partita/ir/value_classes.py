# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IntImm, FloatImm and ShapeExpr, whose instances in TVM are more than what these classes make."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from .prim import FloatImm as _FloatImm
from .prim import IntImm as _IntImm
from .stand_in import StandIn
from .types import Shape
from .values import PrimValue
from .values import ShapeExpr as _ShapeExpr

__all__ = ["FloatImm", "IntImm", "ShapeExpr"]

if TYPE_CHECKING:
    from .prim import FloatImm as FloatImm
    from .prim import IntImm as IntImm
    from .values import ShapeExpr as ShapeExpr
else:

    def _is_number(instance, made, number):
        """Whether it is `made`, or a PrimValue of a `number`."""
        if isinstance(instance, PrimValue):
            return isinstance(instance.value, number)
        return isinstance(instance, made)

    class IntImm(metaclass=StandIn):
        __doc__ = _IntImm.__doc__
        __signature__ = inspect.signature(_IntImm)
        _made = _IntImm

        @staticmethod
        def _has(instance):
            return _is_number(instance, _IntImm, int)

    class FloatImm(metaclass=StandIn):
        __doc__ = _FloatImm.__doc__
        __signature__ = inspect.signature(_FloatImm)
        _made = _FloatImm

        @staticmethod
        def _has(instance):
            return _is_number(instance, _FloatImm, float)

    class ShapeExpr(metaclass=StandIn):
        __doc__ = _ShapeExpr.__doc__
        __signature__ = inspect.signature(_ShapeExpr)
        _made = _ShapeExpr

        @staticmethod
        def _has(instance):
            # The shape of a type is one in TVM.
            is_shape = isinstance(instance, Shape) and None not in instance
            return is_shape or isinstance(instance, _ShapeExpr)
