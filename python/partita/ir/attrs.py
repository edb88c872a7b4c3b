# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes of modules, functions and calls as Python values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import as_number, check_int64, check_name, check_type, describe_type
from ..mlir import ir
from ..mlir._mlir_libs import _partita
from .context import get_context
from .dtype import DTYPES, DataType, dtype_of, element_type
from .identity import is_same
from .index_map import IndexMap
from .prim import FloatImm, IntImm

_DENSE_ARRAYS = tuple(
    getattr(ir, f"Dense{kind}ArrayAttr")
    for kind in ("Bool", "F32", "F64", "I8", "I16", "I32", "I64")
)


def to_attribute(value: Any, context: ir.Context) -> ir.Attribute:
    """`value`, a bool, int, float, str, list, dict, None, Type or Attribute, as an attribute."""
    if isinstance(value, ir.Attribute):
        if value.context is not context:
            return ir.Attribute.parse(str(value), context=context)
        return value
    if value is None:
        return ir.UnitAttr.get(context=context)
    if isinstance(value, bool):
        return ir.BoolAttr.get(value, context=context)
    if isinstance(value, int):
        check_int64(value, "an int of 64 bits as an attribute")
        # An IntImm or a FloatImm says its type.
        type_ = element_type(getattr(value, "dtype", "int64"), context)
        return ir.IntegerAttr.get(type_, value)
    if isinstance(value, float):
        if hasattr(value, "dtype"):
            type_ = element_type(value.dtype, context)
            return ir.FloatAttr.get(type_, value, ir.Location.unknown(context))
        return ir.FloatAttr.get_f64(value, context=context)
    if isinstance(value, DataType) and value in DTYPES:
        return ir.TypeAttr.get(element_type(value, context), context)
    if hasattr(value, "_to_attribute"):
        return value._to_attribute(context)
    if isinstance(value, str):
        return ir.StringAttr.get(value, context=context)
    if isinstance(value, ir.Type):
        if value.context is not context:
            value = ir.Type.parse(str(value), context)
        return ir.TypeAttr.get(value, context)
    if isinstance(value, (list, tuple)):
        return _to_array([to_attribute(v, context) for v in value], context)
    if isinstance(value, Mapping):
        return ir.DictAttr.get(to_attributes(value, context), context)
    if (number := as_number(value)) is not value:
        return to_attribute(number, context)
    if isinstance(value, bytes) or hasattr(value, "__array__"):
        return _partita.write_node(value, context)
    raise TypeError(
        "expected an attribute to be a bool, int, float, str, bytes, list, dict, array, type, "
        "expression, Op, Range, function, module or mlir.ir.Attribute, but found "
        + describe_type(value)
    )


def _to_array(elements: list[ir.Attribute], context: ir.Context) -> ir.Attribute:
    """Attributes as one, in the form that an array of TVM's JSON is read in."""
    integers = [e for e in elements if isinstance(e, ir.IntegerAttr)]
    i64 = ir.IntegerType.get_signless(64, context)
    if len(integers) == len(elements) and all(e.type == i64 for e in integers):
        return ir.DenseI64ArrayAttr.get([e.value for e in integers], context)
    floats = [e for e in elements if isinstance(e, ir.FloatAttr)]
    f64 = ir.F64Type.get(context)
    if len(floats) == len(elements) and all(e.type == f64 for e in floats):
        return ir.DenseF64ArrayAttr.get([e.value for e in floats], context)
    return ir.ArrayAttr.get(elements, context)


def to_attributes(values: Mapping[Any, Any], context: ir.Context) -> dict[str, ir.Attribute]:
    """These names and Python values as attributes."""
    check_type(values, Mapping, "attributes to be a dict by name")
    return {
        check_name(name, "the name of an attribute"): to_attribute(value, context)
        for name, value in values.items()
    }


def set_attributes(op: ir.Operation, values: Mapping[Any, Any]) -> None:
    """Give `op` attributes with these Python values."""
    for name, attribute in to_attributes(values, op.context).items():
        op.attributes[name] = attribute


