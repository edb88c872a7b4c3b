# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes on Relax functions: TVM's ``tvm.relax.transform``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import check_int, check_list, check_takes, check_type, explain_missing
from ..ir.bind import find_params, read_dims
from ..ir.block import DataflowBlock
from ..ir.call import Call
from ..ir.constant import Constant
from ..ir.context import get_context
from ..ir.function import PrimFunc
from ..ir.global_info import VDevice
from ..ir.index_map import IndexMap
from ..ir.module import IRModule
from ..ir.node import Expr
from ..ir.op import Op
from ..ir.prim import function_of_var
from ..ir.relax_function import Function
from ..ir.var_classes import Var
from ..mlir import ir
from ..transform.base import Pass
from ..transform.by_name import get_pass
from ..transform.context import PassContext, without_instruments
from ..transform.decorator import PassMaker, module_pass, pass_maker
from ..transform.function_pass import BaseFunctionPass
from ..transform.info import PassInfo
from ..transform.passes import ModulePass
from ._passes_gen import *  # noqa: F401,F403
from ._passes_gen import BindSymbolicVars as _bind_symbolic_vars
from ._passes_gen import CombineParallelMatmul as _combine_parallel_matmul
from ._passes_gen import ConvertLayout as _convert_layout
from ._passes_gen import Gradient as _gradient
from ._passes_gen import LazyTransformParams as _lazy_transform_params
from ._passes_gen import LegalizeOps as _legalize_ops
from ._passes_gen import LiftTransformParams as _lift_transform_params
from ._passes_gen import __all__ as _generated
from .block_builder import BlockBuilder
from .expr_functor import ExprMutator, ExprVisitor
from .fusion import (  # type: ignore[assignment]
    FuseOpsByPattern,
    FusionPattern,
    PatternCheckContext,
)

__all__ = [
    "AlterOpImpl",
    "BindParams",
    "BindSymbolicVars",
    "CombineParallelMatmul",
    "ConvertLayout",
    "DataflowBlockPass",
    "FunctionPass",
    "FuseOpsByPattern",
    "FusionPattern",
    "Gradient",
    "LazyTransformParams",
    "LegalizeOps",
    "LiftTransformParams",
    "PatternCheckContext",
    "UpdateParamType",
    "UpdateVDevice",
    "dataflowblock_pass",
    "function_pass",
    "module_pass",
]
__all__ += [name for name in _generated if name not in __all__]


_BufferMap = IndexMap | Callable[..., Any] | None


def _read_index_map(index_map: Any) -> IndexMap | None:
    # TVM gives some maps with the axes that they separate.
    if isinstance(index_map, (list, tuple)) and index_map:
        index_map = index_map[0]
    if callable(index_map):
        index_map = IndexMap.from_func(index_map)
    if index_map is not None:
        check_type(index_map, IndexMap, "a buffer's transform to be an IndexMap, callable or None")
    return index_map


