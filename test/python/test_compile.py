"""partita.compile: modules from TVM as native code."""

import pathlib
import subprocess
import sys
import threading
import zlib

import numpy as np
import pytest

import partita
from partita import relax, transform
from partita.instrument import pass_instrument
from partita.mlir import ir
from partita.mlir._mlir_libs import _partita

pytest.importorskip("partita.runtime")

MODELS = pathlib.Path(__file__).parents[1] / "Inputs/models"

SYMBOLIC = """
partita.module {
  relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %w: tensor<4x3xf32>)
      -> tensor<?x3xf32, #relax.shape<["n", 3]>> {
    %0 = relax.matmul %x, %w : tensor<?x4xf32, #relax.shape<["n", 4]>>, tensor<4x3xf32>
      -> tensor<?x3xf32, #relax.shape<["n", 3]>>
    %1 = relax.nn.relu %0 : tensor<?x3xf32, #relax.shape<["n", 3]>>
    relax.return %1 : tensor<?x3xf32, #relax.shape<["n", 3]>>
  }
}
"""


def compute_mlp(mod, x):
    """What mlp computes, with NumPy and the constants of the module."""
    weights = []

    def visit(expr):
        if isinstance(expr, relax.Constant):
            weights.append(expr.data)

    relax.analysis.post_order_visit(mod["main"], visit)
    for index in (0, 2, 4):
        x = x @ weights[index].T + weights[index + 1]
        if index != 4:
            x = np.maximum(x, 0)
    exp = np.exp(x - x.max(-1, keepdims=True))
    return exp / exp.sum(-1, keepdims=True)


@pytest.mark.parametrize("opt_level", range(4))
def test_model(opt_level):
    mod = partita.IRModule.from_tvm_json((MODELS / "mlp.json").read_text())
    x = np.random.default_rng(0).normal(size=(8, 64)).astype(np.float32)
    with transform.PassContext(opt_level=opt_level):
        code = partita.compile(mod)
    assert np.abs(code["main"](x) - compute_mlp(mod, x)).max() < 1e-5


def test_runtime_is_an_attribute():
    check = "import partita; partita.runtime.Executable; assert not hasattr(partita, 'runner')"
    subprocess.run([sys.executable, "-c", check], check=True)


def test_translation_fails():
    """Errors from code that runs without the GIL."""
    context = partita.IRModule.from_text(SYMBOLIC).operation.context
    module = partita.mlir.ir.Module.parse("module { func.func private @f() }", context)
    with pytest.raises(partita.mlir.ir.MLIRError, match="expected a module of the LLVM dialect"):
        _partita.translate_to_llvmir(module.operation)


def test_names_that_llvm_refuses():
    mod = partita.IRModule.from_text("""
partita.module {
  relax.func @"a\\00b"(%x: tensor<4xf32>) -> tensor<4xf32> {
    relax.return %x : tensor<4xf32>
  }
}""")
    with pytest.raises(partita.mlir.ir.MLIRError, match="expected a name without a byte that is 0"):
        partita.compile(mod)


def test_symbolic_sizes():
    code = partita.compile(partita.IRModule.from_text(SYMBOLIC))
    w = np.arange(12, dtype=np.float32).reshape(4, 3) - 5
    for n in (0, 1, 7, 40):
        x = np.random.default_rng(n).normal(size=(n, 4)).astype(np.float32)
        np.testing.assert_allclose(code["main"](x, w), np.maximum(x @ w, 0), 1e-5, 1e-5)
    with pytest.raises(ValueError, match=r"'x' of 'main' to have shape \(n, 4\)"):
        code["main"](np.zeros((2, 5), np.float32), w)


