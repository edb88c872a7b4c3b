//===- PrimFuncTranslator.cpp - Make code of prim_funcs -------------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements and buffers; PrimFuncExpressions.cpp has expressions.
//
//===----------------------------------------------------------------------===//

#include "PrimFuncTranslator.h"

#include "partita/Dialect/TIR/IR/TIRLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace partita;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

static bool jump(Machine &machine, const Instruction &it) {
  machine.next = it.result;
  return true;
}

static bool jumpUnless(Machine &machine, const Instruction &it) {
  if (!machine.get<bool>(it.args[0]))
    machine.next = it.result;
  return true;
}

static bool require(Machine &machine, const Instruction &it) {
  return machine.get<bool>(it.args[0]);
}

/// Sets the shape of `view` to the sizes in a list, in row-major order, and
/// `count` to how many elements it has.
static bool setShape(const Machine &machine, View &view,
                     ArrayRef<uint32_t> sizes, int64_t &count) {
  std::optional<int64_t> product = 1;
  view.sizes.clear();
  for (uint32_t slot : sizes) {
    int64_t size = machine.slots[slot].integer;
    if (size < 0)
      return false;
    product = product ? llvm::checkedMul(*product, size) : product;
    view.sizes.push_back(size);
  }
  if (!product)
    return false;
  count = *product;
  view.strides = getStrides(view.sizes);
  return true;
}

static ArrayRef<uint32_t> getList(const Machine &machine, uint32_t position,
                                  size_t size) {
  return ArrayRef(machine.lists).slice(position, size);
}

/// Gives the view `result` memory of its own, for elements of `extra` bytes.
static bool allocate(Machine &machine, const Instruction &it) {
  View &view = machine.views[it.result];
  int64_t count = 0;
  if (!setShape(machine, view, getList(machine, it.args[0], it.args[1]), count))
    return false;
  std::optional<int64_t> size = llvm::checkedMul(count, it.extra);
  if (!size || *size > machine.maxBytes) {
    machine.stepsLeft = 0;
    return false;
  }
  // The number of steps that clearing it counts for.
  machine.stepsLeft -= *size / 64;
  auto memory = std::make_shared<Memory>();
  memory->owned = std::make_unique<uint64_t[]>(*size / sizeof(uint64_t) + 1);
  memory->bytes = reinterpret_cast<char *>(memory->owned.get());
  memory->isWritable = true;
  memory->isUnwritten.assign(count, true);
  memory->numElements = count;
  view.memory = std::move(memory);
  view.offset = 0;
  return true;
}

/// Makes the view `result` show the memory of a view from its start.
static bool declare(Machine &machine, const Instruction &it) {
  View view;
  int64_t count = 0;
  view.memory = machine.views[it.args[0]].memory;
  if (!view.memory ||
      !setShape(machine, view, getList(machine, it.args[1], it.args[2]), count))
    return false;
  if (count > view.memory->numElements)
    return false;
  machine.views[it.result] = std::move(view);
  return true;
}

/// Makes the view `result`, of rank `extra`, show a part of a view, by its
/// minima, which are followed by its sizes.
static bool match(Machine &machine, const Instruction &it) {
  View source = machine.views[it.args[0]];
  size_t rank = source.sizes.size(), leading = rank - it.extra;
  ArrayRef<uint32_t> ranges = getList(machine, it.args[1], 2 * rank);
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t min = machine.slots[ranges[dim]].integer,
            extent = machine.slots[ranges[rank + dim]].integer;
    if (min < 0 || extent < 0 || min > source.sizes[dim] ||
        extent > source.sizes[dim] - min || (dim < leading && extent != 1))
      return false;
    source.offset += min * source.strides[dim];
    source.sizes[dim] = extent;
  }
  source.sizes.erase(source.sizes.begin(), source.sizes.begin() + leading);
  source.strides.erase(source.strides.begin(),
                       source.strides.begin() + leading);
  machine.views[it.result] = std::move(source);
  return true;
}

static bool readSize(Machine &machine, const Instruction &it) {
  machine.slots[it.result].integer = machine.views[it.args[0]].sizes[it.extra];
  return true;
}

