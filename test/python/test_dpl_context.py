# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PatternContext: parts of blocks that patterns describe together, and their replacement.

The matches and the functions that are expected are TVM 0.27's, where no comment says otherwise.
"""

import itertools
import random
import threading

import pytest

import partita
from partita import relax, tir
from partita.ir import structural_equal
from partita.relax import dpl, op
from partita.relax.dpl import (
    PatternContext,
    PatternSeq,
    SameShapeConstraint,
    is_const,
    is_op,
    is_tuple_get_item,
    is_var,
    rewrite_bindings,
    wildcard,
)


def tensor(*shape):
    return relax.TensorType(shape, "float32")


def build(make, *params):
    """A function of one dataflow block that emits what `make` yields, under their names."""
    builder = relax.BlockBuilder()
    with builder.function("main", list(params)):
        with builder.dataflow():
            steps, value = make(*params), None
            try:
                while True:
                    name, expr = steps.send(value)
                    value = builder.emit(expr, name)
            except StopIteration as end:
                output = builder.emit_output(end.value)
        builder.emit_func_output(output)
    return builder.get()["main"]


def block_of(func):
    return func.body.blocks[0]


def names(matched):
    return None if matched is None else sorted(var.name_hint for var in matched.values())


def unary(name):
    """A call of an op, without a constraint on its argument."""
    return is_op(f"relax.{name}")(wildcard(), add_constraint=False)


def add():
    return is_op("relax.add")(wildcard(), wildcard(), add_constraint=False)


def diamond(x):
    a = yield "a", op.exp(x)
    b = yield "b", op.abs(a)
    c = yield "c", op.negative(a)
    d = yield "d", op.add(b, c)
    return op.sqrt(d)


def branches(x):
    a = yield "a", op.exp(x)
    b = yield "b", op.abs(a)
    c = yield "c", op.negative(a)
    d = yield "d", op.add(b, b)
    e = yield "e", op.add(c, c)
    return op.subtract(d, e)


@pytest.fixture
def x():
    return relax.Var("x", tensor(4))


def make_diamond(last):
    with PatternContext() as ctx:
        one, left, right, join = unary("exp"), unary("abs"), unary("negative"), add()
        one.fork_to(left, right)
        left.used_by(join)
        last(right, join)
    return ctx, (one, left, right, join)


def test_diamond(x):
    func = build(diamond, x)
    ctx, patterns = make_diamond(lambda right, join: right >> join)
    matched = ctx.match_dfb(block_of(func))
    assert [matched[pattern].name_hint for pattern in patterns] == ["a", "b", "c", "d"]
    assert list(block_of(func).bindings)[:4] == [matched[pattern] for pattern in patterns]
    # `a` has two users.
    with PatternContext() as ctx:
        one, left, right = unary("exp"), unary("abs"), unary("negative")
        one >> left
        one >> right
    assert ctx.match_dfb(block_of(func)) is None


def test_join_is_one_variable(x):
    # TVM matches `d`, which does not use `c`.
    ctx, _ = make_diamond(lambda right, join: right ^ join)
    assert ctx.match_dfb(block_of(build(branches, x))) is None


def test_numbers_of_arguments(x):
    def make(x):
        a = yield "a", op.exp(x)
        b = yield "b", op.subtract(x, a)
        c = yield "c", op.subtract(a, x)
        return op.add(b, c)

    block = block_of(build(make, x))
    for number, expected in ((-1, "b"), (0, "c"), (1, "b"), (2, None)):
        with PatternContext() as ctx:
            one = unary("exp")
            user = is_op("relax.subtract")(wildcard(), wildcard(), add_constraint=False)
            one.used_by(user, number)
        matched = ctx.match_dfb(block)
        assert (matched and matched[user].name_hint) == expected


def test_calls_use_their_arguments(x):
    def make(x):
        a = yield "a", op.exp(x)
        b = yield "b", op.abs(x)
        return op.subtract(a, b)

    block = block_of(build(make, x))
    with PatternContext() as ctx:
        shared = wildcard()
        call = is_op("relax.subtract")(is_op("relax.exp")(shared), is_op("relax.abs")(shared))
    assert ctx.match_dfb(block)[shared] == block.bindings[0].args[0]
    assert len(ctx.match_dfb(block)) == 4 and ctx.match_dfb(block)[call] == block.bindings[2]
    with PatternContext() as ctx:
        one, other = wildcard(), wildcard()
        is_op("relax.subtract")(is_op("relax.exp")(one), is_op("relax.abs")(other))
    # Patterns match different variables.
    assert ctx.match_dfb(block) is None
    with PatternContext() as ctx:
        call = is_op("relax.add")(wildcard(), wildcard(), add_constraint=False)
    assert ctx.match_dfb(block) is None


def test_constants_have_no_variable(x):
    def make(x):
        yield "a", op.add(x, relax.const(1.0, "float32"))
        return op.exp(x)

    block = block_of(build(make, x))
    with PatternContext() as ctx:
        is_op("relax.add")(is_var("x"), is_const())
    assert ctx.match_dfb(block) is None
    with PatternContext() as ctx:
        one = is_var("x")
        one ^ is_op("relax.add")(wildcard(), is_const(), add_constraint=False)
    assert names(ctx.match_dfb(block)) == ["a", "x"]


def test_fields_of_tuples(x):
    def make(x):
        parts = yield "parts", op.split(x, 2)
        return op.subtract(parts[1], parts[0])

    block = block_of(build(make, x))
    with PatternContext() as ctx:
        whole = is_op("relax.split")(is_var("x"))
        first, second = is_tuple_get_item(whole, 0), is_tuple_get_item(whole, 1)
        whole.fork_to(first, second)
        second.used_by(user := is_op("relax.subtract")(second, first, add_constraint=False), 0)
        first.used_by(user, 1)
    matched = ctx.match_dfb(block)
    assert matched[whole].name_hint == "parts"
    assert [matched[field].index for field in (first, second)] == [0, 1]


def test_other_names_of_fields(x):
    """As modules from TVM have them."""
    func = partita.IRModule.from_text(
        """partita.module {
          relax.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
            %gv = relax.dataflow -> tensor<2xf32> {
              %parts:2 = relax.split %x {axis = 0 : i64, indices_or_sections = 2 : i64}
                : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
              %first = relax.alias %parts#0 : tensor<2xf32>
              %second = relax.alias %parts#1 : tensor<2xf32>
              %c = relax.subtract %second, %first : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
              relax.output %c : tensor<2xf32>
            }
            relax.return %gv : tensor<2xf32>
          }
        }"""
    )["main"]
    with PatternContext() as ctx:
        whole = is_op("relax.split")(wildcard())
        field = is_tuple_get_item(whole, 1)
        user = is_op("relax.subtract")(field, wildcard())
        whole ^ field
        field >> user
    matched = ctx.match_dfb(block_of(func))
    assert (matched[field].index, matched[user].name_hint) == (1, "c")
    func = rewrite_bindings(ctx, lambda m, values: {m[field]: m[whole][0]}, func)
    assert "relax.subtract %first, %first" in str(func)


def test_sequences(x):
    func = build(diamond, x)
    with PatternContext() as ctx:
        chain = unary("exp") ^ unary("abs") >> add()
        assert [str(pattern) for pattern in chain.patterns][1] == "relax.abs(*)"
        assert len(chain) == 3 and chain[-1] is chain.patterns[2]
    assert names(ctx.match_dfb(block_of(func))) == ["a", "b", "d"]
    assert str(chain) == "[relax.exp(*) ^ relax.abs(*) >> relax.add(*, *)]"
    with PatternContext() as ctx:
        chain = unary("exp") >> unary("abs")
        other = chain.dup()
        assert not set(chain.patterns) & set(other.patterns)
        is_var("x").fork_to(chain, other)
    # There is one exp.
    assert ctx.match_dfb(block_of(func)) is None

    def twice(x):
        a = yield "a", op.exp(x)
        b = yield "b", op.abs(a)
        c = yield "c", op.exp(x)
        d = yield "d", op.abs(c)
        return op.add(b, d)

    assert names(ctx.match_dfb(block_of(build(twice, x)))) == ["a", "b", "c", "d", "x"]


def test_copies_of_patterns():
    pattern = is_op("relax.add")(wildcard(), is_const(), varg_default_wildcard=True)
    other = pattern.dup()
    assert other is not pattern and str(other) == str(pattern)
    assert other.args == pattern.args and type(other) is type(pattern)
    assert pattern.has_dtype("float32").pattern is pattern is pattern.has_attr({}).pattern
    either = wildcard() | pattern
    assert (either.left, either.right) == either._parts and dpl.reject(pattern).reject is pattern


def test_shapes():
    def make(x, y):
        a = yield "a", op.exp(x)
        return op.add(a, y)

    def match(one, other):
        params = relax.Var("x", tensor(*one)), relax.Var("y", tensor(*other))
        with PatternContext() as ctx:
            left, right = wildcard(), wildcard()
            is_op("relax.add")(left, right)
            left.same_shape_as(right)
        return names(ctx.match_dfb(block_of(build(make, *params))))

    assert match((4, 8), (4, 8)) == ["a", "gv", "y"]
    assert match((4, 8), (1, 8)) is None
    assert match(("n", 8), ("n", 8)) == ["a", "gv", "y"]
    assert match(("n", 8), ("m", 8)) is None
    assert match((8,), (4, 8)) is None


def test_scopes(x):
    block = block_of(build(diamond, x))
    assert PatternContext.current() is None
    exp, abs_, neg = unary("exp"), unary("abs"), unary("negative")
    with PatternContext() as outer:
        exp ^ abs_
        assert PatternContext.current() is outer
        with PatternContext(incremental=True) as inner:
            assert PatternContext.current() is inner
            abs_ ^ neg
        with PatternContext() as other:
            SameShapeConstraint(exp)
            exp ^ neg
        assert PatternContext.current() is outer
    assert outer.match_dfb(block) and not inner.match_dfb(block) and other.match_dfb(block)
    # Other threads have their own scopes.
    found = []
    with outer:
        thread = threading.Thread(target=lambda: found.append(PatternContext.current()))
        thread.start()
        thread.join()
    assert found == [None]


def test_random_blocks_against_all_choices():
    """A match is found where there is one."""
    count = 0
    for seed in range(150):
        rng = random.Random(seed)
        params = [relax.Var(f"p{i}", tensor(4)) for i in range(2)]

        def make(*params):
            values = list(params)
            for number in range(rng.randint(2, 6)):
                one, other = rng.choice(values), rng.choice(values)
                call = rng.choice([op.exp, op.abs, op.add])
                expr = call(one, other) if call is op.add else call(one)
                values.append((yield f"v{number}", expr))
            return relax.Tuple(values[2:])

        func = build(make, *params)
        block = block_of(func)
        kinds = [rng.choice(["*", "*", "exp", "add"]) for _ in range(rng.randint(2, 4))]
        with PatternContext() as ctx:
            made = {"*": wildcard, "exp": lambda: unary("exp"), "add": add}
            patterns = [made[kind]() for kind in kinds]
            uses = [(rng.randrange(user), user) for user in range(1, len(kinds))]
            uses = [(*use, rng.random() < 0.2, rng.choice([-1, -1, 0, 1])) for use in uses]
            for used, user, only, number in uses:
                link = patterns[used].only_used_by if only else patterns[used].used_by
                link(patterns[user], number)
        found = ctx.match_dfb(block)
        chosen = list(find_all(block, func.params, patterns, uses))
        assert (found is None) == (not chosen), (seed, kinds, uses)
        assert found is None or tuple(found[pattern] for pattern in patterns) in chosen
        count += found is not None
    assert count > 20


def find_all(block, params, patterns, uses):
    """All choices of variables for patterns that constraints allow."""
    values = {binding: binding.value for binding in block.bindings}
    used = {binding: list(binding._args) for binding in block.bindings}
    variables = [*params, *block.bindings]
    fitting = [[v for v in variables if pattern.match(v, values)] for pattern in patterns]
    for choice in itertools.product(*fitting):
        if len(set(choice)) < len(choice):
            continue
        for one, user, only, number in uses:
            args = used.get(choice[user], [])
            users = [binding for binding in used if choice[one] in used[binding]]
            if choice[one] not in args or (only and len(users) != 1):
                break
            if number >= 0 and args[number : number + 1] != [choice[one]]:
                break
        else:
            yield choice


def join_matmuls():
    with PatternContext() as ctx:
        x, v, w = wildcard(), wildcard(), wildcard()
        one, other = is_op("relax.matmul")(x, v), is_op("relax.matmul")(x, w)

    def join(matched, values):
        assert matched[one] in values and matched[x] not in values
        product = op.matmul(matched[x], op.concat([matched[v], matched[w]], axis=1))
        fields = op.split(product, 2, axis=1)
        return {matched[one]: fields[0], matched[other]: fields[1]}

    return ctx, join


def test_rewrite_bindings():
    """Each pair is replaced, also where its second weight is computed after the first product."""
    params = [relax.Var(name, tensor(4, 4)) for name in ("x", "y", "w0", "w1", "w2", "w3")]

    def before(x, y, w0, w1, w2, w3):
        a = yield "a", op.matmul(x, w0)
        t = yield "t", op.permute_dims(w1)
        b = yield "b", op.matmul(x, t)
        c = yield "c", op.matmul(y, w2)
        d = yield "d", op.matmul(y, w3)
        return op.add(op.add(a, b), op.add(c, d))

    def after(x, y, w0, w1, w2, w3):
        t = yield "t", op.permute_dims(w1)
        u = yield "u", op.concat([w0, t], axis=1)
        a = yield "a", op.matmul(x, u)
        p = yield "p", op.split(a, 2, axis=1)
        v = yield "v", op.concat([w2, w3], axis=1)
        c = yield "c", op.matmul(y, v)
        q = yield "q", op.split(c, 2, axis=1)
        return op.add(op.add(p[0], p[1]), op.add(q[0], q[1]))

    func = build(before, *params)
    text = str(func)
    rewritten = rewrite_bindings(*join_matmuls(), func)
    assert structural_equal(rewritten, build(after, *params)), str(rewritten)
    assert str(func) == text
    assert rewrite_bindings(*join_matmuls(), rewritten) is rewritten


def test_rewriters_that_reject(x):
    """The search goes on after a match for which there are no new values; TVM's ends."""

    def make(x):
        a = yield "a", op.exp(x)
        b = yield "b", op.exp(a)
        return op.exp(b)

    with PatternContext() as ctx:
        arg = wildcard()
        call = is_op("relax.exp")(arg)
    seen = []

    def reject(matched, values):
        seen.append(matched[call].name_hint)
        return {matched[call]: op.abs(matched[arg])} if matched[call].name_hint == "b" else {}

    func = rewrite_bindings(ctx, reject, build(make, x))
    assert str(func).count("relax.exp ") == 2 and str(func).count("relax.abs ") == 1
    assert seen[:3] == ["a", "b", "gv"]


