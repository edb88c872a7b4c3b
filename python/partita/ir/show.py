# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops as text for people: without large constants, and in colours."""

from __future__ import annotations

import functools
import html
import re
import sys
from collections.abc import Mapping
from typing import Any

from ..mlir import ir

# Options of TVM's `script` and `show` about TVMScript; MLIR's text is the same with all of them.
_OPTIONS = frozenset(
    "name ir_prefix module_alias buffer_dtype int_dtype float_dtype verbose_expr indent_spaces "
    "print_line_numbers num_context_lines syntax_sugar show_object_address show_all_ty "
    "extra_config path_to_underline path_to_annotate obj_to_underline obj_to_annotate".split()
)


def _check_options(options: Mapping[str, Any]) -> None:
    """Raise an error unless TVM's `script` has options of these names."""
    for name in options:
        if name not in _OPTIONS:
            raise TypeError(
                f"expected options that TVM's script() has, which are show_meta, "
                f"{', '.join(sorted(_OPTIONS))}, but found '{name}'"
            )


def _print(operation: ir.Operation, **limits: Any) -> str:
    # MLIR would number the values of the whole module that a function is in.
    is_inner = operation.attached and operation.parent is not None
    return str(operation.get_asm(use_local_scope=is_inner, **limits))


def elide(operation: ir.Operation) -> str:
    """The text of an op without large constants."""
    text = _print(operation, large_elements_limit=16, large_resource_limit=64)
    # MLIR prints the frame of the resources even if it elides all of them.
    return re.sub(r"\n\{-#\s*#-\}\s*$", "", text)


@functools.lru_cache(maxsize=None)
def _make_lexer() -> Any:
    """Pygments' lexer of MLIR's text; None if Pygments is not installed."""
    try:
        from pygments import lexer, token
    except ImportError:
        return None

    class MLIRLexer(lexer.RegexLexer):  # type: ignore[misc]
        name = "MLIR"
        tokens = {
            "root": [
                (r"//.*", token.Comment.Single),
                (r'"(?:[^"\\]|\\.)*"', token.String),
                (r"%[\w$.#-]+", token.Name.Variable),
                (r"@[\w$.-]+", token.Name.Function),
                (r"[!#][a-z][\w.]*", token.Name.Decorator),
                (r"\b(?:tensor|memref|tuple|index|none|b?f\d\w*|u?s?i\d+)\b", token.Keyword.Type),
                (r"(?<=<)[?\dx]+(?=[a-z])|\b(?:\d+|\?)x(?=[\da-z?])", token.Number),
                (r"\b[a-z_]\w*\.[\w.]+", token.Keyword),
                (r"-?\b\d[\w.+-]*", token.Number),
                (r"\b[A-Za-z_][\w$]*", token.Name),
                (r"\s+", token.Whitespace),
                (r".", token.Punctuation),
            ]
        }

    return MLIRLexer()


def _highlight(text: str, formatter: str, **options: Any) -> str | None:
    """`text` in colours, if Pygments is installed."""
    lexer = _make_lexer()
    if lexer is None:
        return None
    import pygments
    from pygments import formatters

    return str(pygments.highlight(text, lexer, getattr(formatters, formatter)(**options)))


# Methods of modules and functions, which have an op, of expressions and of types. Some of the
# classes are an extension's, and can have no second base.


def _get_text(node: Any, show_meta: bool) -> str:
    operation = getattr(node, "operation", None)
    if operation is None:
        return str(node)
    return _print(operation) if show_meta else elide(operation)


def script(self: Any, name: str | None = None, show_meta: bool = True, **options: Any) -> str:
    """MLIR's text, with all constants; TVM's options change nothing in it."""
    _check_options(options)
    return _get_text(self, show_meta=True)


def show(
    self: Any,
    style: str | None = None,
    black_format: bool | None = None,
    *,
    show_meta: bool = False,
    **options: Any,
) -> None:
    """Print MLIR's text, in colours on a terminal.

    Parameters
    ----------
    show_meta : bool, optional
        Whether to print large constants, too.
    style, black_format, options : optional
        TVM's parameters, which are about TVMScript.
    """
    _check_options(options)
    text = _get_text(self, show_meta)
    highlighted = _highlight(text, "TerminalFormatter") if sys.stdout.isatty() else None
    print(text if highlighted is None else highlighted)


def to_html(self: Any) -> str:
    """The text for notebooks, without large constants."""
    text = elide(self.operation)
    highlighted = _highlight(text, "HtmlFormatter", noclasses=True)
    return f"<pre>{html.escape(text)}</pre>" if highlighted is None else highlighted
