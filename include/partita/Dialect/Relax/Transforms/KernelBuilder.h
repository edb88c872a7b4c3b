//===- KernelBuilder.h - Build the prim_func of an op -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_RELAX_TRANSFORMS_KERNELBUILDER_H
#define PARTITA_DIALECT_RELAX_TRANSFORMS_KERNELBUILDER_H

#include "partita/Dialect/Relax/IR/RelaxShape.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace partita::relax {

/// Builds arithmetic on numbers of one dtype. Floats of fewer than 32 bits are
/// computed in float32. Integers are signless, and wrap around.
class ScalarBuilder : public mlir::ImplicitLocOpBuilder {
public:
  /// `elementType` is the type in tensors, such as f16, i1 or ui8.
  ScalarBuilder(mlir::Location loc, mlir::OpBuilder &builder,
                mlir::Type elementType)
      : ImplicitLocOpBuilder(loc, builder), elementType(elementType),
        type(getComputeType(elementType)) {}

  /// The type in which numbers of type `elementType` are computed.
  static mlir::Type getComputeType(mlir::Type elementType);

  mlir::Type getElementType() const { return elementType; }
  mlir::Type getType() const { return type; }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(type); }
  bool isBool() const { return type.isInteger(1); }
  bool isUnsigned() const {
    return isBool() || elementType.isUnsignedInteger();
  }

  /// An element of a tensor as a number, and the other way round.
  mlir::Value load(mlir::Value element);
  mlir::Value store(mlir::Value number);

  mlir::Value number(double value);
  mlir::Value integer(int64_t value);
  /// The value of a constant of type `elementType`.
  mlir::Value constant(mlir::Attribute value);
  /// The neutral elements of maximum and minimum.
  mlir::Value least();
  mlir::Value most();

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value subtract(mlir::Value a, mlir::Value b);
  mlir::Value multiply(mlir::Value a, mlir::Value b);
  /// The quotient of integers is rounded towards zero, and is 0 if `b` is.
  mlir::Value divide(mlir::Value a, mlir::Value b);
  mlir::Value modulo(mlir::Value a, mlir::Value b);
  mlir::Value average(mlir::Value a, mlir::Value b);
  mlir::Value floorDivide(mlir::Value a, mlir::Value b);
  mlir::Value floorModulo(mlir::Value a, mlir::Value b);
  /// A NaN wins.
  mlir::Value maximum(mlir::Value a, mlir::Value b);
  mlir::Value minimum(mlir::Value a, mlir::Value b);
  mlir::Value negate(mlir::Value a);
  mlir::Value absolute(mlir::Value a);
  mlir::Value sign(mlir::Value a);
  mlir::Value sigmoid(mlir::Value a);
  mlir::Value gelu(mlir::Value a);
  mlir::Value logAddExp(mlir::Value a, mlir::Value b);
  mlir::Value shiftLeft(mlir::Value a, mlir::Value b);
  mlir::Value shiftRight(mlir::Value a, mlir::Value b);
  mlir::Value bitAnd(mlir::Value a, mlir::Value b);
  mlir::Value bitOr(mlir::Value a, mlir::Value b);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);
  mlir::Value bitNot(mlir::Value a) { return bitXor(a, integer(-1)); }
  /// `OpT` on floats; integers stay as they are.
  template <typename OpT>
  mlir::Value round(mlir::Value a) {
    return isFloat() ? mlir::Value(OpT::create(*this, a)) : a;
  }
  mlir::Value isFinite(mlir::Value a);
  mlir::Value isInfinite(mlir::Value a);

  /// Compares as C++ does: a NaN is unequal to everything.
  mlir::Value equal(mlir::Value a, mlir::Value b);
  mlir::Value notEqual(mlir::Value a, mlir::Value b);
  mlir::Value less(mlir::Value a, mlir::Value b);
  mlir::Value lessEqual(mlir::Value a, mlir::Value b);
  mlir::Value greater(mlir::Value a, mlir::Value b) { return less(b, a); }
  mlir::Value greaterEqual(mlir::Value a, mlir::Value b) {
    return lessEqual(b, a);
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);

  /// Converts a number to one of another dtype.
  mlir::Value convert(mlir::Value number, mlir::Type toElementType);
  /// Converts an index, or a number to an index.
  mlir::Value fromIndex(mlir::Value index);
  mlir::Value toIndex(mlir::Value number);
  mlir::Value index(int64_t value);

