# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules that are modules, rules for tuples, and where rules are applied.

What is expected is what TVM 0.27 makes, where no comment says otherwise.
"""

import copy
import pickle

import pytest

import partita
from partita import relax
from partita.ir import structural_equal
from partita.relax import op
from partita.relax.dpl import (
    PatternMatchingRewriter,
    TupleRewriter,
    is_op,
    is_tuple,
    rewrite_call,
    wildcard,
)
from partita.transform import PassContext, Sequential

RULES = """
partita.module {{
  relax.func @pattern({params}) -> {result} {{
    {pattern}
  }}
  relax.func @replacement({params}) -> {result} {{
    {replacement}
  }}
  {others}
}}
"""
V = "tensor<4xf32>"
PAIR = f"{V}, {V} -> {V}"


def module(text):
    return partita.IRModule.from_text(f"partita.module {{ {text} }}")


def rule(params, result, pattern, replacement, others=""):
    text = RULES.format(
        params=params, result=result, pattern=pattern, replacement=replacement, others=others
    )
    return PatternMatchingRewriter.from_module(partita.IRModule.from_text(text))


def unary(before, after, other=""):
    """A rule that replaces an op by another one."""
    return rule(
        f"%x: {V}",
        V,
        f"%0 = relax.{before} %x : {V} relax.return %0 : {V}",
        f"%0 = {after} relax.return %0 : {V}",
        other,
    )


def call(name):
    return f"relax.call @{name}(%x) : ({V}) -> {V}"


def function(body, name="main", params=f"%x: {V}", result=V):
    return module(f"relax.func @{name}({params}) -> {result} {{ {body} }}")


def ops(obj):
    return [word[6:] for word in str(obj).split() if word.startswith("relax.")]


def test_function():
    double = rule(
        f"%a: {V}, %b: {V}",
        V,
        f"%0 = relax.add %a, %b : {PAIR} relax.return %0 : {V}",
        f"%0 = relax.subtract %b, %a : {PAIR} relax.return %0 : {V}",
    )
    before = function(
        f"""%0 = relax.exp %x : {V}
        %1 = relax.add %x, %0 : {PAIR}
        %2 = relax.add %1, %1 : {PAIR}
        relax.return %2 : {V}"""
    )
    after = function(
        f"""%0 = relax.exp %x : {V}
        %1 = relax.subtract %0, %x : {PAIR}
        %2 = relax.subtract %1, %1 : {PAIR}
        relax.return %2 : {V}"""
    )
    assert structural_equal(double(before), after)
    assert structural_equal(double(before["main"]), after["main"])
    assert structural_equal(double(after), after)


def test_rules_are_passes():
    names = []

    class Watch(partita.instrument.PassInstrument):
        def run_before_pass(self, mod, info):
            names.append(info.name)

    mod = function(f"%0 = relax.exp %x : {V} relax.return %0 : {V}")
    made = unary("exp", f"relax.abs %x : {V}")
    with PassContext(instruments=[Watch()]):
        assert "abs" in ops(Sequential([made])(mod))
        assert "abs" in ops((made | unary("sqrt", f"relax.exp %x : {V}"))(mod))
    assert names[:2] == ["sequential", "PatternMatchingRewriter"]
    assert made.info.opt_level == 0


def test_copies():
    made = unary("exp", f"relax.abs %x : {V}")
    mod = function(f"%0 = relax.exp %x : {V} relax.return %0 : {V}")
    assert copy.copy(made) is made and copy.deepcopy(made) is made
    for rewriter in (made, made | made):
        assert structural_equal(pickle.loads(pickle.dumps(rewriter))(mod), made(mod))
    other = PatternMatchingRewriter.from_pattern(is_op("relax.exp")(wildcard()), lambda e, m: e)
    with pytest.raises(TypeError, match="expected a rewriter that from_module has made to save"):
        pickle.dumps(made | other)


def test_rules_one_after_another():
    first = unary("exp", f"relax.abs %x : {V}")
    second = unary("abs", f"relax.sqrt %x : {V}")
    mod = function(f"%0 = relax.exp %x : {V} relax.return %0 : {V}")
    assert ops((first | second)(mod)) == ["func", "sqrt", "return"]


def test_sizes_are_those_of_the_arguments():
    any_size = "tensor<?x?xf32, #relax.shape<[{}]>>"
    a, b, c = (any_size.format(s) for s in ('"m", "n"', '"n", "n"', '"m", "n"'))
    types = f"{a}, {b} -> {c}"
    square = rule(
        f"%a: {a}, %b: {b}",
        c,
        f"%0 = relax.matmul %a, %b : {types} relax.return %0 : {c}",
        f"""%f = relax.extern_func "square"
        %0 = relax.call_pure_packed(%f, %a, %b) ty_args = [{c}]
          : (!relax.object, {a}, {b}) -> {c}
        relax.return %0 : {c}""",
    )

    def multiply(a, b, c):
        return function(
            f"%0 = relax.matmul %a, %b : {a}, {b} -> {c} relax.return %0 : {c}",
            params=f"%a: {a}, %b: {b}",
            result=c,
        )

    text = str(square(multiply("tensor<2x3xf32>", "tensor<3x3xf32>", "tensor<2x3xf32>")))
    assert "ty_args = [tensor<2x3xf32>]" in text and "matmul" not in text
    a, b = any_size.format('"n", "n * 2"'), any_size.format('"n * 2", "n * 2"')
    text = str(square(multiply(a, b, a)))
    assert 'ty_args = [tensor<?x?xf32, #relax.shape<["n", "n * 2"]>>]' in text
    # The second operand is no square.
    a, b, c = "tensor<2x3xf32>", "tensor<3x4xf32>", "tensor<2x4xf32>"
    assert "matmul" in str(square(multiply(a, b, c)))


def test_functions_of_the_rule():
    own = """relax.func private @own(%x: tensor<4xf32>) -> tensor<4xf32> {{
      %0 = relax.{} %x : tensor<4xf32>
      relax.return %0 : tensor<4xf32>
    }}"""
    mod = function(
        f"%0 = relax.exp %x : {V} %1 = relax.log %0 : {V} %2 = relax.exp %1 : {V} "
        f"relax.return %2 : {V}"
    )
    exp = unary("exp", call("own"), own.format("sin"))
    log = unary("log", call("own"), own.format("cos"))
    sqrt = unary("sqrt", call("own"), own.format("tan"))
    made = (exp | log | sqrt)(mod)
    assert [var.name_hint for var in made.functions] == ["main", "own", "own_1"]
    assert "relax.sin" in str(made["own"]) and "relax.cos" in str(made["own_1"])
    assert [word for word in str(made["main"]).split() if word.startswith("@own")] == [
        "@own(%x)",
        "@own_1(%0)",
        "@own(%1)",
    ]
    relax.analysis.well_formed(made)
    # It is the same function if it is there already.
    again = made.clone()
    again["more"] = mod["main"]
    assert len(exp(again).functions) == 4
    assert len(exp(function(f"relax.return %x : {V}")).functions) == 1
    with pytest.raises(ValueError, match="expected a module to rewrite, .* own; but found"):
        exp(mod["main"])
    # Names that the module has are others.
    taken = module(
        f"""relax.func @main(%x: {V}) -> {V} {{ %0 = relax.exp %x : {V} relax.return %0 : {V} }}
        relax.func @own(%x: {V}) -> {V} {{ relax.return %x : {V} }}"""
    )
    assert [var.name_hint for var in exp(taken).functions] == ["main", "own", "own_1"]


def test_attributes_and_constants_of_the_pattern():
    # TVM replaces both, and takes no constants.
    split = """%0:2 = relax.split %x {{axis = {} : i64, indices_or_sections = 2 : i64}}
      : (tensor<4x4xf32>) -> ({}, {})"""
    rows, columns = "tensor<2x4xf32>", "tensor<4x2xf32>"
    made = rule(
        "%x: tensor<4x4xf32>",
        rows,
        split.format(0, rows, rows) + f"relax.return %0#0 : {rows}",
        split.format(0, rows, rows) + f"relax.return %0#1 : {rows}",
    )
    for axis, kind in ((0, rows), (1, columns)):
        body = split.format(axis, kind, kind) + f"relax.return %0#0 : {kind}"
        mod = function(body, params="%x: tensor<4x4xf32>", result=kind)
        field = "%0#1" if axis == 0 else "%0#0"
        assert f"relax.return {field} : {kind}" in str(made(mod))
    half = """%c = relax.constant dense<{}> : tensor<f32>
    %0 = relax.multiply %x, %c : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
    relax.return %0 : tensor<4xf32>"""
    made = rule(f"%x: {V}", V, half.format("1.0"), f"relax.return %x : {V}")
    assert "multiply" not in ops(made(function(half.format("1.0"))))
    assert "multiply" in ops(made(function(half.format("2.0"))))


M = "tensor<4x4xf32>"
MM = f"{M}, {M} -> {M}"


def pair_rule():
    return rule(
        f"%v: {M}, %w: {M}, %x: {M}",
        f"({M}, {M})",
        f"""%0 = relax.matmul %v, %x : {MM} %1 = relax.matmul %w, %x : {MM}
        relax.return %0, %1 : {M}, {M}""",
        f"""%0 = relax.concat %v, %w axis = 0 : {M}, {M} -> tensor<8x4xf32>
        %1 = relax.matmul %0, %x : tensor<8x4xf32>, {M} -> tensor<8x4xf32>
        %2:2 = relax.split %1 {{axis = 0 : i64, indices_or_sections = 2 : i64}}
          : (tensor<8x4xf32>) -> ({M}, {M})
        relax.return %2#0, %2#1 : {M}, {M}""",
    )


