"""relax.analysis on expressions and types."""

import pytest

from partita import IRModule, ir, relax, tir
from partita.mlir.ir import MLIRError
from partita.relax import FuncType, ShapeType, TensorType, TupleType, analysis

n, m = tir.Var("n"), tir.Var("m")
F32 = TensorType((2,))
CUDA = ir.VDevice("cuda")


def make_function():
    x, y = relax.Var("x", TensorType((n, 4))), relax.Var("y", TensorType((n, 4)))
    bb = relax.BlockBuilder()
    with bb.function("main", [x, y]):
        with bb.dataflow():
            lv = bb.emit(relax.op.exp(x), "lv")
            lv1 = bb.emit(relax.op.add(lv, lv), "lv1")
            bb.emit(relax.op.negative(y), "unused")
            gv = bb.emit_output(relax.op.multiply(lv1, lv), "gv")
        bb.emit_func_output(gv)
    return bb.get()["main"]


def test_variables_of_a_function():
    func = make_function()
    x, y = func.params
    lv, lv1, unused, gv = func.blocks[0].bindings
    assert analysis.bound_vars(func) == [x, y, lv, lv1, unused, gv]
    assert analysis.get_var2val(func) == {e: e for e in (lv, lv1, unused, gv)}
    assert analysis.name_to_binding(func)["lv1"] == [lv1]
    assert analysis.udchain(func.blocks[0]) == {
        x: [lv],
        y: [unused],
        lv: [lv1, gv],
        lv1: [gv],
        unused: [],
        gv: [],
    }
    assert analysis.all_vars(func) == [x, y, lv, lv1, unused, gv]
    assert analysis.all_vars(gv) == [lv1, lv] and analysis.free_vars(gv) == [x]
    branch = relax.SeqExpr([relax.BindingBlock([lv])], lv)
    choice = relax.If(relax.const(True), branch, x)
    assert analysis.bound_vars(choice) == [lv]
    # The function's own variables come first.
    assert analysis.bound_vars(relax.Function([x], choice)).index(x) == 0
    inner = relax.Function([relax.Var("z", F32)], relax.const([1.0, 2.0]))
    assert analysis.bound_vars(inner._as_value("f")) == inner.params


def test_what_is_unused_is_removed():
    func = analysis.remove_all_unused(make_function())
    assert "relax.negative" not in str(func) and "relax.multiply" in str(func)
    mod = IRModule({"main": make_function(), "other": make_function()})
    other = relax.Function(
        [x := relax.Var("x", TensorType((n, 4)))],
        relax.Call(mod.get_global_var("other"), [x, relax.op.exp(x)]),
    )
    mod["caller"] = other
    assert "call @other" in str(analysis.remove_all_unused(mod["caller"]))
    assert "caller" in mod and "relax.negative" in str(mod["other"])


def test_what_blocks_do_not_use_is_removed():
    func = make_function()
    seq = analysis.remove_all_unused(func.body)
    assert isinstance(seq, relax.SeqExpr)
    assert [e.op.name for block in seq.blocks for e in block.bindings] == [
        e.op.name for block in analysis.remove_all_unused(func).blocks for e in block.bindings
    ]
    # A variable from outside the blocks stays the same object.
    assert analysis.free_vars(seq) == [func.params[0]]
    x = func.params[0]
    packed = relax.op.call_packed("f", x, sinfo_args=x.struct_info)
    seq = relax.SeqExpr([relax.BindingBlock([packed, relax.op.exp(x)])], x)
    (block,) = analysis.remove_all_unused(seq).blocks
    assert len(block.bindings) == 1 and not block.bindings[0].is_pure
    with pytest.raises(TypeError, match="expected a Function or a SeqExpr"):
        analysis.remove_all_unused(x)


def test_copies_share_no_variables():
    func = make_function()
    copy = relax.utils.copy_with_new_vars(func)
    assert ir.structural_equal(copy, func) and not set(copy.params) & set(func.params)
    mod = IRModule({"main": func})
    mod["other"] = relax.utils.copy_with_new_vars(mod["main"])
    assert set(mod.functions) == {mod.get_global_var(name) for name in ("main", "other")}
    with pytest.raises(TypeError, match="expected a Function"):
        relax.utils.copy_with_new_vars(func.body)


