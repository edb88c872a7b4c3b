# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the build of `make` for build_backend.py."""

import os
import pathlib
import re
import sys
import sysconfig

#: The settings for a wheel that needs nothing else.
WANTED = {
    "CMAKE_BUILD_TYPE": "Release",
    "PARTITA_SANITIZER": "",
    "PARTITA_STATIC_LLVM": "ON",
}
TOOLS = ("CMAKE_COMMAND", "CMAKE_MAKE_PROGRAM")


def find_build(root):
    """The settings for a wheel of the build in root/build, and the folders of its tools, or None.

    It must be a build of the preset `default`, made in this folder, with the package for this Python.
    """
    build = root / "build"
    cache = build / "CMakeCache.txt"
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    if not (build / f"python_packages/partita/mlir/_mlir_libs/_partita{suffix}").exists():
        return None
    if not cache.exists():
        return None
    entries = dict(re.findall(r"^([\w.-]+):\w+=(.*)$", cache.read_text(), re.M))
    if any(entries.get(name) != value for name, value in WANTED.items()):
        return None
    needed = [entries.get(name, "") for name in (*TOOLS, "MLIR_DIR", "CMAKE_HOME_DIRECTORY")]
    if not all(os.path.isabs(path) and os.path.exists(path) for path in needed):
        return None
    if pathlib.Path(needed[-1]).resolve() != root:
        return None
    settings = {
        "cmake.source-dir": "cmake/wheel",
        "cmake.define.PARTITA_BUILD": str(build),
        "cmake.define.PARTITA_CMAKE": entries["CMAKE_COMMAND"],
        "cmake.define.PARTITA_PYTHON_VERSION": "{}.{}".format(*sys.version_info),
    }
    return settings, [os.path.dirname(entries[name]) for name in TOOLS]