def test_rules_that_do_not_end(x):
    """TVM goes on for ever."""
    func = build(diamond, x)
    with PatternContext() as ctx:
        one, other = unary("exp"), unary("abs")
        one ^ other
    endless = r"expected a rule that ends, but found one that still changes 'main'"
    with pytest.raises(ValueError, match=endless):
        rewrite_bindings(ctx, lambda found, values: {found[other]: op.abs(found[other])}, func)
    twice = is_op("relax.abs")(wildcard())
    with pytest.raises(ValueError, match=endless):
        dpl.rewrite_call(twice, lambda call, found: op.abs(call), func)
    left, right = wildcard(), wildcard()
    with pytest.raises(ValueError, match=endless):
        dpl.rewrite_call(
            is_op("relax.add")(left, right),
            lambda call, found: op.add(call.args[1], call.args[0]),
            func,
        )


def test_rules_that_take_long(x):
    """A rule that moves one expression through many takes a round for each."""

    def make(x):
        value = yield "first", op.abs(x)
        for number in range(200):
            value = yield f"v{number}", op.exp(value)
        return value

    inner = wildcard()
    outer = is_op("relax.exp")(is_op("relax.abs")(inner))
    func = dpl.rewrite_call(outer, lambda call, found: op.abs(op.exp(found[inner])), build(make, x))
    assert is_op("relax.abs")(wildcard()).match(
        func.body.body.value.value, relax.analysis.get_var2val(func)
    )


