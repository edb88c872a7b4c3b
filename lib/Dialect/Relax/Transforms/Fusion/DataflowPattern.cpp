//===- DataflowPattern.cpp - Patterns of expressions ----------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Relax/Transforms/DataflowPattern.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Makers
//===----------------------------------------------------------------------===//

DFPattern DFPattern::make(Node node) {
  return DFPattern(std::make_shared<const Node>(std::move(node)));
}

DFPattern DFPattern::make(Kind kind, ArrayRef<DFPattern> parts,
                          StringRef name) {
  Node node{kind, name.str(), parts.vec(), {}, {}, {}, {}, {}};
  return make(std::move(node));
}

DFPattern DFPattern::wildcard() { return make(Kind::Wildcard, {}); }
DFPattern DFPattern::op(StringRef name) { return make(Kind::Op, {}, name); }
DFPattern DFPattern::constant() { return make(Kind::Constant, {}); }
DFPattern DFPattern::var(StringRef name) { return make(Kind::Var, {}, name); }

DFPattern DFPattern::dataflowVar(StringRef name) {
  return make(Kind::DataflowVar, {}, name);
}

DFPattern DFPattern::globalVar(StringRef name) {
  return make(Kind::GlobalVar, {}, name);
}

DFPattern DFPattern::externFunc(StringRef name) {
  return make(Kind::ExternFunc, {}, name);
}

DFPattern DFPattern::number(TypedAttr value) {
  Node node{Kind::Number, {}, {}, {}, {}, {}, {}, value};
  return make(std::move(node));
}

DFPattern DFPattern::shapeValue(ArrayRef<Dim> dims) {
  Node node{Kind::ShapeValue, {}, {}, {}, {}, dims.vec(), {}, {}};
  return make(std::move(node));
}

DFPattern DFPattern::call(DFPattern callee, ArrayRef<DFPattern> args,
                          bool takesMore) {
  std::vector<DFPattern> parts = {std::move(callee)};
  llvm::append_range(parts, args);
  Node node{Kind::Call, {}, std::move(parts), {}, takesMore, {}, {}, {}};
  return make(std::move(node));
}

DFPattern DFPattern::tuple(ArrayRef<DFPattern> fields) {
  return make(Kind::Tuple, fields);
}

DFPattern DFPattern::unorderedTuple(ArrayRef<DFPattern> fields) {
  return make(Kind::UnorderedTuple, fields);
}

DFPattern DFPattern::tupleGetItem(DFPattern tuple,
                                  std::optional<int64_t> index) {
  Node node{Kind::TupleGetItem, {}, {std::move(tuple)}, index, {}, {}, {}, {}};
  return make(std::move(node));
}

DFPattern DFPattern::hasDType(Type elementType) const {
  Node node{Kind::HasDType, {}, {*this}, {}, {}, {}, elementType, {}};
  return make(std::move(node));
}

DFPattern DFPattern::hasShape(ArrayRef<Dim> dims) const {
  Node node{Kind::HasShape, {}, {*this}, {}, {}, dims.vec(), {}, {}};
  return make(std::move(node));
}

DFPattern DFPattern::hasType(Type type) const {
  Node node{Kind::HasType, {}, {*this}, {}, {}, {}, type, {}};
  return make(std::move(node));
}

DFPattern DFPattern::hasAttrs(DictionaryAttr attrs) const {
  Node node{Kind::HasAttrs, {}, {*this}, {}, {}, {}, {}, attrs};
  return make(std::move(node));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
/// Prints a pattern, and gives patterns in it that are used twice a label.
class PatternPrinter {
public:
  PatternPrinter(raw_ostream &os, const DFPattern &pattern) : os(os) {
    countUses(pattern);
  }

  /// How tightly an operator binds its patterns.
  enum Level { Or, And, Unary, Postfix };

  void print(const DFPattern &pattern, Level level);

private:
  void countUses(const DFPattern &pattern);
  void printUnlabelled(const DFPattern &pattern);
  void printLeaf(const DFPattern &pattern);
  void printNarrowed(const DFPattern &pattern);
  void printConstraint(const DFPattern &pattern);
  void printList(ArrayRef<DFPattern> patterns);
  void printDims(ArrayRef<Dim> dims);
  void printName(StringRef word, const DFPattern &pattern);
  static Level getLevel(const DFPattern &pattern);

  raw_ostream &os;
  llvm::DenseMap<const void *, unsigned> numUses, labels;
};
} // namespace

void PatternPrinter::countUses(const DFPattern &pattern) {
  if (++numUses[pattern.getId()] == 1)
    for (const DFPattern &part : pattern.getParts())
      countUses(part);
}

PatternPrinter::Level PatternPrinter::getLevel(const DFPattern &pattern) {
  switch (pattern.getKind()) {
  case DFPattern::Kind::Or:
    return Or;
  case DFPattern::Kind::And:
    return And;
  case DFPattern::Kind::Not:
    return Unary;
  default:
    return Postfix;
  }
}

