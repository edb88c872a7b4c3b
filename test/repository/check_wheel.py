"""check_wheel.py ROOT SCRATCH: builds the wheel of ROOT and tries it.

The wheel is made from the build in ROOT; the time that it takes and the wheel's size
are printed. It has the same files as a wheel that is compiled without that build. It
is installed into a new venv of the Python that runs this. The examples of README and
docs/bisect.md run with it outside the source tree, and uninstalling it leaves nothing.
Takes minutes, and needs PyPI.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zipfile

# In MB; MLIR is in it, and LLVM's code generator, stripped.
LARGEST = 45
# In seconds: nothing is compiled.
LONGEST = 30


def run(*command, **kwargs):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(command, check=True, env=environment, text=True, **kwargs)


def list_files(folder):
    """The files below a folder, except those that Python has compiled."""
    return {p for p in folder.rglob("*") if "__pycache__" not in p.parts}


def build_wheel(folder, *options):
    """Builds a wheel of ROOT by pip."""
    options = ["--quiet", "--no-deps", "--wheel-dir", str(folder), *options]
    run(sys.executable, "-m", "pip", "wheel", *options, str(root))
    (wheel,) = folder.glob("partita-*.whl")
    return wheel


root, scratch = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
shutil.rmtree(scratch, ignore_errors=True)
scratch.mkdir(parents=True)
start = time.monotonic()
wheel = build_wheel(scratch)
seconds = time.monotonic() - start
size = wheel.stat().st_size / 1e6
print(f"{wheel.name}: {size:.1f} MB in {seconds:.0f} s", flush=True)
assert size < LARGEST, f"expected a wheel of less than {LARGEST} MB"
assert seconds < LONGEST, f"expected a wheel in less than {LONGEST} s"

venv = scratch / "venv"
run(sys.executable, "-m", "venv", str(venv))
python = str(venv / "bin/python")
pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
project = (root / "pyproject.toml").read_text()
(dependency,) = re.findall(r'^dependencies = \["(.*)"\]$', project, re.M)
run(*pip, "install", dependency)
before = list_files(venv)
run(*pip, "install", "--no-deps", str(wheel))

# A folder with the commands of the wheel for the build's.
(scratch / "build/bin").mkdir(parents=True)
for tool in ("partita-opt", "partita-translate", "partita-bisect"):
    (scratch / "build/bin" / tool).symlink_to(venv / "bin" / tool)
(scratch / "build/bin/FileCheck").symlink_to((root / "build/bin/FileCheck").resolve())
documents = [str(root / "README.md"), str(root / "docs/bisect.md")]
runner = str(root / "test/docs/run_doc_commands.py")
run(python, runner, str(root), str(scratch / "build"), str(scratch / "docs"), *documents)
where = "import partita; print(partita.__file__)"
result = run(python, "-c", where, cwd=scratch, stdout=subprocess.PIPE)
assert result.stdout.startswith(str(venv)), result.stdout
run(python, "-m", "partita", cwd=scratch, stdout=subprocess.DEVNULL)

run(*pip, "uninstall", "--yes", "partita")
left = sorted(list_files(venv) - before)
assert not left, f"expected nothing to be left, but found {left}"
print("installed, used from another folder and uninstalled", flush=True)

# Each command is the same as in ROOT's build, so that ccache has the objects. Its
# setting base_dir must be ROOT, and the folders must be side by side.
cache = (root / "build/CMakeCache.txt").read_text()
kept = r"CMAKE_CXX_COMPILER|CMAKE_UNITY_BUILD\w*|MLIR_DIR"
entries = re.findall(rf"^(?:{kept}):\w+=.*$", cache, re.M)
os.environ["CMAKE_ARGS"] = " ".join(f"-D{entry}" for entry in entries)
(command,) = re.findall(r"^CMAKE_COMMAND:\w+=(.*)$", cache, re.M)
os.environ["PATH"] = os.pathsep.join([os.path.dirname(command), os.environ["PATH"]])
shutil.rmtree(root / "build-wheel", ignore_errors=True)
compiled = build_wheel(scratch / "compiled", "--config-settings=build-dir=build-wheel")
names, others = (sorted(zipfile.ZipFile(path).namelist()) for path in (wheel, compiled))
assert names == others, f"expected the same files, but found {set(names) ^ set(others)}"
print("compiled without the build")
