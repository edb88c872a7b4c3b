//===- FlattenBuffer.cpp - Give buffers one dimension ---------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"
#include "LinearBuilder.h"
#include "LinearSum.h"
#include "Utils.h"

#include "partita/Dialect/TIR/IR/TIROps.h"
#include "partita/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace partita::tir {
#define GEN_PASS_DEF_FLATTENBUFFER
#include "partita/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace partita::tir

using namespace mlir;
using namespace partita;
using namespace partita::tir;

namespace {
struct FlattenBuffer : tir::impl::FlattenBufferBase<FlattenBuffer> {
  void runOnOperation() override;

private:
  void flattenParameters(Block &body);
  void flatten(Value buffer, OpBuilder builder);
};

/// Replaces the accesses of a buffer by accesses of its flat form. This can be
/// the buffer itself.
class AccessFlattening {
public:
  AccessFlattening(Value flat, BufferPlace place)
      : flat(flat), place(std::move(place)) {}

  void flatten(Operation *user);

private:
  Value getIndex(OpBuilder &builder, Location loc, ValueRange values);
  template <typename AccessTy>
  void flattenAccess(AccessTy access, unsigned number);
  template <typename AccessTy>
  void flattenRegion(AccessTy access);

  Value flat;
  BufferPlace place;
};
} // namespace

/// Whether `value` depends on the variable of a loop.
static bool dependsOnLoop(Value value) {
  llvm::SetVector<Value> worklist;
  worklist.insert(value);
  for (unsigned i = 0; i != worklist.size(); ++i) {
    Operation *op = worklist[i].getDefiningOp();
    if (op ? op->getNumRegions() != 0 || i == maxTreeOps
           : getDomain(cast<BlockArgument>(worklist[i])).has_value())
      return true;
    if (op)
      worklist.insert_range(op->getOperands());
  }
  return false;
}

/// `index + value`. TVM writes sums in `value` without parentheses, and `-64`
/// for a number that is subtracted if all sizes are numbers. A sum that can
/// wrap stays whole, and so does one that no loop changes behind one that a
/// loop does.
static Value addTerms(OpBuilder &builder, Location loc, Value index,
                      Value value, bool areNumbers) {
  IndexBuilder indices(builder, loc);
  if (!dependsOnLoop(value) && dependsOnLoop(index))
    return indices.add(index, value);
  SmallVector<std::pair<Value, bool>> worklist = {{value, false}};
  while (!worklist.empty()) {
    auto [term, isSubtracted] = worklist.pop_back_val();
    APInt number;
    if (isSubtracted) {
      Type type = getWider(index.getType(), term.getType());
      index = arith::SubIOp::create(builder, loc, indices.cast(index, type),
                                    indices.cast(term, type),
                                    arith::IntegerOverflowFlags::nsw);
    } else if (auto sum = term.getDefiningOp<arith::AddIOp>();
               sum && isExact(sum)) {
      worklist.append({{sum.getRhs(), false}, {sum.getLhs(), false}});
    } else if (auto difference = term.getDefiningOp<arith::SubIOp>();
               difference && isExact(difference) &&
               matchPattern(difference.getRhs(), m_ConstantInt(&number)) &&
               number.isSignedIntN(31)) {
      Value rest = areNumbers ? indices.createNumber(-number.getSExtValue())
                              : difference.getRhs();
      worklist.append({{rest, !areNumbers}, {difference.getLhs(), false}});
    } else {
      index = indices.add(index, term);
    }
  }
  return index;
}

