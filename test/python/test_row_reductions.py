# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions of rows: terms that lie side by side, in sums that are computed together."""

import numpy as np
import pytest

import partita

runtime = pytest.importorskip("partita.runtime")

DTYPES = {"f32": "float32", "f64": "float64", "i32": "int32", "i64": "int64", "i8": "int8"}
# What eight, two and one rows at a time make of them.
ROWS = [0, 1, 2, 7, 8, 9, 27]


def compile_main(op, attributes, dtype, rows, columns, result=None):
    known = isinstance(rows, int) and isinstance(columns, int)
    sizes = [rows, columns]
    kinds = []
    for shape, element in ((sizes, dtype), (sizes[:1], result or dtype)):
        extents = "".join(f"{size if isinstance(size, int) else '?'}x" for size in shape)
        names = str(shape).replace("'", '"')
        kinds.append(f"tensor<{extents}{element}{'' if known else f', #relax.shape<{names}>'}>")
    operands = f"({kinds[0]})" if result else kinds[0]
    mod = partita.IRModule.from_text(
        f"""partita.module {{
          relax.func @main(%x: {kinds[0]}) -> {kinds[1]} {{
            %0 = relax.{op} %x {{{attributes}}} : {operands} -> {kinds[1]}
            relax.return %0 : {kinds[1]}
          }}
        }}"""
    )
    return partita.compile(mod)["main"]


def make_array(dtype, rows, columns):
    rng = np.random.default_rng(rows * 100 + columns)
    return (rng.standard_normal((rows, columns)) * 20).astype(DTYPES[dtype])


def add_in_order(x):
    return np.add.accumulate(np.pad(x, ((0, 0), (1, 0))), axis=1, dtype=x.dtype)[:, -1]


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_keep_the_order_of_their_terms(dtype):
    main = compile_main("sum", "axis = array<i64: 1>", dtype, "n", "m")
    for rows in ROWS:
        for columns in (0, 1, 5, 100):
            x = make_array(dtype, rows, columns)
            np.testing.assert_array_equal(main(x), add_in_order(x))


@pytest.mark.parametrize("rows", [1, 3, 5, 8, 11, 24])
def test_sums_of_known_sizes(rows):
    x = make_array("f32", rows, 37)
    main = compile_main("sum", "axis = array<i64: 1>", "f32", rows, 37)
    np.testing.assert_array_equal(main(x), add_in_order(x))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["max", "min"])
def test_extremes(op, dtype):
    main = compile_main(op, "axis = array<i64: 1>", dtype, "n", "m")
    for rows in ROWS:
        for columns in (1, 7, 8, 9, 100):
            x = make_array(dtype, rows, columns)
            np.testing.assert_array_equal(main(x), getattr(np, op)(x, axis=1))


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("op", ["max", "min"])
def test_extremes_of_special_numbers(op, dtype):
    columns = 21
    x = make_array(dtype, columns, columns)
    np.fill_diagonal(x, np.nan)
    main = compile_main(op, "axis = array<i64: 1>", dtype, "n", columns)
    assert np.isnan(main(x)).all()
    np.fill_diagonal(x, np.inf)
    x[range(columns), (np.arange(columns) + 9) % columns] = -np.inf
    np.testing.assert_array_equal(main(x), getattr(np, op)(x, axis=1))
    x[:] = -np.inf if op == "max" else np.inf
    np.testing.assert_array_equal(main(x), x[:, 0])


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_terms_are_computed_as_vectors(dtype):
    rows = f'tensor<?x?x{dtype}, #relax.shape<["n", "m"]>>'
    sums = f'tensor<?x{dtype}, #relax.shape<["n"]>>'
    mod = partita.IRModule.from_text(
        f"""partita.module {{
          relax.func @terms(%x: {rows}) -> {rows} {{
            %0 = relax.exp %x : {rows}
            relax.return %0 : {rows}
          }}
          relax.func @main(%x: {rows}) -> {sums} {{
            %0 = relax.exp %x : {rows}
            %1 = relax.sum %0 {{axis = array<i64: 1>}} : {rows} -> {sums}
            relax.return %1 : {sums}
          }}
        }}"""
    )
    with partita.transform.PassContext(opt_level=3):
        ex = partita.compile(mod)
    for rows in ROWS:
        for columns in (0, 1, 7, 8, 9, 100):
            x = make_array(dtype, rows, columns) / 10
            np.testing.assert_array_equal(ex["main"](x), add_in_order(ex["terms"](x)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", ["argmax", "argmin"])
def test_positions(op, dtype):
    main = compile_main(op, "axis = 1", dtype, "n", "m", "i64")
    for rows in ROWS:
        # Of equal elements, the first counts.
        x = make_array(dtype, rows, 50) // 8
        np.testing.assert_array_equal(main(x), getattr(np, op)(x, axis=1))


def test_threads_change_no_bit():
    main = compile_main("sum", "axis = array<i64: 1>", "f32", "n", "m")
    before = runtime.get_num_threads()
    try:
        for rows in (1, 9, 700):
            x = make_array("f32", rows, 5000)
            for threads in (1, 2, 7):
                runtime.set_num_threads(threads)
                np.testing.assert_array_equal(main(x), add_in_order(x))
    finally:
        runtime.set_num_threads(before)
