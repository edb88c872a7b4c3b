# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much memory functions allocate."""

from __future__ import annotations

import math
from typing import Any

from ..errors import check_type
from ..ir.call import Call
from ..ir.dtype import DataType
from ..ir.graph import visit_all
from ..ir.module import IRModule
from ..ir.relax_function import Function

__all__ = ["estimate_memory_usage"]


def estimate_memory_usage(mod: IRModule | Function) -> str:
    """What the Relax functions allocate, with and without memory planning: a text, as in TVM.

    Branches and calls of functions are not followed. Without planning, each ``alloc_tensor``
    allocates; with it, each ``relax.memory.alloc_storage`` and ``relax.builtin.alloc_tensor`` does.
    """
    check_type(mod, (IRModule, Function), "an IRModule or a function")
    if isinstance(mod, Function):
        mod = IRModule({"foo": mod})
    texts = [
        f"- Function {var.name_hint}:\n{_estimate(func)}\n"
        for var, func in mod.functions_items()
        if isinstance(func, Function)
    ]
    return "".join(["Memory usage estimation:\n", *texts] if texts else [])


def _estimate(func: Function) -> str:
    tensors: list[Any] = []
    planned: list[int] = []
    for call in visit_all(func):
        name = call.op.name if isinstance(call, Call) and hasattr(call.op, "name") else ""
        if name == "relax.memory.alloc_storage":
            planned.append(call.args[0].values[0])
        elif name in ("relax.memory.alloc_tensor", "relax.builtin.alloc_tensor"):
            tensors.append(_count_bytes(call.struct_info))
            if name == "relax.builtin.alloc_tensor" and tensors[-1] is not None:
                planned.append(tensors[-1])
    known = [count for count in tensors if count is not None]
    dynamic = len(tensors) - len(known)
    text = f" * Without memory planning, there are {_describe(known)}"
    if dynamic:
        text += f", and {dynamic} dynamic-size allocation(s)"
    text += f".\n * With memory planning, there are {_describe(planned)}.\n"
    if sum(known):
        share = sum(planned) / sum(known)
        text += f" * Memory planning reduces constant memory size to {share:.1%}."
    return text


def _count_bytes(type_: Any) -> int | None:
    """The size of a tensor; None if its shape is not a number for each dimension."""
    if type_.shape is None or not all(isinstance(size, int) for size in type_.shape):
        return None
    dtype = DataType(type_.dtype)
    return math.prod(type_.shape) * ((dtype.bits + 7) // 8) * dtype.lanes


def _describe(sizes: list[int]) -> str:
    size = f"{sum(sizes) / 2**30:.4}"
    return f"{len(sizes)} constant-size memory allocation(s) with total size {size} GB"
