//===- AttentionProblem.cpp - operands and reference of sparse attention --===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionProblem.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "ASTFE/Core/Support/RelativeError.h"
#include "ASTFE/Runtime/Threads.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace astfe::run {

AttentionResult AttentionProblem::emptyResult() const {
  auto like = [](const Dense &d) {
    return Dense::zero(d.rows, d.columns, d.element);
  };
  return {like(q), Dense::zero(q.rows, shape.heads, shape.sums()), like(q),
          like(k), like(v)};
}

core::Result<AttentionProblem> readAttention(const Settings &settings) {
  Settings ofMask = settings;
  ofMask.columns = 1; // The problem's own operand is a vector, and not used.
  auto mask = readProblem(ofMask);
  if (!mask)
    return mask.error();
  AttentionProblem p;
  p.mask = std::move(*mask);
  p.shape = {settings.heads, settings.dim, settings.arithmetic.element,
             settings.mask};
  const int64_t columns = settings.heads * settings.dim;
  const int64_t longest = std::max({p.mask.rows, p.mask.columns, int64_t(1)});
  if (columns > INT64_MAX / 8 / longest)
    return core::Error{"--heads, --dim: the operands exceed the address space"};
  auto make = [&](int64_t rows, uint64_t number) {
    return Dense::random(rows, columns, settings.arithmetic.element,
                         settings.seed + number);
  };
  p.q = make(p.mask.rows, 0);
  p.k = make(p.mask.columns, 1);
  p.v = make(p.mask.columns, 2);
  p.go = make(p.mask.rows, 3);
  return p;
}

namespace {
/// Sums, the sums of |terms|, and bounds of the error, of rows of a head.
struct Sums {
  std::vector<double> sum, magnitude, bound;
  explicit Sums(int64_t size)
      : sum(size_t(size)), magnitude(size_t(size)), bound(size_t(size)) {}
  void add(int64_t at, double term, double magnitudeOfTerm, double epsilon) {
    sum[size_t(at)] += term;
    magnitude[size_t(at)] += magnitudeOfTerm;
    bound[size_t(at)] += epsilon * magnitudeOfTerm;
  }
};

/// A stored entry of a row.
struct Entry {
  int64_t column;
  double score, scoreBound; ///< of its absolute error
  double weight;            ///< what multiplies the gradient of the score
  double probability = 0;
  double most = 0; ///< that the probability may be
};

/// The relative error of a half; 0 for what is stored as it is summed.
double roundingOf(core::Element element) {
  switch (element) {
  case core::Element::BF16:
    return 0x1p-8;
  case core::Element::F16:
    return 0x1p-11;
  default:
    return 0;
  }
}

/// One head, row by row.
class Head {
public:
  Head(const AttentionProblem &problem, int64_t head)
      : p(problem), head(head), dim(problem.shape.dim),
        unit(problem.shape.sums() == core::Element::F64 ? 0x1p-53 : 0x1p-24),
        half(roundingOf(problem.shape.element)) {}

  Difference forward(const AttentionResult &result);
  Difference backward(const AttentionResult &result);

private:
  double at(const Dense &d, int64_t row, int64_t x) const {
    return d.at(row * d.columns + head * dim + x);
  }
  void loadRow(int64_t row);
  void note(double got, double want, double magnitude, double bound);
  void compareRows(const Dense &got, const Sums &want, double perEntry);

  const AttentionProblem &p;
  const int64_t head, dim;
  const double unit, half;     ///< of sums, and of what is stored as halves
  std::vector<Entry> entries;  ///< of the row
  double lse = 0, lseError = 0;
  double epsilon = 0; ///< relative, of what its probabilities may be
  Difference difference;
};
} // namespace

void Head::loadRow(int64_t row) {
  entries.clear();
  const Problem &mask = p.mask;
  const double scale = p.shape.scale();
  double largest = -std::numeric_limits<double>::infinity(), error = 0;
  for (int64_t n = mask.positions[row]; n < mask.positions[row + 1]; ++n) {
    Entry e{mask.coordinates[n], 0, 0, 1};
    double magnitude = 0;
    for (int64_t x = 0; x < dim; ++x) {
      const double term = at(p.q, row, x) * at(p.k, e.column, x);
      e.score += term;
      magnitude += std::fabs(term);
    }
    e.score *= scale;
    magnitude *= scale;
    const double value = mask.values.at(n);
    if (p.shape.mask == product::Mask::Multiply) {
      e.score *= value;
      magnitude *= std::fabs(value);
      e.weight = value;
    } else if (p.shape.mask == product::Mask::Add) {
      e.score += value;
    }
    e.scoreBound = unit * double(dim + 6) * magnitude;
    if (std::isfinite(e.score))
      error = std::max(error, e.scoreBound + 6 * unit * std::fabs(e.score));
    largest = std::max(largest, e.score);
    entries.push_back(e);
  }
  double sum = 0;
  const bool isMasked = std::isinf(largest);
  for (Entry &e : entries)
    sum += e.probability = isMasked ? 0 : std::exp(e.score - largest);
  for (Entry &e : entries)
    e.probability /= isMasked ? 1 : sum;
  lse = largest + std::log(sum);
  const double ofSum = double(entries.size() + 24) * unit;
  lseError = 2 * error + ofSum;
  epsilon = std::expm1(2 * error) + ofSum;
  // Scores of 1e9 in f32 are known to 64: their rounding decides which entry
  // takes the row, and all that is known of a probability is that it is 0 to 1.
  const bool isRounding = epsilon >= 1;
  epsilon = std::min(epsilon, 1.0);
  for (Entry &e : entries)
    e.most = isRounding && std::isfinite(e.score) ? 1 : e.probability;
}

