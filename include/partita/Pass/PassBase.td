//===- PassBase.td - Pass records with a PassInfo ----------*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass declares its PassInfo (TVM: name, opt_level, required) in its record.
// mlir-tblgen makes the pass class from the record. partita-tblgen makes the
// registration of the PassInfo, and the free function that creates the pass.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PASS_PASSBASE
#define PARTITA_PASS_PASSBASE

include "mlir/Pass/PassBase.td"

// The name of a pass or a Sequential, and when it runs.
class PassInfo<string ns, string name, int level, list<string> requires> {
  // The namespace in the qualified name, as in TVM ("relax.transform").
  string qualifier = ns;

  // TVM's name, which PassInfo.name holds.
  string passName = name;

  // The lowest opt_level of a PassContext that enables the pass.
  int optLevel = level;

  // Names of passes that run before this one does.
  list<string> required = requires;

  // Whether an earlier run of a required pass is enough (see PassInfo.h).
  bit reuseRequired = 0;
}

// A pass with a PassInfo, on `operation` (a C++ op class; "" for any op).
class PartitaPass<string argument, string operation, string ns, string name,
                  int level = 0, list<string> requires = []>
    : Pass<argument, operation>, PassInfo<ns, name, level, requires> {
  // Whether the pass reads PassContext::current() on worker threads.
  bit readsPassContext = 0;

  // See PassTraits in PassRegistry.h.
  bit isLocal = 0;
  bit alwaysRuns = 0;
  bit isIdempotent = 0;
  bit isCacheable = 1;
}

// A registered Sequential. Its members are names of passes, or text as in a
// pipeline, with options and with the ops that they are nested under:
// "func.func(canonicalize{top-down=false},cse)".
class PartitaSequential<string arg, string ns, string name, int level,
                        list<string> members, list<string> requires = []>
    : PassInfo<ns, name, level, requires> {
  string argument = arg;
  string summary = "";
  string description = "";
  list<string> passes = members;
}

// A field of a config option that is a struct. `type` is "bool", "int",
// "float", "string" or a list of one type ("list<int>"). `defaultValue` is in
// MLIR's attribute syntax, without a type.
class ConfigField<string name, string fieldType, string value, string desc> {
  string fieldName = name;
  string type = fieldType;
  string defaultValue = value;
  string description = desc;
}

// A key that PassContexts may set for the passes of this file (TVM's
// TVM_REGISTER_PASS_CONFIG_OPTION). It is registered with these passes. With
// `fields` the option is a struct, and `type` its name. Passes read the
// generated C++ struct: `UnrollLoopConfig::get(context).autoMaxStep`. They read
// a key without fields by a function, `getNAME(context)` for `def NAME`.
class PassConfig<string configKey, string configType, string value, string desc,
                 list<ConfigField> structFields = []>
    : ConfigField<configKey, configType, value, desc> {
  list<ConfigField> fields = structFields;
}

#endif // PARTITA_PASS_PASSBASE
