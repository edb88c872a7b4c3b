"""check_unity.py ROOT: fails if two sources of a library have one name for different things.

Sources can be compiled many at a time (CMAKE_UNITY_BUILD). Then static functions,
constants, and types in anonymous namespaces share one scope with the other sources'.
"""

import collections
import pathlib
import re
import sys

FUNCTION = re.compile(r"^static [^;{=]*?\b(\w+)\(([^;{]*?)\)\s*[{;]", re.M)
CONSTANT = re.compile(r"^(?:static )?(?:constexpr|const) [^;{=(]*?\b(\w+)(?:\[\w*\])? = ", re.M)
ANONYMOUS = re.compile(r"^namespace \{$(.*?)^\} // namespace$", re.M | re.S)
TYPE = re.compile(r"^(?:struct|class|enum class|using) (\w+)[^;]*?[{=]", re.M)


def find_hidden(text):
    """The hidden names of a source: functions with their parameters, constants and types."""
    yield from CONSTANT.findall(text)
    for name, parameters in FUNCTION.findall(text):
        types = [re.sub(r"\s*\b\w+$", "", each.strip()) for each in parameters.split(",")]
        yield f"{name}({', '.join(types)})"
    for block in ANONYMOUS.findall(text):
        yield from TYPE.findall(block)


def find_library(root, path):
    """The folder of the library that a source belongs to."""
    folders = path.relative_to(root).parents
    return next((each for each in folders if (root / each / "CMakeLists.txt").exists()), folders[0])


root = pathlib.Path(sys.argv[1])
libraries = collections.defaultdict(lambda: collections.defaultdict(set))
for path in sorted([*root.glob("lib/**/*.cpp"), *root.glob("python/**/*.cpp")]):
    for name in find_hidden(path.read_text()):
        libraries[find_library(root, path)][name].add(path.name)
if not libraries:
    sys.exit(f"no sources below {root}")
errors = 0
for folder, names in libraries.items():
    for name, files in names.items():
        if len(files) > 1:
            errors += 1
            print(f"{folder}: expected one source to hide {name}, found {', '.join(sorted(files))}")
sys.exit(errors > 0)
