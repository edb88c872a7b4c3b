# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes that other processes find by their names."""

import os
import signal

from partita import relax, transform


@transform.module_pass(opt_level=0)
def keep(mod, ctx):
    """Leave the module as it is."""
    return mod


@transform.module_pass(opt_level=0)
def kill_large(mod, ctx):
    """End the process on modules with a function called @large."""
    if "large" in [var.name_hint for var in mod.get_global_vars()]:
        os.kill(os.getpid(), signal.SIGKILL)
    return mod


@transform.module_pass(opt_level=0)
def fail(mod, ctx):
    raise KeyError("no such thing")


class ErrorOfTwo(Exception):
    """A copy can't be made."""

    def __init__(self, text, number):
        super().__init__(text)


@transform.module_pass(opt_level=0)
def fail_twice(mod, ctx):
    raise ErrorOfTwo("no such things", 2)


@relax.transform.function_pass(opt_level=0)
class Rename:
    """Has an attribute, and leaves functions as they are."""

    def __init__(self, suffix):
        self.suffix = suffix

    def transform_function(self, func, mod, ctx):
        return func.with_attr("suffix", self.suffix)
