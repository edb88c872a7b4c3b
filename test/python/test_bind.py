# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Binding parameters and sizes of functions to values."""

import pickle

import numpy as np
import partita
import pytest
from partita import relax, tir


def make_dense():
    """x @ w + b, where w has a size that x has, too."""
    n = tir.Var("n")
    x = relax.Var("x", relax.TensorType([4, n]))
    w = relax.Var("w", relax.TensorType([n, 8]))
    b = relax.Var("b", relax.TensorType([8]))
    product = relax.op.matmul(x, w)
    shape = relax.ShapeExpr([n, n + 1])
    return relax.Function([x, w, b], relax.Tuple([product + b, shape]))


def make_numbers():
    n = tir.Var("n")
    x = relax.Var("x", relax.TensorType([n]))
    shape = relax.Var("shape", relax.ShapeType([n, 2]))
    step = relax.Var("step", relax.PrimType("int64"))
    scale = relax.Var("scale", relax.PrimType("float32"))
    fields = [relax.op.broadcast_to(x, (n,)), shape, step, scale]
    return relax.Function([x, shape, step, scale], relax.Tuple(fields))


def test_array_becomes_a_constant_and_its_size_is_known():
    before = make_dense()
    w = np.arange(2400, dtype="float32").reshape(300, 8)
    after = before.bind_params({"w": w})
    assert [param.name_hint for param in after.params] == ["x", "b"]
    assert after.params[0].struct_info == relax.TensorType([4, 300], "float32")
    assert after.ret_type.fields[1] == relax.ShapeType([300, 301])
    product = after.body.body.fields[0].args[0]
    np.testing.assert_array_equal(product.args[1].data, w)
    # The original function has not changed.
    assert [param.name_hint for param in before.params] == ["x", "w", "b"]
    partita.IRModule({"main": after}).operation.verify()


def test_parameters_are_found_by_object_too():
    before = make_dense()
    _, w, b = before.params
    values = {w: relax.const(np.ones((2, 8), "float32")), b: np.zeros(8, "float32")}
    after = before.bind_params(values)
    assert [str(param.struct_info) for param in after.params] == ['TensorType((4, 2), "float32")']


@pytest.mark.parametrize("dtype", ["int64", "float64", "int32", "float32", "bool"])
def test_array_has_a_type_of_its_own(dtype):
    x = relax.Var("x", relax.TensorType([3], dtype))
    before, array = relax.Function([x], x), np.arange(3).astype(dtype)
    mod = relax.transform.BindParams("main", {"x": array})(partita.IRModule({"main": before}))
    for after in (before.bind_params({"x": array}), mod["main"]):
        assert after.body.body.data.dtype == dtype and after.ret_type == x.ty


def test_numbers_and_shapes():
    after = make_numbers().bind_params({"shape": [5, 2], "step": 3, "scale": 0.5})
    assert after.params[0].struct_info == relax.TensorType([5], "float32")
    _, shape, step, scale = after.body.body.fields
    assert shape.values == (5, 2) and step.value == 3 and scale.value == 0.5
    again = make_numbers().bind_params(
        {"shape": relax.ShapeExpr([5, 2]), "step": relax.PrimValue(3), "scale": 0.5}
    )
    assert partita.ir.structural_equal(again, after)


def test_number_that_is_a_size():
    text = """relax.func @f(%x: tensor<?xf32, #relax.shape<["n"]>>, %n: i64 {relax.dim = "n"}) -> i64 {
      relax.return %n : i64
    }"""
    func = partita.IRModule.from_text("partita.module {" + text + "}")["f"]
    after = func.bind_params({"n": 7})
    (x,) = after.params
    assert x.struct_info == relax.TensorType([7], "float32")
    assert after.body.body.value == 7


@pytest.mark.parametrize(
    "values, message",
    [
        ({"v": np.ones(8)}, r"expected one of the parameters \['x', 'w', 'b'\].*'v'.*none of them"),
        ({relax.Var("w", relax.TensorType([1])): 1.0}, "'w', which is none of them"),
        ({"b": np.ones(8, "float64")}, "expected a value of type 'tensor<8xf32>' for parameter 2"),
        ({"b": np.ones(7, "float32")}, "expected a value of type 'tensor<8xf32>' for parameter 2"),
        ({"b": [1, 2]}, "expected a value of type 'tensor<8xf32>' for parameter 2"),
        (
            {"x": np.ones((4, 2), "float32"), "w": np.ones((3, 8), "float32")},
            'expected dimension "n" .* to be 2, as another value says, but found 3',
        ),
    ],
)
def test_values_that_do_not_fit(values, message):
    with pytest.raises(ValueError, match=message):
        make_dense().bind_params(values)


