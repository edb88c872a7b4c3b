# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TVM's pass infrastructure on MLIR."""

import importlib
import sys
from typing import Any

from . import bridge, errors, instrument, ir, relax, script, tir, transform
from .driver import compile  # noqa: A004
from .errors import PassError, PassWarning
from .ir import GlobalVar, IRModule
from .ir.dtype import DataType, DataTypeCode

# TVM has them in `ir`, which is below them here.
ir.instrument = sys.modules["partita.ir.instrument"] = instrument
ir.transform = sys.modules["partita.ir.transform"] = transform
# As TVM calls it.
error = sys.modules["partita.error"] = errors
# TVM 0.27's names of `tir`.
tirx = sys.modules["partita.tirx"] = tir
s_tir = sys.modules["partita.s_tir"] = tir
sys.modules["partita.tirx.transform"] = sys.modules["partita.s_tir.transform"] = tir.transform
# Modules of TVM whose contents are in others here.
for _name, _module in {
    "ir.type": sys.modules["partita.ir.types"],
    "relax.analysis.analysis": relax.analysis,
    "relax.global_info": sys.modules["partita.ir.global_info"],
    "relax.transform.transform": relax.transform,
    "tirx.expr": tir,
    "tirx.op": tir,
}.items():
    sys.modules[f"partita.{_name}"] = _module
    setattr(sys.modules[f"partita.{_name.rpartition('.')[0]}"], _name.rpartition(".")[2], _module)

__version__ = "0.1.0"

__all__ = [
    "DataType",
    "DataTypeCode",
    "GlobalVar",
    "IRModule",
    "PassError",
    "PassWarning",
    "bridge",
    "compile",
    "error",
    "errors",
    "instrument",
    "ir",
    "relax",
    "s_tir",
    "script",
    "tir",
    "tirx",
    "transform",
]

_explain = errors.explain_missing(
    __name__,
    "a name",
    __all__,
    "TVM's devices, targets and runtime are not here: partita.compile makes functions that take "
    "arrays of NumPy",
)


def __getattr__(name: str) -> Any:
    # It loads LLVM's code generator, and not every build has it.
    if name == "runtime":
        return importlib.import_module(".runtime", __name__)
    return _explain(name)
