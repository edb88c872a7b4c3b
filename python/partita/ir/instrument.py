# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that runs around passes: TVM's ``tvm.ir.instrument``."""

from __future__ import annotations

import functools
import html
import importlib
import inspect
import json
import os
import re
import sys
import threading
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
    overload,
)

from ..mlir._mlir_libs import _partita

if TYPE_CHECKING:
    from .module import IRModule
    from .transform import PassInfo, Plan

__all__ = [
    "Bisect",
    "Checkpoint",
    "DumpIR",
    "OpStatistics",
    "PassInstrument",
    "PassPrintingInstrument",
    "PassMemory",
    "PassTimingInstrument",
    "PrintAfterAll",
    "PrintBeforeAll",
    "PrintChanged",
    "PrintIRAfter",
    "PrintIRBefore",
    "Progress",
    "RegisteredInstrument",
    "Report",
    "Trace",
    "VerifyPasses",
    "list_instruments",
    "pass_instrument",
]

_CALLBACKS = (
    "enter_pass_ctx",
    "exit_pass_ctx",
    "should_run",
    "run_before_pass",
    "run_after_pass",
    "begin_run",
    "end_run",
)

_Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

#: What would end a line, or move the cursor of a terminal.
_CONTROL = re.compile("[\x00-\x1f\x7f]")


class PassInstrument:
    """The base of instruments; a class overrides the callbacks that it needs.

    A callback that a class does not define is never called, and costs nothing.
    Modules that callbacks get are theirs to keep: passes do not change them.
    """

    @property
    def name(self) -> str:
        """What errors call the instrument."""
        return type(self).__name__

    def enter_pass_ctx(self) -> None:
        """Called when the scope of a PassContext is entered."""

    def exit_pass_ctx(self) -> None:
        """Called when the scope is left."""

    def should_run(self, mod: IRModule, info: PassInfo) -> bool:
        """Whether the pass is to run; False of any instrument skips it.

        Not asked of passes in the context's required_pass.
        """
        return True

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Called before each pass that runs."""

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Called after each pass that has succeeded."""

    def begin_run(self, mod: IRModule, plan: Plan) -> None:
        """Called when a pass begins to run on a module, with all that is to run in it.

        On the thread that runs it, before anything of it runs; also for a run that a pass starts,
        inside of its own. With it, or end_run, passes run one after the other, not merged. An
        error is that of the run, which does not begin.
        """

    def end_run(self, mod: IRModule, plan: Plan, failed: bool) -> None:
        """Called at the end of each run that has begun, on the same thread.

        The last one to begin on a thread is the first to end.
        """


_T = TypeVar("_T")


@overload
def pass_instrument(pi_cls: Type[_T]) -> Type[_T]: ...
@overload
def pass_instrument(pi_cls: None = None) -> Callable[[Type[_T]], Type[_T]]: ...
def pass_instrument(pi_cls: Optional[Type[Any]] = None) -> Any:
    """Make a class an instrument, without deriving it from PassInstrument.

    Its objects are instruments; the callbacks are the methods that it defines.
    """

    def decorate(cls: Type[Any]) -> Type[Any]:
        if not inspect.isclass(cls):
            raise TypeError(
                f"expected a class to make an instrument from, but found {type(cls).__name__}"
            )
        if issubclass(cls, PassInstrument):
            return cls
        if issubclass(cls, _partita.Instrument):
            raise TypeError(
                "expected a class to make an instrument from, but found "
                f"{cls.__name__}, whose objects are instruments that are written in C++"
            )
        derived = type(cls.__name__, (cls, PassInstrument), {"__doc__": cls.__doc__})
        derived.__module__ = cls.__module__
        derived.__qualname__ = cls.__qualname__
        return derived

    return decorate if pi_cls is None else decorate(pi_cls)


def _get_callback(instrument: Any, name: str) -> Any:
    """The bound method, or None for one that only PassInstrument defines."""
    method = getattr(instrument, name)
    if method is None or getattr(method, "__func__", None) is getattr(PassInstrument, name):
        return None
    if not callable(method):
        raise TypeError(
            f"expected {name} of instrument '{type(instrument).__name__}' to be a method, "
            f"but found {type(method).__name__}"
        )
    if name not in ("begin_run", "end_run"):
        return method

    def call(mod: IRModule, plan: Tuple[Sequence[Any], str], *failed: bool) -> None:
        from .transform import Plan

        method(mod, Plan(plan), *failed)

    return call


