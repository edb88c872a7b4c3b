# Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The classes of instruments that are written in C++."""

import inspect
import json
import os
import pathlib
import re

import pytest
from pass_support import make_module, make_pass, raiser, rename

from partita import instrument, transform
from partita.ir.instrument import make_text
from partita.transform import PassContext, Sequential


def find_classes():
    """The class of each registered instrument, by name; the most general one of several."""
    classes = {}
    for name in instrument.__all__:
        cls = getattr(instrument, name)
        base = instrument.RegisteredInstrument
        if inspect.isclass(cls) and issubclass(cls, base) and cls is not base:
            parameters = inspect.signature(cls).parameters.values()
            required = [p.name for p in parameters if p.default is p.empty]
            classes.setdefault(cls(**dict.fromkeys(required, "x")).name, cls)
    return classes


CLASSES = find_classes()


def test_every_instrument_has_a_class():
    assert set(instrument.list_instruments()) == set(CLASSES)
    for cls in CLASSES.values():
        assert cls.__name__ in instrument.__all__


@pytest.mark.parametrize("name", CLASSES)
def test_the_keywords_are_the_options(name):
    cls = CLASSES[name]
    parameters = set(inspect.signature(cls.__init__).parameters) - {"self"}
    options = instrument.list_instruments()[name]
    assert parameters == {option.replace("-", "_") for option in options}
    for parameter in parameters:
        assert f"{parameter} : " in inspect.getdoc(cls), parameter
    assert all(options.values())


def find_keys(records):
    """The keys of dictionaries at any depth, except keys that are the user's names."""
    for record in records:
        if isinstance(record, dict):
            for key, value in record.items():
                yield key
                if key not in ("ops", "op_changes", "functions"):
                    yield from find_keys(value if isinstance(value, list) else [value])
        elif isinstance(record, list):
            yield from find_keys(record)


# A run inside another knows fewer passes.
@pytest.mark.filterwarnings("ignore::partita.PassWarning")
@pytest.mark.parametrize("name", CLASSES)
def test_the_keys_of_records_are_documented(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = {"checkpoint": {"dir": tmp_path}, "dump-ir": {"dump_dir": tmp_path}}
    made = CLASSES[name](**options.get(name, {}))

    def run_inner(mod, ctx):
        return transform.get_pass("canonicalize")(mod)

    passes = [
        make_pass("a", body=rename),
        make_pass("b", required=["relax-fold-constant"], body=run_inner),
        make_pass("disabled"),
        make_pass("skipped"),
        transform.get_pass("cse"),
    ]

    class Skip(instrument.PassInstrument):
        def should_run(self, mod, info):
            return info.name != "skipped"

    context = PassContext(
        instruments=[Skip(), made], disabled_pass=["disabled", "FoldConstant"], required_pass=["a"]
    )
    with context:
        Sequential(passes)(make_module())
        with pytest.raises(ValueError):
            Sequential([make_pass("c", body=raiser(ValueError("no")))])(make_module())
    keys = set(find_keys(made.records))
    documentation = inspect.getdoc(type(made))
    if made.to_json() == "null":
        assert "`pass`" not in documentation
    else:
        assert {"pass", "root", "name"} & keys
    for key in keys:
        assert f"`{key}`" in documentation, key


@pytest.mark.parametrize(
    "value",
    [
        *("plain", "two words", "it's", 'say "so"', "a,b", "a=b", "{", "}", "}{", "[x", "-", ""),
        *("é", "a\u00a0b", "\u3000a\u3000", "a\u200db"),
    ],
)
def test_texts_are_quoted(value, tmp_path, capfd):
    made = instrument.RegisteredInstrument("timing", output=value, print=False)
    assert made.name == "timing"
    # As an element of a list: the one name that is looked for is found.
    printer = instrument.PrintIRAfter(passes=["other", value] if value else ["other"])
    with PassContext(instruments=[printer]):
        make_pass(value or "unnamed")(make_module())
    assert (f"// IR after {value}\n" in capfd.readouterr().err) == bool(value)


@pytest.mark.parametrize("value", ["'\"", " x", "x ", "a\nb", "\x7f", "a\x00b", "\x1b["])
def test_what_cannot_be_quoted_is_an_error(value):
    with pytest.raises(ValueError, match="expected output to be without"):
        instrument.PassTimingInstrument(output=value)


def test_the_text():
    assert make_text("x", {}) == "x{}"
    assert make_text("x", {"a_b": 1, "c": None, "d": True, "e": ["f", "g h"]}) == (
        "x{a-b=1 d=true e={'f','g h'}}"
    )


def test_wrong_names_and_types():
    with pytest.raises(ValueError, match="expected a registered instrument"):
        instrument.RegisteredInstrument("nonsense")
    with pytest.raises(ValueError, match="expected options that instrument 'timing' has"):
        instrument.RegisteredInstrument("timing", nonsense=1)
    with pytest.raises(TypeError):
        instrument.PassTimingInstrument(nonsense=1)
    with pytest.raises(TypeError, match="expected passes"):
        instrument.PrintIRBefore(passes="cse")
    with pytest.raises(TypeError, match="expected name to be a str, but found int"):
        instrument.RegisteredInstrument(1)
    with pytest.raises(ValueError, match="expected the name of an option, but found 'print=f o'"):
        instrument.RegisteredInstrument("timing", **{"print=f o": "x"})


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"elide": "x"}, "option 'elide' of instrument 'print-changed' to be an integer, .* 'x'"),
        ({"elide": 1.5}, "to be an integer, but found '1.5'"),
        ({"elide": True}, "to be an integer, but found 'true'"),
        ({"context": -1}, "to be an integer of 0 or more, but found '-1'"),
        ({"color": "red"}, "'color' .* to be auto, always or never, but found 'red'"),
    ],
)
def test_wrong_values(options, error, capfd):
    with pytest.raises(ValueError, match=error):
        instrument.PrintChanged(**options)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("value", [[], "", "true", 1, None])
