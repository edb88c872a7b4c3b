# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes and what decides which of them run: TVM's ``tvm.transform``."""

from __future__ import annotations

import functools
import inspect
import os
import re
from types import TracebackType
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Protocol,
    Sequence,
    Tuple,
    Set,
    Type,
    TypeVar,
    Union,
    overload,
)

from ..mlir import ir
from ..mlir._mlir_libs import _partita
from ..errors import Diagnostic, PassError, PassWarning
from . import instrument as _instrument
from .module import IRModule

__all__ = [
    "ApplyPassToFunction",
    "ModulePass",
    "Pass",
    "PassContext",
    "PassError",
    "PassInfo",
    "PassWarning",
    "Plan",
    "PlanEntry",
    "PrintIR",
    "Sequential",
    "get_pass",
    "list_passes",
    "module_pass",
    "parse_pipeline",
    "plan",
    "register_pass",
    "sequential",
]


def _check_names(what: str, names: Optional[Sequence[str]]) -> List[str]:
    """`names` as a list; a str, which is a sequence of str too, is an error."""
    if names is None:
        return []
    if isinstance(names, str):
        raise TypeError(
            f"expected {what} to be a list of names, but found the str '{names}'; write ['{names}']"
        )
    names = list(names)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(
                f"expected {what} to be a list of str, but found {type(name).__name__} in it"
            )
    return names


def _check_level(opt_level: Any) -> int:
    if not isinstance(opt_level, int):
        raise TypeError(f"expected opt_level to be an int, but found {type(opt_level).__name__}")
    if not -(2**31) <= opt_level < 2**31:
        raise ValueError(f"expected opt_level to fit in 32 bits, but found {opt_level}")
    return opt_level


class PassInfo(NamedTuple):
    """What a pass is called, and when it runs.

    Attributes
    ----------
    opt_level : int
        A Sequential runs the pass if the PassContext's level is at least this.
    name : str
        What contexts and instruments call it.
    required : list of str
        Passes that a Sequential runs before it.
    """

    opt_level: int
    name: str
    required: List[str] = []

    def _to_c(self) -> _partita.PassInfo:
        return _partita.PassInfo(self.name, self.opt_level, list(self.required))


def _make_info(opt_level: int, name: str, required: Optional[Sequence[str]]) -> PassInfo:
    if not isinstance(name, str):
        raise TypeError(f"expected the name of a pass to be a str, but found {type(name).__name__}")
    return PassInfo(_check_level(opt_level), name, _check_names("required", required))


