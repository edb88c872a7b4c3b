# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Module passes and Sequentials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import check_name, check_type
from .base import Pass
from .by_name import make_pass as make_pass
from .info import PassInfo, make_info, to_c
from .pickling import reduce_function


class ModulePass(Pass):
    """A pass that is a Python function (mod, ctx) -> mod. See module_pass.

    The function owns the module that it gets, and may add and delete functions.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        info: PassInfo,
        version: str | None = None,
        always_runs: bool | None = None,
    ):
        super().__init__(function, to_c(info), version, always_runs)

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_function(self)


class Sequential(Pass):
    """A pass that runs passes in order, under the rules of the PassContext.

    Parameters
    ----------
    passes : list of Pass, optional
        The passes that it runs.
    opt_level : int, optional
        The level of the Sequential itself, for when it is nested.
    name : str, optional
        The name of the Sequential itself.
    required : list of str, optional
        Passes to run before it.
    traceable : bool, optional
        Has no effect; TVM's tuning reads it.
    reuse_required : bool, optional
        Whether a required pass that has just run need not run again; see PassInfo.
    """

    def __init__(
        self,
        passes: Sequence[Pass] | None = None,
        opt_level: int = 0,
        name: str = "sequential",
        required: Sequence[str] | None = None,
        traceable: bool = False,
        reuse_required: bool = False,
    ):
        passes = [] if passes is None else passes
        check_type(passes, (list, tuple), "a Sequential to be made from a list of passes")
        for member in passes:
            if callable(member) and not isinstance(member, Pass):
                name = getattr(member, "__name__", "")
                raise TypeError(
                    "expected the members of a Sequential to be passes, but found "
                    f"{type(member).__name__} {name}; a call of it may make one: {name}()"
                )
            check_type(member, Pass, "the members of a Sequential to be passes")
        super().__init__(list(passes), to_c(make_info(opt_level, name, required, reuse_required)))
        self.passes = list(passes)

    def __reduce__(self) -> tuple[Any, ...]:
        info = self.info
        arguments = (self.passes, info.opt_level, info.name, info.required, False)
        return Sequential, (*arguments, info.reuse_required)


def sequential(
    passes: Sequence[Pass] | None = None,
    opt_level: int = 0,
    name: str = "sequential",
    required: Sequence[str] | None = None,
) -> Sequential:
    """Make a Sequential."""
    return Sequential(passes, opt_level, name, required)


def register_pass(pass_: Pass) -> Pass:
    """Make a pass known by its name to get_pass and to `required`.

    Raises
    ------
    ValueError
        If its name is empty.
    """
    check_type(pass_, Pass, "a pass")
    check_name(pass_.info.name, "the name of a pass to be registered")
    pass_._register()
    return pass_


def PrintIR(header: str = "", elide: int = 16) -> Pass:
    """A pass that prints `PrintIR(header):` and the module to stderr.

    Parameters
    ----------
    header : str, optional
        The text in the line above the module.
    elide : int, optional
        Constants of more elements are not printed; -1 prints all.
    """
    return make_pass("partita-print-ir", {"header": header or None, "elide": elide})
