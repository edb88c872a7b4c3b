# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions, and how they become ops and are read from ops."""

from __future__ import annotations

import weakref
from typing import (
    Any,
    Callable,
    Container,
    Dict,
    Iterable,
    List,
    Optional,
    Sequence,
    Set,
)

from ..ir.attrs import to_attribute
from ..ir.function import _INHERENT, BaseFunc, Expressions, Owner
from ..ir.module import GlobalVar
from ..mlir import ir
from . import types as _types
from .expr import (
    Call,
    Constant,
    Expr,
    Tuple,
    TupleGetItem,
    Var,
    _foreign_op,
    _in_context,
    call_types,
    infer,
    lift,
)

__all__ = ["BindingBlock", "DataflowBlock", "Function"]

# The type of a function of the module that is being made, if it has one.
Resolver = Callable[[str], Optional[ir.FunctionType]]


class BindingBlock:
    """Expressions in the order in which they are computed."""

    __slots__ = ("bindings",)

    def __init__(self, bindings: Sequence[Expr]):
        self.bindings = tuple(bindings)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{len(self.bindings)} bindings>)"


class DataflowBlock(BindingBlock):
    """A BindingBlock without side effects: a ``relax.dataflow``.

    Parameters
    ----------
    bindings : list of Expr
        What it computes.
    outputs : list of Expr, optional
        What of that is used behind the block, if it is known.
    """

    __slots__ = ("outputs",)

    def __init__(self, bindings: Sequence[Expr], outputs: Optional[Sequence[Expr]] = None):
        super().__init__(bindings)
        self.outputs = None if outputs is None else tuple(outputs)


class UnknownCallee(ValueError):
    """The type of a callee is needed, and the module is not known yet."""


def children(expr: Any) -> Sequence[Expr]:
    """The expressions that `expr` uses."""
    if isinstance(expr, Call):
        if expr.args and isinstance(expr.args[0], GlobalVar):
            return expr.args[1:]
        return expr.args
    if isinstance(expr, Tuple):
        return expr.fields
    if isinstance(expr, TupleGetItem):
        return (expr.tuple_value,)
    return ()


def post_order(root: Expr, visited: Set[int], known: Container[Expr] = ()) -> Iterable[Expr]:
    """`root` and what it uses, each once and after what it uses itself.

    `visited` has the ids of those that are left out, as are the `known` ones,
    and gets the others. No recursion: a graph can be deeper than Python's stack.
    """
    if id(root) in visited or root in known:
        return
    visited.add(id(root))
    stack = [(root, iter(children(root)))]
    while stack:
        expr, rest = stack[-1]
        for child in rest:
            if id(child) not in visited and child not in known:
                visited.add(id(child))
                stack.append((child, iter(children(child))))
                break
        else:
            stack.pop()
            yield expr


