# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the functions of a module have in common: TVM's ``BaseFunc``."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .attrs import DictAttrs, set_attributes

# The type of a function of the module that is being made, if it has one.
Resolver = Callable[[str], ir.FunctionType | None]

_Func = TypeVar("_Func", bound="BaseFunc")

# What an op keeps in attributes, and is not TVM's.
INHERENT = frozenset(
    ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs", "is_pure")
)


def function_type(op: ir.Operation) -> ir.FunctionType:
    """The type of the function `op`."""
    return cast(ir.FunctionType, ir.TypeAttr(op.attributes["function_type"]).value)


def transfer(op: ir.Operation, context: ir.Context) -> ir.Operation:
    """A copy of `op` in another context."""
    text = str(op.get_asm(enable_debug_info=True, print_generic_op_form=True))
    return ir.Operation.parse(text, context=context).operation


def _is_same(known: ir.Operation | None, operation: ir.Operation) -> bool:
    try:
        return known == operation
    except RuntimeError:
        # It was erased, and has left its address to another.
        return False


class Owner:
    """Keeps alive the module op that functions look at.

    MLIR's Python objects of an op inside another do not keep the outer one
    alive. So each function of a module holds this, and there is one object per
    op of a module: what detaches an op finds here who looks at it.
    """

    __slots__ = ("operation", "functions", "expressions", "__weakref__")

    _all: weakref.WeakValueDictionary[int, Owner] = weakref.WeakValueDictionary()
    _lock = threading.Lock()

    def __init__(self, operation: ir.Operation):
        self.operation = operation
        #: Who looks at an op, by its address.
        self.functions: weakref.WeakValueDictionary[int, BaseFunc] = weakref.WeakValueDictionary()
        self.expressions: weakref.WeakValueDictionary[str, Expressions] = (
            weakref.WeakValueDictionary()
        )

    @staticmethod
    def of(operation: ir.Operation) -> Owner:
        """The owner of the functions of the module `operation`."""
        with Owner._lock:
            owner = Owner._all.get(id(operation))
            if owner is None:
                owner = Owner._all[id(operation)] = Owner(operation)
            return owner

    def get(self, op: ir.Operation | ir.OpView) -> BaseFunc:
        """The one object for the function `op`."""
        operation = op.operation
        address = _partita.get_address(operation)
        function = self.functions.get(address)
        if function is None or not _is_same(function._op, operation):
            function = self.functions[address] = BaseFunc.class_of(operation)._of(operation, self)
        return function

    def bind(self, function: BaseFunc, operation: ir.Operation) -> None:
        """Make `function`, an empty object of its class, that of `operation`."""
        function._set(operation, self)
        self.functions[_partita.get_address(operation)] = function

    def find(self, operation: ir.Operation) -> BaseFunc | None:
        """The object for `operation`; None if that has left the module."""
        try:
            is_here = operation.parent == self.operation
        except (RuntimeError, ValueError):
            return None
        return self.get(operation) if is_here else None

    def detach(self, name: str, op: ir.OpView) -> None:
        """Take `op` out of the module; who looks at it then owns it."""
        function = self.functions.pop(_partita.get_address(op.operation), None)
        self.expressions.pop(name, None)
        if function is None:
            op.operation.detach_from_parent()
            return
        assert function._op is not None, "it was found by its op"
        function._op.detach_from_parent()
        function._owner = None


class Expressions:
    """What has been read of a function, as long as somebody has some of it.

    Each expression holds it, and it holds none: there is no cycle that would
    keep a module, which then had to be copied, until Python finds it.
    """

    __slots__ = ("owner", "references", "__weakref__")

    def __init__(self, owner: Owner | None):
        self.owner = owner
        self.references: list[weakref.ref[Any]] = []


class BaseFunc:
    """A function of a module.

    It is a view of the op in the module that it was taken from, or has an op of
    its own. It can't be changed; `with_attr` makes another one.

    A class of functions names its op: ``class Function(BaseFunc, op_name="relax.func")``.
    """

    __slots__ = ("_op", "_owner", "__weakref__")

    _op: ir.Operation | None
    _owner: Owner | None

    #: The op that functions of the class are, and whether its type says those of calls.
    op_name: ClassVar[str] = ""
    types_calls: ClassVar[bool] = False
    _classes: ClassVar[dict[str, type[BaseFunc]]] = {}

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

    # A type checker would take every name for an attribute.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Function passes are given empty objects; this is the first look at one.
            if name[0] == "_" and _partita.bind_function(self):
                return object.__getattribute__(self, name)
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @property
    def operation(self) -> ir.Operation:
        """The op. It lives at least as long as the function that it is of."""
        assert self._op is not None, "a class that has none overrides this"
        return self._op

    @property
    def _context(self) -> ir.Context:
        return self.operation.context

    @property
    def _known_type(self) -> ir.FunctionType | None:
        """The function's type; None if it takes an op, which is not made, to know it."""
        return function_type(self.operation)

    @property
    def name(self) -> str:
        """The symbol's name, without @."""
        return ir.StringAttr(self.operation.attributes["sym_name"]).value

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
        """As _clone_op, of a function that may call others of the module that it is for."""
        return self._clone_op()

    def to_op(self, name: str, resolver: Resolver, context: ir.Context) -> ir.Operation:
        """An op `name` in `context` that the caller owns."""
        op = self._make_op(resolver)
        if op.context is not context:
            op = transfer(op, context)
        op.attributes["sym_name"] = ir.StringAttr.get(name, context)
        return op

    def _derive(self: _Func, op: ir.Operation) -> _Func:
        """This function with another op, which differs in attributes."""
        return type(self)._of(op, None)

    def with_attr(self: _Func, key: Any, value: Any = None) -> _Func:
        """The function with an attribute, or with those of a dict.

        Parameters
        ----------
        key : str or dict
            The attribute's name, or all names and values.
        value : bool, int, float, str, list, dict or mlir.ir.Attribute
            Its value.
        """
        op = self._clone_op()
        set_attributes(op, key if isinstance(key, dict) else {key: value})
        return self._derive(op)

    def with_attrs(self: _Func, attrs: dict[str, Any]) -> _Func:
        """The function with the attributes of `attrs`."""
        return self.with_attr(dict(attrs))

    def without_attr(self: _Func, key: str) -> _Func:
        """The function without an attribute."""
        op = self._clone_op()
        if key in op.attributes:
            del op.attributes[key]
        return self._derive(op)

    def script(self) -> str:
        """The function in MLIR's text."""
        return str(self.operation)

    def __str__(self) -> str:
        return self.script()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} @{self.name}>"

    def same_as(self, other: object) -> bool:
        """Whether `other` is this very function."""
        return self is other


@functools.singledispatch
def as_function(value: Any) -> BaseFunc:
    """The function that `value` is or, of an expression, is the body of."""
    raise TypeError(f"expected a function or an expression, but found {type(value).__name__}")


as_function.register(BaseFunc, lambda function: function)