class PassContext(_partita.PassContext):
    """Says which passes of a Sequential run, and which instruments watch them.

    Parameters
    ----------
    opt_level : int, optional
        Passes of a Sequential run up to this level; 2 by default.
    required_pass : list of str, optional
        Passes that run whatever their level, and whatever should_run says.
    disabled_pass : list of str, optional
        Passes of a Sequential that do not run.
    instruments : sequence of PassInstrument, optional
        Called around each pass, in this order.
    config : dict, optional
        Values of config options, by key; see list_configs.

    Raises
    ------
    TypeError
        Where an argument has another type.
    ValueError
        Where opt_level is negative.
    AttributeError
        Where a config key is not registered, or its value has another type.
    """

    def __init__(
        self,
        opt_level: int = 2,
        required_pass: Optional[Sequence[str]] = None,
        disabled_pass: Optional[Sequence[str]] = None,
        instruments: Optional[Sequence[Any]] = None,
        config: Optional[Dict[str, Any]] = None,
    ):
        if config is not None and not isinstance(config, dict):
            raise TypeError(f"expected config to be a dict, but found {type(config).__name__}")
        # Most contexts say little, and calls are most of what one costs.
        super().__init__(
            _check_level(opt_level),
            [] if required_pass is None else _check_names("required_pass", required_pass),
            [] if disabled_pass is None else _check_names("disabled_pass", disabled_pass),
            config or {},
            _instrument.to_handles(instruments) if instruments else [],
        )

    def __enter__(self) -> "PassContext":
        self.enter()
        return self

    def __exit__(
        self,
        exc_type: Optional[Type[BaseException]],
        exc_value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.exit()

    def override_instruments(self, instruments: Optional[Sequence[Any]]) -> None:
        """Exit the present instruments, and enter others in their place."""
        super().override_instruments(_instrument.to_handles(instruments or []))

    def pass_enabled(self, info: PassInfo) -> bool:
        """Whether a Sequential runs a pass with this PassInfo."""
        return super().pass_enabled(info._to_c())

    @property
    def diagnostics(self) -> List[Diagnostic]:  # type: ignore[override]
        """The diagnostics of the runs under this context so far."""
        return [Diagnostic(*fields) for fields in super().diagnostics(False)]

    @staticmethod
    def current() -> "PassContext":
        """The innermost context of this thread, or its default one."""
        return _partita.PassContext.current()

    @staticmethod
    def list_configs() -> Dict[str, Dict[str, Any]]:
        """The config options.

        Returns
        -------
        dict
            For each key its "type", "default" and "description".
        """
        return {
            key: {"type": type_, "default": default, "description": description}
            for key, type_, default, description in _partita.list_pass_configs()
        }

    def __repr__(self) -> str:
        return (
            f"PassContext(opt_level={self.opt_level}, required_pass={self.required_pass}, "
            f"disabled_pass={self.disabled_pass}, instruments={self.instruments}, "
            f"config={self.config})"
        )


def _call(
    self: _partita.Pass,
    mod: IRModule,
    *,
    verify: bool = True,
    resume_from: Union[str, "os.PathLike[str]"] = "",
) -> IRModule:
    """Run on a copy of the module, under the current PassContext.

    As in TVM, a pass that is called directly runs whatever its opt_level.

    Parameters
    ----------
    mod : IRModule
        What to run on.
    verify : bool, optional
        Whether MLIR's verifier runs after each pass.
    resume_from : Union[str, "os.PathLike[str]"], optional
        Go on after the last checkpoint in this directory, which the instrument ``Checkpoint`` wrote
        for the same passes, module and context; from the beginning if there is none.

    Raises
    ------
    PassError
        Where the pass or the verifier after it fails, or the checkpoints are those of another run.
    """
    return self._run(mod, in_place=False, verify=verify, resume_from=os.fspath(resume_from))


def _run_in_place(
    self: _partita.Pass,
    mod: IRModule,
    *,
    verify: bool = True,
    resume_from: Union[str, "os.PathLike[str]"] = "",
) -> None:
    """Run as a call does, and let `mod` be the result.

    What was taken from the module before, such as its functions, stays as it
    was and is not part of the module any more.
    """
    self._run(mod, in_place=True, verify=verify, resume_from=os.fspath(resume_from))


def _pass_repr(self: _partita.Pass) -> str:
    info = self.info
    return (
        f'{type(self).__name__}(name="{info.name}", opt_level={info.opt_level}, '
        f"required={list(info.required)})"
    )


Pass = _partita.Pass
Pass.__call__ = _call  # type: ignore[method-assign]
Pass.run_in_place = _run_in_place  # type: ignore[method-assign]
Pass.__repr__ = _pass_repr  # type: ignore[method-assign]
Pass.__hash__ = lambda self: hash(self.info.name)  # type: ignore[method-assign]


class ModulePass(_partita.ModulePass):
    """A pass that is a Python function from module and context to module.

    Made by module_pass. The function may add and delete functions; the module
    that it gets is its own.
    """

    def __init__(self, function: Callable[..., Any], info: PassInfo):
        super().__init__(function, info._to_c())


class Sequential(_partita.Sequential):
    """A pass that runs passes in order, under the rules of the PassContext.

    Parameters
    ----------
    passes : list of Pass, optional
        What it runs.
    opt_level : int, optional
        The level of the Sequential itself, which can be nested.
    name : str, optional
        Its own name.
    required : list of str, optional
        Passes to run before it.
    traceable : bool, optional
        Has no effect; TVM's tuning reads it.
    """

    def __init__(
        self,
        passes: Optional[Sequence[Pass]] = None,
        opt_level: int = 0,
        name: str = "sequential",
        required: Optional[Sequence[str]] = None,
        traceable: bool = False,
    ):
        passes = [] if passes is None else passes
        if not isinstance(passes, (list, tuple)):
            raise TypeError(
                "expected a Sequential to be made from a list of passes, but found "
                + type(passes).__name__
            )
        for member in passes:
            if not isinstance(member, Pass):
                raise TypeError(
                    "expected the members of a Sequential to be passes, but found "
                    + type(member).__name__
                )
        super().__init__(list(passes), _make_info(opt_level, name, required)._to_c())
        self.passes = list(passes)


def sequential(
    passes: Optional[Sequence[Pass]] = None,
    opt_level: int = 0,
    name: str = "sequential",
    required: Optional[Sequence[str]] = None,
) -> Sequential:
    """Make a Sequential."""
    return Sequential(passes, opt_level, name, required)


_Function = TypeVar("_Function", contravariant=True)
_MadePass = TypeVar("_MadePass", bound=Pass, covariant=True)


class PassDecorator(Protocol[_Function, _MadePass]):
    """What makes a pass from a function, and a class of passes from a class."""

    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, function: Type[Any]
    ) -> Callable[..., _MadePass]: ...
    @overload
    def __call__(self, function: _Function) -> _MadePass: ...


