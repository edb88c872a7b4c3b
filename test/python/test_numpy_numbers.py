# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of NumPy where numbers of Python are meant, as in TVM."""

import operator

import numpy as np
import pytest

import partita
from partita import ir, relax, tirx, transform

INTS = (np.int32, np.int64, np.uint8)


@pytest.mark.parametrize("kind", INTS)
def test_levels_config_and_attributes(kind):
    one, three = kind(1), kind(3)
    assert transform.PassContext(opt_level=three).opt_level == 3
    assert transform.Sequential([], opt_level=one).info == transform.PassInfo(1, "sequential")
    assert relax.transform.function_pass(opt_level=one)(lambda f, m, c: f).info.opt_level == 1
    assert transform.PassContext(opt_level=one).pass_enabled(transform.PassInfo(one, "p"))
    config = {"tirx.UnrollLoop": {"auto_max_step": three}, "relax.FuseOps.max_depth": three}
    context = transform.PassContext(config=config)
    assert context.config["tirx.UnrollLoop"]["auto_max_step"] == 3
    assert context.config["relax.FuseOps.max_depth"] == 3
    relax.transform.FuseOps(fuse_opt_level=one)
    relax.transform.UpdateVDevice(ir.VDevice("llvm"), one)
    assert ir.VDevice("llvm", one).vdevice_id == 1
    attrs = {"a": one, "b": [three], "c": {"d": one}, "e": np.float32(1.5)}
    mod = partita.IRModule({}, attrs=attrs)
    assert dict(mod.attrs) == {"a": 1, "b": [3], "c": {"d": 1}, "e": 1.5}


@pytest.mark.parametrize("kind", INTS)
def test_operands(kind):
    x = relax.Var("x", relax.TensorType((4, 4), "float32"))
    one, two = kind(1), kind(2)
    split = relax.op.split(x, two, axis=one)
    assert split.attrs.indices_or_sections == 2 and split.attrs.axis == 1
    assert relax.op.split(x, [one, two]).attrs.indices_or_sections == [1, 2]
    assert relax.TupleGetItem(relax.Tuple([x, x]), one).index == 1
    assert relax.op.reshape(x, (two, -1)).ty.shape == (2, 8)
    assert relax.PrimValue(two).value == 2 and relax.PrimValue(two).dtype == "int64"
    assert relax.PrimValue(np.float32(1.5)).dtype == "float64"


@pytest.mark.parametrize("kind", INTS)
def test_arithmetic_of_sizes(kind):
    n = tirx.Var("n", "int64")
    for op in (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod):
        assert op(n, kind(2)) == op(n, 2) and op(kind(2), n) == op(2, n)
    for op in (operator.lt, operator.le, operator.gt, operator.ge):
        assert op(n, kind(2)) == op(n, 2) and op(kind(2), n) == op(2, n)
    assert tirx.max(n, kind(2)) == "max(n, 2)" and tirx.floordiv(n, kind(2)) == "n // 2"
    assert tirx.if_then_else(n < kind(2), n, kind(2)) == tirx.if_then_else(n < 2, n, 2)
