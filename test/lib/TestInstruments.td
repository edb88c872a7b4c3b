//===- TestInstruments.td - Instruments for tests ----------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "partita/Instrument/InstrumentBase.td"

def TestTrace : Instrument<"test-trace"> {
  let summary = "Print each callback";
  let options = [
    Option<"name", "name", "std::string", "\"trace\"", "What to print">,
    ListOption<"fail", "fail", "std::string",
               "The callbacks that fail: enter, exit, should, before, after">,
    Option<"failAt", "fail-at", "std::string", "",
           "The pass at which they do; any if empty">,
    ListOption<"skip", "skip", "std::string", "Passes that should not run">,
    Option<"observe", "observe", "bool", "true",
           "Look at the module between passes">
  ];
}

def TestKill : Instrument<"test-kill"> {
  let summary = "Kill the process";
  let options = [
    Option<"before", "before", "unsigned", "",
           "The number of the pass before which it does">,
    Option<"after", "after", "unsigned", "",
           "The number of the pass after which it does">
  ];
}

def TestChange : Instrument<"test-change"> {
  let summary = "Set an attribute of the module after each pass, which "
                "instruments must not do";
}
