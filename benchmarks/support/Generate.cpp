//===- Generate.cpp - matrices and tensors by class -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generate.h"
#include "Random.h"
#include <algorithm>
#include <numeric>

using namespace astfe::core;

namespace astfe::bench {
namespace {

struct Entry {
  int32_t row, column;
};

int64_t squareRoot(int64_t value) {
  int64_t root = 0;
  for (int64_t bit = int64_t(1) << 31; bit != 0; bit >>= 1)
    if ((root + bit) * (root + bit) <= value)
      root += bit;
  return root;
}

std::vector<int32_t> permutation(int64_t size, Random &random) {
  std::vector<int32_t> result(static_cast<size_t>(size));
  std::iota(result.begin(), result.end(), 0);
  for (int64_t i = size - 1; i > 0; --i)
    std::swap(result[size_t(i)], result[size_t(random.below(i + 1))]);
  return result;
}

/// Sorts each row and drops what comes twice.
void sortRows(Matrix &matrix) {
  int32_t kept = 0, begin = 0;
  for (size_t row = 0; row < size_t(matrix.rows); ++row) {
    auto first = matrix.coordinates.begin() + begin;
    auto last = matrix.coordinates.begin() + matrix.positions[row + 1];
    begin = matrix.positions[row + 1];
    std::sort(first, last);
    last = std::unique(first, last);
    std::copy(first, last, matrix.coordinates.begin() + kept);
    kept += int32_t(last - first);
    matrix.positions[row + 1] = kept;
  }
  matrix.coordinates.resize(size_t(kept));
}

Matrix assemble(int64_t rows, int64_t columns,
                const std::vector<Entry> &entries, Random &random) {
  Matrix matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.positions.assign(size_t(rows) + 1, 0);
  for (const Entry &entry : entries)
    ++matrix.positions[size_t(entry.row) + 1];
  for (size_t row = 0; row < size_t(rows); ++row)
    matrix.positions[row + 1] += matrix.positions[row];
  matrix.coordinates.resize(entries.size());
  std::vector<int32_t> next(matrix.positions);
  for (const Entry &entry : entries)
    matrix.coordinates[size_t(next[size_t(entry.row)]++)] = entry.column;
  sortRows(matrix);
  matrix.values.resize(matrix.coordinates.size());
  for (float &value : matrix.values)
    value = random.value();
  return matrix;
}

Matrix uniform(int64_t nonzeros, Random &random) {
  int64_t side = std::max<int64_t>(nonzeros / 16, 16);
  std::vector<Entry> entries(static_cast<size_t>(nonzeros));
  for (Entry &entry : entries) {
    entry.row = int32_t(random.below(side));
    entry.column = int32_t(random.below(side));
  }
  return assemble(side, side, entries, random);
}

Matrix rmat(int64_t nonzeros, Random &random) {
  unsigned levels = 4;
  while (int64_t(16) << levels < nonzeros)
    ++levels;
  std::vector<Entry> entries(static_cast<size_t>(nonzeros));
  for (Entry &entry : entries) {
    entry = {0, 0};
    for (unsigned level = 0; level < levels; ++level) {
      int64_t draw = random.below(100);
      int quadrant = (draw >= 57) + (draw >= 76) + (draw >= 95);
      entry.row = entry.row * 2 + (quadrant >> 1);
      entry.column = entry.column * 2 + (quadrant & 1);
    }
  }
  int64_t side = int64_t(1) << levels;
  return assemble(side, side, entries, random);
}

Matrix mesh(int64_t nonzeros, Random &random) {
  int64_t side = std::max<int64_t>(squareRoot(nonzeros / 5), 1);
  std::vector<Entry> entries;
  entries.reserve(size_t(side * side * 5));
  for (int64_t y = 0; y < side; ++y)
    for (int64_t x = 0; x < side; ++x) {
      auto row = int32_t(y * side + x);
      if (y > 0)
        entries.push_back({row, int32_t(row - side)});
      if (x > 0)
        entries.push_back({row, row - 1});
      entries.push_back({row, row});
      if (x + 1 < side)
        entries.push_back({row, row + 1});
      if (y + 1 < side)
        entries.push_back({row, int32_t(row + side)});
    }
  return assemble(side * side, side * side, entries, random);
}

/// `percent` of the weights are kept.
Matrix pruned(int64_t nonzeros, int64_t percent, Random &random) {
  int64_t side = std::max<int64_t>(squareRoot(nonzeros * 100 / percent), 1);
  std::vector<Entry> entries;
  for (int64_t row = 0; row < side; ++row)
    for (int64_t column = 0; column < side; ++column)
      if (random.chance(uint64_t(percent * 65536 / 100)))
        entries.push_back({int32_t(row), int32_t(column)});
  return assemble(side, side, entries, random);
}

void addBlock(int64_t row, int64_t column, int64_t size,
              std::vector<Entry> &entries) {
  for (int64_t i = 0; i < size; ++i)
    for (int64_t j = 0; j < size; ++j)
      entries.push_back({int32_t(row + i), int32_t(column + j)});
}

Matrix blockDiagonal(int64_t nonzeros, Random &random) {
  constexpr int64_t kSize = 32;
  int64_t blocks = std::max<int64_t>(nonzeros / (kSize * kSize), 1);
  std::vector<Entry> entries;
  for (int64_t b = 0; b < blocks; ++b)
    addBlock(b * kSize, b * kSize, kSize, entries);
  return assemble(blocks * kSize, blocks * kSize, entries, random);
}

Matrix permutedBlocks(int64_t nonzeros, Random &random, uint64_t seed) {
  constexpr int64_t kSize = 16, kPerRow = 4;
  int64_t blocks = std::max<int64_t>(nonzeros / (kSize * kSize * kPerRow), 1);
  std::vector<Entry> entries;
  for (int64_t b = 0; b < blocks; ++b)
    for (int64_t i = 0; i < kPerRow; ++i)
      addBlock(b * kSize, random.below(blocks) * kSize, kSize, entries);
  return shuffle(assemble(blocks * kSize, blocks * kSize, entries, random),
                 seed);
}

/// About 2^32 (i + 1)^-0.7, in steps: 2^(-0.7/10) less each time that i + 1 has
/// grown by 2^(1/10).
std::vector<int64_t> weightsOfRows(int64_t rows) {
  std::vector<int64_t> weights(static_cast<size_t>(rows));
  int64_t reach = 10000, weight = int64_t(1) << 32;
  for (int64_t i = 0; i < rows; ++i) {
    for (; reach < (i + 1) * 10000; reach = reach * 10718 / 10000)
      weight = std::max<int64_t>(weight * 9526 / 10000, 1);
    weights[size_t(i)] = weight;
  }
  return weights;
}

Matrix powerLaw(int64_t nonzeros, Random &random) {
  int64_t side = std::max<int64_t>(nonzeros / 16, 16);
  std::vector<int64_t> weights = weightsOfRows(side);
  __int128 total = 0;
  for (int64_t weight : weights)
    total += weight;
  std::vector<int32_t> rows = permutation(side, random);
  std::vector<Entry> entries;
  for (int64_t i = 0; i < side; ++i) {
    auto wanted = int64_t(__int128(weights[size_t(i)]) * nonzeros / total);
    for (int64_t n = std::min(wanted + 1, side); n > 0; --n)
      entries.push_back({rows[size_t(i)], int32_t(random.below(side))});
  }
  auto heavy = int32_t(random.below(side));
  for (int64_t column = 0; column < side; ++column)
    if (random.chance(3 << 14))
      entries.push_back({heavy, int32_t(column)});
  return assemble(side, side, entries, random);
}

Matrix arrow(int64_t nonzeros, Random &random) {
  constexpr int64_t kFull = 8;
  int64_t side = std::max<int64_t>(nonzeros / (2 * kFull + 1), kFull);
  std::vector<Entry> entries;
  for (int64_t i = 0; i < side; ++i) {
    entries.push_back({int32_t(i), int32_t(i)});
    for (int64_t full = 0; full < kFull; ++full) {
      entries.push_back({int32_t(full), int32_t(i)});
      entries.push_back({int32_t(i), int32_t(full)});
    }
  }
  return assemble(side, side, entries, random);
}

Matrix heavyRow(int64_t nonzeros, Random &random) {
  constexpr int64_t kPerRow = 4;
  int64_t side = std::max<int64_t>(nonzeros / (kPerRow + 1), 16);
  auto heavy = int32_t(random.below(side));
  std::vector<Entry> entries;
  for (int64_t i = 0; i < side; ++i) {
    entries.push_back({heavy, int32_t(i)});
    for (int64_t n = 0; n < kPerRow; ++n)
      entries.push_back({int32_t(i), int32_t(random.below(side))});
  }
  return assemble(side, side, entries, random);
}

} // namespace

SparseView Matrix::view() const {
  return SparseView::csr(
      rows, columns, IndexArray(positions.data(), int64_t(positions.size())),
      IndexArray(coordinates.data(), nonzeros()));
}

CsrMatrix Matrix::csr() const {
  CsrMatrix wide;
  wide.rows = rows;
  wide.columns = columns;
  wide.positions.assign(positions.begin(), positions.end());
  wide.coordinates.assign(coordinates.begin(), coordinates.end());
  wide.values.assign(values.begin(), values.end());
  return wide;
}

SparseView Tensor::view() const {
  std::vector<IndexArray> arrays;
  for (const std::vector<int32_t> &mode : coordinates)
    arrays.emplace_back(mode.data(), int64_t(mode.size()));
  return SparseView::coo(shape, std::move(arrays));
}

ArrayRef<MatrixClass> matrixClasses() {
  static const MatrixClass all[] = {
      MatrixClass::Uniform,        MatrixClass::Rmat,
      MatrixClass::Mesh,           MatrixClass::Pruned75,
      MatrixClass::Pruned90,       MatrixClass::BlockDiagonal,
      MatrixClass::PermutedBlocks, MatrixClass::PowerLaw,
      MatrixClass::Arrow,          MatrixClass::HeavyRow};
  return all;
}

const char *className(MatrixClass kind) {
  static const char *const names[] = {
      "uniform",         "rmat",      "mesh",
      "pruned75",        "pruned90",  "block-diagonal",
      "permuted-blocks", "power-law", "arrow",
      "heavy-row"};
  return names[size_t(kind)];
}

Matrix generate(MatrixClass kind, int64_t nonzeros, uint64_t seed) {
  Random random(seed);
  switch (kind) {
  case MatrixClass::Uniform:
    return uniform(nonzeros, random);
  case MatrixClass::Rmat:
    return rmat(nonzeros, random);
  case MatrixClass::Mesh:
    return mesh(nonzeros, random);
  case MatrixClass::Pruned75:
    return pruned(nonzeros, 25, random);
  case MatrixClass::Pruned90:
    return pruned(nonzeros, 10, random);
  case MatrixClass::BlockDiagonal:
    return blockDiagonal(nonzeros, random);
  case MatrixClass::PermutedBlocks:
    return permutedBlocks(nonzeros, random, seed);
  case MatrixClass::PowerLaw:
    return powerLaw(nonzeros, random);
  case MatrixClass::Arrow:
    return arrow(nonzeros, random);
  case MatrixClass::HeavyRow:
    return heavyRow(nonzeros, random);
  }
  return {};
}

Matrix shuffle(const Matrix &matrix, uint64_t seed) {
  Random random(seed);
  std::vector<int32_t> rows = permutation(matrix.rows, random);
  std::vector<int32_t> columns = permutation(matrix.columns, random);
  std::vector<Entry> entries;
  entries.reserve(matrix.coordinates.size());
  for (size_t row = 0; row < size_t(matrix.rows); ++row)
    for (auto n = size_t(matrix.positions[row]);
         n < size_t(matrix.positions[row + 1]); ++n)
      entries.push_back({rows[row], columns[size_t(matrix.coordinates[n])]});
  return assemble(matrix.rows, matrix.columns, entries, random);
}

Tensor generateTensor(unsigned rank, int64_t nonzeros, bool skewed,
                      uint64_t seed) {
  Random random(seed);
  unsigned levels = 4;
  while (int64_t(1) << levels * 2 < nonzeros && levels * rank < 60)
    ++levels;
  std::vector<uint64_t> cells(static_cast<size_t>(nonzeros));
  for (uint64_t &cell : cells) {
    cell = random.bits();
    // Set in two draws: one bit in four.
    if (skewed)
      cell &= random.bits();
    cell >>= 64 - levels * rank;
  }
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  Tensor tensor;
  tensor.shape.assign(rank, int64_t(1) << levels);
  tensor.coordinates.resize(rank);
  for (unsigned k = 0; k < rank; ++k)
    for (uint64_t cell : cells)
      tensor.coordinates[k].push_back(int32_t(cell >> levels * (rank - 1 - k) &
                                              ((uint64_t(1) << levels) - 1)));
  return tensor;
}

} // namespace astfe::bench
