"""make_adds.py COUNT: prints a module of functions that canonicalize to nothing."""

import sys

for index in range(int(sys.argv[1])):
    print(f"func.func @f{index}(%x: i32) -> i32 {{")
    print("  %z = arith.constant 0 : i32\n  %s = arith.addi %x, %z : i32\n  return %s : i32\n}")
