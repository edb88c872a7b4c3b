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
#include <limits>

using namespace mlir;
using namespace partita::relax;

namespace {
class Elementwise : public OpEvaluation {
public:
  using OpEvaluation::OpEvaluation;

  bool evaluate(Operation *op);

private:
  Type getOperandType() const {
    return operands.front()->getType().getElementType();
  }

  bool allocate() {
    bool isSplat = llvm::all_of(operands, [](const ConstantTensor *operand) {
      return operand->isSplat();
    });
    return OpEvaluation::allocate(isSplat);
  }

  /// Calls `fn` on the numbers of each place; false if it returns no number.
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
  /// Floats stay as they are where `fn` only rounds.
  template <typename Fn>
  bool round(Fn fn) {
    return mapNumbers([&](auto value) {
      if constexpr (std::is_floating_point_v<decltype(value)>)
        return std::optional(fn(value));
      else
        return std::optional(value);
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
      return number ? std::optional(T(*number)) : std::nullopt;
    };
    if constexpr (std::is_invocable_v<Fn, C, C>)
      return haveOneType() && loop<T, T, T>(toT);
    else
      return loop<T, T>(toT);
  }

  /// `fn` gives a boolean.
  template <typename Fn>
  bool compare(Fn fn) {
    return haveOneType() && dispatchElement(getOperandType(), [&](auto *of) {
             using T = Pointee<decltype(of)>;
             using C = ComputeType<T>;
             return loop<bool, T, T>([&](T a, T b) {
               return std::optional<bool>(
                   fn(static_cast<C>(a), static_cast<C>(b)));
             });
           });
  }
  template <typename Fn>
  bool check(Fn fn) {
    return dispatchNumber(getOperandType(), [&](auto *of) {
      using T = Pointee<decltype(of)>;
      return loop<bool, T>([&](T value) {
        if constexpr (std::is_integral_v<T>)
          return std::optional<bool>(fn(0.0));
        else
          return std::optional<bool>(fn(static_cast<double>(value)));
      });
    });
  }
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
    for (int64_t i = 0; i < size && isEvaluated; ++i) {
      std::optional<To> number = fn(std::get<I>(data)[at[I] + i * step[I]]...);
      isEvaluated = number.has_value();
      if (number)
        out[index + i] = *number;
    }
  });
  return isEvaluated;
}