def to_handles(instruments: Sequence[Any]) -> List[Tuple[Any, ...]]:
    """`instruments` as the extension takes them."""
    if not isinstance(instruments, (list, tuple)):
        raise TypeError(
            f"expected instruments to be a list, but found {type(instruments).__name__}"
        )
    handles: List[Tuple[Any, ...]] = []
    for instrument in instruments:
        if isinstance(instrument, _partita.Instrument):
            for name in _CALLBACKS:
                if hasattr(instrument, name):
                    raise TypeError(
                        f"expected instrument '{type(instrument).__name__}', which is written in "
                        f"C++, to have no {name}, as nothing calls it; define it in a "
                        "PassInstrument that is given beside it"
                    )
        if isinstance(instrument, Progress) and instrument._bars is not None:
            callbacks = instrument._bars
        else:
            callbacks = instrument
        if isinstance(callbacks, _partita.Instrument):
            handles.append((instrument, instrument))
        elif isinstance(callbacks, PassInstrument):
            methods = [_get_callback(callbacks, name) for name in _CALLBACKS]
            handles.append((instrument, str(instrument.name), methods))
        else:
            raise TypeError(
                "expected instruments to be PassInstruments, but found "
                f"{type(instrument).__name__}; @pass_instrument makes a class one"
            )
    return handles


