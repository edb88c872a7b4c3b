# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IRModule: TVM's module as an MLIR operation."""

from __future__ import annotations

import functools
import html
import re
import sys
import threading
from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Optional,
    Set,
    Tuple,
    Union,
    cast,
)

from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .attrs import DictAttrs, to_attribute
from .function import BaseFunc, Owner

if TYPE_CHECKING:
    from .. import relax

_default_context: Optional[ir.Context] = None
_default_context_lock = threading.Lock()


def get_context() -> ir.Context:
    """The MLIR context that modules are made in.

    Returns
    -------
    mlir.ir.Context
        The innermost ``with`` of a context on this thread, or, inside a pass,
        that of its module, or else one that the process shares.
    """
    context = ir.Context.current or _partita.get_run_context()
    if context is not None:
        return context
    global _default_context
    with _default_context_lock:
        if _default_context is None:
            _default_context = ir.Context()
        return _default_context


class GlobalVar:
    """The name of a function in an IRModule.

    Parameters
    ----------
    name_hint : str
        The symbol's name, without @.
    """

    __slots__ = ("name_hint", "_in_module", "_type")

    def __init__(self, name_hint: str):
        if not isinstance(name_hint, str):
            raise TypeError(
                "expected the name of a GlobalVar to be a str, but found "
                + type(name_hint).__name__
            )
        self.name_hint = name_hint
        # Whether a module has given it out, or a function was added under it.
        self._in_module = False
        # The function's type, if the name was taken from a module.
        self._type: Optional[ir.FunctionType] = None

    def __call__(self, *args: Any, **kwargs: Any) -> "relax.Call":
        """Call the function; see relax.Call for keyword arguments."""
        from ..relax import Call

        return Call(self, args, **kwargs)

    def same_as(self, other: object) -> bool:
        """Whether `other` names the same."""
        return self == other

    def __reduce__(self) -> Tuple[Any, ...]:
        return (GlobalVar, (self.name_hint,))

    def __repr__(self) -> str:
        return f'GlobalVar("{self.name_hint}")'

    def __str__(self) -> str:
        return "@" + self.name_hint

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GlobalVar) and other.name_hint == self.name_hint

    def __hash__(self) -> int:
        return hash((GlobalVar, self.name_hint))


def _symbol_name(op: Union[ir.OpView, ir.Operation]) -> str:
    return ir.StringAttr(op.operation.attributes["sym_name"]).value


def _function_type(op: ir.Operation) -> ir.FunctionType:
    return cast(ir.FunctionType, ir.TypeAttr(op.attributes["function_type"]).value)


def _name_of(key: Union[str, GlobalVar]) -> str:
    if isinstance(key, GlobalVar):
        return key.name_hint
    if isinstance(key, str):
        return key
    raise TypeError(
        f"expected a function to be named by str or GlobalVar, but found {type(key).__name__}"
    )


def _name_is_taken(old: ir.OpView, new: Union[ir.OpView, ir.Operation]) -> str:
    """The message for a function `new` that would be beside `old`."""

    def text(op: Union[ir.OpView, ir.Operation]) -> str:
        attributes = op.operation.attributes
        type_ = f" : {attributes['function_type']}" if "function_type" in attributes else ""
        return f"{op.operation.name} @{_symbol_name(op)}{type_}"

    return (
        f"expected a new GlobalVar to have a name that is free, but found {text(old)} "
        f"where {text(new)} would be added; the GlobalVar of the module replaces it"
    )


