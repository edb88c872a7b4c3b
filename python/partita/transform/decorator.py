# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making passes from Python functions and classes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar, Union, overload

from ..errors import check_takes, check_type
from ..ir.module import IRModule
from .base import Pass
from .context import PassContext
from .info import PassInfo, make_info
from .passes import ModulePass

Version = Union[str, Callable[[Any], str]]
_Function = TypeVar("_Function", contravariant=True)
_MadePass = TypeVar("_MadePass", bound=Pass, covariant=True)


class PassDecorator(Protocol[_Function, _MadePass]):
    """Makes a pass from a function, and a class of passes from a class."""

    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, function: type[Any]
    ) -> Callable[..., _MadePass]: ...
    @overload
    def __call__(self, function: _Function) -> _MadePass: ...


class PassMaker(Protocol[_Function, _MadePass]):
    """The type of module_pass, function_pass and the like."""

    @overload
    def __call__(
        self,
        pass_func: None = None,
        opt_level: int | None = None,
        name: str | None = None,
        required: Sequence[str] | None = None,
        traceable: bool = False,
        version: Version | None = None,
        reuse_required: bool = False,
        always_runs: bool | None = None,
    ) -> PassDecorator[_Function, _MadePass]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]
        self,
        pass_func: type[Any],
        opt_level: int | None = None,
        name: str | None = None,
        required: Sequence[str] | None = None,
        traceable: bool = False,
        version: Version | None = None,
        reuse_required: bool = False,
        always_runs: bool | None = None,
    ) -> Callable[..., _MadePass]: ...
    @overload
    def __call__(
        self,
        pass_func: _Function,
        opt_level: int | None = None,
        name: str | None = None,
        required: Sequence[str] | None = None,
        traceable: bool = False,
        version: Version | None = None,
        reuse_required: bool = False,
        always_runs: bool | None = None,
    ) -> _MadePass: ...


_PARAMETERS = """

    Parameters
    ----------
    pass_func : callable, optional
        The function or class; without it, a decorator is returned.
    opt_level : int
        The lowest level at which a Sequential runs the pass.
    name : str, optional
        The pass's name; by default the function's.
    required : list of str, optional
        Passes to run before it.
    traceable : bool, optional
        Has no effect; TVM's tuning reads it.
    version : str or callable, optional
        A text that tells the pass from others of its name, for runs that are resumed from a
        checkpoint; by default its code and the values that it uses. For a class, it may be a
        function of the object.
    reuse_required : bool, optional
        Whether a required pass that has just run need not run again; see PassInfo.
    always_runs : bool, optional
        Whether the pass has effects beside its result: it prints, counts, or writes a file. False
        says that it has none, and that its result depends on the module and the PassContext alone:
        with ``partita.skip_unchanged`` it is then not run again on a module that it has left as it
        was. True keeps it out of ``partita.pass_cache``, too. By default it runs again, and its
        results are kept.
    """


def pass_maker(
    name: str, doc: str, pass_class: type[Any], method: str, arguments: Sequence[str]
) -> Any:
    """The function `name`, which makes a `pass_class` of a function or of a class with a `method`.

    `doc` is its docstring but for the parameters, and the function or method takes `arguments`.
    """

    def make(
        pass_func: Callable[..., Any] | None = None,
        opt_level: int | None = None,
        name: str | None = None,
        required: Sequence[str] | None = None,
        traceable: bool = False,
        version: Version | None = None,
        reuse_required: bool = False,
        always_runs: bool | None = None,
    ) -> Any:
        if opt_level is None:
            if pass_func is None:
                raise ValueError("expected an opt_level for the pass, but found none")
            opt_level = 0

        def decorate(function: Any) -> Any:
            if not callable(function):
                raise TypeError(
                    "expected a function or a class to make a pass from, but found "
                    + type(function).__name__
                )
            default_name = getattr(function, "__name__", type(function).__name__)
            info = make_info(opt_level, name or default_name, required, reuse_required)
            if always_runs is not None:
                check_type(always_runs, bool, "always_runs of a pass to be a bool")
            if not inspect.isclass(function):
                check_takes(function, arguments, f"the function of pass '{info.name}'")
                return pass_class(function, info, _check_version(version), always_runs)
            return _derive_pass_class(
                pass_class, method, arguments, function, info, version, always_runs
            )

        return decorate if pass_func is None else decorate(pass_func)

    make.__name__ = make.__qualname__ = name
    make.__module__ = pass_class.__module__
    make.__doc__ = doc + _PARAMETERS
    return make


def _check_version(version: Any) -> str | None:
    if version is not None:
        check_type(version, str, "the version of a pass to be a str")
    return version


def _load_object(pass_class: type[Any], state: dict[str, Any]) -> Any:
    """A pass of a class that a decorator has made, whose object has the attributes `state`."""
    self_object = pass_class._new_object()
    self_object.__dict__.update(state)
    made = pass_class.__new__(pass_class)  # type: ignore[call-overload]
    made._fill(self_object)
    return made


def _derive_pass_class(
    base: type[Any],
    method: str,
    arguments: Sequence[str],
    cls: type[Any],
    info: PassInfo,
    version: Version | None,
    always_runs: bool | None,
) -> type[Any]:
    """A class with the constructor of `cls`, whose objects are passes."""
    if not callable(getattr(cls, method, None)):
        raise TypeError(f"expected class '{cls.__name__}' to have a method {method}")

    class PassClass(base):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any):
            self._fill(cls(*args, **kwargs))

        def _fill(self, self_object: Any) -> None:
            transform = getattr(self_object, method)
            check_takes(transform, arguments, f"the method of pass '{info.name}'")
            given = version(self_object) if callable(version) else version
            base.__init__(self, transform, info, _check_version(given), always_runs)
            self._object = self_object

        def __reduce__(self) -> tuple[Any, ...]:
            return _load_object, (type(self), self._object.__dict__)

        @staticmethod
        def _new_object() -> Any:
            return object.__new__(cls)

        def __getattr__(self, attribute: str) -> Any:
            return getattr(object.__getattribute__(self, "_object"), attribute)

    functools.update_wrapper(PassClass.__init__, cls.__init__)
    PassClass.__name__ = cls.__name__
    PassClass.__qualname__ = cls.__qualname__
    PassClass.__doc__ = cls.__doc__
    PassClass.__module__ = cls.__module__
    return PassClass


ModuleFunction = Callable[[IRModule, PassContext], IRModule]

module_pass: PassMaker[ModuleFunction, ModulePass] = pass_maker(
    "module_pass",
    """Make a pass from a function (mod, ctx) -> mod, or from a class.

    A class has a method transform_module(self, mod, ctx); its objects are
    passes, made with the arguments of its __init__.""",
    ModulePass,
    "transform_module",
    ("mod", "ctx"),
)
