# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forked processes run passes, whatever their parent did before or does meanwhile."""

import multiprocessing
import os
import sys
import threading
import time
from contextlib import suppress

import pytest
from pass_support import make_module, make_pass

from partita import IRModule, PassError, ir, relax
from partita.mlir import ir as mlir_ir
from partita.transform import PassContext, Sequential

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

PASSES = ["DeadCodeElimination", "EliminateCommonSubexpr", "CanonicalizeBindings"]


def make_functions(count, context=None):
    functions = "\n".join(
        f"""relax.func @f{i}(%x: tensor<4xf32>) -> tensor<4xf32> {{
          %0 = relax.exp %x : tensor<4xf32>
          %1 = relax.abs %x : tensor<4xf32>
          relax.return %1 : tensor<4xf32>
        }}"""
        for i in range(count)
    )
    return IRModule.from_text(f"partita.module {{ {functions} }}", context)


def optimize(mod):
    return Sequential([getattr(relax.transform, name)() for name in PASSES])(mod)


def in_child(function, seconds=60):
    """Calls `function` in a forked child; fails if that raises, hangs or dies."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            function()
            status = 0
        except BaseException as error:
            sys.stderr.write(f"in the child: {error!r}\n")
        finally:
            os._exit(status)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            assert status == 0
            return
        time.sleep(0.01)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    raise AssertionError("expected the child to end, but it hangs")


def check_optimized(mod):
    assert "relax.exp" in str(mod)
    assert "relax.exp" not in str(optimize(mod))


def test_after_a_pass_on_many_functions():
    mod = make_functions(20)
    check_optimized(mod)
    in_child(lambda: check_optimized(mod))
    in_child(lambda: check_optimized(make_functions(30)))
    # A child of a child.
    in_child(lambda: in_child(lambda: check_optimized(mod)))
    check_optimized(mod)


def test_in_a_context_of_the_user():
    mod = make_functions(20, mlir_ir.Context())
    check_optimized(mod)
    in_child(lambda: check_optimized(mod))
    in_child(lambda: check_optimized(make_functions(20, mlir_ir.Context())))


def test_threads_that_the_user_has_given():
    context = mlir_ir.Context(thread_pool=mlir_ir.ThreadPool())
    mod = make_functions(20, context)
    check_optimized(mod)

    def run():
        with pytest.raises(PassError, match="this child of a fork"):
            optimize(mod)
        context.enable_multithreading(False)
        check_optimized(mod)

    in_child(run)
    check_optimized(mod)


def double(seed):
    mod = make_functions(seed)
    check_optimized(mod)
    return optimize(mod)


def fail(seed):
    def body(mod, ctx):
        mod["f0"].operation.attributes["sym_name"] = mlir_ir.UnitAttr.get(mod.operation.context)
        return mod

    make_pass("breaks", body=body)(make_functions(seed))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools(method):
    check_optimized(make_functions(20))
    with multiprocessing.get_context(method).Pool(2) as pool:
        results = pool.map_async(double, range(2, 8)).get(timeout=120)
        for count, result in zip(range(2, 8), results):
            assert ir.structural_equal(result, optimize(make_functions(count)))
        # An error of a pass comes back whole.
        with pytest.raises(PassError) as caught:
            pool.map_async(fail, [3]).get(timeout=120)
        assert caught.value.pass_name == "breaks"
        assert "in pass 'breaks'" in caught.value.__notes__
        assert caught.value.diagnostics[0].severity == "error"


def test_inside_a_pass_and_its_callbacks():
    mod = make_functions(20)

    def body(inner, ctx):
        in_child(lambda: check_optimized(inner))
        in_child(lambda: check_optimized(make_functions(5)))
        return inner

    make_pass("forks", body=body)(mod)

    # A child that goes on with the run of the parent.
    ends = []

    def body_that_goes_on(inner, ctx):
        ends.append(os.fork())
        return inner

    passes = [make_pass("forks", body=body_that_goes_on), relax.transform.DeadCodeElimination()]
    with PassContext():
        result = Sequential(passes)(mod)
    if ends[0] == 0:
        os._exit(0 if "relax.exp" not in str(result) else 1)
    assert os.waitpid(ends[0], 0)[1] == 0
    assert "relax.exp" not in str(result)


def test_while_other_threads_run_passes():
    stop = threading.Event()
    contexts = [mlir_ir.Context(), None, None]

    def work(context):
        mod = make_functions(10, context)
        look = make_pass("look", body=lambda inner, ctx: (str(inner), inner)[1])
        while not stop.is_set():
            Sequential([look, relax.transform.DeadCodeElimination()])(mod)

    threads = [threading.Thread(target=work, args=(context,)) for context in contexts]
    for thread in threads:
        thread.start()
    try:
        mod = make_functions(10)
        for _ in range(30):
            in_child(lambda: check_optimized(mod))
            in_child(lambda: check_optimized(make_functions(3)))
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_the_child_ends_at_once():
    # A thread of the parent is in a call, which the child must not wait for.
    release = threading.Event()
    started = threading.Event()

    def body(mod, ctx):
        started.set()
        release.wait()
        return mod

    thread = threading.Thread(target=make_pass("waits", body=body), args=(make_module(),))
    thread.start()
    started.wait()
    start = time.monotonic()
    process = multiprocessing.get_context("fork").Process(target=double, args=(3,))
    process.start()
    process.join(30)
    release.set()
    thread.join()
    assert process.exitcode == 0
    assert time.monotonic() - start < 4


def test_a_lock_that_another_thread_holds():
    # Threads make default contexts and functions while others fork.
    stop = threading.Event()

    def work():
        while not stop.is_set():
            with suppress(KeyError):
                make_functions(3)["none"]

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(50):
            in_child(lambda: str(make_functions(2)["f1"]))
    finally:
        stop.set()
        thread.join()
