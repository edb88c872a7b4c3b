# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes that are called with one function after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..ir.function import BaseFunc
from ..ir.module import IRModule
from ..mlir._mlir_libs import _partita
from . import fingerprint as _fingerprint  # noqa: F401
from .base import Pass
from .info import PassInfo, to_c
from .pickling import reduce_function


class BaseFunctionPass(Pass):
    """A pass that calls ``function(func, mod, ctx)`` on each function.

    The function that it returns takes the place of the one that it got. It may look at
    the module, but not add, delete or rename functions.
    """

    #: The class of the functions that it is called with.
    function_class: ClassVar[type[BaseFunc]]

    def __init__(
        self,
        function: Callable[..., Any],
        info: PassInfo,
        version: str | None = None,
        always_runs: bool | None = None,
    ):
        functions = self.function_class
        super().__init__(function, to_c(info), functions, functions.op_name, version, always_runs)

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_function(self)


@_partita.known_as("end_functions")
def _end_functions(
    pass_name: str,
    mod: IRModule,
    changed: dict[str, BaseFunc],
    taken: set[str],
    before: list[str],
    after: list[str],
) -> None:
    """Put the functions that the pass has returned into the module.

    `taken` has the names of functions that nobody else holds, so that they need no copy. `before`
    and `after` are the names of the module's functions, if they have changed.
    """
    if before != after:
        added = [f"@{name}" for name in after if name not in before]
        deleted = [f"@{name}" for name in before if name not in after]
        did = [f"added {', '.join(added)}"] if added else []
        did += [f"deleted {', '.join(deleted)}"] if deleted else []
        raise ValueError(
            f"expected function pass '{pass_name}' to leave the functions of the module as "
            f"they are, but it {' and '.join(did) or 'moved them'}; a module pass may do that"
        )
    if changed:
        mod._add(changed, taken)
