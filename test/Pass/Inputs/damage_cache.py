"""damage_cache.py DIR: damages each file of a pass cache, in turn in three ways."""

import pathlib
import sys

for number, path in enumerate(sorted(pathlib.Path(sys.argv[1]).glob("llvmcache-*"))):
    text = bytearray(path.read_bytes())
    if number % 3 == 0:
        text[len(text) // 2] ^= 1
    elif number % 3 == 1:
        del text[len(text) // 2 :]
    else:
        text[:] = b""
    path.write_bytes(text)
