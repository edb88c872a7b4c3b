"""check_layers.py ROOT: fails if a layer needs one above it.

In C++, an embedder links Support, Pass and Instrument alone: they include and link
nothing of Partita but themselves. In Python, a package imports only packages below
it, and no modules import each other in a circle, not even inside functions.
"""

import ast
import pathlib
import re
import sys

LAYERS = ("Support", "Pass", "Instrument")
INCLUDE = re.compile(r'^\s*#?\s*include\s*["<]((?:partita|\.\.)/[^">]+)[">]')
LIBRARY = re.compile(r"\bPartita([A-Z]\w*)")

# From bottom to top: packages of a row may import packages of earlier rows.
PACKAGES = (("mlir", "errors"), ("ir",), ("transform",), ("bridge", "instrument", "relax", "tir"))
RANKS = {name: rank for rank, names in enumerate(PACKAGES) for name in names}


def foreign(path, line):
    """The other layers that this line names."""
    if path.name == "CMakeLists.txt":
        return [f"Partita{name}" for name in LIBRARY.findall(line) if not name.startswith(LAYERS)]
    return [name for name in INCLUDE.findall(line) if name.split("/")[1] not in LAYERS]


def check_cpp(root):
    """The errors in C++; None if there are no sources."""
    errors = files = 0
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
    return errors if files else None


def find_imports(node, package):
    """Line and name of each import below `node`, except imports for type checkers."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        for child in node.orelse:
            yield from find_imports(child, package)
    elif isinstance(node, ast.Import):
        yield from ((node.lineno, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        parts = package[: len(package) - node.level + 1] if node.level else []
        base = ".".join([*parts, *filter(None, [node.module])])
        yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
    else:
        for child in ast.iter_child_nodes(node):
            yield from find_imports(child, package)


def check_python(root):
    """The errors in Python; None if there are no sources."""
    tree = root / "python"
    modules = {}
    for path in sorted(tree.glob("partita/**/*.py")):
        parts = path.relative_to(tree).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = (path, parts[:-1])
    errors = 0
    graph = {name: {} for name in modules}
    for name, (path, package) in modules.items():
        for line, target in find_imports(ast.parse(path.read_text()), package):
            if target not in modules:
                target = target.rpartition(".")[0]
            # The first name that is imported from a module stands for all.
            if target in modules and target != name:
                graph[name].setdefault(target, line)
        layer = name.split(".")[1:2]
        for target, line in graph[name].items():
            other = target.split(".")[1:2]
            if layer and layer != other and layer[0] in RANKS:
                if not other or RANKS[layer[0]] <= RANKS.get(other[0], len(RANKS)):
                    errors += 1
                    print(
                        f"{path.relative_to(root)}:{line}: expected {layer[0]} to import what is "
                        f"below it, found {target}"
                    )
    done = set()
    for name in modules:
        errors += find_circles(name, graph, [], done)
    return errors if modules else None


def find_circles(name, graph, stack, done):
    """Prints the circles that are reached from `name`, and counts them."""
    if name in stack:
        circle = stack[stack.index(name) :]
        print(f"expected no circle of imports, found {' -> '.join([*circle, name])}")
        return 1
    if name in done:
        return 0
    stack.append(name)
    count = sum(find_circles(target, graph, stack, done) for target in graph[name])
    done.add(stack.pop())
    return count


root = pathlib.Path(sys.argv[1])
found = [check_cpp(root), check_python(root)]
for errors, what in zip(found, ("Pass or Instrument", "Python")):
    if errors is None:
        sys.exit(f"no sources of {what} below {root}")
sys.exit(any(found))
