# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IRModule: TVM's module as an MLIR operation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeAlias

from ..errors import NoFunctionError, check_name, check_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .as_function import as_function
from .attrs import DictAttrs, set_attributes, to_attribute
from .context import get_context
from .extern import write_extern
from .function import BaseFunc
from .global_info import GlobalInfos
from .global_var import GlobalVar, by_name, name_of
from .identity import is_same
from .op_form import function_type
from .owner import Owner
from .show import script, show, to_html
from .supply import UniqueNameSupply

_Op: TypeAlias = "ir.OpView | ir.Operation"


def _symbol_name(op: _Op) -> str:
    return _partita.get_symbol_name(op)


def _type_of_calls(op: _Op) -> ir.FunctionType | None:
    """The type of a function, if it tells the types of calls."""
    return _partita.get_type_of_calls(op)


def _name_is_taken(old: _Op, new: _Op) -> str:
    """The message for a function `new` whose name the function `old` has already."""

    def text(op: _Op) -> str:
        attributes = op.operation.attributes
        type_ = f" : {attributes['function_type']}" if "function_type" in attributes else ""
        return f"{op.operation.name} @{_symbol_name(op)}{type_}"

    return (
        f"expected a new GlobalVar to have a name that is free, but found {text(old)} "
        f"where {text(new)} would be added; the GlobalVar of the module replaces it"
    )


