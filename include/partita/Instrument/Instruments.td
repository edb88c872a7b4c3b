//===- Instruments.td - Partita's instruments --------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_INSTRUMENTS
#define PARTITA_INSTRUMENT_INSTRUMENTS

include "partita/Instrument/InstrumentBase.td"

// What reports at the end of the scope has in common.
defvar reportOutput = PathOption<
    "output", "output",
    "Where the report goes when the scope is left: a file, - for stdout; stderr "
    "by default">;
class ReportPrint<string format>
    : PrintOption<"Whether to print it at all", "output is not None or " # format>;
defvar reportPrint = ReportPrint<"json is True">;
defvar reportJSON =
    Option<"json", "json", "bool", "false", "Print JSON in place of a table">;

class PassesOption<string what>
    : ListOption<"passes", "passes", "std::string",
                 "The passes to " # what #
                 ", by any of their names; all if none is given">;
defvar elide =
    Option<"elide", "elide", "int", "16",
           "Elide constants of more elements than this, but for a hash of them; "
           "-1 for none">;

def Bisect : Instrument<"bisect"> {
  let summary = "Run some of the steps, to find the one at fault";
  let description = [{
    It runs the first steps of a plan only, or those that are listed, and says
    which step runs and which does not, as LLVM's opt-bisect does. Steps have the
    numbers that a plan prints, from 1: what is skipped for another reason does
    not change them, and a Sequential has none. Numbers that no step has are named
    when a run begins. What a pass runs on the module that it got belongs to that
    pass. No instrument is asked about passes in the context's required_pass, which
    run in any case.

    `records` has for each pass that was to run the `step` (None for a
    Sequential), the `pass`, and whether it `runs`.
  }];
  let options = [
    Option<"limit", "limit", "int", "-1", "Run the first N steps; -1 for all">,
    StepListOption<"steps", "steps",
                   "Run these steps only: numbers and ranges, as 1-5,8",
                   "numbers and ranges">,
    StepListOption<"disable", "disable",
                   "Do not run these: numbers of steps, names of passes",
                   "numbers of steps and names of passes">,
    PrintOption<"Say what runs, and what does not", "True">
  ];
  let replay = DropInReplay;
}

def Checkpoint : Instrument<"checkpoint"> {
  let summary = "Save the module after each pass, for partita-opt --resume-from";
  let description = [{
    A killed run goes on from them, by `--resume-from` or the `resume_from` of a
    pass's call in Python. A file is there whole or not at all. Once a should_run
    has skipped a step, no more are written: a run that goes on could have other
    instruments.

    The first checkpoint of a run that does not resume takes the place of those of
    an earlier one. Of runs at the same time the first is kept; of one inside
    another, the outer. While a run writes to a directory, another that is to is
    an error, in other processes, too.

    `records` has for each checkpoint the `step`, the `pass` that it is after, and
    the `file`, also of those that are not kept any more.
  }];
  let options = [
    PathOption<"dir", "dir",
               "The directory to write to; made if it is not there",
               /*default=*/"", /*required=*/1>,
    Option<"keep", "keep", "unsigned", "1",
           "How many checkpoints to keep, the last ones; 0 for all">
  ];
  let numPositional = 1;
  let replay = DropInReplay;
}

def DumpIR : Instrument<"dump-ir"> {
  let summary = "Write the module after each pass to a file";
  let description = [{
    Each pass that is no Sequential has a file of its own, `NUMBER_PASS.mlir`, as
    TVM's DumpIR. What is in the directory stays, and numbers go on after the
    highest there. A file is there whole or not at all.

    `records` has for each file the `step`, the `pass` that it is after, and the
    `file`.
  }];
  let options = [
    PathOption<"dumpDir", "dump-dir",
               "The directory to write to; made if it is not there",
               /*default=*/"", /*required=*/1>,
    Option<"refresh", "refresh", "bool", "false",
           "Delete the files that an earlier dump-ir wrote there, and nothing "
           "else, when the scope is entered">,
    PassesOption<"dump after">,
    Option<"bytecode", "bytecode", "bool", "false",
           "Write bytecode (.mlirbc) in place of text">
  ];
  let numPositional = 2;
  let replay = DropInReplay;
}

def OpStatistics : Instrument<"op-statistics"> {
  let summary = "Report how each pass changed the number of ops";
  let description = [{
    Ops are counted by their name and the function that they are in. One op put
    in the place of another of its name does not show.

    `records` has for each pass the `step`, the `pass`, how many ops the module
    has `before` and `after` it, how many more there are of each name (`ops`), and
    that for each function that changed (`functions`; "" is what is in none).
  }];
  let options = [
    reportOutput, reportPrint, reportJSON,
    Option<"functions", "functions", "bool", "false",
           "Have a line for each function that changed, too">
  ];
}

