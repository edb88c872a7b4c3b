# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of "PassContext"."""

import gc

import pytest
from pass_support import Recorder, make_module, make_pass, run_threads

from partita import IRModule, PassError, PassWarning, s_tir, tirx
from partita.transform import PassContext, PassInfo, Sequential


def test_fields_and_defaults():
    ctx = PassContext()
    assert ctx.opt_level == 2
    assert list(ctx.required_pass) == []
    assert list(ctx.disabled_pass) == []
    assert dict(ctx.config) == {}
    assert list(ctx.instruments) == []
    assert ctx.diagnostics == []


def test_fields_are_what_was_given():
    recorder = Recorder("A", [])
    ctx = PassContext(3, ["a"], ("b", "c"), [recorder], {"tir.UnrollLoop": {"auto_max_step": 7}})
    assert ctx.opt_level == 3
    assert ctx.required_pass == ["a"]
    assert ctx.disabled_pass == ["b", "c"]
    assert ctx.instruments == [recorder]
    assert ctx.instruments[0] is recorder
    assert ctx.config["tir.UnrollLoop"]["auto_max_step"] == 7
    assert "opt_level=3" in repr(ctx)


def test_scopes_replace_each_other_whole():
    with PassContext(opt_level=3, disabled_pass=["a"]) as outer:
        assert PassContext.current() is outer
        with PassContext(opt_level=1) as inner:
            assert PassContext.current() is inner
            assert PassContext.current().disabled_pass == []
        assert PassContext.current() is outer
    assert PassContext.current().opt_level == 2


def test_a_context_can_be_entered_again_and_in_itself():
    ctx = PassContext(opt_level=1)
    for _ in range(2):
        with ctx:
            with ctx:
                assert PassContext.current() is ctx
            assert PassContext.current() is ctx
    assert PassContext.current() is not ctx


def test_current_is_the_same_object_inside_passes_and_callbacks():
    seen = []
    recorder = Recorder("A", [], before=lambda mod, info: seen.append(PassContext.current()))
    p = make_pass("p", body=lambda mod, ctx: seen.extend([ctx, PassContext.current()]) or mod)
    with PassContext(instruments=[recorder]) as ctx:
        p(make_module())
    assert len(seen) == 3
    assert all(c is ctx for c in seen)


def test_a_context_that_nobody_holds_stays_current():
    recorder = Recorder("A", [])
    PassContext(opt_level=3, instruments=[recorder]).__enter__()
    ctx = PassContext.current()
    assert type(ctx) is PassContext
    assert ctx.instruments == [recorder]
    ctx.__exit__(None, None, None)
    assert recorder.log == ["A.enter", "A.exit"]


def test_scopes_are_per_thread():
    levels = []
    with PassContext(opt_level=3):
        run_threads(1, lambda index: levels.append(PassContext.current().opt_level))
    assert levels == [2]


def test_a_run_has_the_context_of_its_start():
    inner = PassContext(opt_level=1)

    def enter(mod, ctx):
        inner.__enter__()
        return mod

    seen = []
    p = make_pass("p", body=lambda mod, ctx: seen.append(ctx) or mod)
    with PassContext(opt_level=3) as outer:
        Sequential([make_pass("enter", body=enter), p])(make_module())
        # A scope that a pass has entered and not left ends with it.
        assert PassContext.current() is outer
    assert seen == [outer]


def test_leaving_in_the_wrong_order():
    outer, inner = PassContext(opt_level=1), PassContext(opt_level=3)
    outer.__enter__()
    inner.__enter__()
    with pytest.raises(RuntimeError, match="another was entered after this one"):
        outer.__exit__(None, None, None)
    assert PassContext.current() is inner
    inner.__exit__(None, None, None)
    assert PassContext.current() is outer
    outer.__exit__(None, None, None)
    with pytest.raises(RuntimeError, match="this thread is in none"):
        outer.__exit__(None, None, None)


