# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of tensors."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from ..errors import BindError, check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .attrs import to_attributes
from .bind import read_dims, read_params
from .block import BindingBlock, Parts, SeqExpr, as_params, as_parts
from .call import Call
from .constant import Constant
from .function import BaseFunc
from .global_var import GlobalVar, by_name
from .graph import context_of
from .inline import inline
from .lift import lift
from .names import also_named
from .node import Expr
from .op_form import OpForm, function_type
from .parts_form import make_form
from .prim import function_of_var
from .rewriter import Rewriter
from .types import (
    CallableType,
    FuncType,
    Type,
    as_value,
    from_mlir,
    keep_names,
    list_names,
    split_results,
    to_mlir,
)
from .var import Var

__all__ = ["Function"]


@_partita.known_as("Function")
class Function(BaseFunc):
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
        The type of the body; needed only if the function calls itself. As in TVM, one that says
        less gives way to the body's.
    type_params : list, optional
        For Relay's programs; must be empty. TVM 0.27 has `is_pure` in its place.
    attrs : dict, optional
        Attributes.
    is_pure : bool, optional
        Whether calls of it may be moved, merged and dropped.
    span : mlir.ir.Location, optional
        Where it comes from.

    Raises
    ------
    ValueError
        If the body is not valid. If it uses a variable that is no parameter, the function can be
        the value of a variable, and nothing else: a module raises the error.
    """

    # Its `_form` is an OpForm, or a PartsForm for one that has no op.
    __slots__ = ("_seq",)

    op_name = "relax.func"
    types_calls = True

    #: The `body`, once somebody has asked for it.
    _seq: SeqExpr | None

    @also_named(ret_ty="ret_type", ret_struct_info="ret_type")
    def __init__(
        self,
        params: Sequence[Var],
        body: Any,
        ret_type: Any = None,
        type_params: Sequence[Any] | bool | None = None,
        attrs: dict[str, Any] | None = None,
        is_pure: bool = True,
        span: ir.Location | None = None,
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
            ret_type = to_mlir(as_value(ret_type), context)
            if _says_more(parts.body, ret_type) or _is_seen_as(parts.body, params, ret_type):
                ret_type = None
        self._set(make_form(context, parts, header, ret_type, span))

    def _set(self, form: Any) -> None:
        super()._set(form)
        self._seq = None
        _partita.hide_function(self)

    def _with_parts(
        self, params: Sequence[Var], body: Any, blocks: Sequence[BindingBlock]
    ) -> Function:
        """A function of blocks, with the attributes of this one."""
        before, form = self._read(), self._form
        header = form.get_header()
        # Attributes of single parameters and results would fit others no more.
        if len(params) != len(before.params):
            header.pop("arg_attrs", None)
        if "res_attrs" in header and len(self._function_type.results) != _count_results(body):
            del header["res_attrs"]
        parts = Parts(tuple(params), body, tuple(blocks), before.is_single)
        context = context_of(params, body, form.context)
        # One that is in another function is made with that.
        is_built = not form.is_value
        return Function._of(make_form(context, parts, header, loc=form.loc, is_built=is_built))

    def _as_value(self, name: str = "", recursive: Var | None = None, span: Any = None) -> Var:
        """A variable that is bound to it; in it, `recursive` is that variable."""
        type_ = self._struct_info
        made = Var(name, CallableType(type_.params, type_.ret, self.is_pure), span)
        made._bind(self)
        if recursive is not None:
            made._bind_self(recursive)
        return made

    def _uses(self, var: Var) -> bool:
        """Whether the function, which has no op, uses a variable that is around it."""
        return self._form.uses(var)

    def _separate(self, var: Var) -> tuple[Function, Var]:
        """The function with another variable in place of one, and that."""
        own, rewriter = Var(var.name_hint, var._type, var.loc), Rewriter()
        rewriter.memo_map[var] = own
        return rewriter.visit_function_(self), own

    @property
    def loc(self) -> ir.Location | None:
        """Where the function comes from."""
        return self._form.loc

    #: The same, by its name in TVM.
    span = loc

    def __str__(self) -> str:
        return self._form.describe() or super().__str__()

    def _repr_html_(self) -> str:
        text = self._form.describe()
        return f"<pre>{html.escape(text)}</pre>" if text else super()._repr_html_()

    def __call__(self, *args: Any, **kwargs: Any) -> Call:
        """A call of the function as a value, with `args`."""
        return Call(lift(self), args, **kwargs)

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
        header = self._form.get_header()
        return "is_pure" not in header or ir.BoolAttr(header["is_pure"]).value

    @property
    def _function_type(self) -> ir.FunctionType:
        return self._form.get_known_type() or function_type(self.operation)

    @property
    def struct_info(self) -> FuncType:
        """The type of the function.

        As in TVM, its result has neither sizes that are not the parameters' nor a shape that is
        a variable, which callers do not know.
        """
        type_ = self._struct_info
        # A function whose parameters are not read needs not be for this.
        if keep_names(type_.ret, _names_of(type_.params)) is not type_.ret:
            type_.ret = _hide_inner(type_.ret, self.params)
        return type_

    @property
    def _struct_info(self) -> FuncType:
        type_ = cast(FuncType, from_mlir(self._function_type))
        type_.purity = self.is_pure
        return type_

    #: The same, by its names in Relay and in TVM 0.27.
    checked_type = ty = struct_info

    @property
    def ret_type(self) -> Type:
        """The type of the body."""
        return self.struct_info.ret

    #: The same, by its name in TVM.
    ret_struct_info = ret_ty = ret_type

    def with_body(self, body: Any) -> Function:
        """The function with another body on the same parameters."""
        parts = as_parts(self.params, body)
        assert parts.body is not None
        return self._with_parts(parts.params, parts.body, parts.blocks)

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
        function, owner = function_of_var(name), self._form.owner
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
        check_type(function_map, Mapping, "the functions to be a dict by their names")
        return inline(self, by_name(function_map, Function, "a relax Function"))

    def _change(self, change: Callable[[ir.Operation], None]) -> Function:
        """The function whose op `change` has changed."""
        if self.body is None:
            raise ValueError(f"expected a function with a body, but found the declaration {self}")
        op = self.operation.clone(ip=False).operation
        change(op)
        with op.context:
            op.verify()
        return Function._of(OpForm(op))

    def _read(self) -> Parts:
        parts: Parts = _partita.read_parts(self)
        return parts


def _names_of(types: Sequence[Type]) -> set[str]:
    return {name for type_ in types for name in list_names(type_)}


def _hide_inner(ret: Type, params: Sequence[Var]) -> Any:
    """The type of a function's result, as its callers know it."""
    known = _names_of([param.struct_info for param in params])
    known.update(str(size) for param in params if (size := param._as_size()) is not None)
    return keep_names(ret, known)


def _is_seen_as(body: Expr, params: Sequence[Var], type_: Any) -> bool:
    """Whether that is what a function's type, other than its op, says of `body`."""
    if body._types is None or body._type == type_ or not hasattr(type_, "context"):
        return False
    return bool(to_mlir(_hide_inner(body.struct_info, params), type_.context) == type_)


def _says_more(body: Expr, type_: Any) -> bool:
    """Whether the type of `body` says more than `type_`; it is the function's then, as in TVM."""
    is_known = body._types is not None and hasattr(type_, "context")
    return is_known and bool(_partita.is_more_general(type_, body._type))


def _count_results(body: Expr) -> int:
    if body._types is None or len(body._types) != 1:
        return len(body._types or ())
    return len(split_results(body._type))
