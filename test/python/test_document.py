# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python of TVM's document on its pass infrastructure, with other imports."""

import pytest
from pass_support import make_module

import partita as tvm
from partita import relax as relay
from partita import transform


@pytest.fixture(autouse=True)
def restore_instruments():
    yield
    transform.PassContext.current().override_instruments([])


def test_a_module_pass_adds_a_function():
    @relay.transform.module_pass(opt_level=2)
    def transform_(mod, ctx):
        tp = relay.TensorType((10,), "float32")
        x = relay.var("x", tp)
        gv = relay.GlobalVar("abs")
        func = relay.Function([x], relay.abs(x))
        new_mod = tvm.IRModule({gv: func})
        new_mod.update(mod)
        return new_mod

    module_pass = transform_
    assert isinstance(module_pass, transform.ModulePass)
    assert module_pass.info.opt_level == 2

    mod = tvm.IRModule()
    mod = module_pass(mod)
    assert [var.name_hint for var in mod.get_global_vars()] == ["abs"]
    assert isinstance(mod["abs"].body.body, relay.Call)
    assert mod["abs"].body.body.op.name == "relax.abs"
    assert len(module_pass(make_module())) == 3
    # A name that is taken is the new module's to resolve, as in TVM.
    assert tvm.ir.structural_equal(module_pass(mod), mod)


def test_a_function_pass_replaces_every_function():
    @relay.transform.function_pass(opt_level=1)
    class TestReplaceFunc:
        def __init__(self, new_func):
            self.new_func = new_func

        def transform_function(self, func, mod, ctx):
            return self.new_func

    x = relay.var("x", shape=(10, 20))
    f1 = relay.Function([x], x)
    f2 = relay.Function([x], relay.log(x))
    input_mod = tvm.IRModule({relay.GlobalVar("a"): f2, relay.GlobalVar("b"): f2})
    before = input_mod.script()
    fpass = TestReplaceFunc(f1)
    assert fpass.info == transform.PassInfo(1, "TestReplaceFunc", [])
    res_mod = fpass(input_mod)
    expected = tvm.IRModule({relay.GlobalVar("a"): f1, relay.GlobalVar("b"): f1})
    tvm.ir.assert_structural_equal(res_mod, expected)
    assert input_mod.script() == before and "relax.log" in before


def test_instruments_of_the_default_context():
    @tvm.instrument.pass_instrument
    class CountPasses:
        def __init__(self):
            self.names = []

        def run_after_pass(self, mod, info):
            self.names.append(info.name)

        def get_result(self):
            return self.names

    pass_inst = CountPasses()
    pass_seq = transform.Sequential([relay.transform.FoldConstant()])
    mod = tvm.IRModule.from_expr(relay.add(relay.const(1.0), relay.const(2.0)))

    cur_pass_ctx = tvm.transform.PassContext.current()
    # override PassInstrument instances
    cur_pass_ctx.override_instruments([pass_inst])
    mod = pass_seq(mod)
    result = pass_inst.get_result()
    assert result == ["FoldConstant", "sequential"]
    assert "relax.add" not in str(mod)


def test_a_context_in_a_scope():
    seq = transform.Sequential(
        [relay.transform.FoldConstant(), relay.transform.EliminateCommonSubexpr()]
    )
    with tvm.transform.PassContext(
        opt_level=3, disabled_pass=["EliminateCommonSubexpr"]
    ) as context:
        assert tvm.transform.PassContext.current() is context
        assert [entry.runs for entry in transform.plan(seq)] == [True, True, False]
    with tvm.transform.PassContext(config={"tir.UnrollLoop": {"auto_max_step": 8}}):
        assert transform.PassContext.current().config["tir.UnrollLoop"]["auto_max_step"] == 8