@_partita.known_as("IRModule")
class IRModule(_partita.Module):
    """A module of Relax functions and TIR prim_funcs, like TVM's IRModule.

    It is a view of an op, which `operation` returns: a ``partita.module``, unless it
    was made from another op. Passes never change the module that they are called with;
    they return a new one.

    Parameters
    ----------
    functions : dict of GlobalVar or str to function, optional
        Its functions; or an mlir.ir.Operation to be a view of.
    attrs : dict, optional
        Its attributes.
    global_infos : dict of str to list, optional
        Further facts about the module, such as its vdevices.
    """

    def __init__(
        self,
        functions: Mapping[Any, Any] | ir.Operation | ir.OpView | None = None,
        attrs: Mapping[Any, Any] | None = None,
        global_infos: Mapping[str, Any] | None = None,
    ):
        if isinstance(functions, (ir.Operation, ir.OpView)):
            super().__init__(functions)
        else:
            functions = {} if functions is None else functions
            what = "an IRModule to be made from a dict of functions or an mlir.ir.Operation"
            check_type(functions, Mapping, what)
            funcs = (func for func in functions.values() if isinstance(func, BaseFunc))
            context = next((func._form.context for func in funcs), None) or get_context()
            super().__init__(ir.Operation.parse("partita.module {}", context=context))
            self._add(functions)
        if attrs:
            set_attributes(self.operation, attrs)
        for name, infos in (global_infos or {}).items():
            self.update_global_info(name, infos)

    @staticmethod
    def from_expr(
        expr: Any, functions: Mapping[Any, Any] | None = None, name: str = "main"
    ) -> IRModule:
        """A module with one function.

        Parameters
        ----------
        expr : Function or Expr
            The function; or its body, whose free variables are the parameters.
        functions : dict of GlobalVar or str to function, optional
            Other functions of the module.
        name : str, optional
            The name of the function, if it has no "global_symbol"; a number follows if one of
            `functions` has the name.
        """
        func = as_function(expr)
        functions = {name_of(key): other for key, other in (functions or {}).items()}
        symbol = func.attrs.get("global_symbol")
        if symbol is None and name in functions:
            names = UniqueNameSupply()
            for taken in functions:
                names.reserve_name(taken)
            name = names.fresh_name(name)
        return IRModule({**functions, name if symbol is None else symbol: func})

    @staticmethod
    def from_text(text: str, context: ir.Context | None = None) -> IRModule:
        """Parse MLIR's text.

        Parameters
        ----------
        text : str
            One partita.module, or the ops of a builtin.module.
        context : mlir.ir.Context, optional
            The context of the module; see get_context.

        Raises
        ------
        mlir.ir.MLIRError
            If the text is no valid module; it holds the diagnostics.
        """
        check_type(text, str, "the text of a module to be a str")
        context = context or get_context()
        module = ir.Module.parse(text, context=context).operation
        _partita.adopt_resources(module)
        return IRModule._unwrap(module)

    @staticmethod
    def _unwrap(module: ir.Operation) -> IRModule:
        """The only partita.module in a builtin.module, or else that."""
        ops = list(module.regions[0].blocks[0].operations)
        if len(ops) == 1 and ops[0].operation.name == "partita.module":
            return IRModule(ops[0].operation.detach_from_parent())
        return IRModule(module.clone())

    @staticmethod
    def _load(text: str, tensors: list[tuple[str, int, bytes]]) -> IRModule:
        """A module from the result of __reduce__."""
        return IRModule._unwrap(_partita.load(get_context(), text, tensors))

    @staticmethod
    def from_tvm_json(
        json: str, context: ir.Context | None = None, *, strict: bool = False
    ) -> IRModule:
        """Import a module that TVM has saved by ``tvm.ir.save_json``.

        Nodes that Partita's dialects lack are kept unchanged: passes leave them alone, and a
        warning lists them. With ``strict`` they are an error.

        Raises
        ------
        mlir.ir.MLIRError
            If the JSON is not TVM's, or, with ``strict``, has something in it that
            Partita does not know.
        """
        check_type(json, str, "JSON to be a str")
        return IRModule(_partita.import_tvm_json(context or get_context(), json, strict))

    def to_tvm_json(self) -> str:
        """Return the module as JSON that ``tvm.ir.load_json`` of TVM 0.27 takes.

        What LegalizeOps made of an op becomes a prim_func of TVM's blocks.

        Raises
        ------
        mlir.ir.MLIRError
            If the module holds something that TVM lacks, such as an op of another
            dialect.
        """
        return _partita.export_tvm_json(self.operation)

    # Functions.

    def _symbols(self) -> list[ir.Operation]:
        return _partita.get_symbols(self.operation)

    @property
    def functions(self) -> dict[GlobalVar, BaseFunc]:
        """The module's functions, by their names."""
        # One owner for all, held here because it lives only as long as its functions.
        owner = Owner.of(self.operation)
        return dict(_partita.get_functions(self.operation, owner))

    def functions_items(self) -> list[tuple[GlobalVar, BaseFunc]]:
        """The names and functions, in the order of the names."""
        items = _partita.get_functions(self.operation, Owner.of(self.operation))
        return sorted(items, key=lambda item: item[0].name_hint)

    def get_global_vars(self) -> list[GlobalVar]:
        """The names of the module's functions, in their order."""
        return [_partita.get_global_var(op) for op in self._symbols()]

    def get_global_var(self, name: str) -> GlobalVar:
        """The GlobalVar of the function `name`.

        Raises
        ------
        ValueError
            If there is none.
        """
        return _partita.get_global_var(self._get(name))

    def _get(self, key: str | GlobalVar) -> _Op:
        name = name_of(key)
        op = self._find(name)
        if op is None:
            names = ", ".join(v.name_hint for v in self.get_global_vars()) or "none"
            raise NoFunctionError(
                f"expected a function of the module, but found '{name}'; the module has: {names}"
            )
        return op

    def __getitem__(self, key: str | GlobalVar) -> BaseFunc:
        return Owner.of(self.operation).get(self._get(key))

    def __contains__(self, key: str | GlobalVar) -> bool:
        return self._find(name_of(key)) is not None

    def __len__(self) -> int:
        return len(self._symbols())

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[GlobalVar]:
        return iter(self.get_global_vars())

    def update_func(self, var: str | GlobalVar, func: Any) -> None:
        """Add a function, or a relax.ExternFunc, or replace the one with the same name.

        Raises
        ------
        ValueError
            If a new GlobalVar has a name that is in the module already: it would add
            a second function of that name. A str replaces the function, and so does a
            GlobalVar that was taken from a module or used to add a function.
        """
        self._add({var: func})

    __setitem__ = update_func

    def update(self, other: IRModule | Mapping[Any, Any]) -> None:
        """Add the functions of another module; they replace those with the same names."""
        if isinstance(other, IRModule):
            other = other.functions
        else:
            check_type(other, Mapping, "an IRModule or a dict of functions")
        self._add(other)

    def __delitem__(self, key: str | GlobalVar) -> None:
        op = self._get(key)
        Owner.of(self.operation).detach(name_of(key), op)

    def remove(self, key: str | GlobalVar) -> None:
        """Remove a function. Whoever holds it can still use it."""
        del self[key]

    def _add(
        self, functions: Mapping[Any, Any], taken: Collection[str] = ()
    ) -> dict[str, ir.Operation]:
        """Add the functions, or none of them if one is not valid; the `taken` ones by their ops.

        Gives the ops that were added, by name.
        """
        functions = {key: write_extern(value) for key, value in functions.items()}
        named = by_name(functions, BaseFunc, "a function")
        if not named:
            return {}
        operation = self.operation
        maker = _OpMaker(operation.context, named, self._find, taken)
        made, present = maker.make_all(), maker.present
        for key in functions:
            if isinstance(key, GlobalVar) and not key._in_module:
                old = present[key.name_hint]
                if old is not None:
                    raise ValueError(_name_is_taken(old, made[key.name_hint]))
        blocks = operation.regions[0].blocks
        block = blocks[0] if len(blocks) else blocks.append()
        owner = None
        for name, op in made.items():
            old = present[name]
            if old is None:
                block.append(op)
                continue
            if (
                "sym_visibility" not in op.attributes
                and "global_symbol" not in op.attributes
                and "sym_visibility" in old.operation.attributes
                and named[name]._form.owner is None
            ):
                op.attributes["sym_visibility"] = old.operation.attributes["sym_visibility"]
            place = ir.InsertionPoint.after(old.operation)
            owner = owner or Owner.of(operation)
            owner.detach(name, old)
            place.insert(op)
        for key in functions:
            if isinstance(key, GlobalVar):
                key._in_module = True
        return made

    # Attributes.

    def _to_attribute(self, context: ir.Context) -> ir.Attribute:
        return _partita.write_node(self, context)

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
    def global_infos(self) -> GlobalInfos:
        """TVM's global infos, such as its vdevices."""
        return GlobalInfos(self._global_infos())

    def _global_infos(self) -> dict[str, ir.Attribute]:
        attributes = self.operation.attributes
        infos = attributes["global_infos"] if "global_infos" in attributes else None
        return {} if infos is None else DictAttrs.of(ir.DictAttr(infos))._attributes

    def update_global_info(self, name: str, global_info: Any) -> None:
        """Set the global infos `name`, a list."""
        check_name(name, "the name of global infos")
        infos = global_info if isinstance(global_info, (list, tuple)) else [global_info]
        context = self.operation.context
        known = {**self._global_infos(), name: to_attribute(list(infos), context)}
        self.operation.attributes["global_infos"] = ir.DictAttr.get(known, context)

    def get_attr(self, attr_key: str) -> Any:
        """The attribute `attr_key`, or None."""
        return self.attrs.get(attr_key)

    def with_attr(self, attr_key: str, attr_value: Any) -> IRModule:
        """A copy of the module with one more attribute."""
        return self.with_attrs({attr_key: attr_value})

    def with_attrs(self, attr_map: Mapping[Any, Any]) -> IRModule:
        """A copy of the module with the attributes of `attr_map`."""
        mod = self.clone()
        set_attributes(mod.operation, attr_map)
        return mod

    def without_attr(self, attr_key: str) -> IRModule:
        """A copy of the module without an attribute."""
        check_type(attr_key, str, "the name of an attribute to be a str")
        mod = self.clone()
        if attr_key in mod.operation.attributes:
            del mod.operation.attributes[attr_key]
        return mod

    # Printing and comparing.

    script, show, _repr_html_ = script, show, to_html

    def __str__(self) -> str:
        return self.script()

    def __repr__(self) -> str:
        names = [f"@{_symbol_name(op)}" for op in self._symbols()]
        shown = ", ".join(names[:5]) + (f", {len(names) - 5} others" if len(names) > 5 else "")
        return f"<IRModule of {shown or 'no functions'}>"

    def clone(self) -> IRModule:
        """A copy that shares nothing with the module."""
        return IRModule(self.operation.clone())

    def __copy__(self) -> IRModule:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> IRModule:
        return self.clone()

    same_as = is_ = is_same

    def __reduce__(self) -> tuple[Any, ...]:
        return (IRModule._load, _partita.save(self.operation))


