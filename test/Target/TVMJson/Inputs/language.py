"""Made language.json, with Apache TVM 0.27: bindings, control flow and calls.

Names for values, fields of tuples, tuples that are passed on whole, branches,
and functions, strings and dtypes as values. It is not what a program would
look like.
"""

import tvm
from tvm.script import ir as I, relax as R

X = R.Tensor((4,), "float32")


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


if __name__ == "__main__":
    with open("language.json", "w") as file:
        file.write(tvm.ir.save_json(Module))
