"""Legalizes and runs the ops that fold_constant.py folds, with NumPy's results.

usage: legalize_ops.py SEED PART OF_PARTS [blocks]
"""

import collections
import re
import sys

import numpy as np
from fold_constant import differ, make_cases
from legalized import Program


def main():
    seed, part, parts = map(int, sys.argv[1:4])
    cases = make_cases(seed)
    chosen = range(part, len(cases.functions), parts)
    cases.functions = [cases.functions[number] for number in chosen]
    program = Program(cases.text(), blocks="blocks" in sys.argv)
    left = collections.Counter()
    wrong = 0
    for number in chosen:
        op, tensor, limits = cases.expected[number]
        found = program.run(f"case{number}")
        if isinstance(found, str):
            left[found] += 1
            continue
        if "mod " in op and tensor.dtype in ("f32", "f64"):
            # The processor multiplies and subtracts in one step, and rounds once.
            limits = (limits[0], 1e-12 if tensor.dtype == "f64" else 1e-5)
        wrong_places = differ(tensor, found, *limits)
        if "blocks" in sys.argv and re.search("max|min", op) and tensor.array.dtype.kind == "f":
            # TVM's Max and Min give the second number if one of the two is NaN.
            wrong_places &= ~np.isnan(tensor.array)
        places = np.argwhere(wrong_places)
        if len(places):
            at = tuple(places[0])
            wrong += 1
            print(
                f"case {number}: {op} to {tensor.type}: expected {tensor.array[at]!r}, found "
                f"{found[at]!r} at {at}, {len(places)} wrong"
            )
    print("left:", *sorted(left))
    print(f"{len(chosen) - left.total() - wrong} cases agree, {wrong} differ")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
