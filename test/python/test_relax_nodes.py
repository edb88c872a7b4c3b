# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches, functions in functions, aliases and values: read, made, visited and rewritten."""

import contextlib
import gc
import weakref

import pytest

import partita
from partita import ir, relax, tir
from partita.ir import assert_structural_equal
from partita.relax.expr_functor import PyExprMutator, PyExprVisitor, mutator, visitor

TEXT = """
partita.module {
  relax.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = relax.exp %x : tensor<4xf32>
    relax.return %0 : tensor<4xf32>
  }
  relax.func @branches(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
    %0 = relax.exp %x : tensor<4xf32>
    %1 = relax.if %c : tensor<i1> -> tensor<4xf32> {
      %2 = relax.dataflow -> tensor<4xf32> {
        %3 = relax.add %0, %x : tensor<4xf32>
        %4 = relax.sin %3 : tensor<4xf32>
        relax.output %4 : tensor<4xf32>
      }
      relax.yield %2 : tensor<4xf32>
    } else {
      %2 = relax.if %c : tensor<i1> -> tensor<4xf32> {
        relax.yield %x : tensor<4xf32>
      } else {
        %3 = relax.cos %0 : tensor<4xf32>
        relax.yield %3 : tensor<4xf32>
      }
      relax.yield %2 : tensor<4xf32>
    }
    %5 = relax.alias %1 : tensor<4xf32>
    relax.return %5 : tensor<4xf32>
  }
  relax.func @closure(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
    %0 = relax.exp %x : tensor<4xf32>
    %f = relax.local_func %self(%y)
        : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>>
        attributes {Composite = "mine"} {
      %1 = relax.add %y, %0 : tensor<4xf32>
      %2 = relax.call_value(%self, %1) {is_pure = true}
        : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
      relax.yield %2 : tensor<4xf32>
    }
    %3 = relax.call_value(%f, %x) {is_pure = true}
      : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
    relax.return %3 : tensor<4xf32>
  }
  relax.func @values(%x: tensor<4xf32>) -> tensor<2x2xf32> attributes {is_pure = false} {
    %0 = relax.shape [2, 2]
    %1 = relax.reshape %x, %0 : tensor<4xf32>, !relax.shape<[2, 2]> -> tensor<2x2xf32>
    %f = relax.extern_func "test.print"
    %s = relax.string "text"
    %n = relax.prim_value 3 : i64
    %t = relax.dtype f16
    %2 = relax.call_value(%f, %1, %s, %n, %t)
      : (!relax.object, tensor<2x2xf32>, !relax.object, i64, !relax.object) -> !relax.object
    relax.return %1 : tensor<2x2xf32>
  }
}
"""

TENSOR = relax.TensorType((4,), "float32")
BOOL = relax.TensorType((), "bool")


def load():
    return partita.IRModule.from_text(TEXT)


def rebuild(func):
    """The function, made anew from its parameters, blocks and body."""
    return func._with_parts(func.params, func.body.body, func.blocks)


def find(func, kind):
    found = []
    relax.post_order_visit(func, lambda expr: found.append(expr) if type(expr) is kind else None)
    return found


#
# Reading.
#


def test_if_is_read():
    func = load()["branches"]
    outer = func.body.body.value
    assert isinstance(func.body.body, relax.Var) and isinstance(outer, relax.If)
    assert outer.cond is func.params[1]
    assert outer.struct_info == TENSOR
    then, otherwise = outer.true_branch, outer.false_branch
    assert isinstance(then, relax.SeqExpr) and isinstance(then.blocks[0], relax.DataflowBlock)
    assert [b.op.name for b in then.blocks[0].bindings] == ["relax.add", "relax.sin"]
    assert then.body is then.blocks[0].bindings[1] is then.blocks[0].outputs[0]
    # An expression around the branches is the same object inside them.
    assert then.blocks[0].bindings[0].args[0] is func.blocks[0].bindings[0]
    assert isinstance(otherwise.body, relax.If)
    assert otherwise.body.true_branch.body is func.params[0]


def test_function_in_a_function_is_read():
    func = load()["closure"]
    exp, f, call = func.blocks[0].bindings
    inner = f.value
    assert isinstance(inner, relax.Function) and isinstance(f, relax.Var)
    assert inner.attrs["Composite"] == "mine" and inner.is_pure
    assert inner.struct_info == relax.FuncType([TENSOR], TENSOR)
    assert [p.name_hint for p in inner.params] == ["y"]
    add, again = inner.blocks[0].bindings
    assert add.args == (inner.params[0], exp)
    # In the function, another variable stands for it.
    assert again.op.name_hint == "self" and again.op.struct_info == f.struct_info
    assert call.op is f and call.args == (func.params[0],)
    assert isinstance(f.struct_info, relax.FuncType)
    assert relax.analysis.free_vars(func) == []
    assert inner.params[0] in relax.analysis.all_vars(func)


