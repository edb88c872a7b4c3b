//===- ElementwiseEvaluator.cpp - Evaluate ops element by element ---------===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantArithmetic.h"
#include "ConstantKernels.h"
#include "ConstantLoops.h"

#include "partita/Dialect/Relax/IR/RelaxOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace mlir;
using namespace partita::relax;

/// Whether a type is an std::optional.
template <typename T>
static constexpr bool isOptional = false;
template <typename T>
static constexpr bool isOptional<std::optional<T>> = true;

namespace {
class Elementwise : public OpEvaluation {
public:
  using OpEvaluation::OpEvaluation;

  bool evaluate(Operation *op);

private:
  // Nothing if the op is not of this kind.
  std::optional<bool> evaluateFunction(Operation *op);
  std::optional<bool> evaluateArithmetic(Operation *op);
  std::optional<bool> evaluateBits(Operation *op);

  Type getOperandType() const {
    return operands.front()->getType().getElementType();
  }

  bool allocate() {
    bool isSplat = llvm::all_of(operands, [](const ConstantTensor *operand) {
      return operand->isSplat();
    });
    return OpEvaluation::allocate(isSplat);
  }

  /// Sets `to` to what `fn` has returned; false if that is nothing.
  template <typename To, typename Number>
  static bool store(To &to, Number number) {
    if constexpr (!isOptional<Number>)
      to = To(number);
    else if (!number)
      return false;
    else
      to = To(*number);
    return true;
  }
  /// Calls `fn` on each number of the one operand; false if it returns nothing
  /// in place of a number.
  template <typename To, typename From, typename Fn>
  bool each(Fn fn) {
    if (operands.size() != 1 || !allocate())
      return false;
    ArrayRef<From> from = x().getValues<From>();
    MutableArrayRef<To> to = result->getMutableValues<To>();
    return from.size() == to.size() &&
           llvm::all_of_zip(from, to, [&](From value, To &number) {
             return store(number, fn(value));
           });
  }
  /// The same on the numbers of each place of operands that are broadcast.
  template <typename To, typename... From, typename Fn, size_t... I>
  bool loop(Fn fn, std::index_sequence<I...>);
  template <typename To, typename... From, typename Fn>
  bool loop(Fn fn) {
    return allocate() &&
           loop<To, From...>(fn, std::index_sequence_for<From...>());
  }

  // `fn` on elements of the result's type.
  template <typename Fn>
  bool mapFloats(Fn fn) {
    return dispatchFloat(getOperandType(), [&](auto *of) {
      return mapAs<Pointee<decltype(of)>>(fn);
    });
  }
  template <typename Fn>
  bool mapNumbers(Fn fn) {
    return dispatchNumber(getOperandType(), [&](auto *of) {
      return mapAs<Pointee<decltype(of)>>(fn);
    });
  }
  /// Integers stay as they are.
  template <typename Fn>
  bool round(Fn fn) {
    return mapNumbers([&](auto value) {
      if constexpr (std::is_floating_point_v<decltype(value)>)
        return fn(value);
      else
        return value;
    });
  }
  /// `fn` on integers or booleans.
  template <typename Fn>
  bool mapIntegers(Fn fn) {
    return dispatchElement(getOperandType(), [&](auto *of) {
      using T = Pointee<decltype(of)>;
      if constexpr (std::is_integral_v<T>)
        return mapAs<T>(fn);
      else
        return false;
    });
  }
  template <typename Fn>
  bool mapBooleans(Fn fn) {
    return getOperandType().isInteger(1) && mapAs<bool>(fn);
  }
  template <typename T, typename Fn>
  bool mapAs(Fn fn) {
    if (type.getElementType() != getOperandType())
      return false;
    using C = ComputeType<T>;
    auto toT = [&](auto... values) {
      auto number = fn(static_cast<C>(values)...);
      if constexpr (isOptional<decltype(number)>)
        return number ? std::optional(T(*number)) : std::nullopt;
      else
        return T(number);
    };
    if constexpr (std::is_invocable_v<Fn, C, C>)
      return haveOneType() && loop<T, T, T>(toT);
    else
      return each<T, T>(toT);
  }

