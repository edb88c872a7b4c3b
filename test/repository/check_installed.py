"""check_installed.py PREFIX ROOT < FILES: checks the files of an installation in PREFIX.

FILES are its files, each below PREFIX. No file may be in a wrong place, be LLVM's own
tool, or name a folder of the tree in ROOT.
"""

import fnmatch
import os
import pathlib
import sys

# In MB, with MLIR in the Python package and the tools; without what runs code.
LARGEST = 232
LARGEST_RUNTIME = 68
RUNTIME = [
    "bin/partita-run",
    "lib/libPartitaRuntime.so",
    "lib/python3.*/site-packages/partita/_runtime.*.so",
]

ALLOWED = [
    "bin/partita-bisect",
    "bin/partita-lsp-server",
    "bin/partita-opt",
    "bin/partita-run",
    "bin/partita-tblgen",
    "bin/partita-translate",
    "include/partita/*",
    "include/partita-c/*",
    "lib/libPartita*.a",
    "lib/libPartitaPlugin.so",
    "lib/libPartitaRuntime.so",
    "lib/libPartitaTools.so",
    "lib/cmake/partita/*.cmake",
    "lib/python3.*/site-packages/partita/*",
    "share/doc/partita/*",
]

prefix, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
files = [line.strip().removeprefix("./") for line in sys.stdin]
assert files, f"expected files in {prefix}, but found none"
errors = [
    f"expected no file such as {file}"
    for file in files
    if not any(fnmatch.fnmatch(file, pattern) for pattern in ALLOWED)
]
size = runtime = 0
roots = [str(root).encode(), str((root / ".venv").resolve()).encode()]
for file in files:
    path = prefix / file
    if any(fnmatch.fnmatch(file, pattern) for pattern in RUNTIME):
        runtime += path.lstat().st_size
    else:
        size += path.lstat().st_size
    if path.is_symlink():
        errors.append(f"expected no link, but found {file}")
    # Tools and libraries have the places of their sources in assertions.
    elif path.suffix in (".cmake", ".h", ".inc", ".td", ".py"):
        text = path.read_bytes()
        errors += [f"expected {file} not to name {r.decode()}" for r in roots if r in text]
print(f"{len(files)} files, {size / 1e6:.0f} MB, and {runtime / 1e6:.0f} MB of the runtime")
if size > LARGEST * 1e6:
    errors.append(f"expected less than {LARGEST} MB")
if runtime > LARGEST_RUNTIME * 1e6:
    errors.append(f"expected a runtime of less than {LARGEST_RUNTIME} MB")
sys.exit(os.linesep.join(errors) or 0)
