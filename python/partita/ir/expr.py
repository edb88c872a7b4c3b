# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The class of all expressions in TVM, for ``isinstance``."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, ClassVar


class Expr(abc.ABC):
    """Whatever is an expression: of tensors, a function, its name, an op, or a size."""

    __slots__ = ()


class GenericConst(abc.ABC):
    """A constant tensor, as TVM calls relax.Constant.

    Parameters
    ----------
    value : numpy.ndarray, or what relax.const takes
        Its elements.
    ty : relax.TensorType
        Its type.
    """

    __slots__ = ()

    #: Makes one; set by relax.
    _make: ClassVar[Callable[[Any, Any], Any]]

    def __new__(cls, value: Any, ty: Any, span: Any = None) -> Any:
        return GenericConst._make(value, ty)