class IRModule(_partita.Module):
    """A module of Relax functions and TIR prim_funcs, as TVM's IRModule.

    It is an mlir.ir.Operation, ``partita.module`` unless it was made from
    another, which `operation` gives: both are views of the same. Passes never
    change the module that they are called with; they return a new one.

    Parameters
    ----------
    functions : dict of GlobalVar or str to function, optional
        Its functions; or an mlir.ir.Operation to be a view of.
    attrs : dict, optional
        Its attributes.
    """

    def __init__(
        self,
        functions: Union[Mapping[Any, Any], ir.Operation, ir.OpView, None] = None,
        attrs: Optional[Mapping[Any, Any]] = None,
    ):
        if isinstance(functions, (ir.Operation, ir.OpView)):
            super().__init__(functions)
        elif functions is None or isinstance(functions, Mapping):
            functions = {} if functions is None else functions
            context = _context_of_functions(functions.values())
            super().__init__(ir.Operation.parse("partita.module {}", context=context))
            self._add(functions)
        else:
            raise TypeError(
                "expected an IRModule to be made from a dict of functions or an "
                f"mlir.ir.Operation, but found {type(functions).__name__}"
            )
        if attrs:
            self._set_attrs(attrs)

    @staticmethod
    def from_expr(
        expr: Any, functions: Optional[Mapping[Any, Any]] = None, name: str = "main"
    ) -> "IRModule":
        """A module with one function.

        Parameters
        ----------
        expr : Function or Expr
            The function; or its body, whose free variables are the parameters.
        functions : dict of GlobalVar or str to function, optional
            Others that are in the module too.
        name : str, optional
            What to call it, if it has no "global_symbol".
        """
        from ..relax import Expr, Function, analysis

        if isinstance(expr, Expr):
            expr = Function(analysis.free_vars(expr), expr)
        if not isinstance(expr, BaseFunc):
            raise TypeError(
                f"expected a function or an expression, but found {type(expr).__name__}"
            )
        return IRModule({**(functions or {}), expr.attrs.get("global_symbol", name): expr})

    @staticmethod
    def from_text(text: str, context: Optional[ir.Context] = None) -> "IRModule":
        """Parse MLIR's text.

        Parameters
        ----------
        text : str
            One partita.module, or the ops of a builtin.module.
        context : mlir.ir.Context, optional
            Where to make it; see get_context.

        Raises
        ------
        mlir.ir.MLIRError
            Where the text is no valid module; it has the diagnostics.
        """
        context = context or get_context()
        module = ir.Module.parse(text, context=context)
        ops = list(module.body.operations)
        if len(ops) == 1 and ops[0].operation.name == "partita.module":
            return IRModule(ops[0].operation.detach_from_parent())
        return IRModule(module.operation.clone())

    @staticmethod
    def from_tvm_json(json: str, context: Optional[ir.Context] = None) -> "IRModule":
        """Import a module that TVM has saved by ``tvm.ir.save_json``.

        Raises
        ------
        mlir.ir.MLIRError
            Where the JSON is not TVM's, or holds what Partita does not know.
        """
        return IRModule(_partita.import_tvm_json(context or get_context(), json))

    # Functions.

    def _symbols(self) -> Iterator[ir.OpView]:
        for region in self.operation.regions:
            for block in region.blocks:
                for op in block.operations:
                    if "sym_name" in op.operation.attributes:
                        yield op

    def _table(self) -> Callable[[str], Optional[ir.OpView]]:
        """What finds functions by name; valid until the module changes."""
        operation = self.operation
        try:
            table = ir.SymbolTable(operation)
        except TypeError:
            return {_symbol_name(op): op for op in self._symbols()}.get

        def find(name: str) -> Optional[ir.OpView]:
            return table[name] if name in table else None

        return find

    def _find(self, name: str) -> Optional[ir.OpView]:
        return self._table()(name)

    def _view(self, op: ir.OpView) -> BaseFunc:
        return Owner.of(self.operation).get(op)

    def _global_var(self, op: ir.OpView) -> GlobalVar:
        var = GlobalVar(_symbol_name(op))
        var._in_module = True
        if op.operation.name == "relax.func":
            var._type = _function_type(op.operation)
        return var

    @property
    def functions(self) -> Dict[GlobalVar, BaseFunc]:
        """The module's functions, by their names."""
        # One owner for all: it only lives as long as its functions.
        owner = Owner.of(self.operation)
        found = {}
        for op in self._symbols():
            var = self._global_var(op)
            found[var] = owner.get(op)
        return found

    def functions_items(self) -> List[Tuple[GlobalVar, BaseFunc]]:
        """The names and functions, in the order of the names."""
        return sorted(self.functions.items(), key=lambda item: item[0].name_hint)

    def get_global_vars(self) -> List[GlobalVar]:
        """The names of the module's functions, in their order."""
        return [self._global_var(op) for op in self._symbols()]

    def get_global_var(self, name: str) -> GlobalVar:
        """The name of the function `name`.

        Raises
        ------
        ValueError
            Where there is none.
        """
        op = self._find(_name_of(name))
        if op is None:
            raise ValueError(self._missing(name))
        return self._global_var(op)

    def _missing(self, key: Union[str, GlobalVar]) -> str:
        names = ", ".join(v.name_hint for v in self.get_global_vars()) or "none"
        return (
            f"expected a function of the module, but found '{_name_of(key)}'; "
            f"the module has: {names}"
        )

    def __getitem__(self, key: Union[str, GlobalVar]) -> BaseFunc:
        op = self._find(_name_of(key))
        if op is None:
            raise KeyError(self._missing(key))
        return self._view(op)

    def __contains__(self, key: Union[str, GlobalVar]) -> bool:
        return self._find(_name_of(key)) is not None

    def __len__(self) -> int:
        return sum(1 for _ in self._symbols())

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[GlobalVar]:
        return iter(self.get_global_vars())

    def __setitem__(self, key: Union[str, GlobalVar], func: BaseFunc) -> None:
        """See update_func."""
        self._add({key: func})

    def update_func(self, var: Union[str, GlobalVar], func: BaseFunc) -> None:
        """Add a function, or put it in the place of that of the same name.

        Raises
        ------
        ValueError
            Where a new GlobalVar has a name that the module has already: that
            would add a second function. A str, and a GlobalVar that a module
            has given out or knows, replaces the one that is there.
        """
        self._add({var: func})

    def update(self, other: Union["IRModule", Mapping[Any, Any]]) -> None:
        """Add the functions of another module; they win over those of one name."""
        if isinstance(other, IRModule):
            other = other.functions
        elif not isinstance(other, Mapping):
            raise TypeError(
                "expected an IRModule or a dict of functions, but found " + type(other).__name__
            )
        self._add(other)

    def __delitem__(self, key: Union[str, GlobalVar]) -> None:
        name = _name_of(key)
        op = self._find(name)
        if op is None:
            raise KeyError(self._missing(key))
        Owner.of(self.operation).detach(name, op)

    def remove(self, key: Union[str, GlobalVar]) -> None:
        """Remove a function. Who has it can still use it."""
        del self[key]

    def _add(self, functions: Mapping[Any, Any]) -> None:
        """Adds the functions, or, if one is not valid, none of them."""
        named: Dict[str, BaseFunc] = {}
        for key, func in functions.items():
            name = _name_of(key)
            if not isinstance(func, BaseFunc):
                raise TypeError(
                    f"expected '{name}' to be a function, but found {type(func).__name__}"
                )
            if name in named:
                raise ValueError(f"expected each name once, but found '{name}' twice")
            named[name] = func
        if not named:
            return
        operation = self.operation
        find = self._table()
        made = _make_ops(operation.context, named, find)
        present = {name: find(name) for name in made}
        for key in functions:
            if isinstance(key, GlobalVar) and not key._in_module:
                old = present[key.name_hint]
                if old is not None:
                    raise ValueError(_name_is_taken(old, made[key.name_hint]))
        blocks = operation.regions[0].blocks
        block = blocks[0] if len(blocks) else blocks.append()
        owner = Owner.of(operation)
        for name, op in made.items():
            old = present[name]
            if old is None:
                block.append(op)
                continue
            if (
                "sym_visibility" not in op.attributes
                and "sym_visibility" in old.operation.attributes
                and named[name]._owner is None
            ):
                op.attributes["sym_visibility"] = old.operation.attributes["sym_visibility"]
            ir.InsertionPoint(old.operation).insert(op)
            owner.detach(name, old)
        for key in functions:
            if isinstance(key, GlobalVar):
                key._in_module = True

    # Attributes.

    @property
    def attrs(self) -> DictAttrs:
        """The module's attributes."""
        return DictAttrs(
            {
                name: attribute
                for name, attribute in self.operation.attributes.items()
                if name not in ("sym_name", "sym_visibility", "global_infos")
            }
        )

    @property
    def global_infos(self) -> DictAttrs:
        """TVM's global infos, such as its vdevices."""
        attributes = self.operation.attributes
        if "global_infos" not in attributes:
            return DictAttrs({})
        infos = ir.DictAttr(attributes["global_infos"])
        entries = (infos[index] for index in range(len(infos)))
        return DictAttrs({entry.name: entry.attr for entry in entries})

    def _set_attrs(self, attrs: Mapping[Any, Any]) -> None:
        operation = self.operation
        for name, value in attrs.items():
            if not isinstance(name, str):
                raise TypeError(
                    "expected the name of an attribute to be a str, but found "
                    + type(name).__name__
                )
            operation.attributes[name] = to_attribute(value, operation.context)

    def get_attr(self, key: str) -> Any:
        """The attribute `key`, or None."""
        return self.attrs.get(key)

    def with_attr(self, key: str, value: Any) -> "IRModule":
        """A copy of the module with an attribute."""
        return self.with_attrs({key: value})

    def with_attrs(self, attrs: Mapping[Any, Any]) -> "IRModule":
        """A copy of the module with the attributes of `attrs`."""
        mod = self.clone()
        mod._set_attrs(attrs)
        return mod

    def without_attr(self, key: str) -> "IRModule":
        """A copy of the module without an attribute."""
        mod = self.clone()
        if key in mod.operation.attributes:
            del mod.operation.attributes[key]
        return mod

    # Printing and comparing.

    def script(self) -> str:
        """The module in MLIR's text."""
        return str(self.operation)

    def __str__(self) -> str:
        return self.script()

    def show(self) -> None:
        """Print the module without large constants, in colours on a terminal."""
        text = self._elided()
        if sys.stdout.isatty():
            highlighted = _highlight(text, "TerminalFormatter")
            text = text if highlighted is None else highlighted
        print(text)

    def _elided(self) -> str:
        return _elide(self.operation)

    def _repr_html_(self) -> str:
        text = self._elided()
        highlighted = _highlight(text, "HtmlFormatter", noclasses=True)
        return f"<pre>{html.escape(text)}</pre>" if highlighted is None else highlighted

    def clone(self) -> "IRModule":
        """A copy that shares nothing with the module."""
        return IRModule(self.operation.clone())

    def same_as(self, other: object) -> bool:
        """Whether `other` is this very module."""
        return self is other

    def __reduce__(self) -> Tuple[Any, ...]:
        return (IRModule.from_text, (self.script(),))