class Function(BaseFunc):
    """A function of tensors.

    One that is made from expressions has an op of its own. One that is taken
    from a module is a view of an op there; only when its `params` or `body` are
    asked for are expressions made, and as long as it is not changed the op, with
    its dataflow blocks and locations, is what it is.

    Parameters
    ----------
    params : list of Var
        The parameters.
    body : Expr
        The result; a tuple is several results.
    ret_type : TensorType, TupleType, ..., optional
        The type of the body, which a function that calls itself must give.
    type_params : list, optional
        For Relay's programs; must be empty.
    attrs : dict, optional
        Attributes.
    is_pure : bool, optional
        Whether calls of it may be moved, merged and dropped.

    Raises
    ------
    ValueError
        Where the body uses a variable that is no parameter, or is not valid.
    """

    __slots__ = (
        "_params",
        "_body",
        "_blocks",
        "_ret_type",
        "_header",
        "_is_single",
        "_is_read",
        "_loc",
        "_context",
    )

    def __init__(
        self,
        params: Sequence[Var],
        body: Any,
        ret_type: Any = None,
        type_params: Optional[Sequence[Any]] = None,
        attrs: Optional[Dict[str, Any]] = None,
        is_pure: bool = True,
    ):
        if type_params:
            raise ValueError(
                f"expected no type parameters, which Relax has not, but found {type_params}"
            )
        if isinstance(params, Expr) or not isinstance(params, (list, tuple)):
            raise TypeError(
                f"expected the parameters to be a list of Var, but found {type(params).__name__}"
            )
        for param in params:
            if not isinstance(param, Var):
                raise TypeError(
                    f"expected a parameter to be a Var, but found {type(param).__name__}"
                )
        body = lift(body)
        if not isinstance(body, Expr):
            raise TypeError(
                f"expected the body to be an expression, but found {type(body).__name__}"
            )
        context = _context_of(params, body)
        header = {} if is_pure else {"is_pure": ir.BoolAttr.get(False, context)}
        for key, value in (attrs or {}).items():
            header[key] = to_attribute(value, context)
        if ret_type is not None:
            ret_type = _types.to_mlir(ret_type, context)
        self._init(context, params, body, [], header, ret_type, False)

    def _init(
        self,
        context: ir.Context,
        params: Sequence[Var],
        body: Expr,
        blocks: Sequence[BindingBlock],
        header: Dict[str, ir.Attribute],
        ret_type: Optional[ir.Type],
        is_single: bool,
        loc: Optional[ir.Location] = None,
    ) -> None:
        self._params, self._body, self._blocks = list(params), body, list(blocks)
        self._header, self._ret_type, self._is_single = header, ret_type, is_single
        self._is_read, self._loc, self._context = True, loc, context
        self._op = self._owner = None
        try:
            self._op = self._build("main", None)
        except UnknownCallee:
            pass

    def _set(self, op: ir.Operation, owner: Optional[Owner]) -> None:
        super()._set(op, owner)
        self._params = self._body = self._blocks = self._ret_type = None
        self._header, self._is_single, self._is_read = {}, False, False
        self._loc, self._context = None, op.context

    @classmethod
    def _make(
        cls,
        params: Sequence[Var],
        body: Expr,
        blocks: Sequence[BindingBlock],
        like: Optional["Function"] = None,
        header: Optional[Dict[str, ir.Attribute]] = None,
    ) -> "Function":
        """A function of blocks, with the attributes of `like`."""
        self = cls.__new__(cls)
        context = _context_of(params, body, like)
        if like is not None:
            header = like._get_header()
            # What is said of each parameter and result, if they are others.
            if len(params) != len(like.params):
                header.pop("arg_attrs", None)
            if len(like._function_type.results) != _count_results(body):
                header.pop("res_attrs", None)
        self._init(
            context,
            params,
            body,
            blocks,
            header or {},
            None,
            like is not None and like._is_single,
            None if like is None else like.loc,
        )
        return self

    def _get_header(self) -> Dict[str, ir.Attribute]:
        if self._op is None:
            return dict(self._header)
        return {
            name: attribute
            for name, attribute in self._op.attributes.items()
            if name not in ("sym_name", "function_type")
        }

    @property
    def loc(self) -> Optional[ir.Location]:
        """Where the function comes from."""
        return self._loc if self._op is None else self._op.location

    # The op.

    @property
    def operation(self) -> ir.Operation:
        if self._op is None:
            # Says which callee is not known.
            self._op = self._build("main", None)
        return self._op

    @property
    def name(self) -> str:
        return "main" if self._op is None else super().name

    def _to_op(self, name: str, resolver: Optional[Resolver], context: ir.Context) -> ir.Operation:
        """An op `name` in `context` that the caller owns."""
        op = self._build(name, resolver) if self._op is None else self._clone_op()
        if op.context is not context:
            op = transfer(op, context)
        op.attributes["sym_name"] = ir.StringAttr.get(name, context)
        return op

    def _derive(self, op: ir.Operation) -> "Function":
        other = super()._derive(op)
        if self._is_read:
            other._params, other._body = self._params, self._body
            other._blocks, other._is_single = self._blocks, self._is_single
            other._is_read = True
        return other

    def with_attr(self, key: Any, value: Any = None) -> "Function":
        if self._op is not None:
            return super().with_attr(key, value)
        context = self._context
        header = dict(self._header)
        for name, item in (key if isinstance(key, dict) else {key: value}).items():
            header[name] = to_attribute(item, context)
        other = Function.__new__(Function)
        other._init(
            context,
            self._params,
            self._body,
            self._blocks,
            header,
            self._ret_type,
            self._is_single,
            self._loc,
        )
        return other

    def _attributes(self) -> Dict[str, ir.Attribute]:
        if self._op is not None:
            return super()._attributes()
        return {n: a for n, a in self._header.items() if n not in _INHERENT}

    # The parts.

    @property
    def params(self) -> List[Var]:
        """The parameters."""
        self._read()
        return list(self._params)

    @property
    def body(self) -> Optional[Expr]:
        """The result; None if the function is only declared."""
        self._read()
        return self._body

    @property
    def blocks(self) -> List[BindingBlock]:
        """The blocks of bindings; none if the body is all that is known."""
        self._read()
        return list(self._blocks)

    @property
    def is_pure(self) -> bool:
        """Whether calls of it may be moved, merged and dropped."""
        header = self._get_header()
        return "is_pure" not in header or header["is_pure"].value

    @property
    def _function_type(self) -> ir.FunctionType:
        if self._op is None and self._ret_type is not None:
            return ir.FunctionType.get(
                [param._type for param in self._params],
                _types.split_results(self._ret_type),
                self._ret_type.context,
            )
        return ir.TypeAttr(self.operation.attributes["function_type"]).value

    @property
    def struct_info(self) -> _types.FuncType:
        """The type of the function."""
        return _types.from_mlir(self._function_type)

    @property
    def checked_type(self) -> _types.FuncType:
        """The same as `struct_info`, by its name in Relay."""
        return self.struct_info

    @property
    def ret_type(self) -> _types.Type:
        """The type of the body."""
        return self.struct_info.ret

    @property
    def ret_struct_info(self) -> _types.Type:
        """The same as `ret_type`, by its name in TVM."""
        return self.ret_type

    def with_body(self, body: Any) -> "Function":
        """The function with another body on the same parameters."""
        return Function._make(self.params, lift(body), [], like=self)

    # From ops.

    def _read(self) -> None:
        if self._is_read:
            return
        source = None
        if self._owner is not None:
            source = self._owner.expressions.get(self.name)
        if source is None:
            source = Expressions(self._owner)
            if self._owner is not None:
                self._owner.expressions[self.name] = source
        reader = _Reader(self._op, source)
        self._params, self._blocks = reader.params, reader.blocks
        self._body, self._is_single = reader.body, reader.is_single
        self._is_read = True

    # To ops.

    def _build(self, name: str, resolver: Optional[Resolver]) -> ir.Operation:
        op = _Builder(self, resolver).build(name)
        try:
            op.verify()
        except ir.MLIRError as error:
            raise ValueError(
                "; ".join(d.message for d in error.error_diagnostics) or str(error)
            ) from error
        return op


