//===- TestPasses.cpp - Passes that leave a trace, fail and crash ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"
#include "partita/Pass/PassRegistry.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace partita;

namespace {
/// Adds its argument to the op's "test.ran": which passes ran on it, in which
/// order.
class MarkPass : public PassWrapper<MarkPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkPass)

  explicit MarkPass(StringRef argument) : argument(argument) {}
  MarkPass(const MarkPass &other)
      : PassWrapper(other), argument(other.argument) {}

  StringRef getArgument() const override { return argument; }
  StringRef getDescription() const override {
    return "Add the pass's argument to the attribute 'test.ran'";
  }

  void runOnOperation() override {
    Operation *op = getOperation();
    SmallVector<Attribute> ran;
    if (auto before = op->getAttrOfType<ArrayAttr>("test.ran"))
      llvm::append_range(ran, before);
    Builder builder(op->getContext());
    ran.push_back(builder.getStringAttr(argument));
    op->setAttr("test.ran", builder.getArrayAttr(ran));
    ++numRuns;
  }

private:
  std::string argument;
  Statistic numRuns{this, "num-runs", "Number of operations marked"};
};

class FuncMarkPass
    : public PassWrapper<FuncMarkPass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuncMarkPass)

  StringRef getArgument() const override { return "test-func-mark"; }
  StringRef getDescription() const override {
    return "Mark functions as touched";
  }
  void runOnOperation() override {
    getOperation()->setAttr("test.touched", UnitAttr::get(&getContext()));
  }
};

/// Adds a copy of the first function, called `name`.
/// Notes on the op which of its options were set, and to what: of the kinds
/// that MLIR's printer makes others of.
class OptionsPass : public PassWrapper<OptionsPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OptionsPass)

  OptionsPass() = default;
  OptionsPass(const OptionsPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-options"; }
  StringRef getDescription() const override {
    return "Note the options of the pass in the attribute 'test.options'";
  }

  void runOnOperation() override {
    std::string text;
    llvm::raw_string_ostream os(text);
    auto note = [&](const auto &option) {
      os << option.ArgStr << (option.hasValue() ? "=" : "?")
         << option.getValue() << ";";
    };
    note(number);
    note(flag);
    note(name);
    note(withDefault);
    llvm::interleave(numbers, os, "+");
    os << ";";
    llvm::interleave(names, os, "+");
    os << ";" << nested.size();
    for (const OpPassManager &pm : nested) {
      os << ":";
      const_cast<OpPassManager &>(pm).printAsTextualPipeline(os);
    }
    getOperation()->setAttr("test.options",
                            StringAttr::get(&getContext(), text));
  }

private:
  Option<int> number{*this, "number", llvm::cl::desc("Has no default")};
  Option<bool> flag{*this, "flag", llvm::cl::desc("Has no default")};
  Option<std::string> name{*this, "name", llvm::cl::desc("Has no default")};
  Option<int> withDefault{*this, "with-default", llvm::cl::desc("Has one"),
                          llvm::cl::init(7)};
  ListOption<int> numbers{*this, "numbers", llvm::cl::desc("A list")};
  ListOption<std::string> names{*this, "names", llvm::cl::desc("A list")};
  ListOption<OpPassManager> nested{*this, "nested",
                                   llvm::cl::desc("Pipelines")};
};

class AddFuncPass : public PassWrapper<AddFuncPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AddFuncPass)

  AddFuncPass() = default;
  AddFuncPass(const AddFuncPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-add-func"; }
  StringRef getDescription() const override {
    return "Add a copy of the first function";
  }
  void runOnOperation() override {
    auto funcs = getOperation().getOps<func::FuncOp>();
    if (funcs.empty())
      return;
    func::FuncOp added = (*funcs.begin()).clone();
    added.setSymName(name);
    getOperation().push_back(added);
  }

private:
  Option<std::string> name{*this, "name",
                           llvm::cl::desc("What the copy is called"),
                           llvm::cl::init("added")};
};

/// Renames functions.
class RenameFuncPass
    : public PassWrapper<RenameFuncPass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RenameFuncPass)

  RenameFuncPass() = default;
  RenameFuncPass(const RenameFuncPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-rename-func"; }
  StringRef getDescription() const override { return "Rename functions"; }
  void runOnOperation() override { getOperation().setSymName(to); }

private:
  Option<std::string> to{*this, "to",
                         llvm::cl::desc("What functions are called"),
                         llvm::cl::init("renamed")};
};

/// Fails on ops that are called `on`, or on all.
class FailPass : public PassWrapper<FailPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FailPass)

  FailPass() = default;
  FailPass(const FailPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-fail"; }
  StringRef getDescription() const override { return "Fail"; }
  void runOnOperation() override {
    auto name = getOperation()->getAttrOfType<StringAttr>("sym_name");
    if (!on.empty() && (!name || name.getValue() != on))
      return;
    emitError(getOperation()->getLoc(), "test-fail was here");
    signalPassFailure();
  }

private:
  Option<std::string> on{*this, "on",
                         llvm::cl::desc("The symbol to fail on; all if empty")};
};

class CrashPass : public PassWrapper<CrashPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CrashPass)

  StringRef getArgument() const override { return "test-crash"; }
  StringRef getDescription() const override { return "Abort"; }
  void runOnOperation() override { abort(); }
};

/// Leaves functions without a terminator, and fails.
class FailInvalidPass
    : public PassWrapper<FailInvalidPass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FailInvalidPass)

  StringRef getArgument() const override { return "test-fail-invalid"; }
  StringRef getDescription() const override {
    return "Erase the terminators, and fail";
  }
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      block.getTerminator()->erase();
    emitError(getOperation()->getLoc(), "test-fail was here");
    signalPassFailure();
  }
};

