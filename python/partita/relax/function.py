# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of tensors."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, cast

from ..errors import BindError, CallError, FieldError, check_type
from ..ir.attrs import to_attributes
from ..ir.context import get_context
from ..ir.function import INHERENT, BaseFunc, Owner, Resolver, function_type, set_visibility
from ..ir.prim import function_of_var
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from . import types as _types
from .bind import read_dims, read_params
from .block import BindingBlock, DataflowBlock, If, Parts, SeqExpr, as_params, as_parts
from .builder import UnknownCallee, build
from .graph import context_of
from .infer import call_types
from .names import also_named
from .nodes import (
    Call,
    Constant,
    ExactTypes,
    Expr,
    GlobalVar,
    Op,
    Tuple,
    TupleGetItem,
    Var,
    in_context,
    lift,
    match_cast,
    rebind,
)
from .values import DataTypeImm, ExternFunc, PrimValue, ShapeExpr, StringImm

__all__ = ["Function"]


class Function(BaseFunc, op_name="relax.func", types_calls=True):
    """A function of tensors.

    One that is made from expressions has an op of its own. One that is taken from a
    module is a view of an op there: expressions are made only when its `params` or `body`
    are read, and the op keeps its dataflow blocks and locations unless it is changed. One
    that is the value of a variable in another function has no op; it can use what is known
    where it is made.

    Parameters
    ----------
    params : list of Var
        The parameters.
    body : Expr or SeqExpr
        The result; a tuple is several results.
    ret_type : TensorType, TupleType, ..., optional
        The type of the body, or one that says less; needed only if the function calls itself.
    type_params : list, optional
        For Relay's programs; must be empty. TVM 0.27 has `is_pure` in its place.
    attrs : dict, optional
        Attributes.
    is_pure : bool, optional
        Whether calls of it may be moved, merged and dropped.

    Raises
    ------
    ValueError
        If the body is not valid. If it uses a variable that is no parameter, the function can be
        the value of a variable, and nothing else: a module raises the error.
    """

    # _parts: None until they are read from the op. The others matter only while there is no op.
    __slots__ = ("_parts", "_seq", "_header", "_ret_type", "_loc", "_context")

    _parts: Parts | None
    _seq: SeqExpr | None
    _context: ir.Context

    #: What inline_functions does; set by inline.
    _inline_functions: ClassVar[Callable[[Function, Mapping[Any, Any]], Function]]
    #: The function with another variable in place of one, and that; set by expr_functor.
    _separate: ClassVar[Callable[[Function, Var], tuple[Function, Var]]]

    @also_named(ret_ty="ret_type", ret_struct_info="ret_type")
    def __init__(
        self,
        params: Sequence[Var],
        body: Any,
        ret_type: Any = None,
        type_params: Sequence[Any] | bool | None = None,
        attrs: dict[str, Any] | None = None,
        is_pure: bool = True,
    ):
        if isinstance(type_params, bool):
            is_pure, type_params = type_params, None
        if type_params:
            raise ValueError(
                f"expected no type parameters, which Relax has not, but found {type_params}"
            )
        check_type(params, (list, tuple), "the parameters to be a list of Var")
        params = as_params(params)
        for param in params:
            check_type(param, Var, "a parameter to be a Var")
            if param._types is None:
                raise ValueError(f"expected the Var '{param.name_hint}' to have a type")
        parts = as_parts(params, body)
        assert parts.body is not None
        check_type(parts.body, Expr, "the body to be an expression")
        context = context_of(params, parts.body)
        header = to_attributes(attrs or {}, context)
        if not is_pure:
            header.setdefault("is_pure", ir.BoolAttr.get(False, context))
        if ret_type is not None:
            ret_type = _types.to_mlir(_types.as_value(ret_type), context)
            if _is_seen_as(parts.body, params, ret_type):
                ret_type = None
            else:
                parts = parts._replace(body=_fit(parts.body, ret_type))
        self._init(context, parts, header, ret_type)

    def _init(
        self,
        context: ir.Context,
        parts: Parts,
        header: dict[str, ir.Attribute],
        ret_type: ir.Type | None = None,
        loc: ir.Location | None = None,
        is_built: bool = True,
    ) -> Function:
        self._op = self._owner = None
        self._context, self._parts, self._seq = context, parts, None
        self._header, self._ret_type, self._loc = header, ret_type, loc
        _partita.hide_function(self, parts)
        try:
            self._op = self._build(None) if is_built else None
        except UnknownCallee:
            pass
        except ValueError:
            # One that uses what is around it is made where it is a value.
            if not _is_open(parts):
                raise
        return self

    def _set(self, op: ir.Operation, owner: Owner | None) -> None:
        super()._set(op, owner)
        self._context, self._parts, self._seq = op.context, None, None
        _partita.hide_function(self, None)
        self._header, self._ret_type, self._loc = {}, None, None

    @classmethod
    def _make(
        cls,
        params: Sequence[Var],
        body: Expr,
        blocks: Sequence[BindingBlock],
        like: Function | None = None,
        header: dict[str, ir.Attribute] | None = None,
        is_built: bool = True,
    ) -> Function:
        """A function of blocks, with the attributes of `like`; with an op, if `is_built`."""
        self = cls.__new__(cls)
        if like is None:
            parts, context = Parts(tuple(params), body, tuple(blocks)), context_of(params, body)
            return self._init(context, parts, header or {}, is_built=is_built)
        before, header = like._read(), like._get_header()
        # Attributes of single parameters and results would fit others no more.
        if len(params) != len(before.params):
            header.pop("arg_attrs", None)
        if "res_attrs" in header and len(like._function_type.results) != _count_results(body):
            del header["res_attrs"]
        parts = Parts(tuple(params), body, tuple(blocks), before.is_single)
        context = context_of(params, body, like._context)
        # One that is in another function is made with that.
        return self._init(context, parts, header, loc=like.loc, is_built=not like._is_value)

    @property
    def _is_value(self) -> bool:
        """Whether it was read as a value in another function."""
        return self._op is None and self._parts is not None and self._parts.is_single

    def _as_value(self, name: str = "", recursive: Var | None = None, span: Any = None) -> Var:
        """A variable that is bound to it; in it, `recursive` is that variable."""
        type_ = self._struct_info
        made = Var(name, _types.CallableType(type_.params, type_.ret, self.is_pure), span)
        made._bind(self)
        if recursive is not None:
            made._bind_self(recursive)
        return made

    def _uses(self, var: Var) -> bool:
        """Whether the function, which has no op, uses a variable that is around it."""
        if self._op is not None:
            return False
        return var in _visit(self._read())

    def _get_header(self) -> dict[str, ir.Attribute]:
        if self._op is None:
            return dict(self._header)
        return _partita.get_attributes(self._op, ("sym_name", "function_type"))

    @property
    def loc(self) -> ir.Location | None:
        """Where the function comes from."""
        return self._loc if self._op is None else self._op.location

    #: The same, by its name in TVM.
    span = loc

    # The op.

    @property
    def operation(self) -> ir.Operation:
        if self._op is None:
            # Raises the error that names the unknown callee.
            self._op = self._build(None)
        return self._op

    @property
    def name(self) -> str:
        return "main" if self._op is None else super().name

    def __call__(self, *args: Any, **kwargs: Any) -> Call:
        """A call of the function as a value, with `args`."""
        return Call(lift(self), args, **kwargs)

    def _make_op(self, resolver: Resolver) -> ir.Operation:
        return self._build(resolver) if self._op is None else self._clone_op()

    def _derive(self, op: ir.Operation) -> Function:
        other = super()._derive(op)
        other._parts = self._parts
        return other

    def with_attr(self, key: Any, value: Any = None) -> Function:
        if self._op is not None:
            return super().with_attr(key, value)
        items = key if isinstance(key, dict) else {key: value}
        header = dict(self._header)
        if "global_symbol" in items:
            set_visibility(header, False, self._context)
        return self._with_header({**header, **to_attributes(items, self._context)})

    def without_attr(self, key: str) -> Function:
        if self._op is not None:
            return super().without_attr(key)
        header = {n: a for n, a in self._header.items() if n != key}
        if key == "global_symbol":
            set_visibility(header, True, self._context)
        return self._with_header(header)

    def __copy__(self) -> Function:
        return super().__copy__() if self._op is not None else self._with_header(self._header)

    def _with_header(self, header: dict[str, ir.Attribute]) -> Function:
        """The function without an op, with other attributes."""
        parts, is_built = self._read(), not self._is_value
        other = Function.__new__(Function)
        return other._init(self._context, parts, header, self._ret_type, self._loc, is_built)

    def __str__(self) -> str:
        # What a function in a function uses of that one has no text without it.
        if self._op is None and _is_open(self._read()):
            return f"Function({self.params!r}, {self._read().body!r})"
        return super().__str__()

    def _repr_html_(self) -> str:
        if self._op is None:
            return f"<pre>{html.escape(str(self))}</pre>"
        return super()._repr_html_()

    def _attributes(self) -> dict[str, ir.Attribute]:
        return {n: a for n, a in self._get_header().items() if n not in INHERENT}

    # The parts.

    @property
    def params(self) -> list[Var]:
        """The parameters."""
        return list(self._read().params)

    @property
    def body(self) -> SeqExpr | None:
        """The blocks of bindings and the result; None if the function is only declared."""
        parts = self._read()
        if self._seq is None and parts.body is not None:
            self._seq = SeqExpr(parts.blocks, parts.body)
        return self._seq

    @property
    def blocks(self) -> list[BindingBlock]:
        """The blocks of bindings; none if only the body is known."""
        return list(self._read().blocks)

    @property
    def type_params(self) -> list[Any]:
        """None, as Relax has no type parameters; for programs that hand them on, as Relay's do."""
        return []

    @property
    def is_pure(self) -> bool:
        """Whether calls of it may be moved, merged and dropped."""
        header = self._get_header()
        return "is_pure" not in header or ir.BoolAttr(header["is_pure"]).value

    @property
    def _known_type(self) -> ir.FunctionType | None:
        if self._op is not None:
            return function_type(self._op)
        parts, ret_type = self._read(), self._ret_type
        if ret_type is None and parts.body is not None and parts.body._types is not None:
            ret_type = parts.body._type
        if ret_type is None:
            return None
        results = [ret_type] if parts.is_single else _types.split_results(ret_type)
        return ir.FunctionType.get(
            [param._type for param in parts.params], results, ret_type.context
        )

    @property
    def _function_type(self) -> ir.FunctionType:
        return self._known_type or function_type(self.operation)

    @property
    def struct_info(self) -> _types.FuncType:
        """The type of the function.

        As in TVM, its result has neither sizes that are not the parameters' nor a shape that is
        a variable, which callers do not know.
        """
        type_ = self._struct_info
        # A function whose parameters are not read needs not be for this.
        if _types.keep_names(type_.ret, _names_of(type_.params)) is not type_.ret:
            type_.ret = _hide_inner(type_.ret, self.params)
        return type_

    @property
    def _struct_info(self) -> _types.FuncType:
        type_ = cast(_types.FuncType, _types.from_mlir(self._function_type))
        type_.purity = self.is_pure
        return type_

    #: The same, by its names in Relay and in TVM 0.27.
    checked_type = ty = struct_info

    @property
    def ret_type(self) -> _types.Type:
        """The type of the body."""
        return self.struct_info.ret

    #: The same, by its name in TVM.
    ret_struct_info = ret_ty = ret_type

    def with_body(self, body: Any) -> Function:
        """The function with another body on the same parameters."""
        parts = as_parts(self.params, body)
        assert parts.body is not None
        return Function._make(parts.params, parts.body, parts.blocks, like=self)

    def bind_params(self, binding_map: Mapping[str | Var, Any]) -> Function:
        """The function with constants in place of parameters, by the Var or its name.

        A size that the parameter's type has a name for is known after that, everywhere in the
        function.

        Parameters
        ----------
        binding_map : dict
            The values: numpy.ndarray, Constant, ShapeExpr or a list for a shape, or a number.

        Raises
        ------
        BindError
            If there is no such parameter, or the value is not one of its type. It is a ValueError,
            and a RuntimeError or a TypeError as in TVM.
        """
        values = read_params(self.params, binding_map)
        attributes = [(i, v.attribute if isinstance(v, Constant) else v) for i, v in values]
        try:
            return self._change(lambda op: _partita.bind_params(op, attributes))
        except ValueError as error:
            raise BindError(str(error)) from error

    def bind_symbolic_vars(self, binding_map: Mapping[str, Any]) -> Function:
        """The function with sizes, other names or expressions in place of names of dimensions.

        Parameters
        ----------
        binding_map : dict
            Sizes, by a tir.Var or its name: ints, or expressions of other names.

        Raises
        ------
        BindError
            If no parameter or match_cast has such a dimension, or a Var is one of another function
            of the module. It is a ValueError, and a RuntimeError as in TVM.
        """
        names, dims = read_dims(binding_map)
        for name in binding_map:
            self._check_own(name)
        try:
            return self._change(lambda op: _partita.bind_symbolic_vars(op, names, dims))
        except ValueError as error:
            raise BindError(str(error)) from error

    def _check_own(self, name: Any) -> None:
        """Check that a name of a size was not read from another function of the module."""
        function, owner = function_of_var(name), self._owner
        if function is None or owner is None:
            return
        own = ir.StringAttr(self.operation.attributes["sym_name"]).value
        if function != own and function in ir.SymbolTable(owner.operation):
            raise BindError(
                f"expected a dimension of @{own}, but found '{name}', which is one of @{function}"
            )

    def inline_functions(self, function_map: Mapping[str | GlobalVar, Function]) -> Function:
        """The function with the bodies of others in place of calls of them.

        Bindings of such a body are in the block that the call was in, with the sizes that the
        arguments have.

        Parameters
        ----------
        function_map : dict
            The functions, by the names or GlobalVars that are called. They may call each other.

        Raises
        ------
        ValueError
            If one calls itself, directly or through others.
        """
        return Function._inline_functions(self, function_map)

    def _change(self, change: Callable[[ir.Operation], None]) -> Function:
        """The function whose op `change` has changed."""
        if self.body is None:
            raise ValueError(f"expected a function with a body, but found the declaration {self}")
        op = self._clone_op()
        change(op)
        with op.context:
            op.verify()
        return type(self)._of(op, None)

    def _read(self) -> Parts:
        parts: Parts = _partita.read_parts(self)
        return parts

    def _build(self, resolver: Resolver | None) -> ir.Operation:
        return build(self._read(), self._context, self._header, self._ret_type, self._loc, resolver)


