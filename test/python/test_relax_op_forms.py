# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that TVM spells in another way than the dialect."""

import pytest

import partita
from partita import relax, tir
from partita.relax import op

T = relax.TensorType


def var(*shape, dtype="float32"):
    return relax.Var("x", T(shape, dtype))


IMAGE = var(2, 3, 9, 9)
ONE_AND_ZERO = (tir.FloatImm("float16", 1.0), tir.FloatImm("float16", 0.0))


@pytest.mark.parametrize(
    "call, shape, dtype",
    [
        (lambda: op.clip(var(4, 8), 0, 6), (4, 8), "float32"),
        (lambda: op.clip(var(4, 8), 0.5, relax.PrimValue(6.0)), (4, 8), "float32"),
        (lambda: op.nn.relu6(var(4, 8)), (4, 8), "float32"),
        (lambda: op.arange(10), (10,), "int64"),
        (lambda: op.arange(0, 10, 2), (5,), "int64"),
        (lambda: op.arange(0.0, 10, 3), (4,), "float32"),
        (lambda: op.arange(1, 4, dtype="int32"), (3,), "int32"),
        (lambda: op.eye(3), (3, 3), "float32"),
        (lambda: op.eye(3, 4, 1, "int8"), (3, 4), "int8"),
        (lambda: op.eye_like(var(4, 8)), (4, 8), "float32"),
        (lambda: op.tril(var(4, 8)), (4, 8), "float32"),
        (lambda: op.triu(var(4, 8), -1), (4, 8), "float32"),
        (lambda: op.one_hot(var(4, dtype="int64"), 1.0, 0.0, 5), (4, 5), "float64"),
        (lambda: op.hamming_window(10, True, 0.5, 0.4, "float32"), (10,), "float32"),
        (lambda: op.linear(var(4, 8), var(16, 8), var(16)), (4, 16), "float32"),
        (lambda: op.linear(var(4, 8), var(16, 8)), (4, 16), "float32"),
        (lambda: op.masked_fill(var(4, 8), var(4, 8, dtype="bool"), 3.0), (4, 8), "float32"),
        (lambda: op.reshape(var(4, 8), (-1,)), (32,), "float32"),
        (lambda: op.reshape(var(), (-1,)), (1,), "float32"),
        (lambda: op.reshape(var(4, 8), (0, -1, 2)), (4, 4, 2), "float32"),
        (lambda: op.reshape(var("n", 4, 8), ("n", -1)), ("n", 32), "float32"),
        (lambda: op.reshape(var("n", 4), (-1,)), ("n * 4",), "float32"),
        (lambda: op.reshape(var("n", "m", 4), ("m", "n", -1)), ("m", "n", 4), "float32"),
        (lambda: op.reshape(var("n", 8), ("m", -1)), ("m", "n * 8 // m"), "float32"),
        (
            lambda: op.reshape(var("n", "m"), (tir.Var("n") * tir.Var("m"), -1)),
            ("n * m", 1),
            "float32",
        ),
        (lambda: op.reshape(var(4, 8), var(4).ty.shape + (-1,)), (4, 8), "float32"),
        (lambda: op.split(var(4, 8), [], 1), (4, 8), "float32"),
        (lambda: op.strided_slice(var("n", 8), [], [], []), ("n", 8), "float32"),
        (lambda: op.arange(1, tir.Var("n"), tir.Var("m")), ("(n + m - 2) // m",), "int64"),
        (lambda: op.one_hot(var(4, dtype="int64"), *ONE_AND_ZERO, 5), (4, 5), "float16"),
        (lambda: op.image.resize2d(IMAGE, 7), (2, 3, 7, 7), "float32"),
        (lambda: op.image.resize2d(IMAGE, tir.Var("n")), (2, 3, "n", "n"), "float32"),
        (lambda: op.image.resize2d(IMAGE, 7, layout="NHWC"), (2, 7, 7, 9), "float32"),
        (lambda: op.image.resize3d(var(2, 3, 9, 9, 9), size=(5)), (2, 3, 5, 5, 5), "float32"),
        (lambda: op.image.affine_grid(var(2, 2, 3), 7), (2, 2, 7, 7), "float32"),
        (lambda: op.image.resize2d(IMAGE, (7,), roi=0.5), (2, 3, 7, 7), "float32"),
        (lambda: op.take(var(4, 8), 1, axis=0), (8,), "float32"),
        (lambda: op.cumsum(var(4, 8), axis=0, exclusive=1), (4, 8), "float32"),
        (lambda: op.zeros((relax.PrimValue(2), 3), "int8"), (2, 3), "int8"),
        (
            lambda: op.reshape(var("n", 8), [relax.PrimValue(tir.Var("n") * 8)]),
            ("n * 8",),
            "float32",
        ),
        (
            lambda: op.vision.roi_align(IMAGE, var(4, 5), 7, 1.0, layout="NHWC"),
            (4, 7, 7, 9),
            "float32",
        ),
        (lambda: op.nn.attention(*[var(1, 4, 2, 8)] * 3), (1, 4, 2, 8), "float32"),
        (
            lambda: op.nn.attention(*[var(1, 4, 2, 8)] * 3, var(1, 2, 4, 4), causal_mask="TopLeft"),
            (1, 4, 2, 8),
            "float32",
        ),
    ],
)
def test_what_python_gives(call, shape, dtype):
    found = call().ty
    assert (found.shape, found.dtype) == (shape, dtype)


