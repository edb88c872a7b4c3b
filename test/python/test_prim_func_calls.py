# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prim_funcs that a caller calls: they write its arrays in place."""

import numpy as np
import pytest

import partita
from partita import transform

runtime = pytest.importorskip("partita.runtime")

# TVM's form: blocks, and sizes that the buffers determine.
BLOCKS = """
partita.module {
  tir.prim_func @scale(%A: memref<?x4xf32>, %B: memref<?x4xf32>, %s: f32, %k: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %true = arith.constant true
    %n = tir.var : i32
    tir.buffer %A shape(%n, %c4 : i32, i32) : memref<?x4xf32>
    tir.buffer %B shape(%n, %c4 : i32, i32) : memref<?x4xf32>
    tir.block "root" [] where %true {
      scf.for %i = %c0 to %n step %c1 : i32 {
        scf.for %j = %c0 to %c4 step %c1 : i32 {
          tir.block "b" ["spatial", "spatial"](%i, %j : i32, i32)
              from(%c0, %c0 : i32, i32) extent(%n, %c4 : i32, i32) where %true {
          ^bb0(%vi: i32, %vj: i32):
            %0 = arith.index_cast %vi : i32 to index
            %1 = arith.index_cast %vj : i32 to index
            tir.reads %A[%vi, %vj : i32, i32] [%c1, %c1 : i32, i32] : memref<?x4xf32>
            tir.writes %B[%vi, %vj : i32, i32] [%c1, %c1 : i32, i32] : memref<?x4xf32>
            %2 = memref.load %A[%0, %1] : memref<?x4xf32>
            %3 = arith.mulf %2, %s : f32
            %4 = arith.sitofp %k : i32 to f32
            %5 = arith.addf %3, %4 : f32
            memref.store %5, %B[%0, %1] : memref<?x4xf32>
          }
        }
      }
    }
    tir.return
  }
}
"""

# In place, with a size that others make, and with a number as the result.
LOOPS = """
partita.module {
  tir.prim_func @double(%x: memref<?xDTYPE>, %y: memref<?xDTYPE>) attributes {tir.ret_type = i64} {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %n = tir.var : i64
    %twice = arith.muli %n, %c2 : i64
    tir.buffer %x shape(%n : i64) {index_type = i64} : memref<?xDTYPE>
    tir.buffer %y shape(%twice : i64) {index_type = i64} : memref<?xDTYPE>
    scf.for %i = %c0 to %n step %c1 : i64 {
      %0 = arith.index_cast %i : i64 to index
      %1 = memref.load %x[%0] : memref<?xDTYPE>
      %2 = arith.addi %i, %n : i64
      %3 = arith.index_cast %2 : i64 to index
      memref.store %1, %y[%0] : memref<?xDTYPE>
      memref.store %1, %y[%3] : memref<?xDTYPE>
    }
    tir.ret %n : i64
    tir.return
  }
}
"""

BESIDE = """
partita.module {
  tir.prim_func @add(%a: memref<4xf32>, %b: memref<4xf32>) {
    linalg.add ins(%a, %a : memref<4xf32>, memref<4xf32>) outs(%b : memref<4xf32>)
    tir.return
  }
  tir.prim_func private @hidden(%a: memref<4xf32>, %b: memref<4xf32>) {
    linalg.exp ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
    tir.return
  }
  relax.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.call_tir @add(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.call_tir @hidden(%0) : (tensor<4xf32>) -> tensor<4xf32>
    relax.return %1 : tensor<4xf32>
  }
}
"""


def compile_text(text, level=2):
    with transform.PassContext(opt_level=level):
        return partita.compile(partita.IRModule.from_text(text))


