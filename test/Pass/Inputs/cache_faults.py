"""cache_faults.py DIR: partita-opt with a pass cache in DIR, under kills, without space on the
disk, in several processes at once, and with damaged files, gives the plain result each time."""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

PASSES = "builtin.module(canonicalize,func.func(cse,loop-invariant-code-motion),canonicalize)"
FUNCTION = """
func.func @f{0}(%x: i32, %n: index) -> i32 {{
  %zero = arith.constant 0 : i32
  %c = arith.constant {0} : i32
  %0 = arith.addi %x, %zero : i32
  %1 = arith.muli %0, %c : i32
  %2 = arith.muli %0, %c : i32
  %3 = arith.addi %1, %2 : i32
  return %3 : i32
}}
"""


def get_command(cache, module, size=""):
    return [
        "partita-opt",
        str(module),
        f"--pass-pipeline={PASSES}",
        f"--pass-cache={cache}",
        *([f"--pass-config=partita.pass_cache_size={size}"] if size else []),
    ]


def run(command, **arguments):
    done = subprocess.run(command, capture_output=True, text=True, **arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def on_small_disk(folder, command):
    """`command` with a disk of 16 KiB at `folder`, in a namespace of its own."""
    script = f'mount -t tmpfs -o size=16k tmpfs {folder} && exec "$@"'
    return ["unshare", "-rm", "sh", "-c", script, "sh", *command]


def main():
    folder = pathlib.Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    module = folder / "module.mlir"
    module.write_text("".join(FUNCTION.format(i) for i in range(300)))
    cache = folder / "cache"
    plain, _ = run(["partita-opt", str(module), f"--pass-pipeline={PASSES}"])

    # Without space on the disk.
    full = folder / "full"
    full.mkdir()
    # Some machines do not let users mount.
    if subprocess.run(on_small_disk(full, ["true"]), capture_output=True).returncode == 0:
        text, errors = run(on_small_disk(full, get_command(full, module)))
        assert text == plain
        assert "No space left on device; results of this run are not kept" in errors, errors

    # Kills, at times up to the end of a run.
    begin = time.monotonic()
    assert run(get_command(folder / "other", module))[0] == plain
    length = time.monotonic() - begin
    choice = random.Random(1)
    for _ in range(50):
        process = subprocess.Popen(get_command(cache, module), stdout=subprocess.DEVNULL)
        time.sleep(choice.uniform(0, length))
        process.kill()
        process.wait()
    names = [path.name for path in cache.iterdir()]
    assert all(name.startswith("llvmcache") for name in names), names
    assert run(get_command(cache, module)) == (plain, "")

    # Several processes at once.
    shutil.rmtree(cache)
    processes = [
        subprocess.Popen(get_command(cache, module), stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert all(process.communicate()[0] == plain for process in processes)

    # Damaged files.
    files = sorted(cache.glob("llvmcache-*"))
    assert len(files) >= 300
    for path in choice.sample(files, 20):
        text = bytearray(path.read_bytes())
        text[choice.randrange(len(text))] ^= 1 << choice.randrange(8)
        path.write_bytes(text)
    assert run(get_command(cache, module)) == (plain, "")

    # Pipes in place of files.
    for path in files:
        path.unlink()
        os.mkfifo(path)
    text, errors = run(get_command(cache, module), timeout=100)
    assert text == plain and errors.count("to be a file, to write to it") == 1, errors
    shutil.rmtree(cache)

    # A bounded size.
    longer = folder / "longer.mlir"
    longer.write_text(
        "".join(FUNCTION.format(i).replace(f"@f{i}(", f"@{'f' * 20000}{i}(") for i in range(100))
    )
    run(get_command(cache, longer, size=1), stdin=subprocess.DEVNULL)
    size = sum(path.stat().st_size for path in cache.iterdir())
    assert 0 < size <= 1 << 20, size
    for size, keeps in (("0", False), (1 << 44, True)):
        run(get_command(cache, module, size=size), stdin=subprocess.DEVNULL)
        assert any(cache.glob("llvmcache-*")) == keeps
    print("equal")

    # A run that writes little looks at the size once a minute.
    big = cache / f"llvmcache-{0:040}"
    big.write_bytes(bytes(2 << 20))
    os.utime(big, (0, 0))
    for index, age in ((300, 0), (301, 120)):
        then = time.time() - age
        os.utime(cache / "llvmcache.timestamp", (then, then))
        small = folder / "small.mlir"
        small.write_text(FUNCTION.format(index))
        run(get_command(cache, small, size=1), stdin=subprocess.DEVNULL)
        assert big.exists() == (age == 0), age


if __name__ == "__main__":
    os.environ.pop("PARTITA_FLAGS", None)
    main()
