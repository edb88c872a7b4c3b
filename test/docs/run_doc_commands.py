"""run_doc_commands.py ROOT BUILD SCRATCH [DOC...]: runs what documents show.

A block that is fenced as `sh` is run by bash, in order, in a folder that looks
like a clone with its `build`; a command that starts with `make` or `git clone`
is left out: CI runs those. A block fenced as `LANGUAGE file=NAME` is written to
NAME in that folder. With no DOC it is ROOT's README.md, CONTRIBUTING.md and docs/.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

FENCE = re.compile(
    r"^ *```(?P<language>[\w+]+)(?: file=(?P<file>\S+))?\n(?P<text>.*?)^ *```$", re.M | re.S)
LEFT_OUT = re.compile(r"(make|git clone)\b")


def commands(text):
    """The commands of a block, each with its continuation lines."""
    lines = text.replace("\\\n", "\\\0").splitlines()
    kept = [line for line in lines if not LEFT_OUT.match(line)]
    return "\n".join(kept).replace("\0", "\n")


def run(document, scratch):
    """Runs the blocks of a document; returns how many failed, 0 or 1."""
    text = document.read_text()
    for block in FENCE.finditer(text):
        body = textwrap.dedent(block["text"])
        if block["file"]:
            # Folders are links into the sources.
            assert "/" not in block["file"], f"{document}: expected no folder in {block['file']}"
            (scratch / block["file"]).write_text(body)
        elif block["language"] == "sh":
            script = "set -euo pipefail\n" + commands(body)
            result = subprocess.run(["bash", "-c", script], cwd=scratch, text=True,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT)
            if result.returncode:
                line = text.count("\n", 0, block.start()) + 1
                print(f"{document}:{line}: exit code {result.returncode} of\n"
                      f"{body}{result.stdout}")
                return 1
    return 0


root, build, scratch = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
documents = [pathlib.Path(path) for path in sys.argv[4:]]
if not documents:
    documents = [root / "README.md", root / "CONTRIBUTING.md",
                 *sorted(root.glob("docs/**/*.md"))]

failed = 0
for document in documents:
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    for path in root.iterdir():
        if not path.name.startswith((".", "build")):
            (scratch / path.name).symlink_to(path)
    (scratch / "build").symlink_to(build)
    (scratch / ".venv").symlink_to(pathlib.Path(sys.prefix))
    failed += run(document, scratch)
sys.exit(f"{failed} of {len(documents)} documents show commands that fail"
         if failed else 0)
