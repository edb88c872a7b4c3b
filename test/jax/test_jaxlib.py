# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules and passes of jaxlib's MLIR under Partita's PassContext. Needs jax."""

import pathlib
import subprocess
import sys

import jax
import jax.numpy as jnp
import jaxlib.mlir.ir as jax_ir
import pytest
from partita import IRModule, PassError, transform
from partita.bridge import Bridge
from partita.instrument import PassTimingInstrument, pass_instrument
from partita.mlir import ir

ROOT = pathlib.Path(__file__).resolve().parents[2]


def lower(function, *args):
    return jax.jit(function).lower(*args).compiler_ir()


def scan(x):
    return jax.lax.scan(lambda c, a: (c + a, c * a), x[0], x)


def convolve(x):
    image = jnp.reshape(x, (1, 1, 4, 4))
    return jax.lax.conv(image, jnp.ones((1, 1, 2, 2)), (1, 1), "SAME")


def where(x):
    return jnp.where(x > 0, jnp.sort(x), jnp.take(x, jnp.array([3, 1]), axis=0).sum())


def draw(x):
    return jax.random.normal(jax.random.key(0), x.shape) + x


def converted(x):
    return x.astype(jnp.bfloat16), x.astype(jnp.int8), (x + 1j).real, jnp.asinh(x)


def solve(x):
    matrix = jnp.reshape(x, (4, 4))
    return jnp.linalg.qr(matrix + jnp.eye(4))[0]


def constant(x):
    return x + jnp.asarray(jax.device_get(jnp.linspace(0, 1, 16)))


def loop(x):
    return jax.lax.while_loop(
        lambda a: a.sum() < 100, lambda a: jax.lax.cond(a[0] > 1, jnp.sin, jnp.cos, a) + 9, x
    )


FUNCTIONS = [
    scan,
    convolve,
    where,
    draw,
    converted,
    solve,
    constant,
    loop,
    jax.grad(lambda x: scan(x)[0]),
]
ARGUMENT = jnp.arange(16.0)


@pytest.fixture
def module():
    return lower(scan, ARGUMENT)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_round_trip(function):
    module = lower(function, ARGUMENT)
    before = module.operation.get_asm(enable_debug_info=True)
    bridge = Bridge(module.context)
    exported = bridge.export_module(transform.Sequential([])(bridge.import_module(module)))
    assert type(exported) is type(module)
    assert exported.operation.get_asm(enable_debug_info=True) == before
    assert module.operation.get_asm(enable_debug_info=True) == before


@pytest.mark.parametrize("function", FUNCTIONS)
def test_pipeline_does_what_it_does_alone(function):
    pipeline = "builtin.module(func.func(canonicalize{max-iterations=3},cse),inline,symbol-dce)"
    module = lower(function, ARGUMENT)
    bridge = Bridge(module.context)
    mod = bridge.parse_pipeline(pipeline)(bridge.import_module(module))
    from jaxlib.mlir.passmanager import PassManager

    PassManager.parse(pipeline, context=module.context).run(module.operation)
    assert str(bridge.export_module(mod)) == str(module)


def test_policy_and_instruments(module):
    log = []

    @pass_instrument
    class Log:
        def should_run(self, mod, info):
            return info.name != "symbol-dce"

        def run_before_pass(self, mod, info):
            log.append((info.name, "stablehlo.while" in str(mod)))

    bridge = Bridge(module.context)
    pipeline = bridge.parse_pipeline(
        "builtin.module(func.func(canonicalize, cse), any(sccp), symbol-dce)",
        opt_level=1,
        name="jax",
    )
    timing = PassTimingInstrument()
    mod = bridge.import_module(module)
    with transform.PassContext(opt_level=1, disabled_pass=["cse"], instruments=[Log(), timing]):
        transform.Sequential([pipeline, transform.get_pass("canonicalize")])(mod)
        assert "sccp: " in timing.render()
    names = ["sequential", "jax", "canonicalize", "sccp", "canonicalize"]
    assert log == [(name, True) for name in names]
    with transform.PassContext(opt_level=0, instruments=[Log()]):
        log.clear()
        transform.Sequential([pipeline])(mod)
    assert [name for name, _ in log] == ["sequential"]


