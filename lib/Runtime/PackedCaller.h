//===- PackedCaller.h - Calls from compiled code to the caller ------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_RUNTIME_PACKEDCALLER_H
#define PARTITA_LIB_RUNTIME_PACKEDCALLER_H

#include "Call.h"
#include "Metadata.h"

#include "partita-c/Runtime.h"

namespace partita::runtime {

/// The packed functions that one call of compiled code can use.
class PackedCaller {
public:
  PackedCaller(llvm::ArrayRef<PackedFunc> funcs,
               const PartitaRuntimePackedFuncs *callbacks)
      : funcs(funcs), callbacks(callbacks) {}

  /// Calls function `index` on arguments in slots. Writes its result to
  /// `result`: the struct of a C interface, or a scalar.
  llvm::Error call(Call &call, size_t index, const uint64_t *slots,
                   void *result);

private:
  llvm::ArrayRef<PackedFunc> funcs;
  const PartitaRuntimePackedFuncs *callbacks;
};

/// Takes the result of a packed function.
class PackedReturn {
public:
  PackedReturn(const Function &function, Call &call, void *memory)
      : function(function), call(call), memory(static_cast<char *>(memory)) {}

  llvm::Error set(const PartitaRuntimeValue &value);
  bool isSet() const { return wasSet; }
  bool keepsObjects() const;

private:
  void write(const Param &leaf, const uint64_t *&slot);

  const Function &function;
  Call &call;
  char *memory;
  bool wasSet = false;
};

} // namespace partita::runtime

#endif // PARTITA_LIB_RUNTIME_PACKEDCALLER_H
