"""Made nodes.json, with Apache TVM 0.27: rare nodes, dtypes and attributes.

It does not look like a real program.
"""

from __future__ import annotations

import numpy as np
import tvm
import tvm_ffi
from tvm import ir, relax, tirx
from tvm.relax.distributed import DeviceMesh
from tvm.script import tirx as T
from tvm.tirx import For, ForKind, IfThenElse, SeqStmt

VALUES = {
    "bytes": b"ab\x00",
    "dict": tvm_ffi.Dict({"a": 1}),
    "list": tvm_ffi.List([1, "x"]),
    "shape": tvm_ffi.Shape((1, 2)),
    "tensor": tvm.runtime.tensor(np.zeros(3, "float32")),
    "numbers": {1: 2},
}


def prim_func(body, *params):
    return tirx.PrimFunc(list(params), body)


def jumps():
    """Loops that are left before their end, and conditions that are numbers."""
    a = tirx.decl_buffer((16,), "int32", "A")
    i, j, k = (tirx.Var(name, "int32") for name in "ijk")

    def store(value):
        return tirx.BufferStore(a, value, [i])

    body = SeqStmt(
        [
            IfThenElse(a[i] > 3, tirx.Break(), None),
            IfThenElse(a[i], tirx.Continue(), store(1)),
            tirx.While(a[i], SeqStmt([store(a[i] - 1), IfThenElse(a[i] < 2, tirx.Break(), None)])),
            For(k, 0, 4, ForKind.SERIAL, IfThenElse(k > 1, tirx.Evaluate(T.break_loop()), None)),
            For(j, 0, 4, ForKind.SERIAL, store(j)),
        ]
    )
    return prim_func(For(i, 2, 14, ForKind.SERIAL, body, annotations={"hint": 1}), a)


def shared():
    """One variable that several statements introduce, and one without a value."""
    a = tirx.decl_buffer((16,), "int32", "A")
    j, x = tirx.Var("j", "int32"), tirx.Var("x", "int32")
    stmts = []
    for value in (1, 2):
        stmts.append(For(j, 0, 4, ForKind.SERIAL, tirx.BufferStore(a, j * value, [j])))
        stmts.append(tirx.Bind(x, a[value]))
        stmts.append(tirx.BufferStore(a, x + 1, [x]))
    nothing = tirx.Var("nothing", ir.PrimType("void"))
    stmts.append(tirx.Bind(nothing, tirx.call_extern("void", "f")))
    stmts.append(tirx.Evaluate(tirx.call_extern("int32", "g", nothing)))
    return prim_func(SeqStmt(stmts), a)


def threads():
    """Coordinates of threads, and elements of vectors."""
    a = tirx.decl_buffer((16,), "float32x4", "A")
    x, y, z = (tirx.Var(name, "int32") for name in "xyz")
    two, three = tirx.const(2, "int32"), tirx.const(3, "int32")
    return prim_func(
        SeqStmt(
            [
                tirx.ScopeIdDefStmt(tirx.ScopeIdDef([x, y], [two, three], "cluster", "cta")),
                tirx.ScopeIdDefStmt(tirx.ScopeIdDef([z], None, "cta", "thread")),
                tirx.BufferStore(a, tirx.Shuffle([a[x], a[y]], [two, three, two, z]), [z]),
            ]
        ),
        a,
    )


def narrow():
    """Elements of less than a byte."""
    a = tirx.decl_buffer((16,), "int4", "A")
    b = tirx.decl_buffer((16,), "float4_e2m1fn", "B")
    c = tirx.decl_buffer((16,), "uint1", "C")
    return prim_func(
        SeqStmt(
            [
                tirx.BufferStore(a, a[1] + tirx.const(-3, "int4"), [0]),
                tirx.BufferStore(b, tirx.Cast("float4_e2m1fn", a[1]), [0]),
                tirx.BufferStore(c, c[1], [0]),
            ]
        ),
        a,
        b,
        c,
    )


def main():
    """Relax on the same."""
    builder = relax.BlockBuilder()
    x = relax.Var("x", relax.TensorType((2, 8), "int4"))
    y = relax.Var("y", relax.TensorType((2, 8), "float6_e3m2fn"))
    s = relax.Var("s", relax.ShapeType(ndim=2))
    z = relax.Var("z", relax.TensorType(s, "float32"))
    with builder.function("main", [x, y, s, z], attrs=VALUES):
        with builder.dataflow():
            narrow = builder.emit(relax.op.astype(y, "float4_e2m1fn"))
            window = builder.emit(relax.op.hamming_window(10, True, 0.5, 0.25, "float32"))
            again = builder.emit(relax.op.broadcast_to(relax.const(1.0, "float32"), s))
            both = builder.emit(relax.op.nn.dropout(z))
            out = builder.emit_output(relax.Tuple([x, narrow, window, again, both]))
        builder.emit_func_output(out)
    return builder.finalize()


if __name__ == "__main__":
    module = main()
    for make in (jumps, shared, threads, narrow):
        module[make.__name__] = make().with_attr({**VALUES, "global_symbol": make.__name__})
    module = module.with_attrs({**VALUES, "device": tvm.cuda(1)})
    module.update_global_info("mesh", [DeviceMesh((2,), ir.Range(0, 2))])
    with open("nodes.json", "w") as file:
        file.write(ir.save_json(module))
