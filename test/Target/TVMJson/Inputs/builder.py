"""Made builder.json, with Apache TVM 0.27: nodes that programs build, but no text has.

A size that functions of both kinds share, as emit_te makes it; expressions
without types; a function that returns a function, and one that calls
itself on numbers; sizes, casts and numbers as ONNX's importer makes them.
It does not look like a real program.
"""

import numpy as np
import tvm
from save import save
from tvm import relax, te, tirx
from tvm.script import relax as R


def emit_te():
    """A module with a function and its callees, which use its sizes."""
    n = tirx.Var("n", "int64")
    x, y = (relax.Var(name, relax.TensorType((n,), "float32")) for name in "xy")
    z = relax.Var("z", relax.TensorType((n + 1,), "float32"))

    def halve(a):
        return te.compute((n,), lambda i: a[i] * 0.5)

    def shift(a):
        return te.compute((n + 1,), lambda i: a[i] + 1.0)

    builder = relax.BlockBuilder()
    with builder.function("shares", [x, y, z]):
        half = builder.emit_te(halve, x, primfunc_name_hint="halve")
        sizes = builder.emit_te(shift, z, primfunc_name_hint="shift")
        builder.emit_func_output(relax.Tuple([half, sizes, y]))
    return builder.get()


def untyped():
    """A call and a branch without types; their variables have types."""
    tensor = relax.TensorType((4,), "float32")
    cond = relax.Var("cond", relax.TensorType((), "bool"))
    x, called, chosen = (relax.Var(name, tensor) for name in ("x", "called", "chosen"))
    call = relax.op.exp(x)
    branch = relax.If(cond, relax.SeqExpr([], called), relax.SeqExpr([], x))
    bindings = [relax.VarBinding(called, call), relax.VarBinding(chosen, branch)]
    body = relax.SeqExpr([relax.BindingBlock(bindings)], chosen)
    return relax.Function([cond, x], body, tensor).with_attr("global_symbol", "untyped")


def returns_function():
    """Its result's sizes are the returned function's own."""
    sizes = [tirx.Var(name, "int64") for name in "mn"]
    tensor = relax.TensorType(sizes, "float32")
    x = relax.Var("x", tensor)
    inner = relax.Function([x], relax.SeqExpr([], x), tensor)
    var = relax.Var("inner", inner.ty)
    body = relax.SeqExpr([relax.BindingBlock([relax.VarBinding(var, inner)])], var)
    function = relax.Function([], body, inner.ty)
    return function.with_attr("global_symbol", "returns_function")


def imported():
    """Names that are no identifiers, a call that is cast, and rounded numbers."""
    sizes = [tirx.Var(name, "int64") for name in ("?", "n - 1", "4", "?")]
    x = relax.Var("x", relax.TensorType(sizes, "float32"))
    rows, tenth = tirx.Var("rows", "int64"), float(np.float32(0.1))
    builder = relax.BlockBuilder()
    with builder.function("imported", [x]):
        found = relax.TensorType((4, rows), "int64")
        places = builder.match_cast(relax.op.nonzero(x), found)
        parts = builder.emit(relax.op.split(x, 2))
        half = builder.match_cast(parts[0], relax.TensorType(ndim=4, dtype="float32"))
        least = tirx.FloatImm("float32", tenth)
        clipped = builder.emit(relax.op.clip(x, least, tirx.FloatImm("float32", 0.3)))
        roi = [tirx.FloatImm("float32", value) for value in (tenth, 0.25, tenth, 1)]
        resized = builder.emit(relax.op.image.resize2d(x, (8, 8), roi=roi))
        product = builder.emit(relax.op.reshape(x, (sizes[0] * sizes[1], -1)))
        builder.emit_func_output(relax.Tuple([places, half, clipped, resized, product]))
    return builder.get()["imported"]


@R.function
def recursive(n: R.Prim("int64")):
    @R.function
    def inner(i: R.Prim("int64")) -> R.Prim("int64"):
        condition = R.equal(i, R.prim_value(0))
        if condition:
            output = R.prim_value(0)
        else:
            less = R.subtract(i, R.prim_value(1))
            rest = inner(less)
            output = R.add(i, rest)
        return output

    result = inner(n)
    return result


if __name__ == "__main__":
    Module = emit_te()
    Module["untyped"] = untyped()
    Module["returns_function"] = returns_function()
    Module["recursive"] = recursive
    Module["imported"] = imported()
    save(Module, "builder.json")