def test_values_are_read():
    func = load()["values"]
    call = func.blocks[0].bindings[-1]
    assert isinstance(call.op, relax.ExternFunc) and call.op.global_symbol == "test.print"
    reshape, text, number, dtype = call.args
    assert isinstance(reshape.args[1], relax.ShapeExpr) and reshape.args[1].values == (2, 2)
    assert isinstance(text, relax.StringImm) and text.value == "text"
    assert isinstance(number, relax.PrimValue) and number.value == 3
    assert isinstance(dtype, relax.DataTypeImm) and dtype.value == "float16"
    assert not call.is_pure


def test_bindings_as_in_tvm():
    func = load()["branches"]
    bindings = [binding for block in func.blocks for binding in block.bindings]
    assert all(isinstance(b, relax.VarBinding) for b in bindings)
    assert not any(isinstance(b, relax.MatchCast) for b in bindings)
    exp, branch, alias = bindings
    assert exp.var is exp and exp.value == exp and exp.var.struct_info == TENSOR
    assert alias.value is branch and alias.var is alias
    cast = relax.op.match_cast(exp, relax.TensorType(("n",)))
    assert isinstance(cast, relax.MatchCast) and not isinstance(cast, relax.VarBinding)
    assert cast.value is exp


def test_reading_twice_gives_the_same_expressions():
    mod = load()
    body = mod["branches"].body.body
    del mod["values"]
    gc.collect()
    assert mod["branches"].body.body is body


def test_what_is_read_keeps_no_module_alive():
    mod = load()
    reference = weakref.ref(mod["closure"].blocks[0].bindings[1])
    assert mod["branches"].body.body.value.cond is mod["branches"].params[1]
    del mod
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("name", ["branches", "closure", "values"])
def test_made_anew(name):
    mod = load()
    again = load()
    again.update_func(again.get_global_var(name), rebuild(again[name]))
    assert_structural_equal(again, mod)
    again.operation.verify()


def test_attributes_of_a_function_in_a_function():
    mod = load()
    f = mod["closure"].blocks[0].bindings[1]
    inner = f.value
    assert "Function" in str(inner) and "y" in str(inner)
    assert inner.with_attr("Codegen", "c").attrs["Codegen"] == "c"
    assert "Composite" not in inner.without_attr("Composite").attrs

    class Mark(PyExprMutator):
        def visit_function_(self, func):
            func = super().visit_function_(func)
            return func.with_attr("Composite", "yours") if "Composite" in func.attrs else func

    new = Mark(mod).visit_expr(mod["closure"])
    expected = partita.IRModule.from_text(TEXT.replace('"mine"', '"yours"'))
    assert_structural_equal(new, expected["closure"])
    # A function that uses nothing of the one around it has text.
    y = relax.Var("y", TENSOR)
    assert "relax.func @main(%y" in str(relax.Function([y], relax.op.exp(y))._as_value().value)


#
# Making.
#


def test_if_is_made():
    x, c = relax.Var("x", TENSOR), relax.Var("c", BOOL)
    shared = relax.op.exp(x)
    bb = relax.BlockBuilder()
    with bb.function("main", [x, c]):
        lv = bb.emit(shared, "lv")
        other = relax.op.sin(lv)
        then = relax.SeqExpr([relax.BindingBlock([other])], other)
        result = bb.emit(relax.If(c, then, relax.op.cos(lv)), "result")
        bb.emit_func_output(result)
    assert str(bb.get()) == str(
        partita.IRModule.from_text(
            """partita.module {
              relax.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32>
                  attributes {global_symbol = "main"} {
                %lv = relax.exp %x : tensor<4xf32>
                %result = relax.if %c : tensor<i1> -> tensor<4xf32> {
                  %0 = relax.sin %lv : tensor<4xf32>
                  relax.yield %0 : tensor<4xf32>
                } else {
                  %0 = relax.cos %lv : tensor<4xf32>
                  relax.yield %0 : tensor<4xf32>
                }
                relax.return %result : tensor<4xf32>
              }
            }"""
        )
    )


def test_what_only_branches_need_is_computed_in_them():
    x, c = relax.Var("x", TENSOR), relax.Var("c", BOOL)
    shared = relax.op.exp(x)
    func = relax.Function([x, c], relax.If(c, relax.op.sin(shared), shared) + shared)
    text = str(func)
    assert text.count("relax.exp") == 3
    read = partita.IRModule.from_text(text)["main"]
    assert_structural_equal(rebuild(read), func)
    choice, exp = read.body.body.args
    assert choice.true_branch.body.args[0] is not choice.false_branch.body
    assert exp.op.name == "relax.exp" and exp is not choice.false_branch.body


