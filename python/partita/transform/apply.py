# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running a pass on some functions of a module."""

from __future__ import annotations

import re

from ..errors import check_type
from ..ir.module import IRModule
from ..mlir import ir
from .base import Pass
from .context import PassContext
from .info import PassInfo
from .passes import ModulePass


def _declare(op: ir.Operation) -> ir.Operation:
    """A copy of a function without its body."""
    attributes = dict(op.attributes.items())
    attributes["sym_visibility"] = ir.StringAttr.get("private", op.context)
    return ir.Operation.create(
        op.name, attributes=attributes, regions=len(op.regions), loc=op.location, ip=False
    )


def _make_subset(mod: IRModule, names: set[str]) -> IRModule:
    """A copy of a module in which functions with other names are only declared.

    The named ones are public, since the body of their caller may be gone.
    """
    op = mod.operation
    attributes = dict(op.attributes.items())
    copy = ir.Operation.create(op.name, attributes=attributes, regions=1, loc=op.location, ip=False)
    block = copy.regions[0].blocks.append()
    for view in mod.operation.regions[0].blocks[0].operations:
        op = view.operation
        if "function_type" not in op.attributes:
            block.append(op.clone(ip=False))
        elif ir.StringAttr(op.attributes["sym_name"]).value not in names:
            block.append(_declare(op))
        else:
            op = op.clone(ip=False).operation
            if "sym_visibility" in op.attributes:
                del op.attributes["sym_visibility"]
            block.append(op)
    return IRModule(copy)


def ApplyPassToFunction(
    transform: Pass, func_name_regex: str, error_if_no_function_matches_regex: bool = False
) -> ModulePass:
    """A module pass that runs another one on some functions of the module.

    The other pass sees those functions as public ones, and declarations of the
    others, which it can neither read nor change. Functions that it adds are added
    to the module; it can't delete any.

    Parameters
    ----------
    transform : Pass
        The pass to run, whatever its opt_level.
    func_name_regex : str
        It selects functions by the start of their names, as re.match does.
    error_if_no_function_matches_regex : bool, optional
        Whether a module without such a function is an error.

    Raises
    ------
    ValueError
        If the regex is not valid, and, with error_if_no_function_matches_regex,
        if no function of the module that the pass runs on matches.
    """
    check_type(transform, Pass, "a pass")
    check_type(func_name_regex, str, "func_name_regex to be a str")
    try:
        pattern = re.compile(func_name_regex)
    except re.error as error:
        raise ValueError(
            f"expected func_name_regex to be a regular expression, but found "
            f"'{func_name_regex}': {error}"
        ) from error

    def run(mod: IRModule, ctx: PassContext) -> IRModule:
        present = [var.name_hint for var in mod.get_global_vars()]
        names = {name for name in present if pattern.match(name)}
        if not names and error_if_no_function_matches_regex:
            raise ValueError(
                f"expected a function that matches '{func_name_regex}', but found "
                + (", ".join(present) or "none")
            )
        if not names:
            return mod
        subset = _make_subset(mod, names)
        result = transform(subset)
        if result.same_as(subset):
            return mod
        changed = {}
        others = set(present) - names
        for var, func in result.functions.items():
            if var.name_hint in others:
                continue
            if var.name_hint in names and getattr(mod[var.name_hint], "is_private", False):
                func = func.with_attr("sym_visibility", "private")
            changed[var.name_hint] = func
        mod.update(changed)
        return mod

    return ModulePass(run, PassInfo(0, "ApplyPassTo" + func_name_regex))
