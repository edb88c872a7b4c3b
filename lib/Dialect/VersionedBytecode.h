//===- VersionedBytecode.h - Bytecode of a dialect with a version -*- C++
//-*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A dialect writes the version of its encoding into each file, and refuses
// files of a later version instead of misreading them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_VERSIONEDBYTECODE_H
#define PARTITA_LIB_DIALECT_VERSIONEDBYTECODE_H

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace partita {

/// The version that a file was written with.
struct BytecodeVersion : mlir::DialectVersion {
  BytecodeVersion(uint64_t number) : number(number) {}
  uint64_t number;
};

/// Reads the output of DialectBytecodeWriter::writeList. Unlike readList, it
/// allocates no memory for elements that the file only claims to have.
template <typename T, typename ReadFn>
mlir::LogicalResult readElements(mlir::DialectBytecodeReader &reader,
                                 mlir::SmallVectorImpl<T> &result,
                                 ReadFn &&read) {
  uint64_t size;
  if (failed(reader.readVarInt(size)))
    return mlir::failure();
  for (uint64_t i = 0; i < size; ++i)
    if (failed(read(result.emplace_back())))
      return mlir::failure();
  return mlir::success();
}

/// Reads a string that writeOwnedString wrote.
inline mlir::LogicalResult readString(mlir::DialectBytecodeReader &reader,
                                      mlir::StringAttr &result) {
  mlir::StringRef string;
  if (failed(reader.readString(string)))
    return mlir::failure();
  result = mlir::StringAttr::get(reader.getContext(), string);
  return mlir::success();
}

/// Bytecode of a dialect whose current version is `version`.
template <uint64_t version>
class VersionedBytecode : public mlir::BytecodeDialectInterface {
public:
  explicit VersionedBytecode(mlir::Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(mlir::DialectBytecodeWriter &writer) const final {
    writer.writeVarInt(version);
  }

  std::unique_ptr<mlir::DialectVersion>
  readVersion(mlir::DialectBytecodeReader &reader) const final {
    uint64_t found;
    if (failed(reader.readVarInt(found)))
      return nullptr;
    if (found > version) {
      reader.emitError() << "expected bytecode of dialect '"
                         << getDialect()->getNamespace() << "' of version "
                         << version << " or earlier, found version " << found
                         << "; read it with the Partita that wrote it or a "
                            "later one";
      return nullptr;
    }
    return std::make_unique<BytecodeVersion>(found);
  }
};

} // namespace partita

#endif // PARTITA_LIB_DIALECT_VERSIONEDBYTECODE_H
