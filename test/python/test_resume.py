# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs that resume from a checkpoint."""

import functools
import importlib
import os
import subprocess
import sys
import threading

import numpy
import pytest
from pass_support import make_module, make_pass

from partita import instrument, ir, relax, tir
from partita.mlir import ir as mlir_ir
from partita.transform import (
    ApplyPassToFunction,
    PassContext,
    PassError,
    Sequential,
    get_pass,
    module_pass,
)
from partita.transform.fingerprint import describe_pass


class Steps:
    """Three steps that add to an attribute, and a record of the steps that have run."""

    def __init__(self, fails_at=None):
        self.ran = []
        self.fails_at = fails_at
        self.sequential = Sequential(
            [make_pass(name, body=self.step(name), version=name) for name in "pqr"]
        )

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


@module_pass(opt_level=0)
class Mul:
    """Multiplies an attribute."""

    def __init__(self, factor, log=None):
        self.factor = factor
        self.log = log

    def transform_module(self, mod, ctx):
        attributes = mod.operation.attributes
        value = attributes["value"].value if "value" in attributes else 1
        with mod.operation.context:
            attributes["value"] = mlir_ir.IntegerAttr.get(
                mlir_ir.IntegerType.get_signless(64), value * self.factor
            )
        return mod


def stop(mod, ctx):
    raise KeyboardInterrupt


def checkpoint(tmp_path, *passes):
    """Leaves the checkpoints of these passes, and an end that has failed."""
    with PassContext(instruments=[instrument.Checkpoint(tmp_path)]):
        with pytest.raises(KeyboardInterrupt):
            Sequential([*passes, make_pass("end", body=stop)])(make_module())


def resume(tmp_path, *passes):
    # The end had not run, and may be another now.
    return Sequential([*passes, make_pass("end")])(make_module(), resume_from=tmp_path)


def test_of_another_object(tmp_path):
    checkpoint(tmp_path, Mul(3), Mul(2))
    result = resume(tmp_path, Mul(3), Mul(2))
    assert result.operation.attributes["value"].value == 6
    for passes in ([Mul(5), Mul(2)], [Mul(3), Mul(7)], [Mul(2), Mul(3)]):
        with pytest.raises(PassError, match="is another 'Mul', but found one with other"):
            resume(tmp_path, *passes)
    with pytest.raises(PassError, match="whose pass 2 is another 'Mul'"):
        resume(tmp_path, Mul(3), Mul(2, log=[]))


SCALE = 1


def scaled():
    return SCALE


def make_variants():
    """Passes with one name, by their difference."""

    def closure(value):
        return lambda mod, ctx: mod if value else None

    def default(mod, ctx, value=1):
        return mod

    def other_default(mod, ctx, value=2):
        return mod

    def keyword(mod, ctx, *, value=1):
        return mod

    def inner(mod, ctx):
        return (lambda: mod)()

    def other_inner(mod, ctx):
        return (lambda: mod or 1)()

    return [
        lambda mod, ctx: mod,
        lambda mod, ctx: (mod, 1)[0],
        lambda mod, ctx: (mod, 1.0)[0],
        lambda mod, ctx: (mod, True)[0],
        lambda mod, ctx: (mod, SCALE)[0],
        lambda mod, ctx: (mod, scaled())[0],
        *(closure(value) for value in (1, 2, "1", b"1", (1,), [1], {1: 2}, {1}, {"a", "b", "c"})),
        *(closure(value) for value in (float("nan"), 1 + 2j, Mul(3), Mul(4), numpy.arange(3))),
        *(closure(value) for value in (numpy.arange(4), make_module(), scaled, numpy.sum, Steps)),
        *(closure(value) for value in (relax.transform.FoldConstant(), numpy, tir.transform)),
        *(closure(get_pass("canonicalize", f"max-iterations={n}")) for n in (1, 2)),
        functools.partial(default, value=3),
        default,
        other_default,
        keyword,
        inner,
        other_inner,
    ]


def make_variant(index, kind=module_pass):
    return kind(make_variants()[index], opt_level=0, name="variant")


def test_what_tells_passes_apart():
    hashes = [describe_pass(function) for function in make_variants()]
    assert len(set(hashes)) == len(hashes)
    assert [describe_pass(function) for function in make_variants()] == hashes
    code = "import test_resume as t; print(*map(t.describe_pass, t.make_variants()))"
    for seed in "12":
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        folder = os.path.dirname(__file__)
        output = subprocess.check_output(
            [sys.executable, "-B", "-c", code], cwd=folder, text=True, env=environment
        )
        assert output.split() == hashes


