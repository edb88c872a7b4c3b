"""Damages JSON files at random and imports them.

Whatever the damage, the importer has to exit with 0, or with 1 and an error
that says what it expected: never with a signal, an assertion or in silence. What
it accepts has to be a module that parses and verifies.

usage: fuzz.py TRANSLATE OPT SEED COUNT FILE...
"""

import base64
import copy
import json
import random
import subprocess
import sys

NUMBERS = [-1, 0, 1, 2, 3, 255, 2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**64]
NUMBERS += [-(2**31), -(2**63), 1.5, 1e300]
VALUES = [None, True, "", "float32", "float32x4", "int4", "\0\u20ac", [], [0], {}]


def any_value(rng, limit):
    kind = rng.randrange(3)
    if kind == 0:
        return rng.choice(NUMBERS)
    if kind == 1:
        return rng.randrange(limit)
    return copy.deepcopy(rng.choice(VALUES))


def damage_tensor(rng, node):
    blob = bytearray(base64.b64decode(node["data"]))
    header = min(len(blob), 64)
    kind = rng.randrange(4)
    if kind == 0:
        blob[rng.randrange(header)] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del blob[rng.randrange(len(blob)) :]
    elif kind == 2:
        at = rng.randrange(0, header - 8, 8)
        blob[at : at + 8] = (rng.choice(NUMBERS[:12]) % 2**64).to_bytes(8, "little")
    else:
        blob += bytes(8)
    node["data"] = base64.b64encode(blob).decode()
    if rng.randrange(4) == 0:
        at = rng.randrange(len(node["data"]))
        node["data"] = node["data"][:at] + rng.choice("=*A") + node["data"][at + 1 :]


def damage_node(rng, nodes):
    node = rng.choice(nodes)
    data = node.get("data")
    if node["type"] == "ffi.Tensor" and isinstance(data, str) and data:
        return damage_tensor(rng, node)
    kind = rng.randrange(8)
    if kind == 0:
        node["type"] = rng.choice(nodes)["type"]
    elif kind == 1:
        node.pop(rng.choice(list(node)))
        node.setdefault("type", "")
    elif kind == 2:
        other = rng.choice(nodes)
        node["data"], other["data"] = other.get("data"), data
    elif isinstance(data, dict) and data:
        key = rng.choice(list(data))
        if kind == 3:
            del data[key]
        elif kind == 4:
            data["extra"] = data.pop(key)
        elif kind == 5:
            other = rng.choice(list(data))
            data[key], data[other] = data[other], data[key]
        else:
            data[key] = any_value(rng, len(nodes))
    elif isinstance(data, list) and data:
        at = rng.randrange(len(data))
        if kind == 3:
            del data[at]
        elif kind == 4:
            data.insert(at, any_value(rng, len(nodes)))
        elif kind == 5:
            rng.shuffle(data)
        else:
            data[at] = any_value(rng, len(nodes))
    else:
        node["data"] = any_value(rng, len(nodes))


def damage(rng, text):
    kind = rng.randrange(20)
    if kind == 0:
        return text[: rng.randrange(len(text))]
    if kind == 1:
        at = rng.randrange(len(text))
        return text[:at] + chr(rng.randrange(32, 127)) + text[at + 1 :]
    if kind == 2:
        return text.replace("[", "[" * rng.choice([2, 60, 100000]), 1)
    module = json.loads(text)
    nodes = module["nodes"]
    if kind == 3:
        key = rng.choice(list(module))
        module[key] = any_value(rng, len(nodes))
    elif kind == 4:
        i, j = rng.randrange(len(nodes)), rng.randrange(len(nodes))
        nodes[i], nodes[j] = nodes[j], nodes[i]
    elif kind == 5:
        del nodes[rng.randrange(len(nodes))]
    else:
        for _ in range(rng.randrange(1, 4)):
            damage_node(rng, nodes)
    return json.dumps(module)


def run(command, data):
    result = subprocess.run(command, input=data, capture_output=True)
    return result.returncode, result.stdout, result.stderr.decode(errors="replace")


def main():
    translate, opt, seed, count, *files = sys.argv[1:]
    texts = [open(file).read() for file in files]
    rejected = 0
    for i in range(int(count)):
        rng = random.Random(f"{seed}/{i}")
        text = damage(rng, rng.choice(texts))
        code, module, errors = run([translate, "--import-tvm-json"], text.encode())
        if code == 0 and ("warning: the dialects lack" in errors or not errors):
            code, _, errors = run([opt, "-o", "/dev/null"], module)
            if code == 0 and not errors:
                continue
            errors = f"accepted, but: {errors}"
        elif code == 1 and "error: " in errors:
            rejected += 1
            continue
        sys.exit(f"seed {seed}/{i}: exit code {code}\n{errors}")
    print(f"{count} damaged files, {rejected} rejected")


if __name__ == "__main__":
    main()
