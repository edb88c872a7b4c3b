"""make_functions.py N: prints N functions with something to do for passes."""

import sys

for number in range(int(sys.argv[1])):
    print(f"func.func @f{number}(%x: i32) -> i32 {{")
    for line in range(20):
        print(f"  %{line} = arith.addi %x, {'%x' if line == 0 else f'%{line - 1}'} : i32")
    print("  return %19 : i32\n}")