def _context_of_functions(functions: Iterable[Any]) -> ir.Context:
    """The context of the first function, or else get_context()."""
    from ..relax.function import Function

    for func in functions:
        if isinstance(func, Function) and func._op is None:
            return func._context
        if isinstance(func, BaseFunc):
            return func.operation.context
    return get_context()


def _make_ops(
    context: ir.Context,
    named: Mapping[str, BaseFunc],
    find: Callable[[str], Optional[ir.OpView]],
) -> Dict[str, ir.Operation]:
    """Ops of the functions but for those that are the ones that `find` gives."""
    from ..relax.function import Function

    made: Dict[str, ir.Operation] = {}
    started: Set[str] = set()

    def get_type(name: str) -> Optional[ir.FunctionType]:
        func = named.get(name)
        if isinstance(func, Function):
            if func._op is None and func._ret_type is None:
                make(name)
                return _function_type(made[name])
            return func._function_type
        op = find(name)
        if func is None and op is not None and op.operation.name == "relax.func":
            return _function_type(op.operation)
        return None

    def make(name: str) -> None:
        func, old = named[name], find(name)
        if name in made or (old is not None and func._op is not None and func._op == old.operation):
            return
        if name in started:
            raise ValueError(f"expected function '{name}', which calls itself, to have a ret_type")
        started.add(name)
        if isinstance(func, Function):
            made[name] = func._to_op(name, get_type, context)
            return
        op = func._clone_op()
        if op.context is not context:
            from ..relax.function import transfer

            op = transfer(op, context)
        op.attributes["sym_name"] = ir.StringAttr.get(name, context)
        made[name] = op

    for name in named:
        make(name)
    return {name: made[name] for name in named if name in made}