def matmuls(body, result=M):
    return function(body, params=f"%v: {M}, %w: {M}, %x: {M}", result=result)


def test_tuples():
    joined = ["func", "concat", "matmul", "split"]
    both = f"%0 = relax.matmul %v, %x : {MM} %1 = relax.matmul %w, %x : {MM}"
    result = f"{both} relax.return %0, %1 : {M}, {M}"
    assert ops(pair_rule()(matmuls(result, f"({M}, {M})"))) == [*joined, "return"]
    # The function has no tuple.
    mod = matmuls(f"{both} %2 = relax.add %0, %1 : {MM} relax.return %2 : {M}")
    assert ops(pair_rule()(mod)) == [*joined, "add", "return"]
    # The matmuls have other right operands.
    for other in ("%v, %w", "%w, %v"):
        mod = matmuls(
            f"""%0 = relax.matmul %v, %x : {MM} %1 = relax.matmul {other} : {MM}
            %2 = relax.subtract %0, %1 : {MM} relax.return %2 : {M}"""
        )
        assert ops(pair_rule()(mod)) == ["func", "matmul", "matmul", "subtract", "return"]
    # The first is used before the second.
    mod = matmuls(
        f"""%0 = relax.matmul %v, %x : {MM} %1 = relax.matmul %0, %w : {MM}
        %2 = relax.matmul %1, %x : {MM} %3 = relax.add %0, %2 : {MM} relax.return %3 : {M}"""
    )
    assert structural_equal(pair_rule()(mod), mod)


