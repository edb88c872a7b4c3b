# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions as ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .attrs import set_attributes

if TYPE_CHECKING:
    from .block import Parts
    from .owner import Owner

__all__ = ["INHERENT", "OpForm", "Resolver", "function_type", "set_visibility"]

# Gives the type of a function of the module that is being made, by name, if it is known.
Resolver = Callable[[str], ir.FunctionType | None]

# Attributes of the op that are no attributes of the function in TVM.
INHERENT = frozenset(
    ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs", "is_pure")
)


def function_type(op: ir.Operation) -> ir.FunctionType:
    """The type of the function `op`."""
    return _partita.get_function_type(op)


def set_visibility(attributes: Any, is_private: bool, context: ir.Context) -> None:
    """Let a function be private, as in TVM one without a "global_symbol" is, or public.

    `attributes` is a dict, or an op's attributes.
    """
    if is_private:
        attributes["sym_visibility"] = ir.StringAttr.get("private", context)
    elif "sym_visibility" in attributes:
        del attributes["sym_visibility"]


def transfer(op: ir.Operation, context: ir.Context) -> ir.Operation:
    """A copy of `op` in another context."""
    text = str(op.get_asm(enable_debug_info=True, print_generic_op_form=True))
    return ir.Operation.parse(text, context=context).operation


@_partita.known_as("OpForm")
class OpForm:
    """What a function is that has an op: a view of an op in a module, or an op of its own."""

    __slots__ = ("op", "owner", "parts")

    #: Whether it is a value in another function.
    is_value = False

    def __init__(self, op: ir.Operation, owner: Owner | None = None, parts: Parts | None = None):
        self.op = op
        #: The owner of the module that has the op; None if it is the function's own.
        self.owner = owner
        #: The expressions that were read from the op, or that it was made from, if they are known.
        self.parts = parts
        _partita.hide_form(self, parts)

    @property
    def context(self) -> ir.Context:
        """The MLIR context."""
        return self.op.context

    @property
    def loc(self) -> ir.Location | None:
        """Where the function comes from."""
        return self.op.location

    @property
    def name(self) -> str:
        """The symbol's name, without @."""
        return _partita.get_symbol_name(self.op)

    def get_op(self) -> ir.Operation:
        """The op."""
        return self.op

    def get_known_type(self) -> ir.FunctionType | None:
        """The function's type; None if it is not known before the op is made."""
        return function_type(self.op)

    def get_header(self) -> dict[str, ir.Attribute]:
        """The attributes, but the name and the type, in a dict that the caller owns."""
        return _partita.get_attributes(self.op, ("sym_name", "function_type"))

    def make_op(self, resolver: Resolver | None) -> ir.Operation:
        """A copy of the op that the caller owns."""
        return self.op.clone(ip=False).operation

    def uses(self, var: Any) -> bool:
        """Whether the function uses a variable that is around it."""
        return False

    def describe(self) -> str:
        """The text of a function that has none as an op; else empty."""
        return ""

    def copy(self) -> OpForm:
        """A copy with an op of its own."""
        return OpForm(self.make_op(None), None, self.parts)

    def with_attrs(self, values: dict[str, Any]) -> OpForm:
        """A copy with further attributes."""
        made = self.copy()
        if "global_symbol" in values:
            set_visibility(made.op.attributes, False, made.context)
        set_attributes(made.op, values)
        return made

    def without_attr(self, key: str) -> OpForm:
        """A copy without an attribute."""
        made = self.copy()
        if key in made.op.attributes:
            del made.op.attributes[key]
        if key == "global_symbol":
            set_visibility(made.op.attributes, True, made.context)
        return made
