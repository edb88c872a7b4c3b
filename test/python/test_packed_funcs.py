# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled code calls packed functions of the caller."""

import gc
import resource
import threading
import weakref

import numpy as np
import pytest

import partita
from partita.packed_funcs import DEFAULT_PACKED_FUNCS

pytest.importorskip("partita.runtime")

X = np.arange(8, dtype="float32").reshape(2, 4)
ROWS = 'tensor<?x4xf32, #relax.shape<["n", 4]>>'


def compile_main(body, result, params=f"%x: {ROWS}", **kwargs):
    mod = partita.IRModule.from_text(f"""
        partita.module {{
          relax.func @main({params}) -> {result} attributes {{is_pure = false}} {{
            %f = relax.extern_func "test.f"
            {body}
          }}
        }}""")
    return partita.compile(mod, **kwargs)


def call_pure(result=ROWS):
    return f"""
        %y = relax.call_pure_packed(%f, %x) : (!relax.object, {ROWS}) -> {result}
        relax.return %y : {result}"""


def compile_pure(f, result=ROWS, **kwargs):
    return compile_main(call_pure(result), result, packed_funcs={"test.f": f}, **kwargs)


CALL_DPS = f"""
    %0 = relax.tuple(%x, %x) : {ROWS}, {ROWS}
    %y = relax.call_dps_packed(%f, %0) : (!relax.object, tuple<{ROWS}, {ROWS}>) -> {ROWS}
    relax.return %y : {ROWS}"""


@pytest.mark.parametrize("pipeline", ["default", "zero", "default_build", None])
def test_destination(pipeline):
    def add(a, b, out):
        assert not a.flags.writeable and out.flags.writeable
        out[:] = a + 2 * b

    ex = compile_main(CALL_DPS, ROWS, packed_funcs={"test.f": add}, relax_pipeline=pipeline)
    np.testing.assert_array_equal(ex["main"](X), 3 * X)
    np.testing.assert_array_equal(ex["main"](X[:0]), X[:0])


@pytest.mark.parametrize("pipeline", ["default", "default_build"])
def test_functions_in_python_by_their_names(pipeline):
    ex = compile_main(
        f"""
        %name = relax.string "my_sum"
        %0 = relax.tuple(%x, %x) : {ROWS}, {ROWS}
        %y = relax.call_py_func(%name, %0) : (!relax.object, tuple<{ROWS}, {ROWS}>) -> {ROWS}
        relax.return %y : {ROWS}""",
        ROWS,
        packed_funcs={"my_sum": lambda a, b: a + 2 * b},
        relax_pipeline=pipeline,
    )
    np.testing.assert_array_equal(ex["main"](X), 3 * X)


@pytest.mark.parametrize("pipeline", ["default", "default_build"])
def test_a_tuple_with_a_name_is_one_argument(pipeline):
    def add(pair, out):
        out[:] = pair[0] + pair[1]

    body = CALL_DPS.replace("%0", "%pair")
    ex = compile_main(body, ROWS, packed_funcs={"test.f": add}, relax_pipeline=pipeline)
    np.testing.assert_array_equal(ex["main"](X), 2 * X)


def test_results_are_copied():
    held = X + 1
    ex = compile_pure(lambda x: held)
    result = ex["main"](X)
    np.testing.assert_array_equal(result, X + 1)
    result[:] = 0
    np.testing.assert_array_equal(held, X + 1)
    # Arguments are, too: those that a function keeps stay as they are.
    kept = []
    ex = compile_pure(lambda x: kept.append(x) or x)
    x = X.copy()
    for _ in range(3):
        ex["main"](x)
        x += 1
    np.testing.assert_array_equal(kept[0], X)
    np.testing.assert_array_equal(kept[2], X + 2)
    # Strides are right.
    np.testing.assert_array_equal(compile_pure(lambda x: x[::-1])["main"](X), X[::-1])


def test_kinds_of_arguments():
    seen = []
    ex = compile_main(
        f"""
        %i = relax.prim_value 3 : i64
        %h = relax.prim_value 2.5 : f32
        %b = relax.prim_value true
        %s = relax.shape ["n", 4]
        %c = relax.string "Grüße"
        %d = relax.dtype bf16
        %t = relax.tuple(%x, %i) : {ROWS}, i64
        %u = relax.call_value(%f, %x, %i, %h, %b, %s, %c, %d, %t)
          : (!relax.object, {ROWS}, i64, f32, i1, !relax.shape<["n", 4]>, !relax.object,
             !relax.object, tuple<{ROWS}, i64>) -> !relax.object
        relax.return %x : {ROWS}""",
        ROWS,
        packed_funcs={"test.f": lambda *args: seen.extend(args)},
    )
    ex["main"](X)
    x, *numbers, pair = seen
    np.testing.assert_array_equal(x, X)
    assert numbers == [3, 2.5, True, (2, 4), "Grüße", "bfloat16"]
    np.testing.assert_array_equal(pair[0], X)
    assert pair[1] == 3


