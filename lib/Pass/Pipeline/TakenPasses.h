//===- TakenPasses.h - Passes of a taken pass manager -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_PIPELINE_TAKENPASSES_H
#define PARTITA_LIB_PASS_PIPELINE_TAKENPASSES_H

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseMap.h"

namespace partita::transform {

/// The passes of a pass manager that was taken over. Drivers keep pointers to
/// them, so they live as long as the pass manager. They run themselves as far
/// as possible: a pipeline owns its passes, so that a pass is in one pipeline
/// at a time.
class TakenPasses {
public:
  /// Takes all passes out of `pm`.
  void take(mlir::OpPassManager &pm);

  /// Adds `pass` to `pm`, and leaves a copy in its old place. Returns false if
  /// another pipeline has the pass.
  bool moveTo(const mlir::Pass *pass, mlir::OpPassManager &pm);

  /// Whether passes remain that no pipeline has taken.
  bool hasPasses() const;

private:
  void collect(llvm::MutableArrayRef<std::unique_ptr<mlir::Pass>> passes);

  std::vector<std::unique_ptr<mlir::Pass>> passes;
  llvm::DenseMap<const mlir::Pass *, std::unique_ptr<mlir::Pass> *> slots;
};

/// Moves `pass` from `from`, or from a manager in it, to `to`. Leaves a copy in
/// its place and returns the copy; null if the pass is not there.
const mlir::Pass *movePass(const mlir::Pass *pass, mlir::OpPassManager &from,
                           mlir::OpPassManager &to);

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_PIPELINE_TAKENPASSES_H
