//===- Bricks.h - a tensor packed once for every mode ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed storage of tensors of any rank. A *brick* is a run of the nonzeros
// along the graph's order, nearly a box, with at most 65,536 slots: as many as
// 16 bits number, so that the rows of the dense operands that they read fit a
// second-level cache. Its slots hold coordinates relative to its *origin*, in
// the fewest of 8, 16 and 32 bits that are enough in all bricks, mode by mode.
//
// Products that sum into rows of mode k want slots that are sorted by mode k:
// one row after the other stays in registers, and a thread that owns a range of
// rows finds its slots of a brick side by side, so that it writes alone: no
// partial results, no merge, no atomics. So each mode that is a *key* has a
// *copy* of the slots of every brick, sorted by that mode, with a segment for
// each row. Bricks are the same for all modes, and a copy is made when its mode
// is first used.
//
//   brick b    : slots     [brickSlot[b], brickSlot[b+1])
//                origin    origin[b rank + k], largest local coordinate
//                          reach[b rank + k], for each mode k
//   copy of mode k : slots sorted by mode k, with a *segment* for each row that
//                occurs in the brick. Where slots of a segment share the
//                coordinate of another mode, two or more on average, they are
//                sorted by that mode next, and there is a *fiber* for each such
//                run: a product reads its row once. One without dense columns,
//                whose row is an element, walks slot by slot.
//   run r      : (a segment or a fiber) brick b has the runs
//                [begin[b], begin[b+1]); the coordinate is origin +
//                coordinate[r], the last slot last[r], counted from the brick's
//                first one
//   slot s     : coordinate origin + coordinates[m][s] of each mode m but the
//                key; home[s], its place in the brick's *home order*
//   home order : by all coordinates, mode 0 first, then by n; runs keep it.
//                Home slot h of brick b is nonzero
//                nonzeroOf[brickSlot[b] + h] of the source
//
// Values are arrays of their own, one for each copy, in its order: every slot
// is a nonzero and every nonzero has one slot, so that they come and go without
// loss, duplicates and explicit zeros too.
//
// Worked example: 4x4x4, nonzeros (2,1,3) (2,0,3) (3,1,2) (2,1,2), one brick:
//
//   origin 2 0 2   reach 1 1 1   brickSlot 0 4   nonzeroOf 1 3 0 2
//   mode 0   segments 0 1, last 2 3   home 0 1 2 3
//            coordinates 0 1 1 1 of mode 1, 1 0 1 0 of mode 2
//   mode 2   segments 0 1, last 1 3   home 1 3 0 2
//            coordinates 0 1 0 0 of mode 0, 1 1 0 1 of mode 1
//
// A mode whose rows a brick meets about once gains nothing by these bricks: it
// has its own, by its rows (BricksByRows.h).
//
// Making one costs O(nonzeros x rank). Of three modes with 16-bit coordinates a
// copy streams 4 bytes a nonzero beside its value, and 4 a segment; by fibers 2
// a nonzero, and 4 a segment and a fiber.
//
// Sources: J. Li, J. Sun, R. Vuduc, "HiCOO: hierarchical storage of sparse
// tensors" (2018), for coordinates relative to a block; S. Smith, G. Karypis,
// "Tensor-matrix products with a compressed sparse tensor" (2015), for a copy
// by mode.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_BRICKS_BRICKS_H
#define ASTFE_CORE_BRICKS_BRICKS_H

#include "ASTFE/Core/Bricks/LocalArray.h"
#include "ASTFE/Core/Graph/Graph.h"
#include "ASTFE/Core/Target/Constants.h"
#include <complex>

namespace astfe::core {

/// The most slots of a brick: places in it are 16 bits wide.
using rules::kBrickSlots;

/// Runs of slots that share a coordinate.
struct SlotRuns {
  std::vector<int64_t> begin; ///< bricks + 1
  LocalArray coordinate;      ///< runs, in the mode's width
  Table<uint16_t> last;       ///< runs

  int64_t count() const { return int64_t(last.size()); }
  int64_t bytes() const {
    return coordinate.bytes() + count() * int64_t(sizeof(uint16_t));
  }
  /// The run of a brick that holds a slot of it.
  int64_t find(int64_t brick, int64_t slot) const;
  /// The first slot of a run of a brick.
  int64_t firstSlot(int64_t brick, int64_t run) const {
    return run == begin[size_t(brick)] ? 0 : int64_t(last[size_t(run) - 1]) + 1;
  }
};

/// The slots of all bricks, sorted by one mode.
struct ModeCopy {
  unsigned key = 0;
  SlotRuns segments;
  std::optional<unsigned> fiberMode;
  SlotRuns fibers;                     ///< of fiberMode; else empty
  std::vector<LocalArray> coordinates; ///< slots; empty for the key
  Table<uint16_t> home;                ///< slots

  /// Bytes that a product by fibers, where there are any, reads of it, values
  /// apart.
  int64_t bytesStreamed() const;
  /// Bytes of all tables.
  int64_t bytes() const;
};

struct Bricks {
  std::vector<int64_t> shape;
  int64_t nonzeros = 0;
  uint64_t fingerprint = 0;
  std::vector<unsigned> bits;     ///< 8, 16 or 32, by mode
  std::vector<int64_t> brickSlot; ///< bricks + 1
  std::vector<int64_t> origin;    ///< bricks x rank
  std::vector<uint32_t> reach;    ///< bricks x rank
  Table<int64_t> nonzeroOf;       ///< home slots
  /// By mode; none where it has not been used. One of them is there.
  std::vector<std::optional<ModeCopy>> copies;

  unsigned rank() const { return unsigned(shape.size()); }
  int64_t bricks() const { return int64_t(brickSlot.size()) - 1; }
  /// The mode of a copy that is there.
  unsigned anyKey() const;
  /// Bytes of all tables.
  int64_t bytes() const;
  /// The most bytes that the copy of a mode can take.
  int64_t mostBytesOf(unsigned mode) const;
  /// Everything that the comment above promises. O(nonzeros x rank).
  Status check() const;
};

/// packValues: packed[s] = source[n], for each slot s of the copy of a mode,
/// which is there. unpackValues: source[n] = packed[s], the exact inverse. Of
/// integers the type says the width: any element of that many bits is moved.
#define ASTFE_VALUES(T)                                                        \
  void packValues(const Bricks &bricks, unsigned mode, const T *source,        \
                  T *packed, unsigned threads = 1);                            \
  void unpackValues(const Bricks &bricks, unsigned mode, const T *packed,      \
                    T *source, unsigned threads = 1);
ASTFE_VALUES(uint8_t)
ASTFE_VALUES(uint16_t)
ASTFE_VALUES(float)
ASTFE_VALUES(double)
ASTFE_VALUES(std::complex<float>)
ASTFE_VALUES(std::complex<double>)
#undef ASTFE_VALUES

} // namespace astfe::core

#endif // ASTFE_CORE_BRICKS_BRICKS_H
