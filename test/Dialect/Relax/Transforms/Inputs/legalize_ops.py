"""Legalizes and runs the ops that fold_constant.py folds, with NumPy's results.

usage: legalize_ops.py PARTITA_OPT TOOLS_OF_MLIR SEED PART OF_PARTS [fuse]
"""

import collections
import sys

import numpy as np
from fold_constant import differ, make_cases
from legalized import Program


def main():
    legalizer, tools, seed, part, parts = sys.argv[1:6]
    cases = make_cases(int(seed))
    chosen = range(int(part), len(cases.functions), int(parts))
    cases.functions = [cases.functions[number] for number in chosen]
    program = Program(cases.text(), legalizer, tools, "fuse" in sys.argv)
    left = collections.Counter()
    wrong = 0
    for number in chosen:
        op, tensor, limits = cases.expected[number]
        inputs = [np.array(x.array) for x in cases.inputs[number]]
        found = program.run(f"case{number}", inputs)
        if isinstance(found, str):
            left[found] += 1
            continue
        places = np.argwhere(differ(tensor, found[0], *limits))
        if len(places):
            at = tuple(places[0])
            wrong += 1
            print(
                f"case {number}: {op} to {tensor.type}: expected {tensor.array[at]!r}, found "
                f"{found[0][at]!r} at {at}, {len(places)} wrong"
            )
    print("left:", *sorted(left))
    print(f"{len(chosen) - left.total() - wrong} cases agree, {wrong} differ")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