def _quote(key: str, value: Any) -> str:
    """`value` as an element of ``name{key=value}``.

    MLIR has no escapes in its options: a text is in quotes that it does not hold.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    text = os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else str(value)
    quote = "'" if "'" not in text else '"'
    if quote in text or text != text.strip(" ") or _CONTROL.search(text):
        raise ValueError(
            f"expected {key} to be without one of the two kinds of quotes, and without spaces at "
            f"its ends and control characters, but found {text!r}"
        )
    return quote + text + quote


def make_text(name: str, options: Mapping[str, Any]) -> str:
    """The text that makes the registered instrument `name`, as ``--instrument`` takes it.

    An option that is None is left out, which leaves it at its default.
    """
    parts = []
    for key, value in options.items():
        if value is None:
            continue
        if not key.isidentifier():
            raise ValueError(f"expected the name of an option, but found {key!r}")
        if isinstance(value, (list, tuple)):
            text = "{" + ",".join(_quote(key, element) for element in value) + "}"
        else:
            text = _quote(key, value)
        parts.append(f"{key.replace('_', '-')}={text}")
    return name + "{" + " ".join(parts) + "}"


class RegisteredInstrument(_partita.Instrument):
    """An instrument that is written in C++, by the name that it is registered under.

    Parameters
    ----------
    name : str
        What ``partita-opt --instrument`` calls it.
    options
        Its options; None leaves one at its default.
    """

    def __init__(self, name: str, **options: Any) -> None:
        if not isinstance(name, str):
            raise TypeError(f"expected name to be a str, but found {type(name).__name__}")
        # What is no UTF-8 in a path is in a str as surrogates.
        super().__init__(make_text(name, options).encode("utf-8", "surrogateescape"))

    def render(self) -> str:
        """What it has to say so far, for people; empty if it collects nothing."""
        return super().render()

    def to_json(self) -> str:
        """What it has seen so far as JSON: an array, or "null" if it collects nothing."""
        return super().to_json()

    @property
    def records(self) -> List[Dict[str, Any]]:
        """What it has seen so far, a dictionary for each thing."""
        return json.loads(self.to_json()) or []

    def _repr_html_(self) -> Optional[str]:
        """A table of the records, for notebooks."""
        rows = list(_flatten(self.records, 0))
        keys = {key for _, row in rows for key, value in row.items() if value not in _NOTHING}
        if not keys:
            return None
        columns = [column for column in _COLUMNS if column in keys]
        columns += sorted(keys.difference(columns))
        unit, scale, scaled = _UNITS.get(self.name, ("", 1, ()))
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


#: The columns of tables that are first, in order.
_COLUMNS = (
    "step",
    "pass",
    "time",
    "self",
    "wall",
    "cpu",
    "begin",
    "runs",
    "rss_before",
    "rss_after",
    "rss_peak",
    "heap_before",
    "heap_after",
    "before",
    "after",
)
#: Of an instrument's table: a unit, how much of what records have it is, and the columns in it.
_UNITS = {
    "timing": ("us", 1000, ("time", "self", "wall", "cpu", "begin")),
    "memory": (
        "KiB",
        1024,
        ("rss_before", "rss_after", "rss_peak", "heap_before", "heap_after"),
    ),
}
#: A column of nothing else is left out.
_NOTHING: Tuple[Any, ...] = (None, "", [], {})


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _flatten(records: Sequence[Any], depth: int) -> Iterator[Tuple[int, Dict[str, Any]]]:
    """Records and those nested in them, each with its depth."""
    for record in records:
        yield depth, {key: value for key, value in record.items() if key != "passes"}
        yield from _flatten(record.get("passes", ()), depth + 1)


def _as_pre(text: str) -> Optional[str]:
    return f"<pre>{html.escape(text)}</pre>" if text else None


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


def _check_bool(field: str, value: bool) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"expected {field} to be a bool, but found {type(value).__name__}")
    return value


def _check_steps(field: str, steps: Sequence[Union[int, str]], what: str) -> Optional[List[str]]:
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


def _decode(path: Optional[_Path]) -> Optional[str]:
    return None if path is None else os.fsdecode(path)


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
        steps: Sequence[Union[int, str]] = (),
        disable: Sequence[Union[int, str]] = (),
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

    def __init__(self, dir: _Path, *, keep: Optional[int] = None) -> None:
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
        output: Optional[_Path] = None,
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
        output: Optional[_Path] = None,
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
        output: Optional[_Path] = None,
        print: bool = False,
        format: Optional[str] = None,
        sort: Optional[str] = None,
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
        output: Optional[_Path] = None,
        print: bool = True,
        color: Optional[str] = None,
        context: Optional[int] = None,
        elide: Optional[int] = None,
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

    def _repr_html_(self) -> Optional[str]:
        return _as_pre(self.render())


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
        self,
        passes: Sequence[str] = (),
        *,
        functions: Sequence[str] = (),
        elide: Optional[int] = None,
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
        self,
        passes: Sequence[str] = (),
        *,
        functions: Sequence[str] = (),
        elide: Optional[int] = None,
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
        output: Optional[_Path] = None,
        title: Optional[str] = None,
        diffs: bool = True,
        elide: Optional[int] = None,
    ) -> None:
        super().__init__(
            "report",
            output=_decode(output),
            title=title,
            diffs=_check_bool("diffs", diffs),
            elide=elide,
        )

    def _repr_html_(self) -> Optional[str]:
        """The page in a frame of its own."""
        if not self.records:
            return None
        page = html.escape(self.render())
        return f'<iframe srcdoc="{page}" style="width:100%;height:40em;border:0"></iframe>'


class _Tqdm:
    """A bar of tqdm."""

    def __init__(self, tqdm: Any, total: int, interval: float) -> None:
        self._bar = tqdm.tqdm(
            total=total, unit="pass", mininterval=interval, leave=False, file=sys.stderr
        )

    def show(self, done: int, name: str) -> None:
        self._bar.set_description_str(name, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        self._bar.close()


class _Rich:
    """A bar of rich."""

    def __init__(self, rich: Any, total: int, interval: float) -> None:
        console = importlib.import_module("rich.console").Console(stderr=True)
        # The first column is the name, which is not to be read as markup.
        self._progress = rich.Progress(
            rich.TextColumn("{task.description}", style="progress.description", markup=False),
            *rich.Progress.get_default_columns()[1:],
            rich.TimeElapsedColumn(),
            rich.MofNCompleteColumn(),
            console=console,
            transient=True,
            refresh_per_second=1 / interval if interval else 100,
        )
        self._task = self._progress.add_task("", total=total)
        self._progress.start()

    def show(self, done: int, name: str) -> None:
        self._progress.update(self._task, completed=done, description=name)

    def close(self) -> None:
        self._progress.stop()


def _is_notebook() -> bool:
    """Whether output goes to a notebook, as tqdm.autonotebook finds out."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and "IPKernelApp" in shell.config


def _find_bar() -> Optional[Callable[[int, float], Any]]:
    """What makes a bar from a number of passes and seconds; None if nothing is installed."""
    bars: List[Tuple[str, Callable[..., Any]]] = [
        ("tqdm.auto" if _is_notebook() else "tqdm", _Tqdm),
        ("rich.progress", _Rich),
    ]
    for module, bar in bars:
        try:
            return functools.partial(bar, importlib.import_module(module))
        except ImportError:
            continue
    return None