def test_steps_that_changed_nothing_are_skipped(module):
    bridge = Bridge(module.context)
    pipeline = bridge.parse_pipeline("builtin.module(func.func(canonicalize,cse),canonicalize)")
    again = bridge.parse_pipeline("builtin.module(canonicalize,print-op-stats)")
    timing = PassTimingInstrument()
    passes = transform.Sequential([pipeline, pipeline, again, again, pipeline])
    mod = bridge.import_module(module)
    plain = passes(mod)
    config = {"partita.skip_unchanged": True}
    with transform.PassContext(config=config, instruments=[timing]):
        skipped = passes(mod)
        steps = [step for each in timing.records[0]["passes"] for step in each["passes"]]
    assert str(bridge.export_module(skipped)) == str(bridge.export_module(plain))
    # What the first pipeline leaves is as it was from then on.
    assert len(steps) == 13
    for step in steps[6:]:
        prints = step["pass"] == "print-op-stats"
        assert (step["runs"], step["unchanged"]) == ((1, 0) if prints else (0, 1)), step


def test_a_pass_that_speaks_is_not_skipped(module):
    bridge = Bridge(module.context)
    calls = []

    @bridge.module_pass(opt_level=0, always_runs=False)
    def speak(module, ctx):
        calls.append(module)
        if len(calls) < 3:
            jax_ir.Location.unknown(module.context).emit_error("hear me")

    context = transform.PassContext(config={"partita.skip_unchanged": True})
    with context:
        transform.Sequential([speak] * 5)(bridge.import_module(module))
    assert len(calls) == 3


def test_functions_as_passes(module):
    bridge = Bridge(module.context)
    mod = bridge.import_module(module)

    @bridge.module_pass(opt_level=0, required=["look"])
    def rename(module, ctx):
        assert isinstance(module, jax_ir.Module)
        assert isinstance(ctx, transform.PassContext)
        with module.context:
            module.operation.attributes["sym_name"] = jax_ir.StringAttr.get("renamed")

    @bridge.module_pass(opt_level=0)
    def replace(module, ctx):
        return jax_ir.Module.parse(
            '"stablehlo.constant"() <{value = dense<1> : tensor<i8>}> : () -> tensor<i8>',
            module.context,
        )

    def look(module, ctx):
        assert "stablehlo.while" in str(module)

    transform.register_pass(bridge.module_pass(look, opt_level=0))
    assert rename.info.name == "rename"
    assert "module @renamed" in str(transform.Sequential([rename])(mod))
    assert "renamed" not in str(mod)
    replaced = bridge.export_module(replace(mod))
    assert "stablehlo.constant dense<1> : tensor<i8>" in str(replaced)
    assert "stablehlo.while" not in str(replaced)


def test_errors_of_functions(module):
    bridge = Bridge(module.context)
    mod = bridge.import_module(module)

    @bridge.module_pass(opt_level=0)
    def fail(module, ctx):
        raise KeyError("no")

    @bridge.module_pass(opt_level=0)
    def give_text(module, ctx):
        return str(module)

    @bridge.module_pass(opt_level=0)
    def break_module(module, ctx):
        main = module.body.operations[0]
        with module.context:
            del main.attributes["function_type"]

    before = str(mod)
    with pytest.raises(KeyError):
        fail(mod)
    with pytest.raises(TypeError, match="expected a module of jaxlib.mlir, but found str"):
        give_text(mod)
    with pytest.raises(PassError, match="function_type") as caught:
        break_module(mod)
    assert caught.value.pass_name == "break_module"
    assert str(mod) == before


def erase_return(module, ctx):
    list(module.body.operations[0].regions[0].blocks[0].operations)[-1].operation.erase()


