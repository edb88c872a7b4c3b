# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes and instruments that behave at random: `random_passes.py SEED ROUNDS`.

They may fail, but must not crash, change the caller's module, or let an error of
another call escape. A round is ten uses. Prints the memory in use after each round, in
KiB, how the uses ended, and how often each action was done.
"""

import copy
import ctypes
import faulthandler
import gc
import os
import pickle
import random
import signal
import sys
import threading
import weakref
from contextlib import suppress

from partita import GlobalVar, IRModule, PassError, instrument, relax, transform
from partita.instrument import PassInstrument
from partita.mlir import ir
from partita.transform import PassContext, Sequential, module_pass


class Unusual(BaseException):
    """An error that is no Exception."""


USES = 10

TEXT = """
partita.module @m {
  relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.dataflow -> tensor<4xf32> {
      %1 = relax.nn.relu %x : tensor<4xf32>
      %2 = relax.exp %1 : tensor<4xf32>
      relax.output %2 : tensor<4xf32>
    }
    relax.return %0 : tensor<4xf32>
  }
  relax.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.exp %x : tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
}
"""


class World:
    """One use: the state that its passes share."""

    done = {}

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.kept = []
        self.threads = []
        self.raised = set()
        # Held, so that no other object gets the address of one.
        self.errors = []
        self.depth = 0
        self.budget = 60
        #: Whether a signal may raise.
        self.armed = True
        self.failures = []
        self.contexts = []
        self.instruments = []
        self.mod = IRModule.from_text(TEXT, ir.Context() if seed % 10 == 0 else None)

    def fail(self, *types):
        types = types or [ValueError, SystemExit, Unusual, StopIteration, KeyboardInterrupt]
        error = self.random.choice(types)("random")
        self.raised.add(id(error))
        self.errors.append(error)
        raise error

    def act(self, mod):
        """Do something to a module, or around it; maybe return another one."""
        self.budget -= 1
        if self.budget < 0:
            return mod
        action = self.random.choice(self.actions)
        self.done[action.__name__] = self.done.get(action.__name__, 0) + 1
        return action(self, mod)

    def nothing(self, mod):
        return mod

    def keep(self, mod):
        self.kept.append(mod)
        return mod

    def keep_parts(self, mod):
        for function in mod.functions.values():
            self.kept.append(function)
            self.kept.extend(function.operation.regions[0].blocks[0].operations)
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
            if ops:
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
        async def later():
            return mod

        coroutine = later()
        coroutine.close()
        junk = [None, 3, "junk", mod.operation, IRModule, (m for m in [mod]), coroutine]
        return self.random.choice(junk)

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

    def recurse(self, mod):
        """Recurse until Python raises, or forty deep."""
        deepest = self.random.choice([40, 10000])

        def body(inner, ctx, depth=[0]):
            depth[0] += 1
            return inner if depth[0] > deepest else made(inner)

        made = module_pass(body, 0, "recurse")
        return made(mod)

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
            with suppress(BaseException):
                str(mod)
                new(mod)

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

    def elsewhere(self, function):
        """Call it on another thread, where it may only fail as it does here."""

        def work():
            try:
                function()
            except BaseException as error:
                self.check(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    def leave_elsewhere(self, mod):
        """A context of this thread on another, or one of another thread here."""
        if self.contexts and self.random.random() < 0.5:
            self.elsewhere(lambda: self.contexts[-1].__exit__(None, None, None))
            return mod
        context = self.make_context()
        self.elsewhere(context.__enter__)
        context.__exit__(None, None, None)
        return mod

    def override_elsewhere(self, mod):
        context = PassContext.current()
        self.elsewhere(lambda: context.override_instruments(self.make_instruments()))
        return mod

    def change_instruments(self, mod):
        """Change callbacks and attributes of instruments while they run."""
        for made in self.instruments:
            made.run_after_pass = self.random.choice([None, 3, self.keep])
            type(made).should_run = lambda self, mod, info: True
            made.__dict__.pop("context", None)
        self.instruments.clear()
        return mod

    def generator(self, mod):
        """A scope in a generator that is continued, closed or dropped later."""

        def scope():
            with self.make_context():
                yield 1
                yield self.make_pass()(mod)

        running = [k for k in self.kept if hasattr(k, "gi_frame")]
        if not running:
            self.kept.append(scope())
            next(self.kept[-1])
        elif self.random.random() < 0.5:
            next(self.random.choice(running), None)
        else:
            self.random.choice(running).close()
        return mod

    def interrupt(self, mod):
        if threading.current_thread() is not threading.main_thread():
            return mod
        signal.signal(signal.SIGINT, lambda *args: self.fail(KeyboardInterrupt))
        signal.raise_signal(signal.SIGINT)
        return mod

    def fork(self, mod):
        """A child runs passes, which must not hang or crash."""
        if not hasattr(os, "fork") or self.random.random() < 0.8:
            return mod
        # An exception in the fork handlers of Python's own modules leaves their locks held.
        signal.setitimer(signal.ITIMER_REAL, 0)
        pid = os.fork()
        if pid == 0:
            self.run_in_child(mod)
        _, status = os.waitpid(pid, 0)
        if status != 0:
            self.failures.append(f"a child has ended with {status}")
        return mod

    def run_in_child(self, mod):
        with suppress(BaseException):
            # Ends the child if it hangs, and says where. The thread of dump_traceback_later
            # is not in a child of this child, which would wait for it.
            signal.setitimer(signal.ITIMER_REAL, 0)
            faulthandler.unregister(signal.SIGALRM)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            faulthandler.register(signal.SIGALRM, chain=True)
            signal.alarm(100)
            self.random.seed(os.getpid() % 10)
            for module in (mod, self.mod, IRModule.from_text(TEXT)):
                with suppress(PassError, TypeError, RuntimeError, ValueError):
                    relax.transform.DeadCodeElimination()(module)
                    self.make_pass()(module)
        os._exit(0)

    def pickle(self, mod):
        """Pickles and copies objects, also ones that can't be."""
        things = [mod, self.mod, GlobalVar("main"), PassError("p", []), *self.kept[-3:]]
        things += [transform.PassInfo(1, "p", []), self.make_pass(), PassContext.current()]
        thing = self.random.choice(things)
        again = self.random.choice(
            [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]
        )
        try:
            made = again(thing)
            str(made)
        except (TypeError, RuntimeError, ValueError, AttributeError, pickle.PicklingError):
            return mod
        except ir.MLIRError as error:
            assert "a valid module to save" in str(error), error
            return mod
        if isinstance(made, IRModule):
            self.kept.append(made)
        return mod

    def names(self, mod):
        """A module's answers about a name agree with its functions."""
        name = self.random.choice(["main", "unused", "new", "other"])
        change = self.random.randrange(5)
        if change == 0 and name in mod:
            del mod[name]
        elif change == 1 and len(mod):
            mod[name] = self.random.choice(list(mod.functions.values()))
        elif change == 2 and name in mod and "new" not in mod:
            attribute = ir.StringAttr.get("new", mod.operation.context)
            mod[name].operation.attributes["sym_name"] = attribute
        elif change == 3 and len(mod):
            mod.operation.regions[0].blocks[0].operations[0].operation.detach_from_parent()
        present = [var.name_hint for var in mod.get_global_vars()]
        for name in ["main", "unused", "new", "other"]:
            if (name in mod) != (name in present):
                self.failures.append(f"'{name}' in {present} is {name in mod}")
            if name in mod and mod[name].name != name:
                self.failures.append(f"{name} is {mod[name].name}")
        return mod

    def own_context(self, mod):
        """A module in a context of its own, and parts of it in this one."""
        if self.random.random() < 0.8:
            return mod
        other = IRModule.from_text(TEXT, ir.Context())
        new = self.make_pass()(other)
        if self.random.random() < 0.5:
            mod["main"] = new["main"]
        return self.random.choice([mod, new])

    def alarm(self, mod):
        """A signal soon, whose handler raises."""
        if threading.current_thread() is threading.main_thread() and self.armed:
            signal.signal(signal.SIGALRM, self.handle_alarm)
            signal.setitimer(signal.ITIMER_REAL, self.random.random() * 0.002)
        return mod

    def handle_alarm(self, *args):
        if self.armed:
            self.fail(KeyboardInterrupt)

    def weak(self, mod):
        self.kept.append(weakref.ref(mod))
        for ref in self.kept:
            if isinstance(ref, weakref.ref) and ref() is not None:
                with suppress(RuntimeError):
                    str(ref())
        return mod

    def fail_late(self, mod):
        self.rename(mod)
        self.fail()

    def fail_now(self, mod):
        self.fail()

    actions = [nothing] * 6 + [keep, keep_parts, drop, erase, erase_op, erase_root, detach]
    actions += [rename, rename, junk, another, recurse, generator, interrupt, leave_elsewhere]
    actions += [override_elsewhere, change_instruments, run, run, run_in_place, start_thread]
    actions += [override, enter, leave, weak, fail_late, fail_now]
    actions += [fork, pickle, names, names, own_context, alarm]

    def act_on_function(self, func, mod):
        """As act, and return a function, or not."""
        if self.random.random() < 0.3:
            self.act(mod)
        held = [k for k in self.kept if isinstance(k, relax.Function)]
        x = relax.Var("x", relax.TensorType((4,), "float32"))
        results = [func] * 6 + held + [relax.Function([x], relax.exp(x)), None, mod, func.operation]
        return self.random.choice(results)

    def act_on_block(self, block, mod):
        if self.random.random() < 0.3:
            self.act(mod)
        self.kept.append(block)
        held = [k for k in self.kept if isinstance(k, relax.DataflowBlock)]
        return self.random.choice([block] * 6 + held + [None, mod])

    def make_pass(self):
        kind = self.random.randrange(9)
        level = self.random.randrange(4)
        if kind == 0:
            names = ["symbol-dce", "cse", "canonicalize", "FoldConstant", "DeadCodeElimination"]
            return transform.get_pass(self.random.choice(names))
        if kind == 1 and self.depth < 6:
            self.depth += 1
            members = [self.make_pass() for _ in range(self.random.randrange(5))]
            self.depth -= 1
            return Sequential(members, opt_level=level, name=f"s{level}")
        if kind == 2:
            body = lambda func, mod, ctx: self.act_on_function(func, mod)
            return relax.transform.function_pass(body, opt_level=level, name=f"f{level}")
        if kind == 3:
            body = lambda block, mod, ctx: self.act_on_block(block, mod)
            return relax.transform.dataflowblock_pass(body, opt_level=level, name=f"d{level}")
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
        self.instruments += made
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
        """The error was raised by this round, or is one that Partita and Python raise."""
        if id(error) in self.raised:
            return "raised"
        assert isinstance(error, (PassError, TypeError, RuntimeError, ValueError, KeyError)), error
        return type(error).__name__

    def play(self):
        text = str(self.mod)
        outcome = "ran"
        try:
            try:
                with self.make_context():
                    for _ in range(3):
                        new = self.make_pass()(self.mod)
                        self.kept.append(new)
            finally:
                self.armed = False
        except BaseException as error:
            outcome = self.check(error)
        signal.setitimer(signal.ITIMER_REAL, 0)
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
        assert not self.failures, self.failures
        for thing in self.kept:
            with suppress(RuntimeError):
                str(thing)
        return outcome


class MallocInfo(ctypes.Structure):
    """struct mallinfo2 of malloc.h."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


def get_memory():
    """The memory that malloc has given out, in KiB; 0 if the platform does not tell.

    The process's resident set would also depend on the gaps that threads leave.
    """
    try:
        get_info = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        return 0
    get_info.restype = MallocInfo
    info = get_info()
    return (info.uordblks + info.hblkhd) // 1024


def main(seed, rounds):
    outcomes = {}
    for index in range(rounds):
        for use in range(USES):
            outcome = World(seed + index * USES + use).play()
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
        gc.collect()
        print("memory", get_memory(), flush=True)
    print("outcomes", *(f"{key}={count}" for key, count in sorted(outcomes.items())))
    print("done", *(f"{key}={count}" for key, count in sorted(World.done.items())))


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    # A generator that is dropped in a scope cannot leave it; it says so on stderr.
    sys.unraisablehook = lambda unraisable: None
    main(int(sys.argv[1]), int(sys.argv[2]))
