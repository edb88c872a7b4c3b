# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of "Which passes run"."""

import warnings

import pytest
from pass_support import Recorder, make_module, make_pass

from partita import IRModule, transform
from partita.transform import PassContext, PassInfo, Sequential


def run(passes, **context):
    """The names of the passes that ran."""
    log = []
    passes = [make_pass(p, log) if isinstance(p, str) else p(log) for p in passes]
    with PassContext(**context):
        Sequential(passes)(make_module())
    return log


def at(level, name="p"):
    return lambda log: make_pass(name, log, level)


@pytest.mark.parametrize("pass_level", range(4))
@pytest.mark.parametrize("level", range(4))
def test_levels(level, pass_level):
    assert run([at(pass_level)], opt_level=level) == (["p"] if level >= pass_level else [])


@pytest.mark.parametrize("required", [[], ["p"]])
@pytest.mark.parametrize("disabled", [[], ["p"]])
@pytest.mark.parametrize("pass_level", [1, 2, 3])
def test_enabled(required, disabled, pass_level):
    expected = not disabled and (bool(required) or pass_level <= 2)
    context = {"required_pass": required, "disabled_pass": disabled}
    assert run([at(pass_level)], **context) == (["p"] if expected else [])
    info = PassInfo(pass_level, "p")
    assert PassContext(**context).pass_enabled(info) == expected


def test_a_pass_that_is_called_ignores_levels_and_disabled_pass():
    log = []
    with PassContext(opt_level=0, disabled_pass=["p"]):
        make_pass("p", log, opt_level=3)(make_module())
    assert log == ["p"]


def test_a_pass_that_is_called_obeys_should_run():
    log = []
    with PassContext(instruments=[Recorder("A", log, should=lambda mod, info: False)]):
        make_pass("p", log)(make_module())
    assert log == ["A.enter", "A.should p", "A.exit"]


def test_a_sequential_that_is_called_ignores_its_own_level():
    log = []
    with PassContext(opt_level=0, disabled_pass=["s"]):
        Sequential([make_pass("p", log)], opt_level=3, name="s")(make_module())
    assert log == ["p"]


def test_names_are_exact():
    with pytest.warns(transform.PassWarning):
        assert run(["pass"], disabled_pass=["Pass", "pas"]) == ["pass"]


@pytest.mark.parametrize(
    "name",
    [
        "FoldConstant",
        "relax.transform.FoldConstant",
        "relay._transform.FoldConstant",
        "relax-fold-constant",
    ],
)
def test_every_name_of_a_pass_names_it(name):
    fold = transform.get_pass(name)
    assert fold.info.name == "FoldConstant"
    seq = Sequential([fold])
    runs = [entry.runs for entry in transform.plan(seq, PassContext(disabled_pass=[name]))]
    assert runs == [True, False]


def test_a_disabled_nested_sequential_is_skipped_whole():
    log = []
    inner = Sequential([make_pass("p", log)], name="inner")
    with PassContext(disabled_pass=["inner"], instruments=[Recorder("A", log)]):
        Sequential([inner, make_pass("q", log)], name="outer")(make_module())
    assert "p" not in log and "q" in log
    assert not [entry for entry in log if "inner" in entry]


def test_a_nested_sequential_has_a_level():
    log = []
    inner = Sequential([make_pass("p", log)], name="inner", opt_level=3)
    seq = Sequential([inner])
    seq(make_module())
    assert log == []
    with PassContext(opt_level=3):
        seq(make_module())
    assert log == ["p"]


@pytest.fixture
def chain():
    """c requires b, which requires a; all are registered."""
    log = []
    transform.register_pass(make_pass("chain_a", log))
    transform.register_pass(make_pass("chain_b", log, required=["chain_a"]))
    return log, make_pass("chain_c", log, required=["chain_b"])


def test_required_passes_run_before_their_owner_transitively(chain):
    log, c = chain
    Sequential([c])(make_module())
    assert log == ["chain_a", "chain_b", "chain_c"]


def test_required_passes_are_not_deduplicated(chain):
    log, c = chain
    Sequential([c, c])(make_module())
    assert log == ["chain_a", "chain_b", "chain_c"] * 2


