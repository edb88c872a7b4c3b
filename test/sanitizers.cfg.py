# For builds with PARTITA_SANITIZER. MLIR is not instrumented: containers and
# arenas that it shares with Partita are reported wrongly. A pool of threads is
# tested in children of a fork, too.
import os

for name, options in {
    "ASAN_OPTIONS": "allow_user_poisoning=0:detect_container_overflow=0",
    "TSAN_OPTIONS": f"suppressions={os.path.dirname(__file__)}/tsan.supp:die_after_fork=0",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}.items():
    config.environment[name] = os.environ.get(name, options)
