# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dataflowblock_pass, on functions and on classes."""

import pytest

import partita as tvm
from partita import relax, transform

TEXT = """
partita.module {
  relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %a, %b = relax.dataflow -> tensor<8xf32>, tensor<8xf32> {
      %0 = relax.exp %x : tensor<8xf32>
      %1 = relax.log %0 : tensor<8xf32>
      relax.output %0, %1 : tensor<8xf32>, tensor<8xf32>
    }
    %c = relax.add %a, %b : tensor<8xf32>
    %d = relax.dataflow -> tensor<8xf32> {
      %0 = relax.exp %c : tensor<8xf32>
      relax.output %0 : tensor<8xf32>
    }
    relax.return %d : tensor<8xf32>
  }
  relax.func @no_block(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = relax.exp %x : tensor<8xf32>
    relax.return %0 : tensor<8xf32>
  }
  relax.func @skipped(%x: tensor<8xf32>) -> tensor<8xf32> attributes {SkipOptimization} {
    %0 = relax.dataflow -> tensor<8xf32> {
      %1 = relax.exp %x : tensor<8xf32>
      relax.output %1 : tensor<8xf32>
    }
    relax.return %0 : tensor<8xf32>
  }
}
"""


class ExpToNegative(relax.ExprMutator):
    def visit_call_(self, call):
        call = super().visit_call_(call)
        return relax.negative(call.args[0]) if call.op.name == "relax.exp" else call


def rewrite(block, mod, ctx):
    mutator = ExpToNegative()
    bindings = [mutator.visit(binding) for binding in block.bindings]
    return relax.DataflowBlock(bindings, [mutator.visit(output) for output in block.outputs])


def run(function, text=TEXT):
    mod = tvm.IRModule.from_text(text)
    new = relax.transform.dataflowblock_pass(function, opt_level=0, name="Block")(mod)
    assert mod.script() == tvm.IRModule.from_text(text).script()
    return mod, new


def test_each_block_is_seen_once_with_its_outputs():
    def look(block, mod, ctx):
        assert ctx is transform.PassContext.current()
        seen.append(([b.op.name for b in block.bindings], len(block.outputs)))
        return block

    seen = []
    mod, new = run(look)
    assert seen == [(["relax.exp", "relax.log"], 2), (["relax.exp"], 1)]
    assert new.same_as(mod)


def test_what_is_returned_takes_the_block_s_place_and_nothing_else():
    mod, new = run(rewrite)
    expected = TEXT.replace("relax.exp", "relax.negative", 1)
    first, rest = expected.split("%d = relax.dataflow")
    expected = first + "%d = relax.dataflow" + rest.replace("relax.exp", "relax.negative", 1)
    tvm.ir.assert_structural_equal(new, tvm.IRModule.from_text(expected))


def test_classes():
    @relax.transform.dataflowblock_pass(opt_level=3, name="Rewrite")
    class Rewrite:
        def __init__(self, times):
            self.times = times

        def transform_dataflowblock(self, block, mod, ctx):
            for _ in range(self.times):
                block = rewrite(block, mod, ctx)
            return block

    made = Rewrite(1)
    assert isinstance(made, relax.transform.DataflowBlockPass)
    assert made.info == transform.PassInfo(3, "Rewrite", [])
    mod = tvm.IRModule.from_text(TEXT)
    assert transform.Sequential([made])(mod).same_as(mod)
    with transform.PassContext(opt_level=3):
        tvm.ir.assert_structural_equal(transform.Sequential([made])(mod), run(rewrite)[1])


def test_unused_outputs_can_stay():
    def drop(block, mod, ctx):
        return relax.DataflowBlock(block.bindings)

    mod, new = run(drop)
    tvm.ir.assert_structural_equal(new, mod)


@pytest.mark.parametrize("junk", [None, 1, "block", relax.BindingBlock([])])
def test_what_is_no_block_names_the_pass(junk):
    with pytest.raises(TypeError, match="'Block' to return a DataflowBlock, but it returned"):
        run(lambda block, mod, ctx: junk)