def _elide(operation: ir.Operation) -> str:
    """The text of an op without large constants."""
    text = str(operation.get_asm(large_elements_limit=16, large_resource_limit=64))
    # MLIR prints the frame of the resources even if all of them are elided.
    return re.sub(r"\n\{-#\s*#-\}\s*$", "", text)


@functools.lru_cache(maxsize=None)
def _make_lexer() -> Any:
    """Pygments' lexer of MLIR's text; None if Pygments is not installed."""
    try:
        from pygments import lexer, token
    except ImportError:
        return None

    class MLIRLexer(lexer.RegexLexer):  # type: ignore[misc]
        name = "MLIR"
        tokens = {
            "root": [
                (r"//.*", token.Comment.Single),
                (r'"(?:[^"\\]|\\.)*"', token.String),
                (r"%[\w$.#-]+", token.Name.Variable),
                (r"@[\w$.-]+", token.Name.Function),
                (r"[!#][a-z][\w.]*", token.Name.Decorator),
                (
                    r"\b(?:tensor|memref|tuple|index|none|b?f\d\w*|u?s?i\d+)\b",
                    token.Keyword.Type,
                ),
                (r"(?<=<)[?\dx]+(?=[a-z])|\b(?:\d+|\?)x(?=[\da-z?])", token.Number),
                (r"\b[a-z_]\w*\.[\w.]+", token.Keyword),
                (r"-?\b\d[\w.+-]*", token.Number),
                (r"\b[A-Za-z_][\w$]*", token.Name),
                (r"\s+", token.Whitespace),
                (r".", token.Punctuation),
            ]
        }

    return MLIRLexer()


