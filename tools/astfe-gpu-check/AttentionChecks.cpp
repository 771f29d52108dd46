//===- AttentionChecks.cpp - attention against float64 --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program computes, over the stored entries of a mask,
//
//   s_ij = mask_ij <Q_i, K_j>
//   O_i += sum of exp(s_ij - max s_ij) / l_i V_j,  l_i = sum of exp(...)
//
// as examples/attention.mlir does. Rows without entries keep O.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/RelativeError.h"
#include "Checks.h"
#include "Descriptors.h"
#include <random>

namespace astfe::gpucheck {

/// Numbers behind O that nothing may write, and what they hold.
static constexpr size_t kGuard = 32;
static constexpr double kGuardValue = 12345;

namespace {
/// The operands of one call, and O afterwards.
struct Attention {
  Attention(const Case &which, const Sample &sample, double queryScale,
            size_t shift);
  core::Status run(rt::Device &device, const LoadedCase &which);
  /// The largest error over what roundings may add up to: a score is a sum of
  /// products, and an exponential is relatively as wrong as its score is
  /// absolutely.
  double worstError() const;

private:
  size_t width() const { return size_t(columns); }

  const Sample &sample;
  const int64_t columns;
  const size_t shift;
  Numbers mask, q, k, v, start, o;
};
} // namespace

/// With every dense operand `shift` elements behind an aligned address.
Attention::Attention(const Case &which, const Sample &sample, double queryScale,
                     size_t shift)
    : sample(sample), columns(which.columns), shift(shift),
      mask(sample.values.size(), which.isDouble),
      q(size_t(sample.rows) * width() + shift, which.isDouble),
      k(size_t(sample.columns) * width() + shift, which.isDouble), v(k),
      start(size_t(sample.rows) * width() + shift + kGuard, which.isDouble),
      o(start) {
  for (size_t n = 0; n < mask.size(); ++n)
    mask.set(n, sample.values[n]);
  std::mt19937_64 random(17);
  auto fill = [&](Numbers &numbers, double scale) {
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers.set(i, scale * (double(int64_t(random() >> 11)) * 0x1p-52 - 1));
  };
  fill(q, queryScale);
  fill(k, 1);
  fill(v, 1);
  fill(start, 1);
  for (size_t i = start.size() - kGuard; i < start.size(); ++i)
    start.set(i, kGuardValue);
}

core::Status Attention::run(rt::Device &device, const LoadedCase &which) {
  std::vector<std::unique_ptr<DeviceMemory>> placed;
  core::Status status = core::Success();
  auto place = [&](const void *data, size_t bytes) -> void * {
    auto memory = DeviceMemory::upload(device, data, bytes);
    if (!memory) {
      status = memory.error();
      return nullptr;
    }
    placed.push_back(std::move(*memory));
    return placed.back()->data;
  };
  auto dense = [&](const Numbers &numbers, int64_t rows) {
    char *data =
        static_cast<char *>(place(numbers.bytes.data(), numbers.bytes.size()));
    return matrixOf(data + shift * which->elementBytes(), rows, columns);
  };
  auto indices = [&](const std::vector<int32_t> &data) {
    return vectorOf(place(data.data(), data.size() * sizeof(int32_t)),
                    int64_t(data.size()));
  };
  AstfeMemRef1D positions = indices(sample.positions),
                coordinates = indices(sample.coordinates),
                values = vectorOf(place(mask.bytes.data(), mask.bytes.size()),
                                  sample.nonzeros());
  Matrix2D queries = dense(q, sample.rows), keys = dense(k, sample.columns),
           rows = dense(v, sample.columns), out = dense(start, sample.rows),
           result;
  if (!status)
    return status;
  const DeviceMemory &written = *placed.back();
  astfe_rt_clear_error();
  reinterpret_cast<void (*)(Matrix2D *, AstfeMemRef1D *, AstfeMemRef1D *,
                            AstfeMemRef1D *, int64_t, int64_t, Matrix2D *,
                            Matrix2D *, Matrix2D *, Matrix2D *)>(which.entry())(
      &result, &positions, &coordinates, &values, sample.rows, sample.columns,
      &queries, &keys, &rows, &out);
  if (const char *text = astfe_rt_last_error())
    return core::Error{text};
  status = written.download(o.bytes.data(), o.bytes.size());
  if (!status)
    return status;
  for (size_t i = 0; i < o.size(); ++i)
    if ((i < shift || i >= o.size() - kGuard) && o.get(i) != start.get(i))
      return core::Error{"expected nothing beside O to be written"};
  return core::Success();
}

double Attention::worstError() const {
  double worst = 0;
  std::vector<double> scores, sums(width()), sizes(width());
  for (size_t row = 0; row < size_t(sample.rows); ++row) {
    const auto begin = size_t(sample.positions[row]),
               end = size_t(sample.positions[row + 1]);
    scores.assign(end - begin, 0);
    double most = -std::numeric_limits<double>::infinity(), terms = 0;
    for (size_t n = begin; n < end; ++n) {
      double size = 0;
      for (size_t d = 0; d < width(); ++d) {
        const double term =
            mask.get(n) * q.get(shift + row * width() + d) *
            k.get(shift + size_t(sample.coordinates[n]) * width() + d);
        scores[n - begin] += term;
        size += std::fabs(term);
      }
      most = std::max(most, scores[n - begin]);
      terms = std::max(terms, size);
    }
    double total = 0;
    for (double &score : scores)
      total += score = std::exp(score - most);
    std::fill(sums.begin(), sums.end(), 0);
    std::fill(sizes.begin(), sizes.end(), 0);
    for (size_t n = begin; n < end; ++n)
      for (size_t d = 0; d < width(); ++d) {
        const double term =
            scores[n - begin] / total *
            v.get(shift + size_t(sample.coordinates[n]) * width() + d);
        sums[d] += term;
        sizes[d] += std::fabs(term);
      }
    for (size_t d = 0; d < width(); ++d) {
      const size_t at = shift + row * width() + d;
      worst = std::max(worst,
                       core::relativeError(o.get(at), start.get(at) + sums[d],
                                           std::fabs(start.get(at)) +
                                               sizes[d] * (1 + terms)));
    }
  }
  return worst;
}

static core::Status check(rt::Device &device, const LoadedCase &which,
                          const Sample &sample, double queryScale,
                          size_t shift) {
  Attention attention(*which, sample, queryScale, shift);
  if (auto status = attention.run(device, which); !status)
    return status;
  // 16 unit roundoffs.
  const double bound = which->isDouble ? 0x1p-49 : 0x1p-20,
               worst = attention.worstError();
  if (worst <= bound)
    return core::Success();
  char text[64];
  std::snprintf(text, sizeof(text), "%.3g but got %.3g", bound, worst);
  return core::Error{std::string("expected an error of at most ") + text};
}

void checkAttention(Suite &suite, const Case &which) {
  auto loaded = LoadedCase::load(suite.folder, which);
  if (!loaded)
    return suite.tally.add(which.name, loaded.error());
  for (const Sample &sample : suite.samples) {
    auto add = [&](const char *how, double queryScale, size_t shift) {
      suite.tally.add(which.name + " on " + sample.name + how,
                      check(suite.device, *loaded, sample, queryScale, shift));
    };
    add("", 1, 0);
    add(", misaligned", 1, 1);
    // Many of these scores are beyond 88 in f32 and 709 in f64, whose
    // exponentials are infinite where maxima are not subtracted.
    add(", large scores", which.isDouble ? 2000 : 100, 0);
  }
}

} // namespace astfe::gpucheck
