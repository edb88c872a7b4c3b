//===- Instruments.td - Partita's instruments --------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_INSTRUMENTS
#define PARTITA_INSTRUMENT_INSTRUMENTS

include "partita/Instrument/InstrumentBase.td"

// Options that reports at the end of the scope share.
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
           "Print constants with more elements than this as a hash; -1 for "
           "none">;

def Bisect : Instrument<"bisect"> {
  let summary = "Run some of the steps, to find the one at fault";
  let description = [{
    It runs only the first steps of a plan, or only the listed steps, and says
    of each step whether it runs, as LLVM's opt-bisect does. Steps have the
    numbers that a plan prints, from 1; a Sequential has none. Steps that are
    skipped for another reason keep their numbers. Numbers without a step are
    named when a run begins. If a pass runs passes on its module, these belong
    to that pass. Passes in the context's required_pass run in any case.

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
    PrintOption<"Print whether each step runs", "True">
  ];
  let replay = DropInReplay;
}

def Checkpoint : Instrument<"checkpoint"> {
  let summary = "Save the module after each pass, for partita-opt --resume-from";
  let description = [{
    A killed run goes on from its checkpoints by `--resume-from`, or in Python
    by the argument `resume_from` of a pass's call. A file is there whole or not
    at all. Once a should_run has skipped a step, no more checkpoints are
    written: the resumed run could have other instruments.

    The first checkpoint of a new run deletes the checkpoints of an earlier run;
    a resumed run keeps them. If several runs happen at the same time, the first
    one is kept; if one run is inside another, the outer one. It is an error if
    two runs write to one directory at the same time, also in two processes.

    `records` has for each checkpoint the `step`, the `pass` before it, and the
    `file`. Deleted checkpoints have records, too.
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
    Each pass that is no Sequential has a file of its own, `NUMBER_PASS.mlir`,
    as in TVM's DumpIR. Existing files stay, and numbers go on after the highest
    in the directory. A file is there whole or not at all.

    `records` has for each file the `step`, the `pass` before it, and the
    `file`.
  }];
  let options = [
    PathOption<"dumpDir", "dump-dir",
               "The directory to write to; made if it is not there",
               /*default=*/"", /*required=*/1>,
    Option<"refresh", "refresh", "bool", "false",
           "Delete the files that an earlier dump-ir wrote there, and nothing "
           "else, when the first pass is about to run">,
    PassesOption<"dump after">,
    Option<"bytecode", "bytecode", "bool", "false",
           "Write bytecode (.mlirbc) in place of text">
  ];
  let numPositional = 2;
  let replay = DropInReplay;
}

def Numerics : Instrument<"numerics"> {
  let summary = "Find the pass that changes what the module computes";
  let description = [{
    After each pass that changes the module, the module is run on the same
    inputs, and its outputs are compared with the outputs before the first pass.
    The first pass with other outputs ends the run with an error. The error
    names the pass and the worst element, and the files with the modules before
    and after it. A run that crashes, or takes too long, differs, too. If the
    module before the pass has other outputs when it is run again, or the module
    after it has not, the outputs differ from run to run, and no pass is blamed.

    Without a `runner`, partita-run runs the module, in a process of its own. A
    module that cannot be run, such as a half lowered one, is left out; how many
    are is printed at the end. It is an error if no module could be run.

    In Python, the `runner` can be a function, which gets a copy of the module,
    and returns an array of NumPy or a sequence of arrays. It runs in this
    process. An exception in it means that the module cannot be run.

    `records` has for each pass the `step`, the `pass`, and the `status`:

    - "same", "differs";
    - "unchanged", the module is as before;
    - "not run", it could not be run;
    - "not checked", as `every` and `passes` say;
    - "unstable", the outputs differ from run to run.

    The `message` says how they differ, or why the module could not be run. If
    they differ, there are the files `before`, `after` and `inputs`, and where an
    element differs its `output`, a number from 0, and its `element`, as "[0, 3]",
    with the values `expected` and `found`; else these are None.
  }];
  let options = [
    PassesOption<"run the module after">,
    Option<"every", "every", "unsigned", "1",
           "Run it after every Nth step, and at the end; if the outputs differ, "
           "search among the steps before">,
    RunnerOption<"runner", "runner",
                 "A command in place of partita-run: %s is the file of the "
                 "module, %i a .npz with inputs, %o a .npz for the outputs; "
                 "without %o, the numbers on stdout are the outputs">,
    PathOption<"inputs", "inputs",
               "A .npz with the inputs; made from the seed by default">,
    Option<"seed", "seed", "unsigned", "0", "The seed of inputs that are made">,
    ListOption<"sizes", "sizes", "std::string",
               "Sizes of these inputs that have names, as n=4">,
    Option<"entry", "entry", "std::string", /*default=*/"",
           "The function that is run: main, or else the only one">,
    Option<"rtol", "rtol", "double", "-1",
           "The relative tolerance. If negative, it depends on the dtype: 1e-2 "
           "for floats of two bytes, 1e-4 for float32 and for numbers on stdout, "
           "1e-9 for float64, 0 for integers">,
    Option<"atol", "atol", "double", "-1",
           "The absolute tolerance, which is added to it; as the relative one by "
           "default">,
    Option<"timeLimit", "time-limit", "unsigned", "300",
           "How many seconds a run may take; 0 for any time">,
    PathOption<"saveDir", "save-dir",
               "Where the modules before and after the pass and the inputs go; a "
               "new directory among the system's temporary ones by default">,
    PrintOption<"Print what could not be checked", "True">
  ];
  let numPositional = 1;
  let replay = DropInReplay;
}

def OpStatistics : Instrument<"op-statistics"> {
  let summary = "Report how each pass changed the number of ops";
  let description = [{
    Ops are counted by their name and their function. If an op replaces another
    op with its name, the counts stay the same.

    `records` has for each pass the `step`, the `pass`, the number of ops in the
    module (`before` and `after`), the change for each op name (`ops`), and the
    same change for each function that changed (`functions`; "" stands for ops
    outside functions).
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
    It looks between passes, so that they run one by one. The numbers belong to
    the whole process: they include what other threads do meanwhile. The peak is
    Linux's high-water mark (VmHWM), which is reset before each pass, for the
    whole process. The peak is unknown if the reset is not permitted.

    `records` has for each pass the `step` (0 for a Sequential), the `pass`, the
    resident set (`rss_before`, `rss_after` and its peak, `rss_peak`), the
    memory that malloc has given out (`heap_before`, `heap_after`), whether the
    pass has `failed`, and records of the `passes` in it. Memory is in bytes, or
    None if it is not known.
  }];
  let options = [
    reportOutput, reportPrint, reportJSON,
    Option<"peak", "peak", "bool", "true",
           "Whether to reset the process's high-water mark to find peaks">
  ];
}

def PassTimingInstrument : Instrument<"timing"> {
  let summary = "Report how long each pass took";
  let description = [{
    It looks at no module, so passes run as they do without it. The time of a
    pass that MLIR runs on many functions is the sum over the functions. Ask
    `render` before the scope is left.

    `records` has for each pass, also after the scope was left:

    - `pass`, its name;
    - `begin`, when it began, counted from the begin of the first pass, or None if
      it did not run;
    - `time`, the sum over operations, and `self`, the same without the passes
      inside it;
    - `wall`, how long a thread was in it;
    - `cpu`, its processor time, or None if that was not measured;
    - `runs`, the number of operations that it ran on;
    - `unchanged`, the number of operations that it did not run on, because it
      has left them as they are before;
    - `reason`, why it was to run;
    - `disabled`, whether the context disables it;
    - `vetoed_by`, the names of the instruments against it;
    - `failed`, whether it failed;
    - `passes`, records of the passes inside it.

    All times are in nanoseconds.
  }];
  let renderDescription = [{
    A line a pass, a tab a level: NAME: TOTALus [SELFus] (OF ALL; OF PARENT).

    With format "list" it is the table; with any other format it is TVM's tree.
    Below the tree are the passes that ran although they are disabled, because
    another pass requires them, and the passes that a should_run skipped. Empty
    after the scope was left.
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
    Prints a unified diff of the IR, or a line for a pass that changed nothing,
    as LLVM's -print-changed=diff does. Changed locations do not count.

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
    It prints to stderr. With patterns for function names, it prints the
    matching functions in place of the module.
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
    It shows on stderr the running pass, its number, the number of all passes,
    the time so far, and an estimate of the remaining time. The estimate assumes
    that later passes take the average time of the earlier ones. Where stderr is
    no terminal it does nothing, and costs nothing. If several runs happen at the
    same time, the first one is shown; if one run is inside another, the outer
    one.

    In Python, tqdm or rich draws the bar if one of them is installed, in a
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
    and `render` returns it. The times leave out what the report itself costs. A
    page stays below 20 MB: the longest diffs are cut, and if there are very
    many functions, the shortest spans are left out. The page says so.

    Scopes on several threads, or one inside another, can share a report.
    Entering a scope forgets the runs that have ended, and keeps the ones that
    go on.

    `records` has for each run, in the order in which they began, the name of
    its pass (`root`), the name of the `module`, the context's `opt_level`,
    `required_pass` and `disabled_pass`, whether it has `failed`, the time in
    which its pass manager was made, if it was (`set_up`), and

    - `parent`, if it is inside a pass: the numbers of that run and of the pass,
      from 0;
    - `diagnostics`, each with `severity`, `location`, `message` and `notes`;
    - `functions`, the names that spans refer to by number;
    - `spans` of passes on functions in one flat list, five numbers each: the
      pass, the function, the thread, the time from the previous span's begin, and
      the duration;
    - `spans_left_out`, how many spans were left out;
    - `lines`, the texts that diffs refer to by number;
    - `passes`, the entries of the plan.

    Such an entry has the `step` (0 for a Sequential and for a skipped pass),
    `name`, `argument`, `depth`, whether it is `sequential`, the `reason`, and the
    `status`: "ran", "skipped", "vetoed", "failed", "running", "not reached", or
    "not seen" while other instruments were in the report's place. Where it
    applies, it has

    - `disabled`, True if the context disables it, and `vetoed_by`, names of
      instruments;
    - `begin` and `end` since the scope was entered, the `time` summed up over
      operations, the time that a thread was in it (`wall`), and the number of
      operations that it ran on (`runs`);
    - `memory`, the bytes of the heap, and `ops`, how many there are, both before
      and after;
    - `changed`, True if it changed something, and `op_changes`, the change in the
      number of ops for each op name;
    - `added` and `removed`, how many lines; `diff`, a list of hunks; `diff_cut`,
      True if hunks are missing.

    A hunk has its first lines `old` and `new`, from 1, its function (`in`), and
    flat `edits`: 0 and a line of both texts; 1, the old and the new line, if
    only names of values or the indentation differ; 2 and a removed line; 3 and
    an added line.

    All times are in nanoseconds; a running pass has its times so far.
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
    The file has Chrome's trace event format. Each thread has a track, with a
    span for each pass on each function, inside spans for the function and for
    the Sequentials around it. A counter shows the process's resident set. It
    looks at no module, so passes run as they do without it.

    `records` are the trace events. Each has a `name`, its kind (`ph`), the
    process (`pid`), the thread (`tid`), and `args`. By kind, it also has:

    - X, a span: `cat` ("pass", "function" or "sequential"), the begin (`ts`) and
      the duration (`dur`) in microseconds; in `args`, whether it has `failed`,
      and for a pass its `step` and `function`;
    - C, a sample: `ts`, and in `args` the `resident bytes`;
    - M, a thread or the process: in `args` the `name`.
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
    Passes that changed nothing need no verification. The error names the pass
    and the file with the module before the pass.

    `records` has for each pass the `step`, the `pass`, and whether the module
    is `valid` after it. For an invalid module it also has the `error` and the
    file with the module `before` the pass; else both are None.
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

def Waste : Instrument<"waste"> {
  let summary = "Report what passes did for nothing, and what saves it";
  let description = [{
    It finds by hashes which passes left an operation as it was. It says how
    much time of passes and verifier `partita.skip_unchanged` and
    `partita.nest_in_functions` would save, and how much the verifier took. The
    times leave out the hashes.

    `records` has for each pass and each place in the plan the `pass`, the
    numbers of its `steps`, on how many operations it ran (`runs`), how many of
    these it left as they were (`unchanged`), and times in nanoseconds:

    - `time`, of all its runs;
    - `wasted`, of the runs that changed nothing;
    - `skippable`, of the runs that `partita.skip_unchanged` leaves out;
    - `nestable`, of the runs on a whole module that
      `partita.nest_in_functions` spreads over its functions;
    - `verifying`, of MLIR's verifier after its runs, estimated;
    - `hashing`, of the hashes that `partita.skip_unchanged` needs;
    - `around`, a share of the time of the pass manager around passes.

    A run whose pass manager was made anew, although the instrument has seen a
    run of equal passes before, has a record of its own: the `pass` that was
    run, the time in which passes were made and initialized (`set_up`), and as
    `made_anew` the reason: "sequential" (another Sequential has these passes),
    "context" (for another MLIR context), "one_run" (one of the caller's, or
    not kept because of the run's options) or "not_kept" (a context keeps 64,
    each for one thread at a time). It is None in other records.
  }];
  let options = [reportOutput, reportPrint, reportJSON];
}

#endif // PARTITA_INSTRUMENT_INSTRUMENTS
