# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewriting functions by patterns."""

import pytest

import partita
from partita import relax
from partita.relax import op
from partita.relax.dpl import (
    OrRewriter,
    PatternMatchingRewriter,
    is_const,
    is_op,
    is_tuple_get_item,
    rewrite_call,
    wildcard,
)

MODULE = """
partita.module {
  relax.func @main(%x: tensor<4xf32>, %cond: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0:2 = relax.dataflow -> tensor<4xf32>, tensor<4xf32> {
      %a = relax.add %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
      %b = relax.add %a, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
      %e = relax.exp %b : tensor<4xf32>
      %l = relax.log %e : tensor<4xf32>
      %c = relax.call @callee(%l) : (tensor<4xf32>) -> tensor<4xf32>
      relax.output %b, %c : tensor<4xf32>, tensor<4xf32>
    }
    %1 = relax.if %cond : tensor<i1> -> tensor<4xf32> {
      %t = relax.add %0#1, %0#1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
      relax.yield %t : tensor<4xf32>
    } else {
      relax.yield %0#1 : tensor<4xf32>
    }
    relax.return %1, %0#0 : tensor<4xf32>, tensor<4xf32>
  }
  relax.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = relax.add %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    relax.return %y : tensor<4xf32>
  }
}
"""


@pytest.fixture
def mod():
    return partita.IRModule.from_text(MODULE)


def two():
    return relax.const(2.0, "float32")


x = wildcard()
DOUBLE = is_op("relax.add")(x, x)


def double(call, matched):
    return op.multiply(matched[x], two())


y = wildcard()
LOG_OF_EXP = is_op("relax.log")(is_op("relax.exp")(y))


def count(obj, name):
    return str(obj).count(f"relax.{name} ")


def test_function(mod):
    before = str(mod)
    func = rewrite_call(DOUBLE, double, mod["main"])
    assert (count(func, "add"), count(func, "multiply"), count(func, "exp")) == (0, 3, 1)
    assert str(mod) == before
    # The result can be rewritten again, and goes back into the module.
    func = rewrite_call(LOG_OF_EXP, lambda log, matched: matched[y], func)
    assert (count(func, "exp"), count(func, "log")) == (0, 0)
    mod.update_func("main", func)
    assert count(mod, "multiply") == 3 and count(mod, "add") == 1


def test_module(mod):
    rule = PatternMatchingRewriter.from_pattern(DOUBLE, double)
    rewritten = rule(mod)
    assert (count(rewritten, "add"), count(rewritten, "multiply")) == (0, 4)
    assert rule(rewritten) is rewritten
    other = PatternMatchingRewriter.from_pattern(LOG_OF_EXP, lambda log, matched: matched[y])
    both = (rule | other)(mod)
    assert isinstance(rule | other, OrRewriter)
    assert (count(both, "add"), count(both, "log"), count(both, "exp")) == (0, 0, 0)
    partita.relax.analysis.well_formed(both)


def test_functions_that_are_called_by_others():
    mod = partita.IRModule.from_text(
        """partita.module {
          relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
            %0 = relax.add %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
            %1 = relax.call @next(%0) : (tensor<4xf32>) -> tensor<4xf32>
            relax.return %1 : tensor<4xf32>
          }
          relax.func private @next(%x: tensor<4xf32>) -> tensor<4xf32> {
            %0 = relax.call_tir @kernel(%x) : (tensor<4xf32>) -> tensor<4xf32>
            relax.return %0 : tensor<4xf32>
          }
          relax.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
            relax.return %x : tensor<4xf32>
          }
          tir.prim_func private @kernel(%a: memref<4xf32>, %b: memref<4xf32>) {
            tir.call @inner(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
            tir.return
          }
          tir.prim_func private @inner(%a: memref<4xf32>, %b: memref<4xf32>) {
            tir.return
          }
        }"""
    )
    func = rewrite_call(DOUBLE, double, mod["main"])
    mod["main"] = func
    assert (count(mod, "add"), count(mod, "multiply")) == (0, 1)
    partita.relax.analysis.well_formed(mod)


def test_nothing_changes(mod):
    func = mod["main"]
    assert rewrite_call(is_op("relax.sin")(wildcard()), double, func) is func
    # What a rewriter returns is the same, or equal.
    assert rewrite_call(DOUBLE, lambda call, matched: call, func) is func
    again = rewrite_call(DOUBLE, lambda call, matched: op.add(matched[x], matched[x]), func)
    assert again is func
    # Other functions stay as they are, unused expressions among them.
    assert count(PatternMatchingRewriter.from_pattern(LOG_OF_EXP, double_log)(mod), "add") == 4


def double_log(log, matched):
    return op.multiply(matched[y], two())


def test_rules_are_applied_again():
    chain = partita.IRModule.from_text(
        """partita.module {
          relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
            %c = relax.constant dense<1.0> : tensor<f32>
            %0 = relax.add %x, %c : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
            %1 = relax.add %0, %c : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
            %2 = relax.add %1, %c : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
            %3 = relax.add %2, %c : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
            relax.return %3 : tensor<4xf32>
          }
        }"""
    )
    z, one, other = wildcard(), is_const(), is_const()
    pattern = is_op("relax.add")(is_op("relax.add")(z, one), other)

    def add_constants(call, matched):
        total = matched[one].value.numpy() + matched[other].value.numpy()
        return op.add(matched[z], relax.const(total, "float32"))

    func = rewrite_call(pattern, add_constants, chain["main"])
    assert count(func, "add") == 1 and "dense<4.000000e+00>" in str(func)


def test_fields_of_tuples():
    split = partita.IRModule.from_text(
        """partita.module {
          relax.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
            %0:2 = "relax.split"(%x) {axis = 0 : i64, indices_or_sections = 2 : i64}
              : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
            relax.return %0#1 : tensor<2xf32>
          }
        }"""
    )
    whole = wildcard()
    pattern = is_tuple_get_item(is_op("relax.split")(whole), 1)
    func = rewrite_call(
        pattern,
        lambda field, matched: op.strided_slice(matched[whole], axes=[0], begin=[2], end=[4]),
        split["main"],
    )
    assert count(func, "split") == 0 and count(func, "strided_slice") == 1


def test_errors(mod):
    with pytest.raises(TypeError, match="expected the pattern of a rewriter to be a pattern"):
        rewrite_call("relax.add", double, mod["main"])
    with pytest.raises(TypeError, match="expected a rewriter to be a function, but found 3"):
        rewrite_call(DOUBLE, 3, mod["main"])
    with pytest.raises(TypeError, match="expected an IRModule or a Function to rewrite"):
        rewrite_call(DOUBLE, double, "main")
    with pytest.raises(ZeroDivisionError):
        rewrite_call(DOUBLE, lambda call, matched: 1 / 0, mod["main"])
    with pytest.raises(TypeError):
        rewrite_call(DOUBLE, lambda call, matched: "text", mod["main"])
