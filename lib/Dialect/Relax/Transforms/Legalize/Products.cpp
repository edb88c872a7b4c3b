//===- Products.cpp - Lower matrix products -------------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace partita::relax;

/// The sum of `numbers[0] * numbers[1]`, each converted to `type`.
static Value addProduct(ScalarBuilder &s, ValueRange numbers, Type from[2],
                        Type type) {
  auto convert = [&](int index) {
    return ScalarBuilder(s.getLoc(), s, from[index])
        .convert(numbers[index], type);
  };
  ScalarBuilder to(s.getLoc(), s, type);
  return to.add(numbers[2], to.multiply(convert(0), convert(1)));
}

/// Builds upstream's op of this kind; null if it computes something else.
template <typename OpT>
static Value buildNamed(KernelBuilder &kernel, Value a, Value b, Value start,
                        ArrayRef<OpFoldResult> sizes, Type type) {
  Value out = kernel.fill(start, sizes, KernelBuilder::getSumType(type));
  return OpT::create(kernel, TypeRange(out.getType()), ValueRange{a, b},
                     ValueRange(out))
      .getResult(0);
}

/// Whether the view has the dimensions of its tensor. A transposed operand is
/// read where it is.
static bool isWhole(const TensorView &view) {
  return llvm::equal(view.dims, KernelBuilder::getWhole(view.tensor).dims);
}

static LogicalResult legalizeMatmul(MatmulOp op, KernelBuilder &kernel) {
  Type type = getNumberType(op.getResult());
  Type from[2] = {getNumberType(op.getX1()), getNumberType(op.getX2())};
  if (type.isInteger(1) || from[0].isInteger(1) || from[1].isInteger(1))
    return failure();
  SmallVector<Dim> lhs = getDims(op.getX1()), rhs = getDims(op.getX2());
  KernelBuilder::Sizes sizes = kernel.getSizes(op.getResult());
  Value start = kernel.getScalars(type).integer(0), result;
  bool isSimple = from[0] == from[1] && !type.isUnsignedInteger() &&
                  !from[0].isUnsignedInteger() &&
                  (type == from[0] || isa<IntegerType>(type)) &&
                  isWhole(kernel.getView(op.getX1())) &&
                  isWhole(kernel.getView(op.getX2()));
  if (isSimple && lhs.size() == 2 && rhs.size() == 2) {
    result = buildNamed<linalg::MatmulOp>(kernel, kernel.getTensor(op.getX1()),
                                          kernel.getTensor(op.getX2()), start,
                                          sizes, type);
  } else if (isSimple && lhs.size() == 3 && rhs.size() == 3 &&
             lhs[0] == rhs[0]) {
    result = buildNamed<linalg::BatchMatmulOp>(
        kernel, kernel.getTensor(op.getX1()), kernel.getTensor(op.getX2()),
        start, sizes, type);
  } else {
    // The loops are those over the result, then one over what is contracted. An
    // operand of rank 1 lacks a dimension of the result.
    int64_t rank = sizes.size(), numRows = lhs.size() > 1,
            numColumns = rhs.size() > 1;
    KernelBuilder::Sizes loops = sizes;
    loops.push_back(kernel.getSize(lhs.back()));
    int64_t row = rank - numColumns - 1, column = rank - 1;
    auto getInput = [&](Value operand, int64_t outer, bool isRight) {
      TensorView view = kernel.getView(operand);
      KernelBuilder::Input input{view.tensor, {}};
      RankedTensorType tensorType = view.getTensorType();
      SmallVector<AffineExpr> exprs(tensorType.getRank(),
                                    kernel.getAffineConstantExpr(0));
      int64_t numBatch = rank - numRows - numColumns;
      int64_t viewRank = view.getRank(),
              matrix = std::min<int64_t>(viewRank, 2);
      for (auto [index, dim] : llvm::enumerate(view.dims)) {
        int64_t fromEnd = viewRank - index, loop;
        if (fromEnd > matrix)
          loop = numBatch - (fromEnd - matrix);
        else if (fromEnd == (isRight ? matrix : 1))
          loop = rank;
        else
          loop = outer;
        bool isBroadcast =
            dim >= 0 && fromEnd > matrix && tensorType.getDimSize(dim) == 1;
        if (dim >= 0 && !isBroadcast)
          exprs[dim] = kernel.getAffineDimExpr(loop);
      }
      input.map = AffineMap::get(rank + 1, 0, exprs, kernel.getContext());
      return input;
    };
    KernelBuilder::Input inputs[2] = {getInput(op.getX1(), row, false),
                                      getInput(op.getX2(), column, true)};
    result =
        kernel.reduce(inputs, rank + 1, llvm::to_vector(llvm::seq(rank)), sizes,
                      type, start, [&](ScalarBuilder &s, ValueRange numbers) {
                        return addProduct(s, numbers, from, type);
                      });
  }
  kernel.set(op.getResult(), kernel.narrow(result, type));
  return success();
}

