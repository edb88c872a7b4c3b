# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The base of passes."""

from __future__ import annotations

import os
from typing import Any, TypeAlias, TypeVar

from ..errors import check_type
from ..ir.function import BaseFunc
from ..ir.identity import is_same
from ..ir.module import IRModule
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .info import PassInfo
from .pickling import reduce_pass

_Upstream: TypeAlias = "ir.Module | ir.Operation | ir.OpView"
_Mod = TypeVar("_Mod", "IRModule", "ir.Module", "ir.Operation", "ir.OpView")


def _view(mod: IRModule | _Upstream) -> IRModule:
    """The module as one that passes run on."""
    if isinstance(mod, (ir.Module, ir.Operation, ir.OpView)):
        return IRModule(mod.operation)
    hint = ", which IRModule.from_expr makes of a function" if isinstance(mod, BaseFunc) else ""
    check_type(mod, IRModule, "a pass to be called with an IRModule" + hint)
    return mod


def _fill(module: ir.Module, op: ir.Operation) -> ir.Module:
    """Replace the ops and attributes in `module` by the contents of a builtin.module."""
    attributes = module.operation.attributes
    for name in [name for name in attributes if name not in op.attributes]:
        del attributes[name]
    for name, attribute in op.attributes.items():
        attributes[name] = attribute
    for old in list(module.body.operations):
        old.operation.erase()
    for new in list(op.regions[0].blocks[0].operations):
        module.body.append(new)
    return module


@_partita.known_as("Pass")
class Pass(_partita.Pass):
    """A pass, which is called with a module."""

    def __call__(
        self,
        mod: _Mod,
        *,
        verify: bool = True,
        resume_from: str | os.PathLike[str] = "",
    ) -> _Mod:
        """Run on a copy of the module, under the current PassContext.

        As in TVM, a pass that is called directly runs whatever its opt_level.

        Parameters
        ----------
        mod : IRModule, mlir.ir.Module, mlir.ir.Operation or mlir.ir.OpView
            The module, which stays as it is. The result has the same kind.
        verify : bool, optional
            Whether MLIR's verifier runs after each pass.
        resume_from : Union[str, "os.PathLike[str]"], optional
            A directory with checkpoints that the instrument ``Checkpoint`` wrote for the same passes,
            module and context. The run goes on after the last; without one it begins at the start.

        Raises
        ------
        PassError
            If the pass or the verifier after it fails, or the checkpoints belong to another run.
        """
        directory = os.fspath(resume_from) if resume_from else ""
        # A run of a small pass costs little more than Python's checks of types.
        if isinstance(mod, IRModule):
            result: Any = self._run(mod, False, verify, directory)
            return result
        op: Any = self._run(_view(mod), False, verify, directory).operation
        if isinstance(mod, ir.Module):
            with op.location:
                return _fill(ir.Module.create(), op)
        return op.opview if isinstance(mod, ir.OpView) else op

    def run_in_place(
        self,
        mod: IRModule | ir.Module,
        *,
        verify: bool = True,
        resume_from: str | os.PathLike[str] = "",
    ) -> None:
        """Run as a call does, and put the result into `mod`.

        Functions that were taken from the module before stay as they were, and are
        not part of it any more.
        """
        if isinstance(mod, ir.Module):
            result = self._run(_view(mod), False, verify, os.fspath(resume_from))
            _fill(mod, result.operation)
            return
        self._run(mod, in_place=True, verify=verify, resume_from=os.fspath(resume_from))

    @property
    def pass_info(self) -> PassInfo:
        """The PassInfo, as TVM's passes have it beside ``info``."""
        return self.info

    same_as = is_ = is_same

    def __repr__(self) -> str:
        info = self.info
        return (
            f'{type(self).__name__}(name="{info.name}", opt_level={info.opt_level}, '
            f"required={list(info.required)})"
        )

    def __hash__(self) -> int:
        return hash(self.info.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_pass(self)