def _highlight(text: str, formatter: str, **options: Any) -> Optional[str]:
    """`text` in colours, if Pygments is installed."""
    lexer = _make_lexer()
    if lexer is None:
        return None
    import pygments
    from pygments import formatters

    return str(pygments.highlight(text, lexer, getattr(formatters, formatter)(**options)))


def _as_module(value: Union[IRModule, BaseFunc]) -> IRModule:
    if isinstance(value, BaseFunc):
        return IRModule({"main": value})
    if not isinstance(value, IRModule):
        raise TypeError(f"expected an IRModule or a function, but found {type(value).__name__}")
    return value


def structural_equal(lhs: Union[IRModule, BaseFunc], rhs: Union[IRModule, BaseFunc]) -> bool:
    """Whether two modules, or functions, are the same but for locations.

    The names of two functions do not matter.
    """
    return _as_module(lhs)._equivalent(_as_module(rhs))


def structural_hash(module: Union[IRModule, BaseFunc]) -> int:
    """A number that is the same for what is structural_equal."""
    return _as_module(module)._hash()


def assert_structural_equal(lhs: Union[IRModule, BaseFunc], rhs: Union[IRModule, BaseFunc]) -> None:
    """Raise a ValueError with a diff unless both are structural_equal."""
    if structural_equal(lhs, rhs):
        return
    import difflib

    texts = [_elide(lhs.operation), _elide(rhs.operation)]
    if texts[0] == texts[1]:
        texts = [lhs.script(), rhs.script()]
    diff = difflib.unified_diff(
        texts[0].splitlines(), texts[1].splitlines(), "lhs", "rhs", lineterm=""
    )
    raise ValueError("expected equal modules, but found:\n" + "\n".join(diff))