def test_type_of_an_if():
    c = relax.Var("c", BOOL)
    x, y = relax.Var("x", relax.TensorType((4, "n"))), relax.Var("y", relax.TensorType((4, "m")))
    assert relax.If(c, x, y).struct_info == relax.TensorType((4, None))
    assert relax.If(c, relax.Tuple([x, c]), relax.Tuple([x, c])).struct_info == relax.TupleType(
        [x.struct_info, BOOL]
    )
    assert relax.If(c, x, c).struct_info == relax.TensorType(None, None)
    assert relax.If(c, x, relax.Tuple([x])).struct_info == relax.ObjectType()
    func = relax.Function([c, x, y], relax.If(c, relax.Tuple([x, y]), relax.Tuple([y, x])))
    assert "relax.yield" in str(func)


def test_functions_of_bindings():
    """TVM's own way: variables, bindings of them, and a SeqExpr."""
    x = relax.Var("x", TENSOR)
    lv, gv, cast = relax.Var("lv", TENSOR), relax.Var("gv", TENSOR), relax.Var("w", TENSOR)
    block = relax.DataflowBlock(
        [relax.VarBinding(lv, relax.op.exp(x)), relax.VarBinding(gv, lv)], [gv]
    )
    last = relax.BindingBlock([relax.MatchCast(cast, gv, TENSOR)])
    func = relax.Function([x], relax.SeqExpr([block, last], cast), ret_type=TENSOR)
    text = str(func)
    for line in ("%lv = relax.exp %x", "%gv = relax.alias %lv", "%w = relax.match_cast"):
        assert line in text
    assert lv.value.op.name == "relax.exp" and gv.value is lv
    # It has a value now.
    with pytest.raises(ValueError, match="a Var without a value"):
        relax.expr.bind(lv, x)
    with pytest.raises(TypeError, match="a parameter to be a Var without value"):
        relax.Function([lv], lv)


def test_variable_of_a_dtype():
    for dtype in ("int64", "float32", "bool"):
        for var in (relax.Var("x", dtype), relax.Var(name="x", ty=dtype)):
            assert var.ty == relax.PrimType(dtype)
        assert relax.DataflowVar("x", dtype).ty == relax.PrimType(dtype)
    assert relax.TensorType((relax.Var("n", "int64"), 2)).shape == ("n", 2)
    with pytest.raises(ValueError, match="float33"):
        relax.Var("x", "float33")


def test_variables_that_use_themselves():
    a, b = relax.Var("a", TENSOR), relax.Var("b", TENSOR)
    with pytest.raises(ValueError, match="does not use the variable 'a'"):
        relax.VarBinding(a, a)
    with pytest.raises(ValueError, match="does not use the variable 'a'"):
        relax.VarBinding(a, relax.op.exp(a))
    relax.VarBinding(a, relax.op.exp(b))
    with pytest.raises(ValueError, match="does not use the variable 'b'"):
        relax.VarBinding(b, relax.op.sin(a))

    class Named(relax.Var):
        pass

    c = Named("c", TENSOR)
    with pytest.raises(ValueError, match="does not use the variable 'c'"):
        relax.VarBinding(c, relax.op.exp(c))


def test_function_that_uses_the_variable_that_it_is():
    """A mutator that mixes the two up gets an error."""
    mod = load()
    f = mod["closure"].blocks[0].bindings[1]
    mutate = PyExprMutator(mod)
    mutate.set_var_remap(f.value.body.body.op, f)
    with pytest.raises((ValueError, RecursionError)):
        str(mutate.visit_expr(mod["closure"]))


def test_recursive_function_in_a_function():
    x, y = relax.Var("x", TENSOR), relax.Var("y", TENSOR)
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        inner = bb.emit(relax.Function([y], relax.op.exp(y), attrs={"Primitive": 1}), "inner")
        bb.emit_func_output(bb.emit(inner(x)))
    main = bb.get()["main"]
    assert "Primitive = 1" in str(main) and "relax.local_func" in str(main)
    assert main.body.body.op.value.body.body.op.name == "relax.exp"
    assert main.body.body.struct_info == TENSOR and main.body.body.is_pure
    with pytest.raises(ValueError, match="expected 1 arguments"):
        inner(x, x)


def test_parameters_that_are_functions():
    f = relax.Var("f", relax.FuncType([TENSOR], TENSOR))
    x = relax.Var("x", TENSOR)
    func = relax.Function([f, x], f(x))
    assert func.params[0].struct_info == f.struct_info
    assert "!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>" in str(func)


