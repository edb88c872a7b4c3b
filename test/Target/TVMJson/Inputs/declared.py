"""Made declared.json, with Apache TVM 0.27: types that do not follow from the values.

TVM does not compare the types of variables, of branches and of results with the types of the
values; and before its normal form, fields of tuples stand in other expressions.
"""

import os

import tvm
from save import save
from tvm import ir, relax
from tvm.relax import BindingBlock, Function, If, SeqExpr, TensorType, Tuple, TupleGetItem
from tvm.relax import Var, VarBinding


def tensor(*shape):
    return TensorType(shape, "float32")


def size(name):
    return tvm.tirx.Var(name, "int64")


def sizes():
    """Functions have sizes of their own."""
    return size("m"), size("n")


def branches():
    """Without purity checking, branches know their rank alone."""
    m, n = sizes()
    c, x, y = Var("c", TensorType((), "bool")), Var("x", tensor(m, n)), Var("y", tensor(m, n))
    calls = [Var(name, tensor(m, n)) for name in ("a", "b")]
    ops = (relax.op.add, relax.op.multiply)
    seqs = [SeqExpr([BindingBlock([VarBinding(a, op(x, x))])], a) for a, op in zip(calls, ops)]
    body = SeqExpr([BindingBlock([VarBinding(y, If(c, *seqs))])], y)
    mod = ir.IRModule({"branches": Function([c, x], body, tensor(m, n))})
    return relax.transform.RemovePurityChecking()(relax.transform.Normalize()(mod))["branches"]


def normal(func):
    """`func` whose expressions have types."""
    return relax.transform.Normalize()(ir.IRModule({"main": func}))["main"]


def result(make):
    """A function whose result is said to be what `make` makes of the sizes."""
    m, n = sizes()
    x, y = Var("x", tensor(m, n)), Var("y", tensor(m, n))
    block = BindingBlock([VarBinding(y, relax.op.add(x, x))])
    return Function([x], SeqExpr([block], y), make(m, n))


def results():
    """A tuple that is a variable, and one that the tensors do not fit."""
    m, n = sizes()
    pair = ir.TupleType([tensor(m, n)] * 2)
    x, t = Var("x", tensor(m, n)), Var("t", pair)
    block = BindingBlock([VarBinding(t, Tuple([x, x]))])
    other = ir.TupleType([tensor(4, 4), TensorType((m, n), "float16")])
    return Function([x], SeqExpr([block], t), other)


def parts(*declared):
    """A pair whose function says that its result has the parts `declared`."""
    func = results()
    return Function(func.params, func.body, ir.TupleType(list(declared)))


def variables():
    """Variables of other types than their values, and one of several fields."""
    m, n = sizes()
    x, y, z = Var("x", tensor(m, n)), Var("y", tensor(4, 4)), Var("z", tensor(3, 3))
    s = Var("s", ir.TupleType([TensorType(ndim=2, dtype="float32")] * 2))
    block = BindingBlock(
        [
            VarBinding(y, x),
            VarBinding(z, relax.op.exp(y)),
            VarBinding(s, relax.op.split(z, 2, 0)),
        ]
    )
    return Function([x], SeqExpr([block], TupleGetItem(s, 0)), TensorType(ndim=2, dtype="float32"))


def fields():
    """Fields that have no variables."""
    m, n = sizes()
    t, s, y = (
        Var("t", ir.TupleType([tensor(m, n)] * 2)),
        Var("s", ir.TupleType([tensor(m, n)] * 2)),
        Var("y", tensor(m, n)),
    )
    block = BindingBlock(
        [
            VarBinding(y, relax.op.add(TupleGetItem(t, 0), TupleGetItem(t, 1))),
            VarBinding(s, Tuple([TupleGetItem(t, 0), TupleGetItem(t, 1)])),
        ]
    )
    one = TupleGetItem(TupleGetItem(Tuple([Tuple([y])]), 0), 0)
    return Function([t], SeqExpr([block], Tuple([one, s])), ir.TupleType([tensor(m, n), s.ty]))


functions = {
    "branches": branches(),
    "number": normal(result(lambda m, n: tensor(4, 4))),
    "swapped": normal(result(lambda m, n: tensor(n, m))),
    "unbound": normal(result(lambda m, n: tensor(size("m1"), n))),
    "results": normal(results()),
    "no_parts": normal(parts()),
    "more_parts": normal(parts(*[tensor(4)] * 3)),
    "variables": normal(variables()),
    "fields": fields(),
}
module = ir.IRModule(
    {name: func.with_attr("global_symbol", name) for name, func in functions.items()}
)


def call(callee):
    """A call of a function, and a field of the result that this function declares."""
    m, n = sizes()
    x, y, z = Var("x", tensor(m, n)), Var("y"), Var("z")
    name = module.get_global_var(callee)
    relax.expr._update_type(name, module[callee].ty)
    call = relax.Call(name, [x])
    block = BindingBlock([VarBinding(y, call), VarBinding(z, TupleGetItem(y, 2))])
    builder = relax.BlockBuilder(module)
    return builder.normalize(Function([x], SeqExpr([block], z), tensor(4)))


module["call"] = call("more_parts").with_attr("global_symbol", "call")
save(module, os.path.join(os.path.dirname(__file__), "declared.json"))
