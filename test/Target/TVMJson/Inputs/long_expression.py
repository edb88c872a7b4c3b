"""long_expression.py COUNT: prints a prim_func that stores an expression of COUNT additions."""

import sys

count = int(sys.argv[1])
print("partita.module { tir.prim_func @f(%a: memref<f32>, %b: memref<f32>) {")
print("  %x0 = memref.load %a[] : memref<f32>")
print("  %one = arith.constant 1.0 : f32")
for i in range(count):
    print(f"  %x{i + 1} = arith.addf %x{i}, %one : f32")
print(f"  memref.store %x{count}, %b[] : memref<f32>")
print("  tir.return } }")