def test_leaving_on_the_wrong_thread():
    ctx = PassContext(opt_level=1)

    def leave(index):
        with pytest.raises(RuntimeError, match="this thread is in none"):
            ctx.__exit__(None, None, None)

    with ctx:
        run_threads(1, leave)
        assert PassContext.current() is ctx


def test_leaving_inside_a_pass():
    def leave(mod, ctx):
        ctx.__exit__(None, None, None)
        return mod

    with PassContext() as ctx:
        with pytest.raises(RuntimeError, match="inside a pass"):
            make_pass("leave", body=leave)(make_module())
        assert PassContext.current() is ctx


@pytest.mark.parametrize("level", ["2", 2.5, None, [2]])
def test_opt_level_type(level):
    with pytest.raises(TypeError, match="expected opt_level to be an int"):
        PassContext(opt_level=level)


@pytest.mark.parametrize("level", [-1, 2**31, -(2**40)])
def test_opt_level_range(level):
    with pytest.raises(ValueError, match="opt_level"):
        PassContext(opt_level=level)


@pytest.mark.parametrize("field", ["required_pass", "disabled_pass"])
def test_a_string_is_no_list_of_names(field):
    with pytest.raises(TypeError, match=rf"expected {field} to be a list .* write \['abc'\]"):
        PassContext(**{field: "abc"})
    with pytest.raises(TypeError, match=f"expected {field} to be a list of str"):
        PassContext(**{field: [1]})


@pytest.mark.parametrize("field", ["required_pass", "disabled_pass"])
def test_a_name_that_fits_no_pass_is_a_warning_once_a_run(field):
    seq = Sequential([make_pass("p"), make_pass("q"), Sequential([make_pass("r")])])
    with PassContext(**{field: ["FoldConstnt", "p"]}) as ctx:
        for _ in range(2):
            with pytest.warns(PassWarning) as warnings:
                seq(make_module())
            assert len(warnings) == 1
            assert f"names in {field}" in str(warnings[0].message)
            assert "'FoldConstnt'" in str(warnings[0].message)
            assert "FoldConstant" in str(warnings[0].message)
            assert warnings[0].filename == __file__
        assert [d.severity for d in ctx.diagnostics] == ["warning", "warning"]


@pytest.mark.filterwarnings("error::partita.PassWarning")
def test_a_warning_can_be_made_an_error():
    with PassContext(disabled_pass=["FoldConstnt"]):
        with pytest.raises(PassWarning):
            make_pass("p")(make_module())


@pytest.mark.filterwarnings("error::partita.PassWarning")
def test_names_of_the_run_are_no_warning():
    with PassContext(disabled_pass=["p", "FoldConstant", "relax-fold-constant"]):
        Sequential([make_pass("p")])(make_module())


def test_unknown_config_key():
    with pytest.raises(AttributeError, match="did you mean 'tir.UnrollLoop'.* lists all"):
        PassContext(config={"tir.UnrolLoop": {}})


@pytest.mark.parametrize("value, found", [(3, "int"), ("x", "str"), ([], "list"), (True, "bool")])
def test_config_value_of_a_wrong_type(value, found):
    text = f"expected config 'tir.UnrollLoop' to have type UnrollLoopConfig, but found {found}"
    with pytest.raises(AttributeError, match=text):
        PassContext(config={"tir.UnrollLoop": value})


def test_config_field_that_is_not_there():
    text = "UnrollLoopConfig to have the fields .* found 'auto_max_stp' .did you mean"
    with pytest.raises(TypeError, match=text):
        PassContext(config={"tirx.UnrollLoop": {"auto_max_stp": 1}})
    with pytest.raises(AttributeError, match="auto_max_step' to have type int, but found string"):
        PassContext(config={"tir.UnrollLoop": {"auto_max_step": "1"}})
    with pytest.raises(AttributeError, match="'tir.UnrolLoop'"):
        PassContext(config={"tir.UnrolLoop": {}, "tir.UnrollLoop": {"step": 1}})


@pytest.mark.parametrize("value", [None, object()])
def test_config_value_none(value):
    with pytest.raises(AttributeError, match="tir.UnrollLoop"):
        PassContext(config={"tir.UnrollLoop": value})


