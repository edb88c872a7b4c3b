# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes on Relax functions: TVM's ``tvm.relax.transform``."""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from ..ir.function_pass import BaseFunctionPass
from ..ir.transform import make_decorator, module_pass
from . import _passes_gen
from ._passes_gen import *  # noqa: F401,F403
from .function import Function

__all__ = ["FunctionPass", "function_pass", "module_pass", *_passes_gen.__all__]


class FunctionPass(BaseFunctionPass):
    """A pass that is a Python function (func, mod, ctx) -> func. See function_pass."""

    function_class = Function
    op_name = "relax.func"


def function_pass(
    pass_func: Optional[Callable] = None,
    opt_level: Optional[int] = None,
    name: Optional[str] = None,
    required: Optional[Sequence[str]] = None,
    traceable: bool = False,
):
    """Make a pass from a function (func, mod, ctx) -> func, or from a class.

    It is called with each relax.func that has no SkipOptimization attribute. A
    class has a method transform_function(self, func, mod, ctx); its objects are
    passes, made with the arguments of its __init__.

    Parameters
    ----------
    pass_func : callable, optional
        The function or class; without it, a decorator is returned.
    opt_level : int
        The level from which on a Sequential runs the pass.
    name : str, optional
        The pass's name; that of the function by default.
    required : list of str, optional
        Passes to run before it.
    traceable : bool, optional
        Has no effect; TVM's tuning reads it.
    """
    return make_decorator(
        FunctionPass, "transform_function", pass_func, opt_level, name, required
    )
