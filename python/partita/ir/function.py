# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the functions of a module have in common: TVM's ``BaseFunc``."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .attrs import DictAttrs, set_attributes
from .context import make_global_lock
from .expr import Expr
from .show import script, show, to_html

# Gives the type of a function of the module that is being made, by name, if it is known.
Resolver = Callable[[str], ir.FunctionType | None]

_Func = TypeVar("_Func", bound="BaseFunc")

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


class Owner:
    """Keeps the op of a module alive for the functions that are views of ops in it.

    MLIR's Python object of an inner op does not keep the outer op alive. So each
    function of a module holds this. There is one for each module op, so that code
    which detaches an op finds the function that is a view of it.
    """

    __slots__ = ("operation", "functions", "expressions", "__weakref__")

    _all: weakref.WeakValueDictionary[int, Owner] = weakref.WeakValueDictionary()
    _lock = make_global_lock()

    def __init__(self, operation: ir.Operation):
        self.operation = operation
        #: The functions that are views of ops, as long as somebody holds them.
        self.functions = _partita.FunctionsTable()
        #: What was read from them, as long as somebody holds an expression of it.
        self.expressions = _partita.ExpressionsTable()

    @staticmethod
    def of(operation: ir.Operation) -> Owner:
        """The one owner for the module `operation`."""
        with Owner._lock:
            owner = Owner._all.get(id(operation))
            if owner is None:
                owner = Owner._all[id(operation)] = Owner(operation)
            return owner

    def get(self, op: ir.Operation | ir.OpView) -> BaseFunc:
        """The one Python object for the function `op`."""
        function = self.functions.find(op)
        return self.make(op.operation) if function is None else function

    def make(self, operation: ir.Operation) -> BaseFunc:
        """The Python object for the function `operation`, which has none."""
        if (value := BaseFunc._to_value(operation)) is not None:
            return value
        function = BaseFunc.class_of(operation)._of(operation, self)
        self.functions.set(operation, function)
        return function

    def bind(self, function: BaseFunc, operation: ir.Operation) -> None:
        """Make `function`, an empty object of its class, the view of `operation`."""
        function._set(operation, self)
        self.functions.set(operation, function)

    def find(self, operation: ir.Operation) -> BaseFunc | None:
        """The function that `operation` is; None if it has left the module."""
        try:
            is_here = operation.parent == self.operation
        except (RuntimeError, ValueError):
            return None
        return self.get(operation) if is_here else None

    def detach(self, name: str, op: ir.OpView | ir.Operation) -> None:
        """Take `op` out of the module; the function that is a view of it then owns it."""
        function = self.functions.pop(op)
        self.expressions.remove(op.operation)
        if function is None:
            op.operation.detach_from_parent()
            return
        assert function._op is not None, "it was found by its op"
        function._op.detach_from_parent()
        function._owner = None


