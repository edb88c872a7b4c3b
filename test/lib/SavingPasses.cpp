//===- SavingPasses.cpp - Passes that are not to be skipped ---------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Pass/Pass.h"

#include <atomic>

namespace partita::test {
#define GEN_PASS_DEF_COPYATTRIBUTEPASS
#define GEN_PASS_DEF_PLANTEDCOUNTPASS
#define GEN_PASS_DEF_PLANTEDFIRSTPASS
#define GEN_PASS_DEF_PLANTEDSIBLINGPASS
#define GEN_PASS_DEF_REMARKPASS
#define GEN_PASS_DEF_REVERSEUSESPASS
#define GEN_PASS_DEF_SETATTRIBUTEPASS
#include "Passes.h.inc"
} // namespace partita::test

using namespace mlir;
using namespace partita;

namespace {
struct SetAttributePass : test::impl::SetAttributePassBase<SetAttributePass> {
  using SetAttributePassBase::SetAttributePassBase;

  void runOnOperation() override {
    Operation *op = on.empty()
                        ? getOperation()
                        : SymbolTable::lookupSymbolIn(getOperation(), on);
    op->setAttr("test.value", Builder(&getContext()).getI64IntegerAttr(value));
    markAllAnalysesPreserved();
  }
};

struct CopyAttributePass
    : test::impl::CopyAttributePassBase<CopyAttributePass> {
  void runOnOperation() override {
    if (Attribute value = getOperation()->getParentOp()->getAttr("test.value"))
      getOperation()->setAttr("test.value", value);
  }
};

struct RemarkPass : test::impl::RemarkPassBase<RemarkPass> {
  void runOnOperation() override { getOperation().emitRemark("a remark"); }
};

struct ReverseUsesPass : test::impl::ReverseUsesPassBase<ReverseUsesPass> {
  using ReverseUsesPassBase::ReverseUsesPassBase;

  /// Moves uses to the front: the third one, or each in turn.
  template <typename UsedT>
  void reorder(UsedT &used) {
    SmallVector<std::remove_reference_t<decltype(*used.use_begin())> *> uses;
    for (auto &use : used.getUses())
      uses.push_back(&use);
    if (third)
      uses = uses.size() < 3 ? decltype(uses)() : decltype(uses){uses[2]};
    for (auto *use : uses)
      use->set(use->get());
  }

  void runOnOperation() override {
    getOperation()->walk([&](Block *block) {
      reorder(*block);
      for (Value argument : block->getArguments())
        reorder(argument);
      for (Operation &op : *block)
        for (Value result : op.getResults())
          reorder(result);
    });
  }
};

struct PlantedFirstPass : test::impl::PlantedFirstPassBase<PlantedFirstPass> {
  void runOnOperation() override {
    getOperation()->walk([](func::FuncOp function) {
      function->setAttr("test.first", UnitAttr::get(function.getContext()));
      return WalkResult::interrupt();
    });
  }
};

struct PlantedCountPass : test::impl::PlantedCountPassBase<PlantedCountPass> {
  void runOnOperation() override {
    static std::atomic<int64_t> numCalls{0};
    getOperation()->setAttr(
        "test.count", Builder(&getContext()).getI64IntegerAttr(++numCalls));
  }
};

struct PlantedSiblingPass
    : test::impl::PlantedSiblingPassBase<PlantedSiblingPass> {
  void runOnOperation() override {
    int64_t size = getOperation()->getBlock()->getOperations().size();
    getOperation()->setAttr("test.siblings",
                            Builder(&getContext()).getI64IntegerAttr(size));
  }
};

class VerifiedDialect : public Dialect {
public:
  explicit VerifiedDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context,
                TypeID::get<VerifiedDialect>()) {}
  static StringRef getDialectNamespace() { return "verified"; }

  LogicalResult verifyOperationAttribute(Operation *op,
                                         NamedAttribute attribute) override {
    // No diagnostic: from the first one on, no work of the verifier is saved.
    llvm::errs() << "verified " << attribute.getValue() << "\n";
    return success();
  }
};
} // namespace

void test::registerTestDialect(DialectRegistry &registry) {
  registry.insert<VerifiedDialect>();
}