def test_calls_of_extern_functions():
    x = relax.Var("x", TENSOR)
    op = relax.op
    packed = op.call_packed("f", x, relax.StringImm("a"), sinfo_args=TENSOR)
    assert packed.op.global_symbol == "f" and not packed.is_pure
    pure = op.call_pure_packed("f", packed, relax.PrimValue(2), sinfo_args=[TENSOR])
    two = op.call_dps_packed("g", [pure, x], [TENSOR, TENSOR])
    assert two.struct_info == relax.TupleType([TENSOR, TENSOR])
    func = relax.Function([x], two[1], is_pure=False)
    for text in (
        'relax.extern_func "f"',
        "ty_args = [tensor<4xf32>]",
        "ty_args = [tuple<tensor<4xf32>, tensor<4xf32>>]",
        "relax.prim_value 2 : i64",
    ):
        assert text in str(func)
    mod = partita.IRModule({"main": func})
    again = partita.IRModule.from_tvm_json(mod.to_tvm_json())
    assert "relax.call_dps_packed" in str(again) and "relax.call_pure_packed" in str(again)
    nested = relax.TupleType([TENSOR, relax.TupleType([TENSOR, TENSOR])])
    made = relax.Call("relax.call_dps_packed", [relax.ExternFunc("g"), [x]], ty_args=[nested])
    same = op.call_dps_packed("g", [x], nested)
    assert str(relax.Function([x], made)) == str(relax.Function([x], same))
    again = relax.Call(made.op, made.args, made.attrs, made.sinfo_args)
    assert str(relax.Function([x], again)) == str(relax.Function([x], same))
    unknown = relax.Call(relax.ExternFunc("f"), [x])
    assert unknown.ty == relax.ObjectType() and not unknown.is_pure


#
# Visiting.
#


@visitor
class Log(PyExprVisitor):
    """Records the visited nodes, by TVM's methods."""

    def __init__(self):
        super().__init__()
        self.log = []

    def visit_if_(self, op):
        self.log.append("If")
        self.visit_expr(op.cond)
        self.visit_expr(op.true_branch)
        self.visit_expr(op.false_branch)

    def visit_seq_expr_(self, op):
        self.log.append("SeqExpr")
        super().visit_seq_expr_(op)

    def visit_call_(self, op):
        self.log.append(f"Call {op.op.name_hint if isinstance(op.op, relax.Var) else op.op}")
        super().visit_call_(op)

    def visit_function_(self, op):
        self.log.append(f"Function {[p.name_hint for p in op.params]}")
        super().visit_function_(op)

    def visit_var_binding_(self, binding):
        self.log.append("VarBinding")
        super().visit_var_binding_(binding)

    def visit_match_cast_(self, binding):
        self.log.append("MatchCast")
        super().visit_match_cast_(binding)

    def visit_binding_block_(self, block):
        self.log.append("BindingBlock")
        super().visit_binding_block_(block)

    def visit_dataflow_block_(self, block):
        self.log.append("DataflowBlock")
        super().visit_dataflow_block_(block)

    def visit_var_def_(self, var):
        self.log.append("VarDef")

    def visit_dataflow_var_def_(self, var):
        self.log.append("DataflowVarDef")

    def visit_shape_expr_(self, op):
        self.log.append(f"Shape {op.values}")

    def visit_prim_value_(self, op):
        self.log.append(f"Prim {op.value}")

    def visit_string_imm_(self, op):
        self.log.append(f"String {op.value}")

    def visit_data_type_imm_(self, op):
        self.log.append(f"DType {op.value}")

    def visit_extern_func_(self, op):
        self.log.append(f"Extern {op.global_symbol}")


def test_visitor_sees_branches():
    log = Log()
    log.visit_expr(load()["branches"])
    assert log.log == [
        *("Function ['x', 'c']", "VarDef", "VarDef", "SeqExpr", "BindingBlock"),
        *("VarBinding", "Call Op(relax.exp)", "VarDef"),
        *("VarBinding", "If", "SeqExpr", "DataflowBlock"),
        *("VarBinding", "Call Op(relax.add)", "DataflowVarDef"),
        *("VarBinding", "Call Op(relax.sin)", "VarDef"),
        *("SeqExpr", "BindingBlock", "VarBinding", "If", "SeqExpr", "SeqExpr", "BindingBlock"),
        *("VarBinding", "Call Op(relax.cos)", "VarDef", "VarDef", "VarDef"),
        *("VarBinding", "VarDef"),
    ]


def test_visitor_sees_functions_and_values():
    log = Log()
    log.visit_expr(load()["closure"])
    assert [line for line in log.log if line[:4] in ("Func", "Call")] == [
        "Function ['x', 'c']",
        "Call Op(relax.exp)",
        "Function ['y']",
        "Call Op(relax.add)",
        "Call self",
        "Call f",
    ]
    log = Log()
    log.visit_expr(load()["values"])
    values = [line for line in log.log if line.split()[0] in ("Shape", "Prim", "String", "DType")]
    assert values == ["Shape (2, 2)", "String text", "Prim 3", "DType float16"]
    assert "Extern test.print" in log.log


