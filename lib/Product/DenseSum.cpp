//===- DenseSum.cpp - the rows of a dense array, added up -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/DenseSum.h"
#include "ASTFE/Core/Support/Half.h"
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <vector>

using namespace astfe;
using core::HalfFormat;
using core::Semiring;

namespace {
/// How sums are kept (Sum) of elements that are stored as T.
template <typename T, typename Sum>
struct Plain {
  Sum load(T value) const { return Sum(value); }
  T store(Sum sum) const { return T(sum); }
};

template <typename T>
struct Pair {
  std::complex<double> load(std::complex<T> value) const { return value; }
  std::complex<T> store(std::complex<double> sum) const {
    return std::complex<T>(sum);
  }
};

/// Calls body(T(), storage) with an element's storage.
template <typename Body>
void withStorage(core::Element element, Body body) {
  using core::Element;
  switch (element) {
  case Element::F32:
    return body(float(), Plain<float, double>());
  case Element::F64:
    return body(double(), Plain<double, double>());
  case Element::F16:
    return body(uint16_t(), HalfFormat::f16());
  case Element::BF16:
    return body(uint16_t(), HalfFormat::bf16());
  case Element::I8:
    return body(int8_t(), Plain<int8_t, int64_t>());
  case Element::I16:
    return body(int16_t(), Plain<int16_t, int64_t>());
  case Element::I32:
    return body(int32_t(), Plain<int32_t, int64_t>());
  case Element::I64:
    return body(int64_t(), Plain<int64_t, int64_t>());
  case Element::C64:
    return body(std::complex<float>(), Pair<float>());
  case Element::C128:
    return body(std::complex<double>(), Pair<double>());
  }
}

template <typename Sum>
constexpr bool isOrdered = std::is_arithmetic_v<Sum>;

template <typename Sum>
Sum plus(Semiring semiring, Sum a, Sum b) {
  // Where one is NaN, so is the result.
  auto better = [](Sum x, Sum y, bool isLess) {
    if constexpr (std::is_same_v<Sum, double>)
      if (std::isnan(x) || std::isnan(y))
        return x + y;
    return isLess ? x : y;
  };
  if constexpr (isOrdered<Sum>) {
    if (semiring == Semiring::MinPlus)
      return better(a, b, a < b);
    if (semiring == Semiring::MaxPlus || semiring == Semiring::MaxTimes)
      return better(a, b, b < a);
  }
  if constexpr (std::is_same_v<Sum, int64_t>)
    return semiring == Semiring::OrAnd ? a | b
                                       : int64_t(uint64_t(a) + uint64_t(b));
  else
    return a + b;
}

template <typename T, typename Sum>
Sum identity(Semiring semiring) {
  if constexpr (isOrdered<Sum>) {
    using Limits = std::numeric_limits<
        std::conditional_t<std::is_same_v<Sum, double>, double, T>>;
    const bool isLeast = semiring == Semiring::MinPlus;
    if (isLeast || semiring == Semiring::MaxPlus ||
        semiring == Semiring::MaxTimes) {
      if constexpr (Limits::has_infinity)
        return isLeast ? Limits::infinity() : -Limits::infinity();
      else
        return isLeast ? Limits::max() : Limits::lowest();
    }
  }
  return Sum();
}
} // namespace

core::Element product::rowElement(const core::Arithmetic &arithmetic) {
  const core::Element result = arithmetic.result();
  return core::isHalf(result) ? core::Element::F32 : result;
}

void product::sumRows(const core::Arithmetic &arithmetic, const void *rows,
                      int64_t count, int64_t width, void *output,
                      bool accumulate) {
  withStorage(arithmetic.result(), [&](auto element, auto storage) {
    using T = decltype(element);
    using Sum = decltype(storage.load(T()));
    constexpr bool isHalf = std::is_same_v<decltype(storage), HalfFormat>;
    using Row = std::conditional_t<isHalf, float, T>;
    const Semiring semiring = arithmetic.semiring;
    const Row *row = static_cast<const Row *>(rows);
    T *out = static_cast<T *>(output);
    std::vector<Sum> sums(size_t(width), identity<T, Sum>(semiring));
    for (int64_t j = 0; accumulate && j < width; ++j)
      sums[size_t(j)] = storage.load(out[j]);
    auto loadRow = [&](Row value) -> Sum {
      if constexpr (isHalf)
        return value;
      else
        return storage.load(value);
    };
    auto addAll = [&](auto combine) {
      for (int64_t i = 0; i < count; ++i, row += width)
        for (int64_t j = 0; j < width; ++j)
          sums[size_t(j)] = combine(sums[size_t(j)], loadRow(row[j]));
    };
    // Apart, so that the usual loop asks for no semiring.
    if (semiring == Semiring::PlusTimes)
      addAll([](Sum a, Sum b) { return plus(Semiring::PlusTimes, a, b); });
    else
      addAll([=](Sum a, Sum b) { return plus(semiring, a, b); });
    for (int64_t j = 0; j < width; ++j)
      out[j] = storage.store(sums[size_t(j)]);
  });
}
