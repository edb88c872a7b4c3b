# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""partita.runtime: code of upstream's dialects, compiled and called."""

import gc
import importlib.util
import json
import os
import pathlib
import resource
import subprocess
import sys
import threading
import zlib

import numpy as np
import pytest
from pass_support import run_threads

if importlib.util.find_spec("partita._runtime") is None:
    pytest.skip("built without the runtime", allow_module_level=True)
from partita import runtime  # noqa: E402

LOWER = (
    "builtin.module(func.func(convert-linalg-to-loops),convert-scf-to-cf,expand-strided-metadata,"
    "lower-affine,memref-expand,convert-math-to-llvm,convert-math-to-libm,convert-index-to-llvm,"
    "finalize-memref-to-llvm{use-generic-functions=true},convert-func-to-llvm,"
    "convert-arith-to-llvm,convert-cf-to-llvm,convert-ub-to-llvm,reconcile-unrealized-casts)"
)


def tensor(dtype, *shape, name=None):
    described = {"kind": "tensor", "dtype": dtype, "shape": list(shape)}
    return described if name is None else {"name": name, **described}


def prim(dtype, name=None):
    described = {"kind": "prim", "dtype": dtype}
    return described if name is None else {"name": name, **described}


def tuple_of(*fields, name=None):
    described = {"kind": "tuple", "fields": list(fields)}
    return described if name is None else {"name": name, **described}


def shape_of(*values, name=None):
    described = {"kind": "shape", "values": list(values)}
    return described if name is None else {"name": name, **described}


def named(**params):
    return [{"name": name, **param} for name, param in params.items()]


def make_metadata(functions):
    described = {
        name: {"params": params, "result": result, "flags": {}}
        for name, (params, result) in functions.items()
    }
    return json.dumps({"version": 1, "functions": described})


def lower(text, functions):
    """LLVM IR of functions with the attribute llvm.emit_c_interface."""
    escaped = make_metadata(functions).replace('"', '\\"')
    text = f'llvm.mlir.global external constant @partita_metadata("{escaped}\\00")\n{text}'
    for command in (
        ["partita-opt", f"--pass-pipeline={LOWER}"],
        ["partita-translate", "--mlir-to-llvmir"],
    ):
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        text = done.stdout
    return text


def build(text, params, result):
    return runtime.Executable(lower(text, {"main": (params, result)}))


DENSE = """
func.func @main(%x: memref<?x?xf32>, %w: memref<?x8xf32>, %b: memref<8xf32>) -> memref<?x8xf32>
    attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %y = memref.alloc(%n) : memref<?x8xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<?x8xf32>)
  linalg.matmul ins(%x, %w : memref<?x?xf32>, memref<?x8xf32>) outs(%y : memref<?x8xf32>)
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%b : memref<8xf32>) outs(%y : memref<?x8xf32>) {
  ^bb0(%bias: f32, %old: f32):
    %sum = arith.addf %old, %bias : f32
    %max = arith.maximumf %sum, %zero : f32
    linalg.yield %max : f32
  }
  return %y : memref<?x8xf32>
}
"""
F32 = "float32"


def use_dense(n="n", k="k"):
    text = DENSE
    if n != "n":
        text = text.replace("memref<?x?xf32>", f"memref<{n}x{k}xf32>")
        text = text.replace("memref<?x8xf32>", f"memref<{k}x8xf32>", 1)
        text = text.replace(f"memref<{k}x8xf32>, %b", "WEIGHTS, %b").replace(
            "memref<?x8xf32>", "OUT"
        )
        text = text.replace("xf32>, OUT)", f"xf32>, memref<{k}x8xf32>)")
        text = text.replace("memref.alloc(%n)", "memref.alloc()")
        text = text.replace("WEIGHTS", f"memref<{k}x8xf32>").replace("OUT", f"memref<{n}x8xf32>")
    params = named(x=tensor(F32, n, k), w=tensor(F32, k, 8), b=tensor(F32, 8))
    return build(text, params, tensor(F32, n, 8))


def make_dense_arguments(n, k):
    rng = np.random.default_rng(n)
    x, w, b = rng.normal(size=(n, k)), rng.normal(size=(k, 8)), rng.normal(size=8)
    return x.astype(F32), w.astype(F32), b.astype(F32)


