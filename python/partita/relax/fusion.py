# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FuseOpsByPattern, with patterns that functions of the host check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import check_name, check_type
from ..ir.attrs import to_attribute
from ..ir.block import DataflowBlock, SeqExpr
from ..ir.call import Call
from ..ir.graph import visit_all
from ..ir.module import IRModule
from ..ir.relax_function import Function
from ..mlir import ir
from ..transform.base import Pass
from ..transform.by_name import get_pass
from ..transform.context import PassContext, without_instruments
from ..transform.decorator import module_pass
from ..transform.info import check_names
from .bindings import get_var2val, udchain
from .dpl.base import CallPattern, DFPattern
from .dpl.values import TupleGetItemPattern

__all__ = ["FuseOpsByPattern", "FusionPattern", "PatternCheckContext"]

#: The attribute of a call that matches, and then of one whose match is to be fused.
_MARK = "relax.pattern_match"


class PatternCheckContext:
    """What a function that checks a match is told."""

    def __init__(
        self,
        matched_expr: Call,
        annotated_expr: dict[str, Any],
        matched_bindings: dict[Any, Any],
        var_usages: dict[Any, list[Any]],
        value_to_bound_var: dict[Any, Any],
    ):
        #: The call that the whole pattern matched.
        self.matched_expr = matched_expr
        #: What the annotation patterns matched, by their names.
        self.annotated_expr = annotated_expr
        #: The calls and fields of tuples that the match is made of, by their variables.
        self.matched_bindings = matched_bindings
        #: The variables that use each variable of the dataflow block.
        self.var_usages = var_usages
        #: The variables of values.
        self.value_to_bound_var = value_to_bound_var


class FusionPattern:
    """A pattern for FuseOpsByPattern.

    Parameters
    ----------
    name : str
        The name that functions for its matches get: "dnnl.conv2d_relu".
    pattern : DFPattern
        What it matches.
    annotation_patterns : dict, optional
        Parts of the pattern, by names for what they match.
    check : callable, optional
        A function (PatternCheckContext) -> bool that says whether to fuse a match.
    attrs_getter : callable, optional
        A function that gets what the annotation patterns matched, by name. It returns a dict of
        attributes for the function of the match.
    """

    def __init__(
        self,
        name: str,
        pattern: DFPattern,
        annotation_patterns: Mapping[str, DFPattern] | None = None,
        check: Callable[[PatternCheckContext], bool] | None = None,
        attrs_getter: Callable[[dict[str, Any]], Mapping[str, Any]] | None = None,
    ):
        check_name(name, "the name of a pattern")
        if set(name) & set(":;{}\"'") or name != name.strip():
            raise ValueError(
                "expected the name of a pattern without colons, semicolons, braces and quotes, "
                f"but found {name!r}"
            )
        check_type(pattern, DFPattern, f"'{name}' to be a pattern")
        self.name = name
        self.pattern = pattern
        self.annotation_patterns = dict(annotation_patterns or {})
        self.check = check
        self.attrs_getter = attrs_getter

    @property
    def _asks(self) -> bool:
        return self.check is not None or self.attrs_getter is not None

    def __str__(self) -> str:
        return f"{self.name}: {self.pattern}"

    def __repr__(self) -> str:
        return f"<FusionPattern {self}>"


class _Matches:
    """The calls of a function that are marked, and what is known around them."""

    def __init__(self, func: Function):
        self.func = func
        self.var2val = get_var2val(func)
        self.bound = {value: var for var, value in self.var2val.items()}
        #: The usages of variables in the block of each marked call.
        self.usages: dict[int, dict[Any, list[Any]]] = {}
        self.calls: dict[int, Call] = {}
        for expr in [*visit_all(func), func]:
            for block in expr.blocks if isinstance(expr, (SeqExpr, Function)) else ():
                if isinstance(block, DataflowBlock):
                    self._add_block(block)

    def _add_block(self, block: DataflowBlock) -> None:
        marked = [
            binding
            for binding in block.bindings
            if isinstance(binding, Call) and _MARK in binding._attrs
        ]
        usages = udchain(block) if marked else {}
        for binding in marked:
            number = ir.IntegerAttr(binding._attrs[_MARK]).value
            self.calls[number], self.usages[number] = binding.value, usages

    def ask(self, number: int, pattern: FusionPattern) -> Mapping[str, Any] | None:
        """The attributes that `pattern` gives to a match; None if it does not want to fuse it."""
        call = self.calls.get(number)
        matched = pattern.pattern.extract_matched_expr(call, self.var2val)
        if call is None or matched is None:
            return None
        annotated = {
            name: matched[part]
            for name, part in pattern.annotation_patterns.items()
            if part in matched
        }
        if pattern.check is not None:
            values = [
                value
                for part, value in matched.items()
                if isinstance(part, (CallPattern, TupleGetItemPattern))
            ]
            bindings = {self.bound.get(value, value): value for value in values}
            context = PatternCheckContext(
                call, annotated, bindings, self.usages[number], self.bound
            )
            if not pattern.check(context):
                return None
        if pattern.attrs_getter is None:
            return {}
        attrs = pattern.attrs_getter(annotated)
        check_type(attrs, Mapping, "attrs_getter to return a dict of attributes")
        return attrs