def test_functions_for_tuples():
    x = wildcard()
    one, other = is_op("relax.exp")(x), is_op("relax.abs")(x)
    tuple_pattern = is_tuple([one, other])
    seen = []

    def swap(tuple_, matched):
        seen.append((tuple_pattern in matched, len(tuple_.fields)))
        return relax.Tuple([op.sqrt(matched[x]), op.negative(matched[x])])

    mod = function(
        f"%0 = relax.abs %x : {V} %1 = relax.exp %x : {V} %2 = relax.subtract %1, %0 : {PAIR} "
        f"relax.return %2 : {V}"
    )
    expected = ["func", "sqrt", "negative", "subtract", "return"]
    assert sorted(ops(rewrite_call(tuple_pattern, swap, mod["main"]))) == sorted(expected)
    assert seen == [(True, 2)]
    assert sorted(ops(TupleRewriter([one, other], swap)(mod))) == sorted(expected)
    for same in (lambda e, matched: e, lambda e, matched: None):
        assert structural_equal(rewrite_call(tuple_pattern, same, mod["main"]), mod["main"])
    with pytest.raises(ValueError, match="expected 2 values in place of a tuple of as many"):
        rewrite_call(tuple_pattern, lambda e, matched: relax.Tuple([matched[x]]), mod["main"])
    with pytest.raises(TypeError, match="expected the patterns of fields to be a list"):
        TupleRewriter(one, swap)