def test_impure_calls():
    func = make_function()
    x = func.params[0]
    assert not analysis.contains_impure_call(func)
    packed = relax.op.call_packed("f", x, sinfo_args=x.struct_info)
    assert analysis.contains_impure_call(packed)
    assert not analysis.contains_impure_call(
        relax.op.call_pure_packed("f", x, sinfo_args=x.struct_info)
    )
    impure = relax.Function([x], packed, is_pure=False)
    assert analysis.contains_impure_call(impure)
    # Until it is called.
    assert not analysis.contains_impure_call(relax.Function([x], x))
    f = relax.Var("f", FuncType.opaque_func(ret=F32))
    assert analysis.contains_impure_call(f(x)) and not analysis.contains_impure_call(f(x), f)


def test_recursion():
    x = relax.Var("x", F32)

    def calls(*names):
        result = x
        for name in names:
            result = relax.Call(ir.GlobalVar(name), [result], sinfo_args=[F32])
        return relax.Function([x], result, ret_type=F32)

    mod = IRModule(
        {"a": calls("b"), "b": calls("c", "a"), "c": calls("c"), "d": calls("a"), "e": calls()}
    )
    groups = analysis.detect_recursion(mod)
    assert [[gvar.name_hint for gvar in group] for group in groups] == [["a", "b"], ["c"]]


def test_what_is_computable_at_compile_time():
    func = make_function().with_attr("num_input", 1)
    assert analysis.computable_at_compile_time(func) == [func.params[1], func.blocks[0].bindings[2]]
    assert analysis.computable_at_compile_time(make_function()) == []


def test_valid_modules():
    mod = IRModule({"main": make_function()})
    analysis.well_formed(mod)
    assert analysis.check_well_formed(mod) and analysis.check_well_formed(mod["main"])
    op = next(iter(mod["main"].operation.regions[0].blocks[0].operations))
    inner = list(op.regions[0].blocks[0].operations)
    inner[0].operation.move_after(inner[1].operation)
    assert not analysis.check_well_formed(mod)
    with pytest.raises(MLIRError, match="dominate"):
        analysis.well_formed(mod)


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (F32, TensorType((3,), "int64"), TensorType(ndim=1, dtype=None)),
        (TensorType((2, 3)), TensorType((2, 4)), TensorType((2, None))),
        (TensorType((n,)), TensorType((n,)), TensorType((n,))),
        (TensorType(ndim=2), TensorType(ndim=3), TensorType()),
        (TensorType((2,), None), F32, TensorType((2,), None)),
        (TensorType((2,), vdevice=CUDA), F32, F32),
        (ShapeType((2,)), ShapeType((3,)), ShapeType(ndim=1)),
        (ShapeType((2,)), ShapeType((2, 3)), ShapeType()),
        (F32, ShapeType((2,)), relax.ObjectType()),
        (TupleType([F32]), TupleType([TensorType((3,))]), TupleType([TensorType(ndim=1)])),
        (TupleType([F32]), TupleType([]), relax.ObjectType()),
        (FuncType([F32], F32), FuncType([F32], TensorType()), FuncType([F32], TensorType())),
        (FuncType([F32], F32), FuncType([], F32), FuncType.opaque_func(ret=F32, purity=True)),
        (relax.ObjectType(), F32, relax.ObjectType()),
        (relax.PrimType("int64"), relax.PrimType("int64"), relax.PrimType("int64")),
        (relax.PrimType("int64"), relax.PrimType("int32"), relax.ObjectType()),
    ],
)
def test_what_two_types_have_in_common(one, other, both):
    assert analysis.type_lca(one, other) == both
    assert analysis.type_lca(other, one) == both


