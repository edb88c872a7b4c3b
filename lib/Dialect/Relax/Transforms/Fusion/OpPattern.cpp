//===- OpPattern.cpp - How a kernel accesses its buffers ------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are TVM's. Each block has one place that it writes; how the places
// that it reads follow from this place says what the block is. The kernel is
// the most complex of its blocks.
//
//===----------------------------------------------------------------------===//

#include "OpPattern.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// A load or a store of one element.
struct Access {
  Value buffer;
  SmallVector<Value> indices;
};

class OpPatternAnalyzer {
public:
  OpPattern run(tir::PrimFuncOp func) {
    visit(func.getBody());
    return pattern;
  }

private:
  void visit(Region &region);
  void visitBlock(tir::BlockOp block);
  /// How the block reads, if it is no reduction; nothing if it can be one.
  std::optional<OpPattern> getReadPattern() const;

  std::optional<Access> store;
  SmallVector<Access> loads;
  OpPattern pattern = OpPattern::ElemWise;
};
} // namespace

/// The index as TVM has it: without the conversion to MLIR's index type.
static Value stripIndexCast(Value value) {
  while (auto cast = value.getDefiningOp<arith::IndexCastOp>())
    value = cast.getIn();
  return value;
}

/// `value` without conversions between types of numbers.
static Value stripCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto prim = dyn_cast<tir::PrimOp>(op);
    if (!isa<CastOpInterface>(op) && !(prim && prim.getKind() == "Cast"))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The element that `op` loads or stores.
static std::optional<Access> getAccess(Operation *op) {
  auto get = [](Value buffer, ValueRange indices) {
    Access access{buffer, {}};
    for (Value index : indices)
      access.indices.push_back(stripIndexCast(index));
    return access;
  };
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return get(load.getMemRef(), load.getIndices());
  if (auto load = dyn_cast<tir::LoadOp>(op))
    return get(load.getBuffer(), load.getIndices());
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return get(store.getMemRef(), store.getIndices());
  if (auto store = dyn_cast<tir::StoreOp>(op))
    return get(store.getBuffer(), store.getIndices());
  return std::nullopt;
}

static bool isStore(Operation *op) {
  return isa<memref::StoreOp, tir::StoreOp>(op);
}

/// The variables that `value` is computed from: values that no op computes, or
/// that an op without operands gives a name. As in TVM, a buffer that an index
/// is loaded from is one: take and gather are opaque.
static SetVector<Value> getVariables(Value value) {
  SetVector<Value> variables, seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    Operation *op = seen[i].getDefiningOp();
    if (!op || isa<tir::VarOp>(op)) {
      variables.insert(seen[i]);
      continue;
    }
    seen.insert(op->operand_begin(), op->operand_end());
  }
  return variables;
}

static bool isVariable(Value value) {
  return !value.getDefiningOp() || value.getDefiningOp<tir::VarOp>();
}

/// Whether all indices of the load are indices of the store, in their order.
static bool isBroadcast(const Access &store, const Access &load) {
  auto shape = cast<MemRefType>(load.buffer.getType()).getShape();
  size_t next = 0;
  for (auto [size, index] : llvm::zip_equal(shape, load.indices)) {
    if (size == 1 && matchPattern(index, m_Zero()))
      continue;
    while (next < store.indices.size() && store.indices[next] != index)
      ++next;
    if (next == store.indices.size())
      return false;
  }
  return true;
}

/// Whether the store's indices are variables, and the load's follow from them.
static bool isInjective(const Access &store, const Access &load) {
  if (!llvm::all_of(store.indices, isVariable))
    return false;
  return llvm::all_of(load.indices, [&](Value index) {
    return llvm::all_of(getVariables(index), [&](Value variable) {
      return llvm::is_contained(store.indices, variable);
    });
  });
}

std::optional<OpPattern> OpPatternAnalyzer::getReadPattern() const {
  OpPattern result = OpPattern::ElemWise;
  bool isElementwise = false;
  for (const Access &load : loads) {
    if (load.indices == store->indices)
      isElementwise = true;
    else if (isBroadcast(*store, load))
      result = std::max(result, OpPattern::Broadcast);
    else if (isInjective(*store, load))
      result = OpPattern::Injective;
    else
      return std::nullopt;
  }
  // A[i, j] = B[i, j] + C[i] is elementwise, too.
  if (result == OpPattern::Broadcast && isElementwise)
    result = OpPattern::ElemWise;
  return result;
}

/// Whether the value is read several times: some index of the store is no part
/// of the load's indices.
static bool allowsReuse(const Access &store, const Access &load) {
  if (!llvm::all_of(store.indices, isVariable))
    return false;
  SetVector<Value> used;
  for (Value index : load.indices)
    used.insert_range(getVariables(index));
  return llvm::any_of(store.indices,
                      [&](Value index) { return !used.contains(index); });
}

