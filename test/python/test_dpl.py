"""relax.dpl: what patterns match, their text, and FuseOpsByPattern with callbacks."""

import pickle
import random

import pytest

from partita import relax, tir
from partita.ir import IRModule
from partita.relax.dpl import (
    ExternFuncPattern,
    FunctionPattern,
    has_attr,
    has_dtype,
    is_call_dps_packed,
    is_call_packed,
    is_call_tir,
    is_const,
    is_dfv,
    is_expr,
    is_gv,
    is_op,
    is_shape,
    is_tuple,
    is_tuple_get_item,
    is_var,
    make_fused_bias_activation_pattern,
    wildcard,
)
from partita.relax.transform import FuseOpsByPattern, FusionPattern
from partita.transform import get_pass

TEXT = """
partita.module {
  relax.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<16xf32> {
    %y = relax.dataflow -> tensor<16xf32> {
      %0 = relax.constant dense<1.0> : tensor<4x4xf32>
      %a = relax.add %x, %0 : tensor<4x4xf32>
      %b = relax.add %w, %a : tensor<4x4xf32>
      %c = relax.exp %b : tensor<4x4xf32>
      %d = relax.add %c, %c : tensor<4x4xf32>
      %e = relax.concat %x, %d axis = 0 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<8x4xf32>
      %f:2 = relax.split %e {axis = 0 : i64, indices_or_sections = 2 : i64} : (tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
      %g = relax.negative %f#1 : tensor<4x4xf32>
      %1 = relax.shape [16]
      %h = relax.reshape %g, %1 : tensor<4x4xf32> -> tensor<16xf32>
      %2 = relax.prim_value 0 : i64
      %3 = relax.prim_value 2 : i64
      %i = relax.clip %h, %2, %3 : (tensor<16xf32>, i64, i64) -> tensor<16xf32>
      %j = relax.call_tir @kernel(%i) : (tensor<16xf32>) -> tensor<16xf32>
      relax.output %j : tensor<16xf32>
    }
    relax.return %y : tensor<16xf32>
  }
  tir.prim_func @kernel(%a: memref<16xf32>, %b: memref<16xf32>)
}
"""
T = relax.TensorType


def add(*args):
    return is_op("relax.add")(*args)


def exp(arg):
    return is_op("relax.exp")(arg)


def shared():
    one = exp(wildcard())
    return add(one, one)


def concat(fields, **kwargs):
    return is_op("relax.concat")(fields, **kwargs)


def field(index):
    return is_op("relax.negative")(is_tuple_get_item(is_op("relax.split")(wildcard()), index))


def clip(*args):
    return is_op("relax.clip")(wildcard(), *args)


