//===- GenerateCubes.cpp - tensors of three modes by class ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generate.h"
#include "Random.h"
#include <algorithm>
#include <array>
#include <numeric>

namespace astfe::bench {
namespace {

constexpr unsigned kModes = 3, kModeBits = 21;
using Point = std::array<int64_t, kModes>;

class Cube {
public:
  Cube(TensorClass kind, int64_t extent, int64_t nonzeros, uint64_t seed)
      : kind(kind), extent(extent), nonzeros(nonzeros), random(seed) {}

  Tensor make();

private:
  Point anywhere(int64_t side) {
    return {random.below(side), random.below(side), random.below(side)};
  }
  void add(const Point &point) {
    cells.push_back(uint64_t(point[0]) << 2 * kModeBits |
                    uint64_t(point[1]) << kModeBits | uint64_t(point[2]));
  }
  void uniform();
  void powerLaw();
  void clustered();
  void longFibers();

  TensorClass kind;
  int64_t extent, nonzeros;
  Random random;
  std::vector<uint64_t> cells;
};

void Cube::uniform() {
  for (int64_t n = 0; n < nonzeros; ++n)
    add(anywhere(extent));
}

void Cube::powerLaw() {
  std::array<std::vector<int32_t>, kModes> rows;
  for (std::vector<int32_t> &mode : rows) {
    mode.resize(size_t(extent));
    std::iota(mode.begin(), mode.end(), 0);
    for (int64_t i = extent - 1; i > 0; --i)
      std::swap(mode[size_t(i)], mode[size_t(random.below(i + 1))]);
  }
  for (int64_t n = 0; n < nonzeros; ++n) {
    Point point;
    for (unsigned k = 0; k < kModes; ++k) {
      const __int128 u = random.below(int64_t(1) << 20);
      point[k] = rows[k][size_t(u * u * u * extent >> 60)];
    }
    add(point);
  }
}

void Cube::clustered() {
  constexpr int64_t kClusters = 64;
  const int64_t side = std::max<int64_t>(extent / 8, 1);
  for (int64_t c = 0; c < kClusters; ++c) {
    const Point corner = anywhere(extent - side + 1);
    for (int64_t n = nonzeros * c / kClusters;
         n < nonzeros * (c + 1) / kClusters; ++n) {
      Point point = anywhere(side);
      for (unsigned k = 0; k < kModes; ++k)
        point[k] += corner[k];
      add(point);
    }
  }
}

void Cube::longFibers() {
  constexpr int64_t kLength = 32;
  for (int64_t line = 0; line < nonzeros / kLength; ++line) {
    Point point = anywhere(extent);
    for (int64_t n = 0; n < kLength; ++n) {
      point[2] = random.below(extent);
      add(point);
    }
  }
}

Tensor Cube::make() {
  static constexpr void (Cube::*kMakers[])() = {
      &Cube::uniform, &Cube::powerLaw, &Cube::clustered, &Cube::longFibers};
  (this->*kMakers[size_t(kind)])();
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  Tensor tensor;
  tensor.shape.assign(kModes, extent);
  tensor.coordinates.resize(kModes);
  for (unsigned k = 0; k < kModes; ++k)
    for (uint64_t cell : cells)
      tensor.coordinates[k].push_back(
          int32_t(cell >> (kModes - 1 - k) * kModeBits &
                  ((uint64_t(1) << kModeBits) - 1)));
  return tensor;
}

} // namespace

const char *className(TensorClass kind) {
  static const char *const names[] = {"uniform", "power-law", "clustered",
                                      "long-fibers"};
  return names[size_t(kind)];
}

Tensor generateCube(TensorClass kind, int64_t extent, int64_t nonzeros,
                    uint64_t seed) {
  return Cube(kind, extent, nonzeros, seed).make();
}

} // namespace astfe::bench