/// Whether the block is one statement, C[i, j] += A[i, k] * B[k, j].
static bool isMultiplyAdd(tir::BlockOp block, const Access &store) {
  Operation *statement = nullptr;
  for (Operation &op : block.getBody().front()) {
    if (isa<tir::InitOp>(op))
      continue;
    if (isStore(&op) && !statement)
      statement = &op;
    else if (isStore(&op) || op.getNumRegions())
      return false;
  }
  if (!statement)
    return false;
  auto isOp = [](Operation *op, StringRef kind) {
    auto prim = dyn_cast_or_null<tir::PrimOp>(op);
    if (prim && prim.getNumOperands() == 2)
      return prim.getKind() == kind;
    return kind == "Add" ? isa_and_nonnull<arith::AddFOp, arith::AddIOp>(op)
                         : isa_and_nonnull<arith::MulFOp, arith::MulIOp>(op);
  };
  Operation *add = stripCasts(statement->getOperand(0)).getDefiningOp();
  if (!isOp(add, "Add"))
    return false;
  Operation *multiply = stripCasts(add->getOperand(1)).getDefiningOp();
  if (!isOp(multiply, "Mul"))
    return false;
  auto getLoad = [](Value value) -> std::optional<Access> {
    Operation *op = stripCasts(value).getDefiningOp();
    return op ? getAccess(op) : std::nullopt;
  };
  std::optional<Access> sum = getLoad(add->getOperand(0)),
                        lhs = getLoad(multiply->getOperand(0)),
                        rhs = getLoad(multiply->getOperand(1));
  return sum && lhs && rhs && sum->buffer == store.buffer &&
         sum->indices == store.indices && allowsReuse(store, *lhs) &&
         allowsReuse(store, *rhs);
}

/// Whether each index that depends on an iterator of a reduction is this
/// iterator: not so in pooling.
static bool isPureReduction(ArrayRef<Value> iterators, const Access &load) {
  return llvm::all_of(load.indices, [&](Value index) {
    return isVariable(index) ||
           llvm::none_of(getVariables(index), [&](Value variable) {
             return llvm::is_contained(iterators, variable);
           });
  });
}

void OpPatternAnalyzer::visit(Region &region) {
  for (Block &block : region)
    for (Operation &op : block) {
      if (auto inner = dyn_cast<tir::BlockOp>(op)) {
        if (inner.getBlockName() == "root")
          visit(inner.getBody());
        else
          visitBlock(inner);
        continue;
      }
      // TVM does not look into the start of a reduction.
      if (isa<tir::InitOp>(op))
        continue;
      if (std::optional<Access> access = getAccess(&op)) {
        if (!isStore(&op)) {
          loads.push_back(*access);
        } else if (store && store->indices != access->indices) {
          pattern = OpPattern::Opaque;
        } else {
          store = access;
        }
      }
      for (Region &nested : op.getRegions())
        visit(nested);
    }
}

void OpPatternAnalyzer::visitBlock(tir::BlockOp block) {
  loads.clear();
  store.reset();
  visit(block.getBody());
  if (!store) {
    pattern = OpPattern::Opaque;
    return;
  }
  if (std::optional<OpPattern> read = getReadPattern()) {
    bool isOutput =
        llvm::any_of(block.getBody().getOps<tir::WritesOp>(), [](auto writes) {
          auto argument = dyn_cast<BlockArgument>(writes.getBuffer());
          return argument &&
                 isa<tir::PrimFuncOp>(argument.getOwner()->getParentOp());
        });
    // As in softmax.
    pattern = isOutput && pattern == OpPattern::CommReduce
                  ? OpPattern::OutEWiseFusable
                  : std::max(pattern, *read);
    return;
  }
  SmallVector<Value> iterators;
  for (auto [kind, argument] :
       llvm::zip_equal(block.getKinds().getAsValueRange<StringAttr>(),
                       block.getBody().getArguments()))
    if (kind == "reduce")
      iterators.push_back(argument);
  if (iterators.empty()) {
    pattern = OpPattern::Opaque;
    return;
  }
  bool isPure = llvm::all_of(loads, [&](const Access &load) {
    return isPureReduction(iterators, load);
  });
  pattern = std::max(pattern, isMultiplyAdd(block, *store) || !isPure
                                  ? OpPattern::OutEWiseFusable
                                  : OpPattern::CommReduce);
}

OpPattern relax::analyzeOpPattern(tir::PrimFuncOp func) {
  return OpPatternAnalyzer().run(func);
}