ANY = wildcard()
# A pattern, its text, and the names of the variables of the calls that it matches.
CASES = [
    (add(is_const(), wildcard()), "relax.add(const, *)", "a"),
    (add(wildcard(), wildcard()), "relax.add(*, *)", "abd"),
    (add(is_var("x"), wildcard()), "relax.add(var<x>, *)", "a"),
    (shared(), "relax.add($0 = relax.exp(*), $0)", "d"),
    (add(exp(wildcard()), exp(wildcard())), "relax.add(relax.exp(*), relax.exp(*))", "d"),
    (concat(is_tuple([is_var("x"), wildcard()])), "relax.concat(tuple(var<x>, *))", "e"),
    (
        concat(is_tuple([add(wildcard(), wildcard()), is_var()], unordered=True)),
        "relax.concat(unordered(relax.add(*, *), var))",
        "e",
    ),
    (concat(is_tuple([is_dfv(), is_dfv()])), "relax.concat(tuple(dfv, dfv))", ""),
    (concat(wildcard()).has_attr({"axis": 0}), "relax.concat(*).attrs{axis = 0 : i64}", "e"),
    (has_attr({"axis": 1}, concat(wildcard())), "relax.concat(*).attrs{axis = 1 : i64}", ""),
    (concat(wildcard()).has_shape((8, 4)), "relax.concat(*).shape(8, 4)", "e"),
    (concat(wildcard()).has_shape((4, 8)), "relax.concat(*).shape(4, 8)", ""),
    (concat(has_dtype("float16")), "relax.concat(*.dtype<f16>)", ""),
    (has_dtype("float32", exp(wildcard())), "relax.exp(*).dtype<f32>", "c"),
    (
        exp(wildcard().has_ty(T(["n", 4], "float32"))),
        'relax.exp(*.type<tensor<?x4xf32, #relax.shape<["n", 4]>>>)',
        "c",
    ),
    (exp(wildcard().has_type(T([3, 4], "float32"))), "relax.exp(*.type<tensor<3x4xf32>>)", ""),
    (field(1), "relax.negative(relax.split(*)[1])", "g"),
    (field(0), "relax.negative(relax.split(*)[0])", ""),
    (field(None), "relax.negative(relax.split(*)[?])", "g"),
    (is_op("relax.reshape")(wildcard(), is_shape([16])), "relax.reshape(*, shape(16))", "h"),
    (is_op("relax.reshape")(wildcard(), is_shape([8])), "relax.reshape(*, shape(8))", ""),
    (is_op("relax.reshape")(varg_default_wildcard=True), "relax.reshape(...)", "h"),
    (
        clip(is_expr(relax.PrimValue(0)), wildcard()),
        "relax.clip(*, number<0 : i64>, *)",
        "i",
    ),
    (clip(is_expr(relax.PrimValue(1)), wildcard()), "relax.clip(*, number<1 : i64>, *)", ""),
    (clip(wildcard()), "relax.clip(*, *)", ""),
    (
        is_op("relax.clip")(wildcard(), wildcard(), varg_default_wildcard=True),
        "relax.clip(*, *, ...)",
        "i",
    ),
    (is_call_tir("kern", [wildcard()]), "relax.call_tir(gv<kern>, tuple(*))", "j"),
    (is_call_tir("other"), "relax.call_tir(gv<other>, *)", ""),
    (is_call_tir("", [ANY, ANY]), "relax.call_tir(gv, tuple($0 = *, $0))", ""),
    (exp(wildcard()) | field(1), "relax.exp(*) | relax.negative(relax.split(*)[1])", "cg"),
    (add(ANY, ANY) & ~shared(), "relax.add($0 = *, $0) & ~relax.add($1 = relax.exp(*), $1)", ""),
    (exp((is_const() | is_var()) & ~is_dfv()), "relax.exp((const | var) & ~dfv)", ""),
    (is_tuple_get_item(is_const() | is_var())(), "(const | var)[?]()", ""),
    (add(exp(wildcard()), wildcard()).optional(exp), None, "d"),
    (
        make_fused_bias_activation_pattern("relax.add", True, "relax.exp"),
        "relax.exp(relax.add(relax.add(*, *), *))",
        "c",
    ),
    (
        make_fused_bias_activation_pattern("relax.matmul", True, None, True),
        "relax.add(relax.matmul(*, *), relax.reshape(*, *, ...), ...)",
        "",
    ),
]


def matches(pattern, mod):
    """The names of the calls in `mod` that `pattern` matches in Python."""
    var2val = relax.analysis.get_var2val(mod["main"])
    return [var.name_hint for var, value in var2val.items() if pattern.match(value, var2val)]


def marked(pattern, mod):
    """The names of the calls in `mod` that `pattern` matches in C++."""
    run = get_pass("relax-fuse-ops-by-pattern", f"candidates=mark patterns={{c.p: {pattern}}}")
    lines = str(run(mod)).splitlines()
    return [line.split("%")[1][0] for line in lines if "relax.pattern_match" in line]


@pytest.mark.parametrize("index", range(len(CASES)))
def test_patterns(index):
    pattern, text, expected = CASES[index]
    mod = IRModule.from_text(TEXT)
    if text is not None:
        assert str(pattern) == text
    assert matches(pattern, mod) == list(expected)
    assert marked(pattern, mod) == list(expected)


NUM_ARGS = {
    **{"relax.add": 2, "relax.exp": 1, "relax.concat": 1, "relax.split": 1, "relax.negative": 1},
    **{"relax.call_tir": 2, "relax.clip": 3, "relax.reshape": 2},
}


def make_call(rng, depth):
    name, count = rng.choice(list(NUM_ARGS.items()))
    args = [make_pattern(rng, depth - 1) for _ in range(count + rng.choice([0] * 9 + [-1]))]
    return is_op(name)(*args, varg_default_wildcard=rng.random() < 0.2)