/// `fn`, of one number or of two, whose value is always a number.
template <typename Fn>
static auto unary(Fn fn) {
  return [fn](auto v) { return std::optional(fn(v)); };
}
template <typename Fn>
static auto binary(Fn fn) {
  return [fn](auto a, auto b) { return std::optional(fn(a, b)); };
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
    return loop<T, T>([&](T v) {
      T limited = v > high ? high : v;
      return std::optional(limited < low ? low : limited);
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
    return loop<T, bool, T, T>([](bool condition, T a, T b) {
      return std::optional<T>(condition ? a : b);
    });
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
    return loop<T, T>([](T value) { return std::optional<T>(value); });
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

bool Elementwise::evaluate(Operation *op) {
#define FLOAT_CASE(OpT, value)                                                 \
  .Case([&](OpT) { return mapFloats(unary([](auto v) { return value; })); })
#define COMPARE_CASE(OpT, comparison)                                          \
  .Case([&](OpT) {                                                             \
    return compare([](auto a, auto b) { return a comparison b; });             \
  })
#define BOOLEAN_CASE(OpT, value)                                               \
  .Case([&](OpT) {                                                             \
    return mapBooleans(binary([](bool a, bool b) -> bool { return value; }));  \
  })
#define INTEGER_CASE(OpT, operation)                                           \
  .Case([&](OpT) {                                                             \
    return mapIntegers(                                                        \
        binary([](auto a, auto b) { return decltype(a)(a operation b); }));    \
  })
  return llvm::TypeSwitch<Operation *, bool>(op)
      // clang-format off
      FLOAT_CASE(AcosOp, std::acos(v))
      FLOAT_CASE(AcoshOp, std::acosh(v))
      FLOAT_CASE(AsinOp, std::asin(v))
      FLOAT_CASE(AsinhOp, std::asinh(v))
      FLOAT_CASE(AtanOp, std::atan(v))
      FLOAT_CASE(AtanhOp, std::atanh(v))
      FLOAT_CASE(CosOp, std::cos(v))
      FLOAT_CASE(CoshOp, std::cosh(v))
      FLOAT_CASE(ErfOp, std::erf(v))
      FLOAT_CASE(SinOp, std::sin(v))
      FLOAT_CASE(SinhOp, std::sinh(v))
      FLOAT_CASE(TanOp, std::tan(v))
      COMPARE_CASE(EqualOp, ==)
      COMPARE_CASE(GreaterOp, >)
      COMPARE_CASE(GreaterEqualOp, >=)
      COMPARE_CASE(LessOp, <)
      COMPARE_CASE(LessEqualOp, <=)
      COMPARE_CASE(NotEqualOp, !=)
      BOOLEAN_CASE(LogicalAndOp, a && b)
      BOOLEAN_CASE(LogicalOrOp, a || b)
      BOOLEAN_CASE(LogicalXorOp, a != b)
      INTEGER_CASE(BitwiseAndOp, &)
      INTEGER_CASE(BitwiseOrOp, |)
      INTEGER_CASE(BitwiseXorOp, ^)
                                  // clang-format on
                                  .Case([&](CeilOp) {
                                    return round(
                                        [](auto v) { return std::ceil(v); });
                                  })
                                  .Case([&](FloorOp) {
                                    return round(
                                        [](auto v) { return std::floor(v); });
                                  })
                                  .Case([&](RoundOp) {
                                    return round([](auto v) {
                                      return std::nearbyint(v);
                                    });
                                  })
                                  .Case([&](TruncOp) {
                                    return round(
                                        [](auto v) { return std::trunc(v); });
                                  })
                                  .Case([&](SignOp) {
                                    return mapNumbers(unary([](auto v) {
                                      return decltype(v)((v > 0) - (v < 0));
                                    }));
                                  })
                                  .Case([&](SquareOp) {
                                    return mapNumbers(unary([](auto v) {
                                      using T = decltype(v);
                                      return T(WrappingType<T>(v) *
                                               WrappingType<T>(v));
                                    }));
                                  })
                                  .Case([&](LogicalNotOp) {
                                    return mapBooleans(
                                        unary([](bool v) { return !v; }));
                                  })
                                  .Case([&](BitwiseNotOp) {
                                    return mapIntegers(unary([](auto v) {
                                      if constexpr (std::is_same_v<decltype(v),
                                                                   bool>)
                                        return !v;
                                      else
                                        return decltype(v)(~v);
                                    }));
                                  })
                                  .Case([&](IsFiniteOp) {
                                    return check([](double v) {
                                      return std::isfinite(v);
                                    });
                                  })
                                  .Case([&](IsInfOp) {
                                    return check(
                                        [](double v) { return std::isinf(v); });
                                  })
                                  .Case([&](IsNanOp) {
                                    return check(
                                        [](double v) { return std::isnan(v); });
                                  })
                                  .Case([&](Atan2Op) {
                                    return mapFloats(binary([](auto a, auto b) {
                                      return std::atan2(a, b);
                                    }));
                                  })
                                  .Case([&](LogAddExpOp) {
                                    return mapFloats(binary(logAddExp));
                                  })
                                  .Case([&](FloorDivideOp) {
                                    return mapNumbers(floorDivide);
                                  })
                                  .Case([&](FloorModOp) {
                                    return mapNumbers(floorModulo);
                                  })
                                  .Case(
                                      [&](ModOp) { return mapNumbers(modulo); })
                                  .Case([&](LeftShiftOp) {
                                    return mapIntegers(shift<true>);
                                  })
                                  .Case([&](RightShiftOp) {
                                    return mapIntegers(shift<false>);
                                  })
                                  .Case([&](WhereOp) { return select(); })
                                  .Case([&](ClipOp) { return clip(); })
                                  .Case<OnesOp, OnesLikeOp>(
                                      [&](auto) { return fill(1); })
                                  .Case<ZerosOp, ZerosLikeOp>(
                                      [&](auto) { return fill(0); })
                                  .Case([&](BroadcastToOp) { return spread(); })
                                  .Case([&](HammingWindowOp) {
                                    return makeHammingWindow();
                                  })
                                  .Case([&](ShapeToTensorOp op) {
                                    return convertShape(op);
                                  })
                                  .Default(false);
#undef FLOAT_CASE
#undef COMPARE_CASE
#undef BOOLEAN_CASE
#undef INTEGER_CASE
}

std::optional<ConstantTensor> partita::relax::evaluateElementwise(
    Operation *op, ArrayRef<const ConstantTensor *> operands,
    RankedTensorType type, int64_t maxBytes, bool &isTooLarge) {
  return evaluateAs<Elementwise>(op, operands, type, maxBytes, isTooLarge);
}