@Expr.register
class BaseFunc:
    """A function of a module.

    It is a view of an op in the module that it was taken from, or owns an op. It
    can't be changed; `with_attr` makes another one.

    A class of functions names its op: ``class Function(BaseFunc, op_name="relax.func")``.
    """

    __slots__ = ("_op", "_owner", "__weakref__")

    _op: ir.Operation | None
    _owner: Owner | None

    #: The name of the op, and whether its type tells the types of calls.
    op_name: ClassVar[str] = ""
    types_calls: ClassVar[bool] = False
    _classes: ClassVar[dict[str, type[BaseFunc]]] = {}

    #: Makes a function of an expression that is one in modules, and reads that expression, if it
    #: is one, from an op; set by relax.
    _from_value: ClassVar[Callable[[Any], Any]]
    _to_value: ClassVar[Callable[[ir.Operation], Any]]

    def __init_subclass__(cls, op_name: str = "", types_calls: bool = False) -> None:
        super().__init_subclass__()
        if op_name:
            cls.op_name, cls.types_calls = op_name, types_calls
            BaseFunc._classes[op_name] = cls

    @staticmethod
    def class_of(op: ir.Operation) -> type[BaseFunc]:
        """The class of the function `op`."""
        return BaseFunc._classes.get(op.name, BaseFunc)

    @classmethod
    def _of(cls: type[_Func], op: ir.Operation, owner: Owner | None) -> _Func:
        function = cls.__new__(cls)
        function._set(op, owner)
        return function

    def _set(self, op: ir.Operation, owner: Owner | None) -> None:
        self._op = op
        self._owner = owner

    # Hidden from type checkers, which would accept any attribute.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # A function pass gets an empty object, which is bound to its op on first use.
            if name[0] == "_" and _partita.bind_function(self):
                return object.__getattribute__(self, name)
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def operation(self) -> ir.Operation:
        """The op, which lives at least as long as this function."""
        assert self._op is not None, "a class that has none overrides this"
        return self._op

    @property
    def _context(self) -> ir.Context:
        return self.operation.context

    @property
    def _known_type(self) -> ir.FunctionType | None:
        """The function's type; None if it is not known before the op is made."""
        return function_type(self.operation)

    @property
    def name(self) -> str:
        """The symbol's name, without @."""
        return _partita.get_symbol_name(self.operation)

    @property
    def is_private(self) -> bool:
        """Whether nothing outside of the module calls the function."""
        attributes = self.operation.attributes
        return "sym_visibility" in attributes and (
            ir.StringAttr(attributes["sym_visibility"]).value == "private"
        )

    def _attributes(self) -> dict[str, ir.Attribute]:
        return {
            name: attribute
            for name, attribute in self.operation.attributes.items()
            if name not in INHERENT
        }

    @property
    def attrs(self) -> DictAttrs:
        """The function's attributes."""
        return DictAttrs(self._attributes())

    def _clone_op(self) -> ir.Operation:
        """A copy of the op that the caller owns."""
        return self.operation.clone(ip=False).operation

    def _make_op(self, resolver: Resolver) -> ir.Operation:
        """Like _clone_op, where the function may call others of the module that it is made for."""
        return self._clone_op()

    def to_op(
        self, name: str, resolver: Resolver, context: ir.Context, is_taken: bool = False
    ) -> ir.Operation:
        """An op with this name, in `context`, that the caller owns; this one's own, if it is taken.

        A function whose op is taken must not be used any more.
        """
        op = self._op if is_taken and self._owner is None else None
        op = self._make_op(resolver) if op is None else op
        if op.context is not context:
            op = transfer(op, context)
        op.attributes["sym_name"] = ir.StringAttr.get(name, context)
        return op

    def _derive(self: _Func, op: ir.Operation) -> _Func:
        """This function with another op, which differs only in attributes."""
        return type(self)._of(op, None)

    def with_attr(self: _Func, key: Any, value: Any = None) -> _Func:
        """The function with one more attribute, or with all of a dict.

        Parameters
        ----------
        key : str or dict
            The attribute's name, or all names and values.
        value : bool, int, float, str, list, dict or mlir.ir.Attribute
            Its value.
        """
        op = self._clone_op()
        items = key if isinstance(key, dict) else {key: value}
        if "global_symbol" in items:
            set_visibility(op.attributes, False, op.context)
        set_attributes(op, items)
        return self._derive(op)

    def with_attrs(self: _Func, attrs: dict[str, Any]) -> _Func:
        """The function with the attributes of `attrs`."""
        return self.with_attr(dict(attrs))

    def without_attr(self: _Func, key: str) -> _Func:
        """The function without an attribute; it is private without "global_symbol"."""
        op = self._clone_op()
        if key in op.attributes:
            del op.attributes[key]
        if key == "global_symbol":
            set_visibility(op.attributes, True, op.context)
        return self._derive(op)

    def __copy__(self: _Func) -> _Func:
        return self._derive(self._clone_op())

    def __deepcopy__(self: _Func, memo: dict[int, Any]) -> _Func:
        return self.__copy__()

    script, show, _repr_html_ = script, show, to_html

    def __str__(self) -> str:
        return self.script()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} @{self.name}>"

    def same_as(self, other: object) -> bool:
        """Whether `other` is this very function."""
        return self is other


@functools.singledispatch
def as_function(value: Any, introduces_sizes: bool = False) -> BaseFunc:
    """`value` if it is a function; for an expression, the function that has it as its body.

    With `introduces_sizes` that has another parameter, which introduces the names of sizes.
    """
    raise TypeError(f"expected a function or an expression, but found {type(value).__name__}")


as_function.register(BaseFunc, lambda function, introduces_sizes=False: function)
