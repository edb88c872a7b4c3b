# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes, and the context that decides which of them run: TVM's ``tvm.transform``."""

from ..errors import PassError, PassWarning
from .apply import ApplyPassToFunction
from .base import Pass
from .by_name import get_pass, list_passes, parse_pipeline
from .context import PassContext
from .decorator import module_pass
from .info import PassInfo
from .passes import ModulePass, PrintIR, Sequential, register_pass, sequential
from .plan import Plan, PlanEntry, plan

__all__ = [
    "ApplyPassToFunction",
    "ModulePass",
    "Pass",
    "PassContext",
    "PassError",
    "PassInfo",
    "PassWarning",
    "Plan",
    "PlanEntry",
    "PrintIR",
    "Sequential",
    "get_pass",
    "list_passes",
    "module_pass",
    "parse_pipeline",
    "plan",
    "register_pass",
    "sequential",
]