@pytest.fixture(scope="module")
def dense():
    return use_dense()


def check_dense(executable, n, k):
    x, w, b = make_dense_arguments(n, k)
    result = executable["main"](x, w, b)
    assert result.dtype == F32 and result.shape == (n, 8)
    np.testing.assert_allclose(result, np.maximum(x @ w + b, 0), rtol=1e-5, atol=1e-5)


def test_static_sizes():
    check_dense(use_dense(16, 32), 16, 32)


@pytest.mark.parametrize("n, k", [(1, 1), (16, 32), (0, 4), (3, 0), (300, 70)])
def test_sizes_of_the_arguments(dense, n, k):
    check_dense(dense, n, k)


def test_bitcode_and_levels(dense):
    text = lower(DENSE, {"main": (dense["main"].params, dense["main"].result)})
    llvm_as = pathlib.Path(sys.prefix, "bin/llvm-as")
    for level in range(4):
        check_dense(runtime.Executable(text, opt_level=level), 5, 6)
    with pytest.raises(ValueError, match="expected an opt_level from 0 to 3, but found 4"):
        runtime.Executable(text, opt_level=4)
    if llvm_as.exists():
        done = subprocess.run([llvm_as], input=text.encode(), capture_output=True, check=True)
        check_dense(runtime.Executable(done.stdout), 5, 6)


def test_what_functions_are(dense):
    assert list(dense) == list(dense.functions) == ["main"]
    assert "main" in dense and "other" not in dense
    assert dense["main"].params[1] == tensor(F32, "k", 8, name="w")
    assert repr(dense["main"]) == (
        "<function main(x: float32[n, k], w: float32[k, 8], b: float32[8]) -> float32[n, 8]>"
    )
    with pytest.raises(KeyError, match="expected one of the functions main, but found other"):
        dense["other"]


#: numpy's dtype, the type in MLIR, and an op that adds a number to itself.
DTYPES = {
    "bool": ("i8", "arith.ori"),
    "int8": ("i8", "arith.addi"),
    "uint8": ("i8", "arith.addi"),
    "int16": ("i16", "arith.addi"),
    "uint16": ("i16", "arith.addi"),
    "int32": ("i32", "arith.addi"),
    "uint32": ("i32", "arith.addi"),
    "int64": ("i64", "arith.addi"),
    "uint64": ("i64", "arith.addi"),
    "float16": ("f16", "arith.addf"),
    "float32": ("f32", "arith.addf"),
    "float64": ("f64", "arith.addf"),
    "bfloat16": ("bf16", "arith.addf"),
}
TWICE = """
func.func @main(%x: memref<{shape}{type}>, %s: {type}) -> (memref<{shape}{type}>, {type})
    attributes {{llvm.emit_c_interface}} {{
  {alloc} : memref<{shape}{type}>
  linalg.map {{ {op} }} ins(%x, %x : memref<{shape}{type}>, memref<{shape}{type}>)
    outs(%y : memref<{shape}{type}>)
  %t = {op} %s, %s : {type}
  return %y, %t : memref<{shape}{type}>, {type}
}}
"""
ALLOC = "%y = memref.alloc()"
ALLOC_DYNAMIC = (
    "%c0 = arith.constant 0 : index\n%n = memref.dim %x, %c0 : memref<?x{}>\n%y = memref.alloc(%n)"
)


def use_twice(dtype):
    kind, op = DTYPES[dtype]
    text = TWICE.format(shape="?x", type=kind, op=op, alloc=ALLOC_DYNAMIC.format(kind))
    params = named(x=tensor(dtype, "n"), s=prim(dtype))
    return build(text, params, tuple_of(tensor(dtype, "n"), prim(dtype)))


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "bfloat16"])
def test_dtypes(dtype):
    twice = use_twice(dtype)["main"]
    x = np.array([0, 1, 3, 100], dtype)
    with np.errstate(over="ignore"):
        doubled = x + x
    result, number = twice(x, x[1])
    assert result.dtype == dtype and result.tolist() == doubled.tolist()
    assert number == doubled[1] and type(number) is type(x[1].item())
    # A scalar of Python, too.
    assert twice(x[:0], x[1].item())[1] == doubled[1]
    assert twice(x[:0], x[1])[0].shape == (0,)


