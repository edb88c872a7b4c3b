"""run_clang_tidy.py BUILD: clang-tidy over Partita's C++ sources, two at a time.

Takes the sources from BUILD/compile_commands.json; fails if one has a finding.
Sources that are compiled many at once are parsed one by one here, so that each
is known to include what it uses.
"""

import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = pathlib.Path(sys.executable).parent / "clang-tidy"
build = pathlib.Path(sys.argv[1]).resolve()
database = build / "clang-tidy"


def split_unity(command):
    """The commands of the sources that a command compiles at once."""
    folder = pathlib.Path(command["directory"])
    path = folder / command["file"]
    if not re.fullmatch(r"unity_\d+_cxx.cxx", path.name):
        return [command]
    names = re.findall(r'^#include "(.*)"', path.read_text(), re.M)
    return [
        {**command, "file": each, "command": command["command"].replace(str(path), each)}
        for each in (str(ROOT / name) for name in names)
    ]


def is_ours(path):
    return any(folder in path.parents for folder in (ROOT / "lib", ROOT / "tools"))


def tidy(path):
    # The compile commands are GCC's: clang need not know all its flags.
    result = subprocess.run(
        [
            TIDY,
            "-p",
            database,
            "--quiet",
            "--warnings-as-errors=*",
            "--extra-arg=-Wno-unknown-warning-option",
            "--extra-arg=-Wno-ignored-optimization-argument",
            path,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return path, result


commands = json.loads((build / "compile_commands.json").read_text())
commands = [each for command in commands for each in split_unity(command)]
database.mkdir(exist_ok=True)
(database / "compile_commands.json").write_text(json.dumps(commands))
sources = sorted({pathlib.Path(c["directory"], c["file"]) for c in commands})
failed = 0
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for path, result in pool.map(tidy, filter(is_ours, sources)):
        if result.returncode:
            failed += 1
            print(result.stdout or result.stderr, flush=True)
sys.exit(f"clang-tidy: findings in {failed} files" if failed else 0)
