# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays for accumulate.mlir."""

import pathlib
import sys

import numpy as np

folder = pathlib.Path(sys.argv[1])
a = np.arange(1, 4, dtype="float32")
np.savez(folder / "a.npz", a=a, by=np.float32(2))
np.savez(folder / "b.npz", b=np.full(3, 10, "float32"))
np.savez(folder / "long.npz", b=np.zeros(4, "float32"))
