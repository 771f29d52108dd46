//===- rivals.cu - other ways to compute C = A B --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written from the papers' descriptions; none is the authors' code. A is CSR of
// f32 with 32-bit indices, B and C are row-major with n columns. Blocks have
// four warps. `Lanes` threads with V columns each make a tile of columns; where
// that is less than a warp, a warp has several rows.
//
//   row_per_warp   a row for each warp, a column for each lane, nothing staged
//   row_vector     one column: a row for each warp, a nonzero for each lane
//   merge_path     equal shares of rows + nonzeros (Merrill and Garland 2016,
//                  Yang, Buluc and Owens 2018); rows that are cut are added to
//   row_tiles      rows by falling length, vector loads, 32 nonzeros staged in
//                  shared memory (Gale et al., Sputnik, 2020)
//   row_parts      rows cut into parts of at most 512 nonzeros, whole groups of
//                  32 without bounds tests first, then the rest (Pang et al.,
//                  RoDe, 2024); rows of several parts are added to
//
// What is added to must be zero before.
//
//===----------------------------------------------------------------------===//

#include "device.h"

namespace {

constexpr int kWarps = 4;

struct Place {
  int warp, lane;
};

__device__ inline Place place() {
  return {threadX() / 32 + blockX() * kWarps, threadX() % 32};
}

template <int V>
__device__ inline void addProduct(Vector<V> &sum, float value,
                                  const float *row) {
  const Vector<V> b = loadVector<V>(row);
  for (int i = 0; i < V; ++i)
    sum.at[i] += value * b.at[i];
}

template <int V>
__device__ inline void finishRow(float *to, const Vector<V> &sum,
                                 bool isShared) {
  if (!isShared)
    return storeVector<V>(to, sum);
  for (int i = 0; i < V; ++i)
    addAtomically(to + i, sum.at[i]);
}

//===----------------------------------------------------------------------===//
// row_per_warp, row_vector
//===----------------------------------------------------------------------===//

template <int Lanes>
__device__ inline void rowPerWarp(const int *positions, const int *columns,
                                  const float *values, const float *b, float *c,
                                  int rows, int n) {
  const Place at = place();
  const int row = at.warp * (32 / Lanes) + at.lane / Lanes;
  const int column = blockY() * Lanes + at.lane % Lanes;
  if (row >= rows)
    return;
  Vector<1> sum{};
  const int end = positions[row + 1];
  for (int i = positions[row]; i < end; ++i)
    addProduct<1>(sum, values[i], b + (long)columns[i] * n + column);
  c[(long)row * n + column] = sum.at[0];
}

//===----------------------------------------------------------------------===//
// merge_path
//===----------------------------------------------------------------------===//

/// Rows that end before step `diagonal` of the merge of row ends and nonzeros.
__device__ inline int rowsBefore(int diagonal, const int *rowEnds, int rows,
                                 int nonzeros) {
  int low = diagonal > nonzeros ? diagonal - nonzeros : 0;
  int high = diagonal < rows ? diagonal : rows;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (rowEnds[middle] <= diagonal - middle - 1)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

template <int Lanes, int V>
__device__ inline void mergePath(const int *positions, const int *columns,
                                 const float *values, const float *b, float *c,
                                 int rows, int n, int share) {
  const Place at = place();
  const int nonzeros = positions[rows];
  const int worker = at.warp * (32 / Lanes) + at.lane / Lanes;
  const int all = rows + nonzeros;
  const int first = worker * share < all ? worker * share : all;
  const int last = first + share < all ? first + share : all;
  const int column = blockY() * Lanes * V + at.lane % Lanes * V;
  int row = rowsBefore(first, positions + 1, rows, nonzeros);
  const int lastRow = rowsBefore(last, positions + 1, rows, nonzeros);
  int i = first - row;
  const int end = last - lastRow;
  while (i < end || row < lastRow) {
    const bool endsHere = row < lastRow;
    const int stop = endsHere ? positions[row + 1] : end;
    const bool isShared = !endsHere || i != positions[row];
    Vector<V> sum{};
    for (; i < stop; ++i)
      addProduct<V>(sum, values[i], b + (long)columns[i] * n + column);
    finishRow<V>(c + (long)row * n + column, sum, isShared);
    if (!endsHere)
      return;
    ++row;
  }
}

//===----------------------------------------------------------------------===//
// row_tiles, row_parts
//===----------------------------------------------------------------------===//

/// 32 nonzeros of each worker.
struct alignas(16) Stage {
  int columns[kWarps][32];
  float values[kWarps][32];
};

/// Adds four that are staged side by side, read at once: ptxas would do so, too,
/// but the emulator's code is from before.
template <int V>
__device__ inline void addFour(Vector<V> &sum, const int *columns,
                               const float *values, const float *b) {
  using Integers = int __attribute__((vector_size(16)));
  using Floats = float __attribute__((vector_size(16)));
  const auto at = *reinterpret_cast<const Integers *>(columns);
  const auto times = *reinterpret_cast<const Floats *>(values);
  for (int i = 0; i < 4; ++i)
    addProduct<V>(sum, times[i], b + at[i]);
}

/// sum += [begin, end) of A times B, 32 nonzeros at a time through `stage`. All
/// lanes of a warp must have the same range.
template <int V>
__device__ inline void addRange(Vector<V> &sum, Stage &stage,
                                const int *columns, const float *values,
                                const float *b, int begin, int end, int n) {
  const int warp = threadX() / 32, lane = threadX() % 32;
  for (; begin + 32 <= end; begin += 32) {
    syncWarp();
    stage.columns[warp][lane] = columns[begin + lane] * n;
    stage.values[warp][lane] = values[begin + lane];
    syncWarp();
#pragma unroll 2
    for (int i = 0; i < 32; i += 4)
      addFour<V>(sum, stage.columns[warp] + i, stage.values[warp] + i, b);
  }
  if (begin >= end)
    return;
  const int rest = end - begin, mine = lane < rest ? lane : rest - 1;
  syncWarp();
  stage.columns[warp][lane] = columns[begin + mine] * n;
  stage.values[warp][lane] = values[begin + mine];
  syncWarp();
  int i = 0;
  for (; i + 4 <= rest; i += 4)
    addFour<V>(sum, stage.columns[warp] + i, stage.values[warp] + i, b);
#pragma unroll 1
  for (; i < rest; ++i)
    addProduct<V>(sum, stage.values[warp][i], b + stage.columns[warp][i]);
}

template <int V>
__device__ inline void rowTiles(const int *order, const int *positions,
                                const int *columns, const float *values,
                                const float *b, float *c, int rows, int n) {
  __shared__ Stage stage;
  const Place at = place();
  if (at.warp >= rows)
    return;
  const int row = order[at.warp];
  const int column = blockY() * 32 * V + at.lane * V;
  Vector<V> sum{};
  addRange<V>(sum, stage, columns, values, b + column, positions[row],
              positions[row + 1], n);
  storeVector<V>(c + (long)row * n + column, sum);
}

template <int V>
__device__ inline void rowParts(const int *parts, const int *begins,
                                const int *columns, const float *values,
                                const float *b, float *c, int count, int n) {
  __shared__ Stage stage;
  const Place at = place();
  if (at.warp >= count)
    return;
  // A row that has several parts is written as its complement.
  const int coded = parts[at.warp];
  const int row = coded < 0 ? ~coded : coded;
  const int column = blockY() * 32 * V + at.lane * V;
  Vector<V> sum{};
  addRange<V>(sum, stage, columns, values, b + column, begins[2 * at.warp],
              begins[2 * at.warp + 1], n);
  finishRow<V>(c + (long)row * n + column, sum, coded < 0);
}

} // namespace

#define BOUNDS __launch_bounds__(32 * kWarps)

extern "C" {

BOUNDS __global__ void row_vector(const int *positions, const int *columns,
                                  const float *values, const float *b, float *c,
                                  int rows, int) {
  const Place at = place();
  if (at.warp >= rows)
    return;
  float sum = 0;
  const int end = positions[at.warp + 1];
#pragma unroll 4 // as ptxas does, so that the emulator's code has it, too
  for (int i = positions[at.warp] + at.lane; i < end; i += 32)
    sum += values[i] * b[columns[i]];
  for (int lane = 16; lane; lane /= 2)
    sum += shuffleXor(sum, lane);
  if (at.lane == 0)
    c[at.warp] = sum;
}

#define ROW_PER_WARP(LANES)                                                    \
  BOUNDS __global__ void row_per_warp##LANES(                                  \
      const int *positions, const int *columns, const float *values,           \
      const float *b, float *c, int rows, int n) {                             \
    rowPerWarp<LANES>(positions, columns, values, b, c, rows, n);              \
  }
ROW_PER_WARP(8)
ROW_PER_WARP(32)

#define MERGE_PATH(TILE, LANES, V)                                             \
  BOUNDS __global__ void merge_path##TILE(                                     \
      const int *positions, const int *columns, const float *values,           \
      const float *b, float *c, int rows, int n, int share) {                  \
    mergePath<LANES, V>(positions, columns, values, b, c, rows, n, share);     \
  }
MERGE_PATH(1, 1, 1)
MERGE_PATH(8, 8, 1)
MERGE_PATH(32, 32, 1)
MERGE_PATH(64, 32, 2)
MERGE_PATH(128, 32, 4)

#define ROW_TILES(TILE, V)                                                     \
  BOUNDS __global__ void row_tiles##TILE(                                      \
      const int *order, const int *positions, const int *columns,              \
      const float *values, const float *b, float *c, int rows, int n) {        \
    rowTiles<V>(order, positions, columns, values, b, c, rows, n);             \
  }                                                                            \
  BOUNDS __global__ void row_parts##TILE(                                      \
      const int *parts, const int *begins, const int *columns,                 \
      const float *values, const float *b, float *c, int count, int n) {       \
    rowParts<V>(parts, begins, columns, values, b, c, count, n);               \
  }
ROW_TILES(32, 1)
ROW_TILES(64, 2)
ROW_TILES(128, 4)

} // extern "C"
