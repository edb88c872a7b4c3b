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

    def _stand_for(made, has):
        """A class for `made`, which has the instances that `has` says, too."""
        namespace = {
            "__doc__": made.__doc__,
            "__module__": __name__,
            "__signature__": inspect.signature(made),
            "_made": made,
            "_has": staticmethod(lambda instance: isinstance(instance, made) or has(instance)),
        }
        return StandIn(made.__name__, (), namespace)

    def _is_value(number):
        return lambda instance: (
            isinstance(instance, PrimValue) and isinstance(instance.value, number)
        )

    IntImm = _stand_for(_IntImm, _is_value(int))
    FloatImm = _stand_for(_FloatImm, _is_value(float))
    # The shape of a type is one in TVM.
    ShapeExpr = _stand_for(
        _ShapeExpr, lambda instance: isinstance(instance, Shape) and None not in instance
    )
