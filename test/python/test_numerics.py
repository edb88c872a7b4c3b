"""The instrument Numerics, with functions as runners."""

import pathlib
import re
import shutil
import subprocess
import tempfile

import numpy as np
import pytest

import partita
from partita import IRModule, transform
from partita.instrument import Numerics
from partita.transform import PassContext, Sequential, module_pass

ROOT = pathlib.Path(__file__).parents[2]
TEXT = """
partita.module {
  relax.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = relax.exp %x : tensor<2x3xf32>
    %1 = relax.nn.relu %0 : tensor<2x3xf32>
    relax.return %1 : tensor<2x3xf32>
  }
}
"""


@module_pass(opt_level=0, name="Wrong")
def wrong(mod, ctx):
    return IRModule.from_text(str(mod).replace("relax.exp", "relax.sin"))


@module_pass(opt_level=0, name="Right")
def right(mod, ctx):
    return IRModule.from_text(str(mod).replace("nn.relu", "abs"))


X = np.array([[1, 2, 3], [4, 5, 6]], "float32")


def run_in_numpy(mod):
    y = np.exp(X) if "relax.exp" in str(mod) else np.sin(X)
    return np.maximum(y, 0) if "nn.relu" in str(mod) else abs(y)


def run(runner, *passes, **options):
    numerics = Numerics(runner=runner, **options)
    with PassContext(opt_level=3, instruments=[numerics]):
        Sequential(passes)(IRModule.from_text(TEXT))
    return numerics


def test_finds_the_pass(tmp_path):
    numerics = Numerics(runner=run_in_numpy, save_dir=tmp_path)
    with pytest.raises(transform.PassError, match=r"after pass 'Wrong' \(step 2\), but found .*"):
        with PassContext(opt_level=3, instruments=[numerics]):
            Sequential([right, wrong, right])(IRModule.from_text(TEXT))
    first, second = numerics.records
    assert (first["step"], first["pass"], first["status"]) == (1, "Right", "same")
    assert (second["step"], second["pass"], second["status"]) == (2, "Wrong", "differs")
    assert (second["output"], second["element"]) == (0, "[1, 2]")
    assert second["expected"] == "403.429" and second["found"] == "0.279415"
    assert "relax.exp" in (tmp_path / "before-2-Wrong.mlir").read_text()
    assert "relax.sin" in (tmp_path / "after-2-Wrong.mlir").read_text()
    assert second["inputs"] is None
    assert "differs: 0.279415 at [1, 2] of output 0 in place of 403.429" in numerics.render()


@pytest.mark.parametrize(
    "make",
    [
        lambda y: [y],
        lambda y: (y.astype("float16"), y.astype("int64")),
        lambda y: y.T,
        lambda y: [y.sum(), y > 1, y.astype(">f4"), np.zeros((0, 2))],
        lambda y: y.tolist(),
        lambda y: float(y.sum()),
    ],
)
def test_takes_any_arrays(make):
    assert [r["status"] for r in run(lambda mod: make(run_in_numpy(mod)), right).records] == [
        "same"
    ]
    with pytest.raises(transform.PassError, match="after pass 'Wrong'"):
        run(lambda mod: make(run_in_numpy(mod)), right, wrong)


def test_nan_and_tolerance():
    def get(value):
        return lambda mod: np.array([np.nan, 1 if "exp" in str(mod) else value], "float32")

    run(get(1.0001), wrong)
    run(get(1.2), wrong, atol=0.2, rtol=0.01)
    with pytest.raises(transform.PassError, match=r"found 1.2 at \[1\] of output 0 in place of 1 "):
        run(get(1.2), wrong)
    with pytest.raises(transform.PassError, match=r"found nan at \[1\] of output 0 in place of 1 "):
        run(get(np.nan), wrong)


def test_cannot_be_run(capfd):
    def runner(mod):
        if "relax.sin" in str(mod):
            raise NotImplementedError("no sin")
        return run_in_numpy(mod)

    numerics = run(runner, wrong, print=True)
    (record,) = numerics.records
    assert (record["status"], record["message"]) == ("not run", "NotImplementedError: no sin")
    assert "1 module could not be run: NotImplementedError: no sin" in capfd.readouterr().err
    with pytest.raises(transform.PassError, match="found none: ValueError: never"):
        run(lambda mod: (_ for _ in ()).throw(ValueError("never")), right)


def test_an_interrupt_ends_the_run():
    def runner(mod):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(runner, right)