@pytest.mark.parametrize(
    ("result", "value"),
    [
        ("i64", -3),
        ("i1", True),
        ("f32", 1.5),
        ("!relax.shape<[2, -1]>", (2, 7)),
        ("tuple<i8, tuple<i64, f64>>", (-5, (6, 0.25))),
        ("tuple<>", ()),
    ],
)
def test_kinds_of_results(result, value):
    result = result.replace("-1", "?")
    assert compile_pure(lambda x: value, result)["main"](X) == value


@pytest.mark.parametrize("dtype", ["float16", "float64", "int8", "uint8", "int64", "bool"])
def test_dtypes(dtype):
    names = {"float": "f", "int": "i", "uint": "ui", "bool": "i1"}
    kind = dtype.rstrip("0123456789")
    type_ = f"tensor<4x{names[kind]}{dtype[len(kind) :]}>"
    x = np.array([0, 1, 1, 0], dtype)
    ex = compile_main(
        f"""
        %y = relax.call_pure_packed(%f, %x) : (!relax.object, {type_}) -> {type_}
        relax.return %y : {type_}""",
        type_,
        f"%x: {type_}",
        packed_funcs={"test.f": lambda x: x[::-1][:4]},
    )
    result = ex["main"](x)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, x[::-1])


def test_tuples_of_tensors():
    pair = f"tuple<{ROWS}, tensor<?xi1>>"
    y, small = compile_pure(lambda x: [x * 2, np.array([True, False])], pair)["main"](X)
    np.testing.assert_array_equal(y, X * 2)
    np.testing.assert_array_equal(small, [True, False])


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (lambda x: x.astype("float64"), TypeError, "result of 'test.f' to have dtype float32"),
        (lambda x: x[:, :2], ValueError, r"to have shape \(n, 4\), but found \(2, 2\)"),
        (lambda x: x[:1], RuntimeError, "dimension 0 of the result of 'test.f' in 'main' to be n"),
        (lambda x: None, RuntimeError, "'test.f' to return a result, but found none"),
        (lambda x: "text", TypeError, "to be a tensor, but found a str"),
        (lambda x: [1], TypeError, "to be a tensor, but found a tuple"),
        (lambda x: 1 / 0, ZeroDivisionError, "division by zero"),
        (lambda x, y: x, TypeError, "missing 1 required positional argument"),
        (lambda x: x.fill(0), ValueError, "read-only"),
    ],
)
def test_errors(f, error, message):
    ex = compile_pure(f)
    for _ in range(2):
        with pytest.raises(error, match=message):
            ex["main"](X)


def test_unknown_functions(tmp_path):
    def check(ex):
        with pytest.raises(KeyError, match=r"expected a function 'test.f' in packed_funcs"):
            ex["main"](X)

    ex = compile_main(call_pure(), ROWS)
    check(ex)
    ex.save(tmp_path / "f.o")
    check(partita.runtime.load(tmp_path / "f.o"))
    loaded = partita.runtime.load(tmp_path / "f.o", packed_funcs={"test.f": np.negative})
    np.testing.assert_array_equal(loaded["main"](X), -X)
    with pytest.raises(TypeError, match=r"expected packed_funcs\['test.f'\] to be callable"):
        partita.runtime.load(tmp_path / "f.o", packed_funcs={"test.f": 3})


def test_nested_calls_and_threads():
    inner = compile_pure(np.exp)

    def f(x):
        if x[0, 0] > 5:
            raise RuntimeError(f"found {x[0, 0]}")
        try:
            inner["main"](np.full((1, 4), 6, "float32"))
        finally:
            return inner["main"](x)

    ex = compile_pure(f)
    wrong = []

    def run(seed):
        for i in range(200):
            x = np.full((3, 4), (seed + i) % 10, "float32")
            try:
                if not np.array_equal(ex["main"](x), np.exp(x)):
                    wrong.append(x)
            except RuntimeError as error:
                if str(error) != f"found {x[0, 0]}":
                    wrong.append(error)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_memory():
    class Owner:
        def __init__(self):
            self.ex = compile_pure(self.call)

        def call(self, x):
            if len(x) == 3:
                raise ValueError
            return x[:, ::-1]

    owner = Owner()
    x = np.zeros((50000, 4), "float32")

    def run(owner, count):
        for _ in range(count):
            owner.ex["main"](x)
            with pytest.raises(ValueError):
                owner.ex["main"](x[:3])
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = run(owner, 50)
    # 800 kB a call.
    assert run(owner, 500) - before < 50_000
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None


def test_invalid_calls():
    for call, message in [
        ('call_pure_packed(%f, %x) "a.B" {k = 1 : i64}', "without attributes"),
        ("call_pure_packed(%x, %x)", "expected a call of a relax.extern_func"),
    ]:
        operand = ROWS if "%x, %x" in call else "!relax.object"
        with pytest.raises(partita.transform.PassError, match=message):
            compile_main(
                f"%y = relax.{call} : ({operand}, {ROWS}) -> {ROWS}\nrelax.return %y : {ROWS}", ROWS
            )


#
# Objects
#

