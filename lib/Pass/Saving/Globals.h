//===- Globals.h - What functions name beside functions ---------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass on a function can look up the symbols that the function names: MLIR
// folds a load from a constant memref.global. Passes run on other functions at
// the same time, so that a pass does not look into these.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_PASS_SAVING_GLOBALS_H
#define PARTITA_LIB_PASS_SAVING_GLOBALS_H

#include "partita/Support/FileCache.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/raw_ostream.h"

namespace partita::transform {

class RoundTrips;

/// A hash of its output.
class HashStream : public llvm::raw_ostream {
public:
  HashStream() { SetBuffered(); }
  ~HashStream() override { flush(); }

  ContentHash getHash() {
    flush();
    return hasher.final<32>();
  }

private:
  void write_impl(const char *data, size_t size) override {
    hasher.update(llvm::StringRef(data, size));
    written += size;
  }
  uint64_t current_pos() const override { return written; }

  llvm::BLAKE3 hasher;
  uint64_t written = 0;
};

/// The symbols in a root and in its symbol tables that are neither functions
/// nor symbol tables.
class Globals {
public:
  Globals(mlir::Operation *root, RoundTrips &roundTrips);

  /// Hashes the globals that `op` names, and those that these name. Nothing if
  /// bytecode does not say all of them.
  std::optional<ContentHash> hashNamed(mlir::Operation *op) const;

private:
  using Names = llvm::SmallVector<mlir::StringAttr, 0>;
  static Names getNames(mlir::Operation *op);

  struct Global {
    std::optional<ContentHash> contents;
    Names names;
  };
  /// Tables can have globals with the same name.
  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<Global, 1>> globals;
};

} // namespace partita::transform

#endif // PARTITA_LIB_PASS_SAVING_GLOBALS_H
