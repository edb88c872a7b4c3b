# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bindings and blocks of them, branches, and the parts of a function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import check_list, check_type
from ..mlir._mlir_libs import _partita
from .binding import BINDINGS, Binding, rebind
from .functor import ExprFunctor
from .global_var import GlobalVar
from .identity import is_same
from .lift import in_context, lift, lift_value
from .node import Expr, Kind, Native
from .prim import Var as Size
from .rewriter import Rewriter
from .show import script, show
from .types import PrimType, unify
from .var import Var

__all__ = [
    "BindingBlock",
    "DataflowBlock",
    "If",
    "Parts",
    "SeqExpr",
    "as_params",
    "as_parts",
]


class _Placing:
    """Makes the expressions of blocks from bindings.

    A binding that gives another value to a variable replaces the variable in later bindings.
    """

    def __init__(self) -> None:
        self.replaced: dict[Any, Any] = {}
        self._rewriter: Rewriter | None = None

    def apply(self, value: Any) -> Any:
        """`value` with the replacements of variables in it."""
        return value if self._rewriter is None else self._rewriter.visit(value)

    def replace(self, old: Any, new: Any) -> None:
        """Let `new` take the place of `old`."""
        if old is not new:
            self._rewriter = self._rewriter or Rewriter()
            self._rewriter.memo_map[old] = self.replaced[old] = new

    def place(self, bindings: Sequence[Any]) -> _partita.Array:
        """The expressions of a block of `bindings`."""
        made: list[Any] = []
        seen: set[Any] = set()
        for binding in bindings:
            if isinstance(binding, GlobalVar):
                continue
            var = binding.var if type(binding) in BINDINGS else binding
            if var in seen:
                raise ValueError(
                    f"expected one value for each variable, but found two for '{var.name_hint}'"
                )
            seen.add(var)
            made.append(self._place_one(binding, var))
            self.replace(var, made[-1])
        return _partita.Array(made)

    def _place_one(self, binding: Any, var: Any) -> Any:
        if binding is var:
            return self.apply(var)
        bound = self.apply(binding.bound)
        if bound is (var.value if isinstance(var, Var) else var):
            return var
        if isinstance(var, Var):
            return rebind(var, bound)
        value = lift(bound)
        if value.loc is None and value._types is not None:
            value.loc = var.loc
        return value


@_partita.known_as("BindingBlock")
class BindingBlock:
    """Expressions in the order in which they are computed.

    Parameters
    ----------
    bindings : list of Expr, VarBinding or MatchCast
        The expressions. A binding that gives another value to a variable that has one, such as
        ``VarBinding(binding.var, value)``, replaces the variable in later bindings.
    """

    __slots__ = ("bindings", "_replaced")

    def __init__(self, bindings: Iterable[Any]):
        check_list(bindings, "the bindings of a block to be a list")
        self.bindings = made = _partita.Array(bindings)
        if any(issubclass(kind, (Binding, GlobalVar)) for kind in set(map(type, made))):
            placing = _Placing()
            self.bindings = placing.place(made)
            if placing.replaced:
                self._replaced = placing.replaced
        _partita.put_in_block(self.bindings, isinstance(self, DataflowBlock))

    @property
    def replaced(self) -> Mapping[Any, Any]:
        """The replacements of variables in the blocks that follow."""
        return getattr(self, "_replaced", {})

    same_as = is_ = is_same

    def _accept(self, functor: ExprFunctor) -> Any:
        """Let `functor` visit the block as one of its class."""
        return functor.visit_binding_block_(self)

    def _with_bindings(self, bindings: Iterable[Any]) -> BindingBlock:
        return BindingBlock(bindings)

    __str__ = _partita.describe
    script, show = script, show

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{len(self.bindings)} bindings>)"


@_partita.known_as("DataflowBlock")
class DataflowBlock(BindingBlock):
    """A BindingBlock without side effects: a ``relax.dataflow``.

    Parameters
    ----------
    bindings : list of Expr
        The expressions that it computes.
    outputs : list of Expr, optional
        The expressions that are used after the block, if they are known.
    """

    __slots__ = ("outputs",)

    def __init__(self, bindings: Iterable[Any], outputs: Sequence[Expr] | None = None):
        _partita.put_in_block(outputs or (), False)
        super().__init__(bindings)
        if outputs is not None:
            outputs = tuple(self.replaced.get(output, output) for output in outputs)
        self.outputs: tuple[Expr, ...] | None = outputs

    def _accept(self, functor: ExprFunctor) -> Any:
        return functor.visit_dataflow_block_(self)

    def _with_bindings(
        self, bindings: Iterable[Any], outputs: Sequence[Expr] | None = None
    ) -> DataflowBlock:
        return DataflowBlock(bindings, outputs)


