# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instruments that are written in C++, each as a class."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from typing import Union

from ..transform.info import check_names
from .registered import RegisteredInstrument
from .table import as_pre

__all__ = [
    "Bisect",
    "Checkpoint",
    "DumpIR",
    "OpStatistics",
    "PassMemory",
    "PassTimingInstrument",
    "PrintChanged",
    "PrintIRAfter",
    "PrintIRBefore",
    "Report",
    "Trace",
    "VerifyPasses",
]

_Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def _check_bool(field: str, value: bool) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"expected {field} to be a bool, but found {type(value).__name__}")
    return value


def _check_steps(field: str, steps: Sequence[int | str], what: str) -> list[str] | None:
    """Numbers and texts to be given as a list; None for none."""
    try:
        elements = None if isinstance(steps, (str, bytes)) else list(steps)
    except TypeError:
        elements = None
    if elements is None:
        raise TypeError(
            f"expected {field} to be a list of {what}, but found {type(steps).__name__}; "
            f"write [{steps!r}]"
        )
    for element in elements:
        if isinstance(element, bool) or not isinstance(element, (int, str)):
            raise TypeError(
                f"expected {field} to be a list of {what}, but found {type(element).__name__} in it"
            )
    return [str(element) for element in elements] or None


def _decode(path: _Path | None) -> str | None:
    return None if path is None else os.fsdecode(path)


def _names(field: str, names: Sequence[str]) -> list[str] | None:
    """Names to be given as a list; None for no names."""
    return list(check_names(field, names)) or None


class Bisect(RegisteredInstrument):
    """Runs some of the steps only, and says which, as LLVM's opt-bisect does.

    Steps have the numbers that a plan prints, from 1.

    `records` has for each pass that was to run the `step` (None for a Sequential), the `pass`,
    and whether it `runs`.

    Parameters
    ----------
    limit : int
        Run the first steps, so many; -1 for all.
    steps : Sequence[Union[int, str]]
        Run these steps only: numbers, and ranges as "1-5"; all if there is none.
    disable : Sequence[Union[int, str]]
        Do not run these: numbers of steps, and names of passes.
    print : bool
        Whether it goes to stderr.
    """

    def __init__(
        self,
        *,
        limit: int = -1,
        steps: Sequence[int | str] = (),
        disable: Sequence[int | str] = (),
        print: bool = True,
    ) -> None:
        super().__init__(
            "bisect",
            limit=limit,
            steps=_check_steps("steps", steps, "numbers and ranges"),
            disable=_check_steps("disable", disable, "numbers of steps and names of passes"),
            print=_check_bool("print", print),
        )


class Checkpoint(RegisteredInstrument):
    """Saves the module after each pass, for ``resume_from`` of a pass's call to go on with.

    ``partita-opt --resume-from`` is the same from the command line.

    `records` has for each checkpoint the `step`, the `pass` that it is after, and the `file`,
    also of those that are not kept any more.

    Parameters
    ----------
    dir : Union[str, bytes, os.PathLike]
        The directory to write to; made if it is not there.
    keep : Optional[int]
        How many checkpoints to keep, the last ones: 1 if not given; 0 for all.
    """

    def __init__(self, dir: _Path, *, keep: int | None = None) -> None:
        super().__init__("checkpoint", dir=_decode(dir), keep=keep)


class DumpIR(RegisteredInstrument):
    """Writes the module after each pass to a file of its own, as TVM's.

    What is in the directory stays, and numbers go on after the highest there.

    `records` has for each file the `step`, the `pass` that it is after, and the `file`.

    Parameters
    ----------
    dump_dir : Union[str, bytes, os.PathLike]
        The directory to write to; made if it is not there.
    refresh : bool
        Delete the files that an earlier DumpIR wrote there, and nothing else, when the scope is
        entered.
    passes : Sequence[str]
        The passes to dump after, by any of their names; all if there is none.
    bytecode : bool
        Write bytecode in place of text.
    """

    def __init__(
        self,
        dump_dir: _Path,
        refresh: bool = False,
        *,
        passes: Sequence[str] = (),
        bytecode: bool = False,
    ) -> None:
        super().__init__(
            "dump-ir",
            dump_dir=_decode(dump_dir),
            refresh=_check_bool("refresh", refresh),
            passes=_names("passes", passes),
            bytecode=_check_bool("bytecode", bytecode),
        )


