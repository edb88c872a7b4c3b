//===- LineDiff.cpp - Line diffs of printed IR ----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LineDiff.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Calls `visit` on each name in `line` outside strings, and whether it is
/// defined there.
static void
forEachName(StringRef line,
            llvm::function_ref<void(StringRef name, bool isDefinition)> visit) {
  size_t resultsEnd =
      line.ltrim().starts_with("%") ? line.find(" = ") : StringRef::npos;
  bool isInString = false;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    // Most characters are none of these, and lines are long.
    if (c != '%' && c != '^' && c != '"' && c != '\\')
      continue;
    if (isInString && c == '\\')
      ++i;
    else if (c == '"')
      isInString = !isInString;
    if (isInString || (c != '%' && c != '^'))
      continue;
    size_t end = i + 1;
    while (end < line.size() &&
           (llvm::isAlnum(line[end]) || StringRef("_$.-").contains(line[end])))
      ++end;
    StringRef rest = line.substr(end);
    bool isDefinition =
        c == '^' ? line.take_front(i).trim().empty()
                 : (resultsEnd != StringRef::npos && i < resultsEnd) ||
                       rest.starts_with(": ") || rest.starts_with(" = ");
    visit(line.slice(i, end), isDefinition);
    i = end - 1;
  }
}

const LineTable::Parts &LineTable::getParts(unsigned number) {
  Line &line = lines[number];
  if (line.parts)
    return *line.parts;
  line.parts = std::make_unique<Parts>();
  StringRef text = getText(number).ltrim(' ');
  std::string skeleton;
  const char *last = text.begin();
  forEachName(text, [&](StringRef name, bool isDefinition) {
    unsigned index = names.try_emplace(name, names.size()).first->second;
    line.parts->names.push_back({index, isDefinition});
    skeleton.append(last, name.begin() + 1);
    last = name.end();
  });
  skeleton.append(last, text.end());
  line.parts->skeleton = llvm::xxh3_64bits(skeleton);
  return *line.parts;
}

/// The names of the old text and their counterparts in the new text, at the
/// current line. A definition replaces earlier knowledge: each function begins
/// anew.
class LineTable::Renaming {
public:
  explicit Renaming(LineTable &table) : table(table) {
    ++table.round;
    // The table has all names of both texts by now.
    table.toNew.resize(table.names.size());
    table.toOld.resize(table.names.size());
  }

  /// Whether two lines with one skeleton are the same. Unknown names match each
  /// other: they belong to values that were replaced.
  bool matches(const Parts &before, const Parts &after) {
    bool isSame = true;
    for (auto [oldName, newName] : llvm::zip(before.names, after.names)) {
      const unsigned *known = find(table.toNew, oldName.number);
      const unsigned *from = find(table.toOld, newName.number);
      if (oldName.isDefinition || (!known && !from))
        bind(oldName.number, newName.number);
      else
        isSame &= known && from && *known == newName.number &&
                  *from == oldName.number;
    }
    return isSame;
  }
  /// Learns the definitions in a line that both texts have.
  void keep(const Parts &line) {
    for (Name name : line.names)
      if (name.isDefinition)
        bind(name.number, name.number);
  }
  void remove(const Parts &line) { forget(line, table.toNew, table.toOld); }
  void add(const Parts &line) { forget(line, table.toOld, table.toNew); }

private:
  using Map = std::vector<Binding>;

  const unsigned *find(const Map &map, unsigned name) const {
    return map[name].round == table.round ? &map[name].name : nullptr;
  }
  void erase(Map &from, Map &to, unsigned name) {
    const unsigned *other = find(from, name);
    if (!other)
      return;
    to[*other].round = 0;
    from[name].round = 0;
  }
  void bind(unsigned oldName, unsigned newName) {
    erase(table.toNew, table.toOld, oldName);
    erase(table.toOld, table.toNew, newName);
    table.toNew[oldName] = {table.round, newName};
    table.toOld[newName] = {table.round, oldName};
  }
  void forget(const Parts &line, Map &from, Map &to) {
    for (Name name : line.names)
      if (name.isDefinition)
        erase(from, to, name.number);
  }

  LineTable &table;
};

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

