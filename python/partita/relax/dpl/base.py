# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Patterns that combine and narrow others, and how patterns are printed.

A pattern never changes. Its text, which ``str`` gives, is what FuseOpsByPattern takes; a pattern
that is used twice in another one matches the same expression at both places.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ...errors import check_type
from ...ir.attrs import DictAttrs, from_attribute, to_attribute
from ...ir.call import Call
from ...ir.compare import structural_equal
from ...ir.context import get_context
from ...ir.dtype import element_type
from ...ir.global_var import GlobalVar
from ...ir.node import Expr
from ...ir.op import Op
from ...ir.relax_function import Function
from ...ir.types import ShapeType, TensorType, TupleType, as_value, to_mlir
from ...ir.values import PrimValue, ShapeExpr
from ...ir.var_classes import Var
from ...mlir import ir
from ...mlir._mlir_libs import _partita
from .context import Linked, PatternContext, PatternSeq, SameShapeConstraint
from .matcher import Matcher, call_parts
from .shapes import check_shape, is_same_shape, print_shape

__all__ = [
    "AndPattern",
    "AttrPattern",
    "CallPattern",
    "DFPattern",
    "DataTypePattern",
    "ExprPattern",
    "NotPattern",
    "OrPattern",
    "ShapePattern",
    "TypePattern",
]

_Pattern = TypeVar("_Pattern", bound="DFPattern")

# How tightly an operator binds its patterns.
OR, AND, UNARY, POSTFIX = range(4)


class DFPattern(Linked):
    """A description of expressions.

    ``p(q, r)`` describes a call, ``p | q`` one of two, ``p & q`` both, ``~p`` all others. In the
    scope of a PatternContext, ``p ^ q`` is the constraint that q uses p, and ``p >> q`` that nothing
    else does.
    """

    __slots__ = ("_parts",)

    _level = POSTFIX
    # Whether names in it stand for sizes that other patterns can name, too.
    _has_sizes = False

    def __init__(self, *parts: DFPattern):
        for part in parts:
            check_type(part, DFPattern, "a part of a pattern to be a pattern")
        self._parts = parts

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        """Whether it matches `expr`, which is no variable whose value is known."""
        raise NotImplementedError

    def _text(self, printer: Printer) -> str:
        """Its text, without a label."""
        raise NotImplementedError

    def _as_sequence(self) -> PatternSeq:
        return PatternSeq([self])

    def __str__(self) -> str:
        return Printer(self).print(self, OR)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __call__(
        self, *args: DFPattern, varg_default_wildcard: bool = False, add_constraint: bool = True
    ) -> CallPattern:
        """A call whose callee it describes; see CallPattern."""
        return CallPattern(self, args, varg_default_wildcard, add_constraint)

    def __or__(self, other: DFPattern) -> OrPattern:
        return OrPattern(self, other)

    def __and__(self, other: DFPattern) -> AndPattern:
        return AndPattern(self, other)

    def __invert__(self) -> NotPattern:
        return NotPattern(self)

    def dup(self: _Pattern) -> _Pattern:
        """Another pattern that is the same on the same parts, for another place in a context."""
        return copy.copy(self)

    def fork_to(self, *args: Linked) -> None:
        """Let each of `args`, patterns or sequences, use it."""
        for user in args:
            self.used_by(user)

    def same_shape_as(self, *args: DFPattern) -> SameShapeConstraint:
        """Let all of them match values of the same shape."""
        return SameShapeConstraint(self, *args)

    def optional(self, option: Any) -> OrPattern:
        """It, or what the function `option` makes of it."""
        return OrPattern(self, option(self))

    def has_attr(self, attrs: Mapping[str, Any]) -> AttrPattern:
        """It, if it is a call or a function that has these attributes."""
        return AttrPattern(self, attrs)

    def has_ty(self, ty: Any) -> TypePattern:
        """It, if its type is `ty`, or says more."""
        return TypePattern(self, ty)

    has_type = has_struct_info = has_ty

    def has_dtype(self, dtype: Any) -> DataTypePattern:
        """It, if it is a tensor of these elements."""
        return DataTypePattern(self, dtype)

    def has_shape(self, shape: Sequence[Any]) -> ShapePattern:
        """It, if it is a tensor of this shape."""
        if not isinstance(shape, (list, tuple)):
            raise ValueError(f"expected has_shape to get a list or a tuple, but found {shape!r}")
        return ShapePattern(self, shape)

    def match(self, expr: Any, var2val: Mapping[Any, Any] | None = None) -> bool:
        """Whether it describes `expr`.

        Parameters
        ----------
        expr : Expr, Function or GlobalVar
            The expression. A binding of a block is a variable, and its `value` what is computed.
        var2val : dict, optional
            The values of variables, as relax.analysis.get_var2val gives them: the variables count
            as their values.
        """
        return Matcher(var2val).visit(self, expr)

    def extract_matched_expr(
        self, expr: Any, var2val: Mapping[Any, Any] | None = None
    ) -> dict[DFPattern, Any] | None:
        """What each pattern in it has matched; None if it does not describe `expr`. See match."""
        matcher = Matcher(var2val)
        return dict(matcher.matched) if matcher.visit(self, expr) else None


