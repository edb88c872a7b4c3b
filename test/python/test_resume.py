# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs that go on from a checkpoint."""

import pytest
from pass_support import make_module, make_pass

from partita import instrument, ir, relax
from partita.mlir import ir as mlir_ir
from partita.transform import PassContext, PassError, Sequential


class Steps:
    """Three steps that add to an attribute, and a record of those that have run."""

    def __init__(self, fails_at=None):
        self.ran = []
        self.fails_at = fails_at
        self.sequential = Sequential([make_pass(name, body=self.step(name)) for name in "pqr"])

    def step(self, name):
        def run(mod, ctx):
            self.ran.append(name)
            if name == self.fails_at:
                raise KeyboardInterrupt
            attributes = mod.operation.attributes
            done = attributes["done"].value if "done" in attributes else ""
            with mod.operation.context:
                attributes["done"] = mlir_ir.StringAttr.get(done + name)
            return mod

        return run


def interrupt(tmp_path, fails_at="q"):
    """Leaves the checkpoints of a run that was interrupted."""
    steps = Steps(fails_at)
    with PassContext(instruments=[instrument.Checkpoint(tmp_path)]):
        with pytest.raises(KeyboardInterrupt):
            steps.sequential(make_module())


def test_goes_on_after_the_last_checkpoint(tmp_path):
    interrupt(tmp_path)
    steps = Steps()
    module = make_module()
    with PassContext(instruments=[instrument.Checkpoint(tmp_path)]):
        result = steps.sequential(module, resume_from=tmp_path)
    assert steps.ran == ["q", "r"]
    assert result.operation.attributes["done"].value == "pqr"
    ir.assert_structural_equal(result, Steps().sequential(make_module()))
    ir.assert_structural_equal(module, make_module())

    # A finished run is not repeated, and resuming needs no instrument.
    steps = Steps()
    assert steps.sequential(module, resume_from=str(tmp_path)).same_as(result) is False
    assert steps.ran == []


def test_in_place(tmp_path):
    interrupt(tmp_path, fails_at="r")
    steps = Steps()
    module = make_module()
    steps.sequential.run_in_place(module, resume_from=tmp_path)
    assert steps.ran == ["r"]
    assert module.operation.attributes["done"].value == "pqr"


def test_begins_at_the_start_without_one(tmp_path):
    steps = Steps()
    result = steps.sequential(make_module(), resume_from=tmp_path / "none")
    assert steps.ran == ["p", "q", "r"]
    assert result.operation.attributes["done"].value == "pqr"


def test_of_another_run(tmp_path):
    interrupt(tmp_path)
    steps = Steps()
    module = make_module()

    def fails(match, passes=steps.sequential, mod=module):
        with pytest.raises(PassError, match=match):
            passes(mod, resume_from=tmp_path)
        assert steps.ran == []

    fails("whose pass 2 is 'q', but found 'r'", Sequential([make_pass("p"), make_pass("r")]))
    with PassContext(opt_level=1):
        fails("whose context is 'opt_level=2.*', but found 'opt_level=1")
    other = make_module()
    with other.operation.context:
        other.operation.attributes["other"] = mlir_ir.UnitAttr.get()
    fails("whose input has the hash", mod=other)
    (tmp_path / "checkpoint-00001.mlirbc").write_text("damaged")
    fails("expected checkpoint '.*checkpoint-00001.mlirbc' to be as it was written")
    ir.assert_structural_equal(module, make_module())


def test_not_inside_a_run(tmp_path):
    interrupt(tmp_path)
    steps = Steps()
    outer = make_pass("outer", body=lambda mod, ctx: steps.sequential(mod, resume_from=tmp_path))
    with pytest.raises(PassError, match="not to be inside another"):
        outer(make_module())
    assert steps.ran == []


def test_of_passes_of_cpp(tmp_path):
    x = relax.var("x", relax.TensorType((2, 3), "float32"))
    module = ir.IRModule.from_expr(relax.Function([x], relax.add(relax.abs(x), relax.abs(x))))

    def make(last):
        return Sequential(
            [relax.transform.EliminateCommonSubexpr(), relax.transform.DeadCodeElimination(), last]
        )

    def stop(mod, ctx):
        raise KeyboardInterrupt

    with PassContext(instruments=[instrument.Checkpoint(tmp_path)]):
        with pytest.raises(KeyboardInterrupt):
            make(make_pass("last", body=stop))(module)
    result = make(make_pass("last"))(module, resume_from=tmp_path)
    ir.assert_structural_equal(result, make(make_pass("last"))(module))
    assert str(result).count("relax.abs") == 1
