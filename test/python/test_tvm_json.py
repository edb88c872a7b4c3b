"""Modules that go out to TVM's JSON and come in again."""

import json
import pathlib
import warnings

import partita
import pytest
from partita import relax, tir
from partita.mlir import ir
from partita.relax import BlockBuilder

MODELS = pathlib.Path(__file__).parents[1] / "Inputs" / "models"


def build():
    builder = BlockBuilder()
    x = relax.Var("x", relax.TensorType((4, 4), "float32"))
    with builder.function("main", [x], attrs={"num_input": 1, "global_symbol": "main"}):
        with builder.dataflow():
            y = builder.emit(relax.op.add(x, relax.const([1.0] * 4)))
            z = builder.emit_output(relax.op.nn.relu(y))
        builder.emit_func_output(z)
    return builder.get()


def test_there_and_back():
    module = build()
    text = module.to_tvm_json()
    assert json.loads(text)["metadata"]["tvm_version"].startswith("0.27")
    again = partita.IRModule.from_tvm_json(text)
    partita.ir.assert_structural_equal(again, module)
    assert again.to_tvm_json() == text


def test_what_is_exported_is_the_module_as_it_is_now():
    module = partita.IRModule.from_tvm_json((MODELS / "mlp.json").read_text())
    with partita.transform.PassContext(opt_level=3):
        folded = relax.transform.FoldConstant()(module)
    names = [
        node["data"]
        for node in json.loads(folded.to_tvm_json())["nodes"]
        if node["type"] == "ir.Op"
    ]
    assert "relax.permute_dims" not in names
    assert "relax.matmul" in names


def test_runtime_modules_in_attributes_are_kept():
    # RunCodegen and AttachExternModules leave them in external_mods.
    saved = json.loads((MODELS / "mlp.json").read_text())
    nodes = saved["nodes"]
    # The last nodes are the module's attributes, its infos, and the module.
    attributes, dictionary, infos, root = nodes[-4:]
    assert (attributes["data"], root["type"]) == ([], "ir.IRModule")
    del nodes[-4:]
    first = len(nodes)
    nodes += [
        {"type": "ffi.String", "data": "external_mods"},
        {"type": "ffi.Module", "data": "QUJD"},
        {"type": "ffi.Array", "data": [first + 1]},
        {"type": "ffi.Map", "data": [first, first + 2]},
        dictionary | {"data": {"__dict__": first + 3}},
        infos,
        root | {"data": root["data"] | {"attrs": first + 4, "global_infos": first + 5}},
    ]
    saved["root_index"] = first + 6
    module = partita.IRModule.from_tvm_json(json.dumps(saved))
    folded = relax.transform.FoldConstant()(module)
    for each in (module, folded):
        written = json.loads(each.to_tvm_json())["nodes"]
        assert {"type": "ffi.Module", "data": "QUJD"} in written


def test_what_the_dialects_lack_is_kept_unless_strict():
    text = (MODELS / "golden" / "mlp.LegalizeOps.json").read_text()
    assert "tir.opaque_body" not in str(partita.IRModule.from_tvm_json(text))
    text = text.replace('"s_tir.SBlock"', '"s_tir.NewBlock"')
    module = partita.IRModule.from_tvm_json(text)
    assert "tir.opaque_body" in str(module)
    again = partita.IRModule.from_tvm_json(module.to_tvm_json())
    partita.ir.assert_structural_equal(again, module)
    with pytest.raises(ir.MLIRError, match="expected s_tir.SBlock, found s_tir.NewBlock"):
        partita.IRModule.from_tvm_json(text, strict=True)


def test_what_tvm_lacks_is_an_error():
    module = partita.IRModule.from_text("partita.module { func.func @f() { return } }")
    with pytest.raises(ir.MLIRError, match="found 'func.func', which TVM lacks"):
        module.to_tvm_json()


def test_ops_of_other_dialects_are_errors():
    module = partita.IRModule.from_text(
        """partita.module {
          relax.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
            %0 = arith.addf %x, %x : tensor<4xf32>
            relax.return %0 : tensor<4xf32>
          }
        }"""
    )
    with pytest.raises(ir.MLIRError, match="found 'arith.addf', which TVM lacks"):
        module.to_tvm_json()


