//===- Compile.h - From LLVM IR to an object file -------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_RUNTIME_COMPILE_H
#define PARTITA_LIB_RUNTIME_COMPILE_H

#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/MemoryBuffer.h"

namespace partita::runtime {

/// The name of the global string with the processor's features that compiled
/// code needs.
constexpr const char *kFeaturesSymbol = "partita_features";

/// This machine, with the features of its processor.
llvm::Expected<llvm::orc::JITTargetMachineBuilder> getHost();

/// Where large constants begin: at a multiple of this.
constexpr uint64_t kConstantAlignment = 64;

/// What a file of the runtime has in it.
struct Unsealed {
  llvm::MemoryBufferRef object;
  /// The memory that the object knows as kLargeConstantsSymbol.
  llvm::StringRef constants;
};

/// Memory for a file of the runtime, whose constants are aligned.
std::unique_ptr<llvm::WritableMemoryBuffer> allocateSealed(uint64_t size);
/// An object, its large constants, and a checksum behind them. The linker would
/// run what a damaged file holds.
std::unique_ptr<llvm::MemoryBuffer>
seal(llvm::StringRef object, llvm::ArrayRef<llvm::StringRef> constants);
/// The parts of a sealed file.
llvm::Expected<Unsealed> unseal(llvm::MemoryBufferRef sealed);

/// Compiles IR, bitcode or text, for the host. The object is sealed.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compile(llvm::StringRef code, unsigned optLevel);

} // namespace partita::runtime

#endif // PARTITA_LIB_RUNTIME_COMPILE_H
