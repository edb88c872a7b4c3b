# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records of instruments as HTML, for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_TIMES = ("time", "self", "wall", "cpu", "begin")
_SIZES = ("rss_before", "rss_after", "rss_peak", "heap_before", "heap_after")
#: The columns that come first, in this order; the others follow sorted by name.
_COLUMNS = ("step", "pass", *_TIMES, "runs", "unchanged", *_SIZES, "before", "after")
#: By instrument: the unit of a table, what of the records makes one, and the columns that have it.
_UNITS = {"timing": ("us", 1000, _TIMES), "memory": ("KiB", 1024, _SIZES)}
#: A column that has only such values is left out.
_NOTHING: tuple[Any, ...] = (None, "", [], {})


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _flatten(records: Sequence[Any], depth: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Records and those nested in them, each with its depth."""
    for record in records:
        yield depth, {key: value for key, value in record.items() if key != "passes"}
        yield from _flatten(record.get("passes", ()), depth + 1)


def _format(value: Any) -> str:
    """A value as HTML; the numbers in a dictionary are changes."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return "<br>".join(
            f"{html.escape(key)}: {_format_changes(item)}"
            if isinstance(item, dict)
            else _format_changes({key: item})
            for key, item in value.items()
        )
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return html.escape(str(value))


def _format_changes(changes: Mapping[str, int]) -> str:
    return html.escape(", ".join(f"{name} {change:+}" for name, change in changes.items()))


def as_pre(text: str) -> str | None:
    """A text with its line breaks; None if it is empty."""
    return f"<pre>{html.escape(text)}</pre>" if text else None


def as_page(page: str) -> str:
    """A page of HTML in a frame of its own."""
    return f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:40em;border:0"></iframe>'


def to_html(records: Sequence[Any], name: str) -> str | None:
    """A table of the records of the instrument `name`; None if they say nothing."""
    rows = list(_flatten(records, 0))
    keys = {key for _, row in rows for key, value in row.items() if value not in _NOTHING}
    if not keys:
        return None
    columns = [column for column in _COLUMNS if column in keys]
    columns += sorted(keys.difference(columns))
    unit, scale, scaled = _UNITS.get(name, ("", 1, ()))
    numbers = {key for _, row in rows for key, value in row.items() if _is_number(value)}
    sides = {column: "right" if column in numbers else "left" for column in columns}
    head = ""
    for column in columns:
        heading = html.escape(column) + (f" [{unit}]" if column in scaled else "")
        head += f'<th style="text-align:{sides[column]}">{heading}</th>'
    lines = [f"<tr>{head}</tr>"]
    for depth, row in rows:
        cells = []
        for column in columns:
            value = row.get(column)
            style = f"text-align:{sides[column]}"
            if column == "pass":
                style += f";padding-left:{1.5 * depth + 0.5}em"
            if value is not None and column in scaled:
                value = f"{value / scale:,.1f}"
            elif _is_number(value):
                value = f"{value:,}"
            cells.append(f'<td style="{style}">{_format(value)}</td>')
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(lines)}</table>"