def test_public_functions_are_public_in_tvm():
    module = partita.IRModule.from_text(
        "partita.module { relax.func @f() { relax.return } relax.func private @g() { relax.return } }"
    )
    again = partita.IRModule.from_tvm_json(module.to_tvm_json())
    assert again["f"].attrs["global_symbol"] == "f"
    assert "global_symbol" not in again["g"].attrs


@pytest.mark.parametrize("sections", ["2 : i64", "array<i64: 1, 3>"])
def test_numbers_that_are_expressions(sections):
    """Numbers of relax.split are IntImms; numbers of other attributes are plain."""
    module = partita.IRModule.from_text(
        f"""partita.module {{
          relax.func @f(%x: tensor<4xf32>) -> !relax.object {{
            %0 = relax.call_op "relax.split"(%x) "relax.attrs.SplitAttrs"
              {{axis = 0 : i64, indices_or_sections = {sections}}} {{is_pure = true}}
              : (tensor<4xf32>) -> !relax.object
            relax.return %0 : !relax.object
          }}
        }}"""
    )
    nodes = json.loads(module.to_tvm_json())["nodes"]
    attrs = next(node["data"] for node in nodes if node["type"] == "relax.attrs.SplitAttrs")
    assert attrs["axis"] == 0
    value = nodes[attrs["indices_or_sections"]]
    elements = (
        [nodes[index] for index in value["data"]] if value["type"] == "ffi.Array" else [value]
    )
    assert {element["type"] for element in elements} == {"ir.IntImm"}


def test_warning():
    # Warnings about kept nodes are at the line that imports.
    text = (MODELS / "mlp.json").read_text().replace('"relax.matmul"', '"relax.of_the_future"')
    with pytest.warns(UserWarning, match="3 of op relax.of_the_future") as record:
        partita.IRModule.from_tvm_json(text)
    assert [warning.filename for warning in record] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        partita.IRModule.from_tvm_json((MODELS / "mlp.json").read_text())
        with pytest.raises(UserWarning):
            partita.IRModule.from_tvm_json(text)


def test_pass_arguments():
    decompose = partita.relax.transform.DecomposeOpsForInference("main")
    assert decompose.info.name == "DecomposeOpsForInference"
    config = {"tirx.UnrollLoop": {"auto_max_step": 3}}
    context = partita.transform.PassContext(config=config)
    assert context.config["tir.UnrollLoop"]["auto_max_step"] == 3
    disabled = partita.transform.PassContext(disabled_pass=["tirx.UnrollLoop"])
    assert not disabled.pass_enabled(partita.tir.transform.UnrollLoop().info)


def test_calls_of_pure_extern_functions_are_pure():
    text = """partita.module {
      relax.func @main(%x: tensor<4xf32>) -> !relax.object attributes {global_symbol = "main"} {
        %f = relax.extern_func "f" {derive = "tvm.relax.type.infer_view_ty", is_pure = true}
        %y = relax.call_value(%f, %x) {is_pure = true} : (!relax.object, tensor<4xf32>) -> !relax.object
        relax.return %y : !relax.object
      }
    }"""
    mod = partita.IRModule.from_text(text)
    partita.ir.assert_structural_equal(mod, partita.IRModule.from_tvm_json(mod.to_tvm_json()))


def test_functions_of_their_own():
    x = relax.Var("x", relax.TensorType((4,)))
    func = relax.Function([x], relax.op.exp(x), attrs={"global_symbol": "f"})
    for one in (func, func.without_attr("global_symbol")):
        again = partita.ir.load_json(partita.ir.save_json(one))
        assert isinstance(again, relax.Function) and again.is_private == one.is_private
        assert partita.ir.structural_equal(again, one)
    # As TVM saves it, with nothing that is not in the function.
    nodes = [
        {"type": "None"},
        {"type": "ir.PrimType", "data": {"span": 0, "dtype": "float32"}},
        {
            "type": "relax.TensorType",
            "data": {"span": 0, "shape": 0, "dtype": 1, "vdevice": 0, "ndim": 1},
        },
        {"type": "ffi.String", "data": "x"},
        {"type": "ir.Var", "data": {"span": 0, "ty": 2, "name": 3}},
        {"type": "ffi.Array", "data": [4]},
        {"type": "ffi.Array", "data": []},
        {"type": "relax.expr.SeqExpr", "data": {"span": 0, "ty": 2, "blocks": 6, "body": 4}},
        {"type": "ffi.Array", "data": [2]},
        {
            "type": "relax.FuncType",
            "data": {"span": 0, "params": 8, "ret": 2, "derive_func": 0, "purity": True},
        },
        {"type": "ffi.Map", "data": []},
        {"type": "ir.DictAttrs", "data": {"__dict__": 10}},
        {
            "type": "relax.expr.Function",
            "data": {
                "span": 0,
                "ty": 9,
                "attrs": 11,
                "params": 5,
                "body": 7,
                "ret_ty": 2,
                "is_pure": True,
            },
        },
    ]
    graph = {"root_index": 12, "nodes": nodes, "metadata": {"tvm_version": "0.27.0"}}
    func = partita.ir.load_json(json.dumps(graph))
    assert [param.name for param in func.params] == ["x"] and func.is_private
    for text in ("{}", "[]", "a", json.dumps({**graph, "root_index": 3})):
        with pytest.raises(ir.MLIRError):
            partita.ir.load_json(text)


