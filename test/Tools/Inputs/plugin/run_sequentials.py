"""run_sequentials.py MLIR_OPT PLUGIN PIPELINES FOLDER

Runs each pipeline of PIPELINES on its file in FOLDER by mlir-opt alone, and as
a Sequential of the plugin. The output must be the same, bare and timed, and
the report must have each pass once.
"""

import pathlib
import re
import subprocess
import sys


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def names_of(pipeline):
    """The passes of a pipeline, without anchors and options."""
    text = re.sub(r"\{[^}]*\}", "", pipeline)
    return re.findall(r"[\w.-]+(?=[,)]|$)", text)


tool, plugin, pipelines, folder = sys.argv[1:]
count = numPasses = 0
for line in pathlib.Path(pipelines).read_text().splitlines():
    if line.startswith("#"):
        continue
    name, pipeline = line.split(" ", 1)
    file = str(pathlib.Path(folder) / name)
    alone = run(tool, file, f"--pass-pipeline=builtin.module({pipeline})")
    assert alone.returncode == 0 and alone.stdout, alone.stderr
    for options in ("", " context-level=3 instruments=timing"):
        sequential = f"sequential{{passes=any({pipeline}){options}}}"
        planned = run(
            tool,
            f"--load-dialect-plugin={plugin}",
            f"--load-pass-plugin={plugin}",
            file,
            f"--pass-pipeline=builtin.module({sequential})",
        )
        assert planned.returncode == 0, planned.stderr
        assert planned.stdout == alone.stdout, f"{line}: expected the same output"
    expected = names_of(pipeline)
    reported = re.findall(r"^\t([^\s:]+): [\d.]+us", planned.stderr, re.M)
    assert reported == expected, f"{line}: expected {expected}, but found {reported}"
    count += 1
    numPasses += len(expected)
print(f"{count} pipelines, {numPasses} passes")
