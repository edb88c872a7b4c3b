# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the functions of a module have in common: TVM's ``BaseFunc``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ..errors import check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .attrs import DictAttrs
from .context import get_context
from .identity import is_same
from .any_expr import Expr
from .op_form import INHERENT, OpForm, Resolver, transfer
from .show import script, show, to_html

__all__ = ["BaseFunc", "PrimFunc"]

_Func = TypeVar("_Func", bound="BaseFunc")


@Expr.register
class BaseFunc:
    """A function of a module.

    It is a view of an op in the module that it was taken from, or owns an op. It
    can't be changed; `with_attr` makes another one.
    """

    __slots__ = ("_form", "__weakref__")

    #: The function as an op; a relax.Function can be parts in its place.
    _form: Any

    #: The name of the op, and whether its type tells the types of calls.
    op_name: ClassVar[str] = ""
    types_calls: ClassVar[bool] = False

    @classmethod
    def _of(cls: type[_Func], form: Any) -> _Func:
        """The function that is an OpForm, or a relax.Function a PartsForm."""
        function = cls.__new__(cls)
        function._set(form)
        return function

    def _set(self, form: Any) -> None:
        self._form = form

    # Hidden from type checkers, which would accept any attribute.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # A function pass gets an empty object, which is bound to its op on first use.
            if name[0] == "_" and _partita.bind_function(self):
                return object.__getattribute__(self, name)
            raise AttributeError(
                f"'{type(self).__name__}' object has no attribute '{name}'{self._advice}"
            )

    #: What an error for an attribute that is missing says at its end.
    _advice: ClassVar[str] = ""

    @property
    def operation(self) -> ir.Operation:
        """The op, which lives at least as long as this function."""
        return self._form.get_op()

    @property
    def name(self) -> str:
        """The symbol's name, without @."""
        return self._form.name

    @property
    def is_private(self) -> bool:
        """Whether nothing outside of the module calls the function."""
        visibility = self._form.get_header().get("sym_visibility")
        return visibility is not None and ir.StringAttr(visibility).value == "private"

    def _read(self) -> Any:
        """The function's Parts; None if it is not made of expressions."""
        return None

    @property
    def attrs(self) -> DictAttrs:
        """The function's attributes."""
        header = self._form.get_header()
        return DictAttrs({name: header[name] for name in header if name not in INHERENT})

    def to_op(
        self, name: str, resolver: Resolver, context: ir.Context, is_taken: bool = False
    ) -> ir.Operation:
        """An op with this name, in `context`, that the caller owns; this one's own, if it is taken.

        A function whose op is taken must not be used any more.
        """
        form = self._form
        op = form.op if is_taken and form.owner is None else None
        op = form.make_op(resolver) if op is None else op
        if op.context is not context:
            op = transfer(op, context)
        op.attributes["sym_name"] = ir.StringAttr.get(name, context)
        return op

    def with_attr(self: _Func, attr_key_or_dict: Any, attr_value: Any = None) -> _Func:
        """The function with one more attribute, or with all of a dict.

        Parameters
        ----------
        attr_key_or_dict : str or dict
            The attribute's name, or all names and values.
        attr_value : bool, int, float, str, list, dict or mlir.ir.Attribute
            Its value.
        """
        is_dict = isinstance(attr_key_or_dict, dict)
        attrs = attr_key_or_dict if is_dict else {attr_key_or_dict: attr_value}
        return self._of(self._form.with_attrs(attrs))

    def with_attrs(self: _Func, attr_map: dict[str, Any]) -> _Func:
        """The function with the attributes of `attr_map`."""
        return self.with_attr(dict(attr_map))

    def without_attr(self: _Func, attr_key: str) -> _Func:
        """The function without an attribute; it is private without "global_symbol"."""
        check_type(attr_key, str, "the name of an attribute to be a str")
        return self._of(self._form.without_attr(attr_key))

    def __copy__(self: _Func) -> _Func:
        return self._of(self._form.copy())

    def __deepcopy__(self: _Func, memo: dict[int, Any]) -> _Func:
        return self.__copy__()

    script, show, _repr_html_ = script, show, to_html

    def __str__(self) -> str:
        return self.script()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} @{self.name}>"

    def _to_attribute(self, context: ir.Context) -> ir.Attribute:
        return _partita.write_node(self, context)

    same_as = is_ = is_same

    def _in_module(self, name: str) -> ir.Operation:
        """A ``partita.module`` with a copy of this function alone, under a name."""

        def find(callee: str) -> ir.FunctionType | None:
            return self._form.get_known_type() if self.types_calls and callee == name else None

        module = ir.Operation.parse("partita.module {}", context=self._form.context).operation
        region = module.regions[0]
        block = region.blocks[0] if len(region.blocks) else region.blocks.append()
        block.append(self.to_op(name, find, module.context))
        return module

    @classmethod
    def _load(cls: type[_Func], text: str, tensors: list[tuple[str, int, bytes]]) -> _Func:
        """The function that __reduce__ has saved."""
        op = _partita.load(get_context(), text, tensors).regions[0].blocks[0].operations[0]
        return cls._of(OpForm(op.operation.detach_from_parent().operation))

    def __reduce__(self) -> tuple[Any, ...]:
        module = self._in_module(self.name)
        return self._load, _partita.save(module.regions[0].blocks[0].operations[0].operation)


class PrimFunc(BaseFunc):
    """A ``tir.prim_func`` of a module; its body is MLIR's, see `operation`."""

    __slots__ = ()

    op_name = "tir.prim_func"

    _advice = "; its parameters and its body are MLIR's, see operation"
