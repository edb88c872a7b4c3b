//===- InstrumentBase.td - Instrument records --------------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instrument is declared by a record. From it partita-tblgen makes the struct
// NAMEOptions, the declaration of createNAME(NAMEOptions), which the instrument's
// .cpp defines, the registration, the help, and the class NAME in Python.
//
// The options are MLIR's, of type bool, int, unsigned or std::string; a ListOption
// is of std::string. In Python they are keywords, with `_` in place of `-`. What
// Python checks beyond the type is said by the classes below.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INSTRUMENT_INSTRUMENTBASE
#define PARTITA_INSTRUMENT_INSTRUMENTBASE

include "mlir/Pass/PassBase.td"

// A file or a directory.
class PathOption<string varName, string arg, string desc, string default = "",
                 bit required = 0>
    : Option<varName, arg, "std::string", default, desc> {
  // Whether Python wants it to be given.
  bit isRequired = required;
}

// Whether something is written, which it is by default. Python writes if the
// expression `python` is true: what was seen is in `records` there.
class PrintOption<string desc, string python>
    : Option<"print", "print", "bool", "true", desc> {
  string pythonDefault = python;
}

// One of some values; the first one is the default.
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

// A list of strings that may be given as numbers; `what` says what they are.
class StepListOption<string varName, string arg, string desc, string what>
    : ListOption<varName, arg, "std::string", desc> {
  string elements = what;
}

// What a reproducer has of an instrument: a replayed plan is flat and has numbers
// of its own, and must not write over what the first run wrote. One with an
// option `output` that is set is dropped in any case.
class Replay<string name> {
  string cppName = name;
}
def KeepInReplay : Replay<"Keep">;
def DropInReplay : Replay<"Drop">;
def DropOptionsInReplay : Replay<"DropOptions">;

class Instrument<string name> {
  // What `--instrument` calls it.
  string instrumentName = name;

  // A line without a full stop.
  string summary = "";

  // What there is to know, for Python's docstring, too; there must be the fields
  // of its records, in backquotes, with their units.
  string description = "";

  // What `render` gives, for its docstring in Python; empty for what all say.
  string renderDescription = "";

  list<Option> options = [];

  // How many options Python takes by position, too; they come first.
  int numPositional = 0;

  Replay replay = KeepInReplay;

  // What a notebook shows: a "table" of the records, or what `render` gives, as
  // "text", or as a "page" of HTML.
  string notebook = "table";
}

#endif // PARTITA_INSTRUMENT_INSTRUMENTBASE