def _make_values():
    x, n = relax.Var("x", relax.TensorType((4,))), tir.Var("n", "int64")
    s, lv = relax.Var("s", relax.TensorType((n, 4))), relax.Var("lv", x.ty)
    exp = relax.op.exp(x)
    block = relax.DataflowBlock([relax.VarBinding(lv, exp)])
    branch = relax.SeqExpr([], x)
    return [
        x,
        exp,
        relax.op.add(exp, exp),
        relax.op.add(relax.op.exp(x), x),
        relax.op.add(s, s),
        relax.op.zeros([n, 2], "float32"),
        relax.op.print(x, format="{}"),
        relax.op.split(x, 2),
        relax.Tuple([x, relax.Tuple([])]),
        relax.Tuple([]),
        relax.TupleGetItem(relax.op.split(x, 2), 1),
        relax.const([1.5, 2.5]),
        relax.ShapeExpr([n + 1, 2]),
        relax.PrimValue(3),
        relax.PrimValue(n * 2),
        relax.StringImm("a"),
        relax.DataTypeImm("int32"),
        relax.ExternFunc("f"),
        relax.Call(relax.ExternFunc("f"), [x], sinfo_args=[x.ty]),
        relax.SeqExpr([block], lv),
        relax.SeqExpr([], relax.Tuple([x])),
        relax.If(relax.const(True), branch, branch),
        relax.TensorType((n, 4)),
        relax.TensorType(ndim=2),
        relax.TensorType(None, None),
        relax.ShapeType([n]),
        relax.PrimType("int64"),
        relax.TupleType([relax.TensorType((2,))]),
        relax.ObjectType(),
        relax.FuncType([relax.TensorType((n,))], relax.TensorType((n,))),
        relax.FuncType.opaque_func(ret=relax.TensorType((2,))),
    ]


@pytest.mark.parametrize("value", _make_values(), ids=repr)
def test_expressions_and_types_of_their_own(value):
    again = partita.ir.load_json(partita.ir.save_json(value))
    assert partita.ir.structural_equal(again, value, map_free_vars=True)
    assert getattr(again, "ty", None) == getattr(value, "ty", None)
    is_function = isinstance(value, relax.FuncType)
    assert isinstance(again, relax.FuncType if is_function else type(value))