def test_all_calls_are_seen_without_methods_for_bindings():
    class Calls(relax.ExprVisitor):
        def visit_call_(self, call):
            self.names.append(str(call.op))
            super().visit_call_(call)

    calls = Calls()
    calls.names = []
    calls.visit(load()["branches"])
    assert calls.names == [f"Op(relax.{name})" for name in ("exp", "add", "sin", "cos")]


def test_functor_without_methods():
    functor = relax.ExprFunctor()
    for expr in (load()["branches"], load()["branches"].body.body.value, relax.StringImm("a")):
        with pytest.raises(NotImplementedError, match="to have a visit method"):
            functor.visit_expr(expr)


#
# Rewriting.
#


@mutator
class SinToCos(PyExprMutator):
    def visit_call_(self, call):
        call = self.visit_expr_post_order(call)
        if call.op is relax.Op.get("relax.sin"):
            return relax.op.cos(*call.args)
        return call


@mutator
class ExpToAbs(PyExprMutator):
    def visit_call_(self, call):
        call = self.visit_expr_post_order(call)
        return relax.op.abs(*call.args) if call.op == relax.Op.get("relax.exp") else call


@pytest.mark.parametrize("name", ["helper", "branches", "closure", "values"])
def test_identity(name):
    mod = load()
    func = mod[name]
    assert PyExprMutator(mod).visit_expr(func) is func


def test_mutator_rewrites_branches():
    mod = load()
    new = SinToCos(mod).visit_expr(mod["branches"])
    expected = TEXT.replace("relax.sin", "relax.cos")
    assert_structural_equal(new, partita.IRModule.from_text(expected)["branches"])


def test_mutator_rewrites_what_branches_and_functions_use():
    mod = load()
    for name in ("branches", "closure"):
        new = ExpToAbs(mod).visit_expr(mod[name])
        mod.update_func(mod.get_global_var(name), new)
    expected = partita.IRModule.from_text(TEXT.replace("relax.exp %x", "relax.abs %x"))
    for name in ("branches", "closure"):
        assert_structural_equal(mod[name], expected[name])


def test_mutator_of_bindings():
    """Bindings that it emits itself, under the name of the variable that they replace."""

    @mutator
    class Rebind(PyExprMutator):
        def visit_var_binding_(self, binding):
            value = binding.value
            if isinstance(value, relax.Call) and value.op == relax.Op.get("relax.exp"):
                x = self.builder_.emit(relax.op.negative(self.visit_expr(value.args[0])))
                new = relax.op.exp(x)
                self.builder_.emit_normalized(relax.VarBinding(binding.var, new))
            else:
                super().visit_var_binding_(binding)

    mod = load()
    new = Rebind(mod).visit_expr(mod["branches"])
    expected = TEXT.replace(
        "%0 = relax.exp %x", "%n = relax.negative %x : tensor<4xf32>\n    %0 = relax.exp %n"
    )
    assert_structural_equal(new, partita.IRModule.from_text(expected)["branches"])


def test_mutator_keeps_what_it_emits():
    """A call that nobody uses, too."""

    @mutator
    class Trace(PyExprMutator):
        def visit_call_(self, call):
            call = self.visit_expr_post_order(call)
            if call.op == relax.Op.get("relax.add"):
                self.builder_.emit(relax.op.sin(call.args[0]))
            return call

    mod = load()
    new = Trace(mod).visit_expr(mod["closure"])
    assert str(new).count("relax.sin") == 1
    assert str(new).index("relax.sin") < str(new).index("relax.add")


def test_mutator_lifts_functions():
    @mutator
    class Lift(PyExprMutator):
        def visit_function_(self, func):
            if "Composite" not in func.attrs:
                return super().visit_function_(func)
            return self.builder_.add_func(func, "lifted")

    text = """partita.module {
      relax.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
        %f = relax.local_func %self(%y) : !relax.callable<(tensor<4xf32>) -> tensor<4xf32>>
            attributes {Composite = "mine"} {
          %1 = relax.sin %y : tensor<4xf32>
          relax.yield %1 : tensor<4xf32>
        }
        %3 = relax.call_value(%f, %x) {is_pure = true}
          : (!relax.callable<(tensor<4xf32>) -> tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
        relax.return %3 : tensor<4xf32>
      }
    }"""
    mod = partita.IRModule.from_text(text)
    lift = Lift(mod)
    new = lift.visit_expr(mod["main"])
    lift.builder_.update_func(mod.get_global_var("main"), new)
    mod = lift.builder_.get()
    assert "relax.call @lifted(%x)" in str(mod) and "local_func" not in str(mod)
    assert mod["lifted"].attrs["Composite"] == "mine"


