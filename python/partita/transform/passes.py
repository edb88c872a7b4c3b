# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Module passes, Sequentials, and the registered passes by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import check_name, check_type
from ..mlir._mlir_libs import _partita
from .base import Pass
from .info import PassInfo, make_info


class ModulePass(_partita.ModulePass):
    """A pass that is a Python function (mod, ctx) -> mod. See module_pass.

    The function owns the module that it gets, and may add and delete functions.
    """

    def __init__(self, function: Callable[..., Any], info: PassInfo, version: str | None = None):
        super().__init__(function, info._to_c(), version)


class Sequential(_partita.Sequential):
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
        info = make_info(opt_level, name, required, reuse_required)
        super().__init__(list(passes), info._to_c())
        self.passes = list(passes)


def sequential(
    passes: Sequence[Pass] | None = None,
    opt_level: int = 0,
    name: str = "sequential",
    required: Sequence[str] | None = None,
) -> Sequential:
    """Make a Sequential."""
    return Sequential(passes, opt_level, name, required)


def get_pass(name: str, options: str = "") -> Pass:
    """The registered pass with a name.

    Parameters
    ----------
    name : str
        TVM's name of it ("FoldConstant", "relax.transform.FoldConstant"), or MLIR's
        ("relax-fold-constant", "canonicalize").
    options : str, optional
        Its options as in a textual pipeline: "max-growth=64".

    Raises
    ------
    ValueError
        If no pass has that name; it lists the nearest.
    """
    return _partita.get_pass(name, options)


def make_pass(name: str, options: dict[str, Any]) -> Pass:
    """The pass `name` with options as keyword arguments; None is the default."""

    def text(value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (list, tuple)):
            joined = ",".join(text(element) for element in value)
            # MLIR takes quotes at both ends for those around the whole.
            return "{" + joined + "}" if '"' in joined else joined
        if isinstance(value, str) and (not value or set(value) & set(" {}\"',=")):
            return '"' + value + '"'
        return str(value)

    return get_pass(
        name,
        " ".join(
            f"{key.replace('_', '-')}={text(value)}"
            for key, value in options.items()
            if value is not None and value != []
        ),
    )


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


def parse_pipeline(
    pipeline: str,
    opt_level: int = 0,
    name: str = "sequential",
    required: Sequence[str] | None = None,
) -> Pass:
    """The Sequential of a textual pipeline: "builtin.module(func.func(cse))"."""
    return _partita.parse_pipeline(pipeline, make_info(opt_level, name, required)._to_c())


def list_passes() -> dict[str, dict[str, Any]]:
    """The registered passes: "info", "argument", "qualified_name", "summary"."""
    return {
        info.name: {
            "info": info,
            "argument": argument,
            "qualified_name": qualified,
            "summary": summary,
        }
        for info, argument, qualified, summary in _partita.list_passes()
    }


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
