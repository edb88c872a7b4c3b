# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""structural_equal, structural_hash and assert_structural_equal: differences that count."""

import itertools
import subprocess
import sys

import numpy as np
import pytest

import partita
from partita import relax, tirx
from partita.ir import (
    IRModule,
    assert_structural_equal,
    structural_equal,
    structural_hash,
)
from partita.mlir import ir


def make(body, params="%x: tensor<4xf32>", resources=""):
    return (
        f"partita.module {{\n relax.func @main({params}) -> tensor<4xf32> {{\n{body}\n }}\n}}\n"
        + (f"{{-# dialect_resources: {{ builtin: {{ {resources} }} }} #-}}" if resources else "")
    )


C = "%c = relax.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>"
D = "%d = relax.constant dense<2.0> : tensor<4xf32>"
ADD = "%0 = relax.add %x, %c : tensor<4xf32>"
SUB = "%1 = relax.subtract %0, %d : tensor<4xf32>"
RETURN = "relax.return %1 : tensor<4xf32>"
BASE = make("\n".join([C, D, ADD, SUB, RETURN]))

# Texts that say the same as BASE.
SAME = {
    "order of constants": make("\n".join([D, C, ADD, SUB, RETURN])),
    "at its use": make("\n".join([C, ADD, D, SUB, RETURN])),
    "a constant for each use": make(
        "\n".join([C, D, "%e = relax.constant dense<2.0> : tensor<4xf32>", ADD, SUB, RETURN])
    ),
    "in a resource": make(
        "\n".join([C.replace("dense<[1.0, 2.0, 3.0, 4.0]>", "dense_resource<w>"), D, ADD, SUB])
        + "\n"
        + RETURN,
        resources='w: "0x040000000000803F000000400000404000008040"',
    ),
    "a splat element by element": make(
        "\n".join([C, D.replace("2.0", "[2.0, 2.0, 2.0, 2.0]"), ADD, SUB, RETURN])
    ),
    "names and places": make("\n".join(["\n", C, D, ADD, SUB, RETURN]).replace("%c", "%other")),
}
# Texts that say something else.
OTHER = {
    "an element": BASE.replace("3.0", "3.5"),
    "the sign of zero": BASE.replace("dense<2.0>", "dense<-2.0>"),
    "operands": BASE.replace("%0, %d", "%d, %0"),
    "order of bindings": make(
        "\n".join([C, D, SUB.replace("%0", "%x"), ADD.replace("%x", "%1")])
        + "\nrelax.return %0 : tensor<4xf32>"
    ),
    "an attribute": BASE.replace("@main(", "@main(").replace(
        "-> tensor<4xf32> {", "-> tensor<4xf32> attributes {a} {"
    ),
    "a name": BASE.replace("@main", "@other"),
    "which constant": BASE.replace("%x, %c", "%x, %d"),
}


def parse_in_own_context(text):
    with ir.Context() as context:
        return IRModule.from_text(text, context)


@pytest.mark.parametrize("parse", [IRModule.from_text, parse_in_own_context])
@pytest.mark.parametrize("name", SAME)
def test_same(name, parse):
    lhs, rhs = IRModule.from_text(BASE), parse(SAME[name])
    assert_structural_equal(lhs, rhs)
    assert_structural_equal(rhs, lhs)
    assert structural_hash(lhs) == structural_hash(rhs)


@pytest.mark.parametrize("parse", [IRModule.from_text, parse_in_own_context])
@pytest.mark.parametrize("name", OTHER)
def test_other(name, parse):
    lhs, rhs = IRModule.from_text(BASE), parse(OTHER[name])
    assert not structural_equal(lhs, rhs) and not structural_equal(rhs, lhs)
    assert structural_hash(lhs) != structural_hash(rhs)
    with pytest.raises(ValueError, match=r"expected equal modules, but found:\n--- lhs"):
        assert_structural_equal(lhs, rhs)


