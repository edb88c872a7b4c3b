"""check_files.py ROOT: fails if git tracks a file at the top level of ROOT that has no place there."""

import pathlib
import subprocess
import sys

EXPECTED = {
    *(".ci", ".clang-format", ".clang-tidy", ".gitignore"),
    *("CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md"),
    *("benchmarks", "cmake", "docs", "examples", "include", "lib", "python", "test", "third_party"),
    *("tools", "pyproject.toml", "requirements.txt"),
}

root = pathlib.Path(sys.argv[1])
tracked = subprocess.run(
    ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "-z"],
    check=True,
    capture_output=True,
    text=True,
).stdout
found = {path.split("/")[0] for path in tracked.split("\0") if path}
for name in sorted(found - EXPECTED):
    print(f"expected nothing at the top level but what check_files.py lists, found {name}")
for name in sorted(EXPECTED - found):
    print(f"expected {name} at the top level, as check_files.py lists it, found none")
sys.exit(found != EXPECTED)
