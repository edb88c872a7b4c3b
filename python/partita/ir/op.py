# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops that calls call."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ..errors import NoOpError, check_type
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

    def __repr__(self) -> str:
        return f"Op({self.name})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Op.get, (self.name,))


for _name, (_doc, _tuple_index, _params) in _OPS.items():
    Op._all[_name] = Op(
        _name, _doc, _tuple_index, None if _params is None else [Param(*p) for p in _params]
    )