def test_required_passes_that_have_just_run_can_be_reused():
    log = []
    needed = transform.register_pass(make_pass("reused", log))

    def owner(reuse):
        @transform.module_pass(opt_level=0, name="owner", required=["reused"], reuse_required=reuse)
        def run(mod, ctx):
            log.append("owner")
            return mod

        return run

    info = owner(True).info
    assert info == PassInfo(0, "owner", ["reused"], True) != owner(False).info
    assert repr(info).endswith("required=['reused'], reuse_required=True)")
    assert "reuse_required" not in repr(owner(False).info)
    for member in (
        owner(True),
        Sequential([owner(True)], required=["reused"], reuse_required=True),
    ):
        log.clear()
        Sequential([needed, member])(make_module())
        assert log.count("reused") == (2 if member.is_sequential else 1)
    plan = transform.plan(Sequential([needed, owner(True)]))
    assert [(e.runs, e.reason) for e in plan][2] == (False, "requirement_met")
    log.clear()
    Sequential([needed, owner(False)])(make_module())
    Sequential([needed, make_pass("between", log), owner(True)])(make_module())
    assert log == ["reused", "reused", "owner", "reused", "between", "reused", "owner"]
    with pytest.raises(TypeError, match="reuse_required to be a bool, but found str"):
        transform.module_pass(lambda mod, ctx: mod, opt_level=0, reuse_required="yes")


def test_required_passes_run_only_in_a_sequential(chain):
    log, c = chain
    c(make_module())
    assert log == ["chain_c"]


def test_required_passes_ignore_level_and_disabled_pass():
    log = []
    transform.register_pass(make_pass("high", log, opt_level=3))
    seq = Sequential([make_pass("owner", log, required=["high"])])
    ctx = PassContext(opt_level=0, disabled_pass=["high"])
    with ctx:
        seq(make_module())
    assert log == ["high", "owner"]
    plan = transform.plan(seq, ctx)
    assert [entry.reason for entry in plan] == ["direct", "required_by", "opt_level"]
    assert "required by 'owner', although named in disabled_pass" in str(plan)


def test_required_passes_obey_should_run(chain):
    log, c = chain
    recorder = Recorder("A", [], should=lambda mod, info: info.name != "chain_b")
    with PassContext(instruments=[recorder]):
        Sequential([c])(make_module())
    assert log == ["chain_a", "chain_c"]


def test_an_owner_that_does_not_run_requires_nothing(chain):
    log, c = chain
    with PassContext(disabled_pass=["chain_c"]):
        Sequential([c])(make_module())
    assert log == []


def test_a_cycle_is_an_error_before_anything_has_run():
    log = []
    transform.register_pass(make_pass("cycle_a", log, required=["cycle_b"]))
    b = transform.register_pass(make_pass("cycle_b", log, required=["cycle_a"]))
    seq = Sequential([make_pass("first", log), b])
    with pytest.raises(transform.PassError, match="'cycle_b' -> 'cycle_a' -> 'cycle_b'"):
        seq(make_module())
    with pytest.raises(ValueError, match="'cycle_b' -> 'cycle_a' -> 'cycle_b'"):
        transform.plan(seq)
    assert log == []


def test_an_unknown_required_pass_is_an_error_before_anything_has_run():
    log = []
    seq = Sequential([make_pass("first", log), make_pass("p", log, required=["FoldCnstant"])])
    with pytest.raises(transform.PassError, match="'FoldCnstant'.*FoldConstant"):
        seq(make_module())
    assert log == []


def test_a_sequential_can_require():
    log = []
    transform.register_pass(make_pass("before_all", log))
    inner = Sequential([make_pass("p", log)], name="inner", required=["before_all"])
    Sequential([inner])(make_module())
    assert log == ["before_all", "p"]


def test_registered_passes_have_names():
    log = []
    made = transform.register_pass(make_pass("by-name", log, opt_level=1))
    assert transform.get_pass("by-name") == made
    assert transform.get_pass("by-name").info == PassInfo(1, "by-name", [])
    transform.get_pass("by-name")(make_module())
    assert log == ["by-name"]
    assert transform.list_passes()["by-name"]["info"].opt_level == 1


def test_registering_a_name_again_replaces_the_pass():
    log = []
    transform.register_pass(make_pass("twice", None))
    transform.register_pass(make_pass("twice", log))
    transform.get_pass("twice")(make_module())
    assert log == ["twice"]


@pytest.mark.parametrize("name", ["FoldCnstant", "", "no such pass", "a\0b"])
def test_get_pass_of_no_pass(name):
    with pytest.raises(ValueError, match="expected a registered pass"):
        transform.get_pass(name)


@pytest.mark.parametrize(
    "name, of_tvm",
    [
        ("DecomposeOpsForInference", "DecomposeOps"),
        ("BindSymbolicVars", "relax.BindSymbolicVars"),
        ("tir.UnrollLoop", "tirx.UnrollLoop"),
        ("FoldConstant", "relax.FoldConstant"),
    ],
)
def test_what_the_pass_infos_of_tvm_call_passes(name, of_tvm):
    passes = Sequential([make_pass(name, opt_level=3)])
    required = transform.plan(passes, PassContext(required_pass=[of_tvm]))
    assert [entry.runs for entry in required] == [True, True]
    disabled = transform.plan(passes, PassContext(opt_level=3, disabled_pass=[of_tvm]))
    assert [entry.runs for entry in disabled] == [True, False]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with PassContext(disabled_pass=[of_tvm]):
            passes(make_module())