ACCESSES = """
func.func @main(%m: memref<4xf32>, %i: index, %x: f32) -> f32 {{
  %0 = "memref.load"(%m, %i) {flag} : (memref<4xf32>, index) -> f32
  "memref.store"(%x, %m, %i) {flag} : (f32, memref<4xf32>, index) -> ()
  return %0 : f32
}}"""


@pytest.mark.parametrize("parse", [IRModule.from_text, parse_in_own_context])
def test_a_default_that_has_no_text(parse):
    given = IRModule.from_text(ACCESSES.format(flag="<{nontemporal = false}>"))
    for same in (ACCESSES.format(flag=""), str(given)):
        other = parse(same)
        assert structural_equal(given, other) and structural_equal(other, given)
        assert structural_hash(given) == structural_hash(other)
    other = parse(ACCESSES.format(flag="<{nontemporal = true}>"))
    assert not structural_equal(given, other) and not structural_equal(other, given)


def prim_func(*lines):
    body = "\n".join([*lines, "tir.return"])
    return IRModule.from_text(f"""
tir.prim_func @main(%a: memref<4xi32>, %n: i32, %i: index) {{
  %c = arith.constant 4 : i32
  {body}
}}""")


REST = '%{} = tir.prim "FloorMod"(%n, %c) : (i32, i32) -> i32'
CALL = '%{} = tir.call_intrin {} "tirx.f"(%n) : (i32) -> i32'
STORE = "memref.store %{}, %a[%i] : memref<4xi32>"


def test_place_of_expressions():
    rest, call, *stores = (REST.format("r"), CALL.format("s", "pure"), *map(STORE.format, "rs"))
    given, late = prim_func(rest, call, *stores), prim_func(rest, stores[0], call, stores[1])
    assert structural_equal(given, late) and structural_hash(given) == structural_hash(late)
    shared = prim_func(rest, stores[0], stores[0])
    twice = prim_func(rest, stores[0], REST.format("s"), stores[1])
    assert structural_equal(shared, twice)
    # One that may have effects counts where it stands.
    call, store = CALL.format("r", ""), STORE.format("c")
    assert not structural_equal(prim_func(call, store), prim_func(store, call))


OUTPUTS = """
%0:2 = relax.dataflow -> {types} {{
  %1 = relax.add %x, %x : tensor<4xf32>
  %2 = relax.exp %1 : tensor<4xf32>
  %3 = relax.less %2, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  relax.output {names} : {types}
}}
%4 = relax.where %0#{mask}, %0#{value}, %x
    : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
relax.return %4 : tensor<4xf32>"""


def outputs(names, *types):
    kinds = {"value": types.index("tensor<4xf32>"), "mask": types.index("tensor<4xi1>")}
    return IRModule.from_text(make(OUTPUTS.format(names=names, types=", ".join(types), **kinds)))


def test_order_of_outputs():
    given = outputs("%2, %3", "tensor<4xf32>", "tensor<4xi1>")
    other = outputs("%3, %2", "tensor<4xi1>", "tensor<4xf32>")
    assert structural_equal(given, other) and structural_hash(given) == structural_hash(other)
    assert_structural_equal(given, other)
    another = outputs("%3, %1", "tensor<4xi1>", "tensor<4xf32>")
    assert not structural_equal(given, another)
    assert structural_hash(given) != structural_hash(another)


INNER = "%{} = relax.tuple(%x, %y) : tensor<4xf32>, tensor<4xf32>"
OUTER = (
    "%t = relax.tuple(%{}, %{}) : tuple<tensor<4xf32>, tensor<4xf32>>, "
    "tuple<tensor<4xf32>, tensor<4xf32>>"
)
EXP = "%y = relax.exp %x : tensor<4xf32>"
LOG = "%z = relax.log %x : tensor<4xf32>"
USE = """%f = relax.extern_func "f"
%u = relax.call_value(%f, %t, %z) : (!relax.object, tuple<tuple<tensor<4xf32>, tensor<4xf32>>,
    tuple<tensor<4xf32>, tensor<4xf32>>>, tensor<4xf32>) -> tensor<4xf32>
relax.return %u : tensor<4xf32>"""