class OpStatistics(RegisteredInstrument):
    """Reports how each pass changed the number of ops, by their name and function.

    `records` has for each pass the `step`, the `pass`, how many ops the module has `before` and
    `after` it, how many more there are of each name (`ops`), and that for each function that
    changed (`functions`; "" is what is in none).

    Parameters
    ----------
    output : Optional[Union[str, bytes, os.PathLike]]
        Where the report goes when the scope is left: a file, or "-" for stdout; stderr if not
        given.
    print : bool
        Whether it goes there at all.
    json : bool
        Print JSON in place of a table.
    functions : bool
        Have a line for each function that changed, too; `records` have them in any case.
    """

    def __init__(
        self,
        *,
        output: _Path | None = None,
        print: bool = False,
        json: bool = False,
        functions: bool = False,
    ) -> None:
        super().__init__(
            "op-statistics",
            output=_decode(output),
            print=_check_bool("print", print),
            json=_check_bool("json", json),
            functions=_check_bool("functions", functions),
        )


class PassMemory(RegisteredInstrument):
    """Reports the memory of the process before and after each pass, and its peak in it.

    `records` has for each pass the `step` (0 for a Sequential), the `pass`, in bytes the resident
    set (`rss_before`, `rss_after` and its peak, `rss_peak`) and what malloc has given out
    (`heap_before`, `heap_after`), each None if it is not known, whether it has `failed`, and
    records of the `passes` in it.

    Parameters
    ----------
    output : Optional[Union[str, bytes, os.PathLike]]
        Where the report goes when the scope is left: a file, or "-" for stdout; stderr if not
        given.
    print : bool
        Whether it goes there at all.
    json : bool
        Print JSON in place of a table.
    peak : bool
        Whether to set the process's high-water mark back (Linux's VmHWM) to find peaks.
    """

    def __init__(
        self,
        *,
        output: _Path | None = None,
        print: bool = False,
        json: bool = False,
        peak: bool = True,
    ) -> None:
        super().__init__(
            "memory",
            output=_decode(output),
            print=_check_bool("print", print),
            json=_check_bool("json", json),
            peak=_check_bool("peak", peak),
        )


class PassTimingInstrument(RegisteredInstrument):
    """Times passes, nested; ask render() before the scope is left.

    `records` has for each pass, also after the scope was left, the `pass`; in nanoseconds when it
    began since the first did (`begin`, None if it did not run), its `time` summed up over
    operations, that without the passes in it (`self`), how long a thread was in it (`wall`), and
    processor time (`cpu`, None if it was not measured); on how many operations it ran (`runs`),
    why (`reason`), whether the context has it `disabled`, the names of instruments against it
    (`vetoed_by`), whether it has `failed`, and records of the `passes` in it.

    Parameters
    ----------
    output : Optional[Union[str, bytes, os.PathLike]]
        Where the report goes when the scope is left: a file, or "-" for stdout; stderr if not
        given.
    print : bool
        Whether it goes there at all.
    format : Optional[str]
        What is printed: "tree", TVM's report; "list", a table with a line for each name of a
        pass; or "json".
    sort : Optional[str]
        The order of the list: by "time", "self", "cpu", "runs" or "name".
    cpu : bool
        Measure processor time, too, which costs two system calls for each pass and function.
    """

    def __init__(
        self,
        *,
        output: _Path | None = None,
        print: bool = False,
        format: str | None = None,
        sort: str | None = None,
        cpu: bool = False,
    ) -> None:
        super().__init__(
            "timing",
            output=_decode(output),
            print=_check_bool("print", print),
            format=format,
            sort=sort,
            cpu=_check_bool("cpu", cpu),
        )

    def render(self) -> str:
        """A line a pass, a tab a level: NAME: TOTALus [SELFus] (OF ALL; OF PARENT).

        With format "list" it is the table, with any other the tree. Empty after the scope was
        left.
        """
        return super().render()