def _find_marked(op: ir.Operation) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(each: ir.Operation) -> ir.WalkResult:
        if _MARK in each.attributes:
            found.append(each)
        return ir.WalkResult.ADVANCE

    op.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def _ask(mod: IRModule, pattern: FusionPattern) -> None:
    """Leave the marks at the matches that `pattern` wants to fuse."""
    functions = {var.name_hint: func for var, func in mod.functions_items()}
    for op in mod.operation.regions[0].blocks[0].operations:
        marked = _find_marked(op.operation)
        func = functions.get(ir.StringAttr(op.operation.attributes["sym_name"]).value)
        if not marked or not isinstance(func, Function):
            continue
        matches = _Matches(func)
        for each in marked:
            attrs = matches.ask(ir.IntegerAttr(each.attributes[_MARK]).value, pattern)
            if attrs is None:
                del each.attributes[_MARK]
            else:
                each.attributes[_MARK] = to_attribute(dict(attrs), each.context)


def _make_pass(patterns: Sequence[FusionPattern], **options: Any) -> Pass:
    """The pass in C++."""
    parts = [f"patterns={{{'; '.join(map(str, patterns))}}}"] if patterns else []
    for name, value in options.items():
        if isinstance(value, bool):
            value = str(value).lower()
        if value:
            parts.append(f"{name.replace('_', '-')}={value}")
    return get_pass("relax-fuse-ops-by-pattern", " ".join(parts))


_Pattern = FusionPattern | tuple[Any, ...]


def FuseOpsByPattern(
    patterns: Sequence[_Pattern],
    bind_constants: bool = True,
    annotate_codegen: bool = False,
    entry_functions: Sequence[str] | None = None,
) -> Pass:
    """Move calls that match patterns into functions.

    Parameters
    ----------
    patterns : list of FusionPattern or tuple
        The patterns in the order of their precedence. A tuple has the arguments of FusionPattern.
    bind_constants : bool
        Whether constants stay in the functions; otherwise they are arguments.
    annotate_codegen : bool
        Whether to put the functions into others for an external compiler.
    entry_functions : list of str, optional
        The only functions to look at.
    """
    check_type(patterns, (list, tuple), "the patterns to be a list")
    for pattern in patterns:
        check_type(
            pattern, (FusionPattern, list, tuple), "a pattern to be a FusionPattern or tuple"
        )
    made = [p if isinstance(p, FusionPattern) else FusionPattern(*p) for p in patterns]
    names = check_names("entry_functions", entry_functions)
    options = {"bind_constants": bind_constants, "entry_functions": ",".join(names)}
    if not any(pattern._asks for pattern in made):
        return _make_pass(made, annotate_codegen=annotate_codegen, **options)
    steps: list[tuple[FusionPattern | None, Pass, Pass]] = []
    for pattern in made:
        fuse = _make_pass([pattern], candidates="marked" if pattern._asks else "", **options)
        mark = _make_pass([pattern], candidates="mark", **options)
        steps.append((pattern if pattern._asks else None, mark, fuse))
    annotate = _make_pass([], annotate_codegen=annotate_codegen, **options)

    def run(mod: IRModule, ctx: PassContext) -> IRModule:
        for pattern, mark, fuse in steps:
            if pattern is not None:
                with without_instruments():
                    mod = mark(mod)
                _ask(mod, pattern)
            with without_instruments():
                mod = fuse(mod)
        with without_instruments():
            return annotate(mod) if annotate_codegen else mod

    result: Pass = module_pass(run, opt_level=0, name="FuseOpsByPattern")
    return result
