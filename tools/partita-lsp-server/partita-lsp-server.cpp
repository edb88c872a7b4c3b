//===- partita-lsp-server.cpp - A language server for Partita's IR --------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-lsp-server with partita-opt's dialects: diagnostics, hover, definitions
// and completion for .mlir files in an editor.
//
//===----------------------------------------------------------------------===//

#include "../Tools.h"

int main(int argc, char **argv) { return partitaRunLspServer(argc, argv); }
