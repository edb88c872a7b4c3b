# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The classes of expressions of all kinds: TVM's ``tvm.ir.expr``."""

from .any_expr import Expr
from .constant import GenericConst
from .global_var import GlobalVar
from .prim import PrimExpr

__all__ = ["Expr", "GenericConst", "GlobalVar", "PrimExpr"]