def test_calls_with_side_effects():
    fused = rule(
        f"%x: {V}",
        V,
        f"%0 = relax.exp %x : {V} %1 = relax.log %0 : {V} relax.return %1 : {V}",
        f"%0 = relax.abs %x : {V} relax.return %0 : {V}",
    )

    def make(*steps):
        x = relax.Var("x", relax.TensorType((4,), "float32"))
        builder = relax.BlockBuilder()
        with builder.function("main", [x], pure=False):
            exp = None
            for step in steps:
                if step == "print":
                    builder.emit(relax.Call(relax.extern("print"), [x], sinfo_args=[x.ty]))
                elif step == "exp":
                    exp = builder.emit(op.exp(x))
                else:
                    builder.emit_func_output(builder.emit(op.log(exp)))
        return builder.get()

    mod = make("print", "exp", "print", "log")
    assert structural_equal(fused(mod), mod)
    assert "relax.abs" in str(fused(make("print", "exp", "log")))


def test_the_same_expression_lets_another_pattern_match():
    x = wildcard()
    every, zeros = is_op("relax.add")(wildcard(), wildcard()), is_op("relax.exp")(x)
    pattern = every | is_op("relax.add")(wildcard(), zeros)

    def replace(add, matched):
        assert isinstance(matched[pattern], relax.Call) and pattern in matched
        return add if every in matched else op.negative(matched[x])

    mod = function(f"%0 = relax.exp %x : {V} %1 = relax.add %x, %0 : {PAIR} relax.return %1 : {V}")
    assert ops(rewrite_call(pattern, replace, mod["main"])) == ["func", "negative", "return"]


def test_errors():
    pattern = f"relax.func @pattern(%x: {V}) -> {V} {{ relax.return %x : {V} }}"
    replacement = pattern.replace("pattern", "replacement")
    kernel = "tir.prim_func @{}(%a: memref<4xf32>)"
    make = PatternMatchingRewriter.from_module
    for text, kind, message in (
        (replacement, KeyError, "a function 'pattern'"),
        (pattern, KeyError, "a function 'replacement'"),
        (kernel.format("pattern") + replacement, TypeError, "'pattern' to be a function of Relax"),
        (pattern + kernel.format("replacement"), TypeError, "'replacement' to be a function"),
        (pattern + replacement.replace("4", "8"), ValueError, "must have the same signature"),
        (
            pattern + replacement + replacement.replace("replacement", "other"),
            ValueError,
            "'other' is publicly exposed",
        ),
        (
            f"""relax.func @pattern(%x: {V}) -> {V} {{
              %0 = relax.call @own(%x) : ({V}) -> {V} relax.return %0 : {V} }}"""
            + replacement
            + replacement.replace("@replacement", "private @own"),
            TypeError,
            "expected the pattern to be of calls of ops",
        ),
    ):
        with pytest.raises(kind, match=message):
            make(module(text))
    with pytest.raises(TypeError, match="expected an IRModule with the functions"):
        make(3)
    with pytest.raises(TypeError, match="expected a rule to be a PatternMatchingRewriter"):
        unary("exp", f"relax.abs %x : {V}") | 3
