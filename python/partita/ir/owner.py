# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python objects for the functions of a module."""

from __future__ import annotations

import weakref
from typing import Any

from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .context import make_global_lock
from .extern import read_extern
from .function import BaseFunc, PrimFunc
from .op_form import OpForm
from .relax_function import Function

__all__ = ["Owner"]

# The classes of functions by the names of their ops.
_CLASSES: dict[str, type[BaseFunc]] = {cls.op_name: cls for cls in (Function, PrimFunc)}


@_partita.known_as("Owner")
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

    def get(self, op: ir.Operation | ir.OpView) -> Any:
        """The one Python object for the function `op`: a BaseFunc or an ExternFunc."""
        function = self.functions.find(op)
        return self.make(op.operation) if function is None else function

    def make(self, operation: ir.Operation) -> Any:
        """The Python object for the function `operation`, which has none."""
        if (value := read_extern(operation)) is not None:
            return value
        function = _CLASSES.get(operation.name, BaseFunc)._of(OpForm(operation, self))
        self.functions.set(operation, function)
        return function

    def bind(self, function: BaseFunc, operation: ir.Operation) -> None:
        """Make `function`, an empty object of its class, the view of `operation`."""
        function._set(OpForm(operation, self))
        self.functions.set(operation, function)

    def find(self, operation: ir.Operation) -> Any:
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
        function._form.op.detach_from_parent()
        function._form.owner = None