def test_functions_of_the_module_as_values():
    """They are GlobalVars, as in TVM, wherever they are in a call."""
    text = """partita.module {
      tir.prim_func private @g(%x: i64) { tir.return }
      relax.func @main(%x: tensor<4xf32>, %n: i64 {relax.dim = "n"}) -> tensor<4xf32> attributes {is_pure = false} {
        %g = relax.global @g
        %0 = relax.call_value(%g, %n) : (!relax.object, i64) -> !relax.object
        %1 = relax.call_inplace_packed(%g, %x) : (!relax.object, tensor<4xf32>) -> tensor<4xf32>
        relax.return %1 : tensor<4xf32>
      }
    }"""
    mod = partita.IRModule.from_text(text)
    func = mod["main"]
    call, packed = (b for b in func.blocks[0].bindings if b.args)
    g = relax.GlobalVar("g")
    assert call.op == g and packed.args[0] == g
    assert relax.analysis.all_global_vars(func) == [g]

    class Names(relax.ExprVisitor):
        def visit_global_var_(self, gvar):
            self.names.append(gvar.name_hint)

    names = Names()
    names.names = []
    names.visit(func)
    assert names.names == ["g", "g"]
    assert PyExprMutator(mod).visit_expr(func) is func

    class Rename(PyExprMutator):
        def visit_global_var_(self, gvar):
            return relax.GlobalVar("h")

    mod[relax.GlobalVar("h")] = mod["g"]
    new = Rename(mod).visit_expr(func)
    assert_structural_equal(new, partita.IRModule.from_text(text.replace("@g", "@h"))["main"])


def test_lookup_binding():
    func = load()["branches"]
    functor = PyExprMutator()
    assert functor.lookup_binding(func.params[0]) is None
    assert functor.lookup_binding(func.body.body) is func.blocks[0].bindings[1]
    assert functor.lookup_binding(func.blocks[0].bindings[0]).op.name == "relax.exp"


def test_remapped_variables():
    mod = load()
    functor = PyExprMutator(mod)
    x = mod["helper"].params[0]
    y = relax.Var("y", TENSOR)
    functor.set_var_remap(x.vid, y)
    assert functor.get_var_remap(x.vid) is y
    assert functor.visit_expr(mod["helper"]).params[0].name_hint == "y"


def test_deeply_nested_branches():
    x, c = relax.Var("x", TENSOR), relax.Var("c", BOOL)
    value = x
    for _ in range(50):
        value = relax.If(c, relax.op.exp(value), x)
    func = relax.Function([x, c], value)
    assert PyExprMutator().visit_expr(func) is func
    again = partita.IRModule({"main": func})
    assert_structural_equal(rebuild(again["main"]), again["main"])
    assert len(find(again["main"], relax.If)) == 50


def test_variable_gets_the_type_of_its_value():
    x = relax.Var("x", relax.TensorType([4]))
    y = relax.Var("y")
    assert repr(y) == 'Var("y")'
    z = relax.op.exp(y)
    for expr in (y, z):
        assert expr.struct_info.is_missing()
    binding = relax.VarBinding(y, relax.op.exp(x))
    assert y.struct_info == relax.TensorType([4]) and y.value is binding.value
    assert relax.op.exp(y).struct_info == relax.TensorType([4])
    func = relax.Function([x], relax.SeqExpr([relax.BindingBlock([binding])], y))
    assert "%y = relax.exp %x : tensor<4xf32>" in str(func)
    with pytest.raises(ValueError, match="expected the Var 'z' to have a type"):
        relax.Function([relax.Var("z")], relax.const(1))
    with pytest.raises(ValueError, match="expected the Var 'f' to have a type.*function"):
        relax.VarBinding(relax.Var("f"), func)


