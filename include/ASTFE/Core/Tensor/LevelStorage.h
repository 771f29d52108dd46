//===- LevelStorage.h - the arrays of a tensor stored by levels -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the positions and coordinates of a format, given as a list of levels,
// from a list of nonzeros. LevelView.h is the other direction and defines the
// kinds of levels.
//
// Nonzeros are sorted by the coordinates of the levels, the first level first.
// The positions of a level are then runs of that sequence; each level divides
// the runs of the level above:
//
//   dense            one run for each coordinate, most of them empty
//   compressed       one run for each coordinate that occurs; if not unique,
//                    one for each nonzero
//   loose            as compressed; positions are pairs of begin and end
//   singleton        the same run, which has one nonzero
//
// Worked example, the 3x4 matrix [[0,5,0,6],[0,0,0,0],[7,0,0,0]] as DCSR, with
// nonzeros numbered 5, 6, 7 -> 0, 1, 2: level 0 divides the run [0, 3) into
// [0, 2) and [2, 3), so its positions are 0 2 and its coordinates 0 2; level 1
// divides these into three runs of one nonzero: positions 0 2 3, coordinates
// 1 3 0.
//
// Blocks are levels too (LevelView.h): a mode has several, of which each has
// the digit of its coordinate that `scale` and `size` name. Worked example, the
// matrix above in blocks of 1 x 2: levels i, j / 2, i mod 1, j mod 2, of which
// the second is compressed and the others are dense. Positions 0 2 2 3,
// coordinates 0 1 0, and entries 0 5, 0 6, 7 0.
//
// Time is O(levels x (nonzeros + positions)), memory that of the result.
// Source: S. Chou, F. Kjolstad, S. Amarasinghe, "Automatic generation of
// efficient sparse tensor format conversion routines" (2020).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_TENSOR_LEVELSTORAGE_H
#define ASTFE_CORE_TENSOR_LEVELSTORAGE_H

#include "ASTFE/Core/Tensor/CooTensor.h"

namespace astfe::core {

/// What a format says of a level.
struct StorageLevel {
  LevelKind kind = LevelKind::Dense;
  unsigned mode = 0;
  /// No coordinate comes twice below one parent.
  bool unique = true;
  /// Of coordinate c in the mode: c / scale, modulo `size` unless that is 0.
  int64_t scale = 1, size = 0;

  int64_t coordinateOf(int64_t c) const {
    return size == 0 ? c / scale : c / scale % size;
  }
  /// How many coordinates there are, in a mode of that extent.
  int64_t extentOf(int64_t extent) const {
    return size == 0 ? (extent + scale - 1) / scale : size;
  }
};

/// The arrays; what a kind does not have is empty.
struct LevelStorage {
  std::vector<std::vector<int64_t>> positions, coordinates; ///< by level
  /// The nonzero that each stored entry has; -1 where it has none and is zero.
  std::vector<int64_t> nonzeros;
};

/// The tensor in a format. The levels of a mode have all digits of its
/// coordinates, each once; n:m levels and a last level of which an entry would
/// have several nonzeros are errors.
Result<LevelStorage> storeByLevels(const CooTensor &tensor,
                                   ArrayRef<StorageLevel> levels);

/// By mode, the coordinates of one stored entry of a tensor of that shape, also
/// of one that no nonzero has: O(levels log positions).
std::vector<int64_t> coordinatesOf(int64_t entry, const LevelStorage &storage,
                                   ArrayRef<StorageLevel> levels,
                                   ArrayRef<int64_t> shape);

} // namespace astfe::core

#endif // ASTFE_CORE_TENSOR_LEVELSTORAGE_H
