"""Checks how much memory an import takes: at most 12 times the file, as its functions
or its weights grow.

usage: check_memory.py TRANSLATE TEMPORARY_FILE [FUNCTIONS]
"""

import base64
import json
import os
import struct
import subprocess
import sys


class Module:
    """TVM's JSON of functions that call `relax.exp` on their parameter."""

    def __init__(self):
        self.nodes = [{"type": "None"}]
        self.functions, self.variables = [], []
        self.int64 = self.add("ir.PrimType", span=0, dtype="int64")
        self.float32 = self.add("ir.PrimType", span=0, dtype="float32")
        self.exp = None

    def add(self, type_, data=None, **fields):
        self.nodes.append({"type": type_, "data": fields if data is None else data})
        return len(self.nodes) - 1

    def array(self, *elements):
        return self.add("ffi.Array", list(elements))

    def string(self, text):
        return self.add("ffi.String", text)

    def tensor_type(self, *shape):
        dims = [
            self.add("ir.IntImm", span=0, ty=self.int64, value=self.add("int", dim))
            for dim in shape
        ]
        values = self.array(*dims)
        type_ = self.add("relax.ShapeType", span=0, values=values, ndim=len(shape))
        shape_ = self.add("relax.expr.ShapeExpr", span=0, ty=type_, values=values)
        return self.add(
            "relax.TensorType",
            span=0,
            shape=shape_,
            dtype=self.float32,
            vdevice=0,
            ndim=len(shape),
        )

    def function(self, name, params, blocks, body, type_, param_types):
        func_type = self.add(
            "relax.FuncType",
            span=0,
            params=self.array(*param_types),
            ret=type_,
            derive_func=0,
            purity=True,
        )
        name = self.string(name)
        var = self.add("ir.GlobalVar", span=0, ty=func_type, name_hint=name)
        attrs = self.add("ir.DictAttrs", __dict__=self.add("ffi.Map", []))
        seq = self.add("relax.expr.SeqExpr", span=0, ty=type_, blocks=blocks, body=body)
        func = self.add(
            "relax.expr.Function",
            span=0,
            ty=func_type,
            attrs=attrs,
            params=self.array(*params),
            body=seq,
            ret_ty=type_,
            is_pure=True,
        )
        self.functions += [var, func]
        self.variables += [name, var]

    def calls(self, name, count):
        type_ = self.tensor_type(8, 16)
        x = value = self.add("ir.Var", span=0, ty=type_, name=self.string("x"))
        self.exp = self.exp or self.add("ir.Op", "relax.exp")
        bindings = []
        for i in range(count):
            call = self.add(
                "ir.Call",
                span=0,
                ty=type_,
                op=self.exp,
                args=self.array(value),
                attrs=0,
                ty_args=self.array(),
            )
            value = self.add("ir.Var", span=0, ty=type_, name=self.string(f"lv{i}"))
            bindings.append(self.add("relax.expr.VarBinding", span=0, var=value, value=call))
        block = self.add("relax.expr.BindingBlock", bindings=self.array(*bindings), span=0)
        self.function(name, [x], self.array(block), value, type_, [type_])

    def weight(self, name, count):
        header = struct.pack(
            "<QQIIIBBHQQ", 0xDD5E40F096B4A13F, 0, 1, 0, 1, 2, 32, 1, count, count * 4
        )
        blob = self.add("ffi.Tensor", base64.b64encode(header + os.urandom(count * 4)).decode())
        type_ = self.tensor_type(count)
        constant = self.add("ir.GenericConst", span=0, ty=type_, value=blob)
        self.function(name, [], self.array(), constant, type_, [])

    def save(self, path):
        empty = self.add("ffi.Map", [])
        root = self.add(
            "ir.IRModule",
            functions=self.add("ffi.Map", self.functions),
            global_var_map_=self.add("ffi.Map", self.variables),
            source_map=self.add("ir.SourceMap", source_map=empty),
            attrs=self.add("ir.DictAttrs", __dict__=empty),
            global_infos=self.add("ffi.Map", []),
        )
        metadata = {"tvm_version": "0.27.0"}
        with open(path, "w") as file:
            json.dump(
                {"root_index": root, "nodes": self.nodes, "metadata": metadata},
                file,
                separators=(",", ":"),
            )


# A process begins with its parent's peak, so a small process starts it.
MEASURE = """
import os, sys
_, status, usage = os.wait4(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ), 0)
print(usage.ru_maxrss * 1024)
sys.exit(status != 0)
"""


def measure(translate, path):
    """The peak of an import in bytes."""
    command = [translate, "--import-tvm-json", path, "-o", os.devnull]
    return int(subprocess.check_output([sys.executable, "-S", "-c", MEASURE, *command]))


def main():
    translate, path, *count = sys.argv[1:]
    least = Module()
    least.calls("f", 1)
    least.save(path)
    base = measure(translate, path)

    functions, weights = Module(), Module()
    for i in range(int(count[0]) if count else 2000):
        functions.calls(f"f{i}", 5)
    for i in range(4):
        weights.weight(f"w{i}", 500000)
    failed = False
    for what, module in ("functions", functions), ("weights", weights):
        module.save(path)
        size = os.path.getsize(path)
        factor = (measure(translate, path) - base) / size
        print(f"{what}: {size / 1e6:.1f} MB, peak {factor:.1f} times the file")
        failed |= factor > 12
    os.remove(path)
    sys.exit(failed)


if __name__ == "__main__":
    main()