def test_uses_that_end():
    """A variable that was replaced uses nothing, so that others have fewer users."""
    x = relax.Var("x", tensor(4))

    def make(x):
        a = yield "a", op.exp(x)
        b = yield "b", op.abs(a)
        c = yield "c", op.sqrt(a)
        return op.add(b, c)

    with PatternContext() as ctx:
        one, user = unary("exp"), wildcard()
        one >> user
    func = build(make, x)
    assert ctx.match_dfb(block_of(func)) is None
    with PatternContext() as first:
        value = unary("sqrt")
        value ^ wildcard()
    changed = rewrite_bindings(
        first, lambda m, values: {m[value]: op.negative(func.params[0])}, func
    )
    assert names(ctx.match_dfb(block_of(changed))) == ["a", "b"]


def test_errors(x):
    func = build(diamond, x)
    block = block_of(func)
    with PatternContext() as ctx:
        one, user = wildcard(), wildcard()
        one ^ user
        with pytest.raises(partita.errors.RewriteError, match="expected each constraint once"):
            one ^ user
        one >> user
    for kind in (ValueError, RuntimeError):
        with pytest.raises(kind, match="expected an incremental PatternContext in the scope"):
            PatternContext(incremental=True)
        with pytest.raises(kind, match="expected a PatternSeq to have a pattern"):
            PatternSeq([])
    with pytest.raises(TypeError, match="expected a part of a PatternSeq to be a pattern"):
        PatternSeq([3])
    with pytest.raises(TypeError, match="expected what uses a pattern to be a pattern"):
        wildcard() ^ 3
    with pytest.raises(TypeError, match="expected the number of an argument to be an int"):
        wildcard().used_by(wildcard(), "0")
    with pytest.raises(ValueError, match="expected the number of an argument, or -1"):
        wildcard().used_by(wildcard(), -2)
    with pytest.raises(TypeError, match="expected what has the same shape to be a pattern"):
        wildcard().same_shape_as(3)
    with pytest.raises(TypeError, match="expected a DataflowBlock to match"):
        ctx.match_dfb(func)
    with PatternContext() as other:
        wildcard() ^ user
        user.same_shape_as(wildcard())
    with pytest.raises(RuntimeError, match="expected a constraint on a use of each pattern"):
        other.match_dfb(block)
    outer, inner = PatternContext(), PatternContext()
    with outer:
        inner.__enter__()
        with pytest.raises(RuntimeError, match="innermost PatternContext"):
            outer.__exit__(None, None, None)
        inner.__exit__(None, None, None)
    assert PatternContext.current() is None
    with PatternContext() as circle:
        one, other = wildcard(), wildcard()
        one ^ other
        other ^ one
    assert circle.match_dfb(block) is None


