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
#include "partita/Support/DTypes.h"

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

/// The dtype of a float of 8 bits, which is no type of C++; nothing for others.
static std::optional<partita::DType> getFloat8(Type type) {
  if (!isa<FloatType>(type) || type.getIntOrFloatBitWidth() != 8)
    return std::nullopt;
  partita::DType dtype = partita::getDType(type);
  return dtype.isFloat() ? std::optional(dtype) : std::nullopt;
}

bool Elementwise::convert() {
  std::optional<partita::DType> from8 = getFloat8(getOperandType());
  std::optional<partita::DType> to8 = getFloat8(type.getElementType());
  if (from8 && to8)
    return each<uint8_t, uint8_t>([&](uint8_t bits) {
      return partita::writeReal(*to8, partita::readReal(*from8, bits));
    });
  if (from8)
    return dispatchElement(type.getElementType(), [&](auto *to) {
      using To = Pointee<decltype(to)>;
      return each<To, uint8_t>([&](uint8_t bits) {
        To converted(0);
        double value = partita::readReal(*from8, bits);
        return convertTo(value, converted) ? std::optional(converted)
                                           : std::nullopt;
      });
    });
  if (to8)
    return dispatchElement(getOperandType(), [&](auto *from) {
      using From = Pointee<decltype(from)>;
      // A float64 is rounded twice, as in compiled code.
      return each<uint8_t, From>([&](From value) {
        return partita::writeReal(*to8, static_cast<float>(value));
      });
    });
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

static constexpr auto negate = [](auto value) {
  using T = decltype(value);
  return T(-WrappingType<T>(value));
};

static constexpr auto absolute = [](auto value) {
  if constexpr (std::is_floating_point_v<decltype(value)>)
    return std::fabs(value);
  else
    return value < 0 ? negate(value) : value;
};

static constexpr auto gelu = [](auto value) {
  using T = decltype(value);
  return value * T(0.5) *
         (T(1) + std::erf(value * T(llvm::numbers::inv_sqrt2)));
};

static constexpr auto complement = [](auto value) {
  if constexpr (std::is_same_v<decltype(value), bool>)
    return !value;
  else
    return ~value;
};

std::optional<bool> Elementwise::evaluateFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<bool>>(op)
#define UNARY(OpT, kind, value, ops)                                           \
  .Case([&](OpT) {                                                             \
    return mapFloats([](auto a) {                                              \
      using C [[maybe_unused]] = decltype(a);                                  \
      return value;                                                            \
    });                                                                        \
  })
#define BINARY(OpT, kind, value, ops)                                          \
  .Case([&](OpT) { return mapFloats([](auto a, auto b) { return value; }); })
#define ROUNDING(OpT, kind, value, ops)                                        \
  .Case([&](OpT) { return round([](auto a) { return value; }); })
#define COMPARISON(OpT, kind, value, ops)                                      \
  .Case([&](OpT) { return compare([](auto a, auto b) { return value; }); })
#define CHECK(OpT, kind, value, ops)                                           \
  .Case([&](OpT) { return check([](double a) { return value; }); })
#define REAL(OpT, fn, ops) .Case([&](OpT) { return mapFloats(fn); })
#define NUMERIC(OpT, fn, ops) .Case([&](OpT) { return mapNumbers(fn); })
#define LOGICAL(OpT, fn, ops) .Case([&](OpT) { return mapBooleans(fn); })
#define BITWISE(OpT, fn, ops) .Case([&](OpT) { return mapIntegers(fn); })
#include "ScalarFunctions.def"
      .Default(std::nullopt);
}

bool Elementwise::evaluate(Operation *op) {
  if (std::optional<bool> isEvaluated = evaluateFunction(op))
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
