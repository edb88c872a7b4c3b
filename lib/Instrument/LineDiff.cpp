//===- LineDiff.cpp - Which lines of IR differ ----------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LineDiff.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace partita;
using namespace partita::instrument;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {
/// The name of a value or a block in a line of IR.
struct Name {
  StringRef text;
  /// Whether this is where it is defined.
  bool isDefinition;
};
} // namespace

/// Calls `visit` on the names in `line`, which are not those in strings.
static void forEachName(StringRef line, llvm::function_ref<void(Name)> visit) {
  size_t resultsEnd =
      line.ltrim().starts_with("%") ? line.find(" = ") : StringRef::npos;
  bool isInString = false;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    // Most characters are none of these; there are many of them.
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
    visit({line.slice(i, end), isDefinition});
    i = end - 1;
  }
}

static SmallVector<Name> getNames(StringRef line) {
  SmallVector<Name> names;
  forEachName(line, [&](Name name) { names.push_back(name); });
  return names;
}

/// The line without its names.
static std::string getSkeleton(StringRef line) {
  std::string skeleton;
  const char *last = line.begin();
  forEachName(line, [&](Name name) {
    skeleton.append(last, name.text.begin() + 1);
    last = name.text.end();
  });
  return skeleton.append(last, line.end());
}

namespace {
/// Which names of the old text are which of the new one, at the line that is
/// looked at. Definitions replace what was known: each function begins anew.
class Renaming {
public:
  /// Whether lines of one skeleton are the same. Names that nothing is known of
  /// are taken to be each other's: those of values that were replaced.
  bool matches(StringRef before, StringRef after) {
    bool isSame = true;
    for (auto [oldName, newName] : llvm::zip(getNames(before), getNames(after)))
      if (oldName.isDefinition ||
          (!toNew.count(oldName.text) && !toOld.count(newName.text)))
        bind(oldName.text, newName.text);
      else
        isSame &= toNew.lookup(oldName.text) == newName.text &&
                  toOld.lookup(newName.text) == oldName.text;
    return isSame;
  }
  /// Takes in a line of both.
  void keep(StringRef line) {
    forEachName(line, [&](Name name) {
      if (name.isDefinition)
        bind(name.text, name.text);
    });
  }
  void remove(StringRef line) { forget(line, toNew, toOld); }
  void add(StringRef line) { forget(line, toOld, toNew); }

private:
  using Map = llvm::DenseMap<StringRef, StringRef>;

  static void erase(Map &from, Map &to, StringRef name) {
    auto it = from.find(name);
    if (it == from.end())
      return;
    to.erase(it->second);
    from.erase(it);
  }
  void bind(StringRef oldName, StringRef newName) {
    erase(toNew, toOld, oldName);
    erase(toOld, toNew, newName);
    toNew[oldName] = newName;
    toOld[newName] = oldName;
  }
  static void forget(StringRef line, Map &from, Map &to) {
    forEachName(line, [&](Name name) {
      if (name.isDefinition)
        erase(from, to, name.text);
    });
  }

  Map toNew, toOld;
};
} // namespace

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

/// Appends the first edits from `a` to `b` (Same, Removed and Added; the
/// shortest, with as many differences as can be searched in reasonable time),
/// and returns how far in both they lead.
static std::pair<size_t, size_t> align(ArrayRef<unsigned> a,
                                       ArrayRef<unsigned> b,
                                       std::vector<LineEdit> &edits) {
  // Time and memory grow with its square.
  constexpr int maxDifferences = 512;
  int n = a.size(), m = b.size();
  int limit = std::min(n + m, maxDifferences);
  // How far in `a` a path has come on each diagonal, and that before each
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

/// Whether the lines that `edits` has as the same are equal, names and all.
static bool areKept(ArrayRef<LineEdit> edits, const StringRef *oldLine,
                    const StringRef *newLine) {
  return llvm::all_of(edits, [&](LineEdit edit) {
    bool isOld = edit != LineEdit::Added, isNew = edit != LineEdit::Removed;
    bool isKept = !isOld || !isNew || *oldLine == *newLine;
    oldLine += isOld;
    newLine += isNew;
    return isKept;
  });
}

std::vector<LineEdit> instrument::diffIR(ArrayRef<StringRef> before,
                                         ArrayRef<StringRef> after) {
  llvm::StringMap<unsigned> ids;
  auto toIds = [&](ArrayRef<StringRef> lines) {
    std::vector<unsigned> result;
    for (StringRef line : lines)
      result.push_back(ids.try_emplace(getSkeleton(line.ltrim(' ')), ids.size())
                           .first->second);
    return result;
  };
  // Equal lines at the beginning and the end need no skeletons.
  size_t numKept = 0, suffix = 0;
  size_t shorter = std::min(before.size(), after.size());
  while (numKept < shorter && before[numKept] == after[numKept])
    ++numKept;
  while (suffix < shorter - numKept &&
         before[before.size() - suffix - 1] == after[after.size() - suffix - 1])
    ++suffix;
  std::vector<unsigned> oldIds =
      toIds(before.drop_front(numKept).drop_back(suffix));
  std::vector<unsigned> newIds =
      toIds(after.drop_front(numKept).drop_back(suffix));
  ArrayRef<unsigned> a = oldIds, b = newIds;
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
    // No name has become another, so that equal lines are the same.
    llvm::append_range(edits, aligned);
    return edits;
  }
  Renaming renaming;
  for (StringRef line : before.take_front(numKept))
    renaming.keep(line);
  const StringRef *oldLine = before.begin() + numKept;
  const StringRef *newLine = after.begin() + numKept;
  for (LineEdit edit : aligned) {
    if (edit == LineEdit::Removed) {
      renaming.remove(*oldLine++);
      edits.push_back(edit);
    } else if (edit == LineEdit::Added) {
      renaming.add(*newLine++);
      edits.push_back(edit);
    } else {
      if (!renaming.matches(*oldLine, *newLine)) {
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

static SmallVector<StringRef> getLines(StringRef text) {
  SmallVector<StringRef> lines;
  text.rtrim('\n').split(lines, '\n');
  return lines;
}

UnifiedDiff::UnifiedDiff(StringRef before, StringRef after, unsigned context)
    : UnifiedDiff(getLines(before), getLines(after),
                  diffIR(getLines(before), getLines(after)), context) {}

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
    // Up to the last change that fewer than twice the context lines follow.
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
