//===- RelaxShape.h - Symbolic dimensions and their arithmetic --*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A dimension is a number, a name or unknown. Type inference, verifiers and
// passes compute with lists of them, and turn them into tensor types.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_IR_RELAXSHAPE_H
#define PARTITA_DIALECT_RELAX_IR_RELAXSHAPE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/Hashing.h"

namespace partita::relax {

class ShapeType;

/// One dimension of a shape.
class Dim {
public:
  /// An unknown dimension, `?`.
  Dim() = default;
  /// A number; `ShapedType::kDynamic` makes an unknown dimension.
  Dim(int64_t size) : size(size) {}
  /// A name: equal to every other dimension of this name. A name that is no
  /// identifier ("n * 2") is an expression about which nothing else is known.
  Dim(mlir::StringAttr name) : name(name) {}

  bool isNumber() const { return !mlir::ShapedType::isDynamic(size); }
  bool isName() const { return static_cast<bool>(name); }
  bool isUnknown() const { return !isNumber() && !isName(); }
  /// Whether it is a name and no expression.
  bool isIdentifier() const;

  /// The number, or `ShapedType::kDynamic`.
  int64_t getSize() const { return size; }
  mlir::StringAttr getName() const { return name; }

  bool operator==(const Dim &other) const {
    return size == other.size && name == other.name;
  }
  bool operator!=(const Dim &other) const { return !(*this == other); }

  friend llvm::hash_code hash_value(const Dim &dim) {
    return llvm::hash_combine(dim.size, dim.name);
  }

private:
  int64_t size = mlir::ShapedType::kDynamic;
  mlir::StringAttr name;
};

/// Prints `16`, `"n"` or `?`.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Dim &dim);
mlir::Diagnostic &operator<<(mlir::Diagnostic &diag, const Dim &dim);

/// The dimensions of `type`, with their names if it has any.
llvm::SmallVector<Dim> getDims(mlir::RankedTensorType type);

/// The tensor type of these dimensions; the inverse of getDims.
mlir::RankedTensorType getTensorType(llvm::ArrayRef<Dim> dims,
                                     mlir::Type elementType);

/// Everything known about a tensor, whatever type says it.
struct TensorInfo {
  TensorInfo() = default;
  /// A tensor with these dimensions.
  TensorInfo(llvm::ArrayRef<Dim> dims, mlir::Type elementType)
      : elementType(elementType), isRanked(true),
        dims(dims.begin(), dims.end()) {}

  /// Nothing if `type` is not the type of a tensor.
  static std::optional<TensorInfo> get(mlir::Type type);

  int64_t getRank() const { return dims.size(); }
  /// Forgets the dimensions, down to their number.
  void setRank(int64_t rank);
  void setUnranked();
  void setDims(llvm::ArrayRef<Dim> newDims);
  /// Sets the dimensions to the dimensions of a shape value of this type.
  void setShape(ShapeType type);

  /// A builtin tensor, or a `!relax.tensor` where it can't say the same.
  mlir::Type getType(mlir::MLIRContext *context) const;

