//===- Generate.h - matrices and tensors by class -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeded patterns of the kinds that sparse programs meet, for benchmarks and
// property tests. The same seed gives the same tensor on every machine: only
// integers decide, and the generator is our own (SplitMix64: Steele, Lea and
// Flood, "Fast splittable pseudorandom number generators", 2014).
//
//   uniform          16 nonzeros a row, anywhere
//   rmat             a power-law graph: R-MAT (Chakrabarti, Zhan and Faloutsos,
//                    2004) with a b c d = .57 .19 .19 .05, 16 edges a vertex
//   mesh             the 5-point stencil of a square grid, rows numbered along
//   pruned75, 90     a square layer whose weights are kept with probability
//                    0.25 (0.10), each on its own
//   block-diagonal   full 32x32 blocks on the diagonal
//   permuted-blocks  full 16x16 blocks, four in a block row, then all rows and
//                    all columns shuffled: structure that reordering recovers
//   power-law        row i has about 1/(i+1)^0.7 of the largest row's nonzeros,
//                    rows shuffled, and one more row that is three quarters
//                    full
//   arrow            the first eight rows and columns, full, and the diagonal
//   heavy-row        four nonzeros a row, anywhere, and one row that is full
//
// `generate` takes the number of nonzeros wanted and picks the extents; what
// comes out differs by some percent (duplicates are drawn once, grids are
// square). O(nonzeros) time, but for sorting inside rows.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_SUPPORT_GENERATE_H
#define ASTFE_BENCHMARKS_SUPPORT_GENERATE_H

#include "ASTFE/Core/Tensor/CooTensor.h"

namespace astfe::bench {

/// A matrix as CSR with 32-bit indices: columns ascend inside a row, and none
/// comes twice.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<int32_t> positions, coordinates;
  /// Multiples of 1/8 from -1 to 1, never 0: sums of a few are exact.
  std::vector<float> values;

  int64_t nonzeros() const { return int64_t(coordinates.size()); }
  core::SparseView view() const;
  /// With wide indices, as the readers of files return it.
  core::CsrMatrix csr() const;
};

/// A tensor as COO with 32-bit indices, sorted by the modes from the first on.
struct Tensor {
  std::vector<int64_t> shape;
  std::vector<std::vector<int32_t>> coordinates;

  int64_t nonzeros() const { return int64_t(coordinates[0].size()); }
  core::SparseView view() const;
};

enum class MatrixClass : uint8_t {
  Uniform,
  Rmat,
  Mesh,
  Pruned75,
  Pruned90,
  BlockDiagonal,
  PermutedBlocks,
  PowerLaw,
  Arrow,
  HeavyRow
};

/// All of them, in that order.
core::ArrayRef<MatrixClass> matrixClasses();
/// "uniform", "rmat", ... as listed above.
const char *className(MatrixClass kind);

/// About `nonzeros` (1 to 2^30) nonzeros.
Matrix generate(MatrixClass kind, int64_t nonzeros, uint64_t seed = 1);

/// The same rows and columns, renumbered at random.
Matrix shuffle(const Matrix &matrix, uint64_t seed = 1);

/// About `nonzeros` (1 to 2^30) of a cube: uniform, or skewed as R-MAT is, the
/// lower half of each mode three times as likely as the upper.
Tensor generateTensor(unsigned rank, int64_t nonzeros, bool skewed,
                      uint64_t seed = 1);

/// Kinds of cubes:
///   uniform      anywhere
///   power-law    in each mode, row i of u^3 x extent, u uniform, rows
///   shuffled:
///                a few rows have most of the nonzeros
///   clustered    64 cubes of an eighth of the extent, anywhere
///   long-fibers  lines of 32 along the last mode, the lines anywhere
enum class TensorClass : uint8_t { Uniform, PowerLaw, Clustered, LongFibers };

/// "uniform", "power-law", ...
const char *className(TensorClass kind);

/// About `nonzeros` of a cube with three modes of `extent`, at most 2^21.
Tensor generateCube(TensorClass kind, int64_t extent, int64_t nonzeros,
                    uint64_t seed = 1);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_SUPPORT_GENERATE_H
