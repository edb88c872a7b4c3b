"""Made tir.json, with Apache TVM 0.27: prim_funcs with each kind of node.

It does not look like a real program.
"""

from __future__ import annotations

from typing import TypeVar

import tvm
from save import save
from tvm.script import ir as I, tirx as T

k = TypeVar("k")


@I.ir_module(check_well_formed=False)
class Module:
    @T.prim_func(s_tir=True)
    def matmul(A: T.Buffer((T.int64(16), k)), B: T.Buffer((k, T.int64(16))), C: T.Buffer((16, 16))):
        T.func_attr({"tirx.noalias": True, "op_pattern": 4, "level": T.int64(2)})
        local = T.sblock_alloc_buffer((16, 16), scope="local")
        for i, j, r in T.grid(16, 16, k):
            with T.sblock("update"):
                vi, vj, vr = T.axis.remap("SSR", [i, j, r])
                T.sblock_attr({"hint": 1, "order": ["a", "b"]})
                with T.init():
                    local[vi, vj] = T.float32(0)
                local[vi, vj] = local[vi, vj] + A[vi, vr] * B[vr, vj]
        for i in range(17):
            with T.sblock("copy"):
                vi = T.axis.spatial(16, i)
                vs = T.axis.opaque(T.int32(1), 0)
                T.where(i < 16)
                T.reads(local[vi, 0:16])
                T.writes(C[vi, 0:16])
                whole = T.match_buffer(
                    local[vi, 0:16], (16,), strides=["s"], scope="local", offset_factor=4
                )
                for j in range(16):
                    C[vi, j] = whole[j] + T.Cast("float32", vs)

    @T.prim_func(private=True, s_tir=True)
    def loops(A: T.Buffer((64,), "int32"), n: T.int32, c: T.bool):
        for i in T.parallel(4):
            A[i] = T.int32(1)
        for i in T.vectorized(4):
            A[i] = T.int32(2)
        for i in T.unroll(4):
            A[i] = T.int32(3)
        for i in T.serial(2, n, annotations={"pragma": "x"}):
            A[i] = T.int32(4)
        for i in T.serial(3, 7):
            A[i] = T.int32(5)
        for i in range(n, n * 2):
            A[i] = T.int32(6)
        for i in T.thread_binding(8, thread="threadIdx.x"):
            A[i] = T.int32(7)
        while A[0] < n:
            A[0] = A[0] + 1
        if c and A[0] != 3:
            A[0] = T.int32(8)
        else:
            if not c:
                T.evaluate(0)

    @T.prim_func(private=True, s_tir=True)
    def arithmetic(
        A: T.Buffer((64,), "int32"),
        F: T.Buffer((64,), "float32"),
        H: T.Buffer((64,), "float16"),
        U: T.Buffer((64,), "uint8"),
        P: T.Buffer((64,), "bool"),
        x: T.int32,
        y: T.int32,
    ):
        A[0] = T.floordiv(x, y) + T.floormod(x, y) * T.truncdiv(x, y) - T.truncmod(x, y)
        A[1] = T.min(x, y) + T.max(x, 4)
        A[2] = (x & y) | (x ^ 7)
        A[3] = T.shift_left(x, 2) + T.shift_right(y, 1)
        A[4] = T.Select(x < y, x, y)
        A[5] = T.if_then_else(0 <= x and x < 64, A[x], -1)
        F[0] = T.max(F[0], F[1]) / T.float32(3) + T.exp(F[2]) * T.sigmoid(F[3])
        F[1] = T.Cast("float32", x) - T.Cast("float32", H[0])
        F[2] = T.float32(0.1)
        H[0] = T.Cast("float16", F[0]) + T.float16(0.1)
        U[0] = U[1] + T.uint8(200)
        A[6] = T.Cast("int32", U[0]) + T.Cast("int32", P[0])
        P[0] = F[0] == F[1] or F[0] != T.float32(0) or x >= y
        P[1] = T.Cast("bool", x)
        F[T.Ramp(4, 1, 4)] = F[T.Ramp(0, 1, 4)] + T.Broadcast(T.float32(1), 4)
        z = T.int32()
        A[7] = T.Let(z * z, where={z: x})

    @T.prim_func(s_tir=True)
    def lowered(handle: T.handle, args: T.handle("float32"), size: T.int32) -> T.int32:
        T.func_attr({"target": T.target("llvm")})
        assert size == 2, ("TypeError", ["expected ", "2", " sizes"])
        first: T.let[T.handle] = T.tvm_struct_get(handle, 0, 15, T.handle().ty)
        data = T.decl_buffer((4, 4), data=args, strides=(8, 1), elem_offset=size)
        temporary = T.alloc_buffer((4,), scope="shared")
        T.attr("default", "device_id", 0)
        T.attr(0, "compute_scope", "lowered_compute_")
        tx = T.launch_thread("threadIdx.x", 4)
        temporary[tx] = data[tx, 0]
        T.evaluate(T.tvm_storage_sync("shared"))
        data[tx, 1] = temporary[tx] + temporary[(tx + 1) % 4]
        T.evaluate(T.call_extern("int32", "done", first))
        return 0


if __name__ == "__main__":
    save(Module, "tir.json")
    print(Module.script())
