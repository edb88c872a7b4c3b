# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The nodes of functions of tensors: TVM's ``tvm.relax.expr``."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from .block import Binding, BindingBlock, DataflowBlock, If, MatchCast, SeqExpr, VarBinding

# Scripts that compare constants import it from here.
from .elements import read_elements as _read_elements  # noqa: F401
from .function import Function
from .nodes import (
    IN_DATAFLOW,
    Call,
    Constant,
    GlobalVar,
    Op,
    Tuple,
    TupleGetItem,
    bind,
    const,
    match_cast,
    var,
)
from .nodes import Expr as _Node
from .nodes import Var as _Var
from .values import DataTypeImm, ExternFunc, PrimValue, ShapeExpr, StringImm, get_shape_of

if TYPE_CHECKING:
    # What most of them are, with its methods.
    from .nodes import Expr
    from .nodes import Var as DataflowVar
    from .nodes import Var as Var
else:
    from ..ir.expr import Expr

    class _VarType(type):
        """Makes the expressions that have a variable in TVM instances of Var and DataflowVar.

        nanobind's classes can have no metaclass for that, so these stand for the class in nodes:
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
                return isinstance(instance, _Node) and instance._scope == IN_DATAFLOW
            return isinstance(instance, _Var) or isinstance(instance, _Node) and instance._scope > 0

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


extern = ExternFunc

__all__ = [
    "Binding",
    "BindingBlock",
    "Call",
    "Constant",
    "DataTypeImm",
    "DataflowBlock",
    "DataflowVar",
    "Expr",
    "ExternFunc",
    "Function",
    "GlobalVar",
    "If",
    "MatchCast",
    "Op",
    "PrimValue",
    "SeqExpr",
    "ShapeExpr",
    "StringImm",
    "Tuple",
    "TupleGetItem",
    "Var",
    "VarBinding",
    "bind",
    "const",
    "extern",
    "get_shape_of",
    "match_cast",
    "var",
]
