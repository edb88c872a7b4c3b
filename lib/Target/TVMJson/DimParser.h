//===- DimParser.h - Dimensions that are expressions ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_DIMPARSER_H
#define PARTITA_LIB_TARGET_TVMJSON_DIMPARSER_H

#include "NodeWriter.h"

namespace partita::tvmjson {

/// The node of a dimension such as `n` or `max(n * 2, 1)`, or failure if it is
/// not one. `getVar` gives the node of a name.
mlir::FailureOr<int64_t>
parseDim(llvm::StringRef text, NodeWriter &writer,
         llvm::function_ref<int64_t(llvm::StringRef name)> getVar);

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_DIMPARSER_H
