//===- partita-plugin.cpp - Partita in a stock mlir-opt -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plugin for mlir-opt --load-pass-plugin=libPartitaPlugin.so and
// --load-dialect-plugin. It registers Partita's dialects and passes, and
// `sequential{...}`, and uses its host's MLIR.
//
//===----------------------------------------------------------------------===//

#include "partita/InitAll.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include <mutex>

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Partita", PARTITA_VERSION, [] {
            static std::once_flag once;
            std::call_once(once, partita::registerAllPasses);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Partita", PARTITA_VERSION,
          [](mlir::DialectRegistry *registry) {
            partita::registerAllDialects(*registry);
          }};
}
