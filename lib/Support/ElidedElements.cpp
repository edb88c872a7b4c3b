//===- ElidedElements.cpp - Marks for elided constants --------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/ElidedElements.h"

#include "partita/Support/StructuralEquality.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace partita;

static constexpr llvm::StringLiteral opening = "dense_resource<";
static constexpr llvm::StringLiteral elidedKey = "__elided__";

//===----------------------------------------------------------------------===//
// Hashes
//===----------------------------------------------------------------------===//

static uint64_t combine(uint64_t lhs, uint64_t rhs) {
  uint64_t words[] = {lhs, rhs};
  return llvm::xxh3_64bits(
      ArrayRef(reinterpret_cast<const uint8_t *>(words), sizeof(words)));
}

static uint64_t hashElements(Attribute elements) {
  if (auto sparse = dyn_cast<SparseElementsAttr>(elements))
    return combine(hashElements(sparse.getIndices()),
                   hashElements(sparse.getValues()));
  if (auto strings = dyn_cast<DenseStringElementsAttr>(elements)) {
    uint64_t code = 0;
    for (StringRef string : strings.getRawStringData())
      code = combine(code, llvm::xxh3_64bits(string));
    return code;
  }
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    ArrayRef<char> bytes = dense.getRawData();
    return llvm::xxh3_64bits(StringRef(bytes.data(), bytes.size()));
  }
  return llvm::xxh3_64bits(getResourceBytes(elements));
}

uint64_t ElidedElements::hash(Attribute elements) {
  // The elements of a resource can be replaced.
  if (isa<DenseResourceElementsAttr>(elements))
    return hashElements(elements);
  auto [it, isNew] = known.try_emplace(elements);
  if (isNew)
    it->second = hashElements(elements);
  return it->second;
}

//===----------------------------------------------------------------------===//
// Constants of an op
//===----------------------------------------------------------------------===//

/// Whether MLIR prints `dense_resource<..>` in place of the elements.
static bool isPrintedAsResource(ElementsAttr elements,
                                const OpPrintingFlags &flags) {
  if (auto sparse = dyn_cast<SparseElementsAttr>(elements))
    return flags.shouldElideElementsAttr(sparse.getIndices()) ||
           flags.shouldElideElementsAttr(sparse.getValues());
  if (isa<DenseElementsAttr>(elements))
    return flags.shouldElideElementsAttr(elements);
  return isa<BlobAttr>(elements) && !isa<DenseArrayAttr>(elements);
}

void ElidedElements::collect(Attribute attr, const OpPrintingFlags &flags) {
  if (!attr || without.contains(attr))
    return;
  if (auto elements = dyn_cast<ElementsAttr>(attr)) {
    if (isPrintedAsResource(elements, flags))
      hashes.push_back(hash(attr));
    return;
  }
  size_t before = hashes.size();
  attr.walkImmediateSubElements([&](Attribute inner) { collect(inner, flags); },
                                [](Type) {});
  if (hashes.size() == before)
    without.insert(attr);
}

void ElidedElements::collect(Operation *op, const OpPrintingFlags &flags) {
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    NamedAttrList inherent;
    if (inner->isRegistered())
      inner->getName().populateInherentAttrs(inner, inherent);
    else if (inner->getPropertiesStorage())
      collect(inner->getPropertiesAsAttribute(), flags);
    llvm::sort(inherent);
    for (NamedAttribute attr : inherent)
      collect(attr.getValue(), flags);
    for (NamedAttribute attr : inner->getDiscardableAttrs())
      collect(attr.getValue(), flags);
  });
}

//===----------------------------------------------------------------------===//
// mark
//===----------------------------------------------------------------------===//

/// The begin and end of each resource key in `text`.
static SmallVector<std::pair<size_t, size_t>> findKeys(StringRef text) {
  SmallVector<std::pair<size_t, size_t>> keys;
  for (size_t pos = 0; (pos = text.find_first_of("\"d", pos)) != text.npos;) {
    if (text[pos] == '"') {
      // In strings, MLIR escapes quotes by their codes.
      size_t end = text.find('"', pos + 1);
      pos = end == text.npos ? end : end + 1;
    } else if (text.substr(pos).starts_with(opening)) {
      size_t begin = pos + opening.size();
      bool isQuoted = text.substr(begin).starts_with("\"");
      size_t end = text.find(isQuoted ? '"' : '>', begin + isQuoted);
      if (end == text.npos)
        break;
      keys.push_back({begin, end});
      pos = end + 1;
    } else {
      ++pos;
    }
    if (pos >= text.size())
      break;
  }
  return keys;
}

void ElidedElements::mark(std::string &text, Operation *op,
                          const OpPrintingFlags &flags) {
  if (!StringRef(text).contains(opening))
    return;
  SmallVector<std::pair<size_t, size_t>> keys = findKeys(text);
  hashes.clear();
  without.clear();
  collect(op, flags);
  if (keys.empty() || hashes.empty())
    return;
  if (hashes.size() != keys.size()) {
    // Printers of ops can leave attributes out. Then each mark is a hash of
    // all.
    uint64_t all = 0;
    for (uint64_t code : hashes)
      all = combine(all, code);
    hashes.resize(keys.size());
    for (auto [index, code] : llvm::enumerate(hashes))
      code = combine(all, index);
  }

  // The elements of other resources are printed at the end.
  StringRef all = text, resources;
  if (size_t begin = all.rfind("\n{-#"); begin != all.npos)
    resources = all.substr(begin);
  std::string marked;
  marked.reserve(text.size() + 9 * keys.size());
  size_t last = 0;
  for (auto [range, code] : llvm::zip_equal(keys, hashes)) {
    auto [begin, end] = range;
    StringRef key = all.slice(begin, end);
    marked += all.slice(last, end);
    last = end;
    if (key == "__freed__" ||
        resources.contains(
            (" " + key + (key.starts_with("\"") ? "\"" : "") + ": \"0x").str()))
      continue;
    marked += llvm::formatv(".{0:x-8}", uint32_t(code)).str();
  }
  marked += all.substr(last);
  text = std::move(marked);
}
