# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions: how they are made, become ops, are read back and rewritten."""

import gc
import operator
import pathlib
import weakref

import numpy as np
import pytest

import partita
from partita import relax, tir
from partita.ir.context import get_context
from partita.mlir import ir
from partita.mlir._mlir_libs import _partita


def assert_same_text(func, text):
    """Check that `func` prints as the lines of `text`, whatever their indents."""
    found = [line.strip() for line in str(func).strip().splitlines()]
    assert found == [line.strip() for line in text.strip().splitlines()]


def fold(mod):
    return partita.transform.get_pass("FoldConstant")(mod)


def evaluate(expr):
    """The elements of an expression of constants, computed by FoldConstant."""
    mod = fold(partita.IRModule.from_expr(relax.Function([], expr)))
    body = mod["main"].body.body
    assert isinstance(body, relax.Constant)
    return body.data


#
# Making expressions.
#


def test_document_program():
    tp = relax.TensorType((10,), "float32")
    x = relax.var("x", tp)
    gv = relax.GlobalVar("abs")
    func = relax.Function([x], relax.abs(x))
    new_mod = partita.IRModule({gv: func})
    new_mod.update(partita.IRModule())
    assert_same_text(
        new_mod,
        """
        partita.module {
          relax.func @abs(%x: tensor<10xf32>) -> tensor<10xf32> {
            %0 = relax.abs %x : tensor<10xf32>
            relax.return %0 : tensor<10xf32>
          }
        }
        """,
    )
    assert new_mod[gv].checked_type == relax.FuncType([tp], tp)


def test_var():
    x = relax.var("x", shape=("n", 20, None), dtype="float16")
    assert x.name_hint == "x"
    assert x.struct_info == relax.TensorType(("n", 20, None), "float16")
    assert str(x.struct_info.to_mlir()) == ('tensor<?x20x?xf16, #relax.shape<["n", 20, ?]>>')
    assert relax.Var("y", relax.TensorStructInfo([2])).checked_type.ndim == 1
    with pytest.raises(ValueError, match="either a type or a shape"):
        relax.var("x")
    with pytest.raises(TypeError, match="expected a type, .* but found int"):
        relax.Var("x", 3)
    with pytest.raises(TypeError, match="expected a dimension .* but found float"):
        relax.var("x", shape=(1.5,))
    with pytest.raises(ValueError, match="expected a dtype .* found 'float31'"):
        relax.var("x", shape=(1,), dtype="float31")


@pytest.mark.parametrize(
    "type_",
    [
        relax.TensorType(()),
        relax.TensorType(('a"b\\c', "é", 3), "bool"),
        relax.TensorType((4,), "uint8"),
        relax.TupleType([relax.TensorType((2,)), relax.TupleType([])]),
        relax.ShapeType(["n", 16]),
        relax.ObjectType(),
        relax.FuncType([relax.TensorType((2,))], relax.TensorType((2,))),
    ],
)
def test_types_round_trip(type_):
    assert relax.types.from_mlir(type_.to_mlir()) == type_


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64"]
)
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (0, 2), (20, 30)])
def test_constant_data(dtype, shape):
    data = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3).astype(dtype)
    mod = partita.IRModule.from_expr(relax.const(data, dtype))
    read = mod["main"].body.body.data
    assert read.dtype == data.dtype
    np.testing.assert_array_equal(read, data)


def test_const_dtypes():
    assert relax.const(1).struct_info == relax.TensorType((), "int32")
    assert relax.const(1.0).struct_info == relax.TensorType((), "float32")
    assert relax.const(True).struct_info == relax.TensorType((), "bool")
    assert relax.const([1.0, 2.0]).struct_info == relax.TensorType((2,), "float32")
    assert relax.const(np.zeros(2)).struct_info == relax.TensorType((2,), "float32")
    assert relax.const(1, "float16").struct_info == relax.TensorType((), "float16")
    assert "dense<1.000000e+00> : tensor<bf16>" in str(relax.const(1, "bfloat16").attribute)
    with pytest.raises(TypeError, match="expected a constant of numbers"):
        relax.const("text")
    # Later changes to the caller's array do not matter.
    data = np.ones(1000, "float32")
    constant = relax.const(data)
    func = relax.Function([], constant)
    data[:] = 7
    read = partita.IRModule.from_expr(func)["main"].body.body.data
    np.testing.assert_array_equal(read, np.ones(1000, "float32"))
    np.testing.assert_array_equal(constant.data, np.ones(1000, "float32"))


def test_operators_against_numpy():
    rng = np.random.default_rng(0)
    a, b = rng.random((4, 4), "float32"), rng.random((4, 4), "float32")
    x, y = relax.const(a), relax.const(b)
    np.testing.assert_allclose(evaluate(x + y * 2.0), a + b * 2, rtol=1e-6)
    np.testing.assert_allclose(evaluate(1.0 - x / y), 1 - a / b, rtol=1e-5)
    np.testing.assert_allclose(evaluate(-(x - b)), b - a, rtol=1e-5)
    np.testing.assert_allclose(evaluate(a + y), a + b, rtol=1e-6)
    np.testing.assert_allclose(evaluate(x @ y), a @ b, rtol=1e-5)


