//===- ModuleSnapshot.cpp - Snapshots of modules --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleSnapshot.h"
#include "InstrumentSupport.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

/// Whether the body is one block of ops that share no values, and whose text in
/// the module is their text alone, apart from indentation.
static bool hasSeparateOps(Operation *op) {
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock() ||
      op->getRegion(0).getNumArguments() != 0)
    return false;
  // Inside `op`, ops of `dialect` are printed without the dialect's name;
  // printed alone, ops of `builtin` are.
  constexpr llvm::StringLiteral builtin = "builtin";
  StringRef dialect;
  if (auto asmInterface = dyn_cast<OpAsmOpInterface>(op))
    dialect = asmInterface.getDefaultDialect();
  return llvm::all_of(op->getRegion(0).front(), [&](Operation &inner) {
    StringRef name = inner.getName().getDialectNamespace();
    return inner.getNumResults() == 0 && inner.getNumSuccessors() == 0 &&
           (dialect == builtin || (name != builtin && name != dialect));
  });
}

/// Whether an op in a module is a module itself, whose ops are all printed.
static bool isInnerModule(Operation *op) {
  return op->hasTrait<OpTrait::SymbolTable>() &&
         op->hasTrait<OpTrait::IsIsolatedFromAbove>() &&
         op->hasTrait<OpTrait::NoTerminator>() && hasSeparateOps(op);
}

namespace {
/// Hashes ops by their contents and by the addresses of their values. That
/// identifies them, and needs no numbering of values, which takes most of the
/// time of hashStructure.
class IdentityHasher {
public:
  void add(const void *pointer) { add(uint64_t(uintptr_t(pointer))); }
  void add(Operation *op) {
    add(static_cast<const void *>(op));
    add(op->getName().getAsOpaquePointer());
    add(op->getRawDictionaryAttrs().getAsOpaquePointer());
    if (op->getPropertiesStorage())
      add(uint64_t(op->hashProperties()));
    add(uint64_t(op->getNumOperands()) << 32 | op->getNumResults());
    for (OpOperand &operand : op->getOpOperands())
      add(operand.get().getAsOpaquePointer());
    for (OpResult result : op->getOpResults())
      add(result.getType().getAsOpaquePointer());
    for (Block *successor : op->getSuccessors())
      add(static_cast<const void *>(successor));
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        add(static_cast<const void *>(&block));
        for (BlockArgument argument : block.getArguments())
          add(argument.getType().getAsOpaquePointer());
        for (Operation &inner : block)
          add(&inner);
        add(uint64_t(0));
      }
      add(uint64_t(0));
    }
  }
  uint64_t get() const { return code; }

private:
  void add(uint64_t word) {
    code = (code ^ word) * 0x9E3779B97F4A7C15;
    code ^= code >> 32;
  }

  uint64_t code = 0x9E3779B97F4A7C15;
};
} // namespace

//===----------------------------------------------------------------------===//
// Builder
//===----------------------------------------------------------------------===//

class ModuleSnapshot::Builder {
public:
  Builder(std::optional<int> elide, std::shared_ptr<LineTable> table,
          ElidedElements &elided,
          llvm::function_ref<bool(Operation *)> isVerified)
      : elide(elide), table(std::move(table)), elided(elided),
        isVerified(isVerified),
        flags(getPrintingFlags(elide.value_or(0), /*withLocations=*/false)) {
    // Text is written character by character.
    os.SetBufferSize(1 << 14);
  }

  Part buildModule(Operation *module, const Part *before) {
    Part part;
    if (hasSeparateOps(module))
      addDivided(part, module, before, /*depth=*/0, isValid(module));
    else
      addWhole(part, module, before, /*depth=*/0, isValid(module));
    return part;
  }

private:
  bool isValid(Operation *op) { return isVerified && isVerified(op); }
  Part build(Operation *op, Attribute name, const Part *before, unsigned depth,
             bool isKnown);
  void addWhole(Part &part, Operation *op, const Part *before, unsigned depth,
                bool isKnown);
  void addDivided(Part &part, Operation *op, const Part *before, unsigned depth,
                  bool isKnown);
  void addAround(Contents &contents, Operation *op, unsigned depth,
                 bool isKnown);

  StringRef print(Operation *op, OpPrintingFlags flags, bool isKnown,
                  bool *isGeneric = nullptr);
  std::shared_ptr<const Lines> makeLines(StringRef text, unsigned depth);