void Head::note(double got, double want, double magnitude, double bound) {
  // What underflows is absolute: half of the least number of f16, say.
  const double tiny = p.shape.element == core::Element::F16 ? 0x1p-25 : 1e-30;
  if (std::fabs(got - want) <= tiny)
    return;
  const double error = core::relativeError(got, want, magnitude);
  difference.maxRelative = std::max(difference.maxRelative, error);
  difference.passed &= error == 0 || std::fabs(got - want) <= bound + tiny;
}

/// `perEntry`: the error that a sum adds, of its |terms|.
void Head::compareRows(const Dense &got, const Sums &want, double perEntry) {
  for (int64_t row = 0; row < got.rows; ++row)
    for (int64_t x = 0; x < dim; ++x) {
      const auto i = size_t(row * dim + x);
      note(at(got, row, x), want.sum[i], want.magnitude[i],
           want.bound[i] + perEntry * want.magnitude[i]);
    }
}

Difference Head::forward(const AttentionResult &result) {
  Sums o(result.o.rows * dim);
  for (int64_t row = 0; row < result.o.rows; ++row) {
    loadRow(row);
    const double sumError = double(entries.size() + 4) * unit;
    for (const Entry &e : entries)
      for (int64_t x = 0; x < dim; ++x) {
        const double term = e.probability * at(p.v, e.column, x);
        o.add(row * dim + x, term, e.most * std::fabs(at(p.v, e.column, x)),
              epsilon + sumError + half);
      }
    const double magnitude = std::max(1.0, std::fabs(lse));
    note(result.lse.at(row * p.shape.heads + head), lse, magnitude,
         lseError + 8 * unit * magnitude);
  }
  compareRows(result.o, o, 0);
  return difference;
}

Difference Head::backward(const AttentionResult &result) {
  Sums dq(result.dq.rows * dim), dk(result.dk.rows * dim),
      dv(result.dk.rows * dim);
  std::vector<double> g, gMagnitude;
  std::vector<int64_t> lengths(size_t(result.dk.rows));
  int64_t longest = 0;
  for (int64_t row = 0; row < result.dq.rows; ++row) {
    loadRow(row);
    const auto length = double(entries.size());
    g.assign(entries.size(), 0);
    gMagnitude.assign(entries.size(), 0);
    double mean = 0, meanMagnitude = 0;
    for (size_t n = 0; n < entries.size(); ++n) {
      for (int64_t x = 0; x < dim; ++x) {
        const double term = at(p.go, row, x) * at(p.v, entries[n].column, x);
        g[n] += term;
        gMagnitude[n] += std::fabs(term);
      }
      mean += entries[n].probability * g[n];
      meanMagnitude += entries[n].most * gMagnitude[n];
      longest = std::max(longest, ++lengths[size_t(entries[n].column)]);
    }
    const double outer = p.shape.scale();
    const double ofGradient =
        2 * epsilon + (double(dim) + 3 * length + 24) * unit + half;
    for (size_t n = 0; n < entries.size(); ++n) {
      const Entry &e = entries[n];
      const double ds = e.probability * (g[n] - mean) * outer * e.weight;
      const double magnitude = e.most * (gMagnitude[n] + meanMagnitude) * outer *
                               std::fabs(e.weight);
      for (int64_t x = 0; x < dim; ++x) {
        const double key = at(p.k, e.column, x), query = at(p.q, row, x),
                     gradient = at(p.go, row, x);
        dq.add(row * dim + x, ds * key, magnitude * std::fabs(key), ofGradient);
        dk.add(e.column * dim + x, ds * query, magnitude * std::fabs(query),
               ofGradient);
        dv.add(e.column * dim + x, e.probability * gradient,
               e.most * std::fabs(gradient), epsilon + 4 * unit + half);
      }
    }
  }
  compareRows(result.dq, dq, 0);
  const double perEntry = double(longest + 4) * unit;
  compareRows(result.dk, dk, perEntry);
  compareRows(result.dv, dv, perEntry);
  return difference;
}

/// All heads, in parallel.
static Difference compareHeads(const AttentionProblem &problem,
                               const AttentionResult &result, bool backward) {
  std::vector<Difference> parts(size_t(problem.shape.heads));
  core::parallelFor(problem.shape.heads, unsigned(rt::threads()),
                    [&](int64_t head) {
                      Head one(problem, head);
                      parts[size_t(head)] =
                          backward ? one.backward(result) : one.forward(result);
                    });
  Difference all;
  for (const Difference &part : parts) {
    all.maxRelative = std::max(all.maxRelative, part.maxRelative);
    all.passed &= part.passed;
  }
  return all;
}

Difference compareForward(const AttentionProblem &problem,
                          const AttentionResult &result) {
  return compareHeads(problem, result, /*backward=*/false);
}

Difference compareBackward(const AttentionProblem &problem,
                           const AttentionResult &result) {
  return compareHeads(problem, result, /*backward=*/true);
}

} // namespace astfe::run