void PatternPrinter::print(const DFPattern &pattern, Level level) {
  bool isShared = numUses.lookup(pattern.getId()) > 1 &&
                  pattern.getKind() != DFPattern::Kind::Op;
  if (!isShared) {
    bool isInParens = getLevel(pattern) < level;
    os << (isInParens ? "(" : "");
    printUnlabelled(pattern);
    os << (isInParens ? ")" : "");
    return;
  }
  auto [label, isNew] = labels.try_emplace(pattern.getId(), labels.size());
  unsigned number = label->second;
  if (!isNew) {
    os << '$' << number;
    return;
  }
  os << (level == Postfix ? "(" : "") << '$' << number << " = ";
  bool isInParens = getLevel(pattern) < Postfix;
  os << (isInParens ? "(" : "");
  printUnlabelled(pattern);
  os << (isInParens ? ")" : "") << (level == Postfix ? ")" : "");
}

void PatternPrinter::printList(ArrayRef<DFPattern> patterns) {
  llvm::interleaveComma(patterns, os,
                        [&](const DFPattern &part) { print(part, Or); });
}

void PatternPrinter::printDims(ArrayRef<Dim> dims) {
  os << '(';
  llvm::interleaveComma(dims, os, [&](Dim dim) {
    if (dim.isName())
      os << dim.getName().getValue();
    else
      os << dim;
  });
  os << ')';
}

void PatternPrinter::printName(StringRef word, const DFPattern &pattern) {
  os << word;
  if (!pattern.getName().empty())
    os << '<' << pattern.getName() << '>';
}

/// Prints a pattern that has no others in it.
void PatternPrinter::printLeaf(const DFPattern &pattern) {
  switch (pattern.getKind()) {
  case DFPattern::Kind::Op:
    os << pattern.getName();
    return;
  case DFPattern::Kind::Constant:
    os << "const";
    return;
  case DFPattern::Kind::Number:
    os << "number<" << pattern.getAttr() << '>';
    return;
  case DFPattern::Kind::Var:
    return printName("var", pattern);
  case DFPattern::Kind::DataflowVar:
    return printName("dfv", pattern);
  case DFPattern::Kind::GlobalVar:
    return printName("gv", pattern);
  case DFPattern::Kind::ExternFunc:
    return printName("extern", pattern);
  case DFPattern::Kind::ShapeValue:
    os << "shape";
    return printDims(pattern.getDims());
  default:
    os << '*';
    return;
  }
}

/// Prints the pattern that `pattern` narrows.
void PatternPrinter::printNarrowed(const DFPattern &pattern) {
  const DFPattern &part = pattern.getParts().front();
  // An op's name has dots, too.
  bool isOp = part.getKind() == DFPattern::Kind::Op;
  os << (isOp ? "(" : "");
  print(part, isOp ? Or : Postfix);
  os << (isOp ? ")" : "");
}

void PatternPrinter::printConstraint(const DFPattern &pattern) {
  switch (pattern.getKind()) {
  case DFPattern::Kind::HasDType:
    os << ".dtype<" << pattern.getType() << '>';
    return;
  case DFPattern::Kind::HasShape:
    os << ".shape";
    return printDims(pattern.getDims());
  case DFPattern::Kind::HasType:
    os << ".type<" << pattern.getType() << '>';
    return;
  default:
    os << ".attrs" << pattern.getAttr();
    return;
  }
}

void PatternPrinter::printUnlabelled(const DFPattern &pattern) {
  ArrayRef<DFPattern> parts = pattern.getParts();
  switch (pattern.getKind()) {
  case DFPattern::Kind::Call:
    print(parts.front(), Postfix);
    os << '(';
    printList(parts.drop_front());
    if (pattern.takesMore())
      os << (parts.size() > 1 ? ", ..." : "...");
    os << ')';
    return;
  case DFPattern::Kind::Tuple:
  case DFPattern::Kind::UnorderedTuple:
    os << (pattern.getKind() == DFPattern::Kind::Tuple ? "tuple("
                                                       : "unordered(");
    printList(parts);
    os << ')';
    return;
  case DFPattern::Kind::TupleGetItem:
    print(parts.front(), Postfix);
    os << '[';
    if (pattern.getIndex())
      os << *pattern.getIndex();
    else
      os << '?';
    os << ']';
    return;
  case DFPattern::Kind::Or:
    print(parts[0], Or);
    os << " | ";
    return print(parts[1], And);
  case DFPattern::Kind::And:
    print(parts[0], And);
    os << " & ";
    return print(parts[1], Unary);
  case DFPattern::Kind::Not:
    os << '~';
    return print(parts.front(), Unary);
  case DFPattern::Kind::HasDType:
  case DFPattern::Kind::HasShape:
  case DFPattern::Kind::HasType:
  case DFPattern::Kind::HasAttrs:
    printNarrowed(pattern);
    return printConstraint(pattern);
  default:
    return printLeaf(pattern);
  }
}

void DFPattern::print(raw_ostream &os) const {
  PatternPrinter(os, *this).print(*this, PatternPrinter::Or);
}