CACHE = """
    partita.module {
      relax.func @create() -> !relax.object attributes {is_pure = false} {
        %f = relax.extern_func "cache.create"
        %0 = relax.prim_value 3 : i64
        %cache = relax.call_value(%f, %0) : (!relax.object, i64) -> !relax.object
        relax.return %cache : !relax.object
      }
      relax.func @append(%cache: !relax.object, %x: tensor<2xf32>)
          -> (tensor<?x2xf32, #relax.shape<["n", 2]>>, tuple<!relax.object>)
          attributes {is_pure = false} {
        %f = relax.extern_func "cache.append"
        %g = relax.extern_func "cache.view"
        %next = relax.call_value(%f, %cache, %x)
          : (!relax.object, !relax.object, tensor<2xf32>) -> !relax.object
        %view = relax.call_value(%g, %next) : (!relax.object, !relax.object) -> !relax.object
        %all = relax.match_cast %view : !relax.object -> tensor<?x2xf32, #relax.shape<["n", 2]>>
        %state = relax.tuple(%next) : !relax.object
        relax.return %all, %state : tensor<?x2xf32, #relax.shape<["n", 2]>>, tuple<!relax.object>
      }
    }"""


class Cache:
    def __init__(self, size):
        self.size, self.rows = size, []

    def append(self, x):
        self.rows.append(x)
        return self

    def view(self):
        return np.array(self.rows, "float32").reshape(-1, 2)


CACHE_FUNCS = {"cache.create": Cache, "cache.append": Cache.append, "cache.view": Cache.view}


@pytest.mark.parametrize("pipeline", ["default", "zero", None])
def test_objects(pipeline, tmp_path):
    ex = partita.compile(
        partita.IRModule.from_text(CACHE), packed_funcs=CACHE_FUNCS, relax_pipeline=pipeline
    )
    ex.save(tmp_path / "cache.o")
    for executable in (
        ex,
        partita.runtime.load(tmp_path / "cache.o", packed_funcs=CACHE_FUNCS),
    ):
        cache = executable["create"]()
        assert isinstance(cache, Cache) and cache.size == 3
        for step in range(1, 4):
            view, (same,) = executable["append"](cache, np.full(2, step, "float32"))
            assert same is cache
            np.testing.assert_array_equal(view, [[i, i] for i in range(1, step + 1)])
    assert str(executable["append"]).startswith("<function append(cache: object, x: float32[2])")


def test_objects_are_freed():
    ex = partita.compile(partita.IRModule.from_text(CACHE), packed_funcs=CACHE_FUNCS)
    cache = ex["create"]()
    dead = weakref.ref(cache)
    ex["append"](cache, np.zeros(2, "float32"))
    del cache
    gc.collect()
    assert dead() is None


def test_objects_of_all_kinds():
    params = "%x: !relax.object, %c: tensor<i1>"
    body = """
        %null = relax.null_value : () -> !relax.object
        %y = relax.if %c : tensor<i1> -> !relax.object {
          relax.yield %x : !relax.object
        } else {
          relax.yield %null : !relax.object
        }
        %z = relax.call_value(%f, %y) : (!relax.object, !relax.object) -> !relax.object
        %0 = relax.tuple(%y, %z) : !relax.object, !relax.object
        relax.return %0 : tuple<!relax.object, !relax.object>"""
    main = compile_main(
        body,
        "tuple<!relax.object, !relax.object>",
        params=params,
        packed_funcs={"test.f": lambda x: x},
    )["main"]
    for x in (X, "text", 3, 2**70, None, (1, [2]), main, object()):
        same, also = main(x, np.array(True))
        assert same is x and also is x
        assert main(x, np.array(False)) == (None, None)


def test_an_object_in_a_list_stays():
    """Even if the packed function empties the list."""
    body = """
        %0 = relax.tuple_get_item %x[0] : tuple<!relax.object>
        %unused = relax.call_value(%f) : (!relax.object) -> tuple<>
        relax.return %0 : !relax.object"""
    items = [Cache(1)]
    main = compile_main(
        body,
        "!relax.object",
        params="%x: tuple<!relax.object>",
        packed_funcs={"test.f": lambda: (items.clear(), gc.collect()) and None},
    )["main"]
    assert main(items).size == 1


def test_functions_as_arguments():
    """TVM's LazyGetInput and LazySetOutput make such functions."""
    mod = partita.IRModule.from_text("""
        partita.module {
          relax.func @transform_params(%p: tensor<2xf32>, %q: tensor<2xf32>)
              -> (tensor<2xf32>, tensor<2xf32>) {
            %0 = relax.add %p, %q : tensor<2xf32>
            relax.return %0, %q : tensor<2xf32>, tensor<2xf32>
          }
        }""")
    lazy = partita.transform.Sequential(
        [partita.relax.transform.LazyGetInput(), partita.relax.transform.LazySetOutput()]
    )(mod)
    transform = partita.compile(lazy)["transform_params"]
    params = {"p": np.ones(2, "float32"), "q": np.full(2, 3, "float32")}
    got, asked = {}, []

    def get(index, name):
        asked.append((index, name))
        return params[name]

    assert transform(get, lambda index, value: got.__setitem__(index, value)) == ()
    assert sorted(asked) == [(0, "p"), (1, "q")]
    np.testing.assert_array_equal(got[0], [4, 4])
    np.testing.assert_array_equal(got[1], [3, 3])
    with pytest.raises(TypeError, match="to be a function, as the code calls it"):
        transform(3, print)
    with pytest.raises(TypeError, match="expected the result of 'a function that the caller gave'"):
        transform(lambda index, name: "text", print)
    with pytest.raises(ZeroDivisionError):
        transform(lambda index, name: 1 / 0, print)


