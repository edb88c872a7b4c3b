# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes that are not run again."""

import pickle

import partita
import pytest
from partita import instrument, mlir, relax, transform

TEXT = """
partita.module {
  relax.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.exp %x : tensor<4xf32>
    %1 = relax.exp %x : tensor<4xf32>
    %2 = relax.add %0, %1 : tensor<4xf32>
    relax.return %2 : tensor<4xf32>
  }
  relax.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
    relax.return %x : tensor<4xf32>
  }
}
"""
CSE = relax.transform.EliminateCommonSubexpr()
DCE = relax.transform.DeadCodeElimination()


@transform.module_pass(opt_level=0, always_runs=False)
def look_at_module(mod, ctx):
    return mod


def run(passes, **config):
    """The result, and for each step on how many ops it ran and was skipped."""
    timing = instrument.PassTimingInstrument()
    config = {f"partita.{key}": value for key, value in config.items()}
    with transform.PassContext(config=config, instruments=[timing]):
        mod = transform.Sequential(passes)(partita.IRModule.from_text(TEXT))
        steps = timing.records[0]["passes"]
    return mod, [(step["runs"], step["unchanged"]) for step in steps]


def test_what_is_unchanged_is_skipped():
    plain, _ = run([CSE] * 3)
    skipped, steps = run([CSE] * 3, skip_unchanged=True)
    assert steps == [(2, 0), (1, 1), (0, 2)]
    assert str(skipped) == str(plain)


def test_a_run_knows_nothing_of_the_one_before():
    passes = transform.Sequential([CSE, CSE])
    timing = instrument.PassTimingInstrument()
    context = transform.PassContext(config={"partita.skip_unchanged": True}, instruments=[timing])
    with context:
        mod = passes(passes(partita.IRModule.from_text(TEXT)))
        first, second = ([step["runs"] for step in one["passes"]] for one in timing.records)
    assert first == [2, 1] and second == [2, 0] and "relax.exp" in str(mod)


def test_passes_in_python_run():
    seen = []

    @transform.module_pass(opt_level=0)
    def look(mod, ctx):
        seen.append(len(mod.functions))
        return mod

    @relax.transform.function_pass(opt_level=0)
    def change(func, mod, ctx):
        seen.append("function")
        return func

    run([CSE, look, CSE, look, change, CSE, change], skip_unchanged=True)
    assert seen == [2, 2] + ["function"] * 4


def make_look(seen, looks=True, **options):
    @transform.module_pass(opt_level=0, name="look", **options)
    def look(mod, ctx):
        seen.append(ctx.config.get("partita.pass_cache_size"))
        assert not looks or str(mod)
        return mod

    return look


@pytest.mark.parametrize("looks", (False, True))
def test_a_pass_in_python_that_may_be_skipped(looks):
    seen = []
    look = make_look(seen, looks, always_runs=False)
    skipped, steps = run([look, CSE, look, DCE, look, look], skip_unchanged=True)
    # CSE changes the module.
    assert steps == [(1, 0), (2, 0), (1, 0), (1, 0), (0, 1), (0, 1)] and len(seen) == 2
    seen.clear()
    plain, steps = run([look, CSE, look, DCE, look, look])
    assert [ran for ran, _ in steps] == [1, 2, 1, 1, 1, 1] and len(seen) == 4
    assert str(skipped) == str(plain)


def test_a_function_pass_in_python_that_may_be_skipped():
    seen = []

    @relax.transform.function_pass(opt_level=0, always_runs=False)
    class Rename:
        def __init__(self, name):
            self.name = name

        def transform_function(self, func, mod, ctx):
            seen.append(self.name)
            return func if func.attrs.get(self.name) else func.with_attr(self.name, 1)

    # Equal objects are different passes.
    a, b = Rename("a"), Rename("a")
    mod, steps = run([a, a, a, b, b], skip_unchanged=True)
    assert steps == [(1, 0), (1, 0), (0, 1), (1, 0), (0, 1)] and len(seen) == 6
    assert str(mod) == str(run([a, a, a, b, b])[0])


def test_another_pass_in_python_of_the_same_name_runs():
    first, second = [], []
    passes = [make_look(first, always_runs=False), make_look(second, always_runs=False)]
    run(passes * 3, skip_unchanged=True)
    assert len(first) == 1 and len(second) == 1
    canonicalize = transform.module_pass(
        lambda mod, ctx: (first.append(None), mod)[1], 0, name="canonicalize", always_runs=False
    )
    run([transform.get_pass("canonicalize"), canonicalize] * 2, skip_unchanged=True)
    assert len(first) == 2


