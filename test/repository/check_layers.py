"""check_layers.py ROOT: fails if a layer needs one above it.

In C++, an embedder links NumPy, Support, Pass and Instrument alone: they include and
link nothing of Partita but themselves. A folder of lib/Pass includes only folders below
it. NumPy includes LLVM alone, as does the runtime, but for NumPy and its C API.
In Python, a package imports only packages below it, and no modules import each other in
a circle, not even inside functions. Nor does a module get at run time what it does not
import: no other module sets attributes of its classes, registers functions with it, or
tells the extension about them.
"""

import ast
import os
import pathlib
import re
import sys

LAYERS = ("NumPy", "Support", "Pass", "Instrument")
INCLUDE = re.compile(r'^\s*#?\s*include\s*["<]((?:partita|\.\.)/[^">]+)[">]')
PRIVATE = re.compile(r'^#include "(?!partita/|mlir/|llvm/)([^"]+)"')
LIBRARY = re.compile(r"\bPartita([A-Z]\w*)")

# From bottom to top: the folders of lib/Pass, the sources directly in it first.
ROOMS = (".", "Pipeline", "Saving", "Plan", "Tracking", "Run", "Sequential", "Attach")
# A registered Sequential is a pass of MLIR, which resolves names in the registry.
UPWARD = {("PassRegistry.cpp", "Sequential/SequentialPass.h")}

# A library of its own, which is loaded beside any MLIR, and what it is linked with.
RUNTIME = (
    *("lib/Runtime", "python/Runtime", "include/partita-c/Runtime.h"),
    *("lib/NumPy", "include/partita/NumPy"),
)
FOREIGN = re.compile(r'^\s*#\s*include\s*["<]((?:mlir|mlir-c|partita|partita-c)/[^">]+)[">]')

# From bottom to top: packages of a row may import packages of earlier rows.
PACKAGES = (
    ("vm_builtins",),
    ("mlir", "errors", "packed_funcs", "tensors"),
    ("runtime",),
    ("ir",),
    ("transform",),
    ("bridge", "instrument", "relax", "tir"),
    ("driver", "script"),
)
RANKS = {name: rank for rank, names in enumerate(PACKAGES) for name in names}


def foreign(path, line):
    """The other layers that this line names."""
    if path.name == "CMakeLists.txt":
        return [f"Partita{name}" for name in LIBRARY.findall(line) if not name.startswith(LAYERS)]
    return [name for name in INCLUDE.findall(line) if find_layer(path, name) not in LAYERS]


def find_layer(path, name):
    """The layer of an include: "Pass" for partita/Pass/.. and for ../ in lib/Pass."""
    if not name.startswith(".."):
        return name.split("/")[1]
    target = "/" + os.path.normpath(path.parent / name)
    return re.split("/lib/|/include/partita/", target)[-1].split("/")[0]


def check_rooms(root):
    """The errors between the folders of lib/Pass; None if there are no sources."""
    errors = files = 0
    tree = root / "lib/Pass"
    for path in sorted(tree.rglob("*.cpp")) + sorted(tree.rglob("*.h")):
        files += 1
        room = path.parent.relative_to(tree).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for name in PRIVATE.findall(line):
                target = pathlib.Path(os.path.relpath(os.path.normpath(path.parent / name), tree))
                if ROOMS.index(room) >= ROOMS.index(target.parent.as_posix()):
                    continue
                if (path.relative_to(tree).as_posix(), target.as_posix()) not in UPWARD:
                    errors += 1
                    print(
                        f"{path.relative_to(root)}:{number}: expected {room} to include folders "
                        f"below it, found {target.as_posix()}"
                    )
    return errors if files else None


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
                            f"Partita but NumPy, Support, Pass and Instrument, found {name}"
                        )
    return errors if files else None


def check_runtime(root):
    """The errors in the runtime; None if there are no sources."""
    errors = files = 0
    for tree in (root / name for name in RUNTIME):
        paths = sorted(tree.rglob("*.cpp")) + sorted(tree.rglob("*.h"))
        for path in paths if tree.is_dir() else filter(pathlib.Path.exists, [tree]):
            files += 1
            for number, line in enumerate(path.read_text().splitlines(), 1):
                for name in FOREIGN.findall(line):
                    if name != "partita-c/Runtime.h" and not name.startswith("partita/NumPy/"):
                        errors += 1
                        print(
                            f"{path.relative_to(root)}:{number}: expected the runtime to include "
                            f"LLVM alone, found {name}"
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


def find_root(node):
    """The name that an expression such as `name.attribute.other` begins with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def find_injections(tree):
    """Line and text of each statement that gives something to an imported class or module."""
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imported |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    for node in tree.body:
        # Other names for imported things.
        if isinstance(node, ast.Assign) and find_root(node.value) in imported:
            imported |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    defined = {node.name for node in tree.body if hasattr(node, "name")}
    # Calls of these are fine as decorators: they name the definition itself.
    decorators, inner = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) or node in tree.body and hasattr(node, "name"):
            decorators |= set(map(id, node.decorator_list))
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            inner |= {id(child) for child in ast.walk(node) if child is not node}
    for node in ast.walk(tree):
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete)):
            found = any(isinstance(t, ast.Attribute) and find_root(t) in imported for t in targets)
        elif isinstance(node, ast.Call):
            found = id(node) not in decorators and is_injection(
                node, imported, None if id(node) in inner else defined
            )
        elif isinstance(node, ast.FunctionDef):
            found = any(is_registration(one, imported) for one in node.decorator_list)
        else:
            continue
        if found:
            yield node.lineno, ast.unparse(node).splitlines()[0]


def is_registration(node, imported):
    """Whether `node` is the `register` of something that is imported, or a call of it."""
    node = node.func if isinstance(node, ast.Call) else node
    name = getattr(node, "attr", "")
    return name in ("register", "__setattr__") and find_root(node) in imported - {"atexit"}


def is_injection(call, imported, defined):
    """Whether a call sets attributes of imported classes or modules.

    `defined` are the definitions of the module; None inside a function.
    """
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if re.fullmatch(r"set_\w*types|known_as", name) or is_registration(call, imported):
        return True
    if name == "setattr":
        owner = find_root(call.args[0])
        return owner in imported if defined is None else owner not in defined
    # vars(module).update(..)
    holder = getattr(call.func, "value", None)
    is_vars = isinstance(holder, ast.Call) and getattr(holder.func, "id", "") == "vars"
    return is_vars and find_root(holder.args[0]) in imported


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
        parsed = ast.parse(path.read_text())
        # The package itself enters TVM's names of modules.
        for line, text in sorted(find_injections(parsed)) if name != "partita" else ():
            errors += 1
            print(
                f"{path.relative_to(root)}:{line}: expected modules to import what they need, "
                f"found one that gives it to another: {text[:60]}"
            )
        for line, target in find_imports(parsed, package):
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
found = [check_cpp(root), check_rooms(root), check_runtime(root), check_python(root)]
for errors, what in zip(found, ("Pass or Instrument", "lib/Pass", "Runtime", "Python")):
    if errors is None:
        sys.exit(f"no sources of {what} below {root}")
sys.exit(any(found))