@pytest.mark.parametrize("shape", [(-1, -1), (-1, 5)])
def test_shapes_that_cannot_be_found(shape):
    with pytest.raises(ValueError, match="-1 in a shape|as many elements"):
        op.reshape(var(4, 8), shape)


@pytest.mark.parametrize(
    "call",
    [
        lambda one, other: op.einsum([one, other], "i,j->ij"),
        lambda one, other: op.meshgrid([one, other]),
    ],
)
def test_lists_of_tensors_have_one_device(call):
    cuda = partita.ir.VDevice("cuda")
    there, here = (relax.Var("x", T((3,), "float32", device)) for device in (cuda, None))
    for made in (call(there, here), call(here, there)):
        types = made.ty.fields if isinstance(made.ty, relax.TupleType) else [made.ty]
        assert all(type_.vdevice == cuda for type_ in types)


def test_an_index_map_fits_the_tensor():
    with pytest.raises(ValueError, match="expected an index map of 2 indices .* found one of 1"):
        op.layout_transform(var(4, 8), lambda i: i)


def test_attention_with_a_bias_is_another_op():
    operands = [var(1, 4, 2, 8)] * 3
    assert op.nn.attention(*operands).op.name == "relax.nn.attention"
    assert op.nn.attention(*operands, var(1, 2, 4, 4)).op.name == "relax.nn.attention_bias"
    assert op.nn.attention_bias is op.nn.attention


def test_unique_returns_what_it_is_asked_for():
    assert isinstance(op.unique(var(4)).ty, T)
    assert len(op.unique(var(4), return_counts=True).ty.fields) == 2


def test_texts_are_values():
    printed = op.print(var(4), "b", format="{} {}")
    assert [a.value for a in printed.args if isinstance(a, relax.StringImm)] == ["{} {}", "b"]
    checked = op.assert_op(True, [var(4)], format="wrong: {}")
    assert isinstance(checked.args[0], relax.PrimValue) and len(checked.args) == 3
    storage = op.memory.alloc_storage((64,), 0, "global", "uint8")
    assert isinstance(storage.args[3], relax.DataTypeImm)
    assert isinstance(op.builtin.alloc_tensor((4,), "float32", 0).args[0], relax.ShapeExpr)


X, KERNEL = var(4, 8), relax.GlobalVar("kernel")


