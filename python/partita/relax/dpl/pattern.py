# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What makes patterns of expressions: TVM's ``tvm.relax.dpl.pattern``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...ir.op import Op
from . import base, values
from .base import *  # noqa: F401,F403
from .base import AttrPattern, CallPattern, DataTypePattern, DFPattern, ExprPattern, NotPattern
from .context import DFConstraint, PatternSeq, SameShapeConstraint
from .values import *  # noqa: F401,F403
from .values import (
    ConstantPattern,
    DataflowVarPattern,
    ExternFuncPattern,
    GlobalVarPattern,
    PrimArrPattern,
    TupleGetItemPattern,
    TuplePattern,
    UnorderedTuplePattern,
    VarPattern,
    WildcardPattern,
)

__all__ = [
    "DFConstraint",
    "PatternSeq",
    "SameShapeConstraint",
    "has_attr",
    "has_dtype",
    "is_call_dps_packed",
    "is_call_packed",
    "is_call_tir",
    "is_const",
    "is_dfv",
    "is_expr",
    "is_gv",
    "is_op",
    "is_shape",
    "is_tuple",
    "is_tuple_get_item",
    "is_var",
    "make_fused_bias_activation_pattern",
    "reject",
    "wildcard",
]
__all__ += base.__all__
__all__ += values.__all__


def is_var(name: str = "") -> VarPattern:
    """A variable; "" is any name."""
    return VarPattern(name)


def is_dfv(name: str = "") -> DataflowVarPattern:
    """A variable that only its dataflow block knows; "" is any name."""
    return DataflowVarPattern(name)


def is_gv(name: str = "") -> GlobalVarPattern:
    """A function of the module with `name` in its name."""
    return GlobalVarPattern(name)


def is_const() -> ConstantPattern:
    """A constant."""
    return ConstantPattern()


def is_expr(expr: Any) -> ExprPattern:
    """This expression."""
    return ExprPattern(expr)


def is_op(op_name: str) -> ExprPattern:
    """An op, by its name, to be called: ``is_op("relax.add")(wildcard(), is_const())``."""
    return ExprPattern(Op.get(op_name))


def is_tuple(
    fields: Sequence[DFPattern], unordered: bool = False
) -> TuplePattern | UnorderedTuplePattern:
    """A tuple, if `unordered` with the fields in any order."""
    if not isinstance(fields, (list, tuple)):
        raise ValueError(f"expected the fields of a tuple as a list, but found {fields!r}")
    return UnorderedTuplePattern(fields) if unordered else TuplePattern(fields)


def is_tuple_get_item(tuple_value: DFPattern, index: int | None = None) -> TupleGetItemPattern:
    """A field of a tuple; None is any."""
    return TupleGetItemPattern(tuple_value, index)


def wildcard() -> WildcardPattern:
    """Any expression."""
    return WildcardPattern()


def reject(pattern: DFPattern) -> NotPattern:
    """All that a pattern does not describe."""
    return NotPattern(pattern)


def has_dtype(dtype: Any, pattern: DFPattern | None = None) -> DataTypePattern:
    """A tensor of these elements, which is what `pattern` describes."""
    return DataTypePattern(wildcard() if pattern is None else pattern, dtype)


def has_attr(attrs: Mapping[str, Any], pattern: DFPattern | None = None) -> AttrPattern:
    """A call with these attributes, which is what `pattern` describes."""
    return AttrPattern(wildcard() if pattern is None else pattern, attrs)


def is_shape(shape: Sequence[Any]) -> PrimArrPattern:
    """A shape that is a value."""
    if not isinstance(shape, (list, tuple)):
        raise ValueError(f"expected is_shape to get a list or a tuple, but found {shape!r}")
    return PrimArrPattern(shape)


def _as_tuple_pattern(args: Any) -> DFPattern:
    if args is None:
        return wildcard()
    return TuplePattern(args) if isinstance(args, (list, tuple)) else args


def is_call_tir(func_name: str, args: Any = None) -> CallPattern:
    """A call_tir of a function with `func_name` in its name; None is any arguments."""
    func = GlobalVarPattern(func_name)
    return is_op("relax.call_tir")(func, _as_tuple_pattern(args), add_constraint=False)


def is_call_dps_packed(func_name: str, args: Any = None) -> CallPattern:
    """A call_dps_packed of an extern function; None is any arguments."""
    func = ExternFuncPattern(func_name)
    return is_op("relax.call_dps_packed")(func, _as_tuple_pattern(args), add_constraint=False)


def is_call_packed(func_name: str, args: Sequence[DFPattern] | None = None) -> CallPattern:
    """A call of an extern function; None is any arguments."""
    if args is None:
        return ExternFuncPattern(func_name)(varg_default_wildcard=True, add_constraint=False)
    return ExternFuncPattern(func_name)(*args)


def make_fused_bias_activation_pattern(
    op_name: str,
    with_bias: bool = False,
    activation: str | None = None,
    allow_reshape: bool = False,
) -> DFPattern:
    """An op with a bias and an activation after it.

    Parameters
    ----------
    op_name : str
        The name of an op of two operands, such as "relax.nn.conv2d".
    with_bias : bool
        Whether its result is added to something.
    activation : str, optional
        The name of the op that is called at the end.
    allow_reshape : bool
        Whether the bias is the result of a relax.reshape.
    """
    made: DFPattern = is_op(op_name)(wildcard(), wildcard())
    if with_bias and allow_reshape:
        reshape = is_op("relax.reshape")
        bias = reshape(wildcard(), wildcard(), varg_default_wildcard=True)
        made = is_op("relax.add")(made, bias, varg_default_wildcard=True)
    elif with_bias:
        made = is_op("relax.add")(made, wildcard())
    return is_op(activation)(made) if activation else made