def _context_of(params: Sequence[Var], body: Expr, like: Optional[Function] = None) -> ir.Context:
    for param in params:
        return param._context
    for expr in post_order(body, set()):
        if expr._types and not isinstance(expr, Constant):
            return expr._context
    return body._context if like is None else like._context


def _count_results(body: Expr) -> int:
    if body._types is None or len(body._types) != 1:
        return len(body._types or ())
    return len(_types.split_results(body._type))


def transfer(op: ir.Operation, context: ir.Context) -> ir.Operation:
    """A copy of `op` in another context."""
    text = op.get_asm(enable_debug_info=True, print_generic_op_form=True)
    return ir.Operation.parse(text, context=context)


def _location_name(loc: ir.Location) -> Optional[str]:
    return loc.name_str if loc.is_a_name() else None


class _Reader:
    """Reads the parameters, blocks and body of a relax.func.

    What was read before and is still held, is the same object again.
    """

    def __init__(self, op: ir.Operation, source: Expressions):
        self.source = source
        self.context = op.context
        self.exprs: List[Expr] = []
        self.known: Dict[ir.Value, Expr] = {}
        self.blocks: List[BindingBlock] = []
        self.params: List[Var] = []
        self.body: Optional[Expr] = None
        self.is_single = False
        blocks = op.regions[0].blocks
        if len(blocks):
            self.read_body(blocks[0])
        else:
            function_type = ir.TypeAttr(op.attributes["function_type"]).value
            for i, type_ in enumerate(function_type.inputs):
                self.params.append(self.keep(Var._of(f"arg{i}", type_, None)))
        source.references = [weakref.ref(expr) for expr in self.exprs]

    def keep(self, expr: Expr) -> Expr:
        """`expr`, or what was read before in its place."""
        references = self.source.references
        index = len(self.exprs)
        if index < len(references):
            before = references[index]()
            if before is not None and _is_same(before, expr):
                expr = before
        expr._source = self.source
        self.exprs.append(expr)
        return expr

    def read_body(self, block: ir.Block) -> None:
        for i, argument in enumerate(block.arguments):
            loc = argument.location
            param = Var._of(_location_name(loc) or f"arg{i}", argument.type, loc)
            self.params.append(self.keep(param))
            self.known[argument] = self.params[-1]
        returned = self.read_block(block, None)
        if len(returned) == 1:
            self.body = returned[0]
            type_ = self.body._type
            self.is_single = isinstance(type_, ir.TupleType) and type_.num_types != 1
        else:
            self.body = self.keep(Tuple._of(returned, None, self.context))

    def read_block(self, block: ir.Block, dataflow: Optional[List[Expr]]) -> List[Expr]:
        """Reads the ops, and gives the operands of the terminator.

        `dataflow` has the bindings of the dataflow block that it is in: one
        inside another is the same.
        """
        known = self.known
        bindings: List[Expr] = [] if dataflow is None else dataflow
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


