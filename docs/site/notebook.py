"""notebook.py NOTEBOOK FOLDER: a Jupyter notebook as a page, with what its cells show.

It is run in FOLDER, without Jupyter: a cell shows what it prints, and its last expression, by
_repr_html_ where it has one.
"""

import ast
import contextlib
import io
import json
import os
import pathlib
import sys


def run_cell(source, variables):
    """Runs a cell; returns what it prints, and the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(tree, "<cell>", "exec"), variables)
        value = (
            eval(compile(ast.Expression(last.value), "<cell>", "eval"), variables) if last else None
        )
    return output.getvalue(), value


def _to_html(value):
    """What a notebook shows of a value as HTML; None for text."""
    show = getattr(value, "_repr_html_", None)
    return show() if show else None


def get_page(notebook, folder):
    """The notebook as Markdown."""
    parts = []
    variables = {"__name__": "__main__"}
    previous = os.getcwd()
    os.chdir(folder)
    try:
        for cell in json.loads(notebook.read_text())["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                parts.append(source + "\n")
                continue
            parts.append(f"```python\n{source}\n```\n")
            printed, value = run_cell(source, variables)
            if printed:
                parts.append(f"```text\n{printed.rstrip()}\n```\n")
            if (shown := _to_html(value)) is not None:
                parts.append(f'<div style="overflow: auto">\n{shown}\n</div>\n')
            elif value is not None:
                parts.append(f"```text\n{value!r}\n```\n")
    finally:
        os.chdir(previous)
    return "\n".join(parts)


if __name__ == "__main__":
    print(get_page(*(pathlib.Path(path).resolve() for path in sys.argv[1:])))
