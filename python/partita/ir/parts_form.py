# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions as expressions that no op is made of yet."""

from __future__ import annotations

from typing import Any

from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .attrs import to_attributes
from .block import Parts
from .function_op import UnknownCallee, build
from .graph import visit_parts
from .op_form import OpForm, Resolver, set_visibility
from .types import split_results
from .var import Var

__all__ = ["PartsForm", "make_form"]


@_partita.known_as("PartsForm")
class PartsForm:
    """What a function is that has no op: a value in another function, or waiting for its module.

    It has the same methods as an OpForm.
    """

    __slots__ = ("context", "parts", "header", "ret_type", "loc", "built")

    #: It has no op of its own, nor is it a view of one.
    op = owner = None
    name = "main"

    def __init__(
        self,
        context: ir.Context,
        parts: Parts,
        header: dict[str, ir.Attribute],
        ret_type: ir.Type | None,
        loc: ir.Location | None,
    ):
        self.context, self.parts, self.header = context, parts, header
        self.ret_type, self.loc = ret_type, loc
        #: The op of the function alone, once somebody has asked for it.
        self.built: ir.Operation | None = None
        _partita.hide_form(self, parts)

    @property
    def is_value(self) -> bool:
        """Whether it is a value in another function."""
        return self.parts.is_single

    def get_op(self) -> ir.Operation:
        """The op of the function alone. Raises the error that says what it lacks for one."""
        if self.built is None:
            self.built = self.make_op(None)
        return self.built

    def get_known_type(self) -> ir.FunctionType | None:
        """The function's type; None if it is not known before the op is made."""
        parts, ret_type = self.parts, self.ret_type
        if ret_type is None and parts.body is not None and parts.body._types is not None:
            ret_type = parts.body._type
        if ret_type is None:
            return None
        results = [ret_type] if parts.is_single else split_results(ret_type)
        return ir.FunctionType.get(
            [param._type for param in parts.params], results, ret_type.context
        )

    def get_header(self) -> dict[str, ir.Attribute]:
        """The attributes, but the name and the type, in a dict that the caller owns."""
        return dict(self.header)

    def make_op(self, resolver: Resolver | None) -> ir.Operation:
        """An op that the caller owns, which may call others of the module that it is made for."""
        return build(self.parts, self.context, self.header, self.ret_type, self.loc, resolver)

    def uses(self, var: Var) -> bool:
        """Whether the function uses a variable that is around it."""
        return var in visit_parts(self.parts)

    def describe(self) -> str:
        """The text of a function that has none as an op; else empty."""
        # What a function in a function uses of that one has no text without it.
        if not _is_open(self.parts):
            return ""
        return f"Function({list(self.parts.params)!r}, {self.parts.body!r})"

    def copy(self) -> OpForm | PartsForm:
        """A copy."""
        return self._with_header(self.header)

    def with_attrs(self, values: dict[str, Any]) -> OpForm | PartsForm:
        """A copy with further attributes."""
        header = dict(self.header)
        if "global_symbol" in values:
            set_visibility(header, False, self.context)
        return self._with_header({**header, **to_attributes(values, self.context)})

    def without_attr(self, key: str) -> OpForm | PartsForm:
        """A copy without an attribute."""
        header = {name: value for name, value in self.header.items() if name != key}
        if key == "global_symbol":
            set_visibility(header, True, self.context)
        return self._with_header(header)

    def _with_header(self, header: dict[str, ir.Attribute]) -> OpForm | PartsForm:
        is_built = not self.is_value
        return make_form(self.context, self.parts, header, self.ret_type, self.loc, is_built)


def make_form(
    context: ir.Context,
    parts: Parts,
    header: dict[str, ir.Attribute],
    ret_type: ir.Type | None = None,
    loc: ir.Location | None = None,
    is_built: bool = True,
) -> OpForm | PartsForm:
    """Parts as an op, if `is_built` and no more needs to be known for one; else as they are."""
    if is_built:
        try:
            return OpForm(build(parts, context, header, ret_type, loc, None), None, parts)
        except UnknownCallee:
            pass
        except ValueError:
            # One that uses what is around it is made where it is a value.
            if not _is_open(parts):
                raise
    return PartsForm(context, parts, header, ret_type, loc)


def _is_open(parts: Parts) -> bool:
    """Whether the body uses variables that are no parameters."""
    known = set(parts.params)
    return any(
        isinstance(e, Var) and e.value is None and e not in known for e in visit_parts(parts)
    )