class PassMaker(Protocol[_Function, _MadePass]):
    """What module_pass, function_pass and the like are to a type checker."""

    @overload
    def __call__(
        self,
        pass_func: None = None,
        opt_level: Optional[int] = None,
        name: Optional[str] = None,
        required: Optional[Sequence[str]] = None,
        traceable: bool = False,
    ) -> PassDecorator[_Function, _MadePass]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]
        self,
        pass_func: Type[Any],
        opt_level: Optional[int] = None,
        name: Optional[str] = None,
        required: Optional[Sequence[str]] = None,
        traceable: bool = False,
    ) -> Callable[..., _MadePass]: ...
    @overload
    def __call__(
        self,
        pass_func: _Function,
        opt_level: Optional[int] = None,
        name: Optional[str] = None,
        required: Optional[Sequence[str]] = None,
        traceable: bool = False,
    ) -> _MadePass: ...


def as_it_is(maker: Any) -> Any:
    """A decorator that tells a type checker what the annotation of its name says."""
    return maker


ModuleFunction = Callable[[IRModule, PassContext], IRModule]


def make_decorator(
    pass_class: Type[Any],
    method: str,
    target: Any,
    opt_level: Optional[int],
    name: Optional[str],
    required: Optional[Sequence[str]],
) -> Any:
    """The decorator of passes on functions, and on classes with a `method`."""
    if opt_level is None:
        if target is None:
            raise ValueError("expected an opt_level for the pass, but found none")
        opt_level = 0

    def decorate(function: Any) -> Any:
        if not callable(function):
            raise TypeError(
                "expected a function or a class to make a pass from, but found "
                + type(function).__name__
            )
        default_name = getattr(function, "__name__", type(function).__name__)
        info = _make_info(opt_level, name or default_name, required)
        if not inspect.isclass(function):
            return pass_class(function, info)
        return _derive_pass_class(pass_class, method, function, info)

    return decorate if target is None else decorate(target)


def _derive_pass_class(base: Type[Any], method: str, cls: Type[Any], info: PassInfo) -> Type[Any]:
    """A class that is called as `cls` is, and whose objects are passes."""
    if not callable(getattr(cls, method, None)):
        raise TypeError(f"expected class '{cls.__name__}' to have a method {method}")

    class PassClass(base):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any):
            self_object = cls(*args, **kwargs)
            transform = getattr(self_object, method)
            base.__init__(self, transform, info)
            self._object = self_object

        def __getattr__(self, attribute: str) -> Any:
            return getattr(object.__getattribute__(self, "_object"), attribute)

    functools.update_wrapper(PassClass.__init__, cls.__init__)
    PassClass.__name__ = cls.__name__
    PassClass.__qualname__ = cls.__qualname__
    PassClass.__doc__ = cls.__doc__
    PassClass.__module__ = cls.__module__
    return PassClass


