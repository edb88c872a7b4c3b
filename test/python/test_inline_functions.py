# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Function.inline_functions."""

import partita
import pytest
from partita import ir, relax, tir

MODULE = """
partita.module {
  relax.func @main(%x: tensor<?x4xf32, #relax.shape<["n", 4]>>, %y: tensor<2x4xf32>)
      -> (tensor<?x8xf32, #relax.shape<["n", 8]>>, tensor<2x8xf32>) {
    %a = relax.call @twice(%x) : (tensor<?x4xf32, #relax.shape<["n", 4]>>) -> tensor<?x8xf32, #relax.shape<["n", 8]>>
    %b = relax.call @twice(%y) : (tensor<2x4xf32>) -> tensor<2x8xf32>
    relax.return %a, %b : tensor<?x8xf32, #relax.shape<["n", 8]>>, tensor<2x8xf32>
  }
  relax.func private @twice(%t: tensor<?x4xf32, #relax.shape<["m", 4]>>) -> tensor<?x8xf32, #relax.shape<["m", 8]>> {
    %0 = relax.concat %t, %t axis = 1 : tensor<?x4xf32, #relax.shape<["m", 4]>>, tensor<?x4xf32, #relax.shape<["m", 4]>> -> tensor<?x8xf32, #relax.shape<["m", 8]>>
    %1 = relax.call @last(%0) : (tensor<?x8xf32, #relax.shape<["m", 8]>>) -> tensor<?x8xf32, #relax.shape<["m", 8]>>
    relax.return %1 : tensor<?x8xf32, #relax.shape<["m", 8]>>
  }
  relax.func private @last(%u: tensor<?x8xf32, #relax.shape<["n", 8]>>) -> tensor<?x8xf32, #relax.shape<["n", 8]>> {
    %s = relax.shape ["n * 8"]
    %0 = relax.reshape %u, %s : tensor<?x8xf32, #relax.shape<["n", 8]>> -> tensor<?xf32, #relax.shape<["n * 8"]>>
    %1 = relax.shape ["n", 8]
    %2 = relax.reshape %0, %1 : tensor<?xf32, #relax.shape<["n * 8"]>> -> tensor<?x8xf32, #relax.shape<["n", 8]>>
    relax.return %2 : tensor<?x8xf32, #relax.shape<["n", 8]>>
  }
}
"""
FLOATS = relax.TensorType((4,), "float32")


def test_bodies_have_the_sizes_of_the_arguments():
    mod = partita.IRModule.from_text(MODULE)
    gvar = mod.get_global_var("twice")
    after = mod["main"].inline_functions({gvar: mod[gvar], "last": mod["last"]})
    text = str(after)
    assert "relax.call" not in text and "relax.call" in str(mod["main"])
    # One call has sizes n and 4, the other has 2 and 4.
    for line in ('relax.shape ["n * 8"]', "relax.shape [16]", "-> tensor<16xf32>"):
        assert line in text
    assert after.ret_ty == mod["main"].ret_ty
    mod["main"] = after
    mod.operation.verify()


def test_only_the_functions_that_are_given():
    mod = partita.IRModule.from_text(MODULE)
    after = mod["main"].inline_functions({"twice": mod["twice"]})
    assert str(after).count("relax.call @last") == 2 and "relax.concat" in str(after)
    assert mod["main"].inline_functions({}) is mod["main"]


def test_names_of_a_cast_are_other_ones():
    x, n = relax.Var("x", relax.TensorType(("n",))), tir.Var("n")
    y = relax.Var("y", relax.TensorType(ndim=1))
    cast = relax.op.match_cast(y, relax.TensorType((n,)))
    callee = relax.Function([y], relax.Tuple([cast, relax.ShapeExpr([n])]))
    bb = relax.BlockBuilder(partita.IRModule({"callee": callee}))
    with bb.function("main", [x]):
        call = bb.get().get_global_var("callee")(relax.op.unique(x))
        bb.emit_func_output(relax.Tuple([bb.emit(call), x]))
    after = bb.get()["main"].inline_functions({"callee": callee})
    assert 'relax.shape ["n_0"]' in str(after) and '-> tensor<?xf32, #relax.shape<["n_0"]>>' in str(
        after
    )


def test_numbers_that_are_sizes():
    n, x = tir.Var("n"), relax.Var("x", FLOATS)
    callee = relax.Function([n, x], relax.ShapeExpr([n + 1]))
    bb = relax.BlockBuilder(partita.IRModule({"callee": callee}))
    with bb.function("main", [x]):
        call = bb.get().get_global_var("callee")
        bb.emit_func_output(bb.emit(call(relax.PrimValue(3), x)))
    assert "relax.shape [4]" in str(bb.get()["main"].inline_functions({"callee": callee}))


def test_effects_stay_in_their_order():
    text = """partita.module {
      relax.func @main(%x: f32) attributes {is_pure = false} {
        relax.print %x : f32
        relax.call @callee(%x) {is_pure = false} : (f32) -> ()
        relax.call @callee(%x) {is_pure = false} : (f32) -> ()
        relax.return
      }
      relax.func @callee(%x: f32) attributes {is_pure = false} {
        relax.print %x, %x : f32, f32
        relax.return
      }
    }"""
    mod = partita.IRModule.from_text(text)
    after = str(mod["main"].inline_functions({"callee": mod["callee"]}))
    lines = [line.strip() for line in after.splitlines() if "relax.print" in line]
    assert lines == ["relax.print %x : f32"] + ["relax.print %x, %x : f32, f32"] * 2


def test_what_can_not_be_inlined():
    mod = partita.IRModule.from_text(
        """partita.module {
      relax.func @main(%x: f32) -> f32 {
        %0 = relax.call @a(%x) : (f32) -> f32
        relax.return %0 : f32
      }
      relax.func @a(%x: f32) -> f32 {
        %0 = relax.call @b(%x) : (f32) -> f32
        relax.return %0 : f32
      }
      relax.func @b(%x: f32) -> f32 {
        %0 = relax.call @a(%x) : (f32) -> f32
        relax.return %0 : f32
      }
      relax.func private @declared(f32) -> f32
    }"""
    )
    main, gvar = mod["main"], ir.GlobalVar("a")
    for functions, error, message in (
        ({"a": mod["a"], "b": mod["b"]}, ValueError, "call themselves, but found a -> b -> a"),
        ({"a": mod["a"], gvar: mod["a"]}, ValueError, "each name once, but found 'a' twice"),
        ({"a": 1}, TypeError, "expected 'a' to be a relax Function, but found int"),
        ({"a": mod["declared"]}, ValueError, "expected 'a' to have a body"),
        ({"a": relax.Function([], relax.const(1.0))}, ValueError, "expected 0 arguments for @a"),
        ([mod["a"]], TypeError, "expected the functions to be a dict by their names"),
    ):
        with pytest.raises(error, match=message):
            main.inline_functions(functions)