@pytest.mark.parametrize("name", ["", "\ud800"])
def test_a_name_that_no_pass_can_have(name):
    with pytest.raises(ValueError, match="expected the name of a pass"):
        transform.register_pass(Sequential([], name=name))


@pytest.mark.parametrize("name", ["a b", "(", "a,b", "x{y=1}", "\0", "caf\u00e9", "n" * 10000])
def test_odd_names(name):
    noop = transform.register_pass(make_pass(name))
    assert transform.get_pass(name) is noop and noop.info.name == name
    nested = transform.register_pass(Sequential([noop], name="all " + name, required=[name]))
    with PassContext(required_pass=[name], disabled_pass=["all " + name]):
        nested(make_module())
        Sequential([nested])(make_module())


def test_missing_passes_of_mlir():
    """The message names the registered groups of MLIR's passes."""
    with pytest.raises(ValueError, match="expected a registered pass") as caught:
        transform.get_pass("sparsification")
    groups = str(caught.value).partition("passes for ")[2].partition(" are registered here")[0]
    examples = {
        "Transforms": "canonicalize",
        "affine": "affine-loop-fusion",
        "arith": "arith-expand",
        "func": "duplicate-function-elimination",
        "linalg": "convert-linalg-to-loops",
        "memref": "fold-memref-alias-ops",
        "scf": "scf-for-loop-peeling",
    }
    assert groups.split(", ") == list(examples)
    for example in examples.values():
        assert transform.get_pass(example).info.name == example


def test_textual_pipelines():
    text = "partita.module(relax-fold-constant,sequential{passes=partita.module(cse) opt-level=3})"
    seq = transform.parse_pipeline(text, opt_level=1, name="text")
    assert seq.is_sequential
    assert seq.info == PassInfo(1, "text", [])
    plan = transform.plan(seq)
    assert [entry.info.name for entry in plan][:2] == ["text", "FoldConstant"]
    assert [entry.runs for entry in plan][:3] == [True, True, False]
    for text in ["no-such-pass", "partita.module(", "partita.module(no-such-pass)", "\0", ""]:
        with pytest.raises(ValueError, match="expected a textual pipeline"):
            transform.parse_pipeline(text)


def test_registered_passes_in_textual_pipelines():
    log = []
    for _ in range(2):
        transform.register_pass(make_pass("in-text", log, opt_level=1))
    text = "partita.module(cse,in-text,sequential{passes=partita.module(in-text)})"
    seq = transform.parse_pipeline(text)
    seq(make_module())
    assert log == ["in-text"] * 2
    assert transform.plan(seq).entries[2].info == PassInfo(1, "in-text", [])
    with pytest.raises(ValueError, match="expected no options for pass 'in-text'"):
        transform.parse_pipeline("partita.module(in-text{x=1})")
    transform.register_pass(Sequential([], name="in-text"))
    with pytest.raises(ValueError, match="'in-text' to be no Sequential"):
        transform.parse_pipeline("partita.module(in-text)")
    transform.register_pass(Sequential([], name="only-sequential"))
    assert transform.get_pass("only-sequential").is_sequential


def test_skip_optimization():
    mod = IRModule.from_text(
        """partita.module @m {
          relax.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
            %0 = relax.exp %x : tensor<4xf32>
            %1 = relax.exp %x : tensor<4xf32>
            %2 = relax.add %0, %1 : tensor<4xf32>
            relax.return %2 : tensor<4xf32>
          }
        }"""
    )
    mod["main"] = mod["other"].with_attr("SkipOptimization", 1)
    new = Sequential([transform.get_pass("EliminateCommonSubexpr")])(mod)
    assert str(new["main"]).count("relax.exp") == 2
    assert str(new["other"]).count("relax.exp") == 1


def test_plans_say_why():
    seq = Sequential([make_pass("p", opt_level=1), make_pass("q", opt_level=3), make_pass("r")])
    plan = transform.plan(seq, PassContext(disabled_pass=["r"]))
    assert [(e.info.name, e.depth, e.runs, e.reason) for e in plan] == [
        ("sequential", 0, True, "direct"),
        ("p", 1, True, "opt_level"),
        ("q", 1, False, "opt_level_too_high"),
        ("r", 1, False, "disabled_pass"),
    ]
    assert len(plan) == 4
    assert "skipped: named in disabled_pass" in repr(plan)
    forced = transform.plan(seq, PassContext(required_pass=["q"]))
    assert [e.reason for e in forced][2] == "required_pass"
    with PassContext(opt_level=0):
        assert [e.runs for e in transform.plan(seq)] == [True, False, False, True]
