//===- StructuralEquality.cpp - Structural equality of IR -----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Support/StructuralEquality.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace partita;

#include "partita/Support/NameHintOpInterface.cpp.inc"

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

StringRef partita::getResourceBytes(Attribute elements) {
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(elements))
    if (!resource.getRawHandle().getBlob())
      return StringRef();
  // Arrays are blobs, too.
  auto blob = dyn_cast_or_null<BlobAttr>(elements);
  if (!blob || !isa<ElementsAttr>(elements))
    return StringRef();
  ArrayRef<char> bytes = blob.getData();
  if (bytes.empty() && cast<ElementsAttr>(elements).getNumElements() == 0)
    return "";
  return {bytes.data(), bytes.size()};
}

namespace {
/// The elements of an attribute in one normal form for all kinds of attributes:
/// a splat as one element, booleans as bytes.
struct Elements {
  /// Nothing if the bytes of `attr` are unknown.
  static std::optional<Elements> get(Attribute attr);

  bool operator==(const Elements &other) const {
    return isSplat == other.isSplat && bytes == other.bytes;
  }

  ShapedType type;
  bool isSplat = false;
  StringRef bytes;

private:
  /// Holds `bytes` if the attribute does not; their address is stable.
  std::vector<char> unpacked;
};
} // namespace