/// Replaces each ellipsis in the subscripts by digits, which stand for the
/// dimensions that have no letters, from the last one on. Fails if a term does
/// not fit its operand.
static FailureOr<std::string> expandEllipses(StringRef subscripts,
                                             ArrayRef<Value> operands) {
  constexpr StringRef ellipsis = "...", digits = "0123456789";
  auto [input, output] = subscripts.split("->");
  SmallVector<StringRef> terms;
  input.split(terms, ',');
  if (terms.size() != operands.size())
    return failure();
  std::string expanded;
  size_t most = 0;
  for (auto [index, term, operand] : llvm::enumerate(terms, operands)) {
    size_t rank = getDims(operand).size();
    auto [front, back] = term.split(ellipsis);
    expanded += (index == 0 ? "" : ",") + front.str();
    if (term.contains(ellipsis)) {
      size_t count = rank - front.size() - back.size();
      if (front.size() + back.size() > rank || count > digits.size())
        return failure();
      most = std::max(most, count);
      expanded += digits.take_front(count).str();
      std::reverse(expanded.end() - count, expanded.end());
    }
    expanded += back;
  }
  std::string shared(digits.take_front(most));
  std::reverse(shared.begin(), shared.end());
  if (subscripts.contains("->")) {
    auto [front, back] = output.split(ellipsis);
    return expanded + "->" + front.str() +
           (output.contains(ellipsis) ? shared : "") + back.str();
  }
  // The letters that occur once, after what the ellipses stand for.
  std::string once;
  for (char letter : input)
    if (llvm::isAlpha(letter) && input.count(letter) == 1)
      once.push_back(letter);
  llvm::sort(once);
  return expanded + "->" + shared + once;
}

/// Products of elements whose letters in the subscripts are the same, summed
/// over the letters that the result lacks.
static LogicalResult legalizeEinsum(EinsumOp op, KernelBuilder &kernel) {
  std::string subscripts = op.getSubscripts().str();
  llvm::erase(subscripts, ' ');
  SmallVector<Value> operands = kernel.getFields(op->getOperands());
  Type type = getNumberType(op.getResult());
  FailureOr<std::string> expanded = expandEllipses(subscripts, operands);
  if (type.isInteger(1) || failed(expanded))
    return failure();
  auto [inputText, output] = StringRef(*expanded).split("->");
  SmallVector<StringRef> terms;
  inputText.split(terms, ',');
  std::string letters;
  for (char letter : inputText)
    if (letter != ',' && !StringRef(letters).contains(letter))
      letters.push_back(letter);
  // A dimension of size 1 is broadcast where others are larger.
  std::string broadcast;
  for (auto [term, operand] : llvm::zip(terms, operands))
    for (auto [letter, dim] : llvm::zip(term, getDims(operand)))
      if (dim != Dim(1))
        broadcast.push_back(letter);
  SmallVector<KernelBuilder::Input> inputs;
  for (auto [term, operand] : llvm::zip_equal(terms, operands)) {
    SmallVector<Dim> dims = getDims(operand);
    if (dims.size() != term.size() || getNumberType(operand) != type)
      return failure();
    SmallVector<AffineExpr> exprs;
    for (auto [letter, dim] : llvm::zip_equal(term, dims))
      exprs.push_back(
          dim == Dim(1) && StringRef(broadcast).contains(letter)
              ? kernel.getAffineConstantExpr(0)
              : kernel.getAffineDimExpr(StringRef(letters).find(letter)));
    inputs.push_back(
        {kernel.getTensor(operand),
         AffineMap::get(letters.size(), 0, exprs, kernel.getContext())});
  }
  SmallVector<int64_t> kept;
  for (char letter : output)
    kept.push_back(StringRef(letters).find(letter));
  Value result = kernel.reduce(
      inputs, letters.size(), kept, kernel.getSizes(op.getResult()), type,
      kernel.getScalars(type).integer(0),
      [](ScalarBuilder &s, ValueRange numbers) {
        Value product = numbers.front();
        for (Value number : numbers.drop_front().drop_back())
          product = s.multiply(product, number);
        return s.add(numbers.back(), product);
      });
  kernel.set(op.getResult(), kernel.narrow(result, type));
  return success();
}

void partita::relax::attachProducts(MLIRContext *context) {
  attach<&legalizeMatmul, MatmulOp>(context);
  attach<&legalizeEinsum, EinsumOp>(context);
}
