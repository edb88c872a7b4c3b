//===- PrimFuncMachine.cpp - Code of prim_funcs on constants --------------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that compute, one for each operand type.
//
//===----------------------------------------------------------------------===//

#include "PrimFuncMachine.h"
#include "ConstantArithmetic.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"

#include <cstring>

using namespace mlir;
using namespace partita::relax;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

// `value` of the operands a, b and c, which have type C.
#define COMPUTE(To, value)                                                     \
  [](Machine &machine, const Instruction &it) {                                \
    [[maybe_unused]] C a = machine.get<T>(it.args[0]);                         \
    [[maybe_unused]] C b = machine.get<T>(it.args[1]);                         \
    [[maybe_unused]] C c = machine.get<T>(it.args[2]);                         \
    machine.set<To>(it.result, To(value));                                     \
    return true;                                                               \
  }
// The same where there may be no value.
#define COMPUTE_OPTIONAL(value)                                                \
  [](Machine &machine, const Instruction &it) {                                \
    std::optional<T> number =                                                  \
        value(machine.get<T>(it.args[0]), machine.get<T>(it.args[1]));         \
    if (!number)                                                               \
      return false;                                                            \
    machine.set<T>(it.result, *number);                                        \
    return true;                                                               \
  }

template <typename T>
static Action getComparison(StringRef kind) {
  using C = ComputeType<T>;
  return llvm::StringSwitch<Action>(kind)
#define COMPARISON(OpT, kind, value, ops) .Case(kind, COMPUTE(bool, value))
#include "ScalarFunctions.def"
      // As TVM's generated code has it: the second operand unless the first is
      // larger, which decides what becomes of NaN.
      .Case("Max", COMPUTE(T, a > b ? a : b))
      .Case("Min", COMPUTE(T, a < b ? a : b))
      .Default(nullptr);
}

static Action getBoolean(StringRef kind) {
  using T = bool;
  using C = bool;
  return llvm::StringSwitch<Action>(kind)
      .Cases({"And", "BitwiseAnd"}, COMPUTE(bool, a &&b))
      .Cases({"Or", "BitwiseOr"}, COMPUTE(bool, a || b))
      .Case("BitwiseXor", COMPUTE(bool, a != b))
      .Cases({"Not", "BitwiseNot"}, COMPUTE(bool, !a))
      .Default(nullptr);
}

template <typename T>
static Action getInteger(StringRef kind) {
  using C = T;
  using W = uint64_t;
  using U = std::make_unsigned_t<T>;
  return llvm::StringSwitch<Action>(kind)
      .Case("Add", COMPUTE(T, W(a) + W(b)))
      .Case("Sub", COMPUTE(T, W(a) - W(b)))
      .Case("Mul", COMPUTE(T, W(a) * W(b)))
      .Case("Div", COMPUTE_OPTIONAL(divide))
      .Case("Mod", COMPUTE_OPTIONAL(modulo))
      .Case("FloorDiv", COMPUTE_OPTIONAL(floorDivide))
      .Case("FloorMod", COMPUTE_OPTIONAL(floorModulo))
      .Case("BitwiseAnd", COMPUTE(T, a & b))
      .Case("BitwiseOr", COMPUTE(T, a | b))
      .Case("BitwiseXor", COMPUTE(T, a ^ b))
      .Case("BitwiseNot", COMPUTE(T, ~a))
      .Case("LShift", COMPUTE_OPTIONAL(shift<true>))
      .Case("RShift", COMPUTE_OPTIONAL(shift<false>))
      .Case("absi", COMPUTE(T, a < 0 ? W(0) - W(a) : W(a)))
      .Case("ctlz", COMPUTE(T, llvm::countl_zero(U(a))))
      .Case("cttz", COMPUTE(T, llvm::countr_zero(U(a))))
      .Case("ctpop", COMPUTE(T, llvm::popcount(U(a))))
      .Default(nullptr);
}

