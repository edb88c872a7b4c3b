# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What makes a pass, a context or an expression says what it expected in place of a wrong argument."""

import functools
import inspect

import pytest

import partita
from partita import IRModule, instrument, ir, relax, tir, transform

VALUES = [3, -1, 2.5, True, 10**30, "other", b"x", [3], (1, 2), {3: 4}, object(), lambda: None]

FLOATS = relax.TensorType((2,), "float32")


def identity():
    x = relax.Var("x", FLOATS)
    return relax.Function([x], x)


MAKERS = [
    getattr(module, name) for module in (relax.transform, tir.transform) for name in module.__all__
]
MAKERS += [transform.get_pass, transform.parse_pipeline, transform.plan, transform.sequential]
MAKERS += [transform.PassContext, transform.PassInfo, transform.register_pass, transform.PrintIR]
MAKERS = [maker for maker in MAKERS if callable(maker)]


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_wrong_arguments(maker):
    parameters = inspect.signature(maker).parameters.values()
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    needed = {p.name: "main" for p in named if p.default is p.empty}
    for parameter in named:
        for value in VALUES:
            try:
                maker(**{**needed, parameter.name: value})
            except Exception as error:
                assert "expected" in str(error), f"{maker.__name__}({parameter.name}={value!r})"


@pytest.mark.parametrize(
    "make, expected",
    [
        (lambda: IRModule({}, attrs=3), "attributes to be a dict by name, but found int"),
        (
            lambda: relax.BlockBuilder(3),
            "the module of a BlockBuilder to be an IRModule, but found int",
        ),
        (lambda: relax.Tuple(3), "the fields of a Tuple to be a list, but found int"),
        (lambda: relax.BindingBlock(3), "the bindings of a block to be a list, but found int"),
        (
            lambda: relax.TensorType(3, "float32"),
            "a shape to be a list of dimensions, but found int",
        ),
        (lambda: relax.TupleType(3), "the fields of a TupleType to be a list, but found int"),
        (lambda: relax.TupleType([3]), "the fields of a TupleType to be types, but found int"),
        (
            lambda: relax.FuncType([FLOATS], None),
            "the parameters and the result of a FuncType to be types, but found NoneType",
        ),
        (
            lambda: relax.Call(ir.Op.get("relax.exp"), [relax.const(1.0)], attrs=3),
            "the attributes of a call to be a dict, but found int",
        ),
        (lambda: IRModule().without_attr(3), "the name of an attribute to be a str"),
        (lambda: identity().without_attr(None), "the name of an attribute to be a str"),
        (lambda: IRModule.from_text(None), "the text of a module to be a str"),
        (lambda: IRModule.from_tvm_json(None), "JSON to be a str"),
        (
            lambda: relax.BlockBuilder().function("main", 3),
            "the parameters of a function to be Vars in a list, but found int",
        ),
        (lambda: relax.BlockBuilder().add_func(identity(), 3), "the name of a function to be a"),
        (lambda: relax.BlockBuilder().get_unique_name(3), "the start of a name to be a str"),
        (lambda: relax.PyExprVisitor().visit_expr(None), "an expression to visit, but found None"),
        (lambda: relax.expr_functor.mutator(3), "a class to make a mutator or a visitor from"),
        (
            lambda: relax.expr_functor.visitor(IRModule),
            "a class derived from PyExprMutator or PyExprVisitor, but found IRModule",
        ),
        (lambda: relax.analysis.type_base_check(3, FLOATS), "a type, but found int"),
        (lambda: relax.analysis.get_static_type(3), "a type, but found int"),
        (lambda: relax.analysis.erase_to_well_defined(3), "a type, but found int"),
        (lambda: relax.analysis.definable_tir_vars_in_type(3), "a type, but found int"),
        (lambda: tir.IntImm("int64", "a"), "the value of an IntImm to be an int, but found str"),
        (lambda: relax.op.zeros((3,), [3]), "a dtype, such as 'float32' or numpy.float32"),
        (lambda: relax.get_shape_of(3), "a tensor to have the shape of, but found int"),
        (lambda: relax.get_pipeline([]), "the name of a pipeline to be a str, but found list"),
    ],
)
def test_wrong_parts(make, expected):
    with pytest.raises(TypeError, match=f"expected {expected}"):
        make()


