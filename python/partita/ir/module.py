# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IRModule: TVM's module as an MLIR operation."""

from __future__ import annotations

import threading
from typing import Dict, Iterator, List, Optional, Union

from ..mlir import ir
from ..mlir._mlir_libs import _partita

_default_context: Optional[ir.Context] = None
_default_context_lock = threading.Lock()


def get_context() -> ir.Context:
    """The MLIR context that modules are made in.

    Returns
    -------
    mlir.ir.Context
        The innermost ``with`` of a context on this thread, or else one that the
        process shares.
    """
    if ir.Context.current is not None:
        return ir.Context.current
    global _default_context
    with _default_context_lock:
        if _default_context is None:
            _default_context = ir.Context()
        return _default_context


class GlobalVar:
    """The name of a function in an IRModule.

    Parameters
    ----------
    name_hint : str
        The symbol's name, without @.
    """

    __slots__ = ("name_hint",)

    def __init__(self, name_hint: str):
        if not isinstance(name_hint, str):
            raise TypeError(
                f"expected the name of a GlobalVar to be a str, but found {type(name_hint).__name__}"
            )
        self.name_hint = name_hint

    def __repr__(self) -> str:
        return f'GlobalVar("{self.name_hint}")'

    def __str__(self) -> str:
        return "@" + self.name_hint

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GlobalVar) and other.name_hint == self.name_hint

    def __hash__(self) -> int:
        return hash((GlobalVar, self.name_hint))


def _name_of(key: Union[str, GlobalVar]) -> str:
    if isinstance(key, GlobalVar):
        return key.name_hint
    if isinstance(key, str):
        return key
    raise TypeError(
        f"expected a function to be named by str or GlobalVar, but found {type(key).__name__}"
    )


class IRModule(_partita.Module):
    """A module of Relax functions and TIR prim_funcs, as TVM's IRModule.

    It is an mlir.ir.Operation, ``partita.module`` unless it was made from
    another, which `operation` gives: both are views of the same. Passes never
    change the module that they are called with; they return a new one.

    Parameters
    ----------
    operation : mlir.ir.Operation, optional
        What the module is a view of; an empty partita.module by default.
    """

    def __init__(self, operation: Union[ir.Operation, ir.OpView, None] = None):
        if operation is None:
            operation = ir.Operation.parse("partita.module {}", context=get_context())
        elif not isinstance(operation, (ir.Operation, ir.OpView)):
            raise TypeError(
                "expected an IRModule to be made from an mlir.ir.Operation, but found "
                + type(operation).__name__
            )
        super().__init__(operation)

    @staticmethod
    def from_text(text: str, context: Optional[ir.Context] = None) -> "IRModule":
        """Parse MLIR's text.

        Parameters
        ----------
        text : str
            One partita.module, or the ops of a builtin.module.
        context : mlir.ir.Context, optional
            Where to make it; see get_context.

        Raises
        ------
        mlir.ir.MLIRError
            Where the text is no valid module; it has the diagnostics.
        """
        context = context or get_context()
        module = ir.Module.parse(text, context=context)
        ops = list(module.body.operations)
        if len(ops) == 1 and ops[0].operation.name == "partita.module":
            return IRModule(ops[0].operation.detach_from_parent())
        return IRModule(module.operation.clone())

    @staticmethod
    def from_tvm_json(json: str, context: Optional[ir.Context] = None) -> "IRModule":
        """Import a module that TVM has saved by ``tvm.ir.save_json``.

        Raises
        ------
        mlir.ir.MLIRError
            Where the JSON is not TVM's, or holds what Partita does not know.
        """
        return IRModule(_partita.import_tvm_json(context or get_context(), json))

    # Functions.

    def _symbols(self) -> Iterator[ir.OpView]:
        for region in self.operation.regions:
            for block in region.blocks:
                for op in block.operations:
                    if "sym_name" in op.operation.attributes:
                        yield op

    def _find(self, name: str) -> Optional[ir.OpView]:
        for op in self._symbols():
            if ir.StringAttr(op.operation.attributes["sym_name"]).value == name:
                return op
        return None

    @property
    def functions(self) -> Dict[GlobalVar, ir.OpView]:
        """The module's functions, by their names."""
        return {
            GlobalVar(ir.StringAttr(op.operation.attributes["sym_name"]).value): op
            for op in self._symbols()
        }

    def get_global_vars(self) -> List[GlobalVar]:
        """The names of the module's functions, in their order."""
        return list(self.functions)

    def get_global_var(self, name: str) -> GlobalVar:
        """The name of the function `name`.

        Raises
        ------
        ValueError
            Where there is none.
        """
        if self._find(_name_of(name)) is None:
            names = ", ".join(v.name_hint for v in self.get_global_vars()) or "none"
            raise ValueError(
                f"expected a function of the module, but found '{name}'; the module has: {names}"
            )
        return GlobalVar(name)

    def __getitem__(self, key: Union[str, GlobalVar]) -> ir.OpView:
        op = self._find(_name_of(key))
        if op is None:
            raise KeyError(_name_of(key))
        return op

    def __contains__(self, key: Union[str, GlobalVar]) -> bool:
        return self._find(_name_of(key)) is not None

    def __delitem__(self, key: Union[str, GlobalVar]) -> None:
        self[key].operation.erase()

    # Printing and comparing.

    def script(self) -> str:
        """The module in MLIR's text."""
        return str(self.operation)

    def __str__(self) -> str:
        return self.script()

    def clone(self) -> "IRModule":
        """A copy that shares nothing with the module."""
        return IRModule(self.operation.clone())

    def same_as(self, other: object) -> bool:
        """Whether `other` is this very module."""
        return self is other

    def __reduce__(self):
        return (IRModule.from_text, (self.script(),))


def structural_equal(lhs: IRModule, rhs: IRModule) -> bool:
    """Whether two modules are the same but for locations."""
    return lhs._equivalent(rhs)


def structural_hash(module: IRModule) -> int:
    """A number that is the same for modules that are structural_equal."""
    return module._hash()


def assert_structural_equal(lhs: IRModule, rhs: IRModule) -> None:
    """Raise a ValueError with a diff unless the modules are structural_equal."""
    if structural_equal(lhs, rhs):
        return
    import difflib

    diff = difflib.unified_diff(
        lhs.script().splitlines(), rhs.script().splitlines(), "lhs", "rhs", lineterm=""
    )
    raise ValueError("expected equal modules, but found:\n" + "\n".join(diff))