private:
  mlir::Value isZero(mlir::Value a) { return equal(a, integer(0)); }
  /// An integer by which others can be divided, which is `b` unless that is 0
  /// or -1.
  mlir::Value makeDivisor(mlir::Value b);

  mlir::Type elementType, type;
};

/// The elements of a tensor under other dimensions: dimension `i` is dimension
/// `dims[i]` of the tensor, or has size 1 where that is -1.
struct TensorView {
  mlir::Value tensor;
  llvm::SmallVector<int64_t> dims;

  mlir::RankedTensorType getTensorType() const {
    return llvm::cast<mlir::RankedTensorType>(tensor.getType());
  }
  mlir::Type getElementType() const { return getTensorType().getElementType(); }
  int64_t getRank() const { return dims.size(); }
};

/// Builds the prim_func that computes an op's results, from its end: operands
/// of the op become parameters when they are asked for.
class KernelBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using Sizes = llvm::SmallVector<mlir::OpFoldResult>;
  /// Computes a number from the numbers of the inputs.
  using Body =
      llvm::function_ref<mlir::Value(ScalarBuilder &, mlir::ValueRange)>;
  /// A tensor, and the element of it that a point of the loops reads.
  struct Input {
    mlir::Value tensor;
    mlir::AffineMap map;
  };

  explicit KernelBuilder(mlir::Operation *op);
  ~KernelBuilder();
  KernelBuilder(const KernelBuilder &) = delete;

  /// Names the function; otherwise it has the op's name.
  void setName(llvm::StringRef newName) { name = newName.str(); }
  llvm::StringRef getName() const { return name; }

  //===--------------------------------------------------------------------===//
  // Operands and results of the op, or of ops that it is made of
  //===--------------------------------------------------------------------===//

  /// The operands, and fields of operands that are tuples.
  llvm::SmallVector<mlir::Value> getFields(mlir::ValueRange operands);
  TensorView getView(mlir::Value operand);
  mlir::Value getTensor(mlir::Value operand);
  /// A number of the type in which it is computed: also a tensor of rank 0 that
  /// is a constant.
  mlir::Value getNumber(mlir::Value operand);
  bool isNumber(mlir::Value operand) const;
  /// The sizes of an operand's or a result's type.
  Sizes getSizes(mlir::Value value);
  Sizes getSizes(llvm::ArrayRef<Dim> dims);
  mlir::OpFoldResult getSize(Dim dim);
  /// A number as an index.
  mlir::OpFoldResult getIndex(mlir::Value number);
  mlir::Value toValue(mlir::OpFoldResult index);
  mlir::OpFoldResult add(mlir::OpFoldResult a, mlir::OpFoldResult b);
  /// The product of sizes: how many elements a tensor of them has.
  mlir::OpFoldResult multiply(llvm::ArrayRef<mlir::OpFoldResult> sizes);

  void set(mlir::Value result, TensorView view);
  void set(mlir::Value result, mlir::Value tensor);
  /// A block for ops that the op is made of, which lives as long as this.
  mlir::Block &addParts();
  /// Lowers an op that the op is made of.
  llvm::LogicalResult legalize(mlir::Operation *part);

  //===--------------------------------------------------------------------===//
  // Computation
  //===--------------------------------------------------------------------===//

  /// Broadcasts `view` in loops of these sizes, whose last ones are for its
  /// dimensions.
  Input broadcast(const TensorView &view, llvm::ArrayRef<mlir::OpFoldResult>);
  /// `body` at each point of loops of these sizes.
  mlir::Value map(llvm::ArrayRef<Input> inputs,
                  llvm::ArrayRef<mlir::OpFoldResult> sizes,
                  mlir::Type elementType, Body body);
  /// The same, where `body` gets and gives elements as they are in tensors, and
  /// only moves them.
  mlir::Value move(llvm::ArrayRef<Input> inputs,
                   llvm::ArrayRef<mlir::OpFoldResult> sizes,
                   mlir::Type elementType, Body body);
  /// A tensor of these sizes, with the elements of `tensor` at the indices that
  /// `setIndices` makes of the loops and of elements of `inputs`.
  mlir::Value
  gather(mlir::Value tensor, llvm::ArrayRef<mlir::OpFoldResult> sizes,
         llvm::ArrayRef<Input> inputs,
         llvm::function_ref<void(ScalarBuilder &, mlir::ValueRange elements,
                                 llvm::SmallVectorImpl<mlir::Value> &indices)>
             setIndices);
  /// Sets `result` to `body` of the operands, which are broadcast.
  void mapElements(mlir::Value result, mlir::ValueRange operands, Body body);
  /// Reduces loops, those but `kept`, by `body`, whose last number is the
  /// result so far. It begins with `start`, a number of the type in which
  /// `elementType` is computed; the result's elements have a type that can hold
  /// it.
  mlir::Value reduce(llvm::ArrayRef<Input> inputs, int64_t numLoops,
                     llvm::ArrayRef<int64_t> kept,
                     llvm::ArrayRef<mlir::OpFoldResult> keptSizes,
                     mlir::Type elementType, mlir::Value start, Body body);
  /// `tensor` with elements of type `elementType`, which has it wider.
  mlir::Value narrow(mlir::Value tensor, mlir::Type elementType);
  /// The type of a reduction's elements.
  static mlir::Type getSumType(mlir::Type elementType);
  mlir::Value fill(mlir::Value number, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                   mlir::Type elementType);
  /// `tensor`, whose sizes are `from`, with as many elements in other
  /// dimensions.
  mlir::Value reshape(mlir::Value tensor,
                      llvm::ArrayRef<mlir::OpFoldResult> from,
                      llvm::ArrayRef<mlir::OpFoldResult> to);
  mlir::Value realize(const TensorView &view);
  ScalarBuilder getScalars(mlir::Type elementType) {
    return ScalarBuilder(getLoc(), *this, elementType);
  }
  static TensorView getWhole(mlir::Value tensor);

  //===--------------------------------------------------------------------===//
  // The function
  //===--------------------------------------------------------------------===//

  /// Ends the function; fails if a result is missing.
  mlir::FailureOr<tir::PrimFuncOp> finish();
  /// The arguments of the call.
  llvm::ArrayRef<mlir::Value> getArguments() const { return arguments; }

private:
  mlir::Value addParameter(mlir::Value operand, mlir::Type type);
  void addNames(llvm::ArrayRef<Dim> dims, mlir::Value buffer);

  mlir::Operation *op;
  tir::PrimFuncOp func;
  std::string name;
  llvm::SmallVector<mlir::Value> arguments;
  llvm::DenseMap<mlir::Value, TensorView> views;
  llvm::DenseMap<mlir::Value, mlir::Value> numbers;
  /// Where the size of that name is.
  llvm::DenseMap<mlir::StringAttr, std::pair<mlir::Value, int64_t>> buffers;
  llvm::DenseMap<mlir::StringAttr, mlir::Value> sizes;
  std::vector<std::unique_ptr<mlir::Block>> parts;
  /// Ops that were added to the caller.
  llvm::SmallVector<mlir::Operation *> added;
  bool isComplete = true;
};

} // namespace partita::relax

#endif // PARTITA_DIALECT_RELAX_TRANSFORMS_KERNELBUILDER_H