def _names_of(types: Sequence[_types.Type]) -> set[str]:
    return {name for type_ in types for name in _types.list_names(type_)}


def _hide_inner(ret: _types.Type, params: Sequence[Var]) -> Any:
    """The type of a function's result, as its callers know it."""
    known = _names_of([param.struct_info for param in params])
    known.update(str(size) for param in params if (size := param._as_size()) is not None)
    return _types.keep_names(ret, known)


def _is_seen_as(body: Expr, params: Sequence[Var], type_: Any) -> bool:
    """Whether that is what a function's type, other than its op, says of `body`."""
    if body._types is None or body._type == type_ or not hasattr(type_, "context"):
        return False
    return bool(_types.to_mlir(_hide_inner(body.struct_info, params), type_.context) == type_)


def _fit(body: Expr, type_: ir.Type) -> Expr:
    """`body` with a type that says less, if it has another one."""
    if body._types is None or body._type == type_ or not hasattr(type_, "context"):
        return body
    if isinstance(body, Tuple) and isinstance(type_, ir.TupleType):
        if len(body.fields) != type_.num_types:
            return body
        return Tuple([_fit(e, type_.get_type(i)) for i, e in enumerate(body.fields)], body.loc)
    if isinstance(body, GlobalVar) or not _partita.is_more_general(type_, body._type):
        return body
    return match_cast(body, type_)


