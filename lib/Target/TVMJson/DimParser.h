//===- DimParser.h - Dimensions that are expressions ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of an expression of dimensions:
//
//   n * 4 + 1
//   max(n - 1, m // 2)
//   prim.if_then_else:int64(i < 0, i + 16, i)
//   cast:int64(prim.ceil:float32(stop - 0.5:float32))
//
// Numbers without a dtype are int64, and so are variables, unless they are
// parameters.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_DIMPARSER_H
#define PARTITA_LIB_TARGET_TVMJSON_DIMPARSER_H

#include "NodeWriter.h"

namespace partita::tvmjson {

/// More dimensions than any tensor has: it bounds the memory that a rank in a
/// file can allocate.
inline constexpr int64_t maxRank = 64;

/// A node and its dtype.
struct DimNode {
  int64_t index = 0;
  llvm::StringRef dtype;
};

/// How many brackets and calls can be open at the same time in an expression: a
/// parser recurses on them.
inline constexpr unsigned maxDimBrackets = 31;
/// Whether `text` has more.
bool isTooDeep(llvm::StringRef text);

/// Adds the expression in `text`. Fails if `text` is no expression, or too
/// deep.
mlir::FailureOr<DimNode>
parseDim(llvm::StringRef text, NodeWriter &writer,
         llvm::function_ref<DimNode(llvm::StringRef name)> getVar);

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_DIMPARSER_H
