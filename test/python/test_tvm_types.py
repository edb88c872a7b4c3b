"""Types, sizes and devices as TVM's users write them."""

import math
import pickle

import numpy
import pytest

from partita import DataType, DataTypeCode, IRModule, error, errors, ir, relax, tir, tirx, transform
from partita.mlir import ir as mlir_ir
from partita.relax import FuncType, ShapeType, TensorType
from partita.relax.types import from_mlir

n, m = tirx.Var("n", "int64"), tir.Var("m")
CUDA = ir.VDevice("cuda", 1)


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (TensorType((2, 3), None), "!relax.tensor<[2, 3], ?>"),
        (TensorType((2, "n"), dtype=""), '!relax.tensor<[2, "n"], ?>'),
        (TensorType(None, None), "!relax.tensor<*, ?>"),
        (TensorType(ndim=0), "!relax.tensor<[], f32, shape = ?>"),
        (TensorType(()), "tensor<f32>"),
        (TensorType(ndim=2), "tensor<?x?xf32>"),
        (TensorType((2,), vdevice=1), "!relax.tensor<[2], f32, vdevice = 1>"),
        (TensorType(relax.Var("s", ShapeType())), '!relax.tensor<*, f32, shape = "s">'),
        (
            TensorType(relax.Var("s", ShapeType(ndim=2)), "int8"),
            '!relax.tensor<[?, ?], i8, shape = "s">',
        ),
        (
            TensorType(relax.ShapeExpr([2, n])),
            'tensor<2x?xf32, #relax.shape<[2, "n"]>>',
        ),
        (ShapeType(), "!relax.shape<*>"),
        (ShapeType(ndim=0), "!relax.shape<[], ?>"),
        (ShapeType([]), "!relax.shape<[]>"),
        (ShapeType(ndim=1), "!relax.shape<[?]>"),
        (relax.ObjectType(), "!relax.object"),
        (relax.PrimType("int64"), "i64"),
        (FuncType.opaque_func(), "!relax.callable<(*) -> !relax.object, impure>"),
        (
            FuncType.opaque_func(ret=TensorType((2,)), purity=True),
            "!relax.callable<(*) -> tensor<2xf32>>",
        ),
        (
            FuncType.opaque_func(derive_func="f.g", purity=True),
            '!relax.callable<(*) -> !relax.object, derive = "f.g">',
        ),
    ],
)
def test_types_as_in_the_dialect(type_, text):
    assert str(type_.to_mlir()) == text
    assert from_mlir(type_.to_mlir()) == type_
    assert relax.Var("x", type_).struct_info == type_


def test_what_is_unknown_reads_as_in_tvm():
    assert TensorType((2, 3), dtype="").dtype is None
    assert TensorType(ndim=0).shape is None and TensorType(ndim=0).ndim == 0
    assert TensorType(()).shape == () and TensorType(ndim=0) != TensorType(())
    assert ShapeType(ndim=0).values is None and ShapeType(()).values == ()
    tensor = TensorType(relax.Var("s", ShapeType(ndim=2)))
    assert (tensor.shape_var, tensor.shape, tensor.ndim) == ("s", (None, None), 2)
    func = FuncType.opaque_func()
    assert func.params is None and not func.purity and isinstance(func, FuncType)
    assert "ndim=0" in repr(TensorType(ndim=0)) and "shape_var='s'" in repr(tensor)


def test_functions_of_such_types():
    types = [TensorType((2,), None), TensorType((2,), vdevice=CUDA), ShapeType(ndim=0)]
    params = [relax.Var(f"x{i}", type_) for i, type_ in enumerate(types)]
    func = relax.Function(params, relax.Tuple(params))
    assert [param.struct_info for param in func.params] == types
    f = relax.Var("f", FuncType.opaque_func(ret=types[0]))
    for call in (relax.Call(f, [params[0]]), relax.Call(f, [params[0]], sinfo_args=[types[0]])):
        assert relax.Function([f, params[0]], call, is_pure=False).ret_type == types[0]


