# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of expressions, TVM's struct info: TVM's ``tvm.relax.struct_info``."""

from ..ir.types import *  # noqa: F401,F403
from ..ir.types import __all__ as __all__
from ..ir.types import from_mlir as from_mlir
from ..ir.types import to_mlir as to_mlir
