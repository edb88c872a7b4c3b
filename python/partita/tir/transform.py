# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes on prim_funcs: TVM's ``tvm.tir.transform``."""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from ..ir.function_pass import BaseFunctionPass
from ..ir.transform import make_decorator
from . import _passes_gen
from ._passes_gen import *  # noqa: F401,F403
from .function import PrimFunc

__all__ = ["PrimFuncPass", "prim_func_pass", *_passes_gen.__all__]


class PrimFuncPass(BaseFunctionPass):
    """A pass that is a Python function (func, mod, ctx) -> func. See prim_func_pass."""

    function_class = PrimFunc
    op_name = "tir.prim_func"


def prim_func_pass(
    pass_func: Optional[Callable] = None,
    opt_level: Optional[int] = None,
    name: Optional[str] = None,
    required: Optional[Sequence[str]] = None,
    traceable: bool = False,
):
    """Make a pass from a function (func, mod, ctx) -> func, or from a class.

    It is called with each tir.prim_func that has no SkipOptimization attribute,
    as partita.relax.transform.function_pass is with each relax.func. The method
    of a class is transform_function(self, func, mod, ctx).
    """
    return make_decorator(
        PrimFuncPass, "transform_function", pass_func, opt_level, name, required
    )