@pytest.mark.parametrize(
    "fields, text",
    [
        ({"auto_max_step": "x"}, "UnrollLoop.auto_max_step' to have type int, but found str"),
        (
            {"explicit_unroll": 1.0},
            "UnrollLoop.explicit_unroll' to have type bool, but found float",
        ),
    ],
)
def test_struct_config_from_a_dict(fields, text):
    with pytest.raises(AttributeError, match=text):
        PassContext(config={"tir.UnrollLoop": fields})


@pytest.mark.parametrize("value, is_true, number", [(2, True, 2), (0, False, 0), (True, True, 1)])
def test_config_takes_a_number_for_a_bool(value, is_true, number):
    fields = {"explicit_unroll": value, "auto_max_step": value}
    found = PassContext(config={"tir.UnrollLoop": fields}).config["tir.UnrollLoop"]
    assert found["explicit_unroll"] is is_true
    assert found["auto_max_step"] == number
    assert type(found["auto_max_step"]) is int


def test_config_keys_and_values_that_are_no_config():
    with pytest.raises(TypeError, match="keys of config"):
        PassContext(config={1: 2})
    with pytest.raises(TypeError, match="config to be a dict"):
        PassContext(config=[1])
    with pytest.raises(TypeError, match="named by str"):
        PassContext(config={"tir.UnrollLoop": {1: 2}})
    with pytest.raises(OverflowError):
        PassContext(config={"tir.UnrollLoop": {"auto_max_step": 2**70}})
    endless = []
    endless.append(endless)
    with pytest.raises(RecursionError):
        PassContext(config={"tir.UnrollLoop": {"auto_max_step": endless}})


def test_list_configs():
    configs = PassContext.list_configs()
    assert "tir.UnrollLoop" in configs
    for fields in configs.values():
        assert set(fields) == {"type", "default", "description"}
        assert fields["type"] and fields["description"]


def test_instruments_of_a_wrong_type():
    with pytest.raises(TypeError, match="expected instruments to be a list"):
        PassContext(instruments=3)
    with pytest.raises(TypeError, match="expected instruments to be PassInstruments"):
        PassContext(instruments=[object()])


def test_diagnostics_are_kept_on_the_context():
    bad = make_pass("bad", body=lambda mod, ctx: break_verifier(mod))
    with PassContext() as ctx:
        with pytest.raises(PassError):
            bad(make_module())
        assert [d.severity for d in ctx.diagnostics] == ["error"]


def break_verifier(mod):
    """Erase the terminator of @main."""
    list(mod["main"].operation.regions[0].blocks[0].operations)[-1].operation.erase()
    return mod


def test_verifier_errors_have_location_pass_and_function():
    bad = make_pass("bad", body=lambda mod, ctx: break_verifier(mod))
    with pytest.raises(PassError) as info:
        Sequential([make_pass("good"), bad], name="outer")(make_module())
    notes = info.value.__notes__
    assert notes[0].startswith("at loc(")
    assert "in function @main" in notes
    assert "in pass 'bad'" in notes
    assert "in pass 'outer'" in notes
    assert notes.index("in function @main") < notes.index("in pass 'bad'")
    assert info.value.diagnostics[0].severity == "error"


def test_config_by_the_spellings_of_tvm():
    config = PassContext(config={"tirx.UnrollLoop": {"auto_max_step": 4}}).config
    assert list(config) == ["tir.UnrollLoop"]
    for key in ("tir.UnrollLoop", "tirx.UnrollLoop", "s_tir.UnrollLoop"):
        assert key in config and config[key] is config.get(key)
        assert config[key]["auto_max_step"] == 4
    assert "tirx.Other" not in config and config.get("tirx.Other", 1) == 1
    with pytest.raises(KeyError, match="tirx.Other"):
        config["tirx.Other"]