def test_expressions_and_types_as_tvm_writes_them():
    x, n = relax.Var("x", relax.TensorType((4,))), tir.Var("n", "int64")

    def root(value):
        graph = json.loads(partita.ir.save_json(value))
        node = graph["nodes"][graph["root_index"]]
        names = [graph["nodes"][i] for i in graph["nodes"][node["data"].get("args", 0)]["data"]]
        return [node["type"], *(arg["type"] for arg in names)]

    call = relax.op.add(relax.op.exp(x), x)
    assert root(call) == ["ir.Call", "ir.Call", "ir.Var"]
    for size, value in ((n + 1, relax.PrimValue(n + 1)), (tir.IntImm("int64", 3),) * 2, (n, n)):
        again = partita.ir.load_json(partita.ir.save_json(size))
        assert again.value == value if value is size else repr(again) == repr(value)
    # A cast is a binding there.
    cast = relax.match_cast(x, relax.TensorType((n,)))
    assert isinstance(partita.ir.load_json(partita.ir.save_json(relax.op.exp(cast))), relax.SeqExpr)
    with pytest.raises(TypeError, match="where match_cast is a binding"):
        partita.ir.save_json(cast)

    nodes = [
        {"type": "None"},
        {"type": "ir.PrimType", "data": {"span": 0, "dtype": "float32"}},
        {
            "type": "relax.TensorType",
            "data": {"span": 0, "shape": 0, "dtype": 1, "vdevice": 0, "ndim": 1},
        },
        {"type": "ir.Op", "data": "relax.exp"},
        {"type": "ffi.String", "data": "x"},
        {"type": "relax.expr.DataflowVar", "data": {"span": 0, "ty": 2, "name": 4}},
        {"type": "ffi.Array", "data": [5]},
        {"type": "ffi.Array", "data": []},
        {
            "type": "ir.Call",
            "data": {"span": 0, "ty": 2, "op": 3, "args": 6, "attrs": 0, "ty_args": 7},
        },
    ]

    def load(last):
        graph = {"root_index": last, "nodes": nodes[: last + 1]}
        graph["metadata"] = {"tvm_version": "0.27.0"}
        return partita.ir.load_json(json.dumps(graph))

    call = load(8)
    assert call.op.name == "relax.exp" and isinstance(call.args[0], relax.Var)
    assert call.args[0].name == "x" and call.ty == load(2) == relax.TensorType(ndim=1)
    nodes[1] = {"type": "ir.Type", "data": {"span": 0}}
    nodes[8]["data"]["ty"] = 1
    with pytest.raises(ValueError, match="expected an expression whose type is known"):
        load(8)


@pytest.mark.parametrize("name", ["g", "main"])
def test_what_calls_a_function_is_saved_alone(name):
    x = relax.Var("x", relax.TensorType((2,), "float32"))
    builder = relax.BlockBuilder()
    with builder.function(name, [x]):
        builder.emit_func_output(builder.emit(relax.op.exp(x)))
    callee = builder.get().get_global_var(name)
    with builder.function("f", [x]):
        builder.emit_func_output(builder.emit(relax.Call(callee, [x])))
    func = builder.get()["f"]
    again = partita.ir.load_json(partita.ir.save_json(func))
    assert again.name == "f" and partita.ir.structural_equal(again, func)
    call = partita.ir.load_json(partita.ir.save_json(func.body.blocks[0].bindings[0].value))
    assert call.op == callee and isinstance(call.args[0], relax.Var)


def test_what_has_a_function_in_it_is_saved_alone():
    func = partita.IRModule.from_text("""
relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {global_symbol = "main"} {
  %f = relax.local_func %g(%y) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>> {
    %0 = relax.exp %y : tensor<4xf32>
    relax.yield %0 : tensor<4xf32>
  }
  %1 = relax.call_value(%f, %x) {is_pure = true} : (!relax.callable<(tensor<4xf32>)
      -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
  relax.return %1 : tensor<4xf32>
}""")["main"]
    again = partita.ir.load_json(partita.ir.save_json(func))
    partita.ir.assert_structural_equal(again, func)
    body = partita.ir.load_json(partita.ir.save_json(func.body))
    assert isinstance(body, relax.SeqExpr)
    assert partita.ir.structural_equal(body, func.body, map_free_vars=True)


def test_a_function_without_statements():
    func = "tir.prim_func @f(%a: memref<4xf32>) { tir.return }"
    text = partita.IRModule.from_text(f"partita.module {{ {func} }}").to_tvm_json()
    # TVM has a statement there.
    assert text.count('"tirx.Evaluate"') == 1
    again = partita.IRModule.from_tvm_json(text)
    assert "tir.evaluate" not in str(again) and again.to_tvm_json() == text


@pytest.mark.parametrize("first", ["%m", "%c"])
def test_a_loop_ends_where_it_ended(first):
    func = f"""
tir.prim_func @f(%a: memref<9xi32>, %m: i32, %n: i32) {{
  %c = arith.constant 2 : i32
  %step = arith.constant 1 : i32
  scf.for %i = {first} to %n step %step : i32 {{
    %0 = arith.index_cast %i : i32 to index
    memref.store %i, %a[%0] : memref<9xi32>
  }}
  tir.return
}}"""
    module = partita.IRModule.from_text(f"partita.module {{ {func} }}")
    again = partita.IRModule.from_tvm_json(module.to_tvm_json())
    assert "arith.addi" not in str(again) and "arith.subi" not in str(again)
    assert again.to_tvm_json() == module.to_tvm_json()
