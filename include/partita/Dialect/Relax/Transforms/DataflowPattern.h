//===- DataflowPattern.h - Patterns of expressions --------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TVM's language of patterns (relax.dpl). A pattern has a text, which the
// record of FuseOpsByPattern describes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_DATAFLOWPATTERN_H
#define PARTITA_DIALECT_RELAX_TRANSFORMS_DATAFLOWPATTERN_H

#include "partita/Dialect/Relax/IR/RelaxShape.h"

#include <memory>

namespace partita::relax {

/// A description of an expression. Patterns are values that never change. A
/// pattern that is used twice in another one matches the same expression at
/// both places.
class DFPattern {
public:
  enum class Kind {
    Wildcard,
    Op,
    Constant,
    Number,
    Var,
    DataflowVar,
    GlobalVar,
    ExternFunc,
    ShapeValue,
    Call,
    Tuple,
    UnorderedTuple,
    TupleGetItem,
    Or,
    And,
    Not,
    HasDType,
    HasShape,
    HasType,
    HasAttrs
  };

  static DFPattern wildcard();
  /// An op as the callee of a call.
  static DFPattern op(llvm::StringRef name);
  static DFPattern constant();
  static DFPattern number(mlir::TypedAttr value);
  /// A variable; "" is any name.
  static DFPattern var(llvm::StringRef name = "");
  static DFPattern dataflowVar(llvm::StringRef name = "");
  /// A function of the module with `name` in its name.
  static DFPattern globalVar(llvm::StringRef name = "");
  static DFPattern externFunc(llvm::StringRef name = "");
  /// A shape that is a value.
  static DFPattern shapeValue(llvm::ArrayRef<Dim> dims);
  /// A call; with `takesMore` it can have more arguments than `args`.
  static DFPattern call(DFPattern callee, llvm::ArrayRef<DFPattern> args,
                        bool takesMore = false);
  static DFPattern tuple(llvm::ArrayRef<DFPattern> fields);
  /// A tuple with the fields in any order. There can be `maxUnordered`.
  static DFPattern unorderedTuple(llvm::ArrayRef<DFPattern> fields);
  /// A field of a tuple; without `index`, any.
  static DFPattern tupleGetItem(DFPattern tuple,
                                std::optional<int64_t> index = std::nullopt);
  friend DFPattern operator|(const DFPattern &left, const DFPattern &right) {
    return make(Kind::Or, {left, right});
  }
  friend DFPattern operator&(const DFPattern &left, const DFPattern &right) {
    return make(Kind::And, {left, right});
  }
  DFPattern operator~() const { return make(Kind::Not, {*this}); }
  DFPattern hasDType(mlir::Type elementType) const;
  DFPattern hasShape(llvm::ArrayRef<Dim> dims) const;
  DFPattern hasType(mlir::Type type) const;
  DFPattern hasAttrs(mlir::DictionaryAttr attrs) const;

  /// The greatest number of fields of an unordered tuple, since all their
  /// orders are tried.
  static constexpr size_t maxUnordered = 8;
  /// The greatest number of parts of a pattern that is read, since matching
  /// recurses through them.
  static constexpr unsigned maxParts = 1000;

  /// Reads the text of a pattern. Emits an error if it is none.
  static mlir::FailureOr<DFPattern>
  parse(llvm::StringRef text, mlir::MLIRContext *context,
        llvm::function_ref<mlir::InFlightDiagnostic()> emitError);
  void print(llvm::raw_ostream &os) const;

  Kind getKind() const { return node->kind; }
  /// The name of an op, of a variable or of a function.
  llvm::StringRef getName() const { return node->name; }
  /// The patterns in this one: a callee comes before the arguments.
  llvm::ArrayRef<DFPattern> getParts() const { return node->parts; }
  std::optional<int64_t> getIndex() const { return node->index; }
  bool takesMore() const { return node->takesMore; }
  llvm::ArrayRef<Dim> getDims() const { return node->dims; }
  mlir::Type getType() const { return node->type; }
  /// A number, or a dictionary of attributes.
  mlir::Attribute getAttr() const { return node->attr; }

  /// What tells patterns apart.
  const void *getId() const { return node.get(); }

private:
  struct Node {
    Kind kind;
    std::string name;
    std::vector<DFPattern> parts;
    std::optional<int64_t> index;
    bool takesMore = false;
    std::vector<Dim> dims;
    mlir::Type type;
    mlir::Attribute attr;
  };

  explicit DFPattern(std::shared_ptr<const Node> node)
      : node(std::move(node)) {}
  static DFPattern make(Node node);
  static DFPattern make(Kind kind, llvm::ArrayRef<DFPattern> parts,
                        llvm::StringRef name = "");

  std::shared_ptr<const Node> node;
};

/// A pattern with the name that functions for its matches get.
struct NamedPattern {
  std::string name;
  DFPattern pattern;
};

/// Reads `name: pattern; name: pattern`. Emits an error if it is no such text.
mlir::FailureOr<std::vector<NamedPattern>>
parsePatterns(llvm::StringRef text, mlir::MLIRContext *context,
              llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_DATAFLOWPATTERN_H