_typed: Callable[[Any], PassMaker[ModuleFunction, ModulePass]] = as_it_is


@_typed
def module_pass(
    pass_func: Optional[Callable[..., Any]] = None,
    opt_level: Optional[int] = None,
    name: Optional[str] = None,
    required: Optional[Sequence[str]] = None,
    traceable: bool = False,
) -> Any:
    """Make a pass from a function (mod, ctx) -> mod, or from a class.

    A class has a method transform_module(self, mod, ctx); its objects are
    passes, made with the arguments of its __init__.

    Parameters
    ----------
    pass_func : callable, optional
        The function or class; without it, a decorator is returned.
    opt_level : int
        The level from which on a Sequential runs the pass.
    name : str, optional
        The pass's name; that of the function by default.
    required : list of str, optional
        Passes to run before it.
    traceable : bool, optional
        Has no effect; TVM's tuning reads it.
    """
    return make_decorator(ModulePass, "transform_module", pass_func, opt_level, name, required)


def get_pass(name: str, options: str = "") -> Pass:
    """The registered pass of that name.

    Parameters
    ----------
    name : str
        As TVM has it ("FoldConstant", "relax.transform.FoldConstant"), or MLIR
        ("relax-fold-constant", "canonicalize").
    options : str, optional
        As in a textual pipeline: "max-growth=64".

    Raises
    ------
    ValueError
        Where there is none; it names the nearest.
    """
    return _partita.get_pass(name, options)


def make_pass(name: str, options: Dict[str, Any]) -> Pass:
    """The pass `name` with options as keyword arguments; None is the default."""

    def text(value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (list, tuple)):
            return ",".join(text(element) for element in value)
        if isinstance(value, str) and (not value or set(value) & set(" {}\"',=")):
            return '"' + value + '"'
        return str(value)

    return get_pass(
        name,
        " ".join(
            f"{key.replace('_', '-')}={text(value)}"
            for key, value in options.items()
            if value is not None and value != []
        ),
    )


def register_pass(pass_: Pass) -> Pass:
    """Make a pass known by its name to get_pass and to `required`."""
    if not isinstance(pass_, Pass):
        raise TypeError(f"expected a pass, but found {type(pass_).__name__}")
    pass_._register()
    return pass_


def parse_pipeline(
    pipeline: str,
    opt_level: int = 0,
    name: str = "sequential",
    required: Optional[Sequence[str]] = None,
) -> Pass:
    """The Sequential of a textual pipeline: "builtin.module(func.func(cse))"."""
    return _partita.parse_pipeline(pipeline, _make_info(opt_level, name, required)._to_c())


def list_passes() -> Dict[str, Dict[str, Any]]:
    """The registered passes: "info", "argument", "qualified_name", "summary"."""
    return {
        info.name: {
            "info": info,
            "argument": argument,
            "qualified_name": qualified,
            "summary": summary,
        }
        for info, argument, qualified, summary in _partita.list_passes()
    }


def PrintIR(header: str = "", elide: int = 16) -> Pass:
    """A pass that prints the module to stderr, under `header`.

    Parameters
    ----------
    header : str, optional
        A line above the module.
    elide : int, optional
        Constants of more elements are not printed; -1 for none.
    """
    return make_pass("partita-print-ir", {"header": header or None, "elide": elide})


def _declare(op: ir.Operation) -> ir.Operation:
    """A copy of a function without its body."""
    attributes = dict(op.attributes.items())
    attributes["sym_visibility"] = ir.StringAttr.get("private", op.context)
    return ir.Operation.create(
        op.name, attributes=attributes, regions=len(op.regions), loc=op.location, ip=False
    )