/// How many values `term` takes if it is the variable of a loop, or a quotient
/// or a remainder of one, that counts from 0; 0 if the number has a name.
static std::optional<int64_t> countValues(AffineExpr term,
                                          ArrayRef<Value> leaves) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(term);
  auto dim = dyn_cast<AffineDimExpr>(binary ? binary.getLHS() : term);
  auto argument = dim ? dyn_cast<BlockArgument>(leaves[dim.getPosition()])
                      : BlockArgument();
  std::optional<Domain> domain =
      argument ? getDomain(argument) : std::optional<Domain>();
  if (!domain || domain->step != 1 || getConstant(domain->min) != 0)
    return std::nullopt;
  int64_t size =
      getConstant(domain->upper ? domain->upper : domain->extent).value_or(0);
  if (!binary)
    return size;
  int64_t divisor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (size <= 0 || size % divisor != 0)
    return std::nullopt;
  return term.getKind() == AffineExprKind::Mod ? divisor : size / divisor;
}

/// Splits `expr` where TVM does: into the loops' part and the part that no loop
/// changes, which TVM writes last. It does where the loops visit each place in
/// steps of the same size, as they do in a slice of an array.
static std::optional<std::pair<AffineExpr, AffineExpr>>
splitSlice(AffineExpr expr, ArrayRef<Value> leaves) {
  LinearSum sum(expr), loops, base;
  SmallVector<std::pair<int64_t, int64_t>> digits;
  llvm::SmallBitVector seen(leaves.size());
  bool isSlice = true;
  for (auto [term, factor] : sum.terms) {
    std::optional<int64_t> size = countValues(term, leaves);
    if (size)
      digits.emplace_back(factor, *size);
    (size ? loops : base).addTerm(term, factor);
    term.walk([&](AffineExpr inner) {
      auto dim = dyn_cast<AffineDimExpr>(inner);
      if (!dim)
        return;
      unsigned number = dim.getPosition();
      isSlice &= size ? !seen.test(number) : !dependsOnLoop(leaves[number]);
      seen.set(number);
    });
  }
  if (!isSlice || digits.empty() || base.terms.empty())
    return std::nullopt;
  llvm::sort(digits);
  for (auto [digit, next] : llvm::zip(digits, llvm::drop_begin(digits)))
    isSlice &= digit.second > 0 && next.first % digit.first == 0 &&
               next.first / digit.first == digit.second;
  if (!isSlice || digits.front().first <= 0)
    return std::nullopt;
  base.number = sum.number;
  MLIRContext *context = expr.getContext();
  return std::pair(loops.getExpr(context), base.getExpr(context));
}

/// Computes `index`, which the ops behind `last` compute, as TVM writes it, by
/// what is known at `access`. TVM leaves places below a variable alone.
static Value simplify(Value index, Operation *last, Operation *access) {
  Operation *sum = index.getDefiningOp();
  Type type = index.getType();
  if (!sum || !isIndexInteger(type))
    return index;
  IntegerFacts facts(access);
  AffineExpr expr = facts.simplify(facts.getExpr(index));
  ArrayRef<Value> leaves = facts.getLeaves();
  auto slice = splitSlice(expr, leaves);
  if (slice ? !hasSmallNumbers(expr, type)
            : LinearSum(expr).number < 0 || !isSimpler(expr, index, leaves))
    return index;
  SmallVector<Operation *> made;
  for (Operation *op = access->getPrevNode(); op && op != last;
       op = op->getPrevNode())
    made.push_back(op);
  OpBuilder builder(access);
  auto create = [&](AffineExpr part) {
    return createExpr(builder, sum->getLoc(), type, part, leaves, index);
  };
  Value simple = create(slice ? slice->first : expr);
  if (slice) {
    Value base = create(slice->second);
    simple = arith::AddIOp::create(builder, sum->getLoc(), simple, base,
                                   arith::IntegerOverflowFlags::nsw);
  }
  for (Operation *op : made)
    if (op->use_empty() && op != simple.getDefiningOp())
      op->erase();
  return simple;
}

