//===- PatternMatcher.h - Match expressions with patterns -------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_PATTERNMATCHER_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_PATTERNMATCHER_H

#include "partita/Dialect/Relax/IR/RelaxOps.h"
#include "partita/Dialect/Relax/Transforms/DataflowPattern.h"

namespace partita::relax {

/// An expression of TVM's.
class PatternExpr {
public:
  enum class Kind {
    /// A parameter, or a field of an op with several results.
    Value,
    /// What an op computes, as one value.
    Op,
    /// The tuple that the operands of an op are in TVM, and the sizes that
    /// come after them.
    Arguments,
    Sizes,
    /// The name of an op and of a function of the module, as callees.
    OpName,
    Global
  };

  PatternExpr() = default;
  PatternExpr(Kind kind, const void *pointer) : kind(kind), pointer(pointer) {}
  /// The expression that `value` is, less casts that TVM does not have.
  static PatternExpr get(mlir::Value value);

  Kind getKind() const { return kind; }
  mlir::Value getValue() const {
    return kind == Kind::Value ? mlir::Value::getFromOpaquePointer(pointer)
                               : mlir::Value();
  }
  /// The op that computes the expression; null if it is none.
  mlir::Operation *getOp() const {
    return kind == Kind::Op ? getOwner() : nullptr;
  }
  /// The op that the expression is, or is a part of.
  mlir::Operation *getOwner() const {
    return static_cast<mlir::Operation *>(const_cast<void *>(pointer));
  }
  /// The name of a callee.
  llvm::StringRef getName() const {
    return mlir::cast<mlir::StringAttr>(
        mlir::Attribute::getFromOpaquePointer(pointer));
  }
  /// Its type; null if it has none.
  mlir::Type getType() const;

  bool operator==(const PatternExpr &other) const {
    return kind == other.kind && pointer == other.pointer;
  }
  std::pair<unsigned, const void *> getKey() const {
    return {unsigned(kind), pointer};
  }

private:
  Kind kind = Kind::Value;
  const void *pointer = nullptr;
};

/// A call as TVM has it.
struct PatternCall {
  PatternExpr callee;
  llvm::SmallVector<PatternExpr> args;

  /// Nothing if `op` is no call in TVM.
  static std::optional<PatternCall> get(mlir::Operation *op);
};

/// Matches expressions with a pattern. Functions must not change before
/// `reset`.
class PatternMatcher {
public:
  explicit PatternMatcher(DFPattern pattern);

  /// Forgets what is known of functions.
  void reset();
  /// Whether what `op` computes is what the pattern describes.
  bool match(mlir::Operation *op);
  /// After a match: the expressions that calls and fields in the pattern
  /// matched, each once.
  llvm::SmallVector<PatternExpr> getMatched() const;

private:
  PatternExpr unwrap(PatternExpr expr);
  bool visit(const DFPattern &pattern, PatternExpr expr);
  bool visitNew(const DFPattern &pattern, PatternExpr expr);
  bool visitCall(const DFPattern &pattern, PatternExpr expr);
  bool visitFields(const DFPattern &pattern, PatternExpr expr);
  bool visitUnordered(llvm::ArrayRef<DFPattern> patterns,
                      llvm::ArrayRef<PatternExpr> fields);
  void splitByParts(llvm::ArrayRef<DFPattern> patterns,
                    llvm::SmallVectorImpl<const DFPattern *> &dependent,
                    llvm::SmallVectorImpl<const DFPattern *> &independent);
  bool visitField(const DFPattern &pattern, PatternExpr expr);
  void forgetFrom(size_t begin);

  DFPattern pattern;
  /// What each pattern matched, and the patterns in the order in which they
  /// did.
  llvm::DenseMap<const void *, PatternExpr> memo;
  llvm::SmallVector<const DFPattern *> matched;
  /// Patterns whose parts are used nowhere else: where one does not match, it
  /// never will. Without this, matching could take exponential time.
  llvm::DenseSet<const void *> closed;
  llvm::DenseSet<std::pair<const void *, std::pair<unsigned, const void *>>>
      failures;
  llvm::DenseMap<mlir::Operation *, PatternExpr> aliases;
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_FUSION_PATTERNMATCHER_H