def AlterOpImpl(  # type: ignore[no-redef]
    op_impl_map: Mapping[str, PrimFunc],
    op_buffer_transforms: Mapping[str, Sequence[_BufferMap]],
) -> ModulePass:
    """Call other prim_funcs for ops, which can have other layouts.

    Parameters
    ----------
    op_impl_map : dict
        PrimFuncs, of any module, by the ``operator_name`` of the prim_funcs that they replace.
    op_buffer_transforms : dict
        For an operator's name, the layouts of all parameters, inputs before outputs, or an empty
        list. A layout is an IndexMap, a function such as ``lambda i: (i // 4, i % 4)``, or None
        for a buffer that stays.
    """
    check_type(op_impl_map, Mapping, "the implementations to be a dict of PrimFuncs")
    check_type(op_buffer_transforms, Mapping, "the buffers' transforms to be a dict of lists")
    functions = dict(op_impl_map)
    for name, func in functions.items():
        check_type(func, PrimFunc, f"the implementation of {name!r} to be a PrimFunc")
    layouts: dict[str, list[IndexMap | None]] = {}
    for name, maps in op_buffer_transforms.items():
        check_type(maps, (list, tuple), f"the transforms for {name!r} to be a list")
        layouts[name] = [_read_index_map(index_map) for index_map in maps]

    def alter(mod: IRModule, ctx: PassContext) -> IRModule:
        context = mod.operation.context
        symbols: dict[str, ir.Attribute] = {}
        added: list[str] = []
        for name, func in functions.items():
            symbol = f"implementation{len(added)}"
            while symbol in mod:
                symbol += "_"
            # Without the attribute, it is none of the functions that a call can have already.
            mod[symbol] = func.without_attr("operator_name")
            added.append(symbol)
            symbols[name] = ir.FlatSymbolRefAttr.get(symbol, context)
        transforms = {
            name: ir.ArrayAttr.get(
                [
                    ir.UnitAttr.get(context) if each is None else each._to_attribute(context)
                    for each in maps
                ],
                context,
            )
            for name, maps in layouts.items()
        }
        options = (
            f"op-impl-map={ir.DictAttr.get(symbols, context)} "
            f"op-buffer-transforms={ir.DictAttr.get(transforms, context)}"
        )
        with without_instruments():
            altered = get_pass("relax-alter-op-impl", options)(mod)
        for symbol in added:
            del altered[symbol]
        return altered

    made: ModulePass = module_pass(alter, opt_level=0, name="AlterOpImpl")
    return made


_LegalizeFunc = Callable[[BlockBuilder, Call], Expr]


def BindParams(func_name: str, params: Mapping[str | Var, Any]) -> ModulePass:
    """Make constants of parameters of a function: Function.bind_params.

    Parameters
    ----------
    func_name : str
        The function's name.
    params : dict
        The values, by the parameter or its name.
    """
    check_type(func_name, str, "the name of a function to be a str")
    check_type(params, Mapping, "the values to be a dict by parameter")
    values = dict(params)

    def bind(mod: IRModule, ctx: PassContext) -> IRModule:
        func = mod[func_name]
        check_type(func, Function, f"'{func_name}' to be a relax Function")
        assert isinstance(func, Function)
        mod[func_name] = func.bind_params(values)
        return mod

    made: ModulePass = module_pass(bind, opt_level=0, name="BindParams")
    return made


def BindSymbolicVars(  # type: ignore[no-redef]
    binding_map: Mapping[str, Any], func_name: str | None = None
) -> Pass:
    """Put sizes in place of names of dimensions: Function.bind_symbolic_vars.

    Parameters
    ----------
    binding_map : dict
        Sizes, by a tir.Var or its name: ints, or expressions of other names. A Var that was read
        from a function of the module is a size of that function alone.
    func_name : str, optional
        The only function to change.
    """
    names, dims = read_dims(binding_map)
    owners = (function_of_var(name) for name in binding_map)
    sizes = [
        f"{name}={dim}" if owner is None else f"{owner}:{name}={dim}"
        for name, dim, owner in zip(names, dims, owners)
    ]
    return _bind_symbolic_vars(sizes, func_name)


_MatmulCheck = Callable[[Expr, list[Expr], list[Expr], dict[Expr, Any]], bool]

#: The attribute of the products that can be combined: the number of their group.
_MARK = "relax.parallel_matmul"