@pytest.mark.parametrize(
    "call, attrs",
    [
        (op.call_tir_inplace(KERNEL, X, 0, out_ty=X.ty), {"inplace_indices": [0]}),
        (op.call_tir_inplace(KERNEL, [X, X], [0], X.ty), {"inplace_indices": [0]}),
        (
            op.call_tir_with_grad(KERNEL, X, X.ty, "grad", {"k": 1}),
            {"te_grad_name": "grad", "te_grad_kwargs": {"k": 1}},
        ),
        (
            op.call_inplace_packed("f", X, inplace_indices=[0], ty_args=X.ty),
            {"inplace_indices": [0]},
        ),
        (op.call_pure_packed("f", X, ty_args=[X.ty]), None),
        (op.call_packed("f", X, ty_args=X.ty), None),
        (op.call_dps_packed("f", X, out_ty=X.ty), None),
        (op.call_py_func("f", [X], X.ty), None),
        (op.call_builtin_with_ctx("f", X, ty_args=X.ty), None),
        (op.invoke_closure(op.make_closure(KERNEL, [X]), X, X.ty), None),
        (op.invoke_pure_closure(op.make_closure(KERNEL, [X]), (X,), X.ty), None),
    ],
)
def test_calls_of_what_is_no_function(call, attrs):
    assert call.ty == X.ty
    assert call.attrs.get("attrs") == attrs


def test_several_results():
    call = op.call_tir_inplace(KERNEL, [X, X], [0, -1], [X.ty, X.ty])
    assert call.ty == relax.TupleType([X.ty, X.ty])
    assert op.make_closure("f", [X]).ty == relax.ObjectType()
    with pytest.raises(TypeError, match="expected the function to call to be a str"):
        op.make_closure(3, [X])


def test_names_of_all_versions():
    assert relax.Var(name="x", ty=X.ty).name == X.name == X.name_hint == "x"
    assert relax.Var(name="x", ty=X.ty).ty == relax.Var("x", struct_info=X.ty).struct_info
    with pytest.raises(TypeError, match="expected one of 'ty' and 'struct_info', found both"):
        relax.Var("x", ty=X.ty, struct_info=X.ty)
    function = relax.Function([X], X + X, X.ty, False)
    assert not function.is_pure and function.ret_ty == X.ty
    assert relax.Function([X], X + X, ret_ty=X.ty, is_pure=True).is_pure
    assert relax.MatchCast(relax.Var("y", X.ty), X, ty=X.ty).ty == X.ty
    assert op.match_cast(X, ty=T((4, "n"))).ty.shape == (4, "n")
    assert partita.ir.Op.get("relax.add") is (X + X).op
    assert isinstance(relax.extern("f"), relax.ExternFunc)
    assert relax.AnyType is relax.ObjectType and issubclass(T, relax.Type)
    assert relax.convert_to_expr((X, X)).ty == relax.TupleType([X.ty, X.ty])
    assert op.roi_align is op.vision.roi_align


def test_types_of_which_less_is_known():
    assert T(ndim=2, dtype="int8") == T((None, None), "int8") and T((2, 3), ndim=2).ndim == 2
    assert relax.ShapeType(ndim=2).values == (None, None)
    with pytest.raises(ValueError, match="expected ndim to be -1, for unknown, or more"):
        T(ndim=-2)
    with pytest.raises(ValueError, match="expected 3 dimensions, as ndim says"):
        T((2, 3), ndim=3)
    for type_, text in [
        (T(), "tensor<*xf32>"),
        (T(dtype="int8"), "tensor<*xi8>"),
        (relax.ShapeType(), "!relax.shape<*>"),
        (relax.ShapeType(ndim=1), "!relax.shape<[?]>"),
    ]:
        assert str(type_.to_mlir()) == text
        found = relax.Var("x", type_).ty
        assert found == type_ and found.ndim == type_.ndim
    x = relax.Var("x", T())
    assert (x + x).ty == T() and op.reshape(x, (2, 2)).ty == T((2, 2))
    assert op.sum(x, axis=0).ty == T() and op.shape_of(x).ty == relax.ShapeType()
    branch = relax.If(relax.const(True), relax.Var("y", T((2, 3))), relax.Var("z", T((2,))))
    assert branch.ty == T()
    with pytest.raises(ValueError, match="sizes to find it from"):
        op.reshape(x, (-1, 2))


def test_types_are_compared():
    partita.ir.assert_structural_equal(X.ty, T((4, 8)), map_free_vars=True)
    assert not partita.ir.structural_equal(X.ty, T((4, "n")))
    with pytest.raises(ValueError, match="expected equal types, but found TensorType"):
        partita.ir.assert_structural_equal(X.ty, relax.ObjectType())
    with pytest.raises(TypeError, match="expected an IRModule or a function"):
        partita.ir.structural_equal(X.ty, 3)