def make_pattern(rng, depth):
    """A pattern of random parts. Some parts are used twice."""
    if depth == 0 or rng.random() < 0.2:
        leaves = [ANY, wildcard(), is_const(), is_var(), is_var("x"), is_dfv(), is_gv()]
        return rng.choice([*leaves, is_shape([16]), is_expr(relax.PrimValue(0))])
    if rng.random() < 0.4:
        return make_call(rng, depth)
    one, other = make_pattern(rng, depth - 1), make_pattern(rng, depth - 1)
    return rng.choice(
        [
            one | other,
            one & other,
            ~one,
            is_tuple([one, other], rng.random() < 0.5),
            is_tuple_get_item(one, rng.choice([None, 0, 1])),
            one.has_dtype(rng.choice(["float32", "float16"])),
            one.has_shape(rng.choice([(4, 4), (8, 4), (16,)])),
            one.has_ty(rng.choice([T(["n", 4], "float32"), T([16], "float32")])),
            one.has_attr(rng.choice([{"axis": 0}, {}, {"indices_or_sections": 2}, {"axis": 1}])),
        ]
    )


def test_matchers_agree():
    rng, mod = random.Random(0), IRModule.from_text(TEXT)
    found = 0
    for _ in range(400):
        pattern = make_call(rng, 4)
        expected = matches(pattern, mod)
        assert marked(pattern, mod) == expected, str(pattern)
        found += bool(expected)
    assert found > 20


def test_values():
    x, y = relax.Var("x", T([2, 3], "float32")), relax.Var("y", T([2, 3], "float32"))
    assert is_expr(x).match(x) and not is_expr(x).match(y)
    assert is_var("x").match(x) and is_var().match(relax.DataflowVar("z"))
    assert is_dfv("z").match(relax.DataflowVar("z")) and not is_dfv().match(x)
    assert is_gv("f").match(relax.GlobalVar("my_f")) and not is_gv("g").match(relax.GlobalVar("f"))
    pair = relax.Tuple([relax.GlobalVar("f"), relax.DataflowVar("y")])
    assert is_tuple([is_gv("f"), is_dfv("y")]).match(pair)
    assert not is_tuple([is_gv("g"), is_dfv("y")]).match(pair)
    assert is_const().match(relax.const([1.0])) and not is_const().match(x)
    assert ExternFuncPattern("f").match(relax.ExternFunc("f"))
    assert not ExternFuncPattern("g").match(relax.ExternFunc("f"))
    n = tir.Var("n", "int64")
    sized = relax.Var("s", T([n, n + 1], "float32"))
    assert wildcard().has_shape([n, 1 + n]).match(sized)
    assert not wildcard().has_shape([n, n]).match(sized)
    assert is_shape([n, 2]).match(relax.ShapeExpr([n, 2]))
    two = is_tuple([is_const(), is_var("x")])
    assert two[0].match(relax.TupleGetItem(relax.Tuple([relax.const(1.0), x]), 0))
    assert two[-1].match(relax.TupleGetItem(relax.Tuple([relax.const(1.0), x]), 1))
    assert len(two) == 2 and not two.match(relax.Tuple([x, relax.const(1.0)]))
    call = relax.ExternFunc("f")(x, y, sinfo_args=[T([2, 3], "float32")])
    assert is_call_packed("f").match(call) and is_call_packed("f", [is_var("x"), ANY]).match(call)
    assert not is_call_packed("f", [ANY]).match(call)
    dps = relax.call_dps_packed("f", [x], T([2, 3], "float32"))
    assert is_call_dps_packed("f", [is_var("x")]).match(dps)
    nested = relax.op.exp(relax.op.add(x, y))
    assert exp(add(is_var("y"), is_var("x"))).match(nested)
    body = FunctionPattern([is_var("x"), is_var("y")], exp(wildcard()))
    assert not body.match(nested)


def test_extracted():
    mod = IRModule.from_text(TEXT)
    var2val = relax.analysis.get_var2val(mod["main"])
    (d,) = [var for var in var2val if var.name_hint == "d"]
    inner = exp(left := wildcard())
    found = add(inner, wildcard()).extract_matched_expr(d.value, var2val)
    assert found[inner].op.name == "relax.exp" and found[left].op.name == "relax.add"
    assert add(is_const(), wildcard()).extract_matched_expr(d.value, var2val) is None


def test_errors():
    for make in (
        lambda: wildcard().has_shape(3),
        lambda: is_shape(3),
        lambda: is_tuple(3),
        lambda: is_var("a>b"),
    ):
        with pytest.raises(ValueError, match="expected"):
            make()
    with pytest.raises(IndexError, match="expected one of 1 fields, but found 1"):
        is_tuple([wildcard()])[1]
    with pytest.raises(TypeError, match="expected a part of a pattern to be a pattern"):
        exp(3)
    with pytest.raises(TypeError, match="as only these have a text"):
        str(is_expr(relax.const(1.0)))
    wide = is_tuple([wildcard() for _ in range(1000)])
    with pytest.raises(Exception, match="expected at most 1000 parts of a pattern"):
        FuseOpsByPattern([("c.p", concat(wide))])(IRModule.from_text(TEXT))


