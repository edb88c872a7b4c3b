"""try_find_build.py CMAKE SCRATCH: checks that find_build.py in CMAKE takes the right builds."""

import pathlib
import sys
import sysconfig

cmake, root = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path.insert(0, str(cmake))
from find_build import find_build  # noqa: E402

extension = f"_partita{sysconfig.get_config_var('EXT_SUFFIX')}"
package = root / "build/python_packages/partita/mlir/_mlir_libs"
GOOD = {
    "CMAKE_BUILD_TYPE:STRING": "Release",
    "CMAKE_COMMAND:INTERNAL": sys.executable,
    "CMAKE_HOME_DIRECTORY:INTERNAL": root,
    "CMAKE_MAKE_PROGRAM:UNINITIALIZED": sys.executable,
    "MLIR_DIR:PATH": root,
    "PARTITA_SANITIZER:STRING": "",
    "PARTITA_STATIC_LLVM:UNINITIALIZED": "ON",
}


def find(**changes):
    entries = {name: changes.get(name.split(":")[0], value) for name, value in GOOD.items()}
    lines = [f"{name}={value}\n" for name, value in entries.items() if value is not None]
    (root / "build/CMakeCache.txt").write_text("# A comment\n\n" + "".join(lines))
    return find_build(root)


package.mkdir(parents=True)
assert find() is None, "no package"
(package / extension).touch()
settings, folders = find()
assert settings["cmake.define.PARTITA_BUILD"] == str(root / "build")
assert settings["cmake.define.PARTITA_CMAKE"] == sys.executable
assert folders == [str(pathlib.Path(sys.executable).parent)] * 2
for name, value in {
    "CMAKE_BUILD_TYPE": "Debug",
    "CMAKE_COMMAND": "/gone/cmake",
    "CMAKE_HOME_DIRECTORY": cmake,
    "CMAKE_MAKE_PROGRAM": "ninja",
    "MLIR_DIR": None,
    "PARTITA_SANITIZER": "address",
    "PARTITA_STATIC_LLVM": "OFF",
}.items():
    assert find(**{name: value}) is None, name
(package / extension).rename(package / "_partita.cpython-30-x86_64-linux-gnu.so")
assert find() is None, "another Python"
(root / "build/CMakeCache.txt").unlink()
assert find_build(root) is None