/// A splat has none: its elements are one.
static bool readStride(Machine &machine, const Instruction &it) {
  int64_t stride = machine.views[it.args[0]].strides[it.extra];
  machine.slots[it.result].integer = stride;
  return stride != 0;
}

static bool readOffset(Machine &machine, const Instruction &it) {
  machine.slots[it.result].integer = machine.views[it.args[0]].offset;
  return true;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

bool PrimFuncTranslator::bind(unsigned number, ShapedType type,
                              std::shared_ptr<Memory> memory, bool isSplat) {
  Value parameter = func.getArgument(number);
  auto memref = dyn_cast<MemRefType>(parameter.getType());
  if (!memref) {
    Type scalar = getType(parameter);
    if (!scalar.isIntOrFloat() || scalar != type.getElementType() ||
        type.getNumElements() != 1)
      return false;
    Action load = getLoad(scalar);
    if (!load)
      return false;
    uint32_t view = machine.views.size();
    machine.views.emplace_back().memory = std::move(memory);
    emit(load, addSlot(parameter), {view});
    return true;
  }
  if (memref.getElementType() != type.getElementType() ||
      memref.getRank() != type.getRank())
    return false;
  for (auto [formal, actual] : llvm::zip(memref.getShape(), type.getShape()))
    if (ShapedType::isStatic(formal) && formal != actual)
      return false;
  // TVM passes tensors in one piece, from their start.
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!memref.getLayout().isIdentity() &&
      (failed(memref.getStridesAndOffset(strides, offset)) ||
       (ShapedType::isStatic(offset) && offset != 0)))
    return false;
  for (auto [formal, actual] : llvm::zip(strides, getStrides(type.getShape())))
    if (ShapedType::isStatic(formal) && formal != actual)
      return false;
  View &view = machine.views[addView(parameter)];
  view.memory = std::move(memory);
  view.sizes.assign(type.getShape().begin(), type.getShape().end());
  if (isSplat)
    view.strides.assign(view.sizes.size(), 0);
  else
    view.strides = getStrides(type.getShape());
  return true;
}

bool PrimFuncTranslator::translate() {
  if (!func.getBody().hasOneBlock())
    return false;
  if (!bindVariables() || !translate(func.getBody().front()))
    return false;
  for (uint32_t instruction : returns)
    setTarget(instruction);
  return true;
}

/// Variables in the sizes and offsets of parameters get their values before any
/// expression of them is computed.
bool PrimFuncTranslator::bindVariables() {
  for (auto op : func.getBody().front().getOps<tir::BufferDeclOp>()) {
    uint32_t view = 0;
    if (!getView(op.getBuffer(), view) ||
        !agreeAll(op, view, /*onlyVariables=*/true))
      return false;
  }
  return true;
}

template <typename OpT>
bool PrimFuncTranslator::agreeAll(OpT op, uint32_t view, bool onlyVariables) {
  auto agreeOn = [&](Value value, Action action, int64_t dim) {
    return (onlyVariables && !value.getDefiningOp<tir::VarOp>()) ||
           agree(value, action, view, dim);
  };
  for (auto [dim, size] : llvm::enumerate(op.getShape()))
    if (!agreeOn(size, readSize, dim))
      return false;
  for (auto [dim, stride] : llvm::enumerate(op.getStrides()))
    if (!agreeOn(stride, readStride, dim))
      return false;
  return !op.getElemOffset() || agreeOn(op.getElemOffset(), readOffset, 0);
}