def make_call(call: Call, args: Sequence[Any], op: Any) -> Call:
    """`call` on operands of other types, or of another op."""
    was = call._args[0] if args and op is call._object else None
    if isinstance(was, Var) and isinstance(args[0], GlobalVar):
        # What was a function in the function is now one of the module.
        return Call(args[0], list(args[1:]), span=call.loc)
    known = op.infers_type if isinstance(op, Op) else getattr(op, "_type", None) is not None
    types = None if known or call._types is None else ExactTypes(call._types)
    return Call(op, list(args), dict(call._attrs), types, call.loc)


def _is_open(parts: Parts) -> bool:
    """Whether the body uses variables that are no parameters."""
    known = set(parts.params)
    return any(isinstance(e, Var) and e.value is None and e not in known for e in _visit(parts))


def _visit(parts: Parts) -> list[Any]:
    """What the bindings and the body use, and these, each after what it uses."""
    roots = [binding for block in parts.blocks for binding in block.bindings]
    return _partita.post_order([*roots, parts.body])


def _count_results(body: Expr) -> int:
    if body._types is None or len(body._types) != 1:
        return len(body._types or ())
    return len(_types.split_results(body._type))


_partita.set_relax_types(
    {
        "Var": Var,
        "Constant": Constant,
        "Tuple": Tuple,
        "TupleGetItem": TupleGetItem,
        "Call": Call,
        "If": If,
        "SeqExpr": SeqExpr,
        "ShapeExpr": ShapeExpr,
        "PrimValue": PrimValue,
        "StringImm": StringImm,
        "DataTypeImm": DataTypeImm,
        "ExternFunc": ExternFunc,
        "Op": Op,
        "GlobalVar": GlobalVar,
        "Function": Function,
        "ops": Op._all,
        "lift": lift,
        "get_context": get_context,
        "in_context": in_context,
        "call_types": call_types,
        "make_call": make_call,
        "rebind": rebind,
        "BindingBlock": BindingBlock,
        "DataflowBlock": DataflowBlock,
        "Parts": Parts,
        "CallError": CallError,
        "FieldError": FieldError,
    }
)
