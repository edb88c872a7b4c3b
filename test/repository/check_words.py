"""check_words.py ROOT [FOLDER=BOUND]...: fails if a folder has too many unclear phrases.

These are phrases in which a reader has to find out what a pronoun stands for. They
count in comments, docstrings, documents and messages, also across lines. A file counts
for the longest FOLDER that it is in; the bound of all other files is 0.
"""

import collections
import pathlib
import re
import sys

TREES = ("include", "lib", "tools", "python", "test", "docs", "benchmarks", "cmake", "examples")
SUFFIXES = {".cpp", ".h", ".c", ".td", ".py", ".md", ".cmake", ".txt", ".test", ".mlir", ".sh"}
OWN = ("test/repository/words.test", "test/repository/Inputs/words/")
SPACE = r"\s+(?:(?://+|#|\*)\s*)?"
PHRASES = (
    r"(?:that|those|the ones?) of",
    r"of (?:which|whom|what)",
    r"(?:is|are|was|were) of",
    r"it is wha[t]",
    r"what (?:\w+ ){0,3}(?:is|are|was|were) (?:of|for|at|in|to|not|no)",
)
ANY = re.compile(r"\b(?:" + "|".join(PHRASES).replace(" ", SPACE) + r")\b", re.I)


def find_files(root):
    """The name and the path of each file to read, except this check's own test."""
    paths = [path for tree in TREES for path in (root / tree).rglob("*")]
    for path in sorted([*paths, *root.glob("*.md")]):
        name = path.relative_to(root).as_posix()
        if path.suffix in SUFFIXES and not name.startswith(OWN):
            yield name, path


def find_folder(name, bounds):
    """The longest of the folders that the file is in; "" if there is none."""
    return max((f for f in bounds if name.startswith(f + "/") or name == f), key=len, default="")


root = pathlib.Path(sys.argv[1])
bounds = {folder: int(bound) for folder, bound in (text.split("=") for text in sys.argv[2:])}
found = collections.defaultdict(list)
files = 0
for name, path in find_files(root):
    files += 1
    text = path.read_text(errors="replace")
    for match in ANY.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        found[find_folder(name, bounds)].append((name, line, " ".join(match[0].split())))
if not files:
    sys.exit(f"no files below {root}")
too_many = {f: places for f, places in found.items() if len(places) > bounds.get(f, 0)}
for folder, places in too_many.items():
    print(f"{folder or 'elsewhere'}: expected at most {bounds.get(folder, 0)}, found {len(places)}")
    for name, line, phrase in places:
        print(f"{name}:{line}: expected the name of the thing, found '{phrase}'")
sys.exit(bool(too_many))
