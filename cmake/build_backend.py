# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pip's backend: builds the wheel by scikit-build-core, from the build of `make` if it can.

That build is brought up to date and installed into the wheel. Without one, or with settings for
scikit-build-core, everything is compiled, which needs LLVM's and MLIR's wheels.
"""

import os
import pathlib
import re

from find_build import find_build
from scikit_build_core import build as scikit
from scikit_build_core.build import (  # noqa: F401
    build_editable,
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
)

ROOT = pathlib.Path(__file__).resolve().parents[1]


def use_build(config_settings):
    """The settings for a wheel from the build, or None. The build's tools are used, too."""
    found = None if config_settings else find_build(ROOT)
    if not found:
        return None
    settings, folders = found
    os.environ["PATH"] = os.pathsep.join([*folders, os.environ["PATH"]])
    return settings


def mlir_wheels():
    """The requirements for compiling everything."""
    requirements = (ROOT / "requirements.txt").read_text()
    return re.findall(r"^(?:xtc-|nanobind).*$", requirements, re.M)


def get_requires_for_build_wheel(config_settings=None):
    compiled = [] if use_build(config_settings) else mlir_wheels()
    return scikit.get_requires_for_build_wheel(config_settings) + compiled


def get_requires_for_build_editable(config_settings=None):
    return scikit.get_requires_for_build_editable(config_settings) + mlir_wheels()


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    settings = use_build(config_settings) or config_settings
    return scikit.prepare_metadata_for_build_wheel(metadata_directory, settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = use_build(config_settings) or config_settings
    return scikit.build_wheel(wheel_directory, settings, metadata_directory)
