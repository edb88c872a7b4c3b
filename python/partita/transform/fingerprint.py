# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The behaviour of a Python function, as a text that is the same in every process."""

from __future__ import annotations

import contextlib
import copyreg
import dis
import hashlib
import importlib
import importlib.util
import inspect
import sys
import sysconfig
import types
from collections.abc import Callable, Iterator
from typing import Any

from ..ir.function import BaseFunc
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .base import Pass

_ATOMS = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))
_HINT = "give the pass a version: module_pass(..., version='1')"


@_partita.known_as("describe_pass")
def describe_pass(function: Callable[..., Any]) -> str:
    """A hash of the code of `function`, and of the values that it uses but for its arguments.

    Raises
    ------
    TypeError
        If a value can't be compared between processes, such as an open file.
    """
    try:
        return _Hasher().digest(function)
    except RecursionError as error:
        raise TypeError(
            f"a value that it uses is nested too deeply to be compared; {_HINT}"
        ) from error


def _uses_of(code: types.CodeType) -> Iterator[list[str]]:
    """The globals that code uses, each with the names of attributes that follow it."""
    chain: list[str] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            if chain:
                yield chain
            chain = [instruction.argval]
        elif chain and instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            chain.append(instruction.argval)
        elif chain and instruction.opname != "EXTENDED_ARG":
            yield chain
            chain = []
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _uses_of(constant)


def _imports_of(code: types.CodeType) -> Iterator[tuple[str, list[str]]]:
    """The modules that code imports, with leading dots, each with the names from it."""
    before: list[Any] = [0, None]
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IMPORT_NAME":
            level, names = before
            yield "." * level + instruction.argval, list(names or ())
        elif instruction.opname != "EXTENDED_ARG":
            before = [before[1], instruction.argval]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _imports_of(constant)


def _is_installed(package: str) -> bool:
    """Whether a package is installed, by name."""
    if package in sys.modules:
        path = getattr(sys.modules[package], "__file__", None) or ""
    else:
        spec = importlib.util.find_spec(package)
        path = spec.origin or "" if spec else ""
    standard = sysconfig.get_paths()["stdlib"]
    return path.startswith(standard) or any(f in path for f in ("site-packages", "dist-packages"))


