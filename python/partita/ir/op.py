# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops that calls call."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ..errors import NoOpError, check_int, check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from ._ops_gen import OPS as _OPS
from .any_expr import Expr
from .identity import is_same

if TYPE_CHECKING:
    from .call import Call


class Param(NamedTuple):
    """A parameter of an op: an operand or an attribute."""

    name: str
    kind: str  # "operand", "operands", "number" (an operand) or an attribute's class.
    is_required: bool

    @property
    def is_operand(self) -> bool:
        return self.kind in ("operand", "operands", "number")


class ArgumentInfo(NamedTuple):
    """An argument of an op."""

    name: str
    type_info: str
    description: str = ""


# TVM's names of operands that have other names in the dialect, in all ops.
TVM_NAMES = {"lhs": "x1", "rhs": "x2"}

# The arguments of ops that call a value.
_CALL_ARGUMENTS = (ArgumentInfo("func", "Expr"), ArgumentInfo("args", "Tuple"))


@_partita.known_as("Op")
@Expr.register
class Op:
    """An operation that a Call calls; there is one object for each name."""

    __slots__ = ("name", "params", "infers_type", "doc", "tuple_index", "attr_kinds")

    _all: ClassVar[dict[str, Op]] = {}

    def __init__(
        self,
        name: str,
        doc: str = "",
        tuple_index: int = -1,
        params: Sequence[Param] | None = None,
    ):
        self.name = name
        self.params = params
        self.infers_type = params is not None
        self.doc = inspect.cleandoc(doc)
        # The argument that is a tuple in TVM, of operands that are one by one here; -1 if none is.
        self.tuple_index = tuple_index
        # The kinds of the attributes that its calls can have.
        self.attr_kinds = {p.name: p.kind for p in params or () if not p.is_operand}

    @staticmethod
    def get(op_name: str) -> Op:
        """The op with a name such as "relax.add".

        Raises
        ------
        NoOpError
            If the relax dialect has no such op. It is a ValueError, and an AttributeError as in
            TVM.
        """
        if op_name not in Op._all:
            import difflib

            check_type(op_name, str, "the name of an op to be a str")
            near = difflib.get_close_matches(op_name, Op._all)
            hint = f"; the nearest are {', '.join(near)}" if near else ""
            raise NoOpError(f"expected an op of relax, but found '{op_name}'{hint}")
        return Op._all[op_name]

    @staticmethod
    def list_op_names() -> list[str]:
        """The names of all ops of relax."""
        return sorted(Op._all)

    def __call__(self, *args: Any, **attrs: Any) -> Call:
        return _partita.make_call(self, args, attrs)

    same_as = is_ = is_same

    def _to_attribute(self, context: ir.Context) -> ir.Attribute:
        return _partita.write_node(self, context)

    @property
    def description(self) -> str:
        """What the op computes; the same as `doc`, by its name in TVM."""
        return self.doc

    @property
    def arguments(self) -> list[ArgumentInfo]:
        """What the op computes with: operands, but no attributes."""
        if self.params is None:
            return list(_CALL_ARGUMENTS)
        return [
            ArgumentInfo(
                TVM_NAMES.get(p.name, p.name),
                {"operands": "Tuple", "number": "PrimExpr"}.get(p.kind, "Expr"),
            )
            for p in self.params
            if p.is_operand
        ]

    @property
    def num_inputs(self) -> int:
        """How many `arguments` the op has."""
        return len(self.arguments)

    # Attributes of users, by their names and the names of ops.
    _attrs: ClassVar[dict[str, dict[str, tuple[Any, int]]]] = {}

    def has_attr(self, attr_name: str) -> bool:
        """Whether some op has been given the attribute, so that get_attr knows it."""
        check_type(attr_name, str, "the name of an attribute of ops to be a str")
        return attr_name in Op._attrs

    def get_attr(self, attr_name: str) -> Any:
        """The attribute that set_attr or register_op_attr has given to the op; None without it.

        Raises
        ------
        RuntimeError
            If no op has been given an attribute of this name.
        """
        if not self.has_attr(attr_name):
            known = ", ".join(sorted(Op._attrs)) or "none"
            raise RuntimeError(
                "expected an attribute that ir.register_op_attr has given to an op, but found "
                f"'{attr_name}'; known are: {known}. What TVM says of its ops, passes know here: "
                "relax.analysis.contains_impure_call tells whether a call may write"
            )
        return Op._attrs[attr_name].get(self.name, (None, 0))[0]

    def set_attr(self, attr_name: str, value: Any, plevel: int = 10) -> None:
        """Give the op an attribute; it replaces one of a lower level."""
        check_type(attr_name, str, "the name of an attribute of ops to be a str")
        if value is None:
            raise ValueError(f"expected a value of the attribute '{attr_name}', but found None")
        check_int(plevel, "the level of an attribute to be an int")
        values = Op._attrs.setdefault(attr_name, {})
        _, level = values.get(self.name, (None, plevel - 1))
        if level == plevel:
            raise RuntimeError(
                f"expected the attribute '{attr_name}' of {self.name} to be set once at the level "
                f"{plevel}, but it has been; a higher plevel replaces it, and reset_attr removes it"
            )
        if level < plevel:
            values[self.name] = (value, plevel)

    def reset_attr(self, attr_name: str) -> None:
        """Take an attribute from the op, if the op has it."""
        check_type(attr_name, str, "the name of an attribute of ops to be a str")
        Op._attrs.get(attr_name, {}).pop(self.name, None)

    def __repr__(self) -> str:
        return f"Op({self.name})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Op.get, (self.name,))


for _name, (_doc, _tuple_index, _is_pure, _params) in _OPS.items():
    Op._all[_name] = _op = Op(
        _name, _doc, _tuple_index, None if _params is None else [Param(*p) for p in _params]
    )
    if _is_pure is not None:
        _op.set_attr("FPurity", _is_pure)


def register_op_attr(op_name: str, attr_key: str, value: Any = None, level: int = 10) -> Any:
    """Give an op an attribute, which Op.get_attr gets.

    Parameters
    ----------
    op_name : str
        The name of the op, such as "relax.add".
    attr_key : str
        The name of the attribute.
    value : object, optional
        The attribute; without it, a decorator of a function that is the attribute.
    level : int, optional
        The attribute replaces one of a lower level.
    """
    op = Op.get(op_name)

    def register(value: Any) -> Any:
        op.set_attr(attr_key, value, level)
        return value

    return register if value is None else register(value)
