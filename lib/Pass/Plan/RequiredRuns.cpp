//===- RequiredRuns.cpp - Required passes that have run -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequiredRuns.h"
#include "../PassImpl.h"
#include "../Pipeline/PassPlacement.h"
#include "partita/Pass/PassRegistry.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace partita::transform {

/// Adds the canonical names of `names`, and of the passes that they require.
static void collectNames(ArrayRef<std::string> names, llvm::StringSet<> &set) {
  for (const std::string &name : names)
    if (set.insert(canonicalPassName(name)).second)
      if (std::shared_ptr<const PassDeclaration> pass = lookupPass(name))
        collectNames(pass->info.required, set);
}

/// The text of the pass, with its options; nothing if it can't be made.
static std::optional<std::string> printStep(const Pass &pass) {
  const Pass::Impl &impl = pass.getImpl();
  OpPassManager pm =
      impl.opName.empty()
          ? OpPassManager()
          : OpPassManager(impl.opName, OpPassManager::Nesting::Explicit);
  if (failed(impl.build(pm, [](const Twine &) { return failure(); })))
    return std::nullopt;
  return printPipeline(pm);
}

/// Whether both passes do the same, wherever they run.
static bool isSamePass(const Pass &lhs, const Pass &rhs) {
  if (lhs == rhs)
    return true;
  if (!lhs || !rhs || lhs.isSequential() != rhs.isSequential() ||
      lhs.getImpl().hostCallback || rhs.getImpl().hostCallback ||
      canonicalPassName(lhs.info().name) != canonicalPassName(rhs.info().name))
    return false;
  if (lhs.isSequential())
    return lhs.passes().size() == rhs.passes().size() &&
           llvm::all_of_zip(lhs.passes(), rhs.passes(),
                            [](const Pass &lhs, const Pass &rhs) {
                              return isSamePass(lhs, rhs) &&
                                     isSamePlace(lhs, rhs);
                            });
  std::optional<std::string> text = printStep(lhs);
  return text && text == printStep(rhs);
}

bool hasRunBefore(ArrayRef<Plan::Entry> entries, size_t begin, const Pass &pass,
                  const Pass &place, ArrayRef<std::string> allowedAfter) {
  llvm::StringSet<> allowed;
  collectNames(allowedAfter, allowed);
  auto isSequentialThatEndsAt = [&](size_t end) {
    return llvm::any_of(entries.slice(begin), [&](const Plan::Entry &entry) {
      return entry.runs() && entry.end == end && entry.pass.isSequential() &&
             isSamePass(entry.pass, pass);
    });
  };
  for (size_t index = entries.size(); index > begin; --index) {
    if (pass.isSequential() && isSequentialThatEndsAt(index))
      return true;
    const Plan::Entry &entry = entries[index - 1];
    // A Sequential counts by its members, which come after it.
    if (!entry.runs() || entry.pass.isSequential())
      continue;
    if (isSamePass(entry.pass, pass) &&
        isSamePlace(entry.pass, entry.place, pass, place))
      return true;
    if (!allowed.contains(canonicalPassName(entry.pass.info().name)))
      return false;
  }
  return false;
}

} // namespace partita::transform