/// The place of the element at `values`. The last of these may be a vector.
Value AccessFlattening::getIndex(OpBuilder &builder, Location loc,
                                 ValueRange values) {
  IndexBuilder indices(builder, loc);
  auto isZero = [](Value value) { return matchPattern(value, m_Zero()); };
  // TVM's indices are integers, cast to index here.
  auto getNumber = [](Value value) {
    auto indexCast = value.getDefiningOp<arith::IndexCastOp>();
    return indexCast && value.getType().isIndex() ? indexCast.getIn() : value;
  };
  auto isSum = [&](Value value) {
    return isa_and_nonnull<arith::AddIOp, arith::SubIOp>(
        getNumber(value).getDefiningOp());
  };
  bool isInExpr = builder.getBlock()->getParentOp()->getNumResults() != 0;
  bool isFlat = !isInExpr && llvm::count_if(values, isSum) == 1;
  bool areNumbers = llvm::all_of(place.strides, getConstant);
  Value index, vector;
  for (auto [value, stride] : llvm::zip_equal(values, place.strides)) {
    if (isa<VectorType>(value.getType())) {
      vector = value;
      break;
    }
    Value number = getNumber(value);
    if (isZero(number) && values.size() > 1)
      continue;
    Value product = indices.multiply(number, stride);
    index = !index   ? product
            : isFlat ? addTerms(builder, loc, index, product, areNumbers)
                     : indices.add(index, product);
  }
  if (!index && !vector)
    index = indices.createNumber(0);
  if (!index)
    index = place.offset;
  else if (!isZero(place.offset))
    index = indices.add(index, place.offset);
  return vector ? indices.offset(vector, index) : index;
}

/// Lets `access` use the flat buffer as its operand `number`.
template <typename AccessTy>
void AccessFlattening::flattenAccess(AccessTy access, unsigned number) {
  OpBuilder builder(access);
  IndexBuilder indices(builder, access.getLoc());
  auto old = llvm::to_vector(access.getIndices());
  Operation *last = access->getPrevNode();
  Value index = getIndex(builder, access.getLoc(), access.getIndices());
  index = simplify(index, last, access);
  if (isa<memref::LoadOp, memref::StoreOp>(access))
    index = indices.cast(index, builder.getIndexType());
  access->setOperand(number, flat);
  access.getIndicesMutable().assign(index);
  // Their operands would seem to be used more than once. Constants can be
  // strides of the buffer.
  eraseUnused(old, [](Operation *op) {
    return isPure(op) && !isa<arith::ConstantOp>(op);
  });
}

template <typename AccessTy>
void AccessFlattening::flattenRegion(AccessTy access) {
  OpBuilder builder(access);
  Location loc = access.getLoc();
  IndexBuilder indices(builder, loc);
  Value min = getIndex(builder, loc, access.getMins());
  // From the first element to the last one.
  Value extent = indices.createNumber(1);
  for (auto [size, stride] :
       llvm::zip_equal(access.getExtents(), place.strides))
    extent = indices.add(
        extent,
        indices.multiply(indices.add(size, indices.createNumber(-1)), stride));
  AccessTy::create(builder, loc, flat, min, extent,
                   access.getAnnotationsAttr());
  access.erase();
}

void AccessFlattening::flatten(Operation *user) {
  if (auto load = dyn_cast<memref::LoadOp>(user))
    flattenAccess(load, 0);
  else if (auto load = dyn_cast<LoadOp>(user))
    flattenAccess(load, 0);
  else if (auto store = dyn_cast<memref::StoreOp>(user))
    flattenAccess(store, 1);
  else if (auto store = dyn_cast<StoreOp>(user))
    flattenAccess(store, 1);
  else if (auto reads = dyn_cast<ReadsOp>(user))
    flattenRegion(reads);
  else if (auto writes = dyn_cast<WritesOp>(user))
    flattenRegion(writes);
  else
    user->replaceUsesOfWith(user->getOperand(0), flat);
}