def test_operator_numbers():
    x = relax.var("x", (2,), dtype="float16")
    assert (x + 1).struct_info == relax.TensorType((2,), "float16")
    n = relax.var("n", (2,), dtype="int32")
    assert (n * 2).args[1].struct_info == relax.TensorType((), "int32")
    with pytest.raises(TypeError, match="expected a number of type int32, but found 2.5"):
        n * 2.5
    with pytest.raises(TypeError, match="expected an expression, a number"):
        x + "1"
    with pytest.raises(TypeError, match="expected a tuple"):
        x[0]


def test_every_op_has_a_function():
    structure = {"func", "return", "call", "call_tir", "dataflow", "output"}
    structure |= {"constant", "tuple", "tuple_get_item", "match_cast", "shape"}
    structure |= {"call_op", "dim", "opaque_expr", "prim_value"}
    structure |= {"alias", "call_value", "if", "yield", "dtype", "extern_func"}
    structure |= {"global", "local_func", "string"}
    # Calls of functions, which are values in TVM's Python.
    structure |= {"call_builtin_with_ctx", "call_dps_packed", "call_inplace_packed"}
    structure |= {"call_pure_packed", "call_py_func", "call_tir_inplace"}
    structure |= {"call_tir_with_grad", "invoke_closure", "invoke_pure_closure"}
    structure |= {"make_closure", "vm.call_tir_dyn"}
    for name in relax.Op.list_op_names():
        path = name.removeprefix("relax.")
        # TVM has no functions for distributed tensors, either.
        if path not in structure and not path.startswith("dist."):
            assert operator.attrgetter(path)(relax.op).__doc__


def test_ops_as_tvm_spells_them():
    x = relax.var("x", shape=("n", 6))
    op = relax.op
    assert op.add(x1=x, x2=x).struct_info == x.struct_info
    assert op.sin(x).struct_info == x.struct_info
    assert op.less(x, x).struct_info == relax.TensorType(("n", 6), "bool")
    parts = op.split(x, 3, axis=1)
    assert [field.shape for field in parts.struct_info.fields] == [("n", 2)] * 3
    parts = op.split(x, [1, 4], axis=1)
    assert [field.shape[1] for field in parts.struct_info.fields] == [1, 3, 2]
    assert op.flatten(x).struct_info.shape == ("n * 6",)
    assert op.zeros((2, "n"), "int32").struct_info == relax.TensorType((2, "n"), "int32")
    assert op.broadcast_to(x, (4, "n", 6)).struct_info.shape == (4, "n", 6)
    assert op.stack([x, x]).struct_info.shape == (2, "n", 6)
    assert op.argmax(x, axis=1).struct_info == relax.TensorType(("n",), "int64")
    assert op.cumsum(x, axis=0, dtype="float64").struct_info.dtype == "float64"
    assert len(op.topk(x, k=2).struct_info.fields) == 2
    signal = relax.var("s", shape=(1, 4, 10))
    filters = relax.var("f", shape=(8, 4, 3))
    assert op.nn.conv1d(signal, filters, strides=2, padding=1).struct_info.shape == (1, 8, 5)
    assert op.nn.max_pool1d(signal, pool_size=2, strides=2).struct_info.shape == (1, 4, 5)
    image = relax.var("i", shape=(1, 3, 8, 8))
    assert op.image.resize2d(image, (16, 4)).struct_info.shape == (1, 3, 16, 4)
    scores, labels = relax.var("p", shape=(5, 7)), relax.var("l", shape=(5,), dtype="int64")
    assert op.nn.nll_loss(scores, labels).struct_info.shape == ()
    weights = relax.var("w", shape=(7,))
    assert op.nn.nll_loss(scores, labels, weights, reduction="none").struct_info.shape == (5,)


def test_what_values_say_of_types():
    op = relax.op
    x = relax.var("x", shape=(16,))
    assert op.builtin.alloc_tensor((4,), "float16", 0).struct_info == relax.TensorType(
        (4,), "float16"
    )
    assert op.memory.view(x, (4,), "float64", 0).struct_info.dtype == "float64"
    assert op.memory.view(x, (2, 8)).struct_info.dtype == "float32"
    assert op.memory.view(x, (8,), relative_byte_offset=32).args[3].value == 32
    s, t = (relax.Var(name, relax.ShapeType(ndim=2)) for name in "st")
    assert op.reshape(x, s).struct_info == relax.TensorType(shape=s, dtype="float32")
    assert op.reshape(x, t).struct_info.shape_var == "t"
    assert op.reshape(x, (2, 8)).struct_info.shape_var is None
    n = tir.Var("n", "int64")
    y = op.strided_slice(x, [0], [0], [relax.PrimValue(n)])
    assert y.struct_info.shape == (tir.min(n, 16),)