@pytest.mark.parametrize(
    ("base", "derived", "result"),
    [
        (F32, F32, "PASS"),
        (TensorType(ndim=1), F32, "PASS"),
        (TensorType((2,), None), F32, "PASS"),
        (relax.ObjectType(), F32, "PASS"),
        (TensorType((n,)), F32, "FAIL_L2"),
        (TensorType((2,), vdevice=CUDA), F32, "FAIL_L1"),
        (TensorType((3,)), F32, "FAIL_L0"),
        (TensorType((2,), "int8"), F32, "FAIL_L0"),
        (ShapeType((2,)), F32, "FAIL_L0"),
        (TupleType([TensorType()]), TupleType([F32]), "PASS"),
        (F32, relax.ObjectType(), "FAIL_L1"),
        (F32, TensorType(), "FAIL_L1"),
        (F32, TensorType((2,), None), "FAIL_L1"),
        (F32, TensorType(ndim=1), "FAIL_L2"),
        (TensorType(vdevice=CUDA), TensorType(vdevice=relax.VDevice("llvm")), "FAIL_L0"),
        (TupleType([F32]), TupleType([TensorType()]), "FAIL_L1"),
        (TupleType([F32]), TupleType([F32, F32]), "FAIL_L0"),
        (FuncType([TensorType()], TensorType()), FuncType([F32], F32), "PASS"),
        (FuncType([F32], F32), FuncType([F32], TensorType(ndim=1)), "FAIL_L2"),
        (FuncType([F32], F32), FuncType([F32], F32, False), "FAIL_L0"),
        (FuncType.opaque_func(), FuncType([F32], F32), "PASS"),
    ],
)
def test_whether_a_type_is_a_base(base, derived, result):
    assert analysis.type_base_check(base, derived) == analysis.BaseCheckResult[result]
    assert base.is_base_of(derived) == (result == "PASS")


def test_names_in_types():
    type_ = TupleType([TensorType((n + 1, m, 3)), ShapeType((n, m * 2))])
    assert analysis.tir_vars_in_type(type_) == [n, m]
    assert analysis.definable_tir_vars_in_type(type_) == [m, n]
    assert analysis.collect_non_negative_expressions(type_) == [n + 1, m, n, m * 2]
    assert analysis.get_static_type(type_) == TupleType([TensorType(ndim=3), ShapeType(ndim=2)])
    func = make_function()
    assert analysis.defined_symbolic_vars(func) == [n] and analysis.free_symbolic_vars(func) == []
    x = relax.Var("x", TensorType((n * 2,)))
    assert analysis.free_symbolic_vars(relax.Function([x], relax.op.exp(x))) == [n]


def test_types_where_fewer_names_are_known():
    erase = analysis.erase_to_well_defined
    assert erase(TensorType((n, m))) == TensorType(ndim=2)
    assert erase(TensorType((n + 1, 2)), {n: m * 2}) == TensorType((m * 2 + 1, 2))
    assert erase(TensorType((n, m)), {n: n}) == TensorType(ndim=2)
    assert erase(ShapeType((n,)), {n: 3}) == ShapeType((3,))
    assert erase(TensorType(relax.Var("s", ShapeType(ndim=1)))) == TensorType(ndim=1)
    assert erase(F32) == F32
    function = FuncType([TensorType((n,))], TensorType((n,)))
    assert erase(function) == function
    call = relax.Call(relax.Var("f", function), [relax.Var("x", F32)])
    assert analysis.derive_call_ret_type(function, call) == F32
    assert analysis.derive_call_ret_type(FuncType.opaque_func(ret=F32), call) == F32


def test_functions_that_are_values_count_as_called():
    mod = IRModule.from_text(
        """partita.module {
          relax.func @a() -> !relax.object {
            %f = relax.global @b
            relax.return %f : !relax.object
          }
          relax.func @b() -> !relax.object {
            %f = relax.global @a
            relax.return %f : !relax.object
          }
        }"""
    )
    assert [var.name_hint for var in analysis.all_global_vars(mod["a"])] == ["b"]
    (group,) = analysis.detect_recursion(mod)
    assert [var.name_hint for var in group] == ["a", "b"]


def test_sizes_known_at_run_time_only():
    n, m = tir.Var("n"), tir.Var("m")
    a = relax.Var("a", relax.TensorType([n]))
    b = relax.Var("b", relax.TensorType([m]))
    bb = relax.BlockBuilder()
    with bb.function("main", [a, b], {"num_input": 1}):
        bb.emit(relax.op.ones((m, 2), "float32"), "c")
        bb.emit(relax.op.ones((n,), "float32"), "d")
        e = bb.emit(relax.op.exp(b), "e")
        bb.emit_func_output(e)
    found = analysis.computable_at_compile_time(bb.get()["main"])
    assert [var.name_hint for var in found] == ["b", "c", "e"]


