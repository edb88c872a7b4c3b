//===- LambdaNames.cpp - Names of lifted functions ------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LambdaNames.h"
#include "Symbols.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// Proposes names until each function has one.
class LambdaNamer {
public:
  explicit LambdaNamer(IRModuleOp module) : module(module) {}

  FailureOr<LambdaNames> run();

private:
  using Path = SmallVector<std::string>;
  using Propose =
      function_ref<std::optional<std::string>(LocalFuncOp, const Path &)>;

  /// Gives the functions without a name the proposed ones that nothing else
  /// has.
  void attempt(Propose propose);
  LogicalResult takeGlobalSymbols();

  IRModuleOp module;
  LambdaNames names;
  /// The names of the functions around each function, and its own.
  llvm::DenseMap<Operation *, Path> paths;
  llvm::StringSet<> taken;
};
} // namespace

LogicalResult LambdaNamer::takeGlobalSymbols() {
  for (auto &[local, name] : names) {
    auto symbol = local->getAttrOfType<StringAttr>("global_symbol");
    if (!symbol)
      continue;
    if (!taken.insert(symbol.getValue()).second)
      return local.emitOpError("expected a global_symbol that is no other "
                               "function's, but found ")
             << symbol;
    name = symbol;
  }
  return success();
}

void LambdaNamer::attempt(Propose propose) {
  // A name that two functions want is nobody's.
  llvm::StringMap<unsigned> numWanted;
  SmallVector<std::pair<StringAttr *, std::string>> proposals;
  for (auto &[local, name] : names) {
    if (name)
      continue;
    std::optional<std::string> proposal = propose(local, paths[local]);
    if (!proposal || taken.contains(*proposal))
      continue;
    ++numWanted[*proposal];
    proposals.emplace_back(&name, *proposal);
  }
  for (auto &[name, proposal] : proposals)
    if (numWanted[proposal] == 1) {
      *name = StringAttr::get(module.getContext(), proposal);
      taken.insert(proposal);
    }
}

FailureOr<LambdaNames> LambdaNamer::run() {
  taken.insert("");
  for (Operation &function : *module.getBody()) {
    taken.insert(SymbolTable::getSymbolName(&function).getValue());
    auto func = dyn_cast<FuncOp>(function);
    if (!func || !isChangeable(func))
      continue;
    func.walk<WalkOrder::PreOrder>([&](LocalFuncOp local) {
      auto outer = local->getParentOfType<LocalFuncOp>();
      Path path = outer ? paths[outer] : Path{func.getSymName().str()};
      StringAttr name = getVarName(local.getLoc());
      path.push_back(name ? name.str() : "lambda");
      paths[local] = std::move(path);
    });
    func.walk([&](LocalFuncOp local) { names[local] = {}; });
  }
  if (failed(takeGlobalSymbols()))
    return failure();
  auto getShortName = [](const Path &path) {
    return path.front() + "_" + path.back();
  };
  attempt([&](LocalFuncOp, const Path &path) { return getShortName(path); });
  attempt([&](LocalFuncOp, const Path &path) {
    return path.size() == 2 ? std::nullopt
                            : std::optional(llvm::join(path, "_"));
  });
  llvm::StringMap<unsigned> counts;
  for (auto &[local, name] : names)
    while (!name) {
      std::string stem = getShortName(paths[local]);
      std::string numbered = stem + "_" + std::to_string(counts[stem]++);
      if (taken.insert(numbered).second)
        name = StringAttr::get(module.getContext(), numbered);
    }
  return names;
}

FailureOr<LambdaNames> partita::relax::nameLambdas(IRModuleOp module) {
  return LambdaNamer(module).run();
}
