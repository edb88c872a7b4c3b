# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that run modules for instruments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.dtype import DTYPES, DataType
from ..ir.module import IRModule

_Output = tuple[int, int, list[int], bytes]


def _describe(output: Any) -> _Output:
    """DLPack's code and bits, the shape, and the bytes of an array."""
    import numpy as np

    array = np.asarray(output)
    name = array.dtype.name
    if name not in DTYPES:
        raise TypeError(
            "expected the runner to return arrays of integers, floats or bools, but found "
            f"{array.dtype if array.dtype.kind != 'O' else type(output).__name__}"
        )
    array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    code = int(DataType(name).type_code)
    return code, 8 * array.dtype.itemsize, list(array.shape), array.tobytes()


def wrap(runner: Callable[[IRModule], Any]) -> Callable[[IRModule], list[_Output] | str]:
    """A function for the extension: what `runner` returns, or why it cannot run a module."""

    def run(mod: IRModule) -> list[_Output] | str:
        try:
            outputs = runner(mod)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        if not isinstance(outputs, (list, tuple)):
            outputs = [outputs]
        return [_describe(output) for output in outputs]

    return run
