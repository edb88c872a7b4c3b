# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names, levels and requirements of passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..errors import check_bits, check_int, check_list, check_type, check_unicode
from ..mlir._mlir_libs import _partita


def check_names(what: str, names: Sequence[str] | None) -> list[str]:
    """`names` as a list. A single str, which is a sequence of str as well, is an error."""
    if names is None:
        return []
    if isinstance(names, str):
        raise TypeError(
            f"expected {what} to be a list of names, but found the str '{names}'; write ['{names}']"
        )
    check_list(names, f"{what} to be a list of names")
    names = list(names)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(
                f"expected {what} to be a list of str, but found {type(name).__name__} in it"
            )
        check_unicode(name, f"the names in {what}")
    return names


def check_level(opt_level: Any) -> int:
    """`opt_level`, if it is an int of 32 bits."""
    opt_level = check_int(opt_level, "opt_level to be an int")
    return check_bits(opt_level, 32, "opt_level to fit in 32 bits")


@_partita.known_as("PassInfo")
class PassInfo(NamedTuple):
    """The name of a pass, and when it runs.

    Attributes
    ----------
    opt_level : int
        A Sequential runs the pass if the PassContext's level is at least this.
    name : str
        The name that contexts and instruments use.
    required : list of str
        Passes that a Sequential runs before it.
    reuse_required : bool
        Whether a required pass that has just run in the same Sequential need not run again: no pass
        may have run since, except the passes after it in `required`. TVM has none of this.
    """

    opt_level: int
    name: str
    required: list[str] = []
    reuse_required: bool = False

    def same_as(self, other: object) -> bool:
        """Whether `other` is this very object."""
        return self is other

    # A NamedTuple holds nothing but methods.
    def is_(self, other: object) -> bool:
        """The same as same_as, by its other name in TVM."""
        return self is other

    @property
    def traceable(self) -> bool:
        """False: there is no tracing, as by TVM's meta schedule."""
        return False

    def __hash__(self) -> int:
        # The list can't be hashed.
        return hash((self.opt_level, self.name, *self.required))

    def __repr__(self) -> str:
        reuse = ", reuse_required=True" if self.reuse_required else ""
        return (
            f"PassInfo(opt_level={self.opt_level!r}, name={self.name!r}, "
            f"required={self.required!r}{reuse})"
        )


def to_c(info: PassInfo) -> _partita.PassInfo:
    """The PassInfo of the C++ class."""
    check_type(info, PassInfo, "the info of a pass to be a PassInfo")
    return _partita.PassInfo(info.name, info.opt_level, list(info.required), info.reuse_required)


def make_info(
    opt_level: int, name: str, required: Sequence[str] | None, reuse_required: bool = False
) -> PassInfo:
    """The PassInfo of a pass that is written in Python."""
    check_type(name, str, "the name of a pass to be a str")
    check_unicode(name, "the name of a pass")
    check_type(reuse_required, bool, "reuse_required to be a bool")
    return PassInfo(check_level(opt_level), name, check_names("required", required), reuse_required)
