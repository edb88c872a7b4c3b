"""check_timing_json.py NAMES...: checks a timing report in JSON on stdin.

NAMES are the passes that ran, in the order in which they are nested, each followed
by "!" if it failed, "?" if a veto skipped it, "*" if it is disabled, and "=N" if it
ran on N ops.
"""

import json
import sys

found = []


def check(record, parent):
    name, children = record["pass"], record["passes"]
    suffix = "!" if record["failed"] else ""
    suffix += "*" if record["disabled"] else ""
    suffix += "?" if record["vetoed_by"] else ""
    found.append(name + suffix + (f"={record['runs']}" if record["runs"] != 1 else ""))
    for child in children:
        check(child, record)
    if record["vetoed_by"]:
        assert (record["runs"], record["begin"], record["time"]) == (0, None, 0), record
        return
    assert record["begin"] >= (parent["begin"] if parent else 0), record
    assert 0 <= record["self"] <= record["time"], record
    assert record["self"] == max(record["time"] - sum(c["time"] for c in children), 0), record
    assert record["wall"] > 0, record
    if not children:
        assert record["wall"] <= record["time"], record
    assert (record["cpu"] is not None) == has_cpu, record
    assert record["reason"].startswith("runs: "), record


has_cpu = sys.argv[1] == "--cpu"
for record in json.load(sys.stdin):
    check(record, None)
assert found == sys.argv[1 + has_cpu :], found