def test_a_pass_in_python_that_reads_the_context_runs_under_another():
    seen = []
    look = make_look(seen, always_runs=False)
    for size in (1, 2):
        run([look, look], skip_unchanged=True, pass_cache_size=size)

    @transform.module_pass(opt_level=0, always_runs=False)
    def inner(mod, ctx):
        with transform.PassContext(config={**ctx.config, "partita.pass_cache_size": 3}):
            transform.Sequential([look, look])(mod)
        return mod

    run([look, inner, look, inner], skip_unchanged=True, pass_cache_size=4)
    assert seen == [1, 2, 4, 3]


def test_a_registered_pass_in_python_may_be_skipped_in_text():
    seen = []
    transform.register_pass(make_look(seen, always_runs=False))
    run(
        [transform.parse_pipeline("partita.module(look,relax-dead-code-elimination,look)")] * 2,
        skip_unchanged=True,
    )
    assert len(seen) == 1


def test_a_pass_in_python_that_fails_or_has_effects_runs_again(tmp_path):
    seen = []
    for always_runs, count in ((True, 4), (None, 4), (False, 1)):
        seen.clear()
        run([make_look(seen, always_runs=always_runs)] * 4, skip_unchanged=True)
        assert len(seen) == count
    for always_runs, count in ((True, 2), (None, 1), (False, 1)):
        seen.clear()
        look = make_look(seen, always_runs=always_runs, version=f"{always_runs}")
        with transform.PassContext(config={"partita.pass_cache": str(tmp_path)}):
            for _ in range(2):
                look(partita.IRModule.from_text(TEXT))
        assert len(seen) == count
    with pytest.raises(TypeError, match="always_runs of a pass to be a bool, but found int"):
        make_look(seen, always_runs=1)


def test_plans_mark_passes_in_python_that_may_be_skipped():
    may, must = make_look([], always_runs=False), make_look([])
    passes = transform.Sequential([may, must, CSE, may, must, CSE])
    context = transform.PassContext(config={"partita.skip_unchanged": True})
    lines = str(transform.plan(passes, context)).splitlines()[2:]
    assert [line.partition(", skipped ")[2] for line in lines] == [
        "",
        "",
        "",
        "where unchanged since step 1",
        "",
        "where unchanged since step 3",
    ]
    assert "unchanged" not in str(transform.plan(passes))


def test_copies_of_passes_in_python_may_be_skipped():
    copy = pickle.loads(pickle.dumps(look_at_module))
    assert copy is look_at_module
    cloudpickle = pytest.importorskip("cloudpickle")
    copy = cloudpickle.loads(cloudpickle.dumps(make_look([], always_runs=False)))
    assert run([copy] * 3, skip_unchanged=True)[1] == [(1, 0), (0, 1), (0, 1)]


@pytest.mark.parametrize("key", ["skip_unchanged", "nest_in_functions", "pass_cache"])
def test_a_pass_in_python_with_the_name_of_a_local_pass(key, tmp_path):
    seen = []

    @transform.module_pass(opt_level=0, name="canonicalize", version="1")
    def look(mod, ctx):
        seen.append(str(mod))
        return mod

    @transform.module_pass(opt_level=0, name="cse")
    def look_again(mod, ctx):
        seen.append(str(mod))
        return mod

    for _ in range(3):
        config = {key: str(tmp_path) if key == "pass_cache" else True}
        run([transform.get_pass("canonicalize"), look, look_again, look, look_again], **config)
    assert set(seen) == {str(partita.IRModule.from_text(TEXT))} and len(seen) >= 6


@instrument.pass_instrument
class Scopes:
    """Looks at no module."""

    def enter_pass_ctx(self):
        pass


@pytest.mark.parametrize("instruments", ([], [Scopes()]))
def test_modules_that_passes_in_python_return_are_kept(tmp_path, instruments):
    runs = []

    @transform.module_pass(opt_level=0, name="replace", version="1")
    def replace(mod, ctx):
        runs.append(mod)
        text = str(mod).replace("relax.exp", "relax.sin")
        return partita.IRModule.from_text(text, mod.operation.context)

    texts = [TEXT, TEXT.replace("4xf32", "8xf32")] * 2
    config = {"partita.pass_cache": str(tmp_path)}
    with transform.PassContext(config=config, instruments=instruments):
        results = [replace(partita.IRModule.from_text(text)) for text in texts]
    for text, result in zip(texts, results):
        assert str(result) == str(partita.IRModule.from_text(text.replace("exp", "sin")))
    assert len(runs) == 2


def test_a_pass_in_python_that_changes_a_function():
    @relax.transform.function_pass(opt_level=0)
    def change(func, mod, ctx):
        if func.attrs.get("done"):
            return func
        return func.with_attr("done", True)

    _, steps = run([CSE, CSE, change, CSE, CSE], skip_unchanged=True)
    assert steps[1] == (1, 1) and steps[3] == (2, 0) and steps[4] == (0, 2)


