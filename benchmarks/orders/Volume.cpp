//===- Volume.cpp - what workers have to exchange -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Volume.h"
#include <algorithm>
#include <numeric>

using namespace astfe;
using namespace astfe::bench;

/// The coordinates of one mode by nonzero, of COO or CSR.
static std::vector<int64_t> coordinatesOf(const core::SparseView &view,
                                          unsigned mode) {
  std::vector<int64_t> result(size_t(view.nonzeros()));
  if (view.format == core::SparseFormat::Csr && mode == 0) {
    for (int64_t row = 0; row < view.shape[0]; ++row)
      std::fill(result.begin() + view.positions[row],
                result.begin() + view.positions[row + 1], row);
    return result;
  }
  const core::IndexArray &stored =
      view.coordinates[view.format == core::SparseFormat::Csr ? 0 : mode];
  for (int64_t n = 0; n < view.nonzeros(); ++n)
    result[size_t(n)] = stored[n];
  return result;
}

int64_t bench::volume(const core::SparseView &view,
                      const std::vector<int32_t> &workerOf) {
  int64_t sum = 0;
  for (unsigned mode = 0; mode < 2; ++mode) {
    std::vector<int64_t> coordinates = coordinatesOf(view, mode);
    std::vector<std::pair<int64_t, int32_t>> touched;
    for (size_t n = 0; n < coordinates.size(); ++n)
      touched.push_back({coordinates[n], workerOf[n]});
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (size_t i = 1; i < touched.size(); ++i)
      sum += touched[i].first == touched[i - 1].first;
  }
  return sum;
}

std::vector<int32_t> bench::cutEqually(const core::SparseView &view,
                                       const core::Space &space,
                                       int64_t workers) {
  std::vector<uint32_t> parts;
  std::vector<uint64_t> keys;
  core::encodeNonzeros(view, space, parts, keys);
  parts.resize(keys.size(), 0);
  std::vector<size_t> sequence(keys.size());
  std::iota(sequence.begin(), sequence.end(), size_t(0));
  std::sort(sequence.begin(), sequence.end(), [&](size_t a, size_t b) {
    return std::tie(parts[a], keys[a], a) < std::tie(parts[b], keys[b], b);
  });
  std::vector<int32_t> workerOf(keys.size());
  for (size_t i = 0; i < sequence.size(); ++i)
    workerOf[sequence[i]] =
        int32_t(__int128(i) * workers / int64_t(sequence.size()));
  return workerOf;
}
