"""Prints what remains of a search when its test does not end.

processes.py limit|interrupt DIRECTORY COMMAND...

The test inherits a pipe, which ends when no process holds it any longer.
"""

import os
import select
import signal
import subprocess
import sys

SECONDS = 30


def main(how: str, directory: str, command: list[str]) -> None:
    reader, writer = os.pipe()
    temporary = os.path.join(directory, "tmp")
    os.makedirs(temporary)
    test = os.path.join(directory, "test.sh")
    with open(test, "w") as file:
        file.write(f"sleep 60 & echo started >&{writer}; wait\n")
    process = subprocess.Popen(
        [command[0], f"--test=sh {test}", *command[1:]],
        env={**os.environ, "TMPDIR": temporary},
        pass_fds=[writer],
        stdout=subprocess.DEVNULL,
    )
    os.close(writer)
    if how == "interrupt":
        print("test", os.read(reader, 100).decode().strip())
        process.send_signal(signal.SIGINT)
    print("exit code", process.wait())
    held = True
    while held and select.select([reader], [], [], SECONDS)[0]:
        held = bool(os.read(reader, 100))
    print("processes left" if held else "no process left")
    print("files left:", os.listdir(temporary))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
