"""check_layers.py ROOT: fails if Support/, Pass/ or Instrument/ needs a dialect of ours.

An embedder links these layers alone, so they include and link nothing of
Partita but themselves.
"""

import pathlib
import re
import sys

LAYERS = ("Support", "Pass", "Instrument")
INCLUDE = re.compile(r'^\s*#?\s*include\s*["<]((?:partita|\.\.)/[^">]+)[">]')
LIBRARY = re.compile(r"\bPartita([A-Z]\w*)")


def foreign(path, line):
    """What of the other layers this line names."""
    if path.name == "CMakeLists.txt":
        return [f"Partita{name}" for name in LIBRARY.findall(line) if not name.startswith(LAYERS)]
    return [name for name in INCLUDE.findall(line) if name.split("/")[1] not in LAYERS]


errors = files = 0
root = pathlib.Path(sys.argv[1])
for layer in LAYERS:
    for tree in (root / "include/partita" / layer, root / "lib" / layer):
        for path in sorted(filter(pathlib.Path.is_file, tree.rglob("*"))):
            files += 1
            for number, line in enumerate(path.read_text().splitlines(), 1):
                for name in foreign(path, line):
                    errors += 1
                    print(
                        f"{path.relative_to(root)}:{number}: expected nothing of "
                        f"Partita but Support, Pass and Instrument, found {name}"
                    )
if not files:
    sys.exit(f"no sources of Pass or Instrument below {root}")
sys.exit(errors != 0)