def test_what_is_no_bool_is_an_error(value):
    found = type(value).__name__
    for cls in CLASSES.values():
        for name, parameter in inspect.signature(cls.__init__).parameters.items():
            if parameter.annotation == "bool":
                required = {"dump_dir": "x"} if cls is instrument.DumpIR else {}
                with pytest.raises(TypeError, match=f"expected {name} to be a bool, .* {found}"):
                    cls(**required, **{name: value})
    if value is not None:
        with pytest.raises(TypeError, match="expected print to be a bool"):
            instrument.Trace(print=value)
    if value in ("", []):
        with pytest.raises(ValueError, match="'print' .* to be true or false, but found ''"):
            instrument.RegisteredInstrument("timing", print=value)


@pytest.mark.parametrize("kind", [str, os.fsencode, pathlib.Path])
@pytest.mark.parametrize("name", ["plain", "a\u00a0b", "\udcff"])
def test_paths(kind, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = kind(str(tmp_path / name))
    dump = instrument.DumpIR(path)
    report = instrument.PassTimingInstrument(output=kind(str(tmp_path / "report")), print=True)
    with PassContext(instruments=[dump, report]):
        make_pass("p")(make_module())
    assert sorted(os.listdir(tmp_path)) == sorted([name, "report"])
    assert sorted(os.listdir(path)) == sorted(
        kind(file) if kind is os.fsencode else file for file in ["000_p.mlir", "dump-ir.jsonl"]
    )


@pytest.mark.parametrize("name", ["OpStatistics", "PassMemory", "PassTimingInstrument", "Trace"])
def test_output_implies_print(name, tmp_path, capfd):
    path = tmp_path / "report"
    for options, is_written in [({}, True), ({"print": False}, False)]:
        report = getattr(instrument, name)(output=path, **options)
        with PassContext(instruments=[report]):
            make_pass("p")(make_module())
        assert path.exists() == is_written
        assert capfd.readouterr().err == ""
        path.unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("OpStatistics", {"json": True}),
        ("PassMemory", {"json": True}),
        ("PassTimingInstrument", {"format": "json"}),
    ],
)
def test_json_implies_print(name, options, capfd):
    with PassContext(instruments=[getattr(instrument, name)(**options)]):
        make_pass("p")(make_module())
    assert json.loads(capfd.readouterr().err)


