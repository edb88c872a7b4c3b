//===- PartitaBytecode.cpp - Bytecode of PassInfo and PassContext ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../VersionedBytecode.h"
#include "partita/Dialect/Partita/IR/PartitaAttrs.h"
#include "partita/Dialect/Partita/IR/PartitaDialect.h"

using namespace mlir;
using namespace partita;

// The numbers are those in files: append, never reuse.
enum AttrCode : uint64_t { kPassInfo = 0, kPassContext = 1 };

static PassInfoAttr readPassInfo(DialectBytecodeReader &reader) {
  StringAttr name;
  uint64_t level;
  SmallVector<StringAttr> required;
  if (failed(reader.readAttribute(name)) || failed(reader.readVarInt(level)) ||
      failed(reader.readAttributes(required)))
    return {};
  return PassInfoAttr::getChecked(
      [&] { return reader.emitError(); }, reader.getContext(), name,
      static_cast<int64_t>(level), ArrayRef(required));
}

static PassContextAttr readPassContext(DialectBytecodeReader &reader) {
  uint64_t level;
  SmallVector<StringAttr> required, disabled, instruments;
  DictionaryAttr config;
  if (failed(reader.readVarInt(level)) ||
      failed(reader.readAttributes(required)) ||
      failed(reader.readAttributes(disabled)) ||
      failed(reader.readAttribute(config)) ||
      failed(reader.readAttributes(instruments)))
    return {};
  return PassContextAttr::getChecked(
      [&] { return reader.emitError(); }, reader.getContext(),
      static_cast<int64_t>(level), ArrayRef(required), ArrayRef(disabled),
      config, ArrayRef(instruments));
}

namespace {
struct PartitaBytecode : VersionedBytecode<1> {
  using VersionedBytecode::VersionedBytecode;

  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &writer) const final {
    if (auto info = dyn_cast<PassInfoAttr>(attr)) {
      writer.writeVarInt(kPassInfo);
      writer.writeAttribute(info.getName());
      writer.writeVarInt(info.getOptLevel());
      writer.writeAttributes(info.getRequired());
      return success();
    }
    auto context = dyn_cast<PassContextAttr>(attr);
    if (!context)
      return failure();
    writer.writeVarInt(kPassContext);
    writer.writeVarInt(context.getOptLevel());
    writer.writeAttributes(context.getRequiredPass());
    writer.writeAttributes(context.getDisabledPass());
    writer.writeAttribute(context.getConfig());
    writer.writeAttributes(context.getInstruments());
    return success();
  }

  Attribute readAttribute(DialectBytecodeReader &reader) const final {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    if (code == kPassInfo)
      return readPassInfo(reader);
    if (code == kPassContext)
      return readPassContext(reader);
    reader.emitError() << "expected a partita attribute, found code " << code;
    return {};
  }
};
} // namespace

void PartitaDialect::registerBytecode() { addInterfaces<PartitaBytecode>(); }