def test_attributes_of_another_call():
    x = relax.var("x", shape=(4,))
    call = relax.Call("relax.exp", [x], {"my.type": ir.F16Type.get(get_context()), "my.list": [1]})
    again = relax.Call(call.op, call.args, call.attrs)
    assert again.attrs["my.type"] == "float16" and again.attrs["my.list"] == [1]
    size = ir.IntegerAttr.get(ir.IntegerType.get_signless(8, get_context()), 3)
    call = relax.Call("relax.exp", [x], {"my.size": size})
    assert relax.Call(call.op, call.args, call.attrs)._attrs["my.size"] == size


def test_op_attributes():
    x = relax.var("x", shape=(1, 3, 8, 8))
    w = relax.var("w", shape=(4, 3, 3, 3))
    y = relax.op.nn.conv2d(x, w, strides=2, padding=(1, 0))
    assert y.struct_info == relax.TensorType((1, 4, 4, 3))
    assert y.op is relax.Op.get("relax.nn.conv2d")
    assert y.op.name == "relax.nn.conv2d"
    assert y.attrs.strides == [2, 2]
    assert y.attrs["padding"] == [1, 0, 1, 0]
    assert y.attrs["groups"] == 1 and y.attrs["data_layout"] == "NCHW"
    assert relax.nn.conv2d(x, w, 1, 1).struct_info.shape == (1, 4, 8, 8)
    nhwc = relax.var("n", shape=(1, 8, 8, 3))
    z = relax.nn.conv2d(nhwc, w, data_layout="NHWC", out_dtype="float16")
    assert z.struct_info == relax.TensorType((1, 6, 6, 4), "float16")
    assert z.attrs.out_dtype == "float16"
    assert relax.concat([x, x], 1).struct_info.shape == (1, 6, 8, 8)
    assert relax.concat(relax.Tuple([x, x])).struct_info.shape == (2, 3, 8, 8)
    assert relax.reshape(x, (3, 64)).struct_info.shape == (3, 64)
    assert relax.astype(x, "float16").struct_info.dtype == "float16"
    assert relax.mean(x, 1, keepdims=True).struct_info.shape == (1, 1, 8, 8)
    assert relax.nn.softmax(x, 1).attrs.axis == 1
    assert relax.expand_dims(x, [0]).struct_info.ndim == 5
    with pytest.raises(TypeError, match="relax.nn.conv2d: .*'stride'; it takes"):
        relax.nn.conv2d(x, w, stride=1)
    with pytest.raises(TypeError, match="expected an attribute of relax.add"):
        relax.Call("relax.add", [x, x], {"axis": 1})
    with pytest.raises(AttributeError, match="found 'stride'"):
        y.attrs.stride


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda x: relax.add(x, relax.var("y", (4,))), r"\[3\] and \[4\]"),
        (lambda x: relax.exp(relax.astype(x, "int32")), "tensor of floats"),
        (lambda x: relax.nn.softmax(x, 3), "axis"),
        (lambda x: relax.Call("relax.addd", [x]), "nearest are relax.add"),
        (lambda x: relax.Call("relax.add", [x]), "relax.add"),
        (lambda x: relax.TupleGetItem(relax.Tuple([x]), 1), "one of 1 fields"),
        (lambda x: relax.Function([], x).operation, "the variable 'x'"),
        (lambda x: partita.IRModule({"f": relax.Function([], x)}), "the variable 'x'"),
        (lambda x: relax.Function([x, x], x), "each parameter once"),
        (lambda x: relax.Function([x], x, ret_type=relax.TensorType((4,))), "body of type"),
        (lambda x: relax.Function([x], x, type_params=[1]), "no type parameters"),
    ],
)
def test_value_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make(relax.var("x", (3,)))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda x: relax.Call(x, [x]), "an Op or a GlobalVar, but found Var"),
        (lambda x: relax.Call("relax.abs", x), "a list, but found Var"),
        (lambda x: relax.Function(x, x), "a list of Var, but found Var"),
        (lambda x: relax.Function([relax.abs(x)], x), "a Var, but found Call"),
        (lambda x: relax.Function([x], None), "but found NoneType"),
        (lambda x: relax.TupleGetItem(x, 0), "expected a tuple"),
        (lambda x: relax.concat(x), "tensors of relax.concat to be a list"),
        (lambda x: relax.analysis.free_vars(3), "an expression or a function"),
        (lambda x: relax.match_cast(x, 3), "expected a type"),
    ],
)
def test_type_errors(make, message):
    with pytest.raises(TypeError, match=message):
        make(relax.var("x", (3,)))


#
# Functions as ops, and back.
#


def test_sharing():
    x = relax.var("x", (3,))
    y = relax.exp(x)
    func = relax.Function([x], relax.add(y, y))
    assert str(func).count("relax.exp") == 1
    mod = partita.IRModule({"main": func})
    body = mod["main"].body.body
    assert body.args[0] is body.args[1]
    assert body.args[0].args[0] is mod["main"].params[0]
    assert mod["main"].params[0].name_hint == "x"


