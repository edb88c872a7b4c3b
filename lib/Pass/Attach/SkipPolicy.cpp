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
#include "llvm/ADT/DenseMap.h"

#include <mutex>

using namespace mlir;

namespace partita::transform {

/// Whether a policy skips the pass that `action` runs. Each attachment to the
/// pass manager has pushed a frame.
static bool isSkipped(const tracing::Action &action) {
  auto *execution = dyn_cast<PassExecutionAction>(&action);
  for (RunFrame *frame = execution ? getInnermostFrame() : nullptr; frame;
       frame = frame->outer) {
    auto *passFrame = dyn_cast<PassFrame>(frame);
    if (!passFrame || passFrame->pass != &execution->getPass())
      return false;
    if (passFrame->isSkipped)
      return true;
  }
  return false;
}

/// An action handler of a context.
class SkipPolicy::Handler {
public:
  explicit Handler(MLIRContext *context);
  ~Handler();

  bool isInPlace() const { return !own.expired(); }
  /// The handler of a context that is in place; null if there is none.
  static std::shared_ptr<Handler> find(MLIRContext *context);
  static std::shared_ptr<Handler> findOrMake(MLIRContext *context);

private:
  struct Handlers {
    std::mutex mutex;
    llvm::DenseMap<MLIRContext *, std::weak_ptr<Handler>> byContext;
  };
  static Handlers &getHandlers() {
    // Never freed: pass managers can outlive statics.
    static auto &handlers = *new Handlers;
    return handlers;
  }

  MLIRContext *context;
  /// Held by the action handler: alive as long as the context has the handler.
  std::weak_ptr<char> own;
};

SkipPolicy::Handler::Handler(MLIRContext *context) : context(context) {
  auto held = std::make_shared<char>();
  own = held;
  context->registerActionHandler(
      [held = std::move(held)](llvm::function_ref<void()> execute,
                               const tracing::Action &action) {
        if (!isSkipped(action))
          execute();
      });
}

SkipPolicy::Handler::~Handler() {
  if (isInPlace())
    context->registerActionHandler(nullptr);
  Handlers &handlers = getHandlers();
  std::lock_guard<std::mutex> lock(handlers.mutex);
  if (handlers.byContext.lookup(context).expired())
    handlers.byContext.erase(context);
}

std::shared_ptr<SkipPolicy::Handler>
SkipPolicy::Handler::find(MLIRContext *context) {
  Handlers &handlers = getHandlers();
  std::shared_ptr<Handler> found;
  {
    std::lock_guard<std::mutex> lock(handlers.mutex);
    found = handlers.byContext.lookup(context).lock();
  }
  return found && found->isInPlace() ? found : nullptr;
}

std::shared_ptr<SkipPolicy::Handler>
SkipPolicy::Handler::findOrMake(MLIRContext *context) {
  if (std::shared_ptr<Handler> found = find(context))
    return found;
  auto made = std::make_shared<Handler>(context);
  Handlers &handlers = getHandlers();
  std::lock_guard<std::mutex> lock(handlers.mutex);
  handlers.byContext[context] = made;
  return made;
}

bool SkipPolicy::isTaken(MLIRContext *context) {
  return context->hasActionHandler() && !Handler::find(context);
}

SkipPolicy::SkipPolicy(MLIRContext *context)
    : handler(Handler::findOrMake(context)) {}

bool SkipPolicy::isInPlace() const { return handler->isInPlace(); }

} // namespace partita::transform
