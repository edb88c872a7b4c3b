"""check_trace.py [--order] [--threads] EVENTS...: checks a trace on stdin.

It is checked against the trace event format: fields, their types, and that the
spans of a thread nest. EVENTS are the spans as PARENT>SPAN, each span followed by
"@F" for a pass on function F, and by "!" if it failed. With --order, they are in
the order in which they begin, and on one thread. With --threads, there must be more
than one thread if there is more than one processor.
"""

import json
import os
import sys
from collections import defaultdict
from fractions import Fraction

arguments = sys.argv[1:]
flags = {argument for argument in arguments if argument.startswith("--")}
expected = [argument for argument in arguments if argument not in flags]

# Times are decimals; floats would not add up.
trace = json.load(sys.stdin, parse_float=Fraction)
assert set(trace) == {"traceEvents", "displayTimeUnit"}, trace.keys()
assert trace["displayTimeUnit"] in ("ms", "ns")
events = trace["traceEvents"]
pids = {event["pid"] for event in events}
assert len(pids) == 1 and all(type(pid) is int for pid in pids), pids

threads, samples, spans = {}, [], defaultdict(list)
for event in events:
    assert type(event["name"]) is str and type(event["tid"]) is int, event
    assert type(event["args"]) is dict, event
    if event["ph"] == "M":
        assert set(event) == {"name", "ph", "pid", "tid", "args"}, event
        if event["name"] == "thread_name":
            assert event["tid"] not in threads, event
            threads[event["tid"]] = event["args"]["name"]
        else:
            assert event["name"] == "process_name", event
        continue
    assert isinstance(event["ts"], (int, Fraction)) and event["ts"] >= 0, event
    if event["ph"] == "C":
        assert set(event) == {"name", "ph", "ts", "pid", "tid", "args"}, event
        (value,) = event["args"].values()
        assert type(value) is int and value > 0, event
        samples.append(event["ts"])
        continue
    assert event["ph"] == "X", event
    fields = {"name", "cat", "ph", "ts", "dur", "pid", "tid", "args"}
    assert set(event) == fields, event
    assert event["cat"] in ("pass", "function", "sequential"), event
    assert isinstance(event["dur"], (int, Fraction)) and event["dur"] >= 0, event
    spans[event["tid"]].append(event)
assert set(spans) == set(threads), (set(spans), threads)
assert len(set(threads.values())) == len(threads), threads
assert samples == sorted(samples), samples
assert samples or not sys.platform.startswith("linux")
assert not spans or min(event["ts"] for track in spans.values() for event in track) == 0

found = []
for track in spans.values():
    assert track == sorted(track, key=lambda event: event["ts"])
    open_spans = []
    for event in track:
        end = event["ts"] + event["dur"]
        while open_spans and event["ts"] >= open_spans[-1]["ts"] + open_spans[-1]["dur"]:
            open_spans.pop()
        parent = open_spans[-1] if open_spans else None
        assert not parent or end <= parent["ts"] + parent["dur"], (event, parent)
        open_spans.append(event)
        args = event["args"]
        name = event["name"] + ("@" + args["function"] if "function" in args else "")
        name += "!" if args["failed"] else ""
        assert event["cat"] != "pass" or type(args["step"]) is int, event
        assert "function" not in args or parent["name"] == args["function"], (event, parent)
        found.append((parent["name"] + ">" if parent else "") + name)
if "--order" in flags:
    assert len(threads) == 1, threads
    assert found == expected, found
elif expected:
    assert sorted(found) == sorted(expected), sorted(found)
assert "--threads" not in flags or len(threads) > 1 or os.cpu_count() == 1, threads
