//===- Arguments.h - Arguments for compiled code --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_RUNTIME_ARGUMENTS_H
#define PARTITA_LIB_RUNTIME_ARGUMENTS_H

#include "Call.h"
#include "Metadata.h"

#include "partita-c/Runtime.h"

namespace partita::runtime {

/// Checks the arguments of a call, or the result of a packed function, and puts
/// them into slots. The code owns the tensors of a result: they are copies.
class ArgumentReader {
public:
  enum Role { Argument, Result };

  ArgumentReader(const Function &function, Call &call, Role role = Argument);

  llvm::Error read(llvm::ArrayRef<PartitaRuntimeValue> args);
  llvm::Error read(const PartitaRuntimeValue &result);

  /// The last slot is the result's.
  uint64_t *getSlots() { return words.data(); }
  void setResult(void *memory);
  const void *getResult() const { return &words[numSlots]; }

private:
  using Value = PartitaRuntimeValue;

  llvm::Error readParam(const Param &param, const Value &value);
  llvm::Error readTensor(const Param &param, const Value &value);
  llvm::Error readShape(const Param &param, const Value &value);
  llvm::Error readPrim(const Param &param, Value value);
  llvm::Error readTuple(const Param &param, const Value &value);
  llvm::Error readObject(const Param &param, const Value &value);

  llvm::Error checkDType(const Param &param,
                         const PartitaRuntimeTensor &tensor);
  llvm::Error checkWritable(const Param &param, const Value &value);
  llvm::Error checkSizes(const Param &param, llvm::ArrayRef<int64_t> sizes);
  llvm::Expected<char *> getContiguous(const Param &param,
                                       const PartitaRuntimeTensor &tensor);
  llvm::Error storeInteger(const Param &param, const Value &value);
  llvm::Error storeReal(const Param &param, const Value &value);

  std::string describe(const Param &param) const;
  llvm::Error makeKindError(const Param &param, const llvm::Twine &expected,
                            const Value &value) const;

  /// The value of a variable, and the parameter that has it.
  struct Binding {
    int64_t value = 0;
    const Param *param = nullptr;
  };

  llvm::ArrayRef<Param> getParams() const {
    return role == Result ? llvm::ArrayRef(function.result)
                          : llvm::ArrayRef(function.params);
  }

  const Function &function;
  Call &call;
  Role role;
  unsigned numSlots;
  /// The slots, and then the descriptors of tensors.
  llvm::SmallVector<uint64_t, 64> words;
  uint64_t *nextSlot;
  uint64_t *nextDescriptor;
  llvm::SmallVector<Binding, 4> bindings;
};

} // namespace partita::runtime

#endif // PARTITA_LIB_RUNTIME_ARGUMENTS_H
