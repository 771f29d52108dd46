//===- LevelView.h - a sparse tensor as a list of levels, not owned -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor's nonzeros are a tree: a *level* says how the positions of the level
// above (its parents; the root is one) go on to positions of its own, and which
// coordinate each of those has. The positions of the last level are the stored
// entries, "nonzero n", explicit zeros and duplicates included.
//
//   kind         positions of parent p            coordinate of position q
//   dense        [p size, (p+1) size)             q - p size
//   compressed   [positions[p], positions[p+1])   coordinates[q]
//   loose        [positions[2p], positions[2p+1]) coordinates[q]
//   singleton    p                                coordinates[q]
//   n:m          [p n, (p+1) n)                   coordinates[q], below m =
//   size
//
// A level belongs to a mode. A mode may have several, of which each counts
// `scale` for one: the mode's coordinate is the sum of scale x coordinate. So
// blocks are levels too: (i, j) in blocks of 2 x 3 has the levels i / 2, j / 3,
// i mod 2, j mod 3 with the scales 2, 3, 1, 1. And several modes of a tensor
// are one of a matrix: (i, j, k) of 4 x 5 x 6 by k and i has row 4 k + i and
// column j, with the scales 1, 1, 4 of the levels i, j, k.
//
// Worked example, the 3x4 matrix [[0,5,0,6],[0,0,0,0],[7,0,0,0]]:
//
//   CSR   dense(3)       mode 0
//         compressed(4)  mode 1   positions 0 2 2 3   coordinates 1 3 0
//   DCSR  compressed(3)  mode 0   positions 0 2       coordinates 0 2
//         compressed(4)  mode 1   positions 0 2 3     coordinates 1 3 0
//   COO   compressed(3)  mode 0   positions 0 3       coordinates 0 0 2
//           (not unique)
//         singleton(4)   mode 1                       coordinates 1 3 0
//
// LevelCursor.h reads any of them. Source: F. Kjolstad, S. Kamil, S. Chou, D.
// Lugato, S. Amarasinghe, "The tensor algebra compiler" (2017); S. Chou, F.
// Kjolstad, S. Amarasinghe, "Format abstraction for sparse tensor algebra
// compilers" (2018); the level types of MLIR's sparse_tensor dialect.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_TENSOR_LEVELVIEW_H
#define ASTFE_CORE_TENSOR_LEVELVIEW_H

#include "ASTFE/Core/Order/Order.h"
#include "ASTFE/Core/Support/Status.h"

namespace astfe::core {

/// The most levels of a tensor: two for each mode, as blocks have.
constexpr unsigned kMaxLevels = 2 * kMaxRank;

/// A borrowed array of integers of 8 to 64 bits, `stride` entries apart. Those
/// of 8, 16 and 32 bits are unsigned, as upstream's are, but for int32_t.
class LevelArray {
public:
  LevelArray() = default;
  LevelArray(const uint8_t *data, int64_t size, int64_t stride = 1)
      : LevelArray(data, size, stride, Width::U8) {}
  LevelArray(const uint16_t *data, int64_t size, int64_t stride = 1)
      : LevelArray(data, size, stride, Width::U16) {}
  LevelArray(const uint32_t *data, int64_t size, int64_t stride = 1)
      : LevelArray(data, size, stride, Width::U32) {}
  LevelArray(const int32_t *data, int64_t size, int64_t stride = 1)
      : LevelArray(data, size, stride, Width::I32) {}
  LevelArray(const int64_t *data, int64_t size, int64_t stride = 1)
      : LevelArray(data, size, stride, Width::I64) {}

  int64_t size() const { return count; }
  int64_t stride() const { return step; }
  bool empty() const { return count == 0; }
  /// Null where the array is not such a one, without gaps.
  const int32_t *as32() const;
  const int64_t *as64() const;

  /// Calls body(data) with the entries' own type; entry i is data[i stride()].
  template <typename Body>
  auto visit(Body body) const {
    switch (width) {
    case Width::U8:
      return body(static_cast<const uint8_t *>(first));
    case Width::U16:
      return body(static_cast<const uint16_t *>(first));
    case Width::U32:
      return body(static_cast<const uint32_t *>(first));
    case Width::I32:
      return body(static_cast<const int32_t *>(first));
    case Width::I64:
      break;
    }
    return body(static_cast<const int64_t *>(first));
  }
  int64_t operator[](int64_t i) const {
    return visit([&](const auto *data) { return int64_t(data[i * step]); });
  }

private:
  enum class Width : uint8_t { U8, U16, U32, I32, I64 };
  LevelArray(const void *data, int64_t size, int64_t stride, Width width)
      : first(data), count(size), step(stride), width(width) {}

