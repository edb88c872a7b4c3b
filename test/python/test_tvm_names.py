# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small helpers that programs for TVM use under TVM's names."""

import pickle

import pytest

import partita
from partita import IRModule, ir, relax, tirx, transform
from partita.ir.supply import UniqueNameSupply


def test_missing_type():
    missing = ir.Type.missing()
    assert missing.is_missing() and not ir.PrimType("int64").is_missing()
    assert relax.Var("v").ty is missing and relax.Var("v", missing).struct_info is missing
    assert ir.GlobalVar("f").ty is missing
    assert pickle.loads(pickle.dumps(missing)) is missing
    assert missing != relax.ObjectType() and str(missing) == "Type.missing()"
    with pytest.raises(AttributeError, match="expected a type that has 'shape'"):
        relax.Var("v").ty.shape
    with pytest.raises(ValueError, match="expected the type of an expression to be known"):
        missing.to_mlir()


def test_prim_type_is_its_name():
    int64 = ir.PrimType("int64")
    assert int64 == "int64" and "int64" == int64 and int64 != "int32"
    assert int64 == relax.TensorType((2,), "int64").dtype
    assert {int64: 1}["int64"] == 1 and str(int64) == "int64"
    for dtype in (int64, relax.TensorType((2,), "int64").dtype):
        assert dtype.matches_code(partita.DataTypeCode.UINT, partita.DataTypeCode.INT)
        assert not dtype.matches_code(partita.DataTypeCode.FLOAT)
        assert dtype.matches_element_type(partita.DataTypeCode.INT, 64) and dtype.is_scalar()


def test_arguments_of_ops():
    add, concat = ir.Op.get("relax.add"), ir.Op.get("relax.concat")
    assert add.num_inputs == 2 and concat.num_inputs == 1
    assert [a.name for a in ir.Op.get("relax.nn.conv2d").arguments] == ["data", "weight"]
    assert [a.name for a in ir.Op.get("relax.call_tir").arguments] == ["func", "args"]
    assert [a.name for a in add.arguments] == ["x1", "x2"]


def test_purity_of_ops():
    impure = [op for op in ir.Op.list_op_names() if ir.Op.get(op).get_attr("FPurity") is False]
    assert set(impure) == {
        "relax.assert_op",
        "relax.call_builtin_with_ctx",
        "relax.call_value",
        "relax.invoke_closure",
        "relax.memory.kill_storage",
        "relax.memory.kill_tensor",
        "relax.print",
        "relax.vm.call_tir_dyn",
        "relax.vm.kill_object",
    }
    for name in ("add", "call_tir", "call_pure_packed", "builtin.alloc_tensor", "nn.batch_norm"):
        assert ir.Op.get(f"relax.{name}").get_attr("FPurity") is True
    assert ir.Op.get("relax.if").get_attr("FPurity") is None


def test_attributes_of_ops():
    add, subtract = ir.Op.get("relax.add"), ir.Op.get("relax.subtract")
    with pytest.raises(RuntimeError, match="expected an attribute .* but found 'test.level'"):
        add.get_attr("test.level")
    assert not add.has_attr("test.level")
    add.set_attr("test.level", 1)
    assert add.get_attr("test.level") == 1 and subtract.get_attr("test.level") is None
    with pytest.raises(RuntimeError, match="to be set once at the level 10"):
        add.set_attr("test.level", 2)
    ir.register_op_attr("relax.add", "test.level", 3, level=11)
    add.set_attr("test.level", 4, 5)
    assert add.get_attr("test.level") == 3

    @ir.register_op_attr("relax.subtract", "test.level")
    def level(call):
        return call

    assert subtract.get_attr("test.level") is level
    add.reset_attr("test.level")
    assert add.get_attr("test.level") is None
    with pytest.raises(ValueError, match="expected an op of relax"):
        ir.register_op_attr("relax.ad", "test.level", 3)


def test_make_node():
    x = relax.Var("x", relax.TensorType((2, 3), "float32"))
    attrs = ir.make_node("relax.attrs.SoftmaxAttrs", axis=1)
    call = relax.Call(ir.Op.get("relax.nn.softmax"), [x], attrs)
    assert attrs.axis == 1 and ir.structural_equal(call, relax.op.nn.softmax(x, 1))
    func = relax.Function([x], call, attrs=ir.make_node("ir.DictAttrs", key=[1, "a"]))
    assert func.attrs["key"] == [1, "a"]
    permuted = relax.Call(
        ir.Op.get("relax.permute_dims"), [x], ir.make_node("relax.attrs.X", axes=[1, 0])
    )
    assert permuted.ty.shape == (3, 2)
    attrs = ir.DictAttrs({"key": 1, "other": "text"})
    assert attrs.key == 1 and attrs["other"] == "text" and list(attrs) == ["key", "other"]
    assert pickle.loads(pickle.dumps(attrs)) == attrs
    with pytest.raises(ValueError, match="expected a class of attributes.* found 'ir.Call'"):
        ir.make_node("ir.Call", op=1)


def test_range():
    n = tirx.Var("n", "int64")
    assert ir.Range(3) == ir.Range(0, 3) == ir.Range.from_min_extent(0, 3)
    found = ir.Range(n, n + 4)
    assert found.min == "n" and found.extent == 4 and repr(found) == "Range(n, n + 4)"
    assert ir.Range(1, n).extent == n - 1 and len({ir.Range(3), ir.Range(0, 3)}) == 1
    with pytest.raises(TypeError, match="the begin of a Range to be an int or a size"):
        ir.Range("3")


def test_supply():
    names = UniqueNameSupply("p")
    found = [names.fresh_name(name) for name in ("a", "a", "a_1", "a", "", "b.c")]
    assert found == ["p_a", "p_a_1", "p_a_1_1", "p_a_2", "p_v", "p_b_c"]
    assert names.fresh_name("a", False) == "a" and names.fresh_name("a", False, False) == "a1"
    names.reserve_name("z")
    assert names.contains_name("z") and not names.contains_name("z", False)
    assert names.fresh_name("z") == "p_z_1"


def test_name_of_module_from_expr():
    func = relax.Function([], relax.Tuple([]))
    mod = IRModule.from_expr(func, {ir.GlobalVar("main"): func})
    assert sorted(var.name_hint for var in mod.get_global_vars()) == ["main", "main_1"]
    # A function that says its name replaces another.
    mod = IRModule.from_expr(func.with_attr("global_symbol", "foo"), {ir.GlobalVar("foo"): func})
    assert [var.name_hint for var in mod.get_global_vars()] == ["foo"]


def test_fields_of_config():
    context = transform.PassContext(config={"tirx.UnrollLoop": {"auto_max_step": 10}})
    value = context.config["tirx.UnrollLoop"]
    assert value.auto_max_step == 10 and value.explicit_unroll
    assert transform.PassContext(config={"tirx.UnrollLoop": value}).config == context.config
    with pytest.raises(AttributeError, match="expected one of the fields .* but found 'step'"):
        value.step


def test_errors():
    assert issubclass(partita.error.DiagnosticError, RuntimeError)
    x = relax.Var("x", relax.TensorType((2,), "float32"))
    mod = IRModule({"main": relax.Function([x], x)})
    # TVM has one of these two for a function that is missing, and the other for its type.
    for error in (ValueError, RuntimeError, partita.PassError):
        with pytest.raises(error, match="@nope"):
            relax.transform.Gradient("nope")(mod)