def test_bfloat16_without_ml_dtypes(monkeypatch):
    twice = use_twice("bfloat16")["main"]
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    x = BFloat(np.array([0x3F80, 0x4040], "uint16"))
    with pytest.raises(ImportError, match="expected ml_dtypes .*: pip install ml_dtypes"):
        twice(x, 1.5)


class BFloat:
    """Stands for an array of ml_dtypes.bfloat16."""

    dtype = type("dtype", (), {"name": "bfloat16", "__str__": lambda self: "bfloat16"})()

    def __init__(self, bits):
        self.bits = bits

    def view(self, dtype):
        return self.bits.view(dtype)


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    result, number = use_twice("bfloat16")["main"](np.array([1, 3], ml_dtypes.bfloat16), 1.5)
    assert result.dtype == ml_dtypes.bfloat16 and result.tolist() == [2, 6] and number == 3


def test_rank_0():
    text = TWICE.format(shape="", type="f32", op="arith.addf", alloc=ALLOC)
    params = named(x=tensor(F32), s=prim(F32))
    twice = build(text, params, tuple_of(tensor(F32), prim(F32)))["main"]
    for x in (np.array(1.5, F32), np.float32(1.5)):
        result, number = twice(x, x)
        assert isinstance(result, np.ndarray) and result.shape == () and result == 3 == number


SCALARS = """
func.func @add(%a: i64, %b: f64) -> f64 attributes {llvm.emit_c_interface} {
  %0 = arith.sitofp %a : i64 to f64
  %1 = arith.addf %0, %b : f64
  return %1 : f64
}
func.func @size(%a: i64, %n: i64) -> (i64, i64) attributes {llvm.emit_c_interface} {
  return %n, %a : i64, i64
}
func.func @nothing() attributes {llvm.emit_c_interface} {
  return
}
func.func @swap(%x: memref<?xf32>, %y: memref<2xi32>, %s: i8)
    -> (i8, memref<2xi32>, memref<?xf32>, i64) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %x1 = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %x1 : memref<?xf32> to memref<?xf32>
  %size = arith.index_cast %n : index to i64
  return %s, %y, %x1, %size : i8, memref<2xi32>, memref<?xf32>, i64
}
"""


@pytest.fixture(scope="module")
def scalars():
    functions = {
        "add": (named(a=prim("int64"), b=prim("float64")), prim("float64")),
        "size": (named(s=shape_of(4, "n")), shape_of("n", 4)),
        "nothing": ([], None),
        "swap": (
            named(t=tuple_of(tensor(F32, "n"), tuple_of(tensor("int32", 2), prim("int8")))),
            tuple_of(tuple_of(prim("int8"), tensor("int32", 2)), tensor(F32, None), shape_of("n")),
        ),
    }
    functions["size"] = (named(s=shape_of(None, "n")), shape_of("n", None))
    return runtime.Executable(lower(SCALARS, functions))


def test_scalars_and_shapes(scalars):
    assert scalars["add"](2, 0.5) == 2.5
    assert scalars["add"](np.int64(2), np.float64(0.5)) == 2.5
    assert scalars["add"](True, 1) == 2.0
    assert scalars["size"]((4, 7)) == scalars["size"]([4, 7]) == (7, 4)
    assert scalars["nothing"]() is None


def test_tuples(scalars):
    x, y = np.arange(3, dtype=F32), np.array([5, 6], "int32")
    (number, y1), x1, shape = scalars["swap"]((x, (y, -7)))
    assert number == -7 and shape == (3,)
    assert y1.tolist() == [5, 6] and x1.tolist() == [0, 1, 2]
    # The code gives back its argument: the result is a copy.
    y1[0] = 9
    assert y[0] == 5


