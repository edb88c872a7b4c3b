"""Prints a module that makes FoldConstant slow if a step costs more the longer the module is.

usage: growing_functions.py SHAPE COUNT
"""

import sys


def aliases(count):
    """A constant with a chain of names."""
    yield "relax.func @f() -> tensor<2xf32> {"
    yield "%x0 = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>"
    for i in range(count):
        yield f"%x{i + 1} = relax.alias %x{i} : tensor<2xf32>"
    yield f"%r = relax.negative %x{count} : tensor<2xf32>"
    yield "relax.return %r : tensor<2xf32>\n}"


def blocks(count):
    """A constant that leaves one dataflow block after the other."""
    yield "relax.func @f() -> tensor<2xf32> {"
    yield "%x0 = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>"
    for i in range(count):
        yield f"%x{i + 1} = relax.dataflow -> tensor<2xf32> {{"
        yield f"  relax.output %x{i} : tensor<2xf32>\n}}"
    yield f"%r = relax.negative %x{count} : tensor<2xf32>"
    yield "relax.return %r : tensor<2xf32>\n}"


def shapes(count):
    """A chain of shapes: each is known once the one before it is known."""
    unknown, shape = "tensor<?x?xf32>", "!relax.shape<[?, ?]>"
    yield f"relax.func @f(%x: tensor<4xf32>) -> {unknown} {{"
    yield "%c0 = relax.constant dense<[1, 4]> : tensor<2xi64>"
    yield f"%s0 = relax.tensor_to_shape %c0 : (tensor<2xi64>) -> {shape}"
    yield f"%x0 = relax.reshape %x, %s0 : tensor<4xf32>, {shape} -> {unknown}"
    for i in range(count):
        yield f"%y{i} = relax.shape_of %x{i} : ({unknown}) -> {shape}"
        yield f"%c{i + 1} = relax.shape_to_tensor %y{i} : ({shape}) -> tensor<2xi64>"
        yield f"%s{i + 1} = relax.tensor_to_shape %c{i + 1} : (tensor<2xi64>) -> {shape}"
        yield f"%x{i + 1} = relax.reshape %x{i}, %s{i + 1} : {unknown}, {shape} -> {unknown}"
    yield f"relax.return %x{count} : {unknown}\n}}"


def functions(count):
    """Functions whose results get more specific types, and callers that do not know them."""
    unknown, shape = "tensor<?x?xf32>", "!relax.shape<[?, ?]>"
    for i in range(count):
        yield f"relax.func @f{i}(%x: tensor<4xf32>) -> {unknown} {{"
        yield "%c = relax.constant dense<[1, 4]> : tensor<2xi64>"
        yield f"%s = relax.tensor_to_shape %c : (tensor<2xi64>) -> {shape}"
        yield f"%r = relax.reshape %x, %s : tensor<4xf32>, {shape} -> {unknown}"
        yield f"relax.return %r : {unknown}\n}}"
        yield f"relax.func @g{i}(%x: tensor<4xf32>) -> {unknown} {{"
        yield f"%r = relax.call @f{i}(%x) : (tensor<4xf32>) -> {unknown}"
        yield f"relax.return %r : {unknown}\n}}"


print("partita.module {")
for line in globals()[sys.argv[1]](int(sys.argv[2])):
    print(line)
print("}")