def nest(depth):
    """A size with `depth` calls in each other."""
    size = n
    for _ in range(depth):
        size = tir.max(size // 3, 4)
    return size


def long_names(count):
    return [tir.Var(f"name_of_16_chars_{i}") for i in range(count)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TensorType((2,), ndim=3), "expected 3 dimensions"),
        (lambda: TensorType(relax.Var("s", ShapeType(ndim=2)), ndim=3), "expected 3 dimensions"),
        (lambda: TensorType((-2,)).to_mlir(), "expected a size of at least 0"),
        (lambda: TensorType(("",), None).to_mlir(), "expected"),
        (lambda: ShapeType([-1]).to_mlir(), "expected"),
        (lambda: TensorType((2,), vdevice=-1).to_mlir(), "expected the index of a vdevice"),
        (lambda: tir.Var("n + 1"), "expected the name of a size to be an identifier"),
        (
            lambda: relax.TensorType((tir.Var("n", "int32"),)),
            "whose dtype is int64, but found 'n', whose dtype is int32",
        ),
        (lambda: n // 0, "expected a size that is an expression"),
        (lambda: nest(40), r"at most 31 brackets in each other, but found 32 in .*match_cast"),
        (lambda: math.prod(long_names(60), start=n), "at most 512 characters, but found 5"),
        (lambda: n * 2**63, "a number of 64 bits, but found 9223372036854775808"),
        (lambda: tir.floordiv(-(2**63), -1), "a number of 64 bits, but found 9223372036854775808"),
        (lambda: ir.VDevice({"tag": "x"}), "expected the kind of a target"),
    ],
)
def test_types_that_cannot_be(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TensorType(relax.Var("s", TensorType((2,)))), "an expression of ShapeType"),
        (lambda: TensorType((2,), vdevice="llvm"), "a vdevice to be a VDevice"),
        (lambda: TensorType((object(),)), "a size made of tir.Var"),
        (lambda: n / 2, "divided by floordiv"),
        (lambda: tir.max(n, None), "expected sizes"),
        (lambda: n + 1.5, "unsupported operand"),
    ],
)
def test_types_of_what_cannot_be(make, message):
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (1 + n, "n + 1"),
        (n - 1, "n - 1"),
        (4 - n, "4 - n"),
        (n * 2 + n, "n * 3"),
        (n // 2, "n // 2"),
        (7 // n, "7 // n"),
        (n % 3, "n % 3"),
        (7 % n, "7 % n"),
        (n * m, "n * m"),
        (-n, "n * -1"),
        (tir.max(n, 1), "max(n, 1)"),
        (tir.max(n + 1, n), "n + 1"),
        (tir.min(n, m), "min(n, m)"),
        (tir.min(n + 1, n), "n"),
        (tir.floordiv(n, 2), "n // 2"),
        (tir.floormod(n, 2), "n % 2"),
        (tir.ceildiv(n, 4), "(n + 3) // 4"),
        ((n + 1) * 2, "n * 2 + 2"),
        (n - n, 0),
        (tir.ceildiv(9, 4), 3),
        (tir.max(2, 3), 3),
        (tir.IntImm("int64", 3) + 1, 4),
        (n + tir.IntImm("int64", 3), "n + 3"),
        (tir.max(tir.max(n, m) + 1, 1), "max(n, m) + 1"),
        (n * 2 * (m * 3), "n * m * 6"),
        (n * (m * n), "n * n * m"),
        (n * m - m * n, 0),
        (tir.div(n, 2), "n // 2"),
        # Numbers that leave 64 bits are computed no further.
        (n * 2**62 * 4, "n * 4611686018427387904 * 4"),
        (n * 2**62 * 4 // 4, "(n * 4611686018427387904 * 4) // 4"),
        (n + 2**62 + 2**62, "n + 4611686018427387904 + 4611686018427387904"),
        (n - (2**63 - 1) - 2, "(n - 9223372036854775807) - 2"),
        (n * -(2**63) * -1, "(n * -9223372036854775808) * -1"),
        ((n * 2**62 + m) // 2**62, "(n * 4611686018427387904 + m) // 4611686018427387904"),
        (tir.min(n + 2**62 + 2**62, 1), "min((n + 4611686018427387904 + 4611686018427387904), 1)"),
        (tir.ceildiv(n, 2**62), "(n + 4611686018427387903) // 4611686018427387904"),
    ],
)
def test_arithmetic_of_sizes(size, text):
    assert size == text
    assert isinstance(size, (int, ir.PrimExpr))
    tensor = TensorType((size,))
    assert from_mlir(tensor.to_mlir()) == tensor and tensor == TensorType((text,))
    assert relax.ShapeExpr([size]).values == (size,)
    assert relax.PrimValue(size).value == size


def test_sizes_are_texts():
    """Programs that know sizes as str go on working."""
    x = relax.Var("x", TensorType((n, n + 1, 4)))
    size = x.struct_info.shape[0]
    assert isinstance(size, tir.Var) and size == n and size.name == "n" and size.dtype == "int64"
    assert f"{size}" == "n" == str(size) and {size: 1}["n"] == 1
    assert f"a{size}" == "an" and "%s %d" % (size, 1) == "n 1"
    for add in (lambda: size + "b", lambda: "a" + size):
        with pytest.raises(TypeError):
            add()
    assert "%s" % size == "n" and size.join(["1", "2"]) == "1n2"
    flat = relax.op.reshape(x, (size * (size + 1), 4))
    assert flat.struct_info.shape == (n * (n + 1), 4)
    for one in (n, n + 1, tir.IntImm("int32", 3)):
        copy = pickle.loads(pickle.dumps(one))
        assert copy == one and type(copy) is type(one)
    assert tir.IntImm("int32", 3).dtype == "int32" and tir.const(3).value == 3
    assert tir.undefined_vars(n * m + n) == [n, m]
    assert tir.undefined_vars("cast:int64(prim.ceil:float32(n - m))") == [n, m]
    assert tir.substitute(n * 2 + m, {n: m + 1}) == m * 3 + 2
    assert tir.substitute(n * 2, {n: 3}) == 6


def test_conditions_of_sizes():
    less = n < m
    assert str(less) == "n < m" and less == (n < m) != (n <= m) and less.dtype == "bool"
    assert str(n + 1 >= 4) == "n + 1 >= 4" and str(4 > n) == "n < 4"
    # Python's own `max` would choose by the names.
    for decide in (lambda: bool(less), lambda: max(n, m), lambda: sorted([n, m])):
        with pytest.raises(TypeError, match="known when the program runs; use if_then_else"):
            decide()
    assert sorted(["m", n], key=str) == ["m", n] and n < "o" and "m" < n
    with pytest.raises(TypeError, match="not supported between"):
        n < 1.5
    with pytest.raises(TypeError, match="expected a condition"):
        tir.if_then_else(n, n, m)
    assert tir.if_then_else(True, n, m) == n and tir.Select(False, n, 3) == 3
    size = tir.if_then_else(less, n, m + 1)
    assert size == "prim.if_then_else:int64(n < m, n, m + 1)"
    assert tir.undefined_vars(size) == [n, m]
    x = relax.Var("x", TensorType((n, m)))
    made = relax.op.zeros((size, tir.Select(less, n, m)), "float32")
    assert made.ty.shape == (size, "select(n < m, n, m)")
    mod = IRModule({"main": relax.Function([x], made)})
    imported = IRModule.from_tvm_json(mod.to_tvm_json())
    assert imported["main"].ret_type.shape == made.ty.shape


def test_sizes_as_operands():
    x = relax.Var("x", TensorType((n, 4)))
    shape = relax.ShapeExpr([n, 4])
    assert (list(shape), len(shape), shape[0]) == ([n, 4], 2, n)
    assert relax.op.full((n, 4), relax.const(1.0)).struct_info == x.struct_info
    assert relax.op.arange(n).struct_info.shape == (n,)
    number = relax.PrimValue(n + 1)
    assert isinstance(number, relax.PrimValue) and number.struct_info == relax.PrimType("int64")
    call = relax.op.call_packed("f", x, n * 2, sinfo_args=x.struct_info)
    assert call.args[1].value == n * 2
    func = relax.Function([x], relax.op.call_packed("f", number, sinfo_args=x.struct_info))
    assert 'relax.dim ["n + 1"]' in str(func)
    assert relax.convert_to_expr(n).value == n
    made = relax.utils.convert_to_expr([2, 0.5, "text", x])
    assert [type(field).__name__ for field in made] == ["PrimValue"] * 2 + ["StringImm", "Var"]


def test_sizes_have_what_tvm_gives_them():
    for type_ in (TensorType((n, n + 1, 4)), relax.Var("x", TensorType((n, n + 1, 4))).ty):
        shape = type_.shape
        assert shape.values is shape and len(shape.values) == 3
        assert isinstance(shape[2], tir.IntImm) and (shape[2].value, shape[2].dtype) == (4, "int64")
        assert all(size.ty == relax.PrimType("int64") for size in shape)
    assert isinstance(relax.ShapeExpr((n, 4)).values[1], tir.IntImm)


def test_numbers_of_a_type():
    assert relax.PrimValue(tir.IntImm("int32", 3)).ty == relax.PrimType("int32")
    assert relax.PrimValue(tir.FloatImm("float16", 3)).ty == relax.PrimType("float16")
    assert relax.PrimValue(3).ty == relax.PrimType("int64")
    half = tir.const(0.5, "float16")
    assert half == 0.5 == half.value and half.ty == relax.PrimType("float16")
    assert pickle.loads(pickle.dumps(half)).dtype == "float16"
    with pytest.raises(ValueError, match="a float's, found 'int32'"):
        tir.FloatImm("int32", 3)


def test_devices():
    mod = IRModule({}, global_infos={"vdevice": [CUDA, ir.VDevice()]})
    assert mod.global_infos["vdevice"] == [CUDA, ir.VDevice()]
    mod.update_global_info("dummy", [ir.DummyGlobalInfo()])
    assert mod.global_infos.dummy == [ir.DummyGlobalInfo()] and len(mod.global_infos) == 2
    assert CUDA.target["keys"] == ["cuda", "gpu"] and CUDA.memory_scope == "global"
    host = ir.VDevice({"kind": "llvm", "mcpu": "x"})
    assert host.target["attrs"] == {"mcpu": "x"} and host != CUDA and len({host, CUDA, CUDA}) == 2
    x = relax.Var("x", TensorType((2,), "float32", CUDA))
    assert x.struct_info.vdevice == CUDA
    moved = relax.op.to_vdevice(x, host)
    assert moved.struct_info == TensorType((2,), "float32", host)
    assert relax.Function([x], moved).ret_type == moved.struct_info
    hint = relax.op.hint_on_device(x, ir.VDevice("llvm"))
    assert (hint.attrs.device_type, hint.attrs.index) == (1, 0)
    assert relax.op.hint_on_device(x, (2, 3), "texture").attrs.index == 3
    with pytest.raises(ValueError, match="expected a vdevice of one of"):
        relax.op.hint_on_device(x, ir.VDevice())


def test_where_tvm_has_names():
    import partita.tirx.transform as tirx_transform
    from partita.relax.struct_info import TensorType as same

    assert tirx is tir and tirx_transform is tir.transform and same is TensorType
    assert relax.type.ShapeType is ShapeType
    for name in (
        "BindingBlock",
        "If",
        "MatchCast",
        "SeqExpr",
        "Function",
        "PrimValue",
        "ExternFunc",
    ):
        assert getattr(relax.expr, name) is getattr(relax, name)
    assert ir.Var is relax.Var and ir.PrimType is relax.PrimType


def test_slices_of_numbers():
    x = relax.Var("x", TensorType((8, 9, 10, 10)))
    sliced = relax.op.strided_slice(x, [0, 1, 3], [1, 0, 8], [8, 9, 0], [2, 1, -3])
    assert sliced.struct_info == TensorType((4, 9, 10, 3))
    symbolic = relax.Var("y", TensorType((n, 9)))
    first = relax.op.strided_slice(symbolic, [0], [0], [7])
    assert first.struct_info == TensorType((tir.min(7, n), 9))
    inbound = relax.op.strided_slice(symbolic, [0], [m], [m + 1], assume_inbound=True)
    assert inbound.struct_info == TensorType((1, 9))
    func = relax.Function([x], sliced)
    assert func.struct_info.purity
    assert func.ret_type == sliced.struct_info
    for axes in ([0, 0], [0, -4], [4], [-5]):
        zeros, ends = [0] * len(axes), [8] * len(axes)
        with pytest.raises(ValueError, match="axis|axes"):
            relax.op.strided_slice(x, axes, zeros, ends)
    with pytest.raises(ValueError, match="as many numbers"):
        relax.op.strided_slice(x, [1], [], [9])


def test_checkpoints_of_variables():
    x = relax.Var("x", TensorType((2,)))
    for function in (relax.op.grad.start_checkpoint, relax.op.grad.end_checkpoint):
        assert function(x).struct_info == x.struct_info
        assert function(relax.op.exp(x)).struct_info == x.struct_info
        for other in ((x, x), relax.const(1.0), 1.0):
            with pytest.raises(TypeError, match="expected a variable"):
                function(other)


def test_errors_of_calls():
    """TVM raises TypeErrors and ValueErrors."""
    x = relax.Var("x", TensorType((2, 3), "int8"))
    for kind in (TypeError, ValueError, errors.CallError, error.InternalError):
        with pytest.raises(kind, match="relax.nn.softmax: .* tensor of floats"):
            relax.op.nn.softmax(x)
    assert not relax.op.call_packed("f", x, sinfo_args=x.struct_info).is_pure
    assert relax.op.call_pure_packed("f", x, sinfo_args=x.struct_info).is_pure
    assert relax.op.add(x, x).is_pure and relax.op.match_cast(x, x.struct_info).is_pure
    assert not relax.op.print(x).is_pure and not relax.op.assert_op(True).is_pure


def test_modules_as_json():
    x = relax.Var("x", TensorType((n, 4), "float32", CUDA))
    mod = IRModule({"main": relax.Function([x], relax.op.exp(x))}, global_infos={"vdevice": [CUDA]})
    again = ir.load_json(ir.save_json(mod))
    assert again["main"].params[0].struct_info == x.struct_info
    assert again.global_infos == mod.global_infos
    func = ir.load_json(ir.save_json(mod["main"]))
    assert ir.structural_equal(func, mod["main"].with_attr("global_symbol", "main"))
    for one in (3, "x", [x], None):
        with pytest.raises(TypeError, match="expected a function or an expression, but found"):
            ir.save_json(one)


def test_equal_expressions():
    equal = ir.structural_equal
    x, y = (relax.Var(name, TensorType((n, 4))) for name in "xy")
    assert equal(relax.op.exp(x), relax.op.exp(x)) and not equal(relax.op.exp(x), relax.op.exp(y))
    assert equal(relax.op.exp(x), relax.op.exp(y), map_free_vars=True)
    assert not equal(relax.op.exp(x), relax.op.sin(x))
    assert equal([n + 1, 2], [n + 1, 2]) and not equal([n], [m]) and not equal([n], [n, m])
    assert equal(relax.ShapeExpr([n]), relax.ShapeExpr([n]))
    assert not equal(relax.StringImm("a"), relax.StringImm("b"))
    with pytest.raises(ValueError, match="expected equal values"):
        ir.assert_structural_equal(relax.op.exp(x), relax.op.sin(x))
    with pytest.raises(TypeError, match="expected an IRModule or a function"):
        equal(object(), x)


def test_result_types_that_say_less():
    # As in TVM, the body's type is the function's then.
    x = relax.Var("x", TensorType((n, 4)))
    for type_ in (TensorType(), TensorType((None, 4)), TensorType((n, 4), None), x.struct_info):
        func = relax.Function([x], relax.op.exp(x), ret_type=type_)
        assert func.ret_type == x.struct_info and "match_cast" not in str(func)
        pair = relax.Function([x], relax.Tuple([x, x]), relax.TupleType([type_, x.struct_info]))
        assert pair.ret_type == relax.TupleType([x.struct_info, x.struct_info])
    assert relax.Function([x], x, relax.ObjectType()).ret_type == x.struct_info
    with pytest.raises(ValueError, match="expected a body of type"):
        relax.Function([x], relax.op.exp(x), ret_type=TensorType((n, 5)))


def test_a_function_has_a_place():
    x = relax.Var("x", TensorType((4,)))
    func = relax.Function([x], x, span=mlir_ir.Location.file("a.py", 3, 4, context=x._context))
    assert func.span.filename == "a.py" and func.span.start_line == 3


def test_data_types():
    dtype = relax.Var("x", TensorType((4,), "float16")).ty.dtype
    # TVM 0.27 has a PrimType here, whose dtype is the name.
    assert dtype == dtype.dtype == relax.PrimType("float16").dtype == "float16"
    for name, bits, lanes, code in (
        ("bool", 8, 1, "BOOL"),
        ("int8x4", 8, 4, "INT"),
        ("uint16", 16, 1, "UINT"),
        ("float64", 64, 1, "FLOAT"),
        ("bfloat16", 16, 1, "BFLOAT"),
        ("handle", 64, 1, "HANDLE"),
        ("float8_e4m3fn", 8, 1, "Float8E4M3FN"),
        ("float8_e5m2x2", 8, 2, "Float8E5M2"),
    ):
        made = DataType(name)
        assert (made.bits, made.lanes) == (bits, lanes)
        assert made.type_code == DataTypeCode[code] and made.itemsize == bits * lanes // 8
        assert made.with_lanes(2).lanes == 2 and made.with_lanes(1).bits == bits
    with pytest.raises(ValueError, match="expected the name of an element type, but found 'real'"):
        print(DataType("real").bits)


def test_sizes_for_all_dimensions():
    x = relax.Var("x", TensorType((1, 2, 8, 8)))
    pooled = relax.op.nn.adaptive_avg_pool2d(x, 3)
    assert pooled.struct_info == TensorType((1, 2, 3, 3))
    with pytest.raises(OverflowError, match="fits in 64 bits"):
        TensorType((2**63,))


def test_variables_that_are_no_sizes():
    start, n = tir.Var("start", "float32"), tir.Var("n")
    assert start.dtype == "float32" and start.ty == relax.PrimType("float32")
    assert pickle.loads(pickle.dumps(start)).dtype == "float32"
    steps = relax.op.arange(start, 3.0, 1.0)
    func = relax.Function([start, n], relax.Tuple([steps, relax.op.arange(start, 9.0, 1.0)]))
    assert func.params[0] is steps.args[0] and func.params[1].ty == relax.PrimType("int64")
    for compute in (lambda: start + 1, lambda: n * start, lambda: tir.max(start, n)):
        with pytest.raises(TypeError, match="sizes, whose dtype is int64, but found 'start'"):
            compute()


def test_numbers_are_compared_with_expressions():
    for value, same in ((3, True), (tir.IntImm("int32", 3), False), (4, False), (3.0, False)):
        assert ir.structural_equal(relax.PrimValue(3), value) is same
        assert ir.structural_equal(value, relax.PrimValue(3)) is same
    assert ir.structural_equal(relax.PrimValue(1.5), 1.5)


def test_private_functions_are_equal_to_others():
    text = "partita.module { relax.func %s @f(%%x: f32) -> f32 { relax.return %%x : f32 } }"
    mods = [IRModule.from_text(text % visibility) for visibility in ("private", "")]
    assert ir.structural_equal(*(mod["f"] for mod in mods)) and not ir.structural_equal(*mods)
    assert ir.structural_hash(mods[0]["f"]) == ir.structural_hash(mods[1]["f"])


def test_numbers_are_in_the_range_of_their_types():
    for dtype, low, high in (("int8", -128, 127), ("uint8", 0, 255), ("uint64", 0, 2**64 - 1)):
        assert tir.IntImm(dtype, low).value == low and tir.const(high, dtype).value == high
        for value in (low - 1, high + 1):
            with pytest.raises(ValueError, match=f"expected {dtype} to be in {low} to {high}, but"):
                tir.IntImm(dtype, value)
    assert tir.FloatImm("float16", 65504.0) == 65504.0 and tir.FloatImm("float32", math.inf) > 0
    for dtype, number in (("float16", 65505.0), ("float32", -3.5e38)):
        with pytest.raises(ValueError, match=f"expected {dtype} to be in"):
            tir.const(number, dtype)
    with pytest.raises(OverflowError, match="expected a number of 64 bits, but found"):
        relax.PrimValue(2**63)


@pytest.mark.parametrize(
    "value, dtype",
    [(256, "int32"), (-(2**31), "int32"), (2**31, "int64"), (0.5, "float32"), (1e39, "float64")],
)
def test_dtypes_of_constants(value, dtype):
    for number in (value, numpy.asarray(value)[()]):
        made = tir.const(number)
        assert made.dtype == dtype and made.value == value
    with pytest.raises(TypeError, match="expected a number, but found str"):
        tir.const("a")


def test_arithmetic_on_what_no_arithmetic_simplifies():
    chosen = tir.if_then_else(n < 0, n + 8, n)
    text = "prim.if_then_else:int64(n < 0, n + 8, n)"
    for size, expected in (
        ((n - n % -3) // 3, "(n - n % -3) // 3"),
        (n // -2 + 1, "n // -2 + 1"),
        (2 * (chosen + 1) - m, f"2 * ({text} + 1) - m"),
        (m - (chosen - 1), f"m - ({text} - 1)"),
        (m + (chosen + 1), f"m + {text} + 1"),
        (tir.max(chosen - 1, 0), f"max({text} - 1, 0)"),
        (
            tir.substitute(tir.if_then_else(n < m, n + 8, n), {"n": 3}),
            "prim.if_then_else:int64(3 < m, 3 + 8, 3)",
        ),
        (
            tir.substitute(chosen, {"n": m + 1}),
            text.replace("n <", "(m + 1) <")
            .replace("n +", "(m + 1) +")
            .replace(", n)", ", (m + 1))"),
        ),
    ):
        assert size == expected and isinstance(size, tir.PrimExpr)
        assert TensorType((size,)).shape[0] == expected
    # An expression without names is computed.
    assert tir.substitute(chosen, {"n": 3}) == 3
    for compute in (lambda: chosen // 0, lambda: n % 0):
        with pytest.raises(ValueError, match="expected a size that is an expression"):
            compute()


def test_numbers_of_more_bits_than_there_are_raise_what_tvm_raises():
    # It is a TypeError in TVM, where a number is no int of C++, or a ValueError, in an IntImm.
    n, x = tir.Var("n", "int64"), relax.Var("x", relax.TensorType([4]))
    func = relax.Function([x], x)
    for number in (2**63, 2**64, -(2**63) - 1):
        for use in (
            lambda: n + number,
            lambda: n * number,
            lambda: relax.ShapeExpr([number]),
            lambda: relax.TensorType([number]),
            lambda: relax.TensorType(ndim=number),
            lambda: relax.ShapeType([number]),
            lambda: relax.PrimValue(number),
            lambda: relax.const(number, "int64"),
            lambda: relax.op.zeros([number], "float32"),
            lambda: relax.op.arange(number),
            lambda: func.with_attr("a", number),
            lambda: transform.PassContext(opt_level=number),
        ):
            for kind in (ValueError, TypeError, OverflowError):
                with pytest.raises(kind, match="to be in|fits? in|of 64 bits"):
                    use()


def test_a_tensor_has_elements_of_a_dtype():
    for dtype in ("float31", "handle", "f32"):
        with pytest.raises(ValueError, match="expected a dtype that is one of .* but found"):
            TensorType((2,), dtype)
    for dtype in ("float32", numpy.float32, numpy.dtype("float32")):
        assert TensorType((2,), dtype).dtype == "float32"
    assert TensorType((2,), "").dtype is TensorType((2,), None).dtype is None


def test_a_prim_type_is_its_dtype():
    """TVM 0.27 has these types where it had dtypes."""
    half = ir.PrimType("float16")
    x = relax.Var("x", TensorType((4,), half))
    assert x.ty == TensorType((4,), "float16")
    for made, dtype in (
        (relax.op.astype(x, ir.PrimType("int8")), "int8"),
        (relax.op.zeros((2,), half), "float16"),
        (relax.op.arange(0, 4, 1, half), "float16"),
        (relax.const(1, half), "float16"),
        (relax.op.matmul(x, x, ir.PrimType("float32")), "float32"),
    ):
        assert made.ty.dtype == dtype
    assert tirx.Var("n", ir.PrimType("int64")) == tirx.Var("n", "int64")
    assert tirx.IntImm(ir.PrimType("int8"), 3).dtype == "int8"
    assert tirx.FloatImm(half, 3).dtype == tirx.const(3, half).dtype == "float16"


def test_prim_expressions():
    size, scalar = tirx.Var("n", "int64"), relax.Var("s", ir.PrimType("int64"))
    assert ir.is_prim_var(size) and ir.is_prim_var(scalar) and ir.is_prim_expr(size + 1)
    assert ir.is_prim_expr(relax.PrimValue(3)) and not ir.is_prim_var(relax.PrimValue(3))
    tensor = relax.Var("x", TensorType((4,)))
    assert not any(map(ir.is_prim_expr, (tensor, relax.const(1), 3, "n")))


def test_numbers_that_are_expressions():
    """In TVM 0.27 these are IntImms and FloatImms."""
    sliced = relax.op.strided_slice(relax.Var("x", TensorType((8,))), [0], [2], [4])
    begin = sliced.args[2].fields[0]
    assert isinstance(begin, tirx.IntImm) and not isinstance(begin, tirx.FloatImm)
    assert (begin.value, int(begin), begin.dtype) == (2, 2, begin.ty.dtype)
    half = relax.PrimValue(0.5)
    assert isinstance(half, tirx.FloatImm) and not isinstance(half, tirx.IntImm)
    assert float(half) == 0.5 and half.dtype == "float64"
    assert not isinstance(relax.PrimValue(n + 1), tirx.IntImm)
    assert not any(isinstance(3, kind) for kind in (tirx.IntImm, tirx.FloatImm))
    # The classes stay what they were.
    three = tirx.IntImm("int8", 3)
    assert isinstance(three, tirx.IntImm) and isinstance(three, int) and three.dtype == "int8"
    assert issubclass(type(three), tirx.IntImm) and tirx.IntImm.__doc__
    assert pickle.loads(pickle.dumps(three)).dtype == "int8"

    class Named(tirx.IntImm):
        name = "named"

    assert Named("int32", 4) == 4 and Named.name == "named"


def test_functions_and_tensors_as_values():
    x = relax.Var("x", TensorType((4,)))
    pair = relax.Tuple([relax.GlobalVar("f"), x])
    assert pair.fields[1] is x and str(pair.fields[0].op) == "Op(relax.global)"
    assert relax.analysis.all_global_vars(pair) == [relax.GlobalVar("f")]
    chosen = relax.If(relax.Var("c", TensorType((), "bool")), relax.GlobalVar("f"), x)
    assert str(chosen.true_branch.body.op) == "Op(relax.global)"

    class Tensor:
        """What has DLPack alone, as TVM's tensors."""

        array = numpy.arange(3, dtype="float16")

        def __dlpack__(self, **others):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    constant = relax.Constant(Tensor())
    assert constant.ty == TensorType((3,), "float16") and constant.data.numpy().tolist() == [
        0,
        1,
        2,
    ]
    assert relax.expr.make_shape([2, "n"]).values == (2, "n")
    with pytest.raises(TypeError, match="a shape to be a list of sizes, but found int"):
        relax.expr.make_shape(3)


def test_the_shape_of_a_type_is_a_shape_expr():
    x = relax.Var("x", relax.TensorType(("n", 4)))
    assert isinstance(x.ty.shape, relax.ShapeExpr) and isinstance(
        relax.ShapeExpr([1]), relax.ShapeExpr
    )
    for other in (relax.TensorType(ndim=2).shape, relax.TensorType().shape, (1, 2), [4]):
        assert not isinstance(other, relax.ShapeExpr)
    # It is one where it is used.
    shape = relax.ShapeType(["n", 4])
    assert relax.Tuple([x.ty.shape]).ty == relax.TupleType([shape])
    assert relax.call_pure_packed("f", x.ty.shape, ty_args=x.ty).args[1].ty == shape
    assert relax.Call(relax.ExternFunc("f"), [x.ty.shape]).args[0].ty == shape

    class OwnShape(relax.ShapeExpr):
        pass

    assert issubclass(OwnShape, relax.ShapeExpr) and isinstance(OwnShape([1]), relax.ShapeExpr)
    assert not isinstance(relax.ShapeExpr([1]), OwnShape)


def test_a_shape_has_a_type():
    type_ = relax.TensorType(("n", 4))
    assert type_.shape.ty == relax.ShapeType(("n", 4)) and type_.shape.same_as(type_.shape)


def test_sequences_equal_lists():
    """TVM's Array equals lists and tuples of the same elements."""
    x = relax.Var("x", TensorType([2, 3], "float32"))
    pair = relax.TupleType([x.ty, TensorType([3], "float32")])
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        bb.emit_func_output(bb.emit(relax.op.nn.relu(x)))
    func = bb.get()["main"]
    (block,) = func.body.blocks
    for sequence in (
        pair.fields,
        FuncType([x.ty], pair).params,
        x.ty.shape,
        x.ty.shape.values,
        relax.ShapeExpr([2, "n"]).values,
        func.body.blocks,
        relax.SeqExpr([block], x).blocks,
        block.bindings,
        relax.BindingBlock([block.bindings[0].value]).bindings,
        relax.Tuple([x, x]).fields,
    ):
        assert sequence == list(sequence) and list(sequence) == sequence
        assert sequence == tuple(sequence) and tuple(sequence) == sequence
        assert not sequence != list(sequence) and sequence != [*sequence, x]
        assert hash(sequence) == hash(tuple(sequence)) and sequence[:1] == [sequence[0]]
    assert pair.fields != [x.ty] and pair.fields != "fields"
