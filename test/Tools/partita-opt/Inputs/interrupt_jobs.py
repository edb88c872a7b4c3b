"""Interrupts a run with --jobs, and prints what remains.

interrupt_jobs.py SIGNAL DIRECTORY COMMAND...

The processes inherit a pipe, which ends when none of them holds it any longer.
"""

import os
import pathlib
import select
import signal
import subprocess
import sys
import time

SECONDS = 60


def main(name, directory, *command):
    temporary = pathlib.Path(directory)
    temporary.mkdir(parents=True)
    reader, writer = os.pipe()
    process = subprocess.Popen(command, env={**os.environ, "TMPDIR": directory}, pass_fds=[writer])
    os.close(writer)
    end = time.monotonic() + SECONDS
    while len(list(temporary.glob("*/*.err"))) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    print("processes started:", len(list(temporary.glob("*/*.err"))))
    process.send_signal(getattr(signal, name))
    print("exit code", process.wait(SECONDS))
    ended = select.select([reader], [], [], SECONDS)[0] and not os.read(reader, 1)
    print("no process left" if ended else "processes left")
    print("files left:", os.listdir(temporary))


main(*sys.argv[1:])