std::optional<Elements> Elements::get(Attribute attr) {
  Elements result;
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(attr)) {
    result.type = dense.getType();
    result.isSplat = dense.isSplat();
    if (dense.getElementType().isInteger(1)) {
      for (bool value : dense.getValues<bool>()) {
        result.unpacked.push_back(value);
        if (result.isSplat)
          break;
      }
      result.bytes = {result.unpacked.data(), result.unpacked.size()};
    } else {
      result.bytes = {dense.getRawData().data(), dense.getRawData().size()};
    }
  } else if (StringRef bytes = getResourceBytes(attr); bytes.data()) {
    result.type = cast<ElementsAttr>(attr).getShapedType();
    result.bytes = bytes;
  } else {
    return std::nullopt;
  }
  if (!result.type.hasStaticShape())
    return result;
  int64_t count = result.type.getNumElements();
  if (count == 0) {
    result.isSplat = false;
    result.bytes = StringRef();
  } else if (!result.isSplat && result.bytes.size() % count == 0) {
    size_t size = result.bytes.size() / count;
    if (result.bytes.drop_front(size) == result.bytes.drop_back(size)) {
      result.isSplat = true;
      result.bytes = result.bytes.take_front(size);
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The contents of types and attributes
//===----------------------------------------------------------------------===//

static uint64_t hashBytes(StringRef bytes) { return llvm::xxh3_64bits(bytes); }

/// llvm::hash_combine differs between processes.
static uint64_t hashWords(ArrayRef<uint64_t> words) {
  return llvm::xxh3_64bits(
      ArrayRef(reinterpret_cast<const uint8_t *>(words.data()),
               words.size() * sizeof(uint64_t)));
}

namespace {
/// Compares and hashes the contents of types, attributes and names. It caches
/// its results for types and attributes.
class Contents {
public:
  bool areEqual(Type lhs, Type rhs);
  bool areEqual(Attribute lhs, Attribute rhs);
  bool areEqual(OperationName lhs, OperationName rhs);

  uint64_t hash(Type type);
  uint64_t hash(Attribute attr);
  uint64_t hash(OperationName name);

private:
  /// The text of a type or an attribute, if there is no faster way.
  template <typename T>
  StringRef getText(T thing);
  uint64_t computeHash(Attribute attr);

  llvm::BumpPtrAllocator allocator;
  DenseMap<const void *, StringRef> texts;
  DenseMap<const void *, uint64_t> hashes;
  /// Pairs of different objects with equal contents.
  DenseSet<std::pair<const void *, const void *>> equal;
};
} // namespace

template <typename T>
StringRef Contents::getText(T thing) {
  StringRef &result = texts[thing.getAsOpaquePointer()];
  if (result.empty()) {
    std::string text;
    llvm::raw_string_ostream os(text);
    // Flags on the command line could elide elements.
    AsmState state(thing.getContext(),
                   OpPrintingFlags().elideLargeElementsAttrs(INT64_MAX));
    thing.print(os, state);
    result = StringRef(text).copy(allocator);
  }
  return result;
}

bool Contents::areEqual(Type lhs, Type rhs) {
  if (lhs == rhs || !lhs || !rhs)
    return lhs == rhs;
  if (lhs.getContext() == rhs.getContext())
    return false;
  return getText(lhs) == getText(rhs);
}

bool Contents::areEqual(OperationName lhs, OperationName rhs) {
  return lhs == rhs || lhs.getStringRef() == rhs.getStringRef();
}

bool Contents::areEqual(Attribute lhs, Attribute rhs) {
  if (lhs == rhs || !lhs || !rhs)
    return lhs == rhs;
  std::pair<const void *, const void *> key(lhs.getAsOpaquePointer(),
                                            rhs.getAsOpaquePointer());
  if (equal.contains(key))
    return true;
  auto compare = [&] {
    if (auto text = dyn_cast<StringAttr>(lhs))
      if (auto other = dyn_cast<StringAttr>(rhs))
        return text.getValue() == other.getValue() &&
               areEqual(text.getType(), other.getType());
    if (auto array = dyn_cast<ArrayAttr>(lhs))
      if (auto other = dyn_cast<ArrayAttr>(rhs))
        return llvm::equal(array, other, [&](Attribute lhs, Attribute rhs) {
          return areEqual(lhs, rhs);
        });
    if (auto dictionary = dyn_cast<DictionaryAttr>(lhs))
      if (auto other = dyn_cast<DictionaryAttr>(rhs))
        return llvm::equal(
            dictionary, other, [&](NamedAttribute lhs, NamedAttribute rhs) {
              return lhs.getName().getValue() == rhs.getName().getValue() &&
                     areEqual(lhs.getValue(), rhs.getValue());
            });
    if (std::optional<Elements> elements = Elements::get(lhs))
      if (std::optional<Elements> other = Elements::get(rhs))
        return areEqual(elements->type, other->type) && *elements == *other;
    if (lhs.getContext() == rhs.getContext())
      return false;
    return getText(lhs) == getText(rhs);
  };
  if (!compare())
    return false;
  equal.insert(key);
  return true;
}

uint64_t Contents::hash(OperationName name) {
  uint64_t &result = hashes[name.getAsOpaquePointer()];
  if (!result)
    result = hashBytes(name.getStringRef());
  return result;
}

uint64_t Contents::hash(Type type) {
  auto [it, isNew] = hashes.try_emplace(type.getAsOpaquePointer());
  if (isNew && type)
    it->second = hashBytes(getText(type));
  return it->second;
}

uint64_t Contents::hash(Attribute attr) {
  auto [it, isNew] = hashes.try_emplace(attr.getAsOpaquePointer());
  if (!isNew || !attr)
    return it->second;
  uint64_t result = computeHash(attr);
  hashes[attr.getAsOpaquePointer()] = result;
  return result;
}

uint64_t Contents::computeHash(Attribute attr) {
  if (auto text = dyn_cast<StringAttr>(attr))
    return hashBytes(text.getValue());
  SmallVector<uint64_t> words;
  if (auto array = dyn_cast<ArrayAttr>(attr)) {
    for (Attribute element : array)
      words.push_back(hash(element));
    return hashWords(words);
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(attr)) {
    for (NamedAttribute entry : dictionary)
      words.append({hash(entry.getName()), hash(entry.getValue())});
    return hashWords(words);
  }
  if (std::optional<Elements> elements = Elements::get(attr))
    return hashWords(
        {hash(elements->type), elements->isSplat, hashBytes(elements->bytes)});
  return hashBytes(getText(attr));
}

/// Whether `op` computes a scalar, as an expression in a prim_func of TVM's.
static bool isScalarExpr(Operation *op) {
  Dialect *dialect = op->getDialect();
  return dialect &&
         llvm::is_contained({"arith", "math"}, dialect->getNamespace()) &&
         isMemoryEffectFree(op);
}

/// Whether `op` is a value, and not a binding of one. What computes from
/// operands must have a use: it would count nowhere.
static bool isValue(Operation *op) {
  if (op->getNumRegions() != 0 || op->getNumResults() != 1)
    return false;
  bool isMarked = op->hasTrait<IsValue>() && isMemoryEffectFree(op);
  if (op->getNumOperands() == 0)
    return op->hasTrait<OpTrait::ConstantLike>() || isMarked;
  return !op->use_empty() && (isMarked || isScalarExpr(op));
}

/// The op that makes `value`, if the op is no binding.
static Operation *getValueOp(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isValue(op) ? op : nullptr;
}

/// Drops the default that upstream's builders of loads and stores set. It has
/// no text, so that an op that was read back lacks it.
static Attribute dropDefault(Attribute properties) {
  auto attrs = dyn_cast_or_null<DictionaryAttr>(properties);
  auto flag = attrs ? attrs.getAs<BoolAttr>("nontemporal") : BoolAttr();
  if (!flag || flag.getValue())
    return properties;
  NamedAttrList others(attrs);
  others.erase("nontemporal");
  return others.empty() ? Attribute() : others.getDictionary(flag.getContext());
}

/// The inherent attributes of `op` that count.
static Attribute getProperties(Operation *op) {
  if (auto named = dyn_cast<NameHintOpInterface>(op)) {
    NamedAttrList attrs(cast<DictionaryAttr>(op->getPropertiesAsAttribute()));
    attrs.erase(named.getNameHintAttrName());
    return attrs.getDictionary(op->getContext());
  }
  if (!isValue(op) || !op->isRegistered())
    return dropDefault(op->getPropertiesAsAttribute());
  // Leave elements out: the attribute would keep them as long as the context.
  NamedAttrList attrs;
  op->getName().getRegisteredInfo()->populateInherentAttrs(op, attrs);
  if (attrs.getAttrs().size() == 1)
    return attrs.begin()->getValue();
  return op->getPropertiesAsAttribute();
}

/// The ops of a block that are bindings. The symbols of a symbol table are in
/// the order of their names: a module is a map.
static SmallVector<Operation *> getBindings(Block &block) {
  SmallVector<Operation *> bindings = llvm::to_vector(
      llvm::make_filter_range(llvm::make_pointer_range(block),
                              [](Operation *op) { return !isValue(op); }));
  Operation *parent = block.getParentOp();
  if (!parent || !parent->hasTrait<OpTrait::SymbolTable>())
    return bindings;
  auto getName = [](Operation *op) {
    return op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
  };
  if (llvm::all_of(bindings, getName))
    llvm::stable_sort(bindings, [&](Operation *lhs, Operation *rhs) {
      return getName(lhs).getValue() < getName(rhs).getValue();
    });
  return bindings;
}

/// `values`, one for each result of `op`, in an order that counts: as the block
/// computes them, and then those that are values.
static SmallVector<Value> sortByDefinition(ValueRange values, Operation *op) {
  Block &block = op->getRegion(0).front();
  DenseMap<Operation *, size_t> places;
  for (auto [place, inner] : llvm::enumerate(block))
    if (!isValue(&inner))
      places[&inner] = place;
  SmallVector<std::tuple<size_t, unsigned, Value>> sorted;
  for (auto [value, given] :
       llvm::zip_equal(values, block.back().getOperands())) {
    auto result = dyn_cast<OpResult>(given);
    auto place = result ? places.find(result.getOwner()) : places.end();
    if (place == places.end())
      sorted.emplace_back(SIZE_MAX, 0, value);
    else
      sorted.emplace_back(place->second, result.getResultNumber(), value);
  }
  llvm::stable_sort(sorted, [](const auto &lhs, const auto &rhs) {
    return std::pair(std::get<0>(lhs), std::get<1>(lhs)) <
           std::pair(std::get<0>(rhs), std::get<1>(rhs));
  });
  return llvm::map_to_vector(sorted,
                             [](const auto &key) { return std::get<2>(key); });
}

/// Whether a block of `region` ends in an op with `count` operands.
static bool isComplete(Region &region, size_t count) {
  return !region.empty() && !region.front().empty() &&
         region.front().back().getNumOperands() == count;
}

namespace {
/// The operands and results of an op in an order that counts.
struct Values {
  explicit Values(Operation *op)
      : operands(op->getOperands()), results(op->getResults()) {
    Operation *parent = op->getParentOp();
    if (operands.size() > 1 && parent &&
        parent->hasTrait<HasUnorderedResults>() &&
        op->hasTrait<OpTrait::IsTerminator>() &&
        parent->getNumResults() == operands.size())
      operands = sorted = sortByDefinition(operands, parent);
    else if (results.size() > 1 && op->hasTrait<HasUnorderedResults>() &&
             isComplete(op->getRegion(0), results.size()))
      results = sorted = sortByDefinition(results, op);
  }
  Values(const Values &) = delete;

  ValueRange operands, results;

private:
  SmallVector<Value> sorted;
};

/// Numbers values and blocks in the order of their first use.
class Numbering {
public:
  size_t operator()(Value value) { return number(value.getAsOpaquePointer()); }
  size_t operator()(Block *block) { return number(block); }

private:
  size_t number(const void *thing) {
    return numbers.try_emplace(thing, numbers.size()).first->second;
  }

  DenseMap<const void *, size_t> numbers;
};

//===----------------------------------------------------------------------===//
// Equality
//===----------------------------------------------------------------------===//

/// Walks two ops side by side.
class Comparison {
public:
  bool areEqual(Operation *lhs, Operation *rhs);

private:
  bool areEqual(Region &lhs, Region &rhs);
  bool areEqual(Block &lhs, Block &rhs);
  /// Compares uses.
  bool areUsedEqual(ValueRange lhs, ValueRange rhs);
  /// Compares definitions.
  bool areDefinedEqual(ValueRange lhs, ValueRange rhs);
  /// Compares names and attributes.
  bool haveEqualContents(Operation *lhs, Operation *rhs);

  Contents contents;
  Numbering lhsNumber, rhsNumber;
  DenseSet<std::pair<Operation *, Operation *>> equalValues;
};

/// Hashes the parts that Comparison compares.
class Hasher {
public:
  uint64_t hash(Operation *op);

private:
  void hashContents(Operation *op, SmallVectorImpl<uint64_t> &words);
  uint64_t hash(Block &block);
  uint64_t hash(Value value);

  Contents contents;
  Numbering number;
  DenseMap<Operation *, uint64_t> values;
};
} // namespace

bool Comparison::haveEqualContents(Operation *lhs, Operation *rhs) {
  if (!contents.areEqual(lhs->getName(), rhs->getName()) ||
      !contents.areEqual(lhs->getDiscardableAttrDictionary(),
                         rhs->getDiscardableAttrDictionary()) ||
      lhs->getNumResults() != rhs->getNumResults())
    return false;
  if (lhs->getName() == rhs->getName() &&
      lhs->getName().compareOpProperties(lhs->getPropertiesStorage(),
                                         rhs->getPropertiesStorage()))
    return true;
  return contents.areEqual(getProperties(lhs), getProperties(rhs));
}

bool Comparison::areUsedEqual(ValueRange lhs, ValueRange rhs) {
  if (lhs.size() != rhs.size())
    return false;
  // Values of values are many in unrolled loops, too many to recurse.
  SmallVector<std::pair<Value, Value>> pairs;
  auto add = [&](ValueRange lhs, ValueRange rhs) {
    for (auto [one, other] : llvm::reverse(llvm::zip_equal(lhs, rhs)))
      pairs.emplace_back(one, other);
  };
  add(lhs, rhs);
  while (!pairs.empty()) {
    auto [one, other] = pairs.pop_back_val();
    Operation *op = getValueOp(one), *otherOp = getValueOp(other);
    if (!op && !otherOp) {
      if (lhsNumber(one) != rhsNumber(other))
        return false;
      continue;
    }
    if (!op || !otherOp || op->getNumOperands() != otherOp->getNumOperands())
      return false;
    // An unequal pair ends the comparison, so that no pair has to be taken
    // back.
    if (!equalValues.insert({op, otherOp}).second)
      continue;
    if (!contents.areEqual(one.getType(), other.getType()) ||
        !haveEqualContents(op, otherOp))
      return false;
    add(op->getOperands(), otherOp->getOperands());
  }
  return true;
}

bool Comparison::areDefinedEqual(ValueRange lhs, ValueRange rhs) {
  return llvm::equal(lhs, rhs, [&](Value lhs, Value rhs) {
    return contents.areEqual(lhs.getType(), rhs.getType()) &&
           lhsNumber(lhs) == rhsNumber(rhs);
  });
}

bool Comparison::areEqual(Operation *lhs, Operation *rhs) {
  if (!haveEqualContents(lhs, rhs))
    return false;
  Values lhsValues(lhs), rhsValues(rhs);
  return areUsedEqual(lhsValues.operands, rhsValues.operands) &&
         areDefinedEqual(lhsValues.results, rhsValues.results) &&
         llvm::equal(lhs->getSuccessors(), rhs->getSuccessors(),
                     [&](Block *lhs, Block *rhs) {
                       return lhsNumber(lhs) == rhsNumber(rhs);
                     }) &&
         llvm::equal(
             lhs->getRegions(), rhs->getRegions(),
             [&](Region &lhs, Region &rhs) { return areEqual(lhs, rhs); });
}

bool Comparison::areEqual(Region &lhs, Region &rhs) {
  return llvm::equal(lhs, rhs, [&](Block &lhs, Block &rhs) {
    return lhsNumber(&lhs) == rhsNumber(&rhs) && areEqual(lhs, rhs);
  });
}

bool Comparison::areEqual(Block &lhs, Block &rhs) {
  return areDefinedEqual(lhs.getArguments(), rhs.getArguments()) &&
         llvm::equal(getBindings(lhs), getBindings(rhs),
                     [&](Operation *lhs, Operation *rhs) {
                       return areEqual(lhs, rhs);
                     });
}

bool partita::isStructurallyEqual(Operation *lhs, Operation *rhs) {
  return lhs == rhs || Comparison().areEqual(lhs, rhs);
}

void Hasher::hashContents(Operation *op, SmallVectorImpl<uint64_t> &words) {
  words.append({contents.hash(op->getName()),
                contents.hash(op->getDiscardableAttrDictionary()),
                contents.hash(getProperties(op))});
}

uint64_t Hasher::hash(Value value) {
  if (!getValueOp(value))
    return number(value);
  SmallVector<Value> open = {value};
  while (!open.empty()) {
    Operation *op = open.back().getDefiningOp();
    size_t numOpen = open.size();
    if (!values.contains(op))
      for (Value operand : llvm::reverse(op->getOperands()))
        if (Operation *inner = getValueOp(operand);
            inner && !values.contains(inner))
          open.push_back(operand);
    if (open.size() != numOpen)
      continue;
    open.pop_back();
    if (values.contains(op))
      continue;
    SmallVector<uint64_t> words;
    hashContents(op, words);
    words.push_back(contents.hash(op->getResult(0).getType()));
    for (Value operand : op->getOperands()) {
      Operation *inner = getValueOp(operand);
      words.push_back(inner ? values.lookup(inner) : number(operand));
    }
    values[op] = hashWords(words);
  }
  return values.lookup(value.getDefiningOp());
}

uint64_t Hasher::hash(Operation *op) {
  SmallVector<uint64_t> words = {op->getNumOperands(), op->getNumResults(),
                                 op->getNumRegions()};
  hashContents(op, words);
  Values used(op);
  for (Value operand : used.operands)
    words.push_back(hash(operand));
  for (Value result : used.results)
    words.append({contents.hash(result.getType()), number(result)});
  for (Block *successor : op->getSuccessors())
    words.push_back(number(successor));
  for (Region &region : op->getRegions()) {
    words.push_back(region.getBlocks().size());
    for (Block &block : region)
      words.push_back(hash(block));
  }
  return hashWords(words);
}

uint64_t Hasher::hash(Block &block) {
  SmallVector<uint64_t> words = {number(&block)};
  for (BlockArgument argument : block.getArguments())
    words.append({contents.hash(argument.getType()), number(argument)});
  for (Operation *op : getBindings(block))
    words.push_back(hash(op));
  return hashWords(words);
}

uint64_t partita::structuralHash(Operation *op) { return Hasher().hash(op); }

//===----------------------------------------------------------------------===//
// hashStructure
//===----------------------------------------------------------------------===//

namespace {
/// Hashes IR. Values and blocks are numbered in the order of their first use.
class StructureHasher {
public:
  uint64_t hash(Operation *op) {
    uint64_t code = mix(toInt(op->getName()), op->getNumOperands());
    code = mix(code, op->getNumResults());
    code = mix(code, op->getNumRegions());
    // These are all attributes if the op has no properties. Joining both kinds
    // would make a new dictionary.
    code = mix(code, toInt(op->getRawDictionaryAttrs()));
    if (op->getPropertiesStorage())
      code = mix(code, op->hashProperties());
    for (Value operand : op->getOperands())
      code = mix(code, number(operand.getAsOpaquePointer()));
    for (Value result : op->getResults())
      code = mix(mix(code, toInt(result.getType())),
                 number(result.getAsOpaquePointer()));
    for (Block *successor : op->getSuccessors())
      code = mix(code, number(successor));
    for (Region &region : op->getRegions()) {
      code = mix(code, region.getBlocks().size());
      for (Block &block : region)
        code = mix(code, hash(block));
    }
    return code;
  }

private:
  static uint64_t mix(uint64_t code, uint64_t value) {
    return llvm::hashing::detail::hash_16_bytes(code, value);
  }
  template <typename T>
  static uint64_t toInt(T thing) {
    return uintptr_t(thing.getAsOpaquePointer());
  }

  uint64_t hash(Block &block) {
    uint64_t code = number(&block);
    for (BlockArgument argument : block.getArguments())
      code = mix(mix(code, toInt(argument.getType())),
                 number(argument.getAsOpaquePointer()));
    for (Operation &op : block)
      code = mix(code, hash(&op));
    return code;
  }

  size_t number(const void *thing) {
    return numbers.try_emplace(thing, numbers.size()).first->second;
  }

  llvm::SmallDenseMap<const void *, size_t, 64> numbers;
};
} // namespace

uint64_t partita::hashStructure(Operation *op) {
  return StructureHasher().hash(op);
}
