# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""function_pass and prim_func_pass, on functions and on classes."""

import pytest

import partita as tvm
from partita import relax, tir, transform

TWO = """
partita.module @m {
  relax.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = relax.exp %x : tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  relax.func @skipped(%x: tensor<8xf32>) -> tensor<8xf32> attributes {SkipOptimization} {
    %0 = relax.exp %x : tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  tir.prim_func private @p(%a: memref<8xf32>) {
    tir.return
  }
}
"""


def names_of(make_pass):
    seen = []

    def visit(func, mod, ctx):
        assert ctx is transform.PassContext.current()
        assert func.name in [v.name_hint for v in mod.get_global_vars()]
        seen.append(func.name)
        return func

    mod = tvm.IRModule.from_text(TWO)
    new = make_pass(visit, opt_level=1, name="Visit")(mod)
    assert new.same_as(mod)
    return seen


def test_each_kind_gets_its_functions_but_those_to_be_skipped():
    assert names_of(relax.transform.function_pass) == ["f"]
    assert names_of(tir.transform.prim_func_pass) == ["p"]


def test_the_decorated_function_is_a_pass():
    @relax.transform.function_pass(opt_level=1)
    def keep(func, mod, ctx):
        return func

    assert isinstance(keep, relax.transform.FunctionPass)
    assert keep.info == transform.PassInfo(1, "keep", [])


def test_the_document_s_class():
    @relax.transform.function_pass(opt_level=1)
    class TestReplaceFunc:
        def __init__(self, new_func):
            self.new_func = new_func

        def transform_function(self, func, mod, ctx):
            return self.new_func

    x = relax.var("x", shape=(10, 20))
    f1 = relax.Function([x], x)
    f2 = relax.Function([x], relax.log(x))
    fpass = TestReplaceFunc(f1)
    assert fpass.info.opt_level == 1
    assert fpass.info.name == "TestReplaceFunc"
    input_mod = tvm.IRModule({relax.GlobalVar("a"): f2, relax.GlobalVar("b"): f2})
    before = input_mod.script()
    res_mod = fpass(input_mod)
    assert input_mod.script() == before
    expected = tvm.IRModule({relax.GlobalVar("a"): f1, relax.GlobalVar("b"): f1})
    tvm.ir.assert_structural_equal(res_mod, expected)


@pytest.mark.parametrize("junk", [None, 1, "f", []])
def test_what_is_no_function_names_pass_and_function(junk):
    @relax.transform.function_pass(opt_level=0)
    def bad(func, mod, ctx):
        return junk

    mod = tvm.IRModule.from_text(TWO)
    with pytest.raises(TypeError, match="'bad' to return a Function for @f, but it returned"):
        bad(mod)
    assert mod.script() == tvm.IRModule.from_text(TWO).script()


def test_functions_are_neither_added_nor_deleted():
    @relax.transform.function_pass(opt_level=0)
    def adds(func, mod, ctx):
        mod["g"] = func
        return func

    @relax.transform.function_pass(opt_level=0)
    def deletes(func, mod, ctx):
        del mod["p"]
        return func

    mod = tvm.IRModule.from_text(TWO)
    with pytest.raises(ValueError, match="'adds' to leave .* it added @g"):
        adds(mod)
    with pytest.raises(ValueError, match="'deletes' to leave .* it deleted @p"):
        deletes(mod)


def test_an_exception_is_the_same_object():
    error = KeyboardInterrupt("stop")

    @relax.transform.function_pass(opt_level=0)
    def stops(func, mod, ctx):
        raise error

    with pytest.raises(KeyboardInterrupt) as caught:
        transform.Sequential([stops])(tvm.IRModule.from_text(TWO))
    assert caught.value is error


def test_a_pass_makes_functions_in_the_context_of_its_module():
    from partita.mlir import ir

    @transform.module_pass(opt_level=0)
    def add_abs(mod, ctx):
        x = relax.var("x", relax.TensorType((10,), "float32"))
        new_mod = tvm.IRModule({relax.GlobalVar("abs"): relax.Function([x], relax.abs(x))})
        new_mod.update(mod)
        return new_mod

    mod = tvm.IRModule.from_text("partita.module {}", context=ir.Context())
    assert "relax.abs" in str(add_abs(mod))


def test_a_function_that_takes_the_address_of_an_erased_one_is_another():
    for _ in range(100):
        mod = tvm.IRModule.from_text(TWO)
        f = mod["f"]
        f.operation.erase()
        mod.update_func(relax.GlobalVar("g"), mod["skipped"])
        assert mod["g"].name == "g"
