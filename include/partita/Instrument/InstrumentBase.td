//===- InstrumentBase.td - Instrument records --------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record declares an instrument. From it partita-tblgen makes the struct
// NAMEOptions, the registration, the help, and the class NAME in Python. It
// also declares createNAME(NAMEOptions), which the instrument's .cpp defines.
//
// The options are MLIR's, of type bool, int, unsigned, double or std::string; a
// ListOption holds std::strings. In Python they are keywords, with `_` in place
// of `-`. The classes below say what Python checks beyond the type.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_INSTRUMENTBASE
#define PARTITA_INSTRUMENT_INSTRUMENTBASE

include "mlir/Pass/PassBase.td"

// A file or a directory.
class PathOption<string varName, string arg, string desc, string default = "",
                 bit required = 0>
    : Option<varName, arg, "std::string", default, desc> {
  // Whether the option must be given in Python.
  bit isRequired = required;
}

// A command. In Python also a function, which the instrument calls in its place.
class RunnerOption<string varName, string arg, string desc>
    : Option<varName, arg, "std::string", "", desc>;

// Whether the instrument prints or writes; true by default. In Python the
// default is the expression `python`, since `records` has the results there.
class PrintOption<string desc, string python>
    : Option<"print", "print", "bool", "true", desc> {
  string pythonDefault = python;
}

// One of several values; the first is the default.
class EnumCase<string varName, string enumName, string desc> {
  string cppName = varName;
  string name = enumName;
  string description = desc;
}
class EnumOption<string varName, string arg, string enumType, string desc,
                 list<EnumCase> enumCases>
    : Option<varName, arg, enumType, "", desc> {
  list<EnumCase> cases = enumCases;
}

// A list of strings that may be given as numbers; `what` names them in errors.
class StepListOption<string varName, string arg, string desc, string what>
    : ListOption<varName, arg, "std::string", desc> {
  string elements = what;
}

// How a reproducer keeps an instrument. A replayed plan is flat, so that its
// numbers differ, and a replay must not overwrite files of the first run. An
// instrument with a set option `output` is always dropped.
class Replay<string name> {
  string cppName = name;
}
def KeepInReplay : Replay<"Keep">;
def DropInReplay : Replay<"Drop">;
def DropOptionsInReplay : Replay<"DropOptions">;

class Instrument<string name> {
  // The name in `--instrument`.
  string instrumentName = name;

  // A line without a full stop.
  string summary = "";

  // The documentation, and Python's docstring. Lists the fields of the records,
  // in backquotes, with their units.
  string description = "";

  // Python's docstring of `render`; empty for the docstring that all share.
  string renderDescription = "";

  list<Option> options = [];

  // How many options Python also takes by position; they come first.
  int numPositional = 0;

  Replay replay = KeepInReplay;

  // How a notebook shows the instrument: a "table" of the records, or the
  // output of `render` as "text" or as a "page" of HTML.
  string notebook = "table";
}

#endif // PARTITA_INSTRUMENT_INSTRUMENTBASE
