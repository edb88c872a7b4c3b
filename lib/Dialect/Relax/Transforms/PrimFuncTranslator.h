//===- PrimFuncTranslator.h - Make code of prim_funcs -----------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_PRIMFUNCTRANSLATOR_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_PRIMFUNCTRANSLATOR_H

#include "PrimFuncMachine.h"

#include "partita/Dialect/TIR/IR/TIROps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace partita::relax {

/// Makes the instructions for one prim_func. Its methods return false for code
/// that has none.
class PrimFuncTranslator {
public:
  PrimFuncTranslator(tir::PrimFuncOp func, Machine &machine)
      : func(func), machine(machine),
        index(mlir::IntegerType::get(func.getContext(), 64)) {
    // Operands that an instruction does not have are slot 0.
    machine.slots.push_back({});
  }

  /// Gives the parameter `number` the elements of `memory`, with a stride of 0
  /// where it `isSplat`, or a number.
  bool bind(unsigned number, mlir::ShapedType type,
            std::shared_ptr<Memory> memory, bool isSplat);
  bool translate();

private:
  uint32_t addSlot() {
    machine.slots.push_back({});
    return machine.slots.size() - 1;
  }
  uint32_t addSlot(mlir::Value value) { return slots[value] = addSlot(); }
  uint32_t addView(mlir::Value value) {
    machine.views.emplace_back();
    return views[value] = machine.views.size() - 1;
  }
  uint32_t addList(llvm::ArrayRef<uint32_t> list) {
    machine.lists.insert(machine.lists.end(), list.begin(), list.end());
    return machine.lists.size() - list.size();
  }
  uint32_t addNumber(int64_t number) {
    uint32_t slot = addSlot();
    machine.slots[slot].integer = number;
    return slot;
  }
  uint32_t emit(Action action, uint32_t result = 0,
                std::array<uint32_t, 3> args = {}, int64_t extra = 0) {
    machine.code.push_back({action, result, args, extra});
    return machine.code.size() - 1;
  }
  uint32_t here() const { return machine.code.size(); }
  void setTarget(uint32_t instruction) {
    machine.code[instruction].result = here();
  }

  mlir::Type getType(mlir::Value value) const {
    return value.getType().isIndex() ? index : value.getType();
  }
  bool getSlot(mlir::Value value, uint32_t &slot) const {
    auto it = slots.find(value);
    if (it != slots.end())
      slot = it->second;
    return it != slots.end();
  }
  bool getView(mlir::Value value, uint32_t &view) const {
    auto it = views.find(value);
    if (it != views.end())
      view = it->second;
    return it != views.end();
  }
  bool getIndex(mlir::Value value, uint32_t &slot);
  bool getIndices(mlir::ValueRange values,
                  llvm::SmallVectorImpl<uint32_t> &list);
  bool moveAll(mlir::ValueRange from, mlir::ValueRange to);
  bool compute(llvm::StringRef kind, mlir::Type type,
               llvm::ArrayRef<uint32_t> args, uint32_t result);
  bool compute(llvm::StringRef kind, mlir::Type type, mlir::Operation *op);
  bool convert(mlir::Operation *op, mlir::Type from, mlir::Type to);

  bool translate(mlir::Block &block);
  bool translate(mlir::Operation *op);
  bool translateMemory(mlir::Operation *op);
  /// A buffer that a parameter has must have the declared shape.
  bool translateShape(tir::BufferDeclOp decl);
  bool translateConstant(mlir::Operation *op, mlir::Attribute value);
  bool translateArith(mlir::Operation *op);
  bool translatePrim(tir::PrimOp op);
  bool translateIntrin(tir::CallIntrinOp op);
  bool translateBlock(tir::BlockOp op);
  bool translateInit(tir::InitOp op);
  bool translateLoop(mlir::Value variable, uint32_t min, uint32_t end,
                     uint32_t step, llvm::function_ref<bool()> body,
                     bool canJump);
  bool translateFor(mlir::scf::ForOp op);
  bool translateFor(tir::ForOp op);
  bool translateParallel(mlir::scf::ParallelOp op, unsigned dim);
  bool translateWhile(mlir::scf::WhileOp op);
  bool translateIf(mlir::scf::IfOp op);
  bool translateAccess(mlir::Value buffer, mlir::ValueRange indices,
                       mlir::Value value, bool isLoad);
  bool getSizes(mlir::MemRefType type, mlir::ValueRange given,
                mlir::ValueRange dynamic,
                llvm::SmallVectorImpl<uint32_t> &sizes);
  bool translateAlloc(mlir::Value result, mlir::ValueRange given,
                      mlir::ValueRange dynamic);
  bool translateDecl(tir::DeclBufferOp op);
  bool translateMatch(tir::MatchBufferOp op);
  /// Requires `value` to be the number that `action` reads from a view. Sets
  /// it, if it is a variable that nothing has set.
  bool agree(mlir::Value value, Action action, uint32_t view, int64_t dim);
  /// The same for the sizes, strides and offset that `op` declares.
  template <typename OpT>
  bool agreeAll(OpT op, uint32_t view, bool onlyVariables = false);
  bool bindVariables();

  /// Where `tir.break` and `tir.continue` go; nothing in an scf.for.
  struct Jumps {
    llvm::SmallVector<uint32_t> breaks, continues;
  };

  tir::PrimFuncOp func;
  Machine &machine;
  mlir::Type index;
  llvm::DenseMap<mlir::Value, uint32_t> slots, views;
  Jumps *jumps = nullptr;
  llvm::SmallVector<uint32_t> returns;
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_PRIMFUNCTRANSLATOR_H
