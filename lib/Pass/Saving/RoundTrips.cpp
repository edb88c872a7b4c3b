//===- RoundTrips.cpp - What bytecode gives back as it was ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoundTrips.h"
#include "partita/Support/ThreadDiagnosticHandler.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/Encoding.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace partita::transform {

void walkAttributesAndTypes(Operation *op, AttrTypeWalker &walker) {
  auto visit = [&](auto element) { walker.walk<WalkOrder::PreOrder>(element); };
  op->walk([&](Operation *inner) {
    // Dictionaries are uniqued, which takes long.
    NamedAttrList inherent;
    inner->getName().populateInherentAttrs(inner, inherent);
    for (NamedAttribute named : inherent)
      if (named.getValue())
        visit(named.getValue());
    visit(Attribute(inner->getRawDictionaryAttrs()));
    visit(Attribute(inner->getLoc()));
    for (Type type : inner->getResultTypes())
      visit(type);
    for (Region &region : inner->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments()) {
          visit(argument.getType());
          visit(Attribute(argument.getLoc()));
        }
  });
}

namespace {
/// Writes nothing.
class NullWriter : public DialectBytecodeWriter {
  void writeAttribute(Attribute) override {}
  void writeOptionalAttribute(Attribute) override {}
  void writeType(Type) override {}
  void writeResourceHandle(const AsmDialectResourceHandle &) override {}
  void writeVarInt(uint64_t) override {}
  void writeSignedVarInt(int64_t) override {}
  void writeAPIntWithKnownWidth(const APInt &) override {}
  void writeAPFloatWithKnownSemantics(const APFloat &) override {}
  void writeOwnedString(StringRef) override {}
  void writeOwnedBlob(ArrayRef<char>) override {}
  void writeOwnedBool(bool) override {}
  int64_t getBytecodeVersion() const override { return bytecode::kVersion; }
  FailureOr<const DialectVersion *>
  getDialectVersion(StringRef) const override {
    return failure();
  }
};
} // namespace

static LogicalResult write(const BytecodeDialectInterface &interface,
                           Attribute attr) {
  NullWriter writer;
  return interface.writeAttribute(attr, writer);
}
static LogicalResult write(const BytecodeDialectInterface &interface,
                           Type type) {
  NullWriter writer;
  return interface.writeType(type, writer);
}

static Attribute parse(StringRef text, Attribute attr) {
  return parseAttribute(text, attr.getContext());
}
static Type parse(StringRef text, Type type) {
  return parseType(text, type.getContext());
}

// MLIR writes what is mutable as text.
static bool isMutable(Attribute attr) {
  return attr.hasTrait<AttributeTrait::IsMutable>();
}
static bool isMutable(Type type) {
  return type.hasTrait<TypeTrait::IsMutable>();
}

/// Whether bytecode has bytes for an attribute or a type, as MLIR's writer
/// decides.
template <typename T>
static bool hasBytes(T attrOrType) {
  const auto *interface =
      dyn_cast<BytecodeDialectInterface>(&attrOrType.getDialect());
  return interface && !isMutable(attrOrType) &&
         succeeded(write(*interface, attrOrType));
}

/// Whether the text of an attribute or a type is read back as the same.
template <typename T>
static bool isReadBack(T attrOrType) {
  MLIRContext *context = attrOrType.getContext();
  AsmState state(context);
  std::string text;
  llvm::raw_string_ostream os(text);
  attrOrType.print(os, state);
  // Reading a resource would make another one.
  if (!state.getDialectResources().empty())
    return false;
  ThreadDiagnosticHandler handler(context,
                                  [](Diagnostic &) { return success(); });
  return parse(text, attrOrType) == attrOrType;
}

template <typename T>
bool RoundTrips::isTextExact(T attrOrType) {
  const void *key = attrOrType.getAsOpaquePointer();
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = texts.find(key);
    if (it != texts.end())
      return it->second;
  }
  bool isExact = isReadBack(attrOrType);
  std::lock_guard<std::mutex> lock(mutex);
  return texts[key] = isExact;
}

/// Whether bytecode gives `attr` back as another attribute: as a resource with
/// another name, or as an attribute that other ops do not share.
static bool isShared(Attribute attr) {
  return isa<DenseResourceElementsAttr, DistinctAttr>(attr) ||
         (isa<ElementsAttr>(attr) && !isa<BuiltinDialect>(attr.getDialect()));
}

std::optional<SmallVector<Attribute, 0>>
RoundTrips::collectShared(Operation *op) {
  llvm::SetVector<Attribute, SmallVector<Attribute, 0>> shared;
  bool isExact = true;
  auto visit = [&](auto element) {
    if (hasBytes(element))
      return WalkResult::advance();
    isExact = isExact && isTextExact(element);
    // Its text includes other attributes and types.
    return WalkResult::skip();
  };
  AttrTypeWalker walker;
  walker.addWalk([&](Attribute attr) -> WalkResult {
    if (isShared(attr))
      shared.insert(attr);
    return visit(attr);
  });
  walker.addWalk([&](Type type) -> WalkResult { return visit(type); });
  walkAttributesAndTypes(op, walker);
  if (!isExact)
    return std::nullopt;
  return shared.takeVector();
}

} // namespace partita::transform