def tuples(*lines):
    text = make("\n".join([*lines, USE])).replace(
        ") -> tensor<4xf32> {", ") -> tensor<4xf32> attributes {is_pure = false} {"
    )
    return IRModule.from_text(text)


def test_tuples_count_where_they_are_used():
    inner = INNER.format("a")
    given = tuples(EXP, inner, OUTER.format("a", "a"), LOG)
    for other in (
        tuples(EXP, LOG, inner, OUTER.format("a", "a")),
        tuples(EXP, inner, INNER.format("b"), LOG, OUTER.format("a", "b")),
    ):
        assert structural_equal(given, other) and structural_hash(given) == structural_hash(other)
    unused = tuples(EXP, inner, INNER.format("b"), OUTER.format("a", "a"), LOG)
    swapped = tuples(EXP, inner.replace("%x, %y", "%y, %x"), OUTER.format("a", "a"), LOG)
    for other in (unused, swapped):
        assert not structural_equal(given, other)
        assert structural_hash(given) != structural_hash(other)


def test_order_of_functions():
    def make_module(*functions):
        texts = [
            f"relax.func @{name}(%x: tensor<4xf32>) -> tensor<4xf32> {{\n"
            f"%0 = relax.{op} %x : tensor<4xf32>\nrelax.return %0 : tensor<4xf32> }}"
            for name, op in functions
        ]
        return IRModule.from_text("partita.module {\n" + "\n".join(texts) + "\n}")

    one = make_module(("a", "exp"), ("b", "abs"), ("c", "sin"))
    other = make_module(("c", "sin"), ("a", "exp"), ("b", "abs"))
    assert_structural_equal(one, other)
    assert structural_hash(one) == structural_hash(other)
    swapped = make_module(("b", "exp"), ("a", "abs"), ("c", "sin"))
    assert not structural_equal(one, swapped)
    assert structural_hash(one) != structural_hash(swapped)
    # Only what differs is shown, in whatever order the functions are.
    cosine = make_module(("c", "cos"), ("b", "abs"), ("a", "exp"))
    with pytest.raises(ValueError) as error:
        assert_structural_equal(one, cosine)
    lines = [line.split()[0] for line in str(error.value).splitlines() if line[:1] in "+-"]
    assert lines == ["---", "+++", "-", "+"]


BLOCK = """
partita.module {
  tir.prim_func @f(%a: memref<4xf32>) {
    %c0 = arith.constant 0 : i64
    %c4 = arith.constant 4 : i64
    %true = arith.constant true
    tir.buffer %a : memref<4xf32>
    scf.for %i = %c0 to %c4 step %c4 : i64 {
      tir.block "fill" ["spatial"](%i : i64) from(%c0 : i64) extent(%c4 : i64) where %true {
      ^bb0(%vi: i64):
        %0 = arith.index_cast %vi : i64 to index
        %1 = memref.load %a[%0] : memref<4xf32>
        memref.store %1, %a[%0] : memref<4xf32>
      }
    }
    tir.return
  }
}
"""


def test_names_of_blocks_do_not_count():
    one, other = map(IRModule.from_text, (BLOCK, BLOCK.replace('"fill"', '"other"')))
    assert_structural_equal(one, other)
    assert structural_hash(one) == structural_hash(other)
    reduction = IRModule.from_text(BLOCK.replace('"spatial"', '"reduce"'))
    assert not structural_equal(one, reduction)
    assert structural_hash(one) != structural_hash(reduction)