def test_values_of_other_kinds():
    with pytest.raises(TypeError, match="expected the value of 'b' to be a constant"):
        make_dense().bind_params({"b": relax.Var("c", relax.TensorType([8]))})
    with pytest.raises(TypeError, match="expected a parameter to be a Var or its name"):
        make_dense().bind_params({0: np.ones(8)})
    with pytest.raises(ValueError, match="'x' twice"):
        x, y = (relax.Var("x", relax.TensorType([2])) for _ in range(2))
        relax.Function([x, y], x + y).bind_params({"x": np.ones(2, "float32")})
    with pytest.raises(ValueError, match="expected a function with a body"):
        declared = partita.IRModule.from_text(
            "partita.module { relax.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> }"
        )
        declared["f"].bind_params({})


def test_pass_binds_and_folds():
    mod = partita.IRModule({"main": make_dense(), "other": make_dense()})
    w, b = np.ones((3, 8), "float32"), np.full(8, 2.0, "float32")
    passes = partita.transform.Sequential(
        [
            relax.transform.BindParams("main", {"x": np.ones((4, 3), "float32"), "w": w, "b": b}),
            relax.transform.ConvertToDataflow(1),
            relax.transform.FoldConstant(),
        ]
    )
    after = passes(mod)
    assert after["main"].params == []
    np.testing.assert_array_equal(after["main"].body.body.fields[0].data, np.full((4, 8), 5.0))
    assert len(after["other"].params) == 3 == len(mod["main"].params)
    with pytest.raises(KeyError, match="expected a function of the module, but found 'none'"):
        relax.transform.BindParams("none", {})(mod)


def test_sizes():
    n, m = tir.Var("n"), tir.Var("m")
    before = make_dense()
    assert before.bind_symbolic_vars({n: 3}).params[0].struct_info == relax.TensorType([4, 3])
    after = before.bind_symbolic_vars({"n": m})
    assert after.ret_type.fields[1] == relax.ShapeType([m, m + 1])
    assert before.params[0].struct_info == relax.TensorType([4, n])
    with pytest.raises(
        ValueError, match='expected dimension "k" to be one of a parameter or a match_cast'
    ):
        before.bind_symbolic_vars({"k": 3})
    with pytest.raises(TypeError, match="expected a dimension to be a tir.Var or its name"):
        before.bind_symbolic_vars({1: 3})
    with pytest.raises(
        RuntimeError, match="expected the size of 'n' to be at least 0, but found -1"
    ):
        before.bind_symbolic_vars({"n": -1})
    with pytest.raises(TypeError, match="expected the size of 'n' to be known"):
        before.bind_symbolic_vars({"n": None})


def test_pass_binds_sizes():
    mod = partita.IRModule({"main": make_dense(), "other": make_dense()})
    bind = relax.transform.BindSymbolicVars
    after = bind({tir.Var("n"): 16})(mod)
    assert {str(f.params[0].struct_info) for f in after.functions.values()} == {
        'TensorType((4, 16), "float32")'
    }
    after = bind({"n": tir.Var("k")}, "main")(mod)
    assert after["other"].params[1].struct_info.shape[0] == "n"
    with pytest.raises(partita.PassError, match='expected dimension "k"'):
        bind({"k": 16})(mod)