def from_attribute(attribute: ir.Attribute) -> Any:
    """The Python value of `attribute`, or else the attribute or Python value itself."""
    if isinstance(attribute, (ir.BoolAttr, ir.IntegerAttr, ir.FloatAttr, ir.StringAttr)):
        return attribute.value
    if isinstance(attribute, ir.UnitAttr):
        return None
    if isinstance(attribute, ir.TypeAttr):
        return dtype_of(attribute.value) or attribute.value
    if isinstance(attribute, ir.DictAttr):
        return dict(DictAttrs.of(attribute))
    if isinstance(attribute, ir.ArrayAttr):
        return [from_attribute(element) for element in attribute]
    if isinstance(attribute, _DENSE_ARRAYS):
        return list(attribute)
    if not isinstance(attribute, ir.Attribute):
        return attribute
    found: Any = IndexMap._of(attribute)
    if found is None:
        found = _partita.read_node(attribute)
    return attribute if found is None else found


class DictAttrs(Mapping[str, Any]):
    """A read-only mapping of the names of attributes to their Python values.

    The values are also its Python attributes: ``call.attrs.strides``.

    Parameters
    ----------
    attributes : dict
        The attributes by name, as Python values or as mlir.ir.Attribute.
    """

    __slots__ = ("_attributes", "_kinds")

    def __init__(self, attributes: dict[str, Any], kinds: Mapping[str, str] | None = None):
        self._attributes = attributes
        # Of a call, the kinds of attributes that the op has. As in TVM, one that is not there is
        # None, and one of any kind holds nodes in place of numbers.
        self._kinds = kinds or {}

    @staticmethod
    def of(attribute: ir.DictAttr) -> DictAttrs:
        """The entries of `attribute`."""
        entries = (attribute[index] for index in range(len(attribute)))
        return DictAttrs({entry.name: entry.attr for entry in entries})

    def __getitem__(self, name: str) -> Any:
        kind = self._kinds.get(name)
        if kind is not None and name not in self._attributes:
            return None
        value = from_attribute(self._attributes[name])
        return _as_node(value) if kind == "Attribute" else value

    def __contains__(self, name: object) -> bool:
        return name in self._attributes

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self._attributes else default

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        try:
            return self[name]
        except KeyError:
            raise AttributeError(
                f"expected one of the attributes {sorted(self)}, but found '{name}'"
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._attributes)

    def __len__(self) -> int:
        return len(self._attributes)

    same_as = is_ = is_same

    def get_int_tuple(self, key: str) -> tuple[int, ...]:
        """The numbers of an attribute."""
        return tuple(getattr(self, key))

    def get_int(self, key: str) -> int:
        """The attribute `key`, an int."""
        number: int = getattr(self, key)
        return number

    def get_str(self, key: str) -> str:
        """The attribute `key`, a str."""
        text: str = getattr(self, key)
        return text

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        attributes = to_attributes(self._attributes, get_context())
        return _load_attrs, ({name: str(value) for name, value in attributes.items()},)


def make_node(type_key: str, **fields: Any) -> DictAttrs:
    """Attributes by the name of their class in TVM: of a function, or of a call.

    Parameters
    ----------
    type_key : str
        "ir.DictAttrs", or the name of an op's class, such as "relax.attrs.SoftmaxAttrs".
    fields : bool, int, float, str, list, ...
        Their values.
    """
    check_type(type_key, str, "the name of a class of attributes to be a str")
    if type_key not in ("DictAttrs", "ir.DictAttrs") and not type_key.startswith("relax.attrs."):
        raise ValueError(
            "expected a class of attributes, ir.DictAttrs or relax.attrs.X, but found "
            f"'{type_key}'; other nodes are made by their classes in Python"
        )
    return DictAttrs(fields)


def _as_node(value: Any) -> Any:
    """`value`, with nodes in place of numbers."""
    if isinstance(value, list):
        return [_as_node(one) for one in value]
    if type(value) is int:
        return IntImm("int64", value)
    return FloatImm("float64", value) if type(value) is float else value


def _load_attrs(texts: dict[str, str]) -> DictAttrs:
    context = get_context()
    return DictAttrs({name: ir.Attribute.parse(text, context) for name, text in texts.items()})
