# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What upstream's bindings call for each new context."""


def register_dialects(registry):
    from ._partita import register_dialects

    register_dialects(registry)
