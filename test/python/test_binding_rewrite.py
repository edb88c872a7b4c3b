# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adding, removing and replacing bindings of a dataflow block."""

import partita
import pytest
from partita import ir, relax
from partita.relax import binding_rewrite
from partita.relax.analysis import name_to_binding
from partita.relax.binding_rewrite import DataflowBlockRewrite

TEXT = """
partita.module {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {is_pure = false} {
    %out = relax.dataflow -> tensor<4xf32> {
      %a = relax.exp %x : tensor<4xf32>
      %b = relax.abs %x : tensor<4xf32>
      %c = relax.add %a, %b : tensor<4xf32>
      %d = relax.negative %a : tensor<4xf32>
      %e = relax.sqrt %d : tensor<4xf32>
      relax.output %c : tensor<4xf32>
    }
    relax.print %out : tensor<4xf32>
    relax.return %out : tensor<4xf32>
  }
}
"""


@pytest.fixture
def mod():
    return partita.IRModule.from_text(TEXT)


def start(mod):
    func = mod["main"]
    names = {name: found[0] for name, found in name_to_binding(func).items()}
    return DataflowBlockRewrite(func.body.blocks[0], func), func, names


def ops(func):
    return [binding.op.name[6:] for block in func.blocks for binding in block.bindings]


def test_nothing_changes_what_was_given(mod):
    rewrite, func, names = start(mod)
    before = func.script()
    assert rewrite.mutated_root_fn() is func and rewrite.mutated_dfb().bindings[0] is names["a"]
    rewrite.remove_all_unused()
    assert func.script() == before and rewrite.mutated_root_fn() is not func
    assert rewrite.mutated_root_fn().body.blocks[0] is rewrite.mutated_dfb()


def test_unused_bindings_go(mod):
    rewrite, _, names = start(mod)
    with pytest.raises(
        RuntimeError, match="that nothing uses, but found 'd', which 1 bindings use"
    ):
        rewrite.remove_unused(names["d"])
    rewrite.remove_unused(names["e"])
    rewrite.remove_unused(names["d"])
    assert ops(rewrite.mutated_root_fn()) == ["exp", "abs", "add", "print"]
    with pytest.raises(
        ValueError, match="a variable of the block, or allow_undef=True, but found 'd'"
    ):
        rewrite.remove_unused(names["d"])
    rewrite.remove_unused(relax.Var("other"), allow_undef=True)
    with pytest.raises(RuntimeError, match="'c', which 1 bindings use"):
        rewrite.remove_unused(names["c"])


def test_all_unused_bindings_go_but_what_has_effects(mod):
    rewrite, _, _ = start(mod)
    rewrite.remove_all_unused()
    assert ops(rewrite.mutated_root_fn()) == ["exp", "abs", "add", "print"]


def test_uses_are_replaced_everywhere(mod):
    rewrite, _, names = start(mod)
    rewrite.replace_all_uses(names["a"], names["b"])
    after = rewrite.mutated_root_fn()
    assert ops(after) == ["exp", "abs", "add", "negative", "sqrt", "print"]
    a, b, c, d, *_ = rewrite.mutated_dfb().bindings
    assert list(c.args) == [b, b] and list(d.args) == [b] and a is names["a"]
    # A changed binding is still referred to by its old expression.
    rewrite.replace_all_uses(names["c"], names["d"])
    rewrite.remove_unused(names["c"])
    rewrite.remove_unused(names["a"])
    assert ops(rewrite.mutated_root_fn()) == ["abs", "negative", "sqrt", "print"]
    after = rewrite.mutate_irmodule(mod)
    after.operation.verify()
    assert "relax.exp" not in after.script() and "relax.exp" in mod.script()


def test_what_can_not_be_replaced(mod):
    rewrite, _, names = start(mod)
    with pytest.raises(RuntimeError, match="a parameter or a variable of the function.*'other'"):
        rewrite.replace_all_uses(relax.Var("other"), names["a"])
    with pytest.raises(ValueError, match="does not use 'a' in its place, but found 'e'"):
        rewrite.replace_all_uses(names["a"], names["e"])


def test_bindings_are_added_behind_what_they_use(mod):
    rewrite, func, names = start(mod)
    rewrite.add(relax.op.cos(names["b"]), "g")
    rewrite.add(relax.op.sin(func.params[0]))
    var = relax.Var("h", names["a"].ty)
    rewrite.add_binding(relax.VarBinding(var, relax.op.tanh(names["d"])))
    rewrite.replace_all_uses(names["c"], var)
    found = [binding.name_hint for binding in rewrite.mutated_dfb().bindings]
    assert found == ["a", "tmp0", "b", "g", "c", "d", "h", "e"]
    rewrite.mutate_irmodule(mod).operation.verify()
    with pytest.raises(RuntimeError, match="new in the function, but found 'h'"):
        rewrite.add_binding(var)