def test_outputs_have_their_number_and_types():
    def fewer(block, mod, ctx):
        return relax.DataflowBlock(block.bindings, block.outputs[:1])

    def other(block, mod, ctx):
        x = relax.op.reshape(block.outputs[0], (2, 4))
        return relax.DataflowBlock([x], [x] * len(block.outputs))

    with pytest.raises(ValueError, match="'Block' to return a block of 2 outputs, .* one of 1"):
        run(fewer)
    with pytest.raises(TypeError, match="'Block' to return a block whose output 0 is a"):
        run(other)


def test_an_output_that_is_a_parameter_stays():
    text = """
    partita.module {
      relax.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
        %a = relax.dataflow -> tensor<8xf32> {
          relax.output %x : tensor<8xf32>
        }
        relax.return %a : tensor<8xf32>
      }
    }"""

    def change(block, mod, ctx):
        new = relax.negative(block.outputs[0])
        return relax.DataflowBlock([new], [new])

    with pytest.raises(ValueError, match="output 0 as it was, which is another value, too"):
        run(change, text)


def test_blocks_that_others_made():
    x = relax.var("x", shape=(8,))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        with bb.dataflow():
            value = bb.emit_output(relax.exp(x))
        bb.emit_func_output(value)
    new = relax.transform.dataflowblock_pass(rewrite, opt_level=0)(bb.get())
    assert "relax.negative" in new.script() and "relax.exp" not in new.script()
    assert "relax.dataflow" in new.script()


def test_a_block_of_the_variables_that_were_there():
    x = relax.Var("x", relax.TensorType((8,)))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        with bb.dataflow():
            value = bb.emit(relax.op.exp(x))
            # Another variable for the same value, as in TVM's programs.
            output = bb.emit_output(value)
        bb.emit_func_output(bb.emit(relax.op.log(output)))

    @relax.transform.dataflowblock_pass(opt_level=0)
    def change(block, mod, ctx):
        def replace(value):
            is_exp = isinstance(value, relax.Call) and value.op.name == "relax.exp"
            return relax.op.negative(value.args[0]) if is_exp else value

        pairs = [(binding.var, replace(binding.value)) for binding in block.bindings]
        return relax.DataflowBlock([relax.VarBinding(var, value) for var, value in pairs])

    func = change(bb.get())["main"]
    assert [[b.name for b in block.bindings] for block in func.body.blocks] == [
        ["lv", "gv"],
        ["gv1"],
    ]
    text = str(func)
    assert "relax.exp" not in text and "relax.negative" in text and "relax.log" in text


def list_calls(mod):
    return [
        [(one.value.op.name, [arg.name for arg in one.value.args]) for one in block.bindings]
        for block in mod["main"].body.blocks
    ]


@pytest.mark.parametrize("is_by_hand", [False, True])
def test_a_mutator_of_a_block_leaves_what_is_before_the_block(is_by_hand):
    def rewrite(block, mod, ctx):
        mutator = ExpToNegative(mod)
        if not is_by_hand:
            return mutator.visit_binding_block(block)
        mutator.builder_._begin_dataflow_block()
        for binding in block.bindings:
            mutator.visit_binding(binding)
        return mutator.builder_._end_block()

    def rewrite_last(block, mod, ctx):
        return rewrite(block, mod, ctx) if len(block.bindings) == 1 else block

    make_pass = relax.transform.dataflowblock_pass(opt_level=0)
    mod = tvm.IRModule.from_text(TEXT)
    assert list_calls(make_pass(rewrite_last)(mod)) == [
        [("relax.exp", ["x"]), ("relax.log", [""])],
        [("relax.add", ["", ""])],
        [("relax.negative", ["c"])],
    ]
    assert list_calls(make_pass(rewrite)(mod)) == [
        [("relax.negative", ["x"]), ("relax.log", [""])],
        [("relax.add", ["", ""])],
        [("relax.negative", ["c"])],
    ]
