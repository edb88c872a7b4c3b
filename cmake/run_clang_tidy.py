"""run_clang_tidy.py BUILD: clang-tidy over Partita's C++ sources, two at a time.

Takes the sources from BUILD/compile_commands.json; fails if one has a finding.
Sources that are compiled many at once are parsed many at once: most of the time
goes into MLIR's headers.
"""

import concurrent.futures
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = pathlib.Path(sys.executable).parent / "clang-tidy"
build = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = [root / folder for root in (ROOT, build) for folder in ("lib", "tools")]


def is_ours(path):
    return any(folder in path.parents for folder in FOLDERS)


def tidy(path):
    # The compile commands are GCC's: clang need not know all its flags.
    result = subprocess.run(
        [
            TIDY,
            "-p",
            build,
            "--quiet",
            "--warnings-as-errors=*",
            # What a source of many sources includes counts as headers.
            r"--header-filter=/include/partita/.*\.h$|/(lib|tools)/.*\.cpp$",
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
sources = sorted({pathlib.Path(c["directory"], c["file"]) for c in commands})
failed = 0
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for path, result in pool.map(tidy, filter(is_ours, sources)):
        if result.returncode:
            failed += 1
            print(result.stdout or result.stderr, flush=True)
sys.exit(f"clang-tidy: findings in {failed} files" if failed else 0)