USES = {
    "name": "import deep\ndef f():\n    return deep.f()",
    "member": "from deep import f as g\ndef f():\n    return g()",
    "package": "import deep.inner\ndef f():\n    return deep.inner.f()",
    "submodule": "from deep import inner\ndef f():\n    return inner.f()",
    "import": "def f():\n    import deep\n    return deep.f()",
    "from": "def f():\n    from deep import inner\n    return inner.f()",
    "dynamic": "import deep\ndef f():\n    return getattr(deep, 'f')()",
}


@pytest.mark.parametrize("use", USES)
def test_code_in_other_modules_that_has_changed(tmp_path, monkeypatch, use):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "__init__.py").write_text("from .inner import f\n")
    (tmp_path / "user.py").write_text(USES[use])
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    hashes = []
    for value in (1, 2, 1):
        (tmp_path / "deep" / "inner.py").write_text(f"def f():\n    return {value}")
        importlib.invalidate_caches()
        for name in ("user", "deep", "deep.inner"):
            sys.modules.pop(name, None)
        hashes.append(describe_pass(importlib.import_module("user").f))
    assert hashes[0] == hashes[2] != hashes[1]


def test_a_module_that_is_older_than_its_file(tmp_path, monkeypatch):
    (tmp_path / "old.py").write_text("def f():\n    return 1")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    importlib.invalidate_caches()
    old = importlib.import_module("old")
    (tmp_path / "old.py").write_text("def f():\n    return 2")
    hashes = [describe_pass(lambda: old)]
    importlib.reload(old)
    hashes.append(describe_pass(lambda: old))
    assert hashes[0] != hashes[1]


def test_a_global_that_has_changed(tmp_path, monkeypatch):
    made = [make_variant(index) for index in (4, 5)]
    checkpoint(tmp_path, *made)
    resume(tmp_path, *made)
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 2)
    with pytest.raises(PassError, match="is another 'variant'"):
        resume(tmp_path, *made)


@pytest.mark.parametrize("kind", ["function_pass", "dataflowblock_pass"])
def test_passes_on_functions(tmp_path, kind):
    def make(value):
        return getattr(relax.transform, kind)(
            lambda part, mod, ctx: part if value else None, opt_level=0, name="on_functions"
        )

    checkpoint(tmp_path, make(1))
    resume(tmp_path, make(1))
    with pytest.raises(PassError, match="is another 'on_functions'"):
        resume(tmp_path, make(2))


def test_a_pass_in_a_pass(tmp_path):
    def make(factor):
        return ApplyPassToFunction(Mul(factor), "main")

    checkpoint(tmp_path, make(2))
    resume(tmp_path, make(2))
    with pytest.raises(PassError, match="is another 'ApplyPassTomain'"):
        resume(tmp_path, make(3))


def test_what_can_not_be_known(tmp_path):
    lock = threading.Lock()

    def make(version=None):
        def body(mod, ctx):
            with lock:
                return mod

        return make_pass("locks", body=body, version=version)

    checkpoint(tmp_path, make())
    with pytest.raises(PassError, match="lock of body is a lock, .*module_pass.*version='1'"):
        resume(tmp_path, make())
    checkpoint(tmp_path, make("1"))
    resume(tmp_path, make("1"))
    for other in ("2", None):
        with pytest.raises(PassError, match="'locks', but found"):
            resume(tmp_path, make(other))

    # Versions of passes that have not run yet need not be known.
    with PassContext(instruments=[instrument.Checkpoint(tmp_path)]):
        Sequential([Mul(2)])(make_module())
    assert Sequential([Mul(2)])(make_module(), resume_from=tmp_path)


def test_versions():
    @module_pass(opt_level=0, version=lambda self: f"scale {self.scale}")
    class Versioned:
        def __init__(self, scale):
            self.scale = scale

        def transform_module(self, mod, ctx):
            return mod

    assert Versioned(3)._function[1] == "scale 3"
    with pytest.raises(TypeError, match="the version of a pass to be a str, but found int"):
        module_pass(lambda mod, ctx: mod, opt_level=0, version=3)
