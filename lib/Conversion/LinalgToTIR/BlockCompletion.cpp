//===- BlockCompletion.cpp - What blocks read and write -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockCompletion.h"
#include "BlockBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace partita;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Makes allocations buffers of their blocks. A block allocates before it runs,
/// so that a buffer of a loop moves out of it, if its sizes are known there.
static void allocateIn(Block &root) {
  SmallVector<memref::AllocOp> allocs;
  root.walk([&](memref::AllocOp op) { allocs.push_back(op); });
  for (memref::AllocOp op : allocs) {
    ImplicitLocOpBuilder builder(
        NameLoc::get(StringAttr::get(op.getContext(), "T"), op.getLoc()), op);
    Block &block = op->getParentOfType<tir::BlockOp>().getBody().front();
    Operation *outer = block.findAncestorOpInBlock(*op);
    MemRefType type = op.getType();
    if (type.hasStaticShape())
      builder.setInsertionPointToStart(&block);
    else if (llvm::none_of(op.getDynamicSizes(), [&](Value size) {
               return outer->isAncestor(size.getParentBlock()->getParentOp());
             }))
      builder.setInsertionPoint(outer);
    SmallVector<Value> shape;
    if (!type.hasStaticShape())
      shape = createShape(builder, type, [&](int64_t dim) {
        return builder.createOrFold<arith::IndexCastOp>(
            builder.getI64Type(),
            op.getDynamicSizes()[type.getDynamicDimIndex(dim)]);
      });
    auto buffer = tir::BlockBufferOp::create(
        builder, type, shape, /*strides=*/ValueRange(), /*elem_offset=*/Value(),
        /*allocated_addr=*/ValueRange(), TypeAttr::get(builder.getI64Type()),
        /*data_alignment=*/uint64_t(64), /*offset_factor=*/uint64_t(1),
        /*layout=*/Attribute());
    op.replaceAllUsesWith(buffer.getResult());
    op.erase();
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Whether an op reads or writes memory that is not in a block of it.
static bool hasOwnEffects(Operation *op) {
  if (isa<tir::BlockOp>(op))
    return false;
  if (isa<memref::LoadOp, memref::StoreOp>(op))
    return true;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      if (hasOwnEffects(&inner))
        return true;
  return false;
}

static tir::BlockOp createBlock(ImplicitLocOpBuilder &builder, StringRef name) {
  Value isTrue = arith::ConstantIntOp::create(builder, 1, 1);
  auto block = tir::BlockOp::create(builder, name, builder.getArrayAttr({}),
                                    /*bindings=*/{}, /*mins=*/{},
                                    /*extents=*/{}, isTrue, /*annotations=*/{});
  addBody(builder.getLoc(), block.getBody());
  return block;
}

/// Gives code with effects a block. Loads that others use stay with them.
static void wrapEffects(Block &root, StringRef name) {
  SmallVector<Operation *> ops;
  bool hasLoads = false;
  for (Operation &op : root.without_terminator()) {
    if (hasOwnEffects(&op))
      ops.push_back(&op);
    hasLoads |= isa<memref::LoadOp>(op);
  }
  if (ops.empty())
    return;
  ImplicitLocOpBuilder builder(ops.front()->getLoc(), ops.front());
  if (hasLoads) {
    // Values in memory that several ops use: all is one block.
    tir::BlockOp block = createBlock(builder, name);
    Block &body = block.getBody().front();
    auto isInside = [&](Value value) {
      return value.getParentBlock() == &body;
    };
    for (Operation &op : llvm::make_early_inc_range(llvm::make_range(
             std::next(block->getIterator()), std::prev(root.end()))))
      if (isa<tir::BlockBufferOp>(op) &&
          llvm::none_of(op.getOperands(), isInside))
        op.moveBefore(block);
      else
        op.moveBefore(body.getTerminator());
    return;
  }
  for (Operation *op : ops) {
    builder.setLoc(op->getLoc());
    builder.setInsertionPoint(op);
    tir::BlockOp block = createBlock(builder, name);
    op->moveBefore(block.getBody().front().getTerminator());
  }
}

namespace {
/// The parts of buffers that a block accesses.
class BlockAccesses {
public:
  explicit BlockAccesses(tir::BlockOp block)
      : block(block), body(block.getBody().front()) {}

  void declare();

private:
  /// The indices of all accesses of a buffer; nothing if they differ, or can't
  /// be computed before the block runs.
  using Accesses = llvm::MapVector<Value, std::optional<SmallVector<Value>>>;

  void add(Accesses &accesses, Value buffer, ValueRange indices);
  bool isKnown(Value value);
  void hoistIndices();
  template <typename OpT>
  void declare(ImplicitLocOpBuilder &builder, const Accesses &accesses);

  tir::BlockOp block;
  Block &body;
  Accesses reads, writes;
  llvm::DenseMap<Value, bool> known;
  /// The ops that compute indices.
  llvm::DenseSet<Operation *> hoisted;
};
} // namespace

/// Whether a value depends on the iterators alone.
bool BlockAccesses::isKnown(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return value.getParentBlock() == &body ||
           !block->isAncestor(value.getParentBlock()->getParentOp());
  if (!block->isProperAncestor(op))
    return true;
  if (op->getBlock() != &body || !isPure(op) || op->getNumRegions() != 0)
    return false;
  if (auto it = known.find(value); it != known.end())
    return it->second;
  bool isSo =
      llvm::all_of(op->getOperands(), [&](Value v) { return isKnown(v); });
  return known[value] = isSo;
}

void BlockAccesses::add(Accesses &accesses, Value buffer, ValueRange indices) {
  // Its own buffers are nothing to others.
  if (Operation *origin = buffer.getDefiningOp();
      origin && block->isAncestor(origin))
    return;
  std::optional<SmallVector<Value>> own(llvm::to_vector(indices));
  if (!llvm::all_of(indices, [&](Value index) { return isKnown(index); }))
    own.reset();
  auto [it, isNew] = accesses.try_emplace(buffer, own);
  if (!isNew && it->second != own)
    it->second.reset();
}

/// Moves what computes the indices to the start of the block.
void BlockAccesses::hoistIndices() {
  SmallVector<Value> worklist;
  for (Accesses *accesses : {&reads, &writes})
    for (auto &[buffer, indices] : *accesses)
      if (indices)
        llvm::append_range(worklist, *indices);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (op && op->getBlock() == &body && hoisted.insert(op).second)
      llvm::append_range(worklist, op->getOperands());
  }
  Operation *last = nullptr;
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (!hoisted.contains(&op))
      continue;
    if (last)
      op.moveAfter(last);
    else
      op.moveBefore(&body, body.begin());
    last = &op;
  }
}

