//===- PassAccess.cpp - What MLIR hides of passes -------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassAccess.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "mlir/Dialect/LLVMIR/LLVMOpsEnums.h.inc"

using namespace mlir;

namespace partita::transform {

namespace {
/// Names a private member of a class: access does not count for the arguments
/// of an explicit instantiation.
template <typename Tag, typename Tag::Member member>
struct Expose {
  // NOLINTNEXTLINE(llvm-prefer-static-over-anonymous-namespace)
  friend typename Tag::Member getMember(Tag) { return member; }
};
struct PassStateTag {
  using Member = std::optional<mlir::detail::PassExecutionState> mlir::Pass::*;
  friend Member getMember(PassStateTag);
};
template struct Expose<PassStateTag, &mlir::Pass::passState>;

struct PassOptionsTag {
  using Member = mlir::detail::PassOptions mlir::Pass::*;
  friend Member getMember(PassOptionsTag);
};
template struct Expose<PassOptionsTag, &mlir::Pass::passOptions>;

struct AnalysesTag {
  using Member =
      llvm::MapVector<TypeID, std::unique_ptr<mlir::detail::AnalysisConcept>>
          mlir::detail::AnalysisMap::*;
  friend Member getMember(AnalysesTag);
};
template struct Expose<AnalysesTag, &mlir::detail::AnalysisMap::analyses>;
} // namespace

std::optional<mlir::detail::PassExecutionState> &
PassAccess::getStateSlot(mlir::Pass &pass) {
  return pass.*getMember(PassStateTag());
}

std::unique_ptr<mlir::Pass> clonePass(const mlir::Pass &pass) {
  return PassAccess::copy(pass);
}

std::string getPassArgument(const mlir::Pass &pass) {
  StringRef argument = pass.getArgument();
  return (argument.empty() ? pass.getName() : argument).str();
}

static const auto &getOptions(const mlir::Pass &pass) {
  // Only a cast in the style of C reaches the base, which is protected.
  return ((const llvm::cl::SubCommand &)(pass.*getMember(PassOptionsTag())))
      .OptionsMap;
}

/// Whether MLIR can print the options of `pass`. The default of one pass is
/// none of its option's values; MLIR ends the process where it prints it.
static bool hasPrintableOptions(const mlir::Pass &pass) {
  using LLVM::Visibility;
  using Parser = mlir::detail::PassOptions::OptionParser<Visibility>;
  if (pass.getArgument() != "llvm-use-default-visibility")
    return true;
  const llvm::cl::Option *option = getOptions(pass).lookup("visibility");
  return !option ||
         static_cast<const llvm::cl::opt<Visibility, false, Parser> *>(option)
                 ->getValue() != Visibility::Default;
}

static void printPass(mlir::Pass &pass, raw_ostream &os) {
  MutableArrayRef<OpPassManager> managers = getNestedManagers(pass);
  if (!managers.empty())
    llvm::interleave(
        managers, os, [&](const OpPassManager &pm) { os << printManager(pm); },
        ",");
  else if (hasPrintableOptions(pass))
    pass.printAsTextualPipeline(os);
  else
    os << pass.getArgument();
}

std::string printPass(const mlir::Pass &pass) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // MLIR's function changes nothing, but is not const.
  printPass(const_cast<mlir::Pass &>(pass), os);
  return text;
}

std::string printManager(const OpPassManager &pm) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << pm.getOpAnchorName() << "(";
  llvm::interleave(
      const_cast<OpPassManager &>(pm), os,
      [&](mlir::Pass &pass) { printPass(pass, os); }, ",");
  os << ")";
  return text;
}

std::vector<std::string> getOptionNames(const mlir::Pass &pass) {
  std::vector<std::string> names;
  for (const auto &option : getOptions(pass))
    names.push_back(option.second->ArgStr.str());
  llvm::sort(names);
  return names;
}

bool canRunOn(ArrayRef<const mlir::Pass *> passes, Operation *op) {
  std::optional<RegisteredOperationName> name = op->getRegisteredInfo();
  return name && llvm::all_of(passes, [&](const mlir::Pass *pass) {
           return PassAccess::canRunOn(*pass, *name);
         });
}

mlir::detail::NestedAnalysisMap &getAnalysisMap(AnalysisManager am) {
  using Map = mlir::detail::NestedAnalysisMap;
  // AnalysisManager's only member, which has no getter.
  static_assert(std::is_standard_layout_v<AnalysisManager> &&
                sizeof(AnalysisManager) == sizeof(Map *));
  return **reinterpret_cast<Map **>(&am);
}

bool holdsAnalyses(mlir::detail::NestedAnalysisMap &map) {
  return !(map.analyses.*getMember(AnalysesTag())).empty() ||
         !map.childAnalyses.empty();
}

//===----------------------------------------------------------------------===//
// Pass managers
//===----------------------------------------------------------------------===//

namespace {
/// The first members of MLIR's adaptor. Its class is private, and nothing else
/// gives access to its passes.
struct AdaptorHead : OperationPass<> {
  SmallVector<OpPassManager, 1> managers;
};
} // namespace

TypeID getAdaptorID() {
  static const TypeID adaptor = [] {
    OpPassManager pm;
    pm.nestAny();
    return pm.begin()->getTypeID();
  }();
  return adaptor;
}

bool isAdaptorKnown() {
  static const bool isKnown = [] {
    OpPassManager pm;
    const OpPassManager &nested = pm.nestAny();
    const auto &head = static_cast<const AdaptorHead &>(*pm.begin());
    SmallVector<OpPassManager, 1> empty;
    auto offset = reinterpret_cast<const char *>(empty.data()) -
                  reinterpret_cast<const char *>(&empty);
    return reinterpret_cast<const char *>(&head.managers) + offset ==
               reinterpret_cast<const char *>(&nested) &&
           head.managers.size() == 1 && head.managers.data() == &nested;
  }();
  return isKnown;
}

MutableArrayRef<OpPassManager> getNestedManagers(mlir::Pass &pass) {
  if (!isAdaptor(pass) || !isAdaptorKnown())
    return {};
  return static_cast<AdaptorHead &>(pass).managers;
}

bool isVerifierOn(PassManager &pm) {
  // MLIR has no getter, and the member is a bit: nothing can point to it.
  auto getBytes = [&] {
    return std::string(reinterpret_cast<const char *>(&pm), sizeof(pm));
  };
  std::string before = getBytes();
  pm.enableVerifier(true);
  bool isOn = getBytes() == before;
  pm.enableVerifier(isOn);
  return isOn;
}

MutableArrayRef<std::unique_ptr<mlir::Pass>> getPassSlots(OpPassManager &pm) {
  using Iterator = OpPassManager::pass_iterator;
  struct Access : Iterator {
    explicit Access(Iterator it) : Iterator(it) {}
    using Iterator::I;
  };
  return {Access(pm.begin()).I, pm.size()};
}

void forgetInitialization(OpPassManager &pm) {
  // A new manager has initialized nothing.
  OpPassManager fresh(pm.getOpAnchorName(), pm.getNesting());
  for (std::unique_ptr<mlir::Pass> &pass : getPassSlots(pm)) {
    for (OpPassManager &nested : getNestedManagers(*pass))
      forgetInitialization(nested);
    fresh.addPass(std::move(pass));
  }
  pm = std::move(fresh);
}

} // namespace partita::transform