def _replace(blocks: Sequence[BindingBlock], body: Any) -> tuple[tuple[BindingBlock, ...], Any]:
    """Blocks and a body, in which variables that earlier blocks have replaced are replaced."""
    placing, made = _Placing(), []
    for block in blocks:
        bindings = placing.place(block.bindings)
        for old, new in block.replaced.items():
            placing.replace(old, placing.apply(new))
        made.append(block if bindings == block.bindings else type(block)(bindings))
    return _partita.Array(made), placing.apply(body)


@_partita.known_as("SeqExpr")
class SeqExpr(Expr):
    """Blocks of bindings and a value: a branch of an If.

    Parameters
    ----------
    blocks : list of BindingBlock
        The blocks. Other expressions that the body needs are computed after them.
    body : Expr
        The value.
    """

    __slots__ = ()

    blocks: tuple[BindingBlock, ...] = Native._object

    def __init__(self, blocks: Sequence[BindingBlock], body: Any, span: Any = None):
        body = lift_value(body)
        check_list(blocks, "the blocks of a SeqExpr to be a list")
        blocks = _partita.Array(blocks)
        bindings: list[Expr] = []
        for block in blocks:
            check_type(block, BindingBlock, "the blocks of a SeqExpr to be BindingBlocks")
        if any(block.replaced for block in blocks):
            blocks, body = _replace(blocks, body)
        for block in blocks:
            bindings.extend(block.bindings)
        types = None if body._types is None else (body._type,)
        super().__init__(Kind.SEQ_EXPR, span, types, blocks, (*bindings, body))

    @property
    def body(self) -> Any:
        """The value."""
        return self._args[-1]

    def _with_parts(self, blocks: Sequence[BindingBlock], body: Any) -> SeqExpr:
        return SeqExpr(blocks, body, self.loc)

    def __repr__(self) -> str:
        return f"SeqExpr(<{len(self.blocks)} blocks>, {self.body!r})"


@_partita.known_as("If")
class If(Expr):
    """The value of one of two branches.

    Parameters
    ----------
    cond : Expr
        The condition: a tensor of one bool, or a number.
    true_branch, false_branch : SeqExpr or Expr
        The branches. An expression that only one of them uses is computed there.
    """

    __slots__ = ()

    def __init__(self, cond: Any, true_branch: Any, false_branch: Any, span: Any = None):
        branches = [
            branch if isinstance(branch, SeqExpr) else SeqExpr([], branch)
            for branch in (true_branch, false_branch)
        ]
        types = None
        if all(branch._types is not None for branch in branches):
            types = (unify(branches[0]._type, branches[1]._type),)
        cond = lift(cond)
        if types is not None:
            cond = in_context(cond, types[0].context)
        super().__init__(Kind.IF, span, types, None, (cond, *branches))

    @property
    def cond(self) -> Any:
        """The condition."""
        return self._args[0]

    @property
    def true_branch(self) -> SeqExpr:
        """The branch that runs if the condition is true."""
        return self._args[1]

    @property
    def false_branch(self) -> SeqExpr:
        """The branch that runs if the condition is false."""
        return self._args[2]

    def __repr__(self) -> str:
        return f"If({self.cond!r}, {self.true_branch!r}, {self.false_branch!r})"


@_partita.known_as("Parts")
class Parts(NamedTuple):
    """A function as expressions.

    Attributes
    ----------
    params : tuple of Var
        Its parameters.
    body : Expr or None
        Its result; None if it is only declared.
    blocks : tuple of BindingBlock
        Its expressions in the order in which they are computed, as far as it is known.
    is_single : bool
        Whether a tuple as the body is one result, not several.
    """

    params: tuple[Var, ...]
    body: Expr | None
    blocks: tuple[BindingBlock, ...] = ()
    is_single: bool = False


def as_params(params: Sequence[Any]) -> list[Any]:
    """The parameters of a function. A tir.Var becomes a number, and, if int64, that size."""

    def make(param: Any) -> Any:
        if not isinstance(param, Size):
            check_type(param, Var, "a parameter to be a Var")
            return param
        if param.dtype != "int64":
            return lift(param)
        return Var(str(param), PrimType("int64"))

    return [make(param) for param in params]


def as_parts(params: Sequence[Var], body: Any) -> Parts:
    """The parts of a function with that body, which may be a SeqExpr."""
    if isinstance(body, SeqExpr):
        return Parts(tuple(params), body.body, tuple(body.blocks))
    return Parts(tuple(params), lift_value(body))