/// Whether `user` can use the flat form of the buffer of its operand `number`.
static bool canFlatten(Operation *user, unsigned number,
                       ArrayRef<Value> strides) {
  if (isa<ReadsOp, WritesOp, AttrNodeOp>(user) || isDataCall(user))
    return true;
  bool isStore = isa<memref::StoreOp, StoreOp>(user);
  if (!(isStore || isa<memref::LoadOp, LoadOp>(user)) ||
      number != (isStore ? 1 : 0))
    return false;
  auto indices = user->getOperands().drop_front(isStore ? 2 : 1);
  auto isVector = [](Value value) { return isa<VectorType>(value.getType()); };
  if (llvm::none_of(indices, isVector))
    return true;
  return isVector(indices.back()) &&
         llvm::none_of(indices.drop_back(), isVector) &&
         getConstant(strides.back()) == 1;
}

/// Whether `user` reads or writes one element of `buffer`.
static bool isElementAccess(Operation *user, Value buffer) {
  unsigned number = isa<memref::StoreOp, StoreOp>(user) ? 1 : 0;
  return isa<memref::LoadOp, LoadOp, memref::StoreOp, StoreOp>(user) &&
         user->getOperand(number) == buffer &&
         !isa<VectorType>(user->getOperands().back().getType());
}

/// Whether the address that `user` gives is the place of other buffers alone.
static bool isSourceOfBuffers(Operation *user) {
  return isDataCall(user) && !user->use_empty() &&
         llvm::all_of(user->getUsers(), llvm::IsaPred<DeclBufferOp>);
}

/// The number of elements from the first to the last one.
static Value createFlatSize(IndexBuilder &indices, MemRefType type,
                            const BufferPlace &place) {
  if (!type.getLayout().isIdentity() && type.getRank() != 0)
    return indices.multiply(place.strides[0],
                            place.shape.empty()
                                ? indices.createNumber(type.getDimSize(0))
                                : place.shape[0]);
  if (place.shape.empty())
    return indices.createNumber(type.getNumElements());
  // As in TVM, numbers come last, as one.
  Value size, number;
  for (Value extent : place.shape) {
    Value &factor = getConstant(extent) ? number : size;
    factor = factor ? indices.multiply(factor, extent) : extent;
  }
  if (!size || !number)
    return size ? size : number;
  return indices.multiply(size, number);
}

/// Makes the flat form of `buffer`: of a parameter, a buffer at its data.
static Value createFlat(OpBuilder &builder, Value buffer, Value size) {
  auto type = cast<MemRefType>(buffer.getType());
  std::optional<int64_t> constant = getConstant(size);
  auto flatType = MemRefType::get(
      {constant.value_or(ShapedType::kDynamic)}, type.getElementType(),
      MemRefLayoutAttrInterface(), type.getMemorySpace());
  // The size 1 that TVM gives a scalar is an int32, whatever its offset is.
  ValueRange shape;
  if (!constant || type.getRank() == 0)
    shape = size;
  Operation *def = buffer.getDefiningOp();
  if (!def) {
    Type pointer = tir::PtrType::get(
        builder.getContext(), getStorageScope(type), type.getElementType());
    auto flat = DeclBufferOp::create(builder, buffer.getLoc(), flatType,
                                     createDataCall(builder, buffer, pointer),
                                     shape, ValueRange(), Value(), ValueRange(),
                                     TypeAttr(), 64, 1, /*layout=*/Attribute());
    for (Operation *user : buffer.getUsers())
      if (auto declaration = dyn_cast<BufferDeclOp>(user)) {
        flat.setDataAlignment(declaration.getDataAlignment());
        flat.setOffsetFactor(declaration.getOffsetFactor());
        flat.setIndexTypeAttr(declaration.getIndexTypeAttr());
      }
    return flat;
  }
  // The same op with other sizes.
  Operation *flat = builder.clone(*def);
  flat->getResult(0).setType(flatType);
  auto setPlace = [&](auto op) {
    op.getShapeMutable().assign(shape);
    op.getStridesMutable().clear();
    op.getElemOffsetMutable().clear();
    op.removeLayoutAttr();
  };
  llvm::TypeSwitch<Operation *>(flat)
      .Case<AllocBufferOp, BlockBufferOp, DeclBufferOp>(setPlace);
  return flat->getResult(0);
}

