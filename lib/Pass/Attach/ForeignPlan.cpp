//===- ForeignPlan.cpp - Plans of foreign pass managers -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForeignPlan.h"
#include "../PassAccess.h"
#include "../PassImpl.h"
#include "../Pipeline/NamedPasses.h"
#include "../Pipeline/PipelineText.h"
#include "../PlanRunnerPass.h"
#include "../Sequential/SequentialText.h"
#include "partita/Pass/PassRegistry.h"

using namespace mlir;

namespace partita::transform {

/// Makes a plan of the passes in a foreign pass manager.
class ForeignPlanBuilder {
public:
  static std::shared_ptr<const Plan>
  build(ArrayRef<PassInfo> infos, const PassContext &context, bool applyPolicy);

private:
  static Plan::Reason getReason(const PassInfo &info,
                                const PassContext &context);
};

Plan::Reason ForeignPlanBuilder::getReason(const PassInfo &info,
                                           const PassContext &context) {
  if (context.passDisabledByName(info))
    return Plan::Reason::SkippedByName;
  if (context.passRequiredByName(info))
    return Plan::Reason::RequiredPass;
  return context.passEnabled(info) ? Plan::Reason::OptLevel
                                   : Plan::Reason::SkippedByLevel;
}

std::shared_ptr<const Plan>
ForeignPlanBuilder::build(ArrayRef<PassInfo> infos, const PassContext &context,
                          bool applyPolicy) {
  std::shared_ptr<Plan> plan(new Plan);
  plan->optLevel = context.optLevel();
  auto root = std::make_shared<Pass::Impl>();
  root->info.name = "PassManager";
  plan->list.resize(infos.size() + 1);
  for (auto [info, entry] :
       llvm::zip_equal(infos, llvm::drop_begin(plan->list))) {
    auto impl = std::make_shared<Pass::Impl>();
    impl->info = info;
    impl->build = [](OpPassManager &, PassErrorHandler emitError) {
      return emitError("a pass in another owner's pass manager can't be made");
    };
    entry.pass = Pass(impl);
    entry.depth = 1;
    entry.end = &entry - plan->list.data() + 1;
    if (applyPolicy)
      entry.reason = getReason(info, context);
    entry.inRequiredPass = context.passRequiredByName(info);
    root->members.push_back(entry.pass);
  }
  plan->list.front().pass = Pass(root);
  plan->list.front().end = plan->list.size();
  plan->setNumbers();
  if (!applyPolicy)
    return plan;
  std::vector<std::string> names;
  for (const PassInfo &info : infos)
    names.push_back(info.name);
  plan->warningList = describeUnknownNames(context, names);
  return plan;
}

//===----------------------------------------------------------------------===//
// ForeignPlan
//===----------------------------------------------------------------------===//

/// Whether `pass` calls instruments itself.
static bool callsInstruments(StringRef argument) {
  std::shared_ptr<const PassDeclaration> declared = lookupPass(argument);
  return argument == sequentialArgument || (declared && declared->members);
}

static std::string printPasses(PassManager &pm) {
  std::string text;
  for (mlir::Pass &pass : pm)
    if (!isa<MarkerPass>(pass))
      text += printPass(pass) + ",";
  return text;
}

ForeignPlan::ForeignPlan(PassManager &pm, const PassContext &context,
                         bool applyPolicy)
    : callers({false}) {
  for (mlir::Pass &pass : pm) {
    if (isa<MarkerPass>(pass))
      continue;
    ForeignPipeline::Element &element = elements[&pass];
    element.entry = infos.size() + 1;
    std::string printed = printPass(pass);
    text += printed + ",";
    llvm::Expected<std::vector<PipelineElement>> parsed =
        parsePipelineText(printed);
    if (isAdaptor(pass) && parsed) {
      element.pipelines = addPipelines(*parsed);
      continue;
    }
    auto *runner = dyn_cast<PlanRunnerPass>(&pass);
    // The argument of a PlanPass is a pipeline.
    bool isPlan = runner && !runner->isSequential();
    addPass(isPlan || !parsed ? pass.getName()
                              : getPassName(parsed->front().name),
            runner || transform::callsInstruments(pass.getArgument()));
    if (!parsed)
      llvm::consumeError(parsed.takeError());
  }
  plan = ForeignPlanBuilder::build(infos, context, applyPolicy);
}

void ForeignPlan::addPass(StringRef name, bool callsInstruments) {
  std::shared_ptr<const PassDeclaration> declared = lookupPass(name);
  infos.push_back(declared ? declared->info : PassInfo{name.str(), 0, {}});
  callers.push_back(callsInstruments);
}

std::vector<ForeignPipeline>
ForeignPlan::addPipelines(ArrayRef<PipelineElement> texts) {
  std::vector<ForeignPipeline> pipelines;
  for (const PipelineElement &text : texts) {
    ForeignPipeline &pipeline = pipelines.emplace_back();
    pipeline.anchor = text.name.str();
    for (const PipelineElement &member : text.elements) {
      ForeignPipeline::Element element{infos.size() + 1, {}};
      if (member.isNested)
        element.pipelines = addPipelines(member);
      else
        addPass(getPassName(member.name),
                transform::callsInstruments(member.name));
      pipeline.elements.push_back(std::move(element));
    }
  }
  return pipelines;
}

const ForeignPipeline::Element *
ForeignPlan::find(const mlir::Pass *pass) const {
  auto it = elements.find(pass);
  return it == elements.end() ? nullptr : &it->second;
}

std::pair<size_t, size_t>
ForeignPlan::getEntries(const ForeignPipeline::Element &element) {
  if (element.pipelines.empty())
    return {element.entry, element.entry + 1};
  size_t end = element.entry;
  for (const ForeignPipeline &pipeline : element.pipelines)
    if (!pipeline.elements.empty())
      end = std::max(end, getEntries(pipeline.elements.back()).second);
  return {element.entry, end};
}

bool ForeignPlan::isOf(PassManager &pm) const {
  return llvm::all_of(pm,
                      [&](mlir::Pass &pass) {
                        return isa<MarkerPass>(pass) ||
                               elements.contains(&pass);
                      }) &&
         printPasses(pm) == text;
}

} // namespace partita::transform
