# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of partita.bridge that need no other package; test/jax has the rest."""

import pytest

from partita import IRModule
from partita.bridge import Bridge, _split
from partita.mlir import ir


@pytest.mark.parametrize("value", [ir.Context(), ir.Module.parse("", ir.Context()), IRModule(), 3])
def test_bridges_lead_to_other_packages(value):
    with pytest.raises(TypeError, match=r"such as module\.context, but found \w+$"):
        Bridge(value)


def test_steps_of_a_pipeline():
    pipeline = """builtin.module( func.func(a{x=1,2 y="},{"}, b), c,
      any(d{p=func.func(e,f) q={r=[1,2]}}, scf.for( g )), )"""
    assert list(_split(pipeline)) == [
        ('builtin.module(func.func(a{x=1,2 y="},{"}))', "a"),
        ("builtin.module(func.func(b))", "b"),
        ("builtin.module(c)", "c"),
        ("builtin.module(any(d{p=func.func(e,f) q={r=[1,2]}}))", "d"),
        ("builtin.module(any(scf.for(g)))", "g"),
    ]
    assert list(_split("builtin.module()")) == []
