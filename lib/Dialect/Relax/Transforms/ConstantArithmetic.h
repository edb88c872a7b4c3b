//===- ConstantArithmetic.h - Arithmetic that can lack a value --*- C++ -*-===//
//
// Part of Partita, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic on numbers of the elements' types. Where C++ or TVM leaves the
// value open, a function returns none, and nothing is folded.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_CONSTANTARITHMETIC_H
#define PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_CONSTANTARITHMETIC_H

#include "ConstantLoops.h"

#include <cmath>
#include <limits>
#include <optional>

namespace partita::relax {

/// Sets `to` to `from`, and returns false if `To` cannot hold the value.
template <typename From, typename To>
bool convertTo(From from, To &to) {
  auto value = static_cast<ComputeType<From>>(from);
  if constexpr (std::is_same_v<To, bool>) {
    to = value != 0;
    return true;
  }
  if constexpr (!std::is_integral_v<From> && std::is_integral_v<To>) {
    double whole = std::trunc(static_cast<double>(value));
    if (!(whole >= static_cast<double>(std::numeric_limits<To>::min()) &&
          whole < std::ldexp(1.0, std::numeric_limits<To>::digits)))
      return false;
  }
  to = To(value);
  return true;
}

/// A number that is not one is neither, and wins.
template <typename T>
T larger(T a, T b) {
  return a > b || a != a ? a : b;
}

template <typename T>
T smaller(T a, T b) {
  return a < b || a != a ? a : b;
}

template <typename T>
T sigmoid(T value) {
  return T(1) / (T(1) + std::exp(-value));
}

/// `fn` on two numbers in the type in which it wraps around.
template <typename Fn>
auto wrapping(Fn fn) {
  return [fn](auto a, auto b) {
    using W = WrappingType<decltype(a)>;
    return fn(W(a), W(b));
  };
}

/// Integers that cannot be divided.
template <typename T>
bool isUndefined(T a, T b) {
  return b == 0 || (std::is_signed_v<T> && b == T(-1) &&
                    a == std::numeric_limits<T>::min());
}

/// The quotient; an integer is rounded towards zero.
inline constexpr auto divide = [](auto a, auto b) {
  using T = decltype(a);
  if constexpr (std::is_integral_v<T>)
    return isUndefined(a, b) ? std::optional<T>() : std::optional<T>(T(a / b));
  else
    return a / b;
};

/// The quotient, rounded down.
inline constexpr auto floorDivide = [](auto a, auto b) {
  using T = decltype(a);
  if constexpr (std::is_integral_v<T>) {
    if (isUndefined(a, b))
      return std::optional<T>();
    T quotient = T(a / b);
    bool isRounded = T(a % b) != 0 && ((a < 0) != (b < 0));
    return std::optional<T>(isRounded ? T(quotient - 1) : quotient);
  } else {
    return std::floor(a / b);
  }
};

/// The remainder of floorDivide.
inline constexpr auto floorModulo = [](auto a, auto b) {
  using T = decltype(a);
  if constexpr (std::is_integral_v<T>) {
    if (isUndefined(a, b))
      return std::optional<T>();
    T rest = T(a % b);
    return std::optional<T>(rest != 0 && ((rest < 0) != (b < 0)) ? T(rest + b)
                                                                 : rest);
  } else {
    return a - std::floor(a / b) * b;
  }
};

/// The remainder of a division that rounds towards zero.
inline constexpr auto modulo = [](auto a, auto b) {
  using T = decltype(a);
  if constexpr (std::is_integral_v<T>)
    return isUndefined(a, b) ? std::optional<T>() : std::optional<T>(T(a % b));
  else
    return std::fmod(a, b);
};

/// A sum of `count` numbers, divided by `count`. A sum of integers wraps around
/// in their type; the quotient, rounded towards zero, fits in it again.
template <typename T>
T average(T sum, int64_t count) {
  if constexpr (!std::is_integral_v<T>)
    return sum / T(count);
  else if constexpr (std::is_unsigned_v<T>)
    return T(uint64_t(sum) / uint64_t(count));
  else
    return T(int64_t(sum) / count);
}

/// A shift by more bits than the type has gives no number.
template <bool isLeft>
inline constexpr auto shift = [](auto a, auto b) {
  using T = decltype(a);
  if constexpr (!std::is_same_v<T, bool>) {
    if (b < 0 || uint64_t(b) >= 8 * sizeof(T))
      return std::optional<T>();
    return std::optional<T>(isLeft ? T(std::make_unsigned_t<T>(a) << b)
                                   : T(a >> b));
  } else {
    return std::optional<T>();
  }
};

} // namespace partita::relax

#endif // PARTITA_LIB_DIALECT_RELAX_TRANSFORMS_CONSTANTARITHMETIC_H
