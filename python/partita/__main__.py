# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``python -m partita`` prints versions, passes and config options."""

import sys

from . import __version__, transform


def main() -> None:
    print(f"Partita {__version__}, Python {sys.version.split()[0]}")
    print("\nPasses:")
    for name, entry in transform.list_passes().items():
        print(
            f"  {name:<28} level {entry['info'].opt_level}  {entry['argument']:<34} {entry['summary']}"
        )
    print("\nConfig options:")
    for key, option in transform.PassContext.list_configs().items():
        print(f"  {key}: {option['type']} = {option['default']}\n      {option['description']}")


if __name__ == "__main__":
    main()
