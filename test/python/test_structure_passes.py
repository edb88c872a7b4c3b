# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes for functions, parameters and devices whose options are Python's."""

import partita
import pytest
from partita import ir, relax

TWO = """
partita.module {
  relax.func @f1(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {num_input = 1 : i64} {
    %y = relax.dataflow -> tensor<4xf32> {
      %0 = relax.exp %w : tensor<4xf32>
      %1 = relax.add %x, %0 : tensor<4xf32>
      relax.output %1 : tensor<4xf32>
    }
    relax.return %y : tensor<4xf32>
  }
  relax.func @f2(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {num_input = 1 : i64} {
    %y = relax.dataflow -> tensor<4xf32> {
      %0 = relax.exp %w : tensor<4xf32>
      %1 = relax.multiply %x, %0 : tensor<4xf32>
      relax.output %1 : tensor<4xf32>
    }
    relax.return %y : tensor<4xf32>
  }
}
"""
WEIGHTS = """
partita.module {
  relax.func @transform_params(%params: tuple<tensor<4xf32>>) -> tuple<tensor<4xf32>> {
    %w = relax.tuple_get_item %params[0] : tuple<tensor<4xf32>>
    %v = relax.exp %w : tensor<4xf32>
    %t = relax.tuple(%v) : tensor<4xf32>
    relax.return %t : tuple<tensor<4xf32>>
  }
}
"""


def test_lift_transform_params_takes_names():
    mod = partita.IRModule.from_text(TWO)

    def names(shared):
        made = relax.transform.LiftTransformParams(shared)(mod)
        return sorted(var.name_hint for var in made.get_global_vars())

    assert names(False) == ["f1", "f1_transform_params", "f2", "f2_transform_params"]
    assert names(True) == names(["f1", "f2"]) == names([]) == ["f1", "f2", "transform_params"]
    only = relax.transform.LiftTransformParams(shared_transform=["f2"])(mod)
    assert ir.structural_equal(only["f1"], mod["f1"])
    assert len(only["f2"].body.blocks[0].bindings) == 1
    with pytest.raises(Exception, match="expected a relax.func 'f3' with a body"):
        relax.transform.LiftTransformParams(["f3"])(mod)
    with pytest.raises(TypeError, match="shared_transform to be a bool or a list"):
        relax.transform.LiftTransformParams("f1")


def test_lift_transform_params_reads_the_context():
    mod = partita.IRModule.from_text(TWO)
    for consumes in (True, False):
        config = {"relax.lift_transform_params.consume_params": consumes}
        with partita.transform.PassContext(config=config):
            made = relax.transform.LiftTransformParams(True)(mod)["transform_params"]
        assert ("vm.builtin.tuple_reset_item" in str(made)) == consumes


def test_lazy_transform_params_takes_variables():
    mod = partita.IRModule.from_text(WEIGHTS)
    loader = relax.Var("loader", relax.ObjectType())
    place = relax.Var("place", relax.TensorType((2, "n"), "float32"))
    made = relax.transform.LazyTransformParams(
        extra_get_item_params=[loader], extra_set_item_params=[loader, place]
    )(mod)["transform_params"]
    assert [param.name_hint for param in made.params] == ["loader", "loader", "place"]
    assert made.params[2].struct_info == place.struct_info and not made.is_pure
    assert 'extern_func "set_item"' in str(made)
    kept = relax.transform.LazyTransformParams("get", None)(mod)["transform_params"]
    assert 'extern_func "get"' in str(kept) and "set_item" not in str(kept)
    assert kept.ret_ty == mod["transform_params"].ret_ty
    with pytest.raises(TypeError, match="an extra parameter to be a Var"):
        relax.transform.LazyTransformParams(extra_get_item_params=["loader"])


def test_update_vdevice_takes_a_device():
    old, other = ir.VDevice("llvm"), ir.VDevice("cuda")
    new = ir.VDevice({"kind": "opencl", "device": "adreno"}, 1, "global.texture")
    x = relax.Var("x", relax.TensorType((4,), "float32", vdevice=other))
    bb = relax.BlockBuilder(partita.IRModule(global_infos={"vdevice": [old, other]}))
    with bb.function("main", [x]):
        bb.emit_func_output(bb.emit(relax.op.exp(x)))
    mod = bb.get()
    made = relax.transform.UpdateVDevice(new, 1)(mod)
    assert made.global_infos["vdevice"] == [old, new]
    assert mod.global_infos["vdevice"] == [old, other]
    with pytest.raises(TypeError, match="the new device to be a VDevice"):
        relax.transform.UpdateVDevice("cuda", 0)


def test_update_param_type_infers_other_types():
    mod = partita.IRModule.from_text(TWO)
    made = relax.transform.UpdateParamType(
        lambda param: relax.TensorType((4,), "float16") if param.name_hint in ("x", "w") else None
    )(mod)
    assert made["f1"].params[0].struct_info == relax.TensorType((4,), "float16")
    assert made["f1"].ret_ty == relax.TensorType((4,), "float16")
    assert relax.transform.UpdateParamType(lambda param: None)(mod)["f1"].ret_ty == mod["f1"].ret_ty
    assert relax.transform.UpdateParamType(lambda param: None).info.name == "UpdateParamType"
