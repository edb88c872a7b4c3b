# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that are expressions of names: TVM's variables and arithmetic of ``tvm.tirx``.

An expression is a str, its text, so that whoever reads shapes needs to know no other class.
"""

from __future__ import annotations

import builtins
import itertools
import math
import numbers
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

from ..errors import as_number, check_int64, check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .context import get_context
from .any_expr import Expr
from .prim_type import PrimType

__all__ = [
    "Condition",
    "PrimExpr",
    "Select",
    "Var",
    "ceildiv",
    "const",
    "div",
    "floordiv",
    "floormod",
    "if_then_else",
    "indexdiv",
    "indexmod",
    "max",
    "min",
    "substitute",
    "truncdiv",
    "truncmod",
    "undefined_vars",
]

Size = Union[int, "PrimExpr"]

# Limits of the parsers of sizes, which recurse, and of results of arithmetic.
_MAX_NESTING, _MAX_LENGTH = 31, 512
_INTEGER = re.compile(r"u?int\d+")
# The greatest finite numbers of types that are narrower than a float.
_FLOAT_LIMITS = {"float16": 65504.0, "float32": float.fromhex("0x1.fffffep+127")}


def _compute(form: str, *operands: Any) -> Any:
    """The size that `form` says, simplified; NotImplemented if an operand is none."""
    operands = tuple(map(as_number, operands))
    for operand in operands:
        is_int = isinstance(operand, int) and not isinstance(operand, bool)
        if not is_int and not isinstance(operand, PrimExpr):
            return NotImplemented
        if is_int:
            _check_bits(operand)
        elif operand.dtype != "int64":
            raise TypeError(
                "expected arithmetic of sizes, whose dtype is int64, but found "
                f"'{operand}', whose dtype is {operand.dtype}"
            )
    text = form.format(*(str(operand) for operand in operands))
    size = _partita.simplify_dim(text, get_context())
    if size is None and _is_beyond_arithmetic(form, operands):
        return PrimExpr(_format(form, operands))
    if size is None:
        limits = [
            ("brackets in each other", _nesting(text), _MAX_NESTING),
            ("characters", len(text), _MAX_LENGTH),
        ]
        for what, found, most in limits:
            if found > most:
                raise ValueError(
                    f"expected a size of at most {most} {what}, but found {found} in '{text}'; "
                    "a match_cast can give a part of it a name"
                )
        raise ValueError(
            "expected a size that is an expression of +, -, *, //, %, max and min, but found "
            f"'{text}'"
        )
    return size


def _check_bits(value: int) -> int:
    return check_int64(value, "a number of 64 bits")


def _is_beyond_arithmetic(form: str, operands: Sequence[Any]) -> bool:
    """Whether a size can be a text alone: of one that is, or a division by a negative number."""
    divides = "//" in form or "%" in form
    if divides and isinstance(operands[-1], int) and operands[-1] <= 0:
        return operands[-1] < 0
    return any(
        isinstance(operand, str) and _partita.simplify_dim(operand, get_context()) is None
        for operand in operands
    )


def _format(form: str, operands: Sequence[Any]) -> str:
    """`form` with the operands filled in, with as few brackets as the dialect writes."""
    own = _precedence(form.replace("({})", "x"))
    texts = []
    for index, operand in enumerate(operands):
        needed = own + (index > 0 and "+" not in form)
        is_inner = "({})" in form and _precedence(str(operand)) < needed
        texts.append(f"({operand})" if is_inner else str(operand))
    return form.replace("({})", "{}").format(*texts)


def _nesting(text: str) -> int:
    """How many brackets are open at the same time, including the brackets of calls."""
    steps = ({"(": 1, ")": -1}[bracket] for bracket in re.findall(r"[()]", text))
    return builtins.max(itertools.accumulate(steps), default=0)


def _precedence(text: str) -> int:
    """1 for a sum, 2 for a product, 3 for a text that needs no brackets."""
    depth, found = 0, 3
    for token in re.findall(r"[()]| (?:[+-]|\*|//|%) ", text):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth == 0 and token not in "()":
            found = builtins.min(found, 1 if token in (" + ", " - ") else 2)
    return found


def _is_equal(self: object, other: object) -> bool:
    """Whether `other` is equal: a size of that text, or that number, is the same everywhere."""
    return self == other


@Expr.register
class Condition:
    """A comparison of sizes, such as ``n < m``: the condition of if_then_else."""

    __slots__ = ("_text",)

    def __init__(self, text: str):
        self._text = text

    @property
    def dtype(self) -> str:
        """The type of all conditions, "bool"."""
        return "bool"

    def __bool__(self) -> bool:
        raise TypeError(
            f"expected a condition of numbers, but whether '{self}' holds is known when the "
            "program runs; use if_then_else for a size that depends on it"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and other._text == self._text

    def __hash__(self) -> int:
        return hash((Condition, self._text))

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Condition({self._text!r})"


def _comparison(token: str, compare_texts: Callable[[str, str], Any]) -> Callable[..., Any]:
    """The method that compares a size with another one, or, as text, with a plain str."""

    def compare(self: PrimExpr, other: Any) -> Any:
        if type(other) is str:
            return compare_texts(self, other)
        other = as_number(other)
        is_int = isinstance(other, int) and not isinstance(other, bool)
        if not is_int and not isinstance(other, PrimExpr):
            return NotImplemented
        return Condition(f"{self} {token} {other}")

    return compare


@_partita.known_as("PrimExpr")
@Expr.register
class PrimExpr(str):
    """A size: an expression of names and ints such as "n + 1".

    ``+``, ``-``, ``*``, ``//`` and ``%`` with an int or another expression make expressions,
    simplified as by the dialect, or an int; ``<``, ``<=``, ``>`` and ``>=`` make a Condition.
    A plain str compares with it as with any other str, but can't be added. Two are equal if their
    texts are.
    """

    __slots__ = ()

    # Makes NumPy's numbers leave `number + size` to __radd__.
    __array_ufunc__ = None

    def _to_attribute(self, context: ir.Context) -> ir.Attribute:
        return _partita.write_node(self, context)

    def __add__(self, other: Any) -> Any:
        return _compute("({}) + ({})", self, other)

    def __radd__(self, other: Any) -> Any:
        if type(other) is str:
            # Python would join the texts.
            raise TypeError("expected an int or a size to be added to a size, but found str")
        return _compute("({}) + ({})", other, self)

    def __sub__(self, other: Any) -> Any:
        return _compute("({}) - ({})", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _compute("({}) - ({})", other, self)

    def __mul__(self, other: Any) -> Any:
        return _compute("({}) * ({})", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _compute("({}) * ({})", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return _compute("({}) // ({})", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _compute("({}) // ({})", other, self)

    def __mod__(self, other: Any) -> Any:
        return _compute("({}) % ({})", self, other)

    def __rmod__(self, other: Any) -> Any:
        # The right side of "%s" % size.
        return other % str(self) if type(other) is str else _compute("({}) % ({})", other, self)

    __lt__ = _comparison("<", str.__lt__)
    __le__ = _comparison("<=", str.__le__)
    __gt__ = _comparison(">", str.__gt__)
    __ge__ = _comparison(">=", str.__ge__)

    def __neg__(self) -> Any:
        return _compute("({}) * -1", self)

    def __truediv__(self, other: Any) -> Any:
        raise TypeError("expected a size to be divided by floordiv or //, but found /")

    __rtruediv__ = __truediv__

    @property
    def dtype(self) -> str:
        """The type of all sizes, "int64"."""
        return "int64"

    @property
    def ty(self) -> PrimType:
        """The same as a PrimType."""
        return PrimType(self.dtype)

    same_as = is_ = _is_equal


@_partita.known_as("SizeVar")
class Var(PrimExpr):
    """The name of a size; all of this name in a function are equal.

    Parameters
    ----------
    name : str
        The name: letters, digits and underscores.
    dtype : str, optional
        "int64", which all sizes are; TVM 0.27 calls it `ty`. One of another dtype is a variable
        that can be a parameter and an operand, but no size.
    """

    __slots__ = ()

    def __new__(
        cls, name: str | None = None, dtype: Any = "int64", span: Any = None, **others: Any
    ) -> Var:
        # Their names in TVM 0.27.
        name, dtype = others.pop("name_hint", name), others.pop("ty", dtype)
        if others:
            raise TypeError(f"expected a name and a dtype, but found {', '.join(others)}")
        dtype = getattr(dtype, "dtype", dtype)
        check_type(name, str, "the name of a size to be a str")
        if not name.isidentifier():
            raise ValueError(f"expected the name of a size to be an identifier, but found '{name}'")
        if str(dtype) == "int64":
            return super().__new__(cls, name)
        made = super().__new__(_OtherVar, name)
        made._dtype = str(dtype)
        return made

    @property
    def name(self) -> str:
        """The name."""
        return str(self)

    #: The same, by its older name in TVM.
    name_hint = name


@_partita.known_as("FunctionSizeVar")
class _FunctionVar(Var):
    """A name that was read from a function of a module: names of other functions differ from it.

    It is equal to the same name without a function.
    """

    __slots__ = ("_function",)

    _function: str

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _FunctionVar) and other._function != self._function:
            return False
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


def function_of_var(name: Any) -> str | None:
    """The name of the function that a name was read from, if a module has it."""
    return name._function if isinstance(name, _FunctionVar) else None


class _OtherVar(Var):
    """A variable that is no size."""

    _dtype: str
    #: It as an operand of Relax, once it was one.
    _value: Any = None

    @property
    def dtype(self) -> str:
        """Its dtype."""
        return self._dtype

    def __reduce__(self) -> tuple[Any, ...]:
        return (Var, (str(self), self._dtype))


@_partita.known_as("IntImm")
@Expr.register
class IntImm(int):
    """A number of a type: an int, where one is taken. Sizes that are numbers read as it.

    Parameters
    ----------
    dtype : str
        Its type.
    value : int
        The number.
    """

    def __new__(cls, dtype: Any, value: int, span: Any = None) -> IntImm:
        dtype = getattr(dtype, "dtype", dtype)
        if _INTEGER.fullmatch(str(dtype)) is None:
            raise ValueError(f"expected the dtype of an IntImm to be an integer's, found '{dtype}'")
        check_type(as_number(value), (int, float), "the value of an IntImm to be an int")
        made = super().__new__(cls, value)
        is_unsigned, bits = str(dtype).startswith("u"), int(str(dtype).rpartition("int")[2])
        low = 0 if is_unsigned else -(2 ** (bits - 1))
        if not low <= int(made) < low + 2**bits:
            raise ValueError(
                f"expected {dtype} to be in {low} to {low + 2**bits - 1}, but found {int(made)}"
            )
        if str(dtype) != cls.dtype:
            made.dtype = str(dtype)
        return made

    dtype: str = "int64"

    def __reduce__(self) -> tuple[Any, ...]:
        return (IntImm, (self.dtype, int(self)))

    @property
    def value(self) -> int:
        """The number."""
        return int(self)

    @property
    def ty(self) -> PrimType:
        """Its type, a PrimType."""
        return PrimType(self.dtype)

    same_as = is_ = _is_equal


@Expr.register
class FloatImm(float):
    """A number of a type: a float, where one is taken.

    Parameters
    ----------
    dtype : str
        Its type.
    value : float
        The number.
    """

    def __new__(cls, dtype: Any, value: float, span: Any = None) -> FloatImm:
        dtype = getattr(dtype, "dtype", dtype)
        if not re.match("b?float", str(dtype)):
            raise ValueError(f"expected the dtype of a FloatImm to be a float's, found '{dtype}'")
        made = super().__new__(cls, value)
        made.dtype = str(dtype)
        limit = _FLOAT_LIMITS.get(made.dtype, math.inf)
        if not math.isinf(made) and abs(made) > limit:
            raise ValueError(
                f"expected {dtype} to be in {-limit} to {limit}, but found {float(made)}"
            )
        return made

    dtype: str

    def __reduce__(self) -> tuple[Any, ...]:
        return (FloatImm, (self.dtype, float(self)))

    @property
    def value(self) -> float:
        """The number."""
        return float(self)

    @property
    def ty(self) -> PrimType:
        """Its type, a PrimType."""
        return PrimType(self.dtype)

    same_as = is_ = _is_equal


def const(value: Any, dtype: Any = None, span: Any = None) -> Any:
    """The number as an IntImm or a FloatImm.

    Parameters
    ----------
    value : bool, int or float
        The number.
    dtype : str, optional
        Its type; by default int32 or float32, or one of 64 bits if it does not fit there.
    """
    check_type(value, numbers.Real, "a number")
    value = int(value) if isinstance(value, numbers.Integral) else float(value)
    if dtype is None and isinstance(value, float):
        is_large = not math.isinf(value) and abs(value) > _FLOAT_LIMITS["float32"]
        dtype = "float64" if is_large else "float32"
    elif dtype is None:
        dtype = "int32" if -(2**31) <= value < 2**31 else "int64"
    return FloatImm(dtype, value) if "float" in str(dtype) else IntImm(dtype, value)


def _checked(form: str, *operands: Any) -> Any:
    size = _compute(form, *operands)
    if size is NotImplemented:
        raise TypeError(
            "expected sizes, which are ints or expressions of tir.Var, but found "
            + " and ".join(type(operand).__name__ for operand in operands)
        )
    return size


def _are_numbers(*operands: Any) -> bool:
    return all(isinstance(operand, int) for operand in operands)


def floordiv(a: Size, b: Size, span: Any = None) -> Size:
    """``a // b``."""
    return _check_bits(a // b) if _are_numbers(a, b) else _checked("({}) // ({})", a, b)


def floormod(a: Size, b: Size, span: Any = None) -> Size:
    """``a % b``."""
    return a % b if _are_numbers(a, b) else _checked("({}) % ({})", a, b)


def ceildiv(a: Size, b: Size, span: Any = None) -> Size:
    """``(a + b - 1) // b``."""
    return -(-a // b) if _are_numbers(a, b) else floordiv(_checked("({}) + ({}) - 1", a, b), b)


def max(a: Any, b: Any, span: Any = None) -> Size:
    """The greater one."""
    if _are_numbers(a, b):
        return int(a if a > b else b)
    return _checked("max({}, {})", a, b)


def min(a: Any, b: Any, span: Any = None) -> Size:
    """The smaller one."""
    if _are_numbers(a, b):
        return int(a if a < b else b)
    return _checked("min({}, {})", a, b)


def if_then_else(cond: Any, t: Size, f: Size, span: Any = None) -> Size:
    """`t` where a condition such as ``n < m`` holds, else `f`; no arithmetic simplifies it."""
    return _choose("prim.if_then_else:int64", cond, t, f)


def Select(condition: Any, true_value: Size, false_value: Size, span: Any = None) -> Size:
    """Like if_then_else; TVM computes both values."""
    return _choose("select", condition, true_value, false_value)


def _choose(function: str, condition: Any, *sizes: Any) -> Any:
    check_type(condition, (bool, Condition), "a condition, such as n < m")
    sizes = tuple(map(as_number, sizes))
    for size in sizes:
        check_type(size, (int, PrimExpr), "a size, which is an int or an expression of tir.Var")
    if isinstance(condition, bool):
        return sizes[0] if condition else sizes[1]
    return PrimExpr(f"{function}({condition}, {sizes[0]}, {sizes[1]})")


# For sizes, which are not negative, TVM's divisions are the same.
div = truncdiv = indexdiv = floordiv
truncmod = indexmod = floormod

# Names, except names of functions and types: "cast:int64(prim.ceil:float32(n - m))".
_NAME = re.compile(r"(?<![\w.:])[A-Za-z_]\w*(?![\w.:]*\s*\()")


def undefined_vars(expr: Any) -> list[Var]:
    """The names in a size, each once."""
    if isinstance(expr, _FunctionVar):
        return [expr]
    text = expr if isinstance(expr, str) else ""
    return [Var(name) for name in dict.fromkeys(_NAME.findall(text))]


def substitute(expr: Any, vmap: Mapping[Any, Any]) -> Any:
    """A size with other sizes in place of names."""
    if not isinstance(expr, str):
        return expr
    if expr in vmap:
        return vmap[expr]
    if not any(name in vmap for name in undefined_vars(expr)):
        return expr

    def replace(found: re.Match[str]) -> str:
        size = str(vmap.get(found[0], found[0]))
        return size if re.fullmatch(r"\w+", size) else f"({size})"

    text = _NAME.sub(replace, expr)
    size = _partita.simplify_dim(text, get_context())
    return PrimExpr(text) if size is None else size