def test_call_that_did_not_fit_is_not_well_formed():
    text = """partita.module {
      relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %0 = relax.call_op "relax.exp"(%x) {is_pure = true} : (tensor<4xf32>) -> tensor<4xf32>
        relax.return %0 : tensor<4xf32>
      }
    }"""
    mod = IRModule.from_text(text)
    assert not analysis.check_well_formed(mod)
    with pytest.raises(ValueError, match="expected a valid call of relax.exp, but found"):
        analysis.well_formed(mod["main"])
    assert analysis.check_well_formed(IRModule.from_text(text.replace("relax.exp", "my.op")))
    # TVM's variable of it is annotated as any object.
    assert analysis.check_well_formed(
        IRModule.from_text(
            text.replace(") -> tensor<4xf32>\n", ") -> !relax.object\n").replace(
                "%0 : tensor<4xf32>", "%x : tensor<4xf32>"
            )
        )
    )


def test_functions_that_are_not_well_formed():
    x, c = relax.Var("x", TensorType((4,))), relax.Var("c", TensorType((), "bool"))
    call = relax.op.call_packed("write", x, sinfo_args=x.ty)
    for func, message in (
        (relax.Function([x], call), "make it with is_pure=False, or give it"),
        (
            relax.Function([x], x, is_pure=False, attrs={"relax.force_pure": 1}),
            "as relax.force_pure says",
        ),
        (
            relax.Function([x], x, attrs={"global_symbol": "other"}),
            "to be its name, but found 'other'",
        ),
        (
            relax.Function(
                [x, c], relax.SeqExpr([relax.DataflowBlock([y := relax.If(c, x, x)])], y)
            ),
            "expected no If in a dataflow block",
        ),
    ):
        mod = IRModule({"main": func})
        assert not analysis.check_well_formed(mod)
        with pytest.raises(ValueError, match=message):
            analysis.well_formed(mod)
    cast = relax.op.match_cast(x, TensorType(("n",)))
    assert analysis.check_well_formed(relax.Function([x], cast))
    for attrs, is_pure in (({"relax.force_pure": True}, True), ({}, False)):
        func = relax.Function([x], call, is_pure=is_pure, attrs=attrs)
        assert analysis.check_well_formed(IRModule({"main": func}))


def test_sizes_that_only_expressions_name():
    n, m = tir.Var("n"), tir.Var("m")
    function_type = relax.FuncType([TensorType((n,))], TensorType((n,)))
    x, s = relax.Var("x", TensorType((n * 2,))), relax.Var("s", relax.ShapeType([n, m]))

    def check(params, result=None):
        func = relax.Function(params, params[0] if result is None else result)
        analysis.well_formed(IRModule({"main": func.with_attr("global_symbol", "main")}))

    check([x, relax.Var("y", TensorType((n,)))])
    check([x, s])
    check([x, tir.Var("n")])
    check([relax.Var("f", function_type)])
    check([y := relax.Var("y", TensorType(ndim=1))], relax.op.match_cast(y, TensorType((n,))))
    check([s], relax.PrimValue(n + m))
    for params, result, name in (
        ([x], None, "'n' in TensorType"),
        ([relax.Var("f", relax.FuncType([], TensorType((n,))))], None, "'n' in CallableType"),
        ([relax.Var("s", relax.ShapeType([n, n * m]))], None, "'m' in ShapeType"),
        ([y], relax.op.match_cast(y, TensorType((n + 1,))), "'n' in TensorType"),
        ([y], relax.PrimValue(n + 1), "'n' in n \\+ 1"),
    ):
        with pytest.raises(ValueError, match=f"expected {name}.* in @main to be a dimension of"):
            check(params, result)


def test_results_that_are_written_into_arguments():
    text = """partita.module {
      tir.prim_func @f(%a: memref<?xf32>, %b: memref<4xf32>) { tir.return }
      relax.func @main(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<4xf32> {
        %f = relax.global @f
        %t = relax.tuple(%y, %x) : tensor<8xf32>, tensor<4xf32>
        %0 = relax.call_tir_inplace(%f, %t) "relax.attrs.CallTIRInplaceAttrs"
          {inplace_indices = [1]} ty_args = [tensor<4xf32>]
          : (!relax.object, tuple<tensor<8xf32>, tensor<4xf32>>) -> tensor<4xf32>
        relax.return %0 : tensor<4xf32>
      }
    }"""
    analysis.well_formed(IRModule.from_text(text))
    analysis.well_formed(IRModule.from_text(text.replace("[1]", "[-1]")))
    with pytest.raises(ValueError, match="written into argument 0 to have its type, TensorType"):
        analysis.well_formed(IRModule.from_text(text.replace("[1]", "[0]")))


