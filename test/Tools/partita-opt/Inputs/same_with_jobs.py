"""Compares runs with and without --jobs: same_with_jobs.py TOOL ARGUMENT...

They must agree, byte for byte, in stdout, stderr, exit code and the file of -o.
"""

import pathlib
import subprocess
import sys
import tempfile


def run(command):
    result = subprocess.run(command, capture_output=True)
    return result.stdout, result.stderr, result.returncode


def run_to_file(command):
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory) / "out"
        result = run([*command, "-o", str(file)])
        return *result, file.read_bytes() if file.exists() else None


def main():
    command = sys.argv[1:]
    for how in [run, run_to_file]:
        expected = how(command)
        for jobs in ["1", "2", "3", "100"]:
            found = how([*command, f"--jobs={jobs}"])
            if found != expected:
                sys.exit(f"--jobs={jobs}: expected {expected!r}, but found {found!r}")
    print(f"same, exit code {expected[2]}")


main()