def _make_subset(mod: IRModule, names: Set[str]) -> IRModule:
    """A copy of a module in which functions with other names are declared only.

    Those with the names are public: who calls them may be declared only.
    """
    operation = mod.operation
    copy = ir.Operation.create(
        operation.name,
        attributes=dict(operation.attributes.items()),
        regions=1,
        loc=operation.location,
        ip=False,
    )
    block = copy.regions[0].blocks.append()
    for view in operation.regions[0].blocks[0].operations:
        op = view.operation
        if "function_type" not in op.attributes:
            block.append(op.clone(ip=False))
        elif ir.StringAttr(op.attributes["sym_name"]).value not in names:
            block.append(_declare(op))
        else:
            op = op.clone(ip=False).operation
            if "sym_visibility" in op.attributes:
                del op.attributes["sym_visibility"]
            block.append(op)
    return IRModule(copy)


def ApplyPassToFunction(
    transform: Pass,
    func_name_regex: str,
    error_if_no_function_matches_regex: bool = False,
) -> ModulePass:
    """A module pass that runs another one on some functions of the module.

    The other pass sees those functions, public, and of the others what a call
    needs to know: it neither changes nor reads them. What it adds is added to
    the module; it can't delete a function.

    Parameters
    ----------
    transform : Pass
        The pass to run, whatever its opt_level.
    func_name_regex : str
        Says which functions, by a match at the start of their names, as re.match.
    error_if_no_function_matches_regex : bool, optional
        Whether a module without such a function is an error.

    Raises
    ------
    ValueError
        Where the regex is not valid; and, when the pass runs, where no function
        matches and error_if_no_function_matches_regex says so.
    """
    if not isinstance(transform, Pass):
        raise TypeError(f"expected a pass, but found {type(transform).__name__}")
    if not isinstance(func_name_regex, str):
        raise TypeError(
            "expected func_name_regex to be a str, but found " + type(func_name_regex).__name__
        )
    try:
        pattern = re.compile(func_name_regex)
    except re.error as error:
        raise ValueError(
            f"expected func_name_regex to be a regular expression, but found "
            f"'{func_name_regex}': {error}"
        ) from error

    def run(mod: IRModule, ctx: PassContext) -> IRModule:
        functions = {var.name_hint: mod[var] for var in mod.get_global_vars()}
        names = {name for name in functions if pattern.match(name)}
        if not names and error_if_no_function_matches_regex:
            raise ValueError(
                f"expected a function that matches '{func_name_regex}', but found "
                + (", ".join(functions) or "none")
            )
        if not names:
            return mod
        subset = _make_subset(mod, names)
        result = transform(subset)
        if result.same_as(subset):
            return mod
        changed = {}
        for var in result.get_global_vars():
            func = result[var]
            if var.name_hint in names:
                if functions[var.name_hint].is_private:
                    func = func.with_attr("sym_visibility", "private")
            elif var.name_hint in functions:
                continue
            changed[var.name_hint] = func
        mod.update(changed)
        return mod

    return ModulePass(run, PassInfo(0, "ApplyPassTo" + func_name_regex))


class PlanEntry(NamedTuple):
    """A line of a Plan.

    Attributes
    ----------
    info : PassInfo
        Of the pass.
    depth : int
        How many Sequentials it is in.
    runs : bool
        Whether it runs, if no instrument says otherwise.
    reason : str
        "direct", "opt_level", "required_pass", "required_by", "disabled_pass",
        "opt_level_too_high" or, of what has run before a checkpoint, "resumed".
    """

    info: PassInfo
    depth: int
    runs: bool
    reason: str


class Plan:
    """What a pass would run under a context, and why; it prints as a table."""

    _reasons = (
        "direct",
        "opt_level",
        "required_pass",
        "required_by",
        "disabled_pass",
        "opt_level_too_high",
        "resumed",
    )

    def __init__(self, description: Tuple[Sequence[Any], str]):
        entries, self._text = description
        self.entries = [
            PlanEntry(p.info, depth, reason < 4, self._reasons[reason])
            for p, depth, reason in entries
        ]

    def __iter__(self) -> Iterator[PlanEntry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__


def plan(pass_: Pass, context: Optional[PassContext] = None) -> Plan:
    """What `pass_` would run under `context`, or under the current one.

    Raises
    ------
    ValueError
        Where a required pass is not known, or passes require each other.
    """
    return Plan(pass_._plan(context or PassContext.current()))


_partita.set_types(IRModule, PassContext, PassInfo, PassError, PassWarning)
