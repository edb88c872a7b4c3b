# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizes the module of a jitted function by jaxlib's own passes, watched by instruments.

Needs jax beside partita. The optimized module is handed back to JAX, which runs it.
"""

import dataclasses

import jax
import jax.export
import jax.numpy as jnp
from jaxlib.mlir.dialects import stablehlo

from partita import transform
from partita.bridge import Bridge
from partita.instrument import PassTimingInstrument, PrintPasses

#: Passes of jaxlib's MLIR, and of StableHLO.
PIPELINE = "builtin.module(func.func(chlo-legalize-to-stablehlo,canonicalize,cse),symbol-dce)"


def optimize(module):
    """A copy of one of JAX's modules, optimized."""
    bridge = Bridge(module.context)

    @bridge.module_pass(opt_level=0)
    def count_ops(module, ctx):
        for function in module.body.operations:
            print(f"{function.name} has {len(function.body.blocks[0].operations)} ops")

    timing = PassTimingInstrument()
    simplify = bridge.parse_pipeline(PIPELINE, opt_level=2, name="Simplify")
    with transform.PassContext(opt_level=2, instruments=[timing, PrintPasses()]):
        mod = transform.Sequential([count_ops, simplify, count_ops])(bridge.import_module(module))
        print(timing.render())
    return bridge.export_module(mod)


def f(x):
    one = jnp.sinh(x) * 2.0
    other = jnp.sinh(x) * 2.0
    return one + other


def main():
    x = jnp.arange(4.0)
    stablehlo.register_stablehlo_passes()
    module = optimize(jax.jit(f).lower(x).compiler_ir())
    print(module)

    # JAX runs a module that jax.export has saved, or a module in place of it.
    artifact = stablehlo.serialize_portable_artifact(module, stablehlo.get_current_version())
    exported = jax.export.export(jax.jit(f))(x)
    optimized = dataclasses.replace(exported, mlir_module_serialized=artifact)
    print(f"{jax.jit(optimized.call)(x)}, expected {f(x)}")


if __name__ == "__main__":
    main()
