# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines by name: TVM's ``tvm.relax.pipeline``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import check_type
from ..transform.base import Pass
from ..transform.passes import Sequential
from .transform import (
    CanonicalizeBindings,
    DecomposeOpsForInference,
    DefaultBuildPipeline,
    FoldConstant,
    LegalizeOps,
    ZeroPipeline,
)

__all__ = [
    "default_build_pipeline",
    "get_pipeline",
    "has_pipeline",
    "register_pipeline",
    "static_shape_tuning_pipeline",
    "zero_pipeline",
]


def zero_pipeline(*, enable_warning: bool = False) -> Pass:
    """Fold constants, legalize ops and fuse kernels: TVM's pipeline `zero`.

    Parameters
    ----------
    enable_warning : bool
        Whether to warn of ops that have no lowering.
    """
    if not enable_warning:
        return ZeroPipeline()
    return Sequential([FoldConstant(), LegalizeOps(enable_warning=True), ZeroPipeline()])


def default_build_pipeline() -> Pass:
    """Legalize ops and plan memory: TVM's pipeline `default_build`, up to its virtual machine."""
    return DefaultBuildPipeline()


def static_shape_tuning_pipeline(total_trials: int = 0) -> Pass:
    """Prepare a model for tuning: TVM's pipeline `static_shape_tuning`, without MetaSchedule.

    Parameters
    ----------
    total_trials : int
        How many schedules to try: 0, which in TVM takes them from a database alone.

    Raises
    ------
    ValueError
        If total_trials is not 0, because nothing here tunes.
    """
    if total_trials != 0:
        raise ValueError(
            f"expected total_trials to be 0, because Partita does not tune, but found {total_trials}"
        )
    return Sequential([DecomposeOpsForInference(), CanonicalizeBindings(), ZeroPipeline()])


# Functions that make pipelines, by name.
_pipelines: dict[str, Callable[..., Pass]] = {
    "zero": zero_pipeline,
    "default": default_build_pipeline,
    "default_build": default_build_pipeline,
    "static_shape_tuning": static_shape_tuning_pipeline,
}


def has_pipeline(name: str) -> bool:
    """Whether get_pipeline has a pipeline with a name."""
    return name in _pipelines


def get_pipeline(name: str = "zero", **kwargs: Any) -> Pass:
    """The pipeline with a name.

    Parameters
    ----------
    name : str
        The name: "zero", "default_build" (also "default"), "static_shape_tuning", or one that
        register_pipeline was given.
    kwargs
        The pipeline's own parameters.

    Raises
    ------
    ValueError
        If no pipeline has that name.
    """
    check_type(name, str, "the name of a pipeline to be a str")
    if name not in _pipelines:
        raise ValueError(
            f"expected the name of a pipeline ({', '.join(_pipelines)}), but found {name!r}"
        )
    return _pipelines[name](**kwargs)


def register_pipeline(name: str) -> Callable[[Callable[..., Pass]], Callable[..., Pass]]:
    """Register the decorated function, which makes a pipeline, under a name.

    Raises
    ------
    ValueError
        If a pipeline has that name already.
    """
    check_type(name, str, "the name of a pipeline to be a str")
    if name in _pipelines:
        raise ValueError(f"expected a new name for a pipeline, but found {name!r} again")

    def register(make: Callable[..., Pass]) -> Callable[..., Pass]:
        _pipelines[name] = make
        return make

    return register