def test_storage_of_the_first_device():
    storage = relax.Var("storage", relax.ObjectType())
    call = op.vm.alloc_tensor(storage, 0, relax.ShapeExpr([4, 5]), "float32")
    assert (call.ty.shape, call.ty.dtype) == ((4, 5), "float32")
    assert call.args[-1].value == 0


@pytest.mark.parametrize("argument", [var(1, dtype="int64"), relax.ShapeExpr([1])])
def test_slices_are_given_by_lists(argument):
    with pytest.raises(partita.errors.CallError, match="operand #1 must be tuple"):
        op.strided_slice(var(4), argument, [0], [1])


LAYOUTS = [
    (lambda i, j: (j, i), (8, 4)),
    (lambda i, j: [i // 4, j // 3, i % 4, j % 3], (1, 3, 4, 3)),
    (lambda i, *, j: i * 8 + j, (32,)),
    (lambda é, symbol: (symbol, é), (8, 4)),
    (lambda *indices: indices[::-1], (8, 4)),
    (lambda i, j: (i * 1, 0 + j), (4, 8)),
]


@pytest.mark.parametrize("index_map, shape", LAYOUTS)
def test_layouts_are_functions(index_map, shape):
    call = op.layout_transform(var(4, 8), index_map)
    assert call.ty.shape == shape
    same = op.layout_transform(var(4, 8), tir.IndexMap.from_func(index_map, 2))
    assert same.attrs["index_map"] == call.attrs["index_map"]


def test_index_maps_move_indices():
    index_map = tir.IndexMap.from_func(lambda i, j: (i // 4, -j + 1, (i - j) % 4))
    assert index_map.map_indices([9, 2]) == [2, -1, 3]
    with pytest.raises(ValueError, match="expected 2 indices to map, but found 1"):
        index_map.map_indices([9])


def test_index_maps_of_calls():
    call = op.layout_transform(var(4, 8), lambda i, j: (i // 4, 4 * j - i, i % 4, 0 * i + 7))
    index_map = call.attrs.index_map
    assert isinstance(index_map, tir.IndexMap)
    assert index_map.map_indices([9, 2]) == [2, -1, 1, 7]
    assert str(index_map) == "(i0, i1) -> (i0 floordiv 4, (i1 * 4) + (i0 * -1), i0 mod 4, 7)"
    again = op.layout_transform(call.args[0], index_map).attrs.index_map
    assert again == index_map and hash(again) == hash(index_map)
    assert index_map != tir.IndexMap.from_func(lambda i, j: (j, i)) and index_map != 3


@pytest.mark.parametrize(
    "index_map, error, message",
    [
        (lambda i, j: (7, i), TypeError, "to give indices, but found int"),
        (lambda i, j: i if i < j else j, TypeError, "'<' not supported"),
        (lambda i, j: i // 0, ZeroDivisionError, "not 0"),
        (lambda i, j: i % -4, ValueError, "divided by a positive int, but by -4"),
        (lambda i, j: i // j, TypeError, "to be divided by an int, but found Index"),
        (lambda i, j: i * j, TypeError, "to be multiplied by an int, but found Index"),
        (lambda i, **rest: i, ValueError, "without \\*\\*kwargs"),
    ],
)
def test_layouts_that_are_none(index_map, error, message):
    with pytest.raises(error, match=message):
        op.layout_transform(var(4, 8), index_map)


@pytest.mark.parametrize(
    "dtype, given, kept",
    [
        ("float32", 2, 2.0),
        ("float16", relax.PrimValue(1.5), 1.5),
        ("int8", -1, -1),
        ("uint8", 255, 255),
        ("bool", True, True),
    ],
)
def test_padding_is_of_the_tensors_dtype(dtype, given, kept):
    call = op.layout_transform(var(4, 8, dtype=dtype), lambda i, j: (j, i), given)
    assert call.attrs["pad_value"] == kept
    (x,) = call.args
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        builder.emit_func_output(builder.emit(call))
    module = builder.get()
    again = partita.IRModule.from_tvm_json(module.to_tvm_json())
    assert again.to_tvm_json() == module.to_tvm_json()


@pytest.mark.parametrize("given, error", [(1.5, TypeError), (300, OverflowError)])
def test_padding_that_does_not_fit(given, error):
    with pytest.raises(error, match="uint8"):
        op.layout_transform(var(4, 8, dtype="uint8"), lambda i, j: (j, i), given)


@pytest.mark.parametrize(
    "given, found",
    [((-1,), (24,)), ((2, -1), (2, 12)), ((0, -1), (2, 12)), ((-1, 3, 0), (2, 3, 4))],
)
def test_a_shape_as_a_value_has_what_reshape_finds(given, found):
    x = relax.Var("x", relax.TensorType((2, 3, 4)))
    shape = relax.ShapeExpr(given)
    assert shape.values == given and list(shape) == list(given)
    for argument in (shape, given):
        bb = relax.BlockBuilder()
        with bb.function("main", [x]):
            bb.emit_func_output(bb.emit(op.reshape(x, argument)))
        (call,) = bb.get()["main"].body.blocks[0].bindings
        assert call.args[1].values == found and call.ty == relax.TensorType(found)


def test_a_number_that_is_no_size_is_unknown_in_types():
    shape = relax.ShapeExpr([-1, 3])
    assert shape.ty == relax.ShapeType([None, 3])
    assert op.zeros(shape, "float32").ty == relax.TensorType((None, 3))
    func = relax.Function([], relax.Tuple([shape, op.zeros(shape, "float32")]))
    mod = partita.IRModule({"main": func})
    for again in (mod, partita.ir.load_json(partita.ir.save_json(mod))):
        assert "relax.shape [-1, 3]" in str(again)
    with pytest.raises(ValueError, match="expected a size of at least 0, found -1"):
        relax.Var("x", relax.TensorType((-1, 3)))


def test_an_attribute_that_was_not_given_is_none():
    x = relax.Var("x", relax.TensorType((2, 3, 3)))
    for call, name in (
        (op.sum(x), "axis"),
        (op.squeeze(x), "axis"),
        (op.permute_dims(x), "axes"),
        (op.matmul(x, x), "out_dtype"),
    ):
        assert getattr(call.attrs, name) is None and call.attrs[name] is None
        assert call.attrs.get(name, 1) == 1 and name not in call.attrs
        with pytest.raises(AttributeError, match="expected one of the attributes"):
            call.attrs.other
        with pytest.raises(KeyError):
            call.attrs["other"]
        again = relax.Call(call.op, call.args, call.attrs)
        assert getattr(again.attrs, name) is None and again.ty == call.ty
    assert op.sum(x, axis=1).attrs.axis == [1] and op.sum(x).attrs.keepdims is False
    func = partita.IRModule({"main": relax.Function([x], op.sum(x))})["main"]
    assert func.body.body.attrs.axis is None
    with pytest.raises(AttributeError):
        func.attrs.axis


@pytest.mark.parametrize("value, dtype", [(3, "int64"), (2.5, "float64"), (True, "bool")])
def test_functions_take_numbers(value, dtype):
    """As in TVM, a number that a function gets is no tensor, whatever the other arguments are."""
    calls = [
        op.call_packed("f", X, value).args[1],
        op.call_pure_packed("f", X, value, ty_args=X.ty).args[2],
        op.call_inplace_packed("f", X, value, inplace_indices=[0], ty_args=X.ty).args[2],
    ]
    for arg in calls:
        assert isinstance(arg, relax.PrimValue) and arg.ty == relax.PrimType(dtype)
    number = tir.IntImm("int32", 5)
    for call in relax.Call(relax.GlobalVar("g"), [X, number]), op.call_packed("f", X, number):
        assert call.args[1].ty == relax.PrimType("int32")
    assert relax.BlockBuilder().normalize(number).ty == relax.PrimType("int32")


def test_reshape_takes_no_other_negative_sizes():
    with pytest.raises(partita.errors.CallError, match=r"sizes, -1 or 0 .* found \(-2, 4\)"):
        op.reshape(X, (-2, 4))
