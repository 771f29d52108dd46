//===- Keys.cpp - keys of nonzeros per second -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Order/Encoder.h"
#include "Generate.h"
#include <benchmark/benchmark.h>

using namespace astfe::bench;
using namespace astfe::core;

/// Points of a cube of 2^bits, a stretch that stays in the caches: the encoder
/// alone, without the memory's speed.
static void encodeKeys(benchmark::State &state, OrderKind kind, unsigned rank,
                       unsigned bits) {
  constexpr int64_t kPoints = 4096;
  Tensor points = generateTensor(rank, kPoints, false);
  std::vector<const int32_t *> coordinates;
  for (std::vector<int32_t> &mode : points.coordinates) {
    for (int32_t &coordinate : mode)
      coordinate = int32_t(uint32_t(coordinate) * 0x9e3779b9 >> (32 - bits));
    coordinates.push_back(mode.data());
  }
  std::vector<int64_t> extents(rank, int64_t(1) << bits);
  Encoder encoder(*Order::get(kind, extents));
  std::vector<uint64_t> keys(points.coordinates[0].size());
  for (auto _ : state) {
    encoder.encode(coordinates, keys.size(), keys.data());
    benchmark::DoNotOptimize(keys.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * int64_t(keys.size()));
}

BENCHMARK_CAPTURE(encodeKeys, hilbert_2d_20bit, OrderKind::Hilbert, 2, 20);
BENCHMARK_CAPTURE(encodeKeys, hilbert_3d_12bit, OrderKind::Hilbert, 3, 12);
BENCHMARK_CAPTURE(encodeKeys, hilbert_4d_10bit, OrderKind::Hilbert, 4, 10);
BENCHMARK_CAPTURE(encodeKeys, morton_2d_20bit, OrderKind::Morton, 2, 20);
BENCHMARK_CAPTURE(encodeKeys, panels_2d_20bit, OrderKind::Panels, 2, 20);