# TVM 0.27's, each with a value of its type.
TVM_CONFIGS = {
    "relax.backend.use_cuda_graph": True,
    "relax.fallback_device_type": 1,
    "relax.transform.apply_legalize_ops": True,
    "s_tir.HoistExpression": {"hoisted_conditionals": 1},
    "s_tir.HoistIfThenElse": {"support_block_scope_hoisting": True},
    "s_tir.InjectDoubleBuffer": {"split_loop": 2},
    "s_tir.instr_siblings": True,
    "s_tir.lwp_disable_func_prof": True,
    "s_tir.lwp_max_depth": 3,
    "s_tir.lwp_min_height": 3,
    "s_tir.reset_start_id": True,
    "testing.immutable_module": True,
    "tirx.RemoveNoOp": {"max_simplification_steps": 2},
    "tirx.add_lower_pass": [],
    "tirx.debug_keep_trivial_loop": True,
    "tirx.disable_assert": True,
    "tirx.disable_cse_tir": True,
    "tirx.disable_storage_rewrite": True,
    "tirx.disable_vectorize": True,
    "tirx.enable_buffer_level_predication": True,
    "tirx.enable_debug": True,
    "tirx.enable_fast_math": True,
    "tirx.instrument_bound_checkers": True,
    "tirx.instrument_lwp": True,
    "tirx.is_entry_func": True,
    "tirx.noalias": True,
    "tirx.s_tir.ldg32": True,
    "tirx.use_async_copy": True,
    "tirx.vtcm_capacity": 3,
}


LIKELY_LOOP = """
partita.module {
  tir.prim_func @f(%a: memref<16xf32>, %v: f32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c15 = arith.constant 15 : i32
    %c16 = arith.constant 16 : i32
    scf.for %i = %c0 to %c16 step %c1 : i32 {
      %0 = arith.cmpi slt, %i, %c15 : i32
      %1 = tir.call_intrin pure "prim.likely"(%0) : (i1) -> i1
      scf.if %1 {
        %2 = arith.index_cast %i : i32 to index
        memref.store %v, %a[%2] : memref<16xf32>
      }
    }
    tir.return
  }
}"""


def test_configs_of_passes_on_prim_funcs_by_their_names_in_tvm():
    module = IRModule.from_text(LIKELY_LOOP)
    passes = [s_tir.transform.LoopPartition(), tirx.transform.StmtSimplify()]
    plain = str(Sequential(passes)(module))
    config = {
        "s_tir.LoopPartition": {"partition_const_loop": True},
        "tirx.StmtSimplify": {"transitively_prove_inequalities": True},
    }
    with PassContext(config=config):
        split = str(Sequential(passes)(module))
    assert "scf.if" in plain and "scf.if" not in split
    assert "to %c15_i32" in split and "likely" not in plain + split


@pytest.mark.parametrize("key", TVM_CONFIGS)
def test_config_that_only_tvm_reads(key):
    assert key in PassContext.list_configs() and PassContext.list_configs()[key]["type"]
    value = TVM_CONFIGS[key]
    with pytest.warns(PassWarning, match=f"'{key}', which only passes of TVM read") as warned:
        context = PassContext(config={key: value})
    assert warned[0].filename == __file__
    found = context.config[key]
    assert found == value or value.items() <= found.items()
    with pytest.raises(AttributeError, match=f"expected config '{key}' to have type"):
        with pytest.warns(PassWarning):
            PassContext(config={key: "text"})


def test_contexts_and_infos_as_tvm_programs_use_them():
    with PassContext() as outer:
        assert PassContext.current().same_as(outer)
        with PassContext() as inner:
            assert PassContext.current().same_as(inner) and not inner.same_as(outer)
    assert PassInfo(1, "p").traceable is False


def test_the_default_context_keeps_the_instruments_that_it_is_given():
    log = []

    def run(_):
        instrument = Recorder("A", log)
        # A cycle, which is collected when nothing else holds the context.
        instrument.context = PassContext.current()
        instrument.context.override_instruments([instrument])
        del instrument
        gc.collect()
        assert [i.name for i in PassContext.current().instruments] == ["A"]
        make_pass("p")(make_module())

    run_threads(1, run)
    assert log == ["A.enter", "A.should p", "A.before p", "A.after p"]