/// Leaves functions without a terminator.
class InvalidIRPass
    : public PassWrapper<InvalidIRPass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InvalidIRPass)

  StringRef getArgument() const override { return "test-invalid-ir"; }
  StringRef getDescription() const override { return "Erase the terminators"; }
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      block.getTerminator()->erase();
  }
};

/// Prints what it sees of the current context.
class PrintContextPass : public PassWrapper<PrintContextPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintContextPass)

  StringRef getArgument() const override { return "test-print-context"; }
  StringRef getDescription() const override {
    return "Print the current PassContext to stderr";
  }
  void runOnOperation() override {
    transform::PassContext context = transform::PassContext::current();
    std::string text;
    llvm::raw_string_ostream os(text);
    os << getOperation()->getName();
    if (auto name = getOperation()->getAttrOfType<StringAttr>("sym_name"))
      os << " @" << name.getValue();
    os << ": opt_level " << context.optLevel() << ", required [";
    llvm::interleaveComma(context.requiredPass(), os);
    os << "], disabled [";
    llvm::interleaveComma(context.disabledPass(), os);
    os << "]";
    for (const auto &[key, value] : context.configs())
      os << ", " << key << " = " << value;
    os << ", instruments " << context.instruments()->size() << "\n";
    llvm::errs() << text;
  }
};

/// Prints what a pass reads of a config key, set or not.
class PrintConfigPass : public PassWrapper<PrintConfigPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintConfigPass)

  PrintConfigPass() = default;
  PrintConfigPass(const PrintConfigPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-print-config"; }
  StringRef getDescription() const override {
    return "Print values of the current PassContext's config to stderr";
  }
  void runOnOperation() override {
    for (const std::string &key : keys) {
      Attribute value = transform::PassContext::current().config(key);
      llvm::errs() << key << " = ";
      if (value)
        llvm::errs() << value << "\n";
      else
        llvm::errs() << "not registered\n";
    }
  }

private:
  ListOption<std::string> keys{*this, "keys", llvm::cl::desc("What to print")};
};
} // namespace

static void registerMark(StringRef argument, StringRef name, int optLevel,
                         std::vector<std::string> required = {}) {
  mlir::registerPass([argument = argument.str()] {
    return std::make_unique<MarkPass>(argument);
  });
  transform::registerPassInfo(argument,
                              {name.str(), optLevel, std::move(required)});
}

/// A registered Sequential that exists for tests.
static void registerSequential(StringRef argument, StringRef name, int optLevel,
                               std::vector<std::string> members) {
  transform::PassDeclaration declaration;
  declaration.info = {name.str(), optLevel, {}};
  declaration.argument = argument.str();
  declaration.members = std::move(members);
  transform::registerPass(std::move(declaration));
}

void test::registerTestPasses() {
  registerMark("test-a", "TestA", 0);
  registerMark("test-b", "TestB", 1);
  registerMark("test-c", "TestC", 2);
  registerMark("test-d", "TestD", 3);

  // TestOwner needs TestMiddle (twice) and TestA; TestMiddle needs TestD.
  registerMark("test-middle", "TestMiddle", 0, {"TestD"});
  registerMark("test-owner", "TestOwner", 1,
               {"TestMiddle", "TestA", "TestMiddle"});

  registerMark("test-required-a", "TestRequiredA", 0, {"TestRequiredB"});
  registerMark("test-required-b", "TestRequiredB", 0, {"test-required-c"});
  registerMark("test-required-c", "TestRequiredC", 0, {"TestRequiredA"});
  registerMark("test-required-itself", "TestRequiredItself", 0,
               {"TestRequiredItself"});
  registerMark("test-required-unknown", "TestRequiredUnknown", 0,
               {"TestMidle"});

  registerSequential("test-sequence", "TestSequence", 2,
                     {"TestA", "TestD", "TestC"});
  registerSequential("test-within-itself", "TestWithinItself", 0,
                     {"TestA", "TestWithinItself"});

  // Passes with a PassInfo of their own and all the names a pass can have.
  mlir::registerPass([] { return std::make_unique<MarkPass>("test-named"); });
  transform::PassDeclaration named;
  named.info = {"TestNamed", 3, {}};
  named.argument = "test-named";
  named.qualifiedName = "relax.transform.TestNamed";
  transform::registerPass(std::move(named));

  mlir::registerPass([] { return std::make_unique<FuncMarkPass>(); });
  mlir::registerPass([] { return std::make_unique<OptionsPass>(); });
  mlir::registerPass([] { return std::make_unique<AddFuncPass>(); });
  mlir::registerPass([] { return std::make_unique<RenameFuncPass>(); });
  mlir::registerPass([] { return std::make_unique<FailPass>(); });
  mlir::registerPass([] { return std::make_unique<FailInvalidPass>(); });
  mlir::registerPass([] { return std::make_unique<CrashPass>(); });
  mlir::registerPass([] { return std::make_unique<InvalidIRPass>(); });
  mlir::registerPass([] { return std::make_unique<PrintContextPass>(); });
  transform::registerPassInfo("test-print-context", {"TestPrintContext", 0, {}},
                              /*readsPassContext=*/true);
  mlir::registerPass([] { return std::make_unique<PrintConfigPass>(); });
  transform::registerPassInfo("test-print-config", {"TestPrintConfig", 0, {}},
                              /*readsPassContext=*/true);
}
