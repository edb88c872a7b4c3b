//===- SkipPolicy.cpp - Skips passes of foreign managers ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SkipPolicy.h"
#include "../RunStack.h"

#include "mlir/IR/Action.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace partita::transform {

SkipPolicy::SkipPolicy(MLIRContext *context) : context(context) {
  auto handler = std::make_shared<char>();
  ownHandler = handler;
  context->registerActionHandler([handler = std::move(handler)](
                                     llvm::function_ref<void()> execute,
                                     const tracing::Action &action) {
    auto *pass = dyn_cast<PassExecutionAction>(&action);
    auto *frame = llvm::dyn_cast_if_present<PassFrame>(getInnermostFrame());
    if (!pass || !frame || !frame->isSkipped || frame->pass != &pass->getPass())
      execute();
  });
}

SkipPolicy::~SkipPolicy() {
  if (isInPlace())
    context->registerActionHandler(nullptr);
}

} // namespace partita::transform
