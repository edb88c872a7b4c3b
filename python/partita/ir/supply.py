# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that are not taken: TVM's ``tvm.ir.supply``."""

from __future__ import annotations

import re

from ..errors import check_type
from .names import UniqueNames

__all__ = ["UniqueNameSupply"]


class UniqueNameSupply:
    """Gives names, each once.

    Parameters
    ----------
    prefix : str, optional
        What the names begin with.
    """

    def __init__(self, prefix: str = ""):
        check_type(prefix, str, "the prefix of names to be a str")
        self.prefix = prefix
        self._names = UniqueNames()

    def _with_prefix(self, name: str, add_prefix: bool) -> str:
        check_type(name, str, "a name to be a str")
        # As in TVM, they are names in programs.
        name = re.sub(r"\W", "_", name, flags=re.ASCII) or "v"
        if not (add_prefix and self.prefix):
            return name
        return f"{self.prefix}_{name}"

    def fresh_name(self, name: str, add_prefix: bool = True, add_underscore: bool = True) -> str:
        """`name`, or if that is taken, `name` with the first number that makes it free."""
        return self._names.make(self._with_prefix(name, add_prefix), "_" if add_underscore else "")

    def reserve_name(self, name: str, add_prefix: bool = True) -> str:
        """Take a name."""
        name = self._with_prefix(name, add_prefix)
        self._names.reserve(name)
        return name

    def contains_name(self, name: str, add_prefix: bool = True) -> bool:
        """Whether a name is taken."""
        return self._with_prefix(name, add_prefix) in self._names
