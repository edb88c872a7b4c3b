"""check_memory_json.py NAMES...: checks a memory report in JSON on stdin.

NAMES are the passes in the order in which they are nested, each followed by "!" if
it failed. With --no-peak, all peaks must be unknown; with --other-allocator, all sizes
of the heap.
"""

import json
import sys

found = []


def check(record, parent):
    found.append(record["pass"] + ("!" if record["failed"] else ""))
    before, after, peak = record["rss_before"], record["rss_after"], record["rss_peak"]
    # This is Linux with glibc, whose allocator a sanitizer replaces.
    assert before > 0 and after > 0, record
    for heap in (record["heap_before"], record["heap_after"]):
        assert heap is None if other_allocator else heap > 0, record
    if no_peak:
        assert peak is None, record
    elif peak is not None:
        assert peak >= before, record
        assert not parent or parent["rss_peak"] >= peak, (parent, record)
    for child in record["passes"]:
        check(child, record)


names = sys.argv[1:]
other_allocator = "--other-allocator" in names
no_peak = "--no-peak" in names
names = [name for name in names if not name.startswith("--")]
for record in json.load(sys.stdin):
    check(record, None)
assert found == names, found
