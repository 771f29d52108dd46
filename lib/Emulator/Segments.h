//===- Segments.h - runs of instructions without a call -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts a function into segments (Code.h) and says what a warp that runs one
// issues, and where it waits for memory. Waiting follows the data: accesses
// whose addresses need no value that the segment itself loads are issued first,
// as a scheduler that hoists loads does, then those that need only these, and
// so on.
//
//   %i = load i32, ptr %c       depth 0
//   %x = load float, %b[%i]     depth 1: waits for %i
//   %j = load i32, ptr %d       depth 0: issued before %x
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_SEGMENTS_H
#define ASTFE_LIB_EMULATOR_SEGMENTS_H

#include "Code.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

namespace astfe::emu {

/// An access whose address goes to the log.
struct SegmentAccess {
  llvm::Instruction *instruction;
  uint32_t bytes;
  const Site *site;
};

struct SegmentCut {
  llvm::SmallVector<llvm::Instruction *> body;
  bool beginsLoop = false;
};

/// The segments of a function, in an order in which a loop's come before what
/// follows the loop. Phis belong to none.
std::vector<SegmentCut> cutIntoSegments(llvm::Function &function);

/// Fills in segments one after another, in the order of the cuts.
class SegmentCosts {
public:
  Segment describe(const SegmentCut &cut,
                   llvm::ArrayRef<SegmentAccess> accesses);

private:
  bool isPending(const llvm::Value *value) const;
  unsigned depthOf(const llvm::Instruction &instruction) const;

  /// Loads that nothing has waited for yet.
  llvm::SmallPtrSet<const llvm::Value *, 16> pending;
  llvm::DenseMap<const llvm::Value *, unsigned> depths; ///< of this segment
};

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_SEGMENTS_H