def test_layouts(dense):
    x, w, b = make_dense_arguments(6, 12)
    expected = dense["main"](x, w, b)
    transposed = np.asfortranarray(x)
    reversed_ = np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
    wide = np.repeat(x, 3, axis=1)[:, ::3]
    packed = np.zeros((6, 12), [("a", "i1"), ("b", F32)])
    packed["b"] = x
    unaligned = np.frombuffer(b"0" + x.tobytes(), F32, offset=1).reshape(x.shape)
    read_only = x.copy()
    read_only.flags.writeable = False
    for view in (transposed, reversed_, wide, packed["b"], unaligned, read_only, memoryview(x)):
        before = bytes(memoryview(view))
        assert dense["main"](view, w, b).tolist() == expected.tolist()
        assert bytes(memoryview(view)) == before
    same_row = np.broadcast_to(x[:1], (6, 12))
    assert (dense["main"](same_row, w, b) == expected[0]).all()


class Exchanged:
    """An array that is known by DLPack alone."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


def test_dlpack(dense):
    x, w, b = make_dense_arguments(6, 12)
    expected = dense["main"](x, w, b).tolist()
    references = sys.getrefcount(x)
    assert dense["main"](Exchanged(x), Exchanged(np.asfortranarray(w)), b).tolist() == expected
    assert sys.getrefcount(x) == references
    message = "expected argument 'w' of 'main' to be on the CPU, but found CUDA"
    with pytest.raises(ValueError, match=message):
        dense["main"](x, Exchanged(w, device=(2, 0)), b)


def test_torch(dense):
    torch = pytest.importorskip("torch")
    x, w, b = make_dense_arguments(6, 12)
    result = dense["main"](torch.from_numpy(x), torch.from_numpy(w.T.copy()).T, torch.from_numpy(b))
    assert (result == dense["main"](x, w, b)).all()


def test_results_own_memory():
    executable = use_dense()
    x, w, b = make_dense_arguments(6, 12)
    result = executable["main"](x, w, b)
    expected = result.copy()
    other = executable["main"](x + 1, w, b)
    del executable
    gc.collect()
    assert (result == expected).all() and (other != expected).any()
    result[:] = 1
    assert (result == 1).all()


def make_bad_dense_calls():
    x, w, b = make_dense_arguments(3, 5)
    to_have = "expected argument '{}' of 'main' to have "
    to_be = "expected argument '{}' of 'main' to be a tensor, but found "
    return {
        "few": ((x, w), TypeError, "expected 3 arguments of 'main', but found 2"),
        "many": ((x, w, b, b), TypeError, "expected 3 arguments of 'main', but found 4"),
        "dtype": (
            (x.astype("float64"), w, b),
            TypeError,
            to_have.format("x") + "dtype float32, but found float64",
        ),
        "complex": (
            (x, w.astype("complex64"), b),
            TypeError,
            to_have.format("w") + "dtype float32, but found complex64",
        ),
        "shape": (
            (x, w[:, :3], b),
            ValueError,
            to_have.format("w") + "shape (k, 8), but found (5, 3)",
        ),
        "rank": ((x, w, b[None]), ValueError, to_have.format("b") + "shape (8,), but found (1, 8)"),
        "variable": (
            (x, w[:4], b),
            ValueError,
            "expected 'k' to be the same in 'x' and 'w', but found 5 and 4",
        ),
        "object": (
            (x, w, b.astype(object)),
            TypeError,
            to_be.format("b") + "an array of dtype object",
        ),
        "mask": (
            (x, w, np.ma.masked_array(b, b > 0)),
            TypeError,
            to_be.format("b") + "a masked array, whose mask the code would not see: give its "
            "filled(number), or its data",
        ),
        "order": ((x, w, b.astype(">f4")), TypeError, to_be.format("b") + "an array of dtype >f4"),
        "text": ((x, w, np.array(["a"])), TypeError, to_be.format("b") + "an array of dtype <U1"),
        "date": (
            (x, w, b.astype("M8[s]")),
            TypeError,
            to_be.format("b") + "an array of dtype datetime64[s]",
        ),
        "none": ((None, w, b), TypeError, to_be.format("x") + "a NoneType"),
        "str": (("x", w, b), TypeError, to_be.format("x") + "a str"),
        "number": ((1.5, w, b), TypeError, to_be.format("x") + "a float"),
        "big": ((1 << 70, w, b), TypeError, to_be.format("x") + "an integer of more than 64 bits"),
        "tuple": (((x,), w, b), TypeError, to_be.format("x") + "a tuple"),
    }


@pytest.mark.parametrize("case", make_bad_dense_calls())
def test_bad_arguments(dense, case):
    args, kind, message = make_bad_dense_calls()[case]
    with pytest.raises(kind) as error:
        dense["main"](*args)
    assert str(error.value) == message


def test_bad_fields(scalars):
    x, y = np.arange(3, dtype=F32), np.array([5, 6], "int32")
    cases = [
        ((x,), TypeError, "'t' of 'swap' to have 2 fields, but found 1"),
        (x, TypeError, "'t' of 'swap' to be a tuple, but found a tensor"),
        ((x, (x, 1)), TypeError, "'t[1][0]' of 'swap' to have dtype int32, but found float32"),
        ((x, (y, 128)), ValueError, "'t[1][1]' of 'swap' to fit into int8, but found 128"),
        (
            (x, (y, 2**64 - 1)),
            ValueError,
            "'t[1][1]' of 'swap' to fit into int8, but found 18446744073709551615",
        ),
        ((x, (y, 1.5)), TypeError, "'t[1][1]' of 'swap' to be an int8, but found a float"),
        (
            (x, (y, np.int16(1))),
            TypeError,
            "'t[1][1]' of 'swap' to have dtype int8, but found int16",
        ),
    ]
    for args, kind, message in cases:
        with pytest.raises(kind) as error:
            scalars["swap"](args)
        assert str(error.value) == f"expected argument {message}"
    for args in ((1, 2, 3), (1,)):
        with pytest.raises(ValueError, match=r"to be the shape \(\?, n\), but found \(1,"):
            scalars["size"](args)
    for args in ((1, 2.5), 4, "ab", np.zeros(2, "int64")):
        with pytest.raises(
            TypeError, match="expected argument 's' of 'size' to be a shape, but found"
        ):
            scalars["size"](args)


def test_array_that_cannot_be_given(dense):
    class Refusing(Exchanged):
        def __dlpack__(self, **options):
            raise BufferError("not now")

    class WithoutCapsule(Exchanged):
        def __dlpack__(self, **options):
            return 5

    class WithoutDevice(Exchanged):
        def __dlpack_device__(self):
            return "cpu"

    x, w, b = make_dense_arguments(3, 5)
    with pytest.raises(BufferError, match="not now"):
        dense["main"](x, Refusing(w), b)
    for wrong in (WithoutCapsule, WithoutDevice):
        with pytest.raises(
            TypeError, match=f"'w' of 'main' to be a tensor, but found a {wrong.__name__}"
        ):
            dense["main"](x, wrong(w), b)


def test_fields_of_structs(dense):
    """Their strides are no multiples of the element; a class may have its own copy()."""

    class Selfish(np.ndarray):
        def copy(self, *args):
            return self

    x, w, b = make_dense_arguments(3, 5)
    fields = np.zeros(b.shape, [("tag", "i1"), ("number", "f4")])["number"]
    fields[:] = b
    expected = dense["main"](x, w, b)
    for given in (fields, fields.view(Selfish), memoryview(fields)):
        np.testing.assert_array_equal(dense["main"](x, w, given), expected)


ERRORS = """
llvm.mlir.global internal constant @message("expected a positive number\\00")
llvm.func @partita_runtime_fail(!llvm.ptr)
func.func @main(%n: i64) -> memref<?xf32> attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant 0.0 : f32
  %size = arith.index_cast %n : i64 to index
  // Freed by the runtime if the call fails.
  %room = arith.constant 1000000 : index
  %before = memref.alloc(%room) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%before : memref<?xf32>)
  %isBad = arith.cmpi slt, %n, %c0 : i64
  scf.if %isBad {
    %message = llvm.mlir.addressof @message : !llvm.ptr
    llvm.call @partita_runtime_fail(%message) : (!llvm.ptr) -> ()
  }
  %y = memref.alloc(%size) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<?xf32>)
  memref.dealloc %before : memref<?xf32>
  return %y : memref<?xf32>
}
"""


def get_peak():
    """The most memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def test_failing_code():
    main = build(ERRORS, named(n=prim("int64")), tensor(F32, None))["main"]
    before = None
    for i in range(300):
        with pytest.raises(RuntimeError, match="^expected a positive number$"):
            main(-1)
        terabyte = r"^expected to allocate 1099511627776 bytes, but found no memory for them"
        with pytest.raises(RuntimeError, match=terabyte):
            main(1 << 38)
        # The number of bytes overflows.
        with pytest.raises(RuntimeError, match="^expected to allocate 9223372036854775808 bytes"):
            main(1 << 61)
        assert main(3).tolist() == [0, 0, 0]
        before = before or get_peak()
    # 4 MB that each of these calls leaves would be more than 3 GB.
    assert get_peak() < before + 20


