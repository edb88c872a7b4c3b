//===- ForeignPlan.h - Plans of foreign pass managers -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_ATTACH_FOREIGNPLAN_H
#define PARTITA_LIB_PASS_ATTACH_FOREIGNPLAN_H

#include "partita/Pass/Plan.h"

namespace partita::transform {

struct PipelineElement;

/// A pipeline in a foreign pass manager.
struct ForeignPipeline {
  struct Element {
    /// The entry of a pass in the plan.
    size_t entry = 0;
    /// The pipelines of an adaptor; empty for a pass.
    std::vector<ForeignPipeline> pipelines;
  };

  std::string anchor;
  std::vector<Element> elements;
};

/// The passes of a foreign pass manager as a plan, in the order in which MLIR
/// runs them. Nothing in it is resolved, because MLIR runs it. With
/// `applyPolicy`, passes that `context` does not enable are skipped.
///
/// MLIR shows the passes in an adaptor as text only, so only their names are
/// known.
class ForeignPlan {
public:
  ForeignPlan(mlir::PassManager &pm, const PassContext &context,
              bool applyPolicy);

  const std::shared_ptr<const Plan> &getPlan() const { return plan; }
  /// The element of a pass at the top level; null for a pass outside the plan.
  const ForeignPipeline::Element *find(const mlir::Pass *pass) const;
  /// The range of entries inside an element.
  static std::pair<size_t, size_t>
  getEntries(const ForeignPipeline::Element &element);
  /// Whether the passes of an entry call the instruments themselves.
  bool callsInstruments(size_t entry) const { return callers[entry]; }
  /// Whether the plan still matches the passes in `pm`.
  bool isOf(mlir::PassManager &pm) const;

private:
  void addPass(llvm::StringRef name, bool callsInstruments);
  std::vector<ForeignPipeline>
  addPipelines(llvm::ArrayRef<PipelineElement> texts);

  std::vector<PassInfo> infos;
  std::vector<bool> callers;
  std::string text;
  llvm::DenseMap<const mlir::Pass *, ForeignPipeline::Element> elements;
  std::shared_ptr<const Plan> plan;
};

/// The first and the last pass of a pass manager with attached instruments. The
/// first fails if a run can't begin, the last if the last callback has failed.
/// In a printed pipeline they are passes on ops that do not exist.
class MarkerPass : public mlir::PassWrapper<MarkerPass, mlir::OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkerPass)

  enum class Kind { Begin, End };

  /// `text` is a pipeline that runs nowhere.
  MarkerPass(const void *owner, Kind kind, llvm::StringRef text)
      : owner(owner), kind(kind),
        text(((kind == Kind::Begin ? "partita.begin(" : "partita.end(") + text +
              ")")
                 .str()) {}

  llvm::StringRef getName() const override {
    return kind == Kind::Begin ? "BeginOfInstruments" : "EndOfInstruments";
  }
  llvm::StringRef getArgument() const override { return text; }
  void runOnOperation() override { markAllAnalysesPreserved(); }

  /// Identifies the attachment: instruments can be attached twice.
  const void *getOwner() const { return owner; }
  Kind getKind() const { return kind; }

private:
  const void *owner;
  Kind kind;
  std::string text;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_ATTACH_FOREIGNPLAN_H
