# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instruments that print modules to stdout, like TVM's."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.module import IRModule
from ..transform.info import PassInfo, check_names
from ..transform.instrument import PassInstrument, pass_instrument

__all__ = ["PassPrintingInstrument", "PrintAfterAll", "PrintBeforeAll"]


@pass_instrument
class PrintBeforeAll:
    """Prints the name of each pass and the module before it, to stdout."""

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        print(f"Before Running Pass: {info.name}")
        print(mod)


@pass_instrument
class PrintAfterAll:
    """Prints the name of each pass and the module after it, to stdout."""

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        print(f"After Running Pass: {info.name}")
        print(mod)


class PassPrintingInstrument(PassInstrument):
    """Prints the module before and after the named passes, to stdout.

    Parameters
    ----------
    print_before_pass_names : sequence of str
        The passes before which the module is printed, by their PassInfo's name.
    print_after_pass_names : sequence of str
        The passes after which it is printed.
    """

    def __init__(
        self,
        print_before_pass_names: Sequence[str] = (),
        print_after_pass_names: Sequence[str] = (),
    ):
        self.print_before_pass_names = check_names(
            "print_before_pass_names", print_before_pass_names
        )
        self.print_after_pass_names = check_names("print_after_pass_names", print_after_pass_names)

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        if info.name in self.print_before_pass_names:
            print(f"Print IR before: {info.name}\n{mod}\n\n")

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        if info.name in self.print_after_pass_names:
            print(f"Print IR after: {info.name}\n{mod}\n\n")