def test_many_calls_from_threads(dense):
    """10,000 calls; each has a result of 64 kB or more, which a pool keeps."""
    main = dense["main"]
    arguments = [make_dense_arguments(2048 + i, 2) for i in range(4)]
    results = [main(*args) for args in arguments]
    peaks = []

    def call(index):
        for i in range(2500):
            result = main(*arguments[index])
            if i % 100 == 0:
                assert (result == results[index]).all()
            if i == 250:
                peaks.append(get_peak())

    run_threads(4, call)
    assert get_peak() < max(peaks) + 5


def test_large_results_are_given_back(dense):
    """Results of 64 MB: no more are kept than there were at one time."""
    args = make_dense_arguments(2 << 20, 1)
    dense["main"](*args)
    before = get_peak()
    for _ in range(20):
        dense["main"](*args)
    assert get_peak() < before + 80


def test_threads_run_at_once():
    """The GIL is not held: a call that waits for another thread ends."""
    main = build(SPIN, named(x=tensor("int32", 2)), prim("int32"))["main"]
    x = np.zeros(2, "int32")
    results = []
    thread = threading.Thread(target=lambda: results.append(main(x)))
    thread.start()
    x[0] = 1
    thread.join(30)
    assert results == [1]


SPIN = """
func.func @main(%x: memref<2xi32>) -> i32 attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %found = scf.while : () -> i32 {
    %value = memref.atomic_rmw addi %zero, %x[%c0] : (i32, memref<2xi32>) -> i32
    %isZero = arith.cmpi eq, %value, %zero : i32
    scf.condition(%isZero) %value : i32
  } do {
  ^bb0(%value: i32):
    scf.yield
  }
  return %found : i32
}
"""

