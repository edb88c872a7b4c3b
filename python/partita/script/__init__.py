# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of TVM's ``tvm.script`` that is plain Python: its names of types and ops.

Partita does not read TVMScript. A module in TVMScript comes from TVM: ``tvm.ir.save_json`` there,
``IRModule.from_tvm_json`` here.
"""

from ..errors import explain_missing
from . import relax

__all__ = ["relax"]

__getattr__ = explain_missing(
    __name__,
    "a name",
    __all__,
    "Partita does not read TVMScript: save the module by tvm.ir.save_json, and read it by "
    "IRModule.from_tvm_json",
)