  std::optional<int> elide;
  std::shared_ptr<LineTable> table;
  ElidedElements &elided;
  llvm::function_ref<bool(Operation *)> isVerified;
  OpPrintingFlags flags;
  std::string text;
  llvm::raw_string_ostream os{text};
};

/// The text of an op alone, valid until the next call.
StringRef ModuleSnapshot::Builder::print(Operation *op, OpPrintingFlags flags,
                                         bool isKnown, bool *isGeneric) {
  if (isKnown)
    flags.assumeVerified();
  text.clear();
  // A state for the op alone: a state for the module would number all its
  // values.
  AsmState state(op, flags);
  if (isGeneric)
    *isGeneric = state.getPrinterFlags().shouldPrintGenericOpForm();
  op->print(os, state);
  os.flush();
  elided.mark(text, op, state.getPrinterFlags());
  return StringRef(text).rtrim('\n');
}

std::shared_ptr<const ModuleSnapshot::Lines>
ModuleSnapshot::Builder::makeLines(StringRef text, unsigned depth) {
  Numbers numbers;
  size_t indent = 2 * size_t(depth);
  llvm::SmallString<256> indented;
  indented.append(indent, ' ');
  for (StringRef line : llvm::split(text, '\n')) {
    indented.truncate(indent);
    indented += line;
    numbers.push_back(table->add(line.empty() ? line : indented.str()));
  }
  return std::make_shared<Lines>(table, std::move(numbers));
}

ModuleSnapshot::Part ModuleSnapshot::Builder::build(Operation *op,
                                                    Attribute name,
                                                    const Part *before,
                                                    unsigned depth,
                                                    bool isKnown) {
  Part part;
  part.name = name;
  isKnown |= isValid(op);
  if (isInnerModule(op))
    addDivided(part, op, before, depth, isKnown);
  else
    addWhole(part, op, before, depth, isKnown);
  return part;
}

void ModuleSnapshot::Builder::addWhole(Part &part, Operation *op,
                                       const Part *before, unsigned depth,
                                       bool isKnown) {
  if (before && before->contents->isDivided())
    before = nullptr;
  IdentityHasher hasher;
  hasher.add(op);
  part.identity = hasher.get();
  bool isSame = before && before->identity == part.identity;
  part.hash = isSame ? before->hash : hashStructure(op);
  if (before && before->hash == part.hash) {
    part.contents = before->contents;
    return;
  }
  auto contents = std::make_shared<Contents>();
  OpChanges opCounts;
  op->walk([&](Operation *inner) {
    if (inner == op && depth == 0)
      return;
    ++opCounts[inner->getName()];
    ++contents->numOps;
  });
  contents->opCounts.assign(opCounts.begin(), opCounts.end());
  if (elide) {
    StringRef lines;
    std::string whole;
    if (depth == 0) {
      whole = printIR(op, *elide, /*withLocations=*/false);
      lines = StringRef(whole).rtrim('\n');
    } else {
      lines = print(op, flags, isKnown);
    }
    contents->lines = makeLines(lines, depth);
    contents->numLines = contents->lines->numbers.size();
  }
  part.contents = std::move(contents);
}

/// Adds the lines of a module before and after its ops.
void ModuleSnapshot::Builder::addAround(Contents &contents, Operation *op,
                                        unsigned depth, bool isKnown) {
  OpPrintingFlags around = OpPrintingFlags(flags).useLocalScope();
  OwningOpRef<Operation *> empty = op->cloneWithoutRegions();
  empty.get()->getRegion(0).emplaceBlock();
  bool isGeneric = false;
  // Without its ops, it may be invalid, even if `op` is valid.
  StringRef lines = print(empty.get(), around, /*isKnown=*/false, &isGeneric);
  StringRef body = "{\n}";
  if (isGeneric || !lines.contains(body)) {
    // The empty op prints differently.
    lines = print(op, around.skipRegions(), isKnown);
    body = "{...}";
  }
  auto [first, last] = lines.rsplit(body);
  contents.lines = makeLines((first + "{").str(), depth);
  contents.footer = makeLines(("}" + last).str(), depth);
}

