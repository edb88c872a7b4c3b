"""Compares the outputs of two tools: same_output.py TOOL TOOL PIPELINES FILE...

Each line of PIPELINES is a command line. The tools must agree, byte for byte,
in stdout, stderr and exit code; the tools' own names in messages count as equal.
"""

import pathlib
import re
import subprocess
import sys


def run(tool, arguments):
    result = subprocess.run([tool, *arguments], capture_output=True)
    # Errors in flags begin with it, and logs of actions name the thread by it.
    name = re.compile(rb"(^|\[thread )" + pathlib.Path(tool).name.encode(), re.MULTILINE)
    out, err = (name.sub(rb"\1TOOL", text) for text in (result.stdout, result.stderr))
    return out, err, result.returncode


def main():
    first, second, pipelines, *files = sys.argv[1:]
    lines = [
        line.split(" --")
        for line in pathlib.Path(pipelines).read_text().splitlines()
        if not line.startswith("#")
    ]
    same = different = succeeded = 0
    for file in files:
        for head, *tail in lines:
            arguments = [file, head, *("--" + rest for rest in tail)]
            expected, found = run(first, arguments), run(second, arguments)
            if expected == found:
                same += 1
                succeeded += expected[2] == 0
                continue
            different += 1
            print("different:", *arguments)
            for name, left, right in zip(("stdout", "stderr", "exit"), expected, found):
                if left != right:
                    print(f"  {name} of {first}: {left!r}\n  {name} of {second}: {right!r}")
    print(f"{same} same, {different} different, {succeeded} of exit code 0")
    sys.exit(different != 0)


main()
