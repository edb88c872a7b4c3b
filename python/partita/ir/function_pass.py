# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes that are given one function after another."""

from __future__ import annotations

from typing import Callable, List, Type

from .function import BaseFunc
from .module import GlobalVar, IRModule
from .transform import ModulePass, PassContext, PassInfo


def is_skipped(func: BaseFunc) -> bool:
    """Whether function passes leave it alone: TVM's SkipOptimization."""
    if "SkipOptimization" not in func.attrs:
        return False
    value = func.attrs["SkipOptimization"]
    return not isinstance(value, int) or bool(value)


class BaseFunctionPass(ModulePass):
    """A module pass that calls ``function(func, mod, ctx)`` on each function.

    What it returns takes the function's place. The module is there to look at:
    adding, deleting and renaming functions is an error.
    """

    #: The class of the functions that it is called with.
    function_class: Type[BaseFunc] = BaseFunc

    def __init__(self, function: Callable, info: PassInfo):
        function_class = self.function_class

        def run(mod: IRModule, ctx: PassContext) -> IRModule:
            functions = mod.functions
            changed = {}
            for name, func in functions.items():
                if not isinstance(func, function_class) or is_skipped(func):
                    continue
                result = function(func, mod, ctx)
                if result is func:
                    continue
                if not isinstance(result, function_class):
                    raise TypeError(
                        f"expected function pass '{info.name}' to return a "
                        f"{function_class.__name__} for {name}, but it returned "
                        f"{type(result).__name__}"
                    )
                changed[name] = result
            _check_names(info.name, list(functions), mod.get_global_vars())
            if changed:
                mod.update(changed)
            return mod

        super().__init__(run, info)


def _check_names(
    pass_name: str, before: List[GlobalVar], after: List[GlobalVar]
) -> None:
    if after == before:
        return
    added = [str(name) for name in after if name not in before]
    deleted = [str(name) for name in before if name not in after]
    did = [f"added {', '.join(added)}"] if added else []
    did += [f"deleted {', '.join(deleted)}"] if deleted else []
    raise ValueError(
        f"expected function pass '{pass_name}' to leave the functions of the module as "
        f"they are, but it {' and '.join(did) or 'moved them'}; a module pass may do that"
    )
