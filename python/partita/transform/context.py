# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PassContext: which passes run, and what watches them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import Diagnostic, check_type
from ..ir.identity import is_same
from ..mlir._mlir_libs import _partita
from .info import PassInfo, check_level, check_names, to_c
from .instrument import to_handles


class Config(dict[str, Any]):
    """Values or descriptions by config key, of TIR's passes also as TVM 0.27 spells the keys."""

    def __missing__(self, key: str) -> Any:
        old = self._spell(key)
        if old not in self.keys():
            raise KeyError(key)
        return self[old]

    def __contains__(self, key: object) -> bool:
        return super().__contains__(self._spell(key))

    def get(self, key: str, default: Any = None) -> Any:
        return super().get(self._spell(key), default)

    @staticmethod
    def _spell(key: Any) -> Any:
        for module in ("tirx.", "s_tir."):
            if isinstance(key, str) and key.startswith(module):
                return "tir." + key.removeprefix(module)
        return key


class Fields(dict[str, Any]):
    """The value of a config key that has fields, which are its Python attributes, too."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise AttributeError(f"expected one of the fields {sorted(self)}, but found '{name}'")
        return self[name]


@_partita.known_as("PassContext")
class PassContext(_partita.PassContext):
    """Says which passes of a Sequential run, and which instruments watch them.

    Parameters
    ----------
    opt_level : int, optional
        Passes of a Sequential run up to this level; 2 by default.
    required_pass : list of str, optional
        Passes that run whatever their level, and whatever should_run says.
    disabled_pass : list of str, optional
        Passes of a Sequential that do not run.
    instruments : sequence of PassInstrument, optional
        Called around each pass, in this order.
    config : dict, optional
        Values of config options, by key; see list_configs.

    Raises
    ------
    TypeError
        If an argument has another type, or the value of a config key a field that it does not
        have.
    ValueError
        If opt_level is negative.
    AttributeError
        If a config key is not registered, or its value has another type.
    """

    def __init__(
        self,
        opt_level: int = 2,
        required_pass: Sequence[str] | None = None,
        disabled_pass: Sequence[str] | None = None,
        instruments: Sequence[Any] | None = None,
        config: dict[str, Any] | None = None,
    ):
        if config is not None:
            check_type(config, dict, "config to be a dict")
        # Most contexts give few arguments, and calls are most of the cost of making one.
        try:
            super().__init__(
                check_level(opt_level),
                [] if required_pass is None else check_names("required_pass", required_pass),
                [] if disabled_pass is None else check_names("disabled_pass", disabled_pass),
                config or {},
                to_handles(instruments) if instruments else [],
            )
        except AttributeError as error:
            if not self._has_unknown_field(config or {}):
                raise
            raise TypeError(*error.args) from None

    @staticmethod
    def _has_unknown_field(config: dict[str, Any]) -> bool:
        """Whether the first config value that is wrong has a field that its key does not have."""
        known = PassContext.list_configs()
        for key, value in config.items():
            option = known.get(key)
            if option is None:
                return False
            fields = option["default"]
            if (
                isinstance(value, dict)
                and isinstance(fields, dict)
                and value.keys() - fields.keys()
            ):
                return True
        return False

    def override_instruments(self, instruments: Sequence[Any] | None) -> None:
        """Exit the context's instruments, and enter others in their place."""
        super().override_instruments(to_handles(instruments or []))

    same_as = is_ = is_same

    def pass_enabled(self, info: PassInfo) -> bool:
        """Whether a Sequential runs a pass with this PassInfo."""
        return super().pass_enabled(to_c(info))

    @property
    def config(self) -> Config:
        """The values of the config options that are set."""
        return Config(
            {
                key: Fields(value) if isinstance(value, dict) else value
                for key, value in super().config.items()
            }
        )

    @property
    def diagnostics(self) -> list[Diagnostic]:  # type: ignore[override]
        """The diagnostics of the runs under this context so far."""
        return [Diagnostic(*fields) for fields in super().diagnostics(False)]

    @staticmethod
    def current() -> PassContext:
        """The innermost context of this thread, or the thread's default one."""
        return _partita.PassContext.current()

    @staticmethod
    def list_configs() -> dict[str, dict[str, Any]]:
        """The "type", "default" and "description" of each config option, by its key."""
        return Config(
            {
                key: {"type": type_, "default": default, "description": description}
                for key, type_, default, description in _partita.list_pass_configs()
            }
        )

    def __reduce__(self) -> tuple[Any, ...]:
        fields = (self.opt_level, self.required_pass, self.disabled_pass)
        return PassContext, (*fields, self.instruments, dict(self.config))

    def __repr__(self) -> str:
        return (
            f"PassContext(opt_level={self.opt_level}, required_pass={self.required_pass}, "
            f"disabled_pass={self.disabled_pass}, instruments={self.instruments}, "
            f"config={self.config})"
        )


def without_instruments() -> PassContext:
    """A context like the current one for the parts of a pass: instruments see the pass alone."""
    current = PassContext.current()
    made = PassContext.__new__(PassContext)
    # Who made the current context was warned about keys that no pass reads.
    config = dict(current.config)
    _partita.PassContext.__init__(made, current.opt_level, [], [], config, [], warns=False)
    return made
