# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of Relax as functions on expressions: ``relax.op.nn.conv2d(x, w)``.

They are made from the records of the dialect, one for each op. The attributes have
the same names as there, and are passed after the operands, by position or by name.
"""

from __future__ import annotations

import inspect as _inspect
import re
import sys
import types as _python_types
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ...errors import as_number, check_type, explain_missing
from ...ir.call import Call, match_cast
from ...ir.lift import Tuple, lift
from ...ir.node import Expr
from ...ir.op import TVM_NAMES as _TVM_NAMES
from ...ir.op import Op, Param
from ...ir.prim import FloatImm, IntImm, PrimExpr
from ...ir.types import TupleType
from ...ir.values import DataTypeImm, PrimValue, ShapeExpr, StringImm
from ...mlir._mlir_libs import _partita
from ..calls import *  # noqa: F401,F403
from ..calls import __all__ as _CALLS
from . import _forms

# How many numbers attributes have for each spatial dimension. The op's name tells how many spatial
# dimensions there are; the default is two. Callers may give fewer numbers.
_COUNTS = {
    **{"strides": 1, "dilation": 1, "pool_size": 1, "output_size": 1, "output_padding": 1},
    **{"padding": 2, "pooled_size": 1, "roi": 2},
}

# TVM's defaults where the dialect has none.
_DEFAULTS = {
    ("relax.argsort", "dtype"): "int32",
    ("relax.builtin.alloc_tensor", "storage_scope"): "global",
    ("relax.concat", "axis"): 0,
    ("relax.dequantize", "out_dtype"): "float32",
    ("relax.eye_like", "k"): 0,
    ("relax.image.resize2d", "roi"): (0.0, 0.0, 0.0, 0.0),
    ("relax.image.resize3d", "roi"): (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    ("relax.image.resize3d", "rounding_method"): "",
    ("relax.meshgrid", "indexing"): "ij",
    ("relax.multinomial_from_uniform", "dtype"): "int64",
    ("relax.nn.avg_pool1d", "count_include_pad"): True,
    ("relax.nn.avg_pool3d", "count_include_pad"): True,
    ("relax.nn.rms_norm", "axes"): -1,
    ("relax.quantize", "out_dtype"): "int8",
    ("relax.stack", "axis"): 0,
    ("relax.topk", "dtype"): "int32",
    ("relax.tril", "k"): 0,
    ("relax.triu", "k"): 0,
    ("relax.unique", "return_counts"): False,
    ("relax.unique", "return_index"): False,
    ("relax.unique", "return_inverse"): False,
    ("relax.unique", "sorted"): True,
    ("relax.memory.alloc_tensor", "runtime_device_index"): 0,
    ("relax.vm.alloc_tensor", "runtime_device_index"): 0,
    ("relax.wrap_param", "dtype"): "float32",
}

# TVM's names of operands that have other names in the dialect, in some ops.
_NAMES_IN = {
    ("data", "x"): ("median", "sort"),
    ("input", "expr"): ("shape_of", "shape_to_tensor", "size", "tensor_to_shape"),
    ("input", "input_tensor"): ("slice_scatter",),
    ("total_space", "size"): ("memory.alloc_storage",),
    ("runtime_device_index", "runtime_device_ind"): ("memory.alloc_tensor",),
    ("x", "data"): (
        *(f"nn.{name}" for name in ("gelu", "gelu_tanh", "relu", "selu", "silu")),
        *(f"memory.{name}" for name in ("ensure_zero_offset", "view")),
    ),
    ("x", "input"): ("grad.end_checkpoint", "grad.no_grad", "grad.start_checkpoint"),
}

# Parameters that come in front of another one in TVM.
_ORDERS = {
    ("axis", "out_dtype"): ("quantize", "dequantize"),
    ("layout", "mode"): ("vision.roi_align",),
    ("pad_mode", "pad_value"): ("nn.pad",),
    ("padding", "dilation"): tuple(
        f"nn.{kind}_pool{rank}d" for kind in ("avg", "max") for rank in (1, 2, 3)
    ),
}

# Operands that may be given as lists of dimensions.
_SHAPES = ("shape", "size", "total_space")
# Of these, the ones that a number may be given for, which counts for so many dimensions.
_SQUARES = {
    ("relax.image.affine_grid", "size"): 2,
    ("relax.image.resize2d", "size"): 2,
    ("relax.image.resize3d", "size"): 3,
}
# Operands that may be given as numbers, beside those that must be numbers.
_NUMBERS = (
    *("indices", "offset", "relative_byte_offset", "runtime_device_index"),
    "virtual_device_index",
)


def get_name(op: str, param: str) -> str:
    """TVM's name for a parameter of the op."""
    for (name, in_tvm), ops in _NAMES_IN.items():
        if name == param and op.removeprefix("relax.") in ops:
            return in_tvm
    return _TVM_NAMES.get(param, param)


