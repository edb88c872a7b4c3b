"""apply_patches.py UPSTREAM OUTPUT PATCH...: a copy of a tree with patches.

Copies the files below UPSTREAM to OUTPUT with the PATCHes applied in their order. It
writes only changed files, so that no file is built again without need. A patch
is a unified diff below a text with its reason; its paths begin with a/ and b/. Its
lines must match upstream's exactly. They may be at another place only if there is
a single match. (A machine with a compiler may have neither patch nor git.)
"""

import itertools
import pathlib
import re
import sys

HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def read_hunks(patch):
    """Yields (path, line, old lines, new lines) of each hunk of a patch's text."""
    path, lines = None, iter(patch.splitlines(keepends=True))
    for line in lines:
        if line.startswith("+++ b/"):
            path = line[len("+++ b/") :].split("\t")[0].rstrip("\n")
        elif match := HUNK.match(line):
            counts = [1 if count is None else int(count) for count in match.group(1, 3)]
            old, new = [], []
            while [len(old), len(new)] != counts:
                line = next(lines, "")
                if line[:1] not in (" ", "-", "+") or not line:
                    raise ValueError(f"expected {counts[0]} old and {counts[1]} new lines")
                old += [line[1:]] * (line[0] != "+")
                new += [line[1:]] * (line[0] != "-")
            yield path, int(match.group(2)) - 1, old, new


def apply_hunk(text, first, line, old, new):
    """Changes the lines `text` from `first` on; returns the first line after the change."""
    places = [i for i in range(first, len(text)) if text[i : i + len(old)] == old]
    if line not in places and len(places) != 1:
        raise ValueError(
            f"expected at line {line + 1}, but found at {len(places)} places:\n" + "".join(old)
        )
    place = line if line in places else places[0]
    text[place : place + len(old)] = new
    return place + len(new)


def main(upstream, output, patches):
    paths = sorted(path for path in upstream.rglob("*") if path.is_file())
    files = {
        path.relative_to(upstream).as_posix(): path.read_text().splitlines(keepends=True)
        for path in paths
    }
    for patch in patches:
        try:
            hunks = list(read_hunks(patch.read_text()))
            if not hunks:
                raise ValueError("expected a unified diff, but found none")
        except ValueError as error:
            sys.exit(f"{patch}: {error}")
        for path, group in itertools.groupby(hunks, key=lambda hunk: hunk[0]):
            first = 0
            try:
                if path not in files:
                    raise ValueError("expected a file of this name, but found none")
                for _, line, old, new in group:
                    first = apply_hunk(files[path], first, line, old, new)
            except ValueError as error:
                sys.exit(f"{patch} does not apply to {upstream / str(path)}: {error}")
    for path, lines in files.items():
        target, text = output / path, "".join(lines)
        if not target.exists() or target.read_text() != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:3]), list(map(pathlib.Path, sys.argv[3:])))
