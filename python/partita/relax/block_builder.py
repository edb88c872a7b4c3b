# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making functions with dataflow blocks, one binding after the other."""

from __future__ import annotations

import contextlib
import contextvars
import functools
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import BuilderError, check_list, check_type
from ..ir.attrs import to_attributes
from ..ir.binding import Binding, rebind
from ..ir.block import BindingBlock, DataflowBlock, Parts, SeqExpr, as_params
from ..ir.call import Call, TupleGetItem, match_cast
from ..ir.compare import structural_equal, structural_hash
from ..ir.constant import Constant
from ..ir.global_var import GlobalVar, name_of
from ..ir.graph import context_of
from ..ir.lift import Tuple, lift, lift_part, lift_value
from ..ir.module import IRModule
from ..ir.names import UniqueNames, also_named
from ..ir.node import IN_DATAFLOW, Expr
from ..ir.parts_form import PartsForm
from ..ir.prim import PrimExpr
from ..ir.relax_function import Function
from ..ir.values import MATCH_CAST
from ..ir.var import Var
from ..ir.var_classes import Var as IsVar
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from ..transform.by_name import get_pass
from ..transform.context import without_instruments

__all__ = ["BlockBuilder", "copy_value", "lookup_binding"]

# The builder of the function that is being made.
_current: contextvars.ContextVar[BlockBuilder | None]
_current = contextvars.ContextVar("partita_block_builder", default=None)


class _Block:
    """The expressions that were emitted for a block, and the outputs of a dataflow block."""

    __slots__ = ("is_dataflow", "bindings", "outputs")

    def __init__(self, is_dataflow: bool):
        self.is_dataflow = is_dataflow
        self.bindings: list[Expr] = []
        self.outputs: list[Expr] = []

    def make(self) -> BindingBlock:
        if self.is_dataflow:
            return DataflowBlock(self.bindings, self.outputs)
        return BindingBlock(self.bindings)


class FunctionScope:
    """The scope of a function of a BlockBuilder, for ``with``."""

    def __init__(
        self,
        builder: BlockBuilder,
        name: str,
        params: Var | Sequence[Var] | None,
        attrs: dict[str, Any] | None,
        private: bool,
        pure: bool,
    ):
        check_type(name, str, "the name of a function to be a str")
        self.builder, self.name, self.params = builder, name, _as_list(params)
        self.attrs, self.private, self.pure = attrs, private, pure
        self.output: Expr | None = None
        #: The function, once it has been added to the module.
        self.added: GlobalVar | None = None
        self._token: contextvars.Token[BlockBuilder | None]
        # The builder's state when the scope was entered.
        self._outer: tuple[Any, ...] = ()

    def __enter__(self) -> None:
        builder = self.builder
        self._outer = (builder._function, builder._blocks, builder._bound, builder._is_dataflow)
        builder._function, builder._blocks, builder._bound = self, [], set()
        builder._is_dataflow = False
        self._token = _current.set(builder)

    def __exit__(self, exception: Any, value: Any, traceback: Any) -> None:
        builder = self.builder
        _current.reset(self._token)
        builder._function, builder._blocks, builder._bound, builder._is_dataflow = self._outer
        if exception is not None and self.added is not None:
            builder._mod.remove(self.added)
        if exception is None and self.output is None:
            raise BuilderError(
                f"expected emit_func_output in function '{self.name}', but found none"
            )

    def make(self, blocks: Sequence[_Block]) -> Function:
        """The function with everything that was emitted."""
        params, output = as_params(self.params), self.output
        assert output is not None
        context = context_of(params, output)
        header = to_attributes(self.attrs or {}, context)
        if not self.pure:
            header.setdefault("is_pure", ir.BoolAttr.get(False, context))
        if self.private:
            header["sym_visibility"] = ir.StringAttr.get("private", context)
        else:
            header["global_symbol"] = ir.StringAttr.get(self.name, context)
        made = [block.make() for block in blocks if block.bindings]
        # The module makes the op, as it knows the functions that are called.
        parts = Parts(tuple(params), output, tuple(made))
        return Function._of(PartsForm(context, parts, header, None, None))