def _is_same(a: Expr, b: Expr) -> bool:
    """Whether two expressions on the same expressions are the same."""
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


def _read_op(op: ir.Operation, name: str, operands: List[Expr]) -> Expr:
    attributes = op.attributes
    loc = op.location
    if name == "relax.constant":
        return Constant(attributes["value"], loc)
    if name == "relax.tuple":
        return Tuple._of(operands, loc, op.context)
    if name == "relax.tuple_get_item":
        return TupleGetItem(operands[0], attributes["index"].value, loc)
    if len(op.regions):
        raise ValueError(f"expected an op without regions to read, but found {name}")
    attrs = {key: value for key, value in attributes.items()}
    target: Any = _foreign_op(name)
    args: List[Any] = operands
    if name in ("relax.call", "relax.call_tir"):
        callee = GlobalVar(ir.FlatSymbolRefAttr(attrs.pop("callee")).value)
        if name == "relax.call":
            target = callee
        else:
            args = [callee, *operands]
    return Call._of(target, args, attrs, [r.type for r in op.results], loc)


class _Builder:
    """Makes the op of a function.

    Each expression has a section, the first block that needs it. Sections are
    built one behind the other, without recursion. The ops of a dataflow block
    move into it when all are there: what leaves it is known by then.
    """

    def __init__(self, function: Function, resolver: Optional[Resolver]):
        self.function = function
        self.resolver = resolver
        self.context = function._context
        self.unknown = ir.Location.unknown(self.context)
        # The values of an expression; of those in `parts`, the fields of a tuple.
        self.values: Dict[int, Sequence[ir.Value]] = {}
        self.parts: Set[int] = set()
        # What has been made for the current section.
        self.ops: List[ir.Operation] = []
        self.tuples: Dict[int, ir.Value] = {}

    def build(self, name: str) -> ir.Operation:
        function = self.function
        params = function._params
        if len({id(param) for param in params}) != len(params):
            raise ValueError("expected each parameter once, but found one twice")
        types = [param._type for param in params]
        for type_ in types:
            if type_.context is not self.context:
                raise ValueError("expected the parameters to be of one MLIR context, but found two")
        attributes = {
            name: to_attribute(attribute, self.context)
            for name, attribute in function._header.items()
        }
        attributes["sym_name"] = ir.StringAttr.get(name, self.context)
        attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get(types, [], self.context), self.context
        )
        loc = function._loc
        if loc is None or loc.context is not self.context:
            loc = self.unknown
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
        expected = function._ret_type
        if expected is not None and _types.split_results(expected) != result_types:
            found = _types.join_results(result_types, self.context)
            raise ValueError(f"expected a body of type {expected}, but found {found}")
        return op

    def get_param_location(self, param: Var) -> ir.Location:
        loc = param.loc
        if loc is None or loc.context is not self.context:
            loc = self.unknown
        if loc.is_a_name() and loc.name_str == param.name_hint:
            return loc
        if not param.name_hint or (
            param.loc is not None and not loc.is_a_name() and param.name_hint[:3] == "arg"
        ):
            return loc
        return ir.Location.name(param.name_hint, loc, self.context)

    def plan(self) -> Any:
        """Each section's block and expressions, and what leaves it."""
        function = self.function
        visited = {id(param) for param in function._params}
        home: Dict[int, int] = {}
        # Constants are at the start, where all blocks see them.
        sections: List[Any] = [(None, [])]
        uses: List[List[Any]] = [[]]
        blocks = list(function._blocks) + [BindingBlock([function._body])]
        for index, block in enumerate(blocks, 1):
            order: List[Expr] = []
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
                        self.note_use(home, uses, index, child, expr)
        self.note_use(home, uses, len(blocks), function._body, None)
        return sections, uses

    @staticmethod
    def note_use(home, uses, index: int, child: Expr, user: Optional[Expr]) -> None:
        there = home.get(id(child), index)
        if there != index:
            field = user.index if isinstance(user, TupleGetItem) else None
            uses[there].append((child, field))

    def create(
        self,
        name: str,
        types: Sequence[ir.Type],
        operands: Sequence[ir.Value],
        attributes: Dict[str, ir.Attribute],
        loc: Optional[ir.Location],
    ) -> ir.Operation:
        if loc is None or loc.context is not self.context:
            loc = self.unknown
        op = ir.Operation.create(
            name,
            results=types,
            operands=operands,
            attributes=attributes,
            loc=loc,
            ip=self.ip,
        )
        self.ops.append(op)
        return op

    def get_value(self, expr: Expr) -> ir.Value:
        """The one value of `expr`."""
        key = id(expr)
        if key not in self.parts:
            return self.values[key][0]
        if key not in self.tuples:
            fields = list(self.values[key])
            type_ = ir.TupleType.get_tuple([f.type for f in fields], self.context)
            op = self.create("relax.tuple", [type_], fields, {}, expr.loc)
            self.tuples[key] = op.results[0]
        return self.tuples[key]

    def get_results(self) -> List[ir.Value]:
        """What the function returns."""
        body = self.function._body
        if self.function._is_single:
            return [self.get_value(body)]
        if id(body) in self.parts and len(self.values[id(body)]) != 1:
            return list(self.values[id(body)])
        value = self.get_value(body)
        types = _types.split_results(value.type)
        if types == [value.type]:
            return [value]
        return [self.get_field(value, i, t) for i, t in enumerate(types)]

    def get_field(self, value: ir.Value, index: int, type_: ir.Type, loc: Any = None) -> ir.Value:
        i64 = ir.IntegerType.get_signless(64, self.context)
        attributes = {"index": ir.IntegerAttr.get(i64, index)}
        op = self.create("relax.tuple_get_item", [type_], [value], attributes, loc)
        return op.results[0]

    def emit(self, expr: Expr) -> None:
        key = id(expr)
        if expr._types and expr._context is not self.context:
            expr = _in_context(expr, self.context)
        if isinstance(expr, Constant):
            op = self.create("relax.constant", expr._types, [], {"value": expr._value}, expr.loc)
            self.values[key] = (op.results[0],)
        elif isinstance(expr, Tuple):
            self.values[key] = [self.get_value(field) for field in expr.fields]
            self.parts.add(key)
        elif isinstance(expr, TupleGetItem):
            self.values[key] = (self.emit_field(expr),)
        elif isinstance(expr, Call):
            self.values[key] = results = list(self.emit_call(expr).results)
            if len(results) != 1:
                self.parts.add(key)
        else:
            raise TypeError(f"expected an expression, but found {type(expr).__name__}")

    def emit_field(self, expr: TupleGetItem) -> ir.Value:
        source, index = expr.tuple_value, expr.index
        if id(source) in self.parts:
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
                types = self.get_call_types(target, [v.type for v in operands])
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
        used: Set[ir.Value] = set()
        for expr, field in uses:
            values = self.values[id(expr)]
            if field is not None and id(expr) in self.parts:
                values = values[field : field + 1]
            used.update(values)
        outputs = [v for op in self.ops for v in op.results if v in used]
        op = ir.Operation.create(
            "relax.dataflow",
            results=[value.type for value in outputs],
            regions=1,
            loc=self.unknown,
            ip=self.ip,
        )
        block = op.regions[0].blocks.append()
        for inner in self.ops:
            block.append(inner)
        ir.Operation.create(
            "relax.output",
            results=[],
            operands=outputs,
            loc=self.unknown,
            ip=ir.InsertionPoint(block),
        )
        outer = dict(zip(outputs, op.results))
        for expr in order:
            values = self.values[id(expr)]
            self.values[id(expr)] = [outer.get(v, v) for v in values]
