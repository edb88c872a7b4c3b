//===- Inflate.h - Compressed data of zip files -----------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_NUMPY_INFLATE_H
#define PARTITA_LIB_NUMPY_INFLATE_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace partita {

/// Decompresses DEFLATE (RFC 1951) that becomes exactly `size` bytes. None if
/// the data are damaged, or become fewer or more bytes.
std::optional<std::string> inflate(llvm::StringRef data, uint64_t size);

} // namespace partita

#endif // PARTITA_LIB_NUMPY_INFLATE_H
