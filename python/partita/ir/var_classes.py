# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Var and DataflowVar, whose instances in TVM are all expressions that have a variable."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from .node import IN_DATAFLOW, Expr
from .stand_in import StandIn
from .var import Var as _Var

__all__ = ["DataflowVar", "Var"]

if TYPE_CHECKING:
    from .var import Var as DataflowVar
    from .var import Var as Var
else:

    class _VarType(StandIn):
        """Makes the expressions that have a variable in TVM instances of Var and DataflowVar."""

        def __call__(cls, *args, **kwargs):
            made = super().__call__(*args, **kwargs)
            made._put_in_block(cls is DataflowVar)
            return made

        def __instancecheck__(cls, instance):
            if cls is DataflowVar:
                return isinstance(instance, Expr) and instance._scope == IN_DATAFLOW
            return isinstance(instance, _Var) or isinstance(instance, Expr) and instance._scope > 0

        def __subclasscheck__(cls, subclass):
            is_node = not isinstance(subclass, _VarType) and issubclass(subclass, _Var)
            return subclass is cls or cls is Var and (is_node or subclass is DataflowVar)

    class Var(metaclass=_VarType):
        __doc__ = _Var.__doc__
        __signature__ = inspect.signature(_Var)
        _made = _Var

        def __new__(cls, *args, **kwargs):
            return _Var.__new__(_Var)

    class DataflowVar(metaclass=_VarType):
        """A variable that only its dataflow block knows, with the parameters of Var."""

        __signature__ = inspect.signature(_Var)
        _made = _Var