class Printer:
    """Prints a pattern, and gives patterns in it that are used twice a label."""

    def __init__(self, pattern: DFPattern):
        self.counts: dict[DFPattern, int] = {}
        self.labels: dict[DFPattern, int] = {}
        pending = [pattern]
        while pending:
            part = pending.pop()
            self.counts[part] = self.counts.get(part, 0) + 1
            if self.counts[part] == 1:
                pending += part._parts

    def print(self, pattern: DFPattern, level: int) -> str:
        if self.counts[pattern] == 1 or isinstance(pattern, ExprPattern):
            text = pattern._text(self)
            return f"({text})" if pattern._level < level else text
        if pattern in self.labels:
            return f"${self.labels[pattern]}"
        self.labels[pattern] = len(self.labels)
        label = f"${self.labels[pattern]}"
        text = pattern._text(self)
        text = f"{label} = ({text})" if pattern._level < POSTFIX else f"{label} = {text}"
        return f"({text})" if level == POSTFIX else text

    def print_all(self, patterns: Sequence[DFPattern]) -> str:
        return ", ".join(self.print(pattern, OR) for pattern in patterns)

    def print_narrowed(self, pattern: DFPattern) -> str:
        # The name of an op has dots, too.
        level = OR if isinstance(pattern, ExprPattern) else POSTFIX
        text = self.print(pattern, level)
        return f"({text})" if isinstance(pattern, ExprPattern) else text


def check_pattern_name(name: str, what: str) -> str:
    check_type(name, str, f"the name of {what} to be a str")
    if set(name) & set('<>(){}[];"'):
        raise ValueError(f"expected the name of {what} to have no brackets, but found {name!r}")
    return name


class ExprPattern(DFPattern):
    """One expression: an op, a number, a shape, a function of the host, or any other.

    Only ops, numbers and shapes have a text.
    """

    __slots__ = ("expr",)

    def __init__(self, expr: Any):
        super().__init__()
        check_type(expr, (Expr, Op, GlobalVar, Function), "a pattern to be of an expression")
        #: The expression.
        self.expr = expr

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        if isinstance(self.expr, (Op, GlobalVar, Var)):
            return bool(self.expr == expr)
        is_value = isinstance(expr, (Expr, Function)) and not isinstance(expr, Var)
        return is_value and bool(structural_equal(self.expr, expr))

    def _text(self, printer: Printer) -> str:
        if isinstance(self.expr, Op):
            return self.expr.name
        if isinstance(self.expr, PrimValue) and "value" in self.expr._attrs:
            return f"number<{self.expr._attrs['value']}>"
        if isinstance(self.expr, ShapeExpr):
            return f"shape{print_shape(self.expr.values)}"
        raise TypeError(
            "expected a pattern of an op, a number or a shape, as only these have a text, but "
            f"found {self.expr!r}"
        )