@pytest.mark.parametrize("in_sequential", (False, True))
def test_modules_are_verified_after_a_pass(module, in_sequential):
    bridge = Bridge(module.context)
    mod = bridge.import_module(module)
    made = bridge.module_pass(erase_return, opt_level=0)
    before = str(mod)
    with pytest.raises(PassError, match="block with no terminator") as caught:
        (transform.Sequential([made]) if in_sequential else made)(mod)
    error = caught.value
    assert error.pass_name == "erase_return" and "in pass 'erase_return'" in error.__notes__
    (diagnostic,) = error.diagnostics
    assert diagnostic.severity == "error" and diagnostic.location.startswith("loc(")
    assert isinstance(error.__cause__, jax_ir.MLIRError)
    assert str(mod) == before


def test_what_fails_in_a_pass_has_its_name(module, monkeypatch):
    bridge = Bridge(module.context)
    pipeline = bridge.parse_pipeline("builtin.module(cse,func.func(canonicalize))")

    # None of jaxlib's passes fails on a valid module.
    class PassManager:
        @staticmethod
        def parse(pipeline, context):
            return PassManager()

        def run(self, operation):
            raise jax_ir.MLIRError("Failure while executing pass pipeline", [])

    monkeypatch.setattr(bridge._managers, "PassManager", PassManager)
    with pytest.raises(PassError, match="pass 'cse' failed"):
        pipeline(bridge.import_module(module))


def test_wrong_arguments(module):
    bridge = Bridge(module.context)
    with pytest.raises(ValueError, match="'no-pass' does not refer to a registered pass"):
        bridge.parse_pipeline("builtin.module(func.func(no-pass))")
    with pytest.raises(ValueError, match="expected pass pipeline to be wrapped"):
        bridge.parse_pipeline("canonicalize")
    with pytest.raises(ValueError, match="expected an opt_level"):
        bridge.module_pass(lambda module, ctx: None)
    with pytest.raises(TypeError, match="expected a function to make a pass from, but found int"):
        bridge.module_pass(opt_level=0)(3)
    with pytest.raises(TypeError, match="expected a module of jaxlib.mlir, but found IRModule"):
        bridge.import_module(IRModule())
    with pytest.raises(TypeError, match="expected an IRModule to be exported"):
        bridge.export_module(module)
    with pytest.raises(TypeError, match="another package.*found jaxlib.*Module"):
        Bridge(module)
    with pytest.raises(jax_ir.MLIRError, match="unregistered dialect"):
        bridge.export_module(IRModule())
    with pytest.raises(TypeError, match="partita.bridge brings it over"):
        transform.Sequential([])(module)
    # Not of another package, and not by what has just failed.
    with pytest.raises(TypeError, match="found Operation; an operation crosses with the Module"):
        bridge.import_module(module.operation)
    with pytest.raises(TypeError, match="brings the module around it over: Bridge.module.context"):
        transform.Sequential([])(module.body.operations[0])


def test_unknown_dialects_stay_errors_elsewhere(module):
    text = '"stablehlo.constant"() : () -> tensor<i8>'
    Bridge(module.context).import_module(module)
    for context in (None, ir.Context()):
        with pytest.raises(ir.MLIRError, match="unregistered dialect"):
            IRModule.from_text(text, context)


def test_example():
    example = ROOT / "examples/jax/optimize.py"
    result = subprocess.run([sys.executable, example], capture_output=True, text=True, check=True)
    assert result.stderr.count("Running pass 4 of 6: cse\n") == 1
    assert '"main" has 10 ops\n"main" has 21 ops\n' in result.stdout
    assert "chlo-legalize-to-stablehlo: " in result.stdout
    assert (
        "stablehlo.exponential" in result.stdout
        and "chlo." not in result.stdout.split("module @")[1]
    )
    ran, expected = result.stdout.splitlines()[-1].split(", expected ")
    assert ran == expected and "40.07" in ran
