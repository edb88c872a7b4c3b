"""Made unnormalized.json and illtyped.json, with Apache TVM 0.27: modules that are not in normal form."""

import os

from save import save
from tvm import ir, relax
from tvm.relax import BindingBlock, DataflowBlock, DataflowVar, Function, If, SeqExpr, TensorType
from tvm.relax import Tuple, TupleGetItem, Var, VarBinding


def tensor(*shape):
    return TensorType(shape, "float32")


def nested():
    """Calls and fields in calls."""
    x, y = Var("x", tensor(4)), Var("y", tensor(4))
    call = relax.op.add(relax.op.exp(x), TupleGetItem(Tuple([x, relax.op.abs(x)]), 1))
    block = BindingBlock([VarBinding(y, call)])
    return Function(
        [x], SeqExpr([block], relax.op.multiply(y, y)), TensorType(ndim=1, dtype="float32")
    )


def blocks():
    """Dataflow blocks that follow each other."""
    x, y, z = Var("x", tensor(4)), Var("y", tensor(4)), Var("z", tensor(4))
    lv = DataflowVar("lv", tensor(4))
    first = DataflowBlock([VarBinding(lv, relax.op.exp(x)), VarBinding(y, relax.op.abs(lv))])
    second = DataflowBlock([VarBinding(z, relax.op.add(x, y))])
    return Function([x], SeqExpr([first, second], z), tensor(4))


def branches():
    """Branches that are calls."""
    c, x, y = Var("c", TensorType((), "bool")), Var("x", tensor(4)), Var("y", tensor(4))
    choice = If(c, SeqExpr([], relax.op.exp(x)), SeqExpr([], relax.op.abs(x)))
    return Function([c, x], SeqExpr([BindingBlock([VarBinding(y, choice)])], y), tensor(4))


def inner():
    """A SeqExpr as a value."""
    x, y, z = Var("x", tensor(4)), Var("y", tensor(4)), Var("z", tensor(4))
    seq = SeqExpr([BindingBlock([VarBinding(y, relax.op.exp(x))])], relax.op.abs(y))
    return Function([x], SeqExpr([BindingBlock([VarBinding(z, seq)])], z), tensor(4))


def illtyped():
    x, y, z = Var("x", tensor(4)), Var("y", tensor(5)), Var("z", tensor(4))
    block = BindingBlock([VarBinding(z, relax.op.add(x, y))])
    return Function([x, y], SeqExpr([block], z), tensor(4))


def save_as(name, functions):
    module = ir.IRModule(
        {key: func.with_attr("global_symbol", key) for key, func in functions.items()}
    )
    save(module, os.path.join(os.path.dirname(__file__), name))


save_as("unnormalized.json", {f.__name__: f() for f in (nested, blocks, branches, inner)})
save_as("illtyped.json", {"illtyped": illtyped()})
