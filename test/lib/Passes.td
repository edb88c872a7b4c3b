//===- Passes.td - Config options of every type, for tests -*- tablegen -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "partita/Pass/PassBase.td"

def TestFlag : PassConfig<"test.flag", "bool", "false", "A flag">;
def TestCount : PassConfig<"test.count", "int", "1", "A number">;
def TestScale : PassConfig<"test.scale", "float", "0.5", "A scale">;
def TestLabel : PassConfig<"test.label", "string", "\"none\"", "A text">;
def TestSizes : PassConfig<"test.sizes", "list<int>", "[]", "A list of numbers">;
def TestUnroll : PassConfig<"test.Unroll", "UnrollConfig", "{}", "A struct", [
  ConfigField<"max_step", "int", "8", "steps">,
  ConfigField<"explicit_unroll", "bool", "true", "unroll, not annotate">,
]>;

def AddFuncPass : Pass<"test-add-func", "::mlir::ModuleOp"> {
  let summary = "Add a copy of the first function";
  let options = [
    Option<"name", "name", "std::string", /*default=*/"\"added\"",
           "The name of the copy">,
  ];
}

def AnalyzePass : Pass<"test-analyze"> {
  let summary = "Ask for an analysis, with a remark where it is made, and "
                "preserve it";
  let options = [
    Option<"preserves", "preserves", "bool", /*default=*/"true",
           "Preserve all analyses">,
  ];
}

def UseParentAnalysisPass
    : Pass<"test-use-parent-analysis", "::mlir::func::FuncOp"> {
  let summary = "Mark functions whose parent's analysis is at hand";
}

def CrashPass : Pass<"test-crash"> {
  let summary = "Abort";
}

def FailInvalidPass : Pass<"test-fail-invalid", "::mlir::func::FuncOp"> {
  let summary = "Erase the terminators, and fail";
}

def FailPass : Pass<"test-fail"> {
  let summary = "Fail";
  let options = [
    Option<"on", "on", "std::string", /*default=*/"",
           "The symbol to fail on; all if empty">,
  ];
}

def FuncMarkPass : Pass<"test-func-mark", "::mlir::func::FuncOp"> {
  let summary = "Mark functions as touched";
}

def InvalidIRPass : Pass<"test-invalid-ir", "::mlir::func::FuncOp"> {
  let summary = "Erase the terminators";
  let options = [
    Option<"preserves", "preserves", "bool", /*default=*/"false",
           "Say that nothing has changed, so that MLIR does not verify">,
  ];
}

def PrintConfigPass : Pass<"test-print-config"> {
  let summary = "Print values of the current PassContext's config to stderr";
  let options = [
    ListOption<"keys", "keys", "std::string", "The keys to print">,
  ];
}

def PrintContextPass : Pass<"test-print-context"> {
  let summary = "Print the current PassContext to stderr";
}

def RenameFuncPass : Pass<"test-rename-func", "::mlir::func::FuncOp"> {
  let summary = "Rename functions";
  let options = [
    Option<"to", "to", "std::string", /*default=*/"\"renamed\"",
           "The name of ops that are functions">,
    Option<"from", "from", "std::string", /*default=*/"\"\"",
           "The function to rename; all if it is empty">,
  ];
}

def SetAttributePass : Pass<"test-set-attribute"> {
  let summary = "Set `test.value`, and preserve all analyses";
  let options = [
    Option<"value", "value", "int", /*default=*/"1", "The value">,
    Option<"on", "on", "std::string", /*default=*/"",
           "The symbol of the op in the pass's op; the op itself if empty">,
  ];
}

def CopyAttributePass : Pass<"test-copy-attribute", "::mlir::func::FuncOp"> {
  let summary = "Copy `test.value` from the op around a function";
}

def RemarkPass : Pass<"test-remark", "::mlir::func::FuncOp"> {
  let summary = "Emit a remark, and change nothing";
}

def ReverseUsesPass : Pass<"test-reverse-uses", "::mlir::func::FuncOp"> {
  let summary = "Reverse the order of uses of values and blocks, and change nothing else";
  let options = [
    Option<"third", "third", "bool", /*default=*/"false",
           "Only put the third use of each first">
  ];
}

def PlantedDropPass : Pass<"test-planted-drop"> {
  let summary = "Replace an op by its first operand";
  let options = [
    Option<"op", "op", "std::string", "", "The name of the op">,
    Option<"at", "at", "int", /*default=*/"1", "Which of the ops of that name">
  ];
}

def PlantedFirstPass : Pass<"test-planted-first"> {
  let summary = "Mark the first function, but claim to be local";
}

def PlantedCountPass : Pass<"test-planted-count", "::mlir::func::FuncOp"> {
  let summary = "Mark functions with the number of calls of this pass so far";
}

def PlantedHangPass : Pass<"test-planted-hang"> {
  let summary = "Never end";
}

def PlantedSiblingPass : Pass<"test-planted-sibling", "::mlir::func::FuncOp"> {
  let summary = "Mark functions with the number of functions in their module";
}

def PlantedMultiplyPass : Pass<"test-planted-multiply"> {
  let summary = "Turn the first multiply into an add";
}

def PlantedPatternsPass : Pass<"test-planted-patterns"> {
  let summary = "Apply a pattern, once wrongly";
  let options = [
    Option<"wrongAt", "wrong-at", "int", /*default=*/"123",
           "Which application is wrong">,
    Option<"how", "how", "std::string", /*default=*/"\"shift\"",
           "The effect of the wrong one: shift, or crash">,
  ];
}

def TestDeclared
    : PartitaSequential<"test-declared", "test.transform", "TestDeclared", 0,
                        ["func.func(canonicalize{top-down=false},cse)",
                         "TestA", "any(test-d)"]> {
  let summary = "A Sequential whose members have anchors and options";
}