class CallPattern(DFPattern):
    """A call. An add or a multiply can have its operands in the other order.

    Parameters
    ----------
    op : DFPattern
        The callee.
    args : sequence of DFPattern
        The arguments.
    varg_default_wildcard : bool
        Whether there can be more arguments.
    add_constraint : bool
        Whether it uses the arguments by a constraint of the PatternContext whose scope this is.
    """

    __slots__ = ("varg_default_wildcard",)

    def __init__(
        self,
        op: DFPattern,
        args: Sequence[DFPattern],
        varg_default_wildcard: bool = False,
        add_constraint: bool = True,
    ):
        super().__init__(op, *args)
        #: Whether there can be more arguments.
        self.varg_default_wildcard = bool(varg_default_wildcard)
        if add_constraint and PatternContext.current() is not None:
            for index, arg in enumerate(self.args):
                arg.used_by(self, index)

    @property
    def op(self) -> DFPattern:
        """The callee."""
        return self._parts[0]

    @property
    def args(self) -> tuple[DFPattern, ...]:
        """The arguments."""
        return self._parts[1:]

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        parts = call_parts(expr)
        if parts is None or not matcher.visit(self.op, parts[0]):
            return False
        callee, args = parts
        if len(args) < len(self.args):
            return False
        if len(args) > len(self.args) and not self.varg_default_wildcard:
            return False
        if matcher.visit_all(self.args, args):
            return True
        is_commutative = getattr(callee, "name", "") in ("relax.add", "relax.multiply")
        return is_commutative and matcher.visit_all(self.args, args[::-1])

    def _text(self, printer: Printer) -> str:
        callee = printer.print(self.op, POSTFIX)
        args = printer.print_all(self.args)
        if self.varg_default_wildcard:
            args += ", ..." if args else "..."
        return f"{callee}({args})"


class _PairPattern(DFPattern):
    """A pattern of two others."""

    __slots__ = ()

    def __init__(self, left: DFPattern, right: DFPattern):
        super().__init__(left, right)

    @property
    def left(self) -> DFPattern:
        """The first pattern."""
        return self._parts[0]

    @property
    def right(self) -> DFPattern:
        """The second pattern."""
        return self._parts[1]


class OrPattern(_PairPattern):
    """One of two patterns: the left one, if it matches."""

    __slots__ = ()

    _level = OR

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        return any(matcher.visit(part, expr) for part in self._parts)

    def _text(self, printer: Printer) -> str:
        left, right = self._parts
        return f"{printer.print(left, OR)} | {printer.print(right, AND)}"


class AndPattern(_PairPattern):
    """Both of two patterns."""

    __slots__ = ()

    _level = AND

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        return all(matcher.visit(part, expr) for part in self._parts)

    def _text(self, printer: Printer) -> str:
        left, right = self._parts
        return f"{printer.print(left, AND)} & {printer.print(right, UNARY)}"


class NotPattern(DFPattern):
    """All that a pattern does not describe."""

    __slots__ = ()

    _level = UNARY

    def __init__(self, to_reject: DFPattern):
        super().__init__(to_reject)

    @property
    def reject(self) -> DFPattern:
        """The pattern."""
        return self._parts[0]

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        return not matcher.visit(self._parts[0], expr)

    def _text(self, printer: Printer) -> str:
        return f"~{printer.print(self._parts[0], UNARY)}"


class _Narrowed(DFPattern):
    """A pattern that describes less than another one."""

    __slots__ = ()

    @property
    def pattern(self) -> DFPattern:
        """The other one."""
        return self._parts[0]


class DataTypePattern(_Narrowed):
    """A tensor of some elements.

    Parameters
    ----------
    pattern : DFPattern
        What the tensor has to be beside that.
    dtype : str
        The dtype of the elements.
    """

    __slots__ = ("dtype",)

    def __init__(self, pattern: DFPattern, dtype: Any):
        super().__init__(pattern)
        #: The dtype.
        self.dtype = str(dtype)
        element_type(self.dtype, get_context())

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        type_ = _type_of(expr)
        return (
            isinstance(type_, TensorType)
            and type_.dtype == self.dtype
            and matcher.visit(self._parts[0], expr)
        )

    def _text(self, printer: Printer) -> str:
        element = element_type(self.dtype, get_context())
        return f"{printer.print_narrowed(self._parts[0])}.dtype<{element}>"


class ShapePattern(_Narrowed):
    """A tensor of some shape.

    Parameters
    ----------
    pattern : DFPattern
        What the tensor has to be beside that.
    shape : sequence of int or PrimExpr
        The shape.
    """

    __slots__ = ("shape",)

    def __init__(self, pattern: DFPattern, shape: Sequence[Any]):
        super().__init__(pattern)
        #: The shape.
        self.shape = check_shape(shape)

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        type_ = _type_of(expr)
        return (
            isinstance(type_, TensorType)
            and type_.shape is not None
            and is_same_shape(self.shape, type_.shape)
            and matcher.visit(self._parts[0], expr)
        )

    def _text(self, printer: Printer) -> str:
        return f"{printer.print_narrowed(self._parts[0])}.shape{print_shape(self.shape)}"