def PassMemory : Instrument<"memory"> {
  let summary = "Report how much memory each pass took";
  let description = [{
    It looks between passes, so that they run one by one. The numbers are the
    process's: what other threads do meanwhile is in them. The peak is Linux's
    high-water mark (VmHWM), which is set back before each pass, for the whole
    process; where that is not permitted the peak is not known.

    `records` has for each pass the `step` (0 for a Sequential), the `pass`, in
    bytes the resident set (`rss_before`, `rss_after` and its peak, `rss_peak`)
    and what malloc has given out (`heap_before`, `heap_after`), each None if it
    is not known, whether it has `failed`, and records of the `passes` in it.
  }];
  let options = [
    reportOutput, reportPrint, reportJSON,
    Option<"peak", "peak", "bool", "true",
           "Whether to set the process's high-water mark back to find peaks">
  ];
}

def PassTimingInstrument : Instrument<"timing"> {
  let summary = "Report how long each pass took";
  let description = [{
    It looks at no module, so passes run as they do without it; a pass that MLIR
    ran on many functions has the sum of their times. Ask `render` before the
    scope is left.

    `records` has for each pass, also after the scope was left, the `pass`; in
    nanoseconds when it began since the first did (`begin`, None if it did not
    run), its `time` summed up over operations, that without the passes in it
    (`self`), how long a thread was in it (`wall`), and processor time (`cpu`,
    None if it was not measured); on how many operations it ran (`runs`), why
    (`reason`), whether the context has it `disabled`, the names of instruments
    against it (`vetoed_by`), whether it has `failed`, and records of the `passes`
    in it.
  }];
  let renderDescription = [{
    A line a pass, a tab a level: NAME: TOTALus [SELFus] (OF ALL; OF PARENT).

    With format "list" it is the table, with any other the tree, which is TVM's.
    Below are the passes that ran although they are disabled, because another
    requires them, and those that a should_run skipped. Empty after the scope was
    left.
  }];
  let options = [
    reportOutput, ReportPrint<"format == \"json\"">,
    EnumOption<"format", "format", "Format", "What is printed",
               [EnumCase<"Tree", "tree", "TVM's report">,
                EnumCase<"List", "list",
                         "a table with a line for each name of a pass">,
                EnumCase<"JSON", "json", "JSON">]>,
    EnumOption<"sort", "sort", "Sort", "The order of the list",
               [EnumCase<"Time", "time", "the most time first">,
                EnumCase<"Self", "self",
                         "the most time outside of passes in it first">,
                EnumCase<"CPU", "cpu", "the most processor time first">,
                EnumCase<"Runs", "runs", "the most runs first">,
                EnumCase<"Name", "name", "by name">]>,
    Option<"cpu", "cpu", "bool", "false",
           "Measure processor time, too: two system calls for each pass and "
           "function">
  ];
}

def PrintChanged : Instrument<"print-changed"> {
  let summary = "Print what each pass changed as a diff";
  let description = [{
    A unified diff of the IR, and for passes that changed nothing a line, as
    LLVM's -print-changed=diff. Changed locations are no change.

    `records` has for each pass the `step`, the `pass`, whether it has `changed`
    something, how many lines are `added` and `removed`, and the `diff`.
  }];
  let options = [
    PassesOption<"look at">,
    PathOption<"output", "output",
               "Where it is printed: a file, - for stdout; stderr by default">,
    PrintOption<"Whether to print it at all", "True">,
    EnumOption<"color", "color", "Color", "When to colour the lines",
               [EnumCase<"Auto", "auto", "on a terminal">,
                EnumCase<"Always", "always", "always">,
                EnumCase<"Never", "never", "never">]>,
    Option<"context", "context", "unsigned", "3",
           "How many lines to show around a change">,
    elide
  ];
  let numPositional = 1;
  let notebook = "text";
}

class PrintIR<string name> : Instrument<name> {
  let description = [{
    It goes to stderr. Functions are printed in place of the module where patterns
    for their names are given.
  }];
  let options = [
    PassesOption<"print at">,
    ListOption<"functions", "functions", "std::string",
               "Print the functions that one of these glob patterns fits "
               "('main', 'inner::f', 'conv*') in place of the module">,
    elide
  ];
  let numPositional = 1;
}
def PrintIRBefore : PrintIR<"print-ir-before"> {
  let summary = "Print the module before passes";
}
def PrintIRAfter : PrintIR<"print-ir-after"> {
  let summary = "Print the module after passes";
}

def PrintPasses : Instrument<"print-passes"> {
  let summary = "Print the name of each pass before it runs";
  let description = [{
    A line on stderr before each pass, so that the last one names the pass that
    hangs or crashes. It collects nothing: there are no `records`.
  }];
}

def Progress : Instrument<"progress"> {
  let summary = "Show on a terminal which pass runs";
  let description = [{
    It shows on stderr which pass of how many is running, for how long the run
    has, and how long it will yet if passes go on to take what they took on
    average. Where stderr is no terminal it does nothing, and costs nothing. Of
    runs at the same time the first is shown; of one inside another, the outer.

    In Python, the bar is that of tqdm or rich, if one of them is installed, in a
    notebook, too. It collects nothing: there are no `records`.
  }];
  let options = [
    Option<"interval", "interval", "unsigned", "100",
           "The least time between two updates, in milliseconds">
  ];
}

