# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The MLIR of another package, such as jaxlib's, under Partita's PassContext."""

from __future__ import annotations

import contextlib
import functools
import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .errors import PassError, check_type, describe_type
from .ir.module import IRModule
from .mlir import ir
from .mlir._mlir_libs import _partita
from .transform import ModulePass, PassContext, Sequential, module_pass

__all__ = ["Bridge"]


def _find_package(value: Any) -> str:
    """The package whose bindings made an object, such as "jaxlib.mlir"; "" if there is none."""
    for cls in type(value).__mro__:
        package, found, _ = cls.__module__.partition("._mlir_libs")
        if found:
            return package
    return ""


class Bridge:
    """A way for modules between Partita and another package's MLIR, whose passes run as Partita's.

    Modules cross as text in MLIR's generic form, with their locations. Ops of dialects that
    Partita lacks are allowed in the modules that a bridge imports, and in no others: these have an
    MLIR context of their own. Partita's passes leave such ops alone.

    Parameters
    ----------
    context : Context
        The other package's, with the dialects that its modules need: ``module.context``.

    Raises
    ------
    TypeError
        If it is no MLIR context of another package.
    """

    def __init__(self, context: Any):
        package = _find_package(context)
        if package:
            self._ir = importlib.import_module(package + ".ir")
        if not package or self._ir is ir or not isinstance(context, self._ir.Context):
            raise TypeError(
                "expected a bridge to lead to an MLIR context of another package, such as "
                f"module.context, but found {describe_type(context)}"
            )
        self._managers = importlib.import_module(package + ".passmanager")
        #: The other package, and its context.
        self.package, self.context = package, context
        self._own_context = ir.Context()
        self._own_context.allow_unregistered_dialects = True
        # The pass of each step: the same step is the same pass, which may be skipped.
        self._steps: dict[str, ModulePass] = {}

    def __repr__(self) -> str:
        return f"Bridge to {self.package}"

    def import_module(self, module: Any) -> IRModule:
        """A copy of a module of the other package, for Partita's passes and for the bridge's.

        Raises
        ------
        TypeError
            If it is no module of that package.
        mlir.ir.MLIRError
            If Partita knows an op of it by another form: the other package's MLIR is too
            different a version.
        """
        return IRModule.from_text(self._print(module), self._own_context)

    def export_module(self, mod: IRModule) -> Any:
        """A copy of a module for the other package, in the bridge's context.

        Raises
        ------
        MLIRError
            The other package's, if the module has ops or attributes that it does not know.
        """
        check_type(mod, IRModule, "an IRModule to be exported")
        return self._ir.Module.parse(_print(mod.operation), context=self.context)

    def module_pass(
        self,
        pass_func: Callable[..., Any] | None = None,
        opt_level: int | None = None,
        name: str | None = None,
        required: Sequence[str] | None = None,
        version: str | None = None,
        always_runs: bool | None = None,
    ) -> Any:
        """Make a pass from a function (module, ctx) that gets a module of the other package.

        It changes the module, or returns another one. Without `pass_func`, a decorator is returned.
        The parameters are the same as in ``partita.transform.module_pass``. A module that the other
        package's verifier, or Partita's, does not accept is a PassError of the pass.
        """

        def decorate(function: Callable[..., Any]) -> ModulePass:
            check_type(function, Callable, "a function to make a pass from")

            @functools.wraps(function)
            def run(mod: IRModule, ctx: PassContext) -> IRModule:
                module = self.export_module(mod)
                before = self._print(module)
                with self._listen() as heard:
                    result = function(module, ctx)
                result = module if result is None else result
                after = self._print(result)
                # A pass that says something says it again: a copy is not the same module.
                if before == after and not heard:
                    return mod
                with self._errors_of(made.info.name):
                    result.operation.verify()
                    return IRModule.from_text(after, mod.operation.context)

            made = module_pass(
                run, opt_level, name, required, version=version, always_runs=always_runs
            )
            return made

        if pass_func is None:
            return decorate
        if opt_level is None:
            raise ValueError("expected an opt_level for the pass, but found none")
        return decorate(pass_func)

    def parse_pipeline(
        self,
        pipeline: str,
        opt_level: int = 0,
        name: str = "sequential",
        required: Sequence[str] | None = None,
    ) -> Sequential:
        """The Sequential of a pipeline of the other package's passes, by their names.

        With ``partita.skip_unchanged`` they are not run again on a module that they have left as it
        was, in this pipeline or another of this bridge.

        Parameters
        ----------
        pipeline : str
            As in "builtin.module(func.func(canonicalize,cse),inline)".
        opt_level, name, required : optional
            The Sequential's PassInfo.

        Raises
        ------
        ValueError
            If the other package does not accept the pipeline.
        """
        check_type(pipeline, str, "a pipeline to be a str")
        self._managers.PassManager.parse(pipeline, context=self.context)
        steps = [self._make_step(*step) for step in _split(pipeline)]
        return Sequential(steps, opt_level, name, required)

    def _make_step(self, step: str, name: str) -> ModulePass:
        if step in self._steps:
            return self._steps[step]

        def run(module: Any, ctx: PassContext) -> None:
            manager = self._managers.PassManager.parse(step, context=self.context)
            with self._errors_of(name):
                manager.run(module.operation)

        package = importlib.import_module(self.package.partition(".")[0])
        version = f"{self.package} {getattr(package, '__version__', '')} {step}"
        # MLIR's passes that print have the same names there.
        always_runs = _partita.always_runs(name)
        made: ModulePass = self.module_pass(run, 0, name, version=version, always_runs=always_runs)
        self._steps[step] = made
        return made

    @contextlib.contextmanager
    def _listen(self) -> Iterator[list[str]]:
        """The severities of the other package's diagnostics but for errors that end a pass."""
        heard: list[str] = []

        def hear(diagnostic: Any) -> bool:
            heard.append(str(diagnostic.severity))
            return False

        with self.context.attach_diagnostic_handler(hear):
            yield heard

    @contextlib.contextmanager
    def _errors_of(self, name: str) -> Iterator[None]:
        """Makes errors of either MLIR PassErrors of the pass `name`."""
        try:
            yield
        except (self._ir.MLIRError, ir.MLIRError) as error:
            # One that was made in Python has none.
            diagnostics = getattr(error, "error_diagnostics", [])
            raise PassError(name, [_read_diagnostic(each) for each in diagnostics]) from error

    def _describe(self, value: Any) -> str:
        if _find_package(value) != self.package:
            return describe_type(value)
        return f"{type(value).__name__}; an operation crosses with the Module that it is in"

    def _print(self, module: Any) -> str:
        if not isinstance(module, self._ir.Module):
            raise TypeError(
                f"expected a module of {self.package}, but found {self._describe(module)}"
            )
        return _print(module.operation)