def test_paths_of_other_types():
    for cls in CLASSES.values():
        for name in {"output", "dir", "dump_dir", "save_dir"} & {
            *inspect.signature(cls.__init__).parameters
        }:
            with pytest.raises(TypeError, match="int"):
                cls(**{name: 1})


def test_callbacks_of_a_derived_class_are_an_error():
    class Mine(instrument.PassTimingInstrument):
        def run_before_pass(self, mod, info):
            raise AssertionError("expected no call")

    with pytest.raises(TypeError, match="'Mine', .* to have no run_before_pass"):
        PassContext(instruments=[Mine()])
    with pytest.raises(TypeError, match="but found PassTimingInstrument, whose objects are"):
        instrument.pass_instrument(instrument.PassTimingInstrument)


@pytest.mark.parametrize("name", CLASSES)
def test_results(name):
    made = instrument.RegisteredInstrument(name)
    assert ("No pass has run" in made.render()) if name == "report" else made.render() == ""
    assert made.records == (json.loads(made.to_json()) or [])
    assert made._repr_html_() is None


def test_dump_ir(tmp_path):
    dump = instrument.DumpIR(tmp_path / "a dir")
    for _ in range(2):
        with PassContext(instruments=[dump]):
            Sequential([make_pass("p"), make_pass("<q>")])(make_module())
    files = [tmp_path / "a dir" / f"{n:03}_{name}.mlir" for n, name in [(2, "p"), (3, "_q_")]]
    assert dump.records == [
        {"step": 1, "pass": "p", "file": str(files[0])},
        {"step": 2, "pass": "<q>", "file": str(files[1])},
    ]
    assert dump.render() == f"{files[0]}\n{files[1]}\n"
    assert ">&lt;q&gt;</td>" in dump._repr_html_()
    assert [file.read_text() for file in files] == [str(make_module())] * 2
    with PassContext(instruments=[instrument.DumpIR(tmp_path / "a dir", True)]):
        assert all(file.exists() for file in files), "no pass runs yet"
        make_pass("p")(make_module())
        assert not any(file.exists() for file in files)


def test_checkpoint(tmp_path):
    checkpoint = instrument.Checkpoint(tmp_path / "a dir", keep=2)
    with PassContext(instruments=[checkpoint]):
        Sequential([make_pass(name) for name in "pqr"])(make_module())
    files = [str(tmp_path / "a dir" / f"checkpoint-0000{step}.mlirbc") for step in (1, 2, 3)]
    assert checkpoint.records == [
        {"step": step + 1, "pass": name, "file": files[step]} for step, name in enumerate("pqr")
    ]
    assert checkpoint.render() == "".join(file + "\n" for file in files)
    assert sorted(map(str, (tmp_path / "a dir").glob("*.mlirbc"))) == files[1:]
    described = json.loads((tmp_path / "a dir" / "checkpoint.json").read_text())
    assert described["passes"] == ["p", "q", "r"]


def test_print_changed(capfd):
    def rename(mod, ctx):
        mod.operation.attributes["x"] = mod.operation.attributes["sym_name"]
        return mod

    changed = instrument.PrintChanged(print=False)
    with PassContext(instruments=[changed]):
        Sequential([make_pass("p"), make_pass("q", body=rename)])(make_module())
    first, second = changed.records
    assert first == {"step": 1, "pass": "p", "changed": False, "added": 0, "removed": 0, "diff": ""}
    assert (second["step"], second["changed"]) == (2, True)
    assert (second["added"], second["removed"]) == (1, 1)
    assert changed.render() == f"// 1 p: no change\n// 2 q: +1 -1\n{second['diff']}"
    assert capfd.readouterr().err == ""
    assert changed._repr_html_().startswith("<pre>// 1 p")


def parse_table(text):
    """The rows of a table in HTML, each cell as its text and its style."""
    return [
        [(cell[1], cell[0]) for cell in re.findall(r'<t[hd] style="([^"]*)">(.*?)</t[hd]>', row)]
        for row in re.findall("<tr>(.*?)</tr>", text)
    ]