def test_legalized_for_tvm():
    """Exported after LegalizeOps, and read again: TVM's blocks, with the same numbers."""
    mod = transform.get_pass("LegalizeOps")(partita.IRModule.from_text(SYMBOLIC))
    text = mod.script()
    again = partita.IRModule.from_tvm_json(mod.to_tvm_json())
    assert mod.script() == text and "linalg" in text
    assert "linalg" not in again.script() and 'tir.block "matmul"' in again.script()
    x = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    w = np.arange(12, dtype=np.float32).reshape(4, 3) - 5
    np.testing.assert_allclose(
        partita.compile(again)["main"](x, w), np.maximum(x @ w, 0), 1e-5, 1e-5
    )


def test_export_while_passes_run():
    """An instrument may export the module between passes."""
    sizes = []

    @pass_instrument
    class Export:
        def run_after_pass(self, mod, info):
            sizes.append(len(mod.to_tvm_json()))

    with transform.PassContext(instruments=[Export()]):
        transform.Sequential([transform.get_pass("LegalizeOps")])(
            partita.IRModule.from_text(SYMBOLIC)
        )
    assert len(sizes) == 2 and min(sizes) > 0


def test_from_other_modules():
    """An mlir.ir.Module, which may hold functions of other dialects."""
    context = partita.IRModule.from_text(SYMBOLIC).operation.context
    module = partita.mlir.ir.Module.parse(f"module {{ {SYMBOLIC} }}", context)
    before = str(module)
    code = partita.compile(module)
    assert code["main"](np.ones((1, 4), np.float32), np.ones((4, 3), np.float32)).tolist() == [
        [4, 4, 4]
    ]
    assert str(module) == before