LOAD = """
import sys
import numpy as np
from partita import runtime
main = runtime.load(sys.argv[1])["main"]
print(main(np.ones((2, 3), "float32"), np.ones((3, 8), "float32"), np.ones(8, "float32"))[0, 0])
"""


def test_save_and_load(dense, tmp_path):
    path = tmp_path / "dense.o"
    path.write_text("old")
    dense.save(path)
    assert os.listdir(tmp_path) == ["dense.o"]
    loaded = runtime.load(path)
    assert loaded["main"].params == dense["main"].params
    check_dense(loaded, 4, 9)
    loaded.save(str(path))
    command = [sys.executable, "-c", LOAD, path]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "4.0\n"
    lacking = tmp_path / "lacking/dense.o"
    with pytest.raises(FileNotFoundError) as raised:
        dense.save(lacking)
    assert raised.value.filename == str(lacking)


def test_files_that_are_no_objects(dense, tmp_path):
    path = tmp_path / "file.o"
    dense.save(path)
    contents = path.read_bytes()

    def seal(contents):
        return contents + b"PARTITA1" + zlib.crc32(contents).to_bytes(4, "little")

    elf = contents[:-12]
    assert seal(elf) == contents
    # The number of the processor in ELF: another one's.
    other = elf[:18] + b"\x08\x00" + elf[20:]
    features = elf.replace(b"+sse2", b"+sse9").replace(b"+neon", b"+none")
    damaged = "expected an object file that the runtime has saved, but found another or a damaged"
    cases = [
        (b"", damaged),
        (b"text", damaged),
        (elf, damaged),
        (contents[:100], damaged),
        (contents[:100] + b"0" + contents[101:], damaged),
        (pathlib.Path(sys.executable).read_bytes(), damaged),
        (seal(b"text"), "expected an object file, but found: "),
        (seal(other), "expected an object file for .*, but found another file"),
        (seal(features), "expected a processor with (sse9|none), for which the code was compiled"),
    ]
    for data, message in cases:
        path.write_bytes(data)
        with pytest.raises(RuntimeError, match=message):
            runtime.load(path)