def test_a_difference_is_shown_without_other_names():
    lhs = make("\n".join([C, D, ADD, SUB, RETURN]))
    rhs = lhs.replace("%x", "%input").replace("%0", "%sum").replace("subtract", "divide")
    with pytest.raises(ValueError) as error:
        assert_structural_equal(IRModule.from_text(lhs), IRModule.from_text(rhs))
    changed = [line for line in str(error.value).splitlines() if line[:2] in ("- ", "+ ")]
    assert [line.split(" = ")[1].split()[0] for line in changed] == [
        "relax.subtract",
        "relax.divide",
    ]
    # Where the names are the same, they are shown.
    other = IRModule.from_text(lhs.replace("subtract", "divide"))
    with pytest.raises(ValueError, match=r"\+ .* = relax.divide"):
        assert_structural_equal(IRModule.from_text(lhs), other)


def test_order_of_bindings_and_shapes():
    """Two independent bindings, and two shapes."""
    exp = "%0 = relax.exp %x : tensor<4xf32>"
    abs_ = "%1 = relax.abs %x : tensor<4xf32>"
    shapes = "%s = relax.shape [2, 2]", "%t = relax.shape [4]"
    use = [
        "%2 = relax.add %0, %1 : tensor<4xf32>",
        "%3 = relax.reshape %2, %s : tensor<4xf32> -> tensor<2x2xf32>",
        "%4 = relax.reshape %3, %t : tensor<2x2xf32> -> tensor<4xf32>",
        "relax.return %4 : tensor<4xf32>",
    ]
    base = IRModule.from_text(make("\n".join([*shapes, exp, abs_, *use])))
    moved = IRModule.from_text(make("\n".join([shapes[1], exp, abs_, shapes[0], *use])))
    other = IRModule.from_text(make("\n".join([*shapes, abs_, exp, *use])))
    assert_structural_equal(base, moved)
    assert structural_hash(base) == structural_hash(moved)
    assert not structural_equal(base, other)
    assert structural_hash(base) != structural_hash(other)


def test_constants_of_upstream_dialects():
    """They are values, too, in a graph of blocks as well."""
    text = """
    func.func @f(%p: i1, %x: i32) -> i32 {{
      {}
      cf.cond_br %p, ^a, ^b(%x : i32)
    ^a:
      {}
      cf.br ^b(%c : i32)
    ^b(%r: i32):
      return %r : i32
    }}"""
    constant = "%c = arith.constant 5 : i32"
    lhs, rhs = text.format(constant, ""), text.format("", constant)
    for parse in IRModule.from_text, parse_in_own_context:
        assert_structural_equal(IRModule.from_text(lhs), parse(rhs))
        swapped = parse(lhs.replace("^a, ^b(%x : i32)", "^b(%x : i32), ^a"))
        assert not structural_equal(IRModule.from_text(lhs), swapped)


def test_every_pair_of_attributes():
    """Attributes and types of two contexts, also those that Partita does not know."""
    kinds = [
        "1 : i64",
        "1 : i32",
        "1.0 : f32",
        "1.0 : f64",
        '"a"',
        '"b"',
        "@a",
        "@a::@b",
        "unit",
        "[1, 2]",
        "[2, 1]",
        "{a = 1}",
        "{b = 1}",
        "array<i64: 1>",
        "array<i32: 1>",
        "f32",
        "tensor<4xf32>",
        "tensor<?xf32>",
        'tensor<?xf32, #relax.shape<["n"]>>',
        'tensor<?xf32, #relax.shape<["m"]>>',
        "dense<[true, false]> : tensor<2xi1>",
        "dense<[true, true]> : tensor<2xi1>",
        "dense<1> : tensor<2xi8>",
        "dense<> : tensor<0xi8>",
        'dense<["a"]> : tensor<1x!relax.object>',
        "affine_map<(d0) -> (d0)>",
        "dense<[1, 2]> : tensor<2xi8>",
        "sparse<[0], [1]> : tensor<2xi8>",
        "[dense<[1, 2]> : tensor<2xi8>]",
    ]
    mods = [
        (
            kind,
            IRModule.from_text(f"partita.module attributes {{a = {kind}}} {{}}"),
            parse_in_own_context(f"partita.module attributes {{a = {kind}}} {{}}"),
        )
        for kind in kinds
    ]
    for (x, mod, _), (y, other, foreign) in itertools.product(mods, mods):
        assert structural_equal(mod, other) == structural_equal(mod, foreign) == (x == y), (x, y)
        equal_hashes = structural_hash(mod) == structural_hash(foreign)
        assert equal_hashes == (x == y), (x, y)


