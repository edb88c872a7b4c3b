# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over exp, which become calls of functions on vectors, and over similar functions."""

import numpy as np
import pytest

import partita

runtime = pytest.importorskip("partita.runtime")

SPECIAL = [
    0,
    -0.0,
    1,
    -1,
    np.inf,
    -np.inf,
    np.nan,
    1e-40,
    -1e-40,
    88.7,
    89,
    -87,
    -104,
    709,
    710,
    -745,
]
# A length that leaves a part of a vector over.
COUNT = 4103


def make(op, dtype, num_params):
    kind = f'tensor<?x{dtype}, #relax.shape<["n"]>>'
    params = ", ".join(f"%{name}: {kind}" for name in "xy"[:num_params])
    types = kind if num_params == 1 else f"{kind}, {kind} -> {kind}"
    operands = ", ".join(f"%{name}" for name in "xy"[:num_params])
    mod = partita.IRModule.from_text(
        f"""partita.module {{
          relax.func @main({params}) -> {kind} {{
            %0 = relax.{op} {operands} : {types}
            relax.return %0 : {kind}
          }}
        }}"""
    )
    return partita.compile(mod)["main"]


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("op", ["exp", "log", "sin", "cos", "tanh", "power"])
def test_accuracy(op, dtype):
    name = {"f32": "float32", "f64": "float64"}[dtype]
    rng = np.random.default_rng(0)
    x = np.concatenate(
        [
            SPECIAL,
            rng.uniform(-100, 100, 2000),
            10 ** rng.uniform(-30, 30, 2000),
            -SPECIAL[4] * np.ones(1),
        ]
    )
    args = [np.resize(x, COUNT).astype(name)]
    if op == "power":
        args.append(np.resize([*SPECIAL, *(rng.standard_normal(997) * 3)], COUNT).astype(name))
    with np.errstate(all="ignore"):
        exact = getattr(np, op)(*(arg.astype(np.longdouble) for arg in args)).astype(name)
    result = make(op, dtype, len(args))(*args)
    finite = np.isfinite(exact)
    np.testing.assert_array_equal(result[~finite], exact[~finite])
    np.testing.assert_array_max_ulp(result[finite], exact[finite], maxulp=3)


@pytest.mark.parametrize("count", [1, 129, 10_007, 400_000])
def test_threads_change_no_bit(count):
    main = make("exp", "f32", 1)
    x = np.random.default_rng(count).standard_normal(count, dtype="float32")
    before = runtime.get_num_threads()
    try:
        runtime.set_num_threads(1)
        expected = main(x)
        for threads in (2, 3, 7):
            runtime.set_num_threads(threads)
            np.testing.assert_array_equal(main(x), expected)
    finally:
        runtime.set_num_threads(before)
