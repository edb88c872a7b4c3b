"""check_paths.py ROOT [DOC...]: files that documents name in backticks are there."""

import pathlib
import re
import sys

PATH = re.compile(r"`((?:lib|include|python|test|tools|cmake|third_party|benchmarks)/[\w./*-]+)`")

root = pathlib.Path(sys.argv[1])
documents = [pathlib.Path(path) for path in sys.argv[2:]]
found = errors = 0
for document in documents or sorted(root.glob("docs/*.md")):
    for number, line in enumerate(document.read_text().splitlines(), 1):
        for path in PATH.findall(line):
            found += 1
            if not any(root.glob(path)):
                errors += 1
                print(f"{document.name}:{number}: expected a file, but found {path}")
print(f"{found} paths")
sys.exit(errors != 0)