class TypePattern(_Narrowed):
    """An expression whose type is a type, or says more.

    Parameters
    ----------
    pattern : DFPattern
        What the expression has to be beside that.
    ty : TensorType, ...
        The type. A name in a shape is any size, and the same one in all types of a pattern.
    """

    __slots__ = ("ty",)

    _has_sizes = True

    def __init__(self, pattern: DFPattern, ty: Any):
        super().__init__(pattern)
        #: The type.
        self.ty = as_value(ty)
        to_mlir(self.ty)

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        if not matcher.visit(self._parts[0], expr):
            return False
        type_ = _type_of(expr)
        return type_ is not None and _says_more(self.ty, type_) and _unify(matcher, self.ty, type_)

    def _text(self, printer: Printer) -> str:
        return f"{printer.print_narrowed(self._parts[0])}.type<{to_mlir(self.ty)}>"


class AttrPattern(_Narrowed):
    """A call or a function with some attributes.

    Parameters
    ----------
    pattern : DFPattern
        What the call has to be beside that.
    attrs : dict
        The attributes; there can be more.
    """

    __slots__ = ("attrs",)

    def __init__(self, pattern: DFPattern, attrs: Mapping[str, Any]):
        super().__init__(pattern)
        check_type(attrs, Mapping, "the attributes in a pattern to be a dict")
        #: The attributes.
        self.attrs = dict(attrs)
        self._attribute()

    def _attribute(self) -> ir.Attribute:
        return to_attribute(self.attrs, get_context())

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        if not matcher.visit(self._parts[0], expr):
            return False
        if isinstance(expr, Function):
            found: Mapping[str, Any] = expr.attrs
        elif call_parts(expr) is not None:
            found = call_attributes(expr)
        else:
            return False
        return all(
            name in found and _plain(found[name]) == _plain(value)
            for name, value in self.attrs.items()
        )

    def _text(self, printer: Printer) -> str:
        return f"{printer.print_narrowed(self._parts[0])}.attrs{self._attribute()}"


def call_attributes(call: Call) -> Mapping[str, Any]:
    """The attributes of a call that TVM has."""
    attrs = call.attrs
    if isinstance(call.op, Op) and any(p.name == "attrs_type" for p in call.op.params or ()):
        inner = attrs.get("attrs")
        return inner if isinstance(inner, Mapping) else {}
    return attrs


def _plain(value: Any) -> Any:
    """A value of an attribute that can be compared."""
    if isinstance(value, ir.Attribute):
        value = from_attribute(value)
    if isinstance(value, (list, tuple)):
        return [_plain(element) for element in value]
    if isinstance(value, (dict, DictAttrs)):
        return {key: _plain(element) for key, element in value.items()}
    return value


def _type_of(expr: Any) -> Any:
    """The type of an expression; None if it has none."""
    is_typed = isinstance(expr, Expr) and expr._types is not None
    return expr.struct_info if is_typed else None


def _without_names(type_: Any) -> Any:
    """A type in which a size that has a name is unknown."""
    if isinstance(type_, TupleType):
        return TupleType([_without_names(field) for field in type_.fields])
    if isinstance(type_, TensorType) and type_.shape is not None:
        shape = [size if isinstance(size, int) else None for size in type_.shape]
        return TensorType(shape, type_.dtype)
    if isinstance(type_, ShapeType) and type_.values is not None:
        return ShapeType([size if isinstance(size, int) else None for size in type_.values])
    return type_


def _says_more(general: Any, specific: Any) -> bool:
    """Whether each value of the type `specific` is one of `general`, whatever size a name is."""
    return bool(_partita.is_more_general(to_mlir(_without_names(general)), to_mlir(specific)))


def _unify(matcher: Matcher, general: Any, specific: Any) -> bool:
    """Whether names in a type can stand for the sizes in one that says more."""
    if isinstance(general, TupleType) and isinstance(specific, TupleType):
        pairs = zip(general.fields, specific.fields)
        return all(_unify(matcher, one, other) for one, other in pairs)
    if isinstance(general, TensorType) and isinstance(specific, TensorType):
        return matcher.unify(general.shape or (), specific.shape or ())
    if isinstance(general, ShapeType) and isinstance(specific, ShapeType):
        return matcher.unify(general.values or (), specific.values or ())
    return True
