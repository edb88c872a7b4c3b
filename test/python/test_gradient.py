"""Gradient: variables are Vars or names in Python."""

import numpy as np
import pytest

import partita
from partita import relax
from partita.errors import BindError, PassError
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


def test_variables_of_the_function():
    x = relax.Var("x", relax.TensorType((3,), "float32"))
    builder = relax.BlockBuilder()
    with builder.function("main", [x]):
        with builder.dataflow():
            square = builder.emit(relax.op.multiply(x, x))
            total = builder.emit_output(relax.op.sum(square))
        builder.emit_func_output(total)
    mod = builder.finalize()
    names = [square.name_hint, "x", total.name_hint]
    made = relax.transform.Gradient("main", [square, x, total])(mod)
    assert str(made) == str(relax.transform.Gradient("main", names)(mod))
    result, gradients = partita.compile(made)["main_adjoint"](np.array([1, 2, 3], "float32"))
    assert result == 14
    assert [g.tolist() for g in gradients] == [[1, 1, 1], [2, 4, 6], 1]


def test_what_is_no_variable():
    mod = IRModule.from_text(TEXT)
    gradient = relax.transform.Gradient
    with pytest.raises(PassError, match="one variable 'z' for 'require-grads', found 0"):
        gradient("main", "z")(mod)
    with pytest.raises(BindError, match="'x', which is none of them"):
        gradient("main", relax.Var("x", relax.TensorStructInfo([4], "float32")))(mod)
    with pytest.raises(TypeError, match="a variable of require_grads to be a Var or its name"):
        gradient("main", [3])
    with pytest.raises(TypeError, match="to be a Var, a name, or a list, but found int"):
        gradient("main", 3)
    with pytest.raises(ValueError, match="a variable in require_grads"):
        gradient("main", [])
    with pytest.raises(TypeError, match="'kernel' to be a relax Function"):
        gradient("kernel", "x")(mod)