GLOBALS = """
partita.module {
  memref.global "private" @g : memref<1xi32> = dense<1>
  func.func @f() -> i32 {
    %0 = memref.get_global @g : memref<1xi32>
    %1 = affine.load %0[0] : memref<1xi32>
    return %1 : i32
  }
}
"""


@transform.module_pass(opt_level=0)
def make_constant(mod, ctx):
    op = mod.operation.regions[0].blocks[0].operations[0]
    op.attributes["constant"] = mlir.ir.UnitAttr.get(mod.operation.context)
    return mod


@pytest.mark.parametrize("pipeline", ["canonicalize", "func.func(canonicalize)"])
def test_a_pass_that_changes_a_global(pipeline):
    canonicalize = transform.parse_pipeline(f"partita.module({pipeline})")
    passes = transform.Sequential([canonicalize, canonicalize, make_constant, canonicalize])
    with transform.PassContext(config={"partita.skip_unchanged": True}):
        mod = passes(partita.IRModule.from_text(GLOBALS))
    assert "arith.constant 1 : i32" in str(mod)


def test_observing_changes_nothing():
    seen = []

    @instrument.pass_instrument
    class Look:
        def run_after_pass(self, mod, info):
            seen.append(info.name)

    timing = instrument.PassTimingInstrument()
    config = {"partita.skip_unchanged": True}
    with transform.PassContext(config=config, instruments=[Look(), timing]):
        transform.Sequential([CSE, CSE, CSE])(partita.IRModule.from_text(TEXT))
        steps = timing.records[0]["passes"]
    assert [(s["runs"], s["unchanged"]) for s in steps] == [(2, 0), (1, 1), (0, 2)]
    assert seen[:3] == ["EliminateCommonSubexpr"] * 3


@pytest.mark.parametrize("key", ["skip_unchanged", "nest_in_functions"])
def test_the_keys_are_bools(key):
    with pytest.raises(AttributeError, match=f"partita.{key}"):
        transform.PassContext(config={f"partita.{key}": "yes"})
    with transform.PassContext(config={f"partita.{key}": True}):
        assert "relax.exp" in str(DCE(partita.IRModule.from_text(TEXT)))


def test_waste():
    waste = instrument.Waste(print=False)
    with transform.PassContext(instruments=[waste]):
        transform.Sequential([CSE, CSE, CSE, DCE])(partita.IRModule.from_text(TEXT))
        cse, dce = sorted(waste.records, key=lambda record: -record["runs"])
    assert (cse["runs"], cse["unchanged"], cse["steps"]) == (6, 5, [1, 2, 3])
    assert 0 < cse["skippable"] < cse["wasted"] < cse["time"]
    assert dce["runs"] == 1 and dce["skippable"] == 0


def test_waste_in_runs_inside_a_pass():
    @transform.module_pass(opt_level=0)
    def inner(mod, ctx):
        return transform.Sequential([CSE, CSE])(mod)

    waste = instrument.Waste(print=False)
    with transform.PassContext(instruments=[waste]):
        for _ in range(3):
            transform.Sequential([inner, DCE, inner])(partita.IRModule.from_text(TEXT))
        runs = [(record["pass"], record["runs"]) for record in waste.records]
    # Each run has its own records; a run that is inside another ends before it.
    inside, outer = [("EliminateCommonSubexpr", 4)], [("inner", 1), ("DeadCodeElimination", 1)]
    # All Sequentials are made anew, and each but the first of its passes says so.
    anew = [("sequential", 0)]
    last = outer + [("inner", 1)]
    assert runs == inside + (inside + anew) + last + (2 * (inside + anew) + last + anew) * 2


def make_sequential():
    return transform.Sequential([CSE, CSE], name="twice")


def find_anew(waste):
    return [(r["pass"], r["made_anew"]) for r in waste.records if r["set_up"]]


def test_pipelines_that_are_made_anew():
    waste = instrument.Waste(print=False)
    mod, same = partita.IRModule.from_text(TEXT), make_sequential()
    with transform.PassContext(instruments=[waste]):
        for _ in range(3):
            same(mod)
        assert find_anew(waste) == []
        for _ in range(2):
            make_sequential()(mod)
        transform.Sequential([CSE, DCE])(mod)
        assert find_anew(waste) == [("twice", "sequential")] * 2
        assert "making passes anew for 2 runs, since earlier ones were made for" in waste.render()
    with transform.PassContext(instruments=[waste]):
        same(mod)
        assert find_anew(waste) == []
        with mlir.ir.Context():
            other = partita.IRModule.from_text(TEXT, mlir.ir.Context.current)
        same(other)
        assert find_anew(waste) == [("twice", "context")]
    others = [transform.Sequential([CSE] * n) for n in range(3, 68)]
    with transform.PassContext(instruments=[waste]):
        for each in (same, *others, same):
            each(mod)
        assert find_anew(waste) == [("twice", "not_kept")]
