"""Made language.json, with Apache TVM 0.27: bindings, control flow and calls.

Names for values, fields of tuples, tuples that are passed on whole, branches,
and functions, strings and dtypes as values. It does not look like a real
program.
"""

import tvm
from save import save
from tvm.script import ir as I, relax as R, tirx as T

DEVICE = tvm.relax.VDevice({"kind": "llvm"}, 0)


@I.ir_module
class Module:
    @R.function
    def names(x: R.Tensor((4,), "float32")):
        y = x
        c = R.const(1.0, "float32")
        with R.dataflow():
            lv = R.add(y, c)
            out = lv
            parts = R.split(out, 2)
            left = parts[0]
            whole = parts
            R.output(out, left, whole)
        pair = (out, left)
        first = pair[0]
        again = first
        right = whole[1]
        return (again, right)

    @R.function(private=True)
    def passed_on(t: R.Tuple(R.Tensor((4,), "float32"), R.Tensor((4,), "float32"))):
        joined = R.concat(t)
        return t

    @R.function(private=True)
    def given(x: R.Tensor((4,), "float32")):
        parts = R.split(x, 2)
        return parts

    @R.function
    def branches(cond: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")):
        if cond:
            with R.dataflow():
                a = R.exp(x)
                b = R.add(a, x)
                R.output(b)
            out = b
        else:
            out = x
        last = R.exp(out)
        return last

    @R.function(pure=False)
    def calls(f: R.Callable, x: R.Tensor((4,), "float32")):
        shown = R.call_packed("test.show", x, R.str("text"), R.dtype("float32"), ty_args=R.Any)
        summed = R.call_pure_packed("test.sum", x, 1, ty_args=R.Tensor((4,), "float32"))
        written = R.call_dps_packed("test.write", (x,), R.Tensor((4,), "float32"))
        other = Module.names
        return written

    @R.function
    def recursive(x: R.Tensor((), "int32")):
        @R.function
        def loop(i: R.Tensor((), "int32")) -> R.Tensor((), "int32"):
            r: R.Tensor((), "int32") = loop(i)
            return r

        out: R.Tensor((), "int32") = loop(x)
        return out

    @R.function
    def closures(
        f: R.Callable((R.Tensor((4,), "float32"),), R.Tensor((4,), "float32"), True),
        x: R.Tensor((4,), "float32"),
        y: R.Tensor(("n",), "float32"),
    ):
        n = T.int64()

        @R.function
        def inner(z: R.Tensor((n,), "float32"), w: R.Tensor(("m",), "float32")) -> R.Tensor((n,)):
            R.func_attr({"Composite": "mine"})
            sum = R.add(z, y)
            with R.dataflow():
                lv = R.exp(sum)
                R.output(lv)
            return lv

        with R.dataflow():

            @R.function(pure=False)
            def shows(z: R.Tensor((4,), "float32")) -> R.Any:
                shown = R.call_packed("test.show", z, y, ty_args=R.Any)
                return shown

            a = f(x)
            R.output(a, shows)
        b = inner(y, a)
        other = Module.names
        pair = (Module.names, b)
        return (pair, shows)

    @R.function(private=True)
    def types(
        on_device: R.Tensor((4,), "float32", vdevice=DEVICE),
        number: R.Tensor(dtype="float32", ndim=0),
        shape: R.Shape(ndim=0),
    ):
        out = R.exp(on_device)
        return (out, number, shape)

    @R.function(private=True)
    def numbers(x: R.Tensor(("n",), "float32"), start: T.float32):
        n = T.int64()
        if n % 16 == 0 and n > 1:
            y = R.exp(x)
        else:
            y = R.log(x)
        steps = R.arange(start, T.float32(8), T.float32(0.5), "float32")
        part = R.call_pure_packed(
            "test.part", T.if_then_else(n < 0, n + 16, n), T.Cast("int32", n), ty_args=R.Any
        )
        return (y, steps, part)

    @T.prim_func(private=True)
    def kernel(a: T.Buffer((4,), "float32")):
        a[0] = 1.0

    @R.function(pure=False)
    def lowered(x: R.Tensor((4,), "float32")):
        none: R.Tuple = Module.kernel(x)
        return x


if __name__ == "__main__":
    save(Module, "language.json")
