# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Var and DataflowVar, whose instances in TVM are all expressions that have a variable."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from .node import IN_DATAFLOW, Expr
from .var import Var as _Var

__all__ = ["DataflowVar", "Var"]

if TYPE_CHECKING:
    from .var import Var as DataflowVar
    from .var import Var as Var
else:

    class _VarType(type):
        """Makes the expressions that have a variable in TVM instances of Var and DataflowVar.

        nanobind's classes can have no metaclass for that, so these stand for the class in var.py:
        calling them and deriving from them gives that one.
        """

        def __new__(mcs, name, bases, namespace):
            if not bases:
                return super().__new__(mcs, name, bases, namespace)
            bases = tuple(_Var if isinstance(base, _VarType) else base for base in bases)
            return type(_Var)(name, bases, namespace)

        def __call__(cls, *args, **kwargs):
            made = _Var(*args, **kwargs)
            made._put_in_block(cls is DataflowVar)
            return made

        def __instancecheck__(cls, instance):
            if cls is DataflowVar:
                return isinstance(instance, Expr) and instance._scope == IN_DATAFLOW
            return isinstance(instance, _Var) or isinstance(instance, Expr) and instance._scope > 0

        def __subclasscheck__(cls, subclass):
            is_node = not isinstance(subclass, _VarType) and issubclass(subclass, _Var)
            return subclass is cls or cls is Var and (is_node or subclass is DataflowVar)

        def __getattr__(cls, name):
            return getattr(_Var, name)

    class Var(metaclass=_VarType):
        __doc__ = _Var.__doc__
        __signature__ = inspect.signature(_Var)

        def __new__(cls, *args, **kwargs):
            return _Var.__new__(_Var)

    class DataflowVar(metaclass=_VarType):
        """A variable that only its dataflow block knows, with the parameters of Var."""

        __signature__ = inspect.signature(_Var)