class _OpMaker:
    """Makes ops for functions, each after the functions whose types it needs.

    No functions inside a function, which refer to each other: such a cycle would keep
    the functions alive until Python collects it.
    """

    def __init__(
        self,
        context: ir.Context,
        named: Mapping[str, BaseFunc],
        find: Callable[[str], _Op | None],
        taken: Collection[str],
    ):
        self.context, self.named, self.find, self.taken = context, named, find, taken
        self.made: dict[str, ir.Operation] = {}
        # The op that has a name in the module, if any, by name.
        self.present: dict[str, _Op | None] = {}
        self.started: set[str] = set()

    def make_all(self) -> dict[str, ir.Operation]:
        """Ops by name, except for functions which `find` returns as they are."""
        for name in self.named:
            self.make(name)
        return {name: self.made[name] for name in self.named if name in self.made}

    def get_type(self, name: str) -> ir.FunctionType | None:
        func = self.named.get(name)
        if func is None:
            op = self.find(name)
            return None if op is None else _type_of_calls(op)
        if not func.types_calls:
            return None
        type_ = func._form.get_known_type()
        if type_ is None:
            self.make(name)
            type_ = function_type(self.made[name])
        return type_

    def make(self, name: str) -> None:
        if name in self.made:
            return
        func, old = self.named[name], self.find(name)
        self.present[name] = old
        if old is not None and func._form.op is not None and func._form.op == old.operation:
            return
        if name in self.started:
            raise ValueError(f"expected function '{name}', which calls itself, to have a ret_type")
        self.started.add(name)
        self.made[name] = func.to_op(name, self.get_type, self.context, name in self.taken)
