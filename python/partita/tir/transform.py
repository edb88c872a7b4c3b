# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes on prim_funcs: TVM's ``tvm.tir.transform``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..errors import explain_missing
from ..ir.function import PrimFunc
from ..ir.module import IRModule
from ..transform.context import PassContext
from ..transform.decorator import PassMaker, pass_maker
from ..transform.function_pass import BaseFunctionPass
from ._passes_gen import *  # noqa: F401,F403
from ._passes_gen import __all__ as _generated

__all__ = ["PrimFuncPass", "prim_func_pass"]
__all__ += _generated


class PrimFuncPass(BaseFunctionPass):
    """A pass that is a Python function (func, mod, ctx) -> func. See prim_func_pass."""

    function_class = PrimFunc


_Function = Callable[[PrimFunc, IRModule, PassContext], PrimFunc]

prim_func_pass: PassMaker[_Function, PrimFuncPass] = pass_maker(
    "prim_func_pass",
    """Make a pass from a function (func, mod, ctx) -> func, or from a class.

    It is called with each tir.prim_func that has no SkipOptimization attribute,
    like partita.relax.transform.function_pass with each relax.func. The method
    of a class is transform_function(self, func, mod, ctx).""",
    PrimFuncPass,
    "transform_function",
    ("func", "mod", "ctx"),
)

# Hidden from type checkers, which would accept any name.
if not TYPE_CHECKING:
    __getattr__ = explain_missing(
        __name__, "a pass", __all__, "partita.transform.list_passes() has all that there are"
    )
