//===- IndexMap.h - TVM's index maps ----------------------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_INDEXMAP_H
#define PARTITA_LIB_TARGET_TVMJSON_INDEXMAP_H

#include "NodeWriter.h"

#include "partita/Dialect/Relax/IR/RelaxAttrs.h"

namespace partita::tvmjson {

class NodeTable;
struct Node;

/// The attribute of a tirx.IndexMap; null, without an error, if an affine map
/// can't say the same. Differences and operands in another order come back as
/// MLIR writes them: `4 * i` as `i * 4`.
partita::relax::IndexMapAttr getIndexMap(NodeTable &table, const Node &node);

mlir::FailureOr<int64_t> addIndexMap(NodeWriter &writer,
                                     partita::relax::IndexMapAttr map);

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_INDEXMAP_H
