"""damage.py COMMAND... FILE: runs a command on damaged copies of FILE.

The command must give its result or an error, and not crash. One copy ends in zeros, some
are cut, and the others have other bytes in a few places.
"""

import pathlib
import random
import subprocess
import sys

*command, name = sys.argv[1:]
data = pathlib.Path(name).read_bytes()
damaged = pathlib.Path(name + ".damaged" + pathlib.Path(name).suffix)
generator = random.Random(1)
variants = [data[: len(data) * i // 12] for i in range(12)] + [data[:-30] + bytes(30)]
for _ in range(40):
    changed = bytearray(data)
    for _ in range(generator.choice([1, 3, 20])):
        # The two ends have most fields.
        place = generator.choice([generator.randrange(len(data)), generator.randrange(200)])
        place = place if generator.random() < 0.6 else len(data) - 1 - place
        changed[place] = generator.randrange(256)
    variants.append(bytes(changed))
failed = 0
for variant in variants:
    damaged.write_bytes(variant)
    done = subprocess.run([*command, str(damaged)], capture_output=True)
    assert done.returncode in (0, 1), (done.returncode, done.stderr.decode()[-2000:])
    assert done.returncode == 0 or b"error: " in done.stderr, done.stderr
    failed += done.returncode
assert failed > 13, failed
print(f"{len(variants)} files, no crash")
