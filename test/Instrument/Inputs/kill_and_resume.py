"""kill_and_resume.py DIR COMMAND...: kills runs, resumes them, and compares.

COMMAND has an input and a pipeline. 20 runs of partita-test-opt are killed at
random passes, some more than once, and 10 runs of each tool at random times. A resumed
run must print the same as a run that is not killed. If it was killed at a pass, it must
run only the remaining passes.
"""

import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

directory = pathlib.Path(sys.argv[1])
command = sys.argv[2:]
checkpoint = f"--instrument=checkpoint{{dir={directory}}}"
keep_all = f"--instrument=checkpoint{{dir={directory} keep=0}}"
resume = f"--resume-from={directory}"


def run(*arguments, status=0):
    """The output of the command."""
    done = subprocess.run([*command, *arguments], capture_output=True, text=True)
    assert done.returncode == status, (done.returncode, done.stderr)
    return done.stdout


def find_steps():
    """The numbers of the passes with checkpoints."""
    return sorted(int(file.name.split("-")[1].split(".")[0]) for file in directory.glob("*.mlirbc"))


def remove():
    shutil.rmtree(directory, ignore_errors=True)


expected = run(keep_all)
steps = find_steps()
assert len(steps) >= 8, steps
assert run() == expected
chance = random.Random(0)

for _ in range(20 if command[0] == "partita-test-opt" else 0):
    remove()
    # How many passes have run.
    done = 0
    for _ in range(chance.choice([1, 1, 2, 3])):
        if done == len(steps):
            break
        index = chance.randrange(done, len(steps))
        place = chance.choice(["before the pass", "before the checkpoint", "after it"])
        side = "before" if place == "before the pass" else "after"
        kill = f"--instrument=test-kill{{{side}={steps[index]}}}"
        order = [checkpoint, kill] if place == "after it" else [kill, checkpoint]
        run(*order, resume, status=-signal.SIGKILL)
        done = index + 1 if place == "after it" else index
        assert find_steps() == steps[:done][-1:], (find_steps(), done, place)
    assert run(keep_all, resume) == expected, done
    assert find_steps() == steps[max(done - 1, 0) :], (find_steps(), done)

start = time.monotonic()
run(checkpoint)
duration = time.monotonic() - start
for _ in range(10):
    remove()
    process = subprocess.Popen([*command, checkpoint, resume], stdout=subprocess.DEVNULL)
    time.sleep(chance.random() * duration)
    process.kill()
    process.wait()
    assert run(checkpoint, resume) == expected
