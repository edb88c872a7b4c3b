# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes on many modules in other processes, and copies of passes by pickle."""

import concurrent.futures
import multiprocessing
import pickle

import distributed_passes
import partita
import pytest
from partita import distributed, relax, transform

TEXT = """
partita.module {{
  relax.func @{name}(%x: tensor<{size}xf32>) -> tensor<{size}xf32> {{
    %0 = relax.exp %x : tensor<{size}xf32>
    %1 = relax.exp %x : tensor<{size}xf32>
    %2 = relax.add %0, %1 : tensor<{size}xf32>
    relax.return %2 : tensor<{size}xf32>
  }}
}}
"""
CSE = relax.transform.EliminateCommonSubexpr()
PASSES = transform.Sequential(
    [CSE, distributed_passes.Rename("a"), relax.transform.DeadCodeElimination()]
)


def make(size, name="main"):
    return partita.IRModule.from_text(TEXT.format(size=size, name=name))


def start_processes():
    # pytest puts the folder of the tests into sys.path, which new processes get.
    return concurrent.futures.ProcessPoolExecutor(
        2, mp_context=multiprocessing.get_context("spawn")
    )


@pytest.mark.parametrize(
    "pass_",
    [
        CSE,
        transform.get_pass("FoldConstant", "max-growth=64"),
        transform.get_pass("canonicalize"),
        transform.get_pass("default-O3"),
        transform.parse_pipeline("builtin.module(func.func(cse),canonicalize)", 2, "mine"),
        transform.Sequential([CSE, CSE], 1, "two", ["FoldConstant"]),
        distributed_passes.keep,
        distributed_passes.Rename("b"),
        PASSES,
    ],
    ids=lambda pass_: pass_.info.name,
)
def test_pickled_passes_are_the_same(pass_):
    copy = pickle.loads(pickle.dumps(pass_))
    assert type(copy) is type(pass_)
    assert copy.info == pass_.info
    assert str(transform.plan(copy)) == str(transform.plan(pass_))


def test_objects_keep_their_state():
    copy = pickle.loads(pickle.dumps(distributed_passes.Rename("c")))
    assert copy.suffix == "c"


def test_a_pass_without_a_name_needs_cloudpickle():
    local = transform.module_pass(lambda mod, ctx: mod, opt_level=0)
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(local)


def test_results_are_those_of_serial_runs():
    modules = [make(size) for size in range(1, 30)]
    with transform.PassContext(opt_level=3):
        expected = [str(PASSES(mod)) for mod in modules]
        calls = []
        results = distributed.map(
            PASSES, iter(modules), start_processes, progress=lambda *args: calls.append(args)
        )
        assert [str(result.get()) for result in results] == expected
    assert calls[-1] == (29, 29)
    assert [done for done, _ in calls] == list(range(1, 30))


def test_no_process_is_left():
    # Two modules can be done before the second process has started.
    for stop in (1, 3):
        results = distributed.map(CSE, [make(1), make(2)], start_processes)
        for _ in zip(range(stop), results):
            pass
        results.close()
        assert not multiprocessing.active_children()


def test_errors_records_and_diagnostics_come_back():
    with start_processes() as executor:
        (result,) = distributed.map(distributed_passes.fail, [make(4)], executor)
        with pytest.raises(KeyError, match="no such thing"):
            result.get()
        assert "distributed_passes.py" in result.traceback
        (result,) = distributed.map(distributed_passes.fail_twice, [make(4)], executor)
        with pytest.raises(RuntimeError, match="ErrorOfTwo: no such things"):
            result.get()
        (result,) = distributed.map(CSE, [make(4)], executor, records=True)
        assert result.records[0]["pass"] == "EliminateCommonSubexpr"
        invalid = transform.parse_pipeline("builtin.module(cse)")
        with transform.PassContext(required_pass=["Cse"]):
            (result,) = distributed.map(invalid, [make(4)], executor)
        assert "Cse" in str(result.diagnostics[0])


def test_a_lost_worker_is_replaced():
    modules = [make(4, "large" if size == 5 else "main") for size in range(12)]
    results = list(distributed.map(distributed_passes.kill_large, modules, start_processes))
    assert [result.error is None for result in results] == [size != 5 for size in range(12)]
    with pytest.raises(distributed.WorkerLost, match="expected the worker for module 5 to live"):
        results[5].get()


def test_the_executor_of_others_stays_broken():
    with start_processes() as executor:
        results = distributed.map(distributed_passes.kill_large, [make(4, "large")], executor)
        with pytest.raises(concurrent.futures.BrokenExecutor):
            list(results)


def test_a_shared_cache_knows_the_results(tmp_path):
    modules = [make(size) for size in range(1, 10)]
    with transform.PassContext(config={"partita.pass_cache": str(tmp_path)}):
        first = [str(result.get()) for result in distributed.map(CSE, modules, start_processes)]
        files = set(tmp_path.iterdir())
        again = [str(result.get()) for result in distributed.map(CSE, modules, start_processes)]
    assert first == again
    assert files and set(tmp_path.iterdir()) == files


def test_bad_arguments():
    with transform.PassContext(instruments=[partita.instrument.PassTimingInstrument()]):
        with pytest.raises(ValueError, match="expected a PassContext without instruments"):
            distributed.map(CSE, [])
    with pytest.raises(TypeError, match="a pass"):
        distributed.map(None, [])
    with pytest.raises(TypeError, match="an Executor"):
        distributed.map(CSE, [], 5)
    for wrong in ("text", None):
        with pytest.raises(TypeError, match="IRModules"):
            list(distributed.map(CSE, [wrong], start_processes))
    with pytest.raises(ValueError, match="in_flight to be 1 or more, but found 0"):
        distributed.map(CSE, [], in_flight=0)
    assert list(distributed.map(CSE, [], start_processes)) == []