@pytest.mark.parametrize("level", range(4))
def test_in_place(level):
    ex = compile_text(BLOCKS, level)
    assert str(ex["scale"]) == (
        "<function scale(A: float32[n, 4], B: written float32[n, 4], s: float32, k: int32) -> None>"
    )
    for n in (0, 1, 3, 40):
        a = np.random.default_rng(n).normal(size=(n, 4)).astype("float32")
        b = np.full_like(a, 7)
        assert ex["scale"](a, b, 2.0, 3) is None
        np.testing.assert_allclose(b, a * 2 + 3, 1e-6)
    a = np.ones((2, 4), "float32")
    ex(a, a, 3, np.int32(1))
    assert a.tolist() == [[4] * 4] * 2


def test_arrays_that_do_not_fit():
    scale = compile_text(BLOCKS)["scale"]
    a, b = np.ones((3, 4), "float32"), np.zeros((3, 4), "float32")
    frozen = np.zeros((3, 4), "float32")
    frozen.flags.writeable = False
    cases = [
        ((a, b), TypeError, "expected 4 arguments of 'scale', but found 2"),
        ((a, frozen, 1, 1), ValueError, "'B' of 'scale' to be an array that .* write.* read-only"),
        ((a, bytes(48), 1, 1), TypeError, "'B' of 'scale' to have dtype float32"),
        ((a, np.zeros((4, 3), "float32").T, 1, 1), ValueError, "'B' of 'scale' .* not contiguous"),
        ((a, np.zeros((3, 8), "float32")[:, ::2], 1, 1), ValueError, "'B' .* not contiguous"),
        ((a, np.zeros((3, 4)), 1, 1), TypeError, "'B' of 'scale' to have dtype float32"),
        ((a, np.zeros((3, 5), "float32"), 1, 1), ValueError, r"'B' .* shape \(n, 4\)"),
        ((a, np.zeros((2, 4), "float32"), 1, 1), ValueError, "'n' to be the same in 'A' and 'B'"),
        ((a, 3, 1, 1), TypeError, "'B' of 'scale' to be a tensor, but found an integer"),
        ((a, b, 1, 2.5), TypeError, "'k' of 'scale' to be an int32"),
        ((a, b, 1, 2**31), ValueError, "'k' of 'scale' to fit into int32"),
    ]
    for args, kind, message in cases:
        with pytest.raises(kind, match=message):
            scale(*args)
    pairs = np.zeros((3, 4), [("x", "i1"), ("y", "f4")])
    with pytest.raises(ValueError, match="'B' of 'scale' .* read-only, or a copy"):
        scale(a, pairs["y"], 1, 1)
    # What is only read can be any array.
    scale(np.asfortranarray(a), b, 2, 0)
    assert (b == 2).all() and not frozen.any()
    scale(frozen, b, 2, 1)
    assert (b == 1).all()


def test_sizes_that_linalg_takes_for_equal():
    """No one names them: the loops of linalg would run out of the smaller array."""
    ex = compile_text("""
partita.module {
  tir.prim_func @add(%a: memref<?x4xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
    linalg.add ins(%a, %b : memref<?x4xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
    tir.return
  }
  tir.prim_func @row(%a: memref<?xf32>, %b: memref<?x3xf32>, %free: memref<?xf32>) {
    %0 = bufferization.to_tensor %a restrict : memref<?xf32> to tensor<?xf32>
    %c0 = arith.constant 0 : index
    %n = memref.dim %b, %c0 : memref<?x3xf32>
    %1 = tensor.empty(%n) : tensor<?x3xf32>
    %2 = linalg.broadcast ins(%0 : tensor<?xf32>) outs(%1 : tensor<?x3xf32>) dimensions = [1]
    bufferization.materialize_in_destination %2 in restrict writable %b
      : (tensor<?x3xf32>, memref<?x3xf32>) -> ()
    tir.return
  }
}
""")
    assert str(ex["add"]) == (
        "<function add(a: float32[d0, 4], b: float32[d0, 4], c: written float32[d0, 4]) -> None>"
    )

    def make(*shape):
        return np.ones(shape, "float32")

    c, r = make(3, 4), make(2, 3)
    ex["add"](make(3, 4), make(3, 4), c)
    ex["row"](np.array([5, 6], "float32"), r, make(9))
    assert (c == 2).all() and r.tolist() == [[5] * 3, [6] * 3]
    for name, args, message in [
        ("add", (make(3, 4), make(3, 4), make(2, 4)), "'d0' to be the same in 'a' and 'c'"),
        ("add", (make(3, 4), make(2, 4), make(3, 4)), "'d0' to be the same in 'a' and 'b'"),
        ("add", (make(3, 4), make(3, 4), make(3, 3)), r"'c' of 'add' to have shape \(d0, 4\)"),
        ("row", (make(2), make(5, 3), make(9)), "'d0' to be the same in 'a' and 'b'"),
    ]:
        with pytest.raises(ValueError, match=message):
            ex[name](*args)