def test_hash_in_another_process():
    large = np.arange(1000, dtype="float32")
    mod = IRModule.from_expr(relax.add(relax.const(large), relax.const(large + 1)))
    texts = [BASE, *SAME.values(), mod.script()]
    code = "import sys; from partita.ir import IRModule, structural_hash\n"
    code += "print(*(structural_hash(IRModule.from_text(t)) for t in eval(sys.stdin.read())))"
    # The second process allocates elsewhere.
    for start in "", "import numpy; x = [bytearray(1 << i) for i in range(20)]\n":
        run = subprocess.run(
            [sys.executable, "-c", start + code],
            input=repr(texts),
            capture_output=True,
            text=True,
            check=True,
        )
        found = [int(word) for word in run.stdout.split()]
        assert found == [structural_hash(IRModule.from_text(text)) for text in texts]
    assert found[0] == found[1] != found[-1]


def test_functions_of_two_contexts():
    lhs = IRModule.from_text(BASE)["main"]
    rhs = parse_in_own_context(BASE.replace("@main", "@g"))["g"]
    assert structural_equal(lhs, rhs) and structural_hash(lhs) == structural_hash(rhs)


def test_shapes_of_types():
    """In TVM they are ShapeExprs."""
    shape = relax.ShapeExpr([2, "n"])
    of_type = relax.TensorType((2, "n")).shape
    for lhs, rhs in ((shape, of_type), (of_type, shape)):
        assert_structural_equal(lhs, rhs)
        assert structural_hash(lhs) == structural_hash(rhs)
        assert not structural_equal(lhs, (2, "m"))
    with pytest.raises(ValueError, match=r"found ShapeExpr\(\(2, 'n'\)\) and \(2, 3\)"):
        assert_structural_equal(shape, (2, 3))


def test_hash_of_what_is_no_module():
    x, y = (relax.Var("x", relax.TensorType(("n", 2), "float32")) for _ in range(2))
    shape = relax.Var("shape", relax.ShapeType(ndim=2))
    # Groups of structurally equal objects, with free variables mapped.
    types = [
        [relax.TensorType(("n", 2), "float32"), x.ty],
        [relax.TensorType(("m", 2), "float32")],
        [relax.TensorType(None, "float32")],
        [relax.TensorType(ndim=2), relax.TensorType((None, None))],
        [relax.TensorType(shape), relax.TensorType(relax.Var("shape", relax.ShapeType(ndim=2)))],
        [relax.ShapeType((1, 2))],
        [relax.ShapeType(ndim=2), relax.ShapeType(ndim=2)],
        [relax.ObjectType(), relax.AnyType()],
        [relax.PrimType("int64"), relax.PrimType("int64")],
        [relax.TupleType([]), relax.TupleType([])],
        [relax.FuncType([x.ty], x.ty), relax.Var("f", relax.FuncType([x.ty], x.ty)).ty],
        [
            relax.TupleType([relax.FuncType([x.ty], x.ty)]),
            relax.Tuple([relax.Var("f", relax.FuncType([x.ty], x.ty))]).ty,
        ],
    ]
    values = [
        [x, y],
        [relax.op.add(x, y), relax.op.add(y, x)],
        [relax.op.add(x, x), relax.op.add(y, y)],
        [relax.const([1, 2]), relax.const(np.array([1, 2]))],
        [relax.const([1, 3])],
        [relax.ShapeExpr(["n", 2]), relax.ShapeExpr(["n", 2])],
        [relax.StringImm("a"), relax.StringImm("a")],
        [relax.DataTypeImm("int8")],
        [2, relax.PrimValue(2)],
        [relax.PrimValue(3)],
        ["n + 1"],
        [None],
        [[x.ty, 2], (x.ty, 2)],
        [[2, x.ty]],
        [[]],
    ]
    groups = types + values
    hashes = [{structural_hash(one, map_free_vars=True) for one in group} for group in groups]
    assert [len(group) for group in hashes] == [1] * len(groups)
    assert len(set.union(*hashes)) == len(groups)
    for group in groups:
        for one, other in itertools.product(group, repeat=2):
            assert structural_equal(one, other, map_free_vars=True)
    for one, other in itertools.combinations(types, 2):
        assert not structural_equal(one[0], other[0])
    for what in (object(), set(), b"x"):
        with pytest.raises(TypeError, match="expected an IRModule or a function"):
            structural_hash(what)