def test_names_that_were_read_are_those_of_their_function():
    bind = relax.transform.BindSymbolicVars
    mod = partita.IRModule({"main_1": make_dense(), "main_2": make_dense()})

    def size(module, name):
        return module[name].params[0].ty.shape[1]

    one, two = (size(mod, name) for name in ("main_1", "main_2"))
    after = bind({one: 16})(mod)
    assert size(after, "main_1") == 16 and size(after, "main_2") == "n"
    after = bind({one: 16, two: 32})(mod)
    assert [size(after, name) for name in ("main_1", "main_2")] == [16, 32]
    after = bind({relax.analysis.defined_symbolic_vars(mod["main_2"])[0]: "k"})(mod)
    assert size(after, "main_1") == "n" and size(after, "main_2") == "k"
    assert one == "n" == two and one != two and len({one, two}) == 2
    assert pickle.loads(pickle.dumps(one)) == one != pickle.loads(pickle.dumps(two))
    with pytest.raises(partita.PassError, match="a match_cast of @main_1, but found none"):
        bind({one: 16}, "main_2")(mod)
    with pytest.raises(
        partita.errors.BindError, match="of @main_2, but found 'n', .* one of @main_1"
    ):
        mod["main_2"].bind_symbolic_vars({one: 16})
    # A function keeps its names if it is inside another function, or in no module.
    moved = partita.IRModule({"main": mod["main_1"]})
    assert size(bind({one: 16})(moved), "main") == 16
    assert mod["main_1"].bind_symbolic_vars({one: 16}).params[0].ty.shape[1] == 16
    assert make_dense().bind_symbolic_vars({one: 16}).params[0].ty.shape[1] == 16


def test_names_that_are_not_there_are_errors_as_in_tvm():
    func = relax.Function([X := relax.Var("x", relax.TensorType(("n", 8)))], relax.op.exp(X))
    for bind in (
        lambda: func.bind_params({"y": np.zeros((4, 8), "float32")}),
        lambda: func.bind_symbolic_vars({"m": 4}),
    ):
        for error in (ValueError, RuntimeError):
            with pytest.raises(error):
                bind()


def test_a_variable_that_the_function_was_made_of_names_its_parameter():
    x, y = (relax.Var(name, relax.TensorType((2,))) for name in "xy")
    mod = partita.IRModule.from_expr(relax.Function([x, y], x - y))
    after = mod["main"].bind_params({y: np.ones(2, "float32")})
    assert [param.name for param in after.params] == ["x"]


def test_a_module_is_normal_already():
    x = relax.Var("x", relax.TensorType((2,)))
    func = relax.Function([x], relax.op.multiply(relax.op.exp(x), relax.op.exp(x)))
    made = partita.transform.Sequential([relax.transform.Normalize()])(
        partita.IRModule({"f": func})
    )
    assert str(made["f"]).count("relax.exp") == 2 and len(made["f"].body.blocks[0].bindings) == 3


def test_types_follow_from_what_is_bound():
    x = relax.Var("x", relax.TensorType(dtype=None))
    c = relax.Var("c", relax.TensorType((), "bool"))
    y = relax.op.add(relax.op.exp(x), x)
    result = relax.If(c, relax.op.negative(y), relax.op.abs(y))
    after = relax.Function([x, c], relax.Tuple([result, y])).bind_params({x: np.ones(3, "float32")})
    assert list(after.ret_ty.fields) == [relax.TensorType((3,), "float32")] * 2
    assert after.body.body.fields[0].true_branch.ty == relax.TensorType((3,), "float32")


def test_new_names_are_introduced_by_parameters():
    func = make_dense()
    k = tir.Var("k")
    assert func.bind_symbolic_vars({"n": k}).params[0].ty.shape[1] == k
    with pytest.raises(
        RuntimeError, match="to be dimensions of parameters or.*none of the name 'k'"
    ):
        func.bind_symbolic_vars({"n": k * 2 + 1})


def test_a_shape_that_is_bound_has_no_other_names():
    shape, other = relax.Var("shape", relax.ShapeType(ndim=1)), relax.Var("other")
    block = relax.BindingBlock([relax.VarBinding(other, shape)])
    func = relax.Function([shape], relax.SeqExpr([block], other))
    after = func.bind_params({"shape": [16]})
    assert "alias" not in str(after) and after.ret_ty == relax.ShapeType([16])


def test_a_copy_stays_on_its_device():
    cuda = partita.ir.VDevice("cuda")
    x = relax.Var("x", relax.TensorType((3,), "float32", partita.ir.VDevice("llvm")))
    func = relax.Function([x], relax.op.exp(relax.op.to_vdevice(x, cuda)))
    after = func.bind_params({"x": np.ones(3, "float32")})
    assert after.ret_ty == relax.TensorType((3,), "float32", cuda)


def test_values_of_other_types_raise_what_tvm_raises():
    for kind in (ValueError, TypeError, RuntimeError):
        with pytest.raises(kind, match="expected a value of type 'tensor<8xf32>'"):
            make_dense().bind_params({"b": np.ones(8, "int32")})
