# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types, and the ops of relax.op, by the names of TVM's ``tvm.script.relax``.

Where TVM has a proxy of a type, ``R.Tensor((m, 4), "float32")`` is the type itself. ``R.add`` is
``relax.op.add``.
"""

from __future__ import annotations

import typing
from collections.abc import Sequence

from ..ir.prim_type import PrimType, Type
from ..ir.types import FuncType, ObjectType, ShapeType, TensorType, TupleType
from ..relax import ExternFunc, SeqExpr, TupleGetItem, const, op

__all__ = [
    "Any",
    "Callable",
    "ExternFunc",
    "Object",
    "Prim",
    "SeqExpr",
    "Shape",
    "Tensor",
    "Tuple",
    "TupleGetItem",
    "const",
]

Any = Object = ObjectType
Prim = PrimType
Shape = ShapeType


def Tensor(
    shape: typing.Any = None, dtype: str | None = None, vdevice: typing.Any = None, ndim: int = -1
) -> TensorType:
    """The type of tensors.

    Parameters
    ----------
    shape : sequence of int and PrimExpr, or str, optional
        The sizes; a text alone is the dtype.
    dtype : str, optional
        The type of the elements; any by default.
    vdevice : VDevice, optional
        Where the elements are.
    ndim : int, optional
        The number of dimensions, without sizes; any by default.
    """
    if isinstance(shape, str) and dtype is None:
        shape, dtype = None, shape
    return TensorType(shape, dtype, vdevice, ndim)


def Tuple(*fields: Type) -> TupleType:
    """The type of tuples, whose fields may be given as one list."""
    if len(fields) == 1 and isinstance(fields[0], (list, tuple)):
        fields = tuple(fields[0])
    return TupleType([_as_type(field) for field in fields])


def _as_type(given: typing.Any) -> typing.Any:
    """The type that is given, also as its name alone: R.Object for R.Object()."""
    return given() if callable(given) else given


def Callable(
    params: Type | Sequence[Type] | None = None,
    ret: Type | None = None,
    purity: bool | None = None,
    derive_func: str | None = None,
) -> FuncType:
    """The type of functions.

    Parameters
    ----------
    params : sequence of types, or a type, optional
        The types of the parameters; any arguments by default.
    ret : a type, optional
        The type of the result; any value by default.
    purity : bool, optional
        Whether calls may be moved, merged and dropped; by default, if the parameters are known.
    derive_func : str, optional
        The name of the function of TVM's that knows the types of calls that take any arguments.
    """
    if params is None:
        return FuncType.opaque_func(ret=_as_type(ret), derive_func=derive_func, purity=bool(purity))
    types = params if isinstance(params, (list, tuple)) else [params]
    ret = ObjectType() if ret is None else _as_type(ret)
    return FuncType([_as_type(type_) for type_ in types], ret, purity is not False)


def __getattr__(name: str) -> typing.Any:
    try:
        return getattr(op, name)
    except AttributeError:
        if name.startswith("_"):
            raise
    raise AttributeError(
        f"expected a type or an op of {__name__}, but found '{name}'; Partita does not read "
        "TVMScript: save the module by tvm.ir.save_json, and read it by IRModule.from_tvm_json"
    )