def functions(mod):
    return sorted(var.name_hint for var in mod.get_global_vars() if "fused" in var.name_hint)


def test_fuse():
    mod = IRModule.from_text(TEXT)
    fused = FuseOpsByPattern([("c.p", exp(add(wildcard(), wildcard())))])
    after = fused(mod)
    assert functions(after) == ["fused_relax_add_relax_exp"]
    assert after["fused_relax_add_relax_exp"].attrs["Composite"] == "c.p"
    assert str(pickle.loads(pickle.dumps(fused))(mod)) == str(after)
    annotated = FuseOpsByPattern([("c.p", exp(wildcard()))], annotate_codegen=True)(mod)
    assert functions(annotated) == ["fused_relax_exp_c"]
    assert annotated["fused_relax_exp_c"].attrs["Codegen"] == "c"
    assert functions(FuseOpsByPattern([("c.p", exp(ANY))], entry_functions=["main"])(mod))


@pytest.mark.parametrize("wanted", ["", "a", "b", "ab"])
def test_check(wanted):
    mod = IRModule.from_text(TEXT)
    lhs, rhs = wildcard(), wildcard()
    root = add(lhs, rhs)
    seen = []

    def check(context):
        call = context.matched_expr
        var = context.value_to_bound_var[call]
        assert context.annotated_expr["root"] == call and call.op.name == "relax.add"
        assert context.annotated_expr["lhs"] is not None
        assert context.matched_bindings == {var: call}
        seen.append((var.name_hint, [user.name_hint for user in context.var_usages[var]]))
        return var.name_hint in wanted

    def attrs(annotated):
        assert set(annotated) == {"lhs", "rhs", "root"}
        return {"level": 3}

    parts = {"lhs": lhs, "rhs": rhs, "root": root}
    pattern = FusionPattern("c.add", root, parts, check, attrs)
    after = FuseOpsByPattern([pattern, ("c.exp", exp(wildcard()))], annotate_codegen=True)(mod)
    assert seen == [("a", ["b"]), ("b", ["c"]), ("d", ["e"])]
    assert "pattern_match" not in str(after)
    assert str(after).count("level = 3") == len(wanted)
    assert str(after).count('Composite = "c.add"') == len(wanted)
    assert "fused_relax_exp_c" in functions(after)


def test_check_raises():
    def check(context):
        raise KeyError("mine")

    pattern = FusionPattern("c.add", add(wildcard(), wildcard()), {}, check)
    with pytest.raises(KeyError, match="mine"):
        FuseOpsByPattern([pattern])(IRModule.from_text(TEXT))


def test_registry():
    pattern = add(wildcard(), wildcard())
    relax.backend.register_patterns([("test_dpl.a", pattern), FusionPattern("test_dpl.b", pattern)])
    found = relax.backend.get_patterns_with_prefix("test_dpl")
    assert [each.name for each in found] == ["test_dpl.b", "test_dpl.a"]
    assert relax.backend.get_pattern("test_dpl.a").pattern is pattern
    assert relax.backend.get_pattern("test_dpl.c") is None
    with pytest.raises(TypeError, match="expected a pattern to be a FusionPattern or a tuple"):
        relax.backend.register_patterns([3])


def test_merge():
    mod = IRModule.from_text(TEXT)
    both = FuseOpsByPattern([("c.exp", exp(wildcard())), ("c.add", add(wildcard(), wildcard()))])
    merged = relax.transform.MergeCompositeFunctions()(both(mod))
    (name,) = functions(merged)
    assert merged[name].attrs["Codegen"] == "c"
    assert str(merged).count("relax.local_func") == 4


def test_unordered_tuple_of_many_fields():
    """Not all orders of patterns that share nothing are tried."""
    xs = [relax.Var(f"x{i}", T([4], "float32")) for i in range(20)]
    pattern = is_tuple([*(wildcard() for _ in xs[1:]), exp(wildcard())], unordered=True)
    assert not pattern.match(relax.Tuple(xs))
    assert pattern.match(relax.Tuple([relax.exp(xs[0]), *xs[1:]]))
    # One expression in two fields.
    same = wildcard()
    pattern = is_tuple([exp(wildcard()), same, same], unordered=True)
    assert not pattern.match(relax.Tuple([xs[0], relax.exp(xs[0]), xs[1]]))
    assert pattern.match(relax.Tuple([xs[0], relax.exp(xs[0]), xs[0]]))