def test_errors_in_rewriters(x):
    func = build(diamond, x)
    with PatternContext() as ctx:
        one, left, right = unary("exp"), unary("abs"), unary("negative")
        one.fork_to(left, right)

    def rewrite(make):
        return rewrite_bindings(ctx, lambda matched, values: make(matched), func)

    with pytest.raises(TypeError, match="expected a PatternContext to rewrite by"):
        rewrite_bindings(one, rewrite, func)
    with pytest.raises(TypeError, match="expected a rule, as from_pattern"):
        dpl.PatternMatchingRewriter(one)
    with pytest.raises(TypeError, match="expected a rewriter to be a function"):
        rewrite_bindings(ctx, 3, func)
    with pytest.raises(TypeError, match="expected a Function to rewrite"):
        rewrite_bindings(ctx, rewrite, partita.IRModule({"main": func}))
    with pytest.raises(TypeError, match="expected a rewriter to return a dict"):
        rewrite(lambda matched: None)
    with pytest.raises(
        ValueError, match="expected new values of variables that are bound in .* 'x'"
    ):
        rewrite(lambda matched: {func.params[0]: matched[one]})
    with pytest.raises(ValueError, match="in a circle, but found such values of b, c"):
        rewrite(
            lambda matched: {
                matched[left]: op.exp(matched[right]),
                matched[right]: op.exp(matched[left]),
            }
        )
    with pytest.raises(ZeroDivisionError):
        rewrite(lambda matched: 1 / 0)


def test_names_of_sizes_stand_for_one_size():
    n, m = tir.Var("n", "int64"), tir.Var("m", "int64")
    one, other = (wildcard().has_ty(relax.TensorType([n, m])) for _ in range(2))
    pattern = is_op("relax.add")(one, other)
    double = wildcard().has_ty(relax.TensorType([n * 2, m]))

    def match(shape, other_shape, pattern=pattern):
        return pattern.match(
            op.add(relax.Var("x", tensor(*shape)), relax.Var("y", tensor(*other_shape)))
        )

    assert match((64, 128), (64, 128)) and not match((64, 128), (1, 128))
    assert match(("k", 128), ("k", 128)) and not match(("k", 128), ("l", 128))
    with_double = is_op("relax.add")(one, double)
    assert match((1, 8), (2, 8), with_double) and not match((1, 8), (3, 8), with_double)
    # What a way to match has found is forgotten if another one is tried: here, the other order.
    assert match((2, 8), (1, 8), with_double)
    either = is_op("relax.add")(one & is_var("y"), double) | is_op("relax.add")(one, other)
    assert match((1, 8), (1, 8), either)
