"""runner.py HOW MODULE [INPUTS OUTPUTS]: a runner that looks at the text of a module.

The result is the number of arith.addi in it, and

- dump: the same as an array in OUTPUTS, times each element of INPUTS' first array;
- bytes: 0x40 and four times the result in OUTPUTS, as elements of one byte without a kind;
- chance: another result each time;
- crash: a signal for a module without any;
- hang: or a run that does not end;
- refuse: or an error.
"""

import os
import signal
import sys
import time

how, module = sys.argv[1:3]
with open(module) as file:
    text = file.read()
count = text.count("arith.addi")
if how == "dump":
    import numpy as np

    inputs = np.load(sys.argv[3])
    np.savez(sys.argv[4], out=inputs[inputs.files[0]] * np.float32(count))
    sys.exit()
if how == "bytes":
    import numpy as np

    np.savez(sys.argv[3], out=np.array([0x40 + 4 * count], "uint8").view("V1"))
    sys.exit()
if how == "chance":
    count = time.time_ns() % 1000003
if count == 0:
    if how == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if how == "hang":
        time.sleep(600)
    if how == "refuse":
        print("a note", file=sys.stderr)
        sys.exit("error: expected additions, but found none")
print(f"at 0x{id(text):x}: [{count}, 0.5, nan]")
