//===- WarpValues.h - values of the code of a warp ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the values of a kernel are in the code of its warps. What all lanes
// compute the same from what the launch gives is computed once, at the entry.
// What a block computes for itself are values of LLVM. What it computes for
// others, and phis, have slots in memory.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EMULATOR_WARPVALUES_H
#define ASTFE_LIB_EMULATOR_WARPVALUES_H

#include "WarpCalls.h"

namespace astfe::emu {

/// By part.
using WarpSlot = llvm::SmallVector<llvm::AllocaInst *, 4>;
using WarpWrite = std::pair<const WarpSlot *, WarpValue>;

class WarpValues {
public:
  WarpValues(llvm::Function &kernel, const SharedLayout &shared,
             const WarpContext &context, WarpCalls &calls)
      : kernel(kernel), shared(shared), context(context), calls(calls),
        builder(*context.builder), atEntry(kernel.getContext()) {}

  /// Code that is run once comes before the end of the entry.
  void setEntry(llvm::Instruction *end) { atEntry.SetInsertPoint(end); }
  llvm::IRBuilder<> &entry() { return atEntry; }
  llvm::AllocaInst *memory(llvm::Type *type, const char *name);
  void loadParameters(llvm::Value *params);
  void setSharedBegin(llvm::Value *number) { sharedBegin = number; }
  void makeSlots(llvm::ArrayRef<llvm::BasicBlock *> blocks);

  /// What the last block has computed is not at hand any more.
  void beginBlock() {
    here.clear();
    defined.clear();
  }
  /// None: it is not known here.
  std::optional<WarpValue> get(llvm::Value *value);
  bool isInvariant(llvm::Value *value);
  /// Of the block; others read it after writes().
  void define(llvm::Instruction &instruction, const WarpValue &value);
  /// What the block has to write at its end.
  llvm::ArrayRef<WarpWrite> writes() const { return defined; }
  /// What it has to write for the phis of the next.
  std::optional<llvm::SmallVector<WarpWrite>> phiValues(llvm::BasicBlock *from,
                                                        llvm::BasicBlock *to);
  /// Of the lanes that run, or of some of them.
  void write(llvm::ArrayRef<WarpWrite> values);
  void blend(const WarpSlot &slot, const WarpValue &value, llvm::Value *lanes);

private:
  std::optional<WarpValue> constant(llvm::Constant *value);
  std::optional<WarpValue> invariant(llvm::Instruction &instruction);
  bool neededElsewhere(const llvm::Instruction &instruction) const;
  WarpValue read(const WarpSlot &slot, llvm::Type *type);
  void store(const WarpSlot &slot, const WarpValue &value);

  llvm::Function &kernel;
  const SharedLayout &shared;
  const WarpContext &context;
  WarpCalls &calls;
  llvm::IRBuilder<> &builder;
  llvm::IRBuilder<> atEntry;
  llvm::Value *sharedBegin = nullptr;
  llvm::DenseMap<const llvm::Instruction *, WarpSlot> slots;
  llvm::DenseMap<const llvm::Value *, bool> invariants;
  llvm::DenseMap<const llvm::Value *, WarpValue> everywhere; ///< at the entry
  llvm::DenseMap<const llvm::Value *, WarpValue> here;       ///< of the block
  llvm::SmallVector<WarpWrite> defined;
};

} // namespace astfe::emu

#endif // ASTFE_LIB_EMULATOR_WARPVALUES_H
