//===- WarpCode.h - the code of a whole warp ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes of a kernel, which says what one thread does, a function that does it
// for the 32 lanes of a warp: a value becomes a vector of 32, or stays a scalar
// where all lanes are sure to have the same. One fiber runs a warp then, a
// collective needs no switch, and accesses are checked and counted 32 at once.
//
// Blocks of the kernel run in the order of Segments.h: always the earliest that
// any lane is at, by all lanes that are at it. This is what merging the logs of
// lanes on fibers finds (WarpLog.h), so that counts are the same.
//
//   active   lanes that run now         others   the earliest block of the rest
//   places   block by lane, for those that do not run
//
// At the end of a block that all active lanes leave by the same way, the next
// follows at once if it is before `others`. Else lanes note where they go, and
// the dispatcher chooses. What a block computes for others, and phis, live in
// memory (slots) that only active lanes write.
//
// A kernel with anything that is not here (calls, local memory, copies of
// memory, clocks, cp.async, ...) has no such code: it runs on fibers.
//
// Source: lowest-address-first reconvergence, see WarpLog.h; masks and slots as
// in Karrenberg and Hack, "Whole-function vectorization", 2011, but with
// control flow kept and chosen at run time.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_WARPCODE_H
#define ASTFE_LIB_EMULATOR_WARPCODE_H

#include "Accesses.h"
#include "Segments.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace astfe::emu {

constexpr unsigned kLanes = 32;

/// A value of the kernel, for all lanes. Structs and vectors of the kernel are
/// taken apart; pointers are numbers.
struct WarpValue {
  bool isUniform = false; ///< parts are scalars, not vectors of 32
  llvm::SmallVector<llvm::Value *, 4> parts;
};

/// The types of the parts of a value; none: it cannot be taken apart.
llvm::SmallVector<llvm::Type *, 4> partTypes(llvm::Type *type);
/// A part as a vector of 32.
llvm::Value *vectorPart(llvm::IRBuilderBase &builder, const WarpValue &value,
                        unsigned part);
/// What an instruction computes in each lane by itself (WarpCompute.cpp).
/// `active` says which lanes matter. None: not known here.
std::optional<WarpValue> computeForWarp(llvm::IRBuilderBase &builder,
                                        llvm::Instruction &instruction,
                                        llvm::ArrayRef<WarpValue> operands,
                                        llvm::Value *active);

/// What code for a warp refers to.
struct WarpContext {
  llvm::IRBuilder<> *builder; ///< where code is added
  llvm::Value *frame = nullptr, *rows = nullptr, *windows = nullptr;
  llvm::Value *scratch[2] = {};  ///< kScratchBytes each, for a moment
  llvm::Value *lanes = nullptr;  ///< that run now, i32
  llvm::Value *active = nullptr; ///< the same as a vector of i1

  static constexpr unsigned kMostMemoryParts = 16;
  static constexpr unsigned kScratchBytes = kLanes * 8 * kMostMemoryParts;

  llvm::Value *conditionsOf(llvm::Value *lanes) const {
    return builder->CreateBitCast(
        lanes, llvm::FixedVectorType::get(builder->getInt1Ty(), kLanes));
  }
  /// A block behind those that there are.
  llvm::BasicBlock *block(const char *name) const;
  /// Calls a function of this process.
  llvm::CallInst *call(void *callee,
                       llvm::ArrayRef<llvm::Value *> values) const;
  /// Goes on in one of two new blocks, most often the second.
  std::pair<llvm::BasicBlock *, llvm::BasicBlock *>
  branchUnlikely(llvm::Value *condition) const;
  /// Of a vector of i1: a number whose bits are those of lanes that run.
  llvm::Value *bitsOf(llvm::Value *conditions) const;
  /// The code of `body` for each lane that runs, one after another.
  void forEachLane(llvm::function_ref<void(llvm::Value *lane)> body) const;
};

/// Loads, stores and atomics of a warp (WarpAccess.cpp).
class WarpAccesses {
public:
  explicit WarpAccesses(const WarpContext &context) : context(context) {}
  /// Checks an access, writes it to a row and makes it. None: not known here.
  std::optional<WarpValue> make(const Access &access, unsigned row,
                                const WarpValue &address, const WarpValue &base,
                                llvm::ArrayRef<WarpValue> values);

private:
  llvm::Value *at(llvm::Value *begin, llvm::Value *index, uint64_t stride);
  void check(const Access &access, llvm::Value *address, llvm::Value *base);
  void findArrangement(llvm::Value *addresses, uint64_t bytes);
  bool describeMemory(llvm::Type *type);
  WarpValue loadOne(const Access &access, llvm::Value *address);
  WarpValue load(const Access &access);
  void store(const Access &access, const WarpValue &value);
  std::optional<WarpValue> atomic(const Access &access,
                                  llvm::ArrayRef<WarpValue> values);

  const WarpContext &context;
  // Of the access:
  llvm::Value *row, *first, *isSame, *isInARow;
  llvm::Type *part, *inMemory; ///< a truth value takes a byte there
  unsigned parts;
};

/// Adds `name`.warp to the module, or nothing. Null: the kernel needs fibers.
llvm::Function *makeWarpCode(llvm::Function &kernel, const SharedLayout &shared,
                             Rewritten &rewritten);

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_WARPCODE_H
