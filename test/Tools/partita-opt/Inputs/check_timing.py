"""Checks a report of -mlir-timing, a tree: check_timing.py [--rest] NAME... < report

The times of children add up to no more than their parent's, the times of the first
level and Rest to no more than the total, none is negative, and all names are there.
With --rest, the first level and Rest add up to the total; MLIR's own report omits
some of the time between its timers.
"""

import re
import sys

ROW = re.compile(r"^((?:\s+-?\d+\.\d+ \(\s*-?[\d.]+%\))+)  (\s*)(\S.*)$")
EPSILON = 0.0003


def main():
    rows = []
    for line in sys.stdin:
        match = ROW.match(line)
        if match:
            wall = float(re.findall(r"(-?\d+\.\d+) \(", match[1])[-1])
            rows.append((len(match[2]) // 2, match[3], wall))
    names = [name for _, name, _ in rows]
    exact = "--rest" in sys.argv
    for name in sys.argv[2 if exact else 1 :]:
        assert name in names, f"expected {name} in {names}"
        names.remove(name)
    assert all(wall >= 0 for _, _, wall in rows), rows
    total = rows.pop()
    assert total[1] == "Total", total
    top = sum(wall for depth, _, wall in rows if depth == 0)
    assert top <= total[2] + EPSILON * len(rows), (top, total)
    assert not exact or top >= total[2] - EPSILON * len(rows), (top, total)
    for index, (depth, name, wall) in enumerate(rows):
        children = 0
        for inner, _, time in rows[index + 1 :]:
            if inner <= depth:
                break
            children += time if inner == depth + 1 else 0
        assert children <= wall + EPSILON * len(rows), (name, wall, children)
    print("ok")


main()
