//===- Inputs.h - Arguments of partita-run ----------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_RUN_INPUTS_H
#define PARTITA_TOOLS_RUN_INPUTS_H

#include "Signature.h"

#include "partita-c/Runtime.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace partita {

/// The arguments of a function.
class Inputs {
public:
  explicit Inputs(const Signature &signature);

  /// Gives the arrays of files to parameters: by their names, also with `in_`
  /// before it, or in their order.
  llvm::Error read(llvm::ArrayRef<std::string> paths);
  /// Sets a size, as in "n=4".
  llvm::Error setSize(llvm::StringRef text);
  /// Makes arrays for the parameters that have none. Without a seed, only those
  /// that the function writes may have none: they are zeros.
  llvm::Error complete(std::optional<uint64_t> seed);
  /// The arrays of the parameters, under their names.
  std::vector<Array> getArrays() const;
  /// The arguments, which live as long as this. The function writes copies of
  /// the arrays.
  llvm::Expected<std::vector<PartitaRuntimeValue>> getValues();

private:
  llvm::Error give(const Param &param, const Array &array,
                   llvm::StringRef path);
  llvm::Error giveByName(const NumPyFile &file, bool &hasGiven);
  llvm::Error giveInOrder(const NumPyFile &file);
  void bindSizes(const Param &param, const Array &array);
  char *allocate(uint64_t bytes);
  llvm::Expected<Array> makeArray(const Param &param,
                                  std::optional<uint64_t> seed);
  llvm::Expected<PartitaRuntimeValue> getValue(const Param &param);

  const Signature &signature;
  std::vector<const Param *> leaves;
  std::vector<NumPyFile> files;
  struct Given {
    const Array *array;
    std::string path;
  };
  llvm::DenseMap<const Param *, Given> given;
  llvm::StringMap<int64_t> sizes;
  // What the arguments point to.
  std::deque<Array> made;
  std::deque<std::unique_ptr<char, void (*)(void *)>> memory;
  std::deque<llvm::SmallVector<int64_t, 4>> strides;
  std::deque<std::vector<PartitaRuntimeValue>> tuples;
};

} // namespace partita

#endif // PARTITA_TOOLS_RUN_INPUTS_H
