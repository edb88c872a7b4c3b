//===- Layout.h - The order of a tensor's dimensions ------------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_LAYOUT_H
#define PARTITA_DIALECT_RELAX_TRANSFORMS_LAYOUT_H

#include "mlir/IR/Operation.h"

namespace partita::relax {

/// A dimension of a tensor in a layout.
struct LayoutAxis {
  /// The dimension that the tensor has in the program.
  int64_t dim;
  /// If this is the inner part of `dim`: how long it is. Otherwise 0.
  int64_t factor = 0;
  /// Whether a reduction has left one element of `dim`.
  bool isReduced = false;

  bool operator==(const LayoutAxis &other) const {
    return dim == other.dim && factor == other.factor &&
           isReduced == other.isReduced;
  }
};

/// How a tensor is laid out, relative to the program: which of its dimensions
/// comes where, and which are split in two. NCHW4c of an NCHW has the axes 0,
/// 1, 2, 3 and the inner 4 of 1.
class Layout {
public:
  Layout() = default;
  explicit Layout(llvm::ArrayRef<LayoutAxis> axes)
      : axes(axes.begin(), axes.end()) {}
  /// The layout in the program of a tensor of rank `rank`.
  static Layout getInitial(int64_t rank);
  /// Reads a layout such as NHWC4c, where the program has the dimensions
  /// `letters`, such as NCHW. Nothing if it is none of these dimensions.
  static std::optional<Layout> parse(llvm::StringRef text,
                                     llvm::StringRef letters);

  /// The inverse of `parse`.
  std::string toString(llvm::StringRef letters) const;

  llvm::ArrayRef<LayoutAxis> getAxes() const { return axes; }
  int64_t getRank() const { return axes.size(); }
  /// The rank that the tensor has in the program.
  int64_t getProgramRank() const;
  bool isInitial() const;
  /// Whether no dimension is split.
  bool isPlain() const;
  /// Whether `dim` is split.
  bool isSplit(int64_t dim) const;
  bool isReduced() const;
  /// The place of `dim`, or of its outer part.
  int64_t find(int64_t dim) const;
  /// The same for several dimensions.
  llvm::SmallVector<int64_t> find(llvm::ArrayRef<int64_t> dims) const;

  bool operator==(const Layout &other) const { return axes == other.axes; }
  bool operator!=(const Layout &other) const { return !(*this == other); }

private:
  llvm::SmallVector<LayoutAxis, 6> axes;
};

/// The layouts of the tensors in a value, in order: a tuple has several.
using Layouts = llvm::SmallVector<Layout, 1>;

/// What an op's LayoutOpInterface is asked, and answers.
class LayoutInference {
public:
  /// `operands` are the layouts that the operands have, and `operandTypes` and
  /// `resultTypes` the types that the program has.
  LayoutInference(mlir::Operation *op, llvm::ArrayRef<Layouts> operands,
                  llvm::ArrayRef<mlir::Type> operandTypes,
                  std::optional<llvm::ArrayRef<std::string>> desired);

  /// The layout that `operand` has, which is no tuple.
  const Layout &get(unsigned operand) const {
    return operands[operand].front();
  }
  /// The same, or the layout in the program if a dimension is split.
  Layout getPlain(unsigned operand) const;
  llvm::ArrayRef<Layouts> getAll() const { return operands; }
  /// The operand's type in the program.
  mlir::Type getType(unsigned operand) const { return operandTypes[operand]; }
  int64_t getRank(unsigned operand) const;

  /// Whether there are layouts that the user wants for ops like this.
  bool isDesired() const { return desired.has_value(); }
  /// Desired layout `index`, of a tensor whose dimensions are `letters`.
  /// Without the last one, it is the first. Emits an error if it is no such
  /// layout.
  std::optional<Layout> getDesired(size_t index, llvm::StringRef letters);

  /// Whether the sizes of the operand fit the layout's inner parts.
  bool canTake(unsigned operand, const Layout &layout) const;

  /// Lets the op take an operand in `layout`; otherwise it takes it as the
  /// program has it. All tensors of a tuple are in the one layout.
  void take(unsigned operand, const Layout &layout);
  /// Lets the op take a number, or a tensor without dimensions, as it is.
  void takeAsIs(unsigned operand) { taken[operand] = operands[operand]; }
  /// Lets the op give a result in `layout`.
  void give(unsigned result, const Layout &layout);
  void giveAll(const Layout &layout);
  void setAttr(llvm::StringRef name, mlir::Attribute attr) {
    attrs.emplace_back(name, attr);
  }
  void setAxis(llvm::StringRef name, int64_t axis);
  void setAxes(llvm::StringRef name, llvm::ArrayRef<int64_t> axes);
  /// Replaces an operand that is a tuple of numbers.
  void setNumbers(unsigned operand, llvm::ArrayRef<int64_t> values);

  mlir::Operation *op;
  /// The answers. There are none for what the op takes, and gives, as the
  /// program has it.
  llvm::SmallVector<std::optional<Layouts>> taken;
  llvm::SmallVector<Layout> given;
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::Attribute>> attrs;
  std::optional<std::pair<unsigned, llvm::SmallVector<int64_t>>> numbers;
  /// Whether the op has looked at the desired layouts, and they are wrong.
  bool hasAsked = false, isWrong = false;

private:
  llvm::ArrayRef<Layouts> operands;
  llvm::ArrayRef<mlir::Type> operandTypes;
  std::optional<llvm::ArrayRef<std::string>> desired;
};

/// Whether a tensor, which has type `type` in the program, can be in `layout`:
/// its rank and its sizes are known to fit.
bool fits(mlir::Type type, const Layout &layout);

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_LAYOUT_H
