# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a module to native code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .errors import check_type
from .ir.function import BaseFunc
from .ir.module import IRModule
from .mlir import ir
from .mlir._mlir_libs import _partita
from .transform import Pass, PassContext, get_pass

if TYPE_CHECKING:
    from .runtime import Executable, PackedFunc

__all__ = ["compile"]


def _publish(mod: IRModule) -> IRModule:
    """The module with public functions, or one whose Relax functions are."""
    from .relax import Function

    items = mod.functions_items()
    names = [var.name_hint for var, func in items if isinstance(func, Function)]
    if not names or not all(func.is_private for _, func in items):
        return mod
    published = mod.clone()
    for name in names:
        published.update_func(name, published[name].with_attr("global_symbol", name))
    return published


def compile(  # noqa: A001
    mod: IRModule | BaseFunc | ir.Module,
    target: str = "llvm",
    *,
    relax_pipeline: Pass | str | None = "default",
    packed_funcs: Mapping[str, PackedFunc] | None = None,
) -> Executable:
    """Compile the public functions of a module for this machine's processor.

    If none of its functions is public, all its Relax functions are: TVM's virtual machine calls
    such functions, too.

    What happens depends on the current PassContext: its opt_level, up to 3, is also the level of
    LLVM's optimizer, and its instruments see each pass of the pipeline and of the lowering.

    Parameters
    ----------
    mod
        The module, which stays as it is: an IRModule, or an mlir.ir.Module with some in it. Or a
        function, which is a module by itself.
    target
        ``"llvm"``, the only one.
    relax_pipeline
        The passes to run first: a pass, the name of one, a name of relax.get_pipeline such as
        ``"zero"``, or ``"default"``, which is the pipeline of the opt_level.
    packed_funcs
        The packed functions that the module calls, by name. See runtime.Executable.

    Raises
    ------
    PassError
        If a pass fails, or the module has something without a lowering. The error names it.
    ValueError
        If the module has no public function to call.
    ImportError
        If Partita was built without its runtime.

    Examples
    --------
    ::

        with partita.transform.PassContext(opt_level=3):
            ex = partita.compile(mod)
        y = ex["main"](x)
    """
    from .relax.pipeline import get_pipeline, has_pipeline
    from .runtime import Executable

    if isinstance(mod, BaseFunc):
        mod = IRModule.from_expr(mod)
    check_type(mod, (IRModule, ir.Module), "mod to be an IRModule or an mlir.ir.Module")
    if target != "llvm":
        raise ValueError(f"expected target to be 'llvm', but found {target!r}")
    level = min(PassContext.current().opt_level, 3)
    if relax_pipeline == "default":
        relax_pipeline = f"default-O{level}"
    if isinstance(relax_pipeline, str):
        registered = has_pipeline(relax_pipeline)
        relax_pipeline = (get_pipeline if registered else get_pass)(relax_pipeline)
    lowered: Any = _publish(mod) if isinstance(mod, IRModule) else mod
    if relax_pipeline is not None:
        lowered = relax_pipeline(lowered)
    operation = lowered.operation
    holder = None
    # A callback gets an IRModule of any op that passes run on.
    if isinstance(lowered, IRModule) and operation.name != "builtin.module":
        with operation.location:
            lowered = ir.Module.create()
            lowered.body.append(operation.clone())
        # An instrument can keep a copy of the lowered module.
        if not PassContext.current().instruments:
            holder = _partita.TensorHolder(lowered.operation)
    lowered = get_pass("LowerToLLVM")(lowered)
    code = _partita.translate_to_llvmir(lowered.operation)
    del lowered, holder
    executable = Executable(code, opt_level=level, packed_funcs=packed_funcs)
    if not executable.functions:
        raise ValueError(
            "expected mod to have a public function whose parameters are arrays and numbers, "
            "but found none"
        )
    return executable
