# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs take from TVM's ``tvm.relax.frontend`` for modules that a frontend has made."""

from __future__ import annotations

from typing import Any

from ..errors import check_type
from ..ir.module import IRModule

__all__ = ["detach_params"]


def detach_params(mod: IRModule) -> tuple[IRModule, dict[str, list[Any]]]:
    """A copy of a module without the attribute "params" of functions, and these attributes by name.

    Raises
    ------
    ValueError
        If such an attribute is no list of arrays.
    """
    import numpy

    check_type(mod, IRModule, "an IRModule")
    detached, params = mod.clone(), {}
    for var, func in mod.functions_items():
        if "params" not in func.attrs:
            continue
        arrays = func.attrs["params"]
        if not isinstance(arrays, list) or not all(isinstance(a, numpy.ndarray) for a in arrays):
            raise ValueError(
                f"expected the attribute 'params' of '{var.name_hint}' to be a list of arrays, but "
                f"found {arrays!r}"
            )
        params[var.name_hint] = arrays
        detached.update_func(var, func.without_attr("params"))
    return detached, params
