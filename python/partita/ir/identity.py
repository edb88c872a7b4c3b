# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What TVM's objects have to tell whether two are the same."""


def is_same(self: object, other: object) -> bool:
    """Whether `other` is this very object."""
    return self is other
