"""large_patterns.py FILE: runs FuseOpsByPattern with patterns that are too large."""

import subprocess
import sys

N = 20000
for pattern in ("~" * N + "*", "(" * N, "*" + " | *" * N, "$a = " * N + "*", "*" + "[?]" * N):
    option = f"--relax-fuse-ops-by-pattern=patterns={{c.p: {pattern}}}"
    run = subprocess.run(["partita-opt", sys.argv[1], option], check=False)
    print("exit", run.returncode)
