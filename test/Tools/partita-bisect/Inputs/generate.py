"""Prints inputs for the tests: a module, or a pipeline with one bad step.

generate.py module N            a function of N multiplications, chained
generate.py steps N AT PASS     --pass-pipeline of N steps, PASS is number AT
"""

import sys


def print_module(count: int) -> None:
    print("func.func @f(%v0: i32) -> i32 {")
    for i in range(count):
        print(f"  %v{i + 1} = arith.muli %v{i}, %v{i} : i32")
    print(f"  return %v{count} : i32\n}}")


def print_steps(count: int, at: int, bad: str) -> None:
    good = ["cse", "canonicalize", "test-a", "func.func(cse)"]
    members = [good[i % len(good)] for i in range(count)]
    members[at - 1] = bad
    print(f"--pass-pipeline=builtin.module({','.join(members)})")


if __name__ == "__main__":
    if sys.argv[1] == "module":
        print_module(int(sys.argv[2]))
    else:
        print_steps(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