def test_tensors_on_a_cpu_stay_where_they_are():
    x = relax.Var("x", relax.TensorType((2,), "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        copy = builder.emit(relax.op.to_vdevice(x, relax.VDevice("llvm", 1)))
        builder.emit_func_output(builder.emit(relax.op.hint_on_device(copy, (1, 1))))
    mod = builder.finalize()
    for each in (mod, partita.IRModule.from_tvm_json(mod.to_tvm_json())):
        given = np.array([1, 2], np.float32)
        assert partita.compile(each)["main"](given).tolist() == [1, 2]


def test_sizes_are_arguments():
    """vm.call_tir_dyn gives each size of a shape by itself."""
    mod = partita.IRModule.from_text("""
    !x = tensor<?xf32, #relax.shape<["n"]>>
    partita.module {
      relax.func @main(%x: !x) -> !x {
        %shape = relax.shape ["n"]
        %sizes = relax.shape ["n", 20]
        %device = relax.prim_value 0 : i64
        %scope = relax.string "global"
        %dtype = relax.dtype f32
        %f = relax.global @fill
        %a = relax.builtin.alloc_tensor %shape, %dtype, %device, %scope : (!relax.shape<["n"]>, !relax.object, i64, !relax.object) -> !x
        %args = relax.tuple(%a, %sizes) : !x, !relax.shape<["n", 20]>
        %0 = relax.vm.call_tir_dyn(%f, %args) : (!relax.object, tuple<!x, !relax.shape<["n", 20]>>) -> tuple<>
        relax.return %a : !x
      }
      tir.prim_func private @fill(%a: memref<?xf32>, %n: i64, %k: i64) {
        %0 = arith.subi %k, %n : i64
        %1 = arith.sitofp %0 : i64 to f32
        linalg.fill ins(%1 : f32) outs(%a : memref<?xf32>)
        tir.return
      }
    }""")
    assert partita.compile(mod)["main"](np.zeros(3, np.float32)).tolist() == [17, 17, 17]


def test_pipeline():
    """The passes that run first, and the instruments that see all passes."""
    seen = []

    @pass_instrument
    class Names:
        def run_before_pass(self, mod, info):
            seen.append(info.name)

    @transform.module_pass(opt_level=0)
    def mark(mod, ctx):
        seen.append(type(mod).__name__)
        return mod

    mod = partita.IRModule.from_text(SYMBOLIC)
    with transform.PassContext(opt_level=1, instruments=[Names()]):
        partita.compile(mod, relax_pipeline=transform.Sequential([mark]))
    assert seen[:3] == ["sequential", "mark", "IRModule"]
    assert {"LegalizeOps", "one-shot-bufferize", "reconcile-unrealized-casts"} <= set(seen)
    assert "EliminateCommonSubexpr" not in seen
    with transform.PassContext(opt_level=1, instruments=[Names()]):
        partita.compile(mod)
    assert "EliminateCommonSubexpr" in seen


def test_control_flow():
    mod = partita.IRModule.from_text("""
partita.module {
  relax.func private @count(%x: tensor<f32>, %n: tensor<f32>) -> tensor<f32> {
    %zero = relax.constant dense<0.0> : tensor<f32>
    %one = relax.constant dense<1.0> : tensor<f32>
    %c = relax.greater %n, %zero : tensor<f32>, tensor<f32> -> tensor<i1>
    %r = relax.if %c : tensor<i1> -> tensor<f32> {
      %y = relax.multiply %x, %n : tensor<f32>
      %m = relax.subtract %n, %one : tensor<f32>
      %z = relax.call @count(%y, %m) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      relax.yield %z : tensor<f32>
    } else {
      relax.yield %x : tensor<f32>
    }
    relax.return %r : tensor<f32>
  }
  relax.func @main(%n: tensor<f32>) -> (tensor<f32>, tuple<tensor<f32>, tensor<f32>>) {
    %one = relax.constant dense<1.0> : tensor<f32>
    %r = relax.call @count(%one, %n) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %t = relax.tuple(%n, %r) : tensor<f32>, tensor<f32>
    relax.return %r, %t : tensor<f32>, tuple<tensor<f32>, tensor<f32>>
  }
}
""")
    main = partita.compile(mod)["main"]
    for n in (0, 1, 5):
        factorial, (same, again) = main(np.float32(n))
        assert factorial == again == np.prod(np.arange(1, n + 1)) and same == n


def test_large_constants(tmp_path):
    # They are kept as bytes beside the code.
    rng = np.random.default_rng(0)
    arrays = [
        rng.standard_normal((3, 5, 700)).astype("float32"),
        rng.standard_normal((50, 50)).astype("float16"),
        rng.integers(-100, 100, 4096).astype("int8"),
        rng.integers(-100, 100, 4097).astype("int8"),
        rng.integers(-100, 100, 4095).astype("int8"),
        rng.integers(-100, 100, (600, 1)),
        np.full((40, 40), 3.5),
        rng.integers(0, 2, 5000).astype("bool"),
    ]
    builder = relax.BlockBuilder()
    with builder.function("main", []):
        constants = [relax.const(array, str(array.dtype)) for array in arrays]
        outs = [builder.emit(relax.op.add(c, c)) for c in constants[:-1]]
        outs.append(builder.emit(relax.op.logical_not(constants[-1])))
        builder.emit_func_output(relax.Tuple(outs))

    def check(executable):
        results = executable["main"]()
        for array, result in zip(arrays, results, strict=True):
            expected = ~array if array.dtype == "bool" else array + array
            assert result.dtype == array.dtype
            np.testing.assert_array_equal(result, expected)

    with transform.PassContext(opt_level=1):
        executable = partita.compile(builder.get())
    check(executable)
    path = tmp_path / "constants.o"
    executable.save(path)
    check(partita.runtime.load(path))
    contents = path.read_bytes()
    for array in arrays[:4]:
        assert contents.count(array.tobytes()) == 1
    assert contents.index(arrays[0].tobytes()) % 64 == 0
    where = contents.index(arrays[0].tobytes()) + 1000
    end = len(contents) - 4 - 8 - 8
    before = (1 << 40).to_bytes(8, "little")
    far = contents[:end] + before
    for damaged in (
        contents[:where] + bytes([contents[where] ^ 1]) + contents[where + 1 :],
        far + b"PARTITA2" + zlib.crc32(far).to_bytes(4, "little"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(RuntimeError, match="but found another or a damaged file"):
            partita.runtime.load(path)


@pytest.mark.parametrize(
    "code",
    [
        """
        llvm.mlir.global private constant @x(dense<1.5> : tensor<2048xf32>) : !llvm.array<2048 x f32>
        llvm.mlir.alias external @y : !llvm.array<2048 x f32> {
          %0 = llvm.mlir.addressof @x : !llvm.ptr
          llvm.return %0 : !llvm.ptr
        }
        """,
        """
        llvm.comdat @c { llvm.comdat_selector @any any }
        llvm.mlir.global linkonce constant @x(dense<1.5> : tensor<2048xf32>) comdat(@c::@any)
          : !llvm.array<2048 x f32>
        """,
        """
        llvm.mlir.global internal thread_local constant @x(dense<1.5> : tensor<2048xf32>)
          : !llvm.array<2048 x f32>
        """,
    ],
)
def test_constants_that_stay_in_the_code(code):
    module = ir.Module.parse(code, context=partita.IRModule({}).operation.context)
    # The code is valid, but for its metadata.
    with pytest.raises(RuntimeError, match="expected a global string 'partita_metadata'"):
        partita.runtime.Executable(_partita.translate_to_llvmir(module.operation))


def test_instruments_keep_lowered_modules():
    kept = []

    @pass_instrument
    class Keep:
        def run_after_pass(self, mod, info):
            if info.name == "ConvertPartitaToFunc":
                kept.append(mod.clone())

    array = np.random.default_rng(0).standard_normal(3000).astype("float32")
    mod = partita.IRModule({"main": relax.Function([], relax.const(array))})
    with transform.PassContext(instruments=[Keep()]):
        result = partita.compile(mod)["main"]()
    np.testing.assert_array_equal(result, array)
    del mod, result
    partita.compile(partita.IRModule({"main": relax.Function([], relax.const(-array))}))
    (lowered,) = kept
    assert array[:500].tobytes().hex().upper() in str(lowered)


@pytest.mark.parametrize("name", ["zero", "default_build", "LegalizeOps", "default-O3"])
def test_pipelines_have_names(name):
    mod = partita.IRModule.from_tvm_json((MODELS / "mlp.json").read_text())
    arrays = np.load(MODELS / "mlp.npz")
    main = partita.compile(mod, relax_pipeline=name)["main"]
    np.testing.assert_allclose(main(arrays["in_x"]), arrays["out_0"], atol=1e-5)


def test_casts_are_checked():
    mod = partita.IRModule.from_text("""
partita.module {
  relax.func @main(%x: tensor<?xf32>, %y: tensor<?xf32, #relax.shape<["n * 2"]>>,
                   %z: tensor<?xf32, #relax.shape<["n"]>>) -> tensor<4xf32> {
    %0 = relax.match_cast %x : tensor<?xf32> -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
}
""")
    main = partita.compile(mod, relax_pipeline=None)["main"]
    x, y, z = (np.arange(size, dtype=np.float32) for size in (4, 6, 3))
    result = main(x, y, z)
    assert result.tolist() == x.tolist() and not np.shares_memory(result, x)
    with pytest.raises(RuntimeError, match="dimension 0 of a match_cast in 'main' to be 4"):
        main(y, y, z)
    with pytest.raises(RuntimeError, match=r"of argument 'y' of 'main' to be n \* 2"):
        main(x, x, z)
    assert main(x, y, z).tolist() == x.tolist()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            '%r = "relax.ccl.allreduce"(%x) {op_type = "mean", in_group = true} : '
            "(tensor<4xf32>) -> tensor<4xf32>",
            "'relax.ccl.allreduce' op can't be",
        ),
        (
            '%f = relax.extern_func "f"\n'
            "%c = relax.make_closure(%f, %x) : (!relax.object, tensor<4xf32>) -> !relax.object\n"
            "%r = relax.call_value(%c, %x) : (!relax.object, tensor<4xf32>) -> tensor<4xf32>",
            "'relax.call_value' op can't be compiled: expected a closure that is made of a function",
        ),
    ],
)
def test_without_lowering(body, message):
    mod = partita.IRModule.from_text(
        "partita.module {\nrelax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        f"{body}\nrelax.return %r : tensor<4xf32>\n}}\n}}"
    )
    with pytest.raises(partita.PassError, match=message):
        partita.compile(mod)