def test_variables_that_an_expression_uses():
    def names(expr):
        return [var.name for var in analysis.used_vars(expr)]

    op = relax.op
    x, y = (relax.Var(name, TensorType((4, 4))) for name in "xy")
    assert names(x) == ["x"] and names(op.multiply(x, x)) == ["x"]
    assert names(op.add(op.reshape(x, (4, 4)), op.exp(y))) == ["x", "y"]
    assert names(relax.Tuple([y, op.concat([x, y])])) == ["y", "x"]
    bb = relax.BlockBuilder()
    with bb.function("f", [x, y]):
        lv = bb.emit(op.add(x, x), "lv")
        bb.emit_func_output(bb.emit(op.exp(lv), "gv"))
    func = bb.get()["f"]
    assert names(func) == names(func.body) == ["x", "lv", "gv"]
    assert names(func.body.body) == ["lv"]


def test_name_to_binding_leaves_branches_out():
    x, condition = (
        relax.Var("x", relax.TensorType((4,))),
        relax.Var("c", relax.TensorType((), "bool")),
    )
    branches = [
        relax.SeqExpr([relax.BindingBlock([call])], call)
        for call in (relax.op.exp(x), relax.op.abs(x))
    ]
    bb = relax.BlockBuilder()
    with bb.function("main", [x, condition]):
        bb.emit_func_output(bb.emit(relax.If(condition, *branches), "r"))
    func = bb.get()["main"]
    assert list(analysis.name_to_binding(func)) == ["r"]
    assert len(analysis.get_var2val(func)) == 3


def test_variables_of_what_is_no_expression():
    for function in (analysis.all_vars, analysis.used_vars, analysis.free_vars):
        for value in (3, relax.DataflowBlock([])):
            with pytest.raises(TypeError, match="expected an expression or a function"):
                function(value)


def test_estimate_memory_usage():
    s = relax.Var("s", ShapeType(["n"]))
    alloc, storage = relax.op.builtin.alloc_tensor, relax.op.memory.alloc_storage
    bb = relax.BlockBuilder()
    with bb.function("main", [s], pure=False):
        tensors = [
            bb.emit(alloc(relax.ShapeExpr([2**28]), "float32", 0)),
            bb.emit(alloc(relax.ShapeExpr(["n"]), "float16", 0)),
        ]
        space = bb.emit(storage(relax.ShapeExpr([2**31]), 0, "global", "float32"))
        for size in (2**29, 2**28):
            shape = relax.ShapeExpr([size])
            tensors.append(bb.emit(relax.op.memory.alloc_tensor(space, 0, shape, "float32")))
        bb.emit_func_output(relax.Tuple(tensors))
    text = (
        " * Without memory planning, there are 3 constant-size memory allocation(s) with total size "
        "4.0 GB, and 1 dynamic-size allocation(s).\n"
        " * With memory planning, there are 2 constant-size memory allocation(s) with total size "
        "3.0 GB.\n"
        " * Memory planning reduces constant memory size to 75.0%.\n"
    )
    header = "Memory usage estimation:\n- Function"
    assert analysis.estimate_memory_usage(bb.get()) == f"{header} main:\n{text}"
    assert analysis.estimate_memory_usage(bb.get()["main"]) == f"{header} foo:\n{text}"
    assert analysis.estimate_memory_usage(IRModule()) == ""


RESHAPES = """
partita.module {
  tir.prim_func @flatten(%A: memref<2x3xf32>, %out: memref<6xf32>) {
    %0 = bufferization.to_tensor %A restrict : memref<2x3xf32> to tensor<2x3xf32>
    %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    bufferization.materialize_in_destination %1 in restrict writable %out
        : (tensor<6xf32>, memref<6xf32>) -> ()
    tir.return
  }
  tir.prim_func @nothing(%A: memref<2x3xf32>, %out: memref<6xf32>) {
    tir.return
  }
}
"""


def test_prim_funcs_that_reshape():
    mod = IRModule.from_text(RESHAPES)
    assert analysis.has_reshape_pattern(mod["flatten"])
    assert not analysis.has_reshape_pattern(mod["nothing"])
    with pytest.raises(TypeError, match="expected a PrimFunc, but found Function"):
        analysis.has_reshape_pattern(make_function())