def test_code_that_cannot_be_compiled():
    good = lower(SCALARS, {"nothing": ([], None)})
    name = "@partita_metadata"
    bad = {
        "text": ("define", "expected LLVM IR, but found: code:1:7: error: expected type"),
        "bitcode": (b"BC\xc0\xde1234", "expected LLVM IR, but found: "),
        "invalid": (
            good.replace("ret void", "ret i32 0", 1),
            "expected (LLVM IR|valid LLVM IR), but found: ",
        ),
        "bare": (good.replace(name, "@other"), "expected a global string 'partita_metadata'"),
        "unlinked": (
            good + '\ndeclare void @missing()\ndefine void @"_mlir_ciface_x"() {\n'
            "call void @missing()\nret void\n}",
            "expected code that can be linked: .*missing",
        ),
        "other": (
            'target triple = "hexagon-unknown-linux"\n' + good,
            "expected code for .*, but found code for hexagon",
        ),
        "assembly": (
            good.replace(name, f'module asm "nop"\n{name}', 1),
            "expected no assembly in the code",
        ),
    }
    external = "@c = external constant [4 x i8]"
    for pair in (
        "!{}",
        "!{ptr @c}",
        '!{ptr @c, !"123"}',
        '!{!"1234", ptr @c}',
        '!{ptr @partita_metadata, !"1234"}',
        "!{ptr @c, null}",
    ):
        bad[pair] = (
            f"{good}\n{external}\n!partita.large_constants = !{{!99}}\n!99 = {pair}",
            "expected 'partita.large_constants' to have pairs of a declaration and a string",
        )
    for code, message in bad.values():
        with pytest.raises(RuntimeError, match=f"(?s){message}"):
            runtime.Executable(code)
    for functions, message in (
        ({"other": ([], None)}, "expected a definition of '_mlir_ciface_other', but found none"),
        ({"nothing": (named(x=tensor(F32)), None)}, "expected '_mlir_ciface_nothing' to have type"),
        ({"nothing": ([tensor("int4")], None)}, "to have a dtype that can be computed with of '0'"),
        ({"nothing": ([tensor(F32, -3)], None)}, "to have a number, a name or null for each size"),
        (
            {"nothing": ([{"kind": "x"}], None)},
            "to have a tensor, shape, prim, object or tuple as the kind",
        ),
    ):
        with pytest.raises(RuntimeError, match=message):
            runtime.Executable(lower(SCALARS, functions))


def test_without_the_runtime():
    code = """
import sys
sys.modules["partita._runtime"] = None
import partita.runtime
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: expected partita with its runtime" in done.stderr
    assert "PARTITA_ENABLE_RUNTIME=ON" in done.stderr


RELAX = """
partita.module {
  relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %y: tensor<4xf32>)
      -> tensor<?x4xi1, #relax.shape<["n", 4]>> {
    %0 = relax.add %x, %y : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4xf32>
      -> tensor<?x4xf32, #relax.shape<["n", 4]>>
    %1 = relax.greater %0, %y : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4xf32>
      -> tensor<?x4xi1, #relax.shape<["n", 4]>>
    relax.return %1 : tensor<?x4xi1, #relax.shape<["n", 4]>>
  }
}
"""


def test_module_of_relax():
    """What the lowering of partita.modules makes."""
    text = RELAX
    for command in (
        ["partita-opt", "--partita-lower-to-llvm"],
        ["partita-translate", "--mlir-to-llvmir"],
    ):
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        text = done.stdout
    x = np.array([[-1, 0, 1, 2], [3, 4, 5, np.nan]], F32)
    y = np.arange(4, dtype=F32)
    main = runtime.Executable(text)["main"]
    result = main(x, y)
    assert result.dtype == bool and (result == (x + y > y)).all()
    with pytest.raises(ValueError, match=r"'x' of 'main' to have shape \(n, 4\), but found \(4,\)"):
        main(y, y)