class DataflowScope:
    """The scope of a dataflow block of a BlockBuilder, for ``with``."""

    def __init__(self, builder: BlockBuilder):
        self.builder = builder

    def __enter__(self) -> None:
        builder = self.builder
        if builder._function is None:
            raise BuilderError("expected a dataflow block to be in a function")
        if builder._is_dataflow:
            raise BuilderError("expected a dataflow block to end before another begins")
        builder._is_dataflow = True
        blocks = builder._blocks
        # As in TVM, blocks with nothing between them are one.
        if len(blocks) > 1 and blocks[-2].is_dataflow and not blocks[-1].bindings:
            blocks.pop()
        else:
            blocks.append(_Block(True))

    def __exit__(self, exception: Any, value: Any, traceback: Any) -> None:
        self.builder._is_dataflow = False
        self.builder._blocks.append(_Block(False))


def _as_list(params: Any) -> Any:
    if params is None:
        return None
    if isinstance(params, (Expr, PrimExpr)):
        return [params]
    check_list(params, "the parameters of a function to be Vars in a list")
    return params


def lookup_binding(var: Expr) -> Any:
    """The value of a variable, which is the expression itself unless it is a Var."""
    check_type(var, Expr, "a variable")
    return var.value if isinstance(var, Var) else var._own_value


