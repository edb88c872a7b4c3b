# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading the expressions of a function from its op."""

from __future__ import annotations

import weakref
from typing import Any, TypeVar, cast

from ..ir.function import Expressions, function_type
from ..ir.global_var import GlobalVar
from ..mlir import ir
from .block import BindingBlock, DataflowBlock, Parts
from .expr import Call, Constant, Expr, Tuple, TupleGetItem, Var, foreign_op

_Expr = TypeVar("_Expr", bound=Expr)


def read_function(op: ir.Operation, source: Expressions) -> Parts:
    """The expressions of the relax.func `op`.

    An expression that was read before and is still held is the same object again.
    """
    reader = _Reader(op, source)
    return Parts(reader.params, reader.body, reader.blocks, reader.is_single)


class _Reader:
    """Reads the parameters, blocks and body of a relax.func."""

    def __init__(self, op: ir.Operation, source: Expressions):
        self.source = source
        self.context = op.context
        self.exprs: list[Expr] = []
        self.known: dict[ir.Value[Any], Expr] = {}
        self.blocks: list[BindingBlock] = []
        self.params: list[Var] = []
        self.body: Expr | None = None
        self.is_single = False
        blocks = op.regions[0].blocks
        if len(blocks):
            self.read_body(blocks[0])
        else:
            for i, type_ in enumerate(function_type(op).inputs):
                self.params.append(self.keep(Var._of(f"arg{i}", type_, None)))
        source.references = [weakref.ref(expr) for expr in self.exprs]

    def keep(self, expr: _Expr) -> _Expr:
        """`expr`, or the same expression if it was read before and is still held."""
        references = self.source.references
        index = len(self.exprs)
        if index < len(references):
            before = references[index]()
            if before is not None and _is_same(before, expr):
                expr = cast(_Expr, before)
        expr._source = self.source
        self.exprs.append(expr)
        return expr

    def read_body(self, block: ir.Block) -> None:
        for i, argument in enumerate(block.arguments):
            loc = argument.location
            name = (loc.name_str if loc.is_a_name() else None) or f"arg{i}"
            self.known[argument] = param = self.keep(Var._of(name, argument.type, loc))
            self.params.append(param)
        returned = self.read_block(block, None)
        if len(returned) == 1:
            self.body = returned[0]
            type_ = self.body._type
            self.is_single = isinstance(type_, ir.TupleType) and type_.num_types != 1
        else:
            self.body = self.keep(Tuple._of(returned, None, self.context))

    def read_block(self, block: ir.Block, dataflow: list[Expr] | None) -> list[Expr]:
        """Read the ops, and return the operands of the terminator.

        `dataflow` holds the bindings of the dataflow block around it: a dataflow block
        inside another counts as part of that one.
        """
        known = self.known
        bindings: list[Expr] = [] if dataflow is None else dataflow
        for view in block.operations:
            op = view.operation
            name = op.name
            operands = [known[operand] for operand in op.operands]
            results = op.results
            if name in ("relax.return", "relax.output"):
                if dataflow is None and bindings:
                    self.blocks.append(BindingBlock(bindings))
                return operands
            if name == "relax.dataflow":
                inner = op.regions[0].blocks[0]
                if dataflow is not None:
                    outputs = self.read_block(inner, dataflow)
                else:
                    if bindings:
                        self.blocks.append(BindingBlock(bindings))
                    bindings = []
                    outputs = self.read_block(inner, bindings)
                    self.blocks.append(DataflowBlock(bindings, outputs))
                    bindings = []
                known.update(zip(results, outputs))
                continue
            expr = self.keep(_read_op(op, name, operands))
            if not isinstance(expr, Constant):
                bindings.append(expr)
            if len(results) == 1:
                known[results[0]] = expr
            else:
                for i, result in enumerate(results):
                    known[result] = self.keep(TupleGetItem(expr, i, expr.loc))
        raise ValueError("expected a block that ends in relax.return or relax.output")


def _is_same(a: Any, b: Any) -> bool:
    """Whether two expressions are the same, and use the same objects."""
    if type(a) is not type(b) or a._types != b._types:
        return False
    if isinstance(a, Var):
        return a.name_hint == b.name_hint
    if isinstance(a, Constant):
        return a._value == b._value
    if isinstance(a, Call):
        return a.op == b.op and a.args == b.args and a._attrs == b._attrs
    if isinstance(a, Tuple):
        return a.fields == b.fields
    return a.tuple_value is b.tuple_value and a.index == b.index


def _read_op(op: ir.Operation, name: str, operands: list[Expr]) -> Expr:
    attributes = op.attributes
    loc = op.location
    if name == "relax.constant":
        return Constant(attributes["value"], loc)
    if name == "relax.tuple":
        return Tuple._of(operands, loc, op.context)
    if name == "relax.tuple_get_item":
        return TupleGetItem(operands[0], ir.IntegerAttr(attributes["index"]).value, loc)
    if len(op.regions):
        raise ValueError(f"expected an op without regions to read, but found {name}")
    attrs = dict(attributes.items())
    target: Any = foreign_op(name)
    args: list[Any] = operands
    if name in ("relax.call", "relax.call_tir"):
        callee = GlobalVar(ir.FlatSymbolRefAttr(attrs.pop("callee")).value)
        if name == "relax.call":
            target = callee
        else:
            args = [callee, *operands]
    return Call._of(target, args, attrs, [r.type for r in op.results], loc)