template <typename OpT>
void BlockAccesses::declare(ImplicitLocOpBuilder &builder,
                            const Accesses &accesses) {
  for (auto &[buffer, indices] : accesses) {
    int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
    SmallVector<Value> mins, extents;
    if (indices) {
      mins = *indices;
      for (Value &min : mins)
        if (auto cast = min.getDefiningOp<arith::IndexCastOp>())
          min = cast.getIn();
      extents.assign(rank, arith::ConstantIntOp::create(builder, 1, 64));
    } else {
      mins.assign(rank, arith::ConstantIntOp::create(builder, 0, 64));
      extents = getShape(builder, buffer);
    }
    OpT::create(builder, buffer, mins, extents);
  }
}

void BlockAccesses::declare() {
  bool hasInit = false;
  body.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<tir::InitOp>(op)) {
      hasInit = true;
      return WalkResult::skip();
    }
    if (auto load = dyn_cast<memref::LoadOp>(op))
      add(reads, load.getMemRef(), load.getIndices());
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      add(writes, store.getMemRef(), store.getIndices());
    return WalkResult::advance();
  });
  // The sums so far are no input of a reduction.
  if (hasInit)
    for (auto &[buffer, indices] : writes)
      reads.erase(buffer);
  hoistIndices();
  ImplicitLocOpBuilder builder(block.getLoc(), block.getContext());
  builder.setInsertionPointToStart(&body);
  for (Operation &op : body)
    if (hoisted.contains(&op))
      builder.setInsertionPointAfter(&op);
  declare<tir::ReadsOp>(builder, reads);
  declare<tir::WritesOp>(builder, writes);
}

/// TVM's schedules find blocks by name: two with one name can't be told apart.
static void makeNamesUnique(tir::PrimFuncOp func) {
  llvm::StringSet<> names;
  llvm::StringMap<unsigned> counts;
  func.walk<WalkOrder::PreOrder>([&](tir::BlockOp block) {
    std::string name = block.getBlockName().str();
    unsigned &count = counts[name];
    while (!names.insert(name).second)
      name = (block.getBlockName() + "_" + Twine(++count)).str();
    block.setBlockName(name);
  });
}

/// Fails with an error at a value that has accesses, but is no buffer in TVM.
static LogicalResult checkBuffers(tir::PrimFuncOp func) {
  WalkResult result = func.walk([&](Operation *op) {
    Value buffer;
    if (auto load = dyn_cast<memref::LoadOp>(op))
      buffer = load.getMemRef();
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      buffer = store.getMemRef();
    Operation *origin = buffer ? buffer.getDefiningOp() : nullptr;
    if (buffer && !origin)
      origin = buffer.getParentBlock()->getParentOp();
    if (!origin || origin == func || isa<tir::BlockBufferOp>(origin))
      return WalkResult::advance();
    origin->emitOpError("can't become part of a block: expected ")
        << (isa<ViewLikeOpInterface>(origin)
                ? "a view that indices express"
                : "buffers that are parameters or allocated");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult partita::completeBlocks(tir::PrimFuncOp func) {
  lowerSizes(func);
  Block &entry = func.getBody().front();
  ImplicitLocOpBuilder builder(func.getLoc(), entry.getTerminator());
  tir::BlockOp root = createBlock(builder, "root");
  Block &body = root.getBody().front();
  // Sizes and constants stay outside.
  auto isMoved = [&](Value value) { return value.getParentBlock() == &body; };
  for (Operation &op : llvm::make_early_inc_range(entry)) {
    bool stays = isa<tir::VarOp, tir::BufferDeclOp>(op) ||
                 (isPure(&op) && op.getNumRegions() == 0 &&
                  llvm::none_of(op.getOperands(), isMoved));
    if (!stays && &op != root && &op != entry.getTerminator())
      op.moveBefore(body.getTerminator());
  }
  func->setAttr("s_tir", builder.getBoolAttr(true));
  allocateIn(body);
  wrapEffects(body, func.getSymName());
  makeNamesUnique(func);
  if (failed(checkBuffers(func)))
    return failure();
  func.walk([&](tir::BlockOp block) {
    // A block of TVM's says it already.
    if (block != root && block.getBody().getOps<tir::ReadsOp>().empty() &&
        block.getBody().getOps<tir::WritesOp>().empty())
      BlockAccesses(block).declare();
  });
  return success();
}