def test_functions_of_ops(capfd):
    """What LegalizeOps leaves to TVM's packed functions."""
    mod = partita.IRModule.from_text("""
        partita.module {
          relax.func @main(%x: tensor<2x3xf32>, %c: tensor<i1>)
              -> (tensor<?xf32>, tuple<tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>>,
                  tensor<?x?xi64>) attributes {is_pure = false} {
            %text = relax.string "x[0] = {0[0][0]}"
            relax.print %text, %x : !relax.object, tensor<2x3xf32>
            %none = relax.string ""
            relax.print %none, %c : !relax.object, tensor<i1>
            %xc = relax.tuple(%c, %c) : tensor<i1>, tensor<i1>
            %tuple = relax.string "tuple {}"
            relax.print %tuple, %xc : !relax.object, tuple<tensor<i1>, tensor<i1>>
            %why = relax.string "sum of {}"
            relax.assert_op %c, %why, %x : tensor<i1>, !relax.object, tensor<2x3xf32>
            %t = relax.prim_value true
            %f = relax.prim_value false
            %u = relax.unique %x, %f, %f, %f, %f
              : (tensor<2x3xf32>, i1, i1, i1, i1) -> tensor<?xf32>
            %v:4 = relax.unique %x, %t, %t, %t, %t
              : (tensor<2x3xf32>, i1, i1, i1, i1)
              -> (tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
            %vs = relax.tuple(%v#0, %v#1, %v#2, %v#3)
              : tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
            %n = relax.nonzero %x : (tensor<2x3xf32>) -> tensor<?x?xi64>
            relax.return %u, %vs, %n : tensor<?xf32>,
              tuple<tensor<?xf32>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>>, tensor<?x?xi64>
          }
        }""")
    main = partita.compile(mod)["main"]
    x = np.array([[3, 0, 3], [2, 0, 2]], "float32")
    u, v, n = main(x, np.array(True))
    assert capfd.readouterr().out == "x[0] = 3.0\nTrue\ntuple (True, True)\n"
    np.testing.assert_array_equal(u, [3, 0, 2])
    expected = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    for found, part in zip(v, expected, strict=True):
        np.testing.assert_array_equal(found, part.reshape(-1))
    np.testing.assert_array_equal(n, np.nonzero(x))
    with pytest.raises(AssertionError, match=r"sum of \[\[3\. 0\. 3\.\]"):
        main(x, np.array(False))
    # The caller's own goes before.
    texts = []
    mine = partita.compile(mod, packed_funcs={"relax.run.print": lambda *args: texts.append(args)})
    mine["main"](x, np.array(True))
    assert [args[0] for args in texts] == ["x[0] = {0[0][0]}", "", "tuple {}"]


def test_arrays_are_freed_during_a_call():
    """Only what the code keeps as an object lives until its call ends."""
    gone = []

    class Array(np.ndarray):
        def __del__(self):
            gone.append(1)

    def f(x):
        freed.append(len(gone))
        return (x + 1).view(Array)

    freed = []
    call = "relax.call_value(%f, {}) : (!relax.object, tensor<4xf32>) -> tensor<4xf32>"
    body = f"""
        %a = {call.format("%x")}
        %b = {call.format("%a")}
        %c = {call.format("%b")}
        relax.return %c : tensor<4xf32>"""
    main = compile_main(
        body, "tensor<4xf32>", params="%x: tensor<4xf32>", packed_funcs={"test.f": f}
    )["main"]
    np.testing.assert_array_equal(main(np.zeros(4, "float32")), [3, 3, 3, 3])
    assert freed == [0, 1, 2]


#
# Values that become objects
#


def run_main(text, *args, **packed_funcs):
    ex = partita.compile(partita.IRModule.from_text(text), packed_funcs=packed_funcs)
    return ex["main"](*args)


def test_tensors_as_objects():
    both = "tuple<!relax.object, !relax.object>"
    main = compile_main(
        f"""
        %one = relax.call_value(%f, %x) : (!relax.object, {ROWS}) -> {ROWS}
        %n = relax.prim_value 3 : i64
        %s = relax.shape ["n", 4]
        %text = relax.string "text"
        %all = relax.tuple(%one, %n, %s, %text)
          : {ROWS}, i64, !relax.shape<["n", 4]>, !relax.object
        %0 = relax.match_cast %all
          : tuple<{ROWS}, i64, !relax.shape<["n", 4]>, !relax.object> -> !relax.object
        %1 = relax.match_cast %x : {ROWS} -> !relax.object
        %2 = relax.tuple(%0, %1) : !relax.object, !relax.object
        relax.return %2 : {both}""",
        both,
        packed_funcs={"test.f": lambda x: x + 1},
    )["main"]
    (array, *rest), x = main(X)
    np.testing.assert_array_equal(array, X + 1)
    assert rest == [3, (2, 4), "text"]
    # They belong to the caller, and are others than the argument.
    x += 5
    np.testing.assert_array_equal(x, X + 5)
    assert X[0, 0] == 0


