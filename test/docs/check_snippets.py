"""check_snippets.py DOC FOLDER: snippets in DOC must be in the files in FOLDER.

This holds for a block of C, C++, CMake or, as `py`, Python that is not written to a file, and
so not run. Indentation may differ.
"""

import pathlib
import re
import sys
import textwrap


def lines_of(text):
    return [line.strip() for line in textwrap.dedent(text).strip().splitlines()]


def contains(lines, snippet):
    last = len(lines) - len(snippet)
    return any(lines[i : i + len(snippet)] == snippet for i in range(last + 1))


document, folder = (pathlib.Path(path) for path in sys.argv[1:])
files = [path for path in folder.rglob("*") if path.suffix != ".pyc" and path.is_file()]
texts = [lines_of(path.read_text()) for path in files]
blocks = re.findall(r"^```(?:c\+\+|c|cmake|py)\n(.*?)^```$", document.read_text(), re.M | re.S)
missing = [block for block in blocks if not any(contains(text, lines_of(block)) for text in texts)]
print(f"{len(blocks)} snippets, {len(missing)} of them in no example")
sys.exit("".join(f"expected in {folder}:\n{block}" for block in missing) or 0)