def test_symbolic_dimensions():
    x = relax.var("x", ("n", 4))
    func = relax.Function([x], relax.nn.relu(x))
    assert func.ret_type == relax.TensorType(("n", 4))
    with pytest.raises(ValueError, match="m"):
        relax.Function([x], relax.reshape(x, ("m", 4)))


TEXT = """
partita.module {
  relax.func private @helper(%x: tensor<?xf32, #relax.shape<["n"]>>, %y: tensor<4xf32>)
      -> (tensor<?xf32, #relax.shape<["n"]>>, tensor<4xf32>) {
    relax.return %x, %y : tensor<?xf32, #relax.shape<["n"]>>, tensor<4xf32>
  }
  relax.func @main(%x: tensor<8x4xf32>, %v: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
      attributes {num_input = 1 : i64} {
    %c = relax.constant dense<2.0> : tensor<4xf32>
    %0:2 = relax.dataflow -> tensor<8x4xf32>, tensor<4xf32> {
      %dead = relax.exp %x : tensor<8x4xf32>
      %1 = relax.add %x, %c : tensor<8x4xf32>, tensor<4xf32> -> tensor<8x4xf32>
      %y, %m, %s = relax.nn.batch_norm %1, %v, %v, %v, %v axis = 1 training = false
        : (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
          -> (tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>)
      relax.output %y, %s : tensor<8x4xf32>, tensor<4xf32>
    }
    %2:2 = relax.call @helper(%0#1, %v) : (tensor<4xf32>, tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>)
    relax.return %0#0, %2#0 : tensor<8x4xf32>, tensor<4xf32>
  }
}
"""


def test_read_function():
    mod = partita.IRModule.from_text(TEXT)
    main = mod["main"]
    assert [type(block).__name__ for block in main.blocks] == ["DataflowBlock", "BindingBlock"]
    assert isinstance(main.body.body, relax.Tuple)
    item = main.body.body.fields[0]
    assert isinstance(item, relax.TupleGetItem) and item.index == 0
    norm = item.tuple_value
    assert norm.op.name == "relax.nn.batch_norm"
    assert norm.struct_info.fields[0] == relax.TensorType((8, 4))
    call = main.body.body.fields[1].tuple_value
    assert call.op == relax.GlobalVar("helper")
    assert call.args[0].tuple_value is norm
    assert main.attrs["num_input"] == 1
    assert mod["helper"].is_private and not main.is_private


def emit_again(func):
    """The function, made anew from its parameters, blocks and body."""
    return func._with_parts(func.params, func.body.body, func.blocks)


def test_emit_keeps_blocks_and_order():
    mod = partita.IRModule.from_text(TEXT)
    again = mod.clone()
    again["main"] = emit_again(mod["main"])
    again["helper"] = emit_again(mod["helper"])
    partita.ir.assert_structural_equal(mod, again)
    assert again["helper"].is_private


MODELS = pathlib.Path(__file__).parent.parent / "Dialect" / "Relax" / "models.mlir"


def test_models_are_what_they_were():
    """Real models: read, made anew, and rewritten by a mutator that does nothing."""
    with ir.Context() as context:
        module = ir.Module.parse(MODELS.read_text(), context)
    count = 0
    for op in module.body.operations:
        mod = partita.IRModule(op.operation.clone(ip=False).operation)
        for gv, func in mod.functions.items():
            count += 1
            assert relax.ExprMutator().visit(func) is func
            again = emit_again(func)
            # Constants are at the start of both.
            partita.ir.assert_structural_equal(func, again)
    assert count >= 3


def test_calls_of_one_function_do_not_change():
    mod = partita.IRModule.from_text("""
        partita.module {
          relax.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
            relax.return %x : tensor<2xf32>
          }
          relax.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
            %0 = relax.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
            %1 = relax.call @f(%0) : (tensor<2xf32>) -> tensor<2xf32>
            relax.return %1 : tensor<2xf32>
          }
        }""")
    main = mod["main"]
    assert relax.ExprMutator().visit(main) is main


def test_reading_leaves_nothing_behind():
    """No cycles: a module need not be copied for objects that nobody holds any more."""
    mod = partita.IRModule.from_text(TEXT)
    gc.collect()
    gc.disable()
    try:
        main = mod["main"]
        references = [weakref.ref(main), weakref.ref(main.body.body), weakref.ref(main.params[0])]
        target = main.blocks[0].bindings[1]
        del main
        # One of them is enough to find it again.
        assert mod["main"].blocks[0].bindings[1] is target
        del target
        assert [reference() for reference in references] == [None] * 3
    finally:
        gc.enable()


def test_function_that_does_not_change_stays():
    mod = partita.IRModule.from_text(TEXT)
    before = mod.operation.get_asm(enable_debug_info=True)
    main = mod["main"]
    assert relax.ExprMutator().visit(main) is main
    mod["main"] = main
    mod.update(mod)
    assert mod["main"] is main
    assert mod.operation.get_asm(enable_debug_info=True) == before


