//===- AttributeImporter.h - TVM's attributes as MLIR's ---------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes are converted by what they hold, without a table of ops: a new op
// needs no change here.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_TARGET_TVMJSON_ATTRIBUTEIMPORTER_H
#define PARTITA_LIB_TARGET_TVMJSON_ATTRIBUTEIMPORTER_H

#include "NodeTable.h"

#include "mlir/IR/OperationSupport.h"

namespace partita::tvmjson {

/// The attribute that a node stands for, or null after an error.
///
///   None                    unit
///   bool, int, float        bool, i64, f64
///   ir.IntImm, ir.FloatImm  a number of its type
///   ffi.String              string
///   DataType, ir.PrimType   type
///   ffi.Array               array<i64: ..> of integers, array<f64: ..> of
///                           floats, array<f32: ..> of numbers for which
///                           areRounded returns true, [..] of others
///   ffi.Map                 dictionary
mlir::Attribute getAttribute(NodeTable &table, const Node &node);

/// The number `value` of `type`, or null after an error if that is no integer
/// type or can't hold the number.
mlir::IntegerAttr getInteger(NodeTable &table, const Node &node,
                             mlir::Type type, int64_t value);

/// Whether TVM has all `nodes` as rounded float32 numbers, and one of them is
/// not the shortest number that rounds to it: 0.10000000149011612, not 0.1.
bool areRounded(NodeTable &table, llvm::ArrayRef<Node> nodes);

/// Gives `op` the attributes of an ir.DictAttrs as discardable ones.
llvm::LogicalResult setDictAttrs(NodeTable &table, const Node &node,
                                 mlir::Operation *op);

/// The attributes in a call's `attrs` (an object such as
/// relax.attrs.SoftmaxAttrs, or None), as the op `name` holds them. None
/// becomes an absent attribute.
llvm::LogicalResult getOpAttributes(NodeTable &table, const Node &node,
                                    mlir::RegisteredOperationName name,
                                    mlir::NamedAttrList &attributes);

/// The fields of an attribute object, whose class may be unknown.
llvm::LogicalResult getFields(NodeTable &table, const Node &node,
                              mlir::NamedAttrList &attributes);

/// The fields of a relax.VDevice, or null after an error.
mlir::Attribute getVDevice(NodeTable &table, const Node &node);

/// The global infos of a module: a list for each key.
llvm::LogicalResult getGlobalInfos(NodeTable &table, const Node &node,
                                   mlir::DictionaryAttr &infos);

} // namespace partita::tvmjson

#endif // PARTITA_LIB_TARGET_TVMJSON_ATTRIBUTEIMPORTER_H
