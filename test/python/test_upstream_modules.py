"""Passes on modules of partita.mlir.ir, and of other packages' MLIR."""

import pytest

import partita
from partita import IRModule, transform
from partita.mlir import ir

TEXT = """module attributes {test.a = 1 : i32} {
  func.func @f(%x: i32) -> i32 {
    %zero = arith.constant 0 : i32
    %sum = arith.addi %x, %zero : i32
    return %sum : i32
  }
}"""


def make_module():
    return ir.Module.parse(TEXT, context=partita.ir.get_context())


def canonicalize():
    return transform.Sequential([transform.get_pass("canonicalize")])


def test_result_is_of_the_kind_that_was_given():
    module = make_module()
    for given in (module, module.operation, module.operation.opview):
        result = canonicalize()(given)
        assert type(result) is type(given)
        assert "arith.addi" in str(given)
        assert "arith.addi" not in str(result)
        assert "attributes {test.a = 1 : i32}" in str(result)
        assert str(result) == str(canonicalize()(IRModule(module.operation)).operation)


def test_result_is_a_module_of_its_own():
    result = canonicalize()(make_module())
    assert result.operation.verify()
    assert len(list(result.body.operations)) == 1
    assert isinstance(ir.Module.parse(str(result), context=result.context), ir.Module)


def test_in_place():
    module = make_module()
    operation = module.operation
    canonicalize().run_in_place(module)
    assert "arith.addi" not in str(operation)
    assert operation.verify()


def test_attributes_of_the_result():
    @transform.module_pass(opt_level=0)
    def rename(mod, ctx):
        del mod.operation.attributes["test.a"]
        mod.operation.attributes["test.b"] = ir.UnitAttr.get(mod.operation.context)
        return mod

    module = make_module()
    assert "attributes {test.b}" in str(rename(module))
    assert "attributes {test.a = 1 : i32}" in str(module)
    rename.run_in_place(module)
    assert "attributes {test.b}" in str(module)


def test_failures_leave_the_module():
    @transform.module_pass(opt_level=0)
    def fail(mod, ctx):
        raise KeyError("no")

    module = make_module()
    with pytest.raises(KeyError):
        fail(module)
    with pytest.raises(KeyError):
        fail.run_in_place(module)
    assert str(module) == str(make_module())


class Operation:
    """A module in another package's bindings."""

    _CAPIPtr = None


def test_modules_of_other_packages():
    with pytest.raises(TypeError, match="Operation, of another package's MLIR.*Bridge"):
        canonicalize()(Operation())
    with pytest.raises(TypeError, match="Operation, of another package's MLIR.*Bridge"):
        IRModule(Operation())
    with pytest.raises(TypeError, match="with an IRModule, but found int$"):
        canonicalize()(3)
