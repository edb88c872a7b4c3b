//===- HelperPass.h - Passes between the passes of a plan -------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_HELPERPASS_H
#define PARTITA_LIB_PASS_HELPERPASS_H

#include "mlir/Pass/Pass.h"

namespace partita::transform {

/// A pass on a root that stands for no pass of a plan: it works for the passes
/// beside it. All its classes share a TypeID, so that a tool does not show such
/// passes.
class HelperPass : public mlir::Pass {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HelperPass)

  static bool classof(const mlir::Pass *pass) {
    return pass->getTypeID() == mlir::TypeID::get<HelperPass>();
  }

  bool canScheduleOn(mlir::RegisteredOperationName) const override {
    return true;
  }

protected:
  HelperPass() : Pass(mlir::TypeID::get<HelperPass>()) {}
  HelperPass(const HelperPass &other) = default;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_HELPERPASS_H
