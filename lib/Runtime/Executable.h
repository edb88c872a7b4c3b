//===- Executable.h - Compiled code with its metadata ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_RUNTIME_EXECUTABLE_H
#define PARTITA_LIB_RUNTIME_EXECUTABLE_H

#include "Call.h"
#include "Compile.h"
#include "Metadata.h"

#include "partita-c/Runtime.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"

namespace partita::runtime {

class Executable {
public:
  static llvm::Expected<std::unique_ptr<Executable>>
  load(std::unique_ptr<llvm::MemoryBuffer> object);
  ~Executable() { pool->close(); }

  llvm::StringRef getObject() const { return object->getBuffer(); }
  const char *getMetadata() const { return metadata; }
  llvm::ArrayRef<Function> getFunctions() const { return described.functions; }

  llvm::Error call(llvm::StringRef name,
                   llvm::ArrayRef<PartitaRuntimeValue> args,
                   const PartitaRuntimePackedFuncs *packedFuncs,
                   PartitaRuntimeValue &result);

private:
  struct Callee {
    const Function *function;
    Entry entry;
  };

  explicit Executable(std::unique_ptr<llvm::MemoryBuffer> object)
      : object(std::move(object)), pool(new Pool()) {}

  llvm::Error checkObject();
  llvm::Error createJIT();
  llvm::Error link();
  llvm::Error checkFeatures(llvm::StringRef features);
  llvm::Expected<llvm::orc::ExecutorAddr> find(const llvm::Twine &symbol);

  /// Sealed.
  std::unique_ptr<llvm::MemoryBuffer> object;
  Unsealed parts;
  llvm::IntrusiveRefCntPtr<Pool> pool;
  /// What the linker says beside its errors.
  std::string linkErrors;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  /// In the code.
  const char *metadata = nullptr;
  Metadata described;
  llvm::StringMap<Callee> callees;
};

} // namespace partita::runtime

#endif // PARTITA_LIB_RUNTIME_EXECUTABLE_H
