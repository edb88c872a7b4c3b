"""steps.py COUNT AT PASS: --pass-pipeline of COUNT steps for a model; number AT is PASS."""

import sys

count, at, bad = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
good = [
    "relax-canonicalize-bindings",
    "cse",
    "relax-decompose-ops-for-inference",
    "relax-fold-constant",
    "relax-eliminate-common-subexpr",
    "relax-fold-batchnorm-to-conv2d",
    "canonicalize",
    "relax-dead-code-elimination",
]
members = [good[i % len(good)] for i in range(count)]
members[at - 1] = bad
print(f"'--pass-pipeline=builtin.module(sequential{{passes={','.join(members)}}})'")