template <typename T>
static Action getFloat(StringRef kind) {
  using C = ComputeType<T>;
  return llvm::StringSwitch<Action>(kind)
      .Case("Add", COMPUTE(T, a + b))
      .Case("Sub", COMPUTE(T, a - b))
      .Case("Mul", COMPUTE(T, a * b))
      .Case("Div", COMPUTE(T, divide(a, b)))
      .Cases({"Mod", "fmod"}, COMPUTE(T, modulo(a, b)))
      .Case("FloorDiv", COMPUTE(T, floorDivide(a, b)))
      .Case("FloorMod", COMPUTE(T, floorModulo(a, b)))
      .Case("negf", COMPUTE(T, -a))
      .Case("maximumf", COMPUTE(T, larger(a, b)))
      .Case("minimumf", COMPUTE(T, smaller(a, b)))
      .Case("maxnumf", COMPUTE(T, std::fmax(a, b)))
      .Case("minnumf", COMPUTE(T, std::fmin(a, b)))
      .Case("cbrt", COMPUTE(T, std::cbrt(a)))
      .Case("copysign", COMPUTE(T, std::copysign(a, b)))
      .Case("exp10", COMPUTE(T, std::pow(C(10), a)))
      .Case("exp2", COMPUTE(T, std::exp2(a)))
      .Case("expm1", COMPUTE(T, std::expm1(a)))
      .Case("absf", COMPUTE(T, std::fabs(a)))
      .Case("fma", COMPUTE(T, std::fma(a, b, c)))
      .Case("hypot", COMPUTE(T, std::hypot(a, b)))
      .Case("log10", COMPUTE(T, std::log10(a)))
      .Case("log1p", COMPUTE(T, std::log1p(a)))
      .Case("log2", COMPUTE(T, std::log2(a)))
      .Case("round", COMPUTE(T, std::round(a)))
#define UNARY(OpT, kind, value, ops) .Case(kind, COMPUTE(T, value))
#define BINARY(OpT, kind, value, ops) .Case(kind, COMPUTE(T, value))
#define ROUNDING(OpT, kind, value, ops) .Case(kind, COMPUTE(T, value))
#define CHECK(OpT, kind, value, ops) .Case(kind, COMPUTE(bool, value))
#include "ScalarFunctions.def"
      .Default(nullptr);
}

bool partita::relax::copySlot(Machine &machine, const Instruction &it) {
  machine.slots[it.result] = machine.slots[it.args[0]];
  return true;
}

Action partita::relax::getArithmetic(StringRef kind, Type type) {
  Action action = nullptr;
  dispatchElement(type, [&](auto *of) {
    using T = Pointee<decltype(of)>;
    action = getComparison<T>(kind);
    if (action)
      return true;
    if constexpr (std::is_same_v<T, bool>)
      action = getBoolean(kind);
    else if constexpr (std::is_integral_v<T>)
      action = getInteger<T>(kind);
    else
      action = getFloat<T>(kind);
    return true;
  });
  return action;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

template <typename From, typename To>
static bool cast(Machine &machine, const Instruction &it) {
  To to = To(0);
  if (!convertTo(From(machine.get<From>(it.args[0])), to))
    return false;
  machine.set<To>(it.result, to);
  return true;
}

Action partita::relax::getCast(Type fromType, Type toType) {
  Action action = nullptr;
  dispatchElement(fromType, [&](auto *from) {
    return dispatchElement(toType, [&](auto *to) {
      action = cast<Pointee<decltype(from)>, Pointee<decltype(to)>>;
      return true;
    });
  });
  return action;
}

template <typename From, typename To>
static bool reinterpret(Machine &machine, const Instruction &it) {
  From from(machine.get<From>(it.args[0]));
  To to(0);
  std::memcpy(&to, &from, sizeof(To));
  machine.set<To>(it.result, to);
  return true;
}

Action partita::relax::getReinterpret(Type fromType, Type toType) {
  Action action = nullptr;
  dispatchNumber(fromType, [&](auto *from) {
    return dispatchNumber(toType, [&](auto *to) {
      using From = Pointee<decltype(from)>;
      using To = Pointee<decltype(to)>;
      if constexpr (sizeof(From) == sizeof(To))
        action = reinterpret<From, To>;
      return true;
    });
  });
  return action;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The position in its memory of the element that a load or a store names; -1
/// if there is none.
static int64_t locate(const Machine &machine, const Instruction &it) {
  const View &view = machine.views[it.args[0]];
  int64_t position = view.offset;
  for (size_t dim = 0, rank = view.sizes.size(); dim < rank; ++dim) {
    int64_t index = machine.slots[machine.lists[it.args[1] + dim]].integer;
    if (index < 0 || index >= view.sizes[dim])
      return -1;
    position += index * view.strides[dim];
  }
  return view.memory && position < view.memory->numElements ? position : -1;
}

template <typename T>
static bool load(Machine &machine, const Instruction &it) {
  int64_t position = locate(machine, it);
  if (position < 0)
    return false;
  const Memory &memory = *machine.views[it.args[0]].memory;
  if (memory.isWritable && memory.isUnwritten[position])
    return false;
  // A byte of a boolean can have any value.
  using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
  const Stored *elements = reinterpret_cast<const Stored *>(memory.bytes);
  machine.set<T>(it.result, T(elements[position]));
  return true;
}

template <typename T>
static bool store(Machine &machine, const Instruction &it) {
  int64_t position = locate(machine, it);
  if (position < 0)
    return false;
  Memory &memory = *machine.views[it.args[0]].memory;
  if (!memory.isWritable)
    return false;
  memory.isUnwritten[position] = false;
  reinterpret_cast<T *>(memory.bytes)[position] = T(machine.get<T>(it.result));
  return true;
}

Action partita::relax::getLoad(Type type) {
  Action action = nullptr;
  dispatchElement(type, [&](auto *of) {
    action = load<Pointee<decltype(of)>>;
    return true;
  });
  return action;
}

Action partita::relax::getStore(Type type) {
  Action action = nullptr;
  dispatchElement(type, [&](auto *of) {
    action = store<Pointee<decltype(of)>>;
    return true;
  });
  return action;
}
