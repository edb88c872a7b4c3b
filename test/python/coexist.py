# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Partita beside another MLIR or torch in one process, imported before it and after it.

`coexist.py MODULE...`, where each MODULE has the bindings of an MLIR, or is
torch: "mlir" of xtc-mlir-python-bindings, "jaxlib.mlir" of jaxlib,
"iree.compiler" of iree-base-compiler. Each order runs in a process of its own.
"""

import importlib
import subprocess
import sys

TEXT = """
func.func @f(%a: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %0 = arith.addi %a, %zero : i32
  return %0 : i32
}
"""


def use_bindings(name):
    """Parse, change, verify and print with the bindings in that package."""
    ir = importlib.import_module(f"{name}.ir")
    passmanager = importlib.import_module(f"{name}.passmanager")
    for dialect in ("arith", "func"):
        importlib.import_module(f"{name}.dialects.{dialect}")
    with ir.Context() as context, ir.Location.unknown():
        if name == "jaxlib.mlir":
            # It has few of MLIR's dialects, and registers them where JAX wants them.
            registry = ir.DialectRegistry()
            jax = importlib.import_module("jaxlib.mlir._mlir_libs._jax_mlir_ext")
            jax.register_dialects(registry)
            context.append_dialect_registry(registry)
            context.load_all_available_dialects()
        module = ir.Module.parse(TEXT)
        passmanager.PassManager.parse("builtin.module(canonicalize,cse)").run(module.operation)
        assert module.operation.verify()
        assert "arith.addi" not in str(module) and "func.func @f" in str(module), str(module)
        function = module.body.operations[0]
        assert function.name.value == "f" and type(function).__name__ == "FuncOp"
        try:
            ir.Module.parse("func.func @f( {")
        except ir.MLIRError as error:
            assert "expected" in str(error)
        else:
            raise AssertionError("expected an error")
    return module


def use_partita():
    """Run passes of Python and of C++, watched by an instrument."""
    from pass_support import Recorder, make_module, make_pass, rename

    from partita import relax, transform

    log = []
    with transform.PassContext(instruments=[Recorder("A", log)]):
        dce = relax.transform.DeadCodeElimination()
        mod = transform.Sequential([make_pass("p", log, body=rename), dce], name="s")(make_module())
    assert "@renamed" in str(mod) and "unused" not in str(mod)
    assert "A.before DeadCodeElimination" in log
    return mod, use_bindings("partita.mlir")


def use_torch():
    """Run forward and backward, and compiled by torch."""
    import torch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(4, 4)

        def forward(self, x):
            return torch.relu(self.linear(x)) + x

    x = torch.ones(2, 4, requires_grad=True)
    model = Model()
    traced = torch.jit.trace(model, x)
    for _ in range(3):
        assert torch.allclose(traced(x), model(x))
    traced(x).sum().backward()
    assert x.grad.shape == x.shape
    return x.grad


def run(order):
    held = []
    others = {"partita": use_partita, "torch": use_torch}
    for _ in range(2):
        for name in order:
            held.append(others[name]() if name in others else use_bindings(name))
    texts = [str(thing) for thing in held]
    held.reverse()
    while held:
        held.pop()
    assert len(texts) == 2 * len(order)


def main(names):
    if "--order" in names:
        run(names[names.index("--order") + 1 :])
        return 0
    failed = 0
    for order in [order for name in names for order in (["partita", name], [name, "partita"])]:
        result = subprocess.run([sys.executable, __file__, "--order", *order])
        print(" then ".join(order), "failed" if result.returncode else "ran", flush=True)
        failed += result.returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
