"""Runs what relax-legalize-ops has made of relax.funcs.

The prim_funcs are lowered by upstream's passes and compiled by upstream's JIT. The
calls of a relax.func are made one after another, as the text says.
"""

import ctypes
import os
import pathlib
import re
import subprocess
import tempfile

import numpy as np

LOOPS = (
    "builtin.module({fuse}canonicalize,cse,eliminate-empty-tensors,one-shot-bufferize,"
    "canonicalize,cse,buffer-deallocation-pipeline,func.func(convert-linalg-to-loops),canonicalize)"
)
FUSE = "func.func(linalg-fuse-elementwise-ops),"
LLVM = (
    "builtin.module(lower-affine,arith-expand,convert-scf-to-cf,expand-strided-metadata,"
    "lower-affine,convert-math-to-llvm,convert-math-to-libm,finalize-memref-to-llvm,"
    "convert-func-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)"
)

# bfloat16 is held as its bits.
DTYPES = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64}
DTYPES |= {"i1": np.bool_}
DTYPES |= {f"i{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)}
DTYPES |= {f"ui{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)}
NUMBERS = {"i1": ctypes.c_bool, "i32": ctypes.c_int32, "i64": ctypes.c_int64}
NUMBERS |= {"f32": ctypes.c_float, "f64": ctypes.c_double}


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{command[0]} failed:\n{done.stderr[:4000]}")
    return done.stdout


def make_descriptor(array):
    """The C struct of a memref."""
    strides = [stride // max(array.itemsize, 1) for stride in array.strides]
    fields = [array.ctypes.data, array.ctypes.data, 0, *array.shape, *strides]
    return (ctypes.c_int64 * len(fields))(*fields)


def store_bytes(text):
    """Lets booleans take bytes: upstream's lowering refuses to store bits."""
    boolean = r"memref<(?:[\d?]+x)*i1\b"
    widen = lambda text: re.sub(boolean, lambda match: match[0][:-2] + "i8", text)
    lines = []
    for number, line in enumerate(text.splitlines()):
        if match := re.match(rf"(\s*%\S+)( = memref\.load .*: {boolean}.*)", line):
            lines += [f"%byte{number}{widen(match[2])}"]
            lines += [f"{match[1]} = arith.trunci %byte{number} : i8 to i1"]
        elif match := re.match(rf"(\s*memref\.store )(%\S+)(, .*: {boolean}.*)", line):
            lines += [f"%byte{number} = arith.extui {match[2]} : i1 to i8"]
            lines += [f"{match[1]}%byte{number}{widen(match[3])}"]
        else:
            lines.append(widen(line))
    return "\n".join(lines)


def split(text):
    """The parts of a list, in which brackets may be."""
    parts, depth = [""], 0
    for character in text.replace("->", "to"):
        depth += (character in "<([{") - (character in ">)]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def allocate(kind, sizes):
    """An array of this tensor type, with other values than a result has."""
    plain, _, named = re.fullmatch(r"tensor<(.*)>", kind)[1].partition(", #relax.shape<[")
    dims = plain.split("x")
    if named:
        dims[:-1] = [part.strip('"') for part in split(named.removesuffix("]>"))]
    shape = [int(eval(dim, {}, dict(sizes))) for dim in dims[:-1]]
    return np.full(shape, 77, DTYPES[dims[-1].strip()])


def get_names(name):
    """The results of an op, from their names in its text: %a or %a:2 or %a, %b."""
    names = []
    for part in split(name):
        base, _, several = part.partition(":")
        names += [f"{base}#{i}" for i in range(int(several))] if several else [base]
    return names


class Program:
    """The relax.funcs of `text`, legalized by the tool `legalizer`."""

    def __init__(self, text, legalizer, tools, fuse=False, options=""):
        legal = run(
            [
                legalizer,
                f"--pass-pipeline=builtin.module(partita.module(relax-legalize-ops{options}))",
            ]
            + ["--mlir-print-local-scope", "--mlir-elide-resource-strings-if-larger=9"]
            + ["--mlir-elide-elementsattrs-if-larger=1"],
            text,
        )
        self.kernels = {}
        source = "func.func @nothing() {\n  return\n}\n"
        kernel = (
            r"^( +)tir\.prim_func private @(\w+)\(([^\n]*)\) attributes \{[^\n]*\} \{\n(.*?)^\1\}$"
        )
        for _, name, params, body in re.findall(kernel, legal, re.M | re.S):
            self.kernels[name] = [param.partition(": ")[2] for param in split(params)]
            body = body.replace("tir.return", "return")
            # Not `erf`, which is a function of libm.
            head = f"func.func @kernel_{name}({params}) attributes {{llvm.emit_c_interface}}"
            source += f"{head} {{\n{body}}}\n"
        self.functions = {
            name: [line.strip() for line in body.splitlines()[1:]]
            for _, name, body in re.findall(
                r"^( +)relax\.func @(\w+)(.*?)^\1\}$", legal, re.M | re.S
            )
        }
        self.library = self.compile(source, pathlib.Path(tools), fuse)

    @staticmethod
    def compile(source, tools, fuse):
        lower = [tools / "mlir-opt", "-", "--mlir-print-local-scope"]
        loops = run([*lower, f"--pass-pipeline={LOOPS.format(fuse=FUSE if fuse else '')}"], source)
        lowered = run([*lower, f"--pass-pipeline={LLVM}"], store_bytes(loops))
        names = ("libmlir_c_runner_utils.so", "libmlir_float16_utils.so")
        libraries = [str(tools.parent / "lib" / name) for name in names]
        with tempfile.TemporaryDirectory() as folder:
            compiled, shared = (os.path.join(folder, name) for name in ("a.o", "a.so"))
            command = [tools / "mlir-runner", "-", "-O1", "-e", "nothing"]
            command += ["--entry-point-result=void", "--dump-object-file"]
            command += [f"--object-filename={compiled}", f"--shared-libs={','.join(libraries)}"]
            run(command, lowered)
            run(["cc", "-shared", "-o", shared, compiled, *libraries, "-lm"], "")
            for library in libraries:
                ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(shared)

    def call(self, kernel, args, results):
        values, kept = [], []
        for value, kind in zip([*args, *results], self.kernels[kernel], strict=True):
            if kind.startswith("memref"):
                kept.append(np.ascontiguousarray(value) if value.ndim else value)
                kept.append(make_descriptor(kept[-1]))
                values.append(ctypes.byref(kept[-1]))
            else:
                values.append(NUMBERS[kind](value))
        getattr(self.library, f"_mlir_ciface_kernel_{kernel}")(*values)

    def run(self, function, constants, params=None, sizes=()):
        """The returned arrays, or the name of an op that is not legal.

        `constants` are the values of the constants, in their order; `params` the
        arguments, by their names; `sizes` the sizes that names stand for.
        """
        constants = iter(constants)
        values = dict(params or {})
        block = ""
        for line in self.functions[function]:
            name, _, op = line.partition(" = ") if " = relax." in line else ("", "", line)
            if op.startswith("relax.constant"):
                values[name] = next(constants)
            elif match := re.match(r"relax\.prim_value (\S+)", op):
                text = match[1]
                values[name] = {"true": True, "false": False}.get(text)
                if values[name] is None:
                    values[name] = float(text) if "f64" in op or "f32" in op else int(text)
            elif match := re.match(r'relax\.dim \["(.*)"\]', op):
                values[name] = eval(match[1], {}, dict(sizes))
            elif match := re.match(r"relax\.call_tir @(\w+)\((.*?)\) : \((.*)\) -> (.*)", op):
                kinds = match[4].removeprefix("(").removesuffix(")")
                results = [allocate(kind, sizes) for kind in split(kinds)]
                self.call(match[1], [values[arg] for arg in split(match[2])], results)
                values |= dict(zip(get_names(name), results))
            elif op.startswith("relax.dataflow"):
                block = name
            elif match := re.match(r"relax\.output (.*?) : ", op):
                results = [values[value] for value in split(match[1])]
                values |= dict(zip(get_names(block), results))
            elif match := re.match(r"relax\.alias (\S+)", op):
                values[name] = values[match[1]]
            elif match := re.match(r"relax\.return (.*) : ", op):
                return [values[name] for name in split(match[1])]
            elif op and not op.startswith(("relax.shape", "relax.tuple(", "}")):
                return op.partition(" ")[0]
        raise ValueError(f"expected a relax.return in @{function}, found none")