@pytest.mark.parametrize("value", [None, "text", np.array([1j]), [X, object()]])
def test_wrong_outputs(value):
    with pytest.raises(TypeError, match="expected the runner to return arrays of integers, floats"):
        run(lambda mod: value, right)


def test_runner_may_keep_and_change_the_module():
    kept = []

    def runner(mod):
        kept.append(mod)
        transform.Sequential([wrong])(mod)
        mod.update_func(mod.get_global_var("main"), mod["main"])
        return np.zeros(2)

    mod = IRModule.from_text(TEXT)
    with PassContext(opt_level=3, instruments=[Numerics(runner=runner)]):
        after = Sequential([right])(mod)
    assert "relax.exp" in str(after) and "relax.abs" in str(after)
    assert len(kept) == 2


@pytest.mark.skipif(not hasattr(partita, "compile"), reason="without the runtime")
def test_runner_may_compile():
    def runner(mod):
        with PassContext(opt_level=0):
            return partita.compile(mod)["main"](X)

    with pytest.raises(transform.PassError, match="found 0.279415 at .* in place of 403.429"):
        run(runner, right, wrong)


@pytest.mark.skipif(not hasattr(partita, "compile"), reason="without the runtime")
def test_runs_while_it_is_compiled():
    # The runner compiles under the same context, whose instruments do not look at it again.
    numerics = Numerics(runner=lambda mod: partita.compile(mod)["main"](X))
    with PassContext(opt_level=3, instruments=[numerics]):
        executable = partita.compile(IRModule.from_text(TEXT))
    assert np.allclose(executable["main"](X), np.exp(X))
    statuses = {record["pass"]: record["status"] for record in numerics.records}
    assert statuses["LegalizeOps"] == statuses["convert-func-to-llvm"] == "same"
    assert set(statuses.values()) == {"same", "unchanged", "not run"}


def run_matmul(mod):
    """What a foreign module prints, as its last numbers."""
    script = ROOT / "test/Instrument/Inputs/numerics/run-linalg.sh"
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(str(mod))
        file.flush()
        done = subprocess.run(["sh", script, file.name], capture_output=True, text=True)
        pathlib.Path(file.name + ".llvm").unlink(missing_ok=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return np.array(re.findall(r"-?[0-9.]+", done.stdout.partition("data =")[2]), float)


@pytest.mark.skipif(not shutil.which("mlir-runner"), reason="without MLIR's tools")
@pytest.mark.parametrize("wrong_at", [None, 0, 3, 7])
def test_foreign_pipeline(wrong_at):
    @module_pass(opt_level=0, name="Subtracts")
    def subtracts(mod, ctx):
        return IRModule.from_text(str(mod).replace("arith.addf", "arith.subf"))

    @module_pass(opt_level=0, name="Multiplies")
    def multiplies(mod, ctx):
        return IRModule.from_text(str(mod).replace("llvm.fadd", "llvm.fmul"))

    names = ["canonicalize", "convert-linalg-to-loops", "cse", "convert-scf-to-cf"]
    names += ["finalize-memref-to-llvm", "convert-arith-to-llvm", "convert-cf-to-llvm"]
    names += ["convert-func-to-llvm", "reconcile-unrealized-casts"]
    passes = [transform.get_pass(name) for name in names]
    if wrong_at is not None:
        passes.insert(wrong_at, multiplies if wrong_at > 5 else subtracts)
    numerics = Numerics(runner=run_matmul)
    mod = IRModule.from_text((ROOT / "test/Instrument/Inputs/numerics/matmul.mlir").read_text())
    with PassContext(instruments=[numerics]):
        if wrong_at is None:
            Sequential(passes)(mod)
            assert {record["status"] for record in numerics.records} == {"same", "unchanged"}
            return
        name = passes[wrong_at].info.name
        with pytest.raises(
            transform.PassError, match=rf"after pass '{name}' \(step {wrong_at + 1}\), but found"
        ):
            Sequential(passes)(mod)


def test_options():
    with pytest.raises(ValueError, match="expected option 'rtol' of instrument 'numerics'"):
        Numerics(rtol="small")
    with pytest.raises(transform.PassError, match="'every' of instrument 'numerics' to be 1 or"):
        run(run_in_numpy, right, every=0)


def test_only_after_named_passes():
    numerics = run(run_in_numpy, right, passes=["Wrong"])
    assert [record["status"] for record in numerics.records] == ["not checked"]
    with pytest.raises(transform.PassError, match="after pass 'Wrong'"):
        run(run_in_numpy, right, wrong, right, passes=["Wrong"])
