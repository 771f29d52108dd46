//===- BricksHandle.h - bricks that threads share -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a handle of bricks points to. A mode's copy, and the ranges of its rows,
// are made when somebody first asks for them; what is there never moves, so
// that kernels read it while another mode's is made. A mode whose products gain
// nothing by the bricks of all modes has some of its own, by its rows
// (Core/Bricks/BricksByRows.h). One whose copy memory has no room for goes
// slice by slice (Core/Bricks/BrickSlices.h): a handle of its own for each
// slice, which a product makes and releases.
//
// Worked example: products over one tensor sum into mode 0, then into mode 2.
// The first makes the copy of mode 0 (if it was not packed by it), the other
// that of mode 2, from the first; a third product finds both.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_RUNTIME_BRICKSHANDLE_H
#define ASTFE_RUNTIME_BRICKSHANDLE_H

#include "ASTFE/Core/Bricks/BrickParts.h"
#include "ASTFE/Core/Bricks/BrickSlices.h"
#include "ASTFE/Core/Bricks/BrickWalk.h"
#include "ASTFE/Core/Bricks/BricksByRows.h"
#include "ASTFE/Runtime/Handles.h"
#include <atomic>
#include <list>

namespace astfe::rt {

/// The most bytes that the tables of one tensor's bricks may take where copies
/// are added to those that it was packed with (astfe_rt_set_memory).
int64_t memoryLimit();

struct BricksHandle : LendingHandle {
  static constexpr HandleKind kKind = HandleKind::Bricks;
  explicit BricksHandle(core::Bricks value)
      : LendingHandle(kKind), bricks(std::move(value)), walked(bricks.rank()),
        refused(bricks.rank()), latestShares(bricks.rank()) {}

  /// Of the dense operands' rows, in products to come: decides what they walk
  /// where the mode has no copy yet.
  void expectRows(int64_t bytes);
  /// Products to come are a GPU's, which are faster by rows.
  void expectGPU();
  /// The bricks that products into rows of a mode walk; its copy is there.
  /// Fails for modes that there are not, and without memory.
  core::Result<const core::Bricks *> walkedBy(int64_t mode);
  /// Those that walkedBy() returned already, else null.
  const core::Bricks *knownWalkedBy(int64_t mode) const {
    return mode >= 0 && mode < int64_t(walked.size())
               ? walked[size_t(mode)].load(std::memory_order_acquire)
               : nullptr;
  }
  /// The copy of a mode in those.
  core::Result<const core::ModeCopy *> copyOf(int64_t mode);
  /// So many ranges of a mode's rows.
  core::Result<const core::BrickShares *> sharesOf(int64_t mode,
                                                   int64_t ranges);
  /// Those that sharesOf() returned last for the mode, if they are so many,
  /// else null.
  const core::BrickShares *knownSharesOf(int64_t mode, int64_t ranges) const;
  /// The parts of a mode for so many warps of a GPU.
  core::Result<const core::BrickParts *> partsOf(int64_t mode, int64_t workers);

  /// In how many slices products into rows of a mode go: 1 where its copy is
  /// there. Fails where there is no memory for the largest slice with values of
  /// `valueBytes`, so that whoever asks finds out before he has begun.
  core::Result<int64_t> slicesOf(int64_t mode, int64_t valueBytes);
  /// Whether they go slice by slice. Values are in the order of the source
  /// then.
  core::Result<bool> isSliced(int64_t mode);
  /// One of so many slices; this handle, retained, where the copy is there.
  core::Result<BricksHandle *> slice(int64_t mode, int64_t number,
                                     int64_t slices);
  /// The values of this slice, laid out as those of all nonzeros at `source`
  /// are; `source` itself if this is no slice. Without memory nobody walks the
  /// slice.
  core::Result<void *>
  valuesOfSlice(int64_t mode, const core::ValueLayout &layout, void *source);

  /// Bytes that more tables may take.
  int64_t memoryLeft();

  /// The bricks of all modes: for shape, rank and nonzeros. What products into
  /// a mode walk is walkedBy(); its slots may lie in another order.
  const core::Bricks &fixed() const { return bricks; }
  DeviceCopies onDevice; ///< tables, as ABIBricks.cpp names them

private:
  struct Shares {
    unsigned mode;
    core::BrickShares value;
  };
  struct Parts {
    unsigned mode;
    core::BrickParts value;
  };
  /// walkedBy() under the lock.
  core::Result<const core::Bricks *> ensureCopy(int64_t mode);
  core::Status makeCopy(unsigned mode);
  bool isByRows(unsigned mode);
  int64_t roomLeft() const; ///< memoryLeft() under the lock
  core::Result<core::Bricks> cutSlice(int64_t mode, int64_t number,
                                      int64_t slices);

  core::Bricks bricks;
  std::optional<core::BrickReuse> reuse; ///< none before it is asked for
  int64_t rowBytes = core::rules::kFactorBytes;
  bool forGPU = false;
  /// By mode: what its products walk, and what it points to where they have
  /// their own. Set under the lock, read without: a product asks for some
  /// fifteen tables of it.
  std::vector<std::atomic<const core::Bricks *>> walked;
  std::list<core::Bricks> byRows;
  /// By mode, where its copy was refused: why, a copy that slices are arranged
  /// from, and the fibers that its own would have. It stays so for the tensor,
  /// whatever memory there is later, as values are in another order then.
  struct Refused {
    core::Error why;
    const core::ModeCopy *from = nullptr;
    std::optional<unsigned> fiberMode;
  };
  std::vector<std::optional<Refused>> refused;
  bool isSlice = false;
  std::list<std::vector<char>> sliceValues;
  std::mutex mutex;
  std::list<Shares> shares; ///< entries stay where they are
  /// By mode, of those, as `walked`.
  std::vector<std::atomic<const core::BrickShares *>> latestShares;
  std::list<Parts> parts; ///< likewise
};

template <>
BricksHandle *handleAs(void *handle);

} // namespace astfe::rt

#endif // ASTFE_RUNTIME_BRICKSHANDLE_H