/// Appends the first edits from `a` to `b` (Same, Removed and Added), and
/// returns how far they reach in both. They are the shortest possible, up to a
/// number of differences that takes reasonable time.
static std::pair<size_t, size_t> align(ArrayRef<uint64_t> a,
                                       ArrayRef<uint64_t> b,
                                       std::vector<LineEdit> &edits) {
  // Time and memory grow with the square of this.
  constexpr int maxDifferences = 512;
  int n = a.size(), m = b.size();
  int limit = std::min(n + m, maxDifferences);
  // How far a path has come in `a` on each diagonal, and the same before each
  // round.
  std::vector<int> reached(2 * limit + 3, 0);
  int *v = reached.data() + limit + 1;
  std::vector<std::vector<int>> rounds;
  auto isAddition = [](const int *v, int k, int d) {
    return k == -d || (k != d && v[k - 1] < v[k + 1]);
  };
  int d = 0, bestX = 0, bestY = 0;
  for (; d <= limit; ++d) {
    rounds.emplace_back(v - d, v + d + 1);
    bestX = bestY = 0;
    for (int k = -d; k <= d; k += 2) {
      int x = isAddition(v, k, d) ? v[k + 1] : v[k - 1] + 1, y = x - k;
      while (x < n && y < m && a[x] == b[y])
        ++x, ++y;
      v[k] = x;
      if (x <= n && y <= m && x + y > bestX + bestY)
        bestX = x, bestY = y;
    }
    if ((bestX == n && bestY == m) || d == limit)
      break;
  }

  size_t numBefore = edits.size();
  int x = bestX, y = bestY;
  for (; d > 0; --d) {
    const int *before = rounds[d].data() + d;
    int diagonal = x - y;
    bool isAdded = isAddition(before, diagonal, d);
    int start = isAdded ? before[diagonal + 1] : before[diagonal - 1] + 1;
    for (; x > start; --x, --y)
      edits.push_back(LineEdit::Same);
    edits.push_back(isAdded ? LineEdit::Added : LineEdit::Removed);
    (isAdded ? y : x) -= 1;
  }
  edits.insert(edits.end(), x, LineEdit::Same);
  std::reverse(edits.begin() + numBefore, edits.end());
  return {bestX, bestY};
}

/// Whether all lines that `edits` keeps are equal, with their names.
static bool areKept(ArrayRef<LineEdit> edits, const unsigned *oldLine,
                    const unsigned *newLine) {
  return llvm::all_of(edits, [&](LineEdit edit) {
    bool isOld = edit != LineEdit::Added, isNew = edit != LineEdit::Removed;
    bool isKept = !isOld || !isNew || *oldLine == *newLine;
    oldLine += isOld;
    newLine += isNew;
    return isKept;
  });
}

std::vector<LineEdit> LineTable::diff(ArrayRef<unsigned> before,
                                      ArrayRef<unsigned> after) {
  auto getSkeletons = [&](ArrayRef<unsigned> numbers) {
    std::vector<uint64_t> skeletons;
    skeletons.reserve(numbers.size());
    for (unsigned number : numbers)
      skeletons.push_back(getParts(number).skeleton);
    return skeletons;
  };
  // Equal lines at the beginning and the end need no skeletons.
  size_t numKept = 0, suffix = 0;
  size_t shorter = std::min(before.size(), after.size());
  while (numKept < shorter && before[numKept] == after[numKept])
    ++numKept;
  while (suffix < shorter - numKept &&
         before[before.size() - suffix - 1] == after[after.size() - suffix - 1])
    ++suffix;
  std::vector<uint64_t> oldSkeletons =
      getSkeletons(before.drop_front(numKept).drop_back(suffix));
  std::vector<uint64_t> newSkeletons =
      getSkeletons(after.drop_front(numKept).drop_back(suffix));
  ArrayRef<uint64_t> a = oldSkeletons, b = newSkeletons;
  size_t prefix = 0;
  while (prefix < std::min(a.size(), b.size()) && a[prefix] == b[prefix])
    ++prefix;
  a = a.drop_front(prefix);
  b = b.drop_front(prefix);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a = a.drop_back();
    b = b.drop_back();
    ++suffix;
  }
  std::vector<LineEdit> aligned(prefix, LineEdit::Same);
  while (!a.empty() || !b.empty()) {
    auto [oldEnd, newEnd] = align(a, b, aligned);
    a = a.drop_front(oldEnd);
    b = b.drop_front(newEnd);
  }
  aligned.insert(aligned.end(), suffix, LineEdit::Same);

  std::vector<LineEdit> edits(numKept, LineEdit::Same);
  if (areKept(aligned, before.begin() + numKept, after.begin() + numKept)) {
    // No name has changed, so that equal lines are the same.
    llvm::append_range(edits, aligned);
    return edits;
  }
  for (ArrayRef<unsigned> numbers : {before, after})
    for (unsigned number : numbers)
      getParts(number);
  Renaming renaming(*this);
  for (unsigned number : before.take_front(numKept))
    renaming.keep(getParts(number));
  const unsigned *oldLine = before.begin() + numKept;
  const unsigned *newLine = after.begin() + numKept;
  for (LineEdit edit : aligned) {
    if (edit == LineEdit::Removed) {
      renaming.remove(getParts(*oldLine++));
      edits.push_back(edit);
    } else if (edit == LineEdit::Added) {
      renaming.add(getParts(*newLine++));
      edits.push_back(edit);
    } else {
      if (!renaming.matches(getParts(*oldLine), getParts(*newLine))) {
        edits.push_back(LineEdit::Removed);
        edits.push_back(LineEdit::Added);
      } else {
        edits.push_back(*oldLine == *newLine ? LineEdit::Same
                                             : LineEdit::Renamed);
      }
      ++oldLine, ++newLine;
    }
  }
  return edits;
}

