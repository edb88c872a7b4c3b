//===- StaticPlanBlockMemory.cpp - Let tensors share storage --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Usage finds the last use of each tensor, and which tensors can't be planned.
// Planner then goes through the allocations in order, as a runtime would.
//
//===----------------------------------------------------------------------===//

#include "StoragePool.h"
#include "Utils.h"

#include "partita/Dialect/Partita/IR/PartitaOps.h"
#include "partita/Dialect/Relax/Transforms/Passes.h"
#include "partita/Dialect/TIR/IR/TIROps.h"

#include "llvm/Support/CheckedArithmetic.h"

namespace partita::relax {
#define GEN_PASS_DEF_STATICPLANBLOCKMEMORY
#include "partita/Dialect/Relax/Transforms/Passes.h.inc"
} // namespace partita::relax

using namespace mlir;
using namespace partita;
using namespace partita::relax;

namespace {
/// A tensor that `alloc` allocates.
struct Tensor {
  AllocTensorOp alloc;
  Dim bytes;
  /// The block of TVM's that allocates it.
  unsigned block = 0;
  bool isPlanned = true;
  Operation *lastUse = nullptr;
  Storage *storage = nullptr;
};

/// What a value holds: a tensor, or the fields of a tuple.
struct HeldTensors {
  Tensor *tensor = nullptr;
  SmallVector<HeldTensors *, 2> fields;
};

/// Finds what values hold, and where tensors are used last.
class Usage {
public:
  Usage(FuncOp func, const SizeBounds &bounds, const SymbolTable &symbols);

  Tensor *lookup(AllocTensorOp alloc) const { return tensors.lookup(alloc); }
  /// The tensors that end with `op`, in the order of the operands that hold
  /// them last.
  SmallVector<Tensor *> getEnding(Operation *op) const;
  std::deque<Tensor> &getAll() { return all; }

private:
  void visit(Region &region);
  void visit(Operation *op);
  void visitAlloc(AllocTensorOp alloc);
  void visitDataflow(DataflowOp op);
  HeldTensors *makeHeld() { return &allHeld.emplace_back(); }
  /// Calls `fn` with each tensor that a value holds; a tuple's from its last
  /// field on. Each of them is visited once.
  void forEachTensor(ValueRange values,
                     llvm::function_ref<void(Tensor &)> fn) const;
  void discard(ValueRange values) {
    forEachTensor(values, [](Tensor &tensor) { tensor.isPlanned = false; });
  }
  bool isKernel(Operation *op) const;

  const SizeBounds &bounds;
  const SymbolTable &symbols;
  std::deque<Tensor> all;
  std::deque<HeldTensors> allHeld;
  DenseMap<Operation *, Tensor *> tensors;
  DenseMap<Value, HeldTensors *> contents;
  unsigned block = 0, numBlocks = 0;
};
} // namespace

void Usage::forEachTensor(ValueRange values,
                          function_ref<void(Tensor &)> fn) const {
  SmallPtrSet<HeldTensors *, 8> visited;
  SmallVector<HeldTensors *> worklist;
  for (Value value : values)
    if (HeldTensors *held = contents.lookup(value))
      worklist.push_back(held);
  while (!worklist.empty()) {
    HeldTensors *held = worklist.pop_back_val();
    if (!visited.insert(held).second)
      continue;
    if (held->tensor)
      fn(*held->tensor);
    for (HeldTensors *field : held->fields)
      if (field)
        worklist.push_back(field);
  }
}

SmallVector<Tensor *> Usage::getEnding(Operation *op) const {
  SmallVector<Tensor *> ending;
  forEachTensor(op->getOperands(), [&](Tensor &tensor) {
    if (tensor.isPlanned && tensor.lastUse == op)
      ending.push_back(&tensor);
  });
  std::reverse(ending.begin(), ending.end());
  return ending;
}

/// The function that is called, if `op` calls a value.
static Value getCallee(Operation *op) {
  return isa<CallTIRDynOp, CallValueOp>(op) && op->getNumOperands() != 0
             ? op->getOperand(0)
             : Value();
}

/// Whether the result of `op` is the tensor that its first operand is.
static bool isSameTensor(Operation *op) {
  Value callee = getCallee(op);
  auto external = callee ? callee.getDefiningOp<ExternFuncOp>() : nullptr;
  if (external && external.getValue() == "vm.builtin.reshape")
    return op->getNumOperands() > 1;
  return isa<AliasOp, EnsureZeroOffsetOp, MatchCastOp, ReshapeOp, ViewOp>(op);
}