def test_edits_of_what_was_edited(mod):
    rewrite, func, names = start(mod)
    x = func.params[0]
    # A later value replaces it, in the bindings that existed before.
    rewrite.replace_all_uses(names["a"], names["b"])
    rewrite.add(relax.op.sin(names["a"]), "again")
    rewrite.add(relax.op.cos(names["c"]), "more")
    rewrite.replace_all_uses(names["b"], x)
    rewrite.replace_all_uses(names["c"], names["b"])
    found = {one.name_hint: one for one in rewrite.mutated_dfb().bindings}
    assert list(found["again"].args) == [found["a"]] and list(found["d"].args) == [x]
    assert list(found["more"].args) == [found["b"]]
    assert rewrite.mutated_root_fn().body.body is found["b"]
    with pytest.raises(RuntimeError, match="not use 'b' in its place, but found 'more'"):
        rewrite.replace_all_uses(names["b"], found["more"])
    rewrite.remove_unused(names["c"])
    with pytest.raises(RuntimeError, match="a parameter or a variable of the func.*found 'c'"):
        rewrite.add(relax.op.exp(names["c"]))


def test_bindings_at_one_place(mod):
    rewrite, func, _ = start(mod)
    for _ in range(200):
        rewrite.add(relax.op.sin(func.params[0]))
    found = [one.name_hint for one in rewrite.mutated_dfb().bindings]
    assert found == ["a", *(f"tmp{i}" for i in reversed(range(200))), *"bcde"]


def test_other_names_of_variables(mod):
    rewrite, func, names = start(mod)
    rewrite.add(names["a"], "other")
    assert [b.value for b in rewrite.mutated_dfb().bindings][1] is names["a"]
    assert "%other = relax.alias %a" in rewrite.mutated_root_fn().script()


def test_blocks_that_are_left_empty_go(mod):
    rewrite, func, names = start(mod)
    rewrite.replace_all_uses(names["c"], func.params[0])
    rewrite.remove_all_unused()
    assert len(rewrite.mutated_root_fn().blocks) == 1 and not rewrite.mutated_dfb().bindings
    ir.assert_structural_equal(rewrite.mutate_irmodule(mod)["main"], rewrite.mutated_root_fn())


def test_what_is_given_must_fit(mod):
    func, other = mod["main"], relax.Function([], relax.const(1))
    with pytest.raises(
        RuntimeError, match="expected a block of <Function @main>, such as func.body.b"
    ):
        DataflowBlockRewrite(relax.DataflowBlock([relax.const(2)]), other)
    with pytest.raises(
        TypeError, match="expected a DataflowBlock to rewrite, but found BindingBlock"
    ):
        DataflowBlockRewrite(func.body.blocks[1], func)
    rewrite, _, _ = start(mod)
    with pytest.raises(RuntimeError, match="the module that <Function @main> was taken from"):
        rewrite.mutate_irmodule(partita.IRModule())


def test_a_parameter_is_also_the_var_that_the_function_was_made_of():
    x, y = relax.Var("x", relax.TensorType((4,))), relax.Var("y", relax.TensorType((4,)))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        with bb.dataflow():
            gv = bb.emit_output(relax.op.exp(x))
        bb.emit_func_output(gv)
    func = bb.get()["main"]
    rewrite = relax.DataflowBlockRewrite(func.body.blocks[0], func)
    rewrite.add(relax.op.sin(x), "new")
    rewrite.replace_all_uses(func.body.blocks[0].bindings[0], rewrite.mutated_dfb().bindings[1])
    assert rewrite.mutated_root_fn().body.body.op.name == "relax.sin"
    with pytest.raises(ValueError, match="variable of the function, but found 'y'"):
        rewrite.add(relax.op.sin(y))


def test_few_bindings_move_for_each_that_is_added_at_one_place(mod, monkeypatch):
    moves = 0

    class Slot(binding_rewrite._Slot):
        __slots__ = ("_place",)

        @property
        def place(self):
            return self._place

        @place.setter
        def place(self, place):
            nonlocal moves
            moves += 1
            self._place = place

    monkeypatch.setattr(binding_rewrite, "_Slot", Slot)
    # Little room, so that there is none soon.
    monkeypatch.setattr(binding_rewrite, "_GAP", 1 << 12)
    monkeypatch.setattr(binding_rewrite, "_ROOM", 1, raising=False)
    rewrite, func, names = start(mod)
    for i in range(1000):
        rewrite.add(relax.op.sin(names["a"]), f"new{i}")
    assert moves < 20 * 1000
    added = [binding.name_hint for binding in rewrite.mutated_dfb().bindings[1:1001]]
    assert added == [f"new{i}" for i in reversed(range(1000))]
