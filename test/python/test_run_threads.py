# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled code on several threads."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import partita

runtime = pytest.importorskip("partita.runtime")

ROWS = 'tensor<?x256xf32, #relax.shape<["n", 256]>>'
TEXT = f"""
partita.module {{
  relax.func @matmul(%x: {ROWS}, %w: tensor<256x130xf32>) -> tensor<?x130xf32, #relax.shape<["n", 130]>> {{
    %0 = relax.matmul %x, %w
      : {ROWS}, tensor<256x130xf32> -> tensor<?x130xf32, #relax.shape<["n", 130]>>
    relax.return %0 : tensor<?x130xf32, #relax.shape<["n", 130]>>
  }}
  relax.func @softmax(%x: {ROWS}) -> {ROWS} {{
    %0 = relax.nn.softmax %x : {ROWS}
    relax.return %0 : {ROWS}
  }}
  relax.func @less(%x: tensor<3x300x200xf32>) -> tensor<3x300x200xi1> {{
    %c = relax.constant dense<0.5> : tensor<f32>
    %0 = relax.less %x, %c : tensor<3x300x200xf32>, tensor<f32> -> tensor<3x300x200xi1>
    relax.return %0 : tensor<3x300x200xi1>
  }}
  relax.func @conv(%x: tensor<1x16x40x40xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<1x16x38x38xf32> {{
    %0 = relax.nn.conv2d %x, %w
      : tensor<1x16x40x40xf32>, tensor<16x16x3x3xf32> -> tensor<1x16x38x38xf32>
    relax.return %0 : tensor<1x16x38x38xf32>
  }}
}}"""


@pytest.fixture(scope="module")
def ex():
    return partita.compile(partita.IRModule.from_text(TEXT))


@pytest.fixture(autouse=True)
def restore():
    before = runtime.get_num_threads()
    yield
    runtime.set_num_threads(before)


def make_inputs(rows=700):
    rng = np.random.default_rng(0)

    def rand(*shape):
        return rng.standard_normal(shape, dtype="float32")

    return {
        "matmul": (rand(rows, 256), rand(256, 130)),
        "softmax": (rand(rows, 256),),
        "less": (rand(3, 300, 200),),
        "conv": (rand(1, 16, 40, 40), rand(16, 16, 3, 3)),
    }


@pytest.mark.parametrize("rows", [0, 1, 7, 700])
def test_results_do_not_depend_on_threads(ex, rows):
    with partita.transform.PassContext(opt_level=1):
        serial = partita.compile(partita.IRModule.from_text(TEXT))
    for name, args in make_inputs(rows).items():
        expected = serial[name](*args)
        if name == "matmul":
            np.testing.assert_allclose(expected, args[0] @ args[1], rtol=1e-4, atol=1e-4)
        for count in (1, 2, 3, 16):
            runtime.set_num_threads(count)
            for _ in range(5):
                np.testing.assert_array_equal(ex[name](*args), expected)


def test_threads_are_started(ex):
    def count():
        return len(os.listdir("/proc/self/task"))

    args = make_inputs()["softmax"]
    runtime.set_num_threads(1)
    before = count()
    ex["softmax"](*args)
    assert count() == before
    runtime.set_num_threads(5)
    for _ in range(20):
        ex["softmax"](*args)
    # Earlier tests may have started some of the four.
    assert count() >= max(before, 5)


def test_callers_share_threads(ex):
    runtime.set_num_threads(3)
    inputs = make_inputs()
    expected = {name: ex[name](*args) for name, args in inputs.items()}
    wrong = []

    def run():
        for _ in range(50):
            for name, args in inputs.items():
                if not np.array_equal(ex[name](*args), expected[name]):
                    wrong.append(name)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_fork():
    script = f"""
import os, sys
import numpy as np, partita
ex = partita.compile(partita.IRModule.from_text({TEXT!r}))
partita.runtime.set_num_threads(3)
x = np.random.default_rng(0).standard_normal((700, 256), dtype="float32")
expected = ex["softmax"](x)
for _ in range(20):
    child = os.fork()
    if child == 0:
        same = all(np.array_equal(ex["softmax"](x), expected) for _ in range(3))
        os._exit(0 if same else 1)
    ex["softmax"](x)
    assert os.waitpid(child, 0)[1] == 0
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)


def test_wrong_counts():
    with pytest.raises(ValueError, match="expected a count of threads of 1 or more, but found 0"):
        runtime.set_num_threads(0)