def _expand(op: str, name: str, value: Any) -> Any:
    """`value`, repeated for all dimensions or sides if it has too few numbers, as in TVM."""
    rank = re.search(r"([123])d(_|$)", op)
    if name not in _COUNTS:
        return value
    value = list(value) if hasattr(value, "__iter__") else [value]
    if name == "roi":
        # TVM has expressions of this type there.
        value = [FloatImm("float32", number) for number in value]
    count = _COUNTS[name] * (int(rank[1]) if rank else 2)
    return value * (count // len(value)) if value and count % len(value) == 0 else value


def _widen(op: str, name: str, size: Any) -> Any:
    """`size`; a single number stands for all dimensions, as in TVM."""
    if (op, name) not in _SQUARES:
        return size
    if isinstance(size, (int, PrimExpr)):
        return [size] * _SQUARES[op, name]
    is_one = "resize" in op and isinstance(size, (list, tuple)) and len(size) == 1
    return [*size] * _SQUARES[op, name] if is_one else size


def _make_signature(op: Op) -> _inspect.Signature:
    """The Python signature of an op's function, in TVM's order."""
    params: list[Param] = op.params or []
    parameters = []
    for param in params:
        default = _DEFAULTS.get((op.name, param.name))
        is_required = param.is_required and default is None
        parameters.append(
            _inspect.Parameter(
                get_name(op.name, param.name),
                _inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=_inspect.Parameter.empty if is_required else default,
            )
        )
    # The operands of some follow attributes that have a default.
    parameters.sort(key=lambda parameter: parameter.default is not _inspect.Parameter.empty)
    for (first, second), ops in _ORDERS.items():
        if op.name.removeprefix("relax.") in ops:
            order = [parameter.name for parameter in parameters]
            moved = parameters.pop(order.index(first))
            parameters.insert(order.index(second), moved)
    return _inspect.Signature(parameters, return_annotation=Call)


def _make_function(op: Op) -> Callable[..., Call]:
    params: list[Param] = op.params or []
    signature = _make_signature(op)
    layout = next((p.name for p in params if p.name in ("data_layout", "layout")), None)
    has_out_layout = any(param.name == "out_layout" for param in params)
    # How many operands are all that the op needs; none if it needs more than operands.
    count: int | None = len([param for param in params if param.is_operand])
    defaults = {name: parameter.default for name, parameter in signature.parameters.items()}
    for param in params:
        is_plain = param.is_operand and param.is_required and param.name not in _SHAPES
        is_absent = not param.is_operand and defaults.get(param.name) is None
        if param.kind == "operands" or not (is_plain or is_absent):
            count = None

    def function(*args: Any, **kwargs: Any) -> Call:
        if not kwargs and len(args) == count:
            call = _partita.try_call(op, args)
            if call is not None:
                return call
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{op.name}: {error}; it takes {signature}") from None
        bound.apply_defaults()
        operands: list[Any] = []
        attrs: dict[str, Any] = {}
        for param in params:
            value = bound.arguments[get_name(op.name, param.name)]
            if param.is_operand and not param.is_required and value is None:
                continue
            if param.kind == "operands":
                if isinstance(value, Tuple):
                    value = value.fields
                if isinstance(value, Expr) and isinstance(value.struct_info, TupleType):
                    value = [value]
                check_type(value, (list, tuple), f"{param.name} of {op.name} to be a list")
                operands.extend(value)
            elif param.is_operand:
                value = _widen(op.name, param.name, value)
                is_shape = param.name in _SHAPES and isinstance(value, (list, tuple))
                may_be_number = param.kind == "number" or param.name in _NUMBERS
                is_size = isinstance(value, PrimExpr)
                is_number = may_be_number and isinstance(value, (bool, int, float)) or is_size
                if is_shape or is_number or isinstance(value, str):
                    operands = [lift(operand) for operand in operands]
                    with operands[0]._context if operands else nullcontext():
                        if is_shape:
                            value = ShapeExpr(value)
                        elif is_size:
                            value = lift(value)
                        elif is_number:
                            value = PrimValue(value)
                        else:
                            value = (DataTypeImm if param.name == "dtype" else StringImm)(value)
                operands.append(value)
            elif value is not None:
                attrs[param.name] = _expand(op.name, param.name, value)
        if has_out_layout and layout in attrs:
            attrs.setdefault("out_layout", attrs[layout])
        return Call(op, operands, attrs)

    function.__name__ = function.__qualname__ = op.name.rpartition(".")[2]
    setattr(function, "__signature__", signature)
    function.__doc__ = op.doc or f"The op {op.name}."
    return function


def _explain(module: Any) -> Any:
    """The __getattr__ of a module of ops."""
    return explain_missing(
        module.__name__,
        "an op",
        module.__all__,
        f"{module.__name__}.__all__ has all that there are",
    )


def _add_ops() -> None:
    """Add a function to this module, or one below it, for each op that computes."""
    for full_name in Op.list_op_names():
        op = Op.get(full_name)
        if not op.infers_type or full_name in _STRUCTURE:
            continue
        *path, name = full_name.split(".")[1:]
        module = sys.modules[__name__]
        for part in path:
            inner_name = f"{module.__name__}.{part}"
            if inner_name not in sys.modules:
                inner = _python_types.ModuleType(
                    inner_name, f"The ops of relax.{part} as functions."
                )
                setattr(inner, "__all__", [])
                setattr(inner, "__getattr__", _explain(inner))
                sys.modules[inner_name] = inner
                setattr(module, part, inner)
                module.__all__.append(part)
            module = sys.modules[inner_name]
        function = _make_function(op)
        function.__module__ = module.__name__
        setattr(module, name, function)
        module.__all__.append(name)


# Ops for which there are classes of expressions.
_STRUCTURE = (
    "relax.alias",
    "relax.constant",
    "relax.dtype",
    "relax.extern_func",
    "relax.global",
    "relax.prim_value",
    "relax.shape",
    "relax.string",
    "relax.tuple",
    "relax.tuple_get_item",
)

__all__ = [*_CALLS, "match_cast", "prim_value", "shape"]
shape = ShapeExpr


def prim_value(value: Any, dtype: Any = None) -> PrimValue:
    """A number as a PrimValue.

    Parameters
    ----------
    value : bool, int, float or PrimExpr
        The number, which is an int64 or a float64; one that has a dtype keeps it.
    dtype : str, optional
        The dtype of a number that has none.
    """
    if isinstance(value, PrimValue):
        return value
    value = as_number(value)
    if dtype is not None and type(value) is float:
        value = FloatImm(dtype, value)
    elif dtype is not None and type(value) in (bool, int):
        is_bool = str(dtype) == "bool" and value in (0, 1)
        value = bool(value) if is_bool else IntImm(dtype, int(value))
    return PrimValue(value)


_add_ops()
# Functions that TVM has beside or in place of the ops' functions. They call these.
_forms.add_to(sys.modules[__name__])

# The modules that define the ops in TVM; programs name some of them, such as relax.op.qdq.
for _name in (
    "base binary create datatype index linear_algebra manipulate mask qdq sampling search set "
    "sorting statistical ternary unary"
).split():
    sys.modules[f"{__name__}.{_name}"] = sys.modules[__name__]
    globals().setdefault(_name, sys.modules[__name__])

# Hidden from type checkers, which would accept any name.
if not TYPE_CHECKING:
    __getattr__ = _explain(sys.modules[__name__])