class _Hasher:
    """Hashes values by their parts.

    Code of packages that are installed goes by its name and their version, unless the pass is in
    such a package itself.
    """

    def __init__(self) -> None:
        #: The package of the pass.
        self.package: str | None = None
        #: By id: a value that is being hashed or is, kept alive, and its hash.
        self.known: dict[int, tuple[Any, str]] = {}
        #: How the value is reached.
        self.path: list[str] = []

    def digest(self, value: Any, where: str = "") -> str:
        """The hash of `value`, which is found at `where` in another one."""
        if isinstance(value, _ATOMS) and type(value).__module__ == "builtins":
            return f"{type(value).__name__} {value!r}"
        if id(value) in self.known:
            return self.known[id(value)][1]
        self.known[id(value)] = value, f"around {len(self.path)}"
        self.path.append(where)
        parts = [part.encode("utf-8", "surrogatepass") for part in self.parts(value)]
        self.path.pop()
        hashed = hashlib.sha256()
        for part in parts:
            hashed.update(b"%d:%b" % (len(part), part))
        self.known[id(value)] = value, hashed.hexdigest()
        return hashed.hexdigest()

    def parts(self, value: Any) -> Iterator[str]:
        """Texts that tell `value` from others."""
        kind = type(value)
        yield f"{kind.__module__}.{kind.__qualname__}"
        if kind in (tuple, list):
            yield from (self.digest(item, f"[{index}]") for index, item in enumerate(value))
        elif kind is dict:
            for key, item in value.items():
                yield self.digest(key, "a key")
                yield self.digest(item, f"[{key!r:.40}]")
        elif kind in (set, frozenset):
            yield from sorted(self.digest(item, "an element") for item in value)
        elif kind is types.CodeType:
            yield from self.parts_of_code(value)
        elif kind is types.FunctionType:
            yield from self.parts_of_function(value)
        elif kind is types.MethodType:
            yield self.digest(value.__func__, f".{value.__name__}")
            yield self.digest(value.__self__, "self")
        elif kind is types.ModuleType:
            yield from self.parts_of_module(value)
        elif kind in (property, staticmethod, classmethod):
            for name in ("__func__", "fget", "fset", "fdel"):
                yield self.digest(getattr(value, name, None), name)
        elif isinstance(value, type):
            yield from self.parts_of_class(value)
        elif isinstance(value, (ir.Attribute, ir.Type, ir.Location, BaseFunc)):
            yield str(value)
        elif isinstance(value, Pass):
            yield from self.parts_of_pass(value)
        elif kind.__module__ == "nanobind":
            yield f"{value.__module__}.{value.__name__}"
        else:
            yield from self.parts_of_object(value)

    def is_own(self, module: str | None) -> bool:
        """Whether the code of a module is hashed; else `package_of` stands for it."""
        package = (module or "").partition(".")[0]
        if package == "partita" or package in sys.stdlib_module_names:
            return False
        if self.package is None:
            self.package = package
        return package == self.package or not _is_installed(package)

    def parts_of_library(self, value: Any) -> Iterator[str]:
        package = sys.modules.get((value.__module__ or "").partition(".")[0])
        yield f"{value.__module__}.{value.__qualname__} {getattr(package, '__version__', '')}"

    def parts_of_code(self, code: types.CodeType) -> Iterator[str]:
        yield code.co_code.hex()
        yield getattr(code, "co_exceptiontable", b"").hex()
        for names in (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars):
            yield repr(names)
        yield repr((code.co_flags, code.co_argcount, code.co_posonlyargcount))
        yield repr(code.co_kwonlyargcount)
        yield self.digest(code.co_consts, "its constants")

    def parts_of_function(self, function: types.FunctionType) -> Iterator[str]:
        # A function that was made in a call is more than its name says.
        if not self.is_own(function.__module__) and "<locals>" not in function.__qualname__:
            yield from self.parts_of_library(function)
            return
        code = function.__code__
        yield self.digest(code, "its code")
        yield self.digest(function.__defaults__, "its defaults")
        yield self.digest(function.__kwdefaults__, "its defaults")
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            try:
                yield self.digest(cell.cell_contents, name)
            except ValueError:
                yield "empty"
        for name, *attributes in sorted({tuple(use) for use in _uses_of(code)}):
            if name in function.__globals__:
                used = self.find_used(function.__globals__[name], attributes)
                yield self.digest(used, name)
        package = function.__globals__.get("__package__")
        for module in self.find_imported(code, package):
            yield self.digest(module, "an import")

    def find_used(self, value: Any, attributes: list[str]) -> Any:
        """What code uses of a value: of own modules, the attributes that it names."""
        for name in attributes:
            if type(value) is not types.ModuleType or not self.is_own(value.__name__):
                break
            value = getattr(value, name, None)
        return value

    def find_imported(self, code: types.CodeType, package: str | None) -> Iterator[Any]:
        """What code imports when it runs."""
        for name, members in _imports_of(code):
            try:
                name = importlib.util.resolve_name(name, package)
                if not self.is_own(name) and name not in sys.modules:
                    yield name
                    continue
                module = importlib.import_module(name)
            except Exception:  # The pass finds out.
                yield name
                continue
            for member in members:
                if not hasattr(module, member):
                    with contextlib.suppress(Exception):
                        importlib.import_module(f"{name}.{member}")
                yield self.find_used(module, [member])
            if not members:
                yield module

    def parts_of_module(self, module: types.ModuleType) -> Iterator[str]:
        """The code of a module of the user's, and of those that it uses."""
        modules = [module]
        for each in modules:  # More come.
            name = each.__name__
            yield name
            if not self.is_own(name):
                yield getattr(sys.modules.get(name.partition(".")[0]), "__version__", "") or ""
                continue
            if path := getattr(each, "__file__", None):
                with open(path, "rb") as file:
                    yield hashlib.sha256(file.read()).hexdigest()
            # What it holds can be older than the file.
            for name, member in sorted(vars(each).items()):
                used: list[Any] = []
                if isinstance(member, _ATOMS) and not name.startswith("__"):
                    yield f"{name} {self.digest(member)}"
                elif isinstance(member, types.ModuleType):
                    used.append(member)
                elif not isinstance(member, (type, types.FunctionType)):
                    used.append(sys.modules.get(type(member).__module__))
                else:
                    used.append(sys.modules.get(member.__module__ or ""))
                    members = vars(member).values() if isinstance(member, type) else [member]
                    for function in members:
                        if code := getattr(function, "__code__", None):
                            yield self.digest(code)
                            used += self.find_imported(code, vars(each).get("__package__"))
                for other in used:
                    is_module = isinstance(other, types.ModuleType)
                    if is_module and all(other is not known for known in modules):
                        modules.append(other)

    def parts_of_class(self, cls: type) -> Iterator[str]:
        yield from self.parts_of_library(cls)
        if not self.is_own(cls.__module__):
            return
        yield self.digest(cls.__bases__, "its bases")
        for name, member in sorted(vars(cls).items()):
            is_special = name.startswith(("__", "_abc_"))
            if not inspect.isdatadescriptor(member) or isinstance(member, property):
                if not is_special or isinstance(member, types.FunctionType):
                    yield name
                    yield self.digest(member, f".{name}")

    def parts_of_pass(self, value: Pass) -> Iterator[str]:
        yield repr(value)
        function, version, _ = value._function
        if function is None and not value.is_sequential:
            yield value._pipeline()
        yield self.digest(function if version is None else version, "its function")
        yield from (self.digest(item, name) for name, item in sorted(vars(value).items()))

    def parts_of_object(self, value: Any) -> Iterator[str]:
        """Any other value, by the parts that copy and pickle would make it from."""
        yield self.digest(type(value), "its class")
        try:
            reduce = copyreg.dispatch_table.get(type(value))
            state = reduce(value) if reduce else value.__reduce_ex__(4)
        except Exception as error:
            where = " of ".join(part for part in reversed(self.path) if part) or "it"
            raise TypeError(
                f"{where} is a {type(value).__qualname__}, which can't be compared with that "
                f"of another process; {_HINT}"
            ) from error
        for index, part in enumerate([state] if isinstance(state, str) else state):
            if isinstance(part, Iterator):
                part = list(part)
            if index == 2 and type(part) is dict:
                for name, item in part.items():
                    yield self.digest(name)
                    yield self.digest(item, f".{name}")
            else:
                yield self.digest(part)
