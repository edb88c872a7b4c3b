# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over exp, which become calls of functions on vectors, and over similar functions."""

import math

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
@pytest.mark.parametrize("op", ["exp", "erf", "log", "sin", "cos", "tanh", "power"])
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
        function = np.vectorize(math.erf) if op == "erf" else getattr(np, op)
        exact = function(*(arg.astype(np.longdouble) for arg in args)).astype(name)
    result = make(op, dtype, len(args))(*args)
    finite = np.isfinite(exact)
    np.testing.assert_array_equal(result[~finite], exact[~finite])
    np.testing.assert_array_max_ulp(result[finite], exact[finite], maxulp=3)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("op", ["exp", "erf", "tanh", "sin", "cos", "sigmoid", "nn.gelu"])
def test_sizes_change_no_bit(op, dtype):
    main = make(op, dtype, 1)
    name = {"f32": "float32", "f64": "float64"}[dtype]
    x = np.concatenate([SPECIAL, np.random.default_rng(0).standard_normal(800)]).astype(name)
    expected = main(x)
    for count in (1, 3, 7, 8, 100):
        parts = [main(x[begin : begin + count]) for begin in range(0, len(x), count)]
        np.testing.assert_array_equal(np.concatenate(parts), expected)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_vectors_of_two_dtypes(dtype):
    """A loop over floats and doubles has vectors of few floats, or none."""
    other = {"f32": "f64", "f64": "f32"}[dtype]
    kinds = [f'tensor<?x{one}, #relax.shape<["n"]>>' for one in (dtype, other)]
    mod = partita.IRModule.from_text(
        f"""partita.module {{
          relax.func @main(%x: {kinds[0]}) -> {kinds[1]} {{
            %0 = relax.exp %x : {kinds[0]}
            %1 = relax.astype %0 : {kinds[0]} -> {kinds[1]}
            relax.return %1 : {kinds[1]}
          }}
        }}"""
    )
    with partita.transform.PassContext(opt_level=3):
        main = partita.compile(mod)["main"]
    name, other = ({"f32": "float32", "f64": "float64"}[one] for one in (dtype, other))
    x = np.random.default_rng(0).standard_normal(1003).astype(name)
    np.testing.assert_array_equal(main(x), make("exp", dtype, 1)(x).astype(other))


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
