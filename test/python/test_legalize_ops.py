"""LegalizeOps, and functions of the host that legalize ops."""

import pytest

from partita import relax
from partita.ir import IRModule
from partita.mlir import ir
from partita.transform import PassContext, Sequential, module_pass

TEXT = """
partita.module {
  relax.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.add %x, %y : tensor<4xf32>
    %1 = relax.exp %0 : tensor<4xf32>
    relax.return %1 : tensor<4xf32>
  }
}
"""


def test_ops_become_calls():
    mod = IRModule.from_text(TEXT)
    legal = relax.transform.LegalizeOps()(mod)
    assert sorted(var.name_hint for var in legal.get_global_vars()) == ["add", "main", "tir_exp"]
    assert "relax.call_tir @add(%x, %y)" in str(legal)
    assert "call_tir" not in str(mod)
    for skip_ops in (["relax.add"], ("relax.add",), "relax.add"):
        some = relax.transform.LegalizeOps(skip_ops=skip_ops)(mod)
        assert "relax.add" in str(some) and "relax.call_tir @tir_exp" in str(some)


def test_in_a_pass():
    @module_pass(opt_level=0)
    def pipeline(mod, ctx):
        return Sequential([relax.transform.LegalizeOps()])(mod)

    # Nothing has run in this context.
    assert "relax.call_tir" in str(pipeline(IRModule.from_text(TEXT, ir.Context())))


def test_a_function_that_skips_optimization_stays():
    mod = IRModule.from_text(
        TEXT.replace(" {\n    %0", " attributes {SkipOptimization = 1 : i64} {\n    %0")
    )
    custom = {"relax.add": lambda bb, call: relax.op.subtract(*call.args)}
    for made in (relax.transform.LegalizeOps(), relax.transform.LegalizeOps(custom)):
        assert str(made(mod)) == str(mod)


def test_a_function_of_the_host_comes_first():
    mod = IRModule.from_text(TEXT)
    seen = []

    def swap(bb, call):
        seen.append(call.op.name)
        return relax.op.subtract(call.args[1], call.args[0])

    custom = relax.transform.LegalizeOps({"relax.add": swap})
    assert custom.info.name == "LegalizeOps" and custom.info.opt_level == 0
    legal = custom(mod)
    assert seen == ["relax.add"]
    assert "relax.call_tir @subtract(%y, %x)" in str(legal)
    assert "relax.call_tir @tir_exp" in str(legal)
    skipped = relax.transform.LegalizeOps({"relax.add": swap}, skip_ops=["relax.add"])(mod)
    assert "relax.add" in str(skipped) and seen == ["relax.add"]
    with PassContext(disabled_pass=["LegalizeOps"]):
        assert "relax.add" in str(Sequential([custom])(mod))
    with pytest.raises(TypeError, match="expected the customized map to be a dict"):
        relax.transform.LegalizeOps(["relax.add"])
    # In TVM, a function for an op that there is not is never called.
    with pytest.raises(
        ValueError, match="expected an op of relax, but found 'relax.ad'; .*relax.add"
    ):
        relax.transform.LegalizeOps({"relax.ad": swap})
    with pytest.raises(ValueError, match="'relax.ad'"):
        relax.transform.LegalizeOps(skip_ops=["relax.ad"])
    with pytest.raises(TypeError, match="expected the name of an op to be a str, but found int"):
        relax.transform.LegalizeOps({3: swap})
    with pytest.raises(
        TypeError, match="expected 'relax.add' to be legalized by a function, found 3"
    ):
        relax.transform.LegalizeOps({"relax.add": 3})


def test_tvm_gets_blocks():
    legal = relax.transform.LegalizeOps()(IRModule.from_text(TEXT))
    again = IRModule.from_tvm_json(legal.to_tvm_json())
    assert "linalg" in str(legal) and "tir.block" in str(again)


def test_a_call_that_its_function_returns_stays():
    mod = IRModule.from_text(TEXT)
    legal = relax.transform.LegalizeOps({"relax.exp": lambda bb, call: call})(mod)
    assert "relax.exp %" in str(legal) and "relax.call_tir @add" in str(legal)
