# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What makes a pass, a context or an expression says what it expected in place of a wrong argument."""

import inspect

import pytest

import partita
from partita import IRModule, relax, tir, transform

VALUES = [3, -1, 2.5, True, 10**30, "other", b"x", [3], (1, 2), {3: 4}, object(), lambda: None]

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
        (lambda: relax.op.zeros((3,), [3]), "a dtype, such as 'float32' or numpy.float32"),
        (lambda: relax.get_shape_of(3), "a tensor to have the shape of, but found int"),
        (lambda: relax.get_pipeline([]), "the name of a pipeline to be a str, but found list"),
    ],
)
def test_wrong_parts(make, expected):
    with pytest.raises(TypeError, match=f"expected {expected}"):
        make()


def test_names_of_tvm_that_are_missing():
    with pytest.raises(AttributeError, match="found 'VirtualMachine'.*partita.compile makes"):
        relax.VirtualMachine  # noqa: B018
    with pytest.raises(AttributeError, match="found 'BlockBuildr'; the nearest are BlockBuilder"):
        relax.BlockBuildr  # noqa: B018
    with pytest.raises(AttributeError, match="found 'cpu'.*take arrays of NumPy"):
        partita.cpu  # noqa: B018
    assert not hasattr(relax, "_private") and not hasattr(partita, "__wrapped__")
