# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops as text for people: without large constants, and in colours."""

from __future__ import annotations

import functools
import html
import re
import sys
from typing import Any

from ..mlir import ir


def elide(operation: ir.Operation) -> str:
    """The text of an op without large constants."""
    text = str(operation.get_asm(large_elements_limit=16, large_resource_limit=64))
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


def show(operation: ir.Operation) -> None:
    """Print an op, in colours on a terminal."""
    text = elide(operation)
    highlighted = _highlight(text, "TerminalFormatter") if sys.stdout.isatty() else None
    print(text if highlighted is None else highlighted)


def to_html(operation: ir.Operation) -> str:
    """An op for notebooks."""
    text = elide(operation)
    highlighted = _highlight(text, "HtmlFormatter", noclasses=True)
    return f"<pre>{html.escape(text)}</pre>" if highlighted is None else highlighted
