"""check_wheel.py ROOT SCRATCH: builds the wheel of ROOT and tries it.

It is installed into a new venv of the Python that runs this, README's Python
example runs with it in a folder that is not the source tree, and uninstalling
it leaves nothing. Prints the wheel's size. Takes minutes, and PyPI.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

# In MB; MLIR is in it, stripped.
LARGEST = 30


def run(*command, **kwargs):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(command, check=True, env=environment, text=True, **kwargs)


def list_files(folder):
    """The files below a folder, except those that Python has compiled."""
    return {p for p in folder.rglob("*") if "__pycache__" not in p.parts}


root, scratch = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
shutil.rmtree(scratch, ignore_errors=True)
scratch.mkdir(parents=True)
options = ["--quiet", "--no-deps", "--wheel-dir", str(scratch)]
run(sys.executable, "-m", "pip", "wheel", *options, str(root))
(wheel,) = scratch.glob("partita-*.whl")
size = wheel.stat().st_size / 1e6
print(f"{wheel.name}: {size:.1f} MB")
assert size < LARGEST, f"expected a wheel of less than {LARGEST} MB"

venv = scratch / "venv"
run(sys.executable, "-m", "venv", str(venv))
python = str(venv / "bin/python")
pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
project = (root / "pyproject.toml").read_text()
(dependency,) = re.findall(r'^dependencies = \["(.*)"\]$', project, re.M)
run(*pip, "install", dependency)
before = list_files(venv)
run(*pip, "install", "--no-deps", str(wheel))

readme = (root / "README.md").read_text()
(example,) = re.findall(r"^```python file=\S+\n(.*?)^```$", readme, re.M | re.S)
(scratch / "test").symlink_to(root / "test")
result = run(python, "-c", example, cwd=scratch, stdout=subprocess.PIPE)
assert "FoldConstant: " in result.stdout, result.stdout
where = "import partita; print(partita.__file__)"
result = run(python, "-c", where, cwd=scratch, stdout=subprocess.PIPE)
assert result.stdout.startswith(str(venv)), result.stdout
run(python, "-m", "partita", cwd=scratch, stdout=subprocess.DEVNULL)

run(*pip, "uninstall", "--yes", "partita")
left = sorted(list_files(venv) - before)
assert not left, f"expected nothing to be left, but found {left}"
print("installed, used from another folder and uninstalled")
