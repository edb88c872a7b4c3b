# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions made of TVM's bindings: new values of variables, SeqExprs and functions as values."""

import partita
import pytest
from partita import relax

FLOATS = relax.TensorType((4,), "float32")
TEXT = """
partita.module {
  relax.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %a = relax.dataflow -> tensor<4xf32> {
      %b = relax.exp %x : tensor<4xf32>
      %c = relax.abs %b : tensor<4xf32>
      relax.output %c : tensor<4xf32>
    }
    %d = relax.sin %a : tensor<4xf32>
    relax.return %d, %a : tensor<4xf32>, tensor<4xf32>
  }
}
"""


def var(name, type_=FLOATS):
    return relax.Var(name, type_)


def replace(block):
    """Each binding anew, with cos in place of exp."""
    bindings = []
    for binding in block.bindings:
        value = binding.value
        if value.op == relax.Op.get("relax.exp"):
            value = relax.op.cos(value.args[0])
        bindings.append(relax.VarBinding(binding.var, value))
    return type(block)(bindings)


def test_new_values_of_variables_replace_the_old_ones():
    func = partita.IRModule.from_text(TEXT)["main"]
    blocks = [replace(block) for block in func.body.blocks]
    made = relax.Function(func.params, relax.SeqExpr(blocks, func.body.body))
    assert "relax.dataflow" in str(made)
    expected = partita.IRModule.from_text(TEXT.replace("relax.exp", "relax.cos"))
    partita.ir.assert_structural_equal(made, expected["main"])
    # Without a new value, all stays the same object.
    block = func.body.blocks[1]
    again = relax.BindingBlock([relax.VarBinding(b.var, b.value) for b in block.bindings])
    assert again.bindings == block.bindings and not again.replaced


def test_new_values_in_a_dataflow_block_pass():
    rewrite = relax.transform.dataflowblock_pass(lambda block, mod, ctx: replace(block), 0, "cos")
    after = rewrite(partita.IRModule.from_text(TEXT))
    assert "relax.cos" in str(after) and "relax.exp" not in str(after)


def test_new_values_of_variables_that_were_made():
    x, v, w = var("x"), var("v"), var("w")
    block = relax.BindingBlock([relax.VarBinding(v, relax.op.exp(x)), relax.VarBinding(w, v)])
    first = relax.BindingBlock([relax.VarBinding(v, relax.op.abs(x)), w])
    assert first.bindings[0] is not v and first.bindings[0].name_hint == "v"
    assert first.bindings[1].value is first.bindings[0] and block.bindings == (v, w)
    made = str(relax.Function([x], relax.SeqExpr([first], w)))
    assert "%v = relax.abs %x" in made and "%w = relax.alias %v" in made and "exp" not in made


def test_a_variable_has_one_value_in_a_block():
    x, v = var("x"), var("v")
    with pytest.raises(ValueError, match="one value for each variable, but found two for 'v'"):
        relax.BindingBlock(
            [relax.VarBinding(v, relax.op.exp(x)), relax.VarBinding(v, relax.op.abs(x))]
        )


def test_a_seq_expr_is_a_value():
    x, v, w = var("x"), var("v"), var("w")
    seq = relax.SeqExpr([relax.BindingBlock([relax.VarBinding(v, relax.op.abs(x))])], v)
    for body, last in (
        (relax.op.exp(seq), "relax.exp %v"),
        (relax.SeqExpr([], seq), "return %v"),
        (relax.SeqExpr([relax.BindingBlock([relax.VarBinding(w, seq)])], w), "relax.alias %v"),
        (relax.Tuple([seq, x]), "return %v, %x"),
    ):
        text = str(relax.Function([x], body))
        assert "%v = relax.abs %x" in text and last in text
    pair = relax.SeqExpr([], relax.Tuple([x, relax.op.exp(x)]))
    assert "%x, %0" in str(relax.Function([x], pair))
    assert "%x, %0" in str(relax.Function([x], relax.SeqExpr([], pair)))


def test_functions_use_what_is_around_them():
    x, y, f, r = var("x"), var("y"), relax.Var("f", relax.FuncType([FLOATS], FLOATS)), var("r")
    inner = relax.Function([y], relax.op.add(y, x), attrs={"a": 1})
    assert [v.name for v in relax.analysis.free_vars(inner)] == ["x"]
    assert "relax.add" in str(inner) and inner.with_attr("b", 2).attrs["b"] == 2
    with pytest.raises(ValueError, match="to use parameters only, but found the variable 'x'"):
        partita.IRModule({"inner": inner})
    block = relax.BindingBlock([relax.VarBinding(f, inner), relax.VarBinding(r, f(x))])
    func = relax.Function([x], relax.SeqExpr([block], r), attrs={"global_symbol": "main"})
    mod = partita.IRModule({"main": func})
    assert "relax.add %y, %x" in str(mod)
    partita.ir.assert_structural_equal(mod, partita.IRModule.from_tvm_json(mod.to_tvm_json()))


def test_functions_that_call_themselves_by_their_variables():
    ints = relax.TensorType((), "int32")
    f, x, y, r = relax.Var("f", relax.FuncType([ints], ints)), *(var(n, ints) for n in "xyr")
    block = relax.BindingBlock([relax.VarBinding(y, f(x))])
    inner = relax.Function([x], relax.SeqExpr([block], y), ints)
    block = relax.BindingBlock([relax.VarBinding(f, inner), relax.VarBinding(r, f(relax.const(1)))])
    func = relax.Function([], relax.SeqExpr([block], r), ints)
    assert "%y = relax.call_value(%f_0, %x)" in str(func)
    # A visitor and a mutator come to an end, too.
    assert str(relax.PyExprMutator().visit_expr(func)) == str(func)
    assert [v.name for v in relax.analysis.free_vars(func)] == []