class PrintChanged(RegisteredInstrument):
    """Prints what each pass has changed as a unified diff, and of the others a line.

    `records` has for each pass the `step`, the `pass`, whether it has `changed` something, how
    many lines are `added` and `removed`, and the `diff`.

    Parameters
    ----------
    passes : Sequence[str]
        The passes to look at, by any of their names; all if there is none.
    output : Optional[Union[str, bytes, os.PathLike]]
        Where it is printed: a file, or "-" for stdout; stderr if not given.
    print : bool
        Whether it is printed at all; `records` and `render` have it in any case.
    color : Optional[str]
        When to colour the lines: "auto", on a terminal, "always" or "never".
    context : Optional[int]
        How many lines to show around a change.
    elide : Optional[int]
        Elide constants of more elements than this; -1 for none.
    """

    def __init__(
        self,
        passes: Sequence[str] = (),
        *,
        output: _Path | None = None,
        print: bool = True,
        color: str | None = None,
        context: int | None = None,
        elide: int | None = None,
    ) -> None:
        super().__init__(
            "print-changed",
            passes=_names("passes", passes),
            output=_decode(output),
            print=_check_bool("print", print),
            color=color,
            context=context,
            elide=elide,
        )

    def _repr_html_(self) -> str | None:
        return as_pre(self.render())


class PrintIRBefore(RegisteredInstrument):
    """Prints the module, or functions in it, to stderr before passes.

    Parameters
    ----------
    passes : Sequence[str]
        The passes, by any of their names; all if there is none.
    functions : Sequence[str]
        Glob patterns ("main", "inner::f", "conv*"): print the functions that one of them fits in
        place of the module.
    elide : Optional[int]
        Elide constants of more elements than this; -1 for none.
    """

    def __init__(
        self, passes: Sequence[str] = (), *, functions: Sequence[str] = (), elide: int | None = None
    ) -> None:
        super().__init__(
            "print-ir-before",
            passes=_names("passes", passes),
            functions=_names("functions", functions),
            elide=elide,
        )


class PrintIRAfter(RegisteredInstrument):
    """Prints the module, or functions in it, to stderr after passes.

    Parameters
    ----------
    passes : Sequence[str]
        The passes, by any of their names; all if there is none.
    functions : Sequence[str]
        Glob patterns ("main", "inner::f", "conv*"): print the functions that one of them fits in
        place of the module.
    elide : Optional[int]
        Elide constants of more elements than this; -1 for none.
    """

    def __init__(
        self, passes: Sequence[str] = (), *, functions: Sequence[str] = (), elide: int | None = None
    ) -> None:
        super().__init__(
            "print-ir-after",
            passes=_names("passes", passes),
            functions=_names("functions", functions),
            elide=elide,
        )