void FlattenBuffer::flatten(Value buffer, OpBuilder builder) {
  auto type = cast<MemRefType>(buffer.getType());
  bool isParam = !buffer.getDefiningOp();
  // First, as a user can go or get more operands.
  SmallVector<Operation *> users;
  for (Operation *user : buffer.getUsers())
    if (!isa<BufferDeclOp>(user) && !(isParam && isSourceOfBuffers(user)))
      users.push_back(user);
  if (users.empty() && isParam)
    return;
  IndexBuilder indices(builder, buffer.getLoc());
  std::optional<BufferPlace> place = indices.getPlace(buffer);
  if (!place || (place->shape.empty() && !type.hasStaticShape()))
    return;
  bool isCompact =
      type.getLayout().isIdentity() && matchPattern(place->offset, m_Zero());
  if (!isParam && type.getRank() == 1 && isCompact) {
    llvm::TypeSwitch<Operation *>(buffer.getDefiningOp())
        .Case<AllocBufferOp, BlockBufferOp, DeclBufferOp>(
            [](auto op) { op.removeLayoutAttr(); });
    AccessFlattening accesses(buffer, *place);
    for (Operation *user : users)
      if (isElementAccess(user, buffer))
        accesses.flatten(user);
    return;
  }
  for (OpOperand &use : buffer.getUses())
    if (!isa<BufferDeclOp>(use.getOwner()) &&
        !canFlatten(use.getOwner(), use.getOperandNumber(), place->strides))
      return;
  Value size = createFlatSize(indices, type, *place);
  // The product of the sizes is too large for their type.
  if (getConstant(size).value_or(0) < 0)
    return;
  AccessFlattening accesses(createFlat(builder, buffer, size), *place);
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (Operation *user : users)
    if (seen.insert(user).second)
      accesses.flatten(user);
  if (!isParam)
    buffer.getDefiningOp()->erase();
  ++numFlattened;
}

/// Puts the flat forms behind the declarations, where TVM's body begins, the
/// first parameter first.
void FlattenBuffer::flattenParameters(Block &body) {
  Operation *last = nullptr;
  for (Operation &op : body.without_terminator()) {
    if (isa<BufferDeclOp>(op))
      last = &op;
    else if (!isa<VarOp>(op) && !isPure(&op))
      break;
  }
  for (BlockArgument argument : llvm::reverse(body.getArguments())) {
    if (!isa<MemRefType>(argument.getType()))
      continue;
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    if (last)
      builder.setInsertionPointAfter(last);
    for (Operation *user : argument.getUsers())
      if (isa<BufferDeclOp>(user) && user->getBlock() == &body &&
          (!last || last->isBeforeInBlock(user)))
        builder.setInsertionPointAfter(user);
    flatten(argument, builder);
  }
}

void FlattenBuffer::runOnOperation() {
  if (getOperation().isExternal())
    return;
  SmallVector<Operation *> buffers;
  WalkResult result = getOperation().walk([&](Operation *op) {
    if (isa<MatchBufferOp>(op)) {
      op->emitError("expected a function without it; run "
                    "tir.LowerMatchBuffer first");
      return WalkResult::interrupt();
    }
    if (isa<AllocBufferOp, DeclBufferOp, BlockBufferOp>(op))
      buffers.push_back(op);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return signalPassFailure();
  flattenParameters(getOperation().getBody().front());
  for (Operation *op : buffers)
    flatten(op->getResult(0), OpBuilder(op));
  // Sizes and strides that are 0 or 1 leave some.
  getOperation().walk([](arith::ConstantOp op) {
    if (op->use_empty())
      op.erase();
  });
}
