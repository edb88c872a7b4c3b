//===- CallbackPass.cpp - Passes from callbacks ---------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassAccess.h"
#include "PassImpl.h"
#include "RunStack.h"
#include "partita/Pass/PassContext.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace partita::transform {

namespace {
/// An mlir::Pass on any op whose work is a closure.
class CallbackPass : public mlir::PassWrapper<CallbackPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CallbackPass)

  using Callback = std::function<ModulePassResult(Operation *)>;

  CallbackPass(StringRef name, std::shared_ptr<const Callback> callback)
      : name(name), callback(std::move(callback)) {}

  StringRef getName() const override { return name; }
  StringRef getArgument() const override { return name; }

  void runOnOperation() override {
    // The pass manager can be foreign.
    CurrentPassContext current(PassContext::current(), &getContext());
    ModulePassResult result = (*callback)(getOperation());
    if (result.isPreserved)
      markAllAnalysesPreserved();
    if (failed(result.result))
      signalPassFailure();
  }

private:
  std::string name;
  std::shared_ptr<const Callback> callback;
};
} // namespace

/// Whether canonicalize stops after a number of rewrites, which it counts on
/// all functions of a module.
static bool limitsRewrites(const mlir::Pass &pass) {
  return pass.getArgument() == "canonicalize" &&
         !StringRef(printPass(pass)).contains("max-num-rewrites=-1");
}

PassTraits getTraits(const mlir::Pass &pass) {
  if (isa<CallbackPass>(pass))
    return {};
  PassTraits traits = getPassTraits(pass.getArgument());
  traits.isLocal &= !limitsRewrites(pass);
  return traits;
}

bool isCallback(const mlir::Pass &pass) { return isa<CallbackPass>(pass); }

bool maySkip(const Pass::Impl &pass) {
  // A callback is not known to have no effects unless the host says so.
  return pass.hostCallback ? !pass.alwaysRuns.value_or(true)
                           : !getPassTraits(pass.argument).alwaysRuns;
}

static Pass createCallbackPass(CallbackPass::Callback callback, PassInfo info) {
  auto impl = std::make_shared<Pass::Impl>();
  impl->info = std::move(info);
  auto shared =
      std::make_shared<const CallbackPass::Callback>(std::move(callback));
  impl->hostCallback = shared.get();
  impl->build = [name = impl->info.name, shared](OpPassManager &pm,
                                                 PassErrorHandler) {
    pm.addPass(std::make_unique<CallbackPass>(name, shared));
    return success();
  };
  return Pass(std::move(impl));
}

Pass createModulePass(ModulePassFunc func, PassInfo info) {
  return createCallbackPass(
      [func = std::move(func)](Operation *module) {
        return func(module, PassContext::current());
      },
      std::move(info));
}

Pass createModulePass(ModulePassFunc func, int optLevel, StringRef name,
                      std::vector<std::string> required) {
  return createModulePass(std::move(func),
                          {name.str(), optLevel, std::move(required)});
}

/// The symbols directly in `module`, with their ops.
static SmallVector<std::pair<Operation *, StringAttr>>
collectSymbols(Operation *module) {
  SmallVector<std::pair<Operation *, StringAttr>> symbols;
  for (Region &region : module->getRegions())
    for (Operation &op : region.getOps())
      if (auto symbol = dyn_cast<SymbolOpInterface>(op))
        symbols.emplace_back(&op, symbol.getNameAttr());
  return symbols;
}

/// Fails, and says what changed, if `module`'s functions differ from `before`.
static LogicalResult
checkSameFunctions(Operation *module, StringRef passName,
                   ArrayRef<std::pair<Operation *, StringAttr>> before) {
  auto after = collectSymbols(module);
  if (ArrayRef(after) == before)
    return success();
  auto fail = [&](StringRef what, StringAttr symbol) {
    return emitError(module->getLoc(), "expected function pass '")
           << passName << "' to leave the functions of the module as they are, "
           << "but it " << what << " @" << symbol.getValue()
           << "; a module pass may do that";
  };
  DenseMap<Operation *, StringAttr> names(before.begin(), before.end());
  for (auto [op, name] : after) {
    auto it = names.find(op);
    if (it == names.end())
      return fail("added", name);
    if (it->second != name)
      return fail("renamed", it->second);
    names.erase(it);
  }
  for (auto [op, name] : before)
    if (names.contains(op))
      return fail("deleted", name);
  return fail("moved", before.front().second);
}

Pass createFunctionPass(FunctionPassFunc func, PassInfo info,
                        StringRef funcOpName) {
  auto callback = [func = std::move(func), name = info.name,
                   funcOpName = funcOpName.str()](Operation *module) {
    PassContext context = PassContext::current();
    if (module->getNumRegions() == 0)
      return success();
    // Functions can be in nested modules.
    SmallVector<Operation *> modules;
    module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<FunctionOpInterface>(op) || op->getNumRegions() == 0)
        return WalkResult::skip();
      if (op->hasTrait<OpTrait::SymbolTable>())
        modules.push_back(op);
      return WalkResult::advance();
    });
    for (Operation *parent : modules) {
      auto symbols = collectSymbols(parent);
      SmallVector<FunctionOpInterface> functions;
      for (auto [op, symbol] : symbols)
        if (auto function = dyn_cast<FunctionOpInterface>(op))
          if ((funcOpName.empty() ||
               op->getName().getStringRef() == funcOpName) &&
              !skipsOptimization(op))
            functions.push_back(function);
      PassStep step = getInnermostStep();
      if (failed(failableParallelForEach(
              module->getContext(), functions,
              [&](FunctionOpInterface function) {
                CurrentPassContext current(context, module->getContext());
                std::optional<RunScope> frame;
                if (step.run && !getInnermostFrame())
                  frame.emplace(step);
                return func(function, parent, context);
              })))
        return failure();
      if (failed(checkSameFunctions(parent, name, symbols)))
        return failure();
    }
    return success();
  };
  return createCallbackPass(std::move(callback), std::move(info));
}

Pass createFunctionPass(FunctionPassFunc func, int optLevel, StringRef name,
                        std::vector<std::string> required,
                        StringRef funcOpName) {
  return createFunctionPass(
      std::move(func), {name.str(), optLevel, std::move(required)}, funcOpName);
}

Pass createPrimFuncPass(FunctionPassFunc func, int optLevel, StringRef name,
                        std::vector<std::string> required) {
  return createFunctionPass(std::move(func), optLevel, name,
                            std::move(required), "tir.prim_func");
}

} // namespace partita::transform