def test_round_trip_through_text():
    x = relax.var("x", ("n", 4))
    func = relax.Function(
        [x], relax.Tuple([relax.exp(x), relax.const([1.0, 2.0])]), attrs={"num_input": 1}
    )
    mod = partita.IRModule.from_expr(func)
    mod.operation.verify()
    other = partita.IRModule.from_text(mod.script())
    assert partita.ir.structural_equal(mod, other)
    assert other["main"].struct_info == func.struct_info


def test_tuples():
    x = relax.var("x", (3,))
    t = relax.var("t", relax.TupleType([x.struct_info, relax.TupleType([x.struct_info])]))
    nested = relax.Tuple([relax.Tuple([x]), t[1], t[0]])
    func = relax.Function([x, t], nested)
    mod = partita.IRModule.from_expr(func)
    mod.operation.verify()
    assert mod["main"].ret_type == nested.struct_info
    assert str(func).count("relax.tuple_get_item") == 2
    # A tuple that is only taken apart is never made.
    func = relax.Function([x], relax.Tuple([x, relax.exp(x)])[1])
    assert "tuple" not in str(func)
    one = relax.Function([x], relax.Tuple([x]))
    assert one.ret_type == relax.TupleType([x.struct_info])
    assert relax.Function([t], t).ret_type == t.struct_info
    first, second = t
    assert first.index == 0 and second.struct_info == relax.TupleType([x.struct_info])


def test_single_tuple_result_stays():
    text = """
    partita.module {
      relax.func @main(%x: tensor<3xf32>) -> tuple<tensor<3xf32>, tensor<3xf32>> {
        %0 = relax.tuple(%x, %x) : tensor<3xf32>, tensor<3xf32>
        relax.return %0 : tuple<tensor<3xf32>, tensor<3xf32>>
      }
    }"""
    mod = partita.IRModule.from_text(text)
    again = mod.clone()
    again["main"] = emit_again(mod["main"])
    partita.ir.assert_structural_equal(mod, again)


def test_with_attr():
    x = relax.var("x", (3,))
    func = relax.Function([x], relax.exp(x), attrs={"a": 1})
    other = func.with_attr("SkipOptimization", True).with_attr({"b": "text", "c": [1, 2.5]})
    assert dict(func.attrs) == {"a": 1}
    assert dict(other.attrs) == {"a": 1, "SkipOptimization": True, "b": "text", "c": [1, 2.5]}
    assert other.body.body is func.body.body
    assert "a" not in other.without_attr("a").attrs
    assert not relax.Function([x], x, is_pure=False).is_pure


def test_names_and_locations():
    mod = partita.IRModule.from_text(
        'partita.module { relax.func @f(%x: tensor<2xf32> loc("data")) -> tensor<2xf32> {\n'
        '%0 = relax.exp %x : tensor<2xf32> loc("e")\n'
        "relax.return %0 : tensor<2xf32> } }"
    )
    func = mod["f"]
    assert func.params[0].name_hint == "data"
    assert func.body.body.loc.name_str == "e"

    class Twice(relax.ExprMutator):
        def visit_call(self, call):
            call = super().visit_call(call)
            return relax.add(call, call)

    text = Twice().visit(func).operation.get_asm(enable_debug_info=True)
    assert '"e"' in text and '"data"' in text


#
# Calls of functions.
#


def test_calls():
    x = relax.var("x", ("n", 4))
    helper = relax.GlobalVar("helper")
    y = relax.var("y", (8, 4))
    main = relax.Function([y], relax.exp(helper(y)))
    with pytest.raises(ValueError, match="function @helper that is called"):
        main.ret_type
    assert main.body.body.struct_info.is_missing()
    with pytest.raises(AttributeError, match="expected a type that has 'shape'.* sinfo_args"):
        main.body.body.struct_info.shape
    # The caller first: the callee's type is found all the same.
    mod = partita.IRModule({"main": main, helper: relax.Function([x], relax.nn.relu(x))})
    mod.operation.verify()
    assert mod["main"].ret_type == relax.TensorType((8, 4))
    # A name from a module knows the type.
    gv = mod.get_global_var("helper")
    assert gv(y).struct_info == relax.TensorType((8, 4))
    mod["more"] = relax.Function([y], gv(y))
    mod.operation.verify()
    with pytest.raises(ValueError, match="expected 1 arguments for @helper, but found 2"):
        gv(y, y)
    with pytest.raises(ValueError, match="@nobody"):
        mod["bad"] = relax.Function([y], relax.GlobalVar("nobody")(y))
    assert "bad" not in mod


def test_impure_calls():
    x = relax.var("x", (4,))
    gv = relax.GlobalVar("print")
    call = gv(x, attrs={"is_pure": False})
    assert not call.is_pure and relax.abs(x).is_pure
    printer = relax.Function([x], x, is_pure=False)
    with pytest.raises(ValueError, match="expected a pure call in a pure function"):
        partita.IRModule({gv: printer, "main": relax.Function([x], call)})
    mod = partita.IRModule({gv: printer, "main": relax.Function([x], call, is_pure=False)})
    mod.operation.verify()
    assert not mod["main"].is_pure