bool PrimFuncTranslator::translate(Block &block) {
  return llvm::all_of(block, [&](Operation &op) { return translate(&op); });
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Runs `body` with `variable` from `min` to `end`.
bool PrimFuncTranslator::translateLoop(Value variable, uint32_t min,
                                       uint32_t end, uint32_t step,
                                       llvm::function_ref<bool()> body,
                                       bool canJump) {
  Type type = getType(variable);
  uint32_t slot = addSlot(variable), condition = addSlot();
  Jumps own;
  llvm::SaveAndRestore restore(jumps, canJump ? &own : nullptr);
  // A step backwards or nowhere is none of TVM's.
  if (!compute("GT", type, {step, addNumber(0)}, condition))
    return false;
  emit(require, 0, {condition});
  emit(copySlot, slot, {min});
  uint32_t start = here();
  if (!compute("LT", type, {slot, end}, condition))
    return false;
  uint32_t exit = emit(jumpUnless, 0, {condition});
  if (!body())
    return false;
  for (uint32_t instruction : own.continues)
    setTarget(instruction);
  if (!compute("Add", type, {slot, step}, slot))
    return false;
  emit(jump, start);
  setTarget(exit);
  for (uint32_t instruction : own.breaks)
    setTarget(instruction);
  return true;
}

bool PrimFuncTranslator::translateFor(scf::ForOp op) {
  uint32_t min = 0, end = 0, step = 0;
  auto runBody = [&] {
    return translate(*op.getBody()) &&
           moveAll(op.getYieldedValues(), op.getRegionIterArgs());
  };
  return !op.getUnsignedCmp() && getSlot(op.getLowerBound(), min) &&
         getSlot(op.getUpperBound(), end) && getSlot(op.getStep(), step) &&
         moveAll(op.getInitArgs(), op.getRegionIterArgs()) &&
         translateLoop(op.getInductionVar(), min, end, step, runBody,
                       /*canJump=*/false) &&
         moveAll(op.getRegionIterArgs(), op.getResults());
}

bool PrimFuncTranslator::translateFor(tir::ForOp op) {
  // Code that threads of a device run is not compiled for the host.
  if (op.getKind() == "thread_binding")
    return false;
  Value variable = op.getBody().getArgument(0);
  Type type = getType(variable);
  uint32_t min = 0, extent = 0, step = 0, end = addSlot();
  if (getType(op.getMin()) != type || getType(op.getExtent()) != type ||
      !getSlot(op.getMin(), min) || !getSlot(op.getExtent(), extent) ||
      !compute("Add", type, {min, extent}, end))
    return false;
  if (!op.getStep())
    step = addNumber(1);
  else if (getType(op.getStep()) != type || !getSlot(op.getStep(), step))
    return false;
  return translateLoop(
      variable, min, end, step, [&] { return translate(op.getBody().front()); },
      /*canJump=*/true);
}

bool PrimFuncTranslator::translateParallel(scf::ParallelOp op, unsigned dim) {
  uint32_t min = 0, end = 0, step = 0;
  if (op.getNumResults() != 0)
    return false;
  if (dim == op.getNumLoops())
    return translate(*op.getBody());
  return getSlot(op.getLowerBound()[dim], min) &&
         getSlot(op.getUpperBound()[dim], end) &&
         getSlot(op.getStep()[dim], step) &&
         translateLoop(
             op.getInductionVars()[dim], min, end, step,
             [&] { return translateParallel(op, dim + 1); },
             /*canJump=*/false);
}

bool PrimFuncTranslator::translateWhile(scf::WhileOp op) {
  Jumps own;
  llvm::SaveAndRestore restore(jumps, &own);
  if (!moveAll(op.getInits(), op.getBeforeArguments()))
    return false;
  uint32_t start = here(), condition = 0;
  if (!translate(*op.getBeforeBody()) ||
      !getSlot(op.getConditionOp().getCondition(), condition))
    return false;
  if (!moveAll(op.getConditionOp().getArgs(), op.getAfterArguments()))
    return false;
  uint32_t exit = emit(jumpUnless, 0, {condition});
  if (!translate(*op.getAfterBody()) ||
      !moveAll(op.getYieldOp().getResults(), op.getBeforeArguments()))
    return false;
  // Loops that carry values are none of TVM's.
  if ((!own.breaks.empty() || !own.continues.empty()) &&
      (op.getNumResults() != 0 || op.getNumOperands() != 0))
    return false;
  for (uint32_t instruction : own.continues)
    setTarget(instruction);
  emit(jump, start);
  setTarget(exit);
  for (uint32_t instruction : own.breaks)
    setTarget(instruction);
  return moveAll(op.getAfterArguments(), op.getResults());
}

bool PrimFuncTranslator::translateIf(scf::IfOp op) {
  uint32_t condition = 0;
  if (!getSlot(op.getCondition(), condition))
    return false;
  uint32_t otherwise = emit(jumpUnless, 0, {condition});
  if (!translate(*op.thenBlock()) ||
      !moveAll(op.thenYield().getResults(), op.getResults()))
    return false;
  if (!op.elseBlock()) {
    setTarget(otherwise);
    return true;
  }
  uint32_t end = emit(jump);
  setTarget(otherwise);
  if (!translate(*op.elseBlock()) ||
      !moveAll(op.elseYield().getResults(), op.getResults()))
    return false;
  setTarget(end);
  return true;
}

bool PrimFuncTranslator::translateBlock(tir::BlockOp op) {
  uint32_t predicate = 0;
  Block &body = op.getBody().front();
  if (!getSlot(op.getPredicate(), predicate))
    return false;
  for (auto [binding, argument] :
       llvm::zip_equal(op.getBindings(), body.getArguments()))
    if (binding.getType() != argument.getType())
      return false;
  uint32_t exit = emit(jumpUnless, 0, {predicate});
  for (auto [binding, argument] :
       llvm::zip_equal(op.getBindings(), body.getArguments()))
    if (!moveAll(binding, argument))
      return false;
  if (!translate(body))
    return false;
  setTarget(exit);
  return true;
}

/// Runs where each iterator of a reduction is at its minimum.
bool PrimFuncTranslator::translateInit(tir::InitOp op) {
  auto block = cast<tir::BlockOp>(op->getParentOp());
  SmallVector<uint32_t> exits;
  for (auto [kind, argument, min] :
       llvm::zip_equal(block.getKinds().getAsValueRange<StringAttr>(),
                       block.getBody().getArguments(), block.getMins())) {
    if (kind != "reduce")
      continue;
    uint32_t value = 0, first = 0, condition = addSlot();
    if (getType(argument) != getType(min) || !getSlot(argument, value) ||
        !getSlot(min, first) ||
        !compute("EQ", getType(argument), {value, first}, condition))
      return false;
    exits.push_back(emit(jumpUnless, 0, {condition}));
  }
  if (!translate(op.getBody().front()))
    return false;
  for (uint32_t instruction : exits)
    setTarget(instruction);
  return true;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static Type getElementType(MemRefType type) {
  Type element = type.getElementType();
  return element.isIndex() ? IntegerType::get(type.getContext(), 64) : element;
}

bool PrimFuncTranslator::translateAccess(Value buffer, ValueRange indices,
                                         Value value, bool isLoad) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  uint32_t view = 0, slot = 0;
  SmallVector<uint32_t> list;
  if (!type || type.getRank() != static_cast<int64_t>(indices.size()) ||
      type.getElementType() != value.getType() || !getView(buffer, view) ||
      !getIndices(indices, list))
    return false;
  Type element = getElementType(type);
  Action action = isLoad ? getLoad(element) : getStore(element);
  if (!action || (!isLoad && !getSlot(value, slot)))
    return false;
  emit(action, isLoad ? addSlot(value) : slot, {view, addList(list)});
  return true;
}

/// The sizes of a buffer in row-major order: those that its type gives, and
/// `given`, if there are any, or else `dynamic` for those that it does not.
bool PrimFuncTranslator::getSizes(MemRefType type, ValueRange given,
                                  ValueRange dynamic,
                                  SmallVectorImpl<uint32_t> &sizes) {
  if (!type.getLayout().isIdentity())
    return false;
  if (!given.empty())
    return static_cast<int64_t>(given.size()) == type.getRank() &&
           getIndices(given, sizes);
  for (int64_t size : type.getShape()) {
    if (ShapedType::isStatic(size)) {
      sizes.push_back(addNumber(size));
      continue;
    }
    if (dynamic.empty() || !getIndex(dynamic.front(), sizes.emplace_back()))
      return false;
    dynamic = dynamic.drop_front();
  }
  return true;
}

bool PrimFuncTranslator::translateAlloc(Value result, ValueRange given,
                                        ValueRange dynamic) {
  auto type = cast<MemRefType>(result.getType());
  SmallVector<uint32_t> sizes;
  int64_t elementSize = 0;
  dispatchElement(getElementType(type), [&](auto *of) {
    elementSize = sizeof(*of);
    return true;
  });
  if (elementSize == 0 || !getSizes(type, given, dynamic, sizes))
    return false;
  emit(allocate, addView(result),
       {addList(sizes), static_cast<uint32_t>(sizes.size())}, elementSize);
  return true;
}

bool PrimFuncTranslator::translateDecl(tir::DeclBufferOp op) {
  Value data = op.getData();
  while (auto bind = data.getDefiningOp<tir::BindOp>())
    data = bind.getValue();
  if (auto call = data.getDefiningOp<tir::CallIntrinOp>();
      call && call.getIntrinsic() == "tirx.buffer_data" &&
      call.getArgs().size() == 1)
    data = call.getArgs()[0];
  auto from = dyn_cast<MemRefType>(data.getType());
  auto to = dyn_cast<MemRefType>(op.getResult().getType());
  uint32_t view = 0;
  SmallVector<uint32_t> sizes;
  if (!from || !to || from.getElementType() != to.getElementType() ||
      op.getElemOffset() || !op.getStrides().empty() ||
      !tir::isRowMajor(op.getLayoutAttr()) || !getView(data, view) ||
      !getSizes(to, op.getShape(), {}, sizes))
    return false;
  emit(declare, addView(op.getResult()),
       {view, addList(sizes), static_cast<uint32_t>(sizes.size())});
  return true;
}

bool PrimFuncTranslator::agree(Value value, Action action, uint32_t view,
                               int64_t dim) {
  if (!isa<IntegerType, IndexType>(value.getType()))
    return false;
  uint32_t actual = addSlot(), slot = 0, condition = addSlot();
  emit(action, actual, {view}, dim);
  if (value.getDefiningOp<tir::VarOp>() && !getSlot(value, slot)) {
    Action cast = getCast(index, getType(value));
    if (!cast)
      return false;
    emit(cast, addSlot(value), {actual});
    return true;
  }
  if (!getIndex(value, slot) ||
      !compute("EQ", index, {slot, actual}, condition))
    return false;
  emit(require, 0, {condition});
  return true;
}

bool PrimFuncTranslator::translateMatch(tir::MatchBufferOp op) {
  auto from = dyn_cast<MemRefType>(op.getSource().getType());
  auto to = dyn_cast<MemRefType>(op.getResult().getType());
  uint32_t view = 0;
  SmallVector<uint32_t> ranges;
  if (!from || !to || from.getElementType() != to.getElementType() ||
      to.getRank() > from.getRank() || !tir::isRowMajor(op.getLayoutAttr()) ||
      !getView(op.getSource(), view) || !getIndices(op.getMins(), ranges) ||
      !getIndices(op.getExtents(), ranges))
    return false;
  uint32_t result = addView(op.getResult());
  emit(match, result, {view, addList(ranges)}, to.getRank());
  for (auto [dim, size] : llvm::enumerate(to.getShape())) {
    if (ShapedType::isDynamic(size))
      continue;
    uint32_t actual = addSlot(), condition = addSlot();
    emit(readSize, actual, {result}, dim);
    if (!compute("EQ", index, {actual, addNumber(size)}, condition))
      return false;
    emit(require, 0, {condition});
  }
  return agreeAll(op, result);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

bool PrimFuncTranslator::translate(Operation *op) {
  // Skip indices that only the tir.reads and tir.writes of a block use.
  if (op->getNumResults() != 0 && isMemoryEffectFree(op) &&
      llvm::all_of(op->getUsers(), llvm::IsaPred<tir::ReadsOp, tir::WritesOp>))
    return true;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<tir::ReadsOp, tir::WritesOp, tir::VarOp, tir::StringOp,
            tir::EvaluateOp, tir::AttrNodeOp, memref::DeallocOp>(
          [](auto) { return true; })
      // Ops with regions see to the values that these hand over.
      .Case<tir::YieldOp, tir::ReturnOp, scf::YieldOp, scf::ConditionOp,
            scf::ReduceOp>([](auto) { return true; })
      .Case<arith::ConstantOp, tir::ConstantOp>([&](auto constant) {
        return translateConstant(constant, constant.getValue());
      })
      .Case([&](tir::BindOp bind) {
        // An address is looked up where it is used.
        return !bind.getType().isIntOrIndexOrFloat() ||
               moveAll(bind.getValue(), bind.getResult());
      })
      .Case([&](tir::LetOp let) {
        Block &body = let.getBody().front();
        return moveAll(let.getValue(), body.getArgument(0)) &&
               translate(body) &&
               moveAll(body.getTerminator()->getOperands(), let.getResult());
      })
      .Case([&](tir::PrimOp prim) { return translatePrim(prim); })
      .Case([&](tir::CallIntrinOp call) { return translateIntrin(call); })
      .Case([&](tir::AssertOp check) {
        uint32_t condition = 0;
        if (!getSlot(check.getCondition(), condition))
          return false;
        emit(require, 0, {condition});
        return true;
      })
      .Case([&](tir::RetOp ret) {
        // Another number is an error.
        if (!matchPattern(ret.getValue(), m_Zero()))
          return false;
        returns.push_back(emit(jump));
        return true;
      })
      .Case([&](tir::AttrOp attr) {
        // An argument is a thread of a device.
        return attr.getBody().getNumArguments() == 0 &&
               translate(attr.getBody().front());
      })
      .Case([&](tir::BreakOp) {
        if (jumps)
          jumps->breaks.push_back(emit(jump));
        return jumps != nullptr;
      })
      .Case([&](tir::ContinueOp) {
        if (jumps)
          jumps->continues.push_back(emit(jump));
        return jumps != nullptr;
      })
      .Case<scf::ForOp, tir::ForOp>(
          [&](auto loop) { return translateFor(loop); })
      .Case([&](scf::ParallelOp loop) { return translateParallel(loop, 0); })
      .Case([&](scf::WhileOp loop) { return translateWhile(loop); })
      .Case([&](scf::IfOp condition) { return translateIf(condition); })
      .Case([&](tir::BlockOp block) { return translateBlock(block); })
      .Case([&](tir::InitOp init) { return translateInit(init); })
      .Default([&](Operation *op) {
        if (isa_and_present<arith::ArithDialect, math::MathDialect>(
                op->getDialect()))
          return translateArith(op);
        return translateMemory(op);
      });
}

/// Loads, stores, and ops that make or describe buffers.
bool PrimFuncTranslator::translateMemory(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](memref::LoadOp load) {
        return translateAccess(load.getMemRef(), load.getIndices(), load,
                               /*isLoad=*/true);
      })
      .Case([&](memref::StoreOp store) {
        return translateAccess(store.getMemRef(), store.getIndices(),
                               store.getValueToStore(), /*isLoad=*/false);
      })
      .Case([&](tir::LoadOp load) {
        return translateAccess(load.getBuffer(), load.getIndices(), load,
                               /*isLoad=*/true);
      })
      .Case([&](tir::StoreOp store) {
        return translateAccess(store.getBuffer(), store.getIndices(),
                               store.getValue(), /*isLoad=*/false);
      })
      .Case<memref::AllocOp, memref::AllocaOp>([&](auto alloc) {
        return translateAlloc(alloc, {}, alloc.getDynamicSizes());
      })
      .Case<tir::AllocBufferOp, tir::BlockBufferOp>([&](auto alloc) {
        return !alloc.getElemOffset() && alloc.getStrides().empty() &&
               tir::isRowMajor(alloc.getLayoutAttr()) &&
               translateAlloc(alloc, alloc.getShape(), {});
      })
      .Case([&](tir::BufferDeclOp decl) { return translateShape(decl); })
      .Case([&](tir::DeclBufferOp decl) { return translateDecl(decl); })
      .Case([&](tir::MatchBufferOp match) { return translateMatch(match); })
      .Default(false);
}

bool PrimFuncTranslator::translateShape(tir::BufferDeclOp decl) {
  uint32_t view = 0;
  return getView(decl.getBuffer(), view) &&
         tir::isRowMajor(decl.getLayoutAttr()) && agreeAll(decl, view);
}
