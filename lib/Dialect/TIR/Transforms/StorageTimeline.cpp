//===- StorageTimeline.cpp - When memory is used --------------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"
#include "StoragePlan.h"
#include "Utils.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace partita;
using namespace partita::tir;

/// The most bits of an allocation that count as a constant.
static constexpr int64_t maxBits = int64_t(1) << 56;
/// The most ops that compute the sizes of an allocation that moves.
static constexpr size_t maxSizeOps = 64;

int64_t tir::getElementBits(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    int64_t bits = 0;
    if (vector.isScalable() ||
        llvm::MulOverflow(getElementBits(vector.getElementType()),
                          vector.getNumElements(), bits))
      return 0;
    return bits;
  }
  // TVM stores a bool in a byte.
  if (type.isInteger(1))
    return 8;
  if (isa<HandleType, PtrType>(type))
    return 64;
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
}

/// Whether `op` can run earlier, with its operands.
static bool isMovable(Operation *op) {
  return isa<VarOp>(op) || (isPure(op) && op->getNumRegions() == 0);
}

namespace {
class TimelineBuilder {
public:
  explicit TimelineBuilder(StorageTimeline &timeline) : timeline(timeline) {}

  LogicalResult visitBlock(Block &block);
  void finish();

private:
  LogicalResult visitOp(Operation *op);
  LogicalResult visitRegions(Operation *op);
  LogicalResult visitScope(Operation *op);
  void addAllocation(AllocBufferOp op);
  bool describe(Allocation &allocation);
  bool addUses(Allocation &allocation);
  bool addUse(Allocation &allocation, OpOperand &use,
              SmallVectorImpl<Value> &aliases);
  bool canHoistOperands(Operation *op);
  void addAccesses(Operation *op);
  void addInnerAccesses(Operation *op);
  void addStatement(Operation *op);
  void rejectInPlace();

  StorageTimeline &timeline;
  /// Allocations by buffers and addresses in their memory.
  llvm::DenseMap<Value, Allocation *> allocationOf;
  /// Values that depend on a load.
  llvm::DenseSet<Value> loaded;
  /// What the events touch, by their numbers.
  std::vector<SmallVector<Allocation *>> touched;
  /// The events of the scopes around the op that is visited, and accesses in
  /// the statement that is visited.
  SmallVector<size_t> scopes;
  SmallVector<Allocation *> pending;
  int64_t numAccesses = 0, firstPending = 0;
  /// Whether an index in the statement depends on a load.
  bool hasIndirect = false;
  Operation *attach = nullptr;
  bool isInThreads = false;
};
} // namespace

/// Whether `op` only says something of its operand, or gives it another name.
static bool isNaming(Operation *op) {
  return isDataCall(op) || isa<DeclBufferOp, AttrOp, AttrNodeOp>(op);
}

static bool isPointer(Type type) {
  return isa<BaseMemRefType, HandleType, PtrType>(type);
}

static bool isVolatile(AllocBufferOp op) {
  DictionaryAttr annotations = op.getAnnotationsAttr();
  return annotations && annotations.contains(volatileName);
}

/// Whether a loop's iterations run at the same time.
static bool isParallel(Operation *op) {
  StringRef kind = getLoopKind(op);
  return kind == "parallel" || kind == "thread_binding";
}

/// Whether the ops that compute the operands of `op` can go to the beginning of
/// the body of `attach`.
bool TimelineBuilder::canHoistOperands(Operation *op) {
  llvm::SmallSetVector<Operation *, 4> ops;
  ops.insert(op);
  for (size_t i = 0; i != ops.size(); ++i)
    for (Value operand : ops[i]->getOperands()) {
      Operation *parent = operand.getParentRegion()->getParentOp();
      if (attach && !attach->isAncestor(parent))
        continue;
      Operation *def = operand.getDefiningOp();
      if (!def && (parent == attach || isa<PrimFuncOp>(parent)))
        continue;
      if (!def || !isMovable(def) || ops.size() == maxSizeOps)
        return false;
      ops.insert(def);
    }
  return true;
}

/// Finds the size of an allocation; fails if it must stay where it is.
bool TimelineBuilder::describe(Allocation &allocation) {
  AllocBufferOp op = allocation.op;
  auto type = dyn_cast<MemRefType>(op.getType());
  allocation.type = type;
  if (!type ||
      (type.getMemorySpace() && !isa<StringAttr>(type.getMemorySpace())) ||
      !canHoistOperands(op))
    return false;
  allocation.scope = getStorageScope(type);
  Type element = type.getElementType();
  auto vector = dyn_cast<VectorType>(element);
  allocation.element = vector ? vector.getElementType() : element;
  allocation.elementBits = getElementBits(element);
  allocation.isPlain =
      type.getRank() == 1 && allocation.elementBits != 0 &&
      type.getLayout().isIdentity() && op.getStrides().empty() &&
      op.getAllocatedAddr().empty() &&
      (!op.getElemOffset() || getConstant(op.getElemOffset()) == 0) &&
      llvm::all_of(op.getShape(),
                   [](Value size) { return isIndexInteger(size.getType()); });
  allocation.isVolatile = isVolatile(op);
  int64_t bits = allocation.elementBits;
  for (int64_t size : type.getShape())
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(bits, size, bits) ||
        bits > maxBits)
      bits = 0;
  allocation.bits = bits;
  return true;
}