def _print(operation: Any) -> str:
    """What each MLIR can parse, whether or not it has the dialects."""
    return operation.get_asm(enable_debug_info=True, print_generic_op_form=True)


def _read_diagnostic(diagnostic: Any) -> tuple[str, str, str, list[str]]:
    """The fields of partita.errors.Diagnostic, of a diagnostic of either MLIR."""
    severity = str(diagnostic.severity).rpartition(".")[2].lower()
    notes = [note.message for note in diagnostic.notes]
    return severity, str(diagnostic.location), diagnostic.message, notes


def _split(pipeline: str, anchors: str = "{}") -> Iterator[tuple[str, str]]:
    """A pipeline of each of a pipeline's passes, and the pass's name."""
    for member in _members(pipeline):
        anchored = re.fullmatch(r"([^({\"']+)\((.*)\)", member, re.DOTALL)
        if anchored:
            yield from _split(anchored[2], anchors.format(anchored[1].strip() + "({})"))
        elif member:
            yield anchors.format(member), re.split(r"[\s{]", member)[0]


def _members(text: str) -> Iterator[str]:
    """What stands between the commas that are in no brackets and no quotes."""
    start, depth, quote = 0, 0, ""
    for index, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "({[":
            depth += 1
        elif char in ")}]":
            depth -= 1
        elif char == "," and depth == 0:
            yield text[start:index].strip()
            start = index + 1
    yield text[start:].strip()
