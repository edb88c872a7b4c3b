# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables and the values that they are bound to."""

from __future__ import annotations

from typing import Any

from ..errors import check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .call import Call, match_cast
from .global_var import GlobalVar
from .lift import lift
from .names import also_named
from .node import Expr
from .values import MATCH_CAST
from .var import Var

__all__ = ["BINDINGS", "Binding", "MatchCast", "VarBinding", "bind", "rebind"]


def bind(var: Var, value: Any) -> Var:
    """Give a free variable its value."""
    if hasattr(value, "_as_value"):
        if var._types is None:
            raise ValueError(
                f"expected the Var '{var.name_hint}' to have a type, as its value is a function"
            )
    else:
        value = lift(value)
        if value._types is not None and var._types is not None and value._type != var._type:
            value = match_cast(value, var._type)
        if value.loc is None and not isinstance(value, Var) and value._types is not None:
            value.loc = ir.Location.name(var.name_hint, context=value._context)
    if hasattr(value, "_as_value") and value._uses(var):
        # In a function that calls itself, its variable is another one.
        value, own = value._separate(var)
        var._bind(value)
        var._bind_self(own)
        return var
    var._bind(value)
    return var


@_partita.known_as("rebind")
def rebind(var: Var, value: Any) -> Any:
    """What takes the place of `var`, whose value is now `value`."""
    if isinstance(value, GlobalVar):
        return value
    if hasattr(value, "_as_value"):
        return value._as_value(var.name_hint, *var._args[1:], span=var.loc)
    value = lift(value)
    return bind(Var(var.name_hint, value._type, var.loc), value)


class _BindingType(type):
    """Makes the expressions in a block instances of VarBinding or MatchCast."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        if not isinstance(instance, Expr):
            return False
        is_cast = isinstance(instance, Call) and instance.op is MATCH_CAST
        has_value = instance.value is not None if isinstance(instance, Var) else instance._scope > 0
        return (is_cast or has_value) and (cls is Binding or is_cast == (cls is MatchCast))


class Binding(metaclass=_BindingType):
    """A variable and its value. In the blocks of a function, an expression is both.

    It is equal to the expression that stands for it in a block.
    """

    __slots__ = ("var", "value", "bound")

    def __init__(self, var: Expr, value: Any):
        check_type(var, Expr, "the variable of a binding to be a Var")
        if not hasattr(value, "_as_value"):
            value = _partita.to_variable(lift(value))
        #: The value; `bound` is what the variable is bound to, the cast of a MatchCast.
        self.var, self.value, self.bound = var, value, value
        if isinstance(var, Var) and var.value is None:
            self.bound = bind(var, value).value

    def get_expr(self) -> Any:
        """The expression that is the binding in a block."""
        if isinstance(self.var, Var):
            return self.var
        return lift(self.bound)

    def same_as(self, other: object) -> bool:
        """Whether `other` is this very binding."""
        return self == other

    is_ = same_as

    def __eq__(self, other: object) -> bool:
        expr = getattr(other, "get_expr")() if type(other) in BINDINGS else other
        return self is other or self.get_expr() is expr

    def __hash__(self) -> int:
        return hash(self.get_expr())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.var!r}, {self.value!r})"


class VarBinding(Binding):
    """Gives a variable its value.

    Parameters
    ----------
    var : Var
        A variable without a value.
    value : Expr or Function
        Its value.
    """

    __slots__ = ()


class MatchCast(Binding):
    """Gives a variable a value, cast to a type that the program checks when it runs."""

    __slots__ = ("struct_info",)

    @also_named(ty="struct_info")
    def __init__(self, var: Expr, value: Any, struct_info: Any):
        super().__init__(var, match_cast(value, struct_info))
        self.value, self.struct_info = lift(value), struct_info

    @property
    def ty(self) -> Any:
        """The same as `struct_info`, by its name in TVM 0.27."""
        return self.struct_info


# As isinstance takes expressions for bindings, too.
BINDINGS = (Binding, VarBinding, MatchCast)