def test_attributes_of_results():
    mod = partita.IRModule.from_text("""
        partita.module {
          relax.func @f(%x: tensor<2xf32> {a.b = 1 : i64}) -> (tensor<2xf32> {a.c}) {
            %0 = relax.exp %x : tensor<2xf32>
            relax.return %0 : tensor<2xf32>
          }
        }""")

    func = mod["f"].with_body(relax.abs(mod["f"].body.body))
    assert "{a.b = 1 : i64}" in str(func) and "{a.c}" in str(func)
    two = mod["f"].with_body(relax.Tuple([mod["f"].body.body] * 2))
    assert "{a.b = 1 : i64}" in str(two) and "a.c" not in str(two)


def test_recursion():
    x = relax.var("x", (4,))
    gv = relax.GlobalVar("loop")
    with pytest.raises(ValueError, match="calls itself, to have a ret_type"):
        partita.IRModule({gv: relax.Function([x], gv(relax.exp(x)))})
    mod = partita.IRModule({gv: relax.Function([x], gv(relax.exp(x)), x.struct_info)})
    mod.operation.verify()
    assert mod[gv].ret_type == x.struct_info


def test_call_tir():
    mod = partita.IRModule.from_text(
        "partita.module { tir.prim_func private @k(memref<4xf32>, memref<4xf32>) }"
    )
    x = relax.var("x", (4,))
    gv = mod.get_global_var("k")
    mod["main"] = relax.Function([x], relax.call_tir(gv, [x], x.struct_info))
    mod.operation.verify()
    call = mod["main"].body.body
    assert call.op.name == "relax.call_tir"
    assert call.args[0] == gv and call.args[1].fields[0] is mod["main"].params[0]
    assert relax.analysis.all_global_vars(mod["main"]) == [gv]


#
# Deep graphs.
#


def test_deep_chain():
    x = relax.var("x", (4,))
    y = x
    for _ in range(100_000):
        y = relax.abs(y)
    mod = partita.IRModule.from_expr(relax.Function([x], y))
    assert relax.analysis.free_vars(y) == [x]
    del y
    gc.collect()
    assert sum(1 for _ in mod["main"].operation.regions[0].blocks[0].operations) == 100_001

    class ToNegative(relax.ExprMutator):
        def visit_call_(self, call):
            return relax.negative(super().visit_call_(call).args[0])

    class Count(relax.ExprVisitor):
        count = 0

        def visit_call(self, call):
            super().visit_call(call)
            self.count += 1

    # From the body, where only the chain gives the order.
    count = Count()
    count.visit(mod["main"].body.body)
    assert count.count == 100_000
    negative = ToNegative().visit(mod["main"].body.body)
    seen = []
    relax.analysis.post_order_visit(negative, seen.append)
    assert len(seen) == 100_001 and seen[0].name_hint == "x"
    assert all(e.op.name == "relax.negative" for e in seen[1:])


#
# Visitors and mutators.
#


def test_multiply_constants():
    rng = np.random.default_rng(1)
    weight = rng.random((4, 3, 3, 3), "float32")
    bias = rng.random((1, 4, 6, 6), "float32")
    x = relax.var("x", (1, 3, 8, 8))
    c = relax.const(bias)
    y = relax.nn.conv2d(x, relax.const(weight))
    z = relax.multiply(relax.add(c, c), relax.const(2.0))
    mod = partita.IRModule.from_expr(relax.Function([x], relax.add(y, z)))

    class Multiply(relax.ExprMutator):
        def __init__(self, multiplier):
            super().__init__()
            self.multiplier = multiplier

        def visit_constant(self, const):
            return relax.multiply(self.multiplier, const)

    func = Multiply(relax.const(3.0)).visit(mod["main"])
    # Each constant once: a shared one is visited once.
    assert str(func).count("relax.multiply") == 4
    mod["main"] = func
    body = fold(mod)["main"].body.body
    conv, constant = body.args
    np.testing.assert_allclose(conv.args[1].data, 3 * weight, rtol=1e-6)
    np.testing.assert_allclose(constant.data, 2 * 3 * 2 * 3 * bias, rtol=1e-6)


def test_mutator_keeps_blocks():
    mod = partita.IRModule.from_text(TEXT)

    class AddToMultiply(relax.ExprMutator):
        def visit_call_(self, call):
            call = super().visit_call_(call)
            if call.op == relax.Op.get("relax.add"):
                return relax.multiply(relax.exp(call.args[0]), call.args[1])
            return call

    mod["main"] = AddToMultiply().visit(mod["main"])
    mod.operation.verify()
    ops = [type(op).OPERATION_NAME for op in mod["main"].operation.regions[0].blocks[0].operations]
    assert ops == ["relax.constant", "relax.dataflow", "relax.call", "relax.return"]
    assert "relax.add" not in str(mod["main"])
    assert mod["main"].attrs["num_input"] == 1