def test_timing_records():
    timing = instrument.PassTimingInstrument(cpu=True)
    inner = Sequential([make_pass("b")], name="inner")
    with PassContext(instruments=[timing]):
        Sequential([make_pass("a"), inner], name="outer")(make_module())
        rows = parse_table(timing._repr_html_())
        times = ["time [us]", "self [us]", "wall [us]", "cpu [us]", "begin [us]"]
        columns = ["pass", *times, "runs", "unchanged", "disabled", "failed", "reason"]
        assert [text for text, _ in rows[0]] == columns
        outer, first, inner, second = [row[0] for row in rows[1:]]
        assert [cell[0] for cell in (outer, first, inner, second)] == ["outer", "a", "inner", "b"]
        assert outer[1] == "text-align:left;padding-left:0.5em"
        assert first[1] == inner[1] == "text-align:left;padding-left:2.0em"
        assert second[1] == "text-align:left;padding-left:3.5em"
        text, style = rows[1][1]
        assert style == "text-align:right"
        assert text == f"{timing.records[0]['time'] / 1000:,.1f}"
    # The text is gone with the scope, as TVM's, but the records are not.
    assert timing.render() == ""
    (outer,) = timing.records
    assert [record["pass"] for record in outer["passes"]] == ["a", "inner"]
    assert outer["time"] >= sum(record["time"] for record in outer["passes"])
    assert outer["reason"] == "runs: requested directly"
    assert outer["cpu"] > 0


def test_trace(tmp_path):
    file = tmp_path / "trace.json"
    for trace in instrument.Trace(file), instrument.Trace():
        with PassContext(instruments=[trace]):
            Sequential([make_pass("p"), make_pass("q")], name="outer")(make_module())
        spans = [event for event in trace.records if event["ph"] == "X"]
        assert [span["name"] for span in spans] == ["outer", "p", "q"]
        assert spans[0]["dur"] >= spans[1]["dur"] + spans[2]["dur"]
        assert trace.render() == "3 spans on 1 thread\n"
    names = {event["name"] for event in json.loads(file.read_text())["traceEvents"]}
    assert names == {"process_name", "thread_name", "memory", "outer", "p", "q"}


def test_op_statistics():
    statistics = instrument.OpStatistics()
    with PassContext(instruments=[statistics]):
        transform.get_pass("canonicalize")(make_module())
    (record,) = statistics.records
    assert record["pass"] == "canonicalize"
    assert record["after"] - record["before"] == sum(record["ops"].values())
    assert statistics.render().splitlines()[1].split()[:2] == ["1", "canonicalize"]


def test_tables_of_changes():
    statistics = instrument.OpStatistics()

    def add_op(mod, ctx):
        text = str(mod).replace(
            "%0 = relax.exp", "%1 = relax.exp %x : tensor<4xf32>\n%0 = relax.exp"
        )
        return mod.from_text(text)

    with PassContext(instruments=[statistics]):
        make_pass("<add>", body=add_op)(make_module())
    head, row = parse_table(statistics._repr_html_())
    assert [text for text, _ in head] == ["step", "pass", "before", "after", "functions", "ops"]
    assert [text for text, _ in row] == [
        *("1", "&lt;add&gt;", "6", "7"),
        *("unused: relax.exp +1", "relax.exp +1"),
    ]


def test_memory():
    memory = instrument.PassMemory()
    kept = []
    grow = make_pass("grow", body=lambda mod, ctx: kept.append(b"x" * 30_000_000) or mod)
    spike = make_pass("spike", body=lambda mod, ctx: len(b"y" * 60_000_000) and mod)
    with PassContext(instruments=[memory]):
        Sequential([grow, spike, make_pass("p")], name="s")(make_module())
    (outer,) = memory.records
    grown, spiked, plain = outer["passes"]
    assert [r["pass"] for r in (outer, grown, spiked, plain)] == ["s", "grow", "spike", "p"]
    assert grown["heap_after"] - grown["heap_before"] >= 30_000_000
    assert grown["rss_after"] - grown["rss_before"] >= 25_000_000
    if spiked["rss_peak"] is not None:
        assert spiked["rss_peak"] - spiked["rss_after"] >= 50_000_000
        assert outer["rss_peak"] >= spiked["rss_peak"]
        assert plain["rss_peak"] < spiked["rss_peak"] - 50_000_000