class Visitor:
    def transform_module(self, mod):
        return mod


def should_run(self):
    return True


@pytest.mark.parametrize(
    "make, expected",
    [
        (
            lambda: transform.module_pass(lambda mod: mod, opt_level=0, name="p"),
            r"the function of pass 'p' to take \(mod, ctx\), but found .*<lambda>\(mod\)",
        ),
        (
            lambda: transform.module_pass(lambda mod, ctx, *, more: mod, opt_level=0, name="p"),
            r"the function of pass 'p' to take \(mod, ctx\), but found .*\(mod, ctx, more\)",
        ),
        (
            lambda: transform.module_pass(Visitor, opt_level=0, name="p")(),
            r"the method of pass 'p' to take \(self, mod, ctx\), but found Visitor.*\(self, mod\)",
        ),
        (
            lambda: relax.transform.function_pass(lambda func: func, opt_level=0, name="p"),
            r"the function of pass 'p' to take \(func, mod, ctx\), but found",
        ),
        (
            lambda: tir.transform.prim_func_pass(lambda func: func, opt_level=0, name="p"),
            r"the function of pass 'p' to take \(func, mod, ctx\), but found",
        ),
        (
            lambda: relax.transform.dataflowblock_pass(lambda block: block, opt_level=0, name="p"),
            r"the function of pass 'p' to take \(block, mod, ctx\), but found",
        ),
        (
            lambda: transform.PassContext(
                instruments=[
                    instrument.pass_instrument(type("Mine", (), {"should_run": should_run}))()
                ]
            ),
            r"should_run of instrument 'Mine' to take \(self, mod, info\), but found "
            r"should_run\(self\)",
        ),
        (
            lambda: relax.dpl.rewrite_call(
                relax.dpl.wildcard(), lambda call: call, relax.Function([], relax.const(1))
            ),
            r"a rewriter to take \(expr, matched\), but found",
        ),
        (
            lambda: relax.transform.LegalizeOps({"relax.exp": lambda call: call}),
            r"the function that legalizes 'relax.exp' to take \(bb, call\), but found",
        ),
    ],
)
def test_functions_that_take_something_else(make, expected):
    with pytest.raises(TypeError, match=f"expected {expected}"):
        make()


def test_functions_that_take_more_than_they_need():
    mod = IRModule()

    class Instrument:
        def should_run(self, *args):
            return True

        def run_before_pass(self, mod, info, more=None):
            pass

    for function in (
        lambda mod, ctx, more=3: mod,
        lambda mod, ctx=None, *, more=3: mod,
        lambda *args: args[0],
        functools.partial(lambda more, mod, ctx: mod, 3),
    ):
        with transform.PassContext(instruments=[instrument.pass_instrument(Instrument)()]):
            made = transform.module_pass(function, opt_level=0, name="p")
            assert made(mod).same_as(mod)


def test_names_of_tvm_that_are_missing():
    with pytest.raises(AttributeError, match="found 'VirtualMachine'.*partita.compile makes"):
        relax.VirtualMachine  # noqa: B018
    with pytest.raises(AttributeError, match="found 'BlockBuildr'; the nearest are BlockBuilder"):
        relax.BlockBuildr  # noqa: B018
    with pytest.raises(AttributeError, match="found 'cpu'.*take arrays of NumPy"):
        partita.cpu  # noqa: B018
    with pytest.raises(AttributeError, match="found 'Array'; lists and dicts of Python are in"):
        ir.Array  # noqa: B018
    with pytest.raises(AttributeError, match="found 'Buffer'; the bodies of prim_funcs are MLIR's"):
        tir.Buffer  # noqa: B018
    with pytest.raises(AttributeError, match="found 'PrintBefor'; the nearest are .*PrintBefore"):
        instrument.PrintBefor  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'buffer_map'; its parameters and its"):
        tir.PrimFunc._of(None).buffer_map  # noqa: B018
    assert not hasattr(ir, "_private") and not hasattr(ir, "nothing")
    assert not hasattr(relax, "_private") and not hasattr(partita, "__wrapped__")