/// Whether `op` is a call that uses tensors only while it runs.
bool Usage::isKernel(Operation *op) const {
  Value callee = getCallee(op);
  if (!callee)
    return false;
  if (isa<CallTIRDynOp>(op) || callee.getDefiningOp<ExternFuncOp>())
    return true;
  auto global = callee.getDefiningOp<GlobalOp>();
  return global &&
         isa_and_nonnull<tir::PrimFuncOp>(symbols.lookup(global.getValue()));
}

void Usage::visitAlloc(AllocTensorOp alloc) {
  std::optional<TensorInfo> info = TensorInfo::get(alloc.getType());
  Type dtype = getAllocatedType(alloc);
  if (!dtype || !isShapeKnown(*info) ||
      !alloc.getStorageScope().getDefiningOp<StringOp>())
    return;
  // As in TVM, a number of bytes comes first.
  std::optional<int64_t> bytes = getElementBytes(dtype);
  SmallVector<Dim> symbolic;
  for (Dim dim : info->dims) {
    dim = bounds.getUpperBound(dim);
    if (!dim.isNumber())
      symbolic.push_back(dim);
    else if (bytes)
      bytes = llvm::checkedMul(*bytes, dim.getSize());
  }
  MLIRContext *context = alloc.getContext();
  Dim size = bytes && *bytes >= 0
                 ? writeOut("*", *bytes, writeOutProduct(1, symbolic, context),
                            context)
                 : Dim();
  if (size.isUnknown())
    return;
  Tensor &tensor = all.emplace_back();
  tensor.alloc = alloc;
  tensor.bytes = size;
  tensor.block = block;
  tensors[alloc] = &tensor;
  HeldTensors *held = contents[alloc.getResult()] = makeHeld();
  held->tensor = &tensor;
}

void Usage::visitDataflow(DataflowOp op) {
  block = ++numBlocks;
  visit(op.getBodyRegion());
  for (auto [result, output] :
       llvm::zip(op.getResults(), op.getBody()->getTerminator()->getOperands()))
    if (HeldTensors *held = contents.lookup(output))
      contents[result] = held;
  // What comes after a dataflow block is another block in TVM.
  block = ++numBlocks;
}

void Usage::visit(Operation *op) {
  if (auto alloc = dyn_cast<AllocTensorOp>(op))
    return visitAlloc(alloc);
  if (auto dataflow = dyn_cast<DataflowOp>(op))
    return visitDataflow(dataflow);
  if (isa<OutputOp>(op))
    return;
  if (isSameTensor(op)) {
    // The function is the first operand of a call.
    HeldTensors *held = contents.lookup(op->getOperand(getCallee(op) ? 1 : 0));
    if (held)
      contents[op->getResult(0)] = held;
  } else if (auto tuple = dyn_cast<TupleOp>(op)) {
    SmallVector<HeldTensors *, 2> fields;
    for (Value field : tuple.getFields())
      fields.push_back(contents.lookup(field));
    if (llvm::any_of(fields, [](HeldTensors *held) { return held; })) {
      HeldTensors *held = contents[tuple.getResult()] = makeHeld();
      held->fields = std::move(fields);
    }
  } else if (auto item = dyn_cast<TupleGetItemOp>(op)) {
    HeldTensors *held = contents.lookup(item.getTupleValue());
    if (held && uint64_t(item.getIndex()) < held->fields.size() &&
        held->fields[item.getIndex()])
      contents[item.getResult()] = held->fields[item.getIndex()];
  } else if (isKernel(op)) {
    forEachTensor(op->getOperands(), [&](Tensor &tensor) {
      tensor.isPlanned &= tensor.block == block;
      tensor.lastUse = op;
    });
  } else {
    discard(op->getOperands());
  }
  for (Region &region : op->getRegions()) {
    unsigned outer = block;
    block = ++numBlocks;
    visit(region);
    block = outer;
  }
}

void Usage::visit(Region &region) {
  for (Block &inner : region)
    for (Operation &op : inner)
      visit(&op);
}

Usage::Usage(FuncOp func, const SizeBounds &bounds, const SymbolTable &symbols)
    : bounds(bounds), symbols(symbols) {
  visit(func.getBody());
}

namespace {
/// Decides which tensors share storage, and rewrites the allocations.
class Planner {
public:
  Planner(FuncOp func, Usage &usage) : usage(usage) { visit(func.getBody()); }

  /// Rewrites planned allocations; returns how many.
  int64_t rewrite();
  int64_t getNumStorages() const { return storages.size(); }

private:
  void visit(Region &region);
  void visitAlloc(AllocTensorOp alloc);