void ModuleSnapshot::Builder::addDivided(Part &part, Operation *op,
                                         const Part *before, unsigned depth,
                                         bool isKnown) {
  const Contents *old = before && before->contents->isDivided()
                            ? before->contents.get()
                            : nullptr;
  auto contents = std::make_shared<Contents>();
  contents->attributes = op->getAttrDictionary();
  bool isSame = old && contents->attributes == old->attributes;
  if (elide && isSame) {
    contents->lines = old->lines;
    contents->footer = old->footer;
  } else if (elide) {
    addAround(*contents, op, depth, isKnown);
  }
  if (elide)
    contents->numLines =
        contents->lines->numbers.size() + contents->footer->numbers.size();
  if (depth != 0) {
    contents->opCounts.emplace_back(op->getName(), 1);
    contents->numOps = 1;
  }

  llvm::hash_code code =
      llvm::hash_combine(op->getName(), contents->attributes);
  // Filled when an op has moved.
  llvm::DenseMap<Attribute, const Part *> named;
  bool isFilled = false;
  auto findOld = [&](size_t index, Attribute name) -> const Part * {
    if (!old)
      return nullptr;
    if (index < old->parts.size() && old->parts[index].name == name)
      return &old->parts[index];
    if (!std::exchange(isFilled, true))
      for (const Part &oldPart : old->parts)
        if (oldPart.name)
          named.try_emplace(oldPart.name, &oldPart);
    return name ? named.lookup(name) : nullptr;
  };
  if (old)
    contents->parts.reserve(old->parts.size());
  for (Operation &inner : op->getRegion(0).front()) {
    size_t index = contents->parts.size();
    Attribute name = inner.getAttr(SymbolTable::getSymbolAttrName());
    const Part &added = contents->parts.emplace_back(
        build(&inner, name, findOld(index, name), depth + 1, isKnown));
    code = llvm::hash_combine(code, added.hash);
    contents->numOps += added.contents->numOps;
    contents->numLines += added.contents->numLines;
    isSame = isSame && index < old->parts.size() &&
             old->parts[index].contents == added.contents &&
             old->parts[index].identity == added.identity;
  }
  part.hash = code;
  isSame = isSame && contents->parts.size() == old->parts.size();
  if (isSame)
    part.contents = before->contents;
  else
    part.contents = std::move(contents);
}

