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

namespace {
// Files contain these numbers: append, never reuse.
enum AttrCode : uint64_t { kPassInfo = 0, kPassContext = 1 };
} // namespace

static void writeNames(DialectBytecodeWriter &writer,
                       ArrayRef<StringAttr> names) {
  writer.writeList(names,
                   [&](StringAttr name) { writer.writeOwnedString(name); });
}

static LogicalResult readNames(DialectBytecodeReader &reader,
                               SmallVectorImpl<StringAttr> &names) {
  return readElements(reader, names, [&](StringAttr &name) {
    return readString(reader, name);
  });
}

static PassInfoAttr readPassInfo(DialectBytecodeReader &reader) {
  StringAttr name;
  uint64_t level;
  SmallVector<StringAttr> required;
  if (failed(readString(reader, name)) || failed(reader.readVarInt(level)) ||
      failed(readNames(reader, required)))
    return {};
  return PassInfoAttr::getChecked(
      [&] { return reader.emitError(); }, reader.getContext(), name,
      static_cast<int64_t>(level), ArrayRef(required));
}

static PassContextAttr readPassContext(DialectBytecodeReader &reader) {
  uint64_t level;
  SmallVector<StringAttr> required, disabled, instruments;
  DictionaryAttr config;
  if (failed(reader.readVarInt(level)) || failed(readNames(reader, required)) ||
      failed(readNames(reader, disabled)) ||
      failed(reader.readAttribute(config)) ||
      failed(readNames(reader, instruments)))
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
      writer.writeOwnedString(info.getName());
      writer.writeVarInt(info.getOptLevel());
      writeNames(writer, info.getRequired());
      return success();
    }
    auto context = dyn_cast<PassContextAttr>(attr);
    if (!context)
      return failure();
    writer.writeVarInt(kPassContext);
    writer.writeVarInt(context.getOptLevel());
    writeNames(writer, context.getRequiredPass());
    writeNames(writer, context.getDisabledPass());
    writer.writeAttribute(context.getConfig());
    writeNames(writer, context.getInstruments());
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
