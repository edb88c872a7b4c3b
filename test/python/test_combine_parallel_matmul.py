"""CombineParallelMatmul: a function of the host says which products are combined."""

import pytest

from partita import relax
from partita.ir import IRModule

TEXT = """
partita.module {
  relax.func @main(%c: tensor<i1>, %x: tensor<3x4xf32>, %y: tensor<3x4xf32>, %w0: tensor<4x2xf32>, %w1: tensor<4x6xf32>, %b0: tensor<2xf32>, %b1: tensor<6xf32>) -> (tensor<3x2xf32>, tensor<3x6xf32>, tensor<3x4xf32>) {
    %0 = relax.matmul %x, %w0 : tensor<3x4xf32>, tensor<4x2xf32> -> tensor<3x2xf32>
    %1 = relax.matmul %x, %w1 : tensor<3x4xf32>, tensor<4x6xf32> -> tensor<3x6xf32>
    %2 = relax.add %0, %b0 : tensor<3x2xf32>, tensor<2xf32> -> tensor<3x2xf32>
    %3 = relax.add %1, %b1 : tensor<3x6xf32>, tensor<6xf32> -> tensor<3x6xf32>
    %4 = relax.if %c : tensor<i1> -> tensor<3x4xf32> {
      %5 = relax.matmul %y, %w0 : tensor<3x4xf32>, tensor<4x2xf32> -> tensor<3x2xf32>
      %6 = relax.matmul %y, %w0 : tensor<3x4xf32>, tensor<4x2xf32> -> tensor<3x2xf32>
      %7 = relax.concat %5, %6 axis = 1 : tensor<3x2xf32>, tensor<3x2xf32> -> tensor<3x4xf32>
      relax.yield %7 : tensor<3x4xf32>
    } else {
      relax.yield %y : tensor<3x4xf32>
    }
    relax.return %2, %3, %4 : tensor<3x2xf32>, tensor<3x6xf32>, tensor<3x4xf32>
  }
  tir.prim_func @kernel(%a: memref<8xf32>)
}
"""


def names(exprs):
    return [expr.name_hint for expr in exprs]


@pytest.mark.parametrize("wanted", ["", "x", "y", "xy"])
def test_check(wanted):
    seen = []

    def check(lhs, rhs, bias, bindings):
        seen.append((lhs.name_hint, names(rhs), names(bias)))
        assert all(call.op.name in ("relax.add", "relax.matmul") for call in bindings.values())
        return lhs.name_hint in wanted

    mod = IRModule.from_text(TEXT)
    combined = str(relax.transform.CombineParallelMatmul(check)(mod))
    assert sorted(seen) == [("x", ["w0", "w1"], ["b0", "b1"]), ("y", ["w0", "w0"], [])]
    assert combined.count("relax.split") == len(wanted)
    assert "parallel_matmul" not in combined
    if wanted == "xy":
        assert combined == str(relax.transform.CombineParallelMatmul()(mod))


def test_an_error_of_the_check():
    def check(*_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        relax.transform.CombineParallelMatmul(check)(IRModule.from_text(TEXT))