class _Bars(PassInstrument):
    """Shows a bar for a run: of those at the same time the first, of nested ones the outer."""

    def __init__(self, make_bar: Callable[[int, float], Any], interval: float) -> None:
        self._make_bar = make_bar
        self._interval = interval
        self._lock = threading.Lock()
        #: The thread whose run is shown, and how many runs it is in. Nobody else uses the bar.
        self._thread: Optional[int] = None
        self._depth = 0
        self._bar: Any = None

    def begin_run(self, mod: IRModule, plan: Plan) -> None:
        thread = threading.get_ident()
        with self._lock:
            if self._thread is None:
                self._thread = thread
            if self._thread == thread:
                self._depth += 1

    def end_run(self, mod: IRModule, plan: Plan, failed: bool) -> None:
        if self._thread != threading.get_ident():
            return
        self._depth -= 1
        if self._depth > 0:
            return
        bar, self._bar = self._bar, None
        try:
            if bar is not None:
                bar.close()
        finally:
            self._thread = None

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        if self._thread != threading.get_ident() or self._depth != 1:
            return
        step: Any = _partita.get_current_step()
        # A Sequential has no number.
        if step is None or step[1] == 0:
            return
        _, number, total = step
        if self._bar is None:
            self._bar = self._make_bar(total, self._interval)
        self._bar.show(number - 1, _CONTROL.sub(" ", info.name))


class Progress(RegisteredInstrument):
    """Shows which pass of how many is running: on stderr, if it is a terminal, or in a notebook.

    The bar is that of tqdm or rich, if one of them is installed; else that of partita-opt, which
    knows no notebooks. Of runs at the same time the first is shown, of one inside another the
    outer. It collects nothing: there are no `records`.

    Parameters
    ----------
    interval : Optional[int]
        The least time between two updates, in milliseconds; 100 if not given.
    """

    #: What is called in place of the instrument in C++.
    _bars: Optional[PassInstrument] = None

    def __init__(self, *, interval: Optional[int] = None) -> None:
        if interval is not None and (isinstance(interval, bool) or not isinstance(interval, int)):
            raise TypeError(f"expected interval to be an int, but found {type(interval).__name__}")
        super().__init__("progress", interval=interval)
        make_bar = _find_bar()
        if make_bar is None:
            return
        if _is_notebook() or (sys.stderr is not None and sys.stderr.isatty()):
            self._bars = _Bars(make_bar, (100 if interval is None else interval) / 1000)
        else:
            # Without callbacks it costs nothing.
            self._bars = PassInstrument()


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

    def __init__(
        self,
        output: Optional[_Path] = None,
        *,
        print: Optional[bool] = None,
    ) -> None:
        super().__init__(
            "trace",
            output=_decode(output),
            print=_check_bool("print", output is not None if print is None else print),
        )

    def _repr_html_(self) -> Optional[str]:
        return _as_pre(self.render())


class VerifyPasses(RegisteredInstrument):
    """Verifies after each pass, and saves the module before the one that broke it.

    `records` has for each pass the `step`, the `pass`, whether the module is `valid` after it, and
    if it is not, the `error` and the file with the module `before` it; None else.

    Parameters
    ----------
    save_dir : Optional[Union[str, bytes, os.PathLike]]
        The directory that it is saved in; that for temporary files if not given.
    """

    def __init__(self, save_dir: Optional[_Path] = None) -> None:
        super().__init__("verify", save_dir=_decode(save_dir))


def _names(field: str, names: Sequence[str]) -> Optional[List[str]]:
    """Names to be given as a list; None for no names."""
    from .transform import _check_names

    return list(_check_names(field, names)) or None


def list_instruments() -> Dict[str, Dict[str, str]]:
    """The registered instruments by name, each with its options: name to description."""
    instruments: Dict[str, Dict[str, str]] = {}
    for name, option, description in _partita.list_instruments():
        options = instruments.setdefault(name, {})
        if option:
            options[option] = description
    return instruments


@pass_instrument
class PrintBeforeAll:
    """Prints the name of each pass and the module before it, to stdout."""

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        print(f"Before Running Pass: {info.name}")
        print(mod)


@pass_instrument
class PrintAfterAll:
    """Prints the name of each pass and the module after it, to stdout."""

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        print(f"After Running Pass: {info.name}")
        print(mod)


class PassPrintingInstrument(PassInstrument):
    """Prints the module before and after the named passes, to stdout.

    Parameters
    ----------
    print_before_pass_names : sequence of str
        The passes before which the module is printed, by their PassInfo's name.
    print_after_pass_names : sequence of str
        Those after which it is.
    """

    def __init__(
        self,
        print_before_pass_names: Sequence[str] = (),
        print_after_pass_names: Sequence[str] = (),
    ):
        from .transform import _check_names

        self.print_before_pass_names = _check_names(
            "print_before_pass_names", print_before_pass_names
        )
        self.print_after_pass_names = _check_names("print_after_pass_names", print_after_pass_names)

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        if info.name in self.print_before_pass_names:
            print(f"Print IR before: {info.name}\n{mod}\n\n")

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        if info.name in self.print_after_pass_names:
            print(f"Print IR after: {info.name}\n{mod}\n\n")
