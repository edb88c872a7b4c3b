"""check_memory_json.py NAMES...: checks a memory report in JSON on stdin.

NAMES are the passes in the order in which they are nested, each with "!" behind
it if it failed. With --no-peak first, no peak may be known.
"""

import json
import sys

found = []


def check(record, parent):
    found.append(record["pass"] + ("!" if record["failed"] else ""))
    before, after, peak = record["rss_before"], record["rss_after"], record["rss_peak"]
    # This is Linux with glibc.
    assert before > 0 and after > 0, record
    assert record["heap_before"] > 0 and record["heap_after"] > 0, record
    if no_peak:
        assert peak is None, record
    elif peak is not None:
        assert peak >= before, record
        assert not parent or parent["rss_peak"] >= peak, (parent, record)
    for child in record["passes"]:
        check(child, record)


no_peak = sys.argv[1] == "--no-peak"
for record in json.load(sys.stdin):
    check(record, None)
assert found == sys.argv[1 + no_peak :], found
