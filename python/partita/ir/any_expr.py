# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The class of all expressions in TVM, for ``isinstance``."""

from __future__ import annotations

import abc


class Expr(abc.ABC):
    """Whatever is an expression: of tensors, a function, its name, an op, or a size."""

    __slots__ = ()
