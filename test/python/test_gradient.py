"""Gradient: parameters are Vars or names in Python."""

import pytest

from partita import relax
from partita.errors import BindError
from partita.ir import IRModule

TEXT = """
partita.module {
  relax.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<f32> {
    %r = relax.dataflow -> tensor<f32> {
      %0 = relax.multiply %x, %y : tensor<3xf32>
      %1 = relax.sum %0 : tensor<3xf32> -> tensor<f32>
      relax.output %1 : tensor<f32>
    }
    relax.return %r : tensor<f32>
  }
  tir.prim_func @kernel(%a: memref<8xf32>)
}
"""


def test_parameters_by_var_and_name():
    mod = IRModule.from_text(TEXT)
    x, y = mod["main"].params
    gradient = relax.transform.Gradient
    all_of_them = gradient("main")(mod)
    assert str(gradient("main", [x, y])(mod)) == str(all_of_them)
    assert str(gradient("main", ["x", y])(mod)) == str(all_of_them)
    only_y = gradient("main", y)(mod)
    assert "%y_adjoint_out" in str(only_y) and "%x_adjoint_out" not in str(only_y)
    assert str(gradient("main", "y", 0)(mod)) == str(only_y)
    assert "main_adjoint" not in str(mod)


def test_what_is_no_parameter():
    mod = IRModule.from_text(TEXT)
    gradient = relax.transform.Gradient
    with pytest.raises(BindError, match="'z', which is none of them"):
        gradient("main", "z")(mod)
    with pytest.raises(BindError, match="'x', which is none of them"):
        gradient("main", relax.Var("x", relax.TensorStructInfo([4], "float32")))(mod)
    with pytest.raises(TypeError, match="a parameter to be a Var or its name"):
        gradient("main", [3])(mod)
    with pytest.raises(ValueError, match="a parameter in require_grads"):
        gradient("main", [])
    with pytest.raises(TypeError, match="'kernel' to be a relax Function"):
        gradient("kernel", "x")(mod)
