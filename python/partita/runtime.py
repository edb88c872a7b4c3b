# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Native code of compiled modules: call it, save it, load it.

Code is made for the processor of this machine. Functions take and give NumPy's arrays, tuples, shapes
as tuples of integers, and numbers; they take arrays of other libraries that have ``__dlpack__``, and
hand on other objects.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy

try:
    from ._runtime import Executable as NativeExecutable
    from ._runtime import get_num_threads as native_get_num_threads
    from ._runtime import set_num_threads as native_set_num_threads
except ImportError as error:
    raise ImportError(
        "expected partita with its runtime, but found a build without it: build the target "
        f"PartitaPythonModules with PARTITA_ENABLE_RUNTIME=ON ({error})"
    ) from error

from .packed_funcs import DEFAULT_PACKED_FUNCS
from .tensors import as_tensor, tensor_class

#: The values of constants: NumPy's arrays that have TVM's ``numpy()``.
Tensor = tensor_class()

PackedFunc = Callable[..., Any]

__all__ = [
    "Executable",
    "Function",
    "Tensor",
    "get_num_threads",
    "load",
    "set_num_threads",
    "tensor",
]


class Function:
    """A function of an executable. Call it with arrays, numbers and tuples of them.

    Attributes
    ----------
    name
        Its name in the module.
    params
        A description of each parameter: a dict with its ``name``, its ``kind``, and, by kind, its
        ``dtype``, ``shape``, ``values`` or ``fields``. A size is a number, a name or ``None``. An
        ``object`` takes anything, and a function where the code calls it. If it is ``of`` a
        ``"tensor"`` or a ``"shape"``, it takes any of these that have its ``dtype`` and ``shape``.
        A tensor that ``is_written`` is a buffer that a prim_func writes: the array has to be
        contiguous and writable.
    result
        A description of the result, without a name; ``None`` if there is none, as of most prim_funcs.
    """

    def __init__(
        self,
        native: NativeExecutable,
        name: str,
        described: dict[str, Any],
        packed_funcs: dict[str, PackedFunc],
    ) -> None:
        self._call = native.call
        self._packed_funcs = packed_funcs
        self.name = name
        self.params: list[dict[str, Any]] = described["params"]
        self.result: dict[str, Any] | None = described.get("result")

    def __call__(self, *args: Any) -> Any:
        result = self._call(self.name, args, self._packed_funcs)
        return None if self.result is None else result

    def __repr__(self) -> str:
        params = ", ".join(f"{param.get('name')}: {_print(param)}" for param in self.params)
        return f"<function {self.name}({params}) -> {_print(self.result)}>"


def _print(param: dict[str, Any] | None) -> str:
    """A parameter or result as text: float32[n, 4]."""
    if param is None:
        return "None"
    if param.get("is_written"):
        return f"written {_print({**param, 'is_written': False})}"
    if param["kind"] == "tuple":
        return f"({', '.join(map(_print, param['fields']))})"
    sizes = param.get("shape", param.get("values"))
    # An object may have to be a tensor or a shape.
    kind = "object" if param["kind"] == "object" else "shape"
    text = str(param.get("dtype", param.get("of", kind)))
    if sizes is None:
        return text
    return f"{text}[{', '.join('?' if size is None else str(size) for size in sizes)}]"


class Executable:
    """Compiled code: ``executable["main"]`` is its function of this name.

    A call of the executable is a call of ``main``, or else of the only function. prim_funcs count
    if there are no other functions.

    Parameters
    ----------
    code
        LLVM IR, as bitcode or as text.
    opt_level
        How much LLVM optimizes, from 0 to 3.
    packed_funcs
        The functions that the code calls by TVM's ``R.call_packed`` and its kin, by name. They get
        copies of arrays, tuples of integers for shapes, numbers and strings; for TVM's ``R.Object``
        they get and give any object. What ``R.call_dps_packed`` computes goes into the last arrays.
        An exception ends the call.

    Attributes
    ----------
    functions
        The functions by name.
    """

    def __init__(
        self,
        code: bytes | str,
        *,
        opt_level: int = 3,
        packed_funcs: Mapping[str, PackedFunc] | None = None,
    ) -> None:
        text = code.encode() if isinstance(code, str) else bytes(code)
        self._set(NativeExecutable.compile(text, opt_level), packed_funcs)

    def _set(self, native: NativeExecutable, packed_funcs: Mapping[str, PackedFunc] | None) -> None:
        table = {**DEFAULT_PACKED_FUNCS, **(packed_funcs or {})}
        for name, function in table.items():
            if not callable(function):
                raise TypeError(
                    f"expected packed_funcs[{name!r}] to be callable, but found {function!r}"
                )
        self._native = native
        functions = json.loads(native.metadata)["functions"]
        self.functions = {
            name: Function(native, name, described, table) for name, described in functions.items()
        }

    def __getitem__(self, name: str) -> Function:
        try:
            return self.functions[name]
        except KeyError:
            names = ", ".join(self.functions) or "none"
            raise KeyError(f"expected one of the functions {names}, but found {name}") from None

    def __call__(self, *args: Any) -> Any:
        main = self.functions.get("main")
        if main is None:
            found = list(self.functions.values())
            found = [function for function in found if function.result is not None] or found
            if len(found) != 1:
                raise TypeError(f"expected {self!r} to have 'main' or only one function to call")
            main = found[0]
        return main(*args)

    def __iter__(self) -> Iterator[str]:
        return iter(self.functions)

    def __repr__(self) -> str:
        return f"<Executable of {', '.join(self.functions) or 'no functions'}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the native code to an object file, which replaces `path` when it is complete."""
        path = pathlib.Path(path)
        beside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        try:
            beside.write_bytes(self._native.get_object())
            os.replace(beside, path)
        except BaseException as error:
            with contextlib.suppress(OSError):
                beside.unlink()
            if isinstance(error, OSError):
                raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
            raise


def load(
    path: str | os.PathLike[str], *, packed_funcs: Mapping[str, PackedFunc] | None = None
) -> Executable:
    """The executable that was saved to `path`, on a machine with the same kind of processor.

    Packed functions are not saved: give them again, as to :class:`Executable`.
    """
    executable = Executable.__new__(Executable)
    executable._set(NativeExecutable.load(pathlib.Path(path).read_bytes()), packed_funcs)
    return executable


def tensor(arr: Any) -> Any:
    """A copy of an array, as a Tensor. A constant keeps its dtype, as in TVM."""
    return as_tensor(numpy.array(arr))


def get_num_threads() -> int:
    """How many threads run the loops of compiled code, if they have enough work.

    At first this is the number of processors that the process may use.
    """
    return native_get_num_threads()


def set_num_threads(count: int) -> None:
    """Set how many threads run the loops of compiled code, in the whole process."""
    if count < 1:
        raise ValueError(f"expected a count of threads of 1 or more, but found {count}")
    native_set_num_threads(count)
