"""run_doc_commands.py ROOT BUILD SCRATCH [DOC...]: runs the examples in documents.

bash runs each block that is fenced as `sh`, in order, in a folder that looks like a
clone with its `build`. Commands that start with `make` or `git clone` are skipped: CI
runs them. Variables that a block exports stay for later blocks and documents; README.md,
which comes first, says how commands are found. A block fenced as `LANGUAGE file=NAME` is
written to NAME in that folder. Blocks fenced as `python` run after these, all in one
process. If a block fenced as `text` is right below a block, it shows the output. Without
it, a `python` block must print nothing, and the output of an `sh` block is ignored. In the
output, `...` stands for any text, and times and addresses may differ; in a block fenced as
`text varies`, all numbers, spaces and the order of lines may differ. Without DOC, the
documents are ROOT's README.md, CONTRIBUTING.md and docs/, except those that need a compiler
or what BUILD lacks.
"""

import doctest
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import textwrap

FENCE = re.compile(
    r"^ *```(?P<language>[\w+]+)(?: file=(?P<file>\S+))?(?P<varies> varies)?\n(?P<text>.*?)^ *```$",
    re.M | re.S,
)
LEFT_OUT = re.compile(r"(make|git clone)\b")
# Times, percentages and addresses, which differ from run to run.
UNSTABLE = re.compile(r"\d+(?:\.\d+)?(?=us\b|ms\b|%)|0x[0-9a-f]+\b")
END_OF_BLOCK = "\0"
# They have a test of their own.
COMPILED = {"embedding.md"}


def commands(text):
    """The commands of a block, each with its continuation lines."""
    lines = text.replace("\\\n", "\\\0").splitlines()
    kept = [line for line in lines if not LEFT_OUT.match(line)]
    return "\n".join(kept).replace("\0", "\n")


def blocks_of(text):
    """The blocks of a document, each with the block that shows its output, or None."""
    found = []
    end = 0
    for block in FENCE.finditer(text):
        if block["language"] != "text":
            found.append((block, None))
        elif found and found[-1][0].end() == end and not text[end : block.start()].strip():
            found[-1] = (found[-1][0], block)
        end = block.end()
    return found


def stable(output, varies=False):
    """`output` without the parts that differ from run to run."""
    lines = UNSTABLE.sub("N", output).strip("\n").splitlines()
    if varies:
        # Tables are often sorted by time.
        lines = sorted(" ".join(re.sub(r"[+-]?\d+(\.\d+)?", "N", line).split()) for line in lines)
    return "".join(line.rstrip() + "\n" for line in lines)


def prints(place, block, shown, output):
    """Whether a block has printed the output that is shown; prints the difference if not."""
    varies = bool(shown and shown["varies"])
    text = textwrap.dedent(shown["text"]) if shown else ""
    example = doctest.Example(block["text"], stable(text, varies))
    output = stable(output, varies)
    checker = doctest.OutputChecker()
    if checker.check_output(example.want, output, doctest.ELLIPSIS):
        return True
    difference = checker.output_difference(example, output, doctest.ELLIPSIS | doctest.REPORT_UDIFF)
    print(f"{place}: expected the output that is shown, but found\n{difference}")
    return False


def run_command(command, scratch, env=None):
    """Runs a command in `scratch`, with its stderr joined into stdout."""
    return subprocess.run(
        command,
        cwd=scratch,
        env=env,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def run_python(document, text, scratch):
    """Runs the `python` blocks in one process; returns how many failed, 0 or 1."""
    blocks = [
        (block, shown)
        for block, shown in blocks_of(text)
        if block["language"] == "python" and not block["file"]
    ]
    if not blocks:
        return 0
    # The script has the document's line numbers, so that errors name them.
    script = [""] * (text.count("\n") + 2)
    for block, _ in blocks:
        first = text.count("\n", 0, block.start()) + 1
        code = block["text"].splitlines()
        script[first : first + len(code)] = code
        script[first + len(code)] = f"print({END_OF_BLOCK!r}, flush=True)"
    path = scratch / f"{document.stem}_blocks.py"
    path.write_text("\n".join(script))
    command = shlex.join([sys.executable, "-u", path.name])
    if exported.exists():
        command = f". {shlex.quote(str(exported))}; exec {command}"
    result = run_command(["bash", "-c", command], scratch)
    outputs = result.stdout.split(END_OF_BLOCK + "\n")
    for index, (block, shown) in enumerate(blocks):
        place = f"{document}:{text.count(chr(10), 0, block.start()) + 1}"
        if index == len(outputs) - 1:
            print(f"{place}: exit code {result.returncode} of\n{block['text']}{outputs[index]}")
            return 1
        if not prints(place, block, shown, outputs[index]):
            return 1
    if result.returncode:
        print(f"{document}: exit code {result.returncode} at the end\n{outputs[-1]}")
    return int(result.returncode != 0)


def run(document, scratch):
    """Runs the blocks of a document; returns how many failed, 0 or 1."""
    text = document.read_text()
    for block, shown in blocks_of(text):
        body = textwrap.dedent(block["text"])
        if block["file"]:
            # Folders are links into the sources.
            assert "/" not in block["file"], f"{document}: expected no folder in {block['file']}"
            (scratch / block["file"]).write_text(body)
        elif block["language"] == "sh":
            script = f"trap 'export -p >{shlex.quote(str(exported))}' EXIT\n"
            script += "set -euo pipefail\n" + commands(body)
            if exported.exists():
                script = f". {shlex.quote(str(exported))}\n{script}"
            env = dict(os.environ)
            # Only the README says where the package is.
            if document.name == "README.md":
                env.pop("PYTHONPATH", None)
            result = run_command(["bash", "-c", script], scratch, env)
            place = f"{document}:{text.count(chr(10), 0, block.start()) + 1}"
            if result.returncode:
                print(f"{place}: exit code {result.returncode} of\n{body}{result.stdout}")
                return 1
            if shown and not prints(place, block, shown, result.stdout):
                return 1
    return run_python(document, text, scratch)


root, build, scratch = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
# The variables that the blocks so far have exported, as text for bash.
exported = scratch.with_name(scratch.name + ".exported")
exported.unlink(missing_ok=True)
documents = [pathlib.Path(path) for path in sys.argv[4:]]
if not documents:
    pages = [page for page in sorted(root.glob("docs/**/*.md")) if page.name not in COMPILED]
    if not (build / "bin/partita-run").exists():
        pages = [page for page in pages if page.name != "run.md"]
    documents = [root / "README.md", root / "CONTRIBUTING.md", *pages]

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
sys.exit(f"{failed} of {len(documents)} documents show commands that fail" if failed else 0)
