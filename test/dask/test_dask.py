# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes on many modules by dask.distributed, one of whose workers is killed.

Needs dask[distributed], which Partita's own tests do not.
"""

import os
import signal

import dask.distributed
import partita
import pytest
from partita import distributed, relax, transform

TEXT = """
partita.module {{
  relax.func @main(%x: tensor<{size}xf32>) -> tensor<{size}xf32> {{
    %0 = relax.exp %x : tensor<{size}xf32>
    %1 = relax.exp %x : tensor<{size}xf32>
    %2 = relax.add %0, %1 : tensor<{size}xf32>
    relax.return %2 : tensor<{size}xf32>
  }}
}}
"""
PASSES = transform.Sequential(
    [relax.transform.EliminateCommonSubexpr(), relax.transform.DeadCodeElimination()]
)
MODULES = [partita.IRModule.from_text(TEXT.format(size=size)) for size in range(1, 1001)]


@pytest.fixture
def client():
    with (
        dask.distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        dask.distributed.Client(cluster) as client,
    ):
        yield client


def test_a_killed_worker_loses_nothing(client, tmp_path):
    expected = [str(PASSES(mod)) for mod in MODULES]
    workers = list(client.run(os.getpid).values())

    def kill_one(done, _):
        if done == 300:
            os.kill(workers[0], signal.SIGKILL)

    with transform.PassContext(config={"partita.pass_cache": str(tmp_path)}):
        results = list(distributed.map(PASSES, MODULES, client, progress=kill_one))
        assert [str(result.get()) for result in results] == expected
        assert set(client.run(os.getpid).values()) != set(workers)

        # Each result was written once, and is known to workers that did not compute it.
        files = {path: path.stat().st_mtime_ns for path in tmp_path.glob("llvmcache-*")}
        assert len(files) >= len(MODULES)
        again = list(distributed.map(PASSES, MODULES, client))
        assert [str(result.get()) for result in again] == expected
    written = {path: path.stat().st_mtime_ns for path in tmp_path.glob("llvmcache-*")}
    assert {path for path in files if files[path] != written[path]} <= {
        tmp_path / "llvmcache.timestamp"
    }


def test_code_of_the_program_is_copied(client):
    @transform.module_pass(opt_level=0)
    def mark(mod, ctx):
        return mod.with_attr("marked", 1)

    results = distributed.map(mark, MODULES[:3], client.get_executor())
    assert [result.get().attrs["marked"] for result in results] == [1, 1, 1]