def test_expressions_with_sizes_that_nothing_introduces():
    x = relax.Var("x", relax.TensorType(("n",)))
    zeros = [relax.op.zeros([name], "float32") for name in "nnm"]
    assert structural_equal(*zeros[:2]) and not structural_equal(*zeros[1:])
    assert structural_equal(relax.op.add(x, zeros[0]), relax.op.add(x, zeros[1]))


X = relax.Var("x", relax.TensorType((1, 3, 8, 8)))
W = relax.Var("w", relax.TensorType((4, 3, 3, 3)))


def conv_attrs(**options):
    return relax.op.nn.conv2d(X, W, **options).attrs


# Two that are equal, and one that is not.
VALUES = [
    (conv_attrs, conv_attrs, lambda: conv_attrs(padding=1)),
    (lambda: {"a": [1, X]}, lambda: {"a": [1, X]}, lambda: {"a": [1, W]}),
    (
        lambda: partita.ir.DictAttrs({"a": 1}),
        lambda: partita.ir.DictAttrs({"a": 1}),
        lambda: {"a": 1},
    ),
    (lambda: np.ones(2), lambda: np.ones(2), lambda: np.ones(2, "float32")),
    (
        lambda: partita.ir.Range(0, 3),
        lambda: partita.ir.Range(0, 3),
        lambda: partita.ir.Range(1, 3),
    ),
    (
        lambda: partita.ir.VDevice("cuda"),
        lambda: partita.ir.VDevice("cuda"),
        lambda: partita.ir.VDevice("cuda", 1),
    ),
    (lambda: partita.ir.Op.get("relax.add"), lambda: partita.ir.Op.get("relax.add"), lambda: X),
    (
        lambda: partita.ir.GlobalVar("f"),
        lambda: partita.ir.GlobalVar("f"),
        lambda: partita.ir.GlobalVar("g"),
    ),
    (lambda: [1, 2], lambda: (1, 2), lambda: 1),
]


@pytest.mark.parametrize("make, make_equal, make_other", VALUES)
def test_attributes_arrays_and_other_values(make, make_equal, make_other):
    one, equal, other = make(), make_equal(), make_other()
    assert structural_equal(one, equal) and not structural_equal(one, other)
    assert not structural_equal(other, one)
    assert structural_hash(one) == structural_hash(equal)
    with pytest.raises(ValueError, match="expected equal values, but found"):
        assert_structural_equal(one, other)


def test_values_of_another_kind():
    mod = IRModule({"main": relax.Function([X], X)})
    for value in ({}, [mod], np.ones(2), relax.op.abs(X).attrs, object()):
        with pytest.raises(TypeError, match="expected an IRModule or a function, but found"):
            structural_equal(mod, value)


def test_numbers_of_other_types():
    numbers = [1, 1.0, True, tirx.IntImm("int32", 1), tirx.FloatImm("float32", 1.0)]
    for one, other in itertools.combinations(numbers, 2):
        assert not structural_equal(one, other) and not structural_equal({"a": one}, {"a": other})
    for number in numbers:
        assert structural_equal([number], [number])
    assert structural_equal(tirx.IntImm("int64", 1), 1)