class Report(RegisteredInstrument):
    """Writes a page on what ran: a timeline, tables of the passes and of the plan, and diffs.

    The page is one HTML file that needs nothing else, and `render` gives it.

    `records` has for each run, in the order in which they began, the name of what ran (`root`),
    that of the `module`, the context's `opt_level`, `required_pass` and `disabled_pass`, whether
    it has `failed`, and

    - `parent`, if it is inside a pass: the numbers of that run and of the pass, from 0;
    - `diagnostics`, each with `severity`, `location`, `message` and `notes`;
    - `functions`, the names that spans refer to by number;
    - `spans` of passes on functions in one flat list, five numbers each: the pass, the function,
      the thread, the begin since that of the span before, and the duration;
    - `spans_left_out`, how many spans of very many are not there;
    - `lines`, the texts that diffs refer to by number;
    - `passes`, the entries of the plan.

    Such an entry has the `step` (0 for a Sequential and for what is skipped), `name`, `argument`,
    `depth`, whether it is `sequential`, the `reason`, and the `status`: "ran", "skipped",
    "vetoed", "failed", "running", "not reached", or "not seen" while other instruments were in
    the report's place. Where it applies, it has

    - `disabled`, True if the context disables it, and `vetoed_by`, names of instruments;
    - `begin` and `end` since the scope was entered, the `time` summed up over operations, and
      `wall`, how long a thread was in it; on how many operations it ran (`runs`);
    - `memory`, the bytes of the heap, and `ops`, how many there are, both before and after;
    - `changed`, True if it changed something, and `op_changes`, how many more ops there are of
      each name;
    - `added` and `removed`, how many lines; `diff`, a list of hunks with the first lines `old`
      and `new`, from 1, the function that they are `in`, and `edits`; `diff_cut`, True if that is
      not all. Edits are flat: 0 and a line of both; 1, the old and the new line, where names of
      values differ alone; 2 and a removed line; 3 and an added one.

    All times are in nanoseconds.

    Parameters
    ----------
    output : Optional[Union[str, bytes, os.PathLike]]
        The file that is written when the scope is left, or "-" for stdout; "report.html" if not
        given, and none if empty.
    title : Optional[str]
        What the page is called.
    diffs : bool
        Whether to have diffs of what passes changed: the module is looked at after each.
    elide : Optional[int]
        Leave out the elements of constants that have more of them than this.
    """

    def __init__(
        self,
        *,
        output: _Path | None = None,
        title: str | None = None,
        diffs: bool = True,
        elide: int | None = None,
    ) -> None:
        super().__init__(
            "report",
            output=_decode(output),
            title=title,
            diffs=_check_bool("diffs", diffs),
            elide=elide,
        )

    def _repr_html_(self) -> str | None:
        """The page in a frame of its own."""
        if not self.records:
            return None
        page = html.escape(self.render())
        return f'<iframe srcdoc="{page}" style="width:100%;height:40em;border:0"></iframe>'


class Trace(RegisteredInstrument):
    """Writes a timeline that ui.perfetto.dev opens: Chrome's trace event format.

    `records` are the trace events, each with a `name`, its kind (`ph`), the process (`pid`) and
    the thread (`tid`), and more in `args`. Spans (X) have a `cat`, "pass", "function" or
    "sequential", and in microseconds the begin (`ts`) and the duration (`dur`); in `args`, whether
    it has `failed`, and of a pass the `step` and the `function`. Samples (C) have a `ts`, and
    `args` the `resident bytes`; of threads and the process (M), `args` has the `name`.

    Parameters
    ----------
    output : Optional[Union[str, bytes, os.PathLike]]
        Where the trace goes when the scope is left: a file, or "-" for stdout.
    print : Optional[bool]
        Whether to write it at all: if `output` is given, unless said otherwise.
    """

    def __init__(self, output: _Path | None = None, *, print: bool | None = None) -> None:
        super().__init__(
            "trace",
            output=_decode(output),
            print=_check_bool("print", output is not None if print is None else print),
        )

    def _repr_html_(self) -> str | None:
        return as_pre(self.render())


class VerifyPasses(RegisteredInstrument):
    """Verifies after each pass, and saves the module before the one that broke it.

    `records` has for each pass the `step`, the `pass`, whether the module is `valid` after it, and
    if it is not, the `error` and the file with the module `before` it; None else.

    Parameters
    ----------
    save_dir : Optional[Union[str, bytes, os.PathLike]]
        The directory that it is saved in; that for temporary files if not given.
    """

    def __init__(self, save_dir: _Path | None = None) -> None:
        super().__init__("verify", save_dir=_decode(save_dir))