  const void *first = nullptr;
  int64_t count = 0, step = 1;
  Width width = Width::I64;
};

/// Entries of so many bits, `stride` of them apart; an error for other widths
/// and for entries beyond the address space.
Result<LevelArray> levelArray(const void *data, int64_t size, int64_t stride,
                              int64_t bits);

enum class LevelKind : uint8_t {
#define ASTFE_LEVEL(Name, name, Stores) Name,
#include "ASTFE/Core/Tensor/Levels.def"
};
#define ASTFE_LEVEL(Name, name, Stores) +1
constexpr int64_t kLevelKinds = 0
#include "ASTFE/Core/Tensor/Levels.def"
    ;

/// "n:m".
std::string_view levelName(LevelKind kind);

struct TensorLevel {
  LevelKind kind = LevelKind::Dense;
  unsigned mode = 0;
  /// Coordinates are in 0..size-1; m of n:m.
  int64_t size = 0;
  LevelArray positions, coordinates;
  /// What a coordinate of this level counts in its mode.
  int64_t scale = 1;
  /// n of n:m.
  int64_t stored = 0;
  /// Coordinates below one parent ascend (where not unique: never descend).
  bool ordered = true;
  /// No coordinate comes twice below one parent; checked where they ascend.
  bool unique = true;
};

struct LevelView {
  std::vector<int64_t> shape;
  std::vector<TensorLevel> levels;

  unsigned rank() const { return unsigned(shape.size()); }
  /// Positions of a level, from the arrays' sizes; at most 2^62.
  int64_t positionsOf(size_t level) const;
  /// Positions of the last level: what nonzeros are numbered by. All of them
  /// are nonzeros, but for those that loose levels skip.
  int64_t entries() const {
    return levels.empty() ? 0 : positionsOf(levels.size() - 1);
  }
  /// True where no loose level skips a position. O(positions of loose levels).
  bool isGapless() const;

  /// Levels fit each other, modes are covered, positions ascend; the error
  /// names the level, and the entry where there is one. O(positions).
  Status checkPositions() const;
  /// All of it: coordinates are in range, and what `ordered` and `unique`
  /// promise is so. O(nonzeros x levels).
  Status check() const;

  static LevelView csr(int64_t rows, int64_t columns, LevelArray positions,
                       LevelArray coordinates);
  static LevelView csc(int64_t rows, int64_t columns, LevelArray positions,
                       LevelArray coordinates);
  /// `positions` are the numbers 0 and nonzeros.
  static LevelView coo(std::vector<int64_t> shape, LevelArray positions,
                       ArrayRef<LevelArray> coordinates);
  static LevelView dcsr(int64_t rows, int64_t columns,
                        ArrayRef<LevelArray> positions,
                        ArrayRef<LevelArray> coordinates);
  /// Compressed levels; level l is of mode modes[l].
  static LevelView csf(std::vector<int64_t> shape, ArrayRef<unsigned> modes,
                       ArrayRef<LevelArray> positions,
                       ArrayRef<LevelArray> coordinates);
  /// Blocks of blockRows x blockColumns, which divide the extents; entries of a
  /// block by rows.
  static LevelView bsr(int64_t rows, int64_t columns, int64_t blockRows,
                       int64_t blockColumns, LevelArray positions,
                       LevelArray coordinates);
};

/// One array of `rank` coordinates for each nonzero, as an array per mode.
template <typename T>
std::vector<LevelArray> interleaved(const T *data, unsigned rank,
                                    int64_t nonzeros) {
  std::vector<LevelArray> arrays;
  for (unsigned k = 0; k < rank; ++k)
    // Without nonzeros `data` may be null, which takes no offset.
    arrays.emplace_back(nonzeros ? data + k : data, nonzeros, int64_t(rank));
  return arrays;
}

} // namespace astfe::core

#endif // ASTFE_CORE_TENSOR_LEVELVIEW_H