/// Adds a use of the memory; fails if it could go anywhere from there.
bool TimelineBuilder::addUse(Allocation &allocation, OpOperand &use,
                             SmallVectorImpl<Value> &aliases) {
  Operation *user = use.getOwner();
  if (auto view = dyn_cast<DeclBufferOp>(user)) {
    if (use.getOperandNumber() != 0)
      return false;
    allocation.views.push_back(view);
    aliases.push_back(view.getResult());
    return true;
  }
  if (user->getNumRegions() != 0)
    return isa<AttrOp>(user);
  if (user->hasTrait<OpTrait::IsTerminator>())
    return false;
  if (isDataCall(user))
    allocation.addresses.push_back(cast<CallIntrinOp>(user));
  for (Value result : user->getResults())
    if (isPointer(result.getType()) && !isa<memref::LoadOp, LoadOp>(user))
      aliases.push_back(result);
  // A load stands for its element in a call for the address.
  if (isa<memref::LoadOp, LoadOp>(user))
    for (Operation *other : user->getUsers())
      if (auto call = dyn_cast<CallIntrinOp>(other);
          call && call.getIntrinsic() == "tirx.address_of")
        aliases.push_back(call.getResult());
  return true;
}

/// Finds what uses the memory; fails if a use could be anywhere.
bool TimelineBuilder::addUses(Allocation &allocation) {
  SmallVector<Value> aliases = {allocation.buffer};
  llvm::SmallDenseSet<Value> seen;
  bool isKnown = true;
  while (!aliases.empty() && isKnown) {
    Value alias = aliases.pop_back_val();
    if (!alias || !seen.insert(alias).second)
      continue;
    // One op can have the memory of two allocations.
    isKnown = allocationOf.try_emplace(alias, &allocation).second;
    for (OpOperand &use : alias.getUses())
      isKnown = isKnown && addUse(allocation, use, aliases);
  }
  if (!isKnown)
    for (Value alias : seen)
      if (auto it = allocationOf.find(alias);
          it != allocationOf.end() && it->second == &allocation)
        allocationOf.erase(it);
  return isKnown;
}

void TimelineBuilder::addAllocation(AllocBufferOp op) {
  Allocation &allocation = timeline.allocations.emplace_back();
  allocation.op = op;
  allocation.buffer = op.getResult();
  allocation.level = scopes.size();
  allocation.attach = attach;
  if (!describe(allocation) || !addUses(allocation))
    timeline.allocations.pop_back();
}

/// Whether `operand` is an index of an access.
static bool isIndex(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<memref::LoadOp, LoadOp>(op))
    return operand.getOperandNumber() >= 1;
  return isa<memref::StoreOp, StoreOp>(op) && operand.getOperandNumber() >= 2;
}

void TimelineBuilder::addAccesses(Operation *op) {
  if (allocationOf.empty())
    return;
  bool isLoaded = isa<memref::LoadOp, LoadOp>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (loaded.contains(operand.get())) {
      isLoaded = true;
      hasIndirect |= isIndex(operand);
    }
    Allocation *allocation = allocationOf.lookup(operand.get());
    if (!allocation || isNaming(op))
      continue;
    allocation->accesses.emplace_back(numAccesses++, &operand);
    pending.push_back(allocation);
  }
  if (isLoaded)
    loaded.insert_range(op->getResults());
}

/// Forbids that a scope around here computes in place.
void TimelineBuilder::rejectInPlace() {
  for (size_t scope : llvm::reverse(scopes)) {
    if (timeline.events[scope].rejectsInPlace)
      return;
    timeline.events[scope].rejectsInPlace = true;
  }
}

/// Adds the accesses in the regions of `op`, which is an expression or is not
/// known.
void TimelineBuilder::addInnerAccesses(Operation *op) {
  if (op->getNumRegions() == 0)
    return;
  bool isLoaded = llvm::any_of(op->getOperands(), [&](Value operand) {
    return loaded.contains(operand);
  });
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (inner == op)
      return;
    addAccesses(inner);
    isLoaded |= isa<memref::LoadOp, LoadOp>(inner);
  });
  if (isLoaded)
    loaded.insert_range(op->getResults());
}

