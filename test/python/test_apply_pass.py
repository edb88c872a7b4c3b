# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ApplyPassToFunction: a pass on some of a module's functions."""

import pytest
from pass_support import Recorder, make_module, make_pass

import partita
from partita import IRModule, relax, tir, transform
from partita.transform import ApplyPassToFunction, PassContext

TEXT = """
partita.module @m attributes {level = 2 : i64} {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.add %x, %x : tensor<4xf32>
    %1 = relax.call @inner(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %unused = relax.multiply %1, %1 : tensor<4xf32>
    relax.return %1 : tensor<4xf32>
  }
  relax.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.add %x, %x : tensor<4xf32>
    %1 = relax.call @innermost(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %unused = relax.multiply %1, %1 : tensor<4xf32>
    relax.return %1 : tensor<4xf32>
  }
  relax.func private @innermost(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.add %x, %x : tensor<4xf32>
    %unused = relax.multiply %0, %0 : tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
  tir.prim_func private @kernel(%a: memref<4xf32>) {
    tir.return
  }
}
"""


def changed(before, after):
    """The names of the functions that differ."""
    assert list(before.functions) == list(after.functions)
    return [var.name_hint for var in before.functions if str(before[var]) != str(after[var])]


@pytest.mark.parametrize(
    "regex, names",
    [
        ("main", ["main"]),
        ("inner", ["inner", "innermost"]),
        ("inner$", ["inner"]),
        ("main|innermost", ["main", "innermost"]),
        ("most", []),
        ("", ["main", "inner", "innermost"]),
    ],
)
def test_dead_code_elimination_of_some(regex, names):
    """The case of TVM's own test: private functions stay if the pass sees no call of them."""
    mod = IRModule.from_text(TEXT)
    before = mod.script()
    after = ApplyPassToFunction(relax.transform.DeadCodeElimination(), regex)(mod)
    assert changed(mod, after) == names
    for name in ("main", "inner", "innermost"):
        assert ("relax.multiply" in str(after[name])) is (name not in names)
    assert [f.is_private for f in after.functions.values()] == [False, True, True, True]
    assert after.attrs["level"] == 2 and after.operation.verify()
    assert mod.script() == before


def test_info():
    apply = ApplyPassToFunction(relax.transform.FoldConstant(), "ma.*")
    assert isinstance(apply, transform.ModulePass)
    assert apply.info == transform.PassInfo(0, "ApplyPassToma.*", [])


def test_what_the_pass_sees():
    seen = {}

    def look(mod, ctx):
        for var, func in mod.functions.items():
            seen[var.name_hint] = (func.is_private, len(func.operation.regions[0].blocks))
        return mod

    mod = IRModule.from_text(TEXT)
    after = ApplyPassToFunction(make_pass("look", body=look), "inner$")(mod)
    others = dict.fromkeys(["main", "innermost", "kernel"], (True, 0))
    assert seen == {"inner": (False, 1), **others}
    assert after.same_as(mod)


def test_a_pass_adds_and_deletes():
    def body(mod, ctx):
        x = relax.var("x", (4,))
        mod["helper"] = relax.Function([x], relax.exp(x))
        mod["inner"] = relax.Function([x], mod.get_global_var("helper")(x))
        del mod["innermost"]
        return mod

    mod = IRModule.from_text(TEXT)
    after = ApplyPassToFunction(make_pass("p", body=body), "inner")(mod)
    assert [var.name_hint for var in after] == ["main", "inner", "innermost", "kernel", "helper"]
    assert "relax.call @helper" in str(after["inner"]) and after["inner"].is_private
    assert str(after["innermost"]) == str(mod["innermost"])


def test_prim_funcs():
    names = []

    @tir.transform.prim_func_pass(opt_level=0)
    def mark(func, mod, ctx):
        names.append(func.name)
        return func.with_attr("seen", True)

    after = ApplyPassToFunction(mark, "ker")(IRModule.from_text(TEXT))
    assert names == ["kernel"] and after["kernel"].attrs["seen"] is True
    assert "seen" not in after["main"].attrs


def test_a_sequential_under_a_context():
    log = []
    seq = transform.Sequential([make_pass("p", log), make_pass("q", log, opt_level=3)], name="s")
    with PassContext(opt_level=2, instruments=[Recorder("A", log)]):
        ApplyPassToFunction(seq, "main")(make_module())
    began = [entry for entry in log if "before" in entry or "." not in entry]
    assert began == ["A.before ApplyPassTomain", "A.before s", "A.before p", "p"]


def test_no_function_matches():
    mod = make_module()
    apply = ApplyPassToFunction(make_pass("p"), "missing", error_if_no_function_matches_regex=True)
    with pytest.raises(ValueError, match="matches 'missing', but found main, unused"):
        apply(mod)
    log = []
    assert ApplyPassToFunction(make_pass("p", log), "missing")(mod).same_as(mod)
    assert not log


def test_a_signature_that_calls_do_not_fit():
    def body(mod, ctx):
        x = relax.var("x", (8,))
        mod["innermost"] = relax.Function([x], x)
        return mod

    mod = IRModule.from_text(TEXT)
    with pytest.raises(partita.PassError) as caught:
        ApplyPassToFunction(make_pass("p", body=body), "innermost")(mod)
    assert "in pass 'ApplyPassToinnermost'" in caught.value.__notes__


def test_wrong_arguments():
    with pytest.raises(TypeError, match="expected a pass, but found str"):
        ApplyPassToFunction("FoldConstant", "main")
    with pytest.raises(TypeError, match="func_name_regex to be a str, but found int"):
        ApplyPassToFunction(make_pass("p"), 3)
    with pytest.raises(ValueError, match=r"a regular expression, but found '\('"):
        ApplyPassToFunction(make_pass("p"), "(")
