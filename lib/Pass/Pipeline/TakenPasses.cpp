//===- TakenPasses.cpp - Passes of a taken pass manager -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TakenPasses.h"
#include "../PassAccess.h"

using namespace mlir;

namespace partita::transform {

void TakenPasses::collect(MutableArrayRef<std::unique_ptr<mlir::Pass>> list) {
  for (std::unique_ptr<mlir::Pass> &pass : list) {
    slots[pass.get()] = &pass;
    for (OpPassManager &nested : getNestedManagers(*pass))
      collect(getPassSlots(nested));
  }
}

void TakenPasses::take(OpPassManager &pm) {
  for (std::unique_ptr<mlir::Pass> &pass : getPassSlots(pm))
    passes.push_back(std::move(pass));
  pm.clear();
  collect(passes);
}

/// Moves the pass in `slot` to `to`; returns the copy that replaces it.
static const mlir::Pass *moveFrom(std::unique_ptr<mlir::Pass> &slot,
                                  OpPassManager &to) {
  std::unique_ptr<mlir::Pass> copy = clonePass(*slot);
  to.addPass(std::exchange(slot, std::move(copy)));
  return slot.get();
}

bool TakenPasses::moveTo(const mlir::Pass *pass, OpPassManager &pm) {
  auto it = slots.find(pass);
  if (it == slots.end())
    return false;
  moveFrom(*it->second, pm);
  slots.erase(it);
  return true;
}

bool TakenPasses::hasPasses() const {
  return llvm::any_of(slots,
                      [](const auto &slot) { return !isAdaptor(*slot.first); });
}

const mlir::Pass *movePass(const mlir::Pass *pass, OpPassManager &from,
                           OpPassManager &to) {
  for (std::unique_ptr<mlir::Pass> &slot : getPassSlots(from)) {
    if (slot.get() == pass)
      return moveFrom(slot, to);
    for (OpPassManager &nested : getNestedManagers(*slot))
      if (const mlir::Pass *copy = movePass(pass, nested, to))
        return copy;
  }
  return nullptr;
}

} // namespace partita::transform
