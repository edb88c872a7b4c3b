//===- SkipPolicy.cpp - Passes of others that do not run ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SkipPolicy.h"
#include "RunStack.h"

#include "mlir/IR/Action.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace partita::transform {

namespace {
/// Finds out who handles the actions of a context.
class ProbeAction : public tracing::ActionImpl<ProbeAction> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ProbeAction)
  static constexpr StringLiteral tag = "partita-probe";

  explicit ProbeAction(const SkipPolicy *&handler) : handler(handler) {}

  const SkipPolicy *&handler;
};
} // namespace

SkipPolicy::SkipPolicy(MLIRContext *context) : context(context) {
  context->registerActionHandler([this](llvm::function_ref<void()> execute,
                                        const tracing::Action &action) {
    if (auto *probe = dyn_cast<ProbeAction>(&action)) {
      probe->handler = this;
      return;
    }
    auto *pass = dyn_cast<PassExecutionAction>(&action);
    RunFrame *frame = getInnermostFrame();
    if (!pass || !frame || !frame->isSkipped || frame->pass != &pass->getPass())
      execute();
  });
}

SkipPolicy::~SkipPolicy() {
  if (isInPlace())
    context->registerActionHandler(nullptr);
}

bool SkipPolicy::isInPlace() const {
  const SkipPolicy *handler = nullptr;
  context->executeAction([] {}, ProbeAction(handler));
  return handler == this;
}

} // namespace partita::transform