def test_visitor_order_and_names():
    x = relax.var("x", (4,))
    c = relax.const([1.0, 2.0, 3.0, 4.0])
    t = relax.Tuple([relax.add(x, c), x])
    body = relax.exp(t[0]) + relax.GlobalVar("f")(
        relax.TupleGetItem(t, 1), sinfo_args=[x.struct_info]
    )

    class Log(relax.ExprVisitor):
        def __init__(self):
            super().__init__()
            self.seen = []

        def log(self, expr):
            self.seen.append(type(expr).__name__)

        def visit_call(self, call):
            self.seen.append("enter")
            super().visit_call(call)

        visit_constant_ = visit_var = visit_global_var = log

        def visit_tuple_getitem(self, item):
            super().visit_tuple_getitem(item)
            self.log(item)

        def visit_op(self, op):
            self.seen.append(op.name)

    log = Log()
    log.visit(body)
    called = ["enter", "relax.add", "enter", "relax.exp", "enter", "Var", "Constant"]
    assert log.seen == [*called, "enter", "GlobalVar", "TupleGetItem"]


def test_functor_without_method():
    with pytest.raises(NotImplementedError, match="ExprFunctor to have a visit method for Var"):
        relax.ExprFunctor().visit(relax.var("x", (1,)))

    class Forgets(relax.ExprMutator):
        def visit_call_(self, call):
            pass

    with pytest.raises(TypeError, match="to return an expression for a Call"):
        Forgets().visit(relax.abs(relax.var("x", (1,))))


#
# BlockBuilder.
#


def test_block_builder():
    x = relax.var("x", (4,))
    bb = relax.BlockBuilder()
    with bb.function("main", [x], attrs={"num_input": 1}):
        with bb.dataflow():
            lv = bb.emit(relax.add(x, x))
            bb.emit(relax.exp(x), "dead")
            gv = bb.emit_output(relax.nn.relu(lv))
        bb.emit_func_output(gv)
    mod = bb.get()
    mod.operation.verify()
    assert_same_text(
        mod,
        """
        partita.module {
          relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {global_symbol = "main", num_input = 1 : i64} {
            %0 = relax.dataflow -> tensor<4xf32> {
              %lv = relax.add %x, %x : tensor<4xf32>
              %dead = relax.exp %x : tensor<4xf32>
              %gv = relax.nn.relu %lv : tensor<4xf32>
              relax.output %gv : tensor<4xf32>
            }
            relax.return %0 : tensor<4xf32>
          }
        }
        """,
    )


def test_block_builder_names_what_has_no_name():
    x = relax.var("x", (4,))
    bb = relax.BlockBuilder()
    assert relax.BlockBuilder.current() is None
    for function, expected in (
        ("f", ["gv", "mine", "lv", "lv1", "gv1", "lv2", "gv2"]),
        ("g", ["gv3", "mine1", "lv3", "lv4", "gv4", "lv5", "gv5"]),
    ):
        with bb.function(function, [x]):
            assert relax.BlockBuilder.current() is bb
            named = [bb.emit(relax.exp(x)), bb.emit(relax.exp(x), "mine")]
            assert not bb.current_block_is_dataflow()
            with bb.dataflow():
                assert bb.current_block_is_dataflow()
                named += [bb.emit(relax.exp(x)), bb.emit(relax.exp(x))]
                named += [bb.emit_output(relax.exp(x)), bb.match_cast(x, x.struct_info)]
            named.append(bb.emit(named[0]))
            bb.emit_func_output(named[-1])
        assert [expr.name for expr in named] == expected
    assert bb.get_unique_name("lv") == "lv6" and bb.get_unique_name("x") == "x"
    assert bb.get()["f"].ty == bb.get()["f"].struct_info
    with bb.function("hidden", [x], private=True):
        bb.emit_func_output(x)
    assert "global_symbol" not in bb.get()["hidden"].attrs


def test_shape_of():
    x = relax.Var("x", relax.TensorType([4, "n"]))
    shape = relax.get_shape_of(x)
    assert isinstance(shape, relax.ShapeExpr) and shape.values == (4, "n")
    call = relax.get_shape_of(relax.Var("y", relax.TensorType(None, "float32", ndim=2)))
    assert call.op.name == "relax.shape_of"
    shape = relax.Var("s", relax.ShapeType(ndim=2))
    assert relax.get_shape_of(relax.Var("z", relax.TensorType(shape, "float32"))).op is not None
    with pytest.raises(TypeError, match="expected a tensor"):
        relax.get_shape_of(relax.ShapeExpr([4]))


def test_block_builder_errors():
    x = relax.var("x", (4,))
    bb = relax.BlockBuilder()
    with pytest.raises(RuntimeError, match="expected emit_func_output in function 'f'"):
        with bb.function("f", [x]):
            pass
    with pytest.raises(RuntimeError, match="dataflow block to be in a function"):
        with bb.dataflow():
            pass
    with pytest.raises(RuntimeError, match="emit_output to be in a dataflow block"):
        with bb.function("f", [x]):
            bb.emit_output(x)
    with pytest.raises(RuntimeError, match="expected emit_func_output in function 'g'"):
        with bb.function("f", [x]):
            with bb.function("g", [x]):
                pass
    with pytest.raises(ValueError, match="expected one emit_func_output"):
        with bb.function("f", [x]):
            bb.emit_func_output(x)
            bb.emit_func_output(x)
    assert len(bb.get()) == 0 and relax.BlockBuilder.current() is None


