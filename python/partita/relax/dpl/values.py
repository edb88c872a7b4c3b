# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Patterns of variables, functions, tuples and other values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import check_type
from ...ir.call import TupleGetItem
from ...ir.constant import Constant
from ...ir.global_var import GlobalVar
from ...ir.lift import Tuple
from ...ir.relax_function import Function
from ...ir.values import ExternFunc, ShapeExpr, global_name
from ...ir.var_classes import DataflowVar, Var
from .base import POSTFIX, DFPattern, Printer, check_pattern_name
from .matcher import Matcher
from .shapes import check_shape, is_same_shape, print_shape

__all__ = [
    "ConstantPattern",
    "DataflowVarPattern",
    "ExternFuncPattern",
    "FunctionPattern",
    "GlobalVarPattern",
    "PrimArrPattern",
    "TupleGetItemPattern",
    "TuplePattern",
    "UnorderedTuplePattern",
    "VarPattern",
    "WildcardPattern",
]


class VarPattern(DFPattern):
    """A variable.

    Parameters
    ----------
    name_hint : str
        Its name; "" is any.
    """

    __slots__ = ("name",)

    _word, _class = "var", Var

    def __init__(self, name_hint: str = ""):
        super().__init__()
        #: The name.
        self.name = check_pattern_name(name_hint, "a variable")

    @property
    def name_hint(self) -> str:
        """The same as `name`."""
        return self.name

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        return isinstance(expr, self._class) and self.name in ("", expr.name_hint)

    def _text(self, printer: Printer) -> str:
        return self._word + (f"<{self.name}>" if self.name else "")


class DataflowVarPattern(VarPattern):
    """A variable that only its dataflow block knows; see VarPattern."""

    __slots__ = ()

    _word, _class = "dfv", DataflowVar


class GlobalVarPattern(VarPattern):
    """A function of the module that has a text in its name."""

    __slots__ = ()

    _word = "gv"

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        # As a field of a tuple it is an operand.
        name = expr.name_hint if isinstance(expr, GlobalVar) else global_name(expr)
        return name is not None and self.name in name


class ExternFuncPattern(DFPattern):
    """An extern function.

    Parameters
    ----------
    global_symbol : str
        Its name; "" is any.
    """

    __slots__ = ("global_symbol",)

    def __init__(self, global_symbol: str = ""):
        super().__init__()
        #: The name.
        self.global_symbol = check_pattern_name(global_symbol, "an extern function")

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        is_extern = isinstance(expr, ExternFunc)
        return is_extern and self.global_symbol in ("", expr.global_symbol)

    def _text(self, printer: Printer) -> str:
        return "extern" + (f"<{self.global_symbol}>" if self.global_symbol else "")


class ConstantPattern(DFPattern):
    """A constant."""

    __slots__ = ()

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        return isinstance(expr, Constant)

    def _text(self, printer: Printer) -> str:
        return "const"


class WildcardPattern(DFPattern):
    """Any expression."""

    __slots__ = ()

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        return True

    def _text(self, printer: Printer) -> str:
        return "*"


class FunctionPattern(DFPattern):
    """A function that is a value. It has no text.

    Parameters
    ----------
    params : sequence of DFPattern
        The parameters.
    body : DFPattern
        What the function returns.
    """

    __slots__ = ()

    def __init__(self, params: Sequence[DFPattern], body: DFPattern):
        super().__init__(*params, body)

    @property
    def params(self) -> tuple[DFPattern, ...]:
        """The parameters."""
        return self._parts[:-1]

    @property
    def body(self) -> DFPattern:
        """What the function returns."""
        return self._parts[-1]

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        if not isinstance(expr, Function) or len(expr.params) != len(self._parts) - 1:
            return False
        body = getattr(expr.body, "body", expr.body)
        return matcher.visit_all(self._parts, [*expr.params, body])

    def _text(self, printer: Printer) -> str:
        raise TypeError("expected a pattern that has a text, but found a FunctionPattern")


class TuplePattern(DFPattern):
    """A tuple.

    Parameters
    ----------
    fields : sequence of DFPattern
        The fields.
    """

    __slots__ = ()

    _word = "tuple"

    def __init__(self, fields: Sequence[DFPattern]):
        super().__init__(*fields)

    @property
    def fields(self) -> tuple[DFPattern, ...]:
        """The fields."""
        return self._parts

    def __len__(self) -> int:
        return len(self._parts)

    def __getitem__(self, index: int | None) -> TupleGetItemPattern:
        """A field of the tuple; None is any."""
        if index is not None and not -len(self) <= index < len(self):
            raise IndexError(f"expected one of {len(self)} fields, but found {index}")
        return TupleGetItemPattern(self, index if index is None else index % len(self))

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        return (
            isinstance(expr, Tuple)
            and len(expr.fields) == len(self)
            and matcher.visit_all(self.fields, expr.fields)
        )

    def _text(self, printer: Printer) -> str:
        return f"{self._word}({printer.print_all(self.fields)})"


class UnorderedTuplePattern(TuplePattern):
    """A tuple with the fields in any order; see TuplePattern."""

    __slots__ = ()

    _word = "unordered"

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        return (
            isinstance(expr, Tuple)
            and len(expr.fields) == len(self)
            and matcher.visit_unordered(self.fields, expr.fields)
        )


class TupleGetItemPattern(DFPattern):
    """A field of a tuple.

    Parameters
    ----------
    tuple_value : DFPattern
        The tuple.
    index : int, optional
        The number of the field; None is any.
    """

    __slots__ = ("index",)

    def __init__(self, tuple_value: DFPattern, index: int | None = None):
        super().__init__(tuple_value)
        if index is not None:
            check_type(index, int, "the number of a field to be an int")
        #: The number of the field, or -1 for any.
        self.index = -1 if index is None else index

    @property
    def tuple(self) -> DFPattern:
        """The tuple."""
        return self._parts[0]

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        return (
            isinstance(expr, TupleGetItem)
            and self.index in (-1, expr.index)
            and matcher.visit(self.tuple, expr.tuple_value)
        )

    def _text(self, printer: Printer) -> str:
        index = "?" if self.index < 0 else self.index
        return f"{printer.print(self.tuple, POSTFIX)}[{index}]"


class PrimArrPattern(DFPattern):
    """A shape that is a value.

    Parameters
    ----------
    shape : sequence of int or PrimExpr
        The shape.
    """

    __slots__ = ("fields",)

    def __init__(self, shape: Sequence[Any]):
        super().__init__()
        #: The sizes.
        self.fields = check_shape(shape)

    def __len__(self) -> int:
        return len(self.fields)

    def __getitem__(self, index: int) -> Any:
        return self.fields[index]

    def _matches(self, matcher: Matcher, expr: Any) -> bool:
        return isinstance(expr, ShapeExpr) and is_same_shape(self.fields, expr.values)

    def _text(self, printer: Printer) -> str:
        return f"shape{print_shape(self.fields)}"