  /// `fn` gives a boolean.
  template <typename Fn>
  bool compare(Fn fn) {
    return haveOneType() && dispatchElement(getOperandType(), [&](auto *of) {
             using T = Pointee<decltype(of)>;
             using C = ComputeType<T>;
             return loop<bool, T, T>([&](T a, T b) {
               return fn(static_cast<C>(a), static_cast<C>(b));
             });
           });
  }
  template <typename Fn>
  bool check(Fn fn) {
    return dispatchNumber(getOperandType(), [&](auto *of) {
      using T = Pointee<decltype(of)>;
      return each<bool, T>([&](T value) {
        if constexpr (std::is_integral_v<T>)
          return fn(0.0);
        else
          return fn(static_cast<double>(value));
      });
    });
  }
  bool convert();
  bool select();
  /// The operands are x and the limits.
  bool clip();
  /// Gives all elements the value `number`.
  bool fill(int number);
  /// Broadcasts the one operand.
  bool spread();
  bool convertShape(ShapeToTensorOp op);
  bool makeHammingWindow();

  bool haveOneType() const {
    return operands.size() == 2 &&
           operands[1]->getType().getElementType() == getOperandType();
  }
};
} // namespace

template <typename To, typename... From, typename Fn, size_t... I>
bool Elementwise::loop(Fn fn, std::index_sequence<I...>) {
  constexpr size_t count = sizeof...(From);
  if (operands.size() != count)
    return false;
  std::tuple<const From *...> data(operands[I]->getValues<From>().data()...);
  To *out = result->getMutableValues<To>().data();
  size_t rank = type.getRank();
  LoopNest<count> loops(result->isSplat() ? ArrayRef<int64_t>()
                                          : type.getShape(),
                        {getBroadcastStrides(*operands[I], rank)...});
  bool isEvaluated = true;
  loops.run([&](int64_t index, auto at, auto step, int64_t size) {
    for (int64_t i = 0; i < size && isEvaluated; ++i)
      isEvaluated =
          store(out[index + i], fn(std::get<I>(data)[at[I] + i * step[I]]...));
  });
  return isEvaluated;
}

static constexpr auto logAddExp = [](auto a, auto b) {
  if (a != a || b != b)
    return a + b;
  auto larger = a > b ? a : b;
  return std::isinf(larger) ? larger
                            : larger + std::log1p(std::exp(-std::fabs(a - b)));
};

/// Sets `to` to the one number of `tensor`; false if `T` cannot hold it.
template <typename T>
static bool getNumber(const ConstantTensor &tensor, T &to) {
  return dispatchElement(tensor.getType().getElementType(), [&](auto *of) {
    using From = Pointee<decltype(of)>;
    return tensor.getValues<From>().size() == 1 &&
           convertTo(tensor.getValues<From>().front(), to);
  });
}

bool Elementwise::clip() {
  const ConstantTensor &least = *operands[1], &most = *operands[2];
  operands = operands.take_front();
  return dispatchNumber(type.getElementType(), [&](auto *of) {
    using T = Pointee<decltype(of)>;
    T low(0), high(0);
    if (getOperandType() != type.getElementType() || !getNumber(least, low) ||
        !getNumber(most, high))
      return false;
    return each<T, T>([&](T v) {
      T limited = v > high ? high : v;
      return limited < low ? low : limited;
    });
  });
}

bool Elementwise::convert() {
  return dispatchElement(getOperandType(), [&](auto *from) {
    return dispatchElement(type.getElementType(), [&](auto *to) {
      using From = Pointee<decltype(from)>;
      using To = Pointee<decltype(to)>;
      return each<To, From>([](From value) {
        To converted(0);
        return convertTo(value, converted) ? std::optional(converted)
                                           : std::nullopt;
      });
    });
  });
}

