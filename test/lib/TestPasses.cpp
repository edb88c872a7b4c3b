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

namespace partita::test {
#define GEN_PASS_DEF_ADDFUNCPASS
#define GEN_PASS_DEF_ANALYZEPASS
#define GEN_PASS_DEF_CRASHPASS
#define GEN_PASS_DEF_FAILINVALIDPASS
#define GEN_PASS_DEF_FAILPASS
#define GEN_PASS_DEF_FUNCMARKPASS
#define GEN_PASS_DEF_INVALIDIRPASS
#define GEN_PASS_DEF_PRINTCONFIGPASS
#define GEN_PASS_DEF_PRINTCONTEXTPASS
#define GEN_PASS_DEF_RENAMEFUNCPASS
#define GEN_PASS_DEF_USEPARENTANALYSISPASS
#define GEN_PASS_REGISTRATION
#include "Passes.h.inc"
} // namespace partita::test

using namespace mlir;
using namespace partita;

namespace {
/// Adds its argument to the op's "test.ran", which lists the passes that ran on
/// it in order.
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

struct TestAnalysis {
  explicit TestAnalysis(Operation *op) { op->emitRemark("analyzed"); }
};

struct AnalyzePass : test::impl::AnalyzePassBase<AnalyzePass> {
  using AnalyzePassBase::AnalyzePassBase;

  void runOnOperation() override {
    getAnalysis<TestAnalysis>();
    if (preserves)
      markAllAnalysesPreserved();
  }
};

struct UseParentAnalysisPass
    : test::impl::UseParentAnalysisPassBase<UseParentAnalysisPass> {
  void runOnOperation() override {
    Operation *func = getOperation();
    if (getCachedParentAnalysis<TestAnalysis>(func->getParentOp()) &&
        !func->hasAttr("test.analyzed"))
      func->setAttr("test.analyzed", UnitAttr::get(&getContext()));
    else
      markAllAnalysesPreserved();
  }
};

struct FuncMarkPass : test::impl::FuncMarkPassBase<FuncMarkPass> {
  void runOnOperation() override {
    getOperation()->setAttr("test.touched", UnitAttr::get(&getContext()));
  }
};

/// Records on the op which of its options were set, and their values. MLIR's
/// printer changes options of these kinds.
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

struct AddFuncPass : test::impl::AddFuncPassBase<AddFuncPass> {
  using AddFuncPassBase::AddFuncPassBase;

  void runOnOperation() override {
    auto funcs = getOperation().getOps<func::FuncOp>();
    if (funcs.empty())
      return;
    func::FuncOp added = (*funcs.begin()).clone();
    added.setSymName(name);
    getOperation().push_back(added);
  }
};

struct RenameFuncPass : test::impl::RenameFuncPassBase<RenameFuncPass> {
  using RenameFuncPassBase::RenameFuncPassBase;

  void runOnOperation() override {
    if (from.empty() || getOperation().getSymName() == from)
      getOperation().setSymName(to);
  }
};

struct FailPass : test::impl::FailPassBase<FailPass> {
  using FailPassBase::FailPassBase;

  void runOnOperation() override {
    auto name = getOperation()->getAttrOfType<StringAttr>("sym_name");
    if (!on.empty() && (!name || name.getValue() != on))
      return;
    emitError(getOperation()->getLoc(), "test-fail was here");
    signalPassFailure();
  }
};

struct CrashPass : test::impl::CrashPassBase<CrashPass> {
  void runOnOperation() override { abort(); }
};

struct FailInvalidPass : test::impl::FailInvalidPassBase<FailInvalidPass> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      block.getTerminator()->erase();
    emitError(getOperation()->getLoc(), "test-fail was here");
    signalPassFailure();
  }
};

struct InvalidIRPass : test::impl::InvalidIRPassBase<InvalidIRPass> {
  using InvalidIRPassBase::InvalidIRPassBase;
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      block.getTerminator()->erase();
    if (preserves)
      markAllAnalysesPreserved();
  }
};

struct PrintContextPass : test::impl::PrintContextPassBase<PrintContextPass> {
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

/// Prints values of config keys, set or not.
struct PrintConfigPass : test::impl::PrintConfigPassBase<PrintConfigPass> {
  using PrintConfigPassBase::PrintConfigPassBase;

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
};
} // namespace

static void registerMark(StringRef argument, StringRef name, int optLevel,
                         std::vector<std::string> required = {},
                         bool reuseRequired = false) {
  mlir::registerPass([argument = argument.str()] {
    return std::make_unique<MarkPass>(argument);
  });
  transform::registerPassInfo(
      argument, {name.str(), optLevel, std::move(required), reuseRequired});
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
  // The same for a pass that reuses required passes.
  registerMark("test-reuser", "TestReuser", 1,
               {"TestMiddle", "TestA", "TestMiddle"}, /*reuseRequired=*/true);
  registerMark("test-reuse-ab", "TestReuseAB", 0, {"TestA", "TestB"},
               /*reuseRequired=*/true);
  registerMark("test-reuse-sequence", "TestReuseSequence", 0, {"TestSequence"},
               /*reuseRequired=*/true);
  registerMark("test-reuse-canonicalize", "TestReuseCanonicalize", 0,
               {"canonicalize"},
               /*reuseRequired=*/true);

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

  // Passes with their own PassInfo and with all the names that a pass can have.
  mlir::registerPass([] { return std::make_unique<MarkPass>("test-named"); });
  transform::PassDeclaration named;
  named.info = {"TestNamed", 3, {}};
  named.argument = "test-named";
  named.qualifiedName = "relax.transform.TestNamed";
  transform::registerPass(std::move(named));

  mlir::registerPass([] { return std::make_unique<OptionsPass>(); });
  registerTestConfigsPasses();
  transform::registerPassTraits("test-planted-first", {/*isLocal=*/true});
  transform::registerPassInfo("test-print-context", {"TestPrintContext", 0, {}},
                              /*readsPassContext=*/true);
  transform::registerPassInfo("test-print-config", {"TestPrintConfig", 0, {}},
                              /*readsPassContext=*/true);
}