//===----------------------------------------------------------------------===//
// LineTable
//===----------------------------------------------------------------------===//

unsigned LineTable::add(StringRef text) {
  auto [it, isNew] = numbers.try_emplace(text, lines.size());
  if (isNew) {
    if (unused.empty())
      lines.emplace_back();
    else
      it->second = unused.pop_back_val();
    lines[it->second].entry = &*it;
  }
  ++lines[it->second].numUses;
  return it->second;
}

void LineTable::release(ArrayRef<unsigned> released) {
  for (unsigned number : released) {
    Line &line = lines[number];
    if (--line.numUses != 0)
      continue;
    numbers.erase(line.entry->getKey());
    line = Line();
    unused.push_back(number);
  }
}

//===----------------------------------------------------------------------===//
// UnifiedDiff
//===----------------------------------------------------------------------===//

static SmallVector<StringRef> getLines(StringRef text) {
  SmallVector<StringRef> lines;
  text.rtrim('\n').split(lines, '\n');
  return lines;
}

static std::vector<LineEdit> diffLines(ArrayRef<StringRef> before,
                                       ArrayRef<StringRef> after) {
  LineTable table;
  auto add = [&](ArrayRef<StringRef> lines) {
    return llvm::map_to_vector(lines,
                               [&](StringRef line) { return table.add(line); });
  };
  return table.diff(add(before), add(after));
}

UnifiedDiff::UnifiedDiff(StringRef before, StringRef after, unsigned context)
    : UnifiedDiff(getLines(before), getLines(after),
                  diffLines(getLines(before), getLines(after)), context) {}

UnifiedDiff::UnifiedDiff(ArrayRef<StringRef> oldLines,
                         ArrayRef<StringRef> newLines,
                         ArrayRef<LineEdit> lineEdits, unsigned context) {
  std::string edits;
  for (LineEdit edit : lineEdits)
    edits += edit == LineEdit::Removed ? '-'
             : edit == LineEdit::Added ? '+'
                                       : ' ';

  llvm::raw_string_ostream os(text);
  size_t oldLine = 0, newLine = 0, index = 0;
  while (true) {
    size_t first = edits.find_first_of("+-", index);
    if (first == std::string::npos)
      return;
    // Up to the last change that has fewer than twice the context lines after
    // it.
    size_t end = first + 1, next = first;
    while ((next = edits.find_first_of("+-", end)) != std::string::npos &&
           next - end <= 2 * size_t(context))
      end = next + 1;
    size_t begin = first - std::min<size_t>(context, first - index);
    end = std::min(end + context, edits.size());
    oldLine += begin - index;
    newLine += begin - index;
    StringRef hunk = StringRef(edits).slice(begin, end);
    size_t added = hunk.count('+'), removed = hunk.count('-');
    size_t oldCount = hunk.size() - added, newCount = hunk.size() - removed;
    os << "@@ -" << oldLine + (oldCount != 0) << "," << oldCount << " +"
       << newLine + (newCount != 0) << "," << newCount << " @@\n";
    for (char edit : hunk) {
      os << edit << (edit == '-' ? oldLines[oldLine] : newLines[newLine])
         << "\n";
      oldLine += edit != '+';
      newLine += edit != '-';
    }
    numAdded += added;
    numRemoved += removed;
    index = end;
  }
}