  Usage &usage;
  StoragePool pool;
  std::deque<Storage> storages;
  /// Storage of the region that is visited.
  SmallVector<Storage *> own;
};
} // namespace

void Planner::visitAlloc(AllocTensorOp alloc) {
  Tensor *tensor = usage.lookup(alloc);
  if (!tensor || !tensor->isPlanned)
    return;
  StoragePool::Kind kind(
      alloc.getStorageScope().getDefiningOp<StringOp>().getValueAttr(),
      getAllocatedType(alloc));
  // Storage that nothing uses stays by itself: clean-up drops it.
  if (tensor->lastUse)
    tensor->storage = pool.take(kind, tensor->bytes);
  if (tensor->storage)
    return;
  tensor->storage = &storages.emplace_back();
  tensor->storage->kind = kind;
  tensor->storage->bytes = tensor->bytes;
  own.push_back(tensor->storage);
}

void Planner::visit(Region &region) {
  for (Block &block : region)
    for (Operation &op : block) {
      if (auto alloc = dyn_cast<AllocTensorOp>(op))
        visitAlloc(alloc);
      for (Tensor *tensor : usage.getEnding(&op))
        pool.release(tensor->storage);
      for (Region &inner : op.getRegions()) {
        SmallVector<Storage *> outer = std::exchange(own, {});
        // A function runs when it is called, not here.
        bool isFunction = isa<LocalFuncOp>(op);
        StoragePool outerPool =
            isFunction ? std::exchange(pool, {}) : StoragePool();
        visit(inner);
        // What the region has allocated is not known after it.
        for (Storage *storage : own)
          pool.drop(storage);
        own = std::move(outer);
        if (isFunction)
          pool = std::move(outerPool);
      }
    }
}

int64_t Planner::rewrite() {
  int64_t count = 0;
  for (Tensor &tensor : usage.getAll()) {
    if (!tensor.storage)
      continue;
    OpBuilder builder(tensor.alloc);
    if (!tensor.storage->value)
      tensor.storage->value =
          createStorage(builder, tensor.alloc, tensor.storage->bytes,
                        tensor.storage->kind.second);
    allocateIn(builder, tensor.alloc, tensor.storage->value);
    ++count;
  }
  return count;
}

/// Gives tensors of symbolic size storage of their own, which is as large as
/// they can be.
static void allocateDynamic(FuncOp func, const SizeBounds &bounds) {
  SmallVector<AllocTensorOp> allocs;
  func.walk([&](AllocTensorOp alloc) { allocs.push_back(alloc); });
  for (AllocTensorOp alloc : allocs) {
    std::optional<TensorInfo> info = TensorInfo::get(alloc.getType());
    Type dtype = getAllocatedType(alloc);
    if (!dtype || !isShapeKnown(*info) ||
        llvm::all_of(info->dims, [](Dim dim) { return dim.isNumber(); }))
      continue;
    SmallVector<Dim> factors;
    for (Dim dim : info->dims)
      factors.push_back(bounds.getUpperBound(dim));
    factors.push_back(*getElementBytes(dtype));
    Dim bytes = writeOutProduct(factors.front(), llvm::drop_begin(factors),
                                alloc.getContext());
    if (bytes.isUnknown())
      continue;
    OpBuilder builder(alloc);
    allocateIn(builder, alloc, createStorage(builder, alloc, bytes, dtype));
  }
}

namespace {
struct StaticPlanBlockMemory
    : relax::impl::StaticPlanBlockMemoryBase<StaticPlanBlockMemory> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    bool hasChanged = false;
    for (FuncOp func : getOperation().getOps<FuncOp>()) {
      if (func.isExternal() || partita::transform::skipsOptimization(func))
        continue;
      FailureOr<SizeBounds> bounds = SizeBounds::get(func);
      if (failed(bounds))
        return signalPassFailure();
      Usage usage(func, *bounds, symbols);
      Planner planner(func, usage);
      int64_t count = planner.rewrite();
      hasChanged |= count != 0;
      numTensors += count;
      numStorages += planner.getNumStorages();
      constexpr StringLiteral plansDynamic =
          "relax.memory_plan_dynamic_func_output";
      auto flag = func->getAttrOfType<IntegerAttr>(plansDynamic);
      if (!flag || flag.getValue().isZero())
        continue;
      allocateDynamic(func, *bounds);
      func->removeAttr(plansDynamic);
      hasChanged = true;
    }
    if (!hasChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
