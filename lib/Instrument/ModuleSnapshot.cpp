//===- ModuleSnapshot.cpp - What was last seen of a module ----------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleSnapshot.h"
#include "InstrumentSupport.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

/// Whether the body is one block of ops that have no values to do with others,
/// so that each can be printed by itself.
static bool hasSeparateOps(Operation *module) {
  if (module->getNumRegions() != 1 || !module->getRegion(0).hasOneBlock() ||
      module->getRegion(0).getNumArguments() != 0)
    return false;
  return llvm::all_of(module->getRegion(0).front(), [](Operation &op) {
    return op.getNumResults() == 0 && op.getNumSuccessors() == 0;
  });
}

/// The text of an op in the body of a module.
static std::string printPart(Operation *op, const OpPrintingFlags &flags) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // One for the op alone: that of the module numbers all that is in it.
  AsmState state(op, flags);
  op->print(os, state);
  std::string indented;
  indented.reserve(text.size() + text.size() / 8);
  for (StringRef rest = StringRef(text).rtrim('\n'); !rest.empty();) {
    auto [line, others] = rest.split('\n');
    if (!line.empty())
      indented += "  ";
    indented += line;
    indented += '\n';
    rest = others;
  }
  return indented;
}

ModuleSnapshot::Text::Text(std::string given) : text(std::move(given)) {
  SmallVector<StringRef> found;
  StringRef(text).rtrim('\n').split(found, '\n');
  lines.assign(found.begin(), found.end());
}

ModuleSnapshot::ModuleSnapshot(Operation *module, std::optional<int> elide,
                               const ModuleSnapshot *before) {
  if (!hasSeparateOps(module)) {
    hash = hashStructure(module);
    addPart(module, hash, nullptr, [&] {
      return elide ? printIR(module, *elide, /*withLocations=*/false) : "";
    });
    return;
  }
  OpPrintingFlags flags = getPrintingFlags(elide.value_or(0),
                                           /*withLocations=*/false);
  attributes = module->getAttrDictionary();
  if (before && !before->isDivided())
    before = nullptr;
  if (elide && before && attributes == before->attributes) {
    header = before->header;
    footer = before->footer;
  } else if (elide) {
    std::string text;
    llvm::raw_string_ostream os(text);
    // It verifies the module, so that its ops need not be verified again.
    AsmState state(module,
                   OpPrintingFlags(flags).useLocalScope().skipRegions());
    module->print(os, state);
    if (!state.getPrinterFlags().shouldPrintGenericOpForm())
      flags.assumeVerified();
    StringRef body = "{...}";
    auto [first, last] = StringRef(text).rtrim('\n').rsplit(body);
    header = std::make_shared<Text>((first + "{").str());
    footer = std::make_shared<Text>(("}" + last).str());
  }

  llvm::hash_code code = llvm::hash_combine(module->getName(), attributes);
  // Filled when an op does not stand where it stood.
  llvm::DenseMap<Attribute, const Part *> named;
  for (Operation &op : module->getRegion(0).front()) {
    uint64_t opHash = hashStructure(&op);
    code = llvm::hash_combine(code, opHash);
    const Part *same = nullptr;
    if (before && parts.size() < before->parts.size())
      same = &before->parts[parts.size()];
    if (before && (!same || same->hash != opHash)) {
      if (named.empty())
        for (const Part &part : before->parts)
          if (part.name)
            named.try_emplace(part.name, &part);
      Attribute name = op.getAttr(SymbolTable::getSymbolAttrName());
      same = name ? named.lookup(name) : nullptr;
    }
    addPart(&op, opHash, same,
            [&] { return elide ? printPart(&op, flags) : ""; });
  }
  hash = code;
}