/// x1 where the condition holds, and x2 elsewhere.
bool Elementwise::select() {
  if (operands.size() != 3 || !getOperandType().isInteger(1) ||
      operands[1]->getType().getElementType() != type.getElementType() ||
      operands[2]->getType().getElementType() != type.getElementType())
    return false;
  return dispatchSize(type.getElementType(), [&](auto *of) {
    using T = Pointee<decltype(of)>;
    return loop<T, bool, T, T>(
        [](bool condition, T a, T b) { return condition ? a : b; });
  });
}

bool Elementwise::fill(int number) {
  operands = {};
  return dispatchElement(type.getElementType(), [&](auto *of) {
    using T = Pointee<decltype(of)>;
    if (!allocate())
      return false;
    llvm::fill(result->getMutableValues<T>(), T(number));
    return true;
  });
}

bool Elementwise::spread() {
  if (operands.size() != 1 || getOperandType() != type.getElementType())
    return false;
  return dispatchSize(type.getElementType(), [&](auto *of) {
    using T = Pointee<decltype(of)>;
    return loop<T, T>([](T value) { return value; });
  });
}

bool Elementwise::makeHammingWindow() {
  std::optional<int64_t> size = getOneInteger(*operands[0]),
                         isPeriodic = getOneInteger(*operands[1]);
  result = ConstantTensor::allocate(type, /*isSplat=*/false, maxBytes);
  return result && dispatchFloat(type.getElementType(), [&](auto *of) {
           using T = Pointee<decltype(of)>;
           using C = ComputeType<T>;
           C alpha(0), beta(0);
           if (!size || !isPeriodic || !getNumber(*operands[2], alpha) ||
               !getNumber(*operands[3], beta))
             return false;
           // A period begins anew where a window would end.
           C last(*size - (*isPeriodic == 0));
           for (auto [index, value] :
                llvm::enumerate(result->getMutableValues<T>())) {
             C angle = C(2 * llvm::numbers::pi) * C(index) / last;
             value = *size == 1 ? T(C(1)) : T(alpha - beta * std::cos(angle));
           }
           return true;
         });
}

bool Elementwise::convertShape(ShapeToTensorOp op) {
  auto shape = dyn_cast<partita::relax::ShapeType>(op->getOperand(0).getType());
  if (!shape || !type.getElementType().isInteger(64) ||
      !llvm::all_of(shape.getDims(), [](Dim dim) { return dim.isNumber(); }))
    return false;
  result = ConstantTensor::allocate(type, /*isSplat=*/false, maxBytes);
  if (!result ||
      result->getMutableValues<int64_t>().size() != shape.getDims().size())
    return false;
  for (auto [number, dim] :
       llvm::zip(result->getMutableValues<int64_t>(), shape.getDims()))
    number = dim.getSize();
  return true;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

template <typename T>
static T negate(T value) {
  return T(-WrappingType<T>(value));
}

template <typename T>
static T absolute(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(value);
  else
    return value < T(0) ? negate(value) : value;
}

template <typename T>
static T gelu(T value) {
  return value * T(0.5) *
         (T(1) + std::erf(value * T(llvm::numbers::inv_sqrt2)));
}

std::optional<bool> Elementwise::evaluateFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<bool>>(op)
#define UNARY(OpT, kind, value)                                                \
  .Case([&](OpT) {                                                             \
    return mapFloats([](auto a) {                                              \
      using C [[maybe_unused]] = decltype(a);                                  \
      return value;                                                            \
    });                                                                        \
  })
#define BINARY(OpT, kind, value)                                               \
  .Case([&](OpT) { return mapFloats([](auto a, auto b) { return value; }); })
#define ROUNDING(OpT, kind, value)                                             \
  .Case([&](OpT) { return round([](auto a) { return value; }); })
#define COMPARISON(OpT, kind, value)                                           \
  .Case([&](OpT) { return compare([](auto a, auto b) { return value; }); })
#define CHECK(OpT, kind, value)                                                \
  .Case([&](OpT) { return check([](double a) { return value; }); })
#include "ScalarFunctions.def"
      .Default(std::nullopt);
}

