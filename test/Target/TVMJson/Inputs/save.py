"""Saves modules as Apache TVM's JSON, for the scripts beside it."""

import os

import tvm


def save(module, path):
    """Write `module` to `path`, without the folder of its source."""
    folder = os.path.dirname(os.path.abspath(__file__)) + "/"
    text = tvm.ir.save_json(module).replace(folder.replace("/", "\\/"), "")
    with open(path, "w") as file:
        file.write(text)
