# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes on prim_funcs: TVM's ``tvm.tir.transform``."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from ..ir.function_pass import BaseFunctionPass
from ..ir.module import IRModule
from ..ir.transform import PassContext, PassMaker, as_it_is, make_decorator
from . import _passes_gen
from ._passes_gen import *  # noqa: F401,F403
from .function import PrimFunc

__all__ = ["PrimFuncPass", "prim_func_pass"]
__all__ += _passes_gen.__all__


class PrimFuncPass(BaseFunctionPass):
    """A pass that is a Python function (func, mod, ctx) -> func. See prim_func_pass."""

    function_class = PrimFunc
    op_name = "tir.prim_func"


_Function = Callable[[PrimFunc, IRModule, PassContext], PrimFunc]


_typed: Callable[[Any], PassMaker[_Function, PrimFuncPass]] = as_it_is


@_typed
def prim_func_pass(
    pass_func: Optional[Callable[..., Any]] = None,
    opt_level: Optional[int] = None,
    name: Optional[str] = None,
    required: Optional[Sequence[str]] = None,
    traceable: bool = False,
) -> Any:
    """Make a pass from a function (func, mod, ctx) -> func, or from a class.

    It is called with each tir.prim_func that has no SkipOptimization attribute,
    as partita.relax.transform.function_pass is with each relax.func. The method
    of a class is transform_function(self, func, mod, ctx).
    """
    return make_decorator(PrimFuncPass, "transform_function", pass_func, opt_level, name, required)
