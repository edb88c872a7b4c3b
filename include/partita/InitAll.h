//===- InitAll.h - Everything that Partita registers ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only list of Partita's dialects, passes and instruments, for tools.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_INITALL_H
#define PARTITA_INITALL_H

#include "partita/Dialect/Partita/IR/PartitaDialect.h"
#include "partita/Dialect/Partita/Transforms/Passes.h"
#include "partita/Dialect/Relax/IR/RelaxDialect.h"
#include "partita/Dialect/Relax/Transforms/GradientOpInterface.h"
#include "partita/Dialect/Relax/Transforms/LayoutInterfaces.h"
#include "partita/Dialect/Relax/Transforms/LegalizeOpInterface.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Dialect/TIR/IR/TIRDialect.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"
#include "partita/Instrument/Instruments.h"
#include "partita/Pass/SequentialPass.h"
#include "partita/Pass/TVMConfig.h"

#include "mlir/IR/DialectRegistry.h"

namespace partita {

/// Adds Partita's dialects, with their extensions, to `registry`.
inline void registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<PartitaDialect, relax::RelaxDialect, tir::TIRDialect>();
  // Passes that run inside a pass can't register them.
  relax::registerGradientModels(registry);
  relax::registerLayoutModels(registry);
  relax::registerLegalizeModels(registry);
  relax::registerPrecisionModels(registry);
}

/// Registers Partita's passes, their PassInfo and config options.
inline void registerAllPasses() {
  transform::registerSequentialPass();
  transform::registerPassAnchor("relax.func", "partita.module");
  transform::registerPassAnchor("tir.prim_func", "partita.module");
  transform::registerPassAnchor("partita.module", "builtin.module");
  transform::registerPartitaPasses();
  relax::transform::registerRelaxPasses();
  tir::transform::registerTIRPasses();
  transform::registerTVMConfigs();
  instrument::registerAllInstruments();
}

} // namespace partita

#endif // PARTITA_INITALL_H