ModuleSnapshot::ModuleSnapshot(Operation *module, std::optional<int> elide,
                               const ModuleSnapshot *before,
                               llvm::function_ref<bool(Operation *)> isVerified)
    : table(before && before->table ? before->table
                                    : std::make_shared<LineTable>()),
      elided(before && before->elided ? before->elided
                                      : std::make_shared<ElidedElements>()) {
  bool hasOld = before && before->root.contents;
  root = Builder(elide, table, *elided, isVerified)
             .buildModule(module, hasOld ? &before->root : nullptr);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void ModuleSnapshot::countOps(const Contents &contents, int sign,
                              OpChanges &changes) {
  for (const auto &[name, count] : contents.opCounts)
    changes[name] += sign * count;
  for (const Part &part : contents.parts)
    countOps(*part.contents, sign, changes);
}

void ModuleSnapshot::countChanges(const Contents &before, const Contents &after,
                                  OpChanges &changes) {
  if (&before == &after)
    return;
  for (const auto &[name, count] : after.opCounts)
    changes[name] += count;
  for (const auto &[name, count] : before.opCounts)
    changes[name] -= count;
  Parts oldParts = before.parts, newParts = after.parts;
  while (!oldParts.empty() && !newParts.empty() &&
         oldParts.back().contents == newParts.back().contents) {
    oldParts = oldParts.drop_back();
    newParts = newParts.drop_back();
  }
  // Equal parts in the same position need not be counted. The sum does not
  // depend on which parts are compared.
  size_t numBoth = std::min(oldParts.size(), newParts.size());
  for (size_t index = 0; index < numBoth; ++index)
    countChanges(*oldParts[index].contents, *newParts[index].contents, changes);
  for (const Part &part : oldParts.drop_front(numBoth))
    countOps(*part.contents, -1, changes);
  for (const Part &part : newParts.drop_front(numBoth))
    countOps(*part.contents, 1, changes);
}

std::map<std::string, int64_t>
ModuleSnapshot::countChanges(const ModuleSnapshot &before) const {
  OpChanges changes;
  countChanges(*before.root.contents, *root.contents, changes);
  std::map<std::string, int64_t> named;
  for (const auto &[name, change] : changes)
    if (change != 0)
      named.emplace(name.getStringRef(), change);
  return named;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

void ModuleSnapshot::addLines(const Contents &contents, Numbers &numbers) {
  if (contents.lines)
    llvm::append_range(numbers, contents.lines->numbers);
  for (const Part &part : contents.parts)
    addLines(*part.contents, numbers);
  if (contents.footer)
    llvm::append_range(numbers, contents.footer->numbers);
}

ModuleSnapshot::Numbers ModuleSnapshot::getLineNumbers(Parts parts) {
  Numbers numbers;
  for (const Part &part : parts)
    addLines(*part.contents, numbers);
  return numbers;
}

std::vector<unsigned> ModuleSnapshot::getLineNumbers() const {
  return root.contents ? getLineNumbers(root) : Numbers();
}

SmallVector<StringRef> ModuleSnapshot::getLines() const {
  return llvm::map_to_vector(getLineNumbers(), [&](unsigned number) {
    return table->getText(number);
  });
}

void ModuleSnapshot::diff(const Lines &before, const Lines &after,
                          Edits &edits) const {
  if (&before == &after)
    edits.insert(edits.end(), after.numbers.size(), LineEdit::Same);
  else
    llvm::append_range(edits, table->diff(before.numbers, after.numbers));
}

void ModuleSnapshot::diffLines(Parts before, Parts after, Edits &edits) const {
  if (before.size() == 1 && after.size() == 1)
    return diff(*before[0].contents, *after[0].contents, edits);
  llvm::append_range(
      edits, table->diff(getLineNumbers(before), getLineNumbers(after)));
}

void ModuleSnapshot::diff(const Contents &before, const Contents &after,
                          Edits &edits) const {
  if (&before == &after) {
    edits.insert(edits.end(), after.numLines, LineEdit::Same);
    return;
  }
  if (!before.isDivided() && !after.isDivided())
    return diff(*before.lines, *after.lines, edits);
  if (!before.isDivided() || !after.isDivided()) {
    Numbers oldLines, newLines;
    addLines(before, oldLines);
    addLines(after, newLines);
    llvm::append_range(edits, table->diff(oldLines, newLines));
    return;
  }
  diff(*before.lines, *after.lines, edits);
  size_t numBefore = edits.size();
  if (!diffInOrder(before.parts, after.parts, edits)) {
    edits.resize(numBefore);
    diffLines(before.parts, after.parts, edits);
  }
  diff(*before.footer, *after.footer, edits);
}

/// Fails if functions, which are found by their lines, have changed places.
bool ModuleSnapshot::diffInOrder(Parts before, Parts after,
                                 Edits &edits) const {
  // Filled when a part has moved.
  llvm::DenseMap<Attribute, size_t> named;
  llvm::DenseMap<const Contents *, size_t> same;
  auto findOld = [&](const Part &part, size_t next) -> std::optional<size_t> {
    if (next < before.size() && (before[next].contents == part.contents ||
                                 (part.name && before[next].name == part.name)))
      return next;
    if (same.empty())
      for (const auto &[index, old] : llvm::enumerate(before)) {
        same.try_emplace(old.contents.get(), index);
        if (old.name)
          named.try_emplace(old.name, index);
      }
    if (auto it = same.find(part.contents.get()); it != same.end())
      return it->second;
    auto it = part.name ? named.find(part.name) : named.end();
    return it == named.end() ? std::nullopt : std::optional(it->second);
  };

  size_t oldEnd = 0, newEnd = 0;
  for (const auto &[newIndex, part] : llvm::enumerate(after)) {
    std::optional<size_t> oldIndex = findOld(part, oldEnd);
    if (!oldIndex)
      continue;
    if (*oldIndex < oldEnd)
      return false;
    // The parts in between were added, removed or renamed.
    diffLines(before.slice(oldEnd, *oldIndex - oldEnd),
              after.slice(newEnd, newIndex - newEnd), edits);
    diff(*before[*oldIndex].contents, *part.contents, edits);
    oldEnd = *oldIndex + 1;
    newEnd = newIndex + 1;
  }
  diffLines(before.drop_front(oldEnd), after.drop_front(newEnd), edits);
  return true;
}

std::vector<LineEdit> ModuleSnapshot::diff(const ModuleSnapshot &before) const {
  assert(table == before.table && "expected snapshots of one table");
  Edits edits;
  diff(*before.root.contents, *root.contents, edits);
  return edits;
}