std::optional<bool> Elementwise::evaluateArithmetic(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<bool>>(op)
      .Case(
          [&](AbsOp) { return mapNumbers([](auto v) { return absolute(v); }); })
      .Case([&](NegativeOp) {
        return mapNumbers([](auto v) { return negate(v); });
      })
      .Case([&](SignOp) {
        return mapNumbers([](auto v) { return (v > 0) - (v < 0); });
      })
      .Case([&](SquareOp) {
        return mapNumbers(
            [](auto v) { return wrapping(std::multiplies<>())(v, v); });
      })
      .Case([&](GeluOp) { return mapFloats([](auto v) { return gelu(v); }); })
      .Case([&](ReluOp) {
        return mapNumbers([](auto v) { return larger(v, decltype(v)(0)); });
      })
      .Case([&](SiluOp) {
        return mapFloats([](auto v) { return v * sigmoid(v); });
      })
      .Case([&](AddOp) { return mapNumbers(wrapping(std::plus<>())); })
      .Case([&](SubtractOp) { return mapNumbers(wrapping(std::minus<>())); })
      .Case(
          [&](MultiplyOp) { return mapNumbers(wrapping(std::multiplies<>())); })
      .Case([&](DivideOp) { return mapNumbers(divide); })
      .Case([&](FloorDivideOp) { return mapNumbers(floorDivide); })
      .Case([&](FloorModOp) { return mapNumbers(floorModulo); })
      .Case([&](ModOp) { return mapNumbers(modulo); })
      .Case([&](LogAddExpOp) { return mapFloats(logAddExp); })
      .Case([&](MaximumOp) {
        return mapNumbers([](auto a, auto b) { return larger(a, b); });
      })
      .Case([&](MinimumOp) {
        return mapNumbers([](auto a, auto b) { return smaller(a, b); });
      })
      .Default(std::nullopt);
}

std::optional<bool> Elementwise::evaluateBits(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<bool>>(op)
      .Case([&](LogicalAndOp) { return mapBooleans(std::logical_and<bool>()); })
      .Case([&](LogicalOrOp) { return mapBooleans(std::logical_or<bool>()); })
      .Case(
          [&](LogicalXorOp) { return mapBooleans(std::not_equal_to<bool>()); })
      .Case([&](LogicalNotOp) { return mapBooleans(std::logical_not<bool>()); })
      .Case([&](BitwiseAndOp) { return mapIntegers(std::bit_and<>()); })
      .Case([&](BitwiseOrOp) { return mapIntegers(std::bit_or<>()); })
      .Case([&](BitwiseXorOp) { return mapIntegers(std::bit_xor<>()); })
      .Case([&](BitwiseNotOp) {
        return mapIntegers([](auto v) {
          if constexpr (std::is_same_v<decltype(v), bool>)
            return !v;
          else
            return ~v;
        });
      })
      .Case([&](LeftShiftOp) { return mapIntegers(shift<true>); })
      .Case([&](RightShiftOp) { return mapIntegers(shift<false>); })
      .Default(std::nullopt);
}

bool Elementwise::evaluate(Operation *op) {
  for (auto evaluate :
       {&Elementwise::evaluateFunction, &Elementwise::evaluateArithmetic,
        &Elementwise::evaluateBits})
    if (std::optional<bool> isEvaluated = (this->*evaluate)(op))
      return *isEvaluated;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](AstypeOp) { return convert(); })
      .Case([&](WhereOp) { return select(); })
      .Case([&](ClipOp) { return clip(); })
      .Case<OnesOp, OnesLikeOp>([&](auto) { return fill(1); })
      .Case<ZerosOp, ZerosLikeOp>([&](auto) { return fill(0); })
      .Case([&](BroadcastToOp) { return spread(); })
      .Case([&](HammingWindowOp) { return makeHammingWindow(); })
      .Case([&](ShapeToTensorOp op) { return convertShape(op); })
      .Default(false);
}

std::optional<ConstantTensor> partita::relax::evaluateElementwise(
    Operation *op, ArrayRef<const ConstantTensor *> operands,
    RankedTensorType type, int64_t maxBytes, bool &isTooLarge) {
  return evaluateAs<Elementwise>(op, operands, type, maxBytes, isTooLarge);
}
