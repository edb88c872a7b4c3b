# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers of the tests of passes and instruments."""

import threading

from partita import IRModule, transform
from partita.instrument import pass_instrument

TEXT = """
partita.module @m {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.nn.relu %x : tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
  relax.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.exp %x : tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
}
"""


def make_module():
    return IRModule.from_text(TEXT)


def make_pass(name, log=None, opt_level=0, required=(), body=None, version=None):
    """A module pass that writes its name into log and returns body(mod, ctx)."""

    @transform.module_pass(opt_level=opt_level, name=name, required=list(required), version=version)
    def run(mod, ctx):
        if log is not None:
            log.append(name)
        return mod if body is None else body(mod, ctx)

    return run


def rename(mod, ctx=None, name="renamed"):
    """Change the module's name, which keeps it valid."""
    from partita.mlir import ir

    mod.operation.attributes["sym_name"] = ir.StringAttr.get(name, mod.operation.context)
    return mod


@pass_instrument
class Recorder:
    """Writes its callbacks into log; callbacks in `actions` also call the action."""

    def __init__(self, label, log, **actions):
        self.label = label
        self.log = log
        self.actions = actions

    @property
    def name(self):
        return self.label

    def _act(self, callback, *args):
        name = f" {args[1].name}" if args else ""
        self.log.append(f"{self.label}.{callback}{name}")
        action = self.actions.get(callback)
        return action(*args) if action else True

    def enter_pass_ctx(self):
        self._act("enter")

    def exit_pass_ctx(self):
        self._act("exit")

    def should_run(self, mod, info):
        return self._act("should", mod, info)

    def run_before_pass(self, mod, info):
        self._act("before", mod, info)

    def run_after_pass(self, mod, info):
        self._act("after", mod, info)


def run_threads(count, function):
    """Call function(index) on this many threads, and wait for them; none may fail."""
    errors = []

    def guarded(index):
        try:
            function(index)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [], errors


def raiser(error):
    """A callback that raises this very object."""

    def action(*args):
        raise error

    return action