class BlockBuilder:
    """Makes functions of a module.

    ::

        bb = relax.BlockBuilder()
        with bb.function("main", [x]):
            with bb.dataflow():
                lv = bb.emit(relax.add(x, x))
                gv = bb.emit_output(relax.nn.relu(lv))
            bb.emit_func_output(gv)
        mod = bb.get()

    Parameters
    ----------
    mod : IRModule, optional
        The module to add to, which stays as it is.

    Raises
    ------
    BuilderError
        If a function or block is begun, ended or given a result out of turn. It is a
        RuntimeError, as in TVM, and a ValueError.
    """

    def __init__(self, mod: IRModule | None = None):
        if mod is not None:
            check_type(mod, IRModule, "the module of a BlockBuilder to be an IRModule")
        self._given = mod
        self._function: FunctionScope | None = None
        self._blocks: list[_Block] = []
        self._is_dataflow = False
        self._names = UniqueNames()
        # The hashes of functions, the names of functions by hash, and of functions without a hash.
        self._hashes: dict[str, int] = {}
        self._same: dict[int, list[str]] = {}
        self._unhashed: list[str] = []
        # Outside of functions: the expressions emitted for the blocks that are being made, each
        # list with the replacements of variables, and whether the block is a dataflow block.
        self._collected: list[tuple[list[Expr], dict[Any, Any], bool]] = []
        # The expressions that have a binding already: in the function, or in the blocks being made.
        self._bound: set[Any] = set()
        # The kinds of these blocks, and what takes the place of variables after each.
        self._kinds: list[tuple[type[BindingBlock], dict[Any, Any]]] = []
        #: The results of the mutator that the builder belongs to.
        self._memo: dict[Any, Any] = {}

    @functools.cached_property
    def _mod(self) -> IRModule:
        # A mutator has a builder, and most mutators add no function.
        mod = IRModule() if self._given is None else self._given.clone()
        self._unhashed = [var.name_hint for var in mod.get_global_vars()]
        return mod

    @staticmethod
    def current() -> BlockBuilder | None:
        """The builder whose function's scope this is; None outside of one."""
        return _current.get()

    def function(
        self,
        name: str,
        params: Var | Sequence[Var] | None = None,
        attrs: dict[str, Any] | None = None,
        pure: bool = True,
        private: bool = False,
    ) -> FunctionScope:
        """The scope of a function; emit_func_output ends it.

        Parameters
        ----------
        name : str
            Its name in the module.
        params : Var or list of Var, optional
            Its parameters, unless they are given to emit_func_output.
        attrs : dict, optional
            Its attributes.
        pure : bool, optional
            Whether calls of it may be moved, merged and dropped.
        private : bool, optional
            Whether only functions of the module call it.
        """
        return FunctionScope(self, name, params, attrs, private, pure)

    @contextlib.contextmanager
    def testing_scope(self, def_vars: Sequence[Any]) -> Iterator[None]:
        """For programs written for TVM, where the sizes `def_vars` are known in it."""
        yield

    def dataflow(self) -> DataflowScope:
        """The scope of a dataflow block."""
        return DataflowScope(self)

    def emit(self, expr: Any, name_hint: str = "") -> Expr:
        """Compute `expr` here, and return the expression to use for it.

        Parameters
        ----------
        expr : Expr
            The expression. As in TVM, a variable, a constant or an expression that was emitted
            before gets another name: a ``relax.alias``.
        name_hint : str, optional
            Its name in the text; as in TVM lv, lv1, ... in dataflow blocks, else gv, gv1, ...
        """
        return self._emit_new(self._renew(expr), name_hint, self._prefix())

    def _renew(self, expr: Any) -> Any:
        """`expr`; in a mutator, on what took the place of its operands."""
        if self._collected:
            return _partita.renew(expr, self._collected[-1][1])
        if self._function is None:
            raise BuilderError(
                "expected what is emitted to be in a function; emit it in `with "
                "builder.function(name, params):`, before the function ends"
            )
        return expr

    def _prefix(self) -> str:
        """The text that names of variables begin with."""
        return "lv" if self._is_dataflow else "gv"

    def _emit_new(self, expr: Any, name: str, prefix: str) -> Expr:
        """Emit `expr`, or, as TVM does, another variable for it if it has one already."""
        if isinstance(expr, SeqExpr):
            expr = self._emit_blocks(expr, prefix)
            if _partita.is_unnamed(expr):
                expr = self._emit(expr, "", prefix)
        is_bound = self._is_bound(expr)
        # The value of a variable is computed again; one of another function has a name there.
        is_renamed = bool(name) and isinstance(expr, Expr) and expr.loc is not None
        if (is_bound or is_renamed) and (copy := copy_value(expr)) is not None:
            expr, is_bound = copy, False
            copy._set_name(self.get_unique_name(name or prefix), self._is_dataflow)
        # Most expressions are calls.
        if is_bound or (type(expr) is not Call and _is_result(expr)):
            loc = None
            if not self._collected or name:
                name = self.get_unique_name(name or prefix)
                loc = ir.Location.name(name, context=expr._context)
            alias = Var(name, expr._type, loc)
            alias._bind(expr)
            return self._emit(alias, "", prefix)
        return self._emit(expr, name, prefix)

    def _is_bound(self, expr: Any) -> bool:
        """Whether `expr` is a variable where it is emitted now."""
        # Most are.
        if type(expr) is Call:
            return expr in self._bound and expr._types is not None
        if not isinstance(expr, Expr):
            return False
        # A constant is no variable in TVM, but a value that it can have.
        is_free = isinstance(expr, Constant) or isinstance(expr, Var) and expr.value is None
        return expr._types is not None and (is_free or expr in self._bound)

    def _emit_blocks(self, seq: SeqExpr, prefix: str) -> Any:
        """Emit the bindings in the blocks of `seq`, and return its value."""
        for block in seq.blocks:
            for binding in block.bindings:
                self._emit(binding, "", prefix)
        if isinstance(seq.body, SeqExpr):
            return self._emit_blocks(seq.body, prefix)
        return seq.body

    def _emit(self, expr: Any, name: str, prefix: str) -> Expr:
        is_call = type(expr) is Call
        if not is_call:
            if not isinstance(expr, Expr):
                expr = lift_value(expr)
            if isinstance(expr, SeqExpr):
                # Its blocks come before its value.
                return self._emit(self._emit_blocks(expr, prefix), name, prefix)
        if self._function is None and not self._collected:
            return expr
        if not is_call and isinstance(expr, Var) and expr.value is None:
            return expr
        self._bound.add(expr)
        # As current_block_is_dataflow() says, without a call for each binding.
        is_dataflow = self._collected[-1][2] if self._collected else self._is_dataflow
        is_named = False
        if expr.loc is None:
            if not self._collected and (operands := _partita.unnamed_operands(expr)):
                if isinstance(expr, Call) and expr.op is MATCH_CAST:
                    # As in TVM, a call is a part of the cast of its value.
                    calls = [one for one in operands if type(one) is Call]
                    operands = [*_partita.unnamed_operands(calls[0])] if calls else operands
                self._emit_unnamed(operands)
            is_named = expr._has_results and (bool(name) or not self._collected)
        else:
            expr = _partita.to_variable(expr)
        if is_named:
            # A Var that VarBinding has given its value has a name.
            known = "" if name or not isinstance(expr, Var) else expr.name_hint
            expr._set_name(known or self._names.make(name or prefix), is_dataflow)
        else:
            expr._put_in_block(is_dataflow)
        if self._collected:
            self._collected[-1][0].append(expr)
            return expr
        self._append(expr)
        return expr

    def _emit_unnamed(self, operands: Sequence[Expr]) -> None:
        """Compute here, as TVM does, what has no name yet of `operands` and of theirs."""
        prefix = self._prefix()
        # Each with whether its own operands were emitted.
        waiting = [(operand, False) for operand in reversed(operands)]
        while waiting:
            operand, is_ready = waiting.pop()
            if operand.loc is not None or operand._types is None:
                continue
            if is_ready:
                operand._set_name(self.get_unique_name(prefix), self._is_dataflow)
                self._append(operand)
                continue
            if not isinstance(operand, Tuple):
                waiting.append((operand, True))
            inner = _partita.unnamed_operands(operand)
            waiting += [(one, False) for one in reversed(inner)]

    def _append(self, expr: Expr) -> None:
        if not self._blocks:
            self._blocks.append(_Block(False))
        self._blocks[-1].bindings.append(expr)

    def get_unique_name(self, name_prefix: str) -> str:
        """`name_prefix`, with a number after it if the name was given before.

        As in TVM, what can't be in a name of TVMScript becomes ``_``.
        """
        check_type(name_prefix, str, "the start of a name to be a str")
        return self._names.make(name_prefix)

    def emit_normalized(self, binding: Any) -> Expr:
        """Compute the value of a binding here, under the name of its variable.

        Parameters
        ----------
        binding : VarBinding, MatchCast or Expr
            The binding. Where a mutator visits one that it replaces by another on the same
            variable, uses of that get the new value.
        """
        if not isinstance(binding, Binding) or isinstance(binding, Expr):
            return self._emit(self._renew(binding), "", self._prefix())
        var, value = binding.var, self._renew(binding.bound)
        if var is value:
            return self._emit(var, "", self._prefix())
        if not isinstance(var, Var):
            made = lift(value)
            if made.loc is None and made._types is not None:
                made.loc = var.loc
        else:
            if var.value is not value and var in self._bound and not self._collected:
                raise BuilderError(
                    f"expected one value for each variable, but found two for '{var.name_hint}'"
                )
            made = var if var.value is value else rebind(var, value)
        if var._scope:
            made._put_in_block(var._scope == IN_DATAFLOW)
        if self._collected:
            self._collected[-1][1][var] = made
        self._rename(var, made)
        return self._emit(made, "", self._prefix())

    def current_block_is_dataflow(self) -> bool:
        """Whether a binding that is emitted now goes into a dataflow block."""
        return self._collected[-1][2] if self._collected else self._is_dataflow

    def lookup_binding(self, var: Expr) -> Any:
        """The value of a variable; None if it is a parameter."""
        return lookup_binding(var)

    def begin_scope(self, params: Sequence[Var] | None = None) -> None:
        """For programs written for TVM; names of dimensions belong to the whole function here."""

    def end_scope(self) -> None:
        """Ends a scope."""

    def _begin_binding_block(self) -> None:
        self._open(BindingBlock)

    def _begin_dataflow_block(self) -> None:
        self._open(DataflowBlock)

    def _open(self, kind: type[BindingBlock]) -> None:
        replaced = self._collected[-1][1] if self._collected else self._memo
        self._collected.append(([], replaced, kind is DataflowBlock))
        self._kinds.append((kind, {}))

    def _rename(self, var: Any, made: Any) -> None:
        """Let `made` take the place of `var` after the block that is being made."""
        if self._kinds and made is not var:
            self._kinds[-1][1][var] = made

    def _end_block(self) -> BindingBlock:
        if not self._kinds:
            raise BuilderError("expected a block to end that has begun")
        kind, renamed = self._kinds.pop()
        block = kind(self._collected.pop()[0])
        if renamed:
            block._replaced = {**block.replaced, **renamed}
        return block

    def emit_output(self, output: Any, name_hint: str = "") -> Expr:
        """Like `emit`, for expressions that are used after the dataflow block."""
        if self._function is not None and not self._is_dataflow:
            raise BuilderError("expected emit_output to be in a dataflow block")
        output = self._renew(output)
        # In TVM it has another kind of variable.
        if isinstance(output, Expr):
            output._put_in_block(False)
        emitted = self._emit_new(output, name_hint, "gv")
        if self._blocks and not self._collected:
            self._blocks[-1].outputs.append(emitted)
        return emitted

    @also_named(ty="struct_info")
    def match_cast(self, value: Expr, struct_info: Any, name_hint: str = "") -> Expr:
        """Emit a match_cast."""
        return self.emit(match_cast(value, struct_info), name_hint)

    def normalize(self, expr: Any) -> Expr:
        """`expr`, whose type is known already."""
        return lift_part(expr)

    def emit_func_output(self, output: Any, params: Var | Sequence[Var] | None = None) -> GlobalVar:
        """Set the result of the function, and add it to the module.

        As in TVM, it has another name if the one that was given is taken, but for a function
        that is structurally equal, which stays the only one.

        Parameters
        ----------
        output : Expr, or list or tuple of them
            The result.
        params : Var or list of Var, optional
            The parameters, unless they were given to `function`.
        """
        if self._function is None:
            raise BuilderError("expected emit_func_output to be in a function")
        if self._is_dataflow:
            raise BuilderError("expected the dataflow block to end before the function's output")
        if self._function.output is not None:
            raise BuilderError("expected one emit_func_output in a function, but found two")
        if params is not None:
            if self._function.params is not None:
                raise BuilderError(
                    "expected the parameters in function() or in emit_func_output(), but found both"
                )
            self._function.params = _as_list(params)
        if self._function.params is None:
            raise BuilderError(
                "expected the parameters in function() or in emit_func_output(), but found none"
            )
        output = lift_part(output)
        self._emit_unnamed([output] if _partita.is_unnamed(output) else [])
        self._function.output = output
        name, hint = self._free_name(self._function.name), self._function.name
        op = self._mod._add({name: self._function.make(self._blocks)})[name]
        # A public function has its name as an attribute.
        if (self._function.private or name != hint) and (same := self._merge(name, hint)):
            return same
        self._unhashed.append(name)
        self._function.added = added = _partita.get_global_var(op)
        return added

    def _free_name(self, hint: str) -> str:
        name = self.get_unique_name(hint)
        while name in self._mod:
            name = self.get_unique_name(hint)
        return name

    def add_func(self, func: Any, func_name: str) -> GlobalVar:
        """Add a function, under another name if that one is taken.

        As in TVM, one that is structurally equal to one of the module is that one.
        """
        check_type(func_name, str, "the name of a function to be a str")
        name = self._free_name(func_name)
        self._mod[name] = func
        return self._merge(name, func_name) or self._mod.get_global_var(name)

    def _merge(self, name: str, hint: str) -> GlobalVar | None:
        """The function that is structurally equal to `name`, which was added last; else None.

        `name`, which was made from `hint`, is then removed, and free again.
        """
        mod = self._mod
        while self._unhashed:
            if (other := self._unhashed.pop()) in mod and other not in self._hashes:
                self._hash(other)
        self._hash(name)
        same = self._same[self._hashes[name]]
        for other in same[:-1]:
            if other in mod and structural_equal(mod[other], mod[name]):
                del mod[name]
                del self._hashes[same.pop()]
                self._names.give_back(name, hint)
                return mod.get_global_var(other)
        return None

    def _hash(self, name: str) -> None:
        """Remember the hash of a function of the module."""
        self._hashes[name] = key = structural_hash(self._mod[name])
        self._same.setdefault(key, []).append(name)

    def update_func(self, gv: GlobalVar, updated_func: Any) -> None:
        """Replace the function `gv`."""
        mod = self._mod
        if (key := self._hashes.pop(name_of(gv), None)) is not None:
            self._same[key].remove(name_of(gv))
        self._unhashed.append(name_of(gv))
        mod.update_func(gv, updated_func)

    def get(self) -> IRModule:
        """The module."""
        return self._mod

    def finalize(self) -> IRModule:
        """The module, in which public functions have the names that they were given.

        A private function that has such a name gets another, as by NormalizeGlobalVar.
        """
        funcs = self._mod.functions.values()
        if all(func.attrs.get("global_symbol", func.name) == func.name for func in funcs):
            return self._mod
        with without_instruments():
            return get_pass("NormalizeGlobalVar")(self._mod)


def copy_value(expr: Any) -> Expr | None:
    """Another expression like `expr`; None if that is a variable, or has no operands."""
    if isinstance(expr, IsVar):
        return None
    if isinstance(expr, Call):
        return expr._with_args(expr._args)
    if isinstance(expr, TupleGetItem):
        return TupleGetItem(expr.tuple_value, expr.index)
    return Tuple(expr.fields) if isinstance(expr, Tuple) else None


def _is_result(expr: Any) -> bool:
    """Whether `expr` is one of several results of an op, which no op makes a variable of."""
    if not isinstance(expr, TupleGetItem):
        return False
    call = expr.tuple_value
    return isinstance(call, Call) and call._types is not None and len(call._types) != 1