class _CallsInOrder(ExprVisitor):
    """The calls of relax.add and relax.matmul in a function, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []

    def visit_call_(self, call: Call) -> Any:
        super().visit_call_(call)
        if getattr(call.op, "name", "") in ("relax.add", "relax.matmul"):
            self.calls.append(call)


def _find_marked(func: ir.Operation, calls: Sequence[Call]) -> dict[int, list[Any]]:
    """The ops of each group that is marked, and their calls."""
    ops: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name in ("relax.add", "relax.matmul"):
            ops.append(op)
        return ir.WalkResult.ADVANCE

    func.walk(visit, ir.WalkOrder.PRE_ORDER)
    groups: dict[int, list[Any]] = {}
    for op, call in zip(ops, calls):
        if _MARK in op.attributes:
            groups.setdefault(ir.IntegerAttr(op.attributes[_MARK]).value, []).append((op, call))
    return groups


def _reject_groups(mod: IRModule, check: _MatmulCheck) -> None:
    """Take the marks of groups away that `check` does not want."""
    ops = {_symbol(op): op for op in mod.operation.regions[0].blocks[0].operations}
    for var, func in mod.functions_items():
        if not isinstance(func, Function):
            continue
        visitor = _CallsInOrder()
        visitor.visit_expr(func)
        bindings: dict[Expr, Any] = {call: call for call in visitor.calls}
        for group in _find_marked(ops[var.name_hint].operation, visitor.calls).values():
            products = [call for op, call in group if op.name == "relax.matmul"]
            biases = [call.args[1] for op, call in group if op.name == "relax.add"]
            factors = [call.args[1] for call in products]
            if check(products[0].args[0], factors, biases, bindings):
                continue
            for op, _ in group:
                del op.attributes[_MARK]


def _symbol(op: ir.OpView) -> str:
    return ir.StringAttr(op.operation.attributes["sym_name"]).value


def CombineParallelMatmul(  # type: ignore[no-redef]
    check: _MatmulCheck | None = None,
) -> Pass:
    """Multiply a matrix by several others at once.

    Parameters
    ----------
    check : callable, optional
        ``check(input, rhs, bias, bindings)`` says whether to combine products: the left operand,
        the right ones, the biases that are part of it, and the values of the variables by the
        variables.
    """
    if check is None:
        return _combine_parallel_matmul()

    def combine(mod: IRModule, ctx: PassContext) -> IRModule:
        with without_instruments():
            marked = _combine_parallel_matmul("mark")(mod)
        _reject_groups(marked, check)
        with without_instruments():
            return _combine_parallel_matmul("marked")(marked)

    made: ModulePass = module_pass(combine, opt_level=0, name="CombineParallelMatmul")
    return made


def Gradient(  # type: ignore[no-redef]
    func_name: str,
    require_grads: str | Var | Sequence[str | Var] | None = None,
    target_index: int = 0,
) -> Pass:
    """Add a function that computes the gradient of another one.

    Parameters
    ----------
    func_name : str
        The function's name; the new one has ``_adjoint`` behind it.
    require_grads : Var or str, or a list of them, optional
        What to differentiate by: parameters and variables of the function, or their names. All
        parameters by default.
    target_index : int
        Which of the function's results to differentiate.
    """
    if require_grads is None:
        return _gradient(func_name, [], target_index)
    if isinstance(require_grads, (str, Var)):
        require_grads = [require_grads]
    check_list(require_grads, "require_grads to be a Var, a name, or a list")
    keys = list(require_grads)
    if not keys:
        raise ValueError("expected a variable in require_grads, but found none")
    for key in keys:
        check_type(key, (str, Var), "a variable of require_grads to be a Var or its name")

    def differentiate(mod: IRModule, ctx: PassContext) -> IRModule:
        func = mod[func_name]
        check_type(func, Function, f"'{func_name}' to be a relax Function")
        assert isinstance(func, Function)
        names = [param.name_hint for param in func.params]
        sources = []
        for key in keys:
            name = key if isinstance(key, str) else key.name_hint
            is_param = name in names
            sources.append(str(find_params(func.params, [key])[0]) if is_param else name)
        with without_instruments():
            return _gradient(func_name, sources, target_index)(mod)

    made: ModulePass = module_pass(differentiate, opt_level=0, name="Gradient")
    return made


_LayoutFunc = Callable[[Call], Mapping[str, Sequence[str]]]


class _DesiredLayouts(ExprMutator):
    """Gives calls of ops the layouts that a function wants for them, as an attribute."""

    def __init__(self, mod: IRModule, function: _LayoutFunc):
        super().__init__(mod)
        self.function = function

    def visit_call_(self, call: Call) -> Expr:
        visited = super().visit_call_(call)
        assert isinstance(visited, Call)
        if not isinstance(call.op, Op):
            return visited
        layouts = self.function(call)
        check_type(layouts, Mapping, "the callback to return a dict of layouts by op")
        if call.op.name not in layouts:
            return visited
        attrs = {**visited._attrs, "relax.desired_layouts": list(layouts[call.op.name])}
        return Call(call.op, list(visited.args), attrs, span=visited.loc)


def ConvertLayout(  # type: ignore[no-redef]
    desired_layouts: Mapping[str, Sequence[str]], layout_cb: _LayoutFunc | None = None
) -> Pass:
    """Let convolutions compute in other layouts.

    Parameters
    ----------
    desired_layouts : dict
        Layouts by the name of an op: of the data, of the weight and, if it is not the data's, of
        the result, such as ``{"relax.nn.conv2d": ["NHWC", "OHWI"]}``.
    layout_cb : callable, optional
        A function call -> dict that is asked for each call in place of `desired_layouts`.
    """
    check_type(desired_layouts, Mapping, "the desired layouts to be a dict by op")
    for name, layouts in desired_layouts.items():
        check_type(layouts, (list, tuple), f"the desired layouts of {name!r} to be a list")
    if layout_cb is None:
        return _convert_layout(
            [f"{name}={':'.join(layouts)}" for name, layouts in desired_layouts.items()]
        )
    callback, others = layout_cb, _convert_layout()

    def convert(mod: IRModule, ctx: PassContext) -> IRModule:
        marker = _DesiredLayouts(mod, callback)
        for var, func in mod.functions_items():
            if isinstance(func, Function) and not func.attrs.get("SkipOptimization"):
                marker.builder_.update_func(var, marker.visit_expr(func))
        return others(marker.builder_.get())

    made: Pass = module_pass(convert, opt_level=0, name="ConvertLayout")
    return made


class _CustomLegalizer(ExprMutator):
    """Replaces calls of ops by what functions return for them."""

    def __init__(self, mod: IRModule, functions: Mapping[str, _LegalizeFunc]):
        super().__init__(mod)
        self.functions = functions
        # The ops of calls that their functions have returned as they are, and of others.
        self.kept: set[str] = set()
        self.changed: set[str] = set()

    def visit_call_(self, call: Call) -> Expr:
        visited = super().visit_call_(call)
        name = getattr(visited.op, "name", "")
        function = self.functions.get(name)
        if function is None:
            return visited
        legalized = function(self.builder_, visited)
        (self.kept if legalized is visited else self.changed).add(name)
        return legalized


def LegalizeOps(  # type: ignore[no-redef]
    customize_legalize_map: Mapping[str, _LegalizeFunc] | None = None,
    skip_ops: Sequence[str] | None = None,
    enable_warning: bool = False,
) -> Pass:
    """Turn ops into calls of prim_funcs.

    Parameters
    ----------
    customize_legalize_map : dict, optional
        Functions (bb, call) -> expression by the names of ops, such as relax.add: they come first,
        and ops in what they return are legalized as others are. ``bb`` is the BlockBuilder of the
        module. An op stays if its function returns each call as it is.
    skip_ops : list of str, optional
        Ops that stay, by name: relax.add.
    enable_warning : bool
        Warn of ops that have no lowering.

    Raises
    ------
    NoOpError
        If no op has a name in the map, whose function TVM never calls, or in `skip_ops`. It is a
        ValueError, and an AttributeError as in TVM.
    """
    skip_ops = skip_ops or []
    check_list(skip_ops, "skip_ops to be a list of names of ops")
    skipped = [skip_ops] if isinstance(skip_ops, str) else list(skip_ops)
    for name in skipped:
        Op.get(name)
    if not customize_legalize_map:
        return _legalize_ops(skipped, enable_warning)
    check_type(customize_legalize_map, Mapping, "the customized map to be a dict of functions")
    for name, function in customize_legalize_map.items():
        Op.get(name)
        if not callable(function):
            raise TypeError(f"expected '{name}' to be legalized by a function, found {function!r}")
        check_takes(function, ("bb", "call"), f"the function that legalizes '{name}'")
    functions = {
        name: function for name, function in customize_legalize_map.items() if name not in skipped
    }

    def legalize(mod: IRModule, ctx: PassContext) -> IRModule:
        legalizer = _CustomLegalizer(mod, functions)
        for var, func in mod.functions_items():
            if isinstance(func, Function) and not func.attrs.get("SkipOptimization"):
                legalizer.builder_.update_func(var, legalizer.visit_expr(func))
        kept = sorted(legalizer.kept - legalizer.changed)
        with without_instruments():
            return _legalize_ops(skipped + kept, enable_warning)(legalizer.builder_.get())

    made: ModulePass = module_pass(legalize, opt_level=0, name="LegalizeOps")
    return made


def LiftTransformParams(  # type: ignore[no-redef]
    shared_transform: bool | Sequence[str] = False,
) -> Pass:
    """Compute what depends on weights alone in a function of its own.

    Parameters
    ----------
    shared_transform : bool or list of str
        Whether one function computes it for all; or the names of the functions for which one does.
    """
    if isinstance(shared_transform, bool):
        return _lift_transform_params(shared_transform)
    check_type(shared_transform, (list, tuple), "shared_transform to be a bool or a list of names")
    return _lift_transform_params(True, list(shared_transform))


def _describe_params(params: Sequence[Var] | None) -> list[str]:
    """Variables as an option has them: name:type."""
    params = params or []
    check_list(params, "the extra parameters to be a list of Vars")
    for param in params:
        check_type(param, Var, "an extra parameter to be a Var")
    return [f"{param.name_hint}:{param._type}" for param in params]


def LazyTransformParams(  # type: ignore[no-redef]
    fget_item: str = "get_item",
    fset_item: str | None = "set_item",
    extra_get_item_params: Sequence[Var] | None = None,
    extra_set_item_params: Sequence[Var] | None = None,
) -> Pass:
    """Load weights one by one where a function transforms them.

    Parameters
    ----------
    fget_item : str
        The function that gives a weight by its number.
    fset_item : str, optional
        The function that takes the number of a result, and the result; None: results are returned.
    extra_get_item_params : list of Var, optional
        Parameters to pass to `fget_item` first.
    extra_set_item_params : list of Var, optional
        Parameters to pass to `fset_item` first.
    """
    check_type(fget_item, str, "the name of a function that gives weights to be a str")
    return _lazy_transform_params(
        fget_item,
        fset_item or "",
        _describe_params(extra_get_item_params),
        _describe_params(extra_set_item_params),
    )


def UpdateVDevice(new_vdevice: VDevice, index: int) -> Pass:  # type: ignore[no-redef]
    """Replace a device of a module by another one.

    Parameters
    ----------
    new_vdevice : VDevice
        The new device.
    index : int
        The place of the old device in the module's global infos.
    """
    check_type(new_vdevice, VDevice, "the new device to be a VDevice")
    index = check_int(index, "the place of a device to be an int")
    attribute = new_vdevice._to_attribute(get_context())
    return get_pass("relax-update-vdevice", f"index={index} new-vdevice={attribute}")


class _ParamTypeUpdater(ExprMutator):
    """Gives parameters of functions the types that a function returns for them."""

    def __init__(self, mod: IRModule, function: Callable[[Var], Any]):
        super().__init__(mod)
        self.function = function

    def _visit_params(self, params: Sequence[Var]) -> Sequence[Any]:
        made = []
        for param in params:
            type_ = self.function(param)
            new = param if type_ is None else Var(param.name_hint, type_)
            self.memo_map[param] = new
            made.append(new)
        return made


def UpdateParamType(ty_func: Callable[[Var], Any]) -> ModulePass:
    """Give parameters of functions other types, from which the others follow.

    Parameters
    ----------
    ty_func : function
        Gets each parameter; returns its new type, or None for the one that it has.
    """

    def update(mod: IRModule, ctx: PassContext) -> IRModule:
        updater = _ParamTypeUpdater(mod, ty_func)
        for var, func in mod.functions_items():
            if isinstance(func, Function) and not func.attrs.get("SkipOptimization"):
                updater.builder_.update_func(var, updater.visit_expr(func))
        return updater.builder_.get()

    made: ModulePass = module_pass(update, opt_level=1, name="UpdateParamType")
    return made


class FunctionPass(BaseFunctionPass):
    """A pass that is a Python function (func, mod, ctx) -> func. See function_pass."""

    function_class = Function


_Function = Callable[[Function, IRModule, PassContext], Function]


function_pass: PassMaker[_Function, FunctionPass] = pass_maker(
    "function_pass",
    """Make a pass from a function (func, mod, ctx) -> func, or from a class.

    It is called with each relax.func that has no SkipOptimization attribute. A
    class has a method transform_function(self, func, mod, ctx); its objects are
    passes, made with the arguments of its __init__.""",
    FunctionPass,
    "transform_function",
    ("func", "mod", "ctx"),
)


class _BlockRewriter(ExprMutator):
    """Replaces the dataflow blocks of a function by the blocks that a pass returns for them."""

    def __init__(
        self, function: Callable[..., Any], pass_name: str, mod: IRModule, ctx: PassContext
    ):
        super().__init__(mod)
        self.function, self.pass_name = function, pass_name
        self.mod, self.ctx = mod, ctx
        self.replaced: dict[Expr, Expr] = {}

    def visit_dataflow_block_(self, block: DataflowBlock) -> DataflowBlock:
        originals = block.outputs or ()
        # Uses of earlier blocks now use the new ones.
        block = super().visit_dataflow_block_(block)
        result = self.function(block, self.mod, self.ctx)
        if result is block:
            return block
        expected = f"expected dataflow-block pass '{self.pass_name}' to return"
        if not isinstance(result, DataflowBlock):
            raise TypeError(f"{expected} a DataflowBlock, but it returned {type(result).__name__}")
        olds = block.outputs or ()
        replaced = result.replaced
        news = result.outputs
        if news is None:
            news = tuple(replaced.get(old, old) for old in olds)
        if len(news) != len(olds):
            raise ValueError(
                f"{expected} a block of {len(olds)} outputs, but it returned one of {len(news)}"
            )
        bindings = set(block.bindings)
        for i, (original, old, new) in enumerate(zip(originals, olds, news)):
            is_outer = isinstance(old, (Constant, Var)) and old not in bindings
            if is_outer or self.replaced.get(old, new) is not new:
                # Its uses can't be told from the uses of the other value.
                if new is not old:
                    raise ValueError(
                        f"{expected} output {i} as it was, which is another value, too"
                    )
                continue
            if old.struct_info != new.struct_info:
                raise TypeError(
                    f"{expected} a block whose output {i} is a {old.struct_info}, "
                    f"but it returned one that is a {new.struct_info}"
                )
            self.replaced[old] = new
            self.memo_map[original] = self.memo_map[old] = new
        return DataflowBlock(result.bindings, news)


class DataflowBlockPass(FunctionPass):
    """A pass that is a Python function (block, mod, ctx) -> block.

    See dataflowblock_pass.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        info: PassInfo,
        version: str | None = None,
        always_runs: bool | None = None,
    ):
        def rewrite(func: Function, mod: IRModule, ctx: PassContext) -> Function:
            return _BlockRewriter(function, info.name, mod, ctx).visit(func)

        super().__init__(rewrite, info, version, always_runs)


_BlockFunction = Callable[[DataflowBlock, IRModule, PassContext], DataflowBlock]

dataflowblock_pass: PassMaker[_BlockFunction, DataflowBlockPass] = pass_maker(
    "dataflowblock_pass",
    """Make a pass from a function (block, mod, ctx) -> block, or from a class.

    It is called with each dataflow block of each function that function_pass
    would be called with. ``block.outputs`` are the values that the function uses
    after it. The block that is returned, ``DataflowBlock(bindings, outputs)``, has
    as many outputs of the same types, which replace them; without outputs, they stay
    as they are. The method of a class is transform_dataflowblock(self, block, mod, ctx).""",
    DataflowBlockPass,
    "transform_dataflowblock",
    ("block", "mod", "ctx"),
)

# Hidden from type checkers, which would accept any name.
if not TYPE_CHECKING:
    __getattr__ = explain_missing(
        __name__, "a pass", __all__, "partita.transform.list_passes() has all that there are"
    )
