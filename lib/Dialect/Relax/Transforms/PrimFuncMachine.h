//===- PrimFuncMachine.h - Code of prim_funcs on constants ------*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prim_func becomes a list of instructions once, in which loops are jumps and
// values are slots, so that an element costs no look-up of an op.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_PRIMFUNCMACHINE_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_PRIMFUNCMACHINE_H

#include "ConstantLoops.h"

#include <memory>
#include <vector>

namespace partita::relax {

/// A number: all integers in `integer`, all floats in `number`.
union Slot {
  int64_t integer;
  double number;
};

/// Elements in a row.
struct Memory {
  /// Elements that nobody has written yet. Nothing if `bytes` is not writable.
  std::vector<bool> isUnwritten;
  bool isWritable = false;
  char *bytes = nullptr;
  int64_t numElements = 0;
  /// Holds `bytes`, unless they are an argument's or a result's.
  std::unique_ptr<uint64_t[]> owned;
};

/// A buffer: which elements of a memory it has.
struct View {
  std::shared_ptr<Memory> memory;
  llvm::SmallVector<int64_t, 4> sizes, strides;
  int64_t offset = 0;
};

struct Machine;
struct Instruction;

/// Runs an instruction; false if it has no defined result.
using Action = bool (*)(Machine &, const Instruction &);

struct Instruction {
  Action action;
  /// The slot of the result, a view, or where to jump.
  uint32_t result = 0;
  /// Slots, views, or a range of Machine::lists.
  std::array<uint32_t, 3> args = {};
  int64_t extra = 0;
};

struct Machine {
  std::vector<Instruction> code;
  std::vector<Slot> slots;
  std::vector<View> views;
  /// Slots of instructions that have many.
  std::vector<uint32_t> lists;

  uint32_t next = 0;
  int64_t stepsLeft = 0;
  /// The most that one buffer may take.
  int64_t maxBytes = 0;

  /// Whether it came to its end.
  bool run() {
    while (next < code.size()) {
      if (stepsLeft-- <= 0)
        return false;
      const Instruction &instruction = code[next++];
      if (!instruction.action(*this, instruction))
        return false;
    }
    return true;
  }

  template <typename T>
  ComputeType<T> get(uint32_t slot) const {
    if constexpr (std::is_same_v<T, bool>)
      return slots[slot].integer != 0;
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(slots[slot].integer);
    else
      return static_cast<ComputeType<T>>(slots[slot].number);
  }
  /// Rounds a float to `T`.
  template <typename T>
  void set(uint32_t slot, T value) {
    if constexpr (std::is_integral_v<T>)
      slots[slot].integer = static_cast<int64_t>(value);
    else
      slots[slot].number = static_cast<ComputeType<T>>(value);
  }
};

/// Copies the slot args[0].
bool copySlot(Machine &machine, const Instruction &it);

/// Computes `kind`, the name of TVM's node or of a math op, on operands of type
/// `type`; null if `kind` is unknown. Pass i64 for `index`.
Action getArithmetic(llvm::StringRef kind, mlir::Type type);

/// Converts as TVM's Cast; to a boolean, whether it is not zero.
Action getCast(mlir::Type from, mlir::Type to);

/// Takes the bits of `from` for a value of `to`; null unless both have as many.
Action getReinterpret(mlir::Type from, mlir::Type to);

/// Buffers: the view is args[0], and args[1] the position in Machine::lists of
/// an index for each dimension.
Action getLoad(mlir::Type type);
/// Stores the slot `result`.
Action getStore(mlir::Type type);

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_PRIMFUNCMACHINE_H