def test_wrong_arguments():
    mod = partita.IRModule.from_text(SYMBOLIC)
    with pytest.raises(ValueError, match="expected target to be 'llvm', but found 'cuda'"):
        partita.compile(mod, "cuda")
    with pytest.raises(ValueError, match="expected mod to have a public function"):
        partita.compile(partita.IRModule())
    with pytest.raises(TypeError, match="expected mod to be an IRModule"):
        partita.compile("main")


def test_threads():
    """Modules compile, and code runs, on several threads."""
    mod = partita.IRModule.from_text(SYMBOLIC)
    errors = []

    def work(seed):
        rng = np.random.default_rng(seed)
        code = partita.compile(mod)
        for _ in range(50):
            x, w = (rng.normal(size=size).astype(np.float32) for size in ((seed, 4), (4, 3)))
            if not np.allclose(code["main"](x, w), np.maximum(x @ w, 0), 1e-4, 1e-4):
                errors.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_saved_code(tmp_path):
    path = tmp_path / "code.o"
    partita.compile(partita.IRModule.from_text(SYMBOLIC)).save(path)
    program = (
        "import numpy as np, sys, partita.runtime\n"
        "main = partita.runtime.load(sys.argv[1])['main']\n"
        "print(main(np.ones((2, 4), np.float32), np.ones((4, 3), np.float32)).tolist())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str([[4.0] * 3] * 2)


def test_legalized_by_hand():
    """A custom lowering from Python is compiled, too."""
    mod = partita.IRModule.from_text(SYMBOLIC)
    legal = relax.transform.LegalizeOps()(mod)
    code = partita.compile(legal, relax_pipeline=None)
    x = np.ones((1, 4), np.float32)
    assert code["main"](x, np.eye(4, 3, dtype=np.float32)).tolist() == [[1, 1, 1]]


@pytest.mark.parametrize(
    "body",
    [
        """
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = relax.call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %z = relax.exp %y : tensor<4xf32>
    relax.return %z : tensor<4xf32>
  }
  relax.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = relax.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %z = relax.negative %y : tensor<4xf32>
    relax.return %z : tensor<4xf32>
  }""",
        """
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = relax.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %z = relax.exp %y : tensor<4xf32>
    relax.return %z : tensor<4xf32>
  }""",
        """
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = relax.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
    relax.return %y : tensor<4xf32>
  }""",
        """
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = relax.call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
    relax.return %y : tensor<4xf32>
  }
  relax.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = relax.negative %x : tensor<4xf32>
    %z = relax.call @main(%y) : (tensor<4xf32>) -> tensor<4xf32>
    relax.return %z : tensor<4xf32>
  }""",
    ],
)
def test_recursion_without_an_end(body):
    code = partita.compile(partita.IRModule.from_text(f"partita.module {{ {body} }}"))
    found = []

    def call():
        with pytest.raises(RuntimeError, match="a function of the module calls itself until"):
            code["main"](np.ones(4, np.float32))
        found.append(True)

    call()
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert found == [True, True]


def test_sizes_that_memory_lacks():
    """Also where the number of bytes would overflow."""
    mod = partita.IRModule.from_text("""
partita.module {
  relax.func @main(%s: !relax.shape<["n", "m"]>)
      -> tensor<?x?xf32, #relax.shape<["n - 1", "m"]>> {
    %0 = relax.shape ["n - 1", "m"]
    %1 = relax.ones %0 {dtype = f32}
      : (!relax.shape<["n - 1", "m"]>) -> tensor<?x?xf32, #relax.shape<["n - 1", "m"]>>
    relax.return %1 : tensor<?x?xf32, #relax.shape<["n - 1", "m"]>>
  }
}
""")
    main = partita.compile(mod)["main"]
    assert main((3, 2)).tolist() == [[1, 1], [1, 1]]
    assert main((1, 2**40)).shape == (0, 2**40)
    for n, m in ((0, 2), (2**32 + 1, 2**30), (2**62 + 1, 4), (2**33, 2**33), (2**30, 1 << 10)):
        with pytest.raises(RuntimeError, match="expected"):
            main((n, m))
    assert main((2, 1)).tolist() == [[1]]
    text = "tensor<1099511627776x1099511627776xf32>"
    with pytest.raises(partita.PassError, match="expected a tensor that fits into memory"):
        partita.compile(
            partita.IRModule.from_text(
                f"partita.module {{ relax.func @main(%x: tensor<f32>) -> {text} {{\n"
                "%s = relax.shape [1099511627776, 1099511627776]\n"
                '%0 = "relax.broadcast_to"(%x, %s) : '
                "(tensor<f32>, !relax.shape<[1099511627776, 1099511627776]>)"
                f" -> {text}\nrelax.return %0 : {text}\n}} }}"
            ),
            relax_pipeline=None,
        )


@pytest.mark.parametrize("pipeline", ["default", "zero", "default_build"])
def test_numbers_that_sizes_make(pipeline):
    mod = partita.IRModule.from_text("""
        partita.module {
          relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %k: i64 {relax.dim = "k"})
              -> (i64, i1, !relax.shape<["prim.if_then_else:int64(k < 0, k + n, k)"]>) {
            %0 = relax.dim ["n * 4 + 1"] : i64
            %1 = relax.dim ["n == 3"] : i1
            %2 = relax.shape ["prim.if_then_else:int64(k < 0, k + n, k)"]
            relax.return %0, %1, %2
              : i64, i1, !relax.shape<["prim.if_then_else:int64(k < 0, k + n, k)"]>
          }
        }""")
    main = partita.compile(mod, relax_pipeline=pipeline)["main"]
    assert main(np.zeros((3, 4), "float32"), 2) == (13, True, (2,))
    assert main(np.zeros((2, 4), "float32"), -1) == (9, False, (1,))


def test_batch_norms_for_training_keep_their_numbers():
    """TVM's own pipeline does not fold them: they normalize by the data, at all levels."""
    mod = partita.IRModule.from_text("""
        partita.module {
          relax.func @main(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
            %w = relax.constant dense<[[[[10.0]]], [[[30.0]]]]> : tensor<2x1x1x1xf32>
            %p = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
            %0 = relax.nn.conv2d %x, %w
              : tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x3x3xf32>
            %1, %m, %v = relax.nn.batch_norm %0, %p, %p, %p, %p axis = 1
              : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
              -> (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>)
            relax.return %1 : tensor<1x2x3x3xf32>
          }
        }""")
    x = np.arange(9, dtype="float32").reshape(1, 1, 3, 3)
    y = x * np.array([10, 30], "float32").reshape(1, 2, 1, 1)
    p = np.array([1, 2], "float32").reshape(1, 2, 1, 1)
    mean, var = (f(y, axis=(2, 3), keepdims=True) for f in (np.mean, np.var))
    for level in range(4):
        with partita.transform.PassContext(opt_level=level):
            main = partita.compile(mod)["main"]
        np.testing.assert_allclose(main(x), (y - mean) / np.sqrt(var + 1e-5) * p + p, rtol=1e-5)