/// Adds `op` as a statement, with the pending accesses.
void TimelineBuilder::addStatement(Operation *op) {
  StorageEvent event{op};
  event.first = firstPending;
  event.last = numAccesses;
  event.rejectsInPlace = hasIndirect || !isa<memref::StoreOp, StoreOp>(op);
  SmallVector<Allocation *> own;
  for (Allocation *allocation : pending)
    if (allocation->level == scopes.size())
      own.push_back(allocation);
    else
      touched[scopes[allocation->level]].push_back(allocation);
  if (std::exchange(hasIndirect, false))
    rejectInPlace();
  if (!own.empty()) {
    event.end = timeline.events.size();
    timeline.events.push_back(std::move(event));
    touched.push_back(std::move(own));
  }
  pending.clear();
  firstPending = numAccesses;
}

LogicalResult TimelineBuilder::visitRegions(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(visitBlock(block)))
        return failure();
  return success();
}

/// Visits a scope: its beginning and its end are events.
LogicalResult TimelineBuilder::visitScope(Operation *op) {
  if (getLoopKind(op) == "vectorized")
    return op->emitError("expected no loop that runs as vectors; run "
                         "tir.VectorizeLoop first");
  size_t begin = timeline.events.size();
  timeline.events.push_back({op});
  timeline.events[begin].first = firstPending;
  touched.emplace_back();
  scopes.push_back(begin);
  for (Allocation *allocation : pending)
    touched[scopes[allocation->level]].push_back(allocation);
  pending.clear();
  firstPending = numAccesses;
  auto attr = dyn_cast<AttrOp>(op);
  if (std::exchange(hasIndirect, false) ||
      (attr && attr.getKey() == "extern_scope"))
    rejectInPlace();
  if (failed(visitRegions(op)))
    return failure();
  scopes.pop_back();
  timeline.events[begin].last = numAccesses;
  timeline.events[begin].end = timeline.events.size();
  timeline.events.push_back({op});
  touched.push_back(std::move(touched[begin]));
  touched[begin].clear();
  return success();
}

/// Whether statements are in the regions of `op`, without values that it
/// carries.
static bool isScope(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return loop.getNumRegionIterArgs() == 0;
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return loop.getNumOperands() == 0 && loop.getNumResults() == 0;
  return isa<ForOp, scf::IfOp>(op) && op->getNumResults() == 0;
}

LogicalResult TimelineBuilder::visitOp(Operation *op) {
  if (auto alloc = dyn_cast<AllocBufferOp>(op)) {
    if (isVolatile(alloc))
      rejectInPlace();
    addAllocation(alloc);
    return success();
  }
  addAccesses(op);
  llvm::SaveAndRestore restoreAttach(attach);
  llvm::SaveAndRestore restoreThreads(isInThreads);
  if (auto attr = dyn_cast<AttrOp>(op)) {
    bool isThreads = attr.getKey() == "thread_extent" && !isInThreads,
         isVirtual = attr.getKey() == "virtual_thread";
    isInThreads |= isThreads;
    if (isThreads || isVirtual)
      attach = op;
    if (isThreads || isVirtual || attr.getKey() == "extern_scope")
      return visitScope(op);
    addStatement(op);
    return visitRegions(op);
  }
  if (isScope(op)) {
    if (isParallel(op))
      attach = op;
    return visitScope(op);
  }
  if (isa<BlockOp, InitOp>(op)) {
    addStatement(op);
    return visitRegions(op);
  }
  addInnerAccesses(op);
  // A value waits for the statement that uses it.
  bool isValue = op->getNumResults() != 0 && !isa<BindOp>(op) &&
                 (!op->use_empty() || isMemoryEffectFree(op));
  if (!isValue)
    addStatement(op);
  return success();
}

LogicalResult TimelineBuilder::visitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(visitOp(&op)))
      return failure();
  return success();
}

/// Finds the first and the last events of the allocations.
void TimelineBuilder::finish() {
  llvm::DenseSet<Allocation *> seen;
  std::vector<StorageEvent> &events = timeline.events;
  for (size_t i = events.size(); i-- != 0;)
    for (Allocation *allocation : touched[i])
      if (seen.insert(allocation).second)
        events[i].kill.push_back(allocation);
  seen.clear();
  for (StorageEvent &event : events) {
    if (!event.end)
      continue;
    for (Allocation *allocation : touched[*event.end])
      if (seen.insert(allocation).second)
        event.gen.push_back(allocation);
  }
}

LogicalResult tir::buildTimeline(PrimFuncOp func, StorageTimeline &timeline) {
  TimelineBuilder builder(timeline);
  if (failed(builder.visitBlock(func.getBody().front())))
    return failure();
  builder.finish();
  return success();
}
