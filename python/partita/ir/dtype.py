# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types by TVM's names."""

from __future__ import annotations

from typing import Any

from ..mlir import ir
from ..mlir._mlir_libs import _partita

DTYPES = {
    "bool": "i1",
    "bfloat16": "bf16",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    # MLIR's names are TVM's in capitals: float8_e4m3fn is f8E4M3FN.
    **{
        f"float{bits}_{kind}": f"f{bits}{kind.upper()}"
        for bits, kinds in {
            4: "e2m1fn",
            6: "e2m3fn e3m2fn",
            8: "e3m4 e4m3 e4m3b11fnuz e4m3fn e4m3fnuz e5m2 e5m2fnuz e8m0fnu",
        }.items()
        for kind in kinds.split()
    },
    **{f"int{bits}": f"i{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    **{f"uint{bits}": f"ui{bits}" for bits in (1, 2, 4, 8, 16, 32, 64)},
}
_OF_MLIR = {mlir: dtype for dtype, mlir in DTYPES.items()}


def dtype_of(element: ir.Type) -> str | None:
    """TVM's name of an element type, if it has one."""
    return _OF_MLIR.get(str(element))


def as_dtype(dtype: Any) -> str | ir.Type:
    """A str or an mlir.ir.Type as it is; the name of anything else that NumPy takes for a dtype.

    A PrimType is its dtype, as in TVM.
    """
    if isinstance(dtype, (str, ir.Type)):
        return dtype
    # Of a PrimType, whose module needs this one.
    name = getattr(dtype, "dtype", None)
    if isinstance(name, str):
        return name
    import numpy

    try:
        return numpy.dtype(dtype).name
    except TypeError:
        raise TypeError(
            f"expected a dtype, such as 'float32' or numpy.float32, but found {dtype!r}"
        ) from None


def as_element_dtype(dtype: Any) -> str | ir.Type:
    """The same, if there are elements of it."""
    dtype = as_dtype(dtype)
    if dtype not in DTYPES and not isinstance(dtype, ir.Type):
        raise ValueError(
            f"expected a dtype that is one of {', '.join(sorted(DTYPES))}, but found '{dtype}'"
        )
    return dtype


def element_type(dtype: Any, context: ir.Context) -> ir.Type:
    """The element type of a dtype: "float32", numpy.float32 or an mlir.ir.Type."""
    dtype = as_element_dtype(dtype)
    if isinstance(dtype, ir.Type):
        return dtype
    return _partita.parse_type(DTYPES[dtype], context)
