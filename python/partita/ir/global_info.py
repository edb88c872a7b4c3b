# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a module knows beside its functions: TVM's ``GlobalInfo``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import check_int, check_type
from ..mlir import ir
from .attrs import DictAttrs, from_attribute, to_attribute
from .identity import is_same

__all__ = ["DummyGlobalInfo", "GlobalInfo", "VDevice"]

# The keys that TVM gives targets, if they differ from the kind and "gpu".
_KEYS = {"c": ["cpu"], "hexagon": ["hexagon", "cpu"], "llvm": ["cpu"]}


class GlobalInfo:
    """What a module knows, as an attribute."""

    __slots__ = ()

    def _to_attribute(self, context: ir.Context) -> ir.Attribute:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    same_as = is_ = is_same


class DummyGlobalInfo(GlobalInfo):
    """One that says nothing."""

    __slots__ = ()

    def _to_attribute(self, context: ir.Context) -> ir.Attribute:
        return ir.UnitAttr.get(context)

    def __repr__(self) -> str:
        return "DummyGlobalInfo()"


def make_target(target: Any) -> dict[str, Any] | None:
    """The fields of TVM's target, whose kind or fields are given."""
    if target is None:
        return None
    if isinstance(target, str):
        target = {"kind": target}
    check_type(target, Mapping, "a target to be the name of its kind or a dict")
    if not isinstance(target.get("kind"), str):
        raise ValueError(f"expected the kind of a target, such as 'llvm', but found {target!r}")
    fields = ("kind", "tag", "keys", "attrs", "host")
    options = {key: value for key, value in target.items() if key not in fields}
    kind = target["kind"]
    return {
        "kind": kind,
        "tag": target.get("tag", ""),
        "keys": list(target.get("keys") or _KEYS.get(kind, [kind, "gpu"])),
        "attrs": {**(target.get("attrs") or {}), **options},
        "host": make_target(target.get("host")),
    }


class VDevice(GlobalInfo):
    """A device that tensors are on, which need not be one of this machine.

    Parameters
    ----------
    target : str or dict, optional
        TVM's target: its kind, such as "cuda", or a dict with its kind and options.
    vdevice_id : int, optional
        The number of the device.
    memory_scope : str, optional
        The memory on it.
    """

    __slots__ = ("target", "vdevice_id", "memory_scope")

    def __init__(self, target: Any = None, vdevice_id: int = 0, memory_scope: str = "global"):
        vdevice_id = check_int(vdevice_id, "the number of a device to be an int")
        check_type(memory_scope, str, "the memory of a device to be a str")
        self.target = make_target(target)
        self.vdevice_id, self.memory_scope = vdevice_id, memory_scope

    def _to_attribute(self, context: ir.Context) -> ir.Attribute:
        fields = {name: getattr(self, name) for name in VDevice.__slots__}
        return to_attribute(fields, context)

    def __repr__(self) -> str:
        return f"VDevice({self.target!r}, {self.vdevice_id}, {self.memory_scope!r})"


def read_global_info(attribute: ir.Attribute) -> Any:
    """An attribute of a module or a type as a GlobalInfo, if it is one."""
    if isinstance(attribute, ir.UnitAttr):
        return DummyGlobalInfo()
    value = from_attribute(attribute)
    if isinstance(value, dict) and set(value) == set(VDevice.__slots__):
        return VDevice(**value)
    return value


class GlobalInfos(DictAttrs):
    """The global infos of a module: lists of them by name."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Any:
        attribute = self._attributes[name]
        if isinstance(attribute, ir.ArrayAttr):
            return [read_global_info(info) for info in attribute]
        return from_attribute(attribute)
