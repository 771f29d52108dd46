//===- SparseView.h - coordinates of a sparse tensor, not owned -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nonzeros of a tensor as the caller stores them: COO of any rank, CSR and
// CSC with 32 or 64-bit indices, which have fast paths, or else any list of
// levels (LevelView.h), which everything that takes a view reads through a
// cursor. Only borrowed, never copied. "Nonzero n" is the n-th *stored* entry
// in the caller's own order, explicit zeros and duplicates included.
//
// Worked example, the 3x4 matrix [[0,5,0,6],[0,0,0,0],[7,0,0,0]] as CSR:
// positions 0 2 2 3, coordinates 1 3 0; nonzero 2 is at (2, 0).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_TENSOR_SPARSEVIEW_H
#define ASTFE_CORE_TENSOR_SPARSEVIEW_H

#include "ASTFE/Core/Order/Space.h"
#include "ASTFE/Core/Tensor/LevelView.h"
#include <memory>

namespace astfe::core {

/// A borrowed array of 32 or 64-bit signed integers.
class IndexArray {
public:
  IndexArray() = default;
  IndexArray(const int32_t *data, int64_t size) : data32(data), count(size) {}
  IndexArray(const int64_t *data, int64_t size) : data64(data), count(size) {}

  int64_t size() const { return count; }
  bool is64() const { return data64 != nullptr; }
  const int32_t *as32() const { return data32; }
  const int64_t *as64() const { return data64; }
  int64_t operator[](int64_t i) const {
    return data64 ? data64[i] : int64_t(data32[i]);
  }

private:
  const int32_t *data32 = nullptr;
  const int64_t *data64 = nullptr;
  int64_t count = 0;
};

/// The most nonzeros between two positions, of a row or, in CSC, of a column.
/// O(positions).
int64_t longestRun(const IndexArray &positions);

enum class SparseFormat : uint8_t {
#define ASTFE_FORMAT(Name, name, Levels) Name,
#include "ASTFE/Core/Tensor/Formats.def"
};
/// "CSR".
std::string_view formatName(SparseFormat format);

struct SparseView {
  SparseFormat format = SparseFormat::Coo;
  std::vector<int64_t> shape;
  /// Csr: shape[0]+1 entries; Csc: shape[1]+1; Coo: unused.
  IndexArray positions;
  /// Coo: one array per mode; Csr: the columns; Csc: the rows.
  std::vector<IndexArray> coordinates;
  /// Levels: what replaces positions and coordinates.
  std::shared_ptr<const LevelView> levels;

  unsigned rank() const { return unsigned(shape.size()); }
  int64_t nonzeros() const {
    if (levels)
      return levels->entries();
    return coordinates.empty() ? 0 : coordinates.front().size();
  }
  /// Positions ascend from 0 to the number of nonzeros and every coordinate is
  /// in range; the error names the first offender. O(nonzeros).
  Status check() const;
  /// All of check() but the coordinates' range: O(extent).
  Status checkPositions() const;

  /// The same nonzeros as Csr, Csc or Coo where they are such ones, else as
  /// Levels. Loose levels that skip positions fail check(): every n must be a
  /// nonzero here.
  static SparseView of(LevelView levels);

  static SparseView csr(int64_t rows, int64_t columns, IndexArray positions,
                        IndexArray coordinates) {
    return {SparseFormat::Csr, {rows, columns}, positions, {coordinates}, {}};
  }
  static SparseView csc(int64_t rows, int64_t columns, IndexArray positions,
                        IndexArray coordinates) {
    return {SparseFormat::Csc, {rows, columns}, positions, {coordinates}, {}};
  }
  static SparseView coo(std::vector<int64_t> shape,
                        std::vector<IndexArray> coordinates) {
    return {
        SparseFormat::Coo, std::move(shape), {}, std::move(coordinates), {}};
  }
};

/// A hash of the shape and of the nonzeros' coordinates, never 0. It depends on
/// neither format, index width nor order: each nonzero's coordinates are mixed
/// (FNV-1a over whole words, then a finalizer), and the results are added.
/// Coordinates must be in range (check()). O(nonzeros).
uint64_t fingerprintPattern(const SparseView &view, unsigned threads = 1);

/// The keys of all nonzeros, in the caller's order: part number and key. With
/// one part `parts` stays empty. Coordinates must be in range (check()), and
/// the space must be sound and of the view's shape. `threads` only changes the
/// time, not the result. O(nonzeros); a factor of the parts where many.
void encodeNonzeros(const SparseView &view, const Space &space,
                    std::vector<uint32_t> &parts, std::vector<uint64_t> &keys,
                    unsigned threads = 1);

} // namespace astfe::core

#endif // ASTFE_CORE_TENSOR_SPARSEVIEW_H
