"""Compares searches with and without --jobs: same_with_jobs.py DIRECTORY COMMAND...

They must agree in what they print, in the exit code, and in the reproducer's files.
"""

import pathlib
import shutil
import subprocess
import sys


def search(directory, command):
    shutil.rmtree(directory, ignore_errors=True)
    name, *arguments = command
    result = subprocess.run(
        [name, f"--reproducer-dir={directory}", *arguments], capture_output=True
    )
    files = {path.name: path.read_bytes() for path in directory.iterdir()}
    return result.stdout, result.stderr, result.returncode, files


def main():
    directory, *command = sys.argv[1:]
    expected = search(pathlib.Path(directory), command)
    for jobs in ["1", "2", "3", "8"]:
        name, *arguments = command
        found = search(pathlib.Path(directory), [name, f"--jobs={jobs}", *arguments])
        if found != expected:
            sys.exit(f"--jobs={jobs}: expected {expected!r}, but found {found!r}")
    sys.stdout.write(expected[0].decode())
    print("same, exit code", expected[2])


main()