def test_objects_as_tensors():
    main = compile_main(
        f"""
        %c = relax.match_cast %c0 : !relax.object -> tensor<i1>
        %y = relax.if %c : tensor<i1> -> !relax.object {{
          %0 = relax.call_value(%f, %x) : (!relax.object, !relax.object) -> !relax.object
          relax.yield %0 : !relax.object
        }} else {{
          relax.yield %x : !relax.object
        }}
        %z = relax.match_cast %y : !relax.object -> {ROWS}
        %w = relax.add %z, %z : {ROWS}
        relax.return %w : {ROWS}""",
        ROWS,
        params="%x: !relax.object, %c0: !relax.object",
        packed_funcs={"test.f": lambda x: -x},
    )["main"]
    np.testing.assert_array_equal(main(X, np.array(True)), -2 * X)
    np.testing.assert_array_equal(main(X, np.array(False)), 2 * X)
    for wrong, message in [
        (X[:, :3], r"a match_cast in 'main' to have shape \(n, 4\), but found \(2, 3\)"),
        (X[0], r"to have shape \(n, 4\), but found \(4,\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            main(wrong, np.array(False))
    with pytest.raises(TypeError, match="a match_cast in 'main' to have dtype float32"):
        main(X.astype(int), np.array(False))
    with pytest.raises(TypeError, match="a match_cast in 'main' to be a tensor, but found a str"):
        main("text", np.array(False))


UNKNOWN = """
    partita.module {
      relax.func @main(%x: !relax.tensor<*, ?>, %y: !relax.tensor<["n", 2], ?>, %s: !relax.shape<*>)
          -> (!relax.tensor<*, ?>, tensor<?xf32, #relax.shape<["n"]>>, !relax.shape<[?, ?]>,
              !relax.tensor<["n * 2"], ?>, !relax.shape<*>) {
        %0 = relax.match_cast %x : !relax.tensor<*, ?> -> tensor<?xf32, #relax.shape<["n"]>>
        %1 = relax.exp %0 : tensor<?xf32, #relax.shape<["n"]>>
        %2 = relax.shape_of %y : (!relax.tensor<["n", 2], ?>) -> !relax.shape<[?, ?]>
        %3 = relax.shape ["n * 2"]
        %4 = relax.reshape %y, %3 : !relax.tensor<["n", 2], ?> -> !relax.tensor<["n * 2"], ?>
        relax.return %x, %1, %2, %4, %s : !relax.tensor<*, ?>, tensor<?xf32, #relax.shape<["n"]>>,
          !relax.shape<[?, ?]>, !relax.tensor<["n * 2"], ?>, !relax.shape<*>
      }
    }"""


def test_unknown_ranks_and_dtypes():
    main = partita.compile(partita.IRModule.from_text(UNKNOWN))
    main = main["main"]
    assert str(main).startswith("<function main(x: tensor, y: tensor[n, 2], s: shape) -> (tensor, ")
    x = np.arange(3, dtype="float32")
    for dtype in ("int8", "float64", "bool"):
        y = np.arange(6).reshape(3, 2).astype(dtype)
        same, exp, shape, flat, sizes = main(x, y, (7, 1))
        assert same is x and shape == (3, 2) and sizes == (7, 1)
        np.testing.assert_allclose(exp, np.exp(x), rtol=1e-6)
        np.testing.assert_array_equal(flat, y.reshape(-1))
        assert flat.dtype == dtype
    y = np.zeros((3, 2))
    for args, error, message in [
        ((x, 3, ()), TypeError, "argument 'y' of 'main' to be a tensor, but found an integer"),
        (
            (x, y[:, :1], ()),
            ValueError,
            r"'y' of 'main' to have shape \(n, 2\), but found \(3, 1\)",
        ),
        ((x, y, x), TypeError, "argument 's' of 'main' to be a shape, but found a tensor"),
        ((x[:2], y, ()), RuntimeError, "dimension 0 of a match_cast in 'main' to be n"),
        (
            (y.astype("float32"), y, ()),
            ValueError,
            r"a match_cast in 'main' to have shape \(n,\), but found \(3, 2\)",
        ),
    ]:
        with pytest.raises(error, match=message):
            main(*args)


CLOSURES = """
    partita.module {
      relax.func private @add(%a: tensor<?xf32, #relax.shape<["n"]>>,
                              %b: tensor<?xf32, #relax.shape<["n"]>>)
          -> tensor<?xf32, #relax.shape<["n"]>> {
        %0 = relax.add %a, %b : tensor<?xf32, #relax.shape<["n"]>>
        relax.return %0 : tensor<?xf32, #relax.shape<["n"]>>
      }
      relax.func private @make(%b: tensor<?xf32, #relax.shape<["n"]>>) -> !relax.object {
        %f = relax.global @add
        %0 = relax.tuple(%b) : tensor<?xf32, #relax.shape<["n"]>>
        %c = relax.make_closure(%f, %0)
          : (!relax.object, tuple<tensor<?xf32, #relax.shape<["n"]>>>) -> !relax.object
        relax.return %c : !relax.object
      }
      relax.func private @apply(%c: !relax.object, %x: tensor<2xf32>) -> tensor<2xf32>
          attributes {is_pure = false} {
        %0 = relax.tuple(%x) : tensor<2xf32>
        %y = relax.invoke_closure(%c, %0) ty_args = [tensor<2xf32>]
          : (!relax.object, tuple<tensor<2xf32>>) -> tensor<2xf32>
        relax.return %y : tensor<2xf32>
      }
      relax.func @main(%x: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, !relax.object)
          attributes {is_pure = false} {
        %c = relax.call @make(%b) : (tensor<2xf32>) -> !relax.object
        %y = relax.call @apply(%c, %x) {is_pure = false} : (!relax.object, tensor<2xf32>) -> tensor<2xf32>
        relax.return %y, %c : tensor<2xf32>, !relax.object
      }
      relax.func @given(%c: !relax.object, %x: tensor<2xf32>) -> tensor<2xf32>
          attributes {is_pure = false} {
        %y = relax.call @apply(%c, %x) {is_pure = false} : (!relax.object, tensor<2xf32>) -> tensor<2xf32>
        relax.return %y : tensor<2xf32>
      }
    }"""


@pytest.mark.parametrize("pipeline", ["default", "zero", "default_build"])
def test_closures(pipeline, tmp_path):
    ex = partita.compile(partita.IRModule.from_text(CLOSURES), relax_pipeline=pipeline)
    if pipeline != "default_build":
        assert set(ex) == {"main", "given"}
    ex.save(tmp_path / "closures.o")
    x, b = np.array([1, 2], "float32"), np.array([10, 20], "float32")
    for executable in (ex, partita.runtime.load(tmp_path / "closures.o")):
        y, closure = executable["main"](x, b)
        np.testing.assert_array_equal(y, [11, 22])
        assert repr(closure).startswith("<closure ")
        b[:] = 0
        # The closure outlives its call, and is called here or by the code.
        np.testing.assert_array_equal(closure(x), [11, 22])
        np.testing.assert_array_equal(executable["given"](closure, x), [11, 22])
        np.testing.assert_array_equal(executable["given"](lambda x: x * 3, x), [3, 6])
        with pytest.raises(ValueError, match="expected 'n' to be the same in"):
            closure(np.zeros(3, "float32"))
        with pytest.raises(TypeError, match="expected 2 arguments of 'add', but found 3"):
            closure(x, x)
        with pytest.raises(TypeError, match="to be a function, as the code calls it"):
            executable["given"](3, x)
        b[:] = [10, 20]


def test_closures_hold_the_code():
    ex = partita.compile(partita.IRModule.from_text(CLOSURES))
    x = np.ones(2, "float32")
    closure = ex["main"](x, x)[1]
    gone = weakref.ref(ex)
    del ex
    # Without a circle: the code is freed with the last closure.
    assert gone() is None
    np.testing.assert_array_equal(closure(x), [2, 2])


def test_functions_as_values():
    """A function of the module, and a closure that is given to another function."""
    result = run_main(
        """
        partita.module {
          relax.func private @twice(%f: !relax.callable<(tensor<2xf32>) -> tensor<2xf32>>,
                                    %x: tensor<2xf32>) -> tensor<2xf32> {
            %0 = relax.call_value(%f, %x) {is_pure = true}
              : (!relax.callable<(tensor<2xf32>) -> tensor<2xf32>>, tensor<2xf32>) -> tensor<2xf32>
            %1 = relax.call_value(%f, %0) {is_pure = true}
              : (!relax.callable<(tensor<2xf32>) -> tensor<2xf32>>, tensor<2xf32>) -> tensor<2xf32>
            relax.return %1 : tensor<2xf32>
          }
          relax.func private @square(%x: tensor<2xf32>) -> tensor<2xf32> {
            %0 = relax.multiply %x, %x : tensor<2xf32>
            relax.return %0 : tensor<2xf32>
          }
          relax.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
            %f = relax.global @square : !relax.callable<(tensor<2xf32>) -> tensor<2xf32>>
            %y = relax.call @twice(%f, %x)
              : (!relax.callable<(tensor<2xf32>) -> tensor<2xf32>>, tensor<2xf32>) -> tensor<2xf32>
            relax.return %y : tensor<2xf32>
          }
        }""",
        np.array([2, 3], "float32"),
    )
    np.testing.assert_array_equal(result, [16, 81])


def test_inplace_calls():
    def f(x, y):
        assert x.flags.writeable and not y.flags.writeable
        x += y
        return x

    def call(x):
        attrs = '"relax.attrs.CallInplacePackedAttrs" {inplace_indices = array<i64: 0>}'
        types = f"(!relax.object, {ROWS}, {ROWS}) -> {ROWS}"
        return f"relax.call_inplace_packed(%f, {x}, %x) {attrs} : {types}"

    body = f"""
        %y = {call("%x")}
        %z = {call("%y")}
        relax.return %z : {ROWS}"""
    for pipeline in ("default", "zero", None):
        main = compile_main(body, ROWS, packed_funcs={"test.f": f}, relax_pipeline=pipeline)["main"]
        x = X.copy()
        np.testing.assert_array_equal(main(x), 3 * X)
        # The caller's array stays.
        np.testing.assert_array_equal(x, X)


@pytest.mark.parametrize("known", [True, False])
def test_inspect(known):
    type_ = "tensor<?x3xi16>" if known else "!relax.tensor<*, ?>"
    ops = {
        "tensor_ndim": ("i32", 2),
        "tensor_dtype_bits": ("ui8", 16),
        "tensor_dtype_code": ("ui8", 0),
        "tensor_dtype_lanes": ("ui16", 1),
        "tensor_byte_offset": ("ui64", 0),
        "tensor_elem_offset": ("ui64", 0),
    }
    for name, (result, expected) in ops.items():
        main = compile_main(
            f"""
            %0 = relax.inspect.{name} %x : ({type_}) -> {result}
            relax.return %0 : {result}""",
            result,
            params=f"%x: {type_}",
        )["main"]
        assert main(np.zeros((5, 3), "int16")) == expected
    for name, expected in [("tensor_shape_i", (5, 3)), ("tensor_stride_i", (3, 1))]:
        main = compile_main(
            f"""
            %0 = relax.inspect.{name} %x, %axis : ({type_}, i64) -> i64
            relax.return %0 : i64""",
            "i64",
            params=f"%x: {type_}, %axis: i64",
        )["main"]
        for axis in (0, 1):
            assert main(np.zeros((5, 3), "int16"), axis) == expected[axis]
        for axis in (-1, 2):
            with pytest.raises((RuntimeError, ValueError), match="at least 0 and less than 2"):
                main(np.zeros((5, 3), "int16"), axis)


class Exchanged:
    """An array that has only DLPack's methods, as TVM's tensors do."""

    def __init__(self, array):
        self.shape = array.shape
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


def test_inspect_arrays_of_other_libraries():
    """R.inspect tells DLPack's fields, of a view too."""
    array = np.arange(24, dtype="int16").reshape(4, 6)[1:, 2:].T
    for name, result, expected in [
        ("tensor_ndim", "i32", 2),
        ("tensor_dtype_bits", "ui8", 16),
        ("tensor_dtype_code", "ui8", 0),
        ("tensor_dtype_lanes", "ui16", 1),
        ("tensor_byte_offset", "ui64", 0),
        ("tensor_shape_i", "i64", 4),
        ("tensor_stride_i", "i64", 1),
    ]:
        axis = "_i" in name
        main = compile_main(
            f"""
            %axis = relax.prim_value 0 : i64
            %0 = relax.inspect.{name} %x{", %axis" * axis} : (!relax.tensor<*, ?>{", i64" * axis}) -> {result}
            relax.return %0 : {result}""",
            result,
            params="%x: !relax.tensor<*, ?>",
        )["main"]
        assert main(array) == main(Exchanged(array)) == expected
        with pytest.raises(TypeError):
            main("text")


def test_functions_of_arrays_of_other_libraries():
    array = np.array([[3, 0, 3], [2, 0, 2]], "float32")
    main = compile_main(
        """
        %g = relax.extern_func "relax.run.nonzero"
        %0 = relax.call_value(%g, %x) ty_args = [tensor<?x?xi64>]
          : (!relax.object, !relax.tensor<*, ?>) -> tensor<?x?xi64>
        relax.return %0 : tensor<?x?xi64>""",
        "tensor<?x?xi64>",
        params="%x: !relax.tensor<*, ?>",
    )["main"]
    np.testing.assert_array_equal(main(array), np.nonzero(array))
    np.testing.assert_array_equal(main(Exchanged(array)), np.nonzero(array))


def test_views():
    def run(result, shape, dtype, offset, x):
        body = f"""
            %none = relax.tuple()
            %s = {shape}
            %d = {dtype}
            %o = {offset}
            %y = relax.memory.view %x, %s, %d, %o
              : (tensor<?xf32, #relax.shape<["n"]>>, {{}}, {{}}, {{}}) -> {result}
            %z = relax.memory.ensure_zero_offset %y : ({result}) -> {result}
            relax.return %z : {result}"""
        types = [
            "tuple<>" if "relax.tuple" in text else kind
            for text, kind in [
                (shape, f"!relax.shape<{shape.removeprefix('relax.shape ')}>"),
                (dtype, "!relax.object"),
                (offset, "i64"),
            ]
        ]
        main = compile_main(
            body.format(*types), result, params='%x: tensor<?xf32, #relax.shape<["n"]>>'
        )["main"]
        return main(x)

    none = "relax.tuple()"
    x = np.arange(12, dtype="float32")
    np.testing.assert_array_equal(
        run("tensor<2x4xf32>", "relax.shape [2, 4]", none, "relax.prim_value 8 : i64", x),
        x[2:10].reshape(2, 4),
    )
    named = 'tensor<?x2xi16, #relax.shape<["n", 2]>>'
    result = run(named, 'relax.shape ["n", 2]', "relax.dtype i16", none, x)
    np.testing.assert_array_equal(result, x.view("int16").reshape(12, 2))
    for offset in (-4, 20, 2**62):
        with pytest.raises(
            RuntimeError, match="a memory.view in 'main' to be inside of its tensor"
        ):
            run(
                "tensor<2x4xf32>", "relax.shape [2, 4]", none, f"relax.prim_value {offset} : i64", x
            )


SORT = """
    partita.module {
      tir.prim_func private @sort(%x: memref<2x3xf32>, %y: memref<2x3xi32>) {
        %c0 = arith.constant 0 : index
        %c2 = arith.constant 2 : index
        %axis = arith.constant 1 : i32
        %rows = arith.constant 2 : i64
        %columns = arith.constant 3 : i64
        %f32 = arith.constant 0.0 : f32
        %zero32 = arith.constant 0 : i32
        %zero = arith.constant 0 : i64
        %ascend = arith.constant true
        %name = tir.string "tvm.contrib.sort.argsort"
        %px = tir.call_intrin pure "tirx.buffer_data"(%x) : (memref<2x3xf32>) -> !tir.ptr<"global", f32>
        %sx = tir.call_intrin "tirx.tvm_stack_make_shape"(%rows, %columns) : (i64, i64) -> !tir.ptr<"global", i64>
        %ax = tir.call_intrin "tirx.tvm_stack_make_array"(%px, %sx, %zero32, %axis, %f32, %zero)
          : (!tir.ptr<"global", f32>, !tir.ptr<"global", i64>, i32, i32, f32, i64) -> !tir.handle
        %py = tir.call_intrin pure "tirx.buffer_data"(%y) : (memref<2x3xi32>) -> !tir.ptr<"global", i32>
        %ay = tir.call_intrin "tirx.tvm_stack_make_array"(%py, %sx, %zero32, %axis, %zero32, %zero)
          : (!tir.ptr<"global", i32>, !tir.ptr<"global", i64>, i32, i32, i32, i64) -> !tir.handle
        %0 = tir.call_intrin "tirx.tvm_call_packed"(%name, %ax, %ay, %axis, %ascend)
          : (!tir.string, !tir.handle, !tir.handle, i32, i1) -> i32
        tir.return
      }
      relax.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xi32>, tensor<2x3xi32>) {
        %c = relax.constant dense<[[3.0, 1.0, 2.0], [1.0, 1.0, 0.0]]> : tensor<2x3xf32>
        %0 = relax.call_tir @sort(%x) : (tensor<2x3xf32>) -> tensor<2x3xi32>
        %1 = relax.call_tir @sort(%c) : (tensor<2x3xf32>) -> tensor<2x3xi32>
        relax.return %0, %1 : tensor<2x3xi32>, tensor<2x3xi32>
      }
    }"""


def test_calls_in_prim_funcs():
    x = np.array([[0, 5, -1], [2, 2, 2]], "float32")
    given, constant = run_main(SORT, x)
    np.testing.assert_array_equal(given, [[2, 0, 1], [0, 1, 2]])
    np.testing.assert_array_equal(constant, [[1, 2, 0], [2, 0, 1]])
    down = run_main(SORT.replace("constant true", "constant false"), x)[1]
    np.testing.assert_array_equal(down, [[0, 2, 1], [0, 1, 2]])

    # What a function writes to its inputs, is written to copies.
    def spoil(x, y, axis, is_ascend):
        assert axis == 1 and is_ascend
        x[:] = 7
        y[:] = 1

    before = x.copy()
    for _ in range(2):
        results = run_main(SORT, x, **{"tvm.contrib.sort.argsort": spoil})
        np.testing.assert_array_equal(results, np.ones((2, 2, 3)))
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("is_ascend", [True, False])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_sorts_of_tvm(axis, is_ascend):
    x = np.array([[3, 1, 2], [1, 1, 0], [3, 0, 9]], "float32")
    order = np.argsort(x if is_ascend else -x, axis, kind="stable")
    values = np.take_along_axis(x, order, axis)
    out, found = np.empty_like(x), np.empty(x.shape, "int32")
    DEFAULT_PACKED_FUNCS["tvm.contrib.sort.sort"](x, out, axis, is_ascend)
    np.testing.assert_array_equal(out, values)
    topk = DEFAULT_PACKED_FUNCS["tvm.contrib.sort.topk"]
    for k in (2, 0):
        first = range(k or 3)
        some, where = np.take(out, first, axis) * 0, np.take(found, first, axis) * 0
        topk(x, some, where, k, axis, "both", is_ascend)
        np.testing.assert_array_equal(some, np.take(values, first, axis))
        np.testing.assert_array_equal(where, np.take(order, first, axis))
        other, index = some * 0, where * 0
        topk(x, other, k, axis, "values", is_ascend)
        topk(x, index, k, axis, "indices", is_ascend)
        np.testing.assert_array_equal(other, some)
        np.testing.assert_array_equal(index, where)


def test_reshape_of_tvm():
    """TVM's RewriteDataflowReshape calls it."""
    text = """
    partita.module {
      relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?xf32, #relax.shape<["n * 4"]>> attributes {is_pure = false} {
        %f = relax.extern_func "vm.builtin.reshape"
        %s = relax.shape ["n * 4"]
        %y = relax.call_value(%f, %x, %s) : (!relax.object, tensor<?x4xf32, #relax.shape<["n", 4]>>, !relax.shape<["n * 4"]>) -> tensor<?xf32, #relax.shape<["n * 4"]>>
        relax.return %y : tensor<?xf32, #relax.shape<["n * 4"]>>
      }
    }"""
    np.testing.assert_array_equal(run_main(text, X), X.reshape(-1))
