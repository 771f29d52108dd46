//===- Difference.cpp - how far a result is from its reference ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Difference.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "ASTFE/Core/Support/RelativeError.h"
#include "ElementBits.h"
#include "Problem.h"

#include <cstring>

namespace astfe::run {

namespace {
/// A half's unit roundoff, least normal number and largest one; zeros of other
/// elements.
struct HalfRange {
  double unit, least, largest;

  static HalfRange of(core::Element element) {
    if (element == core::Element::F16)
      return {0x1p-11, 0x1p-14, 65504};
    if (element == core::Element::BF16)
      return {0x1p-8, 0x1p-126, 0x1.fep127};
    return {0, 0, 0};
  }
};
} // namespace

/// Terms that are added up; the least or largest is one.
static double summedTerms(const Steps &steps) {
  const bool isSum = steps.arithmetic.semiring == core::Semiring::PlusTimes;
  return isSum ? double(steps.terms) : std::min<double>(1, double(steps.terms));
}

static bool isDouble(core::Element element) {
  return element == core::Element::F64 || element == core::Element::C128;
}

/// What a float may differ by, relative to the size of what it has to be.
static double boundOf(const Steps &steps) {
  const core::Element element = steps.arithmetic.result();
  const double unit = isDouble(element) ? 0x1p-53 : 0x1p-24;
  const double roundings = summedTerms(steps) + double(steps.operands);
  return roundings * unit + HalfRange::of(element).unit;
}

void fillForRun(Dense &result, const core::Arithmetic &arithmetic,
                bool accumulate) {
  if (!accumulate)
    return result.fill(~uint32_t(0));
  if (core::isComplex(arithmetic.element))
    return result.fill(0);
  withRing(arithmetic, [&](auto ring) {
    const auto identity = ring.identity();
    const auto bytes = size_t(core::elementBytes(result.element));
    for (int64_t i = 0, n = result.size(); i < n; ++i)
      if constexpr (std::is_same_v<decltype(identity), const double>)
        result.set(i, identity);
      else
        std::memcpy(result.bytes.data() + size_t(i) * bytes, &identity, bytes);
  });
}

/// What products of f32 and f64 may be off by below the least normal number.
/// Sums are exact there.
static double underflowOf(const Steps &steps) {
  const core::Element element = steps.arithmetic.result();
  const core::Semiring semiring = steps.arithmetic.semiring;
  if (core::isHalf(element) || semiring == core::Semiring::MinPlus ||
      semiring == core::Semiring::MaxPlus)
    return 0;
  const double least = isDouble(element)
                           ? std::numeric_limits<double>::denorm_min()
                           : std::numeric_limits<float>::denorm_min();
  return least * summedTerms(steps) * double(steps.operands);
}

/// The error of a float, relative to the size of what it has to be.
static double errorOf(core::Element element, double got, double want,
                      double size) {
  if (!core::isHalf(element))
    return core::relativeError(got, want, size);
  // Sums in f32 may leave the range of what they are rounded to, and below its
  // least normal number the rounding is absolute.
  const double nearest = ElementFormat::of(element).rounded(want);
  if (std::isinf(nearest) || nearest == got)
    return core::relativeError(got, nearest, size);
  return core::relativeError(got, want,
                             std::max(size, HalfRange::of(element).least));
}

/// The same of a half whose every step is rounded: of those, each may be off by
/// u times the least normal number, too.
static void noteRoundedHalf(const Steps &steps, double got, double want,
                            double size, Difference &difference) {
  const core::Element element = steps.arithmetic.result();
  const HalfRange half = HalfRange::of(element);
  const double products = std::pow(1 + half.unit, double(steps.operands));
  const double bound = products * (1 + summedTerms(steps) * half.unit) - 1;
  // Sums may leave the range on their way, and be anything then.
  if (bound >= 1 || size * (1 + bound) > half.largest) {
    ++difference.unbounded;
    return;
  }
  const double steppedSize =
      size + double(steps.terms) * double(steps.operands) * half.least;
  difference.note(errorOf(element, got, want, steppedSize), bound);
}

void noteFloat(const Steps &steps, double got, double want, double size,
               Difference &difference) {
  const core::Element element = steps.arithmetic.result();
  if (steps.rounding == Rounding::EachStep && core::isHalf(element))
    return noteRoundedHalf(steps, got, want, size, difference);
  const double bound = boundOf(steps);
  difference.note(
      errorOf(element, got, want, size + underflowOf(steps) / bound), bound);
}

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

/// Element `i` of samples as upstream adds them up, where its infinite value
/// makes that another number.
template <typename Ring>
static bool isSumOfProducts(const Ring &ring, const Problem &problem,
                            const Dense &result, int64_t i,
                            const Expected<Ring> &sum) {
  if constexpr (std::is_same_v<typename Ring::Number, double>) {
    const double got = result.at(i);
    return std::isinf(problem.values.at(i)) &&
           (got == sum.value || (std::isnan(got) && std::isnan(sum.value)));
  }
  return false;
}

/// compare() for the samples of rows [first, last).
template <typename Ring>
static Difference compareSamples(const Ring &ring, const Problem &problem,
                                 Rounding rounding, const Dense &result,
                                 int64_t first, int64_t last) {
  const int64_t n = problem.left.columns;
  Difference difference;
  for (int64_t i = first; i < last; ++i)
    for (int64_t k = problem.positions[i]; k < problem.positions[i + 1]; ++k) {
      const Term<Ring> a(ring, problem.values, k);
      Expected<Ring> expected(ring), products(ring);
      for (int64_t j = 0; j < n; ++j) {
        Term<Ring> term(ring, problem.left, i * n + j);
        term.multiply(ring,
                      {ring, problem.operand, problem.coordinates[k] * n + j});
        expected.add(ring, term);
        term.multiply(ring, a);
        products.add(ring, term);
      }
      if (rounding == Rounding::EachStep &&
          isSumOfProducts(ring, problem, result, k, products))
        continue;
      expected.multiply(ring, a);
      noteElement(ring, problem.arithmetic(), rounding, result, k, expected, 3,
                  difference);
    }
  return difference;
}

/// compare() for rows [first, last).
template <typename Ring>
static Difference compareRows(const Ring &ring, const Problem &problem,
                              Rounding rounding, const Dense &result,
                              int64_t first, int64_t last) {
  const int64_t n = problem.operand.columns;
  Difference difference;
  std::vector<Expected<Ring>> row;
  for (int64_t i = first; i < last; ++i) {
    row.assign(size_t(n), Expected<Ring>(ring));
    for (int64_t k = problem.positions[i]; k < problem.positions[i + 1]; ++k) {
      const Term<Ring> a(ring, problem.values, k);
      for (int64_t j = 0; j < n; ++j) {
        Term<Ring> term = a;
        term.multiply(ring,
                      {ring, problem.operand, problem.coordinates[k] * n + j});
        row[size_t(j)].add(ring, term);
      }
    }
    for (int64_t j = 0; j < n; ++j)
      noteElement(ring, problem.arithmetic(), rounding, result, i * n + j,
                  row[size_t(j)], 2, difference);
  }
  return difference;
}

/// A^T in rows, for the reference.
static Problem transposeOf(const Problem &problem) {
  Problem p;
  p.rows = problem.columns;
  p.columns = problem.rows;
  p.semiring = problem.semiring;
  p.operand = problem.operand;
  p.positions.assign(size_t(p.rows) + 2, 0);
  for (int32_t column : problem.coordinates)
    ++p.positions[size_t(column) + 2];
  for (size_t i = 2; i < p.positions.size(); ++i)
    p.positions[i] += p.positions[i - 1];
  p.coordinates.resize(problem.coordinates.size());
  p.values = Dense::zero(problem.nonzeros(), 1, problem.values.element);
  const auto bytes = size_t(core::elementBytes(problem.values.element));
  for (int64_t i = 0; i < problem.rows; ++i)
    for (int64_t k = problem.positions[i]; k < problem.positions[i + 1]; ++k) {
      const auto at = size_t(p.positions[problem.coordinates[k] + 1]++);
      p.coordinates[at] = int32_t(i);
      std::copy_n(problem.values.bytes.data() + size_t(k) * bytes, bytes,
                  p.values.bytes.data() + at * bytes);
    }
  p.positions.pop_back();
  return p;
}

Difference compare(const Problem &problem, const Dense &result,
                   unsigned threads, Rounding rounding) {
  if (problem.transposed)
    return compare(transposeOf(problem), result, threads, rounding);
  constexpr int64_t Chunk = 1024;
  const int64_t chunks = (problem.rows + Chunk - 1) / Chunk;
  std::vector<Difference> parts(chunks);
  withRing(problem.arithmetic(), [&](auto ring) {
    core::parallelFor(chunks, threads, [&](int64_t c) {
      const int64_t first = c * Chunk,
                    last = std::min(first + Chunk, problem.rows);
      parts[c] =
          problem.isSampled()
              ? compareSamples(ring, problem, rounding, result, first, last)
              : compareRows(ring, problem, rounding, result, first, last);
    });
  });
  Difference all;
  for (const Difference &part : parts)
    all.note(part);
  return all;
}

} // namespace astfe::run