class Exchanged:
    """Gives an array by DLPack alone, as old or new libraries do."""

    def __init__(self, array, versions):
        self.array, self.versions = array, versions

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **kwargs):
        if kwargs and not self.versions:
            raise TypeError("no keywords")
        return self.array.__dlpack__(**kwargs)


@pytest.mark.parametrize("versions", [False, True])
def test_dlpack(versions):
    scale = compile_text(BLOCKS)["scale"]
    a, b = np.ones((3, 4), "float32"), np.zeros((3, 4), "float32")
    scale(Exchanged(a, versions), Exchanged(b, versions), 2, 1)
    assert (b == 3).all()
    # Only capsules with a version can say that an array is read-only.
    b.flags.writeable = False
    if versions and np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        with pytest.raises(ValueError, match="'B' of 'scale' .* read-only"):
            scale(a, Exchanged(b, versions), 2, 1)


@pytest.mark.parametrize("dtype", ["float16", "float64", "int8", "uint8", "int64", "bool"])
def test_sizes_that_others_make(dtype):
    type_ = {"bool": "i1", "uint8": "ui8"}.get(dtype) or dtype.replace("int", "i").replace(
        "float", "f"
    )
    double = compile_text(LOOPS.replace("DTYPE", type_))["double"]
    x = np.arange(5).astype(dtype)
    y = np.zeros(10, dtype)
    assert double(x, y) == 5
    assert y.tolist() == x.tolist() * 2
    with pytest.raises(RuntimeError, match="expected dimension 0 of argument 'y' of 'double'"):
        double(x, np.zeros(9, dtype))


def test_beside_relax_functions(tmp_path):
    ex = compile_text(BESIDE)
    assert list(ex) == ["add", "twice"]
    a, b = np.arange(4, dtype="float32"), np.zeros(4, "float32")
    for each in (ex, _reload(ex, tmp_path / "code.o")):
        np.testing.assert_allclose(each["twice"](a), np.exp(2 * a), 1e-5)
        # prim_funcs do not count beside a function with a result.
        np.testing.assert_allclose(each(a), np.exp(2 * a), 1e-5)
        b[:] = 0
        each["add"](a, b)
        assert b.tolist() == [0, 2, 4, 6]


def _reload(ex, path):
    ex.save(path)
    return runtime.load(path)


def test_functions():
    """A prim_func by itself, and modules without one that can be called."""
    mod = partita.IRModule.from_text(BLOCKS)
    a, b = np.ones((3, 4), "float32"), np.zeros((3, 4), "float32")
    partita.compile(mod["scale"])(a, b, 2, 0)
    assert (b == 2).all()
    scale = BLOCKS[BLOCKS.index("tir.prim_func") : BLOCKS.rindex("}")]
    ex = compile_text("partita.module {" + scale + scale.replace("@scale", "@other") + "}")
    with pytest.raises(TypeError, match="<Executable of other, scale> to have 'main' or only one"):
        ex(a, b, 2, 0)
    with pytest.raises(ValueError, match="expected mod to have a public function"):
        compile_text(BESIDE[: BESIDE.index("relax.func")].replace("func @", "func private @") + "}")


