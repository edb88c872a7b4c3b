# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's arrays that are read as tensors of TVM's."""

from __future__ import annotations

import functools
from typing import Any


@functools.lru_cache(maxsize=None)
def tensor_class() -> type[Any]:
    """The class of these arrays."""
    # An import of the package loads no NumPy.
    import numpy

    class Tensor(numpy.ndarray[Any, Any]):
        """An array that is read as a tensor of TVM's."""

        def numpy(self) -> Any:
            """A copy."""
            return numpy.array(self)

    return Tensor


def as_tensor(data: Any) -> Any:
    """A view of a NumPy array that is read as a tensor of TVM's."""
    return data.view(tensor_class())