@pytest.mark.parametrize("as_relax", [True, False])
def test_number_parameters_are_sizes(as_relax):
    """TVM 0.27 has one class for both kinds of variables."""
    n = relax.Var("n", relax.PrimType("int64")) if as_relax else tir.Var("n")
    x = relax.Var("x", relax.TensorType([n, n * 2]))
    shape = relax.ShapeExpr([n + 1, 2 * n // 3, n % 2, 1 - (1 - n)])
    assert shape.values == ("n + 1", "n * 2 // 3", "n % 2", "n")
    func = relax.Function([x, n], shape)
    assert repr(func.params[1].struct_info) == 'PrimType("int64")'
    assert '%n: i64 {relax.dim = "n"}' in str(func)

    bb = relax.BlockBuilder()
    with bb.function("main", [n]):
        with bb.dataflow():
            out = bb.emit_output(relax.op.zeros([n, 4], "float32"))
        bb.emit_func_output(out)
    assert bb.get()["main"].ret_type == relax.TensorType(["n", 4], "float32")


def test_number_parameters_that_are_no_sizes():
    x = relax.Var("x", relax.TensorType([4]))
    for n in (relax.Var("n", relax.PrimType("float32")), relax.Var("n", relax.PrimType("int32"))):
        assert "relax.dim" not in str(relax.Function([x, n], x))
        with pytest.raises(TypeError, match="expected a dimension to be"):
            relax.TensorType([n])
    # Two variables with one name differ only as values.
    pair = [relax.Var("n", relax.PrimType("int64")) for _ in range(2)]
    assert "relax.dim" not in str(relax.Function(pair, relax.Tuple(pair)))


@pytest.mark.parametrize(
    "make, name",
    [
        (lambda x: x // x, "floor_divide"),
        (lambda x: 2.0 // x, "floor_divide"),
        (lambda x: x % 2.0, "mod"),
        (lambda x: x < x, "less"),
        (lambda x: x > 1.0, "greater"),
        (lambda x: x <= x, "less_equal"),
        (lambda x: x >= x, "greater_equal"),
        (lambda x: x.astype("int32"), "astype"),
    ],
)
def test_operators(make, name):
    call = make(relax.Var("x", relax.TensorType([4])))
    assert call.op.name == "relax." + name
    dtype = {"astype": "int32", "mod": "float32", "floor_divide": "float32"}.get(name, "bool")
    assert call.struct_info == relax.TensorType([4], dtype)


def test_what_is_an_expression():
    x = relax.Var("x", relax.TensorType((2,)))
    function = relax.Function([x], relax.op.exp(x))
    found = [
        x,
        function,
        ir.GlobalVar("f"),
        relax.Op.get("relax.add"),
        tir.Var("n"),
        tir.Var("n") < 2,
    ]
    found += [tir.IntImm("int64", 3), relax.ExternFunc("f"), relax.ShapeExpr([1])]
    for one in found:
        assert all(isinstance(one, expr) for expr in (relax.Expr, relax.expr.Expr, ir.Expr))
    for one in (3, "f", relax.BindingBlock([]), x.ty, [x]):
        assert not isinstance(one, relax.Expr)


def test_errors_have_the_kinds_of_tvm():
    x = relax.Var("x", relax.TensorType((4,)))
    with pytest.raises(AttributeError, match="expected an op of relax, but found 'relax.nope'"):
        relax.Op.get("relax.nope")
    for index in (3, -1):
        with pytest.raises(IndexError, match="expected one of 1 fields, but found"):
            relax.TupleGetItem(relax.Tuple([x]), index)


def test_a_cast_to_a_tuple():
    x = relax.Var("x", relax.ObjectType())
    for fields in (
        [],
        [relax.TensorType((4,))],
        [relax.TensorType((4,)), relax.TensorType(("n",))],
    ):
        cast = relax.match_cast(x, relax.TupleType(fields))
        assert cast.ty == relax.TupleType(fields)
        func = relax.Function([x], relax.SeqExpr([relax.BindingBlock([cast])], cast))
        assert func.body.ty == cast.ty and func.ret_ty.fields[:1] == cast.ty.fields[:1]
        assert partita.IRModule({"main": func})["main"].body.ty == cast.ty


@pytest.mark.parametrize("is_dataflow", [False, True])
def test_several_results_are_returned_as_one_variable(is_dataflow):
    x = relax.Var("x", relax.TensorType((4,)))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        with bb.dataflow() if is_dataflow else contextlib.nullcontext():
            y = bb.emit(relax.op.split(x, 2), "y")
        bb.emit_func_output(y)
    mod = bb.get()
    body = mod["main"].body
    assert isinstance(body.body, relax.Call) and body.blocks[0].bindings == (body.body,)
    assert isinstance(body.body, relax.Var) and not isinstance(body.body, relax.DataflowVar)
    again = relax.PyExprMutator(mod).visit_expr(mod["main"])
    assert ir.structural_equal(mod, partita.IRModule({"main": again}))
    # The fields of a part of them are a tuple.
    with bb.function("two", [x]):
        y = bb.emit(relax.op.split(x, 4))
        bb.emit_func_output((y[0], y[1]))
    assert isinstance(bb.get()["two"].body.body, relax.Tuple)


def test_several_results_in_a_tuple_are_no_other_variable():
    x = relax.Var("x", relax.TensorType((4,)))
    bb = relax.BlockBuilder()
    with bb.function("main", [x]):
        bb.emit_func_output(bb.emit(relax.Tuple([x, bb.emit(relax.op.split(x, 2))])))
    assert bb.get().to_tvm_json().count('"relax.expr.VarBinding"') == 2


def test_numbers_that_are_no_operands_are_none_of_tensors():
    x = relax.Var("x", relax.TensorType((4,)))
    numbers = [(1, "int32"), (2**40, "int64"), (1.5, "float32"), (True, "bool")]
    numbers.append((tir.IntImm("int8", 3), "int8"))
    bb = relax.BlockBuilder()
    for number, dtype in numbers:
        values = [relax.Tuple([x, number])[1], relax.Function([x], number).body.body]
        with bb.function("main", [x]):
            values.append(bb.emit(number))
            values.append(bb.emit((x, number))[1])
            bb.emit_func_output((number, values[-1]))
        for value in values:
            assert isinstance(value, relax.PrimValue) and value.ty == relax.PrimType(dtype)
    # An operand is a constant of the type of the others.
    assert relax.op.add(x, 1).args[1].ty == relax.TensorType((), "float32")


def test_a_function_is_called():
    x = relax.Var("x", relax.TensorType((4,)))
    func = relax.Function([x], relax.op.exp(x))
    y = relax.Var("y", relax.TensorType((4,)))
    call = func(y)
    assert isinstance(call, relax.Call) and call.args == (y,) and call.ty == y.ty
    assert relax.Function([y], call).ret_ty == y.ty


def test_the_type_of_several_results_is_one():
    x = relax.Var("x", relax.TensorType((4,)))
    call = relax.op.call_tir(relax.GlobalVar("f"), [x], [x.ty, x.ty])
    assert call.ty_args == [relax.TupleType([x.ty, x.ty])]
    again = relax.Call(call.op, call.args, call.attrs, call.ty_args)
    assert again.ty == call.ty and again._types == call._types


def test_objects_tell_whether_they_are_the_same():
    x = relax.Var("x", TENSOR)
    call = relax.op.abs(x)
    function = relax.Function([x], call)
    objects = [
        *(x, call, call.op, call.attrs, x.ty, function, function.body, relax.BindingBlock([call])),
        *(partita.IRModule({}), ir.GlobalVar("f"), tir.Var("n", "int64"), tir.IntImm("int64", 1)),
        *(relax.VarBinding(relax.Var("v", TENSOR), call), ir.VDevice("llvm")),
        *(partita.transform.PassContext(), relax.transform.FoldConstant()),
    ]
    for one in objects:
        assert one.same_as(one) and one.is_(one) and not one.same_as(None)
    info = partita.transform.PassInfo(1, "p", ["q"])
    assert info.same_as(info) and info in {info: 0}


def test_an_expression_is_a_binding_where_it_is_bound():
    x = relax.Var("x", TENSOR)
    free = relax.op.abs(x)
    assert not any(isinstance(one, relax.Binding) for one in (x, free, relax.const(1.0)))
    (bound,) = relax.BindingBlock([free]).bindings
    assert isinstance(bound, relax.VarBinding) and not isinstance(bound, relax.MatchCast)


def test_an_expression_has_no_truth():
    x = relax.Var("x", TENSOR)
    for one in (x, x < x, relax.TupleGetItem(relax.Tuple([x]), 0)):
        with pytest.raises(ValueError, match="expected no truth of"):
            assert one
    assert x in [relax.op.abs(x), x] and relax.const(0) and relax.Function([x], x).body


def test_attributes_of_a_call_read_as_in_tvm():
    x = relax.Var("x", relax.TensorType((4, 4)))
    attrs = relax.op.sum(x, axis=[0], keepdims=True).attrs
    assert attrs.get_int_tuple("axis") == (0,) and attrs.get_int("keepdims") is True
    w = relax.Var("w", relax.TensorType((4, 3, 3, 3)))
    conv = relax.op.nn.conv2d(relax.Var("d", relax.TensorType((1, 3, 8, 8))), w)
    assert conv.attrs.get_str("data_layout") == "NCHW"
    # These are nodes in TVM, and no numbers.
    parts = relax.op.split(x, 2).attrs
    assert isinstance(parts.indices_or_sections, tir.IntImm) and type(parts.axis) is int
    assert parts.indices_or_sections.value == 2
    assert [one.value for one in relax.op.split(x, [1, 3]).attrs.indices_or_sections] == [1, 3]
    again = relax.Call("relax.split", [x], parts)
    assert again.attrs.indices_or_sections == 2


def test_calls_without_type_arguments_have_the_types_that_tvm_infers():
    x = relax.Var("x", TENSOR)
    callee = relax.ExternFunc("f")
    for name in ("call_pure_packed", "invoke_closure", "invoke_pure_closure"):
        assert relax.Call(f"relax.{name}", [callee, x]).ty == relax.ObjectType()
    call = relax.Call("relax.call_builtin_with_ctx", [callee, relax.Tuple([x])])
    assert call.ty == relax.TupleType([])
    with pytest.raises(TypeError, match="expected sinfo_args"):
        relax.Call("relax.call_dps_packed", [callee, relax.Tuple([x])])