def test_early_returns():
    """Returns in branches: what follows them does not run, and 0 is what no return gives."""
    ex = compile_text("""
    partita.module {
      tir.prim_func @sign(%x: i32, %y: memref<1xf32>) {
        %c0 = arith.constant 0 : i32
        %c10 = arith.constant 10 : i32
        %c20 = arith.constant 20 : i32
        %index = arith.constant 0 : index
        %one = arith.constant 1.0 : f32
        %isPositive = arith.cmpi sgt, %x, %c0 : i32
        %isSmall = arith.cmpi slt, %x, %c10 : i32
        scf.if %isPositive {
          scf.if %isSmall {
            tir.ret %c10 : i32
          }
          memref.store %one, %y[%index] : memref<1xf32>
        } else {
          tir.ret %c20 : i32
        }
        tir.return
      }
    }
    """)
    y = np.zeros(1, "float32")
    assert (ex(5, y), ex(-5, y), y[0]) == (10, 20, 0)
    assert (ex(50, y), y[0]) == (0, 1)


def test_private_functions():
    """Functions of Relax are public if none is: TVM's virtual machine calls them."""
    mod = partita.IRModule.from_text(BESIDE.replace("func @", "func private @"))
    before = str(mod)
    ex = partita.compile(mod)
    assert list(ex) == ["twice"] and str(mod) == before
    np.testing.assert_allclose(ex(np.ones(4, "float32")), np.exp(np.full(4, 2, "float32")), 1e-6)


def test_strides_and_memory():
    """A buffer with strides of its own gets compact arrays. Others cannot be called."""
    text = """
    partita.module {
      tir.prim_func @copy(%a: memref<4xf32, strided<[LAYOUT]>>, %b: memref<4xf32>) {
        linalg.copy ins(%a : memref<4xf32, strided<[LAYOUT]>>) outs(%b : memref<4xf32>)
        tir.return
      }
      relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        relax.return %x : tensor<4xf32>
      }
    }
    """
    b = np.zeros(4, "float32")
    compile_text(text.replace("LAYOUT", "?"))["copy"](np.arange(8, dtype="float32")[::2], b)
    assert b.tolist() == [0, 2, 4, 6]
    assert list(compile_text(text.replace("LAYOUT", "2"))) == ["main"]


def test_what_is_written():
    """Vectors are stored, too; so is what a packed function gets."""
    mod = partita.IRModule.from_text("""
    partita.module {
      tir.prim_func @f(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %c8 = arith.constant 8 : i32
        %ramp = tir.prim "Ramp"(%c0, %c1, %c8) : (i32, i32, i32) -> vector<8xi32>
        %x = tir.load %a[%ramp] : memref<8xf32>, vector<8xi32> -> vector<8xf32>
        tir.store %x, %b[%ramp] : vector<8xf32>, memref<8xf32>, vector<8xi32>
        %name = tir.string "g"
        %p = tir.call_intrin pure "tirx.buffer_data"(%c) : (memref<8xf32>) -> !tir.ptr<"global", f32>
        %d = tir.call_intrin "tirx.tvm_stack_make_array"(%p, %c8) : (!tir.ptr<"global", f32>, i32) -> !tir.handle
        tir.call_intrin "tirx.tvm_call_packed"(%name, %d) : (!tir.string, !tir.handle) -> ()
        tir.return
      }
    }
    """)

    def g(array):
        array[:] = 5

    f = partita.compile(mod, packed_funcs={"g": g})["f"]
    assert [param.get("is_written", False) for param in f.params] == [False, True, True]
    a, b, c = np.arange(8, dtype="float32"), np.zeros(8, "float32"), np.zeros(8, "float32")
    f(a, b, c)
    assert b.tolist() == a.tolist() and (c == 5).all()
