"""Checks the importer's errors about invalid files.

The cases are in FILE: after `NAME> `, Python statements that change the module `m`
and its nodes `n`, read from NAME.json, or, after `text> `, an expression that is the
whole input; and in the next line, after `error: `, the one error that they cause with
--strict, or, after `broken: `, with it and without.

usage: check_errors.py TRANSLATE FILE FOLDER...
"""

import base64
import json
import pathlib
import re
import subprocess
import sys


def blob(node):
    return bytearray(base64.b64decode(node["data"]))


def overwrite(node, offset, value):
    """Replaces a part of an ffi.Tensor's blob."""
    data = blob(node)
    data[offset : offset + len(value)] = value
    node["data"] = base64.b64encode(data).decode()


def cut(node, size):
    """Shortens an ffi.Tensor's blob."""
    node["data"] = base64.b64encode(blob(node)[:size]).decode()


def nest(m, depth, width):
    """Adds a module attribute: an array with `width` times the same inner array, nested
    `depth` deep."""
    nodes = m["nodes"]
    root = nodes.pop()
    element = root["data"]["global_infos"]
    for _ in range(depth):
        nodes.append({"type": "ffi.Array", "data": [element] * width})
        element = len(nodes) - 1
    nodes.append({"type": "ffi.Map", "data": [2, element]})
    nodes.append({"type": "ir.DictAttrs", "data": {"__dict__": len(nodes) - 1}})
    root["data"]["attrs"] = len(nodes) - 1
    m["root_index"] = len(nodes)
    nodes.append(root)


def main():
    translate, file, *folders = sys.argv[1:]
    texts = {
        path.stem: path.read_text()
        for folder in folders
        for path in pathlib.Path(folder).glob("*.json")
    }
    cases = re.findall(r"^(\w+)> (.*)\n(error|broken): (.*)$", open(file).read(), re.MULTILINE)
    failures = 0
    for name, code, kind, expected in cases:
        if name == "text":
            text = eval(code, dict(texts))
        else:
            m = json.loads(texts[name])
            exec(code, {**globals(), "m": m, "n": m["nodes"]})
            text = json.dumps(m)
        for flags in [["--strict"], []][: 2 if kind == "broken" else 1]:
            run = subprocess.run(
                [translate, "--import-tvm-json", *flags],
                input=text if isinstance(text, bytes) else text.encode(),
                capture_output=True,
            )
            found = run.stderr.decode()
            if (run.returncode, run.stdout, found) != (1, b"", f"<stdin>:0:0: error: {expected}\n"):
                failures += 1
                print(f"{name}> {code}\nexpected: {expected}\nfound {run.returncode}: {found}")
    print(f"{len(cases)} cases, {failures} failures")
    sys.exit(failures > 0 or not cases)


if __name__ == "__main__":
    main()