  /// Null if it is unknown.
  mlir::Type elementType;
  bool isRanked = false;
  llvm::SmallVector<Dim> dims;
  /// The name of the variable that is the shape, or null.
  mlir::StringAttr shape;
  /// Whether TVM has no shape for a tensor without dimensions.
  bool lacksShape = false;
  /// The device's index, or the device itself, or null.
  mlir::Attribute vdevice;
};

/// Whether `type` is the type of a tensor, whose elements may be unknown.
bool isTensor(mlir::Type type);
bool isFloatTensor(mlir::Type type);
/// Whether a value of `type` can decide a branch.
bool isCondition(mlir::Type type);

/// Whether a dimension known as `a` can be one known as `b`: they are equal,
/// one of them is unknown, or one is an expression that may be equal to the
/// other.
bool areCompatible(Dim a, Dim b);
/// The same for types: tensors, shapes and tuples are compared dimension by
/// dimension; other types must be equal.
bool areCompatible(mlir::Type a, mlir::Type b);
bool areCompatible(mlir::TypeRange a, mlir::TypeRange b);

/// Whether every value of `specific` is one of `general`, which may know fewer
/// dimensions.
bool isMoreGeneral(mlir::Type general, mlir::Type specific);

/// Whether a value of type `from` can turn out to have type `to`: one of them
/// is any object, or no dimension is a number in both, but a different one.
bool isCastable(mlir::Type from, mlir::Type to);

/// `type` with every dimension of its tensors and shapes replaced.
mlir::Type mapDims(mlir::Type type, llvm::function_ref<Dim(Dim)> map);

/// Matches a callee's types with a caller's: the callee's names stand for
/// dimensions of the caller.
class DimBinding {
public:
  /// Whether an argument of type `actual` can be passed for a parameter of type
  /// `formal`. Binds names of `formal` that are new.
  bool bind(mlir::Type formal, mlir::Type actual);

  /// A type of the callee as the caller sees it; names that are not bound are
  /// unknown dimensions, and shapes that are variables are forgotten.
  mlir::Type apply(mlir::Type formal) const;

private:
  llvm::DenseMap<mlir::StringAttr, Dim> dims;
};

/// Whether `a` and `b` are equal whatever values the names in them have.
bool areEqual(Dim a, Dim b);

/// The dimension that `a` and `b` broadcast to, or nothing when they do not. A
/// name that meets a number, or another name, makes it unknown.
std::optional<Dim> broadcast(Dim a, Dim b);

/// Arithmetic on dimensions. The result is simplified; it is unknown if an
/// operand is, or if numbers exceed 64 bits.
Dim operator+(Dim a, Dim b);
Dim operator-(Dim a, Dim b);
Dim operator*(Dim a, Dim b);
Dim floorDiv(Dim a, Dim b);
Dim ceilDiv(Dim a, Dim b);
Dim max(Dim a, Dim b);
Dim min(Dim a, Dim b);
/// The product of all dimensions.
Dim multiply(llvm::ArrayRef<Dim> dims);

/// The names of dimensions in `type`, expressions left out.
llvm::SmallVector<mlir::StringAttr> getNames(mlir::Type type);

/// Calls `visit` with each name in the text of a dimension, which may be an
/// expression. Functions, dtypes and numbers are no names of dimensions.
void forEachName(llvm::StringRef dim,
                 llvm::function_ref<void(llvm::StringRef name)> visit);

/// The first name in a dimension, which may be an expression, that is none of
/// `known`; "" if all are.
llvm::StringRef findUnknownName(llvm::StringRef dim,
                                llvm::ArrayRef<mlir::StringAttr> known);

/// Verifies that names are not empty and, if they are sizes, numbers not
/// negative.
llvm::LogicalResult
verifyDims(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
           llvm::ArrayRef<Dim> dims, bool areSizes = true);

/// Parse and print `[1, "n", ?]`.
mlir::ParseResult parseDims(mlir::AsmParser &parser,
                            llvm::SmallVectorImpl<Dim> &dims);
void printDims(mlir::AsmPrinter &printer, llvm::ArrayRef<Dim> dims);
/// The same, or `*` for no list.
mlir::ParseResult parseOptionalDims(mlir::AsmParser &parser,
                                    llvm::SmallVectorImpl<Dim> &dims,
                                    bool &isRanked);
void printOptionalDims(mlir::AsmPrinter &printer, llvm::ArrayRef<Dim> dims,
                       bool isRanked);
mlir::ParseResult parseShapeDims(mlir::AsmParser &parser,
                                 llvm::SmallVectorImpl<Dim> &dims,
                                 bool &isRanked, bool &lacksValues);
void printShapeDims(mlir::AsmPrinter &printer, llvm::ArrayRef<Dim> dims,
                    bool isRanked, bool lacksValues);

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_IR_RELAXSHAPE_H