def test_contexts():
    with ir.Context() as other:
        x = relax.var("x", (4,))
    # A constant belongs where the others are.
    y = relax.add(x, relax.const([1.0, 2.0, 3.0, 4.0]))
    assert y._context is other
    assert (y * 2.0)._context is other
    with pytest.raises(ValueError, match="expressions of one MLIR context"):
        relax.add(x, relax.var("y", (4,)))
    with pytest.raises(ValueError, match="expressions of one MLIR context"):
        relax.Function([x], relax.exp(relax.const([1.0])))
    assert relax.Function([x], relax.const([1.0])).operation.context is other
    assert relax.Function([x], relax.Tuple([relax.const(1.0), y]))._form.context is other
    mod = partita.IRModule()
    mod["f"] = relax.Function([x], y)
    assert mod["f"].operation.context is partita.ir.get_context()


def test_the_body_of_a_function_is_blocks_and_a_result():
    bb = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((4,)))
    with bb.function("main", [x]):
        with bb.dataflow():
            lv = bb.emit(relax.op.abs(x))
            gv = bb.emit_output(relax.op.exp(lv))
        bb.emit_func_output(gv)
    main = bb.get()["main"]
    seq = main.body
    assert isinstance(seq, relax.SeqExpr) and main.body is seq
    assert isinstance(seq.blocks[0], relax.DataflowBlock)
    assert [b.var.name for b in seq.blocks[0].bindings] == ["lv", "gv"]
    assert seq.body is seq.blocks[0].bindings[1] and seq.ty == x.ty
    again = relax.Function(main.params, seq)
    assert partita.ir.structural_equal(again.body.body, seq.body)
    assert len(again.body.blocks[0].bindings) == 2
    # Blocks that are emitted come before their value, which gets a name of its own.
    outer = relax.BlockBuilder()
    with outer.function("outer", main.params):
        outer.emit_func_output(relax.op.negative(outer.emit(seq)))
    bindings = outer.get()["outer"].body.blocks[0].bindings
    assert bindings[2].value is bindings[1]
    names = [bindings[i].op.name for i in (0, 1, 3)]
    assert names == ["relax.abs", "relax.exp", "relax.negative"]


def test_block_builder_names_what_an_expression_is_made_of():
    def names(build):
        bb = relax.BlockBuilder()
        x = relax.var("x", (4, 4))
        with bb.function("f", [x]):
            bb.emit_func_output(build(bb, x))
        seq = bb.get()["f"].body
        return [b.name for block in seq.blocks for b in block.bindings if b.name]

    def build_dataflow(bb, x):
        with bb.dataflow():
            return bb.emit_output(relax.op.exp(relax.op.abs(x)))

    def build_deep(bb, x):
        for _ in range(2000):
            x = relax.op.abs(x)
        return x

    op = relax.op
    assert names(lambda bb, x: op.add(x, op.exp(op.abs(x)))) == ["gv", "gv1", "gv2"]
    assert names(lambda bb, x: bb.emit(op.exp(op.abs(x)), "mine")) == ["gv", "mine"]
    assert names(lambda bb, x: op.reshape((y := op.exp(x)) + y, (16,))) == ["gv", "gv1", "gv2"]
    assert names(lambda bb, x: (op.exp(x), x)) == ["gv"]
    assert names(lambda bb, x: op.call_dps_packed("f", [op.exp(x)], x.ty)) == ["gv", "gv1"]
    assert names(build_dataflow) == ["lv", "gv"]
    assert len(names(build_deep)) == 2000


def test_a_function_that_is_not_there():
    mod = partita.IRModule()
    for error in (KeyError, ValueError):
        with pytest.raises(error, match="^expected a function of the module, but found 'f'"):
            mod["f"]
        with pytest.raises(error):
            mod.get_global_var("f")


def test_values_without_a_name_are_no_bindings():
    text = """partita.module {
      relax.func @f(%x: tensor<4xf32>) -> tensor<2x2xf32> {
        %0 = relax.shape [2, 2]
        %named = relax.shape [4]
        %1 = relax.reshape %x, %0 : tensor<4xf32>, !relax.shape<[2, 2]> -> tensor<2x2xf32>
        relax.return %1 : tensor<2x2xf32>
      }
    }"""
    func = partita.IRModule.from_text(text)["f"]
    (block,) = func.body.blocks
    assert [(type(b).__name__, b.name) for b in block.bindings] == [
        ("ShapeExpr", "named"),
        ("Call", ""),
    ]
    again = str(relax.Function(func.params, func.body))
    assert "relax.shape [2, 2]" in again and "%named = relax.shape [4]" in again


def test_the_extension_knows_definitions_by_their_names():
    with pytest.raises(ValueError, match="expected a name under which .* but found 'Nothing'"):
        _partita.known_as("Nothing")