def test_verify():
    verify = instrument.VerifyPasses()
    with PassContext(instruments=[verify]):
        make_pass("p")(make_module())
    assert verify.records == [
        {"step": 1, "pass": "p", "valid": True, "error": None, "before": None}
    ]
    assert verify.render() == "// 1 p: valid\n"


def test_bisect(capfd):
    ran = []
    seq = Sequential([make_pass(name, ran) for name in ["a", "b", "c", "d"]])
    bisect = instrument.Bisect(steps=[1, "3-4"], disable=["d"])
    with PassContext(instruments=[bisect]):
        seq(make_module())
    assert ran == ["a", "c"]
    assert [(r["step"], r["pass"], r["runs"]) for r in bisect.records] == [
        (1, "a", True),
        (2, "b", False),
        (3, "c", True),
        (4, "d", False),
    ]
    assert capfd.readouterr().err == bisect.render()
    assert "BISECT: NOT running pass (2) b on partita.module @m" in bisect.render()
    for options in {"steps": ["x"]}, {"steps": [0]}, {"disable": [0]}:
        with pytest.raises(RuntimeError, match="expected"):
            with PassContext(instruments=[instrument.Bisect(**options)]):
                seq(make_module())


@pytest.mark.parametrize("field", ["steps", "disable"])
@pytest.mark.parametrize("value", ["12", "cse", 3, b"1", None, [True], [1.5], [None]])
def test_bisect_takes_lists(field, value):
    with pytest.raises(TypeError, match=f"expected {field} to be a list of numbers .* but found"):
        instrument.Bisect(**{field: value})


def test_report(tmp_path):
    report = instrument.Report(output=str(tmp_path / "a page.html"), title="<i>", diffs=True)
    with PassContext(instruments=[report]):
        Sequential([make_pass("p"), transform.get_pass("cse")])(make_module())
    page = (tmp_path / "a page.html").read_text()
    assert page == report.render() and "&lt;i&gt;" in page
    assert len(report.records) == 1
    assert report._repr_html_().startswith("<iframe")


def test_outputs_have_files_of_their_own(tmp_path):
    path = str(tmp_path / "report")
    first, second = (instrument.PassTimingInstrument(output=path) for _ in range(2))
    trace = instrument.Trace(output=os.path.join(str(tmp_path), ".", "report"))
    message = "'timing' and 'trace', which both write"
    with pytest.raises(RuntimeError, match=message):
        with PassContext(instruments=[first, trace]):
            pass
    # One after the other, they are the user's choice.
    for each in (first, second, trace, first):
        with PassContext(instruments=[each]):
            make_pass("A")(make_module())
    with PassContext(instruments=[first]):
        with pytest.raises(RuntimeError, match="'timing' and 'timing'"):
            with PassContext(instruments=[second]):
                pass


def test_files_stay_if_nothing_runs_because_of_an_error(tmp_path):
    path = tmp_path / "report"
    for name in ("PassTimingInstrument", "Report", "Trace", "PrintChanged"):
        path.write_text("earlier")
        with pytest.raises(KeyError):
            with PassContext(instruments=[getattr(instrument, name)(output=path)]):
                raise KeyError
        assert path.read_text() == "earlier"
        assert os.listdir(tmp_path) == ["report"]


def test_a_file_that_cannot_be_written_is_an_error():
    for name in ("PassTimingInstrument", "Report", "Trace"):
        with pytest.raises(RuntimeError, match="failed to exit the pass context.*No space left"):
            with PassContext(instruments=[getattr(instrument, name)(output="/dev/full")]):
                make_pass("A")(make_module())


def test_files_are_opened_before_the_passes(tmp_path):
    path = str(tmp_path / "none" / "report")
    for made in (instrument.PassTimingInstrument(output=path), instrument.Trace(output=path)):
        with pytest.raises(RuntimeError, match="failed to enter the pass context"):
            with PassContext(instruments=[made]):
                pytest.fail("the scope was entered")
