"""run_in_terminal.py COLUMNS COMMAND...: runs with a pseudo terminal as stderr.

Prints the text that the terminal got, a line for each time that the cursor went back
to the beginning, and then the last line that stays.
"""

import errno
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
# Without colours, whose codes would be in the output.
environment = {**os.environ, "TERM": "dumb"}
process = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=slave, env=environment)
os.close(slave)
output = b""
while True:
    try:
        data = os.read(master, 1 << 16)
    except OSError as error:
        # On Linux, this means that no process has the terminal open any more.
        assert error.errno == errno.EIO, error
        break
    if not data:
        break
    output += data
status = process.wait()
screen = ""
for line in output.decode().replace("\r\n", "\n").split("\n"):
    screen = ""
    for part in line.split("\r"):
        if part.strip():
            print(part.rstrip())
        screen = part + screen[len(part) :]
print(f"left: {screen.rstrip()!r}")
print(f"exit code: {status}")