/// `before` is the part that it may be the same as, or null.
void ModuleSnapshot::addPart(Operation *op, uint64_t opHash, const Part *before,
                             llvm::function_ref<std::string()> print) {
  Part &part = parts.emplace_back();
  part.hash = opHash;
  if (isDivided())
    part.name = op->getAttr(SymbolTable::getSymbolAttrName());
  if (before && before->hash == opHash) {
    part.contents = before->contents;
  } else {
    auto contents = std::make_shared<Contents>(print());
    llvm::SmallMapVector<StringRef, int64_t, 16> opCounts;
    op->walk([&](Operation *inner) {
      if (inner == op && !isDivided())
        return;
      ++opCounts[inner->getName().getStringRef()];
      ++contents->numOps;
    });
    contents->opCounts = llvm::to_vector(opCounts);
    part.contents = std::move(contents);
  }
  numOps += part.contents->numOps;
}

std::map<std::string, int64_t>
ModuleSnapshot::countChanges(const ModuleSnapshot &before) const {
  DenseSet<const Contents *> shared;
  for (const Part &part : before.parts)
    shared.insert(part.contents.get());
  std::map<std::string, int64_t> changes;
  for (const Part &part : parts)
    if (!shared.erase(part.contents.get()))
      for (const auto &[name, count] : part.contents->opCounts)
        changes[name.str()] += count;
  for (const Part &part : before.parts)
    if (shared.erase(part.contents.get()))
      for (const auto &[name, count] : part.contents->opCounts)
        changes[name.str()] -= count;
  return changes;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

SmallVector<StringRef> ModuleSnapshot::getLines(Parts parts) {
  SmallVector<StringRef> lines;
  for (const Part &part : parts)
    llvm::append_range(lines, part.contents->text.lines);
  return lines;
}

SmallVector<StringRef> ModuleSnapshot::getLines() const {
  SmallVector<StringRef> lines;
  if (header)
    llvm::append_range(lines, header->lines);
  llvm::append_range(lines, getLines(parts));
  if (footer)
    llvm::append_range(lines, footer->lines);
  return lines;
}

std::vector<LineEdit> ModuleSnapshot::diff(Parts before, Parts after) {
  if (before.size() == 1 && after.size() == 1 &&
      before[0].contents == after[0].contents)
    return std::vector<LineEdit>(after[0].contents->text.lines.size(),
                                 LineEdit::Same);
  return diffIR(getLines(before), getLines(after));
}

std::vector<LineEdit> ModuleSnapshot::diff(const ModuleSnapshot &before) const {
  if (!isDivided() || !before.isDivided())
    return diffIR(before.getLines(), getLines());
  llvm::DenseMap<Attribute, size_t> named;
  llvm::DenseMap<const Contents *, size_t> same;
  for (const auto &[index, part] : llvm::enumerate(before.parts)) {
    same.try_emplace(part.contents.get(), index);
    if (part.name)
      named.try_emplace(part.name, index);
  }

  std::vector<LineEdit> edits = diffIR(before.header->lines, header->lines);
  Parts oldParts = before.parts, newParts = parts;
  size_t oldEnd = 0, newEnd = 0;
  for (const auto &[newIndex, part] : llvm::enumerate(newParts)) {
    auto it = same.find(part.contents.get());
    bool isSame = it != same.end();
    auto byName = isSame ? named.end() : named.find(part.name);
    if (!isSame && byName == named.end())
      continue;
    size_t oldIndex = isSame ? it->second : byName->second;
    // Functions that change places are found by their lines.
    if (oldIndex < oldEnd)
      return diffIR(before.getLines(), getLines());
    // What lies between was added, removed or named anew.
    llvm::append_range(edits, diff(oldParts.slice(oldEnd, oldIndex - oldEnd),
                                   newParts.slice(newEnd, newIndex - newEnd)));
    llvm::append_range(
        edits, diff(oldParts.slice(oldIndex, 1), newParts.slice(newIndex, 1)));
    oldEnd = oldIndex + 1;
    newEnd = newIndex + 1;
  }
  llvm::append_range(
      edits, diff(oldParts.drop_front(oldEnd), newParts.drop_front(newEnd)));
  llvm::append_range(edits, diffIR(before.footer->lines, footer->lines));
  return edits;
}
