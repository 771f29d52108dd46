//===- BricksHandle.h - bricks that threads share -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a handle of bricks points to. A mode's copy, and the ranges of its rows,
// are made when somebody first asks for them; what is there never moves, so
// that kernels read it while another mode's is made.
//
// Worked example: products over one tensor sum into mode 0, then into mode 2.
// The first makes the copy of mode 0 (if it was not packed by it), the other
// that of mode 2, from the first; a third product finds both.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_RUNTIME_BRICKSHANDLE_H
#define ASTFE_RUNTIME_BRICKSHANDLE_H

#include "ASTFE/Core/Bricks/BrickParts.h"
#include "ASTFE/Core/Bricks/BrickWalk.h"
#include "ASTFE/Runtime/Handles.h"
#include <list>

namespace astfe::rt {

struct BricksHandle : LendingHandle {
  static constexpr HandleKind kKind = HandleKind::Bricks;
  explicit BricksHandle(core::Bricks value)
      : LendingHandle(kKind), bricks(std::move(value)) {}

  /// The copy of a mode; fails for modes that there are not, and without
  /// memory.
  core::Result<const core::ModeCopy *> copyOf(int64_t mode);
  /// So many ranges of a mode's rows.
  core::Result<const core::BrickShares *> sharesOf(int64_t mode,
                                                   int64_t ranges);
  /// The parts of a mode for so many warps of a GPU.
  core::Result<const core::BrickParts *> partsOf(int64_t mode, int64_t workers);
  /// As many ranges for each worker as make output rows of so many bytes fit
  /// its cache. The mode's copy is made.
  core::Result<int64_t> rangesFor(int64_t mode, int64_t workers,
                                  int64_t rowBytes);

  /// Copies apart, which copyOf() returns.
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
  core::Status ensureCopy(int64_t mode); ///< under the lock

  core::Bricks bricks;
  std::mutex mutex;
  std::list<Shares> shares; ///< entries stay where they are
  std::list<Parts> parts;   ///< likewise
};

template <>
BricksHandle *handleAs(void *handle);

} // namespace astfe::rt

#endif // ASTFE_RUNTIME_BRICKSHANDLE_H
