# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base of expressions, which the bodies of functions are made of.

Expressions are objects in a graph without cycles, in which an expression that is used twice is
one object. They hold types and attributes, which belong to the MLIR context, but no ops: so no
pass can change or free them. python/Extension/Expr*.cpp has the fields, and reads, builds and
visits the graph. Operators make calls, which are expressions, too: the extension makes these
(``_partita.make_call``), as it knows the class of each kind of expression.
Users find the classes in partita.relax and partita.relax.expr.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import describe_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .any_expr import Expr as AnyExpr
from .op import Op
from .operators import operator as binary
from .show import script, show
from .types import Type, from_mlir

if TYPE_CHECKING:
    from .call import Call

__all__ = ["FREE", "IN_DATAFLOW", "Expr", "Kind", "Native"]


class Kind:
    """The kinds of expressions, as Expr::Kind in python/Extension/Expr.h has them."""

    VAR, CONSTANT, TUPLE, TUPLE_GET_ITEM, CALL, IF, SEQ_EXPR = range(7)


# The `_scope` of an expression that no block binds, and of one in a dataflow block, as in C++.
FREE = 0
IN_DATAFLOW = 2

# What an expression holds in C++, under the names that it has in each class.
Native = _partita.Expr


@AnyExpr.register
class Expr(Native):
    """An expression; arithmetic, comparisons with `<`, `<=`, `>`, `>=`, `@` and `astype` make others.

    It is its own variable. As a binding of a block it has TVM's fields `var`, which is the
    expression itself, and `value`, which equals it but is no instance of ``relax.Var``.

    Attributes
    ----------
    loc : mlir.ir.Location or None
        Where it comes from.
    """

    __slots__ = ()

    @property
    def struct_info(self) -> Type:
        """The type of the value: TensorType, TupleType, ..., or Type.missing()."""
        try:
            type_ = self._type
        except ValueError:
            return Type.missing()
        return from_mlir(type_, self)

    #: The same, by its name in Relay.
    checked_type = struct_info

    def _to_attribute(self, context: ir.Context) -> ir.Attribute:
        return _partita.write_node(self, context)

    @property
    def span(self) -> ir.Location | None:
        """The same as `loc`, by its name in TVM."""
        return self.loc

    @property
    def ty(self) -> Type:
        """The same as `struct_info`, by its name in TVM 0.27."""
        return self.struct_info

    @property
    def var(self) -> Expr:
        """The variable that the value is bound to: the expression itself."""
        return self

    @property
    def vid(self) -> Expr:
        """What tells variables apart: the expression itself."""
        return self

    #: What is computed: an equal expression that is no variable, unless its class says otherwise.
    value: Any = Native._own_value

    @property
    def name_hint(self) -> str:
        """Its name in the text; empty if it has none."""
        loc = self.loc
        return loc.name_str if loc is not None and loc.is_a_name() else ""

    @property
    def name(self) -> str:
        """The same as `name_hint`, by its name in TVM 0.27."""
        return self.name_hint

    def same_as(self, other: object) -> bool:
        """Whether `other` is this very expression."""
        return self == other

    is_ = same_as

    def __call__(self, *args: Any, **kwargs: Any) -> Call:
        """A call of a function that is a value, with `args`."""
        return _partita.make_call(self, args, **kwargs)

    __add__ = binary("relax.add", operator.add)
    __radd__ = binary("relax.add", operator.add, True)
    __sub__ = binary("relax.subtract", operator.sub)
    __rsub__ = binary("relax.subtract", operator.sub, True)
    __mul__ = binary("relax.multiply", operator.mul)
    __rmul__ = binary("relax.multiply", operator.mul, True)
    __truediv__ = binary("relax.divide")
    __rtruediv__ = binary("relax.divide", None, True)
    __floordiv__ = binary("relax.floor_divide", operator.floordiv)
    __rfloordiv__ = binary("relax.floor_divide", operator.floordiv, True)
    __mod__ = binary("relax.mod", operator.mod)
    __rmod__ = binary("relax.mod", operator.mod, True)
    __pow__ = binary("relax.power")
    __rpow__ = binary("relax.power", None, True)
    __matmul__ = binary("relax.matmul")
    __lt__ = binary("relax.less")
    __gt__ = binary("relax.greater")
    __le__ = binary("relax.less_equal")
    __ge__ = binary("relax.greater_equal")
    # Makes NumPy's arrays leave `array + expr` to __radd__.
    __array_ufunc__ = None

    def __neg__(self) -> Call:
        return _partita.make_call(Op.get("relax.negative"), [self])

    def astype(self, dtype: Any) -> Call:
        """The elements converted to another type."""
        return _partita.make_call(Op.get("relax.astype"), [self], {"dtype": dtype})

    def __getitem__(self, index: int) -> Expr:
        """A field of a tuple."""
        count = self._count_fields("take a field of")
        if isinstance(index, int) and -count <= index < 0:
            index += count
        if isinstance(index, int) and index >= count:
            raise IndexError(f"expected one of {count} fields, but found {index}")
        return _partita.make_field(self, index)

    def __iter__(self) -> Iterator[Expr]:
        count = self._count_fields("iterate over")
        return iter([_partita.make_field(self, index) for index in range(count)])

    def _count_fields(self, what: str) -> int:
        type_ = self._type
        if not isinstance(type_, ir.TupleType):
            raise TypeError(f"expected a tuple to {what}, but found {type_}")
        return type_.num_types

    def __reduce__(self) -> tuple[Any, ...]:
        # The module `pickling` registers what saves the package's own classes.
        raise TypeError(
            "expected an expression of Partita's own classes to save, but found "
            + describe_type(self)
        )

    # Python would make `in` of __getitem__, and compare objects where numbers are meant.
    __contains__ = None

    __str__ = _partita.describe
    script, show = script, show
