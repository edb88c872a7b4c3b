# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What upstream's bindings call for each new context."""

from ._partita import register_dialects, use_forkable_threads


def context_init_hook(context):
    use_forkable_threads(context)


__all__ = ["context_init_hook", "register_dialects"]