def Report : Instrument<"report"> {
  let summary = "Write an HTML page about what ran";
  let description = [{
    A timeline, the plan with its reasons, and for each pass its time, memory,
    change in operations and diff. The page is one file that needs nothing else,
    and `render` gives it. What the report itself costs is left out of its times.
    So that a page stays below 20 MB, the longest diffs are cut, and of very many
    functions the shortest spans; the page says so.

    Scopes on several threads, or one inside another, can share a report: to enter
    one forgets the runs that have ended, not those that still go on.

    `records` has for each run, in the order in which they began, the name of what
    ran (`root`), that of the `module`, the context's `opt_level`, `required_pass`
    and `disabled_pass`, whether it has `failed`, and

    - `parent`, if it is inside a pass: the numbers of that run and of the pass,
      from 0;
    - `diagnostics`, each with `severity`, `location`, `message` and `notes`;
    - `functions`, the names that spans refer to by number;
    - `spans` of passes on functions in one flat list, five numbers each: the
      pass, the function, the thread, the begin since that of the span before, and
      the duration;
    - `spans_left_out`, how many spans of very many are not there;
    - `lines`, the texts that diffs refer to by number;
    - `passes`, the entries of the plan.

    Such an entry has the `step` (0 for a Sequential and for what is skipped),
    `name`, `argument`, `depth`, whether it is `sequential`, the `reason`, and the
    `status`: "ran", "skipped", "vetoed", "failed", "running", "not reached", or
    "not seen" while other instruments were in the report's place. Where it
    applies, it has

    - `disabled`, True if the context disables it, and `vetoed_by`, names of
      instruments;
    - `begin` and `end` since the scope was entered, the `time` summed up over
      operations, and `wall`, how long a thread was in it; on how many operations
      it ran (`runs`);
    - `memory`, the bytes of the heap, and `ops`, how many there are, both before
      and after;
    - `changed`, True if it changed something, and `op_changes`, how many more ops
      there are of each name;
    - `added` and `removed`, how many lines; `diff`, a list of hunks with the
      first lines `old` and `new`, from 1, the function that they are `in`, and
      `edits`; `diff_cut`, True if that is not all. Edits are flat: 0 and a line
      of both; 1, the old and the new line, where names of values or indentation
      differ alone; 2 and a removed line; 3 and an added one.

    All times are in nanoseconds; those of a pass that is running last up to now.
  }];
  let options = [
    PathOption<"output", "output",
               "The file to write when the scope is left, - for stdout; empty for "
               "none",
               "\"report.html\"">,
    Option<"title", "title", "std::string", "\"Pass report\"",
           "The title of the page">,
    Option<"diffs", "diffs", "bool", "true",
           "Whether to show what each pass changed">,
    elide
  ];
  let replay = DropInReplay;
  let notebook = "page";
}

def Trace : Instrument<"trace"> {
  let summary = "Write a timeline for ui.perfetto.dev";
  let description = [{
    It is in Chrome's trace event format: a track for each thread, on it a span
    for each pass on each function, in spans for the function and for the
    Sequentials around it, and the process's resident set as a counter. It looks
    at no module, so passes run as they do without it.

    `records` are the trace events, each with a `name`, its kind (`ph`), the
    process (`pid`) and the thread (`tid`), and more in `args`. Spans (X) have a
    `cat`, "pass", "function" or "sequential", and in microseconds the begin
    (`ts`) and the duration (`dur`); in `args`, whether it has `failed`, and of a
    pass the `step` and the `function`. Samples (C) have a `ts`, and `args` the
    `resident bytes`; of threads and the process (M), `args` has the `name`.
  }];
  let options = [
    PathOption<"output", "output",
               "Where the trace goes when the scope is left: a file, - for stdout; "
               "stderr by default">,
    PrintOption<"Whether to write it at all", "output is not None">
  ];
  let numPositional = 1;
  let notebook = "text";
}

def VerifyPasses : Instrument<"verify"> {
  let summary =
      "Verify after each pass, and save the module before the one that failed";
  let description = [{
    Passes that changed nothing are not verified after. The error names the pass,
    and the file that it saves the module before the pass to.

    `records` has for each pass the `step`, the `pass`, whether the module is
    `valid` after it, and if it is not, the `error` and the file with the module
    `before` it; None else.
  }];
  let options = [
    PathOption<"saveDir", "save-dir",
               "Where the module before the pass goes, as before-STEP-PASS.mlir; "
               "a new file in the system's directory for temporary ones by "
               "default">
  ];
  let numPositional = 1;
  let replay = DropOptionsInReplay;
}

#endif // PARTITA_INSTRUMENT_INSTRUMENTS
