# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes and instruments that behave at random: `random_passes.py SEED ROUNDS`.

What they do is allowed to fail, but not to crash, to change the caller's module
or to let an error of another call out. Prints the resident memory, in KiB, after
a fifth of the rounds and at the end.
"""

import gc
import os
import random
import sys
import threading
import weakref

from pass_support import TEXT

from partita import IRModule, PassError, instrument, transform
from partita.instrument import PassInstrument
from partita.mlir import ir
from partita.transform import PassContext, Sequential, module_pass


class Unusual(BaseException):
    """An error that is none."""


class World:
    """One round: what its passes share."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.kept = []
        self.threads = []
        self.raised = set()
        self.depth = 0
        self.budget = 60
        self.contexts = []
        self.mod = IRModule.from_text(TEXT, ir.Context() if seed % 10 == 0 else None)

    def fail(self):
        types = [ValueError, KeyboardInterrupt, SystemExit, Unusual, StopIteration, RecursionError]
        error = self.random.choice(types)("random")
        self.raised.add(id(error))
        self.kept.append(error)
        raise error

    def act(self, mod):
        """Do something to a module, or around it; maybe return another one."""
        self.budget -= 1
        if self.budget < 0:
            return mod
        return self.random.choice(self.actions)(self, mod)

    def keep(self, mod):
        self.kept.append(mod)
        return mod

    def keep_parts(self, mod):
        for function in mod.functions.values():
            self.kept.append(function)
            for op in function.operation.regions[0].blocks[0].operations:
                self.kept.append(op)
        return mod

    def drop(self, mod):
        del self.kept[self.random.randrange(len(self.kept) + 1) :]
        if self.random.random() < 0.1:
            gc.collect()
        return mod

    def erase(self, mod):
        names = mod.get_global_vars()
        if names:
            del mod[self.random.choice(names)]
        return mod

    def erase_op(self, mod):
        for function in mod.functions.values():
            ops = list(function.operation.regions[0].blocks[0].operations)
            self.random.choice(ops).operation.erase()
            break
        return mod

    def erase_root(self, mod):
        mod.operation.erase()
        return mod

    def detach(self, mod):
        for function in mod.functions.values():
            self.kept.append(function.operation.detach_from_parent())
            break
        return mod

    def rename(self, mod):
        context = mod.operation.context
        name = f"m{self.random.randrange(100)}"
        mod.operation.attributes["sym_name"] = ir.StringAttr.get(name, context)
        return mod

    def junk(self, mod):
        return self.random.choice([None, 3, "junk", mod.operation, IRModule, (m for m in [mod])])

    def another(self, mod):
        modules = [m for m in self.kept if isinstance(m, IRModule)]
        return self.random.choice(modules + [self.mod, mod.clone(), IRModule()])

    def run(self, mod):
        if self.depth > 5:
            return mod
        self.depth += 1
        try:
            return self.make_pass()(mod)
        except PassError:
            return mod
        finally:
            self.depth -= 1

    def run_in_place(self, mod):
        if self.depth <= 5:
            self.depth += 1
            try:
                self.make_pass().run_in_place(mod)
            finally:
                self.depth -= 1
        return mod

    def start_thread(self, mod):
        new = self.make_pass()

        def work():
            try:
                str(mod)
                new(mod)
            except BaseException:
                pass

        thread = threading.Thread(target=work)
        thread.start()
        if self.random.random() < 0.5:
            thread.join()
        else:
            self.threads.append(thread)
        return mod

    def override(self, mod):
        PassContext.current().override_instruments(self.make_instruments())
        return mod

    def enter(self, mod):
        self.contexts.append(self.make_context())
        self.contexts[-1].__enter__()
        return mod

    def leave(self, mod):
        if self.contexts:
            self.contexts.pop().__exit__(None, None, None)
        return mod

    def weak(self, mod):
        self.kept.append(weakref.ref(mod))
        for ref in self.kept:
            if isinstance(ref, weakref.ref) and ref() is not None:
                try:
                    str(ref())
                except RuntimeError:
                    pass
        return mod

    def fail_late(self, mod):
        self.rename(mod)
        self.fail()

    actions = [lambda self, mod: mod] * 6 + [
        keep,
        keep_parts,
        drop,
        erase,
        erase_op,
        erase_root,
        detach,
        rename,
        rename,
        junk,
        another,
        run,
        run,
        run_in_place,
        start_thread,
        override,
        enter,
        leave,
        weak,
        fail_late,
        lambda self, mod: self.fail(),
    ]

    def make_pass(self):
        kind = self.random.randrange(6)
        level = self.random.randrange(4)
        if kind == 0:
            names = ["symbol-dce", "cse", "canonicalize", "FoldConstant", "DeadCodeElimination"]
            return transform.get_pass(self.random.choice(names))
        if kind == 1 and self.depth < 6:
            self.depth += 1
            members = [self.make_pass() for _ in range(self.random.randrange(5))]
            self.depth -= 1
            return Sequential(members, opt_level=level, name=f"s{level}")
        required = [self.random.choice(["cse", "random", "FoldConstant", "nothing"])]
        new = module_pass(
            lambda mod, ctx: self.act(mod),
            opt_level=level,
            name=f"p{level}",
            required=required if self.random.random() < 0.2 else [],
        )
        if self.random.random() < 0.1:
            transform.register_pass(module_pass(lambda mod, ctx: mod, 0, "random"))
        return new

    def make_instruments(self):
        world = self

        class Random(PassInstrument):
            def enter_pass_ctx(self):
                if world.random.random() < 0.05:
                    world.fail()

            def exit_pass_ctx(self):
                if world.random.random() < 0.05:
                    world.fail()

            def should_run(self, mod, info):
                if world.random.random() < 0.2:
                    world.act(mod)
                return world.random.choice([True] * 18 + [False, None])

            def run_before_pass(self, mod, info):
                if world.random.random() < 0.3:
                    world.act(mod)

            def run_after_pass(self, mod, info):
                if world.random.random() < 0.3:
                    world.act(mod)

        made = [Random() for _ in range(self.random.randrange(3))]
        if self.random.random() < 0.3:
            made.append(instrument.PassTimingInstrument())
        return made

    def make_context(self):
        context = PassContext(
            opt_level=self.random.randrange(4),
            disabled_pass=self.random.choice([[], ["p1"], ["s2", "cse"], ["nothing"]]),
            required_pass=self.random.choice([[], ["p3"], ["s3"]]),
            instruments=self.make_instruments(),
        )
        for made in context.instruments:
            if isinstance(made, PassInstrument) and self.random.random() < 0.3:
                made.context = context
        return context

    def check(self, error):
        """It is what this round has raised, or what Partita and Python raise."""
        if id(error) in self.raised:
            return "raised"
        assert isinstance(error, (PassError, TypeError, RuntimeError, ValueError, KeyError)), error
        return type(error).__name__

    def play(self):
        text = str(self.mod)
        outcome = "ran"
        try:
            with self.make_context():
                for _ in range(3):
                    new = self.make_pass()(self.mod)
                    self.kept.append(new)
        except BaseException as error:
            outcome = self.check(error)
        for thread in self.threads:
            thread.join()
        while True:
            try:
                PassContext.current().__exit__(None, None, None)
            except RuntimeError as error:
                if "this thread is in none" in str(error):
                    break
            except BaseException as error:
                self.check(error)
        assert str(self.mod) == text
        for thing in self.kept:
            try:
                str(thing)
            except RuntimeError:
                pass
        return outcome


def get_memory():
    if not os.path.exists("/proc/self/statm"):
        return 0
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4


def main(seed, rounds):
    outcomes = {}
    for index in range(rounds):
        outcome = World(seed + index).play()
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        if index == rounds // 5:
            gc.collect()
            print("memory", get_memory())
    gc.collect()
    print("memory", get_memory())
    print("outcomes", outcomes)


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    main(int(sys.argv[1]), int(sys.argv[2]))
