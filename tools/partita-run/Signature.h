//===- Signature.h - Parameters of compiled functions -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TOOLS_RUN_SIGNATURE_H
#define PARTITA_TOOLS_RUN_SIGNATURE_H

#include "partita/NumPy/NumPyFile.h"

#include <optional>

namespace partita {

/// A number, or the name of a variable. Without both, any size fits.
struct Size {
  int64_t value = -1;
  std::string name;
};

/// A parameter, a field of a tuple, or a result.
struct Param {
  enum Kind { Tensor, Shape, Scalar, Object, Tuple };

  Kind kind = Tuple;
  /// The name of a parameter; with indices behind it for a field.
  std::string path;
  DType dtype;
  std::vector<Size> sizes;
  std::vector<Param> fields;
  /// What an object has to be, such as a tensor, or "".
  std::string of;
  /// Whether the function writes the tensor.
  bool isWritten = false;

  /// As in float32[n, 4].
  std::string print() const;
  /// This param, or the fields of the tuple, without objects.
  void getLeaves(std::vector<const Param *> &leaves) const;
};

struct Signature {
  /// From what libPartitaRuntime says about a function.
  static Signature parse(llvm::StringRef name, llvm::StringRef json);

  /// As in main(x: float32[n, 4]) -> float32[n, 10].
  std::string print() const;

  std::string name;
  std::vector<Param> params;
  /// Nothing if the function writes its results to its parameters alone.
  std::optional<Param> result;
};

} // namespace partita

#endif // PARTITA_TOOLS_RUN_SIGNATURE_H
