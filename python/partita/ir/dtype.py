# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types by TVM's names."""

from __future__ import annotations

import enum
import re
from typing import Any

from ..mlir import ir
from ..mlir._mlir_libs import _partita

__all__ = [
    "DTYPES",
    "DataType",
    "DataTypeCode",
    "as_dtype",
    "as_element_dtype",
    "dtype_of",
    "element_type",
]


class DataTypeCode(enum.IntEnum):
    """The kinds of element types, by TVM's names and numbers."""

    INT = 0
    UINT = 1
    FLOAT = 2
    HANDLE = 3
    BFLOAT = 4
    BOOL = 6
    Float8E3M4 = 7
    Float8E4M3 = 8
    Float8E4M3B11FNUZ = 9
    Float8E4M3FN = 10
    Float8E4M3FNUZ = 11
    Float8E5M2 = 12
    Float8E5M2FNUZ = 13
    Float8E8M0FNU = 14
    Float6E2M3FN = 15
    Float6E3M2FN = 16
    Float4E2M1FN = 17


class DataType(str):
    """The name of an element type, such as "float32", or "int8x4" for vectors of four.

    A name that is none is a ValueError where its bits or its kind are asked for.
    """

    __slots__ = ()

    @property
    def dtype(self) -> DataType:
        """The name itself: TVM 0.27 has a PrimType in the place of a name."""
        return self

    def _parse(self) -> re.Match[str]:
        found = re.fullmatch(
            r"(bool|handle|(?:u?int|bfloat|float)(?=\d))(\d*)(?:_(\w+?))??(?:x(\d+))?", self
        )
        if found is None:
            raise ValueError(f"expected the name of an element type, but found '{self}'")
        return found

    @property
    def bits(self) -> int:
        """The bits of one lane."""
        kind, bits = self._parse().group(1, 2)
        return int(bits) if bits else {"bool": 8, "handle": 64}[kind]

    @property
    def lanes(self) -> int:
        """How many numbers an element has."""
        return int(self._parse().group(4) or 1)

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return (self.bits * self.lanes + 7) // 8

    @property
    def type_code(self) -> DataTypeCode:
        """The kind of its numbers."""
        kind, bits, form = self._parse().group(1, 2, 3)
        return DataTypeCode[f"Float{bits}{form.upper()}" if form else kind.upper()]

    def matches_code(self, *codes: int) -> bool:
        """Whether these kinds include the numbers' one; see DataTypeCode."""
        return self.type_code in codes

    def matches_element_type(self, code: int, bits: int) -> bool:
        """Whether the numbers have this kind, and so many bits."""
        return self.type_code == code and self.bits == bits

    def is_scalar(self) -> bool:
        """Whether an element is one number."""
        return self.lanes == 1

    def with_lanes(self, lanes: int) -> DataType:
        """Vectors of `lanes` such numbers."""
        name = re.sub(r"x\d+$", "", self)
        return DataType(f"{name}x{lanes}" if lanes != 1 else name)


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
_KNOWN = {dtype: DataType(dtype) for dtype in DTYPES}
_OF_MLIR = {mlir: _KNOWN[dtype] for dtype, mlir in DTYPES.items()}


def dtype_of(element: ir.Type) -> DataType | None:
    """TVM's name of an element type, if it has one."""
    return _OF_MLIR.get(str(element))


def as_dtype(dtype: Any) -> DataType | ir.Type:
    """An mlir.ir.Type as it is; the name of anything else that NumPy takes for a dtype.

    A PrimType is its dtype, as in TVM.
    """
    if type(dtype) is str and dtype in _KNOWN:
        return _KNOWN[dtype]
    if isinstance(dtype, (DataType, ir.Type)):
        return dtype
    # Of a PrimType, whose module needs this one.
    name = dtype if isinstance(dtype, str) else getattr(dtype, "dtype", None)
    if isinstance(name, str):
        return DataType(name)
    import numpy

    try:
        return DataType(numpy.dtype(dtype).name)
    except TypeError:
        raise TypeError(
            f"expected a dtype, such as 'float32' or numpy.float32, but found {dtype!r}"
        ) from None


def as_element_dtype(dtype: Any) -> DataType | ir.Type:
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
