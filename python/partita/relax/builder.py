# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making the op of a function from its expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ..ir.attrs import to_attribute
from ..ir.function import Resolver
from ..ir.global_var import GlobalVar
from ..mlir import ir
from . import types as _types
from .block import BindingBlock, DataflowBlock, Parts
from .expr import Call, Constant, Expr, Tuple, TupleGetItem, Var, in_context
from .graph import children, post_order
from .infer import call_types, infer

Value: TypeAlias = "ir.Value[Any]"


class UnknownCallee(ValueError):
    """The type of a callee is needed, but its module is not known yet."""


class Builder:
    """Makes the op of a function.

    Each expression belongs to a section: the first block that needs it. Sections are
    built one after the other, without recursion. The ops of a dataflow block move into
    it when all of them exist, since only then is it known which values leave it.
    """

    def __init__(self, parts: Parts, context: ir.Context, resolver: Resolver | None):
        assert parts.body is not None, "a declaration has an op"
        self.parts, self.body = parts, parts.body
        self.context, self.resolver = context, resolver
        self.unknown = ir.Location.unknown(self.context)
        # The value of each expression, by id; for those in `split`, the fields of a tuple.
        self.values: dict[int, Sequence[Value]] = {}
        self.split: set[int] = set()
        # The ops, and the relax.tuples, that the current section has so far.
        self.ops: list[ir.Operation] = []
        self.tuples: dict[int, Value] = {}

    def build(
        self, header: Mapping[str, ir.Attribute], ret_type: ir.Type | None, loc: ir.Location | None
    ) -> ir.Operation:
        """The op @main with the attributes in `header`, whose body must have `ret_type`."""
        params = self.parts.params
        if len({id(param) for param in params}) != len(params):
            raise ValueError("expected each parameter once, but found one twice")
        types = [param._type for param in params]
        for type_ in types:
            if type_.context is not self.context:
                raise ValueError("expected the parameters to be of one MLIR context, but found two")
        attributes = {name: to_attribute(value, self.context) for name, value in header.items()}
        attributes["sym_name"] = ir.StringAttr.get("main", self.context)
        attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get(types, [], self.context), self.context
        )
        loc = self.get_location(loc)
        op = ir.Operation.create("relax.func", attributes=attributes, regions=1, loc=loc, ip=False)
        self.block = op.regions[0].blocks.append(
            *types, arg_locs=[self.get_param_location(param) for param in params]
        )
        self.ip = ir.InsertionPoint(self.block)
        for param, argument in zip(params, self.block.arguments):
            self.values[id(param)] = (argument,)
        sections, uses = self.plan()
        for index, (block, order) in enumerate(sections):
            for expr in order:
                self.emit(expr)
            if isinstance(block, DataflowBlock):
                self.close_dataflow(order, uses[index])
            self.ops.clear()
            self.tuples.clear()
        results = self.get_results()
        self.create("relax.return", [], results, {}, None)
        result_types = [result.type for result in results]
        op.attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get(types, result_types, self.context), self.context
        )
        if ret_type is not None and _types.split_results(ret_type) != result_types:
            found = _types.join_results(result_types, self.context)
            raise ValueError(f"expected a body of type {ret_type}, but found {found}")
        return op

    def get_location(self, loc: ir.Location | None) -> ir.Location:
        return self.unknown if loc is None or loc.context is not self.context else loc

    def get_param_location(self, param: Var) -> ir.Location:
        loc = self.get_location(param.loc)
        if loc.is_a_name() and loc.name_str == param.name_hint:
            return loc
        if not param.name_hint or (
            param.loc is not None and not loc.is_a_name() and param.name_hint[:3] == "arg"
        ):
            return loc
        return ir.Location.name(param.name_hint, loc, self.context)

    def plan(self) -> Any:
        """The block and the expressions of each section, and what of it others use."""
        visited = {id(param) for param in self.parts.params}
        home: dict[int, int] = {}
        # Constants go to the start, where all blocks can use them.
        sections: list[Any] = [(None, [])]
        uses: list[list[Any]] = [[]]

        def note_use(index: int, child: Expr, user: Expr | None) -> None:
            there = home.get(id(child), index)
            if there != index:
                field = user.index if isinstance(user, TupleGetItem) else None
                uses[there].append((child, field))

        blocks = [*self.parts.blocks, BindingBlock([self.body])]
        for index, block in enumerate(blocks, 1):
            order: list[Expr] = []
            sections.append((block, order))
            uses.append([])
            for binding in block.bindings:
                for expr in post_order(binding, visited):
                    if isinstance(expr, Constant):
                        home[id(expr)] = 0
                        sections[0][1].append(expr)
                        continue
                    if isinstance(expr, Var):
                        raise ValueError(
                            "expected the body to use parameters only, but found the "
                            f"variable '{expr.name_hint}', which is none of them"
                        )
                    home[id(expr)] = index
                    order.append(expr)
                    for child in children(expr):
                        note_use(index, child, expr)
        note_use(len(blocks), self.body, None)
        return sections, uses

    def create(
        self,
        name: str,
        types: Sequence[ir.Type] | None,
        operands: Sequence[Value],
        attributes: Mapping[str, ir.Attribute],
        loc: ir.Location | None,
    ) -> ir.Operation:
        loc = self.get_location(loc)
        op = ir.Operation.create(name, types, operands, dict(attributes), loc=loc, ip=self.ip)
        self.ops.append(op)
        return op

    def get_value(self, expr: Expr) -> Value:
        """`expr` as one value: a split tuple is made a relax.tuple."""
        key = id(expr)
        if key not in self.split:
            return self.values[key][0]
        if key not in self.tuples:
            fields = list(self.values[key])
            type_ = ir.TupleType.get_tuple([f.type for f in fields], self.context)
            op = self.create("relax.tuple", [type_], fields, {}, expr.loc)
            self.tuples[key] = op.results[0]
        return self.tuples[key]

    def get_results(self) -> list[Value]:
        """The operands of relax.return."""
        values = self.values[id(self.body)]
        if self.parts.is_single:
            return [self.get_value(self.body)]
        if id(self.body) in self.split and len(values) != 1:
            return list(values)
        value = self.get_value(self.body)
        types = _types.split_results(value.type)
        if types == [value.type]:
            return [value]
        return [self.get_field(value, i, t) for i, t in enumerate(types)]

    def get_field(self, value: Value, index: int, type_: ir.Type, loc: Any = None) -> Value:
        i64 = ir.IntegerType.get_signless(64, self.context)
        attributes = {"index": ir.IntegerAttr.get(i64, index)}
        op = self.create("relax.tuple_get_item", [type_], [value], attributes, loc)
        return op.results[0]

    def emit(self, expr: Expr) -> None:
        key = id(expr)
        if expr._types and expr._context is not self.context:
            expr = in_context(expr, self.context)
        if isinstance(expr, Constant):
            op = self.create("relax.constant", expr._types, [], {"value": expr._value}, expr.loc)
            self.values[key] = (op.results[0],)
        elif isinstance(expr, Tuple):
            self.values[key] = [self.get_value(field) for field in expr.fields]
            self.split.add(key)
        elif isinstance(expr, TupleGetItem):
            self.values[key] = (self.emit_field(expr),)
        elif isinstance(expr, Call):
            self.values[key] = results = list(self.emit_call(expr).results)
            if len(results) != 1:
                self.split.add(key)
        else:
            raise TypeError(f"expected an expression, but found {type(expr).__name__}")

    def emit_field(self, expr: TupleGetItem) -> Value:
        source, index = expr.tuple_value, expr.index
        if id(source) in self.split:
            fields = self.values[id(source)]
            if not 0 <= index < len(fields):
                raise ValueError(f"expected one of {len(fields)} fields, but found {index}")
            return fields[index]
        value = self.get_value(source)
        type_ = value.type
        if not isinstance(type_, ir.TupleType):
            raise TypeError(f"expected a tuple to take a field of, but found {type_}")
        if not 0 <= index < type_.num_types:
            raise ValueError(f"expected one of {type_.num_types} fields, but found {index}")
        return self.get_field(value, index, type_.get_type(index), expr.loc)

    def emit_call(self, expr: Call) -> ir.Operation:
        operands = [self.get_value(arg) for arg in children(expr)]
        attributes = expr._attrs
        types = expr._types
        target = expr.op
        callee = target if isinstance(target, GlobalVar) else None
        if isinstance(target, GlobalVar):
            name = "relax.call"
            if types is None:
                types = tuple(self.get_call_types(target, [v.type for v in operands]))
        else:
            name = target.name
            if expr.args and isinstance(expr.args[0], GlobalVar):
                callee = expr.args[0]
            if types is None:
                types, attributes = infer(
                    name, [v.type for v in operands], attributes, self.context
                )
        if callee is not None:
            symbol = ir.FlatSymbolRefAttr.get(callee.name_hint, self.context)
            attributes = {"callee": symbol, **attributes}
        return self.create(name, types, operands, attributes, expr.loc)

    def get_call_types(self, callee: GlobalVar, args: Sequence[ir.Type]) -> Sequence[ir.Type]:
        type_ = callee._type
        if self.resolver is not None:
            type_ = self.resolver(callee.name_hint) or type_
        if type_ is None:
            raise UnknownCallee(
                f"expected the function {callee} that is called to be in the module, or the "
                "call to have sinfo_args, the types of its results"
            )
        return call_types(callee, type_, args)

    def close_dataflow(self, order: Sequence[Expr], uses: Sequence[Any]) -> None:
        """Moves the ops of the section into a relax.dataflow."""
        if not self.ops:
            return
        used: set[Value] = set()
        for expr, field in uses:
            values = self.values[id(expr)]
            if field is not None and id(expr) in self.split:
                values = values[field : field + 1]
            used.update(values)
        outputs = [v for op in self.ops for v in op.results if v in used]
        types = [value.type for value in outputs]
        op = ir.Operation.create("relax.dataflow", types, regions=1, loc=self.unknown, ip=self.ip)
        block = op.regions[0].blocks.append()
        for inner in self.ops:
            block.append(inner)
        end = ir.InsertionPoint(block)
        ir.Operation.create("relax.output", [], outputs, loc=self.unknown, ip=end)
        outer: dict[Value, Value] = dict(zip(outputs, op.results))
        for expr in order:
            self.values[id(expr)] = [outer.get(v, v) for v in self.values[id(expr)]]
