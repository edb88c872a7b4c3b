# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The registered passes, and pipelines of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import as_number, check_type
from ..mlir._mlir_libs import _partita
from .info import make_info, to_c

if TYPE_CHECKING:
    from .base import Pass

__all__ = ["get_pass", "list_passes", "make_pass", "parse_pipeline"]


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
    check_type(name, str, "the name of a pass to be a str")
    check_type(options, str, "the options of a pass to be a str")
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
            for key, value in zip(options, map(as_number, options.values()))
            if value is not None and value != []
        ),
    )


def parse_pipeline(
    pipeline: str,
    opt_level: int = 0,
    name: str = "sequential",
    required: Sequence[str] | None = None,
) -> Pass:
    """The Sequential of a textual pipeline: "builtin.module(func.func(cse))"."""
    check_type(pipeline, str, "a pipeline to be a str")
    return _partita.parse_pipeline(pipeline, to_c(make_info(opt_level, name, required)))


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
