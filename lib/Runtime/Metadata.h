//===- Metadata.h - What the lowering says about functions ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_RUNTIME_METADATA_H
#define PARTITA_LIB_RUNTIME_METADATA_H

#include "partita/NumPy/DType.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace partita::runtime {

/// The name of the global string with the metadata, in IR and in objects.
constexpr const char *kMetadataSymbol = "partita_metadata";
/// The name of the metadata with the bytes of large constants, in IR.
constexpr const char *kLargeConstantsMetadata = "partita.large_constants";
/// The name of the memory with large constants, in objects.
constexpr const char *kLargeConstantsSymbol = "partita_large_constants";
/// Begins the names of the functions that load arguments from slots.
constexpr const char *kEntryPrefix = "partita_call_";
/// Begins the names of the C interfaces of functions.
constexpr const char *kInterfacePrefix = "_mlir_ciface_";

/// A number, a variable, or neither.
struct Size {
  int64_t value = -1;
  /// The index of the variable in its function, or -1.
  int variable = -1;
};

enum class ParamKind { Tensor, Shape, Prim, Tuple, String, Object };
/// What an object has to be.
enum class ObjectKind { Any, Tensor, Shape };

/// A parameter, a field of a tuple, or the result.
struct Param {
  ParamKind kind = ParamKind::Tuple;
  ObjectKind of = ObjectKind::Any;
  /// Whether `sizes` say what an object has; its `dtype` can be nothing.
  bool isRanked = false;
  /// The name of a parameter; with indices behind it for a field.
  std::string path;
  DType dtype;
  llvm::SmallVector<Size, 4> sizes;
  std::vector<Param> fields;
  /// What a string is: it has no slot.
  std::string text;
  /// Whether the function may write the tensor.
  bool isWritten = false;

  /// Calls `visit` on this, or on the tensors, shapes and scalars in the tuple.
  template <typename Visitor>
  void visitLeaves(Visitor visit) const {
    if (kind != ParamKind::Tuple)
      return visit(*this);
    for (const Param &field : fields)
      field.visitLeaves(visit);
  }
};

struct Function {
  std::string name;
  /// What errors call the result: the result of the function if it is empty.
  std::string what;
  /// JSON.
  std::string description;
  std::vector<std::string> variables;
  std::vector<Param> params;
  Param result;

  /// `sizes` as errors show them: (n, 4).
  std::string print(llvm::ArrayRef<Size> sizes) const;
  /// How many scalars and tensors `_mlir_ciface_` gives back.
  unsigned countResults() const;
  /// Whether it returns them: a single scalar. It writes others to a struct.
  bool returnsValue() const;
  /// How many slots the arguments take.
  unsigned countSlots() const;
};

/// A function of the caller that the code calls.
struct PackedFunc {
  /// The declaration in the code.
  std::string symbol;
  Function function;
  /// Whether the function is the object of the first argument.
  bool isArgument = false;
};

struct Metadata {
  /// Sorted by name.
  std::vector<Function> functions;
  /// What closures call: functions that are not public. Sorted by name.
  std::vector<Function> closures;
  /// Sorted by symbol.
  std::vector<PackedFunc> packedFuncs;
};

/// Shows (3, 4).
std::string printSizes(llvm::ArrayRef<int64_t> sizes);

llvm::Expected<Metadata> parseMetadata(llvm::StringRef json);

} // namespace partita::runtime

#endif // PARTITA_LIB_RUNTIME_METADATA_H
